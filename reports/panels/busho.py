"""Sengoku Generals: which generals are completed and how, who grabs what others throw away, and how games end."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports import measures, stats, words
from reports.blocks import Cell
from reports.facts import Panel
from reports.figures.scales import counts_word, digits
from reports.measures import Counts
from reports.stats import Estimates
from sim.games.interface import SHARE_UNITS

ROWS = 12
"""Rows of a chart of the highest or the lowest."""

LABELS = 176
"""Pixels for a general's name with its reading."""

EVEN = 0.05
"""Parts of all grabs that differ by less are called even."""

WAYS = {"shown": "shown", "grabbed": "grabbed", "laid": "laid down"}
"""Uses that complete a name, in the order of the counter of names."""

MEANINGS = {
    "shown": "Shown: drawn oneself.",
    "grabbed": "Grabbed: completed by another’s discard.",
    "laid": "Laid down: still in hand at the end.",
}

ENDS = {
    "empty": "empty hand",
    "cards": "fewest cards",
    "crests": "crests",
    "adjusted": "crests, adjusted",
    "shared": "shared win",
}
"""What a game is decided by; every game is counted once."""

Row = dict[str, Any]
Matrix = NDArray[np.int64]


def generals(counts: Counts) -> list[Row]:
    """Show which generals are completed, what goes with winning, what the crests have to do with it, and how."""
    if not counts.players or not all(counts.has_items(n) for n in counts.players):
        return []
    rows = _generals(counts)
    figures = [_completed(rows, counts), _winning(rows, counts), _crests(counts)]
    return [*figures, _ways(_by_way(counts), counts)]


def grabs(counts: Counts) -> list[Row]:
    """Show who grabs, by the seat after the discarder, and what is fed to grabs."""
    figures = []
    if counts.players and all(counts.has(n, name) for n in counts.players for name in ("grabs", "chances", "chains")):
        figures.append(_distances(_by_distance(counts), counts))
    if counts.players and all(counts.has_items(n) and counts.has(n, "throws") for n in counts.players):
        figures.append(_fed(counts))
    return figures


def ends(counts: Counts) -> list[Row]:
    """Show what ends and what decides a game."""
    played = [n for n in counts.players if counts.has(n, "ties")]
    return [_decided({n: _by_end(counts, n) for n in played})] if played else []


def _used(use: str, what: str = "games") -> Callable[[Cell], NDArray[Any]]:
    """Return what reads a use of all items off a cell: the cases, or the wins that they had a share of."""
    return lambda cell: cell[f"use_{what}_{use}"] / (SHARE_UNITS if what == "share" else 1)


def _games(cell: Cell) -> Matrix:
    return cell["games"]


def _where(counts: Sequence[int]) -> str:
    """Name the player count of a headline, if there are several to choose from."""
    return f" {words.with_players(_focus(counts))}" if len(counts) > 1 else ""


def _focus(players: Sequence[int]) -> int:
    return players[len(players) // 2]


# --- generals --------------------------------------------------------------------------------------------------


def _generals(counts: Counts) -> list[Row]:
    """Estimate for each general how often it is completed and what goes with it, player counts alike."""
    number = counts.group("kind").count("general")

    def of_generals(use: str, what: str = "games") -> Callable[[Cell], NDArray[Any]]:
        return lambda cell: _used(use, what)(cell)[:, :number]

    def winning(n: int) -> Estimates:
        won, made = of_generals("completed", "share"), of_generals("completed")
        every = counts.estimate(n, lambda c: won(c).sum(axis=1), lambda c: made(c).sum(axis=1))
        difference = stats.difference(counts.estimate(n, won, made), every.rows([0] * number), paired=True)
        return measures.blank(difference, counts.cases(n, "completed")[:number] < measures.FEW_CASES)

    times = counts.over_counts(lambda n: counts.estimate(n, of_generals("completed"), _games))
    grabbed = counts.over_counts(lambda n: counts.estimate(n, of_generals("grabbed"), of_generals("completed")))
    copies = {card["family"]: card["copies"] for card in counts.rules["family_cards"]}
    copies |= {card["kanji"]: card["copies"] for card in counts.rules["first_name_cards"]}
    found = zip(
        counts.items[:number],
        ["·".join(str(copies[part]) for part in (g["family"], *g["given"])) for g in counts.rules["generals"]],
        counts.group("family"),
        counts.group("crests"),
        counts.ranges(None, times, "mean"),
        counts.ranges(None, grabbed, "rate"),
        counts.ranges(None, counts.over_counts(winning), "difference"),
        strict=False,
    )
    keys = ("name", "copies", "family", "crests", "times", "grabbed", "winning")
    return [dict(zip(keys, each, strict=True)) for each in found]


def _completed(rows: Sequence[Row], counts: Counts) -> Row:
    """Draw the generals that are completed most and least; tabulate all."""
    ranked = sorted(rows, key=lambda row: -row["times"]["est"])
    high, low = ranked[0], ranked[-1]
    places, parts = digits((r["times"] for r in rows), 100.0, "lo", "hi"), digits(r["grabbed"] for r in rows)
    points = digits(row["winning"] for row in rows)
    surely = high["times"]["joint_lo"] > low["times"]["joint_hi"]
    often = [words.number(100 * row["times"]["est"], places) for row in (high, low)]
    return {
        "id": "completed",
        "headline": f"{high['name']} is completed most, {often[0]} times in 100 games, and {low['name']} least, "
        f"{often[1]} times"
        if surely
        else "No general is surely completed more often than another",
        "sub": f"Times completed in 100 games, by anybody · {counts_word(counts.players)}",
        "how": "At the right: how many copies there are of the three cards, family name first. The table has all "
        f"{words.spelled(len(rows))} generals.",
        "panels": [
            {
                "kind": "bars",
                "title": title,
                "room": LABELS,
                "value_head": "in 100 games",
                "right_head": "copies",
                "rows": [
                    {
                        "label": row["name"],
                        "value": 100 * row["times"]["est"],
                        "text": words.number(100 * row["times"]["est"], places),
                        "right": row["copies"],
                    }
                    for row in shown
                ],
            }
            for title, shown in _ends_of(ranked)
        ],
        "numbers": [
            {
                "caption": "All generals, by family, with 95% ranges",
                "columns": [
                    "General",
                    ["Family", False],
                    ["Copies", False],
                    "Crests",
                    "Completed in 100 games",
                    "Range",
                    "Of them by a grab",
                    "Range",
                    "Completed with winning, pp",
                    "Joint range",
                ],
                "rows": [
                    [
                        row["name"],
                        row["family"],
                        row["copies"],
                        row["crests"].split()[0],
                        words.number(100 * row["times"]["est"], places),
                        words.span(100 * row["times"]["lo"], 100 * row["times"]["hi"], places),
                        words.percent(row["grabbed"]["est"], parts),
                        words.span(100 * row["grabbed"]["lo"], 100 * row["grabbed"]["hi"], parts),
                        *_points(row["winning"], points, "joint_"),
                    ]
                    for row in rows
                ],
            }
        ],
    }


def _ends_of(ranked: Sequence[Row]) -> list[tuple[str, Sequence[Row]]]:
    """Split a ranking into what is drawn of it: its two ends, or all."""
    if len(ranked) <= 2 * ROWS:
        return [("All generals", ranked)]
    return [
        (f"The {words.spelled(ROWS)} highest", ranked[:ROWS]),
        (f"The {words.spelled(ROWS)} lowest", ranked[-ROWS:]),
    ]


def _winning(rows: Sequence[Row], counts: Counts) -> Row:
    """Draw what goes with completing a general, from the average completed general."""
    known = [row for row in rows if np.isfinite(row["winning"]["est"])]
    ranked = sorted(known, key=lambda row: -row["winning"]["est"])
    places = digits(row["winning"] for row in rows)
    apart = [row for row in ranked if not row["winning"]["joint_lo"] <= 0.0 <= row["winning"]["joint_hi"]]
    far = max(apart, key=lambda row: abs(row["winning"]["est"]), default=None)
    return {
        "id": "winning",
        "headline": f"{words.sentence(words.spelled(len(apart)))} of {len(rows)} generals surely go with winning more "
        f"or less than the average one; {far['name']} most, {_points(far['winning'], places)[0]} points"
        if far
        else "Which general is completed makes no sure difference to who wins",
        "sub": "Win share of who completed it, points from the average completed general · "
        f"{counts_word(counts.players)}",
        "how": f"Hollow: an association, not a cause. Thin line: range that holds for all {len(rows)} generals "
        "together.",
        "panels": [
            {
                "kind": "dots",
                "title": title,
                "width": "M",
                "room": LABELS,
                "pitch": 21,
                "rows": [
                    {
                        "label": row["name"],
                        "value": _points(row["winning"], places)[0],
                        "x": 100 * row["winning"]["est"],
                        **{key: 100 * row["winning"][key] for key in ("lo", "hi", "joint_lo", "joint_hi")},
                        "tone": "base",
                        "hollow": True,
                    }
                    for row in shown
                ],
            }
            for title, shown in _ends_of(ranked)
        ]
        if ranked
        else [],
        "numbers": [],
    }


def _points(row: Mapping[str, float], places: int, ends: str = "") -> list[str]:
    """Write a difference in points, and its range."""
    low, high = (100 * row[f"{ends}{end}"] for end in ("lo", "hi"))
    return [words.number(100 * row["est"], places, signed=True), words.span(low, high, places, signed=True)]


# --- crests ----------------------------------------------------------------------------------------------------


def _member(counts: Counts, kind: str) -> tuple[list[str], Matrix]:
    """Sort the items of a kind by their crests: the numbers of crests, and who has them (items x numbers)."""
    pairs = list(zip(counts.group("kind"), counts.group("crests"), strict=True))
    order = sorted({crests for each, crests in pairs if each == kind}, key=lambda text: int(text.split()[0]))
    return order, np.array(
        [[each == kind and crests == wanted for wanted in order] for each, crests in pairs], np.int64
    )


def _crests(counts: Counts) -> Row:
    """Draw how the number of crests goes with being completed, for generals and for first names."""
    order, member = _member(counts, "general")
    size = member.sum(axis=0)
    made = counts.over_counts(
        lambda n: counts.estimate(n, lambda c: c["use_games_completed"] @ member, lambda c: np.outer(c["games"], size))
    )
    names, of_name = _member(counts, "first name")

    def part(use: str) -> list[Row]:
        def of(n: int) -> Estimates:
            return counts.estimate(n, lambda c: _used(use)(c) @ of_name, lambda c: c["use_games_held"] @ of_name)

        return counts.ranges(None, counts.over_counts(of), "rate")

    times, spelled, kept = counts.ranges(None, made, "mean"), part("completed"), part("kept")
    least = names.index(next(label for label in names if label != "0 crests"))  # without crests a card fits nothing
    few, many = spelled[least], spelled[-1]
    return {
        "id": "crests",
        "headline": f"A first name with {names[-1]} becomes part of a name {words.percent(many['est'], 0)} of the "
        f"times it is at hand, one with {names[least]} {words.percent(few['est'], 0)}",
        "sub": f"By the number of crests · {counts_word(counts.players)}",
        "how": "A crest on a first name is a family that it fits; crests also count against whoever keeps the card in "
        "a tie.",
        "panels": [
            {
                "kind": "bars",
                "title": "Generals, by the crests on both first names",
                "own_scale": True,
                "value_head": "completed in 100 games, each",
                "rows": [
                    {"label": label, "value": 100 * row["est"], "text": words.number(100 * row["est"], 1)}
                    for label, row in zip(order, times, strict=True)
                ],
            },
            {
                "kind": "bars",
                "title": "First names, by their crests",
                "own_scale": True,
                "value_head": "% part of a name",
                "right_head": "left at the end",
                "rows": [
                    {
                        "label": label,
                        "value": 100 * row["est"],
                        "text": words.number(100 * row["est"], 0),
                        "right": words.percent(left["est"], 0),
                    }
                    for label, row, left in zip(names, spelled, kept, strict=True)
                ],
            },
        ],
        "numbers": [
            {
                "caption": "Generals by the crests on both first names, with 95% ranges",
                "columns": ["Crests", "Generals", "Completed in 100 games, each", "Range"],
                "rows": [
                    [label, str(n), words.number(100 * r["est"], 2), words.span(100 * r["lo"], 100 * r["hi"], 2)]
                    for label, n, r in zip(order, size, times, strict=True)
                ],
            },
            {
                "caption": "First names by their crests: of the times at hand, with 95% ranges",
                "columns": ["Crests", "First names", "Part of a name", "Range", "Left at the end", "Range"],
                "rows": [
                    [label, str(n), *_percent(one, 1), *_percent(other, 1)]
                    for label, n, one, other in zip(names, of_name.sum(axis=0), spelled, kept, strict=True)
                ],
            },
        ],
    }


def _percent(row: Mapping[str, float], places: int) -> list[str]:
    """Write a share, and its range."""
    return [words.percent(row["est"], places), words.span(100 * row["lo"], 100 * row["hi"], places)]


# --- how names are completed -----------------------------------------------------------------------------------


def _by_way(counts: Counts) -> dict[int, list[Row]]:
    """Estimate for each way to complete a name how often it happens and what goes with it."""
    number = counts.group("kind").count("general")
    found = {}
    for n in counts.players:
        at = [i for i, way in enumerate(WAYS) if counts.cases(n, way)[:number].sum()]
        ways = [list(WAYS)[i] for i in at]

        def names(cell: Cell, at: Sequence[int] = at) -> Matrix:
            by_way: Matrix = cell["counter_names"].reshape(len(cell["games"]), -1, len(WAYS)).sum(axis=1)[:, at]
            return by_way

        def cases(cell: Cell, what: str = "games", ways: Sequence[str] = ways) -> NDArray[Any]:
            return np.stack([_used(way, what)(cell)[:, :number].sum(axis=1) for way in ways], axis=1)

        won = counts.estimate(n, lambda c: cases(c, "share"), cases).shifted(-1.0 / n)
        each = zip(
            ways,
            counts.ranges(n, counts.estimate(n, names, _games), "mean"),
            counts.ranges(n, counts.estimate(n, names, lambda c: names(c).sum(axis=1)), "rate"),
            counts.ranges(n, won, "difference"),
            strict=True,
        )
        found[n] = [dict(zip(("way", "names", "part", "winning"), row, strict=True)) for row in each]
    return found


def _ways(found: Mapping[int, Sequence[Row]], counts: Counts) -> Row:
    focus = _focus(counts.players)
    at = {row["way"]: row for row in found[focus]}
    headline = f"Nobody grabs{_where(counts.players)}"
    if "grabbed" in at:
        headline = f"{words.percent(at['grabbed']['part']['est'], 0)} of all names are completed by a grab"
        headline += _where(counts.players)
    if "grabbed" in at and "shown" in at:
        grabbed, shown = (_points(at[way]["winning"], 1)[0] for way in ("grabbed", "shown"))
        headline += f"; a grabbed name goes with {grabbed} points of winning, a drawn one with {shown}"
    return {
        "id": "ways",
        "headline": headline,
        "sub": "Names completed in a game, by all players together · right: win share of who completed it, points from "
        "par",
        "how": f"{' '.join(MEANINGS[way] for way in MEANINGS if way in at)} An association, not a cause: every "
        "completed name brings its player nearer to an empty hand.",
        "panels": [
            {
                "kind": "bars",
                "title": words.plural(n, "player"),
                "value_head": "names in a game",
                "right_head": "winning",
                "rows": [
                    {
                        "label": WAYS[row["way"]],
                        "value": row["names"]["est"],
                        "text": words.number(row["names"]["est"], 2),
                        "right": _points(row["winning"], 1)[0],
                    }
                    for row in rows
                ],
            }
            for n, rows in found.items()
        ],
        "numbers": [
            {
                "caption": "Names completed, with 95% ranges",
                "columns": [
                    "How",
                    "Names in a game",
                    "Range",
                    "Of all names",
                    "Range",
                    "Winning, pp from par",
                    "Range",
                ],
                "rows": [
                    [
                        f"{WAYS[row['way']]}, {words.plural(n, 'player')}",
                        words.number(row["names"]["est"], 2),
                        words.span(row["names"]["lo"], row["names"]["hi"], 2),
                        *_percent(row["part"], 1),
                        *_points(row["winning"], 1),
                    ]
                    for n, rows in found.items()
                    for row in rows
                ],
            }
        ],
    }


# --- grabs -----------------------------------------------------------------------------------------------------


def _by_distance(counts: Counts) -> dict[int, list[Row]]:
    """Estimate for each seat after the discarder how often it can grab and does."""
    found = {}
    for n in counts.players:
        asked = counts.ranges(n, counts.per_game(n, "chances").rows(range(n - 1)), "mean")
        grabbed = counts.ranges(n, counts.per_game(n, "grabs").rows(range(n - 1)), "mean")
        taken = counts.ranges(n, counts.ratio(n, "grabs", "chances").rows(range(n - 1)), "rate")
        part = counts.estimate(n, lambda c: c["counter_grabs"], lambda c: c["counter_grabs"].sum(axis=1))
        parts = counts.ranges(n, part.rows(range(n - 1)), "rate")
        keys = ("asked", "grabbed", "taken", "part")
        found[n] = [dict(zip(keys, row, strict=True)) for row in zip(asked, grabbed, taken, parts, strict=True)]
    return found


def _after(distance: int) -> str:
    return "next" if distance == 0 else f"{words.ordinal(distance + 1)} after"


def _distances(found: Mapping[int, Sequence[Row]], counts: Counts) -> Row:
    most = max(found)
    first, last = found[most][0], found[most][-1]
    total = sum(row["grabbed"]["est"] for row in found[most])
    where = f"{words.sentence(words.with_players(most))} a" if len(found) > 1 else "A"
    headline = f"{where} game has {words.number(total, 1)} grabs"
    if most > 2:
        even = abs(first["part"]["est"] - last["part"]["est"]) < EVEN
        headline += (
            f"{', spread almost evenly' if even else ''}: {words.percent(first['part']['est'], 0)} by the next after "
            f"the discarder, {words.percent(last['part']['est'], 0)} by the {words.ordinal(most - 1)}"
        )
    return {
        "id": "grabs",
        "headline": headline,
        "sub": "Grabs in a game by the seat after the discarder · right: of all grabs",
        "how": "Only who can complete a name is asked, one after the other until somebody grabs; the order is the "
        f"config’s grab_priority, here {_priority(counts.rules['grab_priority'])}.",
        "panels": [
            {
                "kind": "bars",
                "title": words.plural(n, "player"),
                "value_head": "grabs in a game",
                "right_head": "of all",
                "rows": [
                    {
                        "label": _after(distance),
                        "value": row["grabbed"]["est"],
                        "text": words.number(row["grabbed"]["est"], 2),
                        "right": words.percent(row["part"]["est"], 0),
                    }
                    for distance, row in enumerate(rows)
                ],
            }
            for n, rows in found.items()
        ],
        "numbers": [_distance_table(found), _chain_table(counts)],
    }


def _priority(given: Any) -> str:
    if isinstance(given, str):
        return given
    return f"a race at speeds {', '.join(words.number(speed, 1).removesuffix('.0') for speed in given)}"


def _distance_table(found: Mapping[int, Sequence[Row]]) -> Row:
    return {
        "caption": "Grabs by the seat after the discarder, with 95% ranges",
        "columns": [
            "Seat after the discarder",
            "Asked in a game",
            "Range",
            "Grabs in a game",
            "Range",
            "Grabbed when asked",
            "Range",
            "Of all grabs",
            "Range",
        ],
        "rows": [
            [
                f"{_after(distance)}, {words.plural(n, 'player')}",
                *_mean(row["asked"], 2),
                *_mean(row["grabbed"], 2),
                *_percent(row["taken"], 1),
                *_percent(row["part"], 1),
            ]
            for n, rows in found.items()
            for distance, row in enumerate(rows)
        ],
    }


def _mean(row: Mapping[str, float], places: int) -> list[str]:
    """Write a mean, and its range."""
    return [words.number(row["est"], places), words.span(row["lo"], row["hi"], places)]


def _chain_table(counts: Counts) -> Row:
    """Tabulate grabs that follow one another, and those by whoever discarded first."""
    rows = []
    for n in counts.players:
        chains = counts.ranges(n, counts.per_game(n, "chains"), "mean")
        last = len(chains) - 1
        again = counts.ranges(n, counts.per_game(n, "regrabs"), "mean")[0]
        for length, row in enumerate(chains):
            if row["est"]:
                label = f"Turns with {length or 'no'}{' or more' if length == last else ''} "
                label += "grab" if length == 1 else "grabs"
                rows.append([f"{label}, {words.plural(n, 'player')}", *_mean(row, 3)])
        rows.append([f"Grabs by the player in turn, {words.plural(n, 'player')}", *_mean(again, 3)])
    return {
        "caption": "Chains of grabs in a game, with 95% ranges",
        "columns": ["What", "In a game", "Range"],
        "rows": rows,
    }


# --- cards fed to a grab ---------------------------------------------------------------------------------------


def _fed(counts: Counts) -> Row:
    """Draw which cards are grabbed when they are thrown away, and what goes with feeding them."""
    number = counts.group("kind").count("general")
    rate = counts.over_counts(
        lambda n: counts.estimate(
            n, lambda c: c["use_games_fed"][:, number:], lambda c: c["use_games_discarded"][:, number:]
        )
    )
    thrown = np.sum([counts.cases(n, "discarded")[number:] for n in counts.players], axis=0)
    cost, by_card = _cost(counts, number)
    costs: Sequence[Row | None] = by_card or [None] * len(thrown)
    rows = [
        {"name": name, "kind": kind, "crests": crests, "fed": fed, "cost": lost}
        for name, kind, crests, fed, lost, cases in zip(
            counts.items[number:],
            counts.group("kind")[number:],
            counts.group("crests")[number:],
            counts.ranges(None, rate, "rate"),
            costs,
            thrown,
            strict=True,
        )
        if cases >= measures.FEW_CASES
    ]
    ranked = sorted(rows, key=lambda row: -row["fed"]["est"])
    overall = {
        n: counts.ranges(
            n,
            counts.estimate(
                n, lambda c: c["counter_throws"][:, 1::2].sum(axis=1), lambda c: c["counter_throws"][:, ::2].sum(axis=1)
            ),
            "rate",
        )[0]
        for n in counts.players
    }
    focus = _focus(counts.players)
    headline = f"{words.percent(overall[focus]['est'], 1)} of the discards are grabbed{_where(counts.players)}"
    if cost:
        headline += f"; among equals, who feeds a card wins {_feeding(cost)} who throws the same card unharmed"
    return {
        "id": "fed",
        "headline": headline,
        "sub": f"How often a discarded card is grabbed, % · {counts_word(counts.players)} · right: win share of who "
        "fed it, points from who discarded it unharmed",
        "how": "Among equals: same strategy, seat and length of game. An association, not a cause. The table has all "
        "cards.",
        "panels": [
            {
                "kind": "bars",
                "title": title,
                "room": 120,
                "value_head": "grabbed, %",
                "right_head": "winning" if by_card else "",
                "rows": [
                    {
                        "label": row["name"],
                        "value": 100 * row["fed"]["est"],
                        "text": words.number(100 * row["fed"]["est"], 1),
                        "right": _points(row["cost"], 1)[0] if row["cost"] else "",
                    }
                    for row in [row for row in ranked if row["kind"] == kind][:ROWS]
                ],
            }
            for title, kind in (
                ("First names grabbed most", "first name"),
                ("Family names grabbed most", "family name"),
            )
        ],
        "numbers": [
            {
                "caption": "Discards that are grabbed, with 95% ranges",
                "columns": ["Players", "Grabbed", "Range"],
                "rows": [[words.plural(n, "player"), *_percent(row, 2)] for n, row in overall.items()],
            },
            {
                "caption": "Cards fed to a grab, most first, with 95% ranges",
                "columns": ["Card", "Crests", "Grabbed", "Range", "Fed with winning, pp", "Joint range"],
                "rows": [
                    [
                        row["name"],
                        row["crests"].split()[0],
                        *_percent(row["fed"], 1),
                        *(_points(row["cost"], 1, "joint_") if row["cost"] else ["–", "–"]),
                    ]
                    for row in ranked
                ],
            },
        ],
    }


def _cost(counts: Counts, number: int) -> tuple[Row | None, list[Row] | None]:
    """Compare who fed a card with who discarded it unharmed: over all cards by how often they are fed, and each."""
    each, every = [], []
    for n in counts.players:
        lift = counts.adjusted(n, "discarded", "fed")
        if lift is None:
            return None, None
        lift = lift.rows(range(number, len(lift.value)))
        known = np.isfinite(lift.value)
        weights = np.where(known, counts.cases(n, "fed")[number:], 0)
        if not weights.any():
            return None, None
        filled = Estimates(np.where(known, lift.value, 0.0), np.where(known, lift.influence, 0.0), lift.cells)
        every.append(filled.mix(weights / weights.sum()))
        each.append(lift)
    every_row = counts.ranges(None, measures.mean_of(every), "difference")[0]
    return every_row, counts.ranges(None, measures.mean_of(each), "difference")


def _feeding(cost: Mapping[str, float]) -> str:
    """Say how much less who feeds wins, as the middle of a sentence."""
    if cost["lo"] <= 0.0 <= cost["hi"]:
        return "about as often as"
    points = words.number(100 * abs(cost["est"]), 1)
    low, high = sorted(100 * abs(cost[end]) for end in ("lo", "hi"))
    reach = words.span(low, high, 1)
    return f"{points} points ({reach}) {'less' if cost['est'] < 0 else 'more'} than"


# --- the end ---------------------------------------------------------------------------------------------------


def _by_end(counts: Counts, n: int) -> list[Row]:
    """Split the games by what decided them; an empty hand wins alone, so such games are no ties."""

    def decided(cell: Cell) -> Matrix:
        ties, empty = cell["counter_ties"], cell["reasons"][:, 1:]
        return np.concatenate([empty, ties[:, :1] - empty, ties[:, 1:]], axis=1)

    return counts.ranges(n, counts.estimate(n, decided, _games), "rate")


def _decided(found: Mapping[int, Sequence[Row]]) -> Row:
    def says(n: int, whole: bool) -> str:
        empty, _, *crests = (row["est"] for row in found[n][:-1])
        ended, decided = (words.percent(share, 0 if share >= 0.1 else 1) for share in (empty, sum(crests)))
        if whole:
            return f"{ended} of the games end with an empty hand, and crests decide {decided}"
        return f"{words.with_players(n)} {ended} and {decided}"

    most, fewest = max(found), min(found)
    headline = says(most, True)
    if most != fewest:
        headline = f"{words.with_players(most)} {headline}; {says(fewest, False)}"
    return {
        "id": "ends",
        "headline": words.sentence(headline),
        "sub": "Share of games by what decides them",
        "how": "Empty hand: won at once. All others: the deck is gone, then the fewest cards; among equals the fewest "
        "crests, adjusted where they hold different numbers of first names.",
        "panels": [
            {
                "kind": "bars",
                "title": words.plural(n, "player"),
                "room": 120,
                "value_head": "% of games",
                "rows": [
                    {
                        "label": label,
                        "value": 100 * row["est"],
                        "text": words.number(100 * row["est"], 1),
                    }
                    for label, row in zip(ENDS.values(), rows, strict=True)
                ],
            }
            for n, rows in found.items()
        ],
        "numbers": [
            {
                "caption": "What decides a game, with 95% ranges",
                "columns": ["What", "Share of games", "Range"],
                "rows": [
                    [f"{label}, {words.plural(n, 'player')}", *_percent(row, 2)]
                    for n, rows in found.items()
                    for label, row in zip(ENDS.values(), rows, strict=True)
                ],
            }
        ],
    }


PANELS = (
    Panel("generals", "Generals", generals),
    Panel("grabs", "Grabs", grabs),
    Panel("ends", "How games end", ends),
)
