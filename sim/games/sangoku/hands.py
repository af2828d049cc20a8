"""How strong a hand is: the ranking of Sangoku's five-card and three-card hands, compiled.

A hand is one int64 that counts its cards by rank and by suit, three bits a count (:func:`pack`). Adding a card is an
addition, so whoever builds hands card by card (``arrange.py``) never looks at the cards again.

=========  ============================================
places     count
=========  ============================================
0 … 12     cards of rank A, K, Q … 2
13         Bridges
14         Wilds
15 … 19    cards of the five suits
=========  ============================================

High ranks stand low, since the lowest bit of a word is the one that a machine finds at once.

A strength is one int64 too: the category above five ranks of four bits each, above a bit that only five-card hands
have. Comparing two strengths as numbers is comparing the hands, of whatever sizes.
"""

from __future__ import annotations

import numpy as np

from sim.jit import count_bits, lowest_bit, rule

SUITS = 5
RANKS = 13  # 2 … A
BRIDGE = SUITS * RANKS  # kinds of Recruitment cards: suit * RANKS + rank − 2, then these two
WILD = BRIDGE + 1
KINDS = WILD + 1

CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "straight flush",
    "four of a kind",
    "royal flush",
    "five of a kind",
)
HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, STRAIGHT_FLUSH, FOUR, ROYAL_FLUSH, FIVE = range(11)

ACE = 14  # as a rank; a Bridge is 1, a Wild 0
WHEEL = 5  # height of A-2-3-4-5

# A hand.
COUNT = 3  # bits of a count
BRIDGES, WILDS, SUITED = 13 * COUNT, 14 * COUNT, 15 * COUNT  # where the counts of Bridges, Wilds and suits begin
NUMBERS = (1 << BRIDGES) - 1  # the counts of the ranks 2 … A
UNITS = int("001" * 14, 2)  # the lowest bit of each count that can form a group: numbers and Bridges
STRAIGHT_END = 1 << 5 * COUNT  # counts of five neighbouring ranks, from the highest down, stay below
LOW_ACE = int("111" * 4, 2) << 9 * COUNT | 1  # what a straight with a low ace may hold: A and 5 … 2

# A strength.
RANK = 4  # bits of a rank
CATEGORY = 21  # where the category stands
FIRST, SECOND, THIRD = 17, 13, 9  # where the first ranks stand
FIVE_CARDS = 1


def _single(kind: int) -> int:
    """Give the hand of one card."""
    if kind >= BRIDGE:
        return 1 << (BRIDGES if kind == BRIDGE else WILDS)
    suit, rank = divmod(kind, RANKS)
    return 1 << (RANKS - 1 - rank) * COUNT | 1 << SUITED + suit * COUNT


SINGLE = np.array([_single(kind) for kind in range(KINDS)], np.int64)


@rule
def pack(cards):
    """Count the cards of a hand.

    Parameters
    ----------
    cards : int array
        Kinds of Recruitment cards, at most seven.

    Returns
    -------
    int64
        The hand. ``SINGLE[kind]`` is the hand of one card, and hands add up.
    """
    hand = np.int64(0)
    for card in cards:
        hand += SINGLE[card]
    return hand


# --- ranking ----------------------------------------------------------------------------------------------------------


@rule
def strength5(hand, bridge_suited, wheel):
    """Rank a hand of five cards.

    Parameters
    ----------
    hand : int64
        Five cards, as :func:`pack` gives them.
    bridge_suited : int
        Whether a Bridge has any suit; otherwise it has none and breaks a flush.
    wheel : int
        Whether an ace is also low, in A-2-3-4-5.

    Returns
    -------
    int64
        A larger number for a stronger hand, the same for equal ones; also against :func:`strength3`.
    """
    bit_1, bit_2, bit_4 = hand & UNITS, hand >> 1 & UNITS, hand >> 2 & UNITS  # of all counts at once
    fives, fours = bit_4 & bit_1, bit_4 & ~bit_1
    threes, pairs = bit_2 & bit_1, bit_2 & ~bit_1
    others = bit_1 & ~bit_2 & ~bit_4
    flush = _is_flush(hand, bridge_suited)
    height = _height(hand, wheel)
    if fives:
        return _strength(FIVE, _ranks(fives, FIRST))
    if flush and height == ACE:
        return _strength(ROYAL_FLUSH, 0)
    if fours:
        return _strength(FOUR, _ranks(fours, FIRST) | _ranks(others, SECOND))
    if flush and height:
        return _strength(STRAIGHT_FLUSH, height << FIRST)
    if threes and pairs:
        return _strength(FULL_HOUSE, _ranks(threes, FIRST) | _ranks(pairs, SECOND))
    if flush:
        return _strength(FLUSH, _flush_ranks(hand))
    if height:
        return _strength(STRAIGHT, height << FIRST)
    if threes:
        return _strength(THREE, _ranks(threes, FIRST) | _ranks(others, SECOND))
    if pairs & (pairs - 1):
        return _strength(TWO_PAIR, _ranks(pairs, FIRST) | _ranks(others, THIRD))
    if pairs:
        return _strength(PAIR, _ranks(pairs, FIRST) | _ranks(others, SECOND))
    return _strength(HIGH_CARD, _ranks(others, FIRST))


@rule
def strength3(hand):
    """Rank a hand of three cards, which knows only sets, pairs and high cards.

    Parameters
    ----------
    hand : int64
        Three cards, as :func:`pack` gives them.

    Returns
    -------
    int64
        Comparable with other hands of three cards and with :func:`strength5`: where all ranks are equal as far as they
        go, the five cards are stronger.
    """
    bit_1, bit_2 = hand & UNITS, hand >> 1 & UNITS
    threes, pairs, others = bit_2 & bit_1, bit_2 & ~bit_1, bit_1 & ~bit_2
    if threes:
        return np.int64(THREE) << CATEGORY | _ranks(threes, FIRST)
    if pairs:
        return np.int64(PAIR) << CATEGORY | _ranks(pairs, FIRST) | _ranks(others, SECOND)
    return np.int64(HIGH_CARD) << CATEGORY | _ranks(others, FIRST)


@rule
def _strength(category, ranks):
    """Put the strength of a five-card hand together."""
    return np.int64(category) << CATEGORY | ranks | FIVE_CARDS


@rule
def _ranks(units, place):
    """Write the ranks of some counts one below the other, high to low, the first at ``place``. Wilds are the zeros."""
    ranks = np.int64(0)
    while units:
        ranks |= (ACE - lowest_bit(units) // COUNT) << place
        place -= RANK
        units &= units - 1
    return ranks


@rule
def _flush_ranks(hand):
    """Write the ranks of a flush, high to low. Only Bridges can be there more than once; they follow the numbers."""
    numbers = hand & NUMBERS
    ranks = _ranks(numbers, FIRST)
    place = FIRST - RANK * count_bits(numbers)
    for _ in range(hand >> BRIDGES & 7):
        ranks |= np.int64(1) << place
        place -= RANK
    return ranks


@rule
def _is_flush(hand, bridge_suited):
    """Whether all cards of a hand can be of one suit: a Wild always can, a Bridge if the switch says so."""
    if hand >> BRIDGES & 7 and not bridge_suited:
        return False
    suits = hand >> SUITED
    return suits == 0 or suits >> lowest_bit(suits) // COUNT * COUNT < 1 << COUNT


@rule
def _height(hand, wheel):
    """Height of the straight that a hand makes, the highest reading of it; 0 for none. int64.

    A Bridge stands for any rank. Those that fill no gap stand above, up to the ace.
    """
    numbers = hand & NUMBERS
    if hand >> WILDS & 7 or numbers & ~UNITS or not numbers:
        return np.int64(0)
    top = lowest_bit(numbers)
    if numbers >> top < STRAIGHT_END:
        while top > 0 and numbers >> (top - COUNT) < STRAIGHT_END:
            top -= COUNT
        return ACE - top // COUNT
    if wheel and numbers & ~LOW_ACE == 0:
        return np.int64(WHEEL)
    return np.int64(0)


# --- reading a strength -----------------------------------------------------------------------------------------------


@rule
def category(strength):
    """Tell the category of a hand: index into ``CATEGORIES``."""
    return strength >> CATEGORY


def tie_breaks(strength: int) -> list[int]:
    """List the ranks that decide between hands of the same category, in order: A = 14, Bridge = 1, Wild = 0."""
    five = bool(strength & FIVE_CARDS)
    ranks = (5, 4, 3, 3, 1, 5, 2, 1, 2, 0, 1)[category(strength)] if five else (3, 2, 0, 1)[category(strength)]
    return [int(strength) >> FIRST - RANK * place & 15 for place in range(ranks)]
