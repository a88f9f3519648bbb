"""The guide for authors: every piece of YAML in it is right, and it names everything that the bench has."""

from __future__ import annotations

import json
import re
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from tests.shared_builds import build

from worldwright.anchor.binding.records import DISPOSITIONS, ELSEWHERE, TARGETS, ClaimRow
from worldwright.anchor.binding.targets import find_target
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.mcp import read
from worldwright.assay.grade import DEMANDS
from worldwright.author import verbs
from worldwright.author.answers import BLOCKS
from worldwright.author.cases import judge_cases
from worldwright.author.contract import make_contract
from worldwright.author.findings import CODES
from worldwright.author.mcp_server import TOOLS
from worldwright.author.records import Bench, CaseRow
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_text
from worldwright.formats.strict_yaml import dump_yaml, read_yaml
from worldwright.kinds.database.battery.settings import BULK

GUIDE = verbs.read_guide()
SOURCE = Path(verbs.__file__).resolve().parents[1]
_FENCE = re.compile(r"^```yaml (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TOOLS_OF_THE_STORE = {
    "store_lend": {"pupil_id": "string", "instrument_id": "string", "days": "integer"},
    "store_return": {"data": "object"},
    "store_search_loans": {"pupil_id": "string", "due_before": "string"},
    "store_approve": {"repair_id": "string"},
}


def blocks(kind: str) -> list[str]:
    return [body for found, body in _FENCE.findall(GUIDE) if found == kind]


def chapter(title: str) -> str:
    return verbs.read_guide(title)


@pytest.fixture(scope="module")
def world() -> Checked:
    (text,) = blocks("world")
    return load_text(text, "guide.yaml")


def test_every_piece_of_yaml_is_of_a_kind_that_is_checked() -> None:
    assert Counter(kind for kind, _ in _FENCE.findall(GUIDE)) == {
        "world": 1, "merge": 2, "contract": 1, "claims": 1, "cases": 1,
    }  # fmt: skip
    assert GUIDE.count("```yaml") == 6


def test_the_example_builds_what_the_guide_says(world: Checked) -> None:
    """And that is what a deep world takes."""
    counts = build(world, 7, battery=BULK).pack.manifest.counts
    said = re.search(r"builds (\d+) tasks \(([^)]*)\)", GUIDE)
    assert said is not None
    families = {name: int(n) for n, name in re.findall(r"(\d+) `(\w+)`", said[2])}
    assert int(said[1]) == counts["tasks"] == sum(families.values())
    assert families == {name: counts[f"tasks_{name}"] for name in families}
    wanted = DEMANDS["deep"]
    assert int(said[1]) >= wanted["tasks"]
    assert all(families[name] >= wanted[name] for name in ("policy", "program"))


def put_into(whole: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    for name, node in more.items():
        inside = whole.get(name)
        whole[name] = put_into(inside, node) if isinstance(inside, dict) and isinstance(node, dict) else node
    return whole


@pytest.mark.parametrize("piece", blocks("merge"))
def test_pieces_fit_into_the_example(piece: str) -> None:
    whole, more = read_yaml(blocks("world")[0])[0], read_yaml(piece)[0]
    assert isinstance(whole, dict)
    assert isinstance(more, dict)
    assert load_text(dump_yaml(put_into(deepcopy(whole), more)), "merged.yaml").policies


def test_claims_of_the_guide_are_bound_to_what_has_force(world: Checked) -> None:
    rows = read_yaml(blocks("claims")[0])[0]
    assert isinstance(rows, list)
    assert {row["is"] for row in rows} == set(DISPOSITIONS) - {ELSEWHERE}
    for row in rows:
        targets = [find_target(to, world) for to in row.get("to", ())]
        assert all(not isinstance(t, str) and not t.idle for t in targets), row
        assert bool(targets) != bool(row.get("why"))


def test_cases_of_the_guide_agree_with_its_rules(world: Checked) -> None:
    rows = read_yaml(blocks("cases")[0])[0]
    assert isinstance(rows, list)
    cases = tuple(CaseRow(row["policy"], row["by"], tuple(row["cases"])) for row in rows)
    claims = tuple(
        ClaimRow(f"c{n}", "a.md#1", "", "", "", "bound", (f"policy:{c.policy}",)) for n, c in enumerate(cases)
    )
    text = blocks("world")[0]
    assert list(judge_cases(Bench("", "", text, "", claims, cases), world, text)) == []


def _schemas(takes: dict[str, str]) -> dict[str, Any]:
    return {name: {"type": kind} for name, kind in takes.items()}


def test_the_contract_of_the_guide_maps_every_tool(world: Checked) -> None:
    tools = [
        {"name": name, "description": name, "inputSchema": {"type": "object", "properties": _schemas(takes)}}
        for name, takes in TOOLS_OF_THE_STORE.items()
    ]  # fmt: skip
    operations = read([Upload("tools.json", json.dumps({"tools": tools}).encode())]).operations
    made = make_contract(Bench("", "", "", blocks("contract")[0], (), (), operations), world)
    assert made.findings == ()
    assert made.contract is not None
    assert set(made.contract.tools) == set(TOOLS_OF_THE_STORE)
    assert all(not idle for idle in made.idle.values())


def test_every_finding_has_its_mend_and_none_is_made_up() -> None:
    named = set(
        re.findall(
            r"`(\w+)`",
            "\n".join(line.split("|")[1] for line in chapter("Findings").splitlines() if line.count("|") == 3),
        )
    )
    assert named - {"code"} == set(CODES)


def test_every_reason_is_one_that_the_compiler_gives() -> None:
    given = "\n".join(
        p.read_text() for p in (*SOURCE.glob("kinds/database/compile/**/*.py"), SOURCE / "author" / "goals.py")
    )
    cells = [line.split("|")[1] for line in chapter("left out").splitlines() if line.startswith("| ")][2:]
    reasons = [part.strip() for cell in cells for part in re.split(r";|,", cell)]
    assert len(reasons) > 15
    for reason in reasons:
        assert reason.removesuffix("...").strip() in given, reason


def test_verbs_targets_and_blocks_are_those_of_the_bench() -> None:
    way = chapter("The way of working")
    assert set(re.findall(r"`(\w+_\w+)`", way)) <= set(TOOLS)
    assert all(f"`{block}`" in way for block in BLOCKS)
    assert all(f"{kind}:" in chapter("Where a statement goes") for kind in TARGETS)


def test_the_guide_is_short_enough_to_be_sent_in_every_round() -> None:
    assert len(GUIDE.encode()) < 51_000
    assert GUIDE.count("\n") < 745
    titles = re.findall(r"^## (.+)$", GUIDE, re.MULTILINE)
    assert len(titles) == len(set(titles))
    assert all(chapter(title).startswith(f"## {title}") for title in titles)
