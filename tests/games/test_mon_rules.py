"""The rules of mon on tables built by hand; each test names the rule of RULES.md that it holds."""

import itertools

import numpy as np
import pytest

from sim import games, results
from sim.games.checks import NOBODY, Table, Wanderer
from sim.games.mon import cards, rules
from sim.games.mon.cards import ADVANCE, DRAW, FALL_BACK, KIND_BITS, parse_action, parse_card, set_of

SPEC = games.spec("mon")
DEFAULT_POINTS = [1] * 6 + [2] * 6 + [3] * 6


def rules_of(players=3, **changes):
    return SPEC.fill_rules(SPEC.options.model_validate(changes), players)


def table(players=3, hands=(), lines=None, seat=0, tokens=10, pile=(), discard=(), **changes):
    """A table in the middle of a game. ``lines`` is {colour: [(owner, "9", "7"), …]}, stacks from the tile outwards."""
    record = rules_of(players, **changes)
    state = np.zeros(1, rules.STATE).view(np.recarray)[0]
    state.players, state.seat = players, seat
    state.under[:] = cards.NO_CARD
    state.tokens[:players] = tokens
    for number, hand in enumerate(hands):
        state.hand[number] = set_of([parse_card(name) for name in hand])
    for name, stacks in (lines or {}).items():
        colour = cards.COLOURS.index(name)
        state.length[colour] = len(stacks)
        for place, (owner, *stack) in enumerate(stacks):
            numbers = [parse_card(f"{name}-{value}") for value in stack]
            state.top[colour][place] = int(stack[-1])
            state.owner[colour][place] = owner
            state.height[colour][place] = len(stack)
            for below, above in itertools.pairwise(numbers):
                state.under[above] = below
            state.tokens[owner] -= 1
            state.points[owner] += DEFAULT_POINTS[int(stack[-1]) - 1] + len(stack) - 1
    state.stock = set_of([parse_card(name) for name in pile])
    state.order[0] = [*(parse_card(name) for name in pile), *[cards.NO_CARD] * (cards.CARDS - len(pile))]
    state.discard = set_of([parse_card(name) for name in discard])
    return state, record


def legal(at, text):
    return bool(rules.is_legal(*at, parse_action(text)))


def play(at, text):
    assert legal(at, text)
    rules.apply(*at, parse_action(text))


def scores(state, record):
    found = np.zeros(rules.SEATS, np.int64)
    winners = int(rules.score(state, record, found))
    return found[: int(state.players)].tolist(), [seat for seat in range(6) if winners >> seat & 1]


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize(("players", "hand"), [(2, 13), (3, 10), (4, 9), (5, 8), (6, 7)])
def test_r1_hands_and_deck(players, hand):
    state = np.zeros(1, rules.STATE).view(np.recarray)[0]
    rules.deal(state, rules_of(players), players, np.uint64(1))
    held = [cards.cards_in(state.hand[seat]) for seat in range(players)]
    assert [len(each) for each in held] == [hand] * players
    everything = sorted([card for each in held for card in each] + cards.cards_in(state.stock))
    values = range(6, 19) if players == 2 else range(1, 19)
    assert everything == sorted(parse_card(f"{colour}-{value}") for colour in cards.COLOURS for value in values)
    assert int(state.seat) == 0


def test_r1_starting_tiles():
    assert rules_of(2).start.tolist() == [5, 5, 5]
    assert rules_of(3).start.tolist() == [0, 0, 0]
    assert rules_of(4, start_values={"silver": 3}).start.tolist() == [0, 3, 0]


def test_r3_1_advance_must_be_higher_than_the_highest_card():
    at = table(hands=[["gold-7", "gold-8", "gold-9"]], lines={"gold": [(1, "2"), (2, "8")]})
    assert not legal(at, "advance gold-7")
    assert not legal(at, "advance gold-8")
    assert legal(at, "advance gold-9")


def test_r3_1_starting_tile_counts():
    at = table(players=2, hands=[["gold-6"]], start_values={"gold": 6})
    assert not legal(at, "advance gold-6")
    at = table(players=2, hands=[["gold-6"]])
    assert legal(at, "advance gold-6")


def test_r2_2_a_covered_card_no_longer_counts():
    """On 0, 2, [9 under 7] an 8 may advance."""
    at = table(hands=[["gold-8"]], lines={"gold": [(1, "2"), (2, "9", "7")]})
    assert legal(at, "advance gold-8")


def test_r3_2_fall_back_lies_between_second_highest_and_highest():
    at = table(
        hands=[["gold-1", "gold-2", "gold-3", "gold-8", "gold-9", "gold-10"]], lines={"gold": [(1, "2"), (2, "9")]}
    )
    found = [
        value for value in (1, 2, 3, 8, 9, 10) if value != 2 and value != 9 and legal(at, f"fall back gold-{value}")
    ]
    assert found == [3, 8]


def test_r2_3_starting_tile_is_the_second_highest_of_one_card():
    at = table(hands=[["gold-1", "gold-4"]], lines={"gold": [(1, "5")]}, start_values={"gold": 2})
    assert not legal(at, "fall back gold-1")
    assert legal(at, "fall back gold-4")


def test_r3_3_no_fall_back_on_an_empty_line():
    assert not legal(table(hands=[["gold-4"]]), "fall back gold-4")


def test_r3_4_no_fall_back_on_an_own_token():
    at = table(hands=[["gold-4"]], lines={"gold": [(0, "9")]})
    assert not legal(at, "fall back gold-4")
    at = table(hands=[["gold-4"]], lines={"gold": [(1, "9")]})
    assert legal(at, "fall back gold-4")


def test_r3_2_token_returns_and_the_whole_stack_is_covered():
    at = table(hands=[["gold-7", "gold-1"]], lines={"gold": [(1, "2"), (2, "11", "9")]})
    play(at, "fall back gold-7")
    state = at[0]
    assert state.tokens[:3].tolist() == [9, 9, 10]
    assert (int(state.top[0][1]), int(state.owner[0][1]), int(state.height[0][1])) == (7, 0, 3)
    assert cards._stack(state, 0, 1) == ["gold-11", "gold-9", "gold-7"]
    assert state.points[:3].tolist() == [2 + 2, 1, 0]


def test_r4_2_four_cards_under_a_visible_13_are_worth_6():
    """The rule book's FAQ."""
    at = table(hands=[["gold-13"]], lines={"gold": [(1, "16", "15", "14")]}, seat=0)
    play(at, "fall back gold-13")
    assert scores(*at)[0] == [6, 0, 0]


@pytest.mark.parametrize("limit", [True, False])
def test_r2_5_token_limit(limit):
    at = table(hands=[["gold-9", "gold-4"]], lines={"gold": [(1, "5")]}, rulings={"token_limit": limit})
    at[0].tokens[0] = 0
    assert legal(at, "advance gold-9") is (not limit)
    assert legal(at, "fall back gold-4") is (not limit)
    assert legal(at, "draw gold-9")


def test_r3_5_draw_takes_one_card_fewer():
    at = table(hands=[["gold-1", "gold-2", "gold-3"]], pile=["black-5", "black-6", "black-7"])
    play(at, "draw gold-1 gold-3")
    state = at[0]
    assert cards.cards_in(state.hand[0]) == [parse_card("gold-2"), parse_card("black-5")]
    assert cards.cards_in(state.discard) == [parse_card("gold-1"), parse_card("gold-3")]
    assert int(state.seat) == 1


def test_r3_5_only_own_cards_and_at_least_one():
    at = table(hands=[["gold-1"]], pile=["black-5"])
    assert not rules.is_legal(*at, DRAW)
    assert not legal(at, "draw gold-2")
    assert not legal(at, "draw gold-1 gold-2")
    assert legal(at, "draw gold-1")


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_r3_7_the_rest_of_the_pile_first_then_the_discards():
    at = table(hands=[["gold-1", "gold-2", "gold-3", "gold-4"]], pile=["black-5"], discard=["silver-1"])
    play(at, "draw gold-1 gold-2 gold-3")
    state = at[0]
    hand = cards.cards_in(state.hand[0])
    assert parse_card("black-5") in hand and parse_card("gold-4") in hand and len(hand) == 3
    assert int(state.reshuffles) == 1 and int(state.discard) == 0
    rest = set_of([parse_card(name) for name in ("gold-1", "gold-2", "gold-3", "silver-1")])
    assert int(state.stock) | int(state.hand[0]) & rest == rest


def test_r3_7_a_pile_emptied_exactly_stays_empty():
    at = table(hands=[["gold-1", "gold-2"]], pile=["black-5"])
    play(at, "draw gold-1 gold-2")
    assert (int(at[0].stock), int(at[0].reshuffles)) == (0, 0)


def test_r4_1_after_the_first_player_is_out_the_others_have_one_turn():
    at = table(players=3, hands=[["gold-1"], ["gold-2"], ["gold-3"]])
    for value in (1, 2, 3):
        assert not rules.is_over(at[0])
        play(at, f"advance gold-{value}")
    assert rules.is_over(at[0])
    assert not legal(at, "draw gold-1")


@pytest.mark.parametrize(("tie", "winners"), [("emptied_first", [0]), ("shared", [0, 2])])
def test_r4_3_ties(tie, winners):
    at = table(
        hands=[[], [], []], lines={"gold": [(1, "2")], "silver": [(0, "9")], "black": [(2, "8")]}, rulings={"tie": tie}
    )
    assert scores(*at) == ([2, 1, 2], winners)


def test_points_tables_give_the_known_values():
    """3 and 4 are worth 1, 13 is worth 3, in every preset."""
    for name in ("default", "points_b", "points_c"):
        points = rules_of(3, points=name).points[0]
        assert [int(points[value - 1]) for value in (3, 4, 13)] == [1, 1, 3]
    assert int(rules_of(3, points="points_b").points[0][17]) == 4


def test_interventions_change_the_rules():
    assert len(cards.cards_in(rules_of(3, removed_values=[7, 9]).cards)) == 48
    at = table(hands=[["gold-4", "silver-4"]], lines={"gold": [(1, "9")], "silver": [(1, "9")]}, no_fall_back=["gold"])
    assert not legal(at, "fall back gold-4")
    assert legal(at, "fall back silver-4")


@pytest.mark.parametrize(
    "action", [-1, 3, 54 << KIND_BITS | ADVANCE, 10**9 << KIND_BITS | FALL_BACK, -(2**63), 2**63 - 1]
)
def test_nonsense_is_illegal(action):
    at = table(hands=[["gold-1", "black-18"]])
    assert not rules.is_legal(*at, action)


def test_r3_6_every_action_takes_one_card_so_the_length_is_fixed(play):
    run = play(players=(2, 3, 4, 5, 6), games_in_all=900)
    for players, hand in ((2, 13), (3, 10), (4, 9), (5, 8), (6, 7)):
        games_played = results.read_table(run, "games", players).to_pandas()
        assert (games_played.turns == players * hand).all()
        assert (games_played.decisions == players * hand).all()
        assert (games_played.rounds == hand).all()


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_cards_are_conserved_after_every_step(players):
    for deal in range(6):
        at = Table(SPEC, SPEC.options(), [NOBODY] * players, 11, deal, "per_seat" if deal % 2 else "shared")
        wanderer = Wanderer(SPEC, deal)
        while not at.over:
            for _ in at.play(wanderer.choose(at)):
                state = at.state
                found = [*cards.cards_in(state.stock), *cards.cards_in(state.discard)]
                for seat in range(players):
                    found += cards.cards_in(state.hand[seat])
                for colour in range(3):
                    for place in range(int(state.length[colour])):
                        found += [parse_card(name) for name in cards._stack(state, colour, place)]
                assert sorted(found) == cards.cards_in(at.rules.cards)


def test_r4_2_scores_below_zero_have_a_winner():
    at = table(hands=[[], [], []], lines={"gold": [(0, "9")], "silver": [(1, "9")], "black": [(2, "9")]})
    at[0].points[:3] = [-3, -1, -2]
    assert scores(*at) == ([-3, -1, -2], [1])


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_redeal_covers_the_record_of_hidden_hands():
    """What was dealt and drawn tells a hidden hand as surely as the hand itself."""
    at = Table(SPEC, SPEC.options(), [NOBODY] * 3, 5, 0)
    before = at.state.copy()
    rules.redeal(at.state, at.rules, 0, np.uint64(9))
    for other in (1, 2):
        assert int(at.state.hand[other]) != int(before.hand[other])
        assert int(at.state.dealt[other]) == int(at.state.hand[other])
    assert int(at.state.dealt[0]) == int(before.dealt[0])
