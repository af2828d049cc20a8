"""Counter for Emblems."""

import numpy as np

from sim.games.emblems.cards import VALUES
from sim.games.emblems.rules import placed_cards
from sim.jit import count_bits, lowest_bit, rule
from strategies.emblems.denier import richest_other
from strategies.emblems.greedy import NIBBLE, NIBBLE_MASK, ONES, Outlook, best_action, rate_of, units
from strategies.registry import strategy

CROWD, THRIFT, SPITE, ENVY = range(4)  # places of the parameters


@strategy(
    "emblems",
    title="Counter",
    params={"crowd": 0.9, "thrift": 0.3, "spite": 0.5, "envy": 0.2},
    blind={"spite": 0.0, "envy": 0.0},
)
def counter(state, rules, params):
    """Remember what everybody has played, and save the cards that those still out can hardly beat.

    It judges a placement by the whole row. Only cards that the others have not played yet can get in front of its own.
    Until the last turn a card has its price: the more of these cards it beats, the more it has to bring now. ``thrift``
    is this price in coins, for each fifteenth of them. A coin that the richest opponent loses counts ``spite`` own
    coins, one that any other opponent loses ``envy``. ``crowd`` is as for greedy.

    Weakness: it knows which cards are left, but not what the others want: to it every card left is as likely as any
    other, at every Location. It never plans two cards of its own together.
    """
    seat = np.int64(state.seat)
    unseen = unseen_cards(state, seat)
    count = max(count_bits(unseen), 1)
    rate = rate_of(state, rules, params[CROWD], count)
    is_last_turn = state.turn + 1 == rules.rounds * rules.turns
    price = np.int64(0) if is_last_turn else units(params[THRIFT]) * VALUES // count
    against, others = -units(params[SPITE]), -units(params[ENVY])
    outlook = Outlook(seat, richest_other(state, rules), against, others, True, unseen, rate, price)
    return best_action(state, rules, outlook)


@rule
def unseen_cards(state, seat):
    """Cards that the other seats have not placed yet: a word of nibbles, with one bit for each opponent. int64."""
    unseen = np.int64(0)
    own_bit = np.int64(ONES)
    for other in range(state.players):
        if other != seat:
            left = own_bit
            placed = placed_cards(state, other)
            while placed:
                left &= ~(np.int64(NIBBLE_MASK) << NIBBLE * lowest_bit(placed))
                placed &= placed - 1
            unseen |= left
            own_bit <<= 1
    return unseen
