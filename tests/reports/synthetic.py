"""Synthetic runs with known truth, in the schema of the results.

A seat's utility is the strength of its strategy, an edge of its seat, the luck of the deal and Gumbel noise; the
largest utility wins. Without luck of the deal the win chances are exactly the softmax of strength plus edge, which
gives the truth that the estimates are tested against.
"""

import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reports.facts import GameFacts, Panel, Use
from sim.config import digest

SHARE_UNITS = 60
CHUNKS = 256


def mon_facts() -> GameFacts:
    """Facts of a game like mon: 54 cards in three colours, length fixed by the rules."""
    colours, values = ("gold", "silver", "black"), range(1, 19)
    items = [(c, v) for c in colours for v in values]
    return GameFacts(
        title="Mon",
        rules_version="1",
        items=[f"{c} {v}" for c, v in items],
        groups={"colour": [c for c, _ in items], "value": [str(v) for _, v in items]},
        item_word=("card", "cards"),
        uses={
            "seen": Use("In hand", "dealt or drawn"),
            "played": Use("Played", "advanced or fallen back with", ("hand",)),
            "advanced": Use("Advanced", "put on a line"),
            "scoring": Use("Scoring", "scores at the end"),
        },
        available_use="seen",
        played_use="played",
        end_reasons=("hand empty",),
        unit=("point", "points"),
        exact_seat_facts=_mon_seats,
        seat_text="Every action takes one card off the hand, so every player has the same number of turns. The first "
        "player empties the hand first and wins ties; the last player has the last word on every line.",
    )


def _mon_seats(players: int, config: Mapping[str, Any]) -> dict[str, list[Any]]:
    hands = {2: 13, 3: 10, 4: 9, 5: 8, 6: 7}
    return {"turns": [hands[players]] * players, "wins ties before": [players - 1 - i for i in range(players)]}


CHARACTERS = ["Hunter", "Sailor", "Spy", "Bard", "Warrior", "Merchant", "Traitor", "Strategist", "Courtesan"]
CHARACTERS += ["Alchemist", "Thief", "Guard", "Witch", "Princess", "King"]


def emblems_facts() -> GameFacts:
    """Facts of a game like emblems: 15 characters, counters per location and rank, a panel of its own."""
    return GameFacts(
        title="Emblems",
        rules_version="2",
        items=CHARACTERS,
        item_word=("character", "characters"),
        uses={
            "drawn": Use("Drawn", "drawn to the hand"),
            "played": Use("Placed", "placed at a location"),
            "rewarded": Use("Rewarded", "received a reward"),
        },
        available_use="drawn",
        played_use="played",
        end_reasons=("last round",),
        unit=("coin", "coins"),
        lead_unit="coins",
        counters={"slot_taken": (3, 15), "slot_coins": (3, 15)},
        panels=(Panel("locations", "Locations", _locations),),
    )


def _locations(counts: Any) -> list[dict[str, Any]]:
    """Coins paid by location and rank at the largest table, as a game would write it."""
    players = counts.players[-1]
    if not counts.has(players, "slot_taken"):
        return []
    paid = counts.ratio(players, "slot_coins", "slot_taken").value.reshape(3, 15)
    taken = counts.counter(players, "slot_taken") / (3 * counts.games(players))
    panels, rows = [], []
    for place, name in enumerate(("Castle", "Village", "Port")):
        ranks = [r for r in range(15) if taken[place, r] > 0]
        panels.append(
            {
                "kind": "bars",
                "title": name,
                "value_head": "coins paid",
                "right_head": "taken",
                "rows": [
                    {
                        "label": f"{r + 1}.",
                        "value": float(paid[place, r]),
                        "text": f"{paid[place, r]:.1f}",
                        "right": f"{100 * taken[place, r]:.0f}%",
                    }
                    for r in ranks
                ],
            }
        )
        rows += [[f"{name}, {r + 1}", f"{paid[place, r]:.2f}", f"{100 * taken[place, r]:.1f}%"] for r in ranks]
    return [
        {
            "id": "locations",
            "headline": "What each rank of a Location pays",
            "sub": f"Coins a rank pays on average, {players} players · right: share of rounds in which it is taken",
            "how": "Blue: coins gained. Brown: coins lost.",
            "panels": panels,
            "numbers": [
                {"caption": "Rewards by location and rank", "columns": ["Rank", "Paid", "Taken"], "rows": rows}
            ],
        }
    ]


def softmax_truth(strengths: Sequence[float], edges: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Return exact win chances at the mixed table: per seat, and per seat taken by each strategy."""
    players, s = len(edges), len(strengths)
    seats, strategies = np.zeros(players), np.zeros(s)
    for table in itertools.product(range(s), repeat=players):
        weight = np.exp(np.asarray(strengths)[list(table)] + np.asarray(edges))
        win = weight / weight.sum() / s**players
        seats += win
        np.add.at(strategies, list(table), win * s)
    return seats, strategies / players


def _line_ups(kinds: Sequence[str], strategies: Sequence[str], players: int, first: int) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    for kind in kinds:
        if kind == "field":
            lines.append({"kind": kind, "members": None, "label": "mixed field"})
        elif kind == "mirror":
            lines += [
                {"kind": kind, "members": [i] * players, "label": f"{players} {n}"} for i, n in enumerate(strategies)
            ]
        elif kind == "one_vs_rest":
            lines += [
                {"kind": kind, "members": [a] + [b] * (players - 1), "label": f"{strategies[a]} vs {strategies[b]}"}
                for a, b in itertools.permutations(range(len(strategies)), 2)
            ]
        else:
            raise ValueError(kind)
    return [{"id": first + i, "players": players, **line} for i, line in enumerate(lines)]


def write_run(
    folder: Path,
    facts: GameFacts,
    *,
    game: str = "mon",
    players: Sequence[int] = (2, 3, 4),
    strengths: Mapping[str, float] | None = None,
    edges: Mapping[int, Sequence[float]] | None = None,
    games: int = 20_000,
    kinds: Sequence[str] = ("field", "one_vs_rest", "mirror"),
    luck: float = 0.5,
    ties: str = "none",
    decisions: tuple[int, int] = (40, 0),
    item_pull: Sequence[float] | None = None,
    item_rate: Sequence[float] | None = None,
    goals: Mapping[str, Any] | None = None,
    rules: Mapping[str, Any] | None = None,
    title: str = "",
    name: str = "run",
    seed: int = 1,
    keep_games: bool = True,
) -> Path:
    """Write a run folder.

    Parameters
    ----------
    strengths : mapping
        Strategy -> strength in utility.
    edges : mapping
        Players -> edge of each seat.
    luck : float
        Standard deviation of the deal's luck, the same in every rotation; 0 makes the truth a softmax.
    ties : {"none", "shared", "first"}
        "none": the largest utility wins. Otherwise equal scores tie: shared, or the lowest seat wins.
    decisions : tuple of int
        Mean and spread of the decisions of a game; a spread of 0 fixes them.
    item_pull : sequence of float
        How much more often a winner plays an available item.
    """
    strengths = dict(strengths or {"greedy": 0.9, "builder": 0.5, "random": -0.8})
    names = list(strengths)
    power = np.array(list(strengths.values()))
    folder.mkdir(parents=True, exist_ok=True)
    lineups, cells, played, decided = [], [], 0, 0
    per_count = games / len(players)
    for n in players:
        lines = _line_ups(kinds, names, n, len(lineups))
        lineups += lines
        used = {k for k in kinds if any(line["kind"] == k for line in lines)}
        tables, rows = [], []
        for line in lines:
            same_kind = sum(other["kind"] == line["kind"] for other in lines)
            rotations = 1 if line["kind"] == "mirror" else n
            blocks = max(1, round(per_count / len(used) / same_kind / rotations))
            chunk_blocks = max(1, -(-blocks // CHUNKS))
            edge = np.zeros(n) if edges is None else np.asarray(edges[n], dtype=float)
            table, kept = _play(facts, line, n, blocks, chunk_blocks, rotations, power, edge, luck, ties, decisions,
                                item_pull, item_rate, [seed, n, line["id"]])  # fmt: skip
            tables.append(table)
            rows.append(kept)
            cells.append(
                {
                    "players": n,
                    "lineup": line["id"],
                    "blocks": blocks,
                    "rotations": rotations,
                    "games": blocks * rotations,
                    "chunk_blocks": chunk_blocks,
                    "chunks": table.num_rows,
                }
            )
            played += blocks * rotations
            decided += int(np.sum(table["decisions"].to_numpy()))
        out = folder / "blocks" / f"players={n}"
        out.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.concat_tables(tables), out / "part-00000.parquet")
        if keep_games:
            out = folder / "games" / f"players={n}"
            out.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.concat_tables(rows), out / "part-00000.parquet")
    config = {
        "game": game,
        **dict(rules or {}),
        "plan": {"games": games, "seed": seed},
        "goals": dict(goals or {}),
    }
    manifest = {
        "schema": 1,
        "hakari": "0.1.0",
        "game": game,
        "title": title,
        "name": name,
        "rules_version": facts.rules_version,
        "source_hash": "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
        "versions": {"python": "3.11.7", "numpy": "2.4.6", "numba": "0.68.1", "pyarrow": "26.0.1"},
        "config": config,
        "config_hash": digest(config),
        "seed": seed,
        "draws": "per_seat",
        "players": list(players),
        "strategies": [
            {
                "name": s,
                "title": s.capitalize(),
                "summary": f"plays the way of {s}",
                "weakness": "looks one move ahead only",
                "params": {},
                "source": f"strategies/{game}/{s}.py",
            }
            for s in names
        ],
        "lineups": lineups,
        "cells": cells,
        "shards": {"planned": 8, "done": list(range(8))},
        "games": played,
        "status": "complete",
        "failures": [],
        "started": "2026-11-29T21:48:00Z",
        "seconds": 12.5,
        "workers": 2,
        "command": f"hakari run {game} --games {games} --seed {seed}",
        "baseline": None,
        "share_units": SHARE_UNITS,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def _play(facts, line, n, blocks, chunk_blocks, rotations, power, edge, luck, ties, decisions, pull, rate, key):  # type: ignore[no-untyped-def]
    """Play one cell; return its chunk sums and its games as Arrow tables."""
    rng = np.random.default_rng(key)
    s = len(power)
    size = (blocks, rotations, n)
    fortune = luck * rng.standard_normal((blocks, 1, n))
    noise = rng.gumbel(size=size)
    members = (
        rng.integers(0, s, (blocks, n)) if line["members"] is None else np.tile(np.array(line["members"]), (blocks, 1))
    )
    seated = np.stack([np.roll(members, r, axis=1) for r in range(rotations)], axis=1)
    utility = power[seated] + edge + fortune + noise
    score = np.round(20 + 3 * utility).astype(np.int64)
    best = score.max(axis=2, keepdims=True)
    top = score == best
    if ties == "none":
        won = utility == utility.max(axis=2, keepdims=True)
    elif ties == "shared":
        won = top
    else:
        won = np.zeros(size, dtype=bool)
        np.put_along_axis(won, top.argmax(axis=2)[..., None], True, axis=2)
    winners = won.sum(axis=2)
    share = won * (SHARE_UNITS // winners)[..., None]
    others = np.where(won, -1, score).max(axis=2)
    margin = np.clip(np.where(winners > 1, 0, np.where(won, score, 0).max(axis=2) - others), 0, 63)
    leads = [0.5 * k * utility + rng.standard_normal(size) for k in (1, 2, 3)]
    leader = np.stack([np.take_along_axis(share, v.argmax(axis=2)[..., None], 2)[..., 0] for v in leads], axis=-1)
    count = np.round(decisions[0] + decisions[1] * rng.standard_normal((blocks, rotations))).astype(np.int64)
    changes = rng.poisson(2.0, (blocks, rotations))

    starts = np.arange(0, blocks, chunk_blocks)

    def chunked(values):  # type: ignore[no-untyped-def]
        """Sum over the rotations and over each chunk's blocks."""
        return np.add.reduceat(values.sum(axis=1), starts, axis=0)

    def by_strategy(values):  # type: ignore[no-untyped-def]
        return np.stack([chunked(np.where(seated == i, values, 0)) for i in range(s)], axis=1).reshape(len(starts), -1)

    def bins(values, length):  # type: ignore[no-untyped-def]
        hot = np.zeros((len(starts), length), dtype=np.int64)
        np.add.at(hot, (np.repeat(np.arange(blocks) // chunk_blocks, rotations), values.reshape(-1)), 1)
        return hot

    in_chunk = np.diff(np.append(starts, blocks))
    whole = np.ones((blocks, rotations), dtype=np.int64)
    columns = {
        "lineup": np.full(len(starts), line["id"]),
        "chunk": np.arange(len(starts)),
        "first_deal": starts,
        "blocks": in_chunk,
        "games": in_chunk * rotations,
        "seat_share": chunked(share),
        "seat_score": chunked(score),
        "seat_wins": chunked(won & (winners == 1)[..., None]),
        "seat_top": chunked(top * (SHARE_UNITS // top.sum(axis=2))[..., None]),
        "pair_games": by_strategy(np.ones(size, dtype=np.int64)),
        "pair_share": by_strategy(share),
        "pair_score": by_strategy(score),
        "shared": chunked(winners > 1),
        "top_tied": chunked(top.sum(axis=2) > 1),
        "capped": np.zeros(len(starts), dtype=np.int64),
        "decisions": chunked(count),
        "turns": chunked(whole * 40),
        "rounds": chunked(whole * 10),
        "lead_changes": chunked(changes),
        "leader_games": chunked(np.ones((blocks, rotations, 3), dtype=np.int64)),
        "leader_share": chunked(leader),
        "hist_decisions": bins(count // facts.decisions_bin, 256),
        "hist_rounds": bins(whole * 10, 128),
        "hist_margin": bins(margin, 64),
        "reasons": chunked(np.stack([whole, *[0 * whole] * (len(facts.end_reasons) - 1)], axis=-1)),
        **_items(facts, rng, chunked(share), line["kind"] == "field", pull, rate),
    }
    winner_mask = (won * (1 << np.arange(n))).sum(axis=2)
    kept = pa.table(
        {
            "deal": np.repeat(np.arange(blocks), rotations),
            "lineup": np.full(blocks * rotations, line["id"], dtype=np.int16),
            "rotation": np.tile(np.arange(rotations, dtype=np.int8), blocks),
            **{f"strategy_{i + 1}": seated[:, :, i].reshape(-1).astype(np.int8) for i in range(n)},
            "winners": winner_mask.reshape(-1).astype(np.int8),
            **{f"hand_{i + 1}": rng.integers(0, 1 << len(facts.items), blocks * rotations) for i in range(n)},
        }
    )
    return pa.table({k: _column(k, v) for k, v in columns.items()}), kept


def _column(name, values):  # type: ignore[no-untyped-def]
    kind = {"lineup": pa.int16(), "chunk": pa.int32(), "blocks": pa.int32(), "games": pa.int32()}.get(name, pa.int64())
    if values.ndim == 1:
        return pa.array(values.astype(np.int64), kind)
    flat = values.reshape(len(values), -1).astype(np.int64)
    offsets = np.arange(len(flat) + 1, dtype=np.int32) * flat.shape[1]
    return pa.ListArray.from_arrays(offsets, pa.array(flat.reshape(-1)))


def _items(facts, rng, seat_share, counted, pull, rate):  # type: ignore[no-untyped-def]
    """Draw item uses and counters per chunk; winners play an available item more often by `pull`."""
    chunks, items = len(seat_share), len(facts.items)
    if not counted:
        empty = np.zeros((chunks, 0), dtype=np.int64)
        names = [f"use_{what}_{use}" for use in facts.uses for what in ("games", "share")]
        return dict.fromkeys(names + [f"counter_{c}" for c in facts.counters], empty)
    pull = np.zeros(items) if pull is None else np.asarray(pull)
    rate = np.full(items, 0.6) if rate is None else np.asarray(rate)
    won = seat_share.sum(axis=1) // SHARE_UNITS
    lost = won * (seat_share.shape[1] - 1)
    columns = {}
    drawn = [rng.binomial(seats[:, None], 0.35, (chunks, items)) for seats in (won, lost)]
    played = [rng.binomial(d, np.clip(rate + p, 0, 1)) for d, p in zip(drawn, (pull, 0 * pull), strict=True)]
    for use in facts.uses:
        if use == facts.available_use:
            won_use, lost_use = drawn
        elif use == facts.played_use:
            won_use, lost_use = played
        else:
            won_use, lost_use = (rng.binomial(p, 0.7) for p in played)
        columns[f"use_games_{use}"] = won_use + lost_use
        columns[f"use_share_{use}"] = won_use * SHARE_UNITS
    games = seat_share.sum(axis=1) // SHARE_UNITS
    for name, shape in facts.counters.items():
        columns[f"counter_{name}"] = np.zeros((chunks, *shape), dtype=np.int64)
    if "slot_taken" in facts.counters:
        chance, pays = np.zeros(facts.counters["slot_taken"]), np.zeros(facts.counters["slot_taken"], dtype=np.int64)
        chance[:, :3] = [[0.99, 0.97, 0.9], [0.99, 0.95, 0.85], [0.98, 0.9, 0.8]]
        pays[:, :3] = [[4, 3, 1], [3, 2, 2], [5, 1, -2]]
        columns["counter_slot_taken"] = taken = rng.binomial(3 * games[:, None, None], chance)
        columns["counter_slot_coins"] = taken * pays
    return columns
