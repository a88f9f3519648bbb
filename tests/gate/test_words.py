from __future__ import annotations

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.core.rng import Stream
from worldwright.gate.contamination.index import PERMUTATIONS, Bands, Index, Signature, compute_signature, excerpt
from worldwright.gate.contamination.records import INSTRUCTION, RUN, SHARE, SIMILAR, GymText, Thresholds
from worldwright.gate.contamination.words import OF_PROGRAMS, find_stock_places, list_grams, spans, words
from worldwright.kinds.database.compile.tasks import programs
from worldwright.kinds.database.compile.tasks.chains import IF_PART_FORBIDDEN
from worldwright.kinds.database.compile.tasks.single import IF_FORBIDDEN
from worldwright.kinds.database.compile.tasks.wording import CONNECTORS, CONNECTORS_APART

REQUEST = (
    "Please book the meeting room on the second floor for Ann Smith from nine until noon next Tuesday, order coffee for twelve "
    "people, and put the costs on the project that she leads."
)
OTHER = (
    "The quarterly report of the northern warehouse lists every pallet that was moved twice between the loading bays."
)


def estimate(one: Signature, other: Signature) -> float:
    """About how much two texts overlap."""
    return sum(a == b for a, b in zip(one, other, strict=True)) / PERMUTATIONS


def _hits(text: str, *own: str, limits: Thresholds | None = None) -> set[tuple[int, str]]:
    index = Index([GymText(INSTRUCTION, str(i), t) for i, t in enumerate(own)], limits or Thresholds())
    return {(hit.text, hit.measure) for hit in index.find_hits(words(text))}


def test_words_do_not_depend_on_case_layout_or_width() -> None:
    assert words("Hello,\n  WORLD! £12.50") == ["hello", "world", "12", "50"]
    assert words("Ｈｅｌｌｏ Straße") == ["hello", "strasse"]
    assert words("東京の部屋 please") == ["東", "京", "の", "部", "屋", "please"]


@given(st.text(max_size=200))
def test_every_word_has_its_place_in_the_text(text: str) -> None:
    plain, places = spans(text)
    assert [plain[a:b].casefold() for a, b in places] == words(text)


def test_a_copy_is_found_by_every_measure() -> None:
    assert _hits(REQUEST.upper(), OTHER, REQUEST) == {(1, RUN), (1, SHARE), (1, SIMILAR)}
    assert _hits(OTHER, REQUEST) == set()


def test_a_copy_inside_a_long_text_is_found_by_its_run() -> None:
    filler = [f"filler{n}" for n in range(300)]
    stuffed = " ".join([*filler[:150], REQUEST, *filler[150:]])
    assert (0, RUN) in _hits(stuffed, REQUEST)
    assert (0, SHARE) in _hits(stuffed, REQUEST)
    assert (0, SIMILAR) not in _hits(stuffed, REQUEST)


def test_thirteen_words_in_a_row_flag_and_twelve_do_not() -> None:
    taken = words(REQUEST)[3:16]
    assert (0, RUN) in _hits(" ".join(["whatever", *taken, "else"]), REQUEST)
    assert _hits(" ".join(["whatever", *taken[:12], "else"]), REQUEST) == set()
    assert (0, RUN) in _hits(" ".join(["whatever", *taken[:12], "else"]), REQUEST, limits=Thresholds(run=12))


def test_a_copy_with_other_values_is_found_by_its_shingles() -> None:
    changed = REQUEST.replace("Ann Smith", "Bob Jones").replace("twelve", "nine").replace("Tuesday", "Friday")
    assert (0, SIMILAR) in _hits(changed, REQUEST)


def test_stock_phrases_flag_nothing() -> None:
    """Greetings, thanks and what every request says of the handbook stand in all our worlds, and elsewhere."""
    stock = (
        "Good morning, This one is for you. If a rule of the handbook stands in the way, leave everything as it is and tell me "
        "which one. Thank you very much. Thanks a lot, you are a star."
    )
    assert _hits(stock, f"{stock} {OTHER}") == set()
    assert len(find_stock_places(words(stock))) > 0.9 * len(words(stock))
    assert (0, RUN) in _hits(f"{stock} {OTHER}", f"{stock} {OTHER}")


@pytest.mark.parametrize("phrase", [*CONNECTORS, *CONNECTORS_APART, *IF_FORBIDDEN, *IF_PART_FORBIDDEN])
def test_what_requests_go_on_and_end_with_flags_nothing(phrase: str) -> None:
    assert find_stock_places(words(phrase)) == frozenset(range(len(words(phrase))))
    assert _hits(f"{REQUEST} {phrase}", f"{OTHER} {phrase}") == set()


def test_rows_of_numbers_flag_nothing() -> None:
    numbers = " ".join(str(n % 7) for n in range(40))
    assert _hits(numbers, numbers) == set()


@pytest.mark.parametrize("phrase", OF_PROGRAMS)
def test_the_phrases_of_programs_are_those_of_the_compiler(phrase: str) -> None:
    assert phrase in inspect.getsource(programs)


def test_an_excerpt_shows_the_match_as_it_stands() -> None:
    text = "One two three. Four, five! SIX seven eight nine ten eleven twelve."
    assert excerpt(text, (6, 7)) == "... three. Four, five! SIX seven eight nine ten eleven ..."
    assert excerpt("", (0, 1)) == ""


# MinHash


def _text(stream: Stream, number: int) -> list[str]:
    return [f"w{stream.below(5000)}" for _ in range(number)]


def test_the_estimate_is_near_the_overlap() -> None:
    for seed in range(20):
        stream = Stream("minhash test", seed)
        one = _text(stream, 200)
        cut = 20 + 8 * seed
        other = one[:cut] + _text(stream, 200 - cut)
        a, b = set(list_grams(one, 3)), set(list_grams(other, 3))
        overlap = len(a & b) / len(a | b)
        # Four standard errors of 128 draws.
        assert abs(estimate(compute_signature(a), compute_signature(b)) - overlap) <= 4 * (0.25 / PERMUTATIONS) ** 0.5


def test_banding_finds_all_that_are_alike_and_few_that_are_not() -> None:
    bands = Bands()
    stream = Stream("banding")
    texts = [_text(stream, 60) for _ in range(200)]
    for key, text in enumerate(texts):
        bands.add(key, compute_signature(list_grams(text, 3)))
    strangers = 0
    for key, text in enumerate(texts):
        changed = list(text)
        for at in (5, 20, 35, 50):
            changed[at] = "other"
        found = bands.candidates(compute_signature(list_grams(changed, 3)))
        assert key in found
        strangers += len(found) - 1
    assert strangers < 200


def test_signatures_are_the_same_everywhere() -> None:
    """No `hash()` of Python in it, which differs from process to process."""
    assert (
        compute_signature([("a", "b", "c"), ("b", "c", "d")])[:2]
        == compute_signature([("b", "c", "d"), ("a", "b", "c")])[:2]
    )
    assert sum(compute_signature([("a", "b", "c")])) % 1_000_003 == 635545
