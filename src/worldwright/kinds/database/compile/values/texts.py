"""Free text: sentences and short notes that fit the field and what the entity is about."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.values import companies, emails, people, places
from worldwright.kinds.database.compile.values.goods import LINES
from worldwright.kinds.database.compile.values.locale import phrases, words
from worldwright.kinds.database.compile.values.phrasebook import GENERIC, SLOTS, THEMES, Theme
from worldwright.kinds.database.compile.values.row import DrawContext, hints

_DEPARTMENTS = phrases("""
Finance; Purchasing; Sales; Customer Service; Human Resources; Logistics; Operations; Production; Quality; Research
Facilities; Legal; Marketing; IT; Planning; Maintenance
""")
_JOBS = phrases("""
Accountant; Buyer; Sales Manager; Customer Advisor; HR Partner; Warehouse Lead; Operations Manager; Team Assistant
Quality Engineer; Technician; Project Manager; Controller; Analyst; Dispatcher; Office Manager; Software Engineer
Marketing Specialist; Shift Supervisor; Key Account Manager; Trainee
""")
_COLOURS = words("black white grey navy blue green red yellow brown beige orange purple silver")
_SIZES = words("XS S M L XL XXL")
_PERSONAL = words("first last given family full contact person surname forename")
_NAMES = words(
    "North South East West Central Harbor Garden Maple Cedar River Summit Lake Bridge Orchard Meadow Station"
)
_PROJECTS = words(
    "Heron Falcon Juniper Atlas Compass Lighthouse Aurora Granite Lotus Mercury Orion Pioneer Quartz Saturn"
)


def sentence(row: DrawContext) -> str:
    """One sentence; a field named for a reason gives the reason."""
    return _with_stop(_capital(_phrase(row, "reason" if _shape(row.field) is _reason else "sentence")))


def text(row: DrawContext) -> str:
    """A short note, or what the field's name calls for."""
    return _shape(row.field)(row)


def _note(row: DrawContext) -> str:
    if row.stream.chance(0.2):
        return _description(row)
    note = _capital(_phrase(row, "sentence"))
    return note if row.stream.chance(0.5) else _with_stop(note)


def _description(row: DrawContext) -> str:
    """Two sentences, never of the same template."""
    stream = row.stream
    sentences = _theme(row.topic, row.field).sentences
    first = stream.below(len(sentences))
    second = (first + stream.between(1, len(sentences) - 1)) % len(sentences)
    return " ".join(_with_stop(_capital(_filled(sentences[i], stream))) for i in (first, second))


def _reason(row: DrawContext) -> str:
    return _capital(_phrase(row, "reason"))


def _subject(row: DrawContext) -> str:
    return _capital(_phrase(row, "subject"))


def _name(row: DrawContext) -> str:
    """`North Warehouse`, `Project Heron`: a place or a thing of the entity's kind, or whom the field is named for."""
    names = hints(row.field)
    if any(word in names for word in _PERSONAL):
        return people.person(row)
    if "company" in names:
        return companies.company(row)
    topic = row.topic.replace("_", " ").strip().title()
    if "Project" in topic or "Campaign" in topic:
        return f"{topic} {row.stream.pick(_PROJECTS)}"
    if topic in ("Department", "Team", "Cost Center", "Unit", "Division"):
        return row.stream.pick(_DEPARTMENTS)
    return f"{row.stream.pick(_NAMES)} {topic}".strip()


def _address(row: DrawContext) -> str:
    street = row.so_far.get("street") or places.street(row)
    city = row.so_far.get("city") or places.city(row)
    there = row._replace(so_far={**row.so_far, "city": city})
    postcode = row.so_far.get("postcode") or places.postcode(there)
    locale = places.place(there)[0]
    match locale.code:
        case "en_US":
            return f"{street}, {city}, {places.region(there)} {postcode}"
        case "en_GB":
            return f"{street}, {city} {postcode}"
    return f"{street}, {postcode} {city}"


def _website(row: DrawContext) -> str:
    company = row.so_far.get("company", "")
    return f"www.{emails.domain(company, row.locale.code)}" if company else "www.example.com"


def _reference(row: DrawContext) -> str:
    return places.fill(row.stream.pick(("@@-#####", "@%####", "%####/##", "@@%####", "%##-@-####")), row.stream)


def _bin(row: DrawContext) -> str:
    return places.fill("@-%#-%", row.stream)


def _one_of(*options: str) -> Callable[[DrawContext], str]:
    return lambda row: row.stream.pick(options)


_SHAPES: dict[str, Callable[[DrawContext], str]] = {
    word: shape
    for shape, keywords in (
        (_reason, "reason cause justification why"),
        (_subject, "subject title headline topic"),
        (_description, "description details body message summary"),
        (_note, "note notes comment remark memo feedback"),
        (places.region, "region state county province"),
        (_address, "address"),
        (_website, "website url homepage domain"),
        (_reference, "reference ref code number sku barcode"),
        (_bin, "bin shelf aisle location"),
        (_one_of(*_DEPARTMENTS), "department team division unit"),
        (_one_of(*_JOBS), "position job occupation profession function"),
        (_one_of(*_COLOURS), "color colour"),
        (_one_of(*_SIZES), "size"),
        (_one_of(*LINES), "brand make manufacturer"),
        (_name, "name label surname forename contact"),
    )
    for word in keywords.split()
}


@lru_cache(maxsize=4096)
def _shape(field: str) -> Callable[[DrawContext], str]:
    """By the last telling word of the field's name, but `job_title` is a job."""
    known = [word for word in hints(field) if word in _SHAPES]
    if not known:
        return _note
    return _SHAPES["job"] if "job" in known else _SHAPES[known[-1]]


@lru_cache(maxsize=4096)
def _theme(topic: str, field: str) -> Theme:
    """By the entity's name first, then the field's."""
    for names in (hints(topic), hints(field)):
        for theme in THEMES:
            if any(word in theme.keywords for word in names):
                return theme
    return GENERIC


def _phrase(row: DrawContext, part: str) -> str:
    theme = _theme(row.topic, row.field)
    if part == "sentence":
        if row.stream.chance(0.12):
            theme = GENERIC
        return _filled(row.stream.pick(theme.sentences), row.stream)
    return _filled(row.stream.pick(theme.reasons if part == "reason" else theme.subjects), row.stream)


def _filled(template: str, stream: Stream) -> str:
    """The template with its slots drawn; what fills a slot may have slots itself."""
    before, brace, rest = template.partition("{")
    if not brace:
        return template
    slot, _, after = rest.partition("}")
    return before + _filled(stream.pick(SLOTS[slot]), stream) + _filled(after, stream)


def _capital(phrase: str) -> str:
    return phrase[:1].upper() + phrase[1:]


def _with_stop(phrase: str) -> str:
    return phrase + "."
