"""Stingy for busho."""

import numpy as np

from sim.games.busho.cards import CARD_WORDS, GENERAL_WORDS, KINDS, WORD
from sim.jit import lowest_bit, rule
from strategies.busho.greedy import choice_by_value
from strategies.busho.outs import fill_outs, unseen_cards, unseen_copies
from strategies.registry import strategy

REACH, SECOND, FEAR = 0, 1, 2  # places of the parameters


@strategy("busho", title="Stingy", params={"reach": 0.6, "second": 0.2, "fear": 0.1}, blind={"fear": 0.0})
def stingy(state, rules, params):
    """Keep what is likely to become a name, and throw away what nobody else can use.

    Its own names count as for outs, with the same ``reach`` and ``second``. To throw a card away costs besides
    ``fear`` names for each name that an opponent may complete with it: the chance that both other cards are in one
    hand, judged by what has been shown and discarded.

    Weakness: it holds on to cards of large families for fear alone, and takes all unseen cards for equally likely
    everywhere, although an opponent keeps what goes together.
    """
    value = np.empty(KINDS, np.float64)
    fill_outs(state, rules, params[REACH], params[SECOND], value)
    seat = state.seat
    last = np.int64(-1)  # copies follow one another
    for word in range(CARD_WORDS):
        left = state.hand[seat, word]
        while left:
            kind = np.int64(rules.kind[word * WORD + lowest_bit(left)])
            left &= left - 1
            if kind != last:
                value[kind] += params[FEAR] * danger(state, rules, seat, kind)
            last = kind
    return choice_by_value(state, rules, value)


@rule
def danger(state, rules, seat, kind):
    """Names that the opponents can be expected to complete with a card of this kind. float64."""
    unseen = max(unseen_cards(state, seat), 1)
    total = 0.0
    for word in range(GENERAL_WORDS):
        left = rules.needs[kind, 0, word] & state.live[word]
        while left:
            general = word * WORD + lowest_bit(left)
            left &= left - 1
            spelled = rules.spelled[general]
            place = 0  # of this card, which lies on the pile
            while spelled[place] != kind:
                place += 1
            first = unseen_copies(state, rules, seat, np.int64(spelled[1 if place == 0 else 0]))
            second = unseen_copies(state, rules, seat, np.int64(spelled[1 if place == 2 else 2]))
            if first and second:
                for other in range(state.players):
                    if other != seat:
                        size = state.hand_size[other]
                        total += min(1.0, first * size / unseen) * min(1.0, second * size / unseen)
    return total
