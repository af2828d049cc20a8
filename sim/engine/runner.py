"""Carrying out a plan: shards go to an executor, results to disk, progress to whoever watches.

Any ``concurrent.futures`` executor serves; a thread pool is the default, since compiled games release the interpreter
lock. A shard whose files exist is done, so a run that was killed continues where it stopped and ends with the same
bytes.
"""

from __future__ import annotations

import platform
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from sim import VERSION, jit, results
from sim.engine import play
from sim.engine.plan import Piece, Plan, Shard
from sim.engine.sums import chunk_sums
from sim.engine.trace import illegal_action_story
from sim.errors import IntegrityError
from sim.games import spec as game_spec
from sim.games.interface import SHARE_UNITS, Entry, GameSpec

SECONDS_BETWEEN_MANIFESTS = 1.0
SHARDS_AHEAD = 64  # shards in the executor's hands at once: enough for a cluster, few enough to stop soon


@dataclass(frozen=True)
class Job:
    """What every shard of a run needs; it can be sent to another process or machine.

    Attributes
    ----------
    game : str
    options : GameOptions
        The rules part of the config.
    plan : Plan
    folder : Path
        Where the results go.
    keep_games : float
        Share of the deals whose games are kept as rows; block sums always hold all.
    given : tuple of int
        What each seat is given on top at the start (``GameSpec.bonus``); empty for nothing.
    reckoned : GameOptions, optional
        Rules whose payoffs (``GameSpec.payoffs``) the strategies reckon with when they choose.
    """

    game: str
    options: Any
    plan: Plan
    folder: Path
    keep_games: float = 1.0
    given: tuple[int, ...] = ()
    reckoned: Any = None


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    games, total : int
        Games done, in all runs of this folder, and planned.
    fresh : int
        Games played by this run.
    seconds : float
        Since this run's first shard was sent out.
    shard : Path or None
        Block sums that have just been written.
    """

    games: int
    total: int
    fresh: int
    seconds: float
    shard: Path | None = None

    @property
    def speed(self) -> float:
        """Games a second."""
        return self.fresh / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float:
        """Estimate of the time to come."""
        return (self.total - self.games) / self.speed if self.speed > 0 else float("inf")


class IllegalActionError(IntegrityError):
    """A strategy chose an action that the rules forbid.

    Attributes
    ----------
    entry : int
        Which strategy.
    """

    def __init__(self, entry: int, what: str, where: str, got: str) -> None:
        super().__init__(what, where=where, got=got)
        self.entry = entry

    def __reduce__(self) -> tuple[Any, ...]:
        """Let it travel back from another process."""
        return type(self), (self.entry, self.what, self.where, self.got)


@dataclass
class Run:
    """A run in its folder: what is planned, what is done, what failed; for ``shard_games`` see :meth:`Plan.shards`."""

    job: Job
    manifest: dict[str, Any]
    shard_games: int | None = None
    failures: list[IllegalActionError] = field(default_factory=list)

    def carry_out(self, executor: Executor, watch: Callable[[Progress], None] = lambda progress: None) -> None:
        """Play all shards that are not done yet and keep the manifest up to date.

        A strategy that plays an illegal action fails by name: from then on its line-ups are left out, the others go on.

        Parameters
        ----------
        executor : Executor
            Anything that offers ``submit``.
        watch : callable
            Told about the progress after every shard.
        """
        plan = self.job.plan
        shards = list(plan.shards(self.shard_games))
        done = [shard for shard in shards if self._path(shard).exists()]
        games, fresh = sum(shard.games for shard in done), 0
        started = written = time.monotonic()
        earlier = self.manifest["seconds"]
        failed: set[int] = set()
        self.manifest["shards"] = {"planned": len(shards), "done": sorted(map(_name, done))}
        self._write("running")
        watch(Progress(games, plan.games, 0, 0.0))
        queue = deque(shard for shard in shards if shard not in set(done))
        try:
            for shard, future in _in_flight(executor, self.job, queue, failed):
                try:
                    future.result()
                except IllegalActionError as fault:
                    if fault.entry not in failed:
                        failed.add(fault.entry)
                        self.failures.append(fault)
                    queue.append(shard)  # once more, without the line-ups that failed
                    continue
                games += shard.games
                fresh += shard.games
                now = time.monotonic()
                self.manifest["shards"]["done"] = sorted([*self.manifest["shards"]["done"], _name(shard)])
                self.manifest["seconds"] = round(earlier + now - started, 3)
                if now - written > SECONDS_BETWEEN_MANIFESTS:
                    written = now
                    self._write("running")
                watch(Progress(games, plan.games, fresh, now - started, self._path(shard)))
        finally:
            complete = len(self.manifest["shards"]["done"]) == len(shards)
            self._write("failed" if self.failures else "complete" if complete else "interrupted")

    def _path(self, shard: Shard) -> Path:
        return results.part_path(self.job.folder, "blocks", shard.players, shard.number)

    def _write(self, status: str) -> None:
        labels = [entry.label for entry in self.job.plan.entries]
        self.manifest["status"] = status
        self.manifest["failures"] += [
            {"strategy": labels[fault.entry], "message": str(fault)}
            for fault in self.failures
            if labels[fault.entry] not in {each["strategy"] for each in self.manifest["failures"]}
        ]
        results.write_json(self.manifest, self.job.folder / results.MANIFEST)


def thread_pool(workers: int) -> Executor:
    """Give the default executor."""
    return ThreadPoolExecutor(workers, thread_name_prefix="hakari")


def play_shard(job: Job, shard: Shard) -> None:
    """Play one shard and write its files; the file of block sums comes last and marks the shard as done.

    Raises
    ------
    IllegalActionError
        If a strategy played an illegal action.
    """
    spec = game_spec(job.game).under(job.options)
    rows, records, pieces = play_pieces(job, shard)
    sums = [chunk_sums(spec, piece, len(job.plan.entries), rows[part], records[part]) for piece, part in pieces]
    lineup = np.concatenate([np.full(piece.games, piece.cell.lineup.id, np.int16) for piece, _ in pieces])
    if job.keep_games < 1.0:
        kept = _kept(job, rows.deal)
        lineup, rows, records = lineup[kept], rows[kept], records[kept]
    if len(rows):
        table = results.games_table(spec, shard.players, lineup, rows, records)
        results.write_table(table, results.part_path(job.folder, "games", shard.players, shard.number))
    table = results.blocks_table(spec, sums)
    results.write_table(table, results.part_path(job.folder, "blocks", shard.players, shard.number))


def play_pieces(job: Job, shard: Shard) -> tuple[Any, Any, list[tuple[Piece, slice]]]:
    """Play one shard in memory: rows, records, and where each piece lies in them."""
    spec, plan = game_spec(job.game), job.plan
    games = np.concatenate([_games(spec, plan, piece) for piece in shard.pieces]).view(np.recarray)
    ends = np.cumsum([piece.games for piece in shard.pieces]).tolist()
    places = [(piece, slice(end - piece.games, end)) for piece, end in zip(shard.pieces, ends, strict=True)]
    rules = [spec.fill_rules(job.options, shard.players, plan.draws == "per_seat")]
    for seat, amount in enumerate(job.given):
        if spec.bonus:
            spec.bonus.give(rules[0], seat, amount)
    if job.reckoned is not None:
        rules.append(rules[0].copy())
        believed = spec.fill_rules(job.reckoned, shard.players)
        for name in spec.payoffs:
            rules[1][name] = believed[name]
        games.reckoned = 1
    rows, records = play_games(job, play.rules_of(rules), games)
    return rows, records, places


def play_games(job: Job, rules: Any, games: Any, entries: Sequence[Entry] = ()) -> tuple[Any, Any]:
    """Play games in memory.

    Parameters
    ----------
    rules : RULES[VARIANTS]
    games : game_dtype[GAMES]
    entries : sequence of Entry, optional
        Who can play, instead of those of the job's plan.

    Returns
    -------
    rows, records : row_dtype[GAMES], RECORD[GAMES]

    Raises
    ------
    IllegalActionError
        If a strategy played an illegal action or brings no game to an end.
    IntegrityError
        If a strategy raised an exception.
    """
    seed, entries = job.plan.seed, entries or job.plan.entries
    try:
        rows, records, fault = play.kernel(game_spec(job.game)).play(entries, rules, seed=seed, games=games)
    except Exception as error:  # compiled functions let whatever a strategy raises through
        raise IntegrityError(
            f"a strategy fails while playing: {type(error).__name__}: {error}",
            where=f"{job.game}, {rules[0].players} players",
            expected="strategies that return an action and raise nothing",
        ) from None
    if fault.status != play.OK:
        raise _explain(job, rules, games, entries, fault)
    return rows, records


def _games(spec: GameSpec, plan: Plan, piece: Piece) -> Any:
    """List the games of a piece: game_dtype[GAMES]."""
    lineup = piece.cell.lineup
    if lineup.members is None:
        members = play.mixed_tables(plan.seed, piece.first_block, piece.blocks, lineup.players, len(plan.entries))
    else:
        members = np.tile(np.array(lineup.members, np.int16), (piece.blocks, 1))
    return play.seatings(spec, piece.first_block, members, piece.cell.rotations)


def _kept(job: Job, deals: np.ndarray) -> np.ndarray:
    """Which games are kept as rows: bool[GAMES]."""
    kept = np.zeros(len(deals), bool)
    with np.errstate(over="ignore"):
        play.keep_deals(np.uint64(job.plan.seed), deals, job.keep_games, kept)
    return kept


def _explain(job: Job, rules: Any, games: Any, entries: Sequence[Entry], fault: Any) -> IllegalActionError:
    """Turn a fault of the batch loop into an error that names the strategy and tells the moment."""
    game = games[fault.game]
    law, reckoned = rules[int(game.rules)], rules[int(game.reckoned)]
    players = int(law.players)
    seated = [entries[number] for number in game.strategy[:players]]
    spec = game_spec(job.game).under(job.options)
    story = illegal_action_story(spec, law, seated, job.plan.seed, int(game.deal), reckoned)
    what = "does not come to an end" if fault.status == play.TOO_LONG else "played an illegal action"
    where = f"{job.game}, {players} players, deal {game.deal}, rotation {game.rotation}"
    return IllegalActionError(int(fault.strategy), f"strategy {entries[fault.strategy].label} {what}", where, story)


def _in_flight(
    executor: Executor, job: Job, queue: deque[Shard], failed: set[int]
) -> Iterator[tuple[Shard, Future[None]]]:
    """Send shards to the executor, some ahead, and yield each with its future when it is finished.

    The queue may grow, and more strategies may fail, while the caller handles what is yielded.
    """
    finished: SimpleQueue[Future[None]] = SimpleQueue()
    running: dict[Future[None], Shard] = {}
    while True:
        while queue and len(running) < SHARDS_AHEAD:
            shard = _without(queue.popleft(), failed)
            if shard.pieces:
                future = executor.submit(play_shard, job, shard)
                running[future] = shard
                # Told by callback, since `concurrent.futures.wait` knows only its own kind of future.
                future.add_done_callback(finished.put)
        if not running:
            return
        future = finished.get()
        yield running.pop(future), future


def _without(shard: Shard, failed: set[int]) -> Shard:
    """Leave out the line-ups of a shard that could seat a failed strategy."""
    kept = [
        piece
        for piece in shard.pieces
        if not failed or not failed & set(piece.cell.lineup.members or failed)  # a field could seat anybody
    ]
    return replace(shard, pieces=tuple(kept))


def _name(shard: Shard) -> str:
    return f"players={shard.players}/part-{shard.number:05d}"


def new_manifest(job: Job, **more: Any) -> dict[str, Any]:
    """Make the manifest of a run that has not begun: all that decides its games, and where it was made.

    Parameters
    ----------
    more
        Further facts to store: the config, the command, the baseline.
    """
    spec, plan = game_spec(job.game), job.plan
    return {
        "schema": results.SCHEMA_VERSION,
        "hakari": VERSION,
        "game": spec.name,
        "rules_version": spec.rules_version,
        "source_hash": jit.digest(jit.COMPILED_FROM),
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "numba", "pyarrow")},
        },
        "keep_games": job.keep_games,
        **_describe(plan),
        **more,
        "status": "planned",
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": 0.0,
        "shards": {"planned": 0, "done": []},
        "failures": [],
        "controls": {},
    }


SAME_GAMES = (
    *("game", "rules_version", "source_hash", "keep_games", "config_hash"),
    *("seed", "draws", "players", "games", "strategies", "lineups", "cells"),
)


def resumable(manifest: Mapping[str, Any], planned: Mapping[str, Any]) -> bool:
    """Whether an interrupted run played the same games as are planned now, so that it can be continued."""
    return manifest.get("status") in ("running", "interrupted") and all(
        manifest.get(key) == planned.get(key) for key in SAME_GAMES
    )


def _describe(plan: Plan) -> dict[str, Any]:
    """Describe the plan: strategies, line-ups and cells."""
    return {
        "share_units": SHARE_UNITS,
        "seed": plan.seed,
        "draws": plan.draws,
        "players": list(plan.players),
        "games": plan.games,
        "strategies": [
            {
                "name": entry.label,
                "title": entry.strategy.title + entry.label.removeprefix(entry.strategy.name),
                "summary": entry.strategy.summary,
                "weakness": entry.strategy.weakness,
                "params": dict(zip(entry.strategy.params, entry.values, strict=True)),
                "defaults": dict(entry.strategy.params),
            }
            for entry in plan.entries
        ],
        "lineups": [
            {
                "id": cell.lineup.id,
                "kind": cell.lineup.kind,
                "players": cell.lineup.players,
                "members": None if cell.lineup.members is None else list(cell.lineup.members),
                "label": cell.lineup.label,
            }
            for cell in plan.cells
        ],
        "cells": [
            {
                "players": cell.lineup.players,
                "lineup": cell.lineup.id,
                "blocks": cell.blocks,
                "rotations": cell.rotations,
                "games": cell.games,
                "chunk_blocks": cell.chunk_blocks,
                "chunks": cell.chunks,
            }
            for cell in plan.cells
        ],
    }
