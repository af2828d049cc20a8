"""Collector for Sangoku."""

import numpy as np

from sim.games.sangoku.cards import EARTH, HAND, HEAVENS, HELLS, KITSUNE, REALM_BITS, SIZES
from sim.games.sangoku.hands import BRIDGE, RANKS, WILD
from sim.games.sangoku.rules import ARRANGE, LEGEND_KINDS, is_in_order, takes_kitsune, usable
from sim.jit import rule
from strategies.registry import strategy
from strategies.sangoku.balanced import Mind, decide

NO_RANK, NO_SET = 99, 99


@strategy(
    "sangoku",
    title="Collector",
    params={"patience": 1.2, "hoard": 7.0, "nerve": 0.6, "watch": 1.0},
    blind={"watch": 0.0},
)
def collector(state, rules, params):
    """Play for large sets of Legend cards, and lose on purpose when one is near.

    A set must bring ``patience`` points for each card, which three Raijin do and two Onibi do not; with more than
    ``hoard`` cards in hand it takes what there is. While a set of Raijin, Hachiman, Genbu or Orochi lacks a single card
    it lays weak hands: whoever wins no Realm draws a Legend card. Otherwise it arranges like Balanced, and wagers only
    where its chance is at least ``nerve``; ``watch`` is that of Balanced.

    Weakness: the others use the rounds that it gives away to recruit, and what it draws is seldom the card that it
    lacks.
    """
    if state.phase == ARRANGE and lacks_one(state, rules):
        action = lay_low(state)
        if is_in_order(state, rules, state.seat, action):
            return action
    patience = params[0] if held(state) <= params[1] else min(params[0], 1.0)
    return decide(state, rules, Mind(False, 0.0, params[2], patience, params[3] > 0))


@rule
def held(state):
    """How many Legend cards the seat in turn holds. int64."""
    cards = np.int64(0)
    for legend in range(LEGEND_KINDS):
        cards += state.legends[state.seat, legend]
    return cards


@rule
def lacks_one(state, rules):
    """Whether exactly one card is missing to a set that Kitsune may complete, and to no such set none."""
    fewest = np.int64(NO_SET)
    if rules.may_collect[state.seat]:
        for legend in range(LEGEND_KINDS):
            own = usable(state, rules, legend)
            if takes_kitsune(legend) and own:
                fewest = min(fewest, rules.smallest[legend] - own - usable(state, rules, KITSUNE))
    return fewest == 1


@rule
def lay_low(state):
    """Lay weak hands in order: the three lowest ranks in the Hells, of the others every second card, sorted by rank."""
    seat = state.seat
    order = np.empty(HAND, np.int64)
    for place in range(HAND):
        card = np.int64(state.hand[seat, place])
        order[place] = (card % RANKS + 2 if card < BRIDGE else WILD - card) << 8 | place
    order.sort()
    action = np.int64(0)
    in_hells = others = np.int64(0)
    last = np.int64(NO_RANK)
    for key in order:
        rank, place = key >> 8, key & 255
        realm = HELLS
        if in_hells < SIZES[HELLS] and (rank != last or rank == 0):
            in_hells += 1
            last = rank
        else:
            realm = HEAVENS if others % 2 else EARTH
            others += 1
        action |= np.int64(realm) << (REALM_BITS * place)
    return action
