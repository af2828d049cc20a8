"""The command line: what it prints, and how it ends."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from sim import results

HERE = Path(__file__).resolve().parent.parent


@pytest.fixture
def strategy_file(tmp_path):
    """Write a strategy file and return its path."""

    def write(name: str, body: str, *, game: str = "mon") -> Path:
        path = tmp_path / f"{name}.py"
        path.write_text(
            "from sim.jit import lowest_bit\nfrom strategies.registry import strategy\nimport numpy as np\n\n\n"
            f'@strategy("{game}", title="{name.title()}")\ndef {name}(state, rules, params):\n'
            '    """For a test. Weakness: everything."""\n' + textwrap.indent(textwrap.dedent(body), "    ")
        )
        return path

    return write


LOWEST = "return (state.hand[state.seat] & -state.hand[state.seat]) << 2 | 2\n"  # discards the lowest card


def test_help_is_quick_and_needs_nothing_heavy():
    code = "import sys, sim.cli; print(sorted({'numba','pandas','pyarrow','matplotlib','numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=HERE, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_list_names_games_players_and_strategies(hakari):
    code, out, _ = hakari("list")
    assert code == 0
    assert "mon: MON: Emblems of Sengoku, 2 to 6 players" in out
    assert "emblems: Emblems, 3 to 5 players" in out
    for name in ("random", "greedy", "builder", "sniper", "guarded", "high_card", "denier", "counter"):
        assert re.search(rf"^  {name} +\S", out, re.MULTILINE)


def test_list_shows_a_broken_strategy_with_its_error_and_all_others(hakari, tmp_path):
    (tmp_path / "typo.py").write_text("def typo(:\n")
    code, out, _ = hakari("list", "mon", "--strategy", "typo.py")
    assert code == 0
    assert "BROKEN" in out and "typo.py, line 1" in out
    assert "greedy" in out


def test_unknown_game(hakari):
    code, out, err = hakari("list", "mom")
    assert (code, out) == (2, "")
    assert 'there is no game "mom"' in err and 'did you mean "mon"?' in err


def test_validate_tells_what_would_be_played(hakari):
    code, out, _ = hakari("validate", "emblems", "--set", "plan.games=9000")
    assert code == 0
    assert re.search(r"games +9,\d{3} in \d+ line-ups", out) or re.search(r"games +8,9\d\d in \d+ line-ups", out)


def test_bad_config_ends_with_2_and_tells_the_line(hakari, tmp_path):
    (tmp_path / "bad.toml").write_text('game = "emblems"\n[rulings]\ndebts = true\n')
    code, out, err = hakari("run", "bad.toml")
    assert (code, out) == (2, "")
    assert "bad.toml, line 3" in err or "bad.toml:3" in err
    assert "debt" in err
    assert not (tmp_path / "out").exists()


def test_schema_is_json(hakari):
    code, out, _ = hakari("schema", "mon")
    assert code == 0
    assert json.loads(out)["properties"]["tokens"]["description"]


def test_run_writes_results_and_names_the_folder(hakari):
    code, out, err = hakari("run", "mon", "--games", "500", "--players", "3", "--no-report")
    assert code == 0
    run = Path(out.strip())
    manifest = results.read_manifest(run)
    assert manifest["status"] == "complete"
    assert manifest["players"] == [3]
    assert manifest["config"]["plan"]["games"] == 500
    assert manifest["command"].startswith("hakari run mon")
    assert re.search(r"^5\d\d of 5\d\d games", err, re.MULTILINE)


def test_run_does_not_overwrite(hakari):
    assert hakari("run", "mon", "--games", "200", "--players", "2", "--no-report", "--out", "here")[0] == 0
    code, _, err = hakari("run", "mon", "--games", "200", "--players", "2", "--no-report", "--out", "here")
    assert code == 2
    assert "holds a run already" in err
    code, _, err = hakari("run", "mon", "--games", "300", "--players", "2", "--no-report", "--out", "here", "--resume")
    assert code == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--games", "0"), "plan.games"),
        (("--games", "many"), "plan.games"),
        (("--players", "7"), "players"),
        (("--lineups", "mirrors"), 'did you mean "mirror"'),
        (("--strategies", "gredy"), 'did you mean "greedy"'),
        (("--strategies", "greedy{speed=1}"), "no parameter"),
        (("--set", "rulings.tie=sharde"), 'did you mean "shared"'),
        (("--set", "nonsense"), "nonsense"),
        (("--baseline", "nowhere"), "no run in nowhere"),
        (("--players", "3-2"), "3-2 is an empty range"),
        (("--strategy", "nowhere.py"), "there is no strategy file nowhere.py"),
        (("--games", "100", "--precision", "1pp"), "both set the number of games"),
        (("--workers", "0"), "--workers"),
        (("--nonsense",), "--nonsense"),
    ],
)
def test_bad_options_end_with_2_or_5_and_say_why(hakari, arguments, told):
    code, _, err = hakari("run", "mon", "--no-report", *arguments)
    assert code in (2, 5)
    assert told in err


def test_trace_prints_json_lines(hakari):
    code, out, _ = hakari(
        "trace", "mon", "--players", "3", "--seed", "7", "--deal", "12", "--strategies", "greedy,random,random"
    )
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert lines[0]["strategies"] == ["greedy", "random", "random"]
    assert (lines[0]["seed"], lines[0]["deal"], lines[-1]["type"]) == (7, 12, "end")


def test_trace_rotation_moves_the_line_up(hakari):
    _, out, _ = hakari("trace", "mon", "--strategies", "greedy,random,random", "--rotation", "1")
    assert json.loads(out.splitlines()[0])["strategies"] == ["random", "greedy", "random"]


def test_trace_tells_a_story_and_several_games(hakari):
    _, out, _ = hakari("trace", "emblems", "--players", "3", "--games", "2", "--text")
    assert out.count("Emblems, 3 players") == 2
    assert "{" not in out


def test_trace_is_the_game_that_the_run_played(hakari):
    """A row of a run and the trace of its deal, seating and strategies end alike."""
    _, out, _ = hakari("run", "emblems", "--games", "300", "--players", "4", "--lineups", "one_vs_rest", "--no-report")
    run = Path(out.strip())
    row = results.read_table(run, "games", 4).to_pylist()[37]
    manifest = results.read_manifest(run)
    names = [each["name"] for each in manifest["strategies"]]
    seated = ",".join(names[row[f"strategy_{seat}"]] for seat in range(1, 5))
    _, out, _ = hakari("trace", "emblems", "--strategies", seated, "--seed", manifest["seed"], "--deal", row["deal"])
    end = json.loads(out.splitlines()[-1])
    assert end["scores"] == [row[f"score_{seat}"] for seat in range(1, 5)]
    assert end["winners"] == [seat for seat in range(4) if row["winners"] >> seat & 1]


def test_doctor(hakari):
    code, out, _ = hakari("doctor")
    assert code == 0
    assert "self-check emblems" in out and "the same bytes" in out and "all is well" in out


# --- strategies that do not keep to the rules -------------------------------------------------------------------------


def run_with(hakari, path, *more):
    return hakari(
        "run",
        "mon",
        "--games",
        "400",
        "--players",
        "3",
        "--strategies",
        "greedy,random",
        "--strategy",
        path,
        "--no-report",
        *more,
    )


def test_own_strategy_takes_part(hakari, strategy_file):
    code, out, _ = run_with(hakari, strategy_file("mine", LOWEST))
    assert code == 0
    assert "mine" in [each["name"] for each in results.read_manifest(Path(out.strip()))["strategies"]]


@pytest.mark.parametrize(
    ("name", "body", "told"),
    [
        (
            "peeker",
            "return (state.hand[state.seat] & -state.hand[state.seat]) << 2 | 2 if state.hand[(state.seat + 1) % 3] & 3"
            " else state.hand[state.seat] << 2 | 2\n",
            "looks at what its seat cannot know",
        ),
        ("nonsense", "return 123456789\n", "chooses an illegal action"),
        ("meddler", "state.points[state.seat] += 1\n" + LOWEST, "changes the state"),
        ("tamperer", "rules.tokens += 1\n" + LOWEST, "changes the rules"),
        ("never", "return -1\n", "chooses an illegal action"),
        ("uncompilable", "return open('x').read()\n", "cannot be compiled"),
    ],
)
@pytest.mark.compiled
def test_strategy_is_refused_by_name_and_the_others_play(hakari, strategy_file, name, body, told):
    code, out, err = run_with(hakari, strategy_file(name, body))
    assert code == 4
    assert f"strategy {name} {told}" in err
    manifest = results.read_manifest(Path(out.strip()))
    assert manifest["status"] == "complete"
    assert [each["name"] for each in manifest["strategies"]] == ["greedy", "random"]
    assert [each["strategy"] for each in manifest["failures"]] == [name]


def test_strategy_with_a_syntax_error_is_left_out_by_name(hakari, tmp_path):
    (tmp_path / "typo.py").write_text("def typo(:\n")
    code, out, err = run_with(hakari, tmp_path / "typo.py")
    assert code == 4
    assert "typo" in err and "line 1" in err
    assert results.read_manifest(Path(out.strip()))["status"] == "complete"


@pytest.mark.compiled
def test_strategy_that_fails_late_is_told_with_the_moment_and_the_rest_is_kept(hakari, strategy_file):
    """Legal in the check's games and illegal in others: the run goes on without it."""
    body = "if state.points[0] >= 9 and state.turn > 12:\n    return -1\n" + LOWEST
    code, out, err = run_with(hakari, strategy_file("late", body), "--lineups", "mirror,one_vs_rest")
    assert code == 4
    assert "strategy late played an illegal action" in err
    assert re.search(r"deal \d+, rotation \d+", err) and re.search(r"turn \d+, player \d", err)
    manifest = results.read_manifest(Path(out.strip()))
    assert manifest["status"] == "failed"
    assert manifest["shards"]["done"]


def test_ctrl_c_leaves_a_resumable_run(tmp_path):
    command = [
        sys.executable,
        "-m",
        "sim.cli",
        "run",
        "mon",
        "--games",
        "3000000",
        "--no-report",
        "--out",
        str(tmp_path / "run"),
    ]
    environment = {**os.environ, "HAKARI_SHARD_GAMES": "1000", "PYTHONPATH": str(HERE)}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    import signal
    import time

    deadline = time.monotonic() + 90
    while not list((tmp_path / "run").glob("blocks/*/part-*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume" in err and "Traceback" not in err
    assert results.read_manifest(tmp_path / "run")["status"] == "interrupted"


@pytest.mark.compiled
def test_an_edited_reward_moves_the_results_with_a_warm_cache(tmp_path):
    """Nothing that a config can change is frozen into compiled code, and the report shows the edit and what moved."""

    def run(config: Path) -> Path:
        command = [sys.executable, "-m", "sim.cli", "run", config.name, "--games", "3000", "--players", "3", "-q"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return tmp_path / Path(done.stdout.strip()).parent

    config = tmp_path / "mine.toml"
    text = (HERE / "configs" / "emblems.toml").read_text(encoding="utf-8")
    assert '"3-4" = [4, 3, 1]' in text
    config.write_text(text, encoding="utf-8")
    before = run(config)
    config.write_text(text.replace('"3-4" = [4, 3, 1]', '"3-4" = [9, 3, 1]'), encoding="utf-8")
    after = run(config)
    was, now = (results.read_table(run, "games", 3).to_pandas().filter(like="score_") for run in (before, after))
    assert now.to_numpy().mean() > was.to_numpy().mean() + 1
    report = json.loads((after / "report.json").read_text(encoding="utf-8"))
    (change,) = report["baseline"]["differences"]
    assert change["key"] == 'sets.A.castle."3-4"'
    assert report["baseline"]["paired"] is True


def test_damaged_earlier_runs_cost_nothing(hakari):
    options = ("run", "mon", "--games", "300", "--players", "3", "-q")
    first = Path(hakari(*options)[1].strip()).parent
    for part in first.glob("blocks/*/part-*.parquet"):
        part.write_bytes(b"PAR1")
    other = first.parent / "9999"
    other.mkdir()
    (other / results.MANIFEST).write_text("[]")
    code, out, _ = hakari(*options)
    assert code == 0
    assert Path(out.strip()).exists()


@pytest.mark.compiled
def test_strategy_that_raises_is_told_by_name_or_table(hakari, strategy_file):
    code, _, err = run_with(
        hakari, strategy_file("raiser", "if state.turn > 6:\n    raise ValueError('no')\n" + LOWEST)
    )
    assert code == 4
    assert "raiser fails" in err
    late = "if state.points[0] >= 9 and state.turn > 12:\n    raise ValueError('no')\n" + LOWEST
    code, _, err = run_with(hakari, strategy_file("later", late))
    assert code == 4
    assert "fails" in err


def test_runs_of_the_same_second_have_folders_of_their_own(tmp_path, monkeypatch):
    from sim.engine import session

    monkeypatch.chdir(tmp_path)
    folders = {session.new_folder(Path("out/mon")) for _ in range(20)}
    assert len(folders) == 20


# --- compare -----------------------------------------------------------------------------------------------------

SMALL = ("--players", "3", "--strategies", "greedy,random", "--quiet")


def test_compare_plays_the_same_deals_under_both_and_can_be_repeated(hakari, monkeypatch):
    """Two ordinary runs; each can be played again by its own command, and the page comes out the same from them."""
    code, out, _ = hakari("compare", "mon", "--set", "points[12]=5", "--games", "1500", *SMALL, "--json")
    assert code == 0
    told = json.loads(out)
    assert told["paired"] and 0 < told["winners"][0]["share"] < 0.5
    assert {"a", "b", "compare.json", "compare.html"} == {path.name for path in Path(told["comparison"]).iterdir()}
    manifests = [results.read_manifest(Path(told[side])) for side in ("a", "b")]
    assert [each["config"]["points"][12] for each in manifests] == [3, 5]
    assert all(each["draws"] == "per_seat" and each["seed"] == 1 for each in manifests)
    assert [line["kind"] for line in manifests[0]["lineups"]] == ["field"]
    command = shlex.split(manifests[1]["command"])
    assert hakari(*command[1:], "--no-report", "--quiet", "--out", "again")[0] == 0
    assert _rows(Path("again")) == _rows(Path(told["b"]))
    page = Path(told["page"]).read_bytes()
    monkeypatch.setattr(sys, "argv", ["hakari"])
    code, out, _ = hakari("compare", told["a"], told["b"], "--out", "twice", "--json")
    assert code == 0
    assert json.loads(out)["goals"] == told["goals"]
    assert json.loads(out)["replays"] == told["replays"]
    rest = [each.split(b"How many games")[0] for each in (page, Path("twice/compare.html").read_bytes())]
    assert rest[0] == rest[1]
    for replay in told["replays"]:
        stories = [hakari(*shlex.split(each)[1:])[1].splitlines() for each in replay["commands"]]
        ends = [next(line for line in story[::-1] if " after " in line) for story in stories]
        for end, winners in zip(ends, replay["winners"], strict=True):
            assert end.startswith(" and ".join(f"Player {seat + 1}" for seat in winners) + " win")
        step = replay["parting"]["step"]
        assert [story[step].strip() for story in stories] == [replay["parting"]["a"], replay["parting"]["b"]]
        assert [story[step - 1].strip() for story in stories] == [replay["parting"]["before"]] * 2


def _rows(run: Path) -> list[dict]:
    return results.read_table(run, "games", 3).to_pylist()


@pytest.mark.parametrize("edit", ["nothing", "order and title", "the same value"])
def test_compare_finds_exactly_nothing_where_nothing_changed(hakari, tmp_path, edit):
    (tmp_path / "a.toml").write_text('game = "mon"\ntokens = 9\n[rulings]\ntie = "shared"\ntoken_limit = true\n')
    (tmp_path / "b.toml").write_text(
        'title = "Another name"\ntokens = 9\ngame = "mon"\n[rulings]\ntoken_limit = true\ntie = "shared"\n'
    )
    what = {
        "nothing": ("a.toml", "a.toml"),
        "order and title": ("a.toml", "b.toml"),
        "the same value": ("a.toml", "--set", "tokens=9"),
    }[edit]
    code, out, _ = hakari("compare", *what, "--games", "600", *SMALL, "--gate", "all", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["verdict"]["sentence"] == "A and B are the same: every game ends as before."
    assert all(goal["change"]["identical"] for goal in told["goals"])
    blocks = [results.read_table(Path(told[side]), "blocks", 3) for side in ("a", "b")]
    assert blocks[0].equals(blocks[1])


def test_compare_leaves_out_what_the_edit_cannot_touch(hakari):
    """The side for 3 and 4 players says nothing about five."""
    edit = 'sets.A.castle."3-4"[0]=9'
    code, out, err = hakari(
        "compare",
        "emblems",
        "--set",
        edit,
        "--games",
        "400",
        "--strategies",
        "random,high_card",
        "--gate",
        "first_player",
    )
    assert code in (0, 1, 3), err
    assert out.splitlines()[0] == 'Emblems: sets.A.castle."3-4" 4 → 9'
    assert "With five players the rules are the same in A and B, so nothing was played there." in out
    assert "\x1b" not in out
    assert Path(out.splitlines()[-1]).is_file()
    assert re.search(r"^80\d games of emblems into", err, re.MULTILINE)


def test_compare_gates(hakari, tmp_path):
    """The edit makes many wins shared, which a goal forbids; the other goal is the same."""
    (tmp_path / "goals.toml").write_text(
        'game = "mon"\n[goals.shared]\nmeasure = "shared_wins"\nat_most = "0.5%"\n'
        '[goals.first]\nmeasure = "first_player"\nwithin = "99% of par"\nsame_within = "50pp"\n'
    )
    edit = 'rulings.tie="shared"'
    worse = ("compare", "goals.toml", "--set", edit, "--games", "1500", *SMALL, "--out")
    code, out, err = hakari(*worse, "c", "--gate", "shared")
    assert code == 1
    assert "Gate shared: worse (exit code 1)." in err
    assert re.search(r"^B is worse: .*“Shared wins, 3 players”", out, re.MULTILINE)
    for gate, code in (("first", 0), ("all", 1)):
        assert hakari("compare", "c/a", "c/b", "--out", gate, "--gate", gate)[0] == code
    assert hakari("compare", "c/b", "c/a", "--out", "back", "--gate", "shared")[0] == 0
    assert hakari("compare", "c/a", "c/b", "--out", "free")[0] == 0
    code, _, err = hakari("check", "c")
    assert code == 5 and "name c/a or c/b" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("mon",), "mon alone is nothing to compare"),
        (("mon", "emblems"), "A and B are of two games"),
        (("mon", "--set", "point[0]=3"), "did you mean points"),
        (("mon", "--set", "plan.seed=3"), "would give A and B different plans"),
        (("mon", "--set-a", "plan.games=30", "--set", "tokens=3"), "use --games"),
        (("mon", "nothing.toml"), "there is no such config"),
        (("mon", "out/mon"), "no run in out/mon"),
        (("mon", "--set", "tokens=3", "--precision", "wide"), "'wide' is no amount of percentage points"),
        (("mon", "--set", "tokens=3", "--gate", "frist_player"), "did you mean first_player?"),
        (("mon", "--set", "tokens=3", "--games", "none"), "plan.games"),
        (("mon", "--set", "tokens=3", "--strategies", "nobody"), 'there is no strategy "nobody"'),
        (("mon", "--set", "tokens=3", "--out", "."), "is there already"),
    ],
)
def test_compare_tells_bad_input_in_one_message(hakari, tmp_path, arguments, told):
    (tmp_path / "out" / "mon").mkdir(parents=True)
    code, out, err = hakari("compare", *arguments)
    assert (code, out) == (5 if "no run in" in told else 2, "")
    assert told in err
    assert not list((tmp_path / "out" / "mon").iterdir())


def test_compare_takes_a_run_as_it_is(hakari):
    """A run is not changed and keeps its plan; a config beside it is played by that plan."""
    assert hakari("run", "mon", "--games", "600", *SMALL, "--seed", "5", "--no-report", "--out", "here/run")[0] == 0
    for arguments in (
        ("--set", "tokens=3"),
        ("here/run", "--games", "30"),
        ("here/run", "--seed", "3"),
        ("mon", "--by-itself"),
    ):
        code, out, err = hakari("compare", "here/run", *arguments)
        assert (code, out) == (2, "")
        assert "played already" in err or "has its plan already" in err
    code, out, _ = hakari("compare", "here/run", "mon", "--set", "tokens=3", "--quiet", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["paired"] and told["a"] == "here/run"
    manifest = results.read_manifest(Path(told["b"]))
    assert (manifest["seed"], manifest["draws"], manifest["config"]["tokens"]) == (5, "shared", 3)
    assert any("B’s config has a plan of its own (players" in note for note in told["notes"])


def test_what_an_edit_does_by_itself_and_what_players_make_of_it_add_up(hakari):
    edit = ("compare", "emblems", "--set", 'sets.A.castle."3-4"[0]=9', "--games", "1200", "--players", "3", "--quiet")
    code, out, _ = hakari(*edit, "--strategies", "random,greedy", "--by-itself", "--json")
    goals = json.loads(out)["goals"]
    assert code == 0 and goals
    for goal in goals:
        parts = goal["by_itself"]["delta"] + goal["adapting"]["delta"]
        assert parts == pytest.approx(goal["change"]["delta"], abs=1e-6)
    assert any(goal["by_itself"]["delta"] for goal in goals) and any(goal["adapting"]["delta"] for goal in goals)
    page = (Path(json.loads(out)["page"])).read_text()
    assert "by players who adapt" in page

    code, out, _ = hakari(*edit, "--strategies", "random", "--by-itself", "--json")  # reads no rewards
    goals = json.loads(out)["goals"]
    assert any(goal["by_itself"]["delta"] for goal in goals)
    for goal in goals:
        assert [goal["adapting"][end] for end in ("delta", "lo", "hi")] == [0.0, 0.0, 0.0]
    assert "Players choose no differently" in Path(json.loads(out)["page"]).read_text()


def test_an_edit_of_how_the_game_is_played_does_nothing_by_itself(hakari):
    code, out, _ = hakari("compare", "momiji", "--set", "hand_limit=3", "--games", "600", *SMALL, "--by-itself")
    assert code == 0
    assert "By itself: the edit changes how the game is played, which players must know" in out


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_compare_says_what_it_needs():
    done = subprocess.run(
        ["make", "-n", "compare", "GAME=mon", "SET=points[12]=4"], cwd=HERE, capture_output=True, text=True, check=True
    )
    assert "compare \"mon\"  --set 'points[12]=4'" in done.stdout
