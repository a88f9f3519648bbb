"""How numbers, amounts and flags are drawn: by the words of their names, by units that descriptions name, within bounds."""

from __future__ import annotations

import re
from typing import NamedTuple

from worldwright.anchor.model.meaning_cues import read_lines
from worldwright.anchor.model.meanings import split_name
from worldwright.anchor.model.records import Attribute
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

FAR = 10**9


class Range(NamedTuple):
    """Usual values: from, to, and how they are drawn."""

    low: float
    high: float
    drawn: str


def _range(text: str) -> Range:
    """What is written as `1 12 between(1, 12)`."""
    low, high, drawn = text.split(" ", 2)
    return Range(float(low), float(high), drawn)


def _ranges(text: str) -> dict[tuple[str, ...], Range]:
    return {tuple(cue.split()): _range(rest) for cues, rest in read_lines(text) for cue in cues.split(", ")}


TABLES = {
    "int": _ranges("""
year: 1990 2035 between(2017, 2025)
birth year: 1945 2005 between(1950, 2004)
month: 1 12 between(1, 12)
exp year: 2025 2035 between(2025, 2031)
day: 1 31 between(1, 28)
hour: 0 23 between(6, 20)
minute: 0 59 pick(0, 15, 30, 45)
age: 0 120 between(18, 82)
percent, percentage, progress, completion: 0 100 between(0, 100)
rating: 1 5 pick(5, 5, 4, 4, 4, 3, 3, 2, 1)
score: 0 1000 between(300, 850)
priority, level, rank, severity: 1 9 between(1, 5)
position, sort order, sequence, index, line number, sort, display order: 0 999 between(1, 20)
port: 1 65535 pick(443, 80, 8080, 22, 5432, 3306)
bytes, size: 0 99999999 lognormal(180000, 1.3)
width: 1 9999 pick(640, 800, 1024, 1280, 1920)
height: 1 9999 pick(480, 600, 768, 720, 1080)
quantity, count, units, stock, items, seats, copies: 0 100000 skewed(1, 60)
reorder point, reorder level, safety stock level, minimum quantity: 0 1000 between(5, 80)
duration, seconds, timeout, delay, expires in: 0 99999999 skewed(20, 3600)
minutes: 0 100000 pick(5, 10, 15, 20, 30, 45, 60, 90)
hours: 0 1000 skewed(1, 40)
days, nights, lead time: 0 3650 skewed(1, 30)
weeks: 0 520 skewed(1, 26)
months, term, installments: 0 600 pick(3, 6, 12, 12, 24, 36, 48)
amount, price, total, cost, fee, balance: 0 99999999 lognormal(140, 0.9)
points: 0 1000000 lognormal(350, 0.9)
votes, likes, views, clicks, visits, downloads, shares: 0 1e7 lognormal(90, 1.2)
version, version number, revision number: 0 1000 between(1, 9)
status code: 100 599 pick(200, 200, 200, 201, 204, 400, 404, 500)
weight: 0 1000000 lognormal(900, 0.8)
pages: 1 2000 between(2, 320)
rate, discount: 0 100 pick(0, 5, 7, 10, 19, 20)
attempts, retries, refills, adults, children, guests: 0 50 skewed(1, 5)
pulse: 40 180 between(58, 96)
cpu, memory: 1 100000 pick(1, 2, 4, 8, 16, 32, 64)
"""),
    "decimal": _ranges("""
latitude, lat: -90 90 between(25.8, 47.6)
longitude, lng, lon: -180 180 between(-122.4, -71.1)
percent, percentage, pct: 0 100 between(0, 100)
tax rate, tax percent, interest rate: 0 100 pick(0, 5, 7, 7.5, 10, 19, 20)
ratio: 0 1 between(0, 1)
exchange rate, conversion rate: 0 1000 lognormal(1.1, 0.3)
rating: 0 5 between(2.5, 5)
score: 0 100 between(20, 98)
weight: 0 100000 lognormal(2.4, 0.9)
width, height, length, depth, size: 0 100000 lognormal(28, 0.6)
distance, range, mileage: 0 1000000 lognormal(85, 0.9)
quantity, units, stock: 0 1000000 skewed(1, 60)
hours, duration: 0 1000 between(0.5, 9.5)
temperature: -50 150 between(-5, 38)
battery level, capacity: 0 100000 between(5, 95)
"""),
    "money": _ranges("""
salary, income: 0 9999999 lognormal(54000, 0.35)
hourly rate, wage: 0 100000 lognormal(27, 0.35)
price, standard cost, rate, unit cost: 0 9999999 lognormal(48, 0.9)
charge, fees: 0 9999999 lognormal(12, 0.7)
tax, tax amount, vat, tax total: 0 9999999 lognormal(22, 0.9)
discount, discount amount: 0 9999999 lognormal(14, 0.8)
shipping, shipping amount, shipping cost, shipping price, delivery fee: 0 9999999 lognormal(9, 0.5)
tip: 0 9999999 lognormal(5, 0.5)
balance: 0 99999999 lognormal(900, 1.0)
budget, revenue: 0 99999999 lognormal(24000, 0.9)
limit, deposit, deposit amount, premium: 0 9999999 lognormal(1500, 0.7)
"""),
}  # fmt: skip
"""By kind, and by the end of a name, usual numbers."""
UNITS = [
    (re.compile(pattern, re.IGNORECASE), _range(rest))
    for rest, pattern in read_lines(r"""
0 1e9 lognormal(8500, 0.9): \bin cents\b|smallest (currency )?(unit|denomination)|\bminor units?\b|amount in pence
0 1e9 lognormal(180000, 1.3): \bbytes\b
0 1e9 skewed(40, 20000): \bmilliseconds\b
0 1e9 skewed(5, 3600): \b(in|of) seconds\b|\bduration in seconds
0 1e9 pick(5, 10, 15, 30, 45, 60, 90): \b(in|of) minutes\b
1 99999 pick(320, 480, 640, 800, 1024, 1280): \bin pixels\b
0 100 between(0, 100): \bpercent(age)?\b
0 1e9 skewed(0, 40): ^(the )?(total )?(number|count) of\b
""")
]
"""Units that a description names."""
TRUE_MOSTLY = wordset("active enabled visible available verified valid published required public")
TRUE_SELDOM = wordset("deleted archived disabled blocked cancelled hidden suspended locked banned spam")


def draw_number(a: Attribute) -> str:
    """How a number or an amount is drawn: as such numbers usually are, where the evidence allows it; else between its bounds."""
    usual = _usual(a)
    least, most = a.shape.minimum, a.shape.maximum
    if usual is not None and (most is None or usual.high <= most):
        positive = usual.low >= 0 and "between(0" not in usual.drawn and "pick(0" not in usual.drawn
        if least is None or usual.low >= least or (least <= 1 and positive):
            return usual.drawn
    if a.kind == "money" and most is None and (least is None or least <= 1):
        return "lognormal(120, 0.9)"
    low = int(least) if least is not None and abs(least) < FAR else 1
    high = int(most) if most is not None and abs(most) < FAR else max(low, 0) + 99
    return f"{'skewed' if a.kind == 'int' else 'between'}({min(low, high)}, {high})"


def draw_flag(a: Attribute) -> str:
    """How a flag is drawn: true mostly, seldom, or now and then, by its name."""
    words = set(split_name(a.last))
    return f"chance({0.85 if words & TRUE_MOSTLY else 0.1 if words & TRUE_SELDOM else 0.3})"


def _usual(a: Attribute) -> Range | None:
    by_name = _find_range(split_name(a.last), TABLES.get(a.kind, {}))
    if a.kind == "int" or (a.kind != "money" and by_name is None):
        return next((found for pattern, found in UNITS if pattern.search(a.says)), by_name)
    return by_name


def _find_range(words: tuple[str, ...], table: dict[tuple[str, ...], Range]) -> Range | None:
    if words[-1:] and words[-1] in ("id", "ids", "number", "no", "code", "key", "type", "status"):
        return table.get(words[-2:])
    ends = (
        end
        for k in range(len(words))
        for end in (words[k:], (*words[k:-1], singular(words[-1])), (*words[k:-1], f"{words[-1]}s"))
    )
    return next((table[end] for end in ends if end in table), None)
