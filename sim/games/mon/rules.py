"""The rules of MON: Emblems of Sengoku, compiled.

Source: the publisher's rule book; numbered and with our readings in ``RULES.md`` beside this file.
Players: 2–6. Everything of the rule book is here; the start by rock-paper-scissors is not (the first player is seat 0).
Actions: advance(card), fall back(card), draw(cards discarded); codes in ``cards.py``.
Why it ends: every action takes exactly one card off the hand (R3.6), so a game has players × hand size turns.
Rules version: see ``spec.py``; it moves only when results may change.
"""

from __future__ import annotations

import numpy as np

from sim import rng
from sim.games.mon.cards import ADVANCE, CARDS, DRAW, FALL_BACK, KIND_BITS, NO_CARD, VALUES
from sim.jit import count_bits, lowest_bit, rule

SEATS = 6
COLOURS = 3
CANDIDATES = 128  # most actions that `candidates` can list: 54 advances or fall backs, 54 single and 20 grouped draws

TURN, REPLENISH, OVER = 0, 1, 2  # phases; REPLENISH is automatic
TIE_EMPTIED_FIRST, TIE_SHARED = 0, 1

RULES = np.dtype(
    [
        ("players", "i8"),  # 2 … 6
        ("own_orders", "i1"),  # 0: one draw pile in one order; 1: each seat meets the pile in an order of its own
        ("hand_size", "i1"),  # cards dealt to each seat
        ("tokens", "i1"),  # tokens of each seat
        ("token_limit", "i1"),  # 1: no token left, no advance and no fall back
        ("tie", "i1"),  # TIE_EMPTIED_FIRST or TIE_SHARED
        ("cards", "i8"),  # set of the cards in the game
        ("start", "i1", (COLOURS,)),  # value of each starting tile
        ("points", "i1", (SEATS, VALUES)),  # points of a visible card for the seat whose token it carries, by value
        ("may_fall_back", "i1", (SEATS, COLOURS)),  # 0: this seat never falls back on this colour
        # What only an intervention sets (`spec.py`); 0 in any config.
        ("start_points", "i2", (SEATS,)),  # points of each seat at the start, −1000 … 1000
        ("barred", "i8", (SEATS,)),  # set of cards that this seat neither advances nor falls back with
        ("swap", "i8", (SEATS,)),  # set of cards one of which this seat gets for a card of its opening hand
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("players", "i8"),  # as in RULES
        ("own_orders", "i1"),  # as in RULES
        ("phase", "i1"),  # TURN, REPLENISH or OVER
        ("seat", "i8"),  # who decides
        ("turn", "i8"),  # turns finished
        ("rounds", "i8"),  # rounds finished
        ("decision", "i8"),  # decisions taken
        ("hand", "i8", (SEATS,)),  # set of cards; hidden from the other seats
        ("stock", "i8"),  # set of cards in the draw pile; hidden
        ("discard", "i8"),  # set of cards in the discard pile
        ("order", "i1", (SEATS, CARDS)),  # cards in drawing order, then NO_CARD; row 0 for all, or a row a seat
        ("cursor", "i1", (SEATS,)),  # how far each row has been drawn
        ("missing", "i1"),  # cards that the seat still has to draw
        ("reshuffles", "i8"),  # how often the discard pile became the draw pile
        ("epoch", "i1", (CARDS,)),  # which draw pile a card was last part of: 0, 1, …
        ("length", "i1", (COLOURS,)),  # stacks of each line
        ("top", "i1", (COLOURS, VALUES)),  # value of the visible card of each stack, from the starting tile outwards
        ("owner", "i1", (COLOURS, VALUES)),  # whose token it carries
        ("height", "i1", (COLOURS, VALUES)),  # cards in the stack
        ("under", "i1", (CARDS,)),  # card directly beneath a card of a line, or NO_CARD
        ("tokens", "i1", (SEATS,)),  # tokens left
        ("points", "i2", (SEATS,)),  # score as if the game ended now: at most 54 × 127
        ("dealt", "i8", (SEATS,)),  # sets of cards, for the record
        ("drawn", "i8", (SEATS,)),
        ("advanced", "i8", (SEATS,)),
        ("fell_back", "i8", (SEATS,)),
        ("discarded", "i8", (SEATS,)),
        ("chance", "u8"),  # key of the reshuffles; hidden
        ("policy", "u8", (SEATS,)),  # key of each seat's own dice; hidden from the other seats
    ],
    align=True,
)

RECORD = np.dtype(
    [
        ("dealt", "i8", (SEATS,)),  # sets of cards by seat
        ("drawn", "i8", (SEATS,)),
        ("advanced", "i8", (SEATS,)),
        ("fell_back", "i8", (SEATS,)),
        ("discarded", "i8", (SEATS,)),
        ("scoring", "i8", (SEATS,)),  # visible under an own token at the end
    ],
    align=True,
)


# --- set-up (R1) ------------------------------------------------------------------------------------------------------


@rule
def deal(state, rules, players, key):
    """Set up a game: shuffle, deal the hands, clear the table.

    Rule
    ----
    R1.1 to R1.6 of RULES.md.

    Parameters
    ----------
    state : STATE
        Filled; whatever it held is forgotten.
    rules : RULES
        Read only.
    players : int64
        2 … 6, as in ``rules``.
    key : uint64
        The game's key (:func:`sim.rng.game_key`); decides everything that is random.
    """
    state.players = players
    state.own_orders = rules.own_orders
    state.phase, state.seat = TURN, 0
    state.turn = state.rounds = state.decision = 0
    state.discard = 0
    state.missing = 0
    state.reshuffles = 0
    state.chance = rng.stream(key, rng.CHANCE, 0)
    for colour in range(COLOURS):
        state.length[colour] = 0
    for card in range(CARDS):
        state.epoch[card] = 0
        state.under[card] = NO_CARD
    state.stock = rules.cards
    for seat in range(players if rules.own_orders else 1):
        _arrange(state, seat, rng.stream(key, rng.DECK, seat))
    for seat in range(players):
        state.hand[seat] = 0
        state.tokens[seat] = rules.tokens
        state.points[seat] = rules.start_points[seat]
        state.drawn[seat] = state.advanced[seat] = state.fell_back[seat] = state.discarded[seat] = 0
        state.policy[seat] = rng.stream(key, rng.POLICY, seat)
    for seat in range(players):
        for _ in range(rules.hand_size):
            _draw_card(state, seat)
    for seat in range(players):
        if rules.swap[seat] & state.stock:
            _swap(state, rules, seat, rng.stream(key, rng.SWAP, seat))
        state.dealt[seat] = state.hand[seat]


@rule
def _arrange(state, row, key):
    """Put the cards of the draw pile into a uniformly random order: row ``row`` of ``order``."""
    cards = state.order[row]
    count = 0
    left = state.stock
    while left:
        cards[count] = lowest_bit(left)
        left &= left - 1
        count += 1
    for place in range(count, CARDS):
        cards[place] = NO_CARD
    rng.shuffle(cards, count, key)
    state.cursor[row] = 0


@rule
def _draw_card(state, seat):
    """Give a seat the next card of the draw pile: the first in its order that is still there. Returns the card."""
    row = seat if state.own_orders else 0
    card = np.int64(state.order[row, state.cursor[row]])
    while not state.stock >> card & 1:
        state.cursor[row] += 1
        card = np.int64(state.order[row, state.cursor[row]])
    state.cursor[row] += 1
    state.stock &= ~(np.int64(1) << card)
    state.hand[seat] |= np.int64(1) << card
    return card


@rule
def _swap(state, rules, seat, key):
    """An intervention: a card of the opening hand and one of the draw pile change places, each drawn at random."""
    given = rng.random_bit(rules.swap[seat] & state.stock, key, 0)
    taken = rng.random_bit(state.hand[seat], key, 1)
    both = np.int64(1) << given | np.int64(1) << taken
    state.hand[seat] ^= both
    state.stock ^= both
    for row in range(state.players if state.own_orders else 1):
        for place in range(CARDS):
            card = state.order[row, place]
            if card == given:
                state.order[row, place] = taken
            elif card == taken:
                state.order[row, place] = given


# --- the lines (R2) ---------------------------------------------------------------------------------------------------


@rule
def highest(state, rules, colour):
    """Highest value of a line: its outermost visible card, or the starting tile (R2.2). int64."""
    length = state.length[colour]
    return np.int64(state.top[colour, length - 1]) if length else np.int64(rules.start[colour])


@rule
def second_highest(state, rules, colour):
    """Value of the neighbour of the highest card towards the starting tile, the tile included (R2.3). int64."""
    length = state.length[colour]
    return np.int64(state.top[colour, length - 2]) if length > 1 else np.int64(rules.start[colour])


@rule
def has_token(state, rules, seat):
    """R2.5: a player with no token in supply can neither advance nor fall back (unless tokens are unlimited)."""
    return state.tokens[seat] > 0 or not rules.token_limit


@rule
def may_cover(state, rules, seat, colour):
    """Whether a seat may fall back on a line at all: a card lies there, not under its own token (R3.3, R3.4)."""
    length = state.length[colour]
    return length > 0 and state.owner[colour, length - 1] != seat and rules.may_fall_back[seat, colour]


@rule
def advances(state, rules, seat):
    """Set of the cards with which a seat may advance (R3.1)."""
    if not has_token(state, rules, seat):
        return np.int64(0)
    playable = np.int64(0)
    for colour in range(COLOURS):
        playable |= between(colour, highest(state, rules, colour), VALUES + 1)
    return playable & state.hand[seat] & ~rules.barred[seat]


@rule
def fall_backs(state, rules, seat):
    """Set of the cards with which a seat may fall back (R3.2 to R3.4)."""
    if not has_token(state, rules, seat):
        return np.int64(0)
    playable = np.int64(0)
    for colour in range(COLOURS):
        if may_cover(state, rules, seat, colour):
            playable |= between(colour, second_highest(state, rules, colour), highest(state, rules, colour))
    return playable & state.hand[seat] & ~rules.barred[seat]


@rule
def between(colour, low, high):
    """Set of the cards of a colour with low < value < high."""
    if high <= low + 1:
        return np.int64(0)
    values = (np.int64(1) << (high - 1)) - (np.int64(1) << low)
    return values << (colour * VALUES)


# --- a turn (R3) ------------------------------------------------------------------------------------------------------


@rule
def is_legal(state, rules, action):
    """Whether an action may be played now. Exact for any int64. R3.1 to R3.5."""
    if state.phase != TURN or action < 0:
        return False
    kind, payload = action & 3, action >> KIND_BITS
    hand = state.hand[state.seat]
    if kind == DRAW:
        return payload != 0 and payload & ~hand == 0
    if payload >= CARDS or not (hand & ~rules.barred[state.seat]) >> payload & 1:
        return False
    if not has_token(state, rules, state.seat):
        return False
    colour, value = payload // VALUES, payload % VALUES + 1
    if kind == ADVANCE:
        return value > highest(state, rules, colour)
    if kind == FALL_BACK:
        return (
            may_cover(state, rules, state.seat, colour)
            and second_highest(state, rules, colour) < value
            and value < highest(state, rules, colour)
        )
    return False


@rule
def act(state, rules, action):
    """Carry out a legal action, without what follows by itself."""
    state.decision += 1
    kind, payload = action & 3, action >> KIND_BITS
    if kind == DRAW:
        _discard(state, payload)
        return
    state.hand[state.seat] &= ~(np.int64(1) << payload)
    if kind == ADVANCE:
        _advance(state, rules, payload)
    else:
        _fall_back(state, rules, payload)
    _end_turn(state)


@rule
def _advance(state, rules, card):
    """R3.1: the card extends the line, with an own token on it."""
    seat, colour, value = state.seat, card // VALUES, card % VALUES + 1
    place = state.length[colour]
    state.length[colour] += 1
    state.top[colour, place] = value
    state.owner[colour, place] = seat
    state.height[colour, place] = 1
    state.tokens[seat] -= 1
    state.points[seat] += rules.points[seat, value - 1]
    state.advanced[seat] |= np.int64(1) << card


@rule
def _fall_back(state, rules, card):
    """R3.2: the token goes back to its owner, the card covers the whole stack and carries an own token."""
    seat, colour, value = state.seat, card // VALUES, card % VALUES + 1
    place = state.length[colour] - 1
    covered, loser = np.int64(state.top[colour, place]), np.int64(state.owner[colour, place])
    under = np.int64(state.height[colour, place])
    state.tokens[loser] += 1
    state.points[loser] -= rules.points[loser, covered - 1] + under - 1
    state.under[card] = colour * VALUES + covered - 1
    state.top[colour, place] = value
    state.owner[colour, place] = seat
    state.height[colour, place] += 1
    state.tokens[seat] -= 1
    state.points[seat] += rules.points[seat, value - 1] + under
    state.fell_back[seat] |= np.int64(1) << card


@rule
def _discard(state, cards):
    """R3.5: discard any number of cards; one fewer is drawn."""
    seat = state.seat
    state.hand[seat] &= ~cards
    state.discard |= cards
    state.discarded[seat] |= cards
    state.missing = count_bits(cards) - 1
    if state.missing:
        state.phase = REPLENISH
    else:
        _end_turn(state)


@rule
def follow(state, rules):
    """One automatic step of REPLENISH: draw what the pile has, or turn the discard pile into a new pile (R3.7)."""
    if state.stock == 0:
        _reshuffle(state)
        return
    seat = state.seat
    held = state.hand[seat]
    while state.missing and state.stock:
        _draw_card(state, seat)
        state.missing -= 1
    state.drawn[seat] |= state.hand[seat] & ~held
    if state.missing == 0:
        state.phase = TURN
        _end_turn(state)


@rule
def _reshuffle(state):
    """R3.7: the whole discard pile, shuffled, is the new draw pile. The cards just discarded are in it."""
    state.stock, state.discard = state.discard, 0
    state.reshuffles += 1
    for row in range(state.players if state.own_orders else 1):
        _arrange(state, row, rng.word(state.chance, state.reshuffles * SEATS + row))
    left = state.stock
    while left:
        state.epoch[lowest_bit(left)] = state.reshuffles
        left &= left - 1


@rule
def _end_turn(state):
    """R4.1: the turn passes to the left; when the first player's hand is empty, the others have one more turn."""
    state.turn += 1
    state.seat += 1
    if state.seat == state.players:
        state.seat = 0
        state.rounds += 1
        if state.hand[0] == 0:
            state.phase = OVER


@rule
def apply(state, rules, action):
    """Carry out a legal action and all that follows, until the next decision or the end."""
    act(state, rules, action)
    while state.phase == REPLENISH:
        follow(state, rules)


@rule
def is_automatic(state):
    """Whether the next step follows by itself."""
    return state.phase == REPLENISH


# --- the end (R4) -----------------------------------------------------------------------------------------------------


@rule
def is_over(state):
    """Whether the game has ended."""
    return state.phase == OVER


@rule
def end_reason(state):
    """Why the game ended: always 0, "hand_empty"."""
    return 0


@rule
def score(state, rules, scores):
    """Fill ``scores`` with the final points and return the winners as a mask of seats (int64).

    Rule
    ----
    R4.2 points of the visible card under each own token, and 1 for each card beneath it; R4.3 ties.
    """
    best = np.int64(state.points[0])
    for seat in range(state.players):
        scores[seat] = state.points[seat]
        best = max(best, scores[seat])
    winners = np.int64(0)
    for seat in range(state.players):
        if scores[seat] == best and (winners == 0 or rules.tie == TIE_SHARED):
            # R4.3: seat 0 always empties its hand first and the others follow in turn order.
            winners |= np.int64(1) << seat
    return winners


@rule
def lead(state, rules, values):
    """Fill ``values`` with the standing: the score as if the game ended now."""
    for seat in range(state.players):
        values[seat] = state.points[seat]


@rule
def record(state, row):
    """Fill a row of RECORD with what happened to the cards."""
    for seat in range(state.players):
        row.dealt[seat] = state.dealt[seat]
        row.drawn[seat] = state.drawn[seat]
        row.advanced[seat] = state.advanced[seat]
        row.fell_back[seat] = state.fell_back[seat]
        row.discarded[seat] = state.discarded[seat]
        row.scoring[seat] = 0
    for colour in range(COLOURS):
        for place in range(state.length[colour]):
            card = colour * VALUES + state.top[colour, place] - 1
            row.scoring[np.int64(state.owner[colour, place])] |= np.int64(1) << card


# --- for players that search ------------------------------------------------------------------------------------------


@rule
def unseen(state, seat):
    """Set of the cards that a seat has not seen: the other hands and the draw pile (reading 1: discards are open)."""
    hidden = state.stock
    for other in range(state.players):
        if other != seat:
            hidden |= state.hand[other]
    return hidden


@rule
def dead_cards(state, rules, seat):
    """Set of a hand's cards that can never be played: not above the second-highest value, which never falls (R2.3)."""
    alive = np.int64(0)
    for colour in range(COLOURS):
        alive |= between(colour, second_highest(state, rules, colour), VALUES + 1)
    return state.hand[seat] & ~alive


@rule
def candidates(state, rules, out):
    """List the actions worth considering: all advances and fall backs, and some draws.

    Left out: most subsets to discard. Kept are each single card and, in the order "dead cards first, then from the
    lowest value", the 2, 3, … cards that come first.

    Parameters
    ----------
    out : int64[CANDIDATES]
        Filled from the front.

    Returns
    -------
    int64
        How many actions were filled in; all are legal and different.
    """
    seat = state.seat
    count = 0
    left = advances(state, rules, seat)
    while left:
        out[count] = lowest_bit(left) << KIND_BITS | ADVANCE
        left &= left - 1
        count += 1
    left = fall_backs(state, rules, seat)
    while left:
        out[count] = lowest_bit(left) << KIND_BITS | FALL_BACK
        left &= left - 1
        count += 1
    dead = dead_cards(state, rules, seat)
    discards = np.int64(0)
    for part in (dead, state.hand[seat] & ~dead):
        for value in range(VALUES):
            for colour in range(COLOURS):
                card = np.int64(1) << (colour * VALUES + value)
                if part & card:
                    out[count] = card << KIND_BITS | DRAW
                    count += 1
                    discards |= card
                    if discards != card and count < CANDIDATES:
                        out[count] = discards << KIND_BITS | DRAW
                        count += 1
    return count


@rule
def redeal(state, rules, seat, key):
    """Reshuffle all that a seat cannot know, consistently with what it has seen.

    The unseen cards change places with each other, but only within one epoch: a card that is known to have been in the
    latest draw pile cannot be in a hand that has not drawn since. The dice of the other seats and of coming reshuffles
    are replaced as well.

    Parameters
    ----------
    state : STATE
        Changed in place.
    seat : int64
        Who looks at the table.
    key : uint64
        Stream of the reshuffle.
    """
    hidden = unseen(state, seat)
    becomes = np.arange(CARDS)
    for epoch in range(state.reshuffles + 1):
        members = np.empty(CARDS, np.int64)
        count = 0
        for card in range(CARDS):
            if hidden >> card & 1 and state.epoch[card] == epoch:
                members[count] = card
                count += 1
        drawn = members.copy()
        rng.shuffle(drawn, count, rng.word(key, epoch))
        for place in range(count):
            becomes[members[place]] = drawn[place]
    for other in range(state.players):
        if other != seat:
            state.hand[other] = _renamed(state.hand[other], becomes)
            state.dealt[other] = _renamed(state.dealt[other], becomes)
            state.drawn[other] = _renamed(state.drawn[other], becomes)
            state.policy[other] = rng.stream(key, rng.POLICY, other)
    state.stock = _renamed(state.stock, becomes)
    state.chance = rng.stream(key, rng.CHANCE, 0)
    for row in range(state.players if state.own_orders else 1):
        for place in range(CARDS):
            if state.order[row, place] != NO_CARD:
                state.order[row, place] = becomes[np.int64(state.order[row, place])]


@rule
def _renamed(cards, becomes):
    """The set that a set of cards turns into under a renaming of cards."""
    renamed = np.int64(0)
    while cards:
        renamed |= np.int64(1) << becomes[lowest_bit(cards)]
        cards &= cards - 1
    return renamed
