"""What a model is asked with. Everything here may be written down; the key is read where it is needed and kept nowhere."""

from __future__ import annotations

import json
import os
import re
from decimal import Decimal
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from worldwright.agents.protocol import Options
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest

OPENAI, REACT = "openai", "react"
HOME = "https://api.openai.com/v1"
KEY = "OPENAI_API_KEY"
NO_KEY = "no-key"
"""What is sent where no key is needed: the library wants one, and local servers take any."""
MAX_AMOUNT = 10**9
RESERVED_FIELDS = frozenset({"model", "messages", "tools", "stream", "n", "seed", "temperature", "max_tokens", "stop"})
"""What `body` may not set: it has an option of its own, or none."""
_SENDABLE = re.compile(r"[!-~]+")


class Settings(BaseModel):
    """How a model is asked. All but the first four are set by `--agent-option`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: str
    """openai: with tool calls; react: in plain text"""
    model: str
    base_url: str
    temperature: float | None = None
    """None: the endpoint's own."""
    max_tokens: int | None = Field(None, ge=1, lt=MAX_AMOUNT)
    """Of one message."""
    seed: bool = True
    """Whether the seed of the attempt is sent. Some endpoints refuse it."""
    send_reasoning: bool = False
    """Whether a model is shown its own earlier thoughts."""
    stop: bool = True
    """Whether a model in plain text is stopped where it begins to make up an observation. Some endpoints refuse it."""
    tools: Literal["signatures", "schemas"] = "signatures"
    """How plain text lists tools: as signatures, or as JSON schemas."""
    body: str = ""
    """Further fields of a request, as a JSON object."""
    key_env: str = Field("", pattern=r"^[A-Z_][A-Z0-9_]*$")
    """The variable that holds the key; empty: `OPENAI_API_KEY`, where it is set."""
    concurrency: int = Field(16, ge=1, lt=MAX_AMOUNT)
    """Requests in flight at once, in one process."""
    rpm: int = Field(0, ge=1, lt=MAX_AMOUNT)
    """Requests a minute, in one process; 0, where nothing is said: as many as there are."""
    timeout: float = Field(120.0, gt=0, lt=MAX_AMOUNT)
    """Seconds for one answer."""
    retries: int = Field(6, ge=0, lt=MAX_AMOUNT)
    price_in: Decimal | None = Field(None, ge=0, lt=MAX_AMOUNT)
    """Of a million tokens that are read."""
    price_out: Decimal | None = Field(None, ge=0, lt=MAX_AMOUNT)
    """Of a million tokens that are written."""

    @field_validator("body")
    @classmethod
    def check_body(cls, value: str) -> str:
        try:
            found = json.loads(value)
        except (ValueError, RecursionError) as e:
            raise ValueError(f"expected a JSON object: {e}") from None
        if not isinstance(found, dict):
            raise ValueError("expected a JSON object")
        if taken := sorted(RESERVED_FIELDS & set(found)):
            raise ValueError(f"{', '.join(taken)} cannot be set there")
        return json.dumps(found, sort_keys=True, allow_nan=False)

    def fields(self) -> dict[str, Any]:
        """The further fields of a request."""
        return dict(json.loads(self.body)) if self.body else {}

    def identity(self) -> dict[str, Any]:
        """Return the settings that decide what the model says."""
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


OPTIONS = tuple(sorted(name.replace("_", "-") for name in list(Settings.model_fields)[4:]))
"""Every `--agent-option`. `stop` and `tools` are of plain text only."""


def read_settings(options: Options, mode: str) -> Settings:
    """The settings that `options` ask for. A key that is missing is found out here, before anything is sent."""
    if not options.model:
        raise UsageError(f"say which model: {mode}:MODEL")
    known = OPTIONS if mode == REACT else tuple(name for name in OPTIONS if name not in ("stop", "tools"))
    given: dict[str, Any] = {}
    for name, value in options.more.items():
        if name.replace("_", "-") not in known:
            raise UsageError(f"{mode} has no option {name!r}; {suggest(name, known)}")
        given[name.replace("-", "_")] = value
    url = _address(options.base_url or os.environ.get("OPENAI_BASE_URL") or HOME)
    try:
        settings = Settings(mode=mode, model=options.model, base_url=url, temperature=options.temperature, **given)
    except ValidationError as e:
        first = e.errors()[0]  # without the value itself: somebody may have given a key
        raise UsageError(f"--agent-option {str(first['loc'][0]).replace('_', '-')}: {first['msg']}") from None
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
