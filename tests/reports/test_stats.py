import math

import numpy as np
import pytest

from reports import stats, tables

REPLICATIONS = 2_000


# --- distributions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "df", "quantile"),  # from scipy.stats.t.ppf
    [
        (0.975, 1, 12.706204736174694),
        (0.975, 2, 4.302652729749462),
        (0.975, 9, 2.262157162798205),
        (0.975, 255, 1.9693105698498752),
        (0.9999, 3, 22.203742273205),
        (0.6, 4.5, 0.2687518355421751),
        (0.975, 0.7, 36.611415031588656),
        (0.025, 9, -2.262157162798205),
    ],
)
def test_t_quantile_agrees_with_the_tables(p, df, quantile):
    assert stats.t_quantile(p, df) == pytest.approx(quantile, rel=1e-9)


def test_t_quantile_inverts_the_distribution():
    for df in (0.5, 1.5, 3, 12.25, 300, 9_999):
        for p in (0.5, 0.61, 0.9, 0.975, 0.99999):
            assert stats.t_cdf(stats.t_quantile(p, df), df) == pytest.approx(p, abs=1e-11)


def test_t_quantile_becomes_normal():
    assert stats.t_quantile(0.975, 1e6) == stats.normal_quantile(0.975)


@pytest.mark.parametrize(("p", "df"), [(0.0, 5), (1.0, 5), (0.5, 0)])
def test_t_quantile_refuses_nonsense(p, df):
    with pytest.raises(ValueError, match="not"):
        stats.t_quantile(p, df)


@pytest.mark.parametrize("df", [9, 63, 255])
def test_equally_far_out(df):
    for z in (1.0, 2.0, 3.5, 5.0):
        exact = stats.t_quantile(0.5 + 0.5 * math.erf(z / math.sqrt(2.0)), df)
        assert exact * 0.998 < stats.as_far_out(z, np.array([df]))[0] < exact * 1.05  # errs on the safe side
    assert np.isfinite(stats.as_far_out(100.0, np.array([1.0, df]))).all()


@pytest.mark.parametrize(
    ("x", "df", "tail"),  # from scipy.stats.chi2.sf
    [
        (3.841458820694124, 1, 0.05),
        (100, 63, 0.002077236552784822),
        (82.5287, 63, 0.050000203921349885),
        (0.0, 3, 1.0),
        (1.0, 8, 0.9982483774437252),
    ],
)
def test_chi2_tail_agrees_with_the_tables(x, df, tail):
    assert stats.chi2_tail(x, df) == pytest.approx(tail, rel=1e-9)


def test_f_tail_agrees_with_the_tables():
    assert stats.f_tail(3, 2, 10) == pytest.approx(0.09536743164062497, rel=1e-9)
    assert stats.f_tail(0.0, 2, 10) == 1.0


# --- estimates ---------------------------------------------------------------------------------------------------


def test_ratio_is_the_ratio_of_sums():
    estimate = stats.ratio([[1, 4], [3, 0]], [2, 8])
    assert estimate.value.tolist() == [0.4, 0.4]
    assert estimate.cells == (2,)


def test_ratio_takes_a_denominator_for_each_row():
    estimate = stats.ratio([[1, 4], [3, 0]], [[2, 4], [2, 4]])
    assert estimate.value.tolist() == [1.0, 0.5]


def test_standard_error_of_equal_chunks_is_the_textbooks(rng):
    x = rng.normal(5, 1, 12)
    estimate = stats.ratio(x, np.ones(12))
    assert estimate.se[0] == pytest.approx(x.std(ddof=1) / math.sqrt(12))
    assert estimate.df[0] == pytest.approx(11)


def test_chunks_that_all_agree_have_zero_width():
    games = np.array([12, 12, 12, 4] * 5)
    tied = stats.ratio(games[:, None] * np.ones(3) / 3, games)
    assert tied.se.tolist() == [0.0] * 3
    low, high = stats.limits(tied, stats.joint(tied), "share", deals=20)
    assert low.tolist() == high.tolist() == tied.value.tolist()


def test_one_chunk_has_no_spread():
    assert math.isnan(stats.ratio([3], [10]).se[0])


def test_nothing_counted_gives_nothing():
    estimate = stats.ratio(np.zeros((5, 1)), np.zeros(5))
    assert math.isnan(estimate.value[0])
    assert math.isnan(stats.ratio(np.zeros((0, 1)), np.zeros(0)).value[0])


def test_total_adds_variances_of_independent_cells(rng):
    a, b = (stats.ratio(rng.normal(5, 1, 30), np.ones(30)) for _ in range(2))
    whole = stats.total([a, b], [2.0, 1.0])
    assert whole.value[0] == pytest.approx(2 * a.value[0] + b.value[0])
    assert whole.variance[0] == pytest.approx(4 * a.variance[0] + b.variance[0])
    assert 29 < whole.df[0] < 58
    assert stats.total([a, b]).value[0] == pytest.approx(a.value[0] + b.value[0])


def test_pooled_weighs_rows_and_skips_what_was_not_counted(rng):
    a = stats.ratio(rng.normal(5, 1, (30, 2)), np.ones(30))
    b = stats.Estimates(np.array([9.0, np.nan]), np.array([[0.5, np.nan]] * 30), (30,))
    whole = stats.pooled([a, b], [np.array([1.0, 1.0]), np.array([3.0, 3.0])])
    assert whole.value[0] == pytest.approx((a.value[0] + 27) / 4)
    assert whole.value[1] == pytest.approx(a.value[1])
    assert np.isfinite(whole.se).all()


def test_beside_keeps_cells_independent(rng):
    a, b = stats.ratio(rng.normal(0, 1, (20, 2)), np.ones(20)), stats.ratio(rng.normal(0, 1, 30), np.ones(30))
    both = stats.beside([a, b])
    covariance = both.influence.T @ both.influence
    assert covariance[0, 2] == covariance[1, 2] == 0.0
    assert both.se == pytest.approx([*a.se, *b.se])
    assert both.df == pytest.approx([19, 19, 29])


def test_mix_and_shift(rng):
    a = stats.ratio(rng.normal(0, 1, (20, 3)), np.ones(20))
    assert a.mix([1, -1, 0]).value[0] == pytest.approx(a.value[0] - a.value[1])
    assert a.shifted(2.0).value == pytest.approx(a.value + 2)
    assert a.shifted(2.0).se == pytest.approx(a.se)
    assert a.rows([2, 0]).value.tolist() == [a.value[2], a.value[0]]


def test_pairing_needs_the_same_chunks():
    a, b = stats.ratio(np.ones(4), np.ones(4)), stats.ratio(np.ones(5), np.ones(5))
    with pytest.raises(ValueError, match="same chunks"):
        stats.difference(a, b, paired=True)


def test_a_run_against_itself_differs_by_exactly_zero(rng):
    a = stats.ratio(rng.normal(5, 1, (30, 2)), np.ones(30))
    same = stats.difference(a, a, paired=True)
    assert not same.value.any()
    assert not same.influence.any()


# --- coverage on synthetic truth ---------------------------------------------------------------------------------


def blocks(rng, chunks, players=4, luck=0.6, edge=(0.0, 0.0, 0.0, 0.0)):
    """Win shares per chunk of two deals in all seatings, with luck of the deal that favours one seat."""
    fortune = luck * rng.standard_normal((chunks, 2, 1, players))
    noise = rng.gumbel(size=(chunks, 2, players, players))
    won = (fortune + noise + np.asarray(edge)).argmax(axis=-1)
    return (won[..., None] == np.arange(players)).sum(axis=(1, 2)), np.full(chunks, 2 * players)


def covers(low, truth, high):
    return (low <= truth) & (truth <= high)


def test_ranges_of_win_shares_cover(rng):
    hits = np.zeros(4)
    for _ in range(REPLICATIONS):
        estimate = stats.ratio(*blocks(rng, 64))
        hits += covers(*_with_truth(estimate, stats.single(estimate), 0.25))
    covered = hits / REPLICATIONS
    assert covered.min() >= 0.935
    assert covered.max() <= 0.965


def _with_truth(estimate, reach, truth, kind="share"):
    low, high = stats.limits(estimate, reach, kind, deals=10_000)
    return low, truth, high


def test_ranges_of_ratios_with_random_denominators_cover(rng):
    hits = 0
    for _ in range(REPLICATIONS):
        cases = 1 + rng.poisson(20, 80)
        estimate = stats.ratio(rng.binomial(cases, 0.3), cases)
        hits += covers(*_with_truth(estimate, stats.single(estimate), 0.3))[0]
    assert 0.935 <= hits / REPLICATIONS <= 0.965


def test_wilson_ranges_of_rare_events_cover(rng):
    hits = 0
    for _ in range(REPLICATIONS):
        estimate = stats.ratio(rng.binomial(40, 0.01, 64), np.full(64, 40))
        hits += covers(*_with_truth(estimate, stats.single(estimate), 0.01, "rate"))[0]
    assert 0.935 <= hits / REPLICATIONS <= 0.97


def test_ranges_of_paired_differences_cover_and_are_narrow(rng):
    hits, paired_width, unpaired_width = 0, 0.0, 0.0
    for _ in range(REPLICATIONS):
        common = rng.normal(0, 1, 100)
        now = stats.ratio(common + rng.normal(0.2, 0.3, 100), np.ones(100))
        before = stats.ratio(common + rng.normal(0.0, 0.3, 100), np.ones(100))
        delta = stats.difference(now, before, paired=True)
        low, truth, high = _with_truth(delta, stats.single(delta), 0.2, "difference")
        hits += covers(low, truth, high)[0]
        paired_width += high[0] - low[0]
        wide = stats.difference(now, before, paired=False)
        unpaired_width += 2 * wide.se[0] * stats.single(wide).t[0]
    assert 0.935 <= hits / REPLICATIONS <= 0.965
    assert unpaired_width > 3 * paired_width


def test_joint_ranges_hold_together(rng):
    """Seats of a game depend on each other: their shares sum to one."""
    hits = 0
    for _ in range(REPLICATIONS):
        estimate = stats.ratio(*blocks(rng, 100, luck=1.0))
        hits += covers(*_with_truth(estimate, stats.joint(estimate), 0.25)).all()
    assert 0.94 <= hits / REPLICATIONS <= 0.965


def test_joint_range_lies_between_single_and_sidak(rng):
    common = rng.normal(0, 1, (200, 1))
    alike = stats.ratio(common + rng.normal(0, 0.2, (200, 20)), np.ones(200))
    apart = stats.ratio(rng.normal(0, 1, (200, 20)), np.ones(200))
    single, bound = stats.single(alike).t[0], stats.single(alike, stats.sidak(20)).t[0]
    assert single < stats.joint(alike).t[0] < 0.85 * bound
    assert 0.97 * bound < stats.joint(apart).t[0] <= bound
    assert stats.joint(apart).t.tolist() == stats.joint(apart).t.tolist()


def test_joint_range_of_few_chunks_is_sidaks(rng):
    few = stats.ratio(rng.normal(0, 1, (5, 3)), np.ones(5))
    assert stats.joint(few).t.tolist() == stats.single(few, stats.sidak(3)).t.tolist()


def test_equal_seats_test_has_its_level(rng):
    tails = np.array([stats.equal_seats(stats.ratio(*blocks(rng, 64))).tail for _ in range(REPLICATIONS)])
    assert 0.04 <= (tails < 0.05).mean() <= 0.06


def test_equal_seats_test_finds_an_edge(rng):
    found = stats.equal_seats(stats.ratio(*blocks(rng, 2_000, edge=(0.15, 0, 0, 0))))
    assert found.tail < 1e-4
    assert found.df == 3


def test_equal_seats_test_of_ties_says_nothing():
    assert stats.equal_seats(stats.ratio(np.full((30, 3), 4), np.full(30, 12))).tail == 1.0


def test_halves_have_the_level_of_their_ranges(rng):
    estimate = stats.ratio(*blocks(rng, 128))
    chosen = np.argsort(rng.random((4_000, 128)), axis=1) < 64
    t = np.abs(stats.halves(estimate, chosen)[:, 0])
    assert (t > stats.t_quantile(0.975, 126)).mean() == pytest.approx(0.05, abs=0.012)


def test_halves_that_differ_are_found(rng):
    share, games = blocks(rng, 128)
    share = np.array(share, dtype=float)
    share[::2, 0] += 0.5 * games[::2]
    turns = np.arange(128)[None, :] % 2 == 0
    assert stats.halves(stats.ratio(share, games), turns)[0, 0] > 8
    assert np.isnan(stats.halves(stats.ratio(games, games), turns)).all()


def test_homogeneity_has_its_level(rng):
    tails = np.array([stats.homogeneity(stats.ratio(*blocks(rng, 128))).tail for _ in range(REPLICATIONS)])
    assert 0.03 <= (tails < 0.05).mean() <= 0.07


def test_homogeneity_finds_a_broken_part(rng):
    share, games = blocks(rng, 256)
    share[64:80] = [8, 0, 0, 0]
    assert stats.homogeneity(stats.ratio(share, games)).tail < 1e-6
    assert stats.homogeneity(stats.ratio(share[:20], games[:20])).df == 0


# --- shrinkage ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("common", [0.0, 3.0])
def test_shrunk_values_are_nearer_to_the_truth_and_their_largest_is_not_mostly_luck(rng, common):
    """Also where much of the luck is common to all rows: that is no reason to pull harder."""
    raw, pulled, luck = [], [], []
    for _ in range(100):
        truth = rng.normal(0, 0.1, 54)
        noise = rng.normal(0, 0.6, (100, 54)) + common * rng.normal(0, 0.6, (100, 1))
        estimates = stats.ratio(truth + noise, np.ones(100))
        found = stats.shrunk(estimates)
        off = estimates.value.mean() - truth.mean()
        raw.append((estimates.value - truth - off).std())
        pulled.append((found - truth - off).std())
        largest = found.argmax()
        luck.append(found[largest] - truth[largest] - off)
    assert np.mean(pulled) < 0.9 * np.mean(raw)
    assert abs(np.mean(luck)) < 0.02


def test_what_cannot_be_shrunk_stays(rng):
    one = stats.ratio(rng.normal(1, 1, 30), np.ones(30))
    assert stats.shrunk(one).tolist() == one.value.tolist()
    gone = stats.ratio(np.column_stack([rng.normal(size=(30, 3)), np.zeros(30)]), np.array([[1.0, 1, 1, 0]] * 30))
    assert np.isnan(stats.shrunk(gone)).tolist() == [False, False, False, True]
    exact = stats.ratio(np.tile([1.0, 2.0, 3.0], (30, 1)), np.ones(30))
    assert stats.shrunk(exact).tolist() == pytest.approx([1.0, 2.0, 3.0])
    alike = stats.ratio(rng.normal(0, 1, (500, 40)), np.ones(500))
    assert np.abs(stats.shrunk(alike)).max() < 0.5 * np.abs(alike.value).max()


# --- ranges ------------------------------------------------------------------------------------------------------


def test_wilson_agrees_with_the_books():
    low, high = stats.wilson(0.1, 100, 1.959963984540054)
    assert (low, high) == pytest.approx((0.0552291370606751, 0.17436566150491345), rel=1e-12)  # scipy
    assert stats.wilson(0.0, 1_000, 1.959963984540054) == pytest.approx((0.0, 0.003826757), abs=1e-8)
    assert stats.wilson(0.5, 0, 1.96) == (0.0, 1.0)


def test_few_chunks_fall_back_to_a_safe_range_over_deals():
    estimate = stats.ratio([4, 4, 4], [4, 4, 4])
    low, high = stats.limits(estimate, stats.single(estimate), "share", deals=3)
    assert low[0] == pytest.approx(0.4385, abs=1e-3)
    assert high[0] == 1.0


def test_two_chunks_that_agree_are_not_certainty():
    estimate = stats.ratio([5, 5], [1, 1])
    low, high = stats.limits(estimate, stats.single(estimate), "mean", deals=2)
    assert math.isnan(low[0])
    assert math.isnan(high[0])


def test_all_or_nothing_in_many_chunks_keeps_a_width():
    never = stats.ratio(np.zeros(50), np.full(50, 10))
    for kind in ("share", "rate"):
        low, high = stats.limits(never, stats.single(never), kind, deals=500)
        assert low[0] == 0.0
        assert 0.0 < high[0] < 0.01


def test_shares_stay_between_0_and_1(rng):
    estimate = stats.ratio(rng.binomial(1, 0.02, 40), np.ones(40))
    low, high = stats.limits(estimate, stats.single(estimate), "share", deals=40)
    assert 0.0 <= low[0] <= high[0] <= 1.0
    assert math.isnan(stats.limits(stats.ratio(np.zeros(3), np.zeros(3)), stats.single(estimate), "share", 3)[0][0])


# --- verdicts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.24, 0.26, "inside"),
        (0.23, 0.27, "inside"),  # edges belong to the band
        (0.2299, 0.25, "close"),
        (0.26, 0.28, "close"),
        (0.2, 0.3, "close"),
        (0.27, 0.28, "close"),  # touching is not outside
        (0.2701, 0.28, "outside"),
        (0.21, 0.2299, "outside"),
        (0.25, 0.25, "inside"),
        (math.nan, math.nan, "close"),
    ],
)
def test_verdict(low, high, expected):
    assert stats.verdict(low, high, 0.23, 0.27) == expected


def test_verdict_of_an_open_band():
    assert stats.verdict(0.1, 0.2, -math.inf, 0.2) == "inside"
    assert stats.verdict(0.3, 0.4, -math.inf, 0.2) == "outside"


def test_what_is_said_and_what_is_stored_round_alike():
    row = {"est": 0.0549999996, "ends": [np.float64(0.1 + 0.2), math.nan], "games": 1_234_567, "sure": True}
    found = stats.rounded(row)
    assert f"{found['est']:.3f}" == f"{tables.plain(row)['est']:.3f}" == "0.055"
    assert found["ends"][0] == 0.3 and math.isnan(found["ends"][1])
    assert (found["games"], found["sure"]) == (1_234_567, True)


def test_games_needed():
    assert stats.games_needed(10_000, 0.246, 0.238, 0.254, 0.24, 0.28) == 7_800
    assert stats.games_needed(10_000, 0.24, 0.23, 0.25, 0.24, 0.28) == math.inf
    assert stats.games_needed(1_000_000, 0.24000001, 0.23, 0.25, 0.24, 0.28) == math.inf
    assert math.isnan(stats.games_needed(10_000, 0.24, math.nan, math.nan, 0.2, 0.28))
    assert stats.games_needed(10, 0.5, 0.1, 0.9, -math.inf, 0.4) == 150


@pytest.mark.parametrize(
    ("number", "rounded"), [(1, 1), (9.2, 10), (81_234, 82_000), (80_000, 80_000), (99_500, 100_000)]
)
def test_two_digits(number, rounded):
    assert stats.two_digits(number) == rounded


CHANGES = [
    # before, now, excess before, now, range of the change, expected
    ("inside", "inside", 0, 0, (0.001, 0.004), "same"),
    ("inside", "inside", 0, 0, (0.004, 0.012), "moved"),
    ("inside", "inside", 0, 0, (-0.002, 0.012), "unclear"),
    ("inside", "outside", 0, 0.01, (-0.02, -0.01), "worse"),
    ("outside", "inside", 0.01, 0, (-0.02, -0.01), "better"),
    ("outside", "outside", 0.02, 0.01, (-0.02, -0.006), "better"),
    ("outside", "outside", 0.01, 0.02, (0.006, 0.02), "worse"),
    ("outside", "outside", 0.01, 0.011, (0.0, 0.002), "same"),
    ("inside", "close", 0, 0, (0.001, 0.004), "unclear"),
    ("outside", "close", 0.02, 0.001, (-0.03, -0.01), "better"),
    ("inside", "close", 0, 0.001, (0.01, 0.03), "worse"),
    ("close", "close", 0, 0, (0.0, 0.0), "same"),
    ("inside", "close", 0, 0, (0.006, 0.02), "moved"),
    ("inside", "inside", 0, 0, (math.nan, math.nan), "unclear"),
]


@pytest.mark.parametrize(("before", "now", "was", "is_", "ends", "expected"), CHANGES)
def test_change(before, now, was, is_, ends, expected):
    found = stats.change(
        before=before, now=now, excess_before=was, excess_now=is_, low=ends[0], high=ends[1], same_within=0.005
    )
    assert found == expected


def test_excess():
    assert stats.excess(0.2, 0.23, 0.27) == pytest.approx(0.03)
    assert stats.excess(0.25, 0.23, 0.27) == 0.0
    assert stats.excess(0.3, -math.inf, 0.27) == pytest.approx(0.03)


@pytest.mark.parametrize(
    ("half", "digits"),
    [(3.2, 0), (1.0, 0), (0.99, 1), (0.3, 1), (0.1, 1), (0.07, 2), (0.004, 3), (0.0, 1), (math.nan, 1), (1e-9, 4)],
)
def test_decimals(half, digits):
    assert stats.decimals(half) == digits
