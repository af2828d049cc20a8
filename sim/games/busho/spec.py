"""What a config may change in the Sengoku general card game, and the facts of the game."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, SerializerFunctionWrapHandler, model_serializer

from sim.errors import Fault, nearest
from sim.games.busho import rules
from sim.games.busho.cards import CARDS, GENERALS, ITEMS, SEATS, WORD, Text
from sim.games.interface import Counter, GameSpec, Intervention, Items, Use
from sim.games.model import GameOptions, Table

# Who the 80 generals are is our list (RULES.md, reading 1): family name, then the first names, each with its reading.
DEFAULT_GENERALS = """
    徳川/Tokugawa 家康/Ieyasu 秀忠/Hidetada 家光/Iemitsu 家綱/Ietsuna 綱吉/Tsunayoshi \
        家宣/Ienobu 家継/Ietsugu 吉宗/Yoshimune
    織田/Oda 信長/Nobunaga 信秀/Nobuhide 信忠/Nobutada
    豊臣/Toyotomi 秀吉/Hideyoshi 秀頼/Hideyori 秀長/Hidenaga
    武田/Takeda 信玄/Shingen 勝頼/Katsuyori
    上杉/Uesugi 謙信/Kenshin 景勝/Kagekatsu
    前田/Maeda 利家/Toshiie 利長/Toshinaga
    明智/Akechi 光秀/Mitsuhide
    池田/Ikeda 恒興/Tsuneoki 輝政/Terumasa
    伊達/Date 政宗/Masamune 輝宗/Terumune 忠宗/Tadamune
    毛利/Mōri 元就/Motonari 輝元/Terumoto 隆元/Takamoto
    北条/Hōjō 氏康/Ujiyasu 氏政/Ujimasa 氏直/Ujinao 早雲/Sōun
    今川/Imagawa 義元/Yoshimoto 氏真/Ujizane
    島津/Shimazu 義久/Yoshihisa 義弘/Yoshihiro 家久/Iehisa
    長宗我部/Chōsokabe 元親/Motochika
    大友/Ōtomo 宗麟/Sōrin
    龍造寺/Ryūzōji 隆信/Takanobu
    浅井/Azai 長政/Nagamasa
    朝倉/Asakura 義景/Yoshikage
    斎藤/Saitō 道三/Dōsan 義龍/Yoshitatsu
    松永/Matsunaga 久秀/Hisahide
    三好/Miyoshi 長慶/Nagayoshi
    足利/Ashikaga 義昭/Yoshiaki 義輝/Yoshiteru
    石田/Ishida 三成/Mitsunari
    真田/Sanada 昌幸/Masayuki 信之/Nobuyuki 幸村/Yukimura
    柴田/Shibata 勝家/Katsuie
    丹羽/Niwa 長秀/Nagahide
    滝川/Takigawa 一益/Kazumasu
    細川/Hosokawa 藤孝/Fujitaka 忠興/Tadaoki
    黒田/Kuroda 孝高/Yoshitaka 長政/Nagamasa
    加藤/Katō 清正/Kiyomasa
    福島/Fukushima 正則/Masanori
    大谷/Ōtani 吉継/Yoshitsugu
    小西/Konishi 行長/Yukinaga
    宇喜多/Ukita 直家/Naoie 秀家/Hideie
    小早川/Kobayakawa 隆景/Takakage 秀秋/Hideaki
    吉川/Kikkawa 元春/Motoharu
    尼子/Amago 経久/Tsunehisa 晴久/Haruhisa
    大内/Ōuchi 義隆/Yoshitaka
    本多/Honda 忠勝/Tadakatsu
    井伊/Ii 直政/Naomasa
    榊原/Sakakibara 康政/Yasumasa
    直江/Naoe 兼続/Kanetsugu
    最上/Mogami 義光/Yoshiaki
    佐竹/Satake 義重/Yoshishige
    藤堂/Tōdō 高虎/Takatora
    立花/Tachibana 宗茂/Muneshige
"""
FIRST_NAMES = """
    秀/hide 長/naga 義/yoshi 政/masa 家/ie 忠/tada 信/nobu 宗/mune 勝/katsu 輝/teru 元/moto 隆/taka
    康/yasu 光/mitsu 吉/yoshi 景/kage 直/nao 久/hisa 継/tsugu 頼/yori 興/oki 氏/uji 三/mitsu 孝/taka
    高/taka 正/masa 綱/tsuna 宣/nobu 玄/gen 謙/ken 利/toshi 恒/tsune 就/nari 早/sō 雲/un 真/zane 弘/hiro
    親/chika 麟/rin 道/dō 龍/tatsu 慶/yoshi 昭/aki 成/nari 昌/masa 幸/yuki 之/yuki 村/mura 一/kazu
    益/masu 藤/fuji 清/kiyo 則/nori 行/yuki 秋/aki 春/haru 経/tsune 晴/haru 兼/kane 続/tsugu 重/shige
    虎/tora 茂/shige
"""
DEFAULT_COPIES = {"徳川": 3} | dict.fromkeys(
    (*("織田", "北条"), *"秀長義政家忠信"), 2
)  # of all others there is one card

Kanji = Annotated[str, Field(pattern=r"^[^\s/#]$", examples=["信"])]
Family = Annotated[str, Field(pattern=r"^[^\s/#]{1,10}$", examples=["武田"])]
Copies = Annotated[int, Field(ge=1, le=20)]
Roman = Annotated[str, Field(max_length=30)]
Speed = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]


def _not_read(given: tuple[str, ...]) -> tuple[str, ...]:
    return ()


class Named(Table):
    """A name that can be read."""

    roman: Roman = Field(
        "",
        description="How it is read, in Latin letters: for the report alone.",
        examples=["Takeda", "Shingen", "nobu"],
    )

    @model_serializer(mode="wrap")
    def _without_empty(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = plain(self)
        if not self.roman:
            del written["roman"]
        return written


class General(Named):
    """A general: a family name and two first names."""

    family: Family = Field(description="The family name.")
    given: Annotated[tuple[Kanji, ...], Field(strict=False, min_length=2, max_length=2)] = Field(
        description="The two kanji of the first name, in their order."
    )

    @property
    def name(self) -> str:
        """Full name."""
        return "".join((self.family, *self.given))


class FamilyCard(Named):
    """A family-name card."""

    family: Family = Field(description="The family name on it.")
    copies: Copies = Field(1, description="How many of these cards there are.")


class FirstNameCard(Named):
    """A first-name card."""

    kanji: Kanji = Field(description="The kanji on it.")
    copies: Copies = Field(1, description="How many of these cards there are.")
    crests: Annotated[tuple[Family, ...], Field(strict=False), AfterValidator(_not_read)] = Field(
        (), description="Families whose crest it shows. Worked out from the generals; what stands here is not read."
    )


def _read(text: str) -> list[tuple[str, str]]:
    """Split a line of names, each followed by how it is read."""
    return [(name, roman) for name, _, roman in (each.partition("/") for each in text.split())]


def _default_generals() -> tuple[General, ...]:
    lines = map(_read, DEFAULT_GENERALS.strip().splitlines())
    return tuple(
        General(family=family, given=tuple(name), roman=roman) for (family, _), *names in lines for name, roman in names
    )


def _default_families() -> tuple[FamilyCard, ...]:
    families = [_read(line)[0] for line in DEFAULT_GENERALS.strip().splitlines()]
    return tuple(FamilyCard(family=name, copies=DEFAULT_COPIES.get(name, 1), roman=roman) for name, roman in families)


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
        _default_families(), description="The family-name cards."
    )
    first_name_cards: Annotated[tuple[FirstNameCard, ...], Field(strict=False, min_length=1)] = Field(
        tuple(
            FirstNameCard(kanji=kanji, copies=DEFAULT_COPIES.get(kanji, 1), roman=roman)
            for kanji, roman in _read(FIRST_NAMES)
        ),
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

    def as_played(self) -> Self:
        """Leave out how the names are read, which no rule asks about."""
        tables = ("generals", "family_cards", "first_name_cards")
        return self.model_copy(
            update={name: tuple(row.model_copy(update={"roman": ""}) for row in getattr(self, name)) for name in tables}
        )

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


def _interventions(text: Text, names: Sequence[str]) -> tuple[Intervention, ...]:
    def in_deck(law: Any, records: Any, kind: int) -> Any:
        word, bit = divmod(len(text.generals) + kind, WORD)
        left = records.in_deck[:, word] >> bit & 1 != 0
        return np.broadcast_to(left[:, None], (len(records), SEATS))

    def could_complete(law: Any, records: Any, general: int) -> Any:
        word, bit = divmod(general, WORD)
        return records.held[:, :, word] >> bit & 1 != 0

    return (
        Intervention(
            name="grant",
            title="having it in the opening hand",
            question="What is it worth to start with this card instead of a random one of the opening hand?",
            items=tuple(names[len(text.generals) :]),
            change=_grant,
            applies=in_deck,
        ),
        Intervention(
            name="placebo",
            title="a random card instead",
            question="Does exchanging a card of the hand for a random one come out as worth nothing, as it must?",
            items=("a random card",),
            change=_grant_any,
            placebo=True,
        ),
        Intervention(
            name="ban",
            title="never completing it",
            question="What does it cost a player never to complete this general?",
            items=tuple(names[: len(text.generals)]),
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


def _item_names(options: Options, text: Text) -> tuple[str, ...]:
    """Name the items with their reading, for readers and machines without Japanese; each by a name of its own."""
    families = {card.family: card.roman for card in options.family_cards}
    alike = Tally(general.roman for general in options.generals)
    roman = [
        f"{families[general.family]} {general.roman}" if general.roman and alike[general.roman] > 1 else general.roman
        for general in options.generals
    ]
    roman += [*families.values(), *(card.roman for card in options.first_name_cards)]
    kanji = [*text.generals, *(kind.partition("/")[2] for kind in text.kinds)]
    read = [f"{name} {reading}".strip() for name, reading in zip(kanji, roman, strict=True)]
    several = Tally(read)
    return tuple(
        name if several[name] == 1 else plain for name, plain in zip(read, (*text.generals, *text.kinds), strict=True)
    )


def named(options: Options) -> dict[str, Any]:
    """Give the words, the items and the interventions of the game under a config."""
    text = text_of(options)
    crests = crests_of(options)
    names = _item_names(options, text)
    families = names[len(text.generals) : len(text.generals) + text.families]
    first_names = len(text.kinds) - text.families
    of_generals = [sum(crests[kind] for kind in spelled[1:]) for spelled in text.spelled]
    items = Items(
        word="name",
        names=names,
        groups={
            "kind": (
                *["general"] * len(text.generals),
                *["family name"] * text.families,
                *["first name"] * first_names,
            ),
            "crests": _crest_words((*of_generals, *crests)),
            "family": (*(families[spelled[0]] for spelled in text.spelled), *families, *["–"] * first_names),
        },
        uses=USES,
        available="held",
        played="completed",
        apart=True,
    )
    return {"text": text, "items": items, "interventions": _interventions(text, names)}


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
    end_words=("the deck is used up", "a hand is empty"),
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
