"""The page of a run about which all questions were asked."""

import pytest

from reports import answers
from reports.page import render
from reports.schema import Cards, Compensate, Report, Sense
from reports.tables import build
from tests.reports.conftest import GOALS
from tests.reports.synthetic import emblems_facts, write_run
from tests.reports.test_page import parsed

STRATEGIES = ["greedy", "random"]


def estimate(value: float, half: float = 0.004) -> dict[str, float]:
    wide = 1.5 * half
    return {
        "est": value,
        "lo": value - half,
        "hi": value + half,
        "joint_lo": value - wide,
        "joint_hi": value + wide,
    }


def values(kind: str, items: list[str], *, placebo: bool = False, wrong: int = 0) -> dict:
    rows = [
        {
            **estimate(0.0 if placebo else 0.01 * (place - 3)),
            "name": name,
            "shrunk": 0.008 * (place - 3),
            "verdict": "unclear" if placebo or place == 3 else "more" if place > 3 else "less",
            "games": 1000,
            "played": 0.8,
            "winner_changed": 0.3,
            "by_players": [{"players": n, **estimate(0.0)} for n in (3, 4)],
            "by_strategy": [estimate(0.01) for _ in STRATEGIES],
        }
        for place, name in enumerate(items)
    ]
    told = {"kind": kind, "title": f"with {kind}", "question": "What is it worth?", "placebo": placebo}
    played = {"players": [3, 4], "draws": "per_seat", "seed": 1, "strategies": STRATEGIES, "games": 9000}
    return {**told, **played, "checked": 50, "wrong": wrong, "items": rows}


def sense(goals: list[dict]) -> dict:
    edits = [('sets.A.castle."3-4"[0]', 4), ('sets.A.port."3-4"[2]', -2)]
    steps = [
        {
            "path": ["sets", "A", path.split(".")[2], "3-4", int(path[-2])],
            "label": f"{path.split('.')[2]} 3-4",
            "edit": f"{path}={old + step}",
            "old": old,
            "step": step,
            "effects": [{"goal": goal["id"], **estimate(0.02 * step)} for goal in goals],
        }
        for path, old in edits
        for step in (-1, 1)
    ]
    kept = ("id", "goal", "label", "players", "kind", "subject", "est", "lo", "hi", "band", "verdict")
    asked = [{key: goal[key] for key in kept} for goal in goals]
    return {
        **{"players": [3, 4], "strategies": STRATEGIES, "draws": "per_seat", "seed": 1, "games": 5000},
        "goals": asked,
        "steps": steps,
    }


def compensate() -> dict:
    seats = {
        "players": 3,
        "exact": [estimate(value, 0.2) for value in (0.0, 0.4, 1.3)],
        "slope": [0.03, 0.03, 0.03],
        "whole": [0, 0, 1],
        "before": [estimate(value) for value in (0.36, 0.33, 0.31)],
        "after": [estimate(value) for value in (0.33, 0.33, 0.34)],
        "band": "30–36%",
        "verdict": "inside",
    }
    played = {"unit": "coins at the start", "strategies": STRATEGIES, "draws": "per_seat", "seed": 1, "games": 5000}
    return {**played, "players": [seats]}


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    return answered_run(tmp_path_factory.mktemp("answered"))


def answered_run(folder):
    """Write a run with an answer to every question."""
    facts = emblems_facts()
    run = write_run(folder, facts, game="emblems", players=(3, 4), games=3_000, goals=GOALS)
    names = list(facts.items)
    rows = [values("grant", names), values("careless", ["from the start", "after 1 round"])]
    answers.store(run, {"answers": [*rows, values("placebo", ["a random character"], placebo=True)]}, Cards)
    answers.store(run, sense(build(run, facts)["goals"]), Sense)
    answers.store(run, compensate(), Compensate)
    return run


def test_every_answer_has_its_place(answered):
    report = build(answered, emblems_facts())
    Report.model_validate(report)
    page = render(report)
    for id_ in ("c-values", "c-restricted-careless", "change"):
        assert f'id="{id_}"' in page
    assert "What a weak seat needs" in page
    assert "is not asked yet" not in page.split('id="cards"')[1].split("</section>")[0]
    assert parsed(page)
    assert render(report) == page


def test_the_strongest_cause_is_offered_next_and_no_command_twice(answered):
    steps = build(answered, emblems_facts())["next"]
    (card,) = [step for step in steps if ", with grant: " in step["head"]]
    last = list(emblems_facts().items)[-1]
    assert card["head"].startswith(f"{last}, with grant: +{len(emblems_facts().items) - 4}.0 points")
    assert "A cause" in card["text"]
    commands = [step["replay"] for step in steps]
    assert len(set(commands)) == len(commands) == 5


def test_no_cause_within_the_margin_is_offered_but_the_next_one(answered):
    kept = answers.stored(answered, Cards)
    within = values("grant", list(emblems_facts().items))
    for row in within["items"]:
        row.update(estimate(0.0109))  # the joint range begins at 0.0049, within half a point
    answers.store(answered, {"answers": [within]}, Cards)
    try:
        steps = build(answered, emblems_facts())["next"]
        assert not any(", with grant: " in step["head"] for step in steps)
        (turned,) = [step for step in steps if step["label"] == "Try it:"]
        assert "points (" in turned["head"] and "--set 'sets.A." in turned["replay"]
    finally:
        answers.store(answered, kept.model_dump(mode="json"), Cards)


def test_nothing_asked_is_said_with_the_command(tmp_path):
    run = write_run(tmp_path / "run", emblems_facts(), game="emblems", players=(3,), games=900, goals=GOALS)
    page = render(build(run, emblems_facts()))
    assert "<code>hakari cards emblems</code>" in page
    assert 'id="change"' not in page
    assert 'id="restricted"' not in page


def test_an_answer_that_contradicts_itself_replaces_the_verdict(answered):
    kept = answers.stored(answered, Cards)
    assert kept is not None
    names = list(emblems_facts().items)
    answers.store(answered, {"answers": [values("ban", names, wrong=3)]}, Cards)
    try:
        assert build(answered, emblems_facts())["verdict"]["state"] == "broken"
    finally:
        answers.store(answered, kept.model_dump(mode="json"), Cards)
