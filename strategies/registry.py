"""Declaring strategies and finding them.

A strategy is a compiled function ``choose(state, rules, params) -> int64`` in a file of its own name. It is found in
``strategies/<game>/``, in packages that offer the entry point group ``hakari.strategies``, or in any file that the
user names. A file that cannot be loaded is reported with its error and stops nothing else.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from sim.config import parse_member
from sim.errors import StrategyError, UsageError, either, nearest
from sim.games.interface import PARAMS_MAX, Entry
from sim.jit import rule

HERE = Path(__file__).resolve().parent
ENTRY_POINTS = "hakari.strategies"


@dataclass(frozen=True)
class Strategy:
    """Who plays.

    Attributes
    ----------
    game, name, title : str
    params : mapping
        Its parameters with their defaults, in the order of the array that ``choose`` gets.
    choose : Rule
        The compiled function.
    blind : mapping
        Values of parameters with which it ignores its opponents; empty where it always does, or never can.
    idea, weakness : str
        From its docstring: what stands before and after "Weakness:".
    source : Path
        Its file.
    """

    game: str
    name: str
    title: str
    params: Mapping[str, float]
    choose: Any = field(repr=False)
    idea: str
    weakness: str
    source: Path
    blind: Mapping[str, float] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process by name of the file; it is compiled there."""
        return load, (self.source,)

    @property
    def summary(self) -> str:
        """First sentence of its idea."""
        return self.idea.split("\n\n")[0].replace("\n", " ")


@dataclass(frozen=True)
class Broken:
    """A strategy file that could not be used, and why."""

    game: str
    name: str
    source: Path
    error: str


def strategy(
    game: str,
    *,
    title: str,
    params: Mapping[str, float] | None = None,
    blind: Mapping[str, float] | None = None,
) -> Callable[[Any], Strategy]:
    """Declare a strategy. The function's docstring gives its idea and, after "Weakness:", its weakness.

    Parameters
    ----------
    game : str
        The game it plays.
    title : str
        How the report names it.
    params : mapping, optional
        Parameters with their defaults. ``choose`` gets them as a float64 array in this order.
    blind : mapping, optional
        Values of some of them with which it ignores its opponents: so the report can say what minding them is worth.
    """

    def declare(choose: Any) -> Strategy:
        defaults = dict(params or {})
        if not all(isinstance(value, int | float) for value in defaults.values()) or not isinstance(title, str):
            raise ValueError("the title must be a text and the defaults of parameters must be numbers")
        if len(defaults) > PARAMS_MAX:
            raise ValueError(f"a strategy can have at most {PARAMS_MAX} parameters, not {len(defaults)}")
        if not set(blind or {}) <= set(defaults):
            raise ValueError(f"blind names parameters that there are not: {sorted(set(blind or {}) - set(defaults))}")
        idea, _, weakness = inspect.cleandoc(choose.__doc__ or "").partition("Weakness:")
        if not idea.strip() or not weakness.strip():
            raise ValueError('the docstring must tell the idea and, after "Weakness:", the weakness')
        source = Path(choose.__code__.co_filename).resolve()
        compiled = rule(choose)
        words = idea.strip(), weakness.strip()
        return Strategy(game, choose.__name__, title, defaults, compiled, *words, source, dict(blind or {}))

    return declare


def find(game: str, extra_files: Iterable[Path] = ()) -> tuple[dict[str, Strategy], list[Broken]]:
    """Find all strategies of a game: the built-in ones, installed ones and those in ``extra_files``.

    Returns
    -------
    found : dict
        Name → strategy, sorted by name; a later file replaces an earlier one of the same name.
    broken : list
        Files that could not be loaded.
    """
    files = [path for path in sorted((HERE / game).glob("*.py")) if path.name != "__init__.py"]
    found: dict[str, Strategy] = {}
    broken: list[Broken] = []
    for path in [*files, *(Path(file).resolve() for file in extra_files)]:
        try:
            loaded = load(path)
        except StrategyError as error:
            broken.append(Broken(game, path.stem, path, str(error)))
        else:
            if loaded.game == game:
                found[loaded.name] = loaded
    for point in entry_points(group=ENTRY_POINTS):
        try:
            offered = point.load()
        except Exception as error:  # whatever an installed package does wrong must not stop the others
            broken.append(Broken(game, point.name, Path(point.value), f"{type(error).__name__}: {error}"))
        else:
            if isinstance(offered, Strategy) and offered.game == game:
                found[offered.name] = offered
    return dict(sorted(found.items())), broken


def seat(found: Mapping[str, Strategy], name: str, usual: Mapping[str, float], special: Mapping[str, float]) -> Entry:
    """Make a strategy take part.

    Parameters
    ----------
    found : mapping
        All strategies of the game, by name.
    name : str
        Which one.
    usual : mapping
        Parameters that the config sets for it everywhere.
    special : mapping
        Parameters of this entry alone; its label names them.

    Raises
    ------
    StrategyError
        If there is no such strategy or parameter.
    """
    if name not in found:
        meant = nearest(name, found)
        raise StrategyError(
            f'there is no strategy "{name}"', expected=either(found), fix=f'did you mean "{meant}"?' if meant else None
        )
    wanted = found[name]
    for param in {**usual, **special}:
        if param not in wanted.params:
            known = either(wanted.params) if wanted.params else "none: it has no parameters"
            raise StrategyError(f'strategy {name} has no parameter "{param}"', expected=known)
    braces = "{" + ",".join(f"{key}={value:g}" for key, value in special.items()) + "}" if special else ""
    return Entry(name + braces, wanted, tuple({**wanted.params, **usual, **special}.values()))


def member(found: Mapping[str, Strategy], config: Any, text: str) -> Entry:
    """Make an entry of a line-up take part: ``"greedy"`` or ``"greedy{tempo=0.8}"``."""
    try:
        name, special = parse_member(text)
    except ValueError as error:
        raise UsageError(f'"{text}" {error}') from None
    return seat(found, name, config.strategies.get(name, {}), special)


def seated(found: Mapping[str, Strategy], config: Any, guests: Iterable[Path] = ()) -> list[Entry]:
    """Make everybody take part whom a config's plan names (all strategies of the game if it names nobody), and guests.

    Parameters
    ----------
    guests : iterable of Path
        Files whose strategies take part in any case.
    """
    listed = [text for lineup in config.plan.lineups if not isinstance(lineup, str) for text in lineup]
    invited = [each.name for each in found.values() if each.source in {Path(file).resolve() for file in guests}]
    texts = dict.fromkeys([*(config.plan.strategies or found), *listed, *invited])
    return list({entry.label: entry for entry in (member(found, config, text) for text in texts)}.values())


def load(path: Path) -> Strategy:
    """Load the strategy of a file.

    Raises
    ------
    StrategyError
        If the file cannot be run or does not declare exactly one strategy of its own name.
    """
    name = f"strategies.{path.parent.name}.{path.stem}" if path.is_relative_to(HERE) else f"hakari_file_{path.stem}"
    try:
        module = sys.modules.get(name) or _run(name, path)
    except FileNotFoundError:
        raise StrategyError(f"no such strategy file: {path}") from None
    except SyntaxError as error:
        text = (error.text or "").strip()
        raise StrategyError(f"{path}, line {error.lineno}: {error.msg}", got=text or None) from None
    except (Exception, SystemExit) as error:  # somebody's program: whatever it raises is reported, by name
        raise StrategyError(f"{path}: {type(error).__name__}: {error}") from None
    declared = [value for value in vars(module).values() if isinstance(value, Strategy) and value.source == path]
    if [each.name for each in declared] != [path.stem]:
        raise StrategyError(
            f"{path} declares {', '.join(each.name for each in declared) or 'no strategy'}",
            expected=f"one function named {path.stem}, decorated with @strategy(...)",
        )
    return declared[0]


def _run(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
