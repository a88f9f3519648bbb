"""Training by a command of one's own: it is told where the tasks are, and says who the agent is afterwards.

The command is a list of arguments, not a line for a shell. It finds its tasks in a file,

    {"round": 1, "agent": "...", "gym": FOLDER OF PACKS, "tasks": [{"world": DIGEST, "path": PACK, "task": ID}]}

and may write `agent.json` into its output folder: {"agent": SPEC, "options": {"base_url": ..., "temperature": ..., NAME: VALUE}}.
Where it writes none, the agent is the same one by name, and whatever stands behind the name has changed.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldwright.agents.protocol import Options
from worldwright.core.errors import UsageError
from worldwright.rollout.plan import AgentSpec

AGENT = "agent.json"
MAX_TAIL_CHARS = 1_500
"""Characters of what a command said that are shown where it failed."""


@dataclass(frozen=True, slots=True)
class TrainingInputs:
    """What a command is told."""

    number: int
    agent: AgentSpec
    gym: str
    tasks: Path
    guidelines: Path
    out: Path

    def fill_command(self, command: Sequence[str]) -> list[str]:
        places = {
            "gym": self.gym, "tasks": str(self.tasks), "guidelines": str(self.guidelines), "agent": self.agent.spec,
            "round": str(self.number), "out": str(self.out),
        }  # fmt: skip
        out = []
        for part in command:
            for name, value in places.items():
                part = part.replace(f"{{{name}}}", value)
            out.append(part)
        return out


def train(command: Sequence[str], lesson: TrainingInputs) -> AgentSpec:
    """Run the command to its end; who the agent is then. What it says goes to `train.log` in its folder."""
    lesson.out.mkdir(parents=True, exist_ok=True)
    log = lesson.out / "train.log"
    words = lesson.fill_command(command)
    try:
        with log.open("wb") as file:
            done = subprocess.run(words, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
    except OSError as e:
        raise UsageError(f"the training command {words[0]!r} cannot be started: {e.strerror or e}") from None
    if done.returncode:
        said = log.read_text(encoding="utf-8", errors="replace")[-MAX_TAIL_CHARS:].strip()
        raise UsageError(
            f"the training command of round {lesson.number} ended with {done.returncode}; its log is {log}"
            + (f" and ends with:\n{said}" if said else "")
        )
    return read_agent(lesson.out / AGENT, lesson.agent)


def read_agent(path: Path, before: AgentSpec) -> AgentSpec:
    """The agent that a command names; the same as before where it names none."""
    if not path.exists():
        return before
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        raise UsageError(f"{path} cannot be read: {e}") from None
    if (
        not isinstance(data, dict)
        or not isinstance(data.get("agent"), str)
        or not isinstance(data.get("options", {}), dict)
    ):
        raise UsageError(f'{path} names no agent: {{"agent": "...", "options": {{...}}}} was expected')
    return read_player(data)


def read_player(data: Mapping[str, Any]) -> AgentSpec:
    options = dict(data.get("options", {}))
    heat, url = options.pop("temperature", None), options.pop("base_url", "")
    more = {str(name): str(value) for name, value in options.items()}
    return AgentSpec(
        data["agent"], Options(temperature=None if heat is None else float(heat), base_url=str(url), more=more)
    )


def player_data(player: AgentSpec) -> dict[str, Any]:
    return {"agent": player.spec, "options": player.options.data()}
