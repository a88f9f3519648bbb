"""Opening a bench: an anchor of the store as a folder to work in, and a folder that is done back as a lock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldwright.anchor.binding.draft import bind_draft, mark_elsewhere, number_claims
from worldwright.anchor.lock.files import EVIDENCE, OPERATIONS, claims_of_world, read_operations
from worldwright.anchor.lock.records import read_claims
from worldwright.author.added import is_added
from worldwright.author.check import Checkup
from worldwright.author.contract import write_draft
from worldwright.author.folder import (
    AUTHORS_OWN,
    BEGAN,
    BENCH,
    BLUEPRINT,
    CASES,
    CLAIMS,
    CONTRACT,
    DRAFTED,
    GIVEN,
    NOTES,
    ROUNDS,
    read_claims_file,
    read_text,
    write_bench,
    write_claims,
)  # fmt: skip
from worldwright.author.records import Finding
from worldwright.blueprint.given import split_given
from worldwright.blueprint.load import canonical_yaml, load_text
from worldwright.core.canonical import pretty_json, sha256
from worldwright.core.errors import UsageError
from worldwright.core.names import to_words
from worldwright.engine.contract import contract_data, read_contract
from worldwright.kinds.database.toolspec import tool_specs
from worldwright.store.anchors import Anchors

FORMAT = 1


def list_bench_files(anchors: Anchors, name: str, world: str = "") -> dict[str, str]:
    """The files of a bench for one world of an anchor: its first, or the one that is named."""
    lock, kept = anchors.read_lock(name), anchors.read_files(name)
    if OPERATIONS not in kept:
        raise UsageError(
            f"the anchor `{name}` was locked by an earlier version, without its evidence: upload the inputs again"
        )
    claims, operations = read_claims(lock), read_operations(kept[OPERATIONS])
    worlds = [str(w["name"]) for w in lock["worlds"]]
    chosen = world or (worlds[0] if worlds else name)
    files = {path: text for path, text in kept.items() if path.startswith(f"{EVIDENCE}/") or path == OPERATIONS}
    files |= {
        CONTRACT: "",
        CASES: "[]\n",
        NOTES: f"# Notes on {lock['title'] or name}\n",
        BLUEPRINT: begin_blueprint(chosen, lock),
    }
    rows = number_claims(claims)
    if worlds:
        held = anchors.load_world(name, chosen)
        checked = load_text(held.blueprint, BLUEPRINT)
        contract = None if held.contract is None else read_contract(held.contract, tool_specs(checked))
        own_claims = claims_of_world(claims, operations, contract)
        others = [c for c in claims if c not in own_claims]
        rows = mark_elsewhere(number_claims([*own_claims, *others]), len(own_claims))
        rows = bind_draft(rows, checked, contract, operations)
        files[BLUEPRINT], given = split_given(held.blueprint)
        files |= {GIVEN: given} if given else {}
        if held.contract is not None:
            files[DRAFTED] = held.contract.decode()
            files[CONTRACT] = write_draft(contract)
        own = {path: text for path, text in kept.items() if path.startswith(f"authored/{chosen}/")}
        files |= {path.rsplit("/", 1)[1]: text for path, text in own.items()}
        if BEGAN not in files:  # locks of before do not say what their rounds began with
            files.pop(ROUNDS, None)
    files.setdefault(CLAIMS, write_claims(rows))
    facts = {"format": FORMAT, "anchor": name, "world": chosen, "lock": lock["digest"], "title": lock["title"]}
    return {**files, BENCH: pretty_json(facts)}


def begin_blueprint(name: str, lock: Mapping[str, Any]) -> str:
    """The first lines of a Blueprint where the draft has no world at all."""
    title = str(lock["title"] or name).replace('"', "'")
    return (
        f'blueprint: {name}\ntitle: "{title}"\nnow: 2025-06-16T09:00:00Z\nsystems: {{main: {name.replace("_", " ")}}}\n'
        "entities: {}\noperations: {}\n"
    )


def open_bench(anchors: Anchors, name: str, folder: Path, world: str = "", begin: Path | None = None) -> Path:
    """Write the folder of a bench; with the files that an author left in another, where one is named to begin from."""
    files = list_bench_files(anchors, name, world)
    if begin is not None:
        files |= take_files(files, begin)
    write_bench(folder, files)
    return folder


def take_files(files: Mapping[str, str], begin: Path) -> dict[str, str]:
    """An author's files from another bench. What was said of a claim is taken over where it stands at the same place in the same
    words; claims that the author had added come after the others."""
    own = {name: text for name in AUTHORS_OWN if (text := read_text(begin, name)).strip()}
    if BLUEPRINT not in own:
        raise UsageError(f"{begin} has no {BLUEPRINT}: name the folder of a bench")
    given = read_text(begin, GIVEN)
    own |= {GIVEN: given} if given or GIVEN in files else {}
    problems: list[Finding] = []
    rows, said = read_claims_file(files[CLAIMS], problems), read_claims_file(own.get(CLAIMS, ""), problems)
    if problems:
        raise UsageError(f"{begin}: {problems[0].place}: {problems[0].says}")
    found = {(row.at, row.says): row for row in said}
    kept = [replace(f, id=row.id) if (f := found.pop((row.at, row.says), None)) and f.is_ else row for row in rows]
    added = [row for row in found.values() if is_added(row) and row.is_]
    return {**own, CLAIMS: write_claims([*kept, *added])}


def lock_bench(anchors: Anchors, folder: Path, facts: Mapping[str, Any], found: Checkup, by: str) -> dict[str, Any]:
    """Keep what lies on the bench as a world of its anchor, in the place of the draft; with all that it rests on."""
    if not found.lockable or found.checked is None:
        raise UsageError("there are errors; `worldwright author check` lists them")
    name, world = str(facts["anchor"]), str(facts["world"])
    text = canonical_yaml(found.checked.blueprint)
    contract = "" if found.contract is None else pretty_json(contract_data(found.contract))
    own = {f"authored/{world}/{file}": read_text(folder, file) for file in (*AUTHORS_OWN, BEGAN, ROUNDS)}
    bp = found.checked.blueprint
    entry = {
        "name": bp.blueprint, "title": bp.title, "blueprint": sha256(text.encode()),
        "contract": sha256(contract.encode()) if contract else "", "entities": len(bp.entities), "operations": len(bp.operations),
        "policies": len(bp.policies), "goals": len(bp.goals),
        "tools": len(found.contract.tools) if found.contract else len(bp.operations),
        "hard": [to_words(n) for n in bp.policies][:8],
        "claims": dict(found.claims), "grade": found.grade.word if found.grade else "", "by": by,
    }  # fmt: skip
    return anchors.put_world(name, world, entry, text, contract, {k: v for k, v in own.items() if v})
