"""The batch loop: games played in compiled code into preallocated rows.

One template serves every game: :func:`kernel` binds a game's rules into it (see :func:`sim.jit.bind`). Strategies come
in as first-class functions, so one compiled loop serves every line-up.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from sim import jit, rng
from sim.games.interface import PARAMS, SHARE_UNITS, Entry, GameSpec

STRATEGIES_MAX = 16  # different strategies that one batch can seat
ROUNDS_MAX = 128  # rounds of which the leaders are remembered; later rounds keep the last one's
NEVER = np.iinfo(np.int16).max  # more rounds than any game has: no stand-in
CHECKPOINTS = 3  # leaders are reported after 25, 50 and 75 % of the rounds

OK, ILLEGAL_ACTION, TOO_LONG = 0, 1, 2  # status codes of the batch loop

FAULT = np.dtype(
    [
        ("status", "i8"),  # OK, ILLEGAL_ACTION or TOO_LONG
        ("game", "i8"),  # which of the games
        ("strategy", "i8"),  # entry of the strategy that decided
        ("action", "i8"),
    ],
    align=True,
)


@cache
def game_dtype(seats: int) -> np.dtype[Any]:
    """One game that is to be played."""
    return np.dtype(
        [
            ("deal", "i8"),
            ("rotation", "i1"),
            ("rules", "i2"),  # which of the rules it is played by
            ("reckoned", "i2"),  # which of them the strategies reckon with when they choose
            ("strategy", "i2", (seats,)),  # entry of the strategy in each seat
            # An experiment may let somebody else play on for one seat, from some round on.
            ("stand_in_from", "i2"),  # rounds finished by then; `NEVER` for no stand-in
            ("stand_in_seat", "i1"),
            ("stand_in", "i2"),  # entry of the strategy
        ],
        align=True,
    )


@cache
def row_dtype(seats: int) -> np.dtype[Any]:
    """Row of one game, the same for every game: who sat where, how it went, how it ended."""
    return np.dtype(
        [
            ("deal", "i8"),
            ("rotation", "i1"),
            ("strategy", "i2", (seats,)),  # entry of the strategy in each seat
            ("score", "i2", (seats,)),
            ("share", "i1", (seats,)),  # of the win, in 60ths
            ("winners", "i1"),  # mask of seats
            ("top", "i1"),  # mask of the seats with the best score, before tie-breaks
            ("leaders", "i1", (CHECKPOINTS,)),  # masks of the leading seats after 25, 50 and 75 % of the rounds
            ("lead_changes", "i2"),
            ("rounds", "i2"),
            ("turns", "i2"),
            ("decisions", "i2"),
            ("reason", "i1"),
        ],
        align=True,
    )


# A game's own functions and sizes, bound into the template by `kernel`.
deal = is_automatic = follow = is_over = is_legal = apply = score = lead = record = end_reason = None
SEATS = MAX_DECISIONS = 0
FEWEST_WINS = False


def play_games(strategies, params, rules, states, seed, games, rows, records, fault):
    """Play games, each by its own rules if need be.

    Parameters
    ----------
    strategies : tuple of STRATEGIES_MAX first-class functions
        Who can play; the entries of ``games`` index it.
    params : PARAMS[STRATEGIES_MAX]
        Their parameters. Read only.
    rules : RULES[VARIANTS]
        All for the same number of players. Read only.
    states : STATE[1]
        Where the games are played, one after the other.
    seed : uint64
        The run's seed.
    games : game_dtype[GAMES]
        What to play. Read only.
    rows : row_dtype[GAMES]
        Filled.
    records : RECORD[GAMES]
        Filled with the game's own record.
    fault : FAULT[1]
        Filled when something went wrong: the first game that could not be finished.

    Returns
    -------
    int64
        Status
        ------
        OK, ILLEGAL_ACTION (a strategy's choice was refused), TOO_LONG (more decisions than a game can have).
    """
    state = states[0]
    players = rules[0].players
    scores = np.zeros(SEATS, np.int64)
    values = np.zeros(SEATS, np.int64)
    leaders = np.zeros(ROUNDS_MAX + 1, np.int64)
    for number in range(games.shape[0]):
        game = games[number]
        law = rules[game.rules]
        reckoned = rules[game.reckoned]
        deal(state, law, players, rng.game_key(seed, game.deal))
        while is_automatic(state):
            follow(state, law)
        rounds = 0
        lead_changes = 0
        leaders[0] = (1 << players) - 1
        while not is_over(state):
            who = game.strategy[state.seat]
            if state.rounds >= game.stand_in_from and state.seat == game.stand_in_seat:
                who = game.stand_in
            action = strategies[who](state, reckoned, params[who].values[:])
            legal = is_legal(state, law, action)
            if not legal or state.decision >= MAX_DECISIONS:
                fault[0].status = TOO_LONG if legal else ILLEGAL_ACTION
                fault[0].game, fault[0].strategy, fault[0].action = number, who, action
                return fault[0].status
            apply(state, law, action)
            if rounds < state.rounds <= ROUNDS_MAX:
                lead(state, law, values)
                now = best_seats(values, players)
                lead_changes += now & leaders[rounds] == 0
                while rounds < state.rounds:  # an action may end several rounds
                    rounds += 1
                    leaders[rounds] = now
        row = rows[number]
        row.deal, row.rotation = game.deal, game.rotation
        row.winners = score(state, law, scores)
        row.top = best_seats(-scores if FEWEST_WINS else scores, players)
        share = SHARE_UNITS // jit.count_bits(row.winners)
        for seat in range(players):
            row.strategy[seat] = game.strategy[seat]
            row.score[seat] = scores[seat]
            row.share[seat] = share if row.winners >> seat & 1 else 0
        for point in range(CHECKPOINTS):
            row.leaders[point] = leaders[(rounds * (point + 1) * 2 + CHECKPOINTS + 1) // (2 * (CHECKPOINTS + 1))]
        row.lead_changes = lead_changes
        row.rounds, row.turns, row.decisions = state.rounds, state.turn, state.decision
        row.reason = end_reason(state)
        record(state, records[number])
    return OK


@jit.rule
def best_seats(values, players):
    """Mask (int64) of the seats that hold the highest value."""
    best = values[0]
    mask = np.int64(1)
    for seat in range(1, players):
        if values[seat] > best:
            best = values[seat]
            mask = np.int64(1) << seat
        elif values[seat] == best:
            mask |= np.int64(1) << seat
    return mask


@jit.rule
def draw_members(seed, first_deal, strategies, members):
    """Draw the line-up of each block of a mixed table: every member independently, every strategy equally likely.

    Parameters
    ----------
    strategies : int64
        How many there are to draw from.
    members : int16[blocks, players]
        Filled.
    """
    for block in range(members.shape[0]):
        key = rng.stream(rng.game_key(seed, first_deal + block), rng.LINEUP, 0)
        for member in range(members.shape[1]):
            members[block, member] = rng.below(key, member, strategies)


def mixed_tables(seed: int, first_deal: int, blocks: int, players: int, strategies: int) -> np.ndarray:
    """Give the line-ups of consecutive blocks of a mixed table: int16[blocks, players]; see :func:`draw_members`."""
    members = np.empty((blocks, players), np.int16)
    with np.errstate(over="ignore"):
        draw_members(np.uint64(seed), first_deal, strategies, members)
    return members


def seatings(spec: GameSpec, first_deal: int, members: np.ndarray, rotations: int) -> Any:
    """List the games of consecutive deals, each in all rotations: in rotation r, member j sits at (j + r) % players.

    Parameters
    ----------
    members : int16[blocks, players]
        Line-up of each block.

    Returns
    -------
    game_dtype[blocks * rotations]
        In order of deal and rotation, all by the first rules.
    """
    blocks, players = members.shape
    games = np.zeros((blocks, rotations), game_dtype(spec.seats)).view(np.recarray)
    games.deal = first_deal + np.arange(blocks)[:, None]
    games.rotation = np.arange(rotations)
    games.stand_in_from = NEVER
    for rotation in range(rotations):
        games.strategy[:, rotation, :players] = np.roll(members, rotation, axis=1)
    return games.reshape(-1)


def rules_of(records: Sequence[Any]) -> Any:
    """Lay RULES records beside each other: RULES[VARIANTS]."""
    return np.array([record.tolist() for record in records], records[0].dtype).view(np.recarray)


@jit.rule
def keep_deals(seed, deals, part, kept):
    """Mark the games that are kept as rows: all games of a deal or none, and the same deals for every line-up.

    Parameters
    ----------
    deals : int64[GAMES]
        Read only.
    part : float64
        Part of the deals to keep.
    kept : bool[GAMES]
        Filled.
    """
    for game in range(deals.shape[0]):
        kept[game] = rng.unit(rng.stream(rng.game_key(seed, deals[game]), rng.KEEP, 0), 0) < part


@dataclass(frozen=True)
class Kernel:
    """The compiled batch loop of one game."""

    spec: GameSpec
    loop: Any

    def play(self, entries: Sequence[Entry], rules: Any, *, seed: int, games: Any) -> Any:
        """Play games; see :func:`play_games`.

        Parameters
        ----------
        entries : sequence of Entry
            Who can play; the games' ``strategy`` indexes it.
        rules : RULES[VARIANTS]
            The games' ``rules`` indexes it.

        Returns
        -------
        rows, records : row_dtype[GAMES], RECORD[GAMES]
            Whole only if the fault says so.
        fault : FAULT
            Its status is OK when all were played.
        """
        strategies = [compile_strategy(self.spec, entry.strategy.choose) for entry in entries]
        params = np.zeros(STRATEGIES_MAX, PARAMS).view(np.recarray)
        for number, entry in enumerate(entries):
            params.values[number, : len(entry.values)] = entry.values
        rows = np.zeros(len(games), row_dtype(self.spec.seats)).view(np.recarray)
        records = np.zeros(len(games), self.spec.record).view(np.recarray)
        states = np.zeros(1, self.spec.state).view(np.recarray)
        fault = np.zeros(1, FAULT).view(np.recarray)
        everybody = (*strategies, *(strategies[0],) * (STRATEGIES_MAX - len(strategies)))
        with np.errstate(over="ignore"):  # in plain Python the generator's products wrap around with a warning
            self.loop(everybody, params, rules, states, np.uint64(seed), games, rows, records, fault)
        return rows, records, fault[0]


@cache
def kernel(spec: GameSpec) -> Kernel:
    """Compile (or load from the cache) the batch loop of a game."""
    names = ("deal", "is_automatic", "follow", "is_over", "is_legal", "apply", "score", "lead", "record", "end_reason")
    functions = {name: getattr(spec.rules_module, name) for name in names}
    facts = {"SEATS": spec.seats, "MAX_DECISIONS": spec.max_decisions, "FEWEST_WINS": spec.fewest_wins}
    loop = jit.bind(play_games, {**functions, **facts})
    if not jit.jit_disabled():
        types = jit.numba().types
        jit.compile_for(
            loop,
            types.UniTuple(types.FunctionType(strategy_signature(spec)), STRATEGIES_MAX),
            jit.numba_type(PARAMS)[::1],
            jit.numba_type(spec.rules)[::1],
            jit.numba_type(spec.state)[::1],
            types.uint64,
            jit.numba_type(game_dtype(spec.seats))[::1],
            jit.numba_type(row_dtype(spec.seats))[::1],
            jit.numba_type(spec.record)[::1],
            jit.numba_type(FAULT)[::1],
        )
        with suppress(OSError):  # an unwritable cache costs time, not results
            _mark(spec).touch()
    return Kernel(spec, loop.compiled)


def is_compiled(spec: GameSpec) -> bool:
    """Whether the batch loop of a game lies compiled in the cache folder."""
    return jit.jit_disabled() or _mark(spec).exists()


def _mark(spec: GameSpec) -> Path:
    return jit.cache_folder(Path(__file__).resolve()) / f"{spec.name}.compiled"


@cache
def strategy_signature(spec: GameSpec) -> Any:
    """Numba signature of ``choose(state, rules, params) -> int64`` for a game."""
    types = jit.numba().types
    return types.int64(jit.numba_type(spec.state), jit.numba_type(spec.rules), types.float64[::1])


@cache
def compile_strategy(spec: GameSpec, choose: Any) -> Any:
    """Compile a strategy as a first-class function of its game."""
    return choose.function if jit.jit_disabled() else jit.first_class(choose, strategy_signature(spec))
