"""Whatever stands in a world, an episode or a bench is shown as text: markup, scripts, marks that turn text, long words."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.author.conftest import lay_bench
from tests.rollout.made_runs import episode, write_run
from tests.studio.house import House, Running, Visitor, furnish_world, running
from tests.studio.test_pages import Page

from worldwright.anchor.binding.records import ClaimRow
from worldwright.author.folder import write_claims
from worldwright.blueprint.load import load_text
from worldwright.formats.strict_yaml import dump_yaml, read_yaml
from worldwright.rollout.records import episode_line
from worldwright.store.store import Store
from worldwright.studio.jobs import Jobs
from worldwright.studio.pages import MAX_SHOWN_CHARS, clean

SCRIPT = "<script>window.pwned=1</script>"
IMAGE = "\"><img src=x onerror='window.pwned=1'>"
BREAKS = "</style></title></textarea></pre></svg>{{7*7}}{% raw %}"
TURNS = "\u202egnp.exe \u2066 \u200f \x00\x1b[31m"
LONG = "w" * 10_000
HOSTILE = (SCRIPT, IMAGE, BREAKS, TURNS, LONG)
ALL = " ".join(HOSTILE)
FORBIDDEN = ("\u202e", "\u2066", "\u200f", "\x00", "\x1b", "<script>window", "<img src=x")


def spoilt_library() -> str:
    """The town library with something hostile in every text that a Blueprint has."""
    data, _ = read_yaml((Path(__file__).parents[2] / "examples" / "town_library.yaml").read_text())
    plain = " ".join((SCRIPT, IMAGE, BREAKS, LONG)).replace("{", "(").replace("}", ")")
    data["title"] = f"Library {plain[:150]}"
    data["summary"] = plain
    data["systems"] = {name: f"{says} {plain}" for name, says in data["systems"].items()}
    data["roles"] = {name: f"{says} {plain}" for name, says in data["roles"].items()}
    for section in ("entities", "operations", "policies"):
        for one in data[section].values():
            if "says" in one:
                one["says"] = f"{one['says']} {plain if section != 'policies' else plain[:3000]}"
    member = data["entities"]["member"]
    member["seeds"] = [{"name": plain}]
    return dump_yaml(data)


@pytest.fixture(scope="module")
def spoilt(tmp_path_factory: pytest.TempPathFactory) -> House:
    root = tmp_path_factory.mktemp("hostile")
    home, here = root / "home", root / "here"
    (here / "runs").mkdir(parents=True)
    digest = furnish_world(Store(home), load_text(spoilt_library(), "spoilt.yaml"))
    said = (
        {"role": "user", "content": ALL},
        {
            "role": "assistant",
            "content": ALL,
            "reasoning_content": ALL,
            "tool_calls": [
                {"id": ALL, "type": "function", "function": {"name": ALL, "arguments": json.dumps({ALL: ALL})}}
            ],
        },
        {
            "role": "tool",
            "tool_call_id": ALL,
            "name": ALL,
            "content": json.dumps({"ok": False, "error": {"code": ALL, "message": ALL, "details": {ALL: ALL}}}),
        },
        {"role": ALL, "content": ALL},
    )
    verdict = {"status": "fail", "assertions": [{"name": ALL, "ok": False, "expected": ALL, "found": [ALL]}]}
    first = replace(
        episode("fail"),
        id="e" * 20,
        world=digest,
        domain=ALL,
        task=ALL,
        family=ALL,
        role=ALL,
        outcome=ALL,
        messages=said,
        verdict=verdict,
        answer={ALL: ALL},
        broken_rules=(ALL,),
    )
    second = replace(first, id="f" * 20, attempt=2, status="error", problem=ALL, outcome="error")
    folder = write_run(
        here / "runs" / "hostile", [first, second], gym=ALL, agent={"name": ALL, "id": "x"}, limits={},
        worlds=[{"domain": ALL, "variant": ALL, "digest": digest}],
    )  # fmt: skip
    (folder / "trajectories.jsonl").write_bytes(episode_line(first) + b"\n" + episode_line(second) + b"\n")
    rows = tuple(
        ClaimRow(f"c00{n}", f"rules.md#{n}", text, ALL, ALL, "bound", (ALL,), ALL)
        for n, text in enumerate(HOSTILE, start=1)
    )
    lay_bench(
        here / "bench",
        claims=write_claims([replace(row, says=row.says.replace("\x00", "").replace("\x1b", "")) for row in rows]),
    )
    sheet = "".join(
        f"{n} | {text.replace(chr(0), '').replace(chr(27), '')}\n" for n, text in enumerate(HOSTILE, start=1)
    )
    (here / "bench" / "evidence" / "rules.md.txt").write_text(sheet)
    jobs = Jobs(home / "studio", home, here)
    job = jobs.start("build", ALL, ["--version"], {})
    while job.running:
        time.sleep(0.05)
    jobs.find(job.id)
    (here / "runs" / "training").mkdir()
    (here / "runs" / "training" / "metrics.jsonl").write_text(json.dumps({"stage": ALL, "step": 0, ALL: 1.0}) + "\n")
    return House(home, here, digest)


@pytest.fixture(scope="module")
def hostile(spoilt: House) -> Iterator[Running]:
    with running(spoilt) as found:
        yield found


@pytest.fixture(scope="module")
def guest(hostile: Running) -> Iterator[Visitor]:
    made = hostile.visitor()
    yield made
    made.client.close()


def _key(guest: Visitor, room: str) -> str:
    page = Page(guest.page(f"/{room}"))
    return next(
        link
        for link in page.links
        if link.startswith(f"/{room}/") and link.count("/") == 2 and len(link) > len(room) + 8
    )


WORLD = (
    "",
    "/tables",
    "/tables/member",
    "/tables/member/MEM-0001",
    "/entities",
    "/tools",
    "/tools/lend",
    "/graph",
    "/rules",
    "/rules/loan_limit",
    "/handbook",
    "/files?path=blueprint.yaml",
)


def check(text: str) -> None:
    page = Page(text)
    assert page.wrong == []
    for mark in FORBIDDEN:
        assert mark not in text, ascii(mark)


@pytest.mark.parametrize("part", WORLD)
def test_a_hostile_world_is_text(guest: Visitor, spoilt: House, part: str) -> None:
    check(guest.page(f"/world/{spoilt.digest}{part}"))


def test_hostile_texts_are_really_there(guest: Visitor, spoilt: House) -> None:
    text = guest.page(f"/world/{spoilt.digest}")
    assert "&lt;script&gt;window.pwned=1&lt;/script&gt;" in text
    assert "w" * 9_000 in text
    run = guest.page(_key(guest, "runs") + f"/episodes/{'e' * 20}")
    assert "\ufffdgnp.exe" in run


@pytest.mark.parametrize("room", ["/", "/runs", "/builds", "/benches", "/trainings", "/play"])
def test_hostile_lists_are_text(guest: Visitor, room: str) -> None:
    check(guest.page(room))


def test_a_hostile_run_is_text(guest: Visitor) -> None:
    key = _key(guest, "runs")
    for part in ("", "/episodes", f"/episodes/{'e' * 20}", f"/episodes/{'f' * 20}"):
        check(guest.page(key + part))
    answer = guest.get(f"{key}/report.html")
    check_report = answer.text.replace("\ufffd", "")
    assert answer.headers["content-disposition"] == 'attachment; filename="hostile.html"'
    assert "<script" not in check_report
    assert guest.client.get(f"{key}/episodes", params={"assertion": ALL, "family": ALL}).status_code == 200


def test_a_hostile_bench_is_text(guest: Visitor) -> None:
    key = _key(guest, "benches")
    for part in ("", "/claims", "/files?file=claims.yaml", "/findings", "/rounds"):
        check(guest.page(key + part))


def test_a_hostile_training_and_build_are_text(guest: Visitor) -> None:
    check(guest.page(_key(guest, "trainings")))
    check(guest.page(_key(guest, "builds")))


@pytest.mark.parametrize("text", HOSTILE[:4])
def test_hostile_questions_are_text(guest: Visitor, spoilt: House, text: str) -> None:
    check(guest.client.get("/search", params={"q": text}).text)
    check(
        guest.client.get(
            f"/world/{spoilt.digest}/tables/member", params={"q": text, "sort": text, "where": f"name:{text}"}
        ).text
    )
    check(guest.client.get(f"/world/{spoilt.digest}/tools/{quote(text, safe='')}").text)
    check(guest.client.get("/builds/new", params={"domain": text}).text)


def test_a_text_that_is_too_long_says_how_much_is_left() -> None:
    assert clean("x" * (MAX_SHOWN_CHARS + 5)).endswith("… and 5 more characters")
    assert clean("fine") == "fine"
