"""What is measured: estimates from the cells of a run.

Everything about seats, strategies, items and the course of a game comes from the mixed table (each block draws its
line-up from all strategies); match-ups from one-against-the-rest cells; the seats of one strategy among its equals
from mirror cells.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reports import adjust, answers, stats
from reports.blocks import Cell, Run
from reports.facts import GameFacts
from reports.schema import Sense
from reports.stats import Estimates
from sim.games.interface import SHARE_UNITS

FEW_CASES = 30
"""A share of fewer cases than this is not shown."""


def pooled(
    cells: Sequence[Cell], numerator: Callable[[Cell], ArrayLike], denominator: Callable[[Cell], ArrayLike]
) -> Estimates:
    """Estimate ratios of sums over several cells, each weighted by its denominator.

    Line-ups of one player count share their deals. Where their chunks hold the same deals they are added chunk by
    chunk, so that the shared luck counts once; otherwise they are taken as independent.
    """
    sums = [(np.asarray(numerator(c)), np.asarray(denominator(c))) for c in cells]
    if all(same_deals(cells[0], c) for c in cells[1:]):
        return stats.ratio(np.sum([n for n, _ in sums], axis=0), np.sum([d for _, d in sums], axis=0))
    return stats.pooled([stats.ratio(n, d) for n, d in sums], [d.sum(axis=0) for _, d in sums])


def games(cell: Cell) -> NDArray[np.int64]:
    """Return the games per chunk."""
    return cell["games"]


def deals(cells: Sequence[Cell]) -> int:
    """Deals behind the cells."""
    return sum(c.deals for c in cells)


def per_game(cells: Sequence[Cell], *columns: str, minus: str = "") -> Estimates:
    """Estimate the sum of columns per game, less another column."""

    def numerator(cell: Cell) -> NDArray[np.int64]:
        plus: NDArray[np.int64] = np.sum([cell[name] for name in columns], axis=0)
        return plus - cell[minus] if minus else plus

    return pooled(cells, numerator, games)


def seat_shares(cells: Sequence[Cell]) -> Estimates:
    """Win share of each seat."""
    return pooled(cells, lambda c: c["seat_share"] / SHARE_UNITS, games)


def seat_tops(cells: Sequence[Cell]) -> Estimates:
    """Share of the highest score of each seat, split among equals: who would win without a tie-break."""
    return pooled(cells, lambda c: c["seat_top"] / SHARE_UNITS, games)


def strategy_shares(cells: Sequence[Cell]) -> Estimates:
    """Win share of a seat that each strategy sits in."""
    return pooled(
        cells,
        lambda c: c.pair("pair_share").sum(axis=2) / SHARE_UNITS,
        lambda c: c.pair("pair_games").sum(axis=2),
    )


def duel(cell: Cell) -> Estimates:
    """Win share of the first member of a one-against-the-rest line-up."""
    one = (cell.members or (0,))[0]
    return stats.ratio(
        cell.pair("pair_share")[:, one].sum(axis=1) / SHARE_UNITS, cell.pair("pair_games")[:, one].sum(axis=1)
    )


def leader_wins(cells: Sequence[Cell]) -> Estimates:
    """Share of games that go to whoever leads after a quarter, half and three quarters of the rounds."""
    return pooled(cells, lambda c: c["leader_share"] / SHARE_UNITS, lambda c: c["leader_games"])


def margin_within(cells: Sequence[Cell], points: int) -> Estimates:
    """Share of games won by at most `points`."""
    return pooled(
        cells, lambda c: c["hist_margin"][:, : points + 1].sum(axis=1), lambda c: c["hist_margin"].sum(axis=1)
    )


def histogram(cells: Sequence[Cell], column: str) -> NDArray[np.int64]:
    """Return the counts per bin."""
    counts: NDArray[np.int64] = np.sum([c[column].sum(axis=0) for c in cells], axis=0)
    return counts


def has_items(cells: Sequence[Cell], facts: GameFacts) -> bool:
    """Whether the cells counted how the items were used."""
    wanted = [f"use_games_{use}" for use in (facts.available_use, facts.played_use)]
    return bool(facts.items and cells) and all(
        name in c.sums and c[name].shape[1] == len(facts.items) for c in cells for name in wanted
    )


def same_items(run: Run, facts: GameFacts) -> bool:
    """Whether a run's items are those that the facts name: an edited config may have others at the same places."""
    return facts.items_under is None or list(facts.items_under(run.manifest["config"])) == list(facts.items)


def use_cases(cells: Sequence[Cell], use: str) -> NDArray[np.int64]:
    """How often (games x seats) each item was used this way."""
    counts: NDArray[np.int64] = np.sum([c[f"use_games_{use}"].sum(axis=0) for c in cells], axis=0)
    return counts


def item_played(cells: Sequence[Cell], facts: GameFacts) -> Estimates:
    """Share of the cases in which an item was available that it was also played; not where that is so by definition."""
    estimate = pooled(
        cells, lambda c: c[f"use_games_{facts.played_use}"], lambda c: c[f"use_games_{facts.available_use}"]
    )
    always = np.isin(list(next(iter(facts.groups.values()), ())) or [""] * len(facts.items), facts.always_played)
    return blank(estimate, always | (use_cases(cells, facts.available_use) < FEW_CASES))


def peers(facts: GameFacts) -> NDArray[np.int64]:
    """Number of the group within which each item is compared; all 0 where all items are alike."""
    groups = list(next(iter(facts.groups.values()))) if facts.apart else [""] * len(facts.items)
    order = list(dict.fromkeys(groups))
    return np.array([order.index(group) for group in groups], np.int64)


def item_seen(cells: Sequence[Cell], facts: GameFacts) -> Estimates:
    """Win share of the seats that had an item at hand, from that of the average item at hand.

    Not from par: whoever draws more sees more of all items, so that all of them go with the same winning or losing.
    What is left is still an association, not a cause.
    """
    use = facts.available_use
    shares, cases = f"use_share_{use}", f"use_games_{use}"
    item = pooled(cells, lambda c: c[shares] / SHARE_UNITS, lambda c: c[cases])
    group = peers(facts)
    member = (group[:, None] == np.arange(group.max() + 1)).astype(np.int64)
    average = pooled(cells, lambda c: c[shares] @ member / SHARE_UNITS, lambda c: c[cases] @ member)
    return blank(stats.difference(item, average.rows(group), paired=True), use_cases(cells, use) < FEW_CASES)


def item_lift(cells: Sequence[Cell], facts: GameFacts) -> Estimates:
    """Win share when an item was played minus win share when it was at hand and not played.

    An association, not a cause: good players play good items when they are ahead.
    """
    available, played = facts.available_use, facts.played_use
    with_it = pooled(cells, lambda c: c[f"use_share_{played}"] / SHARE_UNITS, lambda c: c[f"use_games_{played}"])
    without = pooled(
        cells,
        lambda c: (c[f"use_share_{available}"] - c[f"use_share_{played}"]) / SHARE_UNITS,
        lambda c: c[f"use_games_{available}"] - c[f"use_games_{played}"],
    )
    cases = use_cases(cells, played)
    rest = use_cases(cells, available) - cases
    return blank(stats.difference(with_it, without, paired=True), (cases < FEW_CASES) | (rest < FEW_CASES))


def item_adjusted(run: Run, facts: GameFacts, players: int) -> tuple[Estimates, Estimates] | None:
    """Compare items seen and played with winning within seat, strategy and length; None if no games were kept.

    Returns
    -------
    tuple of Estimates
        As `item_seen` and `item_lift`, from the single games at the mixed table.
    """
    cells = run.mixed(players)
    uses = [facts.uses[use].fields for use in (facts.available_use, facts.played_use)]
    columns = run.games_columns(players)
    if not all(uses) or not columns:
        return None
    seats = range(1, players + 1)
    masks = {f: [_words(columns, f"{f}_{seat}") for seat in seats] for fields in uses for f in fields}
    own = [f"strategy_{seat}" for seat in seats]
    rows = run.games_rows(
        players,
        ["lineup", "deal", "rotation", "winners", "rounds", *own, *(c for m in masks.values() for w in m for c in w)],
        [cell.lineup for cell in cells],
    )
    if rows is None:
        return None
    shared = all(same_deals(cells[0], cell) for cell in cells[1:])
    chunks = [len(cell["chunk"]) for cell in cells]
    chunk = np.full(len(rows["deal"]), -1)
    for i, cell in enumerate(cells):
        mine = rows["lineup"] == cell.lineup
        place = np.searchsorted(cell["first_deal"], rows["deal"][mine], side="right") - 1
        chunk[mine] = place + (0 if shared else sum(chunks[:i]))
    kept = chunk >= 0
    if not kept.any():
        return None
    won = rows["winners"][kept][:, None] >> np.arange(players) & 1
    length = adjust.lengths(rows["rounds"][kept])[:, None]
    strategy = np.stack([rows[name][kept] for name in own], axis=1)
    stratum = (length * len(run.strategies) + strategy) * players + np.arange(players)

    def union(fields: Sequence[str]) -> NDArray[np.int64]:
        each = [np.array([[rows[word][kept] for word in seat] for seat in masks[field]]) for field in fields]
        whole: NDArray[np.int64] = np.bitwise_or.reduce(each)  # by seat, word and game
        return whole.transpose(2, 0, 1).reshape(-1, whole.shape[1])

    at_hand, played = map(union, uses)
    table = adjust.Seats(
        share=(won / won.sum(axis=1, keepdims=True)).ravel(),
        stratum=stratum.ravel(),
        chunk=np.repeat(chunk[kept], players),
        at_hand=at_hand | played,
        played=played,
        chunks=chunks[0] if shared else sum(chunks),
        cells=(chunks[0],) if shared else tuple(chunks),
    )
    seen, lift = adjust.both(table, peers(facts))
    have = use_cases(cells, facts.available_use)
    used = use_cases(cells, facts.played_use)
    few = (used < FEW_CASES) | (have - used < FEW_CASES)
    return blank(seen, have < FEW_CASES), blank(lift, few)


def _words(columns: Collection[str], name: str) -> list[str]:
    """Name the columns that hold a mask: one, or one a word."""
    return [name] if name in columns else sorted(c for c in columns if c.startswith(f"{name}_"))


def mean_of(parts: Sequence[Estimates]) -> Estimates:
    """Mean over player counts, each counting the same; a row missing in some is the mean of the others."""
    return stats.pooled(parts, [np.ones(len(p.value)) for p in parts])


def tie_breaks(cells: Sequence[Cell], facts: GameFacts) -> Estimates:
    """Share of games whose best score is shared but not the win; not in a game that has no tie-break."""
    return blank(per_game(cells, "top_tied", minus="shared"), np.array([not facts.tie_break]))


def blank(estimate: Estimates, rows: NDArray[np.bool_]) -> Estimates:
    """Remove rows that rest on too few cases."""
    return Estimates(np.where(rows, np.nan, estimate.value), np.where(rows, np.nan, estimate.influence), estimate.cells)


def paired(now: Run, before: Run, players: int) -> bool:
    """Whether both runs' mixed tables played the same deals, chunk by chunk."""
    ours, theirs = now.mixed(players), before.mixed(players)
    return (
        same_luck(now, before)
        and len(ours) == len(theirs) > 0
        and all(same_deals(a, b) for a, b in zip(ours, theirs, strict=True))
    )


def same_luck(now: Run, before: Run) -> bool:
    """Whether the same number means the same deal in both runs."""
    return all(now.manifest[key] == before.manifest[key] for key in ("seed", "draws"))


Groups = tuple[NDArray[np.int64], NDArray[np.int64], int]
"""Group of each chunk of the one run, of the other, and how many groups there are."""


def common_groups(now: Run, before: Run, players: int) -> Groups | None:
    """Find groups of chunks that hold the same deals in both runs, though one run is longer or cut otherwise.

    The groups are the longer chunks of the two; where the shorter ones do not fit into them, four of them, each chunk
    counting where its middle lies: luck that two neighbouring groups then have in common widens the range, never
    narrows it. What one run has beyond the end of the other stays as it is. None where too few groups are left.
    """
    ours, theirs = now.mixed(players), before.mixed(players)
    if not same_luck(now, before) or not len(ours) == len(theirs) == 1 or ours[0].kind != theirs[0].kind:
        return None
    cells = (ours[0], theirs[0])
    starts = [cell["first_deal"] for cell in cells]
    end = min(int((cell["first_deal"] + cell["blocks"])[-1]) for cell in cells)
    coarse, fine = sorted((start[start < end] for start in starts), key=len)
    edges = coarse if np.isin(coarse, fine).all() else coarse[::4]
    if len(edges) < stats.FEW_CHUNKS:
        return None
    placed = []
    for cell in cells:
        middle = cell["first_deal"] + cell["blocks"] / 2
        place = np.searchsorted(edges, middle, side="right") - 1
        beyond = middle >= end
        place[beyond] = len(edges) + np.arange(beyond.sum())
        placed.append(np.maximum(place, 0))
    return placed[0], placed[1], max(int(place.max()) for place in placed) + 1


def change(now: Run, before: Run, players: int, ours: Estimates, theirs: Estimates) -> Estimates:
    """Return what changed since the baseline, row by row: deal by deal where both played the same deals."""
    if paired(now, before, players):
        return stats.difference(ours, theirs, paired=True)
    found = common_groups(now, before, players) if len(ours.cells) == len(theirs.cells) == 1 else None
    if found is None:
        return stats.difference(ours, theirs, paired=False)
    first, second, groups = found
    return stats.difference(stats.grouped(ours, first, groups), stats.grouped(theirs, second, groups), paired=True)


def same_deals(a: Cell, b: Cell) -> bool:
    """Whether two cells hold the same deals in the same chunks."""
    return np.array_equal(a["first_deal"], b["first_deal"]) and np.array_equal(a["blocks"], b["blocks"])


def same_games(now: Run, before: Run, players: int) -> bool:
    """Whether all sums of both runs are equal, cell by cell."""
    ours, theirs = ([c for c in run.cells if c.players == players] for run in (now, before))
    return len(ours) == len(theirs) and all(
        a.sums.keys() == b.sums.keys() and all(np.array_equal(a[k], b[k]) for k in a.sums)
        for a, b in zip(ours, theirs, strict=True)
    )


class Counts:
    """The numbers that a game's own panel is built from.

    Attributes
    ----------
    players : list of int
        Player counts played.
    rules : dict
        The effective config of the run.
    """

    def __init__(self, run: Run, facts: GameFacts) -> None:
        self._run = run
        self._facts = facts
        self.players = run.played
        self.rules: dict[str, Any] = run.manifest["config"]

    def games(self, players: int) -> int:
        """Games at the mixed table."""
        return sum(c.games for c in self._run.mixed(players))

    @property
    def items(self) -> Sequence[str]:
        """Names of the items."""
        return self._facts.items

    def group(self, title: str) -> list[str]:
        """Return the group of each item in one of the groupings."""
        return list(self._facts.groups[title])

    def has_items(self, players: int) -> bool:
        """Whether the run counted how the items were used with so many players."""
        return has_items(self._run.mixed(players), self._facts)

    def has(self, players: int, name: str) -> bool:
        """Whether the run counted `name` for this player count."""
        size = int(np.prod(self._facts.counters[name]))
        return all(
            f"counter_{name}" in c.sums and c[f"counter_{name}"].shape[1] == size for c in self._run.mixed(players)
        )

    def counter(self, players: int, name: str) -> NDArray[np.int64]:
        """Return a counter summed over the run, in its own shape."""
        return histogram(self._run.mixed(players), f"counter_{name}").reshape(self._facts.counters[name])

    def cases(self, players: int, use: str) -> NDArray[np.int64]:
        """Return how often (games x seats) each item was used this way."""
        return use_cases(self._run.mixed(players), use)

    def per_game(self, players: int, name: str) -> Estimates:
        """Estimate a counter per game, one row an entry (row-major)."""
        return per_game(self._run.mixed(players), f"counter_{name}")

    def ratio(self, players: int, name: str, to: str) -> Estimates:
        """Estimate one counter divided by another of the same shape, entry by entry."""
        return pooled(self._run.mixed(players), lambda c: c[f"counter_{name}"], lambda c: c[f"counter_{to}"])

    def estimate(
        self, players: int, numerator: Callable[[Cell], ArrayLike], denominator: Callable[[Cell], ArrayLike]
    ) -> Estimates:
        """Estimate a ratio of any sums over chunks; both functions take a cell and give one row a chunk."""
        return pooled(self._run.mixed(players), numerator, denominator)

    def over_counts(self, estimate: Callable[[int], Estimates]) -> Estimates:
        """Mean of an estimate over the player counts, each counting the same."""
        return mean_of([estimate(players) for players in self.players])

    def adjusted(self, players: int, available: str, played: str) -> Estimates | None:
        """Compare seats that used an item in one way with those that used it only in another, among equals.

        Returns
        -------
        Estimates or None
            As the second of `item_adjusted`, for these two uses.
        """
        found = item_adjusted(self._run, replace(self._facts, available_use=available, played_use=played), players)
        return None if found is None else found[1]

    def capped(self, players: int) -> dict[str, dict[str, float]]:
        """Return the share of games that the cap stopped, with its range, for each kind of line-up."""
        kinds = dict.fromkeys(c.kind for c in self._run.cells_on_disk if c.players == players)
        cells = {kind: self._run.of_kind(kind, players) for kind in kinds}
        return {kind: stats.spread(per_game(c, "capped"), "rate", deals(c))[0] for kind, c in cells.items()}

    @cached_property
    def sense(self) -> Sense | None:
        """What one step of a number in the config does to the goals, if that was asked."""
        return answers.stored(self._run.folder, Sense)

    def ranges(self, players: int | None, estimates: Estimates, kind: stats.Kind) -> list[dict[str, float]]:
        """Write estimates as rows: `est`, `lo`, `hi`, and `joint_lo`, `joint_hi` for all rows together.

        For no player count of its own, they are means over all.
        """
        least = min(deals(self._run.mixed(n)) for n in ([players] if players else self.players))
        return stats.spread(estimates, kind, least)

    def crossed(self, players: int, most: int) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
        """Return who won what at the first deals of the mixed table, and who sat where.

        Parameters
        ----------
        most : int
            Deals to read at most.

        Returns
        -------
        share : float64[deals, players, players]
            Share of the win, by deal, seating and seat.
        strategy : int64[deals, players, players]
            Who sat there. None for both where the single games were not kept, or a deal lacks a seating.
        """
        seats = [f"strategy_{seat}" for seat in range(1, players + 1)]
        mixed = [c.lineup for c in self._run.mixed(players) if c.rotations == players]
        rows = self._run.games_rows(players, ["lineup", "deal", "rotation", "winners", *seats], mixed[:1])
        if rows is None or not mixed:
            return None
        rows = {name: column[: most * players] for name, column in rows.items()}
        rotation = rows["rotation"]
        if len(rotation) % players or (rotation != np.arange(len(rotation)) % players).any():
            return None
        won = rows["winners"][:, None] >> np.arange(players) & 1
        share = won / won.sum(axis=1, keepdims=True)
        strategy = np.stack([rows[seat] for seat in seats], axis=1).astype(np.int64)
        shape = (-1, players, players)
        return share.reshape(shape), strategy.reshape(shape)

    def ladder(self, players: int) -> list[tuple[str, str, dict[str, float]]]:
        """Return the steps of skill: each strategy alone among the next weaker one, by strength at the mixed table.

        Returns
        -------
        list of (stronger, weaker, range)
            ``est``, ``lo`` and ``hi`` of the stronger one's win share.
        """
        strength = strategy_shares(self._run.mixed(players)).value
        order = sorted(range(len(strength)), key=lambda i: strength[i])
        cells = {c.members[:2]: c for c in self._run.of_kind("one_vs_rest", players) if c.members}
        steps = []
        for weaker, stronger in pairwise(order):
            if cell := cells.get((stronger, weaker)):
                found = duel(cell)
                low, high = stats.limits(found, stats.single(found), "share", cell.deals)
                names = self._run.strategies
                steps.append((names[stronger], names[weaker], {"est": found.value[0], "lo": low[0], "hi": high[0]}))
        return steps
