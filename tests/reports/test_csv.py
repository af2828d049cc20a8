import csv
import io
import json

import pandas as pd
import pytest

from reports import csv_tables
from sim.errors import StorageError


def parsed(rows):
    """Write a table and read it back."""
    return list(csv.reader(io.StringIO(csv_tables.text(rows), newline=""), strict=True))


def column(table, name):
    at = table[0].index(name)
    return [row[at] for row in table[1:]]


# --- the file ----------------------------------------------------------------------------------------------------


def test_rfc_4180():
    text = csv_tables.text([["name", "note"], ['say "hi"', "a, b"], ["two\nlines", ""]])
    assert text == 'name,note\r\n"say ""hi""","a, b"\r\n"two\nlines",\r\n'


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd|' /C calc'!A0", "-x", "@SUM(A1)", "\tx", "\rx", "＝1+1", "=", "-", "+1a"]
)
def test_no_text_is_a_formula(text):
    assert csv_tables.cell(text) == f"'{text}"


@pytest.mark.parametrize(
    "value", ["-3.5", "+1", "+8%", "-1e-05", "-.5", -3.5, 1e-05, 0, "a=b", "", "−1.1", "墨 <script>"]
)
def test_numbers_and_plain_texts_stay(value):
    assert csv_tables.cell(value) == value


def test_nothing_and_truth():
    assert [csv_tables.cell(value) for value in (None, True, False)] == ["", "true", "false"]


def test_a_hostile_name_is_text_in_every_table(mon_report):
    name = '=HYPERLINK("evil")'
    hostile = json.loads(json.dumps(mon_report).replace('"greedy"', json.dumps(name)))
    cells = [cell for table in csv_tables.tables(hostile).values() for row in parsed(table) for cell in row]
    assert f"'{name}" in cells
    assert name not in cells


# --- the numbers -------------------------------------------------------------------------------------------------


def test_numbers_stand_as_in_the_report(compared):
    tables = csv_tables.tables(compared)
    goals = parsed(tables["goals"])
    assert column(goals, "goal") == [g["goal"] for g in compared["goals"]]
    assert column(goals, "est") == [repr(g["est"]) for g in compared["goals"]]
    assert column(goals, "band_lo") == ["" if (lo := g["band"]["lo"]) is None else repr(lo) for g in compared["goals"]]
    assert column(goals, "verdict") == [g["verdict"] for g in compared["goals"]]
    assert column(goals, "delta") == [repr(g["change"]["delta"]) for g in compared["goals"]]
    seats = parsed(tables["seats"])
    rows = [(p, row) for p in compared["seats"]["panels"] for row in p["rows"]]
    assert column(seats, "seat") == [str(row["seat"] + 1) for _, row in rows]
    assert column(seats, "joint_hi") == [repr(row["joint_hi"]) for _, row in rows]
    assert column(seats, "delta_est") == [repr(row["delta"]["est"]) for _, row in rows]
    assert column(seats, "games") == [str(p["games"]) for p, _ in rows]


def test_match_ups_leave_out_a_strategy_against_itself(compared):
    table = parsed(csv_tables.tables(compared)["matchups"])
    strategies = len(compared["strategies"])
    assert len(table) - 1 == len(compared["duels"]) * strategies * (strategies - 1)
    names = [s["name"] for s in compared["strategies"]]
    first = compared["duels"][0]["grid"][0][1]
    assert table[1][:4] == ["3", names[0], names[1], repr(compared["duels"][0]["par"])]
    assert column(table, "est")[0] == repr(first["est"])


def test_items_have_a_column_for_each_group_use_and_player_count(mon_report):
    table = parsed(csv_tables.tables(mon_report)["items"])
    items = mon_report["items"]
    assert len(table) == 1 + 54
    for title in items["rows"][0]["groups"]:
        assert column(table, f"group_{title}") == [row["groups"][title] for row in items["rows"]]
    assert column(table, "lift_lo") == [repr(row["lift"]["lo"]) for row in items["rows"]]
    assert column(table, "seen_4_players") == [repr(row["by_players"][2]["est"]) for row in items["rows"]]
    assert set(table[0]) >= {f"use_{use}" for use in items["rows"][0]["uses"]}
    assert len(set(table[0])) == len(table[0])


def test_lengths_and_margins_count_every_game(mon_report):
    tables = csv_tables.tables(mon_report)
    for name, what in (("length", "decisions"), ("length", "rounds"), ("margins", None), ("endings", None)):
        frame = pd.DataFrame(tables[name][1:], columns=tables[name][0])
        if what:
            frame = frame[frame["what"] == what]
        counted = frame.groupby("players")["games"].sum().to_dict()
        assert counted == {p["players"]: p["games"] for p in mon_report["unfold"]}, name


def test_mirrors_have_a_range_for_the_first_player_only(mon_report):
    table = csv_tables.tables(mon_report)["mirrors"]
    at = {name: i for i, name in enumerate(table[0])}
    for row in table[1:]:
        assert (row[at["lo"]] is None) == (row[at["seat"]] > 1)
        assert row[at["est"]] is not None


def test_config_changes(compared, mon_report):
    table = csv_tables.tables(compared)["changes"]
    assert table[1][0].startswith("sets.A.castle")
    assert table[1][1:] == ["[4, 3, 1]", "[5, 3, 1]"]
    assert csv_tables.tables(mon_report)["changes"] == [["key", "old", "new"]]


def test_panels_of_a_game_have_files(compared):
    [figure] = [f for panel in compared["panels"] for f in panel["figures"] if f["id"] == "locations"]
    [numbers] = figure["numbers"]
    table = csv_tables.tables(compared)["panel_locations"]
    assert table[0] == numbers["columns"]
    assert table[1:] == numbers["rows"]


def test_a_report_without_items_has_the_same_files(mon_report):
    bare = csv_tables.tables({**mon_report, "items": None})
    assert bare.keys() == csv_tables.tables(mon_report).keys()
    assert len(bare["items"]) == 1


# --- the folder --------------------------------------------------------------------------------------------------


def test_tables_lie_beside_the_report(small_run, small_report):
    expected = csv_tables.tables(small_report)
    assert {path.stem for path in (small_run / "tables").iterdir()} == expected.keys()
    for name, rows in expected.items():
        found = (small_run / "tables" / f"{name}.csv").read_bytes()
        assert found == csv_tables.text(rows).encode()
        frame = pd.read_csv(small_run / "tables" / f"{name}.csv", keep_default_na=False)
        assert frame.shape == (len(rows) - 1, len(rows[0]))


def test_a_folder_that_cannot_be_written_is_told(mon_report, tmp_path):
    (tmp_path / "tables").write_text("in the way")
    with pytest.raises(StorageError, match="cannot write"):
        csv_tables.write(mon_report, tmp_path / "tables")
