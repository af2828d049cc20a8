"""Numbers and verdicts in words: the one place that decides how they read.

Sizes come before certainty, every size has its range, and no sentence claims more than the run shows.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from reports import stats

MINUS = "−"
NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
GLYPHS = {"inside": "✓", "outside": "✗", "close": "?"}
VERDICTS = {"inside": "inside", "outside": "outside", "close": "too close to call"}
EDGE = 20
"""A goal that needs more than so many times the games of a run lies practically on the edge."""

NO_DIFFERENCE = "no difference at all"
"""What is said of an effect that is exactly nothing, in every game."""

TIMES = {"25%": "after a quarter of the game", "50%": "at half-time", "75%": "after three quarters of the game"}


# --- plain numbers ---------------------------------------------------------------------------------------------


def number(x: float | None, digits: int = 1, *, signed: bool = False) -> str:
    """Write a number with a real minus sign, thousands apart; an en dash for nothing."""
    if x is None or not math.isfinite(x):
        return "–"
    text = f"{abs(x):,.{digits}f}"
    if float(text.replace(",", "")) == 0.0:
        return text
    return (MINUS if x < 0 else "+" if signed else "") + text


def percent(share: float | None, digits: int = 1) -> str:
    """Write a share as a percentage."""
    return "–" if share is None or not math.isfinite(share) else number(100.0 * share, digits) + "%"


def tidy(share: float, most: int = 2) -> str:
    """Write a share as a percentage with no more decimals than it needs."""
    for digits in range(most):
        if abs(round(100.0 * share, digits) - 100.0 * share) < 0.5 * 10.0**-most:
            return percent(share, digits)
    return percent(share, most)


def span(low: float | None, high: float | None, digits: int = 1, *, signed: bool = False) -> str:
    """Write a range: an en dash between unsigned ends, "to" between signed ones."""
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return "–"
    ends = [number(x, digits, signed=signed) for x in (low, high)]
    return (" to " if signed or low < 0 else "–").join(ends)


def count(n: float) -> str:
    """Write a count: 39.1 million, 120,000."""
    for size, name in ((1e9, "billion"), (1e6, "million")):
        if n >= size:
            return f"{n / size:.1f}".removesuffix(".0") + " " + name
    return f"{round(n):,}"


def plural(n: float, one: str, many: str | None = None) -> str:
    """Write a count with its noun: 1 game, 2 games."""
    return f"{count(n)} {one if n == 1 else many or one + 's'}"


def average(item: str, apart: str) -> str:
    """Name what an item is compared with: the average card, or the average one of its kind."""
    return f"the average {item}" + (f" of its {apart}" if apart else "")


def spelled(n: int) -> str:
    """Write a small number as a word."""
    return NUMBERS[n] if 0 < n < len(NUMBERS) else f"{n:,}"


def sentence(text: str) -> str:
    """Begin with a capital letter."""
    return text[:1].upper() + text[1:]


def stop(text: str) -> str:
    """End with a full stop."""
    return text if text.endswith((".", "!", "?", "…", "。")) else text + "."


def ordinal(n: int) -> str:
    """Write 1st, 2nd, 3rd, 4th."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def seat_name(seat: int) -> str:
    """Name a seat (0-based) inside a sentence."""
    return "the first player" if seat == 0 else f"the {ordinal(seat + 1)} seat"


def with_players(n: int) -> str:
    """Write "with four players"."""
    return f"with {spelled(n)} player{'s' if n != 1 else ''}"


def with_counts(counts: Sequence[int]) -> str:
    """Write "with three, four and five players"."""
    if len(counts) == 1:
        return with_players(counts[0])
    return f"with {listing([spelled(n) for n in sorted(counts)])} players"


def listing(parts: Sequence[str], joint: str = "and") -> str:
    """Join with commas and a last word: a, b and c."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {joint} {parts[-1]}" if parts else ""


def day(iso: str) -> str:
    """Write the date of an ISO time: 29 Nov 2026."""
    when = datetime.fromisoformat(iso.replace("Z", "+00:00"))
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}"


DRAWS = {
    "shared": "all seats draw from one pile, so that one more draw moves everybody’s luck",
    "per_seat": "each seat draws in an order of its own, so that its luck does not move when another draws more",
}


def plain(text: Any) -> str:
    """Make one clean line of a name: no control characters, single spaces."""
    clean = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in str(text))
    return re.sub(r"\s+", " ", clean).strip() or "(no name)"


def width(text: str) -> int:
    """Return how many columns a text takes; Chinese and Japanese characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def shorten(text: str, columns: int) -> str:
    """Cut the middle out of a long name, so that names that differ at either end stay different."""
    if width(text) <= columns:
        return text
    head, tail = text, ""
    while head and width(head) + 1 > columns - (columns - 1) // 3:
        head = head[:-1]
    for c in reversed(text):
        if width(head) + 1 + width(tail) + width(c) > columns:
            break
        tail = c + tail
    return f"{head.rstrip()}…{tail.lstrip()}"


def shorten_apart(names: Sequence[str], columns: int) -> dict[str, str]:
    """Shorten names so that different ones stay different: by where they begin to differ, at last by a number."""
    short = {name: shorten(name, columns) for name in names}
    for label in [label for label, n in Counter(short.values()).items() if n > 1]:
        alike = [name for name in short if short[name] == label]
        start = max(_shared(alike) - columns // 3, 0)
        for place, name in enumerate(alike):
            short[name] = shorten(f"…{name[start:]}", columns)
            if short[name] in [short[other] for other in alike[:place]]:
                short[name] = f"{shorten(name, columns - 3)} {place + 1}"
    return short


def _shared(names: Sequence[str]) -> int:
    """Count the characters that names begin with in common."""
    return next((i for i, each in enumerate(zip(*names, strict=False)) if len(set(each)) > 1), len(min(names, key=len)))


# --- goals -----------------------------------------------------------------------------------------------------


def unit(goal: Mapping[str, Any]) -> float:
    """Return what to multiply a goal's numbers with to print them: shares as points."""
    return 1.0 if goal["kind"] == "mean" else 100.0


def goal_digits(goal: Mapping[str, Any]) -> int:
    """Return the decimals that a goal's joint range supports."""
    low, high = goal["joint_lo"], goal["joint_hi"]
    return 1 if low is None or high is None else stats.decimals(unit(goal) * (high - low) / 2)


def goal_value(goal: Mapping[str, Any], value: float | None, digits: int | None = None) -> str:
    """Write a value in the unit of the goal, by default as precisely as its joint range allows."""
    if value is None:
        return "–"
    digits = goal_digits(goal) if digits is None else digits
    if goal["kind"] == "difference":
        return number(100.0 * value, digits, signed=True) + " pp"
    return number(value, digits) if goal["kind"] == "mean" else percent(value, digits)


def goal_range(goal: Mapping[str, Any]) -> str:
    """Write a goal's joint range."""
    low, high = goal["joint_lo"], goal["joint_hi"]
    if low is None or high is None:
        return "range unknown"
    return span(unit(goal) * low, unit(goal) * high, goal_digits(goal), signed=goal["kind"] == "difference")


def goal_label(title: str, measure: str, players: int, options: Mapping[str, Any]) -> str:
    """Name a goal, as in the first column of the goals table; the designer's own title comes first."""
    label = {
        "first_player": "First player",
        "every_seat": "Every seat",
        "best_strategy": "Best strategy",
        "random_share": "Random play",
        "leader_wins": f"Leader {TIMES[options['at'] or '50%']} wins",
        "close_finish": f"Ends within {plural(options['points'] or 0, *options['unit'])}",
        "shared_wins": "Shared wins",
        "tie_break": "Decided by the tie-break",
        "lead_changes": "Lead changes",
        "rounds": "Rounds",
        "decisions": "Decisions",
        "capped": "Stopped by the cap",
        "item_seen": f"Strongest {options['item']}, seen with winning",
        "item_played": f"Least-played {options['item']}",
    }[measure]
    return f"{plain(title) if title else label}, {players} player{'s' if players != 1 else ''}"


def _result(goal: Mapping[str, Any]) -> str:
    """Say what was found, as the second half of "First player, 4 players: wins 22.2% of games (21.9–22.5)"."""
    who, value, reach = goal["subject"], goal_value(goal, goal["est"]), f"({goal_range(goal)})"
    points, mean = value.removesuffix(" pp"), average(goal["options"]["item"], goal["options"]["apart"])
    return {
        "first_player": f"wins {value} of games {reach}",
        "every_seat": f"{who} wins {value} of games {reach}",
        "best_strategy": f"{who} wins {value} {reach}",
        "random_share": f"wins {value} {reach}",
        "leader_wins": f"{value} of games {reach}",
        "close_finish": f"{value} of games {reach}",
        "shared_wins": f"{value} of games {reach}",
        "tie_break": f"{value} of games {reach}",
        "lead_changes": f"{value} in a game {reach}",
        "rounds": f"{value} in a game {reach}",
        "decisions": f"{value} in a game {reach}",
        "capped": f"{value} of games {reach}",
        "item_seen": f"the win share of whoever has {who} is {points} points from {mean} {reach}",
        "item_played": f"{who} is played {value} {reach} of the times it is available",
    }[goal["measure"]]


def _asked(goal: Mapping[str, Any]) -> str:
    """Say what the goal asks, after a result."""
    text = goal["band"]["text"]
    whose = "the default goal" if goal["default"] else "your goal"
    return f"against {whose} of {text}" if text[0].isdigit() else f"and {whose} is {text}"


def goal_sentence(goal: Mapping[str, Any], games: int, also: Sequence[int] = ()) -> str:
    """Write the bullet of a goal, without its name.

    Parameters
    ----------
    goal : dict
        Row of the goals table.
    games : int
        Games of the run.
    also : sequence of int
        Other player counts with the same verdict.

    Examples: "wins 22.2% of games (21.9–22.5) against your goal of 23–27%. It was 23.3% in the baseline." · "rollout
    wins 44.6% (44.1–45.1) and your goal is at most 45%. About 82,000 more games would settle it: --games 94000."
    """
    if goal["est"] is None or not math.isfinite(goal["est"]):
        return "there are too few games to measure it."
    parts = [f"{_result(goal)} {_asked(goal)}."]
    if goal["verdict"] == "close":
        parts.append(sentence(needed(goal, games)) + ".")
    change = goal["change"]
    if change and not change["identical"] and change["class"] in ("better", "worse", "moved"):
        parts.append(f"It was {goal_value(goal, change['before'])} in the baseline.")
    return " ".join([*parts, also_with(goal, also)]).strip()


def also_with(goal: Mapping[str, Any], counts: Sequence[int]) -> str:
    """Say with which other player counts a goal has the same verdict."""
    if not counts:
        return ""
    start = {"outside": "Missed", "close": "Too close to call", "inside": "Met"}[goal["verdict"]]
    return f"{start} {with_counts(counts)} as well."


def needed(goal: Mapping[str, Any], games: int) -> str:
    """Say what would decide a verdict: so many more games, or, on the edge, another goal; `games` were played."""
    more = goal["games_needed"]
    if more is None and not goal["on_edge"]:
        return "there are too few games for a range"
    if more is not None and more <= EDGE * games:
        return f"{_more(more)} would settle it: --games {round(stats.two_digits(games + more))}"
    whose = "the default goal" if goal["default"] else "your goal"
    size = "" if more is None else f" ({_more(more)} would settle it)"
    return f"it lies practically on the edge of {whose}: widen it or accept it{size}"


def needed_short(goal: Mapping[str, Any], games: int) -> str:
    """Say the same in a table cell."""
    more = goal["games_needed"]
    if more is None:
        return "practically on the edge" if goal["on_edge"] else "too few games"
    return _more(more) if more <= EDGE * games else f"practically on the edge: {_more(more)}"


def _more(games: float) -> str:
    return f"about {plural(games, 'more game', 'more games')}"


def clause(goal: Mapping[str, Any], players: bool) -> str:
    """Say what is wrong with a goal that is missed, to follow "but".

    Examples: "with four players the first player wins too rarely" · "games take too long".
    """
    low = goal["band"]["lo"]
    below = low is not None and goal["est"] < low
    who, item = goal["subject"], goal["options"]["item"]
    text = {
        "first_player": ("the first player wins too rarely", "the first player wins too often"),
        "every_seat": (f"{who} wins too rarely", f"{who} wins too often"),
        "best_strategy": (f"even the best strategy, {who}, wins too rarely", f"{who} wins too often"),
        "random_share": ("random play wins too rarely", "random play wins too often"),
        "leader_wins": ("an early lead is worth too little", "an early lead decides too often"),
        "close_finish": ("too few games end close", "too many games end close"),
        "shared_wins": ("too few wins are shared", "too many wins are shared"),
        "tie_break": ("the tie-break decides too rarely", "the tie-break decides too often"),
        "lead_changes": ("the lead changes too rarely", "the lead changes too often"),
        "rounds": ("games are over too soon", "games take too many rounds"),
        "decisions": ("games ask for too few decisions", "games ask for too many decisions"),
        "capped": ("too few games are stopped by the cap", "too many games are stopped by the cap"),
        "item_seen": (
            f"{who} goes with losing more than you allow",
            f"{who} goes with winning more than you allow",
        ),
        "item_played": (f"the {item} {who} is played too rarely", f"the {item} {who} is played too often"),
    }[goal["measure"]][0 if below else 1]
    return f"{with_players(goal['players'])} {text}" if players else text


def _tally(n: int, of: int) -> str:
    """Write "seven of ten goals are met" for all cases."""
    if of == 1:
        return "the one goal is met" if n else "the one goal is not met"
    if n == of:
        return "both goals are met" if of == 2 else f"all {spelled(of)} goals are met"
    if n == 0:
        return "neither goal is met" if of == 2 else f"none of the {spelled(of)} goals is met"
    return f"{spelled(n)} of {spelled(of)} goals {'is' if n == 1 else 'are'} met"


def verdict_sentence(goals: Sequence[Mapping[str, Any]], several_counts: bool, games: int) -> str:
    """Write the sentence of the verdict box.

    Parameters
    ----------
    goals : sequence of dict
        Rows of the goals table, worst first.
    several_counts : bool
        Whether the run has several player counts, so that the sentence must name one.
    games : int
        Games of the run.
    """
    own = [g for g in goals if not g["default"]]
    if not own:
        return _default_sentence(goals, several_counts, games)
    by = {v: [g for g in own if g["verdict"] == v] for v in VERDICTS}
    inside, outside, close = by["inside"], by["outside"], by["close"]
    settled = _tally(len(inside), len(own))
    if outside:
        worst = clause(outside[0], several_counts)
        more = len(outside) - 1
        if not inside:
            return sentence(f"{settled}: {'above all, ' if more else ''}{worst}.")
        rest = f", and {spelled(more)} more {'is' if more == 1 else 'are'} missed" if more else ""
        return sentence(f"{settled}, but {worst}{rest}.")
    if close and len(close) == len(own):
        if len(own) == 1:
            return sentence(f"{_too_few(games)} to tell whether the goal is met.")
        which = "either of the two goals" if len(own) == 2 else f"any of the {spelled(len(own))} goals"
        return sentence(f"{_too_few(games)} to tell whether {which} is met.")
    if close:
        return sentence(f"{settled}; {spelled(len(close))} {'is' if len(close) == 1 else 'are'} too close to call.")
    return sentence(settled) + "."


def _too_few(games: int) -> str:
    return f"{plural(games, 'game')} {'is' if games == 1 else 'are'} too few"


def _default_sentence(goals: Sequence[Mapping[str, Any]], several_counts: bool, games: int) -> str:
    """Write the verdict of a run without goals, by the default yardstick for the first player."""
    outside = [g for g in goals if g["verdict"] == "outside"]
    close = [g for g in goals if g["verdict"] == "close"]
    if outside:
        return f"No goals are set, but {clause(outside[0], several_counts)}."
    if close and len(close) == len(goals):
        return f"No goals are set, and {_too_few(games)} to call the seats fair."
    if close:
        return f"No goals are set; {with_players(close[0]['players'])} the first player is too close to call."
    return "No goals are set; going first is fair." if goals else "No goals are set."


def scope(strategies: Sequence[str]) -> str:
    """Write for whom the results hold."""
    if len(strategies) == 1:
        which = f"one computer strategy, {strategies[0]}, at every seat"
        return f"These results hold for {which}. People may find better ones."
    which = f"listed: {', '.join(strategies)}" if len(strategies) <= 8 else "listed below"
    return f"These results hold for the {len(strategies)} computer strategies {which}. People may find better ones."


def since_line(baseline: Mapping[str, Any]) -> str:
    """Say in a line what was edited since the baseline and what it did to the goals and the winners.

    Example: Since “the book”: points[17] 3 → 4. 2 goals better, 1 worse, 9 unclear; 21% of identical deals with four
    players have another winner.
    """
    edits = [
        f"{each['key']} {''.join(p['text'] for p in each['old'])} → {''.join(p['text'] for p in each['new'])}"
        for each in baseline["differences"]
        if not each["key"].startswith("plan.")
    ]
    more = len(edits) - 1 + baseline["more_differences"]
    edit = (shorten(edits[0], 90) + (f" and {more} more" if more else "")) if edits else "the configuration is the same"
    counted = [(each["class"], len(each["goals"])) for each in baseline["tally"] if each["goals"]]
    texts = {
        "better": "better",
        "worse": "worse",
        "moved": "moved within the goal",
        "edge": "now too close to call",
        "same": "the same",
    }
    goals = listing([f"{plural(n, 'goal') if i == 0 else n} {texts.get(c, c)}" for i, (c, n) in enumerate(counted)])
    if goals and all(c == "same" for c, _ in counted):
        goals = "no goal moved"
    changed = [w for w in baseline["winners"] if w["share"]]
    most = max(changed, key=lambda w: w["share"], default=None)
    winners = ""
    if most is not None:
        winners = f"; {other_winners([most], several=len(baseline['winners']) > 1)}"
    return f"Since “{baseline['label']}”: {edit}. {sentence(goals)}{winners}.".replace(". .", ".")


def other_winners(rows: Sequence[Mapping[str, Any]], several: bool) -> str:
    """Say how many identical deals have another winner; `several` player counts are named.

    Example: 2.3% of identical deals with three players and 4.6% with four players have another winner.
    """
    parts = [
        changed_share(row) + " of identical deals" * (i == 0) + f" {with_players(row['players'])}" * several
        for i, row in enumerate(rows)
    ]
    return f"{listing(parts)} have another winner"


def changed_share(row: Mapping[str, Any]) -> str:
    """Write the share of identical deals with another winner, as precisely as its range allows."""
    return percent(row["share"], max(stats.decimals(50.0 * (row["hi"] - row["lo"])), 1)) if row["share"] else "0%"


def change_text(goal: Mapping[str, Any]) -> str:
    """Write the last column of the goals table: "worse: −1.1, was inside"."""
    change = goal["change"]
    if change is None:
        return "not in the baseline"
    if change["identical"]:
        return "0, identical games"
    delta = number(unit(goal) * change["delta"], goal_digits(goal), signed=True)
    was = f", was {VERDICTS[change['before_verdict']]}" if change["before_verdict"] != goal["verdict"] else ""
    return f"{change['class']}: {delta}{was}"
