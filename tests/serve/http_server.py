"""A server of its own for a test: the real command, real workers, a real client."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

TOKEN = "a-token-of-the-tests"


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    process: subprocess.Popen[str]

    def client(self, token: str = TOKEN) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, headers=bearer(token), timeout=60)

    def async_client(self, connections: int = 64) -> httpx2.AsyncClient:
        limits = httpx2.Limits(max_connections=connections)
        return httpx2.AsyncClient(base_url=self.url, headers=bearer(TOKEN), timeout=120, limits=limits)

    @property
    def workers(self) -> list[int]:
        """The processes that serve."""
        pid = self.process.pid
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Its exit code, and what it wrote meanwhile on standard error."""
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "worldwright", "serve", *options]


@contextmanager
def started(gym: Path, *options: str) -> Iterator[Server]:
    """A server on a free port, stopped at the end."""
    line = command("--gym", str(gym), "--port", "0", "--json", *options)
    env = {**os.environ, "WORLDWRIGHT_TOKEN": TOKEN}
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        if not said:
            raise AssertionError(process.communicate(timeout=30)[1])
        try:
            yield Server(json.loads(said)["url"], process)
        finally:
            if process.poll() is None:
                process.terminate()
                process.communicate(timeout=60)


def begin(client: httpx2.Client, variant: str = "seed_7", task: str = "task_001", **more: Any) -> dict[str, Any]:
    """An episode as the server shows it."""
    answer = client.post("/episodes", json={"variant": variant, "task": task, **more})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def problem(answer: httpx2.Response, status: int) -> str:
    """The code of a refusal, which has this status and the one shape that refusals have."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message"}
    return str(body["error"]["code"])


def eventually(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "it never came to that"
        time.sleep(0.02)
