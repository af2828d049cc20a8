"""Greedy for mon."""

import numpy as np

from sim.games.mon.cards import ADVANCE, DRAW, FALL_BACK, KIND_BITS, VALUES
from sim.games.mon.rules import advances, fall_backs
from sim.jit import lowest_bit
from strategies.registry import strategy

NOBODY = -10_000  # fewer points than any score


@strategy("mon", title="Greedy")
def greedy(state, rules, params):
    """Take the largest change of own minus best opponent's score.

    A tie goes to the lowest value, so that the high cards last. With nothing to gain it changes its whole hand.

    Weakness: it lives for the moment. It jumps ahead with high cards, which closes the line to its own lower ones and
    leaves room for the next player to cover it.
    """
    seat = state.seat
    best_rank, choice = 0, -1  # a rank puts the change first and the lower value second
    left = advances(state, rules, seat)
    while left:
        card = lowest_bit(left)
        left &= left - 1
        rank = np.int64(rules.points[seat, card % VALUES]) * 2 * VALUES - card % VALUES
        if rank > best_rank:
            best_rank, choice = rank, card << KIND_BITS | ADVANCE
    left = fall_backs(state, rules, seat)
    if left:
        best = second = NOBODY
        leader = -1
        for other in range(state.players):
            if other != seat:
                points = np.int64(state.points[other])
                if points > best:
                    best, second, leader = points, best, other
                elif points > second:
                    second = points
        while left:
            card = lowest_bit(left)
            left &= left - 1
            colour = card // VALUES
            place = state.length[colour] - 1
            loser, under = state.owner[colour, place], np.int64(state.height[colour, place])
            change = rules.points[seat, card % VALUES] + under
            if loser == leader:
                # What the leader loses counts only as far as the second.
                loss = rules.points[loser, state.top[colour, place] - 1] + under - 1
                change += min(loss, best - second)
            rank = change * 2 * VALUES - card % VALUES
            if rank > best_rank:
                best_rank, choice = rank, card << KIND_BITS | FALL_BACK
    if choice >= 0:
        return choice
    return state.hand[seat] << KIND_BITS | DRAW
