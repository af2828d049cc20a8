"""The strategies of busho: legal whatever the config, true to their idea, and ranked as a designer would expect."""

from collections import Counter

import numpy as np
import pytest

from sim import games
from sim.engine import play
from sim.games.busho import rules
from sim.games.busho.cards import GRABBING, RETURN
from sim.games.checks import check_strategy
from strategies.busho.outs import fill_outs
from strategies.busho.stingy import danger, pressure
from tests.conftest import entries_of
from tests.games.test_busho_rules import EDITS, TEXT, kind, new_game, table
from tests.strategies.players import Players

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # the generator's products, in plain Python

SPEC = games.spec("busho")
NAMES = ("random", "greedy", "outs", "stingy", "crest_minimiser")
PLAYERS = Players("busho")
FOUND, compiled, values_of = PLAYERS.found, PLAYERS.compiled, PLAYERS.values_of

ODD_CONFIGS = {
    "default": {},
    "hidden": {"variant": "hidden", "grab_priority": "random"},
    "small hands": {"hand_size": 3, "sets_per_turn": 5, "grab_priority": [1, 2, 3, 4]},
    "large hands": {"hand_size": 27, "sets_per_turn": 3, "crests": "general"},
    "large hidden hands": {"hand_size": 18, "variant": "hidden"},
    "few generals": EDITS["few generals"],
    "three copies": EDITS["three copies"],
}


def choice(at, name: str, **changes: float) -> str:
    """What a strategy plays on a table, in words."""
    return TEXT.action_text(int(compiled(name)(*at, values_of(name, **changes))))


# --- all of them ------------------------------------------------------------------------------------------------------


def test_the_five_are_there():
    assert set(FOUND) == set(NAMES)


@pytest.mark.parametrize("config", ODD_CONFIGS)
@pytest.mark.parametrize("name", NAMES)
def test_every_choice_is_legal(config, name):
    options = SPEC.options.model_validate(ODD_CONFIGS[config])
    values = values_of(name)
    for players in SPEC.players:
        for deal in range(2):
            record = SPEC.fill_rules(options, players, deal % 2 == 1)
            state, _ = new_game(players, deal, record=record)
            rules.follow(state, record)
            while not rules.is_over(state):
                action = int(compiled(name)(state, record, values))
                assert rules.is_legal(state, record, action)
                rules.apply(state, record, action)


@pytest.mark.parametrize("entry", entries_of("busho"), ids=lambda entry: entry.label)
def test_nobody_peeks_in_the_hidden_variant(entry):
    check_strategy(SPEC, SPEC.options.model_validate({"variant": "hidden", "grab_priority": "random"}), entry)


@pytest.mark.parametrize("name", NAMES[1:])
@pytest.mark.parametrize("value", [-1.0, 0.0, 1e9, float("inf"), float("nan")])
def test_no_parameter_leads_to_an_illegal_action(name, value):
    for knob in FOUND[name].params:
        values = values_of(name, **{knob: value})
        state, record = new_game(3)
        rules.follow(state, record)
        with np.errstate(all="ignore"):
            while not rules.is_over(state):
                action = int(compiled(name)(state, record, values))
                assert rules.is_legal(state, record, action)
                rules.apply(state, record, action)


# --- random -----------------------------------------------------------------------------------------------------------


def rolls(at, times=6000) -> Counter:
    """What the random player does on one table with its dice of many decisions."""
    state, record = at
    state.policy[:] = 12345
    found = Counter()
    for decision in range(times):
        state.decision = decision
        found[TEXT.action_text(int(compiled("random")(state, record, values_of("random"))))] += 1
    return found


def assert_uniform(found: Counter, names: set[str]) -> None:
    """Every count within 4.5 standard deviations; the seed is fixed."""
    assert set(found) == names
    total, part = found.total(), 1 / len(names)
    assert all(abs(count - total * part) < 4.5 * (total * part * (1 - part)) ** 0.5 for count in found.values())


def test_random_is_the_reference_player_of_the_rules_page():
    at = table(["武田 信 玄 勝 頼 織田 長 柴田", "石田 三 成"])
    assert_uniform(rolls(at), {"show 武田信玄", "show 武田勝頼", "show 織田信長"})
    at = table(["武田 信 信 柴田", "石田 三 成"], phase=RETURN)
    copies = {"family/武田#0", "first/信#0", "first/信#1", "family/柴田#0"}
    assert_uniform(rolls(at), {f"discard {card}" for card in copies})
    at = table(["柴田 三", "武田 玄 織田 長 忠"], pile=["信"], deck=["虎"], discarder=0)
    assert int(at[0].phase) == GRABBING
    assert_uniform(rolls(at), {"grab 武田信玄", "grab 織田信長", "grab 織田信忠"})


# --- greedy -----------------------------------------------------------------------------------------------------------


def test_greedy_keeps_pairs_and_cards_of_many_names():
    """武田 and 信 go together; 雲 fits one name, and nothing of it is in hand."""
    at = table(["武田 信 雲 秀", "石田 三 成"])
    assert choice(at, "greedy") == "discard first/雲#0"


def test_greedy_knows_dead_names():
    """With 玄 gone and 勝 gone 武田 spells nothing any more."""
    at = table(["武田 信 徳川 秀", "石田 三 成"], pile=["玄", "勝"])
    assert choice(at, "greedy") == "discard family/武田#0"
    at = table(["武田 信 雲 秀", "石田 三 成"], pile=["勝"])
    assert choice(at, "greedy") == "discard first/雲#0"


def test_greedy_shows_with_the_cards_that_count_least():
    """武田信玄 takes 信 away from 織田, 武田勝頼 does not."""
    at = table(["武田 信 玄 勝 頼 織田 忠", "石田 三 成"])
    assert choice(at, "greedy") == "show 武田勝頼"


@pytest.mark.parametrize("name", NAMES[1:])
def test_whatever_can_be_shown_or_grabbed_is(name):
    assert choice(table(["武田 信 玄 柴田", "石田 三 成"]), name) == "show 武田信玄"
    at = table(["柴田 三", "武田 信 道"], pile=["玄"], deck=["虎"], discarder=0)
    assert choice(at, name) == "grab 武田信玄"


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_complete_name_in_hand_is_kept_where_it_is_not_shown(name):
    at = table(["武田 信 玄 雲", "石田 三 成"], deck=["虎", "高"], variant="hidden")
    assert choice(at, name) == "discard first/雲#0"


# --- outs, stingy, crest minimiser ------------------------------------------------------------------------------------


def worth(at, name: str, reach: float = 0.5, second: float = 0.2) -> float:
    """What outs thinks a card in the first player's hand is worth."""
    value = np.full(len(TEXT.kinds), np.nan)
    fill_outs(*at, reach, second, value)
    return float(value[kind(name)])


def test_outs_counts_the_copies_still_unseen():
    """玄 waits for 信, of which there are two; half the deck comes, and 4 of 6 unseen cards lie in it."""
    hands, deck = ["武田 玄", "石田 三"], ["高", "虎", "一", "益"]
    luck = 0.5 * 4 / 6
    assert worth(table(hands, deck=deck), "玄") == pytest.approx(1 - (1 - luck) ** 2)
    assert worth(table(hands, deck=deck, pile=["信"]), "玄") == pytest.approx(luck)
    assert worth(table(hands, deck=deck, pile=["信", "信"]), "玄") == 0
    assert worth(table(["武田 玄 信", "石田 三"], deck=deck), "玄") == pytest.approx(100)


def test_outs_counts_a_name_that_lacks_two_cards_for_less():
    at = table(["玄", "石田 三"], deck=["高", "虎", "一", "益"])
    luck = 0.5 * 4 / 6
    both = luck * (1 - (1 - luck) ** 2)
    assert worth(at, "玄", second=1.0) == pytest.approx(both)
    assert worth(at, "玄", second=0.2) == pytest.approx(0.2 * both)


def test_outs_keeps_the_pair_that_is_likelier_to_be_completed():
    """立花 and 宗 wait for 茂, which is gone; 武田 and 玄 for one of two 信."""
    at = table(["立花 茂 武田 玄", "石田 三 成"], deck=["高", "虎", "一", "益"], pile=["宗"])
    assert choice(at, "outs") in ("discard family/立花#0", "discard first/茂#0")


def test_stingy_fears_names_that_others_could_complete():
    record = SPEC.fill_rules(SPEC.options(), 3)
    hands = ["秀 茂", "石田 三 成", "大友 道 麟"]
    fear = [int(danger(table(hands, deck=["高", "虎"])[0], record, 0, kind(name))) for name in ("茂", "秀")]
    assert fear[0] == 1 < fear[1]
    assert danger(table(hands, deck=["高", "虎"], pile=["立花"])[0], record, 0, kind("茂")) == 0
    assert danger(table(["秀 茂 立花", *hands[1:]], deck=["高", "虎"])[0], record, 0, kind("茂")) == 0


def test_stingy_fears_small_hands_most():
    hands = ["秀 茂", "石田 三 成", "大友 道 麟"]
    assert pressure(table(hands)[0]) == pytest.approx((1 / 3 + 1 / 3) / 4)
    assert pressure(table([hands[0], "石田", hands[2]])[0]) == pytest.approx((1 + 1 / 3) / 4)
    assert pressure(table(hands[:2])[0]) == pytest.approx(1 / 3)


def test_stingy_does_not_feed():
    """秀 is worth less than the pair, but many names need it; nobody else can use 茂, since 立花 is in the own hand."""
    at = table(["秀 茂 立花", "石田 三 成", "大友 道 麟"], deck=["高", "虎"])
    assert choice(at, "outs") == choice(at, "stingy", fear=0.0) == "discard first/秀#0"
    assert choice(at, "stingy", fear=100.0) in ("discard first/茂#0", "discard family/立花#0")


def test_crest_minimiser_throws_crests_away_only_near_the_end():
    hand = ["武田 昌 義 藤", "石田 三 成"]
    late = table(hand, deck=["虎", "高"])
    assert choice(late, "crest_minimiser", weight=10.0) == "discard first/義#0"
    early = table(hand, deck=["虎", "高", "一", "益", "晴", "経", "兼", "続", "重"])
    assert choice(early, "crest_minimiser", weight=10.0) == choice(early, "outs")


# --- who is stronger --------------------------------------------------------------------------------------------------


def shares(names: tuple[str, ...], players: int, blocks: int, members: np.ndarray) -> dict[str, float]:
    """Win share of each strategy in a line-up."""
    rows, _, fault = play.kernel(SPEC).play(
        entries_of("busho", *names),
        play.rules_of([SPEC.fill_rules(SPEC.options(), players)]),
        seed=4,
        games=play.seatings(SPEC, 0, members, players),
    )
    assert fault.status == play.OK
    who, share = rows.strategy[:, :players], rows.share[:, :players] / 60
    return {name: float(share[who == number].mean()) for number, name in enumerate(names)}


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", NAMES[1:])
def test_everybody_beats_random_by_far(name, players):
    one_of_a = np.ones((1000, players), np.int16)
    one_of_a[:, 0] = 0
    assert shares((name, "random"), players, 1000, one_of_a)[name] > 1.5 / players
    assert shares(("random", name), players, 1000, one_of_a)["random"] < 0.35 / players
