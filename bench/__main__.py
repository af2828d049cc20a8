"""Print speeds: decisions and games a second, threads, recording, compiling, reports, mon against C, Sangoku's hands.

    python -m bench                 everything, and what pairing saves
    python -m bench speed c         only these parts

Ratios are measured within one run, alternating what is compared; absolute numbers depend on the machine, but for what
pairing saves: that is counted, with a fixed seed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from bench import pairing as pairs
from bench import sangoku_hands
from sim import games
from sim.engine import runner
from sim.engine.plan import make_plan
from sim.games.interface import Entry
from sim.games.sangoku import chances
from sim.games.sangoku.hands import BRIDGE, SINGLE
from strategies import registry

HERE = Path(__file__).resolve().parent
PLAYERS = 4
THINKING = {"mon": "greedy", "emblems": "greedy", "busho": "greedy", "momiji": "greedy", "sangoku": "balanced"}
SECONDS = 1.0  # about what one measurement takes
REPEATS = 5  # the best of so many counts: everything that disturbs makes slower


def entries(game: str) -> dict[str, Entry]:
    """All strategies of a game with their default parameters."""
    found, _ = registry.find(game)
    return {name: registry.seat(found, name, {}, {}) for name in found}


def mirror(game: str, entry: Entry, count: int) -> runner.Job:
    """A job of so many games in which one strategy holds all seats."""
    plan = make_plan(seed=1, draws="shared", games=count, players=[PLAYERS], lineups=["mirror"], entries=[entry])
    return runner.Job(game, games.spec(game).options(), plan, Path())


def play(job: runner.Job) -> Any:
    """Play all games of a small job in memory; returns the rows."""
    (shard,) = job.plan.shards(10**9)
    return runner.play_pieces(job, shard)[0]


def seconds_of(work: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Processor seconds of this thread for the quickest of some repetitions."""
    best = float("inf")
    for _ in range(repeats):
        start = time.thread_time()
        work()
        best = min(best, time.thread_time() - start)
    return best


def enough(game: str, entry: Entry) -> runner.Job:
    """A job that takes about ``SECONDS``."""
    pilot = mirror(game, entry, 2000)
    play(pilot)
    speed = 2000 / max(seconds_of(lambda: play(pilot), 1), 1e-6)
    return mirror(game, entry, max(2000, min(int(speed * SECONDS), 400_000)))


def table(title: str, head: list[str], rows: list[list[str]]) -> None:
    """Print a Markdown table."""
    print(f"\n**{title}**\n")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)


def speed() -> None:
    """Decisions and games a second on one core, by game and strategy, all seats the same strategy."""
    rows = []
    for game in games.GAMES:
        for name, entry in entries(game).items():
            job = enough(game, entry)
            decisions = int(play(job).decisions.sum())
            taken = seconds_of(lambda job=job: play(job), 3)
            rows.append([game, name, f"{decisions / taken / 1e6:.1f} M", f"{job.plan.games / taken:,.0f}"])
    table(
        f"One core, {PLAYERS} players, one strategy in all seats", ["game", "strategy", "decisions/s", "games/s"], rows
    )


def threads() -> None:
    """Two threads against one: the same work, wall-clock."""
    rows = []
    for game in games.GAMES:
        job = enough(game, entries(game)[THINKING[game]])
        play(job)

        def wall(workers: int, job: runner.Job = job) -> float:
            with ThreadPoolExecutor(workers) as pool:
                start = time.perf_counter()
                list(pool.map(play, [job] * 4))
                return time.perf_counter() - start

        ratios = sorted(wall(1) / wall(2) for _ in range(REPEATS))
        rows.append([game, f"{ratios[-1]:.2f} ×", f"{ratios[REPEATS // 2]:.2f} ×"])
    table("Two threads against one", ["game", "best of 5", "median"], rows)


def recording() -> None:
    """What keeping results costs: block sums and Parquet files, as a share of a whole run's processor time."""
    rows = []
    for game in games.GAMES:
        plan = make_plan(
            seed=1,
            draws="shared",
            games=400_000,
            players=games.spec(game).players,
            lineups=["field", "one_vs_rest", "mirror"],
            entries=list(entries(game).values()),
        )
        with tempfile.TemporaryDirectory() as folder:
            job = runner.Job(game, games.spec(game).options(), plan, Path(folder))
            shards = list(plan.shards())
            runner.play_shard(job, shards[0])  # everything is compiled now

            def whole(job: runner.Job = job, shards: list[Any] = shards) -> None:
                for shard in shards:
                    runner.play_shard(job, shard)

            def bare(job: runner.Job = job, shards: list[Any] = shards) -> None:
                for shard in shards:
                    runner.play_pieces(job, shard)

            all_of_it, only_games = seconds_of(whole, 3), seconds_of(bare, 3)
            size = sum(path.stat().st_size for path in Path(folder).rglob("*.parquet"))
        share = 1 - only_games / all_of_it
        rows.append([game, f"{share:.0%}", f"{size / plan.games * 1e6 / 1e6:.0f} MB"])
    table("Results on disk", ["game", "share of a run's time", "a million games"], rows)


def compiling() -> None:
    """Cold compile of each game: loop, check and strategies, with an empty cache folder."""
    rows = []
    for game in games.GAMES:
        with tempfile.TemporaryDirectory() as folder:
            times = []
            for _ in ("cold", "warm"):
                command = [sys.executable, "-m", "sim.cli", "run", game, "--games", "100", "--no-report", "-q"]
                command += ["--baseline", "none", "--out", f"{folder}/{len(times)}"]
                start = time.perf_counter()
                subprocess.run(command, check=True, env={**os.environ, "HAKARI_CACHE": folder}, capture_output=True)
                times.append(time.perf_counter() - start)
        rows.append([game, f"{times[0]:.1f} s", f"{times[1]:.1f} s"])
    table("A run of 100 games", ["game", "empty cache", "warm cache"], rows)


def million() -> None:
    """A million games with the default config, on all cores, and the report of it."""
    rows = []
    for game in games.GAMES:
        with tempfile.TemporaryDirectory() as folder:
            run = f"{folder}/run"
            command = [sys.executable, "-m", "sim.cli"]
            start = time.perf_counter()
            subprocess.run(
                [*command, "run", game, "-q", "--no-report", "--baseline", "none", "--out", run],
                check=True,
                capture_output=True,
            )
            played = time.perf_counter() - start
            start = time.perf_counter()
            page = subprocess.run([*command, "report", run], check=True, capture_output=True, text=True).stdout.strip()
            reported = time.perf_counter() - start
            size = Path(page).stat().st_size
        rows.append([game, f"{played:.1f} s", f"{reported:.1f} s", f"{size / 1e3:.0f} kB"])
    table(f"A million games, {os.cpu_count()} cores, warm", ["game", "run", "report", "page"], rows)


def c() -> None:
    """Mon, greedy in all four seats, against the same program in C (gcc -O3 -march=native), alternating."""
    if not shutil.which("gcc"):
        print("\nno gcc here: the comparison with C is left out")
        return
    count = 200_000
    job = mirror("mon", entries("mon")["greedy"], count)
    shares = np.array(play(job).share, np.int64).sum(axis=0)[:PLAYERS]
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/mon"
        subprocess.run(["gcc", "-O3", "-march=native", "-o", program, str(HERE / "mon.c")], check=True)

        def in_c() -> tuple[float, np.ndarray]:
            out = subprocess.run([program, str(count)], check=True, capture_output=True, text=True).stdout.split()
            return float(out[0]), np.array(out[1:], np.int64)

        ours, theirs = [], []
        for _ in range(2 * REPEATS):
            ours.append(count / seconds_of(lambda: play(job), 1))
            taken, same = in_c()
            theirs.append(count / taken)
        if not (same == shares).all():
            raise SystemExit(f"the C program plays another game: {same} instead of {shares}")
    rows = [[f"{max(ours):,.0f}", f"{max(theirs):,.0f}", f"{max(ours) / max(theirs):.2f}"]]
    table("mon, greedy, 4 players, games/s on one core", ["Hakari", "C, gcc -O3 -march=native", "ratio"], rows)


def hands() -> None:
    """Sangoku's ranking of hands and both arrangers on one core, and what the quick one loses against the exact one."""
    dice = np.random.default_rng(1)
    dealt = sangoku_hands.DECK[np.argsort(dice.random((5000, len(sangoku_hands.DECK))), axis=1)[:, :13]]
    fives = SINGLE[dealt[:, :5]].sum(axis=1)
    rank = seconds_of(lambda: sangoku_hands.rank(fives, 40)) / len(fives) / 40
    rows = [["ranking five cards", f"{1 / rank / 1e6:.0f} M/s", ""]]
    even = np.ones(3)
    nothing = np.zeros(dealt.shape)
    low_cards = np.where(dealt < BRIDGE, np.maximum(0, 9 - dealt % 13) / 9, 0.0)
    for players in chances.PLAYERS:
        for what, prizes in (("", nothing), (", low cards wanted", low_cards)):
            ask = (chances.CHANCES[players - 2], even, prizes)
            quick, exact = sangoku_hands.arrange_all(dealt, *ask, 0), sangoku_hands.arrange_all(dealt, *ask, 1)
            taken = seconds_of(lambda ask=ask: sangoku_hands.arrange_all(dealt, *ask, 0)) / len(dealt)
            rows.append([f"arranging, {players} players{what}", f"{taken * 1e6:.1f} µs", f"{1 - quick / exact:.1%}"])
    every = seconds_of(lambda: sangoku_hands.arrange_all(dealt[:500], *ask, 1), 2) / 500
    rows.append(["arranging exactly", f"{every * 1e6:.0f} µs", "0"])
    table("sangoku, one core", ["what", "speed", "summed win chances lost"], rows)


def pairing() -> None:
    """What playing the same deals saves `hakari compare`, for some edits of each game."""
    table(pairs.TITLE, pairs.HEAD, [pairs.row(game, edit) for game, edit in pairs.EDITS])


PARTS: dict[str, Callable[[], None]] = {
    each.__name__: each for each in (speed, threads, recording, compiling, million, c, hands, pairing)
}


def main(names: list[str]) -> Iterator[str]:
    """Run the parts named, or all of them; yields each name when it is done."""
    for name in names or PARTS:
        if name not in PARTS:
            raise SystemExit(f"no part {name!r}; there are {', '.join(PARTS)}")
        PARTS[name]()
        yield name


if __name__ == "__main__":
    for _ in main(sys.argv[1:]):
        pass
