"""Configs: what loads, what every fault is told as, what ``--set`` does, and that nothing is lost on the way."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # its types are a package of their own
import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from sim import games
from sim.config import FOLDER, Config, json_schema, load, parse_member, restore
from sim.errors import ConfigError, UsageError, either
from sim.source import key_text

SHIPPED = sorted(path.stem for path in FOLDER.glob("*.toml"))
EMBLEMS = (FOLDER / "emblems.toml").read_text(encoding="utf-8")
MON = (FOLDER / "mon.toml").read_text(encoding="utf-8")

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file into the folder where the test stands."""
    monkeypatch.chdir(tmp_path)

    def writing(content: str | bytes, name: str = "x.toml") -> Path:
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        return Path(name)

    return writing


def faults_of(source: str | Path, *overrides: str) -> tuple[ConfigError, ...]:
    """All faults of a config that must not load."""
    with pytest.raises(ConfigError) as caught:
        load(source, overrides)
    assert caught.value.exit_code == 2
    for word in ("Extra inputs", "validation error", "Input should", "Traceback", "None", "pydantic"):
        assert word not in str(caught.value)
    return caught.value.faults


def fault_of(source: str | Path, *overrides: str) -> ConfigError:
    """The one fault of a config."""
    faults = faults_of(source, *overrides)
    assert len(faults) == 1, "\n".join(map(str, faults))
    return faults[0]


def edited(text: str, old: str, new: str) -> str:
    """A shipped config with a line of it changed."""
    assert text.count(old) == 1, f"{text.count(old)} × {old}"
    return text.replace(old, new)


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


# --- what loads ---


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_config_loads(name: str) -> None:
    config = load(name)
    assert config.name == name
    assert config.title
    assert config.goals
    assert load(FOLDER / f"{name}.toml") == config


@pytest.mark.parametrize("game", games.GAMES)
def test_the_shipped_config_spells_out_the_defaults(game: str) -> None:
    options = games.options(game)()
    assert load(game).options == options
    assert load(game).rules() == options.model_dump(mode="json", by_alias=True)
    assert list(options.faults()) == []


@pytest.mark.parametrize("game", games.GAMES)
def test_the_shipped_config_names_every_rule(game: str) -> None:
    named = tomlkit.parse((FOLDER / f"{game}.toml").read_text(encoding="utf-8")).unwrap()
    rules = load(game).rules()
    assert {key: named.get(key) for key in rules} == rules


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """List (path, old value, new value) of two effective configs; lists count as one value."""

    def leaves(node: Mapping[str, Any], path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
        for key, value in node.items():
            inner = (*path, key)
            yield from leaves(value, inner) if isinstance(value, Mapping) else [(inner, value)]

    before, after = dict(leaves(old, ())), dict(leaves(new, ()))
    paths = dict.fromkeys([*before, *after])
    return [(key_text(p), before.get(p), after.get(p)) for p in paths if before.get(p) != after.get(p)]


def test_presets_differ_in_what_they_say() -> None:
    def changes(game: str, preset: str) -> list[tuple[str, Any, Any]]:
        return differences(load(game).rules(), load(preset).rules())

    assert changes("emblems", "emblems-set-b") == [("set", "A", "B")]
    assert changes("emblems", "emblems-set-c") == [("set", "A", "C")]
    assert changes("emblems", "emblems-hidden-coins") == [("rulings.coins_visible", True, False)]
    assert changes("emblems", "emblems-optional-effects") == [("rulings.effects", "mandatory", "optional")]
    assert changes("busho", "busho-hidden") == [("variant", "shown", "hidden")]
    assert changes("busho", "busho-race") == [("grab_priority", "next_in_turn", "random")]
    assert changes("sangoku", "sangoku-hardcore") == [("hardcore", False, True)]
    assert changes("sangoku", "sangoku-haunted") == [("haunted", False, True)]
    assert changes("sangoku", "sangoku-back-from-the-brink") == [("back_from_the_brink", False, True)]
    points = [1] * 6 + [2] * 6 + [3] * 6
    assert changes("mon", "mon-points-b") == [("points", points, [*points[:17], 4])]
    assert changes("mon", "mon-points-c") == [("points", points, [1] * 5 + [2] * 5 + [3] * 5 + [4] * 3)]


@pytest.mark.parametrize("letter", ["b", "c"])
def test_points_tables_by_name_are_those_of_the_presets(letter: str) -> None:
    assert load("mon", [f"points=points_{letter}"]).rules() == load(f"mon-points-{letter}").rules()


def test_a_file_needs_to_say_only_what_differs(write: Write) -> None:
    path = write('game = "mon"\nhand_sizes.4 = 8\n[plan]\nplayers = [4]\n', "mine.toml")
    config = load(path)
    assert config.name == "mine"
    assert config.options.model_dump()["hand_sizes"] == {"2": 13, "3": 10, "4": 8, "5": 8, "6": 7}
    assert config.plan.players == (4,)
    assert config.plan.games == 1_000_000


def test_players_are_all_that_the_game_takes_unless_the_plan_says_otherwise(write: Write) -> None:
    assert load(write('game = "emblems"\n')).plan.players == (3, 4, 5)
    assert load(write('game = "mon"\n')).plan.players == (2, 3, 4, 5, 6)


def test_a_set_of_ones_own(write: Write) -> None:
    own = "".join(
        f'[sets."my set".{place}]\n"3-4" = [{coins}]\n5 = ["half", 0, -2]\n'
        for place, coins in [("castle", 9), ("village", 8), ("port", 7)]
    )
    rules = load(write('game = "emblems"\nset = "my set"\n' + own)).rules()
    assert rules["sets"]["my set"]["village"] == {"3-4": [8], "5": ["half", 0, -2]}
    assert list(rules["sets"]) == ["A", "B", "C", "my set"]


def test_bases_are_laid_under_each_other(write: Write) -> None:
    write('game = "mon"\ntitle = "one"\nname = "one"\ntokens = 8\n[plan]\ngames = 50\nseed = 3\n', "one.toml")
    write('base = "one.toml"\ntokens = 9\nrulings.tie = "shared"\n', "two.toml")
    config = load(write('base = "two.toml"\nplan.games = 60\n', "three.toml"))
    assert (config.rules()["tokens"], config.rules()["rulings"]["tie"]) == (9, "shared")
    assert (config.plan.games, config.plan.seed) == (60, 3)
    assert (config.name, config.title) == ("three", "")


def test_a_goal_has_the_newest_limits_only(write: Write) -> None:
    write('game = "mon"\n[goals.first]\nmeasure = "first_player"\nwithin = "1pp"\nsame_within = "1pp"\n', "one.toml")
    two = write('base = "one.toml"\n[goals.first]\nat_most = "60%"\n', "two.toml")
    goal = load(two).goals["first"]
    assert (goal.describe(2), goal.same_within) == ("at most 60%", "1pp")
    assert load(two, ["goals.first.at_least=40%"]).goals["first"].describe(2) == "at least 40%"


def test_a_byte_order_mark_and_line_ends_of_windows_just_work(write: Write) -> None:
    windows = EMBLEMS.replace("\n", "\r\n").encode("utf-8-sig")
    assert load(write(windows, "emblems.toml")) == load("emblems")
    broken = edited(EMBLEMS, "hand = 6", "hand = 0").replace("\n", "\r\n").encode("utf-8-sig")
    fault = fault_of(write(broken))
    assert fault.where == f"x.toml:{line_of(EMBLEMS, 'hand = 6')}"
    assert fault.quote is not None
    assert "\r" not in fault.quote


def test_loading_imports_nothing_heavy() -> None:
    script = "import sys; from sim.config import load; load('mon'); print(*sys.modules)"
    modules = subprocess.run(
        [sys.executable, "-c", script], cwd=FOLDER.parent, capture_output=True, text=True, check=True
    )
    loaded = {name.split(".")[0] for name in modules.stdout.split()}
    assert "pydantic" in loaded
    assert not loaded & {"numba", "pandas", "pyarrow", "matplotlib"}


# --- single faults: (text, line that shows it, what, carets under, found, expected, fix) ---

FAULTS = {
    "unknown key": (
        edited(EMBLEMS, "debt = false", "dept = false"),
        ("dept", "there is no key rulings.dept", "dept", None, "effects, debt, coins_visible", "rulings.debt"),
    ),
    "unknown key at the top": (
        edited(EMBLEMS, "start_coins = 3", "start_cions = 3"),
        ("start_cions", "there is no key start_cions", "start_cions", None, "rounds", "did you mean start_coins?"),
    ),
    "unknown table": (
        edited(EMBLEMS, "[rulings]", "[rulinsg]"),
        ("[rulinsg]", "there is no key rulinsg", "rulinsg", None, "rulings", "did you mean rulings?"),
    ),
    "key in the wrong table": (
        edited(EMBLEMS, "[plan]\n", "[plan]\nrounds = 2\n").replace("rounds = 3", "#", 1),
        ("rounds = 2", "there is no key plan.rounds", "rounds", None, "games", "at the top, above the first [table]"),
    ),
    "key that belongs into a table": (
        edited(EMBLEMS, "start_coins = 3", "debt = true"),
        ("debt = true", "there is no key debt", "debt", None, "rounds", "debt stands in [rulings]"),
    ),
    "unknown reward": (
        edited(EMBLEMS, '[sets.B.castle]\n"3-4" = ["half"', '[sets.B.castle]\n"3-4" = ["hlaf"'),
        (
            '"hlaf"',
            'sets.B.castle."3-4"[0] has an unknown name',
            '"hlaf"',
            '"hlaf"',
            'a whole number from -100 to 100, "half", "per_card" or "steal_each"',
            'did you mean "half"?',
        ),
    ),
    "reward too large": (
        edited(EMBLEMS, "[5, 1, -2]", "[5, 1, -200]"),
        ("-200", 'sets.A.port."3-4"[2] is too small', "-200", "-200", "from -100 to 100", None),
    ),
    "reward of the wrong kind": (
        edited(EMBLEMS, "[5, 1, -2]", "[5, 1.5, -2]"),
        ("1.5", "wrong kind of value", "1.5", "1.5 (a number with decimals)", "a whole number from", None),
    ),
    "too many rewards": (
        edited(EMBLEMS, "[5, 1, -2]", str([1] * 16)),
        (str([1] * 16), 'sets.A.port."3-4" has too many entries', str([1] * 16), "[1, 1", "a list of at most 15", None),
    ),
    "number in quotes": (
        edited(EMBLEMS, "rounds = 3", 'rounds = "3"'),
        ('"3" ', "rounds has the wrong kind of value", '"3"', '"3" (text)', "from 1 to 15", "write 3 without quotes"),
    ),
    "decimal that is none": (
        edited(EMBLEMS, "rounds = 3", "rounds = 3.0"),
        ("3.0", "rounds has the wrong kind of value", "3.0", "3.0", "from 1 to 15", "write 3"),
    ),
    "switch as a word": (
        edited(EMBLEMS, "debt = false", 'debt = "no"'),
        ('"no"', "rulings.debt has the wrong kind of value", '"no"', '"no" (text)', "true or false", "write false"),
    ),
    "number for a table": (
        edited(EMBLEMS, "[interventions]\nblank = []", "").replace("start_coins", "interventions = 3\nstart_coins", 1),
        ("interventions = 3", "interventions has the wrong kind", "3", "3 (a whole", "a table with blank", None),
    ),
    "negative hand": (
        edited(EMBLEMS, "hand = 6", "hand = -1"),
        ("hand = -1", "hand is too small", "-1", "-1", "a whole number from 1 to 15", None),
    ),
    "negative hand in mon": (
        edited(MON, "4 = 9\n", "4 = -9\n"),
        ("4 = -9", "hand_sizes.4 is too small", "-9", "-9", "a whole number from 1 to 27", None),
    ),
    "hand for seven players": (
        edited(MON, "6 = 7\n", "6 = 7\n7 = 6\n"),
        ("7 = 6", "there is no key hand_sizes.7", "7", None, "one of 2, 3, 4, 5, 6", None),
    ),
    "seven players": (
        edited(MON, "players = [2, 3, 4, 5, 6]\nl", "players = [2, 7]\nl"),
        ("[2, 7]", "mon takes 2 to 6 players", "7", "7", "2, 3, 4, 5 or 6", None),
    ),
    "two players": (
        edited(EMBLEMS, "players = [3, 4, 5]", "players = [2, 3]"),
        ("[2, 3]", "emblems takes 3 to 5 players", "2", "2", "3, 4 or 5", None),
    ),
    "players twice": (
        edited(EMBLEMS, "players = [3, 4, 5]", "players = [3, 4, 3]"),
        ("[3, 4, 3]", "plan.players names 3 twice", "3", None, None, "leave one of them out"),
    ),
    "one number for a list": (
        edited(EMBLEMS, "players = [3, 4, 5]", "players = 4"),
        ("players = 4", "plan.players has the wrong kind of value", "4", "4", "a list of at least 1", "write [4]"),
    ),
    "players of a goal": (
        edited(MON, "players = [2]\n", "players = [8]\n"),
        ("[8]", "mon takes 2 to 6 players", "8", "8", "2, 3, 4, 5 or 6", None),
    ),
    "more turns than cards in hand": (
        edited(EMBLEMS, "3 = 4\n", "3 = 7\n"),
        ("3 = 7", "turns.3 asks for more cards than a hand holds", "7", "7 turns", "at most 6", None),
    ),
    "more turns than cards": (
        edited(EMBLEMS, "3 = 4\n", "3 = 6\n"),
        ("3 = 6", "turns.3 asks for more cards than a player has", "6", "18 cards", "at most 15", None),
    ),
    "set that is not there": (
        edited(EMBLEMS, 'set = "A"', 'set = "D"'),
        ('set = "D"', "there is no such set of Locations", '"D"', '"D"', '"A", "B" or "C"', "[sets.D.castle]"),
    ),
    "set in small letters": (
        edited(EMBLEMS, 'set = "A"', 'set = "b"'),
        ('set = "b"', "there is no such set of Locations", '"b"', '"b"', '"A", "B" or "C"', 'did you mean "B"?'),
    ),
    "set without a Location": (
        EMBLEMS + "".join(f"[sets.D.{place}]\n3-4 = []\n5 = []\n" for place in ("castle", "village")),
        ("[sets.D.castle]", "sets.D.port is missing", "D", None, 'a table with "3-4", 5', None),
    ),
    "Location without a side": (
        EMBLEMS + "[sets.D]\nvillage = {3-4 = [], 5 = []}\nport = {3-4 = [], 5 = []}\ncastle = {5 = []}\n",
        ("castle = {5", 'sets.D.castle."3-4" is missing', "castle", None, "a list of at most 15", None),
    ),
    "blank for nobody": (
        edited(EMBLEMS, "blank = []", 'blank = ["0:11", "5:3"]'),
        ('"5:3"]', "interventions.blank[1] is not written as it should be", '"5:3"', '"5:3"', '"0:11" or "2:13"', None),
    ),
    "blank of no character": (
        edited(EMBLEMS, "blank = []", 'blank = ["0:16"]'),
        ('"0:16"', "interventions.blank[0] is not written as it should be", '"0:16"', '"0:16"', '"0:11"', None),
    ),
    "blank twice": (
        edited(EMBLEMS, "blank = []", 'blank = ["0:11", "0:11"]'),
        (
            'blank = ["0',
            'interventions.blank names "0:11" more than once; leave one of them out',
            '["0:11", "0:11"]',
            "",
            None,
            None,
        ),
    ),
    "unknown colour": (
        edited(MON, "no_fall_back = []", 'no_fall_back = ["glod"]'),
        ('"glod"]', "no_fall_back[0] has an unknown name", '"glod"', '"glod"', '"gold", "sil', 'did you mean "gold"?'),
    ),
    "tile of an unknown colour": (
        edited(MON, "start_values = {}", "start_values = {red = 3}"),
        ("{red = 3}", "there is no key start_values.red", "red", None, "one of gold, silver, black", None),
    ),
    "value that does not exist": (
        edited(MON, "removed_values = []", "removed_values = [19]"),
        ("[19]", "removed_values[0] is too large", "19", "19", "a whole number from 1 to 18", None),
    ),
    "value removed twice": (
        edited(MON, "removed_values = []", "removed_values = [3, 3]"),
        ("[3, 3]", "removed_values names 3 more than once; leave one of them out", "[3, 3]", None, None, None),
    ),
    "points too few": (
        edited(MON, "points = [ 1, ", "points = [ "),
        ("points = [ 1", "points has too few entries", None, "[1, 1", "a list of 18, each a whole", None),
    ),
    "one point wrong": (
        edited(MON, "points = [ 1, 1,", "points = [ 1, true,"),
        ("true,", "points[1] has the wrong kind of value", "true", "true (a switch)", "from -100 to 100", None),
    ),
    "points by an unknown name": (
        re.sub(r"points = \[.*\]", 'points = "point_b"', MON),
        ('"point_b"', "points has an unknown name", '"point_b"', '"point_b"', '"points_b"', 'did you mean "points_b"?'),
    ),
    "hands too large": (
        edited(MON, "6 = 7\n", "6 = 10\n"),
        ("6 = 10", "hand_sizes.6 needs more cards", "10", "6 hands of 10 are 60 cards", "at most 9: with 6", None),
    ),
    "hands too large for two": (
        edited(MON, "2 = 13\n", "2 = 20\n"),
        ("2 = 20", "hand_sizes.2 needs more cards", "20", "2 hands of 20 are 40 cards", "there are 39 cards", None),
    ),
    "tokens below zero": (
        edited(MON, "tokens = 10", "tokens = -1"),
        ("tokens = -1", "tokens is too small", "-1", "-1", "a whole number from 0 to 54", None),
    ),
    "no games": (
        edited(MON, "games = 1_000_000", "games = 0"),
        ("games = 0", "plan.games is too small", "0", "0", "a whole number from 1 to 1_000_000_000_000", None),
    ),
    "seed too large": (
        edited(MON, "seed = 1 ", "seed = 9223372036854775808 "),
        ("seed = 9", "plan.seed is too large", "9223372036854775808", "922", "0 to 9_223_372_036_854_775_807", None),
    ),
    "seed below zero": (
        edited(MON, "seed = 1 ", "seed = -1 "),
        ("seed = -1", "plan.seed is too small", "-1", "-1", "from 0 to", None),
    ),
    "nothing kept": (
        edited(MON, "seed = 1 ", "keep_games = 0 "),
        ("keep_games", "plan.keep_games is too small", "0", "0", "a number above 0 and at most 1", None),
    ),
    "unknown line-up": (
        edited(MON, '"mirror"]', '"mirorr"]'),
        ('"mirorr"', 'plan.lineups[2] has an unknown name', '"mirorr"', None, '"field"', 'did you mean "mirror"?'),
    ),
    "line-up with a bad parameter": (
        edited(MON, '"mirror"]', '["greedy{tempo=fast}", "random"]]'),
        ('"greedy{', "plan.lineups[2][0] is no strategy with its", '"greedy{tempo=fast}"', "greedy{", None, None),
    ),
    "strategy twice": (
        edited(MON, '"guarded"]', '"random"]'),
        ('"random"]', "plan.strategies names", '"random"', None, None, "leave one of them out"),
    ),
    "parameter that is no number": (
        MON + '\n[strategies.greedy]\ntempo = "fast"\n',
        ('tempo = "fast"', "strategies.greedy.tempo has the wrong kind of value", '"fast"', '"fast"', "a number", None),
    ),
    "strategy that cannot be": (
        MON + "\n[strategies.'gree dy']\ntempo = 1\n",
        ("[strategies.", 'strategies."gree dy" has a name that cannot be used', "'gree dy'", None, None, None),
    ),
    "parameter that is not finite": (
        MON + "\n[strategies.greedy]\ntempo = inf\n",
        ("tempo = inf", "strategies.greedy.tempo cannot have this value", "inf", "inf", "a number", None),
    ),
    "unknown measure": (
        MON + '\n[goals.new]\nmeasure = "tie_braek"\nat_most = "1%"\n',
        ('"tie_braek"', "goals.new.measure has an unknown name", '"tie_braek"', None, None, 'did you mean "tie_bre'),
    ),
    "goal without a measure": (
        MON + '\n[goals.new]\nat_most = "1%"\n',
        ("[goals.new]", "goals.new.measure is missing", "new", None, '"first_player"', None),
    ),
    "goal without limits": (
        MON + '\n[goals.new]\nmeasure = "tie_break"\n',
        ("[goals.new]", "the goal has no limits", "new", None, "exactly one of within, between", None),
    ),
    "goal in the wrong unit": (
        MON + '\n[goals.new]\nmeasure = "first_player"\nwithin = "4%"\n',
        ('within = "4%"\n', "within is in the wrong unit", '"4%"', '"4%"', 'such as "2pp" or "4% of par"', None),
    ),
    "goal in words": (
        MON + '\n[goals.new]\nmeasure = "first_player"\nwithin = "4 percent"\n',
        ('"4 percent"', "goals.new.within is not written", '"4 percent"', '"4 percent"', '"24%", "2pp" or', None),
    ),
    "endless title": (
        edited(MON, 'title = "The rule book\'s game"', f'title = "{"long " * 50}"'),
        ("title =", "title is too long", None, '"long long', None, None),
    ),
    "one member in a line-up": (
        edited(MON, '"mirror"]', '["greedy"]]'),
        ('["greedy"]]', "plan.lineups[2] has too few entries", '["greedy"]', None, "a list of 2 to 6", None),
    ),
    "title of two lines": (
        edited(MON, 'title = "The rule book\'s game"', 'title = "a\\nb"'),
        ("title =", "title is not written as it should be", '"a\\nb"', None, None, None),
    ),
    "date": (
        edited(MON, "tokens = 10", "tokens = 2026-11-29"),
        ("tokens = 2026", "tokens has the wrong kind", "2026-11-29", "(a date or time)", "a whole number", None),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FAULTS)
def test_each_fault_is_told_in_its_place(case: str, write: Write) -> None:
    text, (part, what, carets, got, expected, fix) = FAULTS[case]
    fault = fault_of(write(text))
    assert what in fault.what
    assert fault.where == f"x.toml:{line_of(text, part)}"
    assert fault.quote is not None
    line, marks = fault.quote.split("\n")
    assert part.strip().split("\n")[0] in line or "…" in line
    if carets is not None:
        assert line[marks.index("^") : marks.rindex("^") + 1] == carets
    for told, wanted in ((fault.got, got), (fault.expected, expected), (fault.fix, fix)):
        assert (wanted or "") in (told or "")


def test_all_faults_are_told_at_once_in_the_order_of_the_file(write: Write) -> None:
    text = EMBLEMS
    for old, new in [
        ("rounds = 3", 'rounds = "3"'),
        ("hand = 6", "hand = -1"),
        ("3 = 4\n", "3 = 9\n"),  # too many for any hand, but the hand is unknown: not worth telling
        ("debt = false", "dept = false"),
        ("[5, 1, -2]", '[5, "hlaf", -200]'),
        ("players = [3, 4, 5]", "players = [3, 7]"),
        ('between = ["45%", "75%"]', 'between = ["75%", "45%"]'),
    ]:
        text = edited(text, old, new)
    faults = faults_of(write(text))
    assert [fault.what for fault in faults] == [
        "rounds has the wrong kind of value",
        "hand is too small",
        "there is no key rulings.dept",
        'sets.A.port."3-4"[1] has an unknown name',
        'sets.A.port."3-4"[2] is too small',
        "emblems takes 3 to 5 players",
        "between has its limits in the wrong order",
    ]
    with pytest.raises(ConfigError, match="7 faults; nothing was run"):
        load("x.toml")


def test_a_cross_check_is_told_beside_faults_of_other_keys(write: Write) -> None:
    text = edited(edited(EMBLEMS, "start_coins = 3", "start_coins = -3"), "3 = 4\n", "3 = 7\n")
    assert [fault.what for fault in faults_of(write(text))] == [
        "start_coins is too small",
        "turns.3 asks for more cards than a hand holds",
    ]


def test_two_locations_missing_spoil_no_other_set_and_no_cross_check(write: Write) -> None:
    own = "".join(f"[sets.mine.{place}]\n3-4 = [1]\n5 = [1]\n" for place in ("castle", "village", "port"))
    text = 'game = "emblems"\nset = "mine"\nturns.3 = 7\n' + own + "[sets.half.castle]\n3-4 = [1]\n5 = [1]\n"
    assert [fault.what for fault in faults_of(write(text))] == [
        "turns.3 asks for more cards than a hand holds",
        "sets.half.village is missing",
        "sets.half.port is missing",
    ]


def test_removed_values_are_blamed_where_hands_become_too_large(write: Write) -> None:
    faults = faults_of(write('game = "mon"\nremoved_values = [1, 2, 3, 4, 5]\n'))
    assert [fault.what for fault in faults] == [
        "hand_sizes.5 needs more cards than the game has",
        "hand_sizes.6 needs more cards than the game has",
    ]
    for fault in faults:
        assert fault.where == "x.toml:2"
        assert fault.expected is not None
        assert "there are 39 cards" in fault.expected
        assert fault.fix == "deal smaller hands or remove fewer values"


def test_values_removed_with_two_players_count_once(write: Write) -> None:
    text = 'game = "mon"\nremoved_values = [1, 2, 3, 4]\nhand_sizes.2 = 19\n'
    assert load(write(text)).rules()["removed_values"] == [1, 2, 3, 4]
    assert fault_of(write(text.replace("19", "20"))).what == "hand_sizes.2 needs more cards than the game has"


# --- files that are no configs ---


def test_empty_files(write: Write) -> None:
    for text in ("", "\n\n", "# nothing yet\n"):
        fault = fault_of(write(text))
        assert (fault.what, fault.where) == ("this config is empty", "x.toml")
        begins = either(f'game = "{game}"' for game in games.GAMES)
        assert fault.expected == f"a config that begins with {begins}"


@pytest.mark.parametrize(
    ("text", "what", "where", "fix"),
    [
        ("tokens = 9\n", "this config does not say which game it is for", "x.toml", None),
        ('gmae = "mon"\n', "there is no key gmae", "x.toml:1", "did you mean game?"),
        ('\ngame = "mom"\n', "there is no such game", "x.toml:2", 'did you mean "mon"?'),
        ("game = 3\n", "there is no such game", "x.toml:1", None),
        ("hello, I am a letter\n", "this line cannot be read", "x.toml:1", None),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "this file is no text", "x.toml", None),
        ("game = 'mon'".encode("utf-16"), "this text is saved as UTF-16", "x.toml", "save it as UTF-8"),
        (b'game = "mon"\ntitle = "Caf\xe9"\n', "this text is not saved as UTF-8", "x.toml:2", "save it as UTF-8"),
        (b"#" * 1_000_001, "this file is larger than a million bytes", "x.toml", None),
        ('[sets.A]\n[sets.A]\ngame = "emblems"\n', "the table [sets.A] is written twice", "x.toml:2", "keep one"),
        ('base = "nope.toml"', "the base of this config is not there", "x.toml:1", None),
        ('\nbase = "x.toml"', "this config is based on itself", "x.toml:2", None),
        ("base = 3", "base names no file", "x.toml:1", None),
        ('base = "a\\u0000b"', "base names no file", "x.toml:1", None),
        ('base = "mno.toml"', "the base of this config is not there", "x.toml:1", "configs/mon.toml?"),
    ],
)
def test_files_that_are_no_configs(text: str | bytes, what: str, where: str, fix: str | None, write: Write) -> None:
    fault = fault_of(write(text))
    assert (fault.what, fault.where) == (what, where)
    assert (fix or "") in (fault.fix or "")


def test_a_base_for_another_game(write: Write) -> None:
    write('game = "mon"\n', "base.toml")
    fault = fault_of(write('base = "base.toml"\ngame = "emblems"\n'))
    assert (fault.what, fault.where) == ("the base of this config is for mon", "x.toml:2")


def test_a_fault_in_a_base_is_shown_there(write: Write) -> None:
    write('game = "mon"\ntokens = -1\n', "base.toml")
    assert fault_of(write('base = "base.toml"\n')).where == "base.toml:2"
    assert load(write('base = "base.toml"\ntokens = 5\n')).rules()["tokens"] == 5


def test_a_ring_of_bases(write: Write) -> None:
    write('base = "two.toml"\n', "one.toml")
    write('base = "one.toml"\n', "two.toml")
    assert fault_of("one.toml").where == "two.toml:1"


def test_folders(write: Write) -> None:
    write("", "mine.toml")
    fault = fault_of(".")
    assert (fault.what, fault.fix) == ("this is a folder", "name a file in it: mine.toml")


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("mno", "did you mean mon?"),
        ("Emblems", "did you mean emblems?"),
        ("emblems-set-d", "did you mean emblems-set-"),
        ("configs/mno.toml", "configs/mon.toml?"),
        ("mine.tmol", "did you mean mine.toml?"),
        ("chess-2000.toml", None),
    ],
)
def test_missing_files(name: str, fix: str | None, write: Write) -> None:
    write("", "mine.toml")
    fault = fault_of(name)
    assert (fault.what, fault.where) == ("there is no such config", name)
    assert fault.expected is not None
    assert "emblems-set-b" in fault.expected
    assert (fix or "") in (fault.fix or "")
    assert (fix is None) == (fault.fix is None)


def test_a_name_that_is_too_long(write: Write) -> None:
    assert fault_of("x" * 5000).what == "this file cannot be read: File name too long"


def test_files_that_may_not_be_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    path = write(MON)
    monkeypatch.setattr(Path, "open", refuse)  # permissions do not bind a test that runs as root
    assert fault_of(path).what == "you have no permission to read this file"


def test_a_file_whose_name_is_too_long_to_name_a_run(write: Write) -> None:
    fault = fault_of(write('game = "mon"\n', "x" * 101 + ".toml"))
    assert (fault.what, fault.where, fault.quote) == ("name is too long", "x" * 101 + ".toml", None)


def test_a_file_with_the_name_of_a_game_does_not_hide_the_game(write: Write) -> None:
    write("nonsense", "mon")
    assert load("mon").game == "mon"
    assert fault_of("./mon").what == "this line cannot be read"


# --- --set ---


def test_set_changes_one_thing() -> None:
    for text, change in [
        ('sets.A.castle."3-4"[0]=5', ('sets.A.castle."3-4"', [4, 3, 1], [5, 3, 1])),
        ("sets.B.village.5[0]=steal_each", ("sets.B.village.5", ["per_card", 3, 2, 1], ["steal_each", 3, 2, 1])),
        ("sets.A.port.3-4=[]", ('sets.A.port."3-4"', [5, 1, -2], [])),
        ("rulings.debt=true", ("rulings.debt", False, True)),
        ("plan.games=1000", ("plan.games", 1_000_000, 1000)),
        ("rulings={debt = true}", ("rulings.debt", False, True)),
        ("goals.tie_break.at_most=5%", ("goals.tie_break.at_most", "10%", "5%")),
        ("strategies.greedy.tempo=0.8", ("strategies.greedy.tempo", None, 0.8)),
        ("title=Castle at 5", ("title", "Set A", "Castle at 5")),
    ]:
        assert differences(load("emblems").effective(), load("emblems", [text]).effective()) == [change]


def test_later_sets_see_earlier_ones() -> None:
    points = load("mon", ["points=points_b", "points[0]=0", "points[17]=5"]).rules()["points"]
    assert points == [0, *[1] * 5, *[2] * 6, *[3] * 5, 5]
    assert load("mon", ["tokens=5", "tokens=6"]).rules()["tokens"] == 6


def test_a_points_table_by_name_in_a_file_can_be_indexed(write: Write) -> None:
    path = write('game = "mon"\npoints = "points_b"\n')
    assert load(path, ["points[0]=0"]).rules()["points"] == [0, *[1] * 5, *[2] * 6, *[3] * 5, 4]


def test_a_set_can_mend_the_file(write: Write) -> None:
    assert load(write(edited(EMBLEMS, 'set = "A"', 'set = "D"')), ["set=B"]).rules()["set"] == "B"


def test_tables_that_are_new() -> None:
    new = load("emblems", ['goals.short={measure = "decisions", at_most = 80}'])
    assert new.goals["short"].describe(4) == "at most 80"
    table = "{3-4 = [1], 5 = [2]}"
    sets = load("emblems", ["set=X", f"sets.X={{castle = {table}, village = {table}, port = {table}}}"]).rules()["sets"]
    assert sets["X"]["port"] == {"3-4": [1], "5": [2]}


@pytest.mark.parametrize(
    ("text", "what", "carets", "fix"),
    [
        ("rulinsg.debt=true", "there is no key rulinsg", "rulinsg", "did you mean rulings?"),
        ("rulings.dept=true", "there is no key rulings.dept", "dept", "did you mean rulings.debt?"),
        ('sets.A.castel."3-4"[0]=5', "there is no key sets.A.castel", "castel", "did you mean sets.A.castle?"),
        ('sets.A.castle."3"[0]=5', "there is no key sets.A.castle.3", '"3"', None),
        ("debt=true", "there is no key debt", "debt", "debt stands in [rulings]"),
        ("rulings.debt=yes", "rulings.debt has the wrong kind of value", "yes", "write true without quotes"),
        ("sets.A.castle.3-4[0]=hlaf", 'sets.A.castle."3-4"[0] has an unknown name', "hlaf", 'did you mean "half"?'),
        ("sets.A.castle.3-4[3]=1", 'sets.A.castle."3-4" has no entry [3]', "3", "give the whole list"),
        ("interventions.blank[0]=0:11", "interventions.blank has no entry [0]", "0", "give the whole list"),
        ("sets.A[0]=1", "sets.A is no list", "0", None),
        ("rounds[0]=1", "rounds is no list", "0", None),
        ("plan.players.x=1", "plan.players is a list", "x", None),
        ("rounds.x=1", "there is no key rounds.x", "x", None),
        ("hand=-1", "hand is too small", "-1", None),
        ("plan.players=[7]", "emblems takes 3 to 5 players", "7", None),
        ("turns.3=7", "turns.3 asks for more cards than a hand holds", "7", None),
        ("set=D", "there is no such set of Locations", "D", "write the tables [sets.D.castle], village and port"),
        ("game=mon", "game cannot be set: name another config instead", "game", None),
        ("base=mon.toml", "base cannot be set: name another config instead", "base", None),
        ("goals.first_player.within=4%", "within is in the wrong unit for first_player", "4%", None),
        ("plan.games", "this sets no key", "s", None),
        ("plan.games=", "plan.games is given no value", "=", None),
        ("plan.players=[3", "this list is not finished", "3", None),
    ],
)
def test_faults_of_a_set_point_at_its_text(text: str, what: str, carets: str, fix: str | None) -> None:
    fault = fault_of("emblems", text)
    assert (fault.what, fault.where) == (what, "--set")
    assert (fix or "") in (fault.fix or "")
    assert fault.quote is not None
    line, marks = fault.quote.split("\n")
    if what not in ("this sets no key", "this list is not finished"):
        assert line == text
        assert line[marks.index("^") : marks.rindex("^") + 1] == carets


def test_a_set_is_blamed_for_what_it_does_to_the_file() -> None:
    faults = faults_of("emblems", "hand=3")
    assert [(fault.where, fault.what) for fault in faults] == [
        ("--set", "turns.3 asks for more cards than a hand holds"),
    ]


def test_all_sets_are_told_at_once(write: Write) -> None:
    path = write(edited(EMBLEMS, "start_coins = 3", "start_coins = -3"))
    faults = faults_of(path, "rounds=many", "rulinsg.debt=true", "hand=-1", "=")
    assert [fault.what for fault in faults] == [
        "start_coins is too small",
        "rounds has the wrong kind of value",
        "hand is too small",
        "there is no key rulinsg",
        "this sets no key",
    ]


def test_a_set_into_a_broken_file(write: Write) -> None:
    path = write('game = "mon"\nrulings = 3\n')
    assert [fault.what for fault in faults_of(path, "rulings.tie=shared")] == [
        "rulings has the wrong kind of value",
        "rulings is no table",
    ]


# --- nothing is lost on the way ---


@pytest.mark.parametrize("name", SHIPPED)
def test_effective_is_a_config_again(name: str, write: Write) -> None:
    config = load(name)
    effective = config.effective()
    assert load(write(tomlkit.dumps(effective))).effective() == effective
    assert restore(json.loads(json.dumps(effective))) == config
    assert load(write(json_of(effective))).sha256 == config.sha256


def json_of(effective: dict[str, Any]) -> str:
    """The config with its keys in another order."""
    return tomlkit.dumps(json.loads(json.dumps(effective, sort_keys=True)))


rewards = st.lists(st.integers(-100, 100) | st.sampled_from(["half", "per_card", "steal_each"]), max_size=15)
locations = st.fixed_dictionaries({"3-4": rewards, "5": rewards})
amounts = st.sampled_from(["0%", "24%", "33.3%", "100%", "50% of par"])
set_names = st.text("abX -.\"'é", min_size=1, max_size=4)
blanks = st.lists(st.from_regex(r"[0-4]:[1-9]", fullmatch=True), unique=True, max_size=3)
lineups = st.sampled_from(["field", "all", ["greedy", "random{x=-1.5e-3}"]])
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9)
emblems_files = st.fixed_dictionaries(
    {
        "game": st.just("emblems"),
        "sets": st.dictionaries(
            set_names,
            st.fixed_dictionaries({"castle": locations, "village": locations, "port": locations}),
            max_size=2,
        ),
    },
    optional={
        "start_coins": st.integers(0, 1000),
        "rulings": st.fixed_dictionaries({}, optional={"debt": st.booleans(), "effects": st.just("optional")}),
        "interventions": st.fixed_dictionaries({"blank": blanks}),
        "title": st.text("a'\"\\ é武", max_size=9),
        "plan": st.fixed_dictionaries(
            {},
            optional={
                "games": st.integers(1, 10**12),
                "seed": st.integers(0, 2**63 - 1),
                "keep_games": st.floats(0, 1, exclude_min=True),
                "players": st.lists(st.integers(3, 5), min_size=1, unique=True),
                "lineups": st.lists(lineups, min_size=1, max_size=2, unique_by=str),
            },
        ),
        "goals": st.dictionaries(
            st.text("ab .", min_size=1, max_size=3),
            st.builds(
                lambda side, amount: {"measure": "first_player", side: amount},
                st.sampled_from(["at_most", "at_least"]),
                amounts,
            ),
            max_size=2,
        ),
        "strategies": st.dictionaries(st.just("greedy"), st.dictionaries(st.sampled_from(["tempo", "x"]), numbers)),
    },
)


@settings(deadline=None)  # writes a file each time
@given(data=emblems_files)
def test_any_config_is_a_config_again(data: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(tomlkit.dumps(data), encoding="utf-8", newline="")
    config = load(path)
    effective = config.effective()
    assert restore(json.loads(json.dumps(effective))) == config
    path.write_text(tomlkit.dumps(effective), encoding="utf-8", newline="")
    assert load(path) == config
    jsonschema.validate(effective, json_schema("emblems"))


@settings(deadline=None)  # writes a file each time
@given(
    edits=st.lists(
        st.tuples(st.integers(0, len(MON)), st.integers(0, 6), st.text("=[]{}\"'#.,\n-1x \0é", max_size=3)), max_size=3
    )
)
def test_a_damaged_file_is_loaded_or_explained(
    edits: list[tuple[int, int, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = MON
    for at, length, new in edits:
        text = text[:at] + new + text[at + length :]
    path = tmp_path_factory.getbasetemp() / "damaged.toml"
    path.write_text(text, encoding="utf-8", newline="")
    try:
        load(path, ["rulings.tie=shared", "points[3]=2"])
    except ConfigError as error:
        for fault in error.faults:
            assert fault.where
            assert fault.quote is None or fault.quote.count("\n") == 1


def test_the_hash_sees_every_change() -> None:
    changes = ["tokens=9", "plan.seed=2", "title=x", "goals.first_player.within=5% of par", "strategies.greedy.a=1"]
    hashes = {load("mon", [change]).sha256 for change in changes} | {load("mon").sha256}
    assert len(hashes) == len(changes) + 1
    assert re.fullmatch("[0-9a-f]{64}", load("mon").sha256)
    assert load("mon", ["tokens=10"]).sha256 == load("mon").sha256


def test_a_stored_config_of_another_version_is_refused() -> None:
    with pytest.raises(ConfigError) as caught:
        restore({**load("mon").effective(), "tokenz": 3})
    assert (caught.value.what, caught.value.where) == ("there is no key tokenz", "stored config")


def test_a_config_cannot_be_changed() -> None:
    config = load("mon")
    with pytest.raises(ValueError, match="frozen"):
        config.game = "emblems"  # type: ignore[misc]


# --- the schema ---


def nodes_with_properties(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if "properties" in node:
            yield node["properties"]
        for child in node.values():
            yield from nodes_with_properties(child)


@pytest.mark.parametrize("game", games.GAMES)
def test_the_schema_describes_every_key(game: str) -> None:
    schema = json_schema(game)
    jsonschema.Draft202012Validator.check_schema(schema)
    for properties in nodes_with_properties(schema):
        for key, node in properties.items():
            told = node if "description" in node else schema["$defs"][node["$ref"].removeprefix("#/$defs/")]
            assert re.search(r'[."]$', told["description"]), key


@pytest.mark.parametrize("name", SHIPPED)
def test_the_schema_accepts_the_shipped_configs(name: str) -> None:
    written = tomlkit.parse((FOLDER / f"{name}.toml").read_text(encoding="utf-8")).unwrap()
    jsonschema.validate(written, json_schema(load(name).game))
    jsonschema.validate(load(name).effective(), json_schema(load(name).game))


@pytest.mark.parametrize(
    "change", [{"tokenz": 1}, {"tokens": -1}, {"plan": {"players": [7]}}, {"hand_sizes": {"7": 1}}]
)
def test_the_schema_refuses_what_loading_refuses(change: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"game": "mon", **change}, json_schema("mon"))


# --- games and line-ups ---


def test_games_are_the_folders_of_games() -> None:
    folders = {path.parent.name for path in (FOLDER.parent / "sim" / "games").glob("*/spec.py")}
    assert set(games.GAMES) == folders


def test_an_unknown_game() -> None:
    with pytest.raises(UsageError) as caught:
        games.options("emblem")
    assert caught.value.fix == 'did you mean "emblems"?'


@pytest.mark.parametrize(
    ("text", "name", "params"),
    [
        ("greedy", "greedy", {}),
        ("greedy{}", "greedy", {}),
        ("greedy{tempo=0.8}", "greedy", {"tempo": 0.8}),
        ("high_card{ a = -1, b=2.5e-1 }", "high_card", {"a": -1.0, "b": 0.25}),
    ],
)
def test_members_of_a_lineup(text: str, name: str, params: dict[str, float]) -> None:
    assert parse_member(text) == (name, params)


@pytest.mark.parametrize(
    "text", ["", "{a=1}", "greedy{", "greedy{a}", "greedy{a=}", "greedy{a=1,}", "greedy{a=1,a=2}", "a b"]
)
def test_entries_that_are_no_members(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no strategy|twice"):
        parse_member(text)


def test_the_options_reach_the_game(write: Write) -> None:
    config: Config = load("emblems", ["set=C"])
    options: Any = config.options
    assert options.sets[options.set].castle.three_four == (6, -2, 2)
    assert options.sets["C"].castle.five == (7, -2, 3, 1)
    assert options.turns["3"] == 4
