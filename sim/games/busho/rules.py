"""The rules of the Sengoku general card game, compiled.

Source: the publisher's rule book; numbered and with our readings in ``RULES.md`` beside this file.
Players: 2–4. Everything of the rule book is here, "another rule" (the hidden variant) included.
Actions: show(general), discard(card), grab(general), pass; codes in ``cards.py``. Not to show is to discard at once.
Why it ends: every turn draws a card (R2.1) and nothing goes back into the deck. A card is drawn at most once, and at
each discard every other seat is asked at most once: below 1600 decisions.
Rules version: see ``spec.py``; it moves only when results may change.

How a hand is kept: beside the set of its cards, three sets of generals say how many of their three cards it lacks:
``ready`` none, ``near`` one, ``far`` two. A card that comes or goes moves the generals that it spells by one step.
"""

from __future__ import annotations

import numpy as np

from sim import rng
from sim.games.busho.cards import (
    CARD_WORDS,
    CARDS,
    DISCARD,
    DRAW,
    GENERAL_WORDS,
    GENERALS,
    GRAB,
    GRABBING,
    ITEM_WORDS,
    KAMON,
    KIND_BITS,
    KINDS,
    LAY_DOWN,
    NO_CARD,
    OVER,
    PASS,
    RACE,
    RETURN,
    SEATS,
    SHOW,
    TURN,
    WORD,
)
from sim.jit import count_bits, lowest_bit, rule

HAND_MAX = 30  # cards dealt to a seat, at most
CANDIDATES = GENERALS + HAND_MAX + 1  # most legal actions there can be
CHAINS = 8  # places of the counter of grabs after one another; the last holds all longer chains
DECK_EMPTY, HAND_EMPTY = 0, 1  # end reasons
NO_TIE, SAME_NUMBER, ADJUSTED, SHARED = range(4)  # what it took to find the winner
SHOWN, GRABBED, LAID_DOWN = range(3)  # how a name was completed
NO_GRANT, ANY_CARD = -1, -2  # entries of `grant` that are no kind
TRIES = 20  # reshuffles until all hands agree with what was announced
ALL = np.int64((1 << WORD) - 1)

RULES = np.dtype(
    [
        ("players", "i8"),  # 2 … 4
        ("own_orders", "i1"),  # 0: one deck in one order; 1: each seat meets the deck in an order of its own
        ("hand_size", "i1"),  # cards dealt to each seat, a multiple of 3, at most HAND_MAX
        ("sets_per_turn", "i1"),  # names that may be shown in an own turn
        ("hidden", "i1"),  # 1: "another rule": names completed by drawing stay in hand until the end
        ("race", "i1"),  # 0: the nearest after the discarder may grab first; 1: a race
        ("speed", "f8", (SEATS,)),  # weight of each seat in a race, above 0
        ("cards", "i2"),  # how many there are, at most CARDS
        ("kinds", "i2"),
        ("families", "i2"),  # kinds below this number are family names, the others first names
        ("generals", "i2"),
        ("kind", "i2", (CARDS,)),  # of each card
        ("first_card", "i2", (KINDS,)),  # lowest card of a kind; its copies follow
        ("copies", "i2", (KINDS,)),
        ("crests", "i2", (KINDS,)),  # crests that count in a tie: those on a first name; 0 for a family name
        ("item_of", "i2", (KINDS,)),  # place of a kind among the items of the record: behind the generals
        ("spelled", "i2", (GENERALS, 3)),  # kinds of a general: family, first names
        # Generals that need a kind at least once and at least twice: sets by kind.
        ("needs", "i8", (KINDS, 2, GENERAL_WORDS)),
        ("barred", "i8", (SEATS, GENERAL_WORDS)),  # generals that a seat can never complete
        ("may_show", "i1", (SEATS,)),  # 0: this seat never shows a name in its own turn
        ("may_grab", "i1", (SEATS,)),  # 0: this seat never grabs
        ("grant", "i2", (SEATS,)),  # kind that joins the opening hand instead of a random card; ANY_CARD or NO_GRANT
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("players", "i8"),  # as in RULES
        ("own_orders", "i1"),  # as in RULES
        ("phase", "i1"),  # TURN … OVER
        ("seat", "i8"),  # who decides; in DRAW who draws, in KAMON who has discarded
        ("turn", "i8"),  # turns finished; the player in turn is turn % players
        ("rounds", "i8"),  # rounds finished; at the end the started one counts
        ("decision", "i8"),  # decisions taken
        ("hand", "i8", (SEATS, CARD_WORDS)),  # set of cards; hidden from the other seats, as are the next four
        ("count", "i1", (SEATS, KINDS)),  # cards in hand by kind
        ("ready", "i8", (SEATS, GENERAL_WORDS)),  # generals of which the hand lacks no card
        ("near", "i8", (SEATS, GENERAL_WORDS)),  # one card
        ("far", "i8", (SEATS, GENERAL_WORDS)),  # two cards
        ("hand_size", "i8", (SEATS,)),
        ("stock", "i8", (CARD_WORDS,)),  # set of cards in the deck; hidden
        ("deck_left", "i8"),
        ("order", "i2", (SEATS, CARDS)),  # cards in drawing order, then NO_CARD; row 0 for all, or a row a seat; hidden
        ("cursor", "i2", (SEATS,)),  # how far each row has been drawn
        ("pile", "i2", (CARDS,)),  # discard pile, the top card last
        ("pile_size", "i8"),
        ("gone", "i1", (KINDS,)),  # cards of a kind that were discarded or shown: nobody will draw them
        ("live", "i8", (GENERAL_WORDS,)),  # generals that can still be spelled with cards that are not gone
        ("showing", "i1"),  # names shown in this turn
        ("discarder", "i1"),  # who discarded the card on top
        ("able", "i1"),  # mask of seats that can grab it and are still to be asked; hidden
        ("asked", "i1"),  # mask of seats that were asked about it
        ("race", "i1", (SEATS,)),  # the other seats in the order in which they may grab; hidden
        ("chain", "i1"),  # grabs since the turn's own discard
        ("discards", "i8"),
        ("announced", "i1", (SEATS,)),  # hidden variant, after the last discard: 1 "Kamon", 0 nothing said, −1 none yet
        ("reason", "i1"),  # DECK_EMPTY or HAND_EMPTY, once the game is over
        ("tie", "i1"),  # NO_TIE … SHARED, likewise
        ("winners", "i1"),  # mask of seats, likewise
        ("score", "i8", (SEATS,)),  # cards left, likewise
        # What the record tells.
        ("dealt", "i8", (SEATS, CARD_WORDS)),  # sets of cards; hidden from the other seats
        ("drawn", "i8", (SEATS, CARD_WORDS)),
        ("offered", "i8", (SEATS, GENERAL_WORDS)),  # generals that a seat could complete; hidden from the other seats
        ("in_deck", "i8", (ITEM_WORDS,)),  # kinds in the deck after the deal, as items; hidden
        ("opening", "i8", (SEATS, ITEM_WORDS)),  # kinds dealt, as items; hidden from the other seats, as are the next
        ("held", "i8", (SEATS, ITEM_WORDS)),  # kinds dealt or drawn
        ("kept", "i8", (SEATS, ITEM_WORDS)),  # kinds left, once the game is over
        ("shown", "i8", (SEATS, ITEM_WORDS)),  # sets of items: generals and the cards that spelled them
        ("grabbed", "i8", (SEATS, ITEM_WORDS)),
        ("laid", "i8", (SEATS, ITEM_WORDS)),
        ("discarded", "i8", (SEATS, ITEM_WORDS)),  # cards
        ("fed", "i8", (SEATS, ITEM_WORDS)),  # discards that another seat grabbed, and the generals they completed
        ("names", "i2", (SEATS, 3)),  # names completed: shown, grabbed, laid down
        ("throws", "i2", (SEATS, 2)),  # discards, and those that were grabbed
        ("chances", "i2", (SEATS - 1,)),  # times a seat was asked, by its distance from the discarder
        ("grabs", "i2", (SEATS - 1,)),  # times it grabbed
        ("chains", "i2", (CHAINS,)),  # turns by the number of grabs in them
        ("regrabs", "i2"),  # grabs by the player in turn, from the discards in return
        ("chance", "u8"),  # key of the races; hidden
        ("policy", "u8", (SEATS,)),  # key of each seat's own dice; hidden from the other seats
    ],
    align=True,
)

RECORD = np.dtype(
    [
        ("dealt", "i8", (SEATS, ITEM_WORDS)),  # sets of items by seat: cards in the opening hand
        ("held", "i8", (SEATS, ITEM_WORDS)),  # cards dealt or drawn; generals that could be completed
        ("shown", "i8", (SEATS, ITEM_WORDS)),  # generals shown in the own turn, and their cards
        ("grabbed", "i8", (SEATS, ITEM_WORDS)),  # generals completed by a grab, and their cards
        ("laid", "i8", (SEATS, ITEM_WORDS)),  # generals laid down at the end, and their cards
        ("discarded", "i8", (SEATS, ITEM_WORDS)),  # cards discarded
        ("fed", "i8", (SEATS, ITEM_WORDS)),  # cards discarded and grabbed by another; the generals they completed
        ("kept", "i8", (SEATS, ITEM_WORDS)),  # cards left at the end
        ("in_deck", "i8", (ITEM_WORDS,)),  # cards of which the deck held at least one after the deal
        ("names", "i2", (SEATS, 3)),  # names completed by seat: shown, grabbed, laid down
        ("throws", "i2", (SEATS, 2)),  # discards by seat, and those that were grabbed
        ("chances", "i2", (SEATS - 1,)),  # times a seat was asked, by its distance from the discarder
        ("grabs", "i2", (SEATS - 1,)),
        ("chains", "i2", (CHAINS,)),  # turns by the number of grabs in them
        ("regrabs", "i2", (1,)),
        ("ties", "i2", (4,)),  # 1 at what it took to find the winner
    ],
    align=True,
)


# --- sets -------------------------------------------------------------------------------------------------------------


@rule
def has(words, number):
    """Whether a number is in a set that spreads over several words."""
    return words[number // WORD] >> (number % WORD) & 1 != 0


@rule
def _include(words, number):
    words[number // WORD] |= np.int64(1) << (number % WORD)


@rule
def _exclude(words, number):
    words[number // WORD] &= ~(np.int64(1) << (number % WORD))


# --- set-up (R1) ------------------------------------------------------------------------------------------------------


@rule
def deal(state, rules, players, key):
    """Set up a game: shuffle, deal the hands; the first player is about to draw.

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
        2 … 4, as in ``rules``.
    key : uint64
        The game's key (:func:`sim.rng.game_key`); decides everything that is random.
    """
    state.players = players
    state.own_orders = rules.own_orders
    state.phase, state.seat = DRAW, 0
    state.turn = state.rounds = state.decision = 0
    state.pile_size = state.discards = 0
    state.showing = state.able = state.asked = state.chain = 0
    state.discarder = 0
    state.reason = state.tie = state.winners = 0
    state.regrabs = 0
    state.chance = rng.stream(key, rng.CHANCE, 0)
    for word in range(CARD_WORDS):
        left = min(max(rules.cards - word * WORD, 0), WORD)
        state.stock[word] = ALL >> (WORD - left)
    state.deck_left = np.int64(rules.cards)
    for row in range(players if rules.own_orders else 1):
        cards = state.order[row]
        for card in range(rules.cards):
            cards[card] = card
        rng.shuffle(cards, np.int64(rules.cards), rng.stream(key, rng.DECK, row))
        state.cursor[row] = 0
    for kind in range(rules.kinds):
        state.gone[kind] = 0
    for word in range(GENERAL_WORDS):
        state.live[word] = ALL >> (WORD - min(max(rules.generals - word * WORD, 0), WORD))
    for distance in range(SEATS - 1):
        state.chances[distance] = state.grabs[distance] = 0
    for length in range(CHAINS):
        state.chains[length] = 0
    for seat in range(players):
        state.announced[seat] = -1
        state.policy[seat] = rng.stream(key, rng.POLICY, seat)
        state.race[seat] = 0
        state.score[seat] = 0
        state.throws[seat, 0] = state.throws[seat, 1] = 0
        for how in range(3):
            state.names[seat, how] = 0
        for word in range(GENERAL_WORDS):
            state.offered[seat, word] = 0
        for word in range(ITEM_WORDS):
            state.shown[seat, word] = state.grabbed[seat, word] = state.laid[seat, word] = 0
            state.discarded[seat, word] = state.fed[seat, word] = 0
        _empty_hand(state, rules, seat)
        for _ in range(rules.hand_size):
            _take(state, rules, seat, _next_card(state, seat))
    _kinds_of(rules, state.stock, state.in_deck)
    for seat in range(players):
        if rules.grant[seat] != NO_GRANT:
            _grant(state, rules, seat, rng.stream(key, rng.CHANCE, 1 + seat))
    for seat in range(players):
        for word in range(CARD_WORDS):
            state.dealt[seat, word] = state.hand[seat, word]
            state.drawn[seat, word] = 0
        _kinds_of(rules, state.dealt[seat], state.opening[seat])
        for word in range(ITEM_WORDS):
            state.held[seat, word] = state.opening[seat, word]
            state.kept[seat, word] = 0


@rule
def _kinds_of(rules, cards, items):
    """Fill a set of items with the kinds of a set of cards."""
    for word in range(ITEM_WORDS):
        items[word] = 0
    for word in range(CARD_WORDS):
        left = cards[word]
        while left:
            _include(items, np.int64(rules.item_of[rules.kind[word * WORD + lowest_bit(left)]]))
            left &= left - 1


@rule
def _grant(state, rules, seat, key):
    """R6.1: a given kind of card, or any, comes from the deck into the opening hand; a random card takes its place."""
    wanted = np.int64(rules.grant[seat])
    comes, goes = np.int64(NO_CARD), np.int64(NO_CARD)
    if wanted == ANY_CARD:
        comes = nth(state.stock, rng.below(key, 0, state.deck_left))
    else:
        for copy in range(rules.copies[wanted]):
            card = np.int64(rules.first_card[wanted]) + copy
            if comes == NO_CARD and has(state.stock, card):
                comes = card
    if comes == NO_CARD:
        return
    goes = nth(state.hand[seat], rng.below(key, 1, state.hand_size[seat]))
    _give_up(state, rules, seat, goes)
    _take(state, rules, seat, comes)
    _exclude(state.stock, comes)
    _include(state.stock, goes)
    for row in range(state.players if state.own_orders else 1):
        cards = state.order[row]
        for place in range(rules.cards):
            if cards[place] == comes:
                cards[place] = goes
            elif cards[place] == goes:
                cards[place] = comes


@rule
def nth(words, number):
    """Member ``number`` (from 0) of a set of cards. int64."""
    for word in range(CARD_WORDS):
        left = words[word]
        here = count_bits(left)
        if number < here:
            for _ in range(number):
                left &= left - 1
            return word * WORD + lowest_bit(left)
        number -= here
    return np.int64(NO_CARD)


@rule
def _next_card(state, seat):
    """Take the next card off the deck for a seat: the first in its order that is still there. int64."""
    row = seat if state.own_orders else 0
    place = np.int64(state.cursor[row])
    card = np.int64(state.order[row, place])
    while not has(state.stock, card):
        place += 1
        card = np.int64(state.order[row, place])
    state.cursor[row] = place + 1
    _exclude(state.stock, card)
    state.deck_left -= 1
    return card


# --- hands ------------------------------------------------------------------------------------------------------------


@rule
def _empty_hand(state, rules, seat):
    state.hand_size[seat] = 0
    for word in range(CARD_WORDS):
        state.hand[seat, word] = 0
    for word in range(GENERAL_WORDS):
        state.ready[seat, word] = state.near[seat, word] = state.far[seat, word] = 0
    for kind in range(rules.kinds):
        state.count[seat, kind] = 0


@rule
def _take(state, rules, seat, card):
    """Put a card into a hand."""
    _include(state.hand[seat], card)
    state.hand_size[seat] += 1
    kind = np.int64(rules.kind[card])
    held = np.int64(state.count[seat, kind])
    state.count[seat, kind] = held + 1
    if held < 2:
        for word in range(GENERAL_WORDS):
            closer = rules.needs[kind, held, word]
            ready, near, far = state.ready[seat, word], state.near[seat, word], state.far[seat, word]
            state.ready[seat, word] = ready | near & closer
            state.near[seat, word] = near & ~closer | far & closer
            state.far[seat, word] = far & ~closer | closer & ~(ready | near | far)


@rule
def _give_up(state, rules, seat, card):
    """Take a card out of a hand."""
    _exclude(state.hand[seat], card)
    state.hand_size[seat] -= 1
    kind = np.int64(rules.kind[card])
    left = np.int64(state.count[seat, kind]) - 1
    state.count[seat, kind] = left
    if left < 2:
        for word in range(GENERAL_WORDS):
            farther = rules.needs[kind, left, word]
            ready, near, far = state.ready[seat, word], state.near[seat, word], state.far[seat, word]
            state.ready[seat, word] = ready & ~farther
            state.near[seat, word] = near & ~farther | ready & farther
            state.far[seat, word] = far & ~farther | near & farther


@rule
def _lose(state, rules, card):
    """Note that a card is gone for good: discarded, or shown out of a hand."""
    kind = np.int64(rules.kind[card])
    state.gone[kind] += 1
    left = np.int64(rules.copies[kind]) - state.gone[kind]
    if left < 2:
        for word in range(GENERAL_WORDS):
            state.live[word] &= ~rules.needs[kind, left, word]


@rule
def _spend(state, rules, seat, kind, items):
    """Show a card of a kind out of a hand, the lowest copy; mark it in a set of items."""
    card = np.int64(rules.first_card[kind])
    while not has(state.hand[seat], card):
        card += 1
    _give_up(state, rules, seat, card)
    _lose(state, rules, card)
    _include(items, np.int64(rules.item_of[kind]))


# --- what may be done (R2, R3) ----------------------------------------------------------------------------------------


@rule
def showable(state, rules, seat, word):
    """Generals that the seat in turn may show now, a word of the set (R2.2, R2.3). int64."""
    if rules.hidden or not rules.may_show[seat] or state.showing >= rules.sets_per_turn:
        return np.int64(0)
    return state.ready[seat, word] & ~rules.barred[seat, word]


@rule
def grabbable(state, rules, seat, word):
    """Generals that a seat completes with the card on top of the discards, a word of the set (R3.1, R3.2). int64."""
    if not rules.may_grab[seat]:
        return np.int64(0)
    kind = np.int64(rules.kind[top_card(state)])
    held = np.int64(state.count[seat, kind])
    # With the kind not yet in hand (or once, where it is needed twice) the top card is the one that lacks; whoever has
    # it anyway completes what lies ready with the top card in place of the own one.
    found = np.int64(0)
    if held < 2:
        found |= state.near[seat, word] & rules.needs[kind, held, word]
    if held:
        found |= state.ready[seat, word] & rules.needs[kind, 0, word]
    return found & ~rules.barred[seat, word]


@rule
def top_card(state):
    """Card on top of the discard pile, which must not be empty. int64."""
    return np.int64(state.pile[state.pile_size - 1])


@rule
def is_legal(state, rules, action):
    """Whether an action may be played now. Exact for any int64. R2.2 to R2.4, R3.1 to R3.4."""
    if action < 0:
        return False
    kind, payload = action & 3, action >> KIND_BITS
    seat = state.seat
    if state.phase == GRABBING:
        if kind == PASS:
            return payload == 0
        return (
            kind == GRAB
            and payload < rules.generals
            and grabbable(state, rules, seat, payload // WORD) >> payload % WORD & 1 != 0
        )
    if state.phase != TURN and state.phase != RETURN:
        return False
    if kind == DISCARD:
        return payload < rules.cards and has(state.hand[seat], payload)
    return (
        kind == SHOW
        and state.phase == TURN
        and payload < rules.generals
        and showable(state, rules, seat, payload // WORD) >> payload % WORD & 1 != 0
    )


# --- what happens (R2, R3) --------------------------------------------------------------------------------------------


@rule
def act(state, rules, action):
    """Carry out a legal action, without what follows by itself."""
    state.decision += 1
    kind, payload = action & 3, action >> KIND_BITS
    if kind == DISCARD:
        _discard(state, rules, payload)
    elif kind == SHOW:
        _show(state, rules, payload)
    elif kind == GRAB:
        _grab(state, rules, payload)
    else:
        _ask(state, rules)


@rule
def _show(state, rules, general):
    """R2.2: a complete name leaves the hand."""
    seat = state.seat
    for part in range(3):
        _spend(state, rules, seat, np.int64(rules.spelled[general, part]), state.shown[seat])
    _include(state.shown[seat], general)
    state.names[seat, SHOWN] += 1
    state.showing += 1
    _offer_shows(state, rules)


@rule
def _offer_shows(state, rules):
    for word in range(GENERAL_WORDS):
        state.offered[state.seat, word] |= showable(state, rules, state.seat, word)


@rule
def _discard(state, rules, card):
    """R2.4, R3.4: a card goes face up onto the pile, in the own turn or in return for a grab."""
    seat = state.seat
    _give_up(state, rules, seat, card)
    _lose(state, rules, card)
    state.pile[state.pile_size] = card
    state.pile_size += 1
    state.discarder = seat
    state.discards += 1
    state.throws[seat, 0] += 1
    _include(state.discarded[seat], np.int64(rules.item_of[rules.kind[card]]))
    if state.hand_size[seat] == 0:
        _finish(state, rules, HAND_EMPTY)  # R4.1: at once, nobody can grab it
        return
    if rules.hidden:
        near = np.int64(0)
        for word in range(GENERAL_WORDS):
            near |= state.near[seat, word]
        state.announced[seat] = near != 0
        if near:
            state.phase = KAMON  # R5.2
            return
    _open_to_grabs(state, rules)


@rule
def _open_to_grabs(state, rules):
    """R3.1: find out who can grab the card on top, and ask the first of them."""
    state.able = state.asked = 0
    for step in range(1, state.players):
        seat = (state.discarder + step) % state.players
        state.race[step - 1] = seat
        possible = np.int64(0)
        for word in range(GENERAL_WORDS):
            possible |= grabbable(state, rules, seat, word)
        if possible:
            state.able |= 1 << seat
    if rules.race and state.able & (state.able - 1):
        state.phase = RACE
    else:
        _ask(state, rules)


@rule
def _run_race(state, rules):
    """R3.3: put the other seats into a random order, drawn one by one in proportion to their speed."""
    for place in range(state.players - 2):
        total = 0.0
        for other in range(place, state.players - 1):
            total += rules.speed[np.int64(state.race[other])]
        mark = total * rng.unit(state.chance, state.discards * SEATS + place)
        chosen = place
        mark -= rules.speed[np.int64(state.race[chosen])]
        while mark >= 0.0 and chosen < state.players - 2:
            chosen += 1
            mark -= rules.speed[np.int64(state.race[chosen])]
        first = state.race[place]
        state.race[place] = state.race[chosen]
        state.race[chosen] = first


@rule
def _ask(state, rules):
    """R3.3: the next able seat decides whether to grab; when all have passed, the turn ends."""
    for place in range(state.players - 1):
        seat = np.int64(state.race[place])
        if state.able >> seat & 1:
            state.able &= ~(1 << seat)
            state.asked |= 1 << seat
            state.seat = seat
            state.phase = GRABBING
            state.chances[(seat - state.discarder) % state.players - 1] += 1
            for word in range(GENERAL_WORDS):
                state.offered[seat, word] |= grabbable(state, rules, seat, word)
            return
    _end_turn(state, rules)


@rule
def _grab(state, rules, general):
    """R3.2: the top card completes a name with two own cards; the three are shown, and a discard in return is due."""
    seat, feeder = state.seat, np.int64(state.discarder)
    kind = np.int64(rules.kind[top_card(state)])
    state.pile_size -= 1
    taken = False
    for part in range(3):
        other = np.int64(rules.spelled[general, part])
        if other == kind and not taken:
            taken = True
        else:
            _spend(state, rules, seat, other, state.grabbed[seat])
    _include(state.grabbed[seat], np.int64(rules.item_of[kind]))
    _include(state.grabbed[seat], general)
    _include(state.fed[feeder], np.int64(rules.item_of[kind]))
    _include(state.fed[feeder], general)
    state.names[seat, GRABBED] += 1
    state.throws[feeder, 1] += 1
    state.grabs[(seat - feeder) % state.players - 1] += 1
    state.regrabs += seat == state.turn % state.players
    state.chain += 1
    state.phase = RETURN


@rule
def _end_turn(state, rules):
    """R3.5, R4.1: the turn passes to the left whoever grabbed; without a deck the game is over."""
    if state.deck_left == 0:
        if rules.hidden:
            state.phase = LAY_DOWN
        else:
            _finish(state, rules, DECK_EMPTY)
        return
    _count_turn(state)
    state.seat = state.turn % state.players
    state.rounds = state.turn // state.players
    state.phase = DRAW


@rule
def _count_turn(state):
    state.chains[min(np.int64(state.chain), CHAINS - 1)] += 1
    state.chain = 0
    state.turn += 1


@rule
def follow(state, rules):
    """One automatic step: draw a card (R2.1), say "Kamon" (R5.2), run a race (R3.3) or lay down at the end (R5.3)."""
    if state.phase == DRAW:
        seat = state.seat
        card = _next_card(state, seat)
        _take(state, rules, seat, card)
        _include(state.drawn[seat], card)
        _include(state.held[seat], np.int64(rules.item_of[rules.kind[card]]))
        state.showing = 0
        state.phase = TURN
        _offer_shows(state, rules)
    elif state.phase == KAMON:
        _open_to_grabs(state, rules)
    elif state.phase == RACE:
        _run_race(state, rules)
        _ask(state, rules)
    else:
        _finish(state, rules, DECK_EMPTY)


@rule
def is_automatic(state):
    """Whether the next step follows by itself."""
    return DRAW <= state.phase <= LAY_DOWN


@rule
def apply(state, rules, action):
    """Carry out a legal action and all that follows, until the next decision or the end."""
    act(state, rules, action)
    while is_automatic(state):
        follow(state, rules)


# --- the end (R4, R5) -------------------------------------------------------------------------------------------------


@rule
def _finish(state, rules, reason):
    """R4: end the game: lay down where hands were hidden, count the cards, find the winner."""
    _count_turn(state)
    state.rounds = (state.turn + state.players - 1) // state.players
    state.phase, state.reason = OVER, reason
    lays_down = rules.hidden and reason == DECK_EMPTY
    generals = np.empty(HAND_MAX, np.int64)
    first_names = np.zeros(SEATS, np.int64)
    fewest = np.int64(CARDS)
    for seat in range(state.players):
        for kind in range(rules.families, rules.kinds):
            first_names[seat] += state.count[seat, kind]
        state.score[seat] = state.hand_size[seat]
        if lays_down:
            for word in range(GENERAL_WORDS):
                state.offered[seat, word] |= state.ready[seat, word] & ~rules.barred[seat, word]
            laid = lay_down(state, rules, seat, CARDS, generals)[0]
            state.score[seat] -= 3 * laid
            first_names[seat] -= 2 * laid
        fewest = min(fewest, state.score[seat])

    # R4.3, R4.4: the k first names with the fewest crests count; k is the smallest number of them among the tied.
    tied = np.int64(0)
    least, most = np.int64(CARDS), np.int64(0)
    for seat in range(state.players):
        if state.score[seat] == fewest:
            tied |= np.int64(1) << seat
            least, most = min(least, first_names[seat]), max(most, first_names[seat])
    state.winners, state.tie = tied, NO_TIE
    if tied & (tied - 1):
        state.winners = 0
        best = np.int64(1 << 30)
        for seat in range(state.players):
            if tied >> seat & 1:
                crests = (
                    lay_down(state, rules, seat, least, generals)[1]
                    if lays_down
                    else fewest_crests(state.count[seat], rules, least)
                )
                if crests < best:
                    best, state.winners = crests, 0
                if crests == best:
                    state.winners |= 1 << seat
        several = state.winners & (state.winners - 1) != 0
        state.tie = SHARED if several else SAME_NUMBER if least == most else ADJUSTED
    if lays_down:
        for seat in range(state.players):
            laid = lay_down(state, rules, seat, least if tied >> seat & 1 else CARDS, generals)[0]
            for place in range(laid):
                _lay_out(state, rules, seat, generals[place])
    for seat in range(state.players):
        _kinds_of(rules, state.hand[seat], state.kept[seat])


@rule
def fewest_crests(count, rules, most):
    """Crests on the ``most`` first-name cards with the fewest crests, of cards counted by kind (R4.4). int64.

    Parameters
    ----------
    count : int8[KINDS] or int64[KINDS]
        Cards by kind. Read only.
    most : int64
        How many cards count; all of them if there are fewer.
    """
    total = crests = np.int64(0)
    left = np.int64(most)
    while left > 0:
        following = np.int64(1 << 30)  # next higher number of crests on a card
        for kind in range(rules.families, rules.kinds):
            if count[kind] and rules.crests[kind] >= crests:
                if rules.crests[kind] == crests:
                    here = min(left, np.int64(count[kind]))
                    total += here * crests
                    left -= here
                else:
                    following = min(following, np.int64(rules.crests[kind]))
        if following == 1 << 30:
            break
        crests = following
    return total


@rule
def lay_down(state, rules, seat, most, best):
    """Find the largest number of disjoint names in a hand; among such choices the fewest crests that count.

    Rule
    ----
    R5.3 the most names; R5.4 then the fewest crests on the first-name cards that count.

    Parameters
    ----------
    most : int64
        How many of the first-name cards that stay count, those with the fewest crests first.
    best : int64[HAND_MAX]
        Filled from the front with the generals chosen.

    Returns
    -------
    (int64, int64)
        How many names, and the crests that count.

    Notes
    -----
    Exact: walks through all choices in the order of the generals' numbers, each general as often as its cards allow,
    and leaves out only those that cannot reach the most names found so far.
    """
    options = np.empty(GENERALS, np.int64)
    found = 0
    families = np.zeros(KINDS, np.bool_)
    for word in range(GENERAL_WORDS):
        left = state.ready[seat, word] & ~rules.barred[seat, word]
        while left:
            options[found] = word * WORD + lowest_bit(left)
            families[np.int64(rules.spelled[options[found], 0])] = True
            left &= left - 1
            found += 1
    count = np.empty(KINDS, np.int64)
    spare = np.int64(0)  # family cards in hand that could still begin a name
    for kind in range(rules.kinds):
        count[kind] = state.count[seat, kind]
        spare += count[kind] if families[kind] else 0

    chosen = np.empty(HAND_MAX, np.int64)  # places in `options`, never descending
    depth = 0
    most_names, crests = np.int64(0), fewest_crests(count, rules, most)
    place = 0
    while True:
        while place < found and not _spellable(count, rules, options[place]):
            place += 1
        if place < found and depth + spare >= most_names:
            _use(count, rules, options[place], -1)
            spare -= 1
            chosen[depth] = place
            depth += 1
            if depth >= most_names:
                now = fewest_crests(count, rules, most)
                if depth > most_names or now < crests:
                    most_names, crests = depth, now
                    for index in range(depth):
                        best[index] = options[chosen[index]]
        elif depth:
            depth -= 1
            place = chosen[depth]
            _use(count, rules, options[place], 1)
            spare += 1
            place += 1
        else:
            return most_names, crests


@rule
def _spellable(count, rules, general):
    """Whether cards counted by kind spell a general."""
    one, two = rules.spelled[general, 1], rules.spelled[general, 2]
    needed = 2 if one == two else 1
    return count[rules.spelled[general, 0]] > 0 and count[one] >= needed and count[two] >= needed


@rule
def _use(count, rules, general, change):
    """Add a general's cards to cards counted by kind, or take them away."""
    for part in range(3):
        count[rules.spelled[general, part]] += change


@rule
def _lay_out(state, rules, seat, general):
    for part in range(3):
        _spend(state, rules, seat, np.int64(rules.spelled[general, part]), state.laid[seat])
    _include(state.laid[seat], general)
    state.names[seat, LAID_DOWN] += 1


@rule
def is_over(state):
    """Whether the game has ended."""
    return state.phase == OVER


@rule
def end_reason(state):
    """Why the game ended: DECK_EMPTY or HAND_EMPTY."""
    return np.int64(state.reason)


@rule
def score(state, rules, scores):
    """Fill ``scores`` with the cards left and return the winners as a mask of seats (int64). R4.1 to R4.5, R5.3."""
    for seat in range(state.players):
        scores[seat] = state.score[seat]
    return np.int64(state.winners)


@rule
def lead(state, rules, values):
    """Fill ``values`` with the standing: names that the hand still has room for, the fewer the better."""
    for seat in range(state.players):
        values[seat] = -(state.hand_size[seat] // 3)


@rule
def record(state, row):
    """Fill a row of RECORD with what happened to cards and generals."""
    for seat in range(state.players):
        for word in range(ITEM_WORDS):
            row.shown[seat, word] = state.shown[seat, word]
            row.grabbed[seat, word] = state.grabbed[seat, word]
            row.laid[seat, word] = state.laid[seat, word]
            row.discarded[seat, word] = state.discarded[seat, word]
            row.fed[seat, word] = state.fed[seat, word]
            row.dealt[seat, word] = state.opening[seat, word]
            row.held[seat, word] = state.held[seat, word]
            row.kept[seat, word] = state.kept[seat, word]
        for word in range(GENERAL_WORDS):
            row.held[seat, word] |= state.offered[seat, word]  # the generals are the first items
        for how in range(3):
            row.names[seat, how] = state.names[seat, how]
        row.throws[seat, 0], row.throws[seat, 1] = state.throws[seat, 0], state.throws[seat, 1]
    for word in range(ITEM_WORDS):
        row.in_deck[word] = state.in_deck[word]
    for distance in range(SEATS - 1):
        row.chances[distance], row.grabs[distance] = state.chances[distance], state.grabs[distance]
    for length in range(CHAINS):
        row.chains[length] = state.chains[length]
    row.regrabs[0] = state.regrabs
    for how in range(4):
        row.ties[how] = how == state.tie


# --- for players that search ------------------------------------------------------------------------------------------


@rule
def candidates(state, rules, out):
    """List all legal actions: names to show or grab, then the cards of the hand or passing.

    Parameters
    ----------
    out : int64[CANDIDATES]
        Filled from the front.

    Returns
    -------
    int64
        How many actions were filled in.
    """
    seat, count = state.seat, 0
    if state.phase == GRABBING:
        for word in range(GENERAL_WORDS):
            left = grabbable(state, rules, seat, word)
            while left:
                out[count] = (word * WORD + lowest_bit(left)) << KIND_BITS | GRAB
                left &= left - 1
                count += 1
        out[count] = PASS
        return count + 1
    if state.phase == TURN:
        for word in range(GENERAL_WORDS):
            left = showable(state, rules, seat, word)
            while left:
                out[count] = (word * WORD + lowest_bit(left)) << KIND_BITS | SHOW
                left &= left - 1
                count += 1
    for word in range(CARD_WORDS):
        left = state.hand[seat, word]
        while left:
            out[count] = (word * WORD + lowest_bit(left)) << KIND_BITS | DISCARD
            left &= left - 1
            count += 1
    return count


@rule
def redeal(state, rules, seat, key):
    """Reshuffle all that a seat cannot know, consistently with what it has seen.

    The cards of the other hands and of the deck change places with each other. In the hidden variant this is tried
    until every hand again has, or has not, the name with one card lacking that its player announced; if that never
    happens, only the deck is reshuffled. Who else can grab a discard, and in which order, follows anew.

    Parameters
    ----------
    state : STATE
        Changed in place.
    seat : int64
        Who looks at the table.
    key : uint64
        Stream of the reshuffle.
    """
    hands, dealt, drawn = state.hand.copy(), state.dealt.copy(), state.drawn.copy()
    stock, order = state.stock.copy(), state.order.copy()
    becomes = np.arange(CARDS)
    members = np.empty(CARDS, np.int64)
    for attempt in range(TRIES + 1):
        count = 0
        for card in range(rules.cards):
            hidden = has(stock, card)
            for other in range(state.players):
                hidden |= attempt < TRIES and other != seat and has(hands[other], card)
            becomes[card] = card
            if hidden:
                members[count] = card
                count += 1
        shuffled = members.copy()
        rng.shuffle(shuffled, count, rng.word(key, attempt))
        for place in range(count):
            becomes[members[place]] = shuffled[place]
        for other in range(state.players):
            if other != seat:
                _empty_hand(state, rules, other)
                for card in range(rules.cards):
                    if has(hands[other], card):
                        _take(state, rules, other, becomes[card])
        if _as_announced(state, rules, seat):
            break
    _rename(stock, becomes, state.stock)
    for row in range(state.players if state.own_orders else 1):
        for place in range(rules.cards):
            state.order[row, place] = becomes[np.int64(order[row, place])]
    for other in range(state.players):
        if other != seat:
            _rename(dealt[other], becomes, state.dealt[other])
            _rename(drawn[other], becomes, state.drawn[other])
            _kinds_of(rules, state.dealt[other], state.opening[other])
            _kinds_of(rules, state.drawn[other], state.held[other])
            for word in range(ITEM_WORDS):
                state.held[other, word] |= state.opening[other, word]
            for word in range(GENERAL_WORDS):
                completed = state.shown[other, word] | state.grabbed[other, word]
                generals = ALL >> (WORD - min(max(rules.generals - word * WORD, 0), WORD))
                state.offered[other, word] = (state.ready[other, word] | completed) & generals
            state.policy[other] = rng.stream(key, rng.POLICY, other)
    _kinds_at_the_deal(state, rules)
    state.chance = rng.stream(key, rng.CHANCE, 0)
    if state.phase == GRABBING:
        _redeal_grabs(state, rules)


@rule
def _as_announced(state, rules, seat):
    """Whether all other hands agree with what their players announced last (R5.2)."""
    for other in range(state.players):
        if other != seat and state.announced[other] >= 0:
            near = np.int64(0)
            for word in range(GENERAL_WORDS):
                near |= state.near[other, word]
            if (near != 0) != state.announced[other]:
                return False
    return True


@rule
def _rename(cards, becomes, renamed):
    """Fill the set that a set of cards turns into under a renaming of cards."""
    for word in range(CARD_WORDS):
        renamed[word] = 0
    for word in range(CARD_WORDS):
        left = cards[word]
        while left:
            _include(renamed, becomes[word * WORD + lowest_bit(left)])
            left &= left - 1


@rule
def _kinds_at_the_deal(state, rules):
    """Note anew which kinds the deck held after the deal: all cards that were not dealt."""
    for word in range(ITEM_WORDS):
        state.in_deck[word] = 0
    for card in range(rules.cards):
        dealt = False
        for seat in range(state.players):
            dealt |= has(state.dealt[seat], card)
        if not dealt:
            _include(state.in_deck, np.int64(rules.item_of[rules.kind[card]]))


@rule
def _redeal_grabs(state, rules):
    """Find out anew who, after the seat that is asked, can grab the card on top, and in which order."""
    state.able = 0
    if rules.race:
        _run_race(state, rules)
    behind = bool(rules.race)  # in a race nobody knows the places of the others
    for place in range(state.players - 1):
        other = np.int64(state.race[place])
        possible = np.int64(0)
        for word in range(GENERAL_WORDS):
            possible |= grabbable(state, rules, other, word)
        if behind and possible and not state.asked >> other & 1:
            state.able |= 1 << other
        behind |= other == state.seat
