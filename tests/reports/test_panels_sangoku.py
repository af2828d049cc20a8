"""Sangoku's own sections: hands and ranks, Legends and tokens, rounds and eliminations, against the sums on disk."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from reports import measures, panels
from reports.blocks import Run
from reports.games import facts_of
from reports.page import render
from reports.panels import sangoku
from reports.tables import build
from sim.games.interface import SHARE_UNITS
from sim.games.sangoku.cards import LEGENDS, RANK_NAMES, REALMS, ROWS, WARRIORS
from sim.games.sangoku.hands import CATEGORIES, PAIR

pytestmark = pytest.mark.parametrize("small_run", ["sangoku"], indirect=True)


@pytest.fixture
def counts(small_run):
    return measures.Counts(Run(small_run), facts_of("sangoku"))


@pytest.fixture
def mixed(small_run):
    """Returns a column of the mixed table with three players, summed over its chunks."""
    parts = sorted((small_run / "blocks" / "players=3").glob("*.parquet"))
    table = [row for part in parts for row in pq.read_table(part).to_pylist() if row["use_games_seen"]]
    return lambda name: np.sum([row[name] for row in table], axis=0)


def cells(table, name):
    """The row of a table of numbers by its first cell, the texts as numbers where they are."""
    row = next(row for row in table["rows"] if row[0] == name)
    return [number(text) for text in row[1:]]


def number(text):
    try:
        return float(text.replace("−", "-").replace(",", "").rstrip("%"))
    except ValueError:
        return text


def test_sangoku_shows_its_sections_before_luck(small_run):
    assert [panel.name for panel in panels.of("sangoku")] == ["hands", "legends", "rounds", "luck"]


def test_hands_win_as_often_as_the_sums_say(counts, mixed):
    hands, _ = sangoku.hands_and_ranks(counts)
    laid, won = mixed("counter_hands").reshape(len(REALMS), len(CATEGORIES), 2)[REALMS.index("earth")].T
    wins, _, part, _ = cells(hands["numbers"][0], "Earth, pair, 3 players")
    assert wins == pytest.approx(100 * won[PAIR] / laid[PAIR], abs=0.6)
    assert part == pytest.approx(100 * laid[PAIR] / laid.sum(), abs=0.006)
    assert [chart["title"] for chart in hands["panels"]] == ["Heavens", "Earth", "Hells"]
    assert hands["headline"].startswith("With three players it takes ")


def test_ranks_are_won_with_and_redeemed_as_the_sums_say(counts, mixed):
    _, ranks = sangoku.hands_and_ranks(counts)
    dealt, won, redeemed = mixed("counter_recruits").reshape(len(ROWS), 3)[RANK_NAMES.index("3")]
    row = cells(ranks["numbers"][0], "3, 3 players")
    assert row[0] == "Oni"
    assert row[1] == pytest.approx(dealt / mixed("games"), abs=0.06)
    assert row[3] == pytest.approx(100 * won / dealt, abs=0.6)
    assert row[5] == pytest.approx(100 * redeemed / won, abs=0.6)
    place = ROWS.index("3")
    games, share = mixed("use_games_redeemed")[place], mixed("use_share_redeemed")[place] / SHARE_UNITS
    assert row[7] == pytest.approx(100 * share / games, abs=0.06)
    assert row[9] == pytest.approx(100 * (mixed("games") - share) / (3 * mixed("games") - games), abs=0.06)
    assert cells(ranks["numbers"][0], "Ace, 3 players")[0] == "nothing"
    assert [row["label"] for row in ranks["panels"][1]["rows"]] == list("23456789")


def test_legends_and_tokens_are_as_the_sums_say(counts, mixed):
    legends, tokens = sangoku.legends_and_tokens(counts)
    drawn, wagered, used = mixed("counter_legends").reshape(len(LEGENDS), 3)[LEGENDS.index("onibi")] / mixed("games")
    row = cells(legends["numbers"][0], "Onibi, 3 players")
    assert [row[0], row[2], row[4]] == pytest.approx([drawn, wagered, used], abs=0.06)
    place = len(ROWS) + LEGENDS.index("onibi")
    games, share = mixed("use_games_turned_in")[place], mixed("use_share_turned_in")[place] / SHARE_UNITS
    assert row[6] == pytest.approx(100 * share / games, abs=0.06)
    held, damage = mixed("counter_forces").reshape(len(WARRIORS), 2)[WARRIORS.index("dog")]
    row = cells(tokens["numbers"][0], "Dog, 3 players")
    assert row[0] == pytest.approx(held / mixed("games"), abs=0.6)
    assert row[2] == pytest.approx(damage / mixed("games"), abs=0.6)
    assert row[4] == pytest.approx(damage / held, abs=0.06)


def test_rounds_and_eliminations_are_as_the_sums_say(counts, mixed):
    rounds, capped = sangoku.rounds_and_eliminations(counts)
    out = mixed("counter_eliminated")
    when = np.arange(1, len(out) + 1) @ out / out.sum()
    length = cells(rounds["numbers"][0], "3")
    assert length[0] == pytest.approx(mixed("rounds") / mixed("games"), abs=0.06)
    assert length[2] == pytest.approx(when, abs=0.06)
    ends, _, went, _ = cells(rounds["numbers"][1], "3 players, round 8")
    assert ends == pytest.approx(100 * mixed("hist_rounds")[8] / mixed("games"), abs=0.6)
    assert went == pytest.approx(100 * out[7] / out.sum(), abs=0.6)
    rows = [row for row in rounds["numbers"][1]["rows"] if row[0].startswith("3 players")]
    assert sum(number(row[1]) for row in rows) == pytest.approx(100, abs=0.1 * len(rows))
    assert "hakari compare sangoku sangoku-hardcore" in rounds["how"]
    assert capped["headline"].startswith("No game is stopped by the cap of 60 rounds")
    assert len(capped["numbers"][0]["rows"]) == 2 * 3  # players, kinds of line-up


def test_the_cap_is_named_where_it_stops_games(counts, monkeypatch):
    found = {"field": {"est": 0.002, "lo": 0.001, "hi": 0.003}, "mirror": {"est": 0.04, "lo": 0.03, "hi": 0.05}}
    monkeypatch.setattr(counts, "capped", lambda players: found)
    capped = sangoku.rounds_and_eliminations(counts)[1]
    assert capped["headline"].startswith("The cap of 60 rounds stops 4.00% of games with two players, all the same")


def test_a_changed_table_of_redemptions_is_followed(counts):
    counts.rules = {**counts.rules, "redeems": {}, "ten_draws_legend": True}
    ranks = sangoku.hands_and_ranks(counts)[1]
    assert [row["label"] for row in ranks["panels"][1]["rows"]] == ["10"]
    counts.rules["ten_draws_legend"] = False
    ranks = sangoku.hands_and_ranks(counts)[1]
    assert ranks["headline"] == "No Recruitment card is redeemed for anything"
    assert len(ranks["panels"]) == 1


def test_the_sections_are_on_the_page(small_run):
    report = build(small_run, facts_of("sangoku"))
    page = render(report)
    assert json.loads(json.dumps(report)) == report
    for section in ("panel-hands", "panel-legends", "panel-rounds", "c-ranks", "c-tokens", "c-capped"):
        assert f'id="{section}"' in page


def test_games_cut_short_before_anybody_is_out_are_shown(counts, monkeypatch):
    """With a cap of a round or two nobody is eliminated, and there is nothing to draw of it."""
    for cell in (cell for players in counts.players for cell in counts._run.mixed(players)):
        monkeypatch.setitem(cell.sums, "counter_eliminated", np.zeros_like(cell["counter_eliminated"]))
    rounds = sangoku.rounds_and_eliminations(counts)[0]
    assert rounds["headline"].endswith("and nobody goes out")
    assert [chart["title"] for chart in rounds["panels"]] == ["Games end in round"]


def test_a_hand_is_enough_only_where_all_better_ones_are_too(small_run):
    """Seldom-laid hands may win often by who lays them, or their range be too wide to say."""

    def hand(name, est, half=0.01):
        return {"name": name, "wins": {"est": est, "joint_lo": est - half}}

    def needed(*hands):
        realm = {"where": "on Earth", "hands": hands}
        return sangoku._hands_headline({"players": 4, "realms": [realm]}, several=False)

    pair, three, straight, flush = (
        hand(*each) for each in (("pair", 0.3), ("three", 0.2), ("straight", 0.4), ("flush", 0.9))
    )
    assert needed(pair, three, straight, flush) == "It takes a straight on Earth (40%) to win more often than par (25%)"
    assert "a flush" in needed(pair, three, hand("straight", 0.26, half=0.05), flush)
    assert needed(pair, three) == "No hand surely wins its Realm more often than par"
