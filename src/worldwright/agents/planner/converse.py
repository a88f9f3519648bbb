"""Asking whoever made the request, where they can be asked: which record, what the likeliest tool takes, and whether there is more.

What they answer is read like the request itself: details belong to its first step, and what they want besides comes after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from worldwright.agents.planner.choose import rank_writers
from worldwright.agents.planner.find import spell_out
from worldwright.agents.planner.request import Request, insert_letter, split_sentences
from worldwright.agents.planner.state import Plan, PlannedCall, PlannerState
from worldwright.agents.planner.toolbox import ASK

MAX_QUESTIONS = 7
MAX_MORE = 5
"""Times that they are asked whether there is more."""
MAX_USELESS = 3
"""Questions that they do not understand; people do not like to be asked without end."""


def converse(state: PlannerState, read: Callable[[str], Request]) -> Plan[None]:
    """Hear what the request leaves out. `read` reads the request again, with more of it."""
    heard: list[str] = []
    useless = 0
    for question in _list_questions(state):
        reply = yield from _ask(state, question)
        if reply.endswith("?") and len(list(split_sentences(reply))) == 1:
            reply = yield from _ask(state, "Both, please." if " or " in reply else "Yes, please.")
        useless += not reply or reply.endswith("?")
        heard.append(reply)
        if useless >= MAX_USELESS:
            break
    details = [reply for reply in dict.fromkeys(heard) if not reply.endswith("?")]
    more = yield from _ask_for_more(state, heard)
    state.request = read("\n".join(more))
    if details:
        state.request = insert_letter(state.request, 0, " ".join(details), frozenset(state.tools.nouns))


def _ask_for_more(state: PlannerState, heard: list[str]) -> Plan[list[str]]:
    """Ask until nothing new comes: the last reply says that there is no more."""
    out: list[str] = []
    for _ in range(MAX_MORE):
        reply = yield from _ask(state, "Is there anything else?")
        if not reply or reply in (*heard, *out):
            break
        out.append(reply)
    return out[:-1]


def _list_questions(state: PlannerState) -> Iterator[str]:
    """The questions, the most important first."""
    asked = ["Which one is it about?"]
    about = state.tools.submit.param("record")
    if about is not None:
        asked = [f"Which {about.says.removeprefix('the id of the ').split(' that this')[0]} is it about?"]
    for _, op in rank_writers(state, 0)[:1]:
        params = sorted((p for p in op.params if p.type != "array"), key=lambda p: (not p.required, bool(p.kind)))
        asked += [f"{'Which' if p.kind else 'What is the'} {spell_out(p.name)}?" for p in params]
    yield from list(dict.fromkeys(asked))[:MAX_QUESTIONS]


def _ask(state: PlannerState, question: str) -> Plan[str]:
    """Ask; what they answer, empty where nothing came back."""
    outcome = yield PlannedCall(ASK, {"message": question}, "The request may leave something out, so I ask.")
    reply = outcome.data.get("reply") if outcome.ok and isinstance(outcome.data, Mapping) else None
    return reply.strip() if isinstance(reply, str) else ""
