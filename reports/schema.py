"""What `report.json` holds: every key with its type, and the JSON Schema that says so.

Shares are fractions (0.25 is 25%), null stands for "cannot be said", and floats have six digits. A key that is added,
renamed or dropped is a new version of the schema (`reports.tables.SCHEMA`).
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Number = float | None
Verdict = Literal["inside", "outside", "close"]
Count = int
Pair = tuple[str, str]


class Part(BaseModel):
    """A part of the report; all its keys are always there, and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Estimate(Part):
    """A number with its 95% range, and the range that holds for all rows together."""

    est: Number
    lo: Number
    hi: Number
    joint_lo: Number
    joint_hi: Number


class Moved(Estimate):
    """An estimate with its value in the baseline and the change since."""

    before: Number
    delta: Estimate | None


# --- the run -----------------------------------------------------------------------------------------------------


class Run(Part):
    """What was run, and by what."""

    game: str
    name: str = Field(description="The config's name.")
    title: str = Field(description="The game's name.")
    subtitle: str = Field(description="The config's title, or nothing.")
    rules_version: str
    seed: int
    draws: str
    draws_text: str = Field(description="How players draw, in words.")
    date: str = Field(description="Day on which the run began.")
    hakari: str = Field(description="Version of the program.")
    versions: list[Pair] = Field(description="Name and version of what it stands on.")
    config_hash: str
    source_hash: str
    command: str
    settings: list[str] = Field(description="What the command changed in the config, but for the plan.")
    games: Count
    deals: Count
    decisions: Count
    players: list[int] = Field(description="Player counts, in the order of `mixed_lineups`.")
    unit: Pair = Field(description="What one unit of the score and several are called.")
    lead_unit: str
    item: Pair = Field(description="What one item and several are called.")
    focus: int | None = Field(description="The player count shown where there is room for one.")
    mixed_lineups: list[list[int]] = Field(description="By player count: the line-ups of the mixed table.")
    keep_games: float = Field(ge=0, le=1, description="Part of the deals whose games are kept as rows.")


class Strategy(Part):
    """Who played."""

    name: str
    title: str
    summary: str
    weakness: str
    params: list[tuple[str, float, float | None]] = Field(description="Name, value, default (null: not known).")


class Control(Part):
    """One control of the trust box."""

    name: str
    found: str
    expected: str
    state: Literal["passed", "note", "failed"]
    fault: str = Field(description="How a failure reads inside a sentence.")


class Bullet(Part):
    """One line under the verdict."""

    mark: Verdict
    head: str
    text: str


class Judgement(Part):
    """The verdict of the page; "broken" is a run whose controls failed."""

    state: Literal["inside", "outside", "close", "none", "broken"]
    sentence: str
    bullets: list[Bullet]
    scope: str
    notice: str


class Experiment(Part):
    """What was played, by player count and kind of line-up."""

    players: int
    kind: str
    lineups: Count
    rotations: Count
    games: Count
    deals: Count
    chunks: Count


class Step(Part):
    """Something to look at next, with the command that shows a game of it."""

    head: str
    text: str
    label: str
    replay: str


# --- goals -------------------------------------------------------------------------------------------------------


class Band(Part):
    """A goal's limits; null is open."""

    lo: Number
    hi: Number
    text: str


class Options(Part):
    """What the words of a goal depend on."""

    at: str | None
    points: int | None
    unit: Pair
    item: str
    apart: str = ""


class GoalChange(Part):
    """A goal against the baseline."""

    before: Number
    before_subject: str | None
    before_verdict: Verdict
    delta: Number
    lo: Number
    hi: Number
    paired: bool
    same_within: float
    identical: bool
    class_: Literal["better", "worse", "moved", "same", "unclear"] = Field(alias="class")


class Goal(Estimate):
    """A goal at one player count."""

    id: str
    goal: str = Field(description="Its name in the config.")
    measure: str
    label: str
    section: str = Field(description="Where the page shows more.")
    players: int
    kind: Literal["share", "rate", "mean", "difference"]
    options: Options
    default: bool = Field(description="Whether it is the yardstick of a run without goals.")
    subject: str | None = Field(description="The seat, strategy or item that decides.")
    par: Number
    band: Band
    games: Count
    deals: Count
    chunks: Count
    verdict: Verdict
    beyond: Number = Field(description="How far beyond the goal, in units of the goal; negative inside.")
    games_needed: Number = Field(description="How many more games would settle it.")
    on_edge: bool
    change: GoalChange | None


# --- since the baseline ------------------------------------------------------------------------------------------


class Piece(Part):
    """A piece of a config's value."""

    text: str
    changed: bool


class Difference(Part):
    """A key that differs between two configs."""

    key: str
    old: list[Piece]
    new: list[Piece]


class Tally(Part):
    """The goals that changed in one way."""

    class_: Literal["better", "worse", "moved", "edge", "same", "unclear"] = Field(alias="class")
    goals: list[str]


class Winners(Part):
    """How many identical deals have another winner."""

    players: int
    share: Number
    lo: Number
    hi: Number
    games: Count
    deals: Count
    identical: bool


class Baseline(Part):
    """The run compared with."""

    label: str = Field(description="What tells it apart from this run.")
    games: Count
    seed: int
    paired: bool = Field(description="Whether changes are measured deal by deal.")
    in_part: bool = Field(description="Whether one run played more deals than the other.")
    why_unpaired: str
    differences: list[Difference]
    more_differences: Count
    tally: list[Tally]
    winners: list[Winners]
    warnings: list[str]


# --- seats and strategies ----------------------------------------------------------------------------------------


class EqualSeats(Part):
    """A test of all seats being equal."""

    statistic: Number
    df: Number
    tail: Number


class SeatRow(Moved):
    """A seat's win share; seat 0 is the first player."""

    seat: int
    alone: Number = Field(description="Share of games won alone.")
    score: Number
    top: Number = Field(description="Share of the best scores before tie-breaks.")


class SeatPanel(Part):
    """The seats at one player count."""

    players: int
    par: float
    games: Count
    deals: Count
    equal: EqualSeats
    rows: list[SeatRow]


class MirrorRow(Estimate):
    """The first player's share where everybody plays one strategy; `seats` holds all shares."""

    strategy: str
    seats: list[Number]


class MirrorPanel(Part):
    """The seats among equals at one player count."""

    players: int
    par: float
    games: Count
    rows: list[MirrorRow]


class SeatFact(Part):
    """What arithmetic on the rules says about the seats."""

    players: int
    fact: str
    values: list[str]


class Seats(Part):
    """All about the seats."""

    panels: list[SeatPanel]
    mirror: list[MirrorPanel]
    text: str
    exact: list[SeatFact]


class ShareRow(Moved):
    """A strategy's win share at the mixed table."""

    strategy: str
    index: int


class SharePanel(Part):
    """The strategies at one player count."""

    players: int
    par: float
    games: Count
    rows: list[ShareRow]


class Duel(Estimate):
    """Win share of one of a strategy against the rest of another."""

    games: Count


class DuelPanel(Part):
    """Match-ups at one player count: rows against columns, in the order of the strategies."""

    players: int
    par: float
    grid: list[list[Duel | None]]
    best: int | None
    worst_of_best: int | None
    ring: list[int]


class Outcome(Part):
    """An end of the drift, and in how many resamplings it is reached."""

    kind: Literal["takes_over", "settles", "circles", "open"] = Field(description='"open": it still moves.')
    strategy: int | None = Field(description="Which one takes over.")
    times: Count


class EndPart(Part):
    """Part of the field that plays a strategy in the end, or on average where it circles."""

    est: Number
    lo: Number
    hi: Number


class Drift(Part):
    """Where a field of players drifts if what wins becomes more common; lists are in the order of the strategies."""

    outcomes: list[Outcome] = Field(description="The commonest first.")
    of: Count = Field(description="Resamplings of whole deals.")
    rows: list[EndPart]
    time: list[float] = Field(description="Generations.")
    parts: list[list[float]] = Field(description="By strategy and moment.")
    paths: list[list[list[float]]] = Field(description="The same for some resamplings, where they are drawn.")


class Ladder(Part):
    """One strength for each strategy and seat: P(win) proportional to exp(strategy + seat)."""

    strength: list[float] = Field(description="By strategy: logarithm of the odds, mean 0.")
    seats: list[float] = Field(description="Win share by seat among equals.")
    misfit: float = Field(description="How far single tables typically are from it, without the luck of the deals.")
    sure: bool = Field(description="Whether luck alone explains the misfit less often than once in 1,000.")


class MetaPanel(Part):
    """What the strategies make of each other at one player count."""

    players: int
    note: str = Field(description="Why the drift cannot be said.")
    drift: Drift | None
    ladder: Ladder | None


# --- items -------------------------------------------------------------------------------------------------------


class ItemAt(Part):
    """An item seen with winning at one player count."""

    players: int
    est: Number


class Item(Part):
    """A card or character: associations, not causes."""

    index: int
    name: str
    groups: dict[str, str]
    seen: Estimate = Field(
        description="Win share of whoever had it at hand, from that of the average item (of its group)."
    )
    seen_adjusted: Estimate | None = Field(description="`seen` within strategy, seat and length; null: no games kept.")
    lift: Estimate = Field(description="Win share when it was played minus when it was at hand and not played.")
    lift_adjusted: Estimate | None = Field(description="`lift` within strategy, seat and length; null: no games kept.")
    played: Estimate = Field(description="Share of the times at hand that it was played.")
    delta: Estimate | None = Field(description="Change of `seen` since the baseline.")
    cases: Count
    uses: dict[str, Number]
    by_players: list[ItemAt]


class GroupRow(Estimate):
    """A mean over the items of a group."""

    name: str
    items: Count


class Group(Part):
    """A way to group the items."""

    title: str
    rows: list[GroupRow]


class Use(Part):
    """A way to use an item."""

    key: str
    label: str
    meaning: str


class Items(Part):
    """All about the items."""

    players: list[int]
    rows: list[Item]
    groups: list[Group]
    apart: str = Field("", description="Grouping within whose groups items are compared; empty: with all.")
    uses: list[Use]
    available: str
    played: str


# --- course of a game --------------------------------------------------------------------------------------------


class Length(Part):
    """How long games are: `bins` of [from, games], each `width` wide."""

    bins: list[tuple[int, Count]]
    width: int
    median: int | None
    p5: int | None
    p95: int | None
    fixed: bool


class Leader(Estimate):
    """How often whoever leads wins."""

    at: Literal["25%", "50%", "75%"]


class Ending(Part):
    """Why games ended."""

    reason: str
    games: Count


class Course(Part):
    """How a game unfolds at one player count."""

    players: int
    par: float
    games: Count
    decisions: Length
    rounds: Length
    turns: Estimate
    leader: list[Leader]
    leader_games: list[Count]
    margin: list[Count] = Field(description="Games by best minus second-best score, from 0.")
    lead_changes: Estimate
    shared: Estimate
    tie_break: Estimate
    capped: Estimate
    reasons: list[Ending]


class Panel(Part):
    """A section that the game adds; its figures are described in `reports.figures`."""

    id: str
    title: str
    figures: list[dict[str, Any]]


# --- answers -----------------------------------------------------------------------------------------------------


class AtPlayers(Estimate):
    """An item's value at one player count."""

    players: int


class Value(Estimate):
    """What a change is worth to the player it is made for, as a share of the wins, averaged over the player counts."""

    name: str
    shrunk: Number = Field(description="The estimate pulled towards the mean of all: a better guess, no verdict.")
    verdict: Literal["more", "less", "unclear"] = Field(description="Where the joint range lies: above 0, below, both.")
    games: Count = Field(description="Games that the question is about.")
    played: Number = Field(description="Part of them played again; in the others the change cannot matter.")
    winner_changed: Number = Field(description="Part of them that somebody else wins.")
    by_players: list[AtPlayers]
    by_strategy: list[Estimate] = Field(description="By the strategy of the player it is made for.")


class Values(Part):
    """The answer to one kind of causal question (`hakari cards`)."""

    kind: str
    title: str
    question: str
    placebo: bool
    players: list[int]
    draws: str
    seed: int
    strategies: list[str]
    games: Count = Field(description="Games played besides those under unchanged rules.")
    checked: Count = Field(description="Games left out, but played all the same to see.")
    wrong: Count = Field(description="Those of them in which the change did matter.")
    items: list[Value]


class Cards(Part):
    """All answers of `hakari cards` about a run."""

    answers: list[Values]


class SenseGoal(Part):
    """A goal as the unchanged game has it; `id` as in `goals`."""

    id: str
    goal: str
    label: str
    players: int
    kind: str
    subject: str | None
    est: Number
    lo: Number
    hi: Number
    band: Band
    verdict: Verdict


class SenseEffect(Part):
    """Change of a goal's measure by one step; left out where it cannot be said."""

    goal: str
    est: float
    lo: float
    hi: float
    joint_lo: float
    joint_hi: float


class SenseStep(Part):
    """One number of the config, a step larger or smaller."""

    path: list[str | int] = Field(description="Keys from the top of the config, then places in lists.")
    label: str
    edit: str = Field(description="The change as `--set` takes it.")
    old: int
    step: int
    effects: list[SenseEffect]


class Sense(Part):
    """The answer of `hakari sense`: what one step of each number does to each goal."""

    players: list[int]
    strategies: list[str]
    draws: str
    seed: int
    games: Count = Field(description="Games played for each step.")
    goals: list[SenseGoal]
    steps: list[SenseStep]


class Compensated(Part):
    """What the seats need at one player count."""

    players: int
    exact: list[Estimate] = Field(description="By seat, the least 0.")
    slope: list[float] = Field(description="By seat: what one more is worth to it, as a share of the wins.")
    whole: list[int]
    before: list[Estimate]
    after: list[Estimate] = Field(description="With the whole amounts, on fresh deals.")
    band: str
    verdict: Verdict


class Compensate(Part):
    """The answer of `hakari compensate`."""

    unit: str
    strategies: list[str]
    draws: str
    seed: int
    games: Count = Field(description="Games of each trial at one player count.")
    players: list[Compensated]


class Answers(Part):
    """What was asked besides; null or empty where it was not."""

    cards: list[Values]
    sense: Sense | None
    compensate: Compensate | None


class Report(Part):
    """A report of Hakari: every number and sentence of its page."""

    schema_: Literal["hakari-report/1"] = Field(alias="schema", description="Version of this schema.")
    run: Run
    strategies: list[Strategy]
    controls: list[Control]
    goals: list[Goal] = Field(description="Worst first.")
    notes: list[str]
    verdict: Judgement
    baseline: Baseline | None
    seats: Seats
    shares: list[SharePanel]
    duels: list[DuelPanel]
    meta: list[MetaPanel]
    items: Items | None
    unfold: list[Course]
    panels: list[Panel]
    answers: Answers
    experiments: list[Experiment]
    next: list[Step]


def json_schema() -> dict[str, Any]:
    """Give the JSON Schema of `report.json`."""
    return described(Report, "Hakari report")


def described(model: type[Part], title: str) -> dict[str, Any]:
    """Give the JSON Schema of a document."""
    schema = model.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_untitled(schema), "title": title}


def _untitled(node: Any) -> Any:
    """Drop the titles that only repeat a key."""
    if isinstance(node, list):
        return [_untitled(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {key: _untitled(value) for key, value in node.items() if not (key == "title" and isinstance(value, str))}
