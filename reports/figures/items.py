"""Items: seen with winning, in a form in which 54 of them can be read."""

import math
import statistics
from collections.abc import Sequence
from typing import Any

from reports import words
from reports.charts import WIDTHS
from reports.figures.scales import (
    CHARACTER,
    Chart,
    Ends,
    Figure,
    Report,
    Row,
    Table,
    axis,
    band_from,
    between,
    counts_word,
    digits,
    dot,
    dots,
    from_par,
    known,
    layout,
    near,
    players_word,
    plot_pixels,
    reach_of,
    short_labels,
    step_of,
    width_of,
)

PANEL_ROWS = 20
"""Rows of a panel that are still read at a glance."""

PANELS_MOST = 6
SCATTER_HEIGHT = 416.0
SCATTER_NAMED = 3
"""How many points at each end of a crowded scatter are named."""


def items(report: Report) -> Figure | None:
    """Items seen with winning, in groups that can be read."""
    found = _at_hand(report)
    if not found:
        return None
    rows, word = found["rows"], report["run"]["item"]
    places = digits(row["seen"] for row in rows)
    band = _band(report)
    grouped = panels_of(found)
    cut = _cut(grouped, rows)
    width = width_of(grouped)
    reach = reach_of(from_par(row["seen"], 0.0) for row in rows)
    reach += near(known(band or ()), reach)
    charts = []
    for title, members in grouped:
        plain = stripped(members, title)
        short, labels = short_labels(plain.values(), 128 if cut else 120 if width == "M" else 100)
        charts.append(
            dots(
                [_dot(row, short[plain[row["name"]]], places, band) for row in members],
                width=width,
                title=words.sentence(title),
                labels=labels,
                scale=axis(reach, plot_pixels(width, labels), 40, "0"),
                pitch=24 if len(members) <= 15 else 21,
                zone=band,
                alt=f"{words.sentence(word[1])} seen with winning" + (f", {title}" if title else ""),
                desc=_extremes(members, places),
            )
        )
    ranked = _ranked(rows)
    return {
        "id": "items",
        "headline": _headline(ranked, places),
        "sub": f"Win share of whoever had the {word[0]} at hand, points from "
        f"{words.average(word[0], found['apart'])} · {counts_word(found['players'])}{cut}",
        "how": "Hollow: an association, not a cause. Thin line: range that holds for all "
        f"{words.spelled(len(rows))} rows together.{' Green zone: your goal.' if band else ''}"
        + ("" if _everywhere(ranked) == ranked else f" A {word[0]} that is not in every game: mean of those with it."),
        "panels": charts if ranked else [],
        "layout": layout(charts),
        "numbers": [_by_players(found, places)] if ranked and len(found["players"]) > 1 else [],
    }


def _at_hand(report: Report) -> Row | None:
    """Leave out what nobody can have at hand, such as an objective of Momiji: a section of the game's own shows it."""
    found = report["items"]
    rows = [row for row in found["rows"] if row["cases"]] if found else []
    return {**found, "rows": rows} if rows else found


def _by_players(found: Row, places: int) -> Table:
    """Tabulate the association for each player count."""
    return {
        "caption": "Seen with winning by player count, pp",
        "columns": [["Name", False], ["Mean", True], *([players_word(n), True] for n in found["players"])],
        "rows": [
            [row["name"], _points(row["seen"]["est"], places)["text"]]
            + [_points(b["est"], places)["text"] for b in row["by_players"]]
            for row in found["rows"]
        ],
    }


def _ranked(rows: Sequence[Row]) -> list[Row]:
    """Sort what is known, most with winning first."""
    return sorted((r for r in rows if r["seen"]["est"] is not None), key=lambda r: -r["seen"]["est"])


def panels_of(found: Row) -> list[tuple[str, list[Row]]]:
    """Split a long list by its first grouping in the game's own order; without one, by rank in columns.

    Of a list too long to be read in any number of panels each group shows its two ends.
    """
    rows = found["rows"]
    ranked = _ranked(rows)
    ranked += [row for row in rows if row["seen"]["est"] is None]
    if len(rows) <= PANEL_ROWS:
        return [("", ranked)]
    for title in (group["title"] for group in found["groups"]):
        names = list(dict.fromkeys(row["groups"][title] for row in rows))
        groups = [(name, [row for row in rows if row["groups"][title] == name]) for name in names]
        if len(groups) <= PANELS_MOST and max(len(members) for _, members in groups) <= PANEL_ROWS:
            return groups
    if found["groups"] and len(rows) > PANEL_ROWS * PANELS_MOST:
        title, half = found["groups"][0]["title"], PANEL_ROWS // 2
        groups = []
        for name in dict.fromkeys(row["groups"][title] for row in rows):
            members = [row for row in ranked if row["groups"][title] == name]
            groups.append((name, members if len(members) <= PANEL_ROWS else [*members[:half], *members[-half:]]))
        if len(groups) <= PANELS_MOST:
            return groups
    size = math.ceil(len(ranked) / math.ceil(len(ranked) / PANEL_ROWS))
    return [(f"{k + 1} to {min(k + size, len(ranked))}", ranked[k : k + size]) for k in range(0, len(ranked), size)]


def _cut(grouped: Sequence[tuple[str, Sequence[Row]]], rows: Sequence[Row]) -> str:
    """Say that a very long list is drawn in part."""
    if sum(len(members) for _, members in grouped) == len(rows):
        return ""
    return f" · the {words.spelled(PANEL_ROWS // 2)} highest and lowest of each; the table has all"


def stripped(members: Sequence[Row], title: str) -> dict[str, str]:
    """Leave the panel's title out of its rows' names: 13 instead of gold 13, 2 instead of 2 of type a."""
    names = [row["name"] for row in members]
    if title:
        ending = f" of {title}".lower()
        if all(n.lower().endswith(ending) for n in names):
            return {n: n[: -len(ending)] for n in names}
        for mark in (" ", "-"):
            start = f"{title}{mark}".lower()
            if all(n.lower().startswith(start) for n in names):
                return {n: n[len(start) :] for n in names}
    return {n: n for n in names}


def _dot(row: Row, label: str, places: int, band: Ends | None) -> Chart:
    numbers = from_par(row["seen"], 0.0)
    outside = _outside(numbers, band)
    value = words.number(numbers["x"], places, signed=True)
    return dot(numbers, label, value, tone="out" if outside else "base", hollow=not outside, strong=outside)


def _named(row: Row, places: int) -> str:
    return f"{row['name']} ({words.number(100.0 * row['seen']['est'], places, signed=True)})"


def _extremes(rows: Sequence[Row], places: int) -> str:
    ranked = _ranked(rows)
    if not ranked:
        return "Too few cases."
    high, low = (", ".join(_named(row, places) for row in part) for part in (ranked[:3], ranked[-3:]))
    return f"Highest: {high}. Lowest: {low}."


def _everywhere(rows: Sequence[Row]) -> Sequence[Row]:
    """Leave out what is not in play with every number of players: its mean is one of other games."""
    return [row for row in rows if all(at["est"] is not None for at in row["by_players"])] or rows


def _headline(ranked: Sequence[Row], places: int) -> str:
    """Name the two ends, if they are sure."""
    if not ranked:
        return "Too few games to say anything of single ones"
    comparable = _everywhere(ranked)
    high, low = comparable[0], comparable[-1]
    parts = []
    if high["seen"]["joint_lo"] is not None and high["seen"]["joint_lo"] > 0.0:
        parts.append(f"{_named(high, places)} goes most with winning")
    if low["seen"]["joint_hi"] is not None and low["seen"]["joint_hi"] < 0.0:
        parts.append(f"{_named(low, places)} {'most' if parts else 'goes most'} with losing")
    return words.sentence(words.listing(parts)) if parts else "None surely goes with winning or losing"


def item_groups(report: Report) -> Figure | None:
    """Average the association over a grouping that the panels do not show, such as by value.

    Not where items are compared within groups: another grouping would mix what was kept apart.
    """
    found = _at_hand(report)
    if not found or found["apart"]:
        return None
    shown = [title for title, _ in panels_of(found)]
    telling = [
        g
        for g in found["groups"]
        if 1 < len(g["rows"]) <= PANEL_ROWS
        and any(r["items"] > 1 for r in g["rows"])
        and [r["name"] for r in g["rows"]] != shown
    ]
    group = telling[0] if telling else None
    if group is None:
        return None
    rows, title, word = group["rows"], group["title"], report["run"]["item"][1]
    places = digits(rows)
    names, labels = short_labels([r["name"] for r in rows], 120)
    labels = max(labels, 40)
    numbers = [from_par(r, 0.0) for r in rows]
    high, low = max(rows, key=lambda r: r["est"]), min(rows, key=lambda r: r["est"])
    texts = [words.number(n["x"], places, signed=True) for n in numbers]
    return {
        "id": "item-groups",
        "headline": f"By {title}: {_group_headline(high, low)}",
        "sub": f"The same, averaged over the {word} of one {title} · {counts_word(found['players'])}",
        "how": "An association, not a cause.",
        "panels": [
            dots(
                [
                    dot(n, names[r["name"]], text, tone="base", hollow=True)
                    for r, n, text in zip(rows, numbers, texts, strict=True)
                ],
                width="M",
                title="",
                labels=labels,
                scale=axis(reach_of(numbers), plot_pixels("M", labels), 40, "0"),
                pitch=21,
                alt=f"Seen with winning by {title}",
                desc="; ".join(f"{r['name']} {text}" for r, text in zip(rows, texts, strict=True)),
            )
        ],
        "layout": "one",
        "numbers": [
            {
                "caption": f"Seen with winning by {title}, pp",
                "columns": [[words.sentence(title), False], ["Seen with winning", True], ["Joint range", True]],
                "rows": [
                    [r["name"], text, between(r, "joint_", places, signed=True)]
                    for r, text in zip(rows, texts, strict=True)
                ],
            }
        ],
    }


def _group_headline(high: Row, low: Row) -> str:
    """Name the two ends of a grouping, if they are sure."""
    parts = []
    if high["joint_lo"] is not None and high["joint_lo"] > 0.0:
        parts.append(f"{high['name']} goes most with winning")
    if low["joint_hi"] is not None and low["joint_hi"] < 0.0:
        parts.append(f"{low['name']} {'most' if parts else 'goes most'} with losing")
    return words.listing(parts) or "none surely goes with winning or losing"


# --- use and winning -------------------------------------------------------------------------------------------


def usage(report: Report) -> Figure | None:
    """Seen with winning against how often an item is played."""
    found = _at_hand(report)
    if not found:
        return None
    points = [
        (row, 100.0 * row["played"]["est"], 100.0 * row["seen"]["est"])
        for row in _ranked(found["rows"])
        if row["played"]["est"] is not None
    ]
    if not points:
        return None
    xs, ys, word = [x for _, x, _ in points], [y for _, _, y in points], report["run"]["item"]
    y_axis = axis(ys, SCATTER_HEIGHT - 92, 44, "0")
    x_axis = _percent_axis(min(xs), max(xs), WIDTHS["M"] - 42, 52)
    comparable = {row["name"] for row in _everywhere([row for row, _, _ in points])}
    least, most = (pick((p for p in points if p[0]["name"] in comparable), key=lambda p: p[1]) for pick in (min, max))
    few = len(points) <= PANEL_ROWS
    remarkable = [*points[:SCATTER_NAMED], *points[-SCATTER_NAMED:], least, most]
    named = {id(p) for p in (points if few else remarkable)}
    first = [least, *(p for p in points if p is not least)]  # the one in the headline finds room for its name
    return {
        "id": "usage",
        "headline": f"{words.sentence(least[0]['name'])} is played least: {words.number(least[1], 0)}% of the times it "
        "is available",
        "sub": f"Seen with winning, points, against how often an available {word[0]} is played · mean "
        f"{words.number(statistics.fmean(xs), 0)}%",
        "how": f"Each mark is a {word[0]}" + ("." if few else "; the remarkable ones are named, the table has all."),
        "panels": [
            {
                "kind": "scatter",
                "width": "M",
                "height": SCATTER_HEIGHT,
                "x": x_axis,
                "y": y_axis,
                "x_label": "played when available",
                "y_label": "seen with winning, points",
                "level": 0.0,
                "points": _placed(
                    [(p[1], p[2], p[0]["name"] if id(p) in named else "") for p in first], x_axis, y_axis
                ),
                "alt": "Use and winning",
                "desc": f"Least played: {least[0]['name']} {words.number(least[1], 0)}%. {_extremes(found['rows'], 1)}",
            }
        ],
        "layout": "one",
        "numbers": [],
    }


def _percent_axis(low: float, high: float, pixels: float, label: float) -> Chart:
    low, high = max(low - 4.0, 0.0), min(high + 4.0, 100.0)
    step = step_of((high - low) * label / pixels)
    ticks = [[k * step, f"{k * step:g}%"] for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return {"lo": low, "hi": high, "ticks": ticks}


def _placed(points: Sequence[tuple[float, float, str]], x: Chart, y: Chart) -> list[Chart]:
    """Place the names beside their points, on the side and height where they cover nothing; else leave them out."""
    wide, high = WIDTHS["M"] - 42.0, SCATTER_HEIGHT - 92.0
    places = [
        (38 + (px - x["lo"]) / (x["hi"] - x["lo"]) * wide, 40 + (y["hi"] - py) / (y["hi"] - y["lo"]) * high)
        for px, py, _ in points
    ]
    taken = [(a - 5, b - 5, a + 5, b + 5) for a, b in places]
    found: list[Chart] = []
    for (px, py, name), (a, b), own in zip(points, places, list(taken), strict=True):
        chart: Chart = {"x": px, "y": py, "label": "", "align": "left", "dy": 0.0, "tone": "base", "hollow": True}
        text = words.shorten(name, 18)
        long = CHARACTER * words.width(text)
        for dy, align in (
            (dy, side) for dy in (0.0, -9.0, 9.0, -15.0, 15.0, -24.0, 24.0) for side in ("left", "right")
        ):
            left = a + 8 if align == "left" else a - 8 - long
            box = (left, b + dy - 7, left + long, b + dy + 7)
            covers = any(
                box[0] <= t[2] and t[0] <= box[2] and box[1] <= t[3] and t[1] <= box[3] for t in taken if t != own
            )
            if text and not covers and box[0] > 30 and box[2] < WIDTHS["M"] + 4:
                chart.update(label=text, align=align, dy=dy)
                taken.append(box)
                break
        found.append(chart)
    return found


# --- played and winning ----------------------------------------------------------------------------------------


def played(report: Report) -> Figure | None:
    """Played with winning: as counted, and compared within strategy, seat and length."""
    found = _at_hand(report)
    rows = [
        row
        for row in (found["rows"] if found else [])
        if row["lift"]["est"] is not None and row["lift_adjusted"] and row["lift_adjusted"]["est"] is not None
    ]
    if not found or not rows:
        return None
    rows.sort(key=lambda row: -row["lift_adjusted"]["est"])
    shown = rows if len(rows) <= PANEL_ROWS else [*rows[: PANEL_ROWS // 2], *rows[-PANEL_ROWS // 2 :]]
    word = report["run"]["item"]
    places = digits(row["lift_adjusted"] for row in rows)
    names, labels = short_labels([row["name"] for row in shown], 120)
    numbers = [{**from_par(row["lift_adjusted"], 0.0), "before": 100.0 * row["lift"]["est"]} for row in shown]
    texts = [words.number(n["x"], places, signed=True) for n in numbers]
    return {
        "id": "played",
        "headline": _played_headline(rows, word[0], places),
        "sub": f"Win share when a {word[0]} at hand was played, from when it was not, points · "
        f"{counts_word(found['players'])}"
        + ("" if shown == rows else f" · the {words.spelled(PANEL_ROWS // 2)} highest and lowest"),
        "how": "Blue: among seats of the same strategy, seat and length of game. Grey: as counted. An association, not "
        "a cause: it depends on when it is played.",
        "panels": [
            dots(
                [
                    dot(n, names[row["name"]], text, hollow=True)
                    for row, n, text in zip(shown, numbers, texts, strict=True)
                ],
                width="M",
                title="",
                labels=labels,
                scale=axis(reach_of(numbers), plot_pixels("M", labels), 40, "0"),
                pitch=21,
                alt=f"{words.sentence(word[1])} played with winning",
                desc="; ".join(f"{row['name']} {text}" for row, text in zip(shown, texts, strict=True)),
            )
        ],
        "layout": "one",
        "numbers": [],
    }


def _played_headline(rows: Sequence[Row], word: str, places: int) -> str:
    """Say how much of it is who plays, or what is left."""
    raw, alike = (statistics.median(abs(row[key]["est"]) for row in rows) for key in ("lift", "lift_adjusted"))
    if raw >= 0.01 and alike < 0.5 * raw:
        most = max(rows, key=lambda row: abs(row["lift"]["est"] - row["lift_adjusted"]["est"]))
        counted, left = (
            words.number(100.0 * most[key]["est"], places, signed=True) for key in ("lift", "lift_adjusted")
        )
        example = f"{most['name']} {counted} as counted, {left} among equals"
        return f"What goes with playing a {word} is mostly who plays it: {example}"
    high = rows[0]
    if high["lift_adjusted"]["joint_lo"] is not None and high["lift_adjusted"]["joint_lo"] > 0.0:
        gain = words.number(100.0 * high["lift_adjusted"]["est"], places, signed=True)
        return f"Played, {high['name']} goes most with winning: {gain} points among equals"
    return f"No {word} that is played surely goes with winning among equals"


# --- numbers ---------------------------------------------------------------------------------------------------


def items_table(report: Report) -> Table | None:
    """Tabulate all items: outside a goal first, then those that surely differ, the farthest from zero first."""
    found = _at_hand(report)
    if not found:
        return None
    band = _band(report)
    rows = sorted(found["rows"], key=lambda r: (_flag(r, band), -abs(r["seen"]["est"] or 0.0)))
    places, lift_places = digits(row["seen"] for row in rows), digits(row["lift"] for row in rows)
    labels = {u["key"]: u["label"] for u in found["uses"]}
    others = [k for k in labels if k not in (found["available"], found["played"]) and any(r["uses"][k] for r in rows)]
    # A group that every name already says needs no column of its own.
    titles = [g["title"] for g in found["groups"]]
    groups = [g for g in titles if any(r["groups"][g].lower() not in r["name"].lower() for r in rows)]
    # A way to use an item that no item of its group has says nothing of it.
    kinds = [r["groups"][titles[0]] if titles else "" for r in rows]
    possible = {(kind, k) for kind, r in zip(kinds, rows, strict=True) for k in others if r["uses"][k]}
    delta = any(r["delta"] is not None for r in rows)
    alike = any(r["seen_adjusted"] for r in rows)
    columns = [[words.sentence(report["run"]["item"][0]), False], *([words.sentence(g), False] for g in groups)]
    columns += [["Goal", False]] if band else []
    columns += [["Seen with winning", True], ["Joint range", False]]
    columns += [["Among equals", True], ["Joint range", False]] if alike else []
    columns += [["Change", True]] if delta else []
    columns += [["Played with winning", True]]
    columns += [["Among equals", True], ["Joint range", False]] if alike else []
    columns += [["Played when available", True], *([words.sentence(labels[k]), True] for k in others)]
    body = []
    for r, kind in zip(rows, kinds, strict=True):
        line: list[Any] = [r["name"], *({"text": r["groups"][g], "v": _number(r["groups"][g])} for g in groups)]
        if band:
            flag = _flag(r, band)
            line.append({"text": f"{words.GLYPHS['outside']} outside" if flag == 0 else "–", "v": flag})
        line += _with_range(r["seen"], places)
        if alike:
            line += _with_range(r["seen_adjusted"], places)
        if delta:
            line.append(_points(None if r["delta"] is None else r["delta"]["est"], places))
        line.append({**_points(r["lift"]["est"], lift_places), "quiet": True})
        if alike:
            line += _with_range(r["lift_adjusted"], lift_places)
        used = [r["uses"][k] if (kind, k) in possible else None for k in others]
        line += [{"text": words.percent(v, 0), "v": v} for v in (r["played"]["est"], *used)]
        body.append(line)
    return {"caption": f"All {report['run']['item'][1]}", "columns": columns, "rows": body}


def _band(report: Report) -> Ends | None:
    """Return the goal for items seen with winning, in points."""
    return band_from(next((g for g in report["goals"] if g["measure"] == "item_seen"), None), 0.0)


def _outside(numbers: Chart, band: Ends | None) -> bool:
    """Whether a joint range lies wholly outside the goal."""
    low, high = band or (None, None)
    return numbers["joint_lo"] is not None and (
        (high is not None and numbers["joint_lo"] > high) or (low is not None and numbers["joint_hi"] < low)
    )


def _flag(row: Row, band: Ends | None) -> int:
    """Rank an item for attention: 0 outside the goal, 1 surely not the average, 2 the rest."""
    numbers = from_par(row["seen"], 0.0)
    if _outside(numbers, band):
        return 0
    return 2 if numbers["joint_lo"] is None or numbers["joint_lo"] <= 0.0 <= numbers["joint_hi"] else 1


def _with_range(row: Row | None, places: int) -> list[Chart]:
    """Make two cells: points, and their joint range."""
    if row is None:
        return [_points(None, places), {"text": "–", "v": None}]
    return [
        _points(row["est"], places),
        {"text": between(row, "joint_", places, signed=True), "v": row["est"]},
    ]


def _number(text: str) -> float | None:
    """Return a group's name as a number, to sort 2 before 10."""
    return float(text) if text.isdecimal() else None


def _points(share: float | None, places: int) -> Chart:
    """Make a cell of points, sorted by its exact value."""
    return {"text": "–" if share is None else words.number(100.0 * share, places, signed=True), "v": share}
