"""What a config may change in the Sengoku general card game, and the facts of the game."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field, SerializerFunctionWrapHandler, model_serializer

from sim.errors import Fault, nearest
from sim.games.busho import rules
from sim.games.busho.cards import CARDS, GENERALS, ITEMS, SEATS, WORD, Text
from sim.games.interface import Counter, GameSpec, Intervention, Items, Use
from sim.games.model import GameOptions, Table

# Who the 80 generals are is our list (RULES.md, reading 1): family name, then the first names.
DEFAULT_GENERALS = """
    徳川 家康 秀忠 家光 家綱 綱吉 家宣 家継 吉宗
    織田 信長 信秀 信忠
    豊臣 秀吉 秀頼 秀長
    武田 信玄 勝頼
    上杉 謙信 景勝
    前田 利家 利長
    明智 光秀
    池田 恒興 輝政
    伊達 政宗 輝宗 忠宗
    毛利 元就 輝元 隆元
    北条 氏康 氏政 氏直 早雲
    今川 義元 氏真
    島津 義久 義弘 家久
    長宗我部 元親
    大友 宗麟
    龍造寺 隆信
    浅井 長政
    朝倉 義景
    斎藤 道三 義龍
    松永 久秀
    三好 長慶
    足利 義昭 義輝
    石田 三成
    真田 昌幸 信之 幸村
    柴田 勝家
    丹羽 長秀
    滝川 一益
    細川 藤孝 忠興
    黒田 孝高 長政
    加藤 清正
    福島 正則
    大谷 吉継
    小西 行長
    宇喜多 直家 秀家
    小早川 隆景 秀秋
    吉川 元春
    尼子 経久 晴久
    大内 義隆
    本多 忠勝
    井伊 直政
    榊原 康政
    直江 兼続
    最上 義光
    佐竹 義重
    藤堂 高虎
    立花 宗茂
"""
FIRST_NAMES = (
    "秀長義政家忠信宗勝輝元隆康光吉景直久継頼興氏三孝高正綱宣玄謙利恒"
    "就早雲真弘親麟道龍慶昭成昌幸之村一益藤清則行秋春経晴兼続重虎茂"
)
DEFAULT_COPIES = {"徳川": 3} | dict.fromkeys(
    (*("織田", "北条"), *"秀長義政家忠信"), 2
)  # of all others there is one card

Kanji = Annotated[str, Field(pattern=r"^[^\s/#]$", examples=["信"])]
Family = Annotated[str, Field(pattern=r"^[^\s/#]{1,10}$", examples=["武田"])]
Copies = Annotated[int, Field(ge=1, le=20)]
Speed = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]


def _not_read(given: tuple[str, ...]) -> tuple[str, ...]:
    return ()


class General(Table):
    """A general: a family name and two first names."""

    family: Family = Field(description="The family name.")
    given: Annotated[tuple[Kanji, ...], Field(strict=False, min_length=2, max_length=2)] = Field(
        description="The two kanji of the first name, in their order."
    )

    @property
    def name(self) -> str:
        """Full name."""
        return "".join((self.family, *self.given))


class FamilyCard(Table):
    """A family-name card."""

    family: Family = Field(description="The family name on it.")
    copies: Copies = Field(1, description="How many of these cards there are.")


class FirstNameCard(Table):
    """A first-name card."""

    kanji: Kanji = Field(description="The kanji on it.")
    copies: Copies = Field(1, description="How many of these cards there are.")
    crests: Annotated[tuple[Family, ...], Field(strict=False), AfterValidator(_not_read)] = Field(
        (), description="Families whose crest it shows. Worked out from the generals; what stands here is not read."
    )


def _default_generals() -> tuple[General, ...]:
    lines = [line.split() for line in DEFAULT_GENERALS.strip().splitlines()]
    return tuple(General(family=family, given=tuple(name)) for family, *names in lines for name in names)


class Options(GameOptions):
    """The rules of the Sengoku general card game."""

    PLAYERS: ClassVar[tuple[int, ...]] = (2, 3, 4)

    hand_size: int = Field(12, ge=3, le=rules.HAND_MAX, description="Cards dealt to each player, a multiple of 3.")
    crests: Literal["family", "general"] = Field(
        "family",
        description='Crests on a first-name card. "family": one for each family that has a general with this kanji. '
        '"general": one for each such general.',
    )
    grab_priority: (
        Literal["next_in_turn", "random"]
        | Annotated[tuple[Speed, ...], Field(strict=False, min_length=SEATS, max_length=SEATS)]
    ) = Field(
        "next_in_turn",
        description='Who may grab first. "next_in_turn": the nearest after the discarder. "random": a fair race. '
        "Or a list of four numbers: how quick each seat is in the race, the first player first.",
    )
    sets_per_turn: int = Field(1, ge=1, le=10, description="Names that may be shown in an own turn.")
    variant: Literal["shown", "hidden"] = Field(
        "shown", description='"shown": complete names are shown. "hidden": the rule book\'s "another rule".'
    )
    generals: Annotated[tuple[General, ...], Field(strict=False, min_length=1, max_length=GENERALS)] = Field(
        _default_generals(), description="The generals."
    )
    family_cards: Annotated[tuple[FamilyCard, ...], Field(strict=False, min_length=1)] = Field(
        tuple(
            FamilyCard(family=family, copies=DEFAULT_COPIES.get(family, 1))
            for family in dict.fromkeys(general.family for general in _default_generals())
        ),
        description="The family-name cards.",
    )
    first_name_cards: Annotated[tuple[FirstNameCard, ...], Field(strict=False, min_length=1)] = Field(
        tuple(FirstNameCard(kanji=kanji, copies=DEFAULT_COPIES.get(kanji, 1)) for kanji in FIRST_NAMES),
        description="The first-name cards.",
    )

    @model_serializer(mode="wrap")
    def _with_crests(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write the crests of the first-name cards out, as they follow from the generals (R1.4)."""
        written: dict[str, Any] = plain(self)
        for card in written["first_name_cards"]:
            families = [general.family for general in self.generals if card["kanji"] in general.given]
            card["crests"] = list(dict.fromkeys(families))
        return written

    def faults(self) -> Iterator[Fault]:
        """Yield names that no cards spell, cards and generals that are there twice, and too many or too few cards."""
        families = {card.family: card.copies for card in self.family_cards}
        first_names = {card.kanji: card.copies for card in self.first_name_cards}
        yield from self._repeated("family_cards", "family", [card.family for card in self.family_cards])
        yield from self._repeated("first_name_cards", "kanji", [card.kanji for card in self.first_name_cards])
        seen: dict[Any, int] = {}
        for place, general in enumerate(self.generals):
            yield from self._missing(place, general, families, first_names)
            for what in (general.name, (general.family, tuple(sorted(general.given)))):
                if (first := seen.setdefault(what, place)) != place:
                    yield Fault(
                        ("generals", place),
                        f"{general.name} has the same name or the same three cards as {self.generals[first].name}",
                        got=f"generals[{first}] and generals[{place}]",
                        expected="generals that can be told apart",
                        fix="leave one of them out",
                    )
                    break
        kinds, total = len(families) + len(first_names), sum(families.values()) + sum(first_names.values())
        tables = (("family_cards",), ("first_name_cards",))
        if total > CARDS:
            yield Fault(
                ("family_cards",), "there are too many cards", got=f"{total}", expected=f"at most {CARDS}", on=tables
            )
        elif len(self.generals) + kinds > ITEMS:
            yield Fault(
                ("generals",),
                "there are too many generals and different cards",
                got=f"{len(self.generals)} generals and {kinds} different cards",
                expected=f"at most {ITEMS} together",
                on=tables,
            )
        if self.hand_size % 3:
            below = self.hand_size // 3 * 3
            yield Fault(
                ("hand_size",),
                "hand_size is no multiple of 3",
                got=str(self.hand_size),
                expected=f"{below} or {min(below + 3, rules.HAND_MAX)}: a name takes three cards out of a hand",
            )
        most = max(self.PLAYERS)
        if total <= most * self.hand_size:
            fitting = (total - 1) // most // 3 * 3
            yield Fault(
                ("hand_size",),
                "the hands take all the cards: there must be a deck to draw from",
                got=f"{most} hands of {self.hand_size} are {most * self.hand_size} cards; there are "
                f"{sum(families.values())} family names and {sum(first_names.values())} first names, {total} cards",
                expected=f"hands of at most {fitting}" if fitting >= 3 else f"at least {most * 3 + 1} cards",
                fix="deal smaller hands or add cards",
                on=tables,
            )

    @staticmethod
    def _repeated(table: str, key: str, names: list[str]) -> Iterator[Fault]:
        for place, name in enumerate(names):
            if name in names[:place]:
                yield Fault(
                    (table, place, key),
                    f"{table} names {name} twice",
                    got=f"entries {names.index(name)} and {place}",
                    expected="one entry for each card, with its copies",
                    fix="add the copies up in one entry",
                )

    @staticmethod
    def _missing(
        place: int, general: General, families: Mapping[str, int], first_names: Mapping[str, int]
    ) -> Iterator[Fault]:
        if general.family not in families:
            meant = nearest(general.family, families)
            yield Fault(
                ("generals", place, "family"),
                f"there is no family-name card {general.family} for {general.name}",
                got=f'no entry "{general.family}" in family_cards',
                expected="a card for each part of a name",
                fix=f'add {{family = "{general.family}", copies = 1}} to family_cards'
                + (f", or did you mean {meant}?" if meant else ""),
                on=(("family_cards",),),
            )
        for index, kanji in enumerate(general.given):
            needed = general.given[: index + 1].count(kanji)
            if first_names.get(kanji, 0) < needed:
                there = first_names.get(kanji, 0)
                yield Fault(
                    ("generals", place, "given", index),
                    f"there {'is only one' if there else 'is no'} first-name card {kanji} for {general.name}",
                    got=f'{"copies = 1" if there else "no entry"} for "{kanji}" in first_name_cards',
                    expected="a card for each part of a name",
                    fix=f'write copies = {needed} for "{kanji}" in first_name_cards'
                    if there
                    else f'add {{kanji = "{kanji}", copies = 1}} to first_name_cards',
                    on=(("first_name_cards",),),
                )


@lru_cache(8)
def text_of(options: Options) -> Text:
    """Give the words of a game under a config."""
    return Text(
        {card.family: card.copies for card in options.family_cards},
        {card.kanji: card.copies for card in options.first_name_cards},
        [(general.family, general.given[0], general.given[1]) for general in options.generals],
    )


def crests_of(options: Options) -> tuple[int, ...]:
    """Crests on each kind of card (R1.4): one on a family name, on a first name as many as the config says."""
    text = text_of(options)
    distinct = options.crests == "family"
    return tuple(
        1 if kind < text.families else len(set(crests)) if distinct else len(crests)
        for kind, crests in enumerate(text.crests)
    )


def fill_rules(options: Options, players: int, own_orders: bool = False) -> Any:
    """Make the RULES record of a config for one player count.

    Parameters
    ----------
    own_orders : bool
        Whether each seat meets the deck in an order of its own (``plan.draws = "per_seat"``).
    """
    text = text_of(options)
    record = np.zeros(1, rules.RULES).view(np.recarray)[0]
    record.players, record.own_orders = players, own_orders
    record.hand_size, record.sets_per_turn = options.hand_size, options.sets_per_turn
    record.hidden = options.variant == "hidden"
    record.race = options.grab_priority != "next_in_turn"
    record.speed = options.grab_priority if isinstance(options.grab_priority, tuple) else 1.0
    record.cards, record.kinds = len(text.cards), len(text.kinds)
    record.families, record.generals = text.families, len(text.generals)
    record.kind[: len(text.cards)] = text.kind_of
    record.copies[: len(text.kinds)] = text.copies
    record.first_card[: len(text.kinds)] = np.cumsum(text.copies) - text.copies
    record.crests[text.families : len(text.kinds)] = crests_of(options)[text.families :]
    record.item_of[: len(text.kinds)] = len(text.generals) + np.arange(len(text.kinds))
    record.spelled[: len(text.generals)] = text.spelled
    for general, spelled in enumerate(text.spelled):
        for kind, times in Tally(spelled).items():
            for index in range(times):
                record.needs[kind, index, general // WORD] |= 1 << general % WORD
    record.may_show = record.may_grab = 1
    record.grant = rules.NO_GRANT
    return record


def seat_facts(players: int, options: Options) -> dict[str, tuple[str, ...]]:
    """Say what arithmetic alone tells about the seats: how many turns each has, and who has the last one."""
    deck = len(text_of(options).cards) - players * options.hand_size
    turns = [deck // players + (seat < deck % players) for seat in range(players)]
    last = (deck - 1) % players
    return {
        "turns until the deck is gone": tuple(map(str, turns)),
        "turns that follow its last one": tuple(str((last - seat) % players) for seat in range(players)),
    }


# --- what if … (R6) ---------------------------------------------------------------------------------------------------


def _grant(record: Any, item: int, seat: int) -> None:
    record.grant[seat] = item


def _grant_any(record: Any, item: int, seat: int) -> None:
    record.grant[seat] = rules.ANY_CARD


def _bar(record: Any, item: int, seat: int) -> None:
    record.barred[seat, item // WORD] |= np.int64(1) << item % WORD


ABILITIES = ("showing in the own turn", "grabbing")


def _without(record: Any, item: int, seat: int) -> None:
    record[("may_show", "may_grab")[item]][seat] = 0


def _interventions(text: Text) -> tuple[Intervention, ...]:
    def in_deck(records: Any, seats: Any, kind: int) -> Any:
        word, bit = divmod(len(text.generals) + kind, WORD)
        return records["in_deck"][:, word] >> bit & 1 != 0

    def could_complete(records: Any, seats: Any, general: int) -> Any:
        word, bit = divmod(general, WORD)
        return records["held"][np.arange(len(seats)), seats, word] >> bit & 1 != 0

    return (
        Intervention(
            name="grant",
            title="having it in the opening hand",
            question="What is it worth to start with this card instead of a random one of the opening hand?",
            items=text.kinds,
            change=_grant,
            applies=in_deck,
        ),
        Intervention(
            name="placebo",
            title="a random card from the deck in the opening hand",
            question="Nothing: a random card takes the place of another. Its range must contain 0.",
            items=("a random card",),
            change=_grant_any,
            placebo=True,
        ),
        Intervention(
            name="ban",
            title="never completing it",
            question="What does it cost a player never to complete this general?",
            items=text.generals,
            change=_bar,
            matters=could_complete,
        ),
        Intervention(
            name="without",
            title="playing without it",
            question="What does it cost a player to have to do without?",
            items=ABILITIES,
            change=_without,
        ),
    )


# --- the facts --------------------------------------------------------------------------------------------------------

MASKS = {
    "dealt": "Cards in the opening hand.",
    "held": "Cards dealt or drawn; generals that could be completed.",
    "shown": "Generals shown in an own turn, and the cards that spelled them.",
    "grabbed": "Generals completed by a grab, and the cards that spelled them.",
    "laid": "Generals laid down at the end (hidden variant), and the cards that spelled them.",
    "discarded": "Cards discarded.",
    "fed": "Cards discarded and grabbed by another player, and the generals that they completed.",
    "kept": "Cards left in hand at the end.",
}

USES = {
    "held": Use("at hand", "A card: dealt or drawn. A general: could be completed.", ("held",)),
    "completed": Use(
        "completed", "Shown, grabbed or laid down; a card: as part of a name.", ("shown", "grabbed", "laid")
    ),
    "dealt": Use("dealt", MASKS["dealt"], ("dealt",)),
    "shown": Use("shown", MASKS["shown"], ("shown",)),
    "grabbed": Use("grabbed", MASKS["grabbed"], ("grabbed",)),
    "laid": Use("laid down", MASKS["laid"], ("laid",)),
    "discarded": Use("discarded", MASKS["discarded"], ("discarded",)),
    "fed": Use("fed to a grab", MASKS["fed"], ("fed",)),
    "kept": Use("left at the end", MASKS["kept"], ("kept",)),
}


def _crest_words(numbers: Iterable[int]) -> tuple[str, ...]:
    return tuple("1 crest" if number == 1 else f"{number} crests" for number in numbers)


def named(options: Options) -> dict[str, Any]:
    """Give the words, the items and the interventions of the game under a config."""
    text = text_of(options)
    crests = crests_of(options)
    first_names = len(text.kinds) - text.families
    of_generals = [sum(crests[kind] for kind in spelled[1:]) for spelled in text.spelled]
    items = Items(
        word="item",
        names=(*text.generals, *text.kinds),
        groups={
            "what it is": (
                *["general"] * len(text.generals),
                *["family name"] * text.families,
                *["first name"] * first_names,
            ),
            "crests": _crest_words((*of_generals, *crests)),
        },
        uses=USES,
        available="held",
        played="completed",
    )
    return {"text": text, "items": items, "interventions": _interventions(text)}


_SEATS = tuple(f"player {seat}" for seat in range(1, SEATS + 1))
_DISTANCES = ("next after the discarder", "second after", "third after")

SPEC = GameSpec(
    name="busho",
    title="Sengoku Generals",
    source="rule book of the publisher; readings in RULES.md; the list of generals is ours",
    status="an independent slow twin, conservation after every action",
    rules_version=1,
    options=Options,
    rules_module=rules,
    state=rules.STATE,
    rules=rules.RULES,
    record=rules.RECORD,
    seats=SEATS,
    fill_rules=fill_rules,
    masks=MASKS,
    score_word="cards",
    score_bounds=(0, CARDS),
    max_decisions=1600,  # 252 draws; 84 names; 336 discards, and at each of them 3 seats asked at most
    why_it_ends="every turn takes a card off the deck, and nothing goes back",
    end_reasons=("deck", "empty_hand"),
    seat_facts=seat_facts,
    seat_text=(
        "Everybody draws equally often, unless a hand is empty before: then earlier seats may have drawn once more. "
        "Among several who can grab a discard the next in turn comes first, so whoever sits after a careless player "
        "grabs more."
    ),
    counters={
        "names": Counter("Names completed, by seat and how.", (_SEATS, ("shown", "grabbed", "laid down"))),
        "throws": Counter("Discards by seat, and how many of them were grabbed.", (_SEATS, ("discarded", "fed"))),
        "chances": Counter("Times a seat could grab and was asked, by its distance from the discarder.", (_DISTANCES,)),
        "grabs": Counter("Grabs by the distance from the discarder.", (_DISTANCES,)),
        "chains": Counter(
            "Turns by the number of grabs in them.",
            ((*map(str, range(rules.CHAINS - 1)), f"{rules.CHAINS - 1} or more"),),
        ),
        "regrabs": Counter("Grabs by the player in turn, from discards in return.", (("all",),)),
        "ties": Counter(
            "Games by what it took to find the winner.",
            (("cards", "crests, as many first names each", "crests of the fewest first names", "shared win"),),
        ),
    },
    fewest_wins=True,
    named=named,
    **named(Options()),
)
