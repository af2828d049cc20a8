"""The commands that answer questions: what they print, how they end, and where the answer is kept."""

import json
from pathlib import Path

import pytest

from reports.answers import cards, enough
from sim import cli

pytestmark = pytest.mark.compiled

SMALL = ("--players", "3", "--strategies", "greedy,random", "-q")


@pytest.fixture(autouse=True)
def small_pilots(monkeypatch):
    monkeypatch.setattr(cards, "PILOT_DEALS", 64)
    monkeypatch.setattr(enough, "PILOT_GAMES", 1_000)


def played(hakari, *more: str) -> Path:
    code, out, _ = hakari("run", "mon", "--games", "600", "--no-report", *SMALL, *more)
    assert code == 0
    return Path(out.strip())


def test_answers_land_on_the_newest_run_that_they_belong_to(hakari, monkeypatch):
    """Neither on an older one, nor on a newer one of other rules."""
    pages = []
    monkeypatch.setattr(cli, "_report", lambda folder: pages.append(folder) or folder)
    older, newest, other = played(hakari), played(hakari), played(hakari, "--set", "tokens=9")
    code, out, err = hakari("cards", "mon", "--kind", "without", "--precision", "20pp", *SMALL)
    assert (code, err) == (0, "")
    assert "Going without, with three players" in out and "falling back on gold" in out
    code, out, _ = hakari("compensate", "mon", "--games", "3000", *SMALL)
    assert code == 0 and "on fresh deals" in out
    code, out, _ = hakari("sense", "mon", "--only", "tokens", "--games", "600", *SMALL)
    assert code == 0 and "tokens=11" in out and "(was 10)" in out
    kept = {"cards.json", "compensate.json", "sense.json"}
    assert kept <= {path.name for path in newest.iterdir()}
    assert not kept & {path.name for folder in (older, other) for path in folder.iterdir()}
    assert pages == [newest] * 3
    before = kept_cards(newest)[0]
    code, out, _ = hakari("cards", "mon", "--kind", "point", "--precision", "20pp", "--json", *SMALL)
    assert code == 0
    assert [each["kind"] for each in json.loads(out)["answers"]] == ["point", "placebo"]
    assert {each["kind"] for each in kept_cards(newest)} == {"without", "point", "placebo"}
    assert before in kept_cards(newest)  # what was asked before stays


def test_an_answer_for_some_numbers_of_players_lands_on_a_run_that_has_them(hakari, monkeypatch):
    monkeypatch.setattr(cli, "_report", lambda folder: folder)
    more, same = played(hakari, "--players", "3,4"), played(hakari, "--players", "4")
    code, _, _ = hakari("cards", "mon", "--kind", "without", "--precision", "20pp", *SMALL)
    assert code == 0
    assert kept_cards(more) and not (same / "cards.json").exists()


def test_an_answer_of_another_version_stays_off_the_page(hakari, monkeypatch):
    monkeypatch.setattr(cli, "_report", lambda folder: folder)
    run = played(hakari)
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps({**manifest, "source_hash": "another"}))
    code, _, _ = hakari("cards", "mon", "--kind", "without", "--precision", "20pp", *SMALL)
    assert code == 0
    assert not (run / "cards.json").exists()


def kept_cards(run: Path) -> list[dict]:
    return json.loads((run / "cards.json").read_text(encoding="utf-8"))["answers"]


def test_answers_without_a_run_are_only_shown(hakari, tmp_path):
    code, out, err = hakari("sense", "mon", "--only", "tokens", "--games", "600", "--json", *SMALL[:-1])
    assert code == 0
    assert [step["edit"] for step in json.loads(out)["steps"]] == ["tokens=9", "tokens=11"]
    assert "a run of the same rules" in err
    assert not (tmp_path / "out").exists()


def test_compensate_prints_json(hakari):
    code, out, _ = hakari("compensate", "mon", "--games", "3000", "--json", *SMALL)
    assert code == 0
    answer = json.loads(out)
    assert [row["players"] for row in answer["players"]] == [3]
    assert len(answer["players"][0]["whole"]) == 3


def test_kinds_are_listed(hakari):
    code, out, _ = hakari("cards", "emblems", "--kinds")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()][:3] == ["grant", "ban", "blank"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("cards", "mon", "--kind", "bann"), "did you mean ban?"),
        (("cards", "mon", "--precision", "narrow"), "no amount of percentage points"),
        (("cards", "mon", "--precision", "0pp"), "no amount of percentage points"),
        (("cards", "mon", "--players", "9"), "players"),
        (("cards", "mon", "--kind", "careless", "--strategies", "greedy"), "nobody here plays at random"),
        (("cards", "mon", "--kind", "blind", "--strategies", "random"), "would ignore its opponents"),
        (("cards", "mom"), "did you mean mon?"),
        (("sense", "mon", "--only", "point"), "has no key 'point'"),
        (("sense", "mon", "--only", "removed_values"), "no number to turn"),
        (("sense", "mon", "--only", "tokens", "--games", "300", "--goal", "mine", *SMALL), "no goal 'mine'"),
        (("sense", "mon", "--draws", "mine"), "plan.draws"),
        (("compensate", "mon", "--games", "0"), "plan.games"),
        (("compensate", "mon", "--games", "30", "--strategies", "random", "--players", "2"), "play more: --games"),
        (("validate", "mon", "--precision", "0.2"), "for example 0.5pp"),
        (("validate", "mon", "--precision", "1pp", "--until-decided"), "one of them"),
        (("run", "mon", "--precision", "tiny", "--no-report"), "no amount of percentage points"),
    ],
)
def test_bad_options_end_with_2_and_say_why(hakari, arguments, told):
    code, out, err = hakari(*arguments)
    assert (code, out) == (2, "")
    assert told in err


THREE = ("--set", "plan.players=[3]", "--set", 'plan.lineups=["field"]')


def test_validate_tells_how_many_games_a_precision_takes(hakari):
    code, out, _ = hakari("validate", "mon", "--precision", "2pp", *THREE)
    assert code == 0
    assert "needed" in out and "games, about" in out
    code, out, _ = hakari("validate", "mon", "--precision", "2pp", "--json", *THREE)
    coarse = json.loads(out)["needed"]
    _, out, _ = hakari("validate", "mon", "--precision", "1pp", "--json", *THREE)
    fine = json.loads(out)["needed"]
    assert fine["games"] == pytest.approx(4 * coarse["games"], rel=0.01)
    assert not Path("out").exists()


def test_run_plays_as_many_games_as_the_precision_takes(hakari):
    from sim.results import read_manifest

    _, out, _ = hakari("validate", "mon", "--precision", "3pp", "--json", *THREE)
    code, shown, err = hakari("run", "mon", "--precision", "3pp", "--no-report", "--json", *THREE)
    assert code == 0
    needed = json.loads(out)["needed"]["games"]
    manifest = read_manifest(Path(json.loads(shown)["run"]))
    assert manifest["config"]["plan"]["games"] == needed
    assert f"{needed:,} games are needed" in err


def test_run_until_decided_stops_when_all_is_plain_and_says_what_is_open(hakari, tmp_path):
    from sim.results import read_manifest

    def played_until(band: str):
        (tmp_path / "mine.toml").write_text(
            'game = "mon"\n[plan]\ngames = 4000\nplayers = [3]\n'
            'lineups = ["field"]\nstrategies = ["greedy", "random"]\n'
            f'[goals.first]\nmeasure = "first_player"\n{band}\n'
        )
        code, out, err = hakari("run", "mine.toml", "--until-decided", "--no-report")
        assert code == 0
        return read_manifest(Path(out.strip()))["config"]["plan"]["games"], err

    games, err = played_until('at_most = "90%"')
    assert games == 1_000
    assert "leave open" not in err
    games, err = played_until('between = ["31.9%", "32%"]')
    assert games == 4_000
    assert "still leave open: first with 3" in err
