"""The random streams: the published generator, fair shuffles, keys that do not collide."""

import numpy as np
import pytest

from sim import rng

# First outputs of SplitMix64 seeded with 1234567, as published with the reference implementation.
PUBLISHED = (6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821)


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize(("counter", "expected"), list(enumerate(PUBLISHED)))
def test_known_answers(counter, expected):
    assert int(rng.word(np.uint64(1234567), np.uint64(counter))) == expected


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_keys_of_deals_purposes_and_seats_differ():
    keys = set()
    for seed in range(3):
        for deal in range(50):
            game = np.uint64(rng.game_key(np.uint64(seed), np.uint64(deal)))
            for purpose in (rng.DECK, rng.CHANCE, rng.POLICY, rng.LINEUP):
                keys |= {int(rng.stream(game, purpose, seat)) for seat in range(6)}
    assert len(keys) == 3 * 50 * 4 * 6


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_shuffle_puts_every_card_everywhere_equally_often():
    size, shuffles = 6, 6000
    places = np.zeros((size, size), int)
    for number in range(shuffles):
        cards = np.arange(size)
        rng.shuffle(cards, size, np.uint64(rng.word(np.uint64(99), np.uint64(number))))
        places[cards, np.arange(size)] += 1
    expected = shuffles / size
    chi_square = ((places - expected) ** 2 / expected).sum()
    assert chi_square < 52.6  # 99.9 % point of chi-square with 25 degrees of freedom


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_below_covers_its_range_evenly():
    drawn = np.bincount([int(rng.below(np.uint64(7), np.uint64(n), 5)) for n in range(5000)], minlength=5)
    assert len(drawn) == 5
    assert ((drawn - 1000) ** 2 / 1000).sum() < 18.5  # 99.9 % point with 4 degrees of freedom


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_unit_lies_between_zero_and_one():
    numbers = [float(rng.unit(np.uint64(7), np.uint64(n))) for n in range(2000)]
    assert min(numbers) >= 0 and max(numbers) < 1
    assert abs(np.mean(numbers) - 0.5) < 0.02
