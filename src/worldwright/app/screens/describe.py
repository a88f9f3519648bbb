"""The screens of a world for a role: a pure function of the tools that an episode offers and of the checked Blueprint."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count

from worldwright.app.screens.fields import attach_lookups, make_fields, mean_inputs, mean_parameters
from worldwright.app.screens.labels import capitalise, first_sentence, to_label, to_phrase
from worldwright.app.screens.lists import find_noun, make_list
from worldwright.app.screens.moves import find_moves
from worldwright.app.screens.queues import find_queues
from worldwright.app.screens.records import (
    Field,
    Form,
    Link,
    ListScreen,
    Lookup,
    RecordScreen,
    Screens,
    Shape,
    SystemScreen,
)
from worldwright.app.screens.shapes import describe_answer, describe_contract_answer
from worldwright.app.screens.states import find_tone
from worldwright.app.screens.titles import NAMING, make_titles
from worldwright.app.screens.views import find_views
from worldwright.blueprint import checked as c
from worldwright.engine import requester
from worldwright.engine.contract import Contract, ContractTool
from worldwright.english.nouns import plural
from worldwright.world.records import ToolSpec

MAX_SYSTEM_WORDS = 3
FEW_LETTERS = 3
"""Names of systems that are no longer are taken for abbreviations."""
_CALLED = re.compile(r"(?:the|our|a)\s+([^,.;:]*?)(?=,|\.|;|:|\s(?:of|with|that|which|where|for|in|to|and)\s|$)")
Keyed = tuple[str, str]
"""An entity, and the way in which its ids are written."""


def describe_screens(
    blueprint: c.Checked, tools: Sequence[ToolSpec], role: str, contract: Contract | None = None
) -> Screens:
    """Describe everything that the app offers over these tools: those of an episode, or of a world for a role.

    The tool that takes an answer and the one that writes to the requester are no operations of the business: pages of their own.
    """
    named = contract.tools if contract is not None else {}
    operations = {t.name: named[t.name].operation if t.name in named else t.name for t in tools}
    operations = {tool: name for tool, name in operations.items() if name in blueprint.operations}
    forms = {t.name: _make_form(blueprint, t, named.get(t.name)) for t in tools if t.name in operations}
    slugs = make_slugs(list(forms))
    forms = {tool: replace(form, slug=slugs[tool]) for tool, form in forms.items()}
    lists = _make_lists(blueprint, forms, operations, named)
    records = _make_records(blueprint, forms, operations, named)
    forms = {tool: _connect(blueprint, form, lists, records) for tool, form in forms.items()}
    lists = {tool: replace(screen, form=forms[tool]) for tool, screen in lists.items()}
    records = {tool: replace(screen, form=forms[tool]) for tool, screen in records.items()}
    others = [t.name for t in tools if t.name not in operations]
    return Screens(
        capitalise(blueprint.blueprint.title),
        role,
        _make_systems(blueprint, forms, lists, records, operations),
        forms,
        lists,
        records,
        _list_getters(records),
        _list_actions(forms),
        _list_related(lists),
        {slug: tool for tool, slug in slugs.items()},
        {name: find_noun(blueprint, name) for name in blueprint.schema.entities},
        {
            (e.name, state): find_tone(state, e.lifecycle)
            for e in blueprint.schema.entities.values()
            for state in e.lifecycle
        },
        blueprint.schema.actor,
        requester.NAME if requester.NAME in others else "",
        next((name for name in reversed(others) if name != requester.NAME), ""),
    )


# forms


def make_slugs(names: Sequence[str]) -> dict[str, str]:
    """Make a name for addresses of each tool: its own where that can stand there."""
    out: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "tool"
        taken = set(out.values())
        out[name] = (
            plain if plain not in taken else next(f"{plain}-{n}" for n in count(2) if f"{plain}-{n}" not in taken)
        )
    return out


def _make_form(blueprint: c.Checked, tool: ToolSpec, through: ContractTool | None) -> Form:
    """The form of one tool, before its references are connected with searches."""
    operation = blueprint.operations[through.operation if through is not None else tool.name]
    inside = describe_answer(
        blueprint, blueprint.operations[through.shows] if through is not None and through.shows else operation
    )
    gives = inside if through is None else describe_contract_answer(through, inside)
    means = (
        mean_inputs(operation.inputs, blueprint.schema.currency)
        if through is None
        else mean_parameters(through, operation.inputs)
    )
    fields = make_fields(tool.input_schema, means)
    said = operation.says if through is None else tool.description or operation.says
    first = first_sentence(said)
    subject = _find_subject(operation, fields, through)
    moves = find_moves(blueprint, operation.name)
    own = {state for move in moves if move.input == _input_of(operation) and not move.path for state in move.out_of}
    return Form(
        tool.name, "do", to_label(tool.name), first, said[len(first) :].strip(), tool.system, tool.mutates, fields, gives,
        subject, tuple(sorted(own)),
    )  # fmt: skip


def _input_of(operation: c.Operation) -> str:
    """The input that an operation is done to: its first reference."""
    return next((i.name for i in operation.inputs if i.type.kind == "ref"), "")


def _find_subject(operation: c.Operation, fields: tuple[Field, ...], through: ContractTool | None) -> str:
    """The field of the record that an operation is done to; none for a search, and where a new record is what it is about."""
    if operation.read is not None:
        return ""
    name = _input_of(operation)
    if through is not None:
        take = through.takes.get(name)
        name = take.at[0] if take is not None and len(take.at) == 1 else ""
    return next((f.name for f in fields if f.name == name and f.kind == "reference"), "")


def _connect(
    blueprint: c.Checked, form: Form, lists: Mapping[str, ListScreen], records: Mapping[str, RecordScreen]
) -> Form:
    """A form with its way of being sent, the labels that it needs, and the searches of its references."""

    def find(entity: str, codec: str) -> tuple[Lookup, ...]:
        return tuple(
            _make_lookup(screen)
            for screen in lists.values()
            if screen.entity == entity and _codec_of(screen.row) == codec
        )

    fields = tuple(attach_lookups(field, find) for field in form.fields)
    if form.tool in lists:
        return replace(form, method="list", fields=_label_filters(lists[form.tool], fields))
    if form.tool in records:
        screen = records[form.tool]
        label = f"{capitalise(to_phrase(screen.noun))} ID"
        fields = tuple(replace(f, label=label) if f.name == screen.key else f for f in fields)
        return replace(form, method="open", title=f"Open {to_phrase(screen.noun)}", fields=fields)
    return replace(form, fields=fields)


def _make_lookup(screen: ListScreen) -> Lookup:
    texts = {column: name for name, (column, op) in screen.filters.items() if op == "contains"}
    name = next((texts[n] for n in NAMING if n in texts), next(iter(texts.values()), ""))
    field = screen.form.field(name)
    return Lookup(
        screen.form.tool,
        screen.form.slug,
        screen.title,
        (name,) if name else (),
        field.label if field is not None else "",
    )


def _codec_of(row: Shape) -> str:
    return next((part.codec for part in row.parts if part.kind == "id"), "")


def _label_filters(screen: ListScreen, fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """The fields of a search: both ends of a range share a name, and what turns pages is called so."""
    paging = screen.paging
    turning = {paging.limit: "Rows per page", paging.offset: _name_offset(paging.turned), paging.sort: "Sort by"}
    out: list[Field] = []
    for field in fields:
        column, op = screen.filters.get(field.name, ("", ""))
        if op in (">=", "<="):
            field = replace(field, range="from" if op == ">=" else "to", about=to_label(column))
        elif field.name and field.name in turning:
            field = replace(field, label=turning[field.name])
        if field.name and field.name == paging.sort:
            choices = tuple(replace(c_, label=_name_order(c_.value)) for c_ in field.choices)
            field = replace(field, choices=choices)
        out.append(field)
    return tuple(out)


def _name_offset(turned: str) -> str:
    return {"page": "Page", "cursor": "Continue at"}.get(turned, "Skip rows")


def _name_order(value: str) -> str:
    down = value.endswith("_desc")
    return f"{to_label(value.removesuffix('_desc'))}, {'descending' if down else 'ascending'}"


# screens


def _make_lists(
    blueprint: c.Checked, forms: Mapping[str, Form], operations: Mapping[str, str], named: Mapping[str, ContractTool]
) -> dict[str, ListScreen]:
    out: dict[str, ListScreen] = {}
    for tool, form in forms.items():
        screen = make_list(blueprint, blueprint.operations[operations[tool]], form, named.get(tool))
        if screen is not None:
            out[tool] = screen
    return _tell_apart(blueprint, out)


def _tell_apart(blueprint: c.Checked, lists: Mapping[str, ListScreen]) -> dict[str, ListScreen]:
    """Lists with titles of their own: two of the same system are called by what they list, or by their tools."""
    out = dict(lists)
    for tool, screen in lists.items():
        same = [s for s in lists.values() if s.title == screen.title]
        if len(same) > 1:
            by_noun = capitalise(to_phrase(plural(screen.entity)))
            distinct = len({s.entity for s in same}) == len(same)
            out[tool] = replace(screen, title=by_noun if distinct else to_label(tool))
    return out


def _make_records(
    blueprint: c.Checked, forms: Mapping[str, Form], operations: Mapping[str, str], named: Mapping[str, ContractTool]
) -> dict[str, RecordScreen]:
    out: dict[str, RecordScreen] = {}
    for tool, form in forms.items():
        get = blueprint.operations[operations[tool]].read
        if not isinstance(get, c.Get) or form.gives.kind != "record":
            continue
        take = named[tool].takes.get(get.entity) if tool in named else None
        key = get.entity if tool not in named else ".".join(take.at) if take is not None else ""
        field = form.field(key)
        if field is not None and all(f.default for f in form.fields if f.required and f is not field):
            titles = make_titles(blueprint, get.entity, form.gives)
            out[tool] = RecordScreen(form, find_noun(blueprint, get.entity), get.entity, key, form.gives, titles)
    return out


def _list_getters(records: Mapping[str, RecordScreen]) -> dict[Keyed, str]:
    out: dict[Keyed, str] = {}
    for tool, screen in records.items():
        key = screen.form.field(screen.key)
        out.setdefault((screen.entity, key.codec if key is not None else ""), tool)
    return out


def _list_actions(forms: Mapping[str, Form]) -> dict[Keyed, tuple[tuple[str, str], ...]]:
    """What can be done with a record: forms that take it, those that are done to it first."""
    out: dict[Keyed, list[tuple[str, str]]] = {}
    for form in forms.values():
        for field in form.fields if form.method == "do" else ():
            if field.kind == "reference":
                out.setdefault((field.entity, field.codec), []).append((form.tool, field.name))
    return {key: tuple(sorted(found, key=lambda one: forms[one[0]].subject != one[1])) for key, found in out.items()}


def _list_related(lists: Mapping[str, ListScreen]) -> dict[Keyed, tuple[Link, ...]]:
    """Which searches show what belongs to a record: those that filter by it."""
    out: dict[Keyed, list[Link]] = {}
    for screen in lists.values():
        for field in screen.form.fields:
            compared = screen.filters.get(field.name)
            if field.kind == "reference" and compared is not None and compared[1] == "==":
                link = Link(screen.form.tool, _name_link(screen, field), field.name)
                out.setdefault((field.entity, field.codec), []).append(link)
    return {key: tuple(links) for key, links in out.items()}


def _name_link(screen: ListScreen, field: Field) -> str:
    """Name a link to a filtered list, with the filter where the list can be filtered by such a record in several ways."""
    same = [f for f in screen.form.fields if f.kind == "reference" and f.entity == field.entity]
    return screen.title if len(same) == 1 else f"{screen.title} ({field.label.lower()})"


def _make_systems(
    blueprint: c.Checked,
    forms: Mapping[str, Form],
    lists: Mapping[str, ListScreen],
    records: Mapping[str, RecordScreen],
    operations: Mapping[str, str],
) -> tuple[SystemScreen, ...]:
    queues, views = find_queues(blueprint, lists, operations), find_views(blueprint, lists.values())
    listed = {screen.entity for screen in lists.values()}
    out = []
    for name, says in blueprint.blueprint.systems.items():
        own = [form for form in forms.values() if form.system == name]
        if own:
            out.append(
                SystemScreen(
                    name,
                    _name_system(name, says),
                    says,
                    tuple(form.tool for form in own if form.method == "list"),
                    tuple(f.tool for f in own if f.method == "open" and records[f.tool].entity not in listed),
                    tuple(queue for system, queue in queues if system == name),
                    tuple(view for system, view in views if system == name),
                    tuple(form.tool for form in own if form.method == "do"),
                )
            )
    return tuple(out)


def _name_system(name: str, says: str) -> str:
    """Name a system: as its description calls it where that is short (`the ticket system, with ...`), else by its own name."""
    found = _CALLED.match(says)
    words = found[1].split() if found else []
    short = len(name) <= FEW_LETTERS
    if (2 - short) <= len(words) <= MAX_SYSTEM_WORDS and not any("'" in w or w == "itself" for w in words):
        return capitalise(" ".join(words))
    return name.upper() if short else to_label(name)
