"""The facts of Hakari's games, as the report needs them."""

from collections.abc import Mapping, Sequence
from typing import Any

from reports import panels
from reports.facts import GameFacts, Use
from sim import games


def facts_of(game: str, config: Mapping[str, Any] | None = None) -> GameFacts:
    """Return what the report needs to know about a game.

    Parameters
    ----------
    game : str
        Its name, as in a manifest.
    config : mapping, optional
        The effective config of a run, which may name the items; without it, the rule book's values.

    Raises
    ------
    sim.errors.UsageError
        If there is no such game.
    """
    model = games.options(game)
    own = {field.alias or name for name, field in model.model_fields.items()}

    def options(config: Mapping[str, Any]) -> Any:
        return model.model_validate({k: v for k, v in config.items() if k in own})

    def seats(players: int, config: Mapping[str, Any]) -> Mapping[str, Sequence[Any]]:
        return spec.seat_facts(players, options(config))

    def items(config: Mapping[str, Any]) -> Sequence[str]:
        return games.spec(game).under(options(config)).items.names

    spec = games.spec(game)
    if spec.named and config:
        spec = spec.under(options(config))
    unit = spec.score_word
    return GameFacts(
        title=spec.title,
        rules_version=str(spec.rules_version),
        items=spec.items.names,
        groups=spec.items.groups,
        item_word=(spec.items.word, f"{spec.items.word}s"),
        uses={key: Use(use.label, use.meaning, use.fields) for key, use in spec.items.uses.items()},
        available_use=spec.items.available,
        played_use=spec.items.played,
        apart=spec.items.apart,
        always_played=spec.items.always_played,
        tie_break=spec.tie_break,
        end_reasons=spec.end_words or [reason.replace("_", " ") for reason in spec.end_reasons],
        decisions_bin=spec.decisions_bin,
        unit=(unit.removesuffix("s"), unit),
        lead_unit=unit,
        exact_seat_facts=seats,
        seat_text=spec.seat_text,
        items_under=items if spec.named else None,
        draws_text=spec.draws_text,
        counters={key: tuple(len(axis) for axis in each.axes) for key, each in spec.counters.items()},
        panels=panels.of(game),
    )
