"""Strongest first for Sangoku."""

import numpy as np

from sim.games.sangoku.arrange import BUCKETS, arrange
from sim.games.sangoku.cards import HAND, REALMS
from sim.games.sangoku.rules import ARRANGE
from sim.jit import rule
from strategies.registry import strategy
from strategies.sangoku.balanced import Mind, decide

# In place of chances the strength itself; the strength in one Realm weighs more than any in the next.
LADDER = np.tile(np.linspace(0.0, 1.0, BUCKETS + 1, dtype=np.float32), (len(REALMS), 1))
STEP = 1e-4


@strategy("sangoku", title="Strongest first", params={"nerve": 0.5, "watch": 1.0}, blind={"watch": 0.0})
def strongest_first(state, rules, params):
    """Lay the strongest hand in the Heavens and the next on Earth; the Hells get the rest.

    Equal up to the second rank, the hands below decide. It wagers where its chance is at least ``nerve``, and redeems
    cards and sets like Balanced, whose ``watch`` it has.

    Weakness: a full house in the Heavens costs it the pairs and straights with which it would have won both the other
    Realms.
    """
    if state.phase == ARRANGE:
        return from_the_top(state, rules)
    return decide(state, rules, Mind(False, 0.0, params[0], 1.0, params[1] > 0))


@rule
def from_the_top(state, rules):
    """Arrange for the strongest Heavens, then Earth, then Hells."""
    worth = np.empty(len(REALMS))
    worth[0], worth[1], worth[2] = 1.0, STEP, STEP * STEP
    return arrange(state.hand[state.seat], LADDER, worth, np.zeros(HAND), rules.bridge_suited, rules.wheel)
