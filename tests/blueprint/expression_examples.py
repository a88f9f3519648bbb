"""Expressions with their values, worked out by hand over a few fixed rows. Amounts are in cents, decimals in their last place."""

from __future__ import annotations

from typing import Any

from tests.blueprint.language_world import Given, Rows

NOON = "2025-06-16T12:00:00Z"
ROWS: Rows = {
    "human": [
        (
            "HUM-01", "Ann", None, "red", "calm", 1, None, 4, None, 12_500, 150, 2000, None, "USD", 5000, None, "1999-01-31",
            None, "2025-06-16T08:00:00Z", None, None, "red", 750,
        ),
        (
            "HUM-02", "名 it's", 'say "hi"', "green", None, 0, 0, -3, 7, 5000, None, 250, 100, "CHF", 400, 300, "2025-06-16",
            "2025-06-13", NOON, NOON, "HUM-01", "busy", 500,
        ),
    ],
    "item": [
        (
            "ITM-01", "HUM-01", None, 2, None, 500, None, 150, 1, None, "2025-06-13", None, "2025-06-16T08:00:00Z", None,
            "A", None,
        ),
        (
            "ITM-02", "HUM-01", "HUM-02", 3, 5, 250, 25, 100, 0, 0, "2025-06-13", "2025-06-16", NOON, "red", "a\nb", "{x}",
        ),
        (
            "ITM-03", "HUM-02", "HUM-01", 1, 5, 500, 50, 225, 1, 1, "2025-12-31", None, NOON, "blue", "İ", "back\\slash",
        ),
    ],
    "mark": [
        ("MRK-01", "ITM-01", None, None, None, None, None, None, None),
        ("MRK-02", "ITM-02", "HUM-01", 3, 100, "2025-06-16", NOON, "fine", 1),
        ("MRK-03", None, "HUM-01", 3, None, None, None, "", 0),
    ],
}  # fmt: skip
GIVEN = Given(
    {
        "p": "HUM-01", "q": None, "i": "ITM-01", "j": None, "n": 2, "m": None, "d": "2025-06-16", "e": None, "t": None,
        "amount": None, "people": ["HUM-02", "HUM-01"],
        "lines": [
            {"item": "ITM-03", "quantity": 2, "note": None, "who": None},
            {"item": "ITM-01", "quantity": 5, "note": "x", "who": "HUM-02"},
        ],
    },
    None,
)  # fmt: skip

PLAIN: list[tuple[str, Any]] = [
    ("p.size + n * 3 - 1", 9),
    ("p.price * n", 4000),
    ("p.price + 0.5", 2050),
    ("money(0.30) * n", 60),
    ("money(p.size)", 400),
    ("-p.price", -2000),
    ("abs(p.boss.size)", None),
    ("p.rate * p.rate", 156_250_000),
    ("round(p.rate, 1)", 12),
    ("round(p.rate * 2, 1)", 25),
    ("round_up(p.rate, 1)", 13),
    ("round_down(-p.rate, 1)", -12),
    ("round(p.price / 3, 2)", 667),
    ("round(p.price / p.size, 0)", 5),
    ("round(n / 4, 0)", 0),
    ("round(6 / 4, 0)", 2),
    ("round(p.price / 0, 2)", None),
    ("round(p.price / (n - 2), 2)", None),
    ("round(p.price / p.sold, 4)", 26_667),
    ("percent_of(p.price, 0.075)", 150),
    ("prorate(p.price, n, 7)", 571),
    ("convert(p.price, p.rate)", 2500),
    ("convert_back(p.abroad, p.rate)", 4000),
    ("min(p.size, n)", 2),
    ("max(p.size, m)", None),
    ("min(p.size, m)", None),
    ("coalesce(m, n)", 2),
    ("coalesce(p.paid, p.price)", 2000),
    ("today - p.born", 9633),
    ("p.born + 1", "1999-02-01"),
    ("d - 16", "2025-05-31"),
    ("add_months(p.born, 1)", "1999-02-28"),
    ("add_business_days(d, 1)", "2025-06-18"),
    ("business_days_between(d, add_business_days(d, 5))", 5),
    ("month_start(d)", "2025-06-01"),
    ("month_end(d)", "2025-06-30"),
    ("year(d) * 100 + month(d)", 202_506),
    ("weekday(d)", 0),
    ("day(now)", "2025-06-16"),
    ("at(d, 14)", "2025-06-16T14:00:00Z"),
    ("at(d, 24)", None),
    ("add_hours(now, 20)", "2025-06-17T05:30:00Z"),
    ("hours_between(p.seen, now)", 1),
    ("date('9999-12-31') + 1", None),
    ("lower('AİB')", "ai̇b"),
    ("len('名😀')", 2),
    ("startswith(p.name, 'An')", True),
    ("'n' in p.name", True),
    ("t in p.name", False),
    ("p.kind == 'red'", True),
    ("p.kind in ('green', 'blue')", False),
    ("p.mood == p.kind", False),
    ("q == none and p.boss == q", True),
    ("q.boss.name", None),
    ("q.size < 3", False),
    ("not q.size < 3", True),
    ("q.size == m", True),
    ("1 <= n < 3", True),
    ("p.old and not i.overdue", True),
    ("p.best", "ITM-02"),
    ("p.heavy", 1000),
    ("p.label", "Ann (red) none"),
    ("worth(p)", 750),
    ("rich(p)", True),
    ("far(d, 1)", "2025-06-18"),
    ("spread(p.price)", 667),
    ("obeys(cheap)", True),
    ("obeys(few)", True),
    (
        "f'{p.name} has {p.price:money}, {n:days}, {p.rate:percent}, {now:day}, {p.flag}'",
        "Ann has 20.00, 2 days, 125%, 2025-06-16, yes",
    ),
    ("f'{{{p.id}}}'", "{HUM-01}"),
]
"""One for each part of the language."""

AGGREGATES: list[tuple[str, Any]] = [
    ("sum(x.cost for x in item)", 1250),
    ("sum(x.fee for x in item)", 75),
    ("sum(x.fee for x in q.items)", 0),
    ("sum(x.cost * x.quantity for x in p.items)", 1750),
    ("count(x for x in item if x.done)", 2),
    ("count(x.fee for x in item)", 2),
    ("min(x.fee for x in item)", 25),
    ("max(x.word for x in item)", "İ"),
    ("min(x.fee for x in q.items)", None),
    ("exists(x for x in item if x.cost > 5)", False),
    ("all(x.cost >= 2.5 for x in item)", True),
    ("all(x.sure for x in item)", False),
    ("all(x.done for x in q.items)", True),
    ("first((x for x in item), by=x.cost)", "ITM-02"),
    ("last((x for x in item), by=x.cost)", "ITM-01"),
    ("last((x for x in item), by=x.part)", "ITM-02"),
    ("first((x for x in item), by=x.shipped)", "ITM-02"),
    ("last(x for x in item)", "ITM-01"),
    ("first((x.cost for x in item if x.quantity < 3), by=-x.weight)", 500),
    ("first((x for x in mark), by=x.score)", "MRK-02"),
    ("last((x for x in mark), by=x.amount)", "MRK-02"),
    ("first((x for x in human), by=x.flag)", "HUM-02"),
    ("first((x for x in item if x.cost > 100), by=x.cost).owner.name", None),
    ("sum(sum(y.cost for y in x.items) for x in human)", 1250),
    ("count(x for x in human if exists(y for y in x.items if y.helper == p))", 1),
    ("max(count(y for y in x.items if all(z.score is not none for z in y.marks)) for x in human)", 1),
    ("sum(worth(x) for x in human if rich(x))", 750),
    ("count(x for x in item if obeys(cheap, i=x))", 2),
    ("count(x for x in human if x.best.cost == 2.5)", 1),
    ("count(x for x in item if x.overdue)", 1),
    ("sum(l.quantity * l.item.cost for l in lines)", 3500),
    ("count(x for x in people if x.flag)", 1),
    ("first((x for x in people), by=x.size)", "HUM-02"),
    ("exists(l for l in lines if l.item in (i, j))", True),
]
"""Over tables, ways back and list inputs."""

TRAPS: list[tuple[str, Any]] = [
    # an optional bool is none, not false, until something asks whether it holds
    ("p.perhaps == false", False),
    ("p.perhaps != false", True),
    ("(p.perhaps and true) == (p.flag and false)", True),
    ("(p.flag and p.perhaps) is none", False),
    ("(coalesce(p.perhaps, i.sure) and true) is none", False),
    ("(coalesce(p.perhaps, i.sure) or false) == false", True),
    ("trusted(i) is none", True),
    ("obeys(checked) == false", True),
    ("first(x.done for x in q.items) is none", True),
    ("last(x.sure for x in item if x.cost == 5) is none", True),
    # nothing at the other end of a reference
    ("actor.name", None),
    ("count(x for x in actor.items)", 0),
    ("worth(q)", 0),
    ("rich(i.helper)", False),
    ("feeling(q)", None),
    ("latest(i.helper)", None),
    ("greeting(q, 'Hi')", "Hi, none"),
    ("obeys(cheap, i=j)", False),
    ("obeys(few, p=q)", True),
    ("f'{q}'", "none"),
    ("f'{p.boss} {i}'", "none ITM-01"),
    # what has no value is not counted, whatever it refers to
    ("count(x.helper for x in item)", 2),
    ("count(x.boss for x in human)", 1),
    ("count(j for x in item)", 0),
    ("count(i for x in item)", 3),
    # a field of nothing is none, even where it is computed and never none by itself
    ("count(x for x in item if x.helper.heavy == 0)", 0),
    ("count(x for x in item if x.helper.old == false)", 1),
    ("first(x for x in mark if coalesce(x.author.old, true))", "MRK-01"),
    # an aggregate inside an aggregate that reads only the outer row
    ("sum(sum(x.quantity for y in human) for x in item)", 12),
    ("max(max(x.quantity for y in human) for x in item)", 3),
    ("count(x for x in item if sum(x.quantity for y in mark) > 5)", 2),
    ("count(x for x in human if last((true for y in item), by=x.size))", 2),
    ("count(x for x in human if first((y for y in item), by=x.size * y.quantity).quantity > 1)", 1),
    # a quotient by nothing
    ("round(p.price / 0, 2) < 1", False),
    ("round(n / 0, 2) + 1", None),
    # words that look like code
    ("not (count(x for x in item if x.tone in ('red', 'blue')) in (1, 2))", False),
    ("lower('x in (y') not in ('a', 'b')", True),
    ("""f'''{coalesce(t, "it's")}'''""", "it's"),
    ("""f'''{coalesce(t, 'say "hi"')}.'''""", 'say "hi".'),
    ("""f'''{"it's" if p.flag else 'say "no"'}'''""", "it's"),
    ("""f'''{f"<{p.name}>"}'''""", "<Ann>"),
    ("""f'''{f"<{p.paid}>"} {p.kind}'''""", "<none> red"),
    ("'\\\\' in i.word", False),
    ("count(x for x in item if '\\\\' in coalesce(x.memo, ''))", 1),
    ("f'a\\nb{n}'", "a\nb2"),
    # literals and none
    ("'red' is not none", True),
    ("5 == none", False),
    # elements of a list have no id to break a tie by
    ("first(l.quantity for l in lines)", 2),
    ("last((l.note for l in lines), by=l.quantity)", "x"),
    ("first((l.item for l in lines), by=l.item.cost)", "ITM-03"),
    # long conditions whose parentheses count
    (
        "count(x for x in p.items if (x.due not in (x.shipped, date('2025-06-12'), date('2025-06-11'), date('2025-06-10'))))",
        2,
    ),
    ("(q is not none) == (p.kind == 'green')", True),
    ("(q is none) != (p.kind == 'red')", False),
    ("(p.size > n) == (p.price > 5) == true", True),
    ("(p.size in (1, 2)) != (p.kind in ('green', 'blue'))", False),
    ("(not (p.size <= coalesce(40, q.away) < p.tilt))", True),
    (
        "max(coalesce(e, date('9999-12-31')) for xxxxxxxx in people if (xxxxxxxx.flag if i.done else j.sure))",
        "9999-12-31",
    ),
]
"""Where the three ways have gone apart, or could."""
