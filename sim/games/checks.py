"""Common checks of a game and of a strategy, usable by anyone who writes one.

:func:`check_game` tells when a new game keeps the contract of ``interface.py``. :func:`check_strategy` is what every
strategy passes before it plays in a run: its actions are legal, it changes nothing, and it does not look at what its
seat cannot know.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from sim import rng
from sim.engine import play
from sim.engine.trace import Table, action_words, copy_of
from sim.errors import StrategyError
from sim.games.interface import MASK_BITS, Entry, GameSpec

CHECK_SEED = 20_260_101  # deals of the checks; nothing depends on which
STRATEGY_GAMES = 4  # games a strategy plays for each player count
REDEALS = 2  # reshuffles of the hidden things at each decision
NO_ACTIONS = (-1, -(2**63), 2**63 - 1, 2**62, 2**31, 123_456_789)

REQUIRED_STATE = {"seat", "phase", "turn", "rounds", "decision", "policy"}


class Wanderer:
    """Plays uniformly among a game's candidates, so that checks also meet tables that no good strategy leads to."""

    def __init__(self, spec: GameSpec, key: int) -> None:
        self.spec = spec
        self.key = np.uint64(key)
        self.out = np.zeros(spec.rules_module.CANDIDATES, np.int64)

    def candidates(self, table: Table) -> list[int]:
        """All candidates of the seat in turn."""
        with np.errstate(over="ignore"):
            count = int(self.spec.rules_module.candidates(table.state, table.rules, self.out))
        return [int(action) for action in self.out[:count]]

    def choose(self, table: Table) -> int:
        """One of them."""
        actions = self.candidates(table)
        with np.errstate(over="ignore"):
            return actions[int(rng.below(self.key, table.state.decision, len(actions)))]


def check_strategy(spec: GameSpec, options: Any, entry: Entry) -> None:
    """Play a few games with a strategy and watch it closely; takes well under a second once it is compiled.

    Raises
    ------
    StrategyError
        By name, with the deal that shows it, if the strategy cannot be compiled, chooses an illegal action, changes
        the state or the rules, or chooses otherwise when the things that its seat cannot know are reshuffled.
    """
    try:
        play.compile_strategy(spec, entry.strategy.choose)
    except Exception as error:  # Numba raises many kinds; all mean that this file cannot play
        reason = str(error).strip().splitlines()
        told = next((line for line in reason if line.strip() and "pipeline" not in line), type(error).__name__)
        raise StrategyError(
            f"strategy {entry.label} cannot be compiled", where=str(entry.strategy.source), got=told
        ) from None
    for players in spec.players:
        for deal in range(STRATEGY_GAMES):
            _watch(spec, options, entry, players, deal)


def _watch(spec: GameSpec, options: Any, entry: Entry, players: int, deal: int) -> None:
    """Watch one game: in even deals the strategy holds all seats, in odd ones every other seat wanders."""
    draws = "per_seat" if deal >= STRATEGY_GAMES // 2 else "shared"
    table = Table(spec, options, [entry] * players, CHECK_SEED, deal, draws)
    wanderer = Wanderer(spec, deal + 1)
    while not table.over:
        seat = int(table.state.seat)
        if deal % 2 and seat % 2:
            action = wanderer.choose(table)
        else:
            action = _watched_choice(
                spec, table, entry, f"{spec.name}, {players} players, seed {CHECK_SEED}, deal {deal}"
            )
        table.apply(action)


def _watched_choice(spec: GameSpec, table: Table, entry: Entry, where: str) -> int:
    seat, moment = (
        int(table.state.seat),
        f"{where}, turn {int(table.state.turn) + 1}, player {int(table.state.seat) + 1}",
    )
    state, rules = table.state.tobytes(), table.rules.tobytes()
    try:
        action = table.choose()
    except Exception as error:  # whatever a strategy raises, it is refused by name
        raise StrategyError(
            f"strategy {entry.label} fails", where=moment, got=f"{type(error).__name__}: {error}"
        ) from None
    if table.state.tobytes() != state or table.rules.tobytes() != rules:
        raise StrategyError(
            f"strategy {entry.label} changes the {'state' if table.state.tobytes() != state else 'rules'}",
            where=moment,
            expected="a strategy that only reads; copy what you want to change",
        )
    if not table.is_legal(action):
        raise StrategyError(
            f"strategy {entry.label} chooses an illegal action",
            where=moment,
            got=action_words(table.text, action),
            expected="an action for which is_legal(state, rules, action) is true",
        )
    seen = table.state
    for number in range(REDEALS):
        with np.errstate(over="ignore"):
            key = np.uint64(rng.word(np.uint64(CHECK_SEED), int(seen.decision) * REDEALS + number))
            table.state = copy_of(seen)
            spec.rules_module.redeal(table.state, table.rules, seat, key)
        other = table.choose()
        table.state = seen
        if other != action:
            text = table.text
            raise StrategyError(
                f"strategy {entry.label} looks at what its seat cannot know",
                where=moment,
                got=f"{text.action_text(action)!r}, but {_text(text, other)!r} when hidden cards change places",
                expected="the same choice, since everything that this player has seen is the same",
            )
    return action


def _text(text: Any, action: int) -> str:
    try:
        return str(text.action_text(action))
    except (ValueError, IndexError):
        return str(action)


# --- checks of a game -------------------------------------------------------------------------------------------------


def check_game(spec: GameSpec) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the common checks of a game, each with its name; a check raises AssertionError when the game breaks it."""
    yield "dtypes have the common fields and no field hides a method", partial(_check_dtypes, spec)
    yield "the options' defaults are a config", partial(_check_options, spec)
    for players in spec.players:
        yield f"{players} players: games keep the contract", partial(_check_games, spec, players)
        yield f"{players} players: hidden things can be reshuffled", partial(_check_redeal, spec, players)


def _check_dtypes(spec: GameSpec) -> None:
    assert set(spec.state.names or ()) >= REQUIRED_STATE, f"STATE lacks {REQUIRED_STATE - set(spec.state.names or ())}"
    assert "players" in (spec.rules.names or ()), "RULES lacks players"
    for dtype in (spec.state, spec.rules, spec.record):
        # np.record offers its fields as attributes, but its own methods (round, size, copy, …) win.
        hidden = {name for name in dtype.names or () if hasattr(np.record, name)}
        assert not hidden, f"fields {hidden} hide methods of NumPy's records"
    common = set(play.row_dtype(spec.seats).names or ())
    assert not common & set(spec.masks), f"masks {common & set(spec.masks)} are called like columns of every game"
    for name in (*spec.masks, *spec.counters):
        assert name in (spec.record.names or ()), f"RECORD lacks {name}"
    for use in spec.items.uses.values():
        assert set(use.fields) <= set(spec.masks), f"use {use.label} names no mask"
    for name, counter in spec.counters.items():
        assert spec.record[name].shape == tuple(len(axis) for axis in counter.axes), f"counter {name} has another shape"
    for name in spec.masks:
        room = MASK_BITS * math.prod(spec.record[name].shape[1:])
        assert len(spec.items.names) <= room, f"mask {name} has only {room} bits"


def _check_options(spec: GameSpec) -> None:
    for players in spec.players:
        rules = spec.fill_rules(spec.options(), players, False)
        assert int(rules.players) == players


def _check_games(spec: GameSpec, players: int, games: int = 12) -> None:
    rules = spec.rules_module
    scores, values = np.zeros(spec.seats, np.int64), np.zeros(spec.seats, np.int64)
    for deal in range(games):
        table = Table(spec, spec.options(), [NOBODY] * players, CHECK_SEED, deal, "per_seat" if deal % 2 else "shared")
        again = Table(spec, spec.options(), [NOBODY] * players, CHECK_SEED, deal, "per_seat" if deal % 2 else "shared")
        json.dumps(table.text.setup_line(table.state, table.rules))
        wanderer = Wanderer(spec, deal)
        for line in table.opening:
            assert spec.text.story(json.loads(json.dumps(line))), "a trace line has no story"
        while not table.over:
            actions = wanderer.candidates(table)
            assert actions, "no candidate although the game is not over"
            assert len(set(actions)) == len(actions), "candidates repeat an action"
            assert all(table.is_legal(action) for action in actions), "a candidate is illegal"
            assert not any(table.is_legal(action) for action in NO_ACTIONS), "nonsense is legal"
            action = wanderer.choose(table)
            assert table.text.parse_action(table.text.action_text(action)) == action, (
                "an action's text does not read back"
            )
            for line in table.play(action):
                assert spec.text.story(json.loads(json.dumps(line))), "a trace line has no story"
            again.apply(action)
            assert again.state.tobytes() == table.state.tobytes(), (
                "apply is not act and follow, or chance depends on more"
            )
            assert int(table.state.decision) <= spec.max_decisions, "more decisions than max_decisions"
            rules.lead(table.state, table.rules, values)
        winners = int(rules.score(table.state, table.rules, scores))
        assert 0 < winners < 1 << players, "winners are not a set of seats"
        assert all(spec.score_bounds[0] <= score <= spec.score_bounds[1] for score in scores[:players])
        assert spec.end_reasons[int(rules.end_reason(table.state))]
        row = np.zeros(1, spec.record).view(np.recarray)[0]
        rules.record(table.state, row)
        for name in spec.masks:
            for word, masks in enumerate(np.atleast_3d(row[name][np.newaxis]).T):
                bits = min(max(len(spec.items.names) - word * MASK_BITS, 0), MASK_BITS)
                assert int(masks.min()) >= 0 and int(masks.max()) < 1 << bits, f"{name} has odd bits"
        assert not table.is_legal(action), "an action is legal after the end"


def _check_redeal(spec: GameSpec, players: int, games: int = 4) -> None:
    """A seat's own choices must not move when hidden things are reshuffled, and some hidden thing must."""
    moved = False
    for deal in range(games):
        table = Table(spec, spec.options(), [NOBODY] * players, CHECK_SEED, deal)
        wanderer = Wanderer(spec, deal)
        while not table.over:
            seen, actions = table.state, wanderer.candidates(table)
            table.state = copy_of(seen)
            with np.errstate(over="ignore"):
                key = np.uint64(rng.word(np.uint64(deal), int(seen.decision)))
                spec.rules_module.redeal(table.state, table.rules, int(seen.seat), key)
            assert wanderer.candidates(table) == actions, "a reshuffle of hidden things changes a seat's own choices"
            moved |= table.state.tobytes() != seen.tobytes()
            table.state = seen
            table.apply(wanderer.choose(table))
    assert moved, "redeal changes nothing"


class Nobody:
    """Sits at a table whose actions come from elsewhere."""

    name, choose = "nobody", None


NOBODY = Entry("nobody", Nobody(), ())
