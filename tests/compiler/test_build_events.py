"""What a build tells while it goes on is what came of it, and being watched changes no byte."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from tests.shared_builds import build as shared_build
from tests.worlds import EXAMPLE, SEED

from worldwright.blueprint.load import load_file
from worldwright.compiler.build import build
from worldwright.kinds.build_events import (
    BuildEvent,
    GraphProposed,
    LinkProven,
    RowsGrown,
    StageBegun,
    StageEnded,
    TaskFound,
    TaskLeftOut,
    TaskTried,
)
from worldwright.kinds.database.battery.settings import BULK
from worldwright.kinds.database.compile.tasks.knobs import knobs

FEW = knobs("medium", {"most": "8"})


@pytest.mark.slow
def test_events_tell_what_came_of_the_build() -> None:
    heard: list[BuildEvent] = []
    watched = build(load_file(EXAMPLE), SEED, watch=heard.append, knobs=FEW, battery=BULK).pack
    alone = shared_build(load_file(EXAMPLE), SEED, knobs=FEW, battery=BULK)
    assert watched.files == alone.pack.files

    begun = [e.stage for e in heard if isinstance(e, StageBegun)]
    ended = {e.stage: e.figures for e in heard if isinstance(e, StageEnded)}
    assert [stage for stage in begun if stage in ended] == list(ended) == list(alone.figures)
    assert ended == alone.figures

    grown = [e for e in heard if isinstance(e, RowsGrown)]
    months = [e.reached for e in grown[1:-1]]
    assert (grown[0].reached, grown[-1].reached) == ("base", "mess")
    assert len(months) > 3
    assert months == sorted(set(months))
    totals = [sum(e.rows.values()) for e in grown]
    assert totals == sorted(totals)
    assert totals[0] < totals[-1] == watched.manifest.counts["rows"]

    graph = json.loads(watched.files["graph.json"])
    proposed = next(e for e in heard if isinstance(e, GraphProposed))
    proven = [(e.source, e.target, e.kind, e.input) for e in heard if isinstance(e, LinkProven)]
    assert sorted(proven) == sorted((e["source"], e["target"], e["kind"], e["input"]) for e in graph["edges"])
    assert {(a, b) for a, b, _, _ in proven} <= set(proposed.links)
    assert set(proposed.tools) == {node["tool"] for node in graph["nodes"]}

    sheet = json.loads(watched.files["datasheet.json"])
    kept = sum(isinstance(e, TaskFound) for e in heard) - sum(isinstance(e, TaskLeftOut) and e.after_all for e in heard)
    tried = [e for e in heard if isinstance(e, TaskTried)]
    assert kept == len(tried) == 8
    assert len([e for e in tried if not e.wrong]) == len(sheet["tasks"])
    reasons = Counter(e.reason for e in heard if isinstance(e, TaskLeftOut))
    assert reasons == Counter(
        {why: n for why, n in sheet["dropped"].items() if not why.startswith(("battery", "referee"))}
    )
    episodes = sum(sum(map(sum, e.cells.values())) for e in tried if not e.wrong)
    assert episodes == sheet["episodes"]
