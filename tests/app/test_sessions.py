"""Sessions: apart from each other, many on one server, for two at once, and gone when they are closed or the server is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from tests.app.conftest import Visit
from tests.app.test_pages import free_copy, free_member
from tests.app.visiting import Visitor, request

from worldwright.app import AppServer, AppSessions, make_app
from worldwright.core.errors import EpisodeError, UsageError
from worldwright.engine.trajectories import read_trajectory
from worldwright.engine.world import World


def test_sessions_do_not_see_each_other(visit: Visit) -> None:
    one, other = visit("task_001"), visit("task_001")
    fields = {"~form": "0", "member": free_member(one), "copy": free_copy(one), "days": "7"}
    assert one.post("do/lend", fields).status == 200
    assert other.session.seen == []
    assert one.session.episode.env.state_digest() != other.session.episode.env.state_digest()
    assert "Nothing was done yet." in other.get("activity").words
    assert one.session.token != other.session.token
    assert len(one.session.token) == 24


def test_hundreds_of_episodes_share_a_server(app_server: AppServer, library_world: World) -> None:
    sessions = [app_server.sessions.open(library_world, "task_001") for _ in range(200)]
    try:
        assert len({s.token for s in sessions}) == 200
        with ThreadPoolExecutor(8) as pool:
            pages = list(pool.map(lambda s: Visitor(app_server, s).get("list/find_loans?limit=2"), sessions))
        assert {page.text for page in pages} == {pages[0].text}
        assert all(len(s.seen) == 1 for s in sessions)
    finally:
        for session in sessions:
            app_server.sessions.close(session)
    assert app_server.sessions.find(sessions[0].token) is None


def test_two_people_at_once_wait_for_each_other(visit: Visit) -> None:
    """In one session calls are made one after the other, whoever sends them."""
    visitor = visit("task_001")
    with ThreadPoolExecutor(8) as pool:
        pages = list(pool.map(lambda n: visitor.get(f"list/find_loans?limit=2&offset={n}"), range(40)))
    assert all(page.status == 200 for page in pages)
    assert sorted(seen.arguments["offset"] for seen in visitor.session.seen) == list(range(40))
    assert [seen.number for seen in visitor.session.seen] == list(range(1, 41))
    assert len(visitor.session.log().steps) == 40


def test_one_form_sent_by_many_at_once_is_one_call(visit: Visit) -> None:
    visitor = visit("task_001")
    fields = {"~form": "0", "member": free_member(visitor), "copy": free_copy(visitor), "days": "7"}
    with ThreadPoolExecutor(8) as pool:
        pages = list(pool.map(lambda _: visitor.post("do/lend", fields), range(16)))
    assert {page.path for page in pages} == {visitor.path("done/1")}
    assert len(visitor.session.seen) == 1


def test_a_closed_session_is_gone(visit: Visit, app_server: AppServer) -> None:
    visitor = visit("task_001")
    app_server.sessions.close(visitor.session)
    app_server.sessions.close(visitor.session)
    answer = visitor.get("list/find_loans")
    assert (answer.status, answer.text) == (404, "Not found.\n")


def test_a_session_that_is_closed_while_it_is_asked_answers_or_is_gone(
    app_server: AppServer, library_world: World
) -> None:
    for _ in range(10):
        session = app_server.sessions.open(library_world, "task_001")
        visitor = Visitor(app_server, session)
        closing = threading.Thread(target=app_server.sessions.close, args=(session,))
        with ThreadPoolExecutor(4) as pool:
            asked = [pool.submit(visitor.get, "list/find_loans") for _ in range(4)]
            closing.start()
            assert {one.result().status for one in asked} <= {200, 404}
        closing.join()


def test_a_log_can_be_gone_on_from(visit: Visit, library_world: World) -> None:
    first = visit("task_001")
    first.post("do/lend", {"~form": "0", "member": free_member(first), "copy": free_copy(first), "days": "7"})
    first.get("list/find_loans?status=out")
    second = visit("task_001", log=first.session.log())
    assert second.session.log().final_digest == first.session.log().final_digest
    assert second.get("done/1").text == first.get("done/1").text
    first.post("finish", {"~form": "2", "outcome": "done"})
    third = visit("task_001", log=first.session.log())
    assert third.session.episode.done
    assert "Your answer was submitted." in third.get("finish").words


def test_the_app_can_be_mounted_under_a_path(app_server: AppServer, library_world: World) -> None:
    """As a part of another application: every link still leads to where it should."""
    import uvicorn

    sessions = AppSessions()
    outer = Starlette(routes=[Mount("/app", make_app(sessions))])
    server = AppServer()
    session = sessions.open(library_world, "task_001")
    config = uvicorn.Config(outer, port=0, log_level="error", lifespan="off", ws="none")
    running = uvicorn.Server(config)
    running.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        threading.Event().wait(0.02)
    server.port = running.servers[0].sockets[0].getsockname()[1]
    try:
        visitor = Visitor(server, session)
        page = request(server, "GET", f"/app{session.path}list/find_loans?limit=2")
        assert page.status == 200
        assert all(link.startswith(f"/app{session.path}") or "#" in link for link in page.links())
        assert visitor.get(page.link("Next")).status == 200
        assert visitor.get(f"/app{session.path}do/lend").status == 200
    finally:
        running.should_exit = True
        thread.join(5)


def test_faces_that_the_app_cannot_show_are_refused(visit: Visit) -> None:
    with pytest.raises(UsageError, match="no face `obscured`"):
        visit("task_001", face="crowded_obscured")
    with pytest.raises(EpisodeError, match="no task 'task_999'"):
        visit("task_999")


SERVE = """
import sys
from worldwright.app import AppServer
from worldwright.store.open import open_world
server = AppServer()
server.start()
session = server.sessions.open(open_world(sys.argv[1]), "task_001")
print(server.port, session.path, flush=True)
sys.stdin.read()
"""


def test_a_server_that_is_killed_leaves_nothing_half_done(gym_folder: Path) -> None:
    """It takes its sessions with it: another process knows nothing of the path, and answers as to any other."""
    pack = str(gym_folder / "seed_7")

    def start() -> tuple[subprocess.Popen[str], int, str]:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, pack], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        port, path = process.stdout.readline().split()
        return process, int(port), path

    process, port, path = start()
    server = AppServer()
    server.port = port
    assert request(server, "GET", f"{path}list/find_loans").status == 200
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with pytest.raises(OSError, match=r"refused|reset"):
        request(server, "GET", f"{path}list/find_loans")
    process, server.port, other = start()
    assert request(server, "GET", f"{path}list/find_loans").status == 404
    assert request(server, "GET", f"{other}list/find_loans").status == 200
    process.kill()
    process.communicate()


def test_the_command_goes_on_where_it_was_killed(gym_folder: Path, tmp_path: Path) -> None:
    """`worldwright app --log`: every call is in the file before its page is there."""
    log = tmp_path / "session.jsonl"
    command = [
        sys.executable,
        "-m",
        "worldwright",
        "app",
        str(gym_folder / "seed_7"),
        "--task",
        "1",
        "--no-open",
        "--json",
    ]

    def start() -> tuple[subprocess.Popen[str], AppServer, str]:
        process = subprocess.Popen(
            [*command, "--log", str(log)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        server = AppServer()
        server.port = int(url.split(":")[2].split("/")[0])
        return process, server, "/" + url.split("/", 3)[3]

    process, server, path = start()
    assert request(server, "GET", f"{path}list/find_loans?status=out").status == 200
    process.kill()
    process.communicate()
    assert [step.call.tool for step in read_trajectory(log.read_text()).steps] == ["find_loans"]
    process, server, path = start()
    assert "Looked at Loans" in request(server, "GET", f"{path}activity").text
    assert request(server, "GET", f"{path}list/find_copies").status == 200
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "2 calls made; kept in" in said
    assert len(read_trajectory(log.read_text()).steps) == 2
    refused = subprocess.run(
        [*command[:-3], "2", "--log", str(log), "--no-open"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "BROWSER": "true"},
    )
    assert refused.returncode == 2
    assert "name another file, or replace it with --force" in refused.stderr
