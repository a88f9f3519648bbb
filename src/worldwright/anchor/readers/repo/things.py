"""Everything that is kept, with its fields: tables of SQLAlchemy, models of Django, and records that none of them is named like."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from worldwright.anchor.evidence import Field, Resource, Shape, Skipped, Source
from worldwright.anchor.names import noun
from worldwright.anchor.readers.repo.limits import Calls, default_of, said
from worldwright.anchor.readers.repo.names import COLUMNS, RECORDS, Repo, kind_of, lineage
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
from worldwright.anchor.readers.repo.tree import argument, docstring, elements, head_of, keyword, last, path_of, written
from worldwright.anchor.readers.sql.expressions import facts_of, with_fact
from worldwright.anchor.readers.sql.parse import PLAIN
from worldwright.anchor.readers.sql.records import Check
from worldwright.english.words import wordset

_FORMS = wordset("""
    create update request response schema in out form serializer base read patch public payload input output dto db new get list
    delete model orm table entity record row
""")
"""Words of a name that say in which form a thing is meant."""
_PROGRAM = ("Settings", "Config", "Configuration", "Error", "Exception")
"""Endings of records that are about the program."""
_LIMITS = wordset("format enum name minimum maximum shortest longest pattern examples says")
Fields = dict[str, Field]
Groups = tuple[tuple[str, ...], ...]
_LISTS = wordset("list pagination page results search")
"""Words of records that hold several of a thing."""
_TO_ONE = wordset("ForeignKey OneToOneField TreeForeignKey TreeOneToOneField ParentalKey")
_TO_MANY = wordset("ManyToManyField TreeManyToManyField SortedManyToManyField ParentalManyToManyField")
_AUTO = wordset("AutoField BigAutoField SmallAutoField AutoCreatedField AutoLastModifiedField")
_FLAGS = wordset("null blank unique primary_key auto_now auto_now_add allow_null many read_only write_only")
_OF_USERS = (
    Field("username", Shape("string", longest=150), required=True, unique=True),
    Field("first_name", Shape("string", longest=150)),
    Field("last_name", Shape("string", longest=150)),
    Field("email", Shape("string", "email", longest=254)),
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
    kept += _tables(repo)
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
    if kind_of(repo, cls) == "table" and "__tablename__" not in cls.values:
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
    table = repo.text(cls, cls.meta.get("db_table")) or repo.text(cls, cls.values.get("__tablename__"))
    says = docstring(cls.node) or repo.text(cls, cls.meta.get("verbose_name"))
    return table, _resource(repo, (cls.name, table, says, cls.source), fields_of(repo, cls), calls)


def _resource(
    repo: Repo, told: tuple[str, str, str, Source], fields: Iterable[Field], calls: Iterable[tuple[Place, ast.expr]]
) -> Resource:
    """A thing with its constraints, given its name, its table, what is said of it, and where."""
    name, table, says, source = told
    found, unique, checks = _settled(repo, {f.name: f for f in fields}, calls)
    key = tuple(f.name for f in found.values() if f.key)
    says = "\n\n".join(filter(None, [says, f"Table {table}." if table else ""]))
    return Resource(name, tuple(found.values()), key, unique, checks, says, "model", source)


def _columns_of(repo: Repo, place: Place, table: ast.expr) -> list[Field]:
    """The columns that stand in `Table("orders", metadata, Column("id", Integer), ...)`."""
    calls = [c for c in getattr(table, "args", []) if isinstance(c, ast.Call) and last(repo.full(place, c)) in COLUMNS]
    named = ((repo.text(place, argument(call, 0, "name")), call) for call in calls[:MAX_FIELDS])
    made = (column(repo, [(place, c)], Field(n, Shape("any"), source=place.module.source(c)), None) for n, c in named)
    return [field for field in made if field.name]


def _tables(repo: Repo) -> Iterator[Resource]:
    """Tables without a class; not those that only hold pairs."""
    relations = [(m, keyword(call, "secondary")) for m in repo.modules for call in m.calls("secondary")]
    pairs = {name for module, table in relations for name in (head_of(table), last(repo.text(module, table)))}
    for module in repo.modules:
        for name, made in module.values.items():
            columns = _columns_of(repo, module, made) if last(repo.full(module, made)) == "Table" else []
            title = repo.text(module, argument(made, 0, "name"))
            if title and columns and not ({name, title} & pairs and all(f.refers_to for f in columns)):
                parts = [part for one in (made, *getattr(made, "args", ())) for part in getattr(one, "args", ())]
                calls = [(module, part) for part in parts if isinstance(part, ast.Call)]
                yield _resource(repo, (title, title, "", module.source(made)), columns, calls)


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
        for slot in slots(owner):
            field = _column(repo, owner, slot) if kind == "table" else _django_field(repo, owner, cls, slot)
            if field is not None:
                yield slot.name, field


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
    empty = flag["null"] or flag["allow_null"]
    shape = Shape("integer") if relation else shape_of(repo, owner, call)
    shape = Shape("array", items=shape) if kind in _TO_MANY or flag["many"] else shape
    given = keyword(call, "default", "db_default")
    read_only = auto or flag["read_only"] or repo.flag(owner, call, "editable", False)
    read_only = read_only or kind in ("SerializerMethodField", "ReadOnlyField")
    required = flag["primary_key"] or kind in _AUTO or not (empty or (flag["blank"] and not auto))
    if kind_of(repo, cls) == "serializer":
        required = not read_only and given is None and not repo.flag(owner, call, "required", False)
    target = argument(call, 0, "to") if relation else None
    to = last(repo.text(owner, target) or path_of(target))
    if to in ("AUTH_USER_MODEL", "get_user_model"):
        user = repo.setting("AUTH_USER_MODEL")
        to = last(repo.text(user.place, user.node)) if user is not None else "User"
    titled = repo.text(owner, argument(call, 0)) if not relation else ""
    says = said(repo, [(owner, call)]) or titled.strip() or shape.says
    unique, source = flag["unique"] or "OneToOne" in kind, owner.module.source(slot.node)
    shape = replace(shape, nullable=empty, default=default_of(repo, owner, given))
    field = Field(slot.name, shape, required, flag["primary_key"], unique, cls.name if to == "self" else to)
    return replace(field, read_only=read_only, write_only=flag["write_only"], says=says, source=source)


def _settled(
    repo: Repo, fields: Fields, calls: Iterable[tuple[Place, ast.expr]]
) -> tuple[Fields, Groups, tuple[str, ...]]:
    """The fields with what constraints say of each, the groups of several that are unique together, and the conditions."""
    unique: list[tuple[str, ...]] = []
    checks: list[str] = []
    keys: set[str] = set()
    for place, call in calls:
        given = call.args[:100] if isinstance(call, ast.Call) else []
        match last(repo.full(place, call)):
            case "CheckConstraint":
                condition = argument(call, 0, "sqltext", "check", "condition")
                checks.append(repo.text(place, condition) or written(condition))
            case "UniqueConstraint" if keyword(call, "condition") is None:
                unique.append(_named(repo, place, elements(keyword(call, "fields")) or given))
            case "Index" if repo.flag(place, call, "unique"):
                unique.append(_named(repo, place, given[1:]))
            case "PrimaryKeyConstraint":
                keys |= {*_named(repo, place, given)}
            case "":  # `unique_together` of Django
                unique.append(_named(repo, place, elements(call)))
    alone = {group[0] for group in unique if len(group) == 1}
    told = tuple(dict.fromkeys(filter(None, checks)))
    keyed = ((n, f, replace(f.shape, nullable=False)) for n, f in fields.items() if n in keys)
    fields = fields | {n: replace(f, key=True, required=True, shape=shape) for n, f, shape in keyed}
    fields = {n: replace(f, unique=f.unique or n in alone, shape=_checked(f.shape, n, told)) for n, f in fields.items()}
    return fields, tuple(dict.fromkeys(group for group in unique if len(group) > 1 and all(group))), told


def _named(repo: Repo, place: Place, nodes: Sequence[ast.expr]) -> tuple[str, ...]:
    return tuple(repo.text(place, node) or head_of(node) for node in nodes)


def _checked(shape: Shape, name: str, checks: Iterable[str]) -> Shape:
    """A shape with the limits that conditions such as `quantity > 0` state on that column."""
    for fact in (fact for check in checks for fact in facts_of(Check(check, PLAIN))[0] if fact.column == name):
        shape = with_fact(shape, fact)[0]
    return shape
