"""A game's own figures, filled in: scales, widths, layout, alternative texts."""

from reports.figures.scales import (
    RANGES,
    Chart,
    Figure,
    Row,
    axis,
    layout,
    plot_pixels,
    reach_of,
    short_labels,
    width_of,
)


def finish(figure: Row) -> Figure:
    """Fill in what a game's own figure leaves open."""
    charts = [dict(panel) for panel in figure["panels"]]
    values = [row["value"] for c in charts if c["kind"] == "bars" for row in c["rows"]]
    for chart in charts:
        chart.setdefault("width", width_of(charts))
        chart.setdefault("title", "")
        chart.setdefault("alt", f"{figure['headline']}, {chart['title']}" if chart["title"] else figure["headline"])
        if chart["kind"] == "bars":
            held = [row["value"] for row in chart["rows"]] if chart.pop("own_scale", False) else values
            _finish_bars(chart, min([*held, 0.0]), max([*held, 0.0]))
        elif chart["kind"] == "dots":
            _finish_dots(chart)
    return {
        "sub": "",
        "how": "",
        "layout": layout(charts),
        **figure,
        "panels": charts,
        "numbers": [
            {**t, "columns": [[c, i > 0] if isinstance(c, str) else list(c) for i, c in enumerate(t["columns"])]}
            for t in figure.get("numbers", [])
        ],
    }


def _finish_bars(chart: Chart, low: float, high: float) -> None:
    """All panels of the figure have one scale, unless asked for their own; bars to the left need room for numbers."""
    names, labels = short_labels([row["label"] for row in chart["rows"]], chart.get("room", 110))
    reach = high - low or 1.0
    for key in ("title_right", "subtitle", "value_head", "right_head"):
        chart.setdefault(key, "")
    chart["labels"] = max(labels, 28)
    chart["axis"] = {"lo": low - (0.25 * reach if low < 0 else 0.0), "hi": max(high, low + reach)}
    chart["rows"] = [{"right": "", **row, "label": names[row["label"]]} for row in chart["rows"]]
    chart.setdefault("desc", "; ".join(f"{row['label']} {row['text']}" for row in chart["rows"]))


def _finish_dots(chart: Chart) -> None:
    blank = {**dict.fromkeys(RANGES), "before": None, "tone": "est", "hollow": False, "strong": False}
    room = chart.get("room", 120 if chart["width"] == "M" else 100)
    names, labels = short_labels([row["label"] for row in chart["rows"]], room)
    chart["labels"] = max(labels, 28)
    chart["rows"] = [{**blank, **row, "label": names[row["label"]]} for row in chart["rows"]]
    for key, value in {"values": 52, "pitch": 26, "zone": None, "centre": 0.0}.items():
        chart.setdefault(key, value)
    if "axis" not in chart:
        pixels = plot_pixels(chart["width"], chart["labels"], chart["values"])
        chart["axis"] = axis(reach_of(chart["rows"]), pixels, 40, "0")
    chart.setdefault("desc", "; ".join(f"{row['label']} {row['value']}" for row in chart["rows"]))
