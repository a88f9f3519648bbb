"""How much of a world is real: figures that follow from the Blueprint and the contract alone, without running anything.

    writes      operations that change something; those that only leave a trace
    parameters  parameters of the contract; those that an operation makes use of
    answers     parts of answers; those that come from the state
    ids         required parameters that name a record; those that are looked up, so that an unknown one is refused
    references  columns called after a thing of the same world; those that refer to it
    rules       policies; those that are assumed

An operation leaves only a trace where all it does is to add rows of a log, and nothing that the caller says stands in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from worldwright.anchor.names import noun, parts
from worldwright.blueprint import checked as c
from worldwright.blueprint.effects import effects
from worldwright.blueprint.expr import nodes as n
from worldwright.engine.contract import Contract, ContractTool, Template
from worldwright.english.words import wordset

LOGS = frozenset({"log", "trail"})
ASSUMPTION = "assum"
"""What the source of an assumed rule begins with."""
IDS = wordset("id gid uuid guid uid sid")
"""Last words of parameters and columns that name a record."""


@dataclass(frozen=True, slots=True)
class Measures:
    """Counts, each with how many of them are as they should be."""

    writes: int = 0
    writes_with_effect: int = 0
    reads: int = 0
    reads_of_state: int = 0
    """Reading tools whose answer comes from the state at least in part."""
    parameters: int = 0
    parameters_used: int = 0
    answers: int = 0
    answers_backed: int = 0
    ids: int = 0
    ids_checked: int = 0
    references: int = 0
    references_bound: int = 0
    rules: int = 0
    rules_assumed: int = 0

    def __add__(self, other: Measures) -> Measures:
        return Measures(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Measures)))

    def shares(self) -> dict[str, float | None]:
        """By figure, the share that is as it should be; None where there is nothing of the kind."""
        pairs = {
            "writes": (self.writes_with_effect, self.writes),
            "reads": (self.reads_of_state, self.reads),
            "parameters": (self.parameters_used, self.parameters),
            "answers": (self.answers_backed, self.answers),
            "ids": (self.ids_checked, self.ids),
            "references": (self.references_bound, self.references),
            "rules": (self.rules - self.rules_assumed, self.rules),
        }
        return {name: good / total if total else None for name, (good, total) in pairs.items()}

    def data(self) -> dict[str, Any]:
        return {**asdict(self), "shares": self.shares()}


def measure_world(blueprint: c.Checked, contract: Contract | None) -> Measures:
    """The figures of one world behind its contract, or of its own tools where it has none."""
    if contract is None:
        every = [_measure_operation(blueprint, name) for name in blueprint.operations]
    else:
        every = [_measure_tool(blueprint, tool) for tool in contract.tools.values()]
    columns = list(_named_after_entities(blueprint))
    policies = blueprint.blueprint.policies.values()
    whole = Measures(
        references=len(columns), references_bound=sum(columns),
        rules=len(policies), rules_assumed=sum(p.source.startswith(ASSUMPTION) for p in policies),
    )  # fmt: skip
    return sum(every, whole)


def _measure_tool(blueprint: c.Checked, tool: ContractTool) -> Measures:
    used = frozenset(_used_inputs(blueprint, tool.operation))
    taken = {take.at[0] for name, take in tool.takes.items() if name in used} | {tool.selects}
    looked_up = {take.at[-1] for take in tool.takes.values() if take.codec.get("as") == "id"}
    known = list(tool.input_schema.get("properties", {}))
    ids = [name for name in tool.input_schema.get("required", ()) if parts(name)[-1:] and parts(name)[-1] in IDS]
    backed, total = _parts(tool.gives)
    writes = effects(blueprint, tool.operation).mutates
    return Measures(
        writes=int(writes), writes_with_effect=int(writes and has_effect(blueprint, tool.operation)),
        reads=int(not writes), reads_of_state=int(not writes and backed > 0),
        parameters=len(known), parameters_used=sum(name in taken for name in known),
        answers=total, answers_backed=backed,
        ids=len(ids), ids_checked=sum(name in looked_up for name in ids),
    )  # fmt: skip


def _measure_operation(blueprint: c.Checked, name: str) -> Measures:
    """The figures of an operation that is its own tool: what it answers is what it has done or found."""
    used = set(_used_inputs(blueprint, name))
    inputs = [i for i in blueprint.operations[name].inputs if i.name not in ("limit", "offset", "sort")]
    writes = effects(blueprint, name).mutates
    ids = sum(i.type.kind == "ref" and not i.optional for i in inputs)
    return Measures(
        writes=int(writes), writes_with_effect=int(writes and has_effect(blueprint, name)), reads=int(not writes),
        reads_of_state=int(not writes), parameters=len(inputs), parameters_used=sum(i.name in used for i in inputs),
        ids=ids, ids_checked=ids,
    )  # fmt: skip


def has_effect(blueprint: c.Checked, operation: str) -> bool:
    """Tell whether an operation changes more than a log that holds nothing of what the caller says."""
    written = effects(blueprint, operation).writes
    if any(blueprint.blueprint.entities[w.entity].sort not in LOGS for w in written if not w.derived):
        return True
    return bool(written) and any(True for _ in _used_inputs(blueprint, operation))


def _used_inputs(blueprint: c.Checked, name: str) -> Iterator[str]:
    """The inputs of an operation that something in it reads."""
    operation = blueprint.operations[name]
    if operation.read is not None:
        yield from (i.name for i in operation.inputs)
        yield from ("limit", "offset")
        return
    nodes = [node for whole in effects(blueprint, name).nodes for node in n.walk(whole)]
    read = {node.name for node in nodes if isinstance(node, n.Var)}
    lists = {node.rows.items for node in nodes if isinstance(node, n.Aggregate)}
    lists |= {s.rows.items for s in _statements(operation.body) if isinstance(s, c.Each)}
    yield from (i.name for i in operation.inputs if i.name in read | lists or i.type.kind == "ref")


def _statements(body: Sequence[c.Statement]) -> Iterator[c.Statement]:
    for one in body:
        yield one
        if isinstance(one, c.When):
            yield from _statements((*one.do, *one.otherwise))
        elif isinstance(one, c.Each):
            yield from _statements(one.do)


def _parts(template: Template) -> tuple[int, int]:
    """How many parts of an answer come from the state, and how many there are."""
    if "is" in template:
        return 0, _leaves(template["is"])
    if "text" in template:
        return _parts(template["text"])
    inner = template["fields"].values() if "fields" in template else [template["each"]] if "rows" in template else None
    if inner is None:
        return 1, 1
    found = [_parts(part) for part in inner]
    own = int("rows" in template)
    return sum(b for b, _ in found) + own, sum(t for _, t in found) + own


def _leaves(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(map(_leaves, value.values()))
    if isinstance(value, list):
        return max(1, sum(map(_leaves, value)))
    return 1


def _named_after_entities(blueprint: c.Checked) -> Iterator[bool]:
    """For every column called after a thing of this world, `customer_id`, whether it refers to it."""
    entities = blueprint.blueprint.entities
    known = {noun(name) for name in entities}
    for name, entity in blueprint.schema.entities.items():
        for column in entity.columns.values():
            if column.type.kind == "ref":
                yield True
            elif column.type.kind in ("text", "int") and _about(parts(column.name), known - {noun(name)}):
                yield False


def _about(words: Sequence[str], known: Iterable[tuple[str, ...]]) -> bool:
    return len(words) > 1 and words[-1] in IDS and noun("_".join(words[:-1])) in known
