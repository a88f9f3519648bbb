"""Other words for what a requester says: taken where they say the same, or else not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.people.wording import MAX_LONGER, accept_wording, ask_for_wording, list_telling_words

LINE = "The new day: 5 May 2026, and not before 10:30. The order is PO-0012 of Ana's shop."
SAME = [
    "Certainly! The new day is 5 May 2026, and not before 10:30. It is the order PO-0012 of Ana's shop.",
    "oh sure, new day 5 May 2026 and not before 10:30 \u2013 order PO-0012 of Ana\u2019s shop, thank you",
    LINE,
]
OTHER = {
    "another date": LINE.replace("5 May", "6 May"),
    "another number": LINE.replace("0012", "0013"),
    "no negation": LINE.replace("not before", "before"),
    "less": "The new day: 5 May 2026.",
    "more": LINE + " Please also cancel it.",
    "a question": LINE + " Which order do you mean?",
    "another order of things": "The order is PO-0012 of Ana's shop. The new day: 5 May 2026, and not before 10:30.",
    "a question mark": LINE.removesuffix(".") + "?",
    "markup": f"**{LINE}**",
    "an object": '{"reply": "' + LINE + '"}',
    "two paragraphs": LINE.replace(" The order", "\n\nThe order"),
    "an address": LINE + " https://example.org",
    "nothing": "  ",
    "another role": f"assistant: {LINE}",
    "a symbol": LINE + " \U0001f600",
    "much": LINE + " please" * MAX_LONGER,
}


@pytest.mark.parametrize("said", SAME)
def test_what_says_the_same_is_taken(said: str) -> None:
    assert accept_wording(LINE, said) == said


@pytest.mark.parametrize("said", OTHER.values(), ids=OTHER)
def test_what_says_something_else_is_not(said: str) -> None:
    assert accept_wording(LINE, said) is None


@pytest.mark.parametrize("said", [None, 7, ["a"], {"content": LINE}, b"x"])
def test_what_is_no_text_is_not(said: object) -> None:
    assert accept_wording(LINE, said) is None


WORDS = st.lists(
    st.sampled_from(["the", "day", "is", "not", "if", "May", "12.50", "AG-7", "?", ",", "you", "red"]), max_size=12
)


@given(WORDS, WORDS)
def test_only_the_words_that_matter_decide(one: list[str], other: list[str]) -> None:
    first, second = " ".join(one), " ".join(other)
    taken = accept_wording(first, second) is not None
    assert taken == (bool(other) and list_telling_words(first) == list_telling_words(second))


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_weighed_without_an_error(script: str, said: str) -> None:
    found = accept_wording(script, said)
    assert found is None or list_telling_words(found) == list_telling_words(script)


def test_the_model_is_given_the_line_and_the_voice_and_nothing_else() -> None:
    _, asked = ask_for_wording("It is red.", "terse")
    assert asked["content"] == "Voice: terse\nLine: It is red."
