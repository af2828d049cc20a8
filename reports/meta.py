"""What strategies make of each other: where a field of players drifts, and how well one ladder of strength sums it up.

Both rest on one table: what each strategy wins by who else sits there, counted from the single games of the mixed table
and of one against the rest. Every deal is played in every seating, so seats count equally.

* *Drift*: the replicator dynamics of P. D. Taylor and L. B. Jonker, "Evolutionary stable strategies and game dynamics"
  (1978): a strategy's part of the field grows by what it wins beyond par. Its win share in a mixed field is exact: the
  mean over all tables that such a field can seat around it, by the multinomial chance of each.
* *Ladder*: P(win) proportional to exp(strategy + seat), the first place in the model of R. L. Plackett, "The analysis
  of permutations" (1975), and R. D. Luce, "Individual choice behavior" (1959), fitted by maximum likelihood. The
  likelihood is concave, D. R. Hunter, "MM algorithms for generalized Bradley-Terry models" (2004), so that Newton's
  steps find its top. A shared win counts as its fractions.

Uncertainty comes from groups of whole deals, drawn anew with replacement.
"""

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reports import stats, words
from reports.blocks import Run
from reports.stats import Floats

Integers = NDArray[np.int64]
Kind = Literal["takes_over", "settles", "circles", "open"]

GROUPS = 128
"""Groups that the deals fall into; a deal is in the same group whoever plays it."""

RESAMPLINGS = 200
SEED = 20_261_130
"""Fixed, so that the same run always gives the same report."""

FEWEST_DEALS = 10
"""A table that was dealt less often says too little."""

MOST_SEATINGS = 16_000
"""With more seatings than this, no run has enough games of each."""

NEWCOMERS = 1e-7
"""Part of the field that always tries each strategy, so that what was driven out can come back."""

AT_REST = 1e-5
"""The field stands still when nobody wins more than this beyond par, as a part of par."""

ALONE = 0.99
"""From this part of the field on, a strategy has taken over."""

STEPS = 500
ACCURACY = 2e-4

WANDERS = 0.02
"""A field that moves less than this in the second half of its steps counts as standing still."""


@dataclass(frozen=True)
class Tables:
    """Who won, by who sat at the table.

    Attributes
    ----------
    members : int64[TABLES, STRATEGIES]
        How many seats each strategy has.
    games : float64[GROUPS, TABLES]
        Games by group of deals.
    won : float64[GROUPS, TABLES, STRATEGIES]
        Wins of a strategy's seats together.
    seating : int64[SEATINGS, PLAYERS]
        Every order in which strategies can sit.
    table : int64[SEATINGS]
        Which table that is.
    seated : float64[SEATINGS]
        Games.
    seat_won : float64[PLAYERS]
        Wins of each seat.
    """

    members: Integers
    games: Floats
    won: Floats
    seating: Integers
    table: Integers
    seated: Floats
    seat_won: Floats

    @property
    def players(self) -> int:
        """Seats of a table."""
        return int(self.seating.shape[1])

    @property
    def deals(self) -> Floats:
        """Deals of each table; those of a table of equals do not matter, since all win alike."""
        played: Floats = self.games.sum(axis=0) / self.players
        return np.where(self.equals, math.inf, played)

    @property
    def equals(self) -> NDArray[np.bool_]:
        """Tables of one strategy alone."""
        alike: NDArray[np.bool_] = (self.members > 0).sum(axis=1) == 1
        return alike


def tabulate(seated: Integers, share: Floats, deal: Integers, strategies: int) -> Tables:
    """Count games and wins by table.

    Parameters
    ----------
    seated : int64[GAMES, PLAYERS]
        Strategy in each seat.
    share : float64[GAMES, PLAYERS]
        Part of the win.
    deal : int64[GAMES]
        Number of the deal.
    strategies : int
        How many there are; with the players, no more than ``MOST_SEATINGS`` allows.
    """
    players = seated.shape[1]
    seating = np.indices((strategies,) * players).reshape(players, -1).T
    members, table = np.unique((seating[:, :, None] == np.arange(strategies)).sum(axis=1), axis=0, return_inverse=True)
    code = seated @ strategies ** np.arange(players - 1, -1, -1)
    cell = deal % GROUPS * len(members) + table[code]
    size = GROUPS * len(members)
    won = np.zeros(size * strategies)
    for seat in range(players):
        won += np.bincount(cell * strategies + seated[:, seat], share[:, seat], minlength=size * strategies)
    return Tables(
        members=members,
        games=np.bincount(cell, minlength=size).reshape(GROUPS, -1).astype(np.float64),
        won=won.reshape(GROUPS, len(members), strategies),
        seating=seating,
        table=table,
        seated=np.bincount(code, minlength=len(seating)).astype(np.float64),
        seat_won=share.sum(axis=0),
    )


# --- drift -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drift:
    """Where fields of players drift that begin with equal parts of all strategies.

    Attributes
    ----------
    time : float64[STEPS, FIELDS]
        Generations since the start; field 0 is the run itself, the others are its resamplings.
    parts : float64[STEPS, FIELDS, STRATEGIES]
        Parts of the field; one that stands still stays where it is.
    kinds : list of str
        How each field ends.
    """

    time: Floats
    parts: Floats
    kinds: list[Kind]

    @property
    def ends(self) -> Floats:
        """Parts at the end, float64[FIELDS, STRATEGIES]; the mean over the second half where a field circles."""
        circling = np.array([kind == "circles" for kind in self.kinds])[:, None]
        half = self.parts[len(self.parts) // 2 :]
        found: Floats = np.where(circling, half.mean(axis=0), self.parts[-1])
        return found


def thinnest(tables: Tables) -> float:
    """Return how often the rarest table was dealt."""
    return float(tables.deals.min())


def drift(tables: Tables) -> Drift:
    """Let the field of the run and those of its resamplings drift.

    Every table that can be seated must have been dealt (see `thinnest`).
    """
    draws = np.random.Generator(np.random.PCG64(SEED))
    weights = np.vstack([np.ones(GROUPS), draws.multinomial(GROUPS, np.full(GROUPS, 1 / GROUPS), RESAMPLINGS)])
    shares, others = payoffs(tables, weights)
    return replicate(shares, others)


def payoffs(tables: Tables, weights: Floats) -> tuple[Floats, Integers]:
    """Tabulate the win share of a seat by its strategy and by its opponents.

    Parameters
    ----------
    weights : float64[FIELDS, GROUPS]
        How often each group of deals counts.

    Returns
    -------
    shares : float64[FIELDS, STRATEGIES, OPPONENTS]
    others : int64[OPPONENTS, STRATEGIES]
        How many opponents play each strategy.
    """
    strategies = tables.members.shape[1]
    rest = combinations_with_replacement(range(strategies), tables.players - 1)
    others = np.array([np.bincount(each, minlength=strategies) for each in rest])
    place = {tuple(row): i for i, row in enumerate(tables.members.tolist())}
    at = np.array([[place[tuple(row)] for row in (others + one).tolist()] for one in np.eye(strategies, dtype=int)])
    won = (weights @ tables.won.reshape(GROUPS, -1)).reshape(len(weights), -1, strategies)
    seats = (weights @ tables.games)[:, :, None] * tables.members
    whole = np.divide(won, seats, out=np.full_like(won, math.nan), where=seats > 0.0)
    # A table that a resampling happens to leave out wins what it wins in the run.
    filled = np.where(np.isnan(whole), whole[:1], whole)
    filled[:, tables.equals] = 1.0 / tables.players
    shares: Floats = filled[:, at, np.arange(strategies)[:, None]]
    return shares, others


def replicate(shares: Floats, others: Integers) -> Drift:
    """Follow the replicator dynamics until the fields stand still.

    Steps are those of Bogacki and Shampine, "A 3(2) pair of Runge-Kutta formulas" (1989), on the logarithms of the
    parts, each field with its own length of step.

    Parameters
    ----------
    shares : float64[FIELDS, STRATEGIES, OPPONENTS]
        Win share of a seat.
    others : int64[OPPONENTS, STRATEGIES]
        Who sits around it.
    """
    fields, strategies, _ = shares.shape
    players = int(others[0].sum()) + 1
    ways = np.array([math.lgamma(players) - sum(math.lgamma(n + 1) for n in row) for row in others.tolist()])

    def growth(parts: Floats, of: Floats) -> Floats:
        """Win share beyond par, as a part of par; `parts` are logarithms."""
        around = np.exp(parts @ others.T + ways)
        beyond: Floats = players * np.matmul(of, around[:, :, None])[:, :, 0] - 1.0
        return beyond

    def whole(parts: Floats) -> Floats:
        top = parts.max(axis=1, keepdims=True)
        sized: Floats = parts - top - np.log(np.exp(parts - top).sum(axis=1, keepdims=True))
        return sized

    now = np.full((fields, strategies), -math.log(strategies))
    slope, clock, step = growth(now, shares), np.zeros(fields), np.ones(fields)
    time, parts = [clock.copy()], [np.exp(now)]
    moving, of = np.arange(fields), shares
    for _ in range(STEPS):
        going = slope[moving].max(axis=1) > AT_REST
        if not going.all():
            moving, of = moving[going], of[going]
        if not len(moving):
            break
        here, h, first = now[moving], step[moving, None], slope[moving]
        second = growth(whole(here + h / 2 * first), of)
        third = growth(whole(here + 3 * h / 4 * second), of)
        there = whole(here + h / 9 * (2 * first + 3 * second + 4 * third))
        fourth = growth(there, of)
        rough = whole(here + h / 24 * (7 * first + 6 * second + 8 * third + 3 * fourth))
        error = np.abs(np.exp(there) - np.exp(rough)).max(axis=1)
        # Near the end the steps are small, and so must be their errors, or the field trembles and never stands still.
        moved = np.abs(np.exp(there) - np.exp(here)).max(axis=1)
        allowed = np.minimum(ACCURACY, 0.02 * moved + 1e-9)
        good = error <= allowed
        done = moving[good]
        now[done] = np.maximum(there[good], math.log(NEWCOMERS))
        slope[done] = fourth[good]
        clock[done] += step[done]
        step[moving] *= np.clip(0.9 * (allowed / np.maximum(error, 1e-12)) ** (1 / 3), 0.2, 3.0)
        time.append(clock.copy())
        parts.append(np.exp(now))
    followed = np.array(parts)
    kinds = [_kind(followed[:, field], field not in moving) for field in range(fields)]
    return Drift(np.array(time), followed, kinds)


def _kind(parts: Floats, still: bool) -> Kind:
    """Say how a field ends, from its parts by step."""
    late = parts[len(parts) // 2 :]
    wandered = late.max(axis=0) - late.min(axis=0)
    if still or wandered.max() < WANDERS:
        return "takes_over" if parts[-1].max() >= ALONE else "settles"
    most = late[:, wandered.argmax()]
    moves = np.diff(most)
    turns = np.count_nonzero(np.diff(np.sign(moves[moves != 0.0])))
    return "circles" if turns >= 3 else "open"


# --- ladder ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ladder:
    """One strength for each strategy and seat, and how far off it is.

    Attributes
    ----------
    strength : float64[STRATEGIES]
        Logarithm of the odds, mean 0.
    seat : float64[PLAYERS]
        The same for the seats.
    misfit : float
        How far the ladder's win shares typically are from those of single tables, with the luck of the deals taken
        out: root of the mean square, over the tables as they were played.
    sure : bool
        Whether it is more than luck explains.
    """

    strength: Floats
    seat: Floats
    misfit: float
    sure: bool


PULL = 0.1
"""Weight of a prior around 0, so that a strategy that never wins has a strength at all."""

CHANCE = 0.001
"""A misfit is sure when luck makes one as large this rarely."""


def ladder(tables: Tables) -> Ladder | None:
    """Fit the ladder by maximum likelihood and measure its misfit; None where too few tables can tell."""
    told = tables.games.sum(axis=0) * (tables.deals >= FEWEST_DEALS)
    if 2.0 * told.sum() < tables.games.sum():
        return None
    strategies, players = tables.members.shape[1], tables.players
    dealt = tables.seated > 0.0
    seating, table, games = tables.seating[dealt], tables.table[dealt], tables.seated[dealt]
    sits = np.zeros((*seating.shape, strategies + players))
    np.put_along_axis(sits, seating[:, :, None], 1.0, axis=2)
    sits[:, np.arange(players), strategies + np.arange(players)] = 1.0
    wins = np.concatenate([tables.won.sum(axis=(0, 1)), tables.seat_won])

    def chances(strength: Floats) -> tuple[Floats, float]:
        """Win chances by seating and seat, and the logarithm of the likelihood."""
        power = sits @ strength
        top = power.max(axis=1, keepdims=True)
        raised = np.exp(power - top)
        total = raised.sum(axis=1, keepdims=True)
        likely = wins @ strength - games @ (np.log(total) + top)[:, 0] - 0.5 * PULL * strength @ strength
        return raised / total, float(likely)

    strength = np.zeros(strategies + players)
    chance, likely = chances(strength)
    for _ in range(50):
        mean = (chance[:, None, :] @ sits)[:, 0]
        uphill = wins - games @ mean - PULL * strength
        weighted = sits * (games[:, None] * chance)[:, :, None]
        flat = (-1, strategies + players)
        curve = weighted.reshape(flat).T @ sits.reshape(flat) - mean.T @ (games[:, None] * mean)
        step = np.linalg.solve(curve + PULL * np.eye(len(strength)), uphill)
        if uphill @ step < 1e-9:
            break
        for _ in range(30):  # the top is ahead, but may lie nearer than a whole step
            ahead, better = chances(strength + step)
            if better >= likely:
                break
            step = step / 2
        strength, chance, likely = strength + step, ahead, better
    expected = np.zeros((len(tables.members), strategies))
    np.add.at(expected, (np.repeat(table, players), seating.ravel()), (games[:, None] * chance).ravel())
    misfit, sure = _misfit(tables, expected)
    return Ladder(strength[:strategies], strength[strategies:], misfit, sure)


def _misfit(tables: Tables, expected: Floats) -> tuple[float, bool]:
    """Compare the wins of each table with those expected, beyond what luck explains.

    Under the model the squared distances are as large as their variances together, less the part that the fitted
    strengths have taken up; their distribution is that of chi-squared with as many degrees as fit its spread
    (Satterthwaite's).
    """
    enough = (tables.deals >= FEWEST_DEALS) & ~tables.equals
    which, who = np.nonzero(tables.members * enough[:, None])
    seats = (tables.games[:, :, None] * tables.members)[:, which, who]
    observed = stats.ratio(tables.won[:, which, who], seats)
    apart = observed.value - expected[which, who] / seats.sum(axis=0)
    deals = tables.deals[which]
    luck = observed.variance * deals / (deals - 1.0)
    free = ((tables.members > 0).sum(axis=1) - 1)[enough].sum()
    left = 1.0 - min(tables.members.shape[1] - 1, free) / free  # seats take nothing up: every table meets all of them
    weight = seats.sum(axis=0) / seats.sum()
    found, by_luck = float(weight @ apart**2), float(weight @ luck) * left
    together = (observed.influence.T @ observed.influence) * weight
    if not by_luck > 0.0:
        return 0.0, False
    df = (weight @ luck) ** 2 * left / float((together * together.T).sum())
    return math.sqrt(max(found - by_luck, 0.0)), stats.chi2_tail(found / by_luck * df, df) < CHANCE


# --- of a run --------------------------------------------------------------------------------------------------

POINTS = 33
"""Moments at which the parts of a field are told."""

PATHS = 40
"""Resamplings that are drawn."""

NEAR = 0.01
CYCLES = 2

Row = dict[str, Any]


def panels(run: Run, focus: int | None) -> list[Row]:
    """Say where fields drift and how the ladder fits, at each player count with a mixed table of all strategies.

    Parameters
    ----------
    run : Run
    focus : int
        The player count whose resamplings are told too; where its drift cannot be said, the largest that can.
    """
    strategies = len(run.strategies)
    found: list[Row] = []
    for players in run.played:
        if strategies < 2 or not all(cell.kind in ("field", "all") for cell in run.mixed(players)):
            continue
        tables, note = _tables(run, players)
        if tables and (rarest := thinnest(tables)) < FEWEST_DEALS:
            note = f"some tables were dealt fewer than {words.spelled(FEWEST_DEALS)} times"
            if rarest:
                note += f"; about {words.count(stats.two_digits(run.games * FEWEST_DEALS / rarest))} games would do"
        fitted = ladder(tables) if tables and strategies > 2 else None
        found.append(
            {
                "players": players,
                "note": note,
                "drift": _drifted(drift(tables), strategies) if tables and not note else None,
                "ladder": _ladder(fitted) if fitted else None,
            }
        )
    said = [panel for panel in found if panel["drift"]]
    shown = next((panel for panel in said if panel["players"] == focus), said[-1] if said else None)
    for panel in said:
        if panel is not shown:
            panel["drift"]["paths"] = []
    return found


def _tables(run: Run, players: int) -> tuple[Tables | None, str]:
    """Tabulate the single games, or say why that cannot be."""
    if len(run.strategies) ** players > MOST_SEATINGS:
        return None, f"{len(run.strategies)} strategies make too many different tables"
    own = [f"strategy_{seat + 1}" for seat in range(players)]
    cells = [*run.mixed(players), *run.of_kind("one_vs_rest", players)]
    columns = ["lineup", "deal", "rotation", "winners", *own]
    rows = run.games_rows(players, columns, [cell.lineup for cell in cells])
    if rows is None or not len(rows["deal"]):
        return None, "no single games were kept"
    won = rows["winners"][:, None] >> np.arange(players) & 1
    seated = np.stack([rows[name] for name in own], axis=1)
    return tabulate(seated, won / won.sum(axis=1, keepdims=True), rows["deal"], len(run.strategies)), ""


def _drifted(found: Drift, strategies: int) -> Row:
    """Write a drift as a row: how often each end is reached, and the parts of the commonest."""
    ends = found.ends
    reached = [
        (kind, int(end.argmax()) if kind == "takes_over" else None) for kind, end in zip(found.kinds, ends, strict=True)
    ]
    outcomes = Counter(reached[1:]).most_common()
    common = outcomes[0][0]
    alike = [i for i, each in enumerate(reached) if each == common]
    est = ends[0] if reached[0] == common else np.median(ends[alike], axis=0)
    low, high = np.quantile(ends[1:], [0.5 - stats.LEVEL / 2, 0.5 + stats.LEVEL / 2], axis=0)
    time = np.linspace(0.0, _horizon(found, alike[0]), POINTS)

    def told(field: int) -> list[list[float]]:
        return [
            [round(part, 4) for part in np.interp(time, found.time[:, field], found.parts[:, field, i]).tolist()]
            for i in range(strategies)
        ]

    return {
        "outcomes": [{"kind": kind, "strategy": one, "times": times} for (kind, one), times in outcomes],
        "of": RESAMPLINGS,
        "rows": [{"est": e, "lo": a, "hi": b} for e, a, b in zip(est, low, high, strict=True)],
        "time": time,
        "parts": told(alike[0]),
        "paths": [told(field) for field in range(1, PATHS + 1)],
    }


def _horizon(found: Drift, field: int) -> float:
    """Choose how long to show: until the field is near its end, or some cycles."""
    time, parts = found.time[:, field], found.parts[:, field]
    if found.kinds[field] == "circles":
        most = parts[:, np.ptp(parts, axis=0).argmax()]
        turns = np.flatnonzero(np.diff(np.sign(np.diff(most)))) + 1
        return float(time[turns[min(2 * CYCLES, len(turns) - 1)]])
    away = np.flatnonzero(np.abs(parts - parts[-1]).max(axis=1) > NEAR)
    return 1.3 * float(time[min(away[-1] + 1, len(time) - 1)]) if len(away) else float(max(time[-1], 1.0))


def _ladder(found: Ladder) -> Row:
    seats = np.exp(found.seat)
    return {
        "strength": found.strength,
        "seats": seats / seats.sum(),
        "misfit": found.misfit,
        "sure": found.sure,
    }
