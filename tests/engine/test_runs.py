"""Runs: the same bytes whatever the workers, the shards and a kill in between."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim import games, results
from sim.engine import plan as plans
from sim.engine import runner, session
from sim.engine.sums import chunk_sums
from sim.games.interface import MASK_BITS
from tests.conftest import entries_of, small_plan

PLAYERS = (3, 4)


def tables(run: Path) -> dict[str, bytes]:
    """All rows of a run's tables, as bytes that do not depend on how they are cut into files."""
    import pyarrow as pa

    found = {}
    for name in ("games", "blocks"):
        for players in PLAYERS:
            table = results.read_table(run, name, players).combine_chunks()
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, table.schema) as stream:
                stream.write_table(table)
            found[f"{name}/{players}"] = sink.getvalue().to_pybytes()
    return found


def test_same_bytes_for_one_and_two_workers(play):
    assert tables(play(folder="a", workers=1)) == tables(play(folder="b", workers=2))


def test_same_bytes_for_three_shard_sizes(play):
    first, *others = (tables(play(folder=str(size), shard_games=size)) for size in (37, 150, 100_000))
    assert all(other == first for other in others)


@pytest.mark.compiled
def test_same_bytes_from_another_process(play, tmp_path):
    """A job travels by pickle, as it does to a cluster."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert tables(play(folder="a")) == tables(play(folder="b", pool=pool))


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore")  # Dask's own
def test_same_bytes_from_a_dask_cluster(play):
    distributed = pytest.importorskip("distributed", reason="the extra [dask] is not installed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, protocol="tcp"
        ) as cluster,
        session.executor(None, cluster.scheduler_address) as pool,
    ):
        assert tables(play(folder="a")) == tables(play(folder="b", pool=pool))


def test_another_seed_gives_other_games(play):
    assert tables(play(folder="a"))["games/4"] != tables(play(folder="b", seed=6))["games/4"]


def test_a_games_line_up_does_not_change_the_deal(play):
    """The same deal number is the same luck: in a mirror, all strategies are dealt the same hands."""
    run = play(lineups=["mirror"])
    table = results.read_table(run, "games", 4).to_pandas()
    hands = table.groupby("deal")[[f"dealt_{seat}" for seat in range(1, 5)]].nunique()
    assert (hands == 1).all().all()


def test_every_strategy_sits_in_every_seat_equally_often(play):
    run = play(lineups=["one_vs_rest", "field"])
    for players in PLAYERS:
        table = results.read_table(run, "games", players).to_pandas()
        strategies = table[[f"strategy_{seat + 1}" for seat in range(players)]].to_numpy()
        counts = [np.bincount(strategies[:, seat], minlength=5) for seat in range(players)]
        assert all((each == counts[0]).all() for each in counts)


def test_block_sums_are_the_sums_of_the_games(play):
    run = play(shard_games=70)
    for players in PLAYERS:
        games = results.read_table(run, "games", players).to_pandas()
        blocks = results.read_table(run, "blocks", players).to_pandas()
        assert blocks.games.sum() == len(games)
        share = np.stack(blocks.seat_share)
        assert (share.sum(axis=1) == 60 * blocks.games).all()
        winners = games.winners.to_numpy()
        for seat in range(players):
            assert np.stack(blocks.seat_score)[:, seat].sum() == games[f"score_{seat + 1}"].sum()
            assert np.stack(blocks.seat_wins)[:, seat].sum() == (winners == 1 << seat).sum()
        assert np.stack(blocks.hist_rounds).sum() == len(games)
        mixed = blocks[[len(each) > 0 for each in blocks.use_games_dealt]]
        field = games[games.lineup.isin(mixed.lineup)]
        dealt = np.stack(mixed.use_games_dealt).sum(axis=0)
        masks = np.concatenate([field[f"dealt_{seat + 1}"].to_numpy() for seat in range(players)])
        assert (dealt == [(masks >> card & 1).sum() for card in range(54)]).all()


def test_a_sample_of_deals_is_kept_whole(play, tmp_path):
    spec = games.spec("mon")
    plan = small_plan("mon", 2000, (4,))
    job = runner.Job("mon", spec.options(), plan, tmp_path / "sample", keep_games=0.25)
    with runner.thread_pool(1) as pool:
        runner.Run(job, runner.new_manifest(job), 300).carry_out(pool)
    table = results.read_table(job.folder, "games", 4).to_pandas()
    assert 0.1 < len(table) / plan.games < 0.4
    field = table[table.lineup == plan.cells[0].lineup.id]
    assert (field.groupby("deal").size() == 4).all()
    blocks = results.read_table(job.folder, "blocks", 4)
    assert sum(blocks["games"].to_pylist()) == plan.games


@pytest.mark.compiled
def test_killed_and_resumed_run_ends_with_the_same_bytes(tmp_path):
    def command(folder: Path, *more: str) -> list[str]:
        games = ["--games", "60000", "--players", "3,4", "--seed", "5", "--no-report"]
        return [sys.executable, "-m", "sim.cli", "run", "mon", "--out", str(folder), *games, *more]

    whole, killed = tmp_path / "whole", tmp_path / "killed"
    environment = {**os.environ, "HAKARI_SHARD_GAMES": "500"}
    subprocess.run(command(whole), check=True, env=environment, capture_output=True)
    process = subprocess.Popen(command(killed), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(list(killed.glob("blocks/*/part-*.parquet"))) < 10 and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    planned = len(list(whole.glob("blocks/*/part-*.parquet")))
    assert 10 <= len(list(killed.glob("blocks/*/part-*.parquet"))) < planned
    subprocess.run(command(killed, "--resume"), check=True, env=environment, capture_output=True)
    assert tables(killed) == tables(whole)


# --- plans ------------------------------------------------------------------------------------------------------------


def test_plan_splits_games_evenly():
    plan = small_plan("mon", 100_000, (2, 4))
    for players in (2, 4):
        by_kind = {}
        for cell in plan.cells:
            if cell.lineup.players == players:
                by_kind[cell.lineup.kind] = by_kind.get(cell.lineup.kind, 0) + cell.games
        assert set(by_kind) == {"field", "one_vs_rest", "mirror"}
        assert all(abs(games - 100_000 / 6) < 200 for games in by_kind.values())


def test_shards_hold_every_chunk_once():
    plan = small_plan("mon", 5000, (3, 4))
    for size in (1, 64, 999, 10**6):
        seen = []
        for shard in plan.shards(size):
            for piece in shard.pieces:
                chunks = range(piece.first_chunk, piece.first_chunk + piece.chunks)
                seen += [(piece.cell.lineup.id, chunk) for chunk in chunks]
        expected = [(cell.lineup.id, chunk) for cell in plan.cells for chunk in range(cell.chunks)]
        assert sorted(seen) == sorted(expected)


def test_explicit_line_up_and_all():
    entries = entries_of("mon", "greedy", "random")
    plan = plans.make_plan(
        seed=1, draws="shared", games=100, players=[3], lineups=[["greedy", "random", "random"], "all"], entries=entries
    )
    kinds = [cell.lineup.kind for cell in plan.cells]
    assert kinds == ["list", "all", "all", "all", "all"]
    assert plan.cells[0].lineup.members == (0, 1, 1)


# --- masks of several words -------------------------------------------------------------------------------------------


@pytest.fixture
def wide_spec():
    """Mon with its cards spread over two words of a mask: the upper half of the deck lies in the second word."""
    spec = games.spec("mon")
    record = np.dtype([(name, "i8", (spec.seats, 2)) for name in spec.masks], align=True)
    names = (*spec.items.names[:27], *[f"spare {n}" for n in range(MASK_BITS - 27)], *spec.items.names[27:])
    return replace(spec, record=record, items=replace(spec.items, names=names))


def test_masks_of_several_words_count_every_item(wide_spec):
    spec = games.spec("mon")
    plan = small_plan("mon", 300, (3,))
    [shard] = plan.shards(10**6)
    piece = shard.pieces[0]
    rows, records, _ = runner.play_pieces(runner.Job("mon", spec.options(), plan, Path()), shard)
    rows, records = rows[: piece.games], records[: piece.games]
    wide = np.zeros(piece.games, wide_spec.record).view(np.recarray)
    for name in spec.masks:
        wide[name][:, :, 0] = records[name] & (1 << 27) - 1
        wide[name][:, :, 1] = records[name] >> 27
    entries = len(plan.entries)
    narrow_sums = chunk_sums(spec, piece, entries, rows, records)
    wide_sums = chunk_sums(wide_spec, piece, entries, rows, wide)
    real = [*range(27), *range(MASK_BITS, MASK_BITS + 27)]
    assert narrow_sums["use_games_seen"].sum() > 0
    for use in spec.items.uses:
        for sums in ("use_games", "use_share"):
            assert (wide_sums[f"{sums}_{use}"][:, real] == narrow_sums[f"{sums}_{use}"]).all()
            assert wide_sums[f"{sums}_{use}"].sum() == narrow_sums[f"{sums}_{use}"].sum()
    table = results.games_table(wide_spec, 3, np.zeros(piece.games, np.int16), rows, wide)
    assert (table["dealt_3_2"].to_numpy() == records.dealt[:, 2] >> 27).all()
    assert "dealt_3" not in table.column_names
    assert any("`dealt_1_1` … `_N_2`" in line for line in results.column_table(wide_spec))
