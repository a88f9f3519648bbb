"""The requests stage: tickets and mails that say what is wanted, filed in the state before anything is asked of it."""

from __future__ import annotations

from dataclasses import replace

from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.tasks.filing import file_requests


def file_requests_in_state(draft: Draft) -> Draft:
    """Add the filed requests, and the state that has them."""
    filed = file_requests(draft.open_runtime(), draft.seed, draft.state.damaged)
    if filed is None:
        return draft.add("requests", "none filed", counts={"filed_requests": 0})
    figures = f"{len(filed.requests)} requests filed in the world itself"
    counts = {"filed_requests": len(filed.requests), "rows": filed.rows}
    grown = replace(draft.state, data=filed.state, digest=filed.digest)
    return replace(draft.add("requests", figures, {"state.db": filed.state}, counts), grown=grown, filed=filed.requests)
