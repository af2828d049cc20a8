"""What changed since the baseline: config, goals, and how many identical deals have another winner."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reports import measures, next_steps, stats, words
from reports.blocks import Run
from sim.errors import UsageError

MOST_DIFFERENCES = 8
LONG_LIST = 6
"""Longer lists are compared entry by entry."""

Row = dict[str, Any]


def open_baseline(run: Run, folder: Path | str) -> Run:
    """Open the run to compare with."""
    before = Run(folder)
    if before.manifest["game"] != run.manifest["game"]:
        raise UsageError(
            "the baseline is a run of another game",
            where=str(folder),
            got=before.manifest["game"],
            expected=run.manifest["game"],
        )
    return before


def compare(run: Run, before: Run, goals: Sequence[Row]) -> Row:
    """Compare two runs as a whole."""
    differences = list(config_diff(before.manifest["config"], run.manifest["config"]))
    counts = [n for n in run.played if n in before.played]
    together = [measures.paired(run, before, n) for n in counts]
    paired = [a or measures.common_groups(run, before, n) is not None for n, a in zip(counts, together, strict=True)]
    classes = [(_class(g), g["label"]) for g in goals if g["change"]]
    return {
        "label": _label(run, before),
        "games": before.games,
        "seed": before.manifest["seed"],
        "paired": all(paired) and bool(paired),
        "in_part": not all(together),
        "why_unpaired": _why_unpaired(run, before),
        "differences": differences[:MOST_DIFFERENCES],
        "more_differences": max(len(differences) - MOST_DIFFERENCES, 0),
        "tally": [
            {"class": c, "goals": [label for k, label in classes if k == c]}
            for c in ("better", "worse", "moved", "edge", "same", "unclear")
        ],
        "winners": [changed_winners(run, before, n) for n in counts],
        "warnings": _warnings(run, before),
    }


def _class(goal: Row) -> str:
    """Class of a goal's change for the tally; "edge" where it moved and is now too close to call."""
    found: str = goal["change"]["class"]
    return "edge" if found == "moved" and goal["verdict"] == "close" else found


def _label(run: Run, before: Run) -> str:
    """Call the baseline by what tells it from the run itself: its title, its name, its settings, its folder."""
    for key in ("title", "name"):
        name = before.manifest.get(key)
        if name and name != run.manifest.get(key):
            return words.plain(name)
    folder = words.plain(before.folder.resolve().name)
    when = re.fullmatch(r"(\d{4}-\d\d-\d\d)_(\d\d)-(\d\d).*", folder)
    called = f"run of {words.day(when[1])}, {when[2]}:{when[3]}" if when else folder
    ours, theirs = (next_steps.settings(r.manifest["command"]) for r in (run, before))
    if ours == theirs:
        return called
    return f"{called}, {words.plain(', '.join(theirs)) if theirs else 'config as it stands'}"


def _why_unpaired(run: Run, before: Run) -> str:
    if run.manifest["seed"] != before.manifest["seed"]:
        return "the baseline has another seed"
    if run.manifest["draws"] != before.manifest["draws"]:
        return "the baseline draws cards in another way"
    return "the baseline played other deals"


def _warnings(run: Run, before: Run) -> list[str]:
    """Name what else differs, so that a change is not put down to the edit alone."""
    return [
        text
        for differs, text in (
            (
                run.strategies != before.strategies,
                "The strategies are not the same: part of each change may come from who played.",
            ),
            (
                run.manifest["rules_version"] != before.manifest["rules_version"],
                "The baseline was played with another version of the rules.",
            ),
            (
                run.manifest["source_hash"] != before.manifest["source_hash"],
                "The baseline was played by another version of the program or of a strategy.",
            ),
        )
        if differs
    ]


# --- config ----------------------------------------------------------------------------------------------------


def config_diff(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Row]:
    """Yield what differs between two configs: `key`, and `old` and `new` as pieces of text, changed pieces marked."""
    before, after = dict(_flat(old)), dict(_flat(new))
    last = ("goals", "plan", "strategies")
    for key in sorted(dict.fromkeys([*after, *before]), key=lambda k: k[0] in last):
        if key[0] in ("name", "title", "baseline") or before.get(key) == after.get(key):
            continue
        pieces = _pieces(before.get(key), after.get(key))
        yield {"key": _dotted(key), "old": pieces[0], "new": pieces[1]}


def _flat(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the leaves of nested tables; null counts as absent, long lists are taken apart."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, (*path, str(key)))
    elif isinstance(value, list) and (len(value) > LONG_LIST or any(isinstance(v, list | Mapping) for v in value)):
        for i, inner in enumerate(value):
            yield from _flat(inner, (*path, f"[{i}]"))
    elif value is not None:
        yield path, value


def _dotted(path: Sequence[str]) -> str:
    """Write a path as it stands in TOML: sets.A.castle."3-4", points[12]."""
    text = ""
    for part in path:
        if part.startswith("["):
            text += part
        else:
            bare = part.replace("_", "").replace("-", "").isalnum() and part.isascii() and not part[0].isdigit()
            text += ("." if text else "") + (part if bare else json.dumps(part, ensure_ascii=False))
    return text


def _pieces(old: Any, new: Any) -> tuple[list[Row], list[Row]]:
    """Write both values as pieces; in lists of one length only the entries that differ are marked."""
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        marks = [a != b for a, b in zip(old, new, strict=True)]
        return _list_pieces(old, marks), _list_pieces(new, marks)
    return [_piece(old)], [_piece(new)]


def _list_pieces(values: Sequence[Any], marks: Sequence[bool]) -> list[Row]:
    pieces = [{"text": "[", "changed": False}]
    for i, (value, mark) in enumerate(zip(values, marks, strict=True)):
        if i:
            pieces.append({"text": ", ", "changed": False})
        pieces.append({"text": _toml(value), "changed": mark})
    return [*pieces, {"text": "]", "changed": False}]


def _piece(value: Any) -> Row:
    return {"text": "not set" if value is None else words.shorten(_toml(value), 60), "changed": value is not None}


def _toml(value: Any) -> str:
    return words.plain(json.dumps(value, ensure_ascii=False))


# --- winners ---------------------------------------------------------------------------------------------------


def changed_winners(run: Run, before: Run, players: int) -> Row:
    """Count identical deals, in the same seating and line-up, that now have another winner.

    `share` is None if a run kept no single games, or the two have none in common.
    """
    row: Row = {"players": players, "share": None, "lo": None, "hi": None, "games": 0, "deals": 0}
    row["identical"] = measures.same_games(run, before, players)
    if not measures.same_luck(run, before) or run.strategies != before.strategies:
        return row
    columns = ["lineup", "deal", "rotation", "winners"]
    now, old = run.games_rows(players, columns), before.games_rows(players, columns)
    if now is None or old is None:
        return row
    alike = {
        a.lineup: b.lineup
        for a in run.cells_on_disk
        for b in before.cells_on_disk
        if a.players == b.players == players and a.kind == b.kind and run.members(a) == before.members(b)
    }
    translate = np.full(int(now["lineup"].max(initial=0)) + 1, -1)
    translate[list(alike)] = list(alike.values())
    lineups = translate[now["lineup"]]
    known = lineups >= 0
    ours, theirs = _keys(now, lineups)[known], _keys(old, old["lineup"])
    rows = np.flatnonzero(known)
    if np.array_equal(ours, theirs):
        where_now = where_old = rows
    else:
        _, common, where_old = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
        where_now = rows[common]
    if not len(where_now):
        return row
    other = now["winners"][where_now] != old["winners"][where_old]
    deals = len(np.unique(_keys(now, now["lineup"])[where_now] // 8))
    share = float(other.mean())
    low, high = stats.wilson(share, deals, stats.normal_quantile(0.5 + 0.5 * stats.LEVEL))
    return {**row, "share": share, "lo": low, "hi": high, "games": len(where_now), "deals": deals}


def _keys(rows: Mapping[str, np.ndarray], lineups: np.ndarray) -> np.ndarray:
    """Give each game one number from its line-up, deal and rotation (up to 8 rotations and 2^37 deals)."""
    keys: np.ndarray = (lineups << 40) + rows["deal"] * 8 + rows["rotation"]
    return keys
