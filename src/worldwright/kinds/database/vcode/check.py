"""A file of `vcode/` as a record: whose task it is, and the function that says what is expected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.vcode.expect import Expect
from worldwright.kinds.database.verify.spec import Specification


@dataclass(frozen=True, slots=True)
class Check:
    """What `@ww.task` makes of a function."""

    task: str
    role: str
    actor: str
    """The id of the person the agent acts as."""
    says: Callable[[Expect], None]


def task(name: str, *, role: str = "", actor: str = "") -> Callable[[Callable[[Expect], None]], Check]:
    """Whose episodes the function is about."""
    return lambda says: Check(name, role, actor, says)


def specification(check: Check, compiled: CompiledWorld) -> Specification:
    """What the file says, in the engine's own terms."""
    expect = Expect(compiled)
    check.says(expect)
    return expect.specification()
