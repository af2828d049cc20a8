"""How many games a comparison needs, worked out from a small pilot of both sides."""

import math
from pathlib import Path

from reports import goals, stats
from reports.blocks import Run
from reports.games import facts_of

PRECISION = 0.003
"""Half a range's width that a comparison aims at, as a share: ±0.3 percentage points."""

PILOT_GAMES = 12_000
LEAST_GAMES = 60_000
MOST_GAMES = 2_000_000
SPARE = 1.05
"""The pilot's estimate of the spread is itself uncertain by some per cent."""

SEATS = ("first_player", "every_seat")


def games_needed(a: Path, b: Path, precision: float = PRECISION) -> tuple[int, str]:
    """Say how many games a side would measure the changes of the seat goals to ± `precision`, by a pilot.

    Parameters
    ----------
    a, b : path
        Folders of the pilot's runs.
    precision : float
        Half the width of a range, as a share.

    Without a goal about the seats, all goals that are shares count. The range meant is the 95% range of one goal.

    Returns
    -------
    games : int
    words : str
        How they were chosen.
    """
    pilot_a, pilot_b = Run(a), Run(b)
    rows = [
        r
        for r in goals.goal_rows(pilot_b, facts_of(pilot_b.manifest["game"], pilot_b.manifest["config"]), pilot_a)[0]
        if r["kind"] != "mean" and r["change"]
    ]
    wanted = [r for r in rows if r["measure"] in SEATS] or rows
    widths = [_half(r, len(rows)) for r in wanted]
    worst = max((w for w in widths if math.isfinite(w)), default=0.0)
    exact = pilot_b.games * (worst / precision) ** 2 * SPARE
    games = math.ceil(min(max(exact, LEAST_GAMES), MOST_GAMES) / 1000) * 1000
    about = "the goals about the seats" if wanted is not rows else "all goals"
    aim = f"enough for ±{100 * precision:g} points on {about}, by a pilot of {pilot_b.games:,} games a side"
    if exact > MOST_GAMES:
        aim = f"{MOST_GAMES:,} at most; ±{100 * precision:g} points on {about} would take about {exact:,.0f}"
    return games, aim


def _half(row: dict[str, object], goals_together: int) -> float:
    """Half the width of a change's own 95% range; the rows carry that of all goals together."""
    change = row["change"]
    assert isinstance(change, dict)
    single, joint = (stats.normal_quantile(0.5 + 0.5 * level) for level in (stats.LEVEL, stats.sidak(goals_together)))
    return float(0.5 * (change["hi"] - change["lo"]) * single / joint)
