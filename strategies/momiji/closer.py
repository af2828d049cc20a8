"""Closer for Momiji."""

import numpy as np

from strategies.momiji.greedy import UNIT, Outlook, best_action, units
from strategies.registry import strategy

TORII, HOPE, WATCH = 0, 1, 2  # places of the parameters


@strategy("momiji", title="Closer", params={"torii": 3.0, "hope": 2.0, "watch": 1.0}, blind={"watch": 0.0})
def closer(state, rules, params):
    """Rush to the end: raise piles to 3 and close them, before the others have built theirs.

    Like greedy, but closing a pile counts ``torii`` points more, and each step towards it a quarter of that. ``hope``
    is what it sees in collecting a leaf, ``watch`` is as for greedy.

    Weakness: its piles are short, so they are worth little where the others do not let it finish early; and it ends
    games that it does not win.
    """
    torii, hope, nothing = units(params[TORII]), units(params[HOPE]), np.int64(0)
    acorn, trust, watch = np.int64(UNIT), np.int64(UNIT // 2), params[WATCH] > 0
    outlook = Outlook(acorn, hope // 2, torii // 4, torii, nothing, trust, hope, nothing, watch)
    return best_action(state, rules, outlook)
