"""Drift and ladder in the report: from the games on disk to the words on the page."""

import copy

import pytest

from reports import csv_tables, figures, meta, tables
from reports.blocks import Run
from reports.page import render
from tests.reports.synthetic import mon_facts, write_run

STRENGTHS = {"greedy": 0.9, "builder": 0.4, "random": -0.8}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("meta") / "run"
    write_run(folder, mon_facts(), players=(2, 3), strengths=STRENGTHS, games=24_000, luck=0.0)
    return tables.build(folder, mon_facts())


def with_drift(report, outcomes, rows):
    """The report with another drift where it is drawn."""
    changed = copy.deepcopy(report)
    panel = next(p for p in changed["meta"] if p["drift"]["paths"])
    panel["drift"]["outcomes"] = [dict(zip(("kind", "strategy", "times"), each, strict=True)) for each in outcomes]
    panel["drift"]["rows"] = [dict(zip(("est", "lo", "hi"), each, strict=True)) for each in rows]
    return changed


def test_the_report_finds_what_was_put_in(report):
    for panel in report["meta"]:
        assert panel["drift"]["outcomes"] == [{"kind": "takes_over", "strategy": 0, "times": meta.RESAMPLINGS}]
        found = panel["ladder"]["strength"]
        mean = sum(STRENGTHS.values()) / 3
        assert found == pytest.approx([s - mean for s in STRENGTHS.values()], abs=0.1)
        assert not panel["ladder"]["sure"]
    assert [len(p["drift"]["paths"]) for p in report["meta"]] == [0, meta.PATHS]
    parts = report["meta"][1]["drift"]["parts"]
    assert len(parts) == 3 and all(sum(at) == pytest.approx(1, abs=1e-3) for at in zip(*parts, strict=True))


def test_without_single_games_it_says_why(tmp_path):
    folder = write_run(tmp_path / "run", mon_facts(), players=(3,), games=2_000, keep_games=False)
    (panel,) = meta.panels(Run(folder), 3)
    assert panel == {"players": 3, "note": "no single games were kept", "drift": None, "ladder": None}


def test_too_few_games_say_how_many_would_do(tmp_path):
    folder = write_run(tmp_path / "run", mon_facts(), players=(4,), games=400, kinds=("field",))
    (panel,) = meta.panels(Run(folder), 4)
    assert panel["drift"] is None and panel["note"].startswith("some tables were dealt fewer than ten times; about ")


def test_words_of_a_drift_that_takes_over(report):
    (start, rest), *more = figures.drift_text(report)
    assert start == "In a field that drifts to what wins with three players, greedy takes over completely."
    assert rest == "In all 200 redraws of the deals. The same holds with two players." and not more
    figure = figures.drift(report)
    assert figure["headline"] == "Greedy takes over completely" and len(figure["numbers"]) == 2
    assert "Blue: greedy. Brown: builder. Grey: random." in figure["how"]


def test_words_of_a_mixture_and_of_a_circle(report):
    ends = [(0.61, 0.55, 0.66), (0.39, 0.34, 0.45), (0.0, 0.0, 0.0)]
    found = with_drift(report, [("settles", None, 193), ("takes_over", 0, 7)], ends)
    start, rest = figures.drift_text(found)[0]
    assert "it settles at 61% greedy (55–66) and 39% builder (34–45)" in start
    assert rest == "In 193 of 200 redraws of the deals."
    wide = [(0.61, 0.2, 0.9), (0.39, 0.1, 0.8), (0.0, 0.0, 0.0)]
    start, _ = figures.drift_text(with_drift(report, [("settles", None, 200)], wide))[0]
    assert "which one is too close to call" in start and "%" not in start
    start, _ = figures.drift_text(with_drift(report, [("circles", None, 200)], ends))[0]
    assert "it keeps circling" in start


def test_an_end_that_resamplings_do_not_agree_on_is_not_told(report):
    ends = [(0.99, 0.0, 1.0), (0.01, 0.0, 1.0), (0.0, 0.0, 0.0)]
    found = with_drift(report, [("takes_over", 0, 120), ("takes_over", 1, 80)], ends)
    start, rest = figures.drift_text(found)[0]
    assert "too close to call" in start and "takes over" not in start
    assert "The same holds" not in rest
    start, rest = figures.drift_text(with_drift(report, [("takes_over", 0, 180), ("takes_over", 1, 20)], ends))[0]
    assert start.endswith(" most likely greedy takes over completely.") and "The same holds" not in rest
    start, rest = figures.drift_text(found)[0]
    assert rest.startswith("Of 200 redraws of the deals, greedy takes over completely in 120 and builder takes over")


def test_a_ladder_that_misleads_says_so(report):
    ((start, rest),) = figures.ladder_text(report)
    assert start == "On one ladder of strength with three players:"
    assert (
        rest.startswith("greedy, then builder, then random; at the same table each step wins 1.")
        and "than luck explains" in rest
    )
    changed = copy.deepcopy(report)
    for panel in changed["meta"]:
        panel["ladder"]["strength"] = [0.5, 0.47, -0.97]
    assert (
        "greedy and builder, then random; at the same table the first wins 4.2 times"
        in figures.ladder_text(changed)[0][1]
    )
    for panel in changed["meta"]:
        panel["ladder"] |= {"misfit": 0.08, "sure": True}
    assert "typically 8.0 points off, so it misleads" in figures.ladder_text(changed)[0][1]


def test_the_same_numbers_stand_in_the_tables(report):
    found = csv_tables.tables(report)
    assert found["drift"][0] == ["players", "strategy", "est", "lo", "hi", "takes_over", "of"]
    assert [row[:2] for row in found["drift"][1:]] == [[n, name] for n in (2, 3) for name in STRENGTHS]
    assert [row[2] for row in found["drift"][1:4]] == [row["est"] for row in report["meta"][0]["drift"]["rows"]]
    assert [row[5:] for row in found["drift"][1:4]] == [[200, 200], [0, 200], [0, 200]]
    assert [row[2] for row in found["ladder"][1:4]] == report["meta"][0]["ladder"]["strength"]


def test_the_page_shows_both(report):
    page = render(report)
    assert 'id="c-drift"' in page and "Ladder of strength: logarithm of the odds" in page
    alone = {**report, "meta": []}
    assert 'id="c-drift"' not in render(alone) and "Ladder of strength" not in render(alone)
