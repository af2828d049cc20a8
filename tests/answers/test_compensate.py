"""What a seat must be given: the solution, its range, and the whole amounts tried."""

from dataclasses import replace

import numpy as np
import pytest

from reports import stats
from reports.answers import compensate
from reports.answers.compensate import TRIED, meeting_point, whole_amounts
from sim import games
from sim.config import load
from sim.engine.runner import thread_pool
from sim.errors import UsageError
from sim.games.interface import Bonus
from tests.conftest import entries_of

BONUS = Bonus("coins", lambda rules, seat, amount: None, -20, 20)
JACOBIAN = 0.02 * (np.eye(3) - 1 / 3) * 1.5


def measured(rng, amounts, noise=0.0, chunks=256):
    """Shares of three seats that need these amounts to win alike, and the slopes, in noisy chunks."""

    def drawn(mean):
        raw = noise * rng.normal(size=(chunks, 3))
        return mean + raw - raw.mean(axis=1, keepdims=True)

    base = drawn(1 / 3 - JACOBIAN @ np.array(amounts))
    before = stats.ratio(base, np.ones(chunks))
    more = [stats.ratio(base + drawn(JACOBIAN[:, seat]), np.ones(chunks)) for seat in range(3)]
    return before, [stats.difference(each, before, paired=True) for each in more]


@pytest.mark.parametrize("amounts", [(0.0, 1.5, 2.25), (3.0, 0.0, 0.5), (0.0, 0.0, 0.0)])
def test_straight_lines_meet_where_they_meet(rng, amounts):
    exact = meeting_point(*measured(rng, amounts), 1 / 3)
    assert exact.value == pytest.approx(amounts, abs=1e-9)
    assert exact.value.min() == 0.0
    assert exact.se == pytest.approx(0.0, abs=1e-9)


def test_the_least_is_given(rng):
    """Giving everybody the same changes nothing, so no seat is given more than it must."""
    exact = meeting_point(*measured(rng, (2.0, 1.0, 5.0)), 1 / 3)
    assert exact.value == pytest.approx((1.0, 0.0, 4.0), abs=1e-9)


def test_range_is_that_of_leaving_out_one_chunk_after_the_other(rng):
    """The spread by the delta method agrees with the jackknife, which knows nothing of derivatives."""
    before, slopes = measured(rng, (0.0, 1.5, 2.25), noise=0.05)
    chunks = before.chunks
    scale = np.sqrt(chunks / (chunks - 1))

    def without(estimates, chunk):
        kept = estimates.influence[chunk] / scale * chunks / (chunks - 1)
        return stats.Estimates(estimates.value - kept, estimates.influence, estimates.cells)

    left_out = np.array(
        [
            meeting_point(without(before, chunk), [without(each, chunk) for each in slopes], 1 / 3).value
            for chunk in range(chunks)
        ]
    )
    jackknife = np.sqrt((chunks - 1) * left_out.var(axis=0))
    assert meeting_point(before, slopes, 1 / 3).se[1:] == pytest.approx(jackknife[1:], rel=0.05)
    assert jackknife[1:].min() > 0.05


def test_whole_amounts_are_the_neighbours_and_the_best_comes_first(rng):
    before, slopes = measured(rng, (0.0, 1.1, 2.9))
    tried = whole_amounts(meeting_point(before, slopes, 1 / 3).value, before, slopes, BONUS)
    assert tried[0] == (0, 1, 3)
    assert len(tried) == TRIED
    assert all(min(given) == 0 and given[1] in (0, 1, 2) and given[2] in (1, 2, 3) for given in tried)


def test_whole_amounts_need_no_neighbours_where_they_are_exact(rng):
    before, slopes = measured(rng, (0.0, 0.0, 0.0))
    assert whole_amounts(np.zeros(3), before, slopes, BONUS) == [(0, 0, 0)]


def test_no_more_is_given_than_the_game_has(rng):
    before, slopes = measured(rng, (0.0, 7.5, 1.0))
    tried = whole_amounts(np.array([0.0, 7.5, 1.0]), before, slopes, replace(BONUS, most=5))
    assert tried == [(0, 5, 1)]


def test_a_game_with_nothing_to_give(monkeypatch):
    monkeypatch.setattr(compensate, "game_spec", lambda game: type("Spec", (), {"bonus": None}))
    with pytest.raises(UsageError, match="nothing that a seat could be given"):
        compensate.bonus_of("mon")
    monkeypatch.undo()
    assert compensate.bonus_of("emblems") is games.spec("emblems").bonus


def config_of(games_in_all: int):
    return load("mon", [f"plan.games={games_in_all}", "plan.players=[2]", 'plan.draws="per_seat"'])


@pytest.mark.compiled
def test_too_few_games_are_told():
    with (
        thread_pool(2) as pool,
        pytest.raises(UsageError, match="40 games with 2 players do not show what one more") as told,
    ):
        compensate.ask(config_of(40), entries_of("mon", "random"), pool, lambda words: None)
    assert "--games" in str(told.value)


@pytest.mark.compiled
def test_answer_is_confirmed_on_fresh_deals():
    told = []
    with thread_pool(2) as pool:
        answer = compensate.ask(config_of(4000), entries_of("mon", "greedy", "random"), pool, told.append)
    (row,) = answer["players"]
    assert answer["unit"] == "extra points at the start"
    assert min(row["whole"]) == 0 and all(isinstance(amount, int) for amount in row["whole"])
    assert min(each["est"] for each in row["exact"]) == 0.0
    assert all(slope > 0.01 for slope in row["slope"])
    assert sum(each["est"] for each in row["after"]) == pytest.approx(1.0, abs=1e-5)
    assert told[-1].endswith("(fresh deals)") and sum("fresh" in each for each in told) == 1
    assert row["after"] != row["before"]
    text = compensate.text(answer)
    assert "2 players: extra points at the start by seat that make all seats win alike" in text
    assert "on fresh deals" in text.splitlines()[-1]
