"""A visitor without a browser: requests with just these headers, on a connection of its own, and pages as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urlencode, urljoin

from worldwright.app import AppServer, AppSession

Fields = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str
    path: str

    @property
    def words(self) -> str:
        """What stands on the page, without the markup."""
        shown = re.sub(r"(?s)<(script|style)\b.*?</\1>", " ", self.text)
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", shown)).split())

    @property
    def title(self) -> str:
        found = re.search(r"(?s)<h1[^>]*>(.*?)</h1>", self.text)
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", found[1])).split()) if found else ""

    def links(self) -> list[str]:
        """Where the links of the page lead, as paths of the server."""
        return [urljoin(self.path, unescape(href)) for href in re.findall(r'<a\b[^>]*\bhref="([^"]*)"', self.text)]

    def link(self, text: str) -> str:
        """Where the first link with this text leads, of those in the content of the page."""
        content = self.text.partition("<main")[2]
        for href, inner in re.findall(r'(?s)<a\b[^>]*\bhref="([^"]*)"[^>]*>(.*?)</a>', content):
            if " ".join(unescape(re.sub(r"<[^>]+>", " ", inner)).split()) == text:
                return urljoin(self.path, unescape(href))
        raise AssertionError(f"there is no link {text!r} on {self.path}")

    def value(self, name: str) -> str:
        """What stands in a field."""
        found = re.search(rf'<input[^>]*name="{re.escape(name)}"[^>]*value="([^"]*)"', self.text)
        assert found is not None, f"there is no field {name!r} on {self.path}"
        return unescape(found[1])


def request(
    server: AppServer, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> Answer:
    """Send one request as it is given; nothing is added but the length of a body."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        given = {"Host": f"127.0.0.1:{server.port}", **(headers or {})}
        for name, value in given.items():
            if value:
                connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
            connection.putheader("Content-Type", "application/x-www-form-urlencoded")
        connection.endheaders(body)
        found: HTTPResponse = connection.getresponse()
        text = found.read().decode("utf-8", "replace")
        return Answer(found.status, {k.lower(): v for k, v in found.getheaders()}, text, path)
    finally:
        connection.close()


class Visitor:
    """Somebody who visits a session, one page after the other."""

    def __init__(self, server: AppServer, session: AppSession) -> None:
        self.server, self.session = server, session

    def path(self, page: str) -> str:
        return page if page.startswith("/") else f"{self.session.path}{page}"

    def get(self, page: str = "", **headers: str) -> Answer:
        """A page, and where it leads on to."""
        return self._follow(request(self.server, "GET", self.path(page), headers=headers))

    def post(self, page: str, fields: Fields, follow: bool = True, **headers: str) -> Answer:
        """Send a form as a browser does: line breaks as CR LF, and from a page of this server."""
        pairs = [(k, one) for k, v in fields.items() for one in ([v] if isinstance(v, str) else v)]
        body = urlencode([(k, v.replace("\n", "\r\n")) for k, v in pairs]).encode()
        headers = {"Sec-Fetch-Site": "same-origin", **headers}
        answer = request(self.server, "POST", self.path(page), body, headers)
        return self._follow(answer) if follow else answer

    def _follow(self, answer: Answer) -> Answer:
        for _ in range(5):
            if answer.status not in (303, 307):
                return answer
            answer = request(self.server, "GET", urljoin(answer.path, answer.headers["location"]))
        raise AssertionError("it goes on and on")
