"""Drift and ladder: what was put into made-up games is found again."""

import math

import numpy as np
import pytest

from reports import meta


def play(chance, players, strategies, deals, seed=1, edges=None):
    """Tabulate made-up games in which a seat wins by who sits where, half the luck being that of the deal.

    `chance` maps strategies by seat, int64[GAMES, PLAYERS], to win chances by seat.
    """
    draw = np.random.default_rng(seed)
    members = draw.integers(0, strategies, (deals, players))
    luck = draw.random(deals)
    seated, share = [], []
    for rotation in range(players):
        seats = np.roll(members, rotation, axis=1)
        level = np.roll(np.cumsum(chance(members), axis=1), 0, axis=1)
        mine = np.where(draw.random(deals) < 0.5, luck, draw.random(deals))
        winner = (mine[:, None] > level[:, :-1]).sum(axis=1)
        if edges is not None:
            level = np.cumsum(chance(seats, edges), axis=1)
            winner = (mine[:, None] > level[:, :-1]).sum(axis=1)
            won = np.eye(players)[winner]
        else:
            won = np.roll(np.eye(players)[winner], rotation, axis=1)
        seated.append(seats)
        share.append(won)
    deal = np.tile(np.arange(deals), players)
    return meta.tabulate(np.concatenate(seated), np.concatenate(share), deal, strategies)


def duel_of(beats):
    """Two-player chances from a matrix of row against column."""
    beats = np.asarray(beats)

    def chance(members):
        first = beats[members[:, 0], members[:, 1]]
        return np.stack([first, 1 - first], axis=1)

    return chance


def ladder_of(strengths):
    def chance(members, edges=0.0):
        raised = np.exp(np.asarray(strengths)[members] + edges)
        return raised / raised.sum(axis=1, keepdims=True)

    return chance


RARE_HAWK, RARE_DOVE = 0.50, 0.45


def hawk_dove(members):
    """Three players, 0 hawks and 1 doves: whoever is alone of its kind wins most."""
    doves = members.sum(axis=1)[:, None]
    hawk = np.select([doves == 1, doves == 2], [(1 - RARE_DOVE) / 2, RARE_HAWK], 1 / 3)
    dove = np.select([doves == 1, doves == 2], [RARE_DOVE, (1 - RARE_HAWK) / 2], 1 / 3)
    return np.where(members == 0, hawk, dove)


def hawks_at_rest():
    """Part of hawks at which both kinds win alike, by halving."""
    low, high = 0.0, 1.0
    for _ in range(60):
        x = (low + high) / 2
        hawk = x * x / 3 + x * (1 - x) * (1 - RARE_DOVE) + (1 - x) ** 2 * RARE_HAWK
        low, high = (x, high) if hawk > 1 / 3 else (low, x)
    return low


def agreeing(found, kind):
    return sum(each == kind for each in found.kinds[1:]) / meta.RESAMPLINGS


# --- the table ---------------------------------------------------------------------------------------------------


def test_tables_count_every_game_and_every_win_once():
    seated = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0], [2, 2, 2]])
    share = np.array([[1.0, 0, 0], [0.5, 0.5, 0], [0, 1.0, 0], [0, 0, 1.0]])
    found = meta.tabulate(seated, share, np.array([7, 7, 7, 8]), 3)
    at = {tuple(row): i for i, row in enumerate(found.members.tolist())}
    mixed, alike = at[1, 2, 0], at[0, 0, 3]
    assert found.games.sum(axis=0)[[mixed, alike]].tolist() == [3, 1] and found.games.sum() == 4
    assert found.won.sum(axis=0)[mixed].tolist() == [1.5, 1.5, 0] and found.won.sum() == 4
    assert found.games[7, mixed] == 3 and found.seat_won.tolist() == [1.5, 1.5, 1.0]
    assert len(found.members) == 10 and found.deals[mixed] == 1 and math.isinf(found.deals[alike])


def test_a_seats_share_is_that_of_its_strategy_among_its_opponents():
    tables = play(hawk_dove, 3, 2, 40_000)
    shares, others = meta.payoffs(tables, np.ones((1, meta.GROUPS)))
    found = {(one, tuple(o)): shares[0, one, k] for one in (0, 1) for k, o in enumerate(others.tolist())}
    assert found[0, (0, 2)] == pytest.approx(RARE_HAWK, abs=0.01)
    assert found[1, (2, 0)] == pytest.approx(RARE_DOVE, abs=0.01)
    assert found[0, (1, 1)] == pytest.approx((1 - RARE_DOVE) / 2, abs=0.01)
    assert found[0, (2, 0)] == found[1, (0, 2)] == 1 / 3


# --- drift -------------------------------------------------------------------------------------------------------


def test_the_better_one_takes_over():
    tables = play(ladder_of([0.4, 0.0, -0.5]), 4, 3, 4_000)
    found = meta.drift(tables)
    assert found.kinds[0] == "takes_over" and found.ends[0].argmax() == 0
    assert agreeing(found, "takes_over") == 1.0


def test_two_players_follow_the_closed_form():
    """With two strategies the logarithm of the odds grows by 2 (p - 1/2) a generation."""
    found = meta.replicate(np.array([[[0.5, 0.6], [0.4, 0.5]]]), np.array([[1, 0], [0, 1]]))
    odds = np.log(found.parts[:, 0, 0] / found.parts[:, 0, 1])
    early = found.time[:, 0] < 60
    assert odds[early] == pytest.approx(0.2 * found.time[early, 0], abs=0.02)
    assert found.kinds == ["takes_over"]


def test_rock_paper_scissors_keeps_circling():
    tables = play(duel_of([[0.5, 0.8, 0.35], [0.2, 0.5, 0.75], [0.65, 0.25, 0.5]]), 2, 3, 6_000)
    found = meta.drift(tables)
    assert found.kinds[0] == "circles" and agreeing(found, "circles") > 0.95


def test_a_circle_keeps_its_width():
    """Between two players the orbits are closed: the product of the parts, by their share at rest, stays."""
    beats = np.array([[0.5, 0.8, 0.35], [0.2, 0.5, 0.75], [0.65, 0.25, 0.5]])
    found = meta.replicate(beats[None], np.eye(3, dtype=int))
    rest = np.array([beats[1, 2] - 0.5, beats[2, 0] - 0.5, beats[0, 1] - 0.5])
    kept = np.log(found.parts[:, 0]) @ (rest / rest.sum())
    assert kept.max() - kept.min() < 0.05
    assert found.ends[0] == pytest.approx(rest / rest.sum(), abs=0.05)


def test_rock_paper_scissors_that_spirals_out_does_not_take_over():
    """Three players; two of the stronger kind shut a weaker one out, so that the cycles widen to the corners."""

    def chance(members):
        wins = np.full(members.shape, 1 / 3)
        for kind in range(3):
            strong, weak = members == kind, members == (kind + 1) % 3
            two, one = strong.sum(axis=1) == 2, strong.sum(axis=1) == 1
            pair = (strong | weak).all(axis=1)
            wins[(two & pair)[:, None] & strong], wins[(two & pair)[:, None] & weak] = 0.49, 0.02
            wins[(one & pair)[:, None] & strong], wins[(one & pair)[:, None] & weak] = 0.40, 0.30
        return wins

    found = meta.drift(play(chance, 3, 3, 6_000))
    assert agreeing(found, "takes_over") == 0.0 and agreeing(found, "circles") > 0.5


def test_a_stable_mixture_is_found():
    found = meta.drift(play(hawk_dove, 3, 2, 6_000))
    low, high = np.quantile(found.ends[1:, 0], [0.025, 0.975])
    assert found.kinds[0] == "settles" and agreeing(found, "settles") == 1.0
    assert low <= hawks_at_rest() <= high and high - low < 0.1


def test_two_of_a_kind_are_not_told_apart():
    found = meta.drift(play(ladder_of([0.3, 0.3, -0.5]), 3, 3, 3_000))
    assert 0.05 < sum(found.ends[1:, 0] > 0.5) / meta.RESAMPLINGS < 0.95


def test_ranges_of_the_mixture_cover_the_truth():
    """200 made-up runs of 600 deals: 95 % ranges hold the truth in 180 to 198."""
    truth, held = hawks_at_rest(), 0
    for seed in range(200):
        found = meta.drift(play(hawk_dove, 3, 2, 600, seed=seed))
        low, high = np.quantile(found.ends[1:, 0], [0.025, 0.975])
        held += low <= truth <= high
    assert 180 <= held <= 198


# --- ladder ------------------------------------------------------------------------------------------------------


def test_strengths_and_seats_are_recovered_without_misfit():
    strengths, edges = np.array([0.6, 0.1, -0.7]), np.array([0.2, 0.0, -0.1, -0.1])
    found = meta.ladder(play(ladder_of(strengths), 4, 3, 30_000, edges=edges))
    assert found.strength == pytest.approx(strengths, abs=0.03)
    assert found.seat == pytest.approx(edges, abs=0.03)
    assert found.misfit < 0.006 and not found.sure


def test_shared_wins_count_as_fractions():
    seated = np.tile([[0, 1], [1, 0]], (500, 1))
    found = meta.ladder(meta.tabulate(seated, np.tile([[0.75, 0.25], [0.25, 0.75]], (500, 1)), np.arange(1000) // 2, 2))
    assert found.strength[0] - found.strength[1] == pytest.approx(math.log(3), abs=0.01)


def test_a_strategy_that_never_wins_has_a_strength():
    seated = np.tile([[0, 1], [1, 0]], (500, 1))
    found = meta.ladder(meta.tabulate(seated, np.tile([[1.0, 0.0], [0.0, 1.0]], (500, 1)), np.arange(1000) // 2, 2))
    assert 5 < found.strength[0] - found.strength[1] < 15


def test_the_misfit_of_a_ring_is_found():
    """In a symmetric ring of 70 % no ladder tells anything: it says 50 % of everybody, 20 points off."""
    beats = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])
    found = meta.ladder(play(duel_of(beats), 2, 3, 5_000))
    assert found.misfit == pytest.approx(0.2, abs=0.02) and found.sure


def test_a_misfit_is_rarely_found_where_there_is_none():
    """Of 100 made-up runs that follow a ladder at most three show a sure misfit, and half show less than none."""
    found = [meta.ladder(play(ladder_of([0.5, 0.0, -0.4]), 3, 3, 500, seed=seed)) for seed in range(100)]
    assert sum(each.sure for each in found) <= 3
    assert 25 <= sum(each.misfit == 0.0 for each in found) <= 75
