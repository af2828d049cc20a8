"""Compiled loops for measuring Sangoku's ranking of hands and its arrangers."""

from __future__ import annotations

import numpy as np

from sim.games.sangoku.arrange import arrange, arrange_exactly, chance
from sim.games.sangoku.hands import BRIDGE, SINGLE, WILD, strength3, strength5
from sim.jit import rule

DECK = np.array([*range(BRIDGE)] + [BRIDGE] * 5 + [WILD] * 4, np.int8)
BRIDGE_SUITED, WHEEL = 0, 1


@rule
def rank(hands, times):
    """Rank many hands of five cards so many times. Returns something that depends on every strength."""
    total = np.int64(0)
    for _ in range(times):
        for hand in hands:
            total ^= strength5(hand, BRIDGE_SUITED, WHEEL)
    return total


@rule
def arrange_all(dealt, chances, worth, prizes, exactly):
    """Arrange many hands of 13 cards. Returns the sum of the values (float64) of the arrangements."""
    total = 0.0
    for cards, wanted in zip(dealt, prizes):  # noqa: B905  compiled code knows no strict
        if exactly:
            action = arrange_exactly(cards, chances, worth, wanted, BRIDGE_SUITED, WHEEL)
        else:
            action = arrange(cards, chances, worth, wanted, BRIDGE_SUITED, WHEEL)
        strengths = strengths_of(cards, action)
        for realm in range(3):
            prize = 0.0
            for card in range(len(cards)):
                if action >> 2 * card & 3 == realm:
                    prize = max(prize, wanted[card])
            total += chance(chances[realm], strengths[realm]) * (worth[realm] + prize)
    return total


@rule
def strengths_of(cards, action):
    """Strengths of the three hands of an arrangement."""
    heavens = earth = hells = np.int64(0)
    for card in range(len(cards)):
        realm, single = action >> 2 * card & 3, SINGLE[cards[card]]
        if realm == 0:
            heavens += single
        elif realm == 1:
            earth += single
        else:
            hells += single
    return strength5(heavens, BRIDGE_SUITED, WHEEL), strength5(earth, BRIDGE_SUITED, WHEEL), strength3(hells)
