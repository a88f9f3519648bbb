from __future__ import annotations

import json
from typing import Any

import pytest

from worldwright.cli.play.call_line import format_call
from worldwright.facts.changes import leave_out
from worldwright.pack.open import Pack
from worldwright.world.records import TableDiff

from .conftest import Run


@pytest.fixture
def key(pack: Pack) -> dict[str, Any]:
    """The key of a task with one write: lending a copy to a member."""
    keys = [
        json.loads(data)
        for path, data in sorted(pack.files.items())
        if path.startswith("keys/") and path.endswith("json")
    ]
    found: dict[str, Any] = next(k for k in keys if [c["tool"] for c in k["calls"]][-1] == "lend")
    return found


def _calls(key: dict[str, Any]) -> list[str]:
    return [format_call(c["tool"], c["arguments"]) for c in key["calls"]]


def test_the_gold_calls_pass(run: Run, library: str, key: dict[str, Any]) -> None:
    calls = [part for call in _calls(key) for part in ("--call", call)]
    args = ("play", library, "--task", key["task"], *calls, "--answer", json.dumps(key["answer"]))
    found = run(*args)
    assert found.code == 0
    assert "ok  goal lend it" in found.out
    assert "assertions hold, reward 1" in found.out
    data = run(*args, "--json").data
    assert data["task"] == key["task"]
    assert data["verdict"]["status"] == "pass"
    assert data["verdict"]["submitted"]
    assert data["verdict"]["answer"] == key["answer"]
    assert all(c["result"]["ok"] for c in data["calls"])


def test_a_value_a_little_off_fails_and_says_where(run: Run, library: str, key: dict[str, Any]) -> None:
    last = key["calls"][-1]
    wrong = format_call("lend", {**last["arguments"], "days": last["arguments"]["days"] + 1})
    args = ("play", library, "--task", key["task"], "--call", wrong, "--answer", json.dumps(key["answer"]))
    found = run(*args)
    assert found.code == 1
    assert "NO  goal lend it  expected reached, found not reached" in found.out
    assert "NO  loan added" in found.out
    assert f"due_on={key['answer']['due']}" in found.out
    assert "fail  " in found.out
    data = run(*args, "--json")
    assert data.code == 1
    failing = {a["name"] for a in data.data["verdict"]["assertions"] if not a["ok"]}
    assert {"goal lend it", "loan added", "answer due"} <= failing


def test_a_whole_session(run: Run, library: str, key: dict[str, Any]) -> None:
    """Look, try something on a fork, come back, do it right."""
    *reads, write = _calls(key)
    script = [
        "help", "verdict", "fork", "submit outcome=refused", "back", *reads, write, "verdict",
        format_call("submit", key["answer"]), "verdict", "clock", "quit",
    ]  # fmt: skip
    found = run("play", library, "--task", key["task"], stdin="\n".join(script).encode())
    assert found.code == 0
    assert found.err == ""
    assert "submit {" in found.out
    assert "not submitted yet" in found.out
    assert "; the episode goes on" in found.out
    assert found.out.count("assertions hold, reward 0") == 3
    assert found.out.count("assertions hold, reward 1") == 2
    assert [line for line in found.out.splitlines() if len(line) > 100] == []


def test_the_welcome_is_the_request(run: Run, library: str, pack: Pack, key: dict[str, Any]) -> None:
    task = json.loads(pack.files[f"tasks/{key['task']}.json"])
    found = run("play", library, "--task", key["task"])
    assert found.code == 1  # nothing was submitted
    assert f"{task['role']} ({task['actor']})" in found.out
    assert "refused where a rule of the handbook forbids it" in found.out
    assert task["instruction"].split()[0] in found.out


def test_an_episode_without_an_answer_is_no_failure(run: Run, library: str) -> None:
    found = run("play", library, "--task", "1", "--call", "find_members limit=1", "--json")
    assert found.code == 0
    assert not found.data["verdict"]["submitted"]
    assert found.data["verdict"]["status"] == "fail"


def test_reset_starts_the_task_again(run: Run, library: str, key: dict[str, Any]) -> None:
    script = [
        "submit outcome=refused",
        "submit outcome=done",
        "reset",
        *_calls(key),
        format_call("submit", key["answer"]),
    ]
    found = run("play", library, "--task", key["task"], stdin="\n".join(script).encode())
    assert found.code == 0
    assert "This episode has ended. `reset` starts again" in found.out
    assert found.out.rstrip().endswith("assertions hold, reward 1")


@pytest.mark.parametrize("last", [b"submit outcome=refused rule=loan_limit", b"submit", b"submit {}"])
def test_a_wrong_answer_is_exit_code_1(run: Run, library: str, key: dict[str, Any], last: bytes) -> None:
    assert run("play", library, "--task", key["task"], stdin=last).code == 1


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b"submit outcom=done", "did you mean `outcome`?"),
        (b"submit {", "not JSON"),
        (b"submit done", "`done` is not key=value"),
        (b"role manager", "is for a librarian"),
        (b"verdit", "did you mean `verdict`?"),
    ],
)
def test_slips_do_not_end_the_episode(run: Run, library: str, key: dict[str, Any], bad: bytes, message: str) -> None:
    found = run("play", library, "--task", key["task"], stdin=bad + b"\nclock\n")
    assert found.code == 1
    assert "nothing was submitted" in found.err
    assert message in found.out
    assert found.out.rstrip().endswith("2025-06-16T09:00:00Z")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--answer", "{}"), "--answer needs a --task"),
        (("--task", "1", "--json"), "--call or an --answer"),
        (("--task", "task_9"), "they are task_001"),
        (("--task", "1", "--answer", "{"), "not JSON"),
        (("--task", "1", "--answer", '{"outcom": "done"}'), "did you mean `outcome`?"),
        (("--task", "1", "--role", "janitor"), "leave --role out"),
    ],
)
def test_wrong_usage(run: Run, library: str, args: tuple[str, ...], message: str) -> None:
    found = run("play", library, *args)
    assert found.code == 2
    assert message in found.err


def test_whoever_made_the_request_can_be_asked(run: Run, library: str, key: dict[str, Any]) -> None:
    """With --asking the request leaves something out, `ask` fetches it, and the verdict is the same."""
    task = ("play", library, "--task", key["task"], "--asking")
    calls = "\n".join(_calls(key))
    script = f"ask Which book is it?\nask What colour is the sky?\nask\n{calls}\nsubmit {json.dumps(key['answer'])}\n"
    found = run(*task, stdin=script.encode())
    assert found.code == 0
    assert found.out.count("copy of ") == 1
    assert "say what you want to know" in found.out
    data = run(*task, "--call", 'ask_requester message="For how long?"', "--json").data
    assert "working days" in data["calls"][0]["result"]["data"]["reply"]
    assert run("play", library, "--asking").code == 2


def test_what_no_record_shows_is_left_out() -> None:
    """A blind player read off the screen what was wrong with a device."""
    changes = {
        "router": TableDiff({}, {"R-1": {"defect": ("hung", "sound"), "light": ("red", None)}}, {}),
        "line": TableDiff({}, {"L-1": {"wire": ("cut", "sound")}}, {}),
        "reading": TableDiff({"RD-1": {"id": "RD-1", "shown": "red", "cause": "hung"}}, {}, {}),
    }
    hidden = {"router": frozenset({"defect"}), "line": frozenset({"wire"}), "reading": frozenset({"cause"})}
    assert leave_out(changes, hidden) == {
        "router": TableDiff({}, {"R-1": {"light": ("red", None)}}, {}),
        "reading": TableDiff({"RD-1": {"id": "RD-1", "shown": "red"}}, {}, {}),
    }
