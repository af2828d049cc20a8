"""Causal questions: nothing comes out as nothing, what is planted is found, and what is left out cannot matter."""

from concurrent.futures import Executor, Future
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from reports import stats
from reports.answers import cards as answers
from sim import games
from sim.engine import play
from sim.engine.effects import CHUNKS, Effects, effects
from sim.engine.runner import Job, play_games, play_pieces, thread_pool
from sim.engine.trace import Table
from sim.games.interface import Intervention
from tests.conftest import entries_of, small_plan

pytestmark = pytest.mark.compiled


def job(game: str, *names: str, draws: str = "per_seat") -> Job:
    plan = small_plan(game, 1, games.spec(game).players, entries_of(game, *names), draws=draws, lineups=["field"])
    return Job(game, games.spec(game).options(), plan, Path())


def kind(game: str, name: str) -> Intervention:
    return next(each for each in games.spec(game).interventions if each.name == name)


class Here(Executor):
    """Does everything at once, in this thread, the last thing first."""

    def submit(self, work, /, *args, **kwargs):
        future: Future = Future()
        future.set_result(work(*args, **kwargs))
        return future


@pytest.mark.parametrize("game", games.GAMES)
def test_a_change_that_changes_nothing_is_worth_exactly_nothing(game):
    nothing = Intervention("nothing", "nothing", "?", ("a", "b"), lambda rules, item, seat: None)
    found = effects(job(game), nothing, games.spec(game).players[-1], CHUNKS, Here())
    assert not found.share.any()
    assert not found.winners.any()
    assert (found.games.sum(axis=2) == found.played).all()
    assert found.played.sum() == 2 * CHUNKS * games.spec(game).players[-1]


def test_players_reckon_with_the_rules_that_they_are_told():
    """The same by both ways to play: the batch loop, and step by step."""
    spec, here = games.spec("emblems"), job("emblems", "greedy", "random")
    holds, told = spec.fill_rules(here.options, 3), spec.fill_rules(here.options, 3)
    told.rewards[0, 0] += 9
    deals = play.seatings(spec, 0, np.array([[0, 0, 1]] * 20, np.int16), 3)
    rules = play.rules_of([holds, told])
    before, _ = play_games(here, rules, deals)
    deals.reckoned = 1
    rows, _ = play_games(here, rules, deals)
    assert (rows.score != before.score).any()
    for game, row in zip(deals, rows, strict=True):
        seated = [here.plan.entries[number] for number in game.strategy[:3]]
        table = Table.by_rules(spec, holds, seated, here.plan.seed, int(game.deal), reckoned=told)
        while not table.over:
            table.apply(table.choose())
        assert table.result()["scores"] == row.score[:3].tolist()


BELIEFS = [
    ("mon", {"points": [0] * 18}),
    ("mon", {"points": [99] + [0] * 17}),
    ("emblems", {"sets": {"A": {place: {"3-4": [], "5": []} for place in ("castle", "village", "port")}}}),
    (
        "emblems",
        {"sets": {"A": {place: {"3-4": [-100] * 15, "5": [100] * 15} for place in ("castle", "village", "port")}}},
    ),
    ("momiji", {"objectives": {"holder": 0, "others": 0}, "gains": {"pair": 0}}),
    ("momiji", {"objectives": {"holder": 100, "others": 100}, "gains": {"pair": 10}}),
    ("sangoku", {"power": dict.fromkeys(("dragon", "oni", "samurai", "dog", "genbu", "orochi"), 1)}),
    ("sangoku", {"power": dict.fromkeys(("dragon", "oni", "samurai", "dog", "genbu", "orochi"), 9)}),
]


@pytest.mark.parametrize(("game", "told"), BELIEFS)
def test_players_can_be_wrong_about_what_things_are_worth_and_still_play(game, told):
    """Whatever they believe, every choice is legal and every game ends; and what they believe matters to somebody."""
    spec = games.spec(game)
    here = replace(job(game), plan=small_plan(game, 600, spec.players, lineups=["field"]))
    for shard in here.plan.shards():
        rows, _, _ = play_pieces(here, shard)
        wrong, _, _ = play_pieces(replace(here, reckoned=spec.options.model_validate(told)), shard)
        assert (rows.score != wrong.score).any()


def test_every_field_of_payoffs_is_one_of_the_rules():
    for game in games.GAMES:
        spec = games.spec(game)
        assert set(spec.payoffs) <= set(spec.rules.names)
        assert {name for name, _ in BELIEFS if name == game} == ({game} if spec.payoffs else set())


@pytest.mark.parametrize("game", games.GAMES)
def test_every_change_touches_the_focus_alone(game):
    """A change made for one seat leaves the rules of the others as they are, wherever there is a row a seat."""
    spec = games.spec(game)
    for each in spec.interventions:
        for item in range(len(each.items)):
            for seat in range(spec.players[0]):
                before = spec.fill_rules(spec.options(), spec.players[0])
                after = before.copy()
                each.change(after, item, seat)
                assert before.tobytes() != after.tobytes(), (each.name, each.items[item])
                for name in spec.rules.names:
                    differs = np.asarray(before[name] != after[name])
                    if differs.any():
                        assert differs.shape[:1] == (spec.seats,), (each.name, name)
                        assert not np.delete(differs, seat, axis=0).any(), (each.name, name)


@pytest.mark.parametrize("game", games.GAMES)
def test_what_is_left_out_cannot_matter(game):
    """All games that an intervention leaves out are played here, and end as they did."""
    spec = games.spec(game)
    for each in spec.interventions:
        if each.matters:
            everything = replace(each, matters=None)
            players = spec.players[0]
            some, all_of_them = (effects(job(game), which, players, 2 * CHUNKS, Here()) for which in (each, everything))
            assert some.wrong.sum() == 0, each.name
            assert some.played.sum() < all_of_them.played.sum(), each.name
            assert (some.share == all_of_them.share).all(), each.name
            assert (some.winners == all_of_them.winners).all(), each.name


def test_the_control_notices_games_left_out_that_do_matter():
    blank = replace(kind("emblems", "blank"), matters=lambda rules, records, item: records.dealt < 0)
    found = effects(job("emblems"), blank, 3, CHUNKS, Here())
    assert found.played.sum() == 0
    assert found.wrong.sum() > 0


def test_the_same_whatever_the_executor():
    asked = job("mon", "greedy", "random"), kind("mon", "ban"), 3, 3 * CHUNKS
    with thread_pool(2) as pool:
        ours, theirs = effects(*asked, pool), effects(*asked, Here())
    assert all((getattr(ours, field.name) == getattr(theirs, field.name)).all() for field in fields(Effects))


def test_effects_are_those_of_games_played_one_by_one():
    asked, grant, players = job("mon", "greedy", "random"), kind("mon", "grant"), 3
    found = effects(asked, grant, players, CHUNKS, Here())
    spec = games.spec("mon")
    before = spec.fill_rules(asked.options, players, True)
    tables = play.seatings(spec, 0, play.mixed_tables(5, 0, CHUNKS, players, 2), players)
    rows, records = play_games(asked, play.rules_of([before]), tables)
    for item in (0, 20, 53):
        change = np.zeros(2, np.int64)
        for number in range(len(tables)):
            seat = int(tables.rotation[number])
            if grant.applies(before, records, item)[number, seat]:
                after = before.copy()
                grant.change(after, item, seat)
                again, _ = play_games(asked, play.rules_of([after]), tables[number : number + 1])
                who = tables.strategy[number, seat]
                change[who] += int(again.share[0, seat]) - int(rows.share[number, seat])
        assert (found.share[:, item].sum(axis=0) == change).all()
        assert change.any()


@pytest.mark.parametrize("game", games.GAMES)
def test_a_placebo_is_worth_nothing(game):
    placebo = next(each for each in games.spec(game).interventions if each.placebo)
    found = effects(job(game), placebo, games.spec(game).players[-1], 8 * CHUNKS, Here())
    assert found.share.any()  # it does change games
    value = answers.value(found)
    low, high = stats.limits(value, stats.joint(value, answers.PLACEBO_LEVEL), "difference", 8 * CHUNKS)
    assert low[0] < 0 < high[0]
