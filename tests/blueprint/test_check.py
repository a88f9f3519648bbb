"""The checker: what is wrong, on which line, and what was probably meant; and never a traceback."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from tests.blueprint.language_world import TEXT_OF_IT
from tests.blueprint.mutations import mutated, mutations
from tests.blueprint.wrong_blueprints import EXAMPLE, WRONG, Wrong
from tests.domains import CORE
from tests.effort import examples

from worldwright import catalogue
from worldwright.blueprint.json_schema import json_schema
from worldwright.blueprint.load import canonical, canonical_yaml, load_text
from worldwright.blueprint.source import load_yaml
from worldwright.compiler.build import build
from worldwright.core.errors import BlueprintError, BuildError, Finding
from worldwright.core.rng import Stream
from worldwright.store.open import world_of

RIGHT = {"example": EXAMPLE, "language_world": TEXT_OF_IT, **{name: catalogue.text(name) for name in CORE}}


def findings(text: str) -> tuple[Finding, ...]:
    with pytest.raises(BlueprintError) as raised:
        load_text(text, "library.yaml")
    return raised.value.findings


def edited(*edits: tuple[str, str]) -> str:
    text = EXAMPLE
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_checks(name: str) -> None:
    load_text(RIGHT[name])


@pytest.mark.parametrize("wrong", WRONG, ids=lambda w: re.sub(r"\W+", " ", w.new).strip()[:50] or "left out")
def test_a_wrong_blueprint_is_told_where_and_what(wrong: Wrong) -> None:
    found = findings(wrong.text)
    right = [f for f in found if f.line == wrong.line and wrong.message in f.message and wrong.hint in f.hint]
    assert right, f"wanted on line {wrong.line}: {wrong.message} ({wrong.hint})\ngot " + "\n    ".join(map(str, found))
    assert f"library.yaml:{wrong.line}: " in str(right[0])


def told(text: str) -> tuple[Finding, ...]:
    """What the checker says: nothing where all is well. Anything but a BlueprintError is for the test to fail with."""
    try:
        load_text(text, "library.yaml")
    except BlueprintError as e:
        return e.findings
    return ()


def test_every_finding_has_a_line_and_a_path() -> None:
    for wrong in WRONG:
        for f in told(wrong.text):
            assert (f.file, f.line > 0, bool(f.path), bool(f.message)) == ("library.yaml", True, True, True), f


def test_paths_are_spoken_in_one_way() -> None:
    """`does[0]`, whether the surface or the meaning is wrong."""
    (surface,) = findings(edited(("else: NOT_ON_SHELF", "else: no")))
    (meaning,) = findings(edited(("require: copy.status == 'on_shelf'", "require: copy.state == 'on_shelf'")))
    assert meaning.path.startswith("operations.lend.does[0]")
    assert surface.path.startswith("operations.lend.does[0]")


def test_several_carried_numbers_have_the_types_that_the_body_gives_them() -> None:
    both = "- let: {value: value + c.title.price}\n          - let: {half: half - c.title.price}"
    carried = edited(
        ("carry: {value: 0}", "carry: {value: 0, half: 0, copies_of: 0}"),
        ("- let: {value: value + c.title.price}", both + "\n          - let: {copies_of: copies_of + 1}"),
        ("gives: {lost_value: value}", "gives: {lost_value: value, half: half, copies_of: copies_of}"),
    )
    gives = load_text(carried).operations["clear_shelf"].gives
    assert isinstance(gives, tuple)
    assert {name: str(node.type) for name, node in gives} == {
        "lost_value": "money",
        "half": "money",
        "copies_of": "int",
    }


def test_mess_sets_a_state_by_its_bare_word() -> None:
    stale = edited(('set: {fine: "pick(1.50, 2.10, 3.00)"}', "set: {status: lost}"))
    ((field, node),) = load_text(stale).mess[-1].values
    assert (field, getattr(node, "value", None)) == ("status", "lost")


def test_the_text_of_a_policy_has_the_figures_of_its_parameters() -> None:
    said = {name: policy.says for name, policy in load_text(EXAMPLE).policies.items()}
    assert said["loan_limit"] == "Nobody has more than 0 loans over their allowance."
    assert said["waiver_cap"] == "Fines over EUR 15 are never waived."


def test_a_step_that_names_nobody_is_done_by_the_first_who_may() -> None:
    silent = edited(
        ("by: manager\n          chance", "chance"), ("- do: lend\n          by: librarian\n", "- do: lend\n")
    )
    assert [step.role for step in load_text(silent).flows["lending"].steps] == ["librarian", "librarian", "manager"]


PARTS = [
    (
        "computed status == 'out' and due_on < today",
        "computed status == 'out' and due < today",
        "nothing is called `due`",
    ),
    ("is: count(l for l in m.loans if l.status", "is: count(l for l in m.loans if l.statu", "no field `statu`"),
    ("rule: loan.fine <= cap", "rule: loan.fines <= cap", "no field `fines`"),
    ("require: loan.status == 'out'", "require: loan.state == 'out'", "no field `state`"),
    ("holds: fine >= 0", "holds: fined >= 0", "nothing is called `fined`"),
    ("please lend {c} to {m}", "please lend {x} to {m}", "nothing is called `x`"),
    ("if: loan.fine > 0", "if: loan.fint > 0", "no field `fint`"),
    ("in: member.name, share", "in: member.nam, share", "no stored field `nam`"),
]


@pytest.mark.parametrize("count", range(2, len(PARTS) + 1))
def test_all_findings_come_at_once(count: int) -> None:
    """Nobody should have to run the checker eight times for eight mistakes in eight sections."""
    said = " ".join(f.message for f in findings(edited(*((old, new) for old, new, _ in PARTS[-count:]))))
    assert [message for _, _, message in PARTS[-count:] if message not in said] == []


def test_findings_are_in_the_order_of_the_file_and_each_once() -> None:
    found = findings(edited(*((old, new) for old, new, _ in PARTS)))
    assert list(found) == sorted(set(found), key=lambda f: (f.line, f.path, f.message))


CIRCLES = {
    "kept from itself": [("allowance: int = 10 if tier == 'gold' else 3", "allowance: int = allowance + 1")],
    "kept from each other": [
        ("allowance: int = 10 if tier == 'gold' else 3", "allowance: int = spare + 1\n      spare: int = allowance + 1")
    ],
    "kept from what the clock changes": [
        ("allowance: int = 10", "young: bool computed joined_on > today - 100\n      allowance: int = 10"),
        ("if tier == 'gold' else 3", "if young else 3"),
    ],
    "kept from rows that the clock changes": [("l.fine for l in loans)", "l.fine for l in loans if l.overdue)")],
    "a policy that obeys itself": [("rule: loan.fine <= cap\n", "rule: loan.fine <= cap and obeys(waiver_cap)\n")],
    "a policy that beats itself": [("when: member.tier == 'gold' and", "when: obeys(loan_limit) and")],
    "computed through a term": [
        ("computed status == 'out' and due_on < today", "computed any_late(member)"),
        ("terms:\n", "terms:\n  any_late: {about: {m: member}, is: exists(l for l in m.loans if l.overdue)}\n"),
    ],
}


@pytest.mark.parametrize("name", CIRCLES)
def test_what_goes_in_circles_or_cannot_be_kept_is_found(name: str) -> None:
    assert findings(edited(*CIRCLES[name]))


# nothing but findings, whatever the text


@settings(max_examples=examples(250), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutations(EXAMPLE))
@example("")
@example("blueprint")
@example("[]")
@example("- a\n- b\n")
@example("\0")
@example("a: &x [*x]")
@example("\ud800")
def test_damage_is_reported_never_raised(text: str) -> None:
    told(text)


@pytest.mark.parametrize("name", [name for name in RIGHT if name != "example"])
def test_damage_to_larger_blueprints_is_reported_never_raised(name: str) -> None:
    for i in range(40):
        told(mutated(RIGHT[name], Stream("damage", name, i).below))


STEPS = EXAMPLE[EXAMPLE.index("      steps:\n") : EXAMPLE.index("\nmess:\n")]

ODD = {
    "an amount that is a word": [("is {copy.status}, not", "is {copy.status:percent}, not")],
    "a flow without steps": [(STEPS, "      steps: []\n")],
    "a name that SQLite keeps": [("  notice:\n", "  sqlite_notice:\n"), ("- add: notice", "- add: sqlite_notice")],
    "a name that an index has": [("  notice:\n", "  loan__member:\n"), ("- add: notice", "- add: loan__member")],
    "an order by what ends in desc": [
        ("      shelf: text ~", "      shelf_desc: text ~"),
        ("on shelf {shelf}", "on shelf {shelf_desc}"),
        ("[title, shelf, status]\n    sort: [id]", "[title, shelf_desc, status]\n    sort: [shelf_desc]"),
        ("title.name, shelf, status", "title.name, shelf_desc, status"),
    ],
    "a state with a quote": [("      lost: []\n  loan:", '      "it\'s": []\n      lost: []\n  loan:')],
    "a role that nobody has": [("librarian 75%, manager 25%", "librarian 100%, manager 0%")],
    "roles but nobody who acts": [("actor: {entity: clerk, role: role}\n", "")],
    "a filter called like the page": [
        ("      blocked: bool", "      limit: text"),
        ("not member.blocked", "member.limit == ''"),
        ("tier, blocked, owed", "tier, limit, owed"),
    ],
    "a filter twice": [("filters: [member, copy, status,", "filters: [member, member, status,")],
    "a case that goes into a number": [
        ("about: {loan: loan}", "about: {loan: loan, n: int}"),
        ("allowed: {loan.fine: 15}", "allowed: {loan.fine: 15, n.x: 3}"),
        ("forbidden: {loan.fine: 15.5}", "forbidden: {loan.fine: 15.5, n: 3}"),
        ("obey: [waiver_cap]", "obey: {waiver_cap: {n: 3}}"),
    ],
}


@pytest.mark.parametrize("name", ODD)
def test_odd_blueprints_run_or_are_told(name: str) -> None:
    runs_or_is_told(edited(*ODD[name]))


@pytest.mark.slow
def test_damage_that_checks_also_builds_and_runs() -> None:
    tried = sum(runs_or_is_told(mutated(EXAMPLE, Stream("gentle", i).below, 2)) for i in range(450))
    assert tried > 20


def runs_or_is_told(text: str) -> bool:
    """Whether it came to a world; every tool of it was called once for every role then."""
    try:
        pack = build(load_text(text), 3, with_tasks=False).pack
    except (BlueprintError, BuildError):
        return False
    world = world_of(pack)
    for path, data in pack.files.items():
        if path.startswith("tools/"):
            compile(data, path, "exec")
    env = world.env()
    for role in world.roles or ("",):
        env.reset(role=role)
        for tool in world.tools:
            wanted = tool.input_schema["properties"]
            env.call_tool(tool.name, {name: plain(wanted[name]) for name in tool.input_schema["required"]})
    env.close()
    return True


def plain(schema: dict[str, Any]) -> Any:
    """A value that fits the schema of an argument."""
    if "items" in schema:
        return [plain(schema["items"])]
    if "properties" in schema:
        return {name: plain(schema["properties"][name]) for name in schema["required"]}
    fixed = [*schema.get("examples", ()), *schema.get("enum", ())]
    by_type = {"integer": schema.get("minimum", 1), "number": schema.get("minimum", 1), "boolean": True}
    return fixed[0] if fixed else by_type.get(schema["type"], "x")


# one form, and a schema for editors


@pytest.mark.parametrize("name", RIGHT)
def test_the_canonical_form_is_the_same_blueprint(name: str) -> None:
    first = load_text(RIGHT[name])
    text = canonical_yaml(first.blueprint)
    second = load_text(text)
    assert second.digest == first.digest
    assert second.blueprint == first.blueprint
    assert canonical_yaml(second.blueprint) == text
    assert load_yaml(text, "canonical").data == canonical(first.blueprint)


def test_the_digest_knows_the_order_of_fields_but_not_comments_or_spaces() -> None:
    digest = load_text(EXAMPLE).digest
    assert load_text("# a comment\n" + EXAMPLE.replace("rows: 8", "rows:    8")).digest == digest
    assert load_text(edited(("rows: 8", "rows: 9"))).digest != digest
    swapped = edited(("      name: person\n      mail: email\n", "      mail: email\n      name: person\n"))
    assert load_text(swapped).digest != digest


@pytest.mark.parametrize("name", RIGHT)
def test_the_json_schema_admits_what_is_right(name: str) -> None:
    assert misfits(load_yaml(RIGHT[name], name).data, json_schema()) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("title",), None), (("nonsense",), 1), (("rounding",), "up"), (("entities", "member", "rows"), -1),
        (("entities", "member", "fields", "name"), 5), (("operations", "lend", "does", 0, "lets"), {}),
        (("policies", "no_debts", "enforced"), "both"), (("mess", 0, "layer"), "dust"), (("history", "flows"), []),
    ],
)  # fmt: skip
def test_the_json_schema_refuses_what_is_wrong(path: tuple[str | int, ...], value: Any) -> None:
    data = copy.deepcopy(load_yaml(EXAMPLE, "example").data)
    here = data
    for part in path[:-1]:
        here = here[part]
    here[path[-1]] = value
    assert misfits(data, json_schema())


JSON_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,),
    "null": (type(None),),
}  # fmt: skip


def misfits(value: Any, schema: Any, root: Any = None, path: str = "") -> list[str]:
    """Where a value does not fit a JSON Schema, as far as this one's keywords go."""
    root = root or schema
    if "$ref" in schema:
        return misfits(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, path)
    if "anyOf" in schema:
        tries = [misfits(value, option, root, path) for option in schema["anyOf"]]
        return [] if [] in tries else min(tries, key=len)
    types = schema.get("type", [])
    names = [types] if isinstance(types, str) else types
    if names and not any(
        isinstance(value, JSON_TYPES[t]) and (t == "boolean" or not isinstance(value, bool)) for t in names
    ):
        return [f"{path}: {value!r} is not {names}"]
    out = [f"{path}: {value!r} is not one of {schema['enum']}"] if value not in schema.get("enum", [value]) else []
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        more = schema.get("exclusiveMinimum", value - 1)
        out += [f"{path}: {value} is out of range"] if not (low <= value <= high and value > more) else []
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        out.append(f"{path}: {value!r} does not match {schema['pattern']}")
    if isinstance(value, list) and "items" in schema:
        out += [m for i, item in enumerate(value) for m in misfits(item, schema["items"], root, f"{path}[{i}]")]
    if isinstance(value, dict):
        known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        out += [f"{path}: {name} is missing" for name in schema.get("required", ()) if name not in value]
        for name, item in value.items():
            if name in known or isinstance(more, dict):
                out += misfits(item, known.get(name, more), root, f"{path}.{name}")
            elif more is False:
                out.append(f"{path}: {name} is not known")
    return out
