"""Acorn engine for Momiji."""

import numpy as np

from strategies.momiji.greedy import UNIT, Outlook, best_action, units
from strategies.registry import strategy

ACORN, TRUST, WATCH = 0, 1, 2  # places of the parameters


@strategy("momiji", title="Acorn engine", params={"acorn": 1.6, "trust": 0.6, "watch": 1.0}, blind={"watch": 0.0})
def acorn_engine(state, rules, params):
    """Let neighbouring 0s earn acorns turn after turn, and pay for objectives with them.

    Like greedy, but an acorn counts ``acorn`` points, a 0 for a new pile is worth collecting, and of an objective's
    points it counts the part ``trust``. ``watch`` is as for greedy.

    Weakness: while it keeps its 0s visible its piles are worth nothing, and it takes objectives before it is sure of
    them.
    """
    acorn, trust = units(params[ACORN]), units(params[TRUST])
    nothing, hope = np.int64(0), np.int64(UNIT * 3 // 2)
    outlook = Outlook(acorn, hope // 2, nothing, nothing, nothing, trust, hope, np.int64(UNIT), params[WATCH] > 0)
    return best_action(state, rules, outlook)
