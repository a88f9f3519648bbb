"""Anchors in the store: the lock, and the worlds that can be generated from it.

$WORLDWRIGHT_HOME/anchors/NAME/
├── anchor.lock                  what was given and what was made of it
├── evidence/, operations.json   what an author goes by
└── worlds/WORLD.yaml            a Blueprint, and WORLD.contract.json where the tools are a contract's
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldwright.anchor.lock.records import Anchor
from worldwright.core.canonical import digest, pretty_json, sha256
from worldwright.core.errors import StoreError, UsageError
from worldwright.core.names import suggest
from worldwright.store.store import find_home

LOCK = "anchor.lock"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}\Z")


@dataclass(frozen=True, slots=True)
class StoredAnchor:
    """A world of an anchor, as the store has it."""

    anchor: str
    name: str
    blueprint: str
    contract: bytes | None
    lock: str
    """The digest of the lock."""


class Anchors:
    """Anchors under one folder."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = (root if root is not None else find_home()) / "anchors"

    def names(self) -> tuple[str, ...]:
        if not self.root.is_dir():
            return ()
        return tuple(sorted(p.parent.name for p in self.root.glob(f"[!.]*/{LOCK}")))

    def put(self, anchor: Anchor, replace: bool = False) -> Path:
        """Keep an anchor. Either all of it is there afterwards or nothing has changed.

        One of the same name and other evidence gives way to it only with `replace`; so does one of the same evidence that
        an author has made deep, which is left as it is.
        """
        if not _NAME.match(anchor.name):
            raise StoreError(f"{anchor.name!r} is no name for an anchor; lower case letters, digits and _")
        place = self.root / anchor.name
        if not replace and self._is_authored(anchor):
            return place
        if not replace and self._digest(anchor.name) not in ("", anchor.lock["digest"]):
            raise UsageError(
                f"there is an anchor `{anchor.name}` of other evidence; replace it with --force, or keep both with --name NAME"
            )
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=self.root))
            try:
                self._write(fresh, anchor)
                self._exchange(fresh, place)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
        except OSError as e:
            raise StoreError(f"the store at {self.root} cannot be written: {e.strerror}") from None
        return place

    def _is_authored(self, anchor: Anchor) -> bool:
        """Tell whether an anchor of the same evidence is there that somebody has worked on."""
        try:
            held = self.read_lock(anchor.name)
        except StoreError:
            return False
        same = all(held.get(part) == anchor.lock[part] for part in ("inputs", "options"))
        return same and any(world.get("by") for world in held["worlds"])

    def _digest(self, name: str) -> str:
        """The digest of a lock that is there and whole; else nothing."""
        try:
            return str(self.read_lock(name)["digest"])
        except StoreError:
            return ""

    def _exchange(self, fresh: Path, place: Path) -> None:
        """Put a folder in the place of another, or leave that one where it is."""
        old = Path(tempfile.mkdtemp(prefix=".old-", dir=self.root)) / "anchor"
        done = False
        try:
            if place.exists():
                place.replace(old)
            fresh.replace(place)
            done = True
        finally:
            if not done and old.exists() and not place.exists():
                old.replace(place)
            shutil.rmtree(old.parent, ignore_errors=True)

    @staticmethod
    def _write(folder: Path, anchor: Anchor) -> None:
        folder.chmod(0o755)
        worlds = folder / "worlds"
        worlds.mkdir()
        for domain in anchor.domains:
            (worlds / f"{domain.name}.yaml").write_text(domain.blueprint, encoding="utf-8")
            if domain.contract_text:
                (worlds / f"{domain.name}.contract.json").write_text(domain.contract_text, encoding="utf-8")
        for path, text in anchor.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        (folder / LOCK).write_text(pretty_json(dict(anchor.lock)), encoding="utf-8")

    def read_lock(self, name: str) -> dict[str, Any]:
        """Read what an anchor was locked as."""
        path = self._place(name) / LOCK
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as e:
            raise StoreError(f"{path} cannot be read: {e}") from None
        if not isinstance(found, dict):
            raise StoreError(f"{path} is no lock")
        if found.get("digest") != digest({k: v for k, v in found.items() if k != "digest"}):
            raise StoreError(f"{path} is not what was locked; upload the inputs again")
        return found

    def world(self, name: str) -> StoredAnchor | None:
        """The world of that name, or the first world of the anchor of that name; None where there is neither.

        An anchor whose evidence names nothing that is kept or done has none: that is an error with what to do about it."""
        if name in self.names():
            lock = self.read_lock(name)
            if not lock["worlds"]:
                held = f"{len(lock.get('claims', ())):,} claims and nothing that is kept or done"
                raise UsageError(
                    f"`{name}` has no world yet, there is nothing to build: it holds {held}; write one with "
                    f"`worldwright author {name}`"
                )
            return self._load(name, str(lock["worlds"][0].get("name")))
        for anchor in self.names():
            if name.startswith(anchor) and any(w.get("name") == name for w in self.read_lock(anchor)["worlds"]):
                return self._load(anchor, name)
        return None

    def _load(self, anchor: str, world: str) -> StoredAnchor:
        lock = self.read_lock(anchor)
        entry = next(w for w in lock["worlds"] if w.get("name") == world)
        if not _NAME.match(world):
            raise StoreError(f"{anchor}: {world[:60]!r} is no name for a world")
        folder = self._place(anchor) / "worlds"
        blueprint = self._read_checked(folder / f"{world}.yaml", entry.get("blueprint"))
        contract = (
            self._read_checked(folder / f"{world}.contract.json", entry["contract"]) if entry.get("contract") else None
        )
        return StoredAnchor(anchor, world, blueprint.decode("utf-8"), contract, str(lock.get("digest", "")))

    @staticmethod
    def _read_checked(path: Path, expected: Any) -> bytes:
        try:
            data = path.read_bytes()
        except OSError as e:
            raise StoreError(f"{path} cannot be read: {e.strerror}") from None
        if sha256(data) != expected:
            raise StoreError(f"{path} is not what the lock says; upload the inputs again")
        return data

    def read_files(self, name: str) -> dict[str, str]:
        """What an anchor keeps for an author, by path."""
        place, held = self._place(name), self.read_lock(name).get("files", {})
        if any(".." in path.split("/") or path.startswith("/") for path in held):
            raise StoreError(f"{name}: the lock names files outside of it")
        return {path: self._read_checked(place / path, digest_).decode("utf-8") for path, digest_ in held.items()}

    def load_world(self, anchor: str, world: str) -> StoredAnchor:
        """A world of an anchor by both names."""
        known = [str(w.get("name")) for w in self.read_lock(anchor)["worlds"]]
        if world not in known:
            raise StoreError(
                f"{anchor} has no world `{world[:60]}`; {suggest(world, known) if known else 'it has none yet'}"
            )
        return self._load(anchor, world)

    def put_world(
        self, name: str, old: str, entry: dict[str, Any], blueprint: str, contract: str, files: dict[str, str]
    ) -> dict[str, Any]:
        """Put a world into an anchor, first of all and in the place of the one of the old name, with files of its author.

        Either all of it is there afterwards or nothing has changed."""
        lock, place = self.read_lock(name), self._place(name)
        rest = [w for w in lock["worlds"] if w.get("name") not in (old, entry["name"])]
        kept = {p: d for p, d in lock.get("files", {}).items() if not p.startswith(f"authored/{old}/")}
        body = {k: v for k, v in lock.items() if k != "digest"}
        body |= {"worlds": [entry, *rest], "files": {**kept, **{p: sha256(t.encode()) for p, t in files.items()}}}
        fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=self.root))
        try:
            shutil.copytree(place, fresh, dirs_exist_ok=True)
            for path, text in {
                f"worlds/{entry['name']}.yaml": blueprint,
                f"worlds/{entry['name']}.contract.json": contract,
                **files,
            }.items():
                if text:
                    (fresh / path).parent.mkdir(parents=True, exist_ok=True)
                    (fresh / path).write_text(text, encoding="utf-8")
            whole = {**body, "digest": digest(body)}
            (fresh / LOCK).write_text(pretty_json(whole), encoding="utf-8")
            self._exchange(fresh, place)
        except OSError as e:
            raise StoreError(f"the store at {self.root} cannot be written: {e.strerror}") from None
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
        return whole

    def remove(self, name: str) -> None:
        place = self._place(name)
        old = Path(tempfile.mkdtemp(prefix=".old-", dir=self.root))
        try:
            place.replace(old / "anchor")
            shutil.rmtree(old)
        except OSError as e:
            raise StoreError(f"{place} cannot be removed: {e.strerror}") from None

    def _place(self, name: str) -> Path:
        if name not in self.names():
            none = (
                f"there are none in {self.root} (WORLDWRIGHT_HOME names another place); see `worldwright upload --help`"
            )
            hint = suggest(name, self.names()) if self.names() else none
            raise StoreError(f"there is no anchor `{name[:60]}`; {hint}")
        return self.root / name
