"""Emblems: what each Location pays, rank by rank."""

from typing import Any

from reports import words
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


PANELS = (Panel("locations", "Locations", locations),)
