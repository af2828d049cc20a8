"""How a game unfolds: length, leaders, margins."""

import math
from collections.abc import Sequence

from reports import words
from reports.charts import WIDTHS
from reports.figures.scales import Chart, Figure, Report, Row, Table, digits, goal_of, players_word, step_of

QUARTERS = [[0.0, "start"], [25.0, "¼"], [50.0, "½"], [75.0, "¾"], [100.0, "end"]]
SHARES = {"lo": 0.0, "hi": 1.0, "ticks": [[0.25, "25%"], [0.5, "50%"], [0.75, "75%"], [1.0, "100%"]]}
MARGIN_ROWS = 21
SHOWN = 0.985
"""The curve of margins ends where it holds this share of the games."""


def _focus(report: Report, panels: Sequence[Row]) -> Row:
    return next((p for p in panels if p["players"] == report["run"]["focus"]), panels[-1])


def _where(panel: Row, panels: Sequence[Row]) -> str:
    """Name the player count inside a sentence, if there are several."""
    return f" {words.with_players(panel['players'])}" if len(panels) > 1 else ""


def _text(x: float, y: float, text: str, align: str, dx: float, dy: float, *, strong: bool = True) -> Chart:
    return {"x": x, "y": y, "text": text, "tone": "est", "align": align, "strong": strong, "dx": dx, "dy": dy}


# --- length ----------------------------------------------------------------------------------------------------


def length(report: Report, width: str) -> tuple[Figure | None, str]:
    """Show how long games are; where the rules fix it, say so instead."""
    panels = report["unfold"]
    if not panels:
        return None, ""
    key = next((k for k in ("decisions", "rounds") if not all(p[k]["fixed"] for p in panels)), None)
    if key is None:
        return None, _fixed_length(panels)
    focus = _focus(report, panels)
    outlines = [(p, *_outline(p[key], p["games"])) for p in panels]
    ends = _cut([p[key] for p in panels])
    x_axis = _whole_axis(ends, WIDTHS[width] - 44, 44)
    y_axis = _share_axis(1.18 * max(y for _, _, ys in outlines for y in ys))
    lines, texts = [], []
    for p, xs, ys in sorted(outlines, key=lambda o: o[0] is focus):
        strong = p is focus
        kept = [(x, y) for x, y in zip(xs, ys, strict=True) if ends[0] <= x <= ends[1]]
        tone = "est" if strong else "base"
        lines.append({"xs": [x for x, _ in kept], "ys": [y for _, y in kept], "tone": tone, "steps": True})
        x, y = max(kept, key=lambda point: point[1])
        label = players_word(p["players"]) if strong or len(panels) < 4 else str(p["players"])
        texts.append({**_text(x, y, label, "center", 0, -7, strong=strong), "tone": "est" if strong else "muted"})
    found, where = focus[key], _where(focus, panels)
    size = f"{found['median']} {key}" if key == "rounds" else f"asks for {found['median']} decisions"
    fixed = key == "decisions" and all(p["rounds"]["fixed"] for p in panels)
    return {
        "id": "length",
        "headline": f"A game{where} {'lasts ' if key == 'rounds' else ''}{size}; nine in ten take {found['p5']} to "
        f"{found['p95']}",
        "sub": "Rounds of a game" if key == "rounds" else "Decisions of all players in one game",
        "how": "The rules fix the rounds; only the decisions vary." if fixed else "Read up from a number.",
        "panels": [
            {
                "kind": "curve",
                "width": width,
                "x": x_axis,
                "y": y_axis,
                "x_label": f"{key} in one game",
                "y_label": "share of games",
                "lines": lines,
                "spans": [],
                "zone": None,
                "level": None,
                "marks": [],
                "texts": texts,
                "alt": f"{words.sentence(key)} in one game",
                "desc": "; ".join(
                    f"{players_word(p['players'])}: median {p[key]['median']}, 90% of games {p[key]['p5']} to "
                    f"{p[key]['p95']}"
                    for p in panels
                ),
            }
        ],
        "layout": "one",
        "numbers": [_length_table(panels)],
    }, ""


def _fixed_length(panels: Sequence[Row]) -> str:
    """Say how long games are where the rules fix it."""
    turns = [round(p["turns"]["est"]) for p in panels]
    if len(set(turns)) == 1:
        any_count = " with any number of players" if len(panels) > 1 else ""
        return f"The rules fix the length of a game: {turns[0]} turns{any_count}, never more or less."
    parts = [
        f"{n}{' turns' if i == 0 else ''} with {words.spelled(p['players'])}"
        for i, (n, p) in enumerate(zip(turns, panels, strict=True))
    ]
    return f"The rules fix the length of a game: {words.listing(parts)} players, never more or less."


def _outline(counted: Row, games: int) -> tuple[list[float], list[float]]:
    """Turn a histogram into an outline drawn in steps, down to zero at both ends."""
    xs = [float(start) for start, _ in counted["bins"]]
    ys = [n / games for _, n in counted["bins"]]
    return [xs[0], *xs, xs[-1] + counted["width"]], [0.0, *ys, 0.0]


def _cut(counts: Sequence[Row]) -> tuple[float, float]:
    """Leave thin tails out of the picture: three times the way from the median to the 5% and 95% points."""
    found = [c for c in counts if c["bins"]]
    left = min(max(c["bins"][0][0], c["median"] - 3 * max(c["median"] - c["p5"], c["width"])) for c in found)
    right = max(
        min(c["bins"][-1][0] + c["width"], c["median"] + 3 * max(c["p95"] - c["median"], c["width"])) for c in found
    )
    return float(left), float(right)


def _whole_axis(ends: tuple[float, float], pixels: float, label: float) -> Chart:
    low, high = ends
    step = math.ceil(step_of((high - low) * label / pixels))
    ticks = [
        [float(k * step), words.number(k * step, 0)] for k in range(math.ceil(low / step), math.floor(high / step) + 1)
    ]
    return {"lo": low, "hi": high, "ticks": ticks}


def _share_axis(top: float) -> Chart:
    step = step_of(100.0 * top / 4)
    ticks = [[k * step / 100.0, f"{k * step:g}%"] for k in range(1, math.floor(100.0 * top / step) + 1)]
    return {"lo": 0.0, "hi": top, "ticks": ticks}


def _length_table(panels: Sequence[Row]) -> Table:
    columns = ["Players", "Turns", "Rounds, median", "90% of games", "Decisions, median", "90% of games"]
    return {
        "caption": "Length of a game",
        "columns": [[name, i > 0] for i, name in enumerate(columns)],
        "rows": [
            [
                str(p["players"]),
                words.number(p["turns"]["est"], 0 if p["turns"]["hi"] == p["turns"]["lo"] else 1),
                str(p["rounds"]["median"]),
                f"{p['rounds']['p5']}–{p['rounds']['p95']}",
                str(p["decisions"]["median"]),
                f"{p['decisions']['p5']}–{p['decisions']['p95']}",
            ]
            for p in panels
        ],
    }


# --- leaders ---------------------------------------------------------------------------------------------------


def _part(at: str) -> float:
    """Return a part of the rounds such as 25% as a number."""
    return float(at.rstrip("%"))


def leader(report: Report, width: str) -> Figure | None:
    """Show how often whoever leads goes on to win."""
    panels = [p for p in report["unfold"] if all(row["est"] is not None for row in p["leader"])]
    if not panels:
        return None
    focus = _focus(report, panels)
    rows = focus["leader"]
    places = min(digits(row for p in panels for row in p["leader"]), 1)
    goal = goal_of(report, focus["players"], "leader_wins")
    zone = None
    if goal is not None:
        zone = {
            "x": _part(goal["options"]["at"] or "50%"),
            "half": 2.5,
            "lo": goal["band"]["lo"],
            "hi": goal["band"]["hi"],
        }
    half = next(row for row in rows if row["at"] == "50%")
    counted = all(n == p["games"] for p in panels for n in p["leader_games"])
    only = f", {players_word(focus['players'])}" if len(panels) > 1 else ""
    return {
        "id": "leader",
        "headline": f"Whoever leads at half-time{_where(focus, panels)} wins {words.percent(half['est'], places)} of "
        f"games, {words.number(half['est'] / focus['par'], 1)} times par",
        "sub": f"Share of games won by the player who leads by {report['run']['lead_unit']}{only}",
        "how": (
            "Shared leads count in equal parts." if counted else "Games with a shared lead at that time are left out."
        )
        + (" Green bar: your goal." if zone else ""),
        "panels": [
            {
                "kind": "curve",
                "width": width,
                "x": {"lo": 0.0, "hi": 100.0, "ticks": QUARTERS},
                "y": SHARES,
                "x_label": "part of the rounds played",
                "y_label": "the leader goes on to win",
                "lines": [
                    {
                        "xs": [0.0, *(_part(row["at"]) for row in rows)],
                        "ys": [focus["par"], *(row["est"] for row in rows)],
                        "tone": "est",
                        "steps": False,
                    }
                ],
                "spans": [
                    {"x": _part(row["at"]), "lo": row["lo"], "hi": row["hi"]} for row in rows if row["lo"] is not None
                ],
                "zone": zone,
                "level": {"y": focus["par"], "label": f"par {words.tidy(focus['par'], 1)}"},
                "marks": [{"x": _part(row["at"]), "y": row["est"], "tone": "est"} for row in rows],
                "texts": [
                    _text(_part(row["at"]), row["est"], words.percent(row["est"], places), "right", -6, -7)
                    for row in rows
                ],
                "alt": "How often the leader wins",
                "desc": "; ".join(
                    f"after {row['at']} of the rounds {words.percent(row['est'], places)}" for row in rows
                ),
            }
        ],
        "layout": "one",
        "numbers": [_leader_table(panels, places)],
    }


def _leader_table(panels: Sequence[Row], places: int) -> Table:
    def cell(row: Row) -> str:
        low, high = (None if row[end] is None else 100.0 * row[end] for end in ("lo", "hi"))
        return f"{words.percent(row['est'], places)} ({words.span(low, high, places)})"

    return {
        "caption": "Share of games won by who leads",
        "columns": [["After", False], *([players_word(p["players"]), True] for p in panels)],
        "rows": [
            [f"{row['at']} of the rounds", *(cell(p["leader"][i]) for p in panels)]
            for i, row in enumerate(panels[0]["leader"])
        ],
    }


# --- margins ---------------------------------------------------------------------------------------------------


def margin(report: Report, width: str) -> Figure | None:
    """Show how far ahead winners finish."""
    panels = [p for p in report["unfold"] if sum(p["margin"])]
    if not panels:
        return None
    focus, unit = _focus(report, panels), report["run"]["unit"]
    heap = _heap(focus["margin"])
    end = max(next((i for i, share in enumerate(heap) if share >= SHOWN), len(heap) - 1), 3)
    heap += [heap[-1]] * (end + 1 - len(heap))
    goal = goal_of(report, focus["players"], "close_finish")
    at = goal["options"]["points"] if goal else next(i for i, share in enumerate(heap) if share >= 0.5 - 1e-12)
    at = min(at or 0, end)
    level, spot = heap[0], heap[at]
    left = at <= 0.6 * end
    texts = [
        _text(at, spot, f"{words.percent(spot, 0)} within {at}", *(("left", 8, 13) if left else ("right", -8, -8)))
    ]
    if at > 0:
        texts.append(
            _text(0.0, level, f"{words.percent(level, 1)} level", "left", 8, 13 if level > 0.1 else -4, strong=False)
        )
    only = f", {players_word(focus['players'])}" if len(panels) > 1 else ""
    return {
        "id": "margin",
        "headline": f"{words.percent(spot, 0)} of games{_where(focus, panels)} end within {words.plural(at, *unit)}",
        "sub": f"Share of games by the margin of the best score over the next{only}",
        "how": f"Read up from a number of {unit[1]}." + (" Green bar: your goal." if goal else ""),
        "panels": [
            {
                "kind": "curve",
                "width": width,
                "x": _whole_axis((0.0, float(end)), WIDTHS[width] - 44, 40),
                "y": SHARES,
                "x_label": f"ahead by at most … {unit[1]}",
                "y_label": "share of games",
                "lines": [{"xs": list(range(end + 1)), "ys": heap[: end + 1], "tone": "est", "steps": False}],
                "spans": [],
                "zone": {"x": at, "half": 0.02 * end, "lo": goal["band"]["lo"], "hi": goal["band"]["hi"]}
                if goal
                else None,
                "level": None,
                "marks": [{"x": at, "y": spot, "tone": "est"}, {"x": 0, "y": level, "tone": "est"}],
                "texts": texts,
                "alt": "Margin of the winner",
                "desc": f"{words.percent(level)} of games level; {words.percent(spot)} within "
                f"{words.plural(at, *unit)}.",
            }
        ],
        "layout": "one",
        "numbers": [_margin_table(panels, unit[1], min(end + 1, MARGIN_ROWS))],
    }


def _heap(counts: Sequence[int]) -> list[float]:
    """Add shares up from the left."""
    heap, sofar = [], 0
    for n in counts:
        sofar += n
        heap.append(sofar / sum(counts))
    return heap


def _margin_table(panels: Sequence[Row], unit: str, rows: int) -> Table:
    columns = [[f"{words.sentence(unit)} ahead", False]]
    for p in panels:
        columns += [[players_word(p["players"]), True], ["At most", True]]
    body = [[str(i)] for i in range(rows)]
    for p in panels:
        counts = [*p["margin"], *[0] * rows]
        for line, n, share in zip(body, counts, _heap(counts), strict=False):
            line += [words.percent(n / sum(counts)), words.percent(share)]
    return {"caption": "Games by margin", "columns": columns, "rows": body}


# --- the rest --------------------------------------------------------------------------------------------------


def course(report: Report) -> Table | None:
    """Tabulate the rest of a game's course."""
    panels = report["unfold"]
    if not panels:
        return None

    shown = (
        ("Lead changes in a game", "lead_changes", 1.0),
        ("Shared wins", "shared", 100.0),
        ("Decided by the tie-break", "tie_break", 100.0),
        ("Stopped by the cap", "capped", 100.0),
    )
    rows = [
        [name, *(_with_range(p[key], scale) for p in panels)]
        for name, key, scale in shown
        if any(p[key]["est"] for p in panels)  # what never happens needs no row
    ]
    reasons = [r["reason"] for r in panels[0]["reasons"]]
    if len(reasons) > 1:
        rows += [
            [f"Ends: {reason}", *(words.percent(p["reasons"][i]["games"] / p["games"]) for p in panels)]
            for i, reason in enumerate(reasons)
        ]
    return {
        "caption": "At the mixed table, with 95% ranges",
        "columns": [["What", False], *([players_word(p["players"]), True] for p in panels)],
        "rows": rows,
    }


def _with_range(row: Row, scale: float) -> str:
    if row["est"] is None:
        return "–"
    places = min(digits([row], scale, "lo", "hi"), 3)
    value = words.number(scale * row["est"], places) + ("%" if scale == 100.0 else "")
    if row["lo"] is None or row["lo"] == row["hi"]:
        return value
    return f"{value} ({words.span(scale * row['lo'], scale * row['hi'], places)})"
