"""Random damage to the text of a Blueprint, as tired authors and broken programs do it."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import strategies as st

SCALARS = (
    "", "null", "~", "true", "no", "5", "-1", "0", "1.5", "1e9", "nan", "-inf", "999999999999999999999", "[]", "{}", "[[1]]",
    "{a: b}", "[a, [b]]", "'", '"', "|", ">", "&a", "*a", "!!int 3", "! x", "today", "none", "id", "self", "actor", "now",
    "x for x in loan", "sum(l.fine for l in loan)", "first(l for l in loan)", "f'{x}'", "f'{today}'", "1 / 0", "round(1 / 0, 2)",
    "(", "-", "not", "lambda: 1", "a.b.c.d", "member", "member.loans", "member.loans.member", "loan?", "money in name",
    "decimal(9)", "one of", "one of a 0%, b 100%", "state", "state?", "text = today", "int = 1", "int computed 1 + 'a'",
    "{list: copy}", "{list: {a: int}}", "{type: int, default: 1}", "{default: {}}", "12%", "-3%", "%", "名", "a" * 70,
    "f'{{' + '}'", "obeys(loan_limit)", "open_loans(member)", "late_days(today)", "add_days(today, 10 ** 9)", "9" * 5000,
    "coalesce(none, none)", "min(none, none)", "abs(none)", "date('x')", "{allowed: {}}", "'0 days'", "anyone",
)  # fmt: skip
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Mutate = Callable[[list[str], Callable[[int], int]], None]


def drop(lines: list[str], choose: Callable[[int], int]) -> None:
    del lines[choose(len(lines))]


def double(lines: list[str], choose: Callable[[int], int]) -> None:
    i = choose(len(lines))
    lines.insert(choose(len(lines)), lines[i])


def swap(lines: list[str], choose: Callable[[int], int]) -> None:
    i, j = choose(len(lines)), choose(len(lines))
    lines[i], lines[j] = lines[j], lines[i]


def shift(lines: list[str], choose: Callable[[int], int]) -> None:
    i = choose(len(lines))
    lines[i] = "  " + lines[i] if choose(2) else lines[i].removeprefix("  ")


def scalar(lines: list[str], choose: Callable[[int], int]) -> None:
    """Another value behind a key."""
    i = choose(len(lines))
    key, colon, _ = lines[i].partition(": ")
    lines[i] = f"{key}: {SCALARS[choose(len(SCALARS))]}" if colon else SCALARS[choose(len(SCALARS))]


def flow_scalar(lines: list[str], choose: Callable[[int], int]) -> None:
    """Another value inside braces or brackets."""
    i = choose(len(lines))
    spots = [m.start() for m in re.finditer(r"(?<=[:,\[{] )[^,\]}]+|(?<=[\[{])[^,\]}]+", lines[i])]
    if spots:
        start = spots[choose(len(spots))]
        end = re.compile(r"[,\]}]|\Z").search(lines[i], start)
        lines[i] = lines[i][:start] + SCALARS[choose(len(SCALARS))] + (lines[i][end.start() :] if end else "")


def word(lines: list[str], choose: Callable[[int], int]) -> None:
    """One word for another that stands elsewhere in the text."""
    known = sorted(set(WORD.findall("\n".join(lines))))
    i = choose(len(lines))
    found = list(WORD.finditer(lines[i]))
    if found and known:
        m = found[choose(len(found))]
        lines[i] = lines[i][: m.start()] + known[choose(len(known))] + lines[i][m.end() :]


def letter(lines: list[str], choose: Callable[[int], int]) -> None:
    i = choose(len(lines))
    j = choose(len(lines[i]) + 1)
    added = ("", ":", "'", '"', "{", "}", "?", "#", "-", ".", "(", ")", "\t", "ß", "\\")
    lines[i] = lines[i][:j] + added[choose(len(added))] + lines[i][j + 1 :]


MUTATIONS: tuple[Mutate, ...] = (
    drop,
    double,
    swap,
    shift,
    scalar,
    scalar,
    flow_scalar,
    flow_scalar,
    word,
    word,
    letter,
)


def mutated(text: str, choose: Callable[[int], int], most: int = 3) -> str:
    lines = text.splitlines()
    for _ in range(1 + choose(most)):
        if lines:
            MUTATIONS[choose(len(MUTATIONS))](lines, choose)
    return "\n".join(lines) + "\n"


@st.composite
def mutations(draw: st.DrawFn, text: str, most: int = 3) -> str:
    """The text with one to `most` things wrong."""
    return mutated(text, lambda n: draw(st.integers(0, n - 1)), most)
