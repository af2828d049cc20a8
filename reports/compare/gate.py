"""The exit code of a comparison, for scripts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reports.goals import EXIT_BROKEN, EXIT_OK, EXIT_OUTSIDE, EXIT_UNDECIDED
from sim.errors import UsageError, either, nearest

ALL = "all"


def gated(text: str, known: Iterable[str]) -> list[str]:
    """Read a list of goals, or "all".

    Raises
    ------
    UsageError
        If a goal is not there.
    """
    known = list(known) or ["first_player"]  # the yardstick of a config without goals
    names = [name.strip() for name in text.split(",") if name.strip()]
    if names == [ALL]:
        return known
    for name in names or [text]:
        if name not in known:
            meant = nearest(name, known)
            raise UsageError(
                f'there is no goal "{name}" to gate by',
                expected=either([*known, ALL]),
                fix=f"did you mean {meant}?" if meant else None,
            )
    return names


def gate_code(compared: Mapping[str, Any], goals: Sequence[str]) -> int:
    """Return the exit code of a comparison.

    Returns
    -------
    int
        0 no gated goal is worse · 1 one is · 3 none is for certain, but one is unclear, or was met and is now too close
        to call · 4 a control of either run failed.
    """
    if any(control["state"] == "failed" for control in compared["controls"]):
        return EXIT_BROKEN
    rows = [row for row in compared["goals"] if row["goal"] in goals]
    classes = {row["change"]["class"] for row in rows}
    if "worse" in classes:
        return EXIT_OUTSIDE
    slipped = any(row["verdict"] == "close" and row["change"]["before_verdict"] == "inside" for row in rows)
    return EXIT_UNDECIDED if "unclear" in classes or slipped else EXIT_OK


def gate_text(goals: Sequence[str], code: int) -> str:
    """Say what the exit code means."""
    meaning = {
        EXIT_OK: "not worse",
        EXIT_OUTSIDE: "worse",
        EXIT_UNDECIDED: "undecided",
        EXIT_BROKEN: "a control failed",
    }[code]
    return f"Gate {', '.join(goals)}: {meaning} (exit code {code})."
