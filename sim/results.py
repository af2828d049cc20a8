"""Results of a run on disk: Parquet tables with a meaning for every column, and a manifest.

``out/<game>/<run>/`` holds ``manifest.json``, ``games/players=N/part-*.parquet`` (one row a game) and
``blocks/players=N/part-*.parquet`` (one row a chunk of blocks: integer sums). Every file is written under a temporary
name and renamed, so a file that exists is whole.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.errors import StorageError
from sim.games.interface import MASK_BITS

if TYPE_CHECKING:
    import pyarrow as pa

    from sim.games.interface import GameSpec

SCHEMA_VERSION = 1
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Column:
    """One column, or several of a kind.

    Attributes
    ----------
    name, type, unit, meaning : str
    per_seat : bool
        One a seat: ``name_1`` … ``name_N`` (1 = first player).
    words : int
        Words of an item mask. Several: ``name_1_1`` … ``name_N_W``, by seat and word.
    """

    name: str
    type: str
    unit: str
    meaning: str
    per_seat: bool = False
    words: int = 1


GAME_COLUMNS = (
    Column(
        "deal", "int64", "number", "Which shuffled deal; the same number is the same luck for every line-up and config."
    ),
    Column("lineup", "int16", "number", "Which strategies meet: index into the manifest's `lineups`."),
    Column(
        "rotation",
        "int8",
        "number",
        "Seating of the deal: member j of the line-up sits at place (j + rotation) mod players.",
    ),
    Column("strategy", "int8", "number", "Who plays this seat: index into the manifest's `strategies`.", per_seat=True),
    Column("score", "int16", "points", "Final score of this seat.", per_seat=True),
    Column(
        "winners", "int8", "seat mask", "Who won: bit 0 is the first player. Several bits: the win is shared equally."
    ),
    Column("top", "int8", "seat mask", "Who had the best score before tie-breaks."),
    Column("leaders_25", "int8", "seat mask", "Who led after a quarter of the rounds."),
    Column("leaders_50", "int8", "seat mask", "Who led after half of the rounds."),
    Column("leaders_75", "int8", "seat mask", "Who led after three quarters of the rounds."),
    Column("lead_changes", "int16", "count", "How often nobody who led after one round still led after the next."),
    Column("rounds", "int16", "count", "Rounds played."),
    Column("turns", "int16", "count", "Turns played."),
    Column("decisions", "int16", "count", "Decisions taken by all players."),
    Column("reason", "int8", "number", "Why the game ended: index into the game's end reasons."),
)

BLOCK_COLUMNS = (
    Column("lineup", "int16", "number", "Index into the manifest's `lineups`."),
    Column("chunk", "int32", "number", "Number of the chunk of blocks in its line-up."),
    Column("first_deal", "int64", "number", "Deal of the chunk's first block; its blocks follow one another."),
    Column("blocks", "int32", "count", "Blocks in the chunk: deals, each played in all seatings of its line-up."),
    Column("games", "int32", "count", "Games in the chunk."),
    Column("seat_share", "list<int64>", "60ths of a win", "By seat: share of the wins."),
    Column("seat_score", "list<int64>", "points", "By seat: final scores."),
    Column("seat_wins", "list<int64>", "count", "By seat: games won alone."),
    Column("seat_top", "list<int64>", "60ths of a game", "By seat: best scores before tie-breaks, split among equals."),
    Column("pair_games", "list<int64>", "count", "By strategy, then seat: games."),
    Column("pair_share", "list<int64>", "60ths of a win", "By strategy, then seat: share of the wins."),
    Column("pair_score", "list<int64>", "points", "By strategy, then seat: final scores."),
    Column("leader_games", "list<int64>", "count", "After 25, 50, 75 % of the rounds: games with one leader."),
    Column("leader_share", "list<int64>", "60ths of a win", "After 25, 50, 75 % of the rounds: what that leader won."),
    Column("shared", "int32", "count", "Games won by several."),
    Column("top_tied", "int32", "count", "Games whose best score was shared before tie-breaks."),
    Column("capped", "int32", "count", "Games stopped by a cap on rounds."),
    Column("decisions", "int64", "count", "Decisions."),
    Column("turns", "int64", "count", "Turns."),
    Column("rounds", "int64", "count", "Rounds."),
    Column("lead_changes", "int64", "count", "Lead changes."),
    Column(
        "hist_decisions",
        "list<int64>",
        "count",
        "Games by decisions; the game's `decisions_bin` is the width of a bin.",
    ),
    Column("hist_rounds", "list<int64>", "count", "Games by rounds."),
    Column(
        "hist_margin",
        "list<int64>",
        "count",
        "Games by best minus second-best score; the last bin holds all larger ones.",
    ),
    Column("reasons", "list<int64>", "count", "Games by end reason."),
)


def game_columns(spec: GameSpec) -> tuple[Column, ...]:
    """Columns of a game's ``games`` table: the common ones and its own record (sets of items by seat)."""
    own = []
    for name, meaning in spec.masks.items():
        words = math.prod(spec.record[name].shape[1:])
        if words > 1:
            meaning = f"{meaning} Word by word, {MASK_BITS} items each."
        own.append(Column(name, "int64", "item mask", meaning, per_seat=True, words=words))
    return (*GAME_COLUMNS, *own)


def block_columns(spec: GameSpec) -> tuple[Column, ...]:
    """Columns of a game's ``blocks`` table: the common ones, uses of items and the game's own counters."""
    items = []
    for key, use in spec.items.uses.items():
        items.append(Column(f"use_games_{key}", "list<int64>", "count", f"By {spec.items.word}: times {use.label}."))
        what = f"By {spec.items.word}: what the seats won that have it {use.label}."
        items.append(Column(f"use_share_{key}", "list<int64>", "60ths of a win", what))
    counters = [Column(f"counter_{key}", "list<int64>", "count", each.meaning) for key, each in spec.counters.items()]
    return (*BLOCK_COLUMNS, *items, *counters)


def games_table(spec: GameSpec, players: int, lineup: np.ndarray, rows: Any, records: Any) -> pa.Table:
    """Make the ``games`` table of some rows.

    Parameters
    ----------
    lineup : int16[GAMES]
        Line-up of each game.
    rows : row_dtype[GAMES]
    records : RECORD[GAMES]
    """
    import pyarrow as pa

    sources: dict[str, np.ndarray] = {name: rows[name] for name in rows.dtype.names if name != "leaders"}
    sources |= {f"leaders_{25 * (point + 1)}": rows.leaders[:, point] for point in range(rows.leaders.shape[1])}
    sources |= {name: records[name] for name in spec.masks}
    sources["lineup"] = lineup
    arrays, names = [], []
    for column in game_columns(spec):
        values = sources[column.name]
        for seat in range(players if column.per_seat else 1):
            flat = values[:, seat] if column.per_seat else values
            for word in range(column.words):
                part = flat[:, word] if column.words > 1 else flat
                arrays.append(pa.array(np.ascontiguousarray(part, dtype=column.type)))
                seated = f"{column.name}_{seat + 1}" if column.per_seat else column.name
                names.append(f"{seated}_{word + 1}" if column.words > 1 else seated)
    return pa.table(arrays, names=names)


def blocks_table(spec: GameSpec, sums: Sequence[dict[str, np.ndarray]]) -> pa.Table:
    """Make the ``blocks`` table of the chunk sums of some pieces (see ``sim.engine.sums.chunk_sums``)."""
    import pyarrow as pa

    arrays = {}
    for column in block_columns(spec):
        parts = [each[column.name] for each in sums]
        if column.type == "list<int64>":
            lengths = np.concatenate([np.full(len(part), part[0].size) for part in parts])
            offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
            arrays[column.name] = pa.ListArray.from_arrays(offsets, np.concatenate([part.ravel() for part in parts]))
        else:
            arrays[column.name] = pa.array(np.concatenate(parts).astype(column.type))
    return pa.table(arrays)


def part_path(run: Path, table: str, players: int, number: int) -> Path:
    """Name the file of one shard of a table (``"games"`` or ``"blocks"``)."""
    return run / table / f"players={players}" / f"part-{number:05d}.parquet"


def write_table(table: pa.Table, path: Path) -> None:
    """Write a Parquet file whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        # Few values repeat in narrow columns alone, and only the deal's range helps to find rows.
        narrow = [each.name for each in table.schema if each.type in (pa.int8(), pa.int16())]
        about: dict[str, Any] = {"use_dictionary": narrow, "write_statistics": ["deal"]}
        pq.write_table(table, temporary, compression="zstd", compression_level=1, **about)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StorageError(
            f"cannot write {path}: {error.strerror}", fix="make room or choose another folder with --out"
        ) from None


def write_text(text: str, path: Path) -> None:
    """Write a text file whole or not at all, its line ends as they are."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(text.encode())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise StorageError(
            f"cannot write {path}: {error.strerror}", fix="make room or choose another folder with --out"
        ) from None


def write_json(data: Any, path: Path) -> None:
    """Write a JSON file whole or not at all."""
    write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", path)


def read_manifest(run: Path) -> dict[str, Any]:
    """Read the manifest of a run.

    Raises
    ------
    StorageError
        If the folder holds no run, or one of another version of the results.
    """
    path = run / MANIFEST
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        sides = f"name {run}/a or {run}/b, the runs that it compares" if (run / "b" / MANIFEST).exists() else None
        raise StorageError(
            f"no run in {run}", expected=f"a folder with a {MANIFEST}, as `hakari run` makes it", fix=sides
        ) from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise StorageError(f"cannot read {path}: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA_VERSION:
        raise StorageError(
            f"{path} is no manifest of this version", expected=f"results version {SCHEMA_VERSION}", fix="run it again"
        )
    return manifest


def part_files(run: Path, table: str, players: int) -> list[Path]:
    """Files of a table for one player count, in order."""
    return sorted((run / table / f"players={players}").glob("part-*.parquet"))


def read_table(run: Path, table: str, players: int, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a table of one player count, in order (empty files and missing ones give no rows)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = part_files(run, table, players)
    try:
        return pa.concat_tables([pq.read_table(file, columns=columns, partitioning=None) for file in files])
    except (OSError, pa.ArrowInvalid) as error:
        raise StorageError(f"cannot read the {table} of {run}: {error}", fix="run it again with --resume") from None


def column_table(spec: GameSpec | None) -> Iterator[str]:
    """Lines of a table of columns (Markdown): those of every game, or those that a game adds."""
    own = (game_columns(spec)[len(GAME_COLUMNS) :], block_columns(spec)[len(BLOCK_COLUMNS) :]) if spec else None
    for title, columns in zip(("games", "blocks"), own or (GAME_COLUMNS, BLOCK_COLUMNS), strict=True):
        yield f"**`{title}/`**"
        yield ""
        yield "| column | type | unit | meaning |"
        yield "|---|---|---|---|"
        for column in columns:
            name = f"`{column.name}_1` … `_N`" if column.per_seat else f"`{column.name}`"
            if column.words > 1:
                name = f"`{column.name}_1_1` … `_N_{column.words}`"
            yield f"| {name} | {column.type} | {column.unit} | {column.meaning} |"
        yield ""
