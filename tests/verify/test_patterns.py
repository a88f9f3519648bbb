"""Patterns as data: what is written is what is read, and what means nothing is refused."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.verify.end_states import SCHEMA, loosened, nets, patterns_of

from worldwright.blueprint.types import BOOL, INT, MONEY, TEXT, Type
from worldwright.core.errors import TamperedPack
from worldwright.kinds.database.records import to_json
from worldwright.kinds.database.verify.patterns import pattern_data, read_accepted, read_pattern, read_stored

quick = settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**20) | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@quick
@given(st.data())
def test_what_is_written_is_read_back(data: st.DataObject) -> None:
    patterns = data.draw(loosened(patterns_of(data.draw(nets()))))
    for pattern in patterns:
        assert read_pattern(json.loads(json.dumps(pattern_data(pattern, SCHEMA))), SCHEMA) == pattern


@quick
@given(st.data())
def test_what_the_compiler_writes_is_accepted(data: st.DataObject) -> None:
    patterns = patterns_of(data.draw(nets()))
    written = [[pattern_data(p, SCHEMA) for p in patterns]]
    assert read_accepted(written, SCHEMA) == (patterns,)


@given(st.integers(-(10**15), 10**15), st.integers(0, 6))
def test_numbers_survive_being_written_as_people_write_them(value: int, places: int) -> None:
    kind = Type("decimal", places)
    assert read_stored(json.loads(json.dumps(to_json(value, kind))), kind, "it") == value


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1.005, MONEY), (float("nan"), MONEY), (float("inf"), MONEY), (True, MONEY), ("5", MONEY), ([5], MONEY),
        (1.5, INT), (float("-inf"), INT), (1, BOOL), ("no", BOOL), (5, TEXT), (True, TEXT), ({}, TEXT),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused(value: Any, kind: Type) -> None:
    with pytest.raises(TamperedPack):
        read_stored(value, kind, "it")


ADDED: dict[str, Any] = {
    "op": "added",
    "table": "line",
    "as": "line_1",
    "cells": {"order": {"is": "ORD-01"}, "beside": {"is": None}, "number": {"is": 3}},
}


def with_cell(name: str, cell: Any) -> dict[str, Any]:
    return {**ADDED, "cells": {**ADDED["cells"], name: cell}}


MEANINGLESS: dict[str, Any] = {
    "no mapping": ["added"],
    "no op": {"table": "line"},
    "another op": {**ADDED, "op": "upserted"},
    "no table": {"op": "removed"},
    "another table": {**ADDED, "table": "customer"},
    "a table that is no text": {**ADDED, "table": ["line"]},
    "a label that is no text": {**ADDED, "as": 3},
    "an id that is no text": {**ADDED, "id": None},
    "many that is neither": {**ADDED, "many": "yes"},
    "a word nobody knows": {**ADDED, "ids": "LIN-11"},
    "cells in a list": {**ADDED, "cells": ["order"]},
    "a column nobody has": with_cell("colour", "any"),
    "a column that is computed": {"op": "changed", "table": "paper", "id": "PAP-01", "cells": {"total": "any"}},
    "a column that is a log": {"op": "changed", "table": "paper", "id": "PAP-01", "cells": {"seen": "any"}},
    "a column left out": {**ADDED, "cells": {"order": "any", "beside": "any"}},
    "cells of a row that went": {"op": "removed", "table": "line", "id": "LIN-01", "cells": {"number": "any"}},
    "a cell that is any old word": with_cell("number", "whatever"),
    "a cell that says two things": with_cell("number", {"is": 1, "row": "x"}),
    "a cell that says nothing": with_cell("number", {}),
    "a reference without a name": with_cell("order", {"row": ""}),
    "a reference to a number": with_cell("order", {"row": 3}),
    "a number in words": with_cell("number", {"is": "three"}),
    "half a piece": with_cell("number", {"is": 1.5}),
}


@pytest.mark.parametrize("data", MEANINGLESS.values(), ids=MEANINGLESS)
def test_a_pattern_that_means_nothing_is_refused(data: Any) -> None:
    with pytest.raises(TamperedPack):
        read_pattern(data, SCHEMA)


def test_labels_stand_for_one_row_each() -> None:
    order = {"op": "changed", "table": "order", "as": "x1", "cells": {"status": {"is": "closed"}}}
    line = with_cell("order", {"row": "x1"})
    assert len(read_accepted([[order, line]], SCHEMA)[0]) == 2
    for wrong in ([line], [order, order, line], [{**order, "many": True}, line]):
        with pytest.raises(TamperedPack):
            read_accepted([wrong], SCHEMA)


@settings(quick, max_examples=examples(200))
@given(st.data())
def test_whatever_a_key_holds_is_read_or_refused(data: st.DataObject) -> None:
    """Never another error: a key that was tampered with must not bring the judge down."""
    pattern: Any = pattern_data(patterns_of(data.draw(nets(most=2)))[0], SCHEMA)
    where = data.draw(st.sampled_from(["", *pattern, *(f"cells.{k}" for k in pattern["cells"])]))
    junk = data.draw(json_values)
    if where.startswith("cells."):
        pattern["cells"][where.removeprefix("cells.")] = junk
    elif where:
        pattern[where] = junk
    else:
        pattern = junk
    for key in ([[pattern]], [pattern], pattern):
        with contextlib.suppress(TamperedPack):
            read_accepted(key, SCHEMA)
