"""Random for mon."""

import numpy as np

from sim import rng
from sim.games.mon.cards import ADVANCE, CARDS, DRAW, FALL_BACK, KIND_BITS
from sim.games.mon.rules import advances, fall_backs
from sim.jit import rule
from strategies.registry import strategy

SURPLUS_BITS = np.uint64(64 - CARDS)


@strategy("mon", title="Random")
def random(state, rules, params):
    """Play at random: first which kind of action, then which card or cards.

    Each kind that is possible (advance, fall back, draw) is equally likely; then each card that fits, or, for a draw,
    each set of one or more cards of the hand.

    Weakness: it wants nothing. It is the yardstick: whoever cannot beat it does not understand the game.
    """
    seat = state.seat
    dice = rng.word(state.policy[seat], state.decision)
    forward, back = advances(state, rules, seat), fall_backs(state, rules, seat)
    kind = rng.below(dice, 0, 1 + (forward != 0) + (back != 0))
    if kind == 0:
        return some_of(state.hand[seat], dice) << KIND_BITS | DRAW
    if kind == 1 and forward:
        return rng.random_bit(forward, dice, 1) << KIND_BITS | ADVANCE
    return rng.random_bit(back, dice, 1) << KIND_BITS | FALL_BACK


@rule
def some_of(cards, dice):
    """Some cards of a set, at least one; each choice equally likely."""
    counter = 1
    some = np.int64(0)
    while some == 0:  # a coin for each card; if none is chosen, all coins are thrown again
        some = cards & np.int64(rng.word(dice, counter) >> SURPLUS_BITS)
        counter += 1
    return some
