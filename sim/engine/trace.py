"""One game step by step: the lines of its trace, and the story of an illegal action.

The same compiled functions play here as in the batch loop; the game's ``cards.py`` words what they did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from sim import rng
from sim.engine import play
from sim.errors import IntegrityError
from sim.games import spec as game_spec
from sim.games.interface import PARAMS_MAX, Entry, GameSpec

TRACE_VERSION = 1


class Table:
    """A game at the table, played one decision at a time.

    Attributes
    ----------
    spec : GameSpec
    rules, state : record
        As the compiled functions take them.
    entries : sequence of Entry
        Who sits at each seat.
    text : module or object
        The game's words under this config.
    opening : list of dict
        Lines of the trace for what follows by itself before the first decision.
    """

    def __init__(
        self, spec: GameSpec, options: Any, entries: Sequence[Entry], seed: int, deal: int, draws: str = "shared"
    ) -> None:
        rules = spec.fill_rules(options, len(entries), draws == "per_seat")
        self._set_up(spec.under(options), rules, entries, seed, deal)

    @classmethod
    def by_rules(
        cls, spec: GameSpec, rules: Any, entries: Sequence[Entry], seed: int, deal: int, reckoned: Any = None
    ) -> Table:
        """Set up a game by a RULES record, which may say what no config can (see ``GameSpec.interventions``).

        Parameters
        ----------
        spec : GameSpec
            With the names of its config (:meth:`GameSpec.under`).
        reckoned : RULES record, optional
            The rules that the strategies reckon with, if they are others.
        """
        table = cls.__new__(cls)
        table._set_up(spec, rules, entries, seed, deal)
        table._reckoned = rules if reckoned is None else reckoned
        return table

    def _set_up(self, spec: GameSpec, rules: Any, entries: Sequence[Entry], seed: int, deal: int) -> None:
        self.spec, self.rules, self.entries = spec, rules, entries
        self._reckoned = rules
        self.text = spec.text
        self.state = np.zeros(1, spec.state).view(np.recarray)[0]
        self._params = np.zeros((len(entries), PARAMS_MAX))
        for seat, entry in enumerate(entries):
            self._params[seat, : len(entry.values)] = entry.values
        with np.errstate(over="ignore"):
            key = np.uint64(rng.game_key(np.uint64(seed), np.uint64(deal)))
            spec.rules_module.deal(self.state, self.rules, len(entries), key)
            self.opening = list(self._follow())

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.spec.rules_module.is_over(self.state))

    def choose(self) -> int:
        """Ask the strategy in turn for its action."""
        seat = int(self.state.seat)
        choose = play.compile_strategy(self.spec, self.entries[seat].strategy.choose)
        with np.errstate(over="ignore"):
            return int(choose(self.state, self._reckoned, self._params[seat]))

    def apply(self, action: int) -> None:
        """Carry out a legal action and all that follows by itself, without a trace."""
        with np.errstate(over="ignore"):
            self.spec.rules_module.apply(self.state, self.rules, action)

    def play(self, action: int) -> Iterator[dict[str, Any]]:
        """Carry out a legal action and all that follows by itself; yield the lines of the trace."""
        with np.errstate(over="ignore"):
            before = copy_of(self.state)
            self.spec.rules_module.act(self.state, self.rules, action)
            line = self.text.action_line(before, action, self.state)
            if line is not None:  # a decision that shows in the lines that follow has none of its own
                yield {"type": "action", "seat": int(before.seat), **line}
            yield from self._follow()

    def _follow(self) -> Iterator[dict[str, Any]]:
        rules = self.spec.rules_module
        while rules.is_automatic(self.state):
            before = copy_of(self.state)
            rules.follow(self.state, self.rules)
            yield from self.text.follow_lines(before, self.state)

    def is_legal(self, action: int) -> bool:
        """Whether the seat in turn may play this action."""
        return bool(self.spec.rules_module.is_legal(self.state, self.rules, action))

    def result(self) -> dict[str, Any]:
        """Give the last line of the trace."""
        players = len(self.entries)
        scores = np.zeros(self.spec.seats, np.int64)
        winners = int(self.spec.rules_module.score(self.state, self.rules, scores))
        return {
            "type": "end",
            "scores": [int(score) for score in scores[:players]],
            "winners": [seat for seat in range(players) if winners >> seat & 1],
            "rounds": int(self.state.rounds),
            "turns": int(self.state.turn),
            "reason": self.spec.end_reasons[int(self.spec.rules_module.end_reason(self.state))],
        }


def copy_of(record: Any) -> Any:
    """Copy a record as the bytes that it is; NumPy's own way, field by field, takes ten times as long."""
    return np.frombuffer(bytearray(record.tobytes()), record.dtype)[0]


def trace(
    game: str,
    options: Any,
    rules_json: dict[str, Any],
    entries: Sequence[Entry],
    *,
    seed: int,
    deal: int,
    draws: str = "shared",
) -> Iterator[dict[str, Any]]:
    """Play one game and yield its trace, line by line.

    Parameters
    ----------
    rules_json : dict
        The whole effective rules part of the config, for the first line.
    entries : sequence of Entry
        Who sits at each seat, the first player first.

    Raises
    ------
    IntegrityError
        If a strategy plays an illegal action; the lines up to there have been yielded.
    """
    spec = game_spec(game)
    table = Table(spec, options, entries, seed, deal, draws)
    header = {
        "type": "game",
        "game": game,
        "version": TRACE_VERSION,
        "players": len(entries),
        "seed": seed,
        "deal": deal,
    }
    strategies = [entry.label for entry in entries]
    more = {} if draws == "shared" else {"draws": draws}
    yield {**header, **more, "strategies": strategies, "rules": rules_json}
    yield {"type": "setup", **table.text.setup_line(table.state, table.rules)}
    yield from table.opening
    while not table.over:
        action = table.choose()
        if not table.is_legal(action) or table.state.decision >= spec.max_decisions:
            raise IntegrityError(_illegal(table, action), where=f"{game}, deal {deal}")
        yield from table.play(action)
    yield table.result()


def illegal_action_story(
    spec: GameSpec, rules: Any, entries: Sequence[Entry], seed: int, deal: int, reckoned: Any
) -> str:
    """Replay a game that the batch loop gave up and tell the moment: turn, player, phase and action in words."""
    table = Table.by_rules(spec, rules, entries, seed, deal, reckoned)
    while not table.over:
        action = table.choose()
        if not table.is_legal(action) or table.state.decision >= spec.max_decisions:
            return _illegal(table, action)
        table.apply(action)
    return "the replay came to an end: the strategy does not play the same twice"


def _illegal(table: Table, action: int) -> str:
    seat = int(table.state.seat)
    who = f"player {seat + 1} ({table.entries[seat].label})"
    phase = table.text.phase_name(table.state)
    told = f"turn {int(table.state.turn) + 1}, {who}, phase {phase}: {action_words(table.text, action)}"
    return f"{told}\n{table.text.state_text(table.state)}"


def action_words(text: Any, action: int) -> str:
    """An action in words, or the bare number where it stands for nothing."""
    try:
        return f"{text.action_text(action)!r} is not legal here"
    except (ValueError, IndexError):
        return f"{action} is no action"


def story(spec: GameSpec, lines: Iterator[dict[str, Any]], names: Callable[[int], str]) -> Iterator[str]:
    """Tell a trace as a readable story, a sentence a line.

    Parameters
    ----------
    names : callable
        How a seat is called.
    """
    for line in lines:
        match line["type"]:
            case "game":
                seated = ", ".join(f"{names(seat)} {who}" for seat, who in enumerate(line["strategies"]))
                yield f"{spec.title}, {line['players']} players, seed {line['seed']}, deal {line['deal']}: {seated}."
            case "end":
                scores = ", ".join(f"{names(seat)} {score}" for seat, score in enumerate(line["scores"]))
                winners = " and ".join(names(seat) for seat in line["winners"])
                won = "win" if len(line["winners"]) > 1 else "wins"
                yield f"{winners} {won} after {line['turns']} turns. {spec.score_word.capitalize()}: {scores}."
            case _:
                yield spec.text.story(line)
