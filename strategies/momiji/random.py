"""Random player for Momiji."""

import numpy as np

from sim import rng
from sim.games.momiji.cards import (
    CORNERS,
    END_TURN,
    FACE_BITS,
    NO_MIXING,
    NO_TYPE,
    OBJECTIVES,
    REVEAL,
    TYPES,
    VALUES,
)
from sim.games.momiji.rules import (
    CHOOSE,
    SIDE,
    TRIMMING,
    activate_code,
    can_activate,
    can_reveal,
    collect_code,
    copies_in,
    displayed,
    excess,
    fitting,
    laid_bits,
    lay_code,
    leaves_of,
    lowest_face,
    one_leaf,
    playable,
    trim_code,
    without_face,
)
from sim.jit import count_bits, lowest_bit, rule
from strategies.registry import strategy

COLLECTING, LAYING, ACTIVATING = 1, 2, 4


@strategy("momiji", title="Random")
def random(state, rules, params):
    """Play anything: collect, lay or activate, each equally likely where it can be done at all.

    Before it collects it pays for more leaves every other time, and takes any type; it lays leaves of one type or of
    different types, whatever fits; it activates any objective. It never uses a landscape or discards for an acorn.

    Weakness: it has no plan at all. It is the yardstick: what beats it only just does not think.
    """
    key = rng.word(state.policy[state.seat], state.decision)
    if state.phase == SIDE:
        return np.int64(END_TURN)
    if state.phase == TRIMMING:
        return any_trim(state, rules, key)
    if state.phase == CHOOSE:
        return collect_code(rng.random_bit(displayed(state), key, 0), NO_TYPE)
    objectives = np.int64(0)
    for objective in range(len(OBJECTIVES)):
        objectives |= np.int64(can_activate(state, rules, objective)) << objective
    types = np.int64(0)
    for kind in range(TYPES):
        types |= np.int64(playable(state, rules, kind) != 0) << kind
    kinds = COLLECTING | (LAYING if types else 0) | (ACTIVATING if objectives else 0)
    kind = np.int64(1) << rng.random_bit(kinds, key, 0)
    if kind == ACTIVATING:
        return activate_code(rng.random_bit(objectives, key, 1))
    if kind == LAYING:
        return any_lay(state, rules, types, key)
    if can_reveal(state, rules) and rng.below(key, 1, 2) == 0:
        return np.int64(REVEAL)
    return collect_code(rng.random_bit(displayed(state), key, 2), NO_TYPE)


@rule
def any_face(bunch, key, number):
    """Draw the face of one of the leaves of a bunch, those that are alike counted singly. int64."""
    skip = rng.below(key, number, leaves_of(bunch))
    face = lowest_face(bunch)
    while skip >= copies_in(bunch, face):
        skip -= copies_in(bunch, face)
        bunch = without_face(bunch, face)
        face = lowest_face(bunch)
    return face


@rule
def any_lay(state, rules, types, key):
    """Draw a lay: leaves of one type or of different ones, then which."""
    mixing = types & (types - 1) != 0 and rules.may[state.seat, NO_MIXING] == 1
    if not mixing or rng.below(key, 1, 2) == 0:
        return any_lay_of_one_type(state, rules, rng.random_bit(types, key, 2), key)
    chosen = any_set(types, key, 3)
    code = lay_code(count_bits(chosen), 0)
    place = 0
    while chosen:
        kind = lowest_bit(chosen)
        chosen &= chosen - 1
        face = any_face(playable(state, rules, kind), key, 8 + kind)
        code |= laid_bits(place, kind << FACE_BITS | face, 0)
        place += 1
    return code


@rule
def any_set(types, key, number):
    """Draw one of the sets of at least two of these types. Mask (int64)."""
    count = count_bits(types)
    # In the order of their numbers; those of one type or none are skipped.
    skip = rng.below(key, number, (np.int64(1) << count) - count - 1)
    chosen = np.int64(0)
    while True:
        chosen += 1
        if chosen & (chosen - 1):
            if skip == 0:
                break
            skip -= 1
    spread = np.int64(0)
    for bit in range(count):
        if chosen >> bit & 1:
            spread |= types & -types
        types &= types - 1
    return spread


@rule
def any_lay_of_one_type(state, rules, kind, key):
    """Draw one or two leaves of a type; two only where some two fit, and one after all if the first bars the second."""
    seat = state.seat
    first = playable(state, rules, kind)
    hand = state.hand[seat, kind] & rules.may_lay[seat, kind]
    two = False
    left = first
    while left:
        face = lowest_face(left)
        left = without_face(left, face)
        two |= (hand - one_leaf(face)) & fitting(face) != 0
    face = any_face(first, key, 5)
    laid = laid_bits(0, kind << FACE_BITS | face, 0)
    if two and rng.below(key, 4, 2) == 1:
        second = (hand - one_leaf(face)) & fitting(face)
        if second:
            return lay_code(2, 0) | laid | laid_bits(1, kind << FACE_BITS | any_face(second, key, 6), 0)
    return lay_code(1, 0) | laid


@rule
def any_trim(state, rules, key):
    """Draw the leaves that go, one after the other; of leaves that are alike the first ones go."""
    held = np.int64(state.held[state.seat])
    going = np.int64(0)
    for number in range(excess(state, rules)):
        skip = rng.below(key, number, held - number)
        place = 0
        while skip > 0 or going >> place & 1:
            skip -= 1 - (going >> place & 1)
            place += 1
        going |= np.int64(1) << place
    return trim_code(first_alike(state, going))


@rule
def first_alike(state, going):
    """Move the places of leaves that go to the first of those that are alike. Mask (int64)."""
    places, base = np.int64(0), 0
    for kind in range(TYPES):
        left = state.hand[state.seat, kind]
        for face in range(VALUES * len(CORNERS)):
            copies = copies_in(left, face)
            if copies:
                count = count_bits(going >> base & ((np.int64(1) << copies) - 1))
                places |= ((np.int64(1) << count) - 1) << base
                base += copies
    return places
