"""A gate as a command runs it: who plays, what is there already, and the attempts with their progress."""

from __future__ import annotations

import os
from typing import Any

from worldwright.cli import exits
from worldwright.cli.extras import require_extra
from worldwright.cli.jobs.outputs import check_store
from worldwright.cli.jobs.rollout import connect
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import complain, note, print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.views.gate import gate_document, show_gate
from worldwright.core.errors import UsageError
from worldwright.engine.tasks import name_task
from worldwright.gate import results
from worldwright.gate.attempts import RolloutPlayer, find_subjects, identify_player
from worldwright.gate.band import read_band
from worldwright.gate.records import GateAgent, GateResult, Terms
from worldwright.gate.run import Gate, GatedWorld, Heard, Order, run
from worldwright.rollout.plan import AgentSpec
from worldwright.rollout.records import EpisodeKey


def run_gate(
    spec: str, band: str, runs: int, tasks: tuple[str, ...], workers: int | None, as_json: bool, **given: Any
) -> int:
    """Label every task by how often the agent solves it. Exit code 1 where attempts have no verdict."""
    if given["budget"] is not None and not given["adaptive"]:
        raise UsageError("--budget is spent by --adaptive; without it, every task gets --gate-runs attempts")
    check_store()
    order = Order(read_band(band, runs), given["adaptive"], given["budget"] or 0, given["fresh"])
    player = AgentSpec(spec, given["options"])
    with require_extra("models"):
        agent = identify_player(player)
    found = find_subjects(given["gym"], tuple(map(name_task, tasks)))
    gate = Gate([one for _, one in found], agent, Terms(given["seed"], given["face"]), order)
    _say_earlier(agent, gate)
    left = max(0, gate.budget - gate.reused)
    if left:
        connect(player)
    # A batch of the adaptive way is over before processes have started and opened their worlds.
    usual = 0 if order.adaptive else min(os.cpu_count() or 1, left // 8)
    many = usual if workers is None else workers
    rolled = RolloutPlayer(given["gym"], [place for place, _ in found], player, agent, gate.terms, many)
    missing = _play_with_progress(gate, rolled)
    if as_json:
        print_json(gate_document(gate, missing))
    else:
        show_gate(Screen(), gate)
    if missing:
        what = "tasks are undecided" if order.adaptive else "attempts have no verdict"
        complain(f"{missing} {what} because {agent.name} could not be reached; the same command goes on")
    return exits.FAILED if missing else exits.OK


def _say_earlier(agent: GateAgent, gate: Gate) -> None:
    """Say what there is already, and what there is that must not be used."""
    if gate.reused:
        note(f"{gate.reused} attempts of {agent.name} ({agent.id}) are there already and count")
    for subject in gate.subjects:
        for other in _load_others(agent, subject):
            made = sum(map(len, other.attempts.values()))
            note(
                f"{subject.domain} {subject.variant} was gated by {other.who.name} with the fingerprint {other.who.id}; it is "
                f"{agent.id} now, another agent, so those {made} attempts are not reused"
            )


def _load_others(agent: GateAgent, subject: GatedWorld) -> list[GateResult]:
    return [g for g in results.load_all(subject.digest) if g.who.name == agent.name and g.who.id != agent.id]


def _play_with_progress(gate: Gate, rolled: RolloutPlayer) -> int:
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
            with rolled.lock(gate.record):
                return run(gate, lambda spots, heard: rolled.play(spots, watching(heard)))
        except KeyboardInterrupt:
            gate.save()
            raise KeyboardInterrupt("stopped: what was played is kept; the same command goes on") from None
