"""The rules of Emblems, compiled.

Source: the publisher's rule book; numbered and with our readings in ``RULES.md`` beside this file.
Players: 3–5. Everything of the rule book is here, the variant with hidden coins included.
Actions: select(card), place(location, gap), and the immediate effect of the card just placed; codes in ``cards.py``.
Selecting at once: the seats decide one after another from the pawn on, and nobody may know what others have selected.
Why it ends: a turn takes one card off every hand (R2.1) and none comes back, so a game has rounds × turns ≤ 15 turns.
A card is selected and placed, and 8 of the 15 characters have an immediate effect: at most 38 decisions a player.
Rules version: see ``spec.py``; it moves only when results may change.
"""

from __future__ import annotations

import numpy as np

from sim import rng
from sim.games.emblems.cards import (
    ALCHEMIST,
    BARD,
    CANCELLED,
    CANCELS,
    COINS,
    COURTESAN,
    DISCARDED,
    DO_EFFECT,
    DOUBLES,
    EFFECT_GAP,
    EFFECT_TARGET,
    EFFECT_TO,
    FROM_MERCHANT,
    FROM_PRINCESS,
    FROM_REWARDS,
    FROM_SPY,
    FROM_STEAL_EACH,
    FROM_THIEF,
    GUARD,
    HALF,
    HUNTER,
    KIND_BITS,
    KING,
    LOCATIONS,
    MERCHANT,
    NO_CARD,
    NO_EFFECT,
    NOTHING,
    PER_CARD,
    PLACE_CARD,
    PLACE_GAP,
    PORT,
    PRINCESS,
    REVERSES,
    SAILOR,
    SEAT_BITS,
    SEATS,
    SELECT_CARD,
    SOURCES,
    SPY,
    STEAL_EACH,
    STRATEGIST,
    THIEF,
    TRAITOR,
    VALUES,
    WARRIOR,
    WITCH,
    effect_action,
    place_action,
    select_action,
)
from sim.jit import count_bits, lowest_bit, rule

PLACES = len(LOCATIONS)
ROW = SEATS * VALUES  # a row cannot hold more than all the cards
RANKS = VALUES  # entries of the longest reward list
ENDINGS = 7 * SEATS  # cards with an end-of-round effect
CANDIDATES = 148  # most legal actions there can be: see `candidates`

SELECT, PLACE, TARGET, SWAP, PASS, SETTLE, DRAW, OVER = range(8)  # phases; SWAP to DRAW are automatic
NOWHERE = -1

# Sets of values, bit = value (not value − 1).
IMMEDIATE = (
    1 << GUARD | 1 << THIEF | 1 << ALCHEMIST | 1 << COURTESAN | 1 << STRATEGIST | 1 << WARRIOR | 1 << BARD | 1 << HUNTER
)
END_OF_ROUND = 1 << KING | 1 << PRINCESS | 1 << WITCH | 1 << TRAITOR | 1 << MERCHANT | 1 << SPY | 1 << SAILOR

SEAT_OF = (1 << SEAT_BITS) - 1  # card & SEAT_OF is its owner
STOLEN = 2  # coins a Thief takes
SPY_COINS = 2
PACKED, PACKED_MASK = 8, 255  # bits for each seat in a packed counter of cards by seat

RULES = np.dtype(
    [
        ("players", "i8"),  # 3 … 5
        ("start_coins", "i2", (SEATS,)),  # coins of each seat at the start, 0 … 1000
        ("rounds", "i1"),  # rounds of a game, 1 … 15
        ("turns", "i1"),  # turns of a round with this many players; at most `hand`, and rounds × turns ≤ 15
        ("hand", "i1"),  # cards in hand at the start of a round, 1 … 15
        ("optional", "i1"),  # 1: an immediate effect may be declined
        ("debt", "i1"),  # 1: thefts and losses are paid in full, below 0 coins
        ("coins_visible", "i1"),  # 0: a seat knows no other seat's coins (RULES.md, note 18)
        ("ranks", "i1", (PLACES,)),  # entries of each Location's reward list, 0 … 15
        ("rewards", "i1", (PLACES, RANKS)),  # by location and rank: coins −100 … 100, or HALF, PER_CARD, STEAL_EACH
        ("effect", "i1", (SEATS, VALUES + 1)),  # by seat and value: 0 for a card without effect; column 0 is unused
        # What only an intervention sets (`spec.py`); 0 in any config.
        ("swap", "i8", (SEATS,)),  # set of values (bit = value − 1), one of which is exchanged into the opening hand
        ("sunk", "i8", (SEATS,)),  # set of values that lie at the bottom of this seat's pile
        ("set_name", "S160"),  # the set's name in UTF-8, for the trace
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("players", "i8"),  # as in RULES
        ("phase", "i1"),  # SELECT … OVER
        ("seat", "i8"),  # who decides; in DRAW who draws
        ("turn", "i8"),  # turns finished
        ("rounds", "i8"),  # rounds finished
        ("decision", "i8"),  # decisions taken, at most 190
        ("pawn", "i1"),  # who is first in this turn
        ("hand", "i8", (SEATS,)),  # set of values; hidden from the other seats
        ("selected", "i1", (SEATS,)),  # value of the card face down, or 0; which one is hidden from the other seats
        ("forced", "i1", (SEATS,)),  # location that a Strategist named for the selected card, or NOWHERE
        ("pile", "i1", (SEATS, VALUES)),  # values in drawing order, the cards already drawn included; hidden from all
        ("drawn_count", "i1", (SEATS,)),  # how many of them are drawn
        ("length", "i1", (PLACES,)),  # cards in each row
        ("rows", "i1", (PLACES, ROW)),  # cards from the left, the highest value first; meaningless beyond the length
        ("coins", "i2", (SEATS,)),  # −2000 … 5000 whatever the config; hidden from the other seats if the rules say so
        ("location", "i1"),  # in TARGET: where the card just placed lies
        ("place", "i1"),  # in TARGET: its index in that row
        ("swapped", "i1"),  # in SWAP: whose selected card a Courtesan replaces
        ("settling", "i1"),  # in SETTLE: the location whose turn it is
        # The location settled last, for the trace.
        ("effect_count", "i1"),  # end-of-round effects, from the left
        ("effect_card", "i1", (ENDINGS,)),
        ("effect_result", "i1", (ENDINGS,)),  # NOTHING … CANCELLED
        ("effect_gains", "i1", (ENDINGS, SEATS)),  # coins by seat, at most 25
        ("reward_count", "i1"),  # ranks dealt
        ("reward_card", "i1", (RANKS,)),  # by rank; NO_CARD where the entry is 0
        ("reward_coins", "i2", (RANKS,)),  # change of the owner's coins, within ±200
        # What the record tells: sets of values by seat, then counters.
        ("dealt", "i8", (SEATS,)),  # hidden from the other seats
        ("drawn", "i8", (SEATS,)),  # hidden from the other seats
        ("placed", "i8", (PLACES, SEATS)),
        ("rewarded", "i8", (SEATS,)),  # have left the game with a reward
        ("discarded", "i8", (SEATS,)),  # have left the game by an effect
        ("moved", "i8", (SEATS,)),
        ("earned", "i2", (SEATS, len(SOURCES))),  # coins by source; with start_coins they add up to `coins`
        ("slot_taken", "i1", (PLACES, RANKS)),  # rewards dealt, at most one a round
        ("slot_coins", "i2", (PLACES, RANKS)),  # sum of their owners' changes of coins, within ±3000
        ("chance", "u8", (SEATS,)),  # key of the random cards that Courtesans take from a seat's hand; hidden
        ("policy", "u8", (SEATS,)),  # key of each seat's own dice; hidden from the other seats
    ],
    align=True,
)

RECORD = np.dtype(
    [
        ("dealt", "i8", (SEATS,)),  # sets of values by seat: in the opening hand
        ("drawn", "i8", (SEATS,)),  # drawn later
        ("played", "i8", (SEATS,)),  # placed anywhere
        ("castle", "i8", (SEATS,)),  # placed at this Location
        ("village", "i8", (SEATS,)),
        ("port", "i8", (SEATS,)),
        ("rewarded", "i8", (SEATS,)),  # received a reward and left the game
        ("discarded", "i8", (SEATS,)),  # left the game by an effect: Warrior, Hunter, or as a King
        ("moved", "i8", (SEATS,)),  # moved by Guard or Bard
        ("earned", "i2", (SEATS, len(SOURCES))),  # coins by source, losses negative
        ("slot_taken", "i1", (PLACES, RANKS)),  # rewards dealt by location and rank
        ("slot_coins", "i2", (PLACES, RANKS)),  # coins that their owners gained by them, losses negative
    ],
    align=True,
)

select_code = rule(select_action)
place_code = rule(place_action)
effect_code = rule(effect_action)


# --- set-up (R1) ------------------------------------------------------------------------------------------------------


@rule
def deal(state, rules, players, key):
    """Set up a game: shuffle every seat's own cards, draw the hands, clear the table.

    Rule
    ----
    R1.1 to R1.5 of RULES.md.

    Parameters
    ----------
    state : STATE
        Filled; whatever it held is forgotten.
    rules : RULES
        Read only.
    players : int64
        3 … 5, as in ``rules``.
    key : uint64
        The game's key (:func:`sim.rng.game_key`); decides everything that is random.
    """
    state.players = players
    state.phase, state.seat, state.pawn = SELECT, 0, 0
    state.turn = state.rounds = state.decision = 0
    state.location = state.place = state.swapped = state.settling = 0
    state.effect_count = state.reward_count = 0
    for location in range(PLACES):
        state.length[location] = 0
        for rank in range(RANKS):
            state.slot_taken[location, rank] = 0
            state.slot_coins[location, rank] = 0
        for seat in range(players):
            state.placed[location, seat] = 0
    for seat in range(players):
        pile = state.pile[seat]
        for place in range(VALUES):
            pile[place] = place + 1
        rng.shuffle(pile, VALUES, rng.stream(key, rng.DECK, seat))
        if rules.sunk[seat]:
            _sink(pile, rules.sunk[seat])
        if rules.swap[seat]:
            _exchange(pile, rules.hand, rules.swap[seat], rng.stream(key, rng.SWAP, seat))
        state.hand[seat] = 0
        state.drawn_count[seat] = 0
        state.dealt[seat] = _draw_up_to(state, seat, rules.hand)
        state.selected[seat] = 0
        state.forced[seat] = NOWHERE
        state.coins[seat] = rules.start_coins[seat]
        state.drawn[seat] = state.rewarded[seat] = state.discarded[seat] = state.moved[seat] = 0
        for source in range(len(SOURCES)):
            state.earned[seat, source] = 0
        state.chance[seat] = rng.stream(key, rng.CHANCE, seat)
        state.policy[seat] = rng.stream(key, rng.POLICY, seat)


@rule
def _sink(pile, values):
    """An intervention: each of some cards changes places with the lowest card of the pile that is not one of them."""
    bottom = VALUES - 1
    for place in range(VALUES - 1, -1, -1):
        if values >> (pile[place] - 1) & 1:
            pile[place], pile[bottom] = pile[bottom], pile[place]
            bottom -= 1


@rule
def _exchange(pile, hand, values, key):
    """An intervention: a card of the opening hand and a later one out of a set change places, drawn at random."""
    later = np.int64(0)
    for place in range(hand, VALUES):
        later |= np.int64(1) << (pile[place] - 1)
    if values & later:
        given = rng.random_bit(values & later, key, 0) + 1
        into = rng.below(key, 1, hand)
        for place in range(hand, VALUES):
            if pile[place] == given:
                pile[place], pile[into] = pile[into], pile[place]


@rule
def _draw_up_to(state, seat, count):
    """Draw until the hand holds ``count`` cards or the pile is empty. Returns the set of the cards drawn."""
    drawn = np.int64(0)
    place = np.int64(state.drawn_count[seat])
    for _ in range(min(count - count_bits(state.hand[seat]), VALUES - place)):
        drawn |= np.int64(1) << (np.int64(state.pile[seat, place]) - 1)
        place += 1
    state.drawn_count[seat] = place
    state.hand[seat] |= drawn
    return drawn


# --- the rows (R2) ----------------------------------------------------------------------------------------------------


@rule
def first_gap(state, location, value):
    """Leftmost gap where a card of this value may enter a row: right of all higher cards (R2.3). int64."""
    gap = np.int64(0)
    while gap < state.length[location] and state.rows[location, gap] >> SEAT_BITS > value:
        gap += 1
    return gap


@rule
def last_gap(state, location, value):
    """Rightmost gap where a card of this value may enter a row: left of all lower cards (R2.3, R2.4). int64."""
    gap = np.int64(state.length[location])
    while gap > 0 and state.rows[location, gap - 1] >> SEAT_BITS < value:
        gap -= 1
    return gap


@rule
def fits(state, location, gap, value):
    """Whether a card of this value may enter a row there: the row stays descending (R2.3, R2.4)."""
    length = state.length[location]
    if gap > length:
        return False
    row = state.rows[location]
    if gap > 0 and row[gap - 1] >> SEAT_BITS < value:
        return False
    return gap == length or row[gap] >> SEAT_BITS <= value


@rule
def _insert(state, location, gap, card):
    """Put a card into a row."""
    row = state.rows[location]
    for place in range(np.int64(state.length[location]), gap, -1):
        row[place] = row[place - 1]
    row[gap] = card
    state.length[location] += 1


@rule
def _remove(state, location, place):
    """Take the card at an index out of a row. Returns it (int64)."""
    row = state.rows[location]
    card = np.int64(row[place])
    state.length[location] -= 1
    for behind in range(place, np.int64(state.length[location])):
        row[behind] = row[behind + 1]
    return card


@rule
def neighbour(state, side):
    """Give the card left (side −1) or right (+1) of the one just placed, or NO_CARD (R3.2). int64."""
    place = np.int64(state.place) + side
    if place < 0 or place >= state.length[state.location]:
        return np.int64(NO_CARD)
    return np.int64(state.rows[state.location, place])


@rule
def highest_card(state):
    """Give the leftmost card of the row of the card just placed (R3.11). int64."""
    return np.int64(state.rows[state.location, 0])


@rule
def card_just_placed(state):
    """Give the card whose effect its owner decides about in TARGET. int64."""
    return np.int64(state.rows[state.location, state.place])


# --- immediate effects (R3) -------------------------------------------------------------------------------------------


@rule
def is_selected_by_other(state, seat):
    """Whether another seat has a card face down: what Courtesan and Strategist work on (R3.7, R3.8)."""
    # The seat in turn has just revealed its own.
    return seat < state.players and state.selected[seat] != 0


@rule
def can_swap(state, seat):
    """Whether a Courtesan may name this seat: a card face down and another one in hand (R3.7)."""
    return is_selected_by_other(state, seat) and state.hand[seat] != 0


@rule
def has_target(state, effect):
    """Whether the card just placed has a legal target for an immediate effect (R3.1, R3.4 to R3.11).

    Never so for what an Alchemist cannot copy: another Alchemist, end-of-round effects, no card at all (R3.6).
    """
    if effect in (GUARD, WARRIOR):
        return state.length[state.location] > 1
    if effect == THIEF:
        return can_rob(state, neighbour(state, -1)) or can_rob(state, neighbour(state, 1))
    if effect in (COURTESAN, STRATEGIST):
        for seat in range(state.players):
            if can_swap(state, seat) if effect == COURTESAN else is_selected_by_other(state, seat):
                return True
        return False
    if effect == BARD:
        cards = -state.length[state.location]
        for location in range(PLACES):
            cards += state.length[location]
        return cards > 0
    return effect == HUNTER


@rule
def can_rob(state, card):
    """Whether a Thief may choose this neighbour: another player's card (R3.5)."""
    return card != NO_CARD and card & SEAT_OF != state.seat


@rule
def can_copy(state, rules, card):
    """Whether an Alchemist may copy this neighbour: not blanked, and its effect has a legal target (R3.6, R3.12)."""
    value = card >> SEAT_BITS
    return has_target(state, value) and rules.effect[card & SEAT_OF, value] == 1


@rule
def is_forced_idle(state, rules):
    """Whether the effect of the card just placed has nothing to work on (R3.1)."""
    value = card_just_placed(state) >> SEAT_BITS
    if value == ALCHEMIST:
        return not can_copy(state, rules, neighbour(state, -1)) and not can_copy(state, rules, neighbour(state, 1))
    return not has_target(state, value)


@rule
def _is_neighbour(state, card):
    """Whether a card lies next to the card just placed."""
    return card != NO_CARD and (card == neighbour(state, -1) or card == neighbour(state, 1))


@rule
def _is_elsewhere(state, card):
    """Whether a card lies in another row than the card just placed."""
    for location in range(PLACES):
        if location != state.location:
            for place in range(state.length[location]):
                if state.rows[location, place] == card:
                    return True
    return False


# --- a turn (R2, R3) --------------------------------------------------------------------------------------------------


@rule
def is_legal(state, rules, action):
    """Whether an action may be played now. Exact for any int64. R2.1 to R2.5, R3.1 to R3.11."""
    if action < 0:
        return False
    kind, payload = action & 3, action >> KIND_BITS
    if kind == SELECT_CARD:
        if state.phase != SELECT or payload < 1 or payload > VALUES:
            return False
        return state.hand[state.seat] >> (payload - 1) & 1 == 1
    if kind == PLACE_CARD:
        if state.phase != PLACE:
            return False
        location, gap = payload & 3, action >> PLACE_GAP
        forced = state.forced[state.seat]
        if location >= PLACES or (forced != NOWHERE and forced != location):
            return False
        return fits(state, location, gap, state.selected[state.seat])
    return kind == DO_EFFECT and state.phase == TARGET and _is_legal_effect(state, rules, action)


@rule
def _is_legal_effect(state, rules, action):
    """R3.1 to R3.11: the fields of the action suit the card just placed and the table."""
    effect, target = action >> KIND_BITS & 15, action >> EFFECT_TARGET & 127
    to, gap = action >> EFFECT_TO & 3, action >> EFFECT_GAP
    value = card_just_placed(state) >> SEAT_BITS
    if effect == NO_EFFECT:
        return action == DO_EFFECT and (rules.optional == 1 or is_forced_idle(state, rules))
    if value == ALCHEMIST:
        # Only one neighbour can lend its effect under this value: equal neighbours would be Alchemists.
        left, right = neighbour(state, -1), neighbour(state, 1)
        lender = left if left >> SEAT_BITS == effect else right
        if lender >> SEAT_BITS != effect or not can_copy(state, rules, lender):
            return False
    elif effect != value:
        return False
    if effect == GUARD:
        if to >= PLACES or to == state.location:
            return False
        return _is_neighbour(state, target) and fits(state, to, gap, target >> SEAT_BITS)
    if effect == BARD:
        return to == 0 and fits(state, state.location, gap, target >> SEAT_BITS) and _is_elsewhere(state, target)
    if effect == STRATEGIST:
        return gap == 0 and to < PLACES and is_selected_by_other(state, target)
    if gap != 0 or to != 0:
        return False
    if effect == THIEF:
        return _is_neighbour(state, target) and can_rob(state, target)
    if effect == COURTESAN:
        return can_swap(state, target)
    if effect == WARRIOR:
        return _is_neighbour(state, target)
    return target == highest_card(state)


@rule
def act(state, rules, action):
    """Carry out a legal action, without what follows by itself."""
    state.decision += 1
    if state.phase == SELECT:
        _select(state, action >> KIND_BITS)
    elif state.phase == PLACE:
        _place(state, rules, action >> KIND_BITS & 3, action >> PLACE_GAP)
    else:
        _carry_out(state, rules, action)


@rule
def _select(state, value):
    """R2.1: a card of the hand lies face down; after the last seat the first one reveals."""
    seat = state.seat
    state.hand[seat] &= ~(np.int64(1) << (value - 1))
    state.selected[seat] = value
    state.seat = _left_of(state, seat)
    if state.seat == state.pawn:
        state.phase = PLACE


@rule
def _place(state, rules, location, gap):
    """R2.2 to R2.5: reveal the selected card and place it; R2.6, R3.12: its immediate effect is decided next."""
    seat = state.seat
    value = np.int64(state.selected[seat])
    _insert(state, location, gap, value << SEAT_BITS | seat)
    state.selected[seat] = 0
    state.forced[seat] = NOWHERE
    state.placed[location, seat] |= np.int64(1) << (value - 1)
    if IMMEDIATE >> value & 1 and rules.effect[seat, value]:
        state.location, state.place = location, gap
        state.phase = TARGET
    else:
        _next_to_reveal(state)


@rule
def _carry_out(state, rules, action):
    """R3: the immediate effect of the card just placed."""
    effect, target = action >> KIND_BITS & 15, action >> EFFECT_TARGET & 127
    to, gap = action >> EFFECT_TO & 3, action >> EFFECT_GAP
    if effect == COURTESAN:
        state.swapped = target
        state.phase = SWAP
        return
    if effect == STRATEGIST:
        state.forced[target] = to
    elif effect == THIEF:
        _rob(state, rules, target & SEAT_OF)
    elif effect == GUARD:
        _move(state, np.int64(state.location), to, gap, target)
    elif effect == BARD:
        source = np.int64(0)
        while source == state.location or not _lies_in(state, source, target):
            source += 1
        _move(state, source, np.int64(state.location), gap, target)
    elif effect != NO_EFFECT:
        _discard(state, target)
    _next_to_reveal(state)


@rule
def _lies_in(state, location, card):
    """Whether a card lies in a row."""
    return _place_in(state, location, card) < state.length[location]


@rule
def _place_in(state, location, card):
    """Index of a card in a row, or the row's length. int64."""
    place = np.int64(0)
    while place < state.length[location] and state.rows[location, place] != card:
        place += 1
    return place


@rule
def _move(state, source, to, gap, card):
    """R3.3: a card goes to another row; its effect does not happen again."""
    _remove(state, source, _place_in(state, source, card))
    _insert(state, to, gap, card)
    state.moved[card & SEAT_OF] |= np.int64(1) << ((card >> SEAT_BITS) - 1)


@rule
def _discard(state, card):
    """R3.9, R3.11: a card of the same row leaves the game."""
    _remove(state, np.int64(state.location), _place_in(state, np.int64(state.location), card))
    state.discarded[card & SEAT_OF] |= np.int64(1) << ((card >> SEAT_BITS) - 1)


@rule
def _rob(state, rules, victim):
    """R3.5: two coins change hands, or what is there (R4.13)."""
    coins = _payable(state, rules, victim, STOLEN)
    _earn(state, victim, FROM_THIEF, -coins)
    _earn(state, state.seat, FROM_THIEF, coins)


@rule
def _payable(state, rules, seat, coins):
    """R4.13: what a seat pays of a sum: all of it, or without debt no more than it has. int64."""
    return np.int64(coins) if rules.debt else min(np.int64(coins), np.int64(state.coins[seat]))


@rule
def _earn(state, seat, source, coins):
    """Change a seat's coins."""
    state.coins[seat] += coins
    state.earned[seat, source] += coins


@rule
def _left_of(state, seat):
    """Give the seat to the left: the next in turn. int64."""
    return seat + 1 if seat + 1 < state.players else 0


@rule
def _next_to_reveal(state):
    """R2.2: the next seat reveals its card; after the last one the pawn passes."""
    state.seat = _left_of(state, state.seat)
    state.phase = PASS if state.seat == state.pawn else PLACE


@rule
def apply(state, rules, action):
    """Carry out a legal action and all that follows, until the next decision or the end."""
    act(state, rules, action)
    while is_automatic(state):
        follow(state, rules)


@rule
def is_automatic(state):
    """Whether the next step follows by itself."""
    return state.phase > TARGET and state.phase < OVER


@rule
def follow(state, rules):
    """One automatic step: a Courtesan's swap, passing the pawn, settling one Location, or one seat drawing."""
    if state.phase == SWAP:
        _swap(state)
    elif state.phase == PASS:
        _pass_pawn(state, rules)
    elif state.phase == SETTLE:
        _settle(state, rules)
    else:
        _draw(state, rules)


@rule
def _swap(state):
    """R3.7: a random card of the hand becomes the selected one, the old one returns to the hand.

    The number drawn belongs to the seat that is swapped, to the turn and to the seat that swaps.
    """
    seat = np.int64(state.swapped)
    left = state.hand[seat]
    for _ in range(rng.below(state.chance[seat], state.turn * SEATS + state.seat, count_bits(left))):
        left &= left - 1
    value = lowest_bit(left) + 1
    returned = np.int64(state.selected[seat])
    state.hand[seat] ^= np.int64(1) << (value - 1) | np.int64(1) << (returned - 1)
    state.selected[seat] = value
    _next_to_reveal(state)


@rule
def _pass_pawn(state, rules):
    """R2.7: the pawn passes to the left, after the last turn too; R4.1: then a round may be over."""
    state.turn += 1
    state.pawn = state.seat = _left_of(state, np.int64(state.pawn))
    if state.turn % rules.turns == 0:
        state.phase, state.settling = SETTLE, 0
    else:
        state.phase = SELECT


# --- end of a round (R4) ----------------------------------------------------------------------------------------------


@rule
def _settle(state, rules):
    """R4.1: effects and rewards of one Location; R4.15, R5.1: after the Port everybody draws or the game is over."""
    location = np.int64(state.settling)
    turned = _end_effects(state, rules, location)
    _deal_rewards(state, rules, location, turned)
    state.settling += 1
    if state.settling < PLACES:
        return
    state.rounds += 1
    state.seat = 0
    state.phase = DRAW if state.rounds < rules.rounds else OVER


@rule
def _end_effects(state, rules, location):
    """R4.2 to R4.9: the end-of-round effects of a row, from the left.

    Returns
    -------
    bool
        Whether a Traitor turns the rewards round.
    """
    row, length = state.rows[location], np.int64(state.length[location])
    cards = np.int64(0)  # cards here by seat, PACKED bits each
    low = np.int64(0)  # cards here below the Merchant
    thief = witch = turned = False
    for place in range(length):
        card = np.int64(row[place])
        cards += np.int64(1) << (PACKED * (card & SEAT_OF))
        low += card >> SEAT_BITS < MERCHANT
        thief |= card >> SEAT_BITS == THIEF
    state.effect_count = 0
    kings = np.int64(0)
    for place in range(length):
        card = np.int64(row[place])
        owner, value = card & SEAT_OF, card >> SEAT_BITS
        if not END_OF_ROUND >> value & 1 or not rules.effect[owner, value]:
            continue
        entry = _log_effect(state, card)
        if value == KING:
            if thief:  # R4.3
                state.effect_result[entry] = DISCARDED
                state.discarded[owner] |= np.int64(1) << (KING - 1)
                cards -= np.int64(1) << (PACKED * owner)
                kings += 1
        elif value == PRINCESS:
            for seat in range(state.players):  # R4.4
                _bring(state, entry, seat, FROM_PRINCESS, (cards >> (PACKED * seat) & PACKED_MASK) - (seat == owner))
        elif value == WITCH:
            witch = True
            state.effect_result[entry] = CANCELS
        elif witch:  # R4.5
            state.effect_result[entry] = CANCELLED
        elif value == TRAITOR:
            turned = True
            state.effect_result[entry] = REVERSES
        elif value == MERCHANT:
            _bring(state, entry, owner, FROM_MERCHANT, low)
        elif value == SPY:
            if cards >> (PACKED * owner) & PACKED_MASK == 1:
                _bring(state, entry, owner, FROM_SPY, np.int64(SPY_COINS))
        elif location == PORT:  # R4.9: the Sailor
            state.effect_result[entry] = DOUBLES
    if kings:
        _drop_kings(state, rules, location)
    return turned


@rule
def _log_effect(state, card):
    """Note an end-of-round effect, at first without any result. Returns its entry."""
    entry = np.int64(state.effect_count)
    state.effect_count += 1
    state.effect_card[entry] = card
    state.effect_result[entry] = NOTHING
    for seat in range(state.players):
        state.effect_gains[entry, seat] = 0
    return entry


@rule
def _bring(state, entry, seat, source, coins):
    """Let an end-of-round effect bring a seat some coins, perhaps none."""
    if coins > 0:
        state.effect_result[entry] = COINS
        state.effect_gains[entry, seat] = coins
        _earn(state, seat, source, coins)


@rule
def _drop_kings(state, rules, location):
    """R4.3: all Kings with an effect leave the row; they are its first cards."""
    row, length = state.rows[location], np.int64(state.length[location])
    kept = np.int64(0)
    for place in range(length):
        card = np.int64(row[place])
        if card >> SEAT_BITS != KING or not rules.effect[card & SEAT_OF, KING]:
            row[kept] = card
            kept += 1
    state.length[location] = kept


@rule
def _deal_rewards(state, rules, location, turned):
    """R4.10 to R4.14: rewards by rank, from the left or, turned round, from the right; who got one leaves the game."""
    row, length = state.rows[location], np.int64(state.length[location])
    ranks = min(np.int64(rules.ranks[location]), length)
    state.reward_count = ranks
    left = np.int64(0)
    for rank in range(ranks):
        state.reward_card[rank] = NO_CARD
        entry = np.int64(rules.rewards[location, rank])
        if entry == 0:  # R4.12
            continue
        place = length - 1 - rank if turned else rank
        card = np.int64(row[place])
        row[place] = NO_CARD
        left += 1
        owner = card & SEAT_OF
        coins = _reward(state, rules, location, card, entry, length)
        state.rewarded[owner] |= np.int64(1) << ((card >> SEAT_BITS) - 1)
        state.reward_card[rank] = card
        state.reward_coins[rank] = coins
        state.slot_taken[location, rank] += 1
        state.slot_coins[location, rank] += coins
    if left:
        kept = np.int64(0)
        for place in range(length):
            if row[place] != NO_CARD:
                row[kept] = row[place]
                kept += 1
        state.length[location] = kept


@rule
def _reward(state, rules, location, card, entry, length):
    """R4.9, R4.11, R4.13: pay one reward. Returns the change of the owner's coins (int64)."""
    owner, value = card & SEAT_OF, card >> SEAT_BITS
    times = 2 if value == SAILOR and location == PORT and _doubles(state, card) else 1
    if entry == STEAL_EACH:
        stolen = np.int64(0)
        for seat in range(state.players):
            if seat != owner:
                coins = _payable(state, rules, seat, times)
                _earn(state, seat, FROM_STEAL_EACH, -coins)
                stolen += coins
        _earn(state, owner, FROM_STEAL_EACH, stolen)
        return stolen
    if entry == HALF:
        entry = (value + 1) // 2
    elif entry == PER_CARD:
        entry = length
    coins = entry * times
    if coins < 0:
        coins = -_payable(state, rules, owner, -coins)
    _earn(state, owner, FROM_REWARDS, coins)
    return coins


@rule
def _doubles(state, card):
    """Whether the effect of a Sailor in the Port was in force (R4.5, R4.9)."""
    for entry in range(state.effect_count):
        if state.effect_card[entry] == card:
            return state.effect_result[entry] == DOUBLES
    return False


@rule
def _draw(state, rules):
    """R4.15: one seat fills its hand; after the last one the next round begins with the pawn."""
    seat = state.seat
    state.drawn[seat] |= _draw_up_to(state, seat, rules.hand)
    state.seat += 1
    if state.seat == state.players:
        state.seat = state.pawn
        state.phase = SELECT


# --- the end (R5) -----------------------------------------------------------------------------------------------------


@rule
def is_over(state):
    """Whether the game has ended (R5.1)."""
    return state.phase == OVER


@rule
def end_reason(state):
    """Why the game ended: always 0, "last_round"."""
    return 0


@rule
def score(state, rules, scores):
    """Fill ``scores`` with the coins and return the winner as a mask of seats (int64), always exactly one.

    Rule
    ----
    R5.2 most coins; among equals the pawn's holder, else the first of them clockwise from the pawn.
    """
    seat = np.int64(state.pawn)
    winner = seat
    for _ in range(state.players):
        scores[seat] = state.coins[seat]
        if state.coins[seat] > state.coins[winner]:
            winner = seat
        seat = _left_of(state, seat)
    return np.int64(1) << winner


@rule
def lead(state, rules, values):
    """Fill ``values`` with the standing: the coins."""
    for seat in range(state.players):
        values[seat] = state.coins[seat]


@rule
def record(state, row):
    """Fill a row of RECORD with what happened to the cards and the coins."""
    for seat in range(state.players):
        row.dealt[seat] = state.dealt[seat]
        row.drawn[seat] = state.drawn[seat]
        row.played[seat] = placed_cards(state, seat)
        row.castle[seat] = state.placed[0, seat]
        row.village[seat] = state.placed[1, seat]
        row.port[seat] = state.placed[PORT, seat]
        row.rewarded[seat] = state.rewarded[seat]
        row.discarded[seat] = state.discarded[seat]
        row.moved[seat] = state.moved[seat]
        for source in range(len(SOURCES)):
            row.earned[seat, source] = state.earned[seat, source]
    for location in range(PLACES):
        for rank in range(RANKS):
            row.slot_taken[location, rank] = state.slot_taken[location, rank]
            row.slot_coins[location, rank] = state.slot_coins[location, rank]


# --- for players that search ------------------------------------------------------------------------------------------


@rule
def placed_cards(state, seat):
    """Set of the cards that a seat has placed so far: what everybody has seen of it. int64."""
    return state.placed[0, seat] | state.placed[1, seat] | state.placed[PORT, seat]


@rule
def known_coins(state, rules, seat, other):
    """Give the coins of a seat as another one knows them (RULES.md, note 18).

    Returns
    -------
    int64
        The number itself, or with hidden coins the mean of all other seats, rounded down.
    """
    if rules.coins_visible or other == seat:
        return np.int64(state.coins[other])
    total = np.int64(0)
    for each in range(state.players):
        total += state.coins[each]
    return (total - state.coins[seat]) // (state.players - 1)


@rule
def candidates(state, rules, out):
    """List the actions worth considering: all legal ones, each once, and nothing left out.

    The most there can be: an Alchemist between a Guard and a Bard, where it may decline. The Guard allows at most 2
    neighbours × (2 rows + 4 equal cards) = 12; the Bard at most 9 for each of 15 values (3 cards elsewhere × 3 gaps
    beside 2 here); declining is 1 more: 148, the bound CANDIDATES.

    Parameters
    ----------
    out : int64[CANDIDATES]
        Filled from the front.

    Returns
    -------
    int64
        How many actions were filled in.
    """
    if state.phase == SELECT:
        return _list_selections(state, out)
    if state.phase == PLACE:
        return _list_placements(state, out)
    if state.phase != TARGET:
        return np.int64(0)
    count = np.int64(0)
    value = card_just_placed(state) >> SEAT_BITS
    if value != ALCHEMIST:
        count = _list_effects(state, value, out, count)
    else:
        for side in (-1, 1):
            card = neighbour(state, side)
            if can_copy(state, rules, card):
                count = _list_effects(state, card >> SEAT_BITS, out, count)
    if rules.optional or count == 0:
        out[count] = effect_code(NO_EFFECT, 0, 0, 0)
        count += 1
    return count


@rule
def _list_selections(state, out):
    """All cards of the hand."""
    count = np.int64(0)
    left = state.hand[state.seat]
    while left:
        out[count] = select_code(lowest_bit(left) + 1)
        left &= left - 1
        count += 1
    return count


@rule
def _list_placements(state, out):
    """All gaps of all locations, or of the one that a Strategist named."""
    count = np.int64(0)
    value, forced = state.selected[state.seat], state.forced[state.seat]
    for location in range(PLACES):
        if forced in (NOWHERE, location):
            for gap in range(first_gap(state, location, value), last_gap(state, location, value) + 1):
                out[count] = place_code(location, gap)
                count += 1
    return count


@rule
def _list_effects(state, effect, out, count):
    """All ways to carry out one effect with the card just placed, from ``out[count]`` on. Returns the new count."""
    here = np.int64(state.location)
    if effect == HUNTER:
        out[count] = effect_code(HUNTER, highest_card(state), 0, 0)
        return count + 1
    if effect in (COURTESAN, STRATEGIST):
        for seat in range(state.players):
            if effect == COURTESAN and can_swap(state, seat):
                out[count] = effect_code(COURTESAN, seat, 0, 0)
                count += 1
            elif effect == STRATEGIST and is_selected_by_other(state, seat):
                for to in range(PLACES):
                    out[count] = effect_code(STRATEGIST, seat, to, 0)
                    count += 1
        return count
    if effect == BARD:
        for source in range(PLACES):
            if source != here:
                for place in range(state.length[source]):
                    count = _list_gaps(state, BARD, np.int64(state.rows[source, place]), here, out, count)
        return count
    for side in (-1, 1):
        card = neighbour(state, side)
        if card == NO_CARD:
            continue
        if effect == GUARD:
            for to in range(PLACES):
                if to != here:
                    count = _list_gaps(state, GUARD, card, to, out, count)
        elif effect == WARRIOR or can_rob(state, card):
            out[count] = effect_code(effect, card, 0, 0)
            count += 1
    return count


@rule
def _list_gaps(state, effect, card, to, out, count):
    """All gaps for a card that Guard or Bard moves to a row. Returns the new count."""
    value = card >> SEAT_BITS
    for gap in range(first_gap(state, to, value), last_gap(state, to, value) + 1):
        out[count] = effect_code(effect, card, to if effect == GUARD else 0, gap)
        count += 1
    return count


@rule
def redeal(state, rules, seat, key):
    """Reshuffle all that a seat cannot know, consistently with what it has seen.

    Of another seat nobody has seen the cards that it has not placed: they change places among its hand, its selected
    card and its pile. The order of the own pile is unknown as well. The dice of the other seats and of coming swaps are
    replaced. With hidden coins the others' coins are shared out anew among them (RULES.md, note 18).

    Parameters
    ----------
    state : STATE
        Changed in place.
    seat : int64
        Who looks at the table.
    key : uint64
        Stream of the reshuffle.
    """
    for other in range(state.players):
        state.chance[other] = rng.stream(key, rng.CHANCE, other)
        if other == seat:
            first = np.int64(state.drawn_count[seat])
            rng.shuffle(state.pile[seat][first:], VALUES - first, rng.stream(key, rng.DECK, seat))
        else:
            _rename_unseen(state, other, rng.stream(key, rng.DECK, other))
            state.policy[other] = rng.stream(key, rng.POLICY, other)
    if not rules.coins_visible:
        _share_out_coins(state, seat, rng.stream(key, rng.DECK, SEATS))


@rule
def _rename_unseen(state, seat, key):
    """Let the values that a seat has not placed change places with each other, wherever its cards are."""
    becomes = np.arange(VALUES + 1)
    members = np.empty(VALUES, np.int64)
    count = 0
    left = ~placed_cards(state, seat) & ((1 << VALUES) - 1)
    while left:
        members[count] = lowest_bit(left) + 1
        left &= left - 1
        count += 1
    renamed = members.copy()
    rng.shuffle(renamed, count, key)
    for place in range(count):
        becomes[members[place]] = renamed[place]
    state.hand[seat] = _renamed(state.hand[seat], becomes)
    state.dealt[seat] = _renamed(state.dealt[seat], becomes)
    state.drawn[seat] = _renamed(state.drawn[seat], becomes)
    state.selected[seat] = becomes[np.int64(state.selected[seat])]
    for place in range(VALUES):
        state.pile[seat, place] = becomes[np.int64(state.pile[seat, place])]


@rule
def _renamed(values, becomes):
    """Give the set that a set of values turns into under a renaming."""
    renamed = np.int64(0)
    while values:
        renamed |= np.int64(1) << (becomes[lowest_bit(values) + 1] - 1)
        values &= values - 1
    return renamed


@rule
def _share_out_coins(state, seat, key):
    """Share the other seats' coins out anew, at random cuts of their total; nobody falls below the poorest's debt."""
    least = np.int64(0)
    total = np.int64(0)
    for other in range(state.players):
        if other != seat:
            least = min(least, np.int64(state.coins[other]))
            total += state.coins[other]
    total -= least * (state.players - 1)
    cuts = np.zeros(SEATS, np.int64)
    for cut in range(1, state.players - 1):
        cuts[cut] = rng.below(key, cut, total + 1)
    cuts[state.players - 1] = total
    cuts[: state.players].sort()
    share = 0
    for other in range(state.players):
        if other != seat:
            change = least + cuts[share + 1] - cuts[share] - state.coins[other]
            _earn(state, other, FROM_REWARDS, change)
            share += 1
