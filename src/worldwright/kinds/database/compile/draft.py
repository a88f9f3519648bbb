"""A world in the making: what each pass adds to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from worldwright.blueprint.checked import Checked
from worldwright.kinds.database.compile.situations import Situations
from worldwright.kinds.database.compile.state.build import Grown
from worldwright.kinds.database.compile.tasks.filing import FiledRequest
from worldwright.kinds.database.compile.tasks.knobs import Knobs
from worldwright.kinds.database.compile.tasks.make import Made
from worldwright.kinds.database.compiled_world import CompiledWorld


@dataclass(frozen=True, slots=True)
class Draft:
    """Frozen: a pass returns a new one."""

    compiled: CompiledWorld
    seed: int
    knobs: Knobs = field(default_factory=Knobs)
    files: Mapping[str, bytes] = field(default_factory=dict)
    situations: Situations | None = None
    grown: Grown | None = None
    filed: tuple[FiledRequest, ...] = ()
    weights: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """Between two tools, the weight of the edge that was proven."""
    made: Made | None = None
    figures: Mapping[str, str] = field(default_factory=dict)
    """Per stage, the line of figures that a person sees."""
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def blueprint(self) -> Checked:
        return self.compiled.blueprint

    def adding(self, stage: str, figures: str, files: Mapping[str, bytes], counts: Mapping[str, int]) -> Draft:
        return replace(
            self,
            files={**self.files, **files},
            figures={**self.figures, stage: figures},
            counts={**self.counts, **counts},
        )
