"""Migrations of Django, played one after another: the models that they leave behind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from worldwright.anchor.evidence import Field, Source
from worldwright.anchor.readers.repo.django_fields import django_field, is_field
from worldwright.anchor.readers.repo.django_models import constraint, meta_constraints
from worldwright.anchor.readers.repo.models import Constraints, Model, made
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.source import argument, last, path_of


@dataclass(slots=True)
class _Made:
    """A model as far as the migrations have come."""

    name: str
    source: Source
    fields: dict[str, Field] = field(default_factory=dict)
    constraints: Constraints = field(default_factory=Constraints)
    table: str = ""


Models = dict[tuple[str, str], _Made]
"""By application and name in lower case."""


def django_migrated(repo: Repo) -> list[Model]:
    """The models after all migrations, in the order in which they were made."""
    models: Models = {}
    for module in sorted(repo.modules, key=lambda m: m.file):
        path = PurePosixPath(module.file)
        operations = module.classes["Migration"].values.get("operations") if "Migration" in module.classes else None
        if path.parent.name != "migrations" or not isinstance(operations, ast.List | ast.Tuple):
            continue
        application = path.parent.parent.name
        for node in operations.elts[:5_000]:
            play = _OPERATIONS.get(last(path_of(node)))
            if play is not None and isinstance(node, ast.Call):
                play(repo, models, application, Scope(module), node)
    return [
        Model(
            made(m.name, list(m.fields.values()), m.constraints, "", m.table, m.source),
            "migration",
            None,
            m.table or f"{application}_{m.name.lower()}",
            stored=True,
        )
        for (application, _), m in models.items()
    ]


def _create(repo: Repo, models: Models, application: str, scope: Scope, call: ast.Call) -> None:
    name = repo.text(scope, argument(call, 0, "name"))
    pairs = argument(call, 1, "fields")
    if not name or not isinstance(pairs, ast.List | ast.Tuple):
        return
    model = _Made(name, scope.module.source(call))
    for pair in pairs.elts[:1_000]:
        if isinstance(pair, ast.Tuple) and len(pair.elts) == 2:
            _put(repo, model, scope, repo.text(scope, pair.elts[0]), pair.elts[1])
    options = argument(call, 2, "options")
    if isinstance(options, ast.Dict):
        named = {k.value: v for k, v in zip(options.keys, options.values, strict=True) if isinstance(k, ast.Constant)}
        values = {k: v for k, v in named.items() if isinstance(k, str)}
        model.table = repo.text(scope, values.get("db_table"))
        model.constraints += meta_constraints(repo, scope, values)
    models[application, name.lower()] = model


def _put(repo: Repo, model: _Made, scope: Scope, name: str, node: ast.expr | None) -> None:
    if name and isinstance(node, ast.Call) and is_field(repo, scope, node):
        found = django_field(repo, scope, name, node, scope.module.source(node), model.name)
        model.fields[name] = found.field
        model.constraints += Constraints(checks=found.checks)


def _model(repo: Repo, models: Models, application: str, scope: Scope, call: ast.Call) -> _Made | None:
    return models.get((application, repo.text(scope, argument(call, 0, "model_name", "name")).lower()))


def _set_field(repo: Repo, models: Models, application: str, scope: Scope, call: ast.Call) -> None:
    model = _model(repo, models, application, scope, call)
    if model is not None:
        _put(repo, model, scope, repo.text(scope, argument(call, 1, "name")), argument(call, 2, "field"))


def _remove_field(repo: Repo, models: Models, application: str, scope: Scope, call: ast.Call) -> None:
    model = _model(repo, models, application, scope, call)
    if model is not None:
        model.fields.pop(repo.text(scope, argument(call, 1, "name")), None)


def _rename_field(repo: Repo, models: Models, application: str, scope: Scope, call: ast.Call) -> None:
    model = _model(repo, models, application, scope, call)
    old, new = repo.text(scope, argument(call, 1, "old_name")), repo.text(scope, argument(call, 2, "new_name"))
    if model is not None and old in model.fields and new:
        model.fields = {
            new if n == old else n: replace(f, name=new) if n == old else f for n, f in model.fields.items()
        }


def _delete(repo: Repo, models: Models, application: str, scope: Scope, call: ast.Call) -> None:
    models.pop((application, repo.text(scope, argument(call, 0, "name")).lower()), None)


def _rename(repo: Repo, models: Models, application: str, scope: Scope, call: ast.Call) -> None:
    old, new = repo.text(scope, argument(call, 0, "old_name")), repo.text(scope, argument(call, 1, "new_name"))
    model = models.pop((application, old.lower()), None)
    if model is not None and new:
        model.name = new
        models[application, new.lower()] = model


def _add_constraint(repo: Repo, models: Models, application: str, scope: Scope, call: ast.Call) -> None:
    model = _model(repo, models, application, scope, call)
    given = argument(call, 1, "constraint")
    if model is not None and isinstance(given, ast.Call):
        model.constraints += constraint(repo, scope, given)


def _unique_together(repo: Repo, models: Models, application: str, scope: Scope, call: ast.Call) -> None:
    model = _model(repo, models, application, scope, call)
    given = argument(call, 1, "unique_together")
    if model is not None and given is not None:
        model.constraints += meta_constraints(repo, scope, {"unique_together": given})


_OPERATIONS: Mapping[str, Callable[[Repo, Models, str, Scope, ast.Call], None]] = {
    "CreateModel": _create,
    "AddField": _set_field,
    "AlterField": _set_field,
    "RemoveField": _remove_field,
    "RenameField": _rename_field,
    "DeleteModel": _delete,
    "RenameModel": _rename,
    "AddConstraint": _add_constraint,
    "AlterUniqueTogether": _unique_together,
}
