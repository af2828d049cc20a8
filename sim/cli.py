"""The ``hakari`` command: parse, call, print.

Results go to standard output, progress and faults to standard error. Exit codes: 0 fine, 1 a goal is missed, 2 usage
or config, 3 undecided, 4 results cannot be trusted, 5 a file cannot be read or written, 70 a bug of ours, 130
interrupted (resumable).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from sim.errors import HakariError

if TYPE_CHECKING:
    from reports.answers.enough import Enough
    from reports.schema import Part
    from sim.config import Config
    from sim.engine.runner import Job
    from sim.engine.versus import Side
    from sim.games.interface import Entry
    from strategies.registry import Broken

BUG, INTERRUPTED = 70, 130

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Target = Annotated[str, typer.Argument(metavar="GAME|CONFIG", help="A game's name, or a config file.")]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Change one value of the config, such as rulings.debt=true."),
]
Files = Annotated[
    list[Path] | None, typer.Option("--strategy", metavar="FILE", help="A strategy file of your own (repeatable).")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Games = Annotated[str | None, typer.Option(help="Games to play in all: 200000 or 200_000.")]
Players = Annotated[str | None, typer.Option(help="Numbers of players: 3 or 3,4 or 2-5.")]
Who = Annotated[str | None, typer.Option("--strategies", help='Who plays: greedy,random or "sniper{grudge=2},random".')]
Seed = Annotated[int | None, typer.Option(help="Start of all random numbers.")]
OwnDraws = Annotated[str, typer.Option("--draws", help="per_seat (each seat its own order) or shared (one pile).")]
Workers = Annotated[int | None, typer.Option(min=1, help="Threads; without it, one a core.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Precision = Annotated[
    str | None,
    typer.Option("--precision", metavar="PP", help="As many games as make every goal so narrow: 0.2pp to either side."),
]
UntilDecided = Annotated[
    bool, typer.Option("--until-decided", help="As many games as decide every goal, at most those of the plan.")
]
RunFolder = Annotated[
    Path, typer.Argument(metavar="RUN", help="The folder of a run, such as out/mon/2026-11-29_12-00-00.")
]


def _version(wanted: bool) -> None:
    if wanted:
        from sim import VERSION

        typer.echo(f"hakari {VERSION}")
        raise typer.Exit


@app.callback()
def hakari(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Hakari weighs card games: it plays millions of games and says which seat, strategy and card is too strong."""


@app.command("list")
def list_(
    game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="Only this game.")] = None,
    strategy: Files = None,
    as_json: AsJson = False,
) -> None:
    """List the games, their numbers of players and their strategies."""
    from sim import games
    from strategies import registry

    found: dict[str, Any] = {}
    for name in [game] if game else games.GAMES:
        spec = games.spec(name)
        known, broken = registry.find(name, strategy or ())
        found[name] = {
            "title": spec.title,
            "players": list(spec.players),
            "strategies": {each.name: each.summary for each in known.values()},
            "broken": {str(each.source): each.error for each in broken},
        }
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=1))
        return
    for name, facts in found.items():
        typer.echo(f"{name}: {facts['title']}, {facts['players'][0]} to {facts['players'][-1]} players")
        for strategy_name, summary in facts["strategies"].items():
            typer.echo(f"  {strategy_name:<12} {summary}")
        for source, error in facts["broken"].items():
            typer.echo(f"  BROKEN       {source}\n               " + error.replace("\n", "\n               "))
        typer.echo()


@app.command()
def validate(
    target: Target,
    sets: Sets = None,
    strategy: Files = None,
    precision: Precision = None,
    until_decided: UntilDecided = False,
    players: Players = None,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Check a config and say what a run of it would play.

    Nothing is run, except with --precision or --until-decided: then some games are played aside to see how many a run
    needs, and how long they take.
    """
    from sim.engine import session

    config = _config(target, [*(sets or ()), *session.overrides({"players": players})])
    half_width = _half_width(precision, until_decided)
    entries = _ready(config, strategy, as_json)[0] if precision or until_decided else _seated(config, strategy)[0]
    plan = _plan(config, entries)
    needed = _enough(config, entries, half_width, until_decided, workers, quiet=as_json)
    if as_json:
        told = {"config": config.effective(), "games": plan.games}
        told |= {"needed": {"games": needed.games, "seconds": round(needed.seconds, 1)}} if needed else {}
        typer.echo(json.dumps(told, ensure_ascii=False, indent=1))
        return
    typer.echo(f"{target}: fine")
    typer.echo(f"  game        {config.game}" + (f" – {config.title}" if config.title else ""))
    typer.echo(f"  players     {', '.join(map(str, plan.players))}")
    typer.echo(f"  strategies  {', '.join(entry.label for entry in plan.entries)}")
    typer.echo(f"  games       {plan.games:,} in {len(plan.cells)} line-ups")
    typer.echo(f"  goals       {', '.join(config.goals) or 'none'}")
    if needed:
        from sim.progress import duration

        typer.echo(f"  needed      {needed.games:,} games, about {duration(needed.seconds)}{_still_open(needed)}")


@app.command()
def schema(
    game: Annotated[
        str, typer.Argument(metavar="GAME|report|compare", help="A game's name, or report or compare for their JSON.")
    ],
) -> None:
    """Print the JSON Schema of a game's config, for editors, or of report.json or compare.json."""
    if game == "report":
        from reports.schema import json_schema as report_schema

        described = report_schema()
    elif game == "compare":
        from reports.compare.schema import json_schema as compare_schema

        described = compare_schema()
    else:
        from sim.config import json_schema

        described = json_schema(game)
    typer.echo(json.dumps(described, ensure_ascii=False, indent=1))


@app.command()
def columns(game: Annotated[str, typer.Argument(metavar="GAME", help="A game's name.")]) -> None:
    """List the columns that a game adds to the tables of a run (Markdown); the README has those of every game."""
    from sim import games, results

    for line in results.column_table(games.spec(game)):
        typer.echo(line)


@app.command()
def run(
    target: Target,
    games: Games = None,
    precision: Precision = None,
    until_decided: UntilDecided = False,
    players: Players = None,
    lineups: Annotated[str | None, typer.Option(help="Kinds of line-up: field,one_vs_rest,pairs,mirror,all.")] = None,
    strategies: Who = None,
    strategy: Files = None,
    seed: Seed = None,
    draws: Annotated[str | None, typer.Option(help="shared (one pile) or per_seat (each seat its own order).")] = None,
    keep_games: Annotated[float | None, typer.Option(help="Part of the deals whose games are kept as rows.")] = None,
    sets: Sets = None,
    workers: Workers = None,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Play on a Dask cluster that shares this folder.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; without it, out/<game>/<time>.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the newest interrupted run of this plan.")] = False,
    baseline: Annotated[str, typer.Option(help="A run to compare with: its folder, last, or none.")] = "last",
    card_values: Annotated[
        bool, typer.Option("--card-values/--no-card-values", help="Play on to find what each card is worth.")
    ] = True,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write the report at the end.")] = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Play a game's plan, or a changed one, and write the report."""
    from sim.engine import session
    from sim.progress import shown

    options: dict[str, Any] = {"games": games, "players": players, "lineups": lineups, "strategies": strategies}
    options |= {"seed": seed, "draws": draws, "keep_games": keep_games}
    if games is not None and precision is not None:
        _usage("--games and --precision both set the number of games", "one of them")
    half_width = _half_width(precision, until_decided)
    config = _config(target, [*(sets or ()), *session.overrides(options)])
    entries, refused = _ready(config, strategy, quiet)
    if needed := _enough(config, entries, half_width, until_decided, workers, quiet):
        _say(f"{needed.games:,} games are needed{_still_open(needed)}", quiet)
        config = _config(target, [*(sets or ()), *session.overrides(options | {"games": needed.games})])
    job = session.job(config, _plan(config, entries), out, resume=resume)
    before = session.find_baseline(baseline, job)
    work = session.open_run(job, config, refused=refused, baseline=before, resume=resume, command=_command())
    from reports.live import Estimate

    _say(f"{job.plan.games:,} games of {config.game} into {job.folder}", quiet)
    estimate = Estimate(config, job.plan)
    with shown(estimate, quiet) as watch, session.executor(workers, dask) as executor:
        work.carry_out(executor, watch)
    session.verify(work, config)
    if card_values and work.manifest["status"] == "complete":
        _value_cards(config, job, target, sets, options, workers, quiet)
    for failure in work.failures:
        typer.echo(f"{failure}\n", err=True)
    if report and work.manifest["status"] in ("complete", "failed"):
        page = _report(job.folder)
        typer.echo(json.dumps({"run": str(job.folder), "report": str(page)}) if as_json else page)
    else:
        typer.echo(json.dumps({"run": str(job.folder)}) if as_json else job.folder)
    doubts = [each["message"] for each in work.manifest["controls"].values() if each["different"]]
    for doubt in doubts:
        typer.echo(f"results not trustworthy: {doubt}", err=True)
    if work.failures or refused or doubts:
        raise typer.Exit(4)


@app.command()
def cards(
    target: Target,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", help="What to change: grant, ban, … (repeatable); see --kinds.")
    ] = None,
    kinds: Annotated[bool, typer.Option("--kinds", help="List what can be changed in this game, and stop.")] = False,
    precision: Annotated[str, typer.Option(help="Half the width of the ranges, all holding together.")] = "0.5pp",
    players: Players = None,
    strategies: Who = None,
    strategy: Files = None,
    seed: Seed = None,
    draws: OwnDraws = "per_seat",
    sets: Sets = None,
    workers: Workers = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Find out what each card is worth: the same games with and without it, on the same luck.

    The answers are shown here and on the page of the newest run of the same rules, players and strategies.
    """
    from reports import answers
    from reports.answers import cards as values
    from reports.schema import Cards
    from sim import games
    from sim.engine import session
    from sim.goals import points

    options = {"players": players, "strategies": strategies, "seed": seed, "draws": draws}
    config = _config(target, [*(sets or ()), *session.overrides(options)])
    spec = games.spec(config.game).under(config.options)
    if kinds:
        typer.echo(values.listing(spec, _seated(config, strategy)[0]))
        return
    asked, wide = values.kinds_of(spec, kind or ()), points(precision)
    entries, refused = _ready(config, strategy, quiet)
    with session.executor(workers) as executor:
        found = values.ask(session.job_in_memory(config, entries), asked, config.plan.players, wide, executor)
    kept = session.run_of(config, entries)
    earlier = answers.stored(kept, Cards) if kept else None
    whole = values.beside(found, earlier.model_dump(mode="json") if earlier else None)
    _answer(kept, Cards, whole, found, values.text(found), as_json, quiet)
    doubts = values.faults(found)
    for doubt in doubts:
        typer.echo(f"results not trustworthy: {doubt}", err=True)
    if doubts or refused:
        raise typer.Exit(4)


@app.command()
def sense(
    target: Target,
    only: Annotated[list[str] | None, typer.Option(help="Turn only numbers below this key (repeatable).")] = None,
    goal: Annotated[str | None, typer.Option(help="Goal to show; without it, the first that is missed.")] = None,
    games: Annotated[str, typer.Option(help="Games for each step.")] = "200000",
    players: Players = None,
    strategies: Who = None,
    strategy: Files = None,
    seed: Seed = None,
    draws: OwnDraws = "per_seat",
    sets: Sets = None,
    workers: Workers = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Find out which number to turn: every reward one step up and down, on the same luck.

    The answer is shown here and on the page of the newest run of the same rules, players and strategies.
    """
    from reports.answers import sense as sensitivity
    from reports.schema import Sense
    from sim import games as games_of
    from sim.engine import session

    options = {"games": games, "players": players, "strategies": strategies, "seed": seed, "draws": draws}
    changes = [*(sets or ()), *session.overrides(options)]
    config = _config(target, changes)
    turned = list(sensitivity.steps(config, lambda more: _config(target, [*changes, *more]), only or ()))
    if not turned:
        below = f" below {', '.join(only)}" if only else ""
        known = ", ".join(games_of.spec(config.game).knobs)
        _usage(f"there is no number to turn{below}", f"a key with whole numbers in play, such as {known}")
    entries, refused = _ready(config, strategy, quiet)
    with session.executor(workers) as executor:
        found = sensitivity.ask(config, turned, entries, executor, lambda words: _say(words, quiet), goal)
    text = sensitivity.text(found, goal)
    _answer(session.run_of(config, entries), Sense, found, found, text, as_json, quiet)
    if refused:
        raise typer.Exit(4)


@app.command()
def compensate(
    target: Target,
    games: Annotated[str, typer.Option(help="Games for each trial, over all numbers of players.")] = "400000",
    players: Players = None,
    strategies: Who = None,
    strategy: Files = None,
    seed: Seed = None,
    draws: OwnDraws = "per_seat",
    sets: Sets = None,
    workers: Workers = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Find out what each seat must be given at the start so that all seats win alike.

    The answer is shown here and on the page of the newest run of the same rules, players and strategies.
    """
    from reports.answers import compensate as compensation
    from reports.schema import Compensate
    from sim.engine import session

    options = {"games": games, "players": players, "strategies": strategies, "seed": seed, "draws": draws}
    config = _config(target, [*(sets or ()), *session.overrides(options)])
    compensation.bonus_of(config.game)
    entries, refused = _ready(config, strategy, quiet)
    with session.executor(workers) as executor:
        found = compensation.ask(config, entries, executor, lambda words: _say(words, quiet))
    text = compensation.text(found)
    _answer(session.run_of(config, entries), Compensate, found, found, text, as_json, quiet)
    if refused:
        raise typer.Exit(4)


@app.command()
def report(
    run_folder: RunFolder,
    baseline: Annotated[str | None, typer.Option(help="A run to compare with: its folder, last, or none.")] = None,
) -> None:
    """Write the HTML report of a run (again) and print its path."""
    typer.echo(_report(run_folder, baseline))


@app.command()
def check(
    run_folder: RunFolder,
    fail_on: Annotated[str, typer.Option(help="missed, or unclear to fail on undecided goals too.")] = "missed",
    as_json: AsJson = False,
) -> None:
    """Judge a run by its goals.

    Exit code 0: all met; 1: a goal is missed; 3: undecided, with --fail-on unclear; 4: results cannot be trusted.
    """
    from reports import judge

    if fail_on not in ("missed", "unclear"):
        _usage(f"--fail-on cannot be {fail_on!r}", "missed or unclear")
    judged = judge.run(run_folder)
    typer.echo(json.dumps(judged.as_dict(), ensure_ascii=False, indent=1) if as_json else judged.text())
    raise typer.Exit(judged.exit_code(fail_on))


@app.command()
def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A game, a config, or the folder of a run.")],
    b: Annotated[
        str | None, typer.Argument(metavar="[B]", help="The same; without it, A with what --set says.")
    ] = None,
    sets: Annotated[
        list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change one value of B's config.")
    ] = None,
    sets_a: Annotated[
        list[str] | None, typer.Option("--set-a", metavar="PATH=VALUE", help="Change one value of A's config.")
    ] = None,
    games: Annotated[
        str | None, typer.Option(help="Games a side; without it, enough for the precision, by a small pilot.")
    ] = None,
    precision: Annotated[
        str, typer.Option(help="Half the width of the ranges to aim at, for the goals about seats.")
    ] = "0.3pp",
    players: Players = None,
    lineups: Annotated[str | None, typer.Option(help="Kinds of line-up; without it, the mixed table alone.")] = None,
    strategies: Who = None,
    strategy: Files = None,
    seed: Seed = None,
    draws: Annotated[str | None, typer.Option(help="per_seat (each seat its own order) or shared (one pile).")] = None,
    gate: Annotated[
        str | None, typer.Option(metavar="GOAL,…", help="Exit with 1 if one of these goals (or all) is worse.")
    ] = None,
    by_itself: Annotated[
        bool,
        typer.Option("--by-itself", help="Ask also what the edit does before players adapt to it."),
    ] = False,
    workers: Workers = None,
    out: Annotated[Path | None, typer.Option(help="Folder; without it, out/<game>/compare-<time>.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Compare two configs or runs on the same deals with the same luck.

    With --gate the exit code is 0: no such goal is worse; 1: one is; 3: undecided; 4: results cannot be trusted.
    """
    from reports import compare as comparing
    from sim.engine import versus
    from sim.errors import UsageError
    from sim.goals import points

    options: dict[str, Any] = {"games": games, "players": players, "lineups": lineups, "strategies": strategies}
    options |= {"seed": seed, "draws": draws}
    aimed = points(precision)
    pair = versus.sides(a, b, sets_a or (), sets or (), options)
    watched = comparing.gated(gate, pair[1].config.goals) if gate is not None else None
    waiting = [side for side in pair if side.run is None]
    if by_itself and len(waiting) < len(pair):
        raise UsageError("--by-itself plays games, and a run is played already", fix="name configs, not runs")
    aim = ""
    refused: list[dict[str, str]] = []
    untouched: tuple[int, ...] = ()
    folder = out or Path()
    if waiting:
        seats, refused = _both_seated(pair, strategy)
        _compile(pair[0].config, quiet)
        seats, refused = _both_checked(pair, seats, refused)
        folder = versus.folder_of(pair, out)
        if len(waiting) > 1 and players is None:
            pair, untouched = versus.where_they_differ(pair, seats)
        if len(waiting) > 1 and games is None:
            with versus.pilot(pair, seats, workers, comparing.PILOT_GAMES) as tried:
                count, aim = comparing.games_needed(*tried, aimed)
            pair = versus.with_plan(pair, games=count)
        pair = _both_played(pair, seats, refused, folder, strategy, workers, quiet)
    run_a, run_b = (side.run or folder for side in pair)

    def tell(side: str, seated: Sequence[str], deal: int) -> list[dict[str, Any]]:
        number = versus.SIDES.index(side)
        at_table = _members(pair[number].config, seated, strategy)
        return list(versus.told(pair[number].config, at_table, deal))

    notes = [note for side in pair for note in side.notes]
    with versus.unadapted(pair, seats[0], workers) if by_itself else nullcontext((None, "")) as (unadapted, note):
        notes += [note] if note else []
        found = comparing.of_runs(run_a, run_b, tell, aim=aim, untouched=untouched, notes=notes, unadapted=unadapted)
    if not waiting:
        folder = versus.folder_of(pair, out)
    page = comparing.write(found, folder)
    if as_json:
        more = {"comparison": str(folder), "page": str(page), "a": str(run_a), "b": str(run_b)}
        typer.echo(json.dumps({**more, **comparing.summary(found)}, ensure_ascii=False))
    else:
        _show(comparing.table(found))
        typer.echo(page)
    code = 0 if watched is None else comparing.gate_code(found, watched)
    if watched is not None:
        _say(comparing.gate_text(watched, code), as_json)
    if refused:
        _say(f"Left out: {', '.join(each['strategy'] for each in refused)} (exit code 4).", as_json)
    raise typer.Exit(4 if found["verdict"]["state"] == "broken" or refused else code)


@app.command()
def publish(
    out: Annotated[Path | None, typer.Option(help="Folder of the site; without it, out/site.")] = None,
    as_json: AsJson = False,
) -> None:
    """Build a site of all reports, with the history of every goal, and print its front page."""
    from reports import publish as publishing
    from sim.engine import session

    site = publishing.publish(out or session.OUT / "site", session.OUT)
    for folder, why in site.left_out:
        typer.echo(f"{folder} is left out: {why}", err=True)
    typer.echo(json.dumps({"site": str(site.index), "runs": site.runs}) if as_json else site.index)


@app.command()
def trace(
    target: Target,
    players: Annotated[int | None, typer.Option(help="Number of players; without it, as many as strategies.")] = None,
    strategies: Annotated[
        str, typer.Option(help="Who sits where, the first player first; one name seats everywhere.")
    ] = "random",
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="The run's seed.")] = 1,
    deal: Annotated[int, typer.Option(min=0, max=2**62, help="Number of the deal.")] = 0,
    rotation: Annotated[int, typer.Option(min=0, help="Seating: the line-up moves on by so many seats.")] = 0,
    games: Annotated[int, typer.Option(min=1, help="So many games, one after the other, from this deal on.")] = 1,
    draws: Annotated[str | None, typer.Option(help="shared or per_seat, instead of what the config says.")] = None,
    text: Annotated[bool, typer.Option("--text", help="Tell the game as a story instead of JSON lines.")] = False,
    config: Annotated[str | None, typer.Option(metavar="FILE", help="Config whose rules apply.")] = None,
    sets: Sets = None,
    strategy: Files = None,
) -> None:
    """Play one game and print its trace, every move of it."""
    from sim.engine import session
    from sim.engine.trace import story
    from sim.games import spec

    settings = _config(config or target, [*(sets or ()), *session.overrides({"draws": draws})])
    if config and target != settings.game:
        _usage(f"{config} is a config of {settings.game}, not of {target}")
    entries = _table(settings, strategies, players, strategy)
    for number in range(deal, deal + games):
        lines = session.traced(settings, entries, seed=seed, deal=number, rotation=rotation)
        if text:
            for sentence in story(spec(settings.game), lines, lambda seat: f"Player {seat + 1}"):
                typer.echo(sentence)
        else:
            for line in lines:
                typer.echo(json.dumps(line, ensure_ascii=False))


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Check the installation: versions, cores, cache folder, and whether games come out the same twice."""
    from sim import doctor as checkup
    from sim import games
    from strategies import registry

    facts = dict(checkup.facts())
    healthy = True
    for game in games.GAMES:
        known, broken = registry.find(game)
        facts |= {f"broken strategy {each.name}": each.error for each in broken}
        entries = [registry.seat(known, name, {}, {}) for name in known]
        same, told = checkup.self_check(game, entries)
        healthy &= same and not broken
        facts[f"self-check {game}"] = told
    if as_json:
        typer.echo(json.dumps({**facts, "healthy": healthy}, ensure_ascii=False, indent=1))
    else:
        for name, fact in facts.items():
            typer.echo(f"{name:<22} {fact}")
        typer.echo("all is well" if healthy else "something is wrong, see above")
    if not healthy:
        raise typer.Exit(4)


def _config(target: str, sets: list[str] | None) -> Config:
    from sim.config import load

    return load(target, sets or ())


def _seated(config: Config, files: list[Path] | None) -> tuple[list[Entry], list[dict[str, str]]]:
    """Give everybody who takes part, and those of the user's own files that cannot."""
    from strategies import registry

    _all_there(files)
    found, broken = registry.find(config.game, files or ())
    _tell_broken(broken)
    own = {Path(file).resolve() for file in files or ()}
    refused = [{"strategy": each.name, "message": each.error} for each in broken if each.source in own]
    return registry.seated(found, config, own), refused


def _all_there(files: list[Path] | None) -> None:
    """A mistyped file stops the command before anything is played; one that is there and broken does not."""
    for file in files or ():
        if not file.is_file():
            _usage(f"there is no strategy file {file}")


def _tell_broken(broken: list[Broken]) -> None:
    for each in broken:
        typer.echo(f"strategy {each.name} is left out: {each.error}\n", err=True)


def _checked(config: Config, entries: list[Entry]) -> tuple[list[Entry], list[dict[str, str]]]:
    """Let every strategy pass its check; those that do not are left out, by name."""
    from sim import games
    from sim.errors import StrategyError
    from sim.games.checks import check_strategy

    passed: list[Entry] = []
    refused: list[dict[str, str]] = []
    for entry in entries:
        try:
            check_strategy(games.spec(config.game), config.options, entry)
        except StrategyError as error:
            typer.echo(f"{error}\n", err=True)
            refused.append({"strategy": entry.label, "message": str(error)})
        else:
            passed.append(entry)
    return passed, refused


def _ready(config: Config, files: list[Path] | None, quiet: bool) -> tuple[list[Entry], list[dict[str, str]]]:
    """Give everybody who can play, compiled and checked, and who cannot."""
    entries, broken = _seated(config, files)
    _compile(config, quiet)
    entries, refused = _checked(config, entries)
    return entries, broken + refused


def _enough(
    config: Config,
    entries: list[Entry],
    half_width: float | None,
    until_decided: bool,
    workers: int | None,
    quiet: bool,
) -> Enough | None:
    """Say how many games are needed, if that was asked."""
    if half_width is None and not until_decided:
        return None
    from reports.answers import enough
    from sim.engine import session

    with session.executor(workers) as executor:
        if half_width:
            return enough.for_precision(config, entries, half_width, executor)
        return enough.until_decided(config, entries, executor, lambda words: _say(words, quiet))


def _half_width(precision: str | None, until_decided: bool) -> float | None:
    """Read --precision before anything is compiled."""
    from sim.goals import points

    if precision is not None and until_decided:
        _usage("--precision and --until-decided both set the number of games", "one of them")
    return None if precision is None else points(precision)


def _value_cards(
    config: Config,
    job: Job,
    target: str,
    sets: list[str] | None,
    options: dict[str, Any],
    workers: int | None,
    quiet: bool,
) -> None:
    """Find what each card is worth with a fifth of the run's games on top, about, if that is enough."""
    from reports import answers
    from reports.answers import cards as values
    from reports.schema import Cards
    from sim import games
    from sim.engine import session

    asked = values.kinds_of(games.spec(config.game).under(config.options), ())
    budget, players = job.plan.games // 5, config.plan.players
    if 2 * budget < values.least_games(asked[0], players):
        return
    _say("what each card is worth: the same games with and without it", quiet)
    fair = _config(target, [*(sets or ()), *session.overrides(options | {"draws": "per_seat"})])
    with session.executor(workers) as executor:
        aside = session.job_in_memory(fair, job.plan.entries)
        found = values.ask(aside, asked, players, values.USUAL_HALF_WIDTH, executor, budget)
    answers.store(job.folder, found, Cards)


def _still_open(needed: Enough) -> str:
    return "" if needed.reached else f", and still leave open: {', '.join(needed.open)}"


def _answer(
    run_folder: Path | None, kind: type[Part], kept: Any, found: Any, text: str, as_json: bool, quiet: bool
) -> None:
    """Print an answer, and put it on the page of the run that it belongs to."""
    from reports import answers

    if run_folder:
        answers.store(run_folder, kept, kind)
        _say(f"also on {_report(run_folder)}", quiet)
    else:
        _say("a run of the same rules, players and strategies would show this on its page", quiet)
    typer.echo(json.dumps(found, ensure_ascii=False, indent=1) if as_json else text)


def _plan(config: Config, entries: list[Entry]) -> Any:
    from sim.engine import session

    return session.plan(config, entries)


def _table(config: Config, strategies: str, players: int | None, files: list[Path] | None) -> list[Entry]:
    from sim.engine import session
    from strategies import registry

    _all_there(files)
    found, broken = registry.find(config.game, files or ())
    _tell_broken(broken)
    members = session.split_members(strategies)
    count = players or (len(members) if len(members) > 1 else config.plan.players[0])
    if count not in config.options.PLAYERS:
        _usage(f"{config.game} takes {config.options.PLAYERS[0]} to {config.options.PLAYERS[-1]} players, not {count}")
    if len(members) not in (1, count):
        _usage(f"{len(members)} strategies for {count} players", "name one for each seat, or one for all")
    return [registry.member(found, config, text) for text in (members * count)[:count]]


def _both_seated(pair: tuple[Side, Side], files: list[Path] | None) -> tuple[list[list[Entry]], list[dict[str, str]]]:
    """Give everybody who takes part on either side, with the parameters of that side's config."""
    first, refused = _seated(pair[0].config, files)
    return [first, _members(pair[1].config, [entry.label for entry in first], files)], refused


def _both_checked(
    pair: tuple[Side, Side], seats: list[list[Entry]], refused: list[dict[str, str]]
) -> tuple[list[list[Entry]], list[dict[str, str]]]:
    """Let every strategy pass its check under B's rules, the changed ones; one that fails is left out of both sides."""
    failed = refused + _checked(pair[1].config, seats[1])[1]
    gone = {each["strategy"] for each in failed}
    return [[entry for entry in entries if entry.label not in gone] for entries in seats], failed


def _both_played(
    pair: tuple[Side, Side],
    seats: list[list[Entry]],
    refused: list[dict[str, str]],
    folder: Path,
    files: list[Path] | None,
    workers: int | None,
    quiet: bool,
) -> tuple[Side, Side]:
    """Play the sides that are not runs yet, into folders of their own; then both are."""
    from reports.live import Estimate
    from sim.engine import session, versus
    from sim.progress import shown

    works = [
        (side, versus.open_side(side, entries, folder / name, refused=refused, command=side.command(files or ())))
        for name, side, entries in zip(versus.SIDES, pair, seats, strict=True)
        if side.run is None
    ]
    side, first = works[0]
    total = sum(work.job.plan.games for _, work in works)
    _say(f"{total:,} games of {side.config.game} into {folder}", quiet)
    configs = {work.job.folder: side.config for side, work in works}
    with shown(Estimate(side.config, first.job.plan), quiet) as watch:
        runs = [work for _, work in works]
        versus.play(runs, workers, watch, then=lambda run: session.verify(run, configs[run.job.folder]))
    for run in runs:
        for failure in run.failures:
            typer.echo(f"{failure}\n", err=True)
    return versus.played(pair, folder)


def _members(config: Config, labels: Sequence[str], files: list[Path] | None) -> list[Entry]:
    from strategies import registry

    found, _ = registry.find(config.game, files or ())
    return [registry.member(found, config, label) for label in labels]


def _show(lines: list[Any]) -> None:
    """Print with Rich: colours on a terminal, plain and unbroken lines elsewhere."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 200, highlight=False)
    for line in lines:
        console.print(line)


def _compile(config: Config, quiet: bool) -> None:
    from sim import games
    from sim.engine import play

    spec = games.spec(config.game)
    if not play.is_compiled(spec):
        _say("Compiling kernels… (the first time only, about half a minute)", quiet)
    play.kernel(spec)


def _report(folder: Path, baseline: str | None = None) -> Path:
    from reports import write

    return write.report(folder, baseline)


def _say(text: str, quiet: bool) -> None:
    from sim.progress import say

    if not quiet:
        say(text)


def _usage(what: str, expected: str | None = None) -> NoReturn:
    from sim.errors import UsageError

    raise UsageError(what, expected=expected)


def _command() -> str:
    import shlex

    return shlex.join(["hakari", *sys.argv[1:]])


def main() -> None:
    """Run the command line; every fault that a user can mend is told in words, never as a traceback."""
    try:
        code = app(standalone_mode=False)  # the exit code of typer.Exit, or what the command returns: nothing
    except HakariError as error:
        typer.echo(str(error), err=True)
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone; that is no fault
        sys.exit(0)
    except Exception as error:
        if type(error).__module__.startswith(("click", "typer")):  # a wrong option or argument
            error.show() if hasattr(error, "show") else typer.echo(str(error), err=True)
            sys.exit(2)
        import traceback

        traceback.print_exc()
        typer.echo("\nThis is a bug of Hakari. Please report it with the lines above.", err=True)
        sys.exit(BUG)
    if code == INTERRUPTED:
        resumable = sys.argv[1:2] == ["run"]
        typer.echo("interrupted" + "; add --resume to go on where it stopped" * resumable, err=True)
    sys.exit(code or 0)


if __name__ == "__main__":
    main()
