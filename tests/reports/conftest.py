"""Synthetic runs, their reports and pages, made once."""

import dataclasses
import json

import numpy as np
import pytest

from reports import compare, write
from reports.compare import page as compare_page
from reports.page import render
from reports.tables import build
from sim import games
from sim.config import load
from sim.engine import session
from strategies import registry
from tests.reports.synthetic import emblems_facts, mon_facts, write_run

STRENGTHS = {"greedy": 1.0, "counter": 0.75, "denier": 0.5, "high_card": 0.1, "random": -1.2}
EDGES = {3: [0.05, 0.0, -0.02], 4: [-0.15, 0.02, 0.03, 0.10], 5: [0.0] * 5}
EDGES_BEFORE = {3: [0.03, 0.0, -0.02], 4: [-0.05, 0.0, 0.0, 0.04], 5: [0.0] * 5}
GOALS = {
    "first_4": {"measure": "first_player", "between": ["23%", "27%"], "players": [4]},
    "first_3": {"measure": "first_player", "within": "6% of par", "players": [3]},
    "first_5": {"measure": "first_player", "within": "1pp", "players": [5]},
    "seats": {"measure": "every_seat", "within": "10% of par", "players": [4]},
    "best": {"measure": "best_strategy", "at_most": "45%"},
    "random": {"measure": "random_share", "at_most": "50% of par"},
    "least": {"measure": "item_played", "at_least": "50%", "players": [4]},
    "seen": {"measure": "item_seen", "within": "2pp", "players": [4]},
    "tie": {"measure": "tie_break", "at_most": "10%", "players": [4]},
    "shared": {"measure": "shared_wins", "at_most": "10%", "players": [4]},
    "lead": {"measure": "leader_wins", "between": ["45%", "60%"], "players": [4]},
    "close": {"measure": "close_finish", "points": 3, "at_least": "50%", "players": [4]},
    "changes": {"measure": "lead_changes", "at_least": 2, "players": [4]},
    "rounds": {"measure": "rounds", "between": [8, 12], "players": [4]},
    "decisions": {"measure": "decisions", "at_most": 120, "players": [4]},
    "cap": {"measure": "capped", "at_most": "1%", "players": [4]},
}


EVIL = "<script>alert(1)</script>\"'&{{ 7 * 7 }}"
"""A name that does harm where names are not text."""


def evil_facts():
    facts = mon_facts()
    names = [f"{EVIL} {i}" for i in range(52)] + ["カ" * 60, "a-name-of-sixty-characters-" + "x" * 33]
    return dataclasses.replace(
        facts,
        title=f"Mon {EVIL}",
        items=names,
        groups={"colour": [["red", EVIL, "青"][i % 3] for i in range(54)]},
        end_reasons=(EVIL, "other"),
        item_word=(f"card {EVIL}", "cards"),
        seat_text=f"Because {EVIL}.",
        exact_seat_facts=lambda players, config: {EVIL: list(range(players))},
    )


def evil_run(folder):
    """A run whose every name is hostile, long or wide."""
    return write_run(
        folder,
        evil_facts(),
        players=(3, 4),
        strengths={f"greedy {EVIL}": 1.0, "秤" * 30: 0.2, "random": -1.0, "b" * 60: 0.0},
        goals={EVIL: {"measure": "best_strategy", "at_most": "30%", "title": f"Mine {EVIL} {'m' * 45}"}},
        title="t" * 60 + EVIL,
        name=EVIL,
        games=8_000,
    )


@pytest.fixture
def rng():
    return np.random.default_rng(20_261_129)


def emblems_run(folder, edges, castle, name, **changes):
    settings = {
        "game": "emblems",
        "players": (3, 4, 5),
        "strengths": STRENGTHS,
        "edges": edges,
        "games": 60_000,
        "goals": GOALS,
        "decisions": (97, 3),
        "ties": "first",
        "item_rate": [0.4] + [0.7] * 14,
        "rules": {"set": "A", "sets": {"A": {"castle": {"3-4": castle}}}},
        "title": f"Castle first prize {castle[0]}",
        "name": name,
    }
    return write_run(folder, emblems_facts(), **{**settings, **changes})


@pytest.fixture(scope="session")
def emblems(tmp_path_factory):
    """A run with goals, and the baseline before an edit."""
    folder = tmp_path_factory.mktemp("emblems")
    before = emblems_run(folder / "before", EDGES_BEFORE, [4, 3, 1], "book")
    return emblems_run(folder / "now", EDGES, [5, 3, 1], "castle5"), before


@pytest.fixture(scope="session")
def mon(tmp_path_factory):
    """A run of 54 cards and five player counts, without goals."""
    edges = {n: np.linspace(0.1, -0.1, n) for n in range(2, 7)}
    return write_run(
        tmp_path_factory.mktemp("mon") / "run",
        mon_facts(),
        players=range(2, 7),
        games=60_000,
        edges=edges,
        ties="first",
    )


@pytest.fixture(scope="session")
def compared(emblems):
    return build(emblems[0], emblems_facts(), emblems[1])


@pytest.fixture(scope="session")
def comparison(emblems):
    return compare.build(emblems[1], emblems[0], emblems_facts())


@pytest.fixture(scope="session")
def comparison_page(comparison):
    return compare_page.render(comparison)


@pytest.fixture(scope="session")
def mon_report(mon):
    return build(mon, mon_facts())


@pytest.fixture(scope="session")
def compared_page(compared):
    return render(compared)


@pytest.fixture(scope="session")
def mon_page(mon_report):
    return render(mon_report)


@pytest.fixture(scope="session", params=games.GAMES)
def small_run(request, tmp_path_factory):
    """A few real games of each game, with their report: the run's folder."""
    found, _ = registry.find(request.param)
    names = ", ".join(f'"{name}"' for name in sorted(found)[:3])
    players = list(games.spec(request.param).players)[:2]
    config = load(request.param, ["plan.games=1500", f"plan.players={players}", f"plan.strategies=[{names}]"])
    entries = registry.seated(found, config)
    folder = tmp_path_factory.mktemp("small") / "out" / request.param / "2026-11-29_12-00-00"
    job = session.job(config, session.plan(config, entries), folder, resume=False)
    work = session.open_run(job, config, refused=[], baseline=None, resume=False, command="hakari run")
    with session.executor(1) as executor:
        work.carry_out(executor)
    write.report(folder)
    return folder


@pytest.fixture
def small_report(small_run):
    return json.loads((small_run / "report.json").read_text(encoding="utf-8"))
