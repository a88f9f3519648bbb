"""Anchors in the store: whole or not at all, and what lies there is what the lock says."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.anchor.anchors import DEPOT, depot, given, lock_of, relocked

from worldwright.anchor.lock.records import Anchor
from worldwright.core.canonical import pretty_json, sha256
from worldwright.core.errors import StoreError, UsageError
from worldwright.store.anchors import LOCK, Anchors

OTHER = lock_of(given("openapi", {"other.yaml": DEPOT + "# a remark\n"}), name="depot")
"""Another anchor of the same name."""


@pytest.fixture
def held(tmp_path: Path) -> Anchors:
    return Anchors(tmp_path)


def contents(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def test_what_is_put_is_there(held: Anchors) -> None:
    assert held.names() == ()
    assert held.world("depot") is None
    place = held.put(depot())
    assert place == held.root / "depot"
    assert held.names() == ("depot",)
    assert held.read_lock("depot") == depot().lock
    (domain,) = depot().domains
    found = held.world("depot")
    assert found is not None
    assert (found.anchor, found.name, found.blueprint) == ("depot", "depot", domain.blueprint)
    assert found.contract == domain.contract_text.encode()
    assert found.lock == depot().lock["digest"]
    assert set(contents(held.root)) == {
        "depot/anchor.lock", "depot/worlds/depot.yaml", "depot/worlds/depot.contract.json", "depot/operations.json",
        "depot/evidence/depot.yaml.txt",
    }  # fmt: skip
    assert held.read_files("depot") == depot().files


def test_the_store_is_under_the_home_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORLDWRIGHT_HOME", str(tmp_path / "elsewhere"))
    assert Anchors().root == tmp_path / "elsewhere" / "anchors"


def test_anchors_are_listed_in_order_of_their_names(held: Anchors) -> None:
    for name in ("zebra", "ant", "mole"):
        held.put(replace(depot(), name=name))
    assert held.names() == ("ant", "mole", "zebra")


def test_a_newer_one_takes_the_place_of_the_older(held: Anchors) -> None:
    old = replace(depot(), domains=(replace(depot().domains[0], name="gone"),))
    held.put(old)
    held.put(old)
    with pytest.raises(UsageError, match="there is an anchor `depot` of other evidence; replace it with --force"):
        held.put(OTHER)
    held.put(OTHER, replace=True)
    assert held.read_lock("depot")["digest"] == OTHER.lock["digest"] != depot().lock["digest"]
    assert "depot/worlds/gone.yaml" not in contents(held.root)
    assert [p.name for p in held.root.iterdir()] == ["depot"]


@pytest.mark.parametrize("name", ["", "../out", "Depot", "a b", ".hidden", "9lives", "a" * 61, "depot/x", "dépôt"])
def test_a_name_that_is_none_is_refused(held: Anchors, name: str) -> None:
    with pytest.raises(StoreError, match="is no name for an anchor"):
        held.put(replace(depot(), name=name))
    assert not held.root.exists() or contents(held.root) == {}


# interrupted


def fail_to_write(monkeypatch: pytest.MonkeyPatch, at: int, error: BaseException) -> None:
    real, calls = Path.write_text, [0]

    def write(self: Path, *args: Any, **kwargs: Any) -> int:
        calls[0] += 1
        if calls[0] == at:
            raise error
        return real(self, *args, **kwargs)

    monkeypatch.setattr(Path, "write_text", write)


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_put_that_cannot_write_leaves_the_old_anchor_whole(
    held: Anchors, monkeypatch: pytest.MonkeyPatch, at: int, error: BaseException
) -> None:
    held.put(depot())
    before = contents(held.root)
    fail_to_write(monkeypatch, at, error)
    with pytest.raises((StoreError, KeyboardInterrupt)) as seen:
        held.put(OTHER, replace=True)
    if isinstance(error, OSError):
        assert "cannot be written: No space left on device" in str(seen.value)
    monkeypatch.undo()
    assert contents(held.root) == before
    assert [p.name for p in held.root.iterdir()] == ["depot"]


def fail_to_rename(monkeypatch: pytest.MonkeyPatch, onto: str, error: BaseException) -> None:
    """Renaming onto a file of this name fails, as on a full or lost disk."""

    def failing(real: Callable[..., Any]) -> Callable[..., Any]:
        def rename(source: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
            if Path(target).name == onto and ".new-" in str(source):
                raise error
            return real(source, target, *args, **kwargs)

        return rename

    for name in ("rename", "replace"):
        monkeypatch.setattr(os, name, failing(getattr(os, name)))


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), KeyboardInterrupt()])
def test_a_put_that_cannot_take_the_place_leaves_the_old_anchor_whole(
    held: Anchors, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    held.put(depot())
    fail_to_rename(monkeypatch, "depot", error)
    with pytest.raises((StoreError, KeyboardInterrupt)):
        held.put(OTHER, replace=True)
    monkeypatch.undo()
    assert held.names() == ("depot",)
    assert held.read_lock("depot") == depot().lock


def test_a_first_put_that_cannot_take_its_place_leaves_nothing_to_be_seen(
    held: Anchors, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_to_rename(monkeypatch, "depot", OSError(5, "Input/output error"))
    with pytest.raises(StoreError, match="cannot be written: Input/output error"):
        held.put(depot())
    monkeypatch.undo()
    assert held.names() == ()
    assert contents(held.root) == {}


def test_what_an_interrupted_put_left_is_no_anchor(held: Anchors) -> None:
    held.put(depot())
    (held.root / "depot").rename(held.root / ".new-abc")
    assert held.names() == ()
    (held.root / "half").mkdir()
    assert held.names() == ()
    held.put(depot())
    assert held.names() == ("depot",)


def test_a_store_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "anchors").write_text("a file")
    with pytest.raises(StoreError, match="cannot be written"):
        Anchors(tmp_path).put(depot())


# tampered


@pytest.mark.parametrize("file", ["worlds/depot.yaml", "worlds/depot.contract.json"])
def test_a_changed_file_is_refused(held: Anchors, file: str) -> None:
    path = held.put(depot()) / file
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(StoreError, match=r"is not what the lock says; upload the inputs again"):
        held.world("depot")
    path.unlink()
    with pytest.raises(StoreError, match="cannot be read"):
        held.world("depot")


def test_a_contract_that_the_lock_does_not_know_is_not_used(held: Anchors) -> None:
    plain = replace(depot().domains[0], contract=None, contract_text="")
    worlds = [{**depot().lock["worlds"][0], "contract": ""}]
    place = held.put(Anchor("depot", "Depot", (plain,), relocked(depot().lock, worlds=worlds)))
    (place / "worlds" / "depot.contract.json").write_text(depot().domains[0].contract_text)
    found = held.world("depot")
    assert found is not None
    assert found.contract is None


def test_a_lock_that_was_changed_is_refused(held: Anchors) -> None:
    place = held.put(depot())
    blueprint = (place / "worlds" / "depot.yaml").read_bytes().replace(b"title: Depot", b"title: Other")
    (place / "worlds" / "depot.yaml").write_bytes(blueprint)
    lock = held.read_lock("depot")
    lock["worlds"][0]["blueprint"] = sha256(blueprint)
    (place / LOCK).write_text(pretty_json(lock))
    with pytest.raises(StoreError):
        held.world("depot")


WRONG_LOCKS = {
    "empty": b"",
    "no JSON": b"{",
    "no text": b"\xff\xfe\xfd",
    "too deep": b"[" * 100_000,
    "a list": b"[]",
    "no worlds": b"{}",
    "worlds that are none": b'{"worlds": 3}',
    "a world outside": b'{"worlds": [{"name": "../../../secrets"}]}',
    "worlds that are texts": b'{"worlds": ["depot"]}',
    "a world whose name is a number": b'{"worlds": [{"name": 3}]}',
    "a world without a name": b'{"worlds": [{}]}',
}
UNCHECKED = ("worlds that are texts", "a world whose name is a number", "a world without a name")


@pytest.mark.parametrize(
    "wrong",
    [pytest.param(w) if w in UNCHECKED else w for w in WRONG_LOCKS],
)
def test_a_lock_that_is_none_is_an_error_that_has_a_name(held: Anchors, wrong: str) -> None:
    place = held.put(depot())
    (place / LOCK).write_bytes(WRONG_LOCKS[wrong])
    with pytest.raises(StoreError):
        held.world("depot")


def test_a_lock_without_worlds_has_none(held: Anchors) -> None:
    place = held.put(depot())
    (place / LOCK).write_text(json.dumps(relocked(depot().lock, worlds=[])))
    with pytest.raises(UsageError, match=r"there is nothing to build.*worldwright author depot"):
        held.world("depot")


# worlds by name


def test_worlds_of_an_anchor_are_found_by_their_names(held: Anchors) -> None:
    (domain,) = depot().domains
    worlds = [{**depot().lock["worlds"][0], "name": name} for name in ("depot_parts", "depot_doors")]
    domains = tuple(replace(domain, name=w["name"]) for w in worlds)
    held.put(Anchor("depot", "Depot", domains, relocked(depot().lock, worlds=worlds)))
    held.put(replace(OTHER, name="dep"))
    found = {
        name: held.world(name) for name in ("depot", "depot_parts", "depot_doors", "dep", "depot_nothing", "doors")
    }
    assert {n: (w.anchor, w.name) for n, w in found.items() if w is not None} == {
        "depot": ("depot", "depot_parts"),
        "depot_parts": ("depot", "depot_parts"),
        "depot_doors": ("depot", "depot_doors"),
        "dep": ("dep", "depot"),
    }


def test_removing(held: Anchors) -> None:
    held.put(depot())
    held.put(replace(OTHER, name="other"))
    held.remove("depot")
    assert held.names() == ("other",)
    assert [p.name for p in held.root.iterdir()] == ["other"]
    for wrong in ("depot", "othr", "../anchors/other", "."):
        with pytest.raises(StoreError, match="there is no anchor"):
            held.remove(wrong)
    with pytest.raises(StoreError, match=r"there is no anchor `othr`; .*other"):
        held.read_lock("othr")
    assert held.names() == ("other",)
