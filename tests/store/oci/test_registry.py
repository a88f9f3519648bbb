"""Push and pull against a real registry, through the commands that people use."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.store.oci.conftest import tool
from tests.store.oci.counterparts import Served, free_port, serving
from tests.store.oci.token_server import tokens
from tests.worlds import drop_grader_files

from worldwright.cli.main import main
from worldwright.pack.open import Pack, check_pack, open_pack
from worldwright.pack.seal import write_pack
from worldwright.store.oci import spec
from worldwright.store.oci.base import Base
from worldwright.store.oci.gym import write_gym
from worldwright.store.oci.layer_cache import LayerCache
from worldwright.store.oci.reference import parse_reference
from worldwright.store.oci.registry import PASSWORD, USER, Repository
from worldwright.store.oci.runtime import Runtime
from worldwright.store.store import Store

pytestmark = pytest.mark.xdist_group("oci-registry")


@dataclass(frozen=True, slots=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


def run(*args: str) -> Outcome:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main(list(args))
    return Outcome(int(ended.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture
def family(seven: Pack, eight: Pack) -> str:
    """Two variants in a store of this test's own."""
    store = Store()
    for variant, pack in (("default-7", seven), ("default-8", eight)):
        store.put(pack.files, pack.manifest)
        store.tag("town_library", "latest", variant, pack.manifest.digest)
    return "town_library:latest"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Another machine: an empty store. To be asked for after what is pushed."""
    monkeypatch.setenv("WORLDWRIGHT_HOME", str(tmp_path / "elsewhere"))
    return Store()


def test_a_family_goes_out_and_comes_back(
    registry: Served, family: str, elsewhere: Store, seven: Pack, eight: Pack, tmp_path: Path
) -> None:
    with pytest.MonkeyPatch.context() as here:
        here.setenv("WORLDWRIGHT_HOME", str(tmp_path / "home"))
        pushed = run("push", family, registry.at("gyms/library:v1"), "--json").data
    assert pushed["worlds"] == 2
    assert [p["kind"] for p in pushed["pushed"]] == ["gym"]
    found = run("pull", registry.at("gyms/library:v1"), "--json", "--out", str(tmp_path / "out")).data
    assert {p["reference"] for p in found["packs"]} == {"town_library:v1/default-7", "town_library:v1/default-8"}
    assert elsewhere.open("town_library:v1/default-7").files == seven.files
    assert elsewhere.open("town_library:v1/default-8").files == eight.files
    assert open_pack(Path(found["packs"][0]["folder"])).files == seven.files
    assert not list((elsewhere.root / "oci" / "pulls").iterdir())


def test_one_pack_goes_out_and_comes_back_by_tag_and_by_digest(
    registry: Served, seven: Pack, elsewhere: Store, tmp_path: Path
) -> None:
    write_pack(seven.files, tmp_path / "pack")
    pushed = run("push", str(tmp_path / "pack"), registry.at("single"), "--json").data
    [only] = pushed["pushed"]
    assert (only["kind"], only["reference"]) == ("pack", registry.at("single:latest"))
    assert run("pull", registry.at(f"single@{only['digest']}")).code == 0
    assert elsewhere.open("town_library:latest/pack").files == seven.files
    listed = run("images", "list", registry.at("single"), "--json").data
    assert listed["tags"] == [
        {"tag": "latest", "kind": "pack", "world": seven.manifest.digest, "digest": only["digest"]}
    ]


def test_what_is_there_is_not_sent_again_nor_fetched(registry: Served, family: str, tmp_path: Path) -> None:
    first = run("push", family, registry.at("again"), "--json").data
    assert (first["blobs"], first["there_already"]) == (9, 0)
    before = registry.asked("POST")
    second = run("push", family, registry.at("again"), "--json").data
    assert (second["blobs"], second["bytes"], second["there_already"]) == (0, 0, 9)
    assert second["pushed"] == first["pushed"]
    assert registry.asked("POST") == before
    pulled = run("pull", registry.at("again"), "--json").data
    assert pulled["bytes"] == 0
    assert all(p["was_there"] for p in pulled["packs"])


def test_a_family_shares_layers_on_the_way_too(registry: Served, family: str, elsewhere: Store, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as here:
        here.setenv("WORLDWRIGHT_HOME", str(tmp_path / "home"))
        run("push", family, registry.at("shared"))
    found = run("pull", registry.at("shared"), "--json").data
    assert found["blobs"] == 7, "five layers of one pack and two of the other"


def test_images_and_graders_go_to_repositories_of_their_own(
    registry: Served,
    seven: Pack,
    eight: Pack,
    base: Base,
    runtime: Runtime,
    workshop: LayerCache,
    elsewhere: Store,
    tmp_path: Path,
) -> None:
    folder = tmp_path / "images"
    write_gym([("default-7", seven), ("default-8", eight)], base, runtime, workshop, folder)
    pushed = run("push", str(folder), registry.at("worlds/library:v2"), "--json").data
    assert [(p["kind"], p["reference"]) for p in pushed["pushed"]] == [
        ("image", registry.at("worlds/library:v2-default-7")),
        ("image", registry.at("worlds/library:v2-default-8")),
        ("gym", registry.at("worlds/library-grader:v2")),
    ]
    assert pushed["there_already"] == 0
    listed = run("images", "list", registry.at("worlds/library"), "--json").data["tags"]
    assert [(t["tag"], t["kind"]) for t in listed] == [("v2-default-7", "image"), ("v2-default-8", "image")]
    assert run("pull", registry.at("worlds/library-grader:v2")).code == 0
    assert elsewhere.open("town_library:v2/default-8").files == eight.files
    refused = run("pull", registry.at("worlds/library:v2-default-7"))
    assert refused.code == 4
    assert "an image is run, with podman or docker" in refused.err
    run("push", str(folder), registry.at("only/worlds"), "--no-grader")
    assert run("images", "list", registry.at("only/worlds-grader"), "--json").data["tags"] == []


def test_a_blob_that_the_registry_changed_is_refused_and_nothing_is_kept(
    registry: Served, seven: Pack, elsewhere: Store, tmp_path: Path
) -> None:
    write_pack(seven.files, tmp_path / "pack")
    run("push", str(tmp_path / "pack"), registry.at("rotten"))
    with Repository(parse_reference(registry.at("rotten"))) as repository:
        manifest = json.loads(repository.get("latest")[0])
    own = next(part for part in manifest["layers"] if part["mediaType"] == spec.pack_layer("world"))
    blob = registry.blob(own["digest"])
    whole = blob.read_bytes()
    try:
        for damaged in (bytes([whole[0] ^ 1]) + whole[1:], whole[:-1]):
            blob.write_bytes(damaged)
            found = run("pull", registry.at("rotten"))
            assert found.code in (3, 4)
            assert "Traceback" not in found.err
            assert elsewhere.digests() == []
            assert elsewhere.list_references() == []
    finally:
        blob.write_bytes(whole)
    assert run("pull", registry.at("rotten")).code == 0, "and where it is mended, the pull goes on"


def test_a_world_without_its_keys_is_made_whole_by_its_grader(
    registry: Served, seven: Pack, elsewhere: Store, tmp_path: Path
) -> None:
    write_pack(seven.files, tmp_path / "pack")
    run("push", str(tmp_path / "pack"), registry.at("whole"))
    sent = check_pack(drop_grader_files(seven.files))
    elsewhere.put(sent.files, sent.manifest)
    assert not elsewhere.pack(seven.manifest.digest).whole
    assert run("pull", registry.at("whole"), "--json").data["packs"][0]["was_there"] is False
    assert elsewhere.pack(seven.manifest.digest).files == seven.files


KILLED = """
import os, signal, sys
from worldwright.cli.main import main
from worldwright.store.oci.registry import Repository
left = int(sys.argv[2])
real = Repository.fetch
def dying(self, layout, blob):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(self, layout, blob)
Repository.fetch = dying
main(["pull", sys.argv[1]])
"""


def test_a_pull_that_was_killed_goes_on_where_it_was(
    registry: Served, family: str, elsewhere: Store, seven: Pack, tmp_path: Path
) -> None:
    with pytest.MonkeyPatch.context() as here:
        here.setenv("WORLDWRIGHT_HOME", str(tmp_path / "home"))
        run("push", family, registry.at("killed"))
    done = subprocess.run([sys.executable, "-c", KILLED, registry.at("killed"), "3"], check=False)
    assert done.returncode == -signal.SIGKILL
    assert elsewhere.list_references() == []
    found = run("pull", registry.at("killed"), "--json").data
    assert found["blobs"] == 4
    assert found["there_already"] == 3
    assert elsewhere.open("town_library:latest/default-7").files == seven.files


def test_what_is_said_where_there_is_nothing(registry: Served, family: str) -> None:
    nobody = run("pull", f"oci://127.0.0.1:{free_port()}/x")
    assert nobody.code == 3
    assert "cannot connect to 127.0.0.1" in nobody.err
    nothing = run("pull", registry.at("no/such/thing"))
    assert nothing.code == 3
    assert "has no no/such/thing with latest" in nothing.err
    run("push", f"{family}/default-7", registry.at("something:v1"))
    other = run("pull", registry.at("something:v2"))
    assert "it has v1" in other.err
    assert run("push", "no_such_world", registry.at("x")).code == 3
    assert run("pull", "something:v1").code == 2


def test_a_registry_that_answers_only_in_the_clear_is_not_spoken_to_unasked(
    registry: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if 127.0.0.1 were somewhere else: then only TLS will do, and this registry has none."""
    monkeypatch.setattr("worldwright.store.oci.reference.Reference.loopback", False)
    start = time.monotonic()
    refused = run("images", "list", registry.at("x"))
    assert refused.code == 3
    assert "--plain-http" in refused.err
    assert time.monotonic() - start < 20
    assert run("images", "list", registry.at("x"), "--plain-http").code == 0


def test_no_proxy_stands_between_us_and_this_machine(registry: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    monkeypatch.delenv("no_proxy", raising=False)
    assert run("images", "list", registry.at("x")).code == 0


# who may come in

HTPASSWD = "anna:$2b$05$Jc1gUnwLYtQTFXeNHDlTxe79aWOQLc2yabo6h8Z2nkHOHlvunm6UO\n"
"""anna, whose password is `open sesame`."""


def login(folder: Path, host: str, user: str, password: str) -> None:
    """What `docker login` leaves behind."""
    folder.mkdir(parents=True, exist_ok=True)
    auth = base64.b64encode(f"{user}:{password}".encode()).decode()
    (folder / "config.json").write_text(json.dumps({"auths": {host: {"auth": auth}}}))


@pytest.fixture(params=["basic", "token"])
def guarded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    """A registry with a lock: a list of passwords, or somebody else who hands out tokens."""
    program = tool("docker-registry")
    folder = tmp_path / "guarded"
    folder.mkdir()
    if request.param == "basic":
        (folder / "htpasswd").write_text(HTPASSWD)
        auth = {"htpasswd": {"realm": "a registry", "path": str(folder / "htpasswd")}}
        with serving(program, folder, auth) as served:
            yield served
    else:
        with tokens(folder, "anna", "open sesame") as auth, serving(program, folder, auth) as served:
            yield served


@pytest.fixture(autouse=True)
def nobody_logged_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (USER, PASSWORD, "DOCKER_CONFIG", "REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))


def test_logins_of_docker_and_of_the_environment(
    guarded: Served, family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = run("push", family, guarded.at("locked"))
    assert outside.code == 3
    assert f"docker login {guarded.host}" in outside.err
    login(tmp_path / "docker", guarded.host, "anna", "wrong")
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "docker"))
    assert run("push", family, guarded.at("locked")).code == 3
    login(tmp_path / "docker", guarded.host, "anna", "open sesame")
    done = run("push", family, guarded.at("locked"), "--json")
    assert done.code == 0, done.err
    assert done.data["blobs"] == 9
    monkeypatch.delenv("DOCKER_CONFIG")
    assert run("pull", guarded.at("locked")).code == 3
    monkeypatch.setenv(USER, "anna")
    assert "together or not at all" in run("pull", guarded.at("locked")).err
    monkeypatch.setenv(PASSWORD, "open sesame")
    assert run("pull", guarded.at("locked")).code == 0
    assert "sesame" not in done.out + done.err + outside.err


def test_other_places_of_logins(guarded: Served, family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    login(tmp_path / "auth", guarded.host, "anna", "open sesame")
    monkeypatch.setenv("REGISTRY_AUTH_FILE", str(tmp_path / "auth" / "config.json"))
    assert run("push", family, guarded.at("podman")).code == 0
    monkeypatch.delenv("REGISTRY_AUTH_FILE")
    assert run("pull", guarded.at("podman")).code == 3
    login(Path(os.environ["HOME"]) / ".docker", guarded.host, "anna", "open sesame")
    assert run("pull", guarded.at("podman")).code == 0
