"""`worldwright gate`: keep the tasks that an agent solves sometimes."""

from __future__ import annotations

import os
import re
from typing import Any

import click

from worldwright.agents.protocol import Options
from worldwright.cli import exits
from worldwright.cli.extras import needing
from worldwright.cli.inputs.agent import agent_options
from worldwright.cli.jobs.outputs import check_store
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import complain, note, print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.views.gate import gate_document, show_gate
from worldwright.core.errors import UsageError
from worldwright.engine.surface import SURFACES
from worldwright.gate import results
from worldwright.gate.attempts import RolloutPlayer, find_subjects, identify_player
from worldwright.gate.band import read_band
from worldwright.gate.records import Gated, Terms, Who
from worldwright.gate.run import Gate, Heard, Order, Subject, run
from worldwright.rollout.plan import AgentSpec
from worldwright.rollout.records import EpisodeKey

_NUMBER = re.compile(r"\d{1,6}\Z")


def _ids(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Ids or numbers of tasks, with commas between or an option for each."""
    parts = [part.strip() for value in values for part in value.split(",") if part.strip()]
    return tuple(f"task_{int(part):03d}" if _NUMBER.match(part) else part for part in parts)


@click.command(name="gate")
@click.option("--gym", required=True, metavar="NAME[:TAG]", help="Worlds: a reference, a folder of packs, or one pack.")
@click.option(
    "--gate-agent", "spec", default="planner", show_default=True, metavar="AGENT", help="Who tries the tasks."
)
@click.option(
    "--gate-band", "band", default="2-4", show_default=True, metavar="LOW-HIGH", help="Successes that keep a task."
)
@click.option(
    "--gate-runs", "runs", type=click.IntRange(1, 10_000), default=5, show_default=True, help="Attempts at a task."
)
@click.option("--adaptive", is_flag=True, help="More attempts where the label is in doubt, fewer where it is clear.")
@click.option("--budget", type=click.IntRange(1), metavar="N", help="With --adaptive: attempts in all (runs x tasks).")
@click.option("--tasks", multiple=True, callback=_ids, metavar="IDS", help="Only these: task_001,7,task_02*.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Same seed, same draws.")
@click.option("--face", type=click.Choice(SURFACES), default="plain", show_default=True, help="How tasks are shown.")
@click.option(
    "--workers", type=click.IntRange(0), metavar="N", help="Processes (one for each core; none with --adaptive)."
)
@agent_options()
@click.option(
    "--fresh", is_flag=True, help="Begin again: earlier attempts of this agent at these worlds are forgotten."
)
@click.option("--json", "as_json", is_flag=True, help="Labels, counts, figures and attempts as one JSON document.")
def command(
    spec: str, band: str, runs: int, tasks: tuple[str, ...], workers: int | None, as_json: bool, **given: Any
) -> int:
    """Let an agent try every task of a gym a few times, and keep the tasks that it sometimes does and sometimes does not.

    A task with fewer successes than the band is labelled too_hard, one with more too_easy, and the attempts that passed are
    named. The result belongs to this agent (name and fingerprint) and lies beside the pack, not in it. A gate that was
    stopped goes on where it was; an agent that has changed starts anew.

    \b
    Examples:
      worldwright gate --gym enterprise_procurement --gate-agent planner --gate-band 2-4 --gate-runs 5
      worldwright gate --gym retail_returns --gate-agent openai:qwen3-8b --base-url http://127.0.0.1:8000/v1
      worldwright gate --gym hotel_booking:latest --adaptive --budget 600 --workers 2
      worldwright gate --gym packs/ --tasks task_001,7 --json
    """
    if given["budget"] is not None and not given["adaptive"]:
        raise UsageError("--budget is spent by --adaptive; without it, every task gets --gate-runs attempts")
    check_store()
    order = Order(read_band(band, runs), given["adaptive"], given["budget"] or 0, given["fresh"])
    player = AgentSpec(spec, Options(temperature=given["temperature"], base_url=given["base_url"], more=given["more"]))
    with needing("models"):
        agent = identify_player(player)
    found = find_subjects(given["gym"], tasks)
    gate = Gate([one for _, one in found], agent, Terms(given["seed"], given["face"]), order)
    _say_earlier(agent, gate)
    left = max(0, gate.budget - gate.reused)
    # A batch of the adaptive way is over before processes have started and opened their worlds.
    usual = 0 if order.adaptive else min(os.cpu_count() or 1, left // 8)
    many = usual if workers is None else workers
    rolled = RolloutPlayer(given["gym"], [place for place, _ in found], player, agent, gate.terms, many)
    missing = _watched(gate, rolled)
    if as_json:
        print_json(gate_document(gate, missing))
    else:
        show_gate(Screen(), gate)
    if missing:
        what = "tasks are undecided" if order.adaptive else "attempts have no verdict"
        complain(f"{missing} {what} because {agent.name} could not be reached; the same command goes on")
    return exits.FAILED if missing else exits.OK


def _say_earlier(agent: Who, gate: Gate) -> None:
    """What there is already, and what there is that must not be used."""
    if gate.reused:
        note(f"{gate.reused} attempts of {agent.name} ({agent.id}) are there already and count")
    for subject in gate.subjects:
        for other in _others(agent, subject):
            made = sum(map(len, other.attempts.values()))
            note(
                f"{subject.domain} {subject.variant} was gated by {other.who.name} with the fingerprint {other.who.id}; it is "
                f"{agent.id} now, another agent, so those {made} attempts are not reused"
            )


def _others(agent: Who, subject: Subject) -> list[Gated]:
    return [g for g in results.load_all(subject.digest) if g.who.name == agent.name and g.who.id != agent.id]


def _watched(gate: Gate, rolled: RolloutPlayer) -> int:
    """Play, with the count of successes shown meanwhile."""
    passed = judged = 0
    with Progress(Screen(err=True), "attempts", max(gate.budget, gate.reused), gate.reused) as progress:

        def watching(heard: Heard) -> Heard:
            def both(spot: EpisodeKey, ok: bool | None) -> None:
                nonlocal passed, judged
                heard(spot, ok)
                judged, passed = judged + (ok is not None), passed + (ok is True)
                progress.step(f"{passed} of {judged} passed")

            return both

        try:
            with rolled.alone(gate.heard):
                return run(gate, lambda spots, heard: rolled.play(spots, watching(heard)))
        except KeyboardInterrupt:
            gate.save()
            note("what was played is kept; the same command goes on")
            raise
