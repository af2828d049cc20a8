"""Match-ups of two runs beside each other: exact zeros, planted changes, and games that were not kept."""

import itertools

import numpy as np
import pyarrow.parquet as pq
import pytest

from reports import compare
from reports.compare import figures
from reports.compare.page import render
from reports.compare.schema import Comparison
from tests.reports.synthetic import mon_facts, write_run

BEFORE = {"greedy": 0.6, "builder": 0.2, "random": -0.5}
AFTER = {"greedy": 0.1, "builder": 0.2, "random": -0.5}
NAMES = list(BEFORE)


def run(folder, strengths, kinds=("field",), players=(2, 3), **more):
    return write_run(
        folder, mon_facts(), players=players, strengths=strengths, games=24_000, luck=0.0, kinds=kinds, **more
    )


def cells(panel):
    return {(NAMES[i], NAMES[j]): cell for i, line in enumerate(panel["grid"]) for j, cell in enumerate(line) if cell}


def among(strengths, players, one, other):
    """Exact win share of a seat of `one` at mixed tables where `other` sits too."""
    power, won, seats = np.array(list(strengths.values())), 0.0, 0
    for table in itertools.product(range(3), repeat=players):
        if NAMES.index(other) in table:
            raised = np.exp(power[list(table)])
            mine = np.array(table) == NAMES.index(one)
            won, seats = won + (raised[mine] / raised.sum()).sum(), seats + mine.sum()
    return won / seats


def against(strengths, players, one, other):
    """Exact win share of one against the rest."""
    mine, theirs = np.exp(strengths[one]), np.exp(strengths[other])
    return mine / (mine + (players - 1) * theirs)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("matchups")


@pytest.fixture(scope="module")
def mixed(folder):
    a, b = run(folder / "a", BEFORE), run(folder / "b", AFTER)
    return compare.build(a, b, mon_facts())


@pytest.mark.parametrize("kinds", [("field",), ("field", "one_vs_rest")])
def test_a_run_against_itself_is_exactly_zero(folder, kinds):
    same = run(folder / f"same{len(kinds)}", BEFORE, kinds)
    found = compare.build(same, same, mon_facts())
    assert [panel["kind"] for panel in found["matchups"]] == [kinds[-1].replace("field", "mixed")] * 2
    deltas = [cell["delta"] for panel in found["matchups"] for cell in cells(panel).values()]
    assert len(deltas) == 12 and all(set(delta.values()) == {0.0} for delta in deltas)
    assert figures.matchups(found)["headline"] == "Nothing changed"
    render(found)


@pytest.mark.parametrize(("kinds", "truth"), [(("field",), among), (("field", "one_vs_rest"), against)])
def test_planted_changes_lie_in_the_ranges(folder, kinds, truth):
    a, b = run(folder / f"a{len(kinds)}", BEFORE, kinds), run(folder / f"b{len(kinds)}", AFTER, kinds)
    for panel in compare.build(a, b, mon_facts())["matchups"]:
        found = cells(panel)
        assert len(found) == 6
        for (one, other), cell in found.items():
            old, new = (truth(strengths, panel["players"], one, other) for strengths in (BEFORE, AFTER))
            assert cell["a"] == pytest.approx(old, abs=0.04) and cell["b"] == pytest.approx(new, abs=0.04)
            assert cell["delta"]["joint_lo"] <= new - old <= cell["delta"]["joint_hi"]
            assert cell["delta"]["joint_lo"] <= cell["delta"]["lo"] <= cell["delta"]["est"]
        assert found["greedy", "builder"]["delta"]["joint_hi"] < 0.0


def test_with_two_players_the_two_shares_of_a_pair_add_up(mixed):
    found = cells(mixed["matchups"][0])
    for one, other in itertools.combinations(NAMES, 2):
        here, there = found[one, other], found[other, one]
        assert here["a"] + there["a"] == pytest.approx(1, abs=1e-5)
        assert here["delta"]["est"] == pytest.approx(-there["delta"]["est"], abs=1e-5)
        assert here["games"] == there["games"]


def test_words_page_and_schema(mixed):
    figure = figures.matchups(mixed)
    assert figure["headline"].startswith("With three players, ") and "sits too" in figure["headline"]
    assert "at mixed tables where the column sits too" in figure["sub"] and "of the deals" not in figure["sub"]
    assert len(figure["numbers"]) == 2 and len(figure["numbers"][0]["rows"]) == 6
    Comparison.model_validate(mixed)
    assert figure["headline"] in render(mixed)


def test_only_deals_that_both_kept_are_compared(folder):
    """Half the deals of one side are gone: what is left is still compared deal by deal, and the page says so."""
    a, b = (run(folder / name, strengths, players=(3,)) for name, strengths in (("whole", BEFORE), ("half", BEFORE)))
    (part,) = (b / "games").rglob("*.parquet")
    rows = pq.read_table(part)
    pq.write_table(rows.filter((rows["deal"].to_numpy() % 2) == 0), part)
    found = compare.build(a, b, mon_facts())
    (panel,) = found["matchups"]
    assert panel["kept"] == pytest.approx(0.5, abs=1e-3)
    assert all(cell["delta"]["est"] == 0.0 for cell in cells(panel).values())
    assert "counted from 50% of the deals" in figures.matchups(found)["sub"]


def test_without_single_games_it_says_why(folder):
    a, b = run(folder / "c", BEFORE, keep_games=False), run(folder / "d", AFTER, keep_games=False)
    found = compare.build(a, b, mon_facts())
    assert figures.matchups(found) is None
    note = "Match-ups with two and three players cannot be compared: too few single games were kept."
    assert figures.matchup_notes(found) == [note] and note in render(found)
