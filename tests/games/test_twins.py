"""Every game beside its independent slow twin: the twin checks each line of a trace and names every legal action."""

import importlib
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim import games
from sim.engine.trace import TRACE_VERSION, Table, trace
from sim.games.checks import NOBODY, Wanderer
from sim.games.momiji import cards as momiji_cards
from sim.games.mon.cards import ADVANCE, DRAW, FALL_BACK, KIND_BITS, cards_in
from sim.games.sangoku import cards as sangoku
from tests.conftest import entries_of

EXAMPLES = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def twin(game: str) -> Any:
    return importlib.import_module(f"tests.naive.{game}")


@pytest.mark.parametrize("game", games.GAMES)
@pytest.mark.parametrize("draws", ["shared", "per_seat"])
def test_every_strategy_plays_by_the_twins_rules(game, draws):
    spec = games.spec(game)
    rules = spec.options().model_dump(mode="json", by_alias=True)
    for players in spec.players:
        for deal, entry in enumerate(entries_of(game) * 3):
            lines = trace(game, spec.options(), rules, [entry] * players, seed=3, deal=deal, draws=draws)
            twin(game).check(list(lines))


def beside_the_twin(game: str, options: dict[str, Any], players: int, deal: int, draws: str = "shared") -> None:
    """Play a wandering game on the kernel and the twin at once; compare every line and every set of legal actions."""
    spec = games.spec(game)
    checked = spec.options.model_validate(options)
    table = Table(spec, checked, [NOBODY] * players, 7, deal, draws)
    header = {"type": "game", "game": game, "version": TRACE_VERSION, "players": players, "seed": 7, "deal": deal}
    header |= {"draws": draws} if draws != "shared" else {}
    header |= {"strategies": ["wanderer"] * players, "rules": checked.model_dump(mode="json", by_alias=True)}
    slow = twin(game).Game(header, {"type": "setup", **table.text.setup_line(table.state, table.rules)})
    for line in table.opening:
        slow.feed(line)
    wanderer = Wanderer(spec, deal)
    while not table.over:
        theirs = {json.dumps(_bare(game, slow, action), sort_keys=True) for action in _twins_actions(slow, table)}
        ours = {json.dumps(_bare(game, slow, line), sort_keys=True) for line in _kernels_actions(table, wanderer)}
        assert ours == theirs
        action = wanderer.choose(table)
        if game == "momiji" and action == momiji_cards.END_TURN:
            assert slow.declinable
            slow.decline()
        for line in table.play(action):
            slow.feed(line)
    slow.feed(table.result())


def _twins_actions(slow: Any, table: Table) -> list[dict[str, Any]]:
    if table.spec.name == "emblems":
        return slow.legal(int(table.state.seat))
    # In momiji leaves are revealed by a decision of its own; then only what follows it is left.
    actions = [action for action in slow.legal() if not _chooses(table) or action.get("reveal")]
    if table.spec.name == "busho" and slow.declinable:  # to discard without showing: a line less in the trace
        actions += [{"kind": "discard", "card": card} for card in slow.hands[slow.seat]]
    return actions


def _chooses(table: Table) -> bool:
    return table.spec.name == "momiji" and table.text.phase_name(table.state) == "choose"


def _kernels_actions(table: Table, wanderer: Wanderer) -> list[dict[str, Any]]:
    """Lines of all legal actions: mon's are tried one by one, elsewhere the candidates are all of them."""
    actions = wanderer.candidates(table)
    if table.spec.name == "mon":
        hand = cards_in(table.state.hand[int(table.state.seat)])
        subsets = range(1, 1 << len(hand))
        actions = [card << KIND_BITS | kind for card in range(54) for kind in (ADVANCE, FALL_BACK)]
        actions += [
            sum(1 << card for n, card in enumerate(hand) if part >> n & 1) << KIND_BITS | DRAW for part in subsets
        ]
    found = []
    for action in actions:
        if table.is_legal(action):
            after = table.state.copy()
            with np.errstate(over="ignore"):
                table.spec.rules_module.act(after, table.rules, action)
            line = table.text.action_line(table.state, action, after)
            if line is not None:
                found.append({"seat": int(table.state.seat), **line})
            elif table.text.phase_name(after) == "choose":
                found += _after_a_reveal(table, wanderer, after)
    return found


def _after_a_reveal(table: Table, wanderer: Wanderer, after: Any) -> list[dict[str, Any]]:
    before, table.state = table.state, after
    found = _kernels_actions(table, wanderer)
    table.state = before
    return found


def _bare(game: str, slow: Any, line: dict[str, Any]) -> dict[str, Any]:
    """An action without what follows from it, in one form where it can be written in several."""
    kept = {key: value for key, value in line.items() if key not in ("state", "type", "seat", "phase")}
    if game in ("busho", "momiji"):
        return slow.canonical(kept)
    return {key: sorted(value) if key == "discard" else value for key, value in kept.items()}


MON = st.fixed_dictionaries(
    {
        "points": st.sampled_from(["default", "points_b", "points_c"])
        | st.lists(st.integers(-3, 5), min_size=18, max_size=18),
        "hand_sizes": st.integers(1, 6).map(lambda size: {str(players): size for players in range(2, 7)}),
        "tokens": st.integers(0, 10),
        "rulings": st.fixed_dictionaries(
            {"token_limit": st.booleans(), "tie": st.sampled_from(["emptied_first", "shared"])}
        ),
        "start_values": st.dictionaries(st.sampled_from(["gold", "silver", "black"]), st.integers(0, 8)),
        "removed_values": st.lists(st.integers(1, 18), max_size=4, unique=True),
        "no_fall_back": st.lists(st.sampled_from(["gold", "silver", "black"]), max_size=2, unique=True),
    }
)


@EXAMPLES
@given(MON, st.integers(2, 6), st.integers(0, 10**6), st.sampled_from(["shared", "per_seat"]))
def test_mon_beside_its_twin(options, players, deal, draws):
    beside_the_twin("mon", options, players, deal, draws)


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_mon_with_full_hands_beside_its_twin(players):
    spec = games.spec("mon")
    rules = spec.options().model_dump(mode="json", by_alias=True)
    for deal in range(10):
        table = Table(spec, spec.options(), [NOBODY] * players, 9, deal)
        header = {"type": "game", "game": "mon", "version": 1, "players": players, "seed": 9, "deal": deal}
        header |= {"strategies": ["wanderer"] * players, "rules": rules}
        slow = twin("mon").Game(header, {"type": "setup", **spec.text.setup_line(table.state, table.rules)})
        wanderer = Wanderer(spec, deal)
        while not table.over:
            for line in table.play(wanderer.choose(table)):
                slow.feed(line)
        slow.feed(table.result())


REWARD = st.integers(-5, 9) | st.sampled_from(["half", "per_card", "steal_each"])
LOCATION = st.fixed_dictionaries({side: st.lists(REWARD, max_size=15) for side in ("3-4", "5")})
OWN_SET = st.fixed_dictionaries(dict.fromkeys(("castle", "village", "port"), LOCATION))


@st.composite
def emblems_options(draw):
    """Any set with any rulings; the turns fit the hand and the piles."""
    hand = draw(st.integers(3, 8))
    rounds = draw(st.integers(1, 4))
    turns = draw(st.integers(1, min(hand, 15 // rounds)))
    default = games.spec("emblems").options().model_dump(mode="json", by_alias=True)["sets"]
    return {
        "set": draw(st.sampled_from(["A", "B", "C", "Own"])),
        "sets": {**default, "Own": draw(OWN_SET)},
        "hand": hand,
        "rounds": rounds,
        "turns": {str(players): turns for players in (3, 4, 5)},
        "start_coins": draw(st.integers(0, 6)),
        "rulings": {
            "effects": draw(st.sampled_from(["mandatory", "optional"])),
            "debt": draw(st.booleans()),
            "coins_visible": draw(st.booleans()),
        },
        "interventions": {
            "blank": draw(
                st.lists(
                    st.tuples(st.integers(0, 2), st.integers(1, 15)).map(lambda pair: f"{pair[0]}:{pair[1]}"),
                    max_size=6,
                    unique=True,
                )
            )
        },
    }


@EXAMPLES
@given(emblems_options(), st.integers(3, 5), st.integers(0, 10**6))
def test_emblems_beside_its_twin(options, players, deal):
    beside_the_twin("emblems", options, players, deal)


@st.composite
def busho_options(draw):
    """Any switches, with the printed list or one of a few families, some kanji twice in a name and many copies."""
    options = {
        "hand_size": draw(st.sampled_from([3, 6, 9, 12, 15])),
        "crests": draw(st.sampled_from(["family", "general"])),
        "grab_priority": draw(st.sampled_from(["next_in_turn", "random", [1, 5, 0.5, 2]])),
        "sets_per_turn": draw(st.integers(1, 3)),
        "variant": draw(st.sampled_from(["shown", "hidden"])),
    }
    if draw(st.booleans()):
        kanji = "信長秀家政"
        names = draw(
            st.lists(
                st.tuples(st.sampled_from("甲乙丙丁"), st.sampled_from(kanji), st.sampled_from(kanji)),
                min_size=4,
                max_size=12,
                unique_by=lambda name: (name[0], *sorted(name[1:])),
            )
        )
        options |= {
            "generals": [{"family": family, "given": [one, two]} for family, one, two in names],
            "family_cards": [{"family": family, "copies": draw(st.integers(4, 8))} for family in "甲乙丙丁戊"],
            "first_name_cards": [{"kanji": each, "copies": draw(st.integers(9, 15))} for each in kanji],
        }
    return options


@EXAMPLES
@given(busho_options(), st.integers(2, 4), st.integers(0, 10**6), st.sampled_from(["shared", "per_seat"]))
def test_busho_beside_its_twin(options, players, deal, draws):
    beside_the_twin("busho", options, players, deal, draws)


SANGOKU = st.fixed_dictionaries(
    {
        "bridges": st.integers(0, 10),
        "wilds": st.integers(0, 10),
        "ten_draws_legend": st.booleans(),
        "bridge_redeems": st.sampled_from(["none", "orochi"]),
        "wild_redeems": st.sampled_from(["none", "genbu"]),
        "redeems": st.sampled_from(["default", "even", "tokens"])
        | st.dictionaries(st.sampled_from(sangoku.RANK_NAMES), st.sampled_from(["none", *sangoku.WARRIORS[:4]])),
        "copies": st.fixed_dictionaries({name: st.integers(2, 7) for name in sangoku.LEGENDS}),
        "damage": st.fixed_dictionaries(
            {
                **dict.fromkeys(("onibi", "fuujin"), st.lists(st.integers(0, 5), min_size=1, max_size=6)),
                **dict.fromkeys(("raijin", "hachiman", "shinigami", "monkey_king"), st.integers(0, 4)),
            }
        ),
        "size": st.fixed_dictionaries(
            dict.fromkeys(("raijin", "hachiman", "genbu", "orochi", "shinigami"), st.integers(1, 4))
        ),
        "power": st.fixed_dictionaries(dict.fromkeys(sangoku.WARRIORS, st.integers(1, 6))),
        "defence": st.lists(st.integers(1, 14), min_size=3, max_size=3),
        "purple_line": st.integers(0, 8),
        "purple_power": st.integers(1, 6),
        "start_legends": st.integers(0, 4),
        "max_rounds": st.sampled_from([1, 4, 60]),
        "bridge_suited": st.booleans(),
        "wheel": st.booleans(),
        "illegal_hand": st.sampled_from(["out", "forbid"]),
        "back_from_the_brink": st.booleans(),
        "hardcore": st.booleans(),
        "haunted": st.sampled_from([False, True, "choice"]),
        "no_wager": st.lists(st.integers(0, 4), max_size=2, unique=True),
    }
)
# Fields of an action above its kind: lowest bit and number of bits, by phase.
SANGOKU_FIELDS = {
    "wager": [(sangoku.FIELDS, 4), (sangoku.WAGER_REALM, 3)],
    "redeem": [(sangoku.FIELDS, 7), (sangoku.REDEEM_SOURCE, 6)],
    "collect": [
        (sangoku.FIELDS, 4),
        (sangoku.COLLECT_CARDS, 10),
        (sangoku.COLLECT_REALM, 2),
        (sangoku.COLLECT_TARGET, 3),
        (sangoku.STEAL_SEAT, 3),
        (sangoku.STEAL_REALM, 2),
        (sangoku.STEAL_TYPE, 6),
    ],
    "haunt": [(sangoku.FIELDS, 3)],
}


@EXAMPLES
@given(SANGOKU, st.integers(2, 5), st.integers(0, 10**6), st.sampled_from(["shared", "per_seat"]))
def test_sangoku_beside_its_twin(options, players, deal, draws):
    """Any legal action is played, foolish ones and arrangements out of order too; likely illegal ones are refused."""
    spec = games.spec("sangoku")
    checked = spec.options.model_validate(options)
    table = Table(spec, checked, [NOBODY] * players, 7, deal, draws)
    header = {"type": "game", "game": "sangoku", "version": TRACE_VERSION, "players": players, "seed": 7, "deal": deal}
    header |= {"draws": draws} if draws != "shared" else {}
    header |= {"strategies": ["anything"] * players, "rules": checked.model_dump(mode="json", by_alias=True)}
    slow = twin("sangoku").Game(header, {"type": "setup", **table.text.setup_line(table.state, table.rules)})
    for line in table.opening:
        slow.feed(line)
    dice, wanderer = Random(deal), Wanderer(spec, deal)
    while not table.over:
        if slow.phase == "arrange":
            legal = {code for code in _splits(dice) if _same_answer(table, slow, code)}
            legal |= set(wanderer.candidates(table))
            assert all(slow.is_legal(_spoken(table, code), int(table.state.seat)) for code in legal)
        else:
            legal = {_sangoku_code(line) for line in slow.legal(int(table.state.seat))}
            assert set(wanderer.candidates(table)) <= legal
            assert all(table.is_legal(code) for code in legal)
            assert {code for code in _nearby(slow.phase, sorted(legal), dice) if table.is_legal(code)} <= legal
        for line in table.play(dice.choice(sorted(legal))):
            slow.feed(line)
            slow.conserved()
    slow.feed(table.result())


def _splits(dice: Random) -> Iterator[int]:
    """Some ways to lay 13 cards, and some that are none."""
    for sizes in ((5, 5, 3), (5, 5, 3), (5, 5, 3), (5, 3, 5), (4, 5, 4)):
        realms = [realm for realm, size in enumerate(sizes) for _ in range(size)]
        dice.shuffle(realms)
        yield sum(realm << 2 * place for place, realm in enumerate(realms))


def _same_answer(table: Table, slow: Any, code: int) -> bool:
    legal = table.is_legal(code)
    assert legal == slow.is_legal(_spoken(table, code), int(table.state.seat))
    return legal


def _spoken(table: Table, code: int) -> dict[str, Any]:
    line = table.spec.text.action_line(table.state, code, table.state)
    return {key: value for key, value in line.items() if key != "phase"}


def _nearby(phase: str, codes: list[int], dice: Random) -> Iterator[int]:
    """Codes that differ in one field from legal ones."""
    for code in dice.sample(codes, min(len(codes), 8)):
        for lowest, bits in SANGOKU_FIELDS[phase]:
            for value in dice.sample(range(1 << bits), min(1 << bits, 12)):
                yield code & ~((1 << bits) - 1 << lowest) | value << lowest
        yield code ^ 1 << dice.randrange(63)


def _sangoku_code(line: dict[str, Any]) -> int:
    """The kernel's code of an action in trace vocabulary."""
    match line:
        case {"kind": "none"}:
            words = "none"
        case {"kind": "wager", "card": card, "realm": realm}:
            words = f"wager {card} {realm}"
        case {"kind": "redeem", "card": card, "from": source}:
            words = f"redeem {card} {source if isinstance(source, str) else '{}:{}'.format(*source)}"
        case {"kind": "haunt", "realm": realm}:
            words = f"haunt {realm}"
        case {"kind": "collect", "set": name, "cards": held, "realm": realm}:
            if name == "monkey_king":
                turned_in = ",".join(card for card in held if card != name)
            else:
                turned_in = "+".join(str(held.count(each)) for each in (name, "kitsune", "yosei"))
            words = f"collect {name} {turned_in} {realm}"
            if name == "shinigami":
                words += f" {line['target']} {'{}:{}:{}'.format(*line['steal']) if line['steal'] else '-'}"
    return sangoku.parse_action(words)


CORNERS = st.sampled_from(["LR", "L", "R", "-"])
LANDSCAPES = ["second_type", "third_card", "two_from_deck", "leap", "swap", "patron"]


@st.composite
def momiji_options(draw):
    """Any switches, prices and leaves; the deal leaves something in the deck."""
    corners = [draw(st.lists(CORNERS, min_size=2, max_size=5)) for _ in range(4)]
    each = draw(st.integers(1, 3))
    return {
        "types": [draw(st.integers(4, 6)) for _ in range(3)],
        "corners": corners,
        "hand_size": draw(st.integers(1, 6)),
        "display_size": draw(st.integers(1, 5)),
        "hand_limit": draw(st.integers(3, 8)),
        "reveal_cards": draw(st.integers(1, 4)),
        "start_acorns": draw(st.integers(0, 6) | st.lists(st.integers(0, 6), min_size=4, max_size=4)),
        "torii_limit": [each, 2 * each, 3 * each],
        "objectives": {
            "count": [draw(st.integers(0, 10)) for _ in range(3)],
            "holder": draw(st.integers(0, 12)),
            "others": draw(st.integers(0, 12)),
            "points": draw(
                st.dictionaries(
                    st.sampled_from(["type:a", "value:0", "visible_sum", "most_cards"]),
                    st.lists(st.integers(0, 20), min_size=2, max_size=2),
                )
            ),
        },
        "costs": {name: draw(st.integers(0, 3)) for name in ("activate", "patron", "reveal", "landscape")},
        "gains": {name: draw(st.integers(0, 3)) for name in ("pair", "discard_two")},
        "landscapes": {
            "list": draw(st.lists(st.sampled_from(LANDSCAPES), min_size=3, max_size=6, unique=True)),
            "assign": draw(st.sampled_from(["preset", "random", "draft", "off"])),
            "removed": draw(
                st.lists(
                    st.sampled_from([f"{n}:{name}" for n in (0, 1) for name in LANDSCAPES]), max_size=2, unique=True
                )
            ),
        },
        "rulings": {
            "refill": draw(st.sampled_from(["to_four", "when_empty"])),
            "end": draw(st.sampled_from(["at_once", "finish_round", "last_round"])),
            "new_pile": draw(st.sampled_from(["right", "either_end"])),
        },
    }


@EXAMPLES
@given(momiji_options(), st.integers(2, 4), st.integers(0, 10**6))
def test_momiji_beside_its_twin(options, players, deal):
    beside_the_twin("momiji", options, players, deal)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("assign", ["preset", "random", "draft"])
def test_momiji_as_printed_beside_its_twin(assign, players):
    for deal in range(3):
        beside_the_twin("momiji", {"landscapes": {"assign": assign}}, players, deal)
