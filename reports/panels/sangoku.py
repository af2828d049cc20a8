"""Sangoku: what hands, Recruitment ranks, Legend cards and tokens are worth, and when players go out."""

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any

import numpy as np

from reports import stats, words
from reports.blocks import Cell
from reports.facts import Panel
from reports.figures.scales import digits
from reports.measures import FEW_CASES, Counts
from sim.games.interface import SHARE_UNITS
from sim.games.sangoku.cards import LEGEND_TITLES, LEGENDS, RANK_NAMES, RANK_TITLES, REALMS, ROWS, WARRIORS
from sim.games.sangoku.hands import CATEGORIES

SHORT = {"of a kind": "of k.", "straight flush": "str. flush"}
"""Categories as they fit beside a bar."""

FEWEST = 0.005
"""Rounds with a smaller share of the games' ends and of the eliminations are put together with their neighbours."""

VARIANTS = ("sangoku-hardcore", "sangoku-haunted", "sangoku-back-from-the-brink")
"""Configs of the rule book's variants."""

LINEUPS = {
    "field": "Strategies mixed",
    "one_vs_rest": "One against all others",
    "mirror": "All the same",
    "pairs": "Two strategies",
    "all": "Every mixture",
    "list": "As listed",
}

Row = dict[str, Any]


def hands_and_ranks(counts: Counts) -> list[Row]:
    """Show how often each hand wins its Realm, and what becomes of each Recruitment rank."""
    hands = [_hands(counts, n) for n in counts.players if counts.has(n, "hands")]
    ranks = [_ranks(counts, n) for n in counts.players if counts.has(n, "recruits") and _has_uses(counts, n)]
    return [*([_hands_figure(hands)] if hands else []), *([_ranks_figure(ranks)] if ranks else [])]


def legends_and_tokens(counts: Counts) -> list[Row]:
    """Show what becomes of each Legend kind, and what each kind of token does."""
    legends = [_legends(counts, n) for n in counts.players if counts.has(n, "legends") and _has_uses(counts, n)]
    tokens = [_tokens(counts, n) for n in counts.players if counts.has(n, "forces")]
    return [*([_legends_figure(legends)] if legends else []), *([_tokens_figure(tokens)] if tokens else [])]


def rounds_and_eliminations(counts: Counts) -> list[Row]:
    """Show when games end and players go out, how many games the cap stops, and how to compare the variants."""
    counted = [n for n in counts.players if counts.has(n, "eliminated")]
    return [_rounds_figure(_rounds(counts, counted)), _capped_figure(counts)] if counted else []


# --- data ------------------------------------------------------------------------------------------------------


def _has_uses(counts: Counts, players: int) -> bool:
    """Whether the run counted who used what."""
    return bool(counts.cases(players, "redeemed").size)


def _hands(counts: Counts, players: int) -> Row:
    """Estimate how often each category is laid in each Realm, and how often it wins there."""
    shape = (len(REALMS), len(CATEGORIES), 2)

    def sums(cell: Cell) -> np.ndarray:
        counter: np.ndarray = cell["counter_hands"].reshape(-1, *shape)
        return counter

    def laid(cell: Cell) -> np.ndarray:
        return sums(cell)[..., 0].reshape(len(cell["games"]), -1)

    def won(cell: Cell) -> np.ndarray:
        return sums(cell)[..., 1].reshape(len(cell["games"]), -1)

    def in_realm(cell: Cell) -> np.ndarray:
        realm: np.ndarray = laid(cell).reshape(-1, *shape[:2]).sum(axis=2).repeat(len(CATEGORIES), axis=1)
        return realm

    cases = counts.counter(players, "hands")[..., 0]
    wins = counts.ranges(players, counts.estimate(players, won, laid), "rate")
    parts = counts.ranges(players, counts.estimate(players, laid, in_realm), "rate")
    realms = []
    for i, realm in enumerate(REALMS):
        first = i * len(CATEGORIES)
        realms.append(
            {
                "name": realm.capitalize(),
                "where": "on Earth" if realm == "earth" else f"in the {realm.capitalize()}",
                "hands": [
                    {"name": name, "wins": wins[first + k], "part": parts[first + k]}
                    for k, name in enumerate(CATEGORIES)
                    if cases[i, k] >= FEW_CASES
                ],
            }
        )
    return {"players": players, "realms": realms}


def _with_and_without(counts: Counts, players: int, use: str, items: range) -> list[Row]:
    """Compare the win share of the seats that used an item in this way at some time with that of all others."""
    games, shares = f"use_games_{use}", f"use_share_{use}"
    first, last = items.start, items.stop

    def with_it(cell: Cell) -> np.ndarray:
        share: np.ndarray = cell[shares][:, first:last] / SHARE_UNITS
        return share

    def others_games(cell: Cell) -> np.ndarray:
        return players * cell["games"][:, None] - cell[games][:, first:last]

    def others(cell: Cell) -> np.ndarray:
        share: np.ndarray = cell["games"][:, None] - with_it(cell)
        return share

    one = counts.estimate(players, with_it, lambda cell: cell[games][:, first:last])
    rest = counts.estimate(players, others, others_games)
    found = zip(
        counts.ranges(players, one, "share"),
        counts.ranges(players, rest, "share"),
        counts.ranges(players, stats.difference(one, rest, paired=True), "difference"),
        counts.cases(players, use)[first:last],
        strict=True,
    )
    return [{"one": a, "rest": b, "gap": gap, "few": bool(cases < FEW_CASES)} for a, b, gap, cases in found]


def _ranks(counts: Counts, players: int) -> Row:
    """Estimate for each rank how many of the cards dealt win and are redeemed, and how those who redeem it fare."""

    def column(k: int) -> Callable[[Cell], np.ndarray]:
        def sums(cell: Cell) -> np.ndarray:
            counter: np.ndarray = cell["counter_recruits"].reshape(-1, len(ROWS), 3)[..., k]
            return counter

        return sums

    dealt, won, redeemed = map(column, range(3))
    rows = zip(
        (*RANK_TITLES, "Bridge", "Wild"),
        _redeemed_for(counts),
        counts.ranges(players, counts.estimate(players, dealt, lambda cell: cell["games"]), "mean"),
        counts.ranges(players, counts.estimate(players, won, dealt), "rate"),
        counts.ranges(players, counts.estimate(players, redeemed, won), "rate"),
        _with_and_without(counts, players, "redeemed", range(len(ROWS))),
        counts.counter(players, "recruits")[:, 0],
        strict=True,
    )
    keys = ("name", "token", "dealt", "won", "redeemed", "share", "cases")
    return {
        "players": players,
        "ranks": [row for row in (dict(zip(keys, r, strict=True)) for r in rows) if row["cases"]],
    }


def _redeemed_for(counts: Counts) -> list[str]:
    """Name what each rank is redeemed for; "" for nothing."""
    rules = counts.rules
    table = [rules["redeems"].get(rank, "none") for rank in RANK_NAMES]
    names = [
        "" if name == "none" else name.capitalize() for name in (*table, rules["bridge_redeems"], rules["wild_redeems"])
    ]
    if rules["ten_draws_legend"]:
        names[RANK_NAMES.index("10")] = "Legend card"
    return names


def _legends(counts: Counts, players: int) -> Row:
    """Estimate for each Legend kind the cards drawn, wagered and turned in, and how those who turn it in fare."""
    per_game = counts.ranges(players, counts.per_game(players, "legends"), "mean")
    share = _with_and_without(counts, players, "turned_in", range(len(ROWS), len(ROWS) + len(LEGENDS)))
    keys = ("drawn", "wagered", "turned_in")
    return {
        "players": players,
        "kinds": [
            {"name": name, "share": share[k], **dict(zip(keys, per_game[3 * k : 3 * k + 3], strict=True))}
            for k, name in enumerate(LEGEND_TITLES)
            if counts.rules["copies"][LEGENDS[k]]
        ],
    }


def _tokens(counts: Counts, players: int) -> Row:
    """Estimate for each kind of token the rounds held, the damage, and the damage in each round held."""
    per_game = counts.ranges(players, counts.per_game(players, "forces"), "mean")

    def column(k: int) -> Callable[[Cell], np.ndarray]:
        def sums(cell: Cell) -> np.ndarray:
            counter: np.ndarray = cell["counter_forces"].reshape(-1, len(WARRIORS), 2)[..., k]
            return counter

        return sums

    rate = counts.ranges(players, counts.estimate(players, column(1), column(0)), "mean")
    held = counts.counter(players, "forces")[:, 0]
    return {
        "players": players,
        "kinds": [
            {
                "name": name.capitalize(),
                "power": int(counts.rules["power"][name]),
                "held": per_game[2 * k],
                "damage": per_game[2 * k + 1],
                "rate": rate[k],
            }
            for k, name in enumerate(WARRIORS)
            if held[k] >= FEW_CASES
        ],
    }


def _all_of(sums: Callable[[Cell], np.ndarray]) -> Callable[[Cell], np.ndarray]:
    """Add up all columns of a counter."""

    def added(cell: Cell) -> np.ndarray:
        total: np.ndarray = sums(cell).sum(axis=1)
        return total

    return added


def _rounds(counts: Counts, players: Sequence[int]) -> list[Row]:
    """Estimate when games end and when players go out, in the same rounds for every player count."""

    def ended(cell: Cell) -> np.ndarray:
        return cell["hist_rounds"]

    def games(cell: Cell) -> np.ndarray:
        return cell["games"]

    def out(cell: Cell) -> np.ndarray:
        return np.pad(cell["counter_eliminated"], ((0, 0), (1, 0)))  # the first place is that of no round

    shown = counts.counter(players[0], "eliminated").size
    shares = [counts.estimate(n, lambda c: ended(c)[:, :shown], games).value for n in players]
    shares += [counts.estimate(n, lambda c: out(c)[:, :shown], _all_of(out)).value for n in players]
    common = [r for r in range(1, shown) if max(share[r] for share in shares) >= FEWEST] or [shown - 1]
    first, last = common[0], max(common[-1], common[0] + 1)
    edges = [0, *range(first + 1, last + 1)]
    names = [f"to {first}", *map(str, range(first + 1, last)), f"{last} on"]

    def grouped(table: np.ndarray) -> np.ndarray:
        groups: np.ndarray = np.add.reduceat(table, edges, axis=1)
        return groups

    def numbered(table: np.ndarray) -> np.ndarray:
        weighted: np.ndarray = table @ np.arange(table.shape[1])
        return weighted

    found = []
    for n in players:
        ends = counts.ranges(n, counts.estimate(n, lambda c: grouped(ended(c)), games), "rate")
        outs = counts.ranges(n, counts.estimate(n, lambda c: grouped(out(c)), _all_of(out)), "rate")
        length = counts.ranges(n, counts.estimate(n, lambda c: c["rounds"], games), "mean")
        when = counts.ranges(n, counts.estimate(n, lambda c: numbered(out(c)), _all_of(out)), "mean")
        found.append(
            {
                "players": n,
                "length": length[0],
                "out": when[0],
                "rounds": [{"name": name, "ends": a, "out": b} for name, a, b in zip(names, ends, outs, strict=True)],
            }
        )
    return found


# --- hands -----------------------------------------------------------------------------------------------------


def _focus(tables: Sequence[Row]) -> tuple[Row, str]:
    """Choose the player count that is drawn; return it and how to name it, "" where it is the only one."""
    table = tables[len(tables) // 2]
    return table, f", {words.plural(table['players'], 'player')}" if len(tables) > 1 else ""


def _filled(*charts: Row) -> list[Row]:
    """Leave out what is not known, and charts without a row: a changed rule may leave nothing to show."""
    for chart in charts:
        size = "x" if chart["kind"] == "dots" else "value"
        chart["rows"] = [row for row in chart["rows"] if np.isfinite(row[size])]
    return [chart for chart in charts if chart["rows"]]


def _hands_figure(tables: Sequence[Row]) -> Row:
    focus, where = _focus(tables)
    return {
        "id": "hands",
        "headline": _hands_headline(focus, len(tables) > 1),
        "sub": f"Share of such hands that won their Realm · right: share of all hands laid there{where}",
        "how": f"Hands laid fewer than {FEW_CASES} times are left out. Equal hands all win, so that the average hand "
        "wins a little more than par.",
        "panels": _filled(*map(_hands_bars, focus["realms"])),
        "numbers": [_hands_table(tables)],
    }


def _hands_headline(table: Row, several: bool) -> str:
    """Say what it takes in each Realm to win more often than par."""
    par = 1.0 / table["players"]
    needed = []
    for realm in table["realms"]:
        better = list(takewhile(lambda hand: hand["wins"]["est"] > par, reversed(realm["hands"])))
        enough = next((hand for hand in reversed(better) if hand["wins"]["joint_lo"] > par), None)
        if enough:
            name, size = enough["name"], words.percent(enough["wins"]["est"], 0)
            counted = name.startswith(("two", "three", "four", "five"))
            needed.append(f"{name if counted else _a(name)} {realm['where']} ({size})")
    if not needed:
        return "No hand surely wins its Realm more often than par"
    where = f"{words.with_players(table['players'])} " if several else ""
    return words.sentence(
        f"{where}it takes {words.listing(needed)} to win more often than par ({words.percent(par, 0)})"
    )


def _hands_bars(realm: Row) -> Row:
    return {
        "kind": "bars",
        "title": realm["name"],
        "value_head": "won",
        "right_head": "laid",
        "rows": [
            {
                "label": _short(hand["name"]),
                "value": hand["wins"]["est"],
                "text": words.percent(hand["wins"]["est"], 0),
                "right": words.percent(hand["part"]["est"], 0 if hand["part"]["est"] >= 0.01 else 2),
            }
            for hand in reversed(realm["hands"])
        ],
    }


def _short(name: str) -> str:
    for long, short in SHORT.items():
        name = name.replace(long, short)
    return name


def _hands_table(tables: Sequence[Row]) -> Row:
    hands = [hand for t in tables for realm in t["realms"] for hand in realm["hands"]]
    wins, parts = (digits((hand[key] for hand in hands), 100.0, "lo", "hi") for key in ("wins", "part"))
    return {
        "caption": "Hands by Realm and category, with 95% ranges",
        "columns": ["Hand", "Won", "Range", "Of all hands laid", "Range"],
        "rows": [
            [
                f"{realm['name']}, {hand['name']}, {words.plural(t['players'], 'player')}",
                *_percent(hand["wins"], wins),
                *_percent(hand["part"], max(parts, 2)),
            ]
            for t in tables
            for realm in t["realms"]
            for hand in reversed(realm["hands"])
        ],
    }


# --- Recruitment ranks -----------------------------------------------------------------------------------------


def _ranks_figure(tables: Sequence[Row]) -> Row:
    focus, where = _focus(tables)
    redeemable = [rank for rank in focus["ranks"] if rank["token"]]
    return {
        "id": "ranks",
        "headline": _ranks_headline(focus, len(tables) > 1),
        "sub": f"What becomes of the cards dealt, and points of win share of those who redeem them{where}",
        "how": "A winner redeems one card of the hand at most. Last chart: the win share of whoever redeemed such a "
        "card at some time, from that of whoever never did. It goes together; it is not a cause: whoever wins hands "
        "redeems more of everything. So compare the ranks with each other.",
        "panels": _filled(
            {
                "kind": "bars",
                "title": "Dealt, then in a winning hand",
                "value_head": "of those dealt",
                "rows": [_bar(rank["name"], rank["won"]) for rank in focus["ranks"]],
            },
            {
                "kind": "bars",
                "title": "In a winning hand, then redeemed",
                "value_head": "of those in winning hands",
                "right_head": "for",
                "rows": [_bar(rank["name"], rank["redeemed"], rank["token"]) for rank in redeemable],
            },
            _gaps("Ahead of whoever never redeems it", redeemable),
        ),
        "numbers": [_ranks_table(tables)],
    }


def _bar(label: str, row: Row, right: str = "") -> Row:
    return {"label": label, "value": row["est"], "text": words.percent(row["est"], 0), "right": right}


def _gaps(title: str, rows: Sequence[Row]) -> Row:
    """Draw by how many points of win share those who used an item are ahead of those who never did."""
    return {
        "kind": "dots",
        "title": title,
        "pitch": 29,
        "rows": [
            {
                "label": row["name"],
                "value": words.number(100 * row["share"]["gap"]["est"], 0, signed=True),
                "x": 100 * row["share"]["gap"]["est"],
                **{key: 100 * row["share"]["gap"][key] for key in ("lo", "hi", "joint_lo", "joint_hi")},
            }
            for row in rows
            if not row["share"]["few"]
        ],
    }


def _ranks_headline(table: Row, several: bool) -> str:
    """Name the ranks that are redeemed most and least often once they have won."""
    ranks = [rank for rank in table["ranks"] if rank["token"] and np.isfinite(rank["redeemed"]["est"])]
    if not ranks:
        return "No Recruitment card is redeemed for anything"
    most = max(ranks, key=lambda rank: rank["redeemed"]["est"])
    least = min(ranks, key=lambda rank: rank["redeemed"]["est"])
    where = f"{words.with_players(table['players'])} " if several else ""
    first = words.percent(most["redeemed"]["est"], 0)
    if most["redeemed"]["joint_lo"] <= least["redeemed"]["joint_hi"]:
        return words.sentence(f"{where}no rank is surely redeemed more often than another: at most {first} of the time")
    return words.sentence(
        f"{where}{_a(most['name'])} in a winning hand is redeemed {first} of the time, {_a(least['name'])} only "
        f"{words.percent(least['redeemed']['est'], 0)}"
    )


def _ranks_table(tables: Sequence[Row]) -> Row:
    ranks = [rank for t in tables for rank in t["ranks"]]
    dealt = digits((rank["dealt"] for rank in ranks), 1.0, "lo", "hi")
    parts = digits([rank[key] for rank in ranks for key in ("won", "redeemed")], 100.0, "lo", "hi")
    return {
        "caption": "Recruitment ranks, with 95% ranges",
        "columns": [
            ["Rank", False],
            ["Redeemed for", False],
            *([name, True] for name in ("Dealt a game", "Range", "Of these, in a winning hand", "Range")),
            *([name, True] for name in ("Of these, redeemed", "Range", *_share_columns("redeemed"))),
        ],
        "rows": [
            [
                f"{rank['name']}, {words.plural(t['players'], 'player')}",
                rank["token"] or "nothing",
                *_mean(rank["dealt"], dealt),
                *_percent(rank["won"], parts),
                *(_percent(rank["redeemed"], parts) if rank["token"] else ["–"] * 2),
                *_shares(rank["share"]),
            ]
            for t in tables
            for rank in t["ranks"]
        ],
    }


# --- Legend cards ----------------------------------------------------------------------------------------------


def _legends_figure(tables: Sequence[Row]) -> Row:
    focus, where = _focus(tables)
    return {
        "id": "legends",
        "headline": _legends_headline(focus, len(tables) > 1),
        "sub": f"Cards turned in for sets and wagered in a game · points of win share of those who turn one in{where}",
        "how": "“Never” includes those who never had one; the section Cards compares among those who had it. It goes "
        "together; it is not a cause: whoever stays in longer turns in more. What a Legend card causes: hakari cards "
        "sangoku.",
        "panels": _filled(
            {
                "kind": "bars",
                "title": "Cards a game",
                "value_head": "turned in",
                "right_head": "wagered",
                "rows": [
                    {
                        "label": kind["name"],
                        "value": kind["turned_in"]["est"],
                        "text": words.number(kind["turned_in"]["est"], 1),
                        "right": words.number(kind["wagered"]["est"], 1),
                    }
                    for kind in focus["kinds"]
                ],
            },
            _gaps("Ahead of whoever never turns it in", focus["kinds"]),
        ),
        "numbers": [_legends_table(tables)],
    }


def _legends_headline(table: Row, several: bool) -> str:
    """Name the kind that goes most with winning once turned in, and one that is wagered more than it is turned in."""
    kinds = [kind for kind in table["kinds"] if not kind["share"]["few"]]
    if not kinds:
        return "Legend cards are hardly ever turned in"
    best = max(kinds, key=lambda kind: kind["share"]["gap"]["est"])
    where = f" {words.with_players(table['players'])}" if several else ""
    one, rest = (words.percent(best["share"][key]["est"], 0) for key in ("one", "rest"))
    text = f"Whoever turns in {_a(best['name'])} wins {one}{where}, whoever never does {rest}"
    stakes = [k for k in kinds if k["wagered"]["joint_lo"] > k["turned_in"]["joint_hi"]]
    if stakes:
        names = words.listing([kind["name"] for kind in sorted(stakes, key=lambda k: -k["wagered"]["est"])])
        text += f"; {names} {'is' if len(stakes) == 1 else 'are'} wagered more often than turned in"
    return text


def _legends_table(tables: Sequence[Row]) -> Row:
    kinds = [kind for t in tables for kind in t["kinds"]]
    places = digits([kind[key] for kind in kinds for key in ("drawn", "wagered", "turned_in")], 1.0, "lo", "hi")
    return {
        "caption": "Legend cards a game, with 95% ranges",
        "columns": [
            "Legend",
            *("Drawn after the opening hands", "Range", "Wagered", "Range", "Turned in", "Range"),
            *_share_columns("turned in"),
        ],
        "rows": [
            [
                f"{kind['name']}, {words.plural(t['players'], 'player')}",
                *_mean(kind["drawn"], places),
                *_mean(kind["wagered"], places),
                *_mean(kind["turned_in"], places),
                *_shares(kind["share"]),
            ]
            for t in tables
            for kind in t["kinds"]
        ],
    }


# --- tokens ----------------------------------------------------------------------------------------------------


def _tokens_figure(tables: Sequence[Row]) -> Row:
    focus, where = _focus(tables)
    return {
        "id": "tokens",
        "headline": _tokens_headline(focus, len(tables) > 1),
        "sub": f"Damage that a token deals to all opponents together in each round it is held{where}",
        "how": "Brackets: power. Right: rounds held in a game, all tokens of the kind together. Damage as it is dealt "
        "in combat: before the purple line, and before a player takes only the largest of what the opponents deal.",
        "panels": _filled(
            {
                "kind": "bars",
                "value_head": "damage in a round",
                "right_head": "rounds held",
                "rows": [
                    {
                        "label": f"{kind['name']} ({kind['power']})",
                        "value": kind["rate"]["est"],
                        "text": words.number(kind["rate"]["est"], 2),
                        "right": words.number(kind["held"]["est"], 1),
                    }
                    for kind in focus["kinds"]
                ],
            },
        ),
        "numbers": [_tokens_table(tables)],
    }


def _tokens_headline(table: Row, several: bool) -> str:
    """Compare what the tokens of most and least damage do in each round."""
    if not table["kinds"]:
        return "Hardly any token is ever held"
    most = max(table["kinds"], key=lambda kind: kind["rate"]["est"])
    least = min(table["kinds"], key=lambda kind: kind["rate"]["est"])
    where = f" {words.with_players(table['players'])}" if several else ""
    size = words.number(most["rate"]["est"], 1)
    if most["rate"]["joint_lo"] <= least["rate"]["joint_hi"]:
        return f"No kind of token surely deals more damage than another: about {size} in each round{where}"
    return (
        f"{words.sentence(_a(most['name']))} (power {most['power']}) deals {size} damage in each round it is held"
        f"{where}, {_a(least['name'])} (power {least['power']}) {words.number(least['rate']['est'], 1)}"
    )


def _tokens_table(tables: Sequence[Row]) -> Row:
    kinds = [kind for t in tables for kind in t["kinds"]]
    each = digits((kind["rate"] for kind in kinds), 1.0, "lo", "hi")
    places = digits([kind[key] for kind in kinds for key in ("held", "damage")], 1.0, "lo", "hi")
    return {
        "caption": "Tokens by kind, with 95% ranges",
        "columns": [
            "Token",
            *("Rounds held in a game", "Range", "Damage in a game", "Range", "Damage a token and round", "Range"),
        ],
        "rows": [
            [
                f"{kind['name']}, {words.plural(t['players'], 'player')}",
                *_mean(kind["held"], places),
                *_mean(kind["damage"], places),
                *_mean(kind["rate"], each),
            ]
            for t in tables
            for kind in t["kinds"]
        ],
    }


# --- rounds ----------------------------------------------------------------------------------------------------


def _rounds_figure(tables: Sequence[Row]) -> Row:
    focus, where = _focus(tables)
    variant, *more = VARIANTS
    who = f"{words.with_players(focus['players'])} " if len(tables) > 1 else ""
    length, out = (words.number(focus[key]["est"], 1) for key in ("length", "out"))
    gone = f"players go out in round {out}" if np.isfinite(focus["out"]["est"]) else "nobody goes out"
    return {
        "id": "rounds",
        "headline": words.sentence(f"{who}a game ends after {length} rounds on average, and {gone}"),
        "sub": f"Share of games that end in a round, and of the eliminated players who go out in it{where}",
        "how": "How the variants of the rule book change this, and how fair they are: hakari compare sangoku "
        f"{variant} (or {words.listing(more, 'or')}).",
        "panels": _filled(
            *(
                {
                    "kind": "bars",
                    "title": title,
                    "value_head": head,
                    "rows": [_bar(each["name"], each[key]) for each in focus["rounds"]],
                }
                for title, head, key in (
                    ("Games end in round", "of games", "ends"),
                    ("Players go out in round", "of eliminations", "out"),
                )
            )
        ),
        "numbers": [_length_table(tables), _rounds_table(tables)],
    }


def _length_table(tables: Sequence[Row]) -> Row:
    places = digits([t[key] for t in tables for key in ("length", "out")], 1.0, "lo", "hi")
    return {
        "caption": "Rounds of a game, and round in which players are eliminated, with 95% ranges",
        "columns": ["Players", "Rounds of a game", "Range", "Eliminated in round", "Range"],
        "rows": [[str(t["players"]), *_mean(t["length"], places), *_mean(t["out"], places)] for t in tables],
    }


def _rounds_table(tables: Sequence[Row]) -> Row:
    rounds = [r for t in tables for r in t["rounds"]]
    places = digits([r[key] for r in rounds for key in ("ends", "out")], 100.0, "lo", "hi")
    return {
        "caption": "Games that end and players eliminated by round, with 95% ranges",
        "columns": ["Round", "Games end", "Range", "Eliminations", "Range"],
        "rows": [
            [
                f"{words.plural(t['players'], 'player')}, round {r['name']}",
                *_percent(r["ends"], places),
                *_percent(r["out"], places),
            ]
            for t in tables
            for r in t["rounds"]
        ],
    }


# --- the cap ---------------------------------------------------------------------------------------------------


def _capped_figure(counts: Counts) -> Row:
    """Say how many games the cap stopped in every kind of line-up, and why they would not end."""
    found = [(n, kind, row) for n in counts.players for kind, row in counts.capped(n).items()]
    cap = words.plural(counts.rules["max_rounds"], "round")
    n, kind, worst = max(found, key=lambda each: each[2]["est"])
    if worst["est"] == 0.0:
        surely = max(row["hi"] for _, _, row in found)
        headline = f"No game is stopped by the cap of {cap}; at most {words.percent(surely, 2)} could be, at any table"
    else:
        headline = (
            f"The cap of {cap} stops {words.percent(worst['est'], 2)} of games {words.with_players(n)}, "
            f"{LINEUPS.get(kind, kind).lower()}: more than at any other table"
        )
    return {
        "id": "capped",
        "headline": headline,
        "sub": "Share of games stopped by the cap",
        "how": "A game stalls only while nobody deals damage: equal tokens cancel each other, and at the purple line "
        "and below it only strong tokens and sets of Legend cards hurt.",
        "panels": [],
        "numbers": [
            {
                "caption": "Games stopped by the cap, with 95% ranges",
                "columns": ["Line-up", "Stopped", "Range"],
                "rows": [
                    [f"{LINEUPS.get(kind, kind)}, {words.plural(n, 'player')}", *_percent(row, 2)]
                    for n, kind, row in found
                ],
            }
        ],
    }


# --- words and cells of tables ---------------------------------------------------------------------------------


def _a(name: str) -> str:
    """Write a name with its article."""
    return f"{'an' if name[0] in 'AEIO8' else 'a'} {name}"


def _mean(row: Row, places: int) -> list[str]:
    return [words.number(row["est"], places), words.span(row["lo"], row["hi"], places)]


def _percent(row: Row, places: int) -> list[str]:
    return [words.percent(row["est"], places), words.span(100 * row["lo"], 100 * row["hi"], places)]


def _share_columns(done: str) -> list[str]:
    return [f"Win share, {done}", "Range", f"Never {done}", "Range"]


def _shares(share: Row) -> list[str]:
    return ["–"] * 4 if share["few"] else [*_percent(share["one"], 1), *_percent(share["rest"], 1)]


PANELS = (
    Panel("hands", "Hands and ranks", hands_and_ranks),
    Panel("legends", "Legends and tokens", legends_and_tokens),
    Panel("rounds", "Rounds and eliminations", rounds_and_eliminations),
)
