"""The slow twin of Sangoku: it accepts right traces, refuses wrong ones, and follows each ruling of the rules page.

The hand-built cases write out what must come of them, so the twin is compared with the rules page and not with itself.
Cards are written short there: ``"f2 wA oK B *"`` is the fire 2, the water A, the wood K, a Bridge and a Wild.
"""

import ast
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from itertools import combinations_with_replacement, product
from math import comb
from pathlib import Path
from typing import Any

import pytest

from .faults import Fault, change, double, drop, reference, remove, swap
from .sangoku import (
    ALL_TOKENS,
    DEFAULT_RULES,
    LEGENDS,
    REALMS,
    REDEEMS,
    Course,
    Game,
    Line,
    Mismatch,
    check,
    choose_randomly,
    complete,
    hands_out,
    legend_cards,
    play_random,
    rank_of,
    recruitment_deck,
    strength,
    striking,
)

PLAYERS = [2, 3, 4, 5]


# ---------------------------------------------------------------------- the reference traces


@pytest.mark.parametrize(("number", "scores", "winners"), [(1, [15, 4], [0]), (2, [8, 1, 2, 4, 8], [3])])
def test_reference_traces_pass(number: int, scores: list[int], winners: list[int]) -> None:
    game = check(reference("sangoku", number))
    assert game.over
    assert game.phase == "closed"
    assert (game.scores(), game.winners) == (scores, winners)


def test_orders_without_meaning_are_free() -> None:
    lines = reference("sangoku", 2)
    lines[3], lines[5] = lines[5], lines[3]
    lines[3]["heavens"].reverse()
    lines[59]["cards"].reverse()
    lines[149]["state"]["tokens"][4][0].reverse()
    check(lines)


def become(line: int, **fields: Any) -> Fault:
    """Put another action in a line's place; its seat and phase stay."""

    def edit(lines: list[Line]) -> None:
        kept = {name: lines[line - 1][name] for name in ("type", "seat", "phase")}
        lines[line - 1] = {**kept, **fields}

    return edit


def exchange_hands(line: int, one: str, other: str) -> Fault:
    """Lay two hands of an arrangement the other way round."""

    def edit(lines: list[Line]) -> None:
        arrangement = lines[line - 1]
        arrangement[one], arrangement[other] = arrangement[other], arrangement[one]

    return edit


# What is wrong, in which reference trace, at which line the twin must say so, and the edits that make it so.
CORRUPTIONS: list[tuple[str, int, int, list[Fault]]] = [
    # the first two lines
    ("another game", 1, 1, [change(1, "game", "mon")]),
    ("another version", 1, 1, [change(1, "version", 2)]),
    ("six players", 1, 1, [change(1, "players", 6)]),
    ("players that are no number", 1, 1, [change(1, "players", True)]),
    ("a strategy too few", 1, 1, [remove(1, "strategies/1")]),
    ("no deal number", 1, 1, [remove(1, "deal")]),
    ("unknown way to draw", 1, 1, [change(1, "draws", "at_once")]),
    ("no rules", 1, 1, [change(1, "rules", None)]),
    ("unknown rule", 1, 1, [change(1, "rules/jokers", 2)]),
    ("unknown word for illegal hands", 1, 1, [change(1, "rules/illegal_hand", "shame")]),
    ("hauntings that are neither", 1, 1, [change(1, "rules/haunted", 1)]),
    ("redeem for what there is not", 1, 1, [change(1, "rules/redeems/2", "tiger")]),
    ("Bridge redeems the Wild's token", 1, 1, [change(1, "rules/bridge_redeems", "genbu")]),
    ("damage of an unknown Legend", 1, 1, [change(1, "rules/damage/kitsune", 1)]),
    ("Onibi damage without sizes", 1, 1, [change(1, "rules/damage/onibi", 5)]),
    ("two Realms", 1, 1, [remove(1, "rules/defence/2")]),
    ("a Realm lost from the start", 1, 1, [change(1, "rules/defence/2", 0)]),
    ("a number as a switch", 1, 1, [change(1, "rules/hardcore", 1)]),
    ("no rounds at all", 1, 1, [change(1, "rules/max_rounds", 0)]),
    ("a Legend doubled", 1, 2, [change(2, "legends/0/0", "onibi")]),
    ("a Legend too many in hand", 1, 2, [change(2, "legends/0", ["kitsune", "yosei", "shinigami", "onibi"])]),
    ("other copies than in the rules", 1, 2, [change(1, "rules/copies/onibi", 7)]),
    ("dealer elsewhere", 1, 2, [change(2, "dealer", 1)]),
    ("a field too many", 1, 2, [change(2, "pool", [])]),
    # deal and arrangement
    ("a card dealt twice", 1, 3, [change(3, "hands/0/0", "metal-Q")]),
    ("a card that does not exist", 1, 3, [change(3, "hands/0/0", "earth-1")]),
    ("a Wild too many", 1, 3, [change(3, "hands/0/0", "wild"), change(3, "hands/0/1", "wild")]),
    ("twelve cards", 1, 3, [remove(3, "hands/0/0")]),
    ("nothing dealt to a player", 1, 3, [change(3, "hands/0", None)]),
    ("cards dealt to the eliminated", 2, 221, [change(221, "hands/0", ["earth-A"] * 13)]),
    ("deal missing", 1, 3, [drop(3)]),
    ("lay a card of somebody else", 1, 4, [change(4, "hells/1", "metal-Q")]),
    ("lay a card twice", 1, 4, [change(4, "hells/1", "water-2")]),
    ("four cards in the Heavens", 1, 4, [remove(4, "heavens/0")]),
    ("five cards in the Hells", 1, 4, [exchange_hands(4, "heavens", "hells")]),
    ("arrange twice", 1, 5, [double(4)]),
    ("arrangement missing", 1, 5, [drop(5)]),
    ("other cards dealt than laid", 1, 4, [change(3, "hands/0/0", "earth-9")]),
    ("forbidden order", 1, 5, [change(1, "rules/illegal_hand", "forbid"), exchange_hands(5, "heavens", "earth")]),
    ("an Earth hand out of order wins", 1, 10, [exchange_hands(5, "heavens", "earth")]),
    # wagers
    ("wager a Legend not held", 1, 25, [change(25, "card", "onibi")]),
    ("wager nowhere", 1, 25, [remove(25, "realm")]),
    ("wager in the wrong order", 1, 24, [swap(24)]),
    ("wager although barred", 1, 25, [change(1, "rules/no_wager", [0])]),
    ("wager twice without a variant", 2, 192, [change(1, "rules/back_from_the_brink", False)]),
    ("wager missing", 1, 7, [drop(7)]),
    ("not asked for the second wager", 2, 192, [drop(192)]),
    ("second wager without a lost Realm", 2, 190, [double(189)]),
    ("second wager after none", 2, 159, [double(158)]),
    ("a lost wager is kept", 2, 27, [change(9, "card", "hachiman")]),
    # reveal
    ("wrong winner", 1, 8, [change(8, "winners", [0])]),
    ("both win", 1, 8, [change(8, "winners", [0, 1])]),
    ("only one of two tied wins", 1, 169, [change(169, "winners", [0])]),
    ("nobody wins", 1, 8, [change(8, "winners", [])]),
    ("a Wild as an Ace", 1, 8, [change(8, "ranks/0", [0, 14, 5, 2])]),
    ("two Wilds make a pair", 1, 10, [change(10, "ranks/1", [1, 0, 12, 9, 3])]),
    ("Bridges do not pair", 2, 105, [change(105, "ranks/0", [0, 14, 13, 3, 1, 1])]),
    ("kickers in another order", 1, 47, [change(47, "ranks/0", [1, 12, 1, 7, 14])]),
    ("a straight's cards told", 2, 201, [change(201, "ranks/0", [4, 13, 12, 11, 10, 9])]),
    ("a hand out that is in order", 1, 8, [change(8, "ranks/0", None)]),
    ("a hand of the eliminated", 2, 231, [change(231, "ranks/0", [0, 7, 5, 2])]),
    ("Earth before Hells", 1, 8, [swap(8)]),
    ("reveal missing", 1, 8, [drop(8)]),
    # redemption
    ("redeem a card of another hand", 1, 9, [change(9, "card", "water-9")]),
    ("redeem an Ace", 1, 13, [change(13, "card", "wood-A")]),
    ("redeem a Wild", 1, 11, [change(11, "card", "wild")]),
    ("redeem for another Realm", 1, 9, [change(9, "realm", "earth")]),
    ("loser redeems", 1, 9, [change(9, "seat", 0)]),
    ("redeem twice", 1, 10, [double(9)]),
    ("redemption missing", 1, 9, [drop(9)]),
    ("from a Realm though the pool has it", 1, 9, [change(9, "from", [1, "earth"])]),
    ("from the pool though it is in play", 1, 170, [change(170, "from", "pool")]),
    ("from a Realm that lacks it", 1, 170, [change(170, "from", [1, "earth"])]),
    ("tied winners the other way round", 1, 170, [swap(170)]),
    ("a Legend for a 10 without the switch", 2, 49, [change(1, "rules/ten_draws_legend", False)]),
    ("a Legend for an 8", 2, 15, [change(15, "from", "legend")]),
    ("no Legend for the 10", 2, 50, [drop(50)]),
    ("another table of redemption", 1, 9, [change(1, "rules/redeems", {"3": "oni", "7": "dog"})]),
    ("redeemed elsewhere than told", 1, 15, [become(13, kind="none")]),
    # Legends drawn
    ("another Legend than the next", 1, 14, [change(14, "card", "genbu")]),
    ("the winner draws for winning", 1, 14, [change(14, "seat", 1)]),
    ("consolation missing", 1, 14, [drop(14)]),
    ("consolation in the wrong order", 2, 21, [swap(21)]),
    ("no Legend for a won wager", 1, 30, [drop(30)]),
    ("one Legend for two won wagers", 2, 198, [drop(198)]),
    ("Legend for a lost wager", 2, 20, [change(20, "seat", 0)]),
    ("reshuffle missing", 2, 240, [drop(240)]),
    ("reshuffle without need", 2, 239, [swap(239)]),
    ("reshuffle with another card", 2, 240, [change(240, "legend_deck/0", "onibi")]),
    ("reshuffle with a card too few", 2, 240, [remove(240, "legend_deck/0")]),
    # combat
    ("wrong damage", 1, 15, [change(15, "dealt/1/0", 2), change(15, "taken/0", 2)]),
    ("damage told but not taken", 1, 15, [change(15, "taken/0", 0)]),
    ("equal tokens do not cancel", 1, 51, [change(51, "dealt/1/0", 1)]),
    ("damage of all opponents without the variant", 2, 84, [change(84, "taken/1", 3)]),
    ("hardcore adds what was not added", 2, 55, [change(1, "rules/hardcore", True)]),
    ("weak damage past the purple line", 2, 142, [change(142, "taken/0", 1)]),
    ("the purple line in another place", 2, 113, [change(1, "rules/purple_line", 3)]),
    ("more taken than there is", 1, 179, [change(179, "taken/1", 4)]),
    ("Earth fights before the Heavens", 1, 15, [swap(15)]),
    ("combat missing", 1, 17, [drop(17)]),
    ("strong Dogs", 1, 35, [change(1, "rules/power/dog", 4)]),
    # collection
    ("a set not held", 1, 18, [change(18, "set", "fuujin"), change(18, "cards", ["fuujin"])]),
    ("more cards than held", 1, 18, [change(18, "cards", ["onibi", "onibi"])]),
    ("another set than the cards", 1, 18, [change(18, "set", "fuujin")]),
    ("Hachiman in the Heavens", 2, 27, [change(27, "realm", "heavens")]),
    ("two Hachiman are no set", 2, 27, [remove(27, "cards/0")]),
    ("a set of nothing", 1, 18, [change(18, "cards", [])]),
    ("cards that are none", 1, 18, [change(18, "cards", [1])]),
    ("Monkey King alone", 1, 72, [change(72, "cards", ["monkey_king"])]),
    ("Monkey King with one kind twice", 1, 72, [change(72, "cards", ["hachiman", "hachiman", "monkey_king"])]),
    ("Monkey King against one", 1, 72, [change(72, "target", 0)]),
    ("Shinigami against oneself", 1, 38, [change(38, "target", 0)]),
    ("Shinigami without a victim", 1, 38, [remove(38, "target")]),
    ("Shinigami spares the tokens", 1, 38, [change(38, "steal", None)]),
    ("steal from oneself", 1, 38, [change(38, "steal", [0, "hells", "fire-samurai"])]),
    ("steal what lies elsewhere", 1, 38, [change(38, "steal", [1, "hells", "earth-oni"])]),
    ("collect out of turn", 1, 18, [swap(18)]),
    ("two sets in one turn", 1, 19, [double(18)]),
    ("collection missing", 1, 37, [drop(37)]),
    ("another Realm than was hit", 1, 20, [change(18, "realm", "hells")]),
    ("another token than was stolen", 1, 39, [change(38, "steal", [1, "heavens", "earth-dog"])]),
    ("collect after the end", 1, 180, [double(162), lambda lines: lines.insert(179, lines.pop(162))]),
    # hauntings
    ("no haunting without the variant", 2, 215, [change(1, "rules/haunted", False)]),
    ("a choice without the variant", 2, 216, [change(1, "rules/haunted", True)]),
    ("the living haunt", 2, 215, [change(215, "seat", 1)]),
    ("haunting missing", 2, 215, [drop(215)]),
    ("haunted in the wrong order", 2, 216, [swap(216)]),
    ("a lost Realm chosen", 2, 218, [change(218, "realm", "heavens")]),
    ("the ghost is haunted", 2, 216, [change(216, "seat", 0)]),
    ("a choice missing", 2, 219, [drop(219)]),
    # the end of a round
    ("wrong number of the round", 1, 20, [change(20, "round", 2)]),
    ("wrong defence", 1, 20, [change(20, "state/defence/0/0", 12)]),
    ("token in the wrong Realm", 1, 20, [change(20, "state/tokens/1", [[], ["earth-dog", "earth-oni"], []])]),
    ("token lost", 1, 20, [change(20, "state/tokens/1/0", [])]),
    ("tokens that are none", 1, 20, [change(20, "state/tokens", 5)]),
    ("tokens that are mixed", 1, 20, [change(20, "state/tokens/1/0", ["earth-dog", 5])]),
    ("wrong size of a Legend hand", 1, 20, [change(20, "state/legend_hands/0", 4)]),
    ("the next dealer", 1, 20, [change(20, "state/dealer", 1)]),
    ("the eliminated still in", 2, 220, [change(220, "state/in", [0, 1, 2, 3, 4])]),
    ("the eliminated keep Legends", 2, 220, [change(220, "state/legend_hands/0", 1)]),
    ("tokens of a lost Realm stay", 1, 109, [change(109, "state/tokens/1/1", ["fire-dog"])]),
    ("round line missing", 1, 20, [drop(20)]),
    ("round line missing at the end", 1, 180, [drop(180)]),
    # the end
    ("stopped too early", 1, 21, [change(1, "rules/max_rounds", 1)]),
    ("wrong winner of the game", 1, 181, [change(181, "winners", [1])]),
    ("two winners of the game", 1, 181, [change(181, "winners", [0, 1])]),
    ("most defence wins", 2, 250, [change(250, "winners", [0, 4])]),
    ("wrong score", 1, 181, [change(181, "scores/1", 0)]),
    ("score that is no whole number", 1, 181, [change(181, "scores/1", 4.0)]),
    ("wrong number of rounds", 1, 181, [change(181, "rounds", 9)]),
    ("wrong number of turns", 2, 250, [change(250, "turns", 40)]),
    ("other reason", 1, 181, [change(181, "reason", "capped")]),
    ("no end", 1, 181, [drop(181)]),
    ("two ends", 1, 182, [double(181)]),
]


@pytest.mark.parametrize(
    ("number", "line", "edits"),
    [corruption[1:] for corruption in CORRUPTIONS],
    ids=[corruption[0] for corruption in CORRUPTIONS],
)
def test_corrupted_traces_fail_at_the_line(number: int, line: int, edits: list[Fault]) -> None:
    lines = reference("sangoku", number)
    for edit in edits:
        edit(lines)
    with pytest.raises(Mismatch, match=rf"^line {line}: ") as caught:
        check(lines)
    assert caught.value.line == line


@pytest.mark.parametrize("number", [1, 2])
def test_no_line_can_be_left_out_or_told_twice(number: int) -> None:
    for line in range(1, len(reference("sangoku", number)) + 1, 7):
        for edit in (drop(line), double(line)):
            lines = reference("sangoku", number)
            edit(lines)
            with pytest.raises(Mismatch):
                check(lines)


def test_mismatch_tells_what_was_found_and_expected() -> None:
    lines = reference("sangoku", 1)
    lines[180]["winners"] = [1]
    with pytest.raises(Mismatch, match=r"^line 181: line: found .*expected") as caught:
        check(lines)
    assert caught.value.found == lines[180]
    assert caught.value.expected == reference("sangoku", 1)[180]


# ---------------------------------------------------------------------- hands of cards

LETTERS = {"f": "fire", "m": "metal", "e": "earth", "w": "water", "o": "wood"}


def cards(text: str) -> list[str]:
    """Write out cards: ``"f2 wA oK B *"``."""
    return [{"B": "bridge", "*": "wild"}.get(short) or f"{LETTERS[short[0]]}-{short[1:]}" for short in text.split()]


def rank(text: str, **rules: Any) -> list[int]:
    return strength(cards(text), complete(rules))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f7 m7 e7 w7 o7", [10, 7]),
        ("fA fK fQ fJ f10", [9]),
        ("f7 m7 e7 w7 o9", [8, 7, 9]),
        ("f9 f8 f7 f6 f5", [7, 9]),
        ("f7 m7 e7 w9 o9", [6, 7, 9]),
        ("fA fJ f7 f6 f2", [5, 14, 11, 7, 6, 2]),
        ("fA mK eQ wJ o10", [4, 14]),
        ("f9 f8 f7 f6 m5", [4, 9]),
        ("f7 m7 e7 w9 o2", [3, 7, 9, 2]),
        ("f7 m7 eA w9 o9", [2, 9, 7, 14]),
        ("f7 m7 eA wK o2", [1, 7, 14, 13, 2]),
        ("fA m7 e5 w3 o2", [0, 14, 7, 5, 3, 2]),
        # the ten is a rank like any other, and so are court cards
        ("f10 m10 eJ wJ oK", [2, 11, 10, 13]),
        # three cards
        ("f7 m7 e7", [3, 7]),
        ("f7 m7 eA", [1, 7, 14]),
        ("f7 f6 f5", [0, 7, 6, 5]),
        ("fA f2 f3", [0, 14, 3, 2]),
        # the Ace is low in one straight
        ("fA m2 e3 w4 o5", [4, 5]),
        ("fA f2 f3 f4 f5", [7, 5]),
        ("fK mA e2 w3 o4", [0, 14, 13, 4, 3, 2]),
        # Bridges are any number in a straight, as high as can be read
        ("B m6 e7 w8 o9", [4, 10]),
        ("f5 m6 B w8 o9", [4, 9]),
        ("fA mK eQ wJ B", [4, 14]),
        ("B m2 e3 w4 o5", [4, 6]),
        ("fA B e3 w4 o5", [4, 5]),
        ("fA B e2 B o5", [4, 5]),
        ("B B e7 w8 o9", [4, 11]),
        ("B B eA w10 oQ", [4, 14]),
        ("B m2 e3 w5 o7", [0, 7, 5, 3, 2, 1]),
        # Bridges pair with each other, below the 2
        ("B B e7 w8 oK", [1, 1, 13, 8, 7]),
        ("B B e7 w7 oK", [2, 7, 1, 13]),
        ("B B e7 w7 o7", [6, 7, 1]),
        ("B B B w7 o7", [6, 1, 7]),
        ("B B B w7 oK", [3, 1, 13, 7]),
        ("B B B w10 oA", [4, 14]),
        ("B B B B oA", [8, 1, 14]),
        ("B B B B B", [10, 1]),
        ("B B e7", [1, 1, 7]),
        ("B B B", [3, 1]),
        ("B m6 e7", [0, 7, 6, 1]),
        # and break a flush
        ("B fK f9 f7 f2", [0, 13, 9, 7, 2, 1]),
        ("B f9 f8 f7 f6", [4, 10]),
        # Wilds are of any suit and of no number
        ("* fK f9 f7 f2", [5, 13, 9, 7, 2, 0]),
        ("* * * f7 f2", [5, 7, 2, 0, 0, 0]),
        ("* f9 f8 f7 f6", [5, 9, 8, 7, 6, 0]),
        ("* fA fK fQ fJ", [5, 14, 13, 12, 11, 0]),
        ("* mA fK fQ fJ", [0, 14, 13, 12, 11, 0]),
        ("* m9 e8 w7 o6", [0, 9, 8, 7, 6, 0]),
        ("* * e8 w7 o6", [0, 8, 7, 6, 0, 0]),
        ("* * e8 w8 o6", [1, 8, 6, 0, 0]),
        ("* m8 e8 w8 o8", [8, 8, 0]),
        ("* m8 e8 w6 o6", [2, 8, 6, 0]),
        ("* B f8 f7 f6", [0, 8, 7, 6, 1, 0]),
        ("* * * * B", [0, 1, 0, 0, 0, 0]),
        ("* * *", [0, 0, 0, 0]),
        ("* f8 f7", [0, 8, 7, 0]),
    ],
)
def test_hands_rank_as_on_the_page(text: str, expected: list[int]) -> None:
    assert rank(text) == expected
    assert rank(" ".join(reversed(text.split()))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B fK f9 f7 f2", [5, 13, 9, 7, 2, 1]),
        ("B fK mJ f7 f2", [0, 13, 11, 7, 2, 1]),
        ("B f9 f8 f7 f6", [7, 10]),
        ("B fA fQ fJ f10", [9]),
        ("B B B B fQ", [9]),
        ("B B B B *", [8, 1, 0]),
        ("B B B * f9", [5, 9, 1, 1, 1, 0]),
        ("B fA f2 f4 f5", [7, 5]),
        ("B f9 f8 f7 *", [5, 9, 8, 7, 1, 0]),
        ("B B B B B", [10, 1]),
    ],
)
def test_bridges_of_any_suit(text: str, expected: list[int]) -> None:
    assert rank(text, bridge_suited=True) == expected


def test_without_the_wheel_the_ace_is_high_only() -> None:
    assert rank("fA m2 e3 w4 o5", wheel=False) == [0, 14, 5, 4, 3, 2]
    assert rank("fA f2 f3 f4 f5", wheel=False) == [5, 14, 5, 4, 3, 2]
    assert rank("fA B e3 w4 o5", wheel=False) == [0, 14, 5, 4, 3, 1]
    assert rank("B m2 e3 w4 o5", wheel=False) == [4, 6]
    assert rank("fA mK eQ wJ B", wheel=False) == [4, 14]


def test_a_hand_of_five_beats_an_equal_hand_of_three() -> None:
    # category, then ranks in order; all equal → the five cards are stronger
    assert rank("f7 m7 e9") > rank("w7 o7 f8 m5 e3")
    assert rank("f7 m7 e9") < rank("w7 o7 w9 m3 e2")
    assert rank("f7 m7 e9") < rank("w7 o7 w9 B *")
    assert rank("f7 m7 e7") < rank("w7 o7 f7 B *")
    assert rank("f9 m7 e5") < rank("w9 o7 f5 B *")
    assert rank("f9 m7 e5") > rank("w9 o7 f4 m3 e2")
    assert rank("B B B") > rank("wA oA fK mK eQ")


def poker_counts(suits: int) -> Counter[int]:
    """How many of the five-card hands of 13 × ``suits`` plain cards fall into each category.

    The ranks of a hand and whether it is all of one suit decide; so each choice of ranks is asked once or twice and
    counts as often as suits can be chosen for it: ``comb(suits, m)`` ways for m equal cards, of which, with five
    different ranks, ``suits`` are of one suit.
    """
    rules = complete({})
    names = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
    letters = list("fmewo")[:suits]
    counts = Counter[int]()
    for ranks in combinations_with_replacement(names, 5):
        repeats = Counter(ranks)
        if max(repeats.values()) > suits:
            continue
        ways = 1
        for times in repeats.values():
            ways *= comb(suits, times)
        seen = Counter[str]()
        mixed = []
        for place, name in enumerate(ranks):
            # five different ranks: only the last is of another suit
            number = seen[name] if len(repeats) < 5 else int(place == 4)
            mixed.append(letters[number] + name)
            seen[name] += 1
        same_suit = suits if len(repeats) == 5 else 0
        counts[strength(cards(" ".join(mixed)), rules)[0]] += ways - same_suit
        if same_suit:
            counts[strength(cards(" ".join("f" + name for name in ranks)), rules)[0]] += same_suit
    return counts


def test_category_counts_with_four_suits_are_the_well_known_ones() -> None:
    counts = poker_counts(4)
    assert [counts[category] for category in (9, 7, 8, 6, 5, 4, 3, 2, 1, 0)] == [
        *(4, 36, 624, 3744, 5108, 10200, 54912, 123552, 1098240, 1302540)
    ]
    assert counts.total() == 2598960


def test_category_counts_with_five_suits() -> None:
    counts = poker_counts(5)
    straights, different = 10, comb(13, 5)  # runs of ranks, and choices of five different ranks
    expected = {
        10: 13,  # five of a kind: all suits of one rank
        9: 5,  # royal flush: one a suit
        8: 13 * comb(5, 4) * 12 * 5,
        7: (straights - 1) * 5,
        6: 13 * comb(5, 3) * 12 * comb(5, 2),
        5: (different - straights) * 5,
        4: straights * (5**5 - 5),
        3: 13 * comb(5, 3) * comb(12, 2) * 5**2,
        2: comb(13, 2) * comb(5, 2) ** 2 * 11 * 5,
        1: 13 * comb(5, 2) * comb(12, 3) * 5**3,
        0: (different - straights) * (5**5 - 5),
    }
    assert counts == expected
    assert counts.total() == comb(65, 5)


def best_by_trying(hand: list[str], rules: Line) -> list[int]:
    """The strength of a hand of five by trying every number and suit that its Bridges and Wilds may stand for."""
    found = []
    numbers = [range(1, 15) if card == "bridge" else [rank_of(card)] for card in hand]
    for tried in product(*numbers):
        # In a straight the Ace may be 1.
        for low in {False, rules["wheel"]}:
            run = sorted(1 if low and number == 14 else number for number in tried)
            if 0 not in run and run == list(range(run[0], run[0] + 5)) and (run[0] > 1 or (low and 14 in tried)):
                found.append([4, run[-1]])
    for letter in LETTERS.values():
        of_it = [card for card in hand if card.startswith(letter) or card == "wild"]
        of_it += ["bridge"] * hand.count("bridge") * rules["bridge_suited"]
        if len(of_it) == 5:
            found.append([5, *sorted((rank_of(card) for card in hand), reverse=True)])
    if {4, 5} <= {entry[0] for entry in found}:
        height = max(entry[1] for entry in found if entry[0] == 4)
        found.append([9] if height == 14 else [7, height])
    # Number the Wilds apart, so that they never match; then sort by how often a rank occurs.
    ranks = [rank_of(card) if card != "wild" else -place for place, card in enumerate(hand, start=1)]
    ranks = sorted(ranks, key=lambda rank: (-ranks.count(rank), -rank))
    groups = sorted((ranks.count(rank) for rank in set(ranks)), reverse=True)
    told = [max(rank, 0) for rank in dict.fromkeys(ranks)]
    category = {(5,): 10, (4, 1): 8, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(tuple(groups), 0)
    return max([*found, [category, *told]])


@pytest.mark.parametrize("bridge_suited", [False, True])
@pytest.mark.parametrize("wheel", [False, True])
def test_hands_rank_as_by_trying_everything(bridge_suited: bool, wheel: bool) -> None:
    rules = complete({"bridge_suited": bridge_suited, "wheel": wheel})
    stream = random.Random(8)
    # Two suits, so that flushes are frequent, and many Bridges and Wilds.
    deck = [card for card in recruitment_deck(rules) if not card.startswith(("earth", "water", "wood"))]
    for _ in range(1500):
        hand = stream.sample(deck, 5)
        assert strength(hand, rules) == best_by_trying(hand, rules), hand


# ---------------------------------------------------------------------- arrangements


def laid(heavens: str, earth: str, hells: str) -> dict[str, list[str]]:
    return {"heavens": cards(heavens), "earth": cards(earth), "hells": cards(hells)}


@pytest.mark.parametrize(
    ("hands", "out"),
    [
        (("fA mA e3 w4 o6", "fK mK e9 w8 o2", "fQ mJ eQ"), []),
        (("fK mK e9 w8 o2", "fA mA e3 w4 o6", "fQ mJ eQ"), ["earth"]),
        (("fA mA e3 w4 o6", "fK mQ e9 w8 o2", "f9 mJ eJ"), ["hells"]),
        # the Earth hand is out, and the Hells hand is weaker than it all the same
        (("fK mQ e9 w8 o2", "fA mA e3 w4 o6", "f9 mJ eJ"), ["earth"]),
        # stronger than an Earth hand that is itself out
        (("fK mQ e9 w8 o2", "fA mA e3 w4 o6", "f7 m7 e7"), ["earth", "hells"]),
        # weaker than the Earth hand, stronger than the one in the Heavens: only the next one counts
        (("fK mQ e9 w8 o2", "f5 m5 e5 w4 o6", "f7 m7 e8"), ["earth"]),
        # equal strength counts as in order
        (("fA mK e9 w7 o3", "wA eK m9 o7 f3", "f4 m5 e6"), []),
        (("fA mA e3 w4 o6", "fK mQ e9 w8 o2", "eK wQ o9"), []),
    ],
)
def test_hands_out(hands: tuple[str, str, str], out: list[str]) -> None:
    assert hands_out(laid(*hands), complete({})) == out


# ---------------------------------------------------------------------- tables built by hand


def table(
    players: int = 2,
    *,
    legends: dict[int, str] | None = None,
    tokens: dict[tuple[int, str], str] | None = None,
    defence: dict[int, list[int]] | None = None,
    out: dict[int, list[int]] | None = None,
    dealer: int = 0,
    draws: str = "shared",
    **rules: Any,
) -> Game:
    """A game at the start of a round.

    ``legends`` are the hands (others are empty, the deck holds the other cards in the order of the page), ``tokens``
    lie in Realms, ``defence`` is by seat, ``out`` names eliminated seats with what they had.
    """
    full = complete(rules)
    size = full["start_legends"]
    everything = legend_cards(full)
    game = Game(
        {
            **{"type": "game", "game": "sangoku", "version": 1, "players": players, "seed": 0, "deal": 0},
            **{"strategies": ["random"] * players, "draws": draws, "rules": full},
        },
        {
            "type": "setup",
            "legends": [everything[seat * size : (seat + 1) * size] for seat in range(players)],
            "legend_deck": everything[players * size :],
            "dealer": 0,
        },
    )
    game.legends = [(legends or {}).get(seat, "").split() for seat in range(players)]
    game.legend_deck = list((Counter(everything) - Counter(card for hand in game.legends for card in hand)).elements())
    for (seat, realm), names in (tokens or {}).items():
        for name in names.split():
            game.pool.remove(name)
            game.tokens[seat][realm].append(name)
    for seat, points in {**(defence or {}), **(out or {})}.items():
        game.defence[seat] = dict(zip(REALMS, points, strict=True))
        game.lost[seat] = [realm for realm in REALMS if game.defence[seat][realm] == 0]
    game.inside = [seat for seat in range(players) if seat not in (out or {})]
    game.dealer = dealer
    game.rounds = 1
    game.conserved()
    return game


def act(game: Game, seat: int, phase: str, **action: Any) -> None:
    """Feed an action; without a ``kind`` it is that of the phase."""
    game.feed({"type": "action", "seat": seat, "phase": phase, **{"kind": phase, **action}})
    game.conserved()


def skip(game: Game, seat: int) -> None:
    act(game, seat, game.phase, kind="none")


def legend(game: Game, seat: int, card: str | None = None) -> None:
    game.feed({"type": "chance", "event": "legend", "seat": seat, "card": card or game.legend_deck[0]})
    game.conserved()


def closing(course: Course) -> Course:
    """A stretch of play, and then whatever the test has to say: an event that nobody expects."""
    yield from course
    yield {"type": "event", "event": "done"}


def settle(game: Game, realm: str, hands: dict[int, str], wagers: list[tuple[int, str, str]] | None = None) -> None:
    """Settle one Realm where these hands lie; what lies in the others is in order and not looked at."""
    stream = random.Random(0)
    named = Counter(card for text in hands.values() for card in cards(text))
    rest = sorted((Counter(recruitment_deck(game.rules)) - named).elements())
    for seat, text in hands.items():
        while True:
            mixed = stream.sample(rest, 13)
            mine = {"heavens": mixed[:5], "earth": mixed[5:10], "hells": mixed[10:], realm: cards(text)}
            if not hands_out(mine, game.rules):
                break
        game.laid[seat] = mine
        for other in REALMS:
            if other != realm:
                for card in mine[other]:
                    rest.remove(card)
    for seat, card, where in wagers or []:
        game.legends[seat].remove(card)
        game.wagers.append({"seat": seat, "card": card, "realm": where})
    game.begin(closing(game._settle(realm)))


def reveal(game: Game, realm: str, ranks: list[Any], winners: list[int]) -> None:
    game.feed({"type": "event", "event": "reveal", "realm": realm, "ranks": ranks, "winners": winners})
    game.conserved()


def froms(game: Game, card: str) -> list[Any]:
    """What ``from`` may say for a card in the redemption that is due."""
    return [action["from"] for action in game.legal() if action.get("card") == card]


def test_deal_goes_to_those_still_in_and_arranging_in_any_order() -> None:
    game = table(3, out={1: [0, 5, 0]})
    game.begin(game._round())
    deck = recruitment_deck(game.rules)
    game.feed({"type": "chance", "event": "deal", "hands": [deck[:13], None, deck[13:26]]})
    assert game.seats == [0, 2]
    assert game.legal(1) == []
    action = {"heavens": deck[13:18], "earth": deck[18:23], "hells": deck[23:26]}
    assert game.is_legal({"kind": "arrange", **action}, 2)
    assert not game.is_legal({"kind": "arrange", **action}, 0)
    act(game, 2, "arrange", **action)
    assert game.seats == [0]
    assert (game.rounds, game.turns) == (2, 2)


def test_there_are_72072_arrangements() -> None:
    game = table()
    game.begin(game._round())
    hands = [cards("f2 m3 e4 w5 o6 f7 m8 e9 w10 oJ fQ mK eA"), cards("B B B * * m2 e2 w2 o3 f3 m4 e6 w4")]
    game.feed({"type": "chance", "event": "deal", "hands": hands})
    found = game.legal(0)
    assert len(found) == 72072
    assert all(game.is_legal(action, 0) for action in found[::1000])
    # Equal cards are one choice: of three Bridges and two Wilds only how many lie in each Realm counts.
    keys = {json.dumps(action) for action in game.arrangements(1)}
    expected = 0
    for bridges, wilds in product(product(range(4), range(4)), product(range(3), range(3))):
        left = [5 - bridges[0] - wilds[0], 5 - bridges[1] - wilds[1]]
        rest = 3 - (3 - sum(bridges)) - (2 - sum(wilds))
        if sum(bridges) <= 3 and sum(wilds) <= 2 and rest >= 0:
            expected += comb(8, left[0]) * comb(8 - left[0], left[1])
    assert len(keys) == expected < 72072


def test_forbidden_arrangements_are_no_choice() -> None:
    game = table(illegal_hand="forbid")
    game.begin(game._round())
    hands = [cards("f2 B B B * * * m8 e9 w10 oJ mK eA"), cards("f3 m3 e3 w3 o4 f4 m4 e6 w6 o7 fQ m9 oA")]
    game.feed({"type": "chance", "event": "deal", "hands": hands})
    found = {json.dumps(action) for action in game.arrangements(0)}
    assert 0 < len(found) < 72072
    stream = random.Random(1)
    met = Counter[bool]()
    for _ in range(300):
        mixed = stream.sample(hands[0], 13)
        action = {"heavens": sorted(mixed[:5]), "earth": sorted(mixed[5:10]), "hells": sorted(mixed[10:])}
        heavens, earth, hells = (strength(action[realm], game.rules) for realm in REALMS)
        in_order = heavens >= earth >= hells
        met[in_order] += 1
        assert game.is_legal({"kind": "arrange", **action}, 0) == in_order
        assert (json.dumps({"kind": "arrange", **action}) in found) == in_order
    assert min(met[True], met[False]) > 20


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "none"},
        {"kind": "arrange"},
        {"kind": "arrange", "heavens": [], "earth": [], "hells": []},
        {"kind": "arrange", "heavens": 5, "earth": 5, "hells": 3},
        {"kind": "arrange", "heavens": [1] * 5, "earth": [1] * 5, "hells": [1] * 3},
    ],
)
def test_what_is_no_arrangement(wrong: Line) -> None:
    game = table()
    game.begin(game._round())
    deck = recruitment_deck(game.rules)
    game.feed({"type": "chance", "event": "deal", "hands": [deck[:13], deck[13:26]]})
    assert not game.is_legal(wrong, 0)


def test_a_hand_that_is_out_wins_nothing_and_its_wager_is_lost() -> None:
    game = table(legends={0: "onibi", 1: "fuujin"})
    game.laid[0] = laid("fK mQ e9 w8 o2", "fA mA e3 w4 o6", "f7 m7 e7")  # both lower hands out
    game.laid[1] = laid("mK eQ f9 m9 e2", "eK m6 e5 f3 f2", "m2 o3 w5")
    game.wagers = [{"seat": 0, "card": "onibi", "realm": "hells"}, {"seat": 1, "card": "fuujin", "realm": "earth"}]
    game.legends = [[], []]
    game.begin(game._revealing())
    reveal(game, "hells", [None, [0, 5, 3, 2]], [1])
    skip(game, 1)
    assert game.discard == ["onibi"]
    reveal(game, "earth", [None, [0, 13, 6, 5, 3, 2]], [1])
    skip(game, 1)
    legend(game, 1)
    reveal(game, "heavens", [[0, 13, 12, 9, 8, 2], [1, 9, 13, 12, 2]], [1])
    skip(game, 1)
    legend(game, 0)
    assert game.phase == "closed"


def test_nobody_wins_where_every_hand_is_out() -> None:
    game = table(legends={0: "onibi", 1: "fuujin onibi"})
    game.laid[0] = laid("fK mQ e9 w8 o2", "fA mA e3 w4 o6", "f4 m5 e7")
    game.laid[1] = laid("mK eQ f9 m8 e2", "eA wA f3 m4 f6", "e4 f5 m7")
    game.wagers = [{"seat": 1, "card": "fuujin", "realm": "earth"}]
    game.legends[1] = ["onibi"]
    game.begin(closing(game._settle("earth")))
    reveal(game, "earth", [None, None], [])
    assert game.discard == ["fuujin"]
    assert game.phase == "done"


# ---------------------------------------------------------------------- wagers


def test_wagers_are_any_legend_on_any_realm_or_none() -> None:
    game = table(3, legends={0: "onibi", 1: "onibi kitsune onibi"}, dealer=1)
    game.begin(closing(game._wagering()))
    assert game.legal() == [
        {"kind": "none"},
        *({"kind": "wager", "card": "kitsune", "realm": realm} for realm in REALMS),
        *({"kind": "wager", "card": "onibi", "realm": realm} for realm in REALMS),
    ]
    act(game, 1, "wager", card="kitsune", realm="hells")
    assert game.seat == 2
    assert game.legal() == [{"kind": "none"}]
    skip(game, 2)
    skip(game, 0)
    assert game.phase == "done"
    assert game.legends[1] == ["onibi", "onibi"]


def test_a_barred_seat_is_asked_and_can_only_decline() -> None:
    game = table(legends={0: "onibi", 1: "onibi"}, no_wager=[0])
    game.begin(closing(game._wagering()))
    assert game.legal() == [{"kind": "none"}]
    skip(game, 0)
    assert len(game.legal()) == 4


def test_back_from_the_brink_asks_a_second_time_after_a_first() -> None:
    game = table(
        3,
        legends={0: "onibi onibi", 1: "fuujin", 2: "kitsune yosei"},
        defence={0: [12, 0, 12], 1: [12, 0, 12]},
        back_from_the_brink=True,
    )
    game.begin(closing(game._wagering()))
    act(game, 0, "wager", card="onibi", realm="hells")
    assert game.legal() == [
        {"kind": "none"},
        *({"kind": "wager", "card": "onibi", "realm": realm} for realm in REALMS),
    ]
    act(game, 0, "wager", card="onibi", realm="hells")
    act(game, 1, "wager", card="fuujin", realm="earth")
    assert game.seat == 1  # asked although nothing is left
    assert game.legal() == [{"kind": "none"}]
    skip(game, 1)
    act(game, 2, "wager", card="yosei", realm="earth")
    assert game.phase == "done"  # seat 2 has lost nothing


def test_two_winning_wagers_draw_two_legends() -> None:
    game = table(legends={0: "onibi fuujin", 1: "kitsune"}, back_from_the_brink=True)
    settle(
        game,
        "hells",
        {0: "fA mK eQ", 1: "fK mQ eJ"},
        [(0, "onibi", "hells"), (0, "fuujin", "hells"), (1, "kitsune", "hells")],
    )
    reveal(game, "hells", [[0, 14, 13, 12], [0, 13, 12, 11]], [0])
    skip(game, 0)
    legend(game, 0)
    legend(game, 0)
    assert game.phase == "done"
    assert len(game.legends[0]) == 5
    assert "kitsune" in game.legends[0]


def test_three_bets_in_one_realm_as_in_the_book() -> None:
    """The winner has all three and a new card."""
    game = table(4, legends={0: "onibi", 1: "fuujin", 2: "kitsune", 3: "yosei"})
    settle(
        game,
        "earth",
        {0: "fA mK e9 f5 f4", 1: "fK mQ eJ m5 m4", 2: "fQ mJ e10 e5 e4", 3: "fJ m10 m9 w5 w4"},
        [(0, "onibi", "earth"), (1, "fuujin", "earth"), (2, "kitsune", "earth"), (3, "yosei", "hells")],
    )
    ranks = [[0, 14, 13, 9, 5, 4], [0, 13, 12, 11, 5, 4], [0, 12, 11, 10, 5, 4], [0, 11, 10, 9, 5, 4]]
    reveal(game, "earth", ranks, [0])
    skip(game, 0)
    assert sorted(game.legends[0]) == ["fuujin", "kitsune", "onibi"]
    legend(game, 0)
    assert game.phase == "done"
    assert game.discard == []
    assert [wager["seat"] for wager in game.wagers] == [3]  # another Realm's wager waits


def test_lost_wagers_are_discarded_if_no_winner_wagered_there() -> None:
    game = table(3, legends={0: "onibi", 1: "fuujin"})
    settle(
        game,
        "hells",
        {0: "fA mK eQ", 1: "fK mQ eJ", 2: "f9 m8 e7"},
        [(0, "onibi", "heavens"), (1, "fuujin", "hells")],
    )
    reveal(game, "hells", [[0, 14, 13, 12], [0, 13, 12, 11], [0, 9, 8, 7]], [0])
    skip(game, 0)
    assert game.discard == ["fuujin"]
    assert game.phase == "done"


def test_tied_winners_share_one_card_at_a_time_from_the_dealers_left() -> None:
    game = table(5, legends={0: "onibi", 1: "fuujin", 2: "kitsune", 3: "yosei genbu", 4: "orochi"}, dealer=2)
    settle(
        game,
        "hells",
        {0: "fA mK eQ", 1: "fK mQ eJ", 2: "f9 m8 e7", 3: "wJ o10 w9", 4: "wA oK wQ"},
        [
            *[(2, "kitsune", "hells"), (3, "yosei", "hells"), (3, "genbu", "hells"), (4, "orochi", "hells")],
            *[(0, "onibi", "hells"), (1, "fuujin", "hells")],
        ],
    )
    ranks = [[0, 14, 13, 12], [0, 13, 12, 11], [0, 9, 8, 7], [0, 11, 10, 9], [0, 14, 13, 12]]
    reveal(game, "hells", ranks, [0, 4])
    skip(game, 4)  # redeeming too goes from the dealer's left
    skip(game, 0)
    # The losers from the dealer's left: 3 (yosei, genbu), 1 (fuujin), the dealer 2 (kitsune).
    assert game.legends[4] == ["orochi", "yosei", "fuujin"]
    assert game.legends[0] == ["onibi", "genbu", "kitsune"]
    legend(game, 4)
    legend(game, 0)
    assert game.phase == "done"


def test_a_tied_winner_without_a_wager_gets_no_share() -> None:
    game = table(3, legends={0: "onibi", 1: "fuujin", 2: "kitsune"}, dealer=2)
    settle(
        game,
        "hells",
        {0: "fA mK eQ", 1: "wA oK wQ", 2: "f9 m8 e7"},
        [(1, "fuujin", "hells"), (2, "kitsune", "hells")],
    )
    reveal(game, "hells", [[0, 14, 13, 12], [0, 14, 13, 12], [0, 9, 8, 7]], [0, 1])
    skip(game, 0)
    skip(game, 1)
    assert game.legends == [["onibi"], ["fuujin", "kitsune"], []]
    legend(game, 1)
    assert game.phase == "done"


# ---------------------------------------------------------------------- redemption


def test_redemption_takes_from_the_pool_first() -> None:
    game = table(tokens={(1, "earth"): "fire-dog"})
    settle(game, "hells", {0: "f9 m3 eK", 1: "f6 m5 e4"})
    reveal(game, "hells", [[0, 13, 9, 3], [0, 6, 5, 4]], [0])
    assert game.legal() == [
        {"kind": "none"},
        {"kind": "redeem", "realm": "hells", "card": "fire-9", "from": "pool"},
        {"kind": "redeem", "realm": "hells", "card": "metal-3", "from": "pool"},
    ]
    act(game, 0, "redeem", realm="hells", card="fire-9", **{"from": "pool"})
    assert game.tokens[0]["hells"] == ["fire-dog"]
    assert game.tokens[1]["earth"] == ["fire-dog"]


def test_redemption_takes_from_any_realm_when_the_pool_has_none() -> None:
    game = table(
        3, tokens={(1, "earth"): "fire-dog wood-oni", (0, "heavens"): "fire-dog", (2, "hells"): "water-dragon"}
    )
    settle(game, "hells", {0: "f9 w2 o4", 1: "f6 m5 e4", 2: "m6 e5 w3"})
    reveal(game, "hells", [[0, 9, 4, 2], [0, 6, 5, 4], [0, 6, 5, 3]], [0])
    assert froms(game, "fire-9") == [[0, "heavens"], [1, "earth"]]
    assert froms(game, "water-2") == [[2, "hells"]]
    assert froms(game, "wood-4") == [[1, "earth"]]
    act(game, 0, "redeem", realm="hells", card="wood-4", **{"from": [1, "earth"]})
    assert game.tokens[0]["hells"] == ["wood-oni"]
    assert game.tokens[1]["earth"] == ["fire-dog"]


def test_a_token_may_be_taken_from_where_it_already_lies() -> None:
    game = table(tokens={(0, "hells"): "fire-dragon"})
    settle(game, "hells", {0: "f2 m8 eK", 1: "f6 m5 e4"})
    reveal(game, "hells", [[0, 13, 8, 2], [0, 6, 5, 4]], [0])
    assert froms(game, "fire-2") == [[0, "hells"]]
    act(game, 0, "redeem", realm="hells", card="fire-2", **{"from": [0, "hells"]})
    assert game.tokens[0]["hells"] == ["fire-dragon"]


def test_tied_winners_redeem_from_the_dealers_left() -> None:
    game = table(tokens={(0, "earth"): "metal-oni"}, dealer=0)
    settle(game, "hells", {0: "f4 m8 eK", 1: "m4 w8 oK"})
    reveal(game, "hells", [[0, 13, 8, 4], [0, 13, 8, 4]], [0, 1])
    act(game, 1, "redeem", realm="hells", card="metal-4", **{"from": [0, "earth"]})
    act(game, 0, "redeem", realm="hells", card="fire-4", **{"from": "pool"})
    assert game.tokens[1]["hells"] == ["metal-oni"]
    assert game.tokens[0] == {"heavens": [], "earth": [], "hells": ["fire-oni"]}


def test_the_second_of_tied_winners_may_take_what_the_first_has_taken() -> None:
    game = table(dealer=1, redeems={"4": "dragon", "8": "dragon"})
    settle(game, "hells", {0: "f4 m8 eK", 1: "m4 f8 oK"})
    reveal(game, "hells", [[0, 13, 8, 4], [0, 13, 8, 4]], [0, 1])
    act(game, 0, "redeem", realm="hells", card="fire-4", **{"from": "pool"})
    assert froms(game, "fire-8") == [[0, "hells"]]
    act(game, 1, "redeem", realm="hells", card="fire-8", **{"from": [0, "hells"]})
    assert game.tokens[0]["hells"] == []
    assert game.tokens[1]["hells"] == ["fire-dragon"]


@pytest.mark.parametrize(
    ("preset", "kinds"),
    [
        ("default", "dragon oni oni samurai samurai dog dog dog - - - - -"),
        ("even", "dragon dragon oni oni samurai samurai dog dog - - - - -"),
        ("tokens", "dragon oni samurai samurai samurai dog dog dog - - - - -"),
    ],
)
def test_presets_of_redemption(preset: str, kinds: str) -> None:
    game = table(redeems=preset)
    names = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
    tokens = [game.token_for(f"wood-{name}") for name in names]
    assert tokens == [None if kind == "-" else f"wood-{kind}" for kind in kinds.split()]
    assert game.rules["redeems"] == REDEEMS[preset]


def test_a_ten_may_draw_a_legend_at_once() -> None:
    game = table(legends={0: "yosei", 1: "onibi"}, ten_draws_legend=True, redeems={"10": "dog", "2": "dragon"})
    settle(game, "hells", {0: "f10 m2 eK", 1: "f6 m5 e4"}, [(0, "yosei", "hells")])
    reveal(game, "hells", [[0, 13, 10, 2], [0, 6, 5, 4]], [0])
    assert froms(game, "fire-10") == ["legend"]  # instead of the table's Dog
    act(game, 0, "redeem", realm="hells", card="fire-10", **{"from": "legend"})
    legend(game, 0)
    assert game.legends[0] == ["fuujin", "yosei"]  # the wager comes back after the redemption
    legend(game, 0)
    assert game.phase == "done"


def test_a_ten_draws_nothing_when_no_legend_is_left() -> None:
    game = table(ten_draws_legend=True)
    game.legends[1] += game.legend_deck
    game.legend_deck = []
    settle(game, "hells", {0: "f10 m2 eK", 1: "f6 m5 e4"})
    reveal(game, "hells", [[0, 13, 10, 2], [0, 6, 5, 4]], [0])
    act(game, 0, "redeem", realm="hells", card="fire-10", **{"from": "legend"})
    assert game.phase == "done"


@pytest.mark.parametrize(
    ("switches", "of_bridge", "of_wild"),
    [
        ({}, [], []),
        ({"bridge_redeems": "orochi"}, ["pool"], []),
        ({"wild_redeems": "genbu"}, [], [[1, "earth"]]),
    ],
)
def test_bridges_and_wilds_redeem_only_by_their_switches(
    switches: Line, of_bridge: list[Any], of_wild: list[Any]
) -> None:
    game = table(tokens={(1, "earth"): "genbu"}, **switches)
    settle(game, "hells", {0: "B * eK", 1: "f6 m5 e4"})
    reveal(game, "hells", [[0, 13, 1, 0], [0, 6, 5, 4]], [0])
    assert froms(game, "bridge") == of_bridge
    assert froms(game, "wild") == of_wild


# ---------------------------------------------------------------------- combat


@pytest.mark.parametrize(
    ("mine", "theirs", "hits", "suffered"),
    [
        ([], [], [], []),
        ([4], [], [4], []),
        ([4], [4], [], []),
        ([4, 4], [4], [4], []),
        ([4, 1], [3, 2], [4], [2]),
        ([4, 3, 1], [4, 2, 2], [3], [2]),
        ([5, 1, 1], [3], [5, 1, 1], []),
        ([2, 2, 1], [5, 3], [1], [5, 3]),
        # cancelled one for one before anything is lined up
        ([4, 3, 2, 1], [3, 1], [4, 2], []),
        ([3, 2, 1], [4, 3], [1], [4]),
    ],
)
def test_equal_tokens_cancel_and_the_rest_is_lined_up(
    mine: list[int], theirs: list[int], hits: list[int], suffered: list[int]
) -> None:
    assert striking(mine, theirs) == hits
    assert striking(theirs, mine) == suffered


def fight(game: Game, realm: str, dealt: list[list[int]], taken: list[int]) -> None:
    """Feed three combats, of which only this one hurts."""
    game.begin(closing(game._combat()))
    nothing = [[0] * game.players] * game.players
    for other in REALMS:
        line = {"type": "event", "event": "combat", "realm": other}
        if other == realm:
            game.feed({**line, "dealt": dealt, "taken": taken})
        else:
            game.feed({**line, "dealt": nothing, "taken": [0] * game.players})
    game.conserved()


THREE = {
    (0, "earth"): "fire-dragon fire-oni wood-dog wood-dog",
    (1, "earth"): "metal-samurai metal-samurai earth-dog",
    (2, "earth"): "water-dog",
}


def test_only_the_largest_damage_counts() -> None:
    game = table(3, tokens=THREE)
    # 0: 4 3 1 1, 1: 2 2 1, 2: 1
    fight(game, "earth", [[0, 3, 3], [0, 0, 2], [0, 0, 0]], [0, 3, 3])
    assert [game.defence[seat]["earth"] for seat in range(3)] == [12, 9, 9]


def test_hardcore_takes_the_sum() -> None:
    game = table(3, tokens=THREE, hardcore=True)
    fight(game, "earth", [[0, 3, 3], [0, 0, 2], [0, 0, 0]], [0, 3, 5])


def test_nobody_loses_more_than_there_is() -> None:
    game = table(3, tokens=THREE, defence={1: [12, 2, 12], 2: [12, 0, 12]})
    fight(game, "earth", [[0, 3, 3], [0, 0, 2], [0, 0, 0]], [0, 2, 0])


def test_power_by_config() -> None:
    game = table(3, tokens=THREE, power={"oni": 2, "dog": 0})
    # 0: 4 2 0 0, 1: 2 2 0, 2: 0; a token without power strikes where nothing faces it
    fight(game, "earth", [[0, 2, 3], [0, 0, 2], [0, 0, 0]], [0, 2, 3])


PURPLE = {(0, "heavens"): "fire-dragon fire-oni wood-dog", (1, "heavens"): "metal-dragon genbu water-samurai"}


@pytest.mark.parametrize(
    ("have", "hits_of_0", "hits_of_1", "plain", "hardcore"),
    [
        # 0 strikes seat 2 with 4 3 1, 1 strikes it with 5 4 2: each one or two strong and the others weak
        (12, 3, 3, 3, 6),
        (6, 3, 3, 2, 3),  # 6 - 2 strong = 4: at the line; 6 - 1 strong = 5, one weak; together 6 - 3 = 3
        (5, 3, 3, 2, 3),
        (4, 3, 3, 2, 3),
        (2, 3, 3, 2, 2),
        (1, 3, 3, 1, 1),
        (8, 3, 3, 3, 4),
    ],
)
def test_purple_line(have: int, hits_of_0: int, hits_of_1: int, plain: int, hardcore: int) -> None:
    for is_hardcore, taken in ((False, plain), (True, hardcore)):
        game = table(3, tokens=PURPLE, defence={2: [have, 12, 12]}, hardcore=is_hardcore)
        # 4 3 1 against 5 4 2: the Dragons cancel, 3 and 1 face 5 and 2
        fight(game, "heavens", [[0, 0, hits_of_0], [2, 0, hits_of_1], [0, 0, 0]], [2, 0, taken])


def test_each_opponents_damage_is_first_reduced_by_the_line() -> None:
    # Of the three Dogs only one still counts against seat 2, of the two strong tokens both.
    game = table(
        3,
        tokens={(0, "heavens"): "fire-dog fire-dog wood-dog", (1, "heavens"): "metal-dragon genbu"},
        defence={2: [5, 12, 12]},
    )
    fight(game, "heavens", [[0, 1, 3], [2, 0, 2], [0, 0, 0]], [2, 1, 2])


@pytest.mark.parametrize(
    ("have", "rules", "taken"),
    [
        (6, {"purple_line": 6}, 2),
        (6, {"purple_line": 5}, 2),
        (6, {"purple_line": 3}, 3),
        (6, {"purple_line": 0}, 3),
        (4, {"purple_power": 3}, 2),
        (4, {"purple_power": 2}, 3),
        (4, {"purple_power": 5}, 1),
    ],
)
def test_the_purple_line_can_be_moved_and_its_power_too(have: int, rules: Line, taken: int) -> None:
    game = table(3, tokens=PURPLE, defence={2: [have, 12, 12]}, **rules)
    fight(game, "heavens", [[0, 0, 3], [2, 0, 3], [0, 0, 0]], [2, 0, taken])


def test_the_line_is_in_the_heavens_only() -> None:
    game = table(tokens={(0, "hells"): "fire-dog wood-dog"}, defence={1: [12, 12, 3]})
    fight(game, "hells", [[0, 2], [0, 0]], [0, 2])


def test_the_eliminated_neither_fight_nor_suffer() -> None:
    game = table(3, tokens={(0, "earth"): "fire-dog"}, out={1: [0, 6, 0]})
    fight(game, "earth", [[0, 0, 1], [0, 0, 0], [0, 0, 0]], [0, 0, 1])


# ---------------------------------------------------------------------- sets of Legends


def collect(game: Game) -> None:
    """Begin a collection phase."""
    game.begin(closing(game._collection()))


def ways(game: Game, name: str) -> set[str]:
    """Cards with which a set of one kind can be made by the seat to act."""
    return {" ".join(action["cards"]) for action in game.legal() if action.get("set") == name}


@pytest.mark.parametrize(
    ("held", "name", "expected"),
    [
        ("onibi onibi onibi", "onibi", ["onibi", "onibi onibi", "onibi onibi onibi"]),
        ("onibi onibi onibi onibi onibi onibi", "onibi", ["onibi", "onibi " * 2, "onibi " * 3, "onibi " * 4]),
        ("fuujin yosei", "fuujin", ["fuujin", "fuujin yosei"]),
        ("fuujin kitsune", "fuujin", ["fuujin"]),
        ("raijin raijin", "raijin", []),
        ("raijin raijin raijin raijin", "raijin", ["raijin raijin raijin"]),
        ("raijin kitsune kitsune", "raijin", ["kitsune kitsune raijin"]),
        (
            "raijin raijin raijin kitsune kitsune",
            "raijin",
            ["raijin raijin raijin", "kitsune raijin raijin", "kitsune kitsune raijin"],
        ),
        ("kitsune kitsune kitsune", "raijin", []),
        (
            "hachiman hachiman kitsune yosei yosei",
            "hachiman",
            [
                "hachiman hachiman kitsune",
                *("hachiman hachiman kitsune " + "yosei " * added for added in (1, 2)),
            ],
        ),
        ("genbu genbu genbu yosei", "genbu", ["genbu genbu genbu"]),
        ("orochi kitsune kitsune yosei", "orochi", ["kitsune kitsune orochi"]),
        ("shinigami", "shinigami", []),
        ("shinigami kitsune", "shinigami", []),
        ("shinigami shinigami shinigami yosei", "shinigami", ["shinigami shinigami", "shinigami shinigami yosei"]),
        ("monkey_king", "monkey_king", []),
        ("monkey_king monkey_king", "monkey_king", []),
        (
            "monkey_king monkey_king yosei kitsune kitsune",
            "monkey_king",
            ["kitsune monkey_king", "monkey_king yosei", "kitsune monkey_king yosei"],
        ),
    ],
)
def test_which_cards_make_a_set(held: str, name: str, expected: list[str]) -> None:
    game = table(legends={0: held})
    collect(game)
    assert ways(game, name) == {" ".join(way.split()) for way in expected}


def test_kitsune_and_yosei_are_no_sets() -> None:
    game = table(legends={0: "kitsune kitsune kitsune kitsune yosei yosei yosei"})
    collect(game)
    assert game.legal() == [{"kind": "none"}]


def test_the_monkey_king_goes_with_any_other_kinds() -> None:
    game = table(legends={0: " ".join(LEGENDS)})
    collect(game)
    found = ways(game, "monkey_king")
    assert len(found) == 2**9 - 1
    game = table(legends={0: "monkey_king raijin genbu yosei"})
    collect(game)
    # the book's example
    cards_played = ["genbu", "monkey_king", "raijin", "yosei"]
    act(game, 0, "collect", set="monkey_king", cards=cards_played, realm="hells")
    assert game.defence[1] == {"heavens": 12, "earth": 12, "hells": 9}


@pytest.mark.parametrize(
    ("name", "realms"),
    [
        ("onibi", REALMS),
        ("fuujin", REALMS),
        ("raijin", ["heavens"]),
        ("hachiman", ["earth"]),
        ("genbu", REALMS),
        ("orochi", REALMS),
        ("shinigami", REALMS),
        ("monkey_king", REALMS),
    ],
)
def test_where_a_set_may_be_played(name: str, realms: list[str]) -> None:
    game = table(legends={0: f"{name} {name} {name} yosei" if name != "monkey_king" else "monkey_king yosei"})
    collect(game)
    assert [realm for realm in REALMS if any(action.get("realm") == realm for action in game.legal())] == (
        REALMS if name in ("monkey_king", "onibi") else realms
    )
    assert {action["realm"] for action in game.legal() if action.get("set") == name} == set(realms)


@pytest.mark.parametrize(
    ("played", "realm", "damage"),
    [
        ("onibi", "earth", 1),
        ("onibi onibi", "earth", 2),
        ("onibi onibi onibi", "hells", 3),
        ("onibi onibi onibi onibi", "heavens", 5),
        ("fuujin fuujin fuujin fuujin yosei yosei", "heavens", 7),
        ("raijin raijin raijin", "heavens", 4),
        ("kitsune raijin raijin yosei", "heavens", 5),
        ("hachiman kitsune kitsune", "earth", 4),
    ],
)
def test_damage_of_a_set_to_all_opponents(played: str, realm: str, damage: int) -> None:
    game = table(4, legends={1: played}, dealer=1, out={2: [0, 3, 0]}, defence={3: [2, 2, 2]})
    collect(game)
    names = played.split()
    name = next(card for card in names if card not in ("kitsune", "yosei"))
    act(game, 1, "collect", set=name, cards=names, realm=realm)
    assert game.defence[1] == dict.fromkeys(REALMS, 12)
    assert game.defence[0][realm] == 12 - damage
    assert game.defence[2] == {"heavens": 0, "earth": 3, "hells": 0}
    assert game.defence[3][realm] == max(2 - damage, 0)  # past the purple line, but not below 0
    assert sorted(game.discard) == sorted(names)
    assert game.legends[1] == []
    assert game.seat == 3


def test_damage_and_sizes_by_config() -> None:
    rules: Line = {
        "damage": {"onibi": [2, 7], "raijin": 6, "monkey_king": 2, "shinigami": 3},
        "size": {"raijin": 2, "shinigami": 1},
    }
    game = table(3, legends={0: "onibi onibi onibi", 1: "raijin kitsune", 2: "monkey_king yosei genbu"}, **rules)
    assert game.rules["damage"]["hachiman"] == 4
    collect(game)
    assert ways(game, "onibi") == {"onibi", "onibi onibi"}
    act(game, 0, "collect", set="onibi", cards=["onibi", "onibi"], realm="earth")
    act(game, 1, "collect", set="raijin", cards=["raijin", "kitsune"], realm="heavens")
    act(game, 2, "collect", set="monkey_king", cards=["monkey_king", "yosei", "genbu"], realm="hells")
    assert [list(game.defence[seat].values()) for seat in range(3)] == [[6, 12, 8], [12, 5, 8], [6, 5, 12]]
    game = table(legends={0: "shinigami"}, **rules)
    collect(game)
    act(game, 0, "collect", set="shinigami", cards=["shinigami"], realm="earth", target=1, steal=None)
    assert game.defence[1]["earth"] == 9


@pytest.mark.parametrize("holder", [None, (0, "heavens"), (1, "hells"), (0, "earth")])
def test_genbu_and_orochi_sets_bring_the_token(holder: tuple[int, str] | None) -> None:
    for name in ("genbu", "orochi"):
        tokens = {holder: name} if holder else {}
        game = table(legends={0: f"{name} {name} kitsune"}, tokens=tokens, defence={0: [0, 12, 12]})
        collect(game)
        assert {action["realm"] for action in game.legal() if action.get("set") == name} == set(REALMS)
        act(game, 0, "collect", set=name, cards=[name, "kitsune", name], realm="earth")
        assert game.tokens[0]["earth"] == [name]
        assert sum(name in held for realms in game.tokens for held in realms.values()) == 1
        assert all(points == {"heavens": 12, "earth": 12, "hells": 12} for points in game.defence[1:])


def test_shinigami_hits_one_and_robs_anyone() -> None:
    game = table(
        4,
        legends={0: "shinigami shinigami yosei"},
        tokens={
            (0, "earth"): "fire-dog",
            (1, "earth"): "wood-dog wood-dog",
            (2, "hells"): "genbu",
            (2, "heavens"): "fire-oni",
        },
        out={3: [0, 0, 4]},
    )
    collect(game)
    every = [action for action in game.legal() if action.get("set") == "shinigami"]
    # with or without the Yosei, three Realms, two opponents, three different tokens
    assert len(every) == 2 * 3 * 2 * 3
    assert {action["target"] for action in every} == {1, 2}
    steals = [[1, "earth", "wood-dog"], [2, "heavens", "fire-oni"], [2, "hells", "genbu"]]
    assert [action["steal"] for action in every[:3]] == steals
    cards_played = ["yosei", "shinigami", "shinigami"]
    act(game, 0, "collect", set="shinigami", cards=cards_played, realm="earth", target=1, steal=[2, "hells", "genbu"])
    assert [game.defence[seat]["earth"] for seat in range(3)] == [12, 9, 12]
    assert game.tokens[0] == {"heavens": [], "earth": ["fire-dog"], "hells": ["genbu"]}
    assert game.tokens[2]["hells"] == []


def test_shinigami_steals_nothing_where_nothing_is() -> None:
    game = table(legends={0: "shinigami shinigami"}, tokens={(0, "earth"): "fire-dog"})
    collect(game)
    assert [action["steal"] for action in game.legal()[1:]] == [None] * 3
    act(game, 0, "collect", set="shinigami", cards=["shinigami"] * 2, realm="earth", target=1, steal=None)
    assert game.defence[1]["earth"] == 10


def test_shinigami_steals_before_the_realm_falls() -> None:
    game = table(legends={0: "shinigami shinigami"}, tokens={(1, "earth"): "fire-dog wood-oni"}, defence={1: [9, 2, 9]})
    collect(game)
    steal = [1, "earth", "wood-oni"]
    act(game, 0, "collect", set="shinigami", cards=["shinigami"] * 2, realm="earth", target=1, steal=steal)
    assert game.lost[1] == ["earth"]
    assert game.tokens[0]["earth"] == ["wood-oni"]
    assert game.tokens[1]["earth"] == []
    assert "fire-dog" in game.pool


def test_collection_goes_from_the_dealer_on_past_the_eliminated() -> None:
    game = table(4, out={3: [0, 0, 4]}, dealer=2)
    collect(game)
    for seat in (2, 0, 1):
        assert game.seat == seat
        skip(game, seat)
    assert game.phase == "done"


def test_who_goes_out_before_the_own_turn_plays_no_set() -> None:
    game = table(
        3,
        legends={0: "onibi", 1: "raijin raijin raijin", 2: "fuujin"},
        defence={1: [0, 1, 5]},
        tokens={(1, "hells"): "genbu"},
    )
    collect(game)
    act(game, 0, "collect", set="onibi", cards=["onibi"], realm="earth")
    assert game.inside == [0, 2]
    assert game.legends[1] == []
    assert sorted(game.discard) == ["onibi", "raijin", "raijin", "raijin"]
    assert "genbu" in game.pool
    assert game.seat == 2
    skip(game, 2)
    assert game.phase == "done"
    assert game.scores()[1] == 5


# ---------------------------------------------------------------------- lost Realms and the end


def test_tokens_return_once_and_later_ones_stay_and_fight() -> None:
    game = table(tokens={(0, "earth"): "fire-dog", (1, "earth"): "fire-oni wood-oni"}, defence={0: [12, 1, 12]})
    fight(game, "earth", [[0, 0], [2, 0]], [1, 0])
    assert game.lost[0] == ["earth"]
    assert game.tokens[0]["earth"] == []
    game.pool.remove("fire-dragon")
    game.tokens[0]["earth"].append("fire-dragon")
    fight(game, "earth", [[0, 1], [1, 0]], [0, 1])
    assert game.tokens[0]["earth"] == ["fire-dragon"]
    assert game.inside == [0, 1]


def test_who_falls_in_heavens_and_earth_still_fights_in_the_hells() -> None:
    game = table(
        3,
        tokens={
            **{(0, "heavens"): "genbu", (0, "earth"): "fire-oni"},
            **{(1, "hells"): "fire-dog", (1, "earth"): "wood-dog"},
        },
        defence={1: [1, 1, 12], 2: [1, 12, 12]},
    )
    game.begin(game._combat())
    line = {"type": "event", "event": "combat"}
    game.feed({**line, "realm": "heavens", "dealt": [[0, 1, 1], [0, 0, 0], [0, 0, 0]], "taken": [0, 1, 1]})
    game.feed({**line, "realm": "earth", "dealt": [[0, 1, 1], [0, 0, 1], [0, 0, 0]], "taken": [0, 1, 1]})
    assert game.inside == [0, 1, 2]
    game.feed({**line, "realm": "hells", "dealt": [[0, 0, 0], [1, 0, 1], [0, 0, 0]], "taken": [1, 0, 1]})
    assert game.inside == [0, 2]
    assert game.tokens[1] == {realm: [] for realm in REALMS}
    assert game.reason is None


def test_the_last_one_in_wins_whatever_the_score() -> None:
    game = table(legends={0: "onibi"}, defence={0: [1, 0, 1], 1: [0, 1, 12]})
    collect(game)
    act(game, 0, "collect", set="onibi", cards=["onibi"], realm="earth")
    assert (game.reason, game.winners, game.scores()) == ("last", [0], [2, 12])
    assert game.phase == "done"  # seat 1 has no turn any more


@pytest.mark.parametrize(
    ("left", "winners"),
    [([4, 6], [1]), ([6, 4], [0]), ([5, 5], [0, 1]), ([0, 0], [0, 1])],
)
def test_going_out_together(left: list[int], winners: list[int]) -> None:
    game = table(
        3,
        tokens={(0, "earth"): "fire-dog", (1, "earth"): "metal-samurai metal-dog wood-dog"},
        defence={0: [0, 1, left[0]], 1: [0, 1, left[1]]},
        out={2: [0, 0, 12]},
    )
    # 1 against 2 1 1: a Dog cancels, nothing is left of seat 0
    game.tokens[0]["earth"].append("genbu")
    game.pool.remove("genbu")
    fight(game, "earth", [[0, 1, 0], [1, 0, 0], [0, 0, 0]], [1, 1, 0])
    assert game.inside == []
    assert (game.reason, game.winners) == ("together", winners)
    assert sorted(game.pool) == sorted(ALL_TOKENS.elements())


def test_a_game_that_ends_in_combat_has_no_collection() -> None:
    game = table(tokens={(0, "earth"): "fire-dog"}, defence={1: [0, 1, 7]}, dealer=0)
    game.begin(game._course())
    deck = recruitment_deck(game.rules)
    game.feed({"type": "chance", "event": "deal", "hands": [deck[:13], deck[13:26]]})
    for line in play_on(game):
        if line.get("event") == "combat" and line["realm"] == "hells":
            break
    assert game.phase == "round"
    assert game.due is not None
    assert game.due["state"]["in"] == [0]
    game.feed(game.due)
    assert game.due == {
        **{"type": "end", "scores": [36, 7], "winners": [0], "rounds": 2, "turns": 2, "reason": "last"},
    }


def play_on(game: Game) -> Any:
    """Feed what is due, declining everything, until something hangs on chance."""
    stream = random.Random(5)
    while game.due is not None and game.phase != "deal":
        line = dict(game.due)
        if line["type"] == "action":
            action = {"kind": "none"} if game.phase not in ("arrange", "haunt") else choose_randomly(game, stream)
            line = {"type": "action", "seat": game.seat, "phase": game.phase, **action}
        elif line.get("event") == "legend":
            line["card"] = game.legend_deck[0]
        game.feed(line)
        game.conserved()
        yield line


@pytest.mark.parametrize(
    ("defence", "winners"),
    [
        ({0: [12, 12, 0], 1: [1, 1, 1]}, [1]),  # Realms left come first
        ({0: [5, 5, 5], 1: [4, 5, 5]}, [0]),
        ({0: [5, 5, 5], 1: [6, 6, 3]}, [0, 1]),
        ({0: [0, 6, 6], 1: [6, 6, 0]}, [0, 1]),
    ],
)
def test_the_cap(defence: dict[int, list[int]], winners: list[int]) -> None:
    game = table(3, defence=defence, out={2: [0, 0, 12]}, max_rounds=2)
    game.begin(game._course())
    deck = recruitment_deck(game.rules)
    game.feed({"type": "chance", "event": "deal", "hands": [deck[:13], deck[13:26], None]})
    last = list(play_on(game))[-1]
    assert (last["type"], last["reason"], last["winners"]) == ("end", "capped", winners)


# ---------------------------------------------------------------------- the dealer marker and hauntings


def marker(game: Game) -> None:
    game.begin(closing(game._move_the_marker()))


def haunt(game: Game, seat: int) -> None:
    game.feed({"type": "event", "event": "haunt", "seat": seat})
    game.conserved()


def test_the_marker_goes_left_past_the_eliminated() -> None:
    game = table(5, out={4: [0, 0, 3], 0: [0, 0, 3]}, dealer=3)
    marker(game)
    assert game.phase == "done"
    assert game.dealer == 1


def test_a_passed_place_haunts_past_the_purple_line() -> None:
    game = table(4, out={1: [0, 0, 3]}, defence={2: [3, 0, 2], 3: [4, 1, 9]}, haunted=True)
    marker(game)
    haunt(game, 1)
    assert game.phase == "done"
    assert [list(game.defence[seat].values()) for seat in range(4)] == [[11, 11, 11], [0, 0, 3], [2, 0, 1], [3, 0, 8]]
    assert game.lost[3] == ["earth"]
    assert game.dealer == 2


def test_whom_a_haunting_puts_out_on_the_markers_way_haunts_too() -> None:
    game = table(4, out={1: [0, 0, 3]}, defence={2: [3, 0, 1]}, haunted=True)
    marker(game)
    haunt(game, 1)
    haunt(game, 2)
    assert game.dealer == 3
    assert game.defence[3] == dict.fromkeys(REALMS, 10)


def test_a_haunting_at_the_marker_can_end_the_game() -> None:
    game = table(3, out={1: [0, 0, 3]}, defence={0: [7, 2, 2], 2: [2, 2, 5]}, haunted=True)
    game.begin(game._course())
    deck = recruitment_deck(game.rules)
    game.feed({"type": "chance", "event": "deal", "hands": [deck[:13], None, deck[13:26]]})
    # Seat 1 haunts at its turn in Collection and once more when the marker passes from 0 to 2.
    *_, closed, haunting, end = play_on(game)
    assert closed["state"]["defence"] == [[6, 1, 1], [0, 0, 3], [1, 1, 4]]
    assert haunting == {"type": "event", "event": "haunt", "seat": 1}
    assert (end["scores"], end["winners"], end["reason"]) == ([5, 3, 3], [0], "together")
    assert (end["rounds"], end["turns"]) == (2, 2)


def test_the_eliminated_haunt_at_their_turn_of_the_collection() -> None:
    game = table(4, legends={3: "onibi"}, defence={0: [0, 1, 9]}, out={2: [0, 0, 5]}, dealer=3, haunted=True)
    collect(game)
    act(game, 3, "collect", set="onibi", cards=["onibi"], realm="earth")
    haunt(game, 0)  # went out this very round
    assert game.seat == 1
    skip(game, 1)
    haunt(game, 2)
    assert game.phase == "done"
    assert game.defence[1] == {"heavens": 10, "earth": 9, "hells": 10}


def test_who_goes_out_after_the_own_turn_does_not_haunt_until_the_next() -> None:
    game = table(3, legends={1: "onibi"}, defence={0: [0, 1, 9]}, haunted=True)
    collect(game)
    skip(game, 0)
    act(game, 1, "collect", set="onibi", cards=["onibi"], realm="earth")
    skip(game, 2)
    assert game.phase == "done"


def test_a_haunting_by_choice_is_all_at_once() -> None:
    game = table(4, out={2: [0, 0, 5]}, defence={0: [1, 1, 0], 1: [5, 1, 0], 3: [3, 3, 3]}, haunted="choice", dealer=2)
    collect(game)
    haunt(game, 2)
    assert game.legal() == [{"kind": "haunt", "realm": realm} for realm in REALMS]
    act(game, 3, "haunt", realm="hells")
    assert game.defence[3]["hells"] == 3
    assert game.legal() == [{"kind": "haunt", "realm": "heavens"}, {"kind": "haunt", "realm": "earth"}]
    act(game, 0, "haunt", realm="heavens")
    assert game.inside == [0, 1, 3]
    act(game, 1, "haunt", realm="heavens")
    assert game.inside == [1, 3]
    assert game.defence[3]["hells"] == 2
    assert game.defence[1]["heavens"] == 4
    assert game.seat == 3


def test_without_the_variant_nobody_haunts() -> None:
    game = table(3, out={2: [0, 0, 5]}, dealer=2)
    collect(game)
    assert game.seat == 0


# ---------------------------------------------------------------------- the Legend deck


def test_the_deck_is_rebuilt_only_when_a_card_must_be_drawn() -> None:
    game = table(3)
    game.legends[0] += game.legend_deck[2:]
    game.discard, game.legend_deck = game.legend_deck[1:2], game.legend_deck[:1]

    def draws() -> Course:
        for seat in (0, 1, 2):
            yield from game._draw_legend(seat)

    game.begin(closing(draws()))
    old = list(game.discard)
    legend(game, 0)
    assert (game.legend_deck, game.phase) == ([], "reshuffle")
    game.feed({"type": "chance", "event": "reshuffle", "legend_deck": old})
    legend(game, 1)
    assert game.phase == "done"  # seat 2 draws nothing


def test_per_seat_draws_take_any_card_of_the_deck() -> None:
    game = table(draws="per_seat")
    game.begin(closing(game._draw_legend(0)))
    legend(game, 0, "monkey_king")
    assert game.legends[0] == ["monkey_king"]
    game = table(draws="per_seat", copies={"monkey_king": 0})
    game.begin(game._draw_legend(0))
    with pytest.raises(Mismatch, match="Legend drawn"):
        legend(game, 0, "monkey_king")


# ---------------------------------------------------------------------- rules by config


def test_components_are_counted_as_on_the_page() -> None:
    assert len(recruitment_deck(DEFAULT_RULES)) == 74
    assert len(legend_cards(DEFAULT_RULES)) == 48
    assert ALL_TOKENS.total() == 32
    assert (
        sum(DEFAULT_RULES["power"][token.split("-")[-1]] for token in ALL_TOKENS.elements()) == 5 * (4 + 3 + 4 + 2) + 10
    )
    assert complete({}) == complete(DEFAULT_RULES) == reference("sangoku", 1)[0]["rules"]


def test_incomplete_tables_are_filled_and_presets_known() -> None:
    rules = complete({"copies": {"onibi": 7}, "redeems": "even", "damage": {"raijin": 5}})
    assert rules["copies"] == {**DEFAULT_RULES["copies"], "onibi": 7}
    assert rules["damage"]["onibi"] == [1, 2, 3, 5]
    assert rules["redeems"]["3"] == "dragon"
    assert table(redeems={"2": "none", "3": "dog"}).token_for("fire-2") is None
    assert DEFAULT_RULES["damage"]["raijin"] == 4


@pytest.mark.parametrize(
    "wrong",
    [
        {"bridges": -1},
        {"wilds": 1.0},
        {"redeems": "odd"},
        {"redeems": {"1": "dog"}},
        {"redeems": {"2": "genbu"}},
        {"copies": {"tanuki": 1}},
        {"copies": 48},
        {"size": {"onibi": 1}},
        {"power": {"dog": "1"}},
        {"damage": {"raijin": [4]}},
        {"wild_redeems": "orochi"},
        {"defence": [12, 12]},
        {"no_wager": [True]},
        {"haunted": "yes"},
        {"wheel": None},
    ],
)
def test_rules_that_nobody_can_play_are_refused(wrong: Line) -> None:
    with pytest.raises(Mismatch, match=r"^line 1: ") as caught:
        complete(wrong)
    assert caught.value.what in (*wrong, "key of the rules")


# ---------------------------------------------------------------------- games of random players


def wander(game: Game, stream: random.Random) -> Line:
    """Any legal action, evenly; any arrangement, also one that is out of order where that may be laid."""
    if game.phase != "arrange":
        return stream.choice(game.legal())
    seat = game.seat
    assert seat is not None
    while True:
        mixed = stream.sample(game.cards[seat], 13)
        action = {"kind": "arrange", "heavens": mixed[:5], "earth": mixed[5:10], "hells": mixed[10:]}
        if game.is_legal(action):
            return action


def random_rules(stream: random.Random) -> Line:
    """Rules as a designer might try them: every switch in either position, other numbers."""
    return {
        "bridges": stream.randint(0, 8),
        "wilds": stream.randint(0, 6),
        **{
            switch: stream.random() < 0.5
            for switch in ("ten_draws_legend", "bridge_suited", "wheel", "back_from_the_brink", "hardcore")
        },
        "bridge_redeems": stream.choice(["none", "orochi"]),
        "wild_redeems": stream.choice(["none", "genbu"]),
        "redeems": stream.choice([*REDEEMS, {"A": "dragon", "K": "oni", "10": "dog", "3": "samurai"}]),
        "copies": {name: stream.randint(2, 7) for name in LEGENDS},
        "damage": {
            "onibi": [stream.randint(0, 6) for _ in range(stream.randint(1, 4))],
            "raijin": stream.randint(0, 9),
        },
        "size": {"raijin": stream.randint(1, 4), "shinigami": stream.randint(1, 3), "genbu": stream.randint(1, 3)},
        "power": {kind: stream.randint(1, 6) for kind in ("dragon", "oni", "samurai", "dog", "genbu", "orochi")},
        "defence": [stream.randint(1, 14) for _ in REALMS],
        "purple_line": stream.randint(0, 8),
        "purple_power": stream.randint(1, 6),
        "start_legends": stream.randint(0, 4),
        "max_rounds": stream.randint(1, 30),
        "illegal_hand": stream.choice(["out", "forbid"]),
        "haunted": stream.choice([False, True, "choice"]),
        "no_wager": stream.sample(range(5), stream.randint(0, 3)),
    }


def audit(lines: list[Line]) -> None:
    """Check from the trace alone what must hold in every game."""
    rules, players = lines[0]["rules"], lines[0]["players"]
    before = [rules["defence"]] * players
    inside = set(range(players))
    for line in lines[2:]:
        if line.get("event") == "deal":
            playing = {seat for seat, hand in enumerate(line["hands"]) if hand is not None}
            # Between two rounds only a haunting can put anybody out.
            assert playing == inside or (playing < inside and rules["haunted"])
            held = Counter(card for hand in line["hands"] for card in hand or [])
            assert held <= Counter(recruitment_deck(rules))
        elif line.get("event") == "combat":
            assert all(row[seat] == 0 for seat, row in enumerate(line["dealt"]))
            for seat, taken in enumerate(line["taken"]):
                suffered = [row[seat] for row in line["dealt"]]
                assert 0 <= taken <= (sum(suffered) if rules["hardcore"] else max(suffered))
        elif line.get("event") == "round":
            state = line["state"]
            for seat in range(players):
                # Defence never rises, never below 0; two lost Realms are out.
                assert all(0 <= now <= was for now, was in zip(state["defence"][seat], before[seat], strict=True))
                assert (state["defence"][seat].count(0) >= 2) == (seat not in state["in"])
                if seat not in state["in"]:
                    assert state["tokens"][seat] == [[], [], []]
                    assert state["legend_hands"][seat] == 0
            placed = Counter(token for realms in state["tokens"] for held in realms for token in held)
            assert placed <= ALL_TOKENS
            before, inside = state["defence"], set(state["in"])
    end = lines[-1]
    deals = [line for line in lines if line.get("event") == "deal"]
    assert end["rounds"] == len(deals)
    assert end["turns"] == sum(hand is not None for line in deals for hand in line["hands"])
    assert end["winners"]


@pytest.mark.parametrize("players", PLAYERS)
def test_random_games_pass(players: int) -> None:
    for seed in range(6):
        lines = list(play_random(players, {}, seed))
        check(lines)
        audit(lines)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("seed", range(8))
def test_wandering_games_under_random_rules_pass(players: int, seed: int) -> None:
    rules = random_rules(random.Random(100 * players + seed))
    for choose in (wander, choose_randomly):
        lines = list(play_random(players, rules, seed, choose))
        check(json.loads(json.dumps(line)) for line in lines)
        audit(lines)


def test_what_is_lost_or_doubled_is_noticed() -> None:
    deck = recruitment_deck(DEFAULT_RULES)
    spoilers: list[Callable[[Game], Any]] = [
        lambda game: game.pool.pop(),
        lambda game: game.tokens[0]["earth"].append("fire-dog"),
        lambda game: game.legends[1].append("onibi"),
        lambda game: game.legend_deck.pop(),
        lambda game: game.wagers.append({"seat": 0, "card": "onibi", "realm": "earth"}),
        lambda game: game.cards.__setitem__(0, deck[:13]),
        lambda game: game.cards.__setitem__(slice(0, 2), [deck[:13], deck[12:25]]),
        lambda game: game.defence[1].update(hells=-1),
    ]
    for spoil in spoilers:
        game = table()
        spoil(game)
        with pytest.raises(Mismatch):
            game.conserved()


def test_same_seed_same_game_and_another_seed_another() -> None:
    games = [list(play_random(4, {}, seed)) for seed in (1, 1, 2)]
    assert games[0] == games[1]
    assert games[0][2:] != games[2][2:]


def test_wandering_games_meet_everything() -> None:
    sets, sources, events, reasons = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    outs = 0
    for seed in range(60):
        rules = {
            **{"ten_draws_legend": True, "back_from_the_brink": True, "haunted": ["choice", True][seed % 2]},
            **{
                "bridge_redeems": "orochi",
                "hardcore": seed % 3 == 0,
                "max_rounds": 3 if seed % 10 == 0 else 60,
                "copies": dict.fromkeys(LEGENDS, 3),
            },
        }
        for line in play_random(2 + seed % 4, rules, seed, wander):
            if line.get("kind") == "collect":
                sets[line["set"]] += 1
            elif line.get("kind") == "redeem":
                sources["realm" if isinstance(line["from"], list) else line["from"]] += 1
            elif line.get("event") == "reveal":
                outs += line["ranks"].count(None)
            events[str(line.get("event"))] += 1
            reasons[str(line.get("reason"))] += 1
    assert set(sets) == set(LEGENDS) - {"kitsune", "yosei"}
    assert set(sources) == {"pool", "realm", "legend"}
    assert outs
    assert {"haunt", "reshuffle"} <= set(events)
    assert set(reasons) == {"None", "last", "together", "capped"}


# ---------------------------------------------------------------------- the reference random player


def test_random_player_wagers_half_the_time() -> None:
    game = table(legends={0: "onibi onibi fuujin"})
    game.begin(game._wagering())
    stream = random.Random(3)
    taken = Counter(
        (action.get("card"), action.get("realm")) for action in (choose_randomly(game, stream) for _ in range(6000))
    )
    assert abs(taken[None, None] - 3000) < 5 * 3000**0.5
    for realm in REALMS:
        assert abs(taken["onibi", realm] - 667) < 5 * 667**0.5
        assert abs(taken["fuujin", realm] - 333) < 5 * 333**0.5


def test_random_player_takes_each_token_in_play_alike() -> None:
    game = table(3, tokens={(1, "earth"): "fire-oni"})
    settle(game, "hells", {0: "f4 mA eK", 1: "f6 m5 e4", 2: "m6 e5 w3"})
    reveal(game, "hells", [[0, 14, 13, 4], [0, 6, 5, 4], [0, 6, 5, 3]], [0])
    stream = random.Random(4)
    assert {json.dumps(choose_randomly(game, stream)["from"]) for _ in range(20)} == {'[1, "earth"]'}
    game = table(3, tokens={(1, "earth"): "fire-dog fire-dog"})
    settle(game, "hells", {0: "f8 mA e9", 1: "f6 m5 e4", 2: "m6 e5 w3"})
    reveal(game, "hells", [[0, 14, 9, 8], [0, 6, 5, 4], [0, 6, 5, 3]], [0])
    taken = Counter(json.dumps(choose_randomly(game, stream)["from"]) for _ in range(1000))
    assert abs(taken['"pool"'] - 500) < 5 * 500**0.5


def test_random_player_collects_the_largest_set_without_helpers() -> None:
    game = table(3, legends={0: "onibi onibi kitsune yosei raijin raijin monkey_king"})
    collect(game)
    stream = random.Random(6)
    taken = Counter(" ".join(choose_randomly(game, stream)["cards"]) for _ in range(2000))
    assert set(taken) == {"onibi onibi", "kitsune monkey_king onibi raijin yosei"}
    assert abs(taken["onibi onibi"] - 1000) < 5 * 1000**0.5
    game = table(3, legends={0: "kitsune yosei raijin raijin shinigami"})
    collect(game)
    assert choose_randomly(game, stream) == {"kind": "none"}


def test_random_player_steals_each_token_alike() -> None:
    game = table(
        3,
        legends={0: "shinigami shinigami shinigami"},
        tokens={(1, "earth"): "fire-dog fire-dog", (2, "hells"): "genbu"},
    )
    collect(game)
    stream = random.Random(7)
    choices = [choose_randomly(game, stream) for _ in range(3000)]
    taken = Counter(action["steal"][2] for action in choices)
    assert abs(taken["fire-dog"] - 2000) < 5 * 2000**0.5
    assert all(game.is_legal(action) for action in choices[:50])


def test_random_player_arranges_in_order() -> None:
    game = table()
    game.begin(game._round())
    deck = recruitment_deck(game.rules)
    random.Random(1).shuffle(deck)
    game.feed({"type": "chance", "event": "deal", "hands": [deck[:13], deck[13:26]]})
    stream = random.Random(2)
    for _ in range(100):
        assert hands_out(choose_randomly(game, stream), game.rules) == []


# ---------------------------------------------------------------------- the house


def test_twin_imports_nothing_but_the_standard_library() -> None:
    source = Path(__file__).with_name("sangoku.py").read_text(encoding="utf-8")
    imported = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add((node.module or "").split(".")[0])
    assert imported <= sys.stdlib_module_names
