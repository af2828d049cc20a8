"""Panels of every game: luck and skill."""

from typing import Any

from reports import luck, words
from reports.facts import Panel
from reports.measures import Counts

LUCK_DEALS = 8_000
"""Deals that the split of luck and skill looks at: enough for a range of about a point."""

PART_NAMES = {"strategy": "strategy", "deal": "the deal", "seat": "seating order", "rest": "the rest"}


def luck_and_skill(counts: Counts) -> list[dict[str, Any]]:
    """Show what decides who wins, and what each step of skill is worth."""
    found = {}
    for players in counts.players:
        games = counts.crossed(players, LUCK_DEALS)
        if games and (parts := luck.decompose(*games)):
            found[players] = parts
    figures = [_parts(found)] if found else []
    focus = counts.players[len(counts.players) // 2] if counts.players else 0
    steps = counts.ladder(focus) if focus else []
    return [*figures, *([_ladder(steps, focus)] if steps else [])]


def _parts(found: dict[int, list[dict[str, Any]]]) -> dict[str, Any]:
    """Draw the parts of the spread in who wins, a panel a player count."""
    middle = list(found)[len(found) // 2]
    sizes = {row["part"]: row["est"] for row in found[middle] if row["part"] != "rest"}
    first, second, *_ = sorted(sizes, key=lambda part: -sizes[part])
    where = f"{words.sentence(words.with_players(middle))}, " if len(found) > 1 else ""
    headline = (
        f"{where}{PART_NAMES[first]} accounts for {words.percent(sizes[first], 0)} of the spread in who wins, "
        f"{PART_NAMES[second]} for {words.percent(sizes[second], 0)}"
    )
    return {
        "id": "luck",
        "headline": words.sentence(headline),
        "sub": "Share of the spread in who wins, strategies mixed",
        "how": "The deal: what stays with a seat of a deal, whoever sits there. The rest: neighbours, choices, luck in "
        "play. It holds for these strategies only: better players leave more to the deal.",
        "panels": [
            {
                "kind": "bars",
                "title": f"{players} players",
                "rows": [
                    {
                        "label": PART_NAMES[row["part"]],
                        "value": row["est"],
                        "text": words.percent(row["est"], 0),
                    }
                    for row in parts
                ],
            }
            for players, parts in found.items()
        ],
        "numbers": [
            {
                "caption": "What decides who wins",
                "columns": ["Players, part", "Share", "Range"],
                "rows": [
                    [
                        f"{players}, {PART_NAMES[row['part']]}",
                        words.percent(row["est"], 1),
                        words.span(100 * row["lo"], 100 * row["hi"], 1),
                    ]
                    for players, parts in found.items()
                    for row in parts
                ],
            }
        ],
    }


def _ladder(steps: list[tuple[str, str, dict[str, float]]], players: int) -> dict[str, Any]:
    """Draw the steps of skill: one better player among weaker ones."""
    par = 1.0 / players
    first = max(steps, key=lambda step: step[2]["est"])
    weakest = steps[0][1]
    rows = [
        {
            "label": words.plain(stronger),
            "value": words.percent(found["est"], 0),
            "x": 100 * (found["est"] - par),
            "lo": 100 * (found["lo"] - par),
            "hi": 100 * (found["hi"] - par),
        }
        for stronger, _, found in steps
    ]
    table = [
        [
            f"one {words.plain(stronger)} among {words.plain(weaker)}",
            words.percent(found["est"], 1),
            words.span(100 * found["lo"], 100 * found["hi"], 1),
        ]
        for stronger, weaker, found in steps
    ]
    return {
        "id": "ladder",
        "headline": f"The largest step of skill: one {words.plain(first[0])} among {words.plain(first[1])} wins "
        f"{words.percent(first[2]['est'], 0)} where par is {words.percent(par, 0)}",
        "sub": f"Win share of one better player among {players - 1} weaker ones, points from par · {players} players",
        "how": f"From the weakest up: each alone among the next weaker one, {words.plain(weakest)} the weakest of all.",
        "panels": [{"kind": "dots", "width": "M", "rows": rows}],
        "numbers": [{"caption": "Steps of skill", "columns": ["Match", "Win share", "Range"], "rows": table}],
    }


PANELS = (Panel("luck", "Luck and skill", luck_and_skill),)
