"""A repository in a registry, spoken to through oras: which blobs it has, and what its tags stand for.

Credentials come from the files of docker and podman (`docker login`, credential helpers too), or from $WORLDWRIGHT_REGISTRY_USER
and $WORLDWRIGHT_REGISTRY_PASSWORD. They are never given on a command line, and never written.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any

import requests
from oras.container import Container
from oras.provider import Registry
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from worldwright.core.errors import RegistryError, StoreError, TamperedPack, UsageError
from worldwright.store.oci import spec
from worldwright.store.oci.layout import IncomingBlob, Layout
from worldwright.store.oci.reference import Reference
from worldwright.store.oci.tars import CHUNK

USER, PASSWORD = "WORLDWRIGHT_REGISTRY_USER", "WORLDWRIGHT_REGISTRY_PASSWORD"
TIMEOUT_SECONDS = (10.0, 120.0)
"""Until a connection is given up, and until an answer is."""
MIN_CHUNKED_BYTES = 64 * CHUNK
"""Blobs larger than this are sent piece by piece."""
ACCEPTED = (spec.MANIFEST, spec.INDEX, spec.DOCKER_MANIFEST, spec.DOCKER_INDEX)
_LOST = Retry(
    total=3,
    connect=1,
    backoff_factor=0.3,
    status_forcelist=(429, 502, 503, 504),
    allowed_methods=None,
    raise_on_status=False,
)
"""What is tried again, within seconds."""


def _read_refusal(answer: requests.Response, *_: Any, **__: Any) -> None:
    """Read the body of a refusal that oras answers with a password: it leaves that lying, and its connection open."""
    if answer.status_code in (401, 403):
        len(answer.content)


class _Session(requests.Session):
    """Every request has an end, and is tried again within seconds where that helps."""

    def __init__(self) -> None:
        super().__init__()
        for scheme in ("http://", "https://"):
            self.mount(scheme, HTTPAdapter(max_retries=_LOST))
        self.hooks["response"].append(_read_refusal)

    def request(self, *args: Any, **given: Any) -> requests.Response:
        return super().request(*args, **{"timeout": TIMEOUT_SECONDS, **given})


class _Client(Registry):  # type: ignore[misc]  # oras has no types
    """oras, without its waits of minutes where a connection fails, and with a new token where the old one does not suffice."""

    def do_request(
        self,
        url: str,
        method: str = "GET",
        data: Any = None,
        headers: dict[str, str] | None = None,
        json: Any = None,
        stream: bool = False,
    ) -> requests.Response:
        """Send a request; again with credentials where asked for, and with a new token where the old one does not suffice."""
        given = dict(headers or {})
        held = getattr(self.auth, "token", None) is not None
        if held:
            given |= self.auth.get_auth_header()
        answer: requests.Response = self.session.request(
            method, url, data=data, json=json, headers=given, stream=stream
        )
        for refresh in (held, True):
            if answer.status_code not in (401, 403):
                break
            given, known = self.auth.authenticate_request(answer, given, refresh=refresh)
            if not known:
                raise ValueError("no answer to the request for authentication")
            answer = self.session.request(method, url, data=data, json=json, headers=given, stream=stream)
        return answer

    def has_credentials(self) -> bool:
        """Return whether there is a user to send by basic authentication; oras fails to write the header where there is none."""
        try:
            return bool(self.auth.get_auth_header())
        except AttributeError:
            return False


class Repository:
    """One repository. What it was seen to have is not asked again."""

    def __init__(self, at: Reference, plain_http: bool = False) -> None:
        self.at = at
        logging.getLogger("oras.logger").setLevel(logging.CRITICAL + 1)  # what it would print, our errors say
        self._plain = plain_http or at.loopback
        self._client = self._connect()
        self._has: set[str] = set()

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.session.close()

    def _connect(self) -> _Client:
        """Return a client that sends passwords in the way that this registry asks for."""
        client = _client(self.at, self._plain, "token")
        try:
            with self._translate_errors("connect"):
                answer = client.session.get(f"{client.prefix}://{self.at.host}/v2/")
        except RegistryError:
            client.session.close()
            raise
        if not answer.headers.get("Www-Authenticate", "").lower().startswith("basic"):
            return client
        client.session.close()
        client = _client(self.at, self._plain, "basic")
        if not client.has_credentials():
            raise self._make_denied("access")
        return client

    def _container(self, meant: str = "") -> Container:
        """The address as oras has it; what it would guess from a name is said."""
        container = Container("name")
        container.registry, container.namespace, container.repository = self.at.host, None, self.at.name
        container.tag, container.digest = meant, None
        return container

    # blobs

    def has(self, blob: spec.Descriptor) -> bool:
        if blob.digest not in self._has:
            with self._translate_errors("query"):
                answer = self._client.get_blob(self._container(), blob.digest, head=True)
            if answer.status_code != 404:
                self._check(answer, "query", 200)
                self._has.add(blob.digest)
        return blob.digest in self._has

    def send(self, layout: Layout, blob: spec.Descriptor) -> bool:
        """Give it a blob. False where it has it already."""
        if self.has(blob):
            return False
        with self._translate_errors("push"):
            wanted = {"digest": blob.digest, "size": blob.size}
            pieces = {"do_chunked": True, "chunk_size": MIN_CHUNKED_BYTES} if blob.size > MIN_CHUNKED_BYTES else {}
            path = str(layout.path(blob.digest))
            answer = self._client.upload_blob(path, self._container(), wanted, **pieces)
        self._check(answer, "push", 200, 201, 202)
        self._has.add(blob.digest)
        return True

    def fetch(self, layout: Layout, blob: spec.Descriptor) -> bool:
        """Take a blob from it, where it is the one that was named. False where it is here already."""
        if layout.has(blob):
            return False
        with self._translate_errors("pull"):
            answer = self._client.get_blob(self._container(), blob.digest, stream=True)
            with answer, IncomingBlob(layout) as incoming:
                self._check(answer, "pull", 200)
                for chunk in answer.iter_content(CHUNK):
                    incoming.write(chunk)
                    if incoming.size > blob.size:
                        raise TamperedPack(f"{blob.digest} is longer than the {blob.size:,} bytes that were named")
                incoming.keep(blob)
        return True

    # manifests

    def put(self, data: bytes, media_type: str, tag: str = "") -> str:
        """Give it a manifest whose blobs it has: under a tag, or under its digest only."""
        digest = spec.digest_of(data)
        address = f"{self._client.prefix}://{self._container().manifest_url(tag or digest)}"
        with self._translate_errors("push"):
            answer = self._client.do_request(address, "PUT", data=data, headers={"Content-Type": media_type})
        self._check(answer, "push", 201)
        if answer.headers.get("Docker-Content-Digest", digest) != digest:
            raise RegistryError(f"{self.at.host} keeps {tag or digest} as something else than was sent")
        return digest

    def get(self, meant: str) -> tuple[bytes, str]:
        """A manifest and its media type, by tag or digest."""
        address = f"{self._client.prefix}://{self._container().manifest_url(meant)}"
        with self._translate_errors("pull"):
            headers = {"Accept": ", ".join(ACCEPTED)}
            with self._client.do_request(address, "GET", headers=headers, stream=True) as answer:
                if answer.status_code == 404:
                    raise StoreError(f"{self.at.host} has no {self.at.name} with {meant}{self._suggest_tags()}")
                self._check(answer, "pull", 200)
                data = next(answer.iter_content(spec.MAX_MANIFEST_BYTES + 1), b"")
        if len(data) > spec.MAX_MANIFEST_BYTES:
            raise TamperedPack(
                f"{meant} of {self.at.repository} is larger than {spec.MAX_MANIFEST_BYTES // 1024**2} MiB"
            )
        if meant.startswith("sha256:") and spec.digest_of(data) != meant:
            raise TamperedPack(f"{self.at.host} answered {meant} with something else")
        return data, answer.headers.get("Content-Type", "").partition(";")[0]

    def tags(self) -> list[str]:
        with self._translate_errors("query"):
            answer = self._client.do_request(
                f"{self._client.prefix}://{self._container().tags_url()}", "GET", headers={}
            )
            if answer.status_code == 404:
                return []
            self._check(answer, "query", 200)
            return sorted(self._client.get_tags(self._container()))

    def _suggest_tags(self) -> str:
        known = self.tags()
        return f"; it has {', '.join(known[:10])}{' ...' if len(known) > 10 else ''}" if known else ""

    # what can go wrong

    def _check(self, answer: requests.Response, doing: str, *right: int) -> None:
        if answer.status_code in right:
            return
        if answer.status_code in (401, 403):
            raise self._make_denied(doing)
        said = answer.text[:300].strip() if answer.content else answer.reason
        raise RegistryError(f"{doing} failed: {self.at.repository} answered {answer.status_code} {said}")

    def _make_denied(self, doing: str) -> RegistryError:
        return RegistryError(
            f"{doing} denied by {self.at.repository}: docker login {self.at.host}, or set ${USER} and ${PASSWORD}"
        )

    @contextmanager
    def _translate_errors(self, doing: str) -> Iterator[None]:
        try:
            yield
        except requests.exceptions.SSLError as e:
            hint = "; if it has no TLS: --plain-http"
            raise RegistryError(
                f"{doing} failed: no TLS connection to {self.at.host}: {_shorten_error(e)}{hint}"
            ) from None
        except requests.exceptions.ConnectionError as e:
            reason = _shorten_error(e).rpartition(": ")[2].strip(" )\"'")
            raise RegistryError(f"cannot connect to {self.at.host}: {reason}") from None
        except requests.exceptions.RequestException as e:
            raise RegistryError(f"{doing} failed at {self.at.host}: {_shorten_error(e)}") from None
        except ValueError as e:  # what oras raises for everything else
            if "authentication" in str(e):
                raise self._make_denied(doing) from None
            raise RegistryError(f"{doing} failed at {self.at.repository}: {_shorten_error(e)}") from None


def _client(at: Reference, plain: bool, kind: str) -> _Client:
    client = _Client(hostname=at.host, insecure=plain, auth_backend=kind)
    client.session = client.auth.session = _Session()
    client.session.trust_env = not at.loopback  # no proxy stands between us and this machine
    client.session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    user, password = os.environ.get(USER, ""), os.environ.get(PASSWORD, "")
    if bool(user) != bool(password):
        raise UsageError(f"${USER} and ${PASSWORD} are set together or not at all")
    if user:
        client.auth.set_basic_auth(user, password)
    else:
        container = Container("name")
        container.registry = at.host
        client.auth.load_configs(container, configs=[str(path) for path in _list_logins()])
    return client


def _list_logins() -> Iterator[Path]:
    """Yield where docker and podman keep what somebody logged in with."""
    places = (
        ("REGISTRY_AUTH_FILE", ""),
        ("DOCKER_CONFIG", "config.json"),
        ("XDG_RUNTIME_DIR", "containers/auth.json"),
    )
    for variable, rest in places:
        if given := os.environ.get(variable):
            path = Path(given) / rest if rest else Path(given)
            if path.is_file():
                yield path


def _shorten_error(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 300 else f"{text[:300]} ..."
