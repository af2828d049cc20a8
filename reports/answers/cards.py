"""What items are worth: causal values from games played with and without, on the same luck (``sim.engine.effects``)."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np

from reports import controls, measures, stats, tables, words
from reports.schema import Cards
from reports.stats import Estimates
from sim.engine.effects import BLIND, CHUNKS, Effects, effects, kinds
from sim.engine.runner import Job
from sim.errors import UsageError, either, nearest
from sim.games.interface import SHARE_UNITS, Entry, GameSpec, Intervention

Row = dict[str, Any]

PILOT_DEALS = 4 * CHUNKS
"""Deals played first at each player count, to see how many are needed."""

USUAL_HALF_WIDTH = 0.01
"""How wide the joint ranges on the page of a run may be to either side."""

MARGIN = 1.05
"""How many more deals are played than the pilot asks for, since its estimate is rough."""

WORTH_IT = 1.5
"""Where so many times the pilot's deals cannot be afforded, the pilot is the answer."""

PLACEBO_LEVEL = 0.999
"""Coverage of a placebo's range: it raises an alarm, and one run in twenty would be too many."""

MOST_GAMES = 50_000_000
"""More games are not played for one question; the ranges then stay wider than asked for."""


VERDICTS = {"more": "▲ wins more", "less": "▼ wins less", "unclear": "? cannot tell"}


def ask(
    job: Job,
    asked: Sequence[Intervention],
    players: Sequence[int],
    half_width: float,
    executor: Executor,
    most_games: int = MOST_GAMES,
) -> Row:
    """Find out what the items of some interventions are worth.

    The number of deals is fixed after a pilot, by its spread alone: no peeking at the effects.

    Parameters
    ----------
    job : Job
        Game, rules, strategies, seed and how cards are drawn.
    half_width : float
        How wide the joint range of an item's value may be to either side, as a share of the wins.
    most_games : int
        More games are not played for one kind of question, about; the ranges then stay wider.

    Returns
    -------
    dict
        ``answers``: one for each kind, see :func:`row`.
    """
    return {
        "answers": [row(job, kind, _played(job, kind, players, half_width, executor, most_games)) for kind in asked]
    }


def least_games(kind: Intervention, players: Sequence[int]) -> int:
    """Games that the smallest experiment may take: every chunk of deals needs one."""
    return CHUNKS * sum(players) * len(kind.items)


def _played(
    job: Job, kind: Intervention, players: Sequence[int], half_width: float, executor: Executor, most_games: int
) -> dict[int, Effects]:
    first = int(np.clip(CHUNKS * most_games // (4 * least_games(kind, players)), CHUNKS, PILOT_DEALS))
    pilot = {n: effects(job, kind, n, first, executor) for n in players}
    mean = measures.mean_of([value(found) for found in pilot.values()])
    widest = float(np.nanmax(stats.joint(mean).t * mean.se, initial=0.0))
    wanted = MARGIN * first * (widest / half_width) ** 2
    affordable = first * most_games / max(sum(found.games_played for found in pilot.values()), 1)
    deals = int(min(wanted, affordable))
    if deals <= first or affordable < WORTH_IT * first:
        return pilot
    return {n: effects(job, kind, n, deals, executor) for n in players}


def value(found: Effects) -> Estimates:
    """Change of the focus' win share by each item, in the games that the question is about."""
    return stats.ratio(found.share.sum(axis=2) / SHARE_UNITS, found.games.sum(axis=2))


def row(job: Job, kind: Intervention, found: Mapping[int, Effects]) -> Row:
    """Put the answer to one kind of question into plain data.

    Parameters
    ----------
    found : mapping
        Number of players → what the games showed. Each number of players counts the same.
    """
    values = {n: value(each) for n, each in found.items()}
    mean = measures.mean_of(list(values.values()))
    deals = min(each.games.shape[0] for each in found.values())
    reach = stats.joint(mean, PLACEBO_LEVEL if kind.placebo else stats.LEVEL)
    spread, pulled = stats.spread(mean, "difference", deals, joint_reach=reach), stats.shrunk(mean)
    at = {n: stats.spread(each, "difference", deals) for n, each in values.items()}
    asked = np.sum([each.games.sum(axis=(0, 2)) for each in found.values()], axis=0)
    played = np.sum([each.played.sum(axis=0) for each in found.values()], axis=0)
    winners = np.sum([each.winners.sum(axis=0) for each in found.values()], axis=0)
    by_strategy = [stats.spread(each, "difference", deals) for each in _by_strategy(found)]
    answer = {
        "kind": kind.name,
        "title": kind.title,
        "question": kind.question,
        "placebo": kind.placebo,
        "players": list(found),
        "draws": job.plan.draws,
        "seed": job.plan.seed,
        "strategies": [words.plain(entry.label) for entry in job.plan.entries],
        "games": sum(each.games_played for each in found.values()),
        "checked": sum(int(each.checked.sum()) for each in found.values()),
        "wrong": sum(int(each.wrong.sum()) for each in found.values()),
        "items": [
            {
                "name": words.plain(name),
                **spread[i],
                "shrunk": pulled[i],
                "verdict": _verdict(spread[i]),
                "games": asked[i],
                "played": played[i] / asked[i] if asked[i] else None,
                "winner_changed": winners[i] / asked[i] if asked[i] else None,
                "by_players": [{"players": n, **rows[i]} for n, rows in at.items()],
                "by_strategy": [rows[i] for rows in by_strategy],
            }
            for i, name in enumerate(kind.items)
        ],
    }
    plain: Row = tables.plain(answer)
    return plain


def _by_strategy(found: Mapping[int, Effects]) -> list[Estimates]:
    strategies = next(iter(found.values())).games.shape[2]
    return [
        measures.mean_of(
            [stats.ratio(each.share[:, :, who] / SHARE_UNITS, each.games[:, :, who]) for each in found.values()]
        )
        for who in range(strategies)
    ]


def _verdict(spread: Mapping[str, float]) -> str:
    """Say on which side of nothing the joint range lies: "more", "less", or "unclear"."""
    if spread["joint_lo"] > 0.0:
        return "more"
    return "less" if spread["joint_hi"] < 0.0 else "unclear"


def faults(answer: Row) -> list[str]:
    """Say why an answer cannot be trusted, if it cannot: the controls of a report, in a line each."""
    checks = controls.of_values(Cards.model_validate(answer).answers)
    return [f"{row['fault']} ({row['name']}: {row['found']})" for row in checks if row["state"] == "failed"]


def beside(answer: Row, kept: Row | None) -> Row:
    """Lay an answer beside those to other kinds of question; a question asked again is answered anew."""
    earlier = kept["answers"] if kept else []
    return {"answers": list({row["kind"]: row for row in (*earlier, *answer["answers"])}.values())}


def kinds_of(spec: GameSpec, names: Sequence[str]) -> list[Intervention]:
    """Find interventions by name; without names the first one of the game, and always a placebo to check by.

    Raises
    ------
    UsageError
        If the game has none of that name.
    """
    known = {kind.name: kind for kind in kinds(spec)}
    for name in names:
        if name not in known:
            meant = nearest(name, known)
            raise UsageError(
                f"{spec.name} cannot change {name!r}",
                expected=either(known),
                fix=f"did you mean {meant}?" if meant else None,
            )
    wanted = list(names) or list(known)[:1]
    return [known[name] for name in dict.fromkeys([*wanted, *(n for n, k in known.items() if k.placebo)])]


def listing(spec: GameSpec, entries: Sequence[Entry]) -> str:
    """List what can be changed in a game with these strategies, a line each."""
    blind = any(entry.strategy.blind for entry in entries)
    known = [kind for kind in kinds(spec) if kind is not BLIND or blind]
    wide = max(len(kind.name) for kind in known)
    return "\n".join(f"{kind.name:<{wide}}  {kind.question}" for kind in known)


def text(answer: Row) -> str:
    """Write an answer as tables for a terminal, the largest effects first."""
    return "\n\n".join("\n".join(_lines(each)) for each in answer["answers"])


def _lines(answer: Row) -> Iterator[str]:
    counts = words.with_counts(answer["players"])
    yield f"{words.sentence(answer['title'])}, {counts}: {answer['question']}"
    yield f"{words.count(answer['games'])} games more; change of the win share in percentage points, all ranges joint"
    asked = [item for item in answer["items"] if item["est"] is not None]
    wide = max((words.width(item["name"]) for item in asked), default=0)
    for item in sorted(asked, key=lambda item: -item["est"]):
        digits = max(stats.decimals(50 * (item["joint_hi"] - item["joint_lo"])), 1)
        value = words.number(100 * item["est"], digits, signed=True)
        reach = words.span(100 * item["joint_lo"], 100 * item["joint_hi"], digits, signed=True)
        name = item["name"] + " " * (wide - words.width(item["name"]))
        told = words.NO_DIFFERENCE if stats.nothing(item) else f"({reach})  {VERDICTS[item['verdict']]}"
        yield f"  {name}  {value:>6}  {told}"
    if gone := [item["name"] for item in answer["items"] if item["est"] is None]:
        yield f"  not in this game: {words.listing(gone)}"
