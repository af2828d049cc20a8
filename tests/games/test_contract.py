"""The contract of games and strategies."""

from pathlib import Path

import pytest

from sim import games
from sim.games.checks import check_game, check_strategy
from tests.conftest import entries_of

CHECKS = [
    pytest.param(check, id=f"{game}: {name}") for game in games.GAMES for name, check in check_game(games.spec(game))
]


def test_every_folder_with_rules_is_a_game_and_has_its_four_files():
    folder = Path(games.__file__).parent
    found = {path.parent.name for path in folder.glob("*/rules.py")}
    assert found == set(games.GAMES)
    for game in found:
        assert {"RULES.md", "cards.py", "rules.py", "spec.py"} <= {path.name for path in (folder / game).iterdir()}


@pytest.mark.parametrize("check", CHECKS)
def test_game(check):
    check()


@pytest.mark.parametrize(
    ("game", "entry"), [pytest.param(g, e, id=f"{g}: {e.label}") for g in games.GAMES for e in entries_of(g)]
)
def test_strategy(game, entry):
    spec = games.spec(game)
    check_strategy(spec, spec.options(), entry)
