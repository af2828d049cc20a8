"""What a comparison says in words: one sentence, at most three bullets, and a word for every goal."""

from collections.abc import Mapping, Sequence
from typing import Any

from reports import stats, words

BULLETS = 3
MARKS = {"better": "inside", "worse": "outside", "unclear": "close", "moved": "inside", "same": "inside"}

Row = Mapping[str, Any]


def verdict(found: Row, scope: str) -> dict[str, Any]:
    """Judge B against A.

    Returns
    -------
    dict
        `state` ("better", "worse", "mixed", "same", "unclear" or "broken"), `sentence`, `bullets` (`mark`, `head`,
        `text`), `scope`.
    """
    failed = [control for control in found["controls"] if control["state"] == "failed"]
    if failed:
        return {
            "state": "broken",
            "sentence": "Results not trustworthy: "
            + words.listing([f"in {control['side']}, {control['fault']}" for control in failed])
            + ".",
            "bullets": [
                {
                    "mark": "outside",
                    "head": f"{control['side']}: {control['name']}",
                    "text": f"{control['found']}; expected: {control['expected']}.",
                }
                for control in failed[:BULLETS]
            ],
            "scope": scope,
        }
    state = _state(found["goals"])
    return {"state": state, "sentence": _sentence(found, state), "bullets": _bullets(found), "scope": scope}


def _state(goals: Sequence[Row]) -> str:
    classes = {goal["change"]["class"] for goal in goals}
    if {"better", "worse"} <= classes:
        return "mixed"
    return next((each for each in ("worse", "better", "unclear") if each in classes), "same")


ORDER = ("worse", "better", "unclear", "moved", "same")


def rank(goal: Row) -> tuple[bool, int]:
    """Say how early a goal is shown: first what changed most for a designer, last what is identical."""
    return goal["change"]["identical"], ORDER.index(goal["change"]["class"])


def _of(goals: Sequence[Row], kind: str) -> list[Row]:
    """Goals that changed in one way, those whose verdict turned first."""
    chosen = [goal for goal in goals if goal["change"]["class"] == kind]
    return sorted(chosen, key=lambda goal: (not _turned(goal), -abs(goal["change"]["delta"] or 0.0)))


def _turned(goal: Row) -> bool:
    return bool({goal["change"]["before_verdict"], goal["verdict"]} == {"inside", "outside"})


def _sentence(found: Row, state: str) -> str:
    goals = found["goals"]
    if not goals:
        return "No goal could be measured in both A and B."
    if found["identical"] == found["game"]["players"]:
        return "A and B are the same: every game ends as before."
    better, worse = _of(goals, "better"), _of(goals, "worse")
    gains = _told(better, "it brings", "inside", "comes nearer to its goal")
    losses = _told(worse, "it takes", "outside", "moves farther from its goal")
    if state == "mixed":
        return f"B is better and worse: {gains}, but {losses}."
    if state == "better":
        return f"B is better: {gains}, and no goal gets worse."
    if state == "worse":
        return f"B is worse: {losses}, and no goal gets better."
    unclear = _of(goals, "unclear")
    if unclear:
        which = "is" if len(unclear) == 1 else "are"
        if len(unclear) == len(goals):
            return "Too close to call: no goal has surely changed, and none is surely the same."
        some, all_ = words.spelled(len(unclear)), words.spelled(len(goals))
        return f"No goal is surely better or worse; {some} of {all_} {which} unclear."
    moved = _of(goals, "moved")
    if moved:
        what = (
            "one has moved, within its goal"
            if len(moved) == 1
            else f"{words.spelled(len(moved))} have moved, within theirs"
        )
        return f"No goal is better or worse; {what}."
    return "B is the same as A: no goal moves by more than your margin."


def _told(goals: Sequence[Row], verb: str, where: str, drift: str) -> str:
    """Tell the first of some goals, and how many more there are."""
    if not goals:
        return ""
    first = goals[0]
    name = f"“{first['label']}”"
    text = f"{verb} {name} {where} its goal" if _turned(first) else f"{name} {drift}"
    more = len(goals) - 1
    rest = f", and {words.spelled(more)} more {'goal does' if more == 1 else 'goals do'} likewise" if more else ""
    return text + rest


def _bullets(found: Row) -> list[dict[str, str]]:
    goals = found["goals"]
    slipped = [goal for goal in goals if goal["change"]["class"] == "moved" and _shaken(goal)]
    unclear = sorted(_of(goals, "unclear"), key=lambda goal: not _shaken(goal))
    chosen = [*_of(goals, "worse"), *_of(goals, "better"), *slipped, *unclear, *_of(goals, "moved")]
    shown = list({goal["id"]: goal for goal in chosen}.values())[:BULLETS]
    lines = [
        {
            "mark": "close" if _shaken(goal) else MARKS[goal["change"]["class"]],
            "head": goal["label"],
            "text": goal_sentence(goal),
        }
        for goal in shown
    ]
    for counts, why in (
        (found["identical"], "every game is the same in A and B."),
        (found["untouched"], "the edit does not touch them, so nothing was played."),
    ):
        if counts and len(lines) < BULLETS:
            head = f"{words.listing([words.spelled(n) for n in counts])} player{'' if counts == [1] else 's'}"
            lines.append({"mark": "inside", "head": words.sentence(head), "text": why})
    return lines


def _shaken(goal: Row) -> bool:
    """Whether a goal was met or missed for certain in A, and is too close to call in B."""
    return bool(goal["verdict"] == "close" and goal["change"]["before_verdict"] != "close")


def goal_sentence(goal: Row) -> str:
    """Write the bullet of a goal: 22.2% → 23.1%, a change of +0.9 points (+0.6 to +1.2). Your goal is 24–26%."""
    change = goal["change"]
    old, new = both(goal)
    unit = "" if goal["kind"] == "mean" else " points"
    whose = "The default goal" if goal["default"] else "Your goal"
    subjects = [change["before_subject"], goal["subject"]]
    who = f" ({subjects[0]} → {subjects[1]})" if subjects[0] != subjects[1] else ""
    was = f" It was {words.VERDICTS[change['before_verdict']]}." if change["before_verdict"] != goal["verdict"] else ""
    size = f"a change of {delta(goal)}{unit} ({delta_range(goal)})"
    return f"{old} → {new}{who}, {size}. {whose} is {goal['band']['text']}.{was}"


def both(goal: Row) -> tuple[str, str]:
    """Write what a goal measures in A and in B, as precisely as the change, so that the three fit together."""
    places = delta_digits(goal)
    return words.goal_value(goal, goal["change"]["before"], places), words.goal_value(goal, goal["est"], places)


def delta_digits(goal: Row) -> int:
    """Return the decimals that the range of a goal's change supports."""
    low, high = goal["change"]["lo"], goal["change"]["hi"]
    if low is None or high is None or low == high:
        return 1
    return max(stats.decimals(words.unit(goal) * (high - low) / 2), 1)


def delta(goal: Row) -> str:
    """Write the change of a goal, in points or in its own unit."""
    if goal["change"]["identical"]:
        return "0"
    size = goal["change"]["delta"]
    return words.number(None if size is None else words.unit(goal) * size, delta_digits(goal), signed=True)


def delta_range(goal: Row) -> str:
    """Write the range of a goal's change."""
    change = goal["change"]
    if change["identical"]:
        return "identical games"
    low, high = change["lo"], change["hi"]
    if low is None or high is None:
        return "range unknown"
    return words.span(words.unit(goal) * low, words.unit(goal) * high, delta_digits(goal), signed=True)


def in_short(goal: Row) -> str:
    """Write the last column of the goals table: what became of a goal."""
    change = goal["change"]
    if change["identical"]:
        return "identical"
    was = f", was {words.VERDICTS[change['before_verdict']]}" if change["before_verdict"] != goal["verdict"] else ""
    return {
        "better": "better",
        "worse": "worse",
        "same": "same, within your margin",
        "moved": "moved" if was else "moved, verdict as before",
        "unclear": "unclear",
    }[change["class"]] + was
