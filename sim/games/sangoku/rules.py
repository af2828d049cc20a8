"""The rules of Sangoku, compiled.

Source: the publisher's rule book; numbered and with our readings in ``RULES.md`` beside this file.
Players: 2–5. Everything of the rule book is here, its three variants included; the dealer of the first round is seat 0.
Actions: arrange, wager, redeem, collect, haunt, none; codes in ``cards.py``.
Arranging at once: the seats decide one after another from the dealer on, and nobody may know what others have laid.
Why it ends: after ``max_rounds`` rounds the game stops (R6.5). In a round a seat that is in decides at most 7 times
(one arrangement, two wagers, three redemptions, one set), and it is haunted at most twice by each ghost.
Rules version: see ``spec.py``; it moves only when results may change.
"""

from __future__ import annotations

import numpy as np

from sim import rng
from sim.games.sangoku.arrange import arrange
from sim.games.sangoku.cards import (
    ARRANGE_HANDS,
    BRIDGE_ROW,
    CARDS_BITS,
    COLLECT_CARDS,
    COLLECT_REALM,
    COLLECT_SET,
    COLLECT_TARGET,
    DO_NOTHING,
    EARTH,
    FIELDS,
    FIRST_CARD,
    FROM_LEGENDS,
    FROM_POOL,
    FUUJIN,
    GENBU,
    GENBU_TOKEN,
    HACHIMAN,
    HAND,
    HAUNT_REALM,
    HEAVENS,
    HELLS,
    KIND_AT,
    KIND_BITS,
    KIND_MASKS,
    KITSUNE,
    KITSUNE_AT,
    LEGEND_BITS,
    LEGEND_CARD,
    LEGENDS,
    MONKEY_KING,
    NOBODY,
    NOTHING,
    ONIBI,
    OROCHI,
    OWN_BITS,
    RAIJIN,
    REALM_BITS,
    REALMS,
    RECRUIT_BITS,
    REDEEM_CARD,
    REDEEM_SOURCE,
    ROWS,
    SEAT_BITS,
    SEATS,
    SHINIGAMI,
    SIZES,
    STEAL_REALM,
    STEAL_SEAT,
    STEAL_TYPE,
    TOKEN_TYPES,
    TOKENS,
    TYPE_MASKS,
    WAGER_CARD,
    WAGER_REALM,
    WARRIORS,
    YOSEI,
    YOSEI_AT,
    collect_action,
    haunt_action,
    no_action,
    redeem_action,
    set_cards,
    wager_action,
)
from sim.games.sangoku.chances import CHANCES
from sim.games.sangoku.hands import (
    BRIDGE,
    CATEGORIES,
    KINDS,
    RANKS,
    SINGLE,
    SUITS,
    WILD,
    category,
    pack,
    strength3,
    strength5,
)
from sim.jit import count_bits, lowest_bit, rule

PLACES = len(REALMS)
LEGEND_KINDS = len(LEGENDS)
WARRIOR_KINDS = len(WARRIORS)
SUITED = SUITS * RANKS  # cards of the Recruitment deck with a suit
SPECIALS = 10  # most Bridges, and most Wilds
DECK = SUITED + 2 * SPECIALS
COPIES = 12  # most copies of a Legend kind
LEGEND_DECK = LEGEND_KINDS * COPIES
SET_SIZE = 6  # most cards of one kind in a set
LEVELS, LEVEL_BITS = 10, 6  # powers of tokens 0 … 9; bits for each in a packed counter by power
LEVEL_MASK = (1 << LEVEL_BITS) - 1
ROUNDS_SHOWN = 24  # eliminations are counted by round; the last place holds all later rounds
PACKED, PACKED_MASK = 4, 15  # bits for each Realm in a packed counter of cards
FULL = SIZES[HEAVENS] | SIZES[EARTH] << PACKED | SIZES[HELLS] << 2 * PACKED  # all hands of an arrangement complete
FIRST_PLACES = FIRST_CARD[HEAVENS] | FIRST_CARD[EARTH] << PACKED | FIRST_CARD[HELLS] << 2 * PACKED
WAGERS = 2  # most wagers of a seat in a round
CANDIDATES = 512  # see `candidates`
RANDOM_SPLITS = 8  # arrangements that `candidates` draws at random
REDEAL_TRIES = 64  # orders in which `redeal` tries to lay a hand

ARRANGE, WAGER, REDEEM, COLLECT, HAUNT, DEAL, REVEAL, DRAW, COMBAT, GHOST, ROUND, PASS, OVER = range(13)  # phases
REDEEMING, SETTLED, CONSOLED = range(3)  # what Legend cards are being drawn for
OUT, FORBID = 0, 1  # what becomes of a hand out of order
NOT_HAUNTED, ALL_REALMS, CHOICE = 0, 1, 2
LAST, TOGETHER, CAPPED = 0, 1, 2  # end reasons
NO_CARD = -1
NO_HAND = -1  # strength of a hand that is out, or not there
NO_GRANT, ANY_LEGEND = -1, LEGEND_KINDS

DEALT, WON, REDEEMED = 0, 1, 2  # columns of the counter of Recruitment cards
LAID = 0  # columns of the counter of hands: laid, won
DRAWN, WAGERED, USED = 0, 1, 2  # columns of the counter of Legend cards
HELD, DAMAGE = 0, 1  # columns of the counter of tokens

# What winning each Realm is worth in the arrangements that `candidates` lists.
WORTHS = np.array(
    [[1.0, 1.0, 1.0], [1.0, 0.1, 0.01], [0.1, 1.0, 0.1], [0.1, 0.1, 1.0], [1.0, 1.0, 0.1], [0.1, 1.0, 1.0]]
)

FIXED_REALM = np.array([-1, -1, HEAVENS, EARTH, -1, -1, -1, -1, -1, -1])  # where a set must strike, by Legend kind

RULES = np.dtype(
    [
        ("players", "i8"),  # 2 … 5
        ("own_orders", "i1"),  # 0: one Recruitment deck and one Legend deck; 1: each seat draws in an order of its own
        ("bridges", "i1"),  # Bridges and Wilds in the Recruitment deck, 0 … 10
        ("wilds", "i1"),
        ("bridge_suited", "i1"),  # 1: a Bridge has any suit
        ("wheel", "i1"),  # 1: A-2-3-4-5 is a straight
        ("illegal_hand", "i1"),  # OUT or FORBID
        ("brink", "i1"),  # 1: back from the brink
        ("hardcore", "i1"),  # 1: damage of all opponents is added up
        ("haunted", "i1"),  # NOT_HAUNTED, ALL_REALMS or CHOICE
        ("purple_power", "i1"),  # tokens of this power do damage beyond the purple line
        ("max_rounds", "i1"),  # 1 … 100
        ("copies", "i1", (LEGEND_KINDS,)),  # cards of each Legend kind, 0 … 12
        ("smallest", "i1", (LEGEND_KINDS,)),  # fewest and most cards of a set, Kitsune included, Yosei not; 1 … 6
        ("largest", "i1", (LEGEND_KINDS,)),
        # By seat, so that one seat can be changed alone.
        ("defence", "i1", (SEATS, PLACES)),  # at the start, 1 … 60
        ("purple_line", "i1", (SEATS,)),  # 0 … 60
        ("start_legends", "i1", (SEATS,)),  # 0 … 9
        ("redeems", "i1", (SEATS, len(ROWS))),  # kind of token by rank, Bridge and Wild; NOTHING or LEGEND_CARD
        ("power", "i1", (SEATS, WARRIOR_KINDS)),  # of tokens while this seat has them, 0 … 9
        ("damage", "i1", (SEATS, LEGEND_KINDS, SET_SIZE + 1)),  # of a set by its cards; a Monkey King's for each kind
        ("may_wager", "i1", (SEATS,)),  # 0: this seat never wagers
        ("may_redeem", "i1", (SEATS,)),  # 0: this seat never redeems a Recruitment card
        ("may_collect", "i1", (SEATS,)),  # 0: this seat never redeems a set
        ("may_use", "i1", (SEATS, LEGEND_KINDS)),  # 0: this seat never turns in a Legend card of this kind
        ("grant", "i1", (SEATS,)),  # Legend kind swapped into the opening hand; ANY_LEGEND, or NO_GRANT
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("players", "i8"),  # as in RULES
        ("own_orders", "i1"),  # as in RULES
        ("phase", "i1"),  # ARRANGE … OVER; DEAL to PASS are automatic
        ("seat", "i8"),  # who decides
        ("turn", "i8"),  # hands of 13 cards dealt
        ("rounds", "i8"),  # rounds finished
        ("decision", "i8"),  # decisions taken
        ("inside", "i8"),  # mask of the seats still in
        ("finalists", "i8"),  # mask of the seats that went out last, together
        ("dealer", "i1"),  # who has the dealer marker
        ("offset", "i1"),  # in Collection: places from the dealer on that have had their turn
        ("realm", "i1"),  # Realm that is being revealed or fought for
        ("stage", "i1"),  # in DRAW: REDEEMING, SETTLED or CONSOLED
        ("winners", "i8"),  # mask of the winners of that Realm
        ("victors", "i8"),  # mask of the seats that have won a Realm in this round
        ("waiting", "i8"),  # mask of the seats still to be asked for a redemption or a haunted Realm
        ("owed", "i1", (SEATS,)),  # Legend cards that each seat is about to draw
        ("ghost", "i1"),  # seat that haunts
        ("passing", "i1"),  # 1: it haunts because the dealer marker passes
        ("pick", "i1", (SEATS,)),  # Realm that each seat chose to be haunted in
        ("defence", "i1", (SEATS, PLACES)),  # 0 … 60
        ("fallen", "i1", (SEATS,)),  # mask of the Realms lost
        ("pool", "i8"),  # set of tokens
        ("tokens", "i8", (SEATS, PLACES)),  # sets of tokens
        ("hand", "i1", (SEATS, HAND)),  # kinds of Recruitment cards as dealt; hidden from the other seats
        ("laid", "i1", (SEATS, HAND)),  # the same in order of their Realms; hidden until these are revealed
        ("strength", "i8", (SEATS, PLACES)),  # of the hands laid, or NO_HAND; hidden until they are revealed
        ("wagered", "i1", (SEATS, WAGERS)),  # Legend kind or NO_CARD; hidden from the other seats
        ("wager_realm", "i1", (SEATS, WAGERS)),  # on which Realm it lies
        ("legends", "i1", (SEATS, LEGEND_KINDS)),  # Legend cards in hand by kind; hidden from the other seats
        ("discard", "i1", (LEGEND_KINDS,)),  # Legend cards discarded by kind
        ("deck", "i1", (LEGEND_DECK,)),  # Legend kinds in drawing order, NO_CARD for a card drawn; hidden
        ("deck_cards", "i1"),  # places of the deck in use
        ("deck_left", "i1"),  # cards still in it
        ("cursor", "i1"),  # the next card of a shared deck
        ("reshuffles", "i8"),  # how often the discard pile became the deck
        ("draws", "i8", (SEATS,)),  # numbers used of each seat's own order of the Legend deck
        # The combat fought last, for the trace.
        ("blows", "i1", (SEATS, SEATS)),  # damage by attacker and defender, before the purple line
        # What the record tells.
        ("dealt", "i8", (SEATS,)),  # set of items: Legend kinds of the opening hand; hidden from the other seats
        ("stock", "i8"),  # set of items: Legend kinds in the deck after the deal; hidden
        ("drawn", "i2", (SEATS, LEGEND_KINDS)),  # Legend cards drawn later; hidden from the other seats
        ("gained", "i8", (SEATS,)),  # set of items: Legend kinds got from losers' wagers
        ("wagers", "i2", (SEATS, LEGEND_KINDS)),  # Legend cards wagered in Realms that have been settled
        ("used", "i2", (SEATS, LEGEND_KINDS)),  # Legend cards turned in
        ("won", "i8", (SEATS,)),  # set of items: ranks in winning hands
        ("redeemed", "i8", (SEATS,)),  # set of items: ranks redeemed
        ("held", "i8", (SEATS,)),  # set of tokens held at some time
        ("recruits", "i2", (len(ROWS), 3)),  # DEALT, WON, REDEEMED by rank
        ("hands", "i2", (PLACES, len(CATEGORIES), 2)),  # LAID, won by Realm and category
        ("forces", "i2", (WARRIOR_KINDS, 2)),  # HELD (tokens × rounds), DAMAGE (before the purple line) by kind
        ("eliminated", "i1", (ROUNDS_SHOWN,)),  # seats that went out, by round
        ("deck_key", "u8", (SEATS,)),  # keys of the Recruitment decks, of the first seat or by seat; hidden
        ("chance", "u8"),  # key of the reshuffles of the Legend deck; hidden
        ("legend_key", "u8", (SEATS,)),  # keys of each seat's own order of the Legend deck; hidden
        ("policy", "u8", (SEATS,)),  # key of each seat's own dice; hidden from the other seats
    ],
    align=True,
)

RECORD = np.dtype(
    [
        ("dealt", "i8", (SEATS,)),  # sets of items by seat, see `spec.py`: Legend kinds in the opening hand
        ("drawn", "i8", (SEATS,)),  # Legend kinds drawn later
        ("gained", "i8", (SEATS,)),  # Legend kinds got from losers' wagers
        ("wagered", "i8", (SEATS,)),  # Legend kinds wagered
        ("used", "i8", (SEATS,)),  # Legend kinds turned in for a set
        ("won", "i8", (SEATS,)),  # ranks of Recruitment cards in winning hands
        ("redeemed", "i8", (SEATS,)),  # ranks of Recruitment cards redeemed
        ("held", "i8", (SEATS,)),  # kinds of tokens held
        ("stock", "i8"),  # set of items: Legend kinds left in the deck after the deal
        ("recruits", "i2", (len(ROWS), 3)),  # cards dealt, in winning hands, redeemed by rank
        ("hands", "i2", (PLACES, len(CATEGORIES), 2)),  # hands laid and won by Realm and category
        ("legends", "i2", (LEGEND_KINDS, 3)),  # cards drawn after the opening hands, wagered, turned in by kind
        ("forces", "i2", (WARRIOR_KINDS, 2)),  # tokens × rounds held, damage dealt before the purple line, by kind
        ("eliminated", "i1", (ROUNDS_SHOWN,)),  # players who went out, by round
    ],
    align=True,
)

# Bits of the items: ranks, Bridge and Wild from 0 on, then Legend kinds, then kinds of tokens.
LEGEND_ITEM = len(ROWS)
TOKEN_ITEM = LEGEND_ITEM + LEGEND_KINDS

wager_code = rule(wager_action)
redeem_code = rule(redeem_action)
collect_code = rule(collect_action)
haunt_code = rule(haunt_action)
none_code = rule(no_action)
cards_code = rule(set_cards)


# --- set-up (R1) ------------------------------------------------------------------------------------------------------


@rule
def deal(state, rules, players, key):
    """Set up a game: shuffle the Legend deck and deal the opening hands. The first round's deal follows by itself.

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
        2 … 5, as in ``rules``.
    key : uint64
        The game's key (:func:`sim.rng.game_key`); decides everything that is random.
    """
    state.players, state.own_orders = players, rules.own_orders
    state.seat = state.turn = state.rounds = state.decision = 0
    state.inside, state.finalists = (1 << players) - 1, 0
    state.dealer = state.offset = state.realm = state.stage = 0
    state.winners = state.victors = state.waiting = 0
    state.ghost = state.passing = 0
    state.pool = (np.int64(1) << TOKENS) - 1
    state.chance = rng.stream(key, rng.CHANCE, SEATS)
    for seat in range(players):
        state.deck_key[seat] = rng.stream(key, rng.DECK, seat)
        state.legend_key[seat] = rng.stream(key, rng.CHANCE, seat)
        state.policy[seat] = rng.stream(key, rng.POLICY, seat)
        state.owed[seat] = state.pick[seat] = state.fallen[seat] = 0
        for realm in range(PLACES):
            state.defence[seat, realm] = rules.defence[seat, realm]
            state.tokens[seat, realm] = 0
        for other in range(players):
            state.blows[seat, other] = 0
        state.dealt[seat] = state.won[seat] = state.redeemed[seat] = state.held[seat] = 0
        state.gained[seat] = 0
    _clear_counters(state)
    _deal_legends(state, rules, rng.stream(key, rng.DECK, SEATS))
    state.phase = DEAL


@rule
def _clear_counters(state):
    """Set all that the record counts to nothing."""
    for row in range(len(ROWS)):
        for column in range(3):
            state.recruits[row, column] = 0
    for realm in range(PLACES):
        for each in range(len(CATEGORIES)):
            state.hands[realm, each, LAID] = state.hands[realm, each, WON] = 0
    for kind in range(WARRIOR_KINDS):
        state.forces[kind, HELD] = state.forces[kind, DAMAGE] = 0
    for number in range(ROUNDS_SHOWN):
        state.eliminated[number] = 0
    for seat in range(state.players):
        for kind in range(LEGEND_KINDS):
            state.drawn[seat, kind] = state.wagers[seat, kind] = state.used[seat, kind] = 0


@rule
def _deal_legends(state, rules, key):
    """R1.4, R1.5: shuffle the Legend deck and deal the opening hands."""
    cards = np.int64(0)
    for kind in range(LEGEND_KINDS):
        state.discard[kind] = 0
        for _ in range(rules.copies[kind]):
            state.deck[cards] = kind
            cards += 1
    rng.shuffle(state.deck, cards, key)
    for place in range(cards, LEGEND_DECK):
        state.deck[place] = NO_CARD
    state.deck_cards = state.deck_left = cards
    state.cursor = state.reshuffles = 0
    for seat in range(state.players):
        state.draws[seat] = 0
        for kind in range(LEGEND_KINDS):
            state.legends[seat, kind] = 0
        for _ in range(rules.start_legends[seat]):
            _take_legend(state, seat)
    for seat in range(state.players):
        if rules.grant[seat] != NO_GRANT and rules.start_legends[seat] > 0:
            _grant(state, seat, np.int64(rules.grant[seat]), rng.word(state.legend_key[seat], 1 << 32))
    state.stock = 0
    for place in range(cards):
        if state.deck[place] != NO_CARD:
            state.stock |= np.int64(1) << (LEGEND_ITEM + state.deck[place])
    for seat in range(state.players):
        for kind in range(LEGEND_KINDS):
            if state.legends[seat, kind]:
                state.dealt[seat] |= np.int64(1) << (LEGEND_ITEM + kind)


@rule
def _take_legend(state, seat):
    """Give a seat the next card of the Legend deck, which is not empty. Returns its kind (int64)."""
    if state.own_orders:
        place = rng.below(state.legend_key[seat], state.draws[seat], state.deck_cards)
        state.draws[seat] += 1
        while state.deck[place] == NO_CARD:
            place = rng.below(state.legend_key[seat], state.draws[seat], state.deck_cards)
            state.draws[seat] += 1
    else:
        place = np.int64(state.cursor)
        state.cursor += 1
    kind = np.int64(state.deck[place])
    state.deck[place] = NO_CARD
    state.deck_left -= 1
    state.legends[seat, kind] += 1
    return kind


@rule
def _grant(state, seat, kind, key):
    """Swap a random card of an opening hand with one of this kind (or any card) of the deck, if there is one (R1.7)."""
    found = np.int64(0)
    for place in range(state.deck_cards):
        found += _fits_grant(state, place, kind)
    if found == 0:
        return
    skip = rng.below(key, 0, found)
    place = np.int64(-1)
    while skip >= 0:
        place += 1
        skip -= _fits_grant(state, place, kind)
    cards = np.int64(0)
    for each in range(LEGEND_KINDS):
        cards += state.legends[seat, each]
    skip = rng.below(key, 1, cards)
    given = np.int64(0)
    while skip >= state.legends[seat, given]:
        skip -= state.legends[seat, given]
        given += 1
    state.legends[seat, given] -= 1
    state.legends[seat, np.int64(state.deck[place])] += 1
    state.deck[place] = given


@rule
def _fits_grant(state, place, kind):
    """Whether a place of the Legend deck holds a card that may be swapped for one of an opening hand."""
    return state.deck[place] != NO_CARD and (kind == ANY_LEGEND or state.deck[place] == kind)


@rule
def _deal_round(state, rules):
    """R2.1: deal 13 Recruitment cards to everybody still in. A round's deck depends on nothing that was played."""
    cards = SUITED + np.int64(rules.bridges) + rules.wilds
    if state.own_orders:
        _deal_in_own_orders(state, rules, cards)
    else:
        _deal_from_one_deck(state, rules, cards)
    for seat in range(state.players):
        for slot in range(WAGERS):
            state.wagered[seat, slot] = NO_CARD
            state.wager_realm[seat, slot] = 0
        if is_in(state, seat):
            state.turn += 1
        for realm in range(PLACES):
            state.strength[seat, realm] = NO_HAND
        for place in range(HAND):
            state.laid[seat, place] = NO_CARD
            if not is_in(state, seat):
                state.hand[seat, place] = NO_CARD
    state.victors = 0
    state.phase, state.seat = ARRANGE, state.dealer


@rule
def _deal_from_one_deck(state, rules, cards):
    """Deal from one shuffled deck; each seat's cards lie at its own place, whoever else is in."""
    key = rng.word(state.deck_key[0], state.rounds)
    deck = np.empty(DECK, np.int64)
    for card in range(cards):
        deck[card] = card
    for place in range(HAND * state.players):
        other = place + rng.below(key, place, cards - place)
        card = deck[other]
        deck[other] = deck[place]
        deck[place] = card
        state.hand[place // HAND, place % HAND] = _kind(rules, card)


@rule
def _deal_in_own_orders(state, rules, cards):
    """Let each seat take the first 13 cards of an order of its own that are still there."""
    here, there = np.int64(0), np.int64(0)  # sets of the cards below 64, and of the others
    for seat in range(state.players):
        if not is_in(state, seat):
            continue
        key = rng.word(state.deck_key[seat], state.rounds)
        place = number = np.int64(0)
        while place < HAND:
            card = rng.below(key, number, cards)
            number += 1
            if card < 63:
                fresh = not here >> card & 1
                here |= np.int64(1) << card
            else:
                fresh = not there >> (card - 63) & 1
                there |= np.int64(1) << (card - 63)
            if fresh:
                state.hand[seat, place] = _kind(rules, card)
                place += 1


@rule
def _kind(rules, card):
    """Give the kind of a card of the Recruitment deck. int64."""
    if card < SUITED:
        return card
    return np.int64(BRIDGE if card < SUITED + rules.bridges else WILD)


# --- what a seat may do (R2, R5) --------------------------------------------------------------------------------------


@rule
def is_in(state, seat):
    """Whether a seat is still in the game."""
    return (state.inside >> seat & 1) != 0


@rule
def is_legal(state, rules, action):
    """Whether an action may be played now. Exact for any int64. R2.2, R2.4, R3.3, R5.1 to R5.8, R7.3."""
    if action < 0:
        return False
    kind = action >> KIND_AT & ((1 << KIND_BITS) - 1)
    if kind == ARRANGE_HANDS:
        return state.phase == ARRANGE and action >> FIELDS == 0 and _is_arrangement(state, rules, action)
    if action & ((1 << KIND_AT) - 1):
        return False
    if kind == DO_NOTHING:
        return action == none_code() and state.phase in (WAGER, REDEEM, COLLECT)
    if kind == WAGER_CARD:
        legend, realm = action >> FIELDS & ((1 << LEGEND_BITS) - 1), action >> WAGER_REALM
        return state.phase == WAGER and legend < LEGEND_KINDS and realm < PLACES and may_wager(state, rules, legend)
    if kind == REDEEM_CARD:
        recruit, source = action >> FIELDS & ((1 << RECRUIT_BITS) - 1), action >> REDEEM_SOURCE
        return state.phase == REDEEM and recruit < KINDS and _may_redeem(state, rules, recruit, source)
    if kind == COLLECT_SET:
        return state.phase == COLLECT and _is_set(state, rules, action)
    if kind == HAUNT_REALM:
        realm = action >> FIELDS
        return state.phase == HAUNT and realm < PLACES and not state.fallen[state.seat] >> realm & 1
    return False


@rule
def _is_arrangement(state, rules, action):
    """R2.2: five, five and three cards; R2.3: in order, where a hand out of order is forbidden."""
    cards = np.int64(0)
    for place in range(HAND):
        cards += np.int64(1) << (PACKED * (action >> (REALM_BITS * place) & 3))
    if cards != FULL:
        return False
    return rules.illegal_hand == OUT or is_in_order(state, rules, state.seat, action)


@rule
def is_in_order(state, rules, seat, action):
    """Whether an arrangement puts its three hands in order: none is stronger than the one above (R2.3)."""
    heavens = earth = hells = np.int64(0)
    for place in range(HAND):
        realm = action >> (REALM_BITS * place) & 3
        card = SINGLE[np.int64(state.hand[seat, place])]
        if realm == HEAVENS:
            heavens += card
        elif realm == EARTH:
            earth += card
        else:
            hells += card
    above = strength5(heavens, rules.bridge_suited, rules.wheel)
    middle = strength5(earth, rules.bridge_suited, rules.wheel)
    return middle <= above and strength3(hells) <= middle


@rule
def may_wager(state, rules, legend):
    """Whether the seat in turn may wager a Legend card of a kind (R2.4)."""
    return rules.may_wager[state.seat] and state.legends[state.seat, legend] > 0


@rule
def row_of(recruit):
    """Row of the table of redemptions for a kind of Recruitment card: rank, Bridge or Wild. int64."""
    return recruit % RANKS if recruit < BRIDGE else recruit - BRIDGE + BRIDGE_ROW


@rule
def redeemed_for(rules, seat, recruit):
    """What a seat may redeem a kind of Recruitment card for (R3.3): a token type, NOTHING, or TOKEN_TYPES for a Legend.

    Returns
    -------
    int64
    """
    kind = np.int64(rules.redeems[seat, row_of(recruit)])
    if kind == NOTHING or not rules.may_redeem[seat]:
        return np.int64(NOTHING)
    if kind == LEGEND_CARD:
        return np.int64(TOKEN_TYPES)
    return kind * SUITS + recruit // RANKS if kind < GENBU_TOKEN else 4 * SUITS + kind - GENBU_TOKEN


@rule
def _is_among(sought, things, start, stop):
    """Whether something is among things[start:stop]."""
    found = False
    for place in range(start, stop):
        found |= things[place] == sought
    return found


@rule
def is_in_winning_hand(state, recruit):
    """Whether the hand with which the seat in turn has won holds a card of this kind (R3.3)."""
    first = FIRST_CARD[state.realm]
    return _is_among(recruit, state.laid[state.seat], first, first + SIZES[state.realm])


@rule
def _may_redeem(state, rules, recruit, source):
    """R3.3, R3.4: a card of the winning hand, from the pool if a token of its type is there, else from a Realm."""
    if not is_in_winning_hand(state, recruit):
        return False
    token = redeemed_for(rules, state.seat, recruit)
    if token == NOTHING:
        return False
    if token == TOKEN_TYPES:
        return source == FROM_LEGENDS
    if state.pool & TYPE_MASKS[token]:
        return source == FROM_POOL
    if source >= PLACES * state.players:
        return False
    return (state.tokens[source // PLACES, source % PLACES] & TYPE_MASKS[token]) != 0


@rule
def takes_kitsune(legend):
    """Whether Kitsune may stand for cards of a set (R5.7)."""
    return legend in (RAIJIN, HACHIMAN, GENBU, OROCHI)


@rule
def takes_yosei(legend):
    """Whether Yosei may be added to a set (R5.8)."""
    return legend in (ONIBI, FUUJIN, RAIJIN, HACHIMAN, SHINIGAMI)


@rule
def usable(state, rules, legend):
    """How many Legend cards of a kind the seat in turn may turn in. int64."""
    return np.int64(state.legends[state.seat, legend]) if rules.may_use[state.seat, legend] else np.int64(0)


@rule
def most_cards(state, rules, legend):
    """Most own cards that a set of this kind can have, without Kitsune and Yosei; 0 where there is no set (R5). int64.

    For the Monkey King 1 if another kind can be turned in beside it.
    """
    if not rules.may_collect[state.seat] or legend in (KITSUNE, YOSEI):
        return np.int64(0)
    held = usable(state, rules, legend)
    if legend == MONKEY_KING:
        return np.int64(held > 0 and other_kinds(state, rules) != 0)
    return min(held, np.int64(rules.largest[legend])) if held >= rules.smallest[legend] else np.int64(0)


@rule
def other_kinds(state, rules):
    """Set of the Legend kinds that the seat in turn may turn in beside a Monkey King (R5.6). int64."""
    kinds = np.int64(0)
    for kind in range(LEGEND_KINDS):
        if kind != MONKEY_KING and usable(state, rules, kind):
            kinds |= np.int64(1) << kind
    return kinds


@rule
def has_tokens(state, seat):
    """Whether any token lies in a Realm of a seat."""
    return (state.tokens[seat, HEAVENS] | state.tokens[seat, EARTH] | state.tokens[seat, HELLS]) != 0


@rule
def can_be_robbed(state, seat):
    """Whether a Shinigami of the seat in turn may take a token of another seat (R5.5)."""
    return seat != state.seat and is_in(state, seat) and has_tokens(state, seat)


@rule
def must_steal(state):
    """Whether any opponent of the seat in turn has a token: then a Shinigami steals one (R5.5)."""
    found = False
    for seat in range(state.players):
        found |= can_be_robbed(state, seat)
    return found


@rule
def _is_set(state, rules, action):
    """R5.1 to R5.8: whether a set is complete, in hand, and aimed where it may be."""
    legend = action >> FIELDS & ((1 << LEGEND_BITS) - 1)
    realm = action >> COLLECT_REALM & ((1 << REALM_BITS) - 1)
    if legend >= LEGEND_KINDS or realm >= PLACES or not rules.may_collect[state.seat]:
        return False
    if FIXED_REALM[legend] >= 0 and realm != FIXED_REALM[legend]:
        return False
    if not _has_cards(state, rules, legend, action >> COLLECT_CARDS & ((1 << CARDS_BITS) - 1)):
        return False
    if legend != SHINIGAMI:
        return action >> COLLECT_TARGET == 0
    target = action >> COLLECT_TARGET & ((1 << SEAT_BITS) - 1)
    seat = action >> STEAL_SEAT & ((1 << SEAT_BITS) - 1)
    stolen_realm, token = action >> STEAL_REALM & ((1 << REALM_BITS) - 1), action >> STEAL_TYPE
    if target >= state.players or target == state.seat or not is_in(state, target):
        return False
    if not must_steal(state):
        return seat == NOBODY and stolen_realm == 0 and token == 0
    if seat >= state.players or stolen_realm >= PLACES or token >= TOKEN_TYPES or not can_be_robbed(state, seat):
        return False
    return (state.tokens[seat, stolen_realm] & TYPE_MASKS[token]) != 0


@rule
def _has_cards(state, rules, legend, cards):
    """R5.2 to R5.8: whether these cards are a set of this kind and in hand."""
    if not usable(state, rules, legend):
        return False
    if legend == MONKEY_KING:
        return cards != 0 and cards & ~other_kinds(state, rules) == 0
    own, kitsune = cards & ((1 << OWN_BITS) - 1), cards >> KITSUNE_AT & ((1 << OWN_BITS) - 1)
    yosei = cards >> YOSEI_AT
    if legend in (KITSUNE, YOSEI) or own == 0 or own > usable(state, rules, legend):
        return False
    if kitsune > (usable(state, rules, KITSUNE) if takes_kitsune(legend) else 0):
        return False
    if yosei > (usable(state, rules, YOSEI) if takes_yosei(legend) else 0):
        return False
    return rules.smallest[legend] <= own + kitsune and own + kitsune <= rules.largest[legend]


# --- actions ----------------------------------------------------------------------------------------------------------


@rule
def act(state, rules, action):
    """Carry out a legal action, without what follows by itself."""
    state.decision += 1
    if state.phase == ARRANGE:
        _lay(state, action)
    elif state.phase == WAGER:
        _wager(state, rules, action)
    elif state.phase == REDEEM:
        _redeem(state, rules, action)
    elif state.phase == COLLECT:
        if action != none_code():
            _collect(state, rules, action)
            _check(state)
        _next_collector(state, rules)
    else:
        _choose_haunted(state, rules, action)


@rule
def apply(state, rules, action):
    """Carry out a legal action and all that follows, until the next decision or the end."""
    act(state, rules, action)
    while is_automatic(state):
        follow(state, rules)


@rule
def is_automatic(state):
    """Whether the next step follows by itself."""
    return state.phase > HAUNT and state.phase < OVER


@rule
def follow(state, rules):
    """One automatic step: a deal, revealing a Realm, one Legend card, combat in a Realm, a haunting, a round's end."""
    if state.phase == DEAL:
        _deal_round(state, rules)
    elif state.phase == REVEAL:
        _reveal(state, rules)
    elif state.phase == DRAW:
        _draw(state)
    elif state.phase == COMBAT:
        _fight(state, rules)
    elif state.phase == GHOST:
        _haunt(state, rules)
    elif state.phase == ROUND:
        _end_round(state, rules)
    else:
        _pass_marker(state, rules)


@rule
def left_of(state, seat):
    """Give the seat to the left: the next in turn. int64."""
    return seat + 1 if seat + 1 < state.players else np.int64(0)


@rule
def _next_after(state, seat, mask):
    """Give the first seat of a mask that is not empty, from the left of a seat on. int64."""
    seat = left_of(state, np.int64(seat))
    while not mask >> seat & 1:
        seat = left_of(state, seat)
    return seat


@rule
def _lay(state, action):
    """R2.2: lay the three hands, face down; when all have done so, wagers begin with the dealer."""
    seat = state.seat
    places = np.int64(FIRST_PLACES)
    for card in range(HAND):
        lowest = PACKED * (action >> (REALM_BITS * card) & 3)
        state.laid[seat, places >> lowest & PACKED_MASK] = state.hand[seat, card]
        places += np.int64(1) << lowest
    state.seat = _next_after(state, seat, state.inside)
    if state.seat == state.dealer:
        state.phase = WAGER


@rule
def _wager(state, rules, action):
    """R2.4: a Legend card goes face down on a Realm; R7.1: then perhaps a second one. Then the Hells are revealed."""
    seat = state.seat
    if action != none_code():
        legend, slot = action >> FIELDS & ((1 << LEGEND_BITS) - 1), np.int64(state.wagered[seat, 0] != NO_CARD)
        state.legends[seat, legend] -= 1
        state.wagered[seat, slot] = legend
        state.wager_realm[seat, slot] = action >> WAGER_REALM
        if slot == 0 and rules.brink and state.fallen[seat] != 0:
            return
    state.seat = _next_after(state, seat, state.inside)
    if state.seat == state.dealer:
        state.phase, state.realm = REVEAL, HELLS


# --- revealing a Realm (R3) -------------------------------------------------------------------------------------------


@rule
def _reveal(state, rules):
    """R3.1, R3.2: all reveal their hands in a Realm; the best hands in order win. The Hells come first."""
    realm = np.int64(state.realm)
    if realm == HELLS:
        for seat in range(state.players):
            if is_in(state, seat):
                _judge(state, rules, seat)
    best, winners = np.int64(0), np.int64(0)
    for seat in range(state.players):
        strength = state.strength[seat, realm]
        if strength == NO_HAND:
            continue
        state.hands[realm, category(strength), LAID] += 1
        if strength > best or winners == 0:
            best, winners = strength, np.int64(1) << seat
        elif strength == best:
            winners |= np.int64(1) << seat
    state.winners = state.waiting = winners
    state.victors |= winners
    left = winners
    while left:
        seat = lowest_bit(left)
        left &= left - 1
        state.hands[realm, category(best), WON] += 1
        for place in range(FIRST_CARD[realm], FIRST_CARD[realm] + SIZES[realm]):
            row = row_of(np.int64(state.laid[seat, place]))
            state.won[seat] |= np.int64(1) << row
            state.recruits[row, WON] += 1
    state.stage = REDEEMING
    _next_to_redeem(state)


@rule
def _judge(state, rules, seat):
    """R2.3: rank the three hands of a seat; those out of order are out. The Hells are held against Earth as laid."""
    heavens = strength5(pack(state.laid[seat, : FIRST_CARD[EARTH]]), rules.bridge_suited, rules.wheel)
    earth = strength5(pack(state.laid[seat, FIRST_CARD[EARTH] : FIRST_CARD[HELLS]]), rules.bridge_suited, rules.wheel)
    hells = strength3(pack(state.laid[seat, FIRST_CARD[HELLS] :]))
    state.strength[seat, HEAVENS] = heavens
    state.strength[seat, EARTH] = earth if earth <= heavens else NO_HAND
    state.strength[seat, HELLS] = hells if hells <= earth else NO_HAND


@rule
def _next_to_redeem(state):
    """R3.3: the next winner from the dealer's left may redeem a card; after the last one the wagers are settled."""
    if state.waiting:
        state.seat = _next_after(state, state.dealer, state.waiting)
        state.waiting ^= np.int64(1) << state.seat
        state.phase = REDEEM
    else:
        _settle(state)
        state.stage, state.phase = SETTLED, DRAW


@rule
def _redeem(state, rules, action):
    """R3.3 to R3.5: a card of the winning hand for its token, which goes to this Realm, or for a Legend card."""
    seat, realm = state.seat, np.int64(state.realm)
    if action != none_code():
        recruit, source = action >> FIELDS & ((1 << RECRUIT_BITS) - 1), action >> REDEEM_SOURCE
        row = row_of(recruit)
        state.redeemed[seat] |= np.int64(1) << row
        state.recruits[row, REDEEMED] += 1
        if source == FROM_LEGENDS:
            state.owed[seat] = 1
        else:
            pieces = TYPE_MASKS[redeemed_for(rules, seat, recruit)]
            if source == FROM_POOL:
                piece = _one_of(state.pool & pieces)
                state.pool ^= piece
            else:
                piece = _one_of(state.tokens[source // PLACES, source % PLACES] & pieces)
                state.tokens[source // PLACES, source % PLACES] ^= piece
            _place(state, seat, realm, piece)
    if state.owed[seat]:
        state.phase = DRAW
    else:
        _next_to_redeem(state)


@rule
def _one_of(pieces):
    """Give one of some tokens of the same type, as a set. int64."""
    return pieces & -pieces


@rule
def _place(state, seat, realm, piece):
    """Put a token into a Realm."""
    state.tokens[seat, realm] |= piece
    state.held[seat] |= piece


@rule
def _settle(state):
    """R3.6, R3.7: the wagers of a Realm. Winners keep theirs and get the losers', one at a time; else all are lost."""
    realm = state.realm
    betting = np.int64(0)  # winners who wagered here
    for seat in range(state.players):
        if state.winners >> seat & 1:
            for slot in range(WAGERS):
                if state.wagered[seat, slot] != NO_CARD and state.wager_realm[seat, slot] == realm:
                    betting |= np.int64(1) << seat
                    state.owed[seat] += 1
    seat = taker = np.int64(state.dealer)
    for _ in range(state.players):
        seat = left_of(state, seat)
        for slot in range(WAGERS):
            card = np.int64(state.wagered[seat, slot])
            if card == NO_CARD or state.wager_realm[seat, slot] != realm:
                continue
            state.wagered[seat, slot] = NO_CARD
            state.wagers[seat, card] += 1
            if state.winners >> seat & 1:
                state.legends[seat, card] += 1
            elif betting:
                taker = _next_after(state, taker, betting)
                state.legends[taker, card] += 1
                state.gained[taker] |= np.int64(1) << (LEGEND_ITEM + card)
            else:
                state.discard[card] += 1


@rule
def _draw(state):
    """R3.7, R3.8, R1.8: one Legend card that is owed; when none is, on to the next Realm, consolation, then combat.

    An empty deck is made anew from the discard pile first, which is a step of its own.
    """
    owing = np.int64(0)
    for seat in range(state.players):
        if state.owed[seat]:
            owing |= np.int64(1) << seat
    if owing and state.deck_left == 0 and _reshuffle(state):
        return
    if owing:
        seat = _next_after(state, state.dealer, owing)
        state.owed[seat] -= 1
        if state.deck_left:
            state.drawn[seat, _take_legend(state, seat)] += 1
    elif state.stage == REDEEMING:
        _next_to_redeem(state)
    elif state.stage == SETTLED and state.realm != HEAVENS:
        state.realm -= 1
        state.phase = REVEAL
    elif state.stage == SETTLED:
        state.stage = CONSOLED
        for seat in range(state.players):
            state.owed[seat] = is_in(state, seat) and not state.victors >> seat & 1
    else:
        _count_recruits(state)
        state.phase, state.realm = COMBAT, HEAVENS


@rule
def _reshuffle(state):
    """R1.8: the discarded Legend cards become the new deck. Returns whether there are any."""
    cards = np.int64(0)
    for kind in range(LEGEND_KINDS):
        for _ in range(state.discard[kind]):
            state.deck[cards] = kind
            cards += 1
        state.discard[kind] = 0
    for place in range(cards, LEGEND_DECK):
        state.deck[place] = NO_CARD
    rng.shuffle(state.deck, cards, rng.word(state.chance, state.reshuffles))
    state.deck_cards = state.deck_left = cards
    state.cursor = 0
    state.reshuffles += cards > 0
    return cards > 0


@rule
def _count_recruits(state):
    """Note the cards dealt in this round, when all have been shown."""
    for seat in range(state.players):
        if is_in(state, seat):
            for place in range(HAND):
                state.recruits[row_of(np.int64(state.hand[seat, place])), DEALT] += 1


# --- combat (R4) ------------------------------------------------------------------------------------------------------


@rule
def _fight(state, rules):
    """R4.1 to R4.6: combat in one Realm, everybody against everybody; after the Hells losses are looked at."""
    realm = np.int64(state.realm)
    forces = np.zeros(SEATS, np.int64)
    strong = np.zeros((SEATS, SEATS), np.int64)
    for seat in range(state.players):
        forces[seat] = _forces(state, rules, seat, realm)
        state.blows[seat, seat] = 0
    for seat in range(state.players):
        for other in range(seat + 1, state.players):
            state.blows[seat, other] = state.blows[other, seat] = 0
            if forces[seat] | forces[other] and is_in(state, seat) and is_in(state, other):
                _compare(state, rules, seat, other, forces, strong)
    for seat in range(state.players):
        line = np.int64(rules.purple_line[seat]) if realm == HEAVENS else np.int64(0)
        defence = np.int64(state.defence[seat, realm])
        loss = all_strong = all_weak = np.int64(0)
        for other in range(state.players):
            weak = state.blows[other, seat] - strong[other, seat]
            all_strong += strong[other, seat]
            all_weak += weak
            loss = max(loss, loss_of(defence, strong[other, seat], weak, line))
        if rules.hardcore:
            loss = loss_of(defence, all_strong, all_weak, line)
        state.defence[seat, realm] -= loss
    state.realm += 1
    if realm == HELLS:
        _check(state)
        state.offset = 0
        _next_collector(state, rules)


@rule
def _forces(state, rules, seat, realm):
    """Count the tokens of a seat in a Realm by power: LEVEL_BITS for each, the highest power lowest. int64."""
    packed = np.int64(0)
    if state.tokens[seat, realm]:
        for kind in range(WARRIOR_KINDS):
            count = count_bits(state.tokens[seat, realm] & KIND_MASKS[kind])
            packed += np.int64(count) << (LEVEL_BITS * (LEVELS - 1 - rules.power[seat, kind]))
    return packed


@rule
def _compare(state, rules, seat, other, forces, strong):
    """R4.2, R4.3: equal tokens cancel, the rest line up by power; a token that faces a smaller one or none deals 1.

    Walking from the highest power down, the tokens of one power are one side's alone. Those that come to stand where
    the other side has already put one face a larger token; all the others strike.
    """
    mine, theirs = forces[seat], forces[other]
    my_line = their_line = np.int64(0)  # tokens lined up so far
    while mine | theirs:
        lowest = lowest_bit(mine | theirs) // LEVEL_BITS * LEVEL_BITS
        power = LEVELS - 1 - lowest // LEVEL_BITS
        more = (mine >> lowest & LEVEL_MASK) - (theirs >> lowest & LEVEL_MASK)
        others = ~(np.int64(LEVEL_MASK) << lowest)
        mine &= others
        theirs &= others
        if more > 0:
            hits = min(more, my_line + more - their_line)
            my_line += more
            _strike(state, rules, seat, other, power, hits, strong)
        elif more < 0:
            hits = min(-more, their_line - more - my_line)
            their_line -= more
            _strike(state, rules, other, seat, power, hits, strong)


@rule
def _strike(state, rules, seat, other, power, hits, strong):
    """Note the damage that a seat's tokens of one power deal to another seat."""
    if hits <= 0:
        return
    state.blows[seat, other] += hits
    if power >= rules.purple_power:
        strong[seat, other] += hits
    left = hits
    for kind in range(WARRIOR_KINDS):
        if left and rules.power[seat, kind] == power:
            part = min(left, count_bits(state.tokens[seat, state.realm] & KIND_MASKS[kind]))
            state.forces[kind, DAMAGE] += part
            left -= part


@rule
def loss_of(defence, strong, weak, line):
    """R4.5, R4.6: what damage costs a defence. Strong damage comes first; weak damage ends at the line. int64."""
    left = max(np.int64(0), defence - strong)
    if left > line:
        left = max(line, left - weak)
    return defence - left


# --- losing Realms (R6) -----------------------------------------------------------------------------------------------


@rule
def _check(state):
    """R6.1, R6.2: a Realm at 0 is lost and its tokens go back; with two lost, a player is out with all there is."""
    gone = np.int64(0)
    for seat in range(state.players):
        if not is_in(state, seat):
            continue
        for realm in range(PLACES):
            if state.defence[seat, realm] == 0 and not state.fallen[seat] >> realm & 1:
                state.fallen[seat] |= 1 << realm
                _return_tokens(state, seat, realm)
        if count_bits(np.int64(state.fallen[seat])) > 1:
            gone |= np.int64(1) << seat
            for realm in range(PLACES):
                _return_tokens(state, seat, realm)
            for kind in range(LEGEND_KINDS):
                state.discard[kind] += state.legends[seat, kind]
                state.legends[seat, kind] = 0
    if gone:
        state.finalists = gone
        state.inside ^= gone
        state.eliminated[min(state.rounds, ROUNDS_SHOWN - 1)] += count_bits(gone)


@rule
def _return_tokens(state, seat, realm):
    """Put the tokens of a Realm back into the pool."""
    state.pool |= state.tokens[seat, realm]
    state.tokens[seat, realm] = 0


@rule
def _is_decided(state):
    """Whether at most one player is in (R6.3)."""
    return state.inside & (state.inside - 1) == 0


@rule
def _end_round(state, rules):
    """R2.6, R6.3, R6.5: a round is over, and perhaps the game; otherwise the dealer marker passes."""
    in_play = ~state.pool
    for kind in range(WARRIOR_KINDS):
        state.forces[kind, HELD] += count_bits(in_play & KIND_MASKS[kind])
    state.rounds += 1
    state.phase = OVER if _is_decided(state) or state.rounds >= rules.max_rounds else PASS


@rule
def _pass_marker(state, rules):
    """R2.6: the marker goes to the left to the next player still in; R7.3: the ghosts that it passes haunt."""
    state.dealer = left_of(state, np.int64(state.dealer))
    if is_in(state, state.dealer):
        state.phase = DEAL
    elif rules.haunted != NOT_HAUNTED:
        state.ghost, state.passing, state.phase = state.dealer, 1, GHOST


# --- Collection (R5) --------------------------------------------------------------------------------------------------


@rule
def _next_collector(state, rules):
    """R5.1: from the dealer on, everybody still in may redeem a set; R7.3: ghosts haunt at their turn."""
    while state.offset < state.players and not _is_decided(state):
        seat = (np.int64(state.dealer) + state.offset) % state.players
        state.offset += 1
        if is_in(state, seat):
            state.seat, state.phase = seat, COLLECT
            return
        if rules.haunted != NOT_HAUNTED:
            state.ghost, state.passing, state.phase = seat, 0, GHOST
            return
    state.phase = ROUND


@rule
def _collect(state, rules, action):
    """R5.2 to R5.8: turn in a set, and do what it does."""
    seat = state.seat
    legend = action >> FIELDS & ((1 << LEGEND_BITS) - 1)
    cards = action >> COLLECT_CARDS & ((1 << CARDS_BITS) - 1)
    realm = action >> COLLECT_REALM & ((1 << REALM_BITS) - 1)
    damage = _turn_in(state, rules, legend, cards)
    if legend in (GENBU, OROCHI):
        piece = TYPE_MASKS[4 * SUITS + legend - GENBU]
        state.pool &= ~piece
        for other in range(state.players):
            for place in range(PLACES):
                state.tokens[other, place] &= ~piece
        _place(state, seat, realm, piece)
    elif legend == SHINIGAMI:
        _damage(state, action >> COLLECT_TARGET & ((1 << SEAT_BITS) - 1), realm, damage)
        victim = action >> STEAL_SEAT & ((1 << SEAT_BITS) - 1)
        if victim != NOBODY:
            place = action >> STEAL_REALM & ((1 << REALM_BITS) - 1)
            piece = _one_of(state.tokens[victim, place] & TYPE_MASKS[action >> STEAL_TYPE])
            state.tokens[victim, place] ^= piece
            _place(state, seat, place, piece)
    else:
        for other in range(state.players):
            if other != seat and is_in(state, other):
                _damage(state, other, realm, damage)


@rule
def _turn_in(state, rules, legend, cards):
    """Discard the cards of a set. Returns the damage that it does (int64)."""
    if legend == MONKEY_KING:
        _discard(state, MONKEY_KING, np.int64(1))
        for kind in range(LEGEND_KINDS):
            if cards >> kind & 1:
                _discard(state, kind, np.int64(1))
        return count_bits(cards) * np.int64(rules.damage[state.seat, MONKEY_KING, 1])
    own, kitsune = cards & ((1 << OWN_BITS) - 1), cards >> KITSUNE_AT & ((1 << OWN_BITS) - 1)
    yosei = cards >> YOSEI_AT
    _discard(state, legend, own)
    _discard(state, KITSUNE, kitsune)
    _discard(state, YOSEI, yosei)
    return rules.damage[state.seat, legend, own + kitsune] + yosei


@rule
def _discard(state, legend, count):
    """Put Legend cards of the seat in turn on the discard pile."""
    state.legends[state.seat, legend] -= count
    state.discard[legend] += count
    state.used[state.seat, legend] += count


@rule
def _damage(state, seat, realm, points):
    """Take points off a defence; the purple line stops neither Legends nor ghosts (R4.5)."""
    state.defence[seat, realm] = max(np.int64(0), state.defence[seat, realm] - points)


# --- haunting (R7) ----------------------------------------------------------------------------------------------------


@rule
def _haunt(state, rules):
    """R7.3: a ghost costs everybody still in 1 point in each Realm, or in one of their choice."""
    if rules.haunted == CHOICE:
        state.waiting = state.inside
        _next_haunted(state)
        return
    for seat in range(state.players):
        if is_in(state, seat):
            for realm in range(PLACES):
                _damage(state, seat, realm, 1)
    _end_haunting(state, rules)


@rule
def _next_haunted(state):
    """Ask the next seat from the ghost's left."""
    state.seat = _next_after(state, state.ghost, state.waiting)
    state.waiting ^= np.int64(1) << state.seat
    state.phase = HAUNT


@rule
def _choose_haunted(state, rules, action):
    """R7.3: note the Realm; when all have chosen, all lose their points at once."""
    state.pick[state.seat] = action >> FIELDS
    if state.waiting:
        _next_haunted(state)
        return
    for seat in range(state.players):
        if is_in(state, seat):
            _damage(state, seat, np.int64(state.pick[seat]), 1)
    _end_haunting(state, rules)


@rule
def _end_haunting(state, rules):
    """Look at the losses and go on with the marker or with Collection."""
    _check(state)
    if not state.passing:
        _next_collector(state, rules)
    else:
        state.phase = OVER if _is_decided(state) else PASS


# --- the end (R6) -----------------------------------------------------------------------------------------------------


@rule
def is_over(state):
    """Whether the game has ended (R6.3, R6.5)."""
    return state.phase == OVER


@rule
def end_reason(state):
    """Why the game ended: LAST, TOGETHER or CAPPED."""
    if state.inside == 0:
        return TOGETHER
    return LAST if _is_decided(state) else CAPPED


@rule
def score(state, rules, scores):
    """Fill ``scores`` with the sums of the defences and return the winners as a mask of seats (int64).

    Rule
    ----
    R6.3 the last one in; R6.4 of those who went out together the one with the most defence; R6.5 after the last round
    the most Realms, then the most defence. Equals share the win.
    """
    for seat in range(state.players):
        scores[seat] = _total(state, seat)
    group = state.inside if state.inside else state.finalists
    best, winners = np.int64(-1), np.int64(0)
    for seat in range(state.players):
        if group >> seat & 1:
            standing = _standing(state, seat)
            if standing > best:
                best, winners = standing, np.int64(1) << seat
            elif standing == best:
                winners |= np.int64(1) << seat
    return winners


@rule
def _total(state, seat):
    """Sum of a seat's three defences. int64."""
    return np.int64(state.defence[seat, HEAVENS]) + state.defence[seat, EARTH] + state.defence[seat, HELLS]


@rule
def _standing(state, seat):
    """Realms left, then defence, as one number. int64."""
    return ((PLACES - count_bits(np.int64(state.fallen[seat]))) << 10) + _total(state, seat)


@rule
def lead(state, rules, values):
    """Fill ``values`` with the standing: Realms left, then defence; nothing for those who are out."""
    for seat in range(state.players):
        values[seat] = _standing(state, seat) if is_in(state, seat) else 0


@rule
def record(state, row):
    """Fill a row of RECORD with what happened to the cards and the tokens."""
    for kind in range(LEGEND_KINDS):
        for column in range(3):
            row.legends[kind, column] = 0
    for seat in range(state.players):
        row.dealt[seat] = state.dealt[seat]
        row.drawn[seat] = _legend_items(state.drawn[seat])
        row.gained[seat] = state.gained[seat]
        row.wagered[seat] = _legend_items(state.wagers[seat])
        row.used[seat] = _legend_items(state.used[seat])
        row.won[seat] = state.won[seat]
        row.redeemed[seat] = state.redeemed[seat]
        row.held[seat] = 0
        for kind in range(WARRIOR_KINDS):
            if state.held[seat] & KIND_MASKS[kind]:
                row.held[seat] |= np.int64(1) << (TOKEN_ITEM + kind)
        for kind in range(LEGEND_KINDS):
            row.legends[kind, DRAWN] += state.drawn[seat, kind]
            row.legends[kind, WAGERED] += state.wagers[seat, kind]
            row.legends[kind, USED] += state.used[seat, kind]
    row.stock = state.stock
    for rank in range(len(ROWS)):
        for column in range(3):
            row.recruits[rank, column] = state.recruits[rank, column]
    for realm in range(PLACES):
        for each in range(len(CATEGORIES)):
            row.hands[realm, each, LAID] = state.hands[realm, each, LAID]
            row.hands[realm, each, WON] = state.hands[realm, each, WON]
    for kind in range(WARRIOR_KINDS):
        row.forces[kind, HELD] = state.forces[kind, HELD]
        row.forces[kind, DAMAGE] = state.forces[kind, DAMAGE]
    for number in range(ROUNDS_SHOWN):
        row.eliminated[number] = state.eliminated[number]


@rule
def _legend_items(counts):
    """Set of the items of the Legend kinds that are counted at all. int64."""
    items = np.int64(0)
    for kind in range(LEGEND_KINDS):
        if counts[kind]:
            items |= np.int64(1) << (LEGEND_ITEM + kind)
    return items


# --- for players that search ------------------------------------------------------------------------------------------


@rule
def candidates(state, rules, out):
    """List the actions worth considering, each once.

    Left out are most of the 72 072 arrangements: there are a few good ones, each with an eye on other Realms, and a few
    at random, always the same for a hand; all in order. Of sets all sizes are listed, but Kitsune stand only for cards
    that are missing, either all Yosei are added or none, the Monkey King comes with every other kind, and a Shinigami
    steals the strongest token of a Realm. Everything else that is legal is listed. The most there can be: 6 sizes of
    Onibi and of Fuujin, with Yosei and without, in 3 Realms are 72; Shinigami, likewise, has 3 Realms × 4 targets ×
    12 thefts, 288; all others are 14.

    Parameters
    ----------
    out : int64[CANDIDATES]
        Filled from the front.

    Returns
    -------
    int64
        How many actions were filled in.
    """
    if state.phase == ARRANGE:
        return _list_arrangements(state, rules, out)
    count = np.int64(0)
    if state.phase == HAUNT:
        for realm in range(PLACES):
            if not state.fallen[state.seat] >> realm & 1:
                out[count] = haunt_code(realm)
                count += 1
        return count
    if state.phase > HAUNT:
        return count
    out[0] = none_code()
    if state.phase == WAGER:
        return _list_wagers(state, rules, out, np.int64(1))
    if state.phase == REDEEM:
        return _list_redemptions(state, rules, out, np.int64(1))
    return _list_sets(state, rules, out, np.int64(1))


@rule
def _list_arrangements(state, rules, out):
    """Some arrangements in order: the fast arranger's for each of WORTHS, and random splits. Returns how many."""
    seat = state.seat
    count = np.int64(0)
    chances = CHANCES[count_bits(state.inside) - 2]
    for eye in range(len(WORTHS)):
        action = arrange(state.hand[seat], chances, WORTHS[eye], np.zeros(HAND), rules.bridge_suited, rules.wheel)
        if not _is_among(action, out, 0, count):
            out[count] = action
            count += 1
    key = np.uint64(0)
    for place in range(HAND):
        key = rng.word(key, state.hand[seat, place])
    cards = np.arange(HAND)
    for number in range(RANDOM_SPLITS):
        rng.shuffle(cards, HAND, rng.word(key, number))
        first, second = _split(cards, HEAVENS, EARTH), _split(cards, EARTH, HEAVENS)
        action = first if is_in_order(state, rules, seat, first) else second
        if is_in_order(state, rules, seat, action) and not _is_among(action, out, 0, count):
            out[count] = action
            count += 1
    return count


@rule
def _split(cards, first, second):
    """Give the arrangement (int64) with five cards in one Realm, five in another and the last three in the Hells."""
    action = np.int64(0)
    for place in range(HAND):
        realm = first if place < FIRST_CARD[EARTH] else second if place < FIRST_CARD[HELLS] else HELLS
        action |= np.int64(realm) << (REALM_BITS * cards[place])
    return action


@rule
def _list_wagers(state, rules, out, count):
    """Every Legend kind in hand on every Realm. Returns the new count."""
    for legend in range(LEGEND_KINDS):
        if may_wager(state, rules, legend):
            for realm in range(PLACES):
                out[count] = wager_code(legend, realm)
                count += 1
    return count


@rule
def _list_redemptions(state, rules, out, count):
    """Every card of the winning hand, and every Realm that its token may come from. Returns the new count."""
    first = FIRST_CARD[state.realm]
    for place in range(first, first + SIZES[state.realm]):
        recruit = np.int64(state.laid[state.seat, place])
        token = redeemed_for(rules, state.seat, recruit)
        if token == NOTHING or _is_among(recruit, state.laid[state.seat], first, place):  # no second Bridge or Wild
            continue
        if token == TOKEN_TYPES:
            out[count] = redeem_code(recruit, FROM_LEGENDS)
            count += 1
        elif state.pool & TYPE_MASKS[token]:
            out[count] = redeem_code(recruit, FROM_POOL)
            count += 1
        else:
            for source in range(PLACES * state.players):
                if state.tokens[source // PLACES, source % PLACES] & TYPE_MASKS[token]:
                    out[count] = redeem_code(recruit, source)
                    count += 1
    return count


@rule
def _list_sets(state, rules, out, count):
    """Sets of every kind and size; see `candidates` for those left out. Returns the new count."""
    if not rules.may_collect[state.seat]:
        return count
    for legend in range(LEGEND_KINDS):
        if legend in (KITSUNE, YOSEI) or not usable(state, rules, legend):
            continue
        if legend == MONKEY_KING:
            if other_kinds(state, rules):
                count = _list_aims(state, legend, other_kinds(state, rules), out, count)
            continue
        for size in range(rules.smallest[legend], rules.largest[legend] + 1):
            own = min(np.int64(size), usable(state, rules, legend))
            if size - own <= (usable(state, rules, KITSUNE) if takes_kitsune(legend) else 0):
                count = _list_aims(state, legend, cards_code(own, size - own, 0), out, count)
                yosei = usable(state, rules, YOSEI) if takes_yosei(legend) else np.int64(0)
                if yosei:
                    count = _list_aims(state, legend, cards_code(own, size - own, yosei), out, count)
    return count


@rule
def _list_aims(state, legend, cards, out, count):
    """One set in all Realms, and a Shinigami's against every target with every theft. Returns the new count."""
    for realm in range(PLACES):
        if FIXED_REALM[legend] >= 0 and realm != FIXED_REALM[legend]:
            continue
        if legend != SHINIGAMI:
            out[count] = collect_code(legend, cards, realm, 0, 0, 0, 0)
            count += 1
            continue
        for target in range(state.players):
            if target == state.seat or not is_in(state, target):
                continue
            if not must_steal(state):
                out[count] = collect_code(legend, cards, realm, target, NOBODY, 0, 0)
                count += 1
                continue
            for victim in range(state.players):
                for place in range(PLACES):
                    if can_be_robbed(state, victim) and state.tokens[victim, place]:
                        token = strongest_token(state.tokens[victim, place])
                        out[count] = collect_code(legend, cards, realm, target, victim, place, token)
                        count += 1
    return count


@rule
def strongest_token(tokens):
    """Type of the strongest of some tokens, as the rule book ranks them. int64."""
    for token in range(TOKEN_TYPES - 2, TOKEN_TYPES):
        if tokens & TYPE_MASKS[token]:
            return np.int64(token)
    token = np.int64(0)
    while not tokens & TYPE_MASKS[token]:
        token += 1
    return token


@rule
def redeal(state, rules, seat, key):
    """Reshuffle all that a seat cannot know, consistently with what it has seen.

    The others' Legend cards, those they have wagered face down, and the Legend deck are shuffled together; everybody
    keeps as many. (Who remembers which card an opponent has won from whom knows more; nobody here does.) The others'
    hands that have not been revealed are dealt anew from the cards that the seat has not seen, and laid in order. All
    coming chance and the other seats' dice are replaced.

    Parameters
    ----------
    state : STATE
        Changed in place.
    seat : int64
        Who looks at the table.
    key : uint64
        Stream of the reshuffle.
    """
    _redeal_legends(state, seat, rng.stream(key, rng.CHANCE, SEATS))
    if state.phase in (ARRANGE, WAGER, REDEEM):
        _redeal_recruits(state, rules, seat, rng.stream(key, rng.DECK, SEATS))
    state.chance = rng.stream(key, rng.CHANCE, SEATS + 1)
    state.stock = 0
    for other in range(state.players):
        state.deck_key[other] = rng.stream(key, rng.DECK, other)
        state.legend_key[other] = rng.stream(key, rng.CHANCE, other)
        if other != seat:
            state.policy[other] = rng.stream(key, rng.POLICY, other)
            state.dealt[other] = state.gained[other] = 0
            for kind in range(LEGEND_KINDS):
                state.drawn[other, kind] = 0


@rule
def _redeal_legends(state, seat, key):
    """Shuffle the Legend cards that a seat cannot see: the others' hands and wagers, and the deck."""
    unseen = np.empty(LEGEND_DECK, np.int64)
    count = np.int64(0)
    for place in range(state.deck_cards):
        if state.deck[place] != NO_CARD:
            unseen[count] = state.deck[place]
            count += 1
    for other in range(state.players):
        if other == seat:
            continue
        for kind in range(LEGEND_KINDS):
            for _ in range(state.legends[other, kind]):
                unseen[count] = kind
                count += 1
        for slot in range(WAGERS):
            if state.wagered[other, slot] != NO_CARD:
                unseen[count] = state.wagered[other, slot]
                count += 1
    rng.shuffle(unseen, count, key)
    for place in range(state.deck_cards):
        if state.deck[place] != NO_CARD:
            count -= 1
            state.deck[place] = unseen[count]
    for other in range(state.players):
        if other == seat:
            continue
        cards = np.int64(0)
        for kind in range(LEGEND_KINDS):
            cards += state.legends[other, kind]
            state.legends[other, kind] = 0
        for _ in range(cards):
            count -= 1
            state.legends[other, unseen[count]] += 1
        for slot in range(WAGERS):
            if state.wagered[other, slot] != NO_CARD:
                count -= 1
                state.wagered[other, slot] = unseen[count]


@rule
def _redeal_recruits(state, rules, seat, key):
    """Deal the others' hands, or what has not been revealed of them, anew from the cards that a seat has not seen."""
    left = np.zeros(KINDS, np.int64)
    left[:SUITED] = 1
    left[BRIDGE], left[WILD] = rules.bridges, rules.wilds
    hidden = FIRST_CARD[state.realm] if state.phase == REDEEM else HAND  # cards of each hand laid that nobody has seen
    for place in range(HAND):
        left[state.hand[seat, place]] -= 1
        for other in range(state.players):
            if place >= hidden and other != seat and is_in(state, other):
                left[state.laid[other, place]] -= 1
    unseen = np.empty(DECK, np.int64)
    count = np.int64(0)
    for kind in range(KINDS):
        for _ in range(left[kind]):
            unseen[count] = kind
            count += 1
    rng.shuffle(unseen, count, key)
    for other in range(state.players):
        if other != seat and is_in(state, other):
            count -= hidden
            _replace_hand(state, rules, other, unseen[count : count + hidden], rng.word(key, DECK + other))


@rule
def _replace_hand(state, rules, seat, cards, key):
    """Give a seat these cards in place of its hidden ones.

    Where it has laid its hands, some orders are tried until what has been revealed stays as it was and what has not is
    in order.
    """
    hidden = len(cards)
    if state.laid[seat, 0] == NO_CARD:
        state.hand[seat, :] = cards
        return
    before = state.strength[seat].copy()
    for number in range(REDEAL_TRIES):
        rng.shuffle(cards, hidden, rng.word(key, number))
        state.laid[seat, :hidden] = cards
        _judge(state, rules, seat)
        fits = True
        for realm in range(PLACES):
            revealed = FIRST_CARD[realm] >= hidden
            fits &= state.strength[seat, realm] == before[realm] if revealed else state.strength[seat, realm] != NO_HAND
        if fits:
            break
    state.hand[seat, :] = state.laid[seat]
    for realm in range(PLACES):
        if state.phase != REDEEM or FIRST_CARD[realm] >= hidden:
            state.strength[seat, realm] = before[realm]
