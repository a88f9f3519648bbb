"""Everything that is kept, with its fields: tables of SQLAlchemy, models of Django, and records that none of them is named like."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from worldwright.anchor.evidence import Field, Resource, Shape, Skipped
from worldwright.anchor.names import noun
from worldwright.anchor.readers.repo.limits import TYPES, Calls, default_of, said
from worldwright.anchor.readers.repo.names import COLUMNS, RECORDS, Repo, kind_of, lineage
from worldwright.anchor.readers.repo.shapes import Slot, annotation, column, is_table, record_shape, shape_of, slots
from worldwright.anchor.readers.repo.source import Class
from worldwright.anchor.readers.repo.tree import argument, docstring, elements, head_of, keyword, last, path_of, written
from worldwright.english.words import wordmap, wordset

_FORMS = wordset("""
    create update request response schema in out form serializer base read patch public payload input output dto db new get list
    delete model orm table entity record row
""")
"""Words of a name that say in which form a thing is meant."""
_PROGRAM = ("Settings", "Config", "Configuration", "Error", "Exception")
"""Endings of records that are about the program."""
_LIMITS = wordset("format enum name minimum maximum shortest longest pattern places examples says")
_TO_ONE = wordset("ForeignKey OneToOneField TreeForeignKey TreeOneToOneField ParentalKey")
_TO_MANY = wordset("ManyToManyField TreeManyToManyField SortedManyToManyField ParentalManyToManyField")
_AUTO = wordset("AutoField BigAutoField SmallAutoField AutoCreatedField AutoLastModifiedField")
_COMPUTED = wordset("SerializerMethodField ReadOnlyField")
_FLAGS = wordset("null blank unique primary_key auto_now auto_now_add allow_null many read_only write_only")
_OF_USERS = wordmap(
    "username=CharField first_name=CharField last_name=CharField email=EmailField is_active=BooleanField"
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
    places = {_plain(resource.name): i for i, resource in reversed(list(enumerate(kept)))}
    for one in sorted(records, key=lambda one: _plain(one.name) != noun(one.name)):
        at = places.setdefault(_plain(one.name), len(kept))
        others = {f.name: f.shape for f in one.fields}
        if at == len(kept):
            kept.append(one)
        else:  # a record for requests or answers only adds to what it is named after
            fields = tuple(replace(f, shape=_filled(f.shape, others.get(f.name, f.shape))) for f in kept[at].fields)
            kept[at] = replace(kept[at], fields=fields)
    by = {name: r for r in reversed(kept) for name in (" ".join(noun(r.name)), r.name)}
    by |= {table: by[name] for table, name in tables.items() if name in by and table not in by}
    return [replace(r, fields=tuple(_linked(f, by) for f in r.fields)) for r in kept if r.fields], skipped


def _filled(shape: Shape, by: Shape) -> Shape:
    """A shape with the limits that another one states on the same value, where it states none itself."""
    told = {n: getattr(by, n) for n in _LIMITS if getattr(shape, n) in (None, "", ())} if shape.kind == by.kind else {}
    return replace(shape, **told)


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
    fields = {f.name: f for f in fields_of(repo, cls)}
    unique: list[tuple[str, ...]] = []
    checks: list[str] = []
    for owner in lineage(repo, cls):
        together = elements(owner.meta.get("unique_together"))
        groups = [elements(group) for group in together] if together and elements(together[0]) else [together]
        for call in (*elements(owner.values.get("__table_args__")), *elements(owner.meta.get("constraints"))):
            if head_of(call) == "CheckConstraint":
                condition = argument(call, 0, "sqltext", "check", "condition")
                checks.append(repo.text(owner, condition) or written(condition))
            elif head_of(call) == "UniqueConstraint" and keyword(call, "condition") is None:
                groups.append(elements(keyword(call, "fields")) or getattr(call, "args", []))
        unique += [tuple(repo.text(owner, node) or head_of(node) for node in group) for group in groups if group]
    fields |= {n: replace(fields[n], unique=True) for n, *more in unique if not more and n in fields}
    table = repo.text(cls, cls.meta.get("db_table")) or repo.text(cls, cls.values.get("__tablename__"))
    says = [docstring(cls.node) or repo.text(cls, cls.meta.get("verbose_name")), f"Table {table}." if table else ""]
    ready, key = tuple(fields.values()), tuple(f.name for f in fields.values() if f.key)
    several, told = tuple(dict.fromkeys(u for u in unique if len(u) > 1)), tuple(dict.fromkeys(filter(None, checks)))
    return table, Resource(cls.name, ready, key, several, told, "\n\n".join(filter(None, says)), "model", cls.source)


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
            yield from (
                (n, Field(n, TYPES[t], n[-5:] != "_name", unique=n == "username")) for n, t in _OF_USERS.items()
            )
        for slot in slots(owner):
            field = _column(repo, owner, slot) if kind == "table" else _django_field(repo, owner, cls, slot)
            yield from [(slot.name, field)] if field is not None else []


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
