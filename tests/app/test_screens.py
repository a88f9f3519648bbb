"""Screens: what a role is offered, read from tools and Blueprint, over the whole catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from tests.domains import MANY
from tests.engine.test_contract import TOOLS

from worldwright import catalogue
from worldwright.app.screens.describe import describe_screens
from worldwright.app.screens.labels import first_sentence, to_choice, to_label
from worldwright.app.screens.records import Field, Screens, SystemScreen
from worldwright.app.screens.states import find_tone
from worldwright.blueprint.checked import Checked
from worldwright.engine.contract import tool_spec
from worldwright.engine.surface import surface
from worldwright.kinds.database.toolspec import tool_specs


@cache
def screens(domain: str, role: str) -> Screens:
    checked = catalogue.load(domain)
    return describe_screens(checked, surface("plain", tool_specs(checked), role, "").tools, role)


def system(domain: str, role: str, name: str) -> SystemScreen:
    return next(s for s in screens(domain, role).systems if s.name == name)


def walk(fields: tuple[Field, ...]) -> Iterator[Field]:
    for field in fields:
        yield field
        yield from walk(field.parts)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("needed_by", "Needed by"), ("po", "PO"), ("ap_clerk", "AP clerk"), ("neededBy", "Needed by"), ("rmas", "RMAs"),
        ("getOrderById", "Get order by ID"), ("vcpus", "vCPUs"), ("payment-days", "Payment days"), ("it", "IT"),
    ],
)  # fmt: skip
def test_names_become_labels(name: str, label: str) -> None:
    assert to_label(name) == label


def test_words_of_lists_are_readable_and_codes_stay() -> None:
    assert [to_choice(word) for word in ("part_received", "E11", "USD", "on hold", "it", "raw_materials")] == [
        "Part received", "E11", "USD", "on hold", "IT", "Raw materials",
    ]  # fmt: skip


def test_a_description_is_split_after_its_first_sentence() -> None:
    assert first_sentence("Open it. Nothing else.") == "Open it."
    assert first_sentence("At 5.5 percent or more") == "At 5.5 percent or more"


@pytest.mark.parametrize("domain", MANY)
def test_everything_that_a_role_may_do_is_offered_once_and_nothing_else(domain: str) -> None:
    """A navigation leads to every search and operation; to every get there is a box for an id."""
    for role in catalogue.load(domain).blueprint.roles:
        everything_is_offered(domain, role)


def everything_is_offered(domain: str, role: str) -> None:
    checked, found = catalogue.load(domain), screens(domain, role)
    may = {name for name, op in checked.operations.items() if not op.roles or role in op.roles}
    assert set(found.forms) == may
    listed = [tool for s in found.systems for tool in (*s.lists, *s.forms)]
    assert len(listed) == len(set(listed))
    opened = set(found.records)
    assert set(listed) | opened == may
    boxes = {tool for s in found.systems for tool in s.records}
    entities = {screen.entity for screen in found.lists.values()}
    assert all(found.records[tool].entity in entities or tool in boxes for tool in opened)


@pytest.mark.parametrize("domain", MANY)
def test_every_argument_of_every_tool_has_a_field_with_a_label(domain: str) -> None:
    """None of them is left to be written as JSON; references know what they refer to, choices what can be chosen."""
    checked = catalogue.load(domain)
    for role in checked.blueprint.roles:
        for form in screens(domain, role).forms.values():
            names = [i.name for i in checked.operations[form.tool].inputs]
            assert [field.name for field in form.fields] == names
            for field in walk(form.fields):
                assert field.label, (form.tool, field.name)
                assert field.kind not in ("json", "fixed"), (form.tool, field.name)
                assert (field.kind == "reference") == bool(field.entity)
                assert field.kind != "choice" or len(field.choices) >= 1


@pytest.mark.parametrize("domain", MANY)
def test_titles_in_a_system_can_be_told_apart(domain: str) -> None:
    checked = catalogue.load(domain)
    for role in checked.blueprint.roles:
        found = screens(domain, role)
        assert len({s.title for s in found.systems}) == len(found.systems)
        for s in found.systems:
            for titles in ([found.lists[t].title for t in s.lists], [found.forms[t].title for t in s.forms]):
                assert len(set(titles)) == len(titles), titles
        labels = [[f.label for f in form.fields if not f.range] for form in found.forms.values()]
        assert all(len(set(own)) == len(own) for own in labels)


def test_what_a_search_filters_and_turns() -> None:
    found = screens("enterprise_procurement", "buyer").lists["find_orders"]
    assert found.title == "Orders"
    assert found.paging.limit == "limit"
    assert (found.paging.size, found.paging.most) == (10, 50)
    assert (found.rows_at, found.paging.total_at, found.paging.next_at) == (("items",), ("total",), ("next_offset",))
    assert found.filters["ordered_on_from"] == ("ordered_on", ">=")
    ends = [(f.about, f.range) for f in found.form.fields if f.name.startswith("ordered_on")]
    assert ends == [("Ordered on", "from"), ("Ordered on", "to")]
    assert found.form.field("vendor") is not None
    assert [one.tool for one in next(f for f in found.form.fields if f.name == "vendor").lookups] == ["find_vendors"]


def test_a_name_beside_a_reference_becomes_part_of_it() -> None:
    columns = screens("enterprise_procurement", "buyer").lists["find_orders"].columns
    assert [c.shape.label for c in columns].count("Vendor") == 1
    assert not any(c.shape.label == "Vendor name" for c in columns)
    assert sum(c.main for c in columns) <= 8


def test_amounts_have_their_currency() -> None:
    order = screens("enterprise_procurement", "buyer").records["get_order"].record
    total = next(part for part in order.parts if part.at == ("total",))
    book = next(part for part in order.parts if part.at == ("book_total",))
    assert (total.kind, total.currency, total.currency_at) == ("money", "", ("currency",))
    assert (book.kind, book.currency) == ("money", "USD")


def test_what_can_be_done_with_a_record() -> None:
    found = screens("enterprise_procurement", "buyer")
    actions = [tool for tool, _ in found.actions["requisition", ""]]
    assert actions[:2] == ["route_request", "record_quote"]
    assert "find_orders" in {link.tool for link in found.related["requisition", ""]}
    assert found.getters["purchase_order", ""] == "get_order"
    assert found.forms["cancel_order"].moves == ("issued",)


@pytest.mark.parametrize(
    ("domain", "role", "name", "queues"),
    [
        ("enterprise_procurement", "buyer", "erp", ["Requests: draft", "Requests: approved"]),
        ("enterprise_procurement", "approver", "erp", ["Requests: submitted", "Invoices: held"]),
        ("enterprise_procurement", "warehouse", "erp", ["Orders: issued", "Orders: part received"]),
        ("clinic_scheduling", "scheduler", "book", ["Waiting: waiting", "Waiting: offered"]),
        ("hotel_booking", "front_desk", "pms", ["Folios: open", "Folios: invoiced", "Bookings: reserved", "Bookings: in house"]),
        ("broadband_support", "field_planner", "desk", ["Visits: booked"]),
        ("release_management", "release_manager", "tracker", ["Changes: open", "Changes: approved"]),
    ],
)  # fmt: skip
def test_queues_are_what_waits_for_a_role(domain: str, role: str, name: str, queues: list[str]) -> None:
    titles = [queue.title for queue in system(domain, role, name).queues]
    assert [title for title in titles if title in queues] == queues
    assert not any(word in title for title in titles for word in (": active", ": cancelled", ": free"))


@pytest.mark.parametrize(
    ("domain", "kind", "views"),
    [
        ("enterprise_procurement", "inbox", {"find_messages": "sent_at"}),
        ("broadband_support", "calendar", {"find_visits": "on_day"}),
        ("broadband_support", "ledger", {"find_credits": "granted_on"}),
        ("hotel_booking", "calendar", dict.fromkeys(("search_bookings", "search_blocks", "search_waitlist"), "arrival_on")),
        ("payroll_and_leave", "calendar", {"find_blackouts": "from_on", "find_leave": "from_on"}),
        ("card_disputes", "calendar", {}),
        ("university_registrar", "calendar", {}),
        ("document_control", "ledger", {}),
    ],
)  # fmt: skip
def test_views_are_what_a_business_has(domain: str, kind: str, views: dict[str, str]) -> None:
    found = {
        view.tool: view.when
        for role in catalogue.load(domain).blueprint.roles
        for s in screens(domain, role).systems
        for view in s.views
        if view.kind == kind
    }
    assert found == views


def test_states_have_a_tone() -> None:
    order = {"issued": ("part_received", "cancelled"), "part_received": ("received",), "received": (), "cancelled": ()}
    assert [find_tone(state, order) for state in order] == ["open", "moving", "done", "bad"]
    assert find_tone("active", {"active": ("suspended",), "suspended": ()}) == "done"
    assert (find_tone("urgent"), find_tone("approved"), find_tone("failed")) == ("plain", "done", "bad")


def test_a_contract_is_read_through_its_templates(library: Checked) -> None:
    """Names, nesting and pages are the contract's; what the values mean is the Blueprint's."""
    inside = tool_specs(library)
    tools = [tool_spec(tool, inside[tool.operation]) for tool in TOOLS.tools.values()]
    found = describe_screens(library, tools, "librarian", TOOLS)
    listed = found.lists["listLoans"]
    assert (listed.title, listed.rows_at, listed.paging.turned, listed.paging.offset) == (
        "Loans",
        ("data",),
        "page",
        "page",
    )
    assert listed.filters["state"] == ("status", "==")
    kinds = {part.at[0]: part.kind for part in listed.row.parts}
    assert kinds["id"] == "id"
    lend = next(form for form in found.forms.values() if form.method == "do")
    assert [field.name for field in lend.fields] == ["borrower", "copy-id", "days", "X-Trace"]
    assert lend.gives.entity == "loan"
    assert {part.kind for part in lend.gives.parts} >= {"id"}
