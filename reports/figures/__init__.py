"""From the numbers of a report to figures: what each chart shows, in which words, on which scale.

A figure is a dict: `id` · `headline` (the message) · `sub` (statistic, unit, sample) · `how` (how to read it) ·
`panels` (charts, see `reports.charts`) · `layout` ("one", "two", "three" beside each other) · `numbers` (tables).
A table is a dict: `caption` · `columns`: [label, right-aligned] · `rows`: lists of cells, a cell is a text or
{`text`, `v` (sort by), `quiet`}.

A game's own panels give figures of the same shape; their charts need `kind`, `title` and `rows` only (kind "bars":
`label`, `value`, `text`, `right`; kind "dots": `label`, `value`, `x` and ranges) and take a `room` in pixels for long
labels, bars of another unit an `own_scale`; and their tables may give columns as plain texts. They may have `grids`,
tables in the shape of a printed card: `caption` · `note` · `columns` (names) · `rows`: `label`, `sub` and `cells`, each
a `head` (what is printed) and `lines` of `label`, `text` and `tint` (-3 to 3).
"""

from reports.figures.answers import compensation, not_asked, restricted, turned, values
from reports.figures.course import course, leader, length, margin
from reports.figures.goals import key, overview, strip
from reports.figures.history import spark
from reports.figures.items import item_groups, items, items_table, played, usage
from reports.figures.meta import drift, drift_text, ladder_table, ladder_text
from reports.figures.panels import finish
from reports.figures.scales import Chart, Figure, Report, Table
from reports.figures.seats import equal_seats_text, exact_seats, mirror, seats
from reports.figures.strategies import dominance, duels, strategies

__all__ = [
    "Chart",
    "Figure",
    "Report",
    "Table",
    "compensation",
    "course",
    "dominance",
    "drift",
    "drift_text",
    "duels",
    "equal_seats_text",
    "exact_seats",
    "finish",
    "item_groups",
    "items",
    "items_table",
    "key",
    "ladder_table",
    "ladder_text",
    "leader",
    "length",
    "margin",
    "mirror",
    "not_asked",
    "overview",
    "played",
    "restricted",
    "seats",
    "spark",
    "strategies",
    "strip",
    "turned",
    "usage",
    "values",
]
