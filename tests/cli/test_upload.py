"""`worldwright upload`: everything a company has, one clear line where it is of no use, and nothing else read, run or fetched."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.anchor import mcp_servers
from tests.anchor.anchors import DEPOT, PART_TOOLS, TOOLS

from worldwright.core.canonical import sha256
from worldwright.store.anchors import Anchors
from worldwright.store.open import read_files_at

from .conftest import Outcome, Run

MCP = '{"tools": [{"name": "weigh_part", "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}}]}'
DDL = "CREATE TABLE shelves (id INT PRIMARY KEY, label TEXT NOT NULL, height INT);\n"
CSV = "crate_no,colour\n1,red\n2,blue\n3,red\n"
RULES = "# Rules\n\nParts over 500 EUR must not be retired.\n"
MODELS = "from dataclasses import dataclass\n\n\n@dataclass\nclass Pallet:\n    id: int\n    height: float\n"

OPENED: list[str] = []
"""Paths that were opened while `watched` is in use."""
_WATCHING: list[bool] = []


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if _WATCHING and event == "open":
        OPENED.append(str(args[0]))


sys.addaudithook(_hear)


@pytest.fixture
def watched() -> Iterator[list[str]]:
    """What is opened from now on; to be cleared where the test itself has opened something."""
    OPENED.clear()
    _WATCHING.append(True)
    yield OPENED
    _WATCHING.clear()


@pytest.fixture
def online() -> None:
    """For tests that ask a server by its address."""


@pytest.fixture(autouse=True)
def offline(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No connection is opened, whatever an upload says."""

    def refused(self: socket.socket, address: Any) -> None:
        raise AssertionError(f"a connection to {address} was opened")

    if "online" not in request.fixturenames:
        monkeypatch.setattr(socket.socket, "connect", refused)
        monkeypatch.setattr(socket.socket, "connect_ex", refused)


@pytest.fixture
def lay(tmp_path: Path) -> Path:
    """A folder for what is uploaded."""
    folder = tmp_path / "evidence"
    folder.mkdir()
    return folder


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def complaint(found: Outcome, code: int = 2) -> str:
    """The one line that says what is wrong."""
    assert found.code == code, (found.code, found.out, found.err)
    assert found.out == ""
    *before, line = found.err.splitlines()
    assert all(b.split()[0].isupper() for b in before), found.err
    assert Anchors().names() == ()
    return line


def lock(name: str) -> dict[str, Any]:
    return Anchors().read_lock(name)


def tools(name: str) -> list[str]:
    held = Anchors().world(name)
    assert held is not None
    assert held.contract is not None
    return [t["name"] for t in json.loads(held.contract)["tools"]]


# what is said


def test_an_upload_says_what_was_locked_and_what_comes_next(run: Run, lay: Path) -> None:
    write(lay, {"depot.yaml": DEPOT, "rules.md": RULES})
    found = run("upload", "--openapi", str(lay / "depot.yaml"), "--prd", str(lay / "rules.md"))
    assert found.code == 0
    digest = lock("depot")["digest"]
    for line in (
        f"✓ anchor locked: PRD, OpenAPI  {digest[:12]}",
        "✓ domain model: depot, 3 entities, 8 operations, ",
        "8 of 8 operations used",
        "✓ claims: ",
        "worldwright generate --domain depot",
        "worldwright anchor show depot",
    ):
        assert line in found.out, line
    assert "READ " in found.err

    assert "MERGE " in found.err


def test_what_an_author_has_made_deep_is_left_alone_and_that_is_said(run: Run, lay: Path) -> None:
    write(lay, {"depot.yaml": DEPOT, "rules.md": RULES})
    given = ("upload", "--openapi", str(lay / "depot.yaml"), "--prd", str(lay / "rules.md"))
    assert "as its author left it" not in run(*given).out
    assert run("author", "depot", "--folder", str(lay / "bench")).code == 0
    assert run("author", "lock", "--folder", str(lay / "bench"), "--by", "a test").code == 0
    digest = lock("depot")["digest"]
    again = run(*given)
    assert "depot is as its author left it" in again.out
    assert digest[:12] in again.out
    assert lock("depot")["digest"] == digest
    assert "as its author left it" not in run(*given, "--force").out
    assert lock("depot")["digest"] != digest


def test_the_summary_as_json(run: Run, lay: Path, home: Path) -> None:
    write(lay, {"depot.yaml": DEPOT})
    data = run("upload", str(lay), "--json", "--name", "My Depot").data
    kept = lock("my_depot")
    assert data["path"] == str(home / "anchors" / "my_depot")
    assert (data["anchor"], data["title"], data["digest"]) == ("my_depot", "Depot", kept["digest"])
    assert data["inputs"] == [{"kind": "any", "files": 1, "bytes": len(DEPOT.encode())}]
    assert data["coverage"]["operations"] == {"total": 8, "used": 8}
    assert data["worlds"] == kept["worlds"]
    assert (data["decisions"], data["warnings"]) == (0, [])


FLAGS: Mapping[str, tuple[str, str]] = {
    "--openapi": (DEPOT, "openapi"),
    "--mcp": (MCP, "mcp"),
    "--sql": (DDL, "sql"),
    "--data": (CSV, "data"),
    "--prd": (RULES, "documents"),
}


@pytest.mark.parametrize("flag", FLAGS)
def test_each_flag_goes_to_its_reader(run: Run, lay: Path, flag: str) -> None:
    text, reader = FLAGS[flag]
    write(lay, {"evidence.txt": text})
    found = run("upload", flag, str(lay / "evidence.txt"), "--name", "x")
    assert found.code == 0, found.err
    assert list(lock("x")["parsers"]) == [reader]
    assert lock("x")["inputs"] == [
        {
            "kind": flag[2:],
            "files": [{"name": "evidence.txt", "bytes": len(text), "sha256": sha256(text.encode())}],
        }
    ]


def test_a_repository_and_its_parts(run: Run, lay: Path) -> None:
    write(lay, {"depot/models.py": MODELS, "docs/api.yaml": DEPOT, "db/schema.sql": DDL})
    assert run("upload", "--repo", str(lay), "--name", "x").code == 0
    assert list(lock("x")["parsers"]) == ["code", "openapi", "sql"]
    assert tools("x") == list(TOOLS)


@pytest.mark.parametrize("how", ["positional", "--docs"])
def test_a_folder_of_anything(run: Run, lay: Path, how: str) -> None:
    write(lay, {"api.yaml": DEPOT, "tools.json": MCP, "db/schema.sql": DDL, "crates.csv": CSV, "notes/rules.md": RULES})
    found = run("upload", *(["--docs"] if how == "--docs" else []), str(lay), "--name", "x")
    assert found.code == 0, found.err
    assert list(lock("x")["parsers"]) == ["data", "documents", "mcp", "openapi", "sql"]
    assert set(tools("x")) == {*TOOLS, "weigh_part"}
    assert "notes/rules.md#" in {c["source"][:15] for c in lock("x")["claims"]}


def test_several_paths_are_one_anchor(run: Run, lay: Path) -> None:
    write(lay, {"api.yaml": DEPOT, "schema.sql": DDL, "rules.md": RULES})
    found = run("upload", *(str(lay / n) for n in ("api.yaml", "schema.sql", "rules.md")), "--json")
    assert found.code == 0
    assert [i["kind"] for i in found.data["inputs"]] == ["any"] * 3
    assert list(lock("depot")["parsers"]) == ["documents", "openapi", "sql"]


def test_a_flag_may_be_repeated_and_files_of_one_name_are_told_apart(run: Run, lay: Path) -> None:
    other = DEPOT.replace("part", "crate").replace("Part", "Crate").replace("eliver", "elibber")
    write(lay, {"one/api.yaml": DEPOT, "two/api.yaml": other})
    assert run("upload", "--openapi", str(lay / "one/api.yaml"), "--openapi", str(lay / "two/api.yaml")).code == 0
    assert len(tools("depot")) == 2 * len(TOOLS)
    sources = {r["source"].partition("#")[0] for r in lock("depot")["reasons"] if r["what"].startswith("lifecycle")}
    assert sources == {"api.yaml", "openapi-2/api.yaml"}


def test_the_same_upload_from_elsewhere_gives_the_same_bytes(run: Run, lay: Path, tmp_path: Path, home: Path) -> None:
    files = {"api.yaml": DEPOT, "rules.md": RULES, "crates.csv": CSV}
    write(lay, files)
    write(tmp_path / "other" / "place", dict(reversed(files.items())))
    first = run("upload", str(lay), "--name", "x", "--json").data
    before = {p.name: p.read_bytes() for p in (home / "anchors").rglob("*") if p.is_file()}
    second = run("upload", str(tmp_path / "other" / "place"), "--name", "x", "--json").data
    assert first == second
    assert {p.name: p.read_bytes() for p in (home / "anchors").rglob("*") if p.is_file()} == before
    (lay / "crates.csv").write_text(CSV + "4,red\n")
    assert run("upload", str(lay), "--name", "x", "--json", "--force").data["digest"] != first["digest"]


def test_focus(run: Run, lay: Path) -> None:
    write(lay, {"depot.yaml": DEPOT})
    found = run("upload", "--openapi", str(lay / "depot.yaml"), "--focus", "parts", "--json")
    assert found.data["coverage"]["operations"] == {"total": 8, "used": 5}
    assert tools("depot") == list(PART_TOOLS)


def test_a_prompt_alone_and_a_prompt_beside_others(run: Run, lay: Path) -> None:
    found = run("upload", "--prompt", "Hotel rooms: bookings and refunds", "--json")
    assert found.code == 0
    assert (found.data["anchor"], found.data["worlds"]) == ("hotel_rooms_bookings_refunds", [])
    assert found.data["inputs"] == [{"kind": "prompt", "files": 0, "bytes": 0}]
    refused = run("generate", "--domain", "hotel_rooms_bookings_refunds")
    assert refused.code == 2
    assert "worldwright author hotel_rooms_bookings_refunds" in " ".join(refused.err.split())
    write(lay, {"depot.yaml": DEPOT})
    assert run("upload", str(lay), "--prompt", "Parts over 500 EUR must not be retired.").code == 0
    assert tools("depot") == list(TOOLS)
    assert "Parts over 500 EUR must not be retired." in [c["says"] for c in lock("depot")["claims"]]


@pytest.mark.slow
@pytest.mark.untraced
def test_tools_over_a_business_of_the_catalogue(run: Run, lay: Path) -> None:
    by_id = {"type": "object", "properties": {"vendor_id": {"type": "string"}}, "required": ["vendor_id"]}
    listed = [{"name": "list_vendors", "inputSchema": {"type": "object"}}, {"name": "get_vendor", "inputSchema": by_id}]
    write(lay, {"tools.json": json.dumps({"tools": listed})})
    found = run("upload", "--mcp", str(lay / "tools.json"), "--onto", "enterprise_procurement", "--name", "erp")
    assert found.code == 0, found.err
    assert tools("erp") == ["list_vendors", "get_vendor"]
    made = run("generate", "--domain", "erp", "--no-tasks", "--json")
    assert made.code == 0, made.err
    assert made.data["counts"]["rows"] > 1000


# what is of no use


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["nowhere.yaml"], 3, "nowhere.yaml is not there"),
        (["--sql", "nowhere.sql"], 3, "nowhere.sql is not there"),
        (["dangling.yaml"], 3, "dangling.yaml is not there"),
        (["empty"], 2, "there are no files in it"),
        (["pipe"], 2, "there are no files in it"),
        (["zero.yaml"], 2, "nothing in the inputs could be understood: zero.yaml: an empty document"),
        (["--openapi", "hello.txt"], 2, "nothing in the inputs could be understood: hello.txt"),
        (["--mcp", "hello.txt"], 2, "expected the JSON of a tools/list answer"),
        (["--sql", "hello.txt"], 2, "holds no SQL that was understood"),
        (["--prompt", "  "], 2, "an empty prompt says nothing"),
        (["depot.yaml", "--focus", "rockets"], 2, "nothing is called rockets"),
        (["depot.yaml", "--onto", "enterprise_procurment"], 3, "enterprise_procurement"),
        (["depot.yaml", "--onto", "hotel_booking"], 2, "none of the 8 operations is one of hotel_booking"),
        (["--prd", "rules.md", "--onto", "hotel_booking"], 2, "give an OpenAPI or MCP file"),
        (["depot.yaml", "--ask", "crm"], 2, "give the file with --mcp"),
        (["--mcp", "tools.json", "--ask", "crm"], 2, "but the file lists none (`mcpServers`)"),
        (["--mcp", "mcp.json", "--ask", "crn"], 2, "the file has no server `crn`; "),
        (["--mcp", "mcp.json", "--ask", "odd"], 2, "the settings of `odd` name neither a command nor a url"),
        (["--mcp-command", "no-such-program-anywhere"], 2, "there is no such program"),
        (["--mcp-command", ""], 2, "give the command"),
        (["--mcp-command", "x", "--timeout", "0"], 2, "give a timeout above zero"),
        (["--repo", "file:///nowhere/at/all.git"], 2, "git cannot fetch file:///nowhere/at/all.git"),
        (["--mcp", "http://"], 2, "is no address of a server"),
    ],
)  # fmt: skip
def test_what_is_of_no_use_is_one_clear_line(
    run: Run, lay: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], code: int, says: str
) -> None:
    settings = {"mcpServers": {"crm": {"command": "no-such-program"}, "odd": {"args": []}}}
    write(
        lay,
        {
            "depot.yaml": DEPOT, "zero.yaml": "", "hello.txt": "hello", "rules.md": RULES, "tools.json": MCP,
            "mcp.json": json.dumps(settings),
        },
    )  # fmt: skip
    (lay / "empty").mkdir()
    (lay / "dangling.yaml").symlink_to(lay / "gone.yaml")
    os.mkfifo(lay / "pipe")
    monkeypatch.chdir(lay)
    assert says in complaint(run("upload", *args), code)


def test_nothing_at_all_is_told_with_the_usage(run: Run) -> None:
    found = run("upload")
    assert found.code == 2
    assert "name what to upload" in found.err


def test_a_file_that_cannot_be_read_is_named(run: Run, lay: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(lay, {"depot.yaml": DEPOT})
    real = Path.read_bytes

    def refused(self: Path) -> bytes:
        if self.name == "depot.yaml":
            raise PermissionError(13, "Permission denied")
        return real(self)

    monkeypatch.setattr(Path, "read_bytes", refused)
    for path in (lay, lay / "depot.yaml"):
        assert complaint(run("upload", str(path))).endswith("depot.yaml cannot be read: Permission denied")


ODD_ARGUMENTS = {
    "a command with an open quote": ["--mcp-command", 'python "server.py'],
    "no number of seconds": ["--mcp-command", "python", "--timeout", "nan"],
}


@pytest.mark.parametrize("case", ODD_ARGUMENTS)
def test_odd_arguments_are_one_clear_line(run: Run, case: str) -> None:
    assert complaint(run("upload", *ODD_ARGUMENTS[case]))


def test_a_path_that_no_system_has_is_not_there(run: Run) -> None:
    assert "is no path" in complaint(run("upload", "x" * 5000), 3)


def test_bytes_in_a_prompt_that_are_no_text_do_no_harm(run: Run) -> None:
    assert run("upload", "--prompt", "hotel rooms \udcff").code == 0


def test_a_name_with_nothing_to_call_it_by_is_one_clear_line(run: Run, lay: Path) -> None:
    write(lay, {"depot.yaml": DEPOT})
    assert "name" in complaint(run("upload", str(lay), "--name", "!!!"))


def test_an_upload_that_fails_leaves_the_anchor_of_that_name(run: Run, lay: Path) -> None:
    write(lay, {"depot.yaml": DEPOT, "zero.yaml": ""})
    assert run("upload", str(lay / "depot.yaml")).code == 0
    before = lock("depot")
    assert run("upload", str(lay / "zero.yaml"), "--name", "depot").code == 2
    assert run("upload", str(lay / "depot.yaml"), "--focus", "rockets").code == 2
    assert lock("depot") == before


# hostile


def bomb() -> str:
    levels = [f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
    return "\n".join(["openapi: 3.0.0", "a: &a [x, x, x]", *levels, "info: {title: T, description: *i}", "paths: {}"])


def with_ref(target: str) -> str:
    """The depot, with the answer of getPart somewhere else."""
    head, tail = DEPOT.split("operationId: getPart")
    return f"{head}operationId: getPart{tail.replace('#/components/schemas/Part', target, 1)}"


def cyclic() -> str:
    more = "        within: {$ref: '#/components/schemas/Part'}\n        next: {$ref: '#/components/schemas/Round'}\n"
    rounds = "    Round: {$ref: '#/components/schemas/Trip'}\n    Trip: {$ref: '#/components/schemas/Round'}\n"
    selves = "    Self: {allOf: [{$ref: '#/components/schemas/Self'}], properties: {a: {type: string}}}\n"
    stock = "        stock: {type: integer}\n"
    return DEPOT.replace(f"{stock}    Delivery:", f"{stock}{more}    Delivery:") + rounds + selves


PARTIAL: Mapping[str, tuple[str | bytes, str]] = {
    "a reference to a file": (with_ref("file:///etc/passwd"), "leads out of the uploads"),
    "a reference to a path": (with_ref("/etc/passwd"), "leads out of the uploads"),
    "a reference upwards": (with_ref("../secret.yaml#/Part"), "leads out of the uploads"),
    "a reference to a page": (with_ref("https://example.com/part.yaml"), "leads out of the uploads"),
    "a reference to another host": (with_ref("//127.0.0.1:9/part.yaml"), ""),
    "a reference to nothing": (with_ref("#/components/schemas/Nothing"), "cannot be read"),
    "schemas in circles": (cyclic(), ""),
    "two operations of one id": (DEPOT.replace("operationId: getPart", "operationId: listParts"), "of another operation"),
    "sixteen bits": (DEPOT.encode("utf-16"), ""),
    "bytes of another encoding": (DEPOT.replace("Too many calls", "Zu häufig für Köln").encode("latin-1"), ""),
    "Japanese of another encoding": (DEPOT.replace("Not signed in", "ログインしていません").encode("cp932"), ""),
    "bytes that are no text": (DEPOT.encode().replace(b"Too many calls", b"Too \xff\xfe\x80 calls"), ""),
    "an unknown tag": (DEPOT.replace("Too many calls", "!!python/object/apply:os.system [touch ran]"), ""),
}  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("case", PARTIAL)
def test_what_is_hostile_in_part_is_read_in_part(
    run: Run, lay: Path, monkeypatch: pytest.MonkeyPatch, watched: list[str], case: str
) -> None:
    content, says = PARTIAL[case]
    write(lay, {"up/depot.yaml": content, "secret.yaml": "Part: {type: object, properties: {secret: {type: string}}}"})
    monkeypatch.chdir(lay)
    watched.clear()
    found = run("upload", "up", "--json")
    assert found.code == 0, found.err
    assert "Traceback" not in found.err
    assert len(tools("depot")) == len(set(tools("depot"))) == len(TOOLS)
    assert says in " ".join(w["says"] for w in found.data["warnings"])
    assert not [path for path in watched if path.endswith(("secret.yaml", "/etc/passwd"))]
    assert not (lay / "ran").exists()


UNSEEN = {
    "the title": DEPOT.replace("title: Depot", 'title: "De\\uFEFFpot"'),
    "a summary": DEPOT.replace("operationId: getPart", 'operationId: getPart\n      summary: "One \\u202Epart"'),
    "a field": DEPOT.replace("stock: {type: integer}\n", 'stock: {type: integer, description: "Pieces\\e[1m"}\n'),
    "the name of an operation": DEPOT.replace("operationId: getPart", 'operationId: "get\\uFEFFPart"'),
    "a path": DEPOT.replace("  /deliveries:\n", '  "/deliver\\u2028ies":\n'),
}
"""By where it stands, a character that no text of a Blueprint may hold."""


@pytest.mark.parametrize("place", UNSEEN)
def test_characters_that_nobody_sees_do_not_spoil_the_rest(run: Run, lay: Path, place: str) -> None:
    write(lay, {"depot.yaml": UNSEEN[place]})
    found = run("upload", str(lay), "--name", "depot")
    assert found.code == 0, found.err
    assert len(tools("depot")) == len(TOOLS)


@pytest.mark.parametrize("name", [b"de\xffpot.yaml", "de\ufeffpot.yaml".encode()])
def test_a_file_may_be_called_anything(run: Run, lay: Path, name: bytes) -> None:
    (lay / os.fsdecode(name)).write_text(DEPOT)
    found = run("upload", str(lay), "--name", "depot")
    assert found.code == 0, found.err


REFUSED: Mapping[str, tuple[str, str | bytes, str]] = {
    "a YAML bomb": ("a.yaml", bomb(), "more than 2,000,000 nodes"),
    "a hundred thousand brackets": ("a.json", "[" * 100_000, ""),
    "a hundred thousand levels of YAML": ("a.yaml", "openapi: 3.0.0\npaths: " + "{a: " * 100_000, ""),
    "no operations": (
        "a.json",
        '{"openapi": "3.0.0", "info": {"title": "T"}, "paths": {}}',
        "no operations under `paths`",
    ),
    "paths that are none": ("a.json", '{"openapi": "3.0.0", "paths": [1, 2]}', ""),
    "a document that is a text": ("a.yaml", '"openapi: 3.0.0"', ""),
    "no tools": ("a.json", '{"tools": []}', ""),
    "tools that are none": ("a.json", '{"tools": {"a": 1}}', ""),
    "SQL without a table": ("a.sql", "SELECT 1; DROP DATABASE x; \\i /etc/passwd\n", ""),
    "bytes": ("a.bin", bytes(range(256)) * 10, ""),
    "nothing but zeros": ("a.yaml", b"\0" * 5000, ""),
    "half an archive": ("a.zip", b"PK\x03\x04" + b"\1" * 50, "the archive cannot be opened"),
    "a document that is cut": ("a.pdf", b"%PDF-1.7\n1 0 obj << /Type /Catalog", ""),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("case", REFUSED)
def test_what_is_hostile_as_a_whole_is_refused_in_one_line(run: Run, lay: Path, watched: list[str], case: str) -> None:
    name, content, says = REFUSED[case]
    write(lay, {name: content})
    line = complaint(run("upload", str(lay / name)))
    assert line.startswith("nothing in the inputs could be understood")
    assert says in line
    assert len(line) < 1000
    assert "/etc/passwd" not in watched


def test_a_hundred_megabytes_are_refused_unread(run: Run, lay: Path) -> None:
    with (lay / "large.yaml").open("wb") as file:
        file.truncate(100 * 2**20 + 1)
    assert "large.yaml is larger than 100 MiB" in complaint(run("upload", str(lay)))


def test_links_out_of_a_folder_are_not_followed(run: Run, lay: Path, tmp_path: Path, watched: list[str]) -> None:
    write(tmp_path / "outside", {"secret.sql": "CREATE TABLE secrets (id INT PRIMARY KEY, word TEXT);"})
    write(lay, {"depot.yaml": DEPOT})
    (lay / "file.sql").symlink_to(tmp_path / "outside" / "secret.sql")
    (lay / "folder").symlink_to(tmp_path / "outside")
    watched.clear()
    assert run("upload", str(lay)).code == 0
    assert [f["name"] for f in lock("depot")["inputs"][0]["files"]] == ["depot.yaml"]
    assert not [path for path in watched if path.endswith("secret.sql")]


def test_nothing_that_is_uploaded_is_run(run: Run, lay: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = lay / "ran"
    code = f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n"
    settings = {"mcpServers": {"x": {"command": "touch", "args": [str(ran)]}}}
    write(
        lay,
        {
            "depot/models.py": code + MODELS, "setup.py": code, "conftest.py": code, "depot/__init__.py": code,
            "mcp.json": json.dumps(settings), "Makefile": f"all:\n\ttouch {ran}\n", "db.sql": f"{DDL}\n\\! touch {ran}\n",
        },
    )  # fmt: skip
    monkeypatch.chdir(lay)
    assert run("upload", "--repo", ".", "--mcp", "mcp.json", "--name", "x").code == 0
    assert not ran.exists()


KEYWORDS = ("class", "import", "select", "from", "order", "group", "def", "None", "lambda", "id", "table", "__init__")


def keyword_document() -> str:
    fields = {name: {"type": "string"} for name in KEYWORDS}
    schema = {"type": "object", "properties": fields}
    paths: dict[str, Any] = {}
    for k, name in enumerate(KEYWORDS):
        answer = {"200": {"description": "ok", "content": {"application/json": {"schema": schema}}}}
        body = {"content": {"application/json": {"schema": schema}}}
        paths[f"/{name}"] = {
            "get": {"operationId": name, "responses": answer},
            "post": {
                "operationId": f"{name}()" if k % 2 else f"{name}; DROP TABLE x",
                "requestBody": body,
                "responses": answer,
            },
        }
    return json.dumps({"openapi": "3.1.0", "info": {"title": "select"}, "paths": paths})


def operation_ids(document: str) -> set[str]:
    return {operation["operationId"] for path in json.loads(document)["paths"].values() for operation in path.values()}


FOREIGN = """\
openapi: 3.0.0
info: {title: 注文管理}
paths:
  /注文:
    get:
      operationId: 注文一覧
      responses:
        "200":
          description: よし
          content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/注文'}}}}
    post:
      operationId: Bestellung anlegen
      requestBody:
        content:
          application/json:
            schema: {type: object, required: [金額], properties: {金額: {type: number}, größe: {type: string}}}
      responses: {"201": {description: よし, content: {application/json: {schema: {$ref: '#/components/schemas/注文'}}}}}
  /заказы/{номер}:
    get:
      operationId: получить_заказ
      parameters: [{name: номер, in: path, required: true, schema: {type: string}}]
      responses: {"404": {description: нет}}
components:
  schemas:
    注文:
      type: object
      properties: {番号: {type: string}, 金額: {type: number}, 状態: {type: string, enum: [新規, 完了]}}
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (keyword_document(), operation_ids(keyword_document())),
        (FOREIGN, {"注文一覧", "Bestellung anlegen", "получить_заказ"}),
    ],
    ids=["keywords", "other languages"],
)
def test_any_names_become_a_world_with_exactly_these_tools(run: Run, lay: Path, text: str, names: set[str]) -> None:
    write(lay, {"api.yaml": text})
    assert run("upload", "--openapi", str(lay), "--name", "named").code == 0
    assert set(tools("named")) == names
    made = run("generate", "--domain", "named", "--no-tasks", "--json")
    assert made.code == 0, made.err
    listed = json.loads(read_files_at(Path(made.data["path"]))["tools.json"])["tools"]
    assert [t["name"] for t in listed] == tools("named")


# personal data

NAMES = ("Anna Schmidt", "Bert Vogel", "Carla Winter")
MAILS = ("anna.schmidt@shop.de", "bert@vogel.de", "carla@winter.de")
PHONES = ("+49 30 1234567", "+49 30 7654321", "+49 30 5554321")
PERSONAL = (*NAMES, *MAILS, *PHONES, "Schmidt", "Vogel", "Winter", "1234567", "7654321", "5554321")
CUSTOMERS = "customer_no,name,email,phone,city\n" + "".join(
    f"C-{k},{name},{mail},{phone},Ulm\n"
    for k, (name, mail, phone) in enumerate(zip(NAMES, MAILS, PHONES, strict=True), 1)
)
ORDERS = (
    "CREATE TABLE orders (id INT PRIMARY KEY, email VARCHAR(80), note TEXT);\n"
    "INSERT INTO orders VALUES (1, 'anna.schmidt@shop.de', 'call bert@vogel.de'), (2, 'carla@winter.de', 'urgent');\n"
)
WITH_PEOPLE = """\
openapi: 3.0.0
info: {title: Customers, contact: {name: Anna Schmidt, email: anna.schmidt@shop.de}}
paths:
  /customers:
    get:
      operationId: listCustomers
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema: {type: array, items: {type: object, properties: {name: {type: string}, email: {type: string}}}}
              example: [{name: Anna Schmidt, email: anna.schmidt@shop.de}, {name: Bert Vogel, email: bert@vogel.de}]
"""


def personal_in(root: Path) -> dict[str, list[str]]:
    """By file under a folder, the personal values in its bytes."""
    out: dict[str, list[str]] = {}
    for path in sorted(root.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        found = [v for v in PERSONAL if v.encode() in data or v in path.name]
        if found:
            out[str(path.relative_to(root))] = found
    return out


PEOPLE: Mapping[str, dict[str, str]] = {
    "a table": {"--data customers.csv": CUSTOMERS},
    "a table and a dump": {"--data customers.csv": CUSTOMERS, "--sql orders.sql": ORDERS},
    "examples of a contract": {"--data customers.csv": CUSTOMERS, "--openapi api.yaml": WITH_PEOPLE},
    "a document beside the table": {
        "--data customers.csv": CUSTOMERS,
        "--prd p.md": "# Customers\n\nAnna Schmidt must approve every customer in Ulm.\n",
    },
    "a prompt": {"--data customers.csv": CUSTOMERS, "--prompt": "As Anna Schmidt (anna.schmidt@shop.de) said."},
    "the name of a file": {"--data anna.schmidt@shop.de.csv": CUSTOMERS},
}


@pytest.mark.parametrize(
    "case",
    [
        "a table",
        "a table and a dump",
        "examples of a contract",
        "a document beside the table",
        "a prompt",
        "the name of a file",
    ],
)
def test_no_personal_value_is_anywhere_under_the_store(run: Run, lay: Path, home: Path, case: str) -> None:
    args: list[str] = []
    for how, content in PEOPLE[case].items():
        flag, _, file = how.partition(" ")
        write(lay, {file: content} if file else {})
        args += [flag, str(lay / file) if file else content]
    plain = run("upload", *args, "--name", "people")
    assert plain.code == 0, plain.err
    seen = personal_in(home)
    assert seen, "without --anonymise there is something to be found"
    found = run("upload", *args, "--name", "people", "--anonymise", "--force")
    assert found.code == 0
    assert "ANONYMISE" in found.err
    assert not [v for v in PERSONAL if v in found.out + found.err]
    assert personal_in(home) == {}
    assert run("generate", "--domain", "people", "--no-tasks").code == 0
    assert personal_in(home) == {}
    assert lock("people")["options"]["anonymised"]["replaced"] >= 9


def test_what_was_found_is_told(run: Run, lay: Path) -> None:
    write(lay, {"customers.csv": CUSTOMERS, "shelves.sql": DDL})
    found = run("upload", "--data", str(lay / "customers.csv"), "--anonymise")
    assert "9 values replaced: customers.name (name, certain)" in " ".join(found.err.split())
    none = run("upload", "--sql", str(lay / "shelves.sql"), "--anonymise")
    assert "nothing personal was found" in " ".join(none.err.split())


# repositories, archives, live servers


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A bare repository with one commit."""
    work = write(tmp_path / "work", {"api.yaml": DEPOT, "depot/models.py": MODELS, ".hidden/x.sql": DDL})
    (work / "link.sql").symlink_to("/etc/passwd")

    def git(*args: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *args], cwd=work, check=True, capture_output=True)

    git("init", "--quiet", "--initial-branch=main")
    git("add", "-A")
    git("commit", "--quiet", "-m", "one")
    git("clone", "--quiet", "--bare", ".", str(tmp_path / "depot.git"))
    return tmp_path / "depot.git"


@pytest.mark.parametrize("how", [["--repo"], []])
def test_a_repository_by_its_address(run: Run, repository: Path, watched: list[str], how: list[str]) -> None:
    found = run("upload", *how, f"file://{repository}", "--json")
    assert found.code == 0, found.err
    assert tools("depot") == list(TOOLS)
    (given,) = lock("depot")["inputs"]
    assert given["kind"] == "repo"
    assert {"api.yaml", "depot/models.py"} <= {f["name"] for f in given["files"]}
    assert not [f for f in given["files"] if f["name"].startswith(".git")]
    assert str(repository) not in json.dumps(lock("depot"))
    assert "/etc/passwd" not in watched


def test_an_archive(run: Run, lay: Path, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in {"d/api.yaml": DEPOT, "d/models.py": MODELS, "../../evil.sql": DDL, "/abs.sql": DDL}.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    write(lay, {"depot.tar.gz": packed.getvalue()})
    before = {p for p in tmp_path.rglob("*") if "home" not in p.parts}
    found = run("upload", str(lay / "depot.tar.gz"), "--json")
    assert found.code == 0
    assert tools("depot") == list(TOOLS)
    assert [f["name"] for f in lock("depot")["inputs"][0]["files"]] == ["depot.tar.gz"]
    said = " ".join(w["says"] for w in found.data["warnings"])
    assert "leads out of the archive" in said
    assert "is absolute" in said
    assert {p for p in tmp_path.rglob("*") if "home" not in p.relative_to(tmp_path).parts} == before


SERVER = f"{sys.executable} {mcp_servers.__file__}"
LIVE = ["alpha", "beta", "gamma"]


def test_a_live_server_by_its_command(run: Run) -> None:
    found = run("upload", "--mcp-command", SERVER, "--name", "live", "--json")
    assert found.code == 0, found.err
    assert tools("live") == LIVE
    (given,) = lock("live")["inputs"]
    assert [f["name"] for f in given["files"]] == ["tools-1.json"]
    assert sys.executable not in json.dumps(lock("live"))


def test_a_server_of_a_settings_file_is_started_only_when_it_is_named(run: Run, lay: Path) -> None:
    marker = lay / "ran"
    servers = {
        "crm": {"command": sys.executable, "args": [mcp_servers.__file__], "env": {"SHOP_KEY": "s3cret"}},
        "other": {"command": "touch", "args": [str(marker)]},
    }
    write(lay, {"mcp.json": json.dumps({"mcpServers": servers})})
    assert run("upload", "--mcp", str(lay / "mcp.json")).code == 2
    found = run("upload", "--mcp", str(lay / "mcp.json"), "--ask", "crm", "--name", "live")
    assert found.code == 0, found.err
    assert tools("live") == LIVE
    assert not marker.exists()
    assert "s3cret" not in json.dumps(lock("live"))


@pytest.mark.usefixtures("online")
def test_a_server_of_a_settings_file_is_sent_its_headers(run: Run, lay: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = mcp_servers.only_with("x-shop-key", "s3cret", mcp_servers.paged().streamable_http_app())
    with mcp_servers.serving(app) as address:
        for value, code in (("s3cret", 0), ("${SHOP_KEY}", 2), ("wrong", 2)):
            server = {"url": address + "/mcp", "headers": {"x-shop-key": value}}
            write(lay, {"mcp.json": json.dumps({"mcpServers": {"shop": server}})})
            found = run("upload", "--mcp", str(lay / "mcp.json"), "--ask", "shop", "--name", "sent")
            assert found.code == code, found.err
            assert ("401" in found.err) == (value == "wrong")
        assert "s3cret" not in json.dumps(lock("sent"))
        monkeypatch.setenv("SHOP_KEY", "s3cret")
        server = {"url": address + "/mcp", "headers": {"x-shop-key": "${SHOP_KEY}"}}
        write(lay, {"mcp.json": json.dumps({"mcpServers": {"shop": server}})})
        assert run("upload", "--mcp", str(lay / "mcp.json"), "--ask", "shop", "--name", "sent").code == 0
    assert tools("sent") == LIVE


@pytest.mark.usefixtures("online")
def test_a_live_server_by_its_address(run: Run) -> None:
    with mcp_servers.serving(mcp_servers.paged().streamable_http_app()) as address:
        found = run("upload", "--mcp", f"{address}/mcp", "--name", "live")
    assert found.code == 0, found.err
    assert tools("live") == LIVE
    assert address not in json.dumps(lock("live"))


def test_only_a_live_server_needs_the_library_of_the_protocol(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.delitem(sys.modules, "worldwright.anchor.intake.mcp_session", raising=False)
    monkeypatch.delitem(sys.modules, "worldwright.cli.inputs.evidence", raising=False)
    (tmp_path / "depot.sql").write_text(DDL)
    assert run("upload", str(tmp_path / "depot.sql"), "--name", "depot").code == 0
    live = run("upload", "--mcp-command", "some-server", "--name", "other")
    assert live.code == 2
    assert "pip install 'worldwright[mcp]'" in live.err


def test_a_blueprint_is_no_evidence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("# a small world\nblueprint: town_library\ntitle: Town library\n")
    done = run("upload", str(tmp_path / "mine.yaml"), "--name", "lib")
    assert done.code == 2
    assert "mine.yaml is a Blueprint: worldwright generate --blueprint builds worlds of it" in done.err
