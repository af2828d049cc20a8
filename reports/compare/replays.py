"""Games whose winner changed, to look at: the largest swing, a typical one, and the first; and where they part."""

import shlex
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from reports import measures, words
from reports.blocks import Integers, Run
from reports.facts import GameFacts
from reports.next_steps import trace_options
from sim import games
from sim.engine.trace import story
from sim.errors import HakariError

Row = dict[str, Any]
Rows = dict[str, Integers]

Tell = Callable[[str, Sequence[str], int], list[Row]]
"""(side "a" or "b", who sits at each seat, deal) -> the lines of the game's trace."""


def same_luck(before: Run, run: Run, players: int, columns: Sequence[str]) -> tuple[Rows, Rows] | None:
    """Read columns of the single games of the mixed table that both runs played, in the same order.

    Returns
    -------
    tuple of dict, or None
        None where the runs did not play the same deals, or one kept no such rows, or kept others.
    """
    if not measures.paired(run, before, players) or run.strategies != before.strategies:
        return None
    keys = ["lineup", "deal", "rotation"]
    kept = []
    for each in (before, run):
        rows = each.games_rows(players, [*keys, *columns])
        if rows is None:
            return None
        mixed = np.isin(rows["lineup"], [cell.lineup for cell in each.mixed(players)])
        kept.append({name: column[mixed] for name, column in rows.items()})
    old, new = kept
    same = all(np.array_equal(old[key], new[key]) for key in ("deal", "rotation"))
    return (old, new) if same else None


def replays(before: Run, run: Run, counts: Sequence[int], facts: GameFacts, tell: Tell | None) -> list[Row]:
    """Choose three games whose winner changed, each with the commands that show it under A and B."""
    changed = [c for c in (_changed(before, run, n) for n in counts) if c is not None and len(c["deal"])]
    if not changed:
        return []
    pooled = [(float(s), k, i) for k, c in enumerate(changed) for i, s in enumerate(c["swing"])]
    largest = max(pooled, key=lambda each: (each[0], -each[1], -each[2]))
    typical = sorted(pooled)[len(pooled) // 2]
    first = min(pooled, key=lambda each: (changed[each[1]]["deal"][each[2]], each[1], each[2]))
    chosen = (("largest", largest), ("typical", typical), ("first", first))
    return [_replay(kind, changed[k], i, before, run, facts, tell) for kind, (_, k, i) in chosen]


def _changed(before: Run, run: Run, players: int) -> Row | None:
    """Find the games with another winner, and how far the standing moved in each."""
    seats = range(1, players + 1)
    scores, seated = [f"score_{s}" for s in seats], [f"strategy_{s}" for s in seats]
    pair = same_luck(before, run, players, ["winners", *scores, *seated])
    if pair is None:
        return None
    rows = np.flatnonzero(pair[0]["winners"] != pair[1]["winners"])
    ahead = [_ahead(np.stack([side[name][rows] for name in scores], axis=1)) for side in pair]
    moved = np.abs(ahead[1] - ahead[0])
    new = pair[1]
    return {
        "players": players,
        "deal": new["deal"][rows],
        "rotation": new["rotation"][rows],
        "seated": np.stack([new[name][rows] for name in seated], axis=1),
        "ahead": ahead,
        "seat": moved.argmax(axis=1) if len(rows) else rows,
        "swing": moved.max(axis=1) if len(rows) else rows,
        "winners": [side["winners"][rows] for side in pair],
    }


def _ahead(scores: Integers) -> Integers:
    """Say how far each seat is ahead of the best other one; below zero: behind."""
    best = np.sort(scores, axis=1)
    others = np.where(scores == best[:, -1:], best[:, -2:-1], best[:, -1:])
    ahead: Integers = scores - others
    return ahead


def _replay(kind: str, found: Row, i: int, before: Run, run: Run, facts: GameFacts, tell: Tell | None) -> Row:
    players, deal, rotation = found["players"], int(found["deal"][i]), int(found["rotation"][i])
    seated = [run.strategies[s] for s in found["seated"][i]]
    seat = int(found["seat"][i])
    row: Row = {
        "kind": kind,
        "players": players,
        "deal": deal,
        "rotation": rotation,
        "strategies": [words.plain(name) for name in seated],
        "seat": seat,
        "ahead": [int(side[i, seat]) for side in found["ahead"]],
        "winners": [[s for s in range(players) if int(mask[i]) >> s & 1] for mask in found["winners"]],
        "commands": [_command(each, players, deal, rotation, seated) for each in (before, run)],
        "parting": None,
    }
    if tell is not None:
        row["parting"] = _parting(run.manifest["game"], tell, seated, deal)
    return row


def _command(run: Run, players: int, deal: int, rotation: int, seated: Sequence[str]) -> str:
    """Write the command that tells the game as a story."""
    members = [seated[(j + rotation) % players] for j in range(players)]
    parts = ["hakari", "trace", run.manifest["game"], "--text", "--players", str(players)]
    parts += ["--seed", str(run.manifest["seed"]), "--deal", str(deal), "--rotation", str(rotation)]
    parts += ["--strategies", members[0] if len(set(members)) == 1 else ",".join(members)]
    options = trace_options(run.manifest["command"])
    return words.plain(shlex.join(parts) + (f" {options}" if options else ""))


def _parting(game: str, tell: Tell, seated: Sequence[str], deal: int) -> Row | None:
    """Tell where the same game goes two ways: the last line in common, and the first that differs, of A and B."""
    spec = games.spec(game)
    try:
        told = [
            [
                words.plain(line)
                for text in story(spec, iter(tell(side, seated, deal)[1:]), _player)
                for line in text.splitlines()
            ]
            for side in ("a", "b")
        ]
    except HakariError:
        return None  # a strategy of an old run may be gone; the commands stand
    pairs = list(zip_longest(*told, fillvalue="The game is over."))
    at = next((k for k, (old, new) in enumerate(pairs) if old != new), None)
    if at is None:
        return None
    return {"step": at + 1, "steps": [len(each) for each in told], "before": pairs[at - 1][0] if at else "",
            "a": pairs[at][0], "b": pairs[at][1]}  # fmt: skip


def _player(seat: int) -> str:
    return f"Player {seat + 1}"
