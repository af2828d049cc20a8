"""What is shown of a run while it goes on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim import progress
from sim.engine.runner import Progress


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.4, "0 s"), (59.4, "59 s"), (60, "1 min 0 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")]
)
def test_duration(seconds, told):
    assert progress.duration(seconds) == told


def test_words_tell_speed_time_left_and_the_goal():
    at = Progress(games=300, total=1000, fresh=200, seconds=2.0, shard=Path("x"))
    assert progress.words(at, lambda path: "First player 24.9% ± 0.3") == (
        "300 of 1,000 games · 100 games/s · 7 s left · First player 24.9% ± 0.3"
    )


def test_plain_lines_where_there_is_no_terminal(capsys):
    with progress.shown(lambda path: "") as watch:
        watch(Progress(games=0, total=10, fresh=0, seconds=0.0))
        watch(Progress(games=10, total=10, fresh=10, seconds=1.0, shard=Path("x")))
    out, err = capsys.readouterr()
    assert (out, err) == ("", "10 of 10 games · 10 games/s · 0 s left\n")


def test_a_reader_that_goes_does_not_end_the_run():
    """What `hakari run … 2>&1 | head -1` does to standard error."""
    code = "from sim.progress import say\nfor _ in range(3): say('line')\nprint('done')"
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-c", code], stderr=write, stdout=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stdout) == (0, "done\n")


def test_quiet(capsys):
    with progress.shown(lambda path: "", quiet=True) as watch:
        watch(Progress(games=10, total=10, fresh=10, seconds=1.0, shard=Path("x")))
    assert capsys.readouterr() == ("", "")
