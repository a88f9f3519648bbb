"""What `/openapi.json` says beyond what the routes say of themselves."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

TOKEN = {"type": "http", "scheme": "bearer", "description": "The token that the server was started with."}
TEXTS = (("/metrics", "get"), ("/episodes/{id}/log", "get"))
"""The routes that answer with text instead of JSON."""


def complete_description(app: FastAPI) -> None:
    """Add what the routes do not say: the token, where the id of an episode can be used, and what is answered as text."""
    made = app.openapi()
    made["components"]["securitySchemes"] = {"token": TOKEN}
    made["security"] = [{"token": []}]
    paths: dict[str, dict[str, Any]] = made["paths"]
    paths["/health"]["get"]["security"] = []
    for path, method in TEXTS:
        paths[path][method]["responses"]["200"]["content"] = {"text/plain": {"schema": {"type": "string"}}}
    begun = paths["/episodes"]["post"]["responses"]["201"]
    begun["headers"] = {"Location": {"description": "The path of the episode.", "schema": {"type": "string"}}}
    begun["links"] = {
        operation["operationId"]: {
            "operationId": operation["operationId"],
            "parameters": {"id": "$response.body#/id"},
        }
        for path, methods in paths.items()
        if path.startswith("/episodes/{id}")
        for operation in methods.values()
    }
