"""Rows for trainers that hand over text and nothing else: tools stand in the system message. No row holds a key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from worldwright.adapters.rows import GYM, TASK, VARIANT, list_rows, open_row
from worldwright.agents import chat, tool_call_text

ROW = (GYM, VARIANT, TASK, "world")
"""The columns that say which episode a row is, and of which world."""
ENV_CLASS = "worldwright"


def list_text_rows(
    gym: str, variants: Iterable[str] | None = None, tasks: Iterable[str] | None = None, face: str = "plain"
) -> Iterator[dict[str, Any]]:
    """Yield rows as SkyRL's `PromptDataset` takes them: `prompt`, `env_class`, and what the environment is told besides."""
    for row in list_rows(gym, variants, tasks, face):
        with open_row(row, face) as episode:
            told = tool_call_text.render_tools([chat.render_tool(spec) for spec in episode.tools])
        system, request = row["prompt"]
        prompt = [{"role": "system", "content": f"{system['content']}\n\n{told}"}, request]
        yield {
            "prompt": prompt,
            "env_class": ENV_CLASS,
            "face": face,
            **{name: row[name] for name in (*ROW, "family")},
        }
