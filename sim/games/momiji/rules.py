"""The rules of Momiji, compiled.

Source: the publisher's rule book and the public facts about its components; numbered and with our readings in
``RULES.md`` beside this file.
Players: 2–4. Everything of the rule book is here, and all switches; the landscapes' names and powers are ours.
Actions: collect, reveal, lay, activate, discard two, landscape, end the turn, trim; codes in ``cards.py``.
Why it ends: every turn collects a leaf, lays one or takes an objective (R2.1), and none of them comes back. A game
has at most 120 leaves and 12 objectives, so at most 256 turns of at most 6 decisions.
Rules version: see ``spec.py``; it moves only when results may change.
"""

from __future__ import annotations

import numpy as np

from sim import rng
from sim.games.momiji.cards import (
    ACORNS,
    ACTIVATE,
    COLLECT,
    CORNER_BITS,
    CORNERS,
    COST_ACTIVATE,
    COST_LANDSCAPE,
    COST_PATRON,
    COST_REVEAL,
    COSTS,
    COUNT_BITS,
    DEEDS,
    DISCARD_TWO,
    END_TURN,
    FACE_BITS,
    FACES,
    FEATURES,
    FIRST_LANDSCAPE,
    FIRST_OBJECTIVE,
    FIRST_VALUE,
    FOR_COSTS,
    FREE,
    FROM_DISCARDS,
    FROM_PAIRS,
    FROM_START,
    HIGHEST,
    KIND_BITS,
    LANDSCAPE,
    LANDSCAPES,
    LAY,
    LAY_LEAVES,
    LAY_SWAP,
    LEAF_BITS,
    LEAP,
    LEFT_ACORN,
    MOST_CARDS,
    NO_ACTIVATING,
    NO_DISCARDING,
    NO_LANDSCAPES,
    NO_MIXING,
    NO_REVEALING,
    NO_TYPE,
    NONE,
    NOT_IN_PLAY,
    OBJECTIVES,
    PATRON,
    POINTS,
    REVEAL,
    RIGHT_ACORN,
    SEATS,
    SECOND_TYPE,
    SWAP,
    THIRD_CARD,
    TILES,
    TRIM_PLACES,
    TWO_FROM_DECK,
    TYPE_BITS,
    TYPES,
    VALUES,
    VISIBLE_SUM,
    activate_action,
    collect_action,
    discard_action,
    laid_leaf,
    landscape_action,
    lay_action,
    trim_action,
)
from sim.jit import count_bits, lowest_bit, rule

COPIES = 7  # most leaves of one value and type: what a bunch can count
TYPE_LEAVES = 20  # most leaves of one type
DECK = TYPES * TYPE_LEAVES
CANDIDATES = 1 << 16  # most actions that `candidates` lists

MAIN, CHOOSE, SIDE, TRIMMING, OVER = range(5)  # phases
DECK_EMPTY, TORII_LIMIT = 0, 1
AT_ONCE, FINISH_ROUND, LAST_ROUND = 0, 1, 2  # RULES.end
PRESET, RANDOM, DRAFT, OFF = range(4)  # RULES.assign

ALL_COUNTS = 0x0F0F0F0F0F0F0F0F  # every second count of a bunch
BYTES = 0x0101010101010101
COUNT_MASK = 15
VALUE_BITS = COUNT_BITS * len(CORNERS)  # bits of a bunch that count the leaves of one value
VALUE_MASK = (1 << VALUE_BITS) - 1
TWO_VALUES = (1 << 2 * VALUE_BITS) - 1
FIELD = (1 << LEAF_BITS) - 1
FACE = FACES - 1

# What a seat's streams of the deck are for; a purpose has 16.
SHUFFLE, AIMS, TILE_DEALS, DRAFTING = 0, 1, 2, 6

RULES = np.dtype(
    [
        ("players", "i8"),  # 2 … 4
        ("types", "i1"),  # types of leaves, 1 … 6
        ("copies", "i1", (FACES,)),  # leaves of a type by face; at most COPIES a value and TYPE_LEAVES in all
        ("hand_size", "i1"),  # leaves dealt to each seat, 1 … 16
        ("display_size", "i1"),  # leaves on display, 1 … 12
        ("hand_limit", "i1"),  # leaves in hand between turns, 1 … 16
        ("reveal_count", "i1"),  # leaves that a reveal adds, 1 … 12
        ("start_acorns", "i2", (SEATS,)),  # 0 … 100
        ("torii_limit", "i1"),  # closed piles of all seats that end the game
        ("objective_count", "i1"),  # objectives in play, 0 … 12
        ("holder_points", "i2", (SEATS, len(OBJECTIVES))),  # for whoever is best and holds it, 0 … 100
        ("other_points", "i2", (SEATS, len(OBJECTIVES))),  # for whoever is best and does not
        ("cost", "i1", (SEATS, len(COSTS))),  # acorns, 0 … 20
        ("pair_acorns", "i1"),  # acorns for two facing acorns, 0 … 10
        ("discard_acorns", "i1"),  # acorns for two leaves, 0 … 10
        ("shows", "i1", (SEATS, FACES)),  # acorns that a face shows in a seat's row: LEFT_ACORN | RIGHT_ACORN
        ("tile_count", "i1"),  # landscapes in the game
        ("tiles", "i1", (len(LANDSCAPES),)),  # which, in the config's order
        ("assign", "i1"),  # PRESET, RANDOM, DRAFT or OFF
        ("removed", "i1", (SEATS, len(LANDSCAPES))),  # 1: this seat never gets this landscape
        ("when_empty", "i1"),  # 1: the display is filled only once it is empty
        ("end", "i1"),  # AT_ONCE, FINISH_ROUND or LAST_ROUND
        ("either_end", "i1"),  # 1: new piles at the left or the right end; 0: at the right
        # What only an intervention changes (`spec.py`); all 1, −1 or 0 in any config.
        ("may", "i1", (SEATS, len(FEATURES))),  # 0: this seat plays without it
        ("may_lay", "i8", (SEATS, TYPES)),  # bunch with all counts full for the faces that this seat may lay
        ("may_use", "i1", (SEATS, len(LANDSCAPES))),  # 0: this seat never uses this landscape
        ("may_activate", "i1", (SEATS, len(OBJECTIVES))),  # 0: this seat never activates this objective
        ("swap", "i8", (SEATS,)),  # set of kinds of leaves one of which is exchanged into the opening hand
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("players", "i8"),  # as in RULES
        ("types", "i1"),  # as in RULES
        ("phase", "i1"),  # MAIN … OVER
        ("seat", "i8"),  # who decides
        ("turn", "i8"),  # turns finished; at the end turns begun
        ("rounds", "i8"),  # likewise
        ("decision", "i8"),  # decisions taken
        ("deck", "i1", (DECK,)),  # leaves in drawing order, 0 where one has been drawn; hidden
        ("deck_size", "i1"),  # leaves in the game
        ("drawn_count", "i1"),  # how many of them are drawn
        ("display", "i1", (DECK,)),  # leaves, the oldest first; meaningless beyond the length
        ("display_length", "i1"),
        ("hand", "i8", (SEATS, TYPES)),  # bunches; hidden from the other seats but for `known`
        ("known", "i8", (SEATS, TYPES)),  # the part of a hand that everybody has seen collected
        ("held", "i1", (SEATS,)),  # leaves in hand
        ("row", "i1", (SEATS, TYPES)),  # types of a seat's piles from the left
        ("row_length", "i1", (SEATS,)),
        ("height", "i1", (SEATS, TYPES)),  # leaves of each pile, by type
        ("top", "i1", (SEATS, TYPES)),  # face of its top leaf, or NONE
        ("lying", "i1", (SEATS, TYPES, TYPE_LEAVES)),  # faces from the bottom; meaningless beyond the height
        ("laid_values", "i1", (SEATS, VALUES)),  # leaves laid, by value
        ("closed", "i1"),  # piles closed by a torii, of all seats
        ("acorns", "i2", (SEATS,)),
        ("tiles", "i1", (SEATS, TILES)),  # landscapes not used yet, in the order dealt or drafted, or NONE
        ("objectives", "i1", (len(OBJECTIVES),)),  # those in play in the order drawn
        ("objective_count", "i1"),
        ("holder", "i1", (len(OBJECTIVES),)),  # by objective: seat, FREE or NOT_IN_PLAY
        ("discarded_two", "i1"),  # 1: two leaves have been discarded for an acorn in this turn
        ("used_tile", "i1"),  # 1: a landscape has been used in this turn
        ("active", "i1"),  # landscape that holds for this turn's main action, or NONE
        ("revealed", "i1"),  # 1: leaves have been revealed for this turn's Collect
        ("reason", "i1"),  # DECK_EMPTY or TORII_LIMIT once the end is near, NONE before
        ("last_turn", "i8"),  # number of the last turn once the end is near
        # What the record tells.
        ("per_type", "i8"),  # bunch of all leaves of any one type
        ("shown", "i8", (TYPES,)),  # bunches: the display at the start
        ("dealt", "i8", (SEATS, TYPES)),  # bunches: the opening hand; hidden from the other seats
        ("drawn", "i8", (SEATS, TYPES)),  # bunches: drawn from the deck by a landscape; likewise
        ("owned", "i8", (SEATS,)),  # sets of items: landscapes at the start, objectives in play
        ("collected", "i8", (SEATS,)),
        ("laid", "i8", (SEATS,)),
        ("discarded", "i8", (SEATS,)),
        ("used", "i8", (SEATS,)),  # landscapes used, objectives activated
        ("ledger", "i2", (SEATS, len(ACORNS))),  # acorns by source; spent ones negative
        ("deeds", "i1", (SEATS, len(DEEDS))),  # main actions by kind
        ("aims", "i2", (SEATS,)),  # points by objectives, once the game is over
        ("policy", "u8", (SEATS,)),  # key of each seat's own dice; hidden from the other seats
    ],
    align=True,
)

RECORD = np.dtype(
    [
        ("dealt", "i8", (SEATS,)),  # sets of items: leaves in the opening hand
        ("owned", "i8", (SEATS,)),  # landscapes at the start, objectives in play
        ("drawn", "i8", (SEATS,)),  # leaves drawn from the deck by a landscape
        ("collected", "i8", (SEATS,)),  # leaves collected
        ("laid", "i8", (SEATS,)),  # leaves laid
        ("discarded", "i8", (SEATS,)),  # leaves discarded
        ("on_top", "i8", (SEATS,)),  # leaves that are the top of a pile at the end
        ("used", "i8", (SEATS,)),  # landscapes used, objectives activated
        ("won_held", "i8", (SEATS,)),  # objectives won by their holder
        ("won_other", "i8", (SEATS,)),  # objectives won by somebody else
        ("in_deck", "i8"),  # set of the kinds of leaves in the deck after the deal
        ("points", "i2", (SEATS, len(POINTS))),  # points by source
        ("acorns", "i2", (SEATS, len(ACORNS))),  # acorns by source; spent ones negative
        ("piles", "i1", (SEATS, VALUES)),  # piles at the end by value of the top leaf
        ("pile_leaves", "i2", (SEATS, VALUES)),  # leaves in these piles
        ("deeds", "i1", (SEATS, len(DEEDS))),  # main actions by kind
    ],
    align=True,
)

collect_code = rule(collect_action)
lay_code = rule(lay_action)
laid_bits = rule(laid_leaf)
activate_code = rule(activate_action)
discard_code = rule(discard_action)
landscape_code = rule(landscape_action)
trim_code = rule(trim_action)


# --- bunches ----------------------------------------------------------------------------------------------------------


@rule
def leaves_of(bunch):
    """How many leaves a bunch has. int64."""
    pairs = (bunch & ALL_COUNTS) + (bunch >> COUNT_BITS & ALL_COUNTS)
    return np.int64(pairs * BYTES) >> 56


@rule
def copies_in(bunch, face):
    """How many leaves with a face a bunch has. int64."""
    return bunch >> COUNT_BITS * face & COUNT_MASK


@rule
def lowest_face(bunch):
    """Lowest face in a bunch that is not empty. int64."""
    return lowest_bit(bunch) >> 2


@rule
def without_face(bunch, face):
    """Give a bunch without all its leaves of a face."""
    return bunch & ~(np.int64(COUNT_MASK) << COUNT_BITS * face)


@rule
def one_leaf(face):
    """Give the bunch of one leaf."""
    return np.int64(1) << COUNT_BITS * face


@rule
def kinds_in(bunch):
    """Set of the values in a bunch: bit = value. int64."""
    values = np.int64(0)
    for value in range(VALUES):
        values |= np.int64((bunch >> VALUE_BITS * value & VALUE_MASK) != 0) << value
    return values


# --- set-up (R1) ------------------------------------------------------------------------------------------------------


@rule
def deal(state, rules, players, key):
    """Set up a game: shuffle the leaves, deal the hands, the display, the objectives and the landscapes.

    Rule
    ----
    R1.1 to R1.8 and R7.1 of RULES.md.

    Parameters
    ----------
    state : STATE
        Filled; whatever it held is forgotten.
    rules : RULES
        Read only.
    players : int64
        2 … 4, as in ``rules``.
    key : uint64
        The game's key (:func:`sim.rng.game_key`); decides everything that is random.
    """
    state.players, state.types = players, rules.types
    state.phase, state.seat = MAIN, 0
    state.turn = state.rounds = state.decision = 0
    state.reason, state.last_turn, state.closed = NONE, 0, 0
    _begin_turn(state)
    _shuffle_leaves(state, rules, key)
    _deal_objectives(state, rules, key)
    for seat in range(players):
        for kind in range(TYPES):
            state.hand[seat, kind] = state.known[seat, kind] = state.drawn[seat, kind] = 0
            state.height[seat, kind] = 0
            state.top[seat, kind] = NONE
        for value in range(VALUES):
            state.laid_values[seat, value] = 0
        for deed in range(len(DEEDS)):
            state.deeds[seat, deed] = 0
        for source in range(len(ACORNS)):
            state.ledger[seat, source] = 0
        state.row_length[seat] = state.held[seat] = 0
        state.acorns[seat] = state.ledger[seat, FROM_START] = rules.start_acorns[seat]
        state.owned[seat] = state.collected[seat] = state.laid[seat] = state.discarded[seat] = state.used[seat] = 0
        for _ in range(rules.hand_size):
            leaf = _draw(state)
            state.hand[seat, leaf >> FACE_BITS] += one_leaf(leaf & FACE)
            state.held[seat] += 1
        for kind in range(TYPES):
            state.dealt[seat, kind] = state.hand[seat, kind]
        state.policy[seat] = rng.stream(key, rng.POLICY, seat)
    state.display_length = 0
    _show(state, rules.display_size)
    for kind in range(TYPES):
        state.shown[kind] = 0
    for place in range(state.display_length):
        leaf = np.int64(state.display[place])
        state.shown[leaf >> FACE_BITS] += one_leaf(leaf & FACE)
    _deal_tiles(state, rules, key)
    for seat in range(players):
        for tile in state.tiles[seat]:
            if tile != NONE:
                state.owned[seat] |= np.int64(1) << (FIRST_LANDSCAPE + tile)
        for place in range(state.objective_count):
            state.owned[seat] |= np.int64(1) << (FIRST_OBJECTIVE + state.objectives[place])


@rule
def _shuffle_leaves(state, rules, key):
    """R1.1, R1.2: all leaves in one order; from the front it is hands by seat, display, deck."""
    count = np.int64(0)
    bunch = np.int64(0)
    for face in range(FACES):
        bunch += np.int64(rules.copies[face]) << COUNT_BITS * face
    state.per_type = bunch
    for kind in range(rules.types):
        left = bunch
        while left:
            face = lowest_face(left)
            left -= one_leaf(face)
            state.deck[count] = kind << FACE_BITS | face
            count += 1
    state.deck_size, state.drawn_count = count, 0
    rng.shuffle(state.deck, count, rng.stream(key, rng.DECK, SHUFFLE))
    for seat in range(state.players):
        if rules.swap[seat]:
            _exchange(state, rules, seat, rng.stream(key, rng.SWAP, seat))


@rule
def _exchange(state, rules, seat, key):
    """R7.1: a leaf of the deck, of certain kinds, and one of a seat's hand change places, each drawn at random."""
    first = np.int64(rules.hand_size) * state.players + rules.display_size
    kinds, count = rules.swap[seat], np.int64(0)
    for place in range(first, state.deck_size):
        count += kinds >> (state.deck[place] >> CORNER_BITS) & 1
    if count == 0:
        return
    skip = rng.below(key, 0, count)
    given = first
    while not kinds >> (state.deck[given] >> CORNER_BITS) & 1 or skip > 0:
        skip -= kinds >> (state.deck[given] >> CORNER_BITS) & 1
        given += 1
    into = np.int64(rules.hand_size) * seat + rng.below(key, 1, rules.hand_size)
    state.deck[given], state.deck[into] = state.deck[into], state.deck[given]


@rule
def _deal_objectives(state, rules, key):
    """R1.5: so many random objectives of those that can be played for."""
    count = np.int64(0)
    for objective in range(len(OBJECTIVES)):
        state.holder[objective] = NOT_IN_PLAY
        if objective < rules.types or objective >= FIRST_VALUE:
            state.objectives[count] = objective
            count += 1
    rng.shuffle(state.objectives, count, rng.stream(key, rng.DECK, AIMS))
    state.objective_count = min(count, np.int64(rules.objective_count))
    for place in range(state.objective_count):
        state.holder[state.objectives[place]] = FREE


@rule
def _deal_tiles(state, rules, key):
    """R1.6: three landscapes each, as `landscapes.assign` says; a draft takes random ones of what is passed on."""
    players, in_game = state.players, np.int64(rules.tile_count)
    each = min(in_game, TILES)
    for seat in range(players):
        for place in range(TILES):
            state.tiles[seat, place] = NONE
        if rules.assign == OFF:
            continue
        order = np.empty(len(LANDSCAPES), np.int64)
        for place in range(in_game):
            order[place] = rules.tiles[place]
        if rules.assign != PRESET:
            rng.shuffle(order, in_game, rng.stream(key, rng.DECK, TILE_DEALS + seat))
        for place in range(each):
            state.tiles[seat, place] = order[place]
    if rules.assign == DRAFT:
        _draft_tiles(state, each, rng.stream(key, rng.DECK, DRAFTING))
    for seat in range(players):
        kept = np.int64(0)
        for place in range(TILES):
            tile = np.int64(state.tiles[seat, place])
            state.tiles[seat, place] = NONE
            if tile != NONE and not rules.removed[seat, tile]:
                state.tiles[seat, kept] = tile
                kept += 1


@rule
def _draft_tiles(state, each, key):
    """R1.6: everybody takes one landscape of their packet and passes the others to the left, until all are taken."""
    packets = state.tiles.copy()
    for taken in range(each):
        for seat in range(state.players):
            packet = packets[(seat - taken) % state.players]
            left = each - taken
            choice = rng.below(key, taken * SEATS + seat, left)
            state.tiles[seat, taken] = packet[choice]
            packet[choice] = packet[left - 1]


@rule
def _draw(state):
    """Take the top leaf of the deck. int64."""
    leaf = np.int64(state.deck[state.drawn_count])
    state.deck[state.drawn_count] = 0  # so that nobody can look up what has gone to a hand
    state.drawn_count += 1
    return leaf


@rule
def deck_left(state):
    """How many leaves the deck has. int64."""
    return np.int64(state.deck_size) - state.drawn_count


@rule
def _show(state, count):
    """Add leaves of the deck to the display, as many as it has."""
    for _ in range(min(np.int64(count), deck_left(state))):
        state.display[state.display_length] = _draw(state)
        state.display_length += 1


# --- what may be laid (R3) --------------------------------------------------------------------------------------------


@rule
def fitting(top):
    """Which faces may lie on a top face (or NONE): a bunch with all counts full (R3.2, R3.3)."""
    if top == NONE:
        return np.int64(VALUE_MASK)
    value = np.int64(top) >> CORNER_BITS
    return np.int64(TWO_VALUES) << VALUE_BITS * value if value < HIGHEST else np.int64(0)


@rule
def leaping(top):
    """Which faces a leap alone may lay on a top face: a bunch with all counts full (R5.4)."""
    if top == NONE:
        return np.int64(0)
    value = np.int64(top) >> CORNER_BITS
    return np.int64(VALUE_MASK) << VALUE_BITS * (value + 2) if value + 2 <= HIGHEST else np.int64(0)


@rule
def playable(state, rules, kind):
    """Bunch of the leaves of a type that the seat in turn may lay on its pile, without a leap (R3.2, R3.3)."""
    seat = state.seat
    return state.hand[seat, kind] & fitting(state.top[seat, kind]) & rules.may_lay[seat, kind]


@rule
def leapable(state, rules, kind):
    """Bunch of the leaves of a type that the seat in turn may lay only because of its leap (R5.4)."""
    if state.active != LEAP:
        return np.int64(0)
    seat = state.seat
    return state.hand[seat, kind] & leaping(state.top[seat, kind]) & rules.may_lay[seat, kind]


@rule
def most_of_one_type(state):
    """How many leaves of one type may be laid at once (R3.1, R5.2). int64."""
    return 3 if state.active == THIRD_CARD else 2


@rule
def _is_legal_lay(state, rules, action):
    """R3.1 to R3.5, R5.2, R5.4, R5.5: the leaves are there, fit in this order, and lie where they may."""
    count, swap = action >> KIND_BITS & 7, action >> LAY_SWAP & 7
    if count < 1 or count > TYPES or action >> LAY_LEAVES + (LEAF_BITS + 1) * count != 0:
        return False
    seat = state.seat
    laid = action >> LAY_LEAVES
    same = count == 1 or (laid >> FACE_BITS & 7) == (laid >> LEAF_BITS + 1 + FACE_BITS & 7)
    if count > most_of_one_type(state) if same else not rules.may[seat, NO_MIXING]:
        return False
    leaps = np.int64(state.active == LEAP)
    first, seen, length = np.int64(laid >> FACE_BITS & 7), np.int64(0), np.int64(state.row_length[seat])
    if first >= TYPES:
        return False
    left, top = state.hand[seat, first], np.int64(state.top[seat, first])
    for place in range(count):
        leaf, at_left = laid & FIELD, laid >> LEAF_BITS & 1
        laid >>= LEAF_BITS + 1
        kind, face = leaf >> FACE_BITS, leaf & FACE
        if kind >= TYPES or (same and kind != first) or (not same and seen >> kind & 1):
            return False
        seen |= np.int64(1) << kind
        if place > 0 and not same:
            left, top = state.hand[seat, kind], np.int64(state.top[seat, kind])
        leaf_bunch = one_leaf(face)
        if copies_in(left, face) == 0 or rules.may_lay[seat, kind] & leaf_bunch == 0:
            return False
        if fitting(top) & leaf_bunch == 0:
            if leaps == 0 or leaping(top) & leaf_bunch == 0:
                return False
            leaps = 0
        begins = top == NONE
        length += begins
        if at_left and not (begins and rules.either_end):
            return False
        left -= leaf_bunch
        top = face
    return swap == 0 or (state.active == SWAP and swap < length)


# --- side actions (R4) ------------------------------------------------------------------------------------------------


@rule
def can_discard_two(state, rules):
    """Whether the seat in turn may discard two leaves for an acorn (R4.1)."""
    return state.discarded_two == 0 and state.held[state.seat] >= 2 and rules.may[state.seat, NO_DISCARDING] == 1


@rule
def can_use(state, rules, tile):
    """Whether the seat in turn may use a landscape now (R4.2 to R4.4)."""
    seat = state.seat
    if state.used_tile or not rules.may[seat, NO_LANDSCAPES] or not rules.may_use[seat, tile]:
        return False
    if state.acorns[seat] < rules.cost[seat, COST_LANDSCAPE]:
        return False
    if deck_left(state) == 0 if tile == TWO_FROM_DECK else state.phase != MAIN:
        return False
    owned = False
    for place in range(TILES):
        owned |= state.tiles[seat, place] == tile
    return owned


@rule
def can_reveal(state, rules):
    """Whether the seat in turn may pay for more leaves on display before it collects (R2.3)."""
    seat = state.seat
    return (
        state.phase == MAIN
        and deck_left(state) > 0
        and state.acorns[seat] >= rules.cost[seat, COST_REVEAL]
        and rules.may[seat, NO_REVEALING] == 1
    )


@rule
def price_of_objective(state, rules):
    """Acorns that activating an objective costs the seat in turn (R2.5, R5.6). int64."""
    return np.int64(rules.cost[state.seat, COST_PATRON if state.active == PATRON else COST_ACTIVATE])


@rule
def can_activate(state, rules, objective):
    """Whether the seat in turn may activate an objective (R2.5)."""
    seat = state.seat
    return (
        state.phase == MAIN
        and state.holder[objective] == FREE
        and state.acorns[seat] >= price_of_objective(state, rules)
        and rules.may[seat, NO_ACTIVATING] == 1
        and rules.may_activate[seat, objective] == 1
    )


@rule
def displayed(state):
    """Set of the types on display: bit = type. int64."""
    types = np.int64(0)
    for place in range(state.display_length):
        types |= np.int64(1) << (np.int64(state.display[place]) >> FACE_BITS)
    return types


# --- a turn (R2) ------------------------------------------------------------------------------------------------------


@rule
def is_legal(state, rules, action):
    """Whether an action may be played now. Exact for any int64. R2.1 to R5.6."""
    if action < 0 or state.phase == OVER:
        return False
    kind, field, phase = action & 7, action >> KIND_BITS, state.phase
    if kind == COLLECT:
        if phase > CHOOSE or field >= 1 << 2 * TYPE_BITS:
            return False
        first, second, types = field & 7, field >> TYPE_BITS, displayed(state)
        if not types >> first & 1:
            return False
        return second == NO_TYPE or (state.active == SECOND_TYPE and second > first and types >> second & 1 == 1)
    if kind == REVEAL:
        return field == 0 and can_reveal(state, rules)
    if kind == LAY:
        return phase == MAIN and _is_legal_lay(state, rules, action)
    if kind == ACTIVATE:
        return field < len(OBJECTIVES) and can_activate(state, rules, field)
    if kind == DISCARD_TWO:
        if phase not in (MAIN, SIDE) or field >= 1 << 2 * LEAF_BITS or not can_discard_two(state, rules):
            return False
        first, second = field & FIELD, field >> LEAF_BITS
        if first > second or second >= TYPES << FACE_BITS:
            return False
        hand = state.hand[state.seat]
        if copies_in(hand[first >> FACE_BITS], first & FACE) == 0:
            return False
        return copies_in(hand[second >> FACE_BITS], second & FACE) > (first == second)
    if kind == LANDSCAPE:
        return phase in (MAIN, SIDE) and field < len(LANDSCAPES) and can_use(state, rules, field)
    if kind == END_TURN:
        return phase == SIDE and field == 0
    return phase == TRIMMING and _is_legal_trim(state, rules, field)


@rule
def _is_legal_trim(state, rules, places):
    """R2.6: exactly the excess goes; leaves that are alike go from the first one on, so that a choice has one code."""
    seat = state.seat
    if places >= np.int64(1) << np.int64(state.held[seat]):
        return False
    if count_bits(places) != excess(state, rules):
        return False
    for kind in range(TYPES):
        left = state.hand[seat, kind]
        while left:
            face = lowest_face(left)
            copies = copies_in(left, face)
            going = places & ((np.int64(1) << copies) - 1)
            if going & (going + 1):
                return False
            places >>= copies
            left = without_face(left, face)
    return True


@rule
def excess(state, rules):
    """How many leaves the seat in turn holds above the hand limit (R2.6). int64."""
    return np.int64(state.held[state.seat]) - rules.hand_limit


@rule
def act(state, rules, action):
    """Carry out a legal action."""
    state.decision += 1
    kind, field = action & 7, action >> KIND_BITS
    if kind == COLLECT:
        _collect(state, rules, field & 7, field >> TYPE_BITS)
    elif kind == REVEAL:
        _pay(state, rules, COST_REVEAL)
        _show(state, rules.reveal_count)
        state.revealed = 1
        state.phase = CHOOSE
        return
    elif kind == LAY:
        _lay(state, rules, action)
    elif kind == ACTIVATE:
        _pay(state, rules, COST_PATRON if state.active == PATRON else COST_ACTIVATE)
        state.holder[field] = state.seat
        state.used[state.seat] |= np.int64(1) << (FIRST_OBJECTIVE + field)
        state.deeds[state.seat, 3] += 1
    elif kind == DISCARD_TWO:
        _discard(state, field & FIELD)
        _discard(state, field >> LEAF_BITS)
        _gain(state, FROM_DISCARDS, rules.discard_acorns)
        state.discarded_two = 1
    elif kind == LANDSCAPE:
        _use(state, rules, field)
    elif kind == END_TURN:
        _finish_turn(state, rules)
        return
    else:
        _trim(state, field)
        _next_turn(state, rules)
        return
    if _is_the_end(state, rules):
        state.turn += 1
        _end_game(state, rules)
        return
    if kind <= ACTIVATE:
        state.phase = SIDE
    if state.phase == SIDE and not can_discard_two(state, rules) and not can_use(state, rules, TWO_FROM_DECK):
        _finish_turn(state, rules)


@rule
def _gain(state, source, acorns):
    """Give the seat in turn acorns, or take them."""
    state.acorns[state.seat] += acorns
    state.ledger[state.seat, source] += acorns


@rule
def _pay(state, rules, what):
    """The seat in turn pays for something."""
    _gain(state, FOR_COSTS + what, -np.int64(rules.cost[state.seat, what]))


@rule
def _collect(state, rules, first, second):
    """R2.2: all leaves of one type (R5.1: or two) on display go to the hand; R2.4: then the display is filled."""
    seat = state.seat
    kept = np.int64(0)
    for place in range(state.display_length):
        leaf = np.int64(state.display[place])
        kind = leaf >> FACE_BITS
        if kind in (first, second):
            bunch = one_leaf(leaf & FACE)
            state.hand[seat, kind] += bunch
            state.known[seat, kind] += bunch
            state.held[seat] += 1
            state.collected[seat] |= np.int64(1) << (leaf >> CORNER_BITS)
        else:
            state.display[kept] = leaf
            kept += 1
    state.display_length = kept
    state.deeds[seat, 0] += 1
    if kept == 0 or not rules.when_empty:
        _show(state, max(np.int64(rules.display_size) - kept, 0))


@rule
def _take_out(state, leaf):
    """Take a leaf out of the hand of the seat in turn; what everybody has seen collected goes first."""
    seat, kind, face = state.seat, leaf >> FACE_BITS, leaf & FACE
    bunch = one_leaf(face)
    state.hand[seat, kind] -= bunch
    state.held[seat] -= 1
    if copies_in(state.known[seat, kind], face):
        state.known[seat, kind] -= bunch


@rule
def _discard(state, leaf):
    """A leaf of the hand leaves the game."""
    _take_out(state, leaf)
    state.discarded[state.seat] |= np.int64(1) << (leaf >> CORNER_BITS)


@rule
def _lay(state, rules, action):
    """R3: the leaves go to their piles in order; R5.5: two piles change places; R3.6: facing acorns pay."""
    seat = state.seat
    count, swap = action >> KIND_BITS & 7, action >> LAY_SWAP & 7
    laid = action >> LAY_LEAVES
    types = np.int64(0)
    for _ in range(count):
        leaf = laid & FIELD
        kind, face = leaf >> FACE_BITS, leaf & FACE
        if state.top[seat, kind] == NONE:
            _begin_pile(state, kind, laid >> LEAF_BITS & 1)
        _take_out(state, leaf)
        state.lying[seat, kind, state.height[seat, kind]] = face
        state.height[seat, kind] += 1
        state.top[seat, kind] = face
        value = face >> CORNER_BITS
        state.laid_values[seat, value] += 1
        state.closed += value == HIGHEST
        state.laid[seat] |= np.int64(1) << (leaf >> CORNER_BITS)
        types |= np.int64(1) << kind
        laid >>= LEAF_BITS + 1
    if swap:
        row = state.row[seat]
        row[swap - 1], row[swap] = row[swap], row[swap - 1]
    mixed = types & (types - 1) != 0
    state.deeds[seat, 2 if mixed else 1] += 1
    if mixed:
        _gain(state, FROM_PAIRS, rules.pair_acorns * facing_pairs(state, rules, seat))


@rule
def _begin_pile(state, kind, left):
    """R3.4: a new pile at the right end of the row, or at the left."""
    seat = state.seat
    row, length = state.row[seat], np.int64(state.row_length[seat])
    if left:
        for place in range(length, 0, -1):
            row[place] = row[place - 1]
        row[0] = kind
    else:
        row[length] = kind
    state.row_length[seat] += 1


@rule
def facing_pairs(state, rules, seat):
    """How many neighbouring piles of a seat show acorns on their facing corners (R3.6). int64."""
    pairs = np.int64(0)
    row, top, shows = state.row[seat], state.top[seat], rules.shows[seat]
    before = np.int64(0)
    for place in range(state.row_length[seat]):
        here = np.int64(shows[top[row[place]]])
        pairs += before & RIGHT_ACORN and here & LEFT_ACORN
        before = here
    return pairs


@rule
def _use(state, rules, tile):
    """R4.2 to R4.4: a landscape is paid for and used up; R5.3: two leaves are drawn at once."""
    seat = state.seat
    _pay(state, rules, COST_LANDSCAPE)
    state.used_tile = 1
    state.used[seat] |= np.int64(1) << (FIRST_LANDSCAPE + tile)
    place = 0
    while state.tiles[seat, place] != tile:
        place += 1
    state.tiles[seat, place] = NONE
    if tile != TWO_FROM_DECK:
        state.active = tile
        return
    for _ in range(min(2, deck_left(state))):
        leaf = _draw(state)
        bunch = one_leaf(leaf & FACE)
        state.hand[seat, leaf >> FACE_BITS] += bunch
        state.drawn[seat, leaf >> FACE_BITS] += bunch
        state.held[seat] += 1


@rule
def _trim(state, places):
    """R2.6: the leaves at these places of the sorted hand leave the game."""
    for kind in range(TYPES):
        left = state.hand[state.seat, kind]
        while left:
            face = lowest_face(left)
            copies = copies_in(left, face)
            for _ in range(count_bits(places & ((np.int64(1) << copies) - 1))):
                _discard(state, kind << FACE_BITS | face)
            places >>= copies
            left = without_face(left, face)


@rule
def _finish_turn(state, rules):
    """R2.6: whoever holds too many leaves discards; else the turn is over."""
    if excess(state, rules) > 0:
        state.phase = TRIMMING
    else:
        _next_turn(state, rules)


@rule
def _begin_turn(state):
    """Nothing has been done in this turn yet."""
    state.phase = MAIN
    state.discarded_two = state.used_tile = state.revealed = 0
    state.active = NONE


@rule
def _next_turn(state, rules):
    """R2.1: the turn passes to the left; R6.2: or the game is over."""
    state.turn += 1
    if state.reason != NONE and state.turn > state.last_turn:
        _end_game(state, rules)
        return
    state.seat += 1
    if state.seat == state.players:
        state.seat = 0
        state.rounds += 1
    _begin_turn(state)


@rule
def apply(state, rules, action):
    """Carry out a legal action and all that follows, until the next decision or the end."""
    act(state, rules, action)


@rule
def is_automatic(state):
    """Whether the next step follows by itself: never, since no chance interferes after the deal."""
    return False


@rule
def follow(state, rules):
    """One automatic step; there are none."""
    return


# --- the end (R6) -----------------------------------------------------------------------------------------------------


@rule
def _is_the_end(state, rules):
    """R6.1, R6.2: note after a whole action that the end is near; tell whether nothing follows any more."""
    if state.reason == NONE:
        if deck_left(state) == 0:
            state.reason = DECK_EMPTY
        elif state.closed >= rules.torii_limit:
            state.reason = TORII_LIMIT
        else:
            return False
        if rules.end == FINISH_ROUND:
            state.last_turn = (state.turn // state.players + 1) * state.players - 1
        else:
            state.last_turn = state.turn + state.players
    return rules.end == AT_ONCE or (deck_left(state) == 0 and state.display_length == 0)


@rule
def _end_game(state, rules):
    """R6.1: the game is over; turns and rounds count those begun from now on."""
    state.phase = OVER
    state.rounds = (state.turn + state.players - 1) // state.players
    for seat in range(state.players):
        state.aims[seat] = 0
    _add_objectives(state, rules, state.aims)


@rule
def is_over(state):
    """Whether the game has ended."""
    return state.phase == OVER


@rule
def end_reason(state):
    """Why the game ended: 0 "deck_empty", 1 "torii_limit"."""
    return max(np.int64(state.reason), 0)


@rule
def pile_points(state, seat):
    """Points of a seat's piles: value of the top leaf × leaves, for each (R6.3). int64."""
    points = np.int64(0)
    for place in range(state.row_length[seat]):
        kind = state.row[seat, place]
        points += (np.int64(state.top[seat, kind]) >> CORNER_BITS) * state.height[seat, kind]
    return points


@rule
def standing(state, seat, objective):
    """How far a seat is with an objective: leaves laid of a type, of a value, in all, or the visible sum. int64."""
    if objective < FIRST_VALUE:
        return np.int64(state.height[seat, objective])
    if objective < VISIBLE_SUM:
        return np.int64(state.laid_values[seat, objective - FIRST_VALUE])
    total = np.int64(0)
    for place in range(state.row_length[seat]):
        kind = state.row[seat, place]
        total += state.height[seat, kind] if objective == MOST_CARDS else state.top[seat, kind] >> CORNER_BITS
    return total


@rule
def best_at(state, objective):
    """Mask of the seats that are best at an objective, all equals; 0 if everybody has nothing (R6.4). int64."""
    best, seats = np.int64(0), np.int64(0)
    for seat in range(state.players):
        reached = standing(state, seat, objective)
        if reached > best:
            best, seats = reached, np.int64(1) << seat
        elif reached == best and best > 0:
            seats |= np.int64(1) << seat
    return seats


@rule
def _add_objectives(state, rules, scores):
    """R6.4: everybody who is best at an activated objective scores, its holder more than others."""
    for place in range(state.objective_count):
        objective = np.int64(state.objectives[place])
        holder = np.int64(state.holder[objective])
        if holder != FREE:
            best = best_at(state, objective)
            for seat in range(state.players):
                if best >> seat & 1:
                    points = rules.holder_points if seat == holder else rules.other_points
                    scores[seat] += points[seat, objective]


@rule
def score(state, rules, scores):
    """Fill ``scores`` with the points as if the game ended now; return the winners as a mask of seats (int64).

    Rule
    ----
    R6.3 piles and acorns, R6.4 objectives, R6.5 the most points win, ties share the win.
    """
    for seat in range(state.players):
        scores[seat] = pile_points(state, seat) + state.acorns[seat]
    _add_objectives(state, rules, scores)
    most, winners = scores[0], np.int64(1)
    for seat in range(1, state.players):
        if scores[seat] > most:
            most, winners = scores[seat], np.int64(1) << seat
        elif scores[seat] == most:
            winners |= np.int64(1) << seat
    return winners


@rule
def lead(state, rules, values):
    """Fill ``values`` with the standing: the score as if the game ended now."""
    score(state, rules, values)


@rule
def record(state, row):
    """Fill a row of RECORD with what happened to leaves, landscapes, objectives and acorns."""
    deck = np.int64(0)
    for kind in range(state.types):
        left = state.per_type - state.shown[kind]
        for seat in range(state.players):
            left -= state.dealt[seat, kind]
        deck |= kinds_in(left) << kind * VALUES
    row.in_deck = deck
    for seat in range(state.players):
        dealt, drawn, top = np.int64(0), np.int64(0), np.int64(0)
        for value in range(VALUES):
            row.piles[seat, value] = row.pile_leaves[seat, value] = 0
        for kind in range(TYPES):
            dealt |= kinds_in(state.dealt[seat, kind]) << kind * VALUES
            drawn |= kinds_in(state.drawn[seat, kind]) << kind * VALUES
            if state.top[seat, kind] != NONE:
                value = np.int64(state.top[seat, kind]) >> CORNER_BITS
                top |= np.int64(1) << (kind * VALUES + value)
                row.piles[seat, value] += 1
                row.pile_leaves[seat, value] += state.height[seat, kind]
        row.dealt[seat], row.drawn[seat], row.on_top[seat] = dealt, drawn, top
        row.owned[seat] = state.owned[seat]
        row.collected[seat] = state.collected[seat]
        row.laid[seat] = state.laid[seat]
        row.discarded[seat] = state.discarded[seat]
        row.used[seat] = state.used[seat]
        row.won_held[seat] = row.won_other[seat] = 0
        row.points[seat, 0], row.points[seat, 1] = pile_points(state, seat), state.acorns[seat]
        row.points[seat, 2] = state.aims[seat]
        for source in range(len(ACORNS)):
            row.acorns[seat, source] = state.ledger[seat, source]
        for deed in range(len(DEEDS)):
            row.deeds[seat, deed] = state.deeds[seat, deed]
    _record_objectives(state, row)


@rule
def _record_objectives(state, row):
    """Tell of the activated objectives who won them, their holders apart from others."""
    for place in range(state.objective_count):
        objective = np.int64(state.objectives[place])
        holder = np.int64(state.holder[objective])
        best = best_at(state, objective) if holder != FREE else np.int64(0)
        for seat in range(state.players):
            if best >> seat & 1:
                won = row.won_held if seat == holder else row.won_other
                won[seat] |= np.int64(1) << (FIRST_OBJECTIVE + objective)


# --- for players that search ------------------------------------------------------------------------------------------


@rule
def candidates(state, rules, out):
    """List the actions worth considering, each once.

    Left out are lays that lead to the same table as one listed: of piles that exist the order in which they grow, and
    the side of the first pile of a row. Else everything is listed, but never more than CANDIDATES actions: hands of
    more than a dozen leaves may allow more ways to trim them.

    Parameters
    ----------
    out : int64[CANDIDATES]
        Filled from the front.

    Returns
    -------
    int64
        How many actions were filled in; all are legal and different.
    """
    if state.phase == TRIMMING:
        return _list_trims(state, rules, out)
    count = np.int64(0)
    if state.phase <= CHOOSE:
        count = _list_collections(state, out)
    if state.phase == MAIN:
        if can_reveal(state, rules):
            out[count] = REVEAL
            count += 1
        for objective in range(len(OBJECTIVES)):
            if can_activate(state, rules, objective):
                out[count] = activate_code(objective)
                count += 1
        count = _list_lays_of_one_type(state, rules, out, count)
        if rules.may[state.seat, NO_MIXING]:
            count = _list_mixed_lays(state, rules, out, count)
    if state.phase in (MAIN, SIDE):
        count = _list_side_actions(state, rules, out, count)
    if state.phase == SIDE:
        out[count] = END_TURN
        count += 1
    return count


@rule
def _list_collections(state, out):
    """All types on display, and all pairs of them where two may be collected. Returns how many."""
    count = np.int64(0)
    types = displayed(state)
    for first in range(TYPES):
        if types >> first & 1:
            out[count] = collect_code(first, NO_TYPE)
            count += 1
            for second in range(first + 1, TYPES):
                if state.active == SECOND_TYPE and types >> second & 1:
                    out[count] = collect_code(first, second)
                    count += 1
    return count


@rule
def _list_side_actions(state, rules, out, count):
    """All landscapes that can be used and all pairs to discard. Returns the new count."""
    for tile in range(len(LANDSCAPES)):
        if can_use(state, rules, tile) and count < CANDIDATES - 1:
            out[count] = landscape_code(tile)
            count += 1
    if not can_discard_two(state, rules):
        return count
    hand = state.hand[state.seat]
    for first in range(TYPES << FACE_BITS):
        copies = copies_in(hand[first >> FACE_BITS], first & FACE)
        if copies == 0:
            continue
        for second in range(first, TYPES << FACE_BITS):
            if copies_in(hand[second >> FACE_BITS], second & FACE) > (second == first) and count < CANDIDATES - 1:
                out[count] = discard_code(first, second)
                count += 1
    return count


@rule
def _list_trims(state, rules, out):
    """All multisets of leaves that can go, in lexical order of the places. Returns how many."""
    seat, size = state.seat, excess(state, rules)
    leaf = np.empty(TRIM_PLACES, np.int64)
    held = np.int64(0)
    for kind in range(TYPES):
        left = state.hand[seat, kind]
        while left:
            face = lowest_face(left)
            left -= one_leaf(face)
            leaf[held] = kind << FACE_BITS | face
            held += 1
    going = np.arange(size)
    count = np.int64(0)
    while count < CANDIDATES:
        places = np.int64(0)
        for number in range(size):
            places |= np.int64(1) << going[number]
        if _is_legal_trim(state, rules, places):
            out[count] = trim_code(places)
            count += 1
        last = size - 1
        while last >= 0 and going[last] == held - size + last:
            last -= 1
        if last < 0:
            break
        going[last] += 1
        for number in range(last + 1, size):
            going[number] = going[last] + number - last
    return count


@rule
def _list_lays_of_one_type(state, rules, out, count):
    """All ways to lay one, two or, with a landscape, three leaves of one type. Returns the new count."""
    seat = state.seat
    length = np.int64(state.row_length[seat])
    for kind in range(TYPES):
        top = np.int64(state.top[seat, kind])
        begins = top == NONE
        sides = 2 if begins and rules.either_end and length > 0 else 1
        first = playable(state, rules, kind) | leapable(state, rules, kind)
        while first:
            face = lowest_face(first)
            first = without_face(first, face)
            leap = fitting(top) & one_leaf(face) == 0
            for side in range(sides):
                laid = laid_bits(0, kind << FACE_BITS | face, side)
                count = _list_swaps(state, lay_code(1, 0) | laid, length + begins, out, count)
                left = (state.hand[seat, kind] - one_leaf(face)) & rules.may_lay[seat, kind]
                second = left & fitting(face)
                if state.active == LEAP and not leap:
                    second |= left & leaping(face)
                while second:
                    above = lowest_face(second)
                    second = without_face(second, above)
                    two = laid | laid_bits(1, kind << FACE_BITS | above, 0)
                    count = _list_swaps(state, lay_code(2, 0) | two, length + begins, out, count)
                    if most_of_one_type(state) > 2:
                        third = (left - one_leaf(above)) & fitting(above)
                        while third:
                            highest = lowest_face(third)
                            third = without_face(third, highest)
                            out[count] = lay_code(3, 0) | two | laid_bits(2, kind << FACE_BITS | highest, 0)
                            count += 1
    return count


@rule
def _list_swaps(state, lay, length, out, count):
    """A lay, and with a landscape the same lay with each swap of the row that it leads to. Returns the new count."""
    for swap in range(max(length, 1) if state.active == SWAP else 1):
        if count < CANDIDATES // 2:
            out[count] = lay | np.int64(swap) << LAY_SWAP
            count += 1
    return count


@rule
def _list_mixed_lays(state, rules, out, count):
    """All ways to lay leaves of different types: every set of faces, new piles in every order. Returns the new count.

    Counts through all choices of a face or none for each type, as an odometer does.
    """
    faces = np.zeros((TYPES, FACES), np.int64)
    options, choice = np.zeros(TYPES, np.int64), np.zeros(TYPES, np.int64)
    for kind in range(TYPES):
        left = playable(state, rules, kind) | leapable(state, rules, kind)
        while left:
            face = lowest_face(left)
            left = without_face(left, face)
            faces[kind, options[kind]] = face
            options[kind] += 1
    while True:
        kind = 0
        while kind < TYPES and choice[kind] == options[kind]:
            choice[kind] = 0
            kind += 1
        if kind == TYPES:
            return count
        choice[kind] += 1
        count = _list_orders(state, rules, faces, choice, out, count)


@rule
def _list_orders(state, rules, faces, choice, out, count):
    """All ways to lay one choice of a face or none for each type. Returns the new count."""
    seat = state.seat
    order = np.empty(TYPES, np.int64)  # leaves that begin piles
    begun, laid, leaps = np.int64(0), np.int64(0), np.int64(0)
    lay = np.int64(0)
    for kind in range(TYPES):
        if choice[kind]:
            face = faces[kind, choice[kind] - 1]
            top = np.int64(state.top[seat, kind])
            leaps += fitting(top) & one_leaf(face) == 0
            if top == NONE:
                order[begun] = kind << FACE_BITS | face
                begun += 1
            else:
                lay |= laid_bits(laid, kind << FACE_BITS | face, 0)
                laid += 1
    if laid + begun < 2 or leaps > 1:
        return count
    lay |= lay_code(laid + begun, 0)
    length = np.int64(state.row_length[seat])
    while True:
        for at_left in range(begun + 1 if rules.either_end and length > 0 else 1):
            whole = lay
            for place in range(begun):
                whole |= laid_bits(laid + place, order[place], place < at_left)
            count = _list_swaps(state, whole, length + begun, out, count)
        if not _next_order(order, begun):
            return count


@rule
def _next_order(order, count):
    """Turn ``order[:count]`` into the next permutation in lexical order; False after the last one."""
    last = count - 2
    while last >= 0 and order[last] > order[last + 1]:
        last -= 1
    if last < 0:
        return False
    other = count - 1
    while order[other] < order[last]:
        other -= 1
    order[last], order[other] = order[other], order[last]
    order[last + 1 : count] = order[last + 1 : count][::-1].copy()
    return True


@rule
def redeal(state, rules, seat, key):
    """Reshuffle all that a seat cannot know, consistently with what it has seen.

    Hidden are the deck and the leaves of the other hands that nobody has seen collected: they change places with each
    other. Of leaves that are alike those that were collected are taken to be laid and discarded first. The dice of the
    other seats are replaced as well.

    Parameters
    ----------
    state : STATE
        Changed in place.
    seat : int64
        Who looks at the table.
    key : uint64
        Stream of the reshuffle.
    """
    pool, was_dealt = np.empty(DECK, np.int64), np.zeros(DECK, np.int64)
    count = np.int64(0)
    for other in range(state.players):
        if other != seat:
            state.policy[other] = rng.stream(key, rng.POLICY, other)
            for kind in range(TYPES):
                left = state.hand[other, kind] - state.known[other, kind]
                while left:
                    face = lowest_face(left)
                    bunch = one_leaf(face)
                    left -= bunch
                    state.hand[other, kind] -= bunch
                    was_dealt[count] = copies_in(state.dealt[other, kind], face) > 0
                    origin = state.dealt if was_dealt[count] else state.drawn
                    origin[other, kind] -= bunch
                    pool[count] = kind << FACE_BITS | face
                    count += 1
    hidden = count
    for place in range(state.drawn_count, state.deck_size):
        pool[count] = state.deck[place]
        count += 1
    rng.shuffle(pool, count, rng.stream(key, rng.DECK, SHUFFLE))
    number = np.int64(0)
    for other in range(state.players):
        if other != seat:
            missing = np.int64(state.held[other])
            for kind in range(TYPES):
                missing -= leaves_of(state.hand[other, kind])
            for _ in range(missing):
                kind, bunch = pool[number] >> FACE_BITS, one_leaf(pool[number] & FACE)
                state.hand[other, kind] += bunch
                origin = state.dealt if was_dealt[number] else state.drawn
                origin[other, kind] += bunch
                number += 1
    for place in range(state.drawn_count, state.deck_size):
        state.deck[place] = pool[hidden]
        hidden += 1
