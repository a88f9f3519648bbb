"""Hostile YAML: bombs, tags, things that a reader cannot see."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.redteam.helpers import findings, within

from worldwright.blueprint.load import load_file
from worldwright.blueprint.source import load_yaml
from worldwright.core.errors import BlueprintError


def refused(text: str, match: str) -> None:
    with within(3), pytest.raises(BlueprintError, match=match) as caught:
        load_yaml(text, "evil.yaml")
    assert [f.path for f in caught.value.findings] == ["yaml"]
    assert len(str(caught.value)) < 1000


def test_billion_laughs() -> None:
    lines = ["a0: &a0 [lol, lol]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 40)]
    refused("\n".join(lines), "aliases are not allowed")


def test_alias_to_itself() -> None:
    refused("a: &a [*a]", "aliases are not allowed")


@pytest.mark.parametrize("text", ["a: {<<: {b: 1}}", "<<: [{a: 1}]", "x:\n  <<: {title: evil}\n"])
def test_merge_key(text: str) -> None:
    refused(text, "merge keys are not allowed")


@pytest.mark.parametrize(
    "node",
    [
        "!!python/object/apply:os.system ['touch evil']", "!!python/object/new:os.system [x]",
        "!!python/name:os.system ''",
        "!!python/module:os ''", "!!python/object:builtins.object {}", "!!python/tuple [a]", "!!binary eA==",
        "!!set {a}", "!!str 5",
        "!!int '5'", "!!timestamp 2020-01-01", "!!map {a: 1}", "!!seq [1]", "!local x", "! x", "!<tag:evil> x",
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["title: {}", "? {}\n: x", "- {}", "[{}]"])
def test_tag_anywhere(node: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused(place.replace("{}", node), "tags are not allowed|not YAML")
    assert list(tmp_path.iterdir()) == []


def test_tag_under_a_handle_of_its_own() -> None:
    refused("%TAG ! tag:yaml.org,2002:python/\n---\na: !name:os.system x", "tags are not allowed")


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, "{a: " * 5_000 + "1" + "}" * 5_000, "- " * 50_000 + "x"]
)
def test_deep_nesting(text: str) -> None:
    refused(text, "nested more than 40 deep")


def test_deep_nesting_by_indentation() -> None:
    refused("\n".join(" " * i + "a:" for i in range(500)), "nested more than 40 deep")


def test_huge_scalar() -> None:
    refused("title: " + "x" * 34_000_000, "more than 33,554,432 bytes")


def test_very_many_nodes() -> None:
    refused("a: [" + "1," * 250_000 + "1]", "more than 200,000 nodes")


@pytest.mark.parametrize("text", ["a: 1\na: 2", "entities:\n  x: 1\n  x: 2", '{a: 1, "a": 2}'])
def test_duplicate_key(text: str) -> None:
    refused(text, "is given twice")


@pytest.mark.parametrize("text", ["a: 1\n---\nb: 2", "a: [", "a: b: c", "{a", "\t- x", "%YAML 9.9\n---\na: 1\n...\nb"])
def test_text_that_is_not_one_document(text: str) -> None:
    refused(text, "not YAML")


@pytest.mark.parametrize("text", ["? [a, b]\n: 1", "? {a: 1}\n: 1"])
def test_key_that_is_no_word(text: str) -> None:
    refused(text, "a key has to be a word")


@pytest.mark.parametrize(
    "escape", [r"\0", r"\a", r"\e[31m", r"\r", r"\x7f", r"\x85", r"\u2028", r"\u202e", r"\u2066", r"\ufeff", r"\x1f"]
)
@pytest.mark.parametrize("place", ['title: "x{}y"', '"x{}y": 1', 'a: ["{}"]'])
def test_control_character(escape: str, place: str) -> None:
    refused(place.replace("{}", escape), "control characters are not allowed")


@pytest.mark.parametrize("text", ["title: x\0y", "title: \x1b[31m", "title: \ud800", 'title: "\\ud800"', "title: \x80"])
def test_raw_control_character(text: str) -> None:
    refused(text, "not YAML|control characters are not allowed")


def test_numbers_that_only_look_like_numbers() -> None:
    """None of them is a float that JSON cannot hold, or a number of thousands of digits."""
    data = load_yaml(
        "a: .inf\nb: .nan\nc: 1e999\nd: 0x1F\ne: 1_000\nf: 1:30\ng: " + "9" * 5000 + "\nh: no\ni: 2020-01-01", "f"
    ).data
    assert {type(v) for v in data.values()} == {str}


@pytest.mark.parametrize("text", ["", "5", "[]", "just text", "null", "- a"])
def test_document_that_is_no_map(text: str, tmp_path: Path) -> None:
    path = tmp_path / "evil.yaml"
    path.write_text(text)
    with pytest.raises(BlueprintError, match="a Blueprint is a map"):
        load_file(path)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"title: \xff", b"\x00" * 100, b"\x1f\x8b"])
def test_file_that_is_no_text(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "evil.yaml"
    path.write_bytes(data)
    with pytest.raises(BlueprintError, match=r"cannot be read|not YAML"):
        load_file(path)


def test_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.yaml", tmp_path, tmp_path / ("x" * 5000)):
        with pytest.raises(BlueprintError, match="cannot be read"):
            load_file(path)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("entities/thing/rows", 10**9), ("entities/thing/rows", 100_001), ("entities/thing/rows", -1),
        ("entities/thing/rows", "9" * 5000),
        ("entities/thing/rows", {}), ("entities", []), ("entities", None), ("operations", "x"), ("systems", ["desk"]),
        ("kind", "os"),
        ("locale", "../../etc"), ("currency", "EUR'; --"), ("rounding", "eval"), ("__class__", "x"),
        ("model_config", {}),
        ("history", {"flows": {"f": {"per_week": 10**9, "steps": []}}}), ("history", {"spans": "999999999 days"}),
        ("entities/thing/__init__", "x"), ("operations/rename/does", {"set": 1}),
        ("operations/rename/does/0/require", ["x"]),
    ],
)  # fmt: skip
def test_value_of_the_wrong_shape_or_size(path: str, value: object) -> None:
    said = findings((path, value))
    assert path.split("/")[0] in said
    assert len(said) < 12_000
