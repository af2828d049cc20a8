"""The strategies of a game, ready to be asked at any table."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from sim import games, rng
from sim.engine import play
from sim.games.interface import PARAMS
from strategies import registry
from tests.conftest import COMPILED

ROLLS = 20_000 if COMPILED else 4000


class Players:
    """All built-in strategies of a game.

    Attributes
    ----------
    found : dict
        Name → strategy.
    knobs : list of (name, knob)
        Every parameter of every strategy.
    """

    def __init__(self, game: str) -> None:
        self.spec = games.spec(game)
        self.found, broken = registry.find(game)
        assert not broken
        self.knobs = [(name, knob) for name, each in self.found.items() for knob in each.params]

    def compiled(self, name: str) -> Any:
        return play.compile_strategy(self.spec, self.found[name].choose)

    def values_of(self, name: str, **changes: float) -> np.ndarray:
        """Parameters as a strategy gets them: the usual ones, but for those that are changed."""
        usual = self.found[name].params
        assert set(changes) <= set(usual)
        values: np.ndarray = np.zeros(1, PARAMS)["values"][0]
        values[: len(usual)] = list({**usual, **changes}.values())
        return values

    def new_game(self, options: Any, players: int, deal: int, own_orders: bool = False) -> tuple[Any, Any]:
        """State and rules of a game at its first decision."""
        rules = self.spec.rules_module
        state = np.zeros(1, self.spec.state).view(np.recarray)[0]
        record = self.spec.fill_rules(options, players, own_orders)
        rules.deal(state, record, players, np.uint64(rng.game_key(np.uint64(11), deal)))
        while rules.is_automatic(state):
            rules.follow(state, record)
        return state, record

    def assert_rolls(self, at: tuple[Any, Any], chances: dict[str, float]) -> None:
        """Compare what the random player does on one table with the chances that the rules page gives.

        Chi-square, with a bound that chance exceeds less than once in 10,000 times; the dice are fixed.
        """
        state, record = at
        random, values = self.compiled("random"), self.values_of("random")
        counts: Counter[str] = Counter()
        for roll in range(ROLLS):
            state.policy[state.seat] = rng.word(np.uint64(77), roll)
            counts[self.spec.text.action_text(int(random(state, record, values)))] += 1
        assert sum(chances.values()) == pytest.approx(1)
        assert set(counts) == set(chances)
        chi_square = sum((counts[text] - ROLLS * chance) ** 2 / (ROLLS * chance) for text, chance in chances.items())
        free = len(chances) - 1
        # Wilson and Hilferty's cube-root approximation, 3.72 standard deviations up.
        assert not free or chi_square < free * (1 - 2 / (9 * free) + 3.72 * (2 / (9 * free)) ** 0.5) ** 3
