"""The part of `worldwright demo` about agents: the built-in ones through every task of the world, and what each comes to."""

from __future__ import annotations

import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from worldwright.cli.demo.acts import begin_act
from worldwright.cli.terminal.progress import Progress
from worldwright.rollout.plan import AgentSpec, plan
from worldwright.rollout.replay import replay_run
from worldwright.rollout.report.summary import summarise
from worldwright.rollout.run import roll

AGENTS = {
    "oracle": "is given the key: the tasks can be done",
    "noop": "does nothing",
    "parrot": "says back what it was told",
    "random": "draws calls at random",
    "planner": "reads request, handbook and schemas; a baseline without a model",
}


def let_agents_try(screen: Console, place: Path) -> dict[str, float]:
    """Run every agent through every task; return the pass rate of each."""
    begin_act(screen, 4, "Each of the built-in agents, once through every task of this world. No model takes part.")
    screen.print()
    rates: dict[str, float] = {}
    again = total = 0
    with tempfile.TemporaryDirectory() as work:
        for name, says in AGENTS.items():
            made = plan(str(place), AgentSpec(name))
            with Progress(screen, f"episodes of {name}", len(made.episodes)) as progress:
                run = roll(made, Path(work) / name, 0, lambda one, bar=progress: bar.step())  # type: ignore[misc]
            rate = summarise(run).rate
            rates[name] = rate.value or 0.0
            passed = f"{rates[name]:>6.0%}  {rate.passed} of {rate.judged}"
            screen.print(Text.assemble(f"  {name:<8}", (f"{passed:<18}", "bold"), (says, "dim")))
            total += rate.judged
            again += sum(one.same for one in replay_run(run))
    screen.print()
    screen.print(Text(f"  {again} of {total} episodes come out the same when they are played again, word for word"))
    return rates
