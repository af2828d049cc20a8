"""High card for Emblems."""

import numpy as np

from sim.games.emblems.rules import NOWHERE, PLACE, PLACES, SELECT, first_gap, place_code, select_code
from sim.jit import count_bits, lowest_bit
from strategies.emblems.greedy import NOBODY, View, best_effect, reward
from strategies.registry import strategy


@strategy("emblems", title="High card")
def high_card(state, rules, params):
    """Play the highest card to the best reward that it would get right now.

    Its immediate effects it uses as greedy does.

    Weakness: it sees no effect coming and nobody pushing in, and is left with its low cards in the last round.
    """
    seat = np.int64(state.seat)
    if state.phase == SELECT:
        hand = state.hand[seat]
        for _ in range(count_bits(hand) - 1):
            hand &= hand - 1
        return select_code(lowest_bit(hand) + 1)
    if state.phase == PLACE:
        value, forced = np.int64(state.selected[seat]), state.forced[seat]
        best, choice = -1e9, np.int64(0)
        for location in range(PLACES):
            if forced in (NOWHERE, location):
                gap = first_gap(state, location, value)
                coins = reward(rules, location, gap, value, np.int64(state.length[location]) + 1)
                if coins > best:
                    best, choice = coins, place_code(location, gap)
        return choice
    return best_effect(state, rules, View(seat, np.int64(NOBODY), 0.0, 0.0, False))
