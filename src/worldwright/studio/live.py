"""What changes while somebody looks: server-sent events that say only that it did. The page then asks for its parts again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from threading import Event

from starlette.responses import StreamingResponse

LOOK_EVERY_S = 0.4
BEAT_EVERY_S = 15.0
"""So often something is sent where nothing changes, so that a connection that is gone is noticed."""
Look = Callable[[], tuple[object, bool]]
"""Gives something that is another one whenever there is more to see, and whether it goes on."""


def follow(look: Look, stopping: Event) -> StreamingResponse:
    """Follow something until it has ended, or the studio does."""
    headers = {"x-accel-buffering": "no"}
    return StreamingResponse(_tell(look, stopping), media_type="text/event-stream", headers=headers)


async def _tell(look: Look, stopping: Event) -> AsyncIterator[bytes]:
    seen, goes_on = await asyncio.to_thread(look)
    yield b"event: changed\ndata: 0\n\n"
    number, silent = 0, 0.0
    while goes_on:
        await asyncio.sleep(LOOK_EVERY_S)
        if stopping.is_set():
            return
        now, goes_on = await asyncio.to_thread(look)
        silent += LOOK_EVERY_S
        if now != seen:
            seen, number, silent = now, number + 1, 0.0
            yield b"event: changed\ndata: %d\n\n" % number
        elif silent >= BEAT_EVERY_S:
            silent = 0.0
            yield b": still here\n\n"
    yield b"event: ended\ndata: 0\n\n"
