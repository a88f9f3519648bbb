"""Debian's docker-registry on a loopback port of its own, with or without somebody at the door."""

from __future__ import annotations

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Served:
    """A registry that runs."""

    host: str
    data: Path
    log: Path

    def at(self, name: str) -> str:
        return f"oci://{self.host}/{name}"

    def blob(self, digest: str) -> Path:
        """Where it keeps a blob."""
        plain = digest.removeprefix("sha256:")
        return self.data / "docker/registry/v2/blobs/sha256" / plain[:2] / plain / "data"

    def asked(self, method: str) -> int:
        """How many requests of this kind it has had."""
        return self.log.read_text().count(f'"{method} /v2/')


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@contextmanager
def serving(program: str, folder: Path, auth: Mapping[str, Any] | None = None) -> Iterator[Served]:
    """The registry, until it is no longer needed. JSON is YAML enough for its settings."""
    port = free_port()
    settings = {
        "version": 0.1,
        "log": {"level": "warn"},
        "storage": {"filesystem": {"rootdirectory": str(folder / "data")}},
        "http": {"addr": f"127.0.0.1:{port}"},
        **({"auth": auth} if auth else {}),
    }
    (folder / "settings.yml").write_text(json.dumps(settings))
    served = Served(f"127.0.0.1:{port}", folder / "data", folder / "log")
    with served.log.open("wb") as log:
        process = subprocess.Popen([program, "serve", str(folder / "settings.yml")], stdout=log, stderr=log)
    try:
        _wait(f"http://{served.host}/v2/", process, served.log)
        yield served
    finally:
        process.kill()  # asked politely, it waits for everybody who still holds a connection
        process.wait(20)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(200):
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except urllib.error.HTTPError:
            return
        except OSError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.05)
    raise AssertionError(f"the registry does not answer: {log.read_text()}")
