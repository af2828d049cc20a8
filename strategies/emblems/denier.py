"""Denier for Emblems."""

import numpy as np

from sim.games.emblems.cards import VALUES
from sim.games.emblems.rules import known_coins
from sim.jit import rule
from strategies.emblems.greedy import ONES, Outlook, best_action, rate_of, units
from strategies.registry import strategy

CROWD, SPITE = 0, 1  # places of the parameters


@strategy("emblems", title="Denier", params={"crowd": 1.0, "spite": 0.5}, blind={"spite": 0.0})
def denier(state, rules, params):
    """Earn coins and take them from the leader: what the richest opponent loses counts as well.

    It judges a placement by what it changes in the whole row for itself and for the richest other player, the next to
    its left if several are. A coin that this rival loses counts ``spite`` own coins. ``crowd`` is as for greedy.

    Weakness: it pays alone for what it does to the leader, and the others at the table profit. When coins are hidden it
    does not know who leads.
    """
    seat, nothing = np.int64(state.seat), np.int64(0)
    rate = rate_of(state, rules, params[CROWD], VALUES)
    against = -units(params[SPITE])
    outlook = Outlook(seat, richest_other(state, rules), against, nothing, True, np.int64(ONES), rate, nothing)
    return best_action(state, rules, outlook)


@rule
def richest_other(state, rules):
    """The opponent with the most coins, as far as the seat in turn knows; the next to the left among equals. int64."""
    seat = np.int64(state.seat)
    richest = (seat + 1) % state.players
    for step in range(2, state.players):
        other = (seat + step) % state.players
        if known_coins(state, rules, seat, other) > known_coins(state, rules, seat, richest):
            richest = other
    return richest
