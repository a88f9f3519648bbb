"""Whoever asked, who can be asked back: with the face `asking`, a request comes in pieces, and the agent has to fetch the rest.

A question gets the detail that it is about; a report, or a question whether there is more, gets what they want besides. No model
takes part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.people.replies import MANNERS, reply_to
from worldwright.world.records import Result, Step, ToolError, ToolSpec
from worldwright.world.tasks import Task

NAME = "ask_requester"
MAX_MESSAGE_CHARS = 4_000
NO_MORE = MANNERS["plain"].no_more

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
    if task is None:
        return Result(True, {"reply": NO_MORE})
    before = [
        (step.call.arguments["message"], step.result.data["reply"])
        for step in steps
        if step.call.tool == NAME and step.result.ok
    ]
    voice, facts = (task.requester.voice, task.requester.facts) if task.requester is not None else ("plain", ())
    return Result(True, {"reply": reply_to(message, facts, task.turns[1:], voice, before)})
