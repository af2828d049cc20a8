"""House rules: who may import whom, where Numba is, what docs may promise."""

import ast
import re
import sys
from pathlib import Path

import pytest

from sim import games

HOUSE = Path(__file__).resolve().parent.parent
SOURCES = sorted(path for folder in ("sim", "strategies", "reports") for path in (HOUSE / folder).rglob("*.py"))

# What a room may import of the house, by the longest prefix that fits. `sim.cli` may import everything.
ALLOWED = {
    "sim.errors": set(),
    "sim.jit": set(),
    "sim.rng": {"sim.jit"},
    "sim.source": {"sim.errors"},
    "sim.explain": {"sim.errors", "sim.source"},
    "sim.goals": {"sim.errors", "sim.games.model", "sim.source"},
    "sim.config": {"sim.errors", "sim.explain", "sim.games", "sim.games.model", "sim.goals", "sim.source"},
    "sim.results": {"sim.errors", "sim.games.interface"},
    "sim.progress": {"sim.engine.runner"},
    "sim.doctor": {"sim.engine", "sim.games", "sim.jit"},
    "sim.games": {"sim.errors", "sim.games", "sim.jit", "sim.rng", "sim.source"},
    # The checks play games, so they stand on the engine; no game imports them.
    "sim.games.checks": {"sim.engine", "sim.errors", "sim.games", "sim.rng"},
    "sim.engine": {"sim.config", "sim.engine", "sim.errors", "sim.games", "sim.jit", "sim.results", "sim.rng"},
    "strategies": {"sim.config", "sim.errors", "sim.games", "sim.jit", "sim.rng", "strategies"},
    "reports": {
        "sim.config",
        "sim.engine",
        "sim.errors",
        "sim.games",
        "sim.goals",
        "sim.results",
        "sim.source",
        "reports",
    },
}


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(HOUSE).with_suffix("").parts).removesuffix(".__init__")


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            bare = node.module in ("sim", "sim.games", "sim.engine", "reports", "strategies")
            found |= {f"{node.module}.{alias.name}" for alias in node.names} if bare else {node.module}
    return found


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_imports_go_one_way(path):
    module = module_of(path)
    if module == "sim.cli":
        return
    room = max((room for room in ALLOWED if module == room or module.startswith(room + ".")), key=len, default=None)
    if room is None:
        assert module == "sim", f"{module} belongs to no room"
        return
    for name in imports_of(path):
        if name.split(".")[0] in ("sim", "strategies", "reports"):
            allowed = any(name == each or name.startswith(each + ".") for each in {*ALLOWED[room], "sim.VERSION"})
            assert allowed, f"{module} imports {name}"


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_numba_is_imported_in_one_place(path):
    if module_of(path) != "sim.jit":
        assert not any(name.split(".")[0] in ("numba", "llvmlite") for name in imports_of(path))


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_no_other_randomness(path):
    """Games are reproducible: only keyed streams there. Statistics may draw, but never without a seed."""
    source = path.read_text(encoding="utf-8")
    assert "random" not in imports_of(path)
    assert "np.random.seed" not in source
    assert "default_rng()" not in source
    if not module_of(path).startswith("reports"):
        assert "np.random" not in source


@pytest.mark.parametrize("game", games.GAMES)
def test_rule_numbers_in_the_code_stand_in_the_rules(game):
    folder = HOUSE / "sim" / "games" / game
    written = set(re.findall(r"\bR\d+\.\d+\b", (folder / "RULES.md").read_text(encoding="utf-8")))
    assert written
    for name in ("rules.py", "cards.py", "spec.py"):
        cited = set(re.findall(r"\bR\d+\.\d+\b", (folder / name).read_text(encoding="utf-8")))
        assert cited <= written, f"{name} cites {sorted(cited - written)}"


def test_slow_twins_import_nothing_of_the_simulator():
    for path in (HOUSE / "tests" / "naive").glob("*.py"):
        if not path.name.startswith("test_"):
            own = {name.split(".")[0] for name in imports_of(path)}
            assert own <= set(sys.stdlib_module_names), path.name


def test_there_is_no_room_named_utils():
    assert not [path for path in SOURCES if re.search(r"util|helper|manager|misc", path.stem)]
