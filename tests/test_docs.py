"""What the docs promise: commands run, tables are generated."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench import pairing
from sim import results
from sim.config import load

HERE = Path(__file__).resolve().parent.parent
README = (HERE / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)
FACTOR = r"\d+(\.\d)? ×"  # of games
COMMANDS = [
    line.split("#")[0].strip()
    for language, block in BLOCKS
    if language == "sh"
    for line in block.splitlines()
    if line.startswith(".venv/bin/hakari")
]


def test_readme_lines_are_short():
    assert [line for line in README.splitlines() if len(line) > 140 and not line.startswith("|")] == []


def small(command: str) -> list[str]:
    """The command with fewer games."""
    words = shlex.split(command)[1:]
    if words[0] == "run":
        words = [*words, "--games", "300"] if "--games" not in words else words
        words[words.index("--games") + 1] = "300"
    return words


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A folder with the README's own files and one finished run."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "lowest.py").write_text(next(block for language, block in BLOCKS if language == "python"))
    run = subprocess.run(
        [sys.executable, "-m", "sim.cli", "run", "mon", "--games", "300", "--players", "3", "--out", "out/mon/first"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_readme_command(command, workplace):
    words = [word.replace("out/mon/<run>", "out/mon/first") for word in small(command)]
    done = subprocess.run(
        [sys.executable, "-m", "sim.cli", *words], cwd=workplace, capture_output=True, text=True, check=False
    )
    expected = (0, 1, 3) if words[0] == "check" else (0,)
    assert done.returncode in expected, done.stderr
    assert done.stdout


def test_readme_config_snippets_stand_in_the_configs():
    snippets = [block for language, block in BLOCKS if language == "toml"]
    config = (HERE / "configs" / "emblems.toml").read_text(encoding="utf-8")
    for snippet in snippets:
        for line in snippet.splitlines():
            key = line.split("#")[0].strip()
            assert re.sub(r"\s+", " ", key) in re.sub(r"\s+", " ", config), key


def test_readme_table_of_columns_is_the_schema():
    assert columns() in README, "write the table anew: python -m tests.test_docs"


def test_readme_table_of_pairing_has_the_shape_that_the_bench_prints():
    title, table = README.split("<!-- pairing -->\n\n")[1].split("\n\n")[:2]
    head, line, *rows = table.splitlines()
    assert title == f"**{pairing.TITLE}**", "print the table anew: python -m bench pairing"
    assert cells(head) == pairing.HEAD
    assert line == "|" + "---|" * len(pairing.HEAD)
    assert [cells(row)[:2] for row in rows] == [[game, f"`{edit}`"] for game, edit in pairing.EDITS]
    assert all(is_measured(cells(row)) for row in rows)


@pytest.mark.compiled
def test_bench_measures_what_pairing_saves(monkeypatch):
    monkeypatch.setattr(pairing, "GAMES", 400)
    row = pairing.row(*pairing.EDITS[0])
    assert is_measured(row)
    assert row == pairing.row(*pairing.EDITS[0])


@pytest.mark.parametrize(("game", "edit"), pairing.EDITS)
def test_the_edits_of_the_bench_change_the_rules(game, edit):
    assert load(game, [edit]).options != load(game, []).options


def cells(line: str) -> list[str]:
    """The cells of a table's line."""
    return line.strip("| ").split(" | ")


def is_measured(row: list[str]) -> bool:
    """Whether a row of the table of pairing ends with two factors, of which the second may not exist, and a share."""
    forms = [FACTOR, f"{FACTOR}|–", r"\d+\.\d%"]
    return all(re.fullmatch(form, cell) for form, cell in zip(forms, row[2:], strict=True))


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_makefile_names_only_targets_that_exist():
    text = (HERE / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert phony
    for target in phony[1].split():
        assert re.search(rf"^{target}:", text, re.MULTILINE), target


def columns() -> str:
    """The README's table of columns: what all games share."""
    return "\n".join(results.column_table(None)).strip()


if __name__ == "__main__":
    start, rest = README.split("<!-- columns -->\n")
    _, end = rest.split("\n## Speed\n")
    (HERE / "README.md").write_text(f"{start}<!-- columns -->\n\n{columns()}\n\n## Speed\n{end}", encoding="utf-8")
