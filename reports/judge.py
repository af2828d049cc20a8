"""Judging a run by its goals, for the terminal and for scripts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reports import controls, goals, tables, words
from reports.blocks import Run
from reports.games import facts_of


@dataclass(frozen=True)
class Judged:
    """Goals and controls of a run.

    Attributes
    ----------
    goals, controls : sequence of dict
        As in `report.json`.
    verdict : dict
        The verdict of the page.
    """

    goals: Sequence[Mapping[str, Any]]
    controls: Sequence[Mapping[str, Any]]
    verdict: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, as `report.json` has it."""
        return {"verdict": dict(self.verdict), "goals": list(self.goals), "controls": list(self.controls)}

    def text(self) -> str:
        """Write the verdict and one line a goal, worst first."""
        lines = [self.verdict["sentence"]]
        rows = [
            (
                words.GLYPHS[g["verdict"]],
                g["label"],
                words.goal_value(g, g["est"]) + (f" {g['subject']}" if g["subject"] else ""),
                f"({words.goal_range(g)})",
                g["band"]["text"],
                words.VERDICTS[g["verdict"]],
            )
            for g in self.goals
        ]
        widths = [max((words.width(row[k]) for row in rows), default=0) for k in range(5)]
        for row in rows:
            cells = [cell + " " * (wide - words.width(cell)) for cell, wide in zip(row, widths, strict=False)]
            lines.append("  ".join([*cells, row[-1]]))
        lines += [f"✗  {c['name']}: {c['found']}" for c in self.controls if c["state"] == "failed"]
        return "\n".join(lines)

    def exit_code(self, fail_on: str) -> int:
        """Return the exit code; `fail_on` is "missed", or "unclear" to fail on undecided goals too."""
        return goals.check(self.as_dict(), fail_on_unclear=fail_on == "unclear")


def run(folder: Path) -> Judged:
    """Judge a run."""
    opened = Run(folder)
    facts = facts_of(opened.manifest["game"], opened.manifest["config"])
    rows, _ = goals.goal_rows(opened, facts)
    checks = controls.controls(opened, facts)
    return Judged(tables.plain(rows), checks, tables.verdict(opened, rows, checks))
