"""What is asked in derived worlds: little of it is the edit of one named record, all of it is said in whole sentences."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest
import yaml
from tests.anchor.model.services import (
    DAY,
    MOMENT,
    NUMBER,
    TEXT,
    TRUTH,
    WHOLE,
    Op,
    built,
    checked,
    derived,
    document,
    evidence,
    tables,
    words,
)

from worldwright.anchor.evidence import Evidence, Operation, Parameter, Shape
from worldwright.anchor.intake.dispatch import Input, read_inputs
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.merge import merge_reads
from worldwright.anchor.model.derive import Derived, derive
from worldwright.anchor.model.reasons import ASSUMED
from worldwright.blueprint.checked import Goal
from worldwright.engine.world import World

CLINIC: dict[str, dict[str, Any]] = {
    "Patient": {"id": WHOLE, "name": TEXT, "city": TEXT, "birth_date": DAY, "insured": TRUTH},
    "Visit": {
        "id": WHOLE, "patient_id": WHOLE, "planned_on": DAY, "fee": NUMBER, "room": words("one", "two", "three"), "reason": TEXT,
        "status": words("planned", "held", "cancelled"),
    },
}  # fmt: skip
VISITS = (
    Op("listPatients", "GET", "/patients", gives="[Patient]", query=("city",)),
    Op("createPatient", "POST", "/patients", ("name", "city", "birth_date"), ("name",), "Patient"),
    Op("updatePatient", "PATCH", "/patients/{patientId}", ("name", "city", "insured"), (), "Patient"),
    Op("listVisits", "GET", "/visits", gives="[Visit]", query=("status", "patient_id")),
    Op(
        "createVisit",
        "POST",
        "/visits",
        ("patient_id", "planned_on", "fee", "room"),
        ("patient_id", "planned_on"),
        "Visit",
    ),
    Op("updateVisit", "PATCH", "/visits/{visitId}", ("planned_on", "fee", "room", "reason"), (), "Visit"),
    Op("cancelVisit", "POST", "/visits/{visitId}/cancel", gives="Visit"),
    Op("deleteVisit", "DELETE", "/visits/{visitId}"),
)
EDITOR: dict[str, dict[str, Any]] = {
    "Contact": {"id": WHOLE, "name": TEXT, "email": TEXT, "company": TEXT, "note": TEXT},
}
EDITS = (
    Op("listContacts", "GET", "/contacts", gives="[Contact]"),
    Op("createContact", "POST", "/contacts", ("name", "email", "company"), ("name",), "Contact"),
    Op("updateContact", "PUT", "/contacts/{contactId}", ("name", "email", "company", "note"), (), "Contact"),
    Op("deleteContact", "DELETE", "/contacts/{contactId}"),
)
READING: dict[str, dict[str, Any]] = {
    "Station": {"id": WHOLE, "name": TEXT, "country": TEXT, "height": WHOLE},
    "Reading": {
        "id": WHOLE,
        "station_id": WHOLE,
        "value": NUMBER,
        "measured_at": MOMENT,
        "kind": words("rain", "wind", "sun"),
    },
}
READS = (
    Op("listStations", "GET", "/stations", gives="[Station]", query=("country",)),
    Op("getStation", "GET", "/stations/{stationId}", gives="Station"),
    Op("listReadings", "GET", "/stations/{stationId}/readings", gives="[Reading]", query=("kind",)),
)
STOCK = """
CREATE TABLE warehouses (id integer PRIMARY KEY, name text NOT NULL, city text);
CREATE TABLE items (id integer PRIMARY KEY, name text NOT NULL, price numeric(10,2) NOT NULL,
    kind varchar(10) CHECK (kind IN ('raw', 'made')));
CREATE TABLE transfers (id integer PRIMARY KEY, item_id integer NOT NULL REFERENCES items (id),
    warehouse_id integer NOT NULL REFERENCES warehouses (id), quantity integer NOT NULL,
    status varchar(12) NOT NULL CHECK (status IN ('requested', 'approved', 'shipped', 'rejected')), created_at timestamp NOT NULL);
"""
NAMES = ("clinic", "editor", "reading", "stock")


@cache
def world_of(name: str) -> tuple[Derived, World]:
    found = {
        "clinic": lambda: evidence("Clinic", CLINIC, VISITS),
        "editor": lambda: evidence("Contacts", EDITOR, EDITS),
        "reading": lambda: evidence("Weather", READING, READS),
        "stock": lambda: tables(STOCK),
    }[name]()
    one = derived(found)
    return one, built(one, tasks=True)


def edits(one: Derived) -> set[str]:
    """Goals that change something of one record which is named: nothing has to be found out for them."""
    found = checked(one)
    made = {m.name: m for m in one.made}

    def edit(name: str, goal: Goal) -> bool:
        named = len(goal.given) == 1 and "exists(" not in str(found.blueprint.goals[name].given)
        return named and len(goal.how) == 1 and made[goal.how[0].operation].intent.kind == "update"

    return {name for name, goal in found.goals.items() if edit(name, goal)}


def shares(name: str) -> tuple[int, int]:
    """Tasks that are such an edit and nothing else, and all tasks."""
    one, world = world_of(name)
    single = edits(one)
    asked = [[g["goal"] for g in world.key(t.id).expects["goals"]] for t in world.tasks]
    return sum(len(goals) == 1 and goals[0] in single for goals in asked), len(asked)


def test_at_most_three_in_ten_tasks_are_single_edits() -> None:
    found = [shares(name) for name in NAMES]
    assert sum(single for single, _ in found) <= 0.3 * sum(several for _, several in found)
    assert sum(several for _, several in found) >= 40


@pytest.mark.parametrize("name", NAMES)
def test_at_most_three_in_ten_goals_are(name: str) -> None:
    one, _ = world_of(name)
    assert len(edits(one)) <= 0.3 * len(checked(one).goals)


@pytest.mark.parametrize("name", NAMES)
def test_every_goal_is_asked_for_in_at_least_two_ways(name: str) -> None:
    for goal in checked(world_of(name)[0]).goals.values():
        assert len(goal.asks) >= 2, goal.name
        assert goal.how or goal.tells, goal.name


DOUBLED = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)


@pytest.mark.parametrize("name", NAMES)
def test_no_word_is_said_twice(name: str) -> None:
    for key, goal in checked(world_of(name)[0]).blueprint.goals.items():
        for ask in (*goal.asks, *goal.then, *goal.each):
            assert not DOUBLED.search(re.sub(r"\{[^}]*\}", "#", ask)), (key, ask)
            assert "  " not in ask
    for task in world_of(name)[1].tasks:
        text = re.sub(r"[A-Z][\w-]*|\d[\d.,]*", "#", task.instruction)
        assert not DOUBLED.search(text), (task.id, task.instruction)
        assert not re.search(r"[{}]|\bnone\b|\bNone\b", task.instruction), task.instruction


@pytest.mark.parametrize("name", NAMES)
def test_no_request_names_a_tool_or_a_field(name: str) -> None:
    one, world = world_of(name)
    fields = {c for e in checked(one).schema.entities.values() for c in e.columns if "_" in c}
    for task in world.tasks:
        assert not [
            t for t in (*one.contract.tools, *fields) if re.search(rf"\b{t}\b", task.instruction) and "_" in t
        ], task.id


def test_even_a_list_of_contacts_has_something_to_do() -> None:
    """The first contact of each goal happens to be spoken of by its id, and no other one is tried."""
    assert world_of("editor")[1].tasks


def test_a_service_that_only_reads_is_asked_many_things() -> None:
    one, world = world_of("reading")
    assert not any(t.mutates for t in world.tools)
    assert len(checked(one).goals) >= 10
    assert len(world.tasks) >= 3  # what its tools do not list in full is not asked for
    assert all(not goal.how for goal in checked(one).goals.values())


@pytest.mark.parametrize("name", NAMES)
def test_witnesses_pass(name: str) -> None:
    _, world = world_of(name)
    env = world.env().inside()
    for task in world.tasks:
        key = world.key(task.id)
        env.reset(task.id)
        for call in key.calls:
            env.call_tool(call.tool, call.arguments)
        env.submit(key.answer)
        assert env.verify().status == "pass", task.instruction


def test_nobody_is_born_next_month() -> None:
    goals = checked(world_of("clinic")[0]).blueprint.goals
    drawn = [str(draw) for goal in goals.values() for name, draw in goal.states.items() if "birth" in name]
    assert drawn
    assert not [d for d in drawn if "today +" in d]


# what is assumed of records that nobody describes


def tools(*names: tuple[str, tuple[str, ...]]) -> Evidence:
    """Tools of a server that says what they take and not what they answer."""
    out = []
    for name, takes in names:
        parameters = tuple(Parameter(n, "argument", Shape("string"), True) for n in takes)
        schema = {"type": "object", "properties": dict.fromkeys(takes, TEXT), "required": list(takes)}
        out.append(Operation(name, f"{name}.", parameters=parameters, input_schema=schema))
    return Evidence("Desk", operations=tuple(out))


SERVER = tools(
    ("list_tickets", ()), ("get_ticket", ("ticket_id",)), ("create_ticket", ("title",)), ("list_widgets", ())
)


@pytest.fixture(scope="module")
def desk() -> list[Derived]:

    return list(derive(SERVER))


def test_what_is_assumed_is_there_and_says_so(desk: list[Derived]) -> None:
    said = {r.what: r for one in desk for r in one.reasons if r.why.startswith("assumed: no answer is declared")}
    assert set(said) == {"status, priority, created_at of ticket", "name, quantity, created_at of widget"}
    assert all(r.source == ASSUMED for r in said.values())
    columns = {name: set(e.columns) for one in desk for name, e in checked(one).schema.entities.items()}
    assert {"title", "status", "priority", "created_at"} <= columns["ticket"]
    assert {"name", "quantity", "created_at"} <= columns["widget"]


def test_what_is_declared_needs_no_assumption() -> None:
    for name in ("clinic", "reading"):
        assert not [r for r in world_of(name)[0].reasons if "no answer is declared" in r.why]


FREIGHT: dict[str, dict[str, Any]] = {
    "Person": {"id": WHOLE, "name": TEXT},
    "Parcel": {
        "id": WHOLE, "sender_id": WHOLE, "recipient_id": WHOLE, "created_at": MOMENT,
        "shipping": {"type": "object", "properties": {"amount": NUMBER, "created_at": MOMENT}},
        "insurance": {"type": "object", "properties": {"amount": NUMBER}},
        "sender": {"$ref": "#/components/schemas/Person"}, "recipient": {"$ref": "#/components/schemas/Person"},
    },
}  # fmt: skip


def test_what_two_values_or_two_references_are_called_is_said_of_neither() -> None:
    """A shipment has two amounts and two people: a request says which amount, and whose sender or recipient somebody is."""
    service = (
        Op("listPeople", "GET", "/people", gives="[Person]"),
        Op("listParcels", "GET", "/parcels", gives="[Parcel]"),
        Op("updateParcel", "PATCH", "/parcels/{parcelId}", ("shipping", "insurance"), (), "Parcel"),
    )
    (one,) = derive(evidence("Freight", FREIGHT, service))
    said = [str(ask) for goal in yaml.safe_load(one.blueprint)["goals"].values() for ask in goal["asks"]]
    amounts = [ask for ask in said if re.search(r"\bamount\b", ask)]
    assert amounts
    assert not [ask for ask in amounts if not re.search(r"\b(shipping|insurance) amount\b", ask)]
    people = [ask for ask in said if "{p}" in ask and "parcel" in ask]
    assert people
    assert not [ask for ask in people if not re.search(r"whose (sender|recipient) is \{p\}", ask)]
    moments = [ask for ask in said if "created" in ask]
    assert any("that were created on" in ask for ask in moments)  # of the parcel itself: the shallow one has the name
    assert not [ask for ask in moments if "shipping created" in ask and "were created" in ask]


def test_a_body_that_only_wraps_a_record_is_taken_off() -> None:
    """`{"entity": {...}}` says what the record is to be, and is no part of it."""
    service = (
        Op("listPeople", "GET", "/people", gives="[Person]"),
        Op("updatePerson", "PUT", "/people/{personId}", ("name",), ("name",), "Person"),
    )
    wrapping = json.loads(document("People", FREIGHT, service))
    held = wrapping["paths"]["/people/{personId}"]["put"]["requestBody"]["content"]["application/json"]
    held["schema"] = {"type": "object", "properties": {"entity": held["schema"]}, "required": ["entity"]}
    upload = Upload("api.json", json.dumps(wrapping).encode())
    (one,) = derive(merge_reads(read_inputs([Input("openapi", "api.json", (upload,))])).evidence)
    assert {"name"} in [set(entity.columns) for entity in checked(one).schema.entities.values()]
