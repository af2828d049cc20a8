"""Answers to questions that were asked after the run: what items are worth, which number to turn, what a seat needs."""

from collections.abc import Iterator, Sequence
from typing import Any

from reports import stats, words
from reports.figures.items import PANEL_ROWS, panels_of, stripped
from reports.figures.scales import (
    Chart,
    Figure,
    Report,
    Row,
    Table,
    axis,
    between,
    counts_word,
    digits,
    dot,
    dots,
    from_par,
    layout,
    plot_pixels,
    reach_of,
    short_labels,
    width_of,
)

GOALS_SHOWN = 4
"""Goals whose steps are drawn; the table has all."""

STEPS_SHOWN = 12
FEW = 6
"""So few rows stand in the order of the question."""


def values(report: Report) -> Figure | None:
    """What each item is worth by itself: the first kind of question that is about the items of the report."""
    answer = _about_items(report)
    if answer is None or not report["items"]:
        return None
    found = {row["name"]: row for row in answer["items"] if row["est"] is not None}
    listed = [{**row, "seen": found[row["name"]]} for row in report["items"]["rows"] if row["name"] in found]
    grouped = panels_of({**report["items"], "rows": listed})
    places, width = max(digits(found.values()), 1), width_of(grouped)
    numbers = {name: {**from_par(row, 0.0), "before": 100.0 * row["shrunk"]} for name, row in found.items()}
    reach = reach_of(numbers.values())
    charts = []
    for title, members in grouped:
        plain = stripped(members, title)
        short, labels = short_labels(plain.values(), 120 if width == "M" else 100)
        rows = [_dot(found[row["name"]], numbers[row["name"]], short[plain[row["name"]]], places) for row in members]
        charts.append(
            dots(
                rows,
                width=width,
                title=words.sentence(title),
                labels=labels,
                scale=axis(reach, plot_pixels(width, labels), 40, "0"),
                pitch=24 if len(members) <= 15 else 21,
                alt=f"{words.sentence(answer['title'])}, by {report['run']['item'][0]}" + f", {title}" * bool(title),
                desc="; ".join(f"{row['label']} {row['value']}" for row in rows),
            )
        )
    return {
        "id": "values",
        "headline": _values_headline(answer["title"], found.values(), places, report["run"]["item"][0]),
        "sub": f"{words.sentence(answer['question'])} Change of the win share, points · "
        f"{counts_word(answer['players'])} · {words.count(answer['games'])} games more",
        "how": "A cause: the same games on the same luck, with and without. Thin line: range that holds for all rows "
        "together. Grey: pulled towards the mean, a better guess where ranges are wide.",
        "panels": charts,
        "layout": layout(charts),
        "numbers": [_by_strategy(answer, places)],
    }


def _about_items(report: Report) -> Row | None:
    """Find the answer that the page leads with: the first about the items themselves."""
    names = {row["name"] for row in report["items"]["rows"]} if report["items"] else set()
    for answer in report["answers"]["cards"]:
        if not answer["placebo"] and names & {row["name"] for row in answer["items"]}:
            found: Row = answer
            return found
    return None


def _dot(row: Row, numbers: Chart, label: str, places: int) -> Chart:
    value = words.number(numbers["x"], places, signed=True)
    sure = row["verdict"] != "unclear"
    return dot(numbers, label, value, strong=sure)


def _values_headline(title: str, rows: Any, places: int, word: str) -> str:
    """Say what the change does where it does most, if that is sure; it may well take something away."""
    ranked = sorted(rows, key=lambda row: -row["est"])
    parts = []
    if ranked and all(stats.nothing(row) for row in ranked):
        return f"No {word} makes a difference in any game"
    if ranked and ranked[0]["verdict"] == "more":
        parts.append(f"{_named(ranked[0], places)} gains most")
    if ranked and ranked[-1]["verdict"] == "less":
        parts.append(f"{_named(ranked[-1], places)} loses most")
    told = words.listing(parts) if parts else f"no {word} surely changes who wins"
    return f"{words.sentence(title)}: {told}"


def _named(row: Row, places: int) -> str:
    return f"{row['name']} ({words.number(100.0 * row['est'], places, signed=True)})"


def _by_strategy(answer: Row, places: int) -> Table:
    """Tabulate an answer with all that is known of each row."""
    several = len(answer["players"]) > 1
    columns: list[list[Any]] = [["Name", False], ["Change, pp", True], ["Joint range", False], ["Pulled in", True]]
    columns += [["Another winner", True]]
    columns += [[f"{n} players", True] for n in answer["players"]] if several else []
    columns += [[name, True] for name in answer["strategies"]]
    rows = []
    for row in sorted(answer["items"], key=lambda row: -(row["est"] if row["est"] is not None else -9.0)):
        line: list[Any] = [row["name"], _points(row["est"], places)]
        line.append({"text": _reach(row, 100.0, places), "v": row["est"]})
        line.append({**_points(row["shrunk"], places), "quiet": True})
        line.append({"text": words.percent(row["winner_changed"], 0), "v": row["winner_changed"]})
        if several:
            line += [_points(each["est"], places) for each in row["by_players"]]
        rows.append(line + [_points(each["est"], places) for each in row["by_strategy"]])
    return {
        "caption": f"{words.sentence(answer['title'])}: by player count and by who plays",
        "columns": columns,
        "rows": rows,
    }


def _reach(row: Row, scale: float, places: int) -> str:
    """Write the joint range of an effect, or that there is none."""
    if stats.nothing(row):
        return words.NO_DIFFERENCE
    low, high = (None if row[end] is None else scale * row[end] for end in ("joint_lo", "joint_hi"))
    return words.span(low, high, places, signed=True)


def _points(share: float | None, places: int) -> Chart:
    return {"text": "–" if share is None else words.number(100.0 * share, places, signed=True), "v": share}


# --- restricted play -------------------------------------------------------------------------------------------


def restricted(report: Report) -> list[Figure]:
    """Draw the answers to all other kinds of question: what it costs to go without."""
    first = _about_items(report)
    return [
        _restricted(answer)
        for answer in report["answers"]["cards"]
        if answer is not first and not answer["placebo"] and any(row["est"] is not None for row in answer["items"])
    ]


def _restricted(answer: Row) -> Figure:
    ranked = [row for row in answer["items"] if row["est"] is not None]
    if len(ranked) > FEW:
        ranked.sort(key=lambda row: -row["est"])
    shown = ranked if len(ranked) <= PANEL_ROWS else [*ranked[: PANEL_ROWS // 2], *ranked[-PANEL_ROWS // 2 :]]
    places = max(digits(ranked), 1)
    short, labels = short_labels([row["name"] for row in shown], 150)
    numbers = [from_par(row, 0.0) for row in shown]
    rows = [_dot(row, n, short[row["name"]], places) for row, n in zip(shown, numbers, strict=True)]
    most = max(ranked, key=lambda row: abs(row["est"]))
    return {
        "id": f"restricted-{answer['kind']}",
        "headline": _restricted_headline(answer, most, len(ranked), places),
        "sub": f"{answer['question']} Change of the win share, points · {counts_word(answer['players'])}"
        + ("" if shown == ranked else f" · the {words.spelled(PANEL_ROWS // 2)} highest and lowest"),
        "how": "The same games on the same luck, with the change made for one player alone.",
        "panels": [
            dots(
                rows,
                width="M",
                title="",
                labels=labels,
                scale=axis(reach_of(numbers), plot_pixels("M", labels), 40, "0"),
                pitch=21,
                alt=words.sentence(answer["title"]),
                desc="; ".join(f"{row['label']} {row['value']}" for row in rows),
            )
        ],
        "layout": "one",
        "numbers": [_by_strategy(answer, places)],
    }


def _restricted_headline(answer: Row, most: Row, rows: int, places: int) -> str:
    title = words.sentence(answer["title"])
    if stats.nothing(most):
        return f"{title}: {words.NO_DIFFERENCE}"
    if most["verdict"] == "unclear":
        return f"{title}: no sure difference"
    points = f"{words.number(100.0 * most['est'], places, signed=True)} points"
    return f"{title}: {points}" if rows == 1 else f"{title}: {most['name']} matters most, {points}"


# --- which number to turn --------------------------------------------------------------------------------------


def turned(report: Report) -> list[Figure]:
    """Draw for the first goals, missed ones first, what one step of each number does to them."""
    sense = report["answers"]["sense"]
    if not sense:
        return []
    order = {"outside": 0, "close": 1, "inside": 2}
    goals = sorted(sense["goals"], key=lambda goal: order[goal["verdict"]])
    return [_turned(sense, goal) for goal in goals[:GOALS_SHOWN]]


def _turned(sense: Row, goal: Row) -> Figure:
    rows = list(_effects(sense, goal))
    mean = goal["kind"] == "mean"
    scale = 1.0 if mean else 100.0
    places = max(digits([effect for _, effect in rows], scale), 1)
    drawn = [(step, _scaled(effect, scale)) for step, effect in rows[:STEPS_SHOWN]]
    names = {step["edit"]: f"{step['label']}: {step['old']} → {step['old'] + step['step']}" for step, _ in drawn}
    short, labels = short_labels(names.values(), 190)
    texts = [words.number(numbers["x"], places, signed=True) for _, numbers in drawn]
    now = words.number(scale * goal["est"], places) + ("" if mean else "%")
    return {
        "id": f"turned-{goal['id']}",
        "headline": _turned_headline(goal, *drawn[0], texts[0] + ("" if mean else " points")),
        "sub": f"Now {now}, goal {goal['band']['text']} · change by one step of one number"
        f"{'' if mean else ', points'} · {words.count(sense['games'])} games a step",
        "how": "The same games on the same luck, with one number changed. Thin line: range that holds for all steps "
        "together.",
        "panels": [
            dots(
                [
                    dot(numbers, short[names[step["edit"]]], text)
                    for (step, numbers), text in zip(drawn, texts, strict=True)
                ],
                width="M",
                title="",
                labels=labels,
                scale=axis(reach_of(numbers for _, numbers in drawn), plot_pixels("M", labels), 40, "0"),
                pitch=21,
                alt=f"What moves {goal['label']}",
                desc="; ".join(f"{step['edit']} {text}" for (step, _), text in zip(drawn, texts, strict=True)),
            )
        ],
        "layout": "one",
        "numbers": [_steps_table(goal, rows, scale, places)],
    }


def _scaled(effect: Row, scale: float) -> Chart:
    names = {"x": "est", **{key: key for key in ("lo", "hi", "joint_lo", "joint_hi")}}
    return {new: None if effect[old] is None else scale * effect[old] for new, old in names.items()} | {"before": None}


def _turned_headline(goal: Row, step: Row, numbers: Chart, moved: str) -> str:
    if stats.nothing(numbers):
        return f"{goal['label']}: no single step makes a difference in any game"
    if numbers["joint_lo"] is None or numbers["joint_lo"] <= 0.0 <= numbers["joint_hi"]:
        return f"{goal['label']}: no single step surely moves it"
    new = step["old"] + step["step"]
    return f"{goal['label']}: {step['label']} at {new} instead of {step['old']} moves it most, {moved}"


def _steps_table(goal: Row, rows: Sequence[tuple[Row, Row]], scale: float, places: int) -> Table:
    body = []
    for step, effect in rows:
        numbers = _scaled(effect, scale)
        body.append(
            [
                step["edit"],
                words.number(step["old"], 0),
                {"text": words.number(numbers["x"], places, signed=True), "v": numbers["x"]},
                _reach(effect, scale, places),
            ]
        )
    return {
        "caption": f"What one step changes: {goal['label']}",
        "columns": [["Edit", False], ["Was", True], ["Change", True], ["Joint range", False]],
        "rows": body,
    }


def _effects(sense: Row, goal: Row) -> Iterator[tuple[Row, Row]]:
    """Yield the steps with what they do to a goal, the largest effect first."""
    pairs = [(step, effect) for step in sense["steps"] for effect in step["effects"] if effect["goal"] == goal["id"]]
    yield from sorted(pairs, key=lambda pair: -abs(pair[1]["est"] or 0.0))


# --- what a weak seat needs ------------------------------------------------------------------------------------


def compensation(report: Report) -> list[Table]:
    """Tabulate for each number of players what each seat must be given."""
    answer = report["answers"]["compensate"]
    return [_compensation(row, answer["unit"]) for row in answer["players"]] if answer else []


def _compensation(row: Row, unit: str) -> Table:
    places = digits(row["exact"], 1.0, "lo", "hi")
    verdict = f"{words.GLYPHS[row['verdict']]} {words.VERDICTS[row['verdict']]}"
    return {
        "caption": f"{words.sentence(words.with_players(row['players']))}: {unit} that make all seats win alike; whole "
        f"ones tried on fresh deals, goal {row['band']}: {verdict}",
        "columns": [
            ["Seat", False],
            ["Wins now", True],
            [f"{words.sentence(unit)}, exact", True],
            ["Range", False],
            ["Whole", True],
            ["Wins then", True],
            ["Joint range", False],
        ],
        "rows": [
            [
                words.ordinal(seat + 1),
                words.percent(row["before"][seat]["est"]),
                words.number(exact["est"], places, signed=True),
                words.span(exact["lo"], exact["hi"], places, signed=True),
                words.number(row["whole"][seat], 0, signed=True),
                words.percent(row["after"][seat]["est"]),
                between(row["after"][seat], "joint_", 1),
            ]
            for seat, exact in enumerate(row["exact"])
        ],
    }


def not_asked(report: Report) -> Sequence[str]:
    """Say in which commands the questions are put that nobody asked yet."""
    answers, game = report["answers"], report["run"]["game"]
    return [
        command
        for there, command in (
            (answers["cards"], f"hakari cards {game}"),
            (answers["sense"], f"hakari sense {game}"),
            (answers["compensate"], f"hakari compensate {game}"),
        )
        if not there
    ]
