"""Golden traces stay as they are."""

import pytest

from sim import games
from tests.golden import FOLDER, files, played_again, read


@pytest.mark.parametrize("path", files(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_golden(path):
    expected = read(path)
    assert expected[0].pop("reason")
    found = played_again(expected[0])
    for number, (now, before) in enumerate(zip(found, expected, strict=False), start=1):
        assert now == before, f"line {number} differs"
    assert len(found) == len(expected)


@pytest.mark.parametrize("game", games.GAMES)
def test_every_game_has_golden_traces_and_a_reference(game):
    names = {path.name for path in (FOLDER / game).glob("*.jsonl")}
    assert any(name.startswith("reference-") for name in names)
    assert len({name for name in names if not name.startswith("reference-")}) >= 2
