"""Configs: a game's rules as data, what to play, and the goals to judge it by.

A config is read in layers, each changing only what it names: the rule book's values, the file named by ``base`` (and
that file's own ``base``), the file itself, then ``--set``. All faults of all layers are reported together, each in its
place.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, SerializeAsAny, ValidationError, create_model

from sim import games
from sim.errors import ConfigError, Fault, KeyPath, either, nearest
from sim.explain import Schema, faults, stands, unknown_key, value_at
from sim.games.model import GameOptions, Table
from sim.goals import BANDS, Goal
from sim.source import Override, Source, key_text, override, read, show

FOLDER = Path(__file__).resolve().parent.parent / "configs"

NAME = r"[A-Za-z][A-Za-z0-9_-]*"
_MEMBER = re.compile(rf"({NAME})(?:\{{(.*)\}})?")
_PARAM = re.compile(rf"\s*({NAME})\s*=\s*([-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)\s*")

Kind = Literal["field", "one_vs_rest", "pairs", "mirror", "all"]


def parse_member(text: str) -> tuple[str, dict[str, float]]:
    """Read an entry of a line-up: a strategy's name and, in braces, parameters that differ from its usual ones.

    >>> parse_member("greedy{tempo=0.8}")
    ('greedy', {'tempo': 0.8})

    Raises
    ------
    ValueError
        If it is not of this form.
    """
    member = _MEMBER.fullmatch(text)
    given = [_PARAM.fullmatch(each) for each in (member[2] or "").split(",")] if member and member[2] else []
    if not member or not all(given):
        raise ValueError('is no strategy with its parameters, such as "greedy" or "greedy{tempo=0.8}"')
    params = {each[1]: float(each[2]) for each in given if each}
    if len(params) < len(given):
        raise ValueError("gives a parameter twice")
    return member[1], params


def _member(text: str) -> str:
    parse_member(text)
    return text


Name = Annotated[str, Field(pattern=f"^{NAME}$", examples=["greedy"])]
Member = Annotated[str, AfterValidator(_member), Field(examples=["greedy", "greedy{tempo=0.8}"])]
Title = Annotated[str, Field(max_length=200, pattern=r"^[^\n]*$", examples=["Set A with the Castle at 5 coins"])]
RunName = Annotated[str, Field(max_length=100, pattern=r"^[^/\\\n]*$", examples=["castle-5"])]


class Plan(Table):
    """What is played: so many games, spread evenly over player counts, kinds of line-up and line-ups."""

    games: int = Field(
        1_000_000, ge=1, le=10**12, description="Games to play, about: each deal is played from every seat."
    )
    players: Annotated[tuple[int, ...], Field(strict=False, min_length=1)] = Field(
        description="The numbers of players. Without this key: all that the game takes."
    )
    lineups: Annotated[
        tuple[Kind | Annotated[tuple[Member, ...], Field(strict=False, min_length=2, max_length=6)], ...],
        Field(strict=False, min_length=1),
    ] = Field(
        ("field", "one_vs_rest", "mirror"),
        description='Who meets whom. "field": every deal draws its own mixture; "one_vs_rest": one strategy among all '
        'others of another; "pairs": two strategies, half the seats each; "mirror": the same strategy on all seats; '
        '"all": every mixture; or a list of strategies by seat, such as ["greedy", "random", "random{…}"].',
    )
    strategies: Annotated[tuple[Member, ...], Field(strict=False)] = Field(
        (), description='The strategies, such as "greedy" or "greedy{tempo=0.8}". An empty list: all of the game.'
    )
    seed: int = Field(
        1, ge=0, le=2**63 - 1, description="Start of all random numbers: the same seed gives the same games."
    )
    draws: Literal["shared", "per_seat"] = Field(
        "shared",
        description='"shared": one pile for all. "per_seat": each seat meets the pile in an order of its own, so that '
        "its draws do not move when another draws more; better for comparisons.",
    )
    rotation: Literal["cyclic"] = Field("cyclic", description="Each deal is played from every seat in turn.")
    keep_games: float = Field(
        1.0, gt=0, le=1, allow_inf_nan=False, description="Part of the games to keep a row of; the sums count all."
    )


class Config(Table):
    """A checked config with everything filled in.

    Attributes
    ----------
    game : str
    title : str
        One line that the report shows under the game's name, or "".
    name : str
        The file's ``name``, or else the file's own name without its ending.
    options : GameOptions
        The game's rules: an instance of the ``Options`` of its ``spec.py``.
    plan : Plan
    goals : dict
        Name → :class:`~sim.goals.Goal`.
    strategies : dict
        Strategy → parameters that differ from its usual ones.
    """

    game: str
    title: str
    name: str
    options: SerializeAsAny[GameOptions]
    plan: Plan
    goals: dict[str, Goal]
    strategies: dict[str, dict[str, float]]

    def rules(self) -> dict[str, Any]:
        """Give the game's own keys, everything filled in, as plain data."""
        return self.options.model_dump(mode="json", by_alias=True)

    def effective(self) -> dict[str, Any]:
        """Give the whole config as plain data, everything filled in, in the shape and order of a file."""
        return {
            "game": self.game,
            "title": self.title,
            "name": self.name,
            **self.rules(),
            "plan": self.plan.model_dump(mode="json"),
            "goals": {name: goal.model_dump(mode="json", exclude_none=True) for name, goal in self.goals.items()},
            "strategies": {name: dict(params) for name, params in self.strategies.items()},
        }

    @property
    def sha256(self) -> str:
        """Hash of the effective config: 64 hexadecimal digits, whatever the order of keys."""
        return digest(self.effective())


def digest(effective: Mapping[str, Any]) -> str:
    """Hash an effective config, such as a manifest holds."""
    text = json.dumps(effective, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def load(path_or_game: str | os.PathLike[str], overrides: Sequence[str] = ()) -> Config:
    """Read and check a config.

    Parameters
    ----------
    path_or_game : str or path
        A file; or the name of a config of the project, such as a game's: "mon" is ``configs/mon.toml``.
    overrides : sequence of str
        Changes on top, each ``PATH=VALUE`` (see :func:`sim.source.override`).

    Raises
    ------
    ConfigError
        If anything is wrong with it; its ``faults`` are all that is.
    """
    path = _find(os.fspath(path_or_game))
    try:
        files = _with_bases(path, ())
    except FileNotFoundError:
        expected, fix = _other_files(str(path), path.parent)
        raise ConfigError("there is no such config", where=str(path), expected=expected, fix=fix) from None
    game = _game(files)
    data: dict[str, Any] = _defaults(game)
    for file in files:
        data = _merge(data, {key: value for key, value in file.data.items() if file is files[-1] or key not in _OWN})
    data.pop("base", None)
    data.setdefault("name", path.stem)
    checked = _check(game, data)
    errors: list[ConfigError] = []
    sources = list(files)
    for text in overrides:
        if isinstance(checked, Config):
            # Tables given by name are spelled out here, so that an index finds their entries.
            data = checked.effective()
        try:
            change = override(text)
            data = _overridden(data, change, _schema(game))
        except ConfigError as error:
            errors.append(error)
        else:
            sources.append(change.source)
            checked = _check(game, data)
    if isinstance(checked, Config) and not errors:
        return checked
    placed = [] if isinstance(checked, Config) else [_placed(fault, sources, files[-1]) for fault in checked]
    raise ConfigError.of([error for _, error in sorted(placed, key=lambda each: each[0])] + errors)


def restore(data: Mapping[str, Any]) -> Config:
    """Check a config that was stored as plain data (:meth:`Config.effective`).

    Raises
    ------
    ConfigError
        If it is no config, or one of another version.
    """
    source = Source("stored config", "", dict(data))
    game = _game([source])
    checked = _check(game, _merge(_defaults(game), {"name": game, **data}))
    if isinstance(checked, Config):
        return checked
    raise ConfigError.of(source.error(fault, None) for fault in checked)


def json_schema(game: str) -> dict[str, Any]:
    """Give the JSON Schema of a game's config files, for editors. Nothing is required, since a base may give it.

    Raises
    ------
    UsageError
        If there is no such game.
    """
    schema: dict[str, Any] = _trimmed(_file(game).model_json_schema())
    players = games.options(game).PLAYERS
    for table in ("Plan", "Goal"):
        entry = schema["$defs"][table]["properties"]["players"]
        entry.get("anyOf", [entry])[0]["items"] |= {"minimum": players[0], "maximum": players[-1]}
    head = {key: schema["properties"].pop(key) for key in ("base", "game", "title", "name")}
    return schema | {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Hakari config for {game}",
        "properties": head | schema["properties"],
    }


_OWN = ("name", "title", "base")  # what a file says of itself, and not of those based on it


@cache
def _file(game: str) -> type[GameOptions]:
    """Make the model of a game's config files: its rules, and what every config has."""
    fields: dict[str, Any] = {
        "base": (str, Field("", description="A config that this one changes: a file, seen from this file's folder.")),
        "game": (Literal[game], Field(description="The game.")),
        "title": (Title, Field("", description="One line that the report shows under the game's name.")),
        "name": (RunName, Field("", description="A short name for runs; without this key, the file's name.")),
        "plan": (Plan, Field(description="What is played.")),
        "goals": (dict[str, Goal], Field({}, description="The balance goals, each a table of any name.")),
        "strategies": (
            dict[Name, dict[Name, Annotated[float, Field(allow_inf_nan=False)]]],
            Field({}, description="Parameters of strategies that differ from their usual ones, a table a strategy."),
        ),
    }
    return create_model("File", __base__=games.options(game), **fields)


@cache
def _schema(game: str) -> Schema:
    return Schema(json_schema(game))


def _trimmed(node: Any) -> Any:
    """Leave out of a schema what helps nobody: what is required (a base may give it), names made of keys, and null."""
    if isinstance(node, list):
        return [_trimmed(each) for each in node if each != {"type": "null"}]
    if not isinstance(node, dict):
        return node
    # A config's own key of such a name has a table here, and stays.
    idle: dict[str, type] = {"required": list, "title": str, "default": type(None)}
    return {key: _trimmed(value) for key, value in node.items() if not isinstance(value, idle.get(key, ()))}


def _defaults(game: str) -> dict[str, Any]:
    """Give the lowest layer of a config: the rule book's values."""
    options = games.options(game)
    return {
        "game": game,
        **options().model_dump(mode="json", by_alias=True),
        "plan": {"players": list(options.PLAYERS)},
    }


# --- finding the layers ---


def _find(name: str) -> Path:
    return _project_configs().get(name) or Path(name)


def _project_configs() -> dict[str, Path]:
    return {path.stem: path for path in sorted(FOLDER.glob("*.toml"), key=lambda path: path.stem)}


def _other_files(name: str, folder: Path) -> tuple[str, str | None]:
    """Say what there is instead of a missing file, and which of it was probably meant."""
    known = _project_configs()
    there = {_label(path): path.stem for path in [*known.values(), *sorted(folder.glob("*.toml"))]}
    if name != Path(name).stem:
        meant = [label for label, stem in there.items() if stem == nearest(Path(name).stem, there.values())]
    else:
        meant = [stem for stem in known if stem == nearest(name, known)]
    return f"a file, or one of {', '.join(known)}", f"did you mean {either(meant)}?" if meant else None


def _label(path: Path) -> str:
    """Name a file as short as can be."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def _with_bases(path: Path, above: tuple[Path, ...]) -> list[Source]:
    """Read a file and, before it, all that it is based on."""
    source = read(path, _label(path))
    if "base" not in source.data:
        return [source]
    base, span = source.data["base"], source.span(("base",), at_key=False)
    if not isinstance(base, str) or "\0" in base:
        expected = 'a file in quotes, seen from this file\'s folder: "mon.toml"'
        raise source.error(Fault(("base",), "base names no file", got=show(base), expected=expected), span)
    target = path.parent / base
    above = (*above, path.resolve())
    if target.resolve() in above:
        raise source.error(Fault(("base",), "this config is based on itself", got=show(base)), span)
    try:
        return [*_with_bases(target, above), source]
    except FileNotFoundError:
        what, (expected, fix) = "the base of this config is not there", _other_files(base, target.parent)
        raise source.error(Fault(("base",), what, got=show(base), expected=expected, fix=fix), span) from None


def _game(files: Sequence[Source]) -> str:
    """Find out which game a config is for."""
    last = files[-1]
    named = [(file, file.data["game"]) for file in files if "game" in file.data]
    expected = either(f'game = "{game}"' for game in games.GAMES)
    if not named:
        if not last.data:
            expected = f"a config that begins with {expected}"
            raise ConfigError("this config is empty", where=last.label, expected=expected)
        if typo := nearest("game", last.data):
            fault = Fault((typo,), f"there is no key {key_text((typo,))}", fix="did you mean game?")
            raise last.error(fault, last.span((typo,), at_key=True))
        raise ConfigError("this config does not say which game it is for", where=last.label, expected=expected)
    for file, game in named:
        span = file.span(("game",), at_key=False)
        if game not in games.GAMES:
            meant = nearest(game, games.GAMES) if isinstance(game, str) else None
            fix = f'did you mean "{meant}"?' if meant else None
            raise file.error(Fault((), "there is no such game", got=show(game), expected=expected, fix=fix), span)
        if game != named[0][1]:
            raise file.error(Fault((), f"the base of this config is for {named[0][1]}", got=show(game)), span)
    return str(named[0][1])


# --- laying them over each other ---


def _merge(below: Any, above: Any, path: KeyPath = ()) -> Any:
    """Lay a table over another: tables are merged, everything else is replaced."""
    if not (isinstance(below, Mapping) and isinstance(above, Mapping)):
        return above
    if len(path) == 2 and path[0] == "goals" and any(key in BANDS for key in above):
        below = {key: value for key, value in below.items() if key not in BANDS}  # a goal has one band: the newest
    merged = {key: _merge(below[key], above[key], (*path, key)) if key in above else below[key] for key in below}
    return merged | {key: value for key, value in above.items() if key not in below}


def _overridden(data: dict[str, Any], change: Override, schema: Schema) -> dict[str, Any]:
    """Apply a ``--set``.

    Raises
    ------
    ConfigError
        If there is nothing at its path.
    """
    node: Any = data
    for number, part in enumerate(change.path):
        path = change.path[: number + 1]
        name = key_text(path[:-1])
        fault = None
        if path in (("game",), ("base",)):
            fault = Fault(path, f"{path[0]} cannot be set: name another config instead")
        elif isinstance(part, int) and not isinstance(node, list):
            fault = Fault(path, f"{name} is no list", got=show(node))
        elif isinstance(part, int) and part >= len(node):
            last = f"the last one is {name}[{len(node) - 1}]" if node else "the list is empty"
            fault = Fault(path, f"{name} has no entry [{part}]", got=last, fix=f"give the whole list: {name}=[…]")
        elif isinstance(part, str) and isinstance(node, list):
            fault = Fault(path, f"{name} is a list", expected=f"the number of an entry, from 0: {name}[0]")
        elif not schema.at(path):
            fault = unknown_key(path, schema)
        elif isinstance(part, str) and not isinstance(node, Mapping):
            fault = Fault(path, f"{name} is no table", got=show(node))
        if fault:
            raise change.source.error(fault, change.source.keys[path])
        node = node[part] if isinstance(part, int) else node.get(part, {})
    changed: dict[str, Any] = _laid_in(data, change.path, change.value)
    return changed


def _laid_in(node: Any, path: KeyPath, value: Any, done: KeyPath = ()) -> Any:
    """Lay a value over what stands at ``path`` of ``node``, which itself stands at ``done``."""
    if not path:
        return _merge(node, value, done)
    part, rest = path[0], path[1:]
    if isinstance(part, int):
        return [*node[:part], _laid_in(node[part], rest, value, (*done, part)), *node[part + 1 :]]
    return _merge(node, {part: _laid_in(node.get(part, {}), rest, value, (*done, part))}, done)


# --- checking ---


def _check(game: str, data: Mapping[str, Any]) -> Config | list[Fault]:
    """Make a config of plain data, or say all that is wrong with it."""
    found: list[Fault] = []
    file: GameOptions | None
    try:
        file = _file(game).model_validate(data)
    except ValidationError as error:
        found = faults(error, data, _schema(game))
        file = _sound_part(game, data, found)
    if file is not None:
        wrong = [fault.path for fault in found]
        found += [
            clash
            for clash in _clashes(game, file)
            if not any(_overlap(path, other) for path in (clash.path, *clash.on) for other in wrong)
        ]
    if found or file is None:
        return found
    options = games.options(game)
    values = {name: getattr(file, name) for name in ("title", "name", "plan", "goals", "strategies")}
    own = {key: data[key] for name, field in options.model_fields.items() if (key := field.alias or name) in data}
    return Config(game=game, options=options.model_validate(own), **values)


def _sound_part(game: str, data: Mapping[str, Any], found: Sequence[Fault]) -> GameOptions | None:
    """Replace faulty keys by the rule book's values, so that the others can still be checked together."""
    for _ in range(10):  # taking a key away can make its table faulty
        # A table that lacks a key goes itself; deeper and later entries first, so that the others keep their numbers.
        paths = {fault.path if stands(data, fault.path) else fault.path[:-1] for fault in found} - {()}
        data = deepcopy(data)
        for path in sorted(paths, key=lambda path: [(isinstance(part, int), part) for part in path], reverse=True):
            if stands(data, path):
                del value_at(data, path[:-1])[path[-1]]
        data = _merge(_defaults(game), data)
        try:
            return _file(game).model_validate(data)
        except ValidationError as error:
            found = faults(error, data, _schema(game))
    return None


def _overlap(one: KeyPath, other: KeyPath) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _clashes(game: str, file: Any) -> Iterator[Fault]:
    """Yield what is wrong in a file whose every key by itself is right."""
    yield from file.faults()
    players = games.options(game).PLAYERS
    yield from _player_faults(("plan", "players"), file.plan.players, game, players)
    yield from _repeats(("plan", "strategies"), file.plan.strategies)
    yield from _repeats(("plan", "lineups"), file.plan.lineups)
    for name, goal in file.goals.items():
        for fault in goal.faults():
            yield fault.under("goals", name)
        if goal.players is not None:
            yield from _player_faults(("goals", name, "players"), goal.players, game, players)


def _player_faults(path: KeyPath, given: Sequence[int], game: str, players: Sequence[int]) -> Iterator[Fault]:
    for index, number in enumerate(given):
        if number not in players:
            what = f"{game} takes {players[0]} to {players[-1]} players"
            yield Fault((*path, index), what, got=str(number), expected=f"a list of {either(map(str, players))}")
    yield from _repeats(path, given)


def _repeats(path: KeyPath, values: Sequence[Any]) -> Iterator[Fault]:
    for index, value in enumerate(values):
        if value in values[:index]:
            yield Fault((*path, index), f"{key_text(path)} names {show(value)} twice", fix="leave one of them out")


def _placed(fault: Fault, sources: Sequence[Source], file: Source) -> tuple[tuple[int, int], ConfigError]:
    """Find the text that a fault comes from: the last one that names its key, or a key that it was judged by.

    Returns
    -------
    place : tuple of int
        Its order among the faults: which source, and where in it.
    error : ConfigError
    """
    at_key = fault.at_key
    paths = [fault.path, *fault.on]
    for _ in range(max(map(len, paths)) + 1):
        for number in reversed(range(len(sources))):
            for path in paths:
                if path and (span := sources[number].span(path, at_key=at_key)):
                    return (number, span[0]), sources[number].error(fault, span)
        paths, at_key = [path[:-1] for path in paths], True  # no text names it: look for the table it belongs in
    return (sources.index(file), 0), file.error(fault, None)
