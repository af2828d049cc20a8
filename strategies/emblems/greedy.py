"""Greedy for Emblems, and how a player who counts coins looks at the table; denier and counter look the same way."""

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
    last_gap,
    neighbour,
    place_code,
    select_code,
)
from sim.jit import count_bits, lowest_bit, rule
from strategies.registry import strategy

CROWD = 0  # place of the parameter

# Coins, ranks and weights are counted in 4096ths: in whole numbers everything is twice as fast.
UNIT_BITS = 12
UNIT = 1 << UNIT_BITS
BELOW_UNIT = UNIT - 1
REASON = 1000.0  # no parameter is meant to be larger

# A word of nibbles holds a number below 16 for each value, the Hunter's in the lowest four bits.
NIBBLE, NIBBLE_MASK = 4, 15
ONES = 0x111_1111_1111_1111  # 1 for each value; as a factor it turns counts into counts of this value or less

# The first ranks of a reward list, one byte each; further ones do not count.
BYTE, BYTE_MASK, LISTED = 8, 255, 7

NOBODY = -1
WORST = -(1 << 60)
CALLED = UNIT // 2  # what calling a card to its side is taken to bring a Bard
AVERAGE = (VALUES + 1) // 2  # value that stands for a card that nobody has seen

# Sets of values, bit = value − 1.
CLIMBERS = (
    1 << (HUNTER - 1) | 1 << (WARRIOR - 1) | 1 << (GUARD - 1)
)  # gain a rank, since they remove a card before them
TAKERS = 1 << (THIEF - 1) | 1 << (ALCHEMIST - 1) | 1 << (BARD - 1)  # earn at once, depending on their neighbours


class Outlook(NamedTuple):
    """What a player wants and expects.

    Attributes
    ----------
    seat : int64
        Who.
    rival : int64
        One opponent who matters more or less than the others, or NOBODY.
    against, others : int64
        What a coin of the rival and of each other opponent counts, in 4096ths of an own one; a loss of theirs is a gain
        if it is negative.
    minds : bool
        Whether a placement is judged by what it does to all cards of its row; otherwise only by what it brings itself.
    unseen : int64
        Cards that may still come: a word of nibbles, one bit for each opponent.
    rate : int64
        How many cards each of these bits is expected to put into one Location in this round, in 4096ths.
    price : int64
        Coins, in 4096ths, that a card must bring more now for each unseen card that it beats.
    """

    seat: int
    rival: int
    against: int
    others: int
    minds: bool
    unseen: int
    rate: int
    price: int


class Row(NamedTuple):
    """A row as it stands.

    Attributes
    ----------
    location, length : int64
    gone : int64
        Kings at its left end that a Thief will have driven out by the end of the round.
    turned : bool
        Whether rewards are dealt from the right.
    """

    location: int
    length: int
    gone: int
    turned: bool


@strategy("emblems", title="Greedy", params={"crowd": 1.0})
def greedy(state, rules, params):
    """Take the card and the Location that promise the most coins for this card by the end of the round.

    It counts the reward of the rank that the card would have, expecting some of the cards still to come in front of it,
    what its end-of-round effect and the Princesses there bring, and what a Thief takes at once. An effect hits where
    that brings it most or costs it least. ``crowd`` says how many of the cards that the others still place in this
    round it expects at each Location: 1 for an even third, 0 for none.

    Weakness: it thinks of the card in its hand alone. It pushes its own earlier cards down the ranks, hands coins to
    others without noticing, and spends its best cards in the first round.
    """
    seat, nothing = np.int64(state.seat), np.int64(0)
    rate = rate_of(state, rules, params[CROWD], VALUES)
    outlook = Outlook(seat, np.int64(NOBODY), nothing, nothing, False, np.int64(ONES), rate, nothing)
    return best_action(state, rules, outlook)


@rule
def units(number):
    """Put a parameter into 4096ths; one beyond all reason counts as 0. int64."""
    return np.int64(number * UNIT) if abs(number) <= REASON else np.int64(0)


@rule
def rate_of(state, rules, crowd, cards):
    """How many cards each of the ``cards`` that may come is expected to put into one Location, in 4096ths. int64."""
    return max(units(crowd), 0) * coming(state, rules) // (PLACES * cards)


@rule
def coming(state, rules):
    """How many cards the others still place in this round. int64."""
    others = state.players - 1
    turns = rules.turns * (state.rounds + 1) - state.turn - 1
    if state.phase == SELECT:
        return turns * others + others
    hidden = np.int64(0)
    for seat in range(state.players):
        hidden += state.selected[seat] != 0
    return turns * others + hidden - (state.phase == PLACE)


@rule
def weight(outlook, seat):
    """What a coin of a seat counts, in 4096ths. int64."""
    if seat == outlook.seat:
        return np.int64(UNIT)
    return outlook.against if seat == outlook.rival else outlook.others


@rule
def best_action(state, rules, outlook):
    """Decide whatever is to be decided, for a player with this outlook. Action."""
    seat = outlook.seat
    if state.phase == SELECT:
        value, _, _ = best_card(state, rules, outlook, np.int64(state.hand[seat]), np.int64(NOWHERE))
        return select_code(value)
    if state.phase == PLACE:
        selected = np.int64(1) << np.int64(state.selected[seat]) - 1
        value, location, gap = best_card(state, rules, outlook, selected, np.int64(state.forced[seat]))
        length = np.int64(state.length[location])
        if length > NIBBLE_MASK or (gap < length and state.rows[location, gap] >> SEAT_BITS == value):
            _, gap = best_gap(state, rules, outlook, look(state, rules, location), value << SEAT_BITS | seat)
        return place_code(location, gap)
    return best_effect(state, rules, outlook)


# --- an own card ------------------------------------------------------------------------------------------------------


@rule
def best_card(state, rules, outlook, hand, forced):
    """Find the card of a set, and the Location for it, that promise the most.

    This runs for every card of the hand at every Location, so each row is summed up once in a few words, from which the
    worth of any card follows without looking at the row again.

    Returns
    -------
    int64
        Value of the card.
    int64
        Location.
    int64
        First gap for the card there.
    """
    seat = outlook.seat
    best, best_value, best_location, best_place = np.int64(WORST), np.int64(0), np.int64(0), np.int64(0)
    for location in range(PLACES):
        if forced not in (NOWHERE, location):
            continue
        row = state.rows[location]
        length = min(np.int64(state.length[location]), NIBBLE_MASK)
        line, halves = pay_line(state, rules, location, length + 1)
        counts = effects = mine = np.int64(0)
        for place in range(length):
            card = np.int64(row[place])
            owner, value = card & SEAT_OF, card >> SEAT_BITS
            counts += np.int64(1) << NIBBLE * (value - 1)
            effects |= np.int64(rules.effect[owner, value]) << value
            mine += owner == seat
        up_to = counts * ONES
        below = up_to << NIBBLE
        thief = nibble(counts, THIEF) != 0
        gone = nibble(counts, KING) if thief and effects >> KING & 1 else np.int64(0)
        princesses = nibble(counts, PRINCESS) * (effects >> PRINCESS & 1) << UNIT_BITS
        witch = effects >> WITCH & 1 == 1
        turned = effects >> TRAITOR & 1 == 1 and not witch
        # What a card adds by its own effect: coins, a factor of its reward, a turned ranking, trouble for the others.
        bonus = mine << NIBBLE * (PRINCESS - 1)
        factor = np.int64(ONES)
        if thief:
            factor ^= np.int64(1) << NIBBLE * (KING - 1)
        turns = np.int64(0)
        upsets = np.int64(1) << (HUNTER - 1) if length == 0 or row[0] & SEAT_OF == seat else np.int64(0)
        if not witch:
            bonus |= nibble(below, MERCHANT) << NIBBLE * (MERCHANT - 1)
            if mine == 0:
                bonus |= SPY_COINS << NIBBLE * (SPY - 1)
            if location == PORT:
                factor += 1 << NIBBLE * (SAILOR - 1)
            turns = ~(np.int64(1) << (WITCH - 1)) if turned else np.int64(1) << (TRAITOR - 1)
            if mine:
                upsets |= 1 << ((WITCH if turned else TRAITOR) - 1)
        if outlook.minds:
            upsets = np.int64(-1)
        left = hand
        while left:
            bit = lowest_bit(left)
            left &= left - 1
            value, shift = bit + 1, NIBBLE * bit
            gap = length - (up_to >> shift & NIBBLE_MASK)
            gain = princesses
            times, climbs, from_right = np.int64(1), np.int64(0), turned
            if rules.effect[seat, value]:
                gain += (bonus >> shift & NIBBLE_MASK) << UNIT_BITS
                times = factor >> shift & NIBBLE_MASK
                climbs = np.int64(CLIMBERS >> bit & 1)
                from_right = turns >> bit & 1 == 1
                if TAKERS >> bit & 1:
                    gain += taken_at_once(state, rules, outlook, location, gap, value)
            rank = below >> shift & NIBBLE_MASK if from_right else max(gap - gone - climbs, 0)
            ahead = rank << UNIT_BITS
            ahead += outlook.rate * count_bits(still_ahead(outlook, value, from_right))
            whole = min(ahead >> UNIT_BITS, LISTED)
            rest = line >> BYTE * whole
            here, next_one = np.int64(np.int8(rest & BYTE_MASK)), np.int64(np.int8(rest >> BYTE & BYTE_MASK))
            if halves:
                here += (halves >> whole & 1) * (value + 1 >> 1)
                next_one += (halves >> whole + 1 & 1) * (value + 1 >> 1)
            gain += times * ((here << UNIT_BITS) + (ahead & BELOW_UNIT) * (next_one - here))
            gain -= outlook.price * count_bits(outlook.unseen & (np.int64(1) << shift) - 1)
            if upsets >> bit & 1:
                there = Row(np.int64(location), length, gone, turned)
                gain += upset(state, rules, outlook, there, value << SEAT_BITS | seat, gap)
            if gain > best:
                best, best_value, best_location, best_place = gain, value, np.int64(location), gap
    return best_value, best_location, best_place


@rule
def nibble(word, value):
    """The number that a word of nibbles holds for a value. int64."""
    return word >> NIBBLE * (value - 1) & NIBBLE_MASK


@rule
def pay_line(state, rules, location, length):
    """Give a reward list's coins as bytes by rank, and as bits the ranks that pay half a card's value: two int64."""
    line = halves = np.int64(0)
    for rank in range(min(np.int64(rules.ranks[location]), LISTED)):
        entry = np.int64(rules.rewards[location, rank])
        if entry == HALF:
            halves |= np.int64(1) << rank
        else:
            line |= (coins_of(state, entry, np.int64(0), length) & BYTE_MASK) << BYTE * rank
    return line, halves


@rule
def coins_of(state, entry, value, length):
    """Coins that an entry of a reward list brings the owner of a card, in a row of ``length`` cards. int64."""
    if entry < HALF:
        return entry
    if entry == HALF:
        return value + 1 >> 1
    return length if entry == PER_CARD else state.players - 1


@rule
def still_ahead(outlook, value, from_right):
    """Which unseen cards would get in front of one of this value: part of ``outlook.unseen``."""
    if from_right:
        return outlook.unseen & (np.int64(1) << NIBBLE * value) - 1
    return outlook.unseen >> NIBBLE * (value - 1)


@rule
def taken_at_once(state, rules, outlook, location, gap, value):
    """What a Thief, Alchemist or Bard would bring at once in a gap, in 4096ths of a coin. int64."""
    if value == BARD:
        return np.int64(CALLED)
    cards = state.rows[location]
    left = np.int64(cards[gap - 1]) if gap > 0 else np.int64(NO_CARD)
    right = np.int64(cards[gap]) if gap < state.length[location] else np.int64(NO_CARD)
    if value == ALCHEMIST and not (is_thief(rules, left) or is_thief(rules, right)):
        return np.int64(0)
    return max(loot(state, rules, outlook, left), loot(state, rules, outlook, right))


@rule
def is_thief(rules, card):
    """Whether a card is a Thief with its effect."""
    return card >> SEAT_BITS == THIEF and rules.effect[card & SEAT_OF, THIEF] == 1


@rule
def loot(state, rules, outlook, card):
    """What it is worth to rob the owner of a card, in 4096ths of a coin. int64."""
    victim = card & SEAT_OF
    if card == NO_CARD or victim == outlook.seat:
        return np.int64(0)
    coins = np.int64(STOLEN)
    if not rules.debt:
        coins = min(coins, known_coins(state, rules, outlook.seat, victim))
    return coins * (UNIT - weight(outlook, victim))


# --- the other cards of a row -----------------------------------------------------------------------------------------


@rule
def look(state, rules, location):
    """Sum up a row: a Row."""
    length = np.int64(state.length[location])
    effects = kings = np.int64(0)
    thief = False
    for place in range(length):
        card = np.int64(state.rows[location, place])
        value = card >> SEAT_BITS
        effect = np.int64(rules.effect[card & SEAT_OF, value])
        effects |= effect << value
        kings += effect * (value == KING)
        thief |= value == THIEF
    turned = effects >> TRAITOR & 1 == 1 and effects >> WITCH & 1 == 0
    return Row(np.int64(location), length, kings if thief else np.int64(0), turned)


@rule
def rank_of(row, place, turned):
    """Rank, from 0, that a place of a row has when rewards are dealt. int64."""
    return row.length - 1 - place if turned else max(place - row.gone, 0)


@rule
def worth(state, rules, outlook, row, card, rank, turned):
    """What a card at a rank is expected to be worth in the end: coins × weight of its owner, in 4096ths. int64."""
    value = card >> SEAT_BITS
    ahead = max(rank, 0) << UNIT_BITS
    ahead += outlook.rate * count_bits(still_ahead(outlook, value, turned))
    whole, length = ahead >> UNIT_BITS, row.length + 1
    rewards = rules.rewards[row.location]
    here = coins_of(state, np.int64(rewards[min(whole, RANKS - 1)]), value, length)
    next_one = coins_of(state, np.int64(rewards[min(whole + 1, RANKS - 1)]), value, length)
    coins = (here << UNIT_BITS) + (ahead & BELOW_UNIT) * (next_one - here)
    return weight(outlook, card & SEAT_OF) * coins >> UNIT_BITS


@rule
def shifted(state, rules, outlook, row, first, last, by):
    """What it changes if the cards from index ``first`` up to ``last``, exclusive, move by some ranks. int64."""
    change = np.int64(0)
    for place in range(first, last):
        card = np.int64(state.rows[row.location, place])
        if weight(outlook, card & SEAT_OF) != 0:
            rank = rank_of(row, place, row.turned)
            change += worth(state, rules, outlook, row, card, rank + by, row.turned)
            change -= worth(state, rules, outlook, row, card, rank, row.turned)
    return change


@rule
def turned_round(state, rules, outlook, row):
    """What it changes if the ranking of a row is turned round. int64."""
    change = np.int64(0)
    for place in range(row.length):
        card = np.int64(state.rows[row.location, place])
        if weight(outlook, card & SEAT_OF) != 0:
            change += worth(state, rules, outlook, row, card, rank_of(row, place, not row.turned), not row.turned)
            change -= worth(state, rules, outlook, row, card, rank_of(row, place, row.turned), row.turned)
    return change


@rule
def pushed(state, rules, outlook, row, gap):
    """What it changes for the cards of a row if another one comes into a gap. int64."""
    if row.turned:
        return shifted(state, rules, outlook, row, np.int64(0), gap, np.int64(1))
    return shifted(state, rules, outlook, row, gap, row.length, np.int64(1))


@rule
def come(state, rules, outlook, row, card, gap):
    """What it changes if a card comes into a gap of a row. int64."""
    change = pushed(state, rules, outlook, row, gap)
    if weight(outlook, card & SEAT_OF) != 0:
        rank = row.length - gap if row.turned else gap - row.gone
        change += worth(state, rules, outlook, row, card, rank, row.turned)
    return change


@rule
def go(state, rules, outlook, row, place):
    """What it changes if the card at an index leaves a row. int64."""
    card = np.int64(state.rows[row.location, place])
    change = np.int64(0)
    if weight(outlook, card & SEAT_OF) != 0:
        change -= worth(state, rules, outlook, row, card, rank_of(row, place, row.turned), row.turned)
    if row.turned:
        return change + shifted(state, rules, outlook, row, np.int64(0), place, np.int64(-1))
    return change + shifted(state, rules, outlook, row, place + 1, row.length, np.int64(-1))


@rule
def upset(state, rules, outlook, row, card, gap):
    """What an own placement changes for the cards that lie there, its effect included. int64."""
    value = card >> SEAT_BITS
    change = pushed(state, rules, outlook, row, gap)
    if not rules.effect[outlook.seat, value]:
        return change
    cards = state.rows[row.location]
    if value == PRINCESS:
        for place in range(row.length):
            owner = np.int64(cards[place]) & SEAT_OF
            change += weight(outlook, owner) if owner != outlook.seat else 0
    elif value in (TRAITOR, WITCH):
        if row.turned == (value == WITCH):
            return turned_round(state, rules, outlook, row)
    elif value == HUNTER:
        if gap == 0:
            return -worth(state, rules, outlook, row, card, np.int64(0), row.turned)
        return go(state, rules, outlook, row, np.int64(0))
    elif value in (WARRIOR, GUARD):
        best = np.int64(WORST)
        if gap > 0:
            best = go(state, rules, outlook, row, gap - 1)
        if gap < row.length:
            best = max(best, go(state, rules, outlook, row, gap))
        change += best if best != WORST else 0
    elif value == THIEF and row.length and cards[0] >> SEAT_BITS == KING:
        change += go(state, rules, outlook, row, np.int64(0))
    return change


# --- immediate effects ------------------------------------------------------------------------------------------------


@rule
def best_effect(state, rules, outlook):
    """Choose how the card just placed acts; where that is allowed, decline what does harm. Action."""
    value = card_just_placed(state) >> SEAT_BITS
    idle = effect_code(NO_EFFECT, 0, 0, 0)
    gain, choice = np.int64(WORST), idle
    if value == ALCHEMIST:
        for side in (-1, 1):
            card = neighbour(state, side)
            if can_copy(state, rules, card):
                found, action = best_target(state, rules, outlook, card >> SEAT_BITS)
                if found > gain:
                    gain, choice = found, action
    elif has_target(state, value):
        gain, choice = best_target(state, rules, outlook, value)
    return idle if rules.optional and gain < 0 else choice


@rule
def best_target(state, rules, outlook, effect):
    """Find the best way to carry out an effect that has a target: gain (int64) and action."""
    if effect == COURTESAN:
        return best_swap(state, outlook)
    if effect == STRATEGIST:
        return best_order(state, rules, outlook)
    if effect == BARD:
        return best_call(state, rules, outlook)
    row = look(state, rules, np.int64(state.location))
    if effect == HUNTER:
        return go(state, rules, outlook, row, np.int64(0)), effect_code(HUNTER, highest_card(state), 0, 0)
    best, choice = np.int64(WORST), np.int64(0)
    for side in (-1, 1):
        card = neighbour(state, side)
        if card == NO_CARD:
            continue
        if effect == THIEF:
            gain, action = loot(state, rules, outlook, card), effect_code(THIEF, card, 0, 0)
            if not can_rob(state, card):
                gain = np.int64(WORST)
        else:
            gain, action = go(state, rules, outlook, row, np.int64(state.place) + side), effect_code(effect, card, 0, 0)
            if effect == GUARD:
                more, action = best_exile(state, rules, outlook, card)
                gain += more
        if gain > best:
            best, choice = gain, action
    return best, choice


@rule
def best_exile(state, rules, outlook, card):
    """Find where a Guard best sends a card: gain there (int64) and action."""
    best, choice = np.int64(WORST), np.int64(0)
    for to in range(PLACES):
        if to != state.location:
            gain, gap = best_gap(state, rules, outlook, look(state, rules, np.int64(to)), card)
            if gain > best:
                best, choice = gain, effect_code(GUARD, card, to, gap)
    return best, choice


@rule
def best_call(state, rules, outlook):
    """Find the card that a Bard best calls: gain (int64) and action."""
    here = look(state, rules, np.int64(state.location))
    best, choice = np.int64(WORST), np.int64(0)
    for source in range(PLACES):
        if source != here.location:
            row = look(state, rules, np.int64(source))
            for place in range(row.length):
                card = np.int64(state.rows[source, place])
                gain, gap = best_gap(state, rules, outlook, here, card)
                gain += go(state, rules, outlook, row, np.int64(place))
                if gain > best:
                    best, choice = gain, effect_code(BARD, card, 0, gap)
    return best, choice


@rule
def best_gap(state, rules, outlook, row, card):
    """Find the best gap for a card that comes to a row: gain and gap, both int64."""
    value = card >> SEAT_BITS
    best, choice = np.int64(WORST), np.int64(0)
    for gap in range(first_gap(state, row.location, value), last_gap(state, row.location, value) + 1):
        gain = come(state, rules, outlook, row, card, np.int64(gap))
        if gain > best:
            best, choice = gain, np.int64(gap)
    return best, choice


@rule
def best_swap(state, outlook):
    """Find whose selected card a Courtesan best swaps, the next player's if all are alike: gain (int64) and action."""
    best, choice = np.int64(WORST), np.int64(0)
    for step in range(1, state.players):
        seat = (outlook.seat + step) % state.players
        if can_swap(state, seat) and -weight(outlook, seat) > best:
            best, choice = -weight(outlook, seat), effect_code(COURTESAN, seat, 0, 0)
    return best, choice


@rule
def best_order(state, rules, outlook):
    """Find whom a Strategist best sends where, the next player if all are alike: gain (int64) and action."""
    best, choice = np.int64(WORST), np.int64(0)
    for to in range(PLACES):
        row = look(state, rules, np.int64(to))
        gap = first_gap(state, row.location, np.int64(AVERAGE))
        for step in range(1, state.players):
            seat = (outlook.seat + step) % state.players
            if is_selected_by_other(state, seat):
                card = np.int64(AVERAGE) << SEAT_BITS | seat
                gain = come(state, rules, outlook, row, card, gap)
                if gain > best:
                    best, choice = gain, effect_code(STRATEGIST, seat, to, 0)
    return best, choice
