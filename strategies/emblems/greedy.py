"""Greedy for Emblems, and how a player who counts coins judges a row."""

from typing import NamedTuple

import numpy as np

from sim.games.emblems.cards import (
    ALCHEMIST,
    BARD,
    COURTESAN,
    GUARD,
    HALF,
    HUNTER,
    KING,
    MERCHANT,
    NO_CARD,
    NO_EFFECT,
    PER_CARD,
    PORT,
    PRINCESS,
    SAILOR,
    SEAT_BITS,
    SPY,
    STRATEGIST,
    THIEF,
    TRAITOR,
    VALUES,
    WARRIOR,
    WITCH,
)
from sim.games.emblems.rules import (
    NOWHERE,
    PLACE,
    PLACES,
    RANKS,
    SEAT_OF,
    SELECT,
    SPY_COINS,
    STOLEN,
    can_copy,
    can_rob,
    can_swap,
    card_just_placed,
    effect_code,
    first_gap,
    has_target,
    highest_card,
    is_selected_by_other,
    known_coins,
    neighbour,
    place_code,
    placed_cards,
    select_code,
)
from sim.jit import count_bits, lowest_bit, rule
from strategies.registry import strategy

CROWD = 0  # place of the parameter
NOBODY = -1
AVERAGE = 8  # value of the card that a Strategist is thought to send somewhere
WORST = -1e9

# Characters (bit = value) whose effect changes what they earn themselves.
COUNTS = 1 << KING | 1 << PRINCESS | 1 << WITCH | 1 << THIEF | 1 << TRAITOR | 1 << MERCHANT | 1 << SPY | 1 << SAILOR


class View(NamedTuple):
    """Who looks at the table, and what counts to them."""

    seat: int
    rival: int  # whose losses count beside the own coins, or NOBODY
    spite: float  # what a coin that the rival loses is worth
    crowd: float  # how many of the cards still to come are expected in each row
    counting: bool  # whether the cards that the others have played are remembered


class Row(NamedTuple):
    """What matters of a row besides its order."""

    length: int
    kings: int  # Kings that will leave
    thief: bool
    witch: bool
    turned: bool  # rewards will be dealt from the right
    princesses: int
    low: int  # cards below the Merchant
    mine: int


@strategy("emblems", title="Greedy", params={"crowd": 1.0})
def greedy(state, rules, params):
    """Take the card and the place that bring the most coins by the end of the round, as the table stands.

    A placement counts the reward of its rank, what end-of-round effects add, and what it costs the own cards that it
    pushes back. ``crowd`` says how many of the cards still to come are expected to push in: 0 for none, 1 for a third
    of them in each Location.

    Weakness: it does not care who gets the coins that it does not get, and takes every player for one who may still
    hold any card.
    """
    seat = np.int64(state.seat)
    crowd = params[CROWD] * to_come(state, rules) / PLACES
    return best_action(state, rules, View(seat, np.int64(NOBODY), 0.0, crowd, False))


# --- what is still to come --------------------------------------------------------------------------------------------


@rule
def to_come(state, rules):
    """How many cards the others still place in this round (int64)."""
    turns_left = rules.turns * (state.rounds + 1) - state.turn - 1
    waiting = np.int64(0)
    for other in range(state.players):
        if other != state.seat:
            waiting += state.phase == SELECT or state.selected[other] != 0
    return turns_left * (state.players - 1) + waiting


@rule
def pushing(state, view, value, turned):
    """How many cards still to come are expected to get in front of a card of this value (float64)."""
    if not view.counting:
        return view.crowd * (value - 1 if turned else VALUES - value) * (1.0 / VALUES)
    in_front = (np.int64(1) << value - 1) - 1 if turned else -1 << value
    everything = (np.int64(1) << VALUES) - 1
    held = ahead = 0
    for other in range(state.players):
        if other != view.seat:
            unseen = everything & ~placed_cards(state, other)
            held += count_bits(unseen)
            ahead += count_bits(unseen & in_front)
    return view.crowd * ahead / max(held, 1)


# --- a row ------------------------------------------------------------------------------------------------------------


@rule
def look(state, rules, location, seat):
    """Sum up a row as a seat sees it: a Row."""
    here = effects = low = mine = np.int64(0)  # the first two: sets of values, bit = value
    length = np.int64(state.length[location])
    for place in range(length):
        card = np.int64(state.rows[location, place])
        owner, value = card & SEAT_OF, card >> SEAT_BITS
        here |= 1 << value
        effects |= np.int64(rules.effect[owner, value]) << value
        low += value < MERCHANT
        mine += owner == seat
    thief, witch = here >> THIEF & 1 == 1, effects >> WITCH & 1 == 1
    turned = effects >> TRAITOR & 1 == 1 and not witch
    kings = acting(state, rules, location, KING) if thief and effects >> KING & 1 else np.int64(0)
    princesses = acting(state, rules, location, PRINCESS) if effects >> PRINCESS & 1 else np.int64(0)
    return Row(length, kings, thief, witch, turned, princesses, low, mine)


@rule
def acting(state, rules, location, character):
    """How many cards of a row are this character and have its effect (int64)."""
    count = np.int64(0)
    for place in range(state.length[location]):
        card = np.int64(state.rows[location, place])
        count += card >> SEAT_BITS == character and rules.effect[card & SEAT_OF, character] == 1
    return count


@rule
def reward(rules, location, rank, value, length):
    """Coins that a rank (from 0) of a Location pays for a card of this value; 0 beyond the list (float64)."""
    if rank < 0 or rank >= RANKS:
        return 0.0
    entry = np.int64(rules.rewards[location, rank])
    if entry < HALF:
        return np.float64(entry)
    if entry == HALF:
        return np.float64((value + 1) // 2)
    return np.float64(length if entry == PER_CARD else rules.players - 1)


@rule
def weight(view, seat):
    """What a coin for this seat counts (float64)."""
    if seat == view.seat:
        return 1.0
    return -view.spite if seat == view.rival else 0.0


@rule
def rank_of(row, place):
    """Rank (from 0) that a place of a row has when rewards are dealt."""
    return row.length - 1 - place if row.turned else place - row.kings


@rule
def step_back(state, rules, view, row, location, place):
    """What it changes when the card at a place drops by one rank (float64)."""
    card = np.int64(state.rows[location, place])
    counts = weight(view, card & SEAT_OF)
    if counts == 0.0:
        return 0.0
    rank, value = rank_of(row, place), card >> SEAT_BITS
    return counts * (
        reward(rules, location, rank + 1, value, row.length) - reward(rules, location, rank, value, row.length)
    )


@rule
def own_coins(state, rules, view, row, location, gap, value):
    """What an own card of this value is expected to earn at a gap of a row (float64)."""
    turned, times, extra = row.turned, 1.0, np.float64(row.princesses)
    if COUNTS >> value & 1 and rules.effect[view.seat, value]:
        if value == KING:
            if row.thief:
                return extra
        elif value == PRINCESS:
            extra += row.mine
        elif value == WITCH:
            turned = False
        elif value == THIEF:
            extra += best_loot(state, rules, view, location, gap)
        elif not row.witch:
            if value == TRAITOR:
                turned = True
            elif value == MERCHANT:
                extra += row.low
            elif value == SPY:
                extra += SPY_COINS if row.mine == 0 else 0
            elif location == PORT:  # the Sailor
                times = 2.0
    rank = (row.length - gap if turned else gap - row.kings) + pushing(state, view, value, turned)
    whole = np.int64(rank)
    here = reward(rules, location, whole, value, row.length + 1)
    next_one = reward(rules, location, whole + 1, value, row.length + 1)
    return times * (here + (rank - whole) * (next_one - here)) + extra


@rule
def best_loot(state, rules, view, location, gap):
    """What a Thief put into a gap would take (float64)."""
    best = 0.0
    if gap > 0:
        best = loot(state, rules, view, np.int64(state.rows[location, gap - 1]))
    if gap < state.length[location]:
        best = max(best, loot(state, rules, view, np.int64(state.rows[location, gap])))
    return best


@rule
def loot(state, rules, view, card):
    """What it is worth to rob the owner of a card (float64)."""
    victim = card & SEAT_OF
    if victim == view.seat:
        return 0.0
    coins = STOLEN if rules.debt else min(STOLEN, max(known_coins(state, rules, view.seat, victim), 0))
    return coins * (1.0 - weight(view, victim))


# --- the three decisions ----------------------------------------------------------------------------------------------


@rule
def best_action(state, rules, view):
    """Decide as a player with this view."""
    if state.phase == SELECT:
        value, _ = best_placement(state, rules, view, state.hand[view.seat], NOWHERE)
        return select_code(value)
    if state.phase == PLACE:
        value = np.int64(state.selected[view.seat])
        _, location = best_placement(state, rules, view, np.int64(1) << value - 1, np.int64(state.forced[view.seat]))
        return place_code(location, first_gap(state, location, value))
    return best_effect(state, rules, view)


@rule
def best_placement(state, rules, view, hand, forced):
    """Find the best card of a set and the best Location for it, or for the Location that is forced: (value, location).

    The cards are tried from the lowest up, so that the gap only moves to the left, and with it what is pushed back.
    """
    best, best_value, best_location = WORST, np.int64(0), np.int64(0)
    for location in range(PLACES):
        if forced not in (NOWHERE, location):
            continue
        row = look(state, rules, location, view.seat)
        gap, pushed = row.length, 0.0
        behind = 0.0  # the cards in front of the gap, which drop a rank when rewards come from the right
        if row.turned:
            for place in range(row.length):
                behind += step_back(state, rules, view, row, location, place)
        left = hand
        while left:
            value = np.int64(lowest_bit(left) + 1)
            left &= left - 1
            while gap > 0 and state.rows[location, gap - 1] >> SEAT_BITS <= value:
                gap -= 1
                change = step_back(state, rules, view, row, location, gap)
                pushed += change
                behind -= change
            gain = own_coins(state, rules, view, row, location, gap, value) + (behind if row.turned else pushed)
            if gain > best:
                best, best_value, best_location = gain, value, np.int64(location)
    return best_value, best_location


@rule
def best_effect(state, rules, view):
    """Carry out the effect of the card just placed so that it brings the most; decline what harms, where one may."""
    effect = card_just_placed(state) >> SEAT_BITS
    gain, choice = WORST, effect_code(NO_EFFECT, 0, 0, 0)
    if effect == ALCHEMIST:
        for side in (-1, 1):
            card = neighbour(state, side)
            if can_copy(state, rules, card):
                found, action = best_target(state, rules, view, card >> SEAT_BITS)
                if found > gain:
                    gain, choice = found, action
    elif has_target(state, effect):
        gain, choice = best_target(state, rules, view, effect)
    if rules.optional and gain < 0.0:
        return effect_code(NO_EFFECT, 0, 0, 0)
    return choice


@rule
def best_target(state, rules, view, effect):
    """Find the best way to carry out an effect that has a target: (gain, action)."""
    here = np.int64(state.location)
    if effect == HUNTER:
        return leaving(state, rules, view, here, np.int64(0)), effect_code(HUNTER, highest_card(state), 0, 0)
    if effect == BARD:
        return best_call(state, rules, view)
    if effect in (COURTESAN, STRATEGIST):
        return best_victim(state, rules, view, effect)
    best, choice = WORST, np.int64(0)
    for side in (-1, 1):
        card = neighbour(state, side)
        if card == NO_CARD:
            continue
        if effect == THIEF:
            if can_rob(state, card) and loot(state, rules, view, card) > best:
                best, choice = loot(state, rules, view, card), effect_code(THIEF, card, 0, 0)
            continue
        gone = leaving(state, rules, view, here, np.int64(state.place) + side)
        if effect == WARRIOR:
            if gone > best:
                best, choice = gone, effect_code(WARRIOR, card, 0, 0)
            continue
        for to in range(PLACES):  # the Guard
            if to != here:
                gain = gone + entering(state, rules, view, to, card)
                if gain > best:
                    best, choice = gain, effect_code(GUARD, card, to, first_gap(state, to, card >> SEAT_BITS))
    return best, choice


@rule
def leaving(state, rules, view, location, place):
    """What it changes when a card leaves a row: its reward is gone, and who stood behind it moves up (float64)."""
    row = look(state, rules, location, view.seat)
    card = np.int64(state.rows[location, place])
    change = -weight(view, card & SEAT_OF) * reward(rules, location, rank_of(row, place), card >> SEAT_BITS, row.length)
    first, last = (np.int64(0), place) if row.turned else (place + 1, row.length)
    for behind in range(first, last):
        card = np.int64(state.rows[location, behind])
        rank, value = rank_of(row, behind), card >> SEAT_BITS
        moved = reward(rules, location, rank - 1, value, row.length) - reward(rules, location, rank, value, row.length)
        change += weight(view, card & SEAT_OF) * moved
    return change


@rule
def entering(state, rules, view, location, card):
    """What it changes when a card enters a row at its first gap: its reward, and whom it pushes back (float64)."""
    row = look(state, rules, location, view.seat)
    value = card >> SEAT_BITS
    gap = first_gap(state, location, value)
    rank = row.length - gap if row.turned else gap - row.kings
    change = weight(view, card & SEAT_OF) * reward(rules, location, rank, value, row.length + 1)
    first, last = (np.int64(0), gap) if row.turned else (gap, row.length)
    for place in range(first, last):
        change += step_back(state, rules, view, row, location, place)
    return change


@rule
def best_call(state, rules, view):
    """Find the best card for a Bard to bring here: (gain, action)."""
    here = np.int64(state.location)
    best, choice = WORST, np.int64(0)
    for location in range(PLACES):
        if location == here:
            continue
        for place in range(state.length[location]):
            card = np.int64(state.rows[location, place])
            gain = leaving(state, rules, view, location, place) + entering(state, rules, view, here, card)
            if gain > best:
                best, choice = gain, effect_code(BARD, card, 0, first_gap(state, here, card >> SEAT_BITS))
    return best, choice


@rule
def best_victim(state, rules, view, effect):
    """Find whose selected card to swap or to send somewhere: the richest player's, where it disturbs least."""
    victim, richest = np.int64(NOBODY), np.int64(0)
    for seat in range(state.players):
        if can_swap(state, seat) if effect == COURTESAN else is_selected_by_other(state, seat):
            coins = known_coins(state, rules, view.seat, seat)
            if victim == NOBODY or coins > richest:
                victim, richest = np.int64(seat), coins
    if effect == COURTESAN:
        return 0.0, effect_code(COURTESAN, victim, 0, 0)
    best, choice = WORST, np.int64(0)
    for location in range(PLACES):
        gain = entering(state, rules, view, location, np.int64(AVERAGE) << SEAT_BITS | victim)
        if gain > best:
            best, choice = gain, effect_code(STRATEGIST, victim, location, 0)
    return best, choice
