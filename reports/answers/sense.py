"""Which number to turn: every number of the reward tables one step up and down, on the same luck."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reports import goals, measures, stats, tables, words
from reports.blocks import Run
from reports.figures import scales
from reports.games import facts_of
from reports.goals import Found, Sample
from reports.stats import Estimates
from sim.config import Config
from sim.engine import session
from sim.errors import ConfigError, KeyPath, UsageError
from sim.games import spec as game_spec
from sim.games.interface import Entry
from sim.source import key_text

Row = dict[str, Any]

STEPS = (-1, 1)

NOTHING_FOUND = (
    "Nothing found: no step moves this goal beyond its range. More games (--games) make the ranges narrower."
)


@dataclass(frozen=True)
class Step:
    """One number turned by one step.

    Attributes
    ----------
    path : KeyPath
        Where it stands in the config.
    old, new : int
        Its value before and after.
    config : Config
        The whole config with the new value.
    """

    path: KeyPath
    old: int
    new: int
    config: Config

    @property
    def edit(self) -> str:
        """The change as ``--set`` takes it."""
        return f"{key_text(self.path)}={self.new}"


def steps(config: Config, load: Callable[[Sequence[str]], Config], keys: Sequence[str] = ()) -> Iterator[Step]:
    """Yield every step that a config allows and that changes the rules of a game it plays.

    Parameters
    ----------
    load : callable
        Reads the config once more with some changes on top, each as ``--set`` takes it.
    keys : sequence of str
        Only numbers below these keys; without them, below the keys that the game names (``GameSpec.knobs``).
    """
    rules = config.rules()
    for key in keys or game_spec(config.game).knobs:
        if key.split(".")[0] not in rules:
            raise UsageError(f"{config.game} has no key {key!r}", expected=", ".join(rules))
    below = tuple(keys) or game_spec(config.game).knobs
    as_it_is = _records(config)
    for path, old in _numbers(rules, ()):
        if not any(_under(key_text(path), key) for key in below):
            continue
        for step in STEPS:
            try:
                changed = load([f"{key_text(path)}={old + step}"])
            except ConfigError:
                continue  # the game cannot be played that way
            if _records(changed) != as_it_is:
                yield Step(path, old, old + step, changed)


def _under(path: str, key: str) -> bool:
    return path == key or path.startswith((f"{key}.", f"{key}["))


def _numbers(node: Any, path: KeyPath) -> Iterator[tuple[KeyPath, int]]:
    """Walk over the whole numbers of nested tables."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _numbers(value, (*path, key))
    elif isinstance(node, list | tuple):
        for index, value in enumerate(node):
            yield from _numbers(value, (*path, index))
    elif isinstance(node, int) and not isinstance(node, bool):
        yield path, node


def _records(config: Config) -> list[bytes]:
    """Give the compiled rules of all player counts: a number that does not show in them is not in play."""
    fill = game_spec(config.game).fill_rules
    return [fill(config.options, players).tobytes() for players in config.plan.players]


def ask(
    config: Config,
    turned: Sequence[Step],
    entries: Sequence[Entry],
    executor: Executor,
    tell: Callable[[str], None],
    shown: str | None = None,
) -> Row:
    """Measure what each step does to each goal.

    Parameters
    ----------
    config : Config
        Its plan's games are played for every step, at mixed tables.
    turned : sequence of Step
        The steps.
    tell : callable
        Told in words what is being played.
    shown : str, optional
        Id of the goal that will be shown.

    Returns
    -------
    dict
        ``goals`` (id, label, kind), ``steps`` (path, label, edit, step, and for each goal its effect with both
        ranges), ``games`` of a step, ``draws``, ``seed``, ``players``, ``strategies``.

    Raises
    ------
    UsageError
        If that goal is not among those measured, before any step is played.
    """
    with tempfile.TemporaryDirectory(prefix="hakari-") as folder:

        def run(number: int, changed: Config) -> Run:
            job = session.aside(changed, entries, Path(folder) / str(number), games=config.plan.games)
            session.play_aside(job, changed, executor)
            return Run(job.folder)

        before = run(0, config)
        if any(cell.sums["chunk"].size < stats.FEW_CHUNKS for cell in before.cells if cell.sums):
            raise UsageError(f"{before.games:,} games say nothing about single steps", fix="play more: --games")
        measured, _ = goals.measured_all(before, facts_of(config.game, before.manifest["config"]))
        described = [_goal(one, before) for one in measured]
        choose({"goals": described}, shown)
        found = []
        for number, step in enumerate(turned, 1):
            tell(f"step {number} of {len(turned)}: {step.edit}")
            now = run(number, step.config)
            found.append([_difference(one, before, now) for one in measured])
    rows = []
    for place, one in enumerate(measured):
        row = _beside([each[place] for each in found])
        rows.append(stats.spread(row, "difference", one.deals))
    shared = _shared([step.path for step in turned])
    answer = {
        "players": list(config.plan.players),
        "strategies": [words.plain(entry.label) for entry in entries],
        "draws": config.plan.draws,
        "seed": config.plan.seed,
        "games": before.games,
        "goals": described,
        "steps": [
            {
                "path": list(step.path),
                "label": words.plain(_label(step.path[shared:])),
                "edit": step.edit,
                "old": step.old,
                "step": step.new - step.old,
                "effects": [
                    {"goal": goal_id(one), **rows[place][number]}
                    for place, one in enumerate(measured)
                    if np.isfinite([*rows[place][number].values()]).all()
                ],
            }
            for number, step in enumerate(turned)
        ],
    }
    plain: Row = tables.plain(answer)
    return plain


def _difference(one: Found, before: Run, now: Run) -> Estimates:
    """Change of a goal's deciding candidate (a seat, a strategy, an item), deal by deal."""
    sample = Sample(
        now.mixed(one.players), one.goal, facts_of(now.manifest["game"], now.manifest["config"]), now.strategies
    )
    pick, *_ = one.judge(stats.LEVEL)
    paired = measures.paired(now, before, one.players)
    return stats.difference(one.measure.estimate(sample).rows(pick), one.estimates.rows(pick), paired=paired)


def _beside(parts: Sequence[Estimates]) -> Estimates:
    """Put effects that were measured on the same deals beside each other, as the rows of one chart."""
    return Estimates(
        np.concatenate([part.value for part in parts]),
        np.hstack([part.influence for part in parts]),
        parts[0].cells,
    )


def goal_id(one: Found) -> str:
    """Name a goal at a player count as `report.json` does."""
    return f"{one.name}-{one.players}"


def _goal(one: Found, run: Run) -> Row:
    facts = facts_of(run.manifest["game"], run.manifest["config"])
    pick, verdict, low, high = one.judge(stats.LEVEL)
    low_end, high_end = (None if np.isinf(end) else end for end in one.band)
    return {
        "id": goal_id(one),
        "goal": one.name,
        "players": one.players,
        "label": words.goal_label(one.goal.title, one.goal.measure, one.players, goals.options_of(one, facts)),
        "kind": one.measure.kind,
        "subject": one.names[pick],
        "est": one.estimates.value[pick],
        "lo": low,
        "hi": high,
        "band": {"lo": low_end, "hi": high_end, "text": one.goal.describe(one.players)},
        "verdict": verdict,
    }


def _shared(paths: Sequence[KeyPath]) -> int:
    """How many keys all paths begin with, the last one of each not counted."""
    first = paths[0][:-1]
    return next((n for n in range(len(first)) if any(path[:-1][n : n + 1] != first[n : n + 1] for path in paths)), 0)


def _label(path: KeyPath) -> str:
    """Say in words where a number stands: "castle 3-4, 1st"."""
    names = " ".join(part.replace("_", " ") for part in path if isinstance(part, str))
    places = [words.ordinal(part + 1) for part in path if isinstance(part, int)]
    return ", ".join([*([names] if names else []), *places])


def text(answer: Row, goal: str | None = None) -> str:
    """Write an answer as a table for a terminal: what moves a goal most comes first.

    Parameters
    ----------
    goal : str, optional
        Id of a goal; without it, the first that is missed, or else the first.
    """
    chosen = choose(answer, goal)
    mean = chosen["kind"] == "mean"
    scale, unit = (1.0, "") if mean else (100.0, " pp")
    now = words.goal_value({**chosen, "joint_lo": chosen["lo"], "joint_hi": chosen["hi"]}, chosen["est"])
    lines = [
        f"{chosen['label']}: {now} (goal {chosen['band']['text']})",
        f"What one step changes, with {answer['games']:,} games a step on the same deals; all ranges joint",
    ]
    effects = {step["edit"]: {each["goal"]: each for each in step["effects"]} for step in answer["steps"]}
    rows = [step for step in answer["steps"] if chosen["id"] in effects[step["edit"]]]
    rows.sort(key=lambda step: -abs(effects[step["edit"]][chosen["id"]]["est"]))
    wide = max((words.width(step["edit"]) for step in rows), default=0)
    found = [effects[step["edit"]][chosen["id"]] for step in rows]
    digits = max(scales.digits(found, scale), 1)
    for step, effect in zip(rows, found, strict=True):
        value = words.number(scale * effect["est"], digits, signed=True)
        reach = words.span(scale * effect["joint_lo"], scale * effect["joint_hi"], digits, signed=True)
        name = step["edit"] + " " * (wide - words.width(step["edit"]))
        was = f"(was {step['old']})"
        told = words.NO_DIFFERENCE if stats.nothing(effect) else f"({reach})"
        lines.append(f"  {name}  {was:<10}  {value:>7}{unit}  {told}")
    if not any(effect["joint_lo"] > 0.0 or effect["joint_hi"] < 0.0 for effect in found):
        lines.append(NOTHING_FOUND)
    return "\n".join(lines)


def choose(answer: Row, goal: str | None) -> Row:
    """Find the goal to show.

    Raises
    ------
    UsageError
        If there is none of that id, or none at all.
    """
    known: dict[str, Row] = {each["id"]: each for each in answer["goals"]}
    if not known:
        raise UsageError("none of the goals can be measured here")
    if goal is None:
        missed = [each for each in answer["goals"] if each["verdict"] == "outside"]
        first: Row = (missed or answer["goals"])[0]
        return first
    if goal not in known:
        raise UsageError(f"there is no goal {goal!r}", expected=", ".join(known))
    return known[goal]
