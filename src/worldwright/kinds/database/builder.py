"""How worlds of the database kind are built and proven. An image of a world carries none of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from worldwright.blueprint.checked import Checked
from worldwright.core.memo import Memo
from worldwright.engine.contract import Contract
from worldwright.kinds.database.battery.run import Sheet, sheets
from worldwright.kinds.database.battery.settings import BatterySettings
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.pipeline import COMPILE_STAGES, PROOF_STAGE
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.worlds import compile_checked
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.toolspec import tool_specs
from worldwright.world.tasks import Key, Task

__all__ = ["COMPILE_STAGES", "PROOF_STAGE", "compile_checked", "start_draft", "tool_specs", "try_verifiers"]


def start_draft(checked: Checked, seed: int, memo: Memo, **asked: Any) -> Draft:
    """Begin the build of a world. What is asked for is named as in `Draft`."""
    return Draft(compile_checked(checked, memo), seed, memo, **asked)


def try_verifiers(
    runtime: Runtime, tasks: Sequence[tuple[Task, Key]], battery: BatterySettings, contract: Contract | None = None
) -> Iterator[Sheet]:
    """Put the verifiers of some tasks through the battery once more."""
    return sheets(Sandbox(runtime, contract=contract), tasks, battery)
