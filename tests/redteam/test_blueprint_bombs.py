"""Small Blueprints that would cost without bound: circles, laughs by name, numbers that are no numbers, hostile patterns."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from tests.redteam.helpers import MINI, Change, attempted, changed, findings, within

from worldwright.blueprint.load import load_text
from worldwright.compiler.build import build
from worldwright.core.errors import BlueprintError, BuildError
from worldwright.formats.strict_yaml import dump_yaml
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.emit.tools import tool_source

FIELDS: dict[str, Any] = MINI["entities"]["thing"]["fields"]
OPERATION: dict[str, Any] = {
    "in": "desk", "says": "x", "by": "anyone", "takes": {"thing": "thing"}, "does": [{"set": {"thing.size": "1"}}],
    "gives": "thing",
}  # fmt: skip


def bounded(*changes: Change) -> None:
    """Refused with findings, or compiled and written out within a second."""
    found, said = attempted(*changes)
    if found is None:
        assert said.startswith("blueprint.yaml:")
        return
    with within(5):
        CompiledWorld(found)
        for name in found.operations:
            tool_source(found, name)


# circles


@pytest.mark.parametrize(
    "terms",
    [
        {"a": {"is": "a() + 1"}},
        {"a": {"is": "b() + 1"}, "b": {"is": "a() + 1"}},
        {
            "a": {"about": {"t": "thing"}, "is": "b(t)"},
            "b": {"about": {"t": "thing"}, "is": "c(t)"},
            "c": {"about": {"t": "thing"}, "is": "a(t)"},
        },
    ],
)
def test_circle_of_terms(terms: dict[str, Any]) -> None:
    assert "leads back to itself" in findings(("terms", terms))


@pytest.mark.parametrize(
    "fields",
    [
        {"x": "int computed x + 1"},
        {"x": "int computed y + 1", "y": "int computed x + 1"},
        {"x": "int computed part_of.x + 1"},
        {"x": "int computed sum(p.x for p in parts)"},
    ],
)
def test_circle_of_computed_fields(fields: dict[str, str]) -> None:
    assert "computed from itself" in findings(("entities/thing/fields", {**FIELDS, **fields}))


def test_circle_of_a_computed_field_through_a_term() -> None:
    fields = {**FIELDS, "x": "int computed deep(part_of)"}
    said = findings(("entities/thing/fields", fields), ("terms/deep", {"about": {"t": "thing"}, "is": "t.x + 1"}))
    assert "itself" in said


def test_circle_of_a_computed_field_through_a_policy() -> None:
    fields = {**FIELDS, "x": "bool computed obeys(cap, thing=part_of)"}
    cases = [{"allowed": {"thing.x": True}}, {"forbidden": {"thing.x": False}}]
    assert "itself" in findings(
        ("entities/thing/fields", fields), ("policies/cap/rule", "thing.x"), ("policies/cap/cases", cases)
    )


@pytest.mark.parametrize("fields", [{"x": "int = x + 1"}, {"x": "int = y + 1", "y": "int = x + 1"}])
def test_circle_of_kept_fields(fields: dict[str, str]) -> None:
    assert "itself" in findings(("entities/thing/fields", {**FIELDS, **fields}))


def test_kept_field_that_adds_itself_up_along_a_reference_to_its_own_kind() -> None:
    """Rows that are parts of themselves can be made by any caller; the sum would never settle."""
    fields = {**FIELDS, "weight": "int = size + sum(p.weight for p in parts)"}
    said = findings(("entities/thing/fields", fields))
    assert "weight" in said


def test_circle_of_kept_fields_through_two_entities() -> None:
    other = {
        "in": "desk",
        "key": "OT-##",
        "fields": {"thing": "thing as others", "n": "int = sum(t.m for t in things)"},
    }
    fields = {**FIELDS, "other": "other as things?", "m": "int = sum(o.n for o in others)"}
    assert "itself" in findings(("entities/thing/fields", fields), ("entities/other", other))


def test_circle_of_policies() -> None:
    assert "itself" in findings(("policies/cap/rule", "thing.size <= most and obeys(cap)"))


def test_circle_of_a_policy_through_a_term() -> None:
    term = {"about": {"thing": "thing"}, "is": "obeys(cap)"}
    assert "itself" in findings(("policies/cap/rule", "thing.size <= most and fine(thing)"), ("terms/fine", term))


def test_circle_of_policies_that_beat_each_other() -> None:
    """`beats` uses only the other's `when`: two that beat each other are settled, not a loop."""
    cap = MINI["policies"]["cap"]
    cases = [{"allowed": {"thing.size": 1}}, {"forbidden": {"thing.size": 50}}]
    one = {
        **cap,
        "rule": "thing.size <= 9",
        "when": "thing.size > 0",
        "beats": ["two"],
        "parameters": {},
        "says": "x",
        "cases": cases,
    }
    bounded(("policies", {"cap": cap, "one": {**one}, "two": {**one, "beats": ["one"]}}))


@pytest.mark.parametrize("length", [1, 2, 3])
def test_circle_of_operations(length: int) -> None:
    made = {
        f"r{i}": {**OPERATION, "does": [{"run": f"r{(i + 1) % length}", "with": {"thing": "thing"}}]}
        for i in range(length)
    }
    assert "runs itself" in findings(("operations", made))


# laughs


def test_terms_that_call_each_other_twice() -> None:
    terms = {
        f"u{i}": {"about": {"t": "thing"}, "is": f"u{i - 1}(t) + u{i - 1}(t)" if i else "t.size"} for i in range(40)
    }
    bounded(("terms", {**MINI["terms"], **terms}), ("operations/find_things/where", "u39(part_of) > 0"))


def test_computed_fields_that_read_each_other_twice() -> None:
    fields = {f"b{i}": f"int computed b{i - 1} + b{i - 1}" if i else "int computed size" for i in range(40)}
    bounded(("entities/thing/fields", {**FIELDS, **fields}), ("operations/find_things/filters", ["name", "b39"]))


def test_operations_that_run_each_other_twice() -> None:
    made: dict[str, Any] = {"r0": OPERATION}
    for i in range(1, 40):
        made[f"r{i}"] = {**OPERATION, "does": [{"run": f"r{i - 1}", "with": {"thing": "thing"}}] * 2}
    bounded(("operations", made))


def test_loops_inside_loops_inside_runs() -> None:
    """Each loop is bounded by 500 rows, each run by nothing: ten levels would be 500 to the tenth."""
    made: dict[str, Any] = {"r0": OPERATION}
    for i in range(1, 10):
        made[f"r{i}"] = {
            **OPERATION,
            "does": [{"each": "t in thing", "do": [{"run": f"r{i - 1}", "with": {"thing": "t"}}]}],
        }
    said = findings(("operations", made))
    assert "operations.r" in said


@pytest.mark.parametrize(("deep", "said"), [(6, ""), (7, "aggregates 7 deep")])
def test_aggregates_inside_aggregates_by_name(deep: int, said: str) -> None:
    terms = {
        f"n{i}": {"about": {"t": "thing"}, "is": f"count(p for p in t.parts if n{i - 1}(p) > 0)" if i else "t.size"}
        for i in range(deep + 1)
    }
    found, refused = attempted(("terms", {**MINI["terms"], **terms}))
    assert (found is None) == bool(said)
    assert said in refused


@pytest.mark.parametrize(("deep", "said"), [(3, ""), (4, "loops 4 deep")])
def test_loops_inside_loops_by_name(deep: int, said: str) -> None:
    made: dict[str, Any] = {"r0": OPERATION}
    for i in range(1, deep + 1):
        run = {"run": f"r{i - 1}", "with": {"thing": "t"}}
        made[f"r{i}"] = {**OPERATION, "does": [{"each": "t in thing", "do": [run]}]}
    found, refused = attempted(("operations", made))
    assert (found is None) == bool(said)
    assert said in refused


def test_long_chain_of_terms() -> None:
    terms = {f"t{i}": {"about": {"x": "int"}, "is": f"t{i - 1}(x) + 1" if i else "x"} for i in range(1000)}
    backwards = dict(reversed(terms.items()))
    for order in (terms, backwards):
        bounded(("terms", {**MINI["terms"], **order}), ("operations/rename/does/0/require", "t999(1) > 0"))


def test_long_chain_of_computed_fields() -> None:
    fields = {f"c{i}": f"int computed c{i - 1} + 1" if i else "int computed size" for i in range(400)}
    bounded(("entities/thing/fields", {**FIELDS, **fields}), ("operations/find_things/filters", ["name", "c399"]))


def test_long_chain_of_operations() -> None:
    made: dict[str, Any] = {"r0": OPERATION}
    for i in range(1, 300):
        made[f"r{i}"] = {**OPERATION, "does": [{"run": f"r{i - 1}", "with": {"thing": "thing"}}]}
    bounded(("operations", made))


# text that takes for ever to read


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("entities/thing/fields/x", "text" + " " * 30_000 + "x"),
        ("entities/thing/fields/x", "text" + "? " * 15_000),
        ("entities/thing/fields/x", "one of " + "a " * 20_000),
        ("entities/thing/fields/x", "one of " + ", ".join(f"w{i}" for i in range(20_000))),
        ("operations/rename/does/0", {"each": "t" + " " * 50_000 + "in", "do": []}),
        ("entities/thing/key", "A" * 100_000 + "-##"),
        ("now", "2025-06-16T09:00:00Z" * 5000),
    ],
    ids=range(7),
)  # fmt: skip
def test_text_that_makes_a_pattern_backtrack(path: str, value: Any) -> None:
    found, said = attempted((path, value))
    assert found is not None or path.split("/")[0] in said


def test_long_names_that_are_alike() -> None:
    """Looking for the nearest right name must not compare texts of a hundred thousand characters."""
    alphabet = [chr(0x4E00 + i) for i in range(4000)]
    long = "".join(alphabet * 10)
    said = findings(("systems", {"desk": "x", long: "y"}), ("entities/thing/in", long[1:] + "x"))
    assert "no system is called" in said or "systems" in said


# numbers


@pytest.mark.parametrize("number", ["inf", "-inf", "nan", "1e999", ".inf"])
@pytest.mark.parametrize("key", ["min", "max"])
def test_bound_that_is_no_number(number: str, key: str) -> None:
    for spec in ({"type": "text"}, {"type": "int"}, {"type": "money"}, {"list": "thing"}):
        assert "operations.rename.takes" in findings(("operations/rename/takes/more", {**spec, key: number}))


@pytest.mark.parametrize("share", ["inf", "nan", "nan%", "-1", "101%", "1e9%", "inf%"])
def test_share_that_is_no_share(share: str) -> None:
    mess = [{"layer": "typo", "label": "x", "in": "thing.name", "share": share}]
    assert "mess[0].share" in findings(("mess", mess))


@pytest.mark.parametrize(
    "now",
    [
        "２０２５-06-16T09:00:00Z",
        "٢٠٢٥-٠٦-١٦T09:00:00Z",
        "2025-02-30T00:00:00Z",
        "2025-06-16",
        "",
        "now",
        "2025-06-16T24:00:00Z",
    ],
)
def test_clock_that_is_no_moment(now: str) -> None:
    assert "is not a moment" in findings(("now", now))


@pytest.mark.parametrize("now", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_clock_at_the_ends_of_time(now: str) -> None:
    """History has no room before the first year: said so, or taken; no overflow."""
    flow = {"per_week": 5, "steps": [{"do": "rename", "with": {"thing": "any(t for t in thing)", "name": "'x'"}}]}
    data = changed(MINI, ("now", now), ("history", {"spans": "30 days", "flows": {"f": flow}}))
    with suppress(BlueprintError, BuildError):
        assert build(load_text(dump_yaml(data)), 7).pack.files


# patterns


@pytest.mark.parametrize(
    "name",
    [
        "__init__",
        "__main__",
        "_private",
        "../../os",
        "os",
        "os.path",
        "audit_trail.Params",
        "approval\n",
        "",
        "audit_trail/../approval",
        "é",
    ],
)
def test_pattern_by_the_name_of_something_else(name: str) -> None:
    assert "no pattern is called" in findings(("use", [{name: {}}]))


@pytest.mark.parametrize(
    "use",
    [5, 1.5, True, "audit_trail", {"audit_trail": {}}, [5], ["audit_trail"], [[]], [{}], [{"a": {}, "b": {}}], [None]],
)
def test_use_that_is_no_list_of_patterns(use: Any) -> None:
    assert "use" in findings(("use", use))


@pytest.mark.parametrize(
    "params", [5, "x", [], {"in": 5}, {"evil": 1}, {"in": "desk", "actor": "thing", "operations": 7}, {"in": ["desk"]}]
)
def test_pattern_with_parameters_of_the_wrong_shape(params: Any) -> None:
    assert "use[0].audit_trail" in findings(("use", [{"audit_trail": params}]))


TRAIL = {"audit_trail": {"in": "desk", "actor": "thing", "operations": ["rename"]}}


@pytest.mark.parametrize("section", ["entities", "operations"])
@pytest.mark.parametrize("value", [None, [], [1], "x", 5, {"rename": None}, {"rename": 5}, {"rename": []}])
def test_pattern_over_a_section_of_the_wrong_shape(section: str, value: Any) -> None:
    assert findings(("use", [TRAIL]), (section, value))


@pytest.mark.parametrize("value", [None, 5, "x", {"set": 1}])
def test_pattern_over_statements_of_the_wrong_shape(value: Any) -> None:
    assert findings(("use", [TRAIL]), ("operations/rename/does", value))


@pytest.mark.parametrize("text", ["rename') or open('x", "x'", "thing.__class__", "{x}", "__import__('os')"])
def test_pattern_with_code_in_its_parameters(text: str) -> None:
    for params in ({"actor": text}, {"in": text}, {"operations": [text]}, {"operations": {"rename": text}}):
        assert findings(("use", [{"audit_trail": {**TRAIL["audit_trail"], **params}}]))


def test_pattern_that_would_overwrite() -> None:
    entity = {"in": "desk", "key": "AU-##", "fields": {"name": "text"}}
    assert "which is there already" in findings(("use", [TRAIL]), ("entities/audit_entry", entity))
    assert "which is there already" in findings(("use", [TRAIL, TRAIL]))
