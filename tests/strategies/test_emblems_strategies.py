"""Strategies of Emblems: legal everywhere, true to what they say, and in a sensible order."""

from pathlib import Path

import numpy as np
import pytest

from sim import games
from sim.engine import runner
from sim.engine.plan import make_plan
from sim.engine.trace import Table
from sim.games.checks import check_strategy
from sim.games.emblems import cards, rules
from tests.conftest import entries_of

SPEC = games.spec("emblems")
NAMES = ("random", "high_card", "greedy", "denier", "counter")
OWN = {
    "castle": {"3-4": [], "5": [0, 0, 7]},
    "village": {"3-4": ["steal_each"] * 15, "5": ["half", "per_card", -9]},
    "port": {"3-4": [-3, 0, "half", 5], "5": [1]},
}
ODD = [
    {"set": "B", "rulings": {"effects": "optional", "debt": True}},
    {"set": "C", "rulings": {"coins_visible": False}},
    {"set": "Own", "sets": {"Own": OWN}, "hand": 15, "turns": {"3": 15, "4": 5, "5": 1}, "rounds": 1},
    {"start_coins": 0, "interventions": {"blank": ["0:11", "1:13", "2:15", "0:7", "1:10", "2:12"]}},
    {"hand": 1, "turns": {"3": 1, "4": 1, "5": 1}, "rounds": 15},
]


def table(rows, *, hand=(), selected=0, phase=rules.PLACE, players=3, coins=(3, 3, 3), location=0, place=0, **options):
    """A table in the first turn with cards in the rows (as "seat:value"), seat 0 to decide."""
    (entry,) = entries_of("emblems", "random")
    at = Table(SPEC, SPEC.options.model_validate(options), [entry] * players, 1, 0)
    state = at.state
    state.phase, state.seat = phase, 0
    for number, row in enumerate(rows):
        state.length[number] = len(row)
        state.rows[number][: len(row)] = [cards.parse_card(name) for name in row]
        for name in row:
            seat, _, value = name.partition(":")
            state.placed[number][int(seat)] |= 1 << int(value) - 1
    state.hand[0] = sum(1 << value - 1 for value in hand)
    state.selected[:] = 0
    state.selected[0] = selected
    state.coins[:players] = coins
    state.location, state.place = location, place
    return at


@pytest.mark.filterwarnings("ignore:overflow encountered")
def choice(name, at, *values):
    (entry,) = entries_of("emblems", name)
    at.entries = [entry] * len(at.entries)
    params = np.zeros(8)
    params[: len(entry.values)] = values or entry.values
    at._params[:] = params
    action = at.choose()
    assert at.is_legal(action)
    return cards.action_text(action)


@pytest.mark.parametrize("options", ODD, ids=["optional-debt", "hidden-coins", "own-lists", "blanks", "one-card-hands"])
@pytest.mark.parametrize("name", NAMES)
def test_plays_by_the_rules_under_odd_configs(name, options):
    (entry,) = entries_of("emblems", name)
    check_strategy(SPEC, SPEC.options.model_validate(options), entry)


@pytest.mark.parametrize("name", NAMES)
def test_tells_its_idea_and_its_weakness(name):
    (entry,) = entries_of("emblems", name)
    assert entry.strategy.summary.endswith(".")
    assert len(entry.strategy.weakness) > 20


def test_high_card_takes_the_best_reward_open():
    at = table([["1:15"], [], ["1:9"]], selected=12)
    assert choice("high_card", at) == "place port 0"  # 5 in the Port, 3 in the Village, 3 as second in the Castle
    assert choice("high_card", table([[], [], []], hand=(3, 9, 14), phase=rules.SELECT)) == "select Princess"


def test_greedy_counts_the_double_loss_of_the_sailor():
    """The Port's third rank costs 2, and the Sailor twice that; the Village pays 2 even as third."""
    rows = [["1:15", "2:14", "1:9", "2:8"], ["1:15", "2:12"], ["1:13", "2:11"]]
    assert choice("greedy", table(rows, selected=2), 0.0) == "place village 2"
    assert choice("greedy", table([rows[0], rows[0], rows[2]], selected=2), 0.0) == "place castle 4"  # 0, not −4


def test_greedy_keeps_its_king_away_from_a_thief():
    at = table([["1:11"], [], ["1:9"]], selected=15)
    assert not choice("greedy", at).startswith("place castle")


def test_greedy_pushes_no_own_card_off_a_reward_for_nothing():
    at = table([["0:9", "0:8", "0:7"], [], []], selected=10)
    assert not choice("greedy", at).startswith("place castle")


def test_greedy_robs_the_player_who_can_pay():
    at = table([["1:12", "0:11", "2:10"], [], []], phase=rules.TARGET, place=1, coins=(3, 0, 3))
    assert choice("greedy", at) == "Thief 2:10"


def test_denier_robs_the_leader_and_greedy_does_not_care():
    rows = [["1:12", "0:11", "2:10"], [], []]
    for coins, victim in (((3, 9, 5), "Thief 1:12"), ((3, 5, 9), "Thief 2:10")):
        at = table(rows, phase=rules.TARGET, place=1, coins=coins)
        assert choice("denier", at) == victim


def test_greedy_declines_what_harms_where_it_may():
    rows = [["0:9", "0:5"], [], []]
    at = table(rows, phase=rules.TARGET, place=1, rulings={"effects": "optional"})
    assert choice("greedy", at) == "no effect"
    assert choice("greedy", table(rows, phase=rules.TARGET, place=1)) == "Warrior 0:9"


def test_counter_knows_which_cards_are_gone():
    """Where all higher cards have been played, nobody can push in, and the first rank is safe."""
    gone = [f"{seat}:{value}" for value in range(15, 9, -1) for seat in (1, 2)]
    at = table([gone, [], []], selected=9)
    assert choice("counter", at) == "place port 0"


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_random_is_the_reference_random_player():
    """Select: every card; place: every Location, then every gap; Guard: every neighbour, then Location, then gap."""
    (entry,) = entries_of("emblems", "random")

    def counts(at, draws):
        found = {}
        at.entries = [entry] * 3
        for decision in range(draws):
            at.state.decision = decision
            text = cards.action_text(at.choose())
            found[text] = found.get(text, 0) + 1
        return found

    selected = counts(table([[], [], []], hand=(2, 5, 9, 14), phase=rules.SELECT), 2000)
    assert len(selected) == 4
    assert all(abs(number - 500) < 90 for number in selected.values())  # 4.6 standard deviations
    placed = counts(table([["1:6", "2:6"], [], ["1:9"]], selected=6), 2400)
    assert abs(sum(number for text, number in placed.items() if "castle" in text) - 800) < 110
    assert len([text for text in placed if "castle" in text]) == 3
    moved = counts(table([["1:14", "0:12", "2:9"], ["1:9"], []], phase=rules.TARGET, place=1), 2400)
    assert abs(sum(number for text, number in moved.items() if "2:9" in text) - 1200) < 120
    assert abs(sum(number for text, number in moved.items() if "2:9 village" in text) - 600) < 100
    assert len([text for text in moved if "2:9 village" in text]) == 2


def shares(lineups, names, players, count, **options):
    """Win share in % of par of each strategy of a field, or of the one among the rest."""
    plan = make_plan(
        seed=2, draws="shared", games=count, players=[players], lineups=lineups, entries=entries_of("emblems", *names)
    )
    job = runner.Job("emblems", SPEC.options.model_validate(options), plan, Path())
    (shard,) = plan.shards(10**9)
    rows, _, pieces = runner.play_pieces(job, shard)
    found = {}
    for piece, part in pieces:
        who = (piece.cell.lineup.members or (None,))[0]
        seats, won = rows.strategy[part][:, :players], rows.share[part][:, :players] / 60
        for number, name in enumerate(names):
            if who in (None, number):
                found[name] = 100 * players * won[seats == number].mean()
    return found


@pytest.mark.compiled
@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("chosen", ["A", "B", "C"])
def test_random_comes_last_and_the_best_beats_it_by_far(players, chosen):
    field = shares(["field"], NAMES, players, 4000, set=chosen)
    assert min(field, key=field.get) == "random"
    assert field["random"] < 45
    duel = shares(["one_vs_rest"], ("random", "counter"), players, 2000, set=chosen)
    assert duel["counter"] > 200
    assert duel["random"] < 45
