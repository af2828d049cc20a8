"""Three DuckDB queries that run as they stand in the folder of a run and give numbers of its page."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from reports import words

Report = Mapping[str, Any]
Query = dict[str, str]


def queries(report: Report) -> list[Query]:
    """Write the queries of a report.

    Parameters
    ----------
    report : dict
        As `report.json` holds it.

    Returns
    -------
    list of dict
        `title` and `sql`: shares by seat from the single games, shares by strategy and of one item from the sums.
        What a run did not play or keep has no query.
    """
    run = report["run"]
    found = []
    if run["players"] and run["keep_games"] > 0:
        found.append(_seats(run))
    if run["players"]:
        found.append(_strategies(run, report["strategies"]))
    if report["items"]:
        found.append(_item(run, report["items"]))
    return found


def _seats(run: Report) -> Query:
    players = run["focus"]
    part = "" if run["keep_games"] >= 1 else f"  -- a part of the deals: {100 * run['keep_games']:g}%"
    return {
        "title": f"Win share by seat with {players} players, from the single games",
        "sql": f"""\
SELECT seat,
       avg(CASE WHEN winners >> (seat - 1) & 1 = 1 THEN 1.0 / bit_count(winners) ELSE 0 END) AS win_share,
       count(*) AS games
FROM read_parquet('games/players={players}/*.parquet'), range(1, {players + 1}) AS seats(seat){part}
WHERE lineup IN ({_mixed(run, [players])})  -- the mixed table
GROUP BY seat ORDER BY seat;""",
    }


def _strategies(run: Report, strategies: Sequence[Report]) -> Query:
    named = ", ".join(f"({i}, {_quoted(s['name'])})" for i, s in enumerate(strategies))
    seats = "[i * players + 1 : (i + 1) * players]"
    return {
        "title": "Win share by strategy and number of players, from the sums",
        "sql": f"""\
SELECT players, strategy,
       sum(list_sum(pair_share{seats})) / 60.0
         / sum(list_sum(pair_games{seats})) AS win_share
FROM read_parquet('blocks/*/*.parquet', hive_partitioning = true),
     (VALUES {named}) AS strategies(i, strategy)
WHERE lineup IN ({_mixed(run, run["players"])})  -- the mixed table
GROUP BY players, i, strategy ORDER BY players, win_share DESC;""",
    }


def _item(run: Report, items: Report) -> Query:
    """Ask about the item that goes most with winning or losing."""
    row = max(items["rows"], key=lambda r: abs(r["seen"]["est"] or 0.0))
    use, place = items["available"], row["index"] + 1
    apart = items["apart"]
    peers = [r["index"] + 1 for r in items["rows"] if not apart or r["groups"][apart] == row["groups"][apart]]

    def of(what: str) -> str:
        """Take the items that it is compared with; all of them need no choice."""
        column = f"use_{what}_{use}"
        return column if len(peers) == len(items["rows"]) else f"list_select({column}, {peers})"

    average = words.average(run["item"][0], apart)
    return {
        "title": f"Win share of whoever had {row['name']} at hand, from {average}",
        "sql": f"""\
SELECT players,  -- {place} is its place in the list of {run["item"][1]}
       sum(use_share_{use}[{place}]) / 60.0 / nullif(sum(use_games_{use}[{place}]), 0)
         - sum(list_sum({of("share")})) / 60.0 / sum(list_sum({of("games")})) AS from_average,
       sum(use_games_{use}[{place}]) AS times
FROM read_parquet('blocks/*/*.parquet', hive_partitioning = true)
WHERE lineup IN ({_mixed(run, items["players"])})  -- the mixed table
GROUP BY players ORDER BY players;""",
    }


def _mixed(run: Report, counts: Collection[int]) -> str:
    """List the line-ups of the mixed table at some player counts."""
    each = zip(run["players"], run["mixed_lineups"], strict=True)
    return ", ".join(str(lineup) for players, lineups in each if players in counts for lineup in lineups)


def _quoted(text: str) -> str:
    """Write a text as SQL does."""
    return "'" + text.replace("'", "''") + "'"
