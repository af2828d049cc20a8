"""The goals at a glance, the strips of the goals table, and the key to the marks."""

from collections.abc import Sequence

from reports import words
from reports.charts import STRIP
from reports.figures.scales import RANGES, Chart, Report, Row, Table, players_word

GREEN = 82.0
"""Width of a two-sided goal on its strip, in pixels."""


def strip(goal: Row) -> Chart:
    """Draw a goal's strip: its limit always stands in the same place, and a one-sided goal reaches to the edge."""
    low, high = goal["band"]["lo"], goal["band"]["hi"]
    beside = (STRIP[0] / GREEN - 1.0) / 2.0
    if low is not None and high is not None:
        size = (high - low) or 0.01
        scale = {"lo": low - beside * size, "hi": high + beside * size}
    else:
        # A one-sided goal reaches as far as there are values: down to 0, or up to 100%.
        limit = high if low is None else low
        end = 0.0 if low is None else 1.0
        size = abs(limit - end) / (1 + beside)
        if goal["kind"] == "difference" or (low is not None and goal["kind"] == "mean") or not size:
            size = 0.2 * abs(limit) or 0.01
        scale = (
            {"lo": limit - (1 + beside) * size, "hi": limit + beside * size}
            if low is None
            else {"lo": limit - beside * size, "hi": limit + (1 + beside) * size}
        )
    length = scale["hi"] - scale["lo"]
    margin = 5.0 / STRIP[0] * length

    def inside(x: float | None) -> float | None:
        return None if x is None else min(max(x, scale["lo"] + margin), scale["hi"] - margin)

    est, before = goal["est"], (goal["change"] or {}).get("before")
    same = before is not None and est is not None and abs(before - est) < 0.02 * length
    par = 0.0 if goal["kind"] == "difference" else goal["par"]
    off = None if est is None else "left" if est < scale["lo"] else "right" if est > scale["hi"] else None
    # An arrow stands for all that lies beyond the strip; the numbers beside it say how far.
    shown = before is not None and not same and not (off and not scale["lo"] <= before <= scale["hi"])
    return {
        "kind": "strip",
        "axis": scale,
        "zone": [low, high],
        "par": par if par is not None and scale["lo"] < par < scale["hi"] else None,
        "before": inside(before) if shown else None,
        "x": inside(est),
        **{k: None if off else inside(goal[k]) for k in RANGES},
        "tone": {"outside": "out", "close": "ink", "inside": "est"}[goal["verdict"]],
        "off": off,
        "alt": f"{goal['label']}: {words.goal_value(goal, est)}, {words.VERDICTS[goal['verdict']]}",
        "desc": f"Joint range {words.goal_range(goal)}; goal {goal['band']['text']}"
        + (f"; baseline {words.goal_value(goal, before)}." if before is not None else "."),
    }


def overview(report: Report) -> Table | None:
    """Put each goal on one row, the player counts side by side, if there are several."""
    rows: dict[tuple[str, str], dict[int, Row]] = {}
    for goal in report["goals"]:
        label = goal["label"].rpartition(", ")[0]
        same = rows.setdefault((label, ""), {})
        if goal["players"] in same:  # two goals of one name
            same = rows.setdefault((label, goal["goal"]), {})
        same[goal["players"]] = goal
    counts = sorted({goal["players"] for goal in report["goals"]})
    if len(counts) < 2:
        return None
    return {
        "caption": "Each goal with every number of players",
        "columns": [players_word(n) for n in counts],
        "rows": [_glance(found, counts) for found in rows.values()],
    }


def _glance(found: dict[int, Row], counts: Sequence[int]) -> Row:
    """Make a row of the overview; a limit that is the same with all numbers of players is named once."""
    any_ = next(iter(found.values()))
    bands = {goal["band"]["text"] for goal in found.values()}
    return {
        "label": any_["label"].rpartition(", ")[0],
        "section": any_["section"],
        "band": any_["band"]["text"] if len(bands) == 1 else "",
        "cells": [
            {
                "verdict": found[n]["verdict"],
                "value": words.goal_value(found[n], found[n]["est"]),
                "subject": (found[n]["subject"] or "").removeprefix("the "),
                "band": found[n]["band"]["text"] if len(bands) > 1 else "",
            }
            if n in found
            else None
            for n in counts
        ],
    }


def key(report: Report) -> Chart:
    """Draw the key under the goals."""
    before = report["baseline"] is not None
    return {
        "kind": "key",
        "before": before,
        "alt": "Key to the marks",
        "desc": "Filled dot: estimate. Thick line: 95% range of this row. Thin line: range that holds for all rows "
        "together. Green zone: your goal. Grey tick: par." + (" Hollow dot: the value before." if before else ""),
    }
