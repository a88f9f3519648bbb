"""Judging a session: the episode as the verifier needs it, from the change log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.unit_of_work import Refusal
from worldwright.kinds.database.verify.verifier import Episode, Verifier
from worldwright.world.tasks import Verdict


class SessionJudge:
    """A key's verifier over running sessions."""

    def __init__(self, compiled: CompiledWorld, expects: Mapping[str, Any], brief: bool = False) -> None:
        self.verifier = Verifier(compiled, expects)
        self.brief = brief
        """Whether a verdict ends with the first thing that does not hold: what fails is not looked into further."""
        self.opening = compiled.blueprint.schema.now

    def verdict(self, session: Session, answer: Any, submitted: bool) -> Verdict:
        broken = tuple(dict.fromkeys(policy for policy, _, _ in session.violations()))
        span = (self.opening, session.clock)
        try:
            uow, said = session.unit_of_work(), session.said
            return self.verifier.judge(
                Episode(session.changes(), uow, span, broken, answer, submitted, session.names, said), self.brief
            )
        except (Refusal, OverflowError) as e:
            return Verdict("error", reason=f"the final state cannot be judged: {e}")
