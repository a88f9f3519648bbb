"""The stages of state: the situations that it has to hold, `state.db` and `mess.json`, and requests that are filed in it."""

from __future__ import annotations

from dataclasses import asdict, replace

from worldwright.core.canonical import pretty_json
from worldwright.kinds.database.agenda import FILE, agenda_bytes
from worldwright.kinds.database.compile.agenda import make_agenda
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.situations import find_situations
from worldwright.kinds.database.compile.state.build import GrownState, grow_state
from worldwright.kinds.database.compile.tasks.filing import file_requests


def plan_situations(draft: Draft) -> Draft:
    """Add the situations that guards and flows call for."""
    found = draft.compiled.derive(find_situations)
    figures = f"{len(found.edges)} values at the edge of a rule and {len(found.ready)} unfinished processes to plant"
    return replace(draft.add("situations", figures), situations=found)


def build_state(draft: Draft) -> Draft:
    """Add the state that its own past has made, with situations and mess."""
    grown = grow_state(draft.compiled, draft.seed, draft.situations, watch=draft.watch)
    rows = sum(grown.rows.values())
    calls = sum(grown.past.calls.values())
    layers = len({b.label for b in grown.blemishes} | {h[0] for h in grown.past.half_done})
    waiting = len({(r[0].flow, r[0].step) for r in grown.past.ready})
    figures = (
        f"{len(grown.rows)} tables, {rows:,} rows, {calls:,} past operations, "
        f"{len(grown.edges)} values at the edge of a rule and {waiting} unfinished processes planted, {layers} layers of mess"
    )
    counts = {"tables": len(grown.rows), "rows": rows, "past_operations": calls, "blemishes": len(grown.blemishes)}
    files = {"state.db": grown.data, "mess.json": make_mess_file(grown), "situations.json": make_situations_file(grown)}
    return replace(draft.add("state", figures, files, counts), grown=grown)


def plan_agenda(draft: Draft) -> Draft:
    """Add what goes on after the world opens; nothing where no flow goes on."""
    if not draft.compiled.blueprint.ahead_days:
        return draft
    found = make_agenda(draft.compiled, draft.state.data, draft.seed, draft.state.past.ahead)
    figures = f"{len(found.events)} calls of others within {draft.compiled.blueprint.ahead_days} days after it opens"
    return draft.add("agenda", figures, {FILE: agenda_bytes(found)}, {"events": len(found.events)})


def make_situations_file(grown: GrownState) -> bytes:
    """Make the file of every situation that was planted, with the rows to find it by."""
    edges = [{**asdict(edge), "id": key} for edge, key in grown.edges.items()]
    ready = [
        {"flow": r.flow, "step": r.step, "operation": r.operation, "name": name, "entity": entity, "id": key}
        for r, name, entity, key in grown.past.ready
    ]
    return pretty_json({"edges": edges, "ready": ready}).encode()


def make_mess_file(grown: GrownState) -> bytes:
    """Make the file of every cell that a mess layer touched, and every row that a half-done process left."""
    cells = [b._asdict() for b in grown.blemishes]
    half = [
        {"label": label, "layer": "half_done", "entity": entity, "id": key}
        for label, entity, key in grown.past.half_done
    ]
    return pretty_json({"blemishes": cells, "half_done": half}).encode()


def file_requests_in_state(draft: Draft) -> Draft:
    """Add the filed requests, and the state that has them."""
    runtime = draft.open_runtime()
    copies = draft.state.list_copies(runtime.compiled.blueprint.mess)
    filed = file_requests(runtime, draft.seed, draft.state.messed_rows, copies)
    if filed is None:
        return draft.add("requests", "none filed", counts={"filed_requests": 0})
    figures = f"{len(filed.requests)} requests filed in the world itself"
    counts = {"filed_requests": len(filed.requests), "rows": filed.rows}
    grown = replace(draft.state, data=filed.state, digest=filed.digest)
    return replace(draft.add("requests", figures, {"state.db": filed.state}, counts), grown=grown, filed=filed.requests)
