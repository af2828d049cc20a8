"""Emblems: what each Location pays, rank by rank, in the shape of its card; and what one coin more would do."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from reports import stats, words
from reports.blocks import Cell
from reports.facts import Panel
from reports.figures.scales import digits
from reports.goals import MEASURES
from reports.measures import Counts
from reports.schema import Sense, SenseEffect, SenseGoal

LOCATIONS = ("castle", "village", "port")
PRINTED = {"half": "½", "per_card": "1 a card", "steal_each": "steal 1"}
"""Rewards that are no number, as short as a cell is."""

TINTS = (0.1, 0.35, 0.7)
"""Parts of the largest effect from which a cell is tinted, and more, and most."""

Row = dict[str, Any]


def locations(counts: Counts) -> list[Row]:
    """Show what the Locations pay, how often each rank is taken, and what one coin more or less would do."""
    tables = [_data(counts, n) for n in counts.players if counts.has(n, "slot_taken") and counts.has(n, "slot_coins")]
    return [_paid(tables, counts), _steps(tables, counts)] if tables else []


# --- data ------------------------------------------------------------------------------------------------------


def _data(counts: Counts, players: int) -> Row:
    """Sum up the Locations at one player count: per rank what it paid and how often, per card placed the coins."""
    name, rounds = counts.rules["set"], int(counts.rules["rounds"])

    def by_place(cell: Cell, counter: str) -> np.ndarray:
        sums: np.ndarray = cell[f"counter_{counter}"].reshape(len(cell["games"]), len(LOCATIONS), -1).sum(axis=2)
        return sums

    def placed(cell: Cell) -> np.ndarray:
        return np.stack([cell[f"use_games_{place}"].sum(axis=1) for place in LOCATIONS], axis=1)

    def rows(top: Any, bottom: Any, kind: stats.Kind = "mean") -> list[Row]:
        return counts.ranges(players, counts.estimate(players, top, bottom), kind)

    per_card = rows(lambda c: by_place(c, "slot_coins"), placed)
    per_reward = rows(lambda c: by_place(c, "slot_coins"), lambda c: by_place(c, "slot_taken"))
    part = rows(placed, lambda c: placed(c).sum(axis=1), "rate")
    paid = counts.ranges(players, counts.ratio(players, "slot_coins", "slot_taken"), "mean")
    taken = rows(lambda c: c["counter_slot_taken"], lambda c: c["games"] * rounds, "rate")
    most = len(taken) // len(LOCATIONS)
    places = []
    for i, place in enumerate(LOCATIONS):
        printed = counts.rules["sets"][name][place][_side(players)]
        places.append(
            {
                "key": place,
                "name": place.capitalize(),
                "per_card": per_card[i],
                "per_reward": per_reward[i],
                "part": part[i],
                "ranks": [
                    {"rank": k, "printed": reward, "paid": paid[i * most + k], "taken": taken[i * most + k]}
                    for k, reward in enumerate(printed)
                ],
            }
        )
    return {"players": players, "set": words.plain(name), "places": places}


def _side(players: int) -> str:
    """Name the side of the Location cards that is up."""
    return "5" if players == 5 else "3-4"


def _printed(reward: Any) -> str:
    return PRINTED[reward] if isinstance(reward, str) else words.number(reward, 0)


# --- what was paid ---------------------------------------------------------------------------------------------


def _paid(tables: Sequence[Row], counts: Counts) -> Row:
    focus = tables[len(tables) // 2]
    several = len(tables) > 1
    where = f", {words.plural(focus['players'], 'player')}" if several else ""
    debt = counts.rules["rulings"]["debt"]
    return {
        "id": "locations",
        "headline": _headline(focus, several),
        "sub": f"Coins that a reward paid on average, set {focus['set']}{where} · right: share of rounds in which it "
        "is taken",
        "how": "Blue: coins gained. Brown: coins lost. Paid and printed differ where the Sailor doubles a reward at "
        f"the Port{'' if debt else ', and where somebody cannot pay a loss in full'}.",
        "panels": [_bars(place) for place in focus["places"]],
        "numbers": [_places_table(tables), _ranks_table(tables)],
    }


def _headline(table: Row, several: bool) -> str:
    """Say which Location pays best for a card placed there, and which rank costs."""
    first, second, *_ = sorted(table["places"], key=lambda place: -place["per_card"]["est"])
    sure = first["per_card"]["joint_lo"] > second["per_card"]["joint_hi"]
    where = f" {words.with_players(table['players'])}" if several else ""
    coins = words.number(first["per_card"]["est"], 2)
    best = (
        f"The {first['name']} pays best for a card placed there{where}: {coins} coins"
        if sure
        else f"No Location surely pays best for a card placed there{where}"
    )
    place, worst = min(
        ((p["name"], r) for p in table["places"] for r in p["ranks"] if np.isfinite(r["paid"]["est"])),
        key=lambda found: found[1]["paid"]["est"],
    )
    if worst["paid"]["joint_hi"] < 0:
        taken = words.percent(worst["taken"]["est"], 0)
        best += f"; the {place}’s {words.ordinal(worst['rank'] + 1)} rank costs, and is taken {taken} of the time"
    return best


def _bars(place: Row) -> Row:
    return {
        "kind": "bars",
        "title": place["name"],
        "title_right": f"{words.number(place['per_card']['est'], 2)} coins a card",
        "subtitle": f"{words.percent(place['part']['est'], 0)} of all cards are placed here",
        "value_head": "coins paid",
        "right_head": "taken",
        "rows": [
            {
                "label": words.ordinal(rank["rank"] + 1),
                "value": rank["paid"]["est"],
                "text": words.number(rank["paid"]["est"], 1),
                "right": words.percent(rank["taken"]["est"], 0),
            }
            for rank in place["ranks"]
            if np.isfinite(rank["paid"]["est"])
        ],
    }


def _places_table(tables: Sequence[Row]) -> Row:
    places = digits(
        [place[key] for t in tables for place in t["places"] for key in ("per_card", "per_reward")], 1.0, "lo", "hi"
    )
    parts = digits([place["part"] for t in tables for place in t["places"]], 100.0, "lo", "hi")
    return {
        "caption": "Coins by Location, with 95% ranges",
        "columns": [
            "Location",
            "Coins a card placed",
            "Range",
            "Coins a card rewarded",
            "Range",
            "Of all cards",
            "Range",
        ],
        "rows": [
            [
                f"{place['name']}, {words.plural(t['players'], 'player')}",
                *_with_range(place["per_card"], places),
                *_with_range(place["per_reward"], places),
                *_percent_with_range(place["part"], parts),
            ]
            for t in tables
            for place in t["places"]
        ],
    }


def _ranks_table(tables: Sequence[Row]) -> Row:
    ranks = [rank for t in tables for place in t["places"] for rank in place["ranks"]]
    places = digits((rank["paid"] for rank in ranks), 1.0, "lo", "hi")
    parts = digits((rank["taken"] for rank in ranks), 100.0, "lo", "hi")
    return {
        "caption": f"Rewards of set {tables[0]['set']} by Location and rank, with 95% ranges",
        "columns": ["Rank", "Printed", "Paid", "Range", "Taken", "Range"],
        "rows": [
            [
                f"{place['name']}, {words.ordinal(rank['rank'] + 1)}, {words.plural(t['players'], 'player')}",
                _printed(rank["printed"]),
                *_with_range(rank["paid"], places),
                *_percent_with_range(rank["taken"], parts),
            ]
            for t in tables
            for place in t["places"]
            for rank in place["ranks"]
        ],
    }


def _with_range(row: Row, places: int) -> list[str]:
    return [words.number(row["est"], places), words.span(row["lo"], row["hi"], places)]


def _percent_with_range(row: Row, places: int) -> list[str]:
    return [words.percent(row["est"], places), words.span(100 * row["lo"], 100 * row["hi"], places)]


# --- what one coin would do ------------------------------------------------------------------------------------


def _steps(tables: Sequence[Row], counts: Counts) -> Row:
    """Lay out the rewards as the cards do, and under each what one coin less or more would do, if that was asked."""
    sense = counts.sense
    goals = _drawn_goals(sense, [t["players"] for t in tables])
    effects = dict(_effects(sense, tables[0]["set"])) if sense else {}
    shown = [e for (goal, *_), e in effects.items() if goal in {g.id for g in goals.values()}]
    largest = max((abs(e.est) for e in shown), default=0.0)
    figure: Row = {
        "id": "steps",
        "headline": _least_taken(tables),
        "sub": f"Rewards of set {tables[0]['set']}: as printed, coins paid on average, share of rounds in which it is "
        "taken",
        "how": "Each cell is a reward as printed on the card.",
        "panels": [],
        "grids": [_grid(table, goals.get(table["players"]), effects, largest, counts) for table in tables],
        "numbers": [],
    }
    if not goals or not shown or sense is None:
        figure["how"] += " What one coin more or less would do is not asked yet: hakari sense emblems."
        return figure
    goal = next(iter(goals.values()))
    title = words.plain(goal.label.rpartition(", ")[0] or goal.label)
    unit = " in points" if _scale(goal, counts) == 100.0 else ""
    return {
        **figure,
        "headline": _steps_headline(title, effects, goals),
        "sub": f"{figure['sub']}; then the change of “{title}”{unit} if it were one coin less or more",
        "how": f"{figure['how']} Blue raises the goal’s value, brown lowers it; no tint: less than a tenth of the "
        "largest effect, or too close to call.",
        "numbers": [_steps_table(sense, counts)],
    }


def _least_taken(tables: Sequence[Row]) -> str:
    table, place, rank = min(
        ((t, place, rank) for t in tables for place in t["places"] for rank in place["ranks"]),
        key=lambda found: found[2]["taken"]["est"],
    )
    where = f" {words.with_players(table['players'])}" if len(tables) > 1 else ""
    return (
        f"The reward taken least is the {place['name']}’s {words.ordinal(rank['rank'] + 1)}{where}: in "
        f"{words.percent(rank['taken']['est'], 0)} of the rounds"
    )


def _drawn_goals(sense: Sense | None, players: Sequence[int]) -> dict[int, SenseGoal]:
    """Choose the goal that the cards show: the first one asked about, at every player count."""
    if sense is None or not sense.goals:
        return {}
    first = sense.goals[0].goal
    return {n: g for n in players for g in sense.goals if g.goal == first and g.players == n}


def _effects(sense: Sense, set_name: str) -> Iterator[tuple[tuple[str, str, str, int, int], SenseEffect]]:
    """Yield the effects on this set's rewards by goal, Location, side, rank and direction."""
    for step in sense.steps:
        keys = [str(key).strip("[]") for key in step.path]
        if len(keys) < 4 or keys[-4] != set_name or keys[-3] not in LOCATIONS or not keys[-1].isdecimal():
            continue
        for effect in step.effects:
            yield (effect.goal, keys[-3], keys[-2], int(keys[-1]), 1 if step.step > 0 else -1), effect


def _grid(
    table: Row, goal: SenseGoal | None, effects: Mapping[Any, SenseEffect], largest: float, counts: Counts
) -> Row:
    players = table["players"]
    most = max(len(place["ranks"]) for place in table["places"])

    def lines(place: Row, rank: Row) -> list[Row]:
        found = [
            {"label": "pays", "text": words.number(rank["paid"]["est"], 2), "tint": 0},
            {"label": "taken", "text": words.percent(rank["taken"]["est"], 0), "tint": 0},
        ]
        for step in (-1, 1):
            effect = effects.get((goal.id, place["key"], _side(players), rank["rank"], step)) if goal else None
            if effect is not None and not isinstance(rank["printed"], str):
                text = words.number(_scale(goal, counts) * effect.est, 2, signed=True)
                label = f"if {words.number(rank['printed'] + step, 0)}"
                found.append({"label": label, "text": text, "tint": _tint(effect, largest)})
        return found

    return {
        "caption": words.plural(players, "player"),
        "note": f"set {table['set']}",
        "columns": [words.ordinal(k + 1) for k in range(most)],
        "rows": [
            {
                "label": place["name"],
                "sub": f"{words.number(place['per_card']['est'], 2)} a card",
                "cells": [{"head": _printed(rank["printed"]), "lines": lines(place, rank)} for rank in place["ranks"]],
            }
            for place in table["places"]
        ],
    }


def _scale(goal: SenseGoal | None, counts: Counts) -> float:
    """Return what to print a goal's changes in: points, unless it is a mean such as rounds."""
    asked = counts.rules.get("goals", {}).get(goal.goal, {}) if goal else {}
    return 1.0 if asked and MEASURES[asked["measure"]].kind == "mean" else 100.0


def _tint(effect: SenseEffect, largest: float) -> int:
    """Grade an effect from -3 to 3; 0 where its sign is not sure."""
    if effect.joint_lo <= 0.0 <= effect.joint_hi:
        return 0
    grade = sum(abs(effect.est) >= part * largest for part in TINTS)
    return grade if effect.est > 0 else -grade


def _steps_headline(title: str, effects: Mapping[Any, SenseEffect], goals: Mapping[int, SenseGoal]) -> str:
    """Name the reward that moves the goal most."""
    ids = {g.id: n for n, g in goals.items()}
    sure = {key: e for key, e in effects.items() if key[0] in ids and not e.joint_lo <= 0.0 <= e.joint_hi}
    if not sure:
        return f"No single coin surely moves “{title}”"
    goal, place, _, rank, _ = max(sure, key=lambda key: abs(sure[key].est))
    where = f" {words.with_players(ids[goal])}" if len(ids) > 1 else ""
    return f"The {place.capitalize()}’s {words.ordinal(rank + 1)} rank moves “{title}” most{where}"


def _steps_table(sense: Sense, counts: Counts) -> Row:
    """Tabulate all steps and goals that were asked about."""
    labels = {goal.id: goal for goal in sense.goals}
    rows = []
    for step in sense.steps:
        for effect in step.effects:
            goal = labels.get(effect.goal)
            scale = _scale(goal, counts)
            half = scale * (effect.joint_hi - effect.joint_lo) / 2
            places = stats.decimals(half)
            span = words.span(scale * effect.joint_lo, scale * effect.joint_hi, places, signed=True)
            label = words.plain(goal.label if goal else effect.goal)
            rows.append([words.plain(step.label), label, words.number(scale * effect.est, places, signed=True), span])
    return {
        "caption": "Change of each goal by one step, points or units of the goal, with joint ranges",
        "columns": [["Step", False], ["Goal", False], ["Change", True], ["Joint range", True]],
        "rows": rows,
    }


PANELS = (Panel("locations", "Locations", locations),)
