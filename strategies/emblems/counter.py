"""Counter for Emblems."""

import numpy as np

from sim.games.emblems.rules import PLACES
from strategies.emblems.denier import richest_other
from strategies.emblems.greedy import View, best_action, to_come
from strategies.registry import strategy

CROWD, SPITE = 0, 1  # places of the parameters


@strategy("emblems", title="Counter", params={"crowd": 1.0, "spite": 0.25})
def counter(state, rules, params):
    """Count what the others have played, and so what they may still hold.

    It plays like greedy, but expects only cards that have not been seen yet to push in, and hurts the richest opponent
    where that costs little (``spite``: what a coin of theirs is worth). ``crowd`` as in greedy.

    Weakness: it counts cards, not intentions: to it every card that may come is equally likely, in every Location.
    """
    seat = np.int64(state.seat)
    crowd = params[CROWD] * to_come(state, rules) / PLACES
    return best_action(state, rules, View(seat, richest_other(state, rules, seat), params[SPITE], crowd, True))
