"""Who may ask at all: names of this machine only, no other page's forms, nothing ahead of time, no paths beside the pages."""

from __future__ import annotations

import socket

import pytest
from tests.app.conftest import Visit
from tests.app.visiting import request

from worldwright.app import AppServer


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1:1",
        "127.0.0.1",
        "localhost.evil.example:{port}",
        "[::2]:{port}",
        "127.0.0.1:{port}x",
        " ",
    ],
)
def test_another_host_is_refused(app_server: AppServer, visit: Visit, host: str) -> None:
    visitor = visit("task_001")
    path = visitor.path("list/find_loans")
    answer = request(app_server, "GET", path, headers={"Host": host.format(port=app_server.port)})
    assert answer.status == 400
    assert visitor.session.seen == []


@pytest.mark.parametrize("host", ["localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}", "127.0.0.1:{port}"])
def test_the_names_of_this_machine_are_served(app_server: AppServer, visit: Visit, host: str) -> None:
    answer = request(app_server, "GET", visit("task_001").path(""), headers={"Host": host.format(port=app_server.port)})
    assert answer.status == 200


def test_without_a_host_or_with_two_nothing_is_served(app_server: AppServer, visit: Visit) -> None:
    path = visit("task_001").path("")
    for heads in ("", f"Host: 127.0.0.1:{app_server.port}\r\nHost: evil.example\r\n"):
        with socket.create_connection(("127.0.0.1", app_server.port), timeout=5) as link:
            link.sendall(f"GET {path} HTTP/1.1\r\n{heads}Connection: close\r\n\r\n".encode())
            assert link.recv(100).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "none"},
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1:{port}"}, {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1:{port}"},
    ],
)  # fmt: skip
def test_a_form_of_another_page_is_refused(app_server: AppServer, visit: Visit, headers: dict[str, str]) -> None:
    visitor = visit("task_001")
    given = {name: value.format(port=app_server.port) for name, value in headers.items()}
    answer = request(app_server, "POST", visitor.path("do/lend"), b"member=MEM-0001", given)
    assert answer.status == 403
    assert visitor.session.seen == []


@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "same-origin", "Origin": "null"}, {"Origin": "http://127.0.0.1:{port}"}, {}]
)
def test_a_form_of_a_page_of_this_server_is_taken(app_server: AppServer, visit: Visit, headers: dict[str, str]) -> None:
    visitor = visit("task_001")
    given = {name: value.format(port=app_server.port) for name, value in headers.items()}
    answer = request(app_server, "POST", visitor.path("do/lend"), b"member=MEM-0001", given)
    assert answer.status == 303
    assert len(visitor.session.seen) == 1


@pytest.mark.parametrize(
    "headers", [{"Sec-Purpose": "prefetch"}, {"Sec-Purpose": "prefetch;prerender"}, {"Purpose": "prefetch"}]
)
def test_nothing_is_fetched_ahead(app_server: AppServer, visit: Visit, headers: dict[str, str]) -> None:
    visitor = visit("task_001")
    assert request(app_server, "GET", visitor.path("list/find_loans"), headers=headers).status == 403
    assert visitor.session.seen == []


@pytest.mark.parametrize("method", ["HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"])
def test_other_methods_are_refused(app_server: AppServer, visit: Visit, method: str) -> None:
    visitor = visit("task_001")
    assert request(app_server, method, visitor.path("list/find_loans")).status in (400, 405)
    assert visitor.session.seen == []


@pytest.mark.parametrize(
    "path",
    [
        "/", "/e", "/e/", "/e/x", "/e/x/", "/e/x/list/find_loans", "/e/../e/", "/static", "/static/x/app.css/..", "/docs",
        "/static/x/../../../../etc/passwd", "/static/x/%2e%2e%2frender.py", "/static/x/base.html", "/openapi.json",
    ],
)  # fmt: skip
def test_what_is_no_page_says_nothing(app_server: AppServer, path: str) -> None:
    answer = request(app_server, "GET", path)
    assert answer.status == 404
    assert answer.text in ("Not found.\n", "Not Found")
    assert "library" not in answer.text.lower()


@pytest.mark.parametrize(
    "page",
    [
        "list/../../x", "list/%2e%2e/find_loans", "..%2f..%2f", "list/find_loans%00", "list//find_loans", "do/lend/",
        "row/-1?at=items.0", "row/99999999999999999999?at=x", "done/x", "row/1?at=" + "a." * 3000, "system/%3Cscript%3E",
    ],
    ids=lambda page: page[:24],
)  # fmt: skip
def test_tricks_with_paths_of_a_session_find_nothing(visit: Visit, page: str) -> None:
    visitor = visit("task_001")
    answer = request(visitor.server, "GET", visitor.path(page))
    assert answer.status == 404
    assert "<script>" not in answer.text
    assert visitor.session.seen == []


def test_every_answer_says_what_a_browser_may_do_with_it(app_server: AppServer, visit: Visit) -> None:
    visitor = visit("task_001")
    for path in (visitor.path(""), visitor.path("nothing"), "/e/x/", "/static/x/app.js", "/favicon.ico"):
        headers = request(app_server, "GET", path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; style-src 'self'; script-src 'self'")
        assert "frame-ancestors 'none'; base-uri 'none'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers
        assert "set-cookie" not in headers


def test_a_form_has_a_size(app_server: AppServer, visit: Visit) -> None:
    visitor = visit("task_001")
    path = visitor.path("do/lend")
    assert request(app_server, "POST", path, b"x=" + b"y" * 2_000_001).status == 413
    assert request(app_server, "POST", path, b"&".join(b"a%d=1" % n for n in range(6_000))).status == 413
    with socket.create_connection(("127.0.0.1", app_server.port), timeout=5) as link:
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{app_server.port}\r\nTransfer-Encoding: chunked\r\n\r\n"
        link.sendall(head.encode() + b"1\r\nx\r\n0\r\n\r\n")
        assert link.recv(100).startswith(b"HTTP/1.1 413")
    assert visitor.session.seen == []


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe=\x00",
        b"%ff%00=%ed%a0%80",
        b"=&=&=",
        b"member=%00",
        b"~form=&~go=add",
        b"~go=find:x",
        b"~go=remove:member.x&member.1=2",
        b"~draft=1&~for=9.x",
    ],
)
def test_whatever_a_body_holds_a_page_comes_back(app_server: AppServer, visit: Visit, body: bytes) -> None:
    visitor = visit("task_001")
    assert request(app_server, "POST", visitor.path("do/lend"), body).status in (303, 404, 422)
    assert visitor.get("").status == 200
