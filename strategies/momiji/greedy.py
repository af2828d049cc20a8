"""Greedy for Momiji, and how a player with a plan weighs what can be done; the other planners weigh the same way."""

from typing import NamedTuple

import numpy as np

from sim.games.momiji.cards import (
    CORNER_BITS,
    COST_ACTIVATE,
    COST_LANDSCAPE,
    COST_PATRON,
    COST_REVEAL,
    DISCARD_TWO,
    END_TURN,
    FACE_BITS,
    FREE,
    HIGHEST,
    LEAP,
    NO_MIXING,
    NO_TYPE,
    NONE,
    PATRON,
    REVEAL,
    SECOND_TYPE,
    SWAP,
    THIRD_CARD,
    TWO_FROM_DECK,
    TYPES,
)
from sim.games.momiji.rules import (
    CHOOSE,
    FACE,
    SIDE,
    TRIMMING,
    VALUE_BITS,
    activate_code,
    best_at,
    can_activate,
    can_discard_two,
    can_reveal,
    can_use,
    collect_code,
    copies_in,
    discard_code,
    displayed,
    excess,
    fitting,
    laid_bits,
    landscape_code,
    lay_code,
    leaping,
    leaves_of,
    lowest_face,
    one_leaf,
    playable,
    price_of_objective,
    standing,
    trim_code,
    without_face,
)
from sim.jit import count_bits, lowest_bit, rule
from strategies.registry import strategy

HOPE, TRUST, WATCH = 0, 1, 2  # places of the parameters

UNIT = 16  # points are counted in 16ths: in whole numbers everything is quicker
REASON = 1000.0  # no parameter is meant to be larger
WORST = -(1 << 40)
PASSED_BY = 8 * UNIT  # a leap passes leaves by, and is better kept for a long pile: it must bring so much more
MOST_WORTH = 51  # 20 leaves of a type on display stay below 1024
CHOICE_BITS, CHOICE_MASK = 5, 31  # a choice of a face or none (0) for each type, packed: 1 + face
PILE_BITS, PILE_MASK, LEFT_CORNERS = 2, 3, 0x555  # the acorns that a row's piles show, packed: LEFT_ACORN | RIGHT_ACORN


class Outlook(NamedTuple):
    """What things are worth to a player, in 16ths of a point.

    Attributes
    ----------
    acorn : int64
        An acorn.
    leaf : int64
        A leaf laid, whatever it brings now.
    step : int64
        Raising the top of a pile by one.
    torii : int64
        Closing a pile.
    waste : int64
        A leaf in hand that can no longer be laid after a step (below 0: a loss).
    trust : int64
        An objective of 16 points at which the player is best now.
    hope : int64
        Getting a leaf that may be laid some time.
    fresh : int64
        Getting a 0 of a type that has no pile yet, besides.
    watch : bool
        Whether it looks at the others before it takes itself to be best at something.
    """

    acorn: int
    leaf: int
    step: int
    torii: int
    waste: int
    trust: int
    hope: int
    fresh: int
    watch: bool


@strategy("momiji", title="Greedy", params={"hope": 1.2, "trust": 0.6, "watch": 1.0}, blind={"watch": 0.0})
def greedy(state, rules, params):
    """Do what brings most points at once, an acorn counted as a point.

    It looks at every lay with the acorns that it earns, and at every objective at which it is best now, of whose points
    it counts the part ``trust``. ``hope`` says how many points it sees in collecting a leaf that may be laid some time,
    and it sees half of that in laying one. It pays for more leaves or a landscape where that seems to bring more than
    it costs. Leaves that it can no longer lay it turns into acorns.
    With ``watch`` at 0 it does not look at the others, and takes itself to be best wherever it has anything.

    Weakness: it lives for the moment. It raises its piles as soon as it can, so that they stay short, and takes
    objectives that others win in the end.
    """
    nothing, hope = np.int64(0), units(params[HOPE])
    trust, watch = units(params[TRUST]), params[WATCH] > 0
    outlook = Outlook(np.int64(UNIT), hope // 2, nothing, nothing, nothing, trust, hope, nothing, watch)
    return best_action(state, rules, outlook)


@rule
def units(number):
    """Put a parameter into 16ths; one beyond all reason counts as 0. int64."""
    return np.int64(number * UNIT) if abs(number) <= REASON else np.int64(0)


@rule
def best_action(state, rules, outlook):
    """Decide whatever is to be decided, for a player with this outlook. Action."""
    if state.phase == SIDE:
        return best_aftermath(state, rules, outlook)
    if state.phase == TRIMMING:
        return least_loss(state, rules)
    kind, second, worth, more = best_collection(state, outlook)
    if state.phase == CHOOSE:
        return collect_code(kind, second)
    if can_discard_two(state, rules):
        pair = two_dead_leaves(state)
        if pair >= 0:
            return pair
    lay, best = best_lay(state, rules, outlook)
    objective, gain = best_objective(state, rules, outlook)
    if gain > best and gain > worth:
        if state.active == NONE and can_use(state, rules, PATRON) and saves(state, rules):
            return landscape_code(PATRON)
        return activate_code(objective)
    if best > worth:
        return lay
    if can_reveal(state, rules) and outlook.hope > worth + rules.cost[state.seat, COST_REVEAL] * outlook.acorn:
        return np.int64(REVEAL)
    if more > rules.cost[state.seat, COST_LANDSCAPE] * outlook.acorn and can_use(state, rules, SECOND_TYPE):
        return landscape_code(SECOND_TYPE)
    return collect_code(kind, second)


# --- collecting -------------------------------------------------------------------------------------------------------


@rule
def worth_of_leaf(state, outlook, kind, face):
    """What getting a leaf is worth to the seat in turn: nothing if its pile has passed it, less if it is far off."""
    value = np.int64(face) >> CORNER_BITS
    top = np.int64(state.top[state.seat, kind])
    if top == NONE:
        if value == 0:
            return outlook.hope + outlook.fresh
        begins = state.hand[state.seat, kind] & fitting(NONE) != 0
        return outlook.hope >> value - 1 if begins else outlook.hope >> value
    gap = value - (top >> CORNER_BITS)
    if gap < 0 or top >> CORNER_BITS == HIGHEST:
        return np.int64(0)
    return outlook.hope >> max(gap - 1, 0)


@rule
def best_collection(state, outlook):
    """Find the type whose leaves on display are worth most, and the second one.

    Returns
    -------
    int64, int64
        The type, and a second one where two may be collected, the lower number first; else NO_TYPE.
    int64
        What they are worth.
    int64
        What the second one would be worth.
    """
    worth = np.int64(0)  # by type, 10 bits each
    for place in range(state.display_length):
        leaf = np.int64(state.display[place])
        kind = leaf >> FACE_BITS
        worth += min(max(worth_of_leaf(state, outlook, kind, leaf & FACE), 0), MOST_WORTH) << 10 * kind
    types = displayed(state)
    best, second, most, next_most = np.int64(NO_TYPE), np.int64(NO_TYPE), np.int64(-1), np.int64(-1)
    while types:
        kind = lowest_bit(types)
        types &= types - 1
        here = worth >> 10 * kind & 1023
        if here > most:
            best, second, most, next_most = kind, best, here, most
        elif here > next_most:
            second, next_most = kind, here
    if state.active != SECOND_TYPE or second == NO_TYPE:
        return best, np.int64(NO_TYPE), most, max(next_most, 0)
    return min(best, second), max(best, second), most + next_most, np.int64(0)


# --- objectives -------------------------------------------------------------------------------------------------------


@rule
def best_objective(state, rules, outlook):
    """Find the objective that is worth most to activate now: objective and gain (int64, WORST if there is none)."""
    seat = state.seat
    best, choice = np.int64(WORST), np.int64(0)
    price = price_of_objective(state, rules)
    if state.acorns[seat] < price:
        return choice, best
    for place in range(state.objective_count):
        objective = np.int64(state.objectives[place])
        if state.holder[objective] == FREE and can_activate(state, rules, objective):
            held = best_at(state, objective) >> seat & 1 if outlook.watch else standing(state, seat, objective) > 0
            gain = rules.holder_points[seat, objective] * outlook.trust * held - price * outlook.acorn
            if gain > best:
                best, choice = gain, objective
    return choice, best


@rule
def saves(state, rules):
    """Whether the patron makes activating cheaper, its own price included."""
    cost = rules.cost[state.seat]
    return cost[COST_PATRON] + cost[COST_LANDSCAPE] < cost[COST_ACTIVATE]


# --- laying -----------------------------------------------------------------------------------------------------------


@rule
def gain_of(state, outlook, kind, top, height, face, others):
    """What laying a leaf on a pile brings.

    Parameters
    ----------
    top, height : int64
        Top face of the pile (or NONE) and its leaves.
    others : int64
        Bunch of the leaves of the type that stay in hand.
    """
    value = np.int64(face) >> CORNER_BITS
    below = np.int64(0) if top == NONE else np.int64(top) >> CORNER_BITS
    gain = (value * (height + 1) - below * height) * UNIT + outlook.leaf + outlook.step * (value - below)
    if value == HIGHEST:
        gain += outlook.torii
    if outlook.waste and value > below:
        passed = (np.int64(1) << VALUE_BITS * value) - (np.int64(1) << VALUE_BITS * below)
        gain += outlook.waste * leaves_of(others & passed)
    return gain


@rule
def best_lay(state, rules, outlook):
    """Find the lay that is worth most, or the landscape that makes a better one possible: action and gain (int64)."""
    choice, best = best_lay_with(state, rules, outlook, np.int64(state.active))
    for tile in (LEAP, SWAP):
        if can_use(state, rules, tile):
            _, gain = best_lay_with(state, rules, outlook, np.int64(tile))
            gain -= rules.cost[state.seat, COST_LANDSCAPE] * outlook.acorn
            if gain > max(best, 0) + (PASSED_BY if tile == LEAP else 0):
                choice, best = landscape_code(tile), gain
    return choice, best


@rule
def best_lay_with(state, rules, outlook, tile):
    """Find the lay that is worth most while a landscape (or NONE) holds, or the landscape for a third leaf.

    Returns
    -------
    int64, int64
        Action and gain.
    """
    seat = state.seat
    best, choice = np.int64(WORST), np.int64(0)
    third = tile == THIRD_CARD
    could = not third and can_use(state, rules, THIRD_CARD)
    fee = rules.cost[seat, COST_LANDSCAPE] * outlook.acorn
    chosen, total, count = np.int64(0), np.int64(0), 0
    more_by_leap, leap, leaping_kind = np.int64(0), np.int64(0), np.int64(0)
    for kind in range(TYPES):
        hand = state.hand[seat, kind]
        may = rules.may_lay[seat, kind]
        first = usual = playable(state, rules, kind)
        if tile == LEAP:
            first |= hand & leaping(state.top[seat, kind]) & may
        if first == 0:
            continue
        top, height = np.int64(state.top[seat, kind]), np.int64(state.height[seat, kind])
        single, its_face = np.int64(WORST), np.int64(0)
        leaped, its_leap = np.int64(WORST), np.int64(0)
        while first:
            face = lowest_face(first)
            first = without_face(first, face)
            left = hand - one_leaf(face)
            gain = gain_of(state, outlook, kind, top, height, face, left)
            leaps = copies_in(usual, face) == 0
            if leaps and gain > leaped:
                leaped, its_leap = gain, face
            if not leaps and gain > single:
                single, its_face = gain, face
            second = left & fitting(face) & may
            if tile == LEAP:
                second |= left & leaping(face) & may
            while second:
                above = lowest_face(second)
                second = without_face(second, above)
                rest = left - one_leaf(above)
                two = gain + gain_of(state, outlook, kind, face, height + 1, above, rest)
                lay = lay_code(2, 0) | laid_bits(0, kind << FACE_BITS | face, 0)
                lay |= laid_bits(1, kind << FACE_BITS | above, 0)
                if two > best:
                    best, choice = two, lay
                if third or could:
                    more = rest & fitting(above) & may
                    while more:
                        highest = lowest_face(more)
                        more = without_face(more, highest)
                        three = two + gain_of(
                            state, outlook, kind, above, height + 2, highest, rest - one_leaf(highest)
                        )
                        if third and three > best:
                            lay = lay & ~np.int64(0x38) | 3 << 3
                            best, choice = three, lay | laid_bits(2, kind << FACE_BITS | highest, 0)
                        elif could and three - fee > best:
                            best, choice = three - fee, landscape_code(THIRD_CARD)
        if single > best:
            best, choice = single, lay_code(1, 0) | laid_bits(0, kind << FACE_BITS | its_face, 0)
        if leaped > best:
            best, choice = leaped, lay_code(1, 0) | laid_bits(0, kind << FACE_BITS | its_leap, 0)
        if usual:
            chosen |= (its_face + 1) << CHOICE_BITS * kind
            total += single
            count += 1
        more = leaped - single if usual else leaped
        if more > more_by_leap:
            more_by_leap, leap, leaping_kind = more, its_leap + 1, np.int64(kind)
    if leap:
        count += chosen >> CHOICE_BITS * leaping_kind & CHOICE_MASK == 0
        chosen = chosen & ~(np.int64(CHOICE_MASK) << CHOICE_BITS * leaping_kind) | leap << CHOICE_BITS * leaping_kind
        total += more_by_leap
    if count >= 2 and rules.may[seat, NO_MIXING]:
        chosen, total = better_mix(state, rules, outlook, chosen, total, count)
        swap = np.int64(0)
        if tile == SWAP:
            swap, more_pairs = best_swap(state, rules, chosen)
            total += more_pairs * rules.pair_acorns * outlook.acorn
        if total > best:
            best, choice = total, mixed_lay(state, chosen, swap)
    return choice, best


@rule
def better_mix(state, rules, outlook, chosen, total, count):
    """Improve a lay of different types, one type after the other: another leaf, or none.

    Parameters
    ----------
    chosen : int64
        A face for each type, packed.
    total : int64
        What these leaves are worth, without acorns.
    count : int64
        How many types they are.

    Returns
    -------
    int64, int64
        The better choice, and its worth with the acorns.
    """
    seat = state.seat
    pair = rules.pair_acorns * outlook.acorn
    best = total + pair * pairs_after(state, rules, chosen)
    for kind in range(TYPES):
        before = chosen >> CHOICE_BITS * kind & CHOICE_MASK
        if before == 0:
            continue
        hand = state.hand[seat, kind]
        top, height = np.int64(state.top[seat, kind]), np.int64(state.height[seat, kind])
        rest = chosen & ~(np.int64(CHOICE_MASK) << CHOICE_BITS * kind)
        without = total - gain_of(state, outlook, kind, top, height, before - 1, hand - one_leaf(before - 1))
        now = before
        if count > 2:
            worth = without + pair * pairs_after(state, rules, rest)
            if worth > best:
                best, now, total = worth, np.int64(0), without
        left = without_face(playable(state, rules, kind), before - 1)
        while left:
            face = lowest_face(left)
            left = without_face(left, face)
            gain = gain_of(state, outlook, kind, top, height, face, hand - one_leaf(face))
            worth = without + gain + pair * pairs_after(state, rules, rest | (face + 1) << CHOICE_BITS * kind)
            if worth > best:
                best, now, total = worth, face + 1, without + gain
        chosen = rest | now << CHOICE_BITS * kind
        count -= now == 0
    return chosen, best


@rule
def pairs_after(state, rules, chosen):
    """How many facing acorns the row will show after a lay of different types. int64."""
    return pairs_in(row_after(state, rules, chosen)[0])


@rule
def row_after(state, rules, chosen):
    """Give the acorns that the row will show after a lay of different types, and its piles: int64, int64."""
    seat = state.seat
    row, length = np.int64(0), np.int64(state.row_length[seat])
    new = chosen
    for place in range(length):
        kind = np.int64(state.row[seat, place])
        choice = chosen >> CHOICE_BITS * kind & CHOICE_MASK
        new &= ~(np.int64(CHOICE_MASK) << CHOICE_BITS * kind)
        row |= np.int64(rules.shows[seat, choice - 1 if choice else state.top[seat, kind]]) << PILE_BITS * place
    while new:
        choice = new & CHOICE_MASK
        if choice:
            row |= np.int64(rules.shows[seat, choice - 1]) << PILE_BITS * length
            length += 1
        new >>= CHOICE_BITS
    return row, length


@rule
def pairs_in(row):
    """How many neighbouring piles of a row face each other with an acorn: a right corner, and the next left one."""
    return count_bits(row >> 1 & row >> PILE_BITS & LEFT_CORNERS)


@rule
def best_swap(state, rules, chosen):
    """Find the swap after a lay that brings most pairs (0: none), and how many more they are: int64, int64."""
    row, length = row_after(state, rules, chosen)
    before = pairs_in(row)
    swap, most = np.int64(0), before
    for place in range(1, length):
        low = PILE_BITS * (place - 1)
        differ = (row >> low ^ row >> low + PILE_BITS) & PILE_MASK
        pairs = pairs_in(row ^ (differ | differ << PILE_BITS) << low)
        if pairs > most:
            swap, most = np.int64(place), pairs
    return swap, most - before


@rule
def mixed_lay(state, chosen, swap):
    """Give the action of a lay of different types; new piles come in the order of the types."""
    code, place = np.int64(0), np.int64(0)
    for kind in range(TYPES):
        choice = chosen >> CHOICE_BITS * kind & CHOICE_MASK
        if choice:
            code |= laid_bits(place, kind << FACE_BITS | choice - 1, 0)
            place += 1
    return code | lay_code(place, swap)


# --- side actions and the hand limit ----------------------------------------------------------------------------------


@rule
def dead(state, kind):
    """Bunch of the leaves of a type that the seat in turn can never lay any more."""
    seat = state.seat
    top = np.int64(state.top[seat, kind])
    if top == NONE:
        return np.int64(0)
    value = top >> CORNER_BITS
    if value == HIGHEST:
        return state.hand[seat, kind]
    return state.hand[seat, kind] & ((np.int64(1) << VALUE_BITS * value) - 1)


@rule
def two_dead_leaves(state):
    """Give the action of discarding two leaves that are good for nothing, or −1."""
    first = np.int64(NONE)
    for kind in range(TYPES):
        left = dead(state, kind)
        while left:
            face = lowest_face(left)
            left -= one_leaf(face)
            if first != NONE:
                return discard_code(first, kind << FACE_BITS | face)
            first = kind << FACE_BITS | face
    return np.int64(NONE)


@rule
def best_aftermath(state, rules, outlook):
    """Decide after the main action: turn leaves into an acorn, draw two, or end the turn."""
    if can_discard_two(state, rules):
        pair = two_dead_leaves(state)
        if pair >= 0:
            return pair
        if excess(state, rules) >= 2:
            return two_least_leaves(state)
    fee = rules.cost[state.seat, COST_LANDSCAPE] * outlook.acorn
    if 2 * outlook.hope > fee and excess(state, rules) <= -2 and can_use(state, rules, TWO_FROM_DECK):
        return landscape_code(TWO_FROM_DECK)
    return np.int64(END_TURN)


@rule
def use_of(state, kind, face):
    """How useful a leaf in hand is: 0 for a dead one, more the sooner it can be laid and the higher it is. int64."""
    value = np.int64(face) >> CORNER_BITS
    top = np.int64(state.top[state.seat, kind])
    if top == NONE:
        return 12 - 3 * value
    below = top >> CORNER_BITS
    if value < below or below == HIGHEST:
        return np.int64(0)
    return 12 - 3 * (value - below) + value


@rule
def two_least_leaves(state):
    """Give the action of discarding the two least useful leaves."""
    places = least_useful(state, np.int64(2))
    number = np.int64(0)
    first = np.int64(NONE)
    for kind in range(TYPES):
        left = state.hand[state.seat, kind]
        while left:
            face = lowest_face(left)
            left -= one_leaf(face)
            if places >> number & 1:
                if first != NONE:
                    return discard_code(first, kind << FACE_BITS | face)
                first = kind << FACE_BITS | face
            number += 1
    return np.int64(DISCARD_TWO)


@rule
def least_loss(state, rules):
    """Give the action of trimming the least useful leaves."""
    return trim_code(least_useful(state, excess(state, rules)))


@rule
def least_useful(state, count):
    """Places of the sorted hand of the least useful leaves, of those that are alike the first ones. Mask (int64)."""
    seat = state.seat
    places = np.int64(0)
    limit = np.int64(0)
    while True:
        base = np.int64(0)
        for kind in range(TYPES):
            left = state.hand[seat, kind]
            while left:
                face = lowest_face(left)
                copies = copies_in(left, face)
                left = without_face(left, face)
                if use_of(state, kind, face) == limit:
                    going = min(copies, count - count_bits(places))
                    places |= ((np.int64(1) << going) - 1) << base
                base += copies
        if count_bits(places) == count:
            return places
        limit += 1
