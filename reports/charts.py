"""Charts: a table of what to draw -> a matplotlib Figure. Nothing is computed here but places on the paper.

Each kind takes one dict, described in its docstring; all numbers, texts, scales and marks stand in it. Charts are
drawn at the size they are read, in pixels (72 to the inch): S where three stand side by side, M where two do.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reports.svg import ROLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTHS = {"S": 292, "M": 412}
TEXT = 12.5
ROW_TEXT = 13.0
TITLE = 14.0
BASELINE = 4.5
"""How far below its middle a line of row text stands."""

Chart = Mapping[str, Any]


@contextmanager
def style() -> Iterator[None]:
    """Set matplotlib's parameters for the charts, whatever the machine's settings, and put them back."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(
            {
                "svg.fonttype": "none",
                "svg.image_inline": True,
                "figure.dpi": 72,
                "savefig.dpi": 72,
                "savefig.transparent": True,
                "figure.facecolor": "none",
                "axes.facecolor": "none",
                "font.family": "DejaVu Sans",
                "text.parse_math": False,
                "axes.unicode_minus": True,
                "axes.xmargin": 0,
                "axes.ymargin": 0,
                "lines.solid_capstyle": "butt",
                "patch.linewidth": 0,
            }
        )
        yield


def draw(chart: Chart) -> "Figure":
    """Draw any chart by its `kind`."""
    figure = KINDS[chart["kind"]](chart)
    for axes in figure.axes:
        # Not figure.findobj(), which makes the ticks of all axes only to find them.
        for artist in (*axes.lines, *axes.patches, *axes.collections):
            artist.set_clip_on(False)
    return figure


# --- paper -----------------------------------------------------------------------------------------------------


def _paper(width: float, height: float) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / 72, height / 72), dpi=72)
    figure.patch.set_visible(False)
    return figure


def _plot(figure: "Figure", box: tuple[float, float, float, float], x: Sequence[float], y: Sequence[float]) -> "Axes":
    """Place axes by pixels (left, top, right, bottom), with these limits and nothing drawn of their own."""
    width, height = figure.get_size_inches() * 72
    left, top, right, bottom = box
    axes = figure.add_axes((left / width, 1 - bottom / height, (right - left) / width, (bottom - top) / height))
    axes.set_axis_off()
    axes.set_xlim(*x)
    axes.set_ylim(*y)
    return axes


def _write(
    figure: "Figure",
    x: float,
    y: float,
    text: str,
    *,
    role: str = "ink",
    size: float = TEXT,
    align: str = "left",
    bold: bool = False,
    turned: bool = False,
) -> None:
    """Write a line of text; (x, y) is its end or middle on the baseline, in pixels from the upper left."""
    width, height = figure.get_size_inches() * 72
    figure.text(
        x / width,
        1 - y / height,
        text,
        color=ROLES[role],
        fontsize=size,
        ha=align,
        va="baseline",
        weight="bold" if bold else "normal",
        rotation=90 if turned else 0,
        rotation_mode="anchor",
    )


def _at(axes: "Axes", x: float, y: float) -> tuple[float, float]:
    """Return the pixels, from the upper left, of a point of the data."""
    px, py = axes.transData.transform((x, y))
    return float(px), float(axes.figure.bbox.height - py)


# --- rows of dots ----------------------------------------------------------------------------------------------

ROWS_TOP = 54.0
"""Where the first row of a panel with a title begins."""


def dots(chart: Chart) -> "Figure":
    """Draw estimates as dots with their ranges, one row each.

    Parameters
    ----------
    chart : dict
        `width` "S" or "M" · `title` of the panel · `labels` width in pixels of the row labels · `values` width of the
        numbers at the right · `pitch` of the rows · `axis` {lo, hi, ticks: [[x, label]], grid} ·
        `zone` [lo, hi] of the goal, ends may be null · `margin` [lo, hi] of what does not matter (optional) ·
        `centre` (par or zero) · `rows`: `label`, `value`,
        `x`, `lo`, `hi`, `joint_lo`, `joint_hi` (null: nothing known), `before`, `tone` (role), `hollow`, `strong`.
    """
    width, pitch, rows, axis = WIDTHS[chart["width"]], chart["pitch"], chart["rows"], chart["axis"]
    top = ROWS_TOP if chart["title"] else ROWS_TOP - 24
    bottom = top + pitch * len(rows)
    figure = _paper(width, bottom + 4)
    left, right = chart["labels"] + 14, width - chart["values"] - 10
    plot = _plot(figure, (left, top, right, bottom), (axis["lo"], axis["hi"]), (len(rows) - 0.5, -0.5))
    if chart.get("margin"):
        plot.axvspan(*chart["margin"], fc=ROLES["hair"], ec="none", lw=0)
    _zone(plot, chart["zone"], axis)
    if axis["grid"]:
        for x, _ in axis["ticks"]:
            plot.axvline(x, color=ROLES["hair"], lw=0.8)
    if chart["centre"] is not None:
        plot.axvline(chart["centre"], color=ROLES["muted"], lw=1.0)
    ys = range(len(rows))
    known = [(y, r) for y, r in zip(ys, rows, strict=True) if r["x"] is not None]
    for tone in dict.fromkeys(r["tone"] for _, r in known):
        mine = [(y, r) for y, r in known if r["tone"] == tone]
        for lo, hi, lw in (("joint_lo", "joint_hi", 1.3), ("lo", "hi", 3.8)):
            spans = [(y, r[lo], r[hi]) for y, r in mine if r[lo] is not None and r[hi] is not None]
            if spans:
                at, start, end = zip(*spans, strict=True)
                plot.hlines(at, start, end, colors=ROLES[tone], lw=lw)
    past = [(y, r["before"]) for y, r in known if r["before"] is not None]
    if past:
        _marks(plot, past, "base", hollow=True, size=6.0)
    for tone, hollow in dict.fromkeys((r["tone"], r["hollow"]) for _, r in known):
        mine = [(y, r["x"]) for y, r in known if (r["tone"], r["hollow"]) == (tone, hollow)]
        _marks(plot, mine, tone, hollow=hollow, size=7.0)
    if chart["title"]:
        _write(figure, 0, 14, chart["title"], size=TITLE, bold=True)
    for x, label in axis["ticks"]:
        _write(figure, _at(plot, x, 0)[0], top - 6.2, label, role="muted", align="center")
    for y, row in zip(ys, rows, strict=True):
        base = top + pitch * (y + 0.5) + BASELINE
        _write(figure, chart["labels"], base, row["label"], size=ROW_TEXT, align="right", bold=row["strong"])
        tone = "out" if row["tone"] == "out" else "ink"
        _write(figure, width, base, row["value"], role=tone, size=ROW_TEXT, align="right", bold=row["tone"] == "out")
    return figure


def _zone(plot: "Axes", zone: Sequence[float | None] | None, axis: Mapping[str, float]) -> None:
    """Shade the goal, with a line at each of its limits."""
    if zone is None:
        return
    low, high = (end if z is None else z for z, end in zip(zone, (axis["lo"], axis["hi"]), strict=True))
    plot.axvspan(low, high, fc=ROLES["goal"], ec="none", lw=0)
    for limit in zone:
        if limit is not None:
            plot.axvline(limit, color=ROLES["edge"], lw=1.0)


def _marks(
    plot: "Axes", points: Sequence[tuple[float, float]], role: str, *, hollow: bool, size: float, shape: str = "o"
) -> None:
    """Put a mark at each (y, x)."""
    ys, xs = zip(*points, strict=True)
    face = ROLES["paper"] if hollow else ROLES[role]
    plot.plot(xs, ys, ls="", marker=shape, ms=size, mfc=face, mec=ROLES[role], mew=1.4 if hollow else 0.0)


# --- goals -----------------------------------------------------------------------------------------------------

STRIP = (176.0, 26.0)


def strip(chart: Chart) -> "Figure":
    """Draw a result against its goal, the goal always in the same place.

    Parameters
    ----------
    chart : dict
        `axis` {lo, hi} · `zone` · `par` · `before` · `x`, `lo`, `hi`, `joint_lo`, `joint_hi` within the axis ·
        `tone` · `off` ("left", "right" or null: the value lies beyond the strip).
    """
    axis = chart["axis"]
    figure = _paper(*STRIP)
    plot = _plot(figure, (0, 0, *STRIP), (axis["lo"], axis["hi"]), (26, 0))
    low, high = (end if z is None else z for z, end in zip(chart["zone"], (axis["lo"], axis["hi"]), strict=True))
    plot.fill([low, high, high, low], [23, 23, 3, 3], fc=ROLES["goal"], ec="none", lw=0)
    for limit in chart["zone"]:
        if limit is not None:
            plot.plot([limit, limit], [23, 3], color=ROLES["edge"], lw=1.2)
    plot.plot([axis["lo"], axis["hi"]], [13, 13], color=ROLES["hair"], lw=0.8)
    if chart["par"] is not None:
        plot.plot([chart["par"]] * 2, [18, 8], color=ROLES["muted"], lw=1.0)
    if chart["before"] is not None:
        _marks(plot, [(13, chart["before"])], "base", hollow=True, size=6.0)
    if chart["x"] is not None:
        tone = chart["tone"]
        for lo, hi, lw in (("joint_lo", "joint_hi", 1.4), ("lo", "hi", 5.0)):
            if chart[lo] is not None:
                plot.plot([chart[lo], chart[hi]], [13, 13], color=ROLES[tone], lw=lw)
        shape = {"left": "<", "right": ">"}.get(chart["off"] or "", "o")
        _marks(plot, [(13, chart["x"])], tone, hollow=False, size=9.0 if chart["off"] else 7.0, shape=shape)
    return figure


def key(chart: Chart) -> "Figure":
    """Draw the key to the marks; takes `before` (whether hollow dots occur)."""
    figure = _paper(WIDTHS["M"], 84)
    plot = _plot(figure, (0, 0, WIDTHS["M"], 84), (0, WIDTHS["M"]), (84, 0))
    plot.fill([2, 178, 178, 2], [24, 24, 56, 56], fc=ROLES["goal"], ec="none", lw=0)
    for x in (2, 178):
        plot.plot([x, x], [24, 56], color=ROLES["edge"], lw=1.2)
    plot.plot([90, 90], [24, 56], color=ROLES["muted"], lw=1.0)
    plot.plot([160, 262], [40, 40], color=ROLES["est"], lw=1.3)
    plot.plot([181, 241], [40, 40], color=ROLES["est"], lw=4.5)
    _marks(plot, [(40, 211)], "est", hollow=False, size=6.5)
    plot.plot([211, 211], [21, 34], color=ROLES["muted"], lw=0.8)
    words = [(2, 17, "your goal", "left"), (90, 17, "par", "center"), (211, 17, "estimate", "center")]
    words += [(181, 74, "thick: range of this row", "left"), (270, 44, "thin: all rows together", "left")]
    if chart["before"]:
        _marks(plot, [(40, 130)], "base", hollow=True, size=6.5)
        words.append((130, 74, "before", "center"))
    for x, y, text, align in words:
        _write(figure, x, y, text, role="muted", align=align)
    return figure


SPARK = (150.0, 40.0)


def spark(chart: Chart) -> "Figure":
    """Draw the history of a goal, oldest left, with a mark on the newest value.

    Parameters
    ----------
    chart : dict
        `axis` {lo, hi} · `zone` · `ys` · `tone` and `hollow` of the newest.
    """
    axis, ys = chart["axis"], chart["ys"]
    figure = _paper(*SPARK)
    left, right = 0.0, float(max(len(ys) - 1, 1))
    plot = _plot(figure, (4, 4, SPARK[0] - 4, SPARK[1] - 4), (left, right), (axis["lo"], axis["hi"]))
    low, high = (end if z is None else z for z, end in zip(chart["zone"], (axis["lo"], axis["hi"]), strict=True))
    plot.fill([left, right, right, left], [low, low, high, high], fc=ROLES["goal"], ec="none", lw=0)
    for limit in chart["zone"]:
        if limit is not None:
            plot.plot([left, right], [limit, limit], color=ROLES["edge"], lw=0.8)
    if len(ys) > 1:
        plot.plot(range(len(ys)), ys, color=ROLES["est"], lw=1.5)
    _marks(plot, [(ys[-1], right)], chart["tone"], hollow=chart["hollow"], size=7.0)
    return figure


# --- match-ups -------------------------------------------------------------------------------------------------


def matrix(chart: Chart) -> "Figure":
    """Draw a table of numbers on tints: blue above, brown below.

    Parameters
    ----------
    chart : dict
        `labels` width of the row labels · `pitch` width of a cell · `head` over the columns · `turned` (whether the
        column names stand upright, then `turned_height`) · `rows` and `columns`, names · `cells`: per row and column
        null or `text`, `sub`, `tint` (-1..1, the strength), `strong`; a cell with `text` only is not tinted.
    """
    width, columns, rows = WIDTHS["M"], chart["columns"], chart["rows"]
    top = 50.0 + (chart["turned_height"] if chart["turned"] else 0.0)
    left = chart["labels"] + 10
    pitch = chart["pitch"]
    figure = _paper(width, top + 40 * len(rows) + 4)
    plot = _plot(
        figure, (left, top, left + pitch * len(columns), top + 40 * len(rows)), (0, len(columns)), (len(rows), 0)
    )
    middle = left + pitch * len(columns) / 2
    _write(figure, middle, 14, chart["head"], role="muted", align="center")
    for j, name in enumerate(columns):
        x = left + pitch * (j + 0.5)
        if chart["turned"]:
            _write(figure, x + BASELINE, top - 8, name, size=12.5, turned=True)
        else:
            _write(figure, x, top - 10, name, size=12.5, align="center")
    for i, name in enumerate(rows):
        _write(figure, chart["labels"], top + 40 * (i + 0.5) + BASELINE, name, size=12.5, align="right")
        for j in range(len(columns)):
            cell = chart["cells"][i][j]
            if cell is None:
                continue
            x, y = left + pitch * (j + 0.5), top + 40 * i
            if cell["tint"]:
                role = "est" if cell["tint"] > 0 else "minus"
                gap = 1.0 / pitch
                plot.fill(
                    [j + gap, j + 1 - gap, j + 1 - gap, j + gap],
                    [i + 0.025, i + 0.025, i + 0.975, i + 0.975],
                    fc=ROLES[role],
                    ec="none",
                    lw=0,
                    alpha=abs(cell["tint"]),
                )
            lone = not cell["sub"]
            _write(
                figure,
                x,
                y + (24.5 if lone else 18),
                cell["text"],
                role="muted" if lone else "ink",
                size=12.5 if lone else 13.0,
                align="center",
                bold=cell["strong"],
            )
            if not lone:
                _write(figure, x, y + 33, cell["sub"], size=12.5, align="center")
    return figure


# --- curves ----------------------------------------------------------------------------------------------------


def curve(chart: Chart) -> "Figure":
    """Draw lines over two axes: a histogram's outline, a rising share, a curve through estimates.

    Parameters
    ----------
    chart : dict
        `width` · `x`, `y`: {lo, hi, ticks: [[at, label]]} · `x_label`, `y_label` · `lines`: `xs`, `ys`, `tone`, `steps`
        (draw as steps), `faint` (optional)
        · `spans`: `x`, `lo`, `hi` (ranges) · `zone`: null or {`x`, `lo`, `hi`, `half`} (goal at one x)
        · `level`: null or {`y`, `label`} · `marks`: `x`, `y`, `tone` · `texts`: `x`, `y`, `text`, `tone`, `align`,
        `strong`, `dx`, `dy` (pixels from the point).
    """
    width, height = WIDTHS[chart["width"]], 230.0
    figure = _paper(width, height)
    x, y = chart["x"], chart["y"]
    plot = _plot(figure, (38, 26, width - 6, 188), (x["lo"], x["hi"]), (y["lo"], y["hi"]))
    _write(figure, 0, 12, chart["y_label"], role="muted", size=12.5)
    _write(figure, width, 226, chart["x_label"], role="muted", size=12.5, align="right")
    for at, label in y["ticks"]:
        plot.axhline(at, color=ROLES["hair"], lw=0.8)
        _write(figure, 34, _at(plot, x["lo"], at)[1] + 4, label, role="muted", size=12.5, align="right")
    for at, label in x["ticks"]:
        _write(figure, _at(plot, at, y["lo"])[0], 204, label, role="muted", size=12.5, align="center")
    if chart["zone"]:
        zone = chart["zone"]
        a, b = zone["x"] - zone["half"], zone["x"] + zone["half"]
        low, high = (y["lo"] if zone["lo"] is None else zone["lo"]), (y["hi"] if zone["hi"] is None else zone["hi"])
        plot.fill([a, b, b, a], [low, low, high, high], fc=ROLES["goal"], ec="none", lw=0)
        for limit in (zone["lo"], zone["hi"]):
            if limit is not None:
                plot.plot([a, b], [limit, limit], color=ROLES["edge"], lw=1.2)
    if chart["level"]:
        plot.axhline(chart["level"]["y"], color=ROLES["muted"], lw=1.2)
        at = _at(plot, x["hi"], chart["level"]["y"])
        _write(figure, at[0], at[1] - 5, chart["level"]["label"], role="muted", size=12.5, align="right")
    plot.axhline(y["lo"], color=ROLES["muted"], lw=1.0)
    for line in chart["lines"]:
        drawstyle = "steps-post" if line["steps"] else "default"
        weight, alpha = (0.7, 0.35) if line.get("faint") else (1.8 if line["tone"] == "est" else 1.2, 1.0)
        plot.plot(line["xs"], line["ys"], color=ROLES[line["tone"]], lw=weight, alpha=alpha, drawstyle=drawstyle)
    for span in chart["spans"]:
        plot.plot([span["x"]] * 2, [span["lo"], span["hi"]], color=ROLES["est"], lw=3.8)
    for tone in dict.fromkeys(mark["tone"] for mark in chart["marks"]):
        _marks(plot, [(m["y"], m["x"]) for m in chart["marks"] if m["tone"] == tone], tone, hollow=False, size=6.5)
    for text in chart["texts"]:
        px, py = _at(plot, text["x"], text["y"])
        _write(
            figure, px + text["dx"], py + text["dy"], text["text"], role=text["tone"], size=12.5,
            align=text["align"], bold=text["strong"],
        )  # fmt: skip
    return figure


# --- amounts ---------------------------------------------------------------------------------------------------


def bars(chart: Chart) -> "Figure":
    """Draw amounts with a real zero: blue above, brown below.

    Parameters
    ----------
    chart : dict
        `title`, `title_right`, `subtitle` · `labels` width · `axis` {lo, hi} · `value_head`, `right_head` · `rows`:
        `label`, `value`, `text` (at the bar's end), `right` (at the right edge).
    """
    width, rows, axis = WIDTHS[chart["width"]], chart["rows"], chart["axis"]
    top = 70.0 if chart["subtitle"] else 54.0
    figure = _paper(width, top + 29 * len(rows) + 4)
    left, right = chart["labels"] + 14, width - (96 if chart["right_head"] else 44)
    plot = _plot(figure, (left, top, right, top + 29 * len(rows)), (axis["lo"], axis["hi"]), (len(rows) - 0.5, -0.5))
    for role, sign in (("est", 1), ("minus", -1)):
        mine = [(i, row["value"]) for i, row in enumerate(rows) if sign * row["value"] > 0]
        if mine:
            at, values = zip(*mine, strict=True)
            plot.barh(at, values, height=0.42, color=ROLES[role], lw=0)
    plot.axvline(0, color=ROLES["muted"], lw=1.0)
    _write(figure, 0, 14, chart["title"], size=TITLE, bold=True)
    if chart["title_right"]:
        _write(figure, width, 14, chart["title_right"], size=ROW_TEXT, bold=True, align="right")
    if chart["subtitle"]:
        _write(figure, 0, 32, chart["subtitle"], role="muted", size=12.5)
    _write(figure, _at(plot, 0, 0)[0], top - 8, chart["value_head"], role="muted", size=12.5)
    if chart["right_head"]:
        _write(figure, width, top - 8, chart["right_head"], role="muted", size=12.5, align="right")
    for i, row in enumerate(rows):
        base = top + 29 * (i + 0.5) + BASELINE
        _write(figure, chart["labels"], base, row["label"], size=ROW_TEXT, align="right")
        end = _at(plot, row["value"], i)[0]
        below = row["value"] < 0
        _write(figure, end + (-4 if below else 4), base, row["text"], size=12.5, align="right" if below else "left")
        if row["right"]:
            _write(figure, width, base, row["right"], size=ROW_TEXT, align="right")
    return figure


def scatter(chart: Chart) -> "Figure":
    """Draw points on two axes, the remarkable ones named.

    Parameters
    ----------
    chart : dict
        `height` · `x`, `y`: {lo, hi, ticks} · `x_label`, `y_label` · `level` (y of a line) · `points`: `x`, `y`,
        `label` ("" unnamed), `align`, `dy`, `tone`, `hollow`.
    """
    width, height = WIDTHS["M"], chart["height"]
    figure = _paper(width, height)
    x, y = chart["x"], chart["y"]
    plot = _plot(figure, (38, 40, width - 4, height - 52), (x["lo"], x["hi"]), (y["lo"], y["hi"]))
    _write(figure, 0, 14, chart["y_label"], role="muted")
    _write(figure, width, height - 10, chart["x_label"], role="muted", align="right")
    for at, label in y["ticks"]:
        _write(figure, 30, _at(plot, x["lo"], at)[1] + BASELINE, label, role="muted", align="right")
    for at, label in x["ticks"]:
        _write(figure, _at(plot, at, y["lo"])[0], height - 32, label, role="muted", align="center")
    plot.axhline(chart["level"], color=ROLES["muted"], lw=1.0)
    for tone, hollow in dict.fromkeys((p["tone"], p["hollow"]) for p in chart["points"]):
        mine = [(p["y"], p["x"]) for p in chart["points"] if (p["tone"], p["hollow"]) == (tone, hollow)]
        _marks(plot, mine, tone, hollow=hollow, size=7.0)
    for point in chart["points"]:
        if point["label"]:
            px, py = _at(plot, point["x"], point["y"])
            side = 8 if point["align"] == "left" else -8
            tone = "out" if point["tone"] == "out" else "ink"
            _write(figure, px + side, py + BASELINE + point["dy"], point["label"], role=tone, align=point["align"])
    return figure


KINDS = {
    "dots": dots,
    "strip": strip,
    "key": key,
    "spark": spark,
    "matrix": matrix,
    "curve": curve,
    "bars": bars,
    "scatter": scatter,
}
