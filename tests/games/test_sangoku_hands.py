"""Sangoku's ranking of hands: known counts, counts by combinatorics, a slow twin, and single rulings."""

from itertools import combinations, combinations_with_replacement, pairwise, product
from math import comb

import numpy as np
import pytest

from sim.games.sangoku.hands import (
    BRIDGE,
    CATEGORIES,
    KINDS,
    SINGLE,
    WILD,
    category,
    pack,
    strength3,
    strength5,
    tie_breaks,
)
from sim.jit import rule
from tests.naive import sangoku_hands as naive

SWITCHES = list(product((0, 1), (0, 1)))  # bridge_suited, wheel
DECK = np.array([*range(BRIDGE)] + [BRIDGE] * 5 + [WILD] * 4, np.int8)
SUITS, RANKS = ("fire", "metal", "earth", "water", "wood"), "23456789TJQKA"


def kind(name):
    """Kind of a card: "fire-T", "bridge"."""
    if name in ("bridge", "wild"):
        return BRIDGE if name == "bridge" else WILD
    suit, rank = name.split("-")
    return SUITS.index(suit) * 13 + RANKS.index(rank)


def hand_of(text):
    return pack(np.array([kind(name) for name in text.split()], np.int8))


def told(text, bridge_suited=0, wheel=1):
    """Category in words and tie-breaks of a hand, in words."""
    hand = hand_of(text)
    strength = strength5(hand, bridge_suited, wheel) if len(text.split()) == 5 else strength3(hand)
    return CATEGORIES[category(strength)], tie_breaks(strength)


# --- counts -----------------------------------------------------------------------------------------------------------


@rule
def count_categories(cards, counts):
    """Count the hands of five out of these different cards by category."""
    for a in range(cards):
        for b in range(a + 1, cards):
            two = SINGLE[a] + SINGLE[b]
            for c in range(b + 1, cards):
                three = two + SINGLE[c]
                for d in range(c + 1, cards):
                    four = three + SINGLE[d]
                    for e in range(d + 1, cards):
                        counts[category(strength5(four + SINGLE[e], 0, 1))] += 1


@pytest.mark.compiled
def test_categories_of_an_ordinary_deck_have_the_known_counts():
    counts = np.zeros(len(CATEGORIES), np.int64)
    count_categories(52, counts)
    assert counts.tolist() == [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 36, 624, 4, 0]


@pytest.mark.compiled
def test_categories_of_five_suits_have_the_counts_that_follow_by_combinatorics():
    runs = 10  # A-2-3-4-5 to 10-J-Q-K-A
    expected = {
        "five of a kind": 13,  # a rank, in all five suits
        "royal flush": 5,  # a suit
        "four of a kind": 13 * comb(5, 4) * (65 - 5),  # a rank, four of its suits, any card of another rank
        "straight flush": 5 * (runs - 1),
        "full house": 13 * comb(5, 3) * 12 * comb(5, 2),
        "flush": 5 * (comb(13, 5) - runs),  # a suit, five of its ranks that are no straight
        "straight": runs * (5**5 - 5),  # a suit for each rank, not all the same
        "three of a kind": 13 * comb(5, 3) * comb(12, 2) * 5**2,
        "two pair": comb(13, 2) * comb(5, 2) ** 2 * 11 * 5,
        "pair": 13 * comb(5, 2) * comb(12, 3) * 5**3,
        "high card": (comb(13, 5) - runs) * (5**5 - 5),  # five ranks that are no straight, not all of one suit
    }
    assert sum(expected.values()) == comb(65, 5)
    counts = np.zeros(len(CATEGORIES), np.int64)
    count_categories(65, counts)
    assert dict(zip(CATEGORIES, counts.tolist(), strict=True)) == expected


# --- the slow twin ----------------------------------------------------------------------------------------------------


@rule
def rank_all(hands, bridge_suited, wheel, strengths):
    """Rank many hands: five cards each, or three."""
    for i in range(len(hands)):
        if hands.shape[1] == 5:
            strengths[i] = strength5(pack(hands[i]), bridge_suited, wheel)
        else:
            strengths[i] = strength3(pack(hands[i]))


def agree(hands, bridge_suited, wheel):
    """Hold a set of hands against the twin. It ranks one of each class: same ranks, all of one suit or not."""
    strengths = np.empty(len(hands), np.int64)
    rank_all(hands, bridge_suited, wheel, strengths)
    numbers = hands < BRIDGE
    ranks = np.sort(np.where(numbers, hands % 13 + 2, WILD - hands), axis=1)
    suits = np.where(numbers, hands // 13, -1)
    highest = suits.max(axis=1, keepdims=True)
    one_suit = ((suits == highest) | ~numbers).all(axis=1)
    _, first, members = np.unique(np.column_stack([ranks, one_suit]), axis=0, return_index=True, return_inverse=True)
    expected = [
        naive.strength([naive.card(int(each)) for each in hands[i]], bool(bridge_suited), bool(wheel)) for i in first
    ]
    assert (strengths == strengths[first][members.ravel()]).all(), "suits count"
    found = [(int(category(each)), *tie_breaks(each)) for each in strengths[first]]
    assert found == expected
    # What is stronger for the twin is a larger number, what is equal the same.
    in_order = sorted(zip(expected, strengths[first].tolist(), strict=True))
    for (low, less), (high, more) in pairwise(in_order):
        assert (low < high) == (less < more)
    return len(first)


@pytest.mark.compiled
@pytest.mark.parametrize(("bridge_suited", "wheel"), SWITCHES)
def test_a_million_random_hands_are_ranked_as_by_the_twin(bridge_suited, wheel):
    dice = np.random.default_rng(2024)
    hands = DECK[np.argsort(dice.random((1_000_000, len(DECK)), np.float32), axis=1)[:, :5]].astype(np.int64)
    assert agree(hands, bridge_suited, wheel) > 8_000


@pytest.mark.parametrize(("bridge_suited", "wheel"), SWITCHES)
def test_all_hands_with_two_or_more_special_cards_are_ranked_as_by_the_twin(bridge_suited, wheel):
    hands = [
        (*numbers, *special)
        for specials in range(2, 6)
        for special in combinations_with_replacement((BRIDGE, WILD), specials)
        if special.count(WILD) <= 4
        for numbers in combinations(range(BRIDGE), 5 - specials)
    ]
    assert len(hands) == 3 * comb(65, 3) + 4 * comb(65, 2) + 5 * 65 + 5
    agree(np.array(hands), bridge_suited, wheel)


def test_all_hands_of_three_cards_are_ranked_as_by_the_twin():
    hands = [
        each
        for each in combinations_with_replacement(range(KINDS), 3)
        if all(each.count(card) == 1 for card in each if card < BRIDGE)
    ]
    agree(np.array(hands), 0, 1)


@pytest.mark.parametrize(("bridge_suited", "wheel"), SWITCHES)
def test_hands_of_any_size_stand_in_one_order(bridge_suited, wheel):
    """The tuples of the twin compare as the hands do, whatever their sizes; so must the numbers."""
    dice = np.random.default_rng(7)
    both = []
    for _ in range(600):
        cards = dice.permutation(DECK)[: dice.choice((3, 5))]
        hand = pack(cards)
        strength = strength5(hand, bridge_suited, wheel) if len(cards) == 5 else strength3(hand)
        twin = naive.strength([naive.card(int(each)) for each in cards], bool(bridge_suited), bool(wheel))
        both.append((twin, int(strength)))
    for (one, code), (other, other_code) in combinations(both, 2):
        assert ((one > other) - (one < other)) == ((code > other_code) - (code < other_code))


# --- single rulings ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fire-2 metal-2 earth-2 water-2 wood-2", ("five of a kind", [2])),
        ("fire-T fire-J fire-Q fire-K fire-A", ("royal flush", [])),
        ("fire-9 metal-9 earth-9 water-9 wood-K", ("four of a kind", [9, 13])),
        ("fire-A fire-2 fire-3 fire-4 fire-5", ("straight flush", [5])),
        ("fire-3 metal-3 earth-3 fire-A metal-A", ("full house", [3, 14])),
        ("fire-3 fire-5 wild fire-A fire-9", ("flush", [14, 9, 5, 3, 0])),
        ("fire-3 metal-4 earth-5 fire-6 metal-7", ("straight", [7])),
        ("fire-3 metal-3 earth-3 fire-A wild", ("three of a kind", [3, 14, 0])),
        ("fire-3 metal-3 earth-K fire-K bridge", ("two pair", [13, 3, 1])),
        ("fire-3 metal-3 wild wild bridge", ("pair", [3, 1, 0, 0])),
        ("wild wild wild bridge fire-4", ("high card", [4, 1, 0, 0, 0])),
        # A Bridge: below a 2, in pairs and sets, any number in a straight, which it never makes higher than it can be.
        ("bridge bridge bridge bridge bridge", ("five of a kind", [1])),
        ("bridge bridge bridge bridge fire-6", ("four of a kind", [1, 6])),
        ("bridge bridge bridge fire-5 earth-6", ("straight", [9])),
        ("bridge bridge bridge fire-5 earth-T", ("three of a kind", [1, 10, 5])),
        ("bridge bridge bridge fire-5 earth-5", ("full house", [1, 5])),
        ("bridge fire-J metal-Q fire-K metal-A", ("straight", [14])),
        ("bridge fire-3 metal-4 fire-5 metal-6", ("straight", [7])),
        ("bridge fire-2 metal-3 fire-4 metal-A", ("straight", [5])),
        ("bridge bridge fire-Q metal-K wild", ("pair", [1, 13, 12, 0])),
        ("bridge fire-3 fire-5 fire-A fire-9", ("high card", [14, 9, 5, 3, 1])),
        # A Wild: in no straight.
        ("wild fire-3 metal-4 fire-5 metal-6", ("high card", [6, 5, 4, 3, 0])),
        ("wild fire-3 fire-4 fire-5 fire-6", ("flush", [6, 5, 4, 3, 0])),
        # Three cards.
        ("bridge bridge bridge", ("three of a kind", [1])),
        ("fire-A bridge bridge", ("pair", [1, 14])),
        ("wild wild fire-2", ("high card", [2, 0, 0])),
        ("fire-3 fire-4 fire-5", ("high card", [5, 4, 3])),
    ],
)
def test_a_hand_is_what_the_page_says(text, expected):
    assert told(text) == expected


def test_suited_bridges_make_flushes_of_every_kind():
    assert told("bridge fire-3 fire-5 fire-A fire-9", 1) == ("flush", [14, 9, 5, 3, 1])
    assert told("bridge bridge fire-5 fire-A wild", 1) == ("flush", [14, 5, 1, 1, 0])
    assert told("bridge fire-3 fire-5 fire-6 fire-7", 1) == ("straight flush", [7])
    assert told("bridge bridge bridge bridge fire-Q", 1) == ("royal flush", [])
    assert told("bridge bridge bridge bridge fire-9", 1) == ("four of a kind", [1, 9])


def test_without_the_wheel_an_ace_is_only_high():
    assert told("fire-A fire-2 fire-3 fire-4 wood-5", wheel=0) == ("high card", [14, 5, 4, 3, 2])
    assert told("bridge fire-2 fire-3 fire-4 wood-A", wheel=0) == ("high card", [14, 4, 3, 2, 1])
    assert told("bridge fire-2 fire-3 fire-4 wood-5", wheel=0) == ("straight", [6])


def test_three_cards_lose_against_five_that_begin_alike():
    three, five = strength3(hand_of("fire-K metal-9 earth-4")), hand_of("wood-K water-9 metal-4 wild wild")
    assert three < strength5(five, 0, 1)
    assert three > strength5(hand_of("wood-K water-9 metal-3 earth-2 wild"), 0, 1)
