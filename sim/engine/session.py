"""From a config to a run in its folder: what a command line asks for, put together."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim import jit, results
from sim.engine import plan as plans
from sim.engine import runner
from sim.engine.trace import trace
from sim.engine.verify import controls
from sim.errors import StorageError, UsageError
from sim.games.interface import Entry

if TYPE_CHECKING:
    from sim.config import Config

OUT = Path("out")


def overrides(options: Mapping[str, Any]) -> Iterator[str]:
    """Turn options of a command line into changes of the config's plan, so that both are checked alike.

    Parameters
    ----------
    options : mapping
        Key of ``[plan]`` → what was given, or None. Lists are separated by commas, player counts may be a range.
    """
    for key, given in options.items():
        if given is None:
            continue
        text = str(given).strip()
        if key == "players":
            text = f"[{', '.join(_player_counts(text))}]"
        elif key in ("lineups", "strategies"):
            text = "[" + ", ".join(f'"{each}"' for each in split_members(text)) + "]"
        yield f"plan.{key}={text}"


def split_members(text: str) -> list[str]:
    """Split a list of strategies at its commas, but not inside braces.

    >>> split_members("greedy{a=1,b=2},random")
    ['greedy{a=1,b=2}', 'random']
    """
    return [each.strip() for each in re.split(r",(?![^{]*\})", text) if each.strip()]


def _player_counts(text: str) -> Iterator[str]:
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if dash and first.isdecimal() and last.isdecimal():
            if int(first) > int(last):
                raise UsageError(f"{part.strip()} is an empty range of player counts", fix=f"{last}-{first}")
            yield from map(str, range(int(first), int(last) + 1))
        else:
            yield part.strip()


def plan(config: Config, entries: Sequence[Entry]) -> plans.Plan:
    """Lay out the games that a config asks for."""
    wanted = config.plan
    return plans.make_plan(
        seed=wanted.seed,
        draws=wanted.draws,
        games=wanted.games,
        players=wanted.players,
        lineups=wanted.lineups,
        entries=entries,
    )


def job(config: Config, wanted: plans.Plan, out: Path | None, *, resume: bool) -> runner.Job:
    """Choose the folder of a run: the one named, the newest interrupted run of the same plan, or a new one."""
    drafted = runner.Job(config.game, config.options, wanted, out or Path(), config.plan.keep_games)
    folder = out
    if folder is None and resume:
        planned = runner.new_manifest(drafted, config_hash=config.sha256)
        for earlier in reversed(runs(config.game)):
            if runner.resumable(_readable(earlier), planned):
                folder = earlier
                break
        else:
            raise UsageError(
                f"there is no interrupted run of this plan in {OUT / config.game}", fix="run without --resume"
            )
    if folder is None:
        folder = new_folder(OUT / config.game)
    return runner.Job(config.game, config.options, wanted, folder, config.plan.keep_games)


def job_in_memory(config: Config, entries: Sequence[Entry]) -> runner.Job:
    """Give a job that leaves no results of its own: who plays by which rules."""
    return runner.Job(config.game, config.options, plan(config, entries), Path())


def aside(
    config: Config,
    entries: Sequence[Entry],
    folder: Path,
    *,
    games: int,
    players: Sequence[int] | None = None,
    other_deals: bool = False,
) -> runner.Job:
    """Give a job that plays a config's mixed tables to look at the sums alone.

    Parameters
    ----------
    folder : Path
        Where the sums go for as long as they are looked at.
    games : int
        Games in all.
    other_deals : bool
        Whether the deals are other ones than those of the config's own run.
    """
    wanted = config.plan
    mixed = [line for line in wanted.lineups if not isinstance(line, str) or line in plans.MIXED_KINDS]
    plan = plans.make_plan(
        seed=wanted.seed + other_deals,
        draws=wanted.draws,
        games=games,
        players=players or wanted.players,
        lineups=mixed or ["field"],
        entries=entries,
    )
    return runner.Job(config.game, config.options, plan, folder, keep_games=0.0)


def play_aside(job: runner.Job, config: Config, executor: Executor) -> None:
    """Play a run that is only looked at and thrown away: block sums alone, in the job's folder.

    Raises
    ------
    IntegrityError
        If a strategy fails.
    """
    manifest = runner.new_manifest(job, config=config.effective(), config_hash=config.sha256, name="", title="")
    work = runner.Run(job, manifest)
    work.carry_out(executor)
    if work.failures:
        raise work.failures[0]


def new_folder(parent: Path, prefix: str = "") -> Path:
    """Make a folder named after the time, and another one if that is there."""
    name = prefix + datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
    for number in range(1, 1000):
        folder = parent / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir(parents=True, exist_ok=False)  # taken at once, so that no other run can take it too
        except FileExistsError:
            continue
        except OSError as error:
            raise StorageError(
                f"cannot make {folder}: {error.strerror}", fix="choose another folder with --out"
            ) from None
        return folder
    raise StorageError(f"too many runs in {parent} at the same second")


def runs(game: str) -> list[Path]:
    """Folders of a game's runs, the oldest first."""
    return sorted(path.parent for path in (OUT / game).glob(f"*/{results.MANIFEST}"))


def run_of(config: Config, entries: Sequence[Entry]) -> Path | None:
    """Find the newest complete run with these rules and strategies that was played with all these numbers of players.

    One of another version of the program does not count: its page would show two versions side by side.
    """
    wanted = (config.rules(), [entry.label for entry in entries])
    for folder in reversed(runs(config.game)):
        manifest = _readable(folder)
        if manifest.get("status") == "complete" and manifest.get("source_hash") == jit.digest(jit.COMPILED_FROM):
            rules = {key: manifest["config"].get(key) for key in wanted[0]}
            same = (rules, [each["name"] for each in manifest["strategies"]]) == wanted
            if same and set(config.plan.players) <= set(manifest["players"]):
                return folder
    return None


def _readable(run: Path) -> dict[str, Any]:
    """Read a manifest; one that cannot be read is nothing to go on with, and no reason to stop."""
    try:
        return results.read_manifest(run)
    except StorageError:
        return {}


def find_baseline(wanted: str, job: runner.Job) -> Path | None:
    """Find the run to compare with: ``"none"``, ``"last"`` (the newest complete one of the game) or a folder."""
    if wanted == "none":
        return None
    if wanted == "last":
        for earlier in reversed(runs(job.game)):
            if earlier != job.folder and _readable(earlier).get("status") == "complete":
                return earlier
        return None
    manifest = results.read_manifest(Path(wanted))
    if manifest["game"] != job.game:
        raise UsageError(f"the baseline {wanted} is a run of {manifest['game']}, not of {job.game}")
    return Path(wanted)


def open_run(
    job: runner.Job,
    config: Config,
    *,
    refused: list[dict[str, str]],
    baseline: Path | None,
    resume: bool,
    command: str,
) -> runner.Run:
    """Open a run's folder: a new one, or with ``resume`` the one that was interrupted.

    Raises
    ------
    UsageError
        If the folder holds a run already, or one of another plan.
    """
    manifest = runner.new_manifest(
        job,
        name=config.name,
        title=config.title,
        config=config.effective(),
        config_hash=config.sha256,
        workers=default_workers(),
        command=command,
        baseline=str(baseline) if baseline else None,
    )
    manifest["failures"] = refused
    path = job.folder / results.MANIFEST
    if path.exists():
        earlier = results.read_manifest(job.folder)
        if not resume:
            raise UsageError(
                f"{job.folder} holds a run already", fix="choose another folder, or continue it with --resume"
            )
        if earlier["status"] == "complete":
            raise UsageError(f"{job.folder} is complete", fix=f"see `hakari report {job.folder}`")
        if not runner.resumable(earlier, manifest):
            raise UsageError(
                f"{job.folder} was interrupted in another plan", fix="repeat the command that began it, with --resume"
            )
        manifest |= {key: earlier[key] for key in ("started", "seconds", "baseline", "command")}
    elif job.folder.is_file():
        raise UsageError(f"{job.folder} is a file", fix="choose another folder with --out")
    elif job.folder.exists() and any(job.folder.iterdir()):
        raise UsageError(f"{job.folder} is not empty and holds no run", fix="choose another folder with --out")
    return runner.Run(job, manifest, int(os.environ.get("HAKARI_SHARD_GAMES", "0")) or None)


def verify(work: runner.Run, config: Config) -> None:
    """Play a sample of a complete run's games again and note in its manifest whether all agree."""
    if work.manifest["status"] == "complete":
        work.manifest["controls"] = controls(work.job, config.rules())
        results.write_json(work.manifest, work.job.folder / results.MANIFEST)


def default_workers() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def executor(workers: int | None, dask: str | None = None) -> Iterator[Executor]:
    """Give the executor of a run: threads, or a Dask cluster whose machines share this folder and this source tree.

    Parameters
    ----------
    workers : int, optional
        Threads; one a core without it.
    dask : str, optional
        Address of a Dask scheduler.

    Raises
    ------
    UsageError
        If ``distributed`` is not installed or no scheduler answers.
    """
    if dask is None:
        with runner.thread_pool(workers or default_workers()) as pool:
            try:
                yield pool
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise UsageError("--dask needs the package distributed", fix="pip install 'hakari[dask]'") from None
    try:
        client = Client(dask, timeout="10s")
    except (OSError, ValueError) as error:
        raise UsageError(f"no Dask scheduler answers at {dask}", got=str(error)) from None
    with client:
        yield client.get_executor()


def traced(
    config: Config, entries: Sequence[Entry], *, seed: int, deal: int, rotation: int
) -> Iterator[dict[str, Any]]:
    """Trace one game of a line-up; in rotation r, its member j sits at seat (j + r) mod players."""
    players = len(entries)
    seated = [entries[(seat - rotation) % players] for seat in range(players)]
    rules = config.options.as_played().model_dump(mode="json", by_alias=True)
    yield from trace(config.game, config.options, rules, seated, seed=seed, deal=deal, draws=config.plan.draws)
