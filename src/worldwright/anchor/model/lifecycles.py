"""Lifecycles: which way states go, from their order, from what their names mean, and from the verbs of actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from worldwright.anchor.names import parts
from worldwright.english.words import wordmap, wordset

ENDS = wordset(
    "closed cancelled canceled done completed complete rejected declined deleted archived void voided failed expired "
    "refunded returned resolved terminated lost won finished settled delivered abandoned removed withdrawn success "
    "succeeded error"
)
"""Words of states that are the last."""
BEGINNINGS = (
    "draft", "new", "created", "open", "pending", "requested", "initiated", "queued", "inactive", "submitted", "todo",
)  # fmt: skip
"""Words of states that come first, the most telling one first."""
_OF_VERBS = wordmap("""
    cancel=cancelled,canceled,void,voided approve=approved,accepted,active reject=rejected,declined,denied
    decline=declined,rejected accept=accepted,approved,confirmed close=closed,resolved,done,completed
    reopen=open,reopened,active complete=completed,complete,done,finished send=sent,unpaid,pending,delivered
    submit=submitted,pending,open capture=captured,success,completed,paid confirm=confirmed,active
    publish=published,live,active unpublish=unpublished,draft archive=archived,inactive unarchive=active,open
    restore=active,open activate=active,activated,enabled deactivate=inactive,deactivated,disabled enable=enabled,active
    disable=disabled,inactive start=started,running,in_progress,active stop=stopped,off,inactive
    pause=paused,suspended,on_hold resume=active,running,in_progress suspend=suspended,paused resolve=resolved,closed
    refund=refunded,returned pay=paid,settled ship=shipped,sent void=voided,void,cancelled
    hand=out,handed_out,handed_over,issued return=returned,back lock=locked unlock=unlocked,open expire=expired
    terminate=terminated,closed
""")  # fmt: skip
OF_VERBS = {verb: tuple(states.split(",")) for verb, states in _OF_VERBS.items()}
"""By verb, the states that it can lead to, the likeliest first."""
TOLD = 0.75
"""Share of the states that moves must speak of to be all the moves there are."""


def target(verb: Sequence[str], states: Iterable[str]) -> str:
    """The state that a verb leads to; empty where none of them fits."""
    known = list(states)
    first = verb[0] if verb else ""
    stem, leads = first.rstrip("e"), (*OF_VERBS.get(first, ()), f"{first}ed", f"{first}d")
    fitting = (s for wanted in leads for s in known if wanted in (s, *parts(s)[-1:]))
    return next(fitting, next((s for s in known if len(stem) > 3 and s.startswith(stem)), ""))


def lifecycle(
    states: Sequence[str], targets: Iterable[str] = (), moves: Sequence[tuple[str, str]] = ()
) -> dict[str, list[str]]:
    """The arrows between states, the first state first: forward in the order in which they are written, and into every end.

    `targets` are states that actions lead to: each can be reached from every state that is no end. Where the evidence says
    which moves there are, these are all; only a target that none of them leads to is reached as before.
    """
    starts, reached = {start for start, _ in moves}, {to for _, to in moves}
    whole = bool(moves) and len((starts | reached) & set(states)) >= TOLD * len(states)
    first = next((s for s in states if whole and s in starts - reached), _first(states))
    ordered = [first, *(s for s in states if s != first)]
    ends = [s for s in ordered[1:] if set(parts(s)) & ENDS]
    wanted = [t for t in dict.fromkeys(targets) if t in ordered]
    again = [t for t in wanted if t in ("open", "active", "reopened")]
    out: dict[str, list[str]] = {}
    for k, state in enumerate(ordered):
        leads = [to for start, to in moves if start == state and to in ordered]
        if whole:
            leads += [t for t in wanted if t not in reached and t != first and state not in ends]
        else:
            leads = [*leads, *again] if state in ends else [*ordered[k + 1 : k + 3], *ends, *wanted, *leads]
        out[state] = [s for s in dict.fromkeys(leads) if s != state]
    return out


def _first(states: Sequence[str]) -> str:
    telling = (state for word in BEGINNINGS for state in states if word in parts(state))
    return next(telling, next((s for s in states if not set(parts(s)) & ENDS), states[0]))
