"""Pictures: the same ones every time, every box on them, no name that could be taken for markup; columns where the layout fails."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.studio.house import library

from worldwright.facts.graph import graph_of
from worldwright.studio.drawing import layout
from worldwright.studio.drawing.assertions import draw_assertions
from worldwright.studio.drawing.entities import draw_lifecycles
from worldwright.studio.drawing.layout import Box, Diagram, Layout, lay_out, set_in_columns
from worldwright.studio.drawing.tool_graph import draw_links, draw_tool_graph

HOSTILE = (
    "</text><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "label=<b>x</b>\\n",
    "\u202eabc\x00\x1b[31m",
    "x" * 10_000,
)
PLAIN = Diagram((Box(80, 20, 0), Box(120, 20, 0), Box(60, 20, 1), Box(60, 20, 1)), ((0, 1), (1, 2)), 2, ((3,),))


@pytest.fixture(autouse=True)
def forget() -> None:
    """Let no test see what another laid out."""
    layout._kept.clear()


def count(svg: str, name: str) -> int:
    """How many elements of a name a picture has; it has to be well-formed."""
    return sum(one.tag.rpartition("}")[2] == name for one in ElementTree.fromstring(svg).iter())


def overlaps(one: Diagram, found: Layout) -> list[tuple[int, int]]:
    edges = [
        (x - b.width / 2, y - b.height / 2, x + b.width / 2, y + b.height / 2)
        for b, (x, y) in zip(one.boxes, found.boxes, strict=True)
    ]
    return [
        (a, b)
        for a, (left, top, right, bottom) in enumerate(edges)
        for b, (l2, t2, r2, b2) in enumerate(edges)
        if a < b and left < r2 and l2 < right and top < b2 and t2 < bottom
    ]


def test_boxes_do_not_overlap_and_stand_in_their_groups() -> None:
    [found] = lay_out([PLAIN])
    assert overlaps(PLAIN, found) == []
    assert all(found.lines)
    for box, (x, y) in zip(PLAIN.boxes, found.boxes, strict=True):
        left, top, right, bottom = found.groups[box.group]
        assert left <= x - box.width / 2
        assert x + box.width / 2 <= right
        assert top <= y <= bottom
        assert 0 <= x <= found.width
        assert 0 <= y <= found.height


def test_a_layout_is_the_same_every_time() -> None:
    [first] = lay_out([PLAIN])
    layout._kept.clear()
    assert lay_out([PLAIN]) == (first,)


def test_a_layout_is_made_once() -> None:
    lay_out([PLAIN])
    began = time.process_time_ns()
    assert len(layout._kept) == 1
    lay_out([PLAIN])
    assert len(layout._kept) == 1
    assert time.process_time_ns() - began < 50_000_000


@pytest.mark.parametrize(
    "worker",
    [
        "worldwright.no_such_module",
        "this",
        "json.tool",
    ],
)
def test_columns_stand_in_where_the_layout_fails(worker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "WORKER", worker)
    [found] = lay_out([PLAIN])
    assert found == set_in_columns(PLAIN)
    assert overlaps(PLAIN, found) == []


def test_columns_stand_in_where_the_layout_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "MAX_SECONDS", 0.001)
    assert lay_out([PLAIN]) == (set_in_columns(PLAIN),)


def test_what_is_too_large_to_read_is_set_in_columns() -> None:
    large = Diagram(tuple(Box(60, 20, n % 5) for n in range(layout.MAX_BOXES + 1)), ((0, 1),), 5)
    [found] = lay_out([large])
    assert found == set_in_columns(large)
    assert overlaps(large, found) == []


@pytest.mark.parametrize("one", [Diagram((), ()), Diagram((Box(20, 20),), ()), Diagram((Box(20, 20),), ((0, 0),))])
def test_the_smallest_diagrams_are_drawn(one: Diagram) -> None:
    [found] = lay_out([one])
    assert len(found.boxes) == len(one.boxes)
    assert found.width > 0
    assert found.height > 0


def test_every_tool_and_link_of_a_world_is_on_the_picture() -> None:
    graph = graph_of(library())
    picture = str(draw_tool_graph(graph, lambda tool: f"/tools/{tool}"))
    pairs = {(e.source, e.target) for e in graph.edges if e.source != e.target}
    assert picture.count("data-tool=") == len(graph.nodes)
    assert picture.count("data-from=") == len(pairs)
    assert all(f'href="/tools/{node.tool}"' in picture for node in graph.nodes)
    assert picture == str(draw_tool_graph(graph, lambda tool: f"/tools/{tool}"))


def test_hostile_names_are_text(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []
    run = subprocess.run

    def listen(*args: object, **options: object) -> object:
        asked.append(bytes(options["input"]))  # type: ignore[call-overload]
        return run(*args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "run", listen)
    tools = dict.fromkeys(HOSTILE, HOSTILE[0])
    links = [(HOSTILE[0], HOSTILE[1], True, HOSTILE[2])]
    picture = str(draw_links(tools, {HOSTILE[0]}, links, lambda _: "/x", HOSTILE[1], {name: name for name in HOSTILE}))
    lives = draw_lifecycles({HOSTILE[0]: {name: [HOSTILE[1]] for name in HOSTILE}}, {HOSTILE[0]: {HOSTILE[1]: 3}})
    assertions = draw_assertions([dict.fromkeys(HOSTILE, False)], dict.fromkeys(HOSTILE, 0))
    for one in (picture, str(lives[HOSTILE[0]]), str(assertions)):
        assert count(one, "script") == 0
        assert count(one, "img") == 0
        assert "\u202e" not in one
        assert "\x1b" not in one
    assert asked
    assert not any(b"alert" in one or b"label" in one for one in asked)


def test_a_lifecycle_that_goes_round_is_drawn() -> None:
    way = {"open": ["closed", "open"], "closed": ["open"], "gone": []}
    [life] = draw_lifecycles({"loan": way}, {}).values()
    assert str(life).count('class="link follows"') == 3
    assert str(life).count('class="state') == 3


def test_the_layout_program_is_asked_in_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pygraphviz.py").write_text("raise SystemExit(3)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert lay_out([PLAIN]) == (set_in_columns(PLAIN),)
