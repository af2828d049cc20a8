"""How match-ups changed: B minus A, for every strategy against every other.

Where both runs played one of a strategy against the rest of another, that is compared. Else the mixed table tells what
a strategy wins when another also sits at the table (with two players: against it), counted from the single games.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reports import measures, stats, words
from reports.blocks import Cell, Run
from reports.measures import FEW_CASES
from reports.stats import Estimates, spread

Row = dict[str, Any]
Rows = Mapping[str, Any]
Pairs = Sequence[tuple[str, str]]

TOO_FEW = "too few single games were kept"


def panels(before: Run, run: Run, counts: Sequence[int]) -> list[Row]:
    """Compare the match-ups of the strategies that play in both runs; the joint ranges hold for a whole grid.

    Returns
    -------
    list of dict
        By player count: `kind` of match-up, `kept` (the part of the deals that it rests on), a `note` where nothing
        can be said, and the `grid` of the common strategies, null on its diagonal and where games are too few.
    """
    names = [name for name in run.strategies if name in before.strategies]
    if len(names) < 2:
        return []
    pairs = [(one, other) for one in names for other in names if one != other]
    found = []
    for players in counts:
        panel = _one_against_rest(before, run, players, pairs) or _together(before, run, players, pairs)
        cells = panel.pop("cells")
        grid = [[cells.get((one, other)) for other in names] for one in names]
        strategies = [words.plain(name) for name in names]
        found.append({"players": players, "strategies": strategies, **panel, "grid": grid if cells else []})
    return found


def _one_against_rest(before: Run, run: Run, players: int, pairs: Pairs) -> Row | None:
    """Compare one of a strategy against the rest of another; None where either run did not play it."""
    old, new = (
        {each.members(cell)[:2]: cell for cell in each.of_kind("one_vs_rest", players)} for each in (before, run)
    )
    common = [pair for pair in pairs if pair in old and pair in new]
    level = stats.sidak(len(common))
    cells = {}
    for pair in common:
        luck = measures.same_luck(run, before) and measures.same_deals(old[pair], new[pair])
        a, b = measures.duel(old[pair]), measures.duel(new[pair])
        delta = stats.difference(b, a, paired=luck)
        games = min(old[pair].games, new[pair].games)
        deals = min(old[pair].deals, new[pair].deals)
        cells[pair] = _cell(a, b, delta, games, deals, level)
    return {"kind": "one_vs_rest", "kept": 1.0, "note": "", "cells": cells} if cells else None


def _together(before: Run, run: Run, players: int, pairs: Pairs) -> Row:
    """Compare what a strategy wins at those mixed tables where another sits too."""
    nothing: Row = {"kind": "mixed", "kept": 0.0, "cells": {}}
    old, new = _rows(before, players), _rows(run, players)
    if old is None or new is None:
        return {**nothing, "note": TOO_FEW}
    paired = measures.paired(run, before, players)
    if paired:  # only deals that both kept
        shared = np.intersect1d(old["deal"], new["deal"])
        old, new = (
            {name: column[np.isin(rows["deal"], shared)] for name, column in rows.items()} for rows in (old, new)
        )
    deals = min(len(np.unique(rows["deal"])) for rows in (old, new))
    sides = []
    for each, rows in ((before, old), (run, new)):
        (cell,) = each.mixed(players)
        sides.append(_shares(rows, cell, players, [[each.strategies.index(name) for name in pair] for pair in pairs]))
    (a, games_a), (b, games_b) = sides
    delta, games = stats.difference(b, a, paired=paired), np.minimum(games_a, games_b)
    told = [i for i in range(len(pairs)) if games[i] >= FEW_CASES]
    level = stats.sidak(len(told))
    cells = {pairs[i]: _cell(a.rows(i), b.rows(i), delta.rows(i), int(games[i]), deals, level) for i in told}
    kept = deals / min(measures.deals(each.mixed(players)) for each in (before, run))
    return {"kind": "mixed", "kept": kept, "note": "" if cells else TOO_FEW, "cells": cells}


def _rows(run: Run, players: int) -> Rows | None:
    """Read the single games of a mixed table that is one line-up; None where there are none."""
    cells = run.mixed(players)
    own = [f"strategy_{seat + 1}" for seat in range(players)]
    if len(cells) != 1:
        return None
    rows = run.games_rows(players, ["lineup", "deal", "rotation", "winners", *own], [cells[0].lineup])
    return rows if rows and len(rows["deal"]) else None


def _shares(rows: Rows, cell: Cell, players: int, pairs: Sequence[Sequence[int]]) -> tuple[Estimates, Any]:
    """Estimate the win share of a seat of the first of each pair where the second sits too, with its seats."""
    seated = np.stack([rows[f"strategy_{seat + 1}"] for seat in range(players)], axis=1)
    won = rows["winners"][:, None] >> np.arange(players) & 1
    share = won / won.sum(axis=1, keepdims=True)
    chunk = np.searchsorted(cell["first_deal"], rows["deal"], side="right") - 1
    chunks = len(cell["first_deal"])
    seats = {i: (seated == i).sum(axis=1) for i in {i for pair in pairs for i in pair}}
    wins = {i: (share * (seated == i)).sum(axis=1) for i in seats}
    numbers, totals = [], []
    for one, other in pairs:
        there = seats[other] > 0
        totals.append(np.bincount(chunk, seats[one] * there, minlength=chunks))
        numbers.append(np.bincount(chunk, wins[one] * there, minlength=chunks))
    total = np.stack(totals, axis=1)
    return stats.ratio(np.stack(numbers, axis=1), total), total.sum(axis=0)


def _cell(a: Estimates, b: Estimates, delta: Estimates, games: int, deals: int, level: float) -> Row:
    reach = stats.single(delta, level)
    change = spread(delta, "difference", deals, joint_reach=reach)[0]
    return {"a": a.value[0], "b": b.value[0], "delta": change, "games": games}
