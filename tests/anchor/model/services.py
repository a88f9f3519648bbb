"""Small services as OpenAPI documents, and the worlds that are derived from them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.shared_builds import build

from worldwright.anchor.evidence import Evidence
from worldwright.anchor.intake.dispatch import Input, read_inputs
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.merge import merge_reads
from worldwright.anchor.model.derive import Derived, derive
from worldwright.anchor.readers.sql import read as read_sql
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_text
from worldwright.engine.env import Env
from worldwright.engine.world import World
from worldwright.store.open import world_of
from worldwright.world.records import Result

WHOLE, NUMBER, TEXT, TRUTH = {"type": "integer"}, {"type": "number"}, {"type": "string"}, {"type": "boolean"}
DAY, MOMENT = {"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}
PAGED = {"limit": WHOLE, "offset": WHOLE}


def words(*several: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(several)}


@dataclass(frozen=True)
class Op:
    """One operation: `gives` is a schema, `[schema]` for a list of them, empty for nothing."""

    name: str
    method: str
    path: str
    takes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    gives: str = ""
    query: tuple[str, ...] = ()


Schemas = Mapping[str, Mapping[str, Any]]


def document(title: str, schemas: Schemas, operations: Sequence[Op]) -> bytes:
    paths: dict[str, Any] = {}
    for op in operations:
        paths.setdefault(op.path, {})[op.method.lower()] = _operation(op, schemas)
    known = {n: {"type": "object", "properties": dict(p), "required": ["id"]} for n, p in schemas.items()}
    return json.dumps(
        {"openapi": "3.0.3", "info": {"title": title, "version": "1"}, "paths": paths, "components": {"schemas": known}}
    ).encode()


def _operation(op: Op, schemas: Schemas) -> dict[str, Any]:
    resource = schemas[op.gives.strip("[]")] if op.gives else {}
    named = [piece.strip("{}") for piece in op.path.split("/") if piece.startswith("{")]
    parameters = [{"name": n, "in": "path", "required": True, "schema": WHOLE} for n in named]
    if op.gives.startswith("["):
        listed = {**PAGED, **{n: resource[n] for n in op.query}}
        parameters += [{"name": n, "in": "query", "schema": s} for n, s in listed.items()]
    answer: dict[str, Any] = {"description": "done"}
    if op.gives:
        item = {"$ref": f"#/components/schemas/{op.gives.strip('[]')}"}
        schema = {"type": "array", "items": item} if op.gives.startswith("[") else item
        answer["content"] = {"application/json": {"schema": schema}}
    out: dict[str, Any] = {
        "operationId": op.name,
        "parameters": parameters,
        "responses": {"200": answer, "404": {"description": "not there"}, "409": {"description": "refused"}},
    }
    if op.takes:
        body = {"type": "object", "properties": {n: resource[n] for n in op.takes}, "required": list(op.needs)}
        out["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return out


def evidence(title: str, schemas: Schemas, operations: Sequence[Op], sql: str = "") -> Evidence:
    """What is read of a service, and of the tables behind it."""
    api = Input("openapi", "api.json", (Upload("api.json", document(title, schemas, operations)),))
    kept = Input("sql", "schema.sql", (Upload("schema.sql", sql.encode()),))
    return merge_reads(read_inputs([api, kept] if sql else [api])).evidence


def tables(sql: str) -> Evidence:
    return read_sql([Upload("schema.sql", sql.encode())])


def derived(found: Evidence) -> Derived:
    (one,) = derive(found)
    return one


def checked(one: Derived) -> Checked:
    return load_text(one.blueprint, "derived.yaml")


def built(one: Derived, tasks: bool = False, seed: int = 7) -> World:
    return world_of(build(checked(one), seed, with_tasks=tasks, contract=one.contract).pack)


def episode(world: World, role: str = "operator") -> Env:
    env = world.env()
    env.reset(role=role)
    return env


def status(result: Result) -> int:
    """Of an answer that was refused; 0 for one that was not."""
    return 0 if result.error is None else int((result.error.details or {}).get("status", -1))


def code(result: Result) -> str:
    return "" if result.error is None else result.error.code
