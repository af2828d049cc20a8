"""What `compare.json` holds: every key with its type, and the JSON Schema that says so.

Shares are fractions, changes are B minus A, null stands for "cannot be said". A key that is added, renamed or dropped
is a new version of the schema (`reports.compare.SCHEMA`).
"""

from typing import Any, Literal

from pydantic import Field

from reports import schema
from reports.schema import Bullet, Control, Count, Difference, Estimate, Number, Pair, Part, Winners

Parts = Literal["seats", "strategies", "items"]


class Game(Part):
    """What was compared, and who played."""

    name: str
    title: str
    players: list[int] = Field(description="Numbers of players that both runs played.")
    strategies: list[str]
    item: Pair = Field(description="What one item and several are called.")
    unit: Pair = Field(description="What one unit of the score and several are called.")
    lead_unit: str
    draws_text: str = Field(description="How players draw, in words.")
    rules_version: str
    date: str


class Side(Part):
    """One of the two runs."""

    title: str
    name: str
    command: str = Field(description="What plays it again.")
    games: Count
    deals: Count
    seed: int
    draws: str
    hakari: str
    config_hash: str
    source_hash: str


class Edit(Part):
    """What differs between the two configs."""

    short: str
    differences: list[Difference]
    more: Count = Field(description="Further differences, not listed.")


class SideControl(Control):
    """A control of one run."""

    side: Literal["A", "B"]


class Pairing(Part):
    """What the same deals are worth to a goal."""

    correlation: Number
    saved: Number = Field(description="Times as many games that unrelated deals would take.")


class Step(Part):
    """A part of a goal's change."""

    delta: Number
    lo: Number
    hi: Number
    saved: Number = Field(description="Times as many games that unrelated deals would take.")


class Goal(schema.Goal):
    """A goal in B, with its change from A."""

    pairing: Pairing
    by_itself: Step | None = Field(description="What the edit does before players adapt to it, if asked.")
    adapting: Step | None = Field(description="What comes on top once they know it.")


class Moved(Part):
    """How far the length of the same game moved, on average and without sign."""

    decisions: Number
    rounds: Number


class Changed(Winners):
    """How many identical deals have another winner."""

    moved: Moved


class Both(Part):
    """A number in A and B, and its change."""

    a: Number
    b: Number
    delta: Estimate


class Named(Both):
    """A row of a panel: a seat (0 is the first player), a strategy, a time or a margin."""

    name: str


class Panel(Part):
    """Rows at one number of players."""

    players: int
    rows: list[Named]


class Matchup(Both):
    """The win share of one strategy against another, or where it sits too."""

    games: Count = Field(description="Seats of the first one that it rests on, on the smaller side.")


class Matchups(Part):
    """Match-ups at one number of players: rows against columns, in the order of `strategies`."""

    players: int
    strategies: list[str]
    kind: Literal["one_vs_rest", "mixed"] = Field(
        description="One of the row among the rest of the column; or the row at mixed tables where the column sits too."
    )
    kept: float = Field(description="Part of the deals that it rests on.")
    note: str = Field(description="Why nothing can be said.")
    grid: list[list[Matchup | None]]


class Item(Part):
    """A card or character: means over the numbers of players."""

    name: str
    groups: list[str]
    seen: Both = Field(description="Win share of whoever had it at hand, from that of the average item.")
    played: Both = Field(description="Share of the times at hand that it was played.")


class Other(Named):
    """A measure at one number of players."""

    players: int


class Others(Part):
    """A measure of how games unfold."""

    kind: Literal["share", "rate", "mean", "difference"]
    panels: list[Other]


class Course(Part):
    """How games unfold."""

    leader: list[Panel]
    within: list[Panel] = Field(description="Share of games whose winner is at most so many points ahead.")
    others: dict[str, Others]


class Unexpected(Named):
    """Something that the edit does not name and that surely moved beyond its margin."""

    section: Parts
    players: int | None


class Parting(Part):
    """Where the same game goes two ways: the last line in common, and the first of A and of B that differ."""

    step: int
    steps: list[int]
    before: str
    a: str
    b: str


class Replay(Part):
    """A game whose winner changed; pairs hold A's and B's."""

    kind: Literal["largest", "typical", "first"]
    players: int
    deal: int
    rotation: int
    strategies: list[str] = Field(description="Who sits where, the first player first.")
    seat: int = Field(description="The seat whose standing moved most.")
    ahead: tuple[int, int] = Field(description="How far that seat ends ahead of the best other one.")
    winners: tuple[list[int], list[int]]
    commands: Pair
    parting: Parting | None


class Judgement(Part):
    """The verdict; "broken" means that a control of either run failed."""

    state: Literal["better", "worse", "mixed", "same", "unclear", "broken"]
    sentence: str
    bullets: list[Bullet]
    scope: str


class Comparison(Part):
    """A comparison of Hakari: every number and sentence of its page."""

    schema_: Literal["hakari-compare/1"] = Field(alias="schema", description="Version of this schema.")
    game: Game
    a: Side
    b: Side
    edit: Edit
    paired: bool = Field(description="Whether both played the same deals with the same luck.")
    why_unpaired: str
    warnings: list[str]
    aim: str = Field(description="How the number of games was chosen.")
    notes: list[str]
    controls: list[SideControl]
    goals: list[Goal] = Field(description="What changed most for a designer first.")
    winners: list[Changed]
    identical: list[int] = Field(description="Numbers of players at which every game is the same.")
    untouched: list[int] = Field(description="Numbers of players not played, since the edit does not touch them.")
    seats: list[Panel]
    strategies: list[Panel]
    matchups: list[Matchups]
    items: list[Item]
    course: Course
    margins: dict[str, float] = Field(description="How far a share of a kind may move and still be the same.")
    unexpected: list[Unexpected]
    replays: list[Replay]
    verdict: Judgement


def json_schema() -> dict[str, Any]:
    """Give the JSON Schema of `compare.json`."""
    return schema.described(Comparison, "Hakari comparison")
