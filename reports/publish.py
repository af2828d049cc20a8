"""Publishing: all runs of a folder -> a site of plain files, with the history of every goal.

The site keeps a copy of every report that it ever showed, so a run whose folder was deleted stays in it, and its
history with it. To take a run off the site, delete its folder and its two files under `runs/`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from reports import charts, figures, words
from reports import compare as comparing
from reports.compare import page as compare_page
from reports.goals import worst_of_each
from reports.page import drawing, environment, render, static
from sim.errors import StorageError, UsageError
from sim.results import MANIFEST, read_manifest

SCHEMA = "hakari-site/1"
RUNS = "runs"
"""Folder of the copies in the site; `runs.json` lists them in the order of their start."""

COMPARISONS = "comparisons"
"""Folder of the copies of comparisons."""

LAST = 20
"""Runs that a small chart shows."""

FIRST = 3
"""Goals shown beside a game's verdict; all others unfold."""

OF_RUN = ("title", "subtitle", "name", "date", "games", "players")
OF_GOAL = ("id", "goal", "label", "subject", "kind", "default", "band", "est", "joint_lo", "joint_hi", "verdict")
STATES = {
    "broken": ("✗", "not trustworthy"),
    **{state: (words.GLYPHS[state], words.VERDICTS[state]) for state in ("outside", "close", "inside")},
    "none": ("–", "no goal set"),
}
"""State of a verdict -> its glyph and word, in the order in which games are shown."""

COMPARED = {
    "better": ("✓", "better", "inside"),
    "worse": ("✗", "worse", "outside"),
    "mixed": ("✗", "better and worse", "outside"),
    "same": ("✓", "the same", "inside"),
    "unclear": ("?", "unclear", "close"),
    "broken": ("✗", "not trustworthy", "broken"),
}
"""Verdict of a comparison -> its glyph, its word and the state whose colour it has."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Published:
    """What was published.

    Attributes
    ----------
    index : path
        The front page.
    runs : int
        Reports in the site.
    comparisons : int
        Comparisons in the site.
    left_out : list of (path, str)
        Folders of runs that are not shown, and why.
    """

    index: Path
    runs: int
    comparisons: int
    left_out: list[tuple[Path, str]]


@dataclass(frozen=True)
class Entry:
    """A run in the site: what the front page tells of it, and where its files come from."""

    game: str
    run: str
    started: str
    facts: Mapping[str, Any]
    state: str
    sentence: str
    goals: Sequence[Row]
    report: Path
    page: Path

    def file(self, ending: str) -> str:
        """Name a file of this run in the site."""
        return f"{RUNS}/{self.game}/{self.run}.{ending}"

    def link(self, ending: str) -> str:
        """Write the address of a file, seen from the front page."""
        return quote(self.file(ending))


@dataclass(frozen=True)
class Comparison:
    """A comparison in the site: what the front page tells of it, and where its files come from."""

    game: str
    name: str
    heading: str
    date: str
    state: str
    sentence: str
    found: Path
    page: Path

    def file(self, ending: str) -> str:
        """Name a file of this comparison in the site."""
        return f"{COMPARISONS}/{self.game}/{self.name}.{ending}"

    def link(self, ending: str) -> str:
        """Write the address of a file, seen from the front page."""
        return quote(self.file(ending))


def publish(site: Path, out: Path) -> Published:
    """Build the site of all runs, or bring it up to date.

    All pages are made before the first is put in its place, each is put there whole, and the front page comes last.

    Parameters
    ----------
    site : path
        Folder of the site.
    out : path
        Folder of the runs, `<game>/<run>/` each.

    Raises
    ------
    sim.errors.UsageError
        If there is no report to publish.
    sim.errors.StorageError
        If a file cannot be read or written.
    """
    left_out: list[tuple[Path, str]] = []
    found = {(entry.game, entry.run): entry for entry in (*_kept(site), *_runs(out, left_out))}
    compared = _comparisons(site, out, left_out)
    if not found and not compared:
        raise UsageError(
            f"there is no report to publish in {out}",
            got="; ".join(f"{folder}: {why}" for folder, why in left_out) or None,
            fix="play a game first, for example: make balance GAME=mon",
        )
    entries = sorted(found.values(), key=lambda entry: (entry.started, entry.game, entry.run))
    files: dict[str, Path | str] = {}
    for entry in entries:
        files[entry.file("json")] = entry.report
        files[entry.file("html")] = entry.page if entry.page.is_file() else _rendered(entry.report)
    for each in compared:
        files[each.file("json")] = each.found
        files[each.file("html")] = each.page if each.page.is_file() else compare_page.render(_json(each.found))
    files["runs.json"] = json.dumps(_list(entries, compared), ensure_ascii=False, indent=1) + "\n"
    files["index.html"] = front_page(entries, compared)
    try:
        _put(files, site)
    except OSError as error:
        raise StorageError(f"cannot write the site {site}: {error.strerror}", got=error.filename) from None
    return Published(site / "index.html", len(entries), len(compared), left_out)


# --- reading -----------------------------------------------------------------------------------------------------


def _runs(out: Path, left_out: list[tuple[Path, str]]) -> Iterator[Entry]:
    """Read the runs that are complete and have a report; note the others."""
    folders = {path.parent for name in (MANIFEST, "report.json") for path in out.glob(f"*/*/{name}")}
    for folder in sorted(folders):
        try:
            manifest = read_manifest(folder) if (folder / MANIFEST).exists() else {}
            if manifest.get("status", "complete") not in ("complete", "failed"):
                left_out.append((folder, "it is not complete"))
            elif not (folder / "report.json").exists():
                left_out.append((folder, f"it has no report; write it with `hakari report {folder}`"))
            else:
                started = manifest.get("started")
                yield _entry(folder.parent.name, folder.name, folder / "report.json", folder / "report.html", started)
        except StorageError as error:
            left_out.append((folder, error.what))


def _kept(site: Path) -> Iterator[Entry]:
    """Read the site's own copies."""
    listed = _listed(site / "runs.json") if (site / "runs.json").exists() else {}
    for report in sorted((site / RUNS).glob("*/*.json")):
        game, run = report.parent.name, report.stem
        yield _entry(game, run, report, report.with_suffix(".html"), listed.get((game, run)))


def _comparisons(site: Path, out: Path, left_out: list[tuple[Path, str]]) -> list[Comparison]:
    """Read the site's own copies of comparisons and those of the runs' folder, the newest first."""
    kept = [
        (path.parent.name, path.stem, path, path.with_suffix(".html")) for path in site.glob(f"{COMPARISONS}/*/*.json")
    ]
    fresh = [
        (path.parent.parent.name, path.parent.name, path, path.with_name(comparing.HTML))
        for path in out.glob(f"*/*/{comparing.JSON}")
    ]
    found: dict[tuple[str, str], Comparison] = {}
    for game, name, path, page in (*kept, *fresh):
        try:
            found[game, name] = _comparison(game, name, path, page)
        except StorageError as error:
            left_out.append((path.parent, error.what))
    return sorted(found.values(), key=lambda each: (_day(each.date), each.name, each.game), reverse=True)


def _comparison(game: str, name: str, path: Path, page: Path) -> Comparison:
    found = _json(path)
    try:
        verdict, date = found["verdict"], found["game"]["date"]
        if found["schema"] == comparing.SCHEMA and verdict["state"] in COMPARED and _day(date):
            heading = compare_page.heading(found)
            return Comparison(game, name, heading, date, verdict["state"], verdict["sentence"], path, page)
    except (KeyError, TypeError, ValueError):
        pass
    raise StorageError(f"{path} is no comparison that this version of Hakari can read")


def _listed(path: Path) -> dict[tuple[str, str], str]:
    """Read when the runs of the site began."""
    try:
        return {(each["game"], each["run"]): each["started"] for each in _json(path)["runs"]}
    except (KeyError, TypeError):
        raise StorageError(f"{path} does not list the runs of a site", fix="choose another folder with --out") from None


def _entry(game: str, run: str, path: Path, page: Path, started: str | None) -> Entry:
    report = _json(path)
    try:
        facts = {key: report["run"][key] for key in OF_RUN}
        goals = [{key: goal[key] for key in OF_GOAL} for goal in report["goals"]]
        state, sentence = report["verdict"]["state"], report["verdict"]["sentence"]
        if {state, *(goal["verdict"] for goal in goals)} <= STATES.keys():
            return Entry(game, run, started or _day(facts["date"]), facts, state, sentence, goals, path, page)
    except (KeyError, TypeError, ValueError):
        pass
    raise StorageError(f"{path} is no report that this version of Hakari can read")


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StorageError(f"cannot read {path}: {error}") from None


def _day(date: str) -> str:
    """Turn a printed day into one that sorts: for runs of which nothing but the report is left.

    >>> _day("9 Nov 2026")
    '2026-11-09'
    """
    day, month, year = date.split()
    return f"{year}-{words.MONTHS.index(month) + 1:02}-{int(day):02}"


def _rendered(report: Path) -> str:
    """Write a page that is missing anew."""
    return render(_json(report))


# --- writing -----------------------------------------------------------------------------------------------------


def _put(files: Mapping[str, Path | str], site: Path) -> None:
    """Put files in their place, in their order; those that are there already stay untouched."""
    site.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{site.name}-", dir=site.parent) as waiting:
        new = []
        for name, source in files.items():
            content = source.encode() if isinstance(source, str) else source.read_bytes()
            if not (site / name).is_file() or (site / name).read_bytes() != content:
                (Path(waiting) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(waiting) / name).write_bytes(content)
                new.append(name)
        for name in new:
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(waiting) / name).replace(site / name)


def _list(entries: Sequence[Entry], compared: Sequence[Comparison]) -> Row:
    """List the runs for other programs, and for the site itself: it keeps the order when their folders are gone."""
    return {
        "schema": SCHEMA,
        "runs": [
            {
                "game": entry.game,
                "run": entry.run,
                "started": entry.started,
                "state": entry.state,
                "sentence": entry.sentence,
                "page": entry.link("html"),
                "report": entry.link("json"),
            }
            for entry in entries
        ],
        "comparisons": [
            {
                "game": each.game,
                "name": each.name,
                "state": each.state,
                "sentence": each.sentence,
                "page": each.link("html"),
                "comparison": each.link("json"),
            }
            for each in compared
        ],
    }


# --- the front page ----------------------------------------------------------------------------------------------


def front_page(entries: Sequence[Entry], compared: Sequence[Comparison] = ()) -> str:
    """Write the front page.

    Parameters
    ----------
    entries : sequence of Entry
        All runs, the oldest first.
    compared : sequence of Comparison
        All comparisons, the newest first.

    Returns
    -------
    str
        A complete HTML document, which links to the reports and loads nothing.
    """
    by_game: dict[str, list[Entry]] = {}
    for entry in entries:
        by_game.setdefault(entry.game, []).append(entry)
    with charts.style():
        shown = [_game(number, runs) for number, runs in enumerate(by_game.values(), 1)]
    shown.sort(key=lambda game: (list(STATES).index(game["state"]), game["title"]))
    html: str = (
        environment()
        .get_template("index.html.j2")
        .render(
            css=static("style.css") + "\n" + static("index.css"),
            facts=_facts(entries, [runs[-1] for runs in by_game.values()]),
            games=shown,
            comparisons=[_compared(each) for each in compared],
            last=LAST,
        )
    )
    return html.lstrip()


def _facts(entries: Sequence[Entry], newest: Sequence[Entry]) -> list[tuple[str, str]]:
    goals = [goal for entry in newest if entry.state != "broken" for goal in entry.goals if not goal["default"]]
    met = sum(goal["verdict"] == "inside" for goal in goals)
    played = words.count(sum(entry.facts["games"] for entry in newest))
    return [
        ("Games", str(len(newest))),
        ("Runs kept", str(len(entries))),
        ("Games simulated", f"{played} in the newest run{'s' if len(newest) > 1 else ''}"),
        ("Goals met", f"{met} of {len(goals)}" if goals else "none set"),
        ("Last run", entries[-1].facts["date"] if entries else "none"),
    ]


def _compared(each: Comparison) -> Row:
    glyph, word, state = COMPARED[each.state]
    return {
        "heading": each.heading,
        "page": each.link("html"),
        "json": each.link("json"),
        "date": each.date,
        "sentence": each.sentence,
        "state": state,
        "glyph": glyph,
        "word": word,
    }


def _game(number: int, runs: Sequence[Entry]) -> Row:
    """Tell a game by its newest run, and its goals by the newest run that can be trusted."""
    newest = runs[-1]
    trusted = [entry for entry in runs if entry.state != "broken"]
    judged = trusted[-1] if trusted else newest
    history = {goal["id"]: _history(goal["id"], trusted) for goal in judged.goals}
    rows = [goal for goal in judged.goals if judged in trusted]
    shown = worst_of_each(rows)[:FIRST]
    return {
        **_run(newest),
        "id": f"game-{number}",
        "title": newest.facts["title"],
        "sentence": newest.sentence,
        "counts": _counts(newest),
        "since": judged.facts["date"] if rows and judged is not newest else "",
        "first": [_goal(goal, history, f"game-{number}-first-{i}") for i, goal in enumerate(shown, 1)],
        "goals": [_goal(goal, history, f"game-{number}-goal-{i}") for i, goal in enumerate(rows, 1)]
        if len(rows) > len(shown)
        else [],
        "runs": [_run(entry) for entry in reversed(runs)],
    }


def _run(entry: Entry) -> Row:
    glyph, word = STATES[entry.state]
    own = [goal for goal in entry.goals if not goal["default"]]
    met = sum(goal["verdict"] == "inside" for goal in own)
    return {
        "run": entry.run,
        "page": entry.link("html"),
        "report": entry.link("json"),
        "config": entry.facts["subtitle"] or entry.facts["name"],
        "players": _players(entry.facts["players"]),
        "games": words.count(entry.facts["games"]),
        "date": entry.facts["date"],
        "state": entry.state,
        "glyph": glyph,
        "word": word,
        "met": f"{met} of {words.plural(len(own), 'goal')} met" if own and entry.state != "broken" else "",
    }


def _players(counts: Sequence[int]) -> str:
    """Write player counts: 2–4 players, 2 and 5 players, 1 player."""
    if len(counts) > 2 and list(counts) == list(range(counts[0], counts[-1] + 1)):
        return f"{counts[0]}–{counts[-1]} players"
    return f"{words.listing([str(n) for n in counts]) or 'no'} player{'' if list(counts) == [1] else 's'}"


def _counts(entry: Entry) -> list[Row]:
    """Count the goals by verdict; a run that cannot be trusted or has no goals says that instead."""
    if entry.state in ("broken", "none"):
        glyph, word = STATES[entry.state]
        return [{"state": entry.state, "glyph": glyph, "text": word}]
    own = [goal["verdict"] for goal in entry.goals if not goal["default"]]
    return [
        {"state": state, "glyph": glyph, "text": f"{own.count(state)} {word}"}
        for state, (glyph, word) in STATES.items()
        if state in own
    ]


def _history(goal_id: str, runs: Sequence[Entry]) -> list[Row]:
    """Collect a goal's last values, the oldest first."""
    found = [goal for entry in runs for goal in entry.goals if goal["id"] == goal_id and goal["est"] is not None]
    return found[-LAST:]


def _goal(goal: Row, history: Mapping[str, Sequence[Row]], slug: str) -> Row:
    known = goal["est"] is not None
    return {
        **goal,
        "value": words.goal_value(goal, goal["est"]),
        "range": words.goal_range(goal),
        "spark": drawing(figures.spark(history[goal["id"]]), slug, "spark") if known else "",
    }
