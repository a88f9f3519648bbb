"""Repair: where a verifier rejected what goal, rules and frame allow, the end state is added to those that it accepts.

Only this way round. A verifier that accepted something wrong has a goal that says too little, and no data can mend that.
"""

from __future__ import annotations

from dataclasses import replace

from worldwright.kinds.database.battery.harness import VerifierHarness
from worldwright.kinds.database.battery.run import Sheet
from worldwright.kinds.database.compile.tasks.accept import MAX_END_STATES, widen
from worldwright.kinds.database.verify.patterns import pattern_data, read_accepted
from worldwright.world.tasks import Key

ROUNDS = 3


def repaired(harness: VerifierHarness, sheet: Sheet) -> Key | None:
    """The key with what was wrongly rejected accepted; None where that is not all that went wrong."""
    if not sheet.missed or any(count.false_accepts for count in sheet.cells.values()):
        return None
    schema = harness.ground.schema
    accepts = list(read_accepted(harness.key.expects["accepts"], schema))
    for plan in sheet.missed:
        widen(accepts, harness.end(plan, stop=False), schema.entities)
    if len(accepts) > MAX_END_STATES:
        return None
    data = [[pattern_data(p, schema) for p in patterns] for patterns in accepts]
    if data == harness.key.expects["accepts"]:
        return None
    return replace(harness.key, expects={**harness.key.expects, "accepts": data})
