"""Random for busho."""

from sim import rng
from sim.games.busho.cards import DISCARD, GENERAL_WORDS, GRAB, GRABBING, KIND_BITS, SHOW, TURN, WORD
from sim.games.busho.rules import grabbable, nth, showable
from sim.jit import count_bits, lowest_bit, rule
from strategies.registry import strategy


@strategy("busho", title="Random")
def random(state, rules, params):
    """Show and grab whatever is possible; discard at random.

    Of several names each is equally likely, and each card of the hand to be discarded; two copies count twice.

    Weakness: it throws cards away without a look at what they could spell, for itself or for others. It is the
    yardstick: whoever cannot beat it does not understand the game.
    """
    seat = state.seat
    dice = rng.word(state.policy[seat], state.decision)
    if state.phase == GRABBING:
        return some_general(state, rules, seat, True, dice) << KIND_BITS | GRAB
    if state.phase == TURN:
        general = some_general(state, rules, seat, False, dice)
        if general >= 0:
            return general << KIND_BITS | SHOW
    return nth(state.hand[seat], rng.below(dice, 0, state.hand_size[seat])) << KIND_BITS | DISCARD


@rule
def some_general(state, rules, seat, grabbing, dice):
    """One of the generals that can be grabbed or shown, each equally likely; −1 if there is none. int64."""
    total = 0
    for word in range(GENERAL_WORDS):
        total += count_bits(grabbable(state, rules, seat, word) if grabbing else showable(state, rules, seat, word))
    if total == 0:
        return -1
    number = rng.below(dice, 0, total)
    for word in range(GENERAL_WORDS):
        left = grabbable(state, rules, seat, word) if grabbing else showable(state, rules, seat, word)
        here = count_bits(left)
        if number < here:
            for _ in range(number):
                left &= left - 1
            return word * WORD + lowest_bit(left)
        number -= here
    return -1
