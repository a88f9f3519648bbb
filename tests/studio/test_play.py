"""By hand: a task solved and failed in the browser's forms, two at once, and nothing lost when the studio is killed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx2
import pytest
from tests.studio.house import House, Running, Visitor, running, strip

from worldwright.core.errors import UsageError
from worldwright.store.open import open_world
from worldwright.store.store import Store
from worldwright.studio.call_form import list_fields, read_arguments
from worldwright.world.tasks import Key


def key_of(house: House, task: str) -> Key:
    return open_world(Store(house.home).pack_path(house.digest)).key(task)


def begin(visitor: Visitor, house: House, **fields: str) -> str:
    answer = visitor.post("/play", world=house.digest, **fields)
    assert answer.status_code == 200, strip(answer.text)[:300]
    return answer.url.path


def fill(arguments: dict[str, object]) -> dict[str, str]:
    """Arguments as somebody writes them into the form."""
    return {
        f"arg.{name}": value
        if isinstance(value, str)
        else "yes"
        if value is True
        else "no"
        if value is False
        else json.dumps(value)
        for name, value in arguments.items()
        if value is not None
    }


@pytest.mark.parametrize("task", ["task_001", "task_002", "task_003", "task_004"])
def test_the_gold_calls_solve_a_task_through_the_form(visitor: Visitor, house: House, task: str) -> None:
    key = key_of(house, task)
    path = begin(visitor, house, task=task)
    for number, call in enumerate(key.calls):
        answer = visitor.post(f"{path}/call", tool=call.tool, calls=str(number), **fill(dict(call.arguments)))
        assert answer.status_code == 200, strip(answer.text)[:300]
    said = visitor.words(path)
    assert "Verdict" not in said
    answer = visitor.post(f"{path}/call", tool="submit_answer", calls=str(len(key.calls)), **fill(dict(key.answer)))
    said = strip(answer.text)
    assert "Verdict pass" in said
    assert "answered" in said
    late = visitor.post(f"{path}/call", tool="submit_answer", calls=str(len(key.calls) + 1))
    assert "has ended" in strip(late.text)


def test_doing_nothing_fails_and_looking_is_noted(visitor: Visitor, house: House, studio: Running) -> None:
    path = begin(visitor, house, task="task_001")
    assert "How it stands fail" in visitor.words(path, verdict="true")
    answer = visitor.post(f"{path}/call", tool="submit_answer", calls="0", **{"arg.outcome": "done"})
    said = strip(answer.text)
    assert "Verdict fail" in said
    assert "looked at before an answer was given" in said
    assert studio.studio.hands.find(path.rsplit("/", 1)[1]).record.seen


def test_the_key_is_not_shown_to_who_plays(visitor: Visitor, house: House) -> None:
    path = begin(visitor, house, task="task_001")
    key, text = key_of(house, "task_001"), visitor.page(path)
    assert "expected" not in strip(text)
    assert not any(json.dumps(call.arguments) in text for call in key.calls)


def test_two_who_play_at_once_do_not_overwrite_each_other(visitor: Visitor, house: House, studio: Running) -> None:
    path = begin(visitor, house, task="task_001")
    other = studio.visitor()
    assert "find_members" in strip(visitor.post(f"{path}/call", tool="find_members", calls="0").text)
    late = strip(other.post(f"{path}/call", tool="find_members", calls="0", **{"arg.limit": "2"}).text)
    assert "+1 calls were made meanwhile" in late
    assert len(studio.studio.hands.find(path.rsplit("/", 1)[1]).steps) == 1
    other.client.close()


def test_looking_around_has_no_verdict(visitor: Visitor, house: House) -> None:
    path = begin(visitor, house, role="librarian")
    said = visitor.words(path)
    assert "Looking around as librarian" in said
    assert "Answer" not in said
    assert visitor.post("/play", world=house.digest, role="king").status_code == 400


def test_a_fork_has_the_first_calls_and_goes_its_own_way(visitor: Visitor, house: House, studio: Running) -> None:
    path = begin(visitor, house, role="librarian")
    for number in range(3):
        visitor.post(f"{path}/call", tool="find_members", calls=str(number), **{"arg.limit": str(number + 1)})
    fork = visitor.post(f"{path}/fork", step="2").url.path
    hands = studio.studio.hands
    assert len(hands.find(fork.rsplit("/", 1)[1]).steps) == 2
    assert len(hands.find(path.rsplit("/", 1)[1]).steps) == 3
    visitor.post(f"{fork}/remove")
    assert visitor.get(fork).status_code == 404


def enter(visitor: Visitor, path: str) -> str:
    """Go on in the app; where its pages are."""
    answer = visitor.post(f"{path}/app")
    assert answer.status_code == 200, strip(answer.text)[:300]
    assert answer.url.path.startswith("/app/e/")
    return answer.url.path


def test_calls_of_the_studio_and_of_the_app_are_one_episode(visitor: Visitor, house: House, studio: Running) -> None:
    path = begin(visitor, house, task="task_001")
    visitor.post(f"{path}/call", tool="find_members", calls="0", **{"arg.limit": "2"})
    app = enter(visitor, path)
    assert "Looked at Members" in visitor.words(f"{app}activity")
    assert enter(visitor, path) == app
    visitor.page(f"{app}list/find_copies")
    assert [step.tool for step in studio.studio.hands.find(path.rsplit("/", 1)[1]).steps] == [
        "find_members",
        "find_copies",
    ]
    assert "find_copies" in visitor.words(path)
    visitor.post(f"{path}/call", tool="find_members", calls="2", **{"arg.limit": "3"})
    assert visitor.get(f"{app}activity").status_code == 404
    assert enter(visitor, path) != app


def test_a_task_is_begun_and_answered_in_the_app(visitor: Visitor, house: House) -> None:
    app = visitor.post("/play", world=house.digest, task="task_001", where="app").url.path
    assert app.startswith("/app/e/")
    form = visitor.page(f"{app}finish")
    number = re.search(r'name="~form"[^>]*value="([^"]*)"', form)
    assert number is not None
    origin = {"Origin": visitor.running.url}
    done = visitor.client.post(f"{app}finish", data={"~form": number[1], "outcome": "done"}, headers=origin)
    assert "fail" in strip(done.text).lower()
    assert "answered" in visitor.words(_newest(visitor))


def _newest(visitor: Visitor) -> str:
    found = re.search(r'class="row-link" href="(/play/[0-9a-f]{12})"', visitor.page("/play"))
    assert found is not None
    return found[1]


def test_the_app_opens_for_nobody_without_the_cookie(visitor: Visitor, house: House, studio: Running) -> None:
    app = enter(visitor, begin(visitor, house, role="librarian"))
    other = httpx2.Client(base_url=studio.url)
    assert other.get(app).status_code == 403
    other.close()
    assert visitor.client.post(f"{app}do/lend", data={}, headers={"Origin": "http://example.com"}).status_code == 403


def test_a_face_that_the_app_cannot_show_is_played_with_tools(visitor: Visitor, house: House) -> None:
    path = begin(visitor, house, task="task_001", face="obscured")
    assert "Go on in the app" not in visitor.words(path)
    assert visitor.post(f"{path}/app").status_code == 400


def test_nothing_is_lost_when_the_studio_is_killed(tmp_path: Path, house: House) -> None:
    """A studio that is started later makes the calls again: the same results, the same rows."""
    store, source = Store(tmp_path / "home"), Store(house.home)
    pack = source.pack(house.digest)
    store.put(pack.files, pack.manifest)
    own = House(tmp_path / "home", tmp_path, house.digest)
    with running(own) as first:
        visitor = first.visitor()
        path = begin(visitor, own, task="task_001")
        visitor.post(f"{path}/call", tool="find_members", calls="0", **{"arg.limit": "2"})
        visitor.post(f"{path}/call", tool="find_copies", calls="1", **{"arg.limit": "1"})
        said = visitor.words(path)
        visitor.client.close()
    with running(own) as second:
        visitor = second.visitor()
        assert visitor.words(path) == said
        assert "task_001" in visitor.words("/play")
        visitor.client.close()


def test_a_damaged_episode_is_left_out(tmp_path: Path, house: House) -> None:
    folder = tmp_path / "home" / "studio" / "hand"
    folder.mkdir(parents=True)
    (folder / "aaaaaaaaaaaa.json").write_text("{")
    (folder / "bbbbbbbbbbbb.json").write_text('{"id": "bbbbbbbbbbbb"}')
    with running(House(tmp_path / "home", tmp_path, house.digest)) as found:
        visitor = found.visitor()
        assert "Nothing was played" in visitor.words("/play")
        assert visitor.get("/play/aaaaaaaaaaaa").status_code == 404
        visitor.client.close()


SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "amount": {"type": "number", "minimum": 0},
        "many": {"type": "integer"},
        "when": {"type": "string", "format": "date"},
        "kind": {"enum": ["a", "b", None]},
        "open": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"item": {"type": "string"}}}},
        "more": {"type": ["object", "null"]},
    },
    "required": ["name"],
}


def test_a_field_for_every_argument() -> None:
    kinds = {field.name: field.kind for field in list_fields(SCHEMA, {})}
    assert kinds == {
        "name": "text",
        "amount": "number",
        "many": "number",
        "when": "date",
        "kind": "choice",
        "open": "yes-no",
        "tags": "list",
        "lines": "json",
        "more": "json",
    }


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("name", " as it is ", " as it is "),
        ("amount", "1.5", 1.5),
        ("amount", "much", "much"),
        ("many", "3", 3),
        ("many", "1e999", "1e999"),
        ("when", "2025-01-31", "2025-01-31"),
        ("kind", "b", "b"),
        ("kind", "c", "c"),
        ("open", "yes", True),
        ("open", "no", False),
        ("tags", "one\n\n two ", ["one", "two"]),
        ("tags", '["x"]', ["x"]),
        ("lines", '[{"item": "x"}]', [{"item": "x"}]),
        ("more", "{}", {}),
    ],
)
def test_what_somebody_writes_is_read(name: str, text: str, value: object) -> None:
    assert read_arguments({f"arg.{name}": [text]}, SCHEMA) == {name: value}


@pytest.mark.parametrize(("name", "text"), [("lines", "[{"), ("more", "nonsense"), ("tags", "[1,"), ("lines", "NaN")])
def test_what_cannot_be_read_is_said(name: str, text: str) -> None:
    with pytest.raises(UsageError, match=name):
        read_arguments({f"arg.{name}": [text]}, SCHEMA)


def test_what_was_written_stands_there_again(visitor: Visitor, house: House) -> None:
    path = begin(visitor, house, role="librarian")
    visitor.post(f"{path}/call", tool="find_members", calls="0")
    answer = visitor.post(f"{path}/call", tool="find_members", calls="0", **{"arg.name": 'Ada "the" <b>'})
    assert "were made meanwhile" in strip(answer.text)
    assert re.search(r'value="Ada &#34;the&#34; &lt;b&gt;"', answer.text)
