import re
import xml.etree.ElementTree as ET

import pytest

from reports import charts, svg

ROW = {"x": 1.0, "lo": 0.8, "hi": 1.2, "joint_lo": 0.7, "joint_hi": 1.3, "before": 0.5}
CHART = {
    "kind": "dots",
    "width": "S",
    "title": "4 players",
    "labels": 60,
    "values": 50,
    "pitch": 28,
    "axis": {"lo": -2.0, "hi": 2.0, "ticks": [[0.0, "par"]], "grid": True},
    "zone": [-1.0, 1.0],
    "centre": 0.0,
    "rows": [
        {**ROW, "label": "<b>&amp; $x_1$", "value": "26.0%", "tone": "est", "hollow": False, "strong": True},
        {**ROW, "label": "秤", "value": "−1", "tone": "out", "hollow": True, "strong": False},
    ],
}


def fitted(slug="c-1", chart=CHART):
    with charts.style():
        return svg.fit(svg.save(charts.draw(chart), slug), slug, "Title", "Finding & more")


@pytest.fixture
def root():
    return ET.fromstring(fitted())


def test_nothing_leaks_into_the_page(root):
    text = fitted()
    assert not {"style", "metadata", "clipPath", "g", "image"} & {e.tag for e in root.iter()}
    assert "style=" not in text
    assert "font-family" not in text
    assert "xmlns" not in text
    assert "xlink" not in text
    assert "#" not in re.sub(r'href="#[\w-]+"', "", text)
    assert not {"width", "height"} & set(root.attrib)
    assert root.get("viewBox") == "0 0 292 114"


def test_ids_are_unique_and_all_used(root):
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    assert all(i.startswith("c-1-") for i in ids)
    referred = {e.get("href", "#")[1:] for e in root.iter()} | {
        root.get("aria-labelledby"),
        root.get("aria-describedby"),
    }
    assert set(ids) <= referred
    other = {e.get("id") for e in ET.fromstring(fitted("c-2")).iter()} - {None}
    assert not other & set(ids)


def test_title_and_description_come_first(root):
    assert [e.tag for e in root][:2] == ["title", "desc"]
    assert root.get("role") == "img"
    assert root.find("desc").text == "Finding & more"


def test_names_are_text_and_nothing_else(root):
    texts = [e.text for e in root.iter("text")]
    assert "<b>&amp; $x_1$" in texts
    assert "秤" in texts
    assert not list(root.iter("b"))


def test_colours_are_roles(root):
    classes = {c for e in root.iter() for c in e.get("class", "").split()} - {"chart"}
    assert {"f-goal", "s-edge", "s-muted", "s-est", "f-est", "f-paper", "s-base", "s-out", "f-ink", "s-hair"} <= classes
    assert {c[2:] for c in classes} <= set(svg.ROLES)


def test_unknown_colour_is_an_error():
    with pytest.raises(ValueError, match="no role"):
        svg.fit('<svg><path d="M 0 0" style="fill: #123456"/></svg>', "a", "t", "d")


def test_shape_without_a_colour_is_an_error():
    with pytest.raises(ValueError, match="#000000 is the colour of no role"):
        svg.fit('<svg><text x="1" y="2" style="font-size: 10px">a</text></svg>', "a", "t", "d")


def test_unexpected_element_is_an_error():
    with pytest.raises(ValueError, match="image"):
        svg.fit("<svg><image/></svg>", "a", "t", "d")


def test_numbers_are_short():
    assert max(len(n.partition(".")[2]) for n in re.findall(r"-?\d+\.\d+", fitted())) <= 2


def test_same_chart_same_bytes():
    assert fitted() == fitted()


def test_upright_text_turns_and_level_text_does_not():
    raw = (
        '<svg><text x="1" y="2" transform="rotate(-90 1 2)" style="font: 700 12.5px x; fill: #1f1d1a">a</text>'
        '<text x="1" y="2" transform="rotate(-0 1 2)" style="font-size: 11px; fill: #1f1d1a">b</text></svg>'
    )
    first, second = ET.fromstring(svg.fit(raw, "a", "t", "d")).iter("text")
    assert first.attrib == {
        "font-weight": "600", "font-size": "12.5", "x": "1", "y": "2", "transform": "rotate(-90 1 2)", "class": "f-ink"
    }  # fmt: skip
    assert second.attrib == {"font-size": "11", "x": "1", "y": "2", "class": "f-ink"}
