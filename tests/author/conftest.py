"""A bench over the town library: a Blueprint that stands, and a page of rules that somebody could have made it from."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldwright.anchor.binding.records import ClaimRow
from worldwright.author.folder import write_bench, write_claims
from worldwright.core.canonical import pretty_json

LIBRARY = Path(__file__).resolve().parents[2] / "examples" / "town_library.yaml"
RULES = (
    "Nobody borrows more than their allowance.",
    "Members who owe more than 10 EUR borrow nothing until they have paid.",
    "Fines over 15 EUR are never waived.",
    "A copy is lent only from the shelf.",
    "The page has a blue header.",
)


def claims() -> tuple[ClaimRow, ...]:
    """The rules as rows, nothing decided yet."""
    return tuple(
        ClaimRow(f"c{n:03d}", f"rules.md#{n}", says, "must", "layout" if "header" in says else "business")
        for n, says in enumerate(RULES, start=1)
    )


def lay_bench(folder: Path, **files: str) -> Path:
    """Write a bench; files by name without their ending."""
    plain = {
        "bench.json": pretty_json({"format": 1, "anchor": "library", "world": "town_library", "title": "Town library"}),
        "blueprint.yaml": LIBRARY.read_text(),
        "claims.yaml": write_claims(claims()),
        "cases.yaml": "[]\n",
        "contract.yaml": "",
        "notes.md": "# Notes\n",
        "operations.json": "[]",
        "evidence/rules.md.txt": "".join(f"{n} | {says}\n" for n, says in enumerate(RULES, start=1)),
    }
    ends = {"blueprint": "blueprint.yaml", "claims": "claims.yaml", "cases": "cases.yaml", "contract": "contract.yaml"}
    write_bench(folder, {**plain, **{ends[name]: text for name, text in files.items()}})
    return folder


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """A bench on which nothing was decided yet."""
    return lay_bench(tmp_path / "library")
