from __future__ import annotations

import pytest

from worldwright.pack.open import Pack
from worldwright.store.store import Store

from .conftest import Run

FIND = 'find_copies {"status": "on_shelf", "limit": 1}'


@pytest.fixture
def copy(run: Run, library: str) -> str:
    """The id of a copy that can be lent."""
    calls = run("play", library, "--call", FIND, "--json").data["calls"]
    return str(calls[0]["result"]["data"]["items"][0]["id"])


@pytest.fixture
def member(run: Run, library: str) -> str:
    """The id of a member with nothing against them: no loan out, no debts."""
    found = run("play", library, "--call", "find_members owed_to=0 limit=50", "--json").data["calls"][0]
    busy = run("play", library, "--call", "find_loans status=out limit=50", "--json").data["calls"][0]
    out = {loan["member"] for loan in busy["result"]["data"]["items"]}
    return str(next(m["id"] for m in found["result"]["data"]["items"] if m["id"] not in out))


def test_calls_as_data(run: Run, library: str, copy: str, member: str) -> None:
    found = run(
        "play", library, "--json",
        "--call", f'lend {{"member": "{member}", "copy": "{copy}"}}',
        "--call", f"lend member={member} copy={copy}",
        "--call", "waive_fine loan=LN-00001",
    )  # fmt: skip
    assert found.code == 0
    data = found.data
    lent, again, forbidden = data["calls"]
    assert data["role"] == "librarian"
    assert lent["result"]["ok"]
    loan = lent["result"]["data"]["id"]
    assert list(lent["changes"]["loan"]["added"]) == [loan]
    assert lent["changes"]["copy"]["changed"] == {copy: {"status": {"before": "on_shelf", "after": "lent"}}}
    assert lent["clock"] > "2025-06-16T09:00:00Z"
    assert again["result"]["error"]["code"] == "NOT_ON_SHELF"
    assert again["changes"] == {}
    assert forbidden["result"]["error"]["code"] == "FORBIDDEN"
    assert set(data["diff"]) == {"loan", "copy"}


def test_calls_in_words(run: Run, library: str, copy: str, member: str) -> None:
    found = run("play", library, "--role", "manager", "--call", f"lend member={member} copy={copy}")
    assert found.code == 0
    assert f"manager> lend member={member} copy={copy}" in found.out
    assert f"~ copy {copy}\n      status: on_shelf -> lent" in found.out


def test_a_whole_session(run: Run, library: str, copy: str, member: str) -> None:
    script = f"""
        # a comment
        tools
        help
        help lend
        handbook
        clock
        fork
        lend member={member} copy={copy}
        diff
        back
        diff
        call lend {{"member": "{member}", "copy": "{copy}"}}
        last
        reset
        role manager
        role
        quit
        clock
    """
    found = run("play", library, stdin=script.encode())
    assert found.code == 0
    out = found.out
    assert "librarian fork> lend" in out
    assert out.count("status: on_shelf -> lent") == 3
    assert "1 added, 1 changed since the reset" in out
    assert "no row changed since the reset" in out
    assert "back; the copy is gone, with what was done in it" in out
    assert '"ok": true' in out
    assert "you are manager, in the opening state" in out
    assert "Town library: handbook" in out
    assert "manager> quit" in out
    assert out.count("> clock") == 1
    assert found.err == ""


@pytest.mark.parametrize(
    "bad",
    [
        b"bogus",
        b"lend",
        b"lend {",
        b"lend member=MEM-9999 copy=CPY-9999",
        b"call",
        b"call bogus {}",
        b"help bogus",
        b"role bogus",
        b"back",
        b"last",
        b"quit now",
        b'find_members {"name": "\\ud800"}',
        b"\xff\xfe\x00",
        b"find_members name=\x1b[2J",
        b"lend " + b'{"a":' * 50_000,
    ],
)
def test_bad_input_is_answered_and_the_session_goes_on(run: Run, library: str, bad: bytes) -> None:
    found = run("play", library, stdin=bad + b"\nclock\n")
    assert found.code == 0
    assert found.out.rstrip().endswith("2025-06-16T09:00:00Z")
    assert "\x1b" not in found.out


def test_handbook_rules_that_a_call_broke_are_named(run: Run, library: str, copy: str) -> None:
    found = run("play", library, "--call", "find_members owed_from=10.01 blocked=false limit=50", "--json")
    for member in found.data["calls"][0]["result"]["data"]["items"]:
        call = f"lend member={member['id']} copy={copy}"
        made = run("play", library, "--call", call, "--json").data["calls"][0]
        if made["result"]["ok"]:
            assert made["broke"] == ["no_debts"]
            assert "handbook: this breaks no_debts" in run("play", library, "--call", call).out
            return
    pytest.fail("this world has nobody in debt who may borrow")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--json",), "--json needs at least one --call"),
        (("--role", "manger"), "did you mean `manager`?"),
        (("--call", "lend {"), "not JSON"),
    ],
)
def test_wrong_usage(run: Run, library: str, args: tuple[str, ...], message: str) -> None:
    found = run("play", library, *args)
    assert found.code == 2
    assert message in found.err


def test_playing_never_changes_the_pack(run: Run, library: str, pack: Pack, copy: str, member: str) -> None:
    run("play", library, "--call", f"lend member={member} copy={copy}")
    assert Store().open(library).files == pack.files
