"""Luck and skill: how much of the spread in who wins goes with strategy, seat and deal.

In the mixed table every deal is played in every seating, so strategies and seats are crossed with deals: each seat of a
deal holds the same cards whoever sits there. The share of a win is split as in an analysis of variance (S. R. Searle,
G. Casella, C. E. McCulloch, "Variance components", 1992, ch. 4):

* *strategy* and *seat*: the variance of their mean shares, which are balanced against each other;
* *deal*: what stays with a seat of a deal over all seatings, (mean square between − mean square within) / seatings;
* *rest*: other choices, other neighbours, luck in play.

It depends on the strategies that play, and is given as a share of the whole variance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.stats import LEVEL, t_quantile

PARTS = ("strategy", "deal", "seat", "rest")
GROUPS = 20  # groups of deals that the range leaves out in turn (delete-a-group jackknife)
FEWEST_DEALS = 200


def decompose(share: NDArray[Any], strategy: NDArray[Any]) -> list[dict[str, Any]] | None:
    """Split the variance of win shares.

    Parameters
    ----------
    share : float[DEALS, SEATINGS, SEATS]
        Share of the win, 0 … 1. SEATINGS equals SEATS: each member of a line-up sits in each seat once.
    strategy : int[DEALS, SEATINGS, SEATS]
        Who sat there.

    Returns
    -------
    list of dict or None
        For each of ``PARTS``: ``part``, ``est``, ``lo``, ``hi`` as fractions of the whole variance; None where there
        are too few deals to tell.
    """
    if len(share) < FEWEST_DEALS:
        return None
    whole = _fractions(share, strategy)
    groups = np.arange(len(share)) % GROUPS
    left_out = np.array([_fractions(share[groups != group], strategy[groups != group]) for group in range(GROUPS)])
    deviation = np.sqrt((GROUPS - 1) / GROUPS * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))
    reach = t_quantile(0.5 + LEVEL / 2, GROUPS - 1) * deviation
    low, high = np.clip(whole - reach, 0, 1), np.clip(whole + reach, 0, 1)
    rows = zip(PARTS, whole, low, high, strict=True)
    return [{"part": part, "est": est, "lo": lo, "hi": hi} for part, est, lo, hi in rows]


def _fractions(share: NDArray[Any], strategy: NDArray[Any]) -> NDArray[Any]:
    """Fractions of the variance by part, in the order of ``PARTS``."""
    seatings = share.shape[1]
    mean = share.mean()
    by_seat = share.mean(axis=(0, 1)) - mean
    games = np.bincount(strategy.ravel())
    won = np.bincount(strategy.ravel(), weights=share.ravel())
    by_strategy = np.divide(won, games, out=np.zeros(len(games)), where=games > 0) - mean
    total = share.var()
    if total == 0:
        return np.array([0.0, 0.0, 0.0, 1.0])
    left = share - mean - by_seat - by_strategy[strategy]
    places = left.mean(axis=1)
    between = seatings * places.var()
    within = ((left - places[:, None, :]) ** 2).mean() * seatings / (seatings - 1)
    deal = max(0.0, (between - within) / seatings)
    of_strategies = (games * by_strategy**2).sum() / games.sum() if games.any() else 0.0
    parts = np.array([of_strategies, deal, (by_seat**2).mean()]) / total
    return np.append(parts, max(0.0, 1 - parts.sum()))
