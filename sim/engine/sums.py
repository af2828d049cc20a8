"""Integer sums of each chunk of blocks: all that a standard report needs, so that it never rescans the games.

A chunk's sums are sums of whole blocks, so the chunks of a cell are independent and alike, and every range comes from
the spread between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim import jit
from sim.engine.plan import MIXED_KINDS, Piece
from sim.engine.play import CHECKPOINTS
from sim.games.interface import GameSpec

DECISION_BINS, ROUND_BINS, MARGIN_BINS = 256, 128, 64  # the last bin of each holds everything beyond


@jit.rule
def add_games(rows, players, bin_width, capped, seats, pairs, leads, totals, decisions, rounds, margins, reasons):
    """Add the games of one chunk to its sums.

    Parameters
    ----------
    rows : row_dtype[GAMES]
        Read only.
    bin_width : int64
        Decisions a bin of ``decisions``.
    capped : int64
        The end reason of a game stopped by a cap, or −1.
    seats : int64[4, players]
        By seat: share of the win (60ths), score, games won alone, games with the best score before tie-breaks.
    pairs : int64[3, strategies, players]
        By strategy and seat: games, share (60ths), score.
    leads : int64[2, CHECKPOINTS]
        After 25, 50, 75 % of the rounds: games with one leader, share (60ths) that this leader won.
    totals : int64[7]
        Games won by several; games whose best score is shared; capped games; decisions; turns; rounds; lead changes.
    decisions, rounds, margins, reasons : int64[bins]
        Histograms: games by decisions, by rounds, by the winner's margin in points, by end reason.
    """
    for game in range(rows.shape[0]):
        row = rows[game]
        best = second = -(1 << 30)
        for seat in range(players):
            share, points, strategy = row.share[seat], row.score[seat], row.strategy[seat]
            seats[0, seat] += share
            seats[1, seat] += points
            seats[2, seat] += row.winners == 1 << seat
            seats[3, seat] += row.top >> seat & 1
            pairs[0, strategy, seat] += 1
            pairs[1, strategy, seat] += share
            pairs[2, strategy, seat] += points
            if points > best:
                best, second = points, best
            elif points > second:
                second = points
        for point in range(CHECKPOINTS):
            leader = np.int64(row.leaders[point])
            if leader & (leader - 1) == 0:
                leads[0, point] += 1
                leads[1, point] += row.share[jit.lowest_bit(leader)]
        totals[0] += row.winners & (row.winners - 1) != 0
        totals[1] += row.top & (row.top - 1) != 0
        totals[2] += row.reason == capped
        totals[3] += row.decisions
        totals[4] += row.turns
        totals[5] += row.rounds
        totals[6] += row.lead_changes
        decisions[min(row.decisions // bin_width, decisions.shape[0] - 1)] += 1
        rounds[min(np.int64(row.rounds), rounds.shape[0] - 1)] += 1
        margins[min(best - second, margins.shape[0] - 1)] += 1
        reasons[row.reason] += 1


@jit.rule
def add_items(masks, shares, games, won):
    """Add the items of one chunk: in how many (game, seat) each was used, and what those seats won.

    Parameters
    ----------
    masks : int64[GAMES, SEATS]
        Set of items by game and seat. Read only.
    shares : int8[GAMES, SEATS]
        Share of the win, in 60ths. Read only.
    games, won : int64[ITEMS]
        Added to.
    """
    for game in range(masks.shape[0]):
        for seat in range(masks.shape[1]):
            left = masks[game, seat]
            share = shares[game, seat]
            while left:
                item = jit.lowest_bit(left)
                left &= left - 1
                games[item] += 1
                won[item] += share


def item_masks(spec: GameSpec, records: Any) -> dict[str, np.ndarray]:
    """Sets of items by use: int64[GAMES, SEATS] for each use of the game."""
    return {key: np.bitwise_or.reduce([records[field] for field in use.fields]) for key, use in spec.items.uses.items()}


def chunk_sums(spec: GameSpec, piece: Piece, strategies: int, rows: Any, records: Any) -> list[dict[str, Any]]:
    """Sum the games of a piece, chunk by chunk: one row of the ``blocks`` table each (see ``sim.results``)."""
    cell = piece.cell
    players, per_chunk = cell.lineup.players, cell.chunk_blocks * cell.rotations
    mixed = cell.lineup.kind in MIXED_KINDS
    masks = item_masks(spec, records) if mixed else {}
    capped = -1 if spec.capped_reason is None else spec.capped_reason
    found = []
    for chunk in range(piece.chunks):
        part = slice(chunk * per_chunk, min((chunk + 1) * per_chunk, piece.games))
        games = part.stop - part.start
        seats, pairs = np.zeros((4, players), np.int64), np.zeros((3, strategies, players), np.int64)
        leads, totals = np.zeros((2, CHECKPOINTS), np.int64), np.zeros(7, np.int64)
        bins = [np.zeros(n, np.int64) for n in (DECISION_BINS, ROUND_BINS, MARGIN_BINS, len(spec.end_reasons))]
        add_games(rows[part], players, spec.decisions_bin, capped, seats, pairs, leads, totals, *bins)
        sums: dict[str, Any] = {
            "lineup": cell.lineup.id,
            "chunk": piece.first_chunk + chunk,
            "first_deal": piece.first_block + chunk * cell.chunk_blocks,
            "blocks": games // cell.rotations,
            "games": games,
        }
        sums |= dict(zip(("seat_share", "seat_score", "seat_wins", "seat_top"), seats, strict=True))
        sums |= dict(zip(("pair_games", "pair_share", "pair_score"), pairs.reshape(3, -1), strict=True))
        sums |= dict(zip(("leader_games", "leader_share"), leads, strict=True))
        names = ("shared", "top_tied", "capped", "decisions", "turns", "rounds", "lead_changes")
        sums |= dict(zip(names, totals.tolist(), strict=True))
        sums |= dict(zip(("hist_decisions", "hist_rounds", "hist_margin", "reasons"), bins, strict=True))
        for key in spec.items.uses:
            used, won = np.zeros((2, len(spec.items.names) if mixed else 0), np.int64)
            if mixed:
                add_items(masks[key][part], rows.share[part], used, won)
            sums |= {f"use_games_{key}": used, f"use_share_{key}": won}
        for key in spec.counters:
            sums[f"counter_{key}"] = records[key][part].sum(axis=0, dtype=np.int64).ravel()
        found.append(sums)
    return found
