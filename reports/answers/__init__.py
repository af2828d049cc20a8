"""Answers to a designer's questions that need games of their own: what a card is worth, which number to turn.

An answer lies as a JSON file in the folder of the run whose page shows it, in the form that `reports.schema` describes.
"""

from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from reports.schema import Cards, Compensate, Part, Sense
from sim.results import write_json

Answer = TypeVar("Answer", bound=Part)

FILES: dict[type[Part], str] = {Cards: "cards.json", Sense: "sense.json", Compensate: "compensate.json"}


def store(run: Path, answer: dict[str, Any], kind: type[Part]) -> None:
    """Lay an answer into a run's folder."""
    write_json(kind.model_validate(answer).model_dump(mode="json"), run / FILES[kind])


def stored(run: Path, kind: type[Answer]) -> Answer | None:
    """Read an answer that lies in a run's folder; None if there is none, or a damaged one: the report goes on."""
    try:
        return kind.model_validate_json((run / FILES[kind]).read_bytes())
    except (OSError, ValidationError):
        return None
