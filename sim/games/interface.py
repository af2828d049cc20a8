"""The contract between a game and everything else: what a game's four files provide (see ``CONTRIBUTING.md``).

A game's ``rules.py`` gives compiled functions over two NumPy structured dtypes, ``STATE`` and ``RULES``:

=====================================  =================================================================================
``deal(state, rules, players, key)``   sets up a game from its key
``is_legal(state, rules, action)``     exact, for any int64
``act(state, rules, action)``          carries out a legal action, and nothing that follows by itself
``is_automatic(state)``                whether the next step follows by itself
``follow(state, rules)``               one automatic step (one line of the trace)
``apply(state, rules, action)``        ``act``, then ``follow`` until the next decision
``is_over(state)``                     whether the game has ended
``end_reason(state)``                  index into ``GameSpec.end_reasons``
``score(state, rules, scores)``        fills the final scores; returns the winners as a mask of seats
``lead(state, rules, values)``         fills the standing by the game's own measure
``record(state, row)``                 fills a row of ``RECORD``
``candidates(state, rules, out)``      legal actions worth considering; returns how many
``redeal(state, rules, seat, key)``    reshuffles all that a seat cannot know
=====================================  =================================================================================

Fields that every ``STATE`` has: ``seat`` (who decides), ``phase`` (what about), ``turn``, ``round`` (finished ones),
``decision`` (decisions taken) and ``policy`` (the key of each seat's own dice). Every ``RULES`` has ``players``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

SHARE_UNITS = 60  # a win is counted in 60ths, so that it divides evenly among 1 to 6 winners
PARAMS_MAX = 8  # parameters that a strategy can declare

PARAMS = np.dtype([("values", "f8", (PARAMS_MAX,))], align=True)


@dataclass(frozen=True)
class Use:
    """One way in which an item (a card, a character) can be used in a game, as the report shows it.

    Attributes
    ----------
    label : str
        Column heading: "played".
    meaning : str
        One sentence.
    fields : tuple of str
        Fields of RECORD (masks of items by seat) whose union it is.
    """

    label: str
    meaning: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Items:
    """The items of a game whose value the report judges.

    Attributes
    ----------
    word : str
        What one is called: "card", "character".
    names : tuple of str
        By bit of the masks.
    groups : mapping
        Title of a grouping → group name of each item.
    uses : mapping
        Key → :class:`Use`.
    available, played : str
        The uses that mean "could have been played" and "was played".
    """

    word: str
    names: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    uses: Mapping[str, Use]
    available: str
    played: str


@dataclass(frozen=True)
class Counter:
    """Sums of a game's own, by place in a small table (e.g. coins by Location and rank).

    Attributes
    ----------
    meaning : str
        One sentence.
    axes : tuple of tuple of str
        Names along each axis, in row-major order.
    """

    meaning: str
    axes: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Intervention:
    """A change of the rules for one seat or for all, that answers a causal question without help from the strategies."""

    name: str
    question: str
    sets: str


@dataclass(frozen=True, eq=False)
class GameSpec:
    """Facts of one game, used by the engine, the tests and the report."""

    name: str
    title: str
    source: str
    status: str
    rules_version: int
    players: tuple[int, ...]
    seats: int
    options: type
    rules_module: ModuleType
    text: ModuleType
    state: np.dtype[Any]
    rules: np.dtype[Any]
    record: np.dtype[Any]
    fill_rules: Callable[..., Any]
    score_word: str
    score_bounds: tuple[int, int]
    max_decisions: int
    why_it_ends: str
    end_reasons: tuple[str, ...]
    capped_reason: int | None
    decisions_bin: int
    items: Items
    seat_facts: Callable[[int, Any], Mapping[str, tuple[Any, ...]]]
    counters: Mapping[str, Counter] = field(default_factory=dict)
    interventions: tuple[Intervention, ...] = ()
