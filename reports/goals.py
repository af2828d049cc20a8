"""The designer's goals: measures, bands, three-way verdicts and what changed since the baseline."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from reports import measures, stats, words
from reports.blocks import Cell, Run
from reports.facts import GameFacts
from reports.stats import Estimates
from sim.goals import Goal

Row = dict[str, Any]

DEFAULT_GOAL = Goal(measure="first_player", within="4% of par")
"""The yardstick of a run without goals: 48-52% with two players."""

AT = ("25%", "50%", "75%")

MARGIN = "0.5pp"
"""Margin within which a share is the same, where no goal about it says otherwise."""

EXIT_OK, EXIT_OUTSIDE, EXIT_UNDECIDED, EXIT_BROKEN = 0, 1, 3, 4


@dataclass(frozen=True)
class Sample:
    """What a measure is taken from.

    Attributes
    ----------
    cells : sequence of Cell
        Cells of the mixed table at one player count.
    goal : Goal
        With the options of the measure.
    facts : GameFacts
        Facts of the game.
    strategies : sequence of str
        Names of the run's strategies.
    """

    cells: Sequence[Cell]
    goal: Goal
    facts: GameFacts
    strategies: Sequence[str]

    @property
    def seats(self) -> list[str | None]:
        """Seats, as a sentence names them."""
        return [words.seat_name(i) for i in range(self.cells[0].players)]


@dataclass(frozen=True)
class Measure:
    """How a goal is measured.

    Attributes
    ----------
    kind : str
        See `stats.limits`.
    section : str
        Which section of the page shows more.
    estimate : callable
        Sample -> estimates, one row a candidate.
    names : callable
        Sample -> the names of the candidates.
    pick : {"only", "far", "most", "least"}
        Which candidate the goal is about: the only one, the farthest from par (or 0), the largest, the smallest.
    each : bool
        Whether the goal asks something of every candidate, so that one outside is enough to miss it.
    par : bool
        Whether par is a yardstick.
    """

    kind: stats.Kind
    section: str
    estimate: Callable[[Sample], Estimates]
    names: Callable[[Sample], Sequence[str | None]] = lambda sample: [None]
    pick: Literal["only", "far", "most", "least"] = "only"
    each: bool = False
    par: bool = False


def _strategies(sample: Sample) -> list[str | None]:
    return [words.plain(s) for s in sample.strategies]


def _items(sample: Sample) -> list[str | None]:
    return [words.plain(i) for i in sample.facts.items]


def _random(sample: Sample) -> Estimates:
    return measures.strategy_shares(sample.cells).rows(list(sample.strategies).index("random"))


def _leader(sample: Sample) -> Estimates:
    return measures.leader_wins(sample.cells).rows(AT.index(sample.goal.at or "50%"))


def _per_game(column: str, minus: str = "") -> Callable[[Sample], Estimates]:
    return lambda sample: measures.per_game(sample.cells, column, minus=minus)


MEASURES: dict[str, Measure] = {
    "first_player": Measure("share", "seats", lambda s: measures.seat_shares(s.cells).rows(0), par=True),
    "every_seat": Measure(
        "share", "seats", lambda s: measures.seat_shares(s.cells), lambda s: s.seats, "far", each=True, par=True
    ),
    "best_strategy": Measure(
        "share", "strategies", lambda s: measures.strategy_shares(s.cells), _strategies, "most", par=True
    ),
    "random_share": Measure("share", "strategies", _random, par=True),
    "leader_wins": Measure("share", "unfold", _leader),
    "close_finish": Measure("rate", "unfold", lambda s: measures.margin_within(s.cells, s.goal.points or 0)),
    "shared_wins": Measure("rate", "unfold", _per_game("shared")),
    "tie_break": Measure("rate", "unfold", _per_game("top_tied", minus="shared")),
    "lead_changes": Measure("mean", "unfold", _per_game("lead_changes")),
    "rounds": Measure("mean", "unfold", _per_game("rounds")),
    "decisions": Measure("mean", "unfold", _per_game("decisions")),
    "capped": Measure("rate", "unfold", _per_game("capped")),
    "item_seen": Measure(
        "difference", "cards", lambda s: measures.item_seen(s.cells, s.facts), _items, "far", each=True
    ),
    "item_played": Measure(
        "rate", "cards", lambda s: measures.item_played(s.cells, s.facts), _items, "least", each=True
    ),
}


# --- rows ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """One goal measured at one player count."""

    name: str
    goal: Goal
    default: bool
    players: int
    measure: Measure
    estimates: Estimates
    names: Sequence[str | None]
    games: int
    deals: int
    par: float | None
    band: tuple[float, float]

    def judge(self, level: float, *, always: bool = False) -> tuple[int, stats.Verdict, float, float]:
        """Return which candidate decides, the verdict, and the joint range behind it.

        With `always` the range holds at every look, so that one may stop as soon as the verdict is clear.
        """
        reach = stats.always(self.estimates, self.deals, level) if always else stats.joint(self.estimates, level)
        low, high = stats.limits(self.estimates, reach, self.measure.kind, self.deals)
        verdicts = [stats.verdict(a, b, *self.band) for a, b in zip(low, high, strict=True)]
        rows = [i for i, v in enumerate(self.estimates.value) if math.isfinite(v)] or [0]
        if self.measure.each:
            for verdict in ("outside", "close", "inside"):
                if any(verdicts[i] == verdict for i in rows):
                    rows = [i for i in rows if verdicts[i] == verdict]
                    break
        centre = self.par or 0.0
        order: dict[str, Callable[[int], float]] = {
            "only": lambda i: 0.0,
            "far": lambda i: -abs(self.estimates.value[i] - centre),
            "most": lambda i: -self.estimates.value[i],
            "least": lambda i: self.estimates.value[i],
        }
        pick = min(rows, key=order[self.measure.pick])
        return pick, verdicts[pick], low[pick], high[pick]

    def counterpart(self, subject: str | None) -> int:
        """Return which candidate to compare with the one that decides the same goal in another run, `subject`.

        The largest and the smallest is whichever it is here. The farthest may be on the other side of par by luck
        alone, so the same seat or item is taken, if there is one of that name.
        """
        if self.measure.pick == "far" and subject in self.names:
            return list(self.names).index(subject)
        return self.judge(stats.LEVEL)[0]


def measured(name: str, sample: Sample, *, default: bool = False) -> Found | None:
    """Measure a goal; None where the sample cannot say."""
    goal, cells = sample.goal, sample.cells
    if not cells or (goal.measure.startswith("item_") and not measures.has_items(cells, sample.facts)):
        return None
    if goal.measure == "random_share" and "random" not in sample.strategies:
        return None
    if goal.measure == "tie_break" and not sample.facts.tie_break:
        return None
    measure, players = MEASURES[goal.measure], cells[0].players
    band = goal.band(players)
    return Found(
        name=name,
        goal=goal,
        default=default,
        players=players,
        measure=measure,
        estimates=measure.estimate(sample),
        names=measure.names(sample),
        games=sum(c.games for c in cells),
        deals=measures.deals(cells),
        par=1.0 / players if measure.par else None,
        band=(-math.inf if band.low is None else band.low, math.inf if band.high is None else band.high),
    )


def _find(run: Run, facts: GameFacts, name: str, goal: Goal, players: int, default: bool) -> Found | None:
    return measured(name, Sample(run.mixed(players), goal, facts, run.strategies), default=default)


def wanted(config: Mapping[str, Any]) -> tuple[dict[str, Goal], bool]:
    """Return the goals of a config, or the default yardstick, and whether it is the default."""
    goals = {name: Goal.model_validate(goal) for name, goal in (config.get("goals") or {}).items()}
    return (goals, False) if goals else ({"first_player": DEFAULT_GOAL}, True)


def margin_about(run: Run, *measures_: str) -> float:
    """Say how far a share may move and still be the same: the narrowest margin of a goal with these measures."""
    asked = wanted(run.manifest["config"])[0].values()
    usual = next(iter(asked)).model_copy(update={"same_within": MARGIN}).margin(1.0)
    return min([goal.margin(1.0) for goal in asked if goal.measure in measures_], default=usual)


def measured_all(run: Run, facts: GameFacts) -> tuple[list[Found], list[str]]:
    """Measure all goals of a run at all player counts; return them, and notes on those that cannot be."""
    found: list[Found] = []
    notes: list[str] = []
    goals, default = wanted(run.manifest["config"])
    for name, goal in goals.items():
        asked = [(n, _find(run, facts, name, goal, n, default)) for n in goal.players or run.played]
        found += [one for _, one in asked if one]
        missing = [n for n, one in asked if one is None]
        for counts, why in (
            ([n for n in missing if n in run.played], "this run cannot measure it"),
            ([n for n in missing if n not in run.played], "this run did not play it"),
        ):
            if counts:
                notes.append(f"Goal {words.plain(name)} {words.with_counts(counts)}: {why}.")
    return found, notes


def goal_rows(run: Run, facts: GameFacts, before: Run | None = None) -> tuple[list[Row], list[str]]:
    """Measure all goals; return the rows of the goals table, worst first, and notes on those that cannot be."""
    found, notes = measured_all(run, facts)
    level = stats.sidak(len(found))
    rows: list[Row] = stats.rounded([_row(run, facts, one, level, before) for one in found])
    rank = {"outside": 0, "close": 1, "inside": 2}
    return sorted(rows, key=lambda r: (rank[r["verdict"]], -r["beyond"])), notes


def worst_of_each(rows: Sequence[Row]) -> list[Row]:
    """Keep the first row of each goal: its worst player count."""
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(row["goal"], row)
    return list(first.values())


def also(row: Row, rows: Sequence[Row]) -> list[int]:
    """Return the other player counts at which the same goal has the same verdict."""
    return sorted(
        other["players"]
        for other in rows
        if other["goal"] == row["goal"] and other["verdict"] == row["verdict"] and other is not row
    )


def options_of(found: Found, facts: GameFacts) -> Row:
    """Return what the words of a goal depend on besides its numbers."""
    return {
        "at": found.goal.at,
        "points": found.goal.points,
        "unit": [words.plain(u) for u in facts.unit],
        "item": words.plain(facts.item_word[0]),
        "apart": words.plain(next(iter(facts.groups))) if facts.apart else "",
    }


def _row(run: Run, facts: GameFacts, found: Found, level: float, before: Run | None) -> Row:
    pick, verdict, joint_low, joint_high = found.judge(level)
    options = options_of(found, facts)
    one = found.estimates.rows(pick)
    low, high = stats.limits(one, stats.single(one), found.measure.kind, found.deals)
    value, (band_low, band_high) = float(one.value[0]), found.band
    needed = (
        stats.games_needed(run.games, value, joint_low, joint_high, band_low, band_high)
        if verdict == "close"
        else math.nan
    )
    ends = [None if math.isinf(x) else x for x in found.band]
    return {
        "id": f"{found.name}-{found.players}",
        "goal": found.name,
        "measure": found.goal.measure,
        "label": words.goal_label(found.goal.title, found.goal.measure, found.players, options),
        "section": found.measure.section,
        "players": found.players,
        "kind": found.measure.kind,
        "options": options,
        "default": found.default,
        "subject": found.names[pick] if math.isfinite(value) else None,
        "par": found.par,
        "band": {"lo": ends[0], "hi": ends[1], "text": found.goal.describe(found.players)},
        "est": value,
        "lo": low[0],
        "hi": high[0],
        "joint_lo": joint_low,
        "joint_hi": joint_high,
        "games": found.games,
        "deals": found.deals,
        "chunks": found.estimates.chunks,
        "verdict": verdict,
        "beyond": _beyond(value, band_low, band_high),
        "games_needed": needed if math.isfinite(needed) else None,
        "on_edge": math.isinf(needed),
        "change": None if before is None else _change(run, facts, found, pick, verdict, level, before),
    }


def band_unit(band_low: float, band_high: float) -> float:
    """Return the length that a goal's distances are measured in: half its band, or a tenth of a one-sided limit."""
    if math.isfinite(band_low) and math.isfinite(band_high):
        return 0.5 * (band_high - band_low) or 1.0
    limit = band_low if math.isfinite(band_low) else band_high
    return 0.1 * abs(limit) or 0.01


def _beyond(value: float, band_low: float, band_high: float) -> float:
    """Return how far a value lies beyond its goal, in units of the goal; negative inside."""
    if not math.isfinite(value):
        return 0.0
    return max(band_low - value, value - band_high) / band_unit(band_low, band_high)


def _change(
    run: Run, facts: GameFacts, found: Found, pick: int, verdict: stats.Verdict, level: float, before: Run
) -> Row | None:
    """Compare with the baseline, against the present goal."""
    if found.goal.measure.startswith("item_") and not measures.same_items(before, facts):
        return None
    old = _find(before, facts, found.name, found.goal, found.players, found.default)
    if old is None:
        return None
    _, old_verdict, _, _ = old.judge(level)
    old_pick = old.counterpart(found.names[pick])
    one, other = found.estimates.rows(pick), old.estimates.rows(old_pick)
    delta = measures.change(run, before, found.players, one, other)
    low, high = stats.limits(delta, stats.single(delta, level), "difference", min(found.deals, old.deals))
    margin = found.goal.margin(float(other.value[0]))
    together = measures.paired(run, before, found.players)
    return {
        "before": other.value[0],
        "before_subject": old.names[old_pick],
        "before_verdict": old_verdict,
        "delta": delta.value[0],
        "lo": low[0],
        "hi": high[0],
        "paired": together or measures.common_groups(run, before, found.players) is not None,
        "same_within": margin,
        "identical": together and not np.any(delta.influence) and float(delta.value[0]) == 0.0,
        "class": stats.change(
            before=old_verdict,
            now=verdict,
            excess_before=stats.excess(float(other.value[0]), *found.band),
            excess_now=stats.excess(float(one.value[0]), *found.band),
            low=float(low[0]),
            high=float(high[0]),
            same_within=margin,
        ),
    }


# --- exit code -------------------------------------------------------------------------------------------------


def check(report: Mapping[str, Any], *, fail_on_unclear: bool = False) -> int:
    """Return the exit code of a report.

    Parameters
    ----------
    report : dict
        As `reports.tables.build` returns it.
    fail_on_unclear : bool
        Whether a goal too close to call counts as well.

    Returns
    -------
    int
        0 all goals met (or none set) · 1 a goal is missed · 3 undecided, if asked · 4 a control failed.
    """
    if any(control["state"] == "failed" for control in report["controls"]):
        return EXIT_BROKEN
    verdicts = [goal["verdict"] for goal in report["goals"] if not goal["default"]]
    if "outside" in verdicts:
        return EXIT_OUTSIDE
    return EXIT_UNDECIDED if fail_on_unclear and "close" in verdicts else EXIT_OK
