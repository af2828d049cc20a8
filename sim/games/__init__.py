"""The games. A game is a folder here: its rules, its words and its facts."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sim.errors import UsageError, either, nearest

if TYPE_CHECKING:
    from sim.games.interface import GameSpec
    from sim.games.model import GameOptions

GAMES = ("mon", "emblems", "busho", "momiji")


def options(game: str) -> type[GameOptions]:
    """Give the model of all that a config may change in a game's rules.

    Raises
    ------
    UsageError
        If there is no such game.
    """
    model: type[GameOptions] = _module(game).Options
    return model


def spec(game: str) -> GameSpec:
    """Give the facts of a game.

    Raises
    ------
    UsageError
        If there is no such game.
    """
    facts: GameSpec = _module(game).SPEC
    return facts


def _module(game: str) -> Any:
    if game not in GAMES:
        meant = nearest(game, GAMES)
        raise UsageError(
            f'there is no game "{game}"', expected=either(GAMES), fix=f'did you mean "{meant}"?' if meant else None
        )
    return import_module(f"sim.games.{game}.spec")
