"""What a model is asked with. Everything here may be written down; the key is read where it is needed and kept nowhere."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

from worldwright.agents.protocol import Options
from worldwright.core.errors import UsageError
from worldwright.core.names import nearest

OPENAI, REACT = "openai", "react"
HOME = "https://api.openai.com/v1"
KEY = "OPENAI_API_KEY"
NO_KEY = "no-key"
"""What is sent where no key is needed: the library wants one, and local servers take any."""
CONCURRENCY, TIMEOUT, RETRIES = 16, 120.0, 6
RESERVED_FIELDS = frozenset({"model", "messages", "tools", "stream", "n", "seed", "temperature", "max_tokens", "stop"})
"""What `body` may not set: it has an option of its own, or none."""
_SENDABLE = re.compile(r"[!-~]+")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is asked."""

    mode: str
    """openai: with tool calls; react: in plain text"""
    model: str
    base_url: str
    temperature: float | None = None
    """None: the endpoint's own."""
    max_tokens: int | None = None
    """Of one message."""
    seed: bool = True
    """Whether the seed of the attempt is sent. Some endpoints refuse it."""
    send_reasoning: bool = False
    """Whether a model is shown its own earlier thoughts."""
    stop: bool = True
    """Whether a model in plain text is stopped where it begins to make up an observation. Some endpoints refuse it."""
    tools: str = "signatures"
    """How plain text lists tools: as signatures, or as JSON schemas."""
    body: str = ""
    """Further fields of a request, as a JSON object."""
    key_env: str = ""
    """The variable that holds the key; empty: `OPENAI_API_KEY`, where it is set."""
    concurrency: int = CONCURRENCY
    """Requests in flight at once, in one process."""
    rpm: int = 0
    """Requests a minute, in one process; 0: as many as there are."""
    timeout: float = TIMEOUT
    """Seconds for one answer."""
    retries: int = RETRIES
    price_in: Decimal | None = None
    """Of a million tokens that are read."""
    price_out: Decimal | None = None
    """Of a million tokens that are written."""

    def fields(self) -> dict[str, Any]:
        """The further fields of a request."""
        return dict(json.loads(self.body)) if self.body else {}

    def identity(self) -> dict[str, Any]:
        """What decides what the model says."""
        out: dict[str, Any] = {
            "mode": self.mode,
            "model": self.model,
            "base_url": self.base_url,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "send_reasoning": self.send_reasoning,
            "body": self.fields(),
        }
        return out | ({"stop": self.stop, "tools": self.tools} if self.mode == REACT else {})


def read_settings(options: Options, mode: str) -> Settings:
    """The settings that `options` ask for. A key that is missing is found out here, before anything is sent."""
    if not options.model:
        raise UsageError(f"say which model: {mode}:MODEL")
    given = _OptionReader({name.replace("_", "-"): value for name, value in options.more.items()}, mode)
    timeout = given.amount("timeout")
    settings = Settings(
        mode,
        options.model,
        _address(options.base_url or os.environ.get("OPENAI_BASE_URL") or HOME),
        options.temperature,
        given.whole("max-tokens", 1) if "max-tokens" in given.values else None,
        given.yes("seed", True),
        given.yes("send-reasoning", False),
        given.yes("stop", True),
        given.one_of("tools", ("signatures", "schemas")),
        given.body(),
        given.variable("key-env"),
        given.whole("concurrency", 1, CONCURRENCY),
        given.whole("rpm", 1) if "rpm" in given.values else 0,
        TIMEOUT if timeout is None else float(timeout),
        given.whole("retries", 0, RETRIES),
        given.amount("price-in"),
        given.amount("price-out"),
    )
    if not settings.timeout > 0:
        raise UsageError("--agent-option timeout: no time to answer; give seconds above zero")
    read_key(settings)
    return settings


def read_key(settings: Settings) -> str:
    """The key, from the environment."""
    found = os.environ.get(settings.key_env or KEY, "").strip()
    if not found and settings.key_env:
        raise UsageError(f"the environment has no {settings.key_env}, which --agent-option key-env names")
    if not found and settings.base_url == HOME:
        raise UsageError(f"{HOME} needs a key: set {KEY}, or name another endpoint with --base-url")
    if found and not _SENDABLE.fullmatch(found):
        raise UsageError(f"what {settings.key_env or KEY} holds is no key: it has characters that cannot be sent")
    return found or NO_KEY


def get_host(settings: Settings) -> str:
    return urlsplit(settings.base_url).netloc


def _address(url: str) -> str:
    """The address of an endpoint. What may hold a secret is refused: addresses are written down with every run."""
    try:
        parts = urlsplit(url.strip())
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good, parts = False, urlsplit("")
    if good and ("@" in parts.netloc or parts.query or parts.fragment):
        raise UsageError(
            f"the address of {parts.hostname} is given with more than host and path; leave out user, password and query: "
            f"a key goes into the environment, as {KEY} or as what --agent-option key-env names"
        )
    if not good:
        raise UsageError("--base-url is no address of an endpoint; expected one such as http://localhost:8000/v1")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


class _OptionReader:
    """Options by name, each asked for by the kind it is of."""

    def __init__(self, values: Mapping[str, str], mode: str) -> None:
        known = OPTIONS if mode == REACT else tuple(name for name in OPTIONS if name not in ("stop", "tools"))
        for name in values:
            if name not in known:
                raise UsageError(f"{mode} has no option {name!r}; {nearest(name, known)}")
        self.values = values

    def whole(self, name: str, least: int, otherwise: int = 0) -> int:
        value = self.values.get(name, str(otherwise))
        if not (value.isascii() and value.isdigit() and len(value) < 10 and int(value) >= least):
            raise UsageError(f"--agent-option {name}: expected a whole number from {least} on, not {value!r}")
        return int(value)

    def amount(self, name: str) -> Decimal | None:
        value = self.values.get(name)
        try:
            found = None if value is None else Decimal(value)
        except InvalidOperation:
            found = Decimal(-1)
        if found is not None and not (found.is_finite() and 0 <= found < 10**9):
            raise UsageError(f"--agent-option {name}: expected a number, not {value!r}")
        return found

    def yes(self, name: str, otherwise: bool) -> bool:
        return self.one_of(name, ("yes", "no") if otherwise else ("no", "yes")) == "yes"

    def one_of(self, name: str, known: tuple[str, ...]) -> str:
        value = self.values.get(name, known[0])
        if value not in known:
            raise UsageError(f"--agent-option {name}: expected {' or '.join(known)}, not {value!r}")
        return value

    def variable(self, name: str) -> str:
        """The name of a variable. Somebody who gives the key itself is told so, without it being shown."""
        value = self.values.get(name, "")
        if value and not _VARIABLE.fullmatch(value):
            raise UsageError(
                f"--agent-option {name}: expected the name of a variable of the environment, such as {KEY}"
            )
        return value

    def body(self) -> str:
        value = self.values.get("body", "")
        if not value:
            return ""
        try:
            found = json.loads(value)
        except (ValueError, RecursionError) as e:
            raise UsageError(f"--agent-option body: expected a JSON object: {e}") from None
        if not isinstance(found, dict):
            raise UsageError("--agent-option body: expected a JSON object")
        taken = sorted(RESERVED_FIELDS & set(found))
        if taken:
            raise UsageError(f"--agent-option body: {', '.join(taken)} cannot be set there")
        return json.dumps(found, sort_keys=True, allow_nan=False)


OPTIONS = (
    "body",
    "concurrency",
    "key-env",
    "max-tokens",
    "price-in",
    "price-out",
    "retries",
    "rpm",
    "seed",
    "send-reasoning",
    "stop",
    "timeout",
    "tools",
)
"""Every `--agent-option`. `stop` and `tools` are of plain text only."""
