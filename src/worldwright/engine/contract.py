"""A contract: the tools of a world under the names, parameters and answers that some API declares.

The world inside has operations of its own. At the door, a call of the contract becomes a call of one of them, and its result
becomes an answer in the form that the contract promises. What is recorded, replayed and judged is the call inside, so tasks, keys
and verifiers know nothing of contracts. A contract is data (`contract.json` in a pack), checked when it is read, and holds no code.

A template says where each part of an answer comes from:

    {"is": 3}                                    always this
    {"from": ["status"], "codec": {...}}         a value of the result; `else` where there is none, `omit` to leave it out then
    {"fields": {"id": ..., "owner": ...}}        an object
    {"rows": ["items"], "each": ...}             a list, one for each
    {"text": ...}                                any of these, written as a text of JSON
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from worldwright.core.errors import TamperedPack
from worldwright.engine.codecs import InvalidValue, check_codec, read_value, write_value
from worldwright.world.records import Call, Result, ToolError, ToolSpec

Template = Mapping[str, Any]
CONTRACT = "contract.json"
"""The file in a pack."""
MAX_TEMPLATE_DEPTH = 24
MISSING = object()
"""What stands where there is no value, which is not the same as none."""
BUSY: Mapping[str, str] = {"RATE_LIMITED": "429", "UNAVAILABLE": "503"}
"""Of a service that is busy, the status where the contract declares it."""
PLAIN = frozenset({"INVALID_ARGUMENT", "NOT_FOUND", "FORBIDDEN", "UNKNOWN_TOOL", "EPISODE_OVER", *BUSY})
"""Errors that have nothing to do with a rule of the business."""


@dataclass(frozen=True, slots=True)
class Take:
    """Where an input of the operation stands in the arguments of the contract."""

    at: tuple[str, ...]
    codec: Mapping[str, Any]
    each: Mapping[str, Take] = field(default_factory=dict)
    """For a list: where the parts of one element stand in it; nowhere for one that is the element itself."""
    turned: str = ""
    """`page`: a page number becomes an offset; `cursor`: an opaque text does."""


@dataclass(frozen=True, slots=True)
class ContractTool:
    """One tool of the contract."""

    name: str
    says: str
    operation: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any] | None
    takes: Mapping[str, Take]
    gives: Template
    errors: Mapping[str, str] = field(default_factory=dict)
    """By error code, the status that the contract declares for it."""
    shows: str = ""
    """A read operation whose result is answered instead: of the row that this one gives. Empty for its own result."""
    shows_by: str = ""
    """The input of that operation that takes the row's id."""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Inputs that the contract has no parameter for."""
    declares: Mapping[str, str] = field(default_factory=dict)
    """Every error status that the contract declares, and what it means there."""
    samples: Mapping[str, Any] = field(default_factory=dict)
    """Values of parameters that the contract requires and no input takes: what a call says there when somebody is shown one."""
    selects: str = ""
    """The parameter that names the properties which an answer is to have, as a list or with commas between; empty for none."""


@dataclass(frozen=True, slots=True)
class Contract:
    """All of them."""

    tools: Mapping[str, ContractTool]

    def find_tool(self, call: Call) -> ContractTool | None:
        """Find the tool that makes a call: of several over one operation, the one whose fixed inputs are the call's."""
        own = [t for t in self.tools.values() if t.operation == call.tool]
        return next((t for t in own if all(call.arguments.get(k, v) == v for k, v in t.fixed.items())), None) or (
            own[0] if own else None
        )


# calls


def call_inside(tool: ContractTool, arguments: Any) -> tuple[Call, str]:
    """The operation and its inputs, and why the arguments do not fit, if so: `wrong: ...`."""
    if not isinstance(arguments, Mapping):
        return Call(tool.operation, {}), "no object"
    problem = _find_problem(tool.input_schema, arguments)
    if problem:
        return Call(tool.operation, {}), f"wrong: {problem}"
    inputs: dict[str, Any] = dict(tool.fixed)
    for name, take in tool.takes.items():
        value = find_value(arguments, take.at)
        if value is MISSING or value is None:
            continue
        try:
            inputs[name] = _take_value(take, value, inputs)
        except InvalidValue as e:
            return Call(tool.operation, {}), f"wrong: `{'.'.join(take.at)}` must be {e}"
    return Call(tool.operation, inputs), ""


def _take_value(take: Take, value: Any, inputs: Mapping[str, Any]) -> Any:
    if take.each:
        if not isinstance(value, list):
            raise InvalidValue("a list")
        return [_element(take.each, element) for element in value]
    found = read_value(take.codec, value)
    if take.turned == "page":
        return max(0, int(found) - 1) * int(inputs.get("limit", 10))
    return found


def _element(each: Mapping[str, Take], element: Any) -> Any:
    if not isinstance(element, Mapping) and any(take.at for take in each.values()):
        raise InvalidValue("a list of objects")
    parts = {name: (take, find_value(element, take.at)) for name, take in each.items()}
    return {name: read_value(take.codec, v) for name, (take, v) in parts.items() if v is not MISSING and v is not None}


def _find_problem(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    """Say what is wrong with the names of the arguments. Values are looked at one by one, where they are taken."""
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in arguments:
            return f"`{name}` is required"
    if schema.get("additionalProperties") is False:
        for name in arguments:
            if name not in properties:
                return f"there is no parameter `{str(name)[:60]}`"
    return ""


def call_outside(tool: ContractTool, call: Call) -> dict[str, Any]:
    """The arguments with which the contract makes a call of the operation: how gold calls are shown."""
    out: dict[str, Any] = deepcopy(dict(tool.samples))
    for name, value in call.arguments.items():
        take = tool.takes.get(name)
        if take is None or value is None:
            continue
        if take.each:
            value = [_element_outside(take.each, e) for e in value]
        elif take.turned == "page":
            value = int(value) // max(1, int(call.arguments.get("limit", 10))) + 1
        else:
            value = write_value(take.codec, value)
        put(out, {take.at: value})
    return out


def _element_outside(each: Mapping[str, Take], element: Mapping[str, Any]) -> Any:
    parts = {t.at: write_value(t.codec, element.get(n)) for n, t in each.items() if n in element}
    return parts[()] if () in parts else put({}, parts)


def show_call(contract: Contract | None, call: Call) -> Call:
    """Show a call of the world as an agent makes it: under the contract's name and arguments, where there is a contract."""
    tool = contract.find_tool(call) if contract is not None else None
    return call if tool is None else Call(tool.name, call_outside(tool, call))


def put(out: dict[str, Any], values: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    """Values put where their paths lead, in place."""
    for path, value in values.items():
        place = out
        for step in path[:-1]:
            if not isinstance(place.get(step), dict):
                place[step] = {}
            place = place[step]
        place[path[-1]] = value
    return out


# answers


def make_answer(tool: ContractTool, result: Result) -> Result:
    """Make what the contract answers where the operation came to this."""
    if not result.ok:
        return result._replace(error=None if result.error is None else add_status(tool, result.error))
    found = fill_template(tool.gives, result.data)
    return result._replace(data=None if found is MISSING else found)


def select_properties(tool: ContractTool, arguments: Any, result: Result) -> Result:
    """Leave only those properties in the records of an answer that the caller has named, and the id."""
    said = arguments.get(tool.selects) if tool.selects and isinstance(arguments, Mapping) else None
    names = said.split(",") if isinstance(said, str) else said if isinstance(said, list) else ()
    said_plainly = [str(name).strip() for name in names]
    kept = {"id", *(n.partition(".")[0] for n in said_plainly), *(n.replace(".", "_") for n in said_plainly)}
    if not result.ok or not isinstance(result.data, Mapping) or len(kept) == 1:
        return result
    lists = {name: value for name, value in result.data.items() if isinstance(value, list)}
    if "items" in lists:
        rows = [_keep_properties(row, kept) for row in lists["items"]]
        return result._replace(data={**result.data, "items": rows})
    return result._replace(data=_keep_properties(result.data, kept))


def _keep_properties(row: Any, kept: Collection[str]) -> Any:
    """A record with these properties; the whole of it where it has none of them."""
    found = {name: value for name, value in row.items() if name in kept} if isinstance(row, Mapping) else {}
    return found if set(found) - {"id"} else row


def find_shown_record(tool: ContractTool, result: Result, look: Callable[[str, dict[str, Any]], Result]) -> Result:
    """Return what a tool answers from: the operation's own result, or the record that another operation shows of it."""
    if not result.ok or not tool.shows or not isinstance(result.data, Mapping):
        return result
    seen = look(tool.shows, {tool.shows_by: result.data.get("id")})
    return seen._replace(done=result.done) if seen.ok else result


def status_of(result: Result) -> str:
    """The status that a contract gives to an error; empty where it gives none."""
    status = (result.error.details or {}).get("status") if result.error is not None else None
    return "" if status is None else str(status)


def add_status(tool: ContractTool, error: ToolError) -> ToolError:
    error = _rename_argument(tool, error)
    status = tool.errors.get(error.code) or (None if error.code in PLAIN else tool.errors.get("*"))
    if BUSY.get(error.code) in tool.declares:
        status = BUSY[error.code]
    if status is None:
        return error
    return error._replace(details={**(error.details or {}), "status": int(status) if status.isdigit() else status})


def _rename_argument(tool: ContractTool, error: ToolError) -> ToolError:
    """Call the argument of an error as the contract calls it."""
    argument = (error.details or {}).get("argument")
    take = tool.takes.get(argument) if isinstance(argument, str) else None
    if take is None:
        return error
    outside = ".".join(take.at)
    details = {**(error.details or {}), "argument": outside}
    return error._replace(message=error.message.replace(f"`{argument}`", f"`{outside}`"), details=details)


def make_fault(tool: ContractTool, status: str) -> Result:
    """Make what the contract answers where the service behind it fails with a status that it declares."""
    said = tool.declares.get(status) or "The service did not answer this call."
    shown = int(status) if status.isdigit() else status
    return Result(False, None, ToolError("SERVICE_FAULT", " ".join(said.split())[:300], None, {"status": shown}))


def fill_template(template: Template, data: Any) -> Any:
    """Fill a template with the values of a result."""
    if "is" in template:
        return template["is"]
    if "text" in template:
        return json.dumps(fill_template(template["text"], data), ensure_ascii=False)
    if "fields" in template:
        parts = {name: fill_template(part, data) for name, part in template["fields"].items()}
        return {name: value for name, value in parts.items() if value is not MISSING}
    found = find_value(data, template["rows" if "rows" in template else "from"])
    if "rows" in template:
        rows = found if isinstance(found, Sequence) and not isinstance(found, str) else ()
        return [fill_template(template["each"], row) for row in rows]
    value = None if found is MISSING else write_value(template["codec"], found)
    if value is None and "else" in template:
        return template["else"]
    return MISSING if value is None and template.get("omit") else value


def find_value(data: Any, path: Sequence[str]) -> Any:
    """Find the value that a path leads to; `MISSING` where it leads nowhere."""
    for step in path:
        if not isinstance(data, Mapping) or step not in data:
            return MISSING
        data = data[step]
    return data


def tool_spec(tool: ContractTool, inside: ToolSpec) -> ToolSpec:
    """The tool as the outside sees it."""
    shape = dict(tool.output_schema) if tool.output_schema is not None else {}
    return ToolSpec(tool.name, tool.says, dict(tool.input_schema), shape, inside.mutates, inside.system, inside.roles)


# files


def contract_data(contract: Contract) -> dict[str, Any]:
    """The contract as it stands in a pack."""
    return {"format": 1, "tools": [_tool_data(tool) for tool in contract.tools.values()]}


def _tool_data(tool: ContractTool) -> dict[str, Any]:
    return {
        "name": tool.name, "says": tool.says, "operation": tool.operation, "input_schema": dict(tool.input_schema),
        "output_schema": None if tool.output_schema is None else dict(tool.output_schema),
        "takes": {name: _take_data(take) for name, take in tool.takes.items()}, "gives": tool.gives,
        "errors": dict(tool.errors), "shows": tool.shows, "shows_by": tool.shows_by, "fixed": dict(tool.fixed),
        "samples": dict(tool.samples), "declares": dict(tool.declares),
        **({"selects": tool.selects} if tool.selects else {}),
    }  # fmt: skip


def _take_data(take: Take) -> dict[str, Any]:
    out: dict[str, Any] = {"at": list(take.at), "codec": dict(take.codec)}
    if take.each:
        out["each"] = {name: _take_data(part) for name, part in take.each.items()}
    return out | ({"turned": take.turned} if take.turned else {})


@dataclass(frozen=True, slots=True)
class _File:
    format: Literal[1]
    tools: tuple[ContractTool, ...]


_FILE = TypeAdapter(_File)


def read_contract(data: bytes, operations: Mapping[str, ToolSpec]) -> Contract:
    """A contract from a pack. Everything in it is checked: it came from anywhere."""
    try:
        tools = _FILE.validate_json(data, strict=True).tools
    except ValidationError as e:
        first = e.errors()[0]
        raise TamperedPack(f"contract.json: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    for tool in tools:
        for operation in (tool.operation, *([tool.shows] if tool.shows else [])):
            if operation not in operations:
                raise TamperedPack(f"contract.json: {tool.name[:60]} calls an operation that the world does not have")
        for name, take in tool.takes.items():
            _check_take(take, f"{tool.name[:60]}.{name}", 0)
        _check_template(tool.gives, tool.name[:60], 0)
    if len({t.name for t in tools}) != len(tools):
        raise TamperedPack("contract.json names a tool twice")
    return Contract({t.name: t for t in tools})


def _check_take(take: Take, where: str, depth: int) -> None:
    if (not take.at and not depth) or depth > 1:
        raise TamperedPack(f"contract.json: {where} does not say where it stands")
    if not take.each:
        check_codec(take.codec, where)
    for name, part in take.each.items():
        _check_take(part, f"{where}.{name}", depth + 1)


def _check_template(template: Any, where: str, depth: int) -> None:
    if not isinstance(template, dict) or depth > MAX_TEMPLATE_DEPTH:
        raise TamperedPack(f"contract.json: {where} has an answer that is no template")
    if "is" in template:
        return
    if "text" in template:
        return _check_template(template["text"], where, depth + 1)
    if isinstance(template.get("fields"), dict):
        for part in template["fields"].values():
            _check_template(part, where, depth + 1)
        return
    path = template.get("rows", template.get("from"))
    if not isinstance(path, list) or not all(isinstance(s, str) for s in path):
        raise TamperedPack(f"contract.json: {where} has an answer that comes from nowhere")
    if "rows" in template:
        _check_template(template.get("each"), where, depth + 1)
    else:
        check_codec(template.get("codec"), where)
