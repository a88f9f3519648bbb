"""A task from beginning to end: the support desk asks for what the caller knows, calls its tools, has the caller do the rest."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studies.telecom.person import find_act, make_person, read_scenario
from studies.telecom.talk import Talk, Wish
from studies.telecom.theirs import Modules, Scenario, World
from worldwright.world.tasks import Act, Fact

_NUMBER = re.compile(r"\b\d{3}-\d{3}-\d{4}\b")
UNTOLD, NO_ACT, NO_CUSTOMER = "fact not told", "no act for a gold action", "told number finds no customer"
BESIDE = "another act done beside"
THEIRS = "their gold actions do not satisfy their own assertions"
UNEXPLAINED = "unexplained"
Sentences = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Played:
    """What came of one task."""

    task: str
    solved: bool
    """Their scorer says so, and every fact was told."""
    passed: bool
    """Their scorer says so."""
    control: bool
    """Their scorer says so where the user's tools are called directly."""
    idle: bool
    """Their scorer says so where nothing is done at all."""
    why: str
    wishes: tuple[Wish, ...]
    problems: tuple[str, ...]
    """What went wrong, in the order in which it did."""
    left: tuple[str, ...]
    """Sentences of what the caller knows that no fact was made of."""
    turns: int

    @property
    def reason(self) -> str:
        """Why it is not solved; empty where it is. A gold action that was not done weighs more than one that was done beside."""
        if self.solved:
            return ""
        if self.passed:
            return UNTOLD
        if not self.control:
            return THEIRS
        heavy = [one for one in self.problems if one not in (UNTOLD, BESIDE)]
        return next(iter(heavy), BESIDE if BESIDE in self.problems else UNEXPLAINED)


@dataclass(frozen=True, slots=True)
class Desk:
    """How the support desk goes about it."""

    modules: Modules
    runner: asyncio.Runner
    acts: Sequence[Act]
    said: Sentences
    tries: int = 1
    """How often it says in other words what was not understood."""
    few: bool = False
    """Whether the person can do no more than the task needs."""


def play(desk: Desk, scenario: Scenario, at: int) -> Played:
    """Play a task with the person, with the user's tools called directly, and doing nothing. `at` picks the sentences."""
    modules, runner, said = desk.modules, desk.runner, desk.said
    idle, _ = World(modules, runner, scenario).judge()
    control, why = play_directly(World(modules, runner, scenario), scenario)
    facts, left = read_scenario(scenario.known, scenario.instructions)
    world = World(modules, runner, scenario)
    talk = Talk(make_person(facts, choose_acts(desk, scenario), scenario.persona), world.call_as_user)
    tried = [_try(talk.want_fact, fact, said["facts"][fact.name], at + k, desk.tries) for k, fact in enumerate(facts)]
    asked = [wish for wishes in tried for wish in wishes]
    told = all(wishes[-1].met for wishes in tried)
    problems = [UNTOLD] * (not told) + [BESIDE for wish in asked if wish.beside]
    problems += _look_up(world, scenario, asked, facts)
    done, later = _act(world.call_as_agent, talk, scenario, desk, at)
    problems += later
    passed, ours = world.judge()
    wishes = (*asked, *done)
    said_of_it = "" if passed else ours if control else why
    return Played(
        scenario.id,
        passed and told,
        passed,
        control,
        idle,
        said_of_it,
        wishes,
        tuple(problems),
        tuple(left),
        talk.turns,
    )


def play_directly(world: World, scenario: Scenario) -> tuple[bool, str]:
    """Call every gold action, the user's too."""
    for action in scenario.actions:
        call = world.call_as_agent if action.requestor == "assistant" else world.call_as_user
        call(action.name, action.arguments)
    return world.judge()


def pick(sentences: Sequence[str], at: int) -> str:
    return sentences[at % len(sentences)]


def choose_acts(desk: Desk, scenario: Scenario) -> list[Act]:
    wanted = [(action.name, dict(action.arguments)) for action in scenario.actions]
    return [act for act in desk.acts if not desk.few or (act.tool, dict(act.arguments)) in wanted]


def _try(
    want: Callable[[Any, str], Wish], thing: Fact | Act, sentences: Sequence[str], at: int, tries: int
) -> list[Wish]:
    """Say what is wanted, and again in other words where it did not come."""
    wishes: list[Wish] = []
    for k in range(tries):
        wishes.append(want(thing, pick(sentences, at + k)))
        if wishes[-1].met:
            break
    return wishes


def _look_up(world: World, scenario: Scenario, asked: Sequence[Wish], facts: Sequence[Fact]) -> list[str]:
    """Look the customer up under the number that was told: it has to be the one whom the gold actions are about."""
    said = [reply for wish in asked if wish.wanted == "phone_number" for reply in wish.replies]
    number = next(iter(_NUMBER.findall(" ".join(said))), "")
    if not number:
        return [] if any(fact.name == "phone_number" for fact in facts) else [UNTOLD]
    ok, found = world.call_as_agent("get_customer_by_phone", {"phone_number": number})
    wanted = {str(a.arguments["customer_id"]) for a in scenario.actions if "customer_id" in a.arguments}
    return [] if ok and all(one in found for one in wanted) else [NO_CUSTOMER]


def _act(
    call: Callable[..., tuple[bool, str]], talk: Talk, scenario: Scenario, desk: Desk, at: int
) -> tuple[list[Wish], list[str]]:
    """Do what is the agent's, and ask for what is the user's, in the order of the gold actions."""
    wishes: list[Wish] = []
    problems: list[str] = []
    for k, action in enumerate(scenario.actions):
        if action.requestor == "assistant":
            call(action.name, action.arguments)
            continue
        act = find_act(talk.person.acts, action.name, action.arguments)
        if act is None:
            problems.append(NO_ACT)
            continue
        tried = _try(talk.want_act, act, desk.said["acts"][act.name], at + k, desk.tries)
        wishes += tried
        problems += [] if tried[-1].met else [tried[-1].outcome]
        problems += [BESIDE for wish in tried if wish.beside and (wish.met or wish is not tried[-1])]
    return wishes, problems
