"""Controls at the end of a run find what does not agree."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sim import games, results
from sim.engine import runner, verify
from tests.conftest import small_plan


@pytest.fixture
def job(tmp_path):
    """A small finished run."""
    spec = games.spec("mon")
    job = runner.Job("mon", spec.options(), small_plan("mon", 400, (2, 3)), tmp_path / "run")
    with runner.thread_pool(1) as pool:
        runner.Run(job, runner.new_manifest(job), 10**6).carry_out(pool)
    return job


def rules_of(job):
    return job.options.model_dump(mode="json", by_alias=True)


def test_everything_agrees(job):
    found = verify.controls(job, rules_of(job))
    assert {name: (each["games"], each["different"]) for name, each in found.items()} == {
        "rerun": (30, 0),
        "twin": (30, 0),
    }


def test_another_result_is_found(job):
    path = results.part_path(job.folder, "games", 3, 0)
    table = pq.read_table(path, partitioning=None)
    place = table.column_names.index("score_2")
    table = table.set_column(place, "score_2", pa.array([99] * table.num_rows, pa.int16()))
    results.write_table(table, path)
    rerun = verify.controls(job, rules_of(job))["rerun"]
    assert rerun["different"] == 15
    assert rerun["message"].startswith("3 players, deal 0, lineup")


def test_other_rules_are_found(job):
    rules = {**rules_of(job), "points": [2] * 18}
    twin = verify.controls(job, rules)["twin"]
    assert twin["different"] > 0
    assert "deal" in twin["message"]
