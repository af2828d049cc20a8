"""How many games are enough, settled aside from the run's own games."""

import pytest

from reports import goals, stats
from reports.answers import enough
from reports.blocks import Run
from reports.games import facts_of
from sim.config import load
from sim.engine import session
from sim.engine.runner import thread_pool
from tests.conftest import entries_of

pytestmark = pytest.mark.compiled


@pytest.fixture(autouse=True)
def small_pilot(monkeypatch):
    monkeypatch.setattr(enough, "PILOT_GAMES", 1_500)


@pytest.fixture
def config_of(tmp_path):
    """Write a config of mon with one goal for the first player."""

    def write(band: str, games: int = 20_000, lineups: str = '"field"'):
        path = tmp_path / "mine.toml"
        path.write_text(
            f'game = "mon"\n[plan]\ngames = {games}\nplayers = [3]\nlineups = [{lineups}]\n'
            f'strategies = ["greedy", "random"]\n[goals.first]\nmeasure = "first_player"\n{band}\n'
        )
        return load(path)

    return write


ENTRIES = ("greedy", "random")
WIDE, MISSED = 'between = ["1%", "99%"]', 'at_most = "1%"'


def for_precision(config, half_width):
    with thread_pool(2) as pool:
        return enough.for_precision(config, entries_of("mon", *ENTRIES), half_width, pool)


def until_decided(config):
    told = []
    with thread_pool(2) as pool:
        return enough.until_decided(config, entries_of("mon", *ENTRIES), pool, told.append), told


def test_half_the_width_takes_four_times_the_games(config_of):
    config = config_of(WIDE)
    wide, narrow = (for_precision(config, width).games for width in (0.01, 0.005))
    assert narrow == pytest.approx(4 * wide, abs=4)
    assert wide > 1_500


def test_never_too_few_games_to_show_a_range(config_of):
    needed = for_precision(config_of(WIDE), 0.3)
    assert needed.games == enough.LEAST_GAMES
    assert needed.reached and needed.seconds > 0.0
    assert needed.open == ("first with 3",)


def test_line_ups_that_do_not_count_for_goals_are_played_too(config_of):
    alone, among = (
        for_precision(config_of(WIDE, lineups=lineups), 0.01).games for lineups in ('"field"', '"field", "mirror"')
    )
    assert among == pytest.approx(2 * alone, rel=0.01)


def test_what_would_take_for_ever_is_not_promised(config_of):
    needed = for_precision(config_of(WIDE), 1e-6)
    assert not needed.reached
    assert needed.games == enough.MOST_GAMES


def test_so_many_games_do_give_that_width(config_of, tmp_path):
    config, half_width = config_of(WIDE), 0.012
    needed = for_precision(config, half_width)
    with thread_pool(2) as pool:
        job = session.aside(config, entries_of("mon", *ENTRIES), tmp_path / "run", games=needed.games)
        session.play_aside(job, config, pool)
    (found,), _ = goals.measured_all(Run(job.folder), facts_of("mon"))
    _, _, low, high = found.judge(stats.LEVEL)
    assert 0.5 * (high - low) == pytest.approx(half_width, rel=0.2)


@pytest.mark.parametrize("band", [WIDE, MISSED])
def test_what_is_plain_is_decided_at_the_first_look(config_of, band):
    needed, told = until_decided(config_of(band))
    assert (needed.games, needed.reached, needed.open, told) == (1_500, True, (), [])


def test_what_is_on_the_edge_takes_all_games_and_stays_open(config_of, tmp_path):
    config = config_of(WIDE)
    with thread_pool(2) as pool:
        job = session.aside(config, entries_of("mon", *ENTRIES), tmp_path / "r", games=6_000, other_deals=True)
        session.play_aside(job, config, pool)
    (found,), _ = goals.measured_all(Run(job.folder), facts_of("mon"))
    needed, told = until_decided(config_of(f'at_most = "{100 * found.estimates.value[0]:.2f}%"', games=6_000))
    assert (needed.games, needed.reached, needed.open) == (6_000, False, ("first with 3",))
    assert told == ["1,500 games leave 1 of 1 goals open", "3,000 games leave 1 of 1 goals open"]


def test_no_more_games_are_looked_at_than_the_run_has_and_others_than_its_own(config_of, monkeypatch):
    played = []
    aside = session.aside
    monkeypatch.setattr(session, "aside", lambda *args, **more: played.append(aside(*args, **more)) or played[-1])
    needed, _ = until_decided(config_of(WIDE, games=600, lineups='"field", "mirror"'))
    assert needed.games == 600
    assert [job.plan.games for job in played] == [pytest.approx(300, abs=3)]
    assert played[0].plan.seed != config_of(WIDE).plan.seed
