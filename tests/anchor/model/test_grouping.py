"""Which operations are about one thing: calls in every spelling, parts of records, links between two of them."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from tests.anchor.model.test_intents import over_http, tool

from worldwright.anchor.evidence import Operation, Parameter, Shape
from worldwright.anchor.model.intents import OperationIntent, classify_operations

TEXT = Shape("string")


def call(path: str, *needed: str, said: Iterable[str] = ()) -> Operation:
    """A call by POST, as RPC-style services have it: everything stands in the body."""
    body = [Parameter(n, "body", TEXT, True) for n in needed] + [Parameter(n, "body", TEXT) for n in said]
    return Operation(path, method="POST", path=path, parameters=tuple(body))


def read(*operations: Operation) -> dict[str, OperationIntent]:
    return {d.operation.name: d for d in classify_operations(operations)}


def shown(found: OperationIntent) -> tuple[str, str, str, str]:
    return found.kind, " ".join(found.noun), found.by, " ".join(p for _, p in found.under)


HOLDERS = read(
    call("/createAccountHolder", said=("legalEntity",)),
    call("/getAccountHolder", "accountHolderCode"),
    call("/updateAccountHolder", "accountHolderCode", said=("description",)),
    call("/updateAccountHolderState", "accountHolderCode", said=("disable",)),
    call("/closeAccountHolder", "accountHolderCode"),
    call("/suspendAccountHolder", "accountHolderCode"),
    call("/unSuspendAccountHolder", "accountHolderCode"),
    call("/createAccount", "accountHolderCode", said=("description",)),
    call("/closeAccount", "accountCode"),
    call("/transferFunds", said=("amount", "reason")),
)


@pytest.mark.parametrize(
    ("path", "meaning"),
    [
        ("/createAccountHolder", ("create", "account holder", "", "")),
        ("/getAccountHolder", ("get", "account holder", "accountHolderCode", "")),
        ("/updateAccountHolder", ("update", "account holder", "accountHolderCode", "")),
        ("/closeAccountHolder", ("move", "account holder", "accountHolderCode", "")),
        ("/unSuspendAccountHolder", ("move", "account holder", "accountHolderCode", "")),
        ("/createAccount", ("create", "account", "", "accountHolderCode")),
        ("/closeAccount", ("move", "account", "accountCode", "")),
        ("/transferFunds", ("create", "fund", "", "")),
    ],
)
def test_verb_and_noun_in_one_word(path: str, meaning: tuple[str, ...]) -> None:
    assert shown(HOLDERS[path]) == meaning


def test_what_is_named_after_a_thing_and_taken_by_its_id_is_a_part_of_it() -> None:
    found = HOLDERS["/updateAccountHolderState"]
    assert (found.noun, found.by, found.part) == (("account", "holder"), "accountHolderCode", ("state",))


REPORTS = read(
    call("/asset_report/create", said=("days",)),
    call("/asset_report/get", "asset_report_token"),
    call("/asset_report/remove", "asset_report_token"),
    call("/asset_report/audit_copy/create", "asset_report_token", said=("auditor",)),
    call("/payment/list", said=("status",)),
    call("/payment/cancel", "payment_id"),
)


@pytest.mark.parametrize(
    ("path", "meaning"),
    [
        ("/asset_report/create", ("create", "asset report", "", "")),
        ("/asset_report/get", ("get", "asset report", "asset_report_token", "")),
        ("/asset_report/remove", ("delete", "asset report", "asset_report_token", "")),
        ("/payment/list", ("list", "payment", "", "")),
        ("/payment/cancel", ("move", "payment", "payment_id", "")),
    ],
)
def test_a_verb_as_the_last_segment(path: str, meaning: tuple[str, ...]) -> None:
    assert shown(REPORTS[path]) == meaning


CHAT = read(
    call("/conversations.create", "name"),
    call("/conversations.rename", "channel_id", "name"),
    call("/conversations.setTopic", "channel_id", "topic"),
    call("/conversations.archive", "channel_id"),
    call("/reminders.add", "text"),
    call("/reminders.complete", "reminder_id"),
)


@pytest.mark.parametrize(
    ("path", "meaning"),
    [
        ("/conversations.rename", ("update", "conversation", "channel_id", "")),
        ("/conversations.setTopic", ("update", "conversation", "channel_id", "")),
        ("/conversations.archive", ("move", "conversation", "channel_id", "")),
        ("/reminders.add", ("create", "reminder", "", "")),
        ("/reminders.complete", ("move", "reminder", "reminder_id", "")),
    ],
)
def test_dots_divide_like_slashes(path: str, meaning: tuple[str, ...]) -> None:
    assert shown(CHAT[path]) == meaning


TASKS = read(
    tool("acme_create_task", "name"),
    tool("acme_get_task", "task_id"),
    tool("acme_delete_task", "task_id"),
    tool("acme_create_tag", "name"),
    tool("acme_get_tag", "tag_id"),
    tool("acme_add_tag_to_task", "task_id", "tag_id"),
    tool("acme_remove_tag_from_task", "task_id", "tag_id"),
    tool("acme_get_tags_for_task", "task_id"),
    tool("acme_hard_delete_task", "task_id"),
    tool("acme_get_task_summary", "task_id"),
    tool("acme_list_audiences"),
    tool("acme_get_audience", "list_id"),
    tool("acme_update_audience", "list_id"),
    tool("acme_list_members", "list_id"),
)


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("acme_get_tag", ("get", "tag", "tag_id", "")),
        ("acme_add_tag_to_task", ("create", "task tag", "", "task_id tag_id")),
        ("acme_remove_tag_from_task", ("delete", "task tag", "", "task_id tag_id")),
        ("acme_get_tags_for_task", ("list", "tag", "", "task_id")),
        ("acme_hard_delete_task", ("delete", "task", "task_id", "")),
        ("acme_get_task_summary", ("get", "task", "task_id", "")),
    ],
)
def test_names_with_prepositions_and_adverbs(name: str, meaning: tuple[str, ...]) -> None:
    assert shown(TASKS[name]) == meaning


def test_an_id_under_another_name_means_the_thing_that_it_is_taken_for() -> None:
    assert TASKS["acme_list_members"].under == ((("audience",), "list_id"),)


NESTED = over_http(
    "GET /vehicles",
    "GET /vehicles/{vehicleId}",
    "GET /vehicles/{vehicleId}/odometer",
    "PUT /vehicles/{vehicleId}/policy",
    "DELETE /vehicles/{vehicleId}/policy",
    "GET /groups",
    "DELETE /groups/{groupId}",
    "PUT /vehicles/{vehicleId}/groups/{groupId}",
    "DELETE /vehicles/{vehicleId}/groups/{groupId}",
    "GET /vehicles/{vehicleId}/trips",
    "DELETE /vehicles/{vehicleId}/trips/{tripId}",
    "POST /vehicles/{vehicleId}:wake",
)


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("GET /vehicles/{vehicleId}/odometer", ("get", "vehicle", "vehicleId", "")),
        ("PUT /vehicles/{vehicleId}/policy", ("update", "vehicle", "vehicleId", "")),
        ("DELETE /vehicles/{vehicleId}/policy", ("move", "vehicle", "vehicleId", "")),
        ("DELETE /groups/{groupId}", ("delete", "group", "groupId", "")),
        ("PUT /vehicles/{vehicleId}/groups/{groupId}", ("create", "vehicle group", "", "vehicleId groupId")),
        ("DELETE /vehicles/{vehicleId}/groups/{groupId}", ("delete", "vehicle group", "", "vehicleId groupId")),
        ("DELETE /vehicles/{vehicleId}/trips/{tripId}", ("delete", "trip", "tripId", "vehicleId")),
        ("POST /vehicles/{vehicleId}:wake", ("move", "vehicle", "vehicleId", "")),
    ],
)
def test_parts_and_links(line: str, meaning: tuple[str, ...]) -> None:
    assert shown(NESTED[line]) == meaning


@pytest.mark.parametrize("path", ["/draft-orders", "/tag_groups", "/transfers", "/search-terms", "/book-copies"])
def test_names_of_things_that_begin_like_verbs_stay_things(path: str) -> None:
    found = over_http(f"GET {path}", f"POST {path}", f"GET {path}/{{id}}")
    assert found[f"POST {path}"].kind == "create"
    assert len({d.noun for d in found.values()}) == 1
