"""What a config may change in Momiji, and the facts of the game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field

from sim.errors import Fault
from sim.games.interface import Bonus, Counter, GameSpec, Intervention, Items, Use
from sim.games.model import GameOptions, Table, each_once
from sim.games.momiji import cards, rules
from sim.games.momiji.cards import (
    CORNERS,
    COSTS,
    FACES,
    FIRST_LANDSCAPE,
    FIRST_OBJECTIVE,
    LANDSCAPES,
    LEAF_KINDS,
    OBJECTIVES,
    SEATS,
    TYPES,
    VALUES,
)

Corners = Literal["LR", "L", "R", "-"]
Copies = Annotated[tuple[Corners, ...], Field(strict=False, max_length=rules.COPIES)]
Landscape = Literal["second_type", "third_card", "two_from_deck", "leap", "swap", "patron"]
SeatLandscape = Annotated[
    str,
    Field(
        pattern=r"^[0-3]:(second_type|third_card|two_from_deck|leap|swap|patron)$", examples=["0:leap", "1:third_card"]
    ),
]
Objective = Annotated[
    str,
    Field(pattern=r"^(type:[a-f]|value:[0-3]|visible_sum|most_cards)$", examples=["type:a", "value:0", "visible_sum"]),
]
Points = Annotated[int, Field(ge=0, le=100)]
Cost = Annotated[int, Field(ge=0, le=20)]
Acorns = Annotated[int, Field(ge=0, le=100)]


class Objectives(Table):
    """The objective tokens in the middle and what they bring at the end."""

    count: tuple[
        Annotated[int, Field(ge=0, le=12)], Annotated[int, Field(ge=0, le=12)], Annotated[int, Field(ge=0, le=12)]
    ] = Field((4, 5, 6), strict=False, description="Objectives in play with 2, 3 and 4 players.")
    holder: Points = Field(10, description="Points for whoever is best at an objective and holds its token.")
    others: Points = Field(3, description="Points for everybody else who is best at it.")
    points: dict[Objective, Annotated[tuple[Points, Points], Field(strict=False)]] = Field(
        {}, description="Objectives with points of their own: the holder's and the others'."
    )


class Costs(Table):
    """What is paid for in acorns."""

    activate: Cost = Field(3, description="Acorns for activating an objective.")
    patron: Cost = Field(1, description="Acorns for activating one with the patron, besides the landscape's own.")
    reveal: Cost = Field(1, description="Acorns for more leaves on display before collecting.")
    landscape: Cost = Field(1, description="Acorns for using a landscape.")


class Gains(Table):
    """What brings acorns."""

    pair: int = Field(2, ge=0, le=10, description="Acorns for each two neighbouring piles with facing acorns.")
    discard_two: int = Field(1, ge=0, le=10, description="Acorns for discarding two leaves.")


class Landscapes(Table):
    """The landscapes and who gets which."""

    list_: Annotated[tuple[Landscape, ...], AfterValidator(each_once)] = Field(
        ("second_type", "third_card", "two_from_deck", "leap", "swap", "patron"),
        alias="list",
        strict=False,
        description="The landscapes in the game.",
    )
    assign: Literal["preset", "random", "draft", "off"] = Field(
        "preset",
        description='"preset": everybody has the first three. "random": three different ones each. "draft": three '
        'dealt, one taken, the others passed on, thrice. "off": none.',
    )
    removed: Annotated[tuple[SeatLandscape, ...], AfterValidator(each_once)] = Field(
        (),
        strict=False,
        description='Landscapes that one player does not get, each as "seat:name" with the first player as seat 0.',
    )


class Rulings(Table):
    """What the rule book leaves open."""

    refill: Literal["to_four", "when_empty"] = Field(
        "to_four",
        description='"to_four": after collecting, the display is filled up. "when_empty": only once it is empty.',
    )
    end: Literal["at_once", "finish_round", "last_round"] = Field(
        "at_once",
        description='"at_once": the game stops on the spot. "finish_round": the round is finished. "last_round": '
        "everybody has one more turn.",
    )
    new_pile: Literal["right", "either_end"] = Field(
        "right", description='New piles go to the "right" end of the row, or to "either_end" as the player likes.'
    )


class Options(GameOptions):
    """The rules of Momiji."""

    PLAYERS: ClassVar[tuple[int, ...]] = (2, 3, 4)

    types: tuple[
        Annotated[int, Field(ge=1, le=TYPES)],
        Annotated[int, Field(ge=1, le=TYPES)],
        Annotated[int, Field(ge=1, le=TYPES)],
    ] = Field((4, 5, 6), strict=False, description="Types of leaves with 2, 3 and 4 players.")
    corners: Annotated[tuple[Copies, ...], Field(strict=False, min_length=VALUES, max_length=VALUES)] = Field(
        (("LR",) * 5, ("L", "L", "R", "R"), ("-",) * 3, ("-",) * 2),
        description="The leaves of each type: for each value from 0 to 3 one entry a copy, which tells the corners "
        'that show an acorn: "LR", "L", "R" or "-".',
    )
    hand_size: int = Field(6, ge=1, le=16, description="Leaves dealt to each player.")
    display_size: int = Field(4, ge=1, le=12, description="Leaves on display.")
    hand_limit: int = Field(8, ge=1, le=16, description="Leaves that a hand may hold between turns.")
    start_acorns: Acorns | Annotated[tuple[Acorns, ...], Field(strict=False, min_length=SEATS, max_length=SEATS)] = (
        Field(3, description="Acorns of each player at the start; or a list, the first player's first, of four.")
    )
    torii_limit: tuple[
        Annotated[int, Field(ge=1, le=24)], Annotated[int, Field(ge=1, le=24)], Annotated[int, Field(ge=1, le=24)]
    ] = Field((4, 5, 6), strict=False, description="Closed piles that end the game, with 2, 3 and 4 players.")
    objectives: Objectives = Field(Objectives(), description="The objective tokens.")
    costs: Costs = Field(Costs(), description="What is paid for in acorns.")
    reveal_cards: int = Field(4, ge=1, le=12, description="Leaves that a reveal adds to the display.")
    gains: Gains = Field(Gains(), description="What brings acorns.")
    landscapes: Landscapes = Field(Landscapes(), description="The landscapes.")
    rulings: Rulings = Field(Rulings(), description="What the rule book leaves open.")

    def faults(self) -> Iterator[Fault]:
        """Yield too many leaves of a type, deals that need more leaves than there are, and too many objectives."""
        copies = sum(map(len, self.corners))
        if copies > rules.TYPE_LEAVES:
            yield Fault(
                ("corners",),
                "there are too many leaves of each type",
                got=f"{copies} leaves",
                expected=f"at most {rules.TYPE_LEAVES}",
            )
        for place, players in enumerate(self.PLAYERS):
            leaves = copies * self.types[place]
            dealt = players * self.hand_size + self.display_size
            if dealt >= leaves:
                yield Fault(
                    ("hand_size",),
                    f"with {players} players the deal leaves nothing in the deck",
                    got=f"{players} hands of {self.hand_size} and {self.display_size} on display: {dealt} leaves",
                    expected=f"fewer than {leaves}, the leaves of {self.types[place]} types",
                    on=(("corners",), ("types",), ("display_size",)),
                )
            most = self.types[place] + len(OBJECTIVES) - TYPES
            if self.objectives.count[place] > most:
                yield Fault(
                    ("objectives", "count", place),
                    f"with {players} players there are not so many objectives",
                    got=f"{self.objectives.count[place]}",
                    expected=f"at most {most}: {self.types[place]} types, {VALUES} values and 2 more",
                    on=(("types",),),
                )


def fill_rules(options: Options, players: int, own_orders: bool = False) -> Any:
    """Make the RULES record of a config for one player count.

    Parameters
    ----------
    own_orders : bool
        Makes no difference here: all see the same display, so there is one order of the deck for all.
    """
    record = np.zeros(1, rules.RULES).view(np.recarray)[0]
    number = options.PLAYERS.index(players)
    record.players, record.types = players, options.types[number]
    for value, copies in enumerate(options.corners):
        for corners in copies:
            record.copies[value * len(CORNERS) + CORNERS.index(corners)] += 1
    record.hand_size, record.display_size = options.hand_size, options.display_size
    record.hand_limit, record.reveal_count = options.hand_limit, options.reveal_cards
    record.start_acorns = options.start_acorns
    record.torii_limit = options.torii_limit[number]
    record.objective_count = options.objectives.count[number]
    for place, name in enumerate(OBJECTIVES):
        usual = options.objectives.holder, options.objectives.others
        record.holder_points[:, place], record.other_points[:, place] = options.objectives.points.get(name, usual)
    record.cost[:] = [getattr(options.costs, name) for name in COSTS]
    record.pair_acorns, record.discard_acorns = options.gains.pair, options.gains.discard_two
    record.shows[:] = np.arange(FACES) % len(CORNERS)
    in_game = [LANDSCAPES.index(name) for name in options.landscapes.list_]
    record.tile_count = len(in_game)
    record.tiles[: len(in_game)] = in_game
    record.assign = ("preset", "random", "draft", "off").index(options.landscapes.assign)
    for entry in options.landscapes.removed:
        seat, _, name = entry.partition(":")
        record.removed[int(seat), LANDSCAPES.index(name)] = 1
    record.when_empty = options.rulings.refill == "when_empty"
    record.end = ("at_once", "finish_round", "last_round").index(options.rulings.end)
    record.either_end = options.rulings.new_pile == "either_end"
    record.may[:], record.may_lay[:], record.may_use[:], record.may_activate[:] = 1, -1, 1, 1
    return record


def seat_facts(players: int, options: Options) -> dict[str, tuple[str, ...]]:
    """Say what arithmetic alone tells about the seats."""
    start = options.start_acorns
    acorns = start if isinstance(start, tuple) else (start,) * SEATS
    facts = {"acorns at the start": tuple(str(acorns[seat]) for seat in range(players))}
    if options.rulings.end == "at_once":
        last = players - 1
        facts["turns more than the last seat"] = tuple("0 or 1" if seat < last else "0" for seat in range(players))
    return facts


# --- interventions ----------------------------------------------------------------------------------------------------

_LEAVES = cards.ITEMS[:LEAF_KINDS]
_PRICES = tuple(f"{word} to {name}" for name in COSTS for word in ("1 acorn less", "1 acorn more"))
_CORNERS = tuple(f"{value}s {word}" for value in range(VALUES) for word in ("without acorns", "with both acorns"))


def _ban(record: Any, item: int, seat: int) -> None:
    if item < FIRST_LANDSCAPE:
        kind, value = divmod(item, VALUES)
        record.may_lay[seat, kind] &= ~(np.int64(rules.VALUE_MASK) << np.int64(rules.VALUE_BITS * value))
    elif item < FIRST_OBJECTIVE:
        record.may_use[seat, item - FIRST_LANDSCAPE] = 0
    else:
        record.may_activate[seat, item - FIRST_OBJECTIVE] = 0


def _at_hand(rules: Any, records: Any, item: int) -> Any:
    """Whether a seat held such a leaf at some time, had the landscape, could have activated the objective."""
    return (records.dealt | records.drawn | records.collected | records.owned) >> item & 1 == 1


def _swap(record: Any, item: int, seat: int) -> None:
    record.swap[seat] = 1 << item


def _swap_any(record: Any, item: int, seat: int) -> None:
    record.swap[seat] = (1 << LEAF_KINDS) - 1


def _in_deck(rules: Any, records: Any, item: int) -> Any:
    """Whether the deal left such a leaf in the deck; for all seats alike."""
    return np.broadcast_to((records.in_deck >> item & 1 == 1)[:, None], records.dealt.shape)


def _do_without(record: Any, item: int, seat: int) -> None:
    record.may[seat, item] = 0


def _reprice(record: Any, item: int, seat: int) -> None:
    cost, more = divmod(item, 2)
    record.cost[seat, cost] = max(int(record.cost[seat, cost]) + (1 if more else -1), 0)


def _redraw_corners(record: Any, item: int, seat: int) -> None:
    value, both = divmod(item, 2)
    first = value * len(CORNERS)
    record.shows[seat, first : first + len(CORNERS)] = (cards.LEFT_ACORN | cards.RIGHT_ACORN) if both else 0


def _unpaid(record: Any, item: int, seat: int) -> None:
    record.holder_points[seat, item] = record.other_points[seat, item] = 0


def _in_play(rules: Any, records: Any, item: int) -> Any:
    return records.owned >> (FIRST_OBJECTIVE + item) & 1 == 1


def _start_acorns(record: Any, seat: int, amount: int) -> None:
    record.start_acorns[seat] = max(int(record.start_acorns[seat]) + amount, 0)


INTERVENTIONS = (
    Intervention(
        "grant",
        "in the opening hand",
        "What is it worth to start with this leaf instead of an average one?",
        _LEAVES,
        _swap,
        applies=_in_deck,
    ),
    Intervention(
        "ban",
        "never used",
        "What does it cost a player never to lay this leaf, use this landscape, activate this objective?",
        cards.ITEMS,
        _ban,
        matters=_at_hand,
    ),
    Intervention("without", "going without", "What does it cost a player to do without?", cards.FEATURES, _do_without),
    Intervention(
        "price", "at another price", "What is an acorn more or less worth, paid each time?", _PRICES, _reprice
    ),
    Intervention(
        "corners", "other corners", "What are the acorns on these leaves worth to a player?", _CORNERS, _redraw_corners
    ),
    Intervention(
        "unpaid",
        "without points",
        "What does it cost a player to get no points for this objective?",
        cards.AIMS,
        _unpaid,
        matters=_in_play,
    ),
    Intervention(
        "placebo",
        "a random leaf instead",
        "Does exchanging a leaf of the opening hand for a random one come out as worth nothing, as it must?",
        ("a random leaf",),
        _swap_any,
        placebo=True,
    ),
)

MASKS = {
    "dealt": "Leaves in the opening hand.",
    "owned": "Landscapes dealt or drafted, and objectives in play: what could be used.",
    "drawn": "Leaves drawn from the deck by a landscape.",
    "collected": "Leaves collected from the display.",
    "laid": "Leaves laid.",
    "discarded": "Leaves discarded, for an acorn or above the hand limit.",
    "on_top": "Leaves on top of a pile at the end.",
    "used": "Landscapes used and objectives activated.",
    "won_held": "Objectives won by whoever activated them.",
    "won_other": "Objectives won by somebody who had not activated them.",
}

_SEAT_NAMES = tuple(f"player {seat}" for seat in range(1, SEATS + 1))
_TOPS = tuple(f"top {value}" for value in range(VALUES))
_NO_LEAF = ("landscape",) * len(LANDSCAPES) + ("objective",) * len(OBJECTIVES)

SPEC = GameSpec(
    name="momiji",
    title="Momiji",
    source="rule book of the publisher; component tables partly ours; readings in RULES.md",
    status="hand-built tables, an independent slow twin, conservation after every action",
    rules_version=1,
    options=Options,
    rules_module=rules,
    text=cards,
    state=rules.STATE,
    rules=rules.RULES,
    record=rules.RECORD,
    seats=SEATS,
    fill_rules=fill_rules,
    masks=MASKS,
    items=Items(
        word="card",
        names=cards.ITEMS,
        groups={
            "type": tuple(f"type {name[-1]}" for name in _LEAVES) + _NO_LEAF,
            "value": tuple(f"value {name[0]}" for name in _LEAVES) + _NO_LEAF,
        },
        uses={
            "seen": Use("in hand", "Leaves in hand at some time of the game.", ("dealt", "drawn", "collected")),
            "played": Use("laid", MASKS["laid"], ("laid",)),
            "collected": Use("collected", MASKS["collected"], ("collected",)),
            "discarded": Use("discarded", MASKS["discarded"], ("discarded",)),
            "on_top": Use("on top at the end", MASKS["on_top"], ("on_top",)),
            "owned": Use("could be used", MASKS["owned"], ("owned",)),
            "used": Use("used", MASKS["used"], ("used",)),
            "won_held": Use("won holding it", MASKS["won_held"], ("won_held",)),
            "won_other": Use("won without", MASKS["won_other"], ("won_other",)),
        },
        available="seen",
        played="played",
    ),
    score_word="points",
    score_bounds=(0, 6000),  # 12 objectives of 100; piles at most 6 × 3 × 20; acorns at most 100 + 600 + 60 × 50
    max_decisions=1536,  # 120 leaves collected and laid, 12 objectives, a last round: 256 turns of 6 decisions
    why_it_ends="every turn collects a leaf, lays one or takes an objective, and none of them comes back",
    draws_text="one deck and one display serve all, in the order that the deal fixes",
    end_reasons=cards.REASONS,
    decisions_bin=2,
    seat_facts=seat_facts,
    seat_text=(
        "The first player chooses from the display first and may have one turn more than the others, since the game "
        "stops on the spot; with the ruling finish_round everybody has equally many turns. Whoever comes later sees "
        "more of what the others collect, and may find an objective gone."
    ),
    counters={
        "points": Counter("Points by seat and source.", (_SEAT_NAMES, cards.POINTS)),
        "acorns": Counter("Acorns by seat, and where they came from or went to.", (_SEAT_NAMES, cards.ACORNS)),
        "piles": Counter("Piles at the end by seat and value of the top leaf.", (_SEAT_NAMES, _TOPS)),
        "pile_leaves": Counter("Leaves in these piles.", (_SEAT_NAMES, _TOPS)),
        "deeds": Counter("Main actions by seat and kind.", (_SEAT_NAMES, cards.DEEDS)),
    },
    interventions=INTERVENTIONS,
    knobs=("corners", "objectives", "costs", "gains", "start_acorns", "torii_limit", "hand_limit"),
    payoffs=("holder_points", "other_points", "pair_acorns"),
    bonus=Bonus("extra acorns at the start", _start_acorns, -3, 12),
)
