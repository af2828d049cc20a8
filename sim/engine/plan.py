"""What a run plays: player counts × line-ups × deals, in blocks, chunks and shards.

* A *block* is one deal played in every seat rotation of its line-up: the statistical unit.
* A *cell* is all blocks of one line-up at one player count; its block *b* plays deal *b*, so all cells share their
  luck.
* A *chunk* is a row of consecutive blocks of a cell, whose sums are kept: about 256 chunks in a cell of mixed tables,
  64 in others. Every range in a report comes from the spread between chunks, so chunks depend on the plan alone.
* A *shard* is a row of consecutive chunks of one player count: the unit of work, and one file of results. It changes
  nothing but the names of files.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sim.engine.play import STRATEGIES_MAX
from sim.errors import UsageError
from sim.games.interface import Entry

MIXED_CHUNKS = 256  # chunks that a cell of a mixed line-up is divided into, if it has as many blocks
CHUNKS = 64  # those of any other cell
CHUNK_GAMES_MAX = 16_384  # so that a shard of one chunk stays small in memory
SHARD_GAMES = 32_768  # games of a shard in a large run
LEAST_SHARD_GAMES = 16_384  # in a small one, so that no core is idle for long at its end
SHARDS = 64  # a run between the two has about so many
LINEUP_KINDS = ("field", "one_vs_rest", "pairs", "mirror", "all")
MIXED_KINDS = ("field", "all", "list")  # kinds whose cells also keep the sums by item


@dataclass(frozen=True)
class Lineup:
    """Which strategies meet. ``members`` index the run's entries; None for ``field``, whose blocks draw theirs."""

    id: int
    kind: str
    players: int
    members: tuple[int, ...] | None
    label: str


@dataclass(frozen=True)
class Cell:
    """All blocks of one line-up."""

    lineup: Lineup
    blocks: int

    @property
    def rotations(self) -> int:
        """Seatings of each deal: one where all seats play the same strategy, else one for each seat."""
        members = self.lineup.members
        return 1 if members is not None and len(set(members)) == 1 else self.lineup.players

    @property
    def games(self) -> int:
        """Games of the cell."""
        return self.blocks * self.rotations

    @property
    def chunk_blocks(self) -> int:
        """Blocks of a chunk; the last chunk of a cell may be shorter."""
        chunks = MIXED_CHUNKS if self.lineup.kind in MIXED_KINDS else CHUNKS
        return min(-(-self.blocks // chunks), max(1, CHUNK_GAMES_MAX // self.rotations))

    @property
    def chunks(self) -> int:
        """Chunks of the cell."""
        return -(-self.blocks // self.chunk_blocks)


@dataclass(frozen=True)
class Piece:
    """Consecutive chunks of one cell."""

    cell: Cell
    first_chunk: int
    chunks: int

    @property
    def first_block(self) -> int:
        """Number of the first block, which is also the number of its deal."""
        return self.first_chunk * self.cell.chunk_blocks

    @property
    def blocks(self) -> int:
        """Blocks of the piece."""
        return min(self.chunks * self.cell.chunk_blocks, self.cell.blocks - self.first_block)

    @property
    def games(self) -> int:
        """Games of the piece."""
        return self.blocks * self.cell.rotations


@dataclass(frozen=True)
class Shard:
    """A unit of work: pieces of cells of one player count; ``number`` names its files."""

    players: int
    number: int
    pieces: tuple[Piece, ...]

    @property
    def games(self) -> int:
        """Games of the shard."""
        return sum(piece.games for piece in self.pieces)


@dataclass(frozen=True)
class Plan:
    """Everything that decides which games are played."""

    seed: int
    draws: str
    entries: tuple[Entry, ...]
    cells: tuple[Cell, ...]

    @property
    def games(self) -> int:
        """Games of the whole plan."""
        return sum(cell.games for cell in self.cells)

    @property
    def players(self) -> tuple[int, ...]:
        """Player counts, ascending."""
        return tuple(sorted({cell.lineup.players for cell in self.cells}))

    def shards(self, shard_games: int | None = None) -> Iterator[Shard]:
        """Cut the plan into shards of at least ``shard_games`` games (the last of a player count may be smaller)."""
        shard_games = shard_games or min(max(self.games // SHARDS, LEAST_SHARD_GAMES), SHARD_GAMES)
        for players in self.players:
            numbers = itertools.count()
            pieces: list[Piece] = []
            games = 0
            for cell in self.cells:
                if cell.lineup.players != players:
                    continue
                chunk = 0
                while chunk < cell.chunks:
                    wanted = -(-(shard_games - games) // (cell.chunk_blocks * cell.rotations))
                    piece = Piece(cell, chunk, min(wanted, cell.chunks - chunk))
                    pieces.append(piece)
                    games += piece.games
                    chunk += piece.chunks
                    if games >= shard_games:
                        yield Shard(players, next(numbers), tuple(pieces))
                        pieces, games = [], 0
            if pieces:
                yield Shard(players, next(numbers), tuple(pieces))


def make_plan(
    *,
    seed: int,
    draws: str,
    games: int,
    players: Sequence[int],
    lineups: Sequence[str | Sequence[str]],
    entries: Sequence[Entry],
) -> Plan:
    """Lay out a run.

    Games are split evenly over player counts, then over kinds of line-up, then over the line-ups of a kind.

    Parameters
    ----------
    lineups : sequence
        Kinds (``LINEUP_KINDS``) and explicit lists of entry labels.
    entries : sequence of Entry
        Who takes part.

    Raises
    ------
    UsageError
        If nothing is left to play, or a list names somebody unknown or has the wrong length for every player count.
    """
    if not entries:
        raise UsageError("no strategy is left to play", fix="name at least one with --strategies")
    if len(entries) > STRATEGIES_MAX:
        raise UsageError(f"{len(entries)} strategies in one run", expected=f"at most {STRATEGIES_MAX}")
    numbers = {entry.label: index for index, entry in enumerate(entries)}
    ids = itertools.count()
    cells: list[Cell] = []
    for count in players:
        kinds = [found for wanted in lineups if (found := list(_lineups(wanted, count, entries, numbers)))]
        for found in kinds:
            share = games / len(players) / len(kinds) / len(found)
            for kind, members, label in found:
                lineup = Lineup(next(ids), kind, count, members, label)
                rotations = Cell(lineup, 1).rotations
                cells.append(Cell(lineup, max(1, round(share / rotations))))
    if not cells:
        raise UsageError(
            "these line-ups and strategies leave no game to play",
            expected="a line-up of as many strategies as there are players, or two strategies that can meet",
        )
    return Plan(seed, draws, tuple(entries), tuple(cells))


def _lineups(
    wanted: str | Sequence[str], players: int, entries: Sequence[Entry], numbers: Mapping[str, int]
) -> Iterator[tuple[str, tuple[int, ...] | None, str]]:
    """Kind, members and label of each line-up that a word or a list of the config stands for."""
    everybody = range(len(entries))
    if wanted == "field":
        # With one strategy there is nothing to mix, and one seating tells all.
        yield "field", None if len(entries) > 1 else (0,) * players, "mixed table"
    elif wanted == "mirror":
        for one in everybody:
            yield "mirror", (one,) * players, f"all {entries[one].label}"
    elif wanted == "one_vs_rest":
        for one, rest in itertools.permutations(everybody, 2):
            yield (
                "one_vs_rest",
                (one, *(rest,) * (players - 1)),
                f"one {entries[one].label} among {entries[rest].label}",
            )
    elif wanted == "pairs":
        for pair in itertools.combinations(everybody, 2):
            members = tuple(pair[seat % 2] for seat in range(players))
            yield "pairs", members, f"{entries[pair[0]].label} and {entries[pair[1]].label}"
    elif wanted == "all":
        for members in itertools.combinations_with_replacement(everybody, players):
            yield "all", members, ", ".join(entries[one].label for one in members)
    elif isinstance(wanted, str):
        raise UsageError(f"unknown line-up {wanted!r}", expected="one of " + ", ".join(LINEUP_KINDS) + ", or a list")
    elif len(wanted) == players:
        for label in wanted:
            if label not in numbers:
                raise UsageError(f"line-up names {label!r}, who does not take part", expected=", ".join(numbers))
        yield "list", tuple(numbers[label] for label in wanted), ", ".join(wanted)
