"""The numbers of a report as CSV files, for spreadsheets: `tables/*.csv` beside `report.json`.

UTF-8, RFC 4180, one header row; a file without rows holds its header alone. `panel_*.csv` are tables as on the page.
All other numbers stand as in `report.json`: shares are fractions, `lo`..`hi` is the 95% range of a row,
`joint_lo`..`joint_hi` the range that holds for all rows together, an empty cell is what cannot be said. Seat 1 is the
first player.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.results import write_text

Report = Mapping[str, Any]
Row = dict[str, Any]

RANGE = ("est", "lo", "hi", "joint_lo", "joint_hi")
ITEM_NUMBERS = ("seen", "seen_adjusted", "lift", "lift_adjusted", "played", "delta")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?%?", re.IGNORECASE)
FORMULA = tuple("=+-@\t\r＝＋－＠")
"""What a spreadsheet takes for the start of a formula, full-width forms too."""

NO_ITEMS: Report = {"rows": [], "groups": [], "uses": [], "players": [], "available": "", "played": ""}


def write(report: Report, folder: Path) -> None:
    """Write all tables of a report.

    Parameters
    ----------
    report : dict
        As `report.json` holds it.
    folder : path
        Where the files go; made if it is not there.

    Raises
    ------
    sim.errors.StorageError
        If a file cannot be written.
    """
    for name, rows in tables(report).items():
        write_text(text(rows), folder / f"{name}.csv")


def text(rows: Sequence[Sequence[Any]]) -> str:
    """Write rows, the header first, as the text of a CSV file."""
    out = io.StringIO()
    csv.writer(out).writerows([cell(value) for value in row] for row in rows)
    return out.getvalue()


def cell(value: Any) -> Any:
    """Write a value so that no spreadsheet takes it for a formula.

    >>> cell("=1+1"), cell("-3.5"), cell(-3.5), cell(True), cell(None)
    ("'=1+1", '-3.5', -3.5, 'true', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(FORMULA) and not NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def tables(report: Report) -> dict[str, list[list[Any]]]:
    """Return every table by its name: the header, then the rows.

    Parameters
    ----------
    report : dict
        As `report.json` holds it.
    """
    items = report["items"] or NO_ITEMS
    seats, unfold = report["seats"], report["unfold"]
    change = ("before", *_keys("delta"))
    return {
        "goals": _table(
            [
                *("goal", "label", "measure", "players", "subject", "band", "band_lo", "band_hi", "par", *RANGE),
                *("verdict", "games_needed", "on_edge", "default", "games", "deals", "chunks"),
                *("before", "before_verdict", "delta", "delta_lo", "delta_hi", "change"),
            ],
            map(_goal, report["goals"]),
        ),
        "seats": _table(
            ["players", "seat", "par", *RANGE, "alone", "score", "top", *change, "games", "deals"],
            ({**p, **_moved(row), "seat": row["seat"] + 1} for p in seats["panels"] for row in p["rows"]),
        ),
        "mirrors": _table(
            ["players", "strategy", "seat", "par", *RANGE, "games"],
            (each for p in seats["mirror"] for row in p["rows"] for each in _mirror(p, row)),
        ),
        "seat_facts": _table(
            ["players", "fact", "seat", "value"],
            (
                {**fact, "seat": seat, "value": value}
                for fact in seats["exact"]
                for seat, value in enumerate(fact["values"], 1)
            ),
        ),
        "strategies": _table(
            ["players", "strategy", "par", *RANGE, *change, "games"],
            ({**p, **_moved(row)} for p in report["shares"] for row in p["rows"]),
        ),
        "matchups": _table(
            ["players", "strategy", "against", "par", *RANGE, "games"],
            _matchups(report),
        ),
        "drift": _table(
            ["players", "strategy", "est", "lo", "hi", "takes_over", "of"],
            _drift(report),
        ),
        "ladder": _table(
            ["players", "strategy", "strength", "misfit", "sure"],
            (
                {**panel["ladder"], "players": panel["players"], "strategy": s["name"], "strength": strength}
                for panel in report["meta"]
                if panel["ladder"]
                for s, strength in zip(report["strategies"], panel["ladder"]["strength"], strict=True)
            ),
        ),
        "items": _table(
            [
                *("item", *(f"group_{g['title']}" for g in items["groups"]), "cases"),
                *(key for name in ITEM_NUMBERS for key in _keys(name)),
                *(
                    f"use_{use['key']}"
                    for use in items["uses"]
                    if use["key"] not in (items["available"], items["played"])
                ),
                *(f"seen_{n}_players" for n in items["players"]),
            ],
            map(_item, items["rows"]),
        ),
        "item_groups": _table(
            ["group", "name", "items", *RANGE],
            ({**row, "group": g["title"]} for g in items["groups"] for row in g["rows"]),
        ),
        "course": _table(
            ["players", "what", *RANGE, "games"],
            (
                {**p, **p[what], "what": what}
                for p in unfold
                for what in ("turns", "lead_changes", "shared", "tie_break", "capped")
            ),
        ),
        "leaders": _table(
            ["players", "at", "par", *RANGE, "games"],
            ({**p, **row, "games": n} for p in unfold for row, n in zip(p["leader"], p["leader_games"], strict=True)),
        ),
        "length": _table(
            ["players", "what", "at_least", "below", "games"],
            (
                {**p, "what": what, "at_least": at, "below": at + p[what]["width"], "games": n}
                for p in unfold
                for what in ("decisions", "rounds")
                for at, n in p[what]["bins"]
            ),
        ),
        "margins": _table(
            ["players", "margin", "games"],
            ({**p, "margin": margin, "games": n} for p in unfold for margin, n in enumerate(p["margin"])),
        ),
        "endings": _table(["players", "reason", "games"], ({**p, **row} for p in unfold for row in p["reasons"])),
        "experiments": _table(
            ["players", "kind", "lineups", "rotations", "games", "deals", "chunks"], report["experiments"]
        ),
        "controls": _table(["name", "found", "expected", "state"], report["controls"]),
        "changes": _table(["key", "old", "new"], _changes(report)),
        **dict(_panels(report)),
    }


def _table(columns: Sequence[str], rows: Iterator[Row] | Sequence[Row]) -> list[list[Any]]:
    return [list(columns), *([row.get(column) for column in columns] for row in rows)]


def _keys(name: str) -> list[str]:
    """Columns of a number with its ranges: seen_est, seen_lo, ..."""
    return [f"{name}_{key}" for key in RANGE]


def _under(name: str, numbers: Mapping[str, Any] | None) -> Row:
    return {} if numbers is None else {f"{name}_{key}": numbers[key] for key in RANGE}


def _moved(row: Row) -> Row:
    return {**row, **_under("delta", row["delta"])}


def _goal(goal: Row) -> Row:
    change = goal["change"] or {}
    return {
        **goal,
        "band": goal["band"]["text"],
        "band_lo": goal["band"]["lo"],
        "band_hi": goal["band"]["hi"],
        "before": change.get("before"),
        "before_verdict": change.get("before_verdict"),
        "delta": change.get("delta"),
        "delta_lo": change.get("lo"),
        "delta_hi": change.get("hi"),
        "change": change.get("class"),
    }


def _mirror(panel: Row, row: Row) -> Iterator[Row]:
    """Yield the seats of one strategy among its equals; only the first player's share has a range."""
    for seat, share in enumerate(row["seats"]):
        numbers = row if seat == 0 else {"est": share}
        yield {**panel, **numbers, "strategy": row["strategy"], "seat": seat + 1}


def _matchups(report: Report) -> Iterator[Row]:
    names = [s["name"] for s in report["strategies"]]
    for panel in report["duels"]:
        for name, cells in zip(names, panel["grid"], strict=True):
            for against, numbers in zip(names, cells, strict=True):
                if numbers is not None:
                    yield {**panel, **numbers, "strategy": name, "against": against}


def _drift(report: Report) -> Iterator[Row]:
    """Yield the part of the field that each strategy ends with, and in how many resamplings it takes over."""
    for panel in report["meta"]:
        found = panel["drift"]
        alone = {each["strategy"]: each["times"] for each in found["outcomes"]} if found else {}
        for i, numbers in enumerate(found["rows"] if found else ()):
            name = report["strategies"][i]["name"]
            taken = {"takes_over": alone.get(i, 0), "of": found["of"]}
            yield {**numbers, **taken, "players": panel["players"], "strategy": name}


def _item(item: Row) -> Row:
    return {
        "item": item["name"],
        "cases": item["cases"],
        **{f"group_{title}": group for title, group in item["groups"].items()},
        **{key: v for name in ITEM_NUMBERS for key, v in _under(name, item[name]).items()},
        **{f"use_{use}": part for use, part in item["uses"].items()},
        **{f"seen_{each['players']}_players": each["est"] for each in item["by_players"]},
    }


def _panels(report: Report) -> Iterator[tuple[str, list[list[Any]]]]:
    """Yield the tables of the game's own sections, as the page shows them."""
    for panel in report["panels"]:
        for figure in panel["figures"]:
            for number, table in enumerate(figure.get("numbers", []), 1):
                name = f"panel_{figure['id']}" + (f"_{number}" if number > 1 else "")
                head = [label if isinstance(label, str) else label[0] for label in table["columns"]]
                rows = [[value if isinstance(value, str) else value["text"] for value in row] for row in table["rows"]]
                yield name, [head, *rows]


def _changes(report: Report) -> Iterator[Row]:
    """Yield what differs between the configs of the baseline and of the run, as far as the page shows it."""
    for each in report["baseline"]["differences"] if report["baseline"] else ():
        old, new = ("".join(piece["text"] for piece in each[side]) for side in ("old", "new"))
        yield {"key": each["key"], "old": old, "new": new}
