"""How many games are enough: until every goal is as narrow as wanted, or decided.

The games that settle the number are played aside, from another seed than the run's. So the run's own games are as many
as were fixed before its first one, and the ranges on its page mean what they say however the number came about.
"""

import math
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from reports import goals, stats
from reports.blocks import Run
from reports.games import facts_of
from reports.goals import Found
from sim.config import Config
from sim.engine import session
from sim.engine.plan import MIXED_KINDS
from sim.games.interface import Entry

PILOT_GAMES = 40_000
MARGIN = 1.1
"""How many more games are taken than the pilot asks for, since its estimate is rough."""

LEAST_GAMES = 1_000
"""Fewer games show nothing with a range worth reading."""

MOST_GAMES = 10**10


@dataclass(frozen=True)
class Enough:
    """An answer.

    Attributes
    ----------
    games : int
        Games of the whole plan.
    reached : bool
        Whether they promise what was asked; if not, `games` is as many as may be played.
    seconds : float
        What they will take on this machine, about.
    open : tuple of str
        Goals that stand in the way.
    """

    games: int
    reached: bool
    seconds: float
    open: tuple[str, ...]


def for_precision(config: Config, entries: Sequence[Entry], half_width: float, executor: Executor) -> Enough:
    """Say how many games make every goal about shares as narrow as `half_width`, by the spread of a pilot."""
    with _Aside(config, entries, executor) as aside:
        found = [one for one in aside.play(PILOT_GAMES) if one.measure.kind != "mean"]
    level = stats.sidak(len(found))
    widest = 0.0
    names: tuple[str, ...] = ()
    for one in found:
        _, _, low, high = one.judge(level)
        if 0.5 * (high - low) > widest:
            widest, names = 0.5 * (high - low), (_name(one),)
    games = max(MARGIN * aside.whole(PILOT_GAMES) * (widest / half_width) ** 2, LEAST_GAMES)
    return Enough(math.ceil(min(games, MOST_GAMES)), games <= MOST_GAMES, aside.seconds(games), names)


def until_decided(config: Config, entries: Sequence[Entry], executor: Executor, tell: Callable[[str], None]) -> Enough:
    """Say how many games decide every goal, by looking again and again with ranges that allow for it.

    At most as many as the config's plan has; no more than those are looked at.
    """
    games = PILOT_GAMES
    with _Aside(config, entries, executor) as aside:
        while True:
            whole = min(aside.whole(games), config.plan.games)
            found = aside.play(min(games, aside.mixed(config.plan.games)))
            level = stats.sidak(len(found))
            unclear = tuple(_name(one) for one in found if one.judge(level, always=True)[1] == "close")
            if not unclear or whole == config.plan.games:
                return Enough(whole, not unclear, aside.seconds(whole), unclear)
            tell(f"{whole:,} games leave {len(unclear)} of {len(found)} goals open")
            games *= 2


class _Aside:
    """Plays the mixed tables of a plan aside and measures the goals."""

    def __init__(self, config: Config, entries: Sequence[Entry], executor: Executor) -> None:
        self._config, self._entries, self._executor = config, entries, executor
        self._folder = tempfile.TemporaryDirectory(prefix="hakari-")
        planned = session.plan(config, entries)
        mixed = sum(cell.games for cell in planned.cells if cell.lineup.kind in MIXED_KINDS)
        self._share = mixed / planned.games if mixed else 1.0
        self._speed = 1.0

    def __enter__(self) -> "_Aside":
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def play(self, games: int) -> list[Found]:
        """Play so many games at mixed tables and measure all goals."""
        folder = Path(self._folder.name) / str(games)
        job = session.aside(self._config, self._entries, folder, games=games, other_deals=True)
        started = time.monotonic()
        session.play_aside(job, self._config, self._executor)
        self._speed = job.plan.games / max(time.monotonic() - started, 1e-9)
        return goals.measured_all(Run(folder), facts_of(self._config.game, self._config.effective()))[0]

    def whole(self, games: int) -> int:
        """Games of the whole plan that hold so many at mixed tables."""
        return math.ceil(games / self._share)

    def mixed(self, games: int) -> int:
        """Games at mixed tables in so many of the whole plan."""
        return max(1, round(games * self._share))

    def seconds(self, games: float) -> float:
        """How long so many games of the plan take, by the last ones played."""
        return games / self._speed


def _name(one: Found) -> str:
    return f"{one.name} with {one.players}"
