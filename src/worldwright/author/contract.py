"""contract.yaml: which operation each tool of the evidence is, in a form that a person writes.

    create_ticket: open_ticket                    inputs and answers are matched by name
    close_ticket:
      operation: close
      takes: {ticket: body.ticket_id}             input of the operation: where it stands in the arguments
      fixed: {reason: done}                       inputs that the tool has no parameter for
      gives: {ref: number, caller: customer.name} property of the answer (or its path, `state.level`): part of the result
      shows: get_ticket                           answer with this read of the record instead
      selects: fields                             the parameter that names the properties which the answer is to have
    list_agents: draft                            as the draft maps it (contract.draft.json)
    find_rooms: own                               an operation that the evidence has no tool for, as a tool of its own

A tool that is not named is not offered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from worldwright.anchor.base.answers import Answerer, result_of
from worldwright.anchor.base.input_matching import (
    EvidenceInput,
    InputMapping,
    codec_in,
    list_inputs,
    map_inputs,
    take_input,
)  # fmt: skip
from worldwright.anchor.evidence import Operation, Shape
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.model.contract import CURSOR, list_declared_statuses, list_error_statuses, list_samples
from worldwright.anchor.model.intents import classify_operations
from worldwright.anchor.model.items import Paging, paging
from worldwright.anchor.readers import mcp
from worldwright.author.records import Bench, Finding
from worldwright.blueprint import checked as c
from worldwright.blueprint.checked import Checked
from worldwright.core.canonical import pretty_json
from worldwright.core.errors import TamperedPack
from worldwright.core.names import suggest
from worldwright.engine.contract import Contract, ContractTool, Take, read_contract
from worldwright.formats.strict_yaml import YamlError, dump_yaml, read_yaml
from worldwright.kinds.database.toolspec import tool_specs

DRAFT, OWN = "draft", "own"
_KEYS = frozenset({"operation", "takes", "fixed", "gives", "shows", "selects"})
_SELECTS = frozenset({"fields", "opt_fields", "select", "select_fields", "include_fields", "return_fields"})
"""Names of parameters that choose the properties of an answer; taken as such where the answer is declared nowhere."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """The contract that was made, and what is wrong with what was written."""

    contract: Contract | None
    findings: tuple[Finding, ...] = ()
    idle: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By tool, the parameters that no input takes."""


def write_draft(contract: Contract | None) -> str:
    """The file of a bench that was just opened: every tool as drafted."""
    return "" if contract is None else dump_yaml(dict.fromkeys(contract.tools, DRAFT))


def make_contract(bench: Bench, checked: Checked) -> Mapped:
    """The contract that contract.yaml asks for."""
    if not bench.contract.strip() and not bench.drafted:
        return Mapped(None)
    try:
        data, lines = read_yaml(bench.contract or "{}")
    except YamlError as e:
        return Mapped(None, (Finding("contract", f"contract.yaml#{e.line}", e.reason, e.hint),))
    if not isinstance(data, dict) or not data:
        return Mapped(None)
    own = [str(name) for name, said in data.items() if said == OWN]
    maker = _Maker(bench, checked, [name for name in own if name in checked.operations])
    chosen = {str(name): maker.place_tool(str(name), said) for name, said in data.items()}
    forms = _count_forms([p for p in chosen.values() if isinstance(p, _Placed)])
    tools: dict[str, ContractTool] = {}
    findings: list[Finding] = []
    for name, placed in chosen.items():
        made = maker.make_tool(placed, Answerer(checked, forms)) if isinstance(placed, _Placed) else placed
        if isinstance(made, str):
            findings.append(Finding("contract", f"contract.yaml#{lines.get((name,), 0)}", f"{name}: {made}"))
        else:
            tools[name] = made
    missing = [o.name for o in bench.operations if o.name not in data]
    findings += [
        Finding("tool_missing", f"contract.yaml#{name}", f"`{name}` of the evidence is no tool") for name in missing
    ]
    idle = {name: p.places.idle for name, p in chosen.items() if isinstance(p, _Placed)}
    return Mapped(Contract(tools), tuple(findings), idle)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A tool whose inputs have their places."""

    offered: Operation
    operation: c.Operation
    places: InputMapping
    fixed: Mapping[str, Any]
    gives: Mapping[str, str]
    shows: str
    selects: str


def _count_forms(placed: Sequence[_Placed]) -> dict[str, str]:
    """How the contract writes the ids of each entity: as most of its parameters take them."""
    seen: dict[str, Counter[str]] = {}
    for one in placed:
        for i in one.operation.inputs:
            if i.type.kind == "ref" and i.name in one.places.takes and not i.parts:
                seen.setdefault(i.type.entity, Counter())[str(one.places.takes[i.name].codec["form"])] += 1
    return {entity: min(found, key=lambda f: (-found[f], f)) for entity, found in seen.items()}


class _Maker:
    """Makes tools over one Blueprint."""

    def __init__(self, bench: Bench, checked: Checked, own: Sequence[str]) -> None:
        self.bench = bench
        self.checked = checked
        self.specs = tool_specs(checked)
        self.own = {o.name: o for o in self._describe(own)}
        self.by_name = {o.name: o for o in bench.operations}
        every = [*bench.operations, *(o for o in self.own.values() if o.name not in self.by_name)]
        self.intents = {i.operation.name: i for i in classify_operations(every)}

    def _describe(self, names: Sequence[str]) -> tuple[Operation, ...]:
        """Operations of the Blueprint as a list of tools describes them."""
        specs = [self.specs[name] for name in names]
        tools = [{"name": s.name, "description": s.description, "inputSchema": s.input_schema} for s in specs]
        return mcp.read([Upload("own.json", pretty_json({"tools": tools}).encode())]).operations if tools else ()

    def place_tool(self, name: str, said: Any) -> _Placed | ContractTool | str:
        """A tool with the places of its inputs, one of the draft as it is, or what is wrong."""
        if said == DRAFT:
            return self._drafted(name)
        if said == OWN:
            if name in self.by_name or name not in self.own:
                why = (
                    "the evidence has such a tool"
                    if name in self.by_name
                    else f"no operation; {suggest(name, self.specs)}"
                )
                return f"`{OWN}` is for an operation of the Blueprint that the evidence has no tool for: {why}"
            said = {"operation": name, "takes": {i.name: i.name for i in self.checked.operations[name].inputs}}
        spec = {"operation": said} if isinstance(said, str) else said
        offered = self.own.get(name) or self.by_name.get(name)
        if offered is None:
            return f"the evidence has no such operation; {suggest(name, self.by_name)}"
        if not isinstance(spec, dict) or set(spec) - _KEYS or not isinstance(spec.get("operation"), str):
            return f"expected the name of an operation, `{DRAFT}`, `{OWN}`, or a map of {', '.join(sorted(_KEYS))}"
        maps = {key: spec.get(key) or {} for key in ("takes", "fixed", "gives")}
        if wrong := next((key for key, value in maps.items() if not isinstance(value, dict)), ""):
            return f"`{wrong}` is a map"
        operation = self.checked.operations.get(spec["operation"])
        if operation is None:
            return f"there is no operation `{spec['operation'][:60]}`; {suggest(spec['operation'], self.checked.operations)}"
        places = self._places(offered, operation, maps["takes"], maps["fixed"])
        if isinstance(places, str):
            return places
        gives = {str(k): str(v) for k, v in maps["gives"].items()}
        selects = str(spec.get("selects") or self._find_selector(offered, places))
        if selects and offered.output_schema is not None:
            return f"`selects` cannot be kept: the evidence declares what the answer of `{name}` has"
        if selects and all(p.name != selects for p in offered.parameters):
            return f"there is no parameter `{selects[:80]}`; {suggest(selects, [p.name for p in offered.parameters])}"
        idle = tuple(one for one in places.idle if one != selects)
        return _Placed(
            offered, operation, replace(places, idle=idle), maps["fixed"], gives, str(spec.get("shows") or ""), selects
        )

    @staticmethod
    def _find_selector(offered: Operation, places: InputMapping) -> str:
        """The parameter that chooses the properties of an answer, by its name; empty where an input takes it or all is declared."""
        taken = {take.at[0] for take in places.takes.values()}
        named = [p.name for p in offered.parameters if p.name in _SELECTS and p.name not in taken]
        return named[0] if named and offered.output_schema is None else ""

    def _drafted(self, name: str) -> ContractTool | str:
        data = self.bench.drafted.get(name)
        if data is None:
            return f"the draft has no such tool; {suggest(name, self.bench.drafted)}"
        try:
            text = pretty_json({"format": 1, "tools": [data]}).encode()
            return read_contract(text, self.specs).tools[name]
        except TamperedPack as e:
            return f"{e.args[0]}; name an operation of the Blueprint instead of `{DRAFT}`"

    def _places(
        self, offered: Operation, operation: c.Operation, said: Mapping[str, Any], fixed: Mapping[str, Any]
    ) -> InputMapping | str:
        """Where each input stands: as it is written, and by name where nothing is."""
        values = list_inputs(offered)
        takes = self._take_said(offered, operation, values, said)
        if isinstance(takes, str):
            return takes
        named = {".".join(t.at) for t in takes.values()}
        inside = {t.at[0] for t in takes.values() if len(t.at) > 1}
        rest = [v for v in values if ".".join(v.at) not in named and not (len(v.at) == 1 and v.at[0] in inside)]
        subject = next((i.type.entity for i in operation.inputs if i.type.kind == "ref"), "")
        wanted_rest = [i for i in operation.inputs if i.name not in takes]
        found = map_inputs(wanted_rest, rest, self.checked, subject, fixed)
        if found.missing:
            return f"`{operation.name}` needs {', '.join(found.missing)}: say in `takes` where it stands, or in `fixed` what it is"
        turned = paging(offered) if isinstance(operation.read, c.Search) else Paging()
        if turned.how == "cursor" and turned.turns is not None and "offset" not in {**found.takes, **takes}:
            takes["offset"] = Take((turned.turns.name,), CURSOR)
        turning = turned.turns.name if "offset" in takes and turned.turns is not None else ""
        idle = tuple(name for name in found.idle if name != turning)
        return replace(found, takes=dict(sorted({**found.takes, **takes}.items())), idle=idle)

    def _take_said(
        self, offered: Operation, operation: c.Operation, values: Sequence[EvidenceInput], said: Mapping[str, Any]
    ) -> dict[str, Take] | str:
        """The inputs whose places are written, or what is wrong with one."""
        by_path = {".".join(v.at): v for v in values}
        inputs = {i.name: i for i in operation.inputs}
        places = {str(name): str(place) for name, place in said.items()}
        within = {f"{i.name}.{part.name}" for i in inputs.values() for part in i.parts if part.name}
        if unknown := next((name for name in places if name not in within and name not in inputs), ""):
            return f"`{operation.name}` takes no `{unknown[:60]}`; {suggest(unknown, [*inputs, *sorted(within)])}"
        if alone := next((name for name in places if name in within and name.partition(".")[0] not in places), ""):
            return f"`{alone}` is a part of an element: say too where the list `{alone.partition('.')[0]}` stands"
        takes: dict[str, Take] = {}
        for name, place in ((name, place) for name, place in places.items() if name in inputs):
            wanted, value = inputs[name], by_path.get(place) or self._loose(offered, place)
            if value is None:
                return f"there is no parameter `{place[:80]}`; {suggest(place, by_path)}"
            inner = {key.partition(".")[2]: at for key, at in places.items() if key.startswith(f"{name}.")}
            take = take_input(wanted, value, self.checked, inner) or _take_whole(wanted, value, self.checked)
            if take is None:
                inside = "".join(f", {at!r} in it" for at in inner.values())
                return f"`{place}` ({value.shape.format or value.shape.kind}{inside}) cannot be read as `{name}` ({wanted.type})"
            takes[name] = take
        return takes

    @staticmethod
    def _loose(offered: Operation, place: str) -> EvidenceInput | None:
        """A parameter that matching leaves aside (a header, a sort order), or a part of one whose form the evidence leaves open."""
        name, *inside = place.split(".")
        first = next((p for p in offered.parameters if p.name == name), None)
        if first is None or (inside and (first.shape.fields or first.shape.kind not in ("any", "object"))):
            return None
        return EvidenceInput((name, *inside), Shape("any") if inside else first.shape, first.required)

    def make_tool(self, placed: _Placed, answerer: Answerer) -> ContractTool | str:
        """The tool, with its answer out of the operation's result."""
        offered, operation, shows = placed.offered, placed.operation, placed.shows
        seen, by = operation, ""
        if shows:
            if shows not in self.checked.operations:
                return f"there is no operation `{shows[:60]}`; {suggest(shows, self.checked.operations)}"
            seen = self.checked.operations[shows]
            by = seen.inputs[0].name if seen.inputs else ""
        renamed = Answerer(self.checked, answerer.forms, placed.gives)
        answer = renamed.answer(offered, self.intents[offered.name].noun, result_of(self.checked, seen))
        if renamed.problems:
            return "; ".join(renamed.problems)
        page = operation.input("limit")
        held = dict(placed.fixed)
        if page is not None and "limit" not in placed.places.takes:
            held.setdefault("limit", page.high)
        return ContractTool(
            name=offered.name, says=offered.says, operation=operation.name, input_schema=offered.input_schema,
            output_schema=offered.output_schema, takes=placed.places.takes, gives=answer.template,
            errors=list_error_statuses(offered), shows=shows, shows_by=by, fixed=held, samples=list_samples(offered),
            declares=list_declared_statuses(offered), selects=placed.selects,
        )  # fmt: skip


def _take_whole(wanted: c.Input, value: EvidenceInput, checked: Checked) -> Take | None:
    """A list of plain values, element by element; or a list or an object that is kept as one text."""
    shape = value.shape
    if wanted.type.kind == "text" and shape.kind in ("array", "object"):
        return Take(value.at, {"as": "list" if shape.kind == "array" else "json"})
    if not wanted.parts or wanted.parts[0].name or shape.kind not in ("array", "any"):
        return None
    of = codec_in(wanted.parts[0].type, shape.items or Shape("any"), value.words, checked)
    return None if of is None else Take(value.at, {"as": "items", "of": of})


def judge_contract(mapped: Mapped, checked: Checked) -> Iterator[Finding]:
    """Parameters that nothing takes or that find by one value alone, and parts of answers that are always the same."""
    yield from mapped.findings
    for tool in mapped.contract.tools.values() if mapped.contract is not None else ():
        for name in mapped.idle.get(tool.name, ()):
            yield Finding("parameter_idle", f"contract.yaml#{tool.name}", f"`{name}` of `{tool.name}` changes nothing")
        searches = isinstance(checked.operations[tool.operation].read, c.Search)
        for name, take in tool.takes.items():
            if searches and take.codec.get("as") == "list":
                at = ".".join(take.at)
                yield Finding(
                    "parameter_single",
                    f"contract.yaml#{tool.name}",
                    f"`{at}` of `{tool.name}` finds by one value alone, as `{name}`",
                )
        for path in list_fixed_parts(tool.gives):
            yield Finding(
                "answer_fixed",
                f"contract.yaml#{tool.name}",
                f"`{path or 'the answer'}` of `{tool.name}` is always the same",
            )


def list_fixed_parts(template: Mapping[str, Any], at: Sequence[str] = ()) -> Iterator[str]:
    """The parts of an answer that come from nowhere."""
    if "text" in template:
        yield from list_fixed_parts(template["text"], at)
    elif "fields" in template:
        for name, part in template["fields"].items():
            yield from list_fixed_parts(part, (*at, name))
    elif "each" in template:
        yield from list_fixed_parts(template["each"], (*at, "[]"))
    elif "is" in template and template["is"] not in ({}, None):
        yield ".".join(at)
