"""The tasks of a world: what is asked, and for who looks after them what decides."""

from __future__ import annotations

from fastapi import FastAPI, Request
from starlette.responses import Response

from worldwright.engine.shown_key import show_key
from worldwright.facts.key import accepted_facts, rule_facts, wanted_facts
from worldwright.facts.task import FAMILIES_SAY, count_families, list_features, person_of, task_of
from worldwright.studio.context import Studio
from worldwright.studio.pages import Crumb, link
from worldwright.studio.routes.world import known_sheet
from worldwright.studio.routes.world_frame import known_tasks, render_world, tool_url


def add_routes(app: FastAPI, studio: Studio) -> None:
    @app.get("/world/{digest}/tasks")
    def show_tasks(request: Request, digest: str, family: str = "", role: str = "") -> Response:
        world = studio.worlds.open(digest)
        every = list(known_tasks(world).values())
        chosen = [t for t in every if family in ("", t.family) and role in ("", t.role)]
        return render_world(
            studio, request, world, "Tasks", "tasks.html", tasks=chosen, total=len(every), families=count_families(every),
            families_say=FAMILIES_SAY, family=family, role=role, roles=sorted({t.role for t in every}), sheet=known_sheet(world),
        )  # fmt: skip

    @app.get("/world/{digest}/tasks/{ref}")
    def show_task(request: Request, digest: str, ref: str) -> Response:
        world = studio.worlds.open(digest)
        pack, task = world.pack, task_of(world.pack.world, ref)
        ids = pack.world.book.ids
        at = ids.index(task.id)
        persona = pack.checked.blueprint.personas.get(task.persona)
        sheet = known_sheet(world)
        key = pack.world.key(task.id) if pack.pack.whole else None
        shown = None if key is None else show_key(pack.world.contract, key)
        program = pack.pack.files.get(f"keys/{task.id}.py", b"").decode(errors="backslashreplace")
        verifier = f"vcode/verify_{task.id.removeprefix('task_')}.py"
        return render_world(
            studio,
            request,
            world,
            "Tasks",
            "task.html",
            Crumb(task.id),
            task=task,
            person=person_of(pack, task),
            persona=persona.says if persona is not None else "",
            features=list_features(task.features),
            key=shown,
            wanted=[] if key is None else wanted_facts(pack, key),
            accepted=[] if key is None else accepted_facts(pack, key),
            rules=[] if key is None else rule_facts(pack, key),
            program=program,
            cells={} if sheet is None else sheet.tasks.get(task.id, {}),
            verifier=verifier if verifier in pack.pack.files else "",
            writes={n for n, t in pack.world.runtime.tools.items() if t.mutates},
            calls=[] if key is None or shown is None else list(zip(key.calls, shown.calls, strict=True)),
            url_of=tool_url(world),
            before=link("world", digest, "tasks", ids[at - 1]) if at else "",
            after=link("world", digest, "tasks", ids[at + 1]) if at + 1 < len(ids) else "",
        )
