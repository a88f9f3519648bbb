"""A bare route on the same stack as the server: it reads a call, and sends something back. Run by uvicorn."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel


class Take(BaseModel):
    tool: str
    arguments: Any = None


class Taken(BaseModel):
    ok: bool
    data: Any = None
    done: bool


app = FastAPI()


@app.post("/echo")
async def echo(take: Take) -> Taken:
    return Taken(ok=True, data=take.arguments, done=False)
