"""`worldwright anchor`, and `worldwright generate` from an anchor: exactly the tools of the contract, and tasks they can do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.anchor.anchors import DEPOT, PART_TOOLS, TOOLS, depot, given, lock_of, relocked
from tests.shared_builds import build

from worldwright.anchor.lock.records import Anchor
from worldwright.blueprint.load import load_text
from worldwright.cli.views.anchor import ENTRIES_SHOWN
from worldwright.engine.contract import call_outside
from worldwright.engine.replay import replay
from worldwright.engine.world import World
from worldwright.factory.anchor_bench import TASKS, FileResult, bench_file, is_edit, sum_results
from worldwright.pack.open import Pack
from worldwright.store.anchors import LOCK, Anchors
from worldwright.store.open import open_world, read_files_at
from worldwright.store.store import Store

from .conftest import Run


@pytest.fixture
def kept(home: Path) -> Path:
    """The depot in the store; its folder there."""
    return Anchors().put(depot())


def many_resources() -> Anchor:
    """An anchor of more than one world."""
    paths: dict[str, Any] = {}
    kinds = [
        "invoice",
        "truck",
        "rack",
        "visit",
        "badge",
        "meter",
        "claim",
        "quote",
        "tariff",
        "permit",
        "survey",
        "sample",
        "barge",
        "crate",
        "ledger",
        "parcel",
        "beacon",
        "orchard",
        "lantern",
        "bridge",
        "tender",
        "voucher",
        "roster",
        "kiln",
    ]
    for noun in (*kinds, *(f"spare_{kind}" for kind in kinds), *(f"old_{kind}" for kind in kinds)):
        id_ = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        body = {
            "content": {"application/json": {"schema": {"type": "object", "properties": {"note": {"type": "string"}}}}}
        }
        paths[f"/{noun}s"] = {
            "get": {"operationId": f"list_{noun}s"},
            "post": {"operationId": f"create_{noun}", "requestBody": body},
        }
        paths[f"/{noun}s/{{id}}"] = {
            "get": {"operationId": f"get_{noun}", "parameters": [id_]},
            "patch": {"operationId": f"update_{noun}", "parameters": [id_], "requestBody": body},
        }
    return lock_of(
        given("openapi", {"many.json": json.dumps({"openapi": "3.0.0", "info": {"title": "Many"}, "paths": paths})})
    )


# list, show, remove


def test_an_empty_store_says_how_to_begin(run: Run) -> None:
    found = run("anchor", "list")
    assert (found.code, found.out.strip()) == (0, "no anchors; see `worldwright upload --help`")
    assert run("anchor", "list", "--json").data == {"anchors": []}
    wrong = run("anchor", "show", "depot")
    assert wrong.code == 3
    assert wrong.err.startswith("there is no anchor `depot`; there are none in ")
    assert wrong.err.endswith("(WORLDWRIGHT_HOME names another place); see `worldwright upload --help`\n")


def test_anchors_are_listed(run: Run, kept: Path) -> None:
    other = lock_of(given("sql", {"a.sql": "CREATE TABLE shelves (id INT PRIMARY KEY, label TEXT, height INT);"}))
    Anchors().put(replace(other, name="attic", lock=relocked(other.lock, anchor="attic")))
    found = run("anchor", "list")
    assert found.code == 0
    rows = [line.split() for line in found.out.splitlines()[:3]]
    assert rows[0] == ["anchor", "worlds", "entities", "operations", "from"]
    assert rows[1][:2] == ["attic", "1"]
    assert rows[1][-1] == "sql"
    assert rows[2] == ["depot", "1", "3", "8", "openapi"]
    listed = run("anchor", "list", "--json").data["anchors"]
    assert [a["anchor"] for a in listed] == ["attic", "depot"]
    assert listed[1]["digest"] == depot().lock["digest"]


def test_an_anchor_is_shown(run: Run, kept: Path) -> None:
    found = run("anchor", "show", "depot")
    assert found.code == 0
    assert found.out.splitlines()[0] == f"Depot  depot  {depot().lock['digest'][:12]}"
    text = " ".join(found.out.split())
    for part in (
        f"openapi depot.yaml {len(DEPOT.encode()):,} bytes",
        "depot 3 8 0 ",
        "lifecycle of part `status` is one of active, retired [depot.yaml#/paths/~1parts/get]",
        "OPERATIONS 8 of 8 used",
        "worldwright generate --domain depot",
    ):
        assert part in text, part
    assert "DECISIONS" not in found.out
    assert "WARNINGS" not in found.out


def with_everything() -> Anchor:
    """Decisions, unused parts and warnings, more than are shown at first."""
    columns = ", ".join(f"c{k} INT" for k in range(ENTRIES_SHOWN + 5))
    shapes = "".join(f"        c{k}: {{type: string}}\n" for k in range(ENTRIES_SHOWN + 5))
    text = DEPOT.replace(
        "        stock: {type: integer}\n    Delivery", f"        stock: {{type: integer}}\n{shapes}    Delivery"
    )
    broken = text.replace("'#/components/schemas/Delivery'", "'elsewhere.yaml#/Delivery'")
    return lock_of(
        given("openapi", {"depot.yaml": broken}),
        given("sql", {"a.sql": f"CREATE TABLE parts (id TEXT PRIMARY KEY, {columns});"}),
        given("prd", {"p.md": "# Rules\n\nEverybody must be polite.\n"}),
        focus=("part",),
    )


def test_everything_is_shown_where_it_is_asked_for(run: Run, home: Path) -> None:
    anchor = with_everything()
    Anchors().put(anchor)
    few, every = run("anchor", "show", "depot").out, run("anchor", "show", "depot", "--all").out
    decisions = anchor.lock["decisions"]
    assert len(decisions) > ENTRIES_SHOWN
    assert f"and {len(decisions) - ENTRIES_SHOWN} more (--all)" in few
    assert "(--all)" not in every
    for k in range(ENTRIES_SHOWN + 5):
        assert f"field Part.c{k} " in every
    assert "field Part.c16 " not in few
    for text in (few, every):
        assert "OPERATIONS  5 of 8 used" in text
        assert "it is in no world that was asked for" in text
        assert "Everybody must be polite." in text
        assert "WARNINGS" in text


def test_the_lock_as_json_is_the_lock(run: Run, kept: Path) -> None:
    found = run("anchor", "show", "depot", "--json")
    assert found.data == depot().lock
    assert found.out == (kept / LOCK).read_text()


def test_the_blueprint_is_printed_as_it_lies_there(run: Run, kept: Path) -> None:
    found = run("anchor", "show", "depot", "--blueprint")
    assert found.out == (kept / "worlds" / "depot.yaml").read_text() == depot().domains[0].blueprint


def test_worlds_of_an_anchor(run: Run, home: Path) -> None:
    anchor = many_resources()
    Anchors().put(anchor)
    names = [d.name for d in anchor.domains]
    assert len(names) > 1
    whole = run("anchor", "show", "many").out
    assert f"WORLDS  {len(names)}" in whole
    one = run("anchor", "show", "many", "--world", names[1]).out
    assert "WORLDS  1" in one
    assert f"worldwright generate --domain {names[1]}" in one
    assert f"--domain {names[0]}\n" not in one
    assert run("anchor", "show", "many", "--world", names[1], "--blueprint").out == anchor.domains[1].blueprint
    assert run("anchor", "show", "many", "--blueprint").out == anchor.domains[0].blueprint
    built = [run("generate", "--domain", name, "--no-tasks", "--json").data for name in ("many", names[1])]
    assert [b["name"] for b in built] == names[:2]
    found: list[str] = [
        t["name"] for b in built for t in json.loads(read_files_at(Path(b["path"]))["tools.json"])["tools"]
    ]
    assert len(found) == len(set(found))
    wrong = run("anchor", "show", "many", "--world", "many_nothing", "--blueprint")
    assert (wrong.code, wrong.out) == (2, "")
    assert names[0] in wrong.err


def test_a_world_that_is_not_there_is_an_error(run: Run, kept: Path) -> None:
    found = run("anchor", "show", "depot", "--world", "nothing")
    assert found.code != 0
    assert "depot" in found.err


def test_a_world_of_another_anchor_is_not_one_of_this(run: Run, kept: Path) -> None:
    Anchors().put(many_resources())
    assert run("anchor", "show", "depot", "--world", "many", "--blueprint").code != 0


def test_what_a_document_says_does_not_reach_the_terminal_as_it_is(run: Run, home: Path) -> None:
    rules = "# Rules\n\nEverybody must be \x1b[31mpolite\x1b[0m\x07 and [bold]kind[/bold].\n"
    Anchors().put(lock_of(given("openapi", {"depot.yaml": DEPOT}), given("prd", {"p.md": rules})))
    for args in (("show", "depot"), ("show", "depot", "--all"), ("list",)):
        found = run("anchor", *args)
        assert found.code == 0
        assert "\x1b" not in found.out
        assert "\x07" not in found.out
    assert "[bold]kind[/bold]" in run("anchor", "show", "depot").out


def test_removing(run: Run, kept: Path) -> None:
    assert run("generate", "--domain", "depot", "--no-tasks").code == 0
    found = run("anchor", "remove", "depot")
    assert (found.code, found.out) == (0, "removed depot\n")
    assert not kept.exists()
    assert run("anchor", "remove", "depot").code == 3
    assert run("generate", "--domain", "depot", "--no-tasks").code == 3
    assert run("verify", "depot").code == 0, "worlds that were made of it stay"
    assert run("rebuild", "depot").code == 0


# a store that was tampered with


@pytest.mark.parametrize("file", ["worlds/depot.yaml", "worlds/depot.contract.json"])
def test_nothing_is_generated_from_what_was_changed(run: Run, kept: Path, file: str) -> None:
    path = kept / file
    path.write_text(path.read_text().replace("Depot", "Other").replace("Not yours to do", "Whatever"))
    found = run("generate", "--domain", "depot", "--no-tasks")
    assert found.code == 3
    assert "is not what the lock says" in found.err
    assert len(found.err.splitlines()) == 1


@pytest.mark.parametrize("text", ["", "[]", "{", '{"worlds": 3}'])
def test_a_broken_lock_is_one_line(run: Run, kept: Path, text: str) -> None:
    (kept / LOCK).write_text(text)
    for args in (("anchor", "show", "depot"), ("anchor", "list"), ("generate", "--domain", "depot")):
        found = run(*args)
        assert found.code == 3, args
        assert len(found.err.splitlines()) == 1
    assert run("anchor", "remove", "depot").code == 0


@pytest.mark.parametrize("args", [("anchor", "list"), ("anchor", "show", "depot")])
def test_half_a_lock_is_one_line(run: Run, kept: Path, args: Sequence[str]) -> None:
    (kept / LOCK).write_text(json.dumps({"anchor": "depot", "worlds": [{"name": "depot"}]}))
    found = run(*args)
    assert found.code == 3
    assert len(found.err.splitlines()) == 1


# generating

TEXT, WHOLE, NUMBER, DAY = (
    {"type": "string"},
    {"type": "integer"},
    {"type": "number"},
    {"type": "string", "format": "date"},
)
PART = {"partId": (TEXT, True)}
PARAMETERS: dict[str, dict[str, tuple[dict[str, Any], bool]]] = {
    "listParts": {
        "status": ({"type": "string", "enum": ["active", "retired"]}, False),
        "limit": ({"type": "integer", "minimum": 1}, False),
        "offset": (WHOLE, False),
    },
    "createPart": {"name": (TEXT, True), "price": (NUMBER, True), "stock": (WHOLE, False)},
    "getPart": PART,
    "updatePart": {**PART, "price": (NUMBER, False), "stock": (WHOLE, False)},
    "retirePart": PART,
    "listDeliveries": {"dock": (TEXT, False)},
    "bookDelivery": {"dock": (TEXT, True), "arrives_on": (DAY, True), "pallets": (WHOLE, False)},
    "getDelivery": {"number": (WHOLE, True)},
}
"""What the document says of each operation, written down by hand: name, schema, and whether it is required."""


@pytest.fixture
def bare_depot(home: Path) -> Pack:
    """The depot without tasks, in the store."""
    (domain,) = depot().domains
    pack = build(load_text(domain.blueprint, "depot.yaml"), 7, with_tasks=False, contract=domain.contract).pack
    Store().put(pack.files, pack.manifest)
    Store().tag("depot", "latest", "default-7", pack.manifest.digest)
    return pack


@pytest.fixture
def world(run: Run, kept: Path) -> World:
    """The depot, generated by the command."""
    found = run("generate", "--domain", "depot", "--seed", "7", "--json")
    assert found.code == 0, found.err
    return open_world(found.data["reference"])


def test_tools_are_exactly_the_contracts(world: World, run: Run) -> None:
    assert [t.name for t in world.tools] == list(TOOLS) == list(PARAMETERS)
    for tool in world.tools:
        expected = PARAMETERS[tool.name]
        assert {n: dict(s) for n, s in tool.input_schema.get("properties", {}).items()} == {
            n: schema for n, (schema, _) in expected.items()
        }
        assert sorted(tool.input_schema.get("required", ())) == sorted(
            n for n, (_, needed) in expected.items() if needed
        )
    assert world.manifest.parent == depot().lock["digest"]


def test_what_the_command_says_of_the_parent_is_what_the_manifest_says(run: Run, kept: Path) -> None:
    found = run("generate", "--domain", "depot", "--no-tasks", "--json").data
    assert found["parent"] == json.loads(read_files_at(Path(found["path"]))["manifest.json"])["parent"]


@pytest.mark.untraced
def test_it_rebuilds_to_the_same_digest(world: World, run: Run) -> None:
    found = run("rebuild", "depot", "--json")
    assert (found.code, found.data["same"], found.data["differing"]) == (0, True, [])
    assert run("verify", "depot").code == 0
    again = run("generate", "--domain", "depot", "--seed", "7", "--json").data
    assert again["digest"] == world.digest
    assert run("generate", "--domain", "depot", "--seed", "8", "--no-tasks", "--json").data["digest"] != world.digest


@pytest.mark.untraced
def test_every_witness_is_played_through_the_tools_and_every_answer_is_valid(world: World) -> None:
    assert len(world.tasks) >= TASKS
    assert world.contract is not None
    env = world.env()
    for task in world.tasks:
        offered = {t.name for t in env.reset(task.id).tools}
        key = world.key(task.id)
        for call in key.calls:
            tool = world.contract.find_tool(call)
            assert tool is not None
            assert tool.name in offered
            arguments = call_outside(tool, call)
            Draft202012Validator(dict(tool.input_schema)).validate(arguments)
            result = env.call_tool(tool.name, arguments)
            assert result.ok, (task.id, tool.name, result.error)
            assert tool.output_schema is not None
            Draft202012Validator(dict(tool.output_schema)).validate(result.data)
        env.submit(key.answer)
        assert env.verify().status == "pass", task.id
        assert replay(world.env(), env.trajectory()) == []


@pytest.mark.parametrize(
    "args",
    [
        ("inspect", "depot"),
        ("inspect", "depot", "--json"),
        ("inspect", "depot", "--tool", "retirePart"),
        ("inspect", "depot", "--table", "part"),
        ("inspect", "depot", "--policies"),
        ("play", "depot", "--call", 'listParts {"limit": 1}', "--json"),
    ],
    ids=" ".join,
)
def test_a_world_of_an_anchor_can_be_looked_at(run: Run, bare_depot: Pack, args: tuple[str, ...]) -> None:
    found = run(*args)
    assert found.code == 0
    assert found.out


def test_a_world_of_an_anchor_can_be_played_by_hand(run: Run, bare_depot: Pack) -> None:
    lines = b'tools\nhelp retirePart\nlistParts {"limit": 1}\nretirePart partId=PAR-00001\nretirePart partId=PAR-00001\nquit\n'
    found = run("play", "depot", stdin=lines)
    assert found.code == 0
    for part in (*TOOLS, "partId", "PAR-00001", "INVALID_STATE"):
        assert part in found.out, part


def test_tools_of_a_server_are_exactly_as_it_lists_them(run: Run, home: Path) -> None:
    line = {
        "type": "object",
        "properties": {"sku": TEXT, "qty": {"type": "integer", "minimum": 1}},
        "required": ["sku"],
    }
    schemas: dict[str, dict[str, Any]] = {
        "tickets.search": {"properties": {"Query": TEXT, "x-page": WHOLE}},
        "create-ticket": {
            "properties": {"title": TEXT, "lines": {"type": "array", "items": line}},
            "required": ["title"],
            "additionalProperties": False,
        },
        "closeTicket": {
            "properties": {"ticketId": TEXT, "force": {"type": "boolean", "default": False}},
            "required": ["ticketId"],
        },
        "PING": {"properties": {}},
    }
    listed = [{"name": name, "inputSchema": {"type": "object", **schema}} for name, schema in schemas.items()]
    Anchors().put(lock_of(given("mcp", {"t.json": json.dumps({"tools": listed})}), name="counter"))
    found = run("generate", "--domain", "counter", "--no-tasks", "--json")
    assert found.code == 0, found.err
    made = json.loads(read_files_at(Path(found.data["path"]))["tools.json"])["tools"]
    assert {t["name"]: t["inputSchema"] for t in made} == {t["name"]: t["inputSchema"] for t in listed}
    assert run("rebuild", "counter").code == 0


@pytest.mark.untraced
def test_an_anchor_hides_a_domain_of_the_catalogue_by_its_name_only(run: Run, home: Path) -> None:
    Anchors().put(lock_of(given("openapi", {"depot.yaml": DEPOT}), name="retail_returns", focus=("part",)))
    own = run("generate", "--domain", "retail_returns", "--no-tasks", "--json").data
    assert own["counts"]["tools"] == len(PART_TOOLS)
    shipped = run("generate", "--domain", "catalogue/retail_returns", "--no-tasks", "--json").data
    assert shipped["counts"]["tools"] > len(PART_TOOLS)
    assert shipped["title"] != own["title"]


def test_a_name_that_nothing_has_is_one_line(run: Run, kept: Path) -> None:
    found = run("generate", "--domain", "depott")
    assert found.code == 3
    assert "neither catalogue nor anchors have a domain `depott`" in found.err
    assert "depot" in found.err.partition(";")[2]
    assert len(found.err.splitlines()) == 1


# bench


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "files"
    (root / "api").mkdir(parents=True)
    (root / "api" / "depot.yaml").write_text(DEPOT)
    (root / "api" / "zero.yaml").write_text("openapi: 3.0.0\ninfo: {title: Z}\npaths: {}\n")
    (root / "README.md").write_text("# not evidence\n")
    (root / ".hidden.sql").write_text("CREATE TABLE t (id INT);")
    return root


@pytest.mark.slow
def test_a_folder_is_taken_all_the_way(run: Run, folder: Path, home: Path) -> None:
    found = run("anchor", "bench", str(folder), "--json")
    assert found.code == 0, found.err
    good, bad = found.data["files"]
    assert (good["name"], good["locks"], good["counts"], good["problem"]) == ("api/depot.yaml", True, True, "")
    assert (good["operations"], good["used"], good["tools"], good["worlds"]) == (8, 8, 8, 1)
    assert good["tests"] == good["tests_passed"] > 20
    assert good["valid"] == good["answers"] > 100
    assert good["reached"] + good["by_fault"] == good["declared"] == 18
    assert good["tasks"] >= TASKS
    assert (bad["name"], bad["locks"], bad["counts"]) == ("api/zero.yaml", False, False)
    assert bad["problem"].startswith("lock: nothing in the inputs could be understood")
    totalled = found.data["totals"]
    assert (totalled["files"], totalled["locked"], totalled["worlds"]) == (2, 1, 1)
    assert totalled["tasks"] == good["tasks"]
    assert Anchors().names() == ()
    assert not (home / "packs").exists()


@pytest.mark.slow
def test_only_some_files_are_taken(run: Run, folder: Path) -> None:
    found = run("anchor", "bench", str(folder), "--only", "zero")
    assert found.code == 0
    assert "0 of 1 (0.0 %) of files lock" in " ".join(found.out.split())
    none = run("anchor", "bench", str(folder), "--only", "nothing")
    assert (none.code, len(none.err.splitlines())) == (2, 1)
    assert "there are no files to take" in none.err
    assert run("anchor", "bench", str(folder / "nowhere")).code == 2


def test_a_page_of_rules_locks_and_says_that_there_is_nothing_to_build(tmp_path: Path) -> None:
    path = tmp_path / "p.md"
    path.write_text("# Procurement\n\nPurchase requests over 5000 EUR must be approved by a manager.\n")
    row = bench_file(path, "p.md", 7)
    assert (row.locks, row.worlds, row.claims, row.tools) == (True, 0, 1, 0)
    assert "nothing to build yet" in row.problem


@pytest.mark.parametrize(
    ("features", "edit"),
    [
        ({"writes": 1, "goals": 1, "reference": "id"}, True),
        ({"writes": 1, "goals": 1, "reference": "name"}, True),
        ({"writes": 0, "goals": 1, "reference": "id"}, False),
        ({"writes": 2, "goals": 1, "reference": "id"}, False),
        ({"writes": 1, "goals": 2, "reference": "id"}, False),
        ({"writes": 1, "goals": 1, "policies": 1, "reference": "id"}, False),
        ({"writes": 1, "goals": 1, "joins": 1, "reference": "id"}, False),
        ({"writes": 1, "goals": 1, "reference": "none"}, False),
    ],
)
def test_what_counts_as_a_single_edit(features: dict[str, Any], edit: bool) -> None:
    assert is_edit(features) is edit


def test_rows_add_up() -> None:
    rows = [
        FileResult("a", 1, worlds=1, tools=5, tasks=10, tests=3, tests_passed=2),
        FileResult("b", 1, worlds=2, tools=4, tasks=50),
        FileResult("c", 1),
    ]
    assert [r.counts for r in rows] == [True, False, False]
    assert [r.locks for r in rows] == [True, True, False]
    found = sum_results(rows)
    assert (found["files"], found["locked"], found["worlds"], found["tasks"], found["tests_passed"]) == (3, 2, 1, 60, 2)
