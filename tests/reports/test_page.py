import itertools
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import html5lib
import pytest

from reports import words
from reports.page import TEMPLATES, _deals, command, no_break, params, render
from reports.svg import ROLES
from reports.tables import build
from tests.reports.conftest import EVIL, GOALS, evil_facts, evil_run
from tests.reports.synthetic import emblems_facts, mon_facts, write_run

HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"


def parsed(page):
    """Parse as strictly as html5lib can: any error of the page is raised."""
    return html5lib.HTMLParser(strict=True).parse(page)


def text_of(element):
    return " ".join("".join(element.itertext()).split())


# --- the file ----------------------------------------------------------------------------------------------------


def test_pages_are_valid(compared_page, mon_page):
    parsed(compared_page)
    parsed(mon_page)


def test_page_is_a_pure_function_of_the_report(compared, compared_page):
    assert render(json.loads(json.dumps(compared))) == compared_page
    assert render(json.loads(json.dumps(compared, ensure_ascii=False, sort_keys=True))) == compared_page


def test_page_is_the_same_in_every_process(compared, compared_page, tmp_path):
    file = tmp_path / "report.json"
    file.write_text(json.dumps(compared), encoding="utf-8")
    program = (
        "import json, sys; from reports.page import render; "
        "sys.stdout.buffer.write(render(json.load(open(sys.argv[1], encoding='utf-8'))).encode())"
    )
    for seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program, str(file)],
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C", "TZ": "Asia/Tokyo"},
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode() == compared_page


def test_page_loads_nothing(compared_page, mon_page):
    for page in (compared_page, mon_page):
        # The only address is the name of the icon that keeps browsers from asking for one.
        assert not re.findall(r"(?:https?:)?//[\w.]+\.\w+", re.sub(r"<pre.*?</pre>", "", page, flags=re.S))
        tree = parsed(page)
        sources = [e.get("src") or e.get("href") for e in tree.iter() if e.get("src") or e.get("href")]
        assert {s for s in sources if not s.startswith("#")} == {"data:,"}
        assert not re.search(r"@import|url\(", page)
        assert "default-src 'none'" in page


def test_budgets(compared_page, mon_page):
    for page in (compared_page, mon_page):
        assert len(page.encode()) < 1_500_000
        assert sum(e.tag.startswith(SVG) for e in parsed(page).iter() if isinstance(e.tag, str)) < 4_000
    assert len((TEMPLATES / "script.js").read_bytes()) <= 3_000


def test_ids_are_unique_and_links_lead_somewhere(compared_page, mon_page):
    for page in (compared_page, mon_page):
        tree = parsed(page)
        ids = [e.get("id") for e in tree.iter() if e.get("id")]
        assert len(ids) == len(set(ids))
        links = [e.get("href")[1:] for e in tree.iter(f"{HTML}a")]
        assert links
        assert set(links) <= set(ids)
        for e in tree.iter():
            for name in ("aria-labelledby", "aria-describedby"):
                assert e.get(name) is None or e.get(name) in ids


# --- reading it --------------------------------------------------------------------------------------------------


def test_order_of_the_page(compared_page):
    tree = parsed(compared_page)
    sections = [e.get("id") for e in tree.iter() if e.tag == f"{HTML}section" or e.get("id") == "verdict"]
    assert sections == [
        "verdict", "goals", "changed", "next", "seats", "strategies", "cards", "panel-locations", "unfold", "method"
    ]  # fmt: skip


def test_headings_go_down_one_step_at_a_time(compared_page, mon_page):
    for page in (compared_page, mon_page):
        levels = [int(e.tag[-1]) for e in parsed(page).iter() if re.fullmatch(rf"{re.escape(HTML)}h\d", str(e.tag))]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(b <= a + 1 for a, b in itertools.pairwise(levels))


def test_every_figure_can_be_read_without_seeing_it(compared_page, mon_page):
    for page in (compared_page, mon_page):
        tree = parsed(page)
        charts = [e for e in tree.iter(f"{SVG}svg") if e.get("role") == "img"]
        assert len(charts) > 20
        for chart in charts:
            title, desc = chart.find(f"{SVG}title"), chart.find(f"{SVG}desc")
            assert chart.get("aria-labelledby") == title.get("id")
            assert chart.get("aria-describedby") == desc.get("id")
            assert title.text
            assert desc.text
        for figure in tree.iter(f"{HTML}figure"):
            assert text_of(figure.find(f".//{HTML}h3"))
            section = next(s for s in tree.iter(f"{HTML}section") if figure in list(s.iter()))
            assert list(figure.iter(f"{HTML}table")) or "tcards" in [t.get("id") for t in section.iter(f"{HTML}table")]


def test_tables_have_captions_and_scopes(compared_page):
    tree = parsed(compared_page)
    for table in tree.iter(f"{HTML}table"):
        assert text_of(table.find(f"{HTML}caption"))
        assert all(th.get("scope") in ("col", "row") for th in table.iter(f"{HTML}th"))
        assert all(text_of(th) for th in table.iter(f"{HTML}th"))
    for region in (e for e in tree.iter(f"{HTML}div") if e.get("class") == "scroll"):
        assert region.get("tabindex") == "0"
        assert region.get("aria-label")


def test_every_number_of_a_goal_stands_in_its_row(compared, compared_page):
    table = next(t for t in parsed(compared_page).iter(f"{HTML}table") if t.get("class", "").startswith("goals"))
    rows = [text_of(tr) for tr in table.find(f"{HTML}tbody")]
    assert len(rows) == len(compared["goals"])
    for row, goal in zip(rows, compared["goals"], strict=True):
        assert goal["label"] in row
        assert goal["band"]["text"] in row
        assert {"inside": "✓ inside", "outside": "✗ outside", "close": "? too close"}[goal["verdict"]].split()[0] in row


def test_numbers_table_says_what_the_chart_shows(compared, compared_page):
    tree = parsed(compared_page)
    figure = next(f for f in tree.iter(f"{HTML}figure") if f.get("id") == "c-seats")
    rows = [[text_of(cell) for cell in tr] for tr in figure.iter(f"{HTML}tr")][1:]
    shares = [row["est"] for p in compared["seats"]["panels"] for row in p["rows"]]
    assert [float(row[1].rstrip("%")) / 100 for row in rows] == pytest.approx(shares, abs=0.005)


def test_side_list_repeats_the_verdicts(compared, compared_page):
    tree = parsed(compared_page)
    nav = next(e for e in tree.iter(f"{HTML}nav"))
    marks = {a.get("href")[1:]: a.find(f"{HTML}i").text or "" for a in nav.iter(f"{HTML}a")}
    for section in ("seats", "strategies", "unfold"):
        verdicts = {g["verdict"] for g in compared["goals"] if g["section"] == section}
        assert marks[section] == ("✗" if "outside" in verdicts else "?" if "close" in verdicts else "")


def test_ranges_stay_on_one_line():
    assert no_break("wins 22.2% (21.9–22.5) of <b>") == 'wins 22.2% (<span class="nb">21.9–22.5</span>) of &lt;b&gt;'
    assert no_break("+2.6 (+2.4 to +2.8)") == '+2.6 (<span class="nb">+2.4 to +2.8</span>)'
    assert no_break("3 to 4 players, 23–27%.").count("nb") == 2
    assert command("hakari --a <b>") == (
        '<span class="nb">hakari</span> <span class="nb">--a</span> <span class="nb">&lt;b&gt;</span>'
    )


# --- looks -------------------------------------------------------------------------------------------------------


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def mixed(over, under, part):
    blend = [round(int(over[i : i + 2], 16) * part + int(under[i : i + 2], 16) * (1 - part)) for i in (1, 3, 5)]
    return "#" + "".join(f"{c:02x}" for c in blend)


def palettes():
    """Return the colours of light, dark and print from the style sheet."""
    css = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    found = []
    for block in re.findall(r":root\{(.*?)\}", css, flags=re.S):
        colours = {
            name: c if len(c) == 7 else "#" + "".join(x * 2 for x in c[1:])
            for name, c in re.findall(r"--(\w+):(#\w+)", block)
        }
        found.append(colours)
    assert len(found) == 3
    return dict(zip(("light", "dark", "print"), found, strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_contrast(scheme):
    colours = palettes()[scheme]
    for role in ("ink", "muted", "est", "out", "good", "minus", "link"):
        assert contrast(colours[role], colours["paper"]) >= 4.5, role
    for role in ("ink", "muted", "out", "good"):
        assert contrast(colours[role], colours["raise"]) >= 4.5, role
    for role in ("est", "out", "edge", "base", "minus"):
        assert contrast(colours[role], colours["paper"]) >= 3.0, role
        assert contrast(colours[role], colours["goal"]) >= 3.0, role
    for role in ("est", "minus"):
        assert contrast(colours["ink"], mixed(colours[role], colours["paper"], 0.46)) >= 4.5, role


def test_charts_draw_with_the_colours_of_light():
    light = palettes()["light"]
    assert {role: light[role] for role in ROLES} == ROLES


def test_style_sheet_knows_every_class_of_a_chart():
    css = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    for role in ROLES:
        assert f".f-{role}{{fill:var(--{role})}}" in css
        assert f".s-{role}{{stroke:var(--{role})}}" in css


def test_every_class_has_a_style(compared_page, mon_page):
    css = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    used = {c for page in (compared_page, mon_page) for e in parsed(page).iter() for c in e.get("class", "").split()}
    unstyled = {c for c in used if not re.search(rf"\.{re.escape(c)}\b", css)}
    assert unstyled <= {"M", "one", "since", "st", "side", "chart", "top"}


# --- states ------------------------------------------------------------------------------------------------------


def test_names_are_shown_as_text(tmp_path):
    run = evil_run(tmp_path / "run")
    report = build(run, evil_facts(), run)
    page = render(report)
    tree = parsed(page)
    assert len(list(tree.iter(f"{HTML}script"))) == 1
    assert "alert(1)" not in "".join(tree.find(f".//{HTML}script").itertext())
    assert "<script>alert" not in page
    shown = text_of(tree)
    for text in (EVIL, "秤" * 30, "b" * 60, "カ" * 60):
        assert text in shown


@pytest.mark.parametrize(
    "state",
    [
        {"games": 50, "players": (4,), "goals": GOALS},
        {"games": 50},
        {"games": 3, "players": (2,)},
        {"players": (4,)},
        {"strengths": {"greedy": 0.0}},
        {"strengths": {"greedy": 0.0}, "players": (3,), "goals": {"g": {"measure": "random_share", "at_most": "20%"}}},
        {"kinds": ("mirror",)},
        {"kinds": ("field",), "players": (6,)},
        {"kinds": ("one_vs_rest",)},
        {"ties": "shared", "goals": {"g": {"measure": "shared_wins", "at_most": "1%"}}},
    ],
    ids=lambda state: " ".join(f"{k}={v}" if k != "goals" else "goals" for k, v in state.items())[:60],
)
def test_every_state_makes_a_page(tmp_path, state):
    settings = {"players": (2, 3), "games": 4_000, **state}
    facts = emblems_facts()
    run = write_run(tmp_path / "run", facts, game="emblems", **settings)
    report = build(run, facts)
    page = render(report)
    parsed(page)
    assert "nan" not in page.lower().replace("nantes", "")
    assert "None" not in re.sub(r"None surely", "", page)
    assert not re.search(r"\binf\b", page)
    assert report["verdict"]["sentence"][-1] == "."


def test_fifty_games_are_too_few(tmp_path):
    run = write_run(
        tmp_path / "run",
        mon_facts(),
        players=(4,),
        games=50,
        goals={"f": {"measure": "first_player", "within": "4% of par"}},
    )
    report = build(run, mon_facts())
    assert report["goals"][0]["verdict"] == "close"
    assert report["goals"][0]["games_needed"] > 1_000
    assert "too few to tell whether the goal is met" in report["verdict"]["sentence"]
    assert "too close to call" in render(report)


def test_failed_control_is_the_verdict(tmp_path):
    run = write_run(tmp_path / "run", mon_facts(), players=(3,), games=3_000, goals=GOALS)
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps({**manifest, "status": "interrupted"}))
    tree = parsed(render(build(run, mon_facts())))
    box = next(e for e in tree.iter(f"{HTML}div") if e.get("id") == "verdict")
    assert text_of(box.find(f"{HTML}h2")).startswith("Results not trustworthy: the run is not complete")
    assert box.get("class") == "verdict bad"
    assert text_of(box).endswith("Decide nothing by them.")
    following = next(e for e in tree.iter(f"{HTML}section") if e.get("id") == "next")
    assert "First of all, the control that failed." in text_of(following)
    assert "hakari trace" not in text_of(following)
    goals = next(e for e in tree.iter(f"{HTML}section") if e.get("id") == "goals")
    assert "A control failed: do not rely on these verdicts." in text_of(goals)
    controls = [d for d in tree.iter(f"{HTML}details") if "Controls:" in text_of(d)]
    assert controls[0].get("open") is not None


def test_deals_among_equals_are_counted_apart():
    mixed, equals = {"rotations": 4, "deals": 2_500}, {"rotations": 1, "deals": 10_000}
    assert _deals([mixed, mixed]) == "5,000 in every seating"
    assert _deals([mixed, equals]) == "2,500 in every seating, 10,000 among equals in one"
    assert _deals([equals]) == "10,000"


def test_parameters_stand_beside_their_defaults():
    assert params([("tempo", 0.8, 0.5), ("care_2", 1.0, 1.0)]) == "tempo 0.8 (default 0.5) and care 2 1"
    assert params([("tempo", 0.5, 0.5)]) == "tempo 0.5, as by default"
    assert params([("tempo", 0.5, None)]) == "tempo 0.5"


def test_a_changed_config_shows_in_the_header(mon_report):
    def lede(settings):
        page = render({**mon_report, "run": {**mon_report["run"], "subtitle": "The book", "settings": settings}})
        return next(text_of(e) for e in parsed(page).iter(f"{HTML}p") if e.get("class") == "lede")

    assert lede([]) == "The book"
    assert lede(["points[17]=4"]) == "The book, but points[17]=4"
    assert lede(["a=1", "b=2", "c=3", "d=4"]) == "The book, but a=1, b=2 and 2 more"


def test_the_verdict_says_what_the_edit_did(compared, compared_page):
    line = next(e for e in parsed(compared_page).iter(f"{HTML}p") if e.get("class") == "since-line")
    said = text_of(line)
    assert said.startswith('Since “Castle first prize 4”: sets.A.castle."3-4" [4, 3, 1] → [5, 3, 1]. ')
    worse = next(len(t["goals"]) for t in compared["baseline"]["tally"] if t["class"] == "worse")
    assert f"{worse} goal" in said and "worse" in said
    assert "of identical deals with " in said
    assert line.find(f"{HTML}a").get("href") == "#changed"


def test_goals_at_a_glance_hold_every_verdict(compared, compared_page):
    table = next(t for t in parsed(compared_page).iter(f"{HTML}table") if t.get("class") == "glance")
    cells = [text_of(td) for td in table.iter(f"{HTML}td")]
    filled = [cell for cell in cells if cell != "–"]
    assert len(filled) == len(compared["goals"])
    for verdict, glyph in words.GLYPHS.items():
        assert sum(cell.startswith(glyph) for cell in filled) == sum(g["verdict"] == verdict for g in compared["goals"])


def test_no_baseline_no_column(mon_page):
    tree = parsed(mon_page)
    assert "Since baseline" not in text_of(tree)
    assert "changed" not in [e.get("id") for e in tree.iter()]


def test_refused_strategy_is_named_on_the_page(tmp_path):
    run = write_run(tmp_path / "run", mon_facts(), players=(3,), games=3_000)
    manifest = json.loads((run / "manifest.json").read_text())
    failures = [{"strategy": "peeker", "message": "its choice depends on hidden cards"}]
    (run / "manifest.json").write_text(json.dumps({**manifest, "failures": failures}))
    page = render(build(run, mon_facts()))
    notice = next(e for e in parsed(page).iter(f"{HTML}p") if "notice" in e.get("class", ""))
    assert text_of(notice) == "Did not play: peeker (its choice depends on hidden cards)."


def test_templates_trust_only_our_own_files():
    for file in TEMPLATES.glob("*.j2"):
        source = file.read_text(encoding="utf-8")
        assert "|safe" not in source.replace(" ", "")
        assert "autoescape" not in source


def test_drawn_charts_are_well_formed(compared_page):
    for chart in re.findall(r"<svg class=\"(?:chart|strip).*?</svg>", compared_page, flags=re.S):
        ET.fromstring(chart)


def test_house_is_light():
    """Importing what builds a report loads no chart library."""
    program = "import sys, reports.tables; print('matplotlib' in sys.modules, 'pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=Path.cwd())
    assert done.stdout.split() == ["False", "False"]
