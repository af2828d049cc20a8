"""The slow twin of emblems: it accepts right traces, refuses wrong ones, and follows each ruling of the rules page.

The hand-built cases feed lines whose rows, coins and named locations are written out here, so the twin is compared with
the rules page and not with itself.
"""

import ast
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from .emblems import LOCATIONS, Game, Line, Mismatch, check, choose_randomly, default_rules, play_random
from .faults import Fault, change, double, drop, insert, reference, remove, swap

PLAYERS = [3, 4, 5]


# ---------------------------------------------------------------------- the reference traces


@pytest.mark.parametrize(("number", "coins"), [(1, [40, 23, 22]), (2, [17, 26, 15, 32, 17])])
def test_reference_traces_pass(number: int, coins: list[int]) -> None:
    game = check(reference("emblems", number))
    assert game.over
    assert game.phase == "closed"
    assert game.coins == coins


def test_selecting_in_another_order_is_allowed() -> None:
    lines = reference("emblems", 1)
    lines[2], lines[4] = lines[4], lines[2]
    check(lines)


# What is wrong, in which reference trace, at which line the twin must say so, and the edits that make it so.
CORRUPTIONS: list[tuple[str, int, int, list[Fault]]] = [
    # the first two lines
    ("another game", 1, 1, [change(1, "game", "mon")]),
    ("six players", 1, 1, [change(1, "players", 6)]),
    ("a strategy too few", 1, 1, [remove(1, "strategies/2")]),
    ("no deal number", 1, 1, [remove(1, "deal")]),
    ("unknown set", 1, 1, [change(1, "rules/set", "D")]),
    ("unknown symbol", 1, 1, [change(1, "rules/sets/A/port/3-4/1", "double")]),
    ("unknown ruling", 1, 1, [change(1, "rules/rulings/effects", "sometimes")]),
    ("missing rule", 1, 1, [remove(1, "rules/rulings/debt")]),
    ("more turns than cards in hand", 1, 1, [change(1, "rules/turns/3", 7), change(1, "rules/rounds", 2)]),
    ("more turns than cards", 1, 1, [change(1, "rules/rounds", 4)]),
    ("sixteen rewards", 1, 1, [change(1, "rules/sets/A/village/3-4", [1] * 16)]),
    ("blanked card that does not exist", 1, 1, [change(1, "rules/interventions/blank", ["1:16"])]),
    ("doubled card", 1, 2, [change(2, "hands/0/0", 12)]),
    ("hand of seven", 1, 2, [change(2, "hands/1", [1, 7, 9, 5, 13, 10, 6]), remove(2, "draw_piles/1/0")]),
    ("richer start", 1, 2, [change(2, "coins/1", 4)]),
    ("pawn elsewhere", 1, 2, [change(2, "pawn", 1)]),
    ("other set than in the rules", 1, 2, [change(2, "set", "B")]),
    # a turn
    ("select a card not in hand", 1, 4, [change(4, "value", 12)]),
    ("select twice", 1, 5, [double(4)]),
    ("selection missing", 1, 5, [drop(5)]),
    ("extra field", 1, 6, [change(6, "to", "port")]),
    ("wrong phase", 1, 6, [change(6, "phase", "target")]),
    ("no state", 1, 6, [remove(6, "state")]),
    ("yes instead of a number", 1, 12, [change(12, "seat", True)]),
    ("place out of turn", 1, 6, [change(6, "seat", 1)]),
    ("gap that breaks the order", 1, 8, [change(8, "gap", 0), change(8, "state/rows/port", ["1:10", "0:12"])]),
    ("gap beyond the row", 1, 8, [change(8, "gap", 2)]),
    ("wrong row order", 1, 10, [change(10, "state/rows/port", ["1:10", "2:11"])]),
    ("other gap among equals than told", 1, 60, [change(60, "gap", 0)]),
    ("card in the wrong row", 1, 9, [change(9, "state/rows/castle", []), change(9, "state/rows/village", ["0:12"])]),
    ("card lost on its way", 1, 9, [change(9, "state/rows/castle", [])]),
    ("Guard moves to the same location", 1, 9, [change(9, "to", "port")]),
    ("Alchemist copies what is not beside it", 1, 9, [change(9, "as", 5)]),
    (
        "Alchemist passes although it can copy",
        1,
        9,
        [remove(9, "as"), remove(9, "to"), remove(9, "gap"), change(9, "target", "none")],
    ),
    ("effect line missing", 1, 7, [drop(7)]),
    ("card placed twice", 1, 19, [double(18)]),
    (
        "effect line for a card without one",
        1,
        19,
        [insert(19, seat=0, phase="target", kind="effect", value=3, target="none")],
    ),
    ("Thief's coins do not move", 1, 11, [change(11, "state/coins", [3, 3, 3])]),
    ("coins that are no whole number", 1, 11, [change(11, "state/coins/2", 5.0)]),
    ("Thief takes three", 1, 11, [change(11, "state/coins", [3, 0, 6])]),
    ("Thief steals from itself", 2, 37, [change(37, "target", "4:13")]),
    ("Thief spares the only victim", 2, 12, [change(12, "target", "none")]),
    ("pawn passed too early", 1, 11, [change(11, "state/pawn", 1)]),
    ("pawn stays", 1, 12, [change(12, "state/pawn", 0)]),
    ("Hunter discards a lower card", 1, 16, [change(16, "target", "1:10")]),
    ("Hunter discards nothing", 2, 59, [change(59, "target", "none")]),
    ("Hunter's victim stays", 1, 16, [change(16, "state/rows/port", ["2:11", "1:10", "1:1"])]),
    ("Warrior hits at a distance", 1, 34, [change(34, "target", "1:1")]),
    ("Courtesan calls a seat that has revealed", 1, 46, [change(46, "target", 1)]),
    ("Courtesan passes", 1, 46, [change(46, "target", "none")]),
    ("Courtesan's card missing", 1, 47, [drop(47)]),
    ("Courtesan gives a card not in hand", 1, 47, [change(47, "value", 3)]),
    ("Courtesan gives the same card again", 1, 47, [change(47, "value", 6)]),
    ("Courtesan swaps another seat's card", 1, 47, [change(47, "seat", 1)]),
    ("old card played after the swap", 1, 48, [change(48, "state/rows/village/2", "0:6")]),
    ("Bard takes from its own row", 1, 49, [change(49, "target", "1:13"), change(49, "gap", 0)]),
    ("Strategist's naming not noted", 1, 69, [change(69, "state/forced", [None, None, None])]),
    ("named location ignored", 1, 70, [change(70, "location", "castle"), change(70, "gap", 0)]),
    ("name kept after the placement", 1, 70, [change(70, "state/forced", ["port", None, None])]),
    ("name used up by another seat", 2, 123, [change(123, "state/forced", [None] * 5)]),
    # the end of a round
    ("King not discarded", 1, 110, [change(110, "effects/0/result", "nothing")]),
    ("King discarded without a Thief", 1, 109, [change(109, "effects/0/result", "discarded")]),
    ("King rewarded", 2, 42, [change(42, "rewards/3", {"card": "0:15", "rank": 4, "coins": 2})]),
    ("Princess pays herself", 1, 35, [change(35, "effects/0/gains", [4, 0, 1])]),
    ("Witch ignored", 1, 73, [change(73, "effects/3", {"card": "0:6", "result": "coins", "gains": [2, 0, 0]})]),
    ("Witch cancels nothing", 2, 41, [change(41, "effects/1/result", "reverses")]),
    (
        "reversed rewards ignored",
        1,
        109,
        [
            change(
                109,
                "rewards",
                [
                    {"card": "0:15", "rank": 1, "coins": 3},
                    {"card": "2:14", "rank": 2, "coins": 2},
                    {"card": "1:12", "rank": 3, "coins": 2},
                ],
            ),
            change(109, "coins", [34, 22, 24]),
        ],
    ),
    ("Merchant counts itself", 1, 72, [change(72, "effects/0/gains", [0, 2, 0])]),
    ("Spy paid in company", 1, 35, [change(35, "effects/2", {"card": "0:3", "result": "coins", "gains": [2, 0, 0]})]),
    ("Sailor doubles outside the Port", 1, 35, [change(35, "effects/3/result", "doubles")]),
    (
        "Sailor's loss goes below zero",
        2,
        42,
        [change(42, "rewards/0/coins", -6), change(42, "coins", [2, 1, 11, 15, 12])],
    ),
    ("effect omitted", 1, 35, [remove(35, "effects/3")]),
    (
        "effects from the right",
        1,
        72,
        [
            change(
                72,
                "effects",
                [
                    {"card": "0:3", "result": "coins", "gains": [2, 0, 0]},
                    {"card": "1:6", "result": "coins", "gains": [0, 1, 0]},
                ],
            )
        ],
    ),
    ("theft by reward too large", 2, 41, [change(41, "rewards/0/coins", 5)]),
    ("reward missing", 1, 36, [remove(36, "rewards/1")]),
    ("reward with the wrong rank", 1, 36, [change(36, "rewards/1/rank", 3)]),
    ("wrong coins after the Castle", 1, 35, [change(35, "coins", [13, 1, 8])]),
    ("loss left out", 1, 74, [change(74, "rewards/2/coins", 0)]),
    ("Village before Castle", 1, 35, [swap(35)]),
    ("location missing", 1, 37, [drop(37)]),
    ("rewarded cards stay", 1, 41, [change(41, "state/rows/village", ["1:9", "2:5"])]),
    ("unrewarded cards leave", 1, 41, [change(41, "state/rows/castle", [])]),
    ("drawn out of order", 1, 38, [change(38, "values", [9, 8, 5, 13])]),
    ("a card drawn too few", 1, 39, [remove(39, "values/3")]),
    ("second seat draws first", 1, 38, [swap(38)]),
    ("draw missing", 1, 40, [drop(40)]),
    ("draw after the last round", 1, 111, [insert(111, type="chance", event="drawn", values=[])]),
    # the end
    ("wrong winner", 1, 111, [change(111, "winners", [1])]),
    ("two winners", 1, 111, [change(111, "winners", [0, 1])]),
    ("wrong score", 2, 141, [change(141, "scores/0", 18)]),
    ("wrong number of turns", 2, 141, [change(141, "turns", 12)]),
    ("wrong number of rounds", 2, 141, [change(141, "rounds", 2)]),
    ("other reason", 1, 111, [change(111, "reason", "cap")]),
    ("no end", 1, 111, [drop(111)]),
    ("two ends", 1, 112, [double(111)]),
]


@pytest.mark.parametrize(
    ("number", "line", "edits"),
    [corruption[1:] for corruption in CORRUPTIONS],
    ids=[corruption[0] for corruption in CORRUPTIONS],
)
def test_corrupted_traces_fail_at_the_line(number: int, line: int, edits: list[Fault]) -> None:
    lines = reference("emblems", number)
    for edit in edits:
        edit(lines)
    with pytest.raises(Mismatch) as caught:
        check(lines)
    assert caught.value.line == line


def test_mismatch_tells_what_was_found_and_expected() -> None:
    lines = reference("emblems", 1)
    lines[110]["winners"] = [1]
    with pytest.raises(Mismatch, match=r"^line 111: found .*expected") as caught:
        check(lines)
    assert caught.value.found == lines[110]
    assert caught.value.expected == reference("emblems", 1)[110]


# ---------------------------------------------------------------------- tables built by hand


def table(
    players: int = 3,
    *,
    rows: dict[str, str] | None = None,
    selected: dict[int, int] | None = None,
    hands: dict[int, list[int]] | None = None,
    coins: list[int] | None = None,
    pawn: int = 0,
    revealed: int = 0,
    entries: dict[str, list[int | str]] | None = None,
    blank: Sequence[str] = (),
    **rulings: Any,
) -> Game:
    """A game in the middle of a turn: cards lie in ``rows``, ``revealed`` seats from the pawn on have placed theirs.

    Cards not named elsewhere are in their owners' hands; a seat named in ``hands`` holds just those, the others lie in
    its pile. Without ``entries`` the Locations are those of set A.
    """
    rules = default_rules()
    rules["rounds"], rules["hand"] = 1, 15
    rules["turns"] = {"3": 5, "4": 5, "5": 5}
    rules["rulings"].update(rulings)
    rules["interventions"]["blank"] = list(blank)
    if entries is not None:
        rules["set"] = "by hand"
        rules["sets"]["by hand"] = {
            location: {"3-4": entries.get(location, []), "5": entries.get(location, [])} for location in LOCATIONS
        }
    every_value = list(range(15, 0, -1))
    game = Game(
        {
            "type": "game",
            "game": "emblems",
            "version": 1,
            "players": players,
            "seed": 0,
            "deal": 0,
            "strategies": ["random"] * players,
            "rules": rules,
        },
        {
            "type": "setup",
            "hands": [every_value] * players,
            "draw_piles": [[]] * players,
            "set": rules["set"],
            "coins": [3] * players,
            "pawn": 0,
        },
    )
    for location, text in (rows or {}).items():
        game.rows[location] = text.split()
        for card in game.rows[location]:
            seat, value = card.split(":")
            game.hands[int(seat)].remove(int(value))
    for seat_number, chosen in (selected or {}).items():
        game.selected[seat_number] = chosen
        game.hands[seat_number].remove(chosen)
    for seat_number, held in (hands or {}).items():
        game.draw_piles[seat_number] = [value for value in game.hands[seat_number] if value not in held]
        game.hands[seat_number] = list(held)
    game.coins = coins or game.coins
    game.pawn = pawn
    game.seats_to_select = []
    game.seats_to_place = [(pawn + step) % players for step in range(players)][revealed:]
    game.phase = "place"
    game.conserved()
    return game


def play(
    game: Game,
    kind: str,
    *,
    rows: dict[str, str] | None = None,
    coins: list[int] | None = None,
    forced: list[str | None] | None = None,
    copying: int | None = None,
    **fields: Any,
) -> None:
    """Feed an action of the seat that decides; ``rows``, ``coins`` and ``forced`` are what it must change.

    ``copying`` is the trace's ``as``.
    """
    if copying is not None:
        fields["as"] = copying
    state = game.state()
    for location, text in (rows or {}).items():
        state["rows"][location] = text.split()
    state["coins"] = coins or state["coins"]
    state["forced"] = forced or state["forced"]
    phase = {"select": "select", "place": "place", "effect": "target"}[kind]
    game.feed({"type": "action", "seat": game.seat, "phase": phase, "kind": kind, **fields, "state": state})
    game.conserved()


def swapped(game: Game, seat: int, value: int) -> None:
    """Feed the chance line after a Courtesan."""
    game.feed({"type": "chance", "event": "courtesan", "seat": seat, "value": value})
    game.conserved()


def choices(game: Game) -> list[Line]:
    """Legal effects without the fields that all of them share."""
    return [{name: action[name] for name in action if name not in ("kind", "value")} for action in game.legal()]


def score(
    location: str,
    row: str,
    entries: list[int | str],
    *,
    effects: Sequence[str] = (),
    rewards: Sequence[str] = (),
    before: list[int],
    after: list[int],
    stays: str = "",
    **options: Any,
) -> Game:
    """Feed a location's end of the round as it must be, finish the round, and look at the cards that stay.

    An effect is written ``"card result gain gain gain"`` (no gains: all 0), a reward ``"card rank coins"``.
    """
    game = table(len(before), rows={location: row}, entries={location: entries}, coins=list(before), **options)
    game.seats_to_place = []
    game.phase = "end_of_round"
    game.locations_to_score = LOCATIONS[LOCATIONS.index(location) :]
    told_effects = []
    for text in effects:
        card, result, *gains = text.split()
        told_effects.append(
            {"card": card, "result": result, "gains": [int(gain) for gain in gains] or [0] * len(before)}
        )
    told_rewards = []
    for text in rewards:
        card, rank, coins = text.split()
        told_rewards.append({"card": card, "rank": int(rank), "coins": int(coins)})
    told = {"type": "event", "event": "end_of_round", "location": location}
    game.feed({**told, "effects": told_effects, "rewards": told_rewards, "coins": after})
    game.conserved()
    for empty in list(game.locations_to_score):
        game.feed({**told, "location": empty, "effects": [], "rewards": [], "coins": after})
    game.conserved()
    assert game.over
    assert game.rows[location] == stays.split()
    assert sorted(game.gone) == sorted(set(row.split()) - set(stays.split()))
    return game


# ---------------------------------------------------------------------- examples of the rule book


def test_book_example_merchant_goes_between_thief_and_sailor() -> None:
    game = table(rows={"port": "1:13 2:11 1:2"}, selected={0: 6, 1: 8, 2: 9})
    assert [action["gap"] for action in game.legal() if action["location"] == "port"] == [2]
    play(game, "place", location="port", gap=2, rows={"port": "1:13 2:11 0:6 1:2"})


def test_book_example_castle_a_pays_4_3_1() -> None:
    castle = default_rules()["sets"]["A"]["castle"]["3-4"]
    for players in (3, 4):
        rest = [3] * (players - 3)
        score(
            "castle",
            "0:12 1:9 2:8 0:5",
            castle,
            rewards=["0:12 1 4", "1:9 2 3", "2:8 3 1"],
            before=[3, 3, 3, *rest],
            after=[7, 6, 4, *rest],
            stays="0:5",
        )


# ---------------------------------------------------------------------- placing


def test_any_gap_among_equals_and_no_other() -> None:
    game = table(rows={"castle": "1:13 1:9 2:9 2:4", "village": "1:8"}, selected={0: 9, 1: 15, 2: 15})
    gaps = [(action["location"], action["gap"]) for action in game.legal()]
    assert gaps == [("castle", 1), ("castle", 2), ("castle", 3), ("village", 0), ("port", 0)]
    play(game, "place", location="castle", gap=2, rows={"castle": "1:13 1:9 0:9 2:9 2:4"})


def test_only_the_seat_in_turn_places() -> None:
    game = table(selected={0: 15, 1: 15, 2: 15}, pawn=2)
    assert game.seat == 2
    assert game.legal(0) == []
    assert game.legal(2) == game.legal()
    assert len(game.legal()) == 3


def test_each_seat_selects_once_in_any_order() -> None:
    game = Game(*reference("emblems", 1)[:2])
    assert game.seats_to_select == [0, 1, 2]
    assert game.seat == 0
    assert game.legal(2) == [{"kind": "select", "value": value} for value in [12, 10, 11, 6, 5, 9]]
    game.feed(reference("emblems", 1)[4])
    assert game.seats_to_select == [0, 1]
    assert game.legal(2) == []


def test_selecting_starts_with_the_pawn() -> None:
    game = Game(*reference("emblems", 1)[:2])
    for line in reference("emblems", 1)[2:11]:
        game.feed(line)
    assert game.seats_to_select == [1, 2, 0]


# ---------------------------------------------------------------------- immediate effects


def test_guard_moves_a_neighbour_to_another_location_and_chooses_the_gap() -> None:
    game = table(rows={"castle": "1:13 0:11 2:3", "port": "1:11 2:11"}, selected={0: 12, 1: 15, 2: 15})
    play(game, "place", location="castle", gap=1, rows={"castle": "1:13 0:12 0:11 2:3"})
    assert choices(game) == [
        {"target": "1:13", "to": "village", "gap": 0},
        {"target": "1:13", "to": "port", "gap": 0},
        {"target": "0:11", "to": "village", "gap": 0},
        {"target": "0:11", "to": "port", "gap": 0},
        {"target": "0:11", "to": "port", "gap": 1},
        {"target": "0:11", "to": "port", "gap": 2},
    ]
    # The moved Thief steals nothing: its effect does not happen again, and seat 1 is next.
    play(
        game,
        "effect",
        value=12,
        target="0:11",
        to="port",
        gap=1,
        rows={"castle": "1:13 0:12 2:3", "port": "1:11 0:11 2:11"},
    )
    assert (game.phase, game.seat) == ("place", 1)


def test_thief_steals_two_from_a_neighbours_owner_only() -> None:
    game = table(rows={"castle": "1:12 1:10 2:9"}, selected={0: 11, 1: 15, 2: 15})
    play(game, "place", location="castle", gap=1, rows={"castle": "1:12 0:11 1:10 2:9"})
    # Two neighbours of one owner are two choices; seat 2 has no adjacent card.
    assert choices(game) == [{"target": "1:12"}, {"target": "1:10"}]
    play(game, "effect", value=11, target="1:10", coins=[5, 1, 3])


def test_thief_does_not_steal_from_itself() -> None:
    game = table(rows={"castle": "0:12 0:10"}, selected={0: 11, 1: 15, 2: 15})
    play(game, "place", location="castle", gap=1, rows={"castle": "0:12 0:11 0:10"})
    assert choices(game) == [{"target": "none"}]


@pytest.mark.parametrize(
    ("debt", "coins", "after"),
    [
        (False, [3, 2, 3], [5, 0, 3]),
        (False, [3, 1, 3], [4, 0, 3]),
        (False, [3, 0, 3], [3, 0, 3]),
        (True, [3, 1, 3], [5, -1, 3]),
        (True, [3, -1, 3], [5, -3, 3]),
    ],
)
def test_theft_takes_what_is_there_or_all_with_debt(debt: bool, coins: list[int], after: list[int]) -> None:
    game = table(rows={"castle": "1:12"}, selected={0: 11, 1: 15, 2: 15}, coins=coins, debt=debt)
    play(game, "place", location="castle", gap=1, rows={"castle": "1:12 0:11"})
    assert choices(game) == [{"target": "1:12"}]
    play(game, "effect", value=11, target="1:12", coins=after)


def test_alchemist_copies_with_its_own_place_and_neighbours() -> None:
    game = table(rows={"castle": "1:11 2:5 2:1", "port": "0:13"}, selected={0: 10, 1: 15, 2: 15})
    play(game, "place", location="castle", gap=1, rows={"castle": "1:11 0:10 2:5 2:1"})
    # As Thief it robs its own neighbours' owners, as Warrior it discards its own neighbours; 2:1 is not adjacent.
    assert choices(game) == [
        {"as": 11, "target": "1:11"},
        {"as": 11, "target": "2:5"},
        {"as": 5, "target": "1:11"},
        {"as": 5, "target": "2:5"},
    ]
    play(game, "effect", value=10, copying=5, target="2:5", rows={"castle": "1:11 0:10 2:1"})
    assert game.gone == ["2:5"]


def test_alchemist_as_thief_takes_the_coins_itself() -> None:
    game = table(rows={"castle": "1:11"}, selected={0: 10, 1: 15, 2: 15})
    play(game, "place", location="castle", gap=1, rows={"castle": "1:11 0:10"})
    play(game, "effect", value=10, copying=11, target="1:11", coins=[5, 1, 3])


def test_alchemist_as_guard_moves_its_own_neighbour() -> None:
    game = table(rows={"port": "1:12 2:3"}, selected={0: 10, 1: 15, 2: 15})
    play(game, "place", location="port", gap=1, rows={"port": "1:12 0:10 2:3"})
    moved = {"port": "1:12 0:10", "village": "2:3"}
    play(game, "effect", value=10, copying=12, target="2:3", to="village", gap=0, rows=moved)


def test_alchemist_as_bard_fetches_to_its_own_row() -> None:
    game = table(rows={"port": "2:4", "castle": "1:10", "village": "2:12"}, selected={0: 10, 1: 15, 2: 15})
    play(game, "place", location="port", gap=0, rows={"port": "0:10 2:4"})
    assert choices(game) == [
        {"as": 4, "target": "1:10", "gap": 0},
        {"as": 4, "target": "1:10", "gap": 1},
        {"as": 4, "target": "2:12", "gap": 0},
    ]
    moved = {"port": "0:10 1:10 2:4", "castle": ""}
    play(game, "effect", value=10, copying=4, target="1:10", gap=1, rows=moved)


def test_alchemist_as_hunter_can_discard_itself() -> None:
    game = table(rows={"port": "2:1"}, selected={0: 10, 1: 15, 2: 15})
    play(game, "place", location="port", gap=0, rows={"port": "0:10 2:1"})
    assert choices(game) == [{"as": 1, "target": "0:10"}]
    play(game, "effect", value=10, copying=1, target="0:10", rows={"port": "2:1"})


def test_alchemist_as_strategist_names_a_location() -> None:
    game = table(rows={"port": "2:8"}, selected={0: 10, 1: 15, 2: 15})
    play(game, "place", location="port", gap=0, rows={"port": "0:10 2:8"})
    assert len(choices(game)) == 6
    play(game, "effect", value=10, copying=8, target=2, to="castle", forced=[None, None, "castle"])


def test_alchemist_as_courtesan_swaps_a_card() -> None:
    game = table(rows={"port": "2:9"}, selected={0: 10, 1: 15, 2: 15})
    play(game, "place", location="port", gap=0, rows={"port": "0:10 2:9"})
    assert choices(game) == [{"as": 9, "target": 1}, {"as": 9, "target": 2}]
    play(game, "effect", value=10, copying=9, target=1)
    swapped(game, 1, 7)
    assert game.selected == [None, 7, 15]


def test_alchemist_does_not_copy_an_alchemist_or_an_end_of_round_card() -> None:
    game = table(rows={"port": "1:13 2:10 1:7"}, selected={0: 10, 1: 15, 2: 15})
    play(game, "place", location="port", gap=2, rows={"port": "1:13 2:10 0:10 1:7"})
    assert choices(game) == [{"target": "none"}]
    play(game, "effect", value=10, target="none")


def test_alchemist_copies_only_what_then_has_a_target() -> None:
    # The last to reveal cannot copy the Strategist; a Thief among own cards finds nobody to rob.
    game = table(rows={"port": "0:11 0:8"}, selected={0: 10}, pawn=1, revealed=2)
    play(game, "place", location="port", gap=1, rows={"port": "0:11 0:10 0:8"})
    assert choices(game) == [{"target": "none"}]
    # Beside a Guard, the Guard alone is left.
    game = table(rows={"port": "0:12 0:8"}, selected={0: 10}, pawn=1, revealed=2)
    play(game, "place", location="port", gap=1, rows={"port": "0:12 0:10 0:8"})
    assert {choice["as"] for choice in choices(game)} == {12}


def test_courtesan_swaps_a_hidden_card_for_one_of_the_hand() -> None:
    game = table(selected={1: 9, 2: 15, 0: 14}, hands={2: [], 0: [6, 4]}, pawn=1)
    play(game, "place", location="port", gap=0, rows={"port": "1:9"})
    # Seat 2 has no other card in hand; seat 1 is not another player.
    assert choices(game) == [{"target": 0}]
    play(game, "effect", value=9, target=0)
    assert (game.phase, game.seat, game.legal()) == ("courtesan", None, [])
    swapped(game, 0, 4)
    assert game.selected == [4, None, 15]
    # The old card returns to the hand.
    assert sorted(game.hands[0]) == [6, 14]
    assert (game.phase, game.seat) == ("place", 2)


def test_courtesan_draws_from_the_hand_without_the_old_card() -> None:
    for value in (14, 5):
        game = table(selected={0: 9, 1: 14, 2: 15}, hands={1: [6, 4]})
        play(game, "place", location="port", gap=0, rows={"port": "0:9"})
        play(game, "effect", value=9, target=1)
        with pytest.raises(Mismatch):
            swapped(game, 1, value)


@pytest.mark.parametrize("value", [9, 8])
def test_courtesan_and_strategist_revealed_last_do_nothing(value: int) -> None:
    game = table(rows={"port": "1:15"}, selected={2: value}, revealed=2)
    play(game, "place", location="port", gap=1, rows={"port": f"1:15 2:{value}"})
    assert choices(game) == [{"target": "none"}]
    play(game, "effect", value=value, target="none")


def test_strategist_names_a_location_for_a_hidden_card() -> None:
    game = table(rows={"castle": "2:7"}, selected={1: 8, 2: 15, 0: 7}, pawn=1)
    play(game, "place", location="port", gap=0, rows={"port": "1:8"})
    assert choices(game) == [
        {"target": seat, "to": location} for seat in (2, 0) for location in ("castle", "village", "port")
    ]
    play(game, "effect", value=8, target=0, to="castle", forced=["castle", None, None])
    # Seat 2 is free, and its placement uses up nobody else's name.
    play(game, "place", location="village", gap=0, rows={"village": "2:15"})
    # In the named location any gap among equals.
    assert [(action["location"], action["gap"]) for action in game.legal()] == [("castle", 0), ("castle", 1)]
    play(game, "place", location="castle", gap=1, rows={"castle": "2:7 0:7"}, forced=[None, None, None])


def test_later_naming_replaces_an_earlier_one() -> None:
    game = table(selected={0: 8, 1: 8, 2: 15})
    play(game, "place", location="port", gap=0, rows={"port": "0:8"})
    play(game, "effect", value=8, target=2, to="castle", forced=[None, None, "castle"])
    play(game, "place", location="village", gap=0, rows={"village": "1:8"})
    play(game, "effect", value=8, target=2, to="port", forced=[None, None, "port"])
    assert game.legal() == [{"kind": "place", "location": "port", "gap": 0}]


def test_named_location_stays_when_a_courtesan_swaps_the_card() -> None:
    game = table(selected={0: 8, 1: 9, 2: 15})
    play(game, "place", location="port", gap=0, rows={"port": "0:8"})
    play(game, "effect", value=8, target=2, to="castle", forced=[None, None, "castle"])
    play(game, "place", location="village", gap=0, rows={"village": "1:9"})
    play(game, "effect", value=9, target=2)
    swapped(game, 2, 3)
    assert game.legal() == [{"kind": "place", "location": "castle", "gap": 0}]
    play(game, "place", location="castle", gap=0, rows={"castle": "2:3"}, forced=[None, None, None])


def test_warrior_discards_a_neighbour_also_its_own() -> None:
    game = table(rows={"port": "1:11 0:7 2:4"}, selected={0: 5, 1: 15, 2: 15})
    play(game, "place", location="port", gap=2, rows={"port": "1:11 0:7 0:5 2:4"})
    assert choices(game) == [{"target": "0:7"}, {"target": "2:4"}]
    play(game, "effect", value=5, target="0:7", rows={"port": "1:11 0:5 2:4"})
    assert game.gone == ["0:7"]


def test_mandatory_effect_against_oneself_cannot_be_declined() -> None:
    game = table(rows={"port": "0:7"}, selected={0: 5, 1: 15, 2: 15})
    play(game, "place", location="port", gap=1, rows={"port": "0:7 0:5"})
    assert choices(game) == [{"target": "0:7"}]


def test_bard_fetches_a_card_from_another_location() -> None:
    game = table(
        rows={"castle": "1:12 2:4", "village": "1:4", "port": "0:13 2:12"},
        selected={0: 4, 1: 15, 2: 15},
    )
    play(game, "place", location="village", gap=1, rows={"village": "1:4 0:4"})
    assert choices(game) == [
        {"target": "1:12", "gap": 0},
        {"target": "2:4", "gap": 0},
        {"target": "2:4", "gap": 1},
        {"target": "2:4", "gap": 2},
        {"target": "0:13", "gap": 0},
        {"target": "2:12", "gap": 0},
    ]
    # The fetched Bard does not act again.
    play(game, "effect", value=4, target="2:4", gap=1, rows={"castle": "1:12", "village": "1:4 2:4 0:4"})
    assert (game.phase, game.seat) == ("place", 1)


def test_bard_with_nothing_elsewhere_does_nothing() -> None:
    game = table(rows={"port": "0:13"}, selected={0: 4, 1: 15, 2: 15})
    play(game, "place", location="port", gap=1, rows={"port": "0:13 0:4"})
    assert choices(game) == [{"target": "none"}]


def test_hunter_discards_the_leftmost_of_the_highest() -> None:
    game = table(rows={"port": "1:12 2:12 0:3"}, selected={0: 1, 1: 15, 2: 15})
    play(game, "place", location="port", gap=3, rows={"port": "1:12 2:12 0:3 0:1"})
    assert choices(game) == [{"target": "1:12"}]
    play(game, "effect", value=1, target="1:12", rows={"port": "2:12 0:3 0:1"})


def test_hunter_alone_goes_itself() -> None:
    game = table(selected={0: 1, 1: 15, 2: 15})
    play(game, "place", location="port", gap=0, rows={"port": "0:1"})
    assert choices(game) == [{"target": "0:1"}]
    play(game, "effect", value=1, target="0:1", rows={"port": ""})
    assert game.gone == ["0:1"]


@pytest.mark.parametrize("value", [12, 11, 10, 9, 8, 5, 4, 1])
def test_optional_effects_may_be_declined_and_mandatory_ones_not(value: int) -> None:
    for ruling in ("mandatory", "optional"):
        game = table(
            rows={"castle": "1:12 2:3", "village": "2:14"},
            selected={0: value, 1: 15, 2: 15},
            effects=ruling,
        )
        gap = 0 if value == 12 else 2 if value == 1 else 1
        row = ["1:12", "2:3"]
        row.insert(gap, f"0:{value}")
        play(game, "place", location="castle", gap=gap, rows={"castle": " ".join(row)})
        declining = [choice for choice in choices(game) if choice["target"] == "none"]
        assert declining == ([{"target": "none"}] if ruling == "optional" else [])
        assert len(choices(game)) > len(declining)
    play(game, "effect", value=value, target="none")
    assert (game.phase, game.seat) == ("place", 1)


@pytest.mark.parametrize("value", [15, 14, 13, 7, 6, 3, 2])
def test_end_of_round_cards_have_no_effect_line(value: int) -> None:
    game = table(rows={"castle": "1:12"}, selected={0: value, 1: 15, 2: 15})
    play(game, "place", location="port", gap=0, rows={"port": f"0:{value}"})
    assert (game.phase, game.seat) == ("place", 1)


def test_a_blanked_card_has_no_immediate_effect_and_cannot_be_copied() -> None:
    game = table(rows={"castle": "1:11 2:3"}, selected={0: 5, 1: 10, 2: 5}, blank=["0:5", "1:11"])
    play(game, "place", location="castle", gap=1, rows={"castle": "1:11 0:5 2:3"})
    assert (game.phase, game.seat) == ("place", 1)
    play(game, "place", location="castle", gap=1, rows={"castle": "1:11 1:10 0:5 2:3"})
    assert choices(game) == [{"target": "none"}]
    play(game, "effect", value=10, target="none")
    # Only that seat's copy is blanked.
    play(game, "place", location="castle", gap=3, rows={"castle": "1:11 1:10 0:5 2:5 2:3"})
    assert choices(game) == [{"target": "0:5"}, {"target": "2:3"}]


# ---------------------------------------------------------------------- the end of a round: effects


def test_king_goes_where_a_thief_is_and_earns_nothing() -> None:
    score(
        "castle",
        "0:15 1:11 2:9",
        [4, 3, 1],
        effects=["0:15 discarded"],
        rewards=["1:11 1 4", "2:9 2 3"],
        before=[3, 3, 3],
        after=[3, 7, 6],
    )


def test_king_without_a_thief_stays_for_his_reward() -> None:
    score(
        "castle",
        "0:15 1:12 2:9",
        [4],
        effects=["0:15 nothing"],
        rewards=["0:15 1 4"],
        before=[3, 3, 3],
        after=[7, 3, 3],
        stays="1:12 2:9",
    )


def test_several_kings_all_go_before_anything_to_their_right() -> None:
    # The Princess counts the cards still here; the Spy is alone once its own King has gone.
    score(
        "village",
        "0:15 2:15 1:14 1:11 0:3",
        [],
        effects=["0:15 discarded", "2:15 discarded", "1:14 coins 1 1 0", "0:3 coins 2 0 0"],
        before=[3, 3, 3],
        after=[6, 4, 3],
        stays="1:14 1:11 0:3",
    )


def test_blanked_king_stays_and_blanked_thief_still_counts() -> None:
    score(
        "castle",
        "0:15 1:15 2:11",
        [],
        effects=["1:15 discarded"],
        before=[3, 3, 3],
        after=[3, 3, 3],
        stays="0:15 2:11",
        blank=["0:15", "2:11"],
    )


def test_princess_pays_every_other_card_other_princesses_too() -> None:
    score(
        "castle",
        "0:14 1:14 0:9 2:8 2:5",
        [],
        effects=["0:14 coins 1 1 2", "1:14 coins 2 0 2"],
        before=[3, 3, 3],
        after=[6, 4, 7],
        stays="0:14 1:14 0:9 2:8 2:5",
    )


def test_princess_alone_pays_nothing() -> None:
    score("castle", "0:14", [], effects=["0:14 nothing"], before=[3, 3, 3], after=[3, 3, 3], stays="0:14")


def test_witch_cancels_below_13_and_neither_king_nor_princess() -> None:
    score(
        "port",
        "0:15 0:14 1:13 2:13 1:11 0:7 0:6 2:3 0:2",
        [-1, 2],
        effects=[
            "0:15 discarded",
            "0:14 coins 3 2 2",
            "1:13 cancels",
            "2:13 cancels",
            "0:7 cancelled",
            "0:6 cancelled",
            "2:3 cancelled",
            "0:2 cancelled",
        ],
        rewards=["0:14 1 -1", "1:13 2 2"],
        before=[3, 3, 3],
        after=[5, 7, 5],
        stays="2:13 1:11 0:7 0:6 2:3 0:2",
    )


def test_witch_with_nothing_to_cancel_cancels_all_the_same() -> None:
    score("port", "1:13", [], effects=["1:13 cancels"], before=[3, 3, 3], after=[3, 3, 3], stays="1:13")


def test_cancelled_sailor_is_not_doubled() -> None:
    score(
        "port",
        "1:13 0:2",
        [1, 5],
        effects=["1:13 cancels", "0:2 cancelled"],
        rewards=["1:13 1 1", "0:2 2 5"],
        before=[3, 3, 3],
        after=[8, 4, 3],
    )


def test_blanked_witch_cancels_nothing() -> None:
    score(
        "castle",
        "1:13 0:3",
        [],
        effects=["0:3 coins 2 0 0"],
        before=[3, 3, 3],
        after=[5, 3, 3],
        stays="1:13 0:3",
        blank=["1:13"],
    )


@pytest.mark.parametrize("traitors", ["1:7", "1:7 2:7"])
def test_traitors_reverse_the_ranking_whatever_their_number(traitors: str) -> None:
    score(
        "castle",
        f"0:12 {traitors} 2:5 0:4",
        [4, 3],
        effects=[f"{card} reverses" for card in traitors.split()],
        rewards=["0:4 1 4", "2:5 2 3"],
        before=[3, 3, 3],
        after=[7, 3, 6],
        stays=f"0:12 {traitors}",
    )


def test_blanked_traitor_reverses_nothing() -> None:
    score(
        "castle",
        "0:12 1:7",
        [4],
        rewards=["0:12 1 4"],
        before=[3, 3, 3],
        after=[7, 3, 3],
        stays="1:7",
        blank=["1:7"],
    )


def test_merchant_earns_for_each_card_below_six() -> None:
    score(
        "village",
        "2:12 0:6 1:6 1:5 0:4 2:1",
        [],
        effects=["0:6 coins 3 0 0", "1:6 coins 0 3 0"],
        before=[3, 3, 3],
        after=[6, 6, 3],
        stays="2:12 0:6 1:6 1:5 0:4 2:1",
    )
    score("village", "2:12 0:6", [], effects=["0:6 nothing"], before=[3, 3, 3], after=[3, 3, 3], stays="2:12 0:6")


def test_spy_earns_two_if_its_owner_has_no_other_card_here() -> None:
    score(
        "village",
        "0:9 0:3 1:3",
        [],
        effects=["0:3 nothing", "1:3 coins 0 2 0"],
        before=[3, 3, 3],
        after=[3, 5, 3],
        stays="0:9 0:3 1:3",
    )


@pytest.mark.parametrize(
    ("entry", "reward"),
    [(3, 6), (-1, -2), (-3, -5), ("half", 2), ("per_card", 4), ("steal_each", 3)],
)
def test_sailor_in_the_port_doubles_whatever_the_reward_is(entry: int | str, reward: int) -> None:
    # Seat 1 has only 1 coin to be stolen of 2; seat 0 loses at most its 5.
    stolen = entry == "steal_each"
    score(
        "port",
        "1:12 0:2",
        [0, entry],
        effects=["0:2 doubles"],
        rewards=[f"0:2 2 {reward}"],
        before=[5, 1, 9],
        after=[5 + reward, 0 if stolen else 1, 7 if stolen else 9],
        stays="1:12",
    )


def test_sailor_elsewhere_doubles_nothing() -> None:
    score(
        "village",
        "0:2",
        [3],
        effects=["0:2 nothing"],
        rewards=["0:2 1 3"],
        before=[3, 3, 3],
        after=[6, 3, 3],
    )


def test_sailor_without_a_reward_in_the_port_is_still_told_to_double() -> None:
    score("port", "0:2", [0], effects=["0:2 doubles"], before=[3, 3, 3], after=[3, 3, 3], stays="0:2")


def test_blanked_end_of_round_cards_are_silent() -> None:
    row = "0:15 0:14 0:13 1:11 0:7 0:6 1:3 0:2"
    blank = ["0:15", "0:14", "0:13", "0:7", "0:6", "1:3", "0:2"]
    score(
        "port",
        row,
        [0, 0, 0, 0, 0, 0, 0, 4],
        rewards=["0:2 8 4"],
        before=[3, 3, 3],
        after=[7, 3, 3],
        stays=row.removesuffix(" 0:2"),
        blank=blank,
    )


# ---------------------------------------------------------------------- the end of a round: rewards


def test_entry_zero_uses_up_its_rank_and_the_card_stays() -> None:
    score(
        "castle",
        "0:12 1:9 2:8",
        [0, 3, 0],
        rewards=["1:9 2 3"],
        before=[3, 3, 3],
        after=[3, 6, 3],
        stays="0:12 2:8",
    )


def test_rewarded_cards_leave_even_if_no_coin_moved() -> None:
    score(
        "castle",
        "0:12 1:9",
        ["steal_each", -3],
        rewards=["0:12 1 0", "1:9 2 0"],
        before=[3, 0, 0],
        after=[3, 0, 0],
    )


def test_rewards_end_with_the_cards_or_with_the_list() -> None:
    score("castle", "0:12", [1] * 15, rewards=["0:12 1 1"], before=[3, 3, 3], after=[4, 3, 3])
    score("castle", "0:12", [], before=[3, 3, 3], after=[3, 3, 3], stays="0:12")


@pytest.mark.parametrize(("value", "coins"), [(15, 8), (14, 7), (9, 5), (1, 1)])
def test_half_is_rounded_up(value: int, coins: int) -> None:
    silent = [f"0:{value}"]
    score(
        "castle",
        f"0:{value}",
        ["half"],
        rewards=[f"0:{value} 1 {coins}"],
        before=[3, 3, 3],
        after=[3 + coins, 3, 3],
        blank=silent,
    )


def test_per_card_counts_rewarded_cards_and_itself_but_no_discarded_king() -> None:
    score(
        "village",
        "0:15 1:11 2:9 0:8",
        [1, "per_card", "per_card"],
        effects=["0:15 discarded"],
        rewards=["1:11 1 1", "2:9 2 3", "0:8 3 3"],
        before=[3, 3, 3],
        after=[6, 4, 6],
    )


def test_steal_each_takes_one_from_every_other_player() -> None:
    score(
        "village",
        "3:12",
        ["steal_each"],
        rewards=["3:12 1 3"],
        before=[3, 1, 0, 2, 4],
        after=[2, 0, 0, 5, 3],
    )
    score(
        "village",
        "3:12",
        ["steal_each"],
        rewards=["3:12 1 4"],
        before=[3, 1, 0, 2, 4],
        after=[2, 0, -1, 6, 3],
        debt=True,
    )


@pytest.mark.parametrize(("debt", "loss", "after"), [(False, -1, 0), (True, -3, -2)])
def test_loss_takes_what_is_there_or_all_with_debt(debt: bool, loss: int, after: int) -> None:
    score(
        "port",
        "0:12",
        [-3],
        rewards=[f"0:12 1 {loss}"],
        before=[1, 3, 3],
        after=[after, 3, 3],
        debt=debt,
    )


def test_rewards_are_dealt_rank_by_rank() -> None:
    # Seat 0 loses its last coin before it gains; seat 1 gains before it loses.
    score(
        "port",
        "0:12 1:11 0:9 1:8",
        [-3, 2, 2, -5],
        rewards=["0:12 1 -1", "1:11 2 2", "0:9 3 2", "1:8 4 -2"],
        before=[1, 0, 3],
        after=[2, 0, 3],
    )


def test_effects_come_before_rewards() -> None:
    # The Spy's two coins are there to be lost.
    score(
        "port",
        "0:3",
        [-3],
        effects=["0:3 coins 2 0 0"],
        rewards=["0:3 1 -2"],
        before=[0, 3, 3],
        after=[0, 3, 3],
    )


def test_five_players_have_lists_of_their_own() -> None:
    rules = default_rules()
    for side, players in (("3-4", 3), ("3-4", 4), ("5", 5)):
        header, setup, *_ = play_random(players, rules, seed=1)
        assert Game(header, setup).reward_lists["port"] == rules["sets"]["A"]["port"][side]


# ---------------------------------------------------------------------- turns, rounds, the end


def test_last_placement_of_a_round_leads_to_castle_village_port_and_the_pawn_passes() -> None:
    game = table(selected={0: 15}, pawn=1, revealed=2)
    game.turn = 4
    play(game, "place", location="castle", gap=0, rows={"castle": "0:15"})
    assert (game.phase, game.seat, game.pawn) == ("end_of_round", None, 2)
    assert game.locations_to_score == ["castle", "village", "port"]


@pytest.mark.parametrize(
    ("coins", "pawn", "winner"),
    [
        ([5, 9, 7, 2], 0, 1),
        ([9, 9, 7, 9], 3, 3),
        ([9, 9, 7, 2], 3, 0),
        ([9, 9, 7, 2], 1, 1),
        ([9, 2, 7, 9], 1, 3),
        ([9, 9, 7, 2], 2, 0),
    ],
)
def test_tie_goes_to_the_pawn_or_the_next_clockwise(coins: list[int], pawn: int, winner: int) -> None:
    game = table(4, coins=coins, pawn=pawn)
    game.phase, game.rounds_done, game.turn = "end", 1, 5
    end = {"type": "end", "scores": coins, "rounds": 1, "turns": 5, "reason": "last_round"}
    game.feed({**end, "winners": [winner]})
    assert game.phase == "closed"


def test_short_pile_gives_what_it_has_and_nobody_draws_after_the_last_round() -> None:
    rules = default_rules()
    rules["hand"], rules["turns"]["4"] = 10, 3
    lines = list(play_random(4, rules, seed=5))
    check(lines)
    assert [len(line["values"]) for line in lines if line.get("event") == "drawn"] == [3] * 4 + [2] * 4


def test_hand_is_filled_up_to_its_size_also_by_nothing() -> None:
    rules = default_rules()
    rules["hand"], rules["rounds"], rules["turns"]["3"] = 15, 3, 5
    lines = list(play_random(3, rules, seed=5))
    check(lines)
    assert [line["values"] for line in lines if line.get("event") == "drawn"] == [[]] * 6


def test_conserved_finds_lost_and_doubled_cards_wrong_rows_and_debt() -> None:
    def spoil_lost(game: Game) -> None:
        game.hands[0].pop()

    def spoil_doubled(game: Game) -> None:
        game.gone.append(game.rows["port"][0])

    def spoil_order(game: Game) -> None:
        game.rows["port"].reverse()

    def spoil_coins(game: Game) -> None:
        game.coins[1] = -1

    for spoil in (spoil_lost, spoil_doubled, spoil_order, spoil_coins):
        game = table(rows={"port": "0:12 1:9"}, selected={0: 15, 1: 15, 2: 15})
        spoil(game)
        with pytest.raises(Mismatch):
            game.conserved()
    game = table(rows={"port": "0:12 1:9"}, coins=[3, -1, 3], debt=True)
    game.conserved()


# ---------------------------------------------------------------------- games of random players


def audit(lines: list[Line]) -> None:
    """Check, from the trace alone, where coins may come from and that every card has one way through the game."""
    rules, players = lines[0]["rules"], lines[0]["players"]
    lists = {name: sides["5" if players == 5 else "3-4"] for name, sides in rules["sets"][rules["set"]].items()}
    coins = lines[1]["coins"]
    rewarded: set[str] = set()
    placed = Counter[int]()
    for line in lines[2:]:
        if line["type"] == "action":
            # Nothing but the Thief moves coins, and he creates none.
            assert sum(line["state"]["coins"]) == sum(coins)
            coins = line["state"]["coins"]
            placed[line["seat"]] += line["kind"] == "place"
            on_the_table = [card for row in line["state"]["rows"].values() for card in row]
            assert len(on_the_table) == len(set(on_the_table))
            assert not rewarded & set(on_the_table)
        elif line.get("event") == "end_of_round":
            entries = lists[line["location"]]
            made = [sum(effect["gains"][seat] for effect in line["effects"]) for seat in range(players)]
            for reward in line["rewards"]:
                assert entries[reward["rank"] - 1] != 0
                assert reward["card"] not in rewarded
                rewarded.add(reward["card"])
                if entries[reward["rank"] - 1] != "steal_each":
                    made[int(reward["card"].split(":")[0])] += reward["coins"]
            assert sum(line["coins"]) == sum(coins) + sum(made)
            if "steal_each" not in entries:
                assert line["coins"] == [have + gain for have, gain in zip(coins, made, strict=True)]
            coins = line["coins"]
            if not rules["rulings"]["debt"]:
                assert min(coins) >= 0
    assert set(placed.values()) == {rules["rounds"] * rules["turns"][str(players)]}
    assert lines[-1]["scores"] == coins
    assert coins[lines[-1]["winners"][0]] == max(coins)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("set_name", ["A", "B", "C"])
@pytest.mark.parametrize("effects", ["mandatory", "optional"])
@pytest.mark.parametrize("debt", [False, True])
def test_random_games_pass(players: int, set_name: str, effects: str, debt: bool) -> None:
    rules = default_rules()
    rules["set"] = set_name
    rules["rulings"] = {"effects": effects, "debt": debt, "coins_visible": not debt}
    for seed in range(4):
        lines = list(play_random(players, rules, seed))
        assert check(lines).over
        audit(lines)
        drawn = sum(len(line["values"]) for line in lines if line.get("event") == "drawn")
        assert drawn == players * {3: 8, 4: 6, 5: 6}[players]
        assert sum(line.get("kind") == "place" for line in lines) == {3: 36, 4: 36, 5: 45}[players]


def random_rules(stream: random.Random) -> Line:
    """Rules as a designer might try them: own lists, symbols, losses, other lengths, blanked cards."""
    rules = default_rules()
    rules["set"] = "mine"
    rules["sets"]["mine"] = {
        location: {
            side: [
                stream.choice([stream.randint(-6, 8), 0, "half", "per_card", "steal_each"])
                for _ in range(stream.randint(0, 15))
            ]
            for side in ("3-4", "5")
        }
        for location in LOCATIONS
    }
    turns = stream.randint(1, 5)
    rules["turns"] = {"3": turns, "4": turns, "5": turns}
    rules["rounds"] = stream.randint(1, 15 // turns)
    rules["hand"] = stream.randint(turns, 15)
    rules["start_coins"] = stream.randint(0, 6)
    rules["rulings"]["effects"] = stream.choice(["mandatory", "optional"])
    rules["rulings"]["debt"] = stream.random() < 0.5
    rules["interventions"]["blank"] = [
        f"{seat}:{value}" for seat in range(5) for value in range(1, 16) if stream.random() < 0.1
    ]
    return rules


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("seed", range(25))
def test_random_games_under_random_rules_pass(players: int, seed: int) -> None:
    rules = random_rules(random.Random(seed))
    lines = list(play_random(players, rules, seed))
    check(lines)
    audit(lines)


def test_same_seed_same_game_and_another_seed_another() -> None:
    games = [list(play_random(4, default_rules(), seed)) for seed in (1, 1, 2)]
    assert games[0] == games[1]
    assert games[0][2:] != games[2][2:]


def test_traces_survive_their_text_form() -> None:
    for players in PLAYERS:
        check(json.loads(json.dumps(line)) for line in play_random(players, default_rules(), seed=9))


def test_random_player_decides_field_after_field() -> None:
    """Location first and then the gap: a location with many gaps is not chosen more often."""
    game = table(rows={"castle": "1:9 2:9"}, selected={0: 9, 1: 15, 2: 15})
    stream = random.Random(3)
    taken = Counter(
        (choice["location"], choice["gap"]) for choice in (choose_randomly(game.legal(), stream) for _ in range(9000))
    )
    expected = {("castle", 0): 1000, ("castle", 1): 1000, ("castle", 2): 1000, ("village", 0): 3000, ("port", 0): 3000}
    assert set(taken) == set(expected)
    for choice, times in expected.items():
        assert abs(taken[choice] - times) < 5 * times**0.5


def test_random_alchemist_chooses_the_neighbour_first() -> None:
    game = table(rows={"castle": "1:12 2:5"}, selected={0: 10, 1: 15, 2: 15})
    play(game, "place", location="castle", gap=1, rows={"castle": "1:12 0:10 2:5"})
    stream = random.Random(4)
    taken = Counter(choose_randomly(game.legal(), stream)["as"] for _ in range(4000))
    assert len(choices(game)) == 6
    assert abs(taken[12] - 2000) < 5 * 2000**0.5


def test_random_player_always_acts_when_it_can() -> None:
    game = table(selected={0: 1, 1: 15, 2: 15}, effects="optional")
    play(game, "place", location="castle", gap=0, rows={"castle": "0:1"})
    stream = random.Random(5)
    assert {choose_randomly(game.legal(), stream)["target"] for _ in range(50)} == {"0:1"}


def test_random_games_meet_every_effect() -> None:
    acted, results = Counter[int](), Counter[str]()
    for seed in range(60):
        for line in play_random(5, default_rules(), seed):
            if line.get("kind") == "effect" and line["target"] != "none":
                acted[line["as"] if "as" in line else line["value"]] += 1
            results.update(effect["result"] for effect in line.get("effects", []))
    assert set(acted) == {12, 11, 9, 8, 5, 4, 1}
    assert set(results) == {"discarded", "cancels", "reverses", "doubles", "coins", "cancelled", "nothing"}


# ---------------------------------------------------------------------- the house


def test_twin_imports_nothing_but_the_standard_library() -> None:
    source = Path(__file__).with_name("emblems.py").read_text(encoding="utf-8")
    imported = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add((node.module or "").split(".")[0])
    assert imported <= sys.stdlib_module_names
