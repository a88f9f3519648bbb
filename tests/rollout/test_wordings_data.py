"""Instructions that a person wrote by hand, for tasks of three worlds: they say the same in other words.

`instead_of` is the generated instruction, so that both can be read side by side; `omits` lists what is left out of it and why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from worldwright.compiler.build import BuiltWorld
from worldwright.rollout.plan import hash_instruction, read_wordings
from worldwright.store.open import world_of

FOLDER = Path(__file__).parents[2] / "benchmarks" / "wordings"
DOMAINS = ("enterprise_procurement", "hotel_booking", "retail_returns")
FAMILIES = {"walk", "program", "policy", "repair"}
LONGEST = 5
"""So many words in a row may be the same, once names and numbers are taken out."""

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = rf"(?P<month>{'|'.join(MONTHS)})[a-z]*\.?"
DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
DATES = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b{DAY}(?: of)? {MONTH}(?:,? (?P<year>\d{{4}}))?\b",
        rf"\b{MONTH} {DAY}(?:,? (?P<year>\d{{4}}))?\b",
        r"\b(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)\b",
        r"\b(?P<day>1[3-9]|2\d|3[01])\.(?P<month>\d{1,2})\.(?P<year>\d{4})\b",
    )
)
"""The last form only where the day cannot be a month."""
MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
QUOTED = re.compile(r'"([^"]+)"')
CODE = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z\d]+(?:-[A-Za-z\d]+)*\b")
NUMBER = re.compile(r"(?<![\w.,-])(\d[\d,]*(?:\.\d+)?)(k?)(?![\w-])")
NAME = re.compile(
    r"(?<=[a-z,'(&] )[A-Z][\w'-]*[a-z](?:'s)?|[A-Z][\w-]*[a-z](?= (?:& )?[A-Z][a-z])|\b[A-Z]{2,}\b(?!-?\d)"
)
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
OPENERS = frozenset({"The", "Please", "Room"})
"""Words with a capital that are no name, where a name follows."""


def wordings(domain: str) -> list[dict[str, Any]]:
    data = json.loads((FOLDER / f"{domain}.json").read_text(encoding="utf-8"))
    assert (data["domain"], data["seed"]) == (domain, 7)
    found: list[dict[str, Any]] = data["wordings"]
    return found


EACH = [pytest.param(w, id=f"{d}-{w['task']}") for d in DOMAINS for w in wordings(d)]


# What an instruction says


def dates(text: str) -> Iterator[tuple[int, int, str]]:
    """Day, month and year (empty where it is not said)."""
    for form in DATES:
        for m in form.finditer(text):
            month = m["month"].lower()
            number = int(month) if month.isdigit() else MONTHS.index(month[:3]) + 1
            yield int(m["day"]), number, m["year"] or ""


def without_dates(text: str) -> str:
    for form in DATES:
        text = form.sub(" ", text)
    return text


def numbers(text: str) -> set[Decimal]:
    plain = MAIL.sub(" ", without_dates(text))
    found = {Decimal(n.replace(",", "").rstrip(".")) * (1000 if k else 1) for n, k in NUMBER.findall(plain)}
    return found | {
        Decimal(i) for i, word in enumerate(WORDS, start=1) if re.search(rf"\b{word}\b", text, re.IGNORECASE)
    }


def names(text: str) -> set[str]:
    """Words with a capital that do not just open a sentence."""
    plain = QUOTED.sub(" ", without_dates(MAIL.sub(" ", text)))
    return {n.removesuffix("'s") for n in NAME.findall(plain)} - OPENERS


def spelled(text: str) -> set[str]:
    """What has to be there letter for letter: addresses, numbers with letters in them, titles."""
    plain = MAIL.sub(" ", text)
    return {*MAIL.findall(text), *CODE.findall(without_dates(plain)), *QUOTED.findall(text)}


def missing(original: str, says: str) -> list[str]:
    """Facts of the one text that the other does not have."""
    said, low = set(dates(says)), says.lower()
    days = {(day, month) for day, month, _ in said}
    out = {f"{d}.{m}.{y}" for d, m, y in dates(QUOTED.sub(" ", original)) if (d, m) not in days or y not in says}
    out |= {str(n) for n in numbers(original) - numbers(says) if any(n == Decimal(x) for x in _digits(original))}
    out |= {s for s in spelled(original) if s.lower() not in low}
    out |= {n for n in names(original) if not re.search(rf"\b{re.escape(n.lower())}", low)}
    return sorted(out)


def _digits(text: str) -> Iterator[str]:
    """Numbers in figures: `one` in an instruction is an article more often than a number."""
    yield from (n.replace(",", "").rstrip(".") for n, _ in NUMBER.findall(MAIL.sub(" ", without_dates(text))))


def common_run(one: str, other: str) -> list[str]:
    """The longest run of words that both have, names and numbers left aside."""
    a, b = _prose(one), _prose(other)
    best: list[str] = []
    before = [0] * (len(b) + 1)
    for i, word in enumerate(a):
        row = [0] * (len(b) + 1)
        for j, its in enumerate(b):
            if word == its:
                row[j + 1] = before[j] + 1
                if row[j + 1] > len(best):
                    best = a[i - row[j + 1] + 1 : i + 1]
        before = row
    return best


def _prose(text: str) -> list[str]:
    plain = MAIL.sub(" ", QUOTED.sub(" ", text))
    return [w for w in re.findall(r"[\w'-]+", plain) if w == w.lower() and not any(c.isdigit() for c in w)]


# The files


@pytest.mark.parametrize("domain", DOMAINS)
def test_each_world_has_twenty_for_every_family(domain: str) -> None:
    found = wordings(domain)
    tasks = [w["task"] for w in found]
    assert len(found) == 20
    assert tasks == sorted(set(tasks))
    assert {w["was"] for w in found} == FAMILIES
    assert len(read_wordings([FOLDER / f"{domain}.json"])) == 20


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_two_have_the_same_shape(domain: str) -> None:
    texts = [w["says"] for w in wordings(domain)]
    lengths = [len(t.split()) for t in texts]
    assert max(lengths) > 3 * min(lengths)
    assert len(set(lengths)) >= 12
    assert len({tuple(t.split()[:2]) for t in texts}) >= 18
    assert len({t.count("\n") for t in texts}) >= 4


@pytest.mark.parametrize("domain", DOMAINS)
def test_they_have_little_in_common_with_each_other(domain: str) -> None:
    texts = [w["says"] for w in wordings(domain)]
    pairs = ((a, b) for i, a in enumerate(texts) for b in texts[:i])
    assert max((common_run(a, b) for a, b in pairs), key=len)[8:] == []


@pytest.mark.parametrize("wording", EACH)
def test_the_words_are_others(wording: dict[str, Any]) -> None:
    run = common_run(wording["instead_of"], wording["says"])
    assert len(run) <= LONGEST, f"both say: {' '.join(run)}"


@pytest.mark.parametrize("wording", EACH)
def test_the_facts_are_the_same(wording: dict[str, Any]) -> None:
    omits = wording.get("omits", [])
    assert missing(wording["instead_of"], wording["says"]) == sorted(o["fact"] for o in omits)
    assert all(o["why"] for o in omits)


@pytest.mark.parametrize("wording", EACH)
def test_it_names_the_instruction_that_it_is_for(wording: dict[str, Any]) -> None:
    assert wording["for"] == hash_instruction(wording["instead_of"])
    assert wording["says"] == wording["says"].strip()


@pytest.mark.slow
@pytest.mark.parametrize("name", DOMAINS)
def test_the_worlds_still_ask_for_these(name: str, built: Callable[[str], BuiltWorld]) -> None:
    tasks = {hash_instruction(t.instruction): t for t in world_of(built(name).pack).tasks}
    found = wordings(name)
    alive = [w for w in found if w["for"] in tasks]
    assert len(alive) * 2 >= len(found), (
        f"only {len(alive)} of {len(found)} wordings are for a task of {name}: write them anew"
    )
    assert [tasks[w["for"]].family for w in alive] == [w["was"] for w in alive]
    if len(alive) < len(found):
        gone = ", ".join(w["task"] for w in found if w["for"] not in tasks)
        pytest.skip(f"{name} no longer asks for {gone}: the wordings of those are not played")


# The checks themselves


ORIGINAL = (
    'Please book the request "Spare parts" of Deepa Young for 5 August 2025, invoice FX-70904 over 1,200.50 USD, '
    "and write to d.young@example.com. Thank you."
)


@pytest.mark.parametrize(
    ("says", "lacks"),
    [
        ('deepa young, "spare parts": Aug 5 2025, FX-70904, 1200.5 usd. mail d.young@example.com', []),
        ('Deepa Young\'s "Spare parts", the 5th of August 2025, FX-70904, USD 1,200.50, d.young@example.com', []),
        ('Deepa Young, "Spare parts", 2025-08-06, FX-70904, 1,200.50 USD, d.young@example.com', ["5.8.2025"]),
        ('Deepa Young, "Spare parts", 5 Aug 2024, FX-70904, 1,200.50 USD, d.young@example.com', ["5.8.2025"]),
        (
            'Deepa Young, "Spare parts", 5 Aug 2025, FX-70940, 1,200.05 USD',
            ["1200.50", "FX-70904", "d.young@example.com"],
        ),
        ('Deepa, "Spare part", 5 Aug 2025, FX-70904, 1,200.50 USD, d.young@example.com', ["Spare parts"]),
        (
            '"Spare parts", 5 Aug 2025, FX-70904, 1,200.50 USD, d.yong@example.com',
            ["Deepa", "Young", "d.young@example.com"],
        ),
    ],
)
def test_a_fact_that_is_lost_is_seen(says: str, lacks: list[str]) -> None:
    assert missing(ORIGINAL, says) == lacks


def test_small_and_round_numbers_may_be_written_as_people_do() -> None:
    assert missing("Take 4 of them over 9,000.00 and 20.00 euros.", "four of those above 9k, and €20") == []
    assert missing("Take 4 of them.", "take five") == ["4"]


def test_a_run_of_words_is_seen_through_names() -> None:
    other = "I said: buy it for Ana today, if nothing stands in the way, and leave me alone"
    assert " ".join(common_run("If nothing stands in the way, leave it to Ana.", other)) == "nothing stands in the way"
    assert " ".join(common_run("it goes to Ana Novak on 5 August", "it goes on to him")) == "it goes"
    assert " ".join(common_run("it goes to Ana Novak on Monday", "she GOES to on")) == "to on"
