"""What strategies make of each other: where a field of players drifts, and one ladder of strength."""

import math
from collections.abc import Sequence
from itertools import pairwise

from reports import words
from reports.figures.scales import Chart, Figure, Report, Row, Table, between, players_word, step_of

SURE, LIKELY = 0.95, 0.8
"""Part of the resamplings that must agree before the page says where a field drifts, or most likely drifts."""

SHOWN = 0.05
"""A strategy with a smaller part of the field than this is not named."""

MISLEADS = 0.10
"""From this misfit on, as a part of par, the ladder says too little."""

LEVEL_WITH = 1.05
"""A strategy that wins fewer times as often as the next one is level with it."""

WIDE = 0.5
"""With wider ranges than this a mixture is not told."""

REDRAWN = "redraws of the deals"
"""What a resampling is called on the page."""


def drift(report: Report) -> Figure | None:
    """Show where the field drifts, at one player count, with numbers for all."""
    panel, names = _shown(report), [s["name"] for s in report["strategies"]]
    if panel is None:
        return None
    found = panel["drift"]
    lead = _leaders(found)
    return {
        "id": "drift",
        "headline": words.sentence(_ending(found, names)[0]),
        "sub": f"Part of the field by strategy, from equal parts · {players_word(panel['players'])}",
        "how": "Each generation a strategy’s part grows by what it wins beyond par, at tables drawn from the field. "
        f"{_key(lead, names)} Faint: the same after drawing the deals anew, {len(found['paths'])} times.",
        "panels": [_chart(panel, names, lead)],
        "layout": "one",
        "numbers": [_table(p, names) for p in report["meta"] if p["drift"]],
    }


def drift_text(report: Report) -> list[tuple[str, str]]:
    """Write where the field drifts, or why that cannot be said: a bold beginning and the rest."""
    names, lines = [s["name"] for s in report["strategies"]], []
    panel, focus = _shown(report), report["run"]["focus"]
    several = len(report["meta"]) > 1
    if panel is not None:
        found = panel["drift"]
        start, rest = _ending(found, names)
        where = f" {words.with_players(panel['players'])}" if several else ""
        agreed = _agreed(found)
        same = [p["players"] for p in report["meta"] if p is not panel and p["drift"] and _agreed(p["drift"]) == agreed]
        same = same if agreed and agreed[0] == "takes_over" else []
        also = f" The same holds {words.with_counts(same)}." if same else ""
        lines.append((f"In a field that drifts to what wins{where}, {start}.", f"{rest}{also}"))
    silent = [p for p in report["meta"] if p["note"] and p["players"] == focus]
    for p in silent:
        where = f" {words.with_players(p['players'])}" if several else ""
        lines.append((f"Where the field drifts{where} cannot be said:", f"{p['note']}."))
    return lines


def ladder_text(report: Report) -> list[tuple[str, str]]:
    """Write the ladder of strength at the player count in focus, and how far it misleads."""
    panel = next((p for p in report["meta"] if p["players"] == report["run"]["focus"] and p["ladder"]), None)
    if panel is None:
        return []
    found, names = panel["ladder"], [s["name"] for s in report["strategies"]]
    order = sorted(range(len(names)), key=lambda i: -found["strength"][i])
    steps, times = [[names[order[0]]]], []
    for above, below in pairwise(order):
        gap = found["strength"][above] - found["strength"][below]
        if gap < math.log(LEVEL_WITH):
            steps[-1].append(names[below])
        else:
            steps.append([names[below]])
            times.append(words.number(math.exp(gap), 1 if gap < math.log(10) else 0))
    where = f" {words.with_players(panel['players'])}" if len(report["meta"]) > 1 else ""
    many = "each step wins" if len(times) > 1 else "the first wins"
    apart = f"; at the same table {many} {words.listing(times)} times as often as the next" if times else ", all level"
    off = f"Single tables are typically {words.number(100.0 * found['misfit'], 1)} points off"
    if not found["sure"]:
        fit = "Single tables are no farther off than luck explains."
    elif found["misfit"] * panel["players"] >= MISLEADS:
        fit = f"{off}, so it misleads: who else sits at the table matters."
    else:
        fit = f"{off}, which is little where par is {words.tidy(1.0 / panel['players'], 1)}."
    return [
        (
            f"On one ladder of strength{where}:",
            f"{', then '.join(words.listing(step) for step in steps)}{apart}. That takes for granted that who beats "
            f"the stronger also beats the weaker. {fit}",
        )
    ]


def ladder_table(report: Report) -> Table | None:
    """Tabulate the ladders of all player counts."""
    panels = [p for p in report["meta"] if p["ladder"]]
    if not panels:
        return None
    return {
        "caption": "Ladder of strength: logarithm of the odds, mean 0",
        "columns": [["Strategy", False], *([players_word(p["players"]), True] for p in panels)],
        "rows": [
            *(
                [s["name"], *(words.number(p["ladder"]["strength"][i], 2, signed=True) for p in panels)]
                for i, s in enumerate(report["strategies"])
            ),
            ["Misfit, points", *(words.number(100.0 * p["ladder"]["misfit"], 1) for p in panels)],
        ],
    }


# --- words -----------------------------------------------------------------------------------------------------


def _agreed(found: Row) -> tuple[str, int | None] | None:
    """Return the end that nearly all resamplings reach."""
    first = found["outcomes"][0]
    return (first["kind"], first["strategy"]) if first["times"] >= SURE * found["of"] else None


def _shown(report: Report) -> Row | None:
    """Find the drift that is drawn."""
    return next((p for p in report["meta"] if p["drift"] and p["drift"]["paths"]), None)


def _ending(found: Row, names: Sequence[str]) -> tuple[str, str]:
    """Say where a field ends, and how sure that is."""
    told = [_outcome(each, names) for each in found["outcomes"]]
    times, of = found["outcomes"][0]["times"], found["of"]
    if times < LIKELY * of:
        counts = [f"{text} in {each['times']}" for text, each in zip(told, found["outcomes"], strict=True)]
        most = [*counts[:3], *(["something else happens in the rest"] if len(counts) > 3 else [])]
        return "the end is too close to call", f"Of {of} {REDRAWN}, {words.listing(most)}."
    likely = "" if times >= SURE * of else "most likely "
    agree = f"In {'all' if times == of else f'{times} of'} {of} {REDRAWN}."
    if found["outcomes"][0]["kind"] != "settles":
        return f"{likely}{told[0]}", agree
    if any(row["hi"] - row["lo"] > WIDE for row in found["rows"]):
        return f"{likely}it settles at a mixture, but which one is too close to call", agree
    parts = [
        f"{words.percent(row['est'], 0)} {names[i]} ({between(row, '', 0)})"
        for i, row in sorted(enumerate(found["rows"]), key=lambda each: -each[1]["est"])
        if row["est"] >= SHOWN
    ]
    return f"{likely}it settles at {words.listing(parts)}", agree


def _outcome(outcome: Row, names: Sequence[str]) -> str:
    return {
        "takes_over": lambda: f"{names[outcome['strategy']]} takes over completely",
        "settles": lambda: "it settles at a mixture",
        "circles": lambda: "it keeps circling",
        "open": lambda: "it is still on the move when we stop looking",
    }[outcome["kind"]]()


def _key(lead: Sequence[int], names: Sequence[str]) -> str:
    """Name the colours."""
    rest = [names[i] for i in range(len(names)) if i not in lead]
    parts = [f"{colour}: {names[i]}." for colour, i in zip(("Blue", "Brown"), lead, strict=False)]
    return " ".join([*parts, f"Grey: {words.listing(rest)}."] if rest else parts)


# --- drawing ---------------------------------------------------------------------------------------------------


def _leaders(found: Row) -> list[int]:
    """Find the two strategies that are drawn in colour: those with most of the field, at the end and on the way."""
    order = sorted(
        range(len(found["rows"])), key=lambda i: (-(found["rows"][i]["est"] or 0.0), -max(found["parts"][i]))
    )
    return order[:2]


def _chart(panel: Row, names: Sequence[str], lead: Sequence[int]) -> Chart:
    found = panel["drift"]
    tones = dict.fromkeys(range(len(names)), "base") | dict(zip(lead, ("est", "minus"), strict=False))
    drawn = sorted(tones, key=lambda i: (i in lead, i == lead[0]))
    end = found["time"][-1]
    step = max(step_of(end / 5), 1.0)
    faint = [
        {"xs": found["time"], "ys": path[i], "tone": tones[i], "steps": False, "faint": True}
        for i in drawn
        if i in lead or any(path[i][-1] >= SHOWN for path in found["paths"])
        for path in found["paths"]
    ]
    lines = [{"xs": found["time"], "ys": found["parts"][i], "tone": tones[i], "steps": False} for i in drawn]
    return {
        "kind": "curve",
        "width": "M",
        "x": {
            "lo": 0.0,
            "hi": end,
            "ticks": [[k * step, words.number(k * step, 0)] for k in range(int(end / step) + 1)],
        },
        "y": {"lo": 0.0, "hi": 1.0, "ticks": [[part / 4, f"{25 * part}%"] for part in range(5)]},
        "x_label": "generations",
        "y_label": f"part of the field, {players_word(panel['players'])}",
        "lines": faint + lines,
        "spans": [],
        "zone": None,
        "level": None,
        "marks": [],
        "texts": [],
        "alt": f"Drift of the field, {players_word(panel['players'])}",
        "desc": f"{words.sentence(_ending(found, names)[0])}. "
        + "; ".join(f"{n} ends with {words.percent(r['est'], 0)}" for n, r in zip(names, found["rows"], strict=True))
        + ".",
    }


def _table(panel: Row, names: Sequence[str]) -> Table:
    found = panel["drift"]
    alone = {each["strategy"]: each["times"] for each in found["outcomes"]}
    circles = found["outcomes"][0]["kind"] == "circles"
    order = sorted(range(len(names)), key=lambda i: -(found["rows"][i]["est"] or 0.0))
    return {
        "caption": f"Drift of the field, {players_word(panel['players'])}, %",
        "columns": [
            ["Strategy", False],
            ["On average" if circles else "In the end", True],
            ["Range", True],
            [f"Takes over, of {found['of']}", True],
        ],
        "rows": [
            [
                names[i],
                words.number(100.0 * found["rows"][i]["est"], 1),
                between(found["rows"][i], "", 1),
                str(alone.get(i, 0)),
            ]
            for i in order
        ],
    }
