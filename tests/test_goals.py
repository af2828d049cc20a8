from __future__ import annotations

from typing import Any, get_args

import pytest

from sim.errors import UsageError
from sim.goals import MEASURES, Goal, Measure, points


def goal(measure: str, **keys: Any) -> Goal:
    return Goal.model_validate({"measure": measure, **keys})


def test_every_measure_has_its_facts() -> None:
    assert set(MEASURES) == set(get_args(Measure))


@pytest.mark.parametrize(
    ("keys", "players", "low", "high", "words", "relative"),
    [
        ({"measure": "first_player", "within": "4% of par"}, 4, 0.24, 0.26, "24–26%", "within ±4% of par"),
        ({"measure": "first_player", "within": "6% of par"}, 3, 0.3133, 0.3533, "31.3–35.3%", "within ±6% of par"),
        ({"measure": "first_player", "within": "1pp"}, 4, 0.24, 0.26, "within ±1 point of par", None),
        ({"measure": "every_seat", "within": "2.5pp"}, 5, 0.175, 0.225, "within ±2.5 points of par", None),
        ({"measure": "first_player", "between": ["23%", "27%"]}, 4, 0.23, 0.27, "23–27%", None),
        ({"measure": "first_player", "between": ["23%", "27.5%"]}, 4, 0.23, 0.275, "23.0–27.5%", None),
        (
            {"measure": "every_seat", "between": ["90% of par", "110% of par"]},
            5,
            0.18,
            0.22,
            "18–22%",
            "90–110% of par",
        ),
        ({"measure": "best_strategy", "at_most": "45%"}, 4, None, 0.45, "at most 45%", None),
        ({"measure": "best_strategy", "at_most": "200% of par"}, 4, None, 0.5, "at most 50%", "at most 200% of par"),
        ({"measure": "best_strategy", "at_most": "300% of par"}, 2, None, 1.0, "at most 100%", "at most 300% of par"),
        ({"measure": "random_share", "at_most": "50% of par"}, 3, None, 1 / 6, "at most 16.7%", "at most 50% of par"),
        ({"measure": "capped", "at_most": "0.25%"}, 4, None, 0.0025, "at most 0.25%", None),
        ({"measure": "close_finish", "points": 3, "at_least": "0%"}, 4, 0.0, None, "at least 0%", None),
        ({"measure": "item_seen", "within": "2pp"}, 4, -0.02, 0.02, "within ±2 points", None),
        ({"measure": "item_seen", "at_most": "2pp"}, 4, None, 0.02, "at most 2 points", None),
        ({"measure": "rounds", "between": [8, 12]}, 4, 8, 12, "8–12", None),
        ({"measure": "rounds", "between": [8, 12.5]}, 4, 8, 12.5, "8.0–12.5", None),
        ({"measure": "lead_changes", "at_least": 2}, 4, 2, None, "at least 2", None),
        ({"measure": "first_player", "within": "200% of par"}, 4, 0.0, 0.75, "0–75%", "within ±200% of par"),
    ],
)
def test_limits_and_their_words(
    keys: dict[str, Any], players: int, low: float | None, high: float | None, words: str, relative: str | None
) -> None:
    checked = Goal.model_validate(keys)
    assert list(checked.faults()) == []
    assert checked.band(players) == pytest.approx((low, high), abs=5e-5)
    assert checked.describe(players) == words
    assert checked.describe() == (relative or words)


@pytest.mark.parametrize(
    ("keys", "label"),
    [
        ({"measure": "first_player"}, "First player"),
        ({"measure": "leader_wins"}, "Leader at half-time wins"),
        ({"measure": "leader_wins", "at": "75%"}, "Leader after three quarters wins"),
        ({"measure": "close_finish", "points": 3}, "Ends within 3 points"),
        ({"measure": "close_finish", "points": 1}, "Ends within 1 point"),
        ({"measure": "tie_break"}, "Decided by the tie-break"),
        ({"measure": "tie_break", "title": "Pawn decides"}, "Pawn decides"),
    ],
)
def test_labels(keys: dict[str, Any], label: str) -> None:
    assert Goal.model_validate(keys).label == label


@pytest.mark.parametrize(
    ("measure", "keys", "before", "margin"),
    [
        ("first_player", {}, 0.25, 0.005),
        ("first_player", {"same_within": "1pp"}, 0.25, 0.01),
        ("rounds", {}, 50.0, 1.0),
        ("rounds", {"same_within": "10%"}, 50.0, 5.0),
        ("rounds", {"same_within": 2}, 50.0, 2.0),
        ("item_seen", {}, 0.02, 0.005),
    ],
)
def test_margin_of_what_counts_as_the_same(measure: str, keys: dict[str, Any], before: float, margin: float) -> None:
    assert goal(measure, **keys).margin(before) == pytest.approx(margin)


@pytest.mark.parametrize(
    ("measure", "keys", "path", "what"),
    [
        ("first_player", {}, (), "the goal has no limits"),
        ("first_player", {"within": "1pp", "at_most": "30%"}, ("at_most",), "within and at_most: one is enough"),
        ("first_player", {"within": "4%"}, ("within",), "in the wrong unit for first_player"),
        ("first_player", {"at_most": "4pp"}, ("at_most",), "in the wrong unit for first_player"),
        ("first_player", {"at_most": 0.3}, ("at_most",), "in the wrong unit for first_player"),
        ("first_player", {"between": ["27%", "23%"]}, ("between",), "limits in the wrong order"),
        ("first_player", {"between": ["96% of par", "30%"]}, ("between",), "limits in two units"),
        ("first_player", {"between": ["20%", "3pp"]}, ("between", 1), "in the wrong unit"),
        ("first_player", {"at_most": "101%"}, ("at_most",), "too large"),
        ("first_player", {"within": "1pp", "at": "50%"}, ("at",), "says nothing to the measure first_player"),
        ("first_player", {"within": "1pp", "points": 3}, ("points",), "says nothing to the measure first_player"),
        ("first_player", {"within": "1pp", "same_within": "1%"}, ("same_within",), "in the wrong unit"),
        ("close_finish", {"at_least": "50%"}, (), "does not say how close a finish is"),
        ("tie_break", {"within": "1pp"}, ("within",), "tie_break has no par to be within something of"),
        ("tie_break", {"at_most": "50% of par"}, ("at_most",), "in the wrong unit for tie_break"),
        ("rounds", {"within": "1pp"}, ("within",), "rounds has no par to be within something of"),
        ("rounds", {"at_most": "12%"}, ("at_most",), "in the wrong unit for rounds"),
        ("rounds", {"at_most": 12, "same_within": "1pp"}, ("same_within",), "in the wrong unit for rounds"),
        ("item_seen", {"at_most": "2%"}, ("at_most",), "in the wrong unit for item_seen"),
        ("item_seen", {"within": "4% of par"}, ("within",), "in the wrong unit for item_seen"),
    ],
)
def test_goals_that_make_no_sense(measure: str, keys: dict[str, Any], path: tuple[str | int, ...], what: str) -> None:
    (fault,) = goal(measure, **keys).faults()
    assert fault.path == path
    assert what in fault.what


@pytest.mark.parametrize(("text", "share"), [("0.3pp", 0.003), (" 0.25 pp ", 0.0025), ("100pp", 1.0)])
def test_percentage_points_are_read(text, share):
    assert points(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["", "0pp", "-1pp", "wide", "0.3 p", "nan", "1", "2%", "101pp"])
def test_no_percentage_points_are_refused(text):
    with pytest.raises(UsageError, match="is no amount of percentage points"):
        points(text)
