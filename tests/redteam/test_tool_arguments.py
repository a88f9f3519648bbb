"""Whatever an agent sends, a result comes back: a refusal that names the problem, or a call that did what it says."""

from __future__ import annotations

import json
from collections import ChainMap, UserDict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NoReturn

import pytest
from tests.redteam.episodes import refused, untouched
from tests.redteam.helpers import within

from worldwright.engine.env import Env
from worldwright.engine.limits import Limits
from worldwright.engine.world import World

# shapes


class EvilText(str):
    """Text that fights back."""

    __slots__ = ()

    def _boom(self, *args: object) -> NoReturn:
        raise RuntimeError("code of the caller ran")

    __eq__ = __ne__ = __str__ = __repr__ = __len__ = __iter__ = __contains__ = __getitem__ = _boom
    __format__ = __add__ = __lt__ = __reduce_ex__ = _boom
    encode = lower = isascii = startswith = _boom  # type: ignore[assignment]

    def __hash__(self) -> int:
        return str.__hash__(self)


class Chameleon(str):
    """Equal to everything, with the hash of `member`."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("member")


class EvilDict(dict[str, Any]):
    def _boom(self, *args: object) -> NoReturn:
        raise RuntimeError("code of the caller ran")

    items = keys = values = get = __iter__ = __len__ = __contains__ = __getitem__ = __eq__ = __repr__ = _boom
    __deepcopy__ = __copy__ = __reduce_ex__ = _boom
    __hash__ = None


class Endless(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        return key

    def __iter__(self) -> Iterator[str]:
        while True:
            yield "member"

    def __len__(self) -> int:
        return 1


class EvilObject:
    def _boom(self, *args: object) -> NoReturn:
        raise RuntimeError("code of the caller ran")

    __repr__ = __str__ = __eq__ = __bool__ = __deepcopy__ = __reduce_ex__ = __iter__ = __len__ = _boom
    __hash__ = object.__hash__


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": [value]}
    return value


@pytest.mark.parametrize(
    "arguments", [[], [1, 2], "member", 5, 1.5, True, ("member", "MEM-0001"), [["member", "MEM-0001"]], ""]
)
def test_arguments_that_are_no_object(env: Env, arguments: Any) -> None:
    refused(env.call_tool("get_member", arguments), "INVALID_ARGUMENT", "`arguments` has to be a JSON object")
    untouched(env)


@pytest.mark.parametrize(
    "value",
    [
        b"MEM-0001", bytearray(b"x"), memoryview(b"x"), {"MEM-0001"}, frozenset(), object(), EvilObject(), print, int,
        1j, ..., range(3),
        (i for i in range(3)), MappingProxyType({"a": 1}), UserDict(a=1), ChainMap({"a": 1}), Endless(), float("nan"),
        float("inf"), -float("inf"),
        Decimal("NaN"), Decimal("Infinity"), Decimal("1E+999999"), 10**5000, -(10**5000), 1 << 5000, "\ud800",
        "MEM\udfff", ["\ud800"], {"\ud800": 1}, {5: 1}, {None: 1},
        {(1, 2): 3}, {b"x": 1}, {EvilObject(): 1},
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_value_that_is_not_json(env: Env, value: Any) -> None:
    with within(2):
        refused(env.call_tool("get_member", {"member": value}), "INVALID_ARGUMENT", "not plain JSON")
        if not isinstance(value, (dict, list, str, int, float, Decimal)):
            refused(env.call_tool("get_member", value), "INVALID_ARGUMENT", "not plain JSON")
        refused(env.submit({"answer": value}), "INVALID_ARGUMENT", "The answer is not plain JSON")
        untouched(env)


@pytest.mark.parametrize("value", [deep(5), deep(5000), [[[[[[[[[1]]]]]]]]]])
def test_deep_nesting(env: Env, value: Any) -> None:
    for arguments in ({"member": value}, value):
        refused(env.call_tool("get_member", arguments), "INVALID_ARGUMENT", "nested more than 8 deep")
    refused(env.submit(value), "INVALID_ARGUMENT", "nested more than 8 deep")
    untouched(env)


def test_list_that_holds_itself(env: Env) -> None:
    loop: list[Any] = []
    loop.append(loop)
    ring: dict[str, Any] = {}
    ring["member"] = ring
    hostile: list[Any] = [{"member": loop}, ring, loop]
    for arguments in hostile:
        refused(env.call_tool("get_member", arguments), "INVALID_ARGUMENT", "nested more than 8 deep")
    untouched(env)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"member": "x" * 200_000}, "more than 100000 characters"),
        ({"x" * 200_000: 1}, "more than 100000 characters"),
        ({"copies": ["x"] * 10_000}, "more than 2000 values"),
        ({f"k{i}": 1 for i in range(10_000)}, "more than 2000 values"),
        ({"copies": [["x"] * 1000] * 1000}, "more than 2000 values"),
        ({"copies": ["x" * 1000] * 1000}, "more than 100000 characters"),
    ],
    ids=range(6),
)
def test_huge_arguments(env: Env, arguments: dict[str, Any], part: str) -> None:
    refused(env.call_tool("clear_shelf", arguments), "INVALID_ARGUMENT", part)
    refused(env.submit(arguments), "INVALID_ARGUMENT", part)
    untouched(env)


@pytest.mark.parametrize(
    "value",
    [
        "MEM-0001" * 20,
        "CPY-0001",
        "LN-00001",
        "mem-0001",
        " MEM-0001",
        "MEM-0001 ",
        "MEM-1",
        "MEM-٠٠٠١",
        "",
        "MEM-99999",
        "id",
        "*",
    ],
)
def test_id_of_something_else(env: Env, value: str) -> None:
    result = env.call_tool("get_member", {"member": value})
    refused(result, "NOT_FOUND" if len(value) <= 100 else "INVALID_ARGUMENT", "member")


@pytest.mark.parametrize("value", [True, False, 1.5, 0.1, "21", "abc", 0, 61, -1, 10**30, [21], {"days": 21}, 1e18])
def test_whole_number_that_is_none(env: Env, value: Any) -> None:
    arguments = {"member": "MEM-0001", "copy": "CPY-0001", "days": value}
    refused(
        env.call_tool("lend", arguments), "INVALID_ARGUMENT", "`days` has to be a whole number, at least 1, at most 60"
    )
    untouched(env)


@pytest.mark.parametrize("value", [0.001, 1.005, 1e-9, 5e-324, 1e300, 10**14, True, "1.50", [1]])
def test_amount_with_too_many_places_or_digits(env: Env, value: Any) -> None:
    refused(
        env.call_tool("find_loans", {"fine_from": value}),
        "INVALID_ARGUMENT",
        "`fine_from` has to be a number with at most 2 decimal places",
    )


@pytest.mark.parametrize(
    "value",
    [
        "2025-02-30",
        "2025-6-1",
        "20250601",
        "٢٠٢٥-٠٦-٠١",
        "２０２５-06-01",
        "today",
        "2025-06-01T00:00:00Z",
        "2025-06-01\n",
        20250601,
        True,
    ],
)
def test_day_that_is_none(env: Env, value: Any) -> None:
    refused(env.call_tool("find_loans", {"due_on_from": value}), "INVALID_ARGUMENT", "`due_on_from` has to be a day")


@pytest.mark.parametrize(
    "value",
    [
        "２０２５-06-16T09:00:00Z",
        "٢٠٢٥-٠٦-١٦T٠٩:٠٠:٠٠Z",
        "2025-06-16T09:00:61Z",
        "2025-06-16T09:00:00",
        "2025-06-16 09:00:00Z",
        "2025-06-16",
        5,
    ],
)
def test_moment_that_is_none(bench: Env, value: Any) -> None:
    """Digits of other alphabets read as digits to Python, but do not sort as they read."""
    refused(
        bench.call_tool("stamp", {"thing": "TH-0001", "moment": value}),
        "INVALID_ARGUMENT",
        "`moment` has to be a moment",
    )
    untouched(bench)


@pytest.mark.parametrize("value", ["a\0b", "x" * 201])
def test_text_that_cannot_be_stored(bench: Env, value: str) -> None:
    refused(
        bench.call_tool("rename", {"thing": "TH-0001", "name": value}),
        "INVALID_ARGUMENT",
        "`name` has to be text of 0 to 200 characters",
    )


def test_text_that_only_looks_dangerous(bench: Env) -> None:
    for text in ("\x1b[2J", "\u202e", "\r\n", "🏳️‍🌈", "ﬀ", "\ufffe", "{", "\\u0000", "x" * 200, ""):
        assert bench.call_tool("rename", {"thing": "TH-0001", "name": text}).data["name"] == text
    untouched_text = json.dumps(bench.trajectory().steps[-1].result.payload())
    assert untouched_text


# objects with methods of their own


def test_text_with_methods_of_its_own(env: Env) -> None:
    """Taken for the text that it is; none of its methods runs, in this call or when the trajectory is read."""
    assert env.call_tool(EvilText("get_member"), {EvilText("member"): EvilText("MEM-0001")}).data["id"] == "MEM-0001"
    (step,) = env.trajectory().steps
    assert [type(step.call.tool), *map(type, step.call.arguments), *map(type, step.call.arguments.values())] == [
        str,
        str,
        str,
    ]


def test_text_that_claims_to_be_another_argument(env: Env) -> None:
    refused(
        env.call_tool("get_member", {Chameleon("evil"): "MEM-0001"}), "INVALID_ARGUMENT", "There is no argument `evil`"
    )
    refused(env.call_tool(Chameleon("waive_everything"), {}), "UNKNOWN_TOOL", "waive_everything")


def test_object_with_methods_of_its_own(env: Env) -> None:
    assert env.call_tool("get_member", EvilDict(member="MEM-0001")).ok
    assert env.submit(EvilDict(answer=EvilText("x"))).ok
    assert env.trajectory().answer == {"answer": "x"}


@pytest.mark.parametrize(
    "name",
    [
        None,
        5,
        b"lend",
        ["lend"],
        {"lend": 1},
        EvilObject(),
        "",
        "x" * 10**6,
        "\ud800",
        "LEND",
        "lend ",
        "__init__",
        "reset",
        "_called",
        "submit",
    ],
)
def test_name_that_is_no_tool(env: Env, name: Any) -> None:
    result = env.call_tool(name, {})
    refused(result, "UNKNOWN_TOOL", "There is no tool")
    assert result.error is not None
    assert len(result.error.message) < 200
    untouched(env)


# what numbers can do inside a world


@pytest.mark.parametrize(("size", "factor"), [(10**15, 10**15), (-(10**15), 10**15), (10**15, 10_000)])
def test_product_beyond_64_bits(bench: Env, size: int, factor: int) -> None:
    """A refusal of the tool: not a traceback, and not an `error` verdict that an agent could call for at will."""
    result = bench.call_tool("resize", {"thing": "TH-0001", "size": size, "factor": factor})
    assert not result.ok
    assert result.error is not None
    assert result.error.code != "UNAVAILABLE"
    assert bench.broken == ""
    assert bench.call_tool("rename", {"thing": "TH-0001", "name": "still alive"}).ok


def test_sum_beyond_64_bits(bench: Env) -> None:
    """SQLite would go on in floating point: a whole number comes back, or a refusal."""
    for thing in ("TH-0001", "TH-0002", "TH-0003"):
        assert bench.call_tool("resize", {"thing": thing, "size": 10**15, "factor": 9000}).ok
    for factor in (1, 10**15):
        result = bench.call_tool("weigh", {"factor": factor})
        assert bench.broken == ""
        assert isinstance(result.data["total"], int) if result.ok else result.error is not None


# limits


def test_calls_without_end(library: World) -> None:
    env = library.env(Limits(calls=5))
    env.reset()
    results = [env.call_tool("find_loans", {"limit": 1}) for _ in range(8)]
    assert [r.done for r in results] == [False] * 4 + [True] * 4
    assert [r.error.code if r.error else "" for r in results[5:]] == ["EPISODE_OVER"] * 3
    assert len(env.trajectory().steps) == 5
    refused(env.submit("too late"), "EPISODE_OVER")


def test_refused_arguments_replay_as_they_were(env: Env) -> None:
    """What was refused unread must not become a call without arguments when a trajectory is played again."""
    for arguments in (
        {"member": deep(50)},
        {"limit": float("nan")},
        {"x": "y" * 200_000},
        {5: 1},
        [1],
        "x",
        {"$unread": "forged"},
        {"$unread": 5},
    ):
        env.call_tool("find_loans", arguments)  # type: ignore[arg-type]
    played = env.trajectory().steps
    stored = json.loads(json.dumps([step.call._asdict() for step in played]))
    env.reset(role="manager")
    again = [env.call_tool(call["tool"], call["arguments"]) for call in stored]
    assert again == [step.result for step in played]
    assert not any(r.ok for r in again)
