"""Words: whatever names and amounts stand in a request, it reads as sentences in the voice of whoever asks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldwright.blueprint.model import PersonaSpec
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.tasks.asking import WordedRequest
from worldwright.kinds.database.compile.tasks.wording import CLOSINGS, GREETINGS, sentence, word_message, word_request

VOICES = tuple(GREETINGS)
asks = st.sampled_from(
    [
        "please call off the order of Acme Corp.",
        "Wu Solar Ltd. sent a bill",
        "is there anything left to pay?",
        "stop it",
        'the mail "Open account" from Ann Lee waits',
    ]
)


def say(*texts: str) -> list[WordedRequest]:
    return [WordedRequest(text, ()) for text in texts]


@given(asks)
def test_a_sentence_starts_large_and_ends_once(text: str) -> None:
    out = sentence(text)
    assert out[0].isupper()
    assert re.search(r"(?<![.?!])[.?!]$", out) or out.endswith(("Corp.", "Ltd."))


@given(st.lists(asks, min_size=1, max_size=3), st.lists(asks, max_size=2), st.sampled_from(VOICES), st.integers(0, 50))
def test_everything_asked_is_in_the_words(first: list[str], closing: list[str], voice: str, seed: int) -> None:
    persona = PersonaSpec.model_validate(
        {"says": "somebody", "voice": voice, "signs": "Ann", "aside": ["it is raining"]}
    )
    text = word_message(say(*first), closing, persona, "message", Stream("test", seed))
    flat = text.casefold()
    for ask in (*first, *closing):
        assert ask.rstrip(".?!").casefold() in flat
    assert ".." not in text
    assert "  " not in text
    assert text.endswith("Ann")


def test_a_forwarded_mail_is_quoted() -> None:
    persona = PersonaSpec(says="somebody", voice="formal", signs="Ann")
    text = word_message(say("stop it"), [], persona, "mail", Stream("test", 1))
    quoted = [line for line in text.split("\n") if line.startswith(">")]
    assert any("Stop it." in line for line in quoted)
    assert not text.split("\n")[0].startswith(">")


def test_nobody_in_particular_asks_plainly() -> None:
    assert word_message(say("stop it"), ["tell me"], None, "message", Stream("test", 1)) == "Stop it. Tell me."


def test_goals_follow_each_other() -> None:
    assert re.match(r"Stop it\. (Then|After that,|Once that is through,|When you have that,|With that done,|Next,) call me\.$",
                    word_request(say("stop it", "call me"), [], Stream("test", 3)))  # fmt: skip


@pytest.mark.parametrize("voice", VOICES)
def test_every_voice_greets_and_closes(voice: str) -> None:
    assert GREETINGS[voice]
    assert CLOSINGS[voice]


def test_something_else_is_not_said_to_follow() -> None:
    asked = [WordedRequest("stop it", ()), WordedRequest("call me", (), apart=True)]
    for seed in range(20):
        text = word_request(asked, [], Stream("test", seed))
        assert re.match(
            r"Stop it\. (Another thing:|Besides,|Not related to that:|While you are at it,|Separately,|One more thing:) call me\.$",
            text,
        )


def test_no_two_things_are_joined_in_the_same_way() -> None:
    asked = [WordedRequest("stop it", ()), *(WordedRequest(f"call {k}", (), apart=k % 2 == 0) for k in range(6))]
    text = word_request(asked, [], Stream("test", 5))
    joined = [part.partition(" call")[0].split(". ")[-1] for part in re.findall(r"[A-Z][^.]*? call \d", text)]
    assert len(joined) == len(set(joined)) == 6


def test_a_persona_does_not_say_the_same_again_while_there_is_something_else() -> None:
    persona = PersonaSpec.model_validate({"says": "somebody", "aside": ["it rains", "it snows", "it is hot"]})
    texts = [word_message(say("stop it"), [], persona, "message", Stream("test", k), k) for k in range(3)]
    assert [aside for text, aside in zip(texts, ("It rains", "It snows", "It is hot"), strict=True) if aside in text]
    assert sum("It rains" in text for text in texts) == 1
