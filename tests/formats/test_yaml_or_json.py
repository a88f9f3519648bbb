"""The loader for YAML and JSON: what is odd but meant comes through, what is a trap is refused fast and in words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from worldwright.formats import yaml_events
from worldwright.formats.yaml_or_json import MAX_CHARS, Unreadable, load

ANCHORS = Path(__file__).parents[2].parent / "shared" / "anchors"


def data(text: str) -> Any:
    """The document, where nothing had to be put up with."""
    document, warnings = load(text.encode())
    assert warnings == []
    return document


def test_json_keeps_large_integers_exactly() -> None:
    assert data('{"id": 90071992547409931234567890}') == {"id": 90071992547409931234567890}


def test_a_number_beyond_all_bounds_stays_text() -> None:
    digits = "9" * 5_000
    assert data(f'{{"a": {digits}, "b": 1e999, "c": NaN}}') == {"a": digits, "b": "1e999", "c": "NaN"}
    assert data(f"a: {digits}\nb: 1e999\nc: .nan") == {"a": digits, "b": "1e999", "c": ".nan"}


@pytest.mark.parametrize("text", ['{"a": 1, "b": 2, "a": 3}', "a: 1\nb: 2\na: 3\n"])
def test_the_last_of_two_equal_keys_counts_and_is_told(text: str) -> None:
    document, warnings = load(text.encode())
    assert document == {"a": 3, "b": 2}
    [warning] = warnings
    assert "`a` is given twice" in warning


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2020-01-31", "2020-01-31"),
        ("2001-12-14 21:59:43.10 -5", "2001-12-14 21:59:43.10 -5"),
        ("2022-13-99T30:00:61Z", "2022-13-99T30:00:61Z"),
        ("12:30:45", "12:30:45"),
        ("=", "="),
        ("yes", "yes"),
        ("No", "No"),
        ("on", "on"),
        ("OFF", "OFF"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("0123", "0123"),
        ("1_000", "1_000"),
        ("0", 0),
        ("-17", -17),
        ("0x1F", 31),
        ("0o17", 15),
        ("3.50", 3.5),
        ("1e3", 1000.0),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ("!!int '12'", 12),
    ],
)
def test_words_without_quotes_follow_yaml_1_2(text: str, value: Any) -> None:
    assert data(f"a: {text}") == {"a": value}


def test_keys_are_text_as_they_are_written() -> None:
    document = data("200: a\n2020-01-01: b\nnull: c\ntrue: d\non: e\n1.10: f\n~: g\n")
    assert document == {"200": "a", "2020-01-01": "b", "null": "c", "true": "d", "on": "e", "1.10": "f", "~": "g"}


def test_a_mapping_as_a_key_is_survived() -> None:
    document, warnings = load(b"{{ name }}: 1\nb: 2")
    assert document["b"] == 2
    assert "key" in warnings[0]


def test_merge_keys() -> None:
    text = "base: &base {a: 1, b: 2}\nmore: &more {c: 3}\none: {<<: *base, b: 9}\ntwo: {<<: [*more, *base], d: 4}\n"
    document = data(text)
    assert document["one"] == {"a": 1, "b": 9}
    assert document["two"] == {"c": 3, "a": 1, "b": 2, "d": 4}


def test_an_alias_that_names_nothing_is_text() -> None:
    document, warnings = load(b"a: *required\nb: 1")
    assert document == {"a": "*required", "b": 1}
    assert "line 1" in warnings[0]


def test_an_alias_within_itself_is_cut() -> None:
    document, warnings = load(b"a: &a [1, *a]")
    assert document == {"a": [1, None]}
    assert warnings


def test_unknown_tags_construct_nothing() -> None:
    document, warnings = load(b"a: !!python/object/apply:os.system ['false']\nb: !Ref Thing")
    assert document == {"a": ["false"], "b": "Thing"}
    assert len(warnings) == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a:\n\tb: 1\n\tc:\n\t\td: 2\n", {"a": {"b": 1, "c": {"d": 2}}}),
        ("a: 1\x00\nb: te\x07xt\n", {"a": 1, "b": "text"}),
        ("a: one: two\nb: 3\n", {"a": "one: two", "b": 3}),
        ("a: @home\nb: `code`\n", {"a": "@home", "b": "`code`"}),
        ("---\na: 1\n---\nb: 2\n", {"a": 1}),
    ],
    ids=["tabs", "control characters", "a colon in a text", "reserved characters", "two documents"],
)
def test_what_is_untidy_is_mended_and_told(text: str, value: Any) -> None:
    document, warnings = load(text.encode())
    assert document == value
    assert warnings


def test_json_with_tabs_and_trailing_commas() -> None:
    assert load(b'{\n\t"a": [1, 2,],\n\t"b": "x\ty",\n}')[0] == {"a": [1, 2], "b": "x\ty"}


def test_half_a_character_never_comes_through() -> None:
    document, warnings = load(b'{"a": "\\ud800", "b": "\\ud83d\\ude00", "c": "\\udc00x"}')
    assert document == {"a": "\ufffd", "b": "😀", "c": "\ufffdx"}
    assert warnings
    json.dumps(document, ensure_ascii=False).encode()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_encodings(encoding: str) -> None:
    text = "title: an order and what it costs\nnäme: Größe\n"
    assert load(text.encode(encoding))[0] == {"title": "an order and what it costs", "näme": "Größe"}


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('{\n "a": 1\n "b": 2\n}', 3, "not JSON"),
        ("a: 1\nb: [1, 2\nc: 3\n", 3, "not YAML"),
        ("a: 1\n  b: 2\n", 2, "not YAML"),
    ],
)
def test_what_cannot_be_read_says_where_and_why(text: str, line: int, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        load(text.encode())
    assert caught.value.line == line
    assert reason in caught.value.reason


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        bomb(30),
        "[" * 100_000,
        "[" * 300 + "]" * 300,
        "- " * 50_000,
        "{a: " * 50_000,
        '{"a":' * 100_000,
        "? " * 50_000,
        "a: &a [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1 if i else ''}]\n" for i in range(400)).replace("*a-1", "*a"),
        "x" * (MAX_CHARS + 1),
    ],
    ids=["bomb", "lists", "JSON lists", "dashes", "braces", "objects", "questions", "deep aliases", "large"],
)
@pytest.mark.timeout(60)
@pytest.mark.untraced
def test_traps_are_refused_fast(text: str) -> None:
    data = text.encode()
    with pytest.raises(Unreadable):
        load(data)


def test_aliases_are_counted_as_if_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"a: &a [1, 2, 3]\nb: [*a, *a]"
    monkeypatch.setattr(yaml_events, "MAX_NODES", 16)
    assert load(text)[0] == {"a": [1, 2, 3], "b": [[1, 2, 3], [1, 2, 3]]}
    monkeypatch.setattr(yaml_events, "MAX_NODES", 15)
    with pytest.raises(Unreadable, match="more than 15 nodes"):
        load(text)


def test_the_pure_parser_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"a: &a {b: 2020-01-01, <<: {c: yes}}\nd: [*a, !!str 1, ' x ']\n200: |\n  text\n"
    fast = load(text)
    monkeypatch.setattr(yaml_events, "_LOADER", yaml.SafeLoader)
    assert load(text) == fast


def test_warnings_are_kept_short() -> None:
    _, warnings = load(b"a: 1\n" * 500)
    assert len(warnings) == 21
    assert "479 more" in warnings[-1]


@pytest.mark.timeout(60)
@pytest.mark.untraced
def test_a_megabyte_of_yaml_loads_in_a_few_seconds() -> None:
    entry = "  - name: item\n    price: 12.50\n    tags: [a, b]\n    says: |\n      some words\n      in two lines\n"
    text = ("items:\n" + entry * (1_000_000 // len(entry))).encode()
    document, _ = load(text)
    assert document["items"][-1] == {
        "name": "item",
        "price": 12.5,
        "tags": ["a", "b"],
        "says": "some words\nin two lines\n",
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=examples(100), deadline=None)
@given(JSON)
def test_json_comes_back_as_it_was(value: Any) -> None:
    assert load(json.dumps(value).encode()) == (value, [])


WORDS = st.text(alphabet="abcyesno0123456789-:.T ", min_size=1, max_size=12).filter(
    lambda word: not re.match(r"[-.]?[0-9]+[eo]", word)
)
"""Without `1e3` and `0o7`, which are numbers in YAML 1.2 alone."""


@settings(max_examples=examples(100), deadline=None)
@given(st.dictionaries(WORDS, st.integers() | st.booleans() | st.none() | WORDS, min_size=1, max_size=5))
def test_what_a_yaml_dumper_writes_comes_back(value: dict[str, Any]) -> None:
    """A dumper of YAML 1.1 puts every text in quotes that any version reads as something else."""
    assert load(yaml.safe_dump(value).encode())[0] == value


@settings(max_examples=examples(150), deadline=None)
@given(st.binary(max_size=300) | st.text(alphabet="ab:-[]{}&*!|>'\"%@`#,?<\n\t ", max_size=200).map(str.encode))
def test_nothing_but_unreadable_is_raised_and_the_same_bytes_give_the_same(data: bytes) -> None:
    def outcome() -> Any:
        try:
            return load(data)
        except Unreadable as e:
            return e.line, e.reason

    assert outcome() == outcome()


@pytest.mark.untraced
def test_public_documents_load() -> None:
    folder = ANCHORS / "openapi"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there: public API descriptions to read")
    for path in sorted(folder.iterdir()):
        document, warnings = load(path.read_bytes())
        assert isinstance(document, dict), path.name
        assert all(isinstance(key, str) for key in document), path.name
        assert warnings == [], path.name
