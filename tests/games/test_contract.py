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


@pytest.mark.parametrize("game", games.GAMES)
def test_where_the_plans_draws_make_no_difference_the_page_says_how_players_draw(game):
    spec = games.spec(game)
    shared, per_seat = (spec.fill_rules(spec.options(), spec.players[-1], own).tobytes() for own in (False, True))
    assert (shared == per_seat) == bool(spec.draws_text)
