"""Listening on a port, or saying why that cannot be done."""

from __future__ import annotations

import errno
import socket

from worldwright.core.errors import UsageError


def bind_socket(host: str, port: int) -> socket.socket:
    """Listen on a host and port. Raises `UsageError` where that cannot be done."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(2048)
    except (OSError, OverflowError) as e:
        found.close()
        taken = isinstance(e, OSError) and e.errno == errno.EADDRINUSE
        why = "address already in use; choose another port with --port, or 0 for any free one" if taken else str(e)
        raise UsageError(f"cannot listen on {host}:{port}: {why}") from None
    return found
