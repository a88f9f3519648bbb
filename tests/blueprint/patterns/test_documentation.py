"""Every pattern is described: in its docstring with an example that works, and in docs/patterns.md with every parameter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from tests.blueprint.patterns.small_world import example, uses

from worldwright.blueprint import patterns
from worldwright.blueprint.source import load_yaml

DOCS = (Path(__file__).resolve().parents[3] / "docs" / "patterns.md").read_text(encoding="utf-8")
NAMES = patterns.names()


def section(name: str) -> str:
    return DOCS.partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def yaml_blocks(text: str) -> list[str]:
    return re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models inside a type, such as the parts of a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models(part)


def parameters(model: type[BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    """Names, as an author writes them, and meaning; those of parts after those of the whole."""
    yield from ((field.alias or name, field) for name, field in model.model_fields.items())
    for field in model.model_fields.values():
        for part in models(field.annotation):
            yield from parameters(part)


def test_there_are_patterns() -> None:
    assert set(NAMES) >= {
        "approval",
        "audit_trail",
        "exchange_rates",
        "inbox",
        "ledger",
        "loyalty",
        "refunds",
        "reservation",
    }
    assert not any(name.startswith("_") for name in NAMES)
    with pytest.raises(KeyError):
        patterns.get("_parts")


@pytest.mark.parametrize("name", NAMES)
def test_every_pattern_has_tests_of_its_own(name: str) -> None:
    assert (Path(__file__).parent / f"test_{name}.py").is_file()


@pytest.mark.parametrize("name", NAMES)
def test_every_docstring_has_an_example_that_fits(name: str) -> None:
    pattern = patterns.get(name)
    assert pattern.says == pattern.doc.splitlines()[0]
    assert pattern.says.endswith(".")
    use, statements = example(name)
    for entry in uses(use):
        ((used, given),) = entry.items()
        assert used == name
        assert set(pattern.expand(pattern.params.model_validate(given)))
    assert isinstance(load_yaml(statements, name).data, list | None)


@pytest.mark.parametrize("name", NAMES)
def test_every_docstring_names_every_parameter(name: str) -> None:
    pattern = patterns.get(name)
    own = [field.alias or p for p, field in pattern.params.model_fields.items()]
    assert [p for p in own if f"`{p}`" not in pattern.doc] == []
    assert [p for p, _ in parameters(pattern.params) if not re.search(rf"\b{p}\b", pattern.doc)] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_says_what_it_is(name: str) -> None:
    assert [p for p, field in parameters(patterns.get(name).params) if not field.description] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_every_parameter_and_no_other(name: str) -> None:
    rows = re.findall(r"^\| `(\w+)` \|(.*?)\|", section(name), re.MULTILINE)
    expected = list(parameters(patterns.get(name).params))
    assert [p for p, _ in rows] == [p for p, _ in expected]
    needed = [p for p, default in rows if not default.strip()]
    assert needed == [p for p, field in expected if field.is_required()]


@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_an_example_that_fits(name: str) -> None:
    first, *statements = yaml_blocks(section(name))
    (entry,) = uses(first)
    pattern = patterns.get(name)
    pattern.expand(pattern.params.model_validate(entry[name]))
    for text in statements:
        assert isinstance(load_yaml(text, name).data, list)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_names_everything_that_is_added(name: str) -> None:
    (entry,) = uses(yaml_blocks(section(name))[0])
    pattern = patterns.get(name)
    given = entry[name]
    fragment = pattern.expand(pattern.params.model_validate(given))
    chosen = str(given)
    for nodes in (fragment.get(s, {}) for s in ("entities", "terms", "policies", "operations", "always")):
        for node in nodes:
            said = node if name != "ledger" else node.replace("cost_centre_not", "ACCOUNT_not")
            assert re.search(rf"`{said}[`(]", section(name)) or said in chosen or said == "decision"


def test_the_page_has_no_other_section() -> None:
    assert tuple(re.findall(r"^## (\w+)$", DOCS, re.MULTILINE)) == NAMES
    assert tuple(re.findall(r"^\| .*\| \[(\w+)\]\(#\1\) \|$", DOCS, re.MULTILINE)) == NAMES
