"""Greedy for mon."""

from sim.games.mon.cards import ADVANCE, DRAW, FALL_BACK, KIND_BITS, VALUES
from sim.games.mon.rules import advances, dead_cards, fall_backs
from sim.jit import lowest_bit
from strategies.registry import strategy


@strategy("mon", title="Greedy")
def greedy(state, rules, params):
    """Take the largest change of own minus best opponent's score.

    A tie goes to the lowest card, an advance before a fall back. With nothing to play it discards what can never be
    played any more, or its lowest card.

    Weakness: it hurries. A high card played early closes the line to its own lower cards, and it leaves tall stacks
    open to the next player.
    """
    seat = state.seat
    # The best opponent and the best one without each owner: falling back takes points from one opponent only.
    best = second = -1
    leader = -1
    for other in range(state.players):
        if other != seat:
            points = state.points[other]
            if points > best:
                best, second, leader = points, best, other
            elif points > second:
                second = points
    change_best, choice = -1000, -1
    left = advances(state, rules, seat)
    while left:
        card = lowest_bit(left)
        left &= left - 1
        change = rules.points[seat, card % VALUES]
        if change > change_best:
            change_best, choice = change, card << KIND_BITS | ADVANCE
    left = fall_backs(state, rules, seat)
    while left:
        card = lowest_bit(left)
        left &= left - 1
        colour = card // VALUES
        place = state.length[colour] - 1
        loser = state.owner[colour, place]
        under = state.height[colour, place]
        change = rules.points[seat, card % VALUES] + under
        if loser == leader:
            after = best - rules.points[loser, state.top[colour, place] - 1] - under + 1
            change += best - max(after, second)
        if change > change_best:
            change_best, choice = change, card << KIND_BITS | FALL_BACK
    if choice >= 0:
        return choice
    discards = dead_cards(state, rules, seat)
    if discards == 0:
        discards = state.hand[seat] & -state.hand[seat]
    return discards << KIND_BITS | DRAW
