"""Momiji in names: leaves, landscapes, objectives, actions and the lines of a trace.

A leaf is a number: type × 16 + face, a face is value × 4 + corners, and corners is 0 for none, 1 for an acorn on the
left, 2 on the right, 3 on both. Leaves with one number are alike, and whose of them is where makes no difference.

A *bunch* is a multiset of leaves of one type in an int64: bits 4 × face … 4 × face + 3 count the leaves with that face,
at most 7 of them.

An *item* is what the report judges: a kind of leaf (type × 4 + value), then the landscapes, then the objectives.

An action is an int64 with the kind in its three lowest bits. Above them, from the lowest bit on, lie

===========  =======================================================================================================
collect      type (3 bits), type of a second collection (3), or NO_TYPE
reveal       nothing: the new leaves are seen first, then `collect` follows
lay          leaves (3), swap (3: 0 for none, else 1 + place of its left pile), then 8 bits for each leaf in the order
             in which they are laid: leaf (7), and 1 if it begins a pile at the left end
activate     objective (4)
discard      two leaves (7 each), the lower number first
landscape    landscape (3)
end          nothing: the turn is over
trim         places in the hand, sorted by number, of the leaves that go; of leaves that are alike the first ones
===========  =======================================================================================================

Revealing and ending the turn are decisions without a line in the trace: the first shows in the Collect that follows,
the second in that somebody else comes next.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

SEATS = 4
TYPES = 6
VALUES = 4
CORNERS = ("-", "L", "R", "LR")
LEFT_ACORN, RIGHT_ACORN = 1, 2  # bits of corners
FACES = VALUES * len(CORNERS)
FACE_BITS, CORNER_BITS, COUNT_BITS = 4, 2, 4
TYPE_NAMES = "abcdef"
HIGHEST = VALUES - 1  # value that closes a pile

LANDSCAPES = ("second_type", "third_card", "two_from_deck", "leap", "swap", "patron")
SECOND_TYPE, THIRD_CARD, TWO_FROM_DECK, LEAP, SWAP, PATRON = range(6)
TILES = 3  # landscapes of a player

OBJECTIVES = (
    *(f"type:{name}" for name in TYPE_NAMES),
    *(f"value:{value}" for value in range(VALUES)),
    "visible_sum",
    "most_cards",
)
FIRST_VALUE = TYPES  # objective of value 0
VISIBLE_SUM, MOST_CARDS = TYPES + VALUES, TYPES + VALUES + 1

LEAF_KINDS = TYPES * VALUES
FIRST_LANDSCAPE = LEAF_KINDS  # item of the first landscape
FIRST_OBJECTIVE = FIRST_LANDSCAPE + len(LANDSCAPES)
AIMS = (  # the objectives in words
    *(f"most of type {name}" for name in TYPE_NAMES),
    *(f"most {value}s" for value in range(VALUES)),
    "highest visible sum",
    "most leaves laid",
)
ITEMS = (
    *(f"{value} of type {name}" for name in TYPE_NAMES for value in range(VALUES)),
    *(name.replace("_", " ") for name in LANDSCAPES),
    *AIMS,
)

COLLECT, REVEAL, LAY, ACTIVATE, DISCARD_TWO, LANDSCAPE, END_TURN, TRIM = range(8)  # kinds of action
KIND_BITS, TYPE_BITS, LEAF_BITS, LAID_BITS = 3, 3, 7, 8
LAY_SWAP = KIND_BITS + 3  # lowest bit of each field of a lay
LAY_LEAVES = LAY_SWAP + 3
NO_TYPE = 7
TRIM_PLACES = 60  # places of a hand that a trim can name

COSTS = ("activate", "patron", "reveal", "landscape")  # what acorns are paid for
COST_ACTIVATE, COST_PATRON, COST_REVEAL, COST_LANDSCAPE = range(4)
ACORNS = ("start", "pairs", "discards", *COSTS)  # where acorns come from and go to
FROM_START, FROM_PAIRS, FROM_DISCARDS, FOR_COSTS = range(4)
POINTS = ("piles", "acorns", "objectives")
DEEDS = ("collect", "lay one type", "lay different types", "activate")  # main actions

FEATURES = (  # what the rules can be played without
    "activating objectives",
    "landscapes",
    "discarding two for an acorn",
    "laying different types",
    "revealing leaves",
)
NO_ACTIVATING, NO_LANDSCAPES, NO_DISCARDING, NO_MIXING, NO_REVEALING = range(5)

REASONS = ("deck_empty", "torii_limit")
FREE, NOT_IN_PLAY = -1, -2  # instead of an objective's holder
NONE = -1
PHASES = ("main", "choose", "side", "trim", "over")


def leaf_name(leaf: int) -> str:
    """Name a leaf as the trace does, type, value and corners: ``"a:0:LR"``."""
    kind, corners = divmod(int(leaf), len(CORNERS))
    return f"{TYPE_NAMES[kind // VALUES]}:{kind % VALUES}:{CORNERS[corners]}"


def parse_leaf(name: str) -> int:
    """Give the number of the leaf of that name; the reverse of :func:`leaf_name`."""
    match name.split(":"):
        case [kind, value, corners] if kind in list(TYPE_NAMES) and value in list("0123") and corners in CORNERS:
            return (TYPE_NAMES.index(kind) * VALUES + int(value)) * len(CORNERS) + CORNERS.index(corners)
    raise ValueError(f"no such leaf: {name!r} (expected for example 'a:0:LR')")


def leaves_in(bunches: Any) -> list[int]:
    """List the leaves of a hand (a bunch for each type) in ascending order."""
    return [
        kind << FACE_BITS | face
        for kind, bunch in enumerate(bunches)
        for face in range(FACES)
        for _ in range(int(bunch) >> COUNT_BITS * face & 15)
    ]


# --- actions ----------------------------------------------------------------------------------------------------------


def collect_action(kind: Any, second: Any) -> Any:
    """Give the code (int64) of collecting a type, and a second one or NO_TYPE."""
    return np.int64(second) << (KIND_BITS + TYPE_BITS) | np.int64(kind) << KIND_BITS | COLLECT


def lay_action(leaves: Any, swap: Any) -> Any:
    """Give the code (int64) of a lay without its leaves, of which there are to be so many."""
    return np.int64(swap) << LAY_SWAP | np.int64(leaves) << KIND_BITS | LAY


def laid_leaf(place: Any, leaf: Any, left: Any) -> Any:
    """Give the bits (int64) that a lay has for the leaf laid at a place of its order."""
    return (np.int64(left) << LEAF_BITS | np.int64(leaf)) << (LAY_LEAVES + LAID_BITS * place)


def activate_action(objective: Any) -> Any:
    """Give the code (int64) of activating an objective."""
    return np.int64(objective) << KIND_BITS | ACTIVATE


def discard_action(first: Any, second: Any) -> Any:
    """Give the code (int64) of discarding two leaves for an acorn, the lower number first."""
    return np.int64(second) << (KIND_BITS + LEAF_BITS) | np.int64(first) << KIND_BITS | DISCARD_TWO


def landscape_action(landscape: Any) -> Any:
    """Give the code (int64) of using a landscape."""
    return np.int64(landscape) << KIND_BITS | LANDSCAPE


def trim_action(places: Any) -> Any:
    """Give the code (int64) of discarding the leaves at some places of the sorted hand."""
    return np.int64(places) << KIND_BITS | TRIM


def lay_of(laid: list[tuple[int, bool]], swap: int | None = None) -> int:
    """Give the code of laying leaves in order, each with whether it begins a pile at the left end."""
    code = int(lay_action(len(laid), 0 if swap is None else swap + 1))
    for place, (leaf, left) in enumerate(laid):
        code |= int(laid_leaf(place, leaf, left))
    return code


def laid_in(action: int) -> tuple[list[tuple[int, bool]], int | None]:
    """Split the code of a lay into its leaves and its swap; the reverse of :func:`lay_of`."""
    fields = [action >> (LAY_LEAVES + LAID_BITS * place) for place in range(action >> KIND_BITS & 7)]
    swap = action >> LAY_SWAP & 7
    return [(field & 127, bool(field >> LEAF_BITS & 1)) for field in fields], swap - 1 if swap else None


def action_text(action: int) -> str:
    """Put an action into words.

    Examples
    --------
    ``"collect a"`` · ``"collect a e"`` · ``"reveal"`` · ``"lay a:0:LR b:1:L"`` · ``"lay a:0:LR@left b:0:LR swap 0"`` ·
    ``"activate type:c"`` · ``"discard a:0:LR b:1:L"`` · ``"landscape leap"`` · ``"end turn"`` · ``"trim 0 3"``

    Raises
    ------
    ValueError
        If the number stands for no action of any game.
    """
    action = int(action)
    try:
        text = _action_words(action)
    except IndexError:
        text = ""
    if action < 0 or not text or parse_action(text) != action:
        raise ValueError(f"not an action of momiji: {action}")
    return text


def _action_words(action: int) -> str:
    field = action >> KIND_BITS
    match action & (1 << KIND_BITS) - 1:
        case 0:
            types = [field & 7, field >> TYPE_BITS]
            return " ".join(["collect", *(TYPE_NAMES[kind] for kind in types if kind != NO_TYPE)])
        case 1:
            return "reveal"
        case 2:
            laid, swap = laid_in(action)
            leaves = [leaf_name(leaf) + "@left" * left for leaf, left in laid]
            return " ".join(["lay", *leaves, *([] if swap is None else ["swap", str(swap)])])
        case 3:
            return f"activate {OBJECTIVES[field]}"
        case 4:
            return f"discard {leaf_name(field & 127)} {leaf_name(field >> LEAF_BITS)}"
        case 5:
            return f"landscape {LANDSCAPES[field]}"
        case 6:
            return "end turn"
    return " ".join(["trim", *(str(place) for place in range(TRIM_PLACES) if field >> place & 1)])


def parse_action(text: str) -> int:
    """Give the code of an action given in words; the reverse of :func:`action_text`.

    Raises
    ------
    ValueError
        If it is none.
    """
    types = list(TYPE_NAMES)
    match text.split():
        case ["collect", kind] if kind in types:
            return int(collect_action(types.index(kind), NO_TYPE))
        case ["collect", kind, second] if kind in types and second in types:
            return int(collect_action(types.index(kind), types.index(second)))
        case ["reveal"]:
            return REVEAL
        case ["lay", *leaves, "swap", swap] if swap in list("012345") and 0 < len(leaves) <= TYPES:
            return lay_of([_parse_laid(leaf) for leaf in leaves], int(swap))
        case ["lay", *leaves] if 0 < len(leaves) <= TYPES:
            return lay_of([_parse_laid(leaf) for leaf in leaves])
        case ["activate", objective] if objective in OBJECTIVES:
            return int(activate_action(OBJECTIVES.index(objective)))
        case ["discard", first, second]:
            return int(discard_action(*sorted([parse_leaf(first), parse_leaf(second)])))
        case ["landscape", name] if name in LANDSCAPES:
            return int(landscape_action(LANDSCAPES.index(name)))
        case ["end", "turn"]:
            return END_TURN
        case ["trim", *places] if places and all(map(_is_place, places)):
            return int(trim_action(sum(1 << place for place in {int(place) for place in places})))
    raise ValueError(f"not an action of momiji: {text!r} (expected for example 'lay a:0:LR b:1:L')")


def _parse_laid(text: str) -> tuple[int, bool]:
    name, _, side = text.partition("@")
    if side not in ("", "left"):
        raise ValueError(f"no such side: {side!r} (expected 'left' or none)")
    return parse_leaf(name), side == "left"


def _is_place(text: str) -> bool:
    return text.isdecimal() and int(text) < TRIM_PLACES


# --- the trace --------------------------------------------------------------------------------------------------------


def phase_name(state: Any) -> str:
    """Say what the decision is about."""
    return PHASES[int(state.phase)]


def state_text(state: Any) -> str:
    """Show the table and all hands in a few lines, for error messages and for people who debug."""
    view = _table(state)
    lines = [
        f"turn {int(state.turn) + 1}, player {int(state.seat) + 1} to {phase_name(state)}",
        f"display: {' '.join(view['display']) or '-'}; {view['deck_left']} leaves in the deck",
    ]
    for seat, piles in enumerate(view["piles"]):
        row = " | ".join(" ".join(pile["cards"]) for pile in piles) or "-"
        hand = " ".join(map(leaf_name, leaves_in(state.hand[seat]))) or "-"
        tiles = " ".join(LANDSCAPES[tile] for tile in state.tiles[seat] if tile != NONE) or "-"
        lines.append(
            f"player {seat + 1}: {view['acorns'][seat]} acorns, piles {row}, hand {hand}, landscapes left {tiles}"
        )
    return "\n".join(lines)


def setup_line(state: Any, rules: Any) -> dict[str, Any]:
    """Word the deal as a trace line."""
    seats = range(int(state.players))
    return {
        "hands": [[leaf_name(leaf) for leaf in leaves_in(state.hand[seat])] for seat in seats],
        "display": _display(state),
        "deck": [leaf_name(leaf) for leaf in state.deck[int(state.drawn_count) : int(state.deck_size)]],
        "landscapes": [[LANDSCAPES[tile] for tile in state.tiles[seat] if tile != NONE] for seat in seats],
        "objectives": [OBJECTIVES[each] for each in state.objectives[: int(state.objective_count)]],
        "acorns": _acorns(state),
    }


def action_line(before: Any, action: int, after: Any) -> dict[str, Any] | None:
    """Word an action as a trace line, with the table right after it; revealing and ending the turn have none."""
    what = _what(before, int(action))
    return None if what is None else {**what, "state": _table(after)}


def _what(before: Any, action: int) -> dict[str, Any] | None:
    field = action >> KIND_BITS
    match action & (1 << KIND_BITS) - 1:
        case 0:
            types = [TYPE_NAMES[kind] for kind in (field & 7, field >> TYPE_BITS) if kind != NO_TYPE]
            return {"phase": "main", "kind": "collect", "reveal": bool(before.revealed), "types": types}
        case 2:
            laid, swap = laid_in(action)
            sides = ["left" if left else "right" for _, left in laid]
            line = {"phase": "main", "kind": "lay", "cards": [leaf_name(leaf) for leaf, _ in laid], "side": sides}
            return line if swap is None else {**line, "swap": swap}
        case 3:
            return {"phase": "main", "kind": "activate", "objective": OBJECTIVES[field]}
        case 4:
            leaves = [leaf_name(field & 127), leaf_name(field >> LEAF_BITS)]
            return {"phase": "side", "kind": "discard_two", "cards": leaves}
        case 5:
            return {"phase": "side", "kind": "landscape", "name": LANDSCAPES[field]}
        case 7:
            hand = leaves_in(before.hand[int(before.seat)])
            return {
                "phase": "trim",
                "kind": "trim",
                "cards": [leaf_name(leaf) for place, leaf in enumerate(hand) if field >> place & 1],
            }
    return None


def follow_lines(before: Any, after: Any) -> Iterator[dict[str, Any]]:
    """Word an automatic step as a trace line; there are none."""
    yield from ()


def _table(state: Any) -> dict[str, Any]:
    return {
        "display": _display(state),
        "piles": [_piles(state, seat) for seat in range(int(state.players))],
        "acorns": _acorns(state),
        "deck_left": int(state.deck_size) - int(state.drawn_count),
        "closed": int(state.closed),
    }


def _display(state: Any) -> list[str]:
    return [leaf_name(leaf) for leaf in state.display[: int(state.display_length)]]


def _piles(state: Any, seat: int) -> list[dict[str, Any]]:
    piles = []
    for kind in map(int, state.row[seat][: int(state.row_length[seat])]):
        faces = state.lying[seat][kind][: int(state.height[seat][kind])]
        closed = int(faces[-1]) >> CORNER_BITS == HIGHEST
        cards = [leaf_name(kind << FACE_BITS | int(face)) for face in faces]
        piles.append({"type": TYPE_NAMES[kind], "cards": cards, "closed": closed})
    return piles


def _acorns(state: Any) -> list[int]:
    return [int(acorns) for acorns in state.acorns[: int(state.players)]]


# --- the story --------------------------------------------------------------------------------------------------------


def story(line: dict[str, Any]) -> str:
    """Tell one trace line as a sentence."""
    who = f"Player {line['seat'] + 1}" if "seat" in line else ""
    match line:
        case {"type": "setup"}:
            return _opening(line)
        case {"kind": "collect", "types": types, "reveal": reveal, "state": state}:
            first = f"pays for a look at more leaves ({_left(line)}) and " if reveal else ""
            return f"{who} {first}collects {' and '.join(types)}. On display: {_short(state['display'])}."
        case {"kind": "lay", "cards": cards}:
            return f"{who} lays {_short(cards)}{_swapped(line)}{_torii(line)}. Piles: {_row(line)}; {_left(line)}."
        case {"kind": "activate", "objective": objective}:
            return f"{who} activates {objective_words(objective)} ({_left(line)})."
        case {"kind": "discard_two", "cards": cards}:
            return f"{who} discards {_short(cards)} for an acorn ({_left(line)})."
        case {"kind": "landscape", "name": name}:
            return f"{who} uses the landscape {name.replace('_', ' ')} ({_left(line)})."
        case {"kind": "trim", "cards": cards}:
            return f"{who} discards {_short(cards)}, too many to hold."
    raise ValueError(f"not a line of a momiji trace: {line}")


def objective_words(name: str) -> str:
    """Say what an objective asks for: ``"most leaves of type a"``."""
    match name.split(":"):
        case ["type", kind]:
            return f"most leaves of type {kind}"
        case ["value", value]:
            return f"most {value}s"
        case ["visible_sum"]:
            return "the highest sum of visible leaves"
    return "most leaves"


def _opening(line: dict[str, Any]) -> str:
    tiles = [", ".join(names).replace("_", " ") or "no landscape" for names in line["landscapes"]]
    dealt = [
        f"Player {seat + 1} is dealt {_short(hand)}; {tiles[seat]}; {line['acorns'][seat]} acorns."
        for seat, hand in enumerate(line["hands"])
    ]
    aims = ", ".join(map(objective_words, line["objectives"])) or "none"
    return "\n".join([f"On display: {_short(line['display'])}. Objectives: {aims}.", *dealt])


def _short(leaves: list[str]) -> str:
    return ", ".join(leaf.removesuffix(":-") for leaf in leaves) or "nothing"


def _left(line: dict[str, Any]) -> str:
    acorns = line["state"]["acorns"][line["seat"]]
    return f"{acorns} acorn{'s' if acorns != 1 else ''} left"


def _row(line: dict[str, Any]) -> str:
    piles = line["state"]["piles"][line["seat"]]
    return ", ".join(f"{pile['type']} {'-'.join(card.split(':')[1] for card in pile['cards'])}" for pile in piles)


def _swapped(line: dict[str, Any]) -> str:
    return f" and swaps piles {line['swap'] + 1} and {line['swap'] + 2}" if "swap" in line else ""


def _torii(line: dict[str, Any]) -> str:
    closed = [card[0] for card in line["cards"] if card.split(":")[1] == str(HIGHEST)]
    return f", a torii on {' and '.join(dict.fromkeys(closed))}" if closed else ""
