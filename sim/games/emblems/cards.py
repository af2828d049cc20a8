"""Emblems in names: cards, actions and the lines of a trace.

A card is a number: value × 8 + seat of its owner; a higher number is never a lower value. NO_CARD is 0. A set of one
seat's cards is an int64 mask: bit *value* − 1 stands for the card of that value.

An action is an int64 with the kind in its two lowest bits. Above them, from the lowest bit on, lie

========  ==========================================================================================================
select    value (4 bits)
place     location (2), gap (7)
effect    value of the effect carried out (4; the Alchemist's: of the effect copied; 0: none), target (7: a card, or the
          seat for Courtesan and Strategist), location to go to (2), gap (7); fields that an effect has no use for are 0
========  ==========================================================================================================

A gap is the index in the row that the card has once it lies there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

SEATS = 5
VALUES = 15
LOCATIONS = ("castle", "village", "port")
CASTLE, VILLAGE, PORT = range(3)

HUNTER, SAILOR, SPY, BARD, WARRIOR, MERCHANT, TRAITOR, STRATEGIST = range(1, 9)
COURTESAN, ALCHEMIST, THIEF, GUARD, WITCH, PRINCESS, KING = range(9, 16)

SEAT_BITS = 3
NO_CARD = 0

SELECT_CARD, PLACE_CARD, DO_EFFECT = 0, 1, 2  # kinds of action
KIND_BITS, VALUE_BITS, LOCATION_BITS, GAP_BITS, TARGET_BITS = 2, 4, 2, 7, 7
NO_EFFECT = 0
PLACE_GAP = KIND_BITS + LOCATION_BITS  # lowest bit of each field of an action
EFFECT_TARGET = KIND_BITS + VALUE_BITS
EFFECT_TO = EFFECT_TARGET + TARGET_BITS
EFFECT_GAP = EFFECT_TO + LOCATION_BITS

# Entries of a reward list that are no number of coins; numbers stay below them.
HALF, PER_CARD, STEAL_EACH = 101, 102, 103
SYMBOLS = {"half": HALF, "per_card": PER_CARD, "steal_each": STEAL_EACH}

# What an end-of-round effect came to.
RESULTS = ("nothing", "discarded", "cancels", "reverses", "doubles", "coins", "cancelled")
NOTHING, DISCARDED, CANCELS, REVERSES, DOUBLES, COINS, CANCELLED = range(7)

# Where a player's coins come from and go to.
SOURCES = ("rewards", "princess", "merchant", "spy", "thief", "steal_each")
FROM_REWARDS, FROM_PRINCESS, FROM_MERCHANT, FROM_SPY, FROM_THIEF, FROM_STEAL_EACH = range(6)

PHASES = ("select", "place", "target", "courtesan", "pass", "end_of_round", "draw", "over")

CHARACTERS = (  # by value, from 1
    "Hunter",
    "Sailor",
    "Spy",
    "Bard",
    "Warrior",
    "Merchant",
    "Traitor",
    "Strategist",
    "Courtesan",
    "Alchemist",
    "Thief",
    "Guard",
    "Witch",
    "Princess",
    "King",
)
EFFECTS = (  # likewise, in our words
    "At once: the highest card here leaves the game.",
    "End of round: in the Port its reward counts twice, a loss too.",
    "End of round: 2 coins if its owner has no other card here.",
    "At once: a card comes here from another Location.",
    "At once: a neighbouring card leaves the game.",
    "End of round: 1 coin for each card here below 6.",
    "End of round: rewards are dealt from the lowest card up.",
    "At once: names the Location for a card that another player has selected.",
    "At once: swaps a card that another player has selected for a random one of that hand.",
    "At once: does what a neighbouring card does at once.",
    "At once: takes 2 coins from the owner of a neighbouring card.",
    "At once: sends a neighbouring card to another Location.",
    "End of round: the end-of-round effects of all lower cards here are off.",
    "End of round: every other card here earns its owner 1 coin.",
    "End of round: leaves the game if a Thief is here.",
)
WHEN = tuple("at once" if effect.startswith("At once") else "end of round" for effect in EFFECTS)


def card_name(card: int) -> str:
    """Name a card as the trace does, owner and value: ``"2:13"``."""
    return f"{card & (1 << SEAT_BITS) - 1}:{card >> SEAT_BITS}"


def parse_card(name: str) -> int:
    """Give the number of the card of that name; the reverse of :func:`card_name`."""
    seat, _, value = name.partition(":")
    if not (seat.isdecimal() and value.isdecimal() and int(seat) < SEATS and 1 <= int(value) <= VALUES):
        raise ValueError(f"no such card: {name!r} (expected for example '2:13')")
    return int(value) << SEAT_BITS | int(seat)


def values_in(mask: int) -> list[int]:
    """List the values of a set of one seat's cards, in ascending order."""
    return [value for value in range(1, VALUES + 1) if int(mask) >> (value - 1) & 1]


def reward_entry(reward: int | str) -> int:
    """Give the code of one entry of a reward list: the number of coins itself, or the code of a symbol."""
    return SYMBOLS[reward] if isinstance(reward, str) else reward


# --- actions ----------------------------------------------------------------------------------------------------------


def select_action(value: Any) -> Any:
    """Give the code (int64) of selecting the own card of a value."""
    return np.int64(value) << KIND_BITS | SELECT_CARD


def place_action(location: Any, gap: Any) -> Any:
    """Give the code (int64) of placing the selected card."""
    return np.int64(gap) << PLACE_GAP | np.int64(location) << KIND_BITS | PLACE_CARD


def effect_action(effect: Any, target: Any, to: Any, gap: Any) -> Any:
    """Give the code (int64) of an immediate effect; the Alchemist's is that of the effect copied."""
    goal = np.int64(gap) << EFFECT_GAP | np.int64(to) << EFFECT_TO
    return goal | np.int64(target) << EFFECT_TARGET | np.int64(effect) << KIND_BITS | DO_EFFECT


def effect_fields(action: int) -> tuple[int, int, int, int]:
    """Split the code of an effect into effect, target, location and gap; the reverse of :func:`effect_action`."""
    return (
        action >> KIND_BITS & (1 << VALUE_BITS) - 1,
        action >> EFFECT_TARGET & (1 << TARGET_BITS) - 1,
        action >> EFFECT_TO & (1 << LOCATION_BITS) - 1,
        action >> EFFECT_GAP,
    )


def action_text(action: int) -> str:
    """Put an action into words.

    Examples
    --------
    ``"select Guard"`` · ``"place castle 0"`` · ``"Guard 2:8 castle 1"`` (card, where to, gap) · ``"Thief 1:10"``, and
    likewise Warrior and Hunter · ``"Courtesan 0"`` (seat) · ``"Strategist 0 port"`` · ``"Bard 2:13 0"`` (card, gap) ·
    ``"no effect"``

    Raises
    ------
    ValueError
        If the number stands for no action of any game.
    """
    action = int(action)
    text = _action_words(action)
    if parse_action(text) != action:
        raise ValueError(f"not an action of emblems: {action}")
    return text


def _action_words(action: int) -> str:
    kind = action & (1 << KIND_BITS) - 1
    try:
        if kind == SELECT_CARD:
            return f"select {_character(action >> KIND_BITS)}"
        if kind == PLACE_CARD:
            return f"place {LOCATIONS[action >> KIND_BITS & 3]} {action >> PLACE_GAP}"
        effect, target, to, gap = effect_fields(action)
        if effect == NO_EFFECT:
            return "no effect"
        words = [_character(effect), str(target) if effect in (COURTESAN, STRATEGIST) else card_name(target)]
        if effect in (GUARD, STRATEGIST):
            words.append(LOCATIONS[to])
        if effect in (GUARD, BARD):
            words.append(str(gap))
        return " ".join(words)
    except IndexError:
        raise ValueError(f"not an action of emblems: {action}") from None


def _character(value: int) -> str:
    if not 1 <= value <= VALUES:
        raise IndexError(value)
    return CHARACTERS[value - 1]


def parse_action(text: str) -> int:
    """Give the code of an action given in words; the reverse of :func:`action_text`.

    Raises
    ------
    ValueError
        If it is none.
    """
    match text.split():
        case ["select", name] if name in CHARACTERS:
            return int(select_action(CHARACTERS.index(name) + 1))
        case ["place", location, gap] if location in LOCATIONS and _is_gap(gap):
            return int(place_action(LOCATIONS.index(location), int(gap)))
        case ["no", "effect"]:
            return int(effect_action(NO_EFFECT, 0, 0, 0))
        case ["Guard", card, location, gap] if location in LOCATIONS and _is_gap(gap):
            return int(effect_action(GUARD, parse_card(card), LOCATIONS.index(location), int(gap)))
        case ["Bard", card, gap] if _is_gap(gap):
            return int(effect_action(BARD, parse_card(card), 0, int(gap)))
        case [("Thief" | "Warrior" | "Hunter") as name, card]:
            return int(effect_action(CHARACTERS.index(name) + 1, parse_card(card), 0, 0))
        case ["Courtesan", seat] if seat.isdecimal() and int(seat) < SEATS:
            return int(effect_action(COURTESAN, int(seat), 0, 0))
        case ["Strategist", seat, location] if seat.isdecimal() and int(seat) < SEATS and location in LOCATIONS:
            return int(effect_action(STRATEGIST, int(seat), LOCATIONS.index(location), 0))
    raise ValueError(f"not an action of emblems: {text!r} (expected for example 'place castle 0')")


def _is_gap(text: str) -> bool:
    return text.isdecimal() and int(text) < SEATS * VALUES


# --- the trace --------------------------------------------------------------------------------------------------------


def phase_name(state: Any) -> str:
    """Say what the decision is about, as the trace calls it."""
    return PHASES[int(state.phase)]


def state_text(state: Any) -> str:
    """Show the table and all hands in a few lines, for error messages and for people who debug."""
    view = _table(state)
    rows = [f"{name}: {' '.join(view['rows'][name]) or '-'}" for name in LOCATIONS]
    players = []
    for seat in range(int(state.players)):
        hand = " ".join(map(str, values_in(state.hand[seat])[::-1]))
        selected = f", selected {int(state.selected[seat])}" if state.selected[seat] else ""
        named = f" for the {view['forced'][seat]}" if view["forced"][seat] else ""
        players.append(f"player {seat + 1}: {int(state.coins[seat])} coins, hand {hand or '-'}{selected}{named}")
    moment = f"turn {int(state.turn) + 1}, player {int(state.seat) + 1} to {phase_name(state)}"
    return "\n".join([moment, *rows, *players])


def setup_line(state: Any, rules: Any) -> dict[str, Any]:
    """Word the deal as a trace line."""
    seats = range(int(state.players))
    piles = [[int(value) for value in state.pile[seat]] for seat in seats]
    dealt = [int(state.drawn_count[seat]) for seat in seats]
    return {
        "hands": [pile[:count] for pile, count in zip(piles, dealt, strict=True)],
        "draw_piles": [pile[count:] for pile, count in zip(piles, dealt, strict=True)],
        "set": bytes(rules.set_name).decode(),
        "coins": _coins(state),
        "pawn": int(state.pawn),
    }


def action_line(before: Any, action: int, after: Any) -> dict[str, Any]:
    """Word an action as a trace line, with the table right after it."""
    action = int(action)
    return {"phase": phase_name(before), **_what(before, action), "state": _table(after)}


def _what(before: Any, action: int) -> dict[str, Any]:
    kind = action & (1 << KIND_BITS) - 1
    if kind == SELECT_CARD:
        return {"kind": "select", "value": action >> KIND_BITS}
    if kind == PLACE_CARD:
        return {"kind": "place", "location": LOCATIONS[action >> KIND_BITS & 3], "gap": action >> PLACE_GAP}
    placed = int(before.rows[int(before.location)][int(before.place)]) >> SEAT_BITS
    line: dict[str, Any] = {"kind": "effect", "value": placed}
    effect, target, to, gap = effect_fields(action)
    if effect == NO_EFFECT:
        return line | {"target": "none"}
    if placed == ALCHEMIST:
        line["as"] = effect
    line["target"] = target if effect in (COURTESAN, STRATEGIST) else card_name(target)
    if effect in (GUARD, STRATEGIST):
        line["to"] = LOCATIONS[to]
    if effect in (GUARD, BARD):
        line["gap"] = gap
    return line


def follow_lines(before: Any, after: Any) -> Iterator[dict[str, Any]]:
    """Word one automatic step as a trace line; passing the pawn has none."""
    seat = int(before.seat)
    match phase_name(before):
        case "courtesan":
            swapped = int(before.swapped)
            yield {"type": "chance", "event": "courtesan", "seat": swapped, "value": int(after.selected[swapped])}
        case "end_of_round":
            yield {"type": "event", "event": "end_of_round", **_settled(after, LOCATIONS[int(before.settling)])}
        case "draw":
            drawn = before.pile[seat][int(before.drawn_count[seat]) : int(after.drawn_count[seat])]
            yield {"type": "chance", "event": "drawn", "seat": seat, "values": [int(value) for value in drawn]}


def _settled(state: Any, location: str) -> dict[str, Any]:
    players = int(state.players)
    effects = [
        {
            "card": card_name(int(state.effect_card[entry])),
            "result": RESULTS[int(state.effect_result[entry])],
            "gains": [int(coins) for coins in state.effect_gains[entry][:players]],
        }
        for entry in range(int(state.effect_count))
    ]
    rewards = [
        {"card": card_name(int(state.reward_card[rank])), "rank": rank + 1, "coins": int(state.reward_coins[rank])}
        for rank in range(int(state.reward_count))
        if state.reward_card[rank] != NO_CARD
    ]
    return {"location": location, "effects": effects, "rewards": rewards, "coins": _coins(state)}


def _table(state: Any) -> dict[str, Any]:
    rows = {
        name: [card_name(int(card)) for card in state.rows[location][: int(state.length[location])]]
        for location, name in enumerate(LOCATIONS)
    }
    forced = [LOCATIONS[int(to)] if to >= 0 else None for to in state.forced[: int(state.players)]]
    return {"rows": rows, "coins": _coins(state), "pawn": int(state.pawn), "forced": forced}


def _coins(state: Any) -> list[int]:
    return [int(coins) for coins in state.coins[: int(state.players)]]


# --- the story --------------------------------------------------------------------------------------------------------


def story(line: dict[str, Any]) -> str:
    """Tell one trace line as a sentence."""
    who = f"Player {line['seat'] + 1}" if "seat" in line else ""
    match line:
        case {"type": "setup", "hands": hands, "set": name, "pawn": pawn}:
            dealt = [f"Player {seat + 1} is dealt {_values(hand)}." for seat, hand in enumerate(hands)]
            return "\n".join([f"Set {name} is in play; player {pawn + 1} has the pawn.", *dealt])
        case {"kind": "select", "value": value}:
            return f"{who} selects the {CHARACTERS[value - 1]} ({value}), face down."
        case {"kind": "place", "location": location, "gap": gap, "state": state}:
            row = state["rows"][location]
            value = int(row[gap].partition(":")[2])
            return f"{who} reveals the {CHARACTERS[value - 1]} ({value}) and places it in the {_row(location, row)}."
        case {"kind": "effect", "value": value}:
            return f"{who}'s {CHARACTERS[value - 1]} {_deed(line)}."
        case {"event": "courtesan", "value": value}:
            return f"{who}'s selected card is swapped for the {CHARACTERS[value - 1]} ({value})."
        case {"event": "end_of_round"}:
            return _settlement(line)
        case {"event": "drawn", "values": values}:
            return f"{who} draws {_values(values)}." if values else f"{who} has no card to draw."
    raise ValueError(f"not a line of an emblems trace: {line}")


def _deed(line: dict[str, Any]) -> str:
    target = line["target"]
    if target == "none":
        return "does nothing"
    copying = f"acts as a {CHARACTERS[line['as'] - 1]}: it " if "as" in line else ""
    match line.get("as", line["value"]):
        case 12:
            return f"{copying}sends {_whose(target)} to the {_row(line['to'], line['state']['rows'][line['to']])}"
        case 11:
            owner = int(target.partition(":")[0])
            coins = ", ".join(map(str, line["state"]["coins"]))
            return f"{copying}robs player {owner + 1}, whose {_called(target)} is next to it (coins now {coins})"
        case 9:
            return f"{copying}swaps the card that player {target + 1} has selected"
        case 8:
            return f"{copying}sends the card that player {target + 1} has selected to the {line['to'].capitalize()}"
        case 4:
            return f"{copying}calls {_whose(target)} to its side"
        case _:
            return f"{copying}drives {_whose(target)} out of the game"


def _settlement(line: dict[str, Any]) -> str:
    sentences = []
    for effect in line["effects"]:
        if effect["result"] not in ("nothing", "cancelled"):
            sentences.append(f"{_whose(effect['card'])} {_outcome(effect)}")
    for reward in line["rewards"]:
        coins = reward["coins"]
        change = "gets nothing" if coins == 0 else f"{'earns' if coins > 0 else 'costs'} {_amount(abs(coins))}"
        sentences.append(f"{_whose(reward['card'])} {change} at rank {reward['rank']} and leaves")
    totals = ", ".join(map(str, line["coins"]))
    told = "; ".join(sentences) or "nothing happens"
    return f"End of the round in the {line['location'].capitalize()}: {told}. Coins: {totals}."


def _outcome(effect: dict[str, Any]) -> str:
    match effect["result"]:
        case "discarded":
            return "flees from a Thief and is discarded"
        case "cancels":
            return "cancels the end-of-round effects of all lower cards"
        case "reverses":
            return "turns the ranking round"
        case "doubles":
            return "doubles its own reward"
    gains = [f"player {seat + 1} {_amount(coins)}" for seat, coins in enumerate(effect["gains"]) if coins]
    return f"brings {', '.join(gains)}"


def _amount(coins: int) -> str:
    return f"{coins} coin{'s' if coins != 1 else ''}"


def _called(card: str) -> str:
    value = int(card.partition(":")[2])
    return f"{CHARACTERS[value - 1]} ({value})"


def _whose(card: str) -> str:
    return f"player {int(card.partition(':')[0]) + 1}'s {_called(card)}"


def _values(values: list[int]) -> str:
    return ", ".join(map(str, values))


def _row(location: str, row: list[str]) -> str:
    return f"{location.capitalize()}: {' · '.join(map(_short, row))}"


def _short(card: str) -> str:
    seat, _, value = card.partition(":")
    return f"P{int(seat) + 1} {CHARACTERS[int(value) - 1]} {value}"
