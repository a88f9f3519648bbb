"""Programs of others as judges: skopeo reads and copies what was made, umoci unpacks it, podman and runc run it.

The images here stand on a real base: Debian's Python and what it needs, made by `make oci-test` (.oci/base.tar).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.store.oci.conftest import ROOT, missing, tool
from tests.store.oci.counterparts import Served

from worldwright.cli import commands
from worldwright.core.errors import UsageError
from worldwright.engine.trajectories import read_trajectory
from worldwright.pack.open import Pack
from worldwright.store.oci.base import read_base
from worldwright.store.oci.gym import write_gym
from worldwright.store.oci.layer_cache import LayerCache
from worldwright.store.oci.runtime import make_runtime
from worldwright.store.open import world_of

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("oci-containers")]
BASE = Path(os.environ.get("WORLDWRIGHT_BASE") or ROOT / ".oci" / "base.tar")
KEPT = ROOT / ".oci" / "workshop"
"""Base and runtime, kept from one run to the next."""
SERVES = (Path(commands.__file__).parent / "serve.py").is_file()


@pytest.fixture(scope="module")
def images(seven: Pack, eight: Pack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two worlds as images on a real base, with a real runtime."""
    if not BASE.exists():
        missing(f"there is no base at {BASE}")
    workshop = LayerCache(KEPT)
    base = read_base(str(BASE), workshop)
    folder = tmp_path_factory.mktemp("gym")
    try:
        runtime = make_runtime(base.python, workshop)
    except UsageError as e:
        missing(str(e))
        raise
    write_gym([("default-7", seven), ("default-8", eight)], base, runtime, workshop, folder)
    return folder


def told(*command: str, **given: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240, **given)
    assert done.returncode == 0, f"{command}: {done.stderr[-3000:]}"
    return str(done.stdout)


# skopeo and umoci


def test_skopeo_reads_an_image_as_we_wrote_it(images: Path, seven: Pack) -> None:
    skopeo = tool("skopeo")
    for world in ("default-7", "default-8"):
        found = json.loads(told(skopeo, "inspect", f"oci:{images}/worlds:{world}"))
        assert len(found["Layers"]) == 5
        assert (found["Os"], found["Architecture"]) == ("linux", "amd64")
    found = json.loads(told(skopeo, "inspect", f"oci:{images}/worlds:default-7"))
    assert found["Labels"]["io.worldwright.digest"] == seven.manifest.digest


def test_skopeo_copies_images_to_a_registry_and_back(images: Path, registry: Served, tmp_path: Path) -> None:
    skopeo = tool("skopeo")
    there = f"docker://{registry.host}/skopeo/library:default-7"
    told(skopeo, "copy", "--dest-tls-verify=false", f"oci:{images}/worlds:default-7", there)
    told(skopeo, "copy", "--src-tls-verify=false", there, f"oci:{tmp_path}/back:default-7")
    first = told(skopeo, "inspect", "--raw", f"oci:{images}/worlds:default-7")
    assert told(skopeo, "inspect", "--raw", f"oci:{tmp_path}/back:default-7") == first


def test_skopeo_copies_a_pack_as_it_is(images: Path, registry: Served) -> None:
    """An artifact is no image, and outside tools move it all the same."""
    skopeo = tool("skopeo")
    there = f"docker://{registry.host}/skopeo/library-grader:default-7"
    told(skopeo, "copy", "--dest-tls-verify=false", f"oci:{images}/grader:default-7", there)
    manifest = json.loads(told(skopeo, "inspect", "--raw", "--tls-verify=false", there))
    assert manifest["artifactType"] == "application/vnd.worldwright.pack.v1"


def test_docker_has_the_health_check(images: Path, tmp_path: Path) -> None:
    """OCI's own form has no place for it; in Docker's it is there."""
    skopeo = tool("skopeo")
    told(skopeo, "copy", "--format", "v2s2", f"oci:{images}/worlds:default-7", f"dir:{tmp_path}/docker")
    manifest = json.loads((tmp_path / "docker/manifest.json").read_text())
    config = json.loads((tmp_path / "docker" / manifest["config"]["digest"].removeprefix("sha256:")).read_text())
    assert "/health" in config["config"]["Healthcheck"]["Test"][-1]


# an episode inside

EPISODE = """
import json, os, sys
from importlib.util import find_spec
from pathlib import Path
from worldwright.engine.trajectories import trajectory_text
from worldwright.store.open import open_gym

gym = open_gym("/world")
world = gym.world(gym.variants[0])
plan = json.load(sys.stdin)
with world.open(plan["task"]) as episode:
    for call in plan["calls"]:
        episode.call(call["tool"], call["arguments"])
    episode.call(episode.submit, plan["answer"])
    verdict = episode.verify()
    log = trajectory_text(episode.log())

def writable(place):
    try:
        Path(place).write_text("x")
    except OSError:
        return False
    return True

print(json.dumps({
    "uid": os.getuid(), "digest": world.digest, "tasks": len(world.tasks), "verdict": verdict.data(), "log": log,
    "writable": [p for p in ("/x", "/world/x", "/world/state.db", "/opt/worldwright/x", "/etc/x") if writable(p)],
    "factory": find_spec("worldwright.factory") is not None,
    "keys": [str(p) for p in Path("/world").rglob("*") if "key" in p.name or "verify" in p.name or "vcode" in p.name],
}))
"""


def plan(pack: Pack) -> str:
    """A task, and how it is done: the trainer's side knows, and the container is told as an agent would find out."""
    key = world_of(pack).key("task_001")
    calls = [{"tool": call.tool, "arguments": dict(call.arguments)} for call in key.calls]
    return json.dumps({"task": "task_001", "calls": calls, "answer": key.answer})


def judged(said: dict[str, Any], pack: Pack) -> None:
    """What came out of a container, held against the whole pack."""
    assert said["uid"] == 65532
    assert said["digest"] == pack.manifest.digest
    assert said["tasks"] == pack.manifest.counts["tasks"]
    assert said["writable"] == []
    assert said["keys"] == []
    assert not said["factory"], "Blueprint and seed are there: with the factory, so would be the keys"
    assert said["verdict"]["status"] == "error"
    assert "without its keys" in said["verdict"]["reason"]
    assert world_of(pack).judge(read_trajectory(said["log"])).status == "pass"


def test_runc_runs_an_episode_in_an_unpacked_image(images: Path, seven: Pack, tmp_path: Path) -> None:
    umoci, runc = tool("umoci"), tool("runc")
    told(umoci, "unpack", "--image", f"{images}/worlds:default-7", str(tmp_path / "bundle"))
    path = tmp_path / "bundle/config.json"
    config = json.loads(path.read_text())
    assert config["process"]["args"][:3] == ["/usr/bin/python3.11", "-m", "worldwright"]
    config["process"] |= {"terminal": False, "args": ["/usr/bin/python3.11", "-c", EPISODE]}
    config["root"]["readonly"] = True
    path.write_text(json.dumps(config))
    name = f"worldwright-{os.getpid()}"
    out = told(runc, "run", "-b", str(tmp_path / "bundle"), name, input=plan(seven))
    judged(json.loads(out), seven)


@dataclass(frozen=True, slots=True)
class Podman:
    program: str
    env: dict[str, str]

    def __call__(self, *args: str, **given: Any) -> str:
        return told(self.program, *args, env=self.env, **given)


@pytest.fixture
def podman() -> Iterator[Podman]:
    """podman with storage of its own, runc beneath it, and no network but loopback. Its sockets want a short path."""
    program = tool("podman")
    tool("runc")
    folder = Path(tempfile.mkdtemp(prefix="ww-"))
    (folder / "containers.conf").write_text(
        '[containers]\ndefault_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]\nnetns = "none"\n'
        '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n'
    )
    storage = {"driver": "overlay", "graphroot": str(folder / "graph"), "runroot": str(folder / "run")}
    (folder / "storage.conf").write_text(
        "[storage]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in storage.items())
    )
    settings = {
        "CONTAINERS_CONF": str(folder / "containers.conf"),
        "CONTAINERS_STORAGE_CONF": str(folder / "storage.conf"),
    }
    found = Podman(program, {**os.environ, **settings})
    yield found
    subprocess.run([program, "rm", "--all", "--force"], env=found.env, capture_output=True, check=False)
    subprocess.run(["umount", str(folder / "graph/overlay")], capture_output=True, check=False)
    shutil.rmtree(folder, ignore_errors=True)


def test_podman_runs_an_episode_in_an_image_from_a_registry(
    images: Path, registry: Served, podman: Podman, seven: Pack, eight: Pack
) -> None:
    from tests.store.oci.test_registry import run

    assert run("push", str(images), registry.at("podman/library")).code == 0
    image = f"{registry.host}/podman/library:default-7"
    podman("pull", "--quiet", "--tls-verify=false", image)
    entry = ("--rm", "--read-only", "--interactive", "--cap-drop=all", "--entrypoint", "/usr/bin/python3.11")
    judged(json.loads(podman("run", *entry, image, "-c", EPISODE, input=plan(seven))), seven)
    checked = podman("run", "--rm", "--read-only", image, "verify", "/world", "--json")
    assert json.loads(checked)["ok"]
    assert not json.loads(checked)["whole"]
    other = f"{registry.host}/podman/library:default-8"
    podman("pull", "--quiet", "--tls-verify=false", other)
    judged(json.loads(podman("run", *entry, other, "-c", EPISODE, input=plan(eight))), eight)


def test_podman_builds_what_the_dockerfile_says(images: Path, podman: Podman, seven: Pack) -> None:
    """On the same base, and with the same layers: the same world comes out."""
    base = podman("import", str(BASE), "localhost/base:latest").strip()
    options = ("--quiet", "--format", "docker", "--build-arg", f"BASE={base}", "--target", "default-7")
    built = podman("build", *options, str(images / "worlds")).split()[-1]
    run = ("--rm", "--read-only", "--interactive", "--entrypoint", "/usr/bin/python3.11")
    judged(json.loads(podman("run", *run, built, "-c", EPISODE, input=plan(seven))), seven)
    found = json.loads(podman("inspect", built))[0]
    assert found["Config"]["User"] == "65532:65532"
    assert found["Config"]["Cmd"][0] == "serve"
    assert "/health" in json.dumps(found["Healthcheck"] if "Healthcheck" in found else found["HealthCheck"])


# the server

TOKEN = "0123456789-for-a-test"
CLIENT = """
import json, sys, urllib.request

def asked(path, body=None, method=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": "Bearer " + sys.argv[1], "Content-Type": "application/json"}
    request = urllib.request.Request("http://127.0.0.1:8000" + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read().decode()
    return json.loads(text) if "json" in answer.headers["Content-Type"] else text

plan = json.load(sys.stdin)
[world] = asked("/worlds")["worlds"]
begun = asked("/episodes", {"variant": world["variant"], "task": plan["task"]})
at = "/episodes/" + begun["id"]
for call in (*plan["calls"], {"tool": begun["submit"], "arguments": plan["answer"]}):
    asked(at + "/step", call)
print(json.dumps({"digest": world["digest"], "verdict": asked(at + "/verify", method="POST"), "log": asked(at + "/log")}))
"""


@pytest.mark.skipif(not SERVES, reason="this version has no `worldwright serve` yet")
def test_an_image_serves_its_world_and_the_trainer_judges(images: Path, seven: Pack, tmp_path: Path) -> None:
    """The image as it is, in a network of its own, asked over HTTP from inside."""
    umoci, runc = tool("umoci"), tool("runc")
    told(umoci, "unpack", "--image", f"{images}/worlds:default-7", str(tmp_path / "bundle"))
    path = tmp_path / "bundle/config.json"
    config = json.loads(path.read_text())
    config["process"]["terminal"] = False
    config["process"]["env"].append(f"WORLDWRIGHT_TOKEN={TOKEN}")
    config["root"]["readonly"] = True
    path.write_text(json.dumps(config))
    name = f"worldwright-serve-{os.getpid()}"
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen([runc, "run", "-b", str(tmp_path / "bundle"), name], stdout=log, stderr=log)
    try:
        _wait_for((runc, "exec", name, *_health(images)), server, tmp_path / "log")
        said = json.loads(told(runc, "exec", name, "/usr/bin/python3.11", "-c", CLIENT, TOKEN, input=plan(seven)))
    finally:
        subprocess.run([runc, "kill", name, "TERM"], check=False, capture_output=True)
        ended = server.wait(60)
        subprocess.run([runc, "delete", "--force", name], check=False, capture_output=True)
    assert said["digest"] == seven.manifest.digest
    assert (said["verdict"]["status"], said["verdict"]["reward"]) == ("error", None)
    assert world_of(seven).judge(read_trajectory(said["log"])).status == "pass"
    assert ended == 0, (tmp_path / "log").read_text()


def _health(images: Path) -> list[str]:
    from tests.store.oci.test_images import config_of

    command: list[str] = config_of(images, "default-7")["config"]["Healthcheck"]["Test"][1:]
    return command


def _wait_for(healthy: tuple[str, ...], server: subprocess.Popen[bytes], log: Path) -> None:
    """Until the image's own health check says so."""
    for _ in range(200):
        assert server.poll() is None, log.read_text()
        if subprocess.run(healthy, check=False, capture_output=True, timeout=60).returncode == 0:
            return
        time.sleep(0.2)
    raise AssertionError(log.read_text())
