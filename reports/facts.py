"""What a report needs to know about a game: names, labels and the game's own panels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reports.measures import Counts

SeatFacts = Callable[[int, Mapping[str, Any]], Mapping[str, Sequence[Any]]]
"""(players, config) -> what plain arithmetic on the rules says about the seats: fact -> its value for each seat."""

PanelBuilder = Callable[["Counts"], list[dict[str, Any]]]
"""The numbers of a run -> figures, in the shape that `reports.figures` describes (plain dicts and lists)."""


@dataclass(frozen=True)
class Use:
    """One way an item can be used in a game.

    Attributes
    ----------
    label : str
        Table head, such as "played".
    meaning : str
        One sentence.
    fields : tuple of str
        Columns of the single games (a mask of items, `_1` ... `_N` by seat) whose union it is; with them the report
        finds a game to look at.
    """

    label: str
    meaning: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class Panel:
    """A section of the page that a game adds after its items."""

    name: str
    title: str
    build: PanelBuilder


@dataclass(frozen=True)
class GameFacts:
    """Names and facts of one game.

    Attributes
    ----------
    title : str
        The game's name as printed.
    rules_version : str
        Of the game's rules page.
    items : sequence of str
        Names of the items (cards, characters), in the order of the `use_*` columns.
    groups : mapping of str to sequence of str
        Ways to group the items, such as {"colour": [...], "value": [...]}, one name an item; the first is used to
        split a long list into panels.
    item_word : tuple of str
        What one item and several are called.
    uses : mapping of str to Use
        The item uses, by the key of their columns.
    available_use, played_use : str
        Which use means that a player could have played the item, and which that it was played. A played item counts
        as available.
    apart : bool
        Whether an item is compared with the average of its group in the first grouping, not of all.
    always_played : sequence of str
        Groups of the first grouping whose items are played whenever they are available, by definition.
    tie_break : bool
        Whether something may decide between equal best scores.
    end_reasons : sequence of str
        Names of the `reasons` columns.
    decisions_bin : int
        How many decisions one bin of `hist_decisions` holds.
    unit : tuple of str
        What one unit of the score and several are called.
    lead_unit : str
        What leading is measured by, in words.
    exact_seat_facts : callable
        See `SeatFacts`.
    seat_text : str
        A paragraph on where the differences between seats come from.
    items_under : callable or None
        Effective config -> names of the items, where a config can change them.
    draws_text : str
        How players draw, where the plan's `draws` makes no difference.
    counters : mapping of str to tuple of int
        Shapes of the `counter_*` columns, by name.
    panels : sequence of Panel
        The game's own sections.
    capped_allowed : float or None
        Share of games that may be stopped by the cap before the run is distrusted; None: any.
    """

    title: str
    rules_version: str
    items: Sequence[str] = ()
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    item_word: tuple[str, str] = ("card", "cards")
    uses: Mapping[str, Use] = field(default_factory=dict)
    available_use: str = ""
    played_use: str = ""
    apart: bool = False
    always_played: Sequence[str] = ()
    tie_break: bool = True
    end_reasons: Sequence[str] = ()
    decisions_bin: int = 1
    unit: tuple[str, str] = ("point", "points")
    lead_unit: str = "the score"
    exact_seat_facts: SeatFacts = lambda players, config: {}
    seat_text: str = ""
    items_under: Callable[[Mapping[str, Any]], Sequence[str]] | None = None
    draws_text: str = ""
    counters: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    panels: Sequence[Panel] = ()
    capped_allowed: float | None = 0.001
