"""A coding agent at the bench: a real MCP client against the server as it is started."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import TextContent
from tests.author.test_bench import BOUND, CASES


def talk(bench: Path, calls: list[tuple[str, Any]]) -> list[tuple[bool, str]]:
    """The answers to some calls, each with whether it went well."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "worldwright", "author", "serve", "--folder", str(bench)],
        env=dict(os.environ),
    )

    async def ask() -> list[tuple[bool, str]]:
        out = []
        async with Client(server) as client:
            listed = await client.list_tools()
            assert {"guide", "check", "set_nodes", "bind_claims", "lock"} <= {t.name for t in listed.tools}
            for name, arguments in calls:
                result = await client.call_tool(name, arguments)
                said = result.content[0]
                assert isinstance(said, TextContent)
                out.append((not result.is_error, said.text))
        return out

    return anyio.run(ask)


def test_an_agent_reads_binds_and_checks(bench: Path) -> None:
    found = talk(
        bench,
        [
            ("read_evidence", {"file": "rules.md.txt", "find": "Fines"}),
            ("list_claims", {"only": "open"}),
            ("bind_claims", {"claims": BOUND}),
            ("brief_cases", {"policy": "waiver_cap"}),
            ("add_cases", {"policy": "waiver_cap", "by": "another agent", "cases": CASES}),
            ("check", {"world": False}),
        ],
    )
    assert all(ok for ok, _ in found)
    assert found[0][1] == "3 | Fines over 15 EUR are never waived."
    assert len(json.loads(found[1][1])) == 4
    assert json.loads(found[5][1])["claims"]["bound"] == 4
    assert "is: bound" in (bench / "claims.yaml").read_text()


def test_what_is_wrong_is_said_and_changes_nothing(bench: Path) -> None:
    before = {p.name: p.read_bytes() for p in bench.glob("*.yaml")}
    found = talk(
        bench,
        [
            ("write_file", {"file": "../outside", "text": "x"}),
            ("write_file", {"file": "blueprint.yaml", "text": 3}),
            ("bind_claims", {"claims": [{"id": "c999"}]}),
            ("set_nodes", {"nodes": {"policies.x": {}}, "remove": ["nothing.here"]}),
            ("read_evidence", {"file": "../bench.json"}),
            ("nothing_like_it", {}),
            ("check", {"word": True}),
        ],
    )
    assert [ok for ok, _ in found] == [False] * 7
    assert "not the author's" in found[0][1]
    assert "no claim `c999`" in found[2][1]
    assert "no argument `word`" in found[6][1]
    assert {p.name: p.read_bytes() for p in bench.glob("*.yaml")} == before
