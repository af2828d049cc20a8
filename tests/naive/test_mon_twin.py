"""The twin of MON against reference traces, spoilt copies of them, games of its own and the facts of the rules page."""

import json
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from itertools import combinations, pairwise, product
from random import Random
from typing import Any

import pytest

from .faults import Fault, change, drop, reference, swap
from .mon import COLOURS, POINTS, VALUES, Game, Line, Mismatch, check, colour_of, complete, deck, play_random, value_of

# Reference traces and spoilt copies ---------------------------------------------------------------


@pytest.mark.parametrize(("number", "scores", "winners"), [(1, [8, 18], [1]), (2, [4, 5, 10, 10, 6], [2])])
def test_reference_traces_pass(number: int, scores: list[int], winners: list[int]) -> None:
    game = check(reference("mon", number))
    assert (game.scores(), game.winners(), game.over, game.phase) == (scores, winners, True, "over")


def both(*spoilers: Fault) -> Fault:
    def spoil(trace: list[Line]) -> None:
        for spoiler in spoilers:
            spoiler(trace)

    return spoil


SPOILT = {
    # header and set-up
    "another game": (change(1, "game", "busho"), 1, "game"),
    "seven players": (change(1, "players", 7), 1, "players"),
    "three strategies for two": (change(1, "strategies", ["random"] * 3), 1, "strategies"),
    "unknown rule": (change(1, "rules/jokers", 2), 1, "key of the rules"),
    "unknown ruling": (change(1, "rules/rulings/passing", True), 1, "key of rulings"),
    "unknown colour": (change(1, "rules/no_fall_back", ["red"]), 1, "colour"),
    "unknown tie rule": (change(1, "rules/rulings/tie", "last"), 1, "rulings.tie"),
    "points of 17 values": (change(1, "rules/points", [1] * 17), 1, "have points"),
    "other points": (change(1, "rules/points", [2] * 18), 7, "scores"),
    "other hand size": (change(1, "rules/hand_sizes/2", 12), 2, "hand sizes"),
    "a value removed but dealt": (change(1, "rules/removed_values", [6]), 2, "cards in the game"),
    "card lost at the deal": (change(2, "draw_pile", ["black-16", "silver-11"]), 2, "cards in the game"),
    "card doubled at the deal": (change(2, "hands/0/0", "gold-6"), 2, "cards in the game"),
    "card that left a game of two": (change(2, "hands/0/0", "gold-5"), 2, "cards in the game"),
    "one card too many in a hand": (lambda trace: trace[1]["hands"][0].append("gold-1"), 2, "hand sizes"),
    "hand that is no list": (change(2, "hands/0", None), 2, "hand"),
    # actions
    "card of the other hand": (change(7, "card", "gold-18"), 7, "action"),
    "advance below the highest card": (change(14, "kind", "advance"), 14, "action"),
    "fall back on an empty line": (change(7, "kind", "fall_back"), 7, "action"),
    "fall back under the second-highest card": (change(22, "card", "silver-7"), 22, "action"),
    "fall back from above": (change(36, "kind", "fall_back"), 36, "action"),
    "fall back where it is barred": (change(1, "rules/no_fall_back", ["black"]), 14, "action"),
    "advance below the starting tile": (change(1, "rules/start_values", {"silver": 8}), 15, "action"),
    "advance without a token": (change(1, "rules/tokens", 1), 20, "action"),
    "pass": (change(3, "discard", []), 3, "action"),
    "discard one card twice": (change(3, "discard/1", "gold-12"), 3, "action"),
    "discard a card of the pile": (change(3, "discard/1", "gold-7"), 3, "action"),
    "discard that is no list": (change(3, "discard", None), 3, "action"),
    "unknown kind": (change(7, "kind", "jump"), 7, "action"),
    "wrong seat": (change(5, "seat", 0), 5, "seat"),
    "wrong phase": (change(5, "phase", "draw"), 5, "phase"),
    "a turn left out": (drop(7), 7, "seat"),
    "unknown field": (change(7, "note", "!"), 7, "fields"),
    # state
    "wrong score": (change(7, "state/scores", [4, 0]), 7, "scores"),
    "score that is no integer": (change(7, "state/scores", [3.0, 0]), 7, "scores"),
    "wrong owner": (change(14, "state/owners/black", [0]), 14, "owners"),
    "stack upside down": (change(14, "state/lines/black", [["black-10", "black-15"]]), 14, "lines"),
    "covered card gone": (change(14, "state/lines/black", [["black-10"]]), 14, "lines"),
    "fall back beside the stack": (change(14, "state/lines/black", [["black-15"], ["black-10"]]), 14, "lines"),
    "colour missing": (lambda trace: trace[6]["state"]["lines"].pop("gold"), 7, "lines"),
    "state missing": (lambda trace: trace[6].pop("state"), 7, "fields"),
    "more in the state": (change(7, "state/tokens", [9, 10]), 7, "fields"),
    "state that is no object": (change(7, "state", []), 7, "state"),
    # chance
    "draw in another order": (change(4, "cards", ["black-16", "gold-7", "silver-11", "gold-14"]), 4, "drawn cards"),
    "draw as many as discarded": (
        change(4, "cards", ["gold-7", "black-16", "silver-11", "gold-14", "black-12"]),
        4,
        "drawn",
    ),
    "draw too few": (change(4, "cards", ["gold-7", "black-16", "silver-11"]), 4, "drawn cards"),
    "drawn by the wrong seat": (change(4, "seat", 1), 4, "seat"),
    "draw left out": (drop(4), 4, "kind of line"),
    "draw that is no chance": (change(4, "type", "event"), 4, "kind of line"),
    "draw by its name alone": (change(4, "type", "drawn"), 4, "kind of line"),
    "drawn twice": (lambda trace: trace.insert(4, trace[3]), 5, "kind of line"),
    "reshuffle before the pile is empty": (swap(9), 9, "kind of line"),
    "reshuffle as soon as the pile is empty": (
        both(drop(29), lambda trace: trace.insert(25, reference("mon", 1)[28])),
        26,
        "kind of line",
    ),
    "reshuffle left out": (drop(10), 10, "kind of line"),
    "card lost in a reshuffle": (lambda trace: trace[9]["draw_pile"].pop(), 10, "new pile"),
    "discards kept out of a reshuffle": (change(10, "draw_pile", ["gold-12", "silver-10"]), 10, "new pile"),
    "rest drawn in another order after a reshuffle": (
        change(11, "cards", ["silver-10", "gold-12"]),
        11,
        "drawn cards",
    ),
    # end
    "wrong winner": (change(43, "winners", [0]), 43, "winners"),
    "wrong final score": (change(43, "scores", [8, 19]), 43, "scores"),
    "wrong rounds": (change(43, "rounds", 12), 43, "rounds"),
    "wrong turns": (change(43, "turns", 25), 43, "turns"),
    "wrong reason": (change(43, "reason", "cap"), 43, "reason"),
    "last turn of the opponent left out": (drop(42), 42, "kind of line"),
    "trace cut short": (drop(43), 43, "end of the trace"),
    "line after the end": (lambda trace: trace.append(trace[41]), 44, "after the end"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_spoilt_trace_fails_where_it_is_spoilt(name: str) -> None:
    spoil, line, what = SPOILT[name]
    trace = reference("mon", 1)
    spoil(trace)
    with pytest.raises(Mismatch) as caught:
        check(trace)
    assert caught.value.line == line
    assert what in caught.value.what


def test_empty_trace_fails() -> None:
    with pytest.raises(Mismatch, match="line 1: type of the first line: found None, expected 'game'"):
        check([])


@pytest.mark.parametrize(("ruling", "winners"), [("emptied_first", [2]), ("shared", [2, 3])])
def test_tie_in_the_second_reference(ruling: str, winners: list[int]) -> None:
    for claim in [2], [3], [2, 3]:
        trace = reference("mon", 2)
        trace[0]["rules"]["rulings"]["tie"] = ruling
        trace[-1]["winners"] = claim
        if claim == winners:
            check(trace)
        else:
            with pytest.raises(Mismatch, match="line 57: end, winners"):
                check(trace)


def test_per_seat_draws_leave_the_order_of_the_pile_open() -> None:
    trace = reference("mon", 1)
    random = Random(1)
    for line in trace:
        if "draw_pile" in line:
            random.shuffle(line["draw_pile"])
    with pytest.raises(Mismatch, match="line 4: drawn cards"):
        check(trace)
    trace[0]["draws"] = "per_seat"
    check(trace)
    stolen = deepcopy(trace)
    stolen[3]["cards"][0] = "gold-18"  # in the other hand
    with pytest.raises(Mismatch, match="line 4: drawn cards"):
        check(stolen)
    doubled = deepcopy(trace)
    doubled[3]["cards"][0] = doubled[3]["cards"][1]
    with pytest.raises(Mismatch, match="line 4: drawn cards"):
        check(doubled)
    greedy = deepcopy(trace)
    greedy[3]["cards"].append("gold-15")  # in the pile, but one too many
    with pytest.raises(Mismatch, match="line 4: drawn cards"):
        check(greedy)
    with pytest.raises(Mismatch, match="line 1: draws"):
        check([{**trace[0], "draws": "psychic"}, *trace[1:]])


# Games of the reference random player -------------------------------------------------------------

SWITCHES: dict[str, Line] = {
    "default": {},
    "points_b": {"points": "points_b"},
    "points_c": {"points": "points_c"},
    "points up by one": {"points": [1] * 6 + [2] * 6 + [3, 4, 3, 3, 3, 3]},
    "small hands": {"hand_sizes": {"2": 5, "3": 4, "4": 3, "5": 2, "6": 1}},
    "few tokens": {"tokens": 2},
    "few tokens, no limit": {"tokens": 2, "rulings": {"token_limit": False}},
    "shared ties": {"rulings": {"tie": "shared"}},
    "start values": {"start_values": {"gold": 3, "black": 12}},
    "removed values": {"removed_values": [7, 13]},
    "pile empty from the start": {
        "removed_values": [14, 15, 16, 17],
        "hand_sizes": {"2": 13, "3": 13, "4": 10, "5": 8, "6": 7},
    },
    "no fall back": {"no_fall_back": ["silver", "gold"]},
}


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("name", SWITCHES)
def test_random_games_pass(name: str, players: int) -> None:
    rules = SWITCHES[name]
    size = complete(rules)["hand_sizes"][str(players)]
    for seed in range(4):
        trace = json.loads(json.dumps(list(play_random(players, rules, seed))))
        game = check(trace)
        # Constant length: every action takes one card off the hand; seat 0 empties its hand first.
        assert game.turns == players * size == trace[-1]["turns"] == sum(line["type"] == "action" for line in trace)
        assert game.emptied_first == 0
        assert trace[-1]["rounds"] == size
        assert trace[-1]["reason"] == "hand_empty"
        actions = [line for line in trace if line["type"] == "action"]
        assert [line["seat"] for line in actions] == [turn % players for turn in range(len(actions))]


@pytest.mark.parametrize("name", SWITCHES)
def test_legal_lists_exactly_what_is_legal(name: str) -> None:
    """Against every action that can be written down, on small hands."""
    rules = {**SWITCHES[name], "hand_sizes": {"3": 4}}
    cards = deck(3, complete({}))
    for seed in range(3):
        trace = list(play_random(3, rules, seed))
        game = Game(trace[0], trace[1])
        for line in trace[2:]:
            legal = game.legal()
            assert all(game.is_legal(action) for action in legal)
            assert bool(legal) == (game.phase == "turn")
            short = [{key: action[key] for key in action if key not in ("type", "seat", "phase")} for action in legal]
            for kind in "advance", "fall_back":
                tried = [{"kind": kind, "card": card} for card in cards]
                assert sorted(str(action) for action in tried if game.is_legal(action)) == sorted(
                    str(action) for action in short if action["kind"] == kind
                )
            if legal:
                hand = game.hands[game.seat]
                draws = [set(action["discard"]) for action in short if action["kind"] == "draw"]
                assert len(draws) == 2 ** len(hand) - 1 == len({frozenset(draw) for draw in draws})
                assert not game.is_legal(
                    {"kind": "draw", "discard": [next(card for card in cards if card not in hand)]}
                )
                assert not game.is_legal({**legal[0], "seat": (game.seat + 1) % 3})
                assert not game.is_legal({**legal[0], "state": {}})
                assert line["type"] == "action"
                assert {key: line[key] for key in line if key != "state"} in legal
            game.feed(line)


def test_switches_bite() -> None:
    """Each switch shows in the random games, so passing above means something."""

    def most_tokens(action: Line) -> int:
        owners = Counter(owner for colour in COLOURS for owner in action["state"]["owners"][colour])
        return max(owners.values(), default=0)

    def actions(name: str, players: int) -> list[Line]:
        traces = [play_random(players, SWITCHES[name], seed) for seed in range(30)]
        return [line for trace in traces for line in trace if line["type"] == "action"]

    assert max(map(most_tokens, actions("few tokens", 3))) == 2
    assert max(map(most_tokens, actions("few tokens, no limit", 3))) > 2
    backs = Counter(colour_of(line["card"]) for line in actions("no fall back", 4) if line["kind"] == "fall_back")
    assert set(backs) == {"black"}
    played = [line["card"] for line in actions("start values", 2) if line["kind"] != "draw"]
    lowest = {colour: min(value_of(card) for card in played if colour_of(card) == colour) for colour in COLOURS}
    assert lowest == {"gold": 6, "silver": 6, "black": 13}
    values = {
        value_of(card) for line in actions("removed values", 4) if line["kind"] == "draw" for card in line["discard"]
    }
    assert values == set(VALUES) - {7, 13}
    ends = [list(play_random(6, SWITCHES["shared ties"], seed))[-1] for seed in range(60)]
    assert max(len(end["winners"]) for end in ends) > 1


def test_same_seed_same_game() -> None:
    assert list(play_random(4, {}, 5)) == list(play_random(4, {}, 5)) != list(play_random(4, {}, 6))


def test_random_player_chooses_as_the_page_says() -> None:
    """Every choice of 300 games beside what could have been chosen: equal parts, by chi-square."""
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for seed in range(300):
        trace = list(play_random(4, {}, seed))
        game = Game(trace[0], trace[1])
        for line in trace[2:]:
            if line["type"] == "action":
                hand, kind = game.hands[game.seat], line["kind"]
                cards = {"advance": game.advances(), "fall_back": game.fall_backs(), "draw": hand}
                kinds = [kind for kind in cards if cards[kind]]
                counts.setdefault(("kind", *kinds), Counter(dict.fromkeys(kinds, 0)))[kind] += 1
                if kind == "draw" and len(hand) <= 4:
                    marks = "".join("x" if card in line["discard"] else "-" for card in hand)
                    subsets = ["".join(each) for each in product("-x", repeat=len(hand)) if "x" in each]
                    counts.setdefault(("subset", str(len(hand))), Counter(dict.fromkeys(subsets, 0)))[marks] += 1
                elif kind != "draw" and len(cards[kind]) <= 4:
                    places = [str(place) for place in range(len(cards[kind]))]
                    place = str(cards[kind].index(line["card"]))
                    counts.setdefault((kind, *places), Counter(dict.fromkeys(places, 0)))[place] += 1
            game.feed(line)
    assert {("kind", "advance", "fall_back", "draw"), ("subset", "4"), ("advance", "0", "1", "2", "3")} <= counts.keys()
    for choice, found in counts.items():
        expected = found.total() / len(found)
        free = len(found) - 1
        if free and expected >= 10:
            chi_square = sum((count - expected) ** 2 / expected for count in found.values())
            assert chi_square < free + 4 * (2 * free) ** 0.5, (choice, found)


# Facts of the rules page, on tables laid by hand --------------------------------------------------


def table(
    hand: list[str], lines: dict[str, list[list[str]]], owners: dict[str, list[int]], players: int = 3, **rules: Any
) -> Game:
    """Lay a table with seat 0 to decide; the cards that are not named lie in the other hands and the pile."""
    full = complete({"hand_sizes": {str(players): len(hand)}, **rules})
    named = hand + [card for stacks in lines.values() for stack in stacks for card in stack]
    rest = [card for card in deck(players, full) if card not in named]
    hands = [hand, *(rest[seat * len(hand) : (seat + 1) * len(hand)] for seat in range(players - 1))]
    pile = rest[(players - 1) * len(hand) :] + named[len(hand) :]
    header = {"type": "game", "game": "mon", "players": players, "rules": full}
    game = Game(header, {"type": "setup", "hands": hands, "draw_pile": pile})
    for colour, stacks in lines.items():
        for stack, owner in zip(stacks, owners[colour], strict=True):
            game.pile = [card for card in game.pile if card not in stack]
            game.lines[colour].append(list(stack))
            game.owners[colour].append(owner)
            game.tokens[owner] -= 1
    game.conserved()
    return game


def test_components() -> None:
    assert len(deck(3, complete({}))) == 54
    assert len(deck(2, complete({}))) == 39
    assert min(map(value_of, deck(2, complete({})))) == 6
    assert len(deck(4, complete({"removed_values": [7]}))) == 51
    for points in POINTS.values():
        assert len(points) == 18
        assert (points[3 - 1], points[4 - 1], points[13 - 1]) == (1, 1, 3)  # the values known from the rule book
        assert all(high - low in (0, 1) for low, high in pairwise(points))
    steps = {name: [points.index(worth) + 1 for worth in sorted(set(points))] for name, points in POINTS.items()}
    assert steps == {"default": [1, 7, 13], "points_b": [1, 7, 13, 18], "points_c": [1, 6, 11, 16]}
    assert [POINTS[name][-1] for name in steps] == [3, 4, 4]


def test_stack_of_four_under_a_13_is_worth_6() -> None:
    game = table(["black-1"], {"gold": [["gold-18", "gold-17", "gold-15", "gold-13"]]}, {"gold": [1]})
    assert game.scores() == [0, 6, 0]


def test_covered_card_no_longer_counts() -> None:
    """On 0, 2, [9 under 7] an 8 may advance, for the 9 under the 7 no longer counts."""
    hand = ["gold-1", "gold-3", "gold-6", "gold-8", "gold-10"]
    game = table(hand, {"gold": [["gold-2"], ["gold-9", "gold-7"]]}, {"gold": [0, 1]})
    assert game.advances() == ["gold-8", "gold-10"]
    assert game.fall_backs() == ["gold-3", "gold-6"]


def test_starting_tile_is_second_highest_of_a_line_of_one() -> None:
    hand = ["gold-1", "gold-4", "gold-5", "gold-6", "gold-8"]
    lines, owners = {"gold": [["gold-7"]]}, {"gold": [2]}
    assert table(hand, lines, owners).fall_backs() == hand[:4]
    game = table(hand, lines, owners, start_values={"gold": 4})
    assert (game.fall_backs(), game.advances()) == (["gold-5", "gold-6"], ["gold-8"])
    two = table(["gold-6", "gold-8"], lines, {"gold": [1]}, players=2)
    assert (two.fall_backs(), two.advances()) == (["gold-6"], ["gold-8"])
    assert table(["gold-6", "gold-8"], lines, {"gold": [1]}, players=2, start_values={"gold": 6}).fall_backs() == []


def test_no_fall_back_on_an_empty_line_or_an_own_token() -> None:
    hand = ["gold-5", "silver-5"]
    game = table(hand, {"gold": [["gold-7"]]}, {"gold": [0]})
    assert (game.fall_backs(), game.advances()) == ([], ["silver-5"])


def test_fall_back_returns_the_token_and_takes_the_stack() -> None:
    game = table(["gold-5", "gold-6"], {"gold": [["gold-9", "gold-7"]]}, {"gold": [1]})
    assert game.tokens == [10, 9, 10]
    game.act({"kind": "fall_back", "card": "gold-5"})
    game.conserved()
    assert game.lines["gold"] == [["gold-9", "gold-7", "gold-5"]]
    assert (game.owners["gold"], game.tokens, game.scores()) == ([0], [9, 10, 10], [3, 0, 0])


@pytest.mark.parametrize("limit", [True, False])
def test_without_a_token_only_the_draw_is_left(limit: bool) -> None:
    lines, owners = {"gold": [["gold-9"]], "silver": [["silver-9"]]}, {"gold": [0], "silver": [1]}
    game = table(["gold-12", "silver-5"], lines, owners, tokens=1, rulings={"token_limit": limit})
    kinds = [action["kind"] for action in game.legal()]
    assert kinds == ([] if limit else ["advance", "fall_back"]) + ["draw"] * 3


def test_draw_is_always_possible_and_passing_never() -> None:
    game = table(["gold-1"], {"gold": [["gold-9"]]}, {"gold": [0]})
    assert game.legal() == [{"type": "action", "seat": 0, "phase": "turn", "kind": "draw", "discard": ["gold-1"]}]
    assert not game.is_legal({"kind": "draw", "discard": []})
    assert not game.is_legal({"kind": "pass"})


def test_hand_discarded_whole_is_not_yet_empty() -> None:
    """Discard two cards and draw one: the hand was empty for a moment only."""
    game = table(["gold-1", "gold-2"], {}, {})
    game.act({"kind": "draw", "discard": ["gold-1", "gold-2"]})
    assert (game.phase, game.due(), game.seat, game.legal()) == ("draw", "drawn", 0, [])
    game.feed({"type": "chance", "event": "drawn", "seat": 0, "cards": game.pile[:1]})
    assert (game.emptied_first, game.seat, len(game.hands[0])) == (None, 1, 1)


def test_opponents_have_one_last_turn() -> None:
    game = table(["gold-1"], {}, {})
    for seat in range(3):
        assert (game.seat, game.over) == (seat, False)
        game.act({"kind": "draw", "discard": [game.hands[seat][0]]})
        assert game.emptied_first == 0
    assert (game.over, game.phase, game.legal(), game.due()) == (True, "over", [], "end")


def test_ties_go_round_from_who_emptied_first() -> None:
    for owners in combinations(range(4), 2):
        game = table(["black-1"], {"gold": [["gold-9"], ["gold-10"]]}, {"gold": list(owners)}, players=4)
        assert game.winners() == [owners[0]]
        for first in range(4):
            game.emptied_first = first
            assert game.winners() == [min(owners, key=lambda seat: (seat - first) % 4)]
        game.rules["rulings"]["tie"] = "shared"
        assert game.winners() == list(owners)


def test_conserved_sees_lost_and_doubled_cards_and_tokens() -> None:
    lines, owners = {"gold": [["gold-9", "gold-7"]]}, {"gold": [1]}

    def spoilt(spoil: Callable[[Game], object]) -> Game:
        game = table(["gold-1", "gold-2"], lines, owners)
        spoil(game)
        return game

    spoilers: list[tuple[Callable[[Game], object], str]] = [
        (lambda game: game.hands[2].pop(), "cards in the game"),
        (lambda game: game.pile.pop(), "cards in the game"),
        (lambda game: game.lines["gold"][0].pop(0), "cards in the game"),
        (lambda game: game.discards.append("gold-7"), "cards in the game"),
        (lambda game: game.discards.append("red-1"), "cards in the game"),
        (lambda game: game.owners.update(gold=[2]), "tokens"),
    ]
    for spoil, what in spoilers:
        with pytest.raises(Mismatch, match=what):
            spoilt(spoil).conserved()
