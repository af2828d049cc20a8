"""Sections that games add: found by the game's name, complete without one."""

import sys
import types

from reports import panels
from reports.facts import Panel


def test_a_game_without_a_file_has_the_common_sections():
    assert [panel.name for panel in panels.of("no_such_game")] == ["luck"]


def test_a_game_adds_its_sections_by_a_file_of_its_name(monkeypatch):
    own = types.ModuleType("reports.panels.noughts")
    own.PANELS = (Panel("corners", "Corners", lambda counts: []),)
    own.__spec__ = types.SimpleNamespace(name=own.__name__)
    monkeypatch.setitem(sys.modules, own.__name__, own)
    assert [panel.name for panel in panels.of("noughts")] == ["corners", "luck"]


def test_emblems_shows_its_locations_before_luck():
    assert [panel.name for panel in panels.of("emblems")] == ["locations", "luck"]
