"""The settings of a server."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldwright.engine.limits import Limits


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings that every worker of a server shares."""

    token: str
    """The bearer token of controllers."""
    host: str = "127.0.0.1"
    port: int = 8000
    """The port to listen on; 0 for any free one."""
    workers: int = 1
    face: str = "plain"
    """How tasks are shown where a request does not say."""
    mcp: bool = True
    """Whether agents may connect over MCP."""
    direct: bool = False
    """Whether each worker also listens on a port of its own, which the answer to POST /episodes names."""
    max_episodes: int = 1024
    """How many episodes may be open at once, over all workers."""
    max_requests: int = 1024
    """How many requests may be in work at once, over all workers."""
    idle_s: float = 600.0
    """After so long without a request, an episode is closed."""
    grace_s: float = 30.0
    """How long requests in work may take when the server is stopped."""
    limits: Limits = field(default_factory=Limits)
    max_body_bytes: int = 1024 * 1024
    """The largest body of a request."""
    max_log_bytes: int = 16 * 1024 * 1024
    """The largest log that is judged."""
    body_timeout_s: float = 30.0
    """How long the body of a request may take to arrive."""

    def __post_init__(self) -> None:
        if not self.token:
            raise ValueError("a server needs a token")

    def per_worker(self, total: int) -> int:
        """Divide a limit of the whole server among its workers, rounded up."""
        return -(-total // self.workers)
