"""Scales, digits, labels and rows that all figures share."""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reports import stats, words
from reports.charts import WIDTHS

Report = Mapping[str, Any]
Row = Mapping[str, Any]
Figure = dict[str, Any]
Chart = dict[str, Any]
Table = dict[str, Any]
Ends = tuple[float | None, float | None]
"""Limits of a goal on a chart's scale; None is open."""

CHARACTER = 7.0
"""Width of a character of row text in pixels, with some slack for the reader's font."""

SLIM = {**dict.fromkeys("ijl|'.,:;!", 0.5), **dict.fromkeys("ft r()[]-I", 0.65), **dict.fromkeys("mwMW@%→", 1.5)}
"""Letters that take less or more than a character's usual width, by how much."""

NICE = (1, 2, 2.5, 5)
RANGES = ("lo", "hi", "joint_lo", "joint_hi")


# --- rows of dots ----------------------------------------------------------------------------------------------


def dots(
    rows: Sequence[Chart],
    *,
    width: str,
    title: str,
    labels: float,
    scale: Chart,
    alt: str,
    desc: str,
    values: float = 52,
    pitch: float = 26,
    zone: Ends | None = None,
) -> Chart:
    """Make a chart of rows of dots, a goal cut to the scale."""
    return {
        "kind": "dots",
        "width": width,
        "title": title,
        "labels": labels,
        "values": values,
        "pitch": pitch,
        "axis": scale,
        "zone": cut_zone(zone, scale),
        "centre": 0.0,
        "rows": list(rows),
        "alt": alt,
        "desc": desc,
    }


def dot(
    numbers: Chart, label: str, value: str, *, tone: str = "est", hollow: bool = False, strong: bool = False
) -> Chart:
    """Make a row of a chart of dots from numbers on its scale."""
    return {"before": None, **numbers, "label": label, "value": value, "tone": tone, "hollow": hollow, "strong": strong}


def plot_pixels(width: str, labels: float, values: float = 52) -> float:
    """Return how wide the plot of a chart of dots is."""
    return WIDTHS[width] - labels - values - 24


def from_par(row: Row, par: float) -> Chart:
    """Return a row's numbers in points from par."""
    names = {"x": "est", **{k: k for k in RANGES}, "before": "before"}
    return {new: None if row.get(old) is None else 100.0 * (row[old] - par) for new, old in names.items()}


def reach_of(rows: Iterable[Chart]) -> list[float]:
    """Return all numbers that a scale must hold."""
    return known(r[k] for r in rows for k in ("x", *RANGES, "before"))


def if_moved(row: Chart, scale: Chart) -> Chart:
    """Show the value before only where it can be told from the value now."""
    before, now = row["before"], row["x"]
    moved = before is not None and now is not None and abs(before - now) >= 0.02 * (scale["hi"] - scale["lo"])
    return {**row, "before": before if moved else None}


# --- scales and digits -----------------------------------------------------------------------------------------


def known(values: Iterable[float | None]) -> list[float]:
    """Leave out what is not known."""
    return [v for v in values if v is not None and math.isfinite(v)]


def digits(rows: Iterable[Row], scale: float = 100.0, low: str = "joint_lo", high: str = "joint_hi") -> int:
    """Return one precision for a column: the decimals of its median half-width."""
    halves = [scale * (r[high] - r[low]) / 2 for r in rows if r[low] is not None and r[high] is not None]
    halves = [h for h in halves if h > 0.0]
    return stats.decimals(statistics.median(halves)) if halves else 1


def axis(
    values: Sequence[float], pixels: float, label: float, zero: str, *, signed: bool = True, grid: bool = True
) -> Chart:
    """Choose a scale that holds all values and zero, with round ticks at least `label` pixels apart."""
    low, high = min([*values, 0.0]), max([*values, 0.0])
    if high - low <= 0.0:
        low, high = -1.0, 1.0
    pad = 0.06 * (high - low)
    low, high = low - pad, high + pad
    step = step_of((high - low) * label / pixels)
    places = next(p for p in range(9) if abs(step * 10**p - round(step * 10**p)) < 1e-6)
    ticks = []
    for k in range(math.ceil(low / step), math.floor(high / step) + 1):
        ticks.append([k * step, zero if k == 0 else words.number(k * step, places, signed=signed)])
    return {"lo": low, "hi": high, "ticks": ticks, "grid": grid}


def step_of(least: float) -> float:
    """Return the smallest round step of at least this size."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(nice * power for nice in (*NICE, 10) if nice * power >= least * (1 - 1e-9))


def cut_zone(zone: Ends | None, scale: Chart) -> list[float | None] | None:
    """Cut a goal to the scale: a limit beyond it is open, a goal wholly beyond it is not drawn."""
    if zone is None:
        return None
    low, high = zone
    if (low is not None and low > scale["hi"]) or (high is not None and high < scale["lo"]):
        return None
    return [
        None if low is None or low < scale["lo"] else low,
        None if high is None or high > scale["hi"] else high,
    ]


def near(limits: Sequence[float], reach: Sequence[float]) -> list[float]:
    """Keep the limits of goals that are not far beyond all data."""
    most = 2.5 * max((abs(x) for x in reach), default=1.0)
    return [x for x in limits if abs(x) <= max(most, 2.0)]


# --- goals -----------------------------------------------------------------------------------------------------


def goal_of(report: Report, players: int, *measures: str) -> Row | None:
    """Find the goal that a chart shades, the first measure first."""
    return next((g for m in measures for g in report["goals"] if g["measure"] == m and g["players"] == players), None)


def band_from(goal: Row | None, centre: float) -> Ends | None:
    """Return a goal's band in points from a centre."""
    if goal is None:
        return None
    ends = [None if goal["band"][end] is None else 100.0 * (goal["band"][end] - centre) for end in ("lo", "hi")]
    return ends[0], ends[1]


# --- words -----------------------------------------------------------------------------------------------------


def short_labels(names: Iterable[str], most: float) -> tuple[dict[str, str], float]:
    """Shorten names to a width in pixels, each to one of its own; return them with the width that they take.

    What has room as it is printed stays whole, though it has more characters than fit on average.
    """
    names = list(names)
    columns = max([int(most / CHARACTER), *(words.width(name) for name in names if printed(name) <= most)])
    short = words.shorten_apart(names, columns)
    return short, round(max(map(printed, short.values()), default=0.0))


def printed(text: str) -> float:
    """Return about how many pixels a row's text takes, a little more rather than less."""
    return sum(2 * CHARACTER if words.width(c) == 2 else CHARACTER * SLIM.get(c, 1.0) for c in text)


def between(row: Row, ends: str, places: int, *, signed: bool = False) -> str:
    """Write a row's range in points: "" for its own, "joint_" for the joint one."""
    low, high = (None if row[ends + e] is None else 100.0 * row[ends + e] for e in ("lo", "hi"))
    return words.span(low, high, places, signed=signed)


def players_word(n: int) -> str:
    """Write "4 players"."""
    return words.plural(n, "player")


def games_word(panels: Sequence[Row]) -> str:
    """Say how many games each panel rests on."""
    games = sorted({p["games"] for p in panels})
    if len(games) == 1:
        return words.plural(games[0], "game") + (" per player count" if len(panels) > 1 else "")
    if games[-1] - games[0] <= 0.01 * games[-1]:
        return f"about {words.count(round(games[0], -len(str(games[0])) + 3))} games per player count"
    return f"{words.count(games[0])} to {words.count(games[-1])} games per player count"


def mixed_word(report: Report) -> str:
    """Say who sits at the mixed table."""
    n = len(report["strategies"])
    return "one strategy at every seat" if n == 1 else f"{words.spelled(n)} strategies mixed"


def counts_word(players: Sequence[int]) -> str:
    """Say over which player counts a mean is taken."""
    return players_word(players[0]) if len(players) == 1 else f"mean over {players[0]} to {players[-1]} players"


def layout(panels: Sequence[Any]) -> str:
    """Choose how many panels stand beside each other."""
    return {1: "one", 2: "two"}.get(len(panels), "three")


def width_of(panels: Sequence[Any]) -> str:
    """Choose the width of the panels of a figure: S where three stand side by side."""
    return "S" if len(panels) > 2 else "M"
