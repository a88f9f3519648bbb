"""Everything that is kept, with its fields: tables of SQLAlchemy, models of Django, and records that none of them is named like."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from worldwright.anchor.evidence import Field, Resource, Shape, Skipped
from worldwright.anchor.names import noun
from worldwright.anchor.readers.repo.constraints import settled
from worldwright.anchor.readers.repo.limits import Calls, default_of, said
from worldwright.anchor.readers.repo.names import COLUMNS, RECORDS, Repo, has_table, kind_of, lineage
from worldwright.anchor.readers.repo.shapes import (
    MAX_FIELDS,
    Slot,
    annotation,
    column,
    is_table,
    record_shape,
    shape_of,
    slots,
)  # fmt: skip
from worldwright.anchor.readers.repo.source import Class, Place
from worldwright.anchor.readers.repo.tree import argument, docstring, elements, head_of, keyword, last, path_of
from worldwright.english.words import wordset

_FORMS = wordset("""
    create update request response schema in out form serializer base read patch public payload input output dto db new get list
    delete model orm table entity record row
""")
"""Words of a name that say in which form a thing is meant."""
_PROGRAM = ("Settings", "Config", "Configuration", "Error", "Exception")
"""Endings of records that are about the program."""
_LIMITS = wordset("format enum name minimum maximum shortest longest pattern places examples says")
_LISTS = wordset("list pagination page results search")
"""Words of records that hold several of a thing."""
_TO_ONE = wordset("ForeignKey OneToOneField TreeForeignKey TreeOneToOneField ParentalKey")
_TO_MANY = wordset("ManyToManyField TreeManyToManyField SortedManyToManyField ParentalManyToManyField")
_AUTO = wordset("AutoField BigAutoField SmallAutoField AutoCreatedField AutoLastModifiedField")
_COMPUTED = wordset("SerializerMethodField ReadOnlyField")
_FLAGS = wordset("null blank unique primary_key auto_now auto_now_add allow_null many read_only write_only")
_OF_USERS = (
    Field("username", Shape("string", longest=150), required=True, unique=True),
    Field("first_name", Shape("string", longest=150)),
    Field("last_name", Shape("string", longest=150)),
    Field("email", Shape("string", "email", longest=254)),
    Field("is_staff", Shape("boolean", default=False), required=True),
    Field("is_active", Shape("boolean", default=True), required=True),
    Field("date_joined", Shape("string", "date-time"), required=True, read_only=True),
)
"""What Django's base for users brings along."""


def resources(repo: Repo) -> tuple[list[Resource], list[Skipped]]:
    """Everything that is kept, and the records that are not."""
    heirs = {above for cls in repo.classes for above in lineage(repo, cls)[:-1]}
    kept, records, skipped = list[Resource](), list[Resource](), list[Skipped]()
    tables: dict[str, str] = {}
    for cls in repo.classes:
        kind = kind_of(repo, cls)
        stored = kind in ("table", "django") or is_table(cls)
        if kind == "settings" or (kind in RECORDS and cls.name.endswith(_PROGRAM)):
            skipped.append(Skipped(cls.name, "settings or errors of the program, nothing that is kept", cls.source))
        elif (stored or kind in RECORDS) and not cls.name.startswith("_") and not _is_part(repo, cls, cls in heirs):
            table, resource = _of_class(repo, cls)
            tables.setdefault(table or cls.name.lower(), cls.name)
            (kept if stored else records).append(resource)
    for table, resource in _tables(repo):
        tables.setdefault(table, resource.name)
        kept.append(resource)
    for cls, model in _about_models(repo):
        kept = [_filled(r, fields_of(repo, cls)) if r.source == model.source else r for r in kept]
    stored_ones = len(kept)
    places = {_plain(resource.name): i for i, resource in reversed(list(enumerate(kept)))}
    for one in sorted(records, key=lambda one: _plain(one.name) != noun(one.name)):
        at = places.setdefault(_plain(one.name), len(kept))
        if at == len(kept):
            kept.append(one)
            continue
        kept[at] = _filled(kept[at], one.fields)
        held = kept[at].name
        if at >= stored_ones and _plain(held) != noun(held) and not _LISTS & set(noun(one.name)):  # all are forms of it
            known = {f.name for f in kept[at].fields}
            more = tuple(f for f in one.fields if f.name not in known)
            kept[at] = replace(kept[at], fields=(*kept[at].fields, *more))
    by = {name: r for r in reversed(kept) for name in (" ".join(noun(r.name)), r.name)}
    by |= {table: by[name] for table, name in tables.items() if name in by and table not in by}
    return [replace(r, fields=tuple(_linked(f, by) for f in r.fields)) for r in kept if r.fields], skipped


def _about_models(repo: Repo) -> Iterator[tuple[Class, Class]]:
    """Serializers and forms, each with the model that it is about."""
    for cls in repo.classes:
        model = repo.find_class(cls.module, cls.meta.get("model")) if kind_of(repo, cls) == "serializer" else None
        if model is not None:
            yield cls, model


def _filled(resource: Resource, by: Sequence[Field]) -> Resource:
    """A thing with what fields of another form of it say and limit, where its own fields do not."""
    others = {f.name: f for f in by}
    fields: list[Field] = []
    for field in resource.fields:
        other = others.get(field.name, field)
        same = field.shape.kind == other.shape.kind
        told = {n: getattr(other.shape, n) for n in _LIMITS if same and getattr(field.shape, n) in (None, "", ())}
        fields.append(replace(field, shape=replace(field.shape, **told), says=field.says or other.says))
    return replace(resource, fields=tuple(fields))


def _plain(name: str) -> tuple[str, ...]:
    """What a thing is called, whatever form of it a name means: `OrderCreateRequest` -> `order`."""
    words = tuple(word for word in noun(name) if word not in _FORMS) or noun(name)[:1]
    return (*words[:-1], *noun(words[-1])) if words else ()


def _linked(field: Field, by: Mapping[str, Resource]) -> Field:
    """A field that names the thing that it refers to, where that is one of them; with the type of its key."""
    target = by.get(field.refers_to) or by.get(" ".join(noun(field.refers_to)))
    named = field.refers_by or (target.key[0] if target is not None and len(target.key) == 1 else "")
    fields = target.fields if target is not None else ()
    key = next((f.shape for f in fields if f.name == named), Shape("any"))
    shape = field.shape
    if key.kind in ("string", "integer") and (shape.items or shape).kind in ("any", "integer", "object"):
        same = replace(key, nullable=False, default=None, says="")
        shape = replace(shape, items=same) if shape.kind == "array" else replace(same, nullable=shape.nullable)
    return replace(field, refers_to=target.name, shape=shape) if target is not None else field


def _is_part(repo: Repo, cls: Class, has_heirs: bool) -> bool:
    """Tell whether a class is only a base or a mixin of what is kept."""
    if kind_of(repo, cls) == "table" and "__tablename__" not in cls.values and not has_table(cls):
        keyed = any(f.key for f in fields_of(repo, cls))
        return repo.value(cls, cls.values.get("__abstract__")) is True or has_heirs or not cls.node.bases or not keyed
    return any(repo.value(cls, cls.meta.get(name)) is True for name in ("abstract", "proxy"))


def _of_class(repo: Repo, cls: Class) -> tuple[str, Resource]:
    """The table and the thing that a class stands for, with its constraints."""
    calls: list[tuple[Place, ast.expr]] = []
    for owner in lineage(repo, cls):
        listed = (*elements(owner.values.get("__table_args__")), *elements(owner.meta.get("constraints")))
        within = (part for value in owner.values.values() for part in getattr(value, "args", ()))
        calls += [(owner, call) for call in (*listed, *within) if isinstance(call, ast.Call)]
        together = owner.meta.get("unique_together")
        groups = elements(together) if any(map(elements, elements(together))) else [together] if together else []
        calls += [(owner, group) for group in groups]
    fields, unique, checks = settled(repo, {f.name: f for f in fields_of(repo, cls)}, calls)
    table = repo.text(cls, cls.meta.get("db_table")) or repo.text(cls, cls.values.get("__tablename__"))
    table = table or repo.text(cls, argument(cls.values.get("__table__"), 0, "name"))
    says = [docstring(cls.node) or repo.text(cls, cls.meta.get("verbose_name")), f"Table {table}." if table else ""]
    ready, key = tuple(fields.values()), tuple(f.name for f in fields.values() if f.key)
    return table, Resource(cls.name, ready, key, unique, checks, "\n\n".join(filter(None, says)), "model", cls.source)


def columns_of(repo: Repo, place: Place, table: ast.expr) -> list[Field]:
    """The columns that stand in `Table("orders", metadata, Column("id", Integer), ...)`."""
    calls = [c for c in getattr(table, "args", []) if isinstance(c, ast.Call) and last(repo.full(place, c)) in COLUMNS]
    named = ((repo.text(place, argument(call, 0, "name")), call) for call in calls[:MAX_FIELDS])
    made = (column(repo, [(place, c)], Field(n, Shape("any"), source=place.module.source(c)), None) for n, c in named)
    return [field for field in made if field.name]


def _tables(repo: Repo) -> Iterator[tuple[str, Resource]]:
    """Tables without a class, under the class that they are mapped to by hand, if any; not those that only hold pairs."""
    mapped: dict[str, Class | None] = {}
    pairs: set[str] = set()
    for module in repo.modules:
        for call in module.calls("map_imperatively", "mapper(", "secondary"):
            if head_of(call) in ("map_imperatively", "mapper"):
                mapped[head_of(argument(call, 1, "local_table"))] = repo.find_class(module, argument(call, 0, "class_"))
            if head_of(call) == "relationship":
                secondary = keyword(call, "secondary")
                pairs |= {head_of(secondary), last(repo.text(module, secondary))}
    for module in repo.modules:
        for name, made in module.values.items():
            columns = columns_of(repo, module, made) if last(repo.full(module, made)) == "Table" else []
            title, cls = repo.text(module, argument(made, 0, "name")), mapped.get(name)
            if not title or not columns or ({name, title} & pairs and all(f.refers_to for f in columns)):
                continue
            calls = [part for one in (made, *getattr(made, "args", ())) for part in getattr(one, "args", ())]
            given = [(module, part) for part in calls if isinstance(part, ast.Call)]
            fields, unique, checks = settled(repo, {f.name: f for f in columns}, given)
            told = docstring(cls.node) if cls is not None else repo.text(module, keyword(made, "comment"))
            says = f"{told}\n\nTable {title}.".strip()
            ready, key = tuple(fields.values()), tuple(f.name for f in fields.values() if f.key)
            owner = cls.name if cls is not None else title
            yield title, Resource(owner, ready, key, unique, checks, says, "model", module.source(made))


def fields_of(repo: Repo, cls: Class) -> list[Field]:
    """The fields of a class, inherited ones first; of two with the same name, that of the nearer class."""
    kind = kind_of(repo, cls)
    if kind in RECORDS:
        return list(record_shape(repo, cls).fields.values())
    nothing: dict[str, Field] = {}
    declared = repo.once(("fields", cls), nothing, lambda: dict(_declared(repo, cls, kind)))
    if kind == "django" and not any(f.key for f in declared.values()):
        key = Field("id", Shape("integer"), required=True, key=True, read_only=True, source=cls.source)
        return [key, *declared.values()]
    model = repo.find_class(cls.module, cls.meta.get("model")) if kind == "serializer" else None
    if model is None:
        return list(declared.values())
    kept = {f.name: replace(f, required=f.required and f.shape.default is None) for f in fields_of(repo, model)}
    named, left_out, fixed = (repo.texts(cls, cls.meta.get(n)) for n in ("fields", "exclude", "read_only_fields"))
    names = named or [*kept, *(n for n in declared if n not in kept)]
    found = [declared.get(n) or kept.get(n) for n in names if n not in left_out]
    return [replace(f, read_only=f.read_only or f.name in fixed) for f in found if f is not None]


def _declared(repo: Repo, cls: Class, kind: str) -> Iterator[tuple[str, Field]]:
    for owner in lineage(repo, cls):
        if any(head_of(base) == "AbstractUser" for base in owner.node.bases):
            yield from ((f.name, replace(f, source=cls.source)) for f in _OF_USERS)
        if kind == "table" and has_table(owner):
            yield from ((f.name, f) for f in columns_of(repo, owner, owner.values["__table__"]))
        named = dict(_referring(repo, owner)) if kind == "table" else {}
        for slot in slots(owner):
            field = _column(repo, owner, slot) if kind == "table" else _django_field(repo, owner, cls, slot)
            if field is not None:
                yield slot.name, replace(field, refers_to=field.refers_to or named.get(slot.name, ""))


def _referring(repo: Repo, owner: Class) -> Iterator[tuple[str, str]]:
    """Columns that a relation names, and what it leads to: `relationship("User", foreign_keys=[owner_id])`."""
    for call in owner.values.values():
        columns = keyword(call, "foreign_keys") if head_of(call) == "relationship" else None
        target = argument(call, 0, "argument")
        for part in elements(columns) or filter(None, [columns]):
            yield head_of(part), last(repo.text(owner, target) or path_of(target))


def _column(repo: Repo, owner: Class, slot: Slot) -> Field | None:
    """A column: `Column(...)`, `mapped_column(...)`, `Mapped[...]` alone, or a relation through a table of pairs."""
    shape, beside = annotation(repo, owner, slot.type)
    field = Field(slot.name, shape, source=owner.module.source(slot.node))
    if head_of(slot.value) == "relationship" and keyword(slot.value, "secondary") is not None:
        target = argument(slot.value, 0, "argument")
        to = last(repo.text(owner, target) or path_of(target)) or (shape.items or shape).name
        return replace(field, shape=Shape("array", items=Shape("object", name=to, cut=True)), refers_to=to)
    given: Calls = [(owner, slot.value), *beside] if isinstance(slot.value, ast.Call) else beside
    calls = [(place, call) for place, call in given if last(repo.full(place, call)) in COLUMNS]
    mapped = head_of(slot.type) == "Mapped"
    if not calls and (not mapped or slot.value is not None or (shape.items or shape).kind == "object"):
        return None
    return column(repo, calls, field, shape if mapped else None)


def _django_field(repo: Repo, owner: Class, cls: Class, slot: Slot) -> Field | None:
    """A call such as `models.CharField(max_length=40)`, in a model, a serializer or a form; a serializer in a serializer too."""
    call, kind = slot.value, last(repo.full(owner, slot.value))
    made = repo.find_class(owner, call)
    nested = made is not None and made is not cls and kind_of(repo, made) == kind_of(repo, cls) == "serializer"
    bases = [head_of(base) for base in made.node.bases] if made is not None else [kind if kind[:1].isupper() else ""]
    if not isinstance(call, ast.Call) or not (nested or kind in _TO_ONE or any(b.endswith("Field") for b in bases)):
        return None
    relation = kind in _TO_ONE | _TO_MANY
    flag = {f: repo.flag(owner, call, f) for f in _FLAGS}
    auto = flag["auto_now"] or flag["auto_now_add"] or kind in _AUTO
    empty = flag["null"] or flag["allow_null"] or kind == "NullBooleanField"
    shape = Shape("integer") if relation else shape_of(repo, owner, call)
    shape = Shape("array", items=shape) if kind in _TO_MANY or flag["many"] else shape
    given = keyword(call, "default", "db_default")
    read_only = auto or flag["read_only"] or repo.flag(owner, call, "editable", False) or kind in _COMPUTED
    required = flag["primary_key"] or kind in _AUTO or not (empty or (flag["blank"] and not auto))
    if kind_of(repo, cls) == "serializer":
        required = not read_only and given is None and not repo.flag(owner, call, "required", False)
    target = argument(call, 0, "to") if relation else None
    to = last(repo.text(owner, target) or path_of(target)) or path_of(keyword(call, "queryset")).split(".")[0]
    if to in ("AUTH_USER_MODEL", "get_user_model"):
        user = repo.setting("AUTH_USER_MODEL")
        to = last(repo.text(user.place, user.node)) if user is not None else "User"
    titled = repo.text(owner, argument(call, 0)) if not relation else ""
    says = said(repo, [(owner, call)]) or titled.strip() or shape.says
    unique, by = flag["unique"] or "OneToOne" in kind, repo.text(owner, keyword(call, "to_field"))
    shape = replace(shape, nullable=empty, default=default_of(repo, owner, given))
    field = Field(slot.name, shape, required, flag["primary_key"], unique, cls.name if to == "self" else to, by)
    field = replace(field, read_only=read_only, write_only=flag["write_only"])
    return replace(field, says=says, source=owner.module.source(slot.node))
