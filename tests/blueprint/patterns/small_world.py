"""A small business around one pattern: the rows that a test gives, sessions on them, and what is wrong with a Blueprint."""

from __future__ import annotations

import re
from typing import Any

import pytest

from worldwright.blueprint import patterns
from worldwright.blueprint.load import load_text
from worldwright.blueprint.source import load_yaml
from worldwright.core.errors import BlueprintError, Finding
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.harness import insert_row, make_blank_state, settle
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session

_EXAMPLE = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


class SmallWorld:
    """A blank world, filled row by row. Amounts are given as they are stored, in the smallest unit."""

    def __init__(self, text: str) -> None:
        self.compiled = compile_blueprint(text)
        self._conn = self.compiled.connect(self.compiled.derive(make_blank_state))
        self._uow = self.compiled.unit_of_work(self._conn)

    def given(self, entity: str, /, **values: Any) -> str:
        """A row that is there from the start. Gives its id."""
        return insert_row(self.compiled, self._uow, entity, values)

    def opens(self, role: str) -> Session:
        """An episode on these rows; the first row with the role acts."""
        settle(self.compiled, self._uow)
        return Runtime(self.compiled, self._conn.serialize(), "").session(role)


def grown(text: str, role: str, seed: int = 7) -> Session:
    """An episode on the state that a build would give the world."""
    compiled = compile_blueprint(text)
    return Runtime(compiled, grow_state(compiled, seed).data, "").session(role)


def does(session: Session, tool: str, /, **arguments: Any) -> Any:
    """What a call gives, which has to succeed."""
    result = session.call(tool, arguments)
    assert result.ok, result.error
    return result.data


def refuses(session: Session, tool: str, /, **arguments: Any) -> str:
    """The code of a call that has to be refused, and that leaves no trace."""
    before, clock = session.digest(), session.clock
    result = session.call(tool, arguments)
    assert not result.ok, result.data
    assert (session.digest(), session.clock) == (before, clock)
    assert result.error is not None
    return result.error.code


def findings(text: str) -> tuple[Finding, ...]:
    """What the checker says about a Blueprint that is wrong."""
    with pytest.raises(BlueprintError) as caught:
        load_text(text)
    return caught.value.findings


def finding(text: str) -> Finding:
    """The only thing that is wrong with a Blueprint."""
    (only,) = findings(text)
    return only


def line_of(text: str, start: str) -> int:
    """The number of the first line that starts like this, apart from indentation."""
    return next(i for i, line in enumerate(text.splitlines(), 1) if line.strip().startswith(start))


def example(name: str) -> tuple[str, str]:
    """The example in a pattern's docstring: its `use` section, and the statements after it, if it has any."""
    found = _EXAMPLE.search(patterns.get(name).doc)
    assert found, f"{name} has no example"
    use, _, statements = found[1].partition("# ...\n")
    return use, statements


def uses(text: str) -> list[dict[str, Any]]:
    """The entries of a `use` section."""
    entries: list[dict[str, Any]] = load_yaml(text, "use").data["use"]
    return entries


def from_pattern(text: str, name: str) -> dict[str, set[str]]:
    """By section, the nodes of the expanded Blueprint that carry the pattern as their source."""
    blueprint = load_text(text).blueprint
    assert blueprint.use == ()
    sections = ("entities", "terms", "policies", "operations", "always")
    return {
        section: marked
        for section in sections
        if (marked := {key for key, node in getattr(blueprint, section).items() if node.source == f"pattern:{name}"})
    }
