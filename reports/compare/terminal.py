"""A comparison for the terminal: the verdict, a line a goal, and what else to know."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reports import words
from reports.compare import figures, verdict
from reports.compare.page import heading, pairing_text, untouched_text

if TYPE_CHECKING:
    from rich.console import RenderableType

STYLES = {"better": "green", "worse": "red bold", "unclear": "yellow"}

Row = Mapping[str, Any]


def summary(found: Row) -> dict[str, Any]:
    """Give what a script wants to know, as plain data."""
    kept = (
        "paired",
        "warnings",
        "notes",
        "untouched",
        "verdict",
        "goals",
        "winners",
        "unexpected",
        "replays",
        "controls",
    )
    return {key: found[key] for key in kept}


def table(found: Row) -> list["RenderableType"]:
    """Write a comparison in lines and a table, so that it can be pasted into a chat."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    goals = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("Goal", "Asked", "A", "B", "Change", "Joint range", "In short", "Pairing saves"):
        goals.add_column(
            name, justify="right" if name in ("A", "B", "Change", "Pairing saves") else "left", no_wrap=True
        )
    for row in found["goals"]:
        change = row["change"]
        goals.add_row(
            *map(
                Text,
                (
                    row["label"],
                    row["band"]["text"],
                    *verdict.both(row),
                    verdict.delta(row),
                    verdict.delta_range(row),
                ),
            ),
            Text(verdict.in_short(row), style=STYLES.get(change["class"], "")),
            Text(figures.saved(row["pairing"]["saved"])),
        )
    lines: list[RenderableType] = [Text(heading(found)), Text(found["verdict"]["sentence"], style="bold"), goals]
    if any(row["by_itself"] for row in found["goals"]):
        lines.append(_apart(figures.apart_table(found)))
    counted = [row for row in found["winners"] if row["share"] is not None]
    if counted:
        lines.append(Text(words.sentence(words.other_winners(counted, len(found["winners"]) > 1)) + "."))
    lines.append(Text(pairing_text(found)))
    lines += [Text(note) for note in (*found["warnings"], *found["notes"], *untouched_text(found))]
    return lines


def _apart(parts: Row) -> "RenderableType":
    """Lay out what the edit does by itself."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    laid = Table(box=SIMPLE_HEAD, pad_edge=False, title=parts["caption"], title_justify="left")
    for name, right in parts["columns"]:
        laid.add_column(name, justify="right" if right else "left", no_wrap=True)
    for row in parts["rows"]:
        laid.add_row(*row)
    return laid
