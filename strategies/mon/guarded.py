"""Guarded for mon."""

import numpy as np

from sim.games.mon.cards import ADVANCE, DRAW, FALL_BACK, KIND_BITS, VALUES
from sim.games.mon.rules import COLOURS, between, has_token, highest, may_cover, second_highest, unseen
from sim.jit import count_bits, lowest_bit, rule
from strategies.registry import strategy

HOLD, REACH, COVER, RIVALRY = range(4)  # places of the parameters
WORST, BEST = -1e9, 1e9  # nothing is worth less, or more


@strategy(
    "mon", title="Guarded", params={"hold": 1.0, "reach": 6.0, "cover": 0.35, "rivalry": 1.0}, blind={"rivalry": 0.0}
)
def guarded(state, rules, params):
    """Weigh each token by the chance that an unseen card can cover it.

    A play is worth its points and what it takes from an opponent, less what a fall back is likely to take from it, and
    less what it spoils in the hand: everybody has as many turns as cards, so a card that can no longer be played is a
    turn lost. Of the cards that fit under a token, those already seen are no danger; each of the others is in an
    opponent's hand with the same chance.

    A card in hand counts ``hold`` for each of its points and one more. It counts half as much when it lies ``reach``
    values above its line, for a card just above leaves no room to be covered, and covers whoever jumps over it; and the
    part ``cover`` of it while it could cover an opponent. Cards that count less than an unseen one are thrown away once
    this promises more than any play. The opponents' points count ``rivalry``, shared out among them.

    Weakness: to it all opponents are alike. It cares neither who leads nor who plays next, learns nothing about a hand
    from what its owner does, and thinks no further than its own turn.
    """
    seat = state.seat
    hand, hidden = state.hand[seat], unseen(state, seat)
    rivalry = params[RIVALRY] / (state.players - 1)

    fresh = 0.0  # what an unseen card would count, on average
    for colour in range(COLOURS):
        low, high = second_highest(state, rules, colour), highest(state, rules, colour)
        cover = params[COVER] if may_cover(state, rules, seat, colour) else 0.0
        fresh += worth(rules, params, seat, hidden, colour, low, high, cover)
    fresh /= max(count_bits(hidden), 1)

    best, choice = WORST, -1
    least, poorest = BEST, hand & -hand
    discards, change = hand & 0, -fresh  # a draw brings one card fewer than it takes
    for colour in range(COLOURS):
        low, high = second_highest(state, rules, colour), highest(state, rules, colour)
        covers = may_cover(state, rules, seat, colour)
        cover = params[COVER] if covers else 0.0
        held = 0.0
        left = hand & between(colour, 0, VALUES + 1)
        while left:
            card = left & -left
            left ^= card
            counts = worth(rules, params, seat, card & ~rules.barred[seat], colour, low, high, cover)
            held += counts
            if counts < fresh:
                discards |= card
                change += fresh - counts
            if counts < least:
                least, poorest = counts, card

        alive = hand & between(colour, low, VALUES + 1) & ~rules.barred[seat]
        if alive == 0 or not has_token(state, rules, seat):
            continue
        chance = chance_held(state, rules, seat, colour, hidden)
        under, standing, danger = 0, 0.0, 0.0
        if state.length[colour]:
            place = state.length[colour] - 1
            under = np.int64(state.height[colour, place])
            standing = rules.points[np.int64(state.owner[colour, place]), high - 1] + under - 1.0
            if state.owner[colour, place] == seat:
                danger = expected_loss(hidden, chance, colour, low, high, standing, rivalry)
        left = alive
        while left:
            card = lowest_bit(left)
            left &= left - 1
            value = card % VALUES + 1
            stake = np.float64(rules.points[seat, value - 1])
            if value > high:
                # An own token that is passed by is safe for good.
                kind, floor, gain = ADVANCE, high, stake + danger
            elif covers:
                stake += under
                kind, floor, gain = FALL_BACK, low, stake + rivalry * standing
            else:
                continue
            gain -= expected_loss(hidden, chance, colour, floor, value, stake, rivalry)
            gain += worth(rules, params, seat, left, colour, floor, value, 0.0) - held
            if gain > best:
                best, choice = gain, card << KIND_BITS | kind

    if discards == 0:
        discards, change = poorest, -least
    if choice < 0 or change > best:
        return discards << KIND_BITS | DRAW
    return choice


@rule
def worth(rules, params, seat, cards, colour, low, high, cover):
    """What some cards of a colour count in the hand, on a line with these two highest values."""
    total = 0.0
    left = cards & between(colour, low, VALUES + 1)
    while left:
        value = lowest_bit(left) % VALUES + 1
        left &= left - 1
        points = rules.points[seat, value - 1] + 1.0
        total += points * (params[REACH] / (params[REACH] + value - high) if value > high else cover)
    return params[HOLD] * total


@rule
def chance_held(state, rules, seat, colour, hidden):
    """Chance that an unseen card is held by an opponent who may cover with it."""
    held = 0
    for other in range(state.players):
        if other != seat and rules.may_fall_back[other, colour]:
            held += count_bits(state.hand[other])
    return held / max(count_bits(hidden), 1)


@rule
def expected_loss(hidden, chance, colour, low, high, stake, rivalry):
    """What a token stands to lose to an unseen card between two values: its points here, and there one more."""
    safe = 1.0
    for _ in range(count_bits(hidden & between(colour, low, high))):
        safe *= 1.0 - chance
    return (1.0 - safe) * (stake + rivalry * (stake + 1.0))
