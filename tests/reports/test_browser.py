"""The pages in a real browser: accessible, complete without scripts, and silent on the network."""

import os
import shutil

import pytest

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


@pytest.fixture(scope="module")
def files(tmp_path_factory, mon_page, compared_page, comparison_page):
    folder = tmp_path_factory.mktemp("pages")
    for name, page in (("mon", mon_page), ("emblems", compared_page), ("comparison", comparison_page)):
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return folder


@pytest.mark.parametrize("game", ["mon", "emblems", "comparison"])
@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_axe_finds_nothing_serious(browser, files, game, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto((files / f"{game}.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    found = Axe().run(page).response["violations"]
    serious = [each for each in found if each["impact"] in ("serious", "critical")]
    assert not serious, [(each["id"], [node["html"][:120] for node in each["nodes"][:3]]) for each in serious]
    page.close()


@pytest.mark.parametrize("game", ["mon", "emblems", "comparison"])
def test_no_request_and_nothing_wider_than_the_screen(browser, files, game):
    asked = []
    page = browser.new_page(viewport={"width": 400, "height": 900})
    page.on("request", lambda request: asked.append(request.url))
    page.goto((files / f"{game}.html").as_uri())
    assert asked == [(files / f"{game}.html").as_uri()]
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
