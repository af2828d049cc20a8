"""Says in plain words what a config's models accept, and what is wrong with data that they refuse.

pydantic finds the faults; the JSON Schema of the same models tells what would have been right.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from sim.errors import Fault, KeyPath, either, nearest
from sim.source import key_text, show

Node = Mapping[str, Any]

_KINDS: dict[str, Any] = {
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "string": str,
    "array": (list, tuple),
    "object": dict,
}
_SWITCH_WORDS = {"yes": "true", "on": "true", "no": "false", "off": "false"}


class Schema:
    """The JSON Schema of a config file, asked by the path of a key."""

    def __init__(self, root: Node) -> None:
        self.root = root

    def alternatives(self, node: Node) -> list[Node]:
        """Resolve references and alternatives into plain nodes."""
        if "$ref" in node:
            return self.alternatives(self.root["$defs"][node["$ref"].rsplit("/", 1)[1]])
        if "anyOf" in node:
            return [plain for each in node["anyOf"] for plain in self.alternatives(each)]
        return [node]

    def at(self, path: KeyPath) -> list[Node]:
        """Give what may stand at a path; nothing if the path leads nowhere."""
        nodes = self.alternatives(self.root)
        for part in path:
            nodes = [plain for node in nodes for step in _steps(node, part) for plain in self.alternatives(step)]
        return nodes

    def keys(self, path: KeyPath) -> list[str]:
        """Give the known keys of the table at a path."""
        known: list[str] = []
        for node in self.at(path):
            known += [*node.get("properties", ()), *node.get("propertyNames", {}).get("enum", ())]
        return known

    def paths_to(self, key: str) -> Iterator[KeyPath]:
        """Find the tables of the file that know a key, not looking into tables with free names."""
        waiting: list[KeyPath] = [()]
        while waiting:
            path = waiting.pop(0)
            if key in self.keys(path):
                yield (*path, key)
            waiting += [(*path, name) for node in self.at(path) for name in node.get("properties", ())]

    def names(self, path: KeyPath) -> list[str]:
        """Give the words that may stand at a path."""
        return [word for node in self.at(path) for word in _enum(node) if isinstance(word, str)]

    def accepts_kind(self, path: KeyPath, value: Any) -> bool:
        """Tell whether a value is at least of a kind that may stand at a path."""
        return any(_is_kind(value, node.get("type", "")) for node in self.at(path))

    def expected(self, path: KeyPath) -> str | None:
        """Say what may stand at a path."""
        return self._words(self.at(path)) or None

    def _words(self, nodes: Iterable[Node]) -> str:
        phrases = [phrase for node in nodes for phrase in self._phrases(node)]
        phrases.sort(key=lambda phrase: phrase.startswith("a list"))  # the longest last
        return either(dict.fromkeys(phrases)) if phrases else ""

    def _phrases(self, node: Node) -> list[str]:
        kind = node.get("type")
        if enum := _enum(node):
            return [show(word) for word in enum]
        if kind in ("integer", "number"):
            return [("a whole number" if kind == "integer" else "a number") + _bounds(node)]
        if kind == "boolean":
            return ["true", "false"]
        if kind == "string":
            return [f"text such as {either(map(show, node['examples']))}" if "examples" in node else "text in quotes"]
        if kind == "array":
            least, most = node.get("minItems", 0), node.get("maxItems")
            count = "" if most is None and not least else f" of {_number(least)}" if least == most else ""
            if not count and most is not None:
                count = f" of {least} to {most}" if least else f" of at most {most}"
            elif not count and least:
                count = f" of at least {least}"
            each = self._words([plain for step in _steps(node, 0) for plain in self.alternatives(step)])
            return [f"a list{count}" + (f", each {each}" if each else "")]
        if kind == "object":
            known = [*node.get("properties", ()), *node.get("propertyNames", {}).get("enum", ())]
            return ["a table" + (f" with {', '.join(key_text((key,)) for key in known[:8])}" if known else "")]
        return []


def _steps(node: Node, part: str | int) -> Iterator[Node]:
    if isinstance(part, int):
        yield from node.get("prefixItems", ())[part : part + 1]
        if "items" in node:
            yield node["items"]
    elif part in node.get("properties", ()):
        yield node["properties"][part]
    elif part in node.get("propertyNames", {}).get("enum", (part,)):
        if isinstance(others := node.get("additionalProperties"), Mapping):
            yield others
        for pattern, others in node.get("patternProperties", {}).items():
            if re.search(pattern, part):
                yield others


def _enum(node: Node) -> list[Any]:
    return [node["const"]] if "const" in node else list(node.get("enum", ()))


def _is_kind(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _KINDS.get(kind, ()))


def _bounds(node: Node) -> str:
    low, above, high = node.get("minimum"), node.get("exclusiveMinimum"), node.get("maximum")
    if above is not None:
        return f" above {_number(above)}" + (f" and at most {_number(high)}" if high is not None else "")
    if low is not None and high is not None:
        return f" from {_number(low)} to {_number(high)}"
    return (
        f" of at least {_number(low)}"
        if low is not None
        else f" of at most {_number(high)}"
        if high is not None
        else ""
    )


def _number(value: float) -> str:
    text = f"{value:_}" if abs(value) >= 10_000 else f"{value}"
    return text.removesuffix(".0")


def faults(error: ValidationError, data: Mapping[str, Any], schema: Schema) -> list[Fault]:
    """Translate what pydantic found wrong with ``data``: one fault a key, in plain words."""
    found: dict[KeyPath, list[str]] = {}
    messages: dict[KeyPath, str] = {}
    tried: set[KeyPath] = set()  # where one of several alternatives failed, which says little about the others
    for each in error.errors(include_url=False):
        kind = each["type"]
        path, rest = _path(each["loc"], data, is_missing=kind == "missing")
        if kind in ("too_short", "too_long") and not _has_wrong_length(each, value_at(data, path)):
            continue
        if rest == ("[key]",):
            kind, rest = "name", ()
        found.setdefault(path, []).append(kind)
        if kind == "value_error":
            messages[path] = str(each["ctx"]["error"])
        if rest:
            tried.add(path)
    shallow = {path for path in tried if any(len(other) > len(path) and other[: len(path)] == path for other in found)}
    return [
        _fault(path, kinds, messages.get(path), data, schema) for path, kinds in found.items() if path not in shallow
    ]


def _path(loc: tuple[str | int, ...], data: Any, *, is_missing: bool) -> tuple[KeyPath, tuple[str | int, ...]]:
    """Keep of pydantic's location what is a path in the data; the rest names alternatives of a type."""
    path: KeyPath = ()
    rest: tuple[str | int, ...] = ()
    for part in loc:
        if stands(data, (part,)):
            data = data[part]
            path = (*path, part)
        else:
            rest = (*rest, part)
    return ((*path, *rest), ()) if is_missing else (path, rest)


def value_at(data: Any, path: KeyPath) -> Any:
    """Give what stands at a path of plain data."""
    for part in path:
        data = data[part]
    return data


def stands(data: Any, path: KeyPath) -> bool:
    """Tell whether anything stands at a path of plain data."""
    for part in path:
        if isinstance(part, int):
            if not isinstance(data, (list, tuple)) or part >= len(data):
                return False
        elif not isinstance(data, Mapping) or part not in data:
            return False
        data = data[part]
    return True


def _has_wrong_length(each: Any, value: Any) -> bool:
    """Tell whether a list has the wrong length itself: pydantic also says so of a list with a faulty entry."""
    context = each["ctx"]
    length = len(value) if isinstance(value, (list, tuple)) else 0
    return not context.get("min_length", 0) <= length <= context.get("max_length", length)


def _fault(path: KeyPath, kinds: list[str], message: str | None, data: Mapping[str, Any], schema: Schema) -> Fault:
    name = key_text(path)
    if "missing" in kinds:
        return Fault(path, f"{name} is missing", expected=schema.expected(path), at_key=True)
    if "name" in kinds and not schema.keys(path[:-1]):
        return Fault(path, f"{name} has a name that cannot be used", got=show(path[-1]), at_key=True)
    if "name" in kinds or "extra_forbidden" in kinds:
        return unknown_key(path, schema)
    value = value_at(data, path)
    if message:
        return Fault(path, f"{name} {message}", got=show(value))
    names = schema.names(path)
    if not schema.accepts_kind(path, value):
        what = f"{name} has the wrong kind of value"
    elif isinstance(value, str) and names:
        what = f"{name} has an unknown name"
    elif any(kind.startswith("greater") for kind in kinds):
        what = f"{name} is too small"
    elif any(kind.startswith("less") for kind in kinds):
        what = f"{name} is too large"
    elif "too_short" in kinds:
        what = f"{name} has too few entries"
    elif "too_long" in kinds:
        what = f"{name} has too many entries"
    elif "string_too_long" in kinds:
        what = f"{name} is too long"
    elif "string_pattern_mismatch" in kinds:
        what = f"{name} is not written as it should be"
    else:
        what = f"{name} cannot have this value"
    fix = _mended(path, value, schema)
    if isinstance(value, str) and not fix and (meant := nearest(value, names)):
        fix = f"did you mean {show(meant)}?"
    return Fault(path, what, got=f"{show(value)} ({_kind(value)})", expected=schema.expected(path), fix=fix)


def unknown_key(path: KeyPath, schema: Schema) -> Fault:
    """Say that there is no such key, and which one may have been meant."""
    table, key = path[:-1], str(path[-1])
    siblings = schema.keys(table)
    fix = None
    if meant := nearest(key, siblings):
        fix = f"did you mean {key_text((*table, meant))}?"
    elif elsewhere := next(schema.paths_to(key), None):
        place = f"in [{key_text(elsewhere[:-1])}]" if len(elsewhere) > 1 else "at the top, above the first [table]"
        fix = f"{key} stands {place}"
    known = f"one of {', '.join(key_text((each,)) for each in siblings)}" if siblings else None
    return Fault(path, f"there is no key {key_text(path)}", expected=known, fix=fix, at_key=True)


def _kind(value: Any) -> str:
    for kind, words in (
        (bool, "a switch"),
        (int, "a whole number"),
        (float, "a number with decimals"),
        (str, "text"),
        ((list, tuple), "a list"),
        (Mapping, "a table"),
    ):
        if isinstance(value, kind):
            return words
    return "a date or time"


def _mended(path: KeyPath, value: Any, schema: Schema) -> str | None:
    """Say how the same value would be written rightly, if only its form is wrong."""
    if isinstance(value, str):
        text = _SWITCH_WORDS.get(value.lower(), value)
        try:
            meant = tomllib.loads(f"k = {text}")["k"]
        except ValueError:
            return None
        if not isinstance(meant, str) and schema.accepts_kind(path, meant):
            return f"write {show(meant)} without quotes"
    elif isinstance(value, float) and value.is_integer() and schema.accepts_kind(path, int(value)):
        return f"write {int(value)}"
    elif not isinstance(value, (list, tuple, Mapping)) and schema.accepts_kind((*path, 0), value):
        return f"write [{show(value)}]"
    return None
