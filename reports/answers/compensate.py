"""What a weak seat must be given at the start so that all seats win alike: root finding on the same deals."""

import itertools
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from reports import measures, stats, tables, words
from reports.blocks import Run
from reports.stats import Estimates, Floats
from sim.config import Config
from sim.engine import session
from sim.errors import UsageError
from sim.games import spec as game_spec
from sim.games.interface import Bonus, Entry
from sim.goals import Goal

Row = dict[str, Any]

USUAL_GOAL = Goal(measure="every_seat", within="4% of par")
TRIED = 3
"""Whole amounts that are played to see which is best."""

MOST_MOVES = 3
"""How often the straight lines are drawn again at most."""

CLEAR = 4.0
"""Standard errors that one more must at least bring to its seat; the range of an amount is too narrow otherwise."""


def bonus_of(game: str) -> Bonus:
    """Say what a game can give.

    Raises
    ------
    UsageError
        If there is nothing.
    """
    bonus = game_spec(game).bonus
    if bonus is None:
        raise UsageError(f"{game} has nothing that a seat could be given at the start")
    return bonus


def ask(config: Config, entries: Sequence[Entry], executor: Executor, tell: Callable[[str], None]) -> Row:
    """Find for each number of players what each seat must be given.

    Newton's method. Nearby, the seats' win shares move in proportion to what is given. The slopes come from playing the
    same deals with one more for each seat in turn, first around the rules as they are, then around the whole amounts
    that promise most. Where the straight lines meet par is the exact answer, and its range follows from the spread of
    all those games between chunks of deals. Only whole amounts can be given: those next to the exact answer are played
    on the same deals, the best of them on fresh ones.

    Parameters
    ----------
    config : Config
        Its plan's games are played for each trial, at mixed tables.
    tell : callable
        Told in words what is being played.

    Returns
    -------
    dict
        ``unit`` and, for each number of ``players``: ``exact`` (by seat, with range), ``whole`` (by seat), the seats'
        ``before`` and ``after`` (on fresh deals), ``band`` and whether ``after`` keeps to it.

    Raises
    ------
    UsageError
        If one more does not clearly help its seat in so many games.
    """
    bonus = bonus_of(config.game)
    answer = {
        "unit": bonus.word,
        "strategies": [words.plain(entry.label) for entry in entries],
        "draws": config.plan.draws,
        "seed": config.plan.seed,
        "games": config.plan.games // len(config.plan.players),
        "players": [_at(config, entries, players, bonus, executor, tell) for players in config.plan.players],
    }
    plain: Row = tables.plain(answer)
    return plain


def _at(
    config: Config,
    entries: Sequence[Entry],
    players: int,
    bonus: Bonus,
    executor: Executor,
    tell: Callable[[str], None],
) -> Row:
    games = config.plan.games // len(config.plan.players)
    with tempfile.TemporaryDirectory(prefix="hakari-") as folder:
        numbers = itertools.count()

        @cache
        def shares(given: tuple[int, ...], fresh: bool = False) -> Estimates:
            tell(f"{players} players, {bonus.word} by seat: {', '.join(map(str, given))}" + " (fresh deals)" * fresh)
            place = Path(folder) / str(next(numbers))
            job = session.aside(config, entries, place, games=games, players=[players], other_deals=fresh)
            session.play_aside(replace(job, given=given), config, executor)
            return measures.seat_shares(Run(job.folder).mixed(players))

        centre = (0,) * players
        before = now = shares(centre)
        seen = [centre]
        while True:
            more = [tuple(n + (seat == other) for other, n in enumerate(centre)) for seat in range(players)]
            slopes = [stats.difference(shares(given), now, paired=True) for given in more]
            if not all(each.value[seat] > CLEAR * each.se[seat] for seat, each in enumerate(slopes)):
                raise UsageError(
                    f"{games:,} games with {players} players do not show what one more of the {bonus.word} is worth",
                    fix="play more: --games",
                )
            exact = meeting_point(now, slopes, 1.0 / players, centre)
            nearest = whole_amounts(exact.value, now, slopes, bonus, centre)
            if nearest[0] in seen or len(seen) > MOST_MOVES:
                break
            # The straight lines hold nearby only: draw them again around the best whole amounts.
            centre = nearest[0]
            seen.append(centre)
            now = shares(centre)
        candidates = list(dict.fromkeys([*nearest, centre]))
        tried = [(given, shares(given)) for given in candidates]
        best = min(tried, key=lambda each: float(np.abs(each[1].value - 1.0 / players).max()))[0]
        after = shares(best, fresh=True)
    goal = next((each for each in config.goals.values() if each.measure == "every_seat"), USUAL_GOAL)
    band = goal.band(players)
    rows = stats.spread(after, "share", after.chunks)
    low = -np.inf if band.low is None else band.low
    high = np.inf if band.high is None else band.high
    verdicts = [stats.verdict(row["joint_lo"], row["joint_hi"], low, high) for row in rows]
    return {
        "players": players,
        "exact": stats.spread(exact, "mean", after.chunks),
        "slope": [float(each.value[seat]) for seat, each in enumerate(slopes)],
        "whole": list(best),
        "before": stats.spread(before, "share", before.chunks),
        "after": rows,
        "band": goal.describe(players),
        "verdict": next((verdict for verdict in ("outside", "close") if verdict in verdicts), "inside"),
    }


def meeting_point(
    now: Estimates, slopes: Sequence[Estimates], par: float, centre: Sequence[int] | None = None
) -> Estimates:
    """Solve for the amounts at which all seats reach par.

    Parameters
    ----------
    now : Estimates
        Win share of each seat with what it is given already.
    slopes : sequence of Estimates
        For each seat given one more, the change of every seat's share, on the same deals.
    centre : sequence of int, optional
        What each seat is given already; without it, nothing.

    Returns
    -------
    Estimates
        One row a seat, the smallest 0: giving everybody the same changes little, so the least is given. Ranges by the
        delta method: a chunk of deals that pushes shares and slopes off pushes the solution off by
        J⁺ (−share − slopes × amounts).
    """
    jacobian = np.column_stack([each.value for each in slopes])
    # What all seats together are given hardly moves anything: that direction is left out, not solved for.
    seats = len(slopes)
    centred = np.eye(seats) - 1.0 / seats
    inverse = centred @ np.linalg.pinv(jacobian @ centred)
    amounts = inverse @ (par - now.value)
    pushes = now.influence + sum(amount * each.influence for amount, each in zip(amounts, slopes, strict=True))
    influence: Floats = -pushes @ inverse.T
    given = amounts if centre is None else np.array(centre) + amounts
    least = int(np.argmin(given))
    solved = Estimates(given, influence, now.cells)
    relative = np.eye(seats)
    relative[least] -= 1.0
    return solved.mix(relative)


def whole_amounts(
    exact: Floats,
    now: Estimates,
    slopes: Sequence[Estimates],
    bonus: Bonus,
    centre: Sequence[int] | None = None,
) -> list[tuple[int, ...]]:
    """Give the whole amounts next to the exact ones that promise the smallest distance from par, best first."""
    jacobian = np.column_stack([each.value for each in slopes])
    ends = [sorted({int(np.floor(amount)), int(np.ceil(amount))}) for amount in exact]
    known: list[tuple[int, ...]] = []
    for given in itertools.product(*ends):
        least = min(given)
        kept = tuple(int(np.clip(amount - least, bonus.least, bonus.most)) for amount in given)
        if kept not in known:
            known.append(kept)
    par, start = 1.0 / len(exact), np.zeros(len(exact)) if centre is None else np.array(centre)

    def distance(given: tuple[int, ...]) -> float:
        return float(np.abs(now.value + jacobian @ (np.array(given) - start) - par).max())

    return sorted(known, key=lambda given: (distance(given), sum(given)))[:TRIED]


def text(answer: Row) -> str:
    """Write an answer as tables for a terminal."""
    return "\n\n".join("\n".join(_lines(row, answer["unit"])) for row in answer["players"])


def _lines(row: Row, unit: str) -> list[str]:
    digits = max(stats.decimals(0.5 * ((each["hi"] or 0) - (each["lo"] or 0)), most=2) for each in row["exact"])
    lines = [f"{row['players']} players: {unit} by seat that make all seats win alike"]
    head = ("seat", "wins now", "exact", "range", "whole", "wins then")
    cells = [head] + [
        (
            words.ordinal(seat + 1),
            words.percent(row["before"][seat]["est"]),
            words.number(exact["est"], digits, signed=True),
            words.span(exact["lo"], exact["hi"], digits, signed=True),
            words.number(row["whole"][seat], 0, signed=True),
            f"{words.percent(row['after'][seat]['est'])} "
            f"({words.span(100 * row['after'][seat]['joint_lo'], 100 * row['after'][seat]['joint_hi'], 1)})",
        )
        for seat, exact in enumerate(row["exact"])
    ]
    wide = [max(words.width(line[place]) for line in cells) for place in range(len(head))]
    lines += [
        "  " + "  ".join(cell + " " * (w - words.width(cell)) for cell, w in zip(line, wide, strict=True)).rstrip()
        for line in cells
    ]
    verdict = f"{words.GLYPHS[row['verdict']]} {words.VERDICTS[row['verdict']]}"
    lines.append(f"  on fresh deals {verdict}: goal {row['band']}")
    return lines
