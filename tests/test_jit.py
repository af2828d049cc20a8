"""Compiling: late, cached by the sources it comes from, and the same as plain Python."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sim import jit

HERE = Path(__file__).resolve().parent.parent


def python(code: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=HERE,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_games_and_strategies_does_not_import_numba():
    code = """
import sys
from sim import games
from strategies import registry
for game in games.GAMES:
    games.spec(game)
    found, broken = registry.find(game)
    assert found and not broken, broken
print("numba" in sys.modules)
"""
    assert python(code) == "False"


def test_bits():
    for mask in (1, 2, 12, 1 << 53, (1 << 54) - 1, 5 << 40):
        assert jit.lowest_bit(mask) == f"{mask:b}"[::-1].index("1")
        assert jit.count_bits(mask) == f"{mask:b}".count("1")


@pytest.mark.compiled
def test_bits_compiled():
    @jit.rule
    def both(mask):
        return jit.lowest_bit(mask) * 100 + jit.count_bits(mask)

    for mask in (1, 2, 12, 1 << 53, (1 << 54) - 1, 5 << 40):
        assert both(np.int64(mask)) == jit.lowest_bit(mask) * 100 + jit.count_bits(mask)


def test_folder_changes_with_every_source_and_comes_back(tmp_path):
    source = tmp_path / "a.py"
    source.write_text("one = 1\n")
    jit.digest.cache_clear()
    first = jit.digest((tmp_path,))
    source.write_text("one = 2\n")
    jit.digest.cache_clear()
    second = jit.digest((tmp_path,))
    source.write_text("one = 1\n")
    jit.digest.cache_clear()
    assert first == jit.digest((tmp_path,)) != second
    jit.digest.cache_clear()


def test_a_strategy_does_not_share_the_folder_of_the_games():
    game = jit.cache_folder(jit.PROJECT / "sim" / "rng.py")
    strategy = jit.cache_folder(jit.PROJECT / "strategies" / "mon" / "greedy.py")
    assert game != strategy


@pytest.mark.compiled
def test_an_edited_rule_in_another_file_is_never_stale(tmp_path):
    """The trap that named cache folders avoid: Numba does not notice an edit of a file that a cached function calls."""
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "rules.py").write_text("from sim.jit import rule\n@rule\ndef reward():\n    return 4\n")
    (package / "main.py").write_text(
        "from sim.jit import rule\nfrom pack.rules import reward\n@rule\ndef total():\n    return reward() * 10\n"
    )
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nfrom sim import jit\nfrom pathlib import Path\n"
        f"jit.COMPILED_FROM = (Path({str(package)!r}), Path({str(tmp_path / 'none')!r}))\n"
        "from pack.main import total\nprint(total())"
    )
    cache = str(tmp_path / "cache")
    assert python(code, HAKARI_CACHE=cache) == "40"
    rules = package / "rules.py"
    rules.write_text(rules.read_text().replace("4", "5"))
    assert python(code, HAKARI_CACHE=cache) == "50"


@pytest.mark.compiled
def test_functions_as_values_share_a_tuple_whatever_else_they_were_called_with():
    types = jit.numba().types

    @jit.rule
    def double(x):
        return x * 2

    @jit.rule
    def triple(x):
        return x * 3

    @jit.rule
    def call(functions, which, x):
        return functions[which](x)

    double(1.5)  # another signature of the rule itself
    signature = types.int64(types.int64)
    functions = (jit.first_class(double, signature), jit.first_class(triple, signature))
    assert [call(functions, which, 7) for which in (0, 1)] == [14, 21]


def test_cache_folders_that_nobody_uses_any_more_are_deleted(tmp_path):
    """Only folders of ours, and only old ones; one in use is kept whatever its age."""
    used, old, new, other = (tmp_path / name for name in ("a" * 16, "b" * 16, "c" * 16, "notes"))
    for folder in (used, old, new, other):
        folder.mkdir()
        (folder / "file").touch()
    ages = {used: jit.UNUSED_DAYS + 1, old: jit.UNUSED_DAYS + 1, new: jit.UNUSED_DAYS - 1, other: 1000}
    for folder, days in ages.items():
        os.utime(folder, (time.time() - days * 86_400,) * 2)
    jit._keep(used)
    assert {folder.name for folder in tmp_path.iterdir()} == {used.name, new.name, other.name}
