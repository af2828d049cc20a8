"""Keyed random streams: the *n*-th number of a stream is a pure function of its key and *n*.

The generator is SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014): number
*n* of the stream with key *k* is ``mix(k + (n + 1) * GAMMA)``, exactly the *n*-th output of the published generator
seeded with *k*. Nothing is stored and nothing advances, so a draw can depend neither on what was drawn before nor on
who else draws: game *i* is the same game whatever the thread, the shard and the line-up around it.

Keys form a tree: run seed → deal → purpose and seat. A key is used either to make keys or to make numbers, never for
both.
"""

from __future__ import annotations

import numpy as np

from sim.jit import count_bits, lowest_bit, rule

GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
SHIFT_30, SHIFT_27, SHIFT_31, SHIFT_32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
ONE = np.uint64(1)
TO_UNIT = 1.0 / 4294967296.0

# What a game's numbers are for. Each seat has its own stream of each purpose (design: "the same luck for every
# variant").
DECK, CHANCE, POLICY, LINEUP, KEEP, SWAP = 0, 1, 2, 3, 4, 5
PURPOSE_SEATS = 16  # seats per purpose in the key tree, the table itself included


@rule
def word(key, counter):
    """Number ``counter`` (from 0) of the stream ``key``: 64 uniform bits, as uint64."""
    z = np.uint64(key) + (np.uint64(counter) + ONE) * GAMMA
    z = (z ^ (z >> SHIFT_30)) * MIX_1
    z = (z ^ (z >> SHIFT_27)) * MIX_2
    return z ^ (z >> SHIFT_31)


@rule
def below(key, counter, n):
    """Uniform integer 0 … n − 1 (int64), from number ``counter`` of the stream ``key``.

    The upper 32 bits are scaled, so each value's chance is off by at most 1 part in 2³² / n: below 10⁻⁷ for any deck.
    """
    return np.int64(((word(key, counter) >> SHIFT_32) * np.uint64(n)) >> SHIFT_32)


@rule
def unit(key, counter):
    """Uniform number in [0, 1) with 32 bits, from number ``counter`` of the stream ``key``."""
    return np.float64(np.int64(word(key, counter) >> SHIFT_32)) * TO_UNIT


@rule
def random_bit(mask, key, counter):
    """Uniformly random member (int64) of a set that is not empty, from number ``counter`` of the stream ``key``."""
    left = np.int64(mask)
    for _ in range(below(key, counter, count_bits(left))):
        left &= left - 1
    return lowest_bit(left)


@rule
def game_key(seed, deal):
    """Key of one game's whole tree of streams: uint64, from the run's seed and the deal's number."""
    return word(word(np.uint64(seed), np.uint64(0)), np.uint64(deal))


@rule
def stream(key, purpose, seat):
    """Key (uint64) of the stream for one purpose and one seat of a game."""
    return word(key, purpose * PURPOSE_SEATS + seat)


@rule
def shuffle(cards, count, key):
    """Shuffle ``cards[:count]`` in place, uniformly (Durstenfeld); uses numbers 0 … count − 2 of the stream ``key``."""
    for last in range(count - 1, 0, -1):
        other = below(key, count - 1 - last, last + 1)
        cards[last], cards[other] = cards[other], cards[last]
