"""The pages in a real browser: accessible, complete without scripts, and silent on the network."""

import json
import os
import shutil

import pytest

from reports.page import render
from reports.tables import build
from tests.reports.conftest import GOALS, evil_facts, evil_run
from tests.reports.synthetic import emblems_facts, mon_facts, write_run
from tests.reports.test_answers_page import answered_run

CHROMIUM = shutil.which("chromium")

# CI installs the browser, so there its absence is a fault and not a reason to skip.
if CHROMIUM is None and not os.environ.get("CI"):
    pytest.skip("needs Debian's chromium", allow_module_level=True)

from axe_playwright_python.sync_playwright import Axe  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")

VIEWS = [(1280, "light"), (1280, "dark"), (400, "light"), (400, "dark")]


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


MANY = {
    "first": {"measure": "first_player", "within": "4% of par"},
    "seats": {"measure": "every_seat", "within": "10% of par"},
    "best": {"measure": "best_strategy", "at_most": "200% of par"},
    "random": {"measure": "random_share", "at_most": "50% of par"},
    "half": {"measure": "leader_wins", "at": "50%", "between": ["45%", "75%"]},
    "close": {"measure": "close_finish", "points": 3, "at_least": "50%"},
    "tie": {"measure": "tie_break", "at_most": "10%"},
    "least": {"measure": "item_played", "at_least": "50%"},
    "seen": {"measure": "item_seen", "within": "2pp"},
}


GRID = {
    "id": "grid",
    "headline": "Rewards",
    "panels": [],
    "grids": [
        {
            "caption": "4 players",
            "note": "set A",
            "columns": ["1st", "2nd"],
            "rows": [
                {
                    "label": "Castle",
                    "sub": "1.70 a card",
                    "cells": [
                        {"head": "4", "lines": [{"label": f"if {t}", "text": "+0.1", "tint": t} for t in range(-3, 4)]}
                    ],
                }
            ],
        }
    ],
}
"""A table in the shape of a printed card, with every tint."""


@pytest.fixture(scope="module")
def files(tmp_path_factory, mon_page, mon_report, compared_page, comparison_page):
    """Pages of all kinds: 54 cards, a baseline, names that do harm, 50 games, a failed control, 45 goals."""
    folder = tmp_path_factory.mktemp("pages")
    evil = evil_run(folder / "evil")
    few = write_run(folder / "few", mon_facts(), players=(4,), games=50, goals=GOALS)
    many = write_run(folder / "many", mon_facts(), players=range(2, 7), games=9_000, goals=MANY, title="Many goals")
    broken = write_run(folder / "broken", emblems_facts(), game="emblems", players=(3, 4), games=3_000, goals=GOALS)
    manifest = json.loads((broken / "manifest.json").read_text())
    (broken / "manifest.json").write_text(json.dumps({**manifest, "status": "interrupted"}))
    pages = {
        "mon": mon_page,
        "emblems": compared_page,
        "comparison": comparison_page,
        "evil": render(build(evil, evil_facts(), evil)),
        "few": render(build(few, mon_facts())),
        "broken": render(build(broken, emblems_facts())),
        "answered": render(build(answered_run(folder / "answered"), emblems_facts())),
        "grid": render({**mon_report, "panels": [{"id": "grid", "title": "Cards as printed", "figures": [GRID]}]}),
        "many": render(build(many, mon_facts(), many)),
    }
    for name, page in pages.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return folder


def printed(browser, file):
    """Open a page as it is printed on A4: 182 mm between the margins."""
    page = browser.new_page(viewport={"width": 688, "height": 1001})
    page.emulate_media(media="print")
    page.goto(file.as_uri())
    return page


@pytest.mark.parametrize("game", ["emblems", "few", "broken", "many"])
def test_the_first_printed_page_holds_the_verdict_and_all_goals(browser, files, game):
    page = printed(browser, files / f"{game}.html")
    held = page.evaluate(
        """() => {
            const all = [...document.querySelectorAll(".glance td:not(:empty), .goals tbody tr")];
            const on = all.filter(each => each.getBoundingClientRect().bottom <= 1001 && each.innerText !== "–");
            const glance = on.filter(each => each.tagName === "TD").length;
            return [glance || on.length, document.querySelectorAll(".goals tbody tr").length,
                    document.querySelector("#verdict").getBoundingClientRect().bottom];
        }"""
    )
    shown, goals, verdict = held
    assert shown == goals > 0
    assert verdict < 1001
    page.close()


@pytest.mark.parametrize("game", ["mon", "emblems", "many"])
def test_nothing_is_wider_than_the_printed_page(browser, files, game):
    page = printed(browser, files / f"{game}.html")
    assert page.evaluate("document.documentElement.scrollWidth") <= 688 * 1.02
    page.close()


@pytest.mark.parametrize(
    ("game", "width", "scheme"),
    [(game, *view) for game in ("mon", "emblems", "comparison") for view in VIEWS]
    + [("broken", 1280, "light"), ("broken", 400, "dark"), ("evil", 1280, "dark"), ("evil", 400, "light")]
    + [("grid", 1280, "light"), ("grid", 400, "dark"), ("answered", 1280, "dark"), ("answered", 400, "light")],
)
def test_axe_finds_nothing_serious(browser, files, game, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto((files / f"{game}.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    found = Axe().run(page).response["violations"]
    serious = [each for each in found if each["impact"] in ("serious", "critical")]
    assert not serious, [(each["id"], [node["html"][:120] for node in each["nodes"][:3]]) for each in serious]
    page.close()


@pytest.mark.parametrize("game", ["mon", "emblems", "evil", "few", "broken", "many", "comparison", "answered"])
def test_no_request_and_nothing_wider_than_the_screen(browser, files, game):
    asked = []
    page = browser.new_page(viewport={"width": 400, "height": 900})
    page.on("request", lambda request: asked.append(request.url))
    page.goto((files / f"{game}.html").as_uri())
    assert asked == [(files / f"{game}.html").as_uri()]
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.close()


@pytest.mark.parametrize("game", ["mon", "emblems", "comparison"])
def test_complete_with_scripts_off(browser, files, game):
    """Everything that the page says with scripts, it says without them."""
    said = []
    for scripts in (True, False):
        context = browser.new_context(java_script_enabled=scripts)
        page = context.new_page()
        page.goto((files / f"{game}.html").as_uri())
        said.append({line.strip() for line in page.inner_text("main").splitlines() if line.strip()})
        context.close()
    with_scripts, without = said
    assert without >= {line for line in with_scripts if not line.startswith(("Find a", "Print"))}
