"""Benches: what became of claims, files, and what operations do is kept as the commands keep it, also by two at once."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.author.conftest import lay_bench
from tests.studio.house import House, Running, Visitor, keep_workshop, running, strip

from worldwright.author import verbs
from worldwright.author.folder import CLAIMS, REVIEW, read_bench
from worldwright.core.canonical import sha256


@pytest.fixture
def own(tmp_path: Path) -> House:
    """A house with nothing but a bench."""
    (tmp_path / "here").mkdir()
    lay_bench(tmp_path / "here" / "library")
    return House(tmp_path / "home", tmp_path / "here", "")


@pytest.fixture
def door(own: House) -> Iterator[Running]:
    with running(own) as found:
        yield found


@pytest.fixture
def ada(door: Running) -> Iterator[Visitor]:
    made = door.visitor()
    yield made
    made.client.close()


@pytest.fixture
def root(ada: Visitor) -> str:
    [key] = set(re.findall(r'href="(/benches/[0-9a-f]{12})"', ada.page("/benches")))
    return str(key)


def hidden(page: str, name: str, after: str) -> str:
    """The value of a hidden field of the form behind some words."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page[page.index(after) :])
    assert found
    return found[1]


def test_what_became_of_a_claim_is_kept(own: House, ada: Visitor, root: str) -> None:
    page = ada.page(f"{root}/claims", sheet="rules.md.txt")
    fields = {"sheet": "rules.md.txt", "id": "c003", "is": "bound", "to": "policy:waiver_cap", "why": ""}
    answer = ada.post(f"{root}/claims", seen=hidden(page, "seen", 'id="c003"'), **fields)
    assert answer.status_code == 200
    bench, _ = read_bench(own.here / "library")
    row = next(row for row in bench.claims if row.id == "c003")
    assert (row.is_, row.to) == ("bound", ("policy:waiver_cap",))
    again = ada.post(f"{root}/claims", seen=hidden(page, "seen", 'id="c003"'), **{**fields, "is": "not_business"})
    assert again.status_code == 400
    assert "meanwhile" in strip(again.text)
    assert (
        verbs.list_claims(own.here / "library", "bound")
        == [next(one for one in verbs.list_claims(own.here / "library") if one["id"] == "c003")]
    )  # fmt: skip


def test_claims_are_marked_beside_what_they_stand_in(ada: Visitor, root: str) -> None:
    page = ada.page(f"{root}/claims", sheet="rules.md.txt")
    marked = re.findall(r'<mark data-claims="(c\d+)"><a href="#(c\d+)">([^<]+)</a></mark>', page)
    assert [(a, b) for a, b, _ in marked] == [(f"c{n:03d}", f"c{n:03d}") for n in range(1, 6)]
    assert "Fines over 15 EUR are never waived." in marked[2][2]
    assert "No such claim" in strip(ada.page(f"{root}/claims", sheet="rules.md.txt", only="bound"))


@pytest.mark.parametrize(
    ("id_", "is_"), [("c003", "gone"), ("c999", "bound"), ("", "bound")], ids=["word", "claim", "nothing"]
)
def test_what_cannot_be_is_refused(own: House, ada: Visitor, root: str, id_: str, is_: str) -> None:
    before = (own.here / "library" / CLAIMS).read_text()
    seen = hidden(ada.page(f"{root}/claims"), "seen", 'id="c003"')
    answer = ada.post(f"{root}/claims", id=id_, seen=seen, **{"is": is_, "to": "", "why": "", "sheet": ""})
    assert answer.status_code == 400
    assert (own.here / "library" / CLAIMS).read_text() == before


def test_a_file_that_somebody_else_changed_is_not_written_over(own: House, ada: Visitor, root: str) -> None:
    folder = own.here / "library"
    seen = hidden(ada.page(f"{root}/files", file="notes.md"), "digest", "<main")
    assert seen == sha256((folder / "notes.md").read_bytes())
    assert ada.post(f"{root}/files", file="notes.md", digest=seen, text="# Ada was here").status_code == 200
    assert (folder / "notes.md").read_text() == "# Ada was here\n"
    late = ada.post(f"{root}/files", file="notes.md", digest=seen, text="# Bo was here")
    assert late.status_code == 400
    assert "changed meanwhile" in strip(late.text)
    assert (folder / "notes.md").read_text() == "# Ada was here\n"


@pytest.mark.parametrize("file", ["review.yaml", "../../escape.md", "/tmp/escape.md", "rounds.jsonl", "", "bench.json"])
def test_only_the_authors_files_are_written(own: House, ada: Visitor, root: str, file: str) -> None:
    before = sorted((path, path.read_bytes()) for path in own.here.rglob("*") if path.is_file())
    assert ada.post(f"{root}/files", file=file, digest=sha256(b""), text="x").status_code == 400
    assert sorted((path, path.read_bytes()) for path in own.here.rglob("*") if path.is_file()) == before
    shown = ada.get(f"{root}/files", file=file)
    assert shown.status_code == 200
    assert "root:x" not in shown.text


@pytest.mark.slow
def test_what_operations_do_is_confirmed_denied_and_said_otherwise(own: House, ada: Visitor, root: str) -> None:
    folder = own.here / "library"
    page = ada.page(f"{root}/operations")
    assert "0 of 8 confirmed" in strip(page)
    for name, answer, instead in (("lend", "yes", "ignored"), ("take_back", "no", ""), ("waive_fine", "edit", "never")):
        seen = hidden(page, "seen", f'id="{name}"')
        sent = {"operation": name, "seen": seen, "answer": answer, "instead": instead, "by": "Ada"}
        assert ada.post(f"{root}/operations", **sent).status_code == 200
    bench, _ = read_bench(folder)
    assert [(r.operation, r.is_, r.instead, r.by) for r in bench.review] == [
        ("lend", "yes", "", "Ada"), ("take_back", "no", "", "Ada"), ("waive_fine", "edit", "never", "Ada"),
    ]  # fmt: skip
    said = ada.words(f"{root}/operations")
    assert "1 of 8 confirmed, 2 denied, 5 not looked at" in said
    assert "confirmed by Ada" in said
    kept = (folder / REVIEW).read_text()
    stale = ada.post(f"{root}/operations", operation="lend", seen="0" * 64, answer="no", by="Bo")
    assert stale.status_code == 400
    assert "does something else by now" in strip(stale.text)
    assert (folder / REVIEW).read_text() == kept


@pytest.mark.slow
def test_two_at_once_lose_nothing(own: House, door: Running, root: str) -> None:
    folder = own.here / "library"
    names = ("lend", "take_back", "waive_fine", "clear_shelf")
    people = [door.visitor() for _ in names]
    page = people[0].page(f"{root}/operations")

    def say(who: Visitor, name: str) -> None:
        seen = hidden(page, "seen", f'id="{name}"')
        assert who.post(f"{root}/operations", operation=name, seen=seen, answer="yes", by=name).status_code == 200

    threads = [threading.Thread(target=say, args=pair) for pair in zip(people, names, strict=True)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    for who in people:
        who.client.close()
    bench, _ = read_bench(folder)
    assert {(row.operation, row.by) for row in bench.review} == {(name, name) for name in names}


def wait(ada: Visitor, root: str, door: Running) -> None:
    """Wait until nothing is at work at the bench."""
    end = time.monotonic() + 120
    while any(job.running for job in door.studio.jobs.list_jobs()):
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.slow
def test_a_check_finds_what_the_command_finds(own: House, door: Running, ada: Visitor, root: str) -> None:
    assert ada.post(f"{root}/run", kind="check", by="Ada", back="").status_code == 200
    twice = ada.post(f"{root}/run", kind="check", by="Bo", back="")
    assert twice.status_code == 400
    assert "at work already" in strip(twice.text)
    wait(ada, root, door)
    [job] = [door.studio.jobs.find(job.id) for job in door.studio.jobs.list_jobs()]
    found = json.loads(job.read("output.txt"))
    said = ada.words(f"{root}/findings")
    assert found["findings"]
    assert all(one["code"] in said for one in found["findings"])
    assert f"Findings {len(found['findings'])}" in said
    assert "Ada" in ada.words(f"{root}/rounds")


@pytest.mark.slow
def test_operations_are_run_to_show_what_they_change(door: Running, ada: Visitor, root: str) -> None:
    assert "Run every operation" in ada.words(f"{root}/operations")
    ada.post(f"{root}/run", kind="review", back="operations")
    wait(ada, root, door)
    [job] = [door.studio.jobs.find(job.id) for job in door.studio.jobs.list_jobs()]
    said = ada.words(f"{root}/operations")
    assert "Run by" in said
    assert "lent" in said
    assert not job.running


def test_an_anchor_is_opened_as_a_bench(own: House, door: Running, ada: Visitor) -> None:
    keep_workshop(own.home)
    assert "workshop" in ada.words("/benches")
    answer = ada.post("/benches", anchor="workshop")
    assert answer.status_code == 200
    assert read_bench(own.here / "workshop")[0].anchor == "workshop"
    again = ada.post("/benches", anchor="workshop")
    assert again.status_code in (200, 400)
    assert ada.post("/benches", anchor="../../etc").status_code in (400, 404)
