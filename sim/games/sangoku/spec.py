"""What a config may change in Sangoku, and the facts of the game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field

from sim.errors import Fault
from sim.games.interface import Bonus, Counter, GameSpec, Intervention, Items, Use
from sim.games.model import GameOptions, Table, each_once
from sim.games.sangoku import cards, rules
from sim.games.sangoku.cards import LEGEND_TITLES, LEGENDS, RANK_NAMES, RANK_TITLES, REALMS, ROWS, WARRIORS
from sim.games.sangoku.hands import CATEGORIES

Rank = Literal["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
Warrior = Literal["dragon", "oni", "samurai", "dog", "none"]
Copies = Annotated[int, Field(ge=0, le=rules.COPIES)]
Damage = Annotated[int, Field(ge=0, le=20)]
Size = Annotated[int, Field(ge=1, le=rules.SET_SIZE)]
Power = Annotated[int, Field(ge=1, le=rules.LEVELS - 1)]
Points = Annotated[int, Field(ge=1, le=50)]
Seat = Annotated[int, Field(ge=0, lt=cards.SEATS)]
BySize = Annotated[tuple[Damage, ...], Field(strict=False, min_length=1, max_length=rules.SET_SIZE)]


def _rows(**ranks: Warrior) -> dict[Rank, Warrior]:
    """Give the table of redemptions from its ranges: ``_2_4="dragon"`` is 2, 3 and 4."""
    table: dict[Rank, Warrior] = {}
    for name, warrior in ranks.items():
        first, _, last = name[1:].partition("_")
        table |= {str(rank): warrior for rank in range(int(first), int(last or first) + 1)}  # type: ignore[misc]
    return table


REDEEMS = {
    "default": _rows(_2="dragon", _3_4="oni", _5_6="samurai", _7_9="dog"),
    "even": _rows(_2_3="dragon", _4_5="oni", _6_7="samurai", _8_9="dog"),
    "tokens": _rows(_2="dragon", _3="oni", _4_6="samurai", _7_9="dog"),
}


def _spelled_out(table: Any) -> Any:
    """Turn the name of a table of redemptions into the table."""
    return REDEEMS.get(table, table) if isinstance(table, str) else table


class LegendCopies(Table):
    """The Legend deck: how many cards of each kind."""

    fuujin: Copies = Field(6, description="Fuujin cards.")
    onibi: Copies = Field(6, description="Onibi cards.")
    raijin: Copies = Field(6, description="Raijin cards.")
    hachiman: Copies = Field(6, description="Hachiman cards.")
    genbu: Copies = Field(5, description="Genbu cards.")
    orochi: Copies = Field(5, description="Orochi cards.")
    kitsune: Copies = Field(4, description="Kitsune cards, which stand for others.")
    yosei: Copies = Field(4, description="Yosei cards, which add 1 damage each.")
    shinigami: Copies = Field(4, description="Shinigami cards.")
    monkey_king: Copies = Field(2, description="Monkey King cards.")


class SetDamage(Table):
    """What a set costs each opponent whom it strikes."""

    onibi: BySize = Field((1, 2, 3, 5), description="Damage of 1, 2, … Onibi; the list's length is the largest set.")
    fuujin: BySize = Field((1, 2, 3, 5), description="Damage of 1, 2, … Fuujin; the list's length is the largest set.")
    raijin: Damage = Field(4, description="Damage of a Raijin set, in the Heavens.")
    hachiman: Damage = Field(4, description="Damage of a Hachiman set, on Earth.")
    shinigami: Damage = Field(2, description="Damage of a Shinigami set, to one opponent.")
    monkey_king: Damage = Field(1, description="Damage of a Monkey King for each other kind turned in.")


class SetSize(Table):
    """How many cards a set of a fixed size needs."""

    raijin: Size = Field(3, description="Cards of a Raijin set.")
    hachiman: Size = Field(3, description="Cards of a Hachiman set.")
    genbu: Size = Field(3, description="Cards of a Genbu set.")
    orochi: Size = Field(3, description="Cards of an Orochi set.")
    shinigami: Size = Field(2, description="Cards of a Shinigami set.")


class TokenPower(Table):
    """The power of the Warrior tokens."""

    dragon: Power = Field(4, description="Power of the five Dragons.")
    oni: Power = Field(3, description="Power of the five Oni.")
    samurai: Power = Field(2, description="Power of the ten Samurai.")
    dog: Power = Field(1, description="Power of the ten Dogs.")
    genbu: Power = Field(5, description="Power of Genbu.")
    orochi: Power = Field(5, description="Power of Orochi.")


class Options(GameOptions):
    """The rules of Sangoku."""

    PLAYERS: ClassVar[tuple[int, ...]] = (2, 3, 4, 5)

    bridges: int = Field(5, ge=0, le=rules.SPECIALS, description="Bridges in the Recruitment deck.")
    wilds: int = Field(4, ge=0, le=rules.SPECIALS, description="Wilds in the Recruitment deck.")
    ten_draws_legend: bool = Field(False, description="true: a 10 may be redeemed for a Legend card.")
    bridge_redeems: Literal["none", "orochi"] = Field("none", description="What a Bridge may be redeemed for.")
    wild_redeems: Literal["none", "genbu"] = Field("none", description="What a Wild may be redeemed for.")
    redeems: Annotated[
        dict[Rank, Warrior],
        BeforeValidator(
            _spelled_out, json_schema_input_type=dict[Rank, Warrior] | Literal["default", "even", "tokens"]
        ),
    ] = Field(
        REDEEMS["default"],
        description="What cards of a winning hand are redeemed for, by rank; a rank not named for nothing. "
        "Or the name of a known table.",
    )
    copies: LegendCopies = Field(LegendCopies(), description="The Legend deck.")
    damage: SetDamage = Field(SetDamage(), description="What sets cost the opponents.")
    size: SetSize = Field(SetSize(), description="How many cards sets need.")
    power: TokenPower = Field(TokenPower(), description="The power of the Warrior tokens.")
    defence: tuple[Points, Points, Points] = Field(
        (12, 12, 12), strict=False, description="Defence at the start in the Heavens, on Earth and in the Hells."
    )
    purple_line: int = Field(
        4, ge=0, le=50, description="Defence in the Heavens below which only the strong do damage."
    )
    purple_power: int = Field(4, ge=1, le=rules.LEVELS - 1, description="Power of a token that is strong.")
    start_legends: int = Field(3, ge=0, le=9, description="Legend cards of each player at the start.")
    max_rounds: int = Field(60, ge=1, le=100, description="After so many rounds the game is stopped.")
    bridge_suited: bool = Field(
        False, description="true: a Bridge has any suit. false: it has none and breaks a flush."
    )
    wheel: bool = Field(True, description="true: A-2-3-4-5 is a straight.")
    illegal_hand: Literal["out", "forbid"] = Field(
        "out", description='"out": a hand stronger than the one above is out. "forbid": it cannot be laid.'
    )
    back_from_the_brink: bool = Field(
        False, description="true: whoever has lost a Realm may wager a second Legend card (a variant of the rule book)."
    )
    hardcore: bool = Field(
        False, description="true: the damage of all opponents is added up (a variant of the rule book)."
    )
    haunted: bool | Literal["choice"] = Field(
        False,
        description="true: the place of an eliminated player costs all others 1 point in each Realm when its turn "
        'would come (a variant of the rule book). "choice": in one Realm of their own choice.',
    )
    no_wager: Annotated[tuple[Seat, ...], AfterValidator(each_once)] = Field(
        (), strict=False, description="Seats that never wager; the first player is seat 0."
    )

    def faults(self) -> Iterator[Fault]:
        """Yield opening hands that need more cards than there are."""
        total = sum(self.copies.model_dump().values())
        if cards.SEATS * self.start_legends > total:
            yield Fault(
                ("start_legends",),
                "start_legends needs more cards than the Legend deck has",
                got=f"{cards.SEATS} hands of {self.start_legends} are {cards.SEATS * self.start_legends} cards",
                expected=f"at most {total // cards.SEATS}: the deck (`copies`) has {total} cards",
                on=(("copies",),),
            )


def fill_rules(options: Options, players: int, own_orders: bool = False) -> Any:
    """Make the RULES record of a config for one player count.

    Parameters
    ----------
    own_orders : bool
        Whether each seat draws from the decks in an order of its own (``plan.draws = "per_seat"``).
    """
    record = np.zeros(1, rules.RULES).view(np.recarray)[0]
    record.players, record.own_orders = players, own_orders
    for name in ("bridges", "wilds", "bridge_suited", "wheel", "hardcore", "purple_power", "max_rounds"):
        record[name] = getattr(options, name)
    record.brink = options.back_from_the_brink
    record.illegal_hand = rules.FORBID if options.illegal_hand == "forbid" else rules.OUT
    record.haunted = rules.CHOICE if options.haunted == "choice" else int(options.haunted)
    record.defence[:] = options.defence
    record.purple_line[:], record.start_legends[:] = options.purple_line, options.start_legends
    record.redeems[:] = _redemptions(options)
    record.power[:] = [getattr(options.power, name) for name in WARRIORS]
    for kind, name in enumerate(LEGENDS):
        record.copies[kind] = getattr(options.copies, name)
        damage = getattr(options.damage, name, 0)
        by_size = damage if isinstance(damage, tuple) else ()
        record.smallest[kind] = 1 if by_size else getattr(options.size, name, 1)
        record.largest[kind] = len(by_size) or record.smallest[kind]
        record.damage[:, kind, 1:] = damage if not by_size else (*by_size, *(0,) * (rules.SET_SIZE - len(by_size)))
    for allowed in (record.may_wager, record.may_redeem, record.may_collect, record.may_use):
        allowed[:] = 1
    record.may_wager[list(options.no_wager)] = 0
    record.grant[:] = rules.NO_GRANT
    return record


def _redemptions(options: Options) -> list[int]:
    """List what each rank, a Bridge and a Wild may be redeemed for."""
    names = [options.redeems.get(rank, "none") for rank in RANK_NAMES]  # type: ignore[call-overload]
    names += [options.bridge_redeems, options.wild_redeems]
    table = [cards.NOTHING if name == "none" else WARRIORS.index(name) for name in names]
    if options.ten_draws_legend:
        table[cards.TEN] = cards.LEGEND_CARD
    return table


def seat_facts(players: int, options: Options) -> dict[str, tuple[str, ...]]:
    """Say what arithmetic alone tells about the seats."""
    return {
        "deals in round": tuple(str(seat + 1) for seat in range(players)),
        "redeems sets in round 1": tuple(f"{_ordinal(seat)} in line" for seat in range(players)),
        "wins a tie for a token in round 1": tuple(
            f"{_ordinal((seat - 1) % players)} in line" for seat in range(players)
        ),
    }


def _ordinal(number: int) -> str:
    return ("first", "second", "third", "fourth", "fifth")[number]


# --- interventions ----------------------------------------------------------------------------------------------------


def _grant(record: Any, item: int, seat: int) -> None:
    record.grant[seat] = item


def _grant_any(record: Any, item: int, seat: int) -> None:
    record.grant[seat] = rules.ANY_LEGEND


def _can_be_granted(law: Any, records: Any, item: int) -> Any:
    """Tell the games in which such a card is in the deck after the deal, and the seat has a card to give."""
    return (records.stock[:, None] >> (rules.LEGEND_ITEM + item) & 1 != 0) & (records.dealt != 0)


def _has_a_hand(law: Any, records: Any, item: int) -> Any:
    return (records.stock[:, None] != 0) & (records.dealt != 0)


def _ban(record: Any, item: int, seat: int) -> None:
    record.may_use[seat, item] = 0


def _has_held(law: Any, records: Any, item: int) -> Any:
    """Tell the games in which the seat has had such a Legend card in hand."""
    return (records.dealt | records.drawn | records.gained) >> (rules.LEGEND_ITEM + item) & 1 != 0


WITHOUT = ("wagering", "redeeming Recruitment cards", "redeeming sets")


def _without(record: Any, item: int, seat: int) -> None:
    (record.may_wager, record.may_redeem, record.may_collect)[item][seat] = 0


def _strengthen(record: Any, item: int, seat: int) -> None:
    record.power[seat, item] = min(record.power[seat, item] + 1, rules.LEVELS - 1)


def _give_defence(record: Any, seat: int, amount: int) -> None:
    """Share points of defence out, from the Hells up; nobody starts below 1."""
    for number in range(abs(amount)):
        realm = len(REALMS) - 1 - number % len(REALMS)
        record.defence[seat, realm] = max(1, record.defence[seat, realm] + (1 if amount > 0 else -1))


INTERVENTIONS = (
    Intervention(
        "grant",
        "in the opening hand",
        "What is this Legend card worth in the opening hand, instead of an average one?",
        LEGEND_TITLES,
        _grant,
        applies=_can_be_granted,
    ),
    Intervention(
        "placebo",
        "a random Legend card instead",
        "Does exchanging a Legend card for a random one come out as worth nothing, as it must?",
        ("any Legend",),
        _grant_any,
        applies=_has_a_hand,
        placebo=True,
    ),
    Intervention(
        "ban",
        "never turning it in",
        "What does it cost a player never to use this Legend card in a set?",
        LEGEND_TITLES,
        _ban,
        matters=_has_held,
    ),
    Intervention(
        "without",
        "never doing it",
        "What does it cost a player never to do this?",
        WITHOUT,
        _without,
    ),
    Intervention(
        "stronger",
        "1 power more",
        "What is 1 more power of these tokens worth to the player who has them?",
        tuple(name.capitalize() for name in WARRIORS),
        _strengthen,
    ),
)

# --- facts ------------------------------------------------------------------------------------------------------------

MASKS = {
    "dealt": "Legend kinds in the opening hand.",
    "drawn": "Legend kinds drawn later.",
    "gained": "Legend kinds got from losers' wagers.",
    "wagered": "Legend kinds wagered.",
    "used": "Legend kinds turned in for a set.",
    "won": "Ranks of Recruitment cards in winning hands.",
    "redeemed": "Ranks of Recruitment cards redeemed.",
    "held": "Kinds of tokens held.",
}

_ROUNDS = (*(f"round {number}" for number in range(1, rules.ROUNDS_SHOWN)), "later")

SPEC = GameSpec(
    name="sangoku",
    title="Sangoku",
    source="rule book of the publisher; readings in RULES.md",
    status="rule-book examples, an independent slow twin, conservation after every action",
    rules_version=1,
    options=Options,
    rules_module=rules,
    text=cards,
    state=rules.STATE,
    rules=rules.RULES,
    record=rules.RECORD,
    seats=cards.SEATS,
    fill_rules=fill_rules,
    masks=MASKS,
    items=Items(
        word="card",
        names=(
            *RANK_TITLES,
            "Bridge",
            "Wild",
            *LEGEND_TITLES,
            *(f"{name.capitalize()} token" for name in WARRIORS),
        ),
        groups={
            "kind": ("Recruitment",) * len(ROWS) + ("Legend",) * len(LEGENDS) + ("token",) * len(WARRIORS),
        },
        uses={
            "seen": Use(
                "a Legend card in hand, a Recruitment card in a winning hand, or a token held",
                "A Legend card in hand at some time, a Recruitment card in a winning hand, a token held.",
                ("dealt", "drawn", "gained", "won", "held"),
            ),
            "played": Use(
                "used",
                "A Legend card turned in, a Recruitment card in a winning hand, a token held.",
                ("used", "won", "held"),
            ),
            "dealt": Use("in the opening hand", MASKS["dealt"], ("dealt",)),
            "drawn": Use("drawn", MASKS["drawn"], ("drawn",)),
            "gained": Use("won from others", MASKS["gained"], ("gained",)),
            "wagered": Use("wagered", MASKS["wagered"], ("wagered",)),
            "turned_in": Use("turned in", MASKS["used"], ("used",)),
            "won": Use("in a winning hand", MASKS["won"], ("won",)),
            "redeemed": Use("redeemed", MASKS["redeemed"], ("redeemed",)),
            "held": Use("held", MASKS["held"], ("held",)),
        },
        available="seen",
        played="played",
        apart=True,
        always_played=("Recruitment", "token"),
    ),
    score_word="points of defence",
    score_bounds=(0, 156),  # three Realms of at most 50 points, and a bonus of at most 6
    max_decisions=4700,  # 100 rounds of at most 47: 7 for each of 5 seats, and 2 × 6 Realms chosen before ghosts
    why_it_ends="the game stops after max_rounds rounds, and a round has a fixed number of decisions for each player",
    end_reasons=("last", "together", "capped"),
    end_words=("one player is left", "the last ones fall together", "stopped by the round cap"),
    capped_reason=rules.CAPPED,
    tie_break=False,
    seat_facts=seat_facts,
    seat_text=(
        "The dealer is the first to wager, which tells the others something, the first to redeem a set, before anybody "
        "can strike back, and the last to redeem a card where a hand is tied. The marker passes after every round, so "
        "these even out, but for the last round: where somebody is eliminated there, the order may decide."
    ),
    decisions_bin=8,
    counters={
        "recruits": Counter(
            "Recruitment cards dealt, in winning hands and redeemed, by rank.",
            (ROWS, ("dealt", "in a winning hand", "redeemed")),
        ),
        "hands": Counter("Hands laid and won, by Realm and category.", (REALMS, CATEGORIES, ("laid", "won"))),
        "legends": Counter(
            "Legend cards drawn after the opening hands, wagered and turned in, by kind.",
            (LEGENDS, ("drawn", "wagered", "turned in")),
        ),
        "forces": Counter(
            "Rounds that tokens were held and damage they dealt before the purple line, by kind.",
            (WARRIORS, ("rounds held", "damage")),
        ),
        "eliminated": Counter("Players eliminated, by round.", (_ROUNDS,)),
    },
    interventions=INTERVENTIONS,
    bonus=Bonus("extra points of defence", _give_defence, -6, 6),
    payoffs=("power", "damage"),
)
