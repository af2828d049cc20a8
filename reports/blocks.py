"""Reading a run folder: the manifest and the integer sums per chunk."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sim.errors import StorageError
from sim.results import part_files, read_manifest

Integers = NDArray[np.int64]

NARROW = (
    "first_deal",
    "blocks",
    "games",
    "seat_share",
    "seat_score",
    "seat_wins",
    "seat_top",
    "pair_games",
    "pair_share",
    "pair_score",
    "shared",
    "top_tied",
    "capped",
    "decisions",
    "turns",
    "rounds",
    "lead_changes",
    "leader_games",
    "leader_share",
)
"""Columns read for every cell; the histograms, item uses and counters are read for the mixed table only."""

ENOUGH_GAMES = 5_000
"""Single games read in search of one to replay."""

WIDE = ("hist_decisions", "hist_rounds", "hist_margin", "reasons")


@dataclass(frozen=True)
class Cell:
    """All chunks of one line-up at one player count.

    Attributes
    ----------
    sums : dict of str to ndarray
        Column name -> integers of shape (chunks,) or (chunks, length), in the order of the chunks.
    """

    players: int
    lineup: int
    kind: str
    label: str
    members: tuple[int, ...] | None
    rotations: int
    planned: Mapping[str, int]
    sums: dict[str, Integers] = field(repr=False)

    def __getitem__(self, column: str) -> Integers:
        return self.sums[column]

    def pair(self, column: str) -> Integers:
        """Return a strategy x seat column as (chunks, strategies, seats)."""
        flat = self.sums[column]
        return flat.reshape(len(flat), -1, self.players)

    @property
    def games(self) -> int:
        """Games on disk."""
        return int(self.sums["games"].sum()) if self.sums else 0

    @property
    def deals(self) -> int:
        """Deals on disk."""
        return int(self.sums["blocks"].sum()) if self.sums else 0


def _array(column: pa.ChunkedArray) -> Integers:
    """Turn a column into an integer array, a column of lists into a matrix.

    Through DLPack and slices only: other ways out of Arrow import pandas, which takes longer than reading a run.
    """
    rows, parts = len(column), []
    for part in column.chunks:
        flat = part.flatten() if pa.types.is_list(part.type) else part
        if len(flat):
            parts.append(np.from_dlpack(flat))
    flat = np.concatenate(parts).astype(np.int64, copy=False) if parts else np.zeros(0, dtype=np.int64)
    return flat.reshape(rows, len(flat) // max(rows, 1)) if pa.types.is_list(column.type) else flat


def parquet(file: Path) -> pq.ParquetFile:
    """Open a Parquet file.

    Raises
    ------
    StorageError
        If it is damaged.
    """
    try:
        return pq.ParquetFile(file)
    except (OSError, pa.ArrowInvalid) as error:
        raise StorageError(f"cannot read {file}", got=str(error), fix="play the run again") from None


def _only(table: pa.Table, lineups: Iterable[int]) -> pa.Table:
    """Keep the rows of some line-ups, which stand together."""
    lineup = _array(table["lineup"])
    kept = np.isin(lineup, list(lineups))
    edges = np.flatnonzero(np.diff(kept, prepend=False, append=False))
    return pa.concat_tables([table.slice(0, 0), *(table.slice(a, b - a) for a, b in edges.reshape(-1, 2).tolist())])


def sums_of(file: Path, lineup: int) -> dict[str, Integers]:
    """Read the sums of one line-up from one file, item uses and counters left out; empty if it has none."""
    table = _only(parquet(file).read(columns=["lineup", "chunk", *NARROW, *WIDE]), [lineup])
    return {name: _array(table[name]) for name in table.column_names} if table.num_rows else {}


class Run:
    """A run folder, read once.

    Parameters
    ----------
    folder : path
        `out/<game>/<run>`.

    Attributes
    ----------
    manifest : dict
        The manifest as written.
    cells : list of Cell
        In the order of player counts and line-ups; cells without a chunk on disk have empty sums.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.manifest: dict[str, Any] = read_manifest(self.folder)
        self.players: list[int] = list(self.manifest["players"])
        self.strategies: list[str] = [s["name"] for s in self.manifest["strategies"]]
        lineups = {(line["players"], line["id"]): line for line in self.manifest["lineups"]}
        self._mixed_games: dict[int, dict[str, Integers] | None] = {}
        self.repeated = 0
        """Chunks found twice."""
        self.cells: list[Cell] = []
        for players in self.players:
            found = self._chunks(players)
            for planned in self.manifest["cells"]:
                if planned["players"] != players:
                    continue
                line = lineups[players, planned["lineup"]]
                members = line["members"]
                self.cells.append(
                    Cell(
                        players=players,
                        lineup=planned["lineup"],
                        kind=line["kind"],
                        label=line["label"],
                        members=None if members is None else tuple(members),
                        rotations=planned["rotations"],
                        planned=planned,
                        sums=found[planned["lineup"]],
                    )
                )

    def _read(self, players: int, columns: list[str], lineups: list[int]) -> dict[int, dict[str, Integers]]:
        """Read columns of the line-ups, by line-up and in the order of the chunks; chunks found twice count once."""
        found: dict[int, dict[str, Integers]] = {lineup: {} for lineup in lineups}
        parts = [
            parquet(f).read(columns=["lineup", "chunk", *columns]) for f in part_files(self.folder, "blocks", players)
        ]
        if not parts or not lineups:
            return found
        table = _only(pa.concat_tables(parts), lineups)
        arrays = {name: _array(table[name]) for name in table.column_names}
        order = np.lexsort((arrays["chunk"], arrays["lineup"]))
        lineup, chunk = arrays["lineup"][order], arrays["chunk"][order]
        first = np.ones(len(order), dtype=bool)
        first[1:] = (np.diff(lineup) != 0) | (np.diff(chunk) != 0)
        self.repeated = max(self.repeated, int((~first).sum()))
        order, lineup = order[first], lineup[first]
        for number in lineups:
            start, end = np.searchsorted(lineup, [number, number + 1])
            if end > start:
                found[number] = {name: arrays[name][order[start:end]] for name in ("chunk", *columns)}
        return found

    def _chunks(self, players: int) -> dict[int, dict[str, Integers]]:
        """Read the narrow columns of every line-up, and the wide ones of the mixed table."""
        planned = [c["lineup"] for c in self.manifest["cells"] if c["players"] == players]
        found = self._read(players, list(NARROW), planned)
        mixed = [n for n in self._mixed_lineups(players) if found.get(n)]
        if mixed:
            names = parquet(part_files(self.folder, "blocks", players)[0]).schema_arrow.names
            wide = [n for n in names if n in WIDE or n.startswith(("use_", "counter_"))]
            for number, columns in self._read(players, wide, mixed).items():
                found[number].update(columns)
        return found

    def _mixed_lineups(self, players: int) -> list[int]:
        """Line-ups that make up the mixed table: the field, else listed tables, else everything there is."""
        lines = [line for line in self.manifest["lineups"] if line["players"] == players]
        for kinds in (("field",), ("all", "list"), ("mirror",)):
            chosen = [line["id"] for line in lines if line["kind"] in kinds]
            if chosen:
                return chosen
        return [line["id"] for line in lines]

    @property
    def cells_on_disk(self) -> list[Cell]:
        """The cells with chunks on disk."""
        return [c for c in self.cells if c.sums]

    @property
    def games(self) -> int:
        """Games on disk."""
        return sum(c.games for c in self.cells)

    def mixed(self, players: int) -> list[Cell]:
        """Return the cells of the mixed table with chunks on disk."""
        chosen = set(self._mixed_lineups(players))
        return [c for c in self.cells if c.players == players and c.lineup in chosen and c.sums]

    def of_kind(self, kind: str, players: int) -> list[Cell]:
        """Return the cells of one kind of line-up with chunks on disk."""
        return [c for c in self.cells if c.players == players and c.kind == kind and c.sums]

    def members(self, cell: Cell) -> tuple[str, ...]:
        """Return the names of a line-up's members; empty for a mixed field."""
        return tuple(self.strategies[m] for m in cell.members or ())

    @cached_property
    def played(self) -> list[int]:
        """Player counts with games on disk."""
        return [n for n in self.players if self.mixed(n)]

    def games_columns(self, players: int) -> list[str]:
        """Names of the columns of the single games; empty if they were not kept."""
        files = part_files(self.folder, "games", players)
        return list(parquet(files[0]).schema_arrow.names) if files else []

    def games_rows(
        self, players: int, columns: list[str], lineups: Iterable[int] | None = None
    ) -> dict[str, Integers] | None:
        """Read columns of the single games, sorted by line-up, deal and rotation; None if they were not kept.

        Parameters
        ----------
        columns : list of str
            With the line-up, deal and rotation.
        lineups : iterable of int, optional
            Only the games of these.
        """
        files = part_files(self.folder, "games", players)
        if not files or any(not set(columns) <= set(parquet(f).schema_arrow.names) for f in files):
            return None
        tables = [parquet(f).read(columns=columns) for f in files]
        chosen = None if lineups is None else list(lineups)
        return _sorted_games(pa.concat_tables([t if chosen is None else _only(t, chosen) for t in tables]))

    def mixed_games(self, players: int) -> dict[str, Integers] | None:
        """Read the single games of the mixed table, all columns of the first few thousand; None if not kept."""
        if players not in self._mixed_games:
            chosen = self._mixed_lineups(players)
            kept, rows = [], 0
            for file in part_files(self.folder, "games", players):
                kept.append(_only(parquet(file).read(), chosen))
                rows += kept[-1].num_rows
                if rows >= ENOUGH_GAMES:
                    break
            self._mixed_games[players] = _sorted_games(pa.concat_tables(kept)) if rows else None
        return self._mixed_games[players]


def _sorted_games(table: pa.Table) -> dict[str, Integers]:
    """Turn single games into arrays, sorted by line-up, deal and rotation."""
    rows = {name: _array(table[name]) for name in table.column_names}
    order = np.lexsort((rows["rotation"], rows["deal"], rows["lineup"]))
    return {name: column[order] for name, column in rows.items()}
