import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import unquote

import html5lib
import pytest

from reports import charts, figures
from reports import publish as publishing
from reports.page import drawing, render
from reports.publish import publish
from sim import cli
from sim.engine import session
from sim.errors import StorageError, UsageError

HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
EVIL = "<script>alert(1)</script>\"'&{{ 7 * 7 }}"
LONG = "An extraordinarily long name that goes on for sixty letters!"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


@pytest.fixture
def add(out, compared):
    """Put a run into `out`: a report like that of `compared`, changed, and a manifest that says when it began."""

    def run(
        name, day=1, *, game="emblems", first=None, state=None, manifest=True, page=True, status="complete", **facts
    ):
        report = json.loads(json.dumps(compared))
        report["run"] |= {"date": f"{day} Nov 2026", **facts}
        if first is not None:
            goal = next(g for g in report["goals"] if g["id"] == "first_4-4")
            goal |= {"est": first, "joint_lo": first - 0.002, "joint_hi": first + 0.002}
            goal["verdict"] = "inside" if 0.23 < first < 0.27 else "outside"
        if state:
            report["verdict"] |= {"state": state, "sentence": "Results not trustworthy: deals are missing."}
        folder = out / game / name
        folder.mkdir(parents=True)
        (folder / "report.json").write_text(json.dumps(report), encoding="utf-8")
        if page:
            (folder / "report.html").write_text(f"<!doctype html><title>{day}</title>", encoding="utf-8")
        if manifest:
            started = f"2026-11-{day:02}T12:00:00+00:00"
            (folder / "manifest.json").write_text(json.dumps({"schema": 1, "status": status, "started": started}))
        return folder

    return run


@pytest.fixture
def site(out):
    return out / "site"


def parsed(path):
    return html5lib.HTMLParser(strict=True).parse(path.read_text(encoding="utf-8"))


def text_of(element):
    return " ".join("".join(element.itertext()).split())


def rows(tree):
    """Cells of all tables' rows, as text."""
    return [[text_of(cell) for cell in row] for row in tree.iter(f"{HTML}tr")]


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sparks(tree, label="First player, 4 players"):
    """Titles and descriptions of the small charts of a goal."""
    charts = [e for e in tree.iter(f"{SVG}svg") if e.get("class") == "spark"]
    found = [(text_of(e.find(f"{SVG}title")), text_of(e.find(f"{SVG}desc"))) for e in charts]
    return list(dict.fromkeys(pair for pair in found if pair[0].startswith(label)))


def remove(folder):
    for path in sorted(folder.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    folder.rmdir()


# --- the site ----------------------------------------------------------------------------------------------------


def test_every_report_is_copied_and_linked(add, out, site):
    for name, day in (("a", 1), ("b", 2)):
        add(name, day)
    add("a", 3, game="mon", title="Mon")
    done = publish(site, out)
    assert (done.index, done.runs, done.left_out) == (site / "index.html", 3, [])
    found = files(site)
    for run in ("emblems/a", "emblems/b", "mon/a"):
        assert found[f"runs/{run}.html"] == (out / run / "report.html").read_bytes()
        assert found[f"runs/{run}.json"] == (out / run / "report.json").read_bytes()
    links = {e.get("href") for e in parsed(done.index).iter(f"{HTML}a")}
    assert links == {name for name in found if name.startswith("runs/")}


def test_page_is_valid_and_loads_nothing(add, out, site):
    add("a", 1)
    add("b", 2, state="broken")
    page = publish(site, out).index
    tree, text = parsed(page), page.read_text(encoding="utf-8")
    assert not re.findall(r"(?:https?:)?//[\w.]+\.\w+", text)
    assert not re.search(r"@import|url\(|<script", text)
    assert "default-src 'none'" in text
    sources = {e.get("src") or e.get("href") for e in tree.iter() if e.get("src") or e.get("href")}
    for source in sources - {"data:,"}:
        assert source.startswith("#") or (page.parent / unquote(source)).is_file(), source
    ids = [e.get("id") for e in tree.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    for e in tree.iter():
        for name in ("aria-labelledby", "aria-describedby"):
            assert e.get(name) is None or e.get(name) in ids
    levels = [int(e.tag[-1]) for e in tree.iter() if re.fullmatch(rf"{re.escape(HTML)}h\d", str(e.tag))]
    assert levels[0] == 1 and levels.count(1) == 1 and max(levels) == 3


def test_same_runs_same_bytes(add, out, site, tmp_path):
    add("a", 1)
    add("b", 2, first=0.25)
    publish(site, out)
    before, times = files(site), {path: path.stat().st_mtime_ns for path in site.rglob("*")}
    publish(site, out)
    assert files(site) == before
    assert {path: path.stat().st_mtime_ns for path in site.rglob("*")} == times
    publish(tmp_path / "other", out)
    assert files(tmp_path / "other") == before
    assert sorted(path.name for path in out.iterdir()) == ["emblems", "site"]


def test_page_is_the_same_in_every_process(add, out, site, tmp_path):
    add("a", 1)
    add("b", 2)
    publish(site, out)
    program = (
        "import sys; from pathlib import Path; from reports.publish import publish; publish(*map(Path, sys.argv[1:]))"
    )
    for seed in ("0", "1"):
        subprocess.run(
            [sys.executable, "-W", "error", "-c", program, str(tmp_path / seed), str(out)],
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C", "TZ": "Asia/Tokyo"},
            check=True,
        )
        assert files(tmp_path / seed) == files(site)


def test_names_are_text(add, out, site):
    assert len(LONG) == 60
    add("紋章 <b>&#1;?", 1, game="昔話", title=f"紋章 {EVIL}", subtitle=LONG)
    page = publish(site, out).index
    tree = parsed(page)
    assert not list(tree.iter(f"{HTML}script"))
    heading = next(tree.iter(f"{HTML}h3"))
    assert text_of(heading) == f"紋章 {EVIL}"
    assert LONG in text_of(tree)
    link = heading.find(f"{HTML}a").get("href")
    assert link.isascii()
    assert (site / unquote(link)).is_file()
    listed = json.loads((site / "runs.json").read_text(encoding="utf-8"))
    assert (site / unquote(listed["runs"][0]["report"])).is_file()


# --- verdicts and history ----------------------------------------------------------------------------------------


def test_newest_run_by_its_start_not_by_its_name(add, out, site):
    add("z-before", 1, subtitle="Old", first=0.25)
    add("a-after", 2, subtitle="New", first=0.22)
    tree = parsed(publish(site, out).index)
    assert next(tree.iter(f"{HTML}h3")).find(f"{HTML}a").get("href") == "runs/emblems/a-after.html"
    assert [row[:3] for row in rows(tree) if "2026" in row[1]] == [
        ["a-after", "2 Nov 2026", "New"],
        ["z-before", "1 Nov 2026", "Old"],
    ]


def test_goals_of_the_newest_run_with_glyph_word_and_history(add, out, site):
    for day, first in enumerate((0.25, 0.24, 0.221), 1):
        add(f"run-{day}", day, first=first)
    tree = parsed(publish(site, out).index)
    name, _, result, verdict = next(row for row in rows(tree) if row[0].startswith("First player, 4 players"))
    assert (name, result, verdict) == ("First player, 4 players 23–27%", "22.1% 21.9–22.3", "✗outside")
    [(title, desc)] = sparks(tree)
    assert title == "First player, 4 players: 22.1%, outside"
    assert desc == "Last 3 runs, oldest first: 25.0%, 24.0%, 22.1%; goal 23–27%."


def test_counts_and_facts(add, out, site, compared):
    add("run", 1)
    tree = parsed(publish(site, out).index)
    goals = [g["verdict"] for g in compared["goals"]]
    count = next(text_of(p) for p in tree.iter(f"{HTML}p") if p.get("class") == "count")
    words = {"outside": "outside", "close": "too close to call", "inside": "inside"}
    for verdict, word in words.items():
        assert f"{goals.count(verdict)} {word}" in count
    facts = {
        text_of(div[0]): text_of(div[1]) for dl in tree.iter(f"{HTML}dl") if dl.get("class") == "facts" for div in dl
    }
    assert facts["Goals met"] == f"{goals.count('inside')} of {len(goals)}"
    assert facts["Runs kept"] == "1"
    assert facts["Last run"] == "1 Nov 2026"


def test_history_ends_at_twenty_runs(add, out, site):
    for day in range(1, 25):
        add(f"run-{day}", day, first=0.2 + day / 1000)
    [(_, desc)] = sparks(parsed(publish(site, out).index))
    assert desc.startswith("Last 20 runs, oldest first: 20.5%, 20.6%")
    assert desc.count("%,") == 19


def test_one_run_has_a_mark_only(add, out, site):
    add("run", first=0.25)
    [(_, desc)] = sparks(parsed(publish(site, out).index))
    assert desc == "One run so far; goal 23–27%."


def test_what_cannot_be_trusted_says_so_and_counts_for_nothing(add, out, site):
    add("good", 1, first=0.25)
    add("bad", 2, first=0.9, state="broken")
    tree = parsed(publish(site, out).index)
    text = text_of(tree)
    assert "Results not trustworthy: deals are missing." in text
    assert "The goals are those of 1 Nov 2026, the last run that can be trusted." in text
    assert "90.0%" not in text
    assert [desc for _, desc in sparks(tree)] == ["One run so far; goal 23–27%."]
    assert next(row for row in rows(tree) if row[0] == "bad")[5] == "✗not trustworthy"


def test_a_game_without_a_run_to_trust_shows_no_goals(add, out, site):
    add("bad", 1, state="broken")
    tree = parsed(publish(site, out).index)
    assert sparks(tree, "") == []
    assert "not trustworthy" in text_of(tree)


def test_games_that_need_a_look_come_first(add, out, site):
    add("run", 1, game="a", title="Inside")
    add("run", 2, game="b", title="Broken", state="broken")
    for game, title, state in (("c", "None", "none"), ("d", "Close", "close"), ("a", "Inside", "inside")):
        path = out / game / "again" / "report.json"
        folder = add("again", 3, game=game, title=title)
        report = json.loads((folder / "report.json").read_text())
        report["verdict"]["state"] = state
        path.write_text(json.dumps(report))
    titles = [text_of(h) for h in parsed(publish(site, out).index).iter(f"{HTML}h3")]
    assert titles == ["Broken", "Close", "Inside", "None"]


def test_a_run_without_goals(out, site, mon_report):
    folder = out / "mon" / "run"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text(json.dumps(mon_report))
    (folder / "report.html").write_text("<!doctype html>")
    text = text_of(parsed(publish(site, out).index))
    assert "no goal set" in text and "(default)" in text and "none set" in text


@pytest.mark.parametrize(("low", "high"), [(0.23, 0.27), (0.23, None), (None, 0.27)])
@pytest.mark.parametrize("values", [[0.25], [0.25, 0.25], [0.1, 0.6, 0.25]])
def test_chart_holds_all_values_and_the_goal(compared, low, high, values):
    goal = {**compared["goals"][0], "band": {"lo": low, "hi": high, "text": "so and so"}}
    axis = figures.spark([{**goal, "est": value} for value in values])["axis"]
    known = [*values, *(end for end in (low, high) if end is not None)]
    assert axis["lo"] < min(known) and max(known) < axis["hi"]
    # The open side of a goal is seen as open.
    assert low is not None or axis["lo"] < min(known) - 0.02
    assert high is not None or axis["hi"] > max(known) + 0.02


def test_mark_of_the_newest_run_tells_the_verdict(compared):
    classes = {}
    for goal in compared["goals"]:
        with charts.style():
            drawn = ET.fromstring(drawing(figures.spark([goal, goal]), "s", "spark"))
        mark = next(e for e in drawn.iter("use"))
        classes.setdefault(goal["verdict"], set()).add(mark.get("class"))
    assert classes == {"outside": {"f-out"}, "inside": {"f-est"}, "close": {"f-paper s-ink"}}


# --- what is left of a run ---------------------------------------------------------------------------------------


def test_report_json_alone_is_enough(add, out, site, compared):
    add("first", 1, first=0.25, manifest=False, page=False)
    add("second", 2, first=0.24)
    done = publish(site, out)
    assert done.runs == 2
    [(_, desc)] = sparks(parsed(done.index))
    assert desc.startswith("Last 2 runs, oldest first: 25.0%, 24.0%;")
    report = json.loads((site / "runs/emblems/first.json").read_text())
    assert (site / "runs/emblems/first.html").read_text(encoding="utf-8") == render(report)


def test_a_deleted_run_stays_in_the_site_in_its_place(add, out, site):
    folder = add("z", 1, first=0.25)
    add("y", 1, first=0.24)  # began at the same time: by name
    add("a", 2, first=0.26)
    publish(site, out)
    before = files(site)
    remove(folder)
    assert publish(site, out).runs == 3
    assert files(site) == before
    remove(out / "emblems")
    publish(site, out)
    assert files(site) == before


def test_a_run_is_taken_off_by_deleting_its_files_too(add, out, site):
    folder = add("a", 1)
    add("b", 2)
    publish(site, out)
    remove(folder)
    (site / "runs/emblems/a.json").unlink()
    (site / "runs/emblems/a.html").unlink()
    assert publish(site, out).runs == 1
    assert "emblems/a.html" not in (site / "index.html").read_text(encoding="utf-8")


def test_what_is_left_out_is_told(add, out, site):
    add("good", 1)
    add("busy", 2, status="running")
    folder = add("damaged", 3)
    (folder / "report.json").write_text('{"run": ')
    other = add("other", 4)
    (other / "report.json").write_text('{"schema": "hakari-report/99", "run": {}}')
    bare = add("bare", 5)
    (bare / "report.json").unlink()
    done = publish(site, out)
    assert done.runs == 1
    why = {folder.name: text for folder, text in done.left_out}
    assert why.keys() == {"busy", "damaged", "other", "bare"}
    assert why["busy"] == "it is not complete"
    assert "cannot read" in why["damaged"]
    assert "no report that this version" in why["other"]
    assert "hakari report" in why["bare"]


def test_a_failed_run_is_shown(add, out, site):
    add("failed", 1, status="failed", state="broken")
    assert publish(site, out).runs == 1


# --- faults ------------------------------------------------------------------------------------------------------


def test_no_runs(out, site):
    with pytest.raises(UsageError, match="no report to publish"):
        publish(site, out)
    assert not site.exists()


@pytest.mark.parametrize("stage", ["front_page", "_put"])
def test_the_old_site_stays_until_the_new_one_is_whole(add, out, site, monkeypatch, stage):
    add("a", 1)
    publish(site, out)
    before = files(site)
    add("b", 2)
    broken = OSError(28, "No space left on device") if stage == "_put" else RuntimeError("broken")

    def fail(*args):
        raise broken

    if stage == "_put":
        write = Path.write_bytes
        monkeypatch.setattr(
            Path, "write_bytes", lambda self, data: fail() if self.suffix == ".html" else write(self, data)
        )
    else:
        monkeypatch.setattr(publishing, stage, fail)
    with pytest.raises((StorageError, RuntimeError)):
        publish(site, out)
    assert files(site) == before
    assert sorted(path.name for path in out.iterdir()) == ["emblems", "site"]


def test_front_page_comes_last(add, out, site, monkeypatch):
    add("a", 1)
    order, replace = [], Path.replace
    monkeypatch.setattr(Path, "replace", lambda self, to: (order.append(Path(to).name), replace(self, to))[1])
    publish(site, out)
    assert order == ["a.json", "a.html", "runs.json", "index.html"]


def test_a_folder_that_is_no_site_is_left_alone(add, out, tmp_path):
    add("a", 1)
    other = tmp_path / "home"
    other.mkdir()
    (other / "runs.json").write_text("[1]")
    with pytest.raises(StorageError, match="does not list the runs of a site"):
        publish(other, out)
    assert files(other) == {"runs.json": b"[1]"}


def test_a_damaged_copy_is_told_not_dropped(add, out, site):
    add("a", 1)
    publish(site, out)
    (site / "runs/emblems/a.json").write_text("{")
    with pytest.raises(StorageError, match=r"cannot read .*a\.json"):
        publish(site, out)


# --- the command -------------------------------------------------------------------------------------------------


def test_command(small_run, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(session, "OUT", small_run.parent.parent)

    def hakari(*arguments):
        monkeypatch.setattr(sys, "argv", ["hakari", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        return end.value.code, *capsys.readouterr()

    assert hakari("publish", "--out", tmp_path / "site") == (0, f"{tmp_path / 'site' / 'index.html'}\n", "")
    copied = tmp_path / "site" / "runs" / small_run.parent.name / f"{small_run.name}.html"
    assert copied.read_bytes() == (small_run / "report.html").read_bytes()
    parsed(tmp_path / "site" / "index.html")
    parsed(copied)
    code, out, _ = hakari("publish", "--out", tmp_path / "site", "--json")
    assert (code, json.loads(out)["runs"]) == (0, 1)
    monkeypatch.setattr(session, "OUT", tmp_path / "nothing")
    code, out, err = hakari("publish")
    assert (code, out) == (2, "")
    assert "there is no report to publish" in err and "make balance" in err


def test_schema_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["hakari", "schema", "report"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 0
    assert json.loads(capsys.readouterr().out)["properties"]["schema"]["const"] == "hakari-report/1"
