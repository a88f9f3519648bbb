"""Whoever asked, who can be asked back: with the face `asking`, a request comes in pieces, and the agent has to fetch the rest.

A question gets the detail that it is about; who asks them to do something that only they can do gets what they saw of it; a report,
or a question whether there is more, gets what they want besides. No model takes part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from worldwright.people.manners import MANNERS
from worldwright.people.replies import Reply, reply_to, report_act
from worldwright.people.wording import accept_wording
from worldwright.world.records import Result, Step, ToolError, ToolSpec
from worldwright.world.tasks import Act, Requester, Task

NAME = "ask_requester"
MAX_MESSAGE_CHARS = 4_000
NO_MORE = MANNERS["plain"].no_more

TOOL = ToolSpec(
    NAME,
    "Write to the person who made the request, and get what they answer. They may have left something out, want more "
    "done, or have to do something themselves.",
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
    {
        "type": "object",
        "properties": {
            "reply": {"type": "string"},
            "did": {
                "type": "array",
                "items": {"type": "string"},
                "description": "What they did themselves because of it.",
            },
        },
        "required": ["reply"],
    },
    mutates=False,
    system="",
)


NOBODY = Requester("plain", ())


Word = Callable[[str, str], str | None]
"""Gives other words for a line, in a voice; none where it has none."""


def answer_question(
    task: Task | None,
    before: Sequence[tuple[str, str]],
    arguments: Any,
    run: Callable[[str, Mapping[str, Any]], Result],
) -> Result:
    """Return what comes back, after earlier messages and replies. What the requester does themselves is run at once."""
    message = arguments.get("message") if isinstance(arguments, Mapping) and len(arguments) == 1 else None
    if not isinstance(message, str) or not 0 < len(message) <= MAX_MESSAGE_CHARS:
        said = f"`{NAME}` takes one argument, `message`: a text of 1 to {MAX_MESSAGE_CHARS} characters."
        return Result(False, None, ToolError("INVALID_ARGUMENT", said))
    if task is None:
        return Result(True, {"reply": NO_MORE})
    requester = task.requester or NOBODY
    reply = reply_to(message, requester, task.turns[1:], before, task.turns[0] if task.turns else "")
    return _do(reply, requester, run) if reply.acts else Result(True, {"reply": _join(reply.text, reply.after)})


def reword(result: Result, task: Task | None, word: Word) -> Result:
    """Say a reply in other words, where these say the same."""
    voice = task.requester.voice if task is not None and task.requester is not None else NOBODY.voice
    said = accept_wording(result.data["reply"], word(result.data["reply"], voice))
    return result if said is None else result._replace(data={**result.data, "reply": said})


def _do(reply: Reply, requester: Requester, run: Callable[[str, Mapping[str, Any]], Result]) -> Result:
    """Let them do what they were asked to, and report it."""
    reports, did = [], []
    for act in reply.acts:
        result = run(act.tool, act.arguments)
        if result.done:
            return result
        reports.append(_report(act, result, requester.voice))
        did += [act.tool] if result.ok else []
    return Result(True, {"reply": _join(reply.text, *reports, reply.after), **({"did": did} if did else {})})


def _report(act: Act, result: Result, voice: str) -> str:
    return report_act(act, result.data if result.ok else None, result.error.message if result.error else "", voice)


def _join(*texts: str) -> str:
    return " ".join(filter(None, texts))


def list_hands(task: Task | None) -> frozenset[str]:
    """The tools that only the requester's own hands reach: they are not the agent's while the requester can be asked."""
    return frozenset(act.tool for act in task.requester.acts) if task is not None and task.requester else frozenset()


def is_asked(step: Step, tools: Mapping[str, ToolSpec]) -> bool:
    """Whether a step shows that the requester could be asked: they were, or a tool of the world was not the agent's."""
    error = step.result.error
    return step.call.tool == NAME or (error is not None and error.code == "UNKNOWN_TOOL" and step.call.tool in tools)
