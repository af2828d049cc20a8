"""The page: `report.json` -> one self-contained HTML file. A pure function of the report."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from reports import charts, figures, svg, words
from reports.queries import queries

TEMPLATES = Path(__file__).parent / "templates"

Report = Mapping[str, Any]

KINDS = {
    "field": "Mixed table: every deal draws its own line-up from all strategies",
    "one_vs_rest": "One of a strategy against the rest of another, every ordered pair",
    "mirror": "The same strategy at every seat",
    "pairs": "Two strategies, taking turns around the table",
    "all": "Every combination of strategies",
    "list": "Line-ups named in the config",
}

_END = r"[+−]?\d[\d,.]*(?:%| pp)?"
_RANGE = re.compile(rf"{_END}(?:–| to ){_END}")


def render(report: Report) -> str:
    """Write the page of a report.

    Parameters
    ----------
    report : dict
        From `reports.tables.build`, or read back from `report.json`: both give the same bytes.

    Returns
    -------
    str
        A complete HTML document; it loads nothing.
    """
    with charts.style():
        context = _context(report)
    html: str = environment().get_template("report.html.j2").render(context)
    return html.lstrip()


@cache
def environment() -> Environment:
    """Set up the templates of all pages."""
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters["nb"] = no_break
    templates.filters["command"] = command
    templates.filters["stop"] = words.stop
    templates.filters["params"] = params
    templates.globals.update(glyphs=words.GLYPHS, verdicts=words.VERDICTS)
    return templates


def no_break(text: str) -> Markup:
    """Keep ranges on one line."""
    return Markup(_RANGE.sub(lambda match: f'<span class="nb">{match[0]}</span>', str(escape(text))))


def command(text: str) -> Markup:
    """Let a command break between its words, and long lists after commas, but not after hyphens."""
    parts = (
        f'<span class="nb">{escape(word)}</span>' if len(word) < 27 else str(escape(word)).replace(",", ",<wbr>")
        for word in text.split(" ")
    )
    return Markup(" ".join(parts))


def params(found: Sequence[tuple[str, float, float | None]]) -> str:
    """Write a strategy's parameters: rivalry 0.8 (default 0.5) and tempo 1."""
    parts = [
        f"{name.replace('_', ' ')} {value:g}" + ("" if usual in (None, value) else f" (default {usual:g})")
        for name, value, usual in found
    ]
    usual = ", as by default" if all(value == default for _, value, default in found) else ""
    return words.listing(parts) + usual


def static(name: str) -> Markup:
    """Read a style sheet or a script, which are ours and need no escaping."""
    return Markup((TEMPLATES / name).read_text(encoding="utf-8").strip())


# --- figures ---------------------------------------------------------------------------------------------------


def drawing(chart: Mapping[str, Any], slug: str, css_class: str = "chart") -> Markup:
    """Draw a chart as SVG for a page; `slug` begins its ids."""
    css_class = f"{css_class} {chart['width']}" if "width" in chart else css_class
    return Markup(svg.fit(svg.save(charts.draw(chart), slug), slug, chart["alt"], chart["desc"], css_class))


def drawn(figure: figures.Figure | None) -> figures.Figure | None:
    """Add the drawings of a figure's charts."""
    if figure is None:
        return None
    slugs = [f"{figure['id']}-{i + 1}" for i in range(len(figure["panels"]))]
    return {"grids": [], **figure, "svgs": [drawing(c, slug) for c, slug in zip(figure["panels"], slugs, strict=True)]}


def _item_figures(report: Report) -> dict[str, Any]:
    """Put several panels of items above the other figures, a single one beside them."""
    items, groups, usage = figures.items(report), figures.item_groups(report), figures.usage(report)
    played = figures.played(report)
    alone = items is not None and len(items["panels"]) == 1
    beside = [items, usage, played, groups] if alone else [groups, usage, played]
    return {
        "items": items is not None,
        "items_wide": None if alone else drawn(items),
        "item_figures": [drawn(f) for f in beside if f],
    }


# --- context ---------------------------------------------------------------------------------------------------


def _context(report: Report) -> dict[str, Any]:
    run = report["run"]
    # Three charts stand side by side; where the rules fix the length, two have more room.
    width = "S" if figures.length(report, "S")[0] else "M"
    length, length_text = figures.length(report, width)
    course = [f for f in (length, figures.leader(report, width), figures.margin(report, width)) if f]
    pictures = {
        "seats": drawn(figures.seats(report)),
        "mirror": drawn(figures.mirror(report)),
        "shares": drawn(figures.strategies(report)),
        "duels": drawn(figures.duels(report)),
        "drift": drawn(figures.drift(report)),
        **_item_figures(report),
        "values": drawn(figures.values(report)),
        "restricted": [drawn(f) for f in figures.restricted(report)],
        "turned": [drawn(f) for f in figures.turned(report)],
        "course_figures": [drawn(f) for f in course],
        "panels": [
            {**panel, "figures": [drawn(figures.finish(f)) for f in panel["figures"]]}
            for panel in report["panels"]
            if panel["figures"]
        ],
    }
    broken = report["verdict"]["state"] == "broken"
    return {
        **pictures,
        "css": static("style.css"),
        "script": static("script.js"),
        "run": run,
        "lede": _lede(report),
        "header": _header(report),
        "sections": _sections(report, pictures),
        "verdict": report["verdict"],
        "box": {"outside": "bad", "broken": "bad", "inside": "ok"}.get(report["verdict"]["state"], ""),
        "broken": broken,
        "overview": figures.overview(report),
        "goals": [_goal(goal, f"goal-{i + 1}", run["games"]) for i, goal in enumerate(report["goals"])],
        "default_goals": all(g["default"] for g in report["goals"]),
        "key": drawing(figures.key(report), "key") if report["goals"] else "",
        "notes": report["notes"],
        "baseline": report["baseline"],
        "since": words.since_line(report["baseline"]) if report["baseline"] else "",
        "tally": _tally(report),
        "winners": _winners(report),
        "baseline_notes": _baseline_notes(report),
        "next": report["next"],
        "equal_seats": figures.equal_seats_text(report),
        "exact_seats": figures.exact_seats(report),
        "seat_text": report["seats"]["text"],
        "strategies": report["strategies"],
        "dominance": [*figures.dominance(report), *figures.drift_text(report), *figures.ladder_text(report)],
        "ladder": figures.ladder_table(report),
        "compensation": figures.compensation(report),
        "not_asked": figures.not_asked(report),
        "items_table": figures.items_table(report),
        "items_note": _items_note(report),
        "item_title": words.sentence(run["item"][1]),
        "average_item": _average(report),
        "length_text": length_text,
        "course": figures.course(report),
        "glossary": _glossary(report),
        "experiments": _experiments(report),
        "design_text": _design_text(report),
        "controls": _controls(report),
        "controls_text": _controls_text(report),
        "queries": queries(report),
        "versions": _versions(report),
    }


def _goal(goal: Mapping[str, Any], slug: str, games: int) -> dict[str, Any]:
    close = goal["verdict"] == "close"
    return {
        **goal,
        "svg": drawing(figures.strip(goal), slug, "strip"),
        "value": words.goal_value(goal, goal["est"]),
        "range": words.goal_range(goal),
        "needed": words.needed_short(goal, games) if close else "",
        "since": words.change_text(goal),
    }


def _lede(report: Report) -> str:
    run = report["run"]
    parts = [run["subtitle"] or run["name"]]
    if run["settings"]:
        more = f" and {len(run['settings']) - 2} more" if len(run["settings"]) > 2 else ""
        parts[0] += f", but {', '.join(words.shorten(text, 60) for text in run['settings'][:2])}{more}"
    if report["baseline"]:
        parts.append(f"compared with “{report['baseline']['label']}”")
    return " · ".join(parts)


def _header(report: Report) -> list[tuple[str, str]]:
    run = report["run"]
    players = words.listing([str(n) for n in run["players"]]) or "none"
    return [
        ("Games", words.count(run["games"])),
        ("Deals", _deals(report["experiments"])),
        ("Players", players),
        ("Strategies", str(len(report["strategies"]))),
        ("Ranges", "95%"),
        ("Seed", str(run["seed"])),
        ("Controls", _controls_text(report)),
        ("Run", run["date"]),
    ]


def _deals(experiments: Sequence[Mapping[str, Any]]) -> str:
    """Count the deals by how often they were played: equals have one seating only."""
    every = sum(e["deals"] for e in experiments if e["rotations"] > 1)
    once = sum(e["deals"] for e in experiments if e["rotations"] == 1)
    if not every:
        return words.count(once)
    return f"{words.count(every)} in every seating" + (f", {words.count(once)} among equals in one" if once else "")


def _sections(report: Report, drawn: Mapping[str, Any]) -> list[dict[str, str]]:
    """List the sections, marked where a goal is missed or too close to call."""
    listed = [("verdict", "Verdict"), ("goals", "Goals")]
    listed += [("changed", "What changed")] if report["baseline"] else []
    listed += [("next", "Look here next"), ("seats", "Seats"), ("strategies", "Strategies")]
    listed += [("cards", words.sentence(report["run"]["item"][1]))] if drawn["items"] else []
    listed += [(f"panel-{p['id']}", p["title"]) for p in drawn["panels"]]
    listed += [("restricted", "Going without")] if drawn["restricted"] else []
    listed += [("change", "What to change")] if drawn["turned"] or report["answers"]["compensate"] else []
    listed += [("unfold", "How a game unfolds"), ("method", "Method and numbers")]
    rows = []
    for id_, title in listed:
        verdicts = {g["verdict"] for g in report["goals"] if g["section"] == id_ and not g["default"]}
        if id_ == "method" and report["verdict"]["state"] == "broken":
            verdicts = {"outside"}
        mark = "outside" if "outside" in verdicts else "close" if "close" in verdicts else ""
        rows.append(
            {
                "id": id_,
                "title": title,
                "mark": {"outside": "out", "close": "close"}.get(mark, ""),
                "glyph": words.GLYPHS.get(mark, ""),
                "word": words.VERDICTS.get(mark, ""),
            }
        )
    return rows


# --- since the baseline ----------------------------------------------------------------------------------------


def _tally(report: Report) -> list[dict[str, Any]]:
    if not report["baseline"]:
        return []
    texts = {
        "better": ("goal better", "goals better"),
        "worse": ("goal worse", "goals worse"),
        "moved": ("moved, within your goal", "moved, within your goals"),
        "edge": ("moved, now too close to call", "moved, now too close to call"),
        "same": ("the same, within your margin", "the same, within your margins"),
        "unclear": ("unclear", "unclear"),
    }
    rows = []
    for entry in report["baseline"]["tally"]:
        n = len(entry["goals"])
        if not n and entry["class"] == "edge":
            continue
        text = texts[entry["class"]][0 if n == 1 else 1]
        named = entry["goals"] if entry["class"] in ("better", "worse") and 0 < n <= 3 else []
        rows.append(
            {
                "n": n,
                "text": text + (f": {words.listing(named)}" if named else ""),
                "bad": entry["class"] == "worse" and n > 0,
            }
        )
    return rows if any(row["n"] for row in rows) else []


def _winners(report: Report) -> list[str]:
    """Say how much the game itself changed."""
    baseline = report["baseline"]
    if not baseline:
        return []
    counted = [w for w in baseline["winners"] if w["share"] is not None]
    same = [w["players"] for w in baseline["winners"] if w["identical"]]
    moved = [w for w in counted if not w["identical"]]
    lines = []
    if moved:
        lines.append(words.sentence(words.other_winners(moved, len(baseline["winners"]) > 1)) + ".")
    if same:
        if len(same) == len(baseline["winners"]):
            lines.append("Every game is the same as before.")
        else:
            which = words.listing([words.spelled(n) for n in same])
            lines.append(f"With {which} players nothing changed: every game is the same as before.")
    return lines


def _baseline_notes(report: Report) -> list[str]:
    baseline = report["baseline"]
    if not baseline:
        return []
    lines = list(baseline["warnings"])
    if baseline["paired"]:
        part = ", as far as the shorter one goes" if baseline["in_part"] else ""
        lines.append(f"Both runs played the same deals{part}, so changes are measured deal by deal.")
    else:
        lines.append(f"Unpaired: {baseline['why_unpaired']}, so the ranges of changes are wider than they need be.")
    if all(w["share"] is None and not w["identical"] for w in baseline["winners"]):
        lines.append(
            "How many single games changed their winner cannot be said: the two runs share none that were kept."
        )
    return lines


# --- method ----------------------------------------------------------------------------------------------------


def _items_note(report: Report) -> str:
    items = report["items"]
    if not items:
        return ""
    labels = {u["key"]: u["label"] for u in items["uses"]}
    word = report["run"]["item"][0]
    available = labels[items["available"]]
    meant = "" if available == "at hand" else f"; at hand means {available}"
    return (
        f"Points of win share{meant}. "
        f"Played with winning: win share when the {word} was played minus when it was at hand and not played. "
        "Among equals: the same, compared only within strategy, seat and length of game."
        + (" The other columns in % of the times at hand." if len(labels) > 2 else "")
    )


def _average(report: Report) -> str:
    """Name what items are compared with."""
    return words.average(report["run"]["item"][0], report["items"]["apart"] if report["items"] else "")


def _glossary(report: Report) -> list[tuple[str, str]]:
    run = report["run"]
    par = [f"{words.tidy(1 / n, 1)} of {n}" for n in run["players"]]
    word = run["item"][0]
    lines = [
        ("win share", "the share of games won; a shared win counts as its part."),
        ("par", f"the share everyone would have if seats and strategies were equal: {words.listing(par)}."),
        ("point, pp", "a percentage point: from 25% to 26% is one point."),
        (
            "deal",
            "the same shuffled cards, played once in every seating; among equals there is only one. Ranges come from "
            "the spread between deals.",
        ),
        ("range", "95% range of one number."),
        (
            "joint range",
            "wide enough that all rows of a chart hold together. Each goal has its part of the 5%, and a goal about "
            "the farthest of several rows must hold for all of them. Verdicts use it.",
        ),
        ("inside, outside", "the whole joint range is inside, or outside, the goal. Otherwise: too close to call."),
        (
            "more games",
            "how many games in all would narrow the joint range to the limit, if the estimate stayed where it is.",
        ),
        (
            "seen with winning",
            f"win share of whoever had the {word} at hand, from that of {_average(report)}. Not a cause.",
        ),
        (
            "among equals",
            "compared only with seats of the same strategy, in the same seat, in games of about the same length (a "
            "quarter of the games each, where it varies). Still not a cause.",
        ),
        ("mixed table", "every deal draws its own line-up, each seat from all strategies with equal chance."),
    ]
    if report["meta"]:
        lines += [
            (
                "drift",
                "a strategy’s part of the field grows by what it wins beyond par, in generations (replicator dynamics, "
                "Taylor and Jonker 1978). Redraws of the deals: the same with the deals drawn anew, in groups.",
            ),
            (
                "ladder of strength",
                "win chances in proportion to exp(strategy + seat) (Plackett 1975, Luce 1959), by maximum likelihood.",
            ),
        ]
    if report["items"]:
        lines += [(u["label"], u["meaning"]) for u in report["items"]["uses"]]
    if report["baseline"]:
        lines += [
            ("baseline", f"the run to compare with: {report['baseline']['label']}."),
            ("same", "the change, with its joint range, lies within your margin."),
            ("moved", "surely changed, but still within the goal."),
        ]
    return lines


def _experiments(report: Report) -> figures.Table:
    rows = [
        [
            f"{words.plural(e['players'], 'player')}",
            KINDS.get(e["kind"], e["kind"]),
            f"{e['lineups']:,}",
            f"{e['games']:,}",
            f"{e['deals']:,}",
        ]
        for e in report["experiments"]
    ]
    games, deals = (sum(e[k] for e in report["experiments"]) for k in ("games", "deals"))
    lineups = sum(e["lineups"] for e in report["experiments"])
    rows.append(["Total", "", f"{lineups:,}", f"{games:,}", f"{deals:,}"])
    return {
        "caption": "Games by experiment",
        "columns": [["Players", False], ["What", False], ["Line-ups", True], ["Games", True], ["Deals", True]],
        "rows": rows,
    }


def _design_text(report: Report) -> str:
    draws = words.sentence(report["run"]["draws_text"])
    return (
        "Every line-up plays each of its deals once in every seating; the same strategy at every seat has one. Deals "
        "are added up in chunks, and every range comes from the spread between chunks (Student’s t; ratios by the "
        f"delta method). {draws}."
    )


def _controls(report: Report) -> figures.Table:
    marks = {"passed": "✓ yes", "note": "– note", "failed": "✗ no"}
    return {
        "caption": "Controls",
        "columns": [["Control", False], ["Found", False], ["Expected", False], ["Passed", False]],
        "rows": [[c["name"], c["found"], c["expected"], marks[c["state"]]] for c in report["controls"]],
    }


def _controls_text(report: Report) -> str:
    controls = report["controls"]
    failed = sum(c["state"] == "failed" for c in controls)
    if failed:
        return f"{failed} of {len(controls)} failed"
    return f"{len(controls)} of {len(controls)} passed"


def _versions(report: Report) -> str:
    run = report["run"]
    versions = " · ".join(f"{name} {version}" for name, version in run["versions"])
    return (
        f"hakari {run['hakari']} · rules {run['game']} {run['rules_version']} · {versions} · "
        f"config {run['config_hash'][:12]} · source {run['source_hash'][:12]}"
    )
