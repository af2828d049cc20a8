"""One goal's estimate that narrows while a run goes on."""

from pathlib import Path

import numpy as np

from reports import stats, words
from reports.blocks import Cell, Integers, sums_of
from reports.games import facts_of
from reports.goals import DEFAULT_GOAL, Found, Sample, measured, options_of
from sim.config import Config
from sim.engine.plan import Plan


class Estimate:
    """Words for the first goal's estimate, from the block sums written so far.

    Parameters
    ----------
    config : Config
        With the goals; without any, the first player's share is followed.
    plan : Plan
        What is played.
    """

    def __init__(self, config: Config, plan: Plan) -> None:
        # Goals about items need the wide columns of a chunk, which are not worth reading over and over.
        goals = [g for g in config.goals.values() if not g.measure.startswith("item_")]
        self._goal = goals[0] if goals else DEFAULT_GOAL
        asked = [n for n in self._goal.players or plan.players if n in plan.players]
        self._players = (asked or list(plan.players))[0]
        mixed = [c.lineup for c in plan.cells if c.lineup.players == self._players]
        self._lineup = next((line.id for line in mixed if line.kind == "field"), mixed[0].id)
        self._facts = facts_of(config.game, config.rules())
        self._strategies = [entry.label for entry in plan.entries]
        self._sums: dict[str, Integers] = {}
        self._text = ""

    def __call__(self, file: Path) -> str:
        """Add the sums of a file and say what is known now; files of other player counts change nothing."""
        if file.parent.name != f"players={self._players}":
            return self._text
        sums = sums_of(file, self._lineup)
        if not sums:
            return self._text
        self._sums = {k: np.concatenate([self._sums[k], v]) if self._sums else v for k, v in sums.items()}
        cell = Cell(self._players, self._lineup, "field", "", None, self._players, {}, self._sums)
        found = measured("live", Sample([cell], self._goal, self._facts, self._strategies))
        if found:
            self._text = self._words(found)
        return self._text

    def _words(self, found: Found) -> str:
        """Write the estimate with half the width of its range."""
        pick, _, low, high = found.judge(stats.LEVEL)
        value, half = found.estimates.value[pick], 0.5 * (high - low)
        if not np.isfinite(value) or not np.isfinite(half):
            return ""
        scale, unit = (1.0, "") if found.measure.kind == "mean" else (100.0, "%")
        digits = stats.decimals(scale * half)
        label = words.goal_label(found.goal.title, found.goal.measure, found.players, options_of(found, self._facts))
        who = f" {found.names[pick]}" if found.names[pick] else ""
        return f"{label}:{who} {words.number(scale * value, digits)}{unit} ± {words.number(scale * half, digits)}"
