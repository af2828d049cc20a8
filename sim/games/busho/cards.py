"""The Sengoku general card game in names: cards, generals, actions and the lines of a trace.

Which cards and generals there are is a matter of the config, so the names belong to a :class:`Text`, made for one.

A *kind* is what is printed on a card; the family names come first, then the first names, both in the config's order. A
card is a number: kind by kind, copy by copy. A general is a number in the config's order. An *item* is a general or,
behind all generals, a kind.

An action is an int64: its kind in the two lowest bits, above them the general (show, grab), the card (discard) or 0
(pass).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

SEATS = 4
WORD = 63  # bits used in a word of a set
GENERAL_WORDS, CARD_WORDS, ITEM_WORDS = 2, 4, 4  # words of a set of generals, cards, items
GENERALS, CARDS, ITEMS = WORD * GENERAL_WORDS, WORD * CARD_WORDS, WORD * ITEM_WORDS  # at most so many
KINDS = ITEMS  # likewise
NO_CARD = -1

SHOW, DISCARD, GRAB, PASS = range(4)  # kinds of action
KIND_BITS = 2
VERBS = ("show", "discard", "grab", "pass")

TURN, GRABBING, RETURN, DRAW, KAMON, RACE, LAY_DOWN, OVER = range(8)  # phases; DRAW to LAY_DOWN are automatic
PHASES = ("show or discard", "grab", "grab_discard", "draw", "kamon", "grab_order", "lay_down", "over")


def members(words: Sequence[int]) -> list[int]:
    """Members of a set that spreads over several words, in ascending order."""
    return [WORD * place + bit for place, word in enumerate(words) for bit in range(WORD) if int(word) >> bit & 1]


class Text:
    """The words of a game under one config.

    Parameters
    ----------
    families, first_names : mapping
        Name → copies, in the config's order.
    generals : sequence of (family, given, given)
        The three names that spell each general.

    Attributes
    ----------
    kinds : tuple of str
        ``"family/武田"``, ``"first/信"``.
    copies : tuple of int
        Cards of each kind.
    generals : tuple of str
        Full names: ``"武田信玄"``.
    spelled : tuple of (int, int, int)
        The three kinds of each general.
    cards : tuple of str
        ``"family/武田#0"``: kind and number of the copy.
    """

    def __init__(
        self, families: Mapping[str, int], first_names: Mapping[str, int], generals: Sequence[tuple[str, str, str]]
    ) -> None:
        self.kinds = (*(f"family/{name}" for name in families), *(f"first/{name}" for name in first_names))
        self.copies = (*families.values(), *first_names.values())
        self.families = len(families)
        self.generals = tuple("".join(names) for names in generals)
        number = {kind: place for place, kind in enumerate(self.kinds)}
        self.spelled = tuple(
            (number[f"family/{family}"], number[f"first/{one}"], number[f"first/{two}"])
            for family, one, two in generals
        )
        self.cards = tuple(
            f"{kind}#{copy}" for kind, copies in zip(self.kinds, self.copies, strict=True) for copy in range(copies)
        )

    @cached_property
    def kind_of(self) -> tuple[int, ...]:
        """Kind of each card."""
        return tuple(kind for kind, copies in enumerate(self.copies) for _ in range(copies))

    @cached_property
    def crests(self) -> tuple[tuple[str, ...], ...]:
        """Crests of each kind, one for each general that its card can spell, as the family's name (R1.4)."""
        shown: list[list[str]] = [[] for _ in self.kinds]
        for general in self.spelled:
            for kind in dict.fromkeys(general):
                shown[kind].append(self.kinds[general[0]].partition("/")[2])
        return tuple(map(tuple, shown))

    # --- actions ---

    def action_text(self, action: int) -> str:
        """An action in words: ``"show 武田信玄"``, ``"discard first/信#1"``, ``"grab 武田信玄"``, ``"pass"``."""
        kind, payload = action & 3, action >> KIND_BITS
        if action < 0 or (kind == PASS and payload):
            raise ValueError(f"not an action of busho: {action}")
        names = self.cards if kind == DISCARD else self.generals
        return VERBS[kind] if kind == PASS else f"{VERBS[kind]} {names[payload]}"

    def parse_action(self, text: str) -> int:
        """Code of an action given in words; the reverse of :meth:`action_text`."""
        verb, _, name = text.partition(" ")
        if text == VERBS[PASS]:
            return PASS
        if verb in VERBS[:PASS]:
            names = self.cards if verb == VERBS[DISCARD] else self.generals
            if name in names:
                return names.index(name) << KIND_BITS | VERBS.index(verb)
        raise ValueError(f"not an action of busho: {text!r} (expected for example 'show {self.generals[0]}')")

    # --- the trace ---

    def setup_line(self, state: Any, rules: Any) -> dict[str, Any]:
        """Trace line of the deal."""
        hands = [members(state.dealt[seat]) for seat in range(int(state.players))]
        dealt = {card for hand in hands for card in hand}
        deck = [int(card) for card in state.order[0][: int(rules.cards)] if int(card) not in dealt]
        return {"hands": [self._named(hand) for hand in hands], "deck": self._named(deck)}

    def action_line(self, before: Any, action: int, after: Any) -> dict[str, Any]:
        """Trace line of an action, with the table right after it."""
        kind, payload = action & 3, action >> KIND_BITS
        line: dict[str, Any] = {"phase": VERBS[kind], "kind": VERBS[kind]}
        if kind == DISCARD:
            line |= {"phase": "grab_discard" if before.phase == RETURN else "discard", "card": self.cards[payload]}
        elif kind == PASS:
            line["phase"] = "grab"
        else:
            seat = int(before.seat)
            gone = {*members(before.hand[seat])} - {*members(after.hand[seat])}
            kinds = self.spelled[payload]
            cards = sorted(gone, key=lambda card: kinds.index(self.kind_of[card]))
            line |= {"general": self.generals[payload], "cards": self._named(cards)}
        return {**line, "state": self._table(after)}

    def follow_lines(self, before: Any, after: Any) -> Iterator[dict[str, Any]]:
        """Trace lines of one automatic step: a card drawn, "Kamon" announced, the order of a race for a discard.

        What is laid down at the end has no line: it follows from the hands.
        """
        seat = int(before.seat)
        if before.phase == DRAW:
            [card] = {*members(after.hand[seat])} - {*members(before.hand[seat])}
            line = {"phase": "draw", "kind": "draw", "card": self.cards[card], "state": self._table(after)}
            yield {"type": "action", "seat": seat, **line}
        elif before.phase == KAMON:
            yield {"type": "event", "event": "kamon", "seat": seat}
        elif before.phase == RACE:
            order = [int(other) for other in after.race[: int(before.players) - 1] if int(before.able) >> other & 1]
            yield {"type": "chance", "event": "grab_order", "order": order}

    def phase_name(self, state: Any) -> str:
        """What the decision is about."""
        return PHASES[int(state.phase)]

    def state_text(self, state: Any) -> str:
        """The table and all hands in a few lines, for error messages and for people who debug."""
        table = self._table(state)
        lines = [
            f"turn {int(state.turn) + 1}, player {int(state.seat) + 1}: {self.phase_name(state)}",
            f"on top of the discards: {table['discard_top'] or 'nothing'}; cards in the deck: {table['deck_left']}",
        ]
        for seat in range(int(state.players)):
            lines.append(f"player {seat + 1}: " + " ".join(self._named(members(state.hand[seat]))))
        return "\n".join(lines)

    @staticmethod
    def story(line: dict[str, Any]) -> str:
        """One trace line as a sentence."""
        who = f"Player {line['seat'] + 1}" if "seat" in line else ""
        match line:
            case {"type": "setup", "hands": hands}:
                return "\n".join(f"Player {p + 1} is dealt {_list(hand)}." for p, hand in enumerate(hands))
            case {"kind": "draw", "card": card, "state": state}:
                return f"{who} draws {_card(card)}; the deck has {state['deck_left']} left."
            case {"kind": "show", "general": general, "cards": cards, "state": state}:
                return f"{who} shows {general}: {_list(cards)}. {_sizes(state)}"
            case {"kind": "grab", "general": general, "cards": cards, "state": state}:
                return f"{who} grabs it and completes {general} with {_list(cards)}. {_sizes(state)}"
            case {"kind": "discard", "phase": "grab_discard", "card": card, "state": state}:
                return f"{who} discards {_card(card)} in return. {_sizes(state)}"
            case {"kind": "discard", "card": card}:
                return f"{who} discards {_card(card)}."
            case {"kind": "pass"}:
                return f"{who} could grab it and does not."
            case {"event": "kamon"}:
                return f"{who} says “Kamon!”"
            case {"event": "grab_order", "order": order}:
                return f"Several could grab it; the quickest first: {', '.join(f'Player {p + 1}' for p in order)}."
        raise ValueError(f"not a line of a busho trace: {line}")

    def _named(self, cards: Sequence[int]) -> list[str]:
        return [self.cards[card] for card in cards]

    def _table(self, state: Any) -> dict[str, Any]:
        size = int(state.pile_size)
        return {
            "hand_sizes": [int(cards) for cards in state.hand_size[: int(state.players)]],
            "discard_top": self.cards[int(state.pile[size - 1])] if size else None,
            "deck_left": int(state.deck_left),
        }


def _card(name: str) -> str:
    """A card as people say it: ``"武田"``, ``"信"``."""
    return name.partition("/")[2].partition("#")[0]


def _list(cards: Sequence[str]) -> str:
    return ", ".join(map(_card, cards))


def _sizes(state: Mapping[str, Any]) -> str:
    return "Hands: " + " – ".join(str(cards) for cards in state["hand_sizes"]) + "."
