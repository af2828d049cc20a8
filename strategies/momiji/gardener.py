"""Gardener for Momiji."""

import numpy as np

from strategies.momiji.greedy import UNIT, Outlook, best_action, units
from strategies.registry import strategy

LENGTH, CARE, WATCH = 0, 1, 2  # places of the parameters


@strategy("momiji", title="Gardener", params={"length": 0.4, "care": 2.0, "watch": 1.0}, blind={"watch": 0.0})
def gardener(state, rules, params):
    """Grow long piles first and raise them late: every leaf counts again with each step of its pile.

    Like greedy, but a leaf laid counts ``length`` points more, whatever its value, and each leaf that can no longer be
    laid after a step ``care`` points less. It does not like to close a pile. ``watch`` is as for greedy.

    Weakness: it needs a long game. Where somebody closes piles early, its own still have low tops.
    """
    length, care = units(params[LENGTH]), units(params[CARE])
    acorn, nothing, hope, trust = np.int64(UNIT), np.int64(0), np.int64(UNIT * 3 // 2), np.int64(UNIT // 2)
    outlook = Outlook(acorn, length, nothing, -care, -care, trust, hope, nothing, params[WATCH] > 0)
    return best_action(state, rules, outlook)
