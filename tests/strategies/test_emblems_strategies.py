"""The strategies of Emblems: legal whatever the config, true to their idea, and ranked as a designer would expect."""

from pathlib import Path

import pytest

from sim import games
from sim.engine import runner
from sim.engine.plan import make_plan
from sim.games.checks import check_strategy
from sim.games.emblems import rules
from sim.games.emblems.cards import action_text
from tests.conftest import COMPILED, entries_of
from tests.games.test_emblems_rules import mask_of, table
from tests.games.test_emblems_rules import play as play_on
from tests.strategies.players import Players

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # products that wrap around, in plain Python

SPEC = games.spec("emblems")
NAMES = ("random", "high_card", "greedy", "denier", "counter")
PLAYERS = Players("emblems")
FOUND, compiled, values_of = PLAYERS.found, PLAYERS.compiled, PLAYERS.values_of
new_game = PLAYERS.new_game
KNOBS = PLAYERS.knobs


def own_set(castle, village, port):
    lists = {"castle": castle, "village": village, "port": port}
    return {"set": "own", "sets": {"own": {name: {"3-4": rewards, "5": rewards} for name, rewards in lists.items()}}}


ODD_CONFIGS = {
    "set A": {},
    "set B": {"set": "B"},
    "set C": {"set": "C"},
    "optional effects": {"rulings": {"effects": "optional"}},
    "hidden coins": {"rulings": {"coins_visible": False}},
    "debt and nothing to start with": {"rulings": {"debt": True}, "start_coins": 0},
    "no rewards": own_set([], [], []),
    "fifteen rewards": own_set([100, -100] * 7 + [1], ["half"] * 15, [0, "per_card", "steal_each"] * 5),
    "losses only": own_set([-100] * 15, [-1, 0, -1], [0] * 15),
    "everybody draws everything": {"hand": 15, "rounds": 1, "turns": {"3": 15, "4": 15, "5": 15}},
    "hands of one": {"hand": 1, "rounds": 15, "turns": {"3": 1, "4": 1, "5": 1}, **own_set([], [5], [])},
    "blanks": {"interventions": {"blank": [f"{seat}:{value}" for seat in range(5) for value in (1, 7, 11, 13, 15)]}},
    "nobody acts": {"interventions": {"blank": [f"{seat}:{value}" for seat in range(5) for value in range(1, 16)]}},
}
HARD = ("hidden coins", "fifteen rewards", "everybody draws everything", "optional effects", "blanks")


def options_of(config):
    return SPEC.options.model_validate(ODD_CONFIGS[config])


def choice(at, name, **changes):
    """What a strategy plays on a table, in words."""
    return action_text(int(compiled(name)(*at, values_of(name, **changes))))


# --- all of them ------------------------------------------------------------------------------------------------------


def test_the_five_of_the_rules_page_are_there():
    assert set(FOUND) == set(NAMES)


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("config", ODD_CONFIGS)
def test_every_choice_is_legal(config, players):
    """Against a random player in every other seat, so that all sorts of tables come up."""
    options = options_of(config)
    for number, name in enumerate(NAMES):
        for deal in range(8 if COMPILED else 1):
            state, record = new_game(options, players, deal)
            while not rules.is_over(state):
                who = name if (int(state.seat) + number + deal) % 2 == 0 else "random"
                action = int(compiled(who)(state, record, values_of(who)))
                assert rules.is_legal(state, record, action), f"{who}: {action_text(action)}"
                rules.apply(state, record, action)


@pytest.mark.parametrize("config", HARD)
@pytest.mark.parametrize("name", NAMES)
def test_nobody_peeks_or_changes_anything_whatever_the_config(name, config):
    check_strategy(SPEC, options_of(config), entries_of("emblems", name)[0])


@pytest.mark.parametrize(("name", "knob"), KNOBS)
def test_every_knob_moves_some_choice(name, knob):
    usual = FOUND[name].params[knob]
    moved = set()
    for deal in range(25 if COMPILED else 12):
        state, record = new_game(SPEC.options(), 3, deal)
        while not rules.is_over(state):
            action = int(compiled(name)(state, record, values_of(name)))
            for other in (0.0, usual * 4):
                if int(compiled(name)(state, record, values_of(name, **{knob: other}))) != action:
                    moved.add(other)
            rules.apply(state, record, action)
    assert moved == {0.0, usual * 4}


@pytest.mark.parametrize("name", [name for name in NAMES if FOUND[name].params])
@pytest.mark.parametrize("value", [-1.0, 0.0, 999.0, 1e9, float("inf"), float("nan")])
def test_no_parameter_leads_to_an_illegal_action(name, value):
    for knob in FOUND[name].params:
        values = values_of(name, **{knob: value})
        for deal in range(2):
            state, record = new_game(SPEC.options(), 3, deal)
            while not rules.is_over(state):
                action = int(compiled(name)(state, record, values))
                assert rules.is_legal(state, record, action)
                rules.apply(state, record, action)


@pytest.mark.parametrize("name", NAMES[1:])
def test_no_seat_is_preferred_when_all_are_alike(name):
    """Courtesan and Strategist of each seat in turn, before players of whom nothing is known but the order."""
    for card, hit in ((9, "Courtesan"), (8, "Strategist")):
        for seat in range(4):
            selected = [0 if other == seat else 5 for other in range(4)]
            hands = [[1, 2]] * 4
            selected[seat] = card
            at = table(seat=seat, pawn=seat, players=4, turns=3, selected=selected, hands=hands)
            play_on(at, "place castle 0")
            assert choice(at, name).startswith(f"{hit} {(seat + 1) % 4}")


# --- random -----------------------------------------------------------------------------------------------------------


def test_random_selects_any_card_of_its_hand():
    at = table(phase="select", hands=[[1, 7, 15]])
    PLAYERS.assert_rolls(at, {f"select {name}": 1 / 3 for name in ("Hunter", "Traitor", "King")})


def test_random_places_at_any_location_and_then_in_any_gap():
    at = table("1:8 2:8", "1:9", selected=[8, 0, 0])
    castle = {f"place castle {gap}": 1 / 9 for gap in range(3)}
    PLAYERS.assert_rolls(at, {**castle, "place village 1": 1 / 3, "place port 0": 1 / 3})
    at[0].forced[0] = 0
    PLAYERS.assert_rolls(at, {text: 3 * chance for text, chance in castle.items()})


ACTS = [
    ("Thief", ("1:12 2:10", "", ""), 11, "place castle 1", {"Thief 1:12": 1 / 2, "Thief 2:10": 1 / 2}),
    ("Thief, one neighbour its own", ("0:12 2:10", "", ""), 11, "place castle 1", {"Thief 2:10": 1}),
    ("Warrior", ("0:12 2:4", "", ""), 5, "place castle 1", {"Warrior 0:12": 1 / 2, "Warrior 2:4": 1 / 2}),
    ("Hunter", ("1:12 2:4", "", ""), 1, "place castle 2", {"Hunter 1:12": 1}),
    (
        "Guard",
        ("1:13 2:10", "2:13", ""),
        12,
        "place castle 1",
        {
            **{f"Guard 1:13 village {gap}": 1 / 8 for gap in range(2)},
            "Guard 1:13 port 0": 1 / 4,
            "Guard 2:10 village 1": 1 / 4,
            "Guard 2:10 port 0": 1 / 4,
        },
    ),
    (
        "Bard",
        ("2:9", "1:9 1:3", "0:2"),
        4,
        "place castle 1",
        {"Bard 1:9 0": 1 / 6, "Bard 1:9 1": 1 / 6, "Bard 1:3 2": 1 / 3, "Bard 0:2 2": 1 / 3},
    ),
    (
        "Bard between the rows",
        ("1:9", "", "2:7"),
        4,
        "place village 0",
        {"Bard 1:9 0": 1 / 2, "Bard 2:7 0": 1 / 2},
    ),
    (
        "Alchemist",
        ("1:11 2:5", "", ""),
        10,
        "place castle 1",
        {"Thief 1:11": 1 / 4, "Thief 2:5": 1 / 4, "Warrior 1:11": 1 / 4, "Warrior 2:5": 1 / 4},
    ),
    ("Alchemist beside nothing to copy", ("1:15 2:7", "", ""), 10, "place castle 1", {"no effect": 1}),
    ("Bard alone", ("1:9", "", ""), 4, "place castle 1", {"no effect": 1}),
]


@pytest.mark.parametrize(("rows", "card", "placing", "chances"), [pytest.param(*act[1:], id=act[0]) for act in ACTS])
@pytest.mark.parametrize("optional", [0, 1])
def test_random_acts_whenever_it_can_on_anybody(rows, card, placing, chances, optional):
    at = table(*rows, selected=[card, 0, 0], optional=optional)
    play_on(at, placing)
    PLAYERS.assert_rolls(at, chances)


def test_random_hits_any_player_who_has_not_revealed_yet():
    at = table(selected=[9, 5, 6], hands=[[], [1], [2]])
    play_on(at, "place castle 0")
    PLAYERS.assert_rolls(at, {"Courtesan 1": 1 / 2, "Courtesan 2": 1 / 2})
    at = table(selected=[8, 5, 6])
    play_on(at, "place castle 0")
    places = ("castle", "village", "port")
    PLAYERS.assert_rolls(at, {f"Strategist {seat} {place}": 1 / 6 for seat in (1, 2) for place in places})


# --- high card --------------------------------------------------------------------------------------------------------


def test_high_card_selects_its_highest_card():
    assert choice(table(phase="select", hands=[[3, 12, 7]]), "high_card") == "select Guard"


def test_high_card_takes_the_best_reward_that_is_open():
    assert choice(table(selected=[9, 0, 0]), "high_card") == "place port 0"  # 5, before 4 and 3
    assert choice(table("", "", "1:10", selected=[9, 0, 0]), "high_card") == "place castle 0"
    assert (
        choice(table("1:10", "", "1:10", selected=[9, 0, 0]), "high_card") == "place castle 1"
    )  # 3, as in the Village
    lists = ([4], ["half"], [2])
    assert choice(table(selected=[15, 0, 0], lists=lists), "high_card") == "place village 0"
    assert choice(table(selected=[3, 0, 0], lists=lists), "high_card") == "place castle 0"


def test_high_card_hits_others_before_itself_and_the_high_before_the_low():
    for row, victim in (("1:12 2:4", "1:12"), ("0:12 2:4", "2:4"), ("0:12 0:4", "0:12")):
        at = table(row, selected=[5, 0, 0])
        play_on(at, "place castle 1")
        assert choice(at, "high_card") == f"Warrior {victim}"
    at = table("1:13", selected=[12, 0, 0])
    play_on(at, "place castle 1")
    assert choice(at, "high_card") == "Guard 1:13 village 0"  # 3 coins there, 5 at the Port


# --- greedy -----------------------------------------------------------------------------------------------------------


def last_to_place(*rows, card, **more):
    """The last placement of a round, so that everything is as it will be paid."""
    at = table(*rows, selected=[card, 0, 0], pawn=1, **more)
    at[0].turn = 3
    return at


def test_greedy_takes_the_rank_that_pays_most():
    assert choice(last_to_place("2:12", "", "1:10", card=13), "greedy") == "place port 0"
    assert choice(last_to_place("2:12", "1:9", "1:15", card=13), "greedy") == "place castle 0"
    assert choice(last_to_place("2:15 1:14", "", "1:15", card=13), "greedy") == "place village 0"


def test_greedy_expects_higher_cards_still_to_come():
    """An 8 would be first at the Castle; but three turns are still to come, and there the fall is deep."""
    lists = ([5, 0], [3, 3, 3, 3], [])
    at = table(selected=[8, 0, 0], lists=lists)
    assert choice(at, "greedy") == "place village 0"
    assert choice(at, "greedy", crowd=0) == "place castle 0"


FLAT = ([2, 2, 2, 2], [2, 2, 2, 2], [2, 2, 2, 2])


@pytest.mark.parametrize(
    ("card", "rows", "placing"),
    [
        (15, ("1:11", "1:12", ""), "place village 0"),  # the King flees from a Thief
        (14, ("1:4", "0:9 0:5", ""), "place village 0"),  # the Princess pays for own cards
        (11, ("0:12", "", "1:9"), "place port 0"),  # the Thief needs a neighbour to rob
        (10, ("1:9", "1:12", "1:11"), "place port 1"),  # the Alchemist needs one to copy
        (6, ("1:9", "1:5 1:4", ""), "place village 0"),  # the Merchant counts low cards
        (3, ("0:9", "0:8", "1:9"), "place port 1"),  # the Spy is alone
        (2, ("", "", "1:9"), "place port 1"),  # the Sailor is paid twice
        (9, ("", "1:14", ""), "place village 1"),  # a Princess pays everybody
    ],
)
def test_greedy_sees_what_a_character_earns(card, rows, placing):
    assert choice(last_to_place(*rows, card=card, lists=FLAT), "greedy") == placing


def test_greedy_turns_the_ranking_round_where_that_pays():
    assert choice(last_to_place("1:15 1:12 1:9", "1:12 2:12", "1:10 2:10", card=7), "greedy") == "place port 2"
    # A Witch at the Port: there the Traitor would be third after all, and lose.
    assert choice(last_to_place("1:15 1:12 1:9", "1:12 2:12", "1:13 2:10", card=7), "greedy") == "place castle 3"


def test_greedy_aims_where_it_gains_most():
    at = table("1:12 2:4", selected=[5, 0, 0])
    play_on(at, "place castle 1")
    assert choice(at, "greedy") == "Warrior 1:12"  # moves it up
    at = table("1:9 2:9", "", "", selected=[11, 0, 0], coins=[3, 1, 9])
    play_on(at, "place castle 0")
    assert choice(at, "greedy") == "Thief 1:9"
    at = table("1:12 2:9", "", "", selected=[11, 0, 0], coins=[3, 1, 9])
    play_on(at, "place castle 1")
    assert choice(at, "greedy") == "Thief 2:9"  # the other one has but one coin


def test_greedy_declines_what_harms_it_where_it_may():
    for optional, told in ((0, "Warrior 0:12"), (1, "no effect")):
        at = table("0:12", selected=[5, 0, 0], optional=optional)
        play_on(at, "place castle 1")
        assert choice(at, "greedy") == told


def test_greedy_does_not_see_its_own_cards_pushed_down():
    """What its weakness says, and what the others do better."""
    at = last_to_place("", "", "0:13", lists=([3], [], [4, -6]), card=14)
    assert choice(at, "greedy") == "place port 0"
    assert choice(at, "denier") == choice(at, "counter") == "place castle 0"


# --- denier -----------------------------------------------------------------------------------------------------------


def test_denier_robs_the_leader():
    at = table("1:12 2:9", "", "", selected=[11, 0, 0], coins=[3, 5, 9])
    play_on(at, "place castle 1")
    assert choice(at, "greedy") == "Thief 1:12"
    assert choice(at, "denier") == "Thief 2:9"
    assert choice(at, "denier", spite=0) == "Thief 1:12"


def test_denier_pushes_the_leader_out_of_the_rewards():
    """A coin less for itself, three less for the leader."""
    lists = ([4, 0], [4, 0], [3, 0])
    at = last_to_place("", "", "2:9", card=13, lists=lists, coins=[3, 5, 9])
    assert choice(at, "greedy") == "place castle 0"
    assert choice(at, "denier") == "place port 0"
    at = last_to_place("", "", "2:9", card=13, lists=lists, coins=[3, 9, 5])
    assert choice(at, "denier") == "place castle 0"


def test_denier_takes_the_next_to_its_left_among_equals():
    for seat in range(4):
        at = table(seat=seat, pawn=seat, players=4, turns=3, selected=[9] * 4, hands=[[1]] * 4, coins=[5] * 4)
        play_on(at, "place castle 0")
        assert choice(at, "denier") == f"Courtesan {(seat + 1) % 4}"


# --- counter ----------------------------------------------------------------------------------------------------------


def test_counter_knows_what_can_still_come():
    """Much for the first card of the Castle, a little for each at the Village; and a 12 to place early in a round."""
    lists = ([6, 0, 0], [4, 4, 4, 4, 4], [])
    at = table(selected=[12, 0, 0], hands=[[1]], lists=lists)
    assert choice(at, "greedy") == choice(at, "counter") == "place village 0"
    for other in (1, 2):  # all that could beat it has been seen
        at[0].placed[2][other] = mask_of([12, 13, 14, 15])
    assert choice(at, "greedy") == "place village 0"
    assert choice(at, "counter") == "place castle 0"


def test_counter_saves_a_card_that_nobody_can_beat_until_the_last_turn():
    at = table("1:10 2:8", "1:14 2:9", "1:15 2:15", phase="select", hands=[[15, 6]], lists=([3, 2, 2], [2, 2, 2], []))
    assert choice(at, "greedy") == "select King"
    assert choice(at, "counter") == "select Merchant"
    assert choice(at, "counter", thrift=0) == "select King"
    at[0].turn, at[0].rounds = 11, 2
    assert choice(at, "counter") == "select King"


def test_counter_minds_every_opponent():
    lists = ([4, 0], [4, 0], [3, 0])
    at = last_to_place("", "", "1:9", card=13, lists=lists, coins=[3, 5, 9])
    assert choice(at, "denier") == "place castle 0"
    assert choice(at, "counter", envy=0.5) == "place port 0"


# --- who wins ---------------------------------------------------------------------------------------------------------


def played(names, lineups, games_in_all, **options):
    """Play in memory: for each line-up its players, members and rows."""
    entries = entries_of("emblems", *names)
    plan = make_plan(seed=3, draws="shared", games=games_in_all, players=(3, 4, 5), lineups=lineups, entries=entries)
    job = runner.Job("emblems", SPEC.options(**options), plan, Path())
    for shard in plan.shards(games_in_all):
        rows, _, pieces = runner.play_pieces(job, shard)
        for piece, part in pieces:
            yield shard.players, piece.cell.lineup.members, rows[part]


def wins(rows, players, strategy):
    """Win share of a strategy, with 1 for an even share."""
    held = rows.strategy[:, :players] == strategy
    return players * rows.share[:, :players][held].mean() / 60


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["A", "B", "C"])
def test_at_mixed_tables_random_comes_last_by_far_and_counter_first(name):
    for players, _, rows in played(NAMES, ["field"], 24_000, set=name):
        found = {each: wins(rows, players, number) for number, each in enumerate(NAMES)}
        assert sorted(found, key=found.get)[:2] == ["random", "high_card"], found
        assert found["random"] < 0.4
        assert max(found, key=found.get) == "counter", found
        assert found["counter"] > 1.4
        assert found["greedy"] > 1.05


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["A", "B", "C"])
@pytest.mark.parametrize("best", ["greedy", "counter"])
def test_whoever_thinks_beats_random_by_far(best, name):
    for players, members, rows in played((best, "random"), ["one_vs_rest"], 6_000, set=name):
        if members[0] == 0:
            assert wins(rows, players, 0) > 2.2  # alone among random players
        else:
            assert wins(rows, players, 1) < 0.3  # random alone among thinkers
