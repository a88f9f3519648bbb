"""The exported package of a small gym, built and installed as a user would; and a model to play it, scripted, behind real HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from worldwright.adapters.export import export
from worldwright.engine.world import World
from worldwright.store.open import open_gym

Body = dict[str, Any]
Script = Callable[[Body], Mapping[str, Any]]
"""From a request for a chat completion, the message of the model."""


def say(text: str | None = None, *calls: tuple[str, Any]) -> dict[str, Any]:
    """A message of a model. Arguments that are text go out as they are."""
    asked = [
        {"id": f"call_{at}", "type": "function",
         "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)}}
        for at, (name, given) in enumerate(calls)
    ]  # fmt: skip
    return {"role": "assistant", "content": text, **({"tool_calls": asked} if asked else {})}


def turn(body: Body) -> int:
    """How often the model has spoken before."""
    return sum(m["role"] == "assistant" for m in body["messages"])


class Model:
    """An endpoint that speaks OpenAI's API and does what it is told."""

    def __init__(self) -> None:
        self.script: Script = lambda body: say("I do not know.")
        self.heard: list[Body] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.heard.append(body)
                self._send(*model.answer(body))

            def _send(self, status: int, document: Mapping[str, Any]) -> None:
                data = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def answer(self, body: Body) -> tuple[int, Mapping[str, Any]]:
        message = self.script(body)
        if "status" in message:
            return int(message["status"]), {"error": {"message": message["error"], "type": "invalid_request_error"}}
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": message, "finish_reason": reason}
        usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
        return 200, {
            "id": "x", "object": "chat.completion", "created": 0, "model": body["model"], "choices": [choice], "usage": usage,
        }  # fmt: skip


@pytest.fixture
def model() -> Iterator[Model]:
    made = Model()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(scope="session")
def worlds(gym_folder: Path) -> dict[str, World]:
    gym = open_gym(gym_folder)
    return {variant: gym.world(variant) for variant in gym.variants}


@pytest.fixture(scope="session")
def oracle(worlds: dict[str, World]) -> Script:
    """A model that knows every key by heart: a call of the witness a turn, then the answer."""
    known = {}
    for world in worlds.values():
        for task in world.tasks:
            with world.open(task.id) as episode:
                system, request = (m["content"] for m in episode.messages)
                known[system, request] = (world.key(task.id), episode.submit)

    def script(body: Body) -> dict[str, Any]:
        system, request = (m["content"] for m in body["messages"][:2])
        key, submit = known[system, request]
        at = turn(body)
        return say(None, (key.calls[at].tool, key.calls[at].arguments) if at < len(key.calls) else (submit, key.answer))

    return script


def wheel(folder: Path, out: Path) -> Path:
    """The wheel of an exported package, by the backend that its pyproject.toml names."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    [built] = out.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(gym_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that the wheel is installed in, on the path of this process and of those that it starts."""
    root = tmp_path_factory.mktemp("installed")
    export("verifiers", str(gym_folder), root / "package")
    built = wheel(root / "package", root / "dist")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    site = root / "site"
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", str(site), str(built)], check=True)
    with pytest.MonkeyPatch.context() as patch:
        paths = (str(site), str(Path(__file__).parent))
        for path in reversed(paths):
            patch.syspath_prepend(path)
        patch.setenv("PYTHONPATH", os.pathsep.join(paths))
        yield site
