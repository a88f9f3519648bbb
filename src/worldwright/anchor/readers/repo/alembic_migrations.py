"""Migrations of Alembic, played one after another: the tables that they leave behind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from worldwright.anchor.evidence import Field, Source
from worldwright.anchor.readers.repo.columns import column, column_field, column_type
from worldwright.anchor.readers.repo.models import Constraints, Model, made
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.source import Module, argument, keyword, last, own_nodes, path_of
from worldwright.anchor.readers.repo.sqlalchemy_models import constraint


@dataclass(slots=True)
class _Table:
    """A table as far as the migrations have come."""

    source: Source
    fields: dict[str, Field] = field(default_factory=dict)
    constraints: Constraints = field(default_factory=Constraints)
    says: str = ""


@dataclass(frozen=True, slots=True)
class _Step:
    """One call of a migration; `table` is that of the batch it stands in."""

    scope: Scope
    call: ast.Call
    table: str


Tables = dict[str, _Table]


def alembic_models(repo: Repo) -> list[Model]:
    """The tables after all migrations, in the order in which they were made."""
    tables: Tables = {}
    for module in _in_order(repo):
        for step in _steps(repo, module):
            play = _OPERATIONS.get(last(path_of(step.call)))
            if play is not None:
                play(repo, tables, step)
    return [
        Model(
            made(name, list(t.fields.values()), t.constraints, t.says, "", t.source),
            "migration",
            None,
            name,
            stored=True,
        )
        for name, t in tables.items()
        if t.fields
    ]


def _in_order(repo: Repo) -> list[Module]:
    """The migrations along the chain of their revisions; where the chain is broken, by name of the file."""
    found = {m.file: m for m in repo.modules if "alembic" in {path.split(".")[0] for path in m.imports.values()}}
    found = {file: m for file, m in sorted(found.items()) if "revision" in m.values}
    by_revision = {repo.text(Scope(m), m.values["revision"]): m for m in found.values()}
    done: dict[str, Module] = {}
    for module in found.values():
        chain: list[Module] = []
        current: Module | None = module
        while current is not None and current.file not in done and current not in chain:
            chain.append(current)
            before = repo.value(Scope(current), current.values.get("down_revision"))
            before = before[0] if isinstance(before, tuple) and before else before
            current = by_revision.get(before) if isinstance(before, str) else None
        done |= {m.file: m for m in reversed(chain)}
    return list(done.values())


def _steps(repo: Repo, module: Module) -> Iterator[_Step]:
    scope = Scope(module)
    upgrade = next((n for n in module.tree.body if isinstance(n, ast.FunctionDef) and n.name == "upgrade"), None)
    batches: dict[str, str] = {}
    for node in own_nodes(upgrade) if upgrade is not None else ():
        if isinstance(node, ast.With):
            for item in node.items:
                if isinstance(item.context_expr, ast.Call) and isinstance(item.optional_vars, ast.Name):
                    batches[item.optional_vars.id] = repo.text(scope, argument(item.context_expr, 0, "table_name"))
        elif isinstance(node, ast.Call):
            head = path_of(node).rpartition(".")[0]
            if head == "op" or head in batches:
                yield _Step(scope, node, batches.get(head, ""))


def _text(repo: Repo, step: _Step, position: int, name: str) -> str:
    return repo.text(step.scope, argument(step.call, position, name))


def _table(repo: Repo, tables: Tables, step: _Step, position: int = 0, name: str = "table_name") -> _Table | None:
    return tables.get(step.table or _text(repo, step, position, name))


def _create_table(repo: Repo, tables: Tables, step: _Step) -> None:
    name = _text(repo, step, 0, "table_name")
    if not name:
        return
    table = _Table(step.scope.module.source(step.call), says=repo.text(step.scope, keyword(step.call, "comment")))
    for node in step.call.args[1:1_000]:
        if isinstance(node, ast.Call):
            _put_column(repo, table, step.scope, node)
            table.constraints += constraint(repo, step.scope, node)
    tables[name] = table


def _put_column(repo: Repo, table: _Table, scope: Scope, node: ast.expr | None) -> None:
    if isinstance(node, ast.Call) and last(path_of(node)) == "Column":
        said = column(repo, scope, node)
        if said.name:
            table.fields[said.name] = column_field(said.name, said, scope.module.source(node))
            table.constraints += Constraints(checks=said.checks)


def _add_column(repo: Repo, tables: Tables, step: _Step) -> None:
    table = _table(repo, tables, step)
    if table is not None:
        _put_column(repo, table, step.scope, argument(step.call, 0 if step.table else 1, "column"))


def _drop_column(repo: Repo, tables: Tables, step: _Step) -> None:
    table = _table(repo, tables, step)
    if table is not None:
        table.fields.pop(_text(repo, step, 0 if step.table else 1, "column_name"), None)


def _alter_column(repo: Repo, tables: Tables, step: _Step) -> None:
    table = _table(repo, tables, step)
    name = _text(repo, step, 0 if step.table else 1, "column_name")
    if table is None or name not in table.fields:
        return
    old = table.fields[name]
    said = keyword(step.call, "type_")
    shape = (column_type(repo, step.scope, said) if said is not None else None) or old.shape
    nullable = repo.value(step.scope, keyword(step.call, "nullable"))
    empty = nullable if isinstance(nullable, bool) else old.shape.nullable
    new = repo.text(step.scope, keyword(step.call, "new_column_name")) or name
    changed = replace(old, name=new, shape=replace(shape, nullable=empty), required=not empty)
    table.fields = {new if n == name else n: changed if n == name else f for n, f in table.fields.items()}


def _drop_table(repo: Repo, tables: Tables, step: _Step) -> None:
    tables.pop(_text(repo, step, 0, "table_name"), None)


def _rename_table(repo: Repo, tables: Tables, step: _Step) -> None:
    old, new = _text(repo, step, 0, "old_table_name"), _text(repo, step, 1, "new_table_name")
    if old in tables and new:
        tables[new] = tables.pop(old)


def _foreign_key(repo: Repo, tables: Tables, step: _Step) -> None:
    shift = -1 if step.table else 0
    table = _table(repo, tables, step, 1, "source_table")
    to = _text(repo, step, 2 + shift, "referent_table")
    own = repo.value(step.scope, argument(step.call, 3 + shift, "local_cols"))
    there = repo.value(step.scope, argument(step.call, 4 + shift, "remote_cols"))
    if table is not None and isinstance(own, tuple) and isinstance(there, tuple):
        pairs = zip(own, there, strict=False)
        table.constraints += Constraints(refers=tuple((str(a), to, str(b)) for a, b in pairs))


def _check(repo: Repo, tables: Tables, step: _Step) -> None:
    table = _table(repo, tables, step, 1)
    text = _text(repo, step, 1 if step.table else 2, "condition")
    if table is not None and text:
        table.constraints += Constraints(checks=(text,))


def _unique(repo: Repo, tables: Tables, step: _Step) -> None:
    table = _table(repo, tables, step, 1)
    columns = repo.value(step.scope, argument(step.call, 1 if step.table else 2, "columns"))
    if table is None or not isinstance(columns, tuple):
        return
    names = tuple(c for c in columns if isinstance(c, str))
    operation = last(path_of(step.call))
    if operation == "create_primary_key":
        table.constraints += Constraints(key=names)
    elif operation != "create_index" or repo.value(step.scope, keyword(step.call, "unique")) is True:
        table.constraints += Constraints(unique=(names,))


_OPERATIONS: Mapping[str, Callable[[Repo, Tables, _Step], None]] = {
    "create_table": _create_table,
    "drop_table": _drop_table,
    "rename_table": _rename_table,
    "add_column": _add_column,
    "drop_column": _drop_column,
    "alter_column": _alter_column,
    "create_foreign_key": _foreign_key,
    "create_check_constraint": _check,
    "create_unique_constraint": _unique,
    "create_primary_key": _unique,
    "create_index": _unique,
}
