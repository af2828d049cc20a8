"""Greedy for busho, and how a choice follows from what the cards of a hand are worth."""

import numpy as np

from sim.games.busho.cards import (
    CARD_WORDS,
    DISCARD,
    GENERAL_WORDS,
    GRAB,
    GRABBING,
    KIND_BITS,
    KINDS,
    SHOW,
    TURN,
    WORD,
)
from sim.games.busho.rules import grabbable, showable, top_card
from sim.jit import count_bits, lowest_bit, rule
from strategies.registry import strategy

PAIR = 0  # place of the parameter
COMPLETE = 100.0  # a complete name in hand is never broken up for one that is not


@strategy("busho", title="Greedy", params={"pair": 6.0})
def greedy(state, rules, params):
    """Keep the cards with the most live completions.

    A card counts 1 for each general that it could still help to spell, and ``pair`` where another card of that name is
    in hand as well. A general is dead once all copies of one of its cards are discarded or shown. It shows and grabs
    whatever it can, with the cards that count least.

    Weakness: it takes all live completions for equally likely, whether one copy of a card is left or three, and never
    asks who could use what it throws away.
    """
    seat = state.seat
    value = np.empty(KINDS, np.float64)
    for word in range(CARD_WORDS):
        left = state.hand[seat, word]
        while left:
            kind = np.int64(rules.kind[word * WORD + lowest_bit(left)])
            left &= left - 1
            total = 0.0
            for part in range(GENERAL_WORDS):
                spelled = rules.needs[kind, 0, part]
                live = spelled & state.live[part]
                total += COMPLETE * count_bits(spelled & state.ready[seat, part])
                total += params[PAIR] * count_bits(live & state.near[seat, part])
                total += count_bits(live & state.far[seat, part])
            value[kind] = total / state.count[seat, kind]  # one of two copies is seldom missed
    return choice_by_value(state, rules, value)


@rule
def choice_by_value(state, rules, value):
    """Show or grab the name whose cards are worth least; without one, discard the card that is worth least.

    Among equals the general that comes first, and the card with the most crests.

    Parameters
    ----------
    value : float64[KINDS]
        What a card of each kind in hand is worth. Read only.
    """
    seat = state.seat
    if state.phase == GRABBING:
        general = cheapest_general(state, rules, value, True)
        return general << KIND_BITS | GRAB
    if state.phase == TURN:
        general = cheapest_general(state, rules, value, False)
        if general >= 0:
            return general << KIND_BITS | SHOW
    least, crests, choice = 0.0, np.int64(0), np.int64(-1)
    for word in range(CARD_WORDS):
        left = state.hand[seat, word]
        while left:
            card = word * WORD + lowest_bit(left)
            left &= left - 1
            kind = np.int64(rules.kind[card])
            worth = value[kind]
            if choice < 0 or worth < least or (worth == least and rules.crests[kind] > crests):
                least, crests, choice = worth, np.int64(rules.crests[kind]), card
    return choice << KIND_BITS | DISCARD


@rule
def cheapest_general(state, rules, value, grabbing):
    """Of the generals that can be grabbed or shown, the one whose own cards are worth least; −1 without one. int64."""
    seat = state.seat
    least, choice = 0.0, np.int64(-1)
    for word in range(GENERAL_WORDS):
        left = grabbable(state, rules, seat, word) if grabbing else showable(state, rules, seat, word)
        while left:
            general = word * WORD + lowest_bit(left)
            left &= left - 1
            taken = np.int64(rules.kind[top_card(state)]) if grabbing else np.int64(-1)
            worth = 0.0
            for part in range(3):
                kind = np.int64(rules.spelled[general, part])
                if kind == taken:
                    taken = np.int64(-1)  # this one is not taken from the hand
                else:
                    worth += value[kind]
            if choice < 0 or worth < least:
                least, choice = worth, general
    return choice
