"""The page: `compare.json` -> one self-contained HTML file. A pure function of the comparison."""

from collections.abc import Mapping
from typing import Any

from reports import charts, words
from reports import figures as shared
from reports.compare import figures, verdict
from reports.page import drawing, drawn, environment, static

Row = Mapping[str, Any]

BOX = {"worse": "bad", "mixed": "bad", "broken": "bad", "better": "ok", "same": "ok"}
LITTLE = 2.0
"""Where pairing saves less than this, the page says why."""

KINDS = {
    "largest": "The largest swing",
    "typical": "A typical change",
    "first": "The first deal with another winner",
}


def render(found: Row) -> str:
    """Write the page of a comparison.

    Parameters
    ----------
    found : dict
        From :func:`reports.compare.build`, or read back from `compare.json`: both give the same bytes.

    Returns
    -------
    str
        A complete HTML document; it loads nothing.
    """
    with charts.style():
        context = _context(found)
    html: str = environment().get_template("compare.html.j2").render(context)
    return html.lstrip()


def _context(found: Row) -> dict[str, Any]:
    return {
        "css": static("style.css") + "\n" + static("compare.css"),
        "script": static("script.js"),
        "game": found["game"],
        "heading": heading(found),
        "sides": _sides(found),
        "facts": _facts(found),
        "sections": _sections(found),
        "verdict": found["verdict"],
        "box": BOX.get(found["verdict"]["state"], ""),
        "edit": found["edit"],
        "goals": [_goal(goal, f"goal-{i + 1}") for i, goal in enumerate(found["goals"])],
        "default_goals": bool(found["goals"]) and all(goal["default"] for goal in found["goals"]),
        "goals_numbers": figures.goals_table(found),
        "by_itself": drawn(figures.by_itself(found)),
        "key": drawing(shared.key({"baseline": True}), "key") if found["goals"] else "",
        "notes": [*found["warnings"], *found["notes"], *untouched_text(found)],
        "pairing": pairing_text(found),
        "winners": drawn(figures.winners(found)),
        "no_winners": _no_winners(found),
        "replays": [_replay(row, found) for row in found["replays"]],
        "seats": drawn(figures.seats(found)),
        "strategies": drawn(figures.strategies(found)),
        "matchups": drawn(figures.matchups(found)),
        "matchup_notes": figures.matchup_notes(found),
        "items": drawn(figures.items(found)),
        "item_title": words.sentence(found["game"]["item"][1]),
        "unexpected": figures.unexpected(found),
        "course_figures": [drawn(f) for f in (figures.leader(found), figures.within(found)) if f],
        "course": figures.course(found),
        "method": _method(found),
        "controls": _controls(found),
        "commands": [(side.upper(), found[side]["command"]) for side in ("a", "b")],
    }


def heading(found: Row) -> str:
    """Write the title of a comparison: Emblems: sets.A.castle."3-4" 4 → 5."""
    return f"{found['game']['title']}: {found['edit']['short'] or 'A and B'}"


def _sides(found: Row) -> list[tuple[str, str]]:
    """Say what A and B are."""
    a, b = (found[side]["title"] or found[side]["name"] for side in ("a", "b"))
    if a != b:
        return [("A", a), ("B", b)]
    names = [found[side]["name"] for side in ("a", "b")]
    if names[0] != names[1]:
        return [("A", names[0]), ("B", names[1])]
    return [("A", a), ("B", "the same with the edit below" if found["edit"]["differences"] else "the same")]


def _facts(found: Row) -> list[tuple[str, str]]:
    a, b = found["a"], found["b"]
    games = (
        words.count(b["games"])
        if a["games"] == b["games"]
        else " and ".join(map(words.count, (a["games"], b["games"])))
    )
    deals = words.count(min(a["deals"], b["deals"]))
    return [
        ("Identical deals" if found["paired"] else "Deals, unrelated", f"{deals}, each in every seating"),
        ("Games each", games),
        ("Players", words.listing([str(n) for n in found["game"]["players"]])),
        ("Strategies", str(len(found["game"]["strategies"]))),
        ("Ranges", "95%, of the paired difference" if found["paired"] else "95%, of the unpaired difference"),
        ("Pairing saves", saved_text(found)),
        ("Run", found["game"]["date"]),
    ]


def saved_text(found: Row) -> str:
    """Say what pairing saves, over all goals: 1.2 to 29 × the games."""
    factors = sorted(g["pairing"]["saved"] for g in found["goals"] if g["pairing"]["saved"] is not None)
    if not factors:
        return "everything: the games are the same" if found["identical"] == found["game"]["players"] else "–"
    low, high = (words.number(each, 1 if each < 10 else 0) for each in (factors[0], factors[-1]))
    return f"{low} × the games" if low == high else f"{low} to {high} × the games, by goal"


def pairing_text(found: Row) -> str:
    """Say how the two sides share their luck."""
    if not found["paired"]:
        return f"Unpaired: {found['why_unpaired']}, so all ranges are wider than they need be."
    text = f"A and B play the same deals in the same seatings with the same luck; {found['game']['draws_text']}."
    seats = [g for g in found["goals"] if g["section"] == "seats" and g["pairing"]["saved"] is not None]
    least = min(seats, key=lambda g: g["pairing"]["saved"], default=None)
    changed = [w for w in found["winners"] if least and w["players"] == least["players"] and w["share"] is not None]
    if least and changed and least["pairing"]["saved"] < LITTLE:
        text += (
            f" For {least['label'][0].lower()}{least['label'][1:]}, that saves little here "
            f"({figures.saved(least['pairing']['saved'])} the games): "
            f"{words.other_winners(changed, several=False)}."
        )
    return text


def untouched_text(found: Row) -> list[str]:
    """Say which numbers of players were not played, and why."""
    if not found["untouched"]:
        return []
    which = words.with_counts(found["untouched"])
    return [f"{words.sentence(which)} the rules are the same in A and B, so nothing was played there."]


def _sections(found: Row) -> list[dict[str, str]]:
    listed = [("verdict", "Verdict"), ("diff", "What was changed"), ("goals", "Goals"), ("game", "The game itself")]
    listed += [("seats", "Seats")] + ([("strategies", "Strategies")] if found["strategies"] else [])
    listed += [("cards", words.sentence(found["game"]["item"][1]))] if found["items"] else []
    listed += [("unexpected", "Unexpected"), ("unfold", "How a game unfolds"), ("method", "Method")]
    rows = []
    for id_, title in listed:
        classes = {g["change"]["class"] for g in found["goals"] if g["section"] == id_}
        mark = "outside" if "worse" in classes else "close" if "unclear" in classes else ""
        if id_ == "method" and found["verdict"]["state"] == "broken":
            mark = "outside"
        rows.append(
            {
                "id": id_,
                "title": title,
                "mark": {"outside": "out", "close": "close"}.get(mark, ""),
                "glyph": words.GLYPHS.get(mark, ""),
                "word": {"outside": "worse", "close": "unclear"}.get(mark, ""),
            }
        )
    return rows


def _goal(goal: Row, slug: str) -> dict[str, Any]:
    change = goal["change"]
    return {
        **goal,
        "svg": drawing(shared.strip(goal), slug, "strip"),
        "delta": verdict.delta(goal),
        "range": verdict.delta_range(goal),
        "was": words.VERDICTS[change["before_verdict"]] if change["before_verdict"] != goal["verdict"] else "",
        "short": verdict.in_short(goal),
        "bad": change["class"] == "worse",
    }


def _no_winners(found: Row) -> str:
    if found["identical"] == found["game"]["players"]:
        return ""
    return "How many single games changed their winner cannot be said: the two runs share none that were kept."


def _replay(row: Row, found: Row) -> dict[str, Any]:
    unit = found["game"]["unit"]
    seat, (old, new) = words.seat_name(row["seat"]), row["ahead"]
    won = [words.listing([words.seat_name(s) for s in winners]) for winners in row["winners"]]
    return {
        **row,
        "head": f"{KINDS[row['kind']]}: deal {row['deal']:,}, {words.plural(row['players'], 'player')}",
        "text": f"{words.sentence(seat)} ({row['strategies'][row['seat']]}) ends {standing(old, unit)} under A and "
        f"{standing(new, unit)} under B. Under A {won[0]} {_wins(row['winners'][0])}, under B {won[1]}.",
    }


def _wins(winners: list[int]) -> str:
    return "wins" if len(winners) == 1 else "share the win"


def standing(ahead: int, unit: tuple[str, str]) -> str:
    """Write how a seat ended: 3 coins ahead, level, 2 coins behind."""
    if ahead == 0:
        return "level with the best"
    return f"{words.plural(abs(ahead), *unit)} {'ahead' if ahead > 0 else 'behind'}"


def _method(found: Row) -> shared.Table:
    a, b = found["a"], found["b"]

    def both(key: str, cut: int | None = None) -> str:
        one, other = (str(side[key])[:cut] for side in (a, b))
        return one if one == other else f"{one} in A, {other} in B"

    margins = ", ".join(
        f"{words.number(100.0 * found['margins'][key], 1)} for {name}"
        for key, name in (("seats", "seats"), ("strategies", "strategies"), ("items", found["game"]["item"][1]))
    )
    rows = [
        ["Deals, seatings and random streams", "the same in A and B" if found["paired"] else "not the same"],
        ["Draws", both("draws")],
        ["Seed", both("seed")],
        ["Games each", both("games")],
        ["How many games", found["aim"] or "as the runs have"],
        ["What pairing saves", f"{saved_text(found)}: Var(unpaired) / Var(paired), see the numbers of the goals"],
        ["Margins, points", margins],
        ["Config", both("config_hash", 12)],
        ["Source", both("source_hash", 12)],
        ["Hakari", both("hakari")],
    ]
    return {"caption": "Pairing and versions", "columns": [["Item", False], ["Value", False]], "rows": rows}


def _controls(found: Row) -> shared.Table:
    marks = {"passed": "✓ yes", "note": "– note", "failed": "✗ no"}
    return {
        "caption": "Controls of both runs",
        "columns": [["Control", False], ["Found", False], ["Expected", False], ["Passed", False]],
        "rows": [
            [f"{c['side']}: {c['name']}", c["found"], c["expected"], marks[c["state"]]] for c in found["controls"]
        ],
    }
