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

Integers = NDArray[np.int64]

LENGTHS = 4
"""Parts that games are split into by their length, where it varies."""


WORD_BITS = 63
"""Items in one word of a mask."""


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
        Masks of items, ``WORD_BITS`` a word; what was played counts as at hand.
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


def both(seats: Seats, items: int) -> tuple[Estimates, Estimates]:
    """Estimate both associations of every item.

    Returns
    -------
    tuple of Estimates
        Seen, then played: one row an item, NaN where there is nothing to compare.
    """
    strata = int(seats.stratum.max(initial=0)) + 1
    have = [np.flatnonzero(_has(seats.at_hand, item)) for item in range(items)]
    at_hand = np.bitwise_count(seats.at_hand).sum(axis=1).astype(np.float64)
    cases = np.bincount(seats.stratum, weights=at_hand, minlength=strata)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(seats.stratum, weights=at_hand * seats.share, minlength=strata) / cases
        rest = seats.share - np.nan_to_num(mean)[seats.stratum]
        held = np.array([np.bincount(seats.stratum[rows], minlength=strata) for rows in have], dtype=np.float64).T
        # What a chunk moves the means of the strata by, and so the expectation of each item.
        moved: Floats = np.bincount(
            seats.chunk * strata + seats.stratum, weights=at_hand * rest, minlength=seats.chunks * strata
        ).astype(np.float64)
        expected = moved.reshape(seats.chunks, strata) @ np.nan_to_num(held / cases[:, None])
    seen, played = [], []
    for item, rows in enumerate(have):
        chunk = seats.chunk[rows]
        own: Floats = np.bincount(chunk, weights=rest[rows], minlength=seats.chunks).astype(np.float64)
        number: Integers = np.bincount(chunk, minlength=seats.chunks).astype(np.int64)
        seen.append(_seen(own, number, expected[:, item]))
        played.append(_slope(seats, item, rows, chunk, strata))
    return _estimates(seen, seats), _estimates(played, seats)


def _has(masks: Integers, item: int) -> Integers:
    """Return 1 where a mask holds the item, else 0."""
    word, bit = divmod(item, WORD_BITS)
    found: Integers = masks[:, word] >> bit & 1
    return found


def _seen(own: Floats, number: Integers, expected: Floats) -> tuple[float, Floats]:
    total = number.sum()
    if not total:
        return math.nan, np.full(len(own), math.nan)
    value = own.sum() / total
    return float(value), (own - value * number - expected) / total


def _slope(seats: Seats, item: int, rows: Integers, chunk: Integers, strata: int) -> tuple[float, Floats]:
    """Regress the share on being played among the rows that had the item, with a mean for each stratum."""
    stratum, share = seats.stratum[rows], seats.share[rows]
    used = _has(seats.played[rows], item).astype(np.float64)
    number = np.maximum(np.bincount(stratum, minlength=strata), 1)
    used = used - (np.bincount(stratum, weights=used, minlength=strata) / number)[stratum]
    share = share - (np.bincount(stratum, weights=share, minlength=strata) / number)[stratum]
    spread = used @ used
    if spread < 1e-9:
        return math.nan, np.full(seats.chunks, math.nan)
    value = float(used @ share / spread)
    left = used * (share - value * used)
    return value, np.bincount(chunk, weights=left, minlength=seats.chunks) / spread


def _estimates(found: list[tuple[float, Floats]], seats: Seats) -> Estimates:
    """Put the items beside each other; as in `stats.ratio`, n / (n - 1) for each independent cell."""
    influence = np.stack([each for _, each in found], axis=1)
    factor = [math.sqrt(n / (n - 1)) if n > 1 else math.nan for n in seats.cells]
    return Estimates(
        np.array([value for value, _ in found]), influence * np.repeat(factor, seats.cells)[:, None], seats.cells
    )
