"""The strategies of a game, ready to be asked at any table."""

from typing import Any

import numpy as np

from sim import games, rng
from sim.engine import play
from sim.games.interface import PARAMS
from strategies import registry


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
