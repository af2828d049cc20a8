"""Outs for busho, and what the cards of a hand are worth by the copies still unseen."""

import numpy as np

from sim.games.busho.cards import CARD_WORDS, GENERAL_WORDS, KINDS, WORD
from sim.jit import lowest_bit, rule
from strategies.busho.greedy import COMPLETE, choice_by_value
from strategies.registry import strategy

REACH, SECOND = 0, 1  # places of the parameters


@strategy("busho", title="Outs", params={"reach": 0.6, "second": 0.2})
def outs(state, rules, params):
    """Keep the cards that are likeliest to become names, counting the copies still unseen.

    A card that a name lacks comes with a chance that grows with its unseen copies and with the part ``reach`` of the
    deck that the hand will still meet, by drawing it or on the discard pile. A card in hand is worth the chances of all
    the names that it helps to spell; a name that lacks two cards needs both in time, and counts ``second`` of that. It
    shows and grabs whatever it can.

    Weakness: it counts names that share a card as if all of them could come true, and never asks who could use what it
    throws away.
    """
    value = np.empty(KINDS, np.float64)
    fill_outs(state, rules, params[REACH], params[SECOND], value)
    return choice_by_value(state, rules, value)


@rule
def fill_outs(state, rules, reach, second, value):
    """Fill in for each kind in hand the names to be expected from it, by the copies still unseen.

    Parameters
    ----------
    reach : float64
        Part of the deck that a hand will meet.
    second : float64
        What the chance of a name that lacks two cards is multiplied by.
    value : float64[KINDS]
        Filled for the kinds in hand.
    """
    seat = state.seat
    luck = min(1.0, reach * state.deck_left / max(unseen_cards(state, seat), 1))  # chance of each unseen copy to come
    for word in range(CARD_WORDS):
        left = state.hand[seat, word]
        while left:
            value[np.int64(rules.kind[word * WORD + lowest_bit(left)])] = 0.0
            left &= left - 1
    for word in range(GENERAL_WORDS):
        left = state.ready[seat, word] | (state.near[seat, word] | state.far[seat, word]) & state.live[word]
        while left:
            general = word * WORD + lowest_bit(left)
            complete = state.ready[seat, word] >> (general % WORD) & 1
            left &= left - 1
            chance = COMPLETE if complete else 1.0
            lacking = 0
            for part in range(3):
                if lacks(state, rules, seat, general, part):
                    copies = unseen_copies(state, rules, seat, np.int64(rules.spelled[general, part]))
                    chance *= 1.0 - (1.0 - luck) ** copies
                    lacking += 1
            if lacking == 2:
                chance *= second
            for part in range(3):
                if not lacks(state, rules, seat, general, part):
                    kind = np.int64(rules.spelled[general, part])
                    value[kind] += chance / state.count[seat, kind]  # one of two copies is seldom missed


@rule
def lacks(state, rules, seat, general, part):
    """Whether a hand lacks one of the three cards of a general."""
    kind = np.int64(rules.spelled[general, part])
    needed = 2 if part == 2 and kind == rules.spelled[general, 1] else 1
    return state.count[seat, kind] < needed


@rule
def unseen_copies(state, rules, seat, kind):
    """Cards of a kind that a seat has not seen: in the deck or in other hands. int64."""
    return np.int64(rules.copies[kind]) - state.gone[kind] - state.count[seat, kind]


@rule
def unseen_cards(state, seat):
    """All cards that a seat has not seen. int64."""
    total = np.int64(state.deck_left)
    for other in range(state.players):
        if other != seat:
            total += state.hand_size[other]
    return total
