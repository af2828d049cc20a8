"""Busho's own sections: every number against the columns on disk, and the names in both scripts."""

import warnings

import numpy as np
import pyarrow.parquet as pq
import pytest

from reports import measures, svg
from reports.blocks import Run
from reports.charts import draw, style
from reports.figures import finish
from reports.games import facts_of
from reports.panels.busho import ends, generals, grabs
from sim.games.busho.spec import SPEC

pytestmark = pytest.mark.parametrize("small_run", ["busho"], indirect=True)

GENERALS = len(SPEC.text.generals)


@pytest.fixture
def counts(small_run):
    run = Run(small_run)
    return measures.Counts(run, facts_of("busho", run.manifest["config"]))


@pytest.fixture
def sums(small_run):
    """The mixed table's columns summed over all chunks, by player count."""

    def load(players):
        table = pq.read_table(next((small_run / "blocks" / f"players={players}").glob("*.parquet"))).to_pylist()
        mixed = [row for row in table if row["use_games_completed"]]
        return {
            name: np.sum([row[name] for row in mixed], axis=0) for name in mixed[0] if name not in ("kind", "label")
        }

    return {players: load(players) for players in (2, 3)}


def by_id(figures):
    return {figure["id"]: figure for figure in figures}


def cells(figure, label, table=0):
    return next(row for row in figure["numbers"][table]["rows"] if row[0] == label)


def value(text):
    return float(text.replace("−", "-").replace("+", "").rstrip("%"))


def test_generals_are_completed_as_the_sums_say(counts, sums):
    figures = by_id(generals(counts))
    made = np.mean([sums[n]["use_games_completed"][:GENERALS] / sums[n]["games"] for n in sums], axis=0)
    rows = figures["completed"]["numbers"][0]["rows"]
    assert len(rows) == GENERALS == 80
    assert [value(row[4]) for row in rows] == pytest.approx(list(100 * made), abs=0.6)
    grabbed = np.mean(
        [sums[n]["use_games_grabbed"][:GENERALS] / sums[n]["use_games_completed"][:GENERALS] for n in sums], axis=0
    )
    known = np.isfinite(grabbed)
    assert np.array([value(row[6].replace("–", "nan")) for row in rows])[known] == pytest.approx(
        100 * grabbed[known], abs=0.6
    )
    assert rows[0][:4] == ["徳川家康 Ieyasu", "徳川 Tokugawa", "3·2·1", "8"]
    highest = figures["completed"]["panels"][0]["rows"][0]
    assert highest["label"] == rows[int(np.argmax(made))][0]
    assert highest["value"] == pytest.approx(100 * made.max(), abs=1e-4)


def test_generals_that_share_a_reading_are_told_apart(counts):
    names = [row[0] for row in by_id(generals(counts))["completed"]["numbers"][0]["rows"]]
    assert {"浅井長政 Azai Nagamasa", "黒田長政 Kuroda Nagamasa"} <= set(names)


def test_crests_of_first_names(counts, sums):
    crests = by_id(generals(counts))["crests"]
    place = SPEC.items.names.index("義 yoshi")  # of 8 crests, as 秀 and 長 are
    eight = [SPEC.items.names.index(name) for name in ("秀 hide", "長 naga")] + [place]
    part = np.mean([sums[n]["use_games_completed"][eight].sum() / sums[n]["use_games_held"][eight].sum() for n in sums])
    row = cells(crests, "8 crests", table=1)
    assert row[1] == "3" and value(row[2]) == pytest.approx(100 * part, abs=0.06)
    assert sum(int(row[1]) for row in crests["numbers"][0]["rows"]) == 80


def test_shown_and_grabbed_names(counts, sums):
    ways = by_id(generals(counts))["ways"]
    names = sums[3]["counter_names"].reshape(4, 3).sum(axis=0)
    shown, grabbed = cells(ways, "shown, 3 players"), cells(ways, "grabbed, 3 players")
    assert value(shown[1]) == pytest.approx(names[0] / sums[3]["games"], abs=0.006)
    assert value(grabbed[3]) == pytest.approx(100 * names[1] / names.sum(), abs=0.06)
    share = sums[3]["use_share_grabbed"][:GENERALS].sum() / 60 / sums[3]["use_games_grabbed"][:GENERALS].sum()
    assert value(grabbed[5]) == pytest.approx(100 * (share - 1 / 3), abs=0.06)
    assert not [row for row in ways["numbers"][0]["rows"] if row[0].startswith("laid")]  # names are shown here


def test_grabs_by_the_seat_after_the_discarder(counts, sums):
    figure = by_id(grabs(counts))["grabs"]
    for place, label in enumerate(("next, 3 players", "2nd after, 3 players")):
        row = cells(figure, label)
        made, asked = sums[3]["counter_grabs"][place], sums[3]["counter_chances"][place]
        assert value(row[1]) == pytest.approx(asked / sums[3]["games"], abs=0.006)
        assert value(row[3]) == pytest.approx(made / sums[3]["games"], abs=0.006)
        assert value(row[5]) == pytest.approx(100 * made / asked, abs=0.06)
        assert value(row[7]) == pytest.approx(100 * made / sums[3]["counter_grabs"].sum(), abs=0.06)
    chains = cells(figure, "Turns with 1 grab, 3 players", table=1)
    assert value(chains[1]) == pytest.approx(sums[3]["counter_chains"][1] / sums[3]["games"], abs=0.0006)
    assert "next_in_turn" in figure["how"]


def test_cards_fed_to_a_grab(counts, sums):
    fed = by_id(grabs(counts))["fed"]
    throws = sums[2]["counter_throws"].reshape(4, 2).sum(axis=0)
    assert value(cells(fed, "2 players")[1]) == pytest.approx(100 * throws[1] / throws[0], abs=0.006)
    place = SPEC.items.names.index("信 nobu")
    rate = np.mean([sums[n]["use_games_fed"][place] / sums[n]["use_games_discarded"][place] for n in sums])
    assert value(cells(fed, "信 nobu", table=1)[2]) == pytest.approx(100 * rate, abs=0.06)
    assert "among equals" not in fed["headline"]  # each card is fed too seldom in so few games


def test_feeding_goes_with_losing_among_equals(counts, monkeypatch):
    monkeypatch.setattr(measures, "FEW_CASES", 3)
    fed = by_id(grabs(counts))["fed"]
    assert "points" in fed["headline"] and fed["headline"].endswith("less than who throws the same card unharmed")
    assert value(cells(fed, "信 nobu", table=1)[4]) < 0.0


def test_every_game_is_decided_by_one_thing(counts, sums):
    figure = ends(counts)[0]
    for players in sums:
        shares = [value(row[1]) for row in figure["numbers"][0]["rows"] if row[0].endswith(f"{players} players")]
        assert len(shares) == 5 and sum(shares) == pytest.approx(100, abs=0.03)
        assert shares[0] == pytest.approx(100 * sums[players]["reasons"][1] / sums[players]["games"], abs=0.006)
        assert shares[4] == pytest.approx(100 * sums[players]["counter_ties"][3] / sums[players]["games"], abs=0.006)


def test_japanese_names_are_text_in_the_charts(counts):
    """Drawn without a warning although the measuring font has no kanji, and written out as text."""
    figure = finish(generals(counts)[0])
    with style(), warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = svg.save(draw(figure["panels"][0]), "generals")
    assert figure["panels"][0]["rows"][0]["label"] in drawn


def test_a_run_that_counted_nothing_has_no_section_of_its_own(counts, monkeypatch):
    monkeypatch.setattr(measures.Counts, "has", lambda *_: False)
    monkeypatch.setattr(measures.Counts, "has_items", lambda *_: False)
    assert [build(counts) for build in (generals, grabs, ends)] == [[], [], []]


def test_a_replaced_general_is_not_compared_with_whom_it_replaced(small_run):
    """The same place in the list, another name: nothing about items is compared with such a baseline."""
    before = Run(small_run)
    config = before.manifest["config"]
    assert measures.same_items(before, facts_of("busho", config))
    generals = [{"family": "大友", "given": ["宗", "虎"]}, *config["generals"][1:]]
    assert not measures.same_items(before, facts_of("busho", {**config, "generals": generals}))
    assert measures.same_items(before, facts_of("busho", {**config, "hand_size": 9}))
