"""The words of a request: what is asked, in the voice of whoever asks, as a message or a forwarded mail."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from worldwright.blueprint.model import PersonaSpec
from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.tasks.asking import WordedRequest

CONNECTORS = ("Then", "After that,", "Once that is through,", "When you have that,", "With that done,", "Next,")
CONNECTORS_APART = (
    "Another thing:", "Besides,", "Not related to that:", "While you are at it,", "Separately,", "One more thing:",
)  # fmt: skip
GREETINGS = {
    "plain": ("", "Hello,", "Good morning,"),
    "terse": ("",),
    "chatty": ("Hi there!", "Hello, me again.", "Good morning!"),
    "formal": ("Dear colleague,", "Good morning,"),
    "simple": ("Hello.", "Good day."),
}
CLOSINGS = {
    "plain": ("", "Thank you.", "Thanks."),
    "terse": ("", "Today, please."),
    "chatty": ("Thanks a lot, you are a star.", "Many thanks already!"),
    "formal": ("Thank you for seeing to it.", "I appreciate your help."),
    "simple": ("Thank you.", "Thank you very much."),
}
FORWARDS = ("Can you look after this, please?", "This one is for you.", "Please take this over.")

_STOPS = re.compile(r"(?<=[\w&)])\.\.(?=\s|$)")


def sentence(text: str) -> str:
    """A sentence with a capital and a stop."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else text + "."


def word_request(asks: Sequence[WordedRequest], closing: Sequence[str], stream: Stream) -> str:
    """Join what is asked, one thing after the other, and what goes with it."""
    parts = [sentence(asks[0].text), *_go_on(asks[1:], stream)]
    return _tidy(" ".join((*parts, *map(sentence, closing))))


def _go_on(asks: Sequence[WordedRequest], stream: Stream) -> list[str]:
    """Go on with further things, each joined in another way."""
    joins = {apart: stream.shuffled(words) for apart, words in ((False, CONNECTORS), (True, CONNECTORS_APART))}
    used = {False: 0, True: 0}
    out = []
    for ask in asks:
        words = joins[ask.apart]
        out.append(sentence(f"{words[used[ask.apart] % len(words)]} {ask.text}"))
        used[ask.apart] += 1
    return out


def split_request(
    asks: Sequence[WordedRequest], closing: Sequence[str], persona: PersonaSpec | None, form: str, stream: Stream
) -> tuple[str, ...]:
    """Split the request, the first goal without what is kept back and nothing of the others: they come when the requester is asked.
    Empty where there is nothing to come back for."""
    first, rest = asks[0], asks[1:]
    if not first.open and not rest:
        return ()
    opening = word_message([replace(first, text=first.open or first.text)], closing, persona, form, stream)
    return (opening, *map(sentence, first.adds), *map(_tidy, _go_on(rest, stream)))


def word_message(
    asks: Sequence[WordedRequest],
    closing: Sequence[str],
    persona: PersonaSpec | None,
    form: str,
    stream: Stream,
    turn: int | None = None,
) -> str:
    """The whole request as somebody writes it. `turn` is how often that persona has written before: nobody says the same again
    while there is something else to say."""
    what = word_request(asks, closing, stream)
    if persona is None:
        return what
    greeting, thanks = stream.pick(GREETINGS[persona.voice]), stream.pick(CLOSINGS[persona.voice])
    aside = ""
    if persona.aside:
        aside = sentence(stream.pick(persona.aside) if turn is None else persona.aside[turn % len(persona.aside)])
    body = _tidy(" ".join(part for part in (aside, what, thanks) if part))
    lines = [line for line in (greeting, body, persona.signs) if line]
    text = "\n\n".join(lines) if persona.voice == "formal" else "\n".join(lines)
    if form == "mail":
        return f"{stream.pick(FORWARDS)}\n\n" + "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
    return text


def _tidy(text: str) -> str:
    """Remove a stop after a stop: `Acme Corp..` ends once."""
    return _STOPS.sub(".", text)
