"""Whoever asked, who can be asked back: with the face `asking`, a request comes in pieces, and the agent has to fetch the rest.

What they say is part of the task and fixed: the first question gets the first piece that is missing, and so on. No model takes
part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.world.records import Result, Step, ToolError, ToolSpec
from worldwright.world.tasks import Task

NAME = "ask_requester"
MAX_MESSAGE_CHARS = 4_000
NO_MORE = "I have nothing to add."

TOOL = ToolSpec(
    NAME,
    "Write to the person who made the request, and get what they answer. They may have left something out, or want more done.",
    {
        "type": "object",
        "properties": {
            "message": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_MESSAGE_CHARS,
                "description": "What you want to know or tell.",
            }
        },
        "required": ["message"],
        "additionalProperties": False,
    },
    {"type": "object", "properties": {"reply": {"type": "string"}}, "required": ["reply"]},
    mutates=False,
    system="",
)


def answer_question(task: Task | None, steps: Sequence[Step], arguments: Any) -> Result:
    """Return what comes back, after so many questions."""
    message = arguments.get("message") if isinstance(arguments, Mapping) and len(arguments) == 1 else None
    if not isinstance(message, str) or not 0 < len(message) <= MAX_MESSAGE_CHARS:
        said = f"`{NAME}` takes one argument, `message`: a text of 1 to {MAX_MESSAGE_CHARS} characters."
        return Result(False, None, ToolError("INVALID_ARGUMENT", said))
    before = sum(step.call.tool == NAME and step.result.ok for step in steps)
    replies = task.turns[1:] if task is not None else ()
    return Result(True, {"reply": replies[before] if before < len(replies) else NO_MORE})
