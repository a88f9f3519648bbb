"""`worldwright arena`: compare agents on held-out worlds and diagnose failures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from worldwright.agents.protocol import Options
from worldwright.arena.contest import PAGE, plan_contest, run_folder, summarise_contest, write_contest
from worldwright.arena.evaluate import Evaluation, Worlds, evaluate
from worldwright.arena.fresh import SEED, TASKS, Field, find_trained_on, fresh_order, gather_field, held_out_domains
from worldwright.cli.commands.rollout import watched_roll
from worldwright.cli.extras import needing
from worldwright.cli.inputs.agent import agent_options
from worldwright.cli.jobs.outputs import check_writable
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.views.arena import show_contest
from worldwright.cli.views.many_worlds import Watching
from worldwright.core.errors import UsageError
from worldwright.core.pool import mapped
from worldwright.engine.surface import SURFACES
from worldwright.factory.many import build_many
from worldwright.rollout.plan import AgentSpec, TaskFilter
from worldwright.rollout.records import Limits
from worldwright.store.store import Store

DEFAULT = Limits()


def names_of(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Names with commas between, or an option for each."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


@click.command(name="arena")
@click.option(
    "--gym", "gyms", multiple=True, metavar="NAME[:TAG]", help="Worlds: a reference, a folder of packs, or one pack."
)
@click.option(
    "--agent", "specs", multiple=True, required=True, metavar="AGENT", help="Who plays; as often as you like."
)
@click.option("--baseline", metavar="AGENT", help="Who all others are compared with, task by task.")
@click.option(
    "--trained", "trained", multiple=True, metavar="NAME[:TAG]", help="What was trained on: its families are left out."
)
@click.option("--held-out", "held_out", multiple=True, callback=names_of, metavar="DOMAINS", help="Only these domains.")
@click.option(
    "--fresh", type=click.IntRange(1), metavar="N", help="Also build so many fresh worlds of each held-out domain."
)
@click.option("--fresh-seed", type=click.IntRange(0), default=SEED, show_default=True, help="Of fresh worlds.")
@click.option("--tasks-per-world", type=click.IntRange(1), default=TASKS, show_default=True, help="Of fresh worlds.")
@click.option(
    "--family", multiple=True, callback=names_of, metavar="NAMES", help="Only walk, program, policy or repair."
)
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Only so many tasks of each world.")
@click.option("--attempts", type=click.IntRange(1), default=1, show_default=True, help="Episodes of each task.")
@click.option("--workers", type=click.IntRange(0), help="Processes (one for each core); 0 plays right here.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("arena"), show_default=True, metavar="DIR",
              help="Where everything is written.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Same seed, same draws.")
@click.option("--face", type=click.Choice(SURFACES), default="plain", show_default=True, help="How tasks are shown.")
@agent_options()
@click.option(
    "--max-turns", type=click.IntRange(1), default=DEFAULT.turns, show_default=True, help="Messages of the agent."
)
@click.option("--json", "as_json", is_flag=True, help="What came of it, as one JSON document.")
def command(
    specs: tuple[str, ...], baseline: str | None, out: Path, workers: int | None, as_json: bool, **given: Any
) -> None:
    """Evaluate agents on worlds that they were not trained on, and say why they fail where they do.

    Every failed episode gets a diagnosis from its calls, its changes and the key; no model takes part. What comes of it is a page
    with charts, a JSON document, and guidelines of what to build next. A run that was stopped goes on when the same command is
    given again.

    \b
    Examples:
      worldwright arena --gym hotel_booking --agent planner --agent random --baseline random
      worldwright arena --fresh 2 --held-out motor_claims,loan_servicing --agent planner --attempts 3
      worldwright arena --gym all:big --trained retail_returns:big --agent openai:qwen3-8b --base-url http://127.0.0.1:8000/v1
      worldwright arena --gym packs/ --agent planner --out arena/today --json
    """
    if not given["gyms"] and given["fresh"] is None:
        raise UsageError("there is nothing to play: name worlds with --gym, or have some built with --fresh N")
    check_writable(out)
    trained = find_trained_on(given["trained"])
    fresh = _fresh(held_out_domains(trained, given["held_out"]), given, workers) if given["fresh"] is not None else ()
    choice = TaskFilter(families=given["family"], sample=given["sample"])
    field = gather_field((*given["gyms"], *fresh), choice, given["attempts"], given["seed"], trained, given["held_out"])
    options = Options(temperature=given["temperature"], base_url=given["base_url"], more=given["more"])
    who = list(dict.fromkeys((*specs, *([baseline] if baseline else []))))
    worlds, limits = Worlds(field.places), Limits(turns=given["max_turns"])
    found = {
        spec: _evaluated(field, AgentSpec(spec, options), worlds, out, workers, limits, given, as_json) for spec in who
    }
    done = summarise_contest(field, list(found.values()), found.get(baseline or ""), sorted(trained.domains))
    write_contest(out, done)
    if as_json:
        print_json({"folder": str(out), "page": str(out / PAGE), **done.data()})
    else:
        show_contest(Screen(), done, out)


def _fresh(domains: Sequence[str], given: dict[str, Any], workers: int | None) -> tuple[str, ...]:
    """Fresh worlds, built now or there already."""
    order = fresh_order(domains, given["fresh"], given["fresh_seed"], given["tasks_per_world"])
    tag = f"arena-{order.digest[:8]}"
    fan = partial(mapped, workers=workers or len(os.sched_getaffinity(0)))
    with Watching(Screen(err=True)) as watching:
        report = build_many(order, Store(), tag, fan, watching)
    return tuple(report["references"])


def _evaluated(
    field: Field,
    player: AgentSpec,
    worlds: Worlds,
    out: Path,
    workers: int | None,
    limits: Limits,
    given: dict[str, Any],
    quiet: bool,
) -> Evaluation:
    with needing("models"):
        plan = plan_contest(field, player, limits, given["face"], given["seed"])
    run = watched_roll(plan, run_folder(out, plan), workers, quiet=quiet)
    with Progress(Screen(err=True), "episodes looked at", len(plan.episodes)) as progress:
        return evaluate(run, worlds, lambda episode: progress.step())
