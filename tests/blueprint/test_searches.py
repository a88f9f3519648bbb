"""What a search asks for (`needs`), how much it shows at once (`page`), and records inside of its records (`with`)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.shared_builds import build
from tests.worlds import runtime_of_files

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_text
from worldwright.blueprint.toolgraph import STRONG, derive_graph, list_brought, list_consumed, list_produced
from worldwright.core.errors import BlueprintError
from worldwright.kinds.database.toolspec import tool_spec
from worldwright.pack.open import Pack
from worldwright.pack.seal import write_pack
from worldwright.store.open import world_of
from worldwright.world.records import Result

WORLD = """
blueprint: archive
title: Archive
now: 2025-06-16T09:00:00Z
systems: {hall: the reading hall}
actor: {entity: clerk, role: role}
roles: {clerk: looks things up, guest: only asks}
entities:
  clerk: {in: hall, key: CL-##, rows: 4, fields: {name: person, role: "one of clerk, guest"}}
  shelf:
    in: hall
    key: SH-##
    rows: 3
    fields: {label: 'text ~ f"shelf {letters(4)}"', room: "one of north, south"}
  folder:
    in: hall
    key: 204####
    rows: 70
    fields:
      shelf: shelf as folders ~ any(s for s in shelf)
      owner: clerk? ~ any(c for c in clerk) if chance(0.5) else none
      kind: one of letter, map
      sealed: bool ~ chance(0.5)
      title: text
      made_on: date
  page:
    in: hall
    key: 5e0c93aa-71f2-4d0b-8c11-############
    rows: 60
    fields: {folder: folder as pages ~ any(f for f in folder), author: clerk? as written, words: int}
operations:
  find_by_shelf:
    {in: hall, says: Folders on a shelf., by: clerk, search: folder, filters: [shelf, kind, sealed, made_on], needs: [shelf]}
  find_by_words:
    {in: hall, says: Folders by title., by: anyone, search: folder, filters: [title, kind], needs: [title, kind], page: 7}
  find_sealed: {in: hall, says: Sealed ones., by: anyone, search: folder, filters: [sealed], needs: [sealed], page: 1000}
  find_folders:
    {in: hall, says: All folders., by: anyone, search: folder, filters: [shelf], with: [pages, shelf, owner], page: 500}
  find_pages: {in: hall, says: Pages., by: anyone, search: page, filters: [folder], with: [folder.shelf], page: 3}
  find_shelves: {in: hall, says: Shelves., by: anyone, search: shelf, filters: []}
  get_page: {in: hall, says: One page., by: anyone, get: page, with: [folder.shelf]}
"""


def edited(*edits: tuple[str, str]) -> str:
    text = WORLD
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@pytest.fixture(scope="module")
def checked() -> Checked:
    return load_text(WORLD)


@pytest.fixture(scope="module")
def pack(checked: Checked) -> Pack:
    return build(checked, 7, with_tasks=False).pack


@pytest.fixture(scope="module", params=["engine", "files"])
def call(request: pytest.FixtureRequest, pack: Pack) -> Any:
    """A call by a clerk, through the engine and through the tools' own files."""
    if request.param == "engine":
        env = world_of(pack).env()
        env.reset(role="clerk")
        return lambda name, **arguments: env.call_tool(name, arguments)
    session = runtime_of_files(pack).session("clerk")
    return lambda name, **arguments: session.call(name, arguments)


def code(result: Result) -> str:
    return "" if result.error is None else result.error.code


# needs


def test_what_is_needed_is_required_and_nothing_else_is(checked: Checked) -> None:
    assert tool_spec(checked, "find_by_shelf").input_schema["required"] == ["shelf"]
    assert tool_spec(checked, "find_by_words").input_schema["required"] == ["title", "kind"]
    assert tool_spec(checked, "find_folders").input_schema["required"] == []


def test_without_it_there_is_no_answer(call: Any) -> None:
    assert code(call("find_by_shelf")) == "INVALID_ARGUMENT"
    assert code(call("find_by_shelf", shelf=None)) == "INVALID_ARGUMENT"
    assert code(call("find_by_shelf", shelf="SH-99")) == "NOT_FOUND"
    assert code(call("find_by_words", title="a")) == "INVALID_ARGUMENT"
    assert code(call("find_by_words", title="", kind="map")) == "INVALID_ARGUMENT"
    assert code(call("find_sealed")) == "INVALID_ARGUMENT"


def test_with_it_the_answer_is_what_a_filter_gives(call: Any) -> None:
    whole = call("find_folders", limit=500).data["items"]
    for shelf in ("SH-01", "SH-02", "SH-03"):
        found = call("find_by_shelf", shelf=shelf, limit=50).data
        assert found["total"] == sum(f["shelf"]["id"] == shelf for f in whole) > 0
        assert all(f["shelf"] == shelf for f in found["items"])
    sealed = [call("find_sealed", sealed=value, limit=1000).data["total"] for value in (True, False)]
    assert sum(sealed) == len(whole) == 70
    assert min(sealed) > 0


# page


@pytest.mark.parametrize(
    ("tool", "most", "usual"),
    [("find_by_shelf", 50, 10), ("find_by_words", 7, 7), ("find_sealed", 1000, 10), ("find_pages", 3, 3)],
)
def test_a_page_is_as_large_as_it_says(checked: Checked, tool: str, most: int, usual: int) -> None:
    limit = tool_spec(checked, tool).input_schema["properties"]["limit"]
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, most, usual)


def test_a_larger_page_is_refused_and_a_whole_one_is_shown(call: Any) -> None:
    assert code(call("find_pages", limit=4)) == "INVALID_ARGUMENT"
    assert len(call("find_pages").data["items"]) == 3
    assert len(call("find_folders", limit=500).data["items"]) == 70
    assert call("find_folders", limit=500).data["next_offset"] is None


def test_pages_follow_one_another(call: Any) -> None:
    seen: list[str] = []
    found = {"total": 0}
    offset: int | None = 0
    while offset is not None:
        found = call("find_pages", offset=offset).data
        seen += [item["id"] for item in found["items"]]
        offset = found["next_offset"]
    assert len(seen) == len(set(seen)) == found["total"] == 60
    assert seen[0] == "5e0c93aa-71f2-4d0b-8c11-000000000001"


# with


def test_records_stand_inside_of_records(call: Any) -> None:
    folders = call("find_folders", limit=500).data["items"]
    pages = [page for folder in folders for page in folder["pages"]]
    assert len(pages) == 60
    assert all(page["folder"] == folder["id"] for folder in folders for page in folder["pages"])
    assert {folder["shelf"]["room"] for folder in folders} <= {"north", "south"}
    assert {folder["owner"] is None for folder in folders} == {True, False}
    for item in call("find_pages").data["items"]:
        (folder,) = [f for f in folders if f["id"] == item["folder"]]
        assert item["folder_shelf"] == folder["shelf"]


def test_a_search_shows_what_a_get_shows(call: Any) -> None:
    for item in call("find_pages").data["items"]:
        assert call("get_page", page=item["id"]).data == item


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("find_folders", {"limit": 500}), ("find_pages", {}), ("find_by_shelf", {"shelf": "SH-01"}), ("find_shelves", {})],
)
def test_answers_are_as_the_tool_declares(checked: Checked, call: Any, tool: str, arguments: dict[str, Any]) -> None:
    check = Draft202012Validator(tool_spec(checked, tool).output_schema)
    result = call(tool, **arguments)
    assert result.data["items"]
    assert not list(check.iter_errors(result.data))
    broken = {**result.data, "items": [{**result.data["items"][0], "id": 7}]}
    assert list(check.iter_errors(broken))


# what follows from them


def test_the_tool_graph_knows_what_is_needed_and_what_is_shown(checked: Checked) -> None:
    assert list_produced(checked, "find_folders") == {"folder", "shelf", "clerk", "page"}
    assert list_produced(checked, "find_pages") == {"page", "folder", "shelf", "clerk"}
    assert list_consumed(checked.operations["find_by_shelf"]) == (("shelf", "shelf", True),)
    assert list_consumed(checked.operations["find_folders"]) == (("shelf", "shelf", False),)


@pytest.mark.xfail(
    strict=True, reason="the filter that a search needs counts as shown by it, though every item only gives it back"
)
def test_what_the_caller_had_to_say_does_not_come_from_the_search(checked: Checked) -> None:
    assert list_brought(checked, "find_by_shelf") == {"folder", "clerk"}


def test_a_search_that_needs_something_hangs_on_who_shows_it() -> None:
    lean = load_text(
        edited(
            ("with: [pages, shelf, owner], page: 500", "shows: [title]"),
            ("filters: [shelf], shows", "filters: [], shows"),
            ("with: [folder.shelf], page: 3", "page: 3"),
            ("get: page, with: [folder.shelf]", "get: page"),
            ("needs: [title, kind], page: 7", "needs: [title, kind], shows: [title]"),
            ("needs: [sealed], page: 1000", "needs: [sealed], shows: [title]"),
        )
    )
    edges = [e for e in derive_graph(lean) if (e.source, e.target) == ("find_shelves", "find_by_shelf")]
    assert [(e.input, e.weight) for e in edges] == [("shelf", STRONG)]


@pytest.mark.slow
def test_the_packs_own_tests_pass(pack: Pack, tmp_path: Path) -> None:
    write_pack(pack.files, tmp_path / "pack")
    folder = tmp_path / "pack" / "tests"
    source = (folder / "test_find_by_words.py").read_text(encoding="utf-8")
    assert "def test_missing_title(" in source
    assert "def test_missing_kind(" in source
    assert "limit=7" in source
    names = [
        str(folder / f"test_{name}.py")
        for name in ("find_by_shelf", "find_by_words", "find_sealed", "find_folders", "find_pages")
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *names, "-q", "-p", "no:cacheprovider", "-p", "no:cov", "-p", "no:hypothesispytest",
         "--no-header", "-c", "/dev/null", "--rootdir", str(tmp_path / "pack")],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]


# what is wrong


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ("needs: [shelf]", "needs: [shelve]", "`shelve` cannot be needed", "shelf"),
        ("needs: [shelf]", "needs: [made_on]", "`made_on` cannot be needed", "a filter that is one input"),
        ("needs: [shelf]", "needs: [made_on_from]", "`made_on_from` cannot be needed", "a filter that is one input"),
        ("needs: [shelf]", "needs: [title]", "`title` cannot be needed", "a filter that is one input"),
        ("page: 7", "page: 0", "greater than or equal to 1", ""),
        ("page: 7", "page: 1001", "less than or equal to 1000", ""),
        ("page: 7", "page: seven", "integer", ""),
        ("with: [pages, shelf, owner]", "with: [pagse]", "no reference or way back `pagse`", "pages"),
        ("with: [pages, shelf, owner]", "with: [title]", "`title` is not a reference or a way back", ""),
        (
            "with: [pages, shelf, owner]",
            "with: [pages], shows: [title]",
            "shows the whole of its own",
            "leave out `shows`",
        ),
    ],
)
def test_what_is_wrong_is_told(old: str, new: str, message: str, hint: str) -> None:
    with pytest.raises(BlueprintError) as raised:
        load_text(edited((old, new)), "archive.yaml")
    (found,) = raised.value.findings
    line = WORLD[: WORLD.index(old)].count("\n") + 1
    assert message in found.message
    assert hint in found.hint
    assert line - 1 <= found.line <= line
