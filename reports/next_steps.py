"""Look here next: at most five things worth a designer's minute, size first, then why, then a game to replay."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from reports import stats, words
from reports.blocks import Integers, Run
from reports.facts import GameFacts
from reports.goals import also, margin_about, worst_of_each
from sim.games.interface import MASK_BITS

MOST = 5
WORTH_A_LOOK = 0.02
"""A difference of shares below this is not offered unless a goal asks for it."""

FOR_TRACE = ("--set", "--draws", "--strategy")
"""Options of a run that a trace of its games needs as well."""

Row = dict[str, Any]
Games = Mapping[str, Integers]
Wanted = Callable[[Games], np.ndarray]
Place = tuple[int, int, int]
"""Players, deal and rotation of a game of the mixed table."""


@dataclass(frozen=True)
class Lead:
    """Something worth a look.

    Attributes
    ----------
    head, text, label : str
        The effect, why it is worth a look, and what the command shows.
    players : int
        Where to look for a game.
    wanted : callable
        Picks the games that show it.
    command : str
        What to run instead of a trace of a game.
    """

    head: str
    text: str
    label: str
    players: int = 0
    wanted: Wanted | None = None
    command: str = ""


def look_here_next(report: Mapping[str, Any], run: Run, facts: GameFacts) -> list[Row]:
    """Choose what to look at: goals missed or on the edge first, then the largest effects that no goal covers."""
    chosen: list[tuple[float, Lead]] = []
    covered: set[tuple[str, int]] = set()
    wanting = [g for g in report["goals"] if g["verdict"] != "inside" and not g["default"] and np.isfinite(g["est"])]
    covered |= {(g["section"], g["players"]) for g in wanting}
    told: set[tuple[str, int, str]] = set()
    for goal in worst_of_each(wanting):
        about = (goal["section"], goal["players"], goal["subject"] or _whom(goal))
        if about not in told:  # two goals may be about one seat
            told.add(about)
            chosen.append((0.0, _goal(goal, report, run, facts)))
    found = [
        *_seats(report, covered, run, facts),
        *_strategies(report, covered, run),
        *_items(report, covered, run, facts),
    ]
    causes = _causes(report, run, facts)
    found += [*_changes(report, run), *causes]
    found.sort(key=lambda pair: -pair[0])
    # However many goals are missed, one place is for what no goal asks about; a cause goes before what is only seen.
    chosen = chosen[: MOST - bool(found)]
    found = found[: MOST - len(chosen)]
    if causes and not any(pair in found for pair in causes):
        found[-1] = max(causes, key=lambda pair: pair[0])
    told_games: set[Place] = set()
    return [_step(lead, run, told_games) for _, lead in (*chosen, *found)]


def _whom(goal: Row) -> str:
    """Name what a goal without a subject is about."""
    return words.seat_name(0) if goal["measure"] == "first_player" else str(goal["measure"])


# --- what to look at -------------------------------------------------------------------------------------------


def points(row: Mapping[str, Any], centre: float = 0.0) -> str:
    """Write an effect in points with its joint range: −2.8 points (−3.1 to −2.5)."""
    low, high = row["joint_lo"], row["joint_hi"]
    known = low is not None and high is not None and np.isfinite(low) and np.isfinite(high)
    digits = stats.decimals(50.0 * (high - low)) if known else 1
    size = words.number(100.0 * (row["est"] - centre), digits, signed=True)
    if not known:
        return f"{size} points (range unknown)"
    ends = words.span(100.0 * (low - centre), 100.0 * (high - centre), digits, signed=True)
    return f"{size} points ({ends})"


def _goal(goal: Row, report: Mapping[str, Any], run: Run, facts: GameFacts) -> Lead:
    players, measure = goal["players"], goal["measure"]
    if goal["par"] is not None:
        size = f"{points(goal, goal['par'])} from par"
    elif goal["kind"] == "difference":
        size = points(goal)
    else:
        size = f"{words.goal_value(goal, goal['est'])} ({words.goal_range(goal)})"
    who = goal["subject"]
    if who and goal["kind"] != "rate":
        head = f"{words.sentence(who.removeprefix('the '))}, {words.plural(players, 'player')}: {size}"
    else:
        head = f"{goal['label']}: {who + ', ' if who else ''}{size}"
    if goal["verdict"] == "close":
        needed = words.needed(goal, run.games)
        why = f"Too close to call against your goal ({goal['band']['text']}). {words.sentence(needed)}."
    else:
        why = f"Outside your goal ({goal['band']['text']})."
    extra = ""
    wanted: Wanted = _anything
    label = "A game to look at:"
    if measure in ("first_player", "every_seat"):
        seat = 0 if measure == "first_player" else int(_rows(report["seats"]["panels"], players, "seat", who))
        rare = goal["est"] < goal["par"]
        extra = _seat_reason(report, players, seat)
        name = words.seat_name(seat)
        wanted, label = (
            (_lost(seat), f"A game that {name} loses:") if rare else (_won(seat), f"A game that {name} wins:")
        )
    elif measure == "best_strategy" and who is not None:
        wanted, label = _strategy_won(run, who, players), f"A game that {who} wins:"
    elif measure.startswith("item_") and who is not None:
        extra = _item_reason(report, who) if measure == "item_seen" else ""
        wanted, label = _item_won(facts, who, players), f"A game won with {who}:"
    elif measure == "tie_break":
        wanted, label = _tied, "A game decided by the tie-break:"
    others = words.also_with(goal, also(goal, report["goals"]))
    return Lead(head, " ".join(part for part in (why, others, extra) if part), label, players, wanted)


def _rows(panels: Sequence[Row], players: int, key: str, name: str | None) -> int:
    """Find a seat by its name in a sentence."""
    panel = next(p for p in panels if p["players"] == players)
    return next((row[key] for row in panel["rows"] if words.seat_name(row[key]) == name), 0)


def _seat_reason(report: Mapping[str, Any], players: int, seat: int) -> str:
    """Say what arithmetic on the rules says about a seat, beside the others."""
    facts = []
    for row in report["seats"]["exact"]:
        if row["players"] == players:
            others = [value for i, value in enumerate(row["values"]) if i != seat]
            beside = f", the others {words.listing(others)}" if all(value.isdecimal() for value in others) else ""
            facts.append(f"{row['fact']}: {row['values'][seat]}{beside}")
    return f"By the rules: {'; '.join(facts)}." if facts else ""


def _item_reason(report: Mapping[str, Any], name: str) -> str:
    items = report["items"]
    row = next((r for r in items["rows"] if r["name"] == name), None) if items else None
    caution = "Seen with winning is not a cause of winning."
    if row is None or not np.isfinite(row["played"]["est"]):
        return caution
    return f"It is played {words.percent(row['played']['est'], 0)} of the times it is available. {caution}"


def _seats(
    report: Mapping[str, Any], covered: set[tuple[str, int]], run: Run, facts: GameFacts
) -> list[tuple[float, Lead]]:
    found = []
    for panel in report["seats"]["panels"]:
        if ("seats", panel["players"]) in covered:
            continue
        row = max(panel["rows"], key=lambda r: round(abs(r["est"] - panel["par"]), 9))
        size = abs(row["est"] - panel["par"])
        if size < WORTH_A_LOOK or row["joint_lo"] <= panel["par"] <= row["joint_hi"]:
            continue
        seat, players = row["seat"], panel["players"]
        rare = row["est"] < panel["par"]
        name = words.seat_name(seat)
        head = f"{words.sentence(name.removeprefix('the '))}, {players} players: {points(row, panel['par'])}"
        why = f"The farthest from par of all seats. {_seat_reason(report, players, seat)}".strip()
        wanted, label = (
            (_lost(seat), f"A game that {name} loses:") if rare else (_won(seat), f"A game that {name} wins:")
        )
        found.append((size, Lead(head, why, label, players, wanted)))
    return sorted(found, key=lambda pair: -pair[0])[:2]


def _strategies(report: Mapping[str, Any], covered: set[tuple[str, int]], run: Run) -> list[tuple[float, Lead]]:
    """Offer the strategy that beats all others, at the table where it leads most."""
    found = []
    for panel in report["duels"]:
        players, best, worst = panel["players"], panel["best"], panel["worst_of_best"]
        if best is None or ("strategies", players) in covered:
            continue
        cell = panel["grid"][best][worst]
        names = [s["name"] for s in report["strategies"]]
        size = f"{points(cell, panel['par'])} from par even against {names[worst]}"
        head = f"{words.sentence(names[best])}, {words.plural(players, 'player')}: {size}"
        why = "It beats every other strategy we tried; this is its worst match-up."
        label = f"A game that {names[best]} wins:"
        found.append(
            (
                cell["est"] - panel["par"],
                Lead(head, why, label, players, _strategy_won(run, names[best], players)),
            )
        )
    return sorted(found, key=lambda pair: -pair[0])[:1]


def _items(
    report: Mapping[str, Any], covered: set[tuple[str, int]], run: Run, facts: GameFacts
) -> list[tuple[float, Lead]]:
    """Offer the two items that go most with winning or losing."""
    items = report["items"]
    if not items or any(section == "cards" for section, _ in covered):
        return []
    found = []
    for row in items["rows"]:
        seen = row["seen"]
        if (
            not np.isfinite([seen["est"], *(at["est"] for at in row["by_players"])]).all()
            or abs(seen["est"]) < WORTH_A_LOOK
            or seen["joint_lo"] <= 0.0 <= seen["joint_hi"]
        ):
            continue
        players = items["players"][len(items["players"]) // 2]
        head = f"{words.sentence(row['name'])}: {points(seen)} for whoever has it"
        label = f"A game won with {row['name']}:"
        wanted = _item_won(facts, row["name"], players)
        found.append((abs(seen["est"]), Lead(head, _item_reason(report, row["name"]), label, players, wanted)))
    return sorted(found, key=lambda pair: -pair[0])[:2]


def _changes(report: Mapping[str, Any], run: Run) -> list[tuple[float, Lead]]:
    """Offer the strategy whose win share moved most since the baseline, beyond the usual margin."""
    found = []
    for panel in report["shares"]:
        for row in panel["rows"]:
            delta = row["delta"]
            if delta is None or abs(delta["est"]) < 0.005 or delta["joint_lo"] <= 0.0 <= delta["joint_hi"]:
                continue
            players, name = panel["players"], row["strategy"]
            head = f"{words.sentence(name)}, {players} players: {points(delta)} since the baseline"
            why = f"Its win share went from {words.percent(row['before'])} to {words.percent(row['est'])}."
            label = f"A game that {name} wins:"
            found.append((abs(delta["est"]), Lead(head, why, label, players, _strategy_won(run, name, players))))
    return sorted(found, key=lambda pair: -pair[0])[:1]


def _causes(report: Mapping[str, Any], run: Run, facts: GameFacts) -> list[tuple[float, Lead]]:
    """Offer the item and the step of a number that surely cause most, beyond what counts as the same."""
    answers, found = report["answers"], []
    least = margin_about(run, "item_seen")
    values = [
        (item["est"], answer, item)
        for answer in answers["cards"]
        for item in answer["items"]
        if not answer["placebo"] and _surely_beyond(item, least)
    ]
    if values:
        size, answer, item = max(values, key=lambda each: abs(each[0]))
        players, name = answer["players"][len(answer["players"]) // 2], item["name"]
        head = f"{words.sentence(name)}, {answer['title']}: {points(item)} of win share"
        text = f"{answer['question']} A cause: the same games on the same luck, with and without."
        if name in {words.plain(each) for each in facts.items}:
            lead = Lead(head, text, f"A game won with {name}:", players, _item_won(facts, name, players))
        else:
            command = f"hakari cards {run.manifest['game']} --kind {answer['kind']}"
            lead = Lead(head, text, "Ask it again:", command=command)
        found.append((abs(size), lead))
    sense = answers["sense"] or {"goals": [], "steps": []}
    asked = {goal["id"]: goal for goal in sense["goals"] if goal["kind"] != "mean"}
    steps = [
        (effect["est"], asked[effect["goal"]], step, effect)
        for step in sense["steps"]
        for effect in step["effects"]
        if effect["goal"] in asked and _surely_beyond(effect, least)
    ]
    if steps:
        size, goal, step, effect = max(steps, key=lambda each: abs(each[0]))
        new = step["old"] + step["step"]
        head = f"{words.sentence(step['label'])}, {step['old']} → {new}: {points(effect)} for “{goal['label']}”"
        text = "Of all single steps tried, this one moves a goal most. A cause: the same games on the same luck."
        command = words.plain(f"{run.manifest['command']} --set {shlex.quote(step['edit'])}")
        found.append((abs(size), Lead(head, text, "Try it:", command=command)))
    return found


def _surely_beyond(row: Row, margin: float) -> bool:
    """Tell whether the whole joint range of a change lies beyond a margin on one side."""
    low, high = row["joint_lo"], row["joint_hi"]
    return low is not None and high is not None and bool(low > margin or high < -margin)


# --- a game to replay ------------------------------------------------------------------------------------------


def _step(lead: Lead, run: Run, told: set[Place]) -> Row:
    """Write a lead with its command; no game is shown twice."""
    label, replay = lead.label, lead.command or _replay(run, lead.players, lead.wanted or _anything, told)
    if replay is None:
        replay, label = _replay(run, lead.players, _anything, told), "A game to look at:"
    return {"head": lead.head, "text": lead.text, "label": label if replay else "", "replay": replay or ""}


def _anything(games: Games) -> np.ndarray:
    return np.ones(len(games["deal"]), dtype=bool)


def _tied(games: Games) -> np.ndarray:
    """Games whose best score is shared but not the win."""
    none = np.zeros(len(games["deal"]), dtype=bool)
    return _several(games["top"]) & ~_several(games["winners"]) if "top" in games else none


def _several(masks: np.ndarray) -> np.ndarray:
    several: np.ndarray = masks & (masks - 1) != 0
    return several


def _won(seat: int) -> Wanted:
    return lambda games: games["winners"] == 1 << seat


def _lost(seat: int) -> Wanted:
    return lambda games: games["winners"] & (1 << seat) == 0


def _strategy_won(run: Run, name: str, players: int) -> Wanted:
    index = next((i for i, s in enumerate(run.strategies) if words.plain(s) == name), -1)

    def wanted(games: Games) -> np.ndarray:
        alone = [(games[f"strategy_{seat + 1}"] == index) & (games["winners"] == 1 << seat) for seat in range(players)]
        chosen: np.ndarray = np.any(alone, axis=0)
        return chosen

    return wanted


def _item_won(facts: GameFacts, name: str, players: int) -> Wanted:
    """Games won alone by a seat that played the item; all games if the rows do not say."""
    item = next((i for i, n in enumerate(facts.items) if words.plain(n) == name), 0)
    word, bit = divmod(item, MASK_BITS)
    fields = facts.uses[facts.played_use].fields if facts.played_use in facts.uses else ()

    def wanted(games: Games) -> np.ndarray:
        alone = []
        for seat in range(players):
            columns = [f"{field}_{seat + 1}" for field in fields]
            columns = [c if c in games else f"{c}_{word + 1}" for c in columns]  # a mask may have several words
            if not columns or any(c not in games for c in columns):
                return np.zeros(len(games["deal"]), dtype=bool)
            used = np.any([games[c] >> bit & 1 for c in columns], axis=0)
            alone.append(used & (games["winners"] == 1 << seat))
        chosen: np.ndarray = np.any(alone, axis=0)
        return chosen

    return wanted


def _replay(run: Run, players: int, wanted: Wanted, told: set[Place]) -> str | None:
    """Write the command that traces the first game of the mixed table with the wanted course, but for those `told`."""
    games = run.mixed_games(players)
    if games is None:
        return None
    rows = np.flatnonzero(wanted(games)).tolist()
    row = next((r for r in rows if (players, *_place(games, r)) not in told), None)
    if row is None:
        return None
    told.add((players, *_place(games, row)))
    rotation = int(games["rotation"][row])
    seated = [int(games[f"strategy_{seat + 1}"][row]) for seat in range(players)]
    members = [run.strategies[seated[(j + rotation) % players]] for j in range(players)]
    who = members[0] if len(set(members)) == 1 else ",".join(members)
    parts = [
        "hakari", "trace", run.manifest["game"], "--players", str(players), "--seed", str(run.manifest["seed"]),
        "--deal", str(int(games["deal"][row])), "--rotation", str(rotation), "--strategies", who, "--text",
    ]  # fmt: skip
    options = trace_options(run.manifest["command"])
    return words.plain(shlex.join(parts) + (f" {options}" if options else ""))


def _place(games: Games, row: int) -> tuple[int, int]:
    return int(games["deal"][row]), int(games["rotation"][row])


def trace_options(command: str) -> str:
    """Return the options of a run's command that a trace needs: config file, --set, --draws and files of strategies."""
    parts = _split(command)
    kept = []
    for i, part in enumerate(parts):
        if part.endswith(".toml"):
            kept += ["--config", part]
        elif part in FOR_TRACE and i + 1 < len(parts):
            kept += [part, parts[i + 1]]
        elif part.startswith(tuple(f"{option}=" for option in FOR_TRACE)):
            kept.append(part)
    return shlex.join(kept)


def settings(command: str) -> list[str]:
    """Return what a run's command changed in its config, but for the plan: `rulings.debt=true`."""
    parts = _split(command)
    found = [after for part, after in pairwise(parts) if part == "--set"]
    found += [part.removeprefix("--set=") for part in parts if part.startswith("--set=")]
    return [text for text in found if not text.startswith("plan.")]


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []
