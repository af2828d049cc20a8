"""MON in names: cards, actions and the lines of a trace.

A card is a number 0 … 53: colour × 18 + value − 1. A set of cards is an int64 whose bit *c* stands for card *c*.

An action is an int64: the kind in its two lowest bits, above them the card (advance, fall back) or the set of cards
(draw).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

COLOURS = ("gold", "silver", "black")
VALUES = 18
CARDS = len(COLOURS) * VALUES
NO_CARD = -1

ADVANCE, FALL_BACK, DRAW = 0, 1, 2
KIND_BITS = 2
KINDS = ("advance", "fall back", "draw")


def card_name(card: int) -> str:
    """Name a card: ``"gold-13"``."""
    return f"{COLOURS[card // VALUES]}-{card % VALUES + 1}"


def parse_card(name: str) -> int:
    """Number of the card of that name; the reverse of :func:`card_name`."""
    colour, _, value = name.partition("-")
    if colour not in COLOURS or not value.isdecimal() or not 1 <= int(value) <= VALUES:
        raise ValueError(f"no such card: {name!r} (expected for example 'gold-13')")
    return COLOURS.index(colour) * VALUES + int(value) - 1


CARD_NAMES = tuple(card_name(card) for card in range(CARDS))


def cards_in(mask: int) -> list[int]:
    """Cards of a set, in ascending order."""
    return [card for card in range(CARDS) if int(mask) >> card & 1]


def set_of(cards: Sequence[int]) -> int:
    """The set (int64 mask) of some cards; the reverse of :func:`cards_in`."""
    return sum(1 << card for card in cards)


def action_text(action: int) -> str:
    """An action in words: ``"advance gold-13"``, ``"draw gold-1 black-4"`` (the cards discarded)."""
    kind, payload = action & 3, action >> KIND_BITS
    cards = cards_in(payload) if kind == DRAW else [payload]
    return " ".join([KINDS[kind], *(card_name(card) for card in cards)])


def parse_action(text: str) -> int:
    """Code of an action given in words; the reverse of :func:`action_text`."""
    for kind, words in enumerate(KINDS):
        if text.startswith(words + " "):
            cards = [parse_card(name) for name in text[len(words) :].split()]
            if kind == DRAW:
                return set_of(cards) << KIND_BITS | DRAW
            if len(cards) == 1:
                return cards[0] << KIND_BITS | kind
    raise ValueError(f"not an action of mon: {text!r} (expected for example 'advance gold-13')")


def state_text(state: Any) -> str:
    """The table and all hands in a few lines, for error messages and for people who debug."""
    view = _table(state)
    lines = [
        f"{colour}: "
        + " ".join(
            "/".join(s) + f"[{o + 1}]" for s, o in zip(view["lines"][colour], view["owners"][colour], strict=True)
        )
        for colour in COLOURS
    ]
    players = int(state.players)
    hands = [f"player {p + 1}: " + " ".join(map(card_name, cards_in(state.hand[p]))) for p in range(players)]
    return "\n".join([f"turn {int(state.turn) + 1}, player {int(state.seat) + 1} to play", *lines, *hands])


def setup_line(state: Any, rules: Any) -> dict[str, Any]:
    """Trace line of the deal."""
    players = int(state.players)
    hands = [[card_name(card) for card in cards_in(state.dealt[p])] for p in range(players)]
    return {"hands": hands, "draw_pile": [card_name(card) for card in _pile(state)]}


def action_line(before: Any, action: int, after: Any) -> dict[str, Any]:
    """Trace line of an action, with the table right after it."""
    kind, payload = action & 3, action >> KIND_BITS
    names = [card_name(card) for card in (cards_in(payload) if kind == DRAW else [payload])]
    what = {"discard": names} if kind == DRAW else {"card": names[0]}
    return {"phase": "turn", "kind": KINDS[kind].replace(" ", "_"), **what, "state": _table(after)}


def follow_lines(before: Any, after: Any) -> Iterator[dict[str, Any]]:
    """Trace lines of one automatic step: cards drawn, or the discard pile becoming the new draw pile."""
    seat = int(before.seat)
    if int(after.reshuffles) > int(before.reshuffles):
        pile = [card_name(card) for card in _pile(after)]
        yield {"type": "chance", "event": "reshuffle", "draw_pile": pile}
    else:
        drawn = [card for card in _pile(before, seat) if not int(after.stock) >> card & 1]
        yield {"type": "chance", "event": "drawn", "seat": seat, "cards": [card_name(card) for card in drawn]}


def phase_name(state: Any) -> str:
    """What the decision is about, as the trace calls it."""
    return "turn"


def story(line: dict[str, Any]) -> str:
    """One trace line as a sentence."""
    who = f"Player {line['seat'] + 1}" if "seat" in line else ""
    match line:
        case {"type": "setup", "hands": hands}:
            return "\n".join(f"Player {p + 1} is dealt {', '.join(hand)}." for p, hand in enumerate(hands))
        case {"kind": "advance", "card": card, "state": state}:
            return f"{who} advances with {card}. Scores: {_scores(state)}."
        case {"kind": "fall_back", "card": card, "state": state}:
            under = next(stack[-2] for stack in state["lines"][card.partition("-")[0]][-1:])
            return f"{who} falls back with {card}, over {under}. Scores: {_scores(state)}."
        case {"kind": "draw", "discard": discard}:
            return f"{who} discards {', '.join(discard)}."
        case {"event": "drawn", "cards": cards}:
            return f"{who} draws {', '.join(cards)}."
        case {"event": "reshuffle", "draw_pile": pile}:
            return f"The discard pile is shuffled into a new draw pile of {len(pile)} cards."
    raise ValueError(f"not a line of a mon trace: {line}")


def _pile(state: Any, seat: int = 0) -> list[int]:
    """Cards still to be drawn in the order in which a seat meets them (with a shared pile: everybody's order)."""
    order = state.order[seat if bool(state.own_orders) else 0]
    return [int(card) for card in order if card >= 0 and int(state.stock) >> int(card) & 1]


def _table(state: Any) -> dict[str, Any]:
    lines: dict[str, list[list[str]]] = {}
    owners: dict[str, list[int]] = {}
    for colour, name in enumerate(COLOURS):
        length = int(state.length[colour])
        lines[name] = [_stack(state, colour, place) for place in range(length)]
        owners[name] = [int(owner) for owner in state.owner[colour][:length]]
    scores = [int(points) for points in state.points[: int(state.players)]]
    return {"lines": lines, "owners": owners, "scores": scores}


def _stack(state: Any, colour: int, place: int) -> list[str]:
    card = colour * VALUES + int(state.top[colour][place]) - 1
    stack = [card_name(card)]
    while (card := int(state.under[card])) != NO_CARD:
        stack.append(card_name(card))
    return stack[::-1]


def _scores(state: dict[str, Any]) -> str:
    return " – ".join(str(points) for points in state["scores"])
