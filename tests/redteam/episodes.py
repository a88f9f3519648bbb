"""Episodes for the attacks: wild ones to play, and what has to be true of one afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worldwright.core.canonical import canonical_json
from worldwright.core.rng import Stream
from worldwright.engine.env import Env
from worldwright.world.records import Result

Call = tuple[str, dict[str, Any]]


def inside(env: Env) -> Any:
    """The session behind an episode: what a fault of the backend would hit."""
    return env._session


def calls(seed: int, count: int = 40) -> list[Call]:
    """A wild episode: loans, returns, waivers and losses of random things, most of them refused."""
    stream = Stream("attack", seed)
    out: list[Call] = []
    for _ in range(count):
        member, copy_, loan = (
            f"{k}{stream.between(1, n):0{d}d}" for k, n, d in (("MEM-", 60, 4), ("CPY-", 120, 4), ("LN-", 320, 5))
        )
        options: list[Call] = [
            ("lend", {"member": member, "copy": copy_, "days": stream.between(0, 61)}),
            ("lend", {"member": member, "copy": copy_, "reference": f"REF-{stream.below(5)}"}),
            ("take_back", {"loan": loan}),
            ("waive_fine", {"loan": loan}),
            ("clear_shelf", {"copies": [copy_, f"CPY-{stream.between(1, 120):04d}"]}),
            ("find_loans", {"member": member, "limit": 3}),
            ("get_member", {"member": member}),
            ("nonsense", {}),
        ]
        out.append(stream.pick(options))
    return out


def played(env: Env, episode: list[Call]) -> tuple[Any, ...]:
    results = [env.call_tool(tool, arguments) for tool, arguments in episode]
    return results, env.state_digest(), env.diff(), env.violations(), env.agent.clock()


def codes(results: Sequence[Result]) -> list[str]:
    return [r.error.code if r.error is not None else "ok" for r in results]


def refused(result: Result, code: str, *parts: str) -> None:
    assert result.error is not None, result
    assert result.error.code == code, result
    for part in parts:
        assert part in result.error.message, result.error.message
    canonical_json(result.payload())


def untouched(env: Env) -> None:
    """The state is the opening state, and the episode can be written down and is not broken."""
    assert not env.diff()
    assert env.state_digest() == env.trajectory().final_digest
    assert env.broken == ""
    for step in env.trajectory().steps:
        canonical_json([step.call._asdict(), step.result.payload()])
