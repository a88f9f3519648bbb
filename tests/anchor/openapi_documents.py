"""Small API descriptions for the tests of the OpenAPI reader, and ways to ask what was read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator

from worldwright.anchor.evidence import Evidence, Operation, Resource
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.openapi import read

SHOP = """
openapi: 3.0.3
info: {title: Shop, description: The orders of the shop and what is in them, version: 1.0.0}
security: [{oauth: [orders.read]}]
paths:
  /orders:
    parameters:
      - {name: tenant, in: query, description: Whose orders, required: true, schema: {type: string}}
      - {name: page, in: query, schema: {type: integer}}
    get:
      operationId: listOrders
      summary: List orders
      description: All orders, newest first.
      tags: [orders]
      parameters:
        - {name: page, in: query, schema: {type: integer, minimum: 1, exclusiveMinimum: true}}
        - $ref: '#/components/parameters/Limit'
        - {name: Authorization, in: header, required: true, schema: {type: string}}
        - {name: X-Trace, in: header, schema: {type: string}}
      responses:
        200:
          description: ok
          content:
            application/json:
              schema: {type: array, items: {$ref: '#/components/schemas/Order'}}
              example: [{id: 1, status: new, customer_id: c1}, {id: 2, status: paid, customer_id: c2}]
        '404': {$ref: '#/components/responses/NotFound'}
        default: {description: anything else}
    post:
      operationId: import
      deprecated: true
      security: [{key: []}, {oauth: [orders.write, orders.read]}]
      requestBody:
        required: true
        content:
          text/csv: {schema: {type: string}}
          application/json:
            schema: {$ref: '#/components/schemas/Order'}
      responses:
        '201': {description: made, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}
      callbacks: {done: {'{$request.body#/url}': {post: {responses: {}}}}}
  /orders/{orderId}/lines/{line}:
    delete:
      parameters: [{name: orderId, in: path, schema: {type: integer}}]
      responses: {'204': {description: gone}}
components:
  parameters:
    Limit: {name: limit, in: query, schema: {type: integer, default: 20}}
  responses:
    NotFound: {description: no such order}
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Shop-Key}
    oauth: {type: oauth2, flows: {implicit: {scopes: {orders.read: read orders, orders.write: write, manager: The boss}}}}
  schemas:
    Order:
      type: object
      description: What a customer has bought.
      required: [id, status, lines]
      properties:
        id: {type: integer, readOnly: true}
        status: {type: string, enum: [new, paid], nullable: true}
        lines: {type: array, items: {$ref: '#/components/schemas/Line'}}
        customer_id: {type: string}
        parent: {$ref: '#/components/schemas/Order'}
        secret: {type: string, writeOnly: true}
        buyer: {allOf: [{$ref: '#/components/schemas/Customer'}], description: Who has paid}
    Line: {type: object, properties: {text: {type: string, pattern: '[[bad'}, price: {type: number, format: decimal}}}
    Customer: {type: object, properties: {name: {type: string}, email: {type: string, format: email}}}
    Status: {type: string, enum: [new, paid]}
webhooks: {orderPaid: {post: {responses: {}}}}
"""


def shop(text: str = SHOP, name: str = "shop.yaml") -> Evidence:
    return read([Upload(name, text.encode())])


def of(document: Any, **more: str) -> Evidence:
    """The evidence of a document, with other files beside it."""
    files = [Upload("api.json", json.dumps(document).encode())]
    return read([*files, *(Upload(name, text.encode()) for name, text in more.items())])


def api(operation: Any = None, path: str = "/a", method: str = "post", **parts: Any) -> dict[str, Any]:
    return {"openapi": "3.0.0", "info": {"title": "T"}, "paths": {path: {method: operation or {}}}, **parts}


def body(schema: Any, required: bool = True, **components: Any) -> dict[str, Any]:
    operation = {
        "operationId": "do",
        "requestBody": {"required": required, "content": {"application/json": {"schema": schema}}},
    }
    return api(operation, components={"schemas": components})


def answer(schema: Any, **components: Any) -> dict[str, Any]:
    operation = {"operationId": "do", "responses": {"200": {"content": {"application/json": {"schema": schema}}}}}
    return api(operation, components={"schemas": components})


def operation(evidence: Evidence, name: str) -> Operation:
    [found] = [a for a in evidence.operations if a.name == name]
    return found


def resource(evidence: Evidence, name: str) -> Resource:
    [found] = [t for t in evidence.resources if t.name == name]
    return found


def only(evidence: Evidence) -> Operation:
    [found] = evidence.operations
    return found


def output(schema: Any, **components: Any) -> Any:
    found = only(of(answer(schema, **components))).output_schema
    assert found is not None
    Draft202012Validator.check_schema(found)
    return found


def levels(evidence: Evidence) -> set[str]:
    return {n.level for n in evidence.notes}


def accepts(schema: Mapping[str, Any], value: Any) -> bool:
    return bool(Draft202012Validator(schema).is_valid(value))
