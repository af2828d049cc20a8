"""Slow twin of emblems: replays a trace line by line and checks it against the rules page.

Everything here is plain Python over dicts and lists, written from the rules page and the rule book alone; it imports
nothing from the simulator. A card is the text of the trace, ``"seat:value"``. A row is a list of cards from the left.

The phases, in the order of a round:

- ``select``: every seat of ``seats_to_select`` picks a card, in any order
- ``place``: ``seat`` reveals and places its card; ``target``: then carries out the card's immediate effect
- ``courtesan``: the trace must name the random card that replaces the selected one
- ``end_of_round``: the next location of ``locations_to_score`` is due; ``draw``: the next seat of ``seats_to_draw``
- ``end``: nothing is left to play, the trace must name the winner; ``closed``: it did
"""

import json
import random
from collections.abc import Iterable, Iterator
from typing import Any

Line = dict[str, Any]

LOCATIONS = ["castle", "village", "port"]

KING, PRINCESS, WITCH, GUARD, THIEF, ALCHEMIST, COURTESAN, STRATEGIST = 15, 14, 13, 12, 11, 10, 9, 8
TRAITOR, MERCHANT, WARRIOR, BARD, SPY, SAILOR, HUNTER = 7, 6, 5, 4, 3, 2, 1

CARD_VALUES = list(range(15, 0, -1))
IMMEDIATE = [GUARD, THIEF, ALCHEMIST, COURTESAN, STRATEGIST, WARRIOR, BARD, HUNTER]
END_OF_ROUND = [KING, PRINCESS, WITCH, TRAITOR, MERCHANT, SPY, SAILOR]

SYMBOLS = ["half", "per_card", "steal_each"]

# Fields of an action in the order in which the reference random player decides them.
CHOICE_ORDER = ["value", "location", "as", "target", "to", "gap"]


class Mismatch(Exception):
    """A trace line that the rules do not allow.

    Attributes
    ----------
    line : int
        Number of the line in the trace; the header is line 1.
    found, expected : object
        What the line says and what the rules say.
    """

    def __init__(self, line: int, found: object, expected: object) -> None:
        super().__init__(f"line {line}: found {found}, expected {expected}")
        self.line = line
        self.found = found
        self.expected = expected


def owner(card: str) -> int:
    """Seat to which a card belongs."""
    return int(card.split(":")[0])


def value_of(card: str) -> int:
    """Value printed on a card."""
    return int(card.split(":")[1])


def same(left: object, right: object) -> bool:
    """Whether two JSON values are the same, type for type (1, 1.0 and true all differ)."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def is_count(thing: object, least: int = 0) -> bool:
    """Whether a JSON value is a whole number of at least ``least``."""
    return type(thing) is int and thing >= least


def default_rules() -> Line:
    """The rules object of a header with every default of the rules page filled in."""
    return {
        "set": "A",
        "rounds": 3,
        "turns": {"3": 4, "4": 3, "5": 3},
        "hand": 6,
        "start_coins": 3,
        "rulings": {"effects": "mandatory", "debt": False, "coins_visible": True},
        "interventions": {"blank": []},
        "sets": {
            "A": {
                "castle": {"3-4": [4, 3, 1], "5": [5, 3, 2, 1]},
                "village": {"3-4": [3, 2, 2], "5": [3, 3, 2, 1]},
                "port": {"3-4": [5, 1, -2], "5": [6, 3, 1, -2]},
            },
            "B": {
                "castle": {"3-4": ["half", 2, 1], "5": ["half", 3, 2, 1]},
                "village": {"3-4": ["per_card", 2, 1], "5": ["per_card", 3, 2, 1]},
                "port": {"3-4": [5, 3, -3], "5": [6, 4, 2, -3]},
            },
            "C": {
                "castle": {"3-4": [6, -2, 2], "5": [7, -2, 3, 1]},
                "village": {"3-4": ["steal_each", 2, 1], "5": ["steal_each", 3, 2, 1]},
                "port": {"3-4": [-3, 5, 3], "5": [-3, 5, 3, 2]},
            },
        },
    }


class Game:
    """A game of emblems, replayed from its trace.

    Parameters
    ----------
    header_line, setup_line : dict
        The first two lines of the trace; both are checked.

    Attributes
    ----------
    phase : str
        What the trace must tell next (see the module's docstring).
    seat : int or None
        Who decides. In ``select`` the first of ``seats_to_select``; None while something automatic is due.
    seats_to_select : list of int
        Seats that have not selected this turn, from the pawn on.
    over : bool
        Nothing is left to play (the ``end`` line may still be due).
    rows : dict of str to list of str
        Cards at each location from the left.
    hands, draw_piles : list of list of int
        Values by seat; the selected card is not in the hand; a pile's next card comes first.
    selected, forced : list
        Face-down value and named location by seat, or None.
    gone : list of str
        Cards that left the game.
    coins : list of int
        Coins by seat.
    pawn : int
        Who holds the pawn: the first player of the turn in progress.
    """

    def __init__(self, header_line: Line, setup_line: Line) -> None:
        self.line = 1
        self._read_header(header_line)
        self.line = 2
        self._read_setup(setup_line)
        self.rows: dict[str, list[str]] = {location: [] for location in LOCATIONS}
        self.selected: list[int | None] = [None] * self.players
        self.forced: list[str | None] = [None] * self.players
        self.gone: list[str] = []
        # Cards that received a reward this round: they lie in their rows until the Port is done.
        self.rewarded: list[str] = []
        self.turn = 0
        self.rounds_done = 0
        self.seats_to_select: list[int] = []
        self.seats_to_place: list[int] = []
        self.locations_to_score: list[str] = []
        self.seats_to_draw: list[int] = []
        # The card whose immediate effect is being carried out, and the seat whose card a Courtesan replaces.
        self.acting: str | None = None
        self.swapped: int | None = None
        self.over = False
        self.phase = "select"
        self._begin_turn()

    # ------------------------------------------------------------------ the first two lines

    def _read_header(self, header: Line) -> None:
        self._require(header.get("type"), "game")
        self._require(header.get("game"), "emblems")
        players = header.get("players")
        if players not in (3, 4, 5):
            raise Mismatch(self.line, players, "3 to 5 players")
        self.players: int = players
        strategies = header.get("strategies")
        if not isinstance(strategies, list) or len(strategies) != players:
            raise Mismatch(self.line, strategies, f"{players} strategies")
        for name in ("version", "seed", "deal"):
            if not is_count(header.get(name)):
                raise Mismatch(self.line, header.get(name), f"a whole number as {name}")
        rules = header.get("rules")
        if not isinstance(rules, dict):
            raise Mismatch(self.line, rules, "a rules object")
        try:
            self._read_rules(rules)
        except (KeyError, TypeError, ValueError, AttributeError) as fault:
            raise Mismatch(self.line, rules, f"a whole rules object ({fault!r})") from fault

    def _read_rules(self, rules: Line) -> None:
        self.set_name: str = rules["set"]
        self.rounds: int = rules["rounds"]
        self.turns: int = rules["turns"][str(self.players)]
        self.hand_size: int = rules["hand"]
        self.start_coins: int = rules["start_coins"]
        self.effects: str = rules["rulings"]["effects"]
        self.debt: bool = rules["rulings"]["debt"]
        self.coins_visible: bool = rules["rulings"]["coins_visible"]
        self.blank: list[str] = rules["interventions"]["blank"]
        for name, number, least in (
            ("rounds", self.rounds, 1),
            ("turns", self.turns, 1),
            ("hand", self.hand_size, 1),
            ("start_coins", self.start_coins, 0),
        ):
            if not is_count(number, least):
                raise Mismatch(self.line, number, f"a whole number of at least {least} as {name}")
        if self.effects not in ("mandatory", "optional"):
            raise Mismatch(self.line, self.effects, "effects mandatory or optional")
        for switch in (self.debt, self.coins_visible):
            if type(switch) is not bool:
                raise Mismatch(self.line, switch, "true or false")
        # "A config with more turns a round than cards in hand, or rounds x turns > 15, is refused."
        if self.turns > self.hand_size or self.rounds * self.turns > 15:
            raise Mismatch(
                self.line,
                f"{self.rounds} rounds of {self.turns} turns with a hand of {self.hand_size}",
                "no more turns than cards",
            )
        for blanked in self.blank:
            if value_of(blanked) not in CARD_VALUES or owner(blanked) not in range(5):
                raise Mismatch(self.line, blanked, "seat:value")
        # One table for 3 and 4 players, one for 5.
        side = "5" if self.players == 5 else "3-4"
        self.reward_lists: dict[str, list[int | str]] = {}
        for location in LOCATIONS:
            entries = rules["sets"][self.set_name][location][side]
            if len(entries) > 15:
                raise Mismatch(self.line, entries, "a list of 0 to 15 rewards")
            for entry in entries:
                if type(entry) is not int and entry not in SYMBOLS:
                    raise Mismatch(self.line, entry, f"a whole number or one of {SYMBOLS}")
            self.reward_lists[location] = entries

    def _read_setup(self, setup: Line) -> None:
        self._require(sorted(setup), sorted(["type", "hands", "draw_piles", "set", "coins", "pawn"]))
        self._require(setup["type"], "setup")
        self._require(setup["set"], self.set_name)
        # "3 coins each at the start"; "Seat 0 holds the pawn at the start."
        self._require(setup["coins"], [self.start_coins] * self.players)
        self._require(setup["pawn"], 0)
        self._require([len(setup["hands"]), len(setup["draw_piles"])], [self.players, self.players])
        for hand, pile in zip(setup["hands"], setup["draw_piles"], strict=True):
            # "Each player shuffles the own 15, draws 6."
            if len(hand) != min(self.hand_size, 15):
                raise Mismatch(self.line, hand, f"{self.hand_size} cards in hand")
            if any(type(value) is not int for value in hand + pile) or sorted(hand + pile, reverse=True) != CARD_VALUES:
                raise Mismatch(self.line, [hand, pile], "each value from 15 to 1 once")
        self.hands: list[list[int]] = [list(hand) for hand in setup["hands"]]
        self.draw_piles: list[list[int]] = [list(pile) for pile in setup["draw_piles"]]
        self.coins: list[int] = list(setup["coins"])
        self.pawn = 0

    # ------------------------------------------------------------------ looking at the game

    @property
    def seat(self) -> int | None:
        if self.phase == "select":
            return self.seats_to_select[0]
        if self.phase in ("place", "target"):
            return self.seats_to_place[0]
        return None

    def state(self) -> Line:
        """The ``state`` field of an action line, as the game stands now."""
        return {
            "rows": {location: list(self.rows[location]) for location in LOCATIONS},
            "coins": list(self.coins),
            "pawn": self.pawn,
            "forced": list(self.forced),
        }

    def legal(self, seat: int | None = None) -> list[Line]:
        """Every legal action of a seat in trace vocabulary, without ``type``, ``seat``, ``phase`` and ``state``.

        Parameters
        ----------
        seat : int, optional
            Whose actions; by default those of the seat that decides. A seat that may not act now has none.
        """
        if seat is None:
            seat = self.seat
        if self.phase == "select":
            if seat in self.seats_to_select:
                return [{"kind": "select", "value": value} for value in self.hands[seat]]
        elif seat is not None and seat == self.seat:
            if self.phase == "place":
                return self._placements(seat)
            if self.phase == "target":
                return self._effects()
        return []

    def _placements(self, seat: int) -> list[Line]:
        value = self.selected[seat]
        assert value is not None
        # A location of choice, or the one that a Strategist named.
        named = self.forced[seat]
        locations = LOCATIONS if named is None else [named]
        return [
            {"kind": "place", "location": location, "gap": gap}
            for location in locations
            for gap in self._gaps(location, value)
        ]

    def _gaps(self, location: str, value: int) -> list[int]:
        # "keeping values descending from the left; among equal values any gap may be chosen".
        row = [value_of(card) for card in self.rows[location]]
        higher = len([other for other in row if other > value])
        equal = len([other for other in row if other == value])
        return list(range(higher, higher + equal + 1))

    def _effects(self) -> list[Line]:
        assert self.acting is not None
        value = value_of(self.acting)
        choices = self._choices(value, self.acting)
        # "mandatory": with a legal target it must be carried out, also against oneself. "optional": it may be declined.
        if not choices or self.effects == "optional":
            choices = [*choices, {"target": "none"}]
        return [{"kind": "effect", "value": value, **choice} for choice in choices]

    def _choices(self, text: int, card: str) -> list[Line]:
        """Every way in which ``card`` can carry out the immediate effect printed on value ``text``."""
        here = self._where(card)
        elsewhere = [location for location in LOCATIONS if location != here]
        neighbours = self._neighbours(card)
        if text == GUARD:
            # Move an adjacent card to another location; the mover chooses the gap among equals.
            return [
                {"target": neighbour, "to": location, "gap": gap}
                for neighbour in neighbours
                for location in elsewhere
                for gap in self._gaps(location, value_of(neighbour))
            ]
        if text == THIEF:
            # Only another player's adjacent card is a target; a player without coins is one all the same.
            return [{"target": neighbour} for neighbour in neighbours if owner(neighbour) != owner(card)]
        if text == ALCHEMIST:
            # The immediate effect of an adjacent card, not of an Alchemist, not of a blanked card, only one that then
            # has a legal target. It acts as if the Alchemist bore the text: its own place, its own neighbours. (Both
            # neighbours never bear the same text: the left one is at least 10, the right one at most 10.)
            return [
                {"as": value_of(neighbour), **choice}
                for neighbour in neighbours
                if value_of(neighbour) in IMMEDIATE
                and value_of(neighbour) != ALCHEMIST
                and not self._is_blank(neighbour)
                for choice in self._choices(value_of(neighbour), card)
            ]
        if text == COURTESAN:
            # Only players who have not yet revealed this turn, and who hold another card.
            return [{"target": seat} for seat in self._hidden() if self.hands[seat]]
        if text == STRATEGIST:
            # Only players who have not yet revealed this turn; a later naming replaces an earlier one.
            return [{"target": seat, "to": location} for seat in self._hidden() for location in LOCATIONS]
        if text == WARRIOR:
            return [{"target": neighbour} for neighbour in neighbours]
        if text == BARD:
            # Move a card from another location to here; the mover chooses the gap among equals.
            return [
                {"target": other, "gap": gap}
                for location in elsewhere
                for other in self.rows[location]
                for gap in self._gaps(here, value_of(other))
            ]
        if text == HUNTER:
            # The highest card here, leftmost of equals; this can be the Hunter itself.
            return [{"target": self.rows[here][0]}]
        raise AssertionError(f"{text} has no immediate effect")

    def _where(self, card: str) -> str:
        return next(location for location in LOCATIONS if card in self.rows[location])

    def _neighbours(self, card: str) -> list[str]:
        # "Adjacent = directly left or right in the row."
        row = self.rows[self._where(card)]
        place = row.index(card)
        return row[max(place - 1, 0) : place] + row[place + 1 : place + 2]

    def _hidden(self) -> list[int]:
        # The seat whose card acts has revealed, those behind it have not.
        return self.seats_to_place[1:]

    def _is_blank(self, card: str) -> bool:
        return card in self.blank

    # ------------------------------------------------------------------ taking the next line

    def feed(self, line: Line) -> None:
        """Take the next line of the trace: check that it may stand here, apply it, compare what it says.

        Raises
        ------
        Mismatch
            With the number of this line. The game must not be fed any further.
        """
        self.line += 1
        if self.phase in ("select", "place", "target"):
            self._check_action(line)
            self._require(line["state"], self._apply(line))
        elif self.phase == "courtesan":
            self._check_courtesan(line)
            self._apply(line)
        else:
            due = self.due()
            if due is None:
                raise Mismatch(self.line, line, "nothing after the end")
            self._require(line, due)
            self._apply(line)

    def _require(self, found: object, expected: object) -> None:
        if not same(found, expected):
            raise Mismatch(self.line, found, expected)

    def _check_action(self, line: Line) -> None:
        if line.get("type") != "action" or "state" not in line:
            raise Mismatch(self.line, line, f"an action of phase {self.phase} with its state")
        self._require(line.get("phase"), self.phase)
        seat = line.get("seat")
        if not is_count(seat) or not self.legal(seat):
            raise Mismatch(self.line, f"seat {seat}", self.seats_to_select or f"seat {self.seat}")
        action = {name: line[name] for name in line if name not in ("type", "seat", "phase", "state")}
        legal = self.legal(seat)
        if not any(same(action, one) for one in legal):
            raise Mismatch(self.line, action, f"one of {legal}")

    def _check_courtesan(self, line: Line) -> None:
        assert self.swapped is not None
        # A random card of the rest of the hand: the old one is not among them.
        possible = [
            {"type": "chance", "event": "courtesan", "seat": self.swapped, "value": value}
            for value in self.hands[self.swapped]
        ]
        if not any(same(line, one) for one in possible):
            raise Mismatch(self.line, line, f"one of {possible}")

    def due(self) -> Line | None:
        """The next line where the rules leave no choice: a scored location, a draw, the end; otherwise None."""
        if self.phase == "end_of_round":
            line, _, _ = self._score_location(self.locations_to_score[0])
            return line
        if self.phase == "draw":
            seat = self.seats_to_draw[0]
            return {"type": "chance", "event": "drawn", "seat": seat, "values": self._cards_to_draw(seat)}
        if self.phase == "end":
            return {
                "type": "end",
                "scores": list(self.coins),
                "winners": [self._winner()],
                "rounds": self.rounds_done,
                "turns": self.turn,
                "reason": "last_round",
            }
        return None

    def _apply(self, line: Line) -> Line:
        """Do what a legal line says; return the state right after it, before the pawn passes by itself."""
        if self.phase == "select":
            self._select(line["seat"], line["value"])
        elif self.phase == "place":
            self._place(line["location"], line["gap"])
        elif self.phase == "target":
            self._carry_out(line)
        elif self.phase == "courtesan":
            self._replace_selected(line["value"])
        elif self.phase == "end_of_round":
            self._take_score()
        elif self.phase == "draw":
            self._draw()
        elif self.phase == "end":
            self.phase = "closed"
        state = self.state()
        if self.phase == "place" and not self.seats_to_place:
            self._end_turn()
        return state

    # ------------------------------------------------------------------ a turn

    def _begin_turn(self) -> None:
        # "From the first player on, in seat order": the first player is the pawn holder.
        order = [(self.pawn + step) % self.players for step in range(self.players)]
        self.seats_to_select = list(order)
        self.seats_to_place = list(order)
        self.phase = "select"

    def _select(self, seat: int, value: int) -> None:
        self.hands[seat].remove(value)
        self.selected[seat] = value
        self.seats_to_select.remove(seat)
        if not self.seats_to_select:
            self.phase = "place"

    def _place(self, location: str, gap: int) -> None:
        seat = self.seats_to_place[0]
        card = f"{seat}:{self.selected[seat]}"
        self.rows[location].insert(gap, card)
        self.selected[seat] = None
        # A location named by a Strategist is used up by the placement.
        self.forced[seat] = None
        # "exactly one [effect line] after each placed, non-blanked 12, 11, 10, 9, 8, 5, 4 or 1".
        if value_of(card) in IMMEDIATE and not self._is_blank(card):
            self.acting = card
            self.phase = "target"
        else:
            self._end_placement()

    def _carry_out(self, line: Line) -> None:
        card = self.acting
        assert card is not None
        self.acting = None
        target = line["target"]
        # The Alchemist acts as if it bore the copied text itself.
        text = line["as"] if "as" in line else line["value"]
        here = self._where(card)
        if target == "none":
            pass
        elif text == GUARD:
            self._move(target, line["to"], line["gap"])
        elif text == BARD:
            self._move(target, here, line["gap"])
        elif text == THIEF:
            self.coins = self._pay(self.coins, owner(target), owner(card), 2)
        elif text in (WARRIOR, HUNTER):
            self._discard(target)
        elif text == STRATEGIST:
            self.forced[target] = line["to"]
        elif text == COURTESAN:
            self.swapped = target
            self.phase = "courtesan"
            return
        self._end_placement()

    def _move(self, card: str, location: str, gap: int) -> None:
        # The moved card's effect does not happen again.
        self.rows[self._where(card)].remove(card)
        self.rows[location].insert(gap, card)

    def _discard(self, card: str) -> None:
        self.rows[self._where(card)].remove(card)
        self.gone.append(card)

    def _replace_selected(self, value: int) -> None:
        seat = self.swapped
        assert seat is not None
        old = self.selected[seat]
        assert old is not None
        # The drawn card becomes the selected card, the old one returns to the hand; a named location stays.
        self.hands[seat].remove(value)
        self.hands[seat].append(old)
        self.selected[seat] = value
        self.swapped = None
        self._end_placement()

    def _end_placement(self) -> None:
        self.seats_to_place.pop(0)
        self.phase = "place"

    def _end_turn(self) -> None:
        # "The pawn passes left (also after the last turn)."
        self.pawn = (self.pawn + 1) % self.players
        self.turn += 1
        if self.turn % self.turns == 0:
            self.locations_to_score = list(LOCATIONS)
            self.phase = "end_of_round"
        else:
            self._begin_turn()

    # ------------------------------------------------------------------ coins

    def _what_is_paid(self, coins: list[int], seat: int, amount: int) -> int:
        # "Nobody pays below 0 coins (debt = false)"; "debt = true: every theft or loss is paid in full".
        return amount if self.debt else min(amount, coins[seat])

    def _pay(self, coins: list[int], payer: int, receiver: int, amount: int) -> list[int]:
        after = list(coins)
        paid = self._what_is_paid(coins, payer, amount)
        after[payer] -= paid
        after[receiver] += paid
        return after

    # ------------------------------------------------------------------ the end of a round

    def _score_location(self, location: str) -> tuple[Line, list[str], list[str]]:
        """What the end of the round does at a location: its trace line, the Kings that go, the cards rewarded."""
        row = list(self.rows[location])
        coins = list(self.coins)
        effects: list[Line] = []
        discarded: list[str] = []
        cancelling = False
        reversed_order = False
        doubled: list[str] = []

        # "end-of-round effects from the left (highest) to the right".
        for card in list(row):
            value = value_of(card)
            if value not in END_OF_ROUND or self._is_blank(card):
                continue
            gains = [0] * self.players
            result = "nothing"
            if cancelling and value < WITCH:
                result = "cancelled"
            elif value == KING:
                # Discarded if a Thief is here; a blanked Thief still counts.
                if any(value_of(other) == THIEF for other in row):
                    row.remove(card)
                    discarded.append(card)
                    result = "discarded"
            elif value == PRINCESS:
                # Each other card here, other Princesses too, earns its owner 1 coin.
                for other in row:
                    if other != card:
                        gains[owner(other)] += 1
            elif value == WITCH:
                cancelling = True
                result = "cancels"
            elif value == TRAITOR:
                # "rewards are dealt from the right, whatever the number of Traitors".
                reversed_order = True
                result = "reverses"
            elif value == MERCHANT:
                gains[owner(card)] += len([other for other in row if value_of(other) < MERCHANT])
            elif value == SPY:
                if [other for other in row if owner(other) == owner(card)] == [card]:
                    gains[owner(card)] += 2
            elif value == SAILOR and location == "port":
                doubled.append(card)
                result = "doubles"
            if any(gains):
                result = "coins"
            coins = [have + gain for have, gain in zip(coins, gains, strict=True)]
            effects.append({"card": card, "result": result, "gains": gains})

        # "then rewards by rank from the left (or from the right, see Traitor), one per list entry, while cards last".
        rewards: list[Line] = []
        ranking = row[::-1] if reversed_order else row
        for rank, (entry, card) in enumerate(zip(self.reward_lists[location], ranking, strict=False), start=1):
            if entry == 0:
                # "An entry 0 uses up its rank", and the card stays.
                continue
            seat = owner(card)
            before = coins[seat]
            factor = 2 if card in doubled else 1
            if entry == "steal_each":
                for victim in range(self.players):
                    if victim != seat:
                        coins = self._pay(coins, victim, seat, factor)
            else:
                if entry == "half":
                    amount = factor * ((value_of(card) + 1) // 2)
                elif entry == "per_card":
                    # All cards still in the row, this one and rewarded ones included, discarded Kings not.
                    amount = factor * len(row)
                else:
                    amount = factor * int(entry)
                if amount < 0:
                    amount = -self._what_is_paid(coins, seat, -amount)
                coins[seat] += amount
            # "Any non-zero entry counts as a reward, even if no coin moved: the card leaves."
            rewards.append({"card": card, "rank": rank, "coins": coins[seat] - before})

        line = {
            "type": "event",
            "event": "end_of_round",
            "location": location,
            "effects": effects,
            "rewards": rewards,
            "coins": coins,
        }
        return line, discarded, [reward["card"] for reward in rewards]

    def _take_score(self) -> None:
        line, discarded, rewarded = self._score_location(self.locations_to_score.pop(0))
        for card in discarded:
            self._discard(card)
        self.rewarded += rewarded
        self.coins = list(line["coins"])
        if self.locations_to_score:
            return
        # "Every card that received a reward leaves the game; the others stay for the next round."
        for card in self.rewarded:
            self._discard(card)
        self.rewarded = []
        self.rounds_done += 1
        if self.rounds_done == self.rounds:
            # "Nobody draws after the last round."
            self.over = True
            self.phase = "end"
        else:
            self.seats_to_draw = list(range(self.players))
            self.phase = "draw"

    def _cards_to_draw(self, seat: int) -> list[int]:
        # "Then everyone draws up to 6"; "a short pile gives what it has".
        missing = max(self.hand_size - len(self.hands[seat]), 0)
        return self.draw_piles[seat][:missing]

    def _draw(self) -> None:
        seat = self.seats_to_draw.pop(0)
        drawn = self._cards_to_draw(seat)
        self.hands[seat] += drawn
        self.draw_piles[seat] = self.draw_piles[seat][len(drawn) :]
        if not self.seats_to_draw:
            self._begin_turn()

    def _winner(self) -> int:
        # "most coins win; tie: the pawn holder, else the tied player next clockwise from the pawn".
        from_the_pawn = [(self.pawn + step) % self.players for step in range(self.players)]
        return next(seat for seat in from_the_pawn if self.coins[seat] == max(self.coins))

    # ------------------------------------------------------------------ what must always hold

    def conserved(self) -> None:
        """Check what holds after every line.

        Raises
        ------
        Mismatch
            If a card is lost or doubled, a row is not descending, or coins are negative without debt.
        """
        on_the_table = [card for location in LOCATIONS for card in self.rows[location]]
        for seat in range(self.players):
            chosen = self.selected[seat]
            values = self.hands[seat] + self.draw_piles[seat] + ([] if chosen is None else [chosen])
            values = values + [value_of(card) for card in on_the_table + self.gone if owner(card) == seat]
            if sorted(values, reverse=True) != CARD_VALUES:
                raise Mismatch(self.line, f"seat {seat} with {sorted(values)}", "each value from 1 to 15 once")
        for location in LOCATIONS:
            row = [value_of(card) for card in self.rows[location]]
            if row != sorted(row, reverse=True):
                raise Mismatch(self.line, self.rows[location], "a descending row")
        if not self.debt and min(self.coins) < 0:
            raise Mismatch(self.line, self.coins, "no negative coins")


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
        raise Mismatch(game.line + 1, "the end of the trace", f"a line of phase {game.phase}")
    return game


def choose_randomly(legal: list[Line], stream: random.Random) -> Line:
    """What the reference random player does: decide field after field, each uniformly over what is left.

    Parameters
    ----------
    legal : list of dict
        Legal actions of one seat, at least one.
    stream : random.Random
        Draws one number for each field that the actions have.
    """
    # "Always acts when it can."
    acting = [action for action in legal if action.get("target") != "none"]
    left = acting or legal
    for field in CHOICE_ORDER:
        if field in left[0]:
            values = list(dict.fromkeys(action[field] for action in left))
            value = stream.choice(values)
            left = [action for action in left if action[field] == value]
    return left[0]


def play_random(players: int, rules: Line, seed: int) -> Iterator[Line]:
    """Play a game of reference random players.

    Parameters
    ----------
    players : int
        3 to 5.
    rules : dict
        Whole rules object of the header, such as `default_rules` gives.
    seed : int
        The same seed gives the same game.

    Yields
    ------
    dict
        The lines of the trace.
    """
    stream = random.Random(seed)
    piles = [stream.sample(CARD_VALUES, 15) for _ in range(players)]
    header: Line = {
        "type": "game",
        "game": "emblems",
        "version": 1,
        "players": players,
        "seed": seed,
        "deal": 0,
        "strategies": ["random"] * players,
        "rules": rules,
    }
    setup: Line = {
        "type": "setup",
        "hands": [pile[: rules["hand"]] for pile in piles],
        "draw_piles": [pile[rules["hand"] :] for pile in piles],
        "set": rules["set"],
        "coins": [rules["start_coins"]] * players,
        "pawn": 0,
    }
    yield header
    yield setup
    game = Game(header, setup)
    while game.phase != "closed":
        if game.seat is not None:
            action = choose_randomly(game.legal(), stream)
            line: Line = {"type": "action", "seat": game.seat, "phase": game.phase, **action}
            line["state"] = game._apply(line)
        elif game.swapped is not None:
            value = stream.choice(game.hands[game.swapped])
            line = {"type": "chance", "event": "courtesan", "seat": game.swapped, "value": value}
            game._apply(line)
        else:
            due = game.due()
            assert due is not None
            line = due
            game._apply(line)
        yield line
