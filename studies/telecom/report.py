"""The figures of many tasks, and how well every instruction is understood by somebody who can do everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from studies.telecom.drive import THEIRS, UNEXPLAINED, Played, Sentences
from studies.telecom.talk import ASKED_BACK, AT_ONCE, Talk, Wish
from worldwright.people.replies import list_topics
from worldwright.people.understand import understand
from worldwright.world.tasks import Act, Fact, Requester

FACTS = ("name", "phone_number", "location", "top_up")
EXAMPLES = 12
"""Kinds of misunderstanding that are shown."""


def sum_up(played: Sequence[Played]) -> dict[str, Any]:
    wishes = [wish for one in played for wish in one.wishes]
    reasons = Counter(one.reason for one in played if not one.solved)
    return {
        "tasks": len(played),
        "solved": sum(one.solved for one in played),
        "their scorer is content": sum(one.passed for one in played),
        "control: with user tools called directly": sum(one.control for one in played),
        "control: with nothing done": sum(one.idle for one in played),
        "solved where the control is not": sum(one.solved and not one.control for one in played),
        "not solved": {reason: {"tasks": n, "fault": find_fault(reason)} for reason, n in reasons.most_common()},
        "tasks in which this went wrong, solved or not": dict(
            Counter(problem for one in played for problem in set(one.problems)).most_common()
        ),
        "solved though something went wrong": sum(one.solved and bool(one.problems) for one in played),
        "turns": sum(one.turns for one in played),
        "facts asked for": _count(w for w in wishes if w.wanted in FACTS),
        "acts asked for": _count(w for w in wishes if w.wanted not in FACTS),
        "questions asked back": sum(w.turns > 1 or "asked back" in w.outcome for w in wishes),
        "wrong acts done": sum(len(w.beside) for w in wishes),
        "known sentences without a fact": dict(Counter(text for one in played for text in one.left).most_common()),
        "misunderstood": list_misunderstood(wishes),
        "their scorer on what is not solved": dict(Counter(one.why for one in played if one.why).most_common(EXAMPLES)),
    }


def find_fault(reason: str) -> str:
    return "theirs" if reason == THEIRS else "unknown" if reason == UNEXPLAINED else "ours"


def _count(wishes: Iterable[Wish]) -> dict[str, int]:
    found = Counter(wish.outcome for wish in wishes)
    return {
        "all": sum(found.values()),
        **{name: found.pop(name, 0) for name in (AT_ONCE, ASKED_BACK)},
        **dict(found.most_common()),
    }


def list_misunderstood(wishes: Iterable[Wish]) -> list[dict[str, Any]]:
    """Messages of which the wrong thing came, or nothing, the most frequent first; a question back that was answered is none."""
    missed = [((w.message, w.wanted, w.outcome, w.beside), w.replies) for w in wishes if not w.met or w.beside]
    bad, replies = Counter(row for row, _ in missed), dict(missed)
    return [
        {
            "times": n,
            "message": row[0],
            "wanted": row[1],
            "outcome": row[2],
            "did besides": list(row[3]),
            "replies": list(replies[row]),
        }
        for row, n in sorted(bad.items(), key=lambda found: (-found[1], found[0]))
    ]


def survey(person: Requester, said: Sentences) -> dict[str, Any]:
    """Say every sentence once to somebody who is new to the conversation, whether a task has it or not."""
    rows: dict[str, Any] = {}
    every: list[Wish] = []
    things: Mapping[str, Sequence[Fact | Act]] = {"facts": person.facts, "acts": person.acts}
    for thing in (*things["facts"], *things["acts"]):
        kind = "acts" if isinstance(thing, Act) else "facts"
        wishes = [_say(person, thing, message) for message in said[kind].get(thing.name, ())]
        every += wishes
        if wishes:
            rows[thing.name] = _count(wishes)
    beside = [text for text in said.get("not_asked", ()) if understand(text, list_topics(person)).asked]
    return {
        "sentences": _count(every),
        "by what is wanted": rows,
        "misunderstood": list_misunderstood(every),
        "messages that ask for nothing": len(said.get("not_asked", ())),
        "of these, taken for something": beside,
    }


def _say(person: Requester, thing: Fact | Act, message: str) -> Wish:
    talk = Talk(person, lambda tool, arguments: (True, "It is done."))
    return talk.want_act(thing, message) if isinstance(thing, Act) else talk.want_fact(thing, message)


def print_report(found: Mapping[str, Any]) -> None:
    for name, one in found["survey"].items():
        print(f"every sentence of {name} to somebody with all {found['acts known']} acts: {_line(one['sentences'])}")
        nothing, beside = one["messages that ask for nothing"], one["of these, taken for something"]
        print(f"  messages that ask for nothing: {nothing}, {len(beside)} of them taken for something")
        for row in one["misunderstood"]:
            _print_row(row)
    for key, value in found.get("tasks", {}).items():
        if key == "misunderstood":
            print("misunderstood:")
            for row in value[:EXAMPLES]:
                _print_row(row)
        elif key == "not solved":
            print(f"{key + ':':<44}{'' if value else '0':>8}")
            for reason, row in value.items():
                print(f"  {reason:<58}{row['tasks']:>8,}  {row['fault']}")
        elif key.startswith(("their scorer on", "known sentences")):
            print(f"{key + ':':<44}{'' if value else '0':>8}")
            for text, n in value.items():
                print(f"  {n:>6,}  {text[:116]}")
        elif isinstance(value, dict):
            print(f"{key + ':':<44}{_line(value) or '0'}")
        else:
            print(f"{key + ':':<44}{value:>8,}")


def _line(found: Mapping[str, int]) -> str:
    return ", ".join(f"{n:,} {name}" for name, n in found.items())


def _print_row(row: Mapping[str, Any]) -> None:
    did = f", did {', '.join(row['did besides'])}" if row["did besides"] else ""
    print(
        f"  {row['times']:>5} x {row['message']!r} for {row['wanted']}: {row['outcome']}{did}; {row['replies'][0][:90]!r}"
    )
