"""Sangoku's rules on hand-built states, by rule number, and what must hold in every game."""

import json
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from sim import games
from sim.engine.trace import Table
from sim.games.checks import NOBODY, Wanderer
from sim.games.sangoku import rules
from sim.games.sangoku.cards import (
    EARTH,
    HAND,
    HEAVENS,
    HELLS,
    LEGENDS,
    RANK_NAMES,
    REALMS,
    RECRUITS,
    SUIT_NAMES,
    TOKENS,
    TYPE_MASKS,
    TYPE_NAMES,
    WARRIORS,
    action_text,
    parse_action,
    tokens_in,
)
from tests.conftest import entries_of
from tests.golden import FOLDER, read

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # products that wrap around, in plain Python

SPEC = games.spec("sangoku")
IN_ORDER = "arrange 0000011111222"  # the first five cards, the next five, the last three
SUIT = {suit[0] if suit != "wood" else "d": suit for suit in SUIT_NAMES}

# Hands of 13 cards: Heavens, Earth, Hells. STRONG wins every Realm against the others.
STRONG = "fA mA eA wK dK fQ mQ eJ wJ d9 f8 m8 e3"
WEAK = "dA f9 m7 e5 w4 wQ e9 f7 m5 d4 mJ w9 d7"
LOW = "wK fJ e8 m6 d2 eQ d8 w6 f4 m2 fT d6 w5"


def kind(short: str) -> int:
    """Kind of a Recruitment card: suit (d is wood) and rank, T for 10; b is a Bridge, x a Wild."""
    if short in "bx":
        return RECRUITS.index("bridge" if short == "b" else "wild")
    return RECRUITS.index(f"{SUIT[short[0]]}-{short[1:].replace('T', '10')}")


def game(players: int = 3, deal: int = 0, **options: Any) -> Table:
    return Table(SPEC, SPEC.options.model_validate(options), [NOBODY] * players, 1, deal)


def give(table: Table, *hands: str) -> None:
    """Deal these Recruitment cards to the seats from the first on."""
    for seat, hand in enumerate(hands):
        table.state.hand[seat] = [kind(card) for card in hand.split()]


def hold(table: Table, seat: int, *legends: str) -> None:
    """Let a seat hold these Legend cards and no others."""
    table.state.legends[seat] = [legends.count(name) for name in LEGENDS]


def set_tokens(table: Table, seat: int, realm: int, *names: str) -> None:
    """Put tokens into a Realm, from wherever they are."""
    for name in names:
        pieces = int(TYPE_MASKS[TYPE_NAMES.index(name)]) & int(table.state.pool)
        piece = pieces & -pieces
        assert piece, f"{name} is not in the pool"
        table.state.pool ^= piece
        table.state.tokens[seat][realm] |= piece


def tokens_of(table: Table, seat: int) -> list[list[str]]:
    return [tokens_in(table.state.tokens[seat][realm]) for realm in range(3)]


def play(table: Table, *actions: str) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    for action in actions:
        code = parse_action(action)
        assert table.is_legal(code), f"{action} is not legal for seat {int(table.state.seat)}"
        lines += table.play(code)
    return lines


def legal(table: Table, action: str) -> bool:
    return table.is_legal(parse_action(action))


def phase(table: Table) -> tuple[str, int]:
    return SPEC.text.phase_name(table.state), int(table.state.seat)


def reveal(table: Table, *hands: str, wagers: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Give hands, lay them as they are, wager (nothing if not told), and reveal the Hells."""
    give(table, *hands)
    seats = len(hands)
    return play(table, *[IN_ORDER] * seats, *(wagers or ["none"] * seats))


def collecting(players: int = 3, **options: Any) -> Table:
    """A table at which seat 0 is about to redeem a set, before anybody has a token."""
    table = game(players, **options)
    reveal(table, *[STRONG, WEAK, LOW, WEAK, LOW][:players])
    play(table, "none", "none", "none")
    assert phase(table) == ("collect", 0)
    return table


def events(lines: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [line for line in lines if line.get("event") == name]


# --- R1, R2: set-up and a round ---------------------------------------------------------------------------------------


def test_r1_set_up():
    table = game(4, defence=[10, 11, 12], start_legends=2)
    state = table.state
    assert [list(row) for row in state.defence[:4]] == [[10, 11, 12]] * 4
    assert int(state.pool) == 2**TOKENS - 1
    assert state.legends[:4].sum(axis=1).tolist() == [2] * 4
    assert int(state.deck_left) == 48 - 8
    assert phase(table) == ("arrange", 0)


def test_r1_2_the_tokens():
    names = Counter(tokens_in(2**TOKENS - 1))
    assert sum(names.values()) == 32
    assert names["fire-dragon"] == names["wood-oni"] == names["genbu"] == names["orochi"] == 1
    assert names["water-samurai"] == names["metal-dog"] == 2


@pytest.mark.parametrize("draws", ["shared", "per_seat"])
def test_r2_1_everybody_is_dealt_13_cards_of_the_deck(draws):
    for deal in range(20):
        table = Table(SPEC, SPEC.options(bridges=2, wilds=1), [NOBODY] * 5, 3, deal, draws)
        dealt = Counter(int(card) for seat in range(5) for card in table.state.hand[seat])
        assert sum(dealt.values()) == 65
        assert max(dealt[card] for card in range(65)) == 1
        assert dealt[kind("b")] <= 2
        assert dealt[kind("x")] <= 1


def test_r2_1_a_seat_is_dealt_the_same_whoever_else_is_in():
    full, alone = game(4), game(4)
    for table in (full, alone):
        table.state.rounds = 5
    alone.state.inside = 0b1001
    for table in (full, alone):
        table.state.phase = rules.DEAL
        rules.follow(table.state, table.rules)
    assert full.state.hand[3].tolist() == alone.state.hand[3].tolist()
    assert alone.state.hand[1].tolist() == [rules.NO_CARD] * HAND
    assert int(full.state.turn) - 4 == 4
    assert int(alone.state.turn) - 4 == 2


def test_r2_2_only_five_five_and_three_cards_can_be_laid():
    table = game(2)
    for sizes in product(range(14), repeat=3):
        if sum(sizes) == 13:
            code = parse_action("arrange " + "".join(str(realm) * sizes[realm] for realm in range(3)))
            assert table.is_legal(code) == (sizes == (5, 5, 3))
    assert not table.is_legal(parse_action(IN_ORDER) | 3)  # there is no fourth Realm


def test_r2_3_hands_out_of_order_are_out():
    table = game(2)
    # Earth (a pair) above the Heavens; the Hells (a higher pair) above Earth as laid. Then all in order.
    lines = reveal(table, "fA m9 e7 w5 d4 f2 m2 e8 wJ d3 fK mK e6", WEAK)
    assert events(lines, "reveal")[0]["ranks"][0] is None
    lines = play(table, "none")
    assert events(lines, "reveal")[0]["ranks"][0] is None
    lines = play(table, "none")
    assert events(lines, "reveal")[0]["ranks"] == [[0, 14, 9, 7, 5, 4], [0, 14, 9, 7, 5, 4]]


def test_r2_3_the_hells_are_held_against_earth_as_laid():
    table = game(2)
    # Earth (a pair) is out; the Hells (a lower pair) are weaker than it and stay in.
    lines = reveal(table, "fA m9 e7 w5 d4 fJ mJ e8 w6 d3 f2 m2 e6", WEAK)
    assert events(lines, "reveal")[0]["ranks"][0] == [1, 2, 6]


def test_r2_3_forbidden_instead():
    table = game(2, illegal_hand="forbid")
    give(table, "fA m9 e7 w5 d4 fJ mJ e8 w6 d3 f2 m4 e6", WEAK)
    assert not legal(table, IN_ORDER)
    assert legal(table, "arrange 1111100000222")
    give(table, "fA m9 e7 w5 d4 wA d9 f7 e5 m4 f2 m3 e6", WEAK)
    assert legal(table, IN_ORDER)  # equal hands are in order


def test_r2_4_wagers():
    table = game(3, no_wager=[1])
    give(table, STRONG, WEAK, LOW)
    play(table, *[IN_ORDER] * 3)
    hold(table, 0, "kitsune")
    hold(table, 1, "kitsune")
    assert legal(table, "wager kitsune hells")
    assert not legal(table, "wager yosei hells")
    play(table, "wager kitsune hells")
    assert table.state.legends[0].sum() == 0
    assert phase(table) == ("wager", 1)
    assert not legal(table, "wager kitsune hells")
    assert legal(table, "none")


def test_r2_6_the_marker_passes_to_the_next_player_still_in():
    table = collecting(4)
    table.state.defence[2] = [0, 0, 5]
    table.state.defence[1] = [0, 9, 9]
    for _ in range(4):
        hold(table, int(table.state.seat), "onibi")
    play(table, "collect onibi 1+0+0 hells")  # the losses are looked at
    assert int(table.state.inside) == 0b1011
    play(table, "none", "none")
    assert phase(table) == ("arrange", 1)
    table.state.inside &= ~(1 << 3)
    table.state.dealer = 1
    table.state.phase = rules.PASS
    rules.follow(table.state, table.rules)
    rules.follow(table.state, table.rules)
    rules.follow(table.state, table.rules)
    assert int(table.state.dealer) == 0


# --- R3: revealing a Realm --------------------------------------------------------------------------------------------


def test_r3_1_the_hells_come_first():
    table = game(2)
    lines = reveal(table, STRONG, WEAK)
    assert [line["realm"] for line in events(lines, "reveal")] == ["hells"]
    assert [line["realm"] for line in events(play(table, "none"), "reveal")] == ["earth"]
    assert [line["realm"] for line in events(play(table, "none"), "reveal")] == ["heavens"]


def test_r3_2_equal_hands_all_win_and_redeem_from_the_dealers_left():
    table = game(3)
    lines = reveal(table, WEAK, LOW, WEAK)
    assert events(lines, "reveal")[0]["winners"] == [0, 2]
    assert phase(table) == ("redeem", 2)
    play(table, "none")
    assert phase(table) == ("redeem", 0)


def test_r3_2_nobody_wins_where_all_are_out():
    table = game(2)
    out = "fA m9 e7 w5 d4 f2 m2 e8 wJ d3 fK mK e6"
    hold(table, 0, "kitsune")
    lines = reveal(table, out, out, wagers=("wager kitsune hells", "none"))
    first, second, third = events(lines, "reveal")
    assert first["winners"] == second["winners"] == []
    assert third["winners"] == [0, 1]
    assert table.state.discard[LEGENDS.index("kitsune")] == 1


@pytest.mark.parametrize(
    ("table_name", "warriors"),
    [
        ("default", "dragon oni oni samurai samurai dog dog dog - - - - -"),
        ("even", "dragon dragon oni oni samurai samurai dog dog - - - - -"),
        ("tokens", "dragon oni samurai samurai samurai dog dog dog - - - - -"),
    ],
)
def test_r3_3_what_a_rank_is_redeemed_for(table_name, warriors):
    table = game(2, redeems=table_name)
    for row, (rank, warrior) in enumerate(zip(RANK_NAMES, warriors.split(), strict=True)):
        for number, suit in enumerate(SUIT_NAMES):
            token = int(rules.redeemed_for(table.rules, 0, number * 13 + row))
            assert ("-" if token < 0 else TYPE_NAMES[token]) == (f"{suit}-{warrior}" if warrior != "-" else "-"), rank
    assert rules.redeemed_for(table.rules, 0, kind("b")) == rules.redeemed_for(table.rules, 0, kind("x")) == -1


def test_r3_3_bridges_and_wilds_may_be_worth_the_great_tokens():
    table = game(2, bridge_redeems="orochi", wild_redeems="genbu")
    reveal(table, "fA mA eA wK dK fQ mQ eJ wJ d9 b b x", WEAK)
    assert legal(table, "redeem bridge pool")
    play(table, "redeem wild pool")
    assert tokens_of(table, 0) == [[], [], ["genbu"]]
    table = game(2)
    reveal(table, "fA mA eA wK dK fQ mQ eJ wJ d9 b b x", WEAK)
    assert not legal(table, "redeem bridge pool")
    assert not legal(table, "redeem wild pool")


def test_r3_3_only_a_card_of_the_winning_hand():
    table = game(2)
    reveal(table, STRONG, WEAK)
    assert phase(table) == ("redeem", 0)
    assert legal(table, "redeem earth-3 pool")
    assert not legal(table, "redeem wood-9 pool")  # on Earth
    assert not legal(table, "redeem wood-7 pool")  # the other player's
    play(table, "none")
    assert legal(table, "redeem wood-9 pool")


def test_r3_3_a_ten_for_a_legend_is_drawn_at_once():
    ten = "fA mA eA wK dK fQ mQ eJ wJ d9 fT mT e3"
    table = game(2, redeems={"10": "dog"})
    reveal(table, ten, WEAK)
    assert not legal(table, "redeem fire-10 legend")
    assert legal(table, "redeem fire-10 pool")
    table = game(2, ten_draws_legend=True, redeems={"10": "dog"})
    reveal(table, ten, WEAK)
    assert not legal(table, "redeem fire-10 pool")
    held = int(table.state.legends[0].sum())
    lines = play(table, "redeem fire-10 legend")
    assert [line.get("event") for line in lines[:3]] == [None, "legend", "reveal"]
    assert int(table.state.legends[0].sum()) == held + 1


def test_r3_4_and_r3_5_the_token_comes_from_the_pool_or_from_any_realm():
    table = game(3)
    set_tokens(table, 2, HEAVENS, "earth-oni")
    set_tokens(table, 0, EARTH, "fire-dog")
    set_tokens(table, 1, HEAVENS, "fire-dog")
    reveal(table, STRONG, WEAK, LOW)
    assert not legal(table, "redeem earth-3 pool")
    assert not legal(table, "redeem earth-3 1:heavens")
    assert legal(table, "redeem earth-3 2:heavens")
    assert legal(table, "redeem fire-8 0:earth")  # both Dogs are in play: the winner chooses
    assert legal(table, "redeem fire-8 1:heavens")
    assert legal(table, "redeem metal-8 pool")
    assert not legal(table, "redeem metal-8 1:heavens")
    play(table, "redeem fire-8 0:earth")
    assert tokens_of(table, 0) == [[], [], ["fire-dog"]]


def test_r3_4_a_token_may_be_taken_from_where_it_lies():
    table = game(2)
    set_tokens(table, 0, HELLS, "earth-oni")
    reveal(table, STRONG, WEAK)
    play(table, "redeem earth-3 0:hells")
    assert tokens_of(table, 0) == [[], [], ["earth-oni"]]


def test_r3_6_and_r3_7_a_winner_who_wagered_gets_the_wagers_and_draws():
    table = game(3)
    hold(table, 0, "kitsune")
    hold(table, 1, "yosei")
    hold(table, 2, "raijin")
    reveal(table, STRONG, WEAK, LOW, wagers=("wager kitsune hells", "wager yosei hells", "wager raijin earth"))
    lines = play(table, "none")
    assert [line["seat"] for line in events(lines, "legend")] == [0]
    held = Counter({name: int(count) for name, count in zip(LEGENDS, table.state.legends[0], strict=True) if count})
    assert held == Counter(["kitsune", "yosei", events(lines, "legend")[0]["card"]])
    play(table, "none")  # nobody who won Earth wagered there: the card is lost
    assert table.state.discard[LEGENDS.index("raijin")] == 1


def test_r3_6_tied_winners_share_the_wagers_one_at_a_time():
    table = game(5)
    for seat, name in enumerate(("genbu", "yosei", "raijin", "hachiman", "onibi")):
        hold(table, seat, name)
    wagers = [f"wager {name} hells" for name in ("genbu", "yosei", "raijin", "hachiman", "onibi")]
    reveal(table, STRONG, WEAK, STRONG, LOW, WEAK, wagers=tuple(wagers))
    play(table, "none", "none")
    # From the dealer's left the winners are 2 and 0; 1 loses first, then 3, then 4.
    assert [table.state.legends[2][LEGENDS.index(name)] for name in ("raijin", "yosei", "onibi")] == [1, 1, 1]
    assert [table.state.legends[0][LEGENDS.index(name)] for name in ("genbu", "hachiman")] == [1, 1]
    assert table.state.legends[2].sum() == 4
    assert table.state.legends[0].sum() == 3


def test_r3_8_whoever_won_nothing_draws():
    table = game(3)
    reveal(table, STRONG, WEAK, LOW)
    lines = play(table, "none", "none", "none")
    assert [line["seat"] for line in events(lines, "legend")] == [1, 2]


def test_r1_8_an_empty_deck_is_made_anew_when_a_card_must_be_drawn():
    table = game(3)
    state = table.state
    reveal(table, STRONG, WEAK, LOW)
    state.deck[:] = rules.NO_CARD
    state.deck_left = 0
    state.discard[:] = 0
    state.discard[LEGENDS.index("yosei")] = 1
    lines = play(table, "none", "none", "none")
    assert events(lines, "reshuffle") == [{"type": "chance", "event": "reshuffle", "legend_deck": ["yosei"]}]
    assert [(line["seat"], line["card"]) for line in events(lines, "legend")] == [(1, "yosei")]


# --- R4: combat -------------------------------------------------------------------------------------------------------


def combat(table: Table, realm: int) -> tuple[list[list[int]], list[int]]:
    """Fight in one Realm. Returns the damage dealt and the defence lost."""
    before = table.state.defence.copy()
    table.state.phase, table.state.realm = rules.COMBAT, realm
    rules.follow(table.state, table.rules)
    players = int(table.state.players)
    dealt = [[int(hits) for hits in row[:players]] for row in table.state.blows[:players]]
    return dealt, [int(before[seat][realm] - table.state.defence[seat][realm]) for seat in range(players)]


@pytest.mark.parametrize(
    ("mine", "theirs", "dealt"),
    [
        ("", "", (0, 0)),
        ("fire-dog metal-dog fire-dragon", "", (3, 0)),
        ("fire-dragon fire-dog", "fire-oni fire-samurai", (1, 1)),
        ("fire-dragon fire-samurai", "metal-dragon fire-dog", (1, 0)),  # equal ones cancel
        ("fire-dragon metal-dragon", "wood-dragon", (1, 0)),
        ("fire-dragon", "fire-oni fire-samurai fire-dog", (1, 2)),
        ("genbu", "orochi", (0, 0)),
        ("genbu fire-dog", "fire-dragon", (2, 0)),
    ],
)
def test_r4_2_and_r4_3_lining_up(mine, theirs, dealt):
    table = game(2)
    set_tokens(table, 0, EARTH, *mine.split())
    set_tokens(table, 1, EARTH, *theirs.split())
    found, taken = combat(table, EARTH)
    assert (found[0][1], found[1][0]) == dealt
    assert taken == [dealt[1], dealt[0]]


def lined_up(mine: list[int], theirs: list[int]) -> int:
    """Damage by the words of the rule, card by card."""
    left, right = sorted(mine, reverse=True), sorted(theirs, reverse=True)
    for power in [*left]:
        if power in left and power in right:
            left.remove(power)
            right.remove(power)
    return sum(place >= len(right) or power > right[place] for place, power in enumerate(left))


def test_r4_2_and_r4_3_on_random_forces():
    dice = Random(1)
    power = {"dragon": 4, "oni": 3, "samurai": 2, "dog": 1, "genbu": 5, "orochi": 5}
    for _ in range(200):
        table = game(2)
        names = dice.sample(tokens_in(2**TOKENS - 1), dice.randrange(20))
        cut = dice.randrange(len(names) + 1)
        set_tokens(table, 0, HELLS, *names[:cut])
        set_tokens(table, 1, HELLS, *names[cut:])
        mine, theirs = ([power[name.split("-")[-1]] for name in side] for side in (names[:cut], names[cut:]))
        table.state.defence[:2] = 40
        dealt, _ = combat(table, HELLS)
        assert (dealt[0][1], dealt[1][0]) == (lined_up(mine, theirs), lined_up(theirs, mine))


def test_r4_4_only_the_worst_opponent_counts_and_r7_2_all_do():
    for hardcore, lost in ((False, 2), (True, 3)):
        table = game(3, hardcore=hardcore)
        set_tokens(table, 1, EARTH, "fire-dog", "metal-dog")
        set_tokens(table, 2, EARTH, "wood-dog")
        _, taken = combat(table, EARTH)
        assert taken[0] == lost


@pytest.mark.parametrize(
    ("defence", "strong", "weak", "loss"),
    [
        (12, 0, 3, 3),
        (6, 0, 5, 2),  # down to the line
        (4, 0, 5, 0),
        (3, 0, 5, 0),
        (3, 1, 5, 1),
        (6, 1, 5, 2),  # strong first, weak down to the line
        (5, 3, 2, 3),
        (2, 5, 0, 2),
    ],
)
def test_r4_5_and_r4_6_the_purple_line(defence, strong, weak, loss):
    assert rules.loss_of(defence, strong, weak, 4) == loss
    table = game(2)
    table.state.defence[0][HEAVENS] = defence
    set_tokens(table, 1, HEAVENS, *[f"{suit}-dragon" for suit in SUIT_NAMES[:strong]])
    set_tokens(table, 1, HEAVENS, *[f"{suit}-dog" for suit in SUIT_NAMES[:weak]])
    assert combat(table, HEAVENS)[1][0] == loss


def test_r4_5_the_line_is_in_the_heavens_alone():
    table = game(2)
    table.state.defence[0][EARTH] = 3
    set_tokens(table, 1, EARTH, "fire-dog", "metal-dog")
    assert combat(table, EARTH)[1][0] == 2


def test_r4_5_line_and_strength_are_switches():
    table = game(2, purple_line=10, purple_power=2)
    set_tokens(table, 1, HEAVENS, "fire-dog", "metal-dog", "wood-dog", "water-samurai")
    assert combat(table, HEAVENS)[1][0] == 2  # 12 − 1 strong, then one of three Dogs down to 10


def test_r7_2_hardcore_applies_the_line_to_the_sum():
    table = game(3, hardcore=True)
    table.state.defence[0][HEAVENS] = 6
    set_tokens(table, 1, HEAVENS, "fire-dog", "metal-dog")
    set_tokens(table, 2, HEAVENS, "fire-dragon", "wood-dog")
    assert combat(table, HEAVENS)[1][0] == 2


# --- R5: Collection ---------------------------------------------------------------------------------------------------


def losses(table: Table, action: str) -> dict[int, list[int]]:
    """What a set costs each opponent, by Realm."""
    before = table.state.defence.copy()
    play(table, action)
    change = before - table.state.defence
    return {seat: change[seat].tolist() for seat in range(int(table.state.players)) if change[seat].any()}


@pytest.mark.parametrize(("cards", "damage"), [(1, 1), (2, 2), (3, 3), (4, 5)])
@pytest.mark.parametrize("name", ["onibi", "fuujin"])
def test_r5_2_onibi_and_fuujin(name, cards, damage):
    table = collecting()
    hold(table, 0, *[name] * 5)
    assert not legal(table, f"collect {name} 5+0+0 earth")
    assert losses(table, f"collect {name} {cards}+0+0 hells") == {1: [0, 0, damage], 2: [0, 0, damage]}
    assert table.state.legends[0].sum() == 5 - cards
    assert table.state.discard[LEGENDS.index(name)] == cards


def test_r5_1_one_set_a_turn_from_the_dealer_on():
    table = collecting()
    hold(table, 0, "onibi", "fuujin")
    play(table, "collect onibi 1+0+0 earth")
    assert phase(table) == ("collect", 1)


@pytest.mark.parametrize(("name", "realm"), [("raijin", HEAVENS), ("hachiman", EARTH)])
def test_r5_3_raijin_and_hachiman_strike_in_their_realm(name, realm):
    table = collecting()
    hold(table, 0, *[name] * 4)
    for place, where in enumerate(REALMS):
        assert legal(table, f"collect {name} 3+0+0 {where}") == (place == realm)
    assert not legal(table, f"collect {name} 2+0+0 {REALMS[realm]}")
    assert not legal(table, f"collect {name} 4+0+0 {REALMS[realm]}")
    lost = losses(table, f"collect {name} 3+0+0 {REALMS[realm]}")
    assert lost == {seat: [4 if place == realm else 0 for place in range(3)] for seat in (1, 2)}


def test_r5_4_genbu_comes_from_wherever_it_is():
    table = collecting()
    set_tokens(table, 2, HELLS, "genbu")
    hold(table, 0, "genbu", "genbu", "kitsune", "yosei")
    assert not legal(table, "collect genbu 2+1+1 earth")  # a Yosei has no place here
    assert losses(table, "collect genbu 2+1+0 earth") == {}
    assert tokens_of(table, 0) == [[], ["genbu"], []]
    assert tokens_of(table, 2) == [[], [], []]


def test_r5_4_orochi_comes_from_the_pool():
    table = collecting()
    hold(table, 0, *["orochi"] * 3)
    play(table, "collect orochi 3+0+0 hells")
    assert tokens_of(table, 0) == [[], [], ["orochi"]]
    assert not int(table.state.pool) & int(TYPE_MASKS[TYPE_NAMES.index("orochi")])


def test_r5_5_shinigami_strikes_one_and_steals_from_any():
    table = collecting()
    set_tokens(table, 0, EARTH, "metal-oni")
    set_tokens(table, 2, HEAVENS, "fire-dragon")
    hold(table, 0, "shinigami", "shinigami", "yosei")
    assert not legal(table, "collect shinigami 1+0+0 hells 1 2:heavens:fire-dragon")
    assert not legal(table, "collect shinigami 2+0+0 hells 0 2:heavens:fire-dragon")  # oneself
    assert not legal(table, "collect shinigami 2+0+0 hells 1 -")  # it must steal
    assert not legal(table, "collect shinigami 2+0+0 hells 1 0:earth:metal-oni")  # not from oneself
    assert not legal(table, "collect shinigami 2+0+0 hells 1 2:earth:fire-dragon")
    assert losses(table, "collect shinigami 2+0+1 hells 1 2:heavens:fire-dragon") == {1: [0, 0, 3]}
    assert tokens_of(table, 0) == [["fire-dragon"], ["metal-oni"], []]


def test_r5_5_nothing_to_steal():
    table = collecting()
    hold(table, 0, "shinigami", "shinigami")
    assert not legal(table, "collect shinigami 2+0+0 hells 1 2:heavens:fire-dragon")
    assert losses(table, "collect shinigami 2+0+0 earth 2 -") == {2: [0, 2, 0]}


def test_r5_6_the_monkey_king():
    table = collecting()
    hold(table, 0, "monkey_king", "monkey_king")
    assert rules.most_cards(table.state, table.rules, LEGENDS.index("monkey_king")) == 0
    hold(table, 0, "monkey_king", "monkey_king", "raijin", "raijin", "yosei", "kitsune")
    assert not legal(table, "collect monkey_king monkey_king earth")
    assert not legal(table, "collect monkey_king genbu earth")
    assert legal(table, "collect monkey_king raijin earth")
    assert losses(table, "collect monkey_king raijin,kitsune,yosei hells") == {1: [0, 0, 3], 2: [0, 0, 3]}
    assert table.state.legends[0][LEGENDS.index("raijin")] == 1


def test_r5_7_kitsune_stand_for_all_cards_but_one():
    table = collecting()
    hold(table, 0, "raijin", "kitsune", "kitsune", "kitsune", "onibi", "shinigami")
    assert legal(table, "collect raijin 1+2+0 heavens")
    assert not legal(table, "collect raijin 0+3+0 heavens")
    assert not legal(table, "collect onibi 1+1+0 heavens")
    assert not legal(table, "collect shinigami 1+1+0 heavens 1 -")
    assert not legal(table, "collect kitsune 1+0+0 heavens")


def test_r5_8_yosei_add_damage():
    table = collecting()
    hold(table, 0, "onibi", "yosei", "yosei")
    assert not legal(table, "collect onibi 1+0+3 earth")
    assert not legal(table, "collect yosei 1+0+0 earth")
    assert losses(table, "collect onibi 1+0+2 earth") == {1: [0, 3, 0], 2: [0, 3, 0]}


def test_r4_5_legends_strike_beyond_the_purple_line():
    table = collecting()
    table.state.defence[1][HEAVENS] = 3
    hold(table, 0, "onibi", "onibi")
    assert losses(table, "collect onibi 2+0+0 heavens")[1] == [2, 0, 0]


# --- R6: losing and winning -------------------------------------------------------------------------------------------


def test_r6_1_tokens_return_once_and_later_ones_stay():
    table = collecting()
    table.state.defence[1][EARTH] = 1
    set_tokens(table, 1, EARTH, "fire-dog")
    for seat in range(3):
        hold(table, seat, "onibi")
    play(table, "collect onibi 1+0+0 earth")
    assert tokens_of(table, 1) == [[], [], []]
    assert int(table.state.fallen[1]) == 1 << EARTH
    set_tokens(table, 1, EARTH, "fire-dog")
    play(table, "none", "collect onibi 1+0+0 earth")
    assert tokens_of(table, 1) == [[], ["fire-dog"], []]
    assert int(table.state.defence[1][EARTH]) == 0


def test_r6_1_the_losses_are_looked_at_after_all_three_combats():
    table = game(3)
    table.state.defence[1][:2] = 1
    set_tokens(table, 0, HEAVENS, "fire-dragon")
    table.state.defence[1][HEAVENS] = 1
    set_tokens(table, 0, EARTH, "metal-dragon")
    set_tokens(table, 1, HELLS, "wood-dragon")
    reveal(table, STRONG, WEAK, LOW)
    lines = play(table, "none", "none", "none")
    heavens, earth, hells = events(lines, "combat")
    assert heavens["taken"][1] == earth["taken"][1] == 1
    assert hells["taken"][0] == 1
    assert int(table.state.inside) == 0b101


def test_r6_2_the_eliminated_leave_everything():
    table = collecting()
    table.state.defence[1] = [0, 1, 7]
    table.state.fallen[1] = 1 << HEAVENS
    set_tokens(table, 1, HELLS, "fire-dog")
    hold(table, 0, "onibi")
    hold(table, 1, "yosei", "genbu")
    play(table, "collect onibi 1+0+0 earth")
    assert int(table.state.inside) == 0b101
    assert tokens_of(table, 1) == [[], [], []]
    assert table.state.legends[1].sum() == 0
    assert table.state.discard[LEGENDS.index("genbu")] == 1
    assert phase(table) == ("collect", 2)


def test_r6_3_the_last_one_in_wins_whatever_the_score():
    table = collecting(2)
    table.state.defence[0] = [1, 1, 0]
    table.state.fallen[0] = 1 << HELLS
    table.state.defence[1] = [12, 1, 0]
    table.state.fallen[1] = 1 << HELLS
    hold(table, 0, "onibi")
    lines = play(table, "collect onibi 1+0+0 earth")
    assert [line.get("event") for line in lines] == [None, "round"]
    assert table.result() == {
        "type": "end",
        "scores": [2, 12],
        "winners": [0],
        "rounds": 1,
        "turns": 2,
        "reason": "last",
    }


@pytest.mark.parametrize(("left", "winners"), [((5, 3), [0]), ((3, 5), [1]), ((4, 4), [0, 1])])
def test_r6_4_the_last_ones_go_out_together(left, winners):
    table = game(2)
    for seat in range(2):
        table.state.defence[seat] = [1, 1, left[seat]]
    set_tokens(table, 0, HEAVENS, "genbu", "fire-oni")
    set_tokens(table, 1, HEAVENS, "fire-dragon", "wood-dragon")
    set_tokens(table, 0, EARTH, "metal-dragon", "fire-dog")
    set_tokens(table, 1, EARTH, "metal-oni", "fire-samurai")
    reveal(table, STRONG, WEAK)
    play(table, "none", "none", "none")
    assert table.over
    assert (table.result()["reason"], table.result()["winners"]) == ("together", winners)


def test_r6_5_a_game_that_does_not_end_is_stopped():
    table = collecting(2, max_rounds=1)
    table.state.defence[0] = [12, 12, 0]
    table.state.fallen[0] = 1 << HELLS
    table.state.defence[1] = [1, 1, 1]
    play(table, "none", "none")
    assert table.over
    assert (table.result()["reason"], table.result()["winners"]) == ("capped", [1])
    assert SPEC.end_reasons[SPEC.capped_reason or 0] == "capped"


# --- R7: variants -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("brink", [False, True])
def test_r7_1_a_second_wager_after_losing_a_realm(brink):
    table = game(2, back_from_the_brink=brink)
    give(table, STRONG, WEAK)
    play(table, IN_ORDER, IN_ORDER)
    for seat in range(2):
        hold(table, seat, "kitsune", "yosei")
    table.state.fallen[0] = 1 << HELLS
    play(table, "wager kitsune hells")
    if not brink:
        assert phase(table) == ("wager", 1)
        return
    assert phase(table) == ("wager", 0)
    play(table, "wager yosei hells")
    assert phase(table) == ("wager", 1)
    play(table, "wager kitsune hells")  # this seat has lost nothing: it is asked once
    assert phase(table) == ("redeem", 0)
    lines = play(table, "none")
    assert len(events(lines, "legend")) == 2
    assert table.state.legends[0].sum() == 5


def eliminated(**options: Any) -> Table:
    """Seat 1 goes out by a set of seat 0, the dealer."""
    table = collecting(4, **options)
    table.state.defence[1] = [0, 1, 7]
    table.state.fallen[1] = 1 << HEAVENS
    hold(table, 0, "onibi")
    return table


def test_r7_3_ghosts_haunt_at_their_turn_and_when_the_marker_passes():
    table = eliminated(haunted=True)
    table.state.defence[2] = [4, 12, 12]
    lines = play(table, "collect onibi 1+0+0 earth")
    assert [line["seat"] for line in events(lines, "haunt")] == [1]
    assert phase(table) == ("collect", 2)
    assert table.state.defence[0].tolist() == [11, 11, 11]
    assert table.state.defence[2].tolist() == [3, 10, 11]  # the purple line does not matter
    lines = play(table, "none", "none")
    assert [line.get("event") for line in lines[-3:]] == ["round", "haunt", "deal"]
    assert int(table.state.dealer) == 2
    assert table.state.defence[0].tolist() == [10, 10, 10]


def test_r7_3_no_ghosts_without_the_variant():
    table = eliminated()
    lines = play(table, "collect onibi 1+0+0 earth", "none", "none")
    assert not events(lines, "haunt")
    assert table.state.defence[0].tolist() == [12, 12, 12]


def test_r7_3_everybody_chooses_a_realm_and_all_lose_at_once():
    table = eliminated(haunted="choice")
    table.state.defence[2] = [0, 2, 1]
    table.state.fallen[2] = 1 << HEAVENS
    play(table, "collect onibi 1+0+0 earth")
    assert phase(table) == ("haunt", 2)
    assert not legal(table, "haunt heavens")
    assert not legal(table, "none")
    play(table, "haunt hells")
    assert int(table.state.inside) == 0b1101
    assert phase(table) == ("haunt", 3)
    play(table, "haunt earth")
    assert phase(table) == ("haunt", 0)
    lines = play(table, "haunt heavens")
    assert int(table.state.inside) == 0b1001
    assert table.state.defence[0].tolist() == [11, 12, 12]
    # The ghost of seat 2 haunts at once: its turn comes next.
    assert [line["seat"] for line in events(lines, "haunt")] == [2]


def test_r7_3_a_ghost_may_end_the_game():
    table = collecting(3, haunted=True)
    table.state.defence[1] = [0, 1, 7]
    table.state.fallen[1] = 1 << HEAVENS
    for seat in (0, 2):
        table.state.defence[seat] = [1, 9, 1]
    table.state.defence[2][EARTH] = 5
    hold(table, 0, "onibi")
    play(table, "collect onibi 1+0+0 earth")
    assert table.over
    assert (table.result()["reason"], table.result()["winners"]) == ("together", [0])


# --- what one seat alone may be changed in ----------------------------------------------------------------------------


def change(name: str, item: int, seat: int = 1, players: int = 3) -> Any:
    record = SPEC.fill_rules(SPEC.options(), players)
    {each.name: each for each in SPEC.interventions}[name].change(record, item, seat)
    return record


def deal_with(record: Any, deal: int) -> Any:
    return Table.by_rules(SPEC, record, [NOBODY] * 3, 1, deal).state


@pytest.mark.parametrize("item", [0, 6, 9, None])
def test_r1_7_a_granted_card_is_swapped_with_the_deck(item):
    applied = 0
    for deal in range(40):
        before = game(3, deal).state
        after = deal_with(change("placebo", 0) if item is None else change("grant", item), deal)
        assert before.legends[[0, 2]].tolist() == after.legends[[0, 2]].tolist()
        assert before.hand.tolist() == after.hand.tolist()
        assert after.legends[1].sum() == 3
        gained = after.legends[1].astype(int) - before.legends[1]
        deck = [np.bincount(state.deck[state.deck >= 0], minlength=10) for state in (before, after)]
        assert (deck[0] - deck[1] == gained).all()
        if item is not None and before.stock >> (rules.LEGEND_ITEM + item) & 1:
            assert after.legends[1][item] >= 1
            applied += 1
        elif item is not None:
            assert not gained.any()
    assert item is None or applied > 20


def test_interventions_change_one_seat_alone_and_nothing_without_effect():
    plain = SPEC.fill_rules(SPEC.options(), 3)
    for intervention in SPEC.interventions:
        for item in range(len(intervention.items)):
            record = change(intervention.name, item)
            changed = [name for name in record.dtype.names if not np.array_equal(record[name], plain[name])]
            assert len(changed) == 1
            others = [seat for seat in range(5) if seat != 1]
            assert np.array_equal(record[changed[0]][others], plain[changed[0]][others])
    assert SPEC.bonus is not None
    SPEC.bonus.give(plain, 2, 4)
    assert plain.defence[2].tolist() == [13, 13, 14]
    SPEC.bonus.give(plain, 2, -6)
    assert plain.defence[2].tolist() == [11, 11, 12]


def test_a_ban_changes_nothing_where_the_card_was_never_held():
    (player,) = entries_of("sangoku", "random")
    item = LEGENDS.index("monkey_king")
    ban = next(each for each in SPEC.interventions if each.name == "ban")
    assert ban.matters is not None
    ends: list[list[dict[str, Any]]] = []
    records = np.zeros(40, SPEC.record).view(np.recarray)
    for banned in (False, True):
        ends.append([])
        for deal in range(len(records)):
            table = Table(SPEC, SPEC.options(), [player] * 3, 2, deal)
            if banned:
                ban.change(table.rules, item, 1)
            while not table.over:
                table.apply(table.choose())
            ends[-1].append(table.result())
            if not banned:
                rules.record(table.state, records[deal])
    matters = ban.matters(None, records, item)[:, 1]
    assert 0 < matters.sum() < len(records)
    same = np.array([plain == other for plain, other in zip(*ends, strict=True)])
    assert same[~matters].all()
    assert not same[matters].all()


def test_a_banned_card_and_barred_actions():
    table = collecting()
    hold(table, 0, "onibi", "raijin", "kitsune", "kitsune", "monkey_king")
    table.rules = change("ban", LEGENDS.index("kitsune"), seat=0)
    assert not legal(table, "collect raijin 1+2+0 heavens")
    assert not legal(table, "collect monkey_king kitsune heavens")
    assert legal(table, "collect monkey_king onibi heavens")
    table.rules = change("without", 2, seat=0)
    assert [action_text(code) for code in Wanderer(SPEC, 1).candidates(table)] == ["none"]
    table = game(3)
    reveal(table, STRONG, WEAK, LOW)
    table.rules = change("without", 1, seat=0)
    assert not legal(table, "redeem earth-3 pool")
    table.rules = change("stronger", WARRIORS.index("dog"), seat=0)
    set_tokens(table, 0, EARTH, "fire-dog")
    set_tokens(table, 1, EARTH, "wood-dog")
    assert combat(table, EARTH)[0][0][1] == 1


# --- every game -------------------------------------------------------------------------------------------------------


def conserved(table: Table, cards: Counter[int]) -> None:
    """Every Recruitment card, Legend card and token is in exactly one place."""
    state, players = table.state, int(table.state.players)
    places = [int(state.pool), *(int(mask) for seat in range(players) for mask in state.tokens[seat])]
    assert sum(places) == 2**TOKENS - 1
    assert sum(mask.bit_count() for mask in places) == TOKENS
    legends = state.legends[:players].sum(axis=0) + state.discard
    legends = legends + np.bincount(state.deck[state.deck >= 0], minlength=10)
    wagered = state.wagered[:players]
    legends = legends + np.bincount(wagered[wagered >= 0], minlength=10)
    assert legends.tolist() == table.rules.copies.tolist()
    assert int((state.deck >= 0).sum()) == int(state.deck_left)
    for seat in range(players):
        inside = bool(int(state.inside) >> seat & 1)
        assert inside == (int(state.fallen[seat]).bit_count() < 2)
        assert inside or not state.legends[seat].any()
        assert inside or not state.tokens[seat].any()
        if state.laid[seat][0] >= 0:
            assert sorted(state.laid[seat]) == sorted(state.hand[seat])
    if int(state.phase) <= rules.REDEEM:
        dealt = Counter(int(card) for seat in range(players) for card in state.hand[seat] if card >= 0)
        assert dealt <= cards


VARIANTS: list[dict[str, Any]] = [
    {},
    {"haunted": True, "hardcore": True, "ten_draws_legend": True},
    {"haunted": "choice", "back_from_the_brink": True, "bridge_redeems": "orochi", "wild_redeems": "genbu"},
    {"illegal_hand": "forbid", "bridge_suited": True, "wheel": False, "redeems": "tokens", "bridges": 10, "wilds": 0},
    {"start_legends": 9, "copies": {"onibi": 12, "fuujin": 0}, "max_rounds": 3, "no_wager": [0]},
]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("variant", range(len(VARIANTS)))
def test_nothing_is_lost_in_any_game(players, variant):
    options = VARIANTS[variant]
    for deal in range(6):
        draws = "per_seat" if deal % 2 else "shared"
        table = Table(SPEC, SPEC.options.model_validate(options), [NOBODY] * players, 5, deal, draws)
        cards = Counter(dict.fromkeys(range(65), 1))
        cards[kind("b")], cards[kind("x")] = int(table.rules.bridges), int(table.rules.wilds)
        wanderer, dice = Wanderer(SPEC, deal), Random(deal)
        defence = table.state.defence.copy()
        while not table.over:
            action = wanderer.choose(table)
            if dice.random() < 0.3 and int(table.state.phase) == rules.ARRANGE:
                realms = list("0000011111222")
                dice.shuffle(realms)
                mixed = parse_action("arrange " + "".join(realms))
                action = mixed if table.is_legal(mixed) else action
            with np.errstate(over="ignore"):
                rules.act(table.state, table.rules, action)
                conserved(table, cards)
                while rules.is_automatic(table.state):
                    rules.follow(table.state, table.rules)
                    conserved(table, cards)
            assert (table.state.defence <= defence).all()
            assert (table.state.defence[:players] >= 0).all()
            defence = table.state.defence.copy()


def test_weak_tokens_never_push_below_the_line():
    """In games without strong tokens, Legends and ghosts nobody ever falls below the line in the Heavens."""
    options = {"purple_power": 9, "start_legends": 0, "copies": dict.fromkeys(LEGENDS, 0), "max_rounds": 20}
    for deal in range(5):
        table = game(3, deal, **options)
        wanderer = Wanderer(SPEC, deal)
        while not table.over:
            table.apply(wanderer.choose(table))
            assert (table.state.defence[:3, HEAVENS] >= 4).all()


def test_the_record_agrees_with_the_trace():
    table = game(4, 3)
    wanderer = Wanderer(SPEC, 3)
    lines = [*table.opening]
    while not table.over:
        lines += table.play(wanderer.choose(table))
    row = np.zeros(1, SPEC.record).view(np.recarray)[0]
    rules.record(table.state, row)
    reveals = events(lines, "reveal")
    for realm, name in enumerate(REALMS):
        here = [line for line in reveals if line["realm"] == name]
        assert row.hands[realm, :, 0].sum() == sum(rank is not None for line in here for rank in line["ranks"])
        assert row.hands[realm, :, 1].sum() == sum(len(line["winners"]) for line in here)
    assert row.recruits[:, 0].sum() == 13 * int(table.state.turn)
    kinds = Counter(line["kind"] for line in lines if line["type"] == "action")
    assert row.recruits[:, 2].sum() == kinds["redeem"]
    assert row.legends[:, 0].sum() == len(events(lines, "legend"))
    assert row.legends[:, 1].sum() == kinds["wager"]
    turned_in = [card for line in lines if line.get("kind") == "collect" for card in line["cards"]]
    assert row.legends[:, 2].tolist() == [turned_in.count(name) for name in LEGENDS]
    dealt = sum(sum(map(sum, line["dealt"])) for line in events(lines, "combat"))
    assert row.forces[:, 1].sum() == dealt
    held = Counter(
        token.split("-")[-1]
        for line in events(lines, "round")
        for realms in line["state"]["tokens"]
        for tokens in realms
        for token in tokens
    )
    assert row.forces[:, 0].tolist() == [held[name] for name in WARRIORS]
    assert row.eliminated.sum() == 4 - len(events(lines, "round")[-1]["state"]["in"])


def test_redeal_keeps_what_a_seat_has_seen():
    """Own cards, all counts, hands revealed and those still hidden: the last change, and stay in order."""
    changed = Counter[str]()
    for deal in range(4):
        table = game(4, deal)
        wanderer = Wanderer(SPEC, deal)
        while not table.over:
            seen, seat = table.state, int(table.state.seat)
            again = seen.copy()
            with np.errstate(over="ignore"):
                rules.redeal(again, table.rules, seat, np.uint64(deal + 100 * int(seen.decision)))
            assert again.hand[seat].tolist() == seen.hand[seat].tolist()
            assert again.laid[seat].tolist() == seen.laid[seat].tolist()
            assert again.legends[seat].tolist() == seen.legends[seat].tolist()
            assert again.wagered[seat].tolist() == seen.wagered[seat].tolist()
            assert again.legends.sum(axis=1).tolist() == seen.legends.sum(axis=1).tolist()
            assert again.discard.tolist() == seen.discard.tolist()
            assert (again.wagered >= 0).tolist() == (seen.wagered >= 0).tolist()
            assert again.tokens.tolist() == seen.tokens.tolist()
            if int(seen.phase) == rules.REDEEM:
                first = (0, 5, 10)[int(seen.realm)]
                assert again.laid[:, first:].tolist() == seen.laid[:, first:].tolist()
                revealed = slice(int(seen.realm), 3)
                assert again.strength[:, revealed].tolist() == seen.strength[:, revealed].tolist()
            if int(seen.phase) <= rules.REDEEM:
                dealt = Counter(int(card) for other in range(4) for card in again.hand[other] if card >= 0)
                assert all(dealt[card] <= 1 for card in range(65))
                changed["hands"] += again.hand.tolist() != seen.hand.tolist()
            changed["legends"] += again.legends.tolist() != seen.legends.tolist()
            table.apply(wanderer.choose(table))
    assert min(changed["hands"], changed["legends"]) > 20


REFERENCES = sorted(path for path in (FOLDER / "sangoku").glob("reference-*.jsonl"))


@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: path.stem)
def test_reference_traces_come_out_line_by_line(path: Path):
    """Games of another implementation, with its cards put into our decks: every line that follows is the same."""
    header, setup, *lines = read(path)
    table = game(header["players"], **header["rules"])
    state = table.state
    for seat, hand in enumerate(setup["legends"]):
        hold(table, seat, *hand)

    def stack(deck: list[str]) -> None:
        state.deck[:] = rules.NO_CARD
        state.deck[: len(deck)] = [LEGENDS.index(name) for name in deck]
        state.deck_cards = state.deck_left = len(deck)
        state.cursor = 0

    def deal_out(hands: list[list[str] | None]) -> None:
        for seat, hand in enumerate(hands):
            if hand is not None:
                state.hand[seat] = [RECRUITS.index(card) for card in hand]

    stack(setup["legend_deck"])
    deal_out(lines[0]["hands"])
    coming = iter(lines[1:])
    for line in coming:
        if line["type"] == "end":
            assert table.over
            assert table.result() == line
            return
        code = spoken(table, line)
        before = state.copy()
        assert table.is_legal(code), line
        rules.act(state, table.rules, code)
        told = {"type": "action", "seat": int(before.seat), **SPEC.text.action_line(before, code, state)}
        assert told == line
        while rules.is_automatic(state):
            before = state.copy()
            rules.follow(state, table.rules)
            for told in SPEC.text.follow_lines(before, state):
                expected = next(coming)
                if expected.get("event") == "deal":
                    assert told["event"] == "deal"
                    deal_out(expected["hands"])
                elif expected.get("event") == "reshuffle":
                    assert Counter(told["legend_deck"]) == Counter(expected["legend_deck"])
                    stack(expected["legend_deck"])
                else:
                    assert json.loads(json.dumps(told)) == expected
    pytest.fail("the trace has no end")


def spoken(table: Table, line: dict[str, Any]) -> int:
    """Code of an action of the trace."""
    match line:
        case {"kind": "arrange"}:
            # Our lines keep the order of the hand, so the hand is put into the order of the line.
            laid = [RECRUITS.index(card) for name in REALMS for card in line[name]]
            assert sorted(laid) == sorted(table.state.hand[line["seat"]])
            table.state.hand[line["seat"]] = laid
            return parse_action(IN_ORDER)
        case {"kind": "wager"}:
            return parse_action(f"wager {line['card']} {line['realm']}")
        case {"kind": "redeem"}:
            source = line["from"] if isinstance(line["from"], str) else "{}:{}".format(*line["from"])
            return parse_action(f"redeem {line['card']} {source}")
        case {"kind": "collect", "set": "monkey_king"}:
            others = ",".join(card for card in line["cards"] if card != "monkey_king")
            return parse_action(f"collect monkey_king {others} {line['realm']}")
        case {"kind": "collect", "set": name}:
            cards = "+".join(str(line["cards"].count(each)) for each in (name, "kitsune", "yosei"))
            theft = ""
            if name == "shinigami":
                theft = f" {line['target']} {'{}:{}:{}'.format(*line['steal']) if line['steal'] else '-'}"
            return parse_action(f"collect {name} {cards} {line['realm']}{theft}")
        case {"kind": "haunt"}:
            return parse_action(f"haunt {line['realm']}")
    return parse_action("none")
