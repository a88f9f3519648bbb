"""Names and words that mean something to Python, to SQL or to the file system."""

from __future__ import annotations

import pytest
from tests.redteam.helpers import MINI, Change, attempted, checked, findings

from worldwright.compiler.build import build
from worldwright.core.errors import BuildError
from worldwright.kinds.database.emit.tools import tool_source
from worldwright.kinds.database.state import empty_state

ENTITY = {"in": "desk", "key": "ZZ-##", "rows": 1, "fields": {"name": "text"}}
OPERATION = MINI["operations"]["rename"]

BAD = [
    "class", "import", "lambda", "none", "id", "self", "__init__", "__class__", "_private", "Name", "é", "x-y", "x y",
    "x;drop", "x.y",
    "../x", "a" * 61, "", "1x", "x'", 'x"', "x\\", "{x}", "now", "actor", "sum",
]  # fmt: skip
SQL = [
    "select",
    "order",
    "group",
    "table",
    "index",
    "where",
    "drop",
    "values",
    "rowid",
    "check_",
    "trigger",
    "pragma",
    "sqlite_x",
]
PYTHON = [
    "match",
    "type",
    "exec",
    "eval",
    "print",
    "open",
    "list",
    "dict",
    "str",
    "len_of",
    "refuse",
    "ctx",
    "attr",
    "bool",
]


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize(
    "place", ["entities/{}", "entities/thing/fields/{}", "operations/rename/takes/{}", "operations/{}"]
)
def test_name_that_is_a_keyword_or_no_identifier(name: str, place: str) -> None:
    if "/" in name:
        name = name.replace("/", "∕")  # the path of a change has its own slashes
    node = {"entities/{}": ENTITY, "operations/{}": OPERATION}.get(place, "text?")
    said = findings((place.format(name) if "{" not in name else place.replace("{}", name), node))
    assert "cannot be the name of" in said or "is a word of the language" in said


@pytest.mark.parametrize("name", ["../evil", "Town Library", "__class__", "x" * 61, "", "a/b"])
def test_name_of_the_blueprint_that_is_a_path(name: str) -> None:
    """It names the pack, its folder and its reference in the store."""
    assert "blueprint" in findings(("blueprint", name))


@pytest.mark.parametrize("place", ["policies", "terms", "always", "goals"])
def test_names_of_rules(place: str) -> None:
    node = {
        "policies": MINI["policies"]["cap"],
        "terms": MINI["terms"]["bulk"],
        "always": {"holds": "true", "says": "x"},
        "goals": {"wants": "true", "asks": ["x"]},
    }[place]
    for name in ("__class__", "class", "x y", "x'"):
        said = findings((f"{place}/{name}", node))
        assert "cannot be the name of" in said or "is a word of the language" in said


@pytest.mark.parametrize("name", SQL + PYTHON)
@pytest.mark.parametrize("place", ["entity", "field", "input", "operation"])
def test_name_that_means_something_in_sql_or_python(name: str, place: str) -> None:
    """Refused with a finding, or taken and harmless: the tables can be made and every generated file compiles."""
    changes: dict[str, list[Change]] = {
        "entity": [(f"entities/{name}", ENTITY), (f"entities/thing/fields/one_{name}", f"{name}?")],
        "field": [(f"entities/thing/fields/{name}", "text?"), ("operations/find_things/filters", ["name", name])],
        "input": [(f"operations/rename/takes/{name}", "text?")],
        "operation": [(f"operations/{name}", OPERATION)],
    }
    found, said = attempted(*changes[place])
    if found is None:
        assert name in said
        return
    empty_state(found.schema).close()
    for operation in {"rename", "find_things", name} & set(found.operations):
        source = tool_source(found, operation)
        compile(source, f"{operation}.py", "exec")
        if place == "operation" and operation == name:
            assert f"import {name}," not in source
            assert f", {name}\n" not in source.partition("def ")[0]


def test_entity_that_takes_the_name_of_an_index() -> None:
    """`thing__part_of` is the index on the reference `part_of` of `thing`."""
    assert "thing__part_of" in findings(("entities/thing__part_of", ENTITY))


def test_entity_with_more_fields_than_a_table_can_have() -> None:
    fields = {f"f{i}": "text?" for i in range(2100)}
    assert "entities.wide" in findings(("entities/wide", {**ENTITY, "fields": fields}), seconds=5)


@pytest.mark.parametrize("name", ["sort", "limit", "offset"])
def test_filter_that_takes_the_name_of_a_part_of_every_search(name: str) -> None:
    """Two inputs of one name: the text of a filter would become the LIMIT of the query."""
    said = findings((f"entities/thing/fields/{name}", "text?"), ("operations/find_things/filters", ["name", name]))
    assert name in said


def test_filters_that_collide_with_each_other() -> None:
    fields = {"size_from": "text?", **MINI["entities"]["thing"]["fields"]}
    said = findings(("entities/thing/fields", fields), ("operations/find_things/filters", ["size", "size_from"]))
    assert "size_from" in said


@pytest.mark.parametrize(
    "state", ["it's", "a\"b'c", "x') --", "new'))); DROP TABLE thing; --", "two words", "", "\\", "{x}", "ünï"]
)
def test_state_of_a_lifecycle_that_breaks_out_of_sql(state: str) -> None:
    """States are words, as those of a choice are; or they are quoted as SQL quotes, and the table takes exactly them."""
    found, said = attempted(("entities/thing/lifecycle", {"new": ["old", state], "old": [], state: []}))
    if found is None:
        assert "entities.thing.lifecycle" in said
        return
    conn = empty_state(found.schema)
    columns = [row[1] for row in conn.execute("PRAGMA table_info(thing)").fetchall()]
    assert columns == ["id", *MINI["entities"]["thing"]["fields"]]
    values = ("TH-0001", "x", "plain", 1, 100, None, None)
    conn.execute("INSERT INTO thing VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*values, state))
    assert conn.execute("SELECT status FROM thing").fetchall() == [(state,)]
    conn.close()


@pytest.mark.parametrize("word", ["it's", "a b", "x') --", '"', "a;b", "", "%", "{x}", "\\"])
def test_word_of_a_choice_that_breaks_out_of_sql(word: str) -> None:
    assert "is not a word of a choice" in findings(("entities/thing/fields/kind", f"one of plain, {word}"))


@pytest.mark.parametrize(
    "key", ["TH-#", "th-##", "TH##", "T'H-##", "TH-##; DROP", "../-##", "TH-" + "#" * 10, "A" * 13 + "-##", ""]
)
def test_key_that_is_no_key(key: str) -> None:
    assert "is not a key" in findings(("entities/thing/key", key))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("operations/rename/does/0/else", "lower_case"), ("operations/rename/does/0/else", "X'); --"),
        ("operations/rename/does/0/else", "A\nB"),
        ("policies/cap/code", "import os"), ("policies/cap/code", 'X"'), ("policies/cap/enforced", "never"),
    ],
)  # fmt: skip
def test_code_of_an_error_that_is_code(path: str, value: str) -> None:
    assert path.split("/")[1] in findings((path, value))


@pytest.mark.parametrize("name", ["m=pwned()", "ctx", "x: int", "*args", "x,y", "class"])
def test_parameter_of_a_term_that_breaks_out_of_its_function(name: str) -> None:
    said = findings(
        ("terms/evil", {"about": {name: "thing"}, "is": "1"}), ("operations/rename/does/0/require", "evil(thing) == 1")
    )
    assert "terms.evil" in said


@pytest.mark.parametrize("name", ["m=pwned()", "ctx", "x,y", "class"])
def test_subject_of_a_policy_that_breaks_out_of_its_function(name: str) -> None:
    assert "policies.cap" in findings(("policies/cap/about", {"thing": "thing", name: "thing"}))


@pytest.mark.parametrize("name", ['x": pwned(), "y', "x\ny", '"'])
def test_name_of_a_given_value_that_breaks_out_of_its_dict(name: str) -> None:
    assert "operations.resize.gives" in findings(("operations/resize/gives", {name: "thing.size"}))


@pytest.mark.parametrize("name", ['d"""\npwned()\n"""', "desk\npwned()"])
def test_name_of_a_system_that_breaks_out_of_a_docstring(name: str) -> None:
    assert "systems" in findings(("systems", {"desk": "x", name: "y"}), ("operations/rename/in", name))


@pytest.mark.parametrize("name", ['r"""\npwned()\n"""', "anyone"])
def test_name_of_a_role_that_breaks_out_of_a_docstring(name: str) -> None:
    """`anyone` is no role but everybody: one of that name could never be kept from anything."""
    assert "roles" in findings(("roles", {name: "evil"}), ("operations/rename/by", [name]))


def test_roles_that_nobody_has() -> None:
    """Without an actor there is no row that acts: such a world cannot be opened, so it must not check."""
    said = findings(("roles", {"clerk": "works"}), ("operations/rename/by", ["clerk"]))
    assert "roles" in said or "actor" in said


def test_seed_out_of_range() -> None:
    for seed in (-1, 2**63, 10**30):
        with pytest.raises(BuildError, match="out of range"):
            build(checked(), seed, with_tasks=False)
