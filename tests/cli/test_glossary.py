"""The glossary against the pages: its words are used, and the product's own words of the README stand in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
TERMS = tuple(re.findall(r"^\| ([A-Za-z][A-Za-z -]*) \| [A-Z]?", PAGE.partition("| --- |")[2], re.MULTILINE))
OTHERS = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs").rglob("*.md") if p.name != "glossary.md")
COINED = (
    "agent", "anchor", "arena", "Blueprint", "catalogue", "contract", "episode", "family", "gate", "gym", "handbook", "key",
    "knob", "layer", "mess", "pack", "pattern", "planner", "seal", "situation", "store", "variant", "verdict", "verifier", "world",
)  # fmt: skip


def test_the_glossary_is_in_order() -> None:
    assert len(TERMS) > 30
    assert list(TERMS) == sorted(TERMS, key=str.lower)


@pytest.mark.parametrize("term", TERMS)
def test_every_term_is_used_in_the_documentation(term: str) -> None:
    assert re.search(rf"\b{term}", OTHERS, re.IGNORECASE)


@pytest.mark.parametrize("word", COINED)
def test_the_readme_uses_words_that_the_glossary_has(word: str) -> None:
    assert re.search(rf"\b{word}", README, re.IGNORECASE)
    assert word in TERMS


def test_the_glossary_is_linked() -> None:
    assert "docs/glossary.md" in README
    assert "glossary.md" in (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
