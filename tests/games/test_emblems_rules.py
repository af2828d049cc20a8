"""The rules of Emblems on tables built by hand; each test names the rule of RULES.md that it holds."""

import json

import numpy as np
import pytest

from sim import rng
from sim.games.emblems import cards, rules
from sim.games.emblems.cards import (
    CHARACTERS,
    LOCATIONS,
    VALUES,
    action_text,
    card_name,
    parse_action,
    parse_card,
    reward_entry,
    values_in,
)

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")

SET_A = ([4, 3, 1], [3, 2, 2], [5, 1, -2])
NOTHING = ([], [], [])


def rules_of(players=3, lists=SET_A, blank=(), **changes):
    """The rule book's rules for three players, but for ``changes`` of fields of RULES."""
    record = np.zeros(1, rules.RULES).view(np.recarray)[0]
    record.players, record.rounds, record.turns, record.hand, record.start_coins = players, 3, 4, 6, 3
    record.coins_visible = 1
    record.effect[:] = 1
    record.set_name = b"A"
    for location, rewards in enumerate(lists):
        record.ranks[location] = len(rewards)
        record.rewards[location, : len(rewards)] = [reward_entry(reward) for reward in rewards]
    for card in map(parse_card, blank):
        record.effect[card & rules.SEAT_OF, card >> cards.SEAT_BITS] = 0
    for name, value in changes.items():
        record[name] = value
    return record


def empty_state():
    return np.zeros(1, rules.STATE).view(np.recarray)[0]


def mask_of(values):
    return sum(1 << (value - 1) for value in values)


def table(castle="", village="", port="", *, phase="place", seat=0, pawn=0, hands=(), selected=(), coins=(), **more):
    """A table in the middle of a game: rows as the trace writes them, ``selected`` by seat with 0 for revealed cards.

    What a seat has neither in hand nor selected nor in a row is its pile, highest value first.
    """
    record = rules_of(**more)
    state = empty_state()
    players = int(record.players)
    state.players, state.seat, state.pawn = players, seat, pawn
    state.phase = cards.PHASES.index(phase)
    state.forced[:] = rules.NOWHERE
    state.coins[:players] = coins or record.start_coins[:players]
    state.earned[:, cards.FROM_REWARDS] = state.coins - record.start_coins
    for location, row in enumerate((castle, village, port)):
        lying = [parse_card(name) for name in row.split()]
        state.length[location] = len(lying)
        state.rows[location][: len(lying)] = lying
        for card in lying:
            state.placed[location][card & rules.SEAT_OF] |= 1 << ((card >> cards.SEAT_BITS) - 1)
    for number in range(players):
        hand = hands[number] if number < len(hands) else ()
        face_down = selected[number] if number < len(selected) else 0
        state.hand[number], state.selected[number] = mask_of(hand), face_down
        used = {*hand, face_down, *values_in(rules.placed_cards(state, number))}
        rest = [value for value in range(VALUES, 0, -1) if value not in used]
        state.drawn_count[number] = VALUES - len(rest)
        state.pile[number] = [*sorted(used - {0}), *rest]
        state.policy[number] = state.chance[number] = number
    return state, record


def legal(at, text):
    return bool(rules.is_legal(*at, parse_action(text)))


def options(at):
    """All legal actions, in words."""
    out = np.zeros(rules.CANDIDATES, np.int64)
    actions = out[: int(rules.candidates(*at, out))].tolist()
    assert all(rules.is_legal(*at, action) for action in actions)
    return {action_text(action) for action in actions}


def play(at, *texts):
    for text in texts:
        assert legal(at, text), text
        rules.apply(*at, parse_action(text))


def row(at, location):
    state = at[0]
    number = LOCATIONS.index(location)
    return " ".join(card_name(int(card)) for card in state.rows[number][: int(state.length[number])])


def coins(at):
    state = at[0]
    return state.coins[: int(state.players)].tolist()


def settle(at, location):
    """Settle one Location and give its line of the trace."""
    state, record = at
    state.phase, state.settling = rules.SETTLE, LOCATIONS.index(location)
    before = state.copy()
    rules.follow(state, record)
    (line,) = cards.follow_lines(before, state)
    return line


def effects(line):
    return {effect["card"]: effect["result"] for effect in line["effects"]}


def gains(line):
    return {effect["card"]: effect["gains"] for effect in line["effects"]}


def rewards(line):
    return [(reward["rank"], reward["card"], reward["coins"]) for reward in line["rewards"]]


# --- R1 set-up --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [3, 4, 5])
def test_r1_everyone_shuffles_fifteen_cards_and_draws_six(players):
    state, record = empty_state(), rules_of(players)
    rules.deal(state, record, players, np.uint64(5))
    for seat in range(players):
        assert sorted(state.pile[seat].tolist()) == list(range(1, 16))
        assert values_in(state.hand[seat]) == sorted(state.pile[seat][:6].tolist())
    assert len({tuple(state.pile[seat]) for seat in range(players)}) == players
    assert coins((state, record)) == [3] * players
    assert (int(state.pawn), int(state.seat), int(state.phase)) == (0, 0, rules.SELECT)
    line = cards.setup_line(state, record)
    assert [len(pile) for pile in line["draw_piles"]] == [9] * players
    assert (line["set"], line["coins"], line["pawn"]) == ("A", [3] * players, 0)


def test_r1_3_r1_4_hand_and_start_coins_are_switches():
    state, record = empty_state(), rules_of(hand=9, start_coins=7)
    rules.deal(state, record, 3, np.uint64(5))
    assert [len(values_in(hand)) for hand in state.hand[:3]] == [9] * 3
    assert coins((state, record)) == [7] * 3


def test_a_new_deal_forgets_the_last_game():
    fresh, used = empty_state(), empty_state()
    record = rules_of()
    rules.deal(fresh, record, 3, np.uint64(5))
    rules.deal(used, record, 3, np.uint64(6))
    out = np.zeros(rules.CANDIDATES, np.int64)
    for state in (used, fresh):
        if state is used:
            play_out(state, record, out)
            rules.deal(used, record, 3, np.uint64(5))
        play_out(state, record, out)
    scraps = [np.zeros(1, rules.RECORD).view(np.recarray)[0] for _ in range(2)]
    for state, scrap in zip((fresh, used), scraps, strict=True):
        rules.record(state, scrap)
    assert scraps[0] == scraps[1]


def play_out(state, record, out):
    while not rules.is_over(state):
        count = int(rules.candidates(state, record, out))
        rules.apply(state, record, out[(int(state.decision) * 7) % count])


# --- R2 a turn --------------------------------------------------------------------------------------------------------


def test_r2_1_all_select_a_card_of_their_hand_before_anybody_places():
    at = table(phase="select", seat=1, pawn=1, hands=[[3, 6], [6, 2], [7, 13]])
    assert options(at) == {"select Merchant", "select Sailor"}
    assert not legal(at, "select Spy")
    assert not legal(at, "select King")
    play(at, "select Merchant", "select Witch")
    state, _ = at
    assert (int(state.seat), int(state.phase)) == (0, rules.SELECT)
    assert state.selected[:3].tolist() == [0, 6, 13]
    assert values_in(state.hand[1]) == [2]
    assert not legal(at, "place castle 0")
    play(at, "select Spy")
    assert (int(state.seat), int(state.phase)) == (1, rules.PLACE)
    assert not legal(at, "select Sailor")


def test_r2_2_cards_are_placed_from_the_pawn_on():
    at = table(seat=1, pawn=1, selected=[3, 6, 7])
    order = []
    for location in LOCATIONS:
        order.append(int(at[0].seat))
        play(at, f"place {location} 0")
    assert order == [1, 2, 0]


@pytest.mark.parametrize(
    ("value", "gaps"), [(15, [0]), (14, [0, 1]), (12, [1]), (7, [1, 2, 3]), (6, [3]), (2, [3, 4]), (1, [4])]
)
def test_r2_3_r2_4_rows_descend_and_equals_leave_a_choice(value, gaps):
    at = table(village="1:14 1:7 2:7 2:2", selected=[value])
    for gap in range(-1, 7):
        assert bool(rules.is_legal(*at, cards.place_action(cards.VILLAGE, gap))) == (gap in gaps)
    expected = {f"place village {gap}" for gap in gaps} | {"place castle 0", "place port 0"}
    assert options(at) == expected


def test_r2_5_a_named_location_binds_and_is_used_up():
    at = table(selected=[6, 7, 3])
    at[0].forced[0] = cards.PORT
    assert options(at) == {"place port 0"}
    assert not legal(at, "place castle 0")
    play(at, "place port 0")
    assert at[0].forced[:3].tolist() == [rules.NOWHERE] * 3


def test_r2_6_an_immediate_effect_comes_before_the_next_player():
    at = table(castle="1:13", selected=[5, 6, 7])
    play(at, "place castle 1")
    assert (int(at[0].seat), int(at[0].phase)) == (0, rules.TARGET)
    play(at, "Warrior 1:13")
    assert (int(at[0].seat), int(at[0].phase)) == (1, rules.PLACE)
    play(at, "place castle 0")
    assert (int(at[0].seat), int(at[0].phase)) == (2, rules.PLACE)


def test_r2_7_the_pawn_passes_after_the_line_of_the_last_action():
    at = table(seat=2, pawn=0, selected=[0, 0, 7], hands=[[1]] * 3)
    state, record = at
    before = state.copy()
    action = parse_action("place castle 0")
    rules.act(state, record, action)
    line = cards.action_line(before, action, state)
    assert line["state"]["pawn"] == 0
    assert rules.is_automatic(state)
    before = state.copy()
    rules.follow(state, record)
    assert list(cards.follow_lines(before, state)) == []
    assert (int(state.pawn), int(state.seat), int(state.turn), int(state.phase)) == (1, 1, 1, rules.SELECT)


def test_r2_7_the_pawn_passes_after_the_last_turn_too():
    at = table(seat=2, pawn=0, selected=[0, 0, 7], turns=1, rounds=1)
    play(at, "place castle 0")
    assert rules.is_over(at[0])
    assert int(at[0].pawn) == 1


# --- R3 immediate effects ---------------------------------------------------------------------------------------------


def placed(value, where="castle 0", seat=0, **more):
    """A table where a seat has just placed a card and decides about its effect."""
    selected = [0] * 5
    selected[seat] = value
    waiting = more.pop("waiting", {})
    for other, face_down in waiting.items():
        selected[other] = face_down
    at = table(seat=seat, selected=selected, **more)
    play(at, f"place {where}")
    assert int(at[0].phase) == rules.TARGET
    return at


@pytest.mark.parametrize("optional", [0, 1])
def test_r3_1_what_can_be_done_must_be_done_unless_it_is_optional(optional):
    at = placed(5, "castle 1", castle="1:13", optional=optional)
    assert legal(at, "Warrior 1:13")
    assert legal(at, "no effect") == bool(optional)
    assert options(at) == ({"Warrior 1:13", "no effect"} if optional else {"Warrior 1:13"})


def test_r3_1_even_against_oneself():
    assert options(placed(5, "castle 1", castle="0:13")) == {"Warrior 0:13"}
    assert options(placed(12, "castle 1", castle="0:13")) == {"Guard 0:13 village 0", "Guard 0:13 port 0"}


@pytest.mark.parametrize("value", [12, 11, 10, 9, 8, 5, 4])
def test_r3_1_with_no_target_nothing_happens_and_that_is_a_decision(value):
    at = placed(value)
    assert options(at) == {"no effect"}
    before = at[0].copy()
    action = parse_action("no effect")
    rules.act(*at, action)
    line = cards.action_line(before, action, at[0])
    assert {key: line[key] for key in line if key != "state"} == {
        "phase": "target",
        "kind": "effect",
        "value": value,
        "target": "none",
    }
    assert int(at[0].decision) == 2


def test_r3_2_neighbours_are_directly_left_and_right():
    at = placed(5, "castle 2", castle="1:15 1:6 2:4 1:2")
    assert options(at) == {"Warrior 1:6", "Warrior 2:4"}
    assert not legal(at, "Warrior 1:15")
    assert not legal(at, "Warrior 1:2")
    assert not legal(at, "Warrior 0:5")


def test_r3_3_a_moved_card_keeps_the_row_in_order_and_its_mover_chooses_among_equals():
    at = placed(12, "castle 0", castle="1:6", village="2:8 2:6 0:6 0:3")
    found = {text for text in options(at) if "village" in text}
    assert found == {"Guard 1:6 village 1", "Guard 1:6 village 2", "Guard 1:6 village 3"}
    play(at, "Guard 1:6 village 2")
    assert row(at, "village") == "2:8 2:6 1:6 0:6 0:3"
    assert row(at, "castle") == "0:12"
    assert values_in(at[0].moved[1]) == [6]


def test_r3_3_a_moved_card_does_not_act_again():
    at = placed(4, "castle 0", port="2:13 1:1", waiting={1: 7})
    play(at, "Bard 1:1 1")
    assert row(at, "castle") == "0:4 1:1"
    assert (int(at[0].seat), int(at[0].phase)) == (1, rules.PLACE)


def test_r3_4_guard_sends_a_neighbour_to_another_location():
    at = placed(12, "village 1", village="1:14 2:9 2:2")
    assert options(at) == {f"Guard {card} {to} 0" for card in ("1:14", "2:9") for to in ("castle", "port")}
    assert not legal(at, "Guard 1:14 village 0")
    assert not legal(at, "Guard 2:2 castle 0")
    assert not legal(at, "Guard 1:14 castle 1")
    play(at, "Guard 1:14 port 0")
    assert (row(at, "village"), row(at, "port")) == ("0:12 2:9 2:2", "1:14")


def test_r3_5_thief_takes_two_coins_from_the_owner_of_a_neighbour():
    at = placed(11, "castle 1", castle="1:12 2:4", coins=[3, 5, 4])
    assert options(at) == {"Thief 1:12", "Thief 2:4"}
    play(at, "Thief 2:4")
    assert coins(at) == [5, 5, 2]
    assert at[0].earned[:3, cards.FROM_THIEF].tolist() == [2, 0, -2]


def test_r3_5_thief_does_not_rob_its_owner():
    assert options(placed(11, "castle 1", castle="1:12 0:4")) == {"Thief 1:12"}
    assert options(placed(11, "castle 1", castle="0:12 0:4")) == {"no effect"}


def test_r3_5_two_neighbours_of_one_player_are_two_choices():
    assert options(placed(11, "castle 1", castle="1:12 1:4")) == {"Thief 1:12", "Thief 1:4"}


@pytest.mark.parametrize(
    ("victim", "debt", "expected"), [(1, 0, [4, 0]), (0, 0, [3, 0]), (1, 1, [5, -1]), (-3, 1, [5, -5])]
)
def test_r4_13_a_thief_takes_what_is_there_or_leaves_debts(victim, debt, expected):
    at = placed(11, "castle 0", castle="1:4", coins=[3, victim, 3], debt=debt)
    assert options(at) == {"Thief 1:4"}
    play(at, "Thief 1:4")
    assert coins(at)[:2] == expected


def test_r3_6_alchemist_copies_a_neighbour_from_its_own_place():
    at = placed(10, "castle 2", castle="1:13 2:12 1:5 2:3", waiting={1: 7})
    assert options(at) == {
        *(f"Guard {card} {to} 0" for card in ("2:12", "1:5") for to in ("village", "port")),
        "Warrior 2:12",
        "Warrior 1:5",
    }
    before = at[0].copy()
    action = parse_action("Guard 2:12 port 0")
    rules.act(*at, action)
    line = cards.action_line(before, action, at[0])
    wanted = {"value": 10, "as": 12, "target": "2:12", "to": "port", "gap": 0}
    assert {key: line[key] for key in wanted} == wanted
    assert (row(at, "castle"), row(at, "port")) == ("1:13 0:10 1:5 2:3", "2:12")


def test_r3_6_alchemist_copies_every_immediate_effect_but_an_alchemists():
    assert options(placed(10, "castle 1", castle="1:11 1:3")) == {"Thief 1:11", "Thief 1:3"}
    assert options(placed(10, castle="1:9", waiting={2: 7}, hands=[[], [], [4]])) == {"Courtesan 2"}
    assert options(placed(10, castle="1:8", waiting={2: 7})) == {f"Strategist 2 {to}" for to in LOCATIONS}
    assert options(placed(10, castle="1:4", port="2:10")) == {"Bard 2:10 0", "Bard 2:10 1"}
    assert options(placed(10, "castle 1", castle="1:13 1:1")) == {"Hunter 1:13"}
    assert options(placed(10, castle="1:10", village="1:3")) == {"no effect"}
    assert options(placed(10, "castle 1", castle="1:13 1:7")) == {"no effect"}


def test_r3_6_alchemist_copies_only_what_then_has_a_target():
    """The left Thief finds only own neighbours; the right Bard has nothing to bring."""
    at = placed(10, "castle 1", castle="0:11 0:4")
    assert options(at) == {"no effect"}
    at = placed(10, "castle 1", castle="0:11 0:4", port="1:2")
    assert options(at) == {"Bard 1:2 3"}
    assert not legal(at, "no effect")
    assert not legal(at, "Thief 0:11")


def test_r3_6_nobody_else_carries_out_a_neighbours_effect():
    assert not legal(placed(5, "castle 1", castle="1:12"), "Guard 1:12 port 0")


def test_r3_7_courtesan_swaps_a_selected_card_for_a_random_one_of_the_hand():
    found = set()
    for key in range(40):
        at = placed(9, waiting={1: 7, 2: 3}, hands=[[14], [1, 8, 15], [2]])
        state = at[0]
        state.chance[1] = key
        assert options(at) == {"Courtesan 1", "Courtesan 2"}
        rules.act(*at, parse_action("Courtesan 1"))
        assert int(state.selected[1]) == 7
        before = state.copy()
        rules.follow(*at)
        new = int(state.selected[1])
        assert sorted([new, *values_in(state.hand[1])]) == [1, 7, 8, 15]
        assert new != 7
        assert list(cards.follow_lines(before, state)) == [
            {"type": "chance", "event": "courtesan", "seat": 1, "value": new}
        ]
        assert (int(state.seat), int(state.phase)) == (1, rules.PLACE)
        found.add(new)
    assert found == {1, 8, 15}


def test_r3_7_the_random_card_depends_on_the_swapped_seats_stream_and_the_turn():
    def swap(turn, key=3, other_key=0):
        at = placed(9, waiting={1: 7, 2: 3}, hands=[[14], list(range(8, 16)), [2]])
        at[0].turn, at[0].chance[1], at[0].chance[0] = turn, key, other_key
        play(at, "Courtesan 1")
        return int(at[0].selected[1])

    assert swap(0) == swap(0, other_key=9)
    assert len({swap(turn) for turn in range(10)}) > 2


def test_r3_7_courtesan_needs_somebody_who_has_not_revealed_and_has_another_card():
    at = placed(9, waiting={1: 7, 2: 3}, hands=[[14], [], [2]])
    assert options(at) == {"Courtesan 2"}
    assert not legal(at, "Courtesan 1")
    assert not legal(at, "Courtesan 0")
    assert options(placed(9, seat=2, pawn=0, hands=[[1], [2], [3]])) == {"no effect"}


def test_r3_7_a_named_location_stays_when_the_card_is_swapped():
    at = placed(9, waiting={1: 7}, hands=[[], [13], []])
    at[0].forced[1] = cards.VILLAGE
    play(at, "Courtesan 1")
    assert options(at) == {"place village 0"}
    play(at, "place village 0")
    assert row(at, "village") == "1:13"


def test_r3_8_strategist_names_a_location_for_who_has_not_revealed():
    at = placed(8, seat=1, pawn=0, waiting={2: 7}, players=4)
    assert options(at) == {f"Strategist 2 {to}" for to in LOCATIONS}
    assert not legal(at, "Strategist 0 port")
    assert not legal(at, "Strategist 3 port")
    rules.act(*at, parse_action("Strategist 2 port"))
    assert cards.action_line(at[0], 0, at[0])["state"]["forced"] == [None, None, "port", None]
    assert options(at) == {"place port 0"}
    assert options(placed(8, seat=2, pawn=0)) == {"no effect"}


def test_r3_8_a_later_naming_replaces_an_earlier_one():
    at = placed(8, waiting={1: 8, 2: 7})
    play(at, "Strategist 2 castle", "place village 0", "Strategist 2 port")
    assert options(at) == {"place port 0"}


def test_r3_9_warrior_discards_a_neighbour():
    at = placed(5, "castle 1", castle="1:13 2:4")
    play(at, "Warrior 1:13")
    assert row(at, "castle") == "0:5 2:4"
    assert values_in(at[0].discarded[1]) == [13]


def test_r3_10_bard_brings_any_card_of_another_location():
    at = placed(4, "castle 1", castle="1:13", village="2:4 0:3", port="1:15")
    assert options(at) == {"Bard 2:4 1", "Bard 2:4 2", "Bard 0:3 2", "Bard 1:15 0"}
    assert not legal(at, "Bard 1:13 0")
    play(at, "Bard 2:4 1")
    assert (row(at, "castle"), row(at, "village")) == ("1:13 2:4 0:4", "0:3")
    assert values_in(at[0].moved[2]) == [4]


def test_r3_11_hunter_discards_the_leftmost_of_the_highest():
    at = placed(1, "castle 3", castle="2:14 1:14 1:3")
    assert options(at) == {"Hunter 2:14"}
    assert not legal(at, "Hunter 1:14")
    play(at, "Hunter 2:14")
    assert row(at, "castle") == "1:14 1:3 0:1"


def test_r3_11_hunter_can_be_the_highest_card_itself():
    at = placed(1)
    assert options(at) == {"Hunter 0:1"}
    play(at, "Hunter 0:1")
    assert row(at, "castle") == ""
    assert values_in(at[0].discarded[0]) == [1]


def test_r3_12_a_blanked_card_does_nothing_and_cannot_be_copied():
    at = table(castle="1:13", selected=[5, 7], blank=["0:5"])
    play(at, "place castle 1")
    assert (int(at[0].seat), int(at[0].phase)) == (1, rules.PLACE)
    assert options(placed(10, castle="1:5", blank=["1:5"])) == {"no effect"}
    assert options(placed(10, castle="1:5", blank=["2:5"])) == {"Warrior 1:5"}


# --- R4 end of a round ------------------------------------------------------------------------------------------------


def test_r4_1_the_round_is_settled_from_the_castle_to_the_port_and_then_all_draw():
    at = table("0:15", "1:14", "2:13", seat=2, selected=[0, 0, 6], turns=1, hands=[[1, 2]] * 3)
    state, record = at
    rules.act(state, record, parse_action("place castle 1"))
    told = []
    while rules.is_automatic(state):
        before = state.copy()
        rules.follow(state, record)
        told += [line.get("location", line.get("seat")) for line in cards.follow_lines(before, state)]
    assert told == ["castle", "village", "port", 0, 1, 2]
    assert (int(state.rounds), int(state.turn), int(state.phase), int(state.seat)) == (1, 1, rules.SELECT, 1)


def test_r4_1_a_location_is_settled_completely_before_the_next():
    """Who has no coins in the Castle loses none there, though the Village's effects would have brought some."""
    at = table("0:9", "0:6 1:2", coins=[0, 3, 3], lists=([-2], [], []))
    assert rewards(settle(at, "castle")) == [(1, "0:9", 0)]
    settle(at, "village")
    assert coins(at) == [1, 3, 3]


def test_r4_1_effects_come_before_rewards():
    at = table("0:6 1:2", coins=[0, 3, 3], lists=([-5], [], []))
    line = settle(at, "castle")
    assert gains(line)["0:6"] == [1, 0, 0]
    assert rewards(line) == [(1, "0:6", -1)]


def test_r4_2_effects_from_the_left_with_one_entry_each():
    at = table("0:15 1:14 0:13 2:12 1:7 0:6 2:5 2:3 1:2", lists=NOTHING)
    assert list(effects(settle(at, "castle"))) == ["0:15", "1:14", "0:13", "1:7", "0:6", "2:3", "1:2"]


def test_r4_3_kings_flee_from_a_thief():
    at = table("0:15 2:15 1:11 0:4")
    line = settle(at, "castle")
    assert effects(line) == {"0:15": "discarded", "2:15": "discarded"}
    assert rewards(line) == [(1, "1:11", 4), (2, "0:4", 3)]
    assert [values_in(each) for each in at[0].discarded[:3]] == [[15], [], [15]]
    assert effects(settle(table("0:15 0:4"), "castle")) == {"0:15": "nothing"}


def test_r4_3_a_blanked_thief_still_drives_kings_out_and_a_blanked_king_stays():
    at = table("0:15 2:15 1:11", blank=["1:11", "2:15"])
    line = settle(at, "castle")
    assert effects(line) == {"0:15": "discarded"}
    assert rewards(line) == [(1, "2:15", 4), (2, "1:11", 3)]


def test_r4_4_princess_pays_every_other_card_of_the_row_kings_gone_not():
    at = table("2:15 0:14 1:14 1:11 0:3", lists=NOTHING)
    line = settle(at, "castle")
    assert effects(line)["2:15"] == "discarded"
    assert gains(line)["0:14"] == [1, 2, 0]
    assert gains(line)["1:14"] == [2, 1, 0]
    assert at[0].earned[:3, cards.FROM_PRINCESS].tolist() == [3, 3, 0]
    assert effects(settle(table("0:14"), "castle")) == {"0:14": "nothing"}


def test_r4_5_witch_cancels_lower_cards_only():
    line = settle(table(port="0:15 0:14 1:13 2:13 2:11 1:7 2:6 0:3 1:2"), "port")
    assert effects(line) == {
        "0:15": "discarded",
        "0:14": "coins",
        "1:13": "cancels",
        "2:13": "cancels",
        "1:7": "cancelled",
        "2:6": "cancelled",
        "0:3": "cancelled",
        "1:2": "cancelled",
    }
    assert all(sum(each) == 0 for card, each in gains(line).items() if card != "0:14")


def test_r4_5_witch_works_in_her_own_row_only_and_only_unblanked():
    assert effects(settle(table(castle="0:6 1:2", village="0:13", lists=NOTHING), "castle"))["0:6"] == "coins"
    at = table(port="0:13 0:6 1:2", blank=["0:13"], lists=NOTHING)
    assert effects(settle(at, "port")) == {"0:6": "coins", "1:2": "doubles"}


@pytest.mark.parametrize("village", ["0:9 1:8 2:7 1:4", "0:9 1:8 2:7 1:7 1:4"])
def test_r4_6_traitors_turn_the_ranking_round_however_many(village):
    at = table(village=village)
    line = settle(at, "village")
    assert effects(line)["2:7"] == "reverses"
    expected = village.split()[::-1][:3]
    assert rewards(line) == list(zip([1, 2, 3], expected, [3, 2, 2], strict=True))
    assert row(at, "village") == " ".join(village.split()[:-3])


def test_r4_6_a_cancelled_or_blanked_traitor_turns_nothing():
    assert rewards(settle(table("0:13 1:7 1:3"), "castle"))[0] == (1, "0:13", 4)
    assert rewards(settle(table("0:12 1:7 1:3", blank=["1:7"]), "castle"))[0] == (1, "0:12", 4)


def test_r4_7_merchant_counts_lower_cards():
    line = settle(table("0:9 1:6 2:6 0:5 1:1 2:1", lists=NOTHING), "castle")
    assert gains(line) == {"1:6": [0, 3, 0], "2:6": [0, 0, 3]}
    assert effects(settle(table("0:9 1:6", lists=NOTHING), "castle")) == {"1:6": "nothing"}


def test_r4_8_spy_must_be_its_owners_only_card_here():
    line = settle(table("1:9 0:3 1:3", village="0:12", lists=NOTHING), "castle")
    assert effects(line) == {"0:3": "coins", "1:3": "nothing"}
    assert gains(line)["0:3"] == [2, 0, 0]


@pytest.mark.parametrize(
    ("entry", "expected", "others"),
    [(3, 6, 0), (-1, -2, 0), ("half", 2, 0), ("per_card", 6, 0), ("steal_each", 4, -2)],
)
def test_r4_9_sailor_doubles_whatever_its_reward_is_in_the_port(entry, expected, others):
    at = table(port="1:12 2:8 0:2", lists=([], [], [0, 0, entry]))
    line = settle(at, "port")
    assert effects(line) == {"0:2": "doubles"}
    assert rewards(line) == [(3, "0:2", expected)]
    assert coins(at) == [3 + expected, 3 + others, 3 + others]


@pytest.mark.parametrize(
    ("where", "castle", "port", "blank", "result"),
    [
        ("castle", "0:2", "", [], {"0:2": "nothing"}),
        ("port", "", "1:13 0:2", [], {"1:13": "cancels", "0:2": "cancelled"}),
        ("port", "", "0:2", ["0:2"], {}),
    ],
)
def test_r4_9_sailor_doubles_only_in_the_port_and_only_in_force(where, castle, port, blank, result):
    at = table(castle, port=port, blank=blank, lists=([3], [], [3] if len(port) < 5 else [0, 3]))
    line = settle(at, where)
    assert effects(line) == result
    assert [reward[1:] for reward in rewards(line)] == [("0:2", 3)]


def test_r4_9_another_sailors_doubling_is_its_own():
    line = settle(table(port="0:2 1:2", blank=["0:2"], lists=([], [], [3, 3])), "port")
    assert rewards(line) == [(1, "0:2", 3), (2, "1:2", 6)]


def test_r4_10_r4_14_rewards_by_rank_while_cards_last_and_the_rewarded_leave():
    at = table("2:12 0:9 1:9 1:3")
    assert rewards(settle(at, "castle")) == [(1, "2:12", 4), (2, "0:9", 3), (3, "1:9", 1)]
    assert row(at, "castle") == "1:3"
    assert [values_in(each) for each in at[0].rewarded[:3]] == [[9], [9], [12]]
    assert rewards(settle(table("2:12"), "castle")) == [(1, "2:12", 4)]
    assert rewards(settle(table("2:12", lists=NOTHING), "castle")) == []
    assert at[0].slot_taken[0, :4].tolist() == [1, 1, 1, 0]
    assert at[0].slot_coins[0, :4].tolist() == [4, 3, 1, 0]


def test_r4_11_the_three_symbols():
    at = table("2:13 1:12 0:9 1:4", lists=(["half", "per_card", "steal_each", "half"], [], []), coins=[3, 9, 1])
    line = settle(at, "castle")
    assert rewards(line) == [(1, "2:13", 7), (2, "1:12", 4), (3, "0:9", 2), (4, "1:4", 2)]
    assert coins(at) == [5, 9 + 4 - 1 + 2, 1 + 7 - 1]
    assert at[0].earned[:3, cards.FROM_STEAL_EACH].tolist() == [2, -1, -1]


def test_r4_11_per_card_counts_the_rewarded_but_no_king_that_went():
    at = table("2:15 1:11 0:9 1:4", lists=([1, 1, "per_card"], [], []))
    assert rewards(settle(at, "castle"))[-1] == (3, "1:4", 3)


def test_r4_12_an_entry_of_zero_uses_its_rank_and_the_card_stays():
    at = table("2:12 0:9 1:5", lists=([4, 0, 1], [], []))
    assert rewards(settle(at, "castle")) == [(1, "2:12", 4), (3, "1:5", 1)]
    assert row(at, "castle") == "0:9"


@pytest.mark.parametrize("entry", [-3, "steal_each"])
def test_r4_12_a_reward_without_coins_is_one_all_the_same(entry):
    at = table("0:9", lists=([entry], [], []), coins=[0, 0, 0])
    assert rewards(settle(at, "castle")) == [(1, "0:9", 0)]
    assert row(at, "castle") == ""


def test_r4_13_losses_and_thefts_stop_at_zero_unless_debts_are_allowed():
    lists = ([-3, "steal_each"], [], [])
    at = table("0:9 1:8", lists=lists, coins=[2, 5, 0])
    assert rewards(settle(at, "castle")) == [(1, "0:9", -2), (2, "1:8", 0)]
    assert coins(at) == [0, 5, 0]
    assert at[0].slot_coins[0, :2].tolist() == [-2, 0]
    at = table("0:9 1:8", lists=lists, coins=[2, 5, 0], debt=1)
    assert rewards(settle(at, "castle")) == [(1, "0:9", -3), (2, "1:8", 2)]
    assert coins(at) == [-2, 7, -1]


def test_r4_15_everyone_draws_up_to_six_or_what_is_there():
    at = table(phase="draw", hands=[[1, 2], list(range(1, 15)), [1, 2, 3, 4, 5, 6]], pawn=2)
    state, record = at
    state.pile[0] = [1, 2, *range(3, 13), 15, 13, 14]
    state.drawn_count[0], state.hand[0] = 12, mask_of([1, 2])
    lines = []
    while rules.is_automatic(state):
        before = state.copy()
        rules.follow(state, record)
        lines += cards.follow_lines(before, state)
    assert [(line["seat"], line["values"]) for line in lines] == [(0, [15, 13, 14]), (1, []), (2, [])]
    assert values_in(state.hand[0]) == [1, 2, 13, 14, 15]
    assert values_in(state.drawn[0]) == [13, 14, 15]
    assert (int(state.seat), int(state.phase)) == (2, rules.SELECT)


def test_r4_15_nobody_draws_after_the_last_round():
    at = table(seat=2, selected=[0, 0, 7], turns=1, rounds=1, hands=[[1]] * 3)
    play(at, "place castle 0")
    assert [values_in(hand) for hand in at[0].hand[:3]] == [[1]] * 3


# --- R5 the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [3, 4, 5])
def test_r5_1_rounds_and_turns(players):
    state, record = empty_state(), rules_of(players, turns=4 if players == 3 else 3)
    rules.deal(state, record, players, np.uint64(8))
    play_out(state, record, np.zeros(rules.CANDIDATES, np.int64))
    turns = {3: 12, 4: 9, 5: 9}[players]
    assert (int(state.rounds), int(state.turn), int(state.pawn)) == (3, turns, turns % players)
    assert [len(values_in(rules.placed_cards(state, seat))) for seat in range(players)] == [turns] * players
    assert rules.end_reason(state) == 0


@pytest.mark.parametrize(
    ("held", "pawn", "winner"),
    [([5, 9, 3, 2], 0, 1), ([9, 9, 9, 2], 1, 1), ([9, 2, 3, 9], 1, 3), ([9, 2, 9, 2], 3, 0), ([-1, -1, -2, -5], 2, 0)],
)
def test_r5_2_most_coins_then_the_pawn_then_clockwise(held, pawn, winner):
    at = table(players=4, phase="over", pawn=pawn, coins=held)
    scores, standing = np.zeros(rules.SEATS, np.int64), np.zeros(rules.SEATS, np.int64)
    assert int(rules.score(*at, scores)) == 1 << winner
    rules.lead(*at, standing)
    assert scores[:4].tolist() == standing[:4].tolist() == held
    assert not options(at)


# --- actions, and all of them at once ---------------------------------------------------------------------------------


def random_rules(chance):
    """Any rules that a config can ask for."""
    players = int(chance.integers(3, 6))
    hand = int(chance.integers(1, 16))
    turns = int(chance.integers(1, hand + 1))
    entries = [0, 0, 1, 2, -3, 100, -100, "half", "per_card", "steal_each"]
    lists = [[entries[n] for n in chance.integers(0, len(entries), chance.choice([0, 1, 3, 15]))] for _ in LOCATIONS]
    blank = {f"{chance.integers(0, players)}:{chance.integers(1, 16)}" for _ in range(chance.choice([0, 8]))}
    switches = {name: int(chance.integers(0, 2)) for name in ("optional", "debt", "coins_visible")}
    start = int(chance.choice([0, 3, 1000]))
    rounds = int(chance.integers(1, 15 // turns + 1))
    return rules_of(players, lists, blank, hand=hand, turns=turns, rounds=rounds, start_coins=start, **switches)


def assert_sound(state, record):
    """Every card of every seat is in one place, rows descend, and coins are accounted for."""
    places = [[] for _ in range(int(record.players))]
    for location in range(len(LOCATIONS)):
        lying = [int(card) for card in state.rows[location][: int(state.length[location])]]
        values = [card >> cards.SEAT_BITS for card in lying]
        assert values == sorted(values, reverse=True)
        for card, value in zip(lying, values, strict=True):
            places[card & rules.SEAT_OF].append(value)
    for seat, held in enumerate(places):
        held += values_in(state.hand[seat]) + [int(state.selected[seat])] * bool(state.selected[seat])
        held += values_in(state.rewarded[seat]) + values_in(state.discarded[seat])
        held += state.pile[seat][int(state.drawn_count[seat]) :].tolist()
        assert sorted(held) == list(range(1, 16))
        assert int(state.coins[seat]) == int(record.start_coins[seat]) + int(state.earned[seat].sum())
        assert record.debt or state.coins[seat] >= 0
        assert -2000 <= state.coins[seat] <= 5000
    moved_only = state.earned[: int(record.players), [cards.FROM_THIEF, cards.FROM_STEAL_EACH]]
    assert moved_only.sum(axis=0).tolist() == [0, 0]


@pytest.mark.parametrize("number", range(12))
def test_any_game_stays_sound_and_every_action_reads_back(number):
    chance = np.random.default_rng(number)
    state, record = empty_state(), random_rules(chance)
    rules.deal(state, record, int(record.players), np.uint64(number))
    out = np.zeros(rules.CANDIDATES, np.int64)
    assert cards.story({"type": "setup", **cards.setup_line(state, record)})
    while not rules.is_over(state):
        assert_sound(state, record)
        assert cards.state_text(state)
        actions = out[: int(rules.candidates(state, record, out))].tolist()
        assert len(set(actions)) == len(actions) > 0
        for action in actions:
            assert rules.is_legal(state, record, action)
            assert parse_action(action_text(action)) == action
        action = int(chance.choice(actions))
        before = state.copy()
        rules.act(state, record, action)
        lines = [{"type": "action", "seat": int(before.seat), **cards.action_line(before, action, state)}]
        while rules.is_automatic(state):
            assert_sound(state, record)
            before = state.copy()
            rules.follow(state, record)
            lines += cards.follow_lines(before, state)
        assert all(cards.story(json.loads(json.dumps(line))) for line in lines)
    assert int(state.decision) <= 38 * int(record.players)


def codes():
    """Every code whose fields are in the range of their bits, and some far beyond."""
    for value in range(18):
        yield int(cards.select_action(value))
    for location in range(4):
        for gap in range(-1, 9):
            yield int(cards.place_action(location, gap))
    for effect in range(16):
        targets = range(128) if effect not in (cards.COURTESAN, cards.STRATEGIST) else range(9)
        for target in targets:
            for to in range(4):
                for gap in range(5):
                    yield int(cards.effect_action(effect, target, to, gap))


@pytest.mark.compiled
@pytest.mark.parametrize(
    "at",
    [
        pytest.param(lambda: table(phase="select", hands=[[3, 6]]), id="select"),
        pytest.param(lambda: table("1:7 2:7", selected=[7]), id="place"),
        pytest.param(lambda: placed(12, "castle 1", castle="1:13 2:9", village="2:13 0:9 1:9"), id="Guard"),
        pytest.param(lambda: placed(11, "castle 1", castle="1:13 0:9"), id="Thief"),
        pytest.param(lambda: placed(10, "castle 1", castle="1:12 2:4", port="0:12 2:12 2:3"), id="Alchemist"),
        pytest.param(lambda: placed(9, waiting={1: 7, 2: 5}, hands=[[], [1], []], players=4), id="Courtesan"),
        pytest.param(lambda: placed(8, waiting={1: 7, 2: 5}, optional=1), id="Strategist"),
        pytest.param(lambda: placed(5, "castle 1", castle="1:13 0:4"), id="Warrior"),
        pytest.param(lambda: placed(4, "castle 1", castle="1:6", village="1:4 2:4", port="2:6"), id="Bard"),
        pytest.param(lambda: placed(1, "castle 1", castle="1:6", optional=1), id="Hunter"),
    ],
)
def test_legal_is_what_is_listed_and_nothing_else(at):
    at = at()
    listed = options(at)
    assert {action_text(code) for code in codes() if rules.is_legal(*at, code)} == listed
    for text in listed:
        code = parse_action(text)
        for bit in range(22, 63):
            assert not rules.is_legal(*at, code | 1 << bit)
        assert not rules.is_legal(*at, code - 2**63)
        assert not rules.is_legal(*at, code | 3)


@pytest.mark.parametrize("action", [-1, -(2**63), 2**63 - 1, 3, 2**62, 0, int(cards.effect_action(0, 0, 0, 1))])
def test_nonsense_is_illegal_and_has_no_words(action):
    for at in (table(phase="select", hands=[[1]]), table(selected=[1]), placed(1), table(phase="over")):
        assert not rules.is_legal(*at, action)
    with pytest.raises(ValueError, match="not an action of emblems"):
        action_text(action)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "select",
        "select Joker",
        "place castle",
        "place harbour 0",
        "place castle -1",
        "place castle 75",
        "Thief 5:11",
        "Thief 0:16",
        "Thief 0:0",
        "Courtesan 5",
        "Strategist 1",
        "Guard 1:3 castle",
        "Bard 1:3",
        "Alchemist 1:3",
        "King 1:3",
    ],
)
def test_words_that_are_no_action(text):
    with pytest.raises(ValueError, match=r"not an action of emblems|no such card"):
        parse_action(text)


def test_names_fit_together():
    assert len(CHARACTERS) == len(cards.EFFECTS) == len(cards.WHEN) == VALUES
    at_once = {value for value in range(1, 16) if cards.WHEN[value - 1] == "at once"}
    assert at_once == {12, 11, 10, 9, 8, 5, 4, 1} == {value for value in range(16) if rules.IMMEDIATE >> value & 1}
    assert {value for value in range(16) if rules.END_OF_ROUND >> value & 1} == set(range(1, 16)) - at_once
    for card in (parse_card(f"{seat}:{value}") for seat in range(5) for value in range(1, 16)):
        assert parse_card(card_name(card)) == card


# --- what a seat cannot know ------------------------------------------------------------------------------------------


def hidden_table(**more):
    """Seat 0 has revealed, the others have not."""
    return table(
        "1:15 2:9",
        "0:6",
        seat=1,
        selected=[0, 7, 3],
        hands=[[1, 2, 4, 5, 7], [1, 2, 3, 4, 5], [1, 2, 12, 14, 15]],
        coins=[1, 7, 4],
        **more,
    )


def test_redeal_moves_what_is_hidden_and_nothing_else():
    seen, record = hidden_table()
    hands, selections, piles = set(), set(), set()
    for number in range(60):
        state = seen.copy()
        rules.redeal(state, record, 1, np.uint64(rng.word(np.uint64(4), number)))
        assert_sound(state, record)
        assert (state.rows == seen.rows).all()
        assert (state.coins == seen.coins).all()
        assert state.hand[1] == seen.hand[1]
        assert state.selected[:2].tolist() == [0, 7]
        assert state.policy[1] == seen.policy[1]
        assert all(state.policy[seat] != seen.policy[seat] for seat in (0, 2))
        assert all(state.chance[seat] != seen.chance[seat] for seat in range(3))
        assert [len(values_in(hand)) for hand in state.hand[:3]] == [5, 5, 5]
        assert options((state, record)) == options((seen, record))
        hands.add(int(state.hand[2]))
        selections.add(int(state.selected[2]))
        piles.add(tuple(state.pile[1].tolist()))
    assert selections == set(range(1, 16)) - {9}, "any card that seat 2 has not placed may lie face down"
    assert len(hands) > 40
    assert len(piles) > 40


def test_redeal_renames_the_opening_hand_along():
    """What the record notes would give hidden cards away."""
    seen, record = hidden_table()
    seen.dealt[2] = seen.hand[2]
    state = seen.copy()
    rules.redeal(state, record, 1, np.uint64(77))
    assert state.hand[2] != seen.hand[2]
    assert state.dealt[2] == state.hand[2]


def test_redeal_with_hidden_coins_keeps_only_the_others_total():
    """Note 18."""
    seen, record = hidden_table(coins_visible=0)
    found = set()
    for number in range(60):
        state = seen.copy()
        rules.redeal(state, record, 1, np.uint64(rng.word(np.uint64(4), number)))
        assert_sound(state, record)
        assert int(state.coins[1]) == 7
        assert int(state.coins[0]) + int(state.coins[2]) == 5
        assert [int(rules.known_coins(state, record, 1, other)) for other in range(3)] == [2, 7, 2]
        found.add(int(state.coins[0]))
    assert found == set(range(6))


def test_redeal_with_hidden_coins_and_debts():
    seen, record = hidden_table(coins_visible=0, debt=1)
    seen.coins[0], seen.earned[0, cards.FROM_REWARDS] = -6, -9
    found = set()
    for number in range(60):
        state = seen.copy()
        rules.redeal(state, record, 1, np.uint64(rng.word(np.uint64(4), number)))
        assert int(state.coins[0]) + int(state.coins[2]) == -2
        found.add(int(state.coins[0]))
    assert found == set(range(-6, 5))
    assert int(rules.known_coins(seen, record, 1, 0)) == -1


def test_open_coins_are_known():
    seen, record = hidden_table()
    assert [int(rules.known_coins(seen, record, 1, other)) for other in range(3)] == [1, 7, 4]


# --- the record -------------------------------------------------------------------------------------------------------


def test_the_record_tells_what_happened_to_the_cards():
    at = table("1:13", selected=[5, 7, 3], turns=1, rounds=1, lists=([0, 4], [1], []))
    at[0].dealt[0] = mask_of([5, 6])
    play(at, "place castle 1", "Warrior 1:13", "place castle 0", "place village 0")
    scrap = np.zeros(1, rules.RECORD).view(np.recarray)[0]
    rules.record(at[0], scrap)
    assert [values_in(each) for each in scrap.played[:3]] == [[5], [7, 13], [3]]
    assert [values_in(each) for each in scrap.castle[:3]] == [[5], [7, 13], []]
    assert [values_in(each) for each in scrap.village[:3]] == [[], [], [3]]
    assert [values_in(each) for each in scrap.port[:3]] == [[], [], []]
    assert [values_in(each) for each in scrap.discarded[:3]] == [[], [13], []]
    assert [values_in(each) for each in scrap.rewarded[:3]] == [[], [7], [3]]
    assert values_in(scrap.dealt[0]) == [5, 6]
    assert scrap.slot_taken[:, :2].tolist() == [[0, 1], [1, 0], [0, 0]]
    assert scrap.slot_coins[:, :2].tolist() == [[0, 4], [1, 0], [0, 0]]
    assert scrap.earned[:3].sum(axis=1).tolist() == [0, 4, 3]
    assert scrap.earned[2, cards.FROM_SPY] == 2
