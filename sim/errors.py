"""Errors that a user can act on: what is wrong, where, what was found, what was expected, and what to do.

Each kind knows the exit code of the command it ends. Anything else that is raised is a bug (exit code 70).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import ClassVar

KeyPath = tuple[str | int, ...]
"""The way to a value in a config: ``("sets", "A", "castle", "3-4", 0)``."""


class HakariError(Exception):
    """Something that the user can mend.

    Parameters
    ----------
    what : str
        What is wrong, in a few words.
    where : str, optional
        The place: a file with a line, an option, a game with its deal and turn.
    quote : str, optional
        The text found at that place, as it stands there, with carets under the fault.
    got, expected : str, optional
        What was found, and what would have been right.
    fix : str, optional
        What to do about it.
    """

    exit_code: ClassVar[int] = 70

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        quote: str | None = None,
        got: str | None = None,
        expected: str | None = None,
        fix: str | None = None,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.quote = quote
        self.got = got
        self.expected = expected
        self.fix = fix

    def __str__(self) -> str:
        """Everything at one glance: the headline, the quoted text, then found, expected and fix, a line each."""
        lines = [f"{self.where}: {self.what}" if self.where else self.what]
        if self.quote:
            lines += [f"    {line}" for line in self.quote.splitlines()]
        for word, text in (("found", self.got), ("expected", self.expected), ("fix", self.fix)):
            if text:
                lines.append(f"  {word:<9} {text}")
        return "\n".join(lines)


class UsageError(HakariError):
    """The command line asks for something that does not exist or does not fit together."""

    exit_code = 2


class ConfigError(HakariError):
    """A config cannot be used: one fault, or several bundled by :meth:`of`."""

    exit_code = 2
    _bundled: tuple[ConfigError, ...] = ()

    @property
    def faults(self) -> tuple[ConfigError, ...]:
        """All that is wrong, each with its own place; only this error itself if there is one fault."""
        return self._bundled or (self,)

    @classmethod
    def of(cls, faults: Iterable[ConfigError]) -> ConfigError:
        """Bundle faults (at least one) into the error that is raised."""
        faults = tuple(faults)
        if len(faults) == 1:
            return faults[0]
        error = cls(f"{len(faults)} faults; nothing was run")
        error._bundled = faults
        return error

    def __str__(self) -> str:
        """All faults, one below the other, then how many they are."""
        return "\n\n".join([*map(str, self._bundled), super().__str__()])


class StrategyError(HakariError):
    """A strategy cannot be found, cannot be loaded or does not keep to the rules."""

    exit_code = 2


class IntegrityError(HakariError):
    """Results contradict themselves or the program that should have made them."""

    exit_code = 4


class StorageError(HakariError):
    """A file cannot be read or written."""

    exit_code = 5


@dataclass(frozen=True)
class Fault:
    """Something wrong with one key of a config, before its place in a file is known.

    Attributes
    ----------
    path : KeyPath
        The key.
    what, got, expected, fix : str
        As in :class:`HakariError`.
    on : tuple of KeyPath
        Further keys that it was judged by. Where one of these is at fault itself, this fault is not worth telling.
    at_key : bool
        Whether the key is at fault (then the carets stand under it) or its value.
    """

    path: KeyPath
    what: str
    got: str | None = None
    expected: str | None = None
    fix: str | None = None
    on: tuple[KeyPath, ...] = ()
    at_key: bool = False

    def under(self, *parent: str | int) -> Fault:
        """Give the same fault as seen from the table that holds ``parent``."""
        return replace(self, path=parent + self.path, on=tuple(parent + path for path in self.on))


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Find the known word that was probably meant, whatever its case.

    >>> nearest("hlaf", ["half", "per_card"])
    'half'
    """
    by_lower = {each.lower(): each for each in known}
    close = get_close_matches(word.lower(), by_lower, n=1)
    return by_lower[close[0]] if close else None


def either(words: Iterable[str]) -> str:
    """List alternatives as a sentence does; nothing where there are none.

    >>> either(["random", "greedy", "sniper"])
    'random, greedy or sniper'
    """
    *most, last = [*words] or [""]
    return f"{', '.join(most)} or {last}" if most else last
