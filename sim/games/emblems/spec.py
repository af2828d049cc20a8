"""What a config may change in Emblems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from sim.errors import Fault, either, nearest
from sim.games.model import GameOptions, Table

CARDS = 15  # characters of each player
Reward = Annotated[int, Field(ge=-100, le=100)] | Literal["half", "per_card", "steal_each"]
Rewards = Annotated[tuple[Reward, ...], Field(strict=False, max_length=CARDS)]
Character = Annotated[str, Field(pattern=r"^[0-4]:([1-9]|1[0-5])$", examples=["0:11", "2:13"])]
SetName = Annotated[str, Field(pattern=r"^[^\n]{1,40}$", examples=["A", "my set"])]


def _each_once(characters: tuple[str, ...]) -> tuple[str, ...]:
    twice = sorted({each for each in characters if characters.count(each) > 1})
    if twice:
        raise ValueError(f'names "{twice[0]}" more than once')
    return characters


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

    blank: Annotated[tuple[Character, ...], AfterValidator(_each_once)] = Field(
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
    rounds: int = Field(3, ge=1, le=CARDS, description="Rounds of a game.")
    turns: dict[Literal["3", "4", "5"], Annotated[int, Field(ge=1, le=CARDS)]] = Field(
        {"3": 4, "4": 3, "5": 3}, description="Turns of a round, by number of players."
    )
    hand: int = Field(6, ge=1, le=CARDS, description="Cards in hand at the start of a round.")
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
            elif self.rounds * turns > CARDS:
                yield Fault(
                    ("turns", players),
                    f"turns.{players} asks for more cards than a player has",
                    got=f"{self.rounds} rounds of {turns} turns, {self.rounds * turns} cards",
                    expected=f"at most {CARDS} cards in a game: {CARDS // self.rounds} turns with {self.rounds} rounds",
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
