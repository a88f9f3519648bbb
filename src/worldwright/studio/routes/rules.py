"""The rules of a world: each with its sentence, its code, where it comes from, and the cases that decide it."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from worldwright.blueprint.deciding.cases import decide_policy
from worldwright.blueprint.effects import effects
from worldwright.blueprint.model import CaseSpec
from worldwright.core.errors import StoreError
from worldwright.core.names import suggest
from worldwright.facts.rules import describe_rules
from worldwright.studio.context import Studio
from worldwright.studio.opened import OpenWorld
from worldwright.studio.pages import Crumb
from worldwright.studio.routes.world_frame import known_policies, known_tasks, render_world, tool_url


def add_routes(app: FastAPI, studio: Studio) -> None:
    @app.get("/world/{digest}/rules")
    def show_rules(request: Request, digest: str) -> Response:
        world = studio.worlds.open(digest)
        checked = world.pack.checked
        always = [(name, spec) for name, spec in checked.blueprint.always.items()]
        return render_world(
            studio, request, world, "Rules", "rules.html", policies=list(known_policies(world).values()), always=always,
            terms=list(checked.blueprint.terms.items()), sources={n: p.source for n, p in checked.blueprint.policies.items()},
            in_play=world.get("rules in play", lambda: _count_rules(world)),
        )  # fmt: skip

    @app.get("/world/{digest}/rules/{name}")
    def show_rule(request: Request, digest: str, name: str) -> Response:
        world = studio.worlds.open(digest)
        policies = known_policies(world)
        if name not in policies:
            raise StoreError(f"this world has no rule {name[:60]!r}; {suggest(name[:60], policies)}")
        spec = world.pack.checked.blueprint.policies[name]
        decided = world.get(("decided", name), lambda: describe_rules(decide_policy(world.pack.checked, name)))
        tools = [o for o in world.pack.checked.operations if name in effects(world.pack.checked, o).policies]
        return render_world(
            studio, request, world, "Rules", "rule.html", Crumb(name), rule=policies[name], spec=spec, decided=decided, tools=tools,
            url_of=tool_url(world), tasks=_list_tasks(world, name), cases=[_show_case(case) for case in spec.cases],
        )  # fmt: skip


def _show_case(case: CaseSpec) -> tuple[str, dict[str, Any], str]:
    """What a case says, the situation that it says it of, and under which variant, or why."""
    said = {"allowed": case.allowed, "forbidden": case.forbidden, "applies": case.applies, "not": case.not_}
    verdict = next((word for word, given in said.items() if given is not None), "")
    variant = f"under {case.variant}" if case.variant != "default" else ""
    return verdict, said.get(verdict) or {}, " ".join(filter(None, (variant, case.because)))


def _rules_of(world: OpenWorld, task: str) -> list[str]:
    if not world.pack.pack.whole:
        return []
    expects = world.pack.world.key(task).expects
    answer = dict(expects.get("answer", {})).get("rule", {}).get("is")
    return [*map(str, expects.get("rules", ())), *([answer] if isinstance(answer, str) else [])]


def _count_rules(world: OpenWorld) -> dict[str, int]:
    """In how many tasks each rule is in play."""
    out: dict[str, int] = {}
    for task in known_tasks(world):
        for rule in dict.fromkeys(_rules_of(world, task)):
            out[rule] = out.get(rule, 0) + 1
    return out


def _list_tasks(world: OpenWorld, rule: str) -> list[Any]:
    return [task for name, task in known_tasks(world).items() if rule in _rules_of(world, name)]
