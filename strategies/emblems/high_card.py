"""High card for Emblems."""

import numpy as np

from sim.games.emblems.cards import (
    ALCHEMIST,
    BARD,
    COURTESAN,
    GUARD,
    HUNTER,
    NO_CARD,
    NO_EFFECT,
    SEAT_BITS,
    STRATEGIST,
    THIEF,
    VALUES,
)
from sim.games.emblems.rules import (
    NOWHERE,
    PLACE,
    PLACES,
    RANKS,
    SEAT_OF,
    SELECT,
    can_copy,
    can_rob,
    can_swap,
    card_just_placed,
    effect_code,
    first_gap,
    has_target,
    highest_card,
    is_selected_by_other,
    neighbour,
    place_code,
    select_code,
)
from sim.jit import rule
from strategies.emblems.greedy import coins_of
from strategies.registry import strategy

MIDDLE = (VALUES + 1) // 2  # value that stands for a card that nobody has seen


@strategy("emblems", title="High card")
def high_card(state, rules, params):
    """Play the highest card in hand to the best reward that is open to it right now.

    What characters do does not interest it. Where it has to choose, it hits another player's card rather than its own
    and a high one rather than a low one, sends cards to the poorest Location and calls the lowest card.

    Weakness: it shows its best cards first, so that whoever comes later can get in front of them, and has only low ones
    left for the last round.
    """
    seat = np.int64(state.seat)
    if state.phase == SELECT:
        value = np.int64(VALUES)
        while state.hand[seat] >> (value - 1) & 1 == 0:
            value -= 1
        return select_code(value)
    if state.phase == PLACE:
        value, forced = np.int64(state.selected[seat]), np.int64(state.forced[seat])
        location = open_location(state, rules, value, 1, np.int64(NOWHERE)) if forced == NOWHERE else forced
        return place_code(location, first_gap(state, location, value))
    effect = card_just_placed(state) >> SEAT_BITS
    if effect == ALCHEMIST:
        left, right = neighbour(state, -1), neighbour(state, 1)
        if can_copy(state, rules, left):
            effect = left >> SEAT_BITS
        elif can_copy(state, rules, right):
            effect = right >> SEAT_BITS
    return plain_effect(state, rules, effect)


@rule
def open_location(state, rules, value, sign, left_out):
    """The Location with the best (sign 1) or poorest (sign −1) reward open to a card of this value. int64."""
    best, choice = np.int64(0), np.int64(NOWHERE)
    for location in range(PLACES):
        if location != left_out:
            rank = min(first_gap(state, location, value), RANKS - 1)
            entry = np.int64(rules.rewards[location, rank])
            coins = sign * coins_of(state, entry, value, np.int64(state.length[location]) + 1)
            if choice == NOWHERE or coins > best:
                best, choice = coins, np.int64(location)
    return choice


@rule
def plain_effect(state, rules, effect):
    """Carry out an effect without much thought. Action."""
    if not has_target(state, effect):
        return effect_code(NO_EFFECT, 0, 0, 0)
    if effect == HUNTER:
        return effect_code(HUNTER, highest_card(state), 0, 0)
    if effect in (COURTESAN, STRATEGIST):
        seat = np.int64(state.seat)
        while not (can_swap(state, seat) if effect == COURTESAN else is_selected_by_other(state, seat)):
            seat = (seat + 1) % state.players
        to = open_location(state, rules, np.int64(MIDDLE), -1, np.int64(NOWHERE)) if effect == STRATEGIST else 0
        return effect_code(effect, seat, to, 0)
    if effect == BARD:
        card = lowest_elsewhere(state)
        return effect_code(BARD, card, 0, first_gap(state, np.int64(state.location), card >> SEAT_BITS))
    # The left neighbour is the higher one.
    left, right = neighbour(state, -1), neighbour(state, 1)
    card = left if left != NO_CARD and (can_rob(state, left) or not can_rob(state, right)) else right
    if effect == THIEF and card & SEAT_OF == state.seat:
        card = right if card == left else left
    if effect != GUARD:
        return effect_code(effect, card, 0, 0)
    to = open_location(state, rules, card >> SEAT_BITS, -1, np.int64(state.location))
    return effect_code(GUARD, card, to, first_gap(state, to, card >> SEAT_BITS))


@rule
def lowest_elsewhere(state):
    """The lowest card of the other rows. int64."""
    lowest = np.int64(NO_CARD)
    for location in range(PLACES):
        if location != state.location and state.length[location]:
            card = np.int64(state.rows[location, state.length[location] - 1])
            if lowest == NO_CARD or card >> SEAT_BITS < lowest >> SEAT_BITS:
                lowest = card
    return lowest
