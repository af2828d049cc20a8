"""Items compared among equals: planted confounders vanish, planted effects stay, ranges hold the truth."""

import dataclasses

import numpy as np
import pytest

from reports import adjust, stats

CHUNKS, DEALS, SEATS = 64, 40, 4


def seats(draw, *, of_strategy=0.0, liking=0.0, of_item=0.0, of_deal=0.1, strata=2):
    """Rows of games in which strategy 1 wins more and plays item 0 more; having item 1 helps by `of_item`."""
    rows = CHUNKS * DEALS * SEATS
    chunk = np.repeat(np.arange(CHUNKS), DEALS * SEATS)
    strategy = draw.integers(0, 2, rows)
    have = [draw.random(rows) < 0.5, draw.random(rows) < 0.5]
    used = [have[0] & (draw.random(rows) < 0.4 + liking * (strategy - 0.5)), have[1] & (draw.random(rows) < 0.5)]
    have[0] = have[0] & (draw.random(rows) < 0.7 + 0.6 * liking * (strategy - 0.5)) | used[0]
    luck = np.repeat(of_deal * draw.standard_normal(CHUNKS * DEALS), SEATS)
    chance = np.clip(0.25 + of_strategy * (strategy - 0.5) + of_item * have[1] + luck, 0, 1)
    masks = [(each[0].astype(np.int64) | each[1].astype(np.int64) << 1)[:, None] for each in (have, used)]
    share = (draw.random(rows) < chance).astype(float)
    return adjust.Seats(share, strategy if strata > 1 else 0 * strategy, chunk, *masks, CHUNKS, (CHUNKS,))


def alike(items):
    """All items in one group."""
    return np.zeros(items, np.int64)


def raw(table):
    """Seen with winning as the sums of a run give it (see `measures.item_seen`)."""
    have = [table.at_hand[:, 0] >> item & 1 for item in (0, 1)]
    number, won = (np.array([np.bincount(table.chunk, weights=w * h) for h in have]).T for w in (1.0, table.share))
    item, average = stats.ratio(won, number), stats.ratio(won.sum(axis=1), number.sum(axis=1))
    every = stats.Estimates(np.repeat(average.value, 2), np.repeat(average.influence, 2, axis=1), average.cells)
    return stats.difference(item, every, paired=True)


def test_without_strata_it_is_what_the_sums_say(rng):
    table = seats(rng, of_strategy=0.2, liking=0.5, strata=1)
    seen, _ = adjust.both(table, alike(2))
    assert seen.value == pytest.approx(raw(table).value, abs=1e-12)
    assert seen.se == pytest.approx(raw(table).se, rel=1e-9)


def test_who_plays_is_taken_out(rng):
    table = seats(rng, of_strategy=0.3, liking=0.6)
    counted, (seen, played) = raw(table), adjust.both(table, alike(2))
    assert counted.value[0] > 0.01
    assert abs(seen.value[0]) < 2.5 * seen.se[0] < 0.01
    mixed, _ = adjust.both(seats(rng, of_strategy=0.3, liking=0.6, strata=1), alike(2))
    assert mixed.value[0] > 0.01
    assert abs(played.value[0]) < 2.5 * played.se[0] < 0.04


def test_what_an_item_does_stays(rng):
    seen, _ = adjust.both(seats(rng, of_strategy=0.3, liking=0.6, of_item=0.2), alike(2))
    assert seen.value[1] - seen.value[0] == pytest.approx(0.2 * 0.5, abs=0.025)


def test_ranges_hold_the_truth():
    """Nothing goes with item 0 once strategies are compared with themselves: 95% ranges hold 0 about so often."""
    draw, runs = np.random.default_rng(5), 300
    held = np.zeros(2)
    for _ in range(runs):
        found = adjust.both(seats(draw, of_strategy=0.3, liking=0.6), alike(2))
        for k, estimate in enumerate(found):
            reach = stats.single(estimate).t[0] * estimate.se[0]
            held[k] += abs(estimate.value[0]) <= reach
    assert (held / runs > 0.915).all() and (held / runs < 0.98).all()


def test_more_items_than_a_word_holds(rng):
    """Item 1 moved to the second word of the masks gives the same numbers."""
    table = seats(rng, of_item=0.2)
    apart = [np.hstack([mask & 1, mask >> 1]) for mask in (table.at_hand, table.played)]
    wide = dataclasses.replace(table, at_hand=apart[0], played=apart[1])
    for two, many in zip(adjust.both(table, alike(2)), adjust.both(wide, alike(adjust.MASK_BITS + 1)), strict=True):
        assert many.value[[0, adjust.MASK_BITS]].tolist() == two.value.tolist()
        assert np.isnan(many.value[1])


def test_an_item_is_compared_with_its_own_group(rng):
    """Alone in its group an item is the average; what helps in another group does not weigh on it."""
    table = seats(rng, of_item=0.2)
    together, _ = adjust.both(table, alike(2))
    alone, _ = adjust.both(table, np.array([0, 1]))
    assert together.value[0] < -0.03 and together.value[1] > 0.03
    assert alone.value == pytest.approx([0.0, 0.0], abs=1e-12)


def test_nothing_to_compare_says_nothing(rng):
    table = seats(rng)
    empty = adjust.Seats(
        table.share, table.stratum, table.chunk, 0 * table.at_hand, 0 * table.played, CHUNKS, (CHUNKS,)
    )
    for estimate in adjust.both(empty, alike(2)):
        assert np.isnan(estimate.value).all()


def test_lengths_are_split_only_where_they_vary():
    assert set(adjust.lengths(np.full(9, 3))) == {0}
    parts = adjust.lengths(np.arange(1000))
    assert np.bincount(parts).tolist() == pytest.approx([250] * 4, abs=2)
    assert set(adjust.lengths(np.array([7, 7, 7, 7, 8]))) == {0, 1}
