"""A comparison: exact zeros where nothing changed, planted edits found, words, page, schema and exit codes."""

import json
import os
import subprocess
import sys

import html5lib
import numpy as np
import pytest

from reports import compare, publish, write
from reports.blocks import Run
from reports.compare import verdict
from reports.compare.numbers import pairing
from reports.compare.page import render
from reports.compare.precision import LEAST_GAMES, MOST_GAMES
from reports.compare.replays import _ahead
from reports.compare.schema import Comparison, json_schema
from reports.compare.terminal import table
from reports.stats import Estimates
from sim.errors import StorageError, UsageError
from tests.reports.conftest import EDGES, EDGES_BEFORE, GOALS, emblems_run
from tests.reports.synthetic import emblems_facts, mon_facts, write_run
from tests.reports.test_page import EVIL, parsed

RANGES = ("est", "lo", "hi", "joint_lo", "joint_hi")


def changes(found):
    """All changes of a comparison, wherever they stand."""
    panels = [*found["seats"], *found["strategies"], *found["course"]["leader"], *found["course"]["within"]]
    yield from (row["delta"] for panel in panels for row in panel["rows"])
    yield from (cell["delta"] for panel in found["matchups"] for line in panel["grid"] for cell in line if cell)
    yield from (row[key]["delta"] for row in found["items"] for key in ("seen", "played"))
    yield from (panel["delta"] for each in found["course"]["others"].values() for panel in each["panels"])


@pytest.fixture(scope="module")
def same(emblems):
    return compare.build(emblems[0], emblems[0], emblems_facts())


# --- nothing changed ---------------------------------------------------------------------------------------------


def test_a_run_against_itself_is_exactly_zero_everywhere(same):
    for delta in changes(same):
        assert all(delta[end] in (0.0, None) for end in RANGES), delta
    assert sum(delta["est"] == 0.0 for delta in changes(same)) > 100
    assert all(goal["change"]["identical"] and goal["change"]["class"] == "same" for goal in same["goals"])
    assert same["verdict"]["sentence"] == "A and B are the same: every game ends as before."
    assert same["identical"] == [3, 4, 5]
    assert not same["unexpected"] and not same["replays"] and not same["edit"]["differences"]
    assert all(row["share"] == 0.0 for row in same["winners"])
    assert "Nothing changed" in render(same)


def test_a_run_of_few_deals_against_itself_is_zero_too(tmp_path):
    """With too few chunks for a range, no change is still no change."""
    run = emblems_run(tmp_path / "run", EDGES, [4, 3, 1], "few", games=90)
    found = compare.build(run, run, emblems_facts())
    for panel in found["seats"]:
        assert all(row["delta"][end] == 0.0 for row in panel["rows"] for end in RANGES)
    assert compare.gate_code(found, list(GOALS)) == 0


# --- a planted edit ----------------------------------------------------------------------------------------------


def test_a_planted_edge_is_found_and_only_there(comparison):
    by_players = {panel["players"]: [row["delta"] for row in panel["rows"]] for panel in comparison["seats"]}
    first = by_players[4][0]
    assert first["joint_hi"] < 0.0 and by_players[4][3]["joint_lo"] > 0.0  # EDGES against EDGES_BEFORE
    assert all(delta[end] == 0.0 for delta in by_players[5] for end in RANGES)  # the same edges, so the same games
    assert comparison["identical"] == [5]
    goal = next(g for g in comparison["goals"] if g["id"] == "first_4-4")
    assert goal["change"]["hi"] < 0.0 and goal["change"]["class"] == "moved"  # still within 23–27%
    assert [d["key"] for d in comparison["edit"]["differences"]] == ['sets.A.castle."3-4"']
    assert comparison["edit"]["short"] == 'sets.A.castle."3-4" 4 → 5'


def test_an_edge_that_takes_a_seat_out_of_its_goal_makes_b_worse_and_back_makes_it_better(emblems, tmp_path):
    weak = {**EDGES_BEFORE, 4: [-0.5, 0.1, 0.1, 0.3]}
    other = emblems_run(tmp_path / "weak", weak, [5, 3, 1], "weak")
    there, back = (compare.build(*pair, emblems_facts()) for pair in ((emblems[1], other), (other, emblems[1])))
    for found, kind, code in ((there, "worse", 1), (back, "better", 0)):
        goal = next(g for g in found["goals"] if g["id"] == "first_4-4")
        assert goal["change"]["class"] == kind
        assert compare.gate_code(found, ["first_4"]) == code
    assert there["verdict"]["state"] in ("worse", "mixed")
    assert "“First player, 4 players”" in there["verdict"]["sentence"]
    assert there["verdict"]["bullets"][0]["mark"] == "outside"


def test_changes_are_b_minus_a(emblems, comparison):
    back = compare.build(emblems[0], emblems[1], emblems_facts())
    for there, here in zip(changes(comparison), changes(back), strict=True):
        if there["est"] is not None:
            assert there["est"] == pytest.approx(-here["est"], abs=1e-9)
            assert there["joint_lo"] == pytest.approx(-here["joint_hi"], abs=1e-9)


def test_what_surely_moved_and_is_not_named_is_told_largest_first(comparison):
    rows = comparison["unexpected"]
    assert rows
    sizes = [abs(row["delta"]["est"]) for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    for row in rows:
        margin = comparison["margins"][row["section"]]
        assert row["delta"]["joint_lo"] > margin or row["delta"]["joint_hi"] < -margin


def test_items_that_the_edit_names_are_expected(tmp_path):
    pull = [0.0] * 54
    runs = []
    for name, points, strong in (("a", 3, 0.0), ("b", 4, 0.3)):
        pull[12::18] = [strong] * 3  # the three cards of value 13
        rules = {"points": [1] * 12 + [points] + [3] * 5}
        runs.append(write_run(tmp_path / name, mon_facts(), players=[3], games=9000, item_pull=pull, rules=rules))
    found = compare.build(*runs, mon_facts())
    assert [d["key"] for d in found["edit"]["differences"]] == ["points[12]"]
    assert not any(row["name"].endswith(" 13") for row in found["unexpected"] if row["section"] == "items")


def test_a_goal_about_the_best_is_compared_with_whoever_was_best(tmp_path):
    """A's value is that of A's own best; a goal about each seat compares the same seat."""
    strong, weak = {"greedy": 1.0, "builder": 0.0, "random": -1.0}, {"greedy": 0.0, "builder": 0.6, "random": -1.0}
    goals = {
        "best": {"measure": "best_strategy", "at_most": "90%"},
        "seats": {"measure": "every_seat", "within": "9pp"},
    }
    runs = [
        write_run(tmp_path / name, mon_facts(), players=[3], games=9000, strengths=each, goals=goals)
        for name, each in (("a", strong), ("b", weak))
    ]
    found = compare.build(*runs, mon_facts())
    best, seats = (next(goal for goal in found["goals"] if goal["goal"] == name) for name in ("best", "seats"))
    (panel,) = found["strategies"]
    shares = {row["name"]: row for row in panel["rows"]}
    assert (best["change"]["before_subject"], best["subject"]) == ("greedy", "builder")
    assert best["change"]["before"] == shares["greedy"]["a"] and best["est"] == shares["builder"]["b"]
    assert best["change"]["delta"] == pytest.approx(best["est"] - best["change"]["before"], abs=1e-6)
    assert seats["change"]["before_subject"] == seats["subject"]


# --- pairing -----------------------------------------------------------------------------------------------------


def test_what_pairing_saves_is_the_ratio_of_variances():
    rng = np.random.default_rng(3)
    luck, own = rng.standard_normal((400, 1)), 0.3 * rng.standard_normal((400, 1))
    old, new = (Estimates(np.array([0.5]), each, (400,)) for each in (luck, luck + own))
    found = pairing(old, new)
    assert found["saved"] == pytest.approx((np.sum(luck**2) + np.sum((luck + own) ** 2)) / np.sum(own**2))
    assert 0.9 < found["correlation"] < 1.0
    assert pairing(old, old) == {"correlation": pytest.approx(1.0), "saved": None}


def test_what_pairing_saves_is_not_said_of_runs_of_other_lengths(tmp_path):
    """Chunk by chunk they hold different deals, even where there are as many chunks."""
    sizes = [emblems_run(tmp_path / str(n), EDGES, [4, 3, 1], str(n), games=n, players=(3,)) for n in (3000, 9000)]
    found = compare.build(*sizes, emblems_facts())
    assert found["goals"] and all(goal["pairing"]["saved"] is None for goal in found["goals"])


def test_the_same_deals_save_games(comparison):
    saved = [g["pairing"]["saved"] for g in comparison["goals"] if g["measure"] == "first_player"]
    assert all(each is None or each > 2.0 for each in saved) and any(saved)
    assert comparison["paired"] and "the same luck" in render(comparison)


def test_runs_of_other_deals_are_compared_unpaired_with_wider_ranges(emblems, comparison, tmp_path):
    other = emblems_run(tmp_path / "other", EDGES, [5, 3, 1], "other", seed=2)
    found = compare.build(emblems[1], other, emblems_facts())
    assert not found["paired"] and found["why_unpaired"] == "A has another seed"
    assert "Unpaired: A has another seed, so all ranges are wider" in render(found)
    wide, narrow = (next(g["change"] for g in each["goals"] if g["id"] == "first_4-4") for each in (found, comparison))
    assert wide["hi"] - wide["lo"] > 1.3 * (narrow["hi"] - narrow["lo"])
    assert all(row["share"] is None for row in found["winners"])


def test_runs_of_other_strategies_are_compared_with_a_warning(emblems, tmp_path):
    other = emblems_run(tmp_path / "other", EDGES, [5, 3, 1], "other", strengths={"greedy": 1.0, "random": -1.0})
    found = compare.build(emblems[1], other, emblems_facts())
    assert any("strategies are not the same" in text for text in found["warnings"])
    assert [row["name"] for row in found["strategies"][0]["rows"]] == ["greedy", "random"]


# --- refusals ----------------------------------------------------------------------------------------------------


def test_runs_of_two_games_or_of_no_common_players_are_refused(emblems, mon, tmp_path):
    with pytest.raises(UsageError, match="another game"):
        compare.build(emblems[0], mon, mon_facts())
    five = emblems_run(tmp_path / "five", EDGES, [4, 3, 1], "five", players=(5,), goals={}, games=300)
    three = emblems_run(tmp_path / "three", EDGES, [4, 3, 1], "three", players=(3,), goals={}, games=300)
    with pytest.raises(UsageError, match="no number of players in common"):
        compare.build(five, three, emblems_facts())


def test_a_run_that_is_not_complete_is_refused(emblems, tmp_path):
    run = emblems_run(tmp_path / "run", EDGES, [4, 3, 1], "half", games=300)
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps({**manifest, "status": "interrupted"}))
    with pytest.raises(UsageError, match="B is not complete"):
        compare.build(emblems[0], run, emblems_facts())
    with pytest.raises(StorageError, match="no run"):
        compare.build(emblems[0], tmp_path, emblems_facts())


def test_a_failed_control_replaces_the_verdict(emblems, tmp_path):
    run = emblems_run(tmp_path / "run", EDGES, [4, 3, 1], "half", games=300)
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["shards"]["done"] = manifest["shards"]["done"][:-1]
    (run / "manifest.json").write_text(json.dumps(manifest))
    found = compare.build(emblems[0], run, emblems_facts())
    assert found["verdict"]["state"] == "broken"
    assert found["verdict"]["sentence"].startswith("Results not trustworthy: in B, the run is not complete")
    assert compare.gate_code(found, []) == 4


# --- words and exit codes ----------------------------------------------------------------------------------------


def goal(kind, before="inside", now="inside", delta=0.01, name="first", **more):
    change = {"class": kind, "before_verdict": before, "delta": delta, "identical": False}
    return {"id": name, "goal": name, "label": name.title(), "verdict": now, "change": change, **more}


@pytest.mark.parametrize(
    ("goals", "state", "sentence"),
    [
        (
            [goal("worse", now="outside")],
            "worse",
            "B is worse: it takes “First” outside its goal, and no goal gets better.",
        ),
        (
            [goal("better", before="outside")],
            "better",
            "B is better: it brings “First” inside its goal, and no goal gets worse.",
        ),
        (
            [goal("better", "outside", "outside"), goal("worse", now="outside", name="second")],
            "mixed",
            "B is better and worse: “First” comes nearer to its goal, but it takes “Second” outside its goal.",
        ),
        ([goal("same")], "same", "B is the same as A: no goal moves by more than your margin."),
        (
            [goal("same"), goal("moved", name="second")],
            "same",
            "No goal is better or worse; one has moved, within its goal.",
        ),
        ([goal("unclear")], "unclear", "Too close to call: no goal has surely changed, and none is surely the same."),
        ([goal("unclear"), goal("same")], "unclear", "No goal is surely better or worse; one of two is unclear."),
    ],
)  # fmt: skip
def test_the_verdict_in_words(goals, state, sentence):
    found = {"goals": goals, "identical": [], "game": {"players": [4]}}
    assert verdict._state(goals) == state
    assert verdict._sentence(found, state) == sentence


@pytest.mark.parametrize(
    ("goals", "code"),
    [
        ([goal("same"), goal("better"), goal("moved")], 0),
        ([goal("worse")], 1),
        ([goal("worse"), goal("unclear")], 1),
        ([goal("unclear")], 3),
        ([goal("moved", now="close")], 3),
        ([goal("worse", name="second")], 0),
    ],
)
def test_gate(goals, code):
    assert compare.gate_code({"controls": [], "goals": goals}, ["first"]) == code


def test_gate_knows_its_goals():
    assert compare.gated("all", ["first", "last"]) == ["first", "last"]
    assert compare.gated("last, first", ["first", "last"]) == ["last", "first"]
    assert compare.gated("first_player", []) == ["first_player"]
    with pytest.raises(UsageError, match='no goal "frist"') as fault:
        compare.gated("frist", ["first", "last"])
    assert fault.value.fix == "did you mean first?"


def test_terminal_table_has_a_line_a_goal_and_no_colour_in_a_file(comparison):
    import io

    from rich.console import Console

    text = io.StringIO()
    console = Console(file=text, width=200, highlight=False)
    for line in table(comparison):
        console.print(line)
    lines = text.getvalue().splitlines()
    assert "\x1b" not in text.getvalue()
    for row in comparison["goals"]:
        assert sum(row["label"] in line and line.count("  ") > 3 for line in lines) == 1


# --- how many games ----------------------------------------------------------------------------------------------


def test_the_pilot_tells_how_many_games_the_precision_takes(emblems):
    before, now = emblems[1], emblems[0]
    some, words_ = compare.games_needed(before, now, 0.003)
    found = compare.build(before, now, emblems_facts())
    rows = [g for g in found["goals"] if g["measure"] in ("first_player", "every_seat")]
    joint = max((g["change"]["hi"] - g["change"]["lo"]) / 2 for g in rows)
    shrunk = joint * (Run(now).games / some) ** 0.5 * 1.96 / 3.1  # of one goal, not of all together
    assert 0.0025 < shrunk < 0.0033
    assert "±0.3 points on the goals about the seats" in words_
    finer, _ = compare.games_needed(before, now, 0.0015)
    assert finer == pytest.approx(4 * some, rel=0.02)
    assert compare.games_needed(now, now, 0.003)[0] == LEAST_GAMES
    assert compare.games_needed(before, now, 0.00001)[0] == MOST_GAMES


# --- games to look at --------------------------------------------------------------------------------------------


def test_how_far_a_seat_is_ahead():
    assert _ahead(np.array([[10, 7, 7], [5, 5, 1]])).tolist() == [[3, -3, -3], [0, 0, -4]]


# --- page, files, site -------------------------------------------------------------------------------------------


def test_page_is_valid_self_contained_and_small(comparison, comparison_page):
    parsed(comparison_page)
    assert len(comparison_page.encode()) < 400_000
    for mark in ("src=", "@import", "url(", "http://", "https://"):
        assert mark not in comparison_page.replace('xmlns="http://www.w3.org/2000/svg"', "")
    tree = html5lib.parse(comparison_page, namespaceHTMLElements=False)
    figures = tree.findall(".//figure")
    assert len(figures) == 7
    assert all(figure.findall(".//table") for figure in figures)
    for drawing in tree.iter("{http://www.w3.org/2000/svg}svg"):
        if drawing.get("role") == "img":
            assert drawing.get("aria-labelledby") and drawing.get("aria-describedby")


def test_page_is_a_pure_function_of_the_comparison_in_every_process(comparison, comparison_page, tmp_path):
    assert render(json.loads(json.dumps(comparison, sort_keys=True))) == comparison_page
    file = tmp_path / "compare.json"
    file.write_text(json.dumps(comparison), encoding="utf-8")
    program = (
        "import json, sys; from reports.compare.page import render; "
        "sys.stdout.buffer.write(render(json.load(open(sys.argv[1], encoding='utf-8'))).encode())"
    )
    for seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program, str(file)],
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C", "TZ": "Asia/Tokyo"},
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode() == comparison_page


def test_names_are_escaped(tmp_path):
    runs = [
        emblems_run(tmp_path / str(n), EDGES, [n, 3, 1], f"{EVIL}{n}", games=300, players=(3,),
                    strengths={EVIL: 1.0, "random": -1.0}, goals={EVIL: {"measure": "first_player", "at_most": "1%"}})
        for n in (4, 5)
    ]  # fmt: skip
    page = render(compare.build(*runs, emblems_facts()))
    parsed(page)
    assert "<script>alert" not in page and "49" not in page.split("alert(1)")[1][:40]


def test_compare_json_keeps_to_its_schema(comparison, same):
    for found in (comparison, same):
        Comparison.model_validate(json.loads(json.dumps(found)))
    described = json_schema()
    assert described["title"] == "Hakari comparison" and described["properties"]["goals"]["description"]


def test_a_site_lists_comparisons_and_keeps_them(comparison, small_run, tmp_path):
    out, site = tmp_path / "out", tmp_path / "site"
    folder = out / "emblems" / "compare-2026-11-29_12-00-00"
    page = compare.write(comparison, folder).read_bytes()
    publish.publish(site, out)
    copy = site / "comparisons" / "emblems" / "compare-2026-11-29_12-00-00.html"
    assert copy.read_bytes() == page
    index = (site / "index.html").read_text(encoding="utf-8")
    parsed(index)
    assert 'href="comparisons/emblems/compare-2026-11-29_12-00-00.html"' in index
    assert comparison["verdict"]["sentence"] in index
    listed = json.loads((site / "runs.json").read_text())["comparisons"]
    assert [each["state"] for each in listed] == [comparison["verdict"]["state"]]
    for file in folder.iterdir():
        file.unlink()
    copy.unlink()  # a page that is missing is written anew
    assert publish.publish(site, small_run.parent.parent).comparisons == 1
    assert copy.read_bytes() == page


def test_a_damaged_comparison_is_left_out_by_name(comparison, small_run, tmp_path):
    out = small_run.parent.parent
    write.report(small_run)
    folder = tmp_path / "out" / "emblems" / "compare-1"
    compare.write(comparison, folder)
    (folder / "compare.json").write_text('{"schema": "hakari-compare/0"}')
    compare.write(comparison, tmp_path / "out" / "emblems" / "compare-2")
    done = publish.publish(tmp_path / "site", tmp_path / "out")
    assert done.comparisons == 1
    assert [path for path, _ in done.left_out] == [folder]
    assert out.exists()
