"""What a config may change in Emblems, and the facts of the game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field

from sim.errors import Fault, either, nearest
from sim.games.emblems import cards, rules
from sim.games.emblems.cards import LOCATIONS, VALUES
from sim.games.interface import Bonus, Counter, GameSpec, Intervention, Items, Use
from sim.games.model import GameOptions, Table, each_once

Reward = Annotated[int, Field(ge=-100, le=100)] | Literal["half", "per_card", "steal_each"]
Rewards = Annotated[tuple[Reward, ...], Field(strict=False, max_length=VALUES)]
Character = Annotated[str, Field(pattern=r"^[0-4]:([1-9]|1[0-5])$", examples=["0:11", "2:13"])]
SetName = Annotated[str, Field(pattern=r"^[^\n]{1,40}$", examples=["A", "my set"])]


class Location(Table):
    """A Location card: the rewards on its two sides, by rank, the highest card's first."""

    three_four: Rewards = Field(alias="3-4", description="Rewards with 3 and 4 players, by rank.")
    five: Rewards = Field(alias="5", description="Rewards with 5 players, by rank.")


class LocationSet(Table):
    """Three Locations that are played together."""

    castle: Location = Field(description="The Castle, scored first.")
    village: Location = Field(description="The Village, scored second.")
    port: Location = Field(description="The Port, scored last; the Sailor's reward counts double here.")


class Rulings(Table):
    """What the rule book leaves open, and its variant."""

    effects: Literal["mandatory", "optional"] = Field(
        "mandatory",
        description='"mandatory": an immediate effect that can be carried out must be. "optional": it may be declined.',
    )
    debt: bool = Field(
        False, description="false: nobody pays more coins than they have. true: thefts and losses are paid in full."
    )
    coins_visible: bool = Field(True, description="false: the rule book's variant with hidden coins.")


class Interventions(Table):
    """Changes that no rule book knows, made to find out what a character is worth."""

    blank: Annotated[tuple[Character, ...], AfterValidator(each_once)] = Field(
        (),
        strict=False,
        description='Characters without effect, each as "seat:value" with the first player as seat 0: '
        '"0:11" is the first player\'s Thief. They keep their value.',
    )


def _location(three_four: tuple[Reward, ...], five: tuple[Reward, ...]) -> Location:
    return Location.model_validate({"3-4": three_four, "5": five})


SETS = {
    "A": LocationSet(
        castle=_location((4, 3, 1), (5, 3, 2, 1)),
        village=_location((3, 2, 2), (3, 3, 2, 1)),
        port=_location((5, 1, -2), (6, 3, 1, -2)),
    ),
    "B": LocationSet(
        castle=_location(("half", 2, 1), ("half", 3, 2, 1)),
        village=_location(("per_card", 2, 1), ("per_card", 3, 2, 1)),
        port=_location((5, 3, -3), (6, 4, 2, -3)),
    ),
    "C": LocationSet(
        castle=_location((6, -2, 2), (7, -2, 3, 1)),
        village=_location(("steal_each", 2, 1), ("steal_each", 3, 2, 1)),
        port=_location((-3, 5, 3), (-3, 5, 3, 2)),
    ),
}


class Options(GameOptions):
    """The rules of Emblems."""

    PLAYERS: ClassVar[tuple[int, ...]] = (3, 4, 5)

    set: SetName = Field("A", description="The set of Locations in play: a name from the tables under [sets].")
    rounds: int = Field(3, ge=1, le=VALUES, description="Rounds of a game.")
    turns: dict[Literal["3", "4", "5"], Annotated[int, Field(ge=1, le=VALUES)]] = Field(
        {"3": 4, "4": 3, "5": 3}, description="Turns of a round, by number of players."
    )
    hand: int = Field(6, ge=1, le=VALUES, description="Cards in hand at the start of a round.")
    start_coins: int = Field(3, ge=0, le=1000, description="Coins of each player at the start.")
    rulings: Rulings = Field(Rulings(), description="What the rule book leaves open, and its variant.")
    interventions: Interventions = Field(
        Interventions(), description="Changes made to find out what a character is worth."
    )
    sets: dict[SetName, LocationSet] = Field(
        SETS, description="The Location cards by set. A new set of any name needs castle, village and port."
    )

    def faults(self) -> Iterator[Fault]:
        """Yield rounds that need more cards than there are, and a set that is not there."""
        for players, turns in self.turns.items():
            if turns > self.hand:
                yield Fault(
                    ("turns", players),
                    f"turns.{players} asks for more cards than a hand holds",
                    got=f"{turns} turns a round",
                    expected=f"at most {self.hand}, the cards in hand (`hand`)",
                    on=(("hand",),),
                )
            elif self.rounds * turns > VALUES:
                yield Fault(
                    ("turns", players),
                    f"turns.{players} asks for more cards than a player has",
                    got=f"{self.rounds} rounds of {turns} turns, {self.rounds * turns} cards",
                    expected=f"at most {VALUES} cards: {VALUES // self.rounds} turns with {self.rounds} rounds",
                    on=(("rounds",),),
                )
        if self.set not in self.sets:
            meant = nearest(self.set, self.sets)
            yield Fault(
                ("set",),
                "there is no such set of Locations",
                got=f'"{self.set}"',
                expected=either(f'"{name}"' for name in self.sets),
                fix=f'did you mean "{meant}"?'
                if meant
                else f"write the tables [sets.{self.set}.castle], village and port",
                on=(("sets", self.set),),
            )


def fill_rules(options: Options, players: int, own_orders: bool = False) -> Any:
    """Make the RULES record of a config for one player count.

    Parameters
    ----------
    own_orders : bool
        Makes no difference here: every seat draws from a pile of its own in any case.
    """
    record = np.zeros(1, rules.RULES).view(np.recarray)[0]
    record.players, record.start_coins = players, options.start_coins
    record.rounds, record.hand = options.rounds, options.hand
    record.turns = options.turns[str(players)]  # type: ignore[index]
    record.optional = options.rulings.effects == "optional"
    record.debt, record.coins_visible = options.rulings.debt, options.rulings.coins_visible
    record.set_name = options.set.encode()
    in_play = options.sets[options.set]
    for place, name in enumerate(LOCATIONS):
        location: Location = getattr(in_play, name)
        rewards = location.five if players == 5 else location.three_four
        record.ranks[place] = len(rewards)
        record.rewards[place, : len(rewards)] = [cards.reward_entry(reward) for reward in rewards]
    record.effect[:, 1:] = 1
    for blanked in options.interventions.blank:
        seat, _, value = blanked.partition(":")
        record.effect[int(seat), int(value)] = 0
    return record


def seat_facts(players: int, options: Options) -> dict[str, tuple[str, ...]]:
    """Say what arithmetic alone tells about the seats: who reveals first and last, and who wins a tie."""
    turns = options.rounds * options.turns[str(players)]  # type: ignore[index]
    first = [sum(turn % players == seat for turn in range(turns)) for seat in range(players)]
    last = [sum((turn - 1) % players == seat for turn in range(turns)) for seat in range(players)]
    pawn = turns % players
    return {
        "turns it reveals first": tuple(map(str, first)),
        "turns it reveals last": tuple(map(str, last)),
        "wins a tie": tuple(f"{_ordinal((seat - pawn) % players)} in line" for seat in range(players)),
    }


def _ordinal(number: int) -> str:
    return ("first", "second", "third", "fourth", "fifth")[number]


# --- interventions ----------------------------------------------------------------------------------------------------


def _swap(rules: Any, item: int, seat: int) -> None:
    rules.swap[seat] = 1 << item


def _swap_any(rules: Any, item: int, seat: int) -> None:
    rules.swap[seat] = (1 << VALUES) - 1


def _not_dealt(rules: Any, records: Any, item: int) -> Any:
    return records.dealt >> item & 1 == 0


def _sink(rules: Any, item: int, seat: int) -> None:
    rules.sunk[seat] = 1 << item


def _blank(rules: Any, item: int, seat: int) -> None:
    rules.effect[seat, item + 1] = 0


def _seen(rules: Any, records: Any, item: int) -> Any:
    return (records.dealt | records.drawn) >> item & 1 == 1


def _no_effects(rules: Any, item: int, seat: int) -> None:
    when = ("at once", "end of round")[item]
    rules.effect[seat, 1:][np.array(cards.WHEN) == when] = 0


def _start_coins(rules: Any, seat: int, amount: int) -> None:
    rules.start_coins[seat] += amount


MASKS = {
    "dealt": "Characters in the opening hand.",
    "drawn": "Characters drawn later.",
    "played": "Characters placed at a Location.",
    "castle": "Characters placed at the Castle.",
    "village": "Characters placed at the Village.",
    "port": "Characters placed at the Port.",
    "rewarded": "Characters that received a reward.",
    "discarded": "Characters that left the game by an effect: by Warrior or Hunter, or as a King beside a Thief.",
    "moved": "Characters moved by Guard or Bard.",
}

_RANKS = tuple(f"rank {rank}" for rank in range(1, VALUES + 1))
_SEATS = tuple(f"player {seat}" for seat in range(1, cards.SEATS + 1))

SPEC = GameSpec(
    name="emblems",
    title="Emblems",
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
        word="character",
        names=cards.CHARACTERS,
        groups={
            "effect": cards.WHEN,
            "value": tuple(str(value) for value in range(1, VALUES + 1)),
        },
        uses={
            "seen": Use("drawn", "In the opening hand or drawn later.", ("dealt", "drawn")),
            "played": Use("played", MASKS["played"], ("played",)),
            "castle": Use("at the Castle", MASKS["castle"], ("castle",)),
            "village": Use("at the Village", MASKS["village"], ("village",)),
            "port": Use("at the Port", MASKS["port"], ("port",)),
            "rewarded": Use("rewarded", MASKS["rewarded"], ("rewarded",)),
            "discarded": Use("discarded", MASKS["discarded"], ("discarded",)),
            "moved": Use("moved", MASKS["moved"], ("moved",)),
        },
        available="seen",
        played="played",
    ),
    score_word="coins",
    score_bounds=(-2000, 5000),  # see `coins` of STATE
    max_decisions=190,  # 5 players, at most 15 cards each of which 8 have an effect: 5 × 38
    why_it_ends="every turn takes a card off each hand, and 15 cards are all there are",
    end_reasons=("last_round",),
    seat_facts=seat_facts,
    seat_text=(
        "Whoever reveals first commits a card before the others have shown theirs; whoever reveals last can top it. "
        "The pawn passes after every turn, so where the number of turns is no multiple of the players, some reveal "
        "first or last more often. A tie goes to whoever holds the pawn after the last turn."
    ),
    counters={
        "slot_taken": Counter("Rewards dealt, by Location and rank.", (LOCATIONS, _RANKS)),
        "slot_coins": Counter("Coins that rewards brought their owners, by Location and rank.", (LOCATIONS, _RANKS)),
        "earned": Counter("Coins by seat and source; losses are negative.", (_SEATS, cards.SOURCES)),
    },
    draws_text="every player draws from a pile of their own",
    interventions=(
        Intervention(
            "grant",
            "in the opening hand",
            "What is it worth to start with this character instead of an average one?",
            cards.CHARACTERS,
            _swap,
            applies=_not_dealt,
        ),
        Intervention(
            "ban",
            "never drawn",
            "What does it cost a player if this character lies at the bottom of the pile?",
            cards.CHARACTERS,
            _sink,
            matters=_seen,
        ),
        Intervention(
            "blank",
            "without effect",
            "What does it cost a player if this character has its value but no effect?",
            cards.CHARACTERS,
            _blank,
            matters=_seen,
        ),
        Intervention(
            "without",
            "going without",
            "What does it cost a player to have no effects of this kind?",
            ("immediate effects", "effects at the end of a round"),
            _no_effects,
        ),
        Intervention(
            "placebo",
            "a random character instead",
            "Does exchanging a card of the opening hand for a random one come out as worth nothing, as it must?",
            ("a random character",),
            _swap_any,
            placebo=True,
        ),
    ),
    knobs=("sets", "start_coins", "hand", "turns", "rounds"),
    payoffs=("rewards", "ranks"),
    bonus=Bonus("extra coins at the start", _start_coins, -20, 20),
)
