"""Comparing two runs, A and B: two run folders -> `compare.json` -> a page and a table for the terminal."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reports.compare.files import HTML, JSON, write
from reports.compare.gate import gate_code, gate_text, gated
from reports.compare.numbers import SCHEMA, build
from reports.compare.precision import PILOT_GAMES, games_needed
from reports.compare.replays import Tell
from reports.compare.terminal import summary, table
from reports.games import facts_of
from sim.results import read_manifest

__all__ = [
    "HTML",
    "JSON",
    "PILOT_GAMES",
    "SCHEMA",
    "build",
    "games_needed",
    "gate_code",
    "gate_text",
    "gated",
    "of_runs",
    "summary",
    "table",
    "write",
]


def of_runs(
    a: Path,
    b: Path,
    tell: Tell | None = None,
    *,
    aim: str = "",
    untouched: Sequence[int] = (),
    notes: Sequence[str] = (),
    unadapted: Path | None = None,
) -> dict[str, Any]:
    """Compare two runs of one of Hakari's games; see :func:`build`."""
    manifest = read_manifest(b)
    facts = facts_of(manifest["game"], manifest["config"])
    return build(a, b, facts, tell, aim=aim, untouched=untouched, notes=notes, unadapted=unadapted)
