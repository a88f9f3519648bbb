"""The processes of a server: limits, idle episodes, a worker that dies, a server that is stopped."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest
from tests.serve.http_server import TOKEN, Server, begin, command, eventually, problem, started

from worldwright.cli.main import main
from worldwright.engine.limits import Limits
from worldwright.engine.trajectories import trajectory_text
from worldwright.store.open import open_gym

pytestmark = pytest.mark.xdist_group("serve")
TEXT = {"Content-Type": "text/plain"}


@pytest.fixture(scope="module")
def long_log(gym_folder: Path) -> str:
    """A log that takes a while to judge."""
    with open_gym(str(gym_folder)).world("seed_7").open("task_001", limits=Limits(calls=9_000)) as episode:
        for number in range(8_000):
            episode.call("nothing_like_it", {"number": number})
        return trajectory_text(episode.log())


class Asked(threading.Thread):
    """A request that is under way meanwhile."""

    def __init__(self, server: Server, log: str) -> None:
        super().__init__()
        self._server, self._log = server, log
        self.answer: httpx2.Response | None = None
        self.start()

    def run(self) -> None:
        with self._server.client() as client:
            self.answer = client.post("/judge", content=self._log, headers=TEXT)


def in_work(client: httpx2.Client) -> int:
    """How many requests the server is at; asking for metrics is none."""
    found = re.findall(r"^worldwright_requests_in_work\{.*\} (\d+)", client.get("/metrics").text, re.MULTILINE)
    return sum(map(int, found))


def test_too_many_episodes(gym_folder: Path) -> None:
    with started(gym_folder, "--workers", "2", "--most-episodes", "4", "--http") as server, server.client() as client:
        names = [begin(client)["id"] for _ in range(4)]
        assert {name[0] for name in names} == {"0", "1"}, "a full worker passes new ones on"
        refused = client.post("/episodes", json={"variant": "seed_7", "task": "task_001"})
        assert problem(refused, 429) == "full"
        assert refused.headers["Retry-After"] == "1"
        assert "DELETE /episodes" in refused.json()["error"]["message"]
        assert client.post(f"/episodes/{names[0]}/step", json={"tool": "find_members"}).json()["ok"]
        assert client.get("/health").json()["episodes"] == 4
        client.delete(f"/episodes/{names[0]}")
        assert begin(client)["mcp"] is None, "started without MCP"
        assert client.post(f"/mcp/{names[1]}", json={}).status_code == 404
        assert server.stop()[0] == 0


@pytest.mark.slow
def test_too_many_requests_and_a_stop_that_waits(gym_folder: Path, long_log: str) -> None:
    with started(gym_folder, "--http", "--workers", "1", "--most-requests", "2") as server, server.client() as client:
        with _unfinished(server), _unfinished(server):
            eventually(lambda: client.get("/worlds").status_code == 429)
        eventually(lambda: client.get("/worlds").status_code == 200)
        waiting = Asked(server, long_log)
        eventually(lambda: in_work(client) == 1)
        other = Asked(server, long_log)
        eventually(lambda: client.get("/worlds").status_code == 429)
        refused = client.get("/worlds")
        assert problem(refused, 429) == "busy"
        assert refused.headers["Retry-After"] == "1"
        assert client.get("/health").status_code == 200
        code, err = server.stop()
        waiting.join(60)
        other.join(60)
        for one in (waiting, other):
            assert one.answer is not None
            assert one.answer.json()["status"] in {"pass", "fail"}
        assert (code, err) == (0, "")


def _unfinished(server: Server) -> socket.socket:
    """A request whose body never comes."""
    host, port = server.url.removeprefix("http://").split(":")
    slow = socket.create_connection((host, int(port)))
    head = f"POST /episodes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 10\r\n\r\n"
    slow.sendall(head.encode() + b"{")
    return slow


def test_idle_episodes_are_closed_and_a_stop_is_clean(gym_folder: Path) -> None:
    with started(gym_folder, "--http", "--workers", "2", "--idle", "0.3") as server, server.client() as client:
        name = begin(client)["id"]
        used = begin(client)["id"]
        until = time.monotonic() + 1.2
        while time.monotonic() < until:
            assert client.get(f"/episodes/{used}").status_code == 200
            time.sleep(0.05)
        assert problem(client.get(f"/episodes/{name}"), 404) == "no_episode", "left alone for too long"
        eventually(lambda: client.get("/health").json()["episodes"] == 0)
        assert server.stop(signal.SIGINT) == (0, "")
        with pytest.raises(httpx2.ConnectError):
            client.get("/health")


def test_a_worker_that_dies_is_replaced_and_without_the_first_process_there_is_none(gym_folder: Path) -> None:
    with started(gym_folder, "--http", "--workers", "2") as server, server.client() as client:
        names = _on_both_workers(server)
        before = server.workers
        assert len(before) == 2
        os.kill(before[0], signal.SIGKILL)
        eventually(lambda: len(server.workers) == 2 and before[0] not in server.workers)
        found = {name: _asked(server, name) for name in names}
        lost = {name[0] for name, status in found.items() if status == 410}
        kept = {name[0] for name, status in found.items() if status == 200}
        assert len(lost) == len(kept) == 1
        assert not lost & kept
        for name in names:
            if name[0] in lost:
                assert problem(client.get(f"/episodes/{name}"), 410) == "worker_lost"
        fresh = {name[0] for name in _on_both_workers(server)}
        assert fresh == {*kept, str(int(next(iter(lost))) + 2)}, "another number, so that no id is mistaken"
        workers = server.workers
        server.process.kill()
        eventually(lambda: not any(map(_alive, workers)))


def test_a_stop_that_every_process_is_told_of_is_one_stop(gym_folder: Path) -> None:
    """As service managers do it. Nothing is broken off, so nobody reads of an error."""
    with started(gym_folder, "--mcp", "--workers", "2") as server, server.client() as client:
        begin(client)
        for pid in server.workers:
            os.kill(pid, signal.SIGTERM)
        assert server.stop() == (0, "")


def test_told_twice_it_does_not_wait(gym_folder: Path) -> None:
    with started(gym_folder, "--mcp", "--workers", "2", "--grace", "50") as server, server.client() as client:
        begin(client)
        with _unfinished(server):
            eventually(lambda: in_work(client) == 1)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            begun = time.monotonic()
            assert server.stop() == (0, "")
            assert time.monotonic() - begun < 20


def test_calls_under_way_at_a_stop_are_answered(gym_folder: Path) -> None:
    """Those that a worker passes on to another one as well: nobody is told of a lost episode or a broken server."""
    with started(gym_folder, "--http", "--workers", "2") as server:
        names = _on_both_workers(server)

        async def hammer(client: httpx2.AsyncClient, name: str) -> list[int]:
            statuses: list[int] = []
            with suppress(httpx2.NetworkError, httpx2.RemoteProtocolError):
                while True:
                    answer = await client.post(f"/episodes/{name}/step", json={"tool": "find_members"})
                    statuses.append(answer.status_code)
            return statuses

        async def main() -> list[int]:
            async with server.async_client() as client:
                at_work = [asyncio.create_task(hammer(client, name)) for name in names * 2]
                await asyncio.sleep(0.5)
                server.process.terminate()
                return [status for statuses in await asyncio.gather(*at_work) for status in statuses]

        statuses = asyncio.run(main())
        assert len(statuses) > 50
        assert set(statuses) == {200}
        _, err = server.process.communicate(timeout=60)
        assert (server.process.returncode, err) == (0, "")


def _on_both_workers(server: Server) -> list[str]:
    """New episodes, over as many connections as it takes until every worker has one."""
    names: list[str] = []
    while len({name[0] for name in names}) < 2 or len(names) < 8:
        with server.client() as client:
            names += [begin(client)["id"] for _ in range(4)]
        assert len(names) < 400
    return names


def _asked(server: Server, name: str) -> int:
    with server.client() as client:
        return client.get(f"/episodes/{name}").status_code


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_an_address_without_detours(gym_folder: Path) -> None:
    """With --direct an episode is answered with the address of its own worker; every other address works as well."""
    with started(gym_folder, "--http", "--workers", "2", "--direct", "--max-calls", "3") as server:
        urls: dict[str, str] = {}
        names: dict[str, str] = {}
        while len(urls) < 2:
            with server.client() as client:
                one = begin(client)
                urls[one["id"][0]] = one["url"]
                names = dict.fromkeys((server.url, *urls.values()), one["id"])
        assert len(set(urls.values())) == 2
        assert server.url not in urls.values()
        results = []
        for url, name in names.items():
            with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {TOKEN}"}) as direct:
                results.append(direct.post(f"/episodes/{name}/step", json={"tool": "find_members"}).json())
        assert [r["ok"] for r in results] == [True] * 3
        assert [r["done"] for r in results] == [False, False, True], "no more calls than are allowed"


def _said(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main(["serve", *options])
    return int(ended.value.code or 0), capsys.readouterr().err


def test_what_cannot_be_served_is_said_in_a_line(
    gym_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORLDWRIGHT_HOME", str(tmp_path))
    monkeypatch.delenv("WORLDWRIGHT_TOKEN", raising=False)
    gym = ("--gym", str(gym_folder))
    (tmp_path / "token").write_text("short\n")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        cases: dict[tuple[str, ...], tuple[int, str]] = {
            (*gym, "--port", str(taken.getsockname()[1])): (2, "address already in use"),
            ("--gym", "nothing_like_it"): (3, "nothing_like_it"),
            (*gym, "--host", "192.0.2.1"): (2, "cannot listen on 192.0.2.1"),
            (*gym, "--host", "no.such.host.invalid"): (2, "cannot listen on no.such.host.invalid"),
            (*gym, "--variant", "seed_9"): (2, "did you mean"),
            (*gym, "--task", "task_001"): (2, "--stdio"),
            (*gym, "--stdio"): (2, "--task"),
            (*gym, "--stdio", "--task", "task_001"): (2, "--variant"),
            (*gym, "--stdio", "--task", "task_999", "--variant", "seed_7"): (2, "no task"),
            (*gym, "--token-file", str(tmp_path / "token")): (2, "16 or more"),
        }
        for options, (expected, words) in cases.items():
            code, err = _said(capsys, *options)
            assert code == expected, err
            assert words in err


def test_a_token_that_is_made_is_printed_once(gym_folder: Path) -> None:
    env = {k: v for k, v in os.environ.items() if k != "WORLDWRIGHT_TOKEN"}
    line = command("--gym", str(gym_folder), "--variant", "seed_8", "--port", "0", "--workers", "1", "--http")
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        first, second = process.stdout.readline(), process.stdout.readline()
        assert "town_library (1 world, 1 worker) at http://127.0.0.1:" in first
        url, token = first.split()[-1], second.split()[-1]
        with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}) as client:
            assert [w["variant"] for w in client.get("/worlds").json()["worlds"]] == ["seed_8"]
            assert client.get("/worlds", headers={"Authorization": "Bearer x"}).status_code == 401
        process.terminate()
        assert process.communicate(timeout=60) == ("", "")
        assert process.returncode == 0
