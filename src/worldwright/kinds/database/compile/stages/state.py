"""The state stage: `state.db`, and `mess.json` that owns up to every blemish in it."""

from __future__ import annotations

from dataclasses import asdict, replace

from worldwright.core.canonical import pretty_json
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.state.build import Grown, grow_state


def build_state(draft: Draft) -> Draft:
    """Add the state that its own past has made, with situations and mess."""
    grown = grow_state(draft.compiled, draft.seed, draft.situations)
    rows = sum(grown.rows.values())
    calls = sum(grown.past.calls.values())
    layers = len({b.label for b in grown.blemishes} | {h[0] for h in grown.past.half_done})
    waiting = len({(r[0].flow, r[0].step) for r in grown.past.ready})
    figures = (
        f"{len(grown.rows)} tables, {rows:,} rows, {calls:,} past operations, "
        f"{len(grown.edges)} values at the edge of a rule and {waiting} unfinished processes planted, {layers} layers of mess"
    )
    counts = {"tables": len(grown.rows), "rows": rows, "past_operations": calls, "blemishes": len(grown.blemishes)}
    files = {"state.db": grown.data, "mess.json": mess_file(grown), "situations.json": situations_file(grown)}
    return replace(draft.add("state", figures, files, counts), grown=grown)


def situations_file(grown: Grown) -> bytes:
    """Every situation that was planted, with the rows to find it by."""
    edges = [{**asdict(edge), "id": key} for edge, key in grown.edges.items()]
    ready = [
        {"flow": r.flow, "step": r.step, "operation": r.operation, "name": name, "entity": entity, "id": key}
        for r, name, entity, key in grown.past.ready
    ]
    return pretty_json({"edges": edges, "ready": ready}).encode()


def mess_file(grown: Grown) -> bytes:
    """Every cell that a mess layer touched, and every row that a half-done process left."""
    cells = [b._asdict() for b in grown.blemishes]
    half = [
        {"label": label, "layer": "half_done", "entity": entity, "id": key}
        for label, entity, key in grown.past.half_done
    ]
    return pretty_json({"blemishes": cells, "half_done": half}).encode()
