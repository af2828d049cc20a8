"""The trust box: controls that the sums of a run can answer. A failed one replaces the verdict of the report."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from reports import answers, measures, stats, words
from reports.blocks import Cell, Run
from reports.facts import GameFacts
from reports.schema import Cards, Values
from reports.stats import Estimates
from sim.config import digest
from sim.games.interface import SHARE_UNITS

CHANCE = 0.001
"""A fair run fails one of the controls of chance this often."""

SPLITS = 200
"""Random halves that a run is compared by with itself."""

SPLIT_SEED = 20_261_129
"""Fixed, so that the same run always gives the same report."""

FALSE_ALARMS = 0.07
"""Of the 95% ranges between random halves, this part may exclude 0; 5% are expected."""

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
        _repeated(run, cells),
        _evenness(run, cells),
        _itself(run, cells, facts),
        _capped(cells, facts),
        *_played_again(run),
        *of_values(values.answers if (values := answers.stored(run.folder, Cards)) else ()),
        _recorded(run, facts),
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
    """Every planned deal in every seating of its line-up."""
    missing = uneven = extra = 0
    for cell in run.cells:
        missing += max(cell.planned["blocks"] - cell.deals, 0)
        extra += max(cell.deals - cell.planned["blocks"], 0)
    for cell in cells:
        uneven += int((cell["games"] != cell["blocks"] * cell.rotations).sum())
    faults = [
        text
        for n, text in (
            (missing, words.plural(missing, "deal") + " missing"),
            (uneven, words.plural(uneven, "chunk") + " without every seating"),
            (extra, words.plural(extra, "deal") + " too many"),
        )
        if n
    ]
    return _row(
        "Every deal in all its seatings",
        not faults,
        words.listing(faults)
        or f"{words.count(measures.deals(cells))} of {words.plural(measures.deals(cells), 'deal')}",
        "all",
        "not every deal was played in all its seatings",
    )


def _repeated(run: Run, cells: Sequence[Cell]) -> Row:
    """No deal of a line-up twice: chunks found twice, and chunks that overlap."""
    twice = run.repeated
    for cell in cells:
        ends = cell["first_deal"] + cell["blocks"]
        twice += int((cell["first_deal"][1:] < ends[:-1]).sum())
    return _row(
        "No deal twice",
        not twice,
        words.plural(twice, "repetition") if twice else "no repetition",
        "none",
        "deals were counted twice",
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


def _itself(run: Run, cells: Sequence[Cell], facts: GameFacts) -> Row:
    """Compare the run with itself: ranges between its halves must hold 0 as often as they say.

    Random halves try the ranges: how often the 95% range of a difference that is none excludes 0, over all numbers of
    the page and many halves. Every other chunk against the rest tries the run: whatever goes wrong by turns. There, no
    difference may be surer than chance allows for all numbers together.
    """
    draws = np.random.Generator(np.random.PCG64(SPLIT_SEED))
    excluded = ranges = numbers = 0
    turns: list[tuple[float, float]] = []
    for estimate in _numbers(run, cells, facts):
        chunks = estimate.chunks
        if len(estimate.cells) > 1 or chunks < 2 * stats.FEW_CHUNKS:
            continue
        chosen = np.argsort(draws.random((SPLITS, chunks)), axis=1) < chunks // 2
        found = np.abs(stats.halves(estimate, chosen))
        known = np.isfinite(found)
        excluded += int((found[known] > stats.t_quantile(0.5 + 0.5 * stats.LEVEL, chunks - 2)).sum())
        ranges += int(known.sum())
        worst = np.abs(stats.halves(estimate, np.arange(chunks)[None, :] % 2 == 0)[0])
        numbers += int(np.isfinite(worst).sum())
        turns += [(float(t), chunks - 2) for t in worst[np.isfinite(worst)]]
    expected = f"at most {words.tidy(FALSE_ALARMS)}; none"
    if not ranges:
        return _row("The run against itself", True, "too few deals to tell", expected, "")
    sure = 0.5 + 0.5 * stats.sidak(numbers, 1.0 - CHANCE)
    apart = sum(t > stats.t_quantile(sure, df) for t, df in turns)
    return _row(
        "The run against itself",
        excluded <= FALSE_ALARMS * ranges and not apart,
        f"{words.percent(excluded / ranges)} of {words.count(ranges)} ranges between random halves exclude 0; every "
        f"other chunk against the rest: {apart or 'none'} of {numbers:,} joint ranges does",
        expected,
        "halves of the run differ from each other",
    )


def _numbers(run: Run, cells: Sequence[Cell], facts: GameFacts) -> Iterator[Estimates]:
    """Yield the numbers of the page with their spread between chunks."""
    for players in run.played:
        mixed = run.mixed(players)
        yield measures.seat_shares(mixed)
        yield measures.strategy_shares(mixed)
        yield measures.leader_wins(mixed)
        for column in ("lead_changes", "shared", "rounds", "turns", "decisions"):
            yield measures.per_game(mixed, column)
        yield measures.per_game(mixed, "top_tied", minus="shared")
        if measures.has_items(mixed, facts):
            yield measures.item_seen(mixed, facts)
            yield measures.item_lift(mixed, facts)
            yield measures.item_played(mixed, facts)
    for cell in cells:
        if cell.kind == "one_vs_rest":
            yield measures.duel(cell)
        elif cell.kind == "mirror":
            yield measures.seat_shares([cell])


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
        "rerun": ("Sampled games played again", ("ends", "end"), "otherwise when played again"),
        "twin": ("Sampled games checked by the slow twin", ("breaks", "break"), "the rules of the slow twin"),
    }
    rows = []
    for key, control in run.manifest.get("controls", {}).items():
        name, verbs, rest = names[key]
        games, different = control["games"], control["different"]
        found = f"{games - different} of {games} the same"
        if control["message"]:
            found += f"; first: {words.plain(control['message'])}"
        fault = f"{different} of {games} sampled games {verbs[different != 1]} {rest}"
        rows.append(_row(name, not different, found, "all", fault))
    return rows


def of_values(found: Iterable[Values]) -> Iterator[Row]:
    """Hold the causal values to what they say of themselves: the placebo, and the games that were left out."""
    for each in found:
        for item in each.items if each.placebo else []:
            span = words.span(100 * (item.joint_lo or 0.0), 100 * (item.joint_hi or 0.0), 2, signed=True)
            yield _row(
                "Placebo",
                item.verdict == "unclear",
                f"{item.name}: {span} points",
                "a range around 0",
                "a change that is worth nothing came out as worth something",
            )
        if each.checked:
            yield _row(
                f"Left out: {words.plain(each.title)}",
                each.wrong == 0,
                f"{words.count(each.wrong)} of {words.count(each.checked)} came out otherwise",
                "none: these games cannot be touched",
                "games that a change cannot touch came out otherwise",
            )


def _recorded(run: Run, facts: GameFacts) -> Row:
    """Whether the config is the one whose hash was written down, and the rules those that this report knows."""
    written, found = str(run.manifest["config_hash"]), digest(run.manifest["config"])
    rules = str(run.manifest["rules_version"])
    row = _row(
        "Config and rules as written down",
        written == found,
        f"config {found[:12]}, rules {rules}",
        f"config {written[:12]}, rules {facts.rules_version}",
        "the config of the run was changed afterwards",
    )
    if row["state"] == "passed" and rules != facts.rules_version:
        row["state"] = "note"  # an older run, reported by a newer program
    return row


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
