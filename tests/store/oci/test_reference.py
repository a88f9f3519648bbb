from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.errors import UsageError
from worldwright.store.oci.reference import Reference, parse_reference

HOSTS = st.sampled_from(("localhost", "127.0.0.1:5000", "[::1]:5000", "registry.example.com", "registry", "r:1"))
NAMES = st.from_regex(r"[a-z0-9]{1,5}([._-][a-z0-9]{1,5}){0,2}(/[a-z0-9]{1,5}){0,2}", fullmatch=True)
TAGS = st.just("") | st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}", fullmatch=True)
DIGESTS = st.just("") | st.from_regex(r"sha256:[0-9a-f]{64}", fullmatch=True)


@given(HOSTS, NAMES, TAGS, DIGESTS)
def test_what_is_written_is_read_again(host: str, name: str, tag: str, digest: str) -> None:
    made = Reference(host, name, tag, digest)
    assert parse_reference(str(made)) == made


def test_the_parts_of_a_reference() -> None:
    at = parse_reference("oci://127.0.0.1:5000/gyms/retail_returns:v1")
    assert (at.host, at.name, at.tag, at.target) == ("127.0.0.1:5000", "gyms/retail_returns", "v1", "v1")
    assert parse_reference("oci://r/x").target == "latest"
    digest = "sha256:" + "0" * 64
    assert parse_reference(f"oci://r/x:v1@{digest}").target == digest
    assert str(at.sibling("-grader")) == "oci://127.0.0.1:5000/gyms/retail_returns-grader:v1"


@pytest.mark.parametrize(
    "text",
    ["", "oci://", "oci://host", "oci://host/", "oci://host/Name", "oci://host/a//b", "oci://host/a/../b", "host/name",
     "docker://host/name", "oci://user:password@host/name", "oci://host/name:bad tag", "oci://host/name@sha256:12",
     "oci://host/name:x\n", "oci://ho st/name", "oci://host/name?x=1", "oci://host/na_-me"],
)  # fmt: skip
def test_what_is_no_reference(text: str) -> None:
    with pytest.raises(UsageError, match="oci://HOST/NAME:TAG"):
        parse_reference(text)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("localhost", True), ("LOCALHOST:5000", True), ("127.0.0.1", True), ("127.8.9.1:443", True), ("[::1]:5000", True),
     ("[::1]", True), ("128.0.0.1:5000", False), ("10.0.0.1", False), ("localhost.example.com", False),
     ("127.0.0.1.example.com", False), ("registry.example.com:5000", False), ("[fe80::1]", False)],
)  # fmt: skip
def test_only_this_machine_is_spoken_to_in_the_clear(host: str, loopback: bool) -> None:
    assert parse_reference(f"oci://{host}/name").loopback is loopback
