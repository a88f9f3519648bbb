"""What the planner reads out of a request, a handbook and tool schemas."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.agents import chat
from worldwright.agents.planner.dates import find_dates_in, parse_field_date
from worldwright.agents.planner.handbook import read_handbook
from worldwright.agents.planner.request import find_mentions, read_request
from worldwright.agents.planner.toolbox import Op, Toolbox
from worldwright.agents.planner.values import ranges
from worldwright.agents.planner.words import score_likeness, stems
from worldwright.english.stems import stem

TODAY = date(2025, 7, 14)  # a Monday


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("on 5 August 2025", ["2025-08-05"]),
        ("on the 5th of August, 2025", ["2025-08-05"]),
        ("Aug 5th", ["2025-08-05"]),
        ("August 5, 2025", ["2025-08-05"]),
        ("2025-08-05", ["2025-08-05"]),
        ("05.08.2025 or 5/8/25", ["2025-08-05", "2025-08-05"]),
        ("3 February", ["2026-02-03"]),
        ("2 July", ["2025-07-02"]),
        ("tomorrow and yesterday", ["2025-07-15", "2025-07-13"]),
        ("next Friday", ["2025-07-18"]),
        ("last Friday", ["2025-07-11"]),
        ("in two weeks", ["2025-07-28"]),
        ("3 days ago", ["2025-07-11"]),
        ("5-8 August 2025", ["2025-08-05", "2025-08-08"]),
        ("from 5 to 8 August", ["2025-08-05", "2025-08-08"]),
        ("31 February 2025, room 504", []),
        ("may we mark 12 of them", []),
    ],
)
def test_dates_in_many_forms(text: str, found: list[str]) -> None:
    assert [str(d.on) for d in find_dates_in(text, TODAY)] == found


@given(
    st.dates(date(2000, 1, 1), date(2099, 12, 31)), st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y"])
)
def test_a_written_date_is_read_back(day: date, form: str) -> None:
    assert [d.on for d in find_dates_in(f"until {day.strftime(form)}.", TODAY)] == [day]


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    for m in find_mentions(text, TODAY):
        assert 0 <= m.start < m.end <= len(text)
    read_request(text, text)
    read_handbook(text)
    parse_field_date(text)


def values(text: str, *kinds: str) -> list[Any]:
    return [m.value for m in find_mentions(text, TODAY, {"REQ"}) if m.kind in kinds]


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("pay 1,452.62 USD now", "number", [1452.62]),
        ("a card for £40.00", "number", [40.0]),
        ("EUR 50 at most", "number", [50.0]),
        ("3 x screws, twelve nuts", "number", [3.0, 12.0]),
        ("tell me which one, or one of them", "number", []),
        ("until 16:00 or 9 pm, 14 o'clock", "hour", [16, 14]),
        ("invoice FX-70904, slip 711743, plate KTR 0654", "code", ["FX-70904", "711743", "KTR 0654"]),
        ("close REQ-00166", "id", ["REQ-00166"]),
        ("write to a.b@example.com.", "mail", ["a.b@example.com"]),
        ('the mail "New bank details" of', "quoted", ["New bank details"]),
        ("Please move Imran Price's booking", "name", ["Imran Price"]),
        ("the order of Jackson & O'Connor LLC is late", "name", ["Jackson & O'Connor LLC"]),
        ("Daisy Kowalski of Harbourgate Drivers", "name", ["Daisy Kowalski", "Harbourgate Drivers"]),
        ("from Hall Supply Inc. on Monday", "name", ["Hall Supply Inc."]),
        ("Stop it. Thanks.", "name", []),
    ],
)
def test_values_by_kind(text: str, kind: str, found: list[Any]) -> None:
    assert values(text, kind) == found


def test_a_span_of_days() -> None:
    dates = [
        m for m in find_mentions("from 5 August 2025 to 8 August 2025, paid on 1 July 2025", TODAY) if m.kind == "date"
    ]
    assert [(b.value - a.value).days for a, b in ranges(dates)] == [3]


def test_a_request_in_steps() -> None:
    heard = (
        "You are STF-04.\n\nCan you look after this?\n\n> Hello.\n> Lovely weather. Book a room for Ann Lee at Hall Supply Inc. on "
        "5 August 2025. Then cancel REQ-00001.\n> Noor\n\nWhen you are through, submit an answer with\n- outcome: done"
    )
    request = read_request("You act as reservations. It is 2025-07-14T09:00:00Z.", heard, {"REQ"})
    assert (request.actor, request.role, request.today) == ("STF-04", "reservations", TODAY)
    assert [s.split()[0] for s in request.steps] == ["Book", "Then"]
    assert [m.value for m in request.mentions_of("id", step=1)] == ["REQ-00001"]
    assert "Noor" not in request.text
    assert "outcome" not in request.text


def test_a_handbook() -> None:
    told = (
        "# A house\n## Roles\n- **front desk**: checks in\n## Rules\n"
        "- **stop list**: Nobody on it gets a room. (Comes before: queue order and deposit.)\n"
        "## How things move\n- **booking** starts as reserved; reserved to in_house, cancelled; in_house to out."
    )
    book = read_handbook(told)
    assert [r.name for r in book.rules] == ["stop list"]
    assert book.rules[0].before == ("queue order", "deposit")
    assert book.rule("stop_list") is book.rules[0]
    assert book.final("cancelled")
    assert not book.final("reserved")
    assert not book.final("unheard of")
    assert book.roles == ("front desk",)


def tool(called: str, says: str, required: tuple[str, ...] = (), /, **fields: dict[str, Any]) -> chat.Tool:
    return chat.make_function_tool(called, says, {"type": "object", "properties": fields, "required": list(required)})


GUEST = {"type": "string", "pattern": "^GST-[0-9]{4,}$", "description": "Id of a guest."}
STAFF = {"type": "string", "pattern": "^EMP-[0-9]{4,}$", "description": "Id of an employee."}


def test_tools_are_read_by_their_schemas() -> None:
    box = Toolbox(
        [
            tool("search_guests", "Search guests.", name={"type": "string"}, limit={"type": "integer"}),
            tool("find_people", "Search the directory.", name={"type": "string"}, limit={"type": "integer"}),
            tool("get_guest", "One guest.", ("guest",), guest=GUEST),
            tool("quote_stay", "What a stay would cost.", ("guest",), guest=GUEST),
            tool("book_stay", "Book a stay. For: desk. Errors: FORBIDDEN.", ("guest",), guest=GUEST, booked_by=STAFF),
            chat.make_submit_tool([], {"type": "object", "properties": {"outcome": {"enum": ["done", None]}}}),
        ]
    )
    assert [op.name for op in box.writers] == ["book_stay"]
    assert [op.name for op in box.searches_for("GST")] == ["search_guests"]
    assert [op.name for op in box.searches_for("EMP")] == ["find_people"]
    assert box.getter("GST") is box.by_name["get_guest"]
    assert box.kind_called("the id of the guest") == "GST"
    assert "FORBIDDEN" not in box.by_name["book_stay"].purpose
    assert box.submit.params[0].choices == ["done"]


def test_words() -> None:
    assert stem("orders") == stem("order") == stem("ordered")
    assert "=cancel" in stems("please call it off, that is: it was called off")
    assert score_likeness("due", "due_on") >= 0.4
    assert score_likeness("price", "total") > score_likeness("price", "status") == 0


@pytest.mark.parametrize("name", ["list_bikes", "listBikes", "ListBikes", "list-bikes", "list.bikes", "list"])
def test_the_verb_is_the_first_word_of_the_name(name: str) -> None:
    assert (Op(name, "", ()).verb, Op(name, "", ()).writes) == ("list", False)
