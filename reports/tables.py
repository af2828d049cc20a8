"""A run folder -> `report.json`: every number and sentence that the page shows.

The report is a plain dict of numbers, texts, lists and dicts, floats rounded to six digits; the page is a pure
function of it. Shares are fractions (0.25 is 25%), ranges are `lo`..`hi` for one row and `joint_lo`..`joint_hi` for
all rows together, and null stands for "cannot be said".
"""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reports import answers, controls, goals, measures, meta, next_steps, since, stats, words
from reports.blocks import Cell, Run
from reports.facts import GameFacts, Panel, Use
from reports.goals import check
from reports.schema import Cards, Compensate, Sense
from reports.stats import Estimates, spread, spread_beside

__all__ = ["SCHEMA", "GameFacts", "Panel", "Use", "build", "check"]

SCHEMA = "hakari-report/1"
BULLETS = 3

Report = dict[str, Any]
Row = dict[str, Any]


def build(run_dir: Path | str, facts: GameFacts, baseline: Path | str | None = None) -> Report:
    """Build the report of a run.

    Parameters
    ----------
    run_dir : path
        Folder of the run.
    facts : GameFacts
        Names and facts of its game.
    baseline : path, optional
        Folder of the run to compare with.

    Returns
    -------
    dict
        What `report.json` holds.

    Raises
    ------
    sim.errors.HakariError
        If a folder holds no run, or the baseline is one of another game.
    """
    run = Run(run_dir)
    before = None if baseline is None else since.open_baseline(run, baseline)
    rows, notes = goals.goal_rows(run, facts, before)
    checks = controls.controls(run, facts)
    report: Report = {
        "schema": SCHEMA,
        "run": _run(run, facts),
        "strategies": _strategies(run),
        "controls": checks,
        "goals": rows,
        "notes": notes,
        "verdict": verdict(run, rows, checks),
        "baseline": None if before is None else since.compare(run, before, rows),
        "seats": _seats(run, facts, before),
        "shares": _shares(run, before),
        "duels": _duels(run),
        "meta": meta.panels(run, focus(run.played)),
        "items": _items(run, facts, before),
        "unfold": _unfold(run, facts),
        "panels": [
            {"id": p.name, "title": words.plain(p.title), "figures": p.build(measures.Counts(run, facts))}
            for p in facts.panels
        ],
        "answers": _answers(run),
        "experiments": _experiments(run),
    }
    broken = report["verdict"]["state"] == "broken"
    report["next"] = [] if broken else next_steps.look_here_next(report, run, facts)
    rounded: Report = plain(report)
    return rounded


def _answers(run: Run) -> Row:
    """What was asked about the run besides."""
    cards, sense, compensate = (answers.stored(run.folder, kind) for kind in (Cards, Sense, Compensate))
    return {
        "cards": cards.model_dump(mode="json")["answers"] if cards else [],
        "sense": sense.model_dump(mode="json") if sense else None,
        "compensate": compensate.model_dump(mode="json") if compensate else None,
    }


def plain(value: Any) -> Any:
    """Turn NumPy values into Python's, round floats to six digits, and write what is not finite as None."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(v) for v in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return stats.rounded(value) if math.isfinite(value) else None
    return value


# --- header ----------------------------------------------------------------------------------------------------


def _run(run: Run, facts: GameFacts) -> Row:
    m = run.manifest
    return {
        "game": m["game"],
        "name": words.plain(m.get("name") or "run"),
        "title": words.plain(facts.title),
        "subtitle": words.plain(m["title"]) if m.get("title") else "",
        "rules_version": str(m["rules_version"]),
        "seed": m["seed"],
        "draws": m["draws"],
        "draws_text": facts.draws_text or words.DRAWS[m["draws"]],
        "date": words.day(m["started"]),
        "hakari": m["hakari"],
        "versions": [[name, version] for name, version in m["versions"].items()],
        "config_hash": m["config_hash"],
        "source_hash": m["source_hash"],
        "command": m["command"],
        "settings": [words.plain(text) for text in next_steps.settings(m["command"])],
        "games": run.games,
        "deals": measures.deals(run.cells_on_disk),
        "decisions": sum(int(c["decisions"].sum()) for c in run.cells_on_disk),
        "players": run.played,
        "unit": list(facts.unit),
        "lead_unit": words.plain(facts.lead_unit),
        "item": list(facts.item_word),
        "focus": focus(run.played),
        "mixed_lineups": [[cell.lineup for cell in run.mixed(n)] for n in run.played],
        "keep_games": m.get("keep_games", 1.0),
    }


def focus(players: Sequence[int]) -> int | None:
    """Return the player count shown where there is room for one: the middle one."""
    return players[len(players) // 2] if players else None


def _strategies(run: Run) -> list[Row]:
    return [
        {
            "name": words.plain(s["name"]),
            "title": words.plain(s.get("title") or s["name"]),
            "summary": words.plain(s["summary"]) if s.get("summary") else "",
            "weakness": words.plain(s["weakness"]) if s.get("weakness") else "",
            "params": [
                [words.plain(name), value, (s.get("defaults") or {}).get(name)]
                for name, value in (s.get("params") or {}).items()
            ],
        }
        for s in run.manifest["strategies"]
    ]


def verdict(run: Run, rows: Sequence[Row], checks: Sequence[Row]) -> Row:
    """Say it in one sentence and at most three bullets; a failed control says it instead of the goals."""
    scope = words.scope([words.plain(s) for s in run.strategies])
    failed = [c for c in checks if c["state"] == "failed"]
    if failed:
        sentence = f"Results not trustworthy: {words.listing([c['fault'] for c in failed])}."
        bullets = [
            {"mark": "outside", "head": c["name"], "text": f"{c['found']}; expected: {c['expected']}."} for c in failed
        ]
        warning = "The numbers below are kept for finding the fault. Decide nothing by them."
        return {"state": "broken", "sentence": sentence, "bullets": bullets[:BULLETS], "scope": warning, "notice": ""}
    wanting = [r for r in rows if r["verdict"] != "inside"]
    shown = goals.worst_of_each(wanting)[:BULLETS] if wanting else goals.worst_of_each(rows)[: BULLETS - 1]
    own = {r["verdict"] for r in rows if not r["default"]}
    return {
        "state": next((v for v in ("outside", "close", "inside") if v in own), "none"),
        "sentence": words.verdict_sentence(rows, len(run.played) > 1, run.games),
        "bullets": [
            {"mark": r["verdict"], "head": r["label"], "text": words.goal_sentence(r, run.games, goals.also(r, rows))}
            for r in shown
        ],
        "scope": scope,
        "notice": f"Did not play: {refused}." if (refused := controls.refused(run)) else "",
    }


# --- seats and strategies --------------------------------------------------------------------------------------


def _before(
    run: Run, before: Run | None, players: int, estimate: Callable[[Sequence[Cell]], Estimates]
) -> dict[str, Any] | None:
    """Measure the baseline at the same player count, and the change, row by row."""
    if before is None or not before.mixed(players):
        return None
    now, old = estimate(run.mixed(players)), estimate(before.mixed(players))
    if len(now.value) != len(old.value):
        return None
    delta = measures.change(run, before, players, now, old)
    deals = min(measures.deals(r.mixed(players)) for r in (run, before))
    return {"before": old.value, "delta": spread(delta, "difference", deals)}


def _with_before(rows: list[dict[str, float]], past: Mapping[str, Any] | None) -> list[Row]:
    """Add the baseline's value and the change to each row (None without a baseline)."""
    if past is None:
        return [{**row, "before": None, "delta": None} for row in rows]
    return [
        {**row, "before": old, "delta": delta}
        for row, old, delta in zip(rows, past["before"], past["delta"], strict=True)
    ]


def _seats(run: Run, facts: GameFacts, before: Run | None) -> Row:
    shares = [(measures.seat_shares(run.mixed(n)), measures.deals(run.mixed(n))) for n in run.played]
    panels = []
    for players, rows in zip(run.played, spread_beside(shares, "share") if shares else [], strict=True):
        cells = run.mixed(players)
        past = _before(run, before, players, measures.seat_shares)
        alone, score = measures.per_game(cells, "seat_wins").value, measures.per_game(cells, "seat_score").value
        top = measures.seat_tops(cells).value
        panels.append(
            {
                "players": players,
                "par": 1.0 / players,
                "games": sum(c.games for c in cells),
                "deals": measures.deals(cells),
                "equal": vars(stats.equal_seats(measures.seat_shares(cells))),
                "rows": [
                    {"seat": i, **row, "alone": alone[i], "score": score[i], "top": top[i]}
                    for i, row in enumerate(_with_before(rows, past))
                ],
            }
        )
    config = run.manifest["config"]
    return {
        "panels": panels,
        "mirror": _mirror(run),
        "text": words.plain(facts.seat_text) if facts.seat_text else "",
        "exact": [
            {"players": n, "fact": words.plain(name), "values": [words.plain(v) for v in values]}
            for n in run.played
            for name, values in facts.exact_seat_facts(n, config).items()
            if len(set(values)) > 1  # what is the same for all explains no difference
        ],
    }


def _mirror(run: Run) -> list[Row]:
    """Seats among equals: the first player's share where all seats play the same strategy."""
    found = [(n, run.of_kind("mirror", n)) for n in run.played]
    parts = [(measures.seat_shares([cell]), cell.deals) for n, cells in found for cell in cells]
    if not parts:
        return []
    # All mirrors of one player count play the same deals; taking them as independent only widens the joint range.
    rows = iter(spread_beside([(estimates.rows(0), deals) for estimates, deals in parts], "share"))
    seats = iter(parts)
    return [
        {
            "players": n,
            "par": 1.0 / n,
            "games": sum(c.games for c in cells),
            "rows": [
                {"strategy": words.plain(run.members(cell)[0]), **next(rows)[0], "seats": next(seats)[0].value}
                for cell in cells
            ],
        }
        for n, cells in found
        if cells
    ]


def _shares(run: Run, before: Run | None) -> list[Row]:
    """Win share by strategy at the mixed table, strongest first."""
    shares = [(measures.strategy_shares(run.mixed(n)), measures.deals(run.mixed(n))) for n in run.played]
    past_names = None if before is None else before.strategies
    panels = []
    for players, rows in zip(run.played, spread_beside(shares, "share") if shares else [], strict=True):
        past = _before(run, before, players, measures.strategy_shares) if past_names == run.strategies else None
        panels.append(
            {
                "players": players,
                "par": 1.0 / players,
                "games": sum(c.games for c in run.mixed(players)),
                "rows": [
                    {"strategy": words.plain(name), "index": i, **row}
                    for i, (name, row) in enumerate(zip(run.strategies, _with_before(rows, past), strict=True))
                ],
            }
        )
    return panels


def _duels(run: Run) -> list[Row]:
    """Match-ups: win share of one of the row's strategy against the rest of the column's."""
    panels = []
    for players in run.played:
        cells = {(c.members or (0, 0))[:2]: c for c in run.of_kind("one_vs_rest", players)}
        if not cells:
            continue
        found = {}
        for pair, cell in cells.items():
            estimate = measures.duel(cell)
            reach = stats.single(estimate, stats.sidak(len(cells)))
            found[pair] = {**spread(estimate, "share", cell.deals, joint_reach=reach)[0], "games": cell.games}
        names = [words.plain(s) for s in run.strategies]
        grid = [[found.get((i, j)) for j in range(len(names))] for i in range(len(names))]
        panels.append({"players": players, "par": 1.0 / players, "grid": grid, **_ranking(grid, 1.0 / players)})
    return panels


def _ranking(grid: Sequence[Sequence[Row | None]], par: float) -> Row:
    """Say who beats everybody, and a ring of strategies that beat each other, by joint ranges."""
    n = len(grid)

    def beats(i: int, j: int) -> bool:
        here, there = grid[i][j], grid[j][i]
        return here is not None and there is not None and here["joint_lo"] > par and (there["joint_hi"] < par)

    def ahead(i: int) -> bool:
        row = [grid[i][j] for j in range(n) if j != i]
        return bool(row) and all(cell is not None and cell["joint_lo"] > par for cell in row)

    best = next((i for i in range(n) if ahead(i)), None)
    worst = None
    if best is not None:
        worst = min((j for j in range(n) if j != best), key=lambda j: (grid[best][j] or {"est": 1.0})["est"])
    rest = [i for i in range(n) if i != best]
    return {"best": best, "worst_of_best": worst, "ring": _ring(rest, beats)}


def _ring(nodes: Sequence[int], beats: Callable[[int, int], bool]) -> list[int]:
    """Find the shortest ring i beats j beats ... beats i; empty if there is none."""
    wins = {i: [j for j in nodes if j != i and beats(i, j)] for i in nodes}
    for start in nodes:
        paths = [[start]]
        seen = {start}
        while paths:
            path = paths.pop(0)
            for j in wins[path[-1]]:
                if j == start and len(path) > 2:
                    return path
                if j not in seen:
                    seen.add(j)
                    paths.append([*path, j])
    return []


# --- items -----------------------------------------------------------------------------------------------------


def _items(run: Run, facts: GameFacts, before: Run | None) -> Row | None:
    """How items go with winning: associations, averaged over the player counts."""
    counts = [n for n in run.played if measures.has_items(run.mixed(n), facts)]
    if not counts:
        return None
    deals = min(measures.deals(run.mixed(n)) for n in counts)
    seen_at = {n: measures.item_seen(run.mixed(n), facts) for n in counts}
    lift_at = {n: measures.item_lift(run.mixed(n), facts) for n in counts}
    played_at = {n: measures.item_played(run.mixed(n), facts) for n in counts}
    seen, lift, played = (measures.mean_of(list(at.values())) for at in (seen_at, lift_at, played_at))
    cases = {use: np.sum([measures.use_cases(run.mixed(n), use) for n in counts], axis=0) for use in facts.uses}
    available = cases[facts.available_use]
    delta = None
    kept = before is not None and measures.same_items(before, facts)
    if before is not None and kept and all(measures.has_items(before.mixed(n), facts) for n in counts):
        past = {n: measures.item_seen(before.mixed(n), facts) for n in counts}
        changes = [measures.change(run, before, n, seen_at[n], past[n]) for n in counts]
        delta = spread(measures.mean_of(changes), "difference", deals)
    seen_rows, lift_rows = spread(seen, "difference", deals), spread(lift, "difference", deals)
    adjusted = [measures.item_adjusted(run, facts, n) for n in counts]
    alike = None if any(each is None for each in adjusted) else list(zip(*(a for a in adjusted if a), strict=True))
    seen_alike, lift_alike = (
        [spread(measures.mean_of(parts), "difference", deals) for parts in alike] if alike else (None, None)
    )
    played_rows = spread(played, "rate", deals)
    rows = []
    for i, name in enumerate(facts.items):
        rows.append(
            {
                "index": i,
                "name": words.plain(name),
                "groups": {words.plain(title): words.plain(group[i]) for title, group in facts.groups.items()},
                "seen": seen_rows[i],
                "seen_adjusted": None if seen_alike is None else seen_alike[i],
                "lift": lift_rows[i],
                "lift_adjusted": None if lift_alike is None else lift_alike[i],
                "played": played_rows[i],
                "delta": None if delta is None else delta[i],
                "cases": available[i],
                "uses": {
                    use: cases[use][i] / available[i] if available[i] else None
                    for use in facts.uses
                    if use not in (facts.available_use, facts.played_use)
                },
                "by_players": [{"players": n, "est": at.value[i]} for n, at in seen_at.items()],
            }
        )
    return {
        "players": counts,
        "rows": rows,
        "groups": [_group(seen, title, names, deals) for title, names in facts.groups.items()],
        "uses": [
            {"key": key, "label": words.plain(use.label), "meaning": words.plain(use.meaning)}
            for key, use in facts.uses.items()
        ],
        "apart": words.plain(next(iter(facts.groups))) if facts.apart else "",
        "available": facts.available_use,
        "played": facts.played_use,
    }


def _group(seen: Estimates, title: str, names: Sequence[str], deals: int) -> Row:
    """Average an association over the items of each group."""
    order = list(dict.fromkeys(names))
    counted = np.isfinite(seen.value)
    member = np.array([[name == group for group in order] for name in names]) & counted[:, None]
    weights = member / np.maximum(member.sum(axis=0), 1)
    filled = Estimates(np.where(counted, seen.value, 0.0), np.where(counted, seen.influence, 0.0), seen.cells)
    rows = spread(filled.mix(weights), "difference", deals)
    return {
        "title": words.plain(title),
        "rows": [
            {"name": words.plain(g), "items": n, **row}
            for g, n, row in zip(order, member.sum(axis=0), rows, strict=True)
            if n
        ],
    }


# --- course of a game ------------------------------------------------------------------------------------------


def _unfold(run: Run, facts: GameFacts) -> list[Row]:
    """How a game unfolds, by player count."""
    panels = []
    for players in run.played:
        cells = run.mixed(players)
        deals = measures.deals(cells)

        def one(estimate: Estimates, kind: stats.Kind, deals: int = deals) -> dict[str, float]:
            return spread(estimate, kind, deals)[0]

        margin = measures.histogram(cells, "hist_margin")
        reasons = measures.histogram(cells, "reasons")
        leaders = np.sum([c["leader_games"].sum(axis=0) for c in cells], axis=0)
        panels.append(
            {
                "players": players,
                "par": 1.0 / players,
                "games": sum(c.games for c in cells),
                "decisions": _length(measures.histogram(cells, "hist_decisions"), facts.decisions_bin),
                "rounds": _length(measures.histogram(cells, "hist_rounds"), 1),
                "turns": one(measures.per_game(cells, "turns"), "mean"),
                "leader": [
                    {"at": at, **row}
                    for at, row in zip(goals.AT, spread(measures.leader_wins(cells), "share", deals), strict=True)
                ],
                "leader_games": leaders,
                "margin": margin[: np.flatnonzero(margin).max(initial=0) + 1],
                "lead_changes": one(measures.per_game(cells, "lead_changes"), "mean"),
                "shared": one(measures.per_game(cells, "shared"), "rate"),
                "tie_break": one(measures.tie_breaks(cells, facts), "rate"),
                "capped": one(measures.per_game(cells, "capped"), "rate"),
                "reasons": [
                    {"reason": words.plain(name), "games": n}
                    for name, n in zip(facts.end_reasons, reasons, strict=False)
                ],
            }
        )
    return panels


def _length(counts: np.ndarray, width: int) -> Row:
    """Describe a histogram: its filled bins, median and the middle nine tenths."""
    filled = np.flatnonzero(counts)
    if not len(filled):
        return {"bins": [], "width": width, "median": None, "p5": None, "p95": None, "fixed": False}
    heap = np.cumsum(counts) / counts.sum()
    low, middle, high = (int(np.searchsorted(heap, q)) * width for q in (0.05, 0.5, 0.95))
    return {
        "bins": [[int(b) * width, int(counts[b])] for b in range(filled[0], filled[-1] + 1)],
        "width": width,
        "median": middle,
        "p5": low,
        "p95": high,
        "fixed": len(filled) == 1,
    }


def _experiments(run: Run) -> list[Row]:
    """Say what was played, by player count and kind of line-up."""
    rows: dict[tuple[int, str], Row] = {}
    for cell in run.cells_on_disk:
        row = rows.setdefault(
            (cell.players, cell.kind),
            {
                "players": cell.players,
                "kind": cell.kind,
                "lineups": 0,
                "rotations": 0,
                "games": 0,
                "deals": 0,
                "chunks": 0,
            },
        )
        row["lineups"] += 1
        row["rotations"] = max(row["rotations"], cell.rotations)
        row["games"] += cell.games
        row["deals"] += cell.deals
        row["chunks"] += len(cell["chunk"])
    return list(rows.values())
