"""What the models of a config's tables have in common, and the base of each game's ``Options``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict

from sim.errors import Fault
from sim.source import show


def each_once(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Refuse a list of a config that names something twice (for ``AfterValidator``)."""
    twice = sorted({value for value in values if values.count(value) > 1})
    if twice:
        raise ValueError(f"names {show(twice[0])} more than once; leave one of them out")
    return values


class Table(BaseModel):
    """A table of a config: no unknown keys, no silent conversion of values, no change afterwards."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class GameOptions(Table):
    """All that a config may change in a game's rules; every key has the rule book's value as its default."""

    PLAYERS: ClassVar[tuple[int, ...]]
    """How many can play."""

    def as_played(self) -> Self:
        """Return the same rules without what only a report shows: the rules of a trace."""
        return self

    def faults(self) -> Iterator[Fault]:
        """Yield what is wrong although each key by itself is right."""
        yield from ()
