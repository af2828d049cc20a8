"""Laying out 13 cards: the arrangement that is worth most, looked for quickly or among all that there are.

What an arrangement is worth is for the caller to say, in three parts: the chance that a strength wins its Realm
(``chances``, see ``chances.py``), what winning each Realm is worth (``worth``), and what each of the 13 cards is worth
more if it is redeemed after a win (``prizes``). The value of an arrangement is the sum over the Realms of

    chance to win × (worth of the Realm + largest prize among the cards laid there)

Both arrangers lay legally: Hells weaker than Earth, Earth not stronger than Heavens. Sets of the 13 cards are masks of
13 bits here; the result is the action of ``cards.py``: two bits a card for its Realm.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from sim.games.sangoku.hands import (
    BRIDGE,
    BRIDGES,
    CATEGORIES,
    COUNT,
    NUMBERS,
    RANK,
    RANKS,
    SECOND,
    SINGLE,
    SUITS,
    UNITS,
    strength3,
    strength5,
)
from sim.jit import count_bits, lowest_bit, rule

CARDS = 13
ALL = (1 << CARDS) - 1
LOW_CARDS = 6  # sums over sets of cards are looked up in two halves
LOW = (1 << LOW_CARDS) - 1
PLACES = 15  # ranks from the ace down, Bridge and Wild
BRIDGE_PLACE, WILD_PLACE = 13, 14
TOPS = UNITS & (1 << 10 * COUNT) - 1  # heights of straights: A … 5
CORES = 48  # more than _cores ever lists
STRAIGHTS = 3  # how many straights it lists, the highest first

BUCKETS = len(CATEGORIES) << 2 * RANK  # strengths by category and first two ranks
REST = 1 << SECOND  # how many strengths share a bucket

# The ways to split ten cards into five and five, by the half with the first card.
HALVES = np.array([sum(1 << i for i in (0, *others)) for others in combinations(range(1, 10), 4)], np.int64)


@rule
def chance(chances, strength):
    """Chance (float64) that a strength wins, between the chances of its bucket and of the next.

    Parameters
    ----------
    chances : float array, [BUCKETS + 1]
        For the weakest strength of each bucket.
    strength : int64
    """
    bucket = strength >> SECOND
    return chances[bucket] + (chances[bucket + 1] - chances[bucket]) * ((strength & (REST - 1)) / REST)


# --- all arrangements -------------------------------------------------------------------------------------------------


@rule
def arrange_exactly(cards, chances, worth, prizes, bridge_suited, wheel):
    """Find the arrangement of the highest value among all 72 072.

    Parameters
    ----------
    cards : int array, [13]
        Kinds of Recruitment cards.
    chances : float array, [3, BUCKETS + 1]
        Chance to win each Realm, by bucket of strength.
    worth : float array, [3]
        What winning each Realm is worth, ≥ 0.
    prizes : float array, [13]
        What redeeming each card is worth, ≥ 0.
    bridge_suited, wheel : int
        Switches of :func:`sim.games.sangoku.hands.strength5`.

    Returns
    -------
    int64
        Action: bits 2i and 2i + 1 tell the Realm of card i.
    """
    strength = np.empty(ALL + 1, np.int64)
    values = np.empty((3, ALL + 1), np.float64)
    for a in range(CARDS):
        for b in range(a + 1, CARDS):
            two = SINGLE[cards[a]] + SINGLE[cards[b]]
            prize_of_two = max(prizes[a], prizes[b])
            for c in range(b + 1, CARDS):
                three = two + SINGLE[cards[c]]
                prize_of_three = max(prize_of_two, prizes[c])
                mask = 1 << a | 1 << b | 1 << c
                strength[mask] = strength3(three)
                values[2, mask] = chance(chances[2], strength[mask]) * (worth[2] + prize_of_three)
                for d in range(c + 1, CARDS):
                    for e in range(d + 1, CARDS):
                        five = mask | 1 << d | 1 << e
                        prize = max(prize_of_three, prizes[d], prizes[e])
                        hand = three + SINGLE[cards[d]] + SINGLE[cards[e]]
                        strength[five] = strength5(hand, bridge_suited, wheel)
                        values[0, five] = chance(chances[0], strength[five]) * (worth[0] + prize)
                        values[1, five] = chance(chances[1], strength[five]) * (worth[1] + prize)
    best, best_heavens, best_hells = -1.0, 0, 0
    for a in range(CARDS):
        for b in range(a + 1, CARDS):
            for c in range(b + 1, CARDS):
                hells = 1 << a | 1 << b | 1 << c
                for half in HALVES:
                    one = _make_room(_make_room(_make_room(half, a), b), c)
                    other = ALL ^ hells ^ one
                    for heavens, earth in ((one, other), (other, one)):
                        if strength[heavens] >= strength[earth] > strength[hells]:
                            value = values[0, heavens] + values[1, earth] + values[2, hells]
                            if value > best:
                                best, best_heavens, best_hells = value, heavens, hells
    return _action(best_heavens, best_hells)


@rule
def _make_room(mask, place):
    """Move up what stands in a mask from ``place`` on, so that this bit is free."""
    below = (1 << place) - 1
    return mask & below | (mask & ~below) << 1


@rule
def _action(heavens, hells):
    """Put an arrangement into its action. The rest lies on Earth."""
    action = np.int64(0)
    for card in range(CARDS):
        action |= (1 - (heavens >> card & 1) + (hells >> card & 1)) << 2 * card
    return action


# --- a quick look at the likely ones ----------------------------------------------------------------------------------


@rule
def arrange(cards, chances, worth, prizes, bridge_suited, wheel):
    """Find a good arrangement in a few microseconds.

    It sets a triplet, a pair or nothing aside for the Hells, builds one hand on each group of cards that could carry it
    (:func:`_cores`), and another on the best that is left (:func:`_strongest`). What then is left fills up, the Hells
    first and with high cards. Where there are prizes, it exchanges what fills up in the best arrangement found so.

    Parameters and result are those of :func:`arrange_exactly`.
    """
    order = np.empty(CARDS, np.int64)
    of_rank = np.zeros(PLACES, np.int64)
    of_suit = np.zeros(SUITS, np.int64)
    sums = np.empty(LOW + 1 + (1 << CARDS - LOW_CARDS), np.int64)
    prize = np.empty(LOW + 1 + (1 << CARDS - LOW_CARDS), np.float64)
    cores = np.empty(CORES, np.int64)
    _sort(cards, order, of_rank, of_suit)
    _sum_up(cards, order, prizes, sums, prize)
    best, best_heavens, best_hells, best_filling = -1.0, np.int64(0), np.int64(0), np.int64(0)
    everything = _hand(sums, ALL)
    twos = (everything >> 1 | everything >> 2) & UNITS
    threes = (everything >> 1 & everything | everything >> 2) & UNITS
    aside = np.int64(0)
    while True:
        left = ALL ^ aside
        hand = everything - _hand(sums, aside)
        for i in range(_cores(left, hand, of_rank, of_suit, wheel, cores)):
            first = cores[i]
            second = _strongest(left ^ first, hand - _hand(sums, first), of_rank, of_suit, wheel)
            filling = left ^ first ^ second
            hells = aside
            if not aside:
                pairs = _hand(sums, filling)
                pairs = (pairs >> 1 | pairs >> 2) & UNITS
                if pairs:
                    hells = _take(of_rank[lowest_bit(pairs) // COUNT] & filling, 2)
                    filling ^= hells
            hells |= _take(filling, 3 - count_bits(hells))
            heavens = first | _take(filling & ~hells, 5 - count_bits(first))
            value, heavens = _value(heavens, hells, chances, worth, sums, prize, bridge_suited, wheel)
            if value > best:
                best, best_heavens, best_hells, best_filling = value, heavens, hells, filling
        if threes:
            aside = _take(of_rank[lowest_bit(threes) // COUNT], 3)
            threes = np.int64(0)
        elif twos:
            aside = _take(of_rank[lowest_bit(twos) // COUNT], 2)
            twos &= twos - 1
        else:
            break
    if best < 0:
        return arrange_exactly(cards, chances, worth, prizes, bridge_suited, wheel)
    ones = best_filling if _prize(prize, ALL) > 0 else np.int64(0)
    while ones:
        one = ones & -ones
        ones ^= one
        others = ones
        while others:
            other = others & -others
            others ^= other
            heavens, hells = best_heavens, best_hells
            if (heavens & one != 0) != (heavens & other != 0):
                heavens ^= one | other
            if (hells & one != 0) != (hells & other != 0):
                hells ^= one | other
            if heavens != best_heavens or hells != best_hells:
                value, heavens = _value(heavens, hells, chances, worth, sums, prize, bridge_suited, wheel)
                if value > best:
                    best, best_heavens, best_hells = value, heavens, hells
    return _action(_unsorted(best_heavens, order), _unsorted(best_hells, order))


@rule
def _value(heavens, hells, chances, worth, sums, prize, bridge_suited, wheel):
    """Give the value of an arrangement, or -1 if it is against the order, and which hand then lies in the Heavens."""
    earth = ALL ^ hells ^ heavens
    strong = strength5(_hand(sums, heavens), bridge_suited, wheel)
    weak = strength5(_hand(sums, earth), bridge_suited, wheel)
    if strong < weak:
        strong, weak, heavens, earth = weak, strong, earth, heavens
    weakest = strength3(_hand(sums, hells))
    if weakest > weak:
        return -1.0, heavens
    value = (
        chance(chances[0], strong) * (worth[0] + _prize(prize, heavens))
        + chance(chances[1], weak) * (worth[1] + _prize(prize, earth))
        + chance(chances[2], weakest) * (worth[2] + _prize(prize, hells))
    )
    return value, heavens


@rule
def _sort(cards, order, of_rank, of_suit):
    """Sort cards by rank, high to low, and tell which there are of each rank and each suit.

    Within a rank, the cards of the longest suit come last: where any card of a rank will do, the flush is spared.
    """
    lengths = np.zeros(SUITS, np.int64)
    longest = 0
    for card in cards:
        if card < BRIDGE:
            lengths[card // RANKS] += 1
    for suit in range(SUITS):
        if lengths[suit] > lengths[longest]:
            longest = suit
    keys = np.empty(CARDS, np.int64)
    for i in range(CARDS):
        card = np.int64(cards[i])
        place = RANKS - 1 - card % RANKS if card < BRIDGE else BRIDGE_PLACE + card - BRIDGE
        key = place << 8 | (card // RANKS == longest) << 4 | i
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key
    for i in range(CARDS):
        order[i] = keys[i] & 15
        of_rank[keys[i] >> 8] |= 1 << i
        card = cards[order[i]]
        if card < BRIDGE:
            of_suit[card // RANKS] |= 1 << i


@rule
def _sum_up(cards, order, prizes, sums, prize):
    """Prepare :func:`_hand` and :func:`_prize` for the sorted cards."""
    for first, last, start in ((0, LOW_CARDS, 0), (LOW_CARDS, CARDS, LOW + 1)):
        sums[start], prize[start] = 0, 0.0
        done = 1
        for i in range(first, last):
            single, worth = SINGLE[cards[order[i]]], prizes[order[i]]
            for mask in range(start, start + done):
                sums[mask + done] = sums[mask] + single
                prize[mask + done] = max(prize[mask], worth)
            done *= 2


@rule
def _hand(sums, mask):
    """Give the hand that a set of cards is."""
    return sums[mask & LOW] + sums[LOW + 1 + (mask >> LOW_CARDS)]


@rule
def _prize(prize, mask):
    """Give the largest prize in a set of cards."""
    return max(prize[mask & LOW], prize[LOW + 1 + (mask >> LOW_CARDS)])


@rule
def _take(mask, count):
    """Give the first cards of a set, the highest, or all if there are fewer."""
    taken = np.int64(0)
    for _ in range(count):
        taken |= mask & -mask
        mask &= mask - 1
    return taken


@rule
def _unsorted(mask, order):
    """Give the set of the same cards by their places in the hand as dealt."""
    result = np.int64(0)
    while mask:
        result |= np.int64(1) << order[lowest_bit(mask)]
        mask &= mask - 1
    return result


@rule
def _straights(hand, bridges, wheel):
    """Give the straights that can be made, as units at the places of their heights (5 at the place of the 5)."""
    numbers = (hand | hand >> 1 | hand >> 2) & UNITS & NUMBERS
    if wheel:
        numbers |= (numbers & 1) << BRIDGES
    pairs = numbers + (numbers >> COUNT)
    windows = pairs + (pairs >> 2 * COUNT) + (numbers >> 4 * COUNT)  # how many of the five ranks there are
    bit_1, bit_2, bit_4 = windows, windows >> 1, windows >> 2
    if bridges == 0:
        enough = bit_4 & bit_1
    elif bridges == 1:
        enough = bit_4
    elif bridges == 2:
        enough = bit_4 | bit_2 & bit_1
    elif bridges == 3:
        enough = bit_4 | bit_2
    else:
        enough = bit_4 | bit_2 | bit_1
    return enough & TOPS


@rule
def _straight(left, top, of_rank):
    """Give the cards of the straight with this highest place, with Bridges in its gaps."""
    straight = np.int64(0)
    bridges = of_rank[BRIDGE_PLACE] & left
    for place in range(top, top + 5):
        cards = of_rank[place if place < RANKS else 0] & left
        if not cards:
            cards = bridges
            bridges &= bridges - 1
        straight |= cards & -cards
    return straight


@rule
def _flush(left, of_suit, wilds):
    """Give the highest flush of what is left, or no cards. Wilds serve only where they must."""
    for suit in range(SUITS):
        cards = of_suit[suit] & left
        size = count_bits(cards)
        if size + count_bits(wilds) >= 5:
            return _take(cards, 5) | _take(wilds, 5 - size)
    return np.int64(0)


@rule
def _strongest(left, hand, of_rank, of_suit, wheel):
    """Give the cards that make the strongest hand of what is left."""
    bit_1, bit_2, bit_4 = hand & UNITS, hand >> 1 & UNITS, hand >> 2 & UNITS
    twos, threes = bit_2 | bit_4, bit_2 & bit_1 | bit_4
    if bit_4:
        return _take(of_rank[lowest_bit(bit_4) // COUNT] & left, 4)
    if threes:
        others = twos & ~(threes & -threes)
        if others:
            cards = _take(of_rank[lowest_bit(others) // COUNT] & left, 2)
            return cards | _take(of_rank[lowest_bit(threes) // COUNT] & left, 3)
    flush = _flush(left, of_suit, of_rank[WILD_PLACE] & left)
    if flush:
        return flush
    tops = _straights(hand, count_bits(of_rank[BRIDGE_PLACE] & left), wheel)
    if tops:
        return _straight(left, lowest_bit(tops) // COUNT, of_rank)
    if threes:
        return _take(of_rank[lowest_bit(threes) // COUNT] & left, 3)
    cards = np.int64(0)
    if twos:
        cards = _take(of_rank[lowest_bit(twos) // COUNT] & left, 2)
        twos &= twos - 1
        if twos:
            cards |= _take(of_rank[lowest_bit(twos) // COUNT] & left, 2)
        return cards
    return left & -left


@rule
def _cores(left, hand, of_rank, of_suit, wheel, cores):
    """List what five-card hands can be built on, from the cards that are left, as sets of one to five cards.

    Parameters
    ----------
    left : int64
        Set of cards.
    hand : int64
        Their sum.
    of_rank, of_suit : int64 array
        Sets of cards by place of the rank and by suit.
    wheel : int
        Whether an ace is also low.
    cores : int64 array
        Filled.

    Returns
    -------
    int64
        How many.
    """
    bit_1, bit_2, bit_4 = hand & UNITS, hand >> 1 & UNITS, hand >> 2 & UNITS
    twos, threes = bit_2 | bit_4, bit_2 & bit_1 | bit_4
    bridges, wilds = of_rank[BRIDGE_PLACE] & left, of_rank[WILD_PLACE] & left
    count = 0
    if bit_4:
        cores[count] = _take(of_rank[lowest_bit(bit_4) // COUNT] & left, 4)
        count += 1
    # Full houses: the pair as low as possible, or as high.
    if threes:
        top = lowest_bit(threes)
        three = _take(of_rank[top // COUNT] & left, 3)
        cores[count] = three
        count += 1
        high = low = twos & ~(np.int64(1) << top)
        while low & (low - 1):
            low &= low - 1
        if low:
            cores[count] = three | _take(of_rank[lowest_bit(low) // COUNT] & left, 2)
            count += 1
        if high != low:
            cores[count] = three | _take(of_rank[lowest_bit(high) // COUNT] & left, 2)
            count += 1
    flush = _flush(left, of_suit, wilds)
    if flush:
        cores[count] = flush
        count += 1
    tops = _straights(hand, count_bits(bridges), wheel)
    straights = 0
    while tops and straights < STRAIGHTS:
        cores[count] = _straight(left, lowest_bit(tops) // COUNT, of_rank)
        count += 1
        straights += 1
        tops &= tops - 1
    # Two pair and pair.
    if twos:
        one = _take(of_rank[lowest_bit(twos) // COUNT] & left, 2)
        cores[count] = one
        count += 1
        twos &= twos - 1
        if twos:
            two = _take(of_rank[lowest_bit(twos) // COUNT] & left, 2)
            cores[count] = one | two
            count += 1
    if count > 2:
        return count
    cores[count] = left & -left  # the highest card
    return count + 1
