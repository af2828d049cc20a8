import copy
import json

import jsonschema
import pytest

from reports import schema, tables

SCHEMA = schema.json_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def faults(report):
    return [(list(error.absolute_path), error.message) for error in VALIDATOR.iter_errors(report)]


def test_it_is_a_schema_with_the_version_of_the_report():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["schema"]["const"] == tables.SCHEMA


def test_reports_of_real_runs_are_valid(small_report):
    assert faults(small_report) == []


def test_reports_with_goals_baseline_and_panels_are_valid(compared, mon_report):
    assert compared["baseline"] and compared["panels"] and not mon_report["baseline"]
    assert faults(json.loads(json.dumps(compared))) == []
    assert faults(json.loads(json.dumps(mon_report))) == []


def test_every_key_is_told_about(compared):
    """No part is left open, but for the figures of a game's own panels and names of groups and uses."""
    open_ = {name for name, part in SCHEMA["$defs"].items() if part.get("additionalProperties") is not False}
    assert not open_
    free = [
        f"{name}.{key}"
        for name, part in SCHEMA["$defs"].items()
        for key, value in part["properties"].items()
        if "additionalProperties" in json.dumps(value)
    ]
    assert free == ["Item.groups", "Item.uses", "Panel.figures"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["schema"], "hakari-report/0"),
        (["run", "games"], "many"),
        (["goals", 0, "verdict"], "fine"),
        (["goals", 0, "est"], "25%"),
        (["verdict", "state"], "good"),
        (["seats", "panels", 0, "rows", 0, "lo"], [0.1]),
        (["controls", 0, "state"], None),
        (["items", "rows", 0, "seen"], 0.01),
        (["unfold", 0, "decisions", "bins", 0], [1, 2, 3]),
        (["run", "extra"], 1),
    ],
)
def test_a_damaged_report_is_refused(small_report, path, value):
    part = small_report
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    assert [fault for fault in faults(small_report) if fault[0][:1] == path[:1]]


def test_no_key_may_be_missing(small_report):
    for key in small_report:
        lacking = {k: v for k, v in small_report.items() if k != key}
        assert faults(lacking), key
    for part in ("run", "verdict", "seats"):
        for key in small_report[part]:
            lacking = copy.deepcopy(small_report)
            del lacking[part][key]
            assert faults(lacking), key
