"""Slow twin of busho: replays a trace line by line and checks it against the rules page.

Plain Python over lists and dicts, written from the rules page and the rule book alone; it imports nothing from the
simulator. A card is the text of the trace, ``"first/信#1"``; its kind is what is printed on it, ``"first/信"``.

The phases:

- ``draw``: ``seat`` draws; ``show``: it may show a general; ``discard``: it discards
- ``kamon``: the announcement of the last discarder is due
- ``grab_order``: the trace must name the order in which the able seats are asked
- ``grab``: ``seat`` grabs the last discard or passes; ``grab_discard``: the grabber discards in return
- ``end``: nothing is left to play, the trace must name the winners; ``closed``: it did

Declining to show leaves no line in a trace: `Game.declinable` says when it is a choice, `Game.decline` takes it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from random import Random
from typing import Any, NoReturn

Line = dict[str, Any]
"""One line of a trace, as `json.loads` gives it."""

# The default list of generals: each family with the given names of its generals, two kanji each.
FAMILIES = {
    "徳川": "家康 秀忠 家光 家綱 綱吉 家宣 家継 吉宗",
    "織田": "信長 信秀 信忠",
    "豊臣": "秀吉 秀頼 秀長",
    "武田": "信玄 勝頼",
    "上杉": "謙信 景勝",
    "前田": "利家 利長",
    "明智": "光秀",
    "池田": "恒興 輝政",
    "伊達": "政宗 輝宗 忠宗",
    "毛利": "元就 輝元 隆元",
    "北条": "氏康 氏政 氏直 早雲",
    "今川": "義元 氏真",
    "島津": "義久 義弘 家久",
    "長宗我部": "元親",
    "大友": "宗麟",
    "龍造寺": "隆信",
    "浅井": "長政",
    "朝倉": "義景",
    "斎藤": "道三 義龍",
    "松永": "久秀",
    "三好": "長慶",
    "足利": "義昭 義輝",
    "石田": "三成",
    "真田": "昌幸 信之 幸村",
    "柴田": "勝家",
    "丹羽": "長秀",
    "滝川": "一益",
    "細川": "藤孝 忠興",
    "黒田": "孝高 長政",
    "加藤": "清正",
    "福島": "正則",
    "大谷": "吉継",
    "小西": "行長",
    "宇喜多": "直家 秀家",
    "小早川": "隆景 秀秋",
    "吉川": "元春",
    "尼子": "経久 晴久",
    "大内": "義隆",
    "本多": "忠勝",
    "井伊": "直政",
    "榊原": "康政",
    "直江": "兼続",
    "最上": "義光",
    "佐竹": "義重",
    "藤堂": "高虎",
    "立花": "宗茂",
}

# Cards with more than one copy.
COPIES = {"徳川": 3, "織田": 2, "北条": 2, "秀": 2, "長": 2, "義": 2, "政": 2, "家": 2, "忠": 2, "信": 2}


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
    generals = [
        {"family": family, "given": list(given)} for family, names in FAMILIES.items() for given in names.split()
    ]
    kanji = dict.fromkeys(sign for general in generals for sign in general["given"])
    return {
        "hand_size": 12,
        "crests": "family",
        "grab_priority": "next_in_turn",
        "sets_per_turn": 1,
        "variant": "shown",
        "generals": generals,
        "family_cards": [{"family": family, "copies": COPIES.get(family, 1)} for family in FAMILIES],
        "first_name_cards": [{"kanji": sign, "copies": COPIES.get(sign, 1)} for sign in kanji],
    }


def kind_of(card: str) -> str:
    """Give what is printed on a card: ``"first/信"`` of ``"first/信#1"``."""
    return card.rsplit("#", 1)[0]


def copy_of(card: str) -> int:
    """Give the number of a card among its copies: 1 of ``"first/信#1"``."""
    return int(card.rsplit("#", 1)[1])


def is_first_name(card: str) -> bool:
    """Tell whether a card, or a kind, is a first name."""
    return card.startswith("first/")


def name_of(general: Line) -> str:
    """Give a general's full name, ``"武田信玄"``."""
    return str(general["family"]) + "".join(general["given"])


def kinds_of(general: Line) -> list[str]:
    """Give the three kinds that spell a general, in the order of the name."""
    return [f"family/{general['family']}"] + [f"first/{kanji}" for kanji in general["given"]]


def deck(rules: Line) -> list[str]:
    """List every card of the game, copy by copy.

    Parameters
    ----------
    rules : dict
        Whole rules object.

    Returns
    -------
    list of str
    """
    kinds = [(f"family/{entry['family']}", entry["copies"]) for entry in rules["family_cards"]]
    kinds += [(f"first/{entry['kanji']}", entry["copies"]) for entry in rules["first_name_cards"]]
    return [f"{kind}#{copy}" for kind, copies in kinds for copy in range(copies)]


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
        The first two lines of the trace; both are checked. With ``"draws": "per_seat"`` in the header nobody knows the
        order of the deck: then it is only checked that a drawn card was in it.

    Attributes
    ----------
    phase : str
        What the trace must tell next (see the module's docstring).
    seat : int or None
        Who decides; None when nobody does.
    drawer : int
        Whose turn it is.
    over : bool
        Nothing is left to play (the ``end`` line may still be due).
    hands : list of list of str
        Cards by seat.
    deck, discards : list of str
        The deck with the next card first, the discard pile with its top last.
    shown : list of list of (str, list of str)
        By seat, the generals shown with their three cards: drawn or grabbed.
    able : list of int
        Seats that can grab the top card and have not been asked, in the order of asking (in ``grab_order``: in turn
        order from the discarder).
    """

    def __init__(self, header_line: Line, setup_line: Line) -> None:
        self.line = 1
        self._read_header(header_line)
        self.line = 2
        self._read_setup(setup_line)
        self.discards: list[str] = []
        self.shown: list[list[tuple[str, list[str]]]] = [[] for _ in range(self.players)]
        self.able: list[int] = []
        self.turns = 0
        self.shows_left = 0
        self.reason: str | None = None
        # Seat 0 draws first.
        self.drawer = 0
        self.discarder = 0
        self.seat: int | None = 0
        self.phase = "draw"
        self.conserved()

    # The first two lines --------------------------------------------------------------------------

    def _read_header(self, line: Line) -> None:
        self._expect("type of the first line", line.get("type"), "game")
        self._expect("game", line.get("game"), "busho")
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
        self.draws = line.get("draws", "shared")
        if self.draws not in ("shared", "per_seat"):
            self._wrong("draws", self.draws, "'shared' or 'per_seat'")
        if not isinstance(line.get("rules"), dict):
            self._wrong("rules", line.get("rules"), "an object")
        self.rules: Line = line["rules"]
        self._expect("keys of the rules", sorted(self.rules), sorted(default_rules()))
        try:
            self._read_rules()
        except (KeyError, TypeError, AttributeError) as fault:
            raise Mismatch(1, "rules", repr(fault), "tables in the shape of the rules page") from fault

    def _read_rules(self) -> None:
        rules = self.rules
        self.hand_size: int = rules["hand_size"]
        if not is_count(self.hand_size, 3) or self.hand_size % 3 != 0:
            self._wrong("hand_size", self.hand_size, "a multiple of 3")
        if not is_count(rules["sets_per_turn"]):
            self._wrong("sets_per_turn", rules["sets_per_turn"], "a whole number")
        for key, choices in (("crests", ["family", "general"]), ("variant", ["shown", "hidden"])):
            if rules[key] not in choices:
                self._wrong(key, rules[key], choices)
        priority = rules["grab_priority"]
        if isinstance(priority, list):
            # Weights are positive, one per seat.
            if len(priority) < self.players or not all(type(part) in (int, float) and part > 0 for part in priority):
                self._wrong("grab_priority", priority, "a positive weight per seat")
        elif priority not in ("next_in_turn", "random"):
            self._wrong("grab_priority", priority, "'next_in_turn', 'random' or a weight per seat")
        self.generals: dict[str, list[str]] = {}
        for general in rules["generals"]:
            if len(general["given"]) != 2:
                self._wrong("general", general, "a family and two kanji")
            # No two generals may share a name or the same three cards.
            kinds = kinds_of(general)
            if name_of(general) in self.generals or sorted(kinds) in [sorted(own) for own in self.generals.values()]:
                self._wrong("general", general, "a name and three cards of its own")
            self.generals[name_of(general)] = kinds
        for entry in rules["family_cards"] + rules["first_name_cards"]:
            if not is_count(entry["copies"]):
                self._wrong("copies", entry, "a whole number")
        self.cards = deck(rules)
        if len(set(self.cards)) < len(self.cards):
            self._wrong("cards", sorted(self.cards), "each kind in one entry")
        if len(self.cards) <= self.players * self.hand_size:
            self._wrong("number of cards", len(self.cards), "more than the hands take")
        self.crests: dict[str, int] = {}
        for entry in rules["first_name_cards"]:
            # A first-name card shows one crest for each family with a general of that kanji, or for each such general.
            using = [general["family"] for general in rules["generals"] if entry["kanji"] in general["given"]]
            if "crests" in entry:
                self._expect(f"crests of {entry['kanji']}", sorted(entry["crests"]), sorted(set(using)))
            self.crests[f"first/{entry['kanji']}"] = len(using if rules["crests"] == "general" else set(using))

    def _read_setup(self, line: Line) -> None:
        self._expect("fields of the setup", sorted(line), ["deck", "hands", "type"])
        self._expect("type of the second line", line["type"], "setup")
        if not isinstance(line["hands"], list):
            self._wrong("hands", line["hands"], "a list of hands")
        self.hands = [self._list_of_cards("hand", hand) for hand in line["hands"]]
        self.deck = self._list_of_cards("deck", line["deck"])
        self._expect("hand sizes", [len(hand) for hand in self.hands], [self.hand_size] * self.players)

    def _list_of_cards(self, what: str, found: object) -> list[str]:
        if not isinstance(found, list) or not all(card in self.cards for card in found):
            self._wrong(what, found, "a list of cards of the game")
        return list(found)

    # What can be done -----------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        return self.phase in ("end", "closed")

    def legal(self) -> list[Line]:
        """List the legal actions of the seat to decide, without ``type``, ``seat``, ``phase`` and ``state``.

        A general is shown or grabbed in one way, with the lowest copies in the order of the name (see `canonical`);
        discards are physical cards. Declining to show, which leaves no line, is told by `declinable`.
        """
        if self.phase == "draw":
            cards = self.deck[:1] if self.draws == "shared" else self.deck
            return [{"kind": "draw", "card": card} for card in cards]
        if self.phase in ("discard", "grab_discard"):
            assert self.seat is not None
            return [{"kind": "discard", "card": card} for card in self.hands[self.seat]]
        if self.phase == "show":
            return [self._with_cards("show", general) for general in self._possible(self.seat, [])]
        if self.phase == "grab":
            grabs = [self._with_cards("grab", general) for general in self._possible(self.seat, self.discards[-1:])]
            return [*grabs, {"kind": "pass"}]
        return []

    def is_legal(self, action: Line) -> bool:
        """Tell whether an action is legal now, whatever the copies and the order of its cards.

        Parameters
        ----------
        action : dict
            In trace vocabulary, without ``type``, ``seat``, ``phase`` and ``state``.
        """
        kind = action.get("kind")
        if kind in ("show", "grab"):
            if self.phase != kind or sorted(action) != ["cards", "general", "kind"]:
                return False
            assert self.seat is not None
            cards, general = action["cards"], action["general"]
            if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
                return False
            if not isinstance(general, str) or general not in self.generals:
                return False
            if len(set(cards)) < len(cards) or not all(card in self.hands[self.seat] for card in cards):
                return False
            with_the_top = cards + (self.discards[-1:] if kind == "grab" else [])
            return sorted(kind_of(card) for card in with_the_top) == sorted(self.generals[general])
        return any(same(action, choice) for choice in self.legal())

    def canonical(self, action: Line) -> Line:
        """Give a legal action as `legal` writes it: equal cards make no difference when a general is shown."""
        if action["kind"] in ("show", "grab"):
            return self._with_cards(action["kind"], action["general"])
        return action

    @property
    def declinable(self) -> bool:
        """Whether the seat may also go on without any of the `legal` actions: showing is optional."""
        return self.phase == "show"

    def decline(self) -> None:
        """Show nothing (more) this turn; a trace has no line for it."""
        assert self.declinable
        self.phase = "discard"

    def _possible(self, seat: int | None, more: list[str]) -> list[str]:
        """Names that a hand spells, using ``more`` cards from outside it."""
        assert seat is not None
        return [name for name in self.generals if self._missing(seat, name, more) == []]

    def _missing(self, seat: int, general: str, more: list[str]) -> list[str] | None:
        """Kinds that a hand lacks for a name that uses all of ``more``; None if the name has no use for ``more``."""
        needed = list(self.generals[general])
        for card in more:
            if kind_of(card) not in needed:
                return None
            needed.remove(kind_of(card))
        for card in self.hands[seat]:
            if kind_of(card) in needed:
                needed.remove(kind_of(card))
        return needed

    def _with_cards(self, kind: str, general: str) -> Line:
        assert self.seat is not None
        needed = list(self.generals[general])
        if kind == "grab":
            needed.remove(kind_of(self.discards[-1]))
        hand = sorted(self.hands[self.seat], key=copy_of)
        cards = []
        for wanted in needed:
            card = next(card for card in hand if kind_of(card) == wanted)
            hand.remove(card)
            cards.append(card)
        return {"kind": kind, "general": general, "cards": cards}

    # One line after another -----------------------------------------------------------------------

    def feed(self, line: Line) -> None:
        """Take the next line of the trace: check that it is due, apply it, check what it says of the state.

        Parameters
        ----------
        line : dict
            An action, chance, event or end line.

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
        if self.declinable and line.get("kind") != "show":
            # A declined show is not written to a trace.
            self.decline()
        if self.phase == "kamon":
            self._expect("line", line, {"type": "event", "event": "kamon", "seat": self.discarder})
            self._open_grab()
        elif self.phase == "grab_order":
            self._read_grab_order(line)
        elif self.phase == "end":
            end = self.end()
            self._expect("fields of the end", sorted(line), sorted(end))
            for part in end:
                self._expect(f"end, {part}", line[part], end[part])
            self.phase = "closed"
        else:
            self._read_action(line)
        self.conserved()

    def _read_action(self, line: Line) -> None:
        for part, due in (("type", "action"), ("seat", self.seat), ("phase", self.phase)):
            self._expect(part, line.get(part), due)
        action = {key: value for key, value in line.items() if key not in ("type", "seat", "phase", "state")}
        if not self.is_legal(action):
            self._wrong("action", action, self.legal())
        self.act(action)
        self._expect("state", line.get("state"), self.state())

    def _read_grab_order(self, line: Line) -> None:
        self._expect("fields of the chance line", sorted(line), ["event", "order", "type"])
        self._expect("line", [line["type"], line["event"]], ["chance", "grab_order"])
        order = line["order"]
        if (
            not isinstance(order, list)
            or not all(is_count(seat) for seat in order)
            or sorted(order) != sorted(self.able)
        ):
            self._wrong("grab order", order, f"the seats {sorted(self.able)} in any order")
        self.able = list(order)
        self._ask()

    def act(self, action: Line) -> None:
        """Carry out a legal action, up to the next line that a trace must tell."""
        assert self.seat is not None
        seat, hand = self.seat, self.hands[self.seat]
        kind = action["kind"]
        if kind == "draw":
            self.deck.remove(action["card"])
            hand.append(action["card"])
            self.turns += 1
            # Hidden: sets are not shown when completed by drawing.
            self.shows_left = self.rules["sets_per_turn"] if self.rules["variant"] == "shown" else 0
            self._may_show()
        elif kind == "show":
            self._lay_out(action["general"], action["cards"], [])
            self.shows_left -= 1
            self._may_show()
        elif kind == "discard":
            hand.remove(action["card"])
            self.discards.append(action["card"])
            self.discarder = seat
            self._after_discard()
        elif kind == "grab":
            self._lay_out(action["general"], action["cards"], [self.discards.pop()])
            self.able = []
            self.phase = "grab_discard"
        else:
            # After a pass the next able seat is asked.
            self.able.pop(0)
            self._ask()

    def _may_show(self) -> None:
        self.phase = "show" if self.shows_left and self._possible(self.seat, []) else "discard"

    def _lay_out(self, general: str, own: list[str], grabbed: list[str]) -> None:
        assert self.seat is not None
        for card in own:
            self.hands[self.seat].remove(card)
        self.shown[self.seat].append((general, own + grabbed))

    def _after_discard(self) -> None:
        if not self.hands[self.discarder]:
            # The game ends the moment a discard empties a hand; nobody can grab that discard.
            self._finish("empty_hand")
        elif self.rules["variant"] == "hidden" and self._one_short(self.discarder):
            self.seat = None
            self.phase = "kamon"
        else:
            self._open_grab()

    def _one_short(self, seat: int) -> bool:
        # "Kamon": some general lacks exactly one of its three cards in hand.
        missing = [self._missing(seat, general, []) for general in self.generals]
        return any(kinds is not None and len(kinds) == 1 for kinds in missing)

    def _open_grab(self) -> None:
        # "Nearest after the discarder"; a discard in return counts from the grabber who made it.
        others = [(self.discarder + step) % self.players for step in range(1, self.players)]
        self.able = [seat for seat in others if self._possible(seat, self.discards[-1:])]
        if self.rules["grab_priority"] != "next_in_turn" and len(self.able) >= 2:
            self.seat = None
            self.phase = "grab_order"
        else:
            self._ask()

    def _ask(self) -> None:
        if self.able:
            self.seat = self.able[0]
            self.phase = "grab"
        elif self.deck:
            # The order of turns does not change, whoever grabbed.
            self.drawer = (self.drawer + 1) % self.players
            self.seat = self.drawer
            self.phase = "draw"
        else:
            # The deck is gone, after the last drawer's discard and its grabs.
            self._finish("deck")

    def _finish(self, reason: str) -> None:
        self.reason = reason
        self.seat = None
        self.phase = "end"

    # What a trace tells ---------------------------------------------------------------------------

    def state(self) -> Line:
        """Give the ``state`` field that an action line must carry now."""
        return {
            "hand_sizes": [len(hand) for hand in self.hands],
            "discard_top": self.discards[-1] if self.discards else None,
            "deck_left": len(self.deck),
        }

    def end(self) -> Line:
        """Give the end line of a game that is over."""
        left = [self._left_over(seat) for seat in range(self.players)]
        scores = [len(choices[0]) for choices in left]
        return {
            "type": "end",
            "scores": scores,
            "winners": self._winners(left),
            "rounds": -(-self.turns // self.players),
            "turns": self.turns,
            "reason": self.reason,
        }

    def _left_over(self, seat: int) -> list[list[str]]:
        """Kinds that a seat can be left with in the end: one list, or one for each way to lay down the most names."""
        kinds = sorted(kind_of(card) for card in self.hands[seat])
        if self.rules["variant"] == "shown" or self.reason == "empty_hand":
            return [kinds]
        # When the deck is gone each player lays down the largest number of disjoint names: name after name, in every
        # way, until no way goes on.
        ways = {tuple(kinds)}
        while True:
            further = set()
            for way in ways:
                held = Counter(way)
                for needed in self.generals.values():
                    if not Counter(needed) - held:
                        further.add(tuple(sorted((held - Counter(needed)).elements())))
            if not further:
                return [list(way) for way in sorted(ways)]
            ways = further

    def _winners(self, left: list[list[list[str]]]) -> list[int]:
        fewest = min(len(choices[0]) for choices in left)
        tied = [seat for seat in range(self.players) if len(left[seat][0]) == fewest]
        # Every name takes two first-name cards along, so their number is the same in every way of laying down. Equal
        # numbers: all of them count; else the fewest crests on as many cards as the tied player with the fewest has.
        counting = min(len([kind for kind in left[seat][0] if is_first_name(kind)]) for seat in tied)
        crests = {seat: min(self._fewest_crests(kinds, counting) for kinds in left[seat]) for seat in tied}
        return [seat for seat in tied if crests[seat] == min(crests.values())]

    def _fewest_crests(self, kinds: list[str], counting: int) -> int:
        crests = sorted(self.crests[kind] for kind in kinds if is_first_name(kind))
        return sum(crests[:counting])

    # What must always hold ------------------------------------------------------------------------

    def conserved(self) -> None:
        """Check what holds after every line.

        Raises
        ------
        Mismatch
            If a card is lost or doubled, a shown set is no general, or a hand has a wrong number of cards.
        """
        sets = [shown for seat in self.shown for shown in seat]
        places = [*self.hands, self.deck, self.discards, *(cards for _, cards in sets)]
        cards = [card for place in places for card in place]
        if sorted(cards) != sorted(self.cards):
            lost = [card for card in self.cards if card not in cards]
            extra = [card for card, times in Counter(cards).items() if times > 1 or card not in self.cards]
            self._wrong("cards in the game", {"lost": lost, "doubled or strange": extra}, "every card once")
        for general, three in sets:
            self._expect(f"cards of {general}", sorted(map(kind_of, three)), sorted(self.generals[general]))
        # Multiples of 3, but for the one who must discard.
        discarding = self.seat if self.phase in ("show", "discard", "grab_discard") else None
        odd = [len(hand) % 3 for hand in self.hands]
        self._expect("hands beyond multiples of 3", odd, [int(seat == discarding) for seat in range(self.players)])

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


def play_random(players: int, rules: Line, seed: int, willing: float = 1.0) -> Iterator[Line]:
    """Play one game with the reference random player at every seat.

    Parameters
    ----------
    players : int
        2 to 4.
    rules : dict
        Whole rules object, such as `default_rules` gives.
    seed : int
        The same seed gives the same game.
    willing : float
        Chance to show or grab when it is possible. The reference random player always does.

    Yields
    ------
    dict
        The lines of the trace.
    """
    stream = Random(seed)
    cards = deck(rules)
    stream.shuffle(cards)
    size = rules["hand_size"]
    hands = [cards[seat * size : (seat + 1) * size] for seat in range(players)]
    header = {"type": "game", "game": "busho", "version": 1, "players": players, "seed": seed, "deal": 0}
    header |= {"strategies": ["random"] * players, "rules": deepcopy(rules)}
    setup = {"type": "setup", "hands": hands, "deck": cards[players * size :]}
    yield header
    yield setup
    game = Game(header, setup)
    while game.phase != "closed":
        line = _random_line(game, stream, willing)
        if line is not None:
            yield line


def _random_line(game: Game, stream: Random, willing: float) -> Line | None:
    """Play on by one line; None if the step leaves none."""
    line: Line
    if game.phase == "kamon":
        line = {"type": "event", "event": "kamon", "seat": game.discarder}
    elif game.phase == "grab_order":
        line = {"type": "chance", "event": "grab_order", "order": _random_order(game, stream)}
    elif game.phase == "end":
        line = game.end()
    else:
        choices = game.legal()
        if game.phase in ("show", "grab"):
            eager = [choice for choice in choices if choice["kind"] != "pass"]
            if stream.random() < willing:
                choices = eager
            elif game.declinable:
                game.decline()
                return None
            else:
                choices = [{"kind": "pass"}]
        action = stream.choice(choices)
        line = {"type": "action", "seat": game.seat, "phase": game.phase, **action}
        game.act(action)
        game.conserved()
        line["state"] = game.state()
        return line
    game.feed(line)
    return line


def _random_order(game: Game, stream: Random) -> list[int]:
    # "random": a fair race; weights: drawn one by one in proportion.
    weights = game.rules["grab_priority"]
    left = list(game.able)
    order = []
    while left:
        odds = [1 if weights == "random" else weights[seat] for seat in left]
        order.append(stream.choices(left, odds)[0])
        left.remove(order[-1])
    return order
