"""Sections that games add: found by the game's name, complete without one."""

import json
import sys
import types

import numpy as np
import pyarrow.parquet as pq
import pytest

from reports import answers, measures, panels
from reports.blocks import Run
from reports.facts import Panel
from reports.games import facts_of
from reports.page import render
from reports.panels.emblems import locations
from reports.schema import Sense
from reports.tables import build


def test_a_game_without_a_file_has_the_common_sections():
    assert [panel.name for panel in panels.of("no_such_game")] == ["luck"]


def test_a_game_adds_its_sections_by_a_file_of_its_name(monkeypatch):
    own = types.ModuleType("reports.panels.noughts")
    own.PANELS = (Panel("corners", "Corners", lambda counts: []),)
    own.__spec__ = types.SimpleNamespace(name=own.__name__)
    monkeypatch.setitem(sys.modules, own.__name__, own)
    assert [panel.name for panel in panels.of("noughts")] == ["corners", "luck"]


def test_emblems_shows_its_locations_before_luck():
    assert [panel.name for panel in panels.of("emblems")] == ["locations", "luck"]


# --- emblems ---


@pytest.fixture
def asked(small_run):
    """Puts a sense.json beside the run: one coin on the Castle's first reward, for two goals and three players."""
    file = small_run / answers.FILES[Sense]

    def write(content):
        file.write_text(content, encoding="utf-8")

    yield write
    file.unlink(missing_ok=True)


def effect(goal, size, half=0.001):
    low, high = size - half, size + half
    return {"goal": goal, "est": size, "lo": low, "hi": high, "joint_lo": low, "joint_hi": high}


def step(size, *effects, rank=0):
    return {
        "path": ["sets", "A", "castle", "3-4", rank],
        "label": f"Castle {size:+d}",
        "edit": f'sets.A.castle."3-4"[{rank}]={4 - rank + size}',
        "old": 4 - rank,
        "step": size,
        "effects": effects,
    }


def goal(name, label):
    band = {"lo": 0.3, "hi": 0.36, "text": "30–36%"}
    numbers = {"est": 0.31, "lo": 0.3, "hi": 0.32, "verdict": "inside", "kind": "share", "subject": None}
    return {"id": f"{name}-3", "goal": name, "players": 3, "label": label, "band": band, **numbers}


SENSE = {
    **{"players": [3], "strategies": ["greedy", "random"], "draws": "per_seat", "seed": 1, "games": 1000},
    "goals": [
        goal("first_player", "First player, 3 players"),
        goal("half_time", "Leader at half-time wins, 3 players"),
    ],
    "steps": [
        step(-1, effect("first_player-3", 0.012), effect("half_time-3", -0.03)),
        step(1, effect("first_player-3", -0.0005)),
        step(1, effect("first_player-3", 0.0051), rank=1),
    ],
}


def figures_of(run):
    return locations(measures.Counts(Run(run), facts_of("emblems")))


@pytest.mark.parametrize("small_run", ["emblems"], indirect=True)
def test_rewards_are_as_the_sums_say(small_run):
    """Ranks paid and taken, and coins a card, against the columns on disk."""
    paid, cards = figures_of(small_run)
    table = pq.read_table(next((small_run / "blocks" / "players=3").glob("*.parquet"))).to_pylist()
    mixed = [row for row in table if row["use_games_castle"]]
    taken, coins = (
        np.sum([row[f"counter_slot_{name}"] for row in mixed], axis=0).reshape(3, 15) for name in ("taken", "coins")
    )
    rounds = 3 * sum(row["games"] for row in mixed)
    placed = sum(sum(row["use_games_port"]) for row in mixed)
    port = next(row for row in paid["numbers"][0]["rows"] if row[0] == "Port, 3 players")
    assert float(port[1]) == pytest.approx(coins[2].sum() / placed, abs=0.06)
    third = next(row for row in paid["numbers"][1]["rows"] if row[0] == "Port, 3rd, 3 players")
    assert third[1] == "−2"
    assert float(third[2].replace("−", "-")) == pytest.approx(coins[2, 2] / taken[2, 2], abs=0.06)
    assert float(third[4].rstrip("%")) == pytest.approx(100 * taken[2, 2] / rounds, abs=0.6)
    cell = cards["grids"][0]["rows"][2]["cells"][2]
    assert cell["head"] == "−2" and [line["label"] for line in cell["lines"]] == ["pays", "taken"]
    assert cards["grids"][0]["columns"] == ["1st", "2nd", "3rd"]
    assert "not asked yet: hakari sense emblems" in cards["how"]


@pytest.mark.parametrize("small_run", ["emblems"], indirect=True)
def test_one_coin_more_or_less_once_it_was_asked(small_run, asked):
    asked(json.dumps(SENSE))
    cards = figures_of(small_run)[1]
    castle = cards["grids"][0]["rows"][0]["cells"]
    assert castle[0]["lines"][2:] == [
        {"label": "if 3", "text": "+1.20", "tint": 3},
        {"label": "if 5", "text": "−0.05", "tint": 0},  # its range holds 0
    ]
    assert castle[1]["lines"][2:] == [{"label": "if 4", "text": "+0.51", "tint": 2}]
    assert len(castle[2]["lines"]) == 2
    assert all(len(c["lines"]) == 2 for row in cards["grids"][1]["rows"] for c in row["cells"])
    assert cards["headline"] == "The Castle’s 1st rank moves “First player” most"
    assert cards["numbers"][0]["rows"][1] == [
        "Castle -1",
        "Leader at half-time wins, 3 players",
        "−3.0",
        "−3.1 to −2.9",
    ]
    page = render(build(small_run, facts_of("emblems")))
    assert '<span class="p3"><i>if 3 </i>+1.20</span>' in page


@pytest.mark.parametrize("small_run", ["emblems"], indirect=True)
def test_a_damaged_answer_does_not_cost_the_report(small_run, asked):
    asked('{"goals": 3')
    assert "not asked yet" in figures_of(small_run)[1]["how"]
