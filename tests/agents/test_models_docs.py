"""The page on agents says what is there, and its example runs."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from worldwright.agents.models.client import FATAL_STATUSES
from worldwright.agents.models.react import PROMPT
from worldwright.agents.models.settings import OPTIONS
from worldwright.agents.protocol import GROUP, Options, fingerprint
from worldwright.engine.world import World
from worldwright.rollout.episode import EpisodeSetup, play
from worldwright.rollout.records import EpisodeKey, Limits

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")


def first_cells(heading: str) -> str:
    """The first column of the table under a heading."""
    table = PAGE.partition(heading)[2].partition("\n\n")[0]
    return "\n".join(row.split(" | ")[0] for row in table.splitlines())


def test_every_agent_is_on_the_page() -> None:
    listed = re.findall(r"`([a-z]+)(?::[A-Z]+)?`", first_cells("| agent |"))
    assert sorted(listed) == sorted(entry_points(group=GROUP).names)


def test_every_option_is_on_the_page() -> None:
    listed = re.findall(r"`([a-z-]+)`", first_cells("| `--agent-option` |"))
    assert sorted(listed) == sorted(OPTIONS)


def test_every_status_that_stops_a_run_is_on_the_page() -> None:
    assert ", ".join(map(str, FATAL_STATUSES)) in first_cells("| what happens |")


def test_the_form_of_plain_text_is_the_one_that_is_asked_for() -> None:
    shown = [line.strip() for line in PAGE.splitlines() if line.startswith(("    Thought:", "    Action"))]
    assert len(shown) == 3
    assert "\n".join(shown) in PROMPT


def test_the_example_plays(library_world: World) -> None:
    [block] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) <= 15
    scope: dict[str, Any] = {}
    exec(block, scope)
    one = scope["make"](Options())
    task = library_world.tasks[0].id
    setting = EpisodeSetup("e", EpisodeKey(library_world.digest, task, 0), "w", "v", "plain", 1, fingerprint(one))
    episode = play(library_world.env(), one, setting, Limits())
    assert (episode.agent, episode.outcome) == ("refuser", "submitted")


def test_the_entry_point_of_the_example_is_of_our_group() -> None:
    [block] = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert list(tomllib.loads(block)["project"]["entry-points"]) == [GROUP]
