"""A client that costs next to nothing: one process, one connection for each episode, requests written by hand.

    python -m benchmarks._load URL < plan.json

The plan says how many connections, for how many seconds, and which episodes; what came of it is printed as JSON. It shares
the cores with the server that it measures, so it parses no more of an answer than it has to.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from itertools import count
from time import perf_counter
from typing import Any, cast
from urllib.parse import urlsplit

import uvloop


class Connection(asyncio.Protocol):
    """One request at a time over one connection that stays open."""

    def __init__(self) -> None:
        self._got = bytearray()
        self._whole = 0
        self._status = 0
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionError("closed by the server"))

    def data_received(self, data: bytes) -> None:
        got = self._got
        got += data
        if not self._whole:
            end = got.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(got[:end]).lower()
            self._status = int(head[9:12])
            at = head.find(b"content-length:")
            size = 0 if at < 0 else int(head[at + 15 :].partition(b"\r\n")[0])
            self._head, self._whole = end + 4, end + 4 + size
        if len(got) >= self._whole and self._answer is not None:
            body = bytes(got[self._head : self._whole])
            del got[: self._whole]
            self._whole = 0
            self._answer.set_result((self._status, body))

    async def ask(self, method: str, path: str, body: bytes = b"", token: str = "") -> tuple[int, bytes]:
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(written(method, path, body, token))
        return await self._answer

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


def written(method: str, path: str, body: bytes, token: str) -> bytes:
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def connect(url: str) -> Connection:
    at = urlsplit(url)
    assert at.hostname is not None
    assert at.port is not None
    _, made = await asyncio.get_running_loop().create_connection(Connection, at.hostname, at.port)
    return made


class Load:
    """Episodes over and over, each over its own connection, until the time is over or enough were played."""

    def __init__(self, url: str, plan: dict[str, Any]) -> None:
        self.url, self.token = url, plan["token"]
        self.way: str = plan.get("way", "")
        """`direct`: calls go to the worker that has the episode; `detour`: to another one."""
        self._known: set[str] = set()
        self.episodes: list[dict[str, Any]] = plan["episodes"]
        self.seconds: float = plan.get("seconds", 1e9)
        self.most: int = plan.get("most", 1 << 60)
        self.took: list[float] = []
        self.played = 0
        self._numbers: Iterator[int] = count()

    async def run(self, connections: int) -> dict[str, Any]:
        until = perf_counter() + self.seconds
        began = perf_counter()
        await asyncio.gather(*(self._play(until) for _ in range(connections)))
        seconds = perf_counter() - began
        took = sorted(self.took)
        return {
            "seconds": seconds, "calls": len(took), "episodes": self.played, "rate": len(took) / seconds,
            "median": took[len(took) // 2], "p99": took[int(len(took) * 0.99)], "worst": took[-1],
        }  # fmt: skip

    async def _play(self, until: float) -> None:
        front = await connect(self.url)
        direct: dict[str, Connection] = {}
        while perf_counter() < until and (number := next(self._numbers)) < self.most:
            one = self.episodes[number % len(self.episodes)]
            begin = json.dumps({"variant": one["variant"], "task": one["task"]}).encode()
            status, body = await front.ask("POST", "/episodes", begin, self.token)
            _expect(status, 201, body)
            name, to = _id(body), front
            if self.way:
                url = self._sent_to(json.loads(body)["url"])
                if url not in direct:
                    direct[url] = await connect(url)
                to = direct[url]
            for call in one["calls"]:
                sent = perf_counter()
                status, body = await to.ask("POST", f"/episodes/{name}/step", call.encode(), self.token)
                self.took.append(perf_counter() - sent)
                _expect(status, 200, body)
            if one.get("verify"):
                _expect((await to.ask("POST", f"/episodes/{name}/verify", b"", self.token))[0], 200, b"")
            _expect((await to.ask("DELETE", f"/episodes/{name}", b"", self.token))[0], 204, b"")
            self.played += 1
        for connection in (front, *direct.values()):
            connection.close()

    def _sent_to(self, own: str) -> str:
        self._known.add(own)
        others = self._known - {own}
        return own if self.way == "direct" or not others else min(others)


async def echoed(url: str, plan: dict[str, Any], connections: int) -> dict[str, Any]:
    """The same calls to a route that only sends something back."""
    calls = [call.encode() for one in plan["episodes"] for call in one["calls"]]
    took: list[float] = []
    began = perf_counter()
    until = began + plan["seconds"]

    async def ask() -> None:
        connection, number = await connect(url), 0
        while perf_counter() < until:
            sent = perf_counter()
            status, body = await connection.ask("POST", "/echo", calls[number % len(calls)])
            took.append(perf_counter() - sent)
            _expect(status, 200, body)
            number += 1
        connection.close()

    await asyncio.gather(*(ask() for _ in range(connections)))
    seconds = perf_counter() - began
    took.sort()
    return {
        "seconds": seconds, "calls": len(took), "rate": len(took) / seconds,
        "median": took[len(took) // 2], "p99": took[int(len(took) * 0.99)],
    }  # fmt: skip


def _expect(status: int, wanted: int, body: bytes) -> None:
    if status != wanted:
        raise SystemExit(f"{status} where {wanted} was expected: {body[:300]!r}")


def _id(body: bytes) -> str:
    return body[7 : body.index(b'"', 7)].decode()


def main() -> None:
    url, plan = sys.argv[1], json.load(sys.stdin)
    work = echoed(url, plan, plan["connections"]) if plan.get("echo") else Load(url, plan).run(plan["connections"])
    print(json.dumps(uvloop.run(work)))


if __name__ == "__main__":
    main()
