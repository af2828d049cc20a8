"""Studies of the printed ranges, each a share of many replications in which a promise was kept.

A study's truth is known: planted in synthetic numbers, forced by the symmetry of a real game, or the mean over all
replications together, which is known far better than any of them. All seeds are fixed, so a study comes out the same
each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np

from reports import stats
from reports.answers import cards
from reports.answers.compensate import CLEAR, meeting_point
from reports.stats import Estimates
from sim import games
from sim.engine import play
from sim.engine.effects import CHUNKS, Effects
from sim.engine.runner import Job, play_games, thread_pool
from sim.games.interface import SHARE_UNITS, Intervention
from tests.conftest import entries_of, small_plan

SEED = 20_261_130
PLAYERS = 3


@dataclass(frozen=True)
class Study:
    """One promise.

    Attributes
    ----------
    claim : str
        What is promised, as the table says it.
    low, high : float
        Bounds of what must be seen in ``full`` replications.
    full, cheap : int
        Replications of the whole study, and of the one that runs with all tests.
    see : callable
        What is seen in so many replications.
    """

    claim: str
    low: float
    high: float
    full: int
    cheap: int
    see: Callable[[int], float]

    def bounds(self, replications: int) -> tuple[float, float]:
        """Bounds of what must be seen: fewer replications are given three standard errors of such a share more."""
        slack = 3.0 * np.sqrt(0.95 * 0.05 * max(1.0 / replications - 1.0 / self.full, 0.0))
        return self.low - slack, self.high + slack


STUDIES: dict[str, Study] = {}


def study(
    claim: str, low: float = 0.935, high: float = 0.965, *, full: int = 2_000, cheap: int = 200
) -> Callable[[Callable[[int], float]], Callable[[int], float]]:
    """Add a study."""

    def add(see: Callable[[int], float]) -> Callable[[int], float]:
        STUDIES[see.__name__] = Study(claim, low, high, full, cheap, see)
        return see

    return add


def covered(
    estimates: Estimates, truth: object, reach: stats.Critical | None = None, kind: stats.Kind = "mean"
) -> np.ndarray:
    """Say of each row whether its range holds the truth; `reach` defaults to that of single ranges."""
    low, high = stats.limits(estimates, reach or stats.single(estimates), kind, deals=10_000)
    return (low <= truth) & (truth <= high)


# --- synthetic truth ---------------------------------------------------------------------------------------------


def seat_blocks(rng: np.random.Generator, chunks: int) -> Estimates:
    """Shares of four equal seats: chunks of two deals in all seatings, the luck of the deal favouring one seat."""
    luck = 0.6 * rng.standard_normal((chunks, 2, 1, 4))
    won = (luck + rng.gumbel(size=(chunks, 2, 4, 4))).argmax(axis=-1)
    return stats.ratio((won[..., None] == np.arange(4)).sum(axis=(1, 2)), np.full(chunks, 8))


def item_chunks(rng: np.random.Generator, items: int, chunks: int) -> tuple[Estimates, np.ndarray]:
    """Shares of items in the cases in which each was seen, with luck common to all items, and their true values."""
    truth = np.linspace(0.2, 0.4, items)
    seen = 1 + rng.poisson(20.0, (chunks, items))
    luck = rng.uniform(0.7, 1.3, (chunks, 1))
    return stats.ratio(rng.binomial(seen, truth * luck), seen), truth


@study("ranges of the win shares of four seats")
def seats(replications: int) -> float:
    rng = np.random.default_rng(SEED)
    return float(np.mean([covered(seat_blocks(rng, 64), 0.25, kind="share") for _ in range(replications)]))


@study("ranges of ratios whose denominator is random too")
def ratios(replications: int) -> float:
    rng = np.random.default_rng(SEED)
    return float(np.mean([covered(*item_chunks(rng, 4, 80)) for _ in range(replications)]))


@study("ranges of how often something rare happens", high=0.97)
def rates(replications: int) -> float:
    rng = np.random.default_rng(SEED)
    kept = 0
    for _ in range(replications):
        kept += covered(stats.ratio(rng.binomial(40, 0.01, 64), np.full(64, 40)), 0.01, kind="rate").sum()
    return kept / replications


@study("ranges of paired differences")
def paired_differences(replications: int) -> float:
    rng = np.random.default_rng(SEED)
    kept = 0
    for _ in range(replications):
        cases, luck = 1 + rng.poisson(20.0, 100), rng.uniform(0.7, 1.3, 100)
        now, before = (stats.ratio(rng.binomial(cases, truth * luck), cases) for truth in (0.35, 0.3))
        kept += covered(stats.difference(now, before, paired=True), 0.05, kind="difference").sum()
    return kept / replications


@study("joint ranges of four seats, all at once", low=0.94)
def joint_seats(replications: int) -> float:
    rng = np.random.default_rng(SEED)
    kept = 0
    for _ in range(replications):
        found = seat_blocks(rng, 100)
        kept += covered(found, 0.25, stats.joint(found), "share").all()
    return kept / replications


@study("joint ranges of 54 items, all at once", low=0.94, cheap=20)
def joint_items(replications: int) -> float:
    rng = np.random.default_rng(SEED)
    kept = 0
    for _ in range(replications):
        found, truth = item_chunks(rng, 54, 256)
        kept += covered(found, truth, stats.joint(found)).all()
    return kept / replications


def looks(rng: np.random.Generator, chunks: int, reach: Callable[[Estimates, int], stats.Critical]) -> Iterator[bool]:
    """Look again and again at the shares of three seats, at 512 deals first and at 98 304 last: do the ranges hold?"""
    grain = 4
    times = chunks * np.unique(np.round(np.geomspace(512, 98_304, 40) / (grain * chunks)).astype(int).clip(1))
    won = rng.multinomial(3 * grain, [1 / 3] * 3, times[-1]) / 3.0
    sums = np.vstack([np.zeros(3), won.cumsum(axis=0)])
    for time in times:
        ends = np.linspace(0, time, chunks + 1).astype(int)
        found = stats.ratio(np.diff(sums[ends], axis=0), grain * np.diff(ends))
        yield bool((np.abs(found.value - 1 / 3) <= reach(found, grain * int(time)).t * found.se).all())


@study("ranges for looking at any time, at all of 40 looks", low=0.95, high=1.0, cheap=100)
def every_look(replications: int) -> float:
    rng = np.random.default_rng(SEED)
    return sum(all(looks(rng, 256, stats.always)) for _ in range(replications)) / replications


@study("the same, with the spread of 12 chunks only", low=0.95, high=1.0, cheap=100)
def every_look_of_few_chunks(replications: int) -> float:
    rng = np.random.default_rng(SEED)
    return sum(all(looks(rng, 12, stats.always)) for _ in range(replications)) / replications


@study("joint ranges looked at in the same way: why they must not be", low=0.3, high=0.8, cheap=100)
def naive_looks(replications: int) -> float:
    rng = np.random.default_rng(SEED)
    reach = stats.joint(seat_blocks(rng, 256).rows([0, 1, 2]))
    return sum(all(looks(rng, 256, lambda found, deals: reach)) for _ in range(replications)) / replications


def amounts_cover(replications: int, clear: float) -> float:
    """Say how often ranges of amounts hold the truth, where one more moves its seat by `clear` standard errors."""
    rng = np.random.default_rng(SEED)
    truth, slope, chunks = np.array([0.0, 1.4, 2.1, 0.8]), 0.02, 256
    jacobian = slope * (np.eye(4) - 0.25) / 0.75
    spread = slope / clear * np.sqrt(chunks / 0.75)

    def noise(sd: float) -> np.ndarray:
        raw = rng.normal(0.0, sd, (chunks, 4))
        return raw - raw.mean(axis=1, keepdims=True)

    kept = 0.0
    for _ in range(replications):
        base = 0.25 - jacobian @ truth + noise(0.1)
        before = stats.ratio(base, np.ones(chunks))
        more = [stats.ratio(base + jacobian[:, seat] + noise(spread), np.ones(chunks)) for seat in range(4)]
        slopes = [stats.difference(each, before, paired=True) for each in more]
        kept += covered(meeting_point(before, slopes, 0.25), truth)[truth > 0].mean()
    return kept / replications


@study("ranges of what a seat must be given")
def amounts(replications: int) -> float:
    return amounts_cover(replications, 5 * CLEAR)


@study("the same, where the games only just show what one more is worth", low=0.92, high=0.98)
def amounts_of_few_games(replications: int) -> float:
    return amounts_cover(replications, 1.5 * CLEAR)


# --- how many games ----------------------------------------------------------------------------------------------

WIDTH = 0.005
PLANTED = 0.01


@cache
def planned(replications: int) -> np.ndarray:
    """Ask for the values of 15 synthetic items, the first of which is worth 1 pp, at ± 0.5 pp joint.

    Returns
    -------
    float64[replications, 3]
        Deals played, the widest joint range to either side, and whether the first was found to help.
    """
    rng = np.random.default_rng(SEED)
    changed = np.linspace(0.05, 0.1, 15)
    worth = np.zeros(15)
    worth[0] = PLANTED

    def table(job: Job, kind: Intervention, players: int, blocks: int, executor: object) -> Effects:
        deals = np.diff(np.arange(CHUNKS + 1) * blocks // CHUNKS)
        asked = rng.binomial(np.broadcast_to(players * deals[:, None], (CHUNKS, 15)), 0.7)
        moved = rng.binomial(asked, changed)
        up = rng.binomial(moved, 0.5 + 0.5 * worth / changed)
        none = np.zeros_like(asked)
        share = SHARE_UNITS * (2 * up - moved)
        return Effects(asked[:, :, None], share[:, :, None], moved, asked, none, none)

    kind = Intervention("planted", "planted", "?", tuple(f"item {n}" for n in range(15)), lambda *_: None)
    found = []
    with patch.object(cards, "effects", table), thread_pool(1) as pool:
        for _ in range(replications):
            (answer,) = cards.ask(job_of("mon", "random"), [kind], [PLAYERS], WIDTH, pool)["answers"]
            items = answer["items"]
            half = max(0.5 * (item["joint_hi"] - item["joint_lo"]) for item in items)
            found.append((answer["games"] / (15 * 0.7 * PLAYERS), half, items[0]["verdict"] == "more"))
    return np.array(found)


@study("deals played, divided by the deals that ± 0.5 pp for 15 items takes", low=0.8, high=1.2, full=500, cheap=20)
def deals_played(replications: int) -> float:
    variance = 0.1 - PLANTED**2  # of a game's change, for the item that changes most games
    needed = variance / (0.7 * PLAYERS) * (stats.normal_quantile(0.5 + 0.5 * stats.sidak(15)) / WIDTH) ** 2
    return float(planned(replications)[:, 0].mean() / needed)


@study("widest range within ± 20 % of the ± 0.5 pp asked for", low=0.95, high=1.0, full=500, cheap=20)
def width_reached(replications: int) -> float:
    return float((np.abs(planned(replications)[:, 1] / WIDTH - 1.0) <= 0.2).mean())


@study("an item worth 1 pp is found at ± 0.5 pp", low=0.98, high=1.0, full=500, cheap=20)
def planted_item_found(replications: int) -> float:
    return float(planned(replications)[:, 2].mean())


# --- real games --------------------------------------------------------------------------------------------------


def job_of(game: str, *names: str, seed: int = SEED, **rules: object) -> Job:
    spec = games.spec(game)
    plan = small_plan(game, 1, spec.players, entries_of(game, *names), seed=seed, draws="per_seat", lineups=["field"])
    return Job(game, spec.options.model_validate(rules), plan, Path())


def played(job: Job, changes: list[Callable[[object, int], None]], deals: int, rotations: int) -> list[np.ndarray]:
    """Play the same deals under rules changed in one way after the other, for the focus.

    The focus is the seat of the rotation, or a seat that moves on from deal to deal if there is one rotation only.

    Returns
    -------
    list of int8[deals * rotations, seats]
        Shares of the win, in 60ths.
    """
    spec = games.spec(job.game)
    rules = spec.fill_rules(job.options, PLAYERS, True)
    members = play.mixed_tables(job.plan.seed, 0, deals, PLAYERS, len(job.plan.entries))
    table = play.seatings(spec, 0, members, rotations)
    focus = table.rotation if rotations > 1 else table.deal % PLAYERS
    shares = []
    for change in changes:
        variants = []
        for seat in range(PLAYERS):
            variants.append(rules.copy())
            change(variants[-1], seat)
        again = table.copy()
        again.rules = focus
        shares.append(play_games(job, play.rules_of(variants), again)[0].share[:, :PLAYERS])
    return shares


def nothing(rules: object, seat: int) -> None:
    """Change nothing."""


@cache
def four_names(replications: int) -> list[tuple[np.ndarray, ...]]:
    """Let one strategy of mon play under four names, seated at random: who wins more is luck alone.

    Ties are shared, so a name's seat wins exactly 1/3 on average. A run is 64 chunks of four deals.
    """
    job = job_of("mon", *["greedy"] * 4, rulings={"tie": "shared"})
    (share,) = played(job, [nothing], 256 * replications, 1)
    names = play.mixed_tables(job.plan.seed, 0, 256 * replications, PLAYERS, 4)
    held = (names[:, :, None] == np.arange(4)).reshape(replications, 64, 4, PLAYERS, 4)
    won = share.reshape(replications, 64, 4, PLAYERS, 1) / SHARE_UNITS * held
    kept = []
    for cases, wins in zip(held.sum(axis=(2, 3)), won.sum(axis=(2, 3)), strict=True):
        found = stats.ratio(wins, cases)
        gaps = found.mix(np.vstack([np.eye(3), [-1.0] * 3]))
        kept.append((covered(found, 1 / 3), covered(found, 1 / 3, stats.joint(found)), covered(gaps, 0.0)))
    return kept


@study("mon: ranges of one strategy under four names")
def names_single(replications: int) -> float:
    return float(np.mean([single for single, _, _ in four_names(replications)]))


@study("mon: joint ranges of the four names, all at once", low=0.94)
def names_joint(replications: int) -> float:
    return float(np.mean([joint.all() for _, joint, _ in four_names(replications)]))


@study("mon: ranges of the differences between the names")
def names_differences(replications: int) -> float:
    return float(np.mean([gap for _, _, gap in four_names(replications)]))


@cache
def emblems_runs(replications: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Play emblems at mixed tables: ranges of the seats' shares, single and joint.

    A run is 64 chunks of two deals. The truth is the mean of all runs.
    """
    (share,) = played(job_of("emblems", "greedy", "random"), [nothing], 128 * replications, 1)
    truth = share.mean(axis=0) / SHARE_UNITS
    found = [stats.ratio(run, np.full(64, 2.0 * SHARE_UNITS)) for run in _runs(share, replications, 64)]
    return [
        (covered(each, truth, kind="share"), covered(each, truth, stats.joint(each), "share").all()) for each in found
    ]


def _runs(shares: np.ndarray, replications: int, chunks: int) -> np.ndarray:
    return shares.reshape(replications, chunks, -1, shares.shape[1]).sum(axis=2)


@study("emblems: ranges of the seats' win shares")
def emblems_seats(replications: int) -> float:
    return float(np.mean([single for single, _ in emblems_runs(replications)]))


@study("emblems: joint ranges of the seats, all at once", low=0.94)
def emblems_joint(replications: int) -> float:
    return float(np.mean([joint for _, joint in emblems_runs(replications)]))


def gain_covered(game: str, amount: int, deals: int, replications: int) -> float:
    """Say how often the range of what a bonus is worth holds the truth, in runs of so many games on the same luck."""
    give = games.spec(game).bonus.give
    job = job_of(game, "greedy", "random")
    before, after = played(job, [nothing, lambda rules, seat: give(rules, seat, amount)], deals * replications, 1)
    change, chunks = _of_focus(after, before), deals // 4
    runs = _runs(change, replications, chunks)
    return float(np.mean([covered(stats.ratio(run, np.full(chunks, 4)), change.mean()) for run in runs]))


@study("mon: ranges of what three points more are worth, on the same luck")
def mon_points(replications: int) -> float:
    return gain_covered("mon", 3, 256, replications)


@study("emblems: ranges of a coin's worth from 64 games, of which it changes two: too few", low=0.65, high=0.9)
def too_few_changes(replications: int) -> float:
    return gain_covered("emblems", 1, 64, replications)


def _of_focus(after: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Give the change of the focus' share, where it moves on from deal to deal: float64[GAMES, 1]."""
    focus = (np.arange(len(after)) % PLAYERS)[:, None]
    return np.take_along_axis(after.astype(float) - before, focus, axis=1)


@cache
def placebos(game: str, replications: int) -> list[tuple[bool, bool]]:
    """Exchange a card of the focus' hand for a random one: is nothing in the 95 % range, and in that of the alarm?"""
    kind = next(each for each in games.spec(game).interventions if each.placebo)
    job = job_of(game, "greedy", "random")
    before, after = played(job, [nothing, lambda rules, seat: kind.change(rules, 0, seat)], 64 * replications, 1)
    found = [stats.ratio(run, np.full(32, 2.0)) for run in _runs(_of_focus(after, before), replications, 32)]
    alarm = [stats.joint(each, cards.PLACEBO_LEVEL) for each in found]
    return [
        (bool(covered(each, 0.0)[0]), bool(covered(each, 0.0, reach)[0]))
        for each, reach in zip(found, alarm, strict=True)
    ]


@study("mon: nothing in the 95 % range of the placebo")
def mon_placebo(replications: int) -> float:
    return float(np.mean(placebos("mon", replications), axis=0)[0])


@study("mon: no alarm from the placebo", low=0.996, high=1.0)
def mon_no_alarm(replications: int) -> float:
    return float(np.mean(placebos("mon", replications), axis=0)[1])


@study("emblems: nothing in the 95 % range of the placebo")
def emblems_placebo(replications: int) -> float:
    return float(np.mean(placebos("emblems", replications), axis=0)[0])


@study("emblems: no alarm from the placebo", low=0.996, high=1.0)
def emblems_no_alarm(replications: int) -> float:
    return float(np.mean(placebos("emblems", replications), axis=0)[1])


PLANT_WIDTH = {"emblems": 0.004, "mon": 0.005}


def plant(game: str) -> Intervention:
    """Plant a bonus of a coin in emblems, a point more for each card of value 1 in mon."""
    if game == "emblems":
        give = games.spec(game).bonus.give
        return Intervention("coin", "a coin more", "?", ("a coin",), lambda rules, item, seat: give(rules, seat, 1))
    point = next(each for each in games.spec(game).interventions if each.name == "point")
    return replace(point, items=point.items[:1])


@cache
def plants(game: str, replications: int) -> list[tuple[bool, bool]]:
    """Ask what the plant is worth, each time on other luck: is the range as wide as asked for, and is it found?"""
    width = PLANT_WIDTH[game]
    seen = []
    with thread_pool(2) as pool:
        for number in range(replications):
            job = job_of(game, "greedy", "random", seed=SEED + number)
            (answer,) = cards.ask(job, [plant(game)], [PLAYERS], width, pool)["answers"]
            (item,) = answer["items"]
            half = 0.5 * (item["joint_hi"] - item["joint_lo"])
            seen.append((abs(half / width - 1.0) <= 0.2, item["verdict"] == "more"))
    return seen


@study("emblems: range of a coin more within ± 20 % of the ± 0.4 pp asked for", low=0.9, high=1.0, full=40, cheap=2)
def coin_width(replications: int) -> float:
    return float(np.mean(plants("emblems", replications), axis=0)[0])


@study("emblems: a coin more is found", low=0.975, high=1.0, full=40, cheap=2)
def coin_found(replications: int) -> float:
    return float(np.mean(plants("emblems", replications), axis=0)[1])


@study("mon: range of a point more within ± 20 % of the ± 0.5 pp asked for", low=0.9, high=1.0, full=40, cheap=2)
def point_width(replications: int) -> float:
    return float(np.mean(plants("mon", replications), axis=0)[0])


@study("mon: a card worth about 1 pp is found", low=0.975, high=1.0, full=40, cheap=2)
def point_found(replications: int) -> float:
    return float(np.mean(plants("mon", replications), axis=0)[1])
