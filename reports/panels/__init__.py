"""The sections of the page that a game adds after its items, each game in a file of its own name.

A game adds a section by writing `reports/panels/<game>.py` with ``PANELS``, a tuple of `reports.facts.Panel`; no other
file changes, and a game without such a file has no section of its own. A panel's builder takes the `Counts` of a run
and returns figures: plain dicts, lists, texts and numbers, which go into `report.json` as they are. It has four parts,
each a function of its own:

* *data*: chunk sums → rows. `Counts.per_game` and `Counts.ratio` estimate the game's counters (declared in its
  `spec.py`), `Counts.estimate` any other ratio of sums, and `Counts.ranges` writes estimates as rows with their ranges;
  no number goes onto the page without one. A run that did not count something (`Counts.has`) gives no figure.
* *drawing*: rows → `panels`, the charts; their kinds are described in `reports.charts`. "bars" and "dots" need only
  `kind`, `title` and `rows`. Or `grids`, tables in the shape of a printed card (see `reports.figures`).
* *table*: rows → `numbers`, tables with every number that the drawing shows: `caption`, `columns`, `rows`.
* *headline*: rows → one sentence that says what a designer should know first, with its size.
"""

from importlib import import_module
from importlib.util import find_spec

from reports.facts import Panel
from reports.panels import common


def of(game: str) -> tuple[Panel, ...]:
    """Return the panels of a game: its own, then those of every game."""
    name = f"{__name__}.{game}"
    own: tuple[Panel, ...] = import_module(name).PANELS if find_spec(name) else ()
    return (*own, *common.PANELS)
