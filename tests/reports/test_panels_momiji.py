"""Momiji's sections: every number against the sums on disk."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from reports import measures, panels, words
from reports.blocks import Run
from reports.figures import items, usage
from reports.games import facts_of
from reports.page import render
from reports.panels import momiji
from reports.tables import build
from sim.games.momiji import cards

pytestmark = pytest.mark.parametrize("small_run", ["momiji"], indirect=True)

PLAYERS = 3


@pytest.fixture
def figures(small_run):
    """All figures of the game's own sections, by name."""
    counts = measures.Counts(Run(small_run), facts_of("momiji"))
    return {figure["id"]: figure for panel in momiji.PANELS for figure in panel.build(counts)}


@pytest.fixture
def sums(small_run):
    """Sums of the mixed table with three players, by column."""
    table = pq.read_table(next((small_run / "blocks" / f"players={PLAYERS}").glob("*.parquet"))).to_pylist()
    mixed = [row for row in table if row["use_games_owned"]]
    return {name: np.sum([row[name] for row in mixed], axis=0) for name in mixed[0]}


def line(figure, table, label):
    """Printed estimates of a row of a table, without their ranges."""
    row = next(row for row in figure["numbers"][table]["rows"] if row[0] == label)
    return [text.rstrip("%") for text in row[1::2]]


def assert_rounded(texts, values):
    """Whether each text is its value, rounded to the decimals that it has."""
    places = [len(text.partition(".")[2]) for text in texts]
    assert texts == [words.number(value, digits) for value, digits in zip(values, places, strict=True)]


def by_seat(sums, counter):
    return sums[f"counter_{counter}"].reshape(cards.SEATS, -1)[:PLAYERS]


def test_sections_stand_before_luck(small_run):
    names = [panel.name for panel in panels.of("momiji")]
    assert names == ["points", "objectives", "acorns", "landscapes", "luck"]


def test_points_by_source_and_seat(figures, sums):
    points = by_seat(sums, "points") / sums["games"]
    for seat, name in enumerate(("1st", "2nd", "3rd")):
        assert_rounded(line(figures["sources"], 0, f"3 players, {name}"), points[seat])
    lead = points[0] - points[2]
    assert_rounded(line(figures["sources"], 1, "3"), [lead.sum(), *lead])
    assert_rounded(line(figures["sources"], 2, "3"), 100 * points.sum(axis=0) / points.sum())


def test_the_sources_are_all_there_is(figures, sums):
    scores = sums["seat_score"] / sums["games"]
    assert_rounded(line(figures["sources"], 1, "3")[:1], [scores[0] - scores[2]])


def test_piles_by_their_top(figures, sums):
    piles, leaves = (by_seat(sums, name).sum(axis=0) for name in ("piles", "pile_leaves"))
    worth = leaves * np.arange(cards.VALUES)
    assert worth.sum() == by_seat(sums, "points")[:, 0].sum()
    for value, label in enumerate(("top 0", "top 1", "top 2", "torii")):
        shares = [100 * piles[value] / piles.sum(), 100 * worth[value] / worth.sum()]
        a_player, each = (
            piles[value] / sums["games"] / PLAYERS,
            [leaves[value] / piles[value], worth[value] / piles[value]],
        )
        assert_rounded(line(figures["piles"], 0, f"{label}, 3 players"), [a_player, *each, *shares])


def test_what_ends_the_games(figures, sums):
    deck, torii = 100 * sums["reasons"] / sums["games"]
    closed = by_seat(sums, "piles")[:, cards.HIGHEST].sum() / sums["games"]
    assert_rounded(line(figures["endings"], 0, "3"), [torii, deck, closed])
    assert figures["endings"]["panels"][0]["rows"][1]["right"].endswith(" of 5")
    assert "with two players and" in figures["endings"]["headline"]


def test_objectives_activated_and_won(figures, sums):
    place = cards.FIRST_OBJECTIVE + cards.OBJECTIVES.index("value:0")
    in_play, used, held, others = (
        sums[f"use_games_{use}"][place] for use in ("owned", "used", "won_held", "won_other")
    )
    assert_rounded(
        line(figures["objectives"], 0, "most 0s, 3 players"),
        [100 * used / (in_play / PLAYERS), 100 * held / used, others / used],
    )
    labels = [row["label"] for row in figures["objectives"]["panels"][0]["rows"]]
    assert "type d" in labels and "type f" not in labels  # the sixth type is for four


def test_what_an_objective_brings_and_costs(figures, sums):
    taken, held, others = (
        sums[f"use_games_{use}"][cards.FIRST_OBJECTIVE :].sum() for use in ("used", "won_held", "won_other")
    )
    points = by_seat(sums, "points")[:, 2].sum()
    assert points == 10 * held + 3 * others  # the rule book's: nobody else brings any
    assert_rounded(
        line(figures["objectives"], 1, "3, 5 in play"),
        [taken / sums["games"], 100 * held / taken, others / taken, 10 * held / taken, 3],
    )


def test_acorns_balance(figures, sums):
    acorns, points = by_seat(sums, "acorns") / sums["games"], by_seat(sums, "points") / sums["games"]
    assert acorns.sum(axis=1) == pytest.approx(points[:, 1])
    assert_rounded(line(figures["acorns"], 0, "3 players, pairs"), [acorns[:, cards.FROM_PAIRS].mean()])
    come, paid = acorns[2, : cards.FOR_COSTS].sum(), -acorns[2, cards.FOR_COSTS :].sum()
    behind = points[0].sum() - points[2].sum()
    assert_rounded(line(figures["acorns"], 1, "3 players, 3rd"), [come, paid, points[2, 1], behind])
    assert "hakari compensate momiji" in figures["acorns"]["how"]


def test_landscapes_used_and_won_with(figures, sums):
    place = cards.FIRST_LANDSCAPE + cards.THIRD_CARD
    owned, used = (sums[f"use_games_{use}"][place] for use in ("owned", "used"))
    won, all_won = (sums[f"use_share_{use}"][place] / 60 for use in ("used", "owned"))
    assert_rounded(
        line(figures["landscapes"], 0, "third card, 3 players")[:3],
        [100 * used / owned, 100 * won / used, 100 * (all_won - won) / (owned - used)],
    )
    # The preset's; nobody has the others.
    assert len(figures["landscapes"]["numbers"][0]["rows"]) == 2 * 3


def test_every_estimate_has_its_range(figures):
    for figure in figures.values():
        for table in figure["numbers"]:
            assert table["columns"][2::2] == ["Range"] * len(table["columns"][2::2])
            assert all(len(row) == len(table["columns"]) for row in table["rows"])


def test_cards_are_leaves(small_run):
    """Objectives and landscapes are never in hand: they have sections of their own and leave no empty rows."""
    page = render(build(small_run, facts_of("momiji")))
    table = page[page.index('id="tcards"') :]
    table = table[: table.index("</table>")]
    assert "2 of type b" in table and "Discarded" in table
    assert "visible sum" not in table and "Won holding it" not in table


def test_a_type_that_is_not_in_every_game_leads_no_headline(small_run):
    """Type e is for three and four players: its means are those of other games."""
    report = build(small_run, facts_of("momiji"))
    for row in report["items"]["rows"]:
        if row["name"].startswith("e:"):
            row["seen"].update(est=0.3, joint_lo=0.2, joint_hi=0.4)
            row["played"]["est"] = 0.001
    shown = items(report)
    assert not shown["headline"].startswith("E:") and "not in every game" in shown["how"]
    assert not usage(report)["headline"].startswith("E:")


def test_landscapes_are_ranked_only_where_they_surely_differ(figures):
    def used(*tiles):
        names = ("leap", "swap")
        ranges = [
            {"name": n, "used": dict(zip(("joint_lo", "est", "joint_hi"), t, strict=True))}
            for n, t in zip(names, tiles, strict=True)
        ]
        return {"players": 3, "tiles": ranges}

    sure, unsure = used((0.5, 0.6, 0.7), (0.1, 0.2, 0.3)), used((0.5, 0.6, 0.7), (0.4, 0.5, 0.6))
    assert momiji.landscapes_headline([sure], sure) == (
        "“leap” is used most, by 60% of its owners, and “swap” least, by 20%"
    )
    assert "none surely more" in momiji.landscapes_headline([unsure], unsure)
