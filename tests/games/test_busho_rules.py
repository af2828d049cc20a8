"""The rules of busho on tables built by hand; each test names the rule of RULES.md that it holds."""

import itertools
import json
from collections import Counter

import numpy as np
import pytest

from sim import games, results, rng
from sim.config import load
from sim.engine import play as engine
from sim.engine.session import traced
from sim.engine.trace import trace
from sim.errors import ConfigError
from sim.games.busho import rules, spec
from sim.games.busho.cards import CARD_WORDS, DISCARD, GRABBING, KIND_BITS, OVER, PASS, RETURN, TURN, members
from sim.games.checks import NOBODY, Table, Wanderer
from tests.conftest import entries_of
from tests.golden import FOLDER, read

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # the generator's products, in plain Python

SPEC = games.spec("busho")
TEXT = SPEC.text
TURNS = {2: 48, 3: 28, 4: 18}
SWITCHES = [
    {},
    {"grab_priority": "random", "crests": "general"},
    {"grab_priority": [1, 2, 3, 4], "sets_per_turn": 3, "hand_size": 15},
    {"variant": "hidden"},
    {"variant": "hidden", "grab_priority": "random", "hand_size": 6},
]


def options_of(**changes):
    return SPEC.options.model_validate(changes)


def kind(name):
    """Number of a kind by the name on its cards."""
    return TEXT.kinds.index(f"first/{name}" if len(name) == 1 else f"family/{name}")


def table(hands, pile=(), deck=(), seat=0, phase=TURN, discarder=None, record=None, **changes):
    """A table in the middle of a game of the printed list; cards are named without their copies: "武田 信 玄"."""
    players = len(hands)
    record = SPEC.fill_rules(options_of(**changes), players) if record is None else record
    state = np.zeros(1, rules.STATE).view(np.recarray)[0]
    state.players, state.seat, state.phase, state.turn = players, seat, phase, seat if phase == TURN else 0
    state.announced[:] = -1
    for word in range(2):
        state.live[word] = np.bitwise_or.reduce(record.needs[:, 0, word])
    free = {number: list(range(TEXT.copies[number])) for number in range(len(TEXT.kinds))}

    def card(name):
        return int(record.first_card[kind(name)]) + free[kind(name)].pop(0)

    for number, hand in enumerate(hands):
        for name in hand.split():
            rules._take(state, record, number, card(name))
    for name in pile:
        state.pile[state.pile_size] = card(name)
        state.pile_size += 1
        rules._lose(state, record, int(state.pile[state.pile_size - 1]))
    for place, name in enumerate(deck):
        state.order[0][place] = card(name)
        rules._include(state.stock, int(state.order[0][place]))
        state.deck_left += 1
    if discarder is not None:
        state.discarder = discarder
        rules._open_to_grabs(state, record)
    return state, record


def legal(at, text):
    return bool(rules.is_legal(*at, TEXT.parse_action(text)))


def play(at, text):
    assert legal(at, text), text
    rules.apply(*at, TEXT.parse_action(text))


def held(at, seat):
    return sorted(TEXT.cards[card] for card in members(at[0].hand[seat]))


def end(at):
    found = np.zeros(rules.SEATS, np.int64)
    winners = int(rules.score(*at, found))
    return found[: int(at[0].players)].tolist(), [seat for seat in range(4) if winners >> seat & 1]


def new_game(players, deal=0, draws="shared", record=None, **changes):
    record = SPEC.fill_rules(options_of(**changes), players, draws == "per_seat") if record is None else record
    state = np.zeros(1, rules.STATE).view(np.recarray)[0]
    rules.deal(state, record, players, np.uint64(rng.game_key(np.uint64(3), np.uint64(deal))))
    return state, record


# --- set-up (R1) ------------------------------------------------------------------------------------------------------


def test_r1_the_list_is_that_of_the_reference():
    ours = SPEC.options().as_played().model_dump(mode="json")
    theirs = read(FOLDER / "busho" / "reference-1.jsonl")[0]["rules"]
    assert ours == theirs


def test_r1_2_and_r1_3_totals():
    families = [card.copies for card in SPEC.options().family_cards]
    first_names = [card.copies for card in SPEC.options().first_name_cards]
    assert (sum(families), sum(first_names), len(TEXT.cards), len(TEXT.generals)) == (50, 70, 120, 80)
    assert len(set(TEXT.generals)) == 80


def test_r1_4_crests():
    family, general = (spec.crests_of(options_of(crests=crests)) for crests in ("family", "general"))
    assert [family[kind(name)] for name in ("信", "玄", "家", "武田")] == [5, 1, 5, 1]
    assert [general[kind(name)] for name in ("信", "玄", "家", "武田")] == [7, 1, 10, 1]
    assert not SPEC.fill_rules(options_of(), 2).crests[: TEXT.families].any()  # only first names count in a tie


@pytest.mark.parametrize("players", TURNS)
@pytest.mark.parametrize("draws", ["shared", "per_seat"])
def test_r1_5_hands_and_deck(players, draws):
    state, _ = new_game(players, draws=draws)
    assert [len(members(state.hand[seat])) for seat in range(players)] == [12] * players
    assert int(state.deck_left) == len(members(state.stock)) == 120 - 12 * players == TURNS[players] * players
    everything = [card for seat in range(players) for card in members(state.hand[seat])] + members(state.stock)
    assert sorted(everything) == list(range(120))
    assert int(state.seat) == 0  # R1.6


# --- a turn (R2) ------------------------------------------------------------------------------------------------------


def test_r2_2_a_name_is_shown_or_kept():
    at = table(["武田 信 玄 勝 織田 長 柴田", "石田 三 成"], deck=["藤堂", "虎"])
    assert legal(at, "show 武田信玄") and legal(at, "show 織田信長") and not legal(at, "show 武田勝頼")
    assert legal(at, "discard first/勝#0")  # declining is to discard
    play(at, "show 武田信玄")
    assert held(at, 0) == ["family/柴田#0", "family/織田#0", "first/勝#0", "first/長#0"]
    assert not legal(at, "show 織田信長")  # 信 is gone with the first


@pytest.mark.parametrize("limit", [1, 2])
def test_r2_3_names_in_a_turn(limit):
    at = table(["武田 信 玄 石田 三 成 柴田", "藤堂"], deck=["虎", "高"], sets_per_turn=limit)
    play(at, "show 武田信玄")
    assert legal(at, "show 石田三成") is (limit == 2)
    play(at, "discard family/柴田#0")
    if limit == 1:
        play(at, "discard first/虎#0")
        assert int(at[0].seat) == 0 and legal(at, "show 石田三成")  # in a later turn


def test_r2_4_discard_and_the_next_player_draws():
    at = table(["柴田 勝 三 一", "石田 長 道"], deck=["虎", "高"])
    play(at, "discard first/一#0")
    state = at[0]
    assert (int(state.seat), int(state.phase), int(state.turn)) == (1, TURN, 1)
    assert held(at, 1) == ["family/石田#0", "first/虎#0", "first/道#0", "first/長#0"]
    assert int(state.pile[0]) == TEXT.cards.index("first/一#0")


# --- grab it (R3) -----------------------------------------------------------------------------------------------------


def test_r3_1_whoever_completes_a_name_may_grab():
    at = table(["柴田 玄 三 一", "武田 信 道"], deck=["虎", "高"])
    play(at, "discard first/玄#0")
    assert (int(at[0].seat), int(at[0].phase)) == (1, GRABBING)
    assert legal(at, "grab 武田信玄") and legal(at, "pass") and not legal(at, "grab 武田勝頼")
    play(at, "grab 武田信玄")
    assert int(at[0].phase) == RETURN and held(at, 1) == ["first/道#0"]
    assert legal(at, "discard first/道#0") and not legal(at, "pass")


def test_r3_2_the_top_card_takes_the_place_of_an_own_copy():
    """Whoever holds the name already may use the card on the pile and keep the own one."""
    at = table(["柴田 信 三 一", "武田 信 玄 長 道 龍"], deck=["虎", "高"])
    play(at, "discard first/信#0")
    play(at, "grab 武田信玄")
    assert held(at, 1) == ["first/信#1", "first/道#0", "first/長#0", "first/龍#0"]


def test_r3_2_two_own_cards_are_needed():
    at = table(["柴田 玄 三 一", "武田 昌 道"], deck=["虎", "高"])
    play(at, "discard first/玄#0")
    assert int(at[0].phase) == TURN


def test_r3_2_a_kanji_twice_in_a_name():
    """Of 甲信信 the second 信 may be the one on the pile."""
    options = {
        "generals": [{"family": "甲", "given": ["信", "信"]}, {"family": "甲", "given": ["信", "長"]}],
        "family_cards": [{"family": "甲", "copies": 20}],
        "first_name_cards": [{"kanji": "信", "copies": 20}, {"kanji": "長", "copies": 20}],
        "hand_size": 3,
    }
    record = SPEC.fill_rules(options_of(**options), 2)
    state, _ = new_game(2, record=record)
    for seat, hand in enumerate(([0, 20, 21, 40], [1, 22, 41])):
        rules._empty_hand(state, record, seat)
        for card in hand:
            rules._take(state, record, seat, card)
    state.phase = TURN
    assert rules.showable(state, record, 0, 0) == 0b11
    rules.act(state, record, 21 << KIND_BITS | DISCARD)
    assert rules.grabbable(state, record, 1, 0) == 0b11  # 信 goes with the own 信, or with 長
    rules._give_up(state, record, 1, 22)
    assert rules.grabbable(state, record, 1, 0) == 0b10


def test_r3_3_the_nearest_after_the_discarder_is_asked_first_and_then_the_next():
    at = table(["武田 玄 道", "柴田 信 三 一", "藤堂 高 虎", "織田 長 龍"], seat=1, deck=["村", "雲"])
    play(at, "discard first/信#0")
    assert int(at[0].seat) == 3
    play(at, "pass")
    assert (int(at[0].seat), int(at[0].phase)) == (0, GRABBING)
    play(at, "pass")
    assert (int(at[0].seat), int(at[0].phase)) == (2, TURN)  # everybody was asked once


@pytest.mark.parametrize("speed", [[1, 1, 1, 1], [1, 1, 1, 3], [2, 1, 1, 1]])
def test_r3_3_a_race_goes_by_speed(speed):
    """With three to choose from, each place is drawn in proportion to the speeds left."""
    at = table(["柴田 玄 三 一", "武田 信", "織田 長", "豊臣 秀"], grab_priority=speed)
    state, record = at
    found = Counter()
    for race in range(6000):
        state.race[:3] = [1, 2, 3]
        state.chance, state.discards = np.uint64(77), race
        rules._run_race(state, record)
        found[tuple(state.race[:3].tolist())] += 1
    assert len(found) == 6
    for order, count in found.items():
        left, chance = [speed[seat] for seat in order], 1.0
        while left:
            chance *= left[0] / sum(left)
            left.pop(0)
        assert abs(count - 6000 * chance) < 4.5 * (6000 * chance * (1 - chance)) ** 0.5


def test_r3_4_chains_reach_the_first_discarder_and_count_from_the_grabber():
    """Seat 0 discards 玄, 1 grabs it and returns 三, which both 2 and 0 could use: 2 is nearer to the grabber."""
    at = table(["石田 成 晴 玄", "武田 信 三 益 一 昭", "斎藤 道 龍"], deck=["虎", "高"])
    play(at, "discard first/玄#0")
    play(at, "grab 武田信玄")
    play(at, "discard first/三#0")
    assert int(at[0].seat) == 2 and legal(at, "grab 斎藤道三")
    play(at, "pass")
    assert int(at[0].seat) == 0
    play(at, "grab 石田三成")
    assert (int(at[0].phase), int(at[0].chain), int(at[0].regrabs)) == (RETURN, 2, 1)


def test_r3_4_the_card_beneath_is_safe():
    at = table(["柴田 玄 益 一", "武田 信 道 晴 昭 経", "石田 成 龍"], pile=["三"], deck=["虎", "高"])
    play(at, "discard first/玄#0")
    play(at, "grab 武田信玄")
    assert [TEXT.cards[card] for card in at[0].pile[: at[0].pile_size]] == ["first/三#0"]
    play(at, "discard first/道#0")
    assert (int(at[0].seat), int(at[0].phase)) == (1, TURN)


def test_r3_5_the_turn_passes_to_the_left_whoever_grabs():
    at = table(["柴田 玄 三 一", "藤堂 益 重", "武田 信 道 龍 晴 経"], deck=["虎", "高"])
    play(at, "discard first/玄#0")
    assert int(at[0].seat) == 2
    play(at, "grab 武田信玄")
    play(at, "discard first/道#0")
    assert (int(at[0].seat), int(at[0].phase)) == (1, TURN)


# --- the end (R4) -----------------------------------------------------------------------------------------------------


def test_r4_1_an_empty_hand_wins_at_once_and_its_discard_cannot_be_grabbed():
    at = table(["武田 信 玄 三", "石田 成 龍"], deck=["虎", "高"])
    play(at, "show 武田信玄")
    play(at, "discard first/三#0")
    assert rules.is_over(at[0]) and rules.end_reason(at[0]) == rules.HAND_EMPTY
    assert end(at) == ([0, 3], [0])
    assert (int(at[0].turn), int(at[0].rounds)) == (1, 1)
    assert not legal(at, "discard family/石田#0")


def test_r4_1_an_empty_hand_by_a_discard_in_return():
    at = table(["柴田 玄 三 一", "武田 信 道", "石田 成 龍"], deck=["虎", "高"])
    play(at, "discard first/玄#0")
    play(at, "grab 武田信玄")
    play(at, "discard first/道#0")
    assert rules.is_over(at[0]) and end(at) == ([3, 0, 3], [1])


def test_r4_2_the_game_ends_after_the_last_grabs():
    at = table(["柴田 玄 三 一", "武田 信 道 龍 晴 経"])
    play(at, "discard first/玄#0")
    assert not rules.is_over(at[0])
    play(at, "grab 武田信玄")
    play(at, "discard first/道#0")
    assert rules.is_over(at[0]) and rules.end_reason(at[0]) == rules.DECK_EMPTY
    assert end(at)[0] == [3, 3]


def finished(hands, **changes):
    at = table(hands, **changes)
    rules._finish(*at, rules.DECK_EMPTY)
    return at


@pytest.mark.parametrize(
    ("hands", "winners", "tie"),
    [
        (["武田 織田 信", "柴田 三 一 道 龍 晴"], [0], rules.NO_TIE),
        (["武田 織田 信", "柴田 石田 一"], [1], rules.SAME_NUMBER),  # R4.3: 5 crests against 1
        (["武田 織田 玄", "柴田 信 一"], [0, 1], rules.SHARED),  # R4.4: the one with the fewest counts; R4.5
        (["武田 長 信", "柴田 石田 一"], [1], rules.ADJUSTED),
        (["武田 織田 信", "柴田 経 一"], [1], rules.ADJUSTED),
        (["武田 織田 柴田", "信 長 秀"], [0, 1], rules.SHARED),  # no first name counts
    ],
)
def test_r4_2_to_r4_5_who_wins(hands, winners, tie):
    at = finished(hands)
    assert end(at)[1] == winners
    assert int(at[0].tie) == tie


def test_r4_3_crests_by_general():
    """信 fits 5 families and 7 generals, 直 2 families and 2 generals, 義 8 families and 9 generals."""
    assert end(finished(["武田 織田 長", "柴田 石田 義"]))[1] == [0, 1]
    counts = spec.crests_of(options_of(crests="general"))
    better = 0 if counts[kind("長")] < counts[kind("義")] else 1
    assert counts[kind("長")] != counts[kind("義")]
    assert end(finished(["武田 織田 長", "柴田 石田 義"], crests="general"))[1] == [better]


# --- another rule (R5) ------------------------------------------------------------------------------------------------


def test_r5_1_names_stay_in_hand_and_grabs_show_them():
    at = table(["武田 信 玄 三", "石田 成 龍"], deck=["虎", "高"], variant="hidden")
    assert not legal(at, "show 武田信玄")
    play(at, "discard first/三#0")
    assert legal(at, "grab 石田三成")


@pytest.mark.parametrize(("hand", "says"), [("武田 信 一 三", 1), ("武田 昌 一 三", 0), ("武田 信 玄 三", 0)])
def test_r5_2_kamon_is_said_when_one_card_lacks(hand, says):
    at = table([hand, "藤堂 益 重"], deck=["虎", "高"], variant="hidden")
    rules.act(*at, TEXT.parse_action("discard first/三#0"))
    assert int(at[0].announced[0]) == says
    assert bool(rules.is_automatic(at[0])) or not says


def brute_force(hand, crests, most):
    """Most disjoint names of a hand, and the fewest crests on the first names that count: by trying everything."""
    possible = [(0, hand)]
    for names, left in possible:
        for spelled in TEXT.spelled:
            if not Counter(spelled) - left:
                possible.append((names + 1, left - Counter(spelled)))
    best = max(names for names, _ in possible)
    rests = [[k for k in left.elements() if k >= TEXT.families] for names, left in possible if names == best]
    return best, min(sum(sorted(crests[k] for k in rest)[:most]) for rest in rests)


def test_r5_3_and_r5_4_laying_down_is_exact():
    record = SPEC.fill_rules(options_of(variant="hidden"), 2)
    crests = spec.crests_of(options_of())
    best = np.zeros(rules.HAND_MAX, np.int64)
    dice = np.random.default_rng(5)
    seen = Counter()
    for _ in range(80):
        state = np.zeros(1, rules.STATE).view(np.recarray)[0]
        some = {k for general in dice.choice(80, 8, replace=False) for k in TEXT.spelled[general]}
        hand = dice.choice([card for card in range(120) if TEXT.kind_of[card] in some], 15, replace=False)
        for card in hand:
            rules._take(state, record, 0, int(card))
        for most in (2, 120):
            names, fewest = rules.lay_down(state, record, 0, most, best)
            assert (names, fewest) == brute_force(Counter(TEXT.kind_of[card] for card in hand), crests, most)
            taken = Counter(k for general in best[:names] for k in TEXT.spelled[int(general)])
            assert not taken - Counter(TEXT.kind_of[card] for card in hand)
            seen[int(names)] += 1
    assert len(seen) >= 4


def test_r5_3_the_same_name_twice_when_there_are_cards_for_it():
    at = finished(["徳川 徳川 家 家 康 光", "柴田 三 一"], variant="hidden")
    assert end(at) == ([0, 3], [0])


def test_r5_4_the_crests_that_count_are_the_fewest_that_can_be_left():
    """Seat 0 lays down 武田信玄 or 武田勝頼 and keeps 勝 頼 or 信 玄; with one first name counting, 玄 has 1 crest."""
    at = finished(["武田 信 玄 勝 頼 石田", "立花 茂 加藤"], variant="hidden")
    assert end(at) == ([3, 3], [0, 1])
    assert TEXT.generals[members(at[0].laid[0])[0]] == "武田勝頼"


def test_r5_3_nobody_lays_down_when_a_hand_is_empty():
    at = table(["柴田 玄 益 一", "武田 信 道", "石田 三 成"], deck=["虎", "高"], variant="hidden")
    play(at, "discard first/玄#0")
    play(at, "grab 武田信玄")
    play(at, "discard first/道#0")
    assert end(at) == ([3, 0, 3], [1])


# --- what if (R6) -----------------------------------------------------------------------------------------------------


def intervention(name):
    return next(each for each in SPEC.interventions if each.name == name)


@pytest.mark.parametrize("draws", ["shared", "per_seat"])
def test_r6_1_a_granted_card_comes_from_the_deck_and_a_random_one_takes_its_place(draws):
    grant, moved = intervention("grant"), set()
    assert grant.items == SPEC.items.names[len(TEXT.generals) :]
    for deal in range(40):
        before, record = new_game(3, deal, draws)
        item = kind("信")
        there = any(TEXT.kind_of[card] == item for card in members(before.stock))
        grant.change(record, item, 1)
        after, _ = new_game(3, deal, draws, record=record)
        assert [members(after.hand[seat]) for seat in (0, 2)] == [members(before.hand[seat]) for seat in (0, 2)]
        gone = {*members(before.hand[1])} - {*members(after.hand[1])}
        everything = [card for seat in range(3) for card in members(after.hand[seat])] + members(after.stock)
        assert sorted(everything) == list(range(120))
        come = {*members(after.hand[1])} - {*members(before.hand[1])}
        row = np.zeros(1, rules.RECORD).view(np.recarray)
        rules.record(before, row[0])
        assert bool(grant.applies(None, row, item)[0, 1]) == there == bool(come)
        if there:
            assert {TEXT.kind_of[card] for card in come} == {item} and gone <= {*members(after.stock)}
            places = [list(row[:120]) for row in (before.order[0], after.order[0])]
            assert places[1].index(gone.copy().pop()) == places[0].index(come.copy().pop())
            moved |= gone
    assert len(moved) > 10


def test_r6_1_the_control_moves_any_card_of_the_deck():
    placebo, moved = intervention("placebo"), set()
    assert placebo.placebo
    for deal in range(40):
        before, record = new_game(2, deal)
        placebo.change(record, 0, 0)
        after, _ = new_game(2, deal, record=record)
        [come] = {*members(after.hand[0])} - {*members(before.hand[0])}
        assert come in members(before.stock)
        moved.add(come)
    assert len(moved) > 20


def test_r6_2_a_general_that_one_seat_can_never_complete():
    record = SPEC.fill_rules(options_of(), 2)
    intervention("ban").change(record, TEXT.generals.index("武田信玄"), 0)
    at = table(["武田 信 玄 三", "柴田 勝 頼"], record=record)
    assert not legal(at, "show 武田信玄")
    record.hidden = 1
    assert end(finished(["武田 信 玄", "柴田 三 一"], record=record))[0] == [3, 3]
    for discarder, asked in ((1, False), (0, True)):
        hands = ["武田 信 道", "藤堂 益 重"] if discarder else ["藤堂 益 重", "武田 信 道"]
        at = table(hands, pile=["玄"], deck=["虎", "高"], discarder=discarder, record=record)
        assert (int(at[0].phase) == GRABBING) is asked


def test_r6_3_a_seat_that_never_shows_or_never_grabs():
    without = intervention("without")
    record = SPEC.fill_rules(options_of(), 2)
    without.change(record, spec.ABILITIES.index("showing in the own turn"), 0)
    assert not legal(table(["武田 信 玄 三", "柴田"], record=record), "show 武田信玄")
    record = SPEC.fill_rules(options_of(), 2)
    without.change(record, spec.ABILITIES.index("grabbing"), 1)
    at = table(["柴田 玄 三 一", "武田 信 道"], deck=["虎", "高"], record=record)
    play(at, "discard first/玄#0")
    assert int(at[0].phase) == TURN


@pytest.mark.compiled
@pytest.mark.parametrize("variant", ["shown", "hidden"])
def test_r6_games_that_a_change_is_not_about_stay_as_they_are(variant):
    """The other games are not played again, so they must come out the same; and what must be worth nothing is."""
    deals = 2000
    games = np.zeros(deals, engine.game_dtype(SPEC.seats)).view(np.recarray)
    games.deal, games.stand_in_from = np.arange(deals), engine.NEVER

    def played(change=None, item=0):
        record = SPEC.fill_rules(options_of(variant=variant), 3)
        if change:
            change(record, item, 1)
        kernel = engine.kernel(SPEC)
        rows, records, fault = kernel.play(
            entries_of("busho", "greedy"), engine.rules_of([record]), seed=4, games=games
        )
        assert fault.status == engine.OK
        return rows, records

    rows, records = played()
    for name, item in [("grant", kind("立花")), ("grant", kind("秀")), ("ban", 8), ("ban", 79)]:
        change = intervention(name)
        changed, _ = played(change.change, item)
        about = (change.applies or change.matters)(None, records, item)[:, 1]
        assert 0 < about.mean() < 1
        assert (changed.score[~about] == rows.score[~about]).all()
        assert not (changed.score[about] == rows.score[about]).all()
    changed, _ = played(intervention("placebo").change)
    difference = (changed.share[:, 1].astype(float) - rows.share[:, 1]) / 60
    assert abs(difference.mean()) < 3.5 * difference.std() / deals**0.5


# --- what follows -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", TURNS)
def test_turns_are_exact_when_nobody_empties_a_hand(play, players):
    run = play("busho", players=(players,), games_in_all=900, entries=entries_of("busho", "random"))
    found = results.read_table(run, "games", players).to_pandas()
    whole = found[found.reason == SPEC.end_reasons.index("deck")]
    assert len(whole) > 800
    assert (whole.turns == players * TURNS[players]).all() and (whole.rounds == TURNS[players]).all()
    ended = found[found.reason == SPEC.end_reasons.index("empty_hand")]
    assert (ended.turns <= players * TURNS[players]).all()
    assert (ended.rounds == -(-ended.turns // players)).all()
    scores = found[[f"score_{seat + 1}" for seat in range(players)]].to_numpy()
    assert (scores % 3 == 0).all()
    lowest = ((scores == scores.min(axis=1, keepdims=True)) << np.arange(players)).sum(axis=1)
    assert (found.top == lowest).all() and (found.winners & ~found.top == 0).all()
    blocks = results.read_table(run, "blocks", players).to_pandas()
    margins = np.sort(scores, axis=1)[:, 1] - scores.min(axis=1)
    assert (np.stack(blocks.hist_margin).sum(axis=0) == np.bincount(margins, minlength=64)).all()


@pytest.mark.parametrize("players", TURNS)
@pytest.mark.parametrize("changes", SWITCHES, ids=str)
def test_cards_are_conserved_and_hands_are_multiples_of_three(players, changes):
    options = options_of(**changes)
    needed = np.array([[spelled.count(k) for k in range(len(TEXT.kinds))] for spelled in TEXT.spelled])
    for deal in range(4):
        at = Table(SPEC, options, [NOBODY] * players, 11, deal, "per_seat" if deal % 2 else "shared")
        wanderer = Wanderer(SPEC, deal)
        while not at.over:
            for _ in at.play(wanderer.choose(at)):
                state = at.state
                found = [*members(state.stock), *map(int, state.pile[: int(state.pile_size)])]
                for seat in range(players):
                    hand = members(state.hand[seat])
                    found += hand
                    assert len(hand) == int(state.hand_size[seat])
                    counted = np.bincount([TEXT.kind_of[card] for card in hand], minlength=len(TEXT.kinds))
                    assert (state.count[seat][: len(counted)] == counted).all()
                    lacking = np.maximum(needed - counted, 0).sum(axis=1)
                    for number, sets in enumerate((state.ready, state.near, state.far)):
                        assert members(sets[seat]) == np.flatnonzero(lacking == number).tolist()
                shown = 3 * int(state.names[:players].sum())
                assert len(found) == len({*found}) == 120 - shown
                assert int(state.deck_left) == len(members(state.stock))
                odd = int(state.seat) if int(state.phase) in (TURN, RETURN) else -1
                sizes = [int(size) % 3 for size in state.hand_size[:players]]
                assert sizes == [int(seat == odd) for seat in range(players)] or int(state.phase) == OVER


@pytest.mark.parametrize("changes", SWITCHES, ids=str)
def test_the_record_tells_what_the_trace_tells(changes):
    options = options_of(**changes)
    for deal in range(3):
        at = Table(SPEC, options, entries_of("busho", "greedy", "random", "outs"), 5, deal)
        lines = [{"type": "setup", **at.text.setup_line(at.state, at.rules)}, *at.opening]
        while not at.over:
            lines += at.play(at.choose())
        row = np.zeros(1, rules.RECORD).view(np.recarray)[0]
        rules.record(at.state, row)
        names = (*TEXT.generals, *TEXT.kinds)
        told = {name: [set() for _ in range(3)] for name in ("dealt", "held", "shown", "grabbed", "discarded", "fed")}
        throws, fed, grabs, top = [0] * 3, [0] * 3, [0] * 3, None
        for seat, hand in enumerate(lines[0]["hands"]):
            told["dealt"][seat] = {card.partition("#")[0] for card in hand}
            told["held"][seat] |= told["dealt"][seat]
        for line in lines:
            seat = line.get("seat")
            if line.get("kind") == "draw":
                told["held"][seat].add(line["card"].partition("#")[0])
            elif line.get("kind") == "discard":
                told["discarded"][seat].add(line["card"].partition("#")[0])
                throws[seat] += 1
                top, feeder = line["card"].partition("#")[0], seat
            elif line.get("kind") in ("show", "grab"):
                own = {card.partition("#")[0] for card in line["cards"]} | {line["general"]}
                told["shown" if line["kind"] == "show" else "grabbed"][seat] |= own
                if line["kind"] == "grab":
                    told["grabbed"][seat].add(top)
                    told["fed"][feeder] |= {top, line["general"]}
                    fed[feeder] += 1
                    grabs[(seat - feeder) % 3 - 1] += 1
        for name, sets in told.items():
            for seat in range(3):
                found = {names[item] for item in members(row[name][seat])}
                if name == "held":
                    found = {each for each in found if "/" in each}
                assert found == sets[seat], name
        assert [list(each) for each in row.throws[:3]] == [list(pair) for pair in zip(throws, fed, strict=True)]
        assert list(row.grabs[:2]) == grabs[:2]
        assert int(row.chains.sum()) == int(at.state.turn)
        assert sum(length * int(turns) for length, turns in enumerate(row.chains[:7])) == sum(fed)
        assert int(row.ties.sum()) == 1
        for seat in range(3):
            completed = {i for name in ("shown", "grabbed", "laid") for i in members(row[name][seat]) if i < 80}
            assert completed <= {*members(row.held[seat])}
            kept = {names[item] for item in members(row.kept[seat])}
            assert kept == {TEXT.kinds[TEXT.kind_of[card]] for card in members(at.state.hand[seat])}


def test_redeal_keeps_what_everybody_has_seen():
    """Sizes, own hand and announcements stay; the other hands and the deck change."""
    moved = 0
    for deal in range(6):
        at = Table(SPEC, options_of(variant="hidden", hand_size=3), [NOBODY] * 3, 5, deal)
        wanderer = Wanderer(SPEC, deal)
        while not at.over:
            before, seat = at.state.copy(), int(at.state.seat)
            rules.redeal(at.state, at.rules, seat, np.uint64(deal))
            after = at.state
            assert list(after.hand_size) == list(before.hand_size)
            assert (after.hand[seat] == before.hand[seat]).all()
            moved += not (after.hand == before.hand).all()
            for other in range(3):
                if other != seat and int(after.announced[other]) >= 0:
                    assert bool(after.near[other].any()) == bool(after.announced[other])
                assert not {*members(after.hand[other])} - {*members(after.dealt[other]), *members(after.drawn[other])}
            everything = [c for other in range(3) for c in members(after.hand[other])] + members(after.stock)
            theirs = [c for other in range(3) for c in members(before.hand[other])] + members(before.stock)
            assert sorted(everything) == sorted(theirs)
            at.state = before
            at.apply(wanderer.choose(at))
    assert moved > 20


@pytest.mark.parametrize(
    "action", [-1, PASS, 120 << KIND_BITS | DISCARD, 80 << KIND_BITS, 1 << 62, -(2**63), 2**63 - 1]
)
def test_nonsense_is_illegal(action):
    at = table(["武田 信 玄 三", "石田 成 龍"])
    assert not rules.is_legal(*at, action)


# --- the config -------------------------------------------------------------------------------------------------------


def edited(generals=None, families=(), first_names=()):
    """The default rules as plain data with changes: what a designer may do to the tables of a config."""
    data = SPEC.options().model_dump(mode="json")
    if generals:
        data["generals"] = generals(data["generals"])
    for table_, key, changes in (("family_cards", "family", families), ("first_name_cards", "kanji", first_names)):
        entries = {entry[key]: entry for entry in data[table_]}
        for name, copies in changes:
            entries[name] = {key: name, "copies": copies}
        data[table_] = list(entries.values())
    return data


EDITS = {
    "a general removed": edited(lambda all_: [each for each in all_ if each["given"] != ["信", "玄"]]),
    "a new family": edited(
        lambda all_: [*all_, {"family": "羽柴", "given": ["秀", "吉"]}, {"family": "羽柴", "given": ["秀", "凸"]}],
        [("羽柴", 2)],
        [("凸", 1)],
    ),
    "three copies": edited(None, [("武田", 3)], [("玄", 3), ("頼", 3)]),
    "few generals": edited(lambda all_: all_[:9]),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_list_plays_with_its_own_names(name):
    from tests.naive.busho import check

    options = SPEC.options.model_validate(EDITS[name])
    assert not list(options.faults())
    facts = SPEC.under(options)
    assert facts.items.names[0] == "徳川家康 Ieyasu"
    assert len(facts.items.names) == len(options.generals) + len(options.family_cards) + len(options.first_name_cards)
    assert all(len(names) == len(facts.items.names) for names in facts.items.groups.values())
    assert ("羽柴秀凸" in facts.items.names) == (name == "a new family")
    written = options.model_dump(mode="json")
    for players in (2, 4):
        for deal in range(3):
            entries = entries_of("busho", *["greedy", "stingy"] * (players // 2))
            check(list(trace("busho", options, written, entries, seed=1, deal=deal)))


def test_names_of_the_config_reach_trace_and_items(play):
    options = SPEC.options.model_validate(EDITS["a new family"])
    run = play("busho", players=(3,), games_in_all=300, entries=entries_of("busho", "greedy"), options=options)
    blocks = results.read_table(run, "blocks", 3).to_pandas()
    mixed = np.stack([each for each in blocks.use_games_completed if len(each)])
    names = SPEC.under(options).items.names
    assert mixed.shape[1] == len(names)
    assert mixed.sum(axis=0)[names.index("羽柴秀吉")] > 0


def test_readings_stand_beside_the_kanji_and_in_no_trace():
    """A reading names an item; one that two generals share has the family's before it; the rules do not know any."""
    names = SPEC.items.names
    assert {"武田信玄 Shingen", "浅井長政 Azai Nagamasa", "黒田長政 Kuroda Nagamasa", "武田 Takeda", "信 nobu"} <= set(
        names
    )
    data = SPEC.options().model_dump(mode="json")
    data["generals"].append({"family": "森", "given": ["長", "秀"]})
    data["family_cards"].append({"family": "森"})
    data["first_name_cards"].append({"kanji": "森"})
    names = SPEC.under(SPEC.options.model_validate(data)).items.names
    assert {"森長秀", "family/森", "first/森"} <= set(names)  # what would read alike keeps what tells it apart
    header = next(iter(traced(load("busho"), entries_of("busho", "greedy", "greedy"), seed=1, deal=0, rotation=0)))
    assert header["rules"] == read(FOLDER / "busho" / "reference-1.jsonl")[0]["rules"]


def test_crests_are_worked_out_anew():
    data = SPEC.options().model_dump(mode="json")
    assert next(card for card in data["first_name_cards"] if card["kanji"] == "玄")["crests"] == ["武田"]
    again = SPEC.options.model_validate(EDITS["a general removed"]).model_dump(mode="json")
    assert next(card for card in again["first_name_cards"] if card["kanji"] == "玄")["crests"] == []


BUSHO = (FOLDER.parent.parent / "configs" / "busho.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "what", "part"),
    [
        ('["信", "玄"]', '["信", "黑"]', "there is no first-name card 黑 for 武田信黑", '"黑"'),
        ('family = "立花", given', 'family = "立華", given', "there is no family-name card 立華 for 立華宗茂", "立華"),
        ('["信", "玄"]', '["玄", "玄"]', "there is only one first-name card 玄 for 武田玄玄", '"玄"'),
        ('["勝", "頼"]', '["玄", "信"]', "武田玄信 has the same name or the same three cards as 武田信玄", "玄"),
        ("hand_size = 12", "hand_size = 30", "the hands take all the cards: there must be a deck to draw from", "30"),
        ("hand_size = 12", "hand_size = 10", "hand_size is no multiple of 3", "10"),
        (
            '{ family = "立花", copies',
            '{ family = "藤堂" }, { family = "立花", copies',
            "family_cards names 藤堂 twice",
            "藤堂",
        ),
        ('kanji = "茂", copies = 1', 'kanji = "茂", copies = 0', None, "0"),
    ],
)
def test_an_impossible_list_is_told_once_where_it_is(tmp_path, old, new, what, part):
    assert BUSHO.count(old) == 1, old
    path = tmp_path / "mine.toml"
    path.write_text(BUSHO.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(path)
    fault = caught.value.faults[0]
    if what:
        assert fault.what == what
    assert fault.where and part in fault.quote
    assert fault.expected
    where = BUSHO[: BUSHO.index(old)].count("\n") + 1
    assert f"{path.name}:{where}" in fault.where


def test_too_many_cards_are_refused():
    data = edited(None, [("武田", 20), ("織田", 20), ("豊臣", 20)], [(name, 20) for name in "信長秀家義"])
    [fault] = SPEC.options.model_validate(data).faults()
    assert (fault.what, fault.expected) == ("there are too many cards", "at most 252")


# --- words ------------------------------------------------------------------------------------------------------------


def test_actions_read_back():
    for general, card in itertools.product((0, 14, 79), (0, 50, 119)):
        for action in (general << KIND_BITS, general << KIND_BITS | 2, card << KIND_BITS | DISCARD, PASS):
            assert TEXT.parse_action(TEXT.action_text(action)) == action
    assert TEXT.action_text(14 << KIND_BITS) == "show 武田信玄"
    for text in ("show 武田", "discard first/信", "pass 1", "grab", "draw first/信#0"):
        with pytest.raises(ValueError, match="not an action"):
            TEXT.parse_action(text)


def test_the_reference_is_told_line_by_line():
    for number in (1, 2):
        for line in read(FOLDER / "busho" / f"reference-{number}.jsonl")[1:-1]:
            assert TEXT.story(json.loads(json.dumps(line)))


def test_sets_of_cards_have_room_for_every_card():
    state = np.zeros(1, rules.STATE).view(np.recarray)[0]
    for number in range(rules.CARDS):
        rules._include(state.stock, number)
        assert members(state.stock)[-1] == number
    assert CARD_WORDS * 63 == rules.CARDS == len(members(state.stock))
