"""The lock: the same bytes for the same inputs anywhere, another for another byte, and figures that add up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.anchor.anchors import DELIVERY_TOOLS, DEPOT, PART_TOOLS, TOOLS, contract_of, depot, given, lock_of, prompt

from worldwright.anchor.intake.uploads import read_uploads
from worldwright.anchor.lock.build import derive_anonymising_key
from worldwright.anchor.lock.records import MAX_LISTED, Anchor
from worldwright.core.canonical import digest, pretty_json, sha256
from worldwright.core.errors import StoreError, UsageError

FILES: Mapping[str, str] = {
    "api.yaml": DEPOT,
    "db/schema.sql": "CREATE TABLE parts (id TEXT PRIMARY KEY, name TEXT, bin INT);\nCREATE TABLE bins (id INT PRIMARY KEY);",
    "db/crates.csv": "crate_no,colour\n1,red\n2,blue\n3,red\n",
    "rules.md": "# Rules\n\nParts over 500 EUR must not be retired.\n\nEverybody must be polite.\n",
    "tools.json": json.dumps(
        {"tools": [{"name": "weigh_part", "inputSchema": {"type": "object", "required": ["id"]}}]}
    ),
}
WITH_DDL = "CREATE TABLE parts (id INT PRIMARY KEY, price TEXT, status INT);"


def lay(folder: Path, names: list[str]) -> Path:
    """The files in a folder, written in this order."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(FILES[name])
    return folder


def of_folder(folder: Path) -> Anchor:
    return lock_of(given("any", {u.name: u.data for u in read_uploads(folder)}, str(folder)))


def text_of(anchor: Anchor) -> str:
    return pretty_json(dict(anchor.lock))


# same inputs, same lock


def test_the_order_of_files_in_a_folder_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = of_folder(lay(tmp_path / "one", list(FILES)))
    listed = Path.rglob

    def backwards(self: Path, pattern: str) -> Any:
        return reversed(list(listed(self, pattern)))

    monkeypatch.setattr(Path, "rglob", backwards)
    again = of_folder(lay(tmp_path / "one", list(FILES)))
    second = of_folder(lay(tmp_path / "two" / "deeper" / "still", list(FILES)[::-1]))
    assert text_of(first) == text_of(again) == text_of(second)
    assert str(tmp_path) not in text_of(second)
    assert first.domains == second.domains


FROM_ELSEWHERE: Mapping[str, tuple[str, dict[str, str]]] = {
    "a document beside the API": ("prd", {"rules.md": FILES["rules.md"]}),
    "a conflict of types": ("sql", {"a.sql": WITH_DDL}),
    "a folder without files": ("docs", {}),
}


@pytest.mark.parametrize(
    "case",
    [
        "a document beside the API",
        pytest.param(
            "a conflict of types",
        ),
        pytest.param(
            "a folder without files",
        ),
    ],
)
def test_where_the_inputs_lay_does_not_matter(case: str) -> None:
    locks = [
        lock_of(
            given("openapi", {"depot.yaml": DEPOT}, f"/{place}/depot.yaml"),
            given(*FROM_ELSEWHERE[case], f"/{place}/more"),
        )
        for place in ("home/ann", "mnt/share")
    ]
    assert text_of(locks[0]) == text_of(locks[1])


@pytest.mark.slow
def test_another_process_with_another_hash_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    lay(tmp_path / "evidence", list(FILES))
    line = "from worldwright.cli.main import main; main(['upload', 'evidence', '--name', 'same'])"
    settings = {**os.environ, "PYTHONHASHSEED": "1", "WORLDWRIGHT_HOME": str(tmp_path / "home"), "LC_ALL": "C"}
    subprocess.run([sys.executable, "-c", line], cwd=tmp_path, env=settings, capture_output=True, check=True)
    place = tmp_path / "home" / "anchors" / "same"
    found = {str(p.relative_to(place)): p.read_text() for p in place.rglob("*") if p.is_file()}
    here = lock_of(given("any", {u.name: u.data for u in read_uploads(tmp_path / "evidence")}), name="same")
    (domain,) = here.domains
    assert found == {
        "anchor.lock": text_of(here),
        "worlds/same.yaml": domain.blueprint,
        "worlds/same.contract.json": domain.contract_text,
        **here.files,
    }


@pytest.mark.parametrize("name", FILES)
def test_another_byte_gives_another_lock(name: str) -> None:
    before = lock_of(given("any", FILES))
    after = lock_of(given("any", {**FILES, name: FILES[name] + "\n"}))
    assert before.lock["digest"] != after.lock["digest"]
    assert {f["name"] for f in after.lock["inputs"][0]["files"]} == set(FILES)
    changed = [
        new["name"]
        for old, new in zip(before.lock["inputs"][0]["files"], after.lock["inputs"][0]["files"], strict=True)
        if old["sha256"] != new["sha256"]
    ]
    assert changed == [name]


def test_options_and_prompts_are_part_of_the_lock() -> None:
    inputs = given("openapi", {"depot.yaml": DEPOT})
    found = [
        depot(),
        lock_of(inputs, name="other"),
        lock_of(inputs, focus=("part",)),
        lock_of(inputs, key=derive_anonymising_key([inputs])),
        lock_of(inputs, prompt("Parts must be weighed.")),
    ]
    assert len({a.lock["digest"] for a in found}) == len(found)
    assert found[4].lock["inputs"][1] == {"kind": "prompt", "says": "Parts must be weighed."}


# what a lock says


def test_a_lock_says_what_was_given_and_made_of_it() -> None:
    lock = depot().lock
    assert lock["inputs"] == [
        {
            "kind": "openapi",
            "files": [{"name": "depot.yaml", "bytes": len(DEPOT.encode()), "sha256": sha256(DEPOT.encode())}],
        }
    ]
    assert set(lock["parsers"]) == {"openapi"}
    assert {"reader", "PyYAML"} <= set(lock["parsers"]["openapi"])
    (domain,) = depot().domains
    (world,) = lock["worlds"]
    assert world["blueprint"] == sha256(domain.blueprint.encode())
    assert world["contract"] == sha256(domain.contract_text.encode())
    assert (world["name"], world["tools"], world["operations"]) == ("depot", 8, 8)
    assert lock["digest"] == digest({k: v for k, v in lock.items() if k != "digest"})
    assert json.loads(text_of(depot())) == lock
    assert any(r["what"] == "lifecycle of part" and r["source"].startswith("depot.yaml#") for r in lock["reasons"])


def adds_up(share: Mapping[str, Any]) -> bool:
    listed = sum(u.get("more", 1) for u in share["unused"])
    told = all(u["what"] and u["why"] for u in share["unused"] if "more" not in u)
    return bool(told and 0 <= share["used"] <= share["total"] == share["used"] + listed)


@pytest.mark.parametrize("focus", [(), ("part",), ("doors",), ("/deliveries",)])
def test_coverage_adds_up(focus: tuple[str, ...]) -> None:
    found = lock_of(given("any", FILES), focus=focus).lock["coverage"]
    assert {kind: adds_up(share) for kind, share in found.items()} == dict.fromkeys(found, True)
    assert found["operations"]["total"] == len(TOOLS) + 1


def test_coverage_adds_up_where_lists_are_cut() -> None:
    paths = {f"/parts/{{id}}/{k}/probe": {"get": {"operationId": f"probe{k}"}} for k in range(MAX_LISTED + 20)}
    document = {
        "openapi": "3.0.0",
        "info": {"title": "Many"},
        "paths": {"/docks": {"get": {"operationId": "d"}}, **paths},
    }
    found = lock_of(given("openapi", {"a.json": json.dumps(document)}), focus=("dock",)).lock["coverage"]["operations"]
    assert found["total"] == MAX_LISTED + 21
    assert len(found["unused"]) == MAX_LISTED + 1
    assert adds_up(found)


def test_a_lock_holds_every_claim_with_its_place() -> None:
    found = {c["says"]: c for c in lock_of(given("any", FILES)).lock["claims"]}
    parts = found["Parts over 500 EUR must not be retired."]
    assert (parts["kind"], parts["source"], parts["heading"], parts["about"]) == (
        "bound",
        "rules.md#3-3",
        "Rules",
        "business",
    )
    assert found["Everybody must be polite."]["source"] == "rules.md#5-5"


CODE = '''\
from fastapi import FastAPI

app = FastAPI()


@app.post("/parts/{part_id}/weigh")
def weigh_part(part_id: str) -> dict[str, str]:
    """Weighs a part."""
'''


def with_code() -> Anchor:
    return lock_of(given("openapi", {"depot.yaml": DEPOT}), given("repo", {"app/main.py": CODE}))


def test_routes_of_code_are_no_tools_beside_a_contract() -> None:
    assert list(contract_of(with_code()).tools) == list(TOOLS)


def test_routes_that_were_left_out_are_told_in_the_lock() -> None:
    lock = with_code().lock
    assert "operation weigh_part" in [s["what"] for s in lock["skipped"]]


def test_decisions_are_told_with_their_sources() -> None:
    found = lock_of(given("openapi", {"depot.yaml": DEPOT}), given("sql", {"a.sql": WITH_DDL})).lock["decisions"]
    told = {d["about"]: (d["chose"], d["over"], d["sources"]) for d in found}
    assert told["field Part.price"] == (
        "number",
        "string",
        ["depot.yaml#/components/schemas/Part/properties/price", "a.sql#1-1"],
    )


# what somebody asks for


@pytest.mark.parametrize(
    ("focus", "tools"),
    [
        ("parts", PART_TOOLS),
        ("stock", PART_TOOLS),
        ("/deliveries", DELIVERY_TOOLS),
        ("bookDelivery", DELIVERY_TOOLS),
    ],
)
def test_a_focus_is_a_noun_a_tag_a_path_or_an_operation(focus: str, tools: tuple[str, ...]) -> None:
    found = lock_of(given("openapi", {"depot.yaml": DEPOT}), focus=(focus,))
    assert tuple(contract_of(found).tools) == tools
    unused = found.lock["coverage"]["operations"]["unused"]
    assert {u["what"] for u in unused} == set(TOOLS) - set(tools)
    assert {u["why"] for u in unused} == {"it is in no world that was asked for"}


def test_several_words_of_a_focus_are_any_of_them() -> None:
    found = lock_of(given("openapi", {"depot.yaml": DEPOT}), focus=("part", "delivery"))
    assert set(contract_of(found).tools) == set(TOOLS)


def test_a_focus_that_nothing_is_called_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing is called rockets"):
        lock_of(given("openapi", {"depot.yaml": DEPOT}), focus=("rockets",))


@pytest.mark.parametrize(
    ("asked", "name"),
    [("Spare Parts", "spare_parts"), ("spareParts-2", "spare_parts_2"), ("class", "class_service"), ("9 lives", "service_9_lives")],
)  # fmt: skip
def test_a_name_becomes_one_that_a_domain_can_have(asked: str, name: str) -> None:
    found = lock_of(given("openapi", {"depot.yaml": DEPOT}), name=asked)
    assert (found.name, found.domains[0].name, found.lock["options"]["name"]) == (name, name, asked)
    assert f"blueprint: {name}\n" in found.domains[0].blueprint


@pytest.mark.parametrize("asked", ["!!!", "采购", "   ", "-"])
def test_a_name_with_nothing_to_call_it_by_is_refused(asked: str) -> None:
    with pytest.raises(UsageError, match="name"):
        lock_of(given("openapi", {"depot.yaml": DEPOT}), name=asked)


def test_a_title_comes_from_the_first_file_where_nothing_says_one() -> None:
    found = lock_of(given("sql", {"db/spare_parts.v2.sql": FILES["db/schema.sql"]}))
    assert (found.name, found.title) == ("spare_parts", "Spare parts")


def test_a_prompt_alone_has_its_claims_and_no_world() -> None:
    found = lock_of(prompt("Hotel rooms: bookings and refunds. A refund must be asked for within 14 days."))
    assert (found.name, found.domains) == ("hotel_rooms_bookings_refunds", ())
    assert [c["says"] for c in found.lock["claims"]] == ["A refund must be asked for within 14 days."]
    (note,) = found.lock["notes"]
    assert (note["level"], "there is nothing to build yet" in note["says"]) == ("warning", True)
    assert lock_of(prompt("Hotel rooms"), name="my hotel").name == "my_hotel"


def test_a_document_without_things_locks_with_its_claims() -> None:
    found = lock_of(given("prd", {"p.md": FILES["rules.md"]}))
    assert (found.title, found.domains, len(found.lock["claims"])) == ("Rules", (), 2)


@pytest.mark.parametrize("title", ["anonymous", "Untitled", "Microsoft Word - draft7.docx", "LaTeX with hyperref"])
def test_a_domain_is_not_called_after_a_program(title: str) -> None:
    page = (
        f"<html><head><title>{title}</title></head><body><p>The clerk must sign the form of the day.</p></body></html>"
    )
    assert lock_of(given("prd", {"claims_desk.html": page})).name == "claims_desk"


def test_operations_are_laid_over_a_business_that_is_asked_for() -> None:
    names = ("list_vendors", "get_vendor", "launch_rocket")
    id_ = {"type": "object", "properties": {"vendor_id": {"type": "string"}}, "required": ["vendor_id"]}
    tools = [{"name": n, "inputSchema": id_ if n == "get_vendor" else {"type": "object"}} for n in names]
    found = lock_of(
        given("mcp", {"tools.json": json.dumps({"tools": tools})}), onto="enterprise_procurement", name="erp"
    )
    assert list(contract_of(found).tools) == ["list_vendors", "get_vendor"]
    assert contract_of(found).tools["get_vendor"].input_schema["required"] == ["vendor_id"]
    covered = found.lock["coverage"]["operations"]
    assert adds_up(covered)
    assert [u["what"] for u in covered["unused"]] == ["launch_rocket"]
    (base,) = found.lock["decisions"]
    assert (base["chose"], base["why"]) == ("enterprise_procurement", "asked for")


@pytest.mark.parametrize(
    ("onto", "error", "says"),
    [
        ("enterprise_procurement", UsageError, "none of the 8 operations is one of enterprise_procurement"),
        ("enterprise_procurment", StoreError, "enterprise_procurement"),
    ],
)
def test_what_cannot_be_laid_over_is_refused(onto: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        lock_of(given("openapi", {"depot.yaml": DEPOT}), onto=onto)


def test_a_document_cannot_be_laid_over_anything() -> None:
    with pytest.raises(UsageError, match="give an OpenAPI or MCP file"):
        lock_of(given("prd", {"p.md": FILES["rules.md"]}), onto="enterprise_procurement")


def test_nothing_and_what_says_nothing_are_refused() -> None:
    with pytest.raises(UsageError, match="nothing was given"):
        lock_of()
    with pytest.raises(UsageError, match=r"nothing in the inputs could be understood: a\.json: "):
        lock_of(given("openapi", {"a.json": '{"openapi": "3.0.0", "paths": {}}'}))


# personal data

CUSTOMERS = "customer_no,name,email,city\nC-1,Anna Schmidt,anna@shop.de,Ulm\nC-2,Bert Vogel,bert@vogel.de,Ulm\n"
ORDERS = (
    "CREATE TABLE orders (id INT PRIMARY KEY, email VARCHAR(80), total INT);\n"
    "INSERT INTO orders VALUES (1, 'anna@shop.de', 5), (2, 'bert@vogel.de', 7), (3, 'anna@shop.de', 9);\n"
)


def test_anonymising_says_what_it_found_and_follows_from_the_inputs() -> None:
    inputs = (given("data", {"customers.csv": CUSTOMERS}), given("sql", {"orders.sql": ORDERS}))
    key = derive_anonymising_key(inputs)
    assert key == derive_anonymising_key(inputs)
    assert key != derive_anonymising_key((inputs[0], given("sql", {"orders.sql": ORDERS + "\n"})))
    first, second = (lock_of(*inputs, key=key) for _ in range(2))
    assert text_of(first) == text_of(second)
    told = first.lock["options"]["anonymised"]
    assert {c["column"]: c["kind"] for c in told["columns"]} == {
        "customers.name": "name", "customers.email": "mail", "orders.email": "mail",
    }  # fmt: skip
    assert told["replaced"] > 0
    assert key not in text_of(first)
    assert lock_of(*inputs).lock["options"]["anonymised"] is None


def test_the_key_of_anonymising_does_not_follow_from_the_lock() -> None:
    inputs = (given("data", {"customers.csv": CUSTOMERS}), given("sql", {"orders.sql": ORDERS}))
    lock = lock_of(*inputs, key=derive_anonymising_key(inputs)).lock
    listed = [file["sha256"] for one in lock["inputs"] for file in one["files"]]
    assert digest(listed) != derive_anonymising_key(inputs)
