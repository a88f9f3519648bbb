"""Models of SQLAlchemy: declarative classes of both styles, their mixins, and `Table(...)` calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.readers.repo.columns import COLUMNS, Column, column, column_field
from worldwright.anchor.readers.repo.families import bases, family, lineage
from worldwright.anchor.readers.repo.models import Constraints, Model, by_name, made
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.records import annotation
from worldwright.anchor.readers.repo.source import Class, Module, argument, docstring, keyword, last, path_of

_WRAPPERS = frozenset({"deferred", "column_property"})
_RELATIONS = frozenset({"relationship", "relation", "dynamic_loader"})


def sqlalchemy_models(repo: Repo) -> list[Model]:
    """Every table that is kept, in order of the files."""
    mapped = dict(_mapped(repo))
    declared = [cls for cls in repo.classes() if family(repo, cls) == "sqlalchemy"]
    parents = {base for cls in declared for base in bases(repo, cls)}
    found = {cls: _model(repo, cls) for cls in declared if _is_table(repo, cls, cls in parents)}
    return [*_with_children(repo, found), *_tables(repo, mapped)]


# classes


def _is_table(repo: Repo, cls: Class, has_heirs: bool) -> bool:
    """Tell whether a class stands for a table, and is no base, mixin or part of its parent's table."""
    if repo.value(Scope(cls.module, cls), cls.values.get("__abstract__")) is True:
        return False
    if _has_own_table(cls):
        return True
    if _parent(repo, cls) is not None:
        return False
    family_tree = lineage(repo, cls)
    if any(_names_tables(owner) for owner in family_tree[:-1]):
        return any(f.key for f in _fields(repo, cls))
    return not has_heirs and any(f.key for f in _fields(repo, cls))


def _has_own_table(cls: Class) -> bool:
    return "__tablename__" in cls.values or "__table__" in cls.values


def _names_tables(cls: Class) -> bool:
    return any(isinstance(n, ast.FunctionDef) and n.name == "__tablename__" for n in cls.node.body)


def _parent(repo: Repo, cls: Class) -> Class | None:
    """The nearest class above that has a table of its own."""
    for owner in reversed(lineage(repo, cls)[:-1]):
        if _has_own_table(owner):
            return owner
    return None


def _with_children(repo: Repo, found: dict[Class, Model]) -> list[Model]:
    """Tables with the columns of classes that share them; a row of another class leaves those empty."""
    for cls in repo.classes():
        parent = _parent(repo, cls) if family(repo, cls) == "sqlalchemy" and cls not in found else None
        if parent is None or parent not in found or not cls.values:
            continue
        model = found[parent]
        known = {f.name for f in model.resource.fields}
        scope = Scope(cls.module, cls)
        more = [
            replace(f, required=False, shape=replace(f.shape, nullable=True))
            for f in _own_fields(repo, scope, cls)
            if f.name not in known
        ]
        if more:
            found[parent] = replace(model, resource=replace(model.resource, fields=(*model.resource.fields, *more)))
    return list(found.values())


def _model(repo: Repo, cls: Class) -> Model:
    scope = Scope(cls.module, cls)
    table = repo.text(scope, cls.values.get("__tablename__"))
    constraints = Constraints()
    for owner in _owners(repo, cls):
        constraints += _constraints(repo, Scope(owner.module, owner), _table_args(owner))
    fields = _fields(repo, cls)
    call = cls.values.get("__table__")
    if isinstance(call, ast.Call):
        table = repo.text(scope, argument(call, 0, "name"))
        fields = [*fields, *_table_fields(repo, cls.module, call)]
        constraints += _constraints(repo, scope, call.args)
    constraints += Constraints(checks=tuple(_column_checks(repo, cls)))
    return Model(
        made(cls.name, by_name(fields), constraints, docstring(cls.node), table, cls.source),
        "sqlalchemy",
        cls,
        table,
        stored=True,
    )


def _owners(repo: Repo, cls: Class) -> list[Class]:
    """The class and what it takes columns from: mixins and abstract bases, not other tables."""
    return [owner for owner in lineage(repo, cls) if owner is cls or not _has_own_table(owner)]


def _fields(repo: Repo, cls: Class) -> list[Field]:
    fields: list[Field] = []
    relations: list[tuple[str, str]] = []
    for owner in _owners(repo, cls):
        scope = Scope(owner.module, owner)
        fields.extend(_own_fields(repo, scope, owner))
        relations.extend(_relations(repo, scope, owner))
    links = dict(relations)
    return by_name(replace(f, refers_to=links[f.name]) if not f.refers_to and f.name in links else f for f in fields)


def _own_fields(repo: Repo, scope: Scope, cls: Class) -> Iterator[Field]:
    for node in cls.node.body[:1_000]:
        source = cls.module.source(node)
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=type_, value=value):
                found = _annotated(repo, scope, type_, value)
                if found is not None:
                    yield column_field(name, found[0], source, found[1])
                elif isinstance(value, ast.Call) and last(path_of(value)) in _RELATIONS and keyword(value, "secondary"):
                    yield _many(repo, scope, name, value, cls.module, node)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                said = _column(repo, scope, call)
                if said is not None:
                    yield column_field(name, said, source)
                elif last(path_of(call)) in _RELATIONS and keyword(call, "secondary"):
                    yield _many(repo, scope, name, call, cls.module, node)
            case ast.FunctionDef(name=name) if any("declared_attr" in path_of(d) for d in node.decorator_list):
                returned = next((n.value for n in node.body if isinstance(n, ast.Return)), None)
                said = _column(repo, scope, returned) if isinstance(returned, ast.Call) else None
                if said is not None:
                    hint = annotation(repo, scope, node.returns).shape if node.returns is not None else None
                    yield column_field(name, said, source, hint)


def _column(repo: Repo, scope: Scope, call: ast.Call) -> Column | None:
    if last(path_of(call)) in _WRAPPERS and call.args and isinstance(call.args[0], ast.Call):
        call = call.args[0]
    return column(repo, scope, call) if last(repo.full(scope.module, path_of(call))) in COLUMNS else None


def _annotated(repo: Repo, scope: Scope, type_: ast.expr, value: ast.expr | None) -> tuple[Column, Shape | None] | None:
    """An annotated name as a column: `Mapped[...]`, or any annotation with a column on the right."""
    head = last(path_of(type_.value)) if isinstance(type_, ast.Subscript) else ""
    call = value if isinstance(value, ast.Call) else None
    said = _column(repo, scope, call) if call is not None else None
    if said is None and (head != "Mapped" or value is not None):
        return None
    found = annotation(repo, scope, type_)
    hint = found.shape if head == "Mapped" else None
    for beside in found.calls:
        shared = _column(repo, found.scope or scope, beside)
        if shared is not None:
            said = _over(said or Column(), shared)
    if said is None and hint is not None and (hint.kind == "object" or (hint.items and hint.items.kind == "object")):
        return None
    return said or Column(), hint


def _over(own: Column, shared: Column) -> Column:
    """A column with what a shared type says where it says nothing itself."""
    return Column(
        own.shape or shared.shape,
        own.name or shared.name,
        own.nullable if own.nullable is not None else shared.nullable,
        own.key or shared.key,
        own.unique or shared.unique,
        own.refers_to or shared.refers_to,
        own.refers_by or shared.refers_by,
        own.default if own.default is not None else shared.default,
        own.computed or shared.computed,
        own.says or shared.says,
        (*own.checks, *shared.checks),
    )


def _column_checks(repo: Repo, cls: Class) -> Iterator[str]:
    for value in list(cls.values.values())[:1_000]:
        said = _column(repo, Scope(cls.module, cls), value) if isinstance(value, ast.Call) else None
        yield from said.checks if said is not None else ()


def _many(repo: Repo, scope: Scope, name: str, call: ast.Call, module: Module, node: ast.stmt) -> Field:
    """A relation through a table of pairs: a list of the others."""
    target = argument(call, 0, "argument")
    to = last(repo.text(scope, target) or path_of(target))
    if not to and isinstance(node, ast.AnnAssign):
        held = annotation(repo, scope, node.annotation).shape
        to = (held.items or held).name
    return Field(
        name, Shape("array", items=Shape("object", name=to, cut=True)), refers_to=to, source=module.source(node)
    )


def _relations(repo: Repo, scope: Scope, cls: Class) -> Iterator[tuple[str, str]]:
    """Columns that a relation names, and what it leads to; for columns that say nothing of it themselves."""
    for value in list(cls.values.values())[:1_000]:
        if not (isinstance(value, ast.Call) and last(path_of(value)) in _RELATIONS):
            continue
        target = argument(value, 0, "argument")
        to = last(repo.text(scope, target) or path_of(target))
        columns = keyword(value, "foreign_keys")
        for part in columns.elts if isinstance(columns, ast.List | ast.Tuple) else [columns]:
            if part is not None and to and path_of(part):
                yield last(path_of(part)), to


# tables


def _mapped(repo: Repo) -> Iterator[tuple[str, Class]]:
    """Tables that are mapped to classes by hand: the name of the variable, and the class."""
    for module in repo.modules:
        if not any("sqlalchemy" in path for path in module.imports.values()):
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and last(path_of(node)) in ("map_imperatively", "mapper"):
                cls = repo.find_class(Scope(module), path_of(argument(node, 0, "class_")))
                table = last(path_of(argument(node, 1, "local_table")))
                if cls is not None and table:
                    yield table, cls


def _tables(repo: Repo, mapped: dict[str, Class]) -> Iterator[Model]:
    for module in repo.modules:
        for name, value in module.values.items():
            if not isinstance(value, ast.Call) or last(repo.full(module, path_of(value))) != "Table":
                continue
            scope = Scope(module)
            table = repo.text(scope, argument(value, 0, "name"))
            fields = _table_fields(repo, module, value)
            if not table or not fields:
                continue
            cls = mapped.get(name)
            constraints = _constraints(repo, scope, value.args)
            says = docstring(cls.node) if cls is not None else repo.text(scope, keyword(value, "comment"))
            title = cls.name if cls is not None else table
            resource = made(title, fields, constraints, says, table if cls else "", module.source(value))
            yield Model(resource, "sqlalchemy", cls, table, stored=True)


def _table_fields(repo: Repo, module: Module, call: ast.Call) -> list[Field]:
    scope = Scope(module)
    found: list[Field] = []
    for node in call.args[:1_000]:
        said = _column(repo, scope, node) if isinstance(node, ast.Call) else None
        if said is not None and said.name:
            found.append(column_field(said.name, said, module.source(node)))
    return by_name(found)


def _table_args(cls: Class) -> Sequence[ast.expr]:
    found = cls.values.get("__table_args__")
    if found is None:
        for node in cls.node.body:
            if isinstance(node, ast.FunctionDef) and node.name == "__table_args__":
                found = next((n.value for n in node.body if isinstance(n, ast.Return)), None)
    return found.elts if isinstance(found, ast.Tuple) else ()


def _constraints(repo: Repo, scope: Scope, nodes: Sequence[ast.expr]) -> Constraints:
    """The constraints among the arguments of a table."""
    found = Constraints()
    for node in nodes[:1_000]:
        if isinstance(node, ast.Call):
            found += constraint(repo, scope, node)
    return found


def constraint(repo: Repo, scope: Scope, call: ast.Call) -> Constraints:
    """One constraint; an empty record for anything else."""
    name = last(repo.full(scope.module, path_of(call)))
    if name == "CheckConstraint":
        text = repo.text(scope, argument(call, 0, "sqltext"))
        condition = argument(call, 0, "sqltext")
        return Constraints(checks=(text or (scope.module.text(condition) if condition is not None else ""),))
    if name in ("UniqueConstraint", "PrimaryKeyConstraint", "Index"):
        given = call.args[1:] if name == "Index" else call.args
        columns = tuple(repo.text(scope, a) or last(path_of(a)) for a in given)
        if not columns or not all(columns):
            return Constraints()
        if name == "PrimaryKeyConstraint":
            return Constraints(key=columns)
        single = name == "UniqueConstraint" or repo.value(scope, keyword(call, "unique")) is True
        return Constraints(unique=(columns,)) if single else Constraints()
    if name == "ForeignKeyConstraint" and len(call.args) > 1:
        own, there = repo.value(scope, call.args[0]), repo.value(scope, call.args[1])
        if isinstance(own, tuple) and isinstance(there, tuple):
            return Constraints(refers=tuple(_referring(own, there)))
    return Constraints()


def _referring(own: tuple[object, ...], there: tuple[object, ...]) -> Iterator[tuple[str, str, str]]:
    for mine, theirs in zip(own, there, strict=False):
        if isinstance(mine, str) and isinstance(theirs, str):
            table, _, by = theirs.rpartition(".")
            yield mine, last(table), by
