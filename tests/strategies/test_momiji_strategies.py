"""The strategies of Momiji: legal whatever the config, true to their idea, and ranked as a designer would expect."""

from pathlib import Path

import numpy as np
import pytest

from sim import games, rng
from sim.engine import runner
from sim.engine.plan import make_plan
from sim.games.checks import check_strategy
from sim.games.momiji import cards, rules
from sim.games.momiji.cards import action_text
from tests.conftest import COMPILED, entries_of
from tests.games.test_momiji_rules import SWITCHES, table
from tests.games.test_momiji_rules import play as play_on
from tests.strategies.players import Players

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # products that wrap around, in plain Python

SPEC = games.spec("momiji")
NAMES = ("random", "greedy", "closer", "gardener", "acorn_engine")
PLAYERS = Players("momiji")
FOUND, compiled, values_of = PLAYERS.found, PLAYERS.compiled, PLAYERS.values_of
new_game = PLAYERS.new_game
KNOBS = PLAYERS.knobs
HARD = ("draft", "when empty", "either end", "long games", "big hands")
DEEP = "a1 b1 c1 d1 a1 b1 c1 d1"
ALL_TILES = {"landscapes": {"assign": "random"}}


def choice(at, name, **changes):
    """What a strategy plays on a table, in words."""
    return action_text(int(compiled(name)(*at, values_of(name, **changes))))


# --- all of them ------------------------------------------------------------------------------------------------------


def test_the_five_of_the_rules_page_are_there():
    assert set(FOUND) == set(NAMES)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("config", SWITCHES)
def test_every_choice_is_legal(config, players):
    """Against a random player in every other seat, so that all sorts of tables come up."""
    options = SPEC.options.model_validate(SWITCHES[config])
    for number, name in enumerate(NAMES):
        for deal in range(8 if COMPILED else 1):
            state, record = new_game(options, players, deal)
            while not rules.is_over(state):
                who = name if (int(state.seat) + number + deal) % 2 == 0 else "random"
                action = int(compiled(who)(state, record, values_of(who)))
                assert rules.is_legal(state, record, action), f"{who}: {action_text(action)}"
                rules.apply(state, record, action)


def changed_rules(options, players):
    """The rules of a config with each intervention in turn, on seat 0."""
    for each in SPEC.interventions:
        for item in range(0, len(each.items), 5):
            record = SPEC.fill_rules(options, players, False)
            each.change(record, item, 0)
            yield record


def test_every_choice_is_legal_with_every_intervention():
    options = SPEC.options.model_validate(ALL_TILES)
    for number, record in enumerate(changed_rules(options, 3)):
        name = NAMES[number % len(NAMES)]
        state = new_game(options, 3, number)[0]
        rules.deal(state, record, 3, np.uint64(rng.game_key(np.uint64(11), number)))
        while not rules.is_over(state):
            action = int(compiled(name)(state, record, values_of(name)))
            assert rules.is_legal(state, record, action), f"{name}: {action_text(action)}"
            rules.apply(state, record, action)


@pytest.mark.parametrize("config", HARD)
@pytest.mark.parametrize("name", NAMES)
def test_nobody_peeks_or_changes_anything_whatever_the_config(name, config):
    check_strategy(SPEC, SPEC.options.model_validate(SWITCHES[config]), entries_of("momiji", name)[0])


@pytest.mark.parametrize(("name", "knob"), KNOBS)
def test_every_knob_moves_some_choice(name, knob):
    others = {0.0} if knob in FOUND[name].blind else {0.0, FOUND[name].params[knob] * 4}
    moved = set()
    for deal in range(25 if COMPILED else 8):
        state, record = new_game(SPEC.options.model_validate(ALL_TILES), 3, deal)
        while not rules.is_over(state):
            action = int(compiled(name)(state, record, values_of(name)))
            for other in others:
                if int(compiled(name)(state, record, values_of(name, **{knob: other}))) != action:
                    moved.add(other)
            rules.apply(state, record, action)
    assert moved == others


@pytest.mark.parametrize("name", [name for name in NAMES if FOUND[name].params])
@pytest.mark.parametrize("value", [-1.0, 0.0, 999.0, 1e9, float("inf"), float("nan")])
def test_no_parameter_leads_to_an_illegal_action(name, value):
    for knob in FOUND[name].params:
        values = values_of(name, **{knob: value})
        for deal in range(2):
            state, record = new_game(SPEC.options.model_validate(ALL_TILES), 3, deal)
            while not rules.is_over(state):
                action = int(compiled(name)(state, record, values))
                assert rules.is_legal(state, record, action)
                rules.apply(state, record, action)


# --- random -----------------------------------------------------------------------------------------------------------


def test_random_takes_each_kind_of_main_action_alike():
    at = table(["a0"], ["a0"], display="b2 b1 c2", aims=["type:a", "value:0"])
    collected = {"reveal": 1 / 6, "collect b": 1 / 12, "collect c": 1 / 12}
    activated = {"activate type:a": 1 / 6, "activate value:0": 1 / 6}
    PLAYERS.assert_rolls(at, {**collected, **activated, "lay a:0:LR": 1 / 3})
    at[0].acorns[0] = 0
    PLAYERS.assert_rolls(at, {"collect b": 1 / 4, "collect c": 1 / 4, "lay a:0:LR": 1 / 2})


def test_random_takes_any_type_after_a_reveal():
    at = table(display="b2 b1", deck="c2 c1 d1 d1 d1")
    play_on(at, "reveal")
    PLAYERS.assert_rolls(at, {"collect b": 1 / 3, "collect c": 1 / 3, "collect d": 1 / 3})


def test_random_lays_one_type_or_different_types_and_counts_equal_leaves_singly():
    at = table([], ["a0 a0 a1 b0"], display="d2", acorns=0)
    one = {"a:0:LR": 1 / 4, "a:0:LR a:0:LR": 1 / 8, "a:0:LR a:1:L": 1 / 8, "b:0:LR": 1 / 2}
    lays = {f"lay {leaves}": chance / 4 for leaves, chance in one.items()}
    PLAYERS.assert_rolls(at, {"collect d": 1 / 2, **lays, "lay a:0:LR b:0:LR": 1 / 4})
    at = table(["a0"], ["a0 a0 a1 a1R"], display="d2", acorns=0)
    found = {"a:0:LR": 1 / 4, "a:1:L": 1 / 8, "a:1:R": 1 / 8}
    found |= {"a:0:LR a:0:LR": 1 / 12, "a:0:LR a:1:L": 1 / 12, "a:0:LR a:1:R": 1 / 12}
    found |= {"a:1:L a:1:R": 1 / 8, "a:1:R a:1:L": 1 / 8}
    PLAYERS.assert_rolls(at, {"collect d": 1 / 2, **{f"lay {leaves}": chance / 2 for leaves, chance in found.items()}})


def test_random_lays_one_leaf_after_all_where_the_first_bars_the_second():
    at = table(["a0 a1"], ["a1 a2"], display="d2", acorns=0)
    lays = {"lay a:1:L": 1 / 8, "lay a:2:-": 1 / 8 + 1 / 8, "lay a:1:L a:2:-": 1 / 8}
    PLAYERS.assert_rolls(at, {"collect d": 1 / 2, **lays})


def test_random_takes_any_set_of_types():
    at = table([], ["a0 b0 c0"], display="d2", acorns=0)
    one = {f"lay {kind}:0:LR": 1 / 12 for kind in "abc"}
    sets = {f"lay {' '.join(f'{kind}:0:LR' for kind in kinds)}": 1 / 16 for kinds in ("ab", "ac", "bc", "abc")}
    PLAYERS.assert_rolls(at, {"collect d": 1 / 2, **one, **sets})


def test_random_discards_any_leaves_above_the_limit():
    at = table(hands=["a0 a0 b1"], display="c2", deck=DEEP, hand_limit=3)
    play_on(at, "collect c", "end turn")
    PLAYERS.assert_rolls(at, {"trim 0": 1 / 2, "trim 2": 1 / 4, "trim 3": 1 / 4})
    at = table(hands=["a0 a0 b1"], display="c2", deck=DEEP, hand_limit=2)
    play_on(at, "collect c", "end turn")
    PLAYERS.assert_rolls(at, {"trim 0 1": 1 / 6, "trim 0 2": 1 / 3, "trim 0 3": 1 / 3, "trim 2 3": 1 / 6})


def test_random_never_takes_a_side_action():
    at = table(hands=["a2 a2 b1"], display="c2", deck=DEEP, tiles=["two_from_deck", "leap"], acorns=2)
    PLAYERS.assert_rolls(at, {"reveal": 1 / 2, "collect c": 1 / 2})
    play_on(at, "collect c")
    PLAYERS.assert_rolls(at, {"end turn": 1})


# --- greedy -----------------------------------------------------------------------------------------------------------


def test_greedy_takes_the_lay_that_brings_most_now():
    at = table(["a0 a1 | b0 b0 b0"], ["a2 b1"], display="d3", acorns=0)
    # 2 × 3 − 1 × 2 and 1 × 4 − 0: both at once.
    assert choice(at, "greedy") == "lay a:2:- b:1:L"
    at = table(["a0 a1"], ["a2 a3"], display="d3", acorns=0)
    assert choice(at, "greedy") == "lay a:2:- a:3:-"


def test_greedy_keeps_acorns_that_face_each_other():
    """A 1 on the right pile turns the facing corner away; another leaf keeps both acorns."""
    at = table(["a0 | b0"], ["c0 b1L b1R d0"], display="d3", acorns=0, hand_limit=16)
    assert choice(at, "greedy").split()[1:] in (["b:1:L", "c:0:LR", "d:0:LR"], ["b:1:R", "c:0:LR", "d:0:LR"])
    at = table(["a0 | b0"], ["a1L b1L"], display="d3", acorns=0, players=3)
    assert choice(at, "greedy") == "lay a:1:L b:1:L"  # two points against none: no pair left either way


def test_greedy_leaves_a_leaf_out_where_its_acorns_are_worth_more():
    at = table(["a0 | b0 | c0"], ["b1L c0 a0"], display="d3", acorns=0)
    assert choice(at, "greedy") == "lay a:0:LR b:1:L c:0:LR"  # 2 points and half an acorn less than the third pair
    at = table(["a0 | b0 | c0"], ["b1L c0 a0"], display="d3", acorns=0, gains={"pair": 9})
    assert choice(at, "greedy") == "lay a:0:LR c:0:LR"


def test_greedy_activates_where_it_is_best():
    at = table(["a0 a0 a0", "b0 b0"], aims=["type:a", "type:b"], display="d3", players=2)
    assert choice(at, "greedy") == "activate type:a"
    assert choice(at, "greedy", trust=0) != "activate type:a"
    at = table(["a0", "b0 b0"], aims=["type:b"], display="d3")
    assert not choice(at, "greedy").startswith("activate")


@pytest.mark.parametrize("name", NAMES[1:])
def test_who_does_not_watch_takes_objectives_at_which_others_are_better(name):
    at = table(["a0", "a0 a0"], ["d3"], aims=["type:a"], display="d3")
    assert not choice(at, name).startswith("activate")
    assert choice(at, name, watch=0) == "activate type:a"
    at = table(["b0", "a0 a0"], ["d3"], aims=["type:a"], display="d3")
    assert not choice(at, name, watch=0).startswith("activate")  # it has nothing there itself


def test_greedy_uses_the_patron_where_that_is_cheaper():
    at = table(["a0 a0 a0"], aims=["type:a"], display="d3", tiles=["patron"])
    assert choice(at, "greedy") == "landscape patron"
    play_on(at, "landscape patron")
    assert choice(at, "greedy") == "activate type:a"
    at = table(["a0 a0 a0"], aims=["type:a"], display="d3", tiles=["patron"], costs={"patron": 2})
    assert choice(at, "greedy") == "activate type:a"


def test_greedy_turns_dead_leaves_into_acorns():
    at = table(["a0 a1 a2"], ["a0 a1 b3"], display="d3")
    assert choice(at, "greedy") == "discard a:0:LR a:1:L"
    at = table(["a0 a1 a2"], ["a0 b3"], display="d3")
    assert not choice(at, "greedy").startswith("discard")


def test_greedy_collects_what_it_can_use():
    at = table(["a0 a1 a2"], [""], display="a0 a0 a1 b0 c3")
    assert choice(at, "greedy") == "collect b"
    at = table(["a0 a1 a2"], [""], display="a0 a1", acorns=3)
    assert choice(at, "greedy") == "reveal"
    at = table(["a0 a1 a2"], [""], display="a0 a1", acorns=0)
    assert choice(at, "greedy") == "collect a"


def test_greedy_uses_landscapes_that_pay():
    at = table(["a0"], ["a1 a2 a3"], display="d3", tiles=["third_card"])
    assert choice(at, "greedy") == "landscape third_card"
    play_on(at, "landscape third_card")
    assert choice(at, "greedy") == "lay a:1:L a:2:- a:3:-"
    at = table([], [""], display="a0 a0 b0 b0", tiles=["second_type"])
    assert choice(at, "greedy") == "landscape second_type"
    play_on(at, "landscape second_type")
    assert choice(at, "greedy") == "collect a b"


def test_greedy_leaps_with_long_piles():
    at = table(["a0 a0 a0 a0 a1"], ["a3"], display="d3", tiles=["leap"])
    assert choice(at, "greedy") == "landscape leap"
    play_on(at, "landscape leap")
    assert choice(at, "greedy") == "lay a:3:-"
    at = table(["a0 a0 a0 a0 a1"], ["a3 a2"], display="d3", tiles=["leap"])
    assert choice(at, "greedy") == "lay a:2:- a:3:-"  # the same height with a leaf more
    at = table(["a0 a1"], ["a3"], display="d3", tiles=["leap"])
    assert choice(at, "greedy") == "reveal"


def test_greedy_leaps_within_a_lay_and_once():
    at = table(["a0 a0 a0 a0 a0"], ["a2 a3"], display="d3", tiles=["leap"])
    play_on(at, "landscape leap")
    assert choice(at, "greedy") == "lay a:2:- a:3:-"
    at = table(["a0 a0 a0 a0 a0"], ["a1 a3"], display="d3", tiles=["leap"])
    play_on(at, "landscape leap")
    assert choice(at, "greedy") == "lay a:1:L a:3:-"
    at = table(["a0 a0 a0 a0 a0 | b0 b0 b0 b0 b0 b0 | c0"], ["a2 b2 c0"], display="d3", tiles=["leap"])
    play_on(at, "landscape leap")
    assert choice(at, "greedy") == "lay b:2:- c:0:LR"


def test_greedy_swaps_piles_where_more_acorns_face_each_other():
    at = table(["a0 | b1L | c0"], ["a0 c0"], display="d3", tiles=["swap"])
    assert choice(at, "greedy") == "landscape swap"
    play_on(at, "landscape swap")
    assert choice(at, "greedy") == "lay a:0:LR c:0:LR swap 1"
    at = table(["a0 | b0 | c1L"], ["a0 b0"], display="d3", tiles=["swap"])
    assert choice(at, "greedy") == "lay a:0:LR b:0:LR"
    at = table(["a0 | b1L | c0"], ["a0 c0"], display="d3", tiles=["swap"], costs={"landscape": 2})
    assert choice(at, "greedy") == "lay a:0:LR c:0:LR"


def test_greedy_trims_what_it_needs_least():
    at = table(["a0 a1 a2"], ["a0 a2 a3 b0 b0 b1 c0 c3"], display="d0", deck=DEEP, hand_limit=7)
    play_on(at, "collect d", "end turn")
    assert choice(at, "greedy") == "trim 0 7"


# --- the others -------------------------------------------------------------------------------------------------------


def test_closer_closes_where_greedy_looks_at_the_points():
    at = table(["a0 a2 | b0 b1 b1 b1 b1"], ["a3 b1 b2 b2"], display="d3", acorns=0)
    at[1].may[0, cards.NO_MIXING] = 0
    assert choice(at, "greedy").startswith("lay b")
    assert choice(at, "closer", torii=20) == "lay a:3:-"


def test_gardener_lengthens_before_it_raises():
    at = table(["a0"], ["a0 a0 a0 a1"], display="d3", acorns=0)
    assert choice(at, "greedy") == "lay a:0:LR a:1:L"
    assert choice(at, "gardener") == "lay a:0:LR a:0:LR"
    assert choice(at, "gardener", care=0) == "lay a:0:LR a:1:L"


def test_acorn_engine_leaves_its_0s_in_sight():
    at = table(["a0 | b0 | c0"], ["b1L c0 a0"], display="d3", acorns=0)
    assert choice(at, "greedy") == "lay a:0:LR b:1:L c:0:LR"
    assert choice(at, "acorn_engine", acorn=3) == "lay a:0:LR c:0:LR"


# --- who wins ---------------------------------------------------------------------------------------------------------


def played(names, lineups, games_in_all, **options):
    """Play in memory: for each line-up its players, members and rows."""
    entries = entries_of("momiji", *names)
    plan = make_plan(seed=3, draws="shared", games=games_in_all, players=(2, 3, 4), lineups=lineups, entries=entries)
    job = runner.Job("momiji", SPEC.options.model_validate(options), plan, Path())
    for shard in plan.shards(games_in_all):
        rows, _, pieces = runner.play_pieces(job, shard)
        for piece, part in pieces:
            yield shard.players, piece.cell.lineup.members, rows[part]


def wins(rows, players, strategy):
    """Win share of a strategy, with 1 for an even share."""
    held = rows.strategy[:, :players] == strategy
    return players * rows.share[:, :players][held].mean() / 60


@pytest.mark.compiled
def test_at_mixed_tables_random_comes_last_by_far_and_every_plan_beats_greedy():
    for players, _, rows in played(NAMES, ["field"], 12_000):
        found = {each: wins(rows, players, number) for number, each in enumerate(NAMES)}
        assert found["random"] < 0.35, found
        assert sorted(found, key=found.get)[:2] == ["random", "greedy"], found
        assert max(found.values()) < 1.7, found


@pytest.mark.compiled
@pytest.mark.parametrize("best", ["greedy", "closer", "gardener", "acorn_engine"])
def test_whoever_thinks_beats_random_by_far(best):
    for players, members, rows in played((best, "random"), ["one_vs_rest"], 4_000):
        if members[0] == 0:
            assert wins(rows, players, 0) > 0.9 * players  # alone among random players
        else:
            assert wins(rows, players, 1) < 0.2  # random alone among thinkers


@pytest.mark.compiled
def test_closers_end_games_sooner_than_gardeners():
    turns = {}
    for players, members, rows in played(("closer", "gardener"), ["mirror"], 3_000):
        turns[players, members[0]] = rows.turns.mean()
    assert all(turns[players, 0] < turns[players, 1] for players in (2, 3, 4))
