"""Trajectories as files: one line of JSON for where the episode started, one for each call, one for how it ended.

    {"type": "episode", "format": 1, "world": "8f31...", "task": "task_001", "role": "buyer"}
    {"type": "call", "tool": "find_people", "arguments": {...}, "clock": "...", "ok": true, "data": {...}}
    {"type": "call", "tool": "route_request", "arguments": {...}, "clock": "...", "ok": false, "error": {...}}
    {"type": "end", "calls": 2, "submitted": true, "answer": {...}, "final": "ab12..."}

Such a file comes from anywhere. It is read whole or not at all: a line that is not exactly as written here is refused, with its
number and what was expected.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from worldwright.core.errors import UsageError
from worldwright.engine.limits import Limits, Unreadable, copy_plain
from worldwright.pack.open import reject_duplicate_keys
from worldwright.world.records import Call, Result, Step, ToolError, Trajectory

FORMAT = 1
MAX_CHARACTERS = 64 * 1024 * 1024
MAX_CALLS = 10_000
_VALUES = Limits(argument_nodes=1_000_000, argument_depth=64, argument_text=MAX_CHARACTERS)
"""What one line may hold: more than any episode makes, and nothing that a reader of plain JSON could trip over."""

Check = Callable[[Any], bool]


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _accept_anything(value: Any) -> bool:
    return True


_EPISODE: Mapping[str, Check] = {"format": _count, "world": _text, "task": _text, "role": _text}
_CALL: Mapping[str, Check] = {"tool": _text, "arguments": _accept_anything, "clock": _text, "ok": _flag}
_END: Mapping[str, Check] = {"calls": _count, "submitted": _flag, "answer": _accept_anything, "final": _text}
_ERROR: Mapping[str, Check] = {"code": _text, "message": _text}
_ERROR_MORE: Mapping[str, Check] = {"policy": _text, "details": _object}


# writing


def trajectory_text(trajectory: Trajectory) -> str:
    """The trajectory as the text of a file."""
    return "".join(f"{_line(data)}\n" for data in _lines(trajectory))


def _line(data: Mapping[str, Any]) -> str:
    try:
        line = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
        line.encode()
    except (TypeError, ValueError, RecursionError) as e:
        raise UsageError(f"the trajectory holds something that is not plain JSON: {e}") from None
    return line


def _lines(trajectory: Trajectory) -> Iterator[dict[str, Any]]:
    yield {
        "type": "episode", "format": FORMAT, "world": trajectory.world, "task": trajectory.task, "role": trajectory.role,
    }  # fmt: skip
    for step in trajectory.steps:
        yield {
            "type": "call", "tool": step.call.tool, "arguments": step.call.arguments, "clock": step.clock,
            **_result_data(step.result),
        }  # fmt: skip
    yield {
        "type": "end", "calls": len(trajectory.steps), "submitted": trajectory.submitted, "answer": trajectory.answer,
        "final": trajectory.final_digest,
    }  # fmt: skip


def _result_data(result: Result) -> dict[str, Any]:
    out: dict[str, Any] = {"ok": result.ok}
    if result.ok:
        out["data"] = result.data
    elif result.error is None:
        raise UsageError("the trajectory holds a refusal without an error")
    else:
        out["error"] = {k: v for k, v in result.error._asdict().items() if v is not None}
    if result.done:
        out["done"] = True
    return out


# reading


def read_trajectory(text: str) -> Trajectory:
    """The trajectory that a file holds, or a `UsageError` that says what is wrong with it, and where."""
    if len(text) > MAX_CHARACTERS:
        raise UsageError(f"a trajectory has at most {MAX_CHARACTERS // 1024**2} MiB")
    lines = text.removesuffix("\n").split("\n")
    if len(lines) > MAX_CALLS + 2:
        raise UsageError(f"a trajectory has at most {MAX_CALLS} calls")
    first = _Line(1, lines[0])
    head = first.fields("episode", _EPISODE)
    if head["format"] != FORMAT:
        first.refuse(f"is of format {head['format']}; this version reads {FORMAT}")
    if len(lines) < 2:
        first.refuse("is the only one; a trajectory ends with a line of type `end`")
    steps = tuple(_step(_Line(number, line)) for number, line in enumerate(lines[1:-1], start=2))
    last = _Line(len(lines), lines[-1])
    end = last.fields("end", _END)
    if end["calls"] != len(steps):
        last.refuse(f"says that there were {end['calls']} calls; there are {len(steps)}")
    return Trajectory(head["world"], head["role"], steps, end["answer"], end["submitted"], end["final"], head["task"])


class _Line:
    """One line of a file, as an object of plain values."""

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        try:
            found = json.loads(text, object_pairs_hook=reject_duplicate_keys, parse_constant=_reject_constant)
            self.data = copy_plain(found, _VALUES)
        except (ValueError, RecursionError) as e:
            self.refuse(f"is not JSON: {e}")
        except Unreadable as e:
            self.refuse(f"is {e}")
        if not isinstance(self.data, dict):
            self.refuse("is not an object")

    def refuse(self, problem: str) -> NoReturn:
        raise UsageError(f"line {self.number} of the trajectory {problem}")

    def fields(
        self, kind: str, required: Mapping[str, Check], more: Mapping[str, Check] | None = None
    ) -> dict[str, Any]:
        """The fields of a line of this type: all that it needs, and none that it does not have."""
        if self.data.get("type") != kind:
            self.refuse(f"must be of type `{kind}`, and says {_shorten(self.data.get('type'))}")
        found = {k: v for k, v in self.data.items() if k != "type"}
        self.check(found, required, more or {})
        return found

    def check(self, found: Mapping[str, Any], required: Mapping[str, Check], more: Mapping[str, Check]) -> None:
        for name in required:
            if name not in found:
                self.refuse(f"has no `{name}`")
        known = {**required, **more}
        for name, value in found.items():
            if name not in known:
                self.refuse(f"has a field {_shorten(name)} that means nothing")
            if not known[name](value):
                self.refuse(f"has a wrong `{name}`: {_shorten(value)}")


def _step(line: _Line) -> Step:
    outcome: Mapping[str, Check] = {"data": _accept_anything} if line.data.get("ok") is True else {"error": _object}
    found = line.fields("call", {**_CALL, **outcome}, {"done": _flag})
    error = None
    if "error" in found:
        line.check(found["error"], _ERROR, _ERROR_MORE)
        error = ToolError(**found["error"])
    result = Result(found["ok"], found.get("data"), error, found.get("done", False))
    return Step(Call(found["tool"], found["arguments"]), result, found["clock"])


def _shorten(value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=True)
    return shown if len(shown) <= 60 else f"{shown[:60]}..."


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
