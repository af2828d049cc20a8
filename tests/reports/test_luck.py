"""Luck and skill: the parts of a spread that was made on purpose are found again."""

import numpy as np
import pytest

from reports import luck


def table(deals, seats, strategies, *, of_deal, of_strategy, of_seat, of_rest, seed=3):
    """Additive shares with known variances: normal effects on crossed deals, strategies and seats."""
    draw = np.random.default_rng(seed)
    members = draw.integers(0, strategies, (deals, seats))
    rotation = (np.arange(seats)[None, :] - np.arange(seats)[:, None]) % seats
    strategy = members[:, rotation]
    worth = np.linspace(-1, 1, strategies)
    worth *= of_strategy / worth.std()
    place = np.linspace(-1, 1, seats)
    place *= of_seat / place.std()
    share = 0.25 + of_deal * draw.standard_normal((deals, 1, seats)) + worth[strategy] + place
    return share + of_rest * draw.standard_normal(share.shape), strategy


def test_parts_of_a_known_spread():
    share, strategy = table(20_000, 4, 5, of_deal=0.3, of_strategy=0.2, of_seat=0.1, of_rest=0.5)
    whole = 0.3**2 + 0.2**2 + 0.1**2 + 0.5**2
    found = {row["part"]: row["est"] for row in luck.decompose(share, strategy)}
    assert found["deal"] == pytest.approx(0.3**2 / whole, abs=0.01)
    assert found["strategy"] == pytest.approx(0.2**2 / whole, abs=0.01)
    assert found["seat"] == pytest.approx(0.1**2 / whole, abs=0.005)
    assert sum(found.values()) == pytest.approx(1)


def test_no_deal_luck_is_not_invented():
    """The naive variance of deal means would show a quarter of the rest here."""
    share, strategy = table(5_000, 4, 5, of_deal=0.0, of_strategy=0.2, of_seat=0.0, of_rest=0.5)
    found = {row["part"]: row for row in luck.decompose(share, strategy)}
    assert found["deal"]["est"] < 0.01


def test_ranges_cover_the_truth():
    """95 % ranges of the deal's part, over 200 made-up runs: between 90 and 99 % hold it."""
    whole = 0.3**2 + 0.2**2 + 0.5**2
    held = 0
    for seed in range(200):
        share, strategy = table(600, 3, 4, of_deal=0.3, of_strategy=0.2, of_seat=0.0, of_rest=0.5, seed=seed)
        deal = next(row for row in luck.decompose(share, strategy) if row["part"] == "deal")
        held += deal["lo"] <= 0.3**2 / whole <= deal["hi"]
    assert 180 <= held <= 198


def test_too_few_deals_say_nothing():
    share, strategy = table(50, 3, 4, of_deal=0.3, of_strategy=0.2, of_seat=0.0, of_rest=0.5)
    assert luck.decompose(share, strategy) is None
