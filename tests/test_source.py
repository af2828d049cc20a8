"""Where keys and values of a TOML text stand, and how a text that is no TOML is explained."""

from __future__ import annotations

import contextlib
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.errors import ConfigError, Fault, KeyPath
from sim.source import Source, key_text, override, read, show

TRICKY = '''\
plain = 1 # a comment with = and ]
"quoted key" = "a # in text" # and a comment
'literal.key' = 'C:\\path'
dotted."a.b".c = true
spaced . key = [ 1, # one
   [2, 3 ], # "]"
  {x = 1, "y z" = [4]},
]
empty = []
none = {}
multi = """
[not.a.table] = "
""a"""
raw = \'\'\'it's\'\'\'
when = 1979-05-27 07:32:00 # a space within
path = "a\\"b]"

[table]
key = -1.5e3
inline = { a = { b = "}" }, c.d = 2 }
[table.'sub table']
last = """"quoted""""
[[array]]
name = "first"
[[array]]
name = "second"
[array.sub]
deep = 1
[[array.more]]
x = 1
[[array.more]]
x = 2
'''


def leaves(node: Any, path: KeyPath = ()) -> dict[KeyPath, Any]:
    """All values of nested data by their paths."""
    if isinstance(node, dict):
        return {way: value for key, child in node.items() for way, value in leaves(child, (*path, key)).items()}
    found: dict[KeyPath, Any] = {path: node}
    if isinstance(node, list):
        for index, child in enumerate(node):
            found |= leaves(child, (*path, index))
    return found


def check_places(source: Source) -> None:
    """Every value must stand where the source says, and every key too."""
    for path, value in leaves(source.data).items():
        if path in source.values:
            start, end = source.values[path]
            assert tomllib.loads(f"x = {source.text[start:end]}")["x"] == value, path
        else:  # an array of tables has no value of its own
            assert isinstance(value, list)
            assert path in source.keys
        if isinstance(path[-1], str):
            start, end = source.keys[path]
            assert list(tomllib.loads(f"{source.text[start:end]} = 0")) == [path[-1]], path


def test_places_in_a_file_of_all_forms(tmp_path: Path) -> None:
    path = tmp_path / "tricky.toml"
    path.write_text(TRICKY)
    source = read(path, "tricky.toml")
    assert len(leaves(source.data)) > 25
    check_places(source)
    assert source.keys["array", 1, "sub"] == (TRICKY.index("sub]"), TRICKY.index("sub]") + 3)
    assert source.values["spaced", "key", 1, 0] == (TRICKY.index("2, 3"), TRICKY.index("2, 3") + 1)
    assert source.values["array", 1, "more", 1, "x"][0] == TRICKY.rindex("2")


names = st.text("ab.-_\"' é", min_size=1, max_size=4)
scalars = st.integers(-99, 99) | st.booleans() | st.text(max_size=6) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=8
)


@settings(deadline=None)  # writes a file each time
@given(data=st.dictionaries(names, values, max_size=4))
def test_places_in_any_file(data: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(tomlkit.dumps(data), encoding="utf-8", newline="")
    source = read(path, "any.toml")
    assert source.data == data
    check_places(source)


@given(path=st.lists(names | st.integers(0, 9), min_size=1, max_size=4), value=scalars)
def test_a_key_is_written_as_set_reads_it(path: list[str | int], value: Any) -> None:
    keys = ("key", *path)
    change = override(f"{key_text(keys)}={show(value, limit=1000)}")
    assert change.path == keys
    assert change.value == value


@given(text=st.text() | st.from_regex(r'[a.\["\]0=,{}]{0,12}', fullmatch=True))
def test_any_set_text_is_read_or_explained(text: str) -> None:
    with contextlib.suppress(ConfigError):
        assert override(text).path


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ('sets.A.castle."3-4"[0]=5', ("sets", "A", "castle", "3-4", 0), 5),
        ("sets.A.castle.3-4[0]=half", ("sets", "A", "castle", "3-4", 0), "half"),
        ("rulings.debt=true", ("rulings", "debt"), True),
        ("plan.games=1_000", ("plan", "games"), 1000),
        ("goals.x.within=4% of par", ("goals", "x", "within"), "4% of par"),
        ('plan.lineups = ["field", ["greedy", "random"]]', ("plan", "lineups"), ["field", ["greedy", "random"]]),
        ("plan.seed=7 # lucky", ("plan", "seed"), 7),
        ("a[0][1]. 'b c' = {d = 1}", ("a", 0, 1, "b c"), {"d": 1}),
        ("title=Castle = 5", ("title",), "Castle = 5"),
    ],
)
def test_set_texts(text: str, path: KeyPath, value: Any) -> None:
    change = override(text)
    assert (change.path, change.value) == (path, value)


@pytest.mark.parametrize(
    ("text", "what", "carets"),
    [
        ("rounds", "this sets no key", "rounds\n      ^"),
        ("=5", "this sets no key", "=5\n^"),
        ("a..b=3", "this sets no key", "a..b=3\n ^"),
        ("points[x]=3", "this sets no key", "points[x]=3\n      ^"),
        ("hand=", "hand is given no value", "hand=\n    ^"),
        ('"\\q"', "this sets no key", '"\\q"\n    ^'),
        ("points=[1,", "a value is missing here", None),
        ('title="x', "this text has no closing quote", None),
        ("hand=1\nrounds=2", "something follows the value on its line", None),
    ],
)
def test_set_texts_that_cannot_be_read(text: str, what: str, carets: str | None) -> None:
    with pytest.raises(ConfigError) as caught:
        override(text)
    assert caught.value.what == what
    assert caught.value.where == "--set"
    assert carets in (None, caught.value.quote)


@pytest.mark.parametrize(
    ("text", "line", "what", "quote", "fix"),
    [
        ("a = 1\nx = optional\n", 2, "this value cannot be read", "x = optional\n    ^^^^^^^^", '"optional"'),
        ("x = [half, 2]", 1, "this value cannot be read", "x = [half, 2]\n     ^^^^", '"half"'),
        ("x = True", 1, "this value cannot be read", "x = True\n    ^^^^", "write true, in small letters"),
        ("x = −3", 1, "this value cannot be read", "x = −3\n    ^^", "-3"),
        ("x = “half”", 1, "this value cannot be read", "x = “half”\n    ^^^^^^", "straight quotes"),
        ("x = .5", 1, "this value cannot be read", "x = .5\n    ^^", "write 0.5"),
        ("x =\ny = 1", 1, "a value is missing here", "x =\n   ^", None),
        ("x = 0,5", 1, "something follows the value on its line", "x = 0,5\n     ^", "decimals with a point"),
        ("x = 05", 1, "something follows the value on its line", "x = 05\n     ^", "leading zeros"),
        ("x = 5 coins", 1, "something follows the value on its line", "x = 5 coins\n      ^^^^^", "one key a line"),
        ("x = [4 3]", 1, "this list is not finished", "x = [4 3]\n       ^", None),
        ("x = [4,\n3", 2, "this list is not finished", "3\n ^", None),
        ("x = {a = 1", 1, "this table is not finished", "x = {a = 1\n          ^", None),
        ('x = "half\n', 1, "this text has no closing quote on its line", 'x = "half\n         ^', None),
        ('x = """half', 1, "this text has no closing quote", 'x = """half\n           ^', None),
        ('x = "a\\qb"', 1, "a backslash stands in this text", None, None),
        ("hello world", 1, "this line cannot be read", "hello world\n^^^^^^", None),
        ("= 3", 1, "this line cannot be read", "= 3\n^", None),
        ("[sets.A", 1, "this name of a table is not finished", None, None),
        ("[[sets", 1, "this name of a table is not finished", None, None),
        ("hand = 6\n\nhand = 7", 3, "the key hand is written twice", "hand = 7\n^^^^", "keep one"),
        ("[sets.A]\n[sets.B]\n[sets.A]", 3, "the table [sets.A] is written twice", "[sets.A]\n      ^", "keep one"),
        ("x = {a = 1, a = 2}", 1, "the key x.a is written twice", "x = {a = 1, a = 2}\n            ^", "keep one"),
        ("x = 1\n[x]", 2, "the table [x] is written twice", "[x]\n ^", "keep one"),
        ("[[x]]\n[x]", 2, "the table [x] is written twice", "[x]\n ^", "keep one"),
        ("x = {a = 1}\n[x.b]", 2, "the table [x.b] is written twice", "[x.b]\n   ^", "keep one"),
        ("x = " + "[" * 5000, None, "lists and tables are nested too deeply", None, None),
        ("x = " + "9" * 5000, 1, "this cannot be read", None, None),
    ],
)
def test_texts_that_are_no_toml(
    text: str, line: int | None, what: str, quote: str | None, fix: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read(path, "x.toml")
    error = caught.value
    assert error.what.startswith(what)
    assert error.where == ("x.toml" if line is None else f"x.toml:{line}")
    assert quote in (None, error.quote)
    assert (fix or "") in (error.fix or "")


def test_line_ends_of_windows_become_plain_ones(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(TRICKY.replace("\n", "\r\n").encode())
    source = read(path, "x.toml")
    assert source.text == TRICKY
    check_places(source)


def test_the_first_of_two_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text("[a]\nhand = 6\n\n[b]\n[a]\n")
    with pytest.raises(ConfigError) as caught:
        read(path, "x.toml")
    assert caught.value.got == "it stands first on line 1"


def quoted(text: str, part: str) -> str | None:
    start = text.index(part)
    return Source("x", text).error(Fault((), "x"), (start, start + len(part))).quote


def test_carets_stand_under_wide_characters() -> None:
    assert quoted('x = ["武田", "half"]', '"half"') == 'x = ["武田", "half"]\n             ^^^^^^'
    assert quoted('x = ["武"]', '"武"') == 'x = ["武"]\n     ^^^^'


def test_a_long_line_is_cut_around_the_fault() -> None:
    quote = quoted("x = [" + "1, " * 100 + "bad, " + "2, " * 100 + "]", "bad")
    assert quote is not None
    line, carets = quote.split("\n")
    assert line.startswith("…")
    assert line.endswith("…")
    assert len(line) <= 102
    assert line[carets.index("^") : carets.rindex("^") + 1] == "bad"


def test_a_value_over_several_lines_is_marked_on_its_first() -> None:
    assert quoted("  x = [1,\n  2]\n", "[1,\n  2]") == "x = [1,\n    ^^^"
