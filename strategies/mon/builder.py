"""Builder for mon."""

import numpy as np

from sim.games.mon.cards import ADVANCE, DRAW, FALL_BACK, KIND_BITS, VALUES
from sim.games.mon.rules import advances, dead_cards, fall_backs, highest, second_highest
from sim.jit import lowest_bit
from strategies.registry import strategy

STEP = 256  # in a rank, one value of the step weighs more than any points
NO_STEP = 100


@strategy("mon", title="Builder", params={"stride": 1.0})
def builder(state, rules, params):
    """Take the shortest step that still scores, and keep the high cards for the end.

    A step is how far a card lies above its neighbour in the line, for an advance as for a fall back. Short steps leave
    no room to be covered. Among equal steps it takes the most points. While it holds cards that can never be played any
    more, it takes no step longer than ``stride`` but throws these cards away.

    Weakness: it does not look at the others. It takes a point where three were to be had, and covers a stack only if
    that happens to be the shortest step.
    """
    seat = state.seat
    best_rank, shortest, choice = -STEP * NO_STEP, NO_STEP, -1
    left = advances(state, rules, seat)
    while left:
        card = lowest_bit(left)
        left &= left - 1
        gain = np.int64(rules.points[seat, card % VALUES])
        step = card % VALUES + 1 - highest(state, rules, card // VALUES)
        if gain > 0 and gain - STEP * step > best_rank:
            best_rank, shortest, choice = gain - STEP * step, step, card << KIND_BITS | ADVANCE
    left = fall_backs(state, rules, seat)
    while left:
        card = lowest_bit(left)
        left &= left - 1
        colour = card // VALUES
        gain = np.int64(rules.points[seat, card % VALUES]) + state.height[colour, state.length[colour] - 1]
        step = card % VALUES + 1 - second_highest(state, rules, colour)
        if gain > 0 and gain - STEP * step > best_rank:
            best_rank, shortest, choice = gain - STEP * step, step, card << KIND_BITS | FALL_BACK
    dead = dead_cards(state, rules, seat)
    if choice >= 0 and (shortest <= params[0] or dead == 0):
        return choice
    return (dead or state.hand[seat]) << KIND_BITS | DRAW
