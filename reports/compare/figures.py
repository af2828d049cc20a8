"""The figures of a comparison: always the change, B minus A, on a grey zone of no more than your margin."""

from collections.abc import Mapping, Sequence
from typing import Any

from reports import words
from reports.compare import verdict
from reports.figures.scales import (
    Chart,
    Figure,
    Table,
    axis,
    between,
    digits,
    dot,
    dots,
    from_par,
    layout,
    players_word,
    plot_pixels,
    reach_of,
    short_labels,
    width_of,
)
from reports.figures.strategies import MATRIX_MOST, tint
from reports.figures.strategies import grid as matrix_of

ITEMS_MOST = 20
"""More items than this are shown in the table only; the chart has those that moved most."""

ABOUT = {"lead_changes": "Lead changes in a game", "decisions": "Decisions in a game", "rounds": "Rounds in a game",
         "shared": "Shared wins", "tie_break": "Decided by the tie-break", "capped": "Stopped by the cap"}  # fmt: skip

Row = Mapping[str, Any]


def points(size: float | None, places: int) -> str:
    """Write a change of a share in points."""
    return words.number(None if size is None else 100.0 * size, places, signed=True)


def seats(found: Row) -> Figure | None:
    """Show how the win share of each seat changed."""
    return _changes(found, "seats", "Change of win share by seat", "Seat", lambda name: words.ordinal(int(name) + 1))


def strategies(found: Row) -> Figure | None:
    """Show how the win share of each strategy changed."""
    return _changes(found, "strategies", "Change of win share by strategy", "Strategy", str)


def leader(found: Row) -> Figure | None:
    """Show how the leader's chance to win changed."""
    return _changes(
        {**found, "leader": found["course"]["leader"]},
        "leader",
        f"Change in how often whoever leads by {found['game']['lead_unit']} goes on to win",
        "After",
        lambda name: f"{name} of rounds",
    )


def within(found: Row) -> Figure | None:
    """Show how the share of close games changed."""
    unit = found["game"]["unit"][1]

    def label(name: str) -> str:
        return "level" if name == "0" else f"within {name}"

    return _changes(
        {**found, "within": found["course"]["within"]},
        "within",
        f"Change in the share of games that end within so many {unit}",
        f"{words.sentence(unit)} ahead",
        label,
    )


def _changes(found: Row, key: str, what: str, head: str, label: Any) -> Figure | None:
    panels, margin = found[key], 100.0 * found["margins"][key]
    moved = [panel for panel in panels if panel["players"] not in found["identical"]]
    if not panels:
        return None
    places = max(digits(row["delta"] for panel in moved for row in panel["rows"]), 1)
    data = {panel["players"]: [from_par(row["delta"], 0.0) for row in panel["rows"]] for panel in moved}
    reach = [*reach_of(row for rows in data.values() for row in rows), -margin, margin]
    width = width_of(moved)
    names, labels = short_labels([label(row["name"]) for p in panels for row in p["rows"]], 104)
    charts = [
        _chart(
            [
                (names[label(row["name"])], numbers, margin, places)
                for row, numbers in zip(panel["rows"], data[panel["players"]], strict=True)
            ],
            width=width,
            labels=max(labels, 30),
            title=players_word(panel["players"]),
            reach=reach,
            alt=f"{what}, {players_word(panel['players'])}",
        )
        for panel in moved
    ]
    return {
        "id": key,
        "headline": _headline(found, key, moved, places),
        "sub": f"{what}, percentage points, B minus A · {_deals(found)}",
        "how": _how(found, margin),
        "panels": charts,
        "layout": layout(charts),
        "numbers": [
            {
                "caption": f"{what}, A and B",
                "columns": [[head, False], ["A", True], ["B", True], ["Change, pp", True], ["Joint range", True]],
                "rows": [
                    [
                        f"{players_word(panel['players'])}, {label(row['name'])}",
                        words.percent(row["a"], max(places, 1)),
                        words.percent(row["b"], max(places, 1)),
                        points(row["delta"]["est"], places),
                        between(row["delta"], "joint_", places, signed=True),
                    ]
                    for panel in panels
                    for row in panel["rows"]
                ],
            }
        ],
    }


def _chart(
    rows: Sequence[tuple[str, Chart, float, int]],
    *,
    width: str,
    labels: float,
    title: str,
    reach: list[float],
    alt: str,
) -> Chart:
    """Draw rows of changes; what lies wholly beyond the margin is bold."""
    texts = [words.number(numbers["x"], places, signed=True) for _, numbers, _, places in rows]
    margin = rows[0][2]
    scale = axis(reach, plot_pixels(width, labels), 40, "0")
    chart = dots(
        [
            dot({**numbers, "before": None}, name, text, strong=_beyond(numbers, margin))
            for (name, numbers, _, _), text in zip(rows, texts, strict=True)
        ],
        width=width,
        title=title,
        labels=labels,
        scale=scale,
        pitch=26 if len(rows) <= 12 else 22,
        alt=alt,
        desc="; ".join(f"{name} {text}" for (name, *_), text in zip(rows, texts, strict=True))
        + f". Margin {words.number(margin, 1)}.",
    )
    return {**chart, "margin": [max(-margin, scale["lo"]), min(margin, scale["hi"])]}


def _beyond(numbers: Chart, margin: float) -> bool:
    low, high = numbers["joint_lo"], numbers["joint_hi"]
    return low is not None and high is not None and (low > margin or high < -margin)


def _deals(found: Row) -> str:
    return "the same deals in both" if found["paired"] else "unrelated deals"


def _how(found: Row, margin: float) -> str:
    same = found["identical"]
    text = (
        "Dot: estimate. Thick line: range of this row. Thin line: range that holds for all rows together. Grey zone: "
        f"no more than your margin of {words.number(margin, 1)} points. Bold: wholly outside it."
    )
    if same and len(same) < len(found["game"]["players"]):
        text += f" {words.sentence(words.with_counts(same))} nothing changed at all."
    return text


def _headline(found: Row, key: str, moved: Sequence[Row], places: int) -> str:
    """Name the row that moved most, if it surely moved."""
    rows = [(panel, row) for panel in moved for row in panel["rows"] if row["delta"]["est"] is not None]
    if not rows or all(row["delta"]["est"] == 0.0 for _, row in rows):
        return "Nothing changed"
    margin = found["margins"][key]
    beyond = [pair for pair in rows if _beyond(from_par(pair[1]["delta"], 0.0), 100.0 * margin)]
    sure = [pair for pair in rows if _sure(pair[1]["delta"])]
    panel, row = max(beyond or sure or rows, key=lambda pair: abs(pair[1]["delta"]["est"]))
    size = f"{points(row['delta']['est'], places)} points"
    where = f" {words.with_players(panel['players'])}" if len(found["game"]["players"]) > 1 else ""
    name = {
        "seats": lambda: words.seat_name(int(row["name"])),
        "strategies": lambda: row["name"],
        "leader": lambda: f"whoever leads after {row['name']} of the rounds",
        "within": lambda: (
            "games that end level"
            if row["name"] == "0"
            else f"games that end within {words.plural(int(row['name']), *found['game']['unit'])}"
        ),
    }[key]()
    if beyond and key != "strategies":  # a strategy keeps its name as it is written
        name = words.sentence(name)
    if beyond:
        rest = len(beyond) - 1
        more = f"; {words.spelled(rest)} more beyond your margin" if rest else ""
        return f"{name}{where}: {size}{more}"
    if sure:
        return f"No more than your margin, or too close to tell; most for {name}{where}: {size}"
    return "No change is sure"


def _sure(delta: Row) -> bool:
    return delta["joint_lo"] is not None and not delta["joint_lo"] <= 0.0 <= delta["joint_hi"]


def winners(found: Row) -> Figure | None:
    """Show how many identical deals have another winner."""
    rows = [row for row in found["winners"] if row["share"] is not None]
    if not rows:
        return None
    most = max(rows, key=lambda row: row["share"])
    bars = [
        {
            "label": players_word(row["players"]),
            "value": 100.0 * row["share"],
            "text": words.changed_share(row),
            "right": "",
        }
        for row in rows
    ]
    top = max([bar["value"] for bar in bars] + [0.1])
    if most["share"] == 0.0:
        headline = "Every identical deal has the same winner"
    else:
        headline = words.other_winners([most], several=len(found["game"]["players"]) > 1)
    length = [
        [
            players_word(row["players"]),
            words.percent(row["share"], 2),
            words.span(100.0 * row["lo"], 100.0 * row["hi"], 2),
            words.number(row["moved"]["decisions"], 2),
            words.number(row["moved"]["rounds"], 2),
        ]
        for row in rows
    ]
    return {
        "id": "winners",
        "headline": headline,
        "sub": "Identical deals, in the same seating, whose winner under B is another than under A",
        "how": "Another winner is not better or worse; it shows how much of the game the edit touches.",
        "panels": [
            {
                "kind": "bars",
                "width": "M",
                "title": "Another winner",
                "title_right": "",
                "subtitle": "",
                "labels": 78,
                "axis": {"lo": 0.0, "hi": top},
                "value_head": "",
                "right_head": "",
                "rows": bars,
                "alt": "Games with another winner",
                "desc": "; ".join(f"{bar['label']} {bar['text']}" for bar in bars),
            }
        ],
        "layout": "one",
        "numbers": [
            {
                "caption": "How much the same game changed",
                "columns": [
                    ["Players", False],
                    ["Other winner", True],
                    ["Range", True],
                    ["Decisions more or fewer", True],
                    ["Rounds more or fewer", True],
                ],
                "rows": length,
            }
        ],
    }


def items(found: Row) -> Figure | None:
    """Show the items whose association with winning changed most."""
    rows = [row for row in found["items"] if row["seen"]["delta"]["est"] is not None]
    word, margin = found["game"]["item"], 100.0 * found["margins"]["items"]
    if not rows:
        return None
    ranked = sorted(rows, key=lambda row: -abs(row["seen"]["delta"]["est"]))
    shown = sorted(ranked[:ITEMS_MOST], key=lambda row: -row["seen"]["delta"]["est"])
    places = digits(row["seen"]["delta"] for row in rows)
    numbers = [from_par(row["seen"]["delta"], 0.0) for row in shown]
    names, labels = short_labels([row["name"] for row in shown], 120)
    beyond = [row for row in ranked if _beyond(from_par(row["seen"]["delta"], 0.0), margin)]
    still = all(row["seen"]["delta"]["est"] == 0.0 for row in rows)
    if still:
        headline = "Nothing changed"
    elif beyond:
        told = [f"{row['name']} ({points(row['seen']['delta']['est'], places)})" for row in beyond[:3]]
        more = f" and {len(beyond) - 3} more" if len(beyond) > 3 else ""
        headline = words.sentence(f"beyond your margin: {words.listing(told) if not more else ', '.join(told) + more}")
    else:
        headline = f"No {word[0]} surely changed by more than your margin"
    return {
        "id": "items",
        "headline": headline,
        "sub": f"Change in how a {word[0]} at hand goes with winning, points, B minus A · {_deals(found)}"
        + (f" · the {len(shown)} of {len(rows)} that moved most" if len(rows) > len(shown) else ""),
        "how": "An association, not a cause. " + _how(found, margin),
        "panels": []
        if still
        else [
            _chart(
                [(names[row["name"]], n, margin, places) for row, n in zip(shown, numbers, strict=True)],
                width="M",
                labels=max(labels, 30),
                title="",
                reach=[*reach_of(numbers), -margin, margin],
                alt=f"Change of {word[1]} seen with winning",
            )
        ],
        "layout": "one",
        "numbers": [_items_table(ranked, word, places)],
    }


def _items_table(rows: Sequence[Row], word: Sequence[str], places: int) -> Table:
    played_places = digits(row["played"]["delta"] for row in rows)
    columns = ["Seen with winning, A", "B", "Change, pp", "Joint range", "Played when at hand, A", "B", "Change, pp"]
    return {
        "caption": f"All {word[1]}, the largest change first",
        "columns": [[words.sentence(word[0]), False], *([name, True] for name in columns)],
        "rows": [
            [
                row["name"],
                points(row["seen"]["a"], places),
                points(row["seen"]["b"], places),
                points(row["seen"]["delta"]["est"], places),
                between(row["seen"]["delta"], "joint_", places, signed=True),
                words.percent(row["played"]["a"], 1),
                words.percent(row["played"]["b"], 1),
                points(row["played"]["delta"]["est"], played_places),
            ]
            for row in rows
        ],
    }


def course(found: Row) -> Table:
    """Tabulate the rest of a game's course."""
    rows = []
    for key, name in ABOUT.items():
        each = found["course"]["others"].get(key)
        if not each or not any(panel[side] for panel in each["panels"] for side in ("a", "b")):
            continue  # what never happens needs no row
        scale = 1.0 if each["kind"] == "mean" else 100.0
        unit = "" if each["kind"] == "mean" else "%"
        for panel in each["panels"]:
            change = panel["delta"]
            places = max(digits([change], scale, "lo", "hi"), 1)
            sizes = [None if panel[side] is None else scale * panel[side] for side in ("a", "b")]
            moved, low, high = (None if change[k] is None else scale * change[k] for k in ("est", "lo", "hi"))
            rows.append(
                [
                    f"{name}, {players_word(panel['players'])}",
                    *(words.number(size, places) + (unit if size is not None else "") for size in sizes),
                    words.number(moved, places, signed=True),
                    words.span(low, high, places, signed=True),
                ]
            )
    return {
        "caption": "How a game unfolds, A and B",
        "columns": [["What", False], ["A", True], ["B", True], ["Change", True], ["Range", True]],
        "rows": rows,
    }


def goals_table(found: Row) -> Table:
    """Tabulate all goals with everything that is known of their change."""
    rows = []
    for goal in found["goals"]:
        pairing = goal["pairing"]
        rows.append(
            [
                goal["label"],
                *verdict.both(goal),
                verdict.delta(goal),
                verdict.delta_range(goal),
                verdict.in_short(goal),
                words.number(pairing["correlation"], 2),
                saved(pairing["saved"]),
            ]
        )
    columns = ["A", "B", "Change", "Joint range", "In short", "Correlation", "Pairing saves"]
    return {
        "caption": "Goals in numbers, with what the same deals are worth",
        "columns": [["Goal", False], *([name, name != "In short"] for name in columns)],
        "rows": rows,
    }


def by_itself(found: Row) -> Figure | None:
    """Take the changes of the goals apart: what the edit does by itself, and what players make of it."""
    goals = [goal for goal in found["goals"] if goal["by_itself"] and goal["by_itself"]["delta"] is not None]
    if not goals:
        return None
    shares = [goal for goal in goals if goal["kind"] != "mean" and not goal["change"]["identical"]]
    panels = [[goal for goal in shares if goal["players"] == n] for n in found["game"]["players"]]
    numbers = [[_apart(goal) for goal in rows] for rows in panels]
    titles = {goal["id"]: goal["label"].rpartition(", ")[0] for goal in shares}  # the players stand above
    names, labels = short_labels(list(titles.values()), 190)
    width = width_of([rows for rows in panels if rows])
    scale = axis(reach_of(row for rows in numbers for row in rows), plot_pixels(width, labels), 40, "0")
    charts = [
        dots(
            [
                dot(row, names[titles[goal["id"]]], verdict.delta(goal))
                for goal, row in zip(goals_here, rows, strict=True)
            ],
            width=width,
            title=players_word(n),
            labels=max(labels, 30),
            scale=scale,
            alt=f"Change of the goals, and by itself, {players_word(n)}",
            desc="; ".join(
                f"{goal['label']} {verdict.delta(goal)}, by itself {part_text(goal, 'by_itself')}"
                for goal in goals_here
            ),
        )
        for n, goals_here, rows in zip(found["game"]["players"], panels, numbers, strict=True)
        if rows
    ]
    return {
        "id": "by-itself",
        "headline": _apart_headline(goals),
        "sub": "Change of each goal, percentage points, B minus A · hollow: while things are worth to players what "
        "they are in A",
        "how": "Filled: the whole change, once players know the edit, with its range. Hollow: what the edit does by "
        "itself. What lies between is the players’ doing.",
        "panels": charts,
        "layout": layout(charts),
        "numbers": [apart_table(found)],
    }  # fmt: skip


def _apart(goal: Row) -> Chart:
    """Put a goal's whole change beside what the edit does by itself, in points."""
    change = goal["change"]
    row = {"est": change["delta"], "joint_lo": change["lo"], "joint_hi": change["hi"]}
    return {**from_par(row, 0.0), "before": 100.0 * goal["by_itself"]["delta"]}


def _apart_headline(goals: Sequence[Row]) -> str:
    """Say where players' adapting moves a goal most, or that they do not adapt."""
    parts = [(goal, goal["adapting"]) for goal in goals if goal["adapting"]["lo"] is not None]
    if parts and all(part["lo"] == part["hi"] == 0.0 for _, part in parts):
        return "Players choose no differently: all of it is the edit itself"
    sure = [(goal, part) for goal, part in parts if not part["lo"] <= 0.0 <= part["hi"]]
    if not sure:
        return "What players make of the edit is too small to tell"
    most, _ = max(sure, key=lambda each: abs(each[1]["delta"]) / ((each[1]["hi"] - each[1]["lo"]) or 1.0))
    places, unit = verdict.delta_digits(most), words.unit(most)
    alone, rest = (words.number(unit * most[part]["delta"], places, signed=True) for part in ("by_itself", "adapting"))
    return f"{most['label']}: {alone} by itself, {rest} by players who adapt"


def apart_table(found: Row) -> Table:
    """Tabulate both parts of each goal's change."""
    columns = ["Change", "By itself", "Joint range", "Pairing saves", "By adapting", "Joint range"]
    return {
        "caption": "What the edit does by itself, and by players who adapt to it",
        "columns": [["Goal", False], *([name, True] for name in columns)],
        "rows": [
            [
                goal["label"],
                verdict.delta(goal),
                part_text(goal, "by_itself"),
                part_range(goal, "by_itself"),
                saved(goal["by_itself"]["saved"]),
                part_text(goal, "adapting"),
                part_range(goal, "adapting"),
            ]
            for goal in found["goals"]
            if goal["by_itself"]
        ],
    }


def part_text(goal: Row, part: str) -> str:
    """Write one part of a goal's change, in points or in its own unit."""
    return verdict.delta({**goal, "change": {**goal[part], "identical": False}})


def part_range(goal: Row, part: str) -> str:
    """Write the range of one part of a goal's change."""
    return verdict.delta_range({**goal, "change": {**goal[part], "identical": False}})


def saved(factor: float | None) -> str:
    """Write how many times as many games unrelated deals would take."""
    if factor is None:
        return "–"
    return f"{words.number(factor, 1 if factor < 10 else 0)} ×"


def unexpected(found: Row) -> Table | None:
    """Tabulate the largest changes of what the edit does not name."""
    rows = found["unexpected"]
    if not rows:
        return None
    places = digits(row["delta"] for row in rows)
    body = []
    for row in rows:
        name = f"Strategy {row['name']}" if row["section"] == "strategies" else words.sentence(row["name"])
        if row["players"] is not None:
            name += f", {players_word(row['players'])}"
        if row["section"] == "items":
            name += ", seen with winning"
            levels = [points(row[side], places) for side in ("a", "b")]
        else:
            levels = [words.percent(row[side], max(places, 1)) for side in ("a", "b")]
        body.append(
            [name, *levels, points(row["delta"]["est"], places), between(row["delta"], "joint_", places, signed=True)]
        )
    return {
        "caption": "Largest first",
        "columns": [["What", False], ["A", True], ["B", True], ["Change, pp", True], ["Joint range", True]],
        "rows": body,
    }


# --- match-ups -----------------------------------------------------------------------------------------------------


def matchups(found: Row) -> Figure | None:
    """Show how match-ups changed at one number of players, with numbers for all."""
    told = [panel for panel in found["matchups"] if panel["grid"]]
    if not told:
        return None
    moved = [panel for panel in told if panel["players"] not in found["identical"]]
    panel = (moved or told)[len(moved or told) // 2]
    rest = panel["players"] - 1
    if rest == 1:
        who = "of the row against the column"
    elif panel["kind"] == "mixed":
        who = "of the row at mixed tables where the column sits too"
    else:
        who = f"of one player of the row against {words.spelled(rest)} of the column"
    part = f" · counted from {words.percent(panel['kept'], 0)} of the deals" if panel["kept"] < 1.0 else ""
    cells = [cell for line in panel["grid"] for cell in line if cell]
    still = all(cell["delta"]["est"] == 0.0 for cell in cells)
    return {
        "id": "matchups",
        "headline": _matchup_headline(found, panel),
        "sub": f"Change of the win share {who}, percentage points, B minus A · {players_word(panel['players'])}, "
        f"{_deals(found)}{part}",
        "how": "Blue: more under B. Brown: less. Bold: surely changed, for all cells together. Under each number the "
        "95% half-width.",
        "panels": [] if still else [_matchup_matrix(panel)],
        "layout": "one",
        "numbers": [_matchup_table(each) for each in told],
    }


def matchup_notes(found: Row) -> list[str]:
    """Say at which numbers of players match-ups cannot be compared, and why."""
    by_note: dict[str, list[int]] = {}
    for panel in found["matchups"]:
        if panel["note"]:
            by_note.setdefault(panel["note"], []).append(panel["players"])
    return [f"Match-ups {words.with_counts(counts)} cannot be compared: {note}." for note, counts in by_note.items()]


def _matchup_headline(found: Row, panel: Row) -> str:
    """Name the match-up that surely moved most."""
    names = panel["strategies"]
    cells = [(names[i], names[j], c["delta"]) for i, line in enumerate(panel["grid"]) for j, c in enumerate(line) if c]
    if all(delta["est"] == 0.0 for *_, delta in cells):
        return "Nothing changed"
    sure = [each for each in cells if _sure(each[2])]
    if not sure:
        return "No change of a match-up is sure"
    one, other, delta = max(sure, key=lambda each: abs(each[2]["est"]))
    where = f"{words.sentence(words.with_players(panel['players']))}, " if len(found["game"]["players"]) > 1 else ""
    whom = f"where {other} sits too" if panel["kind"] == "mixed" and panel["players"] > 2 else f"against {other}"
    return f"{where}{one} {whom}: {points(delta['est'], 1)} points"


def _matchup_matrix(panel: Row) -> Chart:
    names, rest = panel["strategies"][:MATRIX_MOST], panel["players"] - 1
    shown = [line[: len(names)] for line in panel["grid"][: len(names)]]
    most = max(abs(cell["delta"]["est"]) for line in shown for cell in line if cell)

    def drawn(cell: Row | None) -> Chart | None:
        if cell is None:
            return None
        delta = cell["delta"]
        half = None if delta["lo"] is None else 50.0 * (delta["hi"] - delta["lo"])
        return {
            "text": points(delta["est"], 1),
            "sub": f"±{words.number(half, 1)}",
            "tint": tint(delta["est"], most),
            "strong": _sure(delta),
        }

    heads = {"mixed": "where … sits too", "one_vs_rest": f"against {words.spelled(rest)} of …"}
    return matrix_of(
        names,
        [[drawn(cell) for cell in line] for line in shown],
        head="against" if rest == 1 else heads[panel["kind"]],
        alt=f"Change of match-ups, {players_word(panel['players'])}",
        desc="; ".join(
            f"{one}, {other} {points(cell['delta']['est'], 1)}"
            for one, line in zip(names, shown, strict=True)
            for other, cell in zip(names, line, strict=True)
            if cell
        ),
    )


def _matchup_table(panel: Row) -> Table:
    names = panel["strategies"]
    joint = "with" if panel["kind"] == "mixed" and panel["players"] > 2 else "against"
    rows = []
    for i, line in enumerate(panel["grid"]):
        for j, cell in enumerate(line):
            if cell is None:
                continue
            places = max(digits([cell["delta"]]), 1)
            rows.append(
                [
                    f"{names[i]} {joint} {names[j]}",
                    *(words.percent(cell[side], places) for side in ("a", "b")),
                    points(cell["delta"]["est"], places),
                    between(cell["delta"], "", places, signed=True),
                    between(cell["delta"], "joint_", places, signed=True),
                ]
            )
    part = f", from {words.percent(panel['kept'], 0)} of the deals" if panel["kept"] < 1.0 else ""
    columns = ["A", "B", "Change, pp", "Range", "Joint range"]
    return {
        "caption": f"Match-ups, {players_word(panel['players'])}{part}",
        "columns": [["Who", False], *([name, True] for name in columns)],
        "rows": rows,
    }
