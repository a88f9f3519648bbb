"""The reader for OpenAPI: damaged, hostile and public documents."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.anchor.openapi_documents import (
    SHOP,
    answer,
    levels,
    of,
    only,
)
from tests.effort import examples

from worldwright.anchor.evidence import Evidence
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.openapi import read
from worldwright.formats.yaml_or_json import load

ANCHORS = Path(__file__).parents[2].parent / "shared" / "anchors" / "openapi"

# Damage


GOOD = yaml.safe_load(SHOP)
JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        True,
        3,
        -1.5,
        "",
        "text",
        [],
        {},
        [None],
        [{}],
        {"$ref": "#/components/schemas/Order"},
        {"$ref": 3},
        {"a": "b"},
    ]
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """The shop with keys dropped, and values swapped for others of any type."""
    document = copy.deepcopy(GOOD)
    for _ in range(draw(st.integers(1, 6))):
        holders = _places(document)
        if not holders:
            break
        holder, key = draw(st.sampled_from(holders))
        if draw(st.booleans()):
            holder[key] = draw(
                JUNK.map(copy.deepcopy) | st.sampled_from(holders).map(lambda place: copy.deepcopy(place[0][place[1]]))
            )
        else:
            del holder[key]
    return json.dumps(document).encode()


def _places(value: Any) -> list[tuple[Any, Any]]:
    out: list[tuple[Any, Any]] = []
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    for key in keys:
        out.append((value, key))
        out += _places(value[key])
    return out


def survives(data: bytes) -> None:
    evidence = read([Upload("a.yaml", data)])
    assert evidence == read([Upload("a.yaml", data)])
    names = [a.name for a in evidence.operations]
    assert len(names) == len(set(names))
    for found in evidence.operations:
        Draft202012Validator.check_schema(found.input_schema)
        assert {p.name for p in found.parameters} == set(found.input_schema["properties"])
        assert [p.name for p in found.parameters if p.required] == found.input_schema.get("required", [])
        if found.output_schema is not None:
            Draft202012Validator.check_schema(found.output_schema)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged())
def test_damaged_documents_are_survived(data: bytes) -> None:
    survives(data)


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, len(SHOP)), st.integers(0, 40), st.text(alphabet="{}[]:-'\"&*#\t\n a0", max_size=5))
def test_text_that_is_cut_or_overwritten_is_survived(start: int, length: int, junk: str) -> None:
    survives((SHOP[:start] + junk + SHOP[start + length :]).encode())
    survives(SHOP[:start].encode())


@settings(max_examples=examples(60), deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: ("openapi: 3.0.0\n" + text).encode()))
def test_any_bytes_are_survived(data: bytes) -> None:
    survives(data)


@pytest.mark.timeout(60)
@pytest.mark.untraced
def test_schemas_made_to_explode_do_not() -> None:
    def many(key: str) -> dict[str, Any]:
        schemas = {f"S{i}": {key: [{"$ref": f"#/components/schemas/S{i + 1}"}] * 10} for i in range(60)}
        return answer({"$ref": "#/components/schemas/S0"}, **schemas)

    fan = {
        f"S{i}": {
            "type": "object",
            "properties": {f"p{j}": {"$ref": f"#/components/schemas/S{(i + j) % 20}"} for j in range(20)},
        }
        for i in range(20)
    }
    loop = {"S0": {"$ref": "#/components/schemas/S1"}, "S1": {"$ref": "#/components/schemas/S0"}}
    itself = {
        "S0": {
            "allOf": [{"$ref": "#/components/schemas/S0"}, {"properties": {"a": {"$ref": "#/components/schemas/S0"}}}]
        }
    }
    rest = [answer({"$ref": "#/components/schemas/S0"}, **schemas) for schemas in (fan, loop, itself)]
    for document in (many("allOf"), many("oneOf"), *rest):
        found = only(of(document)).output_schema
        assert found is not None
        assert len(json.dumps(found)) < 1_000_000
        Draft202012Validator(found).is_valid({"a": {}})


# Public documents


@cache
def public(name: str) -> Evidence:
    return read([Upload(name, (ANCHORS / name).read_bytes())])


def names_of_public() -> list[str]:
    return sorted(p.name for p in ANCHORS.iterdir()) if ANCHORS.is_dir() else []


PUBLIC = pytest.mark.parametrize(
    "name",
    names_of_public()
    or [pytest.param("", marks=pytest.mark.skip(reason=f"{ANCHORS} is not there: public API descriptions to read"))],
)


@PUBLIC
@pytest.mark.untraced
@pytest.mark.timeout(60)
def test_public_documents_are_read_without_errors(name: str) -> None:
    evidence = public(name)
    assert "error" not in levels(evidence)
    assert evidence.operations
    step = len(evidence.operations) // 3 + 1
    for found in evidence.operations[::step]:
        Draft202012Validator.check_schema(found.input_schema)
        assert {p.name for p in found.parameters} == set(found.input_schema["properties"])
        if found.output_schema is not None and len(str(found.output_schema)) < 20_000:
            Draft202012Validator.check_schema(found.output_schema)


@PUBLIC
@pytest.mark.untraced
def test_names_and_parameters_of_public_documents_are_exact(name: str) -> None:
    """Compared with a reading of the document that is as plain as can be."""
    document, _ = load((ANCHORS / name).read_bytes())
    found = {(a.method, a.path): a for a in public(name).operations}
    count = 0
    for path, item in document["paths"].items():
        for method in {"get", "put", "post", "delete", "patch"} & set(item):
            count += 1
            operation, read_as = item[method], found[method.upper(), path]
            if "operationId" in operation:
                assert read_as.name == operation["operationId"]
            declared = [_end(document, p) for p in [*item.get("parameters", []), *operation.get("parameters", [])]]
            wanted = {(p["name"], p["in"]): bool(p.get("required")) for p in declared if p["in"] in ("path", "query")}
            got = {(p.name, p.place): p.required for p in read_as.parameters if p.place in ("path", "query")}
            assert wanted.items() <= got.items()
            assert all(f"{{{n}}}" in path for n, _ in got.keys() - wanted.keys())
    assert count == len([a for a in found.values() if a.method in ("GET", "PUT", "POST", "DELETE", "PATCH")])


def _end(document: Any, value: Any) -> Any:
    while "$ref" in value:
        found = document
        for key in unquote(value["$ref"]).removeprefix("#/").replace("~1", "\0").split("/"):
            found = found[int(key) if isinstance(found, list) else key.replace("\0", "/")]
        value = found
    return value
