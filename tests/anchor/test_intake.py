"""What was given goes to the reader of what it is, whatever it lies in and whatever else is called the same."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from tests.anchor.anchors import DEPOT, TOOLS, given, prompt

from worldwright.anchor.intake.dispatch import (
    INPUT_KINDS,
    READER_ORDER,
    Input,
    ReadInput,
    join_prompts,
    parser_versions,
    read_inputs,
)
from worldwright.anchor.intake.uploads import MAX_FILE_BYTES, read_uploads
from worldwright.core.errors import UsageError

MCP = json.dumps(
    {"tools": [{"name": "weigh_part", "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}}]}
)
DDL = "CREATE TABLE shelves (id INT PRIMARY KEY, label TEXT NOT NULL);\n"
CSV = "crate_no,colour\n1,red\n2,blue\n3,red\n"
RULES = "# Returns\n\nA return must be approved by a manager within 14 days.\n"
CODE = "from dataclasses import dataclass\n\n\n@dataclass\nclass Pallet:\n    id: int\n    height: float\n"
FILES: Mapping[str, str] = {
    "api.yaml": DEPOT, "tools.json": MCP, "schema.sql": DDL, "crates.csv": CSV, "rules.md": RULES,
}  # fmt: skip


def by_reader(reads: tuple[ReadInput, ...]) -> dict[str, ReadInput]:
    assert len({r.kind for r in reads}) == len(reads)
    return {r.kind: r for r in reads}


def check_all_five(found: Mapping[str, ReadInput]) -> None:
    assert [a.name for a in found["openapi"].evidence.operations] == list(TOOLS)
    assert [a.name for a in found["mcp"].evidence.operations] == ["weigh_part"]
    assert [t.name for t in found["sql"].evidence.resources] == ["shelves"]
    assert [t.name for t in found["data"].evidence.resources] == ["crates"]
    assert [r.says for r in found["documents"].evidence.claims] == [
        "A return must be approved by a manager within 14 days."
    ]


TEXTS: Mapping[str, tuple[str, str]] = {
    "openapi": (DEPOT, "openapi"),
    "mcp": (MCP, "mcp"),
    "sql": (DDL, "sql"),
    "data": (CSV, "data"),
    "prd": (RULES, "documents"),
}
"""By kind, a text of it and its reader."""


@pytest.mark.parametrize("kind", TEXTS)
def test_the_kind_decides_and_not_the_name_of_the_file(kind: str) -> None:
    text, reader = TEXTS[kind]
    (found,) = read_inputs([given(kind, {"evidence.txt": text}, "the label")])
    assert (found.kind, found.label) == (reader, "the label")
    assert found.evidence.resources or found.evidence.operations or found.evidence.claims


@pytest.mark.parametrize("kind", ["any", "docs"])
def test_every_file_of_a_mixed_folder_goes_to_its_reader(kind: str) -> None:
    found = by_reader(read_inputs([given(kind, FILES)]))
    assert list(found) == [reader for reader in READER_ORDER if reader != "code"]
    check_all_five(found)


def test_a_repository_is_code_and_all_that_lies_in_it() -> None:
    files = {**FILES, "depot/models.py": CODE, "node_modules/x/schema.sql": "CREATE TABLE strangers (id INT);"}
    found = by_reader(read_inputs([given("repo", files)]))
    assert set(found) == set(READER_ORDER)
    check_all_five(found)
    assert [t.name for t in found["code"].evidence.resources] == ["Pallet"]


@pytest.mark.parametrize("kind", ["any", "repo"])
def test_an_archive_is_opened(kind: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**FILES, "depot/models.py": CODE}.items():
            archive.writestr(f"depot-main/{name}", text)
    found = by_reader(read_inputs([given(kind, {"depot-main.zip": packed.getvalue()})]))
    check_all_five(found)
    assert [t.name for t in found["code"].evidence.resources] == ["Pallet"]
    assert str(found["sql"].evidence.resources[0].source).startswith("depot-main/schema.sql")


def test_a_folder_with_python_in_it_is_a_repository() -> None:
    found = by_reader(read_inputs([given("any", {**FILES, "models.py": CODE})]))
    assert [t.name for t in found["code"].evidence.resources] == ["Pallet"]


def test_parts_of_a_split_document_stay_together() -> None:
    start, _, schemas = DEPOT.partition("components:\n")
    files = {
        "openapi.yaml": start.replace("#/components", "parts/shapes.yaml#/components"),
        "parts/shapes.yaml": f"components:\n{schemas}",
    }
    (found,) = read_inputs([given("any", files)])
    assert found.kind == "openapi"
    assert not [n for n in found.evidence.notes if n.level != "info"]
    (operation,) = [a for a in found.evidence.operations if a.name == "getPart"]
    assert operation.output_schema is not None
    assert operation.output_schema["required"] == ["id", "name", "status"]


@pytest.mark.parametrize(
    "name",
    [
        "api.json",
        pytest.param("api.yaml"),
        pytest.param("openapi"),
    ],
)
def test_a_contract_is_known_by_what_it_says(name: str) -> None:
    for text in (json.dumps(yaml.safe_load(DEPOT)), json.dumps(yaml.safe_load(DEPOT), indent=2)):
        assert [r.kind for r in read_inputs([given("any", {name: text})])] == ["openapi"]


def test_files_of_one_name_are_told_apart() -> None:
    first = given("sql", {"schema.sql": DDL}, "one")
    second = given("sql", {"schema.sql": "CREATE TABLE trucks (id INT PRIMARY KEY, plate TEXT);"}, "two")
    one, two = read_inputs([first, second])
    sources = [str(r.evidence.resources[0].source) for r in (one, two)]
    assert sources[0].startswith("schema.sql#")
    assert sources[1].startswith("sql-2/schema.sql#")


def test_a_split_document_keeps_its_parts_where_another_has_a_part_of_the_same_name() -> None:
    start, _, schemas = DEPOT.partition("components:\n")
    parts = {"shapes.yaml": f"components:\n{schemas}"}
    text = start.replace("#/components", "shapes.yaml#/components")
    one = given("openapi", {"one.yaml": text, **parts}, "one")
    two = given("openapi", {"two.yaml": text, **parts}, "two")
    _, second = read_inputs([one, two])
    assert [n.says for n in second.evidence.notes if n.level != "info"] == []


def test_a_prompt_is_read_for_what_it_demands_and_says_no_title() -> None:
    said = [prompt("Parts must not be retired without a note."), prompt("And deliveries.")]
    first, second = read_inputs(said)
    assert (first.kind, first.evidence.title, first.evidence.notes) == ("documents", "", ())
    assert [r.says for r in first.evidence.claims] == ["Parts must not be retired without a note."]
    assert second.evidence.claims == ()
    assert (
        join_prompts([*said, given("sql", {"a.sql": DDL})])
        == "Parts must not be retired without a note.\nAnd deliveries."
    )


def test_a_folder_without_files_is_told() -> None:
    (found,) = read_inputs([Input("docs", "the empty one", ())])
    assert [(n.level, n.says, n.source.file) for n in found.evidence.notes] == [
        ("warning", "there are no files in it", "the empty one")
    ]


@pytest.mark.parametrize("kind", [k for k in (*INPUT_KINDS, "any") if k != "prompt"])
def test_any_kind_survives_files_that_are_none_of_it(kind: str) -> None:
    files = {"a.bin": bytes(range(256)), "b.yaml": b"\xff\xfe\x00", "c.json": b"{", "d.sql": b"", "e.py": b"def ("}
    found = read_inputs([given(kind, files)])
    assert any(n.level in ("warning", "error") for r in found for n in r.evidence.notes)
    assert not any(r.evidence.operations for r in found)


def test_parsers_are_named_with_their_versions() -> None:
    found = parser_versions(read_inputs([given("sql", {"a.sql": DDL}), given("prd", {"b.md": RULES})]))
    assert list(found) == ["documents", "sql"]
    assert set(found["sql"]) == {"reader", "sqlglot"}
    assert all(version for library in found.values() for version in library.values())


# files of a folder


def test_files_of_a_folder_come_in_order_under_names_inside_it(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.txt", "a/b/c.txt", "A.txt", ".git/config", ".github/x.yml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    found = list(read_uploads(tmp_path))
    assert [u.name for u in found] == ["A.txt", "a/b/c.txt", "a/z.txt", "b.txt"]
    assert [u.data.decode() for u in found] == [u.name for u in found]


def test_no_link_leads_out_of_a_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.sql").write_text("CREATE TABLE secrets (id INT PRIMARY KEY);")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "own.sql").write_text(DDL)
    (inside / "file.sql").symlink_to(outside / "secret.sql")
    (inside / "folder").symlink_to(outside)
    (inside / "round").symlink_to(inside)
    assert [u.name for u in read_uploads(inside)] == ["own.sql"]


def test_what_is_too_large_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail("it was read"))
    for path in (large, tmp_path):
        with pytest.raises(UsageError, match="larger than 100 MiB"):
            list(read_uploads(path))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.sql").write_text(DDL)
    monkeypatch.setattr(Path, "read_bytes", refused)
    with pytest.raises(UsageError, match=r"a\.sql cannot be read: Permission denied"):
        list(read_uploads(tmp_path))
