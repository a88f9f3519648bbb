"""What a framework's log says of a verdict: what held and what did not, never what was expected."""

from __future__ import annotations

from typing import Any

from worldwright.world.tasks import Verdict


def render_verdict(verdict: Verdict) -> dict[str, Any]:
    """As plain data. Without a reward the world itself failed, and `reason` says how."""
    held = [{"name": one.name, "ok": one.ok} for one in verdict.assertions]
    out: dict[str, Any] = {"status": verdict.status, "reward": verdict.reward, "assertions": held}
    return {**out, "reason": verdict.reason} if verdict.reason else out
