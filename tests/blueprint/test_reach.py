"""Reach: from an expression about one row, the paths to every other row it reads."""

from __future__ import annotations

import pytest
from tests.worlds import text

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr.parse import parse
from worldwright.blueprint.expr.scope import Language, Scope
from worldwright.blueprint.reach import Down, Up, find_reach
from worldwright.blueprint.siblings import load_cached
from worldwright.blueprint.types import BOOL


@pytest.fixture(scope="module")
def library() -> Checked:
    return load_cached(text("town_library"))


def found(library: Checked, expression: str, entity: str) -> tuple[list[list[str]], set[str]]:
    node = parse(expression, Language(library.schema), Scope(self_entity=entity), BOOL)
    seen = find_reach(library, node, entity)
    paths = [[f"{'up' if isinstance(h, Up) else 'down'} {h.column}" for h in path] for path in seen.paths if path]
    return sorted(paths), set(seen.wide)


def test_its_own_fields_need_no_path(library: Checked) -> None:
    assert found(library, "fine >= 0", "loan") == ([], set())


def test_a_reference_is_a_way_up(library: Checked) -> None:
    assert found(library, "copy.status == 'lost'", "loan") == ([["up copy"]], set())


def test_rows_that_refer_back_are_a_way_down(library: Checked) -> None:
    way = next(name for name, w in library.schema.entities["member"].ways.items() if w.entity == "loan")
    paths, wide = found(library, f"count(l for l in {way} if l.copy.status == 'lost') < 3", "member")
    assert (paths, wide) == ([["down member"], ["down member", "up copy"]], set())


def test_a_whole_table_has_no_path(library: Checked) -> None:
    assert found(library, "count(l for l in loan if l.fine > 0) < 3", "member") == ([], {"loan"})


def test_hops_know_both_ends(library: Checked) -> None:
    node = parse("copy.status == 'lost'", Language(library.schema), Scope(self_entity="loan"), BOOL)
    paths = find_reach(library, node, "loan").paths
    assert {path: set(columns) for path, columns in paths.items()} == {
        (): {"copy"},
        (Up("loan", "copy", "copy"),): {"status"},
    }
    assert not any(isinstance(h, Down) for path in paths for h in path)
