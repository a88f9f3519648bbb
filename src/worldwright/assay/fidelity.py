"""How true a world is to its contract: answers held against the schemas that are declared, and statuses that can be provoked.

Walks along the tool graph make the calls inside; what the contract answers to each is checked. Where an answer does not fit, the
part of the template that is wrong is replaced by a value that the schema accepts, and the walks are judged again: what is answered
is then less telling, but never false to the contract.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from worldwright.anchor.schema.shapes import minimal_value
from worldwright.core.ids import KeyFormat
from worldwright.core.rng import Stream
from worldwright.engine.codecs import write_value
from worldwright.engine.contract import (
    Contract,
    ContractTool,
    Template,
    call_outside,
    find_shown_record,
    make_answer,
    put,
    status_of,
)
from worldwright.engine.env import Env
from worldwright.kinds.database.compile.graph.walker import walk_graph
from worldwright.kinds.database.runtime import Runtime
from worldwright.world.records import Call, Result

WALKS, CALLS = 4, 60
MAX_ROUNDS = 12
"""Times that wrong parts of answers are replaced."""


@dataclass(frozen=True, slots=True)
class Fidelity:
    """What was seen of a contract."""

    tools: int
    called: int
    """Tools that answered at least once."""
    answers: int
    valid: int
    unchecked: int
    """Answers for which no schema is declared."""
    declared: tuple[tuple[str, str], ...]
    """(tool, status) of every error that the contract declares."""
    reached: tuple[tuple[str, str], ...]
    """Those that some call got."""
    wrong: Mapping[str, str]
    """By tool, what was wrong with an answer."""

    @property
    def share(self) -> float:
        return self.valid / self.answers if self.answers else 1.0


class ContractCall(NamedTuple):
    """A call inside, as the contract has it, and what it came to."""

    tool: ContractTool
    call: Call
    result: Result


Answers = Sequence[ContractCall]


def walk_contract(runtime: Runtime, contract: Contract, walks: int = WALKS) -> list[ContractCall]:
    """Walk every role and collect what the operations behind a contract came to."""
    out: list[ContractCall] = []
    for role in runtime.roles or ("",):
        for k in range(walks):
            session = runtime.session(role)
            stream = Stream("fidelity", role, k)
            for move in walk_graph(
                session, runtime.compiled, role, stream, CALLS, runtime.opening.actors.get(role) or ""
            ):
                tool = contract.find_tool(move.step.call)
                if tool is not None:
                    out.append(
                        ContractCall(tool, move.step.call, find_shown_record(tool, move.step.result, session.call))
                    )
            session.close()
    return out


def measure_fidelity(contract: Contract, answers: Answers) -> Fidelity:
    """Check a contract against what was answered."""
    seen: Counter[str] = Counter()
    wrong: dict[str, str] = {}
    statuses: dict[tuple[str, str], None] = {}
    checks = _checks(contract)
    valid = unchecked = 0
    for tool, _, result in answers:
        shown = make_answer(contract.tools[tool.name], result)
        if not shown.ok:
            if status := status_of(shown):
                statuses[tool.name, status] = None
            continue
        seen[tool.name] += 1
        problem = _problem(checks, tool.name, shown.data)
        if tool.name not in checks:
            unchecked += 1
        elif problem is None:
            valid += 1
        else:
            wrong.setdefault(tool.name, f"{'/'.join(map(str, problem.absolute_path))}: {problem.message[:200]}")
    declared = tuple((t.name, status) for t in contract.tools.values() for status in t.declares)
    total = sum(seen.values()) - unchecked
    return Fidelity(
        len(contract.tools), len(seen), total, valid, unchecked, declared,
        tuple(s for s in statuses if s in declared), wrong,
    )  # fmt: skip


def replace_false_parts(contract: Contract, answers: Answers) -> Contract:
    """Replace every part of a contract that was seen to be false to its schema."""
    for _ in range(MAX_ROUNDS):
        checks = _checks(contract)
        better = dict(contract.tools)
        for tool, _, result in answers:
            shown = make_answer(better[tool.name], result)
            problem = _problem(checks, tool.name, shown.data) if shown.ok else None
            if problem is not None:
                better[tool.name] = _replace_problem(better[tool.name], problem)
        if better == contract.tools:
            break
        contract = Contract(better)
    return contract


def _checks(contract: Contract) -> dict[str, Draft202012Validator]:
    return {
        t.name: Draft202012Validator(dict(t.output_schema))
        for t in contract.tools.values()
        if t.output_schema is not None
    }


def _problem(checks: Mapping[str, Draft202012Validator], name: str, data: Any) -> ValidationError | None:
    return next(iter(checks[name].iter_errors(data)), None) if name in checks else None


def _replace_problem(tool: ContractTool, problem: ValidationError) -> ContractTool:
    """Put a fixed value where the problem is; one level up where there is one already."""
    root = tool.output_schema or {}
    path = [p for p in problem.absolute_path if isinstance(p, str)]
    schema = problem.schema if isinstance(problem.schema, Mapping) else {}
    for depth in range(len(path), -1, -1):
        found = _find_template(tool.gives, path[:depth])
        if found is None or "is" in found:
            continue
        value = minimal_value(schema if depth == len(path) else _schema_at(root, path[:depth]), root)
        return replace(tool, gives=_replace_template(tool.gives, path[:depth], {"is": value}))
    return replace(tool, gives={"is": minimal_value(root, root)})


def _steps(template: Template, path: Sequence[str]) -> Iterator[Template]:
    yield template
    for step in path:
        while "rows" in template:
            template = template["each"]
        if "fields" not in template or step not in template["fields"]:
            return
        template = template["fields"][step]
        yield template


def _find_template(template: Template, path: Sequence[str]) -> Template | None:
    found = list(_steps(template, path))
    return found[-1] if len(found) == len(path) + 1 else None


def _replace_template(template: Template, path: Sequence[str], node: Template) -> Template:
    if "rows" in template:
        return {**template, "each": _replace_template(template["each"], path, node)} if path else node
    if not path:
        return node
    inner = template["fields"][path[0]]
    return {**template, "fields": {**template["fields"], path[0]: _replace_template(inner, path[1:], node)}}


def _schema_at(root: Mapping[str, Any], path: Sequence[str]) -> Any:
    """The part of a schema that is about a path, as far as it can be followed plainly."""
    found: Any = root
    for step in path:
        while isinstance(found, Mapping) and "items" in found and "properties" not in found:
            found = found["items"]
        if not isinstance(found, Mapping) or step not in found.get("properties", {}):
            return {}
        found = found["properties"][step]
        if isinstance(found, Mapping) and isinstance(found.get("$ref"), str):
            found = root.get("$defs", {}).get(found["$ref"].removeprefix("#/$defs/"), {})
    return found


NOBODY = {"integer": 999_999_999, "uuid": "00000000-0000-4000-8000-000000000000", "text": "no-such-record"}
"""By form, an id that no record has."""
MAX_RECORDS = 8
"""Records of the opening state that a call is tried on."""
MAX_CALLS_PROVOKED = 6
"""Calls of one tool that are made once more: a record that was only made on the walk is not there again."""
Status = tuple[str, str]
"""A tool, and a status that it answered."""


def provoke_statuses(runtime: Runtime, contract: Contract, made: Sequence[Call]) -> tuple[Status, ...]:
    """Collect statuses that calls of the contract get for good reasons. `made` are calls that went through, to be spoilt."""
    good: dict[str, list[Call]] = {}
    for call in made:
        known = good.setdefault(call.tool, [])
        if len(known) < MAX_CALLS_PROVOKED and call not in known:
            known.append(call)
    out: dict[Status, None] = {}
    env = Env(runtime, "", contract=contract)
    for role in runtime.roles or ("",):
        for tool in contract.tools.values():
            if not tool.declares:
                continue
            for k, call in enumerate(good.get(tool.operation) or [Call(tool.operation, {})]):
                base = call_outside(tool, call)
                for arguments in (*_spoil(tool, base), *_vary_records(runtime, tool, base)) if k == 0 else (base,):
                    env.reset(role=role or None)
                    for _ in range(2):
                        _note(env, tool, arguments, out)
    env.close()
    return tuple(s for s in out if s[1] in contract.tools[s[0]].declares)


def _vary_records(runtime: Runtime, tool: ContractTool, base: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the same call about records of the opening state: some are in no state for it, and none is a second time."""
    take = next((t for t in tool.takes.values() if t.codec.get("as") == "id"), None)
    schema = runtime.compiled.blueprint.schema
    own = [e for e in schema.entities.values() if take is not None and KeyFormat.parse(take.codec["key"]) == e.key]
    if take is None or not own:
        return
    for number in range(1, MAX_RECORDS + 1):
        yield _with_value(base, take.at, write_value(take.codec, own[0].key.make(number)))


def _note(env: Env, tool: ContractTool, arguments: Any, out: dict[Status, None]) -> None:
    status = status_of(env.call_tool(tool.name, arguments))
    if status:
        out[tool.name, status] = None


def _spoil(tool: ContractTool, base: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the call itself, twice; without something it needs; with a value of another type; about records that are not there."""
    yield base
    required = list(tool.input_schema.get("required", ()))
    for name in required[:1]:
        yield {k: v for k, v in base.items() if k != name}
    for take in tool.takes.values():
        if take.codec.get("as") in ("integer", "number", "boolean", "date", "moment", "words"):
            yield _with_value(base, take.at, [[]])
            break
    for take in tool.takes.values():
        if take.codec.get("as") == "id":
            yield _with_value(base, take.at, _nobody(str(take.codec["form"])))
    yield {**base, "no_such_parameter": True}


def _nobody(form: str) -> Any:
    return form.replace("#", "999999999") if form.endswith("#") else NOBODY[form]


def _with_value(base: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    return put(deepcopy(base), {path: value})


def force_statuses(runtime: Runtime, contract: Contract, rest: Sequence[Status]) -> tuple[Status, ...]:
    """Return those statuses that no call deserves (not signed in, too many calls, out of order) that a fault brings about."""
    out: dict[Status, None] = {}
    for name, status in rest:
        env = Env(runtime, "", contract=contract, faults={name: (status,)})
        for role in runtime.roles or ("",):
            if (name, status) not in out:
                env.reset(role=role or None)
                _note(env, contract.tools[name], {}, out)
        env.close()
    return tuple(s for s in rest if s in out)
