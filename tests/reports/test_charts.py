import itertools

import pytest

from reports import charts, figures, svg


@pytest.fixture(autouse=True)
def _style():
    with charts.style():
        yield


def texts(figure):
    return [t.get_text() for t in figure.texts]


def marks(figure):
    """Every mark drawn, as (x, y, colour)."""
    [plot] = figure.axes
    found = []
    for line in plot.lines:
        if line.get_linestyle() == "None":
            found += [(float(x), float(y), line.get_markeredgecolor()) for x, y in line.get_xydata()]
    return found


def spans(figure):
    """Every horizontal range drawn, as (y, start, end)."""
    [plot] = figure.axes
    return [
        (float(path[0][1]), float(path[0][0]), float(path[1][0]))
        for collection in plot.collections
        for path in collection.get_segments()
    ]


def test_names_are_cut_only_where_they_have_no_room():
    short, room = figures.scales.short_labels(["crest_minimiser", "greedy"], 100)
    assert short["crest_minimiser"] == "crest_minimiser"
    assert 80 < room <= 100
    short, room = figures.scales.short_labels(["MAMMOMMAMMOMWW", "crest_minimiser of the second kind"], 100)
    assert all("…" in short[name] for name in short if len(name) > 20)
    assert len(set(short.values())) == 2


def test_dots_are_where_the_table_says(compared):
    for chart in figures.seats(compared)["panels"]:
        figure = charts.draw(chart)
        drawn = {(x, y) for x, y, _ in marks(figure)}
        assert drawn >= {(row["x"], y) for y, row in enumerate(chart["rows"])}
        assert drawn >= {(row["before"], y) for y, row in enumerate(chart["rows"]) if row["before"] is not None}
        expected = {
            (y, row[lo], row[hi])
            for y, row in enumerate(chart["rows"])
            for lo, hi in (("lo", "hi"), ("joint_lo", "joint_hi"))
        }
        assert set(spans(figure)) == expected
        assert [t for t in texts(figure) if t.endswith(("st", "nd", "rd", "th"))] == [
            row["label"] for row in chart["rows"]
        ]
        assert {row["value"] for row in chart["rows"]} <= set(texts(figure))


def test_seats_are_drawn_in_points_from_par(compared):
    for panel, chart in zip(compared["seats"]["panels"], figures.seats(compared)["panels"], strict=True):
        for row, drawn in zip(panel["rows"], chart["rows"], strict=True):
            assert drawn["x"] == pytest.approx(100 * (row["est"] - 1 / panel["players"]), abs=1e-3)
            assert drawn["joint_hi"] == pytest.approx(100 * (row["joint_hi"] - 1 / panel["players"]), abs=1e-3)


def test_everything_drawn_lies_inside_the_axes(compared, mon_report):
    for report in (compared, mon_report):
        for figure in (
            figures.seats(report),
            figures.strategies(report),
            figures.mirror(report),
            figures.items(report),
        ):
            for chart in figure["panels"]:
                low, high = chart["axis"]["lo"], chart["axis"]["hi"]
                numbers = [row[k] for row in chart["rows"] for k in ("x", "lo", "hi", "joint_lo", "joint_hi", "before")]
                assert all(low <= x <= high for x in numbers if x is not None)
                assert all(low <= limit <= high for limit in chart["zone"] or [] if limit is not None)


def test_missed_goal_is_drawn_in_its_own_colour(compared):
    chart = next(c for c in figures.seats(compared)["panels"] if any(row["tone"] == "out" for row in c["rows"]))
    figure = charts.draw(chart)
    missed = {(row["x"], y) for y, row in enumerate(chart["rows"]) if row["tone"] == "out"}
    assert {(x, y) for x, y, colour in marks(figure) if colour == svg.ROLES["out"]} == missed


def test_strip_puts_the_goal_in_one_place(compared):
    zones = set()
    for goal in compared["goals"]:
        chart = figures.strip(goal)
        low, high = chart["zone"]
        start, end = chart["axis"]["lo"], chart["axis"]["hi"]
        if low is not None:
            zones.add(("low", round((low - start) / (end - start), 3)))
        if high is not None:
            zones.add(("high", round((high - start) / (end - start), 3)))
        assert start < chart["x"] < end
    assert zones == {("low", 0.267), ("high", 0.733)}


def test_a_goal_met_by_far_stands_within_its_strip(compared):
    """At most 12.5%, and 1% found: the strip begins at 0."""
    goal = {**compared["goals"][0], "kind": "share", "verdict": "inside"}
    for est, band in ((0.01, {"lo": None, "hi": 0.125}), (0.98, {"lo": 0.5, "hi": None})):
        chart = figures.strip({**goal, "est": est, "band": {**band, "text": ""}})
        assert chart["off"] is None
        assert chart["axis"]["lo" if band["lo"] is None else "hi"] == pytest.approx(0 if band["lo"] is None else 1)


def test_value_beyond_the_strip_points_outwards(compared):
    goal = {**compared["goals"][0], "est": 0.9, "band": {"lo": 0.23, "hi": 0.27, "text": "23–27%"}, "kind": "share"}
    assert figures.strip(goal)["off"] == "right"
    assert figures.strip({**goal, "est": 0.01})["off"] == "left"
    beyond = {**goal, "lo": 0.88, "hi": 0.92, "joint_lo": 0.87, "joint_hi": 0.93}
    assert figures.strip(beyond)["lo"] is None  # an arrow stands for all of it
    assert figures.strip({**beyond, "joint_lo": 0.2})["joint_lo"] is not None
    assert figures.strip({**goal, "est": None, "lo": None, "hi": None})["x"] is None


def test_bars_are_as_long_as_the_numbers(compared):
    [figure] = compared["panels"][0]["figures"]
    for chart in figures.finish(figure)["panels"]:
        drawn = charts.draw(chart)
        bars = {round(p.get_y() + p.get_height() / 2): p.get_width() for p in drawn.axes[0].patches}
        assert bars == {i: row["value"] for i, row in enumerate(chart["rows"])}
        assert {row["text"] for row in chart["rows"]} <= set(texts(drawn))


def test_bars_of_one_figure_have_one_scale(compared):
    [figure] = compared["panels"][0]["figures"]
    assert len({(c["axis"]["lo"], c["axis"]["hi"]) for c in figures.finish(figure)["panels"]}) == 1


def test_matrix_shows_every_cell(compared):
    [chart] = figures.duels(compared)["panels"]
    cells = [cell for line in chart["cells"] for cell in line]
    drawn = charts.draw(chart)
    assert len(cells) == len(chart["rows"]) ** 2
    assert len(drawn.axes[0].patches) == sum(cell["tint"] != 0 for cell in cells)
    shown = texts(drawn)
    assert [t for t in shown if t.startswith("±")] == [cell["sub"] for cell in cells if cell["sub"]]
    panel = next(p for p in compared["duels"] if p["players"] == compared["run"]["focus"])
    sure = sum(c["joint_lo"] > panel["par"] for line in panel["grid"] for c in line if c)
    assert sum(t.get_weight() == "bold" for t in drawn.texts) == sum(cell["strong"] for cell in cells) == sure
    assert all(cell["tint"] > 0 for cell in cells if cell["strong"])


def test_matrix_of_many_strategies_shows_the_strongest(compared):
    n = 15
    cell = {"est": 0.3, "lo": 0.2, "hi": 0.4, "joint_lo": 0.2, "joint_hi": 0.4, "games": 99}
    grid = [[None if i == j else {**cell, "est": (i + 1) / 40} for j in range(n)] for i in range(n)]
    panel = {**compared["duels"][0], "grid": grid, "best": None, "ring": []}
    report = {
        **compared,
        "duels": [panel],
        "strategies": [
            {**compared["strategies"][0], "name": f"plan{{tempo=0.{i:02d},spite=0.123456}}"} for i in range(n)
        ],
    }
    figure = figures.duels(report)
    [chart] = figure["panels"]
    assert len(chart["rows"]) == len(set(chart["rows"])) == len(set(chart["columns"])) == 12
    assert chart["rows"][0].find("14") >= 0
    assert len(figure["numbers"][0]["rows"]) == n
    charts.draw(chart)


def test_curve_goes_through_the_table(compared):
    figure = figures.leader(compared, "S")
    [chart] = figure["panels"]
    drawn = charts.draw(chart)
    assert [(x, y) for x, y, _ in marks(drawn)] == [(m["x"], m["y"]) for m in chart["marks"]]
    line = max(drawn.axes[0].lines, key=lambda line: len(line.get_xdata()) * (line.get_linestyle() != "None"))
    assert list(line.get_ydata()) == chart["lines"][0]["ys"]
    focus = next(p for p in compared["unfold"] if p["players"] == 4)
    assert chart["lines"][0]["ys"][1:] == [row["est"] for row in focus["leader"]]


def test_margins_add_up_to_all_games(compared):
    [chart] = figures.margin(compared, "S")["panels"]
    ys = chart["lines"][0]["ys"]
    assert ys == sorted(ys)
    assert 0.98 <= ys[-1] <= 1.0


def test_length_fixed_by_the_rules_is_a_sentence(mon_report, compared):
    figure, sentence = figures.length(mon_report, "M")
    assert figure is None
    assert sentence == "The rules fix the length of a game: 40 turns with any number of players, never more or less."
    figure, sentence = figures.length(compared, "S")
    assert sentence == ""
    assert "97 decisions" in figure["headline"]
    drawn = charts.draw(figure["panels"][0])
    assert {"3 players", "4 players", "5 players"} <= set(texts(drawn))


def test_54_cards_stand_in_three_groups(mon_report):
    panels = figures.items(mon_report)["panels"]
    assert [p["title"] for p in panels] == ["Gold", "Silver", "Black"]
    assert [row["label"] for row in panels[0]["rows"]] == [str(v) for v in range(1, 19)]
    assert len(figures.items_table(mon_report)["rows"]) == 54


def test_long_list_without_groups_stands_in_columns(mon_report):
    items = mon_report["items"]
    rows = [{**row, "groups": {}} for row in items["rows"]]
    report = {**mon_report, "items": {**items, "rows": rows, "groups": []}}
    assert [p["title"] for p in figures.items(report)["panels"]] == ["1 to 18", "19 to 36", "37 to 54"]
    assert figures.item_groups(report) is None


def test_fifteen_items_are_one_panel_with_all_names(compared):
    [panel] = figures.items(compared)["panels"]
    assert len(panel["rows"]) == 15
    [scatter] = figures.usage(compared)["panels"]
    assert sum(bool(p["label"]) for p in scatter["points"]) >= 12
    drawn = charts.draw(scatter)
    assert len(marks(drawn)) == 15


def test_panels_choose_a_width_that_is_read_at_its_size():
    assert [figures.scales.width_of([0] * n) for n in (1, 2, 3, 5)] == ["M", "M", "S", "S"]
    for kind, width in (("S", 292), ("M", 412)):
        assert charts.WIDTHS[kind] == width


@pytest.mark.parametrize("reach", [0.03, 0.4, 3.0, 11.0, 47.0])
def test_ticks_are_round_and_apart(reach):
    scale = figures.scales.axis([-reach, reach], 200, 40, "0")
    xs = [x for x, _ in scale["ticks"]]
    pixels = 200 / (scale["hi"] - scale["lo"])
    assert 0.0 in xs
    assert all((b - a) * pixels >= 39.9 for a, b in itertools.pairwise(xs))
    assert [label for x, label in scale["ticks"] if x == 0.0] == ["0"]


def test_machine_settings_do_not_reach_the_charts(compared):
    import matplotlib as mpl

    chart = figures.seats(compared)["panels"][0]
    before = svg.save(charts.draw(chart), "a")
    mpl.rcParams["font.size"] = 30
    with charts.style():
        assert svg.save(charts.draw(chart), "a") == before
    assert mpl.rcParams["font.size"] == 30
