"""Names in a registry: `oci://HOST[:PORT]/NAME[:TAG][@sha256:DIGEST]`."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, replace

from worldwright.core.errors import UsageError

SCHEME = "oci://"
_PART = r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*"
_REFERENCE = re.compile(
    rf"oci://(?P<host>(?:\[[0-9A-Fa-f:]+\]|[A-Za-z0-9.-]+)(?::\d{{1,5}})?)/(?P<name>{_PART}(?:/{_PART})*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(?P<digest>sha256:[0-9a-f]{64}))?\Z"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """A repository of a registry, and what is meant in it."""

    host: str
    name: str
    tag: str = ""
    digest: str = ""

    def __str__(self) -> str:
        return (
            f"{SCHEME}{self.repository}{':' + self.tag if self.tag else ''}{'@' + self.digest if self.digest else ''}"
        )

    @property
    def repository(self) -> str:
        return f"{self.host}/{self.name}"

    @property
    def target(self) -> str:
        """What is asked for: a digest before a tag, and `latest` where nothing was said."""
        return self.digest or self.tag or "latest"

    @property
    def loopback(self) -> bool:
        """Whether the registry is on this very machine: then it may be spoken to in the clear."""
        host = self.host.rsplit(":", 1)[0] if re.search(r":\d+\Z", self.host) else self.host
        if host.lower() == "localhost":
            return True
        try:
            return ipaddress.ip_address(host.strip("[]")).is_loopback
        except ValueError:
            return False

    def sibling(self, ending: str) -> Reference:
        """A repository beside this one."""
        return replace(self, name=f"{self.name}{ending}", digest="")


def parse_reference(text: str) -> Reference:
    """Parse what somebody wrote; a refusal says what would have been right."""
    found = _REFERENCE.match(text)
    if found is None:
        raise UsageError(
            f"{text[:200]!r} is no place in a registry; right would be oci://HOST/NAME:TAG, for instance "
            "oci://127.0.0.1:5000/gyms/retail_returns:latest (names are lower case)"
        )
    return Reference(**{key: value or "" for key, value in found.groupdict().items()})
