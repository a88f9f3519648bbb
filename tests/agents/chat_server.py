"""A small server on the loopback that speaks `/v1/chat/completions`: it answers by a script and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What is answered. `body` is JSON, or bytes as they are; None hangs up without an answer."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sent:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


Script = Callable[[Sent], Reply]


class ChatServer:
    def __init__(self, script: Script) -> None:
        self.script = script
        self.sent: list[Sent] = []
        self.released = threading.Event()
        """What hangs until the test is through waits for this."""
        self.url = ""
        self.connections = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self.lock = threading.Lock()


@contextmanager
def serving(script: Script | Sequence[Reply], port: int = 0) -> Iterator[ChatServer]:
    """A server that runs while the block does. A list of replies is given one after another, the last one for ever."""
    if callable(script):
        server = ChatServer(script)
    else:
        replies = list(script)
        server = ChatServer(lambda _: replies.pop(0) if len(replies) > 1 else replies[0])

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            with server.lock:
                server.connections += 1

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            one = Sent(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            with server.lock:
                server.sent.append(one)
                server.in_flight += 1
                server.most_in_flight = max(server.most_in_flight, server.in_flight)
            try:
                reply = server.script(one)
            finally:
                with server.lock:
                    server.in_flight -= 1
            self._answer(reply)

        def _answer(self, reply: Reply) -> None:
            if reply.body is None:
                self.close_connection = True
                return
            data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    http.daemon_threads = True
    http.block_on_close = False
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    server.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    try:
        yield server
    finally:
        server.released.set()
        http.shutdown()
        thread.join()
        http.server_close()


def completion(message: Mapping[str, Any], usage: Mapping[str, Any] | None = None, finish: str = "stop") -> Reply:
    """An answer as the real thing gives it, with fields that nobody here knows."""
    data: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "system_fingerprint": "fp",
        "choices": [
            {"index": 0, "finish_reason": finish, "logprobs": None, "message": {"role": "assistant", **message}}
        ],
    }
    return Reply(data | ({"usage": dict(usage)} if usage is not None else {}))


def calls(*wanted: tuple[str, Any], first: str = "id") -> dict[str, Any]:
    """The message of a model that calls tools. Arguments that are no text are sent as JSON in a string."""
    return {
        "content": None,
        "tool_calls": [
            {
                "id": f"{first}_{at}",
                "type": "function",
                "index": at,
                "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
            }
            for at, (name, given) in enumerate(wanted)
        ],
    }


def error(status: int, message: str, code: str = "", **headers: str) -> Reply:
    body = {"error": {"message": message, "type": "some_error", "code": code or None}}
    return Reply(body, status, {name.replace("_", "-"): value for name, value in headers.items()})
