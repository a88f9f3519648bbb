"""A small API of a depot, and what else a company might have of it, for tests that upload things."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from tests.shared_builds import build

from worldwright.anchor.intake.dispatch import Input
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.lock.build import AnchorOptions, build_anchor
from worldwright.anchor.lock.records import Anchor
from worldwright.blueprint.load import load_text
from worldwright.blueprint.source import load_yaml
from worldwright.compiler.build import BuiltWorld
from worldwright.core.canonical import digest
from worldwright.engine.contract import Contract
from worldwright.engine.world import World
from worldwright.formats.strict_yaml import dump_yaml
from worldwright.kinds.database.runtime import Runtime
from worldwright.store.open import world_of

DEPOT = """\
openapi: 3.0.3
info: {title: Depot, version: "1"}
paths:
  /parts:
    get:
      operationId: listParts
      tags: [stock]
      parameters:
        - {name: status, in: query, schema: {type: string, enum: [active, retired]}}
        - {name: limit, in: query, schema: {type: integer, minimum: 1}}
        - {name: offset, in: query, schema: {type: integer}}
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema:
                type: object
                required: [data, total]
                properties:
                  data: {type: array, items: {$ref: '#/components/schemas/Part'}}
                  total: {type: integer}
        "401": {description: Not signed in}
        "429": {description: Too many calls}
    post:
      operationId: createPart
      tags: [stock]
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [name, price]
              properties: {name: {type: string}, price: {type: number}, stock: {type: integer}}
      responses:
        "201": {description: made, content: {application/json: {schema: {$ref: '#/components/schemas/Part'}}}}
        "400": {description: Something is wrong}
        "403": {description: Not yours to do}
        "503": {description: Closed for the night}
  /parts/{partId}:
    parameters: [{name: partId, in: path, required: true, schema: {type: string}}]
    get:
      operationId: getPart
      tags: [stock]
      responses:
        "200": {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Part'}}}}
        "404": {description: No such part}
    patch:
      operationId: updatePart
      tags: [stock]
      requestBody:
        required: true
        content:
          application/json:
            schema: {type: object, properties: {price: {type: number}, stock: {type: integer}}}
      responses:
        "200": {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Part'}}}}
        "404": {description: No such part}
        "409": {description: Somebody else was faster}
        "503": {description: Closed for the night}
  /parts/{partId}/retire:
    post:
      operationId: retirePart
      tags: [stock]
      parameters: [{name: partId, in: path, required: true, schema: {type: string}}]
      responses:
        "200": {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Part'}}}}
        "400": {description: Something is wrong}
        "401": {description: Not signed in}
        "403": {description: Not yours to do}
        "404": {description: No such part}
        "409": {description: It is retired already}
        "429": {description: Too many calls}
        "503": {description: Closed for the night}
  /deliveries:
    get:
      operationId: listDeliveries
      tags: [doors]
      parameters: [{name: dock, in: query, schema: {type: string}}]
      responses:
        "200":
          description: ok
          content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Delivery'}}}}
    post:
      operationId: bookDelivery
      tags: [doors]
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [dock, arrives_on]
              properties: {dock: {type: string}, arrives_on: {type: string, format: date}, pallets: {type: integer}}
      responses:
        "201": {description: made, content: {application/json: {schema: {$ref: '#/components/schemas/Delivery'}}}}
        "400": {description: Something is wrong}
  /deliveries/{number}:
    get:
      operationId: getDelivery
      tags: [doors]
      parameters: [{name: number, in: path, required: true, schema: {type: integer}}]
      responses:
        "200": {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Delivery'}}}}
        "404": {description: No such delivery}
components:
  schemas:
    Part:
      type: object
      required: [id, name, status]
      properties:
        id: {type: string, readOnly: true}
        name: {type: string}
        status: {type: string, enum: [active, retired]}
        price: {type: number}
        stock: {type: integer}
    Delivery:
      type: object
      required: [number, dock]
      properties:
        number: {type: integer, readOnly: true}
        dock: {type: string}
        arrives_on: {type: string, format: date}
        pallets: {type: integer}
"""
"""Eight operations on parts and deliveries. Together they declare 400, 401, 403, 404, 409, 429 and 503."""
PART_TOOLS = ("listParts", "createPart", "getPart", "updatePart", "retirePart")
DELIVERY_TOOLS = ("listDeliveries", "bookDelivery", "getDelivery")
TOOLS = (*PART_TOOLS, *DELIVERY_TOOLS)
STATUSES = {
    "listParts": "401 429",
    "createPart": "400 403 503",
    "getPart": "404",
    "updatePart": "404 409 503",
    "retirePart": "400 401 403 404 409 429 503",
    "bookDelivery": "400",
    "getDelivery": "404",
}
DECLARED = frozenset((tool, status) for tool, statuses in STATUSES.items() for status in statuses.split())


def given(kind: str, files: Mapping[str, str | bytes], label: str = "somewhere") -> Input:
    """Something that was given, of files in this order."""
    data = {name: text.encode() if isinstance(text, str) else text for name, text in files.items()}
    return Input(kind, label, tuple(Upload(name, bytes_) for name, bytes_ in data.items()))


def prompt(says: str) -> Input:
    return Input("prompt", says, (Upload("prompt.txt", says.encode()),))


def lock_of(*inputs: Input, **asked: Any) -> Anchor:
    return build_anchor(inputs, AnchorOptions(**asked))


@cache
def depot() -> Anchor:
    return lock_of(given("openapi", {"depot.yaml": DEPOT}))


def contract_of(anchor: Anchor) -> Contract:
    """The contract of the only world of an anchor."""
    (domain,) = anchor.domains
    assert domain.contract is not None
    return domain.contract


@cache
def depot_built() -> BuiltWorld:
    """The depot as a sealed world with tasks."""
    (domain,) = depot().domains
    return build(load_text(domain.blueprint, "depot.yaml"), 7, contract=domain.contract)


@cache
def depot_world() -> World:
    return world_of(depot_built().pack)


@cache
def strict_depot_world() -> World:
    """The depot with a rule that an author wrote: dear parts are not retired."""
    (domain,) = depot().domains
    data = load_yaml(domain.blueprint, "depot.yaml").data
    cases = [{"allowed": {"part.price": 50}}, {"forbidden": {"part.price": 50.01}}]
    data["policies"] = {
        "large_part": {
            "about": {"part": "part"}, "rule": "part.price <= 50", "says": "Parts over USD 50 are not retired.", "cases": cases,
            "enforced": "agent",
        }
    }  # fmt: skip
    data["operations"]["retire_part"]["does"].insert(0, {"obey": ["large_part"]})
    return world_of(build(load_text(dump_yaml(data), "depot.yaml"), 7, contract=domain.contract).pack)


def depot_runtime() -> tuple[Runtime, Contract]:
    world = depot_world()
    assert isinstance(world.runtime, Runtime)
    assert world.contract is not None
    return world.runtime, world.contract


def relocked(lock: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """A lock with something else in it, under its own digest."""
    body = {k: v for k, v in {**lock, **changes}.items() if k != "digest"}
    return {**body, "digest": digest(body)}
