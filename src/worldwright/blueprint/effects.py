"""What an operation can do, known without running it: what it reads, may write, and what can refuse it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from worldwright.blueprint import checked as c
from worldwright.blueprint.definitions import find_definition
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.types import ref

GENERAL_CODES = ("INVALID_ARGUMENT", "NOT_FOUND", "FORBIDDEN", "MISSING_VALUE", "OUT_OF_RANGE", "TOO_MANY")
"""What any tool may answer, whatever its own rules are."""


@dataclass(frozen=True, slots=True)
class Write:
    entity: str
    columns: tuple[str, ...]
    verb: str
    """add, set or remove"""
    must: bool
    """Whether every successful call does it; false under `when` and `each`."""
    derived: bool = False
    """Whether it is a kept field that follows from another write."""


@dataclass(frozen=True, slots=True)
class Guard:
    kind: str
    """require, obey, find or move"""
    code: str
    policy: str
    text: str
    must: bool


@dataclass(frozen=True, slots=True)
class Effects:
    reads: tuple[tuple[str, str], ...]
    writes: tuple[Write, ...]
    guards: tuple[Guard, ...]
    policies: tuple[str, ...]
    codes: tuple[str, ...]
    nodes: tuple[n.Node, ...]
    """Every expression of it and of what it gives."""
    waits: bool = False

    @property
    def mutates(self) -> bool:
        """Whether the world is another one after it: rows, or the time."""
        return bool(self.writes) or self.waits


@c.once_per_blueprint
def effects(blueprint: c.Checked, name: str) -> Effects:
    """The static effects of one operation, those of operations it runs included."""
    operation = blueprint.operations[name]
    writes: list[Write] = []
    guards: list[Guard] = []
    nodes: list[n.Node] = []
    nodes += [node for node in (operation.once, operation.waits, operation.wakes) if node is not None]
    _block(blueprint, operation.body, operation.once is None, writes, guards, nodes)
    writes += _derive_writes(blueprint, writes)
    nodes += _find_shown_nodes(blueprint, operation)
    reads = sorted(_list_reads(blueprint, nodes))
    policies = tuple(dict.fromkeys(g.policy for g in guards if g.policy))
    own = [g.code for g in guards if g.policy == "" or blueprint.policies[g.policy].enforced == "tool"]
    general = [code for code in GENERAL_CODES if _is_possible(code, operation)]
    unique = any(blueprint.schema.entities[w.entity].unique for w in writes if w.verb != "remove")
    own += ["DUPLICATE"] if unique else []
    held = ["INVARIANT"] if any(_is_in_invariant(blueprint, w.entity) for w in writes) else []
    codes = tuple(sorted(set(general + own + held)))
    return Effects(
        tuple(reads),
        tuple(dict.fromkeys(writes)),
        tuple(guards),
        policies,
        codes,
        tuple(nodes),
        operation.waits is not None,
    )


def _is_possible(code: str, operation: c.Operation) -> bool:
    if code in ("MISSING_VALUE", "OUT_OF_RANGE", "TOO_MANY"):
        return False
    if code == "FORBIDDEN":
        return bool(operation.roles)
    refs = any(i.type.kind == "ref" or any(p.type.kind == "ref" for p in i.parts) for i in operation.inputs)
    return code != "NOT_FOUND" or refs


def _is_in_invariant(blueprint: c.Checked, entity: str) -> bool:
    return any(
        i.each == entity or any(isinstance(p, n.Aggregate) and p.rows.entity == entity for p in n.walk(i.holds))
        for i in blueprint.always.values()
    )


def _find_shown_nodes(blueprint: c.Checked, operation: c.Operation) -> Iterator[n.Node]:
    """Yield what a caller is shown: of a row, every column."""
    read = operation.read
    if isinstance(read, c.Search):
        yield from (node for _, node in read.shows)
        yield from _columns(
            blueprint, read.entity, None if not read.shows else (*(f.column for f in read.filters), *read.sorts)
        )
    elif isinstance(read, c.Get):
        yield from _columns(blueprint, read.entity, None)
    for embed in read.embeds if read is not None else ():
        assert read is not None
        way = blueprint.schema.entities[read.entity].ways.get(embed.way)
        yield from _columns(
            blueprint, embed.ref.type.entity if embed.ref is not None else way.entity if way else "", None
        )
    if read is not None and read.where is not None:
        yield read.where
    if isinstance(operation.gives, n.Node):
        yield operation.gives
        yield from _columns(blueprint, operation.gives.type.entity, None)
    elif operation.gives is not None:
        yield from (v for _, v in operation.gives)


def _columns(blueprint: c.Checked, entity: str, names: tuple[str, ...] | None) -> Iterator[n.Node]:
    """Fields of an entity as expressions; all of them where no names are given."""
    row = n.Var(ref(entity), "self")
    for column in blueprint.schema.entities[entity].columns.values() if entity else ():
        if names is None or column.name in names:
            yield n.Field(column.type, row, column.name)


def _block(
    bp: c.Checked,
    body: tuple[c.Statement, ...],
    must: bool,
    writes: list[Write],
    guards: list[Guard],
    nodes: list[n.Node],
) -> None:
    for s in body:
        nodes.extend(n.statement_nodes(s))
        match s:
            case c.Require():
                guards.append(Guard("require", s.code, "", s.text, must))
            case c.Obey():
                guards.append(Guard("obey", bp.policies[s.policy].code, s.policy, bp.policies[s.policy].says, must))
                nodes.append(bp.policies[s.policy].binding)
            case c.Find() if s.code:
                guards.append(Guard("find", s.code, "", f"a {s.rows.entity} is found", must))
            case c.Set():
                entity = bp.schema.entities[s.row.type.entity]
                names = tuple(name for name, _ in s.values)
                writes.append(Write(entity.name, names, "set", must))
                if entity.state_field in names:
                    guards.append(
                        Guard("move", "INVALID_STATE", "", f"{entity.name}.{entity.state_field} may move there", must)
                    )
            case c.Add():
                writes.append(
                    Write(s.entity, tuple(col.name for col in bp.schema.entities[s.entity].stored), "add", must)
                )
            case c.Remove():
                writes.append(Write(s.row.type.entity, (), "remove", must))
                guards.append(Guard("move", "IN_USE", "", "nothing refers to it", must))
            case c.When():
                _block(bp, s.do, False, writes, guards, nodes)
                _block(bp, s.otherwise, False, writes, guards, nodes)
            case c.Each():
                _block(bp, s.do, False, writes, guards, nodes)
            case c.Run():
                inner = effects(bp, s.operation)
                writes.extend(replace(w, must=w.must and must) for w in inner.writes if not w.derived)
                guards.extend(replace(g, must=g.must and must) for g in inner.guards)


def _derive_writes(bp: c.Checked, writes: list[Write]) -> list[Write]:
    """Derive the kept fields that follow from what is written, through as many levels as there are."""
    out: list[Write] = []
    todo = list(writes)
    while todo:
        write = todo.pop()
        for owner, field, via in bp.dependents.get(write.entity, ()):
            touched = write.verb != "set" or bool(
                set(write.columns) & _list_kept_reads(bp, owner, field, write.entity, via)
            )
            new = Write(owner, (field,), "set", False, derived=True)
            if touched and new not in out and not (write.verb == "add" and not via):
                out.append(new)
                todo.append(new)
    return sorted(out, key=lambda w: (w.entity, w.columns))


def _list_kept_reads(bp: c.Checked, owner: str, field: str, entity: str, via: str) -> set[str]:
    """List the columns of an entity that a kept field is made of."""
    out = {via} if via else set()
    for part in n.walk(bp.kept[owner, field]):
        if isinstance(part, n.Field) and part.base.type.kind == "ref" and part.base.type.entity == entity:
            out.add(part.name)
    return out


def depends_on_many(bp: c.Checked, name: str) -> bool:
    """Return whether a guard or an effect of an operation depends on many rows: quota, overlap, match, allocation."""
    operation = bp.operations[name]
    if operation.read is not None:
        return False
    writes: list[Write] = []
    nodes: list[n.Node] = []
    _block(bp, operation.body, True, writes, [], nodes)
    loops = any(isinstance(s, c.Each) and not s.rows.items for s in operation.body)
    return bool(writes) and (
        loops or any(isinstance(p, n.Aggregate) and p.rows.entity for p in expand_nodes(bp, nodes))
    )


def expand_nodes(bp: c.Checked, nodes: Iterable[n.Node]) -> Iterator[n.Node]:
    """Yield every part of the expressions, bodies of terms, policies and computed fields included, each once."""
    seen: set[tuple[str, str]] = set()
    todo = list(nodes)
    while todo:
        for part in n.walk(todo.pop()):
            yield part
            found = find_definition(bp, part)
            if found is not None and found.key not in seen:
                seen.add(found.key)
                todo.append(found.body)


def columns_read(bp: c.Checked, nodes: Iterable[n.Node]) -> set[tuple[str, str]]:
    """The (entity, column) pairs that expressions read, bodies of terms, policies and computed fields included."""
    return {
        (part.base.type.entity, part.name)
        for part in expand_nodes(bp, nodes)
        if isinstance(part, n.Field) and part.base.type.kind == "ref"
    }


def _list_reads(bp: c.Checked, nodes: list[n.Node]) -> set[tuple[str, str]]:
    """List every (entity, column) that the expressions look at."""
    out: set[tuple[str, str]] = set()
    for part in expand_nodes(bp, nodes):
        if isinstance(part, n.Field) and part.base.type.kind == "ref":
            out.add((part.base.type.entity, part.name))
        elif isinstance(part, n.Aggregate) and part.rows.column:
            out.add((part.rows.entity, part.rows.column))
    return out
