import json
import re
import shutil
import types
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reports import figures, judge, measures, next_steps, since, stats, tables, write
from reports.blocks import Cell, Run
from reports.goals import MEASURES, Found, also, check, worst_of_each
from reports.stats import Estimates
from reports.tables import SCHEMA, build
from sim import cli
from sim.errors import HakariError
from sim.goals import Goal
from tests.reports.conftest import GOALS, STRENGTHS, emblems_run
from tests.reports.synthetic import emblems_facts, mon_facts, softmax_truth, write_run

TRUE_EDGES = {2: [0.2, 0.0], 4: [0.3, 0.1, 0.0, -0.1]}


@pytest.fixture(scope="session")
def exact(tmp_path_factory):
    """A run whose win chances are known exactly."""
    return write_run(
        tmp_path_factory.mktemp("exact") / "run", mon_facts(), players=(2, 4), edges=TRUE_EDGES, luck=0.0, games=60_000
    )


def panel(report, key, players):
    return next(p for p in report[key] if p["players"] == players)


def leaves(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    else:
        yield value


# --- the report as a file ----------------------------------------------------------------------------------------


def test_report_is_plain_json(compared):
    assert compared["schema"] == SCHEMA
    assert json.loads(json.dumps(compared, allow_nan=False)) == compared


def test_floats_have_six_digits(compared):
    floats = [x for x in leaves(compared) if isinstance(x, float)]
    assert len(floats) > 1_000
    assert all(float(f"{x:.6g}") == x for x in floats)


def test_same_run_gives_the_same_report(emblems, compared):
    assert build(emblems[0], emblems_facts(), emblems[1]) == compared


def test_seconds_and_workers_do_not_reach_the_report(compared):
    assert not {"seconds", "workers", "started"} & set(compared["run"])
    assert compared["run"]["date"] == "29 Nov 2026"


# --- truth -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 4])
def test_estimates_find_the_truth(exact, players):
    report = build(exact, mon_facts())
    seats, strategies = softmax_truth([0.9, 0.5, -0.8], TRUE_EDGES[players])
    rows = next(p for p in report["seats"]["panels"] if p["players"] == players)["rows"]
    assert all(r["joint_lo"] <= t <= r["joint_hi"] for r, t in zip(rows, seats, strict=True))
    rows = panel(report, "shares", players)["rows"]
    assert [r["strategy"] for r in rows] == ["greedy", "builder", "random"]
    assert all(r["joint_lo"] <= t <= r["joint_hi"] for r, t in zip(rows, strategies, strict=True))


def test_duels_find_the_truth(exact):
    found = panel(build(exact, mon_facts()), "duels", 2)["grid"][0][2]
    weight = np.exp(np.array([0.9, -0.8]))
    chances = [
        weight[0] * np.exp(a) / (weight[0] * np.exp(a) + weight[1] * np.exp(b)) for a, b in ((0.2, 0.0), (0.0, 0.2))
    ]
    assert found["joint_lo"] <= np.mean(chances) <= found["joint_hi"]


def test_shares_sum_to_one_hundred_percent(mon_report):
    for p in mon_report["seats"]["panels"]:
        assert sum(r["est"] for r in p["rows"]) == pytest.approx(1.0, abs=1e-5)


def test_a_game_that_always_ties_is_fair_without_any_doubt(tmp_path):
    run = write_run(tmp_path / "ties", mon_facts(), players=(3,), strengths={"same": 0.0}, luck=0.0, games=9_000)
    _rewrite(run, 3, lambda t: {"seat_share": [[20 * g] * 3 for g in t["games"].to_pylist()]})
    rows = Run(run).mixed(3)
    estimate = measures.seat_shares(rows)
    assert estimate.value.tolist() == [20 / 60] * 3
    assert not estimate.influence.any()


# --- goals -------------------------------------------------------------------------------------------------------


def test_goals_come_worst_first(compared):
    verdicts = [g["verdict"] for g in compared["goals"]]
    assert verdicts == sorted(verdicts, key=["outside", "close", "inside"].index)
    assert {"outside", "close", "inside"} == set(verdicts)


def test_every_measure_has_a_row(compared):
    assert {g["measure"] for g in compared["goals"]} == {g["measure"] for g in GOALS.values()}
    per_count = [g for g in compared["goals"] if g["goal"] == "best"]
    assert sorted(g["players"] for g in per_count) == [3, 4, 5]


def test_joint_range_holds_the_single_one(compared):
    for g in compared["goals"]:
        assert g["joint_lo"] <= g["lo"] <= g["est"] <= g["hi"] <= g["joint_hi"]


def test_a_goal_for_each_is_missed_by_one(compared):
    least = next(g for g in compared["goals"] if g["goal"] == "least")
    assert least["subject"] == "Hunter"
    assert least["verdict"] == "outside"


def test_a_sure_miss_outweighs_a_farther_guess():
    """The seat farthest from par decides, unless a nearer one is surely outside."""
    value, spread = np.array([0.40, 0.32, 0.28]), np.array([0.2, 0.001, 0.001])
    influence = np.random.default_rng(1).normal(size=(100, 3)) / 10 * spread
    found = Found(
        "seats", Goal(measure="every_seat", within="5pp"), False, 3, MEASURES["every_seat"],
        Estimates(value, influence, (100,)), ["a", "b", "c"], 900, 300, 1 / 3, (1 / 3 - 0.05, 1 / 3 + 0.05),
    )  # fmt: skip
    pick, verdict, low, high = found.judge(0.95)
    assert (found.names[pick], verdict) == ("c", "outside")
    assert high < 1 / 3 - 0.05
    assert low < 0.28 < high


def test_tie_breaks_and_shared_wins_are_told_apart(tmp_path):
    goals = {"tie": {"measure": "tie_break", "at_most": "5%"}, "shared": {"measure": "shared_wins", "at_most": "5%"}}
    settings = {"players": (3,), "games": 9_000, "goals": goals}
    found = {}
    for ties in ("shared", "first"):
        report = build(write_run(tmp_path / ties, mon_facts(), ties=ties, **settings), mon_facts())
        found |= {(ties, g["goal"]): g["est"] for g in report["goals"]}
    assert found["shared", "tie"] == found["first", "shared"] == 0.0
    assert found["shared", "shared"] == found["first", "tie"] > 0.05


def test_every_seat_means_the_worst_one(tmp_path):
    goals = {"seats": {"measure": "every_seat", "within": "10% of par"}}
    run = write_run(tmp_path / "run", mon_facts(), players=(4,), games=9_000, goals=goals, edges={4: [0, 0, 0, -0.8]})
    [goal] = build(run, mon_facts())["goals"]
    assert (goal["subject"], goal["verdict"]) == ("the 4th seat", "outside")


def test_close_goals_say_how_many_games_are_missing(compared):
    close = [g for g in compared["goals"] if g["verdict"] == "close"]
    assert all(g["on_edge"] or g["games_needed"] > 0 for g in close)
    assert all(g["games_needed"] is None for g in compared["goals"] if g["verdict"] != "close")


def test_bullets_name_each_goal_once(compared):
    bullets = compared["verdict"]["bullets"]
    assert 1 <= len(bullets) <= 3
    shown = worst_of_each(compared["goals"])[:3]
    assert [b["head"] for b in bullets] == [g["label"] for g in shown]
    row = next(g for g in compared["goals"] if g["goal"] == "best")
    assert row["players"] not in also(row, compared["goals"])


@pytest.mark.parametrize(
    ("verdicts", "unclear", "code"),
    [
        (["inside"], False, 0),
        ([], True, 0),
        (["close"], False, 0),
        (["close"], True, 3),
        (["outside", "close"], True, 1),
    ],
)
def test_exit_codes(verdicts, unclear, code):
    report = {"controls": [{"state": "note"}], "goals": [{"verdict": v, "default": False} for v in verdicts]}
    assert check(report, fail_on_unclear=unclear) == code
    report["controls"].append({"state": "failed"})
    assert check(report, fail_on_unclear=unclear) == 4


def test_the_default_yardstick_fails_no_check(mon_report):
    assert {g["verdict"] for g in mon_report["goals"]} >= {"outside"}
    assert all(g["default"] for g in mon_report["goals"])
    assert mon_report["verdict"]["state"] == "none"
    assert check(mon_report, fail_on_unclear=True) == 0


# --- baseline ----------------------------------------------------------------------------------------------------


def test_config_diff_marks_what_changed(compared):
    [difference] = compared["baseline"]["differences"]
    assert difference["key"] == 'sets.A.castle."3-4"'
    assert [p["text"] for p in difference["new"] if p["changed"]] == ["5"]
    assert "".join(p["text"] for p in difference["old"]) == "[4, 3, 1]"


def test_config_diff_of_all_kinds():
    old = {"points": [1] * 8, "name": "a", "rulings": {"tie": "shared"}, "plan": {"seed": 1}, "gone": True}
    new = {
        "points": [1] * 7 + [4],
        "name": "b",
        "rulings": {"tie": "first"},
        "plan": {"seed": 2},
        "list": [[1, 2], [3]],
    }
    found = {row["key"]: row for row in since.config_diff(old, new)}
    assert list(found) == ["points[7]", "rulings.tie", "list[0]", "list[1]", "gone", "plan.seed"]
    assert found["gone"]["new"] == [{"text": "not set", "changed": False}]
    assert found["rulings.tie"]["new"] == [{"text": '"first"', "changed": True}]


def test_same_seed_is_paired_and_narrow(emblems, compared, tmp_path):
    assert compared["baseline"]["paired"]
    other = emblems_run(
        tmp_path / "other", {3: [0.03, 0, -0.02], 4: [-0.05, 0, 0, 0.04], 5: [0] * 5}, [4, 3, 1], "o", seed=2
    )
    unpaired = build(emblems[0], emblems_facts(), other)
    assert not unpaired["baseline"]["paired"]
    assert unpaired["baseline"]["why_unpaired"] == "the baseline has another seed"
    width = [
        g["change"]["hi"] - g["change"]["lo"]
        for r in (compared, unpaired)
        for g in r["goals"]
        if g["goal"] == "first_4"
    ]
    assert width[1] > 2 * width[0]


class Played:
    """As much of a run as pairing looks at: one mixed table of `deals` deals in chunks of `size`."""

    def __init__(self, values, size, seed=1):
        starts = np.arange(0, len(values), size)
        sums = {
            "first_deal": starts,
            "blocks": np.diff(np.append(starts, len(values))),
            "won": np.add.reduceat(values, starts),
        }
        self.manifest = {"seed": seed, "draws": "shared"}
        self.cell = Cell(4, 0, "field", "", None, 4, {}, sums)
        self.estimate = stats.ratio(sums["won"], sums["blocks"])

    def mixed(self, players):
        return [self.cell]


@pytest.mark.parametrize(("deals", "sizes"), [((4_000, 1_600), (16, 8)), ((4_000, 1_500), (15, 11))])
def test_runs_of_other_lengths_are_paired_by_their_deals(rng, deals, sizes):
    """Both played the first deals: paired ranges are narrower than unpaired ones, and hold the truth."""
    held, paired, unpaired, true = 0, [], [], []
    for _ in range(400):
        luck = rng.standard_normal(max(deals))
        runs = [Played(1.5 * luck[:n] + rng.standard_normal(n), size) for n, size in zip(deals, sizes, strict=True)]
        found = measures.change(*runs, 4, runs[0].estimate, runs[1].estimate)
        reach = stats.single(found).t[0] * found.se[0]
        held += abs(found.value[0]) <= reach
        paired.append(found.se[0])
        unpaired.append(stats.difference(runs[0].estimate, runs[1].estimate, paired=False).se[0])
        true.append(found.value[0])
    assert 0.93 < held / 400 <= 0.99
    assert np.mean(paired) < 0.9 * np.mean(unpaired)
    assert np.mean(paired) == pytest.approx(np.std(true), rel=0.15)


def test_other_deals_are_not_paired(rng):
    values = rng.standard_normal(2_000)
    runs = [Played(values, 10), Played(values[:1_000], 10, seed=2)]
    assert measures.common_groups(*runs, 4) is None
    assert measures.common_groups(runs[0], Played(values[:90], 10), 4) is None  # too few in common


def test_untouched_side_is_identical(compared):
    five = [g["change"] for g in compared["goals"] if g["players"] == 5]
    assert all(c["identical"] and c["class"] == "same" and c["delta"] == 0 for c in five)
    winners = {w["players"]: w for w in compared["baseline"]["winners"]}
    assert winners[5]["identical"]
    assert winners[5]["share"] == 0
    assert not winners[4]["identical"]


def test_planted_change_is_found(compared):
    change = next(g["change"] for g in compared["goals"] if g["goal"] == "first_4")
    assert change["hi"] < 0
    assert change["class"] in ("worse", "moved")


def test_moved_within_the_goal_does_not_count_what_is_too_close_to_call(compared):
    tally = {entry["class"]: entry["goals"] for entry in compared["baseline"]["tally"]}
    verdicts = {g["label"]: g["verdict"] for g in compared["goals"]}
    assert {verdicts[label] for label in tally["moved"]} <= {"inside"}
    assert {verdicts[label] for label in tally["edge"]} <= {"close"}
    moved = [g["label"] for g in compared["goals"] if g["change"] and g["change"]["class"] == "moved"]
    assert sorted(moved) == sorted(tally["moved"] + tally["edge"]) != []


def test_change_of_the_farthest_seat_is_its_own(tmp_path):
    """Before, the 1st seat was farthest from par, now the 4th: the change is the 4th seat's."""
    settings = {"players": (4,), "games": 9_000, "goals": {"seats": {"measure": "every_seat", "within": "10% of par"}}}
    before = write_run(tmp_path / "before", mon_facts(), edges={4: [-0.8, 0, 0, 0.3]}, **settings)
    now = write_run(tmp_path / "now", mon_facts(), edges={4: [0, 0, 0, 0.9]}, **settings)
    report = build(now, mon_facts(), before)
    [goal] = report["goals"]
    last = report["seats"]["panels"][0]["rows"][3]
    assert goal["subject"] == "the 4th seat"
    assert goal["change"]["before"] == last["before"]
    assert goal["change"]["delta"] == pytest.approx(last["est"] - last["before"], abs=1e-6)


def test_changed_winners_are_counted(emblems, compared):
    now, before = (pq.read_table(run / "games" / "players=4" / "part-00000.parquet") for run in emblems)
    truth = np.mean(now["winners"].to_numpy() != before["winners"].to_numpy())
    found = next(w for w in compared["baseline"]["winners"] if w["players"] == 4)
    assert found["share"] == pytest.approx(truth, rel=1e-5)
    assert found["lo"] < truth < found["hi"]


def test_changed_winners_of_a_sample(emblems, tmp_path):
    """Rows that only one run kept are left out, whatever their order."""
    run = tmp_path / "sample"
    shutil.copytree(emblems[0], run)
    file = run / "games" / "players=4" / "part-00000.parquet"
    table = pq.read_table(file)
    keep = table["deal"].to_numpy() % 3 == 0
    pq.write_table(table.filter(pa.array(keep)).sort_by([("deal", "descending")]), file)
    found = since.changed_winners(Run(run), Run(emblems[1]), 4)
    before = pq.read_table(emblems[1] / "games" / "players=4" / "part-00000.parquet")
    other = table["winners"].to_numpy() != before["winners"].to_numpy()
    assert found["games"] == keep.sum()
    assert found["share"] == pytest.approx(other[keep].mean())


def test_without_single_games_the_rest_still_works(emblems, tmp_path):
    run = tmp_path / "sums"
    shutil.copytree(emblems[0], run)
    shutil.rmtree(run / "games")
    report = build(run, emblems_facts(), emblems[1])
    assert all(w["share"] is None for w in report["baseline"]["winners"])
    assert all(not step["replay"] for step in report["next"])


def test_baseline_of_another_game_is_refused(emblems, mon):
    with pytest.raises(HakariError, match="another game"):
        build(emblems[0], emblems_facts(), mon)


def test_a_baseline_is_called_by_what_tells_it_apart():
    def run(folder, command, title="Set A", name="emblems"):
        manifest = {"title": title, "name": name, "command": command}
        return types.SimpleNamespace(folder=Path(folder), manifest=manifest)

    now = run("out/emblems/2026-11-30_09-15-00", "hakari run emblems --set rulings.debt=true")
    plain = run("out/emblems/2026-11-29_21-05-33", "hakari run emblems")
    assert since._label(now, plain) == "run of 29 Nov 2026, 21:05, config as it stands"
    assert since._label(plain, now) == "run of 30 Nov 2026, 09:15, rulings.debt=true"
    assert since._label(now, run("runs/book", now.manifest["command"])) == "book"
    assert since._label(now, run("x", "hakari run emblems", title="Set B")) == "Set B"


def test_a_run_against_itself_changes_nothing(emblems):
    report = build(emblems[0], emblems_facts(), emblems[0])
    assert report["baseline"]["differences"] == []
    assert {g["change"]["class"] for g in report["goals"]} == {"same"}
    assert all(g["change"]["delta"] == 0 and g["change"]["identical"] for g in report["goals"])


# --- look here next ----------------------------------------------------------------------------------------------


def test_next_steps_are_few_and_replay_the_right_game(emblems, compared):
    steps = compared["next"]
    assert 1 <= len(steps) <= 5
    step = next(s for s in steps if s["label"].startswith("A game that the first player"))
    words = step["replay"].split()
    option = {key: words[words.index(f"--{key}") + 1] for key in ("players", "deal", "rotation", "strategies")}
    players = int(option["players"])
    rows = pq.read_table(emblems[0] / "games" / f"players={players}" / "part-00000.parquet").to_pylist()
    [mixed] = [cell.lineup for cell in Run(emblems[0]).mixed(players)]
    row = next(
        r
        for r in rows
        if r["lineup"] == mixed and r["deal"] == int(option["deal"]) and r["rotation"] == int(option["rotation"])
    )
    assert bool(row["winners"] & 1) == step["label"].endswith("wins:")
    members = option["strategies"].split(",") * (players if "," not in option["strategies"] else 1)
    seated = [list(STRENGTHS).index(members[(seat - row["rotation"]) % players]) for seat in range(players)]
    assert seated == [row[f"strategy_{i + 1}"] for i in range(players)]


def test_goals_leave_one_place_for_what_no_goal_asks_about(tmp_path):
    missed = {m: {"measure": m, "at_least": 500} for m in ("lead_changes", "rounds", "decisions")}
    missed |= {m: {"measure": m, "at_least": "99%"} for m in ("shared_wins", "tie_break", "leader_wins")}
    run = write_run(tmp_path / "run", mon_facts(), players=(4,), edges={4: [0.9, 0, 0, 0]}, goals=missed)
    about_goals = ["your goal" in step["text"] for step in build(run, mon_facts())["next"]]
    assert about_goals == [True, True, True, True, False]


def test_replay_names_the_line_up_and_its_seating(emblems):
    """In rotation r, member j of the line-up sits at seat (j + r) mod players."""
    run = Run(emblems[0])
    games = run.mixed_games(4)
    seated = np.stack([games[f"strategy_{i + 1}"] for i in range(4)], axis=1)
    mixed = np.array([len(set(row)) == 4 for row in seated.tolist()]) & (games["rotation"] == 1)
    command = next_steps._replay(run, 4, lambda games: mixed, set())
    row = np.flatnonzero(mixed)[0]
    members = [list(STRENGTHS)[seated[row][(j + 1) % 4]] for j in range(4)]
    assert command.endswith(f"--deal {games['deal'][row]} --rotation 1 --strategies {','.join(members)} --text")


def test_trace_takes_the_rules_of_the_run():
    command = "hakari run configs/x.toml --set 'a.b=[1, 2]' --games 10 --draws per_seat"
    assert next_steps.trace_options(command) == "--config configs/x.toml --set 'a.b=[1, 2]' --draws per_seat"
    assert next_steps.trace_options("hakari run 'unfinished") == ""
    own = "hakari run mon --strategy my/sniper.py --strategy=b.py --set=points=[9] --set plan.seed=4"
    assert next_steps.trace_options(own) == (
        "--strategy my/sniper.py --strategy=b.py '--set=points=[9]' --set plan.seed=4"
    )
    assert next_steps.settings(own) == ["points=[9]"]
    assert next_steps.settings("hakari run mon") == []


def test_nothing_to_look_at(tmp_path):
    run = write_run(tmp_path / "fair", mon_facts(), players=(2,), strengths={"same": 0.0}, luck=0.0, games=20_000)
    assert build(run, mon_facts())["next"] == []


# --- strategies and items ----------------------------------------------------------------------------------------


def _grid(wins):
    """Match-ups from pairs (a, b) meaning that a beats b for sure."""
    n = 1 + max(max(pair) for pair in wins)

    def cell(i, j):
        if i == j:
            return None
        above = 0.1 if (i, j) in wins else -0.1 if (j, i) in wins else 0.0
        return {"est": 0.5 + above, "joint_lo": 0.45 + above, "joint_hi": 0.55 + above}

    return [[cell(i, j) for j in range(n)] for i in range(n)]


def test_one_beats_all_and_the_rest_form_a_ring():
    found = tables._ranking(_grid({(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (3, 1)}), 0.5)
    assert found["best"] == 0
    assert found["ring"] in ([1, 2, 3], [2, 3, 1], [3, 1, 2])


def test_no_best_no_ring():
    assert tables._ranking(_grid({(0, 1), (1, 2)}), 0.5) == {"best": None, "worst_of_best": None, "ring": []}
    assert tables._ranking([[None]], 1.0)["best"] is None


def test_planted_item_is_found(tmp_path):
    pull = [0.0] * 54
    pull[7] = 0.3
    run = write_run(tmp_path / "items", mon_facts(), players=(3, 4), games=60_000, item_pull=pull)
    rows = build(run, mon_facts())["items"]["rows"]
    sure = [r["name"] for r in rows if r["lift"]["joint_lo"] > 0]
    assert sure == ["gold 8"]
    # Nothing was planted here; one run in twenty has a row or two beyond its joint range.
    assert sum(r["seen"]["joint_lo"] > 0 or r["seen"]["joint_hi"] < 0 for r in rows) <= 2


def test_groups_average_their_items(mon_report):
    items = mon_report["items"]
    by_value = next(g for g in items["groups"] if g["title"] == "value")
    assert len(by_value["rows"]) == 18
    ones = [r["seen"]["est"] for r in items["rows"] if r["groups"]["value"] == "1"]
    assert by_value["rows"][0]["est"] == pytest.approx(np.mean(ones), abs=1e-6)


# --- controls ----------------------------------------------------------------------------------------------------


def _rewrite(run, players, change):
    """Change columns of a run's sums."""
    file = run / "blocks" / f"players={players}" / "part-00000.parquet"
    table = pq.read_table(file, partitioning=None)
    for name, values in change(table).items():
        column = pa.array(values, table.schema.field(name).type)
        table = table.set_column(table.schema.get_field_index(name), name, column)
    pq.write_table(table, file)


def _more(column):
    def change(table):
        values = table[column].to_pylist()
        values[0] = [values[0][0] + 60, *values[0][1:]] if isinstance(values[0], list) else values[0] + 1
        return {column: values}

    return change


def _manifest(run, **changes):
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps({**manifest, **changes}))


def failed(report):
    return [c["name"] for c in report["controls"] if c["state"] == "failed"]


@pytest.fixture
def small(tmp_path):
    return write_run(tmp_path / "small", mon_facts(), players=(3,), games=6_000)


def test_all_controls_pass(compared, mon_report):
    assert failed(compared) == failed(mon_report) == []


@pytest.mark.parametrize(
    ("column", "control"),
    [
        ("seat_share", "Win shares sum to exactly 100%"),
        ("pair_share", "Win shares sum to exactly 100%"),
        ("pair_games", "Win shares sum to exactly 100%"),
        ("blocks", "Every deal in all its seatings"),
        ("capped", None),
    ],
)
def test_tampered_sums_are_noticed(small, column, control):
    _rewrite(small, 3, _more(column))
    report = build(small, mon_facts())
    assert failed(report)[:1] == ([control] if control else [])


def test_failed_control_replaces_the_verdict(small):
    _rewrite(small, 3, _more("seat_share"))
    report = build(small, mon_facts())
    assert report["verdict"]["state"] == "broken"
    assert report["verdict"]["sentence"] == "Results not trustworthy: win shares do not sum to 100%."
    assert check(report) == 4


def test_missing_part_is_noticed(small):
    _manifest(small, shards={"planned": 9, "done": list(range(8))}, status="interrupted")
    file = small / "blocks" / "players=3" / "part-00000.parquet"
    table = pq.read_table(file, partitioning=None)
    pq.write_table(table.slice(5), file)
    assert failed(build(small, mon_facts())) == ["Run complete", "Every deal in all its seatings"]


def test_chunk_found_twice_is_noticed_and_counted_once(small):
    whole = build(small, mon_facts())
    file = small / "blocks" / "players=3" / "part-00000.parquet"
    table = pq.read_table(file, partitioning=None)
    pq.write_table(table.slice(0, 40), file.with_name("part-00001.parquet"))
    twice = build(small, mon_facts())
    assert failed(twice) == ["No deal twice"]
    assert twice["seats"] == whole["seats"]


def test_parts_may_lie_in_any_order(small):
    whole = build(small, mon_facts())
    file = small / "blocks" / "players=3" / "part-00000.parquet"
    table = pq.read_table(file, partitioning=None)
    pq.write_table(table.slice(100), file)
    pq.write_table(table.slice(0, 100), file.with_name("part-00001.parquet"))
    assert build(small, mon_facts()) == whole


def test_broken_part_is_noticed(small):
    def change(table):
        shares, games = table["seat_share"].to_pylist(), table["games"].to_pylist()
        return {
            "seat_share": [[60 * g, 0, 0] if i < 25 else s for i, (s, g) in enumerate(zip(shares, games, strict=True))]
        }

    _rewrite(small, 3, change)
    assert "Evenness over the run" in failed(build(small, mon_facts()))


def test_what_goes_wrong_by_turns_is_noticed(small):
    """In every other chunk of the mixed table, two wins of the third player go to the first."""

    def change(table):
        shares = table["seat_share"].to_pylist()
        by_turns = zip(table["lineup"].to_pylist(), table["chunk"].to_pylist(), strict=True)
        moved = [120 if line == 0 and chunk % 2 else 0 for line, chunk in by_turns]
        return {"seat_share": [[s[0] + m, s[1], s[2] - m] for s, m in zip(shares, moved, strict=True)]}

    _rewrite(small, 3, change)
    report = build(small, mon_facts())
    assert failed(report) == ["The run against itself"]
    row = next(c for c in report["controls"] if c["state"] == "failed")
    assert int(re.search(r"rest: (\d+) of", row["found"])[1]) >= 1
    assert report["verdict"]["sentence"] == "Results not trustworthy: halves of the run differ from each other."


def test_ranges_that_promise_too_much_are_noticed(small, monkeypatch):
    """With ranges half as wide as they should be, a third of those between random halves exclude 0."""
    reach = stats.t_quantile
    monkeypatch.setattr(stats, "t_quantile", lambda p, df: reach(p, df) * (0.5 if p == 0.5 + 0.5 * stats.LEVEL else 1))
    row = next(c for c in build(small, mon_facts())["controls"] if c["name"] == "The run against itself")
    assert row["state"] == "failed"
    assert 28 < float(row["found"].split("%")[0]) < 38


def test_a_config_changed_afterwards_is_noticed(small):
    manifest = json.loads((small / "manifest.json").read_text())
    _manifest(small, config={**manifest["config"], "points": [9]})
    report = build(small, mon_facts())
    assert failed(report) == ["Config and rules as written down"]
    assert check(report) == 4


def test_older_rules_are_told(small):
    _manifest(small, rules_version="0")
    [note] = [c for c in build(small, mon_facts())["controls"] if c["state"] == "note"]
    assert note["name"] == "Config and rules as written down" and note["found"].endswith("rules 0")


@pytest.mark.parametrize(
    ("controls", "sentence"),
    [
        ({"rerun": (30, 0), "twin": (30, 1)}, "1 of 30 sampled games breaks the rules of the slow twin"),
        ({"rerun": (30, 2), "twin": (30, 0)}, "2 of 30 sampled games end otherwise when played again"),
    ],
)
def test_games_played_again_must_agree(small, controls, sentence):
    rows = {k: {"games": n, "different": d, "message": "deal 7" if d else None} for k, (n, d) in controls.items()}
    _manifest(small, controls=rows)
    report = build(small, mon_facts())
    assert report["verdict"]["sentence"] == f"Results not trustworthy: {sentence}."
    assert "; first: deal 7" in report["verdict"]["bullets"][0]["text"]


def test_a_run_tampered_with_on_disk_ends_with_code_4(small_run, tmp_path, capsys, monkeypatch):
    """A real run, one number changed: `hakari check` and the page say so before anything else."""
    folder = tmp_path / "run"
    shutil.copytree(small_run, folder)
    players = json.loads((folder / "manifest.json").read_text())["players"][0]
    _rewrite(folder, players, _more("seat_share"))
    assert judge.run(folder).exit_code("missed") == 4
    assert judge.run(small_run).exit_code("missed") != 4
    monkeypatch.setattr("sys.argv", ["hakari", "check", str(folder)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 4
    assert capsys.readouterr().out.startswith("Results not trustworthy: win shares do not sum to 100%.")
    page = write.report(folder).read_text(encoding="utf-8")
    assert '<h2 class="say">Results not trustworthy: win shares do not sum to 100%.</h2>' in page


def test_capped_games_are_noticed(small):
    _rewrite(small, 3, lambda t: {"capped": [1] * t.num_rows})
    assert failed(build(small, mon_facts())) == ["Games stopped by the cap"]


def test_refused_strategy_is_named_but_spoils_nothing(small):
    _manifest(small, failures=[{"strategy": "peeker", "message": "looks at hidden cards (deal 7)"}])
    report = build(small, mon_facts())
    note = next(c for c in report["controls"] if c["state"] == "note")
    assert note["found"] == "peeker (looks at hidden cards (deal 7))"
    assert report["verdict"]["notice"] == "Did not play: peeker (looks at hidden cards (deal 7))."
    assert failed(report) == []


def test_strategy_that_failed_while_playing_spoils_the_run(small):
    _manifest(small, failures=[{"strategy": "greedy", "message": "illegal action"}])
    assert build(small, mon_facts())["verdict"]["sentence"] == "Results not trustworthy: greedy broke the rules."


def test_empty_run_is_told(tmp_path, small):
    shutil.rmtree(small / "blocks")
    report = build(small, mon_facts())
    assert report["verdict"]["state"] == "broken"
    assert report["run"]["players"] == []


def test_seat_tops_split_ties(small):
    _rewrite(small, 3, lambda t: {"seat_top": [[30 * n, 30 * n, 0] for n in t["games"].to_pylist()]})
    rows = build(small, mon_facts())["seats"]["panels"][0]["rows"]
    assert [r["top"] for r in rows] == [0.5, 0.5, 0.0]


def test_what_says_nothing_by_construction_is_left_out(tmp_path):
    asked = {"ties": {"measure": "tie_break", "at_most": "5%"}, "least": {"measure": "item_played", "at_least": "1%"}}
    facts = replace(mon_facts(), always_played=["gold"], tie_break=False)
    report = build(write_run(tmp_path / "run", facts, players=(3,), games=6_000, goals=asked), facts)
    played = {row["groups"]["colour"]: row["played"]["est"] for row in report["items"]["rows"]}
    assert played["gold"] is None and played["silver"] > 0.0
    (least,) = report["goals"]
    assert not least["subject"].startswith("gold")
    assert report["notes"] == ["Goal ties with three players: this run cannot measure it."]
    course = figures.course(report)
    assert [row[0] for row in course["rows"] if row[0].startswith(("Lead", "Decided"))] == ["Lead changes in a game"]
