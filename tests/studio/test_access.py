"""Who is let in, and what is refused: other users, other pages, other names for this machine, addresses that are paths."""

from __future__ import annotations

import http.client
import re

import httpx2
import pytest
from tests.studio.house import House, Running, Visitor, running, strip

from worldwright.studio.access import MAX_BODY_BYTES

OURS = "The door is closed"


def test_nothing_is_shown_without_the_token(studio: Running, house: House) -> None:
    for path in ("/", f"/world/{house.digest}", "/runs", "/benches", "/search?q=library", "/builds/new"):
        answer = httpx2.get(studio.url + path)
        assert answer.status_code == 403
        assert OURS in answer.text
        assert "library" not in answer.text


@pytest.mark.parametrize("token", ["", "x", "e" * 40, "\u00e9"])
def test_another_token_lets_nobody_in(studio: Running, token: str) -> None:
    answer = httpx2.get(studio.url + "/", params={"token": token})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_the_token_is_exchanged_for_a_cookie_that_other_pages_do_not_send(studio: Running) -> None:
    answer = httpx2.get(studio.url + "/", params={"token": studio.studio.access.token})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"worldwright_studio_{studio.studio.access.port}=")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert studio.studio.access.token not in cookie


def test_the_cookie_of_another_studio_is_none(studio: Running, house: House) -> None:
    with running(house) as other:
        cookie = f"{studio.studio.access.cookie}={other.studio.access.session}"
        assert httpx2.get(studio.url + "/", headers={"cookie": cookie}).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost:80", "[::1]:7700", "", "127.0.0.1.nip.io:{port}"]
)
def test_another_name_for_this_machine_is_refused(studio: Running, visitor: Visitor, host: str) -> None:
    port = studio.studio.access.port
    answer = visitor.client.get("/", headers={"host": host.format(port=port)})
    assert answer.status_code in (400, 421)
    assert "library" not in answer.text
    assert visitor.client.get("/", headers={"host": f"localhost:{port}"}).status_code == 200


def test_two_host_headers_are_refused(studio: Running) -> None:
    access = studio.studio.access
    connection = http.client.HTTPConnection("127.0.0.1", access.port)
    connection.putrequest("GET", "/", skip_host=True)
    for host in (f"127.0.0.1:{access.port}", "evil.example"):
        connection.putheader("Host", host)
    connection.putheader("Cookie", f"{access.cookie}={access.session}")
    connection.endheaders()
    assert connection.getresponse().status in (400, 421)
    connection.close()


FORM = {"domain": "hotel_booking", "seed": "1"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": "OURS"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_a_write_that_another_page_sends_is_refused(studio: Running, visitor: Visitor, headers: dict[str, str]) -> None:
    headers = {name: value.replace("OURS", studio.url) for name, value in headers.items()}
    before = len(studio.studio.jobs.list_jobs())
    fields = {"_form": studio.studio.access.form, **FORM}
    assert visitor.client.post("/builds", data=fields, headers=headers).status_code == 403
    assert len(studio.studio.jobs.list_jobs()) == before


@pytest.mark.parametrize("token", [None, "", "x"])
def test_a_form_that_is_not_ours_is_refused(studio: Running, visitor: Visitor, token: str | None) -> None:
    fields = FORM if token is None else {**FORM, "_form": token}
    answer = visitor.client.post("/builds", data=fields, headers={"Origin": studio.url})
    assert answer.status_code == 400
    assert "started earlier" in strip(answer.text)
    assert not studio.studio.jobs.list_jobs("build")


@pytest.mark.parametrize("body", [b"{}", b"\xff\xfe", b"a=" + b"&b=" * 5000])
def test_what_is_no_form_is_refused(studio: Running, visitor: Visitor, body: bytes) -> None:
    headers = {"Origin": studio.url, "Content-Type": "application/x-www-form-urlencoded"}
    assert visitor.client.post("/builds", content=body, headers=headers).status_code == 400
    assert visitor.client.post("/builds", json=FORM, headers={"Origin": studio.url}).status_code == 400


def test_a_body_that_is_too_large_is_refused(studio: Running, visitor: Visitor) -> None:
    headers = {"Origin": studio.url, "Content-Type": "application/x-www-form-urlencoded"}
    big = b"a" * (MAX_BODY_BYTES + 1)
    assert visitor.client.post("/builds", content=big, headers=headers).status_code == 413
    parts = iter([big[: MAX_BODY_BYTES // 2]] * 3)  # chunked: nothing says how long it is
    assert visitor.client.post("/builds", content=parts, headers=headers).status_code == 413


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(visitor: Visitor, method: str) -> None:
    assert visitor.client.request(method, "/").status_code == 405


PATHS = (
    "/static/../access.py", "/static/%2e%2e/access.py", "/static/..%2f..%2fpyproject.toml", "/static/x/..%2faccess.py",
    "/static//etc/passwd", "/runs/..", "/runs/%2e%2e%2f%2e%2e", "/runs/%2fetc", "/benches/../../etc/passwd",
    "/benches/%2e%2e%2flibrary", "/world/../runs", "/world/%2e%2e", "/anchors/..%2f..", "/anchors/workshop%2f..",
    "/orders/..", "/builds/..%2f..", "/play/..%2f..%2fx", "/play/aaaaaaaaaaaa", "/worlds/..%2frefs/latest",
    "/trainings/%00", "/catalogue/..%2fscaffold", "/arenas/%F0%9F%98%80",
)  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_an_address_is_no_path(studio: Running, visitor: Visitor, path: str) -> None:
    """Sent as it stands, so that no client tidies it up."""
    access = studio.studio.access
    connection = http.client.HTTPConnection("127.0.0.1", access.port)
    connection.request(
        "GET", path, headers={"Host": f"127.0.0.1:{access.port}", "Cookie": f"{access.cookie}={access.session}"}
    )
    answer = connection.getresponse()
    text = answer.read().decode(errors="replace")
    connection.close()
    assert answer.status in (400, 404)
    assert "root:" not in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    "file",
    ["../../etc/passwd", "/etc/passwd", "state.db/../manifest.json", "keys/../manifest.json", "long" * 1000],
    ids=lambda file: file[:20],
)
def test_a_file_of_a_pack_is_looked_up_by_its_name(visitor: Visitor, house: House, file: str) -> None:
    answer = visitor.client.get(f"/world/{house.digest}/files", params={"path": file})
    assert answer.status_code == 404


def test_every_answer_forbids_what_nobody_needs(studio: Running, visitor: Visitor, house: House) -> None:
    for answer in (
        visitor.get("/"),
        visitor.get("/nothing"),
        visitor.get(f"/world/{house.digest}"),
        httpx2.get(studio.url + "/"),
    ):
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


def test_files_of_our_own_may_be_kept_for_ever(visitor: Visitor) -> None:
    found = re.findall(r'"(/static/[0-9a-f]{10}/[a-z.]+)"', visitor.page("/"))
    assert len(found) >= 5
    for address in found:
        answer = visitor.get(address)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert "http" not in re.sub(r"http://www\.w3\.org/2000/svg", "", answer.text)


def test_a_websocket_is_closed(studio: Running) -> None:
    access = studio.studio.access
    connection = http.client.HTTPConnection("127.0.0.1", access.port)
    connection.request("GET", "/", headers={
        "Host": f"127.0.0.1:{access.port}", "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==", "Cookie": f"{access.cookie}={access.session}",
    })  # fmt: skip
    assert connection.getresponse().status == 403
    connection.close()
