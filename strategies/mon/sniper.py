"""Sniper for mon."""

import numpy as np

from sim.games.mon.cards import ADVANCE, DRAW, FALL_BACK, KIND_BITS, VALUES
from sim.games.mon.rules import advances, fall_backs, highest, second_highest
from sim.jit import lowest_bit
from strategies.registry import strategy

WORST = -1e9  # less than anything is worth


@strategy("mon", title="Sniper", params={"grudge": 1.0, "caution": 1.0}, blind={"grudge": 0.0})
def sniper(state, rules, params):
    """Fall back wherever it can, on the leader's stacks first.

    A fall back is worth its points, ``grudge`` for each point that it takes from the leading opponent, and ``caution``
    less for each value left free under the new card, where the next player could cover it in turn. Only without a
    target it advances: with the most points, then the shortest step. With nothing to gain it changes its whole hand.

    Weakness: it needs targets. It covers even where an advance would earn more, and its own advances stand in the open.
    """
    seat = state.seat
    leading = WORST
    for other in range(state.players):
        if other != seat:
            leading = max(leading, state.points[other])
    best, choice = WORST, -1
    left = fall_backs(state, rules, seat)
    while left:
        card = lowest_bit(left)
        left &= left - 1
        colour = card // VALUES
        place = state.length[colour] - 1
        loser, under = state.owner[colour, place], np.int64(state.height[colour, place])
        gain = rules.points[seat, card % VALUES] + under
        worth = gain - params[1] * (card % VALUES - second_highest(state, rules, colour))
        if state.points[loser] == leading:
            worth += params[0] * (rules.points[loser, state.top[colour, place] - 1] + under - 1)
        if gain > 0 and worth > best:
            best, choice = worth, card << KIND_BITS | FALL_BACK
    if choice >= 0:
        return choice
    left = advances(state, rules, seat)
    while left:
        card = lowest_bit(left)
        left &= left - 1
        gain = np.int64(rules.points[seat, card % VALUES])
        worth = gain - (card % VALUES - highest(state, rules, card // VALUES)) / VALUES
        if gain > 0 and worth > best:
            best, choice = worth, card << KIND_BITS | ADVANCE
    if choice >= 0:
        return choice
    return state.hand[seat] << KIND_BITS | DRAW
