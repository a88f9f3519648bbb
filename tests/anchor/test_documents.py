"""Documents in prose: what a person would underline in them is found, in every format, with its place."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path

import docx
import pytest
from docx.oxml import OxmlElement
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter
from tests.effort import examples

from worldwright.anchor.evidence import ABOUT, CLAIM_KINDS, Claim, Evidence, Resource
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.documents import read

ANCHORS = Path(__file__).parents[2].parent / "shared" / "anchors" / "prd"


def of(text: str | bytes, name: str = "policy.md") -> Evidence:
    return read([Upload(name, text.encode() if isinstance(text, str) else text)])


def claim(evidence: Evidence, start: str) -> Claim:
    found = [c for c in evidence.claims if c.says.startswith(start)]
    assert len(found) == 1, f"{start!r} in {[c.says for c in evidence.claims]}"
    return found[0]


def business(evidence: Evidence) -> list[tuple[str, str, str]]:
    return [(c.says, c.heading, str(c.source)) for c in evidence.claims if c.about == "business"]


def resource(evidence: Evidence, name: str) -> Resource:
    return next(t for t in evidence.resources if t.name == name)


def errors(evidence: Evidence) -> list[str]:
    return [n.says for n in evidence.notes if n.level == "error"]


RETURNS = """\
---
title: ignored
---
# Returns portal

The portal lets customers of the shop send goods back. It replaces the paper form.

## Roles

- **Customer** – buys goods and requests returns
- **Support agent**: reviews return requests
- Warehouse clerk (internal): inspects the goods

## Business rules

1. A return must be requested within 30 days of
   delivery. Sale items cannot be returned.
2. Refunds over $500 require approval by a finance manager
3. Orders become locked after shipment
4. The agent must answer a return request within two business days.
5. The portal must be accessible over HTTPS.
6. The system shall respond within 2 s.

| ID | Requirement | Priority |
|----|-------------|----------|
| FR-12 | The agent shall enter a **reason** when a return is rejected | Must |
| FR-13 | Customers receive an e-mail when the status changes | Could |
| FR-14 | Gifts are wrapped again | Won't |

- As a store manager, I want to see all refunds.

## Data model

### Return request

| Field | Type | Required | Description |
|-------|------|----------|-------------|
| id | uuid | yes | Primary key |
| order_id | string(20) | yes | References Order |
| reason | one of damaged, wrong item, other | no | Why |
| status | requested \\| approved \\| rejected | yes | |
| amount | money | optional | What is paid back |

### Order

| Field | Type | Required |
|-------|------|----------|
| number | string | yes |
| delivered_on | date | no |
| gift | boolean | no |

## Order lifecycle

```
Draft -> Placed -> Shipped
```

An order moves from "Shipped" to "Returned" when it comes back.

## Endpoints

| Method | Path | Description |
|--------|------|-------------|
| POST | /returns | Create a return |

```
GET /returns/{id}
```

## Sample orders

| number | delivered_on | gift |
|--------|--------------|------|
| 0012 | 2025-01-03 | true |
| 17 | 2025-01-09 | false |

## Out of scope

- Exchanges must be done by phone.
"""


def test_what_a_document_is() -> None:
    evidence = of(RETURNS)
    assert evidence.title == "Returns portal"
    assert evidence.says == "The portal lets customers of the shop send goods back. It replaces the paper form."
    assert evidence.language == "en"
    assert not evidence.notes


def test_claims_are_sentences_as_written_with_their_place() -> None:
    evidence = of(RETURNS)
    first = claim(evidence, "A return must")
    assert first.says == "A return must be requested within 30 days of delivery."
    assert (first.kind, first.heading, str(first.source)) == ("bound", "Business rules", "policy.md#16-17")
    assert claim(evidence, "Sale items").kind == "must_not"
    assert str(claim(evidence, "Sale items").source) == "policy.md#17-17"
    assert claim(evidence, "Orders become locked").kind == "state"
    assert claim(evidence, "As a store manager").kind == "permission"


def test_requirements_in_a_table_are_claims() -> None:
    evidence = of(RETURNS)
    entered = claim(evidence, "The agent shall enter")
    assert entered.says == "The agent shall enter a reason when a return is rejected"
    assert str(entered.source) == "policy.md#26-26"
    assert claim(evidence, "Customers receive").about == "business"


def test_what_is_not_about_the_business_is_a_claim_with_the_reason() -> None:
    found = {c.says: (c.about, c.why) for c in of(RETURNS).claims}
    assert found["The portal must be accessible over HTTPS."] == ("software", "speaks of `HTTPS`")
    assert found["The system shall respond within 2 s."][0] == "software"
    assert found["Exchanges must be done by phone."] == ("process", "stands under `Out of scope`")
    assert found["A return must be requested within 30 days of delivery."][0] == "business"


def test_fields_have_exact_names_shapes_and_requiredness() -> None:
    request = resource(of(RETURNS), "Return request")
    assert request.origin == "document"
    assert request.key == ("id",)
    assert [(f.name, f.required) for f in request.fields] == [
        ("id", True),
        ("order_id", True),
        ("reason", False),
        ("status", True),
        ("amount", False),
    ]
    fields = {f.name: f for f in request.fields}
    assert fields["id"].shape.format == "uuid"
    assert (fields["order_id"].refers_to, fields["order_id"].shape.longest) == ("Order", 20)
    assert fields["reason"].shape.enum == ("damaged", "wrong item", "other")
    assert fields["status"].shape.enum == ("requested", "approved", "rejected")
    assert (fields["amount"].shape.kind, fields["amount"].shape.format) == ("number", "currency")
    assert str(fields["reason"].source) == "policy.md#40-40"
    order = resource(of(RETURNS), "Order")
    assert [(f.name, f.shape.kind, f.required) for f in order.fields] == [
        ("number", "string", True),
        ("delivered_on", "string", False),
        ("gift", "boolean", False),
    ]


def test_states_and_moves() -> None:
    states = {s.resource: s for s in of(RETURNS).states}
    assert states["Order"].states == ("Draft", "Placed", "Shipped")
    assert states["Order"].moves == (("Draft", "Placed"), ("Placed", "Shipped"))
    assert claim(of(RETURNS), "An order moves").kind == "state"


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ("The clerk must sign the form.", "must"),
        ("Every claim shall have a receipt.", "required"),
        ("A receipt is required for each claim.", "required"),
        ("The clerk should call the customer.", "must"),
        ("Claims need the approval of a manager.", "must"),
        ("A claim must not be paid twice.", "must_not"),
        ("The clerk may not approve his own claim.", "must_not"),
        ("Refunds will not be paid in cash.", "must_not"),
        ("Nobody may approve their own claim.", "must_not"),
        ("No claim may be older than two years.", "bound"),
        ("Alcohol is not allowed on a claim.", "must_not"),
        ("Only managers can approve claims.", "permission"),
        ("A claim may only be paid after approval.", "only_if"),
        ("Cancellation is only allowed if the order is open.", "only_if"),
        ("An order cannot be changed unless it is open.", "only_if"),
        ("The manager may waive the fee.", "permission"),
        ("Customers can cancel an order.", "permission"),
        ("A receipt is not required for small amounts.", "may"),
        ("If the clerk cannot find the form, the manager must be called.", "when"),
        ("The form that may be lost must be filled in again.", "required"),
        ("Late claims are rejected.", "error"),
        ("If a form is lost, a new one is sent.", "when"),
        ("The total is the sum of all lines.", "computes"),
        ("The clerk checks the form.", "does"),
        ("Two claims of one trip are duplicates.", "unique"),
        ("The currency is EUR by default.", "default"),
        ("Goods remain ours until they are paid.", "when"),
    ],
)
def test_what_a_sentence_claims(says: str, kind: str) -> None:
    assert [(c.says, c.kind) for c in of(f"# Work\n\n{says}\n").claims] == [(says, kind)]


@pytest.mark.parametrize(
    "says",
    [
        "The shop opened in May 2020 and grew fast.",
        "Should refunds be partial?",
        "The weather may vary from day to day.",
        "It is a nice product with many functions.",
        "This page explains who must approve a claim.",
    ],
)
def test_what_is_no_claim(says: str) -> None:
    assert not of(f"# About us\n\n{says}\n").claims


@pytest.mark.parametrize(
    ("language", "name", "text"),
    [
        (
            "de",
            "German",
            "Diese Richtlinie gilt für alle und ist zu beachten. Der Antrag muss in 14 Tagen gestellt werden.",
        ),
        ("zh", "Chinese", "采购申请必须在14个工作日内审批。申请人不得审批自己的申请。部门经理可以退回申请。"),
    ],
)
def test_prose_of_other_languages_is_not_read(language: str, name: str, text: str) -> None:
    evidence = of(text, "policy.txt")
    assert (evidence.language, evidence.claims) == (language, ())
    (note,) = evidence.notes
    assert (note.level, note.says.split(";")[0]) == (
        "warning",
        f"written in {name}: prose in this language is not read for claims",
    )


def test_english_sentences_of_a_document_in_another_script_are_claims() -> None:
    evidence = of(
        "采购申请在14个工作日内审批。\n\nAn order must be approved within 14 days.\n\n申请人审批自己的申请。",
        "policy.txt",
    )
    assert evidence.language == "zh"
    assert [c.says for c in evidence.claims] == ["An order must be approved within 14 days."]


def test_items_finish_the_sentence_before_them() -> None:
    evidence = of("# Rules\n\nThe applicant must:\n\n- be at least 18 years old\n- live in the city\n")
    assert [c.says for c in evidence.claims] == [
        "The applicant must: be at least 18 years old",
        "The applicant must: live in the city",
    ]
    evidence = of("# Rules\n\nA request must contain the following:\n\n- the payer\n- the amount\n")
    assert [(c.says, str(c.source)) for c in evidence.claims] == [
        ("A request must contain the following: the payer; the amount", "policy.md#3-6")
    ]


def test_tags_and_ids_make_a_requirement() -> None:
    evidence = of("# Work\n\n- Register every payment of the day (REQUIRED)\n- Print a list of them (OPTIONAL)\n")
    assert [c.kind for c in evidence.claims] == ["must", "may"]
    evidence = of("# Work\n\n- FR-7: Allow members to return their books\n- Some books of the house\n")
    assert [c.says for c in evidence.claims] == ["Allow members to return their books"]


def test_moves_from_tables_and_diagrams() -> None:
    drawn = of("# Claim\n\n| From | To |\n|--|--|\n| Draft | Sent |\n| Sent | Paid, Refused |\n").states[0]
    assert drawn.moves == (("Draft", "Sent"), ("Sent", "Paid"), ("Sent", "Refused"))
    mermaid = "# Order flow\n\n```mermaid\nstateDiagram-v2\n [*] --> New\n New --> Sent : ship\n Sent --> [*]\n```\n"
    assert of(mermaid).states[0].moves == (("New", "Sent"),)
    skips = of("# Approval flow\n\n```\nDraft → [Optional] Check → Done\n```\n").states[0]
    assert skips.moves == (("Draft", "Check"), ("Check", "Done"), ("Draft", "Done"))


def test_nouns_and_a_glossary_make_no_things() -> None:
    text = "# Work\n\nUsers submit a voucher. The clerk approves the voucher. Vouchers are cancelled by the clerk.\n"
    assert not of(text).resources
    assert not of("# Glossary\n\n- **Loan**: a copy that is lent\n- **Librarian**: lends copies\n").resources


def test_contents_captions_and_links_are_no_text() -> None:
    text = (
        "# Handbook\n\n## Table of contents\n\n- [You must read this](#a)\n\n## Rules\n\n"
        "Figure 3: The clerk must sign\n\n[The clerk must click here](https://example.org)\n\nThe clerk must sign.\n"
    )
    assert [c.says for c in of(text).claims] == ["The clerk must sign."]


HTML = """<!doctype html><html><head><title>Leave</title><style>p{must:0}</style><script>"You must not run"</script></head>
<body><nav><ul><li>You must log in</li></ul></nav><h1>Annual leave</h1>
<p>Everybody in the company gets paid leave, and this page says how it works.</p>
<h2>Roles</h2><dl><dt>Employee</dt><dd>Asks for leave.</dd><dt>Team lead</dt><dd>Says yes or no.</dd></dl>
<h2>Rules</h2><ul><li>Leave must be asked for at least <b>14 days</b> before.
<ul><li>The director may make exceptions.</li></ul></li></ul>
<table><caption>Leave request fields</caption><tr><th>Field</th><th>Type</th><th>Mandatory</th></tr>
<tr><td>from</td><td>date</td><td>Yes</td></tr>
<tr><td>note</td><td><table><tr><td>text</td></tr></table>text</td><td>No</td></tr></table>
<!-- The clerk must not see this --><div class="footer">You must accept cookies.</div></body></html>"""


def test_html() -> None:
    evidence = of(HTML, "leave.html")
    assert evidence.title == "Annual leave"
    assert [(c.says, c.kind, str(c.source)) for c in evidence.claims] == [
        ("Leave must be asked for at least 14 days before.", "bound", "leave.html#par7"),
        ("The director may make exceptions.", "permission", "leave.html#par8"),
    ]
    assert [(f.name, f.required) for f in resource(evidence, "Leave request").fields] == [
        ("from", True),
        ("note", False),
    ]


def test_a_table_in_html_inside_of_markdown() -> None:
    table = "<table>\n<tr><th>Field</th><th>Type</th></tr>\n\n<tr><td>total</td><td>money</td></tr>\n</table>"
    text = f"# Order\n\nText.\n\n{table}\n\nIt must be paid.\n"
    evidence = of(text)
    assert [f.name for f in resource(evidence, "Order").fields] == ["total"]
    assert str(claim(evidence, "It must be paid.").source) == "policy.md#11-11"


PLAIN = """\
EXPENSE POLICY

This policy applies to all employees who travel on behalf of the company. It
explains what is paid back.

2. Roles

- Employee: submits the report
- Line manager: approves it

3.1 Submission

Expense reports must be submitted within 30 days after the trip. Late re-
ports are not reimbursed.
* Meals are limited to 45 EUR
  per day.

DEFINITIONS
===========

Per diem: a fixed amount for each day
Mileage: what is paid for each kilometre
"""


def test_plain_text() -> None:
    evidence = of(PLAIN, "policy.txt")
    assert evidence.title == "EXPENSE POLICY"
    assert business(evidence) == [
        ("Employee: submits the report", "Roles", "policy.txt#8-8"),
        ("Line manager: approves it", "Roles", "policy.txt#9-9"),
        ("Expense reports must be submitted within 30 days after the trip.", "Submission", "policy.txt#13-13"),
        ("Late reports are not reimbursed.", "Submission", "policy.txt#13-14"),
        ("Meals are limited to 45 EUR per day.", "Submission", "policy.txt#15-16"),
    ]


def word(*, styled: bool) -> bytes:
    document = docx.Document()

    def head(text: str) -> None:
        if styled:
            document.add_heading(text, 1)
        else:
            document.add_paragraph().add_run(text).bold = True

    head("Hotel booking")
    document.add_paragraph("The hotel takes bookings from guests, and this is how it does that.")
    head("Actors")
    document.add_paragraph("Guest: books a room", style="List Bullet")
    head("Rules")
    paragraph = document.add_paragraph("A guest may cancel ")
    paragraph.add_run("twice").bold = True
    paragraph.add_run(" a year.")
    gone = OxmlElement("w:del")
    run = document.add_paragraph("The guest must never pay.").runs[0]._r
    run.addprevious(gone)
    gone.append(run)
    table = document.add_table(2, 2)
    for cell, text in zip(
        (c for row in table.rows for c in row.cells),
        ("ID", "Requirement", "BR-1", "A room shall be cleaned before arrival"),
        strict=True,
    ):
        cell.text = text
    out = BytesIO()
    document.save(out)
    return out.getvalue()


@pytest.mark.parametrize("styled", [True, False])
def test_word(styled: bool) -> None:
    evidence = of(word(styled=styled), "hotel.docx")
    assert evidence.title == "Hotel booking"
    assert business(evidence) == [
        ("Guest: books a room", "Actors", "hotel.docx#par4"),
        ("A guest may cancel twice a year.", "Rules", "hotel.docx#par6"),
        ("A room shall be cleaned before arrival", "Rules", "hotel.docx#par8"),
    ]


def test_a_zip_bomb_is_not_unpacked() -> None:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("word/document.xml", b"0" * 30_000_000)
    assert "is no document" in errors(of(out.getvalue(), "bomb.docx"))[0]


Line = tuple[float, float, float, str]


def pdf(pages: list[list[Line] | bytes]) -> bytes:
    """A PDF with lines of text at their places, or with drawing commands as they are."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    kids = []
    for page in pages:
        drawn = page if isinstance(page, bytes) else b"\n".join(_drawn(line) for line in page)
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
            % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    out = b"%PDF-1.4\n"
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(b"%010d 00000 n \n" % p for p in places)
    return out + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)


def _drawn(line: Line) -> bytes:
    x, y, size, text = line
    return b"BT /F1 %g Tf %g %g Td (%s) Tj ET" % (size, x, y, text.encode("cp1252"))


LEFT = [
    "The customer must pay the invoice in",
    "thirty days. The shop may stop the de-",
    "livery until the invoice is paid. Goods",
    "remain the property of the shop until",
    "they are paid in full. Every complaint",
    "must be sent in writing to the shop.",
]
RIGHT = [
    "Refunds over 500 EUR require approval",
    "by the finance manager. A refund cannot",
    "be paid in cash. The agent must answer",
    "a request within two business days. The",
    "clerk looks at the goods when they come",
    "back. Damaged goods are not refunded.",
]


@pytest.mark.parametrize("way", ["pieces", "one object"])
def test_two_columns_are_not_read_across(way: str) -> None:
    both = list(zip(LEFT, RIGHT, strict=True))
    if way == "pieces":
        lines = [
            (x, 700.0 - 14 * n, 10.0, t)
            for n, pair in enumerate(both)
            for x, t in zip((72.0, 320.0), pair, strict=True)
        ]
        data = pdf([[(72, 740, 18, "Terms of Sale"), *lines]])
    else:
        moves = b"".join(b"0 -14 Td (%s) Tj 248 0 Td (%s) Tj -248 0 Td " % (a.encode(), b.encode()) for a, b in both)
        data = pdf([b"BT /F1 18 Tf 72 740 Td (Terms of Sale) Tj ET BT /F1 10 Tf 72 714 Td " + moves + b"ET"])
    evidence = of(data, "terms.pdf")
    assert evidence.title == "Terms of Sale"
    assert [(c.says, str(c.source)) for c in evidence.claims] == [
        ("The customer must pay the invoice in thirty days.", "terms.pdf#p1.2"),
        ("The shop may stop the delivery until the invoice is paid.", "terms.pdf#p1.2"),
        ("Goods remain the property of the shop until they are paid in full.", "terms.pdf#p1.2"),
        ("Every complaint must be sent in writing to the shop.", "terms.pdf#p1.2"),
        ("Refunds over 500 EUR require approval by the finance manager.", "terms.pdf#p1.3"),
        ("A refund cannot be paid in cash.", "terms.pdf#p1.3"),
        ("The agent must answer a request within two business days.", "terms.pdf#p1.3"),
        ("The clerk looks at the goods when they come back.", "terms.pdf#p1.3"),
        ("Damaged goods are not refunded.", "terms.pdf#p1.3"),
    ]


def test_pdf_headings_pages_and_tables() -> None:
    def edges(n: int) -> list[Line]:
        return [(250, 760, 9, "You must keep this secret"), (300, 30, 9, f"Page {n} of 3")]

    fields = (("Field", "Type", "Required"), ("number", "text", "yes"), ("total", "money", "no"))
    starts = (72.0, 200.0, 320.0)
    cells = [(x, 680.0 - 16 * n, 11.0, t) for n, row in enumerate(fields) for x, t in zip(starts, row, strict=True)]
    pages: list[list[Line] | bytes] = [
        [
            *edges(1),
            (72, 720, 20, "Purchase policy"),
            (72, 690, 11, "This policy says how goods are bought by us all."),
        ],
        [
            *edges(2),
            (72, 720, 11, "2.1 Approval"),
            (72, 695, 11, "Orders over USD 5,000 must be approved by the director. The"),
            (72, 681, 11, "buyer cannot approve an order that"),
        ],
        [*edges(3), (72, 740, 11, "he has made."), (72, 700, 14, "3 Order fields"), *cells],
    ]
    evidence = of(pdf(pages), "buying.pdf")
    assert evidence.title == "Purchase policy"
    assert business(evidence) == [
        ("Orders over USD 5,000 must be approved by the director.", "Approval", "buying.pdf#p2.2"),
        ("The buyer cannot approve an order that he has made.", "Approval", "buying.pdf#p2.2"),
    ]
    assert [(f.name, f.required) for f in resource(evidence, "Order").fields] == [("number", True), ("total", False)]


def test_pdfs_that_cannot_be_read_say_why() -> None:
    good = pdf([[(72, 700, 11, "The clerk must sign the form.")]])
    writer = PdfWriter(clone_from=PdfReader(BytesIO(good)))
    writer.encrypt("secret", algorithm="RC4-128")
    locked = BytesIO()
    writer.write(locked)
    assert "without a password" in errors(of(locked.getvalue(), "a.pdf"))[0]
    assert "text recognition" in errors(of(pdf([[]]), "a.pdf"))[0]
    assert "damaged" in errors(of(b"%PDF-1.7\nnothing", "a.pdf"))[0]
    assert "may be damaged" in errors(of(b"hello", "a.pdf"))[0]
    assert [c.says for c in of(good, "no-name").claims] == ["The clerk must sign the form."]


@pytest.mark.parametrize(
    "start", [b"\xd0\xcf\x11\xe0", b"\x89PNG\r\n", b"{\\rtf1", b"PK\x03\x04junk", bytes(range(32)) * 40]
)
def test_what_is_no_document_says_so(start: bytes) -> None:
    evidence = of(start + b"\x00" * 50, "thing.bin")
    assert errors(evidence)
    assert not evidence.claims


def test_several_documents_keep_their_names() -> None:
    texts = ("# A\n\nThe clerk must sign.\n", "# B\n\nThe clerk must pay.\n")
    evidence = read([Upload(f"{n}.md", t.encode()) for n, t in enumerate(texts)])
    assert [(c.says, c.source.file) for c in evidence.claims] == [
        ("The clerk must sign.", "0.md"),
        ("The clerk must pay.", "1.md"),
    ]


HOSTILE = {
    "letters.md": "a" * 1_000_000,
    "dashes.md": "- " * 500_000,
    "brackets.md": "[" * 200_000,
    "items.md": "".join("  " * n + "- a\n" for n in range(400)),
    "arrows.md": "# flow\n\n" + "a -> " * 50_000,
    "modals.txt": "must only not " * 50_000,
    "figures.txt": "1,000 " * 100_000,
    "stops.txt": "must. " * 20_000,
    "tags.html": "<div>" * 15_000,
    "cells.html": "<table><tr><td>" * 5_000,
    "open.html": "<a " * 80_000,
    "comments.html": "<!--" * 60_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.timeout(60)
@pytest.mark.untraced
def test_hostile_text_is_read_in_a_few_seconds(name: str) -> None:
    of(HOSTILE[name], name)


GOOD = {
    "a.md": RETURNS.encode(),
    "a.html": HTML.encode(),
    "a.txt": PLAIN.encode(),
    "a.docx": word(styled=True),
    "a.pdf": pdf([[(72, 700, 11, "The clerk must sign the form within 5 days.")]] * 2),
}


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, bytes]:
    """A good document with bytes cut out, put in, turned around or cut off."""
    name = draw(st.sampled_from(sorted(GOOD)))
    data = GOOD[name]
    for _ in range(draw(st.integers(1, 3))):
        a, b = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
        b = min(b, a + draw(st.sampled_from([1, 20, 2_000])))
        new = draw(st.sampled_from([b"", data[a:b][::-1], data[a:b] * 2, b"\x00", b"<", b"|"]))
        data = data[:a] + new + (data[b:] if draw(st.integers(0, 4)) else b"")
    return name, data


SLOWLY = settings(max_examples=examples(80), deadline=None, suppress_health_check=list(HealthCheck))


@SLOWLY
@given(damaged())
def test_damaged_documents_never_raise_and_read_the_same_twice(document: tuple[str, bytes]) -> None:
    name, data = document
    assert of(data, name) == of(data, name)


@SLOWLY
@given(st.binary(max_size=400), st.sampled_from(["", "a.md", "a.txt", "a.html", "a.pdf", "a.docx"]))
def test_any_bytes_are_survived(data: bytes, name: str) -> None:
    assert isinstance(of(data, name), Evidence)


PHRASES = (
    "must not only if the a clerk claim status: is set to Open, | -> # - * ( ) ** ` 5 days over USD 1,000 % \n \n\n : . "
    "必须 。 <b> </td> <table> As a I want [ ] FR-1 can be Draft or Paid Roles Fields Type"
)
WORDS = st.sampled_from(PHRASES.split(" "))


@SLOWLY
@given(st.lists(WORDS | st.text(max_size=5), max_size=80), st.sampled_from(["a.md", "a.txt", "a.html"]))
def test_any_text_is_survived_and_every_fact_names_its_file(words: list[str], name: str) -> None:
    evidence = of(" ".join(words), name)
    assert evidence == of(" ".join(words), name)
    sources = [
        *(c.source for c in evidence.claims),
        *(t.source for t in evidence.resources),
        *(s.source for s in evidence.states),
    ]
    assert all(source is not None and source.file == name and source.at for source in sources)


@pytest.mark.skipif(not ANCHORS.is_dir(), reason="the real documents are not here")
@pytest.mark.parametrize(
    ("name", "title", "business", "others", "some"),
    [
        ("helpdesk_requirements.md", "OpenDesk", 8, 20, "Ticket status: Open, In Progress, On Hold, Resolved, Closed"),
        (
            "hr_claims_overtime_brs.md",
            "Internal Claims & Overtime Management System",
            45,
            15,
            "Claims must be submitted within 7 days of expense occurrence",
        ),
        (
            "govstack_construction_permit.md",
            "Construction Permit",
            50,
            10,
            "The applicant must pay all outstanding fees for their permit to be issued.",
        ),
        (
            "govstack_scheduler_functional_requirements.md",
            "Govstack scheduler functional requirements",
            60,
            30,
            "The Scheduler must not allow duplicate entries of the same resource or subscriber for the same event (REQUIRED)",
        ),
        (
            "govstack_payments_functional_requirements.md",
            "Govstack payments functional requirements",
            90,
            50,
            "The request must contain at a minimum: the payer identifier, the payee identifier, the amount, the currency, "
            "the policy, and the initiating source’s unique transaction ID.",
        ),
        (
            "mojaloop_use_cases.pdf",
            "Use Cases – Open API for FSP Interoperability Specification",
            140,
            20,
            "Refund can only be initiated by Payee of the original transaction.",
        ),
    ],
)
def test_real_documents(name: str, title: str, business: int, others: int, some: str) -> None:
    evidence = of((ANCHORS / name).read_bytes(), name)
    assert not errors(evidence)
    assert (evidence.title, evidence.language) == (title, "en")
    about = [c.about for c in evidence.claims]
    assert about.count("business") >= business
    assert len(about) - about.count("business") >= others
    assert some in [c.says for c in evidence.claims]
    assert all(c.source.at and c.kind in CLAIM_KINDS and c.about in ABOUT and c.why for c in evidence.claims)
