"""Random player for Emblems."""

import numpy as np

from sim import rng
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
    WARRIOR,
)
from sim.games.emblems.rules import (
    NOWHERE,
    PLACE,
    PLACES,
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
    last_gap,
    neighbour,
    place_code,
    select_code,
)
from sim.jit import count_bits, lowest_bit, rule
from strategies.registry import strategy


@strategy("emblems", title="Random")
def random(state, rules, params):
    """Play anything: every card, Location, gap and target that is allowed is equally likely.

    It selects among its hand, places at any Location and acts whenever it can, against itself too.

    Weakness: it has no plan at all. It is the yardstick: what beats it only just does not think.
    """
    key = rng.word(state.policy[state.seat], state.decision)
    if state.phase == SELECT:
        return select_code(one_of(state.hand[state.seat], key, 0) + 1)
    if state.phase == PLACE:
        forced = np.int64(state.forced[state.seat])
        location = rng.below(key, 0, PLACES) if forced == NOWHERE else forced
        return place_code(location, any_gap(state, location, state.selected[state.seat], key, 1))
    return any_effect(state, rules, key)


@rule
def one_of(mask, key, number):
    """Draw one of the bits of a mask, with one number of the stream ``key``. int64."""
    for _ in range(rng.below(key, number, count_bits(mask))):
        mask &= mask - 1
    return lowest_bit(mask)


@rule
def any_gap(state, location, value, key, number):
    """Draw a gap of a row for a card of this value. int64."""
    first = first_gap(state, location, value)
    return first + rng.below(key, number, last_gap(state, location, value) - first + 1)


@rule
def any_effect(state, rules, key):
    """Draw what the card just placed does: on whom, then where to, then which gap; number 3 is the Alchemist's."""
    effect = card_just_placed(state) >> SEAT_BITS
    left, right = neighbour(state, -1), neighbour(state, 1)
    if effect == ALCHEMIST:
        from_left, from_right = can_copy(state, rules, left), can_copy(state, rules, right)
        if from_left and (not from_right or rng.below(key, 3, 2) == 0):
            effect = left >> SEAT_BITS
        elif from_right:
            effect = right >> SEAT_BITS
    if effect == ALCHEMIST or not has_target(state, effect):
        return effect_code(NO_EFFECT, 0, 0, 0)
    if effect == HUNTER:
        return effect_code(HUNTER, highest_card(state), 0, 0)
    if effect == BARD:
        return any_summons(state, key)
    if effect in (COURTESAN, STRATEGIST):
        players = 0
        for seat in range(state.players):
            if can_swap(state, seat) if effect == COURTESAN else is_selected_by_other(state, seat):
                players |= 1 << seat
        to = rng.below(key, 1, PLACES) if effect == STRATEGIST else 0
        return effect_code(effect, one_of(players, key, 0), to, 0)
    if effect in (GUARD, WARRIOR):
        from_left, from_right = left != NO_CARD, right != NO_CARD
    else:
        from_left, from_right = can_rob(state, left), can_rob(state, right)
    card = left if from_left and (not from_right or rng.below(key, 0, 2) == 0) else right
    if effect != GUARD:
        return effect_code(effect, card, 0, 0)
    to = (state.location + 1 + rng.below(key, 1, PLACES - 1)) % PLACES
    return effect_code(GUARD, card, to, any_gap(state, to, card >> SEAT_BITS, key, 2))


@rule
def any_summons(state, key):
    """Draw a card of the other rows for the Bard, and its gap in the Bard's row."""
    here = np.int64(state.location)
    elsewhere = np.int64(0)
    for location in range(PLACES):
        elsewhere += 0 if location == here else state.length[location]
    place = rng.below(key, 0, elsewhere)
    location = np.int64(here == 0)
    while place >= state.length[location]:
        place -= state.length[location]
        location += 1 if location + 1 != here else 2
    card = np.int64(state.rows[location, place])
    return effect_code(BARD, card, 0, any_gap(state, here, card >> SEAT_BITS, key, 2))
