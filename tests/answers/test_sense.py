"""Sensitivity: which numbers are turned, and what a step is said to do."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reports import measures, stats
from reports.answers import sense
from reports.blocks import Run
from sim.config import load
from sim.engine import session
from sim.engine.runner import thread_pool
from sim.errors import ConfigError, UsageError
from tests.conftest import entries_of

PLAN = ["plan.games=1200", "plan.players=[3]", 'plan.strategies=["greedy", "random"]', 'plan.draws="per_seat"']


def config_of(game: str, *sets: str):
    return load(game, [*PLAN, *sets])


def steps(game: str, *sets: str, only=()):
    return list(sense.steps(config_of(game, *sets), lambda more: config_of(game, *sets, *more), only))


def quietly(words: str) -> None:
    pass


def test_only_numbers_in_play_are_turned():
    edits = [step.edit for step in steps("emblems")]
    assert {edit.split("=")[0] for edit in edits if edit.startswith("sets.")} == {
        f'sets.A.{place}."3-4"[{rank}]' for place in ("castle", "village", "port") for rank in range(3)
    }
    assert "turns.3=3" in edits
    assert not any(edit.startswith(("turns.4", "turns.5")) for edit in edits)


def test_a_number_of_another_table_is_in_play_with_more_players():
    edits = [step.edit for step in steps("emblems", "plan.players=[5]", only=("sets",))]
    assert edits and all(".5[" in edit for edit in edits)


def test_every_step_is_one_up_or_down_and_legal():
    for step in steps("mon"):
        assert abs(step.new - step.old) == 1
        again = config_of("mon", step.edit)
        assert again.rules() == step.config.rules() != config_of("mon").rules()


def test_what_the_game_forbids_is_left_out():
    with pytest.raises(ConfigError):
        config_of("emblems", "start_coins=-1")
    assert [step.edit for step in steps("emblems", "start_coins=0", only=("start_coins",))] == ["start_coins=1"]


def test_only_some_keys():
    assert [step.edit for step in steps("mon", only=("tokens",))] == ["tokens=9", "tokens=11"]
    castle = steps("emblems", only=("sets.A.castle",))
    assert len(castle) == 6 and all(step.edit.startswith("sets.A.castle.") for step in castle)
    assert steps("emblems", only=("sets.A.cast",)) == []
    with pytest.raises(UsageError, match="mon has no key 'point'"):
        steps("mon", only=("point",))


@pytest.mark.compiled
def test_effect_is_that_of_a_direct_comparison(tmp_path: Path):
    config = config_of("emblems")
    turned = steps("emblems", only=("sets.A.castle",))
    entries = entries_of("emblems", "greedy", "random")
    with thread_pool(2) as pool:
        answer = sense.ask(config, turned, entries, pool, quietly)

        def seats(name: str, changed):
            job = session.aside(changed, entries, tmp_path / name, games=1200)
            session.play_aside(job, changed, pool)
            return measures.seat_shares(Run(job.folder).mixed(3))

        change = stats.difference(seats("after", turned[1].config), seats("before", config), paired=True)
    low, high = stats.limits(change, stats.single(change), "difference", 400)
    place = next(n for n, goal in enumerate(answer["goals"]) if goal["id"].startswith("first_player"))
    effect = answer["steps"][1]["effects"][place]
    assert (effect["est"], effect["lo"], effect["hi"]) == pytest.approx((change.value[0], low[0], high[0]), rel=1e-4)
    assert effect["joint_hi"] > effect["hi"]
    assert effect["est"] != 0.0


@pytest.mark.compiled
def test_a_step_that_changes_nothing_comes_out_as_exactly_nothing():
    config = config_of("mon")
    idle = replace(steps("mon", only=("tokens",))[0], config=config)
    with thread_pool(2) as pool:
        answer = sense.ask(config, [idle], entries_of("mon", "greedy", "random"), pool, quietly)
    for effect in answer["steps"][0]["effects"]:
        assert {effect[key] for key in ("est", "lo", "hi", "joint_lo", "joint_hi")} == {0.0}


@pytest.mark.compiled
def test_a_goal_that_does_not_exist_costs_no_games():
    told = []
    with thread_pool(2) as pool, pytest.raises(UsageError, match="no goal 'nonsense'"):
        sense.ask(
            config_of("mon"),
            steps("mon", only=("tokens",)),
            entries_of("mon", "greedy", "random"),
            pool,
            told.append,
            "nonsense",
        )
    assert told == []


@pytest.mark.compiled
def test_no_goal_that_can_be_measured(tmp_path: Path):
    """A goal about random play, and nobody plays at random."""
    path = tmp_path / "mine.toml"
    path.write_text('game = "mon"\n[goals.only]\nmeasure = "random_share"\nat_most = "10%"\n')
    config, turned = load(path, PLAN), steps("mon", only=("tokens",))
    with thread_pool(2) as pool, pytest.raises(UsageError, match="none of the goals can be measured"):
        sense.ask(config, turned, entries_of("mon", "greedy"), pool, quietly)


def goal(name: str, verdict: str) -> dict:
    band = {"lo": 0.3, "hi": 0.4, "text": "30–40%"}
    reach = {"est": 0.45, "lo": 0.44, "hi": 0.46}
    return {"id": name, "label": name.title(), "kind": "share", **reach, "verdict": verdict, "band": band}


def step(edit: str, *effects: float) -> dict:
    rows = [
        {"goal": goal, "est": each, "joint_lo": each - 0.002, "joint_hi": each + 0.002}
        for goal, each in zip(("seats-3", "first-3"), effects, strict=True)
    ]
    return {"edit": edit, "old": 4, "effects": rows}


ANSWER = {
    "games": 1000,
    "goals": [goal("seats-3", "inside"), goal("first-3", "outside")],
    "steps": [step("a=5", 0.05, 0.001), step("b=3", 0.0, -0.02)],
}


def test_the_first_missed_goal_is_shown_and_what_moves_it_most_comes_first():
    lines = sense.text(ANSWER).splitlines()
    assert lines[0] == "First-3: 45% (goal 30–40%)"
    assert [line.split()[0] for line in lines[2:]] == ["b=3", "a=5"]
    assert "(was 4)" in lines[2] and "−2.0 pp" in lines[2]


def test_a_column_has_one_precision_and_nothing_found_is_said():
    rows = {"a=5": (0.004, 0.006), "b=3": (-0.0004, 0.0005), "c=1": (0.0, 0.0)}
    steps = [
        {"edit": edit, "old": 4, "effects": [{"goal": "seats-3", "est": est, "joint_lo": est - h, "joint_hi": est + h}]}
        for edit, (est, h) in rows.items()
    ]
    answer = {**ANSWER, "goals": [goal("seats-3", "inside")], "steps": steps}
    lines = sense.text(answer).splitlines()
    assert [line.split()[3] for line in lines[2:5]] == ["+0.4", "0.0", "0.0"]
    assert lines[4].endswith("no difference at all")
    assert lines[5] == sense.NOTHING_FOUND
    assert sense.NOTHING_FOUND not in sense.text(ANSWER)


def test_another_goal_can_be_chosen():
    assert sense.text(ANSWER, "seats-3").splitlines()[2].split()[0] == "a=5"
    with pytest.raises(UsageError, match="no goal 'seats'"):
        sense.text(ANSWER, "seats")


def test_ranges_of_several_steps_hold_together():
    """Steps are measured against the same games; that they are alike in that makes the joint range no wider."""
    rng = np.random.default_rng(5)
    base = rng.normal(size=(64, 1))
    parts = [stats.ratio(rng.normal(size=(64, 1)) - base, np.ones(64)) for _ in range(6)]
    beside = sense._beside(parts)
    assert beside.value.tolist() == [part.value[0] for part in parts]
    assert stats.single(beside).t[0] < stats.joint(beside).t[0] < stats.single(beside, stats.sidak(6)).t[0]
