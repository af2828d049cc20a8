"""Sections of the page made of plain figures: what single games add, and luck and skill (see `reports.figures`)."""

from typing import Any

from reports import luck, words
from reports.facts import Panel
from reports.measures import Counts

LOCATIONS = ("castle", "village", "port")


def locations(counts: Counts) -> list[dict[str, Any]]:
    """Show what each Location of Emblems pays by rank, how often each rank is taken, and what a placed card earns."""
    found = [n for n in counts.players if counts.has(n, "slot_taken") and counts.has(n, "slot_coins")]
    if not found:
        return []
    focus = found[len(found) // 2]
    places = [_location(counts, focus, i) for i in range(len(LOCATIONS))]
    best = max(places, key=lambda place: place["per_card"])
    worst = min((rank for place in places for rank in place["ranks"]), key=lambda rank: rank["paid"])
    headline = f"The {best['name']} pays best for a card placed there: {words.number(best['per_card'], 2)} coins"
    if worst["paid"] < 0:
        taken = words.percent(worst["taken"], 0)
        headline += f"; the {worst['place']}’s {worst['rank']} rank costs, and is taken {taken} of the time"
    several = f", {focus} players" if len(counts.players) > 1 else ""
    return [
        {
            "id": "locations",
            "headline": headline,
            "sub": f"Coins that a rank pays on average{several} · right: share of rounds in which the rank is taken",
            "how": "Blue: coins gained. Brown: coins lost.",
            "panels": [_bars(place) for place in places],
            "numbers": [_numbers([(n, [_location(counts, n, i) for i in range(len(LOCATIONS))]) for n in found])],
        }
    ]


def _location(counts: Counts, players: int, index: int) -> dict[str, Any]:
    """Sum up one Location: per rank the mean reward and how often it is taken, per card placed the coins."""
    taken, coins = (counts.counter(players, name)[index] for name in ("slot_taken", "slot_coins"))
    rounds = counts.games(players) * int(counts.rules["rounds"])
    placed, whole = (int(sum(counts.cases(players, use))) for use in (LOCATIONS[index], "played"))
    name = LOCATIONS[index].capitalize()
    return {
        "name": name,
        "per_card": float(coins.sum()) / placed if placed else 0.0,
        "placed": placed / whole if whole else 0.0,
        "ranks": [
            {"place": name, "rank": words.ordinal(k + 1), "paid": float(coins[k] / n), "taken": float(n / rounds)}
            for k, n in enumerate(taken.tolist())
            if n
        ],
    }


def _bars(place: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": "bars",
        "title": place["name"],
        "title_right": f"{words.number(place['per_card'], 2)} coins a card",
        "subtitle": f"{words.percent(place['placed'], 0)} of all cards are placed here",
        "value_head": "coins paid",
        "right_head": "taken",
        "rows": [
            {
                "label": rank["rank"],
                "value": rank["paid"],
                "text": words.number(rank["paid"], 1),
                "right": words.percent(rank["taken"], 0),
            }
            for rank in place["ranks"]
        ],
    }


def _numbers(tables: list[tuple[int, list[dict[str, Any]]]]) -> dict[str, Any]:
    columns = ["Rank"]
    for players, _ in tables:
        columns += [f"Paid, {players} players", "Taken"]
    found = {
        (players, rank["place"], rank["rank"]): rank
        for players, places in tables
        for p in places
        for rank in p["ranks"]
    }
    names = dict.fromkeys((place, rank) for _, place, rank in found)
    order = sorted(names, key=lambda name: ([p.capitalize() for p in LOCATIONS].index(name[0]), int(name[1][:-2])))
    rows = []
    for name in order:
        line = [f"{name[0]}, {name[1]}"]
        for players, _ in tables:
            rank = found.get((players, *name))
            line += [words.number(rank["paid"], 2), words.percent(rank["taken"])] if rank else ["–", "–"]
        rows.append(line)
    return {"caption": "Rewards by Location and rank", "columns": columns, "rows": rows}


LUCK_DEALS = 8_000
"""Deals that the split of luck and skill looks at: enough for a range of about a point."""

PART_NAMES = {"strategy": "strategy", "deal": "the deal", "seat": "the seat", "rest": "the rest"}


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
        f"{where}{PART_NAMES[first]} weighs most in who wins: {words.percent(sizes[first], 0)} of the spread; "
        f"{PART_NAMES[second]} {words.percent(sizes[second], 0)}"
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


PANELS: dict[str, tuple[Panel, ...]] = {"emblems": (Panel("locations", "Locations", locations),)}
"""Game -> the sections that it adds after its items."""

LUCK = Panel("luck", "Luck and skill", luck_and_skill)
