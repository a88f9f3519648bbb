"""Parts of a request that one rule forbids: they stay undone, the rest is done, and the answer names the rule."""

from __future__ import annotations

from typing import Any

from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.tasks.accept import list_said
from worldwright.kinds.database.compile.tasks.candidates import ForbiddenPart
from worldwright.kinds.database.compile.tasks.choices import can_be_completed, list_omitted_places, list_open_places
from worldwright.kinds.database.compile.tasks.ends import Beginning
from worldwright.kinds.database.compile.tasks.instances import BoundGoal, is_reached, list_forbidding, perform
from worldwright.kinds.database.compile.tasks.legs import Leg, Walk
from worldwright.kinds.database.compile.tasks.plans import list_broken_rules
from worldwright.world.records import Call

MAX_TRIED_NEAR = 12
"""Goals near by that are tried for a part that a rule forbids."""
ELSEWHERE_SHARE = 0.85
"""How often a part is looked for that has nothing to do with the others: one that has comes last."""
MAX_GOALS_ELSEWHERE = 8
"""Goals that are looked at where nothing near by is forbidden."""


def find_forbidden(walk: Walk, path: tuple[Any, ...], shapes: set[tuple[str, ...]]) -> ForbiddenPart | None:
    """Find a goal to ask for as well that one rule forbids where the walk ends; None where none is found. One about something else
    may stand anywhere among the parts, so most walks look for such a one first."""
    if Stream(*path, "first").chance(ELSEWHERE_SHARE):
        return _find_elsewhere(walk, path) or _find_near(walk, path, shapes)
    return _find_near(walk, path, shapes) or _find_elsewhere(walk, path)


def _find_near(walk: Walk, path: tuple[Any, ...], shapes: set[tuple[str, ...]]) -> ForbiddenPart | None:
    near, tried = walk.list_near_rows(), 0
    for name in Stream(*path).shuffled(walk.list_following(only_able=False)):
        if tried >= MAX_TRIED_NEAR:
            return None
        leg = walk.bind_near(name, near, (*path, len(walk.legs)))
        if leg is None:
            continue
        tried += 1
        calls, rules = _try_forbidden(walk, leg.bound, path)
        if len(rules) == 1 and ("chain", *walk.goals, name, rules[0]) not in shapes:
            return ForbiddenPart(leg.bound, leg.words, rules[0], calls, len(walk.legs))
    return None


def _find_elsewhere(walk: Walk, path: tuple[Any, ...]) -> ForbiddenPart | None:
    stream = Stream(*path, "elsewhere")
    for name in stream.shuffled(walk.list_following(only_able=False, again=True))[:MAX_GOALS_ELSEWHERE]:
        for leg in walk.bind_elsewhere(name, stream, forbidden=True):
            calls, rules = _try_forbidden(walk, leg.bound, path)
            if len(rules) == 1:
                return _place(walk, leg, rules[0], calls, path)
    return None


def _place(walk: Walk, leg: Leg, rule: str, calls: tuple[Call, ...], path: tuple[Any, ...]) -> ForbiddenPart:
    """Say where among the parts it is asked for: first, last, or wherever one begins that has nothing to do with those before it.
    Where the parts before it make it forbidden, it is the last."""
    last = len(walk.legs)
    places = [0, *(k for k, one in enumerate(walk.legs) if k and one.words.apart), last]
    place = Stream(*path, "place").pick(places)
    if place < last and list_forbidding(walk.sandbox, leg.bound, path) != (rule,):
        place = last
    return ForbiddenPart(leg.bound, leg.words, rule, calls, place)


def _try_forbidden(walk: Walk, bound: BoundGoal, path: tuple[Any, ...]) -> tuple[tuple[Call, ...], tuple[str, ...]]:
    """Carry a goal out after the walk, with all rules suspended. Returns the calls, and every rule that they break; the session is
    put back."""
    sandbox, so_far = walk.sandbox, walk.so_far
    kept, moved = len(so_far.calls), walk.list_moved()
    sandbox.session.suspend_rules()
    fine = perform(sandbox, bound, (*path, bound.goal), so_far)
    calls, plan = so_far.finish(sandbox.session).calls[kept:], so_far.plan[kept:]
    reached = fine and all(r.ok for r in so_far.results) and is_reached(sandbox, bound, so_far.made)
    rules = () if walk.is_moved_again(moved) else list_broken_rules(sandbox.session)
    whole = tuple(so_far.plan)
    walk.go_back(kept)
    free = list_open_places(sandbox, plan, list_said(sandbox, Beginning(sandbox, (bound,), plan)))
    if not reached or free or len(rules) != 1:
        return calls, ()
    if list_omitted_places(sandbox, plan):
        rules = () if can_be_completed(sandbox, (bound,), whole, len(whole) - len(plan)) else rules
        walk.go_back(kept)
    return calls, rules
