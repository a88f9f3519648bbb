"""Pages through a server: each that shows data is one call, a form that is sent is one, and what is shown is what came back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.app.conftest import Visit
from tests.app.visiting import Answer, Visitor
from tests.engine.test_contract import TOOLS
from tests.shared_builds import build

from worldwright.blueprint.checked import Checked
from worldwright.engine.world import World
from worldwright.store.open import world_of


def calls(visitor: Visitor) -> list[str]:
    return [seen.tool for seen in visitor.session.seen]


def lend(visitor: Visitor, copy: str = "", **more: str) -> Answer:
    """Send the form that lends a copy, as it stands on its page."""
    page = visitor.get("do/lend")
    copy = copy or free_copy(visitor)
    return visitor.post(
        "do/lend", {"~form": page.value("~form"), "member": free_member(visitor), "copy": copy, "days": "14", **more}
    )


def free_copy(visitor: Visitor, number: int = 0) -> str:
    """The id of a copy that can be lent, found without a page."""
    env = visitor.session.world.env().inside()
    env.reset(role="librarian")
    return str(env.call_tool("find_copies", {"status": "on_shelf"}).data["items"][number]["id"])


def free_member(visitor: Visitor) -> str:
    """The id of a member who may borrow."""
    env = visitor.session.world.env().inside()
    env.reset(role="librarian")
    copy = free_copy(visitor)
    found = env.call_tool("find_members", {"tier": "gold", "blocked": False, "limit": 50}).data["items"]
    return str(next(m["id"] for m in found if env.fork().call_tool("lend", {"member": m["id"], "copy": copy}).ok))


@pytest.mark.parametrize(
    ("page", "made"),
    [
        ("", []), ("system/desk", []), ("handbook", []), ("request", []), ("activity", []), ("finish", []), ("do/lend", []),
        ("do/lend?member=MEM-0001", []), ("form/get_member", []), ("form/find_loans", []), ("list/find_loans", ["find_loans"]),
        ("list/find_loans?status=out&limit=3", ["find_loans"]), ("open/get_member?member=MEM-0001", ["get_member"]),
        ("open/get_member?member=nobody", ["get_member"]), ("list/find_loans?due_on_from=yesterday", ["find_loans"]),
        ("nothing", []), ("list/nothing", []), ("list/lend", []), ("do/find_loans", []), ("system/nothing", []), ("done/1", []),
        ("row/1?at=items.0", []), ("messages", []), ("pick/1?field=x&id=y", []), ("list/find_loans/more", []),
    ],
)  # fmt: skip
def test_a_page_that_shows_data_is_one_call_and_every_other_none(visit: Visit, page: str, made: list[str]) -> None:
    visitor = visit("task_001")
    visitor.get(page)
    assert calls(visitor) == made
    assert [step.call.tool for step in visitor.session.log().steps] == made


def test_the_arguments_of_a_page_are_those_of_its_address(visit: Visit) -> None:
    visitor = visit("task_001")
    visitor.get(
        "list/find_loans?status=out&due_on_from=2025-06-01&overdue=true&fine_from=0.50&limit=&sort=due_on&nothing=x"
    )
    wanted = {"status": "out", "due_on_from": "2025-06-01", "overdue": True, "fine_from": 0.5, "sort": "due_on"}
    assert visitor.session.seen[0].arguments == wanted


def test_a_list_shows_rows_counts_and_the_way_on(visit: Visit) -> None:
    visitor = visit("task_001")
    page = visitor.get("list/find_loans?limit=4&status=returned")
    data = visitor.session.seen[0].result.data
    assert page.title == "Loans"
    assert f"1 to 4 of {data['total']:,} loans" in page.words
    assert all(row["id"] in page.words for row in data["items"])
    following = visitor.get(page.link("Next"))
    assert visitor.session.seen[1].arguments == {"status": "returned", "limit": 4, "offset": 4}
    assert visitor.session.seen[1].result.data["items"][0]["id"] in following.words
    back = visitor.get(following.link("Previous"))
    assert [row["id"] in back.words for row in data["items"]] == [True] * 4
    visitor.get(page.link("Out"))
    assert visitor.session.seen[-1].arguments == {"status": "out", "limit": 4}


def test_nothing_found_says_so(visit: Visit) -> None:
    page = visit("task_001").get("list/find_members?name=Nobody+at+all")
    assert "No member fits these filters." in page.words
    assert "0 members" in page.words


def test_a_record_is_called_as_people_call_it(visit: Visit) -> None:
    visitor = visit("task_001")
    page = visitor.get("open/get_member?member=MEM-0001")
    data = visitor.session.seen[0].result.data
    assert page.title.startswith(data["name"])
    assert "MEM-0001" in page.words
    assert page.link("Lend").endswith("/do/lend?member=MEM-0001")
    assert "/list/find_loans?member=MEM-0001" in page.link("Loans")
    for loan in data["loans"]:
        assert loan["id"] in page.words


def test_a_row_can_be_looked_at_without_a_call_and_says_that_it_is_old(visit: Visit) -> None:
    visitor = visit("task_001")
    listed = visitor.get("list/find_copies?status=on_shelf&limit=2")
    first = visitor.session.seen[0].result.data["items"][0]
    row = visitor.get(next(link for link in listed.links() if "/row/1?at=items.0" in link))
    assert len(visitor.session.seen) == 1
    assert "As it was shown at 2025-06-16 09:00 UTC" in row.words
    assert row.link("Lend").endswith(f"/do/lend?copy={first['id']}")
    assert visitor.get("row/1?at=items.77").status == 404
    assert visitor.get("row/1?at=total").status == 404


def test_a_form_that_is_sent_is_a_call_and_its_result_can_be_loaded_again(visit: Visit) -> None:
    visitor = visit("task_001")
    page = lend(visitor)
    assert calls(visitor) == ["lend"]
    loan = visitor.session.seen[0].result.data
    assert (page.status, page.title) == (200, "Lend")
    assert "Done" in page.words
    assert loan["id"] in page.words
    again = visitor.get(page.path)
    assert (again.text, calls(visitor)) == (page.text, ["lend"])
    assert visitor.session.log().steps[0].call.arguments["days"] == 14
    assert page.link("Take back").endswith(f"/do/take_back?loan={loan['id']}")


def test_the_same_form_sent_twice_is_done_once_and_another_one_again(visit: Visit) -> None:
    visitor = visit("task_001")
    form = visitor.get("do/lend").value("~form")
    fields = {"~form": form, "member": free_member(visitor), "copy": free_copy(visitor), "days": "7"}
    first, second = (visitor.post("do/lend", fields) for _ in range(2))
    assert first.path == second.path
    assert calls(visitor) == ["lend"]
    visitor.post("do/lend", {**fields, "copy": free_copy(visitor, 1)})
    assert calls(visitor) == ["lend", "lend"]
    warned = visitor.get(f"do/lend?member={fields['member']}&copy={fields['copy']}")
    assert "You did this already" in warned.words


def test_a_refusal_stands_at_its_field_with_what_was_written(visit: Visit) -> None:
    visitor = visit("task_001")
    page = lend(visitor, days="many", reference="kept <b>as it is</b>")
    assert page.status == 422
    assert "“Days” has to be a whole number, at least 1, at most 60, not 'many'." in page.words
    assert re.search(r'name="days"[^>]*aria-invalid="true"', page.text)
    assert page.value("days") == "many"
    assert page.value("reference") == "kept <b>as it is</b>"
    assert visitor.session.log().steps[0].result.error is not None
    assert visitor.get(page.path).status == 422
    assert calls(visitor) == ["lend"]


def test_a_refusal_never_names_the_policy(visit: Visit) -> None:
    visitor = visit("task_001")
    lent = visitor.session.world.env().inside()
    lent.reset(role="librarian")
    copy = lent.call_tool("find_copies", {"status": "lent"}).data["items"][0]["id"]
    page = lend(visitor, copy)
    error = visitor.session.seen[0].result.error
    assert error is not None
    assert error.message in page.words
    assert f"Code {error.code}" in page.words
    policies = visitor.session.world.runtime.compiled.blueprint.policies  # type: ignore[attr-defined]
    assert not any(name in page.text for name in policies)


def test_a_look_up_and_rows_of_a_list_work_as_pages(visit: Visit, library: Checked) -> None:
    """Without a script: the form is kept, a row is chosen, rows are added and removed, and all of it is one call in the end."""
    visitor = visit(role="manager")
    form = visitor.get("do/clear_shelf")
    kept = {"~form": form.value("~form"), "copies.0": "CPY-0001"}
    found = visitor.post("do/clear_shelf", {**kept, "~go": "add:copies"})
    assert 'name="copies.1"' in found.text
    looked = visitor.post("do/clear_shelf", {**kept, "copies.1": "", "~go": "find:copies.1:find_copies"})
    assert looked.title == "Copies"
    assert "Choose one for Clear shelf: Copie" in looked.words
    assert calls(visitor) == ["find_copies"]
    back = visitor.get(next(link for link in looked.links() if "/pick/" in link and "id=" in link))
    chosen = visitor.session.seen[0].result.data["items"][0]["id"]
    assert (back.value("copies.0"), back.value("copies.1")) == ("CPY-0001", chosen)
    fewer = visitor.post("do/clear_shelf", {"copies.0": "CPY-0001", "copies.1": chosen, "~go": "remove:copies.0"})
    assert fewer.value("copies.0") == chosen
    assert calls(visitor) == ["find_copies"]
    visitor.post("do/clear_shelf", {"~form": fewer.value("~form"), "copies.0": chosen})
    assert visitor.session.seen[-1].arguments == {"copies": [chosen]}


def test_a_name_that_was_written_is_what_is_looked_for(visit: Visit) -> None:
    visitor = visit("task_001")
    visitor.post("do/lend", {"member": "Abigail", "copy": "", "~go": "find:member:find_members"})
    assert visitor.session.seen[0].arguments == {"name": "Abigail"}
    visitor.post("do/lend", {"member": "MEM-0001", "~go": "find:member:find_members"})
    assert visitor.session.seen[1].arguments == {}


def test_a_look_up_in_the_filters_of_a_list_filters_it(visit: Visit) -> None:
    visitor = visit("task_001")
    looked = visitor.post("draft/find_loans", {"status": "out", "member": "", "~go": "find:member:find_members"})
    visitor.get(next(link for link in looked.links() if "/pick/" in link and "id=" in link))
    chosen = visitor.session.seen[0].result.data["items"][0]["id"]
    assert visitor.session.seen[1].arguments == {"status": "out", "member": chosen}


def test_an_operation_of_another_role_is_not_there(visit: Visit) -> None:
    visitor = visit(role="librarian")
    assert "Waive fine" not in visitor.get("system/desk").words
    assert visitor.get("do/waive_fine").status == 404
    assert visitor.post("do/waive_fine", {"loan": "LN-00001"}).status == 404
    assert calls(visitor) == []


def test_among_everybodys_tools_it_is_refused_with_the_reason(visit: Visit) -> None:
    visitor = visit(role="librarian", face="crowded")
    page = visitor.post("do/waive_fine", {"~form": "0", "loan": "LN-00001"})
    assert "Only manager may do this; you are librarian." in page.words
    assert calls(visitor) == ["waive_fine"]


def test_the_same_episode_gives_the_same_bytes_and_no_page_holds_its_token(visit: Visit) -> None:
    one, other = visit("task_002"), visit("task_002")
    pages = (
        "", "system/desk", "list/find_loans?status=out", "open/get_member?member=MEM-0002", "do/lend?member=MEM-0001",
        "list/find_loans", "row/1?at=items.0", "activity", "finish", "handbook",
    )  # fmt: skip
    for page in pages:
        first, second = one.get(page), other.get(page)
        assert first.text == second.text, page
        assert one.session.token not in first.text
        assert not re.search(r'(?:href|src|action)="(?:https?:)?//', first.text)


def test_a_task_ends_with_its_answer_and_a_person_sees_the_verdict(visit: Visit) -> None:
    visitor = visit("task_001")
    page = visitor.get("finish")
    task = visitor.session.task
    assert task is not None
    assert all(part in page.words for part in ("Outcome", "Submit the answer"))
    done = visitor.post("finish", {"~form": page.value("~form"), "outcome": "done"})
    assert "Your answer was submitted." in done.words
    assert "Verdict: fail" in done.words
    assert visitor.session.episode.done
    assert visitor.get("list/find_loans").path.endswith("/finish")
    assert visitor.post("do/lend", {"member": "MEM-0001"}).path.endswith("/finish")
    assert calls(visitor) == ["submit_answer"]
    again = visitor.post("again", {})
    assert again.status == 200
    assert (calls(visitor), visitor.session.episode.done) == ([], False)


def test_an_answer_of_another_form_is_given_back(visit: Visit) -> None:
    visitor = visit("task_001")
    page = visitor.post("finish", {"~form": "0", "outcome": "perhaps"})
    assert page.status == 422
    assert "Nothing was submitted" in page.words
    assert not visitor.session.episode.done


def test_an_agent_sees_no_verdict_and_cannot_start_again(visit: Visit) -> None:
    visitor = visit("task_001", shows_verdict=False, may_restart=False)
    done = visitor.post("finish", {"~form": "0", "outcome": "done"})
    assert "Your answer was submitted." in done.words
    assert "erdict" not in done.words
    assert "Start again" not in done.words
    assert visitor.post("again", {}).status == 404
    assert visitor.session.episode.done


def test_whoever_asked_can_be_written_to_where_the_face_says_so(visit: Visit) -> None:
    visitor = visit("task_001", face="asking")
    task = visitor.session.task
    assert task is not None
    page = visitor.get("messages")
    assert (task.turns or (task.instruction,))[0].split()[0] in page.words
    told = visitor.post("messages", {"~form": page.value("~form"), "message": "Anything else?"})
    reply = visitor.session.seen[0].result.data["reply"]
    assert "Anything else?" in told.words
    assert " ".join(reply.split()) in told.words
    assert calls(visitor) == ["ask_requester"]
    visitor.post("messages", {"~form": page.value("~form"), "message": "Anything else?"})
    assert calls(visitor) == ["ask_requester"]
    assert "4000 characters" in visitor.post("messages", {"~form": "9", "message": ""}).words


def test_the_limit_of_calls_ends_it(visit: Visit, library_world: World) -> None:
    from worldwright.engine.limits import Limits

    visitor = visit("task_001", limits=Limits(calls=2))
    visitor.get("list/find_loans")
    visitor.get("list/find_copies")
    ended = visitor.get("list/find_members")
    assert "This has ended: no more calls are allowed." in ended.words


def test_a_contract_is_played_through_its_own_parameters(visit: Visit, library: Checked) -> None:
    """Nested objects, odd names, pages by number: the call inside is what the contract makes of it."""
    world = world_of(build(library, 7, contract=TOOLS).pack)
    visitor = visit(role="librarian", world=world)
    page = visitor.get("list/listLoans?per_page=3")
    assert "the first 3 loans" in page.words or "1 to 3 of" in page.words
    visitor.get(page.link("Next"))
    assert [seen.arguments for seen in visitor.session.seen] == [{"per_page": 3}, {"per_page": 3, "page": 2}]
    assert visitor.session.log().steps[1].call.arguments == {"limit": 3, "offset": 3}
    tool = next(form.tool for form in visitor.session.screens.forms.values() if form.method == "do")
    assert tool == "POST /v1/loans"
    form = visitor.get("do/POST-v1-loans")
    assert 'name="borrower"' in form.text
    refused = visitor.post(
        "do/POST-v1-loans", {"~form": "2", "borrower": '{"number": 1}', "copy-id": "zzz", "X-Trace": "t"}
    )
    assert refused.status == 422
    assert visitor.session.seen[-1].arguments == {"borrower": {"number": 1}, "copy-id": "zzz", "X-Trace": "t"}


def test_static_files_are_kept_by_browsers_and_pages_are_not(visit: Visit) -> None:
    visitor = visit("task_001")
    page = visitor.get("list/find_loans")
    found = re.search(r'href="([^"]*app\.css)"', page.text)
    assert found is not None
    style = visitor.get(str(Path("/e/t/list") / found[1]).replace("/e/t/list/../../../", "/"))
    assert (style.status, style.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert "immutable" in style.headers["cache-control"]
    assert page.headers["cache-control"] == "no-store"
