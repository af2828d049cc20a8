"""Writing the report of a run into its folder: `report.json`, `report.html` and `tables/*.csv`."""

from pathlib import Path
from typing import Any

from reports import csv_tables
from reports.games import facts_of
from reports.tables import build
from sim.engine import session
from sim.errors import StorageError
from sim.results import read_manifest, write_json, write_text


def report(folder: Path, baseline: str | None = None) -> Path:
    """Write the report of a run.

    Parameters
    ----------
    folder : path
        Folder of the run.
    baseline : str, optional
        What to compare with: a folder, "last" (the newest other complete run of the game) or "none"; without it,
        what the run itself names, if that still exists.

    Returns
    -------
    path
        The page.
    """
    from reports.page import render

    manifest = read_manifest(folder)
    facts, before = facts_of(manifest["game"], manifest["config"]), _baseline(folder, manifest, baseline)
    try:
        content = build(folder, facts, before)
    except StorageError:
        if before is None or baseline is not None:
            raise
        content = build(folder, facts)  # a damaged baseline that nobody asked for must not cost the report
    write_json(content, folder / "report.json")
    csv_tables.write(content, folder / "tables")
    page = folder / "report.html"
    write_text(render(content), page)
    return page


def _baseline(folder: Path, manifest: dict[str, Any], wanted: str | None) -> Path | None:
    """Find the run to compare with."""
    if wanted == "none":
        return None
    if wanted == "last":
        others = [path for path in session.runs(manifest["game"]) if path.resolve() != folder.resolve()]
        return next((path for path in reversed(others) if read_manifest(path)["status"] == "complete"), None)
    if wanted is not None:
        return Path(wanted)
    named = manifest["baseline"]
    return Path(named) if named and Path(named).is_dir() else None
