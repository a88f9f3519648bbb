"""An answer of the wrong form is given back with what is wrong; what means the right thing is taken however it is written."""

from __future__ import annotations

from typing import Any

import pytest

from worldwright.engine.answers import MAX_RETURNED, find_problem
from worldwright.engine.replay import replay
from worldwright.engine.world import World

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "outcome": {"enum": ["done", "refused", None]},
        "rule": {"type": ["string", "null"]},
        "total": {"type": ["number", "null"]},
        "due": {"type": ["string", "null"], "format": "date"},
        "paid": {"type": ["boolean", "null"]},
        "orders": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["outcome"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "parts",
    [
        {}, {"rule": None}, {"rule": ["no_debts"]}, {"total": 12.5}, {"total": "1,250.00"}, {"total": "EUR 12"}, {"total": None},
        {"due": "2025-10-03"}, {"due": "3 October 2025"}, {"paid": False}, {"paid": "yes"}, {"orders": []}, {"orders": "PO-1"},
        {"orders": ["PO-1", "PO-2"]}, {"orders": [1010412]}, {"rule": "n/a"},
    ],
)  # fmt: skip
def test_what_means_something_is_taken(parts: dict[str, Any]) -> None:
    assert find_problem(SCHEMA, {"outcome": "Done", **parts}) == ""


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("done", "an object with `outcome`"),
        ({}, "`outcome` is missing: it is one of done, refused"),
        ({"outcome": "ok"}, "`outcome` is one of done, refused"),
        ({"outcome": "done", "totl": 3}, "did you mean `total`?"),
        ({"outcome": "done", "total": "about 12"}, "`total` is a number"),
        ({"outcome": "done", "total": True}, "`total` is a number"),
        ({"outcome": "done", "due": "soon"}, "`due` is a date such as 2025-10-03"),
        ({"outcome": "done", "due": "06/10/2025"}, "`due` is a date"),
        ({"outcome": "done", "paid": "maybe"}, "`paid` is true or false"),
        ({"outcome": "done", "orders": [{"id": "PO-1"}]}, "`orders` is a list of texts"),
        ({"outcome": "done", "rule": {"name": "no_debts"}}, "`rule` is a text"),
    ],
)
def test_what_is_wrong_is_said(answer: Any, said: str) -> None:
    assert said in find_problem(SCHEMA, answer)


def test_an_answer_is_given_back_and_the_episode_goes_on(library_world: World) -> None:
    task = library_world.tasks[0]
    env = library_world.env()
    env.reset(task.id)
    back = env.submit({"outcom": "done"})
    assert not back.ok
    assert back.error is not None
    assert "did you mean `outcome`?" in back.error.message
    assert not env.done
    for call in library_world.key(task.id).calls:
        assert env.call_tool(call.tool, call.arguments).ok
    assert env.submit(library_world.key(task.id).answer).ok
    assert env.verify().status == "pass"


def test_it_is_not_given_back_for_ever(library_world: World) -> None:
    env = library_world.env()
    env.reset(library_world.tasks[0].id)
    for _ in range(MAX_RETURNED):
        assert not env.fork().submit({}).ok
        assert not env.submit({}).ok
    assert env.submit({}).ok
    assert env.done
    assert env.verify().status == "fail"
    assert replay(library_world.env(), env.trajectory()) == []
    assert library_world.judge(env.trajectory()).status == "fail"
