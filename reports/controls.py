"""The trust box: controls that the sums of a run can answer. A failed one replaces the verdict of the report."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reports import measures, stats, words
from reports.blocks import Cell, Run
from reports.facts import GameFacts
from sim.games.interface import SHARE_UNITS

CHANCE = 0.001
"""A fair run fails the control of evenness this often."""

Row = dict[str, Any]


def controls(run: Run, facts: GameFacts) -> list[Row]:
    """Run all controls.

    Returns
    -------
    list of dict
        `name`, `found`, `expected`, `state` ("passed", "note" or "failed") and `fault` (how a failure reads inside a
        sentence).
    """
    cells = run.cells_on_disk
    return [
        _complete(run),
        _shares(run, cells),
        _blocks(run, cells),
        _evenness(run, cells),
        _capped(cells, facts),
        *_played_again(run),
        _strategies(run),
    ]


def _row(name: str, passed: bool, found: str, expected: str, fault: str) -> Row:
    state = "passed" if passed else "failed"
    return {"name": name, "found": found, "expected": expected, "state": state, "fault": fault}


def _complete(run: Run) -> Row:
    shards = run.manifest["shards"]
    done, planned = len(shards["done"]), shards["planned"]
    status = run.manifest["status"]
    return _row(
        "Run complete",
        status == "complete" and done == planned and bool(run.played),
        f"{done} of {words.plural(planned, 'part')} done, status {words.plain(status)}",
        "all parts done",
        f"the run is not complete ({done} of {words.plural(planned, 'part')})",
    )


def _shares(run: Run, cells: Sequence[Cell]) -> Row:
    wrong = chunks = 0
    for cell in cells:
        whole = cell["games"] * SHARE_UNITS
        wrong += int(
            (
                (cell["seat_share"].sum(axis=1) != whole)
                | (cell["pair_share"].sum(axis=1) != whole)
                | (cell["pair_games"].sum(axis=1) != cell["games"] * cell.players)
            ).sum()
        )
        chunks += len(whole)
    return _row(
        "Win shares sum to exactly 100%",
        not wrong,
        f"{words.plural(wrong, 'exception')} in {words.plural(chunks, 'sum')}",
        "none",
        "win shares do not sum to 100%",
    )


def _blocks(run: Run, cells: Sequence[Cell]) -> Row:
    """Every planned deal once, in every seating."""
    missing = extra = uneven = 0
    for cell in run.cells:
        missing += max(cell.planned["blocks"] - cell.deals, 0)
        extra += max(cell.deals - cell.planned["blocks"], 0)
    for cell in cells:
        uneven += int((cell["games"] != cell["blocks"] * cell.rotations).sum())
        ends = cell["first_deal"] + cell["blocks"]
        extra += int((cell["first_deal"][1:] < ends[:-1]).sum())
    extra += run.repeated
    faults = [
        text
        for n, text in (
            (missing, words.plural(missing, "deal") + " missing"),
            (uneven, words.plural(uneven, "chunk") + " without every seating"),
            (extra, words.plural(extra, "repetition")),
        )
        if n
    ]
    return _row(
        "Every deal once, in every seating",
        not faults,
        words.listing(faults)
        or f"{words.count(measures.deals(cells))} of {words.plural(measures.deals(cells), 'deal')}",
        "all",
        "deals are missing or repeated",
    )


def _evenness(run: Run, cells: Sequence[Cell]) -> Row:
    """Parts of the run that do not agree with each other point to a broken shard.

    Line-ups share their deals, so their tests depend on each other: the worst counts, its chance times their number.
    """
    tests = [stats.homogeneity(measures.seat_shares([c])) for c in cells]
    tests = [test for test in tests if test.df]
    expected = f"p at least {CHANCE:g}"
    if not tests:
        return _row("Evenness over the run", True, "too few deals to tell", expected, "")
    worst = min(tests, key=lambda test: test.tail)
    chance = min(1.0, worst.tail * len(tests))
    return _row(
        "Evenness over the run",
        chance >= CHANCE,
        f"worst of {words.plural(len(tests), 'line-up')}: χ² {worst.statistic:.1f} on {worst.df:.0f} degrees, "
        f"p {chance:.2g} for all together",
        expected,
        "parts of the run disagree with each other",
    )


def _capped(cells: Sequence[Cell], facts: GameFacts) -> Row:
    games = sum(c.games for c in cells)
    capped = int(np.sum([c["capped"].sum() for c in cells])) if cells else 0
    allowed = 1.0 if facts.capped_allowed is None else facts.capped_allowed
    return _row(
        "Games stopped by the cap",
        capped <= allowed * games,
        f"{words.count(capped)} of {words.count(games)}",
        "any" if facts.capped_allowed is None else f"at most {words.tidy(allowed)}",
        f"{words.percent(capped / games if games else 0.0, 2)} of games were stopped by the cap",
    )


def _played_again(run: Run) -> list[Row]:
    """What the run itself found when it played a sample of its games again, move by move."""
    names = {
        "rerun": ("Sampled games played again", "games end otherwise when they are played again"),
        "twin": ("Sampled games checked by the slow twin", "the slow twin, which plays by the written rules, objects"),
    }
    rows = []
    for key, control in run.manifest.get("controls", {}).items():
        name, fault = names[key]
        games, different = control["games"], control["different"]
        found = f"{games - different} of {games} the same"
        if control["message"]:
            found += f"; first: {words.plain(control['message'])}"
        rows.append(_row(name, not different, found, "all", f"{different} of {games} {fault}"))
    return rows


def refused(run: Run) -> str:
    """Name the strategies that were refused, with the reason."""
    return "; ".join(f"{words.plain(f['strategy'])} ({words.plain(f['message'])})" for f in run.manifest["failures"])


def _strategies(run: Run) -> Row:
    """Name strategies that broke the rules: while playing, that spoils the run; refused beforehand, it does not."""
    failures = run.manifest["failures"]
    names = [words.plain(f["strategy"]) for f in failures]
    playing = {words.plain(s) for s in run.strategies}
    row = _row(
        "Strategies keep to the rules",
        not any(n in playing for n in names),
        refused(run) or "no fault",
        "no fault",
        f"{words.listing(names)} broke the rules" if names else "",
    )
    if names and row["state"] == "passed":
        row["state"] = "note"
    return row
