"""The contract between a game and everything else: what a game's four files provide (see ``CONTRIBUTING.md``).

A game's ``rules.py`` gives compiled functions over two NumPy structured dtypes, ``STATE`` and ``RULES``:

=====================================  =================================================================================
``deal(state, rules, players, key)``   sets up a game from its key; automatic steps may follow
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

A game may leave ``deal`` at an automatic step; whoever plays it then follows until the first decision.

Fields that every ``STATE`` has: ``seat`` (who decides), ``phase`` (what about), ``turn``, ``rounds`` (finished ones),
``decision`` (decisions taken) and ``policy`` (the key of each seat's own dice). Every ``RULES`` has ``players``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from sim.games.model import GameOptions

MASK_BITS = 63  # items in a word of a mask
SHARE_UNITS = 60  # a win is counted in 60ths, so that it divides evenly among 1 to 6 winners
PARAMS_MAX = 8  # parameters that a strategy can declare

PARAMS = np.dtype([("values", "f8", (PARAMS_MAX,))], align=True)


@dataclass(frozen=True)
class Entry:
    """A strategy with its parameters, as it takes part in a run.

    Attributes
    ----------
    label : str
        ``"greedy"`` or ``"greedy{tempo=0.8}"``.
    strategy : object
        What ``strategies.registry`` found: has ``name``, ``choose``, ``params``.
    values : tuple of float
        Parameters in declared order.
    """

    label: str
    strategy: Any
    values: tuple[float, ...]


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
    apart : bool
        Whether items are compared with the average of their own group in the first grouping, not of all: where these
        are as different as cards and what cards are collected for.
    always_played : tuple of str
        Groups of the first grouping whose items are played, by definition, whenever they are available: how often they
        are says nothing.
    """

    word: str
    names: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    uses: Mapping[str, Use]
    available: str
    played: str
    apart: bool = False
    always_played: tuple[str, ...] = ()


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
    """A change of the rules for one seat alone, made to learn what an item is worth without help from the strategies.

    Attributes
    ----------
    name : str
        Word on the command line: "ban".
    title : str
        Heading of a chart: "never playing it".
    question : str
        What it tells a designer: "What does it cost a player never to play this card?"
    items : tuple of str
        What can be changed, one at a time.
    change : callable
        ``change(rules, item, seat)`` makes the change in a RULES record, for one item and one seat.
    applies : callable, optional
        ``applies(rules, records, item) -> bool[GAMES, SEATS]``: of the games under unchanged rules, with rows of RECORD
        ``records[GAMES]``, those that the question is about if it is put to this seat. All without it.
    matters : callable, optional
        Likewise the games in which the change can make a difference at all; in the others it is exactly nothing, and
        they are not played again. All without it.
    placebo : bool
        A change that is worth nothing by construction, only noise: its range must contain 0.
    """

    name: str
    title: str
    question: str
    items: tuple[str, ...]
    change: Callable[[Any, int, int], None]
    applies: Callable[[Any, Any, int], Any] | None = None
    matters: Callable[[Any, Any, int], Any] | None = None
    placebo: bool = False


@dataclass(frozen=True)
class Bonus:
    """What a seat can be given at the start to make up for a weak place.

    Attributes
    ----------
    word : str
        Unit, in the plural: "coins".
    give : callable
        ``give(rules, seat, amount)`` adds an amount (int, may be negative) to what a seat starts with.
    least, most : int
        Amounts worth trying.
    """

    word: str
    give: Callable[[Any, int, int], None]
    least: int
    most: int


@dataclass(frozen=True, eq=False)
class GameSpec:
    """Facts of one game, used by the engine, the tests and the report.

    Attributes
    ----------
    name, title, source : str
        Folder name, title in reports, where the rules come from.
    status : str
        How far the rules are tested, honestly.
    rules_version : int
        Moves only when results may change.
    options : type
        Model of all that a config may change.
    rules_module : module
        The game's ``rules.py``.
    text : module or object
        The game's ``cards.py``, or what has the same functions where names depend on the config.
    state, rules, record : dtype
        STATE, RULES and RECORD.
    seats : int
        Size of the seat axes of these dtypes: the most players.
    fill_rules : callable
        ``fill_rules(options, players, own_orders) -> RULES`` record.
    masks : mapping
        Fields of RECORD that are sets of items by seat → meaning: int64[SEATS], or int64[SEATS, WORDS] where there are
        more items than MASK_BITS; word *w* begins with item *w* × MASK_BITS.
    score_word : str
        Unit of a score, in the plural.
    score_bounds : (int, int)
        No score lies outside, whatever the config.
    max_decisions : int
        No game has more decisions, whatever the config; ``why_it_ends`` says why.
    end_reasons : tuple of str
        Words of the trace; ``capped_reason`` is the one of a game stopped by a cap, if there is one.
    end_words : tuple of str
        The same in words for the page; empty where those of the trace will do.
    decisions_bin : int
        Width of a bin in the histogram of decisions.
    seat_facts : callable
        ``seat_facts(players, options) -> {fact: value of each seat}``: what plain arithmetic says about the seats.
    seat_text : str
        A paragraph for the report: why the seats may differ.
    draws_text : str
        How players draw, where ``plan.draws`` makes no difference; empty where it does.
    tie_break : bool
        Whether something may decide between equal best scores; not where whoever is left wins, whatever the score.
    fewest_wins : bool
        Whether the lowest score is the best.
    named : callable, optional
        ``named(options) -> {field: value}``: the fields ``text``, ``items`` and ``interventions`` as they are under a
        config, where a config can change names; what stands in those fields is for the rule book's values.
    counters : mapping
        Fields of RECORD that are summed over all games → :class:`Counter`.
    interventions : tuple of Intervention
        Causal questions that the game can answer about its items.
    knobs : tuple of str
        Keys of the config that hold the numbers which a designer turns most: the reward tables before all.
    bonus : Bonus or None
        How a weak seat can be compensated.
    payoffs : tuple of str
        Fields of RULES that say what things are worth, and nothing about what can be done: players can be wrong about
        them and still play.
    """

    name: str
    title: str
    source: str
    status: str
    rules_version: int
    options: type[GameOptions]
    rules_module: ModuleType
    text: Any
    state: np.dtype[Any]
    rules: np.dtype[Any]
    record: np.dtype[Any]
    seats: int
    fill_rules: Callable[..., Any]
    masks: Mapping[str, str]
    items: Items
    score_word: str
    score_bounds: tuple[int, int]
    max_decisions: int
    why_it_ends: str
    end_reasons: tuple[str, ...]
    seat_facts: Callable[[int, Any], Mapping[str, Sequence[Any]]]
    seat_text: str
    capped_reason: int | None = None
    end_words: tuple[str, ...] = ()
    decisions_bin: int = 1
    counters: Mapping[str, Counter] = field(default_factory=dict)
    interventions: tuple[Intervention, ...] = ()
    knobs: tuple[str, ...] = ()
    bonus: Bonus | None = None
    payoffs: tuple[str, ...] = ()
    draws_text: str = ""
    tie_break: bool = True
    fewest_wins: bool = False
    named: Callable[[Any], Mapping[str, Any]] | None = None

    def under(self, options: Any) -> GameSpec:
        """Give the facts of the game under a config: with the names that it gives to cards and items."""
        return replace(self, **self.named(options)) if self.named else self

    @property
    def players(self) -> tuple[int, ...]:
        """How many can play."""
        return self.options.PLAYERS
