"""Short texts that are words of a business: statuses, categories, jobs, labels, names of fields and events."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worldwright.kinds.database.compile.values.facts import (
    CARRIERS,
    COLOURS,
    GENDERS,
    HONORIFICS,
    HTTP_METHODS,
    PAYMENT_METHODS,
    UNITS,
)
from worldwright.kinds.database.compile.values.goods import LINES
from worldwright.kinds.database.compile.values.locale import phrases, words
from worldwright.kinds.database.compile.values.row import DrawContext, count_blocks, head, tail
from worldwright.kinds.database.compile.values.texts import DEPARTMENTS, JOBS, SIZES

_FIRST = words("""
Amber Northern Harbour Silver Quiet Autumn Upper Golden Cedar Bright Eastern Granite Copper Winter Lower Blue Second Open Maple
Western Coastal Crystal Evening Spring
""")
_SECOND = words("""
ridge meadow signal orchard bridge summit lantern current garden compass valley anchor field harbour canyon station terrace grove
beacon crossing island market mill quarry
""")
_NOUNS = words("""
order invoice customer item payment shipment account product price address contact delivery discount refund stock report message
session profile region budget contract vendor booking
""")
_QUALITIES = words(
    "default total base unit external internal primary billing shipping last first next current min max gross net"
)
_PARTS = words("id code name type date status amount count number group value label")
_HAPPENED = words("created updated deleted completed cancelled approved shipped paid failed received")

FEW_WORDS = 8

LISTS: Mapping[str, tuple[str, ...]] = {
    "brand": LINES,
    "carrier": CARRIERS,
    "category": phrases(
        "general; billing; sales; support; operations; marketing; finance; logistics; technical; service; training; other"
    ),
    "channel": phrases("web; email; phone; store; mobile app; partner; import; chat"),
    "colour": tuple(name for name, _ in COLOURS),
    "department": DEPARTMENTS,
    "diagnosis": phrases("""
    Essential hypertension; Type 2 diabetes mellitus; Acute bronchitis; Low back pain; Asthma; Migraine; Seasonal allergic rhinitis
    Osteoarthritis of the knee; Iron deficiency anaemia; Hypothyroidism; Gastro-oesophageal reflux; Urinary tract infection
    """),
    "error_message": phrases("""
    Missing required field: email; The request timed out; Record not found; The value is out of range; Connection refused
    Duplicate entry; Permission denied; Invalid date format; The file could not be read; Quota exceeded
    """),
    "frequency": phrases("daily; weekly; every two weeks; monthly; quarterly; yearly"),
    "gender": GENDERS,
    "hex_colour": tuple(code for _, code in COLOURS),
    "honorific": HONORIFICS,
    "http_method": HTTP_METHODS,
    "job": JOBS,
    "medication": phrases("""
    Lisinopril 10 mg tablet; Metformin 500 mg tablet; Amoxicillin 500 mg capsule; Atorvastatin 20 mg tablet; Ibuprofen 400 mg tablet
    Levothyroxine 50 mcg tablet; Salbutamol inhaler; Omeprazole 20 mg capsule; Cetirizine 10 mg tablet; Paracetamol 500 mg tablet
    """),
    "mode": phrases("manual; automatic; scheduled; on demand"),
    "payment_method": PAYMENT_METHODS,
    "priority": words("normal high low urgent"),
    "question": phrases("""
    How satisfied are you with the service?; Was your question answered?; How did you hear about us?; What could we do better?
    Would you recommend us to a friend?; Did the delivery arrive on time?; How easy was it to place your order?
    Which department did you speak to?
    """),
    "role": words("member admin manager viewer editor owner guest"),
    "size": SIZES,
    "specialty": phrases("""
    General practice; Cardiology; Dermatology; Paediatrics; Orthopaedics; Neurology; Radiology; Ophthalmology; Internal medicine
    """),
    "status": phrases("active; pending; completed; on hold; cancelled; inactive"),
    "tag": words("""
    priority follow-up wholesale renewal seasonal new-customer partner vip returns trial export urgent verified review
    """),
    "type": phrases("standard; premium; basic; custom; internal; external"),
    "unit": UNITS,
}  # fmt: skip
"""By kind, the words; the usual ones first."""


def label(row: DrawContext) -> str:
    """A name for whatever has a name of its own: two words, no two rows of an entity alike in one field."""
    row = row._replace(topic=f"{row.topic}.{row.field}")
    blocks = count_blocks(len(_SECOND))
    chosen = head(row, len(_FIRST), blocks)
    return f"{_FIRST[chosen]} {_SECOND[tail(row, chosen, len(_SECOND), blocks)]}"


def identifier(row: DrawContext) -> str:
    """The name of a field, a variable or an attribute: `billing_address_code`."""
    stream = row.stream
    first = stream.pick(_QUALITIES) + "_" if stream.chance(0.5) else ""
    return f"{first}{stream.pick(_NOUNS)}_{stream.pick(_PARTS)}"


def event_name(row: DrawContext) -> str:
    return f"{row.stream.pick(_NOUNS)}.{row.stream.pick(_HAPPENED)}"


def mnemonic(row: DrawContext) -> str:
    """A code that stands for words, as people make them up: `NORTH_MARKET`."""
    return label(row).upper().replace(" ", "_")


def slug(row: DrawContext) -> str:
    return label(row).lower().replace(" ", "-")


def _from_list(listed: tuple[str, ...]) -> Callable[[DrawContext], str]:
    """Draws a word: of a long list the first ones more often, of a short one any."""
    if len(listed) <= FEW_WORDS:
        return lambda row: row.stream.pick(listed)
    return lambda row: row.stream.favourite(listed)


VOCABULARY: Mapping[str, Callable[[DrawContext], str]] = {
    **{kind: _from_list(listed) for kind, listed in LISTS.items()},
    "label": label,
    "identifier": identifier,
    "event_name": event_name,
    "mnemonic": mnemonic,
    "slug": slug,
}
