"""A compiled world with an opening state: what episodes run on."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from types import MappingProxyType
from typing import Any

from worldwright.kinds.database.agenda import NOTHING, Agenda
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.opening import Opening
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.state import connect, state_digest
from worldwright.kinds.database.verify.judge import SessionJudge
from worldwright.world.records import ToolSpec
from worldwright.world.service import Service


class Runtime:
    """A world opened once: sessions are copies of its opening state."""

    def __init__(
        self,
        compiled: CompiledWorld,
        state: bytes,
        handbook: str,
        services: Mapping[str, tuple[Service, ...]] = MappingProxyType({}),
        agenda: Agenda = NOTHING,
    ) -> None:
        self.compiled = compiled
        self.state = state
        self.handbook = handbook
        self.services = services
        """What callers of an episode meet. Whoever builds or proves a world does without."""
        self.agenda = agenda
        self.opening = Opening(compiled, state, agenda)
        self._judges: dict[int, tuple[Mapping[str, Any], SessionJudge]] = {}

    @property
    def tools(self) -> Mapping[str, ToolSpec]:
        return self.compiled.specs

    @property
    def roles(self) -> tuple[str, ...]:
        return self.compiled.blueprint.schema.roles

    @property
    def opening_clock(self) -> str:
        return self.opening.clock

    def session(self, role: str, actor: str = "") -> Session:
        """A private copy of the opening state, as `actor`, or as whoever first has the role."""
        self.opening.check_role(role)
        return Session(self.opening, self.compiled.connect(self.state), role, actor)

    def without_services(self) -> Runtime:
        """The same world for whoever is never turned away."""
        if not self.services:
            return self
        return Runtime(self.compiled, self.state, self.handbook, agenda=self.agenda)

    def judge(self, expects: Mapping[str, Any]) -> SessionJudge:
        """A key's verifier; made once for the same key."""
        held = self._judges.get(id(expects))
        if held is None or held[0] is not expects:
            held = self._judges[id(expects)] = (expects, SessionJudge(self.compiled, expects))
        return held[1]

    def state_digest(self) -> str:
        with closing(connect(self.state)) as conn:
            return state_digest(conn, self.compiled.blueprint.schema)
