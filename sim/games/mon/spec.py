"""What a config may change in mon, and the facts of the game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field

from sim.errors import Fault
from sim.games.interface import Bonus, GameSpec, Intervention, Items, Use
from sim.games.model import GameOptions, Table, each_once
from sim.games.mon import cards, rules
from sim.games.mon.cards import COLOURS, VALUES

REMOVED_WITH_TWO = range(1, 6)  # values that leave a game of two
POINTS = {
    "default": (1,) * 6 + (2,) * 6 + (3,) * 6,
    "points_b": (1,) * 6 + (2,) * 6 + (3,) * 5 + (4,),
    "points_c": (1,) * 5 + (2,) * 5 + (3,) * 5 + (4,) * 3,
}

Colour = Literal["gold", "silver", "black"]
Players = Literal["2", "3", "4", "5", "6"]
Value = Annotated[int, Field(ge=1, le=VALUES)]

HAND_SIZES: dict[Players, int] = {"2": 13, "3": 10, "4": 9, "5": 8, "6": 7}


def _spelled_out(points: Any) -> Any:
    """Turn the name of a points table into the table."""
    return POINTS.get(points, points) if isinstance(points, str) else points


class Rulings(Table):
    """What the rule book leaves open."""

    token_limit: bool = Field(
        True, description="true: without a token left nobody can advance or fall back. false: tokens never run out."
    )
    tie: Literal["emptied_first", "shared"] = Field(
        "emptied_first",
        description='Who wins among equal points. "emptied_first": whoever emptied their hand first. "shared": all.',
    )


class Options(GameOptions):
    """The rules of mon."""

    PLAYERS: ClassVar[tuple[int, ...]] = (2, 3, 4, 5, 6)

    points: Annotated[
        tuple[Annotated[int, Field(ge=-100, le=100)], ...],
        BeforeValidator(
            _spelled_out,
            json_schema_input_type=Annotated[
                tuple[Annotated[int, Field(ge=-100, le=100)], ...], Field(min_length=VALUES, max_length=VALUES)
            ]
            | Literal["default", "points_b", "points_c"],
        ),
    ] = Field(
        POINTS["default"],
        strict=False,
        min_length=VALUES,
        max_length=VALUES,
        description="Points of a visible card by its value, value 1 first; or the name of a known table.",
    )
    hand_sizes: dict[Players, Annotated[int, Field(ge=1, le=27)]] = Field(
        HAND_SIZES, description="Cards dealt to each player, by number of players."
    )
    tokens: int = Field(10, ge=0, le=54, description="Tokens of each player.")
    rulings: Rulings = Field(Rulings(), description="What the rule book leaves open.")
    start_values: dict[Colour, Annotated[int, Field(ge=0, le=VALUES)]] = Field(
        {},
        description="Values of starting tiles by colour; a colour not named keeps 0, or 5 with two players.",
    )
    removed_values: Annotated[tuple[Value, ...], AfterValidator(each_once)] = Field(
        (), strict=False, description="Values whose three cards leave the deck before dealing. Hand sizes stay."
    )
    no_fall_back: Annotated[tuple[Colour, ...], AfterValidator(each_once)] = Field(
        (), strict=False, description="Colours on which nobody can fall back."
    )

    def faults(self) -> Iterator[Fault]:
        """Yield hands that need more cards than there are."""
        for key, hand in self.hand_sizes.items():
            players = int(key)
            gone = {*self.removed_values, *(REMOVED_WITH_TWO if players == 2 else ())}
            cards = 3 * (VALUES - len(gone))
            if players * hand > cards:
                yield Fault(
                    ("hand_sizes", key),
                    f"hand_sizes.{key} needs more cards than the game has",
                    got=f"{players} hands of {hand} are {players * hand} cards",
                    expected=f"at most {cards // players}: with {players} players there are {cards} cards",
                    fix="deal smaller hands or remove fewer values" if self.removed_values else None,
                    on=(("removed_values",),),
                )


def fill_rules(options: Options, players: int, own_orders: bool = False) -> Any:
    """Make the RULES record of a config for one player count.

    Parameters
    ----------
    own_orders : bool
        Whether each seat meets the draw pile in an order of its own (``plan.draws = "per_seat"``).
    """
    record = np.zeros(1, rules.RULES).view(np.recarray)[0]
    gone = {*options.removed_values, *(REMOVED_WITH_TWO if players == 2 else ())}
    record.players, record.own_orders = players, own_orders
    record.hand_size = options.hand_sizes[str(players)]  # type: ignore[index]
    record.tokens, record.token_limit = options.tokens, options.rulings.token_limit
    record.tie = rules.TIE_SHARED if options.rulings.tie == "shared" else rules.TIE_EMPTIED_FIRST
    record.cards = cards.set_of([card for card in range(cards.CARDS) if card % VALUES + 1 not in gone])
    record.points = options.points
    for colour, name in enumerate(COLOURS):
        record.start[colour] = options.start_values.get(name, 5 if players == 2 else 0)  # type: ignore[call-overload]
        record.may_fall_back[:, colour] = name not in options.no_fall_back
    return record


def seat_facts(players: int, options: Options) -> dict[str, tuple[str, ...]]:
    """Say what arithmetic alone tells about the seats."""
    turns = options.hand_sizes[str(players)]  # type: ignore[index]
    facts = {
        "turns in a game": (str(turns),) * players,
        "turns that follow the last one": tuple(str(players - 1 - seat) for seat in range(players)),
    }
    if options.rulings.tie == "emptied_first":
        facts["wins a tie against"] = tuple(
            "everybody" if seat == 0 else "nobody" if seat == players - 1 else f"{players - 1 - seat} later in turn"
            for seat in range(players)
        )
    return facts


# --- interventions ----------------------------------------------------------------------------------------------------


def _swap(rules: Any, item: int, seat: int) -> None:
    rules.swap[seat] = 1 << item


def _swap_any(rules: Any, item: int, seat: int) -> None:
    rules.swap[seat] = rules.cards


def _in_stock(rules: Any, records: Any, item: int) -> Any:
    """Whether a card was left in the draw pile by the deal; for all seats alike."""
    dealt = np.bitwise_or.reduce(records.dealt, axis=1, keepdims=True)
    return np.broadcast_to((int(rules.cards) & ~dealt) >> item & 1 == 1, records.dealt.shape)


def _bar(rules: Any, item: int, seat: int) -> None:
    rules.barred[seat] = 1 << item


def _seen(rules: Any, records: Any, item: int) -> Any:
    return (records.dealt | records.drawn) >> item & 1 == 1


def _point_more(rules: Any, item: int, seat: int) -> None:
    rules.points[seat, item] += 1


def _no_fall_back(rules: Any, item: int, seat: int) -> None:
    rules.may_fall_back[seat, slice(None) if item == 0 else item - 1] = 0


def _start_points(rules: Any, seat: int, amount: int) -> None:
    rules.start_points[seat] += amount


MASKS = {
    "dealt": "Cards dealt at the start.",
    "drawn": "Cards drawn from the pile.",
    "advanced": "Cards that extended a line.",
    "fell_back": "Cards that covered a stack.",
    "discarded": "Cards discarded in order to draw.",
    "scoring": "Cards visible under an own token at the end.",
}

SPEC = GameSpec(
    name="mon",
    title="MON: Emblems of Sengoku",
    source="rule book of the publisher; readings in RULES.md",
    status="rule-book examples, an independent slow twin, conservation after every action",
    rules_version=1,
    options=Options,
    rules_module=rules,
    text=cards,
    state=rules.STATE,
    rules=rules.RULES,
    record=rules.RECORD,
    seats=rules.SEATS,
    fill_rules=fill_rules,
    masks=MASKS,
    items=Items(
        word="card",
        names=cards.CARD_NAMES,
        groups={
            "colour": tuple(name.partition("-")[0] for name in cards.CARD_NAMES),
            "value": tuple(name.partition("-")[2] for name in cards.CARD_NAMES),
        },
        uses={
            "seen": Use("in hand", "Dealt or drawn at some time of the game.", ("dealt", "drawn")),
            "played": Use("played", "Advanced or fallen back with.", ("advanced", "fell_back")),
            "dealt": Use("dealt", MASKS["dealt"], ("dealt",)),
            "drawn": Use("drawn", MASKS["drawn"], ("drawn",)),
            "advanced": Use("advanced with", MASKS["advanced"], ("advanced",)),
            "fell_back": Use("fallen back with", MASKS["fell_back"], ("fell_back",)),
            "discarded": Use("discarded", MASKS["discarded"], ("discarded",)),
            "scoring": Use("scoring at the end", MASKS["scoring"], ("scoring",)),
        },
        available="seen",
        played="played",
    ),
    score_word="points",
    score_bounds=(-5454, 5454),  # 54 cards of at most 100 points, and 54 covered ones
    max_decisions=54,  # every decision takes a card off a hand, and hands are dealt once
    why_it_ends="every action takes exactly one card off the hand",
    end_reasons=("hand_empty",),
    seat_facts=seat_facts,
    seat_text=(
        "Everybody has the same number of turns, since every action takes one card off the hand. The first player acts "
        "first in every round, so everybody else can still cover what it plays; what the last player puts down at the "
        "very end stays. The rule book's tie rule works the other way: among equal scores the earlier seat wins."
    ),
    interventions=(
        Intervention(
            "grant",
            "in the opening hand",
            "What is it worth to start with this card instead of an average one?",
            cards.CARD_NAMES,
            _swap,
            applies=_in_stock,
        ),
        Intervention(
            "ban",
            "never played",
            "What does it cost a player never to advance or fall back with this card?",
            cards.CARD_NAMES,
            _bar,
            matters=_seen,
        ),
        Intervention(
            "point",
            "a point more",
            "What is it worth to a player if this value counts a point more?",
            tuple(f"value {value}" for value in range(1, VALUES + 1)),
            _point_more,
        ),
        Intervention(
            "without",
            "going without",
            "What does it cost a player never to do this?",
            ("falling back", *(f"falling back on {colour}" for colour in COLOURS)),
            _no_fall_back,
        ),
        Intervention(
            "placebo",
            "a random card instead",
            "Does exchanging a card of the opening hand for a random one come out as worth nothing, as it must?",
            ("a random card",),
            _swap_any,
            placebo=True,
        ),
    ),
    knobs=("points", "hand_sizes", "tokens"),
    payoffs=("points",),
    bonus=Bonus("extra points at the start", _start_points, -20, 20),
)
