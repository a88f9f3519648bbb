"""`inspect --graph`: the tool graph on the screen, one tool with its proofs, and the same as data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldwright.pack.open import Pack
from worldwright.pack.seal import seal, write_pack

from .conftest import Run


def resealed(pack: Pack, target: Path, graph: bytes | None) -> str:
    """The pack with another `graph.json`, or without one, and a manifest that fits."""
    m = pack.manifest
    facts = {k: getattr(m, k) for k in ("name", "kind", "blueprint", "seed", "variant", "parent", "state", "counts")}
    files = {path: data for path, data in pack.files.items() if path not in ("manifest.json", "graph.json")}
    if graph is not None:
        files["graph.json"] = graph
    write_pack(seal(files, facts), target)
    return str(target)


def test_the_whole_graph(run: Run, library: str, pack: Pack) -> None:
    found = run("inspect", library, "--graph")
    assert found.code == 0
    graph = json.loads(pack.files["graph.json"])
    figures = graph["figures"]
    assert f"GRAPH  8 tools, {figures['strong']} strong and {figures['weak']} weak edges" in found.out
    for domain in graph["sub_domains"]:
        assert f"\n{domain['name'].upper()}  {len(domain['tools'])} tools" in found.out
    for node in graph["nodes"]:
        assert f"\n  {node['tool']} " in found.out
    assert "2 ──▶ take_back (loan)" in found.out
    assert "2 ┄┄▶ lend (status)" in found.out
    assert f"{figures['unproven']} proposed edges were never seen" in found.out


@pytest.mark.parametrize(
    "part", [("--graph",), ("--graph", "lend"), ("--graph", "clear_shelf"), ("--graph", "find_loans")]
)
def test_fits_the_width(run: Run, library: str, part: tuple[str, ...]) -> None:
    found = run("inspect", library, *part)
    assert found.code == 0
    assert [line for line in found.out.splitlines() if len(line) > 100 or line != line.rstrip()] == []


def test_one_tool_with_its_proofs(run: Run, library: str, pack: Pack) -> None:
    found = run("inspect", library, "--graph", "take_back").out
    for words in ("FEEDS IT", "IT FEEDS", "takes ids loan: loan", "brings ids of copy, member"):
        assert words in found
    for edge in json.loads(pack.files["graph.json"])["edges"]:
        v = edge["evidence"]
        if edge["target"] == "take_back" and edge["kind"] == "value":
            assert f"2 {edge['source']} ──▶ {edge['input']}" in found
            assert f"walk {v['walk']} call {v['produced']:>3}  {v['produced_by']}: {edge['source']} " in found
            assert f"shows {v['value']}" in found
            assert f"takes it as {v['at']}" in found
        if edge["source"] == "take_back" and edge["kind"] == "effect":
            assert f"sets {v['row']} {edge['column']} = {v['value']}" in found


def test_as_data(run: Run, library: str, pack: Pack) -> None:
    whole = run("inspect", library, "--graph", "--json").data
    assert set(whole) == {"world", "graph"}
    assert whole["graph"] == json.loads(pack.files["graph.json"])
    one = run("inspect", library, "--graph", "lend", "--json").data["graph"]
    assert [n["tool"] for n in one["nodes"]] == ["lend"]
    assert one["edges"] == [e for e in whole["graph"]["edges"] if "lend" in (e["source"], e["target"])]
    cited = {(e["evidence"]["walk"], e["evidence"][k]) for e in one["edges"] for k in ("produced", "consumed")}
    assert {(c["walk"], c["number"]) for c in one["calls"]} == cited


def test_what_is_not_there(run: Run, library: str, pack: Pack, tmp_path: Path) -> None:
    found = run("inspect", library, "--graph", "lendd")
    assert (found.code, found.out) == (2, "")
    assert "did you mean `lend`?" in found.err
    old = run("inspect", resealed(pack, tmp_path / "old", None), "--graph")
    assert (old.code, old.out) == (2, "")
    assert "rebuild it" in old.err


@pytest.mark.parametrize("graph", [b"", b"[]", b"{}", b'{"edges": 1}', b"\xff", b'{"nodes": [{"tool": {}}]}'])
def test_a_graph_that_cannot_be_read(run: Run, pack: Pack, tmp_path: Path, graph: bytes) -> None:
    place = resealed(pack, tmp_path / "odd", graph)
    for more in ((), ("--json",)):
        found = run("inspect", place, "--graph", *more)
        assert (found.code, found.out) == (4, "")
        assert "graph.json cannot be read" in found.err
    assert run("inspect", place).code == 0


def test_a_graph_cannot_command_the_terminal(run: Run, pack: Pack, tmp_path: Path) -> None:
    graph = json.loads(pack.files["graph.json"])
    graph["sub_domains"][0]["name"] = "a\x1b[2J"
    graph["nodes"][0]["roles"] = ["b\x1b[2J"]
    graph["edges"][0]["evidence"]["value"] = "c\x1b[2J"
    graph["calls"] = []
    place = resealed(pack, tmp_path / "hostile", json.dumps(graph).encode())
    for part in ((), (graph["edges"][0]["target"],)):
        found = run("inspect", place, "--graph", *part)
        assert found.code == 0
        assert "\x1b" not in found.out
