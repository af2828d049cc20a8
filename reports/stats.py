"""Numbers only: estimates from chunk sums, ranges, verdicts and controls.

A chunk is a sum over whole deal blocks, so the chunks of a cell are independent and equally distributed. Every
estimate here is a ratio of sums over chunks, carried together with its *influence*: how far each chunk pushes
the ratio off. The variance of an estimate is the sum of its squared influences, and everything else follows from
that: a weighted sum of estimates has the weighted sum of influences, a paired difference their difference,
independent cells simply stack, and the joint range of many rows needs nothing but the influence matrix.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Kind = Literal["share", "rate", "mean", "difference"]
Verdict = Literal["inside", "outside", "close"]
Change = Literal["better", "worse", "same", "unclear", "moved"]

LEVEL = 0.95
"""Coverage of every range printed."""

FEW_CHUNKS = 10
"""Below this many chunks their spread says too little: shares fall back to a safe range over the deals."""

LOOKED_AT = 20_000
"""Deals near which the ranges that hold at every look are narrowest."""

JOINT_DRAWS = 20_000
"""Draws behind a joint range."""

JOINT_SEED = 20_261_129
"""Fixed, so that the same run always gives the same report."""

MOST_GAMES = 1e9
"""Above this many games a verdict is called practically on the edge."""


# --- distributions ---------------------------------------------------------------------------------------------


def normal_quantile(p: float) -> float:
    """Return the standard normal quantile of `p`."""
    return NormalDist().inv_cdf(p)


def _continued_beta(x: float, a: float, b: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function (modified Lentz)."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    h = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = 1.0
        for term in (even, odd):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + term / c
            c = c if abs(c) > tiny else tiny
            step = c * d
            h *= step
        if abs(step - 1.0) < 1e-15:
            break
    return h


def beta_cdf(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, the chance that a Beta(a, b) is below `x`."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    front = math.exp(log_front)
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _continued_beta(x, a, b) / a
    return 1.0 - front * _continued_beta(1.0 - x, b, a) / b


def t_cdf(t: float, df: float) -> float:
    """Return the chance that Student's t with `df` degrees of freedom is below `t`."""
    tail = 0.5 * beta_cdf(df / (df + t * t), 0.5 * df, 0.5)
    return tail if t < 0 else 1.0 - tail


@functools.lru_cache(maxsize=4096)
def t_quantile(p: float, df: float) -> float:
    """Return the quantile of Student's t, to about 1e-10; `df` need not be whole.

    Parameters
    ----------
    p : float
        Probability, between 0 and 1.
    df : float
        Degrees of freedom, above 0; from a million on the normal quantile is returned.
    """
    if not 0.0 < p < 1.0:
        raise ValueError(f"a probability between 0 and 1, not {p}")
    if df <= 0.0:
        raise ValueError(f"degrees of freedom above 0, not {df}")
    if df >= 1e6:
        return normal_quantile(p)
    if p == 0.5:
        return 0.0
    if p < 0.5:
        return -t_quantile(1.0 - p, df)
    log_peak = math.lgamma(0.5 * df + 0.5) - math.lgamma(0.5 * df) - 0.5 * math.log(df * math.pi)
    low, high = 0.0, math.inf
    t = normal_quantile(p)
    for _ in range(200):  # Newton's steps, halving the bracket where one would leave it
        error = t_cdf(t, df) - p
        low, high = (low, t) if error > 0.0 else (t, high)
        step = error / math.exp(log_peak - 0.5 * (df + 1.0) * math.log1p(t * t / df))
        nearer = t - step
        if not low < nearer < high:
            nearer = 0.5 * (low + high) if math.isfinite(high) else 2.0 * t + 1.0
        if abs(nearer - t) <= 1e-12 * (1.0 + t):
            break
        t = nearer
    return t


def as_far_out(z: float, df: Floats) -> Floats:
    """Return the values of Student's t that are about as far out as `z` is in the normal distribution, however far.

    Source: Wallace, "Bounds on normal approximations to Student's and the chi-square distributions" (1959).
    """
    grown: Floats = (z * (8.0 * df + 3.0) / (8.0 * df + 1.0)) ** 2 / df
    return np.sqrt(df * np.expm1(np.minimum(grown, 700.0)))


def f_tail(x: float, df1: float, df2: float) -> float:
    """Return the chance that F with (`df1`, `df2`) degrees of freedom is above `x`."""
    return beta_cdf(df2 / (df2 + df1 * x), 0.5 * df2, 0.5 * df1) if x > 0.0 else 1.0


def chi2_tail(x: float, df: float) -> float:
    """Return the chance that chi-squared with `df` degrees of freedom is above `x`."""
    a, half = 0.5 * df, 0.5 * x
    if half <= 0.0:
        return 1.0
    front = math.exp(a * math.log(half) - half - math.lgamma(a))
    if half < a + 1.0:
        term = total = 1.0 / a
        k = a
        while abs(term) > 1e-16 * abs(total):
            k += 1.0
            term *= half / k
            total += term
        return max(0.0, 1.0 - front * total)
    b = half + 1.0 - a
    c, d = 1e300, 1.0 / b
    h = d
    for i in range(1, 10_000):
        an = -i * (i - a)
        b += 2.0
        d = 1.0 / (an * d + b)
        c = b + an / c
        h *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return front * h


# --- estimates -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimates:
    """Several estimates from the same chunks.

    Attributes
    ----------
    value : ndarray of shape (rows,)
        The estimates; NaN where nothing was counted.
    influence : ndarray of shape (chunks, rows)
        What each chunk adds to the error; the covariance of the rows is `influence.T @ influence`.
    cells : tuple of int
        How many chunks each independent cell has, in the order of `influence`.
    """

    value: Floats
    influence: Floats
    cells: tuple[int, ...]

    @property
    def variance(self) -> Floats:
        """Variance of each row; NaN when a cell has a single chunk."""
        total: Floats = np.einsum("cr,cr->r", self.influence, self.influence)
        return total

    @property
    def se(self) -> Floats:
        """Standard error of each row."""
        return np.sqrt(self.variance)

    @property
    def df(self) -> Floats:
        """Degrees of freedom of each row: chunks - 1 of one cell, Satterthwaite's over several."""
        ends = np.cumsum(self.cells)
        parts = np.array(
            [
                np.einsum("cr,cr->r", self.influence[e - n : e], self.influence[e - n : e])
                for n, e in zip(self.cells, ends, strict=True)
            ]
        )
        free = np.maximum(np.array(self.cells, dtype=np.float64) - 1.0, 1.0)[:, None]
        below = (parts**2 / free).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            df = parts.sum(axis=0) ** 2 / below
        return np.where(below > 0.0, df, float(min(self.cells) - 1) if min(self.cells) > 1 else 1.0)

    @property
    def chunks(self) -> int:
        """Chunks of the smallest cell."""
        return min(self.cells)

    def rows(self, index: ArrayLike) -> "Estimates":
        """Return the rows `index` (one number, a list or a mask)."""
        keep = np.atleast_1d(np.asarray(index))
        return Estimates(self.value[keep], self.influence[:, keep], self.cells)

    def mix(self, weights: ArrayLike) -> "Estimates":
        """Return weighted sums of the rows; `weights` has shape (rows, new rows) or (rows,)."""
        w = np.asarray(weights, dtype=np.float64)
        w = w[:, None] if w.ndim == 1 else w
        return Estimates(self.value @ w, self.influence @ w, self.cells)

    def shifted(self, by: ArrayLike) -> "Estimates":
        """Return the estimates moved by a known amount, such as par."""
        return Estimates(self.value + np.asarray(by, dtype=np.float64), self.influence, self.cells)


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> Estimates:
    """Estimate ratios of sums over the chunks of one cell, with delta-method (residual) influences.

    Parameters
    ----------
    numerator : array of shape (chunks, rows) or (chunks,)
        Sums per chunk.
    denominator : array of shape (chunks,) or (chunks, rows)
        What they are sums over, such as games.

    Returns
    -------
    Estimates
        One row per column of `numerator`. A single chunk gives NaN influences: its spread is unknown.
    """
    num = np.asarray(numerator, dtype=np.float64)
    num = num[:, None] if num.ndim == 1 else num
    den = np.asarray(denominator, dtype=np.float64)
    den = np.broadcast_to(den[:, None] if den.ndim == 1 else den, num.shape)
    chunks = num.shape[0]
    if chunks == 0:
        return Estimates(np.full(num.shape[1], np.nan), np.full((1, num.shape[1]), np.nan), (1,))
    total = den.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = num.sum(axis=0) / total
        residual = (num - value * den) / total
        # Chunks all equal give residuals of rounding size; their width is zero, and must be exactly that.
        scale = np.abs(num).max(axis=0) / total
        residual = np.where(np.abs(residual) <= 1e-12 * scale, 0.0, residual)
        factor = math.sqrt(chunks / (chunks - 1)) if chunks > 1 else math.nan
    return Estimates(value, residual * factor, (chunks,))


def total(parts: Sequence[Estimates], weights: Sequence[ArrayLike] | None = None) -> Estimates:
    """Return the weighted sum of estimates from independent cells, row by row.

    A weight is one number a cell, or one a row (default 1). A row that was not counted in a cell takes no part
    where its weight is 0.
    """
    chosen = [np.asarray(w, dtype=np.float64) for w in (weights if weights is not None else [1.0] * len(parts))]
    terms = [
        (np.where(w == 0.0, 0.0, w * p.value), np.where(w == 0.0, 0.0, w * p.influence))
        for w, p in zip(chosen, parts, strict=True)
    ]
    value: Floats = np.sum([v for v, _ in terms], axis=0)
    return Estimates(value, np.vstack([i for _, i in terms]), tuple(n for p in parts for n in p.cells))


def pooled(parts: Sequence[Estimates], sizes: Sequence[ArrayLike]) -> Estimates:
    """Return the mean of estimates from independent cells, weighted by size (one number a cell, or one a row)."""
    if len(parts) == 1:
        return parts[0]
    counted = [
        np.where(np.isfinite(p.value), np.asarray(s, dtype=np.float64), 0.0) for p, s in zip(parts, sizes, strict=True)
    ]
    whole = np.sum(counted, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return total(parts, [c / whole for c in counted])


def beside(parts: Sequence[Estimates]) -> Estimates:
    """Put the rows of independent cells beside each other, as the rows of one chart."""
    chunks, rows = [p.influence.shape[0] for p in parts], [p.influence.shape[1] for p in parts]
    influence = np.zeros((sum(chunks), sum(rows)))
    top = left = 0
    for part, n, m in zip(parts, chunks, rows, strict=True):
        influence[top : top + n, left : left + m] = part.influence
        top, left = top + n, left + m
    return Estimates(np.concatenate([p.value for p in parts]), influence, tuple(n for p in parts for n in p.cells))


def difference(now: Estimates, before: Estimates, *, paired: bool) -> Estimates:
    """Return `now` - `before`, row by row.

    Paired: chunk i of both holds the same deals, so the influences are subtracted chunk by chunk and common luck
    cancels. Unpaired: the runs are independent and the variances add.
    """
    if not paired:
        return total([now, before], [1.0, -1.0])
    if now.cells != before.cells:
        raise ValueError(f"paired runs need the same chunks, not {now.cells} and {before.cells}")
    return Estimates(now.value - before.value, now.influence - before.influence, now.cells)


def grouped(estimate: Estimates, group: NDArray[np.int64], groups: int) -> Estimates:
    """Put the chunks of one cell together: `group` says where each belongs, and a group without any adds no error."""
    influence = np.zeros((groups, estimate.influence.shape[1]))
    np.add.at(influence, group, estimate.influence)
    few, many = groups / max(groups - 1, 1), len(group) / max(len(group) - 1, 1)
    return Estimates(estimate.value, influence * math.sqrt(few / many), (groups,))


# --- ranges ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Critical:
    """How many standard errors a range reaches.

    Attributes
    ----------
    t : ndarray of shape (rows,)
        For rows whose spread comes from chunks.
    z : float
        The normal counterpart, for rows that fall back to a range over deals.
    """

    t: Floats
    z: float


def single(estimates: Estimates, level: float = LEVEL) -> Critical:
    """Return the reach of a range that holds for one row."""
    p = 0.5 + 0.5 * level
    return Critical(np.array([t_quantile(p, d) for d in np.round(estimates.df, 6).tolist()]), normal_quantile(p))


def sidak(rows: int, level: float = LEVEL) -> float:
    """Return the level at which each of `rows` ranges must hold so that all do, were they independent."""
    return float(level ** (1.0 / max(rows, 1)))


def joint(estimates: Estimates, level: float = LEVEL) -> Critical:
    """Return the reach of ranges that hold for all rows together.

    The quantile of the largest |t| over the rows, drawn from a multivariate t with the correlation of the
    influences. Rows without a spread take no part. Sidak's bound stands in when there are fewer chunks than
    `FEW_CHUNKS` and caps the result, being the larger of the two for any correlation.
    """
    counted = np.isfinite(estimates.variance) & (estimates.variance > 0.0)
    bound = single(estimates, sidak(int(np.isfinite(estimates.value).sum()), level))
    if counted.sum() < 2 or estimates.chunks < FEW_CHUNKS:
        return bound
    influence = estimates.influence[:, counted]
    correlated = influence / np.sqrt((influence**2).sum(axis=0))
    values, vectors = np.linalg.eigh(correlated.T @ correlated)
    factor = (vectors * np.sqrt(np.maximum(values, 0.0))).T
    df = float(estimates.df[counted].min())
    draws = np.random.Generator(np.random.PCG64(JOINT_SEED))
    normal = draws.standard_normal((JOINT_DRAWS, factor.shape[0])) @ factor
    heavy = np.sqrt(draws.chisquare(df, JOINT_DRAWS) / df)
    reach = float(np.quantile(np.abs(normal).max(axis=1) / heavy, level))
    return Critical(np.clip(reach, single(estimates, level).t, bound.t), bound.z)


def always(estimates: Estimates, deals: int, level: float = LEVEL) -> Critical:
    """Return the reach of ranges that hold at every look together, so that one may look and stop at any time.

    An asymptotic confidence sequence for the mean of `deals` independent blocks, narrowest near `LOOKED_AT` of them.
    Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic
    confidence sequences" (2024), equation 3, with their choice of rho. Rows are held together by Bonferroni's bound.
    """
    alpha = (1.0 - level) / max(len(estimates.value), 1)
    rho2 = (-2.0 * math.log(alpha) + math.log(-2.0 * math.log(alpha) + 1.0)) / LOOKED_AT
    grown = deals * rho2
    z = math.sqrt((1.0 + 1.0 / grown) * (math.log(grown + 1.0) - 2.0 * math.log(alpha)))
    return Critical(as_far_out(z, estimates.df), z)  # the spread is itself estimated, from the chunks


def wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """Return Wilson's range of a share seen in `n` independent trials."""
    if not n > 0.0:
        return 0.0, 1.0
    middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n)
    half = z * math.sqrt(max(share * (1.0 - share), 0.0) / n + z * z / (4.0 * n * n)) / (1.0 + z * z / n)
    return max(0.0, min(middle - half, share)), min(1.0, max(middle + half, share))


def limits(estimates: Estimates, reach: Critical, kind: Kind, deals: int) -> tuple[Floats, Floats]:
    """Return the lower and upper ends of the ranges.

    Parameters
    ----------
    estimates : Estimates
        What was measured.
    reach : Critical
        From `single` or `joint`.
    kind : {"share", "rate", "mean", "difference"}
        "share": a part of the wins, symmetric range cut at 0 and 1. "rate": how often something happens, Wilson's
        range with the number of independent games that the spread between chunks amounts to. "mean" and
        "difference": symmetric and not cut.
    deals : int
        Deals behind the estimates. With fewer than `FEW_CHUNKS` chunks, or when every chunk shows 0 or 1, a share
        or rate is given Wilson's range over the deals, which is safe since a deal's mean lies between 0 and 1.

    Returns
    -------
    tuple of ndarray
        NaN where nothing can be said.
    """
    se, few = estimates.se, estimates.chunks < FEW_CHUNKS
    half = reach.t * se
    low, high = estimates.value - half, estimates.value + half
    if kind in ("mean", "difference"):
        # Two or three chunks that happen to agree are not certainty.
        blind = (se == 0.0) & few
        return np.where(blind, np.nan, low), np.where(blind, np.nan, high)
    for i, share in enumerate(estimates.value):
        if not math.isfinite(share):
            low[i] = high[i] = math.nan
        elif few or (se[i] == 0.0 and share in (0.0, 1.0)):
            low[i], high[i] = wilson(share, deals, reach.z)
        elif kind == "rate" and se[i] > 0.0:
            low[i], high[i] = wilson(share, share * (1.0 - share) / se[i] ** 2, float(reach.t[i]))
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def shrunk(estimates: Estimates) -> Floats:
    """Pull noisy estimates of like things towards their mean, the noisier the farther (empirical Bayes).

    The estimates are taken as normal around true values that are normal around a common mean; the true spread is
    estimated by moments. Luck that all rows have in common moves their mean and not the rows apart, so the noise of a
    row is that of its distance from the mean. The largest of many estimates is mostly luck, and this takes the luck
    out; it is for ranking and headlines, not for verdicts. Source: Efron and Morris, "Data analysis using Stein's
    estimator" (1975).

    Returns
    -------
    ndarray of shape (rows,)
        Rows without a value or a spread stay as they are.
    """
    counted = np.isfinite(estimates.value) & np.isfinite(estimates.variance)
    rows = int(counted.sum())
    if rows < 2:
        return estimates.value
    apart = estimates.rows(counted).mix(np.eye(rows) - 1.0 / rows)
    noise = apart.variance
    spread = max(float((apart.value**2 - noise).sum()) / (rows - 1), 0.0)
    below = spread + noise
    pull: Floats = np.divide(spread, below, out=np.ones(rows), where=below > 0.0)
    pulled = estimates.value.copy()
    pulled[counted] -= (1.0 - pull) * apart.value
    return pulled


def spread(
    estimates: Estimates, kind: Kind, deals: int, *, joint_reach: Critical | None = None
) -> list[dict[str, float]]:
    """Write estimates as rows with both ranges; `joint_reach` defaults to all rows given."""
    low, high = limits(estimates, single(estimates), kind, deals)
    joint_low, joint_high = limits(estimates, joint_reach or joint(estimates), kind, deals)
    keys = ("est", "lo", "hi", "joint_lo", "joint_hi")
    columns = (estimates.value, low, high, joint_low, joint_high)
    return [rounded(dict(zip(keys, row, strict=True))) for row in zip(*columns, strict=True)]


def spread_beside(parts: Sequence[tuple[Estimates, int]], kind: Kind) -> list[list[dict[str, float]]]:
    """Write the panels of one chart, whose joint ranges hold for all rows of all panels."""
    reach = joint(beside([estimates for estimates, _ in parts]))
    rows, start = [], 0
    for estimates, deals in parts:
        end = start + len(estimates.value)
        rows.append(spread(estimates, kind, deals, joint_reach=Critical(reach.t[start:end], reach.z)))
        start = end
    return rows


# --- verdicts --------------------------------------------------------------------------------------------------


def verdict(low: float, high: float, band_low: float, band_high: float) -> Verdict:
    """Compare a range with a band, ends included: inside, outside, or too close to call."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return "close"
    if band_low <= low and high <= band_high:
        return "inside"
    if high < band_low or low > band_high:
        return "outside"
    return "close"


def excess(value: float, band_low: float, band_high: float) -> float:
    """Return how far a value lies beyond its band, 0 inside."""
    return max(band_low - value, value - band_high, 0.0)


def games_needed(games: int, value: float, low: float, high: float, band_low: float, band_high: float) -> float:
    """Return about how many more games would decide a verdict, to two digits; infinite on the very edge.

    The range shrinks with the root of the games, so it clears the nearest limit after games * (half-width /
    distance)^2 in all.
    """
    below, above = abs(value - band_low), abs(value - band_high)
    half, gap = (value - low, below) if below < above else (high - value, above)
    if not math.isfinite(half):
        return math.nan
    if gap <= 0.0 or games * (half / gap) ** 2 > MOST_GAMES:
        return math.inf
    return two_digits(max(games * (half / gap) ** 2 - games, 1.0))


def nothing(row: Mapping[str, Any]) -> bool:
    """Tell whether a change is exactly nothing: no deal came out otherwise, so its joint range has no width."""
    return bool(row["joint_lo"] == row["joint_hi"] == 0.0)


def rounded(value: Any) -> Any:
    """Round the floats of nested data to six digits, once and where they arise.

    What is said of a number and what a report stores of it then read the same: 0.0549999996 is 5.5% either way.
    """
    if isinstance(value, Mapping):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    return float(f"{value:.6g}") if isinstance(value, float | np.floating) else value


def two_digits(number: float) -> float:
    """Round a positive number up to two digits."""
    step = 10.0 ** max(math.floor(math.log10(number)) - 1, 0)
    return math.ceil(number / step - 1e-9) * step


def change(
    *,
    before: Verdict,
    now: Verdict,
    excess_before: float,
    excess_now: float,
    low: float,
    high: float,
    same_within: float,
) -> Change:
    """Class of a goal's change since the baseline.

    Parameters
    ----------
    before, now : str
        Both verdicts against the present goal.
    excess_before, excess_now : float
        How far the estimates lie beyond the goal.
    low, high : float
        Joint range of the change.
    same_within : float
        Changes smaller than this do not matter.

    Returns
    -------
    str
        "same" (surely within the margin, same verdict), "better" or "worse" (the verdict turned, or an estimate
        beyond the goal surely moved nearer or farther), "moved" (surely moved, with both estimates within the
        goal), else "unclear".
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return "unclear"
    if low == high == 0.0:
        return "same"
    if {before, now} == {"inside", "outside"}:
        return "better" if now == "inside" else "worse"
    if -same_within <= low and high <= same_within:
        return "same" if before == now else "unclear"
    if low > 0.0 or high < 0.0:
        if excess_now == excess_before:
            return "moved"
        return "better" if excess_now < excess_before else "worse"
    return "unclear"


# --- controls --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Test:
    """One test of a hypothesis: the statistic, its degrees of freedom and the chance of a larger one."""

    __test__ = False  # not a test case, whatever pytest thinks of the name

    statistic: float
    df: float
    tail: float


def equal_seats(shares: Estimates) -> Test:
    """Test whether all seats win equally often: Wald's statistic on all seats but the last, one statement for all.

    With C chunks and k = seats - 1 the statistic is referred to k (C-1)/(C-k) F(k, C-k), which is exact for normal
    chunk means and the usual chi-squared for many chunks.
    """
    k = len(shares.value) - 1
    chunks = sum(shares.cells) - len(shares.cells) + 1
    gap = shares.value[:k] - shares.value.mean()
    covariance = shares.influence[:, :k].T @ shares.influence[:, :k]
    if k < 1 or chunks <= k or not np.isfinite(covariance).all() or np.linalg.matrix_rank(covariance) < k:
        return Test(0.0, float(k), 1.0)
    statistic = float(gap @ np.linalg.solve(covariance, gap))
    return Test(statistic, float(k), f_tail(statistic * (chunks - k) / (k * (chunks - 1)), k, chunks - k))


def homogeneity(estimate: Estimates, parts: int = 16) -> Test:
    """Test whether the parts of a cell agree: a shard gone wrong moves the chunks it wrote, and only those.

    The chunks are cut into `parts` runs of neighbours; the squared sums of the first row's influences over their
    expected size follow chi-squared. With fewer than two chunks a part there is nothing to test (0 degrees).
    """
    influence, variance = estimate.influence[:, 0], float(estimate.variance[0])
    if len(influence) < 2 * parts or not variance > 0.0:
        return Test(0.0, 0.0, 1.0)
    cuts = np.linspace(0, len(influence), parts + 1).astype(int)
    sums = np.add.reduceat(influence, cuts[:-1])
    statistic = float((sums**2 / (np.diff(cuts) * variance / len(influence))).sum())
    return Test(statistic, float(parts - 1), chi2_tail(statistic, parts - 1))


def halves(estimate: Estimates, chosen: NDArray[np.bool_]) -> Floats:
    """Compare an estimate with itself: the chunks chosen against the others, as two runs of half the size.

    Parameters
    ----------
    estimate : Estimates
        Of one cell.
    chosen : bool[SPLITS, CHUNKS]
        Which chunks make up the first half, split by split.

    Returns
    -------
    float64[SPLITS, ROWS]
        Student's t of the difference (Welch's, by the spread within each half); NaN where nothing varies.
    """
    first = chosen.astype(np.float64)
    x = estimate.influence
    mean, variance = [], []
    for weights in (first, 1.0 - first):
        number = weights.sum(axis=1, keepdims=True)
        middle = weights @ x / number
        mean.append(middle)
        variance.append(np.maximum(weights @ x**2 / number - middle**2, 0.0) / (number - 1.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        t: Floats = (mean[0] - mean[1]) / np.sqrt(variance[0] + variance[1])
    return np.where(np.isfinite(t) & (estimate.variance > 0.0), t, np.nan)


# --- digits ----------------------------------------------------------------------------------------------------


def decimals(half_width: float, most: int = 4) -> int:
    """Return how many decimals a number with this half-width deserves: as far as its first non-zero one."""
    if not math.isfinite(half_width) or half_width <= 0.0:
        return 1
    return min(max(math.ceil(-math.log10(half_width) - 1e-9), 0), most)
