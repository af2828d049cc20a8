import json
import re
from html import unescape

import duckdb
import pytest

from reports.page import render
from reports.queries import queries
from sim import results


@pytest.fixture
def answers(small_run, small_report, monkeypatch):
    """What the queries of a real run give, in its folder."""
    monkeypatch.chdir(small_run)
    return [duckdb.sql(query["sql"]).fetchall() for query in queries(small_report)]


def test_queries_stand_on_the_page_as_they_run(small_report):
    page = render(small_report)
    shown = [unescape(code) for code in re.findall(r"<pre[^>]*><code>(.*?)</code>", page, re.S)]
    assert [query["sql"] for query in queries(small_report)] == [code for code in shown if code.startswith("SELECT")]
    assert len(queries(small_report)) == 3


def test_seats_from_the_single_games(answers, small_report):
    panel = next(p for p in small_report["seats"]["panels"] if p["players"] == small_report["run"]["focus"])
    assert [seat for seat, _, _ in answers[0]] == [row["seat"] + 1 for row in panel["rows"]]
    assert [share for _, share, _ in answers[0]] == pytest.approx([row["est"] for row in panel["rows"]], abs=1e-6)
    assert {games for _, _, games in answers[0]} == {panel["games"]}


def test_strategies_from_the_sums(answers, small_report):
    expected = {(p["players"], row["strategy"]): row["est"] for p in small_report["shares"] for row in p["rows"]}
    assert {(n, name): share for n, name, share in answers[1]} == pytest.approx(expected, abs=1e-6)
    shares = [(n, -share) for n, _, share in answers[1]]
    assert shares == sorted(shares)


def test_an_item_from_the_sums(answers, small_report):
    row = max(small_report["items"]["rows"], key=lambda r: abs(r["seen"]["est"] or 0))
    assert row["name"] in queries(small_report)[2]["title"]
    assert sum(times for _, _, times in answers[2]) == row["cases"]
    known = {each["players"]: each["est"] for each in row["by_players"] if each["est"] is not None}
    assert known
    found = {n: share for n, share, _ in answers[2] if n in known}
    assert found == pytest.approx(known, abs=1e-6)


def test_every_line_up_of_the_mixed_table_is_asked(mon_report):
    report = json.loads(json.dumps(mon_report))
    report["run"]["mixed_lineups"] = [[3, 4], [5], [6], [7], [8, 9]]
    seats, strategies, _ = (query["sql"] for query in queries(report))
    assert report["run"]["focus"] == 4
    assert "lineup IN (6)" in seats
    assert "lineup IN (3, 4, 5, 6, 7, 8, 9)" in strategies
    report["items"]["players"] = [2, 6]
    assert "lineup IN (3, 4, 8, 9)" in queries(report)[2]["sql"]


def test_what_was_not_kept_or_played_has_no_query(mon_report):
    def titles(run, items):
        return [q["title"] for q in queries({**mon_report, "run": {**mon_report["run"], **run}, "items": items})]

    assert len(titles({"keep_games": 0.0}, mon_report["items"])) == 2
    assert len(titles({}, None)) == 2
    assert titles({"players": [], "focus": None, "mixed_lineups": []}, None) == []


def test_a_sample_of_the_games_says_so(mon_report):
    sample = {**mon_report, "run": {**mon_report["run"], "keep_games": 0.01}}
    assert "-- a part of the deals: 1%" in queries(sample)[0]["sql"]
    assert "a part" not in queries(mon_report)[0]["sql"]


def test_names_are_text_in_sql(small_run, small_report, monkeypatch):
    name = "it's -- '); DROP TABLE games; /*"
    report = json.loads(json.dumps(small_report))
    report["strategies"][0]["name"] = name
    monkeypatch.chdir(small_run)
    answer = duckdb.sql(queries(report)[1]["sql"]).fetchall()
    assert {row[1] for row in answer} == {s["name"] for s in report["strategies"]}


def test_manifest_says_how_many_games_were_kept(small_run, small_report):
    assert small_report["run"]["keep_games"] == results.read_manifest(small_run)["keep_games"] == 1.0
