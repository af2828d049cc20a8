"""Strategies: win shares at the mixed table, and match-ups."""

import math
from collections.abc import Sequence

from reports import words
from reports.charts import WIDTHS
from reports.figures.scales import (
    CHARACTER,
    Chart,
    Figure,
    Report,
    Row,
    Table,
    axis,
    band_from,
    between,
    digits,
    dot,
    dots,
    from_par,
    games_word,
    goal_of,
    if_moved,
    known,
    layout,
    mixed_word,
    near,
    players_word,
    plot_pixels,
    reach_of,
    short_labels,
    width_of,
)

MATRIX_MOST = 12
"""Of more strategies than this only the strongest are drawn; the numbers have all."""


def strategies(report: Report) -> Figure | None:
    """Win share by strategy at the mixed table."""
    panels, names = report["shares"], [s["name"] for s in report["strategies"]]
    if not panels or len(names) < 2:
        return None
    width = width_of(panels)
    short, labels = short_labels(names, 104)
    order = sorted(range(len(names)), key=lambda i: -sum((p["rows"][i]["est"] or 0.0) / p["par"] for p in panels))
    places = digits(row for p in panels for row in p["rows"])
    data = [[from_par(p["rows"][i], p["par"]) for i in order] for p in panels]
    zones = [band_from(goal_of(report, p["players"], "best_strategy"), p["par"]) for p in panels]
    reach = reach_of(row for rows in data for row in rows)
    reach += near([x for zone in zones if zone for x in known(zone)], reach)
    scale = axis(reach, plot_pixels(width, labels), 34, "par")
    charts = []
    for p, rows, zone in zip(panels, data, zones, strict=True):
        goal = goal_of(report, p["players"], "best_strategy")
        missed = goal["subject"] if goal and goal["verdict"] == "outside" else None
        ranked = [p["rows"][i] for i in order]
        charts.append(
            dots(
                [
                    dot(
                        if_moved(numbers, scale),
                        short[row["strategy"]],
                        words.percent(row["est"], places),
                        tone="out" if row["strategy"] == missed else "est",
                    )
                    for row, numbers in zip(ranked, rows, strict=True)
                ],
                width=width,
                title=players_word(p["players"]),
                labels=labels,
                scale=scale,
                zone=zone,
                alt=f"Win share by strategy, {players_word(p['players'])}",
                desc="; ".join(f"{r['strategy']} {words.percent(r['est'], places)}" for r in ranked)
                + f". Par {words.tidy(p['par'], 1)}.",
            )
        )
    hollow = " · hollow: before" if any(row["before"] is not None for c in charts for row in c["rows"]) else ""
    return {
        "id": "shares",
        "headline": _headline(report, panels),
        "sub": f"Win share by strategy, points from par · {games_word(panels)}, {mixed_word(report)}{hollow}",
        "how": "Ranges narrower than the dot are hidden by it; the numbers give them."
        + (" Green zone: your goal for the best strategy." if any(zones) else ""),
        "panels": charts,
        "layout": layout(charts),
        "numbers": [_table(panels, [names[i] for i in order], order, places)],
    }


def _table(panels: Sequence[Row], names: Sequence[str], order: Sequence[int], places: int) -> Table:
    before = any(row["before"] is not None for p in panels for row in p["rows"])
    columns = [["Strategy", False]]
    for p in panels:
        columns += [[players_word(p["players"]), True], ["Joint range", True]]
        columns += [["Change, pp", True]] if before else []

    def cells(row: Row) -> list[str]:
        found = [words.percent(row["est"], places), between(row, "joint_", places)]
        if before:
            delta = row["delta"]["est"] if row["delta"] else None
            found.append("–" if delta is None else words.number(100.0 * delta, places + 1, signed=True))
        return found

    return {
        "caption": "Win share by strategy at the mixed table",
        "columns": columns,
        "rows": [
            [name, *(cell for p in panels for cell in cells(p["rows"][i]))]
            for name, i in zip(names, order, strict=True)
        ],
    }


def _headline(report: Report, panels: Sequence[Row]) -> str:
    """Say who wins most, and where."""
    best: dict[str, list[int]] = {}
    for p in panels:
        row = max(p["rows"], key=lambda r: r["est"] or 0.0)
        best.setdefault(row["strategy"], []).append(p["players"])
    if len(best) > 1:
        parts = [f"{name} with {words.listing([words.spelled(n) for n in counts])}" for name, counts in best.items()]
        return f"Most wins: {words.listing(parts)} players"
    name = next(iter(best))
    where = " at every table" if len(panels) > 1 else ""
    missed = [
        g["players"]
        for g in report["goals"]
        if g["measure"] == "best_strategy" and g["verdict"] == "outside" and g["est"] > (g["band"]["hi"] or 1.0)
    ]
    too_much = f", and more than you allow {words.with_counts(missed)}" if missed else ""
    return f"{words.sentence(name)} wins most{where}{too_much}"


# --- match-ups -------------------------------------------------------------------------------------------------


def duels(report: Report) -> Figure | None:
    """Match-ups at the player count in focus, numbers for all."""
    panel, names = _in_focus(report), [s["name"] for s in report["strategies"]]
    if panel is None:
        return None
    cells = [c for line in panel["grid"] for c in line if c]
    rest = panel["players"] - 1
    who = (
        f"one player of the row against {words.spelled(rest)} of the column"
        if rest > 1
        else "the row against the column"
    )
    fewest = words.count(min(c["games"] for c in cells))
    return {
        "id": "duels",
        "headline": _duel_headline(panel, names),
        "sub": f"Win share in % of {who} · par {words.tidy(panel['par'], 1)} · about {fewest} games a cell",
        "how": "Blue: above par. Brown: below par. Bold: surely above, for all cells together. Under each number the "
        "95% half-width."
        + ("" if len(names) <= MATRIX_MOST else f" The {words.spelled(MATRIX_MOST)} strongest; the numbers have all."),
        "panels": [_matrix(panel, names)],
        "layout": "one",
        "numbers": [_duel_table(p, names) for p in report["duels"]],
    }


def _in_focus(report: Report) -> Row | None:
    """Find the match-ups of the player count in focus."""
    panels: Sequence[Row] = report["duels"]
    if not panels or len(report["strategies"]) < 2:
        return None
    return next((p for p in panels if p["players"] == report["run"]["focus"]), panels[-1])


def _matrix(panel: Row, names: Sequence[str]) -> Chart:
    order = _order(panel)[:MATRIX_MOST]
    drawn = [panel["grid"][i][j] for i in order for j in order]
    most = max((abs(c["est"] - panel["par"]) for c in drawn if c), default=0.0)
    rest = panel["players"] - 1
    return grid(
        [names[i] for i in order],
        [[_cell(panel, i, j, most) for j in order] for i in order],
        head="against" if rest == 1 else f"against {words.spelled(rest)} of …",
        alt=f"Match-ups, {players_word(panel['players'])}",
        desc=f"{_duel_headline(panel, names)}. {_worst_match(panel, names)}".strip(),
    )


def grid(names: Sequence[str], cells: list[list[Chart | None]], *, head: str, alt: str, desc: str) -> Chart:
    """Make a matrix of strategies against strategies."""
    short, labels = short_labels(names, 110)
    upright, height = short_labels(names, 90)
    pitch = min((WIDTHS["M"] - labels - 10) / len(names), 64.0)
    turned = any(words.width(name) * CHARACTER > pitch + 6 for name in short.values())
    return {
        "kind": "matrix",
        "labels": labels,
        "head": head,
        "turned": turned,
        "turned_height": height - 10,
        "pitch": pitch,
        "rows": [short[name] for name in names],
        "columns": [(upright if turned else short)[name] for name in names],
        "cells": cells,
        "alt": alt,
        "desc": desc,
    }


def tint(above: float, most: float) -> float:
    """Choose the strength of a cell's tint, -1 to 1; none where it is practically on the centre."""
    return math.copysign(0.06 + 0.40 * abs(above) / most, above) if abs(above) > 5e-4 else 0.0


def _order(panel: Row) -> list[int]:
    """Strongest row first."""
    return sorted(range(len(panel["grid"])), key=lambda i: -sum(c["est"] or 0.0 for c in panel["grid"][i] if c))


def _half_width(cell: Row) -> float | None:
    return None if cell["lo"] is None else 50.0 * (cell["hi"] - cell["lo"])


def _cell(panel: Row, i: int, j: int, most: float) -> Chart | None:
    cell = panel["grid"][i][j]
    if cell is None:
        return {"text": "par", "sub": "", "tint": 0, "strong": False} if i == j else None
    half = _half_width(cell)
    places = 1 if half is None or half < 1.0 else 0
    above = cell["est"] - panel["par"]
    return {
        "text": words.number(100.0 * cell["est"], places),
        "sub": f"±{words.number(half, places)}",
        "tint": tint(above, most),
        "strong": cell["joint_lo"] is not None and cell["joint_lo"] > panel["par"],
    }


def _duel_table(panel: Row, names: Sequence[str]) -> Table:
    order = _order(panel)

    def cell(i: int, j: int) -> str:
        found = panel["grid"][i][j]
        if found is None:
            return "par" if i == j else "–"
        return f"{words.number(100.0 * found['est'], 1)} ±{words.number(_half_width(found), 1)}"

    par = words.tidy(panel["par"], 1)
    return {
        "caption": f"Match-ups, {players_word(panel['players'])}, % ± half-width, par {par}",
        "columns": [["One of", False], *([names[j], True] for j in order)],
        "rows": [[names[i], *(cell(i, j) for j in order)] for i in order],
    }


def _duel_headline(panel: Row, names: Sequence[str]) -> str:
    best, ring = panel["best"], [names[i] for i in panel["ring"]]
    circle = f"{words.listing(ring)} beat each other in a ring" if ring else ""
    if best is not None:
        return f"{words.sentence(names[best])} beats all" + (f"; below it {circle}" if circle else "")
    return words.sentence(circle) if circle else "No strategy surely beats all others"


def _worst_match(panel: Row, names: Sequence[str]) -> str:
    """Say against whom the strategy that beats everybody does worst."""
    best, worst = panel["best"], panel["worst_of_best"]
    if best is None:
        return ""
    cell, rest = panel["grid"][best][worst], panel["players"] - 1
    places = digits([cell])
    who = names[worst] if rest == 1 else f"{words.spelled(rest)} {names[worst]} players"
    return (
        f"Its worst match-up is {who}: {words.percent(cell['est'], places)} ({between(cell, 'joint_', places)}) "
        f"where par is {words.tidy(panel['par'], 1)}."
    )


def dominance(report: Report) -> list[tuple[str, str]]:
    """Write the sentences beside the match-ups: a bold beginning and the rest."""
    panel, names = _in_focus(report), [s["name"] for s in report["strategies"]]
    if panel is None:
        return []
    lines = []
    best, panels = panel["best"], report["duels"]
    where = f" {words.with_players(panel['players'])}" if len(panels) > 1 else ""
    if best is not None:
        same = [p["players"] for p in panels if p["best"] == best and p is not panel]
        also = f" The same holds {words.with_counts(same)}." if same else ""
        start = f"{words.sentence(names[best])} beats every other strategy we tried{where}."
        lines.append((start, f"{_worst_match(panel, names)}{also}"))
    else:
        lines.append((f"No strategy surely beats all others{where}.", "Each loses, or may lose, to some other."))
    ring = [names[i] for i in panel["ring"]]
    if ring:
        beats = words.listing([f"{a} beats {b}" for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)])
        start = "Among the rest there is no single best:" if best is not None else "There is no single best:"
        lines.append((start, f"{beats}."))
    return lines
