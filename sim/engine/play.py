"""The batch loop: blocks of games, played in compiled code into preallocated rows.

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
from sim.games.interface import PARAMS, SHARE_UNITS, GameSpec

STRATEGIES_MAX = 16  # different strategies that one batch can seat
ROUNDS_MAX = 128  # rounds of which the leaders are remembered; later rounds keep the last one's
CHECKPOINTS = 3  # leaders are reported after 25, 50 and 75 % of the rounds

OK, ILLEGAL_ACTION, TOO_LONG = 0, 1, 2  # status codes of the batch loop

FAULT = np.dtype(
    [
        ("status", "i8"),  # OK, ILLEGAL_ACTION or TOO_LONG
        ("deal", "i8"),
        ("rotation", "i8"),
        ("strategy", "i8"),  # entry of the strategy that decided
        ("action", "i8"),
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


def play_blocks(strategies, params, rules, states, seed, first_deal, members, rotations, rows, records, fault):
    """Play blocks of games: every deal in ``rotations`` seat rotations of its line-up.

    Parameters
    ----------
    strategies : tuple of STRATEGIES_MAX first-class functions
        Who can play; the entries of ``members`` index it.
    params : PARAMS[STRATEGIES_MAX]
        Their parameters. Read only.
    rules : RULES
        Read only.
    states : STATE[1]
        Where the game is played.
    seed : uint64
        The run's seed.
    first_deal : int64
        Number of the first block's deal; the others follow.
    members : int16[blocks, players]
        Line-up of each block. In rotation r, member j sits at seat (j + r) % players.
    rotations : int64
        Rotations of each block.
    rows : row_dtype[blocks * rotations]
        Filled, in order of block and rotation.
    records : RECORD[blocks * rotations]
        Filled likewise with the game's own record.
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
    players = rules.players
    scores = np.zeros(SEATS, np.int64)
    values = np.zeros(SEATS, np.int64)
    entry = np.zeros(SEATS, np.int64)
    leaders = np.zeros(ROUNDS_MAX + 1, np.int64)
    game = 0
    for block in range(members.shape[0]):
        key = rng.game_key(seed, first_deal + block)
        for rotation in range(rotations):
            for member in range(players):
                entry[(member + rotation) % players] = members[block, member]
            deal(state, rules, players, key)
            while is_automatic(state):
                follow(state, rules)
            rounds = 0
            lead_changes = 0
            leaders[0] = (1 << players) - 1
            while not is_over(state):
                who = entry[state.seat]
                action = strategies[who](state, rules, params[who].values[:])
                legal = is_legal(state, rules, action)
                if not legal or state.decision >= MAX_DECISIONS:
                    fault[0].status = TOO_LONG if legal else ILLEGAL_ACTION
                    fault[0].deal, fault[0].rotation = first_deal + block, rotation
                    fault[0].strategy, fault[0].action = who, action
                    return fault[0].status
                apply(state, rules, action)
                if rounds < state.rounds <= ROUNDS_MAX:
                    lead(state, rules, values)
                    now = best_seats(values, players)
                    lead_changes += now & leaders[rounds] == 0
                    while rounds < state.rounds:  # an action may end several rounds
                        rounds += 1
                        leaders[rounds] = now
            row = rows[game]
            row.deal, row.rotation = first_deal + block, rotation
            row.winners = score(state, rules, scores)
            row.top = best_seats(-scores if FEWEST_WINS else scores, players)
            share = SHARE_UNITS // jit.count_bits(row.winners)
            for seat in range(players):
                row.strategy[seat] = entry[seat]
                row.score[seat] = scores[seat]
                row.share[seat] = share if row.winners >> seat & 1 else 0
            for point in range(CHECKPOINTS):
                row.leaders[point] = leaders[(rounds * (point + 1) * 2 + CHECKPOINTS + 1) // (2 * (CHECKPOINTS + 1))]
            row.lead_changes = lead_changes
            row.rounds, row.turns, row.decisions = state.rounds, state.turn, state.decision
            row.reason = end_reason(state)
            record(state, records[game])
            game += 1
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

    def play(
        self,
        strategies: Sequence[Any],
        params: Any,
        rules: Any,
        *,
        seed: int,
        first_deal: int,
        members: np.ndarray,
        rotations: int,
        rows: Any,
        records: Any,
    ) -> Any:
        """Play blocks of games into rows and records; see :func:`play_blocks`. Returns the fault, a record of FAULT."""
        states = np.zeros(1, self.spec.state).view(np.recarray)
        fault = np.zeros(1, FAULT).view(np.recarray)
        seats = (*strategies, *(strategies[0],) * (STRATEGIES_MAX - len(strategies)))
        with np.errstate(over="ignore"):  # in plain Python the generator's products wrap around with a warning
            self.loop(
                seats, params, rules, states, np.uint64(seed), first_deal, members, rotations, rows, records, fault
            )
        return fault[0]


@cache
def kernel(spec: GameSpec) -> Kernel:
    """Compile (or load from the cache) the batch loop of a game."""
    names = ("deal", "is_automatic", "follow", "is_over", "is_legal", "apply", "score", "lead", "record", "end_reason")
    functions = {name: getattr(spec.rules_module, name) for name in names}
    facts = {"SEATS": spec.seats, "MAX_DECISIONS": spec.max_decisions, "FEWEST_WINS": spec.fewest_wins}
    loop = jit.bind(play_blocks, {**functions, **facts})
    if not jit.jit_disabled():
        types = jit.numba().types
        jit.compile_for(
            loop,
            types.UniTuple(types.FunctionType(strategy_signature(spec)), STRATEGIES_MAX),
            jit.numba_type(PARAMS)[::1],
            jit.numba_type(spec.rules),
            jit.numba_type(spec.state)[::1],
            types.uint64,
            types.int64,
            types.int16[:, ::1],
            types.int64,
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
