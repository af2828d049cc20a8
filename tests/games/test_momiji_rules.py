"""The rules of Momiji on tables built by hand; each test names the rule of RULES.md that it holds."""

import json
from collections import Counter
from itertools import chain, pairwise, permutations, product

import numpy as np
import pytest

from sim import games, rng
from sim.games.checks import Wanderer
from sim.games.momiji import cards, rules
from sim.games.momiji.cards import (
    ITEMS,
    LANDSCAPES,
    NONE,
    OBJECTIVES,
    action_text,
    lay_of,
    leaf_name,
    leaves_in,
    parse_action,
    parse_leaf,
)
from tests.conftest import COMPILED
from tests.golden import FOLDER, read

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")

SPEC = games.spec("momiji")
SHORT = {"0": "0:LR", "1": "1:L", "2": "2:-", "3": "3:-"}


def rules_of(players=2, **options):
    return SPEC.fill_rules(SPEC.options.model_validate(options), players, False)


def empty_state():
    return np.zeros(1, rules.STATE).view(np.recarray)[0]


def leaves(text):
    """Numbers of some leaves: ``"a0 b1R"``; a 0 has both acorns and a 1 the left one unless told otherwise."""
    found = []
    for word in text.split():
        kind, value, corners = word[0], word[1], word[2:]
        found.append(parse_leaf(f"{kind}:{value}:{corners}" if corners else f"{kind}:{SHORT[value]}"))
    return found


def hold(state, seat, numbers):
    state.hand[seat] = state.known[seat] = 0
    for leaf in numbers:
        state.hand[seat][leaf >> 4] += 1 << 4 * (leaf & 15)
    state.held[seat] = len(numbers)


def lay_down(state, seat, row):
    """Put piles before a seat: ``"a0 a1 | b0"``."""
    for pile in filter(None, row.split("|")):
        faces = [leaf & 15 for leaf in leaves(pile)]
        kind = leaves(pile)[0] >> 4
        state.row[seat][state.row_length[seat]] = kind
        state.row_length[seat] += 1
        state.height[seat][kind], state.top[seat][kind] = len(faces), faces[-1]
        state.lying[seat][kind][: len(faces)] = faces
        for face in faces:
            state.laid_values[seat][face >> 2] += 1
        state.closed += faces[-1] >> 2 == 3


def table(
    rows=(),
    hands=("",),
    *,
    players=2,
    display="a2 b2 c2 d2",
    deck="a1 b1 c1 d1",
    acorns=3,
    tiles=(),
    aims=(),
    **options,
):
    """A table in the middle of a game, seat 0 in turn."""
    record = rules_of(players, **options)
    state = empty_state()
    rules.deal(state, record, players, np.uint64(1))
    for seat in range(players):
        hold(state, seat, leaves(hands[seat]) if seat < len(hands) else [])
        lay_down(state, seat, rows[seat] if seat < len(rows) else "")
        state.tiles[seat] = NONE
        mine = [LANDSCAPES.index(name) for name in (tiles if seat == 0 else ())]
        state.tiles[seat][: len(mine)] = mine
    state.acorns[:players] = acorns
    shown, left = leaves(display), leaves(deck)
    state.display[: len(shown)], state.display_length = shown, len(shown)
    state.deck[: len(left)], state.deck_size, state.drawn_count = left, len(left), 0
    state.holder[:] = cards.NOT_IN_PLAY
    numbers = [OBJECTIVES.index(name) for name in aims]
    state.objectives[: len(numbers)], state.objective_count = numbers, len(numbers)
    state.holder[numbers] = cards.FREE
    return state, record


def legal(at, text):
    return bool(rules.is_legal(*at, parse_action(text)))


def options(at):
    """All candidates, in words."""
    out = np.zeros(rules.CANDIDATES, np.int64)
    found = out[: int(rules.candidates(*at, out))].tolist()
    assert all(rules.is_legal(*at, action) for action in found)
    return {action_text(action) for action in found}


def play(at, *texts):
    for text in texts:
        assert legal(at, text), text
        rules.apply(*at, parse_action(text))


def hand(at, seat=0):
    return " ".join(leaf_name(leaf).replace(":", "") for leaf in leaves_in(at[0].hand[seat]))


def view(at):
    return cards._table(at[0])


def row(at, seat=0):
    return " | ".join(" ".join(card[0] + card[2] for card in pile["cards"]) for pile in view(at)["piles"][seat])


def display(at):
    return " ".join(card[0] + card[2] for card in view(at)["display"])


def scores(at):
    found = np.zeros(4, np.int64)
    winners = int(rules.score(*at, found))
    return found[: int(at[0].players)].tolist(), winners


def dealt(players=2, key=5, **more):
    state, record = empty_state(), rules_of(players, **more)
    rules.deal(state, record, players, np.uint64(key))
    return state, record


def tiles(at, seat):
    return [LANDSCAPES[tile] for tile in at[0].tiles[seat] if tile != NONE]


# --- R1 set-up --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "types"), [(2, 4), (3, 5), (4, 6)])
def test_r1_1_r1_2_r1_3_fourteen_leaves_a_type_six_in_hand_four_on_display(players, types):
    state, record = dealt(players)
    line = cards.setup_line(state, record)
    everything = Counter(chain(*line["hands"], line["display"], line["deck"]))
    kind = Counter(["0:LR"] * 5 + ["1:L"] * 2 + ["1:R"] * 2 + ["2:-"] * 3 + ["3:-"] * 2)
    assert everything == Counter({f"{name}:{face}": n for name in "abcdef"[:types] for face, n in kind.items()})
    assert [len(hand) for hand in line["hands"]] == [6] * players and len(line["display"]) == 4
    assert line["acorns"] == [3] * players


def test_r1_1_copies_and_corners_come_from_the_config():
    state, record = dealt(corners=[["L", "R"], ["LR"] * 7, [], ["-", "LR"]], hand_size=2)
    line = cards.setup_line(state, record)
    everything = Counter(chain(*line["hands"], line["display"], line["deck"]))
    assert {name[2:]: n for name, n in everything.items() if name[0] == "a"} == {
        "0:L": 1,
        "0:R": 1,
        "1:LR": 7,
        "3:-": 1,
        "3:LR": 1,
    }


def test_r1_4_acorns_by_seat():
    assert cards.setup_line(*dealt(3, start_acorns=[0, 1, 2, 9]))["acorns"] == [0, 1, 2]


@pytest.mark.parametrize(("players", "count"), [(2, 4), (3, 5), (4, 6)])
def test_r1_5_objectives_are_drawn_from_types_in_play_values_and_two_more(players, count):
    seen = Counter()
    for key in range(200):
        names = cards.setup_line(*dealt(players, key))["objectives"]
        assert len(set(names)) == len(names) == count
        seen.update(names)
    assert set(seen) == set(OBJECTIVES) - {f"type:{name}" for name in "abcdef"[players + 2 :]}


def test_r1_6_preset_gives_everybody_the_first_three():
    at = dealt(3)
    assert [tiles(at, seat) for seat in range(3)] == [["second_type", "third_card", "two_from_deck"]] * 3
    at = dealt(2, landscapes={"list": ["leap", "swap"]})
    assert tiles(at, 1) == ["leap", "swap"]


def test_r1_6_random_gives_three_different_ones_to_each_seat_apart():
    seen = Counter()
    for key in range(100):
        at = dealt(4, key, landscapes={"assign": "random"})
        sets = [tuple(tiles(at, seat)) for seat in range(4)]
        assert all(len(set(each)) == 3 for each in sets)
        assert len(set(sets)) > 1
        seen.update(chain(*sets))
    assert set(seen) == set(LANDSCAPES) and min(seen.values()) > 120


def test_r1_6_a_draft_shares_out_the_random_deals_and_a_name_may_come_twice():
    twice = moved = 0
    for key in range(60):
        drafted, packets = (dealt(4, key, landscapes={"assign": assign}) for assign in ("draft", "random"))
        for taken in range(3):
            # Of each packet one tile goes with each pass to the left.
            for seat in range(4):
                assert tiles(drafted, seat)[taken] in tiles(packets, (seat - taken) % 4)
        everything = [Counter(chain(*(tiles(at, seat) for seat in range(4)))) for at in (drafted, packets)]
        assert everything[0] == everything[1]
        twice += any(len(set(tiles(drafted, seat))) < 3 for seat in range(4))
        moved += tiles(drafted, 0) != tiles(packets, 0)
    assert twice and moved


def test_r1_6_off_and_r1_7_removed():
    assert tiles(dealt(landscapes={"assign": "off"}), 0) == []
    at = dealt(landscapes={"removed": ["1:second_type", "0:leap"]})
    assert tiles(at, 0) == ["second_type", "third_card", "two_from_deck"]
    assert tiles(at, 1) == ["third_card", "two_from_deck"]


def test_the_deal_decides_everything():
    for assign in ("random", "draft"):
        lines = [json.dumps(cards.setup_line(*dealt(4, 9, landscapes={"assign": assign}))) for _ in range(2)]
        assert lines[0] == lines[1]


def test_a_new_deal_forgets_the_last_game():
    out = np.zeros(rules.CANDIDATES, np.int64)
    fresh, used = dealt(3), dealt(3, 6)
    play_out(used, out)
    rules.deal(*used, 3, np.uint64(5))
    found = []
    for at in (fresh, used):
        play_out(at, out)
        scrap = np.zeros(1, rules.RECORD).view(np.recarray)[0]
        rules.record(at[0], scrap)
        found.append((scrap.tobytes(), scores(at)))
    assert found[0] == found[1]


def play_out(at, out):
    while not rules.is_over(at[0]):
        count = int(rules.candidates(*at, out))
        rules.apply(*at, out[(int(at[0].decision) * 7) % count])


# --- R2 a turn --------------------------------------------------------------------------------------------------------


def test_r2_2_collect_takes_one_type_and_r2_4_the_display_is_filled_at_its_end():
    at = table(display="a2 b2 a0 d2", hands=["a0"])
    assert {text for text in options(at) if text.startswith("collect")} == {"collect a", "collect b", "collect d"}
    assert not legal(at, "collect c") and not legal(at, "collect a b")
    play(at, "collect a")
    assert hand(at) == "a0LR a0LR a2-"
    assert display(at) == "b2 d2 a1 b1"
    assert view(at)["deck_left"] == 2


def test_r2_4_when_empty_leaves_the_display_until_it_is_empty():
    at = table(display="a2 b2", rulings={"refill": "when_empty"}, acorns=0)
    play(at, "collect a")
    assert display(at) == "b2"
    play(at, "collect b")
    assert display(at) == "a1 b1 c1 d1"


def test_r2_3_reveal_comes_first_costs_an_acorn_and_binds_to_collect():
    at = table(hands=["a0 b0"], deck="a1 b1 c1 d1 a3 b3", acorns=1, aims=["type:a"], costs={"activate": 0})
    play(at, "reveal")
    assert display(at) == "a2 b2 c2 d2 a1 b1 c1 d1"
    assert options(at) == {f"collect {kind}" for kind in "abcd"}
    for text in ("lay a:0:LR", "reveal", "discard a:0:LR b:0:LR", "activate type:a"):
        assert not legal(at, text)
    assert int(at[0].acorns[0]) == 0
    play(at, "collect a")
    assert display(at) == "b2 c2 d2 b1 c1 d1"  # more than four: nothing is added


def test_r2_3_reveal_needs_an_acorn_and_a_deck():
    assert not legal(table(acorns=0), "reveal")
    assert legal(table(acorns=0, costs={"reveal": 0}), "reveal")
    assert not legal(table(deck=""), "reveal")
    at = table(deck="a1 b1")
    play(at, "reveal")
    assert display(at) == "a2 b2 c2 d2 a1 b1"
    assert not rules.is_over(at[0])  # only after the Collect
    play(at, "collect c")
    assert rules.is_over(at[0]) and rules.end_reason(at[0]) == 0


def test_r2_5_activate_an_objective_that_nobody_has():
    at = table(aims=["type:a", "visible_sum"], acorns=3)
    assert not legal(at, "activate type:b")
    play(at, "activate type:a")
    assert view(at)["acorns"] == [0, 3] and int(at[0].seat) == 1
    assert not legal(at, "activate type:a")
    assert legal(at, "activate visible_sum")
    at[0].acorns[1] = 2
    assert not legal(at, "activate visible_sum")


def test_r2_6_the_excess_is_discarded_and_each_choice_has_one_code():
    at = table(hands=["a0 a0 a0 b1 b1R b2 c3 c3"], display="d0 d0 b2 b2", deck="a1 a1 a1 a1 a1")
    play(at, "collect d", "end turn")
    assert cards.phase_name(at[0]) == "trim"
    # a0 a0 a0 b1 b1R b2 c3 c3 d0 d0: two go, of equal leaves the first ones.
    assert legal(at, "trim 0 1") and not legal(at, "trim 0 2") and not legal(at, "trim 1 2")
    assert legal(at, "trim 0 3") and not legal(at, "trim 1 3") and not legal(at, "trim 0")
    assert not legal(at, "trim 0 1 3") and not legal(at, "trim 8 10") and not legal(at, "end turn")
    kinds = ["a0", "a0", "b1", "b1R", "b2", "c3", "c3", "d0", "d0"]
    assert len(options(at)) == len({tuple(sorted(kinds[n] for n in pair)) for pair in pairs(len(kinds))})
    before = at[0].copy()
    line = cards.action_line(before, parse_action("trim 0 4"), at[0])
    assert line["cards"] == ["a:0:LR", "b:1:R"] and line["phase"] == "trim"
    play(at, "trim 0 4")
    assert hand(at) == "a0LR a0LR b1L b2- c3- c3- d0LR d0LR"
    assert int(at[0].seat) == 1


def pairs(count):
    return [(first, second) for first in range(count) for second in range(first)]


# --- R3 laying --------------------------------------------------------------------------------------------------------


def lays(at):
    return {text for text in options(at) if text.startswith("lay")}


def test_r3_1_one_or_two_of_one_type_or_different_types():
    at = table(hands=["a0 a0 a0 b0 c0"])
    assert legal(at, "lay a:0:LR") and legal(at, "lay a:0:LR a:0:LR") and legal(at, "lay c:0:LR a:0:LR b:0:LR")
    assert not legal(at, "lay a:0:LR a:0:LR a:0:LR")
    assert not legal(at, "lay a:0:LR b:0:LR a:0:LR")
    assert not legal(at, "lay a:0:LR d:0:LR")
    assert not legal(table(hands=["a0"]), "lay a:0:LR a:0:LR")


def test_r3_2_a_pile_begins_with_0_and_rises_by_steps_of_at_most_1():
    at = table(["a0 | b0 b1"], ["a0 a1 a2 b0 b1 b2 c1 d0"])
    for text in ("a:0:LR", "a:1:L", "b:1:L", "b:2:-", "d:0:LR", "a:1:L a:2:-", "a:0:LR a:1:L", "a:1:L b:2:- d:0:LR"):
        assert legal(at, f"lay {text}"), text
    for text in ("a:2:-", "b:0:LR", "c:1:L", "a:1:L a:0:LR", "b:2:- b:1:L", "a:2:- d:0:LR"):
        assert not legal(at, f"lay {text}"), text


def test_r3_3_a_3_closes_the_pile():
    at = table(["a0 a1 a2"], ["a3 a3 a2"], players=3)
    assert not legal(at, "lay a:3:- a:3:-")
    play(at, "lay a:2:- a:3:-")
    assert view(at)["piles"][0][0]["closed"] and view(at)["closed"] == 1
    at[0].seat, at[0].phase = 0, rules.MAIN
    assert not lays(at)


def test_r3_4_new_piles_at_the_right_in_the_order_listed():
    at = table(["d0"], ["a0 b0 d1"])
    assert not legal(at, "lay a:0:LR@left")
    assert {text for text in lays(at) if len(text.split()) == 4} == {
        "lay d:1:L a:0:LR b:0:LR",
        "lay d:1:L b:0:LR a:0:LR",
    }
    play(at, "lay b:0:LR d:1:L a:0:LR")
    assert row(at) == "d0 d1 | b0 | a0"


def test_r3_4_either_end():
    either = {"rulings": {"new_pile": "either_end"}}
    at = table(["d0"], ["a0 b0 a0 a1"], **either)
    assert legal(at, "lay a:0:LR@left a:0:LR") and not legal(at, "lay a:0:LR a:0:LR@left")
    play(at, "lay b:0:LR@left a:0:LR@left")
    assert row(at) == "a0 | b0 | d0"
    at = table(["d0"], ["a0 b0"], **either)
    play(at, "lay b:0:LR@left a:0:LR")
    assert row(at) == "b0 | d0 | a0"
    assert not legal(table(["d0"], ["d1"], **either), "lay d:1:L@left")


def test_r3_6_facing_acorns_pay_after_different_types_only():
    for row_, leaf, acorns in (
        ("a0 | b0", "c:0:LR b:0:LR", 3 + 4),  # two pairs of three piles
        ("a0 | b0 b1L", "a:0:LR c:0:LR", 3 + 2),  # 0-1L faces, 1L-0 does not
        ("a0 | b0 b1R", "a:0:LR c:0:LR", 3 + 2),  # the other way round
        ("a0 a1 a2 a3 | b0 | d0", "b:0:LR c:0:LR", 3 + 4),  # piles that nobody touched pay too
    ):
        at = table([row_], ["c0 b0 a0"], players=3)
        play(at, f"lay {leaf}")
        assert int(at[0].acorns[0]) == acorns, row_
    for text in ("lay c:0:LR", "lay b:0:LR b:0:LR"):
        at = table(["a0 | b0"], ["c0 b0 b0"])
        play(at, text)
        assert int(at[0].acorns[0]) == 3


def test_r3_6_a_torii_hides_nothing():
    at = table(["a0 a1 a2 a3LR | b0"], ["b0 c0"], players=3, corners=[["LR"], ["L"], ["-"], ["LR"]], hand_size=1)
    play(at, "lay b:0:LR c:0:LR")
    assert int(at[0].acorns[0]) == 3 + 4


# --- R4 side actions --------------------------------------------------------------------------------------------------


def test_r4_1_discard_two_once_a_turn_before_or_after():
    at = table(hands=["a0 a0 b0 c3", "d0"])
    assert {text for text in options(at) if text.startswith("discard")} == {
        "discard a:0:LR a:0:LR",
        "discard a:0:LR b:0:LR",
        "discard a:0:LR c:3:-",
        "discard b:0:LR c:3:-",
    }
    assert not legal(at, "discard b:0:LR b:0:LR")
    play(at, "discard a:0:LR c:3:-")
    assert int(at[0].acorns[0]) == 4 and not legal(at, "discard a:0:LR b:0:LR")
    play(at, "lay a:0:LR")
    assert int(at[0].seat) == 1  # nothing more can be done in this turn
    at = table(hands=["a0 a0 b0"])
    play(at, "lay a:0:LR")
    assert options(at) == {"discard a:0:LR b:0:LR", "end turn"}
    play(at, "discard a:0:LR b:0:LR")
    assert int(at[0].seat) == 1 and hand(at) == ""


def test_r4_2_each_landscape_once_a_game_and_one_a_turn():
    at = table(hands=["a0 a0", "b0"], tiles=["leap", "swap"], acorns=5)
    play(at, "landscape leap")
    assert int(at[0].acorns[0]) == 4 and not legal(at, "landscape swap")
    play(at, "lay a:0:LR", "lay b:0:LR")
    assert not legal(at, "landscape leap") and legal(at, "landscape swap")
    at[0].acorns[0] = 0
    assert not legal(at, "landscape swap")


def test_r4_2_a_name_drafted_twice_can_be_used_twice():
    at = table(hands=["a0 a0 a0", "b0"], tiles=["leap", "leap"], acorns=5)
    play(at, "landscape leap", "lay a:0:LR", "end turn", "lay b:0:LR", "landscape leap")
    assert tiles(at, 0) == []


def test_r4_3_landscapes_come_before_the_main_action_and_lapse():
    at = table(["a0"], ["a0 a0 a2 b0 b0", "b0"], tiles=["leap", "third_card"])
    play(at, "lay a:0:LR")
    assert not legal(at, "landscape leap")
    play(at, "end turn", "lay b:0:LR", "landscape leap", "collect a", "end turn", "collect b")
    assert not legal(at, "lay a:2:-")


def test_r4_4_two_from_deck_before_or_after():
    at = table(hands=["a0"], tiles=["two_from_deck"], deck="a1 b1 c1 d1 a3 b3 c3 d3")
    play(at, "collect a")
    assert options(at) == {"landscape two_from_deck", "discard a:0:LR a:2:-", "end turn"}
    play(at, "landscape two_from_deck")
    assert hand(at) == "a0LR a2- b1L c1L"
    at = table(hands=["a0"], tiles=["two_from_deck"], deck="")
    assert not legal(at, "landscape two_from_deck")


# --- R5 landscapes ----------------------------------------------------------------------------------------------------


def test_r5_1_second_type():
    at = table(tiles=["second_type"])
    play(at, "landscape second_type")
    assert legal(at, "collect a") and legal(at, "collect b d")
    assert not legal(at, "collect d b") and not legal(at, "collect a a") and not legal(at, "lay a:0:LR")
    play(at, "reveal", "collect b d")
    assert hand(at) == "b1L b2- d1L d2-"


def test_r5_2_third_card():
    at = table(hands=["a0 a0 a1"], tiles=["third_card"])
    play(at, "landscape third_card")
    assert {"lay a:0:LR a:0:LR a:1:L", "lay a:0:LR a:1:L"} <= lays(at)
    play(at, "lay a:0:LR a:0:LR a:1:L")
    assert row(at) == "a0 a0 a1"


def test_r5_3_two_from_deck_takes_what_is_left_and_may_end_the_game():
    at = table(hands=["a0"], tiles=["two_from_deck"], deck="d1")
    play(at, "landscape two_from_deck")
    assert hand(at) == "a0LR d1L"
    assert rules.is_over(at[0]) and int(at[0].turn) == int(at[0].rounds) == 1


def test_r5_4_leap_once_a_lay_and_never_to_begin_a_pile():
    at = table(["a0 | b0"], ["a2 a3 b2 c1 c2 b1"], tiles=["leap"])
    assert not legal(at, "lay a:2:-")
    play(at, "landscape leap")
    for text in ("a:2:-", "a:2:- a:3:-", "a:2:- b:1:L", "b:2:-"):
        assert legal(at, f"lay {text}"), text
    for text in ("a:3:-", "c:1:L", "c:2:-", "a:2:- b:2:-"):
        assert not legal(at, f"lay {text}"), text


def test_r5_5_swap_before_acorns_are_counted():
    at = table(["a0 a1R | b0 b1 b2 | c0"], ["c0 d0"], tiles=["swap"])
    play(at, "landscape swap")
    # Four piles: three places to swap, and none. With a 2 at the end both pairs of the others face each other.
    assert legal(at, "lay c:0:LR d:0:LR swap 2") and not legal(at, "lay c:0:LR d:0:LR swap 3")
    play(at, "lay c:0:LR d:0:LR swap 1")
    assert row(at) == "a0 a1 | c0 c0 | b0 b1 b2 | d0"
    assert int(at[0].acorns[0]) == 2 + 2
    at = table(["a0 | b0"], ["b0"], tiles=["swap"])
    assert not legal(at, "lay b:0:LR swap 0")
    play(at, "landscape swap", "lay b:0:LR swap 0")
    assert row(at) == "b0 b0 | a0" and int(at[0].acorns[0]) == 2
    at = table([], ["b0 c0"], tiles=["swap"])
    play(at, "landscape swap")
    assert not legal(at, "lay b:0:LR swap 0")


def test_r5_6_patron():
    at = table(tiles=["patron"], acorns=2, aims=["type:a"])
    assert not legal(at, "activate type:a")
    play(at, "landscape patron", "activate type:a")
    assert int(at[0].acorns[0]) == 0


# --- laying, completely -----------------------------------------------------------------------------------------------


def brute_force_lays(at):
    """Codes of all legal lays of seat 0, by trying every sequence of leaves, sides and swaps."""
    state, record = at
    mine = leaves_in(state.hand[0])
    piles = {pile["type"]: pile["cards"] for pile in view(at)["piles"][0]}
    active = LANDSCAPES[int(state.active)] if state.active != NONE else ""
    found = set()
    for size in range(1, len(mine) + 1):
        for order in {tuple(mine[n] for n in places) for places in permutations(range(len(mine)), size)}:
            names = [leaf_name(leaf) for leaf in order]
            types = [name[0] for name in names]
            one_type = len(set(types)) == 1
            if size > (3 if active == "third_card" else 2) if one_type else len(set(types)) < size:
                continue
            tops = {kind: int(pile[-1][2]) for kind, pile in piles.items()}
            leaps, fits, begins = 0, True, []
            for name in names:
                kind, value = name[0], int(name[2])
                begins.append(kind not in tops)
                step = value - tops.get(kind, 0)
                fits &= value == 0 if kind not in tops else tops[kind] < 3 and 0 <= step <= 2
                leaps += kind in tops and step == 2
                tops[kind] = value
            if not fits or leaps > (active == "leap"):
                continue
            swaps = range(len(tops) - 1) if active == "swap" else ()
            free = [(False, True) if new and record.either_end else (False,) for new in begins]
            for sides in product(*free):
                found |= {lay_of(list(zip(order, sides, strict=True)), swap) for swap in (None, *swaps)}
    return found


def tables_reached(at, actions):
    found = set()
    for action in actions:
        state = at[0].copy()
        rules.act(state, at[1], action)
        found.add(json.dumps([cards._table(state), cards.leaves_in(state.hand[0]), int(state.acorns[0])]))
    return found


@pytest.mark.parametrize("new_pile", ["right", "either_end"])
@pytest.mark.parametrize("tile", ["", "third_card", "leap", "swap"])
def test_lays_are_listed_completely_and_legality_is_exact(tile, new_pile):
    dice = np.random.default_rng([len(tile), len(new_pile)])
    rows = ["", "a0", "a0 | b0 b1R", "c0 c1 | a0 a1 a2 | b0", "a0 a1 a2 a3 | b0 b0 | d0 d1"]
    for number in range(20 if COMPILED else 5):
        drawn = [f"{'abcd'[dice.integers(4)]}{dice.choice(['0', '0', '1', '1R', '2', '3'])}" for _ in range(5)]
        rulings = {"new_pile": new_pile}
        at = table([rows[number % 5]], [" ".join(drawn)], tiles=[tile] * bool(tile), rulings=rulings, players=3)
        if tile:
            play(at, f"landscape {tile}")
        expected = brute_force_lays(at)
        listed = {parse_action(text) for text in lays(at)}
        assert listed <= expected
        assert tables_reached(at, listed) == tables_reached(at, expected)
        assert all(rules.is_legal(*at, code) for code in expected)
        # Whatever differs from a legal lay in one bit, two leaves swapped or a leaf added is legal only if it is one.
        for code in list(expected)[:60]:
            for near in [code ^ 1 << bit for bit in range(63)]:
                if near & 7 == cards.LAY:
                    assert bool(rules.is_legal(*at, near)) == (near in expected), action_text(near)


def test_nonsense_is_no_action():
    at = table(["a0"], ["a0 a1 b0"], aims=["type:a"], tiles=["leap"])
    known = {parse_action(text) for text in options(at)}
    for action in range(1 << 14):
        if rules.is_legal(*at, action) and action & 7 != cards.LAY:
            assert action in known
    for action in (-1, -(2**63), 2**63 - 1, 2**62 | cards.REVEAL, 1 << 60 | cards.END_TURN):
        assert not rules.is_legal(*at, action)


def test_words_of_actions_read_back():
    for text in (
        "collect a",
        "collect a e",
        "reveal",
        "lay a:0:LR@left b:1:L swap 0",
        "activate most_cards",
        "discard a:0:LR a:0:LR",
        "landscape two_from_deck",
        "end turn",
        "trim 0 5",
    ):
        assert action_text(parse_action(text)) == text
    for text in (
        "collect g",
        "lay",
        "lay a:4:-",
        "activate type:g",
        "trim",
        "trim 60",
        "landscape hill",
        "lay a:0:LR@up",
    ):
        with pytest.raises(ValueError, match=r"a:0:LR|no such"):
            parse_action(text)
    for code in (-1, 2**62, 7, cards.ACTIVATE | 12 << 3, cards.LANDSCAPE | 6 << 3):
        with pytest.raises(ValueError, match="not an action"):
            action_text(code)


# --- R6 the end -------------------------------------------------------------------------------------------------------


def test_r6_1_the_last_leaf_of_the_deck_ends_the_game_at_once_without_discards():
    at = table(hands=["a0 a0 a0 a0 b0 b0 b0 b0"], deck="a1", players=3)
    play(at, "collect a")
    assert rules.is_over(at[0]) and SPEC.end_reasons[int(rules.end_reason(at[0]))] == "deck_empty"
    assert len(leaves_in(at[0].hand[0])) == 9
    assert (int(at[0].turn), int(at[0].rounds)) == (1, 1)


def test_r6_1_closed_piles_of_all_players_end_the_game():
    full = "a0 a1 a2 a3 | b0 b1 b2 b3"
    at = table([full, "a0 a1 a2 a3 | b0"], ["c0 c0", "b0"], torii_limit=[4, 5, 6])
    assert view(at)["closed"] == 3
    play(at, "lay c:0:LR", "lay b:0:LR")
    assert not rules.is_over(at[0])
    at = table([full + " | c0 c1 c2", "a0 a1 a2 a3"], ["c3"])
    play(at, "lay c:3:-")
    assert rules.is_over(at[0]) and SPEC.end_reasons[int(rules.end_reason(at[0]))] == "torii_limit"


@pytest.mark.parametrize(("end", "turns"), [("at_once", 2), ("finish_round", 3), ("last_round", 5)])
def test_r6_2_how_many_turns_follow(end, turns):
    at = table(["", "a0 a1 a2"], ["b0", "a3 b0 b0 b0"], players=3, torii_limit=[1, 1, 1], rulings={"end": end})
    at[0].deck[:40], at[0].deck_size = 17, 40
    play(at, "lay b:0:LR", "lay a:3:-")
    while not rules.is_over(at[0]):
        play(at, "end turn" if at[0].phase == rules.SIDE else sorted(options(at))[0])
    assert int(at[0].turn) == turns and int(at[0].rounds) == -(-turns // 3)
    assert int(rules.end_reason(at[0])) == rules.TORII_LIMIT


@pytest.mark.parametrize("end", ["finish_round", "last_round"])
def test_r6_2_nothing_left_to_collect_ends_the_game_at_once(end):
    at = table(hands=["b0 b1"], display="a2", deck="a1", rulings={"end": end})
    play(at, "collect a")
    assert not rules.is_over(at[0]) and int(at[0].reason) == rules.DECK_EMPTY
    play(at, "discard b:0:LR b:1:L")  # what one may still do in one's turn
    assert int(at[0].seat) == 1
    play(at, "collect a")
    assert rules.is_over(at[0]) and int(at[0].turn) == 2


def test_r6_3_piles_and_acorns():
    at = table(["a0 a1 a2 a2 | b0 b0", "c0 c1 c2 c3 | d0 d1"], acorns=[5, 0])
    assert scores(at) == ([2 * 4 + 5, 3 * 4 + 1 * 2], 0b10)


def activated(rows, aim, holder, **more):
    at = table(rows, aims=[aim], acorns=0, players=3, **more)
    if holder is not None:
        at[0].holder[OBJECTIVES.index(aim)] = holder
    return [
        after - before for after, before in zip(scores(at)[0], scores(table(rows, acorns=0, players=3))[0], strict=True)
    ]


@pytest.mark.parametrize(
    ("aim", "rows", "points"),
    [
        ("type:a", ["a0 a1", "a0 a0", "b0 b0 b0"], [10, 3, 0]),
        ("value:0", ["a0 a1", "b0 b0", "c0 c0"], [0, 3, 3]),
        ("value:3", ["a0 a1 a2 a3", "b0 b1 b2", ""], [10, 0, 0]),
        ("visible_sum", ["a0 a1 | b0 b1", "c0 c1 c2", "d0 d0 d0"], [10, 3, 0]),
        ("most_cards", ["a0 | b0", "c0 c1 c2", "d0 d0"], [0, 3, 0]),
    ],
)
def test_r6_4_who_is_best_scores_ties_all_score(aim, rows, points):
    assert activated(rows, aim, 0) == points
    assert activated(rows, aim, None) == [0, 0, 0]


def test_r6_4_nobody_scores_for_nothing_and_hands_do_not_count():
    assert activated(["b0", "b0", ""], "type:a", 0, hands=["a0 a0"]) == [0, 0, 0]


def test_r6_4_points_of_objectives_are_switches():
    rows = ["a0", "a0", ""]
    assert activated(rows, "type:a", 1, objectives={"holder": 7, "others": 1}) == [1, 7, 0]
    assert activated(rows, "type:a", 1, objectives={"points": {"type:a": [20, 5]}}) == [5, 20, 0]
    assert activated(rows, "type:a", 1, objectives={"points": {"type:b": [20, 5]}}) == [3, 10, 0]


def test_r6_5_equals_share_the_win():
    assert scores(table(["a0 a1", "b0 b1"], acorns=0)) == ([2, 2], 0b11)


# --- R7 what if -------------------------------------------------------------------------------------------------------


def changed(name, item, seat, players=3, **options):
    record = rules_of(players, **options)
    (found,) = [each for each in SPEC.interventions if each.name == name]
    found.change(record, found.items.index(item) if isinstance(item, str) else item, seat)
    return record


def opening(record, key, players=3):
    state = empty_state()
    rules.deal(state, record, players, np.uint64(key))
    return cards.setup_line(state, record), state


def recorded(state):
    row = np.zeros(1, rules.RECORD).view(np.recarray)[0]
    rules.record(state, row)
    return row


@pytest.mark.parametrize(("item", "leaf"), [("0 of type a", "a:0"), ("3 of type c", "c:3")])
def test_r7_1_grant_swaps_a_leaf_of_the_hand_with_one_of_the_deck(item, leaf):
    gone = Counter()
    for key in range(60):
        plain, state = opening(rules_of(3), key)
        given, _ = opening(changed("grant", item, 1), key)
        in_deck = any(name.startswith(leaf) for name in plain["deck"])
        assert bool(recorded(state).in_deck >> ITEMS.index(item) & 1) == in_deck
        for same in ("display", "objectives", "landscapes", "acorns"):
            assert given[same] == plain[same]
        assert [given["hands"][seat] for seat in (0, 2)] == [plain["hands"][seat] for seat in (0, 2)]
        old, new = Counter(plain["hands"][1]), Counter(given["hands"][1])
        assert sum(name.startswith(leaf) for name in new.elements()) >= 1 or not in_deck
        assert (old - new).total() <= 1
        assert Counter(plain["deck"]) + old == Counter(given["deck"]) + new
        differing = sum(a != b for a, b in zip(plain["deck"], given["deck"], strict=True))
        assert differing <= 1
        gone.update(name[2] for name in (old - new))
    assert len(gone) >= 3  # any leaf of the hand may go


def test_r7_1_placebo_swaps_any_leaf_whatever_the_rest():
    came = Counter()
    for key in range(200):
        plain, _ = opening(rules_of(3), key)
        given, _ = opening(changed("placebo", 0, 2), key)
        assert given["hands"][:2] == plain["hands"][:2] and given["display"] == plain["display"]
        came.update(name[2] for name in (Counter(given["hands"][2]) - Counter(plain["hands"][2])))
    assert set(came) == set("0123") and came["0"] > came["3"]


def test_r7_2_bans_hold_for_one_seat_alone():
    for seat, allowed in ((0, False), (1, True)):
        at = table(["a0"], ["a1 a0"], tiles=["leap"], aims=["type:a"])
        for name, item, text in (
            ("ban", "1 of type a", "lay a:1:L"),
            ("ban", "leap", "landscape leap"),
            ("ban", "most of type a", "activate type:a"),
            ("without", "activating objectives", "activate type:a"),
            ("without", "landscapes", "landscape leap"),
            ("without", "discarding two for an acorn", "discard a:0:LR a:1:L"),
            ("without", "revealing leaves", "reveal"),
        ):
            record = changed(name, item, seat, players=2)
            assert legal((at[0], record), text) == allowed, item
            assert (text in options((at[0], record))) == allowed
            assert legal((at[0], record), "lay a:0:LR")
        mixed = table(["a0"], ["a0 b0"])[0]
        record = changed("without", "laying different types", seat, players=2)
        assert legal((mixed, record), "lay a:0:LR b:0:LR") == allowed
        assert ("lay a:0:LR b:0:LR" in options((mixed, record))) == allowed


def test_r7_2_prices_corners_and_points():
    record = changed("price", "1 acorn more to reveal", 1)
    assert record.cost[:, 2].tolist() == [1, 2, 1, 1]
    assert changed("price", "1 acorn less to activate", 0).cost[:, 0].tolist() == [2, 3, 3, 3]
    at = table(["a0 | b0"], ["b0 c0"])
    rules.act(at[0], changed("corners", "0s without acorns", 0, players=2), parse_action("lay b:0:LR c:0:LR"))
    assert int(at[0].acorns[0]) == 3
    at = table(["a0 a1 a2 | b0"], ["b0 c0"])
    rules.act(at[0], changed("corners", "2s with both acorns", 0, players=2), parse_action("lay b:0:LR c:0:LR"))
    assert int(at[0].acorns[0]) == 7
    at = table(["a0", "a0"], aims=["type:a"], acorns=0)
    at[0].holder[0] = 0
    assert scores((at[0], changed("unpaid", "most of type a", 0, players=2)))[0] == [0, 3]


def test_start_acorns_make_up_for_a_seat_and_never_fall_below_0():
    record = rules_of(3)
    SPEC.bonus.give(record, 1, 2)
    SPEC.bonus.give(record, 2, -9)
    assert record.start_acorns.tolist() == [3, 5, 0, 3]


# --- what follows from the rules --------------------------------------------------------------------------------------

SWITCHES = {
    "printed": {},
    "random landscapes": {"landscapes": {"assign": "random"}},
    "draft": {"landscapes": {"assign": "draft"}},
    "no landscapes": {"landscapes": {"assign": "off"}},
    "when empty": {"rulings": {"refill": "when_empty"}, "landscapes": {"assign": "random"}},
    "finish round": {"rulings": {"end": "finish_round"}, "landscapes": {"assign": "random"}},
    "last round": {"rulings": {"end": "last_round"}, "torii_limit": [1, 1, 1], "landscapes": {"assign": "draft"}},
    "either end": {"rulings": {"new_pile": "either_end"}, "landscapes": {"list": ["swap", "leap", "third_card"]}},
    "everything costs nothing": {
        "costs": {"activate": 0, "patron": 0, "reveal": 0, "landscape": 0},
        "start_acorns": 0,
        "landscapes": {"assign": "random"},
    },
    "long games": {
        "torii_limit": [24, 24, 24],
        "rulings": {"end": "last_round", "refill": "when_empty"},
        "corners": [["LR", "L", "R", "-"], ["LR", "-", "L"], ["R"], ["-", "LR"]],
    },
    "big hands": {
        "hand_size": 12,
        "hand_limit": 14,
        "display_size": 7,
        "reveal_cards": 6,
        "start_acorns": [9, 0, 1, 5],
    },
}


def everything(state):
    """All leaves that are still in the game, wherever."""
    players = range(int(state.players))
    found = Counter(int(leaf) for leaf in state.deck[int(state.drawn_count) : int(state.deck_size)])
    found.update(int(leaf) for leaf in state.display[: int(state.display_length)])
    for seat in players:
        found.update(leaves_in(state.hand[seat]))
        for kind in range(6):
            found.update(kind << 4 | int(face) for face in state.lying[seat][kind][: int(state.height[seat][kind])])
    return found


def faces(state, seat, kind):
    return state.lying[seat][kind][: int(state.height[seat][kind])].tolist()


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("config", SWITCHES)
def test_what_follows_holds_after_every_action(config, players):
    options = SPEC.options.model_validate(SWITCHES[config])
    for deal in range(6 if COMPILED else 1):
        record = SPEC.fill_rules(options, players, False)
        state = empty_state()
        rules.deal(state, record, players, np.uint64(rng.game_key(np.uint64(3), deal)))
        wanderer, out, gone = Wanderer(SPEC, deal), np.zeros(rules.CANDIDATES, np.int64), Counter()
        total, used = everything(state), Counter()
        owned = Counter((seat, name) for seat in range(players) for name in tiles((state, record), seat))
        while not rules.is_over(state):
            before = state.copy()
            count = int(rules.candidates(state, record, out))
            action = int(out[int(rng.below(wanderer.key, state.decision, count))])
            rules.apply(state, record, action)
            line = cards.action_line(before, action, state)
            seat = int(before.seat)
            if line and line["kind"] in ("discard_two", "trim"):
                gone.update(map(parse_leaf, line["cards"]))
            if line and line["kind"] == "landscape":
                used[seat, line["name"]] += 1
            assert everything(state) + gone == total
            check_piles(before, state, players)
            assert state.acorns[:players].min() >= 0
            assert state.ledger[:players].sum(axis=1).tolist() == state.acorns[:players].tolist()
            assert [len(leaves_in(hand)) for hand in state.hand[:players]] == state.held[:players].tolist()
            if int(state.turn) > int(before.turn) and not rules.is_over(state):
                assert int(state.held[seat]) <= options.hand_limit
            for other in range(players):
                assert not Counter(known(state, other)) - Counter(leaves_in(state.hand[other]))
        assert used <= owned
        check_end(state, record, players, options)


def known(state, seat):
    return leaves_in(state.known[seat])


def check_piles(before, state, players):
    for seat in range(players):
        for kind in range(6):
            old, new = faces(before, seat, kind), faces(state, seat, kind)
            assert new[: len(old)] == old
            if old and old[-1] >> 2 == 3:
                assert new == old
            assert not new or new[0] >> 2 == 0
            steps = [(b >> 2) - (a >> 2) for a, b in pairwise(new)]
            assert all(0 <= step <= 2 for step in steps)
            fresh = steps[max(len(old) - 1, 0) :]
            assert fresh.count(2) <= (int(before.active) == cards.LEAP)


def check_end(state, record, players, options):
    found = np.zeros(4, np.int64)
    winners = int(rules.score(state, record, found))
    row = recorded(state)
    assert row.points[:players].sum(axis=1).tolist() == found[:players].tolist()
    assert winners == sum(1 << seat for seat in range(players) if found[seat] == found[:players].max())
    closed = sum(pile["closed"] for piles in cards._table(state)["piles"] for pile in piles)
    assert closed == int(state.closed)
    assert int(state.deck_size) == int(state.drawn_count) or closed >= int(record.torii_limit)
    if options.rulings.end == "finish_round" and int(state.display_length):
        assert int(state.turn) % players == 0
    for seat in range(players):
        assert row.piles[seat].sum() == int(state.row_length[seat])
        assert row.laid[seat] & ~(row.dealt[seat] | row.drawn[seat] | row.collected[seat]) == 0
        assert (row.used[seat] | row.won_held[seat] | row.won_other[seat]) & ~row.owned[seat] == 0
        assert row.won_held[seat] & ~row.used[seat] == row.won_other[seat] & row.used[seat] == 0
        assert row.on_top[seat] & ~row.laid[seat] == 0


@pytest.mark.parametrize("players", [2, 4])
def test_a_reshuffle_keeps_what_a_seat_has_seen(players):
    """Own hand, table, collected leaves and all numbers stay; the unseen leaves stay the same together."""
    options = SPEC.options.model_validate({"landscapes": {"assign": "random"}})
    moved = 0
    for deal in range(4 if COMPILED else 1):
        record, state = SPEC.fill_rules(options, players, False), empty_state()
        rules.deal(state, record, players, np.uint64(rng.game_key(np.uint64(8), deal)))
        wanderer, out = Wanderer(SPEC, deal), np.zeros(rules.CANDIDATES, np.int64)
        while not rules.is_over(state):
            for seat in range(players):
                other = state.copy()
                rules.redeal(other, record, seat, np.uint64(rng.word(np.uint64(deal), int(state.decision))))
                assert everything(other) == everything(state)
                assert json.dumps(cards._table(other)) == json.dumps(cards._table(state))
                assert (other.hand[seat] == state.hand[seat]).all() and (other.dealt[seat] == state.dealt[seat]).all()
                for rival in range(players):
                    assert not Counter(known(state, rival)) - Counter(leaves_in(other.hand[rival]))
                    assert len(leaves_in(other.hand[rival])) == int(state.held[rival])
                    both = [
                        Counter(leaves_in(at.dealt[rival])) + Counter(leaves_in(at.drawn[rival]))
                        for at in (state, other)
                    ]
                    assert both[0].total() == both[1].total()
                assert recorded(other).in_deck >= 0
                moved += other.tobytes() != state.tobytes()
            count = int(rules.candidates(state, record, out))
            rules.apply(state, record, out[int(rng.below(wanderer.key, state.decision, count))])
    assert moved


def test_nobody_can_look_up_what_has_been_drawn():
    at = table(hands=["a0"], tiles=["two_from_deck"], deck="a1 b1 c1 d1 a3 b3")
    play(at, "landscape two_from_deck")
    assert at[0].deck[:6].tolist() == [0, 0, *leaves("c1 d1 a3 b3")]


# --- games of another implementation ----------------------------------------------------------------------------------


def seated(header, setup):
    """The table of a trace's first two lines."""
    record = SPEC.fill_rules(SPEC.options.model_validate(header["rules"]), header["players"], False)
    state = empty_state()
    rules.deal(state, record, header["players"], np.uint64(1))
    for seat, names in enumerate(setup["hands"]):
        hold(state, seat, list(map(parse_leaf, names)))
        state.tiles[seat] = NONE
        state.tiles[seat][: len(setup["landscapes"][seat])] = list(map(LANDSCAPES.index, setup["landscapes"][seat]))
    shown, deck = list(map(parse_leaf, setup["display"])), list(map(parse_leaf, setup["deck"]))
    state.display[: len(shown)], state.display_length = shown, len(shown)
    state.deck[: len(deck)], state.deck_size, state.drawn_count = deck, len(deck), 0
    state.acorns[: header["players"]] = setup["acorns"]
    numbers = list(map(OBJECTIVES.index, setup["objectives"]))
    state.holder[:] = cards.NOT_IN_PLAY
    state.objectives[: len(numbers)], state.objective_count = numbers, len(numbers)
    state.holder[numbers] = cards.FREE
    return state, record


def code_of(at, line):
    """Action of a trace line, and a reveal before it."""
    state = at[0]
    mine = leaves_in(state.hand[line["seat"]])
    match line["kind"]:
        case "collect":
            return ["reveal"] * line["reveal"] + [" ".join(["collect", *sorted(line["types"])])]
        case "lay":
            begun, words = {pile["type"] for pile in view(at)["piles"][line["seat"]]}, []
            for name, side in zip(line["cards"], line["side"], strict=True):
                words.append(name + "@left" * (side == "left" and name[0] not in begun))
                begun.add(name[0])
            return [" ".join(["lay", *words, *(["swap", str(line["swap"])] if "swap" in line else [])])]
        case "activate":
            return [f"activate {line['objective']}"]
        case "discard_two":
            return [" ".join(["discard", *line["cards"]])]
        case "landscape":
            return [f"landscape {line['name']}"]
    places, left = [], Counter(map(parse_leaf, line["cards"]))
    for place, leaf in enumerate(mine):
        if left[leaf]:
            left[leaf] -= 1
            places.append(str(place))
    return [" ".join(["trim", *places])]


@pytest.mark.parametrize("number", [1, 2])
def test_reference_games_play_likewise(number):
    header, setup, *lines, end = read(FOLDER / "momiji" / f"reference-{number}.jsonl")
    at = seated(header, setup)
    for line in lines:
        if int(at[0].seat) != line["seat"] or (at[0].phase == rules.SIDE and line["phase"] != "side"):
            play(at, "end turn")
        assert int(at[0].seat) == line["seat"]
        play(at, *code_of(at, line))
        assert view(at) == line["state"]
    assert rules.is_over(at[0])
    found, winners = scores(at)
    assert found == end["scores"] and [seat for seat in range(4) if winners >> seat & 1] == end["winners"]
    assert (int(at[0].turn), int(at[0].rounds)) == (end["turns"], end["rounds"])
    assert SPEC.end_reasons[int(rules.end_reason(at[0]))] == end["reason"]
