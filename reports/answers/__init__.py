"""Answers to a designer's questions that need games of their own: what a card is worth, which number to turn.

An answer lies as a JSON file in the folder of the run whose page shows it.
"""

import json
from pathlib import Path
from typing import Any

from sim.results import write_json

CARDS, SENSE, COMPENSATE = "cards.json", "sense.json", "compensate.json"


def store(run: Path, file: str, answer: dict[str, Any]) -> None:
    """Lay an answer into a run's folder."""
    write_json(answer, run / file)


def stored(run: Path, file: str) -> dict[str, Any] | None:
    """Read an answer that lies in a run's folder; None if there is none."""
    path = run / file
    answer: dict[str, Any] | None = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    return answer
