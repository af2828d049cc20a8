"""What all tests share: games, strategies and small runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import pytest

from sim import cli, games
from sim.engine import runner
from sim.engine.plan import Plan, make_plan
from sim.games.interface import Entry
from strategies import registry

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out, in plain Python, what only makes sense or only ends in time when compiled."""
    if not COMPILED:
        for item in items:
            if item.get_closest_marker("compiled"):
                item.add_marker(pytest.mark.skip(reason="needs compiled games"))


def entries_of(game: str, *names: str) -> list[Entry]:
    """Built-in strategies with their default parameters: all of them, or those named."""
    found, broken = registry.find(game)
    assert not broken
    return [Entry(name, found[name], tuple(found[name].params.values())) for name in names or found]


@pytest.fixture
def play(tmp_path: Path) -> Callable[..., Path]:
    """Play a small run into a folder and return it."""

    def run(
        game: str = "mon",
        *,
        folder: str = "run",
        games_in_all: int = 600,
        workers: int = 1,
        shard_games: int = 100,
        players: tuple[int, ...] = (3, 4),
        entries: list[Entry] | None = None,
        options: Any = None,
        pool: Executor | None = None,
        **more: Any,
    ) -> Path:
        spec = games.spec(game)
        plan = small_plan(game, games_in_all, players, entries, **more)
        job = runner.Job(game, options or spec.options(), plan, tmp_path / folder)
        manifest = runner.new_manifest(job)
        with runner.thread_pool(workers) as threads:
            runner.Run(job, manifest, shard_games).carry_out(pool or threads)
        return job.folder

    return run


@pytest.fixture
def hakari(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., tuple[int, str, str]]:
    """Run the command in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["hakari", *map(str, arguments)])
        try:
            cli.main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return run


def small_plan(
    game: str, games_in_all: int, players: tuple[int, ...], entries: list[Entry] | None = None, **more: Any
) -> Plan:
    """A plan of some games: mixed tables, one against the rest and mirrors."""
    options: dict[str, Any] = {"seed": 5, "draws": "shared", "lineups": ["field", "one_vs_rest", "mirror"], **more}
    return make_plan(games=games_in_all, players=players, entries=entries or entries_of(game), **options)
