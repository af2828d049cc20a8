"""Random player for Sangoku."""

import numpy as np

from sim import rng
from sim.games.sangoku.cards import (
    EARTH,
    FIRST_CARD,
    FROM_LEGENDS,
    FROM_POOL,
    HAND,
    HEAVENS,
    HELLS,
    MONKEY_KING,
    NOBODY,
    NOTHING,
    REALM_BITS,
    SHINIGAMI,
    SIZES,
    TOKEN_TYPES,
    TYPE_MASKS,
)
from sim.games.sangoku.hands import SINGLE, strength3, strength5
from sim.games.sangoku.rules import (
    ARRANGE,
    FIXED_REALM,
    HAUNT,
    LEGEND_KINDS,
    PLACES,
    REDEEM,
    WAGER,
    can_be_robbed,
    cards_code,
    collect_code,
    haunt_code,
    may_wager,
    most_cards,
    none_code,
    other_kinds,
    redeem_code,
    redeemed_for,
    wager_code,
)
from sim.jit import count_bits, lowest_bit, rule
from strategies.registry import strategy


@strategy("sangoku", title="Random")
def random(state, rules, params):
    """Play anything: a random arrangement in order, a random wager half of the time, a random card, a random set.

    It redeems a card and a set whenever it can, the largest of its kind, without Kitsune and Yosei.

    Weakness: it has no plan at all. It is the yardstick: what beats it only just does not think.
    """
    key = rng.word(state.policy[state.seat], state.decision)
    if state.phase == ARRANGE:
        return any_arrangement(state, rules, key)
    if state.phase == WAGER:
        return any_wager(state, rules, key)
    if state.phase == REDEEM:
        return any_redemption(state, rules, key)
    if state.phase == HAUNT:
        return haunt_code(one_of(~np.int64(state.fallen[state.seat]) & ((1 << PLACES) - 1), key, 0))
    return any_set(state, rules, key)


@rule
def one_of(mask, key, number):
    """Draw one of the bits of a mask, with one number of the stream ``key``. int64."""
    for _ in range(rng.below(key, number, count_bits(mask))):
        mask &= mask - 1
    return lowest_bit(mask)


@rule
def any_arrangement(state, rules, key):
    """Shuffle the hand and lay it as it comes, the stronger five in the Heavens, until the hands are in order."""
    seat = state.seat
    cards = np.arange(HAND)
    shuffles = np.int64(0)
    while True:
        rng.shuffle(cards, HAND, rng.word(key, shuffles))
        shuffles += 1
        first, second = _five(state, rules, cards, HEAVENS), _five(state, rules, cards, EARTH)
        hells = np.int64(0)
        for place in range(FIRST_CARD[HELLS], HAND):
            hells += SINGLE[np.int64(state.hand[seat, cards[place]])]
        if strength3(hells) < min(first, second):
            break
    action = np.int64(0)
    for place in range(HAND):
        realm = place // 5
        if second > first and realm != HELLS:
            realm = EARTH - realm
        action |= np.int64(realm) << (REALM_BITS * cards[place])
    return action


@rule
def _five(state, rules, cards, realm):
    """Rank the first (HEAVENS) or second (EARTH) five of the shuffled cards. int64."""
    hand = np.int64(0)
    for place in range(FIRST_CARD[realm], FIRST_CARD[realm] + SIZES[realm]):
        hand += SINGLE[np.int64(state.hand[state.seat, cards[place]])]
    return strength5(hand, rules.bridge_suited, rules.wheel)


@rule
def any_wager(state, rules, key):
    """Wager nothing half of the time, else a random card of the hand on a random Realm."""
    cards = np.int64(0)
    for legend in range(LEGEND_KINDS):
        cards += state.legends[state.seat, legend] if may_wager(state, rules, legend) else 0
    if cards == 0 or rng.below(key, 0, 2) == 0:
        return none_code()
    skip = rng.below(key, 1, cards)
    legend = np.int64(0)
    while skip >= state.legends[state.seat, legend]:
        skip -= state.legends[state.seat, legend]
        legend += 1
    return wager_code(legend, rng.below(key, 2, PLACES))


@rule
def any_redemption(state, rules, key):
    """Redeem a random one of the cards that can be redeemed; if none is in the pool, for a random token of its type."""
    first = FIRST_CARD[state.realm]
    places = np.int64(0)
    for place in range(first, first + SIZES[state.realm]):
        places |= np.int64(can_redeem(state, rules, np.int64(state.laid[state.seat, place]))) << place
    if places == 0:
        return none_code()
    recruit = np.int64(state.laid[state.seat, one_of(places, key, 0)])
    token = redeemed_for(rules, state.seat, recruit)
    if token == TOKEN_TYPES:
        return redeem_code(recruit, FROM_LEGENDS)
    pieces = TYPE_MASKS[token]
    if state.pool & pieces:
        return redeem_code(recruit, FROM_POOL)
    piece = one_of(pieces, key, 1)
    source = np.int64(0)
    while not state.tokens[source // PLACES, source % PLACES] >> piece & 1:
        source += 1
    return redeem_code(recruit, source)


@rule
def can_redeem(state, rules, recruit):
    """Whether the seat in turn may redeem a card of its winning hand: its row names a token or a Legend card."""
    return redeemed_for(rules, state.seat, recruit) != NOTHING


@rule
def any_set(state, rules, key):
    """Redeem a set of a random kind, the largest of it, wherever it may strike and whoever may be struck."""
    kinds = np.int64(0)
    for legend in range(LEGEND_KINDS):
        kinds |= np.int64(most_cards(state, rules, legend) > 0) << legend
    if kinds == 0:
        return none_code()
    legend = one_of(kinds, key, 0)
    cards = cards_code(most_cards(state, rules, legend), 0, 0)
    if legend == MONKEY_KING:
        cards = other_kinds(state, rules)
    realm = np.int64(FIXED_REALM[legend])
    if realm < 0:
        realm = rng.below(key, 1, PLACES)
    if legend != SHINIGAMI:
        return collect_code(legend, cards, realm, 0, 0, 0, 0)
    opponents = state.inside & ~(np.int64(1) << state.seat)
    return any_theft(state, cards, realm, one_of(opponents, key, 2), key)


@rule
def any_theft(state, cards, realm, target, key):
    """A Shinigami's set against this target, with a random token of the opponents."""
    tokens = np.int64(0)
    for seat in range(state.players):
        if can_be_robbed(state, seat):
            for place in range(PLACES):
                tokens |= state.tokens[seat, place]
    if tokens == 0:
        return collect_code(SHINIGAMI, cards, realm, target, NOBODY, 0, 0)
    piece = one_of(tokens, key, 3)
    source = token = np.int64(0)
    while not state.tokens[source // PLACES, source % PLACES] >> piece & 1:
        source += 1
    while not TYPE_MASKS[token] >> piece & 1:
        token += 1
    return collect_code(SHINIGAMI, cards, realm, target, source // PLACES, source % PLACES, token)
