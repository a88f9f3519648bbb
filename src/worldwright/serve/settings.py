"""How a server is run."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldwright.engine.limits import Limits


@dataclass(frozen=True, slots=True)
class Settings:
    """What is the same for every worker of a server."""

    token: str
    """What a controller shows to be let in."""
    host: str = "127.0.0.1"
    port: int = 8000
    """0 for any free one."""
    workers: int = 1
    face: str = "plain"
    """How tasks are shown where a request does not say."""
    mcp: bool = True
    """Whether agents may connect over MCP."""
    direct: bool = False
    """Whether each worker also listens on a port of its own, which episodes are answered with."""
    most_episodes: int = 1024
    """Open at once, over all workers."""
    most_requests: int = 1024
    """In work at once, over all workers."""
    idle_s: float = 600.0
    """After so long without a request, an episode is closed."""
    grace_s: float = 30.0
    """How long requests in work may take when the server is stopped."""
    limits: Limits = field(default_factory=Limits)
    body: int = 1024 * 1024
    """Bytes of a request."""
    log_body: int = 16 * 1024 * 1024
    """Bytes of a log that is to be judged."""
    body_s: float = 30.0
    """How long a request may take to arrive."""

    def __post_init__(self) -> None:
        if not self.token:
            raise ValueError("a server needs a token")

    def share(self, total: int) -> int:
        """What one worker has of it."""
        return -(-total // self.workers)
