"""`worldwright serve` in a process of the main environment: for clients that live in the same one, or in one of their own.

Only the standard library is needed on this side.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parents[2]
MAIN = ROOT / ".venv" / "bin" / "python"


def serve(gym: Path, *options: str) -> list[str]:
    """The command that serves a gym."""
    assert MAIN.exists(), f"the server runs in the main environment, and {MAIN} is not there: make setup"
    return [str(MAIN), "-m", "worldwright", "serve", "--gym", str(gym), *options]


def serve_one(pack: Path, task: str, log: Path) -> list[str]:
    """The command that serves one episode on its input and output."""
    return serve(pack, "--mcp", "--stdio", "--task", task, "--log", str(log))


class Controller:
    """Whoever opens episodes and asks what they came to."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url, token

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        headers = {"authorization": f"Bearer {self._token}", "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self._url + path, data, headers, method=method), timeout=30) as answer:
            return json.loads(answer.read())

    def begin(self, variant: str, task: str) -> dict[str, Any]:
        """A new episode; its `mcp` is the whole URL."""
        begun: dict[str, Any] = self.ask("POST", "/episodes", {"variant": variant, "task": task})
        return {**begun, "mcp": self._url + begun["mcp"]}

    def verdict(self, episode: dict[str, Any]) -> str:
        return str(self.ask("POST", f"/episodes/{episode['id']}/verify")["status"])


@contextmanager
def serving(gym: Path, *options: str) -> Iterator[Controller]:
    """A server on a free port of this machine."""
    command = serve(gym, "--mcp", "--port", "0", "--workers", "1", "--json", *options)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            told = json.loads(process.stdout.readline())
            yield Controller(told["url"], told["token"])
        finally:
            process.terminate()
            process.communicate(timeout=30)
