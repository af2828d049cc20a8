"""Crest minimiser for busho."""

import numpy as np

from sim.games.busho.cards import CARD_WORDS, KINDS, WORD
from sim.jit import lowest_bit
from strategies.busho.greedy import choice_by_value
from strategies.busho.outs import fill_outs
from strategies.registry import strategy

REACH, SECOND, ENDGAME, WEIGHT = 0, 1, 2, 3  # places of the parameters


@strategy("busho", title="Crest minimiser", params={"reach": 0.6, "second": 0.2, "endgame": 2.0, "weight": 0.02})
def crest_minimiser(state, rules, params):
    """Play for names like outs, and near the end for few crests, since they decide among equal hands.

    Its own names count as for outs, with the same ``reach`` and ``second``. In the last ``endgame`` rounds of draws a
    first name is worth ``weight`` names less for each crest on it, so that those with many crests go first.

    Weakness: crests matter only among equals, and the first names with many crests are those that spell the most
    names: whoever throws them away too early ends with a card too many.
    """
    seat = state.seat
    value = np.empty(KINDS, np.float64)
    fill_outs(state, rules, params[REACH], params[SECOND], value)
    if state.deck_left < params[ENDGAME] * state.players:
        last = np.int64(-1)  # copies follow one another
        for word in range(CARD_WORDS):
            left = state.hand[seat, word]
            while left:
                kind = np.int64(rules.kind[word * WORD + lowest_bit(left)])
                left &= left - 1
                if kind != last:
                    value[kind] -= params[WEIGHT] * rules.crests[kind]
                last = kind
    return choice_by_value(state, rules, value)
