"""What a config says and where it says it: files in TOML and ``--set`` texts, with the place of every key and value.

``tomllib`` reads the values. It keeps no places, so :class:`_Scanner` walks over the same text once more and notes
them; it may do so lightly, since it only meets text that ``tomllib`` has accepted (or the part of it before a fault).
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sim.errors import ConfigError, Fault, KeyPath

SIZE_LIMIT = 1_000_000  # bytes; a config is a hundredth of that
QUOTE_WIDTH = 100  # columns of a quoted line

Span = tuple[int, int]

_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'', re.DOTALL)
_SCALAR = re.compile(r"[^,\]}#\n]*")
_EQUALS = re.compile(r"[ \t]*=?[ \t]*")
_HEADER_END = re.compile(r"[ \t]*\]{0,2}")
_SET_PART = re.compile(r"""[ \t]*(?:(\.?)[ \t]*("(?:\\.|[^"\\])*"|'[^']*'|[A-Za-z0-9_-]+)|\[(\d+)\])[ \t]*""")
_WORD = re.compile(r"[^\s,\]}#=]+")


def key_text(path: KeyPath) -> str:
    """Write a path as ``--set`` takes it.

    >>> key_text(("sets", "A", "castle", "3-4", 0))
    'sets.A.castle."3-4"[0]'
    """
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            bare = re.fullmatch(r"[A-Za-z0-9_]+", part)
            text += ("." if text else "") + (part if bare else _quoted(part))
    return text


def _unquoted(part: str) -> str:
    """Take the quotes, if any, off a part of a key."""
    if part[0] not in "\"'":
        return part
    try:
        return str(tomllib.loads(f"name = {part}")["name"])
    except ValueError:  # a bad escape, which names no key anyway
        return part


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'


def show(value: Any, limit: int = 60) -> str:
    """Write a value as it stands in a TOML file, shortened to about ``limit`` characters."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = _quoted(value)
    elif isinstance(value, Mapping):
        text = "{" + ", ".join(f"{key_text((str(key),))} = {show(entry)}" for key, entry in value.items()) + "}"
    elif isinstance(value, (list, tuple)):
        text = "[" + ", ".join(show(entry) for entry in value) + "]"
    else:
        text = str(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


class _Scanner:
    """Notes where the keys and values of a TOML text stand.

    Attributes
    ----------
    keys, values : dict
        Path → span in the text. A key that stands several times (a table's name) is noted where it stands first.
    last : tuple
        Path and span of the key that was met last.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.keys: dict[KeyPath, Span] = {}
        self.values: dict[KeyPath, Span] = {}
        self.last: tuple[KeyPath, Span] = ((), (0, 0))
        self._entries: dict[KeyPath, int] = {}  # how many tables each array of tables has so far

    def document(self) -> None:
        table: KeyPath = ()
        while self._skip(_BLANK) < len(self.text):
            start = self.at
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self.at = max(self.at, start + 1)

    def value(self, path: KeyPath) -> None:
        """Note the value that begins here, and all that it holds."""
        start = self.at
        opening = self.text[self.at : self.at + 1]
        if opening == "[":
            self._inside("]", path)
        elif opening == "{":
            self._inside("}", path)
        else:
            match = _STRING.match(self.text, self.at) or _SCALAR.match(self.text, self.at)
            assert match is not None
            self.at += len(match[0].rstrip())
        self.values[path] = (start, self.at)

    def _inside(self, closing: str, path: KeyPath) -> None:
        self.at += 1
        index = 0
        while self._skip(_BLANK) < len(self.text):
            start = self.at
            if self.text[self.at] == closing:
                self.at += 1
                return
            if self.text[self.at] == ",":
                self.at += 1
                continue
            if closing == "}":
                self._pair(path)
            else:
                self.value((*path, index))
                index += 1
            self.at = max(self.at, start + 1)

    def _header(self) -> KeyPath:
        repeated = self.text.startswith("[[", self.at)
        self.at += 1 + repeated
        parts = self.key()
        path: KeyPath = ()
        for number, (name, span) in enumerate(parts):
            path = (*path, name)
            self._note(path, span)
            if number == len(parts) - 1 and repeated:
                self._entries[path] = self._entries.get(path, 0) + 1
            if path in self._entries:
                path = (*path, self._entries[path] - 1)
                self._note(path, span)
        self._skip(_HEADER_END)
        return path

    def _pair(self, table: KeyPath) -> None:
        path = table
        for name, span in self.key():
            path = (*path, name)
            self._note(path, span)
        self._skip(_EQUALS)
        self.value(path)

    def key(self) -> list[tuple[str, Span]]:
        """Read a dotted key: its parts, unquoted, with their spans."""
        parts: list[tuple[str, Span]] = []
        while True:
            self._skip(_SPACE)
            match = _STRING.match(self.text, self.at) or _BARE_KEY.match(self.text, self.at)
            if match is None:
                return parts
            parts.append((_unquoted(match[0]), match.span()))
            self.at = match.end()
            self._skip(_SPACE)
            if not self.text.startswith(".", self.at):
                return parts
            self.at += 1

    def _note(self, path: KeyPath, span: Span) -> None:
        self.keys.setdefault(path, span)
        self.last = (path, span)

    def _skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return self.at


@dataclass(frozen=True)
class Source:
    """A text that sets keys of a config: a file, or a ``--set``.

    Attributes
    ----------
    label : str
        How a message names it.
    text : str
        The whole text, lines ended by a line feed.
    data : dict
        What it sets.
    keys, values : dict
        Where each key and value stands in the text.
    numbered : bool
        Whether its lines are worth counting.
    """

    label: str
    text: str
    data: dict[str, Any] = field(default_factory=dict)
    keys: Mapping[KeyPath, Span] = field(default_factory=dict)
    values: Mapping[KeyPath, Span] = field(default_factory=dict)
    numbered: bool = True

    def span(self, path: KeyPath, *, at_key: bool) -> Span | None:
        """Find where a key (or, unless ``at_key``, its value) stands; None if this text does not name it."""
        if at_key:
            return self.keys.get(path) or self.values.get(path)
        return self.values.get(path) or self.keys.get(path)

    def error(self, fault: Fault, span: Span | None) -> ConfigError:
        """Put a fault in its place."""
        return ConfigError(
            fault.what,
            where=self.label + (f":{self.text.count(chr(10), 0, span[0]) + 1}" if span and self.numbered else ""),
            quote=_underlined(self.text, span) if span else None,
            got=fault.got,
            expected=fault.expected,
            fix=fault.fix,
        )


def _underlined(text: str, span: Span) -> str:
    """Quote the line of a span, with carets under the part of the span that stands on this line."""
    start = text.rfind("\n", 0, span[0]) + 1
    line = text[start:].split("\n", 1)[0]
    first, last = span[0] - start, max(min(span[1] - start, len(line)), span[0] - start + 1)
    before, after = "", ""
    if len(line) > QUOTE_WIDTH:
        left = max(0, min(first - QUOTE_WIDTH // 3, len(line) - QUOTE_WIDTH))
        right = left + QUOTE_WIDTH
        before, after = "…" * (left > 0), "…" * (right < len(line))
        line, first, last = line[left:right], first - left, min(last, right) - left
    else:
        indent = len(line) - len(line.lstrip())
        line, first, last = line[indent:], max(first - indent, 0), last - indent
    line = "".join(c if c.isprintable() else " " for c in line)
    blank = " " * len(before) + "".join("  " if _is_wide(c) else " " for c in line[:first])
    carets = "".join("^^" if _is_wide(c) else "^" for c in line[first:last]) or "^"
    return f"{before}{line.rstrip()}{after}\n{blank}{carets}"


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"


def read(path: Path, label: str) -> Source:
    """Read a TOML file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ConfigError
        If it cannot be read, is no text, or is no TOML.
    """
    text = _text(path, label)
    try:
        data = tomllib.loads(text)
        scanner = _Scanner(text)
        scanner.document()
    except RecursionError:
        raise ConfigError("lists and tables are nested too deeply", where=label) from None
    except ValueError as error:
        raise _syntax_error(Source(label, text), error) from None
    return Source(label, text, data, scanner.keys, scanner.values)


def _text(path: Path, label: str) -> str:
    """Read a text file saved in UTF-8, with or without a byte order mark, with line ends of any system."""
    expected = "a config: a text file in TOML"
    try:
        if path.is_dir():
            inside = ", ".join(sorted(each.name for each in path.glob("*.toml"))[:12])
            fix = f"name a file in it: {inside}" if inside else None
            raise ConfigError("this is a folder", where=label, expected=expected, fix=fix)
        with path.open("rb") as file:
            raw = file.read(SIZE_LIMIT + 1)
    except FileNotFoundError:
        raise
    except PermissionError:
        raise ConfigError("you have no permission to read this file", where=label) from None
    except OSError as error:
        raise ConfigError(f"this file cannot be read: {error.strerror or error}", where=label) from None
    if len(raw) > SIZE_LIMIT:
        raise ConfigError("this file is larger than a million bytes", where=label, expected=expected)
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConfigError("this text is saved as UTF-16", where=label, expected=expected, fix="save it as UTF-8")
    if b"\0" in raw:
        raise ConfigError("this file is no text", where=label, expected=expected)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            "this text is not saved as UTF-8", where=f"{label}:{line}", expected=expected, fix="save it as UTF-8"
        ) from None
    return text.replace("\r\n", "\n")


@dataclass(frozen=True)
class Override:
    """One ``--set PATH=VALUE``."""

    source: Source
    path: KeyPath
    value: Any


def override(text: str) -> Override:
    """Read a ``--set`` text: dotted keys with quoted parts and ``[index]``, ``=``, and a TOML value.

    A value that is no TOML is taken as text, so that words need no quotes.

    Raises
    ------
    ConfigError
        If the text is not of this form.
    """
    path: KeyPath = ()
    keys: dict[KeyPath, Span] = {}
    at = 0
    while part := _SET_PART.match(text, at):
        dot, name, index = part.groups()
        if (bool(dot) != bool(path)) if name else not path:  # a dot stands between names; a list has a name
            break
        path = (*path, _unquoted(name) if name else int(index))
        keys[path] = part.span(2 if name else 3)
        at = part.end()
    source = Source("--set", text, keys=keys, numbered=False)
    if not path or not text.startswith("=", at):
        expected = "PATH=VALUE, for instance plan.games=1000 or points[17]=4"
        raise source.error(Fault((), "this sets no key", expected=expected), (at, at + 1))
    start = len(text) - len(text[at + 1 :].lstrip())
    if start == len(text):
        raise source.error(Fault((), f"{key_text(path)} is given no value", expected="a value after ="), (at, at + 1))
    try:
        # A name as long as the path keeps the columns of a fault in the value.
        data = tomllib.loads("k" * at + text[at:])
        if len(data) > 1:
            raise ValueError("Expected newline")
        value = data["k" * at]
    except ValueError as error:
        if text[start] in "\"'[{" or "\n" in text:
            raise _syntax_error(source, error) from None
        value = text[start:].rstrip()
    scanner = _Scanner(text)
    scanner.at = start
    scanner.value(path)
    scanner.values[path] = (start, len(text.rstrip()))
    return Override(replace(source, keys=keys | scanner.keys, values=scanner.values), path, value)


def _syntax_error(source: Source, error: ValueError) -> ConfigError:
    """Say in plain words why a text is no TOML.

    ``tomllib`` stops at the first fault and tells its place only within its message.
    """
    text = source.text
    message, at = str(error), len(text.rstrip())
    if place := re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message):
        message = message[: place.start()]
        if place[1]:
            at = sum(len(line) + 1 for line in text.split("\n")[: int(place[1]) - 1]) + int(place[2]) - 1
    line = text[text.rfind("\n", 0, at) + 1 :].split("\n", 1)[0]
    word = _WORD.match(text, at)
    span = word.span() if word else (at, at + 1)
    if re.match("Cannot (declare|overwrite|mutate|redefine)|Duplicate", message):
        return _repeated(source, at)
    if message == "Invalid value":
        return source.error(_bad_value(word[0] if word else text[at : at + 1].strip()), span)
    if message.startswith("Expected newline"):
        rest = text[at:].split("\n", 1)[0].rstrip()
        fix = "write one key a line; a comment begins with #"
        if re.match(r",\d", rest):
            fix = "write decimals with a point"
        elif text[at - 1] == "0" and rest[:1].isdigit():
            fix = "write numbers without leading zeros"
        return source.error(Fault((), "something follows the value on its line", got=rest, fix=fix), span)
    if message.startswith("Expected '=' after a key"):
        return source.error(
            Fault((), "this line cannot be read", expected="key = value, a table [name], or a comment after #"),
            (at - len(line[: at - (text.rfind("\n", 0, at) + 1)].lstrip()), at),
        )
    plain = {
        "Unclosed array": ("this list is not finished", "a comma between two entries, or ] at its end"),
        "Unclosed inline table": ("this table is not finished", "a comma between two entries, or } at its end"),
        "Unterminated string": ("this text has no closing quote", 'text between two quotes: "half"'),
        "Illegal character '\\n'": ("this text has no closing quote on its line", 'text between two quotes: "half"'),
        "Unescaped '\\' in a string": ("a backslash stands in this text", "text in single quotes, or two backslashes"),
        "Invalid initial character for a key part": ("this is no name of a key", "letters, digits, _ and -, or quotes"),
        "Invalid statement": ("this line cannot be read", "key = value, a table [name], or a comment after #"),
        "Invalid date or datetime": ("there is no such date", 'text between two quotes: "2026-11-29"'),
        "Expected ']' at the end of a table declaration": ("this name of a table is not finished", "] at its end"),
        "Expected ']]' at the end of an array declaration": ("this name of a table is not finished", "]] at its end"),
    }
    what, expected = plain.get(message, (f"this cannot be read: {message[:1].lower()}{message[1:]}", None))
    return source.error(Fault((), what, expected=expected), span)


def _bad_value(word: str) -> Fault:
    """Say what is wrong with something after ``=`` that is no TOML value."""
    what, fix = "this value cannot be read", None
    if not word or word in ",]}#":
        what, fix = "a value is missing here", None
    elif word.lower() in ("true", "false"):
        fix = f"write {word.lower()}, in small letters"
    elif word[0] in "“”„‘’«»":
        fix = 'write straight quotes: "half"'
    elif word[0] in "−–—":
        fix = f"write the minus sign of the keyboard: -{word[1:]}"
    elif re.fullmatch(r"\.\d+", word):
        fix = f"write 0{word}"
    else:
        fix = f"put text into quotes: {_quoted(word)}"
    return Fault((), what, got=word or None, expected="a number, true, false, a list, or text in quotes", fix=fix)


def _repeated(source: Source, at: int) -> ConfigError:
    """Say that a key or table stands twice, and where it stands first."""
    scanner = _Scanner(source.text[:at])
    scanner.document()
    path, span = scanner.last
    first = scanner.keys[path]
    kind = "table" if source.text[source.text.rfind("\n", 0, span[0]) + 1 : span[0]].lstrip().startswith("[") else "key"
    name = key_text(path) if kind == "key" else f"[{key_text(tuple(part for part in path if isinstance(part, str)))}]"
    line = source.text.count("\n", 0, first[0]) + 1
    where = f"it stands first on line {line}" if first != span else None
    return source.error(
        Fault(
            (), f"the {kind} {name} is written twice", got=where, fix="keep one of the two, or give one another name"
        ),
        span,
    )
