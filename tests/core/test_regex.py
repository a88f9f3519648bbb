"""Patterns read without the private modules of `re`, and texts that they match."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.regex import UnreadableRegex, generate_matches, parse_regex, read_pattern, sample_match
from worldwright.core.rng import Stream

SRC = Path(__file__).parents[2] / "src" / "worldwright"
PATTERNS = (
    r"^[A-Z]{2}\d{4}$", "a|b|c", "ab|ac", "(?:foo|fop){2,3}x*", "[^a-z]+", r"\w+@\w+\.com", r"\bfoo\b", "x{3}", "x{,4}",
    "^(EUR|USD|GBP)$", r"[\w.-]+", r"\u0041\x42", "(?=a)a.", r"^(?:\d{3}-)?\d{4}$", "[]a]", r"[a\-z]", "(?i)^(all|none)$",
    r"(?P<x>\d)+?", "^((-?[0-9]+)|(-?([0-9]+)?[.][0-9]+))$", r"^\S+ \S+$", "a{", r"\/orders\/[0-9a-f]{8}",
)  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_texts_match_the_pattern_they_were_made_from(pattern: str) -> None:
    texts = generate_matches(pattern, "seed")
    assert texts
    assert all(re.search(pattern, text) for text in texts)
    assert texts == generate_matches(pattern, "seed")


@pytest.mark.parametrize(
    "pattern", ["(?<=a)b", r"(a)\1", "(?(1)a|b)", "(", ")", "*", "[a-", "[z-a]", "a\\", r"\p{L}", "(?x)a"]
)
def test_what_is_not_read_is_refused(pattern: str) -> None:
    with pytest.raises(UnreadableRegex):
        parse_regex(pattern)
    assert generate_matches(pattern, "seed") == []


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_text_is_drawn_from_a_stream_and_is_the_whole_match(pattern: str) -> None:
    texts = [sample_match(pattern, Stream("row", k)) for k in range(20)]
    assert texts == [sample_match(pattern, Stream("row", k)) for k in range(20)]
    assert all(re.search(pattern, text) for text in texts)


@pytest.mark.parametrize(
    "pattern", ["(a{90}){90}", "((((((((((a+)+)+)+)+)+)+)+)+)+){60}", "(" * 80 + "x" + ")+" * 80, "x" * 300]
)
def test_what_would_give_too_long_a_text_is_refused_at_once(pattern: str) -> None:
    with pytest.raises(UnreadableRegex):
        read_pattern(pattern)


@given(st.text("ab(|)[]{}*+?.^$\\d-,12:=!<", max_size=14))
def test_any_text_is_read_or_refused(pattern: str) -> None:
    for text in generate_matches(pattern, "seed", number=2):
        assert len(text) <= 200


def test_names_of_the_standard_library_that_are_private_are_not_imported() -> None:
    for file in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                names += [f"{names[0]}.{a.name}" if names else a.name for a in node.names]
                parts = [part for name in names if not name.startswith("worldwright") for part in name.split(".")]
                assert not [p for p in parts if p.startswith("_") and not p.startswith("__")], file
