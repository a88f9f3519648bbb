"""Builds from the studio: started by a form, watched while they go on, stopped, killed, and seen again by the next studio."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.studio.house import House, Running, Visitor, keep_workshop, running, strip
from tests.worlds import EXAMPLE

from worldwright.core.errors import UsageError
from worldwright.factory.build_log import read_build
from worldwright.studio.jobs import Job, Jobs
from worldwright.studio.orders import EVERYTHING, read_order

KNOWN = ("hotel_booking", "workshop")
HOTEL = "generate --domain hotel_booking"
ORDERS = {
    "domain=hotel_booking&seed=7&tasks=yes": f"{HOTEL} --seed 7",
    "domain=hotel_booking&tag=v1&tasks=": f"{HOTEL} --tag v1 --no-tasks",
    "domain=workshop&tasks=yes&complexity=high&battery=bulk&most=9": "generate --domain workshop --complexity high "
    "--battery bulk --tasks-per-world 9",
    "domain=hotel_booking&many=yes&variants=5&workers=3&axes=policy&axes=seed": f"{HOTEL} --no-tasks --variants 5 "
    "--siblings 2 --axes policy,seed --workers 3",
    f"domain={EVERYTHING}&variants=1&layers=stale": "generate --all --inject stale --no-tasks --variants 1 --siblings 2 "
    "--workers 1",
}


def form(text: str) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for part in text.split("&"):
        name, _, value = part.partition("=")
        out.setdefault(name, []).append(value)
    return out


@pytest.mark.parametrize(("text", "command"), ORDERS.items())
def test_a_form_means_a_command(text: str, command: str) -> None:
    assert " ".join(read_order(form(text), KNOWN)[0]) == f"{command} --events EVENTS"


@pytest.mark.parametrize(
    "text",
    [
        "domain=nothing",
        "domain=--out",
        "domain=hotel_booking&seed=-1",
        "domain=hotel_booking&seed=1e3",
        "domain=hotel_booking&tag=../x",
        "domain=hotel_booking&tag=--force",
        "domain=hotel_booking&tasks=yes&complexity=huge",
        "domain=hotel_booking&tasks=yes&battery=none",
        "domain=hotel_booking&tasks=yes&most=0",
        "domain=hotel_booking&layers=nothing",
        "domain=hotel_booking&many=yes&variants=0",
        "domain=hotel_booking&many=yes&variants=1&workers=9999",
        "domain=hotel_booking&many=yes&variants=2&axes=--ray",
    ],
)
def test_a_form_that_means_no_command_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        read_order(form(text), KNOWN)


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Jobs]:
    made = Jobs(tmp_path / "studio", tmp_path / "home", tmp_path)
    yield made
    for job in made.list_jobs():
        wait(job)
        made.find(job.id)  # lets go of its process


def wait(job: Job, seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while job.running:
        assert time.monotonic() < until, job.read("errors.txt")
        time.sleep(0.05)


def build(jobs: Jobs, *more: str) -> Job:
    command = ["generate", "--blueprint", str(EXAMPLE), "--seed", "7", *more, "--events", "EVENTS"]
    return jobs.start("build", "a library", command)


@pytest.mark.slow
def test_a_job_lives_as_long_as_its_process(jobs: Jobs) -> None:
    job = build(jobs, "--no-tasks")
    assert job.running
    wait(job)
    assert read_build(job.events).status == "done"
    assert "SEALED" in job.read("errors.txt")
    assert [one.id for one in jobs.list_jobs("build")] == [job.id]
    assert jobs.list_jobs("check") == []


@pytest.mark.slow
def test_a_job_that_is_stopped_says_so(jobs: Jobs) -> None:
    job = build(jobs)
    while not job.events.exists() or not read_build(job.events).events:
        time.sleep(0.05)
    jobs.stop(job)
    wait(job)
    assert read_build(job.events).status == "stopped"


@pytest.mark.slow
def test_a_job_that_is_killed_is_told_from_one_that_is_at_work(jobs: Jobs) -> None:
    job = build(jobs)
    while not job.events.exists() or not read_build(job.events).events:
        time.sleep(0.05)
    assert read_build(job.events).status == "running"
    os.kill(int((job.folder / "pid").read_text()), signal.SIGKILL)
    wait(job)
    assert read_build(job.events).status == "killed"


def test_a_process_id_of_somebody_else_is_not_signalled(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path / "studio", tmp_path, tmp_path)
    folder = tmp_path / "studio" / "jobs" / "20250101-000000-abcdef"
    folder.mkdir(parents=True)
    (folder / "job.json").write_text('{"kind": "build", "title": "t", "command": [], "started": "", "about": {}}')
    (folder / "lock").write_text("")
    (folder / "pid").write_text(str(os.getpid()))
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        jobs.stop(jobs.find(folder.name))
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == []


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"kind": 1}', '{"kind": "build", "title": "t", "command": 5, "about": {}}']
)
def test_a_damaged_job_is_left_out(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "studio" / "jobs" / "x"
    folder.mkdir(parents=True)
    (folder / "job.json").write_text(text)
    assert Jobs(tmp_path / "studio", tmp_path, tmp_path).list_jobs() == []


def listen(visitor: Visitor, path: str, heard: list[str]) -> None:
    with closing(visitor.client), visitor.client.stream("GET", path, timeout=120) as answer:
        heard.extend(line.removeprefix("event: ") for line in answer.iter_lines() if line.startswith("event: "))


@pytest.mark.slow
def test_a_build_is_watched_left_and_seen_again(tmp_path: Path, house: House) -> None:
    """Started by the form, followed by two at once; the studio goes away in the middle, and the next one shows the end."""
    own = House(tmp_path / "home", tmp_path, house.digest)
    keep_workshop(own.home)
    with running(own) as first:
        visitor = first.visitor()
        answer = visitor.post("/builds", domain="workshop", seed="3", tasks="yes", most="4", battery="bulk")
        assert answer.status_code == 200
        path = answer.url.path
        heard: tuple[list[str], list[str]] = ([], [])
        listeners = [
            threading.Thread(target=listen, args=(first.visitor(), f"{path}/live", one), daemon=True) for one in heard
        ]
        for one in listeners:
            one.start()
        while "with its mess" not in (said := visitor.words(path)):
            time.sleep(0.1)
        assert "running" in said
        assert "goes on when you close this page" in said
        visitor.client.close()
        jobs = first.studio.jobs
        [job] = jobs.list_jobs()
    assert job.running
    assert all(one and one[0] == "changed" for one in heard)
    with running(own) as second:
        visitor = second.visitor()
        assert "Stop" in visitor.words(path)
        wait(job, 200)
        said = visitor.words(path)
        assert "done" in said
        assert "Open the world" in said
        assert "Battery" in said
        assert "of 4 tasks tried" in said
        assert ":latest/" in visitor.words("/builds")
        visitor.client.close()
    wait(job)
    jobs.find(job.id)


def listed_gym(visitor: Visitor) -> str:
    page = visitor.page("/")
    return page[page.index("/worlds/") :].split('"')[0]


@pytest.mark.slow
def test_a_run_of_many_is_watched_by_its_journal(tmp_path: Path, house: House) -> None:
    own = House(tmp_path / "home", tmp_path, house.digest)
    keep_workshop(own.home)
    with running(own) as found:
        visitor = found.visitor()
        answer = visitor.post("/builds", domain="workshop", tasks="", many="yes", variants="3", workers="1")
        path = answer.url.path
        [job] = found.studio.jobs.list_jobs()
        wait(job, 240)
        said = visitor.words(path)
        assert "done" in said
        assert "There 3 of 3" in said
        assert "Workers 1" in said
        listed = visitor.page("/builds")
        order = listed[listed.index("/orders/") :].split('"')[0]
        assert "There 3 of 3" in visitor.words(order)
        gym = listed_gym(visitor)
        assert "3 variants" in visitor.words(gym)
        found.studio.jobs.find(job.id)
        visitor.client.close()


def test_a_build_of_nothing_is_refused(studio: Running, visitor: Visitor) -> None:
    before = len(studio.studio.jobs.list_jobs())
    answer = visitor.post("/builds", domain="--help", seed="1")
    assert answer.status_code == 400
    assert "no business" in strip(answer.text)
    assert len(studio.studio.jobs.list_jobs()) == before
