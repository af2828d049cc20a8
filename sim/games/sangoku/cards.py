"""Sangoku in names: cards, tokens, actions and the lines of a trace.

Recruitment cards are known by kind (``hands.py``): suit × 13 + rank − 2, then BRIDGE and WILD; Legend cards by kind,
in the order of LEGENDS. Tokens are physical pieces 0 … 31, so a set of tokens is an int64 mask: five Dragons and five
Oni by suit, ten Samurai and ten Dogs (by suit, then by suit again), Genbu, Orochi.

An action is an int64. Its bits 26 to 28 tell the kind; below them lies an arrangement, from bit 29 on all else:

=========  =========================================================================================================
arrange    two bits for each of the 13 cards in hand: its Realm (bits 0 to 25)
wager      Legend kind (4 bits), Realm (2)
redeem     Recruitment kind (7), source (5): FROM_POOL, FROM_LEGENDS, or seat × 3 + Realm where the token lies
collect    set (4), cards (10), Realm (2), target (3), then what a Shinigami steals: seat (3), Realm (2), type (5).
           Cards are the number of the set's own cards (3), of Kitsune (3), of Yosei (4); beside a Monkey King the set
           of the other kinds. Fields that a set has no use for are 0; whoever steals nothing has seat NOBODY.
haunt      Realm (2)
none       nothing
=========  =========================================================================================================

A token type is a kind and a suit: kind × 5 + suit for the four kinds of Warriors, then Genbu and Orochi.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sim.games.sangoku.hands import CATEGORIES, RANKS, SUITS, category, tie_breaks

SEATS = 5
REALMS = ("heavens", "earth", "hells")
HEAVENS, EARTH, HELLS = range(3)
HAND = 13
SIZES = (5, 5, 3)  # cards of a hand by Realm
FIRST_CARD = (0, 5, 10)  # where a Realm's hand begins among the 13 cards laid

SUIT_NAMES = ("fire", "metal", "earth", "water", "wood")
RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
RANK_TITLES = (*RANK_NAMES[:-4], "Jack", "Queen", "King", "Ace")
TEN = RANK_NAMES.index("10")
ROWS = (*RANK_NAMES, "bridge", "wild")  # rows of the table of redemptions
BRIDGE_ROW, WILD_ROW = RANKS, RANKS + 1
RECRUITS = (*(f"{suit}-{rank}" for suit in SUIT_NAMES for rank in RANK_NAMES), "bridge", "wild")  # by kind

LEGENDS = ("onibi", "fuujin", "raijin", "hachiman", "genbu", "orochi", "kitsune", "yosei", "shinigami", "monkey_king")
ONIBI, FUUJIN, RAIJIN, HACHIMAN, GENBU, OROCHI, KITSUNE, YOSEI, SHINIGAMI, MONKEY_KING = range(len(LEGENDS))
LEGEND_TITLES = (
    "Onibi",
    "Fuujin",
    "Raijin",
    "Hachiman",
    "Genbu",
    "Orochi",
    "Kitsune",
    "Yosei",
    "Shinigami",
    "Monkey King",
)

WARRIORS = ("dragon", "oni", "samurai", "dog", "genbu", "orochi")  # kinds of tokens
DRAGON, ONI, SAMURAI, DOG, GENBU_TOKEN, OROCHI_TOKEN = range(len(WARRIORS))
NOTHING, LEGEND_CARD = -1, len(WARRIORS)  # what else a Recruitment card may be redeemed for
TOKENS = 32
TOKEN_TYPES = 4 * SUITS + 2
TYPE_NAMES = (*(f"{suit}-{kind}" for kind in WARRIORS[:4] for suit in SUIT_NAMES), "genbu", "orochi")
KIND_MASKS = np.array([0x1F, 0x1F << 5, 0x3FF << 10, 0x3FF << 20, 1 << 30, 1 << 31], np.int64)  # tokens by kind


def _pieces(token_type: int) -> int:
    """Give the set of the tokens of a type."""
    kind, suit = divmod(token_type, SUITS)
    if kind >= 4:
        return 1 << 30 + suit
    if kind in (DRAGON, ONI):
        return 1 << token_type
    return 0b100001 << (10 * (kind - 1) + suit)


TYPE_MASKS = np.array([_pieces(token_type) for token_type in range(TOKEN_TYPES)], np.int64)  # tokens by type

ARRANGE_HANDS, WAGER_CARD, REDEEM_CARD, COLLECT_SET, HAUNT_REALM, DO_NOTHING = range(6)  # kinds of action
REALM_BITS, LEGEND_BITS, RECRUIT_BITS, SOURCE_BITS, CARDS_BITS, SEAT_BITS, TYPE_BITS = 2, 4, 7, 5, 10, 3, 5
KIND_AT, KIND_BITS = HAND * REALM_BITS, 3  # lowest bit of each field
FIELDS = KIND_AT + KIND_BITS
WAGER_REALM = FIELDS + LEGEND_BITS
REDEEM_SOURCE = FIELDS + RECRUIT_BITS
COLLECT_CARDS = FIELDS + LEGEND_BITS
COLLECT_REALM = COLLECT_CARDS + CARDS_BITS
COLLECT_TARGET = COLLECT_REALM + REALM_BITS
STEAL_SEAT = COLLECT_TARGET + SEAT_BITS
STEAL_REALM = STEAL_SEAT + SEAT_BITS
STEAL_TYPE = STEAL_REALM + REALM_BITS
KITSUNE_AT, YOSEI_AT, OWN_BITS = 3, 6, 3  # within the field of cards
FROM_POOL, FROM_LEGENDS = 30, 31
NOBODY = 7

PHASES = (
    "arrange",
    "wager",
    "redeem",
    "collect",
    "haunt",
    "deal",
    "reveal",
    "draw",
    "combat",
    "ghost",
    "round",
    "pass",
    "over",
)


# --- actions ----------------------------------------------------------------------------------------------------------


def wager_action(legend: Any, realm: Any) -> Any:
    """Give the code (int64) of wagering a Legend card on a Realm."""
    return np.int64(realm) << WAGER_REALM | np.int64(legend) << FIELDS | WAGER_CARD << KIND_AT


def redeem_action(recruit: Any, source: Any) -> Any:
    """Give the code (int64) of redeeming a card of the winning hand; where the token comes from."""
    return np.int64(source) << REDEEM_SOURCE | np.int64(recruit) << FIELDS | REDEEM_CARD << KIND_AT


def collect_action(legend: Any, cards: Any, realm: Any, target: Any, seat: Any, stolen_realm: Any, stolen: Any) -> Any:
    """Give the code (int64) of redeeming a set of Legend cards; the last three say what a Shinigami steals."""
    theft = np.int64(stolen) << STEAL_TYPE | np.int64(stolen_realm) << STEAL_REALM | np.int64(seat) << STEAL_SEAT
    aim = np.int64(target) << COLLECT_TARGET | np.int64(realm) << COLLECT_REALM
    return theft | aim | np.int64(cards) << COLLECT_CARDS | np.int64(legend) << FIELDS | COLLECT_SET << KIND_AT


def haunt_action(realm: Any) -> Any:
    """Give the code (int64) of choosing the own Realm that is haunted."""
    return np.int64(realm) << FIELDS | HAUNT_REALM << KIND_AT


def no_action() -> Any:
    """Give the code (int64) of doing nothing."""
    return np.int64(DO_NOTHING) << KIND_AT


def set_cards(own: Any, kitsune: Any, yosei: Any) -> Any:
    """Give the field (int64) of the cards of a set: its own ones, Kitsune in place of others, Yosei added."""
    return np.int64(yosei) << YOSEI_AT | np.int64(kitsune) << KITSUNE_AT | np.int64(own)


def cards_of_set(legend: int, cards: int) -> list[int]:
    """List the Legend kinds that a set turns in, by name."""
    if legend == MONKEY_KING:
        found = [MONKEY_KING, *(kind for kind in range(len(LEGENDS)) if cards >> kind & 1)]
    else:
        own, kitsune = cards & (1 << OWN_BITS) - 1, cards >> KITSUNE_AT & (1 << OWN_BITS) - 1
        found = [legend] * own + [KITSUNE] * kitsune + [YOSEI] * (cards >> YOSEI_AT)
    return sorted(found, key=LEGENDS.__getitem__)


def _field(action: int, place: int, bits: int) -> int:
    return action >> place & (1 << bits) - 1


def action_text(action: int) -> str:
    """Put an action into words.

    Examples
    --------
    ``"arrange 0012210010121"`` (each card's Realm, 0 the Heavens) · ``"wager kitsune earth"`` ·
    ``"redeem fire-2 pool"`` · ``"redeem fire-2 1:hells"`` (seat, Realm) · ``"redeem fire-10 legend"`` ·
    ``"collect raijin 2+1+0 heavens"`` (own cards, Kitsune, Yosei) · ``"collect monkey_king raijin,yosei earth"`` ·
    ``"collect shinigami 2+0+0 hells 1 0:earth:fire-oni"`` (target, what is stolen; ``-`` for nothing) ·
    ``"haunt earth"`` · ``"none"``

    Raises
    ------
    ValueError
        If the number stands for no action of any game.
    """
    action = int(action)
    text = _action_words(action)
    if parse_action(text) != action:
        raise ValueError(f"not an action of sangoku: {action}")
    return text


def _action_words(action: int) -> str:
    try:
        match action >> KIND_AT & (1 << KIND_BITS) - 1:
            case 0:  # arrange
                return "arrange " + "".join(str(action >> 2 * card & 3) for card in range(HAND))
            case 1:  # wager
                legend, realm = _field(action, FIELDS, LEGEND_BITS), action >> WAGER_REALM
                return f"wager {LEGENDS[legend]} {REALMS[realm]}"
            case 2:  # redeem
                return (
                    f"redeem {RECRUITS[_field(action, FIELDS, RECRUIT_BITS)]} {_source_words(action >> REDEEM_SOURCE)}"
                )
            case 3:  # collect
                return f"collect {_set_words(action)}"
            case 4:  # haunt
                return f"haunt {REALMS[action >> FIELDS]}"
    except IndexError:
        raise ValueError(f"not an action of sangoku: {action}") from None
    return "none"


def _source_words(source: int) -> str:
    if source in (FROM_POOL, FROM_LEGENDS):
        return "pool" if source == FROM_POOL else "legend"
    seat, realm = divmod(source, len(REALMS))
    return f"{seat}:{REALMS[realm]}"


def _set_words(action: int) -> str:
    legend, cards = _field(action, FIELDS, LEGEND_BITS), _field(action, COLLECT_CARDS, CARDS_BITS)
    if legend == MONKEY_KING:
        turned_in = ",".join(name for kind, name in enumerate(LEGENDS) if cards >> kind & 1)
    else:
        turned_in = f"{cards & 7}+{cards >> KITSUNE_AT & 7}+{cards >> YOSEI_AT}"
    words = f"{LEGENDS[legend]} {turned_in} {REALMS[_field(action, COLLECT_REALM, REALM_BITS)]}"
    if legend != SHINIGAMI:
        return words
    seat = _field(action, STEAL_SEAT, SEAT_BITS)
    stolen = f"{seat}:{REALMS[_field(action, STEAL_REALM, REALM_BITS)]}:{TYPE_NAMES[action >> STEAL_TYPE]}"
    return f"{words} {_field(action, COLLECT_TARGET, SEAT_BITS)} {'-' if seat == NOBODY else stolen}"


def parse_action(text: str) -> int:
    """Give the code of an action given in words; the reverse of :func:`action_text`.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        match text.split():
            case ["arrange", realms] if len(realms) == HAND and set(realms) <= set("012"):
                return sum(int(realm) << 2 * card for card, realm in enumerate(realms))
            case ["wager", legend, realm]:
                return int(wager_action(LEGENDS.index(legend), REALMS.index(realm)))
            case ["redeem", recruit, source]:
                return int(redeem_action(RECRUITS.index(recruit), _parse_source(source)))
            case ["collect", legend, cards, realm, *theft] if len(theft) == (2 if legend == "shinigami" else 0):
                kind = LEGENDS.index(legend)
                target, stolen = _parse_theft(*theft) if theft else (0, (0, 0, 0))
                return int(collect_action(kind, _parse_set(kind, cards), REALMS.index(realm), target, *stolen))
            case ["haunt", realm]:
                return int(haunt_action(REALMS.index(realm)))
            case ["none"]:
                return int(no_action())
    except (ValueError, IndexError):
        pass
    raise ValueError(f"not an action of sangoku: {text!r} (expected for example 'wager kitsune earth')")


def _parse_source(text: str) -> int:
    if text in ("pool", "legend"):
        return FROM_POOL if text == "pool" else FROM_LEGENDS
    seat, realm = text.split(":")
    return range(SEATS).index(int(seat)) * len(REALMS) + REALMS.index(realm)


def _parse_set(kind: int, text: str) -> int:
    if kind == MONKEY_KING:
        return sum(1 << LEGENDS.index(name) for name in text.split(","))
    own, kitsune, yosei = map(int, text.split("+"))
    return int(set_cards(range(8).index(own), range(8).index(kitsune), range(16).index(yosei)))


def _parse_theft(target: str, stolen: str) -> tuple[int, tuple[int, int, int]]:
    victim = range(SEATS).index(int(target))
    if stolen == "-":
        return victim, (NOBODY, 0, 0)
    seat, realm, token = stolen.split(":")
    return victim, (range(SEATS).index(int(seat)), REALMS.index(realm), TYPE_NAMES.index(token))


# --- the trace --------------------------------------------------------------------------------------------------------


def phase_name(state: Any) -> str:
    """Say what the decision is about, as the trace calls it."""
    return PHASES[int(state.phase)]


def hand_names(cards: Any) -> list[str]:
    """Name Recruitment cards."""
    return [RECRUITS[int(card)] for card in cards]


def legends_in(counts: Any) -> list[str]:
    """Name the Legend cards of a hand, which is kept as the number of each kind."""
    return [name for name, count in zip(LEGENDS, counts, strict=True) for _ in range(int(count))]


def tokens_in(mask: int) -> list[str]:
    """Name the tokens of a set, in the order of their names."""
    return sorted(
        name
        for name, pieces in zip(TYPE_NAMES, TYPE_MASKS, strict=True)
        for _ in range((int(mask) & int(pieces)).bit_count())
    )


def state_text(state: Any) -> str:
    """Show the boards and all hands in a few lines, for error messages and for people who debug."""
    lines = [f"round {int(state.rounds) + 1}, player {int(state.seat) + 1} to {phase_name(state)}"]
    for seat in range(int(state.players)):
        boards = "; ".join(
            f"{name} {int(state.defence[seat][realm])}: {' '.join(tokens_in(state.tokens[seat][realm])) or '-'}"
            for realm, name in enumerate(REALMS)
        )
        legends = " ".join(legends_in(state.legends[seat])) or "-"
        out = "" if _is_in(state, seat) else " (out)"
        hand = f", hand {' '.join(hand_names(state.hand[seat]))}" if _is_in(state, seat) else ""
        lines.append(f"player {seat + 1}{out}: {boards}; Legends {legends}{hand}")
    return "\n".join(lines)


def _is_in(state: Any, seat: int) -> bool:
    return bool(int(state.inside) >> seat & 1)


def setup_line(state: Any, rules: Any) -> dict[str, Any]:
    """Word the set-up as a trace line."""
    return {
        "legends": [legends_in(state.legends[seat]) for seat in range(int(state.players))],
        "legend_deck": _deck(state),
        "dealer": 0,
    }


def _deal_line(state: Any) -> dict[str, Any]:
    hands = [hand_names(state.hand[seat]) if _is_in(state, seat) else None for seat in range(int(state.players))]
    return {"type": "chance", "event": "deal", "hands": hands}


def _deck(state: Any) -> list[str]:
    """Name the Legend cards of the deck, the next one first."""
    return [LEGENDS[int(kind)] for kind in state.deck[: int(state.deck_cards)] if kind >= 0]


def action_line(before: Any, action: int, after: Any) -> dict[str, Any]:
    """Word an action as a trace line."""
    return {"phase": phase_name(before), **_what(before, int(action))}


def _what(before: Any, action: int) -> dict[str, Any]:
    match action >> KIND_AT & (1 << KIND_BITS) - 1:
        case 0:  # arrange
            hand = hand_names(before.hand[int(before.seat)])
            laid = {
                name: [card for place, card in enumerate(hand) if action >> 2 * place & 3 == realm]
                for realm, name in enumerate(REALMS)
            }
            return {"kind": "arrange", **laid}
        case 1:  # wager
            legend, realm = _field(action, FIELDS, LEGEND_BITS), action >> WAGER_REALM
            return {"kind": "wager", "card": LEGENDS[legend], "realm": REALMS[realm]}
        case 2:  # redeem
            source: Any = action >> REDEEM_SOURCE
            if source in (FROM_POOL, FROM_LEGENDS):
                source = _source_words(source)
            else:
                source = [source // len(REALMS), REALMS[source % len(REALMS)]]
            card = RECRUITS[_field(action, FIELDS, RECRUIT_BITS)]
            return {"kind": "redeem", "realm": REALMS[int(before.realm)], "card": card, "from": source}
        case 3:  # collect
            return {"kind": "collect", **_set_line(action)}
        case 4:  # haunt
            return {"kind": "haunt", "realm": REALMS[action >> FIELDS]}
    return {"kind": "none"}


def _set_line(action: int) -> dict[str, Any]:
    legend = _field(action, FIELDS, LEGEND_BITS)
    cards = cards_of_set(legend, _field(action, COLLECT_CARDS, CARDS_BITS))
    line: dict[str, Any] = {
        "set": LEGENDS[legend],
        "cards": [LEGENDS[kind] for kind in cards],
        "realm": REALMS[_field(action, COLLECT_REALM, REALM_BITS)],
    }
    if legend == SHINIGAMI:
        seat = _field(action, STEAL_SEAT, SEAT_BITS)
        stolen = [seat, REALMS[_field(action, STEAL_REALM, REALM_BITS)], TYPE_NAMES[action >> STEAL_TYPE]]
        line |= {"target": _field(action, COLLECT_TARGET, SEAT_BITS), "steal": None if seat == NOBODY else stolen}
    return line


def follow_lines(before: Any, after: Any) -> Iterator[dict[str, Any]]:
    """Word one automatic step as trace lines; passing the dealer marker has none, nor drawing from an empty deck."""
    players = int(after.players)
    match phase_name(before):
        case "deal":
            yield _deal_line(after)
        case "reveal":
            realm = int(before.realm)
            ranks = [_rank(int(after.strength[seat][realm])) for seat in range(players)]
            winners = [seat for seat in range(players) if int(after.winners) >> seat & 1]
            yield {"type": "event", "event": "reveal", "realm": REALMS[realm], "ranks": ranks, "winners": winners}
        case "draw":
            yield from _draw_lines(before, after)
        case "combat":
            realm = int(before.realm)
            dealt = [[int(damage) for damage in row[:players]] for row in after.blows[:players]]
            taken = [int(before.defence[seat][realm]) - int(after.defence[seat][realm]) for seat in range(players)]
            yield {"type": "event", "event": "combat", "realm": REALMS[realm], "dealt": dealt, "taken": taken}
        case "ghost":
            yield {"type": "event", "event": "haunt", "seat": int(before.ghost)}
        case "round":
            yield {"type": "event", "event": "round", "round": int(after.rounds), "state": _boards(after)}


def _rank(strength: int) -> list[int] | None:
    return None if strength < 0 else [int(category(strength)), *tie_breaks(strength)]


def _draw_lines(before: Any, after: Any) -> Iterator[dict[str, Any]]:
    if after.reshuffles != before.reshuffles:
        yield {"type": "chance", "event": "reshuffle", "legend_deck": _deck(after)}
    for seat in range(int(after.players)):
        for kind, name in enumerate(LEGENDS):
            if after.drawn[seat][kind] > before.drawn[seat][kind]:
                yield {"type": "chance", "event": "legend", "seat": seat, "card": name}


def _boards(state: Any) -> dict[str, Any]:
    seats = range(int(state.players))
    return {
        "defence": [[int(points) for points in state.defence[seat]] for seat in seats],
        "tokens": [[tokens_in(state.tokens[seat][realm]) for realm in range(len(REALMS))] for seat in seats],
        "legend_hands": [int(state.legends[seat].sum()) for seat in seats],
        "dealer": int(state.dealer),
        "in": [seat for seat in seats if _is_in(state, seat)],
    }


# --- the story --------------------------------------------------------------------------------------------------------


def story(line: dict[str, Any]) -> str:
    """Tell one trace line as a sentence."""
    who = f"Player {line['seat'] + 1}" if "seat" in line else ""
    match line:
        case {"type": "setup", "legends": hands}:
            dealt = [f"Player {seat + 1} holds {_listed(map(_titled, hand))}." for seat, hand in enumerate(hands)]
            return "\n".join(["Player 1 deals first.", *dealt])
        case {"event": "deal", "hands": hands}:
            dealt = [
                f"Player {seat + 1} is dealt {_listed(hand)}." for seat, hand in enumerate(hands) if hand is not None
            ]
            return "\n".join(["A new round begins.", *dealt])
        case {"kind": "arrange", "heavens": heavens, "earth": earth, "hells": hells}:
            lower = f"{_listed(earth)} on Earth, {_listed(hells)} in the Hells"
            return f"{who} lays {_listed(heavens)} in the Heavens, {lower}."
        case {"kind": "wager", "card": card, "realm": realm}:
            return f"{who} wagers a Legend card {_WHERE[realm]}, face down: {_titled(card)}."
        case {"kind": "redeem", "realm": realm, "card": card, "from": source}:
            return f"{who} redeems {card} {_origin(source, realm)}."
        case {"kind": "collect"}:
            return f"{who} redeems a set: {_attack(line)}."
        case {"kind": "haunt", "realm": realm}:
            return f"{who} chooses to be haunted {_WHERE[realm]}."
        case {"kind": "none", "phase": phase}:
            return f"{who} {_IDLE[phase]}."
        case {"event": "reveal", "realm": realm, "ranks": ranks, "winners": winners}:
            hands = [f"player {seat + 1} {_hand(rank)}" for seat, rank in enumerate(ranks) if rank is not None]
            told = f"The hands {_WHERE[realm]}: {'; '.join(hands) or 'none is in order'}."
            verb = "win" if len(winners) > 1 else "wins"
            won = f"{_listed(f'Player {seat + 1}' for seat in winners)} {verb}" if winners else "Nobody wins"
            return f"{told} {won}."
        case {"event": "legend", "card": card}:
            return f"{who} draws a Legend card: {_titled(card)}."
        case {"event": "reshuffle", "legend_deck": deck}:
            return f"The {len(deck)} discarded Legend cards are shuffled into a new deck."
        case {"event": "combat", "realm": realm, "taken": taken}:
            losses = [f"player {seat + 1} loses {lost}" for seat, lost in enumerate(taken) if lost]
            return f"Combat {_WHERE[realm]}: {_listed(losses) if losses else 'nobody loses anything'}."
        case {"event": "haunt"}:
            return f"The ghost of player {line['seat'] + 1} haunts everybody still in."
        case {"event": "round", "round": number, "state": state}:
            return _standing(number, state)
    raise ValueError(f"not a line of a sangoku trace: {line}")


_WHERE = {"heavens": "in the Heavens", "earth": "on Earth", "hells": "in the Hells"}
_IDLE = {"wager": "wagers nothing", "redeem": "redeems no card", "collect": "redeems no set"}


def _listed(words: Any) -> str:
    *first, last = [*words] or ["nothing"]
    return f"{', '.join(first)} and {last}" if first else str(last)


def _titled(legend: str) -> str:
    return LEGEND_TITLES[LEGENDS.index(legend)]


def _origin(source: Any, realm: str) -> str:
    if source == "legend":
        return "for a Legend card"
    if source == "pool":
        return f"for a token from the pool, placed {_WHERE[realm]}"
    seat, place = source
    return f"for a token that player {seat + 1} has {_WHERE[place]}, placed {_WHERE[realm]}"


def _attack(line: dict[str, Any]) -> str:
    cards = _listed(
        _titled(kind) if line["cards"].count(kind) == 1 else f"{line['cards'].count(kind)} {_titled(kind)}"
        for kind in dict.fromkeys(line["cards"])
    )
    if line["set"] in ("genbu", "orochi"):
        return f"{cards} for the {_titled(line['set'])} token, placed {_WHERE[line['realm']]}"
    if line["set"] != "shinigami":
        return f"{cards} against all opponents {_WHERE[line['realm']]}"
    attack = f"{cards} against player {line['target'] + 1} {_WHERE[line['realm']]}"
    if line["steal"] is None:
        return attack
    seat, realm, token = line["steal"]
    return f"{attack}, stealing {token}, which player {seat + 1} has {_WHERE[realm]}"


def _hand(rank: list[int]) -> str:
    names = {0: "wild", 1: "bridge", 11: "J", 12: "Q", 13: "K", 14: "A"}
    ranks = [names.get(each, str(each)) for each in rank[1:]]
    return f"{CATEGORIES[rank[0]]} ({' '.join(ranks)})" if ranks else CATEGORIES[rank[0]]


def _standing(number: int, state: dict[str, Any]) -> str:
    boards = [
        f"player {seat + 1} {'/'.join(map(str, points))}{'' if seat in state['in'] else ' (out)'}"
        for seat, points in enumerate(state["defence"])
    ]
    return f"Round {number} is over. Defence in Heavens/Earth/Hells: {', '.join(boards)}."
