"""A slow twin of MON: Emblems of Sengoku, to check traces by.

Plain Python, slow and obvious. It knows the rules page and nothing of the simulator, so a mistake has to be made twice
to go unnoticed.
"""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from itertools import combinations
from random import Random
from typing import Any, NoReturn

Line = dict[str, Any]
"""One line of a trace, as `json.loads` gives it."""

COLOURS = ["gold", "silver", "black"]
VALUES = range(1, 19)

# Points of the values 1 to 18.
POINTS = {
    "default": [1] * 6 + [2] * 6 + [3] * 6,
    "points_b": [1] * 6 + [2] * 6 + [3] * 5 + [4],
    "points_c": [1] * 5 + [2] * 5 + [3] * 5 + [4] * 3,
}

DEFAULT_RULES: dict[str, Any] = {
    "points": POINTS["default"],
    "hand_sizes": {"2": 13, "3": 10, "4": 9, "5": 8, "6": 7},
    "tokens": 10,
    "rulings": {"token_limit": True, "tie": "emptied_first"},
    "start_values": {},
    "removed_values": [],
    "no_fall_back": [],
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


def complete(rules: Line) -> Line:
    """Fill the defaults into a partial `rules` object and refuse what the rules page does not know.

    Parameters
    ----------
    rules : dict
        The rule keys of a config; any may be missing, `points` may be the name of a preset.

    Returns
    -------
    dict
        Every key, in the shape that a trace's header carries.
    """
    full = deepcopy(DEFAULT_RULES)
    for key, value in rules.items():
        if key not in full:
            raise Mismatch(1, "key of the rules", key, sorted(full))
        if key == "points" and isinstance(value, str):
            if value not in POINTS:
                raise Mismatch(1, "preset of points", value, sorted(POINTS))
            full["points"] = list(POINTS[value])
        elif key in ("hand_sizes", "rulings"):
            for name, inner in value.items():
                if name not in full[key]:
                    raise Mismatch(1, f"key of {key}", name, sorted(full[key]))
                full[key][name] = inner
        else:
            full[key] = deepcopy(value)
    if len(full["points"]) != len(VALUES):
        raise Mismatch(1, "how many values have points", len(full["points"]), len(VALUES))
    if full["rulings"]["tie"] not in ("emptied_first", "shared"):
        raise Mismatch(1, "rulings.tie", full["rulings"]["tie"], "'emptied_first' or 'shared'")
    for key in ("start_values", "no_fall_back"):
        for colour in full[key]:
            if colour not in COLOURS:
                raise Mismatch(1, f"colour in {key}", colour, COLOURS)
    return full


def deck(players: int, rules: Line) -> list[str]:
    """List the cards in play.

    Parameters
    ----------
    players : int
        Number of players, 2 to 6.
    rules : dict
        Complete rules.

    Returns
    -------
    list of str
        Cards such as ``"gold-13"``, by colour and value.
    """
    gone = set(rules["removed_values"])
    if players == 2:  # Set-up: with 2 players the values 1 to 5 of each colour leave the game.
        gone |= {1, 2, 3, 4, 5}
    return [f"{colour}-{value}" for colour in COLOURS for value in VALUES if value not in gone]


def colour_of(card: str) -> str:
    """Give the colour of a card, ``"gold"`` of ``"gold-13"``."""
    return card.split("-")[0]


def value_of(card: str) -> int:
    """Give the value of a card, 13 of ``"gold-13"``."""
    return int(card.split("-")[1])


def same(found: object, expected: object) -> bool:
    """Tell whether two JSON values are the same, types included: 1, 1.0 and true are three different things."""
    if isinstance(found, dict) and isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[key], expected[key]) for key in expected)
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(same(a, b) for a, b in zip(found, expected, strict=True))
    return type(found) is type(expected) and found == expected


class Game:
    """One game, replayed from its trace.

    Parameters
    ----------
    header_line, setup_line : dict
        The first two lines of the trace. With ``"draws": "per_seat"`` in the header nobody knows the order of the pile:
        then it is only checked that drawn cards were in it.

    Attributes
    ----------
    seat : int
        The seat to decide; the last one to act once the game is over.
    phase : str
        ``"turn"`` (the seat decides), ``"draw"`` (it still has to draw: chance lines are due) or ``"over"``.
    over : bool
        Whether the last turn has been played. Only the end line may follow.
    hands, pile, discards, lines, owners, tokens
        What lies where: hands and tokens left by seat, the pile with the next card first, lines and owners by colour as
        in a trace.
    """

    def __init__(self, header_line: Line, setup_line: Line) -> None:
        self.line = 1
        self._read_header(header_line)
        self.seat = 0  # Set-up: seat 0 starts.
        self.turns = 0
        self.missing = 0  # cards that the seat still has to draw
        self.emptied_first: int | None = None  # the seat whose hand was empty first
        self.last_turns = 0  # turns left once a hand is empty
        self.over = False
        self.ended = False  # whether the end line has been read
        self.discards: list[str] = []
        self.lines: dict[str, list[list[str]]] = {colour: [] for colour in COLOURS}
        self.owners: dict[str, list[int]] = {colour: [] for colour in COLOURS}
        self.tokens = [self.rules["tokens"]] * self.players
        self.line = 2
        self._read_setup(setup_line)
        self.conserved()

    # Reading --------------------------------------------------------------------------------------

    def feed(self, line: Line) -> None:
        """Take the next line of the trace: check that it is due, apply it, check what it says of the state.

        Parameters
        ----------
        line : dict
            An action, chance or end line.

        Raises
        ------
        Mismatch
            If the line breaks a rule or tells another state.
        """
        self.line += 1
        if self.ended:
            self._wrong("line after the end", line, "nothing")
        due = self.due()
        expected = ["chance", due] if due in ("drawn", "reshuffle") else [due, None]
        self._expect("kind of line", [line.get("type"), line.get("event")], expected)
        if due == "action":
            self._read_action(line)
        elif due == "drawn":
            self._read_drawn(line)
        elif due == "reshuffle":
            self._read_reshuffle(line)
        else:
            self._read_end(line)
        self.conserved()

    def due(self) -> str:
        """Tell which line must come next: ``"action"``, ``"drawn"``, ``"reshuffle"`` or ``"end"``."""
        if self.over:
            return "end"
        if self.missing == 0:
            return "action"
        # Rulings: a draw first takes what is left in the pile; only if cards are still missing is the discard pile
        # shuffled.
        return "drawn" if self.pile else "reshuffle"

    def _read_header(self, line: Line) -> None:
        self._expect("type of the first line", line.get("type"), "game")
        self._expect("game", line.get("game"), "mon")
        self._expect("version", line.get("version", 1), 1)
        players = line.get("players")
        if type(players) is not int or not 2 <= players <= 6:
            self._wrong("players", players, "2 to 6")
        self.players = players
        if "strategies" in line:
            self._expect("number of strategies", len(line["strategies"]), self.players)
        self.draws = line.get("draws", "shared")
        if self.draws not in ("shared", "per_seat"):
            self._wrong("draws", self.draws, "'shared' or 'per_seat'")
        self.rules = complete(line.get("rules", {}))
        self.deck = deck(self.players, self.rules)
        self.hand_size = self.rules["hand_sizes"][str(self.players)]

    def _read_setup(self, line: Line) -> None:
        self._fields(line, "type", "hands", "draw_pile")
        self._expect("type of the second line", line["type"], "setup")
        if not isinstance(line["hands"], list):
            self._wrong("hands", line["hands"], "a list of hands")
        self.hands = [self._cards("hand", hand) for hand in line["hands"]]
        self.pile = self._cards("draw pile", line["draw_pile"])
        self._expect("hand sizes", [len(hand) for hand in self.hands], [self.hand_size] * self.players)

    def _read_action(self, line: Line) -> None:
        cards = "discard" if line.get("kind") == "draw" else "card"
        self._fields(line, "type", "seat", "phase", "kind", cards, "state")
        self._expect("seat to act", line["seat"], self.seat)
        self._expect("phase", line["phase"], "turn")
        action = {key: value for key, value in line.items() if key != "state"}
        if not self.is_legal(action):
            self._wrong("action", action, f"a legal one, of the hand {self.hands[self.seat]}")
        self.act(action)
        state = self.state()
        if not isinstance(line["state"], dict):
            self._wrong("state", line["state"], state)
        self._fields(line["state"], *state)
        for part in state:
            self._expect(f"state, {part}", line["state"][part], state[part])

    def _read_drawn(self, line: Line) -> None:
        self._fields(line, "type", "event", "seat", "cards")
        self._expect("seat that draws", line["seat"], self.seat)
        cards = self._cards("drawn cards", line["cards"])
        if self.draws == "shared":
            # Trace vocabulary: in pile order; a line never spans a reshuffle.
            self._expect("drawn cards", cards, self.pile[: self.missing])
        else:
            count = min(self.missing, len(self.pile))
            if len(cards) != count or not self._apart(cards, self.pile):
                self._wrong("drawn cards", cards, f"{count} of {self.pile}")
        self.pile = [card for card in self.pile if card not in cards]
        self.hands[self.seat] += cards
        self.missing -= len(cards)
        if self.missing == 0:
            self._finish_turn()

    def _read_reshuffle(self, line: Line) -> None:
        self._fields(line, "type", "event", "draw_pile")
        # Rulings: the discard pile becomes the pile, the cards just discarded are in it.
        pile = self._cards("new pile", line["draw_pile"])
        self._expect("cards of the new pile", sorted(pile), sorted(self.discards))
        self.pile = pile
        self.discards = []

    def _read_end(self, line: Line) -> None:
        end = self.end()
        self._fields(line, *end)
        for part in end:
            self._expect(f"end, {part}", line[part], end[part])
        self.ended = True

    # The turn -------------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        """What the game waits for: ``"turn"``, ``"draw"`` or ``"over"``."""
        if self.over:
            return "over"
        return "turn" if self.missing == 0 else "draw"

    def legal(self) -> list[Line]:
        """List every legal action of the seat to decide, as trace lines without `state`; none unless a turn is due."""
        if self.phase != "turn":
            return []
        hand = self.hands[self.seat]
        start = {"type": "action", "seat": self.seat, "phase": "turn"}
        actions = [{**start, "kind": "advance", "card": card} for card in self.advances()]
        actions += [{**start, "kind": "fall_back", "card": card} for card in self.fall_backs()]
        # Draw: always available, of 1 to all cards in hand. Passing is not.
        for count in range(1, len(hand) + 1):
            actions += [{**start, "kind": "draw", "discard": list(cards)} for cards in combinations(hand, count)]
        return actions

    def is_legal(self, action: Line) -> bool:
        """Tell whether an action is legal now.

        Parameters
        ----------
        action : dict
            In trace vocabulary without `state`; `type`, `seat` and `phase` may be left out.

        Returns
        -------
        bool
        """
        if self.phase != "turn":
            return False
        given = {"type": "action", "seat": self.seat, "phase": "turn", **action}
        if not same([given["type"], given["seat"], given["phase"]], ["action", self.seat, "turn"]):
            return False
        kind = given.get("kind")
        if given.keys() != {"type", "seat", "phase", "kind", "discard" if kind == "draw" else "card"}:
            return False
        if kind == "advance":
            return given["card"] in self.advances()
        if kind == "fall_back":
            return given["card"] in self.fall_backs()
        if kind == "draw":
            discard = given["discard"]
            return isinstance(discard, list) and len(discard) >= 1 and self._apart(discard, self.hands[self.seat])
        return False

    def advances(self) -> list[str]:
        """List the cards that the seat to decide may advance with."""
        if not self._has_token():
            return []
        # Advance: value > highest value of its colour's line (the starting tile counts).
        return [card for card in self.hands[self.seat] if value_of(card) > max(self._visible(colour_of(card)))]

    def fall_backs(self) -> list[str]:
        """List the cards that the seat to decide may fall back with."""
        if not self._has_token():
            return []
        cards = []
        for card in self.hands[self.seat]:
            colour = colour_of(card)
            if colour in self.rules["no_fall_back"]:  # Interventions: fall back forbidden on one colour.
                continue
            if not self.lines[colour]:  # Fall back: the line has at least one card …
                continue
            if self.owners[colour][-1] == self.seat:  # … its highest card does not carry the player's own token …
                continue
            second_highest, highest = self._visible(colour)[
                -2:
            ]  # … the starting tile is second when the line has one card.
            if second_highest < value_of(card) < highest:
                cards.append(card)
        return cards

    def act(self, action: Line) -> None:
        """Apply a legal action, up to the chance lines that it causes.

        Parameters
        ----------
        action : dict
            In trace vocabulary without `state`.
        """
        hand = self.hands[self.seat]
        self.turns += 1
        if action["kind"] == "draw":
            # Draw: discard those k cards, draw k - 1.
            for card in action["discard"]:
                hand.remove(card)
                self.discards.append(card)
            self.missing = len(action["discard"]) - 1
        else:
            card = action["card"]
            stacks, owners = self.lines[colour_of(card)], self.owners[colour_of(card)]
            hand.remove(card)
            if action["kind"] == "advance":
                # Advance: the card extends the line, own token on it.
                stacks.append([card])
                owners.append(self.seat)
            else:
                # Fall back: the token on the highest card returns to its owner; the card covers the whole stack, own
                # token on it.
                self.tokens[owners[-1]] += 1
                stacks[-1].append(card)
                owners[-1] = self.seat
            self.tokens[self.seat] -= 1
        if self.missing == 0:
            self._finish_turn()

    def _finish_turn(self) -> None:
        # End: when a hand is empty every opponent has one more turn. (After the draw: a hand may be discarded whole.)
        if self.emptied_first is not None:
            self.last_turns -= 1
        elif not self.hands[self.seat]:
            self.emptied_first = self.seat
            self.last_turns = self.players - 1
        if self.emptied_first is not None and self.last_turns == 0:
            self.over = True
        else:
            self.seat = (self.seat + 1) % self.players

    def _has_token(self) -> bool:
        # Rulings, token_limit: a player with no token in supply can neither advance nor fall back.
        return not self.rules["rulings"]["token_limit"] or self.tokens[self.seat] > 0

    def _visible(self, colour: str) -> list[int]:
        # Rulings: visible values only, a covered card no longer counts. The starting tile comes first: 0, or 5 with 2
        # players.
        start = self.rules["start_values"].get(colour, 5 if self.players == 2 else 0)
        return [start] + [value_of(stack[-1]) for stack in self.lines[colour]]

    # The score ------------------------------------------------------------------------------------

    def scores(self) -> list[int]:
        """Score as if the game ended now."""
        scores = [0] * self.players
        for colour in COLOURS:
            for stack, owner in zip(self.lines[colour], self.owners[colour], strict=True):
                # Score: for each own token, points of the visible card + 1 per card under it.
                scores[owner] += self.rules["points"][value_of(stack[-1]) - 1] + len(stack) - 1
        return scores

    def winners(self) -> list[int]:
        """Name the winners as if the game ended now, after tie-breaks."""
        scores = self.scores()
        tied = [seat for seat in range(self.players) if scores[seat] == max(scores)]
        if self.rules["rulings"]["tie"] == "shared":
            return tied
        # Tie: whoever emptied their hand first, then turn order from there.
        first = 0 if self.emptied_first is None else self.emptied_first  # nobody yet: seat 0 will be
        order = [(first + step) % self.players for step in range(self.players)]
        return [next(seat for seat in order if seat in tied)]

    def state(self) -> Line:
        """Give the `state` field that an action line must carry now."""
        return {"lines": deepcopy(self.lines), "owners": deepcopy(self.owners), "scores": self.scores()}

    def end(self) -> Line:
        """Give the end line of a game that is over."""
        return {
            "type": "end",
            "scores": self.scores(),
            "winners": self.winners(),
            "rounds": self.turns // self.players,
            "turns": self.turns,
            "reason": "hand_empty",
        }

    # Checks ---------------------------------------------------------------------------------------

    def conserved(self) -> None:
        """Check that every card lies in exactly one place and that every token is with its player or on a line.

        Raises
        ------
        Mismatch
            If a card is lost, doubled or strange, or a token is lost or doubled.
        """
        places = [*self.hands, self.pile, self.discards, *(stack for stacks in self.lines.values() for stack in stacks)]
        cards = [card for place in places for card in place]
        if sorted(cards) != sorted(self.deck):
            lost = [card for card in self.deck if card not in cards]
            extra = [card for card in cards if card not in self.deck or cards.count(card) > 1]
            self._wrong("cards in the game", {"lost": lost, "doubled or strange": extra}, "every card once")
        owners = [owner for colour in COLOURS for owner in self.owners[colour]]
        tokens = [self.tokens[seat] + owners.count(seat) for seat in range(self.players)]
        self._expect("tokens of each player", tokens, [self.rules["tokens"]] * self.players)

    def _apart(self, cards: list[str], place: list[str]) -> bool:
        return all(card in place and cards.count(card) == 1 for card in cards)

    def _cards(self, what: str, found: object) -> list[str]:
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
    if not game.ended:
        raise Mismatch(game.line + 1, "end of the trace", "no line", game.due())
    return game


def play_random(players: int, rules: Line, seed: int) -> Iterator[Line]:
    """Play one game with the reference random player at every seat.

    Kind uniformly among the available kinds, then the card uniformly among that kind's; draw: a uniformly random
    non-empty subset of the hand.

    Parameters
    ----------
    players : int
        Number of players, 2 to 6.
    rules : dict
        Rule keys of a config; missing ones have their defaults.
    seed : int
        Seed of Python's `random.Random`.

    Yields
    ------
    dict
        The lines of the trace.
    """
    random = Random(seed)
    rules = complete(rules)
    cards = deck(players, rules)
    random.shuffle(cards)
    size = rules["hand_sizes"][str(players)]
    hands = [cards[seat * size : (seat + 1) * size] for seat in range(players)]
    header = {"type": "game", "game": "mon", "version": 1, "players": players, "seed": seed, "deal": 0}
    header |= {"strategies": ["random"] * players, "rules": rules}
    setup = {"type": "setup", "hands": hands, "draw_pile": cards[players * size :]}
    yield header
    yield setup

    game = Game(header, setup)
    while not game.over:
        line: Line
        match game.due():
            case "action":
                line = {"type": "action", "seat": game.seat, "phase": "turn", **_random_action(game, random)}
                game.act(line)
                line["state"] = game.state()
            case "drawn":
                line = {"type": "chance", "event": "drawn", "seat": game.seat, "cards": game.pile[: game.missing]}
                game.feed(line)
            case _:
                pile = random.sample(game.discards, len(game.discards))
                line = {"type": "chance", "event": "reshuffle", "draw_pile": pile}
                game.feed(line)
        yield line
    yield game.end()


def _random_action(game: Game, random: Random) -> Line:
    hand = game.hands[game.seat]
    cards = {"advance": game.advances(), "fall_back": game.fall_backs(), "draw": hand}
    kind = random.choice([kind for kind in cards if cards[kind]])
    if kind == "draw":
        subset = random.randrange(1, 2 ** len(hand))
        return {"kind": "draw", "discard": [card for place, card in enumerate(hand) if subset >> place & 1]}
    return {"kind": kind, "card": random.choice(cards[kind])}
