"""The random player of Sangoku is the reference one: every choice as likely as it says."""

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from sim import games
from sim.engine import play
from sim.engine.trace import Table
from sim.games.sangoku import rules
from sim.games.sangoku.cards import action_text, parse_action
from tests.conftest import entries_of
from tests.games.test_sangoku_rules import LOW, STRONG, WEAK, collecting, game, give, hold, reveal, set_tokens
from tests.naive import sangoku as twin

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # products that wrap around, in plain Python

SPEC = games.spec("sangoku")
RANDOM = entries_of("sangoku", "random")[0]
DRAWS = 3000


@cache
def chooser() -> Any:
    return play.compile_strategy(SPEC, RANDOM.strategy.choose)


def choices(table: Table) -> Counter[str]:
    """What it does in the same place with many different dice."""
    params = np.zeros(8)
    found: Counter[str] = Counter()
    for number in range(DRAWS):
        table.state.policy[int(table.state.seat)] = np.uint64(number * 7919 + 1)
        found[action_text(chooser()(table.state, table.rules, params))] += 1
    return found


def assert_equally_likely(found: Counter[str], expected: dict[str, float]) -> None:
    assert set(found) == set(expected)
    for action, chance in expected.items():
        slack = 5 * (DRAWS * chance * (1 - chance)) ** 0.5
        assert abs(found[action] - DRAWS * chance) <= slack, action


def test_half_of_the_wagers_are_none():
    table = game(2)
    give(table, STRONG, WEAK)
    table.state.phase = rules.WAGER
    hold(table, 0, "yosei", "raijin", "raijin")
    expected = {"none": 1 / 2}
    for realm in ("heavens", "earth", "hells"):
        expected |= {f"wager yosei {realm}": 1 / 18, f"wager raijin {realm}": 2 / 18}
    assert_equally_likely(choices(table), expected)
    hold(table, 0)
    assert choices(table) == {"none": DRAWS}


def test_any_card_that_can_be_redeemed_from_anywhere():
    table = game(3)
    set_tokens(table, 1, 0, "fire-dog")
    set_tokens(table, 2, 2, "fire-dog")
    set_tokens(table, 2, 1, "earth-oni")
    reveal(table, STRONG, WEAK, LOW)  # fire-8, metal-8 and earth-3 win the Hells
    expected = {
        "redeem fire-8 1:heavens": 1 / 6,
        "redeem fire-8 2:hells": 1 / 6,
        "redeem metal-8 pool": 1 / 3,
        "redeem earth-3 2:earth": 1 / 3,
    }
    assert_equally_likely(choices(table), expected)


def test_any_set_the_largest_of_its_kind_without_helpers():
    table = collecting(3)
    set_tokens(table, 1, 1, "fire-dog")
    set_tokens(table, 2, 2, "wood-dog")
    hold(table, 0, *["onibi"] * 5, "raijin", "raijin", "kitsune", "yosei", *["shinigami"] * 2, *["hachiman"] * 3)
    expected = {"collect hachiman 3+0+0 earth": 1 / 3}
    for realm in ("heavens", "earth", "hells"):
        expected[f"collect onibi 4+0+0 {realm}"] = 1 / 9
        for target in (1, 2):
            for stolen in ("1:earth:fire-dog", "2:hells:wood-dog"):
                expected[f"collect shinigami 2+0+0 {realm} {target} {stolen}"] = 1 / 36
    assert_equally_likely(choices(table), expected)


def test_the_monkey_king_takes_every_other_kind():
    table = collecting(3)
    hold(table, 0, "monkey_king", "monkey_king")
    assert choices(table) == {"none": DRAWS}
    hold(table, 0, "monkey_king", "yosei", "yosei", "kitsune")
    expected = {f"collect monkey_king kitsune,yosei {realm}": 1 / 3 for realm in ("heavens", "earth", "hells")}
    assert_equally_likely(choices(table), expected)


def test_a_ghost_is_let_into_any_realm_not_yet_lost():
    table = collecting(3, haunted="choice")
    table.state.phase = rules.HAUNT
    table.state.fallen[0] = 0b010
    assert_equally_likely(choices(table), {"haunt heavens": 1 / 2, "haunt hells": 1 / 2})


def test_arrangements_are_in_order_and_every_card_may_lie_anywhere():
    table = game(2)
    give(table, LOW, WEAK)
    found = choices(table)
    realms = np.array([[int(realm) for realm in text.split()[1]] for text in found.elements()])
    assert len(found) > DRAWS / 2
    assert all((realms == realm).any(axis=0).all() for realm in range(3))
    for action in list(found)[:50]:
        assert rules.is_in_order(table.state, table.rules, 0, parse_action(action))


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 4])
def test_games_end_like_those_of_the_twins_random_player(players):
    """Rounds and defence left, on average."""
    ours = np.array([_end(_our_game(players, deal)) for deal in range(600)])
    theirs = np.array([_end(list(twin.play_random(players, {}, seed))[-1]) for seed in range(120)])
    spread = (ours.var(axis=0) / len(ours) + theirs.var(axis=0) / len(theirs)) ** 0.5
    assert (abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 4 * spread).all()


def _end(line: dict[str, Any]) -> tuple[int, int]:
    return line["rounds"], sum(line["scores"])


def _our_game(players: int, deal: int) -> dict[str, Any]:
    table = Table(SPEC, SPEC.options(), [RANDOM] * players, 3, deal)
    while not table.over:
        table.apply(table.choose())
    return table.result()
