"""Showing a run's progress on standard error: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sim.engine.runner import Progress

SECONDS_BETWEEN_LINES = 5.0
SECONDS_BETWEEN_REFRESHES = 0.25


@contextmanager
def shown(estimate: Callable[[Path], str], quiet: bool = False) -> Iterator[Callable[[Progress], None]]:
    """Show what a run reports: games done, games a second, time left and a goal's estimate as it narrows.

    Parameters
    ----------
    estimate : callable
        Takes the file of block sums that was just written and words the estimate so far.
    quiet : bool
        Show nothing.
    """
    if quiet:
        yield lambda progress: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        with Live(
            console=Console(stderr=True), refresh_per_second=1 / SECONDS_BETWEEN_REFRESHES, transient=True
        ) as live:

            def show(progress: Progress) -> None:
                live.update(Text(words(progress, estimate)))

            yield show
    else:
        last = 0.0

        def line(progress: Progress) -> None:
            nonlocal last
            text = words(progress, estimate)
            due = time.monotonic() - last > SECONDS_BETWEEN_LINES or progress.games == progress.total
            if progress.shard and due:
                last = time.monotonic()
                say(text)

        yield line


def say(text: str) -> None:
    """Write a line to standard error; whoever read it may have gone, and the run goes on."""
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except BrokenPipeError:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 – open until the end


def words(progress: Progress, estimate: Callable[[Path], str]) -> str:
    """One line on how far a run is."""
    known = estimate(progress.shard) if progress.shard else ""
    parts = [f"{progress.games:,} of {progress.total:,} games"]
    if progress.fresh:
        parts += [f"{progress.speed:,.0f} games/s", f"{duration(progress.seconds_left)} left"]
    return " · ".join([*parts, *([known] if known else [])])


def duration(seconds: float) -> str:
    """A time in words: "40 s", "3 min 20 s", "2 h 5 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
