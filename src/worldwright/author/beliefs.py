"""What we believe an operation does: sentences of its effects and refusals, and a run that shows it, for somebody to confirm.

The sentence follows from what the compiler knows of the operation, not from what its author wrote about it. The run is a real one:
a walk through the drafted world comes to a successful call, and what that changed is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from worldwright.blueprint.checked import Checked, Each, Get, Operation, Search, Set, Statement, When
from worldwright.blueprint.effects import Effects, Guard, Write, effects
from worldwright.blueprint.expr.nodes import Const
from worldwright.core.memo import Memo
from worldwright.core.names import to_words
from worldwright.core.rng import Stream
from worldwright.engine.contract import Contract, show_call
from worldwright.english.nouns import indefinite
from worldwright.kinds.database.compile.graph.walker import walk_graph
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.compile.worlds import compile_checked
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session
from worldwright.world.records import Call, Result, TableDiff

SEED = 7
"""Of the drafted world in which operations are run."""
MAX_WALKS, CALLS_PER_WALK = 4, 120


@dataclass(frozen=True, slots=True)
class Belief:
    """What we believe of one operation."""

    operation: str
    tools: tuple[str, ...]
    """The tools that stand for it; none where it is offered to nobody."""
    does: str
    """Who may do it, and what it shows and changes."""
    refused: tuple[str, ...]
    """What has to hold, or the system refuses it."""
    forbidden: tuple[str, ...]
    """What has to hold, or the handbook forbids it, though the system does it all the same."""
    written: str
    """What its author wrote about it."""

    @property
    def says(self) -> str:
        """The whole of it in a few sentences: what somebody confirms."""
        parts = [self.does]
        if self.refused:
            parts.append(f"The system refuses it unless {'; and unless '.join(self.refused)}.")
        if self.forbidden:
            parts.append(
                f"The system does it all the same, but the handbook forbids it, unless {'; and unless '.join(self.forbidden)}."
            )
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Example:
    """A call of an operation that succeeded in the drafted world."""

    operation: str
    role: str
    tool: str
    arguments: Mapping[str, Any]
    result: Any
    diff: Mapping[str, TableDiff]
    clock: str


def describe_operations(checked: Checked, contract: Contract | None) -> list[Belief]:
    """What we believe of every operation, those that change something first."""
    tools: dict[str, list[str]] = {}
    for name, operation in (
        ((t.name, t.operation) for t in contract.tools.values())
        if contract is not None
        else ((n, n) for n in checked.operations)
    ):
        tools.setdefault(operation, []).append(name)
    found = [describe_operation(checked, name, tuple(tools.get(name, ()))) for name in checked.operations]
    return sorted(found, key=lambda belief: not effects(checked, belief.operation).mutates)


def describe_operation(checked: Checked, name: str, tools: tuple[str, ...] = ()) -> Belief:
    """Say what an operation does, in sentences that somebody who knows the business can confirm or deny."""
    operation, found = checked.operations[name], effects(checked, name)
    sentences = [_say_who(operation), *_say_reads(operation), *_say_writes(operation, found)]
    refused, forbidden = _list_conditions(checked, found)
    return Belief(name, tools, " ".join(sentences), refused, forbidden, operation.says)


def _say_who(operation: Operation) -> str:
    if not operation.roles:
        return "Anybody may do it."
    return f"Only {_join([indefinite(role) for role in operation.roles], 'or')} may do it."


def _say_reads(operation: Operation) -> Iterator[str]:
    match operation.read:
        case Search() as search:
            by = f", chosen by {_join([to_words(f.name) for f in search.filters], 'or')}" if search.filters else ""
            yield f"It lists records of {to_words(search.entity)}{by}."
        case Get() as get:
            beside = f" with its {_join([to_words(e.name) for e in get.embeds])}" if get.embeds else ""
            yield f"It shows {indefinite(get.entity)}{beside}."


def _say_writes(operation: Operation, found: Effects) -> Iterator[str]:
    constants = dict(_list_constants(operation.body))
    always = [w for w in found.writes if w.must and not w.derived]
    sometimes = [w for w in found.writes if not w.must and not w.derived]
    follows = [w for w in found.writes if w.derived]
    if always:
        yield f"It {_join(list(_spell_writes(always, constants)))}."
    if sometimes:
        yield f"In some cases it {'also ' if always else ''}{_join(list(_spell_writes(sometimes, constants)))}."
    if follows:
        named = dict.fromkeys(
            f"{to_words(column)} of the {to_words(w.entity)}" for w in follows for column in w.columns
        )
        yield f"What follows from that: {_join(list(named))}."
    if found.waits:
        yield "Time passes with it."


def _list_constants(body: Iterable[Statement]) -> Iterator[tuple[tuple[str, str], Any]]:
    """By entity and column, the value that is always the same where it is set."""
    for statement in body:
        match statement:
            case Set(row, values):
                for name, node in values:
                    if isinstance(node, Const) and row.type.entity:
                        yield (row.type.entity, name), node.value
            case When(_, do, otherwise):
                yield from _list_constants((*do, *otherwise))
            case Each(do=do):
                yield from _list_constants(do)


def _spell_writes(writes: Iterable[Write], constants: Mapping[tuple[str, str], Any]) -> Iterator[str]:
    columns: dict[tuple[str, str], list[str]] = {}
    for write in writes:
        mine = columns.setdefault((write.verb, write.entity), [])
        mine += [c for c in write.columns if c not in mine]
    for (verb, entity), names in columns.items():
        if verb == "set":
            spelt = [
                f"{to_words(n)} to {constants[entity, n]}"
                if isinstance(constants.get((entity, n)), str)
                else to_words(n)
                for n in names
            ]
            yield f"sets {_join(spelt)} of {indefinite(entity)}"
        else:
            yield f"{verb}s {indefinite(entity)}"


def _list_conditions(checked: Checked, found: Effects) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What has to hold: for the system, and for the handbook alone."""
    guards = list(dict.fromkeys(found.guards))
    by_hand = [g for g in guards if g.policy and checked.policies[g.policy].enforced == "agent"]
    refused = dict.fromkeys(_say_guard(checked, g) for g in guards if g not in by_hand)
    return tuple(refused), tuple(dict.fromkeys(_say_guard(checked, g) for g in by_hand))


def _say_guard(checked: Checked, guard: Guard) -> str:
    policy = checked.policies.get(guard.policy)
    return guard.text if policy is None else f"{to_words(guard.policy)} is kept ({policy.says.rstrip('.')})"


def _join(parts: list[str], word: str = "and") -> str:
    """Join parts as a list is said: `a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}" if parts else ""


# running them


def find_examples(checked: Checked, contract: Contract | None) -> dict[str, Example]:
    """A successful call of each operation that walks through the drafted world come to: the first that changed something."""
    compiled = compile_checked(checked, Memo())
    runtime = Runtime(compiled, grow_state(compiled, SEED).data, "")
    found: dict[str, Example] = {}
    wanted = set(checked.operations)
    for number in range(MAX_WALKS):
        for role in runtime.roles or ("",):
            session = runtime.session(role)
            watcher = _Watcher(session, role, contract, found)
            walk_graph(watcher, compiled, role, Stream(SEED, "beliefs", number, role), CALLS_PER_WALK)
            session.close()
        if all(name in found for name in wanted):
            break
    return found


@dataclass(slots=True)
class _Watcher:
    """A session as whoever walks calls it; what each call changed is kept."""

    session: Session
    role: str
    contract: Contract | None
    found: dict[str, Example] = field(default_factory=dict)

    @property
    def clock(self) -> str:
        return self.session.clock

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Result:
        clock = self.session.clock
        result = self.session.call(tool, arguments)
        changed = self.session.diff_since_last()
        known = self.found.get(tool)
        if result.ok and (known is None or (changed and not known.diff)):
            shown = show_call(self.contract, Call(tool, dict(arguments)))
            self.found[tool] = Example(tool, self.role, shown.tool, shown.arguments, result.data, changed, clock)
        return result
