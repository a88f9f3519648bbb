"""Guards over the first or last of many dates are reached on both sides like any other."""

from __future__ import annotations

import pytest
from tests.conftest import EXAMPLE

from worldwright.blueprint.load import load_text
from worldwright.core.memo import Memo
from worldwright.kinds.database.compile.stages.tools import test_files as write_test_files
from worldwright.kinds.database.compiled_world import CompiledWorld


@pytest.mark.parametrize(
    "guard",
    [
        "coalesce(today - min(l.due_on for l in member.loans if l.status == 'out'), 0) < 30",
        "coalesce(max(l.due_on for l in member.loans if l.status == 'out'), today) < today + 90",
    ],
)
def test_a_guard_over_dates_is_reached(guard: str) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    own = "      - require: not member.blocked\n"
    assert text.count(own) == 1
    changed = text.replace(own, f"      - require: {guard}\n        else: TOO_LONG_OUT\n{own}")
    assert write_test_files(CompiledWorld(load_text(changed)), Memo()).unreached == {}
