"""The slow twin of momiji: it accepts right traces, refuses wrong ones, and follows each ruling of the rules page.

The hand-built cases feed lines whose rows, acorns and display are written out here, so the twin is compared with the
rules page and not with itself. A leaf is written "a1L" here: type, value and, for a 1, its corner.
"""

import ast
import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise, permutations, product
from pathlib import Path
from typing import Any

import pytest

from .faults import Fault, change, double, drop, insert, reference, remove, swap
from .momiji import (
    LANDSCAPES,
    PHASE_OF_KIND,
    Game,
    Line,
    Mismatch,
    check,
    deal_landscapes,
    deck,
    default_rules,
    objectives,
    play_random,
    reference_action,
    value_of,
)

PLAYERS = [2, 3, 4]


# ---------------------------------------------------------------------- the reference traces


@pytest.mark.parametrize(("number", "acorns", "scores"), [(1, [0, 1], [21, 17]), (2, [2, 1, 4, 0], [26, 11, 23, 11])])
def test_reference_traces_pass(number: int, acorns: list[int], scores: list[int]) -> None:
    game = check(reference("momiji", number))
    assert game.over
    assert game.phase == "closed"
    assert (game.acorns, game.scores()) == (acorns, scores)


def test_reference_trace_has_the_default_rules() -> None:
    assert reference("momiji", 1)[0]["rules"] == default_rules()


@pytest.mark.parametrize(("players", "types"), [(2, 4), (3, 5), (4, 6)])
def test_default_leaves_are_14_a_type(players: int, types: int) -> None:
    leaves = deck(players, default_rules())
    assert len(leaves) == 14 * types
    assert Counter(map(value_of, leaves)) == {0: 5 * types, 1: 4 * types, 2: 3 * types, 3: 2 * types}
    assert len(objectives(players, default_rules())) == types + 6


# What is wrong, in which reference trace, at which line the twin must say so, and the edits that make it so.
CORRUPTIONS: list[tuple[str, int, int, list[Fault]]] = [
    # the first line
    ("another game", 1, 1, [change(1, "game", "mon")]),
    ("another type", 1, 1, [change(1, "type", "setup")]),
    ("five players", 1, 1, [change(1, "players", 5)]),
    ("a strategy too few", 1, 1, [remove(1, "strategies/1")]),
    ("no seed", 1, 1, [remove(1, "seed")]),
    ("unknown draws", 1, 1, [change(1, "draws", "sometimes")]),
    ("no rules", 1, 1, [remove(1, "rules")]),
    ("unknown rule", 1, 1, [change(1, "rules/colour", "red")]),
    ("missing rule", 1, 1, [remove(1, "rules/hand_limit")]),
    ("unknown cost", 1, 1, [change(1, "rules/costs/torii", 1)]),
    ("missing ruling", 1, 1, [remove(1, "rules/rulings/end")]),
    ("unknown refill", 1, 1, [change(1, "rules/rulings/refill", "never")]),
    ("unknown end", 1, 1, [change(1, "rules/rulings/end", "later")]),
    ("unknown new_pile", 1, 1, [change(1, "rules/rulings/new_pile", "left")]),
    ("unknown assign", 1, 1, [change(1, "rules/landscapes/assign", "auction")]),
    ("unknown landscape", 1, 1, [change(1, "rules/landscapes/list/0", "river")]),
    ("unknown removed landscape", 1, 1, [change(1, "rules/landscapes/removed", ["0:river"])]),
    ("negative cost", 1, 1, [change(1, "rules/costs/reveal", -1)]),
    ("half a hand", 1, 1, [change(1, "rules/hand_size", 5.5)]),
    ("no limit for two players", 1, 1, [change(1, "rules/torii_limit", [])]),
    ("seven types", 1, 1, [change(1, "rules/types", [7, 7, 7])]),
    ("three values", 1, 1, [remove(1, "rules/corners/3")]),
    ("unknown corner", 1, 1, [change(1, "rules/corners/1/0", "RL")]),
    ("a seat without acorns", 1, 1, [change(1, "rules/start_acorns", [3])]),
    ("negative acorns", 1, 1, [change(1, "rules/start_acorns", [3, -1])]),
    ("points that are no numbers", 1, 1, [change(1, "rules/objectives/points", {"type:a": ["x", 3]})]),
    # the setup
    ("no setup", 1, 2, [drop(2)]),
    ("setup of another shape", 1, 2, [change(2, "pile", [])]),
    ("another number of copies", 1, 2, [change(1, "rules/corners/2", ["-", "-"])]),
    ("other corners", 1, 2, [change(1, "rules/corners/1/0", "R")]),
    ("a leaf lost", 1, 2, [remove(2, "deck/0")]),
    ("a leaf too many", 1, 2, [change(2, "deck/1", "b:2:-")]),
    ("a strange leaf", 1, 2, [change(2, "deck/0", "e:2:-")]),
    ("a hand of five", 1, 2, [remove(2, "hands/1/0")]),
    ("a display of three", 1, 2, [remove(2, "display/0")]),
    ("other acorns", 1, 2, [change(2, "acorns/1", 4)]),
    ("other start acorns", 1, 2, [change(1, "rules/start_acorns", [3, 2])]),
    ("an objective twice", 1, 2, [change(2, "objectives/0", "type:d")]),
    ("an objective of no type in play", 1, 2, [change(2, "objectives/0", "type:e")]),
    ("an objective too few", 1, 2, [remove(2, "objectives/0")]),
    ("no preset landscape", 1, 2, [change(2, "landscapes/1/2", "leap")]),
    ("a landscape too few", 1, 2, [remove(2, "landscapes/1/2")]),
    ("a random landscape twice", 2, 2, [change(2, "landscapes/1/2", "third_card")]),
    ("random landscapes too few", 2, 2, [remove(2, "landscapes/1/2")]),
    ("landscapes though off", 1, 2, [change(1, "rules/landscapes/assign", "off")]),
    (
        "a removed landscape of another seat",
        1,
        2,
        [change(1, "rules/landscapes/removed", ["0:third_card"]), remove(2, "landscapes/1/1")],
    ),
    # laying
    ("another player's leaf", 1, 3, [change(3, "cards/1", "c:0:LR")]),
    ("a pile from a 1 on", 1, 3, [change(3, "cards", ["a:1:R", "b:0:LR"])]),
    ("two steps", 1, 5, [change(5, "cards", ["d:2:-"])]),
    ("a leaf of another corner", 1, 5, [change(5, "cards", ["a:1:L"])]),
    ("a leaf laid twice", 1, 5, [change(5, "cards", ["a:1:R", "a:1:R"]), change(5, "side", ["right", "right"])]),
    ("nothing laid", 1, 5, [change(5, "cards", []), change(5, "side", [])]),
    ("a side too few", 1, 3, [change(3, "side", ["right"])]),
    ("an unknown side", 1, 3, [change(3, "side", ["right", "top"])]),
    ("a new pile at the left end", 1, 3, [change(3, "side", ["right", "left"])]),
    ("acorns not paid", 1, 3, [change(3, "state/acorns", [3, 3])]),
    ("acorns for one type", 1, 6, [change(6, "state/acorns", [5, 5])]),
    ("piles exchanged", 1, 3, [lambda lines: lines[2]["state"]["piles"][0].reverse()]),
    ("a pile closed by a 0", 1, 3, [change(3, "state/piles/0/0/closed", True)]),
    ("a swap without its landscape", 1, 3, [change(3, "swap", 0)]),
    ("a swap beyond the row", 2, 37, [change(37, "swap", 1)]),
    ("a swap left out", 2, 37, [remove(37, "swap")]),
    ("a leap without its landscape", 2, 40, [drop(40)]),
    ("a torii not counted", 2, 47, [change(47, "state/closed", 0)]),
    ("a torii not laid", 2, 47, [change(47, "state/piles/0/0/closed", False)]),
    # collecting
    ("a type not on display", 1, 4, [change(4, "types", ["c"])]),
    ("two types", 1, 4, [change(4, "types", ["d", "a"])]),
    ("no type", 1, 4, [change(4, "types", [])]),
    ("one type twice", 2, 50, [change(50, "types", ["e", "e"])]),
    ("only one of two types", 2, 50, [change(50, "types", ["e"])]),
    ("a type as a word", 1, 4, [change(4, "types", "d")]),
    ("not refilled", 1, 4, [remove(4, "state/display/3")]),
    ("refilled out of order", 1, 4, [change(4, "state/display", ["b:2:-", "a:3:-", "a:1:L", "a:0:LR"])]),
    ("refilled though not empty", 1, 4, [change(1, "rules/rulings/refill", "when_empty")]),
    ("deck not smaller", 1, 4, [change(4, "state/deck_left", 40)]),
    ("a reveal not told", 1, 7, [change(7, "reveal", False)]),
    ("a reveal not done", 1, 4, [change(4, "reveal", True)]),
    ("a reveal not paid", 1, 7, [change(7, "state/acorns", [5, 3])]),
    ("a reveal without an acorn", 1, 14, [change(14, "reveal", True)]),
    ("reveal is 1", 1, 7, [change(7, "reveal", 1)]),
    ("no reveal field", 1, 4, [remove(4, "reveal")]),
    # activating
    ("an objective not in play", 1, 8, [change(8, "objective", "type:a")]),
    ("an objective that is gone", 1, 9, [change(9, "objective", "type:c")]),
    ("not paid in full", 1, 8, [change(8, "state/acorns", [4, 1])]),
    (
        "too few acorns",
        1,
        10,
        [
            change(10, "kind", "activate"),
            change(10, "objective", "type:d"),
            remove(10, "types"),
            remove(10, "reveal"),
        ],
    ),
    # side actions
    ("one leaf for an acorn", 2, 3, [change(3, "cards", ["b:0:LR"])]),
    ("three leaves for an acorn", 2, 3, [change(3, "cards", ["b:0:LR", "e:0:LR", "d:0:LR"])]),
    ("leaves of another", 2, 3, [change(3, "cards", ["b:0:LR", "e:1:R"])]),
    ("a leaf once for two", 2, 3, [change(3, "cards", ["e:0:LR", "e:0:LR"])]),
    ("two acorns for two leaves", 2, 3, [change(3, "state/acorns", [5, 3, 3, 3])]),
    ("twice in a turn", 2, 4, [insert(4, seat=0, phase="side", kind="discard_two", cards=["d:0:LR", "c:0:LR"])]),
    ("a landscape of another", 2, 4, [change(4, "name", "patron")]),
    ("an unknown landscape", 2, 4, [change(4, "name", "river")]),
    ("a landscape twice in a turn", 2, 5, [insert(5, seat=0, phase="side", kind="landscape", name="leap")]),
    ("a landscape not paid", 2, 4, [change(4, "state/acorns", [4, 3, 3, 3])]),
    ("a landscape of another turn", 2, 40, [change(40, "name", "third_card")]),
    ("a landscape after the main action", 2, 6, [insert(6, seat=0, phase="side", kind="landscape", name="swap")]),
    ("two cards from the deck stay there", 2, 6, [change(6, "state/deck_left", 55)]),
    ("the phase of a side action", 2, 3, [change(3, "phase", "main")]),
    ("the phase of a main action", 1, 3, [change(3, "phase", "side")]),
    # whose turn
    ("seat 1 begins", 1, 3, [change(3, "seat", 1)]),
    ("a main action twice", 1, 4, [double(3)]),
    ("a turn missing", 1, 4, [drop(4)]),
    ("turns exchanged", 1, 4, [swap(4)]),
    ("a pass", 1, 4, [insert(4, seat=1, phase="main", kind="pass")]),
    ("an unknown kind", 1, 4, [insert(4, seat=1, phase="main", kind=["lay"])]),
    # trimming
    ("trim missing", 1, 11, [drop(11)]),
    ("one trimmed too few", 1, 11, [remove(11, "cards/0")]),
    ("one trimmed too many", 1, 11, [change(11, "cards", ["a:1:R", "b:2:-", "c:0:LR"])]),
    ("a trim of another's leaf", 1, 11, [change(11, "cards/0", "d:1:L")]),
    ("a trim twice", 1, 12, [double(11)]),
    ("a trim without excess", 1, 6, [insert(6, seat=0, phase="trim", kind="trim", cards=[])]),
    (
        "a side action after the trim",
        1,
        12,
        [insert(12, seat=1, phase="side", kind="discard_two", cards=["a:3:-", "c:0:LR"])],
    ),
    # state and end
    ("no state", 1, 3, [remove(3, "state")]),
    ("one more field in the state", 1, 3, [change(3, "state/scores", [0, 0])]),
    ("one more field", 1, 3, [change(3, "types", ["a"])]),
    ("wrong winner", 1, 38, [change(38, "winners", [1])]),
    ("two winners", 1, 38, [change(38, "winners", [0, 1])]),
    ("wrong score", 1, 38, [change(38, "scores/0", 18)]),
    ("wrong reason", 1, 38, [change(38, "reason", "torii_limit")]),
    ("wrong turns", 1, 38, [change(38, "turns", 25)]),
    ("wrong rounds", 1, 38, [change(38, "rounds", 12)]),
    ("end missing", 1, 38, [drop(38)]),
    ("end twice", 1, 39, [double(38)]),
    ("end too early", 1, 37, [drop(37)]),
    ("more points for holders", 1, 38, [change(1, "rules/objectives/holder", 11)]),
    ("more points for others", 2, 97, [change(1, "rules/objectives/others", 4)]),
    ("own points of an objective", 1, 38, [change(1, "rules/objectives/points", {"visible_sum": [12, 3]})]),
    ("an earlier end", 2, 48, [change(1, "rules/torii_limit", [1, 1, 1])]),
    ("a later end", 1, 38, [change(1, "rules/rulings/end", "last_round")]),
]


@pytest.mark.parametrize(
    ("number", "line", "edits"), [rest for _, *rest in CORRUPTIONS], ids=[c[0] for c in CORRUPTIONS]
)
def test_corruptions_are_refused_by_line(number: int, line: int, edits: list[Fault]) -> None:
    lines = reference("momiji", number)
    for edit in edits:
        edit(lines)
    with pytest.raises(Mismatch, match=rf"^line {line}: ") as caught:
        check(lines)
    assert caught.value.line == line


@pytest.mark.parametrize("number", [1, 2])
def test_every_missing_line_is_noticed_there(number: int) -> None:
    whole = reference("momiji", number)
    for at in range(len(whole)):
        with pytest.raises(Mismatch) as caught:
            check(whole[:at] + whole[at + 1 :])
        # A landscape of no use is missed at the next action of its owner, where its acorn is there still.
        assert caught.value.line == at + 1


# ---------------------------------------------------------------------- hand-built tables


def leaf(word: str) -> str:
    """A leaf from its word: ``"a1L"``, ``"a0"``; a 0 has both corners, a 2 or 3 none unless told."""
    corners = word[2:] or {"0": "LR", "2": "-", "3": "-"}[word[1]]
    return f"{word[0]}:{word[1]}:{corners}"


def leaves(words: str) -> list[str]:
    return [leaf(word) for word in words.split()]


def row_of(words: str) -> list[list[str]]:
    """A row of piles: ``"a0+a1L b0"``."""
    return [[leaf(word) for word in pile.split("+")] for pile in words.split()]


def table(
    *hands: str,
    rows: list[str] | None = None,
    display: str = "",
    pile: str | None = None,
    acorns: list[int] | None = None,
    tiles: list[str] | None = None,
    tokens: str = "",
    held: list[str] | None = None,
    turns: int = 1,
    **rules: Any,
) -> Game:
    """Build a table where seat 0 is to take its main action.

    ``pile`` is the deck, by default all that is nowhere else; else those leaves are out of the game. Rules are given as
    ``rulings={"end": …}`` and merged into the default ones.
    """
    whole = default_rules()
    for key, value in rules.items():
        whole[key] = {**whole[key], **value} if isinstance(value, dict) else value
    players = len(hands)
    opening = list(play_random(players, {**whole, "landscapes": {**whole["landscapes"], "assign": "off"}}, seed=1))[:2]
    game = Game(*opening)
    game.rules = whole
    game.hands = [leaves(words) for words in hands]
    game.rows = [row_of(words) for words in rows or [""] * players]
    game.leaps = len(LANDSCAPES) * players
    game.display = leaves(display)
    game.acorns = list(acorns or [3] * players)
    game.landscapes = [words.split() for words in tiles or [""] * players]
    game.middle = tokens.split()
    game.held = [words.split() for words in held or [""] * players]
    game.in_play = game.middle + [token for seat in game.held for token in seat]
    laid = [card for row in game.rows for cards in row for card in cards]
    used = Counter([card for hand in game.hands for card in hand] + laid + game.display + leaves(pile or ""))
    rest = Counter(game.leaves) - used
    assert not used - Counter(game.leaves)
    game.deck = list(rest.elements()) if pile is None else leaves(pile)
    game.gone = [] if pile is None else list(rest.elements())
    game.turns = turns
    game.seat = (turns - 1) % players
    game.conserved()
    return game


def play(
    game: Game,
    kind: str,
    *,
    row: str | None = None,
    acorns: int = 0,
    display: str | None = None,
    drawn: int = 0,
    **fields: Any,
) -> None:
    """Feed an action of the seat, with its row, the change of its acorns, the display and the leaves drawn after it."""
    assert game.seat is not None
    if game.declinable and PHASE_OF_KIND[kind] != "side":
        game.decline()
    state = copy.deepcopy(game.state())
    if row is not None:
        state["piles"][game.seat] = [
            {"type": cards[0][0], "cards": cards, "closed": cards[-1][2] == "3"} for cards in row_of(row)
        ]
    state["acorns"][game.seat] += acorns
    if display is not None:
        state["display"] = leaves(display)
    state["deck_left"] -= drawn
    state["closed"] = sum(pile["closed"] for piles in state["piles"] for pile in piles)
    game.feed(
        {"type": "action", "seat": game.seat, "phase": PHASE_OF_KIND[kind], "kind": kind, **fields, "state": state}
    )


def go_on(game: Game, kind: str) -> None:
    """Collect a type without a reveal and leave it at that; only the course matters here."""
    game.act({"kind": "collect", "reveal": False, "types": [kind]})
    game.conserved()
    if game.declinable:
        game.decline()


def lay(game: Game, words: str, row: str, sides: str = "", acorns: int = 0, **fields: Any) -> None:
    cards = leaves(words)
    side = [{"<": "left", ">": "right"}[sign] for sign in sides or ">" * len(cards)]
    play(game, "lay", cards=cards, side=side, row=row, acorns=acorns, **fields)


def announce(game: Game, name: str) -> None:
    play(game, "landscape", name=name, acorns=-1, drawn=2 if name == "two_from_deck" else 0)


def lays(game: Game) -> set[str]:
    """Legal lays as words: cards, sides and swap."""
    found = set()
    for action in game.legal():
        if action["kind"] == "lay":
            words = "".join(card.replace(":", "")[: 3 if card[2] == "1" else 2] for card in action["cards"])
            sides = "".join("<" if side == "left" else "" for side in action["side"])
            found.add(words + sides + (f"/{action['swap']}" if "swap" in action else ""))
    return found


def collects(game: Game) -> set[str]:
    return {"".join(action["types"]) + "+" * action["reveal"] for action in game.legal() if action["kind"] == "collect"}


def names(game: Game) -> list[str]:
    return [action["name"] for action in game.legal() if action["kind"] == "landscape"]


def kinds(game: Game) -> set[str]:
    return {action["kind"] for action in game.legal()}


def may(game: Game, kind: str, **fields: Any) -> bool:
    return game.is_legal({"kind": kind, **fields})


def may_lay(game: Game, words: str, sides: str = "", **fields: Any) -> bool:
    cards = leaves(words)
    side = [{"<": "left", ">": "right"}[sign] for sign in sides or ">" * len(cards)]
    return may(game, "lay", cards=cards, side=side, **fields)


def ends(game: Game, **expected: Any) -> None:
    """The game is over with this end line."""
    assert game.phase == "end"
    assert game.legal() == []
    end = game.end()
    assert {key: end[key] for key in expected} == expected
    game.feed(end)
    assert game.phase == "closed"


# ---------------------------------------------------------------------- collect


def test_collect_takes_all_of_a_type_and_the_display_is_filled_to_four() -> None:
    game = table("", "", display="a0 b2 a3 c0", pile="d0 d2 d3 c2 c3")
    assert collects(game) == {"a", "b", "c", "a+", "b+", "c+", "d+"}
    play(game, "collect", reveal=False, types=["a"], display="b2 c0 d0 d2", drawn=2)
    assert game.hands[0] == leaves("a0 a3")
    game.decline()
    assert (game.phase, game.seat) == ("main", 1)


def test_a_reveal_is_paid_first_and_adds_four() -> None:
    game = table("", "", display="a0 b2 a3 c0", pile="d0 d2 b0 c2 c3")
    play(game, "collect", reveal=True, types=["d"], display="a0 b2 a3 c0 b0 c2", drawn=4, acorns=-1)
    assert game.hands[0] == leaves("d0 d2")


def test_a_display_beyond_four_stays() -> None:
    game = table("", "", display="a0 b2 a3 c0 d0 d0", pile="d2 d3")
    play(game, "collect", reveal=False, types=["b"], display="a0 a3 c0 d0 d0")


def test_when_empty_fills_only_an_empty_display() -> None:
    game = table("", "", display="a0 b2 a3", pile="d0 d2 d3 c2 c3", rulings={"refill": "when_empty"})
    play(game, "collect", reveal=False, types=["a"], display="b2")
    play(game, "collect", reveal=False, types=["b"], display="d0 d2 d3 c2", drawn=4)


@pytest.mark.parametrize("refill", ["to_four", "when_empty"])
def test_a_reveal_from_a_short_deck_adds_what_is_left_and_ends_the_game(refill: str) -> None:
    game = table("", "", display="a0 b2 a3", pile="d0 d2", rulings={"refill": refill})
    play(game, "collect", reveal=True, types=["d"], display="a0 b2 a3", drawn=2, acorns=-1)
    ends(game, reason="deck_empty", turns=1, rounds=1)


def test_no_reveal_without_an_acorn_or_with_an_empty_deck() -> None:
    assert collects(table("", "", display="a0 b2", pile="d0", acorns=[0, 3])) == {"a", "b"}
    game = table("", "", display="a0 b2", pile="", rulings={"end": "last_round"})
    assert collects(game) == {"a", "b"}
    assert collects(table("", "", display="a0 b2", pile="d0", acorns=[1, 0], costs={"reveal": 2})) == {"a", "b"}
    assert "d+" in collects(table("", "", display="a0 b2", pile="d0", acorns=[0, 0], costs={"reveal": 0}))


def test_second_type_allows_two_types_or_one() -> None:
    game = table("", "", display="a0 b2 a3 c0", pile="d0 d2 d3 c2 c3", tiles=["second_type", ""], acorns=[1, 0])
    assert collects(game) == {"a", "b", "c", "a+", "b+", "c+", "d+"}
    announce(game, "second_type")
    assert collects(game) == {"a", "b", "c", "ab", "ac", "bc"}
    assert not may(game, "collect", reveal=False, types=["a", "a"])
    assert not may(game, "collect", reveal=False, types=["a", "b", "c"])
    play(game, "collect", reveal=False, types=["b", "a"], display="c0 d0 d2 d3", drawn=3)
    assert game.hands[0] == leaves("a0 b2 a3")


# ---------------------------------------------------------------------- lay


def test_a_pile_starts_with_a_0_and_rises_by_at_most_one() -> None:
    game = table("a0 a1L a2 a3 b0 b1L b2 c1R", "", rows=["b0 c0+c1L+c2", ""], display="d0")
    one_type = {cards for cards in lays(game) if len({sign for sign in cards if sign in "abcd"}) == 1}
    assert one_type == {"a0", "a0a1L", "b0", "b1L", "b0b1L", "b1Lb2"}
    assert not may_lay(game, "c1R")
    assert not may_lay(game, "a1L")
    assert not may_lay(game, "b2")


def test_the_same_value_may_follow_and_leaves_are_laid_in_the_listed_order() -> None:
    game = table("a1L a1R a0 a0", "", rows=["a0", ""], display="d0")
    assert lays(game) == {"a0", "a1L", "a1R", "a0a0", "a0a1L", "a0a1R", "a1La1R", "a1Ra1L"}
    lay(game, "a1R a1L", row="a0+a1R+a1L")


def test_a_3_closes_its_pile_for_this_player_only() -> None:
    game = table("a3 a3 a2", "a2", rows=["a0+a1L+a2", "a0+a1R"], display="d0 d0")
    # Not even another 3 goes on a 3.
    assert lays(game) == {"a3", "a2", "a2a3"}
    lay(game, "a3", row="a0+a1L+a2+a3")
    game.decline()
    assert lays(game) == {"a2"}
    go_on(game, "d")
    assert lays(game) == set()


def test_two_of_a_type_or_three_with_third_card() -> None:
    game = table("a0 a0 a1L a2", "", display="d0", tiles=["third_card", ""])
    assert not may_lay(game, "a0 a0 a1L")
    assert max(len(cards) for cards in lays(game)) == len("a0a1L")
    announce(game, "third_card")
    assert {cards for cards in lays(game) if len(cards) > 5} == {"a0a0a1L", "a0a1La2"}
    assert not may_lay(game, "a0 a0 a1L a2")
    lay(game, "a0 a1L a2", row="a0+a1L+a2")


def test_different_types_are_one_each() -> None:
    game = table("a0 a1L b0 c0 d1L", "", rows=["d0", ""], display="d0")
    assert may_lay(game, "d1L a0")
    assert may_lay(game, "a0 b0 c0 d1L")
    assert not may_lay(game, "a0 a1L b0")
    assert not may_lay(game, "a0 b0 a1L c0")


def test_one_card_is_one_type_and_earns_nothing_two_types_earn_two_for_each_pair() -> None:
    game = table("c0 d0", "", rows=["a0 b0", ""], display="d0")
    lay(copy.deepcopy(game), "c0", row="a0 b0 c0")
    # All neighbouring pairs pay, untouched ones too.
    lay(game, "c0 d0", row="a0 b0 c0 d0", acorns=6)


@pytest.mark.parametrize(
    ("row", "acorns"),
    [("a0+a1R", 4), ("a0+a1L", 2), ("a0+a1L+a2", 2), ("a0+a1R+a2+a3", 2)],
)
def test_facing_corners_must_both_show_an_acorn(row: str, acorns: int) -> None:
    game = table("b0 c0", "", rows=[row, ""], display="d0")
    lay(game, "b0 c0", row=f"{row} b0 c0", acorns=acorns)


def test_right_corner_of_the_left_pile_faces_left_corner_of_the_right_pile() -> None:
    game = table("a1L b1R", "", rows=["a0 b0", ""], display="d0")
    lay(game, "a1L b1R", row="a0+a1L b0+b1R", acorns=0)
    game = table("a1R b1L", "", rows=["a0 b0", ""], display="d0")
    lay(game, "a1R b1L", row="a0+a1R b0+b1L", acorns=2)


def test_a_torii_hides_no_acorn() -> None:
    corners = [["LR"] * 5, ["L", "L", "R", "R"], ["-"] * 3, ["LR", "-"]]
    game = table("b0 c0", "", rows=["a0+a1R+a2+a3LR", ""], display="d0", corners=corners)
    lay(game, "b0 c0", row="a0+a1R+a2+a3LR b0 c0", acorns=4)


def test_gain_of_a_pair_is_a_rule() -> None:
    game = table("b0 c0", "", display="d0", gains={"pair": 5})
    lay(game, "b0 c0", row="b0 c0", acorns=5)


def test_new_piles_join_at_the_right_end_in_the_listed_order() -> None:
    game = table("b0 c0", "", rows=["a0", ""], display="d0")
    assert lays(game) == {"b0", "c0", "b0c0", "c0b0"}
    assert not may_lay(game, "b0 c0", "<>")
    lay(game, "c0 b0", row="a0 c0 b0", acorns=4)


def test_either_end_lets_the_player_choose() -> None:
    game = table("b0 c0", "", rows=["a0", ""], display="d0", rulings={"new_pile": "either_end"})
    assert lays(game) == {"b0", "c0", "b0<", "c0<", "b0c0", "c0b0", "b0c0<", "c0b0<", "b0c0<<", "c0b0<<"}
    lay(game, "b0 c0", "c0 b0 a0", "<<", acorns=4)


def test_a_card_on_a_pile_that_is_there_has_no_side() -> None:
    game = table("a0 a0", "", rows=["a0", ""], display="d0")
    lay(game, "a0 a0", "a0+a0+a0", "<>")
    game = table("a0 a0", "", display="d0")
    assert may_lay(game, "a0 a0", "><")
    assert not may_lay(game, "a0 a0", "<>")


def test_canonical_writes_equal_lays_alike() -> None:
    game = table("a0 b0 c0", "", rows=["a0", ""], display="d0", rulings={"new_pile": "either_end"})
    listed = [action for action in game.legal() if action["kind"] == "lay"]
    for order in permutations(leaves("a0 b0 c0")):
        for side in product(["left", "right"], repeat=3):
            action = {"kind": "lay", "cards": list(order), "side": list(side)}
            assert game.canonical(action) in listed
            assert game._laid(action) == game._laid(game.canonical(action))


@pytest.mark.parametrize("new_pile", ["right", "either_end"])
@pytest.mark.parametrize(
    ("hand", "row", "landscape"),
    [
        ("a0 b0 c0 d0 a0", "", None),
        ("a0 b0 c0 a1L b1R", "a0 c0+c1L", None),
        ("a1L a2 a3 b2 b3", "a0 b0+b1R", "leap"),
        ("a0 a1L a1R a2 b0", "", "third_card"),
        ("a0 b0 c1L", "d0 c0", "swap"),
        ("a0 b0 b0", "", "swap"),
    ],
)
def test_legal_lays_are_all_lays_each_once(hand: str, row: str, landscape: str | None, new_pile: str) -> None:
    game = table(hand, "", rows=[row, ""], display="d0", rulings={"new_pile": new_pile}, tiles=[landscape or "", ""])
    if landscape:
        announce(game, landscape)
    listed = [json.dumps(action, sort_keys=True) for action in game.legal() if action["kind"] == "lay"]
    assert len(listed) == len(set(listed))
    # Every way of writing anything at all.
    found = set()
    for count in range(1, 5):
        for cards in set(permutations(leaves(hand), count)):
            for side in product(["left", "right"], repeat=count):
                for place in (None, 0, 1, 2, 3, 4) if landscape == "swap" else (None,):
                    action: Line = {"kind": "lay", "cards": list(cards), "side": list(side)}
                    action |= {} if place is None else {"swap": place}
                    if game.is_legal(action):
                        assert game._laid(action) == game._laid(game.canonical(action))
                        found.add(json.dumps(game.canonical(action), sort_keys=True))
    assert found == set(listed)
    # Different lays without a swap leave different rows or hands.
    results = [
        json.dumps([game._laid(action), sorted(action["cards"])])
        for action in map(json.loads, listed)
        if "swap" not in action
    ]
    assert len(results) == len(set(results))


# ---------------------------------------------------------------------- landscapes that change a lay


def test_leap_lets_one_card_of_the_lay_be_two_higher() -> None:
    game = table("a2 a3 b2 b3 c1L c2", "", rows=["a0 b0+b1L", ""], display="d0", tiles=["leap", ""])
    assert lays(game) == {"b2", "b2b3"}
    announce(game, "leap")
    assert may_lay(game, "a2")
    assert may_lay(game, "a2 a3")
    assert may_lay(game, "b3")
    assert may_lay(game, "a2 b2")
    # One card only, and never the first of a pile.
    assert not may_lay(game, "a2 b3")
    assert not may_lay(game, "c2")
    assert not may_lay(game, "c1L")
    assert not may_lay(game, "a3")
    lay(game, "a2 b2", row="a0+a2 b0+b1L+b2")


def test_a_leap_to_a_3_closes_the_pile() -> None:
    game = table("b3", "", rows=["b0+b1L", ""], display="d0", tiles=["leap", ""])
    announce(game, "leap")
    lay(game, "b3", row="b0+b1L+b3")


def test_swap_comes_after_laying_and_before_the_acorns() -> None:
    # Before the swap a and c would pay, after it b1L faces nothing.
    game = table("b0 c0", "", rows=["a0+a1L", ""], display="d0", tiles=["swap", ""])
    assert not may_lay(game, "b0 c0", swap=0)
    announce(game, "swap")
    without = copy.deepcopy(game)
    lay(without, "b0 c0", row="a0+a1L b0 c0", acorns=2)
    lay(game, "b0 c0", row="b0 a0+a1L c0", acorns=2, swap=0)
    game = table("b0 c0", "", rows=["a0+a1R+a2", ""], display="d0", tiles=["swap", ""])
    announce(game, "swap")
    lay(game, "b0 c0", row="b0 a0+a1R+a2 c0", acorns=0, swap=0)


def test_swap_of_neighbours_only_also_when_one_type_is_laid() -> None:
    game = table("b0", "", rows=["a0 c0", ""], display="d0", tiles=["swap", ""])
    announce(game, "swap")
    assert lays(game) == {"b0", "b0/0", "b0/1"}
    for place in (-1, 2, True, "0"):
        assert not may_lay(game, "b0", swap=place)
    lay(game, "b0", row="a0 b0 c0", swap=1)


def test_nothing_to_swap_in_a_row_of_one() -> None:
    game = table("b0", "", display="d0", tiles=["swap", ""])
    announce(game, "swap")
    assert lays(game) == {"b0"}


# ---------------------------------------------------------------------- activate


def test_activate_costs_three_and_takes_the_token() -> None:
    game = table("", "", display="d0", tokens="visible_sum type:a")
    play(game, "activate", objective="type:a", acorns=-3)
    assert (game.held, game.middle) == ([["type:a"], []], ["visible_sum"])
    assert not may(game, "activate", objective="type:a")
    assert may(game, "activate", objective="visible_sum")


def test_activate_needs_its_acorns() -> None:
    assert kinds(table("", "", display="d0", tokens="type:a", acorns=[2, 3])) == {"collect"}
    assert "activate" in kinds(table("", "", display="d0", tokens="type:a", acorns=[2, 3], costs={"activate": 2}))
    assert "activate" not in kinds(table("", "", display="d0", acorns=[9, 9]))


def test_patron_activates_for_one_besides_its_own() -> None:
    game = table("", "", display="d0", tokens="type:a", acorns=[2, 3], tiles=["patron", ""])
    announce(game, "patron")
    play(game, "activate", objective="type:a", acorns=-1)
    assert game.acorns == [0, 3]
    game = table("", "", display="d0", tokens="type:a", acorns=[1, 3], tiles=["patron", ""])
    announce(game, "patron")
    assert kinds(game) == {"collect"}


# ---------------------------------------------------------------------- side actions


def test_each_side_action_once_a_turn_before_or_after() -> None:
    game = table("a1L a1R b2 b3", "", display="d0", tiles=["leap two_from_deck", ""])
    assert kinds(game) == {"collect", "discard_two", "landscape"}
    play(game, "discard_two", cards=leaves("b3 a1L"), acorns=1)
    assert "discard_two" not in kinds(game)
    assert names(game) == ["leap", "two_from_deck"]
    play(game, "collect", reveal=False, types=["d"], display="a0 a0 a0 a0", drawn=4)
    assert (game.phase, game.seat, game.declinable) == ("side", 0, True)
    assert names(game) == ["two_from_deck"]
    announce(game, "two_from_deck")
    assert (game.phase, game.seat) == ("main", 1)
    assert game.gone == leaves("b3 a1L")


def test_going_on_without_a_side_action_leaves_no_line() -> None:
    game = table("a1L a1R b2 b3", "c0", display="d0")
    play(game, "collect", reveal=False, types=["d"], display="a0 a0 a0 a0", drawn=4)
    assert (game.phase, game.seat) == ("side", 0)
    game.feed(
        {
            "type": "action",
            "seat": 1,
            "phase": "main",
            "kind": "lay",
            "cards": leaves("c0"),
            "side": ["right"],
            "state": {**game.state(), "piles": [[], [{"type": "c", "cards": leaves("c0"), "closed": False}]]},
        }
    )
    assert game.seat == 0


def test_discard_two_needs_two_leaves_and_pays_its_gain() -> None:
    assert "discard_two" not in kinds(table("a0", "", display="d0"))
    game = table("a0 a0", "", display="d0", gains={"discard_two": 2})
    assert [action["cards"] for action in game.legal() if action["kind"] == "discard_two"] == [leaves("a0 a0")]
    play(game, "discard_two", cards=leaves("a0 a0"), acorns=2)


def test_a_landscape_costs_an_acorn_and_is_used_once_a_game() -> None:
    assert names(table("", "", display="d0", tiles=["leap swap", ""], acorns=[0, 1])) == []
    assert names(table("", "", display="d0", tiles=["leap swap", ""], acorns=[1, 1], costs={"landscape": 2})) == []
    game = table("", "", display="d0", tiles=["leap swap", "leap"], acorns=[9, 9])
    announce(game, "leap")
    # One a turn.
    assert names(game) == []
    go_on(game, "d")
    announce(game, "leap")
    go_on(game, "a")
    assert (game.seat, names(game)) == (0, ["swap"])


def test_a_name_owned_twice_can_be_used_twice() -> None:
    game = table("", "", display="d0", tiles=["leap leap", ""], acorns=[9, 9])
    announce(game, "leap")
    assert game.landscapes[0] == ["leap"]


def test_an_announced_landscape_lapses_with_the_turn() -> None:
    game = table("", "", rows=["a0", ""], display="d0", tiles=["leap", ""], acorns=[9, 9])
    game.hands[0] = leaves("a2")
    game.deck.remove("a:2:-")
    announce(game, "leap")
    assert lays(game) == {"a2"}
    go_on(game, "d")
    go_on(game, "a")
    assert game.seat == 0
    assert "a2" not in lays(game)


def test_two_from_deck_draws_what_is_left_and_never_from_an_empty_deck() -> None:
    game = table("", "", display="d0 b0", pile="c0 c2 c3", tiles=["two_from_deck", ""])
    announce(game, "two_from_deck")
    assert game.hands[0] == leaves("c0 c2")
    game = table("", "", display="d0 b0", pile="c0", tiles=["two_from_deck", ""], rulings={"end": "last_round"})
    play(game, "landscape", name="two_from_deck", acorns=-1, drawn=1)
    assert game.hands[0] == leaves("c0")
    assert (game.phase, game.seat, game.reason) == ("main", 0, "deck_empty")
    game = table("", "", display="d0 b0", pile="", tiles=["two_from_deck leap", ""], rulings={"end": "last_round"})
    assert names(game) == ["leap"]


# ---------------------------------------------------------------------- the hand limit


def test_the_excess_is_trimmed_exactly_at_the_end_of_the_turn() -> None:
    game = table("a1L a1R b2 b3 c2 c3 a2 a3", "", display="d0 d0", tiles=["two_from_deck", ""], acorns=[0, 0])
    play(game, "collect", reveal=False, types=["d"], display="a0 a0 a0 a0", drawn=4)
    # A side action may still lower the hand.
    assert (game.phase, kinds(game)) == ("side", {"discard_two"})
    lowered = copy.deepcopy(game)
    play(lowered, "discard_two", cards=leaves("d0 d0"), acorns=1)
    # The acorn just won can be spent on the deck, and that makes an excess again.
    assert names(lowered) == ["two_from_deck"]
    announce(lowered, "two_from_deck")
    assert (lowered.phase, lowered.seat, lowered._excess()) == ("trim", 0, 2)
    game.decline()
    assert game.phase == "trim"
    assert not game.declinable
    assert len(game.legal()) == 9 * 8 // 2 + 1
    assert not may(game, "trim", cards=leaves("a1L"))
    assert not may(game, "trim", cards=leaves("a1L a1R b2"))
    play(game, "trim", cards=leaves("d0 a1L"))
    assert (game.phase, game.seat) == ("main", 1)
    assert game.gone == leaves("d0 a1L")


def test_no_trim_within_the_limit_and_the_limit_is_a_rule() -> None:
    game = table("a1L a1R b2", "", display="d0", hand_limit=3, acorns=[0, 0])
    go_on(game, "d")
    assert game.phase == "trim"
    game = table("a1L a1R", "", display="d0", hand_limit=3, acorns=[0, 0])
    go_on(game, "d")
    assert game.phase == "main"


# ---------------------------------------------------------------------- the end


def test_at_once_nothing_follows_an_empty_deck_not_even_a_trim() -> None:
    game = table("a1L a1R b2 b3 c2 c3 a2 a3", "", display="d0 d0", pile="c0", tiles=["two_from_deck", ""])
    play(game, "collect", reveal=False, types=["d"], display="c0", drawn=1)
    ends(game, reason="deck_empty", turns=1, rounds=1)
    assert len(game.hands[0]) == 10


def test_at_once_a_side_action_can_end_the_game_before_the_main_action() -> None:
    game = table("", "", display="d0", pile="c0 c2", tiles=["", "two_from_deck"], turns=2)
    announce(game, "two_from_deck")
    ends(game, reason="deck_empty", turns=2, rounds=1, winners=[0])


@pytest.mark.parametrize(("players", "limit"), [(2, 4), (3, 5), (4, 6)])
def test_at_once_the_last_torii_of_all_players_together_ends_the_game(players: int, limit: int) -> None:
    rows = [
        "a0+a1L+a2+a3 b0+b1L+b2+b3 c0+c1L+c2",
        " ".join(["a0+a1R+a2+a3", "b0+b1R+b2+b3", "d0+d1L+d2+d3"][: limit - 3]),
    ]
    rows += [""] * (players - 2)
    game = table("c3", *[""] * (players - 1), rows=rows, display="a0")
    lay(game, "c3", row=f"{rows[0]}+c3")
    ends(game, reason="torii_limit", turns=1)


def test_a_lay_that_ends_the_game_still_earns_its_acorns() -> None:
    rows = ["a0+a1L+a2+a3 b0+b1L+b2+b3 c0+c1L+c2+c3", "d0+d1L+d2 a0"]
    game = table("", "d3 b0", rows=rows, display="a0", turns=2)
    lay(game, "d3 b0", row="d0+d1L+d2+d3 a0 b0", acorns=2)
    ends(game, reason="torii_limit", turns=2)


def near_the_end(turns: int, end: str, players: int = 3, **more: Any) -> Game:
    """The next Collect of d0 takes the last card of the deck; plenty stays on display."""
    more = {"display": "d0 a0 a0 b0 b0 c0 c0 e0 e0", "pile": "c2", "acorns": [0] * players, **more}
    return table(*[""] * players, turns=turns, rulings={"end": end}, reveal_cards=1, costs={"reveal": 0}, **more)


def take(game: Game, kind: str, reveal: bool = False) -> None:
    """Collect, the state taken from the twin: only the course matters here."""
    assert game.seat is not None
    action = {"kind": "collect", "reveal": reveal, "types": [kind]}
    assert game.is_legal(action)
    game.act(action)
    game.conserved()
    if game.declinable:
        game.decline()


def test_finish_round_stops_after_the_last_seat() -> None:
    for turns in (4, 5, 6):
        game = near_the_end(turns, "finish_round")
        take(game, "d", reveal=True)
        for kind in "abc"[: 6 - turns]:
            assert game.phase == "main"
            take(game, kind)
        ends(game, reason="deck_empty", turns=6, rounds=2)


def test_last_round_gives_everybody_one_more_turn_the_one_who_caused_it_last() -> None:
    for turns in (4, 5, 6):
        game = near_the_end(turns, "last_round")
        cause = game.seat
        take(game, "d", reveal=True)
        seats = []
        for kind in "abc":
            assert game.phase == "main"
            seats.append(game.seat)
            take(game, kind)
        assert seats[-1] == cause
        ends(game, reason="deck_empty", turns=turns + 3, rounds=(turns + 5) // 3)


@pytest.mark.parametrize("end", ["finish_round", "last_round"])
def test_the_turn_that_ends_the_game_has_its_side_actions_and_trim(end: str) -> None:
    game = near_the_end(1, end, display="d0 a0 a0 b0 b0 c0 c0 e0 e0", hand_limit=0)
    game.act({"kind": "collect", "reveal": True, "types": ["a"]})
    assert game.phase == "side"
    game.decline()
    assert game.phase == "trim"
    game.act({"kind": "trim", "cards": leaves("a0 a0")})
    assert (game.phase, game.seat) == ("main", 1)


@pytest.mark.parametrize("end", ["at_once", "finish_round", "last_round"])
def test_display_and_deck_both_empty_end_the_game_at_once(end: str) -> None:
    game = table("a0 a0 a0", "", display="d0 d0", pile="", rulings={"end": end}, hand_limit=2)
    game.reason = "deck_empty"
    game.reason_turn = 1
    play(game, "collect", reveal=False, types=["d"], display="")
    ends(game, reason="deck_empty", turns=1)


def test_the_first_condition_met_is_the_reason() -> None:
    rows = ["a0+a1L+a2+a3 b0+b1L+b2+b3 c0+c1L+c2+c3 d0+d1L+d2", ""]
    game = table("d3", "", rows=rows, display="a0 b0 c0 d0", pile="a2", rulings={"end": "last_round"}, acorns=[0, 0])
    lay(game, "d3", row=f"{rows[0]}+d3")
    assert game.reason == "torii_limit"
    play(game, "collect", reveal=False, types=["d"], display="a0 b0 c0 a2", drawn=1)
    assert game.reason == "torii_limit"
    play(game, "collect", reveal=False, types=["a"], display="b0 c0")
    game.decline()
    ends(game, reason="torii_limit", turns=3, rounds=2)


def test_an_empty_deck_met_first_stays_the_reason() -> None:
    rows = ["a0+a1L+a2+a3 b0+b1L+b2+b3 c0+c1L+c2+c3 d0+d1L+d2", ""]
    game = table("d3", "", rows=rows, display="a0 b0 c0 d0", pile="a2", rulings={"end": "last_round"}, acorns=[0, 0])
    play(game, "collect", reveal=False, types=["b"], display="a0 c0 d0 a2", drawn=1)
    play(game, "collect", reveal=False, types=["c"], display="a0 d0 a2")
    lay(game, "d3", row=f"{rows[0]}+d3")
    ends(game, reason="deck_empty", turns=3)


# ---------------------------------------------------------------------- the score


def final(rows: list[str], acorns: list[int] | None = None, held: list[str] | None = None, **rules: Any) -> list[int]:
    count = len(rows)
    game = table(*[""] * count, rows=rows, display="", acorns=acorns or [0] * count, held=held, **rules)
    return game.scores()


def test_a_pile_counts_its_top_value_times_its_cards_and_an_acorn_one() -> None:
    assert final(["a0+a1L+a2 b0+b0", "c0+c1L+c1R+c2+c3"], [4, 1]) == [3 * 2 + 0 + 4, 5 * 3 + 1]


# Seat 0: 4 cards of a, 1 of b; seat 1: 2 of a, 2 of c; seat 2: 1 of c.
ROWS = ["a0+a0+a0+a1L b0", "a0+a1L c0+c1L", "c0"]
PILES = [4, 4, 0]


@pytest.mark.parametrize(
    ("objective", "holder", "points"),
    [
        # Best at it alone: the holder 10, others 3.
        ("type:a", 0, [10, 0, 0]),
        ("type:a", 1, [3, 0, 0]),
        ("type:b", 2, [3, 0, 0]),
        ("type:c", 1, [0, 10, 0]),
        ("value:0", 0, [10, 0, 0]),
        # Cards of value 1: 1, 2, 0.
        ("value:1", 0, [0, 3, 0]),
        # Everybody has 0.
        ("value:3", 0, [0, 0, 0]),
        ("type:d", 0, [0, 0, 0]),
        # Tops: 1 + 0, 1 + 1, 0.
        ("visible_sum", 1, [0, 10, 0]),
        ("most_cards", 0, [10, 0, 0]),
    ],
)
def test_objectives(objective: str, holder: int, points: list[int]) -> None:
    held = [objective if seat == holder else "" for seat in range(3)]
    assert final(ROWS, held=held) == [have + more for have, more in zip(PILES, points, strict=True)]


def test_visible_sum_counts_the_tops_alone() -> None:
    # Seat 0: top 2, all of them 4; seat 1: three tops of 1.
    rows = ["a0+a1L+a1R+a2", "b0+b1L c0+c1L d0+d1L"]
    assert final(rows, held=["visible_sum", ""]) == [8, 6 + 3]


def test_ties_all_score_the_holder_ten_and_the_others_three() -> None:
    rows = ["a0 b0", "a0 b0", "c0"]
    assert final(rows, held=["type:a", "", ""]) == [10, 3, 0]
    assert final(rows, held=["", "", "type:a"]) == [3, 3, 0]
    assert final(rows, held=["", "type:b", ""]) == [3, 10, 0]
    assert final(rows, held=["type:a most_cards", "type:b", ""]) == [23, 16, 0]


def test_tokens_in_the_middle_count_for_nobody_and_hands_never_count() -> None:
    game = table("a0 a0 a0", "", rows=["", "a0"], display="d0", tokens="type:b", held=["type:a", ""], acorns=[0, 0])
    assert game.scores() == [0, 3]


def test_points_of_objectives_are_rules() -> None:
    rows = ["a0 b0", "a0 b0", "c0"]
    held = ["type:a", "type:b", ""]
    assert final(rows, held=held, objectives={"holder": 7, "others": 1}) == [8, 8, 0]
    assert final(rows, held=held, objectives={"points": {"type:a": [20, 5]}}) == [23, 15, 0]


def test_tied_winners_share_in_ascending_order() -> None:
    game = table("", "", "", rows=["a0+a1L", "b0", "b0+b1L"], display="d0", pile="", acorns=[0, 0, 0])
    game.display = []
    game.gone.append("d:0:LR")
    game.reason = "deck_empty"
    game._finish()
    ends(game, scores=[2, 0, 2], winners=[0, 2])


# ---------------------------------------------------------------------- the deal of the landscapes


def setup_with(players: int, assign: str, dealt: list[list[str]], **landscapes: Any) -> Game:
    rules = default_rules()
    rules["landscapes"] |= {"assign": "off"}
    header, setup, *_ = play_random(players, rules, seed=3)
    header["rules"]["landscapes"] |= {"assign": assign, **landscapes}
    return Game(header, {**setup, "landscapes": dealt})


def refused(players: int, assign: str, dealt: list[list[str]], **landscapes: Any) -> bool:
    try:
        setup_with(players, assign, dealt, **landscapes)
    except Mismatch as mismatch:
        return mismatch.line == 2
    return False


def test_preset_is_the_first_three_for_everybody() -> None:
    assert not refused(2, "preset", [LANDSCAPES[:3]] * 2)
    assert not refused(2, "preset", [["leap", "swap"]] * 2, list=["leap", "swap"])
    assert refused(2, "preset", [LANDSCAPES[:3], LANDSCAPES[1:4]])


def test_random_is_three_different_ones_each() -> None:
    assert not refused(2, "random", [["leap", "swap", "patron"], ["patron", "leap", "third_card"]])
    assert refused(2, "random", [["leap", "swap", "patron"], ["patron", "leap", "leap"]])
    assert refused(2, "random", [["leap", "swap", "patron"], ["patron", "leap"]])


def test_draft_takes_one_of_each_packet_passed_to_the_left() -> None:
    three, others, same = ["leap", "swap", "patron"], ["swap", "patron", "third_card"], ["leap", "leap", "swap"]
    assert not refused(2, "draft", [three, three])
    # Of two players each sees the own packet twice and the other one once: a name twice, but not thrice.
    assert not refused(2, "draft", [same, others])
    assert refused(2, "draft", [["leap"] * 3, others])
    assert not refused(3, "draft", [["leap"] * 3, others, others])
    # A name is in every packet once at most.
    assert refused(2, "draft", [same, three])
    assert refused(3, "draft", [["leap"] * 3, others, three])
    assert not refused(4, "draft", [["leap"] * 3, others, others, three])
    assert refused(4, "draft", [["leap"] * 3, ["leap", *others[1:]], three, others])


def test_a_removed_landscape_is_missing_for_its_seat() -> None:
    removed = {"removed": ["1:third_card"]}
    game = setup_with(2, "preset", [LANDSCAPES[:3], ["second_type", "two_from_deck"]], **removed)
    assert [sorted(tiles) for tiles in game.landscapes] == [sorted(LANDSCAPES[:3]), ["second_type", "two_from_deck"]]
    game = setup_with(2, "preset", [LANDSCAPES[:3], LANDSCAPES[:3]], **removed)
    assert "third_card" not in game.landscapes[1]
    assert not refused(2, "random", [["leap", "swap", "patron"], ["patron", "leap"]], removed=["1:swap"])
    assert refused(2, "random", [["leap", "swap", "patron"], ["patron"]], removed=["1:swap"])


def test_start_acorns_per_seat() -> None:
    rules = {**default_rules(), "start_acorns": [1, 2, 3, 4]}
    lines = list(play_random(3, rules, seed=1))
    assert lines[1]["acorns"] == [1, 2, 3]
    check(lines)
    lines[1]["acorns"] = [1, 2, 2]
    with pytest.raises(Mismatch, match=r"^line 2: acorns"):
        check(lines)


# ---------------------------------------------------------------------- conservation


def test_conserved_finds_what_must_not_be() -> None:
    def lose(game: Game) -> None:
        game.deck.pop()

    def twice(game: Game) -> None:
        game.gone.append(game.deck[0])

    def debt(game: Game) -> None:
        game.acorns[1] = -1

    def token(game: Game) -> None:
        game.middle.pop()

    def fall(game: Game) -> None:
        game.rows[0][0].reverse()

    def grow(game: Game) -> None:
        game.rows[0][1].append(game.rows[0][0].pop())

    def jump(game: Game) -> None:
        game.leaps = 0

    def apart(game: Game) -> None:
        game.rows[0].append([game.rows[0][0].pop(0)])

    def hoard(game: Game) -> None:
        game.hands[1] += [game.deck.pop() for _ in range(9)]

    for spoil in (lose, twice, debt, token, fall, grow, jump, apart, hoard):
        game = table("", "", rows=["a0+a0+a2 b0+b1L+b2+b3", ""], display="d0", tokens="type:a")
        spoil(game)
        with pytest.raises(Mismatch):
            game.conserved()


# ---------------------------------------------------------------------- games of random players


def audit(lines: list[Line]) -> Counter[str]:
    """Check, from the trace alone, what the rules page names as consequences; count what happened."""
    header, setup, *course = lines
    players, rules = header["players"], header["rules"]
    met = Counter[str]()
    acorns, piles = setup["acorns"], [[] for _ in range(players)]
    left = len(setup["deck"])
    tiles = [Counter(names) for names in setup["landscapes"]]
    turn: list[str] = []
    seat = -1
    leap = False
    for line in course[:-1]:
        kind = line["kind"]
        if line["seat"] != seat:
            assert line["seat"] == (seat + 1) % players
            seat, turn, leap = line["seat"], [], False
        turn.append(PHASE_OF_KIND[kind] if kind != "landscape" else "landscape")
        assert max(Counter(turn).values()) == 1
        assert turn[-1] == "trim" or "trim" not in turn
        met[kind] += 1
        state = line["state"]
        if kind == "landscape":
            met[line["name"]] += 1
            tiles[seat][line["name"]] -= 1
            assert tiles[seat][line["name"]] >= 0
            leap = line["name"] == "leap"
        assert min(state["acorns"]) >= 0
        assert all(state["acorns"][other] == acorns[other] for other in range(players) if other != seat)
        gained = state["acorns"][seat] - acorns[seat]
        if kind == "lay":
            assert gained >= 0 and gained % max(rules["gains"]["pair"], 1) == 0
            before = {pile["type"]: pile for pile in piles[seat]}
            grown = 0
            for pile in state["piles"][seat]:
                old = before[pile["type"]]["cards"] if pile["type"] in before else []
                assert pile["cards"][: len(old)] == old
                grown += len(pile["cards"]) - len(old)
                if old and before[pile["type"]]["closed"]:
                    assert pile["cards"] == old
                values = [0, *map(value_of, pile["cards"])]
                steps = Counter(high - low for low, high in pairwise(values))
                assert set(steps) <= {0, 1, 2}
                met["leapt"] += leap and any(
                    value_of(high) - value_of(low) == 2 for low, high in pairwise(pile["cards"]) if high not in old
                )
            assert grown == len(line["cards"])
            met["swapped"] += "swap" in line
            met["left"] += "left" in line["side"]
            met["three"] += len(line["cards"]) == 3
        else:
            assert state["piles"] == piles
        if kind == "collect":
            met["two types"] += len(line["types"]) == 2
            met["revealed"] += line["reveal"]
        assert state["deck_left"] <= left
        acorns, piles, left = state["acorns"], state["piles"], state["deck_left"]
    end = lines[-1]
    assert end["winners"] == [seat for seat in range(players) if end["scores"][seat] == max(end["scores"])]
    met[end["reason"]] += 1
    if rules["rulings"]["end"] == "finish_round" and left + len(course[-2]["state"]["display"]):
        assert end["turns"] == end["rounds"] * players
    return met


def random_rules(stream: random.Random) -> Line:
    """Rules as a designer might try them: other corners, copies, costs, gains, limits, and all switches."""
    rules = default_rules()
    rules["types"] = [stream.randint(2, 6) for _ in range(3)]
    rules["corners"] = [
        [stream.choice(["LR", "L", "R", "-"]) for _ in range(copies + stream.randint(-1, 1))] for copies in (5, 4, 3, 2)
    ]
    rules["hand_size"] = stream.randint(1, 5)
    rules["display_size"] = stream.randint(1, 5)
    rules["hand_limit"] = stream.randint(0, 9)
    rules["start_acorns"] = stream.choice([3, 6, [stream.randint(0, 6) for _ in range(4)]])
    rules["torii_limit"] = [stream.randint(1, 6) for _ in range(3)]
    rules["objectives"] = {"count": [stream.randint(0, 8) for _ in range(3)], "holder": 9, "others": 4, "points": {}}
    rules["costs"] = {key: stream.randint(0, 3) for key in rules["costs"]}
    rules["reveal_cards"] = stream.randint(1, 5)
    rules["gains"] = {key: stream.randint(0, 3) for key in rules["gains"]}
    rules["landscapes"]["list"] = stream.sample(LANDSCAPES, stream.randint(0, 6))
    rules["landscapes"]["assign"] = stream.choice(["preset", "random", "draft", "off"])
    if stream.random() < 0.3:
        rules["landscapes"]["removed"] = [f"{stream.randrange(4)}:{stream.choice(LANDSCAPES)}"]
    rules["rulings"] = {
        "refill": stream.choice(["to_four", "when_empty"]),
        "end": stream.choice(["at_once", "finish_round", "last_round"]),
        "new_pile": stream.choice(["right", "either_end"]),
    }
    return rules


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("end", ["at_once", "finish_round", "last_round"])
@pytest.mark.parametrize("refill", ["to_four", "when_empty"])
@pytest.mark.parametrize("assign", ["preset", "random", "draft", "off"])
def test_random_games_pass(players: int, end: str, refill: str, assign: str) -> None:
    rules = default_rules()
    rules["landscapes"]["assign"] = assign
    rules["rulings"] = {"refill": refill, "end": end, "new_pile": "either_end" if players == 3 else "right"}
    for bold in (0.0, 0.8):
        lines = list(play_random(players, rules, seed=players, bold=bold))
        check(lines)
        met = audit(lines)
        if bold == 0.0:
            assert not met["landscape"] + met["discard_two"]


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("seed", range(20))
def test_random_games_under_random_rules_pass(players: int, seed: int) -> None:
    rules = random_rules(random.Random(seed))
    lines = list(play_random(players, rules, seed, bold=0.9))
    check(lines)
    audit(lines)


def test_random_games_meet_everything() -> None:
    met = Counter[str]()
    for seed in range(40):
        rules = default_rules()
        rules["landscapes"]["assign"] = "random"
        rules["rulings"]["new_pile"] = "either_end"
        rules["start_acorns"] = 9
        rules["torii_limit"] = [1, 1, 1] if seed % 2 else [9, 9, 9]
        met += audit(list(play_random(3, rules, seed, bold=0.9)))
    actions = {"collect", "lay", "activate", "discard_two", "landscape", "trim"}
    ways = {"leapt", "swapped", "left", "three", "two types", "revealed", "deck_empty", "torii_limit"}
    assert set(met) == actions | ways | set(LANDSCAPES)


def test_same_seed_same_game_and_another_seed_another() -> None:
    games = [list(play_random(4, default_rules(), seed)) for seed in (1, 1, 2)]
    assert games[0] == games[1]
    assert games[0][1:] != games[2][1:]


def test_traces_survive_their_text_form() -> None:
    check(json.loads(json.dumps(line)) for line in play_random(3, default_rules(), seed=9, bold=0.5))


def test_every_legal_action_can_be_taken_and_is_written_canonically() -> None:
    rules = default_rules()
    rules["landscapes"]["assign"] = "random"
    rules["rulings"]["new_pile"] = "either_end"
    lines = list(play_random(2, rules, seed=5, bold=0.5))
    game = Game(*lines[:2])
    for line in lines[2:]:
        for action in game.legal():
            assert game.is_legal(action)
            assert game.canonical(action) == action
        for action in random.Random(game.turns).sample(game.legal(), min(len(game.legal()), 5)):
            other = copy.deepcopy(game)
            other.act(action)
            other.conserved()
        game.feed(line)


def test_dealt_landscapes_are_what_the_setup_may_say() -> None:
    for players in PLAYERS:
        for seed in range(12):
            rules = default_rules()
            rules["landscapes"]["assign"] = "draft"
            rules["landscapes"]["list"] = LANDSCAPES[: 3 + seed % 4]
            assert not refused(players, "draft", deal_landscapes(players, rules, random.Random(seed)))


# ---------------------------------------------------------------------- the reference random player


def frequencies(game: Game, key: Callable[[Line], Any], times: int = 6000) -> dict[Any, float]:
    stream = random.Random(4)
    counts = Counter[Any]()
    for _ in range(times):
        action = reference_action(game, stream)
        assert action is not None
        assert game.is_legal(action)
        counts[key(action)] += 1
    return {what: count / times for what, count in counts.items()}


def near(found: dict[Any, float], expected: dict[Any, float]) -> bool:
    return found.keys() == expected.keys() and all(abs(found[key] - share) < 0.03 for key, share in expected.items())


def test_random_kinds_are_uniform_among_the_available_ones() -> None:
    game = table("a0", "", display="d0 d0 d0", tokens="type:a type:b")
    assert near(frequencies(game, lambda action: action["kind"]), dict.fromkeys(("collect", "lay", "activate"), 1 / 3))
    game.acorns[0] = 2
    assert near(frequencies(game, lambda action: action["kind"]), dict.fromkeys(("collect", "lay"), 1 / 2))
    game.hands[0] = leaves("a1L")
    assert near(frequencies(game, lambda action: action["kind"]), {"collect": 1.0})


def test_random_reveal_is_a_coin_and_then_the_type_is_uniform_over_what_lies_there() -> None:
    game = table("", "", display="d0 d0 d0", pile="a0 a0 b0 c0 c0")
    found = frequencies(game, lambda action: (action["reveal"], action["types"][0]))
    assert near(found, {(False, "d"): 1 / 2, **{(True, kind): 1 / 8 for kind in "abcd"}})
    game.acorns[0] = 0
    assert near(frequencies(game, lambda action: action["reveal"]), {False: 1.0})


def lay_frequencies(hand: str, row: str) -> dict[str, float]:
    game = table(hand, "", rows=[row, ""], display="d0", acorns=[0, 0])
    found = frequencies(
        game, lambda action: "".join(card.replace(":", "")[:3] for card in action.get("cards", [])), 12000
    )
    del found[""]
    total = sum(found.values())
    return {cards: share / total for cards, share in found.items()}


def test_random_lay_of_one_type_counts_equal_cards_singly() -> None:
    # One or two, evenly; a 0 twice as often as the single 1.
    found = lay_frequencies("a0 a0 a1L", "")
    assert near(found, {"a0L": 1 / 2, "a0La0L": 1 / 4, "a0La1L": 1 / 4})


def test_random_lay_of_two_falls_back_to_one_if_nothing_fits_after_the_first() -> None:
    # On a 1, both a 1 and a 2 are playable. Two: 1 then 2, or 2 then nothing.
    found = lay_frequencies("a1L a2", "a0+a1R")
    assert near(found, {"a1L": 1 / 4, "a2-": 1 / 4 + 1 / 4, "a1La2-": 1 / 4})


def test_random_lay_of_different_types_draws_the_set_then_each_card() -> None:
    found = lay_frequencies("a0 b0 b0 c1L c1R", "c0")
    sets = {"a0Lb0L": 1 / 8, "a0Lc1L": 1 / 16, "a0Lc1R": 1 / 16, "b0Lc1L": 1 / 16, "b0Lc1R": 1 / 16}
    sets |= {"a0Lb0Lc1L": 1 / 16, "a0Lb0Lc1R": 1 / 16}
    # The same mode: a type, one or two, the cards.
    one = {
        "a0L": 1 / 6,
        "b0L": 1 / 12,
        "b0Lb0L": 1 / 12,
        "c1L": 1 / 24,
        "c1R": 1 / 24,
        "c1Lc1R": 1 / 24,
        "c1Rc1L": 1 / 24,
    }
    assert near(found, {**sets, **one})


def test_random_trim_is_uniform_over_the_hand() -> None:
    game = table("a0 a0 a1L a2", "", display="d0", hand_limit=3, acorns=[0, 0])
    game.phase = "trim"
    assert near(frequencies(game, lambda action: action["cards"][0]), {"a:0:LR": 1 / 2, "a:1:L": 1 / 4, "a:2:-": 1 / 4})


# ---------------------------------------------------------------------- the house


def test_twin_imports_nothing_but_the_standard_library() -> None:
    source = Path(__file__).with_name("momiji.py").read_text(encoding="utf-8")
    imported = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add((node.module or "").split(".")[0])
    assert imported <= sys.stdlib_module_names
