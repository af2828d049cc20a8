"""The contract of games and strategies, and every game beside its independent slow twin."""

import importlib
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim import games
from sim.engine.trace import trace
from sim.games.checks import NOBODY, Table, Wanderer, check_game, check_strategy
from tests.conftest import entries_of

CHECKS = [pytest.param(check, id=f"{game}: {name}") for game in games.GAMES for name, check in check_game(games.spec(game))]


def test_every_folder_with_rules_is_a_game_and_has_its_four_files():
    folder = importlib.import_module("sim.games").__path__[0]
    from pathlib import Path

    found = {path.parent.name for path in Path(folder).glob("*/rules.py")}
    assert found == set(games.GAMES)
    for game in found:
        assert {"RULES.md", "cards.py", "rules.py", "spec.py"} <= {path.name for path in (Path(folder) / game).iterdir()}


@pytest.mark.parametrize("check", CHECKS)
def test_game(check):
    check()


@pytest.mark.parametrize(
    ("game", "entry"), [pytest.param(g, e, id=f"{g}: {e.label}") for g in games.GAMES for e in entries_of(g)]
)
def test_strategy(game, entry):
    spec = games.spec(game)
    check_strategy(spec, spec.options(), entry)


def twin(game):
    return importlib.import_module(f"tests.naive.{game}")


@pytest.mark.parametrize("game", games.GAMES)
@pytest.mark.parametrize("draws", ["shared", "per_seat"])
def test_every_strategy_plays_by_the_twins_rules(game, draws):
    spec = games.spec(game)
    rules = json.loads(spec.options().model_dump_json())
    for players in spec.players:
        for deal, entry in enumerate(entries_of(game) * 3):
            lines = trace(game, spec.options(), rules, [entry] * players, seed=3, deal=deal, draws=draws)
            twin(game).check(list(lines))
