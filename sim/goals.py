"""Balance goals: what a designer measures a game by, and between which limits that shall lie."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import Field, model_validator

from sim.errors import Fault, UsageError, either
from sim.games.model import Table
from sim.source import show

Measure = Literal[
    "first_player",
    "every_seat",
    "best_strategy",
    "random_share",
    "leader_wins",
    "close_finish",
    "shared_wins",
    "tie_break",
    "lead_changes",
    "rounds",
    "decisions",
    "capped",
    "item_seen",
    "item_played",
]


class Facts(NamedTuple):
    """What a measure is.

    Attributes
    ----------
    title : str
        How the report names it.
    meaning : str
        What it is exactly.
    unit : str
        "share" (of games or of wins), "points" (a difference of shares, in percentage points) or "count".
    middle : str or None
        What ``within`` is measured from: "par", "zero", or nothing, and then the measure has no ``within``.
    """

    title: str
    meaning: str
    unit: Literal["share", "points", "count"]
    middle: Literal["par", "zero"] | None = None


MEASURES: dict[Measure, Facts] = {
    "first_player": Facts("First player", "win share of the first player", "share", "par"),
    "every_seat": Facts("Every seat", "win share of the seat that is farthest from par", "share", "par"),
    "best_strategy": Facts("Best strategy", "win share of the strongest strategy", "share", "par"),
    "random_share": Facts("Random play", "win share of the strategy `random`", "share", "par"),
    "leader_wins": Facts("Leader {at} wins", "games won by who led after the part `at` of the rounds", "share", "par"),
    "close_finish": Facts("Ends within {points}", "games whose winner is at most `points` ahead", "share"),
    "shared_wins": Facts("Shared wins", "games with more than one winner", "share"),
    "tie_break": Facts("Decided by the tie-break", "games whose top score is shared but not the win", "share"),
    "lead_changes": Facts("Lead changes", "times that the lead changes in a game, on average", "count"),
    "rounds": Facts("Rounds", "rounds of a game, on average", "count"),
    "decisions": Facts("Decisions", "decisions of all players in a game, on average", "count"),
    "capped": Facts("Stopped by the cap", "games that were stopped because they did not end", "share"),
    "item_seen": Facts(
        "Strongest item, seen with winning", "largest distance from the average item at hand", "points", "zero"
    ),
    "item_played": Facts("Least-played item", "how often the item least played is played when it can be", "share"),
}

BANDS = ("within", "between", "at_most", "at_least")
LEAD_AT = {"25%": "after a quarter", "50%": "at half-time", "75%": "after three quarters"}
EXAMPLES = {"%": '"24%"', "pp": '"2pp"', "% of par": '"4% of par"', "": "12"}  # an amount in each unit

Amount = (
    Annotated[float, Field(ge=0, allow_inf_nan=False)]
    | Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)?(%|pp|% of par)$", examples=["24%", "2pp", "4% of par"])]
)


class Band(NamedTuple):
    """Limits of a goal, both inside it; None where that side is open."""

    low: float | None
    high: float | None


class Goal(Table):
    """A measure and the limits between which it shall lie: exactly one of within, between, at_most and at_least."""

    measure: Measure = Field(
        description="What is measured. "
        + "; ".join(f"{name}: {facts.meaning}" for name, facts in MEASURES.items())
        + "."
    )
    title: str = Field("", max_length=100, pattern=r"^[^\n]*$", description="How the report names the goal.")
    players: Annotated[tuple[int, ...], Field(strict=False, min_length=1)] | None = Field(
        None, description="The numbers of players it is for; without this key, all that are played."
    )
    at: Literal["25%", "50%", "75%"] | None = Field(
        None, description="For leader_wins: the part of the rounds after which the leader is asked for. Usually 50%."
    )
    points: int | None = Field(
        None, ge=0, le=62, description="For close_finish: how many points ahead the winner may be."
    )
    within: Amount | None = Field(
        None, description='Largest distance from par, as "1pp" (percentage points) or "4% of par".'
    )
    between: Annotated[tuple[Amount, Amount], Field(strict=False)] | None = Field(
        None, description='Lowest and highest value, as ["23%", "27%"], ["96% of par", "104% of par"] or [8, 12].'
    )
    at_most: Amount | None = Field(None, description='Highest value, as "45%", "200% of par" or 12.')
    at_least: Amount | None = Field(None, description='Lowest value, as "50%", "50% of par" or 8.')
    same_within: Amount | None = Field(
        None,
        description='Margin within which a change against the baseline counts as "same". '
        'Usually "0.5pp", for counts "2%" of the baseline\'s value.',
    )

    @model_validator(mode="before")
    @classmethod
    def _filled_in(cls, data: Any) -> Any:
        """Fill in what depends on the measure."""
        if not isinstance(data, dict) or data.get("measure") not in get_args(Measure):
            return data
        usual = {"same_within": "2%" if MEASURES[data["measure"]].unit == "count" else "0.5pp"}
        if data["measure"] == "leader_wins":
            usual["at"] = "50%"
        return usual | data

    @property
    def facts(self) -> Facts:
        """What its measure is."""
        return MEASURES[self.measure]

    @property
    def label(self) -> str:
        """Its name in the report."""
        points = "1 point" if self.points == 1 else f"{self.points} points"
        return self.title or self.facts.title.format(at=LEAD_AT.get(self.at or ""), points=points)

    def band(self, players: int) -> Band:
        """Give its limits with so many players: shares and their differences as fractions of 1, counts as they are."""
        low = high = None
        if self.within is not None:
            middle = 1 / players if self.facts.middle == "par" else 0.0
            low, high = middle - _value(self.within, players), middle + _value(self.within, players)
        elif self.between is not None:
            low, high = (_value(amount, players) for amount in self.between)
        elif self.at_most is not None:
            high = _value(self.at_most, players)
        elif self.at_least is not None:
            low = _value(self.at_least, players)
        if self.facts.unit == "share":
            low = None if low is None else max(low, 0.0)
            high = None if high is None else min(high, 1.0)
        return Band(low, high)

    def margin(self, before: float) -> float:
        """Give the largest change against a baseline value that still counts as "same"."""
        assert self.same_within is not None  # filled in
        number, unit = _parts(self.same_within)
        return number if unit == "" else number / 100 * (before if unit == "%" else 1)

    def describe(self, players: int | None = None) -> str:
        """Say its limits in plain words: "23–27%", "at most 45%", "within ±1 point of par".

        Parameters
        ----------
        players : int, optional
            Turns limits that are relative to par into shares; without it they stay relative.
        """
        if self.within is not None:
            number, unit = _parts(self.within)
            if unit == "% of par" and players is not None:
                return "–".join(_digits([100 * (limit or 0.0) for limit in self.band(players)])) + "%"
            reach = f"{number:g}%" if unit == "% of par" else f"{number:g} {'point' if number == 1 else 'points'}"
            return f"within ±{reach}" + (" of par" if self.facts.middle == "par" else "")
        if self.between is not None:
            return _text(self.between, players)
        if self.at_most is not None:
            return f"at most {_text((self.at_most,), players)}"
        assert self.at_least is not None  # exactly one of the four is given
        return f"at least {_text((self.at_least,), players)}"

    def faults(self) -> Iterator[Fault]:
        """Yield what is wrong although each key by itself is right."""
        given = [key for key in BANDS if getattr(self, key) is not None]
        if len(given) != 1:
            what = "the goal has no limits" if not given else f"the goal has {' and '.join(given)}: one is enough"
            yield Fault((given[1],) if given else (), what, expected=f"exactly one of {either(BANDS)}", at_key=True)
        if self.at is not None and self.measure != "leader_wins":
            yield Fault(("at",), f"at says nothing to the measure {self.measure}", fix="leave it out", at_key=True)
        if (self.points is not None) != (self.measure == "close_finish"):
            if self.points is None:
                yield Fault((), "the goal does not say how close a finish is", fix="add points = 3", at_key=True)
            else:
                yield Fault(
                    ("points",), f"points says nothing to the measure {self.measure}", fix="leave it out", at_key=True
                )
        for key in (*given, "same_within"):
            if key == "within" and self.facts.middle is None:
                fix = "use between, at_most or at_least"
                yield Fault((key,), f"{self.measure} has no par to be within something of", fix=fix, at_key=True)
                continue
            yield from self._amount_faults(key)

    def _amount_faults(self, key: str) -> Iterator[Fault]:
        units = self._units(key)
        amounts = self.between if key == "between" and self.between else (getattr(self, key),)
        right = True
        for index, amount in enumerate(amounts):
            path = (key, index) if key == "between" else (key,)
            number, unit = _parts(amount)
            right = right and unit in units
            if unit not in units:
                yield Fault(
                    path,
                    f"{key} is in the wrong unit for {self.measure}",
                    got=show(amount),
                    expected=f"an amount such as {either(EXAMPLES[each] for each in units)}",
                )
            elif unit == "%" and key != "same_within" and number > 100:
                yield Fault(path, f"{key} is too large", got=show(amount), expected="a share from 0% to 100%")
        if right and len(amounts) == 2:
            (low, unit), (high, other) = map(_parts, amounts)
            if unit != other:
                yield Fault(
                    (key,), "between has limits in two units", got=show(amounts), expected="the same unit for both"
                )
            elif low > high:
                yield Fault(
                    (key,), "between has its limits in the wrong order", got=show(amounts), expected="the lower first"
                )

    def _units(self, key: str) -> tuple[str, ...]:
        """Give the units that an amount may have, the usual one first."""
        if self.facts.unit == "count":
            return ("%", "") if key == "same_within" else ("",)
        if key == "same_within" or self.facts.unit == "points":
            return ("pp",)
        if key == "within":
            return ("pp", "% of par")
        return ("%", "% of par") if self.facts.middle == "par" else ("%",)


def points(text: str) -> float:
    """Read percentage points, as a share.

    >>> points("0.5pp")
    0.005

    Raises
    ------
    UsageError
        If it is no amount of percentage points above 0.
    """
    number = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*pp\s*", text)
    if not number or not 0 < float(number[1]) <= 100:
        raise UsageError(f"{text!r} is no amount of percentage points", expected="for example 0.5pp")
    return float(number[1]) / 100


def _parts(amount: float | str) -> tuple[float, str]:
    """Split an amount into number and unit.

    >>> _parts("4% of par")
    (4.0, '% of par')
    """
    if not isinstance(amount, str):
        return float(amount), ""
    number = amount.rstrip("% pofar")
    return float(number), amount.removeprefix(number)


def _value(amount: float | str, players: int) -> float:
    number, unit = _parts(amount)
    return {"": number, "%": number / 100, "pp": number / 100, "% of par": number / 100 / players}[unit]


def _text(amounts: Sequence[float | str], players: int | None) -> str:
    """Write one amount or the two of a range, with the unit once."""
    unit = _parts(amounts[0])[1]
    numbers = [_parts(amount)[0] for amount in amounts]
    if unit == "% of par" and players is not None:
        numbers, unit = [min(number / players, 100.0) for number in numbers], "%"
    return "–".join(_digits(numbers)) + unit.replace("pp", " points")


def _digits(numbers: Sequence[float]) -> list[str]:
    """Write numbers with the same decimals: as few as tell them exactly, else one."""
    places = next((few for few in range(3) if all(abs(round(n, few) - n) < 1e-9 for n in numbers)), 1)
    return [f"{number:.{places}f}" for number in numbers]
