"""Controls at the end of a run: a sample of its games is played again, move by move, and checked by the slow twin.

The batch loop, the step-by-step player and the twin are three ways to the same game; here they must meet on games of
this very run, with its config and its strategies.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

from sim import jit, results
from sim.engine.runner import Job
from sim.engine.trace import trace
from sim.errors import HakariError
from sim.games.interface import Entry

SAMPLE = 30  # games played again, spread evenly over the rows of all player counts


def controls(job: Job, rules_json: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Play sampled games of a finished run again.

    Parameters
    ----------
    job : Job
        The run.
    rules_json : dict
        The rules part of its config, as the twin reads it.

    Returns
    -------
    dict
        ``"rerun"`` and, where the source tree with the twins is at hand, ``"twin"``; each with ``games`` (how many were
        checked), ``different`` (how many did not agree) and ``message`` (what the first of them was, or None).
    """
    twin = _twin(job.game)
    found = {name: {"games": 0, "different": 0, "message": None} for name in ("rerun", *(("twin",) if twin else ()))}
    for players, row in _sample(job):
        where = f"{players} players, deal {row['deal']}, lineup {row['lineup']}, rotation {row['rotation']}"
        entries = [job.plan.entries[row[f"strategy_{seat}"]] for seat in range(1, players + 1)]
        lines = list(_replay(job, rules_json, entries, row["deal"]))
        _count(found["rerun"], None if _same(lines[-1], row, players) else f"{where}: ends otherwise the second time")
        if twin:
            _count(found["twin"], _objection(twin, lines, where))
    return found


def _sample(job: Job) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows of the run, spread evenly; the same ones whenever the run is the same."""
    each = -(-SAMPLE // len(job.plan.players))
    for players in job.plan.players:
        if results.part_files(job.folder, "games", players):
            table = results.read_table(job.folder, "games", players)
            step = max(1, table.num_rows // each)
            for row in table.take(list(range(0, table.num_rows, step))[:each]).to_pylist():
                yield players, row


def _replay(job: Job, rules_json: dict[str, Any], entries: list[Entry], deal: int) -> Iterator[dict[str, Any]]:
    plan = job.plan
    yield from trace(job.game, job.options, rules_json, entries, seed=plan.seed, deal=deal, draws=plan.draws)


def _same(end: dict[str, Any], row: dict[str, Any], players: int) -> bool:
    scores = [row[f"score_{seat}"] for seat in range(1, players + 1)]
    winners = [seat for seat in range(players) if row["winners"] >> seat & 1]
    length = (row["rounds"], row["turns"])
    return (end["scores"], end["winners"], (end["rounds"], end["turns"])) == (scores, winners, length)


def _objection(twin: Any, lines: list[dict[str, Any]], where: str) -> str | None:
    try:
        twin.check(lines)
    except twin.Mismatch as mismatch:
        return f"{where}: {mismatch}"
    return None


def _count(control: dict[str, Any], objection: str | None) -> None:
    control["games"] += 1
    if objection:
        control["different"] += 1
        control["message"] = control["message"] or objection


def _twin(game: str) -> Any:
    """Load the game's slow twin from the source tree's tests, if they are there."""
    path = jit.PROJECT / "tests" / "naive" / f"{game}.py"
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location(f"hakari_twin_{game}", path)
    if spec is None or spec.loader is None:
        raise HakariError(f"cannot load {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
