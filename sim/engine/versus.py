"""Two sides of a comparison: the same plan, the same deals and the same luck under two configs.

A side is named by a config, which is then played, or by the folder of a run that has been played already. The plan is
one for both: A's, with per-seat draws (a seat's luck does not move when another seat draws more) and without the
line-ups that the mixed table does not need, unless the command line says otherwise.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from sim import games, results
from sim.config import Config, load, restore
from sim.engine import runner, session
from sim.engine.plan import MIXED_KINDS
from sim.errors import UsageError
from sim.games.interface import Entry

DRAWS = "per_seat"
SIDES = ("a", "b")
OWN_PLAN = ("players", "strategies", "seed", "draws")
"""What a config's own plan can say that the common one overrules; it is told."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison.

    Attributes
    ----------
    target : str
        What the command line names: a config, a game or a folder.
    config : Config
        With the plan that both sides play.
    changes : tuple of str
        What ``--set`` changes on this side.
    run : path or None
        The folder of a run that is there already.
    notes : tuple of str
        What a reader should know about it.
    """

    target: str
    config: Config
    changes: tuple[str, ...] = ()
    run: Path | None = None
    notes: tuple[str, ...] = ()

    def command(self, files: Sequence[Path] = ()) -> str:
        """Write the command that plays this side alone, the same games again.

        Parameters
        ----------
        files : sequence of path
            The user's own strategy files.
        """
        plan = self.config.plan
        kinds = [kind for kind in plan.lineups if isinstance(kind, str)]
        parts = ["hakari", "run", self.target]
        for change in self.changes:
            parts += ["--set", change]
        if kinds == list(plan.lineups):
            parts += ["--lineups", ",".join(kinds)]
        else:
            parts += ["--set", f"plan.lineups={json.dumps(plan.lineups, ensure_ascii=False)}"]
        parts += ["--games", str(plan.games), "--players", ",".join(map(str, plan.players))]
        if plan.strategies:
            parts += ["--strategies", ",".join(plan.strategies)]
        for file in files:
            parts += ["--strategy", str(file)]
        if plan.keep_games < 1:
            parts += ["--keep-games", str(plan.keep_games)]
        return shlex.join([*parts, "--seed", str(plan.seed), "--draws", plan.draws])


def sides(
    a: str, b: str | None, changes_a: Sequence[str], changes_b: Sequence[str], options: Mapping[str, Any]
) -> tuple[Side, Side]:
    """Read what is to be compared.

    Parameters
    ----------
    a, b : str
        Configs, games or folders of runs; without ``b``, A's config with ``changes_b``.
    changes_a, changes_b : sequence of str
        Changes of either config, ``PATH=VALUE``.
    options : mapping
        Options of the command line that change the plan of both (see :func:`sim.engine.session.overrides`).

    Raises
    ------
    UsageError
        If the two are one, are of two games, or a change or option does not fit what it is for.
    """
    if b is None and not changes_a and not changes_b:
        raise UsageError(
            f"{a} alone is nothing to compare", fix=f"change something, as in: hakari compare {a} --set PATH=VALUE"
        )
    for change in (*changes_a, *changes_b):
        if change.partition("=")[0].split(".")[0].strip(' "') == "plan":
            raise UsageError(
                f"--set {change} would give A and B different plans",
                expected="one plan for both",
                fix="use --games, --players, --lineups, --strategies, --seed or --draws",
            )
    targets, changes = (a, b or a), (tuple(changes_a), tuple(changes_b))
    folders = [Path(each) if is_run(each) else None for each in targets]
    for folder, mine in zip(folders, changes, strict=True):
        if folder and mine:
            raise UsageError(f"{folder} is a run, which is played already", fix="name its config to change it")
    given = [name for name, value in options.items() if value is not None]
    if given and any(folders):
        raise UsageError(
            f"--{given[0].replace('_', '-')} is for configs; a run has its plan already", fix="leave it out"
        )
    manifests = [results.read_manifest(folder) if folder else None for folder in folders]
    plan = next((restore(each["config"]).plan for each in manifests if each), None)
    usual = options if plan else {**options, "draws": options.get("draws") or DRAWS}
    found: list[Side] = []
    for letter, target, mine, folder, manifest in zip("AB", targets, changes, folders, manifests, strict=True):
        if manifest:
            found.append(Side(target, restore(manifest["config"]), run=folder))
            continue
        config = load(target, [*session.overrides(usual), *mine])
        notes: tuple[str, ...] = ()
        own = [key for key in OWN_PLAN if plan is not None and getattr(config.plan, key) != getattr(plan, key)]
        if own:
            notes = (f"{letter}’s config has a plan of its own ({', '.join(own)}); both play that of the other side.",)
        if plan is None:
            plan = config.plan
            if options.get("lineups") is None:
                plan = plan.model_copy(update={"lineups": _mixed(plan.lineups)})
        found.append(Side(target, config.model_copy(update={"plan": plan}), mine, notes=notes))
    one, other = found
    if one.config.game != other.config.game:
        raise UsageError(
            "A and B are of two games", got=f"{one.config.game} and {other.config.game}", expected="one game"
        )
    return one, other


def is_run(target: str) -> bool:
    """Whether a target is the folder of a run; a folder without one is taken for one too, and refused later."""
    path = Path(target)
    return (path / results.MANIFEST).exists() or (path.is_dir() and len(path.parts) > 1)


def _mixed(lineups: Sequence[Any]) -> tuple[Any, ...]:
    """Keep the line-ups that goals, seats, strategies and items are measured from; all, where there is none."""
    kept = tuple(each for each in lineups if not isinstance(each, str) or each in MIXED_KINDS)
    field = tuple(each for each in kept if each == "field")
    return field or kept or tuple(lineups)


def touched(pair: tuple[Side, Side], seats: Sequence[Sequence[Entry]]) -> tuple[int, ...]:
    """Find the numbers of players at which A and B can differ at all.

    A game is decided by the RULES record of its number of players, by who plays and by the deal. Where the records of
    both sides are the same, byte for byte, and the strategies too, so is every game.
    """
    one, other = pair
    spec = games.spec(one.config.game)
    if [entry.values for entry in seats[0]] != [entry.values for entry in seats[1]]:
        return one.config.plan.players
    own_orders = one.config.plan.draws == "per_seat"

    def record(side: Side, players: int) -> bytes:
        return bytes(spec.fill_rules(side.config.options, players, own_orders).tobytes())

    return tuple(n for n in one.config.plan.players if record(one, n) != record(other, n))


def where_they_differ(
    pair: tuple[Side, Side], seats: Sequence[Sequence[Entry]]
) -> tuple[tuple[Side, Side], tuple[int, ...]]:
    """Leave out of the plan the numbers of players that the edit does not touch; keep all where it touches none.

    Returns
    -------
    pair : tuple of Side
    untouched : tuple of int
        The numbers of players left out.
    """
    counts = touched(pair, seats)
    if not counts:
        return pair, ()
    untouched = tuple(n for n in pair[0].config.plan.players if n not in counts)
    return with_plan(pair, players=counts), untouched


def with_plan(pair: tuple[Side, Side], **changes: Any) -> tuple[Side, Side]:
    """Change the plan of both sides, such as ``games`` or ``players``."""

    def changed(side: Side) -> Side:
        plan = side.config.plan.model_copy(update=changes)
        return replace(side, config=side.config.model_copy(update={"plan": plan}))

    return changed(pair[0]), changed(pair[1])


def folder_of(pair: tuple[Side, Side], out: Path | None) -> Path:
    """Choose the folder of a comparison: the one named, which must be new, or one named after the time."""
    if out is None:
        return session.new_folder(session.OUT / pair[0].config.game, "compare-")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already", fix="choose another folder with --out")
    return out


@contextmanager
def pilot(
    pair: tuple[Side, Side], seats: Sequence[Sequence[Entry]], workers: int | None, count: int
) -> Iterator[tuple[Path, Path]]:
    """Play a few games of both sides into folders that are gone afterwards."""
    with TemporaryDirectory(prefix="hakari-pilot-") as there:
        small = with_plan(pair, games=count)
        runs = [
            open_side(side, entries, Path(there) / name, refused=[], command="pilot")
            for name, side, entries in zip(SIDES, small, seats, strict=True)
        ]
        play(runs, workers)
        yield runs[0].job.folder, runs[1].job.folder


def played(pair: tuple[Side, Side], folder: Path) -> tuple[Side, Side]:
    """Note where the sides lie that have been played."""
    a, b = (side if side.run else replace(side, run=folder / name) for name, side in zip(SIDES, pair, strict=True))
    return a, b


def told(config: Config, entries: Sequence[Entry], deal: int) -> Iterator[dict[str, Any]]:
    """Trace one game of a side; ``entries`` are seated already, the first player first."""
    yield from session.traced(config, entries, seed=config.plan.seed, deal=deal, rotation=0)


def open_side(
    side: Side, entries: Sequence[Entry], folder: Path, *, refused: list[dict[str, str]], command: str
) -> runner.Run:
    """Open the folder of a side that is to be played: an ordinary run.

    Parameters
    ----------
    refused : list of dict
        Strategies that were left out, and why.
    command : str
        What plays it again.
    """
    job = session.job(side.config, session.plan(side.config, entries), folder, resume=False)
    return session.open_run(job, side.config, refused=refused, baseline=None, resume=False, command=command)


@contextmanager
def unadapted(
    pair: tuple[Side, Side], entries: Sequence[Entry], workers: int | None
) -> Iterator[tuple[Path | None, str]]:
    """Play B with players to whom things are worth what they are in A: what an edit does before anybody adapts to it.

    Parameters
    ----------
    entries : sequence of Entry
        Who plays, with the parameters of A's config.

    Yields
    ------
    folder : path or None
        Where the block sums lie until the end; None if the edit does not change what anything is worth: how a game is
        played, players must know.
    note : str
        What a reader should know then.
    """
    before, config = pair[0].config.options, pair[1].config
    spec = games.spec(config.game)
    rules = [[spec.fill_rules(each, n) for n in config.plan.players] for each in (before, config.options)]
    if not any(
        old[name].tobytes() != new[name].tobytes() for old, new in zip(*rules, strict=True) for name in spec.payoffs
    ):
        yield (
            None,
            "By itself: the edit changes how the game is played, which players must know, not what things are worth.",
        )
        return
    with TemporaryDirectory(prefix="hakari-") as there, session.executor(workers) as pool:
        plan = session.plan(config, entries)
        job = runner.Job(config.game, config.options, plan, Path(there), keep_games=0.0, reckoned=before)
        session.play_aside(job, config, pool)
        yield Path(there), ""


def play(
    runs: Sequence[runner.Run],
    workers: int | None,
    watch: Callable[[runner.Progress], None] = lambda progress: None,
    then: Callable[[runner.Run], None] = lambda run: None,
) -> None:
    """Play the sides together, in one pool of threads.

    Parameters
    ----------
    watch : callable
        Told about the progress of all; it is shown shards of the first one only.
    then : callable
        Called with each run as soon as it is played, while the other may still be playing.
    """
    latest: dict[int, runner.Progress] = {}
    lock = Lock()

    def one(number: int, pool: Executor) -> None:
        def report(progress: runner.Progress) -> None:
            with lock:
                latest[number] = progress
                watch(
                    runner.Progress(
                        games=sum(each.games for each in latest.values()),
                        total=sum(run.job.plan.games for run in runs),
                        fresh=sum(each.fresh for each in latest.values()),
                        seconds=max(each.seconds for each in latest.values()),
                        shard=progress.shard if number == 0 else None,
                    )
                )

        runs[number].carry_out(pool, report)
        then(runs[number])

    with session.executor(workers) as pool, ThreadPoolExecutor(len(runs)) as together:
        tasks = [together.submit(one, number, pool) for number in range(len(runs))]
        try:
            for task in tasks:
                task.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # so that an interruption does not wait for all games
            raise
