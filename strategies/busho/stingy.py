"""Stingy for busho."""

import numpy as np

from sim.games.busho.cards import CARD_WORDS, GENERAL_WORDS, KINDS, WORD
from sim.jit import lowest_bit, rule
from strategies.busho.greedy import choice_by_value
from strategies.busho.outs import fill_outs, unseen_copies
from strategies.registry import strategy

REACH, SECOND, FEAR = 0, 1, 2  # places of the parameters


@strategy("busho", title="Stingy", params={"reach": 0.6, "second": 0.2, "fear": 0.3}, blind={"fear": 0.0})
def stingy(state, rules, params):
    """Keep what is likely to become a name, and throw away what nobody else can use.

    Its own names count as for outs, with the same ``reach`` and ``second``. To throw a card away costs besides ``fear``
    names for each name that the others may still complete with it, divided by the cards that an opponent holds, since a
    small hand wins soon, and by the number of opponents, who share the loss.

    Weakness: it holds on to cards of large families for fear alone, and takes no notice of what an opponent has thrown
    away or grabbed.
    """
    value = np.empty(KINDS, np.float64)
    fill_outs(state, rules, params[REACH], params[SECOND], value)
    seat = state.seat
    fear = params[FEAR] * pressure(state)
    last = np.int64(-1)  # copies follow one another
    for word in range(CARD_WORDS):
        left = state.hand[seat, word]
        while left:
            kind = np.int64(rules.kind[word * WORD + lowest_bit(left)])
            left &= left - 1
            if kind != last:
                value[kind] += fear * danger(state, rules, seat, kind)
            last = kind
    return choice_by_value(state, rules, value)


@rule
def pressure(state):
    """How much a name that an opponent completes costs each of the others: more, the fewer cards it holds. float64."""
    opponents = state.players - 1
    total = 0.0
    for other in range(state.players):
        if other != state.seat:
            total += 1.0 / max(state.hand_size[other], 1)
    return total / opponents**2


@rule
def danger(state, rules, seat, kind):
    """How many names an opponent may complete with a card of this kind: both other cards are unseen. int64."""
    names = np.int64(0)
    for word in range(GENERAL_WORDS):
        left = rules.needs[kind, 0, word] & state.live[word]
        while left:
            spelled = rules.spelled[word * WORD + lowest_bit(left)]
            left &= left - 1
            place = 0  # of this card, which lies on the pile
            while spelled[place] != kind:
                place += 1
            first = unseen_copies(state, rules, seat, np.int64(spelled[1 if place == 0 else 0]))
            second = unseen_copies(state, rules, seat, np.int64(spelled[1 if place == 2 else 2]))
            names += first > 0 and second > 0
    return names
