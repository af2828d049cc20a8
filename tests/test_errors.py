from __future__ import annotations

import pickle

import pytest

from sim.errors import (
    ConfigError,
    Fault,
    HakariError,
    IntegrityError,
    StorageError,
    StrategyError,
    UsageError,
    either,
    nearest,
)


def test_the_text_shows_everything_at_one_glance() -> None:
    error = ConfigError(
        "hand is too small",
        where="configs/emblems.toml:11",
        quote="hand = -1\n       ^^",
        got="-1",
        expected="a whole number from 1 to 15",
        fix="deal more",
    )
    assert str(error).splitlines() == [
        "configs/emblems.toml:11: hand is too small",
        "    hand = -1",
        "           ^^",
        "  found     -1",
        "  expected  a whole number from 1 to 15",
        "  fix       deal more",
    ]


def test_what_alone_is_enough() -> None:
    assert str(UsageError("nothing to compare")) == "nothing to compare"


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (HakariError, 70),
        (UsageError, 2),
        (ConfigError, 2),
        (StrategyError, 2),
        (IntegrityError, 4),
        (StorageError, 5),
    ],
)
def test_exit_codes(kind: type[HakariError], code: int) -> None:
    assert kind.exit_code == code
    assert kind("x").exit_code == code


def test_one_fault_is_the_error_itself() -> None:
    fault = ConfigError("one")
    assert ConfigError.of([fault]) is fault
    assert fault.faults == (fault,)


def test_several_faults_are_told_together() -> None:
    faults = ConfigError("one", where="a:1"), ConfigError("two", where="b:2")
    error = ConfigError.of(faults)
    assert error.faults == faults
    assert str(error) == "a:1: one\n\nb:2: two\n\n2 faults; nothing was run"


def test_errors_survive_the_way_between_processes() -> None:
    error = ConfigError.of([ConfigError("one", where="a:1", got="x"), ConfigError("two", fix="y")])
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_fault_seen_from_the_table_around_it() -> None:
    fault = Fault(("turns", "3"), "too many", on=(("hand",),)).under("rules", 0)
    assert fault.path == ("rules", 0, "turns", "3")
    assert fault.on == (("rules", 0, "hand"),)


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("hlaf", ["half", "per_card"], "half"),
        ("a", ["A", "B"], "A"),
        ("HALF", ["half"], "half"),
        ("castle", ["half", "per_card"], None),
        ("x", [], None),
    ],
)
def test_nearest(word: str, known: list[str], meant: str | None) -> None:
    assert nearest(word, known) == meant


@pytest.mark.parametrize(
    ("words", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")]
)
def test_either(words: list[str], text: str) -> None:
    assert either(words) == text
