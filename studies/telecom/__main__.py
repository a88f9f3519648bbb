"""An outside judge of the scripted person: the telecom tasks of tau2, where some of the work is done by the caller's own hands.

    python3.11 -m venv tau2                                          an environment of its own: the package needs much
    tau2/bin/pip install -e . 'inspect-evals==0.26.*'                tools, user tools, tasks and scorer (MIT)
    tau2/bin/python -m studies.telecom [--split full] [--limit 100] [--tries 3] [--json]

Of every task the initial state is set up, its gold actions are gone through in order, and its scorer judges the end: all with
the code of the package. What is the agent's is called. What is the user's nobody calls: the support desk asks the person for it
in words (`instructions.yaml`); the person has other words to know it by (`acts.yaml`), can do all that there is to do with the
phone, and does what the engine's requester makes of the message. Facts are asked for first, and the customer is looked up under
the number that comes back. A question back is answered once. Every task is played twice more: with the user's tools called
directly, and with nothing done. `set_apn_settings` is not among the acts: no gold action has it, so that it has no values.

Solved is a task of which the scorer is content and every fact was told. `--survey` needs no package: it says every sentence once
to a person who can do everything. The exit code is 1 where a task is not solved and the fault is ours, 2 without the package.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

from studies.telecom.drive import Desk, Played, play
from studies.telecom.person import LISTS, make_person, read_acts, read_instructions, read_scenario
from studies.telecom.report import print_report, sum_up, survey
from studies.telecom.theirs import MissingPackageError, Modules, Scenario, list_user_tools, load_modules, read_tasks
from worldwright.world.tasks import Act

SOMEBODY = (
    "You are Ann Lee with phone number 555-010-4477. You are currently abroad in Spain.",
    "You are willing to refuel 3.0 GB of data.",
)
EVERY = 2.0
"""Seconds between two lines of progress."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m studies.telecom", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--split", default="full", help="full (2,285 tasks), base, train, test or small")
    parser.add_argument(
        "--limit", type=int, default=0, metavar="N", help="play so many tasks, spread over the split; 0 for all"
    )
    parser.add_argument(
        "--few", action="store_true", help="the person can do no more than the gold actions of the task"
    )
    parser.add_argument("--tries", type=int, default=3, help="how often a thing is said, in other words each time")
    parser.add_argument(
        "--every-value", action="store_true", help="also know acts for values that no gold action has: 3G only"
    )
    parser.add_argument("--sentences", choices=LISTS, default=LISTS[0], help="whose sentences the support desk says")
    parser.add_argument("--survey", action="store_true", help="only the sentences; needs no package")
    parser.add_argument("--json", action="store_true")
    said = parser.parse_args(arguments)
    acts = read_acts(said.every_value)
    person = make_person(read_scenario(*SOMEBODY)[0], acts)
    surveys = {name: survey(person, read_instructions(name)) for name in LISTS}
    found: dict[str, Any] = {"acts known": len(acts), "survey": surveys}
    if not said.survey:
        try:
            modules = load_modules()
            scenarios = read_tasks(modules, said.split)
        except MissingPackageError as error:
            print(error, file=sys.stderr)
            return 2
        found["their user tools without an act"] = sorted(set(list_user_tools(modules)) - {act.tool for act in acts})
        found["tasks"] = sum_up(
            play_all(modules, choose(scenarios, said.limit), acts, said.tries, said.few, said.sentences)
        )
    if said.json:
        print(json.dumps(found, indent=1))
    else:
        print_report(found)
    tasks = found.get("tasks", {})
    return int(any(row["fault"] != "theirs" for row in tasks.get("not solved", {}).values()))


def choose(scenarios: Sequence[Scenario], limit: int) -> list[Scenario]:
    """So many of them, spread evenly."""
    if not 0 < limit < len(scenarios):
        return list(scenarios)
    return [scenarios[k * len(scenarios) // limit] for k in range(limit)]


def play_all(
    modules: Modules,
    scenarios: Sequence[Scenario],
    acts: Sequence[Act],
    tries: int = 1,
    few: bool = False,
    sentences: str = LISTS[0],
) -> list[Played]:
    out: list[Played] = []
    told = time.monotonic()
    with asyncio.Runner() as runner:
        desk = Desk(modules, runner, acts, read_instructions(sentences), tries, few)
        for at, scenario in enumerate(scenarios):
            out.append(play(desk, scenario, at))
            if time.monotonic() - told > EVERY:
                told = time.monotonic()
                solved = sum(one.solved for one in out)
                print(f"  {len(out):,} of {len(scenarios):,} tasks, {solved:,} solved", file=sys.stderr, flush=True)
    return out


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
