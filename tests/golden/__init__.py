"""Golden traces: games that must stay as they are, line by line.

``<game>/<name>.jsonl`` is a trace whose first line also tells why the file was written (``"reason"``). To write one
anew, because
a rule or a strategy has changed on purpose::

    python -m tests.golden mon/greedy-4.jsonl "greedy discards dead cards first"

``<game>/reference-*.jsonl`` come from another implementation and are never written anew; the slow twins check them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sim.config import restore
from sim.engine.session import traced
from strategies import registry

FOLDER = Path(__file__).resolve().parent


def files() -> list[Path]:
    """All golden traces of our own."""
    return [path for path in sorted(FOLDER.glob("*/*.jsonl")) if not path.name.startswith("reference-")]


def read(path: Path) -> list[dict[str, Any]]:
    """Lines of a trace."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def played_again(header: dict[str, Any]) -> list[dict[str, Any]]:
    """The game of a trace's first line, played now."""
    plan = {"players": [header["players"]], "draws": header.get("draws", "shared")}
    config = restore({"game": header["game"], "title": "", "name": "golden", **header["rules"], "plan": plan})
    found, _ = registry.find(header["game"])
    entries = [registry.member(found, config, label) for label in header["strategies"]]
    return list(traced(config, entries, seed=header["seed"], deal=header["deal"], rotation=0))
