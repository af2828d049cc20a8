"""The strategies of Sangoku: legal whatever the config, true to their idea, ranked as expected, and never stalling."""

from itertools import combinations

import numpy as np
import pytest

from sim import games
from sim.engine import play
from sim.games.checks import check_strategy
from sim.games.sangoku import rules
from sim.games.sangoku.arrange import chance
from sim.games.sangoku.cards import EARTH, HEAVENS, HELLS, action_text, parse_action
from sim.games.sangoku.chances import CHANCES
from sim.games.sangoku.hands import BRIDGE, pack, strength3, strength5
from tests.conftest import COMPILED, entries_of
from tests.games.test_sangoku_rules import IN_ORDER, LOW, STRONG, WEAK, collecting, game, give, hold, reveal, set_tokens
from tests.games.test_sangoku_rules import play as play_out
from tests.strategies.players import Players

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # the generator's products, in plain Python

SPEC = games.spec("sangoku")
NAMES = ("random", "strongest_first", "balanced", "recruiter", "collector")
THINKING = NAMES[1:]
PLAYERS = Players("sangoku")
FOUND, compiled, values_of = PLAYERS.found, PLAYERS.compiled, PLAYERS.values_of
new_game = PLAYERS.new_game
KNOBS = PLAYERS.knobs

ODD_CONFIGS = {
    "default": {},
    "all variants": {"hardcore": True, "haunted": True, "back_from_the_brink": True},
    "haunted by choice": {"haunted": "choice", "illegal_hand": "forbid"},
    "no special cards": {"bridges": 0, "wilds": 0, "wheel": False},
    "many special cards": {"bridges": 10, "wilds": 10, "bridge_suited": True},
    "everything redeems": {"ten_draws_legend": True, "bridge_redeems": "orochi", "wild_redeems": "genbu"},
    "no Legend cards": {"start_legends": 0, "no_wager": [0, 1, 2, 3, 4]},
    "many Legend cards": {"start_legends": 9},
    "small sets": {"size": {"raijin": 1, "hachiman": 2, "genbu": 1, "orochi": 2, "shinigami": 1}},
    "thin lines": {"defence": [1, 2, 3], "purple_line": 0},
    "beyond the line from the start": {"defence": [4, 12, 12], "purple_line": 4, "purple_power": 5},
}


def options_of(config: str):
    return SPEC.options.model_validate(ODD_CONFIGS[config])


def choice(table, name: str, **changes: float) -> str:
    """What a strategy plays at a table, in words."""
    action = int(compiled(name)(table.state, table.rules, values_of(name, **changes)))
    assert table.is_legal(action), action_text(action)
    return action_text(action)


# --- all of them ------------------------------------------------------------------------------------------------------


def test_the_five_of_the_rules_page_are_there():
    assert set(FOUND) == set(NAMES)


@pytest.mark.parametrize("players", range(2, 6))
@pytest.mark.parametrize("config", ODD_CONFIGS)
def test_every_choice_is_legal(config, players):
    """Against a random player in every other seat, so that all sorts of tables come up."""
    options = options_of(config)
    for number, name in enumerate(THINKING):
        for deal in range(3 if COMPILED else 1):
            state, record = new_game(options, players, deal, own_orders=deal == 1)
            while not rules.is_over(state):
                who = name if (int(state.seat) + number + deal) % 2 == 0 else "random"
                action = int(compiled(who)(state, record, values_of(who)))
                assert rules.is_legal(state, record, action), f"{who}: {action_text(action)}"
                if state.phase == rules.ARRANGE:
                    assert rules.is_in_order(state, record, int(state.seat), action)
                rules.apply(state, record, action)


@pytest.mark.compiled
@pytest.mark.parametrize("config", ["all variants", "haunted by choice", "everything redeems"])
@pytest.mark.parametrize("name", THINKING)
def test_nobody_peeks_or_changes_anything_whatever_the_config(name, config):
    check_strategy(SPEC, options_of(config), entries_of("sangoku", name)[0])


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "knob"), KNOBS)
def test_every_knob_moves_some_choice(name, knob):
    usual = FOUND[name].params[knob]
    other = {"exact": 1.0, "patience": 1.6, "hoard": 3.0}.get(knob, 0.0)
    moved = 0
    for deal in range(10):
        state, record = new_game(SPEC.options(), 3, deal)
        while not rules.is_over(state):
            action = int(compiled(name)(state, record, values_of(name)))
            moved += int(compiled(name)(state, record, values_of(name, **{knob: other}))) != action
            rules.apply(state, record, action)
    assert moved > 0 and other != usual


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "knob"), KNOBS)
@pytest.mark.parametrize("value", [-1.0, 0.0, 1e9, float("inf"), float("nan")])
def test_no_parameter_leads_to_an_illegal_action(name, knob, value):
    state, record = new_game(SPEC.options(), 3, 0)
    while not rules.is_over(state):
        action = int(compiled(name)(state, record, values_of(name, **{knob: value})))
        assert rules.is_legal(state, record, action)
        if state.rounds >= 15:  # whoever never turns in a set may take long
            break
        rules.apply(state, record, action)


# --- arranging --------------------------------------------------------------------------------------------------------


def laid(action: int, cards) -> list[np.ndarray]:
    """The three hands of an arrangement."""
    return [cards[[i for i in range(13) if action >> 2 * i & 3 == realm]] for realm in range(3)]


def arrangements(name: str, deals: int, players: int = 4, **changes: float):
    """Hands that a strategy lays in some first rounds, and what it was dealt."""
    for deal in range(deals):
        state, record = new_game(SPEC.options(), players, deal)
        action = int(compiled(name)(state, record, values_of(name, **changes)))
        cards = np.array(state.hand[int(state.seat)])
        yield laid(action, cards), cards


def summed_chances(hands, players: int = 4) -> float:
    heavens, earth, hells = (pack(hand) for hand in hands)
    strengths = strength5(heavens, 0, 1), strength5(earth, 0, 1), strength3(hells)
    return sum(float(chance(CHANCES[players - 2, realm], strengths[realm])) for realm in range(3))


@pytest.mark.compiled
def test_strongest_first_lays_the_strongest_hand_of_all_in_the_heavens():
    deals = strongest = 0
    for hands, cards in arrangements("strongest_first", 60):
        best = max(strength5(pack(cards[list(five)]), 0, 1) for five in combinations(range(13), 5))
        strongest += strength5(pack(hands[HEAVENS]), 0, 1) >> 13 == best >> 13
        deals += 1
    assert strongest > 0.9 * deals


@pytest.mark.compiled
def test_balanced_has_the_best_chances_and_the_exact_arranger_better_ones():
    sums = {}
    for name, changes in (("strongest_first", {}), ("recruiter", {}), ("balanced", {}), ("balanced", {"exact": 1.0})):
        sums[name, bool(changes)] = sum(summed_chances(hands) for hands, _ in arrangements(name, 300, **changes))
    assert sums["balanced", True] > sums["balanced", False] > 1.02 * sums["recruiter", False]
    assert sums["balanced", False] > 1.2 * sums["strongest_first", False]


@pytest.mark.compiled
def test_recruiter_wins_with_lower_cards():
    """What the best token of each hand would be worth, counted by the chance to win there."""
    power = np.array([4, 3, 3, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0])

    def tokens(hands) -> float:
        total = 0.0
        for realm, hand in enumerate(hands):
            strength = strength3(pack(hand)) if realm == HELLS else strength5(pack(hand), 0, 1)
            best = max((power[kind % 13] for kind in hand if kind < BRIDGE), default=0)
            total += float(chance(CHANCES[2, realm], strength)) * best
        return total

    found = {name: sum(tokens(h) for h, _ in arrangements(name, 300)) for name in ("balanced", "recruiter")}
    assert found["recruiter"] > 1.15 * found["balanced"]


@pytest.mark.compiled
def test_collector_lays_weak_hands_while_a_set_lacks_one_card():
    chances = {}
    for legends in (("raijin", "raijin"), ("raijin",), ("raijin", "raijin", "raijin"), ("onibi", "onibi", "onibi")):
        sums = []
        for deal in range(40):
            table = game(4, deal)
            hold(table, 0, *legends)
            cards = np.array(table.state.hand[0])
            action = parse_action(choice(table, "collector"))
            assert rules.is_in_order(table.state, table.rules, 0, action)
            sums.append(summed_chances(laid(action, cards)))
        chances[legends] = np.mean(sums)
    assert chances["raijin", "raijin"] < 0.3
    assert min(each for legends, each in chances.items() if legends != ("raijin", "raijin")) > 0.5


# --- wagers, redemptions, sets ----------------------------------------------------------------------------------------


def wagering(hand: str, *legends: str):
    """A table at which seat 0 has laid this hand and may wager."""
    table = game(3)
    give(table, hand, LOW, LOW)
    play_out(table, *[IN_ORDER] * 3)
    hold(table, 0, *legends)
    return table


@pytest.mark.parametrize("name", THINKING)
def test_wagers_the_card_to_spare_where_it_will_win(name):
    assert choice(wagering(STRONG, "onibi", "raijin", "onibi"), name) == "wager raijin heavens"
    assert choice(wagering(STRONG, "kitsune", "fuujin", "fuujin"), name) == "wager fuujin heavens"
    assert choice(wagering(STRONG, "yosei"), name) == "wager yosei heavens"
    assert choice(wagering(STRONG), name) == "none"
    assert choice(wagering(WEAK, "onibi", "raijin"), name) == "none"
    assert choice(wagering(STRONG, "onibi"), name, nerve=1.01) == "none"


@pytest.mark.parametrize("name", THINKING)
def test_redeems_the_strongest_token_and_best_one_of_an_opponent(name):
    def hells_won(*lying):
        table = game(3)
        for seat, realm, token in lying:
            set_tokens(table, seat, realm, token)
        reveal(table, STRONG, WEAK, LOW)  # the Hells are won with 8 8 3
        return table

    assert choice(hells_won(), name) == "redeem earth-3 pool"
    assert choice(hells_won((1, EARTH, "earth-oni")), name) == "redeem earth-3 1:earth"
    assert choice(hells_won((0, HELLS, "earth-oni")), name) == "redeem fire-8 pool"
    both = [(1, HEAVENS, "metal-dog"), (0, EARTH, "metal-dog"), (0, HELLS, "earth-oni")]
    assert choice(hells_won(*both), name) == "redeem metal-8 1:heavens"
    # A token with which it strikes somewhere already stays; one that is useless there is moved.
    table = hells_won((0, EARTH, "earth-oni"))
    assert choice(table, name) == "redeem fire-8 pool"
    table.state.defence[1:3, EARTH] = 0
    assert choice(table, name) == "redeem earth-3 0:earth"
    table.state.defence[1:3, HELLS] = 0
    assert choice(table, name) == "none"


def test_in_the_heavens_only_the_strong_are_redeemed_beyond_the_purple_line():
    table = game(2)
    reveal(table, "fA mA eA d2 f9 dQ mQ eJ wJ d9 f8 m8 e3", WEAK)
    play_out(table, "none", "none")
    assert choice(table, "balanced") == "redeem wood-2 pool"
    table.state.defence[1, HEAVENS] = 4
    assert choice(table, "balanced") == "redeem wood-2 pool"
    table.rules.purple_power = 5
    assert choice(table, "balanced") == "none"


def collects(table, name: str, *legends: str, **changes: float) -> str:
    hold(table, 0, *legends)
    return choice(table, name, **changes)


def test_turns_in_the_set_that_costs_the_opponents_most():
    table = collecting()
    assert collects(table, "balanced") == "none"
    assert collects(table, "balanced", "onibi", "onibi", "raijin") == "collect onibi 2+0+0 heavens"
    assert collects(table, "balanced", "raijin", "kitsune", "raijin", "onibi") == "collect raijin 2+1+0 heavens"
    assert collects(table, "balanced", "hachiman", "hachiman", "yosei") == "none"
    assert collects(table, "balanced", "genbu", "genbu", "genbu", "onibi") == "collect genbu 3+0+0 heavens"
    table.state.defence[1:3, HEAVENS] = 0
    table.state.fallen[1:3] = 1 << HEAVENS
    assert collects(table, "balanced", "genbu", "genbu", "genbu", "onibi") == "collect genbu 3+0+0 earth"
    assert collects(table, "balanced", "raijin", "raijin", "raijin") == "none"
    # Where somebody falls, and no more cards than it takes.
    table.state.defence[1, HELLS] = 2
    assert collects(table, "balanced", "onibi", "onibi", "onibi") == "collect onibi 2+0+0 hells"
    assert collects(table, "balanced", "onibi", "yosei", "fuujin") == "collect onibi 1+0+1 hells"
    table.state.defence[1:3, EARTH] = 3
    table.state.defence[1, HELLS] = 12
    everything = "monkey_king", "onibi", "raijin", "yosei"
    assert collects(table, "balanced", *everything) == "collect monkey_king onibi,raijin,yosei earth"


@pytest.mark.parametrize("name", THINKING)
def test_who_does_not_watch_strikes_where_nobody_has_anything_to_lose(name):
    table = collecting()
    table.state.defence[1:3, HEAVENS] = 0
    table.state.fallen[1:3] = 1 << HEAVENS
    assert collects(table, name, *["onibi"] * 4) == "collect onibi 4+0+0 earth"
    assert collects(table, name, *["onibi"] * 4, watch=0.0) == "collect onibi 4+0+0 heavens"


@pytest.mark.parametrize("name", THINKING)
def test_who_does_not_watch_takes_a_token_from_the_pool_like_one_of_an_opponent(name):
    table = game(3)
    for seat, realm, token in ((1, HEAVENS, "metal-dog"), (0, EARTH, "metal-dog"), (0, HELLS, "earth-oni")):
        set_tokens(table, seat, realm, token)
    reveal(table, STRONG, WEAK, LOW)  # the Hells are won with 8 8 3
    assert choice(table, name) == "redeem metal-8 1:heavens"
    assert choice(table, name, watch=0.0) == "redeem fire-8 pool"


def test_a_shinigami_strikes_the_weakest_and_robs_the_strongest():
    table = collecting()
    set_tokens(table, 1, EARTH, "genbu")
    set_tokens(table, 2, HELLS, "fire-dog")
    table.state.defence[2, HELLS] = 2
    both = "shinigami", "shinigami"
    assert collects(table, "balanced", *both) == "collect shinigami 2+0+0 hells 2 1:earth:genbu"
    assert collects(table, "collector", *both) == "collect shinigami 2+0+0 hells 2 1:earth:genbu"
    table.state.pool |= table.state.tokens[1, EARTH] | table.state.tokens[2, HELLS]
    table.state.tokens[1, EARTH] = table.state.tokens[2, HELLS] = 0
    assert collects(table, "balanced", *both) == "collect shinigami 2+0+0 hells 2 -"


def test_collector_waits_for_large_sets_unless_its_hand_is_full():
    table = collecting()
    assert collects(table, "collector", "onibi", "onibi") == "none"
    assert collects(table, "collector", "raijin", "raijin", "raijin", "onibi") == "collect raijin 3+0+0 heavens"
    assert collects(table, "collector", *["onibi"] * 4) == "collect onibi 4+0+0 heavens"
    full = ["onibi", "onibi", "fuujin", "raijin", "hachiman", "genbu", "orochi", "yosei"]
    assert collects(table, "collector", *full) == "collect onibi 2+0+1 heavens"
    assert collects(table, "collector", *full, hoard=8.0) == "none"
    table.state.defence[1:3, EARTH] = 2
    assert collects(table, "collector", "onibi", "onibi") == "collect onibi 2+0+0 earth"


def test_is_haunted_where_it_has_most():
    table = game(3, haunted="choice")
    table.state.phase = rules.HAUNT
    table.state.defence[0] = [3, 9, 5]
    for name in THINKING:
        assert choice(table, name) == "haunt earth"


# --- who is stronger, and how long it takes ---------------------------------------------------------------------------


def rows_of(names: tuple[str, ...], players: int, blocks: int, members: np.ndarray | None = None, **options):
    """Games at a table: mixed ones, unless the line-up is given."""
    if members is None:
        members = play.mixed_tables(4, 0, blocks, players, len(names))
    rows, _, fault = play.kernel(SPEC).play(
        entries_of("sangoku", *names),
        play.rules_of([SPEC.fill_rules(SPEC.options.model_validate(options), players)]),
        seed=4,
        games=play.seatings(SPEC, 0, members, players),
    )
    assert fault.status == play.OK
    return rows


def shares(names: tuple[str, ...], players: int, blocks: int, members: np.ndarray | None = None) -> dict[str, float]:
    """Win share of each strategy."""
    rows = rows_of(names, players, blocks, members)
    who, share = rows.strategy[:, :players], rows.share[:, :players] / 60
    return {name: float(share[who == number].mean()) for number, name in enumerate(names)}


@pytest.mark.compiled
@pytest.mark.parametrize("players", range(2, 6))
def test_random_comes_last_and_tokens_are_what_counts(players):
    """With 2,000 deals a share's standard error is below one percentage point."""
    found = shares(NAMES, players, 2000)
    order = sorted(found, key=found.__getitem__)
    assert order[0] == "random" and found["random"] < found[order[1]] / 2
    assert order[-2:] == ["balanced", "recruiter"]
    assert found["balanced"] > found[order[-3]] + 0.05


@pytest.mark.compiled
@pytest.mark.parametrize("players", range(2, 6))
@pytest.mark.parametrize("name", THINKING)
def test_everybody_beats_random(name, players):
    """One among random players wins far more than its part; one random player among them hardly ever."""
    one_of_a = np.ones((800, players), np.int16)
    one_of_a[:, 0] = 0
    assert shares((name, "random"), players, 800, one_of_a)[name] > min(1.8 / players, 0.75)
    assert shares(("random", name), players, 800, one_of_a)["random"] < 0.4 / players


@pytest.mark.compiled
@pytest.mark.parametrize("players", range(2, 6))
def test_hardly_any_game_is_stopped_by_the_cap(players):
    for names in [(name,) for name in NAMES] + [NAMES]:
        rows = rows_of(names, players, 400)
        assert (rows.reason == rules.CAPPED).mean() < 0.001
        assert rows.rounds.mean() < 15
