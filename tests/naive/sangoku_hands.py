"""How strong a hand of Sangoku is, in plain Python and word by word from the rules: the slow twin of ``hands.py``.

A card is a pair of rank and suit: rank 2 … 14 with suit 0 … 4, a Bridge is (1, None), a Wild (0, None). The strength of
a hand is a tuple (category, ranks …), and tuples compare as the hands do: also a hand of three cards with one of five,
since of two tuples that agree as far as both go the longer is the larger.
"""

from collections import Counter

BRIDGE, WILD = (1, None), (0, None)
ACE = 14
HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, STRAIGHT_FLUSH, FOUR, ROYAL_FLUSH, FIVE = range(11)


def card(kind):
    """Read a kind of Recruitment card: suit × 13 + rank − 2, then the Bridge and the Wild."""
    return (BRIDGE, WILD)[kind - 65] if kind >= 65 else (kind % 13 + 2, kind // 13)


def strength(cards, bridge_suited=False, wheel=True):
    """Rank a hand of three or five cards: (category, ranks …), the highest that it can be read as."""
    ranks = sorted((rank for rank, _ in cards), reverse=True)
    groups = Counter(rank for rank in ranks if rank != WILD[0])  # a Wild is never in pairs or sets
    sizes = [*sorted(groups.values(), reverse=True), 0, 0]
    # Groups first, the larger ones before; then whoever is alone; a Wild counts 0 there.
    by_group = sorted(groups, key=lambda rank: (groups[rank], rank), reverse=True)
    by_group += [0] * ranks.count(0)
    readings = [(HIGH_CARD, *ranks)]
    if sizes[0] >= 2:
        readings.append((PAIR, *by_group))
    if sizes[0] >= 3:
        readings.append((THREE, *by_group))
    if len(cards) == 5:
        if sizes[0] >= 2 and sizes[1] >= 2:
            readings.append((TWO_PAIR, *by_group))
        if sizes[0] >= 3 and sizes[1] >= 2:
            readings.append((FULL_HOUSE, *by_group))
        if sizes[0] >= 4:
            readings.append((FOUR, *by_group))
        if sizes[0] == 5:
            readings.append((FIVE, *by_group))
        height = straight(cards, wheel)
        one_suit = any(all(fits(each, suit, bridge_suited) for each in cards) for suit in range(5))
        if height:
            readings.append((STRAIGHT, height))
        if one_suit:
            readings.append((FLUSH, *ranks))
        if height and one_suit:
            readings.append((ROYAL_FLUSH,) if height == ACE else (STRAIGHT_FLUSH, height))
    return max(readings)


def fits(each, suit, bridge_suited):
    """Whether a card can be in a flush of a suit."""
    return each == WILD or (each == BRIDGE and bridge_suited) or each[1] == suit


def straight(cards, wheel):
    """Height of the highest straight that the cards can be read as, or None. A Bridge is any rank, a Wild none."""
    for height in range(ACE, 4, -1):
        window = set(range(height - 4, height + 1)) if height > 5 else {ACE, 2, 3, 4, 5}
        numbers = [rank for rank, suit in cards if suit is not None]
        if height == 5 and not wheel:
            continue
        if WILD not in cards and len(set(numbers)) == len(numbers) and set(numbers) <= window:
            return height
    return None
