from pathlib import Path

import pytest

from reports import words

GOLDEN = Path(__file__).parent / "golden" / "words.txt"


def goal(measure="first_player", verdict="inside", est=0.254, joint=(0.252, 0.256), players=4, **changes):
    kinds = {"lead_changes": "mean", "rounds": "mean", "decisions": "mean", "item_seen": "difference"}
    rates = dict.fromkeys(("close_finish", "shared_wins", "tie_break", "capped", "item_played"), "rate")
    options = {"at": "50%", "points": 3, "unit": ["coin", "coins"], "item": "character", "apart": ""}
    row = {
        "measure": measure,
        "kind": {**kinds, **rates}.get(measure, "share"),
        "options": options,
        "label": words.goal_label("", measure, players, options),
        "players": players,
        "subject": None,
        "default": False,
        "band": {"lo": 0.23, "hi": 0.27, "text": "23–27%"},
        "est": est,
        "joint_lo": joint[0],
        "joint_hi": joint[1],
        "verdict": verdict,
        "games_needed": None,
        "on_edge": False,
        "change": None,
    }
    return {**row, **changes}


def at_most(limit, text):
    return {"lo": None, "hi": limit, "text": text}


def at_least(limit, text):
    return {"lo": limit, "hi": None, "text": text}


WORSE = {"class": "worse", "before": 0.2332, "before_verdict": "inside", "delta": -0.0112, "identical": False}
SAME = {"class": "same", "before": 0.2502, "before_verdict": "inside", "delta": 0.0041, "identical": False}
IDENTICAL = {"class": "same", "before": 0.254, "before_verdict": "inside", "delta": 0.0, "identical": True}

TOO_RARE = goal(verdict="outside", est=0.222, joint=(0.219, 0.225), change=WORSE)
TOO_OFTEN = goal(
    verdict="outside", est=0.542, joint=(0.539, 0.545), players=2, band={"lo": 0.48, "hi": 0.52, "text": "48–52%"}
)
CLOSE = goal(
    "best_strategy",
    "close",
    0.446,
    (0.441, 0.451),
    subject="rollout",
    band=at_most(0.45, "at most 45%"),
    games_needed=82_000,
)
FAIR = goal()
LEADER = goal(
    "leader_wins", est=0.579, joint=(0.575, 0.583), band={"lo": 0.45, "hi": 0.6, "text": "45–60%"}, change=SAME
)
SEEN = goal(
    "item_seen",
    "outside",
    0.026,
    (0.024, 0.028),
    subject="Thief",
    band={"lo": -0.02, "hi": 0.02, "text": "within ±2 points"},
)
RARELY = goal("item_played", "outside", 0.478, (0.474, 0.482), subject="Sailor", band=at_least(0.5, "at least 50%"))
FINISH = goal("close_finish", est=0.548, joint=(0.544, 0.552), band=at_least(0.5, "at least 50%"), change=IDENTICAL)
CHANGES = goal("lead_changes", "close", 2.0, (1.97, 2.03), band=at_least(2, "at least 2"), on_edge=True)
UNKNOWN = goal("item_seen", "close", None, (None, None), band={"lo": -0.02, "hi": 0.02, "text": "within ±2 points"})
EVERY = goal("every_seat", "outside", 0.2, (0.19, 0.21), subject="the 3rd seat")
LONG = goal("rounds", "outside", 14.2, (14.1, 14.3), band=at_most(12, "at most 12"))
CAPPED = goal("capped", "outside", 0.02, (0.019, 0.021), band=at_most(0.001, "at most 0.1%"))
DEFAULT = {"default": True}

CASES = {
    "all met": [FAIR, LEADER, FINISH],
    "both met": [FAIR, FINISH],
    "the one met": [FAIR],
    "one missed": [TOO_RARE, FAIR, LEADER, FINISH],
    "one missed, one close": [TOO_OFTEN, CLOSE, FAIR],
    "two missed": [SEEN, RARELY, FAIR],
    "many missed": [LONG, CAPPED, RARELY, SEEN, *[FAIR] * 11],
    "the one missed": [EVERY],
    "none met": [TOO_RARE, RARELY, SEEN],
    "neither met": [TOO_OFTEN, RARELY],
    "one close": [CLOSE, FAIR, FINISH],
    "two close": [CLOSE, CHANGES, FAIR],
    "all close": [CLOSE, CHANGES, UNKNOWN],
    "both close": [CLOSE, CHANGES],
    "the one close": [UNKNOWN],
    "no goals, fair": [{**FAIR, **DEFAULT}],
    "no goals, unfair": [{**TOO_OFTEN, **DEFAULT}, {**FAIR, **DEFAULT}],
    "no goals, one close": [{**FAIR, **DEFAULT, "verdict": "close"}, {**FAIR, **DEFAULT}],
    "no goals, too few": [{**FAIR, **DEFAULT, "verdict": "close"}],
    "nothing": [],
}


def spoken():
    """Every sentence that a verdict can be made of, as the golden file holds them."""
    lines = []
    for name, goals in CASES.items():
        lines += [f"# {name}", words.verdict_sentence(goals, True, 12_000), words.verdict_sentence(goals, False, 1), ""]
    lines.append("# bullets")
    wide = {**CLOSE, "games_needed": 3_100_000}
    every = [
        wide,
        TOO_RARE,
        TOO_OFTEN,
        CLOSE,
        FAIR,
        LEADER,
        SEEN,
        RARELY,
        FINISH,
        CHANGES,
        UNKNOWN,
        EVERY,
        LONG,
        CAPPED,
    ]
    lines += [f"{g['label']}: {words.goal_sentence(g, 12_000)}" for g in every]
    lines.append(f"{CLOSE['label']}: {words.goal_sentence(CLOSE, 12_000, [2, 3])}")
    lines.append(f"{TOO_RARE['label']}: {words.goal_sentence({**TOO_RARE, **DEFAULT}, 12_000, [6])}")
    lines += ["", "# changes"]
    lines += [words.change_text(g) for g in (TOO_RARE, LEADER, FINISH, FAIR)]
    lines += [
        "",
        "# scope",
        words.scope(["greedy"]),
        words.scope(["random", "greedy"]),
        words.scope(list("abcdefghij")),
    ]
    return "\n".join(lines) + "\n"


def test_verdicts_read_as_agreed():
    assert spoken() == GOLDEN.read_text(encoding="utf-8")


def test_another_winner_is_told_in_percent():
    rows = [{"players": n, "share": x, "lo": x - 0.004, "hi": x + 0.004} for n, x in ((3, 0.3951), (4, 0.0))]
    assert words.other_winners(rows[:1], several=False) == "39.5% of identical deals have another winner"
    assert words.other_winners(rows, several=True) == (
        "39.5% of identical deals with three players and 0% with four players have another winner"
    )


@pytest.mark.parametrize("word", ["significan", "prove", "true", "seat 0", "utilis"])
def test_words_that_no_verdict_uses(word):
    assert word not in spoken().lower()


@pytest.mark.parametrize(
    ("x", "digits", "signed", "text"),
    [
        (2.61, 1, True, "+2.6"),
        (-1.05, 1, True, "−1.1"),
        (-0.04, 1, True, "0.0"),
        (-0.04, 1, False, "0.0"),
        (0.0, 0, True, "0"),
        (1234.5, 1, False, "1,234.5"),
        (None, 1, True, "–"),
        (float("nan"), 1, False, "–"),
    ],
)
def test_number(x, digits, signed, text):
    assert words.number(x, digits, signed=signed) == text


def test_ranges():
    assert words.span(21.9, 22.5) == "21.9–22.5"
    assert words.span(2.4, 2.8, signed=True) == "+2.4 to +2.8"
    assert words.span(-0.2, 0.5, signed=True) == "−0.2 to +0.5"
    assert words.span(-0.2, 0.5) == "−0.2 to 0.5"
    assert words.span(None, 3) == "–"


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (0, "0"),
        (999, "999"),
        (82_000, "82,000"),
        (1_000_000, "1 million"),
        (39_120_000, "39.1 million"),
        (2e9, "2 billion"),
    ],
)
def test_count(n, text):
    assert words.count(n) == text


def test_plural():
    assert [words.plural(n, "game") for n in (0, 1, 2)] == ["0 games", "1 game", "2 games"]
    assert words.plural(1, "reply", "replies") == "1 reply"
    assert words.plural(2, "reply", "replies") == "2 replies"


@pytest.mark.parametrize(
    ("n", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (23, "23rd")]
)
def test_ordinal(n, text):
    assert words.ordinal(n) == text


def test_listing():
    assert words.listing([]) == ""
    assert words.listing(["a"]) == "a"
    assert words.listing(["a", "b", "c"]) == "a, b and c"
    assert words.with_counts([3]) == "with three players"
    assert words.with_counts([2, 14]) == "with two and 14 players"
    assert words.with_players(1) == "with one player"


def test_small_things():
    assert words.day("2026-11-29T21:48:00Z") == "29 Nov 2026"
    assert words.stop("a") == words.stop("a.") == "a."
    assert words.percent(0.2217) == "22.2%"
    assert words.percent(None) == "–"
    assert [words.tidy(x) for x in (0.25, 1 / 3, 0.255)] == ["25%", "33.33%", "25.5%"]


def test_names_are_one_clean_line():
    assert words.plain("  a\n\tb\x00c\u202e ") == "a b c"
    assert words.plain("") == "(no name)"


def test_long_names_stay_different():
    names = ["the very long name of a strategy number one", "the very long name of a strategy number two"]
    short = [words.shorten(name, 16) for name in names]
    assert [words.width(s) <= 16 for s in short] == [True, True]
    assert short[0] != short[1]
    assert words.shorten("short", 16) == "short"
    assert words.width(words.shorten("秤" * 40, 16)) <= 16


def test_names_that_differ_stay_different_when_shortened():
    variants = [f"careful_builder{{tempo={x},spite=0.5,envy=0.25}}" for x in ("0.25", "0.75", "0.80")]
    short = words.shorten_apart([*variants, "greedy"], 15)
    assert len(set(short.values())) == 4 and max(map(words.width, short.values())) <= 15
    assert short["greedy"] == "greedy"
    assert all(x in short[name] for x, name in zip(("0.25", "0.75", "0.80"), variants, strict=True))
    hopeless = [f"{'a' * 20}{x}{'b' * 20}" for x in ("", "b")]
    assert len(set(words.shorten_apart(hopeless, 12).values())) == 2
