"""Faults planted in traces, to see that a twin notices them: what is done to which line, counted from 1."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parents[1] / "golden"

Line = dict[str, Any]
Fault = Callable[[list[Line]], None]


def reference(game: str, number: int) -> list[Line]:
    """Lines of a reference trace, fresh for every call."""
    text = (GOLDEN / game / f"reference-{number}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def change(line: int, path: str, new: Any) -> Fault:
    """Set a field, ``path`` being its keys and indices joined by slashes, to something else than it was."""

    def plant(lines: list[Line]) -> None:
        place, key = _field(lines[line - 1], path)
        before = repr(place)
        place[key] = new
        assert repr(place) != before, f"line {line}, {path}: no fault at all"

    return plant


def remove(line: int, path: str) -> Fault:
    """Take a field or an entry away."""

    def plant(lines: list[Line]) -> None:
        place, key = _field(lines[line - 1], path)
        del place[key]

    return plant


def _field(place: Any, path: str) -> tuple[Any, Any]:
    *way, last = path.split("/")
    for step in way:
        place = place[int(step) if isinstance(place, list) else step]
    return place, int(last) if isinstance(place, list) else last


def drop(line: int) -> Fault:
    """Leave a line out."""
    return lambda lines: lines.__delitem__(line - 1)


def double(line: int) -> Fault:
    """Write a line twice."""
    return lambda lines: lines.insert(line, copy.deepcopy(lines[line - 1]))


def swap(line: int) -> Fault:
    """Exchange a line with the next."""

    def plant(lines: list[Line]) -> None:
        lines[line - 1], lines[line] = lines[line], lines[line - 1]

    return plant


def insert(line: int, **fields: Any) -> Fault:
    """Put a new line there: by default an action that leaves the table as it was."""

    def plant(lines: list[Line]) -> None:
        lines.insert(line - 1, {"type": "action", **fields})
        if lines[line - 1]["type"] == "action" and "state" in lines[line - 2]:
            lines[line - 1]["state"] = lines[line - 2]["state"]

    return plant
