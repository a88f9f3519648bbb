"""A world while it is built: what was asked for, and what each stage has added so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from worldwright.blueprint.checked import Checked
from worldwright.core.memo import Memo
from worldwright.engine.contract import Contract
from worldwright.kinds.build_events import Watch, unwatched
from worldwright.kinds.database.agenda import FILE, Agenda, read_agenda
from worldwright.kinds.database.battery.settings import FULL, BatterySettings
from worldwright.kinds.database.compile.situations import Situations
from worldwright.kinds.database.compile.state.build import GrownState
from worldwright.kinds.database.compile.tasks.filing import FiledRequest
from worldwright.kinds.database.compile.tasks.knobs import Knobs
from worldwright.kinds.database.compile.tasks.make import TaskSet
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.runtime import Runtime
from worldwright.pack.open import Pack


@dataclass(frozen=True, slots=True)
class Draft:
    """A world while it is built. It is frozen: a stage returns a new one."""

    compiled: CompiledWorld
    seed: int
    memo: Memo
    with_tasks: bool = True
    knobs: Knobs = field(default_factory=Knobs)
    battery: BatterySettings = FULL
    """The battery that tasks are proven with."""
    contract: Contract | None = None
    """The contract whose tools the world has, as it was given, and after its stage as it is kept."""
    parent: str = ""
    """The digest of what the Blueprint was made from."""
    watch: Watch = unwatched
    """Who hears how the build goes on."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    situations: Situations | None = None
    grown: GrownState | None = None
    filed: tuple[FiledRequest, ...] = ()
    weights: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """Between two tools, the weight of the edge that was proven."""
    made: TaskSet | None = None
    pack: Pack | None = None
    """The sealed pack, once it is sealed."""
    figures: Mapping[str, str] = field(default_factory=dict)
    """Per stage, the line of figures that a person sees."""
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def blueprint(self) -> Checked:
        return self.compiled.blueprint

    @property
    def state(self) -> GrownState:
        """The state that was grown; only stages after it may ask."""
        assert self.grown is not None, "the state stage has to run first"
        return self.grown

    @property
    def agenda(self) -> Agenda:
        """What goes on after the world opens."""
        return read_agenda(self.files.get(FILE), self.compiled.tools)

    def open_runtime(self) -> Runtime:
        """Open the state that was grown, to run tools on it."""
        return Runtime(self.compiled, self.state.data, "", agenda=self.agenda)

    def add(
        self,
        stage: str,
        figures: str,
        files: Mapping[str, bytes] | None = None,
        counts: Mapping[str, int] | None = None,
    ) -> Draft:
        """Return this draft with the figures, files and counts of a stage."""
        return replace(
            self,
            files={**self.files, **(files or {})},
            figures={**self.figures, stage: figures},
            counts={**self.counts, **(counts or {})},
        )
