"""Writing a comparison into its folder: `compare.json` and `compare.html`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim.results import write_json, write_text

JSON, HTML = "compare.json", "compare.html"


def write(found: Mapping[str, Any], folder: Path) -> Path:
    """Write a comparison and give the path of its page."""
    from reports.compare.page import render

    write_json(found, folder / JSON)
    page = folder / HTML
    write_text(render(found), page)
    return page
