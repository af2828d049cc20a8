import json

import pytest

from reports import judge, live, write
from reports.games import facts_of
from sim import games
from sim.config import load
from sim.engine import session
from sim.engine.plan import make_plan
from sim.errors import StorageError
from sim.games.interface import Entry
from sim.goals import Goal
from sim.results import read_manifest
from tests.reports.synthetic import write_run

GOALS = {
    "first": {"measure": "first_player", "within": "4% of par"},
    "length": {"measure": "rounds", "between": [9, 11]},
    "best": {"measure": "best_strategy", "at_most": "20%", "players": [4]},
}


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / "run"
    return write_run(
        folder, facts_of("mon"), players=(2, 4), games=4_000, goals=GOALS, edges={2: [0, 0], 4: [0.9, 0, 0, 0]}
    )


@pytest.mark.parametrize("game", games.GAMES)
def test_facts_of_every_game(game):
    facts, spec = facts_of(game), games.spec(game)
    assert facts.title == spec.title
    assert facts.available_use in facts.uses
    assert facts.played_use in facts.uses
    assert all(len(names) == len(facts.items) for names in facts.groups.values())
    config = load(game).effective()
    for players in spec.players:
        found = facts.exact_seat_facts(players, config)
        assert found
        assert all(len(values) == players for values in found.values())


def test_report_lands_in_the_folder_of_its_run(run):
    page = write.report(run)
    assert page == run / "report.html"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    report = json.loads((run / "report.json").read_text(encoding="utf-8"))
    assert report["baseline"] is None
    assert not [path for path in run.iterdir() if path.name.endswith(".tmp")]


def test_same_run_same_bytes(run):
    first = [path.read_bytes() for path in (write.report(run), run / "report.json")]
    assert [path.read_bytes() for path in (write.report(run), run / "report.json")] == first


def test_baseline_by_folder_by_manifest_or_none(run, tmp_path):
    other = write_run(tmp_path / "other", facts_of("mon"), players=(2, 4), games=4_000, name="before")
    write.report(run, str(other))
    assert json.loads((run / "report.json").read_text())["baseline"]["label"] == "before"
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps({**manifest, "baseline": str(other)}))
    write.report(run)
    assert json.loads((run / "report.json").read_text())["baseline"]["label"] == "before"
    write.report(run, "none")
    assert json.loads((run / "report.json").read_text())["baseline"] is None
    (run / "manifest.json").write_text(json.dumps({**manifest, "baseline": str(tmp_path / "gone")}))
    write.report(run)
    assert json.loads((run / "report.json").read_text())["baseline"] is None


def test_last_baseline_is_the_newest_other_complete_run(tmp_path, monkeypatch):
    monkeypatch.setattr(session, "OUT", tmp_path)
    facts = facts_of("mon")
    for name in ("1", "2", "3", "4"):
        write_run(tmp_path / "mon" / name, facts, players=(2,), games=200, name=name)
    manifest = read_manifest(tmp_path / "mon" / "3")
    (tmp_path / "mon" / "3" / "manifest.json").write_text(json.dumps({**manifest, "status": "interrupted"}))
    write.report(tmp_path / "mon" / "4", "last")
    assert json.loads((tmp_path / "mon" / "4" / "report.json").read_text())["baseline"]["label"] == "2"


def test_no_run_is_told(tmp_path):
    with pytest.raises(StorageError, match="no run in"):
        write.report(tmp_path)


def test_judge(run):
    judged = judge.run(run)
    assert judged.exit_code("missed") == 1
    lines = judged.text().splitlines()
    assert lines[0] == judged.verdict["sentence"]
    assert len(lines) == 1 + len(judged.goals) == 6
    assert lines[1].startswith("✗  First player, 4 players  ")
    assert lines[1].split()[-2:] == ["24–26%", "outside"]
    assert json.loads(json.dumps(judged.as_dict(), allow_nan=False))["goals"][0]["verdict"] == "outside"


def test_judge_of_an_interrupted_run(run):
    manifest = read_manifest(run)
    (run / "manifest.json").write_text(json.dumps({**manifest, "status": "interrupted"}))
    judged = judge.run(run)
    assert judged.exit_code("missed") == 4
    assert judged.text().splitlines()[-1].startswith("✗  Run complete: ")


KINDS = ("field", "one_vs_rest", "mirror")


def live_estimate(goals, strategies=("greedy", "builder")):
    config = load("mon").model_copy(update={"goals": goals})
    entries = [Entry(name, None, ()) for name in strategies]
    plan = make_plan(seed=1, draws="shared", games=400, players=(2, 4), lineups=KINDS, entries=entries)
    return live.Estimate(config, plan)


def test_live_estimate_narrows(run):
    estimate = live_estimate({})
    two, four = (run / "blocks" / f"players={n}" / "part-00000.parquet" for n in (2, 4))
    assert estimate(four) == ""
    first = estimate(two)
    assert first.startswith("First player, 2 players: ")
    assert estimate(four) == first
    for _ in range(3):
        last = estimate(two)
    assert float(last.rpartition("± ")[2]) < float(first.rpartition("± ")[2])


def test_live_estimate_follows_the_first_goal_that_sums_can_tell(run):
    goals = {
        "item": Goal(measure="item_seen", within="2pp"),
        "random": Goal(measure="random_share", at_most="20%", players=[4]),
    }
    file = run / "blocks" / "players=4" / "part-00000.parquet"
    assert live_estimate(goals)(file) == ""  # nobody plays at random
    estimate = live_estimate(goals, ("greedy", "builder", "random"))
    assert estimate(file).startswith("Random play, 4 players: ")
