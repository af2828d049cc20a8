"""Balanced for Sangoku, and how a player who counts chances decides; the other thinking strategies do it likewise."""

from typing import NamedTuple

import numpy as np

from sim.games.sangoku.arrange import arrange, arrange_exactly, chance
from sim.games.sangoku.cards import (
    EARTH,
    FIRST_CARD,
    FROM_LEGENDS,
    FROM_POOL,
    GENBU,
    HAND,
    HEAVENS,
    HELLS,
    KITSUNE,
    LEGENDS,
    MONKEY_KING,
    NOBODY,
    NOTHING,
    OROCHI,
    REALMS,
    SHINIGAMI,
    SIZES,
    TOKEN_TYPES,
    TYPE_MASKS,
    YOSEI,
)
from sim.games.sangoku.chances import CHANCES
from sim.games.sangoku.hands import SUITS, pack, strength3, strength5
from sim.games.sangoku.rules import (
    ARRANGE,
    FIXED_REALM,
    HAUNT,
    REDEEM,
    WAGER,
    can_be_robbed,
    cards_code,
    collect_code,
    haunt_code,
    is_in,
    may_wager,
    none_code,
    other_kinds,
    redeem_code,
    redeemed_for,
    strongest_token,
    takes_kitsune,
    takes_yosei,
    usable,
    wager_code,
)
from sim.jit import count_bits, rule
from strategies.registry import strategy

PLACES = len(REALMS)
LEGEND_KINDS = len(LEGENDS)
SPECIAL = TOKEN_TYPES - 2  # type of the Genbu token; the Orochi token follows

# What things are worth, in points of damage to each opponent.
FELL = 4.0  # a Realm lost, beside the damage that does it
OUT = 12.0  # the second one
TOKEN = 2.0  # a token, beside its power
LEGEND = 1.0  # a Legend card
IDLE = 0.25  # of a Realm in which no opponent has anything to lose
LARGER = 1.000001  # factor that decides between sets that bring the same
REASON = 1000.0  # no parameter is meant to be larger


class Mind(NamedTuple):
    """What a player wants.

    Attributes
    ----------
    exact : bool
        Whether it tries all arrangements.
    tokens : float64
        What a point of a token is worth beside winning a Realm, when it arranges.
    nerve : float64
        Chance to win from which on it wagers.
    patience : float64
        What each Legend card turned in for a set must bring.
    watch : bool
        Whether it looks at what the opponents have, and have left to lose.
    """

    exact: bool
    tokens: float
    nerve: float
    patience: float
    watch: bool


@strategy(
    "sangoku",
    title="Balanced",
    params={"exact": 0.0, "nerve": 0.5, "patience": 1.0, "watch": 1.0},
    blind={"watch": 0.0},
)
def balanced(state, rules, params):
    """Lay the hands so that the chances to win the three Realms add up to the most.

    The chances come from a table of how such players fare. With ``exact`` above 0 it tries all 72 072 arrangements,
    else the likely ones. It wagers the Legend card that it can spare best where its chance to win is at least
    ``nerve``, redeems the card that brings the strongest token, best of all one of an opponent, and turns in the Legend
    set that costs the opponents most, once this is ``patience`` points for each card. With ``watch`` at 0 it does not
    look at the opponents: damage is worth the same wherever it is done, and so is a token whoever has it.

    Weakness: a Realm won is a Realm won to it. It wins with high cards that bring no token, and does not see that it
    needs two Realms of an opponent and not three.
    """
    return decide(state, rules, Mind(params[0] > 0, 0.0, params[1], params[2], params[3] > 0))


@rule
def decide(state, rules, mind):
    """Decide whatever is to be decided. Action."""
    if state.phase == ARRANGE:
        return lay(state, rules, mind)
    if state.phase == WAGER:
        return stake(state, rules, mind)
    if state.phase == REDEEM:
        return recruit(state, rules, mind)
    if state.phase == HAUNT:
        return give_way(state)
    return strike(state, rules, mind)


# --- arranging --------------------------------------------------------------------------------------------------------


@rule
def lay(state, rules, mind):
    """Arrange for the summed chances to win, with what the tokens are worth that could be redeemed."""
    seat = state.seat
    worth, prizes = np.empty(PLACES), np.zeros(HAND)
    for realm in range(PLACES):
        worth[realm] = 1.0 if can_strike(state, rules, mind, realm, np.int64(rules.purple_power)) else IDLE
    if mind.tokens > 0:
        for place in range(HAND):
            token = redeemed_for(rules, seat, np.int64(state.hand[seat, place]))
            if token != NOTHING:
                prizes[place] = min(mind.tokens, REASON) * worth_of_token(state, rules, mind, token)
    cards, chances = state.hand[seat], chances_now(state)
    if mind.exact:
        return arrange_exactly(cards, chances, worth, prizes, rules.bridge_suited, rules.wheel)
    return arrange(cards, chances, worth, prizes, rules.bridge_suited, rules.wheel)


@rule
def chances_now(state):
    """Give the table of chances for as many players as are still in: [3, buckets]."""
    return CHANCES[count_bits(state.inside) - 2]


@rule
def can_strike(state, rules, mind, realm, power):
    """Whether a token of some power can cost any opponent anything in a Realm; who does not look thinks so."""
    found = not mind.watch
    for other in range(state.players):
        if other != state.seat and is_in(state, other):
            line = rules.purple_line[other] if realm == HEAVENS and power < rules.purple_power else 0
            found |= state.defence[other, realm] > line
    return found


# --- tokens -----------------------------------------------------------------------------------------------------------


@rule
def worth_of_token(state, rules, mind, token):
    """What redeeming a card is worth, wherever its token is put: float64. An opponent's token counts for both sides."""
    if token == TOKEN_TYPES:
        return LEGEND
    power = np.float64(rules.power[state.seat, kind_of(token)])
    if state.pool & TYPE_MASKS[token]:
        return TOKEN + power
    for other in range(state.players):
        if other != state.seat:
            for place in range(PLACES):
                if state.tokens[other, place] & TYPE_MASKS[token]:
                    return TOKEN + power * (1 + mind.watch)
    return 0.0


@rule
def kind_of(token):
    """Kind of Warrior of a token type: int64."""
    return token // SUITS if token < SPECIAL else token - SPECIAL + 4


@rule
def worth_here(state, rules, mind, token, realm, source):
    """What a token is worth in a Realm of the seat in turn, taken from the pool or from a Realm: float64.

    A token that can strike nobody there is worth only what it is missed by its owner, and one of the seat's own only
    what it gains by the move.
    """
    power = np.int64(rules.power[state.seat, kind_of(token)])
    worth = TOKEN + power if can_strike(state, rules, mind, realm, power) else 0.0
    if source == FROM_POOL:
        return worth
    owner, place = source // PLACES, source % PLACES
    if owner != state.seat:
        return worth + power * mind.watch
    if place == realm or can_strike(state, rules, mind, place, power):
        return 0.0
    return worth


@rule
def recruit(state, rules, mind):
    """Redeem the card of the winning hand that is worth most, from where the token is worth most."""
    seat, realm = state.seat, np.int64(state.realm)
    best, choice = 0.0, none_code()
    for place in range(FIRST_CARD[realm], FIRST_CARD[realm] + SIZES[realm]):
        card = np.int64(state.laid[seat, place])
        token = redeemed_for(rules, seat, card)
        if token == NOTHING:
            continue
        if token == TOKEN_TYPES:
            if best < LEGEND:
                best, choice = LEGEND, redeem_code(card, FROM_LEGENDS)
        elif state.pool & TYPE_MASKS[token]:
            worth = worth_here(state, rules, mind, token, realm, FROM_POOL)
            if worth > best:
                best, choice = worth, redeem_code(card, FROM_POOL)
        else:
            for source in range(PLACES * state.players):
                if state.tokens[source // PLACES, source % PLACES] & TYPE_MASKS[token]:
                    worth = worth_here(state, rules, mind, token, realm, source)
                    if worth > best:
                        best, choice = worth, redeem_code(card, source)
    return choice


# --- wagers -----------------------------------------------------------------------------------------------------------


@rule
def stake(state, rules, mind):
    """Wager the card that can be spared best on the Realm with the best chance, if it is good enough."""
    legend = to_spare(state, rules)
    if legend < 0:
        return none_code()
    best, choice = mind.nerve, np.int64(-1)
    for realm in range(PLACES):
        likely = chance_laid(state, rules, realm)
        if likely >= best:
            best, choice = likely, np.int64(realm)
    return wager_code(legend, choice) if choice >= 0 else none_code()


@rule
def chance_laid(state, rules, realm):
    """Chance of the seat in turn to win a Realm with the hand that it has laid there. float64."""
    hand = pack(state.laid[state.seat, FIRST_CARD[realm] : FIRST_CARD[realm] + SIZES[realm]])
    strength = strength3(hand) if realm == HELLS else strength5(hand, rules.bridge_suited, rules.wheel)
    return chance(chances_now(state)[realm], strength)


@rule
def to_spare(state, rules):
    """Legend kind that the seat in turn needs least and may wager, or -1: the rarest it has, helpers last. int64."""
    fewest, choice = 99, np.int64(-1)
    for legend in range(LEGEND_KINDS):
        if may_wager(state, rules, legend):
            needed = state.legends[state.seat, legend] + 10 * (legend in (KITSUNE, YOSEI, MONKEY_KING))
            if needed < fewest:
                fewest, choice = needed, np.int64(legend)
    return choice


# --- sets of Legend cards ---------------------------------------------------------------------------------------------


@rule
def strike(state, rules, mind):
    """Turn in the set that brings most beyond what its cards must bring; of two that bring the same, the larger."""
    best, choice = 0.0, none_code()
    if not rules.may_collect[state.seat]:
        return choice
    for legend in range(LEGEND_KINDS):
        held = usable(state, rules, legend)
        if held == 0 or legend in (KITSUNE, YOSEI):
            continue
        if legend == MONKEY_KING:
            others = other_kinds(state, rules)
            if others:
                count = count_bits(others)
                damage = count * np.int64(rules.damage[state.seat, MONKEY_KING, 1])
                worth, realm, _ = aim(state, mind, damage, legend)
                gain = worth * LARGER - mind.patience * (count + 1)
                if gain > best:
                    best, choice = gain, collect_code(legend, others, realm, 0, 0, 0, 0)
            continue
        kitsune = usable(state, rules, KITSUNE) if takes_kitsune(legend) else np.int64(0)
        yosei = usable(state, rules, YOSEI) if takes_yosei(legend) else np.int64(0)
        for size in range(rules.smallest[legend], min(held + kitsune, np.int64(rules.largest[legend])) + 1):
            own = min(np.int64(size), held)
            for added in range(yosei + 1):
                price = mind.patience * (size + added)
                cards = cards_code(own, size - own, added)
                if legend in (GENBU, OROCHI):
                    worth, action = summon(state, rules, mind, legend, cards)
                else:
                    damage = rules.damage[state.seat, legend, size] + added
                    worth, realm, target = aim(state, mind, damage, legend)
                    action = collect_code(legend, cards, realm, 0, 0, 0, 0)
                    if legend == SHINIGAMI:
                        stolen, action = rob(state, rules, mind, cards, realm, target)
                        worth += stolen
                if worth * LARGER - price > best:
                    best, choice = worth * LARGER - price, action
    return choice


@rule
def aim(state, mind, damage, legend):
    """Where damage hurts most: its worth (float64), the Realm and whom a Shinigami strikes (int64)."""
    best, best_realm, best_target = -1.0, np.int64(0), np.int64(0)
    opponents = count_bits(state.inside) - 1
    for realm in range(PLACES):
        if FIXED_REALM[legend] >= 0 and FIXED_REALM[legend] != realm:
            continue
        total = most = -1.0
        target = np.int64(0)
        for other in range(state.players):
            if other != state.seat and is_in(state, other):
                worth = worth_of_damage(state, mind, other, realm, damage)
                total += worth
                if worth > most:
                    most, target = worth, np.int64(other)
        worth = (most if legend == SHINIGAMI else total + 1.0) / opponents
        if worth > best:
            best, best_realm, best_target = worth, np.int64(realm), target
    return best, best_realm, best_target


@rule
def worth_of_damage(state, mind, seat, realm, damage):
    """What damage to a seat is worth: what it loses, and more if a Realm falls. float64."""
    if not mind.watch:
        return np.float64(damage)
    defence = np.int64(state.defence[seat, realm])
    if defence == 0:
        return 0.0
    if damage < defence:
        return np.float64(damage)
    return defence + (OUT if state.fallen[seat] else FELL)


@rule
def summon(state, rules, mind, legend, cards):
    """What Genbu's or Orochi's token is worth where it is worth most (float64), and the action."""
    token = np.int64(SPECIAL + legend - GENBU)
    source = np.int64(FROM_POOL)
    for place in range(PLACES * state.players):
        if state.tokens[place // PLACES, place % PLACES] & TYPE_MASKS[token]:
            source = np.int64(place)
    best, choice = -1.0, np.int64(EARTH)
    for realm in range(PLACES):
        worth = worth_here(state, rules, mind, token, realm, source)
        if worth > best:
            best, choice = worth, np.int64(realm)
    return best, collect_code(legend, cards, choice, 0, 0, 0, 0)


@rule
def rob(state, rules, mind, cards, realm, target):
    """What the best theft of a Shinigami is worth (float64), and the action."""
    best, choice = -1.0, collect_code(SHINIGAMI, cards, realm, target, NOBODY, 0, 0)
    for source in range(PLACES * state.players):
        owner, place = source // PLACES, source % PLACES
        if can_be_robbed(state, owner) and state.tokens[owner, place]:
            token = strongest_token(state.tokens[owner, place])
            worth = worth_here(state, rules, mind, token, place, source)
            if worth > best:
                best, choice = worth, collect_code(SHINIGAMI, cards, realm, target, owner, place, token)
    return max(best, 0.0), choice


@rule
def give_way(state):
    """Be haunted where there is most to lose from."""
    seat = state.seat
    choice = np.int64(0)
    for realm in range(PLACES):
        if state.defence[seat, realm] > state.defence[seat, choice]:
            choice = np.int64(realm)
    return haunt_code(choice)
