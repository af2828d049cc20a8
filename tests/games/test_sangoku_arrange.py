"""Sangoku's arrangers: always in order, the exact one against brute force, the quick one close to it; the table."""

from itertools import combinations

import numpy as np
import pytest

from sim import rng
from sim.games.sangoku.arrange import BUCKETS, REST, arrange, arrange_exactly, chance
from sim.games.sangoku.chances import CHANCES, PLAYERS, rows
from sim.games.sangoku.hands import BRIDGE, SINGLE, WILD, pack, strength3, strength5
from sim.jit import rule
from tests.conftest import COMPILED
from tests.naive import sangoku_hands as naive

DECK = np.array([*range(BRIDGE)] + [BRIDGE] * 5 + [WILD] * 4, np.int8)
EVEN, NOTHING = np.ones(3), np.zeros(13)


def deals(count, bridges=5, wilds=4, seed=1):
    """Hands of 13 cards from a deck."""
    deck = np.array([*range(BRIDGE)] + [BRIDGE] * bridges + [WILD] * wilds, np.int8)
    dice = np.random.default_rng(seed)
    return [dice.permutation(deck)[:13] for _ in range(count)]


def laid(action, cards):
    """The three hands of an arrangement, each a list of kinds."""
    return [[int(cards[i]) for i in range(13) if action >> 2 * i & 3 == realm] for realm in range(3)]


def strengths(hands, bridge_suited=0, wheel=1):
    heavens, earth, hells = (pack(np.array(hand, np.int8)) for hand in hands)
    return strength5(heavens, bridge_suited, wheel), strength5(earth, bridge_suited, wheel), strength3(hells)


def value_of(action, cards, chances, worth=EVEN, prizes=NOTHING, switches=(0, 1)):
    """What an arrangement is worth, told from the definition."""
    total = 0.0
    for realm, strength in enumerate(strengths(laid(action, cards), *switches)):
        prize = max(prizes[i] for i in range(13) if action >> 2 * i & 3 == realm)
        total += chance(chances[realm], strength) * (worth[realm] + prize)
    return total


@pytest.mark.parametrize("switches", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize(("bridges", "wilds"), [(5, 4), (0, 0), (10, 10), (10, 0)])
def test_every_arrangement_is_complete_and_in_order(bridges, wilds, switches):
    for cards in deals(150 if COMPILED else 5, bridges, wilds):
        for arranger, chances in ((arrange, CHANCES[0]), (arrange, CHANCES[3]), (arrange_exactly, CHANCES[1])):
            if arranger is arrange_exactly and not COMPILED:
                continue
            hands = laid(int(arranger(cards, chances, EVEN, NOTHING, *switches)), cards)
            assert [len(hand) for hand in hands] == [5, 5, 3]
            heavens, earth, hells = (naive.strength(map_cards(hand), *map(bool, switches)) for hand in hands)
            assert heavens >= earth > hells


def map_cards(hand):
    return [naive.card(kind) for kind in hand]


@pytest.mark.compiled
@pytest.mark.parametrize("switches", [(0, 1), (1, 0)])
def test_the_exact_arranger_finds_what_trying_everything_finds(switches):
    for number, cards in enumerate(deals(3, seed=8)):
        dice = np.random.default_rng(number)
        worth, prizes = dice.random(3), dice.random(13)
        values = {}
        for size in (3, 5):
            for places in combinations(range(13), size):
                strength = naive.strength(map_cards([int(cards[i]) for i in places]), *map(bool, switches))
                packed = pack(cards[list(places)])
                code = strength5(packed, *switches) if size == 5 else strength3(packed)
                prize = max(prizes[i] for i in places)
                values[frozenset(places)] = (
                    strength,
                    [chance(CHANCES[1, realm], code) * (worth[realm] + prize) for realm in range(3)],
                )
        best = -1.0
        everything = frozenset(range(13))
        for hells in map(frozenset, combinations(range(13), 3)):
            lowest, below = values[hells][0], values[hells][1][2]
            for heavens in map(frozenset, combinations(everything - hells, 5)):
                high, mine = values[heavens]
                middle, other = values[everything - hells - heavens]
                if high >= middle > lowest:
                    best = max(best, mine[0] + other[1] + below)
        action = int(arrange_exactly(cards, CHANCES[1], worth, prizes, *switches))
        assert value_of(action, cards, CHANCES[1], worth, prizes, switches) == pytest.approx(best, rel=1e-6)


@pytest.mark.compiled
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize(("prized", "part"), [(False, 0.98), (True, 0.96)])
def test_the_quick_arranger_loses_little(players, prized, part):
    """Without prizes, and with prizes for low cards: as if a Dragon were worth as much again as the Realm won."""
    quick = exact = 0.0
    for cards in deals(400, seed=players):
        prizes = np.array([max(0, 9 - kind % 13) / 9 if prized and kind < BRIDGE else 0.0 for kind in cards.tolist()])
        chances = CHANCES[players - 2]
        found = value_of(int(arrange(cards, chances, EVEN, prizes, 0, 1)), cards, chances, prizes=prizes)
        best = value_of(int(arrange_exactly(cards, chances, EVEN, prizes, 0, 1)), cards, chances, prizes=prizes)
        assert found <= best + 1e-9
        quick, exact = quick + found, exact + best
    assert quick > part * exact


@pytest.mark.compiled
def test_what_a_realm_is_worth_moves_cards_there():
    """Whoever wants one Realm alone lays the strongest hand there that there is, and stays in order."""
    sums = np.zeros((3, 3))
    for cards in deals(60, seed=3):
        found = []
        for realm in range(3):
            worth = np.zeros(3)
            worth[realm] = 1.0
            action = int(arrange_exactly(cards, CHANCES[2], worth, NOTHING, 0, 1))
            found.append([chance(CHANCES[2, each], s) for each, s in enumerate(strengths(laid(action, cards)))])
        sums += np.array(found)
    assert (sums.argmax(axis=0) == [0, 1, 2]).all()


def test_the_order_of_the_cards_does_not_matter():
    dice = np.random.default_rng(4)
    for cards in deals(200 if COMPILED else 10, seed=4):
        mixed = dice.permutation(cards)
        one, other = (int(arrange(each, CHANCES[1], EVEN, NOTHING, 0, 1)) for each in (cards, mixed))
        values = value_of(one, cards, CHANCES[1]), value_of(other, mixed, CHANCES[1])
        assert values[0] == pytest.approx(values[1], abs=0.02)  # of cards of one rank, another may be taken


# --- the table --------------------------------------------------------------------------------------------------------


def test_chances_rise_with_strength_and_fall_with_players():
    assert CHANCES.shape == (len(PLAYERS), 3, BUCKETS + 1)
    assert (np.diff(CHANCES, axis=2) >= 0).all()
    assert (np.diff(CHANCES, axis=0) <= 0.005).all()
    assert CHANCES.min() >= 0 and CHANCES.max() == 1
    names = [name for _, name in rows()]
    assert len(set(names)) == len(names) and {"high card A K", "pair bridge", "straight 5", "royal flush"} <= set(names)
    assert [bucket for bucket, _ in rows()] == sorted(bucket for bucket, _ in rows())


def test_chances_between_rows_lie_between():
    line = np.linspace(0, 1, BUCKETS + 1)
    for strength in (0, 5, REST - 1, REST, 12_345_678):
        assert chance(line, strength) == pytest.approx(strength / (REST * BUCKETS))


@rule
def count_wins(deck, players, chances, worth, prizes, won, expected):
    """Deal, let everybody arrange by the table, and count who is not beaten in each Realm, and what was expected."""
    found = np.empty((players, 3), np.int64)
    for number in range(5000):
        rng.shuffle(deck, len(deck), rng.word(np.uint64(99), number))
        for seat in range(players):
            cards = deck[13 * seat : 13 * seat + 13]
            action = arrange(cards, chances, worth, prizes, 0, 1)
            hands = np.zeros(3, np.int64)
            for card in range(13):
                hands[action >> 2 * card & 3] += SINGLE[cards[card]]
            found[seat, 0], found[seat, 1] = strength5(hands[0], 0, 1), strength5(hands[1], 0, 1)
            found[seat, 2] = strength3(hands[2])
        for realm in range(3):
            for seat in range(players):
                won[realm] += found[seat, realm] == found[:, realm].max()
                expected[realm] += chance(chances[realm], found[seat, realm])


@pytest.mark.compiled
@pytest.mark.parametrize("players", PLAYERS)
def test_the_table_foretells_what_happens(players):
    won, expected = np.zeros(3), np.zeros(3)
    count_wins(DECK.copy(), players, CHANCES[players - 2], EVEN, NOTHING, won, expected)
    assert won == pytest.approx(expected, rel=0.03)
