"""A config against itself: not about nothing, but exactly nothing, in every chunk and for every measure."""

import numpy as np
import pytest

from reports import goals, measures, stats
from reports.blocks import Run
from reports.games import facts_of
from sim import games
from sim.goals import Goal
from tests.conftest import entries_of

pytestmark = pytest.mark.compiled

COUNTS = {"close_finish": {"points": 2}}


@pytest.mark.parametrize("game", games.GAMES)
def test_a_config_differs_from_itself_by_exactly_nothing(play, game):
    players = games.spec(game).players[0]
    who = entries_of(game, "random", next(each.label for each in entries_of(game) if each.label != "random"))
    common = {"games_in_all": 900, "players": (players,), "entries": who}
    once = Run(play(game, folder="once", workers=1, shard_games=100, **common))
    again = Run(play(game, folder="again", workers=2, shard_games=350, **common))
    assert measures.paired(again, once, players)
    assert measures.same_games(again, once, players)
    for name, measure in goals.MEASURES.items():
        band = {"at_most": 5} if measure.kind == "mean" else {"at_most": "50%"}
        goal = Goal.model_validate({"measure": name, **band, **COUNTS.get(name, {})})
        now, before = (
            measure.estimate(goals.Sample(run.mixed(players), goal, facts_of(game), run.strategies))
            for run in (again, once)
        )
        change = stats.difference(now, before, paired=True)
        counted = np.isfinite(before.value)
        assert counted.any(), name
        assert not change.value[counted].any(), name
        assert not change.influence[:, counted].any(), name
        low, high = stats.limits(change.rows(counted), stats.joint(change.rows(counted)), "difference", 900)
        assert not low.any() and not high.any(), name


def test_other_luck_does_differ(play):
    common = {"games_in_all": 900, "players": (3,), "entries": entries_of("mon", "greedy", "random")}
    once, other = Run(play("mon", folder="once", seed=1, **common)), Run(play("mon", folder="other", seed=2, **common))
    assert not measures.paired(other, once, 3)
    assert not measures.same_games(other, once, 3)
