"""Recruiter for Sangoku."""

from strategies.registry import strategy
from strategies.sangoku.balanced import Mind, decide


@strategy(
    "sangoku",
    title="Recruiter",
    params={"tokens": 0.3, "nerve": 0.5, "patience": 1.0, "watch": 1.0},
    blind={"watch": 0.0},
)
def recruiter(state, rules, params):
    """Win with low cards: a hand is worth the token that a card of it brings, and only then the Realm.

    It adds the chances to win like Balanced, but each counts as many times more as ``tokens`` says for every point of
    the best token that the hand could bring: a Dragon from the pool is 6 points, one of an opponent 10. ``nerve``,
    ``patience`` and ``watch`` are those of Balanced.

    Weakness: it gives up chances for tokens that it may never get, since a low straight with a 2 in it loses to a high
    one; and it minds the size of a token more than where it will stand.
    """
    return decide(state, rules, Mind(False, params[0], params[1], params[2], params[3] > 0))
