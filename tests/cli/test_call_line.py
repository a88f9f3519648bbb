from __future__ import annotations

from typing import Any

import pytest

from worldwright.cli.play.call_line import parse_call
from worldwright.core.errors import UsageError
from worldwright.world.records import ToolSpec

SCHEMA = {
    "type": "object",
    "properties": {"note": {"type": "string"}, "count": {"type": "integer"}, "lines": {"type": "array"}},
    "required": ["note"],
}
TOOLS = {"write": ToolSpec("write", "", SCHEMA, {}, True, "desk")}


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("write", {}),
        ('write {"note": "a b", "count": 3}', {"note": "a b", "count": 3}),
        ("write note=abc count=3", {"note": "abc", "count": 3}),
        ("write note=4711", {"note": "4711"}),
        ('write note="two words" count=3', {"note": "two words", "count": 3}),
        ("write note='two words'  count=3 ", {"note": "two words", "count": 3}),
        ('write lines=[{"a": "b c"}, 2] note=x', {"lines": [{"a": "b c"}, 2], "note": "x"}),
        ("write note=null", {"note": None}),
        ("write note=", {"note": ""}),
        ("write count=NaN", {"count": "NaN"}),
        ("write count=1.50 other=true", {"count": 1.5, "other": True}),
        ("write note=a=b", {"note": "a=b"}),
    ],
)
def test_lines_that_are_calls(line: str, arguments: dict[str, Any]) -> None:
    found = parse_call(line, TOOLS)
    assert (found.tool, found.arguments) == ("write", arguments)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "name a tool"),
        ('write {"note": ', "not JSON"),
        ("write {} more", "not JSON"),
        ('write {"count": NaN}', "not JSON"),
        ("write note=two words", "`words` is not key=value"),
        ("write note='open", "has no end"),
        ("write lines=[1, 2", "not JSON"),
        ("write note=a note=b", "given twice"),
        ('write {"note": "\\ud800"}', "not text"),
        ("write " + '{"a":' * 100_000, "not JSON"),
        ("write lines=" + "[" * 100_000, "not JSON"),
    ],
)
def test_lines_that_are_not(line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_call(line, TOOLS)
