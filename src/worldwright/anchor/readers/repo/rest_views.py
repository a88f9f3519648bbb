"""Operations of Django REST framework: view sets, views and functions, at the addresses that `urls.py` gives them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from worldwright.anchor.evidence import Field, Note, Operation, Parameter, Shape
from worldwright.anchor.names import noun, parts
from worldwright.anchor.readers.repo.django_fields import django_field, is_field
from worldwright.anchor.readers.repo.django_models import fields_of
from worldwright.anchor.readers.repo.families import family, lineage
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.operations import Call, operation
from worldwright.anchor.readers.repo.routes import plain_path
from worldwright.anchor.readers.repo.signatures import used_parameters
from worldwright.anchor.readers.repo.source import Class, Function, docstring, keyword, last, own_nodes, path_of
from worldwright.anchor.readers.repo.urls import Address, addresses
from worldwright.english.nouns import plural

_STANDARD: Mapping[str, tuple[str, bool]] = {
    "list": ("GET", False),
    "create": ("POST", False),
    "retrieve": ("GET", True),
    "update": ("PUT", True),
    "partial_update": ("PATCH", True),
    "destroy": ("DELETE", True),
}
"""The operations of a view set: the method, and whether it is about one of many."""
_BY_BASE: Mapping[str, tuple[str, ...]] = {
    "ModelViewSet": tuple(_STANDARD),
    "ReadOnlyModelViewSet": ("list", "retrieve"),
    "ListModelMixin": ("list",),
    "CreateModelMixin": ("create",),
    "RetrieveModelMixin": ("retrieve",),
    "UpdateModelMixin": ("update", "partial_update"),
    "DestroyModelMixin": ("destroy",),
}
_GENERIC: Mapping[str, tuple[str, ...]] = {
    "ListAPIView": ("list",),
    "CreateAPIView": ("create",),
    "RetrieveAPIView": ("retrieve",),
    "UpdateAPIView": ("update", "partial_update"),
    "DestroyAPIView": ("destroy",),
    "ListCreateAPIView": ("list", "create"),
    "RetrieveUpdateAPIView": ("retrieve", "update", "partial_update"),
    "RetrieveDestroyAPIView": ("retrieve", "destroy"),
    "RetrieveUpdateDestroyAPIView": ("retrieve", "update", "partial_update", "destroy"),
}
_METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True, slots=True)
class _View:
    """A class that answers requests: what its bases bring, and the name and address that it has."""

    cls: Class
    path: str
    title: str
    """The words before the names of its operations."""


def rest_actions(repo: Repo) -> tuple[list[Operation], list[Note]]:
    """Every operation, in order of the files, and where an address had to be guessed."""
    found = addresses(repo)
    by_class = {a.cls: a for a in reversed(found) if a.cls is not None}
    by_function = {(a.module.file, a.function): a for a in reversed(found) if a.function}
    operations: list[Operation] = []
    notes: list[Note] = []
    for cls in repo.classes():
        bases = _base_names(repo, cls)
        if any(b.endswith("ViewSet") for b in bases):
            view = _view(cls, by_class.get(cls))
            if cls not in by_class and _operations(repo, cls, bases, _BY_BASE):
                notes.append(
                    Note("warning", f"no address is registered for {cls.name}: {view.path} is guessed", cls.source)
                )
            operations.extend(_view_set(repo, view, bases))
        elif any(b.endswith("APIView") for b in bases) and cls in by_class:
            operations.extend(_class_view(repo, _view(cls, by_class[cls]), bases))
    for function in repo.functions:
        address = by_function.get((function.module.file, function.name))
        operations.extend(_function_view(repo, function, address))
    return operations, notes


def _base_names(repo: Repo, cls: Class) -> set[str]:
    return {last(repo.full(owner.module, path_of(b))) for owner in lineage(repo, cls) for b in owner.node.bases}


def _view(cls: Class, address: Address | None) -> _View:
    stem = cls.name.removesuffix("ViewSet").removesuffix("APIView").removesuffix("View") or cls.name
    words = noun(stem)
    guessed = "/" + plural("-".join(words)) if words else "/"
    if address is None:
        return _View(cls, guessed, plural("_".join(words)))
    title = "_".join(parts(address.registered)) if address.registered else "_".join(parts(stem))
    return _View(cls, address.path, title)


def _operations(repo: Repo, cls: Class, bases: set[str], table: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The standard operations that a class has: by its bases, and by its own methods."""
    inherited = {name for base in bases for name in table.get(base, ())}
    own = {f.name for owner in lineage(repo, cls) for f in repo.methods.get(owner, ())}
    allowed = repo.value(Scope(cls.module, cls), cls.values.get("http_method_names"))
    names = [name for name in _STANDARD if name in inherited or (name in own and table is _BY_BASE)]
    if isinstance(allowed, tuple):
        names = [name for name in names if _STANDARD[name][0].lower() in allowed]
    return names


def _view_set(repo: Repo, view: _View, bases: set[str]) -> Iterator[Operation]:
    methods = {f.name: f for owner in lineage(repo, view.cls) for f in repo.methods.get(owner, ())}
    whole = view.path.rstrip("/")
    lookup = repo.text(Scope(view.cls.module, view.cls), view.cls.values.get("lookup_field")) or "pk"
    for name in _operations(repo, view.cls, bases, _BY_BASE):
        method, one = _STANDARD[name]
        path = f"{whole}/{{{lookup}}}/" if one else f"{whole}/"
        yield _action(repo, view, methods.get(name), f"{view.title}_{name}", method, path, standard=name)
    for function in methods.values():
        for decorator in function.node.decorator_list:
            if not (isinstance(decorator, ast.Call) and last(path_of(decorator)) == "action"):
                continue
            scope = Scope(function.module, function.cls)
            named = repo.value(scope, keyword(decorator, "methods"))
            tail = repo.text(scope, keyword(decorator, "url_path")) or function.name
            one = repo.value(scope, keyword(decorator, "detail")) is True
            path = f"{whole}/{{{lookup}}}/{tail}/" if one else f"{whole}/{tail}/"
            for method in named if isinstance(named, tuple) else ("get",):
                yield _action(repo, view, function, function.name, str(method).upper(), path)


def _class_view(repo: Repo, view: _View, bases: set[str]) -> Iterator[Operation]:
    methods = {f.name: f for owner in lineage(repo, view.cls) for f in repo.methods.get(owner, ())}
    done: set[str] = set()
    for name in _operations(repo, view.cls, bases, _GENERIC):
        method = _STANDARD[name][0]
        done.add(method.lower())
        yield _action(repo, view, methods.get(name), f"{view.title}_{name}", method, view.path, standard=name)
    for word in _METHODS:
        if word in methods and word not in done:
            yield _action(repo, view, methods[word], f"{view.title}_{word}", word.upper(), view.path)


def _function_view(repo: Repo, function: Function, address: Address | None) -> Iterator[Operation]:
    """A function under `@api_view([...])` or `@require_POST`."""
    scope = Scope(function.module, function.cls)
    for decorator in function.node.decorator_list:
        name = last(path_of(decorator))
        methods: tuple[str, ...] = ()
        if name in ("api_view", "require_http_methods"):
            given = (
                repo.value(scope, decorator.args[0]) if isinstance(decorator, ast.Call) and decorator.args else ("GET",)
            )
            methods = tuple(m for m in given if isinstance(m, str)) if isinstance(given, tuple) else ()
        elif name in ("require_POST", "require_GET"):
            methods = (name.removeprefix("require_"),)
        for method in methods:
            path, shapes = plain_path(address.path) if address is not None else ("", {})
            source = function.module.source(function.node)
            found = [Parameter(n, "path", s, True, source=source) for n, s in shapes.items()]
            used = [p for p in used_parameters(repo, function) if p.place == "query" or method != "GET"]
            body = Shape(
                "object", fields={p.name: Field(p.name, p.shape, p.required) for p in used if p.place == "body"}
            )
            call = Call(
                function.name, method.upper(), path, (*found, *used), body if body.fields else None, status="200"
            )
            yield operation(repo, call, function)


def _action(
    repo: Repo, view: _View, function: Function | None, name: str, method: str, path: str, standard: str = ""
) -> Operation:
    """One operation of a view, with the serializer that it uses."""
    path, shapes = plain_path(path)
    source = function.module.source(function.node) if function is not None else view.cls.source
    found = [Parameter(n, "path", s, True, source=source) for n, s in shapes.items()]
    serializer = _serializer(repo, view.cls, function)
    fields = serializer_fields(repo, serializer) if serializer is not None else []
    used = used_parameters(repo, function) if function is not None else []
    found += [p for p in used if p.place == "query"]
    body: Shape | None = None
    if method in ("POST", "PUT", "PATCH"):
        settable = [f for f in fields if not f.read_only]
        given = [p for p in used if p.place == "body"]
        if settable and (standard or (not given and _mentions(function, serializer))):
            given = [
                Parameter(f.name, "body", f.shape, f.required and method != "PATCH", f.says, f.source) for f in settable
            ]
        found += given
        if given:
            body = Shape("object", fields={p.name: Field(p.name, p.shape, p.required, says=p.says) for p in given})
    one = Shape(
        "object", name=serializer.name if serializer else "", fields={f.name: f for f in fields if not f.write_only}
    )
    told = standard or _mentions(function, serializer)
    answer = one if fields and told and standard != "destroy" else None
    if answer is not None and standard == "list":
        answer = Shape("array", items=one)
    status = {"create": "201", "destroy": "204"}.get(standard, "200")
    says = "" if function is not None and docstring(function.node) else docstring(view.cls.node)
    call = Call(
        name, method, path, tuple(found), body, answer, status, scopes=_permissions(view.cls), says=says, source=source
    )
    return operation(repo, call, function)


def _mentions(function: Function | None, serializer: Class | None) -> bool:
    if function is None or serializer is None:
        return False
    names = {n.id for n in own_nodes(function.node) if isinstance(n, ast.Name)}
    return bool(names & {serializer.name}) or any(
        isinstance(n, ast.Attribute) and n.attr == "get_serializer" for n in own_nodes(function.node)
    )


def _serializer(repo: Repo, cls: Class, function: Function | None) -> Class | None:
    """The serializer that a function names, or else its class."""
    if function is not None:
        for decorator in function.node.decorator_list:
            if isinstance(decorator, ast.Call) and keyword(decorator, "serializer_class") is not None:
                return repo.find_class(Scope(function.module), path_of(keyword(decorator, "serializer_class")))
        for node in own_nodes(function.node):
            if isinstance(node, ast.Call) and last(path_of(node)).endswith("Serializer"):
                found = repo.find_class(Scope(function.module), path_of(node))
                if found is not None:
                    return found
    for owner in reversed(lineage(repo, cls)):
        if "serializer_class" in owner.values:
            return repo.find_class(Scope(owner.module), path_of(owner.values["serializer_class"]))
    return None


def _permissions(cls: Class) -> tuple[str, ...]:
    given = cls.values.get("permission_classes")
    names = [last(path_of(n)) for n in given.elts] if isinstance(given, ast.List | ast.Tuple) else []
    return tuple(n for n in names if n and n not in ("AllowAny", "IsAuthenticated"))


# Serializers and forms: which fields of a model a request may set, and what is said about them.


def model_of(repo: Repo, cls: Class) -> Class | None:
    """The model that a serializer or a form names in its `Meta`."""
    meta = cls.module.classes.get(f"{cls.name}.Meta")
    named = meta.values.get("model") if meta is not None else None
    return repo.find_class(Scope(cls.module), path_of(named)) if named is not None else None


def serializer_fields(repo: Repo, cls: Class) -> list[Field]:
    """The fields of a serializer, in the order of its `Meta`, else as they are declared."""
    declared = _declared(repo, cls)
    model = model_of(repo, cls)
    meta = cls.module.classes.get(f"{cls.name}.Meta")
    if model is None or meta is None:
        return list(declared.values())
    scope = Scope(meta.module, meta)
    kept = {f.name: f for f in fields_of(repo, model)}
    if not any(f.key for f in kept.values()):
        kept = {"id": Field("id", Shape("integer"), True, key=True, read_only=True, source=model.source), **kept}
    kept = {n: replace(f, required=f.required and f.shape.default is None) for n, f in kept.items()}
    named = repo.value(scope, meta.values.get("fields"))
    left_out = repo.value(scope, meta.values.get("exclude"))
    names = list(named) if isinstance(named, tuple) else [*kept, *(n for n in declared if n not in kept)]
    names = [n for n in names if not (isinstance(left_out, tuple) and n in left_out)]
    fixed = repo.value(scope, meta.values.get("read_only_fields"))
    found = [declared.get(n) or kept.get(n) for n in names if isinstance(n, str)]
    return [
        replace(f, read_only=True) if isinstance(fixed, tuple) and f.name in fixed else f
        for f in found
        if f is not None
    ]


def _declared(repo: Repo, cls: Class) -> dict[str, Field]:
    found: dict[str, Field] = {}
    for owner in lineage(repo, cls):
        scope = Scope(owner.module, owner)
        for name, value in list(owner.values.items())[:400]:
            if not isinstance(value, ast.Call):
                continue
            other = repo.find_class(scope, path_of(value))
            if is_field(repo, scope, value):
                found[name] = _field(repo, scope, owner, name, value)
            elif other is not None and other is not cls and family(repo, other) == "serializer":
                many = repo.value(scope, keyword(value, "many")) is True
                inner = Shape("object", name=other.name, cut=True)
                shape = Shape("array", items=inner) if many else inner
                found[name] = replace(_field(repo, scope, owner, name, value), shape=shape)
    return found


def _field(repo: Repo, scope: Scope, owner: Class, name: str, call: ast.Call) -> Field:
    """A declared field: it must be given unless it says otherwise."""
    made = django_field(repo, scope, name, call, owner.source)
    shortest = repo.value(scope, keyword(call, "min_length"))
    shape = replace(made.shape, shortest=shortest) if type(shortest) is int and 0 <= shortest < 10**9 else made.shape
    read_only = repo.value(scope, keyword(call, "read_only")) is True or last(path_of(call)) in (
        "SerializerMethodField",
        "ReadOnlyField",
    )
    given = repo.value(scope, keyword(call, "required")) is not False and keyword(call, "default") is None
    empty = repo.value(scope, keyword(call, "allow_null")) is True
    return replace(
        made,
        shape=replace(shape, nullable=empty),
        required=given and not read_only,
        read_only=read_only,
        write_only=repo.value(scope, keyword(call, "write_only")) is True,
    )
