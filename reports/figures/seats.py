"""Seats: at the mixed table, among equals, and by plain arithmetic."""

from collections.abc import Sequence

from reports import words
from reports.figures.scales import (
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

SEAT_GOALS = ("first_player", "every_seat")


def seats(report: Report) -> Figure | None:
    """Win share by seat."""
    panels = report["seats"]["panels"]
    if not panels:
        return None
    width, labels = width_of(panels), 30
    places = digits(row for p in panels for row in p["rows"])
    data = [[from_par(row, p["par"]) for row in p["rows"]] for p in panels]
    zones = [band_from(goal_of(report, p["players"], *SEAT_GOALS), p["par"]) for p in panels]
    reach = reach_of(row for rows in data for row in rows)
    reach += near([limit for zone in zones if zone for limit in known(zone)], reach)
    charts = []
    for p, rows, zone in zip(panels, data, zones, strict=True):
        par = words.tidy(p["par"], 1)
        scale = axis(reach, plot_pixels(width, labels), 48, f"par {par}", grid=False)
        missed = _missed(report, p["players"])
        lines = [f"{words.ordinal(row['seat'] + 1)} seat {words.percent(row['est'], places)}" for row in p["rows"]]
        charts.append(
            dots(
                [
                    dot(
                        if_moved(numbers, scale),
                        words.ordinal(row["seat"] + 1),
                        words.percent(row["est"], places),
                        tone="out" if words.seat_name(row["seat"]) in missed else "est",
                        strong=row["seat"] == 0,
                    )
                    for row, numbers in zip(p["rows"], rows, strict=True)
                ],
                width=width,
                title=players_word(p["players"]),
                labels=labels,
                scale=scale,
                pitch=28,
                zone=zone,
                alt=f"Win share by seat, {players_word(p['players'])}",
                desc=f"{'; '.join(lines)}. Par {par}.{_goal_text(report, p['players'])}",
            )
        )
    hollow = " · hollow: before" if any(row["before"] is not None for c in charts for row in c["rows"]) else ""
    return {
        "id": "seats",
        "headline": _headline(report, places),
        "sub": f"Win share by seat, points from par · {games_word(panels)}, {mixed_word(report)}{hollow}",
        "how": "Dot: estimate. Thick line: range of this row. Thin line: range that holds for all rows together."
        + _zone_note(report),
        "panels": charts,
        "layout": layout(charts),
        "numbers": [_table(report, panels, places)],
    }


def _missed(report: Report, players: int) -> set[str]:
    """Name the seats that a goal calls outside."""
    return {
        goal["subject"] or words.seat_name(0)
        for goal in report["goals"]
        if goal["players"] == players and goal["measure"] in SEAT_GOALS and goal["verdict"] == "outside"
    }


def _goal_text(report: Report, players: int) -> str:
    goal = goal_of(report, players, *SEAT_GOALS)
    return f" Goal: {goal['band']['text']}." if goal else ""


def _zone_note(report: Report) -> str:
    goals = [g for g in report["goals"] if g["measure"] in SEAT_GOALS]
    if not goals:
        return ""
    if all(g["default"] for g in goals):
        return " Green zone: the default goal for the first player; set your own in [goals]."
    if any(g["measure"] == "first_player" for g in goals):
        return " Green zone: your goal for the first player, a yardstick for the other seats."
    return " Green zone: your goal for every seat."


def _headline(report: Report, places: int) -> str:
    """Say the most important thing about the seats."""
    several = len(report["seats"]["panels"]) > 1
    goals = [g for g in report["goals"] if g["measure"] in SEAT_GOALS]
    missed = [g for g in goals if g["verdict"] == "outside"]
    if missed:
        goal = missed[0]
        found, par = words.percent(goal["est"], places), words.tidy(goal["par"], 1)
        return words.sentence(f"{words.clause(goal, several)}: {found} where par is {par}")
    panel, row = max(
        ((p, row) for p in report["seats"]["panels"] for row in p["rows"]),
        key=lambda pair: round(abs(pair[1]["est"] - pair[0]["par"]), 9),
    )
    where = f" {words.with_players(panel['players'])}" if several else ""
    gap = words.number(100.0 * (row["est"] - panel["par"]), places, signed=True)
    farthest = f"{words.seat_name(row['seat'])}{where}, {gap} points"
    if not goals:
        return f"The farthest seat from par: {farthest}"
    fair = all(g["verdict"] == "inside" for g in goals)
    return f"{'Going first is fair' if fair else 'No seat can be called unfair yet'}; farthest from par is {farthest}"


def _table(report: Report, panels: Sequence[Row], places: int) -> Table:
    before = any(row["before"] is not None for p in panels for row in p["rows"])
    columns = [["Seat", False], ["Win share", True], ["Range", True], ["Joint range", True], ["From par, pp", True]]
    columns += [["Before", True], ["Change, pp (joint range)", True]] if before else []
    columns += [["Won alone", True], ["Top score", True], [f"Mean {report['run']['unit'][1]}", True]]
    rows = []
    for p in panels:
        for row in p["rows"]:
            cells = [
                f"{players_word(p['players'])}, {words.ordinal(row['seat'] + 1)}",
                words.percent(row["est"], places),
                between(row, "", places),
                between(row, "joint_", places),
                words.number(100.0 * (row["est"] - p["par"]), places, signed=True),
            ]
            cells += _before_cells(row, places) if before else []
            cells += [words.percent(row[key], places) for key in ("alone", "top")] + [words.number(row["score"], 1)]
            rows.append(cells)
    return {"caption": "Win share by seat", "columns": columns, "rows": rows}


def _before_cells(row: Row, places: int) -> list[str]:
    if row["before"] is None:
        return ["–", "–"]
    delta = row["delta"]
    size = words.number(100.0 * delta["est"], places + 1, signed=True)
    return [words.percent(row["before"], places), f"{size} ({between(delta, 'joint_', places + 1, signed=True)})"]


def equal_seats_text(report: Report) -> str:
    """Say for all seats together whether they differ more than chance explains."""
    panels = [p for p in report["seats"]["panels"] if p["players"] > 1]
    apart = [p["players"] for p in panels if p["equal"]["tail"] < 0.01]
    alike = [p["players"] for p in panels if p["equal"]["tail"] >= 0.01]
    parts = []
    if apart:
        parts.append(f"{words.with_counts(apart)} they differ by more than chance explains")
    if alike:
        parts.append(f"{words.with_counts(alike)} they differ no more than chance would make them")
    return f"All seats taken together: {'; '.join(parts)}." if parts else ""


def mirror(report: Report) -> Figure | None:
    """Show the first player's share among equals."""
    panels = report["seats"]["mirror"]
    if not panels:
        return None
    width = width_of(panels)
    names, labels = short_labels([row["strategy"] for row in panels[0]["rows"]], 100)
    places = digits(row for p in panels for row in p["rows"])
    data = [[from_par(row, p["par"]) for row in p["rows"]] for p in panels]
    scale = axis(reach_of(row for rows in data for row in rows), plot_pixels(width, labels), 40, "par")
    charts = [
        dots(
            [
                dot(numbers, names[row["strategy"]], words.percent(row["est"], places))
                for row, numbers in zip(p["rows"], rows, strict=True)
            ],
            width=width,
            title=players_word(p["players"]),
            labels=labels,
            scale=scale,
            alt=f"First player among equals, {players_word(p['players'])}",
            desc="; ".join(f"{row['strategy']} {words.percent(row['est'], places)}" for row in p["rows"])
            + f". Par {words.tidy(p['par'], 1)}.",
        )
        for p, rows in zip(panels, data, strict=True)
    ]
    return {
        "id": "mirror",
        "headline": _mirror_headline(panels, places),
        "sub": "Win share of the first player where all seats play the same strategy, points from par · "
        + games_word(panels),
        "how": "The same strategy at every seat, so that only the seat can make a difference.",
        "panels": charts,
        "layout": layout(charts),
        "numbers": [_mirror_table(panels, places)],
    }


def _mirror_headline(panels: Sequence[Row], places: int) -> str:
    sure = [
        (p, row)
        for p in panels
        for row in p["rows"]
        if row["joint_lo"] is not None and not row["joint_lo"] <= p["par"] <= row["joint_hi"]
    ]
    if not sure:
        return "Among equals, no strategy shows a sure difference for the first player"
    panel, row = max(sure, key=lambda pair: abs(pair[1]["est"] - pair[0]["par"]))
    gap = words.number(100.0 * (row["est"] - panel["par"]), places, signed=True)
    where = f" {words.with_players(panel['players'])}" if len(panels) > 1 else ""
    return f"Among equals, going first matters most where all play {row['strategy']}: {gap} points{where}"


def _mirror_table(panels: Sequence[Row], places: int) -> Table:
    most = max(p["players"] for p in panels)
    return {
        "caption": "Win share by seat where all play the same strategy",
        "columns": [
            ["Strategy", False],
            ["First player, joint range", True],
            *([words.ordinal(i + 1), True] for i in range(most)),
        ],
        "rows": [
            [
                f"{players_word(p['players'])}, {row['strategy']}",
                between(row, "joint_", places),
                *(words.percent(share, places) for share in row["seats"]),
                *["–"] * (most - p["players"]),
            ]
            for p in panels
            for row in p["rows"]
        ],
    }


def exact_seats(report: Report) -> Table | None:
    """Tabulate what arithmetic on the rules says about the seats."""
    exact = report["seats"]["exact"]
    if not exact:
        return None
    most = max(len(row["values"]) for row in exact)
    return {
        "caption": "Exact, from the rules",
        "columns": [["Players", False], ["What", False], *([words.ordinal(i + 1), True] for i in range(most))],
        "rows": [
            [str(row["players"]), row["fact"], *row["values"], *["–"] * (most - len(row["values"]))] for row in exact
        ],
    }
