"""Denier for Emblems."""

import numpy as np

from sim.games.emblems.rules import PLACES, known_coins
from sim.jit import rule
from strategies.emblems.greedy import NOBODY, View, best_action, to_come
from strategies.registry import strategy

CROWD, SPITE = 0, 1  # places of the parameters


@strategy("emblems", title="Denier", params={"crowd": 1.0, "spite": 0.5})
def denier(state, rules, params):
    """Hurt the leader: what the richest opponent loses counts beside the own coins.

    It plays like greedy, but each coin taken from the richest other player is worth ``spite`` own ones. ``crowd`` as in
    greedy.

    Weakness: with more than two at the table, what the leader loses helps the others as much as itself.
    """
    seat = np.int64(state.seat)
    crowd = params[CROWD] * to_come(state, rules) / PLACES
    return best_action(state, rules, View(seat, richest_other(state, rules, seat), params[SPITE], crowd, False))


@rule
def richest_other(state, rules, seat):
    """The other seat with the most coins, the first of equals (int64)."""
    best = np.int64(NOBODY)
    for other in range(state.players):
        if other != seat and (
            best == NOBODY or known_coins(state, rules, seat, other) > known_coins(state, rules, seat, best)
        ):
            best = np.int64(other)
    return best
