"""What items are worth: the numbers, the controls and the words."""

import numpy as np
import pytest

from reports.answers import cards
from sim import games
from sim.engine.effects import CHUNKS, Effects
from sim.errors import UsageError
from sim.games.interface import SHARE_UNITS, Intervention
from tests.calibration.studies import job_of
from tests.conftest import entries_of


def kind(*items: str, placebo: bool = False) -> Intervention:
    return Intervention("planted", "a planted change", "What is it worth?", items, lambda *_: None, placebo=placebo)


def effects(rng, gains, *, strategies=1, per_chunk=40, wrong=0):
    """Games in which the focus wins more often by `gains`, a change in one game of ten."""
    shape = (CHUNKS, len(gains), strategies)
    asked = np.full(shape, per_chunk)
    moved = rng.binomial(asked, 0.1)
    up = rng.binomial(moved, 0.5 + 0.5 * np.array(gains)[:, None] / 0.1)
    none = np.zeros(shape[:2], np.int64)
    checked = none.copy()
    checked[0], wrongs = 2, none.copy()
    wrongs[0, 0] = wrong
    played = asked.sum(axis=2) // 2
    return Effects(asked, SHARE_UNITS * (2 * up - moved), moved.sum(axis=2), played, checked, wrongs)


def answer(*rows):
    return {"answers": list(rows)}


JOB = job_of("mon", "greedy", "random")


def test_row_tells_value_verdict_and_counts(rng):
    found = effects(rng, (0.06, 0.0, -0.06), strategies=2)
    row = cards.row(JOB, kind("good", "idle", "bad"), {3: found})
    good, idle, bad = row["items"]
    assert good["est"] == pytest.approx(found.share[:, 0].sum() / SHARE_UNITS / found.games[:, 0].sum(), rel=1e-5)
    assert [each["verdict"] for each in row["items"]] == ["more", "unclear", "less"]
    assert good["joint_lo"] < good["lo"] < good["est"] < good["hi"] < good["joint_hi"]
    assert idle["games"] == CHUNKS * 40 * 2
    assert bad["played"] == pytest.approx(0.5)
    assert bad["winner_changed"] == pytest.approx(found.winners[:, 2].sum() / idle["games"], rel=1e-5)
    assert row["games"] == found.played.sum() + found.checked.sum()
    assert (row["checked"], row["wrong"]) == (6, 0)
    assert [len(each["by_strategy"]) for each in row["items"]] == [2, 2, 2]


def test_each_number_of_players_counts_the_same(rng):
    few, many = effects(rng, (0.08,), per_chunk=20), effects(rng, (0.0,), per_chunk=400)
    (item,) = cards.row(JOB, kind("card"), {3: few, 4: many})["items"]
    at = [each["est"] for each in item["by_players"]]
    assert item["est"] == pytest.approx(np.mean(at), rel=1e-4)
    assert item["est"] > 0.025


def test_headline_values_are_pulled_together(rng):
    """Where nothing is worth anything the largest value is luck, and most of it is taken out."""
    row = cards.row(JOB, kind(*map(str, range(20))), {3: effects(rng, (0.0,) * 20)})
    raw, pulled = (np.array([item[key] for item in row["items"]]) for key in ("est", "shrunk"))
    assert pulled.std() < 0.5 * raw.std()
    assert pulled.mean() == pytest.approx(raw.mean(), abs=1e-3)


def test_placebo_is_judged_by_a_wider_range(rng):
    found = effects(rng, (0.0,))
    (item,), (control,) = (cards.row(JOB, kind("x", placebo=placebo), {3: found})["items"] for placebo in (False, True))
    assert control["joint_hi"] - control["joint_lo"] > 1.5 * (item["joint_hi"] - item["joint_lo"])
    assert control["hi"] == item["hi"]


def test_faults_name_what_cannot_be_trusted(rng):
    fine = cards.row(JOB, kind("card"), {3: effects(rng, (0.06,))})
    assert cards.faults(answer(fine)) == []
    missed = cards.row(JOB, kind("card"), {3: effects(rng, (0.0,), wrong=1)})
    (told,) = cards.faults(answer(fine, missed))
    assert "1 of 2 came out otherwise" in told and "a planted change" in told
    placebo = cards.row(JOB, kind("a random card", placebo=True), {3: effects(rng, (0.08,))})
    (told,) = cards.faults(answer(placebo))
    assert told.startswith("a change that is worth nothing came out as worth something (Placebo: a random card: +")


def test_a_question_asked_again_is_answered_anew():
    old = answer({"kind": "ban", "games": 1}, {"kind": "grant", "games": 1})
    new = answer({"kind": "grant", "games": 2})
    assert cards.beside(new, old)["answers"] == [{"kind": "ban", "games": 1}, {"kind": "grant", "games": 2}]
    assert cards.beside(new, None) == new


def test_kinds_always_bring_the_placebo():
    assert [each.name for each in cards.kinds_of(games.spec("mon"), ())] == ["grant", "placebo"]
    assert [each.name for each in cards.kinds_of(games.spec("mon"), ("ban", "placebo", "ban"))] == ["ban", "placebo"]
    assert [each.name for each in cards.kinds_of(games.spec("emblems"), ("careless",))] == ["careless", "placebo"]


def test_unknown_kind_is_told_with_what_was_meant():
    with pytest.raises(UsageError, match="emblems cannot change 'blanc'") as told:
        cards.kinds_of(games.spec("emblems"), ("blanc",))
    assert "blank" in str(told.value) and "did you mean" in str(told.value)


@pytest.mark.parametrize("game", games.GAMES)
def test_listing_names_every_kind_with_its_question(game):
    entries = entries_of(game)
    lines = cards.listing(games.spec(game), entries).splitlines()
    blind = ["blind"] if any(entry.strategy.blind for entry in entries) else []
    own = [each.name for each in games.spec(game).interventions]
    assert [line.split()[0] for line in lines] == [*own, "careless", *blind]
    assert all(line.endswith("?") for line in lines)


def test_what_is_exactly_nothing_is_told_as_such(rng):
    found = effects(rng, (0.06, 0.0))
    found.share[:, 1] = 0
    told = cards.text(answer(cards.row(JOB, kind("good", "idle"), {3: found}))).splitlines()
    assert told[3].split() == ["idle", "0.0", "no", "difference", "at", "all"]


def test_text_shows_the_largest_first_and_what_is_not_in_the_game(rng):
    found = effects(rng, (-0.06, 0.06, 0.0, 0.0))
    found.games[:, 3] = found.share[:, 3] = 0
    told = cards.text(answer(cards.row(JOB, kind("bad", "good", "idle", "absent"), {3: found})))
    lines = told.splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["good", "idle", "bad"]
    assert "▲ wins more" in lines[2] and "? cannot tell" in lines[3] and "▼ wins less" in lines[4]
    assert "no difference" not in told
    assert lines[-1] == "  not in this game: absent"
    assert "with three players: What is it worth?" in lines[0]


@pytest.mark.compiled
def test_no_more_games_than_can_be_afforded():
    """A range that no number of games can give is left wider than asked for."""
    from sim.engine.runner import thread_pool

    point = next(each for each in games.spec("mon").interventions if each.name == "without")
    with thread_pool(2) as pool:
        (row,) = cards.ask(JOB, [point], [3], 1e-5, pool, most_games=6_000)["answers"]
    assert cards.least_games(point, [3]) < row["games"] < 9_000
