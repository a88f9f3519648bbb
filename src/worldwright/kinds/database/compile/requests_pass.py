"""The requests pass: tickets and mails that say what is wanted, filed in the state before anything is asked of it."""

from __future__ import annotations

from dataclasses import replace

from worldwright.kinds.database.compile.before import before
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.tasks.filing import file_requests
from worldwright.kinds.database.runtime import Runtime


def requests(draft: Draft) -> Draft:
    grown = draft.grown
    assert grown is not None
    filed = file_requests(Runtime(before(draft.compiled), grown.data, ""), draft.seed, grown.damaged)
    if filed is None:
        return draft.adding("requests", "none filed", {}, {"filed_requests": 0})
    figures = f"{len(filed.requests)} requests filed in the world itself"
    added = draft.adding(
        "requests", figures, {"state.db": filed.state}, {"filed_requests": len(filed.requests), "rows": filed.rows}
    )
    grown = replace(grown, data=filed.state, digest=filed.digest)
    return replace(added, grown=grown, filed=filed.requests)
