"""Make the table of ``sim/games/sangoku/chances.py`` anew: how likely each strength wins each Realm.

    python -m bench.sangoku_chances

Everybody arranges by the table so far; what they lay gives another table, and the mean of all these, the later ones
weighing more, is the next to arrange by. Thirty rounds of 20 000 deals for each number of players take half a minute.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bench.sangoku_hands import BRIDGE_SUITED, DECK, WHEEL, strengths_of
from sim import rng
from sim.games.sangoku import chances
from sim.games.sangoku.arrange import BUCKETS, REST, arrange
from sim.games.sangoku.hands import FIVE_CARDS
from sim.jit import rule

SIZES = (5, 5, 3)
ROUNDS, DEALS = 30, 20_000
SEED = 1
FILE = Path(chances.__file__)


@rule
def lay(deck, table, worth, prizes, key, laid):
    """Deal again and again, let everybody arrange by a table, and note the strengths: laid[deal, seat, Realm]."""
    for deal in range(len(laid)):
        rng.shuffle(deck, len(deck), rng.word(key, deal))
        for seat in range(laid.shape[1]):
            cards = deck[13 * seat : 13 * seat + 13]
            action = arrange(cards, table, worth, prizes, BRIDGE_SUITED, WHEEL)
            heavens, earth, hells = strengths_of(cards, action)
            laid[deal, seat, 0], laid[deal, seat, 1], laid[deal, seat, 2] = heavens, earth, hells


def deal_and_lay(players: int, table: np.ndarray, key: int) -> np.ndarray:
    """Give the strengths laid in some deals: [DEALS, players, 3]."""
    laid = np.empty((DEALS, players, 3), np.int64)
    lay(DECK.copy(), table, np.ones(3), np.zeros(13), np.uint64(key), laid)
    return laid


def chances_of(laid: np.ndarray) -> np.ndarray:
    """Give the share of deals in which the lowest strength of each bucket is beaten by no other seat: [3, …]."""
    edges = np.arange(BUCKETS + 1) * REST + FIVE_CARDS
    result = np.empty((3, BUCKETS + 1), np.float32)
    for realm in range(3):
        strengths = laid[:, :, realm]
        best = np.concatenate([np.delete(strengths, seat, 1).max(1) for seat in range(strengths.shape[1])])
        # Equals win together.
        result[realm] = np.searchsorted(np.sort(best), edges, side="right") / len(best)
    return result


def settle(players: int) -> np.ndarray:
    """Play by a table and count what that gives, until both are the same."""
    table = np.tile(np.linspace(0, 1, BUCKETS + 1, dtype=np.float32), (3, 1))
    for number in range(ROUNDS):
        table += (chances_of(deal_and_lay(players, table, SEED + number)) - table) * 2 / (number + 2)
    return table


def as_text(tables: list[np.ndarray]) -> str:
    """Write the tables side by side, a row a strength, in per cent."""
    lines = [
        f"{'':24}" + "".join(f"{realm:^28}" for realm in ("heavens", "earth", "hells")).rstrip(),
        f"{'players':24}" + "".join(f"{players:7}" for players in chances.PLAYERS) * 3,
    ]
    for bucket, name in chances.rows():
        line = f"{name:24}"
        for realm in range(3):
            impossible = SIZES[realm] == 3 and bucket >> 8 not in chances.IN_HELLS
            line += "".join(f"{'-' if impossible else f'{100 * table[realm, bucket]:.2f}':>7}" for table in tables)
        lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    before, opening, rest = FILE.read_text(encoding="utf-8").partition('TABLE = """\\\n')
    _, closing, after = rest.partition('"""\n')
    text = as_text([settle(players) for players in chances.PLAYERS])
    FILE.write_text(before + opening + text + closing + after, encoding="utf-8")
    print(f"written: {FILE}")
