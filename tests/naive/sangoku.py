"""Slow twin of Sangoku: replays a trace line by line and checks it against the rules page.

Plain Python over dicts and lists, written from the rules page and the rule book alone; it imports nothing from the
simulator. Cards, Legends and tokens are the texts of the trace. The course of the game is written down as it is played:
`Game._course` and what it calls are generators that say which line is due and are sent that line once it is checked.

What can be due (`Game.due`, see there):

- an action of ``arrange``, ``wager``, ``redeem``, ``collect`` or ``haunt``, by one of certain seats
- a chance line: ``deal``, ``legend`` or ``reshuffle``
- an event, whose line follows from the rules word for word: ``reveal``, ``combat``, ``haunt``, ``round``
- the ``end`` line
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from copy import deepcopy
from itertools import combinations
from typing import Any, NoReturn

Line = dict[str, Any]
"""One line of a trace, as `json.loads` gives it."""

Course = Generator[Line, Line, None]
"""A stretch of play: yields what is due, is sent the line that came."""

REALMS = ["heavens", "earth", "hells"]
HAND_SIZE = {"heavens": 5, "earth": 5, "hells": 3}
REVEALING = ["hells", "earth", "heavens"]

SUITS = ["fire", "metal", "earth", "water", "wood"]
RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
BRIDGE, WILD, TEN, ACE = 1, 0, 10, 14  # ranks; a Wild has none and counts 0

HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH = 0, 1, 2, 3, 4, 5
FULL_HOUSE, STRAIGHT_FLUSH, FOUR, ROYAL_FLUSH, FIVE = 6, 7, 8, 9, 10

# What the sizes of the groups of equal cards make, in hands of five and of three.
GROUPED = {
    (5,): FIVE,
    (4, 1): FOUR,
    (3, 2): FULL_HOUSE,
    (3, 1, 1): THREE,
    (2, 2, 1): TWO_PAIR,
    (2, 1, 1, 1): PAIR,
    (1, 1, 1, 1, 1): HIGH_CARD,
    (3,): THREE,
    (2, 1): PAIR,
    (1, 1, 1): HIGH_CARD,
}

WARRIORS = {"dragon": 1, "oni": 1, "samurai": 2, "dog": 2}  # tokens of each suit
ALL_TOKENS = Counter({f"{suit}-{kind}": copies for suit in SUITS for kind, copies in WARRIORS.items()})
ALL_TOKENS.update(["genbu", "orochi"])

LEGENDS = ["fuujin", "onibi", "raijin", "hachiman", "genbu", "orochi", "kitsune", "yosei", "shinigami", "monkey_king"]

# What the ranks from 2 on are redeemed for; the others bring nothing.
REDEEMS = {
    name: dict(zip(RANKS, kinds.split(), strict=False))
    for name, kinds in {
        "default": "dragon oni oni samurai samurai dog dog dog",
        "even": "dragon dragon oni oni samurai samurai dog dog",
        "tokens": "dragon oni samurai samurai samurai dog dog dog",
    }.items()
}

DEFAULT_RULES: Line = {
    "bridges": 5,
    "wilds": 4,
    "ten_draws_legend": False,
    "bridge_redeems": "none",
    "wild_redeems": "none",
    "redeems": REDEEMS["default"],
    "copies": dict(zip(LEGENDS, [6, 6, 6, 6, 5, 5, 4, 4, 4, 2], strict=True)),
    "damage": {
        "onibi": [1, 2, 3, 5],
        "fuujin": [1, 2, 3, 5],
        "raijin": 4,
        "hachiman": 4,
        "shinigami": 2,
        "monkey_king": 1,
    },
    "size": {"raijin": 3, "hachiman": 3, "genbu": 3, "orochi": 3, "shinigami": 2},
    "power": {"dragon": 4, "oni": 3, "samurai": 2, "dog": 1, "genbu": 5, "orochi": 5},
    "defence": [12, 12, 12],
    "purple_line": 4,
    "purple_power": 4,
    "start_legends": 3,
    "max_rounds": 60,
    "bridge_suited": False,
    "wheel": True,
    "illegal_hand": "out",
    "back_from_the_brink": False,
    "hardcore": False,
    "haunted": False,
    "no_wager": [],
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


def same(left: object, right: object) -> bool:
    """Tell whether two JSON values are the same, type for type: 1, 1.0 and true are three different things."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def is_count(thing: object, least: int = 0) -> bool:
    """Tell whether a JSON value is a whole number of at least ``least``."""
    return type(thing) is int and thing >= least


# -------------------------------------------------------------------------------------- the rules object


def complete(rules: Line) -> Line:
    """Fill the defaults into a partial `rules` object and refuse what the rules page does not know.

    Parameters
    ----------
    rules : dict
        Rule keys of a config. Any may be missing, also inside tables; `redeems` may be the name of a preset and is
        taken whole.

    Returns
    -------
    dict
        Every key, in the shape that a trace's header carries.

    Raises
    ------
    Mismatch
        On line 1, naming the key.
    """
    full = deepcopy(DEFAULT_RULES)
    for key, value in rules.items():
        if key not in full:
            raise Mismatch(1, "key of the rules", key, sorted(full))
        if key == "redeems" and value in list(REDEEMS):
            full[key] = dict(REDEEMS[value])
        elif key in ("copies", "damage", "size", "power"):
            if not isinstance(value, dict) or not value.keys() <= full[key].keys():
                raise Mismatch(1, key, value, f"a table of {sorted(full[key])}")
            full[key] |= deepcopy(value)
        else:
            full[key] = deepcopy(value)
    for key, is_right, wish in _rule_checks(full):
        if not is_right:
            raise Mismatch(1, key, full[key], wish)
    return full


def _rule_checks(rules: Line) -> Iterator[tuple[str, bool, str]]:
    """For each key: whether its value can be played with, and what it should be."""
    for key in ("bridges", "wilds", "purple_line", "purple_power", "start_legends"):
        yield key, is_count(rules[key]), "a whole number"
    yield "max_rounds", is_count(rules["max_rounds"], 1), "a whole number of at least 1"
    for key in ("ten_draws_legend", "bridge_suited", "wheel", "back_from_the_brink", "hardcore"):
        yield key, type(rules[key]) is bool, "true or false"
    for key, words in (
        ("bridge_redeems", ["none", "orochi"]),
        ("wild_redeems", ["none", "genbu"]),
        ("illegal_hand", ["out", "forbid"]),
    ):
        yield key, rules[key] in words, f"one of {words}"
    haunted = rules["haunted"]
    yield "haunted", type(haunted) is bool or haunted == "choice", "true, false or 'choice'"
    redeems = rules["redeems"]
    yield (
        "redeems",
        isinstance(redeems, dict)
        and redeems.keys() <= set(RANKS)
        and all(kind in [*WARRIORS, "none"] for kind in redeems.values()),
        f"ranks with one of {[*WARRIORS, 'none']}",
    )
    for key in ("copies", "size", "power"):
        yield key, all(is_count(value) for value in rules[key].values()), "whole numbers"
    for name, value in rules["damage"].items():
        values = value if name in ("onibi", "fuujin") else [value]
        yield "damage", isinstance(values, list) and all(is_count(entry) for entry in values), "whole numbers"
    defence = rules["defence"]
    yield (
        "defence",
        isinstance(defence, list) and len(defence) == 3 and all(is_count(points, 1) for points in defence),
        "three whole numbers of at least 1",
    )
    yield (
        "no_wager",
        isinstance(rules["no_wager"], list) and all(is_count(seat) for seat in rules["no_wager"]),
        "a list of seats",
    )


def recruitment_deck(rules: Line) -> list[str]:
    """List the Recruitment cards: five suits of thirteen ranks, Bridges and Wilds."""
    suited = [f"{suit}-{rank}" for suit in SUITS for rank in RANKS]
    return suited + ["bridge"] * rules["bridges"] + ["wild"] * rules["wilds"]


def legend_cards(rules: Line) -> list[str]:
    """List the Legend cards."""
    return [name for name in LEGENDS for _ in range(rules["copies"][name])]


# -------------------------------------------------------------------------------------- hands of Recruitment cards


def rank_of(card: str) -> int:
    """Give the rank of a Recruitment card: 2 to 14, a Bridge 1, a Wild 0."""
    if card == "bridge":
        return BRIDGE
    if card == "wild":
        return WILD
    return 2 + RANKS.index(card.split("-")[1])


def strength(cards: list[str], rules: Line) -> list[int]:
    """Rank a hand of five or three cards.

    Parameters
    ----------
    cards : list of str
        Recruitment cards.
    rules : dict
        Complete rules; `bridge_suited` and `wheel` matter.

    Returns
    -------
    list of int
        Category and tie-breaks as in a `reveal` line. A stronger hand has the greater list, also a hand of five against
        a hand of three: when a three-card hand equals a five-card hand as far as it goes, the longer list is greater.
    """
    # Equal cards form groups, Bridges among themselves too; a Wild is never part of one.
    counts = Counter(rank_of(card) for card in cards if card != "wild")
    groups = [(count, rank) for rank, count in counts.items()] + [(1, WILD)] * cards.count("wild")
    # "Groups first, then kickers": larger groups first, higher ranks first among equal ones.
    groups.sort(reverse=True)
    sizes = tuple(count for count, _ in groups)
    readings = [[GROUPED[sizes], *(rank for _, rank in groups)]]
    # "The 3-card hand knows only the last four."
    if len(cards) == 5:
        height = straight_height(cards, rules["wheel"])
        flush = is_flush(cards, rules["bridge_suited"])
        if flush:
            readings.append([FLUSH, *sorted((rank_of(card) for card in cards), reverse=True)])
        if height is not None:
            readings.append([STRAIGHT, height])
        if flush and height == ACE:
            readings.append([ROYAL_FLUSH])
        elif flush and height is not None:
            readings.append([STRAIGHT_FLUSH, height])
    return max(readings)


def is_flush(cards: list[str], bridge_suited: bool) -> bool:
    """Tell whether cards can all be of one suit: a Wild is of any, a Bridge of none or, ``bridge_suited``, of any."""
    if "bridge" in cards and not bridge_suited:
        return False
    return len({card.split("-")[0] for card in cards if card not in ("bridge", "wild")}) <= 1


def straight_height(cards: list[str], wheel: bool) -> int | None:
    """Give the highest card of the best straight that five cards make, or None.

    Bridges stand for whatever number is missing. With ``wheel`` the Ace is also low, in A-2-3-4-5, whose height is 5.
    """
    if "wild" in cards:
        return None
    numbers = [rank_of(card) for card in cards if card != "bridge"]
    if len(set(numbers)) < len(numbers):
        return None
    for height in range(ACE, 5, -1):
        if all(height - 4 <= number <= height for number in numbers):
            return height
    if wheel and set(numbers) <= {ACE, 2, 3, 4, 5}:
        return 5
    return None


def hands_out(laid: dict[str, list[str]], rules: Line) -> list[str]:
    """Name the Realms whose hand is stronger than the next better one allows (it is "out", or forbidden).

    Parameters
    ----------
    laid : dict of str to list of str
        The cards by Realm.
    rules : dict
        Complete rules.
    """
    heavens, earth, hells = (strength(laid[realm], rules) for realm in REALMS)
    out = []
    if earth > heavens:
        out.append("earth")
    # Against the Earth hand as laid, even if that one is out.
    if hells > earth:
        out.append("hells")
    return out


# -------------------------------------------------------------------------------------- combat


def striking(mine: list[int], theirs: list[int]) -> list[int]:
    """Powers of those of my tokens that deal 1 damage to one opponent in one Realm.

    Parameters
    ----------
    mine, theirs : list of int
        Powers of all tokens there.
    """
    mine, theirs = sorted(mine, reverse=True), sorted(theirs, reverse=True)
    for power in list(mine):
        if power in theirs:
            mine.remove(power)
            theirs.remove(power)
    return [power for place, power in enumerate(mine) if place >= len(theirs) or power > theirs[place]]


class Game:
    """One game, replayed from its trace.

    Parameters
    ----------
    header_line, setup_line : dict
        The first two lines of the trace; both are checked. With ``"draws": "per_seat"`` in the header nobody knows the
        order of the Legend deck: then it is only checked that a drawn card was in it.

    Attributes
    ----------
    due : dict or None
        What must come next; None once the end line has been read. An event or the end: the very line. A chance line:
        its ``type`` and ``event`` (and ``seat``). An action: ``{"type": "action", "phase": …, "seats": […]}``.
    defence : list of dict
        Defence by seat and Realm.
    tokens : list of dict
        Tokens by seat and Realm; ``pool`` holds the others.
    legends : list of list of str
        Legend cards in hand by seat. ``legend_deck`` (next card first), ``discard`` and ``wagers`` hold the others.
    inside : list of int
        Seats still in, ascending.
    cards : list of list of str
        Recruitment cards dealt to each seat this round that are not laid yet; ``laid`` has the hands by seat and Realm.
    dealer : int
        Who holds the dealer marker.
    rounds, turns : int
        Deals, and hands dealt.
    reason : str or None
        Why the game is over.
    """

    def __init__(self, header_line: Line, setup_line: Line) -> None:
        self.line = 1
        self._read_header(header_line)
        self.line = 2
        self._read_setup(setup_line)
        self.defence = [dict(zip(REALMS, self.rules["defence"], strict=True)) for _ in range(self.players)]
        self.tokens: list[dict[str, list[str]]] = [{realm: [] for realm in REALMS} for _ in range(self.players)]
        self.pool = list(ALL_TOKENS.elements())
        self.discard: list[str] = []
        self.wagers: list[Line] = []
        self.inside = list(range(self.players))
        self.lost: list[list[str]] = [[] for _ in range(self.players)]
        self.cards: list[list[str]] = [[] for _ in range(self.players)]
        self.laid: list[dict[str, list[str]] | None] = [None] * self.players
        self.realm = ""  # the Realm being settled, while `redeem` is due
        self.winning: list[int] = []  # seats that have won a Realm this round
        self.rounds = 0
        self.turns = 0
        self.reason: str | None = None
        self.winners: list[int] = []
        self.due: Line | None = None
        self.begin(self._course())

    # ------------------------------------------------------------------ the first two lines

    def _read_header(self, header: Line) -> None:
        self._expect("type of the first line", header.get("type"), "game")
        self._expect("game", header.get("game"), "sangoku")
        self._expect("version", header.get("version"), 1)
        players = header.get("players")
        if type(players) is not int or not 2 <= players <= 5:
            self._wrong("players", players, "2 to 5")
        self.players: int = players
        strategies = header.get("strategies")
        if not isinstance(strategies, list) or len(strategies) != players:
            self._wrong("strategies", strategies, f"{players} strategies")
        for name in ("seed", "deal"):
            if not is_count(header.get(name)):
                self._wrong(name, header.get(name), "a whole number")
        self.draws = header.get("draws", "shared")
        if self.draws not in ("shared", "per_seat"):
            self._wrong("draws", self.draws, "'shared' or 'per_seat'")
        if not isinstance(header.get("rules"), dict):
            self._wrong("rules", header.get("rules"), "a rules object")
        self.rules = complete(header["rules"])
        self.all_recruits = Counter(recruitment_deck(self.rules))
        self.all_legends = Counter(legend_cards(self.rules))

    def _read_setup(self, setup: Line) -> None:
        self._fields(setup, "type", "legends", "legend_deck", "dealer")
        self._expect("type of the second line", setup["type"], "setup")
        # "Seat 0 deals first."
        self._expect("dealer", setup["dealer"], 0)
        if not isinstance(setup["legends"], list):
            self._wrong("legends", setup["legends"], "a list of hands")
        self.legends = [self._names("Legend hand", hand) for hand in setup["legends"]]
        self.legend_deck = self._names("Legend deck", setup["legend_deck"])
        # "Everyone starts with 3 Legend cards."
        sizes = [len(hand) for hand in self.legends]
        self._expect("sizes of the Legend hands", sizes, [self.rules["start_legends"]] * self.players)
        dealt = sorted([card for hand in self.legends for card in hand] + self.legend_deck)
        self._expect("all Legend cards", dealt, sorted(self.all_legends.elements()))
        self.dealer = 0

    # ------------------------------------------------------------------ looking at the game

    @property
    def phase(self) -> str:
        """What is due: a phase of the trace, the name of a chance line or an event, ``"end"`` or ``"closed"``."""
        if self.due is None:
            return "closed"
        for name in ("phase", "event"):
            if name in self.due:
                return str(self.due[name])
        return "end"

    @property
    def seats(self) -> list[int]:
        """Seats one of which acts next; empty unless an action is due."""
        if self.due is None or self.due["type"] != "action":
            return []
        return list(self.due["seats"])

    @property
    def seat(self) -> int | None:
        """The seat that acts next, the first of them if several may; None unless an action is due."""
        return self.seats[0] if self.seats else None

    @property
    def over(self) -> bool:
        """Whether nothing is left to play; the ``end`` line may still be due."""
        return self.phase in ("end", "closed")

    def legal(self, seat: int | None = None) -> list[Line]:
        """Every legal action of a seat in trace vocabulary, without ``type``, ``seat`` and ``phase``.

        The cards of a set come in alphabetical order. In ``arrange`` the list has up to 72 072 entries: `arrangements`
        gives them one by one, `is_legal` tests one.

        Parameters
        ----------
        seat : int, optional
            Whose actions; by default those of the seat that decides. A seat that may not act now has none.
        """
        if seat is None:
            seat = self.seat
        if seat is None or seat not in self.seats:
            return []
        if self.phase == "arrange":
            return list(self.arrangements(seat))
        if self.phase == "wager":
            return self._wagers(seat)
        if self.phase == "redeem":
            return self._redemptions(seat)
        if self.phase == "collect":
            return self._sets(seat)
        # "each … picks an own Realm not yet lost"
        return [{"kind": "haunt", "realm": realm} for realm in REALMS if self.defence[seat][realm] > 0]

    def is_legal(self, action: Line, seat: int | None = None) -> bool:
        """Tell whether an action is legal now, in any phase, whatever the order of its cards.

        Parameters
        ----------
        action : dict
            In trace vocabulary, without ``type``, ``seat`` and ``phase``.
        seat : int, optional
            Who acts; by default the seat that decides.
        """
        if seat is None:
            seat = self.seat
        if seat is None or seat not in self.seats:
            return False
        if self.phase == "arrange":
            return self._is_arrangement(action, self.cards[seat])
        if "cards" in action:
            if not isinstance(action["cards"], list) or not all(isinstance(card, str) for card in action["cards"]):
                return False
            action = {**action, "cards": sorted(action["cards"])}
        return any(same(action, other) for other in self.legal(seat))

    def _is_arrangement(self, action: Line, hand: list[str]) -> bool:
        if action.get("kind") != "arrange" or action.keys() != {"kind", *REALMS}:
            return False
        for realm in REALMS:
            cards = action[realm]
            if not isinstance(cards, list) or len(cards) != HAND_SIZE[realm]:
                return False
            if not all(isinstance(card, str) for card in cards):
                return False
        if sorted(card for realm in REALMS for card in action[realm]) != sorted(hand):
            return False
        # "out": such an arrangement may be laid. "forbid": it is an illegal action.
        return self.rules["illegal_hand"] == "out" or not hands_out(action, self.rules)

    def arrangements(self, seat: int) -> Iterator[Line]:
        """Give every legal arrangement of a seat's thirteen cards once, equal cards being the same."""
        hand = sorted(self.cards[seat])
        everything = range(len(hand))
        seen = set()
        for heavens in combinations(everything, 5):
            rest = [place for place in everything if place not in heavens]
            for hells in combinations(rest, 3):
                places = {
                    "heavens": heavens,
                    "earth": [place for place in rest if place not in hells],
                    "hells": hells,
                }
                action: Line = {realm: [hand[place] for place in places[realm]] for realm in REALMS}
                key = tuple(tuple(action[realm]) for realm in REALMS)
                if key not in seen:
                    seen.add(key)
                    if self.rules["illegal_hand"] == "out" or not hands_out(action, self.rules):
                        yield {"kind": "arrange", **action}

    def _wagers(self, seat: int) -> list[Line]:
        actions: list[Line] = [{"kind": "none"}]
        # "one seat barred from wagering": asked all the same, with one answer.
        if seat not in self.rules["no_wager"]:
            for card in sorted(set(self.legends[seat])):
                actions += [{"kind": "wager", "card": card, "realm": realm} for realm in REALMS]
        return actions

    def _redemptions(self, seat: int) -> list[Line]:
        laid = self.laid[seat]
        assert laid is not None
        actions: list[Line] = [{"kind": "none"}]
        for card in sorted(set(laid[self.realm])):
            actions += [
                {"kind": "redeem", "realm": self.realm, "card": card, "from": source} for source in self.sources(card)
            ]
        return actions

    def token_for(self, card: str) -> str | None:
        """Name the token that a Recruitment card can be redeemed for, or None."""
        if card in ("bridge", "wild"):
            kind = self.rules[f"{card}_redeems"]
            return None if kind == "none" else kind
        suit, rank = card.split("-")
        kind = self.rules["redeems"].get(rank, "none")
        return None if kind == "none" else f"{suit}-{kind}"

    def sources(self, card: str) -> list[Any]:
        """List what ``from`` may say when a Recruitment card is redeemed; nothing if the card cannot be redeemed."""
        # A 10 for a Legend replaces whatever the table says of the 10.
        if rank_of(card) == TEN and self.rules["ten_draws_legend"]:
            return ["legend"]
        token = self.token_for(card)
        if token is None:
            return []
        if token in self.pool:
            return ["pool"]
        # "else taken from any Realm of any player (own ones too …)"
        return [[seat, realm] for seat in range(self.players) for realm in REALMS if token in self.tokens[seat][realm]]

    def _sets(self, seat: int) -> list[Line]:
        actions: list[Line] = [{"kind": "none"}]
        for name in LEGENDS:
            if name in ("kitsune", "yosei"):
                continue
            for cards in self._ways_to_make(name, Counter(self.legends[seat])):
                turned_in = {"kind": "collect", "set": name, "cards": sorted(cards)}
                for realm in self.allowed_realms(name):
                    if name == "shinigami":
                        actions += [
                            {**turned_in, "realm": realm, "target": target, "steal": steal}
                            for target in self.inside
                            if target != seat
                            for steal in self.thefts(seat)
                        ]
                    else:
                        actions.append({**turned_in, "realm": realm})
        return actions

    def allowed_realms(self, name: str) -> list[str]:
        """List the Realms that a set may be played in (Genbu and Orochi: where the token may be placed)."""
        return {"raijin": ["heavens"], "hachiman": ["earth"]}.get(name, REALMS)

    def thefts(self, thief: int) -> list[list[Any] | None]:
        """List what ``steal`` may say when a seat plays a Shinigami set; nothing to steal is the list of None."""
        tokens: list[list[Any]] = [
            [seat, realm, token]
            for seat in range(self.players)
            if seat != thief
            for realm in REALMS
            for token in sorted(set(self.tokens[seat][realm]))
        ]
        # "stealing is compulsory if any opponent has a token"
        return [*tokens] or [None]

    def _ways_to_make(self, name: str, held: Counter[str]) -> list[list[str]]:
        """Every set of one kind that can be made of the Legends held, Kitsune and Yosei in any number."""
        ways: list[list[str]] = []
        if name == "monkey_king":
            # One Monkey King and at least one other kind, one card of each.
            others = [other for other in LEGENDS if other != "monkey_king" and held[other] > 0]
            if held["monkey_king"] > 0:
                for count in range(1, len(others) + 1):
                    ways += [["monkey_king", *kinds] for kinds in combinations(others, count)]
            return ways
        if name in ("onibi", "fuujin"):
            sizes = range(1, len(self.rules["damage"][name]) + 1)
            ways = [[name] * size for size in sizes if size <= held[name]]
        elif name == "shinigami":
            ways = [[name] * size for size in [self.rules["size"][name]] if 0 < size <= held[name]]
        else:
            # Raijin, Hachiman, Genbu, Orochi: Kitsune are wild, "at least one real card".
            size = self.rules["size"][name]
            ways = [
                [name] * real + ["kitsune"] * (size - real)
                for real in range(1, size + 1)
                if real <= held[name] and size - real <= held["kitsune"]
            ]
        if name not in ("genbu", "orochi"):
            # Yosei only add damage, so they join no set for a token.
            ways = [way + ["yosei"] * added for way in ways for added in range(held["yosei"] + 1)]
        return ways

    # ------------------------------------------------------------------ feeding lines

    def begin(self, course: Course) -> None:
        """Go on with a stretch of play from its beginning."""
        self._play = course
        self.due = next(course, None)

    def feed(self, line: Line) -> None:
        """Take the next line of the trace: check it against the rules and carry it out.

        Raises
        ------
        Mismatch
            If another line is due.
        """
        self.line += 1
        if self.due is None:
            self._wrong("line after the end", line, "nothing")
        if self.due["type"] == "action":
            self._check_action(line, self.due)
        elif self.due["type"] == "chance":
            self._check_chance(line, self.due)
        elif not same(_with_sorted_tokens(line), self.due):
            self._wrong("line", line, self.due)
        try:
            self.due = self._play.send(line)
        except StopIteration:
            self.due = None

    def _check_action(self, line: Line, due: Line) -> None:
        self._expect("type of the line", line.get("type"), "action")
        self._expect("phase", line.get("phase"), due["phase"])
        if not is_count(line.get("seat")) or line["seat"] not in due["seats"]:
            self._wrong("seat to act", line.get("seat"), due["seats"])
        action = {key: value for key, value in line.items() if key not in ("type", "phase", "seat")}
        if not self.is_legal(action, line["seat"]):
            if due["phase"] == "arrange":
                self._wrong("arrangement", action, f"a legal one of {self.cards[line['seat']]}")
            self._wrong("action", action, self.legal(line["seat"]))

    def _check_chance(self, line: Line, due: Line) -> None:
        self._expect("kind of line", [line.get("type"), line.get("event")], ["chance", due["event"]])
        if due["event"] == "deal":
            self._fields(line, "type", "event", "hands")
            hands = line["hands"]
            if not isinstance(hands, list) or len(hands) != self.players:
                self._wrong("hands", hands, f"{self.players} hands")
            dealt = [card for hand in hands if hand is not None for card in self._names("hand", hand)]
            sizes = [None if hand is None else len(hand) for hand in hands]
            # "13 Recruitment cards to each player still in"
            self._expect("sizes of the hands", sizes, [13 if n in self.inside else None for n in range(self.players)])
            extra = Counter(dealt) - self.all_recruits
            if extra:
                self._wrong("cards dealt", sorted(extra.elements()), "each card of the Recruitment deck once")
        elif due["event"] == "legend":
            self._fields(line, "type", "event", "seat", "card")
            self._expect("seat that draws", line["seat"], due["seat"])
            if self.draws == "shared":
                self._expect("Legend drawn", line["card"], self.legend_deck[0])
            elif line["card"] not in self.legend_deck:
                self._wrong("Legend drawn", line["card"], f"one of {self.legend_deck}")
        else:
            self._fields(line, "type", "event", "legend_deck")
            deck = self._names("new Legend deck", line["legend_deck"])
            self._expect("cards of the new Legend deck", sorted(deck), sorted(self.discard))

    # ------------------------------------------------------------------ the course of the game

    def _course(self) -> Course:
        while self.reason is None:
            yield from self._round()
            if self.reason is None and self.rounds == self.rules["max_rounds"]:
                self._stop_at_the_cap()
            if self.reason is None:
                yield from self._move_the_marker()
        yield {
            "type": "end",
            "scores": self.scores(),
            "winners": self.winners,
            "rounds": self.rounds,
            "turns": self.turns,
            "reason": self.reason,
        }

    def _round(self) -> Course:
        yield from self._deal()
        yield from self._arranging()
        yield from self._wagering()
        yield from self._revealing()
        yield from self._combat()
        yield from self._collection()
        # "closes each round, also one cut short"
        yield {"type": "event", "event": "round", "round": self.rounds, "state": self.state()}

    def _deal(self) -> Course:
        line = yield {"type": "chance", "event": "deal"}
        self.cards = [list(hand or []) for hand in line["hands"]]
        self.laid = [None] * self.players
        self.rounds += 1
        self.turns += len(self.inside)

    def _arranging(self) -> Course:
        # "all at once, hidden": the lines come in any order
        missing = list(self.inside)
        while missing:
            line = yield {"type": "action", "phase": "arrange", "seats": list(missing)}
            seat = line["seat"]
            self.laid[seat] = {realm: list(line[realm]) for realm in REALMS}
            self.cards[seat] = []
            missing.remove(seat)

    def _wagering(self) -> Course:
        for seat in self._in_order(self.dealer):
            line = yield from self._wager(seat)
            # "after losing a Realm a second wager is asked after a first, any Realm"
            if line["kind"] == "wager" and self.rules["back_from_the_brink"] and self.lost[seat]:
                yield from self._wager(seat)

    def _wager(self, seat: int) -> Generator[Line, Line, Line]:
        line = yield {"type": "action", "phase": "wager", "seats": [seat]}
        if line["kind"] == "wager":
            self.legends[seat].remove(line["card"])
            self.wagers.append({"seat": seat, "card": line["card"], "realm": line["realm"]})
        return line

    def _revealing(self) -> Course:
        self.winning = []
        for realm in REVEALING:
            yield from self._settle(realm)
        # "Whoever won no Realm draws a Legend."
        for seat in self._in_order(self.dealer + 1):
            if seat not in self.winning:
                yield from self._draw_legend(seat)
        # All Recruitment cards go back.
        self.laid = [None] * self.players

    def _settle(self, realm: str) -> Course:
        self.realm = realm
        ranks = [self._rank(seat, realm) for seat in range(self.players)]
        best = max((rank for rank in ranks if rank is not None), default=None)
        # Exact ties all win; nobody does if every hand is out.
        winners = [seat for seat in range(self.players) if ranks[seat] is not None and ranks[seat] == best]
        self.winning += winners
        yield {"type": "event", "event": "reveal", "realm": realm, "ranks": ranks, "winners": winners}
        # "With ties the winner next left of the dealer goes first."
        in_order = [seat for seat in self._in_order(self.dealer + 1) if seat in winners]
        for seat in in_order:
            yield from self._redeem(seat)
        yield from self._settle_wagers(realm, in_order)

    def _rank(self, seat: int, realm: str) -> list[int] | None:
        laid = self.laid[seat]
        if laid is None or realm in hands_out(laid, self.rules):
            return None
        return strength(laid[realm], self.rules)

    def _redeem(self, seat: int) -> Course:
        line = yield {"type": "action", "phase": "redeem", "seats": [seat]}
        if line["kind"] == "none":
            return
        if line["from"] == "legend":
            yield from self._draw_legend(seat)
            return
        token = self.token_for(line["card"])
        assert token is not None
        self._place(token, seat, line["realm"], line["from"])

    def _place(self, token: str, seat: int, realm: str, source: Any) -> None:
        """Put a token into a seat's Realm, from the pool or from where it lies, ``[seat, realm]``."""
        if source == "pool":
            self.pool.remove(token)
        else:
            holder, where = source
            self.tokens[holder][where].remove(token)
        self.tokens[seat][realm].append(token)

    def _settle_wagers(self, realm: str, winners: list[int]) -> Course:
        here = [wager for wager in self.wagers if wager["realm"] == realm]
        self.wagers = [wager for wager in self.wagers if wager["realm"] != realm]
        paid = [seat for seat in winners if any(wager["seat"] == seat for wager in here)]
        lost = [
            wager["card"]
            for seat in self._in_order(self.dealer + 1)
            if seat not in winners
            for wager in here
            if wager["seat"] == seat
        ]
        kept = [(wager["seat"], wager["card"]) for wager in here if wager["seat"] in winners]
        for seat, card in kept:
            self.legends[seat].append(card)
        if paid:
            # Tied winners share "one card at a time from left of the dealer".
            for number, card in enumerate(lost):
                self.legends[paid[number % len(paid)]].append(card)
        else:
            self.discard += lost
        for winner in paid:
            # One Legend for each winning wagered card.
            for seat, _ in kept:
                if seat == winner:
                    yield from self._draw_legend(winner)

    def _draw_legend(self, seat: int) -> Course:
        # The deck is rebuilt only when a card must be drawn; "both empty: nothing is drawn".
        if not self.legend_deck and self.discard:
            line = yield {"type": "chance", "event": "reshuffle"}
            self.legend_deck = list(line["legend_deck"])
            self.discard = []
        if self.legend_deck:
            line = yield {"type": "chance", "event": "legend", "seat": seat}
            self.legend_deck.remove(line["card"])
            self.legends[seat].append(line["card"])

    def _combat(self) -> Course:
        for realm in REALMS:
            line = self._fight(realm)
            yield line
            for seat in range(self.players):
                self.defence[seat][realm] -= line["taken"][seat]
        # "The elimination check comes after all three combats."
        self._fall()

    def _fight(self, realm: str) -> Line:
        everyone = range(self.players)
        powers = [[self._power(token) for token in self.tokens[seat][realm]] for seat in everyone]
        dealt = [[0] * self.players for _ in everyone]
        taken = [0] * self.players
        for victim in self.inside:
            blows = []
            for attacker in self.inside:
                if attacker != victim:
                    hits = striking(powers[attacker], powers[victim])
                    strong = len([power for power in hits if power >= self.rules["purple_power"]])
                    blows.append((strong, len(hits) - strong))
                    dealt[attacker][victim] = len(hits)
            if self.rules["hardcore"]:
                # The sum over the opponents, strong and weak apart, before the line is looked at.
                blows = [(sum(strong for strong, _ in blows), sum(weak for _, weak in blows))]
            have = self.defence[victim][realm]
            taken[victim] = max(self._loss(realm, have, strong, weak) for strong, weak in blows)
        return {"type": "event", "event": "combat", "realm": realm, "dealt": dealt, "taken": taken}

    def _power(self, token: str) -> int:
        power: int = self.rules["power"][token.split("-")[-1]]
        return power

    def _loss(self, realm: str, have: int, strong: int, weak: int) -> int:
        if realm != "heavens":
            return min(have, strong + weak)
        # Strong damage first; weak damage stops at the purple line.
        left = max(have - strong, 0)
        line = self.rules["purple_line"]
        if left > line:
            left = max(left - weak, line)
        return have - left

    def _collection(self) -> Course:
        # From the dealer on, past every place: an eliminated player's may haunt.
        for step in range(self.players):
            seat = (self.dealer + step) % self.players
            if self.reason is not None:
                return
            if seat in self.inside:
                line = yield {"type": "action", "phase": "collect", "seats": [seat]}
                if line["kind"] == "collect":
                    self._play_set(seat, line)
                    self._fall()
            else:
                yield from self._haunt(seat)

    def _play_set(self, seat: int, line: Line) -> None:
        name, cards, realm = line["set"], line["cards"], line["realm"]
        for card in cards:
            self.legends[seat].remove(card)
            self.discard.append(card)
        opponents = [other for other in self.inside if other != seat]
        damage = self.rules["damage"].get(name)
        added = cards.count("yosei")
        if name in ("genbu", "orochi"):
            self._place(name, seat, realm, "pool" if name in self.pool else self._holder(name))
        elif name == "monkey_king":
            self._hit(opponents, realm, damage * (len(cards) - 1))
        elif name == "shinigami":
            self._hit([line["target"]], realm, damage + added)
            if line["steal"] is not None:
                victim, where, token = line["steal"]
                # "the token keeps its Realm"
                self._place(token, seat, where, [victim, where])
        elif name in ("onibi", "fuujin"):
            self._hit(opponents, realm, damage[cards.count(name) - 1] + added)
        else:
            self._hit(opponents, realm, damage + added)

    def _holder(self, token: str) -> list[Any]:
        return next(
            [seat, realm] for seat in range(self.players) for realm in REALMS if token in self.tokens[seat][realm]
        )

    def _hit(self, seats: list[int], realm: str, damage: int) -> None:
        """Damage by Legends or a haunting: the purple line does not stop it."""
        for seat in seats:
            self.defence[seat][realm] = max(self.defence[seat][realm] - damage, 0)

    def _haunt(self, ghost: int) -> Course:
        if self.rules["haunted"] is False:
            return
        yield {"type": "event", "event": "haunt", "seat": ghost}
        hit = [(seat, realm) for seat in self.inside for realm in REALMS]
        if self.rules["haunted"] == "choice":
            hit = []
            for seat in self._in_order(ghost + 1):
                line = yield {"type": "action", "phase": "haunt", "seats": [seat]}
                hit.append((seat, line["realm"]))
        # "all at once, then step 8"
        for seat, realm in hit:
            self._hit([seat], realm, 1)
        self._fall()

    def _move_the_marker(self) -> Course:
        # "left to the next player with ≥ 2 Realms"; places that it passes may haunt, and so put out whom it meets next.
        self.dealer = (self.dealer + 1) % self.players
        while self.reason is None and self.dealer not in self.inside:
            yield from self._haunt(self.dealer)
            self.dealer = (self.dealer + 1) % self.players

    # ------------------------------------------------------------------ lost Realms and the end

    def _fall(self) -> None:
        """Step 8: Realms at 0 are lost, whoever has lost two is out, and the game may be over."""
        gone = []
        for seat in self.inside:
            for realm in REALMS:
                # Tokens return once, when the Realm falls.
                if self.defence[seat][realm] == 0 and realm not in self.lost[seat]:
                    self.lost[seat].append(realm)
                    self._return_tokens(seat, realm)
            if len(self.lost[seat]) >= 2:
                gone.append(seat)
        for seat in gone:
            self.inside.remove(seat)
            for realm in REALMS:
                self._return_tokens(seat, realm)
            self.discard += self.legends[seat]
            self.legends[seat] = []
        if len(self.inside) == 1:
            self.reason, self.winners = "last", list(self.inside)
        elif not self.inside:
            # "most defence in the remaining Realm; equal → tie": the lost Realms are at 0.
            most = max(self.scores()[seat] for seat in gone)
            self.reason, self.winners = "together", [seat for seat in gone if self.scores()[seat] == most]

    def _return_tokens(self, seat: int, realm: str) -> None:
        self.pool += self.tokens[seat][realm]
        self.tokens[seat][realm] = []

    def _stop_at_the_cap(self) -> None:
        # "ranking by Realms left, then total defence"
        standing = {seat: (3 - len(self.lost[seat]), self.scores()[seat]) for seat in self.inside}
        best = max(standing.values())
        self.reason, self.winners = "capped", [seat for seat in self.inside if standing[seat] == best]

    def scores(self) -> list[int]:
        """Sum each seat's three defences."""
        return [sum(self.defence[seat].values()) for seat in range(self.players)]

    def state(self) -> Line:
        """Give the `state` field of a `round` line as the game stands now, tokens in alphabetical order."""
        return {
            "defence": [[self.defence[seat][realm] for realm in REALMS] for seat in range(self.players)],
            "tokens": [[sorted(self.tokens[seat][realm]) for realm in REALMS] for seat in range(self.players)],
            "legend_hands": [len(hand) for hand in self.legends],
            "dealer": self.dealer,
            "in": list(self.inside),
        }

    def _in_order(self, first: int) -> list[int]:
        """Seats still in, from a place on."""
        places = [(first + step) % self.players for step in range(self.players)]
        return [seat for seat in places if seat in self.inside]

    # ------------------------------------------------------------------ what must always hold

    def conserved(self) -> None:
        """Check what holds after every line: cards and tokens each lie in one place, no defence is below 0.

        Raises
        ------
        Mismatch
            If something is lost or doubled.
        """
        dealt = [card for hand in self.cards for card in hand]
        dealt += [card for laid in self.laid if laid is not None for cards in laid.values() for card in cards]
        if len(dealt) not in (0, 13 * len(self.inside)) or not Counter(dealt) <= self.all_recruits:
            self._wrong("Recruitment cards", sorted(dealt), "13 for each player still in")
        legends = [card for hand in self.legends for card in hand] + self.legend_deck + self.discard
        legends += [wager["card"] for wager in self.wagers]
        if Counter(legends) != self.all_legends:
            self._wrong("Legend cards", sorted(legends), sorted(self.all_legends.elements()))
        tokens = [token for realms in self.tokens for held in realms.values() for token in held] + self.pool
        if Counter(tokens) != ALL_TOKENS:
            self._wrong("tokens", sorted(tokens), sorted(ALL_TOKENS.elements()))
        if any(points < 0 for realms in self.defence for points in realms.values()):
            self._wrong("defence", self.defence, "nothing below 0")

    def _names(self, what: str, found: object) -> list[str]:
        if not isinstance(found, list) or not all(isinstance(card, str) for card in found):
            self._wrong(what, found, "a list of cards")
        return list(found)

    def _fields(self, line: Line, *names: str) -> None:
        self._expect("fields of the line", sorted(line), sorted(names))

    def _expect(self, what: str, found: object, expected: object) -> None:
        if not same(found, expected):
            self._wrong(what, found, expected)

    def _wrong(self, what: str, found: object, expected: object) -> NoReturn:
        raise Mismatch(self.line, what, found, expected)


def _with_sorted_tokens(line: Line) -> Line:
    """The same line with the tokens of each Realm in alphabetical order: their order means nothing."""
    state = line.get("state")
    if not isinstance(state, dict) or not isinstance(state.get("tokens"), list):
        return line
    tokens = [
        [sorted(held, key=str) if isinstance(held, list) else held for held in realms]
        if isinstance(realms, list)
        else realms
        for realms in state["tokens"]
    ]
    return {**line, "state": {**state, "tokens": tokens}}


def check(lines: Iterable[Line]) -> Game:
    """Replay a whole trace.

    Parameters
    ----------
    lines : iterable of dict
        The lines of the trace from the header to the ``end`` line.

    Returns
    -------
    Game
        The finished game.

    Raises
    ------
    Mismatch
        At the first line that the rules do not allow, or after the last one if the trace stops too early.
    """
    remaining = iter(lines)
    game = Game(next(remaining, {}), next(remaining, {}))
    game.conserved()
    for line in remaining:
        game.feed(line)
        game.conserved()
    if game.phase != "closed":
        raise Mismatch(game.line + 1, "end of the trace", "no line", game.due)
    return game


# -------------------------------------------------------------------------------------- the reference random player

Chooser = Callable[[Game, random.Random], Line]
"""Picks a legal action of `Game.seat`, in trace vocabulary without `type`, `seat` and `phase`."""


def choose_randomly(game: Game, stream: random.Random) -> Line:
    """Do what the reference random player does.

    Parameters
    ----------
    game : Game
        Waits for an action.
    stream : random.Random
        Its dice.
    """
    seat = game.seat
    assert seat is not None
    if game.phase == "arrange":
        return _arrange_randomly(game, seat, stream)
    if game.phase == "wager":
        # "with chance 1/2 none (always none without Legends)"
        barred = seat in game.rules["no_wager"] or not game.legends[seat]
        if barred or stream.random() < 0.5:
            return {"kind": "none"}
        return {"kind": "wager", "card": stream.choice(game.legends[seat]), "realm": stream.choice(REALMS)}
    if game.phase == "redeem":
        return _redeem_randomly(game, seat, stream)
    if game.phase == "collect":
        return _collect_randomly(game, seat, stream)
    return stream.choice(game.legal())


def _arrange_randomly(game: Game, seat: int, stream: random.Random) -> Line:
    while True:
        cards = stream.sample(game.cards[seat], 13)
        weaker, stronger = sorted([cards[:5], cards[5:10]], key=lambda hand: strength(hand, game.rules))
        action = {"heavens": stronger, "earth": weaker, "hells": cards[10:]}
        if not hands_out(action, game.rules):
            return {"kind": "arrange", **action}


def _redeem_randomly(game: Game, seat: int, stream: random.Random) -> Line:
    laid = game.laid[seat]
    assert laid is not None
    cards = [card for card in laid[game.realm] if game.sources(card)]
    if not cards:
        return {"kind": "none"}
    card = stream.choice(cards)
    # "uniform over the tokens in play of that suit and kind": a Realm with two of them counts twice
    token = game.token_for(card)
    sources = game.sources(card)
    weights = [1 if isinstance(place, str) else game.tokens[place[0]][place[1]].count(str(token)) for place in sources]
    source = stream.choices(sources, weights)[0]
    return {"kind": "redeem", "realm": game.realm, "card": card, "from": source}


def _collect_randomly(game: Game, seat: int, stream: random.Random) -> Line:
    held = Counter(game.legends[seat])
    largest: dict[str, list[str]] = {}
    for name in LEGENDS:
        if name == "monkey_king":
            if held[name] and len(held) > 1:
                largest[name] = sorted(held)
        elif name in ("onibi", "fuujin"):
            size = min(held[name], len(game.rules["damage"][name]))
            if size:
                largest[name] = [name] * size
        elif name in game.rules["size"]:
            size = game.rules["size"][name]
            if 0 < size <= held[name]:
                largest[name] = [name] * size
    if not largest:
        return {"kind": "none"}
    name = stream.choice(list(largest))
    action: Line = {"kind": "collect", "set": name, "cards": largest[name]}
    action["realm"] = stream.choice(game.allowed_realms(name))
    if name == "shinigami":
        action["target"] = stream.choice([other for other in game.inside if other != seat])
        thefts = game.thefts(seat)
        weights = [1 if theft is None else game.tokens[theft[0]][theft[1]].count(theft[2]) for theft in thefts]
        action["steal"] = stream.choices(thefts, weights)[0]
    return action


def play_random(players: int, rules: Line, seed: int, choose: Chooser = choose_randomly) -> Iterator[Line]:
    """Play a game, by default with reference random players.

    Parameters
    ----------
    players : int
        2 to 5.
    rules : dict
        Rule keys of a config; missing ones have their defaults.
    seed : int
        The same seed gives the same game.
    choose : callable, optional
        Who plays at every seat.

    Yields
    ------
    dict
        The lines of the trace.
    """
    stream = random.Random(seed)
    rules = complete(rules)
    legends = legend_cards(rules)
    stream.shuffle(legends)
    size = rules["start_legends"]
    header: Line = {"type": "game", "game": "sangoku", "version": 1, "players": players, "seed": seed, "deal": 0}
    header |= {"strategies": ["random"] * players, "rules": rules}
    setup: Line = {"type": "setup", "legends": [legends[seat * size : (seat + 1) * size] for seat in range(players)]}
    setup |= {"legend_deck": legends[players * size :], "dealer": 0}
    yield header
    yield setup
    game = Game(header, setup)
    while game.due is not None:
        line = dict(game.due)
        if line["type"] == "action":
            line = {"type": "action", "seat": game.seat, "phase": game.phase, **choose(game, stream)}
        elif line.get("event") == "deal":
            cards = stream.sample(recruitment_deck(rules), 13 * len(game.inside))
            line["hands"] = [None] * players
            for number, seat in enumerate(game.inside):
                line["hands"][seat] = cards[13 * number : 13 * number + 13]
        elif line.get("event") == "legend":
            line["card"] = game.legend_deck[0]
        elif line.get("event") == "reshuffle":
            line["legend_deck"] = stream.sample(game.discard, len(game.discard))
        game.feed(line)
        yield line
