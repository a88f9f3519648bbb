"""The sandbox keeps apart what is being tried and what the world opened with."""

from __future__ import annotations

from studies.parcel_desk import open_desk

from worldwright.kinds.database.compile.tasks.sandbox import Sandbox


def test_a_look_at_the_opening_leaves_the_session_where_it_is() -> None:
    sandbox = Sandbox(open_desk())
    session = sandbox.start("sender", "CLK-01")
    assert session.call("tag", {"parcel": "PA-001"}).ok
    before = session.changes()
    position = sandbox.compiled.tables["parcel"].position["tagged"]
    assert before
    assert not any(row.values[position] for row in sandbox.opening("parcel"))
    assert session.changes() == before
    session.close()
