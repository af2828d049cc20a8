"""What playing the same deals is worth when two configs are compared: some edits of each game, asked at the seats."""

import json
import subprocess
import sys
import tempfile
from typing import Any

from reports.compare.figures import saved

GAMES = 20_000  # of each side
PLAYERS = 4
EDITS = [
    ("mon", "points[17]=4"),
    ("mon", "hand_sizes.4=8"),
    ("emblems", "start_coins=4"),
    ("emblems", 'sets.A.castle."3-4"[0]=5'),
    ("busho", "sets_per_turn=2"),
    ("busho", "hand_size=15"),
    ("momiji", "objectives.holder=8"),
    ("momiji", "start_acorns=4"),
    ("sangoku", "power.dog=2"),
    ("sangoku", 'redeems.3="dragon"'),
]
TITLE = f"What pairing saves, {PLAYERS} players, {GAMES:,} games a side"
HEAD = ["game", "edit", "first player", "the edit by itself", "deals with another winner"]


def compared(game: str, edit: str) -> dict[str, Any]:
    """What ``hakari compare`` finds of an edit."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "sim.cli", "compare", game, "--set", edit, "--games", str(GAMES)]
        command += ["--players", str(PLAYERS), "--seed", "1", "--by-itself", "-q", "--json"]
        command += ["--out", f"{folder}/comparison"]
        found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def row(game: str, edit: str) -> list[str]:
    """One row of the table."""
    found = compared(game, edit)
    (first,) = [goal for goal in found["goals"] if goal["measure"] == "first_player"]
    (winners,) = found["winners"]
    alone = first["by_itself"]["saved"] if first["by_itself"] else None
    return [game, f"`{edit}`", saved(first["pairing"]["saved"]), saved(alone), f"{winners['share']:.1%}"]
