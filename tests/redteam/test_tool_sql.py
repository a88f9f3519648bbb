"""SQL, wildcards and orders in every argument, and in the names of tools and arguments."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.redteam.episodes import inside, refused, untouched

from worldwright.engine.env import Env

LETTERS = "aBcZ09 %_*?[]^-'\"~\x7f\n\tÄßéİıΣσςЖж名\u212a\ufb01"

INJECTIONS = [
    "'; DROP TABLE loan; --", '"; DROP TABLE loan; --', "' OR '1'='1", "1; PRAGMA writable_schema = ON",
    "') UNION SELECT sql FROM sqlite_master --",
    "MEM-0001' --", "MEM-0001\0", "ATTACH DATABASE '/tmp/evil' AS evil", "load_extension('evil')", "${jndi:x}",
    "{member.__class__}", "%s%n", "\\", '\\"', "`id`",
]  # fmt: skip


# SQL


def test_sql_in_every_string_argument(env: Env) -> None:
    before = env.state_digest()
    for text in INJECTIONS:
        for tool in env.agent.list():
            for name, schema in tool.input_schema["properties"].items():
                if schema.get("type") == "array":
                    refused(
                        env.call_tool(tool.name, {name: [text]}),
                        "NOT_FOUND" if "\0" not in text else "INVALID_ARGUMENT",
                    )
                    continue
                result = env.call_tool(tool.name, {name: text})
                assert result.ok or result.error is not None
                if result.ok:
                    assert result.data["items"] == [], (tool.name, name, text)
                elif result.error is not None:
                    assert result.error.code in ("INVALID_ARGUMENT", "NOT_FOUND"), (tool.name, name, result)
        env.reset(role="manager")
    assert env.state_digest() == before


@pytest.mark.parametrize("text", INJECTIONS)
def test_sql_in_the_name_of_a_tool_or_an_argument(env: Env, text: str) -> None:
    refused(env.call_tool(text, {}), "UNKNOWN_TOOL", "There is no tool")
    refused(env.call_tool("find_loans", {text: 1}), "INVALID_ARGUMENT", "There is no argument")
    refused(env.call_tool("clear_shelf", {"copies": [{text: 1}]}), "INVALID_ARGUMENT", "item")
    untouched(env)


def test_sql_stored_as_text_stays_text(bench: Env) -> None:
    for text in INJECTIONS:
        if "\0" in text:
            continue
        assert bench.call_tool("rename", {"thing": "TH-0001", "name": text}).data["name"] == text
        found = bench.call_tool("find_things", {"name": text})
        assert [i["id"] for i in found.data["items"]] == ["TH-0001"]
    assert set(bench.diff()) == {"thing"}


def test_only_plain_statements_reach_the_database(env: Env) -> None:
    """Seen from inside SQLite: no PRAGMA, no ATTACH, no change of schema, whatever the arguments were."""
    seen: list[str] = []
    session = inside(env)
    session._uow.opening = None  # what another session was told would not be asked again
    session._conn.set_trace_callback(seen.append)
    for text in INJECTIONS:
        for tool in ("find_members", "find_copies", "find_loans", "lend", "get_member"):
            env.call_tool(tool, {"name": text, "shelf": text, "member": text, "reference": text})
            env.call_tool(
                tool,
                {"name": text}
                if tool == "find_members"
                else {"shelf": text}
                if tool == "find_copies"
                else {"member": text},
            )
    session._conn.set_trace_callback(None)
    assert seen
    assert {sql.split()[0] for sql in seen} <= {"SELECT", "BEGIN", "COMMIT", "ROLLBACK", "INSERT", "UPDATE", "DELETE"}


@pytest.mark.parametrize("text", ["%", "_", "*", "?", "[a-z]", "%%", "__", ".*", "\\%", "^", "$"])
def test_wildcards_in_a_search(bench: Env, text: str) -> None:
    """A filter looks for the text itself."""
    assert bench.call_tool("find_things", {"name": text}).data["total"] == 0
    assert bench.call_tool("rename", {"thing": "TH-0003", "name": f"x{text}y"}).ok
    assert [i["id"] for i in bench.call_tool("find_things", {"name": text}).data["items"]] == ["TH-0003"]


@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(LETTERS, min_size=1, max_size=12), st.data())
def test_a_filter_finds_a_part_in_any_case(bench: Env, name: str, data: st.DataObject) -> None:
    """The same as Python's small letters, in plain ASCII and in anything else."""
    bench.reset()
    part = data.draw(
        st.sampled_from([name, name.upper(), name.lower(), name[: len(name) // 2 + 1].swapcase(), name[1:]])
    )
    if not part or not bench.call_tool("rename", {"thing": "TH-0003", "name": name}).ok:
        return
    found = bench.call_tool("find_things", {"name": part}).data["items"]
    assert ("TH-0003" in [i["id"] for i in found]) == (part.lower() in name.lower())


@pytest.mark.parametrize(
    "sort",
    [
        "id; DROP TABLE loan",
        "fine DESC, (SELECT 1)",
        "1",
        "rowid",
        "member",
        "-fine",
        "fine_desc_desc",
        "",
        "fine\0",
        1,
        ["fine"],
        {"fine": 1},
        True,
    ],
)
def test_order_by_injection(env: Env, sort: Any) -> None:
    refused(env.call_tool("find_loans", {"sort": sort}), "INVALID_ARGUMENT", "`sort` has to be one of")
    untouched(env)


@pytest.mark.parametrize("key", ["limit", "offset"])
@pytest.mark.parametrize(
    "value", [-1, 10**18, 2**63, 2**64, -(2**63), 1.5, 1e300, True, False, "10", "10; DROP TABLE loan", [10], {"a": 1}]
)
def test_limit_or_offset_out_of_range(env: Env, key: str, value: Any) -> None:
    refused(env.call_tool("find_loans", {key: value}), "INVALID_ARGUMENT", f"`{key}` has to be a whole number")
