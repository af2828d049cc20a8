"""Two run folders -> `compare.json`: every number and sentence that the page of a comparison shows.

A is the run before, B the run after an edit. Every change is B minus A. Where both played the same deals, chunk by
chunk, the change is measured deal by deal, so that common luck cancels; otherwise the runs count as independent.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reports import controls, goals, measures, since, stats, words
from reports.blocks import Cell, Run
from reports.compare import matchups, verdict
from reports.compare.replays import Tell, replays, same_luck
from reports.facts import GameFacts
from reports.stats import Estimates, spread, spread_beside
from reports.tables import plain
from sim.errors import UsageError

SCHEMA = "hakari-compare/1"

WITHIN = range(11)
"""Margins of the winner that are compared."""

UNEXPECTED_MOST = 8

Row = dict[str, Any]
Measured = Callable[[Sequence[Cell]], Estimates]
Of = Callable[[Run, int], Estimates]
"""(run, players) -> what is measured there."""


def build(
    a: Path | str,
    b: Path | str,
    facts: GameFacts,
    tell: Tell | None = None,
    *,
    aim: str = "",
    untouched: Sequence[int] = (),
    notes: Sequence[str] = (),
    unadapted: Path | None = None,
) -> Row:
    """Compare two runs.

    Parameters
    ----------
    a, b : path
        Folders of the runs.
    facts : GameFacts
        Names and facts of their game.
    tell : callable, optional
        Traces a game of either side, for the story of the first difference (see :mod:`reports.compare.replays`).
    aim : str
        How the number of games was chosen, in words.
    untouched : sequence of int
        Numbers of players that were not played, since the rules are the same there.
    notes : sequence of str
        What else a reader should know.
    unadapted : path, optional
        Folder with the block sums of B's games played by players to whom things are worth what they are in A; every
        change of a goal is then taken apart into what the edit does by itself and what comes from players who adapt.

    Returns
    -------
    dict
        What `compare.json` holds.

    Raises
    ------
    sim.errors.HakariError
        If a folder holds no run, or the two have nothing in common.
    """
    before, run = Run(a), Run(b)
    _refuse(before, run)
    counts = [n for n in run.played if n in before.played]
    rows, unmeasured = goals.goal_rows(run, facts, before)
    identical = [n for n in counts if measures.paired(run, before, n) and measures.same_games(run, before, n)]
    between, level = Run(unadapted) if unadapted else None, stats.sidak(len(rows))
    rows = [
        {
            **row,
            "change": _still(row, identical),
            "pairing": _pairing(row, before, run, facts),
            **_taken_apart(row, before, between, run, facts, level),
        }
        for row in rows
        if row["change"]
    ]
    rows.sort(key=verdict.rank)
    differences = list(since.config_diff(before.manifest["config"], run.manifest["config"]))
    pair = since.compare(run, before, rows)
    checks = [{"side": side, **row} for side, each in (("A", before), ("B", run)) for row in _controls(each, facts)]
    found: Row = {
        "schema": SCHEMA,
        "game": _game(run, facts, counts),
        "a": _side(before),
        "b": _side(run),
        "edit": _edit(differences, before, run),
        "paired": pair["paired"],
        "why_unpaired": "" if pair["paired"] else pair["why_unpaired"].replace("the baseline", "A"),
        "warnings": [text.replace("The baseline", "A") for text in pair["warnings"]],
        "aim": aim,
        "notes": [*notes, *unmeasured],
        "controls": checks,
        "goals": rows,
        "winners": [_winners(w, before, run) for w in pair["winners"]],
        "identical": identical,
        "untouched": list(untouched),
        "seats": _panels(before, run, counts, _mixed(measures.seat_shares), [str(i) for i in range(max(counts))]),
        "strategies": _strategies(before, run, counts),
        "matchups": _matchups(before, run, counts),
        "items": _items(before, run, facts, counts),
        "course": _course(before, run, counts, facts),
        "margins": _margins(run),
    }
    found["unexpected"] = list(_unexpected(found, facts, differences))[:UNEXPECTED_MOST]
    found["replays"] = replays(before, run, counts, facts, tell)
    found["verdict"] = verdict.verdict(found, words.scope([words.plain(s) for s in run.strategies]))
    rounded: Row = plain(found)
    return rounded


def _still(row: Row, identical: Sequence[int]) -> Row:
    """Give the change of a goal; nothing has changed where every game is the same, however few there are."""
    change: Row = row["change"]
    if row["players"] not in identical:
        return change
    return {**change, "identical": True, "class": "same", **dict.fromkeys(("delta", "lo", "hi"), 0.0)}


def _refuse(before: Run, run: Run) -> None:
    """Refuse what no range can make comparable."""
    since.open_baseline(run, before.folder)
    for letter, each in (("A", before), ("B", run)):
        if each.manifest["status"] not in ("complete", "failed"):
            raise UsageError(
                f"{letter} is not complete",
                where=str(each.folder),
                got=f"status {words.plain(each.manifest['status'])}",
            )
    if not set(before.played) & set(run.played):
        raise UsageError(
            "A and B have no number of players in common",
            got=f"{words.listing([str(n) for n in before.played])} in A, "
            f"{words.listing([str(n) for n in run.played])} in B",
        )


# --- head --------------------------------------------------------------------------------------------------------


def _game(run: Run, facts: GameFacts, counts: Sequence[int]) -> Row:
    return {
        "name": run.manifest["game"],
        "title": words.plain(facts.title),
        "players": list(counts),
        "strategies": [words.plain(s) for s in run.strategies],
        "item": list(facts.item_word),
        "unit": list(facts.unit),
        "lead_unit": words.plain(facts.lead_unit),
        "draws_text": facts.draws_text or words.DRAWS[run.manifest["draws"]],
        "rules_version": str(run.manifest["rules_version"]),
        "date": words.day(run.manifest["started"]),
    }


def _side(run: Run) -> Row:
    m = run.manifest
    return {
        "title": words.plain(m["title"]) if m.get("title") else "",
        "name": words.plain(m.get("name") or run.folder.resolve().name),
        "command": m["command"],
        "games": run.games,
        "deals": measures.deals([cell for n in run.played for cell in run.mixed(n)]),
        "seed": m["seed"],
        "draws": m["draws"],
        "hakari": m["hakari"],
        "config_hash": m["config_hash"],
        "source_hash": m["source_hash"],
    }


def _edit(differences: Sequence[Row], before: Run, run: Run) -> Row:
    """Say what differs between the two configs, in full and in a few words."""
    short = ""
    if len(differences) == 1:
        (only,) = differences
        old, new = (", ".join(p["text"] for p in only[side] if p["changed"]) for side in ("old", "new"))
        short = f"{only['key']} {old} → {new}"
    else:
        names = [[each.manifest.get(key) for each in (before, run)] for key in ("title", "name")]
        told = next((pair for pair in names if all(pair) and pair[0] != pair[1]), None)
        short = f"{words.plain(told[0])} → {words.plain(told[1])}" if told else ""
    return {
        "short": words.shorten(short, 60),
        "differences": differences[: since.MOST_DIFFERENCES],
        "more": max(len(differences) - since.MOST_DIFFERENCES, 0),
    }


def _controls(run: Run, facts: GameFacts) -> list[Row]:
    return controls.controls(run, facts)


# --- pairing -----------------------------------------------------------------------------------------------------


def _pairing(row: Row, before: Run, run: Run, facts: GameFacts) -> Row:
    """Say what the same deals are worth to a goal: correlation, and games saved.

    Returns
    -------
    dict
        `correlation` of the two runs' chunks, and `saved`: how many times as many games would be needed with unrelated
        deals, Var(unpaired) / Var(paired). None where the change has no spread or the runs are not paired.
    """
    old, new = (_deciding(row, each, run, facts) for each in (before, run))
    if old is None or new is None or not measures.paired(run, before, row["players"]):
        return {"correlation": None, "saved": None}
    return pairing(old, new)


def _deciding(row: Row, run: Run, judged: Run, facts: GameFacts) -> Estimates | None:
    """Measure in a run what is compared with the one that decides a goal of the run that is judged."""
    goal = goals.wanted(judged.manifest["config"])[0][row["goal"]]
    found = goals.measured(row["goal"], goals.Sample(run.mixed(row["players"]), goal, facts, run.strategies))
    return found.estimates.rows(found.counterpart(row["subject"])) if found else None


def pairing(old: Estimates, new: Estimates) -> Row:
    """Compare the spread of a paired change with that of an unpaired one; one row each."""
    apart, together = (float(stats.difference(new, old, paired=p).variance[0]) for p in (False, True))
    sizes = float(np.sqrt(old.variance[0] * new.variance[0]))
    return {
        "correlation": float((old.influence[:, 0] * new.influence[:, 0]).sum()) / sizes if sizes > 0.0 else None,
        "saved": apart / together if together > 0.0 else None,
    }


def _taken_apart(row: Row, before: Run, between: Run | None, run: Run, facts: GameFacts, level: float) -> Row:
    """Take the change of a goal apart: from A to B with players who have not adapted yet, and from there on.

    Returns
    -------
    dict
        `by_itself` and `adapting`, None where that was not played.
    """
    runs = (before, between, run)
    old, middle, new = (_deciding(row, each, run, facts) if each else None for each in runs)
    if old is None or middle is None or new is None:
        return {"by_itself": None, "adapting": None}
    return {"by_itself": _step(old, middle, level), "adapting": _step(middle, new, level)}


def _step(old: Estimates, new: Estimates, level: float) -> Row:
    """Measure one part of a change, on the same deals."""
    delta = stats.difference(new, old, paired=True)
    low, high = stats.limits(delta, stats.single(delta, level), "difference", 0)
    return {"delta": delta.value[0], "lo": low[0], "hi": high[0], "saved": pairing(old, new)["saved"]}


# --- the game itself -----------------------------------------------------------------------------------------------


def _winners(row: Row, before: Run, run: Run) -> Row:
    """Add to the share of changed winners how much the length of the same game changed."""
    pair = same_luck(before, run, row["players"], ["decisions", "rounds"])
    sizes: Row = {"decisions": None, "rounds": None}
    if pair is not None:
        sizes = {key: float(np.abs(pair[1][key] - pair[0][key]).mean()) for key in sizes}
    return {**row, "moved": sizes}


# --- seats, strategies, items --------------------------------------------------------------------------------------


def _mixed(measure: Measured) -> Of:
    """Measure at the mixed table."""
    return lambda run, players: measure(run.mixed(players))


def _panels(before: Run, run: Run, counts: Sequence[int], measure: Of, names: Sequence[str]) -> list[Row]:
    """Measure rows of both runs at each player count; the joint ranges hold for all rows of all panels."""
    found = []
    for n in counts:
        old, new = measure(before, n), measure(run, n)
        delta = stats.difference(new, old, paired=measures.paired(run, before, n))
        found.append((n, old.value, new.value, delta))
    deals = {n: min(measures.deals(each.mixed(n)) for each in (before, run)) for n in counts}
    rows = spread_beside([(delta, deals[n]) for n, _, _, delta in found], "difference") if found else []
    return [
        {
            "players": n,
            "rows": [
                {"name": name, "a": a, "b": b, "delta": _exact(delta)}
                for name, a, b, delta in zip(names, old, new, changes, strict=False)
            ],
        }
        for (n, old, new, _), changes in zip(found, rows, strict=True)
    ]


def _exact(delta: Row) -> Row:
    """Give a change of exactly nothing no range, also where there are too few chunks for one."""
    ends = ("lo", "hi", "joint_lo", "joint_hi")
    if delta["est"] == 0.0 and all(not np.isfinite(delta[end]) for end in ends):
        return {**delta, **dict.fromkeys(ends, 0.0)}
    return delta


def _strategies(before: Run, run: Run, counts: Sequence[int]) -> list[Row]:
    """Compare the strategies that play in both runs."""
    common = [name for name in run.strategies if name in before.strategies]
    if len(common) < 2:
        return []

    def measure(each: Run, players: int) -> Estimates:
        return measures.strategy_shares(each.mixed(players)).rows([each.strategies.index(name) for name in common])

    return _panels(before, run, counts, measure, [words.plain(name) for name in common])


def _matchups(before: Run, run: Run, counts: Sequence[int]) -> list[Row]:
    """Compare match-ups; a change of exactly nothing has no range."""
    found = matchups.panels(before, run, counts)
    for cell in (cell for panel in found for line in panel["grid"] for cell in line if cell):
        cell["delta"] = _exact(cell["delta"])
    return found


def _items(before: Run, run: Run, facts: GameFacts, counts: Sequence[int]) -> list[Row]:
    """Compare how items go with winning, and how often they are played: means over the player counts."""
    counts = [n for n in counts if all(measures.has_items(each.mixed(n), facts) for each in (before, run))]
    if not counts or not measures.same_items(before, facts):
        return []
    paired = all(measures.paired(run, before, n) for n in counts)
    deals = min(measures.deals(each.mixed(n)) for n in counts for each in (before, run))
    columns: dict[str, list[Row]] = {}
    for key, measure in (("seen", measures.item_seen), ("played", measures.item_played)):
        old, new = (measures.mean_of([measure(each.mixed(n), facts) for n in counts]) for each in (before, run))
        delta = spread(stats.difference(new, old, paired=paired), "difference", deals)
        columns[key] = [
            {"a": a, "b": b, "delta": _exact(change)} for a, b, change in zip(old.value, new.value, delta, strict=True)
        ]
    return [
        {
            "name": words.plain(name),
            "groups": [words.plain(group[i]) for group in facts.groups.values()],
            "seen": columns["seen"][i],
            "played": columns["played"][i],
        }
        for i, name in enumerate(facts.items)
    ]


# --- course of a game ----------------------------------------------------------------------------------------------

COURSE: dict[str, tuple[stats.Kind, Measured]] = {
    "lead_changes": ("mean", lambda cells: measures.per_game(cells, "lead_changes")),
    "decisions": ("mean", lambda cells: measures.per_game(cells, "decisions")),
    "rounds": ("mean", lambda cells: measures.per_game(cells, "rounds")),
    "shared": ("rate", lambda cells: measures.per_game(cells, "shared")),
    "tie_break": ("rate", lambda cells: measures.per_game(cells, "top_tied", minus="shared")),
    "capped": ("rate", lambda cells: measures.per_game(cells, "capped")),
}
"""Key -> its kind, and how it is measured."""


def _course(before: Run, run: Run, counts: Sequence[int], facts: GameFacts) -> Row:
    """Compare how games unfold: leaders, margins, and one row for each other measure."""

    def close(cells: Sequence[Cell]) -> Estimates:
        parts = [measures.margin_within(cells, k) for k in WITHIN]
        return Estimates(
            np.concatenate([p.value for p in parts]), np.hstack([p.influence for p in parts]), parts[0].cells
        )

    others = {}
    for key, (kind, measure) in COURSE.items():
        if key == "tie_break" and not facts.tie_break:
            continue
        panels = _panels(before, run, counts, _mixed(measure), [key])
        others[key] = {"kind": kind, "panels": [{"players": p["players"], **p["rows"][0]} for p in panels]}
    return {
        "leader": _panels(before, run, counts, _mixed(measures.leader_wins), goals.AT),
        "within": _panels(before, run, counts, _mixed(close), [str(k) for k in WITHIN]),
        "others": others,
    }


# --- what nobody expected --------------------------------------------------------------------------------------------


def _margins(run: Run) -> Row:
    """Say how far each kind of share may move and still be the same: the narrowest margin of a goal about it."""
    about = {
        "seats": ("first_player", "every_seat"),
        "strategies": ("best_strategy", "random_share"),
        "items": ("item_seen",),
        "leader": ("leader_wins",),
        "within": ("close_finish",),
    }
    return {key: goals.margin_about(run, *measures_) for key, measures_ in about.items()}


def _unexpected(found: Row, facts: GameFacts, differences: Sequence[Row]) -> Iterator[Row]:
    """Yield what surely moved beyond its margin although the edit does not name it, the largest first."""
    named = _named(facts, differences)
    moved = [
        {"section": section, "players": panel["players"], "row": row, "margin": found["margins"][section]}
        for section in ("seats", "strategies")
        for panel in found[section]
        for row in panel["rows"]
    ]
    moved += [
        {"section": "items", "players": None, "row": {"name": row["name"], **row["seen"]}, "margin": margin}
        for row in found["items"]
        for margin in (found["margins"]["items"],)
    ]
    beyond = [
        each
        for each in moved
        if each["row"]["name"].lower() not in named
        and (each["row"]["delta"]["joint_lo"] > each["margin"] or each["row"]["delta"]["joint_hi"] < -each["margin"])
    ]  # an unknown range lies beyond nothing: comparisons with NaN are false
    for each in sorted(beyond, key=lambda e: -abs(e["row"]["delta"]["est"])):
        row = each["row"]
        name = words.seat_name(int(row["name"])) if each["section"] == "seats" else row["name"]
        yield {
            "section": each["section"],
            "name": name,
            "players": each["players"],
            **{key: row[key] for key in ("a", "b", "delta")},
        }


def _named(facts: GameFacts, differences: Sequence[Row]) -> set[str]:
    """Find the items that the edit names: by their name, or by their place in a list with an entry for each group."""
    text = " ".join(
        d["key"].lower() + " " + " ".join(p["text"].lower() for p in (*d["old"], *d["new"]) if p["changed"])
        for d in differences
    )
    named = {name.lower() for name in facts.items if words.plain(name).lower() in text}
    for groups in facts.groups.values():
        order = list(dict.fromkeys(groups))
        for difference in differences:
            _, _, index = difference["key"].rstrip("]").rpartition("[")
            if index.isdecimal() and int(index) < len(order) and len(order) > since.LONG_LIST:
                named |= {
                    words.plain(name).lower()
                    for name, group in zip(facts.items, groups, strict=True)
                    if group == order[int(index)]
                }
    return named
