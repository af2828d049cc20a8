"""What every strategy of every game owes: it explains itself, and its choice depends on the state alone."""

from collections import Counter

import numpy as np
import pytest

from sim import games
from tests.strategies.players import Players

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # the generator's products, in plain Python

PLAYERS = {game: Players(game) for game in games.GAMES}
ALL = [pytest.param(game, name, id=f"{game}: {name}") for game, each in PLAYERS.items() for name in each.found]


@pytest.mark.parametrize(("game", "name"), ALL)
def test_idea_and_weakness_are_told_and_every_knob_is_explained(game, name):
    found = PLAYERS[game].found[name]
    assert found.summary[0].isupper() and found.summary.endswith(".") and 20 < len(found.summary) < 120
    assert len(found.weakness) > 40
    for knob in found.params:
        assert f"``{knob}``" in found.idea


@pytest.mark.compiled
@pytest.mark.parametrize(("game", "name"), ALL)
def test_choices_depend_on_the_state_alone(game, name):
    """Twice the same choice; and dice of its own are rolled by nobody but the random player."""
    players = PLAYERS[game]
    choose, values, rules = players.compiled(name), players.values_of(name), players.spec.rules_module
    told = Counter()
    for deal in range(6):
        state, record = players.new_game(players.spec.options(), 4, deal)
        while not rules.is_over(state):
            action = int(choose(state, record, values))
            assert int(choose(state, record, values)) == action
            other = state.copy()
            other.policy[:] += np.uint64(1)
            told[int(choose(other, record, values)) == action] += 1
            rules.apply(state, record, action)
    assert (told[False] > 0) == (name == "random")
