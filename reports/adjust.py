"""Items and winning, compared within strata: like with like, though still not a cause.

A strategy that wins more may also draw or play some item more, and a seat may as well. Here a seat's share of a win is
compared only with the seats of its own stratum: the same number of players, the same strategy, the same seat, games of
about the same length.

* *seen*: observed less expected share of whoever had an item at hand, expected from the average item of the stratum
  (indirect standardisation; with one stratum it is exactly the raw association);
* *played*: the slope of the share on whether an item at hand was played, within strata (each weighted by how far the
  two differ in number, n1 n0 / n: the fixed-effects regression, or Mantel and Haenszel's weights).

Ranges come from the spread between chunks of deals, as everywhere, with what the estimated means of the strata add
(the influence of a row, summed over its chunk).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.stats import Estimates, Floats
from sim.games.interface import MASK_BITS

Integers = NDArray[np.int64]

LENGTHS = 4
"""Parts that games are split into by their length, where it varies."""


@dataclass(frozen=True)
class Seats:
    """One row a seat of a game.

    Attributes
    ----------
    share : float64[ROWS]
        Share of the win.
    stratum, chunk : int64[ROWS]
        Whom it is compared with; which chunk of deals it belongs to.
    at_hand, played : int64[ROWS, WORDS]
        Masks of items, ``MASK_BITS`` a word; what was played counts as at hand.
    chunks : int
        Chunks in all.
    cells : tuple of int
        How they fall into independent cells, as `Estimates` has it.
    """

    share: Floats
    stratum: Integers
    chunk: Integers
    at_hand: Integers
    played: Integers
    chunks: int
    cells: tuple[int, ...]


def lengths(rounds: Integers) -> Integers:
    """Number the parts that games fall into by length; all 0 where the rules fix it."""
    cuts = np.unique(np.quantile(rounds, np.arange(1, LENGTHS) / LENGTHS))
    parts: Integers = np.searchsorted(cuts, rounds, side="left") if rounds.min() < rounds.max() else 0 * rounds
    return parts


def both(seats: Seats, group: Integers) -> tuple[Estimates, Estimates]:
    """Estimate both associations of every item.

    Parameters
    ----------
    group : int64[ITEMS]
        Number of the group whose average item each item is compared with.

    Returns
    -------
    tuple of Estimates
        Seen, then played: one row an item, NaN where there is nothing to compare.
    """
    strata = int(seats.stratum.max(initial=0)) + 1
    size = seats.chunks * strata
    cell = seats.chunk * strata + seats.stratum

    def sums(cells: Integers, weights: Floats | None = None) -> Floats:
        found: Floats = np.bincount(cells, weights=weights, minlength=size).astype(np.float64)
        return found.reshape(seats.chunks, strata)

    expected = []
    for each in range(int(group.max(initial=-1)) + 1):
        members = _mask(np.flatnonzero(group == each), seats.at_hand.shape[1])
        many = np.bitwise_count(seats.at_hand & members).sum(axis=1).astype(np.float64)
        cases, won = sums(cell, many), sums(cell, many * seats.share)
        mean = won.sum(axis=0) / np.maximum(cases.sum(axis=0), 1.0)
        # With what a chunk moves the means of the strata by, and so the expectation of each item.
        expected.append((mean, (won - mean * cases) / np.maximum(cases.sum(axis=0), 1.0)))
    seen, played = [], []
    at_hand, plays = map(np.asfortranarray, (seats.at_hand, seats.played))  # read word by word
    for item in range(len(group)):
        rows = np.flatnonzero(_has(at_hand, item))
        where, share = cell[rows], seats.share[rows]
        used = _has(plays, item)[rows] != 0
        table = sums(where), sums(where, share), sums(where[used]), sums(where[used], share[used])
        seen.append(_seen(*table[:2], *expected[group[item]]))
        played.append(_slope(*table))
    return _estimates(seen, seats), _estimates(played, seats)


def _mask(items: Integers, words: int) -> Integers:
    """Return the mask that holds these items."""
    mask = np.zeros(words, np.int64)
    np.bitwise_or.at(mask, items // MASK_BITS, np.int64(1) << items % MASK_BITS)
    return mask


def _has(masks: Integers, item: int) -> Integers:
    """Return 1 where a mask holds the item, else 0."""
    word, bit = divmod(item, MASK_BITS)
    found: Integers = masks[:, word] >> bit & 1
    return found


def _seen(number: Floats, won: Floats, mean: Floats, moved: Floats) -> tuple[float, Floats]:
    """Compare what an item won with what its strata let expect; sums by chunk and stratum."""
    total = number.sum()
    if not total:
        return math.nan, np.full(len(number), math.nan)
    rest = (won - mean * number).sum(axis=1)
    value = float(rest.sum() / total)
    return value, (rest - value * number.sum(axis=1) - moved @ number.sum(axis=0)) / total


def _slope(number: Floats, won: Floats, used: Floats, both: Floats) -> tuple[float, Floats]:
    """Regress the share on being played, with a mean for each stratum.

    Parameters
    ----------
    number, won, used, both : float64[CHUNKS, STRATA]
        Of those that had the item: how many, what they won, how many played it, and what these won.
    """
    whole = np.maximum(number.sum(axis=0), 1.0)
    rate, mean = used.sum(axis=0) / whole, won.sum(axis=0) / whole
    # Sums of squares and products about the means of the strata, by chunk.
    spread = (used * (1.0 - 2.0 * rate) + rate**2 * number).sum(axis=1)
    common = (both - mean * used - rate * won + rate * mean * number).sum(axis=1)
    if spread.sum() < 1e-9:
        return math.nan, np.full(len(number), math.nan)
    value = float(common.sum() / spread.sum())
    return value, (common - value * spread) / spread.sum()


def _estimates(found: list[tuple[float, Floats]], seats: Seats) -> Estimates:
    """Put the items beside each other; as in `stats.ratio`, n / (n - 1) for each independent cell."""
    influence = np.stack([each for _, each in found], axis=1)
    factor = [math.sqrt(n / (n - 1)) if n > 1 else math.nan for n in seats.cells]
    return Estimates(
        np.array([value for value, _ in found]), influence * np.repeat(factor, seats.cells)[:, None], seats.cells
    )
