"""The caller of a telecom task as a scripted person: what they know, read from their scenario, and what they can do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from worldwright.world.tasks import Act, Fact, Requester

HERE = Path(__file__).resolve().parent
VOICES: Mapping[str, str] = {"Easy": "chatty", "Hard": "simple"}
"""The voice of a persona, by its tag at the end of a task's id."""
_FACTS = (
    (
        re.compile(r"^You are (?P<says>.+?) with phone number [\d-]+\.$"),
        ("name", "person", ("full name", "name"), (
            "What is your name?", "Who are you?", "Can you tell me your name please?", "Under what name is the contract?",
        )),
    ),
    (
        re.compile(r"with phone number (?P<says>[\d-]+)\.$"),
        ("phone_number", "reference", ("phone number", "number of the line"), (
            "What is your phone number?", "Which line is it about?", "Please give me your mobile number.",
            "Under what number can you be reached?",
        )),
    ),
    (
        re.compile(r"^You are currently (?P<says>(?:abroad|at home) in .+)\.$"),
        ("location", "place", ("place where you are", "current location"), (
            "Where are you?", "Which country are you in?", "Are you abroad?", "What is your current location?",
        )),
    ),
    (
        re.compile(r"^You are willing to refuel (?P<says>[\d.]+ GB) of data\b"),
        ("top_up", "count", ("amount of data to add", "extra data"), (
            "How much data should I add?", "How many GB do you want to refuel?", "What amount of extra data would you like?",
            "Would you like to buy more data, and how much?",
        )),
    ),
)  # fmt: skip
"""Sentences of a scenario that hold a fact, and what the fact is. `top_up` comes from the instructions, the others are known."""
_ENDS = re.compile(r"(?<=[.?!])\s+")


def read_scenario(known: str, instructions: str) -> tuple[list[Fact], list[str]]:
    """The facts of a scenario, and the sentences of what is known that nothing was made of."""
    facts: dict[str, Fact] = {}
    left = []
    told = [one for one in _ENDS.split(known.strip()) if one]
    for sentence in (*told, *_ENDS.split(instructions)):
        found = [(pattern.search(sentence), parts) for pattern, parts in _FACTS]
        for match, (name, kind, called, asked) in found:
            if match:
                facts.setdefault(name, Fact(name, kind, called, match["says"], asked))
        if sentence in told and not any(match for match, _ in found):
            left.append(sentence)
    return list(facts.values()), left


def read_acts(every_value: bool = False) -> tuple[Act, ...]:
    """What anybody can do with the phone; `every_value` adds acts for values that no gold action has."""
    rows = yaml.safe_load((HERE / "acts.yaml").read_text("utf-8"))
    return tuple(_act(row) for row in rows if every_value or not row.get("spare"))


def _act(row: Mapping[str, Any]) -> Act:
    called, asked = tuple(row["called"]), tuple(row["asked"])
    return Act(row.get("name", row["tool"]), called, asked, row["tool"], row.get("with", {}), "I have done that. {saw}")


LISTS = ("instructions", "instructions_2", "instructions_3")
"""Lists of sentences, each by a writer of its own."""


def read_instructions(name: str = LISTS[0]) -> Mapping[str, Any]:
    """The sentences of the support desk: under `facts` and `acts`, by name; under `not_asked` what asks for nothing."""
    found: Mapping[str, Any] = yaml.safe_load((HERE / f"{name}.yaml").read_text("utf-8"))
    return found


def find_act(acts: Sequence[Act], tool: str, arguments: Mapping[str, Any]) -> Act | None:
    return next((act for act in acts if act.tool == tool and dict(act.arguments) == dict(arguments)), None)


def make_person(facts: Sequence[Fact], acts: Sequence[Act], persona: str = "None") -> Requester:
    return Requester(VOICES.get(persona, "plain"), tuple(facts), tuple(acts))
