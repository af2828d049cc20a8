"""Integer sums of each chunk of blocks: all that a standard report needs, so that it never rescans the games.

A chunk's sums are sums of whole blocks, so the chunks of a cell are independent and alike, and every range comes from
the spread between them.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from sim import jit
from sim.engine.plan import MIXED_KINDS, Piece
from sim.engine.play import CHECKPOINTS
from sim.games.interface import MASK_BITS, SHARE_UNITS, GameSpec

DECISION_BINS, ROUND_BINS, MARGIN_BINS = 256, 128, 64  # the last bin of each holds everything beyond


@jit.rule
def add_games(
    rows, per_chunk, players, sign, bin_width, capped, seats, pairs, leads, totals, decisions, rounds, margins, reasons
):
    """Add games to the sums of their chunks.

    Parameters
    ----------
    rows : row_dtype[GAMES]
        Read only.
    per_chunk : int64
        Games of a chunk; the last chunk may have fewer.
    sign : int64
        −1 if the lowest score is the best, or 1.
    bin_width : int64
        Decisions a bin of ``decisions``.
    capped : int64
        The end reason of a game stopped by a cap, or −1.
    seats : int64[CHUNKS, 4, players]
        By seat: share of the win (60ths), score, games won alone, share of the best score before tie-breaks (60ths).
    pairs : int64[CHUNKS, 3, strategies, players]
        By strategy and seat: games, share (60ths), score.
    leads : int64[CHUNKS, 2, CHECKPOINTS]
        After 25, 50, 75 % of the rounds: games with one leader, share (60ths) that this leader won.
    totals : int64[CHUNKS, 7]
        Games won by several; games whose best score is shared; capped games; decisions; turns; rounds; lead changes.
    decisions, rounds, margins, reasons : int64[CHUNKS, bins]
        Histograms: games by decisions, by rounds, by the winner's margin in points, by end reason.
    """
    for game in range(rows.shape[0]):
        row, chunk = rows[game], game // per_chunk
        best = second = np.int64(-(1 << 30))
        top_share = SHARE_UNITS // jit.count_bits(row.top)
        for seat in range(players):
            share, points, strategy = row.share[seat], row.score[seat], row.strategy[seat]
            seats[chunk, 0, seat] += share
            seats[chunk, 1, seat] += points
            seats[chunk, 2, seat] += row.winners == 1 << seat
            seats[chunk, 3, seat] += top_share if row.top >> seat & 1 else 0
            pairs[chunk, 0, strategy, seat] += 1
            pairs[chunk, 1, strategy, seat] += share
            pairs[chunk, 2, strategy, seat] += points
            worth = np.int64(sign * points)
            if worth > best:
                best, second = worth, best
            elif worth > second:
                second = worth
        for point in range(CHECKPOINTS):
            leader = np.int64(row.leaders[point])
            if leader & (leader - 1) == 0:
                leads[chunk, 0, point] += 1
                leads[chunk, 1, point] += row.share[jit.lowest_bit(leader)]
        totals[chunk, 0] += row.winners & (row.winners - 1) != 0
        totals[chunk, 1] += row.top & (row.top - 1) != 0
        totals[chunk, 2] += row.reason == capped
        totals[chunk, 3] += row.decisions
        totals[chunk, 4] += row.turns
        totals[chunk, 5] += row.rounds
        totals[chunk, 6] += row.lead_changes
        decisions[chunk, min(row.decisions // bin_width, decisions.shape[1] - 1)] += 1
        rounds[chunk, min(np.int64(row.rounds), rounds.shape[1] - 1)] += 1
        margins[chunk, min(best - second, margins.shape[1] - 1)] += 1
        reasons[chunk, row.reason] += 1


@jit.rule
def add_items(masks, shares, per_chunk, games, won):
    """Add items to the sums of their chunks: in how many (game, seat) each was used, and what those seats won.

    Parameters
    ----------
    masks : int64[GAMES, SEATS, WORDS]
        Set of items by game and seat, MASK_BITS items a word. Read only.
    shares : int8[GAMES, SEATS]
        Share of the win, in 60ths. Read only.
    per_chunk : int64
        Games of a chunk.
    games, won : int64[CHUNKS, ITEMS]
        Added to.
    """
    for game in range(masks.shape[0]):
        chunk = game // per_chunk
        for seat in range(masks.shape[1]):
            share = shares[game, seat]
            for word in range(masks.shape[2]):
                left = masks[game, seat, word]
                while left:
                    item = word * MASK_BITS + jit.lowest_bit(left)
                    left &= left - 1
                    games[chunk, item] += 1
                    won[chunk, item] += share


def chunk_sums(spec: GameSpec, piece: Piece, strategies: int, rows: Any, records: Any) -> dict[str, np.ndarray]:
    """Sum the games of a piece by chunk: columns of the ``blocks`` table (see ``sim.results``), one row a chunk."""
    cell, chunks = piece.cell, piece.chunks
    players, per_chunk = cell.lineup.players, cell.chunk_blocks * cell.rotations
    starts = np.arange(chunks) * per_chunk
    games = np.minimum(starts + per_chunk, piece.games) - starts
    seats, pairs = np.zeros((chunks, 4, players), np.int64), np.zeros((chunks, 3, strategies, players), np.int64)
    leads, totals = np.zeros((chunks, 2, CHECKPOINTS), np.int64), np.zeros((chunks, 7), np.int64)
    widths = (DECISION_BINS, ROUND_BINS, MARGIN_BINS, len(spec.end_reasons))
    bins = [np.zeros((chunks, width), np.int64) for width in widths]
    capped = -1 if spec.capped_reason is None else spec.capped_reason
    sign = -1 if spec.fewest_wins else 1
    add_games(rows, per_chunk, players, sign, spec.decisions_bin, capped, seats, pairs, leads, totals, *bins)
    sums = {
        "lineup": np.full(chunks, cell.lineup.id),
        "chunk": piece.first_chunk + np.arange(chunks),
        "first_deal": piece.first_block + np.arange(chunks) * cell.chunk_blocks,
        "blocks": games // cell.rotations,
        "games": games,
    }
    by_seat = ("seat_share", "seat_score", "seat_wins", "seat_top")
    counts = ("shared", "top_tied", "capped", "decisions", "turns", "rounds", "lead_changes")
    sums |= {name: seats[:, place] for place, name in enumerate(by_seat)}
    sums |= {name: pairs[:, place] for place, name in enumerate(("pair_games", "pair_share", "pair_score"))}
    sums |= {name: leads[:, place] for place, name in enumerate(("leader_games", "leader_share"))}
    sums |= {name: totals[:, place] for place, name in enumerate(counts)}
    sums |= dict(zip(("hist_decisions", "hist_rounds", "hist_margin", "reasons"), bins, strict=True))
    mixed = cell.lineup.kind in MIXED_KINDS
    for key, use in spec.items.uses.items():
        used, won = np.zeros((2, chunks, len(spec.items.names) if mixed else 0), np.int64)
        if mixed:
            masks = reduce(np.bitwise_or, [_words(records[name])[:, :players] for name in use.fields])
            add_items(masks, rows.share, per_chunk, used, won)
        sums |= {f"use_games_{key}": used, f"use_share_{key}": won}
    for key in spec.counters:
        sums[f"counter_{key}"] = np.add.reduceat(records[key], starts, axis=0, dtype=np.int64)
    return sums


def _words(masks: np.ndarray) -> np.ndarray:
    """Masks of a single word as those of several: int64[GAMES, SEATS, WORDS]."""
    return masks if masks.ndim == 3 else masks[:, :, np.newaxis]
