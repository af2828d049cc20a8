"""Momiji: where points come from, how piles and games end, what objectives, acorns and landscapes bring."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports import stats, words
from reports.blocks import Cell
from reports.facts import Panel
from reports.figures.scales import digits
from reports.measures import Counts
from sim.games.interface import SHARE_UNITS
from sim.games.momiji.cards import (
    ACORNS,
    FIRST_LANDSCAPE,
    FIRST_OBJECTIVE,
    FOR_COSTS,
    HIGHEST,
    LANDSCAPES,
    OBJECTIVES,
    POINTS,
    REASONS,
    SEATS,
    VALUES,
    objective_words,
)

FLOWS = {
    "start": "start",
    "pairs": "pairs",
    "discards": "discards",
    "activate": "objectives",
    "patron": "with patron",
    "reveal": "reveals",
    "landscape": "landscapes",
}
"""Where acorns come from and go to, as short as a row is."""

PILES, LEFT_OVER = POINTS.index("piles"), POINTS.index("acorns")
PATRON = ACORNS.index("patron")
TORII = REASONS.index("torii_limit")

Row = dict[str, Any]
Sums = NDArray[np.int64]


# --- data ------------------------------------------------------------------------------------------------------


def _by_seat(cell: Cell, counter: str, players: int) -> Sums:
    """Sums of a counter by chunk, seat in play, and entry."""
    sums: Sums = cell[f"counter_{counter}"].reshape(len(cell["games"]), SEATS, -1)[:, :players]
    return sums


def _in_all(cell: Cell, counter: str) -> Sums:
    """Sums of a counter by chunk and entry, all seats together."""
    sums: Sums = _by_seat(cell, counter, SEATS).sum(axis=1)
    return sums


def _of(use: str, first: int, names: Sequence[str]) -> Callable[[Cell], Sums]:
    """Read from a cell how often each objective, or landscape, was used this way."""

    def read(cell: Cell) -> Sums:
        cases: Sums = cell[f"use_{use}"][:, first : first + len(names)]
        return cases

    return read


def _games(cell: Cell) -> Sums:
    return cell["games"]


def _counted(counts: Counts, *counters: str) -> list[int]:
    return [n for n in counts.players if all(counts.has(n, name) for name in counters)]


def _middle(tables: Sequence[Row]) -> Row:
    return tables[len(tables) // 2]


def _where(tables: Sequence[Row], table: Row) -> str:
    """Say with how many players a headline holds, where it must be said: "With three players "."""
    return f"{words.sentence(words.with_players(table['players']))} " if len(tables) > 1 else ""


def _cells(row: Row, places: int, scale: float = 1.0, *, signed: bool = False) -> list[str]:
    """Write an estimate and its range; scale 100 writes percent."""
    if not np.isfinite(row["est"]):
        return ["–", "–"]
    text = words.number(scale * row["est"], places, signed=signed) + ("%" if scale == 100.0 else "")
    return [text, words.span(scale * row["lo"], scale * row["hi"], places, signed=signed)]


def _table(caption: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[Row]]], scales: Any = ()) -> Row:
    """Make a table of estimates, each with its range.

    Parameters
    ----------
    columns : sequence of str
        Head of the labels, then of each estimate.
    rows : iterable of (str, sequence of dict)
        Label and estimates.
    scales : sequence of float
        100 for each column of shares, 1 for others; all 1 without it.
    """
    body = list(rows)
    width = len(columns) - 1
    scales = scales or (1.0,) * width
    places = [digits([row[k] for _, row in body], scales[k], "lo", "hi") for k in range(width)]
    head = [columns[0], *(text for column in columns[1:] for text in (column, "Range"))]
    return {
        "caption": f"{caption}, with 95% ranges",
        "columns": head,
        "rows": [
            [label, *(text for k in range(width) for text in _cells(row[k], places[k], scales[k]))]
            for label, row in body
        ],
    }


# --- points by source ------------------------------------------------------------------------------------------


def points(counts: Counts) -> list[Row]:
    """Show what points are made of, how high piles get, and what ends the games."""
    played = _counted(counts, "points", "piles", "pile_leaves")
    if not played:
        return []
    return [
        _sources([_source_data(counts, n) for n in played]),
        _piles([_pile_data(counts, n) for n in played]),
        _endings([_ending_data(counts, n) for n in played]),
    ]


def _source_data(counts: Counts, players: int) -> Row:
    """Estimate the points by seat and source, the parts of the sources, and what the first seat has more of each."""

    def seats(cell: Cell) -> Sums:
        return _by_seat(cell, "points", players)

    flat = counts.estimate(players, lambda c: seats(c).reshape(len(c["games"]), -1), _games)
    part = counts.estimate(
        players, lambda c: _in_all(c, "points"), lambda c: _in_all(c, "points").sum(axis=1, keepdims=True)
    )
    ahead = counts.estimate(players, lambda c: seats(c)[:, 0] - seats(c)[:, -1], _games)
    lead = counts.estimate(players, lambda c: (seats(c)[:, 0] - seats(c)[:, -1]).sum(axis=1), _games)
    rows = counts.ranges(players, flat, "mean")
    return {
        "players": players,
        "seats": [rows[seat * len(POINTS) : (seat + 1) * len(POINTS)] for seat in range(players)],
        "part": counts.ranges(players, part, "mean"),
        "ahead": counts.ranges(players, ahead, "mean"),
        "lead": counts.ranges(players, lead, "mean")[0],
    }


def _sources(tables: Sequence[Row]) -> Row:
    focus = _middle(tables)
    players = words.plural(focus["players"], "player")
    return {
        "id": "sources",
        "headline": _sources_headline(tables, focus),
        "sub": f"Points of a player by source and seat, {players}",
        "how": "Objectives: all that a player is best at, held or not. An acorn left over is a point.",
        "panels": [
            {
                "kind": "bars",
                "title": source.capitalize(),
                "title_right": f"{words.percent(focus['part'][k]['est'], 0)} of all points",
                "value_head": "points",
                "rows": [
                    {
                        "label": words.ordinal(seat + 1),
                        "value": row[k]["est"],
                        "text": words.number(row[k]["est"], 1),
                    }
                    for seat, row in enumerate(focus["seats"])
                ],
            }
            for k, source in enumerate(POINTS)
        ],
        "numbers": [
            _table(
                "Points by seat and source",
                ["Seat", *(source.capitalize() for source in POINTS)],
                (
                    (f"{words.plural(t['players'], 'player')}, {words.ordinal(seat + 1)}", row)
                    for t in tables
                    for seat, row in enumerate(t["seats"])
                ),
            ),
            _table(
                "Points that the first player has more than the last one",
                ["Players", "In all", *(source.capitalize() for source in POINTS)],
                ((str(t["players"]), [t["lead"], *t["ahead"]]) for t in tables),
            ),
            _table(
                "Parts of all points",
                ["Players", *(source.capitalize() for source in POINTS)],
                ((str(t["players"]), t["part"]) for t in tables),
                (100.0,) * len(POINTS),
            ),
        ],
    }


def _sources_headline(tables: Sequence[Row], focus: Row) -> str:
    """Say what points are made of, and where the first player's lead over the last one comes from."""
    order = sorted(range(len(POINTS)), key=lambda k: -focus["part"][k]["est"])
    first, *others = (f"{POINTS[k]} {{}}{words.percent(focus['part'][k]['est'], 0)}" for k in order)
    parts = words.listing([first.format("bring "), *(other.format("") for other in others)])
    text = f"{_where(tables, focus)}{parts} of the points"
    sign = 1 if focus["lead"]["est"] > 0 else -1
    if focus["lead"]["lo"] <= 0.0 <= focus["lead"]["hi"]:
        return words.sentence(text)
    source = max(range(len(POINTS)), key=lambda k: sign * focus["ahead"][k]["est"])
    lead, of_it = (words.number(abs(row["est"]), 1) for row in (focus["lead"], focus["ahead"][source]))
    last = words.seat_name(focus["players"] - 1)
    who, behind = ("the first player", last) if sign > 0 else (last, "the first player")
    return words.sentence(f"{text}; {who} is {lead} ahead of {behind}, {of_it} of it in {POINTS[source]}")


# --- piles -----------------------------------------------------------------------------------------------------


def _pile_data(counts: Counts, players: int) -> Row:
    """Estimate by top value how many piles a player has, their parts, and the leaves and points of one."""
    tops = np.arange(VALUES)

    def piles(cell: Cell) -> Sums:
        return _in_all(cell, "piles")

    def worth(cell: Cell) -> Sums:
        return _in_all(cell, "pile_leaves") * tops

    def rows(top: Callable[[Cell], Any], bottom: Callable[[Cell], Any], kind: stats.Kind = "mean") -> list[Row]:
        return counts.ranges(players, counts.estimate(players, top, bottom), kind)

    return {
        "players": players,
        "number": rows(piles, lambda c: c["games"] * players),
        "leaves": rows(lambda c: _in_all(c, "pile_leaves"), piles),
        "points": rows(worth, piles),
        "part": rows(piles, lambda c: piles(c).sum(axis=1), "rate"),
        "part_worth": rows(worth, lambda c: worth(c).sum(axis=1)),
    }


def _top(value: int) -> str:
    return "torii" if value == HIGHEST else f"top {value}"


def _piles(tables: Sequence[Row]) -> Row:
    focus = _middle(tables)
    torii, worth, flat = (
        words.percent(row["est"], 0) for row in (focus["part"][HIGHEST], focus["part_worth"][HIGHEST], focus["part"][0])
    )
    return {
        "id": "piles",
        "headline": words.sentence(
            f"{_where(tables, focus)}{torii} of the piles are closed by a torii and bring {worth} of the piles’ "
            f"points; {flat} never rise above 0 and bring none"
        ),
        "sub": "Piles of a player at the end by value of the top leaf · right: points that one pile brings",
        "how": f"A pile is worth its top value times its leaves; a {HIGHEST} is a torii and closes it.",
        "panels": [
            {
                "kind": "bars",
                "title": words.plural(t["players"], "player"),
                "title_right": f"{words.number(sum(row['est'] for row in t['number']), 1)} piles",
                "value_head": "piles a player",
                "right_head": "points each",
                "rows": [
                    {
                        "label": _top(value),
                        "value": t["number"][value]["est"],
                        "text": words.number(t["number"][value]["est"], 2),
                        "right": words.number(t["points"][value]["est"], 1),
                    }
                    for value in range(VALUES)
                    if np.isfinite(t["points"][value]["est"])
                ],
            }
            for t in tables
        ],
        "numbers": [
            _table(
                "Piles at the end by their top",
                [
                    "Top, players",
                    "Piles a player",
                    "Leaves in one",
                    "Points of one",
                    "Of all piles",
                    "Of the piles’ points",
                ],
                (
                    (
                        f"{_top(value)}, {words.plural(t['players'], 'player')}",
                        [t[key][value] for key in ("number", "leaves", "points", "part", "part_worth")],
                    )
                    for t in tables
                    for value in range(VALUES)
                ),
                (1.0, 1.0, 1.0, 100.0, 100.0),
            )
        ],
    }


# --- the end ---------------------------------------------------------------------------------------------------


def _ending_data(counts: Counts, players: int) -> Row:
    """Estimate how often what ends the game, and how many piles are closed by then."""
    reasons = counts.estimate(players, lambda c: c["reasons"], _games)
    closed = counts.estimate(players, lambda c: _in_all(c, "piles")[:, HIGHEST], _games)
    return {
        "players": players,
        "limit": counts.rules["torii_limit"][players - 2],
        "reasons": counts.ranges(players, reasons, "rate"),
        "closed": counts.ranges(players, closed, "mean")[0],
    }


def _endings(tables: Sequence[Row]) -> Row:
    def torii(table: Row) -> float:
        share: float = table["reasons"][TORII]["est"]
        return share

    most, least = max(tables, key=torii), min(tables, key=torii)
    text = f"the torii end {words.percent(torii(most), 0)} of games"
    if torii(most) > torii(least):
        text += f" {words.with_players(most['players'])} and {words.percent(torii(least), 0)}"
        text += f" {words.with_players(least['players'])}"
    return {
        "id": "endings",
        "headline": words.sentence(f"{text}; the others end with the deck"),
        "sub": "Share of games that end with enough piles closed · right: piles closed at the end, and the limit",
        "how": "Closed piles of all players together.",
        "panels": [
            {
                "kind": "bars",
                "title": "Ends by torii",
                "value_head": "of the games",
                "right_head": "closed",
                "rows": [
                    {
                        "label": words.plural(t["players"], "player"),
                        "value": torii(t),
                        "text": words.percent(torii(t), 0),
                        "right": f"{words.number(t['closed']['est'], 1)} of {t['limit']}",
                    }
                    for t in tables
                ],
            }
        ],
        "numbers": [
            _table(
                "What ends the games",
                ["Players", "By torii", "By the deck", "Piles closed at the end"],
                ((str(t["players"]), [t["reasons"][TORII], t["reasons"][1 - TORII], t["closed"]]) for t in tables),
                (100.0, 100.0, 1.0),
            )
        ],
    }


# --- objectives ------------------------------------------------------------------------------------------------


def objectives(counts: Counts) -> list[Row]:
    """Show how often objectives are activated, and who wins them."""
    tables = [_objective_data(counts, n) for n in _counted(counts, "acorns") if counts.cases(n, "owned").any()]
    tables = [t for t in tables if t["aims"]]
    return [_objectives(tables)] if tables else []


def _objective_data(counts: Counts, players: int) -> Row:
    """Estimate for each objective in play how often it is taken and won, and for all what one brings and costs."""
    in_play, used, held, others = (
        _of(f"games_{use}", FIRST_OBJECTIVE, OBJECTIVES) for use in ("owned", "used", "won_held", "won_other")
    )
    aims = counts.rules["objectives"]
    usual = aims["holder"], aims["others"]
    worth = np.array([aims["points"].get(name, usual)[0] for name in OBJECTIVES])

    def rows(top: Callable[[Cell], Any], bottom: Callable[[Cell], Any], kind: stats.Kind) -> list[Row]:
        return counts.ranges(players, counts.estimate(players, top, bottom), kind)

    def taken(cell: Cell) -> Any:
        return used(cell).sum(axis=1)

    def paid(cell: Cell) -> Any:
        return -_in_all(cell, "acorns")[:, [FOR_COSTS, PATRON]].sum(axis=1)

    each = {
        "taken": rows(used, lambda c: in_play(c) / players, "rate"),
        "held": rows(held, used, "rate"),
        "others": rows(others, used, "mean"),
    }
    return {
        "players": players,
        "count": aims["count"][players - 2],
        "aims": [
            {"name": name, **{key: found[k] for key, found in each.items()}}
            for k, name in enumerate(OBJECTIVES)
            if np.isfinite(each["taken"][k]["est"])
        ],
        "a_game": rows(taken, _games, "mean")[0],
        "held": rows(lambda c: held(c).sum(axis=1), taken, "rate")[0],
        "others": rows(lambda c: others(c).sum(axis=1), taken, "mean")[0],
        "worth": rows(lambda c: (held(c) * worth).sum(axis=1), taken, "mean")[0],
        "paid": rows(paid, taken, "mean")[0],
    }


def _kind_of(name: str) -> str:
    return {"type": "Most of a type", "value": "Most of a value"}.get(name.split(":")[0], "Over all")


def _short(name: str) -> str:
    """Name an objective in a row: "type a", "0s", "highest sum"."""
    match name.split(":"):
        case ["value", value]:
            return f"{value}s"
        case ["visible_sum"]:
            return "highest sum"
        case ["most_cards"]:
            return "most leaves"
    return name.replace(":", " ")


def _objectives(tables: Sequence[Row]) -> Row:
    focus = _middle(tables)
    return {
        "id": "objectives",
        "headline": _objectives_headline(tables, focus),
        "sub": "How often an objective in play is activated · right: how often its holder then is best at it, "
        f"{words.plural(focus['players'], 'player')}",
        "how": "An acorn kept would be a point. Others who are best at an activated objective are in the numbers. "
        "Highest sum: of the visible leaves.",
        "panels": [
            {
                "kind": "bars",
                "title": title,
                "value_head": "activated",
                "right_head": "holder wins",
                "rows": [
                    {
                        "label": _short(aim["name"]),
                        "value": aim["taken"]["est"],
                        "text": words.percent(aim["taken"]["est"], 0),
                        "right": words.percent(aim["held"]["est"], 0) if np.isfinite(aim["held"]["est"]) else "–",
                    }
                    for aim in members
                ],
            }
            for title, members in groupby(focus["aims"], key=lambda aim: _kind_of(aim["name"]))
        ],
        "numbers": [
            _table(
                "Objectives: activated, won by the holder and by others",
                ["Objective, players", "Activated when in play", "Won by the holder", "Other winners of one"],
                (
                    (
                        f"{objective_words(aim['name'])}, {words.plural(t['players'], 'player')}",
                        [aim[key] for key in ("taken", "held", "others")],
                    )
                    for t in tables
                    for aim in t["aims"]
                ),
                (100.0, 100.0, 1.0),
            ),
            _table(
                "All objectives together",
                [
                    "Players",
                    "Activated in a game",
                    "Won by the holder",
                    "Other winners of one",
                    "Points that one brings its holder",
                    "Acorns paid for one",
                ],
                (
                    (
                        f"{t['players']}, {t['count']} in play",
                        [t[k] for k in ("a_game", "held", "others", "worth", "paid")],
                    )
                    for t in tables
                ),
                (1.0, 100.0, 1.0, 1.0, 1.0),
            ),
        ],
    }


def _objectives_headline(tables: Sequence[Row], focus: Row) -> str:
    """Say how many are activated, and whether one brings what it costs."""
    taken = words.number(focus["a_game"]["est"], 1)
    text = f"{_where(tables, focus)}{taken} of {focus['count']} objectives are activated"
    if not np.isfinite(focus["held"]["est"]):
        return words.sentence(text)
    held, worth, paid = (
        words.percent(focus["held"]["est"], 0),
        words.number(focus["worth"]["est"], 1),
        words.number(focus["paid"]["est"], 1),
    )
    return words.sentence(f"{text}; their holders win {held} of them: {worth} points each, for {paid} acorns")


# --- acorns ----------------------------------------------------------------------------------------------------


def acorns(counts: Counts) -> list[Row]:
    """Show where acorns come from and go to, and what is left of them at each seat."""
    tables = [_acorn_data(counts, n) for n in _counted(counts, "acorns", "points")]
    return [_acorns(tables)] if tables else []


def _acorn_data(counts: Counts, players: int) -> Row:
    """Estimate the acorns of a player by source, and by seat what comes in, goes out, is left and is lacking."""

    def seats(cell: Cell) -> Sums:
        return _by_seat(cell, "acorns", players)

    def rows(top: Callable[[Cell], Any], bottom: Callable[[Cell], Any] = _games) -> list[Row]:
        return counts.ranges(players, counts.estimate(players, top, bottom), "mean")

    def behind(cell: Cell) -> Any:
        score = _by_seat(cell, "points", players).sum(axis=2)
        return score[:, :1] - score

    return {
        "players": players,
        "flow": rows(lambda c: _in_all(c, "acorns"), lambda c: c["games"] * players),
        "left": rows(lambda c: seats(c).sum(axis=(1, 2)), lambda c: c["games"] * players)[0],
        "left_part": rows(lambda c: seats(c).sum(axis=(1, 2)), lambda c: seats(c)[..., :FOR_COSTS].sum(axis=(1, 2)))[0],
        "seats": list(
            zip(
                rows(lambda c: seats(c)[..., :FOR_COSTS].sum(axis=2)),
                rows(lambda c: -seats(c)[..., FOR_COSTS:].sum(axis=2)),
                rows(lambda c: seats(c).sum(axis=2)),
                rows(behind),
                strict=True,
            )
        ),
    }


def _acorns(tables: Sequence[Row]) -> Row:
    focus = _middle(tables)
    pairs = words.number(focus["flow"][ACORNS.index("pairs")]["est"], 1)
    left = words.percent(focus["left_part"]["est"], 0)
    flows = [k for k in range(len(ACORNS)) if any(t["flow"][k]["est"] for t in tables)]

    def lines(table: Row) -> list[tuple[str, Row]]:
        return [*((FLOWS[ACORNS[k]], table["flow"][k]) for k in flows), ("left over", table["left"])]

    return {
        "id": "acorns",
        "headline": words.sentence(
            f"{_where(tables, focus)}a player earns {pairs} acorns with pairs, and {left} of all acorns are left over"
        ),
        "sub": "Acorns of a player in a game: what brings them, what they are paid for, what is left",
        "how": "Blue: come in, or left over. Brown: paid. An acorn left over is a point. How many at the start would "
        "make all seats win alike, hakari compensate momiji tells; its answer stands under Seats.",
        "panels": [
            {
                "kind": "bars",
                "title": words.plural(t["players"], "player"),
                "value_head": "acorns",
                "rows": [
                    {"label": label, "value": row["est"], "text": words.number(row["est"], 1)}
                    for label, row in lines(t)
                ],
            }
            for t in tables
        ],
        "numbers": [
            _table(
                "Acorns of a player by source and use",
                ["Players, source or use", "Acorns"],
                (
                    (f"{words.plural(t['players'], 'player')}, {label}", [row])
                    for t in tables
                    for label, row in lines(t)
                ),
            ),
            _table(
                "Acorns by seat, and points behind the first player",
                ["Seat", "Come in", "Paid", "Left over", "Points behind the first player"],
                (
                    (f"{words.plural(t['players'], 'player')}, {words.ordinal(seat + 1)}", row)
                    for t in tables
                    for seat, row in enumerate(t["seats"])
                ),
            ),
        ],
    }


# --- landscapes ------------------------------------------------------------------------------------------------


def landscapes(counts: Counts) -> list[Row]:
    """Show how often landscapes are used, and how often their users win."""
    tables = [_landscape_data(counts, n) for n in counts.players if counts.cases(n, "owned").any()]
    tables = [t for t in tables if t["tiles"]]
    return [_landscapes(tables)] if tables else []


def _landscape_data(counts: Counts, players: int) -> Row:
    """Estimate for each landscape that somebody has how often it is used, and the wins with and without using it."""
    owned, used, share, share_owned = (
        _of(use, FIRST_LANDSCAPE, LANDSCAPES) for use in ("games_owned", "games_used", "share_used", "share_owned")
    )
    using = counts.estimate(players, used, owned)
    wins = counts.estimate(players, lambda c: share(c) / SHARE_UNITS, used)
    without = counts.estimate(
        players, lambda c: (share_owned(c) - share(c)) / SHARE_UNITS, lambda c: owned(c) - used(c)
    )
    found = {
        "used": counts.ranges(players, using, "rate"),
        "wins": counts.ranges(players, wins, "share"),
        "without": counts.ranges(players, without, "share"),
    }
    return {
        "players": players,
        "tiles": [
            {"name": name.replace("_", " "), **{key: rows[k] for key, rows in found.items()}}
            for k, name in enumerate(LANDSCAPES)
            if np.isfinite(found["used"][k]["est"])
        ],
    }


def _landscapes(tables: Sequence[Row]) -> Row:
    focus = _middle(tables)
    return {
        "id": "landscapes",
        "headline": landscapes_headline(tables, focus),
        "sub": "Share of the players who have a landscape that use it · right: how often whoever used it wins",
        "how": "Wins are an association, not a cause: it depends on who uses a landscape, and when. What each is worth "
        "by itself, hakari cards momiji --kind ban tells.",
        "panels": [
            {
                "kind": "bars",
                "title": words.plural(t["players"], "player"),
                "title_right": f"par {words.tidy(1.0 / t['players'], 1)}",
                "room": 100,
                "value_head": "used",
                "right_head": "user wins",
                "rows": [
                    {
                        "label": tile["name"],
                        "value": tile["used"]["est"],
                        "text": words.percent(tile["used"]["est"], 0),
                        "right": words.percent(tile["wins"]["est"], 0) if np.isfinite(tile["wins"]["est"]) else "–",
                    }
                    for tile in t["tiles"]
                ],
            }
            for t in tables
        ],
        "numbers": [
            _table(
                "Landscapes",
                ["Landscape, players", "Used by those who have it", "Wins, used", "Wins, had and not used"],
                (
                    (
                        f"{tile['name']}, {words.plural(t['players'], 'player')}",
                        [tile[key] for key in ("used", "wins", "without")],
                    )
                    for t in tables
                    for tile in t["tiles"]
                ),
                (100.0,) * 3,
            )
        ],
    }


def landscapes_headline(tables: Sequence[Row], focus: Row) -> str:
    """Name the landscapes used most and least, if they surely differ."""
    ranked = sorted(focus["tiles"], key=lambda tile: -tile["used"]["est"])
    most, least = ranked[0], ranked[-1]
    high, low = (words.percent(tile["used"]["est"], 0) for tile in (most, least))
    text = f"“{most['name']}” is used by {high} of its owners"
    if most["used"]["joint_lo"] > least["used"]["joint_hi"]:
        text = f"“{most['name']}” is used most, by {high} of its owners, and “{least['name']}” least, by {low}"
    elif len(ranked) > 1:
        text = f"each landscape is used by {low} to {high} of its owners, none surely more than the others"
    return words.sentence(f"{_where(tables, focus)}{text}")


PANELS = (
    Panel("points", "Points", points),
    Panel("objectives", "Objectives", objectives),
    Panel("acorns", "Acorns", acorns),
    Panel("landscapes", "Landscapes", landscapes),
)
