"""Causal questions: the same games once more, with the rules changed for one seat.

The deals of a mixed table are played from every seat under the rules as they are. The table's first member is in the
*focus*; it sits at every seat in turn. For each item of an intervention (``GameSpec.interventions``) the games in
which it can matter are played again with the change made for the focus alone, on the same luck, and the focus' share
of the win is compared game by game. Everybody else plays by the old rules and by old habits. Two more kinds of change
are made to the player instead of the rules: playing at random from some round on, and ignoring the opponents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from sim.engine import play
from sim.engine.runner import Job, play_games
from sim.errors import UsageError
from sim.games import spec as game_spec
from sim.games.interface import Entry, GameSpec, Intervention

CHUNKS = 256  # groups of deals whose sums are kept: every range comes from the spread between them
BATCH_GAMES = 65_536  # games played together at most, about: what a batch takes of memory
SPOT_CHECKS = 2  # of the games left out, so many of each item and batch are played all the same


CARELESS_AFTER = (0, 1, 2, 4, 8)  # rounds


def _as_it_is(rules: Any, item: int, seat: int) -> None:
    """Leave the rules alone: the change is one of the player."""


CARELESS = Intervention(
    "careless",
    "playing at random",
    "What does it cost a player to play at random from some round on?",
    ("from the start", *(f"after {n} round" + "s" * (n > 1) for n in CARELESS_AFTER[1:])),
    _as_it_is,
)
BLIND = Intervention(
    "blind",
    "ignoring the others",
    "What does it cost a player to ignore the opponents?",
    ("ignoring the others",),
    _as_it_is,
)


def kinds(spec: GameSpec) -> tuple[Intervention, ...]:
    """Give all changes that can be made in a game: its own, and those of a player's habits."""
    return (*spec.interventions, CARELESS, BLIND)


@dataclass(frozen=True)
class Effects:
    """What a change did to the focus, by chunk of deals; int64 throughout.

    Attributes
    ----------
    games : [CHUNKS, ITEMS, STRATEGIES]
        Games that the question is about, by the strategy in the focus.
    share : [CHUNKS, ITEMS, STRATEGIES]
        Change of the focus' share of the win in them, in 60ths.
    winners : [CHUNKS, ITEMS]
        Games that somebody else wins now.
    played : [CHUNKS, ITEMS]
        Games that were played again; the change cannot matter in the others.
    checked, wrong : [CHUNKS, ITEMS]
        Games that were left out but played all the same, to see; those of them in which it did matter.
    """

    games: np.ndarray
    share: np.ndarray
    winners: np.ndarray
    played: np.ndarray
    checked: np.ndarray
    wrong: np.ndarray

    @property
    def games_played(self) -> int:
        """Games played in all, without those under unchanged rules."""
        return int(self.played.sum() + self.checked.sum())


def effects(job: Job, kind: Intervention, players: int, blocks: int, executor: Executor) -> Effects:
    """Play the deals 0 … ``blocks`` − 1 with and without each change.

    Parameters
    ----------
    job : Job
        Game, rules, strategies, seed and how cards are drawn; what its plan would play does not count.
    kind : Intervention
        Which changes.
    blocks : int
        Deals, each played from every seat; at least ``CHUNKS`` should be asked for.

    Returns
    -------
    Effects
        The same whatever the executor.
    """
    ends = [blocks * (chunk + 1) // CHUNKS for chunk in range(CHUNKS)]
    starts = [0, *ends[:-1]]
    futures = [
        executor.submit(_chunk, job, kind, players, start, end - start) for start, end in zip(starts, ends, strict=True)
    ]
    found = [future.result() for future in futures]
    return Effects(*(np.stack([getattr(each, field.name) for each in found]) for field in fields(Effects)))


def _chunk(job: Job, kind: Intervention, players: int, first_deal: int, blocks: int) -> Effects:
    """Play one chunk of deals; the arrays lack the first axis."""
    items, strategies = len(kind.items), len(job.plan.entries)
    experiment = _Experiment(job, kind, players)
    total = Effects(*np.zeros((2, items, strategies), np.int64), *np.zeros((4, items), np.int64))
    step = max(1, BATCH_GAMES // (items * players))
    for start in range(first_deal, first_deal + blocks, step):
        count = min(step, first_deal + blocks - start)
        experiment.add(total, play.mixed_tables(job.plan.seed, start, count, players, strategies), start)
    return total


class _Experiment:
    """A kind of change, ready to be made: the rules of each item and seat, or who plays on for whom."""

    def __init__(self, job: Job, kind: Intervention, players: int) -> None:
        self.job, self.kind, self.players = job, kind, players
        self.rules = play.rules_of(list(_variants(job, kind, players)))
        self.entries, self.habits = _stand_ins(job.plan.entries, kind)

    def add(self, total: Effects, members: np.ndarray, first_deal: int) -> None:
        """Play some deals with and without each change and add up what it did."""
        items = len(self.kind.items)
        games = play.seatings(game_spec(self.job.game), first_deal, members, self.players)
        rows, records = play_games(self.job, self.rules, games)
        numbers, focus = np.arange(len(games)), games.rotation.astype(np.int64)
        won = rows.share[numbers, focus].astype(np.int64)
        held = rows.strategy[numbers, focus]

        def holds(where: Callable[[Any, Any, int], Any] | None) -> np.ndarray:
            if where is None:
                return np.ones((items, len(games)), bool)
            return np.array([where(self.rules[0], records, item)[numbers, focus] for item in range(items)])

        asked, matters = holds(self.kind.applies), holds(self.kind.matters)
        if self.habits:
            asked &= self.habits.who[:, held] >= 0
        idle = asked & ~matters
        spot = idle & (np.cumsum(idle, axis=1) <= SPOT_CHECKS)
        item, game = np.nonzero((asked & matters) | spot)
        again = games[game]
        if self.habits:
            again.stand_in_seat, again.stand_in_from = focus[game], self.habits.since[item]
            again.stand_in = self.habits.who[item, held[game]]
        else:
            again.rules = again.reckoned = 1 + item * self.players + focus[game]
        now, _ = play_games(self.job, self.rules, again, self.entries)
        change = now.share[np.arange(len(again)), focus[game]] - won[game]
        moved = now.winners != rows.winners[game]
        check = spot[item, game]

        who = (held[:, None] == np.arange(total.games.shape[1])).astype(np.int64)
        total.games[:] += asked.astype(np.int64) @ who
        np.add.at(total.share, (item, held[game]), change)
        for sums, part in (
            (total.winners, moved & ~check),
            (total.played, ~check),
            (total.checked, check),
            (total.wrong, check & moved),
        ):
            np.add.at(sums, item, part)


@dataclass(frozen=True)
class _Habits:
    """Who plays on for the focus: ``who`` int16[ITEMS, STRATEGIES], −1 for nobody, ``since`` int16[ITEMS] rounds."""

    who: np.ndarray
    since: np.ndarray


def _stand_ins(entries: Sequence[Entry], kind: Intervention) -> tuple[tuple[Entry, ...], _Habits | None]:
    """Give everybody who can play, and who plays on for whom if that is the change.

    Raises
    ------
    UsageError
        If nobody plays at random, or nobody can ignore the opponents.
    """
    if kind is CARELESS:
        random = [number for number, entry in enumerate(entries) if entry.strategy.name == "random"]
        if not random:
            raise UsageError("nobody here plays at random", fix="let the strategy random take part")
        who = np.full((len(CARELESS_AFTER), len(entries)), random[0], np.int16)
        who[:, random] = -1
        return tuple(entries), _Habits(who, np.array(CARELESS_AFTER, np.int16))
    if kind is BLIND:
        able = [number for number, entry in enumerate(entries) if entry.strategy.blind]
        if not able:
            raise UsageError(
                "none of these strategies says how it would ignore its opponents",
                fix="declare it in a strategy: @strategy(…, blind={…}), see CONTRIBUTING.md",
            )
        who = np.full((1, len(entries)), -1, np.int16)
        who[0, able] = len(entries) + np.arange(len(able))
        return (*entries, *(_blinded(entries[number]) for number in able)), _Habits(who, np.zeros(1, np.int16))
    return tuple(entries), None


def _blinded(entry: Entry) -> Entry:
    given = dict(zip(entry.strategy.params, entry.values, strict=True)) | entry.strategy.blind
    return Entry(f"{entry.label}, ignoring the others", entry.strategy, tuple(given.values()))


def _variants(job: Job, kind: Intervention, players: int) -> Iterator[np.record]:
    """Yield the rules as they are, then those of each item and seat."""
    spec = game_spec(job.game)
    rules = spec.fill_rules(job.options, players, job.plan.draws == "per_seat")
    yield rules
    for item in range(len(kind.items)):
        for seat in range(players):
            changed = rules.copy()
            kind.change(changed, item, seat)
            yield changed
