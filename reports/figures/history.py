"""The history of a goal over the runs of a game, as a small chart."""

from collections.abc import Sequence

from reports import goals, words
from reports.figures.scales import Chart, Row, known

TONES = {"outside": "out", "close": "ink", "inside": "est"}


def spark(history: Sequence[Row]) -> Chart:
    """Draw a goal's last runs against the goal as it is now.

    Parameters
    ----------
    history : sequence of dict
        Rows of the goals table, one a run, the oldest first; each has a value.
    """
    newest = history[-1]
    zone = [newest["band"]["lo"], newest["band"]["hi"]]
    ys = [goal["est"] for goal in history]
    values = [words.goal_value(goal, goal["est"]) for goal in history]
    since = f"Last {len(history)} runs, oldest first: {', '.join(values)}" if len(history) > 1 else "One run so far"
    return {
        "kind": "spark",
        "axis": _axis(ys, zone),
        "zone": zone,
        "ys": ys,
        "tone": TONES[newest["verdict"]],
        "hollow": newest["verdict"] == "close",
        "alt": f"{newest['label']}: {values[-1]}, {words.VERDICTS[newest['verdict']]}",
        "desc": f"{since}; goal {newest['band']['text']}.",
    }


def _axis(ys: Sequence[float], zone: Sequence[float | None]) -> Chart:
    """Hold all values and the limits of the goal; the open side of a goal reaches some way beyond."""
    low_end, high_end = zone
    unit = goals.band_unit(*(float("inf") if end is None else end for end in zone))
    low, high = min([*ys, *known(zone)]), max([*ys, *known(zone)])
    low, high = (low - unit if low_end is None else low), (high + unit if high_end is None else high)
    pad = 0.12 * ((high - low) or unit)
    return {"lo": low - pad, "hi": high + pad}
