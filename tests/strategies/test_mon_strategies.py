"""The strategies of mon: legal whatever the config, true to their idea, and ranked as a designer would expect."""

from collections import Counter

import numpy as np
import pytest

from sim import games
from sim.engine import play
from sim.games.checks import check_strategy
from sim.games.mon import rules
from sim.games.mon.cards import ADVANCE, DRAW, FALL_BACK, KIND_BITS, action_text, card_name
from tests.conftest import COMPILED, entries_of
from tests.games.test_mon_rules import table
from tests.strategies.players import Players

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # the generator's products, in plain Python

SPEC = games.spec("mon")
NAMES = ("random", "greedy", "builder", "sniper", "guarded")
PLAYERS = Players("mon")
FOUND, compiled, values_of = PLAYERS.found, PLAYERS.compiled, PLAYERS.values_of
new_game = PLAYERS.new_game
KNOBS = PLAYERS.knobs

ODD_CONFIGS = {
    "default": {},
    "no tokens": {"tokens": 0},
    "one token": {"tokens": 1},
    "tokens without end": {"tokens": 0, "rulings": {"token_limit": False}},
    "no falling back": {"no_fall_back": ["gold", "silver", "black"]},
    "falling back on one colour": {"no_fall_back": ["gold", "black"]},
    "removed values": {"removed_values": [1, 7, 13, 18]},
    "hands of one": {"hand_sizes": {str(players): 1 for players in range(2, 7)}},
    "nearly all cards dealt": {"hand_sizes": {"2": 19, "3": 18, "4": 13, "5": 10, "6": 9}},
    "nothing scores": {"points": [0] * 18},
    "everything costs": {"points": [-100] * 18},
    "wild points": {"points": [100, -100, 7] * 6},
    "lines closed from the start": {"start_values": {"gold": 18, "silver": 18, "black": 17}},
}


def options_of(config: str):
    return SPEC.options.model_validate(ODD_CONFIGS[config])


def choice(at, name: str, **changes: float) -> str:
    """What a strategy plays on a table, in words."""
    return action_text(int(compiled(name)(*at, values_of(name, **changes))))


# --- all of them ------------------------------------------------------------------------------------------------------


def test_the_five_of_the_rules_page_are_there():
    assert set(FOUND) == set(NAMES)


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("config", ODD_CONFIGS)
def test_every_choice_is_legal(config, players):
    """Against a random player in every other seat, so that all sorts of tables come up."""
    options = options_of(config)
    for number, name in enumerate(NAMES):
        for deal in range(3 if COMPILED else 1):
            state, record = new_game(options, players, deal, own_orders=deal == 1)
            while not rules.is_over(state):
                who = name if (int(state.seat) + number + deal) % 2 == 0 else "random"
                action = int(compiled(who)(state, record, values_of(who)))
                assert rules.is_legal(state, record, action), f"{who}: {action_text(action)}"
                rules.apply(state, record, action)


@pytest.mark.parametrize("config", ["one token", "falling back on one colour", "nearly all cards dealt", "wild points"])
@pytest.mark.parametrize("name", NAMES)
def test_nobody_peeks_or_changes_anything_whatever_the_config(name, config):
    check_strategy(SPEC, options_of(config), entries_of("mon", name)[0])


@pytest.mark.parametrize(("name", "knob"), KNOBS)
def test_every_knob_moves_some_choice(name, knob):
    usual = FOUND[name].params[knob]
    moved = set()
    for deal in range(25):
        state, record = new_game(SPEC.options(), 3, deal)
        while not rules.is_over(state):
            action = int(compiled(name)(state, record, values_of(name)))
            for other in (0.0, usual * 4):
                if int(compiled(name)(state, record, values_of(name, **{knob: other}))) != action:
                    moved.add(other)
            rules.apply(state, record, action)
    assert moved == {0.0, usual * 4}


@pytest.mark.parametrize("name", [name for name in NAMES if FOUND[name].params])
@pytest.mark.parametrize("value", [-1.0, 0.0, 1e9, float("inf"), float("nan")])
def test_no_parameter_leads_to_an_illegal_action(name, value):
    for knob in FOUND[name].params:
        values = values_of(name, **{knob: value})
        for deal in range(2):
            state, record = new_game(SPEC.options(), 3, deal)
            with np.errstate(all="ignore"):
                while not rules.is_over(state):
                    action = int(compiled(name)(state, record, values))
                    assert rules.is_legal(state, record, action)
                    rules.apply(state, record, action)


# --- random -----------------------------------------------------------------------------------------------------------

ROLLS = 20_000


def rolls(at) -> list[int]:
    """What the random player does on one table with its dice of many decisions."""
    state, record = at
    state.policy[0] = 12345
    found = []
    for decision in range(ROLLS):
        state.decision = decision
        found.append(int(compiled("random")(state, record, values_of("random"))))
    return found


def assert_uniform(counts: Counter, size: int) -> None:
    """Chi-square, with a bound that chance exceeds less than once in 10,000 times; the seed is fixed."""
    assert len(counts) == size
    expected = counts.total() / size
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    free = size - 1
    # Wilson and Hilferty's cube-root approximation, 3.72 standard deviations up.
    assert chi_square < free * (1 - 2 / (9 * free) + 3.72 * (2 / (9 * free)) ** 0.5) ** 3


def test_random_is_the_reference_player_of_the_rules_page():
    hand = ["gold-3", "gold-4", "gold-12", "silver-2", "black-1"]
    actions = rolls(table(hands=[hand], lines={"gold": [(1, "10")]}))
    assert_uniform(Counter(action & 3 for action in actions), 3)
    cards = {
        kind: Counter(card_name(action >> KIND_BITS) for action in actions if action & 3 == kind)
        for kind in (ADVANCE, FALL_BACK)
    }
    assert set(cards[ADVANCE]) == {"gold-12", "silver-2", "black-1"}
    assert set(cards[FALL_BACK]) == {"gold-3", "gold-4"}
    assert_uniform(cards[ADVANCE], 3)
    assert_uniform(cards[FALL_BACK], 2)
    assert_uniform(Counter(action >> KIND_BITS for action in actions if action & 3 == DRAW), 2**5 - 1)


def test_random_chooses_among_the_kinds_that_are_possible():
    advance = rolls(table(hands=[["gold-3", "silver-2"]]))
    assert_uniform(Counter(action & 3 for action in advance), 2)
    assert {action & 3 for action in advance} == {ADVANCE, DRAW}
    cover = rolls(table(hands=[["gold-3", "gold-5"]], lines={"gold": [(1, "10")]}))
    assert_uniform(Counter(action & 3 for action in cover), 2)
    assert {action & 3 for action in cover} == {FALL_BACK, DRAW}
    assert {action & 3 for action in rolls(table(hands=[["gold-3"]], lines={"gold": [(0, "10")]}))} == {DRAW}


# --- greedy -----------------------------------------------------------------------------------------------------------


def test_greedy_takes_the_most_points():
    assert choice(table(hands=[["gold-5", "silver-9", "black-14"]]), "greedy") == "advance black-14"


def test_greedy_gives_a_tie_to_the_lowest_value():
    assert choice(table(hands=[["gold-18", "silver-15", "black-13", "black-17"]]), "greedy") == "advance black-13"
    at = table(hands=[["gold-14", "silver-9"]], lines={"silver": [(1, "10")], "black": [(2, "18")]})
    assert choice(at, "greedy") == "fall back silver-9"  # 2 points and 1, as the 14's 3


def test_greedy_counts_what_the_leader_loses_down_to_the_second():
    hand = ["gold-5", "silver-13"]  # covering: 1 point and 1 for the card beneath; the advance: 3
    assert choice(table(hands=[hand], lines={"gold": [(1, "6")], "black": [(2, "1")]}), "greedy") == "advance silver-13"
    at = table(hands=[hand], lines={"gold": [(1, "14")], "black": [(2, "1")]})
    assert choice(at, "greedy") == "fall back gold-5"
    at = table(hands=[hand], lines={"gold": [(1, "14")], "black": [(2, "1"), (2, "2"), (2, "3")]})
    assert choice(at, "greedy") == "advance silver-13"


def test_greedy_changes_its_whole_hand_when_nothing_is_to_be_gained():
    at = table(hands=[["gold-2", "gold-3", "silver-4"]], lines={"gold": [(1, "8"), (1, "9")], "silver": [(0, "10")]})
    assert choice(at, "greedy") == "draw gold-2 gold-3 silver-4"
    assert choice(table(hands=[["gold-2"]], points=[0] * 18), "greedy") == "draw gold-2"


# --- builder ----------------------------------------------------------------------------------------------------------


def test_builder_takes_the_shortest_step():
    at = table(hands=[["gold-9", "silver-5", "silver-18"]], lines={"gold": [(1, "8")], "silver": [(1, "3")]})
    assert choice(at, "builder") == "advance gold-9"
    at = table(hands=[["gold-11", "silver-9"]], lines={"gold": [(1, "9")], "silver": [(1, "8"), (2, "13")]})
    assert choice(at, "builder") == "fall back silver-9"


def test_builder_takes_the_most_points_among_equal_steps():
    at = table(hands=[["gold-5", "silver-14"]], lines={"gold": [(1, "4")], "silver": [(1, "13")]})
    assert choice(at, "builder") == "advance silver-14"


def test_builder_leaves_a_step_that_scores_nothing():
    points = [0, 0, 0, 1] + [1] * 14
    assert choice(table(hands=[["gold-1", "silver-6"]], points=points), "builder") == "advance silver-6"


def test_builder_throws_dead_cards_away_before_a_long_step():
    at = table(hands=[["gold-2", "gold-3", "gold-12"]], lines={"gold": [(1, "8"), (2, "9")]})
    assert choice(at, "builder") == "draw gold-2 gold-3"
    assert choice(at, "builder", stride=3) == "advance gold-12"
    at = table(hands=[["gold-12"]], lines={"gold": [(1, "8"), (2, "9")]})
    assert choice(at, "builder") == "advance gold-12"


# --- sniper -----------------------------------------------------------------------------------------------------------


def test_sniper_covers_although_an_advance_earns_more():
    at = table(hands=[["gold-2", "silver-18"]], lines={"gold": [(1, "3")]})
    assert choice(at, "sniper") == "fall back gold-2"


def test_sniper_aims_at_the_leader():
    lines = {"gold": [(1, "9")], "silver": [(2, "9")], "black": [(2, "13")]}
    assert choice(table(hands=[["gold-5", "silver-5"]], lines=lines), "sniper") == "fall back silver-5"
    lines["black"] = [(1, "13")]
    assert choice(table(hands=[["gold-5", "silver-5"]], lines=lines), "sniper") == "fall back gold-5"
    lines = {"gold": [(1, "9"), (1, "13")], "silver": [(2, "13")]}
    at = table(hands=[["gold-12", "silver-1"]], lines=lines)
    assert choice(at, "sniper") == "fall back gold-12"
    assert choice(at, "sniper", grudge=0) == "fall back silver-1"


def test_sniper_leaves_little_room_when_it_covers():
    at = table(hands=[["gold-6", "gold-12"]], lines={"gold": [(1, "4"), (1, "15")]})
    assert choice(at, "sniper") == "fall back gold-6"
    assert choice(at, "sniper", caution=0) == "fall back gold-12"


def test_sniper_without_a_target_advances_like_greedy_but_in_short_steps():
    at = table(hands=[["gold-15", "silver-18", "black-3"]], lines={"silver": [(0, "17")]})
    assert choice(at, "sniper") == "advance silver-18"


# --- guarded ----------------------------------------------------------------------------------------------------------

OTHERS = [f"black-{value}" for value in range(1, 9)], [f"black-{value}" for value in range(9, 17)]


def test_guarded_prefers_the_token_that_cannot_be_covered():
    """Two advances for 2 points; a card of an opponent fits under the silver one only."""
    lines = {"gold": [(1, "8")], "silver": [(2, "8")]}
    at = table(hands=[["gold-9", "silver-11"], *OTHERS], lines=lines, pile=["silver-9", "silver-10"])
    assert choice(at, "guarded") == "advance gold-9"


@pytest.mark.parametrize(("seen", "safe"), [("gold", "gold"), ("silver", "silver")])
def test_guarded_counts_the_cards_seen_so_far(seen, safe):
    """Both leave room for a 9 and a 10; of one colour these lie in the discard pile."""
    unseen = "silver" if seen == "gold" else "gold"
    at = table(
        hands=[["gold-11", "silver-11"], *OTHERS],
        lines={"gold": [(1, "8")], "silver": [(2, "8")]},
        pile=[f"{unseen}-9", f"{unseen}-10"],
        discard=[f"{seen}-9", f"{seen}-10"],
    )
    assert choice(at, "guarded") == f"advance {safe}-11"


def test_guarded_fears_nothing_where_nobody_may_cover():
    pile = [f"gold-{value}" for value in range(1, 13)]
    at = table(hands=[["gold-13", "silver-1"], *OTHERS], pile=pile)
    assert choice(at, "guarded") == "advance silver-1"
    at = table(hands=[["gold-13", "silver-1"], *OTHERS], pile=pile, no_fall_back=["gold"])
    assert choice(at, "guarded") == "advance gold-13"


def test_guarded_does_not_close_a_line_to_its_own_cards():
    at = table(hands=[["gold-12", "gold-13"], *OTHERS], lines={"gold": [(0, "11")]})
    assert choice(at, "guarded") == "advance gold-12"
    assert choice(at, "guarded", hold=0) == "advance gold-13"


def test_guarded_robs_the_richer_stack_where_a_rivals_points_count():
    lines = {"gold": [(1, "3", "2")], "silver": [(2, "9")]}  # worth 2 each; both covered by a 1 …
    at = table(hands=[["gold-1", "silver-1"], *OTHERS], lines=lines)
    assert choice(at, "guarded") == "fall back gold-1"  # … which then lies on two cards instead of one
    lines = {"gold": [(1, "9")], "silver": [(2, "13")]}
    at = table(hands=[["gold-1", "silver-1"], *OTHERS], lines=lines)
    assert choice(at, "guarded") == "fall back silver-1"
    assert choice(at, "guarded", rivalry=0) == "fall back gold-1"  # a tie then: the first colour


def test_guarded_throws_away_what_counts_less_than_an_unseen_card():
    lines = {"gold": [(1, "16"), (2, "17")]}
    hand = ["gold-1", "gold-2", "gold-3", "gold-4", "silver-1"]
    others = [f"black-{value}" for value in range(1, 9)], [f"silver-{value}" for value in range(2, 10)]
    assert choice(table(hands=[hand, *others], lines=lines), "guarded") == "draw gold-1 gold-2 gold-3 gold-4"


# --- who is stronger --------------------------------------------------------------------------------------------------


def shares(names: tuple[str, ...], players: int, blocks: int, members: np.ndarray | None = None) -> dict[str, float]:
    """Win share of each strategy at a table: mixed ones, unless the line-up is given."""
    if members is None:
        members = play.mixed_tables(4, 0, blocks, players, len(names))
    rows, _, fault = play.kernel(SPEC).play(
        entries_of("mon", *names),
        play.rules_of([SPEC.fill_rules(SPEC.options(), players)]),
        seed=4,
        games=play.seatings(SPEC, 0, members, players),
    )
    assert fault.status == play.OK
    who, share = rows.strategy[:, :players], rows.share[:, :players] / 60
    return {name: float(share[who == number].mean()) for number, name in enumerate(names)}


@pytest.mark.compiled
@pytest.mark.parametrize("players", range(2, 7))
def test_random_comes_last_by_far_and_guarded_first_in_the_mixed_table(players):
    """With 3,000 deals a share's standard error is below 0.7 percentage points."""
    found = shares(NAMES, players, 3000)
    order = sorted(found, key=found.__getitem__)
    assert order[0] == "random"
    assert found["random"] < found[order[1]] / 2
    assert order[-1] == "guarded"
    assert found["guarded"] > found[order[-2]] + 0.02


@pytest.mark.compiled
@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("name", NAMES[1:])
def test_everybody_beats_random(name, players):
    """One among random players wins at least twice its part; one random player among them at most half of its own."""
    one_of_a = np.ones((1000, players), np.int16)
    one_of_a[:, 0] = 0
    assert shares((name, "random"), players, 1000, one_of_a)[name] > min(2 / players, 0.85)
    assert shares(("random", name), players, 1000, one_of_a)["random"] < 0.5 / players


@pytest.mark.compiled
@pytest.mark.parametrize("players", range(2, 7))
def test_guarded_beats_random_by_a_wide_margin(players):
    one_of_a = np.ones((1000, players), np.int16)
    one_of_a[:, 0] = 0
    assert shares(("guarded", "random"), players, 1000, one_of_a)["guarded"] > 0.65
    assert shares(("random", "guarded"), players, 1000, one_of_a)["random"] < 0.02
