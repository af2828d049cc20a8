"""Slow twin of momiji: replays a trace line by line and checks it against the rules page.

Plain Python over lists and dicts, written from the rules page and the rule book alone; it imports nothing from the
simulator. A leaf is the text of the trace, ``"type:value:corners"``; equal leaves are the same text. A pile is the list
of its leaves from the bottom, a row the list of a player's piles from the left.

The phases:

- ``main``: ``seat`` takes its main action, or a side action before it
- ``side``: the main action is done, a side action may follow
- ``trim``: ``seat`` discards down to the hand limit
- ``end``: nothing is left to play, the trace must name the winners; ``closed``: it did

Going on without a side action leaves no line in a trace: `Game.declinable` says when it is a choice, `Game.decline`
takes it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from itertools import combinations, pairwise, permutations, product
from random import Random
from typing import Any, NoReturn

Line = dict[str, Any]
"""One line of a trace, as `json.loads` gives it."""

TYPES = "abcdef"
VALUES = range(4)
TORII = 3  # the value that closes a pile
TILES = 3  # landscapes of a player

LANDSCAPES = ["second_type", "third_card", "two_from_deck", "leap", "swap", "patron"]

PHASE_OF_KIND = {
    "collect": "main",
    "lay": "main",
    "activate": "main",
    "discard_two": "side",
    "landscape": "side",
    "trim": "trim",
}


class Mismatch(Exception):
    """A trace says something that the rules do not.

    Attributes
    ----------
    line : int
        Number of the line in the trace; the header is line 1.
    what : str
        What was looked at.
    found, expected : object
        What the trace says, and what the rules ask for.
    """

    def __init__(self, line: int, what: str, found: object, expected: object) -> None:
        super().__init__(f"line {line}: {what}: found {found!r}, expected {expected!r}")
        self.line = line
        self.what = what
        self.found = found
        self.expected = expected


def default_rules() -> Line:
    """Give the rules object of a header with every default of the rules page filled in."""
    return {
        "types": [4, 5, 6],
        "corners": [["LR"] * 5, ["L", "L", "R", "R"], ["-"] * 3, ["-"] * 2],
        "hand_size": 6,
        "display_size": 4,
        "hand_limit": 8,
        "start_acorns": 3,
        "torii_limit": [4, 5, 6],
        "objectives": {"count": [4, 5, 6], "holder": 10, "others": 3, "points": {}},
        "costs": {"activate": 3, "patron": 1, "reveal": 1, "landscape": 1},
        "reveal_cards": 4,
        "gains": {"pair": 2, "discard_two": 1},
        "landscapes": {"list": list(LANDSCAPES), "assign": "preset", "removed": []},
        "rulings": {"refill": "to_four", "end": "at_once", "new_pile": "right"},
    }


def type_of(leaf: str) -> str:
    """Give the type of a leaf: ``"a"`` of ``"a:1:L"``."""
    return leaf.split(":")[0]


def value_of(leaf: str) -> int:
    """Give the value of a leaf: 1 of ``"a:1:L"``."""
    return int(leaf.split(":")[1])


def corners_of(leaf: str) -> str:
    """Give the lower corners of a leaf that show an acorn: ``"L"`` of ``"a:1:L"``."""
    return leaf.split(":")[2]


def is_closed(pile: list[str]) -> bool:
    """Tell whether a torii covers a pile."""
    return value_of(pile[-1]) == TORII


def deck(players: int, rules: Line) -> list[str]:
    """List every leaf of the game.

    Parameters
    ----------
    players : int
        2 to 4.
    rules : dict
        Whole rules object.

    Returns
    -------
    list of str
    """
    # The copies of a value are the length of its row of corners.
    return [
        f"{kind}:{value}:{corners}"
        for kind in TYPES[: rules["types"][players - 2]]
        for value in VALUES
        for corners in rules["corners"][value]
    ]


def objectives(players: int, rules: Line) -> list[str]:
    """List the objectives from which those in play are drawn."""
    types = TYPES[: rules["types"][players - 2]]
    return [*(f"type:{kind}" for kind in types), *(f"value:{value}" for value in VALUES), "visible_sum", "most_cards"]


def same(found: object, expected: object) -> bool:
    """Tell whether two JSON values are the same, types included: 1, 1.0 and true are three different things."""
    if isinstance(found, dict) and isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[key], expected[key]) for key in expected)
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(same(a, b) for a, b in zip(found, expected, strict=True))
    return type(found) is type(expected) and found == expected


def is_count(thing: object, least: int = 0) -> bool:
    """Tell whether a JSON value is a whole number of at least ``least``."""
    return type(thing) is int and thing >= least


class Game:
    """One game, replayed from its trace.

    Parameters
    ----------
    header_line, setup_line : dict
        The first two lines of the trace; both are checked.

    Attributes
    ----------
    phase : str
        What the trace must tell next (see the module's docstring).
    seat : int or None
        Who decides; None when nobody does.
    over : bool
        Nothing is left to play (the ``end`` line may still be due).
    hands : list of list of str
        Leaves by seat.
    display, deck, gone : list of str
        The display, the deck with the next leaf first, the leaves out of the game.
    rows : list of list of list of str
        Piles by seat.
    acorns : list of int
        Acorns by seat.
    landscapes : list of list of str
        Tiles that each seat can still use.
    middle : list of str
        Objective tokens not activated yet.
    held : list of list of str
        Activated objective tokens by seat.
    announced : str or None
        Landscape of this turn that changes the main action.
    turns : int
        Turns begun.
    reason : str or None
        The first end condition met.
    """

    def __init__(self, header_line: Line, setup_line: Line) -> None:
        self.line = 1
        self._read_header(header_line)
        self.line = 2
        self.gone: list[str] = []
        self.rows: list[list[list[str]]] = [[] for _ in range(self.players)]
        self.held: list[list[str]] = [[] for _ in range(self.players)]
        self.leaps = 0  # landscapes of that name spent so far
        self.reason: str | None = None
        self.reason_turn = 0  # the turn in which the end condition was met
        self.turns = 0
        self.phase = "main"
        self.seat: int | None = None
        self.announced: str | None = None
        self.discarded_two = False
        self.used_landscape = False
        self._read_setup(setup_line)
        self.conserved()
        # Seat 0 begins.
        self._begin_turn(0)

    # The first two lines --------------------------------------------------------------------------

    def _read_header(self, line: Line) -> None:
        self._expect("type of the first line", line.get("type"), "game")
        self._expect("game", line.get("game"), "momiji")
        players = line.get("players")
        if not is_count(players) or players not in (2, 3, 4):
            self._wrong("players", players, "2 to 4")
        self.players: int = players
        for name in ("version", "seed", "deal"):
            if not is_count(line.get(name)):
                self._wrong(name, line.get(name), "a whole number")
        strategies = line.get("strategies")
        if not isinstance(strategies, list) or len(strategies) != players:
            self._wrong("strategies", strategies, f"{players} of them")
        # The deck of the setup decides all, however it came about.
        if line.get("draws", "shared") not in ("shared", "per_seat"):
            self._wrong("draws", line["draws"], "'shared' or 'per_seat'")
        if not isinstance(line.get("rules"), dict):
            self._wrong("rules", line.get("rules"), "an object")
        self.rules: Line = line["rules"]
        try:
            self._read_rules()
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as fault:
            raise Mismatch(1, "rules", repr(fault), "tables in the shape of the rules page") from fault

    def _read_rules(self) -> None:
        rules, default = self.rules, default_rules()
        self._expect("keys of the rules", sorted(rules), sorted(default))
        for table in ("objectives", "costs", "gains", "landscapes", "rulings"):
            self._expect(f"keys of {table}", sorted(rules[table]), sorted(default[table]))
        for key, choices in (
            ("refill", ["to_four", "when_empty"]),
            ("end", ["at_once", "finish_round", "last_round"]),
            ("new_pile", ["right", "either_end"]),
        ):
            if rules["rulings"][key] not in choices:
                self._wrong(key, rules["rulings"][key], choices)
        if rules["landscapes"]["assign"] not in ("preset", "random", "draft", "off"):
            self._wrong("assign", rules["landscapes"]["assign"], ["preset", "random", "draft", "off"])
        numbers = [(key, rules[key], 1) for key in ("hand_size", "display_size", "reveal_cards")]
        numbers += [("hand_limit", rules["hand_limit"], 0)]
        numbers += [(f"costs.{key}", number, 0) for key, number in rules["costs"].items()]
        numbers += [(f"gains.{key}", number, 0) for key, number in rules["gains"].items()]
        numbers += [(f"objectives.{key}", rules["objectives"][key], 0) for key in ("holder", "others")]
        numbers += [(key, rules[key][self.players - 2], 1) for key in ("types", "torii_limit")]
        numbers += [("objectives.count", rules["objectives"]["count"][self.players - 2], 0)]
        for name, number, least in numbers:
            if not is_count(number, least):
                self._wrong(name, number, f"a whole number of at least {least}")
        # One number of acorns for everybody, or a list per seat.
        start = rules["start_acorns"]
        self.start_acorns: list[int] = start[: self.players] if isinstance(start, list) else [start] * self.players
        if len(self.start_acorns) < self.players or not all(is_count(number) for number in self.start_acorns):
            self._wrong("start_acorns", start, "a whole number, or one per seat")
        if rules["types"][self.players - 2] > len(TYPES):
            self._wrong("types", rules["types"], f"at most {len(TYPES)}")
        if len(rules["corners"]) != len(VALUES):
            self._wrong("corners", rules["corners"], "a row for each value")
        for row in rules["corners"]:
            for corners in row:
                if corners not in ("LR", "L", "R", "-"):
                    self._wrong("corners", corners, ["LR", "L", "R", "-"])
        self.leaves = deck(self.players, rules)
        if len(self.leaves) < self.players * rules["hand_size"]:
            self._wrong("number of leaves", len(self.leaves), "at least all hands")
        for name in rules["landscapes"]["list"]:
            if name not in LANDSCAPES:
                self._wrong("landscape", name, LANDSCAPES)
        # "A landscape removed from one seat": as "seat:name".
        self.removed: list[list[str]] = [[] for _ in range(4)]
        for entry in rules["landscapes"]["removed"]:
            seat, name = entry.split(":")
            self._expect("removed landscape", name in LANDSCAPES, True)
            self.removed[int(seat)].append(name)
        for objective in rules["objectives"]["points"]:
            self._points(objective)

    def _points(self, objective: str) -> tuple[int, int]:
        """What an objective brings to its holder and to others."""
        table = self.rules["objectives"]
        # An objective may have points of its own, those of the holder first.
        holder, others = table["points"].get(objective, [table["holder"], table["others"]])
        if type(holder) is not int or type(others) is not int:
            self._wrong(f"points of {objective}", [holder, others], "whole numbers")
        return holder, others

    def _read_setup(self, line: Line) -> None:
        fields = ["acorns", "deck", "display", "hands", "landscapes", "objectives", "type"]
        self._expect("fields of the setup", sorted(line), fields)
        self._expect("type of the second line", line["type"], "setup")
        self._expect("acorns", line["acorns"], self.start_acorns)
        for name in ("hands", "landscapes", "objectives"):
            if not isinstance(line[name], list):
                self._wrong(name, line[name], "a list")
        self.hands = [self._list_of_leaves("hand", hand) for hand in line["hands"]]
        self.display = self._list_of_leaves("display", line["display"])
        self.deck = self._list_of_leaves("deck", line["deck"])
        size = self.rules["hand_size"]
        self._expect("hand sizes", [len(hand) for hand in self.hands], [size] * self.players)
        left = len(self.leaves) - size * self.players
        self._expect("leaves on display", len(self.display), min(self.rules["display_size"], left))
        self.acorns = list(self.start_acorns)
        self.middle = list(line["objectives"])
        count = self.rules["objectives"]["count"][self.players - 2]
        pool = objectives(self.players, self.rules)
        if len(self.middle) != count or len(set(self.middle)) < count or not all(one in pool for one in self.middle):
            self._wrong("objectives", self.middle, f"{count} different ones of {pool}")
        self.in_play = list(self.middle)
        self._read_landscapes(line["landscapes"])

    def _list_of_leaves(self, what: str, found: object) -> list[str]:
        if not isinstance(found, list) or not all(leaf in self.leaves for leaf in found):
            self._wrong(what, found, "a list of leaves of the game")
        return list(found)

    def _read_landscapes(self, found: list[list[str]]) -> None:
        names, assign = self.rules["landscapes"]["list"], self.rules["landscapes"]["assign"]
        self._expect("hands of landscapes", len(found), self.players)
        for tiles in found:
            if not isinstance(tiles, list) or not all(tile in names for tile in tiles):
                self._wrong("landscapes", tiles, f"a list of some of {names}")
        # Tiles removed from a seat are out, whether the setup still names them or not.
        self.landscapes = [
            [tile for tile in tiles if tile not in self.removed[seat]] for seat, tiles in enumerate(found)
        ]
        number = 0 if assign == "off" else min(TILES, len(names))
        for seat, tiles in enumerate(self.landscapes):
            out = self.removed[seat]
            if assign in ("preset", "off"):
                # The first three of the list for everybody; or none.
                preset = [name for name in names[:number] if name not in out]
                self._expect(f"landscapes of seat {seat}", sorted(tiles), sorted(preset))
            else:
                # A drafter may have lost one name several times.
                fewest = 0 if out and assign == "draft" else number - len(set(out))
                if not fewest <= len(tiles) <= number:
                    self._wrong(f"landscapes of seat {seat}", tiles, f"{fewest} to {number} tiles")
                if assign == "random" and len(set(tiles)) < len(tiles):
                    self._wrong(f"landscapes of seat {seat}", tiles, "different tiles")
        if assign == "draft" and not any(self.removed) and not self._can_be_drafted(number):
            self._wrong("landscapes", self.landscapes, "tiles from packets of different ones, passed to the left")

    def _can_be_drafted(self, rounds: int) -> bool:
        # In round r a seat takes a tile of the packet that was dealt r seats to its right. Packets are independent, the
        # tiles of one are different.
        for taken in product(*(permutations(tiles) for tiles in self.landscapes)):
            packets: list[list[str]] = [[] for _ in range(self.players)]
            for seat, tiles in enumerate(taken):
                for turn, tile in enumerate(tiles[:rounds]):
                    packets[(seat - turn) % self.players].append(tile)
            if all(len(set(packet)) == len(packet) for packet in packets):
                return True
        return False

    # What can be done -----------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        return self.phase in ("end", "closed")

    def legal(self) -> list[Line]:
        """List the legal actions of the seat to decide, without ``type``, ``seat``, ``phase`` and ``state``.

        Before the main action that is every main and every side action, after it the side actions that are left. To go
        on without one leaves no line and is told by `declinable`. Ways of writing one and the same thing are listed
        once (see `canonical`).
        """
        return [action for kind in PHASE_OF_KIND for action in self._actions(kind)]

    def is_legal(self, action: Line) -> bool:
        """Tell whether an action is legal now, in whatever order its cards or types are written.

        Parameters
        ----------
        action : dict
            In trace vocabulary, without ``type``, ``seat``, ``phase`` and ``state``.
        """
        kind = action.get("kind", "")
        if kind == "lay":
            # Too many ways of writing to list them all.
            return self.phase == "main" and self._laid(action) is not None
        for name in ("types", "cards"):
            if name in action and (
                not isinstance(action[name], list) or not all(isinstance(entry, str) for entry in action[name])
            ):
                return False
        return any(same(self.canonical(action), choice) for choice in self._actions(kind))

    def _actions(self, kind: str) -> list[Line]:
        """Every legal action of a kind."""
        if self.phase == "main" and kind == "collect":
            return self._collects()
        if self.phase == "main" and kind == "lay":
            return self._lays()
        if self.phase == "main" and kind == "activate":
            return self._activations()
        if self.phase in ("main", "side") and kind == "discard_two" and not self.discarded_two:
            return [{"kind": kind, "cards": cards} for cards in self._from_hand(2)]
        if self.phase in ("main", "side") and kind == "landscape" and not self.used_landscape:
            return self._tiles()
        if self.phase == "trim" and kind == "trim":
            return [{"kind": kind, "cards": cards} for cards in self._from_hand(self._excess())]
        return []

    def canonical(self, action: Line) -> Line:
        """Give an action as `legal` writes it.

        Types collected and cards discarded have no order. Cards laid on piles that are there have no side; with
        different types they come first, in the order of the types; new piles are then told as they end up: those at the
        right end from the inside, then those at the left end from the inside.
        """
        if action.get("kind") == "lay":
            return self._canonical_lay(action)
        return {key: sorted(value) if key in ("types", "cards") else value for key, value in action.items()}

    def _collects(self) -> list[Line]:
        assert self.seat is not None
        choices = []
        for reveal in (False, True):
            # Paid first; "with an empty deck it is forbidden".
            if reveal and (self.acorns[self.seat] < self.rules["costs"]["reveal"] or not self.deck):
                continue
            types = sorted({type_of(leaf) for leaf in self._after_reveal(reveal)})
            sets = [[kind] for kind in types]
            if self.announced == "second_type":
                sets += [list(pair) for pair in combinations(types, 2)]
            choices += [{"kind": "collect", "reveal": reveal, "types": chosen} for chosen in sets]
        return choices

    def _after_reveal(self, reveal: bool) -> list[str]:
        # Fewer than four cards left: a reveal adds them all.
        return self.display + (self.deck[: self.rules["reveal_cards"]] if reveal else [])

    def _activations(self) -> list[Line]:
        assert self.seat is not None
        if self.acorns[self.seat] < self._activation_cost():
            return []
        return [{"kind": "activate", "objective": objective} for objective in self.middle]

    def _activation_cost(self) -> int:
        return int(self.rules["costs"]["patron" if self.announced == "patron" else "activate"])

    def _tiles(self) -> list[Line]:
        assert self.seat is not None
        if self.acorns[self.seat] < self.rules["costs"]["landscape"]:
            return []
        # All but two_from_deck are announced before the main action; that one needs a card in the deck.
        return [
            {"kind": "landscape", "name": name}
            for name in sorted(set(self.landscapes[self.seat]))
            if (self.deck if name == "two_from_deck" else self.phase == "main")
        ]

    def _from_hand(self, count: int) -> list[list[str]]:
        """Every set of so many leaves of the hand, equal leaves being the same."""
        assert self.seat is not None
        return [list(cards) for cards in sorted(set(combinations(sorted(self.hands[self.seat]), count)))]

    def _excess(self) -> int:
        assert self.seat is not None
        limit: int = self.rules["hand_limit"]
        return max(len(self.hands[self.seat]) - limit, 0)

    # Laying ---------------------------------------------------------------------------------------

    def _laid(self, action: Line) -> list[list[str]] | None:
        """Row of the seat after a lay, swap included; None if the lay is not legal."""
        assert self.seat is not None
        if not {"kind", "cards", "side"} <= action.keys() <= {"kind", "cards", "side", "swap"}:
            return None
        cards, sides = action["cards"], action["side"]
        if not isinstance(cards, list) or not isinstance(sides, list) or len(cards) != len(sides):
            return None
        if not all(isinstance(card, str) for card in cards) or Counter(cards) - Counter(self.hands[self.seat]):
            return None
        # Either one or two cards of one type (three with the landscape), or at least two of different types.
        types = {type_of(card) for card in cards}
        most = 3 if self.announced == "third_card" else 2
        if not (len(types) == len(cards) >= 2 or (len(types) == 1 and len(cards) <= most)):
            return None
        row = deepcopy(self.rows[self.seat])
        leaps = 1 if self.announced == "leap" else 0
        for card, side in zip(cards, sides, strict=True):
            step = self._step(row, card)
            if step is None or side not in ("left", "right"):
                return None
            leaps -= step == 2
            if leaps < 0:
                return None
            pile = self._pile(row, type_of(card))
            if pile is not None:
                pile.append(card)
            elif side == "right":
                row.append([card])
            elif self.rules["rulings"]["new_pile"] == "either_end":
                row.insert(0, [card])
            else:
                return None
        if "swap" in action:
            place = action["swap"]
            if self.announced != "swap" or not is_count(place) or place + 1 >= len(row):
                return None
            row[place], row[place + 1] = row[place + 1], row[place]
        return row

    def _pile(self, row: list[list[str]], kind: str) -> list[str] | None:
        return next((pile for pile in row if type_of(pile[0]) == kind), None)

    def _step(self, row: list[list[str]], card: str) -> int | None:
        """How much higher a card is than what it is laid on: 0 to 2; None if it cannot be laid at all."""
        pile = self._pile(row, type_of(card))
        if pile is None:
            # A pile starts with a 0.
            return 0 if value_of(card) == 0 else None
        step = value_of(card) - value_of(pile[-1])
        # The same value or one more, two more with a leap; nothing on a torii.
        return step if step in (0, 1, 2) and not is_closed(pile) else None

    def _lays(self) -> list[Line]:
        assert self.seat is not None
        row = self.rows[self.seat]
        lays: list[Line] = []
        for cards in [*self._lays_of_one_type(), *self._lays_of_different_types()]:
            new = [card for card in cards if self._pile(row, type_of(card)) is None]
            ends = ["right"]
            # In an empty row both ends are the same.
            if row and self.rules["rulings"]["new_pile"] == "either_end":
                ends = ["right", "left"]
            if len({type_of(card) for card in cards}) == 1:
                ways = [(cards, [end, *["right"] * (len(cards) - 1)]) for end in (ends if new else ["right"])]
            else:
                old = [card for card in cards if card not in new]
                ways = [
                    ([*old, *order], ["right"] * (len(cards) - left) + ["left"] * left)
                    for order in permutations(new)
                    for left in range(len(new) + 1 if "left" in ends else 1)
                ]
            lays += [{"kind": "lay", "cards": order, "side": sides} for order, sides in ways]
        if self.announced == "swap":
            lays += [{**lay, "swap": place} for lay in lays for place in range(len(self._laid(lay) or []) - 1)]
        return lays

    def _lays_of_one_type(self) -> list[list[str]]:
        assert self.seat is not None
        lays = []
        for kind in TYPES:
            own = [card for card in self.hands[self.seat] if type_of(card) == kind]
            for count in range(1, 4):
                for cards in sorted(set(permutations(own, count))):
                    if self._laid({"kind": "lay", "cards": list(cards), "side": ["right"] * count}) is not None:
                        lays.append(list(cards))
        return lays

    def _lays_of_different_types(self) -> list[list[str]]:
        """At least two types, a card each, in the order of the types."""
        assert self.seat is not None
        row = self.rows[self.seat]
        sets: list[list[str]] = [[]]
        for kind in TYPES:
            own = {
                card for card in self.hands[self.seat] if type_of(card) == kind and self._step(row, card) is not None
            }
            sets += [[*cards, card] for cards in sets for card in sorted(own)]
        return [
            cards
            for cards in sets
            if len(cards) >= 2
            and self._laid({"kind": "lay", "cards": cards, "side": ["right"] * len(cards)}) is not None
        ]

    def _canonical_lay(self, action: Line) -> Line:
        assert self.seat is not None
        before = self.rows[self.seat]
        cards = list(action["cards"])
        new = [card for card in cards if self._pile(before, type_of(card)) is None]
        if len({type_of(card) for card in cards}) == 1:
            sides = ["right"] * len(cards)
            if before and new:
                sides[0] = action["side"][0]
        else:
            old = sorted(card for card in cards if card not in new)
            side_of = dict(zip(cards, action["side"], strict=True))
            at_left = [card for card in new if side_of[card] == "left"]
            at_right = [card for card in new if side_of[card] == "right"]
            if not before:
                at_left, at_right = [], at_left[::-1] + at_right
            cards = [*old, *at_right, *at_left]
            sides = ["right"] * (len(cards) - len(at_left)) + ["left"] * len(at_left)
        return {**action, "cards": cards, "side": sides}

    # One line after another -----------------------------------------------------------------------

    def feed(self, line: Line) -> None:
        """Take the next line of the trace: check that it is due, apply it, check what it says of the state.

        Parameters
        ----------
        line : dict
            An action or end line.

        Raises
        ------
        Mismatch
            If the line breaks a rule or tells another state.
        """
        self.line += 1
        if not isinstance(line, dict):
            self._wrong("line", line, "an object")
        if self.phase == "closed":
            self._wrong("line after the end", line, "nothing")
        if self.declinable and not (line.get("phase") == "side" and line.get("seat") == self.seat):
            # Going on without a side action is not written to a trace.
            self.decline()
        if self.phase == "end":
            end = self.end()
            self._expect("fields of the end", sorted(line), sorted(end))
            for part in end:
                self._expect(f"end, {part}", line[part], end[part])
            self.phase = "closed"
        else:
            self._read_action(line)
        self.conserved()

    def _read_action(self, line: Line) -> None:
        phase = PHASE_OF_KIND.get(str(line.get("kind")), self.phase)
        for part, due in (("type", "action"), ("seat", self.seat), ("phase", phase)):
            self._expect(part, line.get(part), due)
        action = {key: value for key, value in line.items() if key not in ("type", "seat", "phase", "state")}
        if not self.is_legal(action):
            self._wrong("action", action, f"a legal one in phase {self.phase}, {self._situation()}")
        self.act(action)
        self._expect("state", line.get("state"), self.state())

    def _situation(self) -> str:
        assert self.seat is not None
        return (
            f"hand {sorted(self.hands[self.seat])}, row {self.rows[self.seat]}, display {self.display}, "
            f"{self.acorns[self.seat]} acorns, announced {self.announced}"
        )

    def act(self, action: Line) -> None:
        """Carry out a legal action, up to the next decision."""
        assert self.seat is not None
        hand = self.hands[self.seat]
        kind = action["kind"]
        if kind == "collect":
            self._collect(action["reveal"], action["types"])
        elif kind == "lay":
            self._lay(action)
        elif kind == "activate":
            self.acorns[self.seat] -= self._activation_cost()
            self.middle.remove(action["objective"])
            self.held[self.seat].append(action["objective"])
        elif kind == "discard_two":
            self._discard(action["cards"])
            self.acorns[self.seat] += self.rules["gains"]["discard_two"]
            self.discarded_two = True
        elif kind == "landscape":
            name = action["name"]
            self.acorns[self.seat] -= self.rules["costs"]["landscape"]
            # Each tile can be used once a game.
            self.landscapes[self.seat].remove(name)
            self.used_landscape = True
            self.leaps += name == "leap"
            if name == "two_from_deck":
                hand += self.deck[:2]
                self.deck = self.deck[2:]
            else:
                self.announced = name
        else:
            self._discard(action["cards"])
            self._end_turn()
            return
        if PHASE_OF_KIND[kind] == "main":
            self.phase = "side"
        self._test_the_end()
        if self.phase == "side" and not self.legal():
            self._after_sides()

    def _collect(self, reveal: bool, types: list[str]) -> None:
        assert self.seat is not None
        if reveal:
            self.acorns[self.seat] -= self.rules["costs"]["reveal"]
            self.display = self._after_reveal(True)
            self.deck = self.deck[self.rules["reveal_cards"] :]
        self.hands[self.seat] += [leaf for leaf in self.display if type_of(leaf) in types]
        self.display = [leaf for leaf in self.display if type_of(leaf) not in types]
        # Filled up after every Collect, or only once it is empty. Cards not taken stay.
        if self.rules["rulings"]["refill"] == "to_four" or not self.display:
            missing = max(self.rules["display_size"] - len(self.display), 0)
            self.display += self.deck[:missing]
            self.deck = self.deck[missing:]

    def _lay(self, action: Line) -> None:
        assert self.seat is not None
        row = self._laid(action)
        assert row is not None
        for card in action["cards"]:
            self.hands[self.seat].remove(card)
        self.rows[self.seat] = row
        if len({type_of(card) for card in action["cards"]}) >= 2:
            # All neighbouring pairs of the row pay if both facing corners of the top cards show an acorn.
            for left, right in pairwise(row):
                if "R" in corners_of(left[-1]) and "L" in corners_of(right[-1]):
                    self.acorns[self.seat] += self.rules["gains"]["pair"]

    def _discard(self, cards: list[str]) -> None:
        assert self.seat is not None
        for card in cards:
            self.hands[self.seat].remove(card)
        self.gone += cards

    @property
    def declinable(self) -> bool:
        """Whether the seat may also go on without any of the `legal` actions: side actions are optional."""
        return self.phase == "side"

    def decline(self) -> None:
        """Take no (more) side action this turn; a trace has no line for it."""
        assert self.declinable
        self._after_sides()

    def _begin_turn(self, seat: int) -> None:
        self.seat = seat
        self.turns += 1
        # A landscape lapses with the turn, used or not.
        self.announced = None
        self.discarded_two = False
        self.used_landscape = False
        self.phase = "main"

    def _after_sides(self) -> None:
        if self._excess():
            self.phase = "trim"
        else:
            self._end_turn()

    def _test_the_end(self) -> None:
        if self.reason is None and (not self.deck or self._closed() >= self.rules["torii_limit"][self.players - 2]):
            self.reason = "torii_limit" if self.deck else "deck_empty"
            self.reason_turn = self.turns
        at_once = self.rules["rulings"]["end"] == "at_once"
        # Display and deck both empty end the game under every ruling.
        if (self.reason is not None and at_once) or not (self.deck or self.display):
            self._finish()

    def _closed(self) -> int:
        return len([pile for row in self.rows for pile in row if is_closed(pile)])

    def _end_turn(self) -> None:
        assert self.seat is not None
        following = (self.seat + 1) % self.players
        if self.rules["rulings"]["end"] == "finish_round":
            last = following == 0
        else:
            # "last_round": everybody one more turn, the one who caused it last.
            last = self.turns == self.reason_turn + self.players
        if self.reason is not None and last:
            self._finish()
        else:
            self._begin_turn(following)

    def _finish(self) -> None:
        self.seat = None
        self.phase = "end"

    # What a trace tells ---------------------------------------------------------------------------

    def state(self) -> Line:
        """Give the ``state`` field that an action line must carry now."""
        return {
            "display": list(self.display),
            "piles": [
                [{"type": type_of(pile[0]), "cards": list(pile), "closed": is_closed(pile)} for pile in row]
                for row in self.rows
            ],
            "acorns": list(self.acorns),
            "deck_left": len(self.deck),
            "closed": self._closed(),
        }

    def scores(self) -> list[int]:
        """Score as if the game ended now."""
        scores = [acorns + sum(value_of(pile[-1]) * len(pile) for pile in row) for acorns, row in self._holdings()]
        for holder, tokens in enumerate(self.held):
            for objective in tokens:
                measures = [self._measure(objective, row) for row in self.rows]
                for seat, measure in enumerate(measures):
                    # Everyone who is best scores, but an objective in which everybody has 0 scores for nobody.
                    if measure == max(measures) > 0:
                        scores[seat] += self._points(objective)[0 if seat == holder else 1]
        return scores

    def _holdings(self) -> list[tuple[int, list[list[str]]]]:
        return list(zip(self.acorns, self.rows, strict=True))

    def _measure(self, objective: str, row: list[list[str]]) -> int:
        laid = [card for pile in row for card in pile]
        kind, _, which = objective.partition(":")
        if kind == "type":
            return len([card for card in laid if type_of(card) == which])
        if kind == "value":
            return len([card for card in laid if value_of(card) == int(which)])
        if kind == "visible_sum":
            return sum(value_of(pile[-1]) for pile in row)
        return len(laid)

    def end(self) -> Line:
        """Give the end line of a game that is over."""
        scores = self.scores()
        return {
            "type": "end",
            "scores": scores,
            "winners": [seat for seat in range(self.players) if scores[seat] == max(scores)],
            "rounds": -(-self.turns // self.players),
            "turns": self.turns,
            "reason": self.reason,
        }

    # What must always hold ------------------------------------------------------------------------

    def conserved(self) -> None:
        """Check what holds after every line.

        Raises
        ------
        Mismatch
            If a leaf or a token is lost or doubled, a pile has a wrong step, acorns are negative, or a waiting player
            holds too many leaves.
        """
        laid = [pile for row in self.rows for pile in row]
        places = [*self.hands, self.display, self.deck, self.gone, *laid]
        leaves = Counter(leaf for place in places for leaf in place)
        if leaves != Counter(self.leaves):
            lost, extra = Counter(self.leaves) - leaves, leaves - Counter(self.leaves)
            self._wrong("leaves in the game", {"lost": dict(lost), "doubled or strange": dict(extra)}, "each once")
        if min(self.acorns) < 0:
            self._wrong("acorns", self.acorns, "none below 0")
        tokens = [token for place in [self.middle, *self.held] for token in place]
        self._expect("objectives in the game", sorted(tokens), sorted(self.in_play))
        steps = Counter[int]()
        for row in self.rows:
            types = [type_of(pile[0]) for pile in row]
            if len(set(types)) < len(types):
                self._wrong("piles of a player", types, "one a type")
        for pile in laid:
            if {type_of(card) for card in pile} != {type_of(pile[0])} or value_of(pile[0]) != 0:
                self._wrong("pile", pile, "one type from a 0 on")
            if any(value_of(card) == TORII for card in pile[:-1]):
                self._wrong("pile", pile, "nothing on a torii")
            steps.update(value_of(high) - value_of(low) for low, high in pairwise(pile))
        if min(steps, default=0) < 0 or max(steps, default=0) > 2 or steps[2] > self.leaps:
            self._wrong("steps of the piles", dict(steps), f"0 or 1, and at most {self.leaps} of 2")
        most = max(self.rules["hand_limit"], self.rules["hand_size"])
        for seat, hand in enumerate(self.hands):
            if seat != self.seat and not self.reason and len(hand) > most:
                self._wrong(f"hand of seat {seat}", hand, f"at most {most} leaves between turns")

    def _expect(self, what: str, found: object, expected: object) -> None:
        if not same(found, expected):
            self._wrong(what, found, expected)

    def _wrong(self, what: str, found: object, expected: object) -> NoReturn:
        raise Mismatch(self.line, what, found, expected)


def check(lines: Iterable[Line]) -> Game:
    """Replay a whole trace, the end line included.

    Parameters
    ----------
    lines : iterable of dict
        The lines of the trace from the header on.

    Returns
    -------
    Game
        The game as it ended.

    Raises
    ------
    Mismatch
        At the first line that the rules do not bear out, or after the last one if the end is missing.
    """
    trace = iter(lines)
    game = Game(next(trace, {}), next(trace, {}))
    for line in trace:
        game.feed(line)
    if game.phase != "closed":
        raise Mismatch(game.line + 1, "end of the trace", "no line", f"a line of phase {game.phase}")
    return game


def deal_landscapes(players: int, rules: Line, stream: Random) -> list[list[str]]:
    """Deal the landscapes of a game; a drafter takes any tile.

    Parameters
    ----------
    players : int
        2 to 4.
    rules : dict
        Whole rules object.
    stream : random.Random
        Where chance comes from.

    Returns
    -------
    list of list of str
        Tiles by seat.
    """
    names, assign = rules["landscapes"]["list"], rules["landscapes"]["assign"]
    number = min(TILES, len(names))
    if assign == "off":
        dealt: list[list[str]] = [[] for _ in range(players)]
    elif assign == "preset":
        dealt = [names[:number] for _ in range(players)]
    else:
        dealt = [stream.sample(names, number) for _ in range(players)]
    if assign == "draft":
        packets, dealt = dealt, [[] for _ in range(players)]
        for turn in range(number):
            for seat in range(players):
                packet = packets[(seat - turn) % players]
                dealt[seat].append(packet.pop(stream.randrange(len(packet))))
    out = rules["landscapes"]["removed"]
    return [[tile for tile in tiles if f"{seat}:{tile}" not in out] for seat, tiles in enumerate(dealt)]


def play_random(players: int, rules: Line, seed: int, bold: float = 0.0) -> Iterator[Line]:
    """Play one game with the reference random player at every seat.

    Parameters
    ----------
    players : int
        2 to 4.
    rules : dict
        Whole rules object, such as `default_rules` gives.
    seed : int
        The same seed gives the same game.
    bold : float
        Chance of each decision to take any legal action instead, kinds of action alike: side actions and landscapes
        too. The reference random player never does.

    Yields
    ------
    dict
        The lines of the trace.
    """
    stream = Random(seed)
    leaves = deck(players, rules)
    stream.shuffle(leaves)
    size, shown = rules["hand_size"], rules["display_size"]
    rest = leaves[players * size :]
    start = rules["start_acorns"]
    header = {"type": "game", "game": "momiji", "version": 1, "players": players, "seed": seed, "deal": 0}
    header |= {"strategies": ["random"] * players, "rules": deepcopy(rules)}
    setup: Line = {
        "type": "setup",
        "hands": [leaves[seat * size : (seat + 1) * size] for seat in range(players)],
        "display": rest[:shown],
        "deck": rest[shown:],
        "landscapes": deal_landscapes(players, rules, stream),
        "objectives": stream.sample(objectives(players, rules), rules["objectives"]["count"][players - 2]),
        "acorns": start[:players] if isinstance(start, list) else [start] * players,
    }
    yield header
    yield setup
    game = Game(header, setup)
    while not game.over:
        action: Line | None
        action = _any_action(game, stream) if stream.random() < bold else reference_action(game, stream)
        if action is None:
            game.decline()
            continue
        line: Line = {"type": "action", "seat": game.seat, "phase": PHASE_OF_KIND[action["kind"]], **action}
        game.act(action)
        game.conserved()
        line["state"] = game.state()
        yield line
    yield game.end()


def _any_action(game: Game, stream: Random) -> Line | None:
    legal = game.legal()
    kinds: list[str | None] = sorted({action["kind"] for action in legal})
    kind = stream.choice([*kinds, None] if game.declinable else kinds)
    return None if kind is None else stream.choice([action for action in legal if action["kind"] == kind])


def reference_action(game: Game, stream: Random) -> Line | None:
    """Decide as the reference random player does.

    Parameters
    ----------
    game : Game
        Not over.
    stream : random.Random
        Where chance comes from.

    Returns
    -------
    dict or None
        An action without ``type``, ``seat``, ``phase`` and ``state``; None to go on without a side action.
    """
    assert game.seat is not None
    if game.phase == "side":
        return None
    hand, row = game.hands[game.seat], game.rows[game.seat]
    if game.phase == "trim":
        return {"kind": "trim", "cards": stream.sample(hand, len(hand) - game.rules["hand_limit"])}
    playable = {kind: [card for card in hand if type_of(card) == kind and _fits(row, card)] for kind in TYPES}
    types = [kind for kind in TYPES if playable[kind]]
    kinds = ["collect", *(["lay"] if types else []), *(["activate"] if game._activations() else [])]
    kind = stream.choice(kinds)
    if kind == "activate":
        return {"kind": "activate", "objective": stream.choice(game.middle)}
    if kind == "collect":
        can_reveal = bool(game.deck) and game.acorns[game.seat] >= game.rules["costs"]["reveal"]
        reveal = can_reveal and stream.random() < 0.5
        displayed = sorted({type_of(leaf) for leaf in game._after_reveal(reveal)})
        return {"kind": "collect", "reveal": reveal, "types": [stream.choice(displayed)]}
    modes = ["same", "different"] if len(types) >= 2 else ["same"]
    if stream.choice(modes) == "same":
        cards = _random_cards_of_a_type(playable[stream.choice(types)], hand, row, stream)
    else:
        sets = [chosen for count in range(2, len(types) + 1) for chosen in combinations(types, count)]
        cards = [stream.choice(playable[chosen]) for chosen in stream.choice(sets)]
    return {"kind": "lay", "cards": cards, "side": ["right"] * len(cards)}


def _fits(row: list[list[str]], card: str) -> bool:
    """Whether a card can be laid without a landscape."""
    pile = next((pile for pile in row if type_of(pile[0]) == type_of(card)), None)
    if pile is None:
        return value_of(card) == 0
    return not is_closed(pile) and value_of(card) - value_of(pile[-1]) in (0, 1)


def _random_cards_of_a_type(playable: list[str], hand: list[str], row: list[list[str]], stream: Random) -> list[str]:
    def second(first: str) -> list[str]:
        left = [card for card in hand if type_of(card) == type_of(first)]
        left.remove(first)
        # What fits on the first card: the same value or one more, nothing on a torii.
        return [card for card in left if value_of(first) < TORII and value_of(card) - value_of(first) in (0, 1)]

    # "2 possible" means that some ordered pair is playable; if nothing fits after the first card drawn, one is laid.
    count = stream.choice([1, 2] if any(second(card) for card in playable) else [1])
    first = stream.choice(playable)
    return [first, *(stream.sample(second(first), 1) if count == 2 and second(first) else [])]
