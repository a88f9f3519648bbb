"""A Dockerfile over the same layers, for people who have Docker: a stage for each world, built in the folder of the layout."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from worldwright.store.oci.base import Base
from worldwright.store.oci.image import ENVIRONMENT, PORT, SERVE, USER, WORLD, entrypoint, health
from worldwright.store.oci.runtime import Runtime

NAME = "Dockerfile"
_HEAD = """\
# The worlds of this folder as Docker builds them: the same layers on a base of your own, which has Python 3.{minor}.
#
#     docker build --target {first} -t {first} .
#     docker run --read-only --publish {port}:{port} --env WORLDWRIGHT_TOKEN {first}
#
# Keys and verifiers are in none of them: whoever trains pulls the pack, and judges the logs of episodes with it.
ARG BASE=python:3.{minor}-slim

FROM ${{BASE}} AS runtime
"""


def dockerfile(base: Base, runtime: Runtime, worlds: Mapping[str, Sequence[str]]) -> str:
    """The text of it. `worlds` are the layers of each world, by the name of its image."""
    python = f"python3.{base.python.minor}"
    first = stage(next(iter(worlds)))
    lines = [_HEAD.format(minor=base.python.minor, port=PORT, first=first).rstrip()]
    lines += [_add(layer.digest) for layer in runtime.layers]
    lines += [f"ENV {name}={value}" for name, value in ENVIRONMENT.items()]
    lines += [f"USER {USER}", f"WORKDIR {WORLD}", f"EXPOSE {PORT}"]
    lines.append(
        f"HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD {json.dumps(health(python))}"
    )
    lines += [f"ENTRYPOINT {json.dumps(entrypoint(python))}", f"CMD {json.dumps(SERVE)}"]
    for name, layers in worlds.items():
        lines += ["", f"FROM runtime AS {stage(name)}", *map(_add, layers)]
    return "\n".join(lines) + "\n"


def stage(name: str) -> str:
    """The name of an image as Docker has those of stages: in small letters, beginning with one."""
    return name.lower() if name[:1].isalpha() else f"world-{name.lower()}"


def _add(digest: str) -> str:
    """Docker unpacks a local tar file that is added."""
    return f"ADD blobs/sha256/{digest.removeprefix('sha256:')} /"
