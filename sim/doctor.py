"""A check-up of the installation: versions, cores, the cache folder, and a self-check in seconds."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sim import VERSION, games, jit
from sim.engine.plan import make_plan
from sim.engine.runner import Job, play_pieces
from sim.games.interface import Entry

GAMES_PLAYED = 400
PACKAGES = ("numpy", "numba", "pandas", "pyarrow", "matplotlib", "pydantic")


def facts() -> Iterator[tuple[str, str]]:
    """Yield facts about the installation, each with its name."""
    yield "hakari", VERSION
    yield "python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    for package in PACKAGES:
        yield package, version(package)
    yield "cores", str(os.process_cpu_count() if hasattr(os, "process_cpu_count") else len(os.sched_getaffinity(0)))
    folder = jit.cache_root()
    yield "cache folder", f"{folder} ({_megabytes(folder):.0f} MB)"
    yield "sources", jit.digest(jit.COMPILED_FROM)


def self_check(game: str, entries: Sequence[Entry]) -> tuple[bool, str]:
    """Play a few games of a kind twice, cut differently, and compare them byte by byte.

    Returns
    -------
    bool
        Whether both were the same.
    str
        What was found, in words.
    """
    spec = games.spec(game)
    start = time.perf_counter()
    plan = make_plan(
        seed=1, draws="shared", games=GAMES_PLAYED, players=spec.players[-1:], lineups=["field"], entries=entries
    )
    job = Job(game, spec.options(), plan, jit.cache_root())
    same = _bytes(job, 10**6) == _bytes(job, 50)
    seconds = time.perf_counter() - start
    return same, f"{plan.games} games played twice, {'the same bytes' if same else 'DIFFERENT BYTES'}, {seconds:.1f} s"


def _bytes(job: Job, shard_games: int) -> bytes:
    parts: list[Any] = [play_pieces(job, shard)[:2] for shard in job.plan.shards(shard_games)]
    return b"".join(rows.tobytes() for rows, _ in parts) + b"".join(records.tobytes() for _, records in parts)


def _megabytes(folder: Path) -> float:
    files = (path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else ()
    return sum(path.stat().st_size for path in files) / 1e6
