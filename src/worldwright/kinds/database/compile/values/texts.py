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

DEPARTMENTS = phrases("""
Finance; Purchasing; Sales; Customer Service; Human Resources; Logistics; Operations; Production; Quality; Research
Facilities; Legal; Marketing; IT; Planning; Maintenance
""")
JOBS = phrases("""
Accountant; Buyer; Sales Manager; Customer Advisor; HR Partner; Warehouse Lead; Operations Manager; Team Assistant
Quality Engineer; Technician; Project Manager; Controller; Analyst; Dispatcher; Office Manager; Software Engineer
Marketing Specialist; Shift Supervisor; Key Account Manager; Trainee
""")
_COLOURS = words("black white grey navy blue green red yellow brown beige orange purple silver")
SIZES = words("XS S M L XL XXL")
_PERSONAL = words("first last given family full contact person surname forename")
_NAMES = words(
    "North South East West Central Harbor Garden Maple Cedar River Summit Lake Bridge Orchard Meadow Station"
)
_PROJECTS = words(
    "Heron Falcon Juniper Atlas Compass Lighthouse Aurora Granite Lotus Mercury Orion Pioneer Quartz Saturn"
)


def draw_sentence(row: DrawContext) -> str:
    """Draw one sentence; a field named for a reason gives the reason."""
    return _add_stop(_capital(_phrase(row, "reason" if _choose_shape(row.field) is reason else "sentence")))


def text(row: DrawContext) -> str:
    """A short note, or what the field's name calls for."""
    return _choose_shape(row.field)(row)


def note(row: DrawContext) -> str:
    if row.stream.chance(0.2):
        return draw_description(row)
    phrase = _capital(_phrase(row, "sentence"))
    return phrase if row.stream.chance(0.5) else _add_stop(phrase)


def draw_description(row: DrawContext) -> str:
    """Draw two sentences, never of the same template."""
    stream = row.stream
    sentences = _choose_theme(row.topic, row.field).sentences
    first = stream.below(len(sentences))
    second = (first + stream.between(1, len(sentences) - 1)) % len(sentences)
    return " ".join(_add_stop(_capital(_fill_template(sentences[i], stream))) for i in (first, second))


def reason(row: DrawContext) -> str:
    return _capital(_phrase(row, "reason"))


def subject(row: DrawContext) -> str:
    return _capital(_phrase(row, "subject"))


def _draw_name(row: DrawContext) -> str:
    """Draw `North Warehouse` or `Project Heron`: a place or a thing of the entity's kind, or whom the field is named for."""
    names = hints(row.field)
    if any(word in names for word in _PERSONAL):
        return people.person(row)
    if "company" in names:
        return companies.company(row)
    topic = row.topic.replace("_", " ").strip().title()
    if "Project" in topic or "Campaign" in topic:
        return f"{topic} {row.stream.pick(_PROJECTS)}"
    if topic in ("Department", "Team", "Cost Center", "Unit", "Division"):
        return row.stream.pick(DEPARTMENTS)
    return f"{row.stream.pick(_NAMES)} {topic}".strip()


def address(row: DrawContext) -> str:
    street = row.so_far.get("street") or places.street(row)
    city = row.so_far.get("city") or places.city(row)
    there = row._replace(so_far={**row.so_far, "city": city})
    postcode = row.so_far.get("postcode") or places.postcode(there)
    locale = places.locate(there)[0]
    match locale.code:
        case "en_US":
            return f"{street}, {city}, {places.region(there)} {postcode}"
        case "en_GB":
            return f"{street}, {city} {postcode}"
    return f"{street}, {postcode} {city}"


def _website(row: DrawContext) -> str:
    company = row.so_far.get("company", "")
    return f"www.{emails.make_domain(company, row.locale.code)}" if company else "www.example.com"


def _reference(row: DrawContext) -> str:
    return places.fill(row.stream.pick(("@@-#####", "@%####", "%####/##", "@@%####", "%##-@-####")), row.stream)


def _bin(row: DrawContext) -> str:
    return places.fill("@-%#-%", row.stream)


def _pick_from(*options: str) -> Callable[[DrawContext], str]:
    return lambda row: row.stream.pick(options)


_SHAPES: dict[str, Callable[[DrawContext], str]] = {
    word: shape
    for shape, keywords in (
        (reason, "reason cause justification why"),
        (subject, "subject title headline topic"),
        (draw_description, "description details body message summary"),
        (note, "note notes comment remark memo feedback"),
        (places.region, "region state county province"),
        (address, "address"),
        (_website, "website url homepage domain"),
        (_reference, "reference ref code number sku barcode"),
        (_bin, "bin shelf aisle location"),
        (_pick_from(*DEPARTMENTS), "department team division unit"),
        (_pick_from(*JOBS), "position job occupation profession function"),
        (_pick_from(*_COLOURS), "color colour"),
        (_pick_from(*SIZES), "size"),
        (_pick_from(*LINES), "brand make manufacturer"),
        (_draw_name, "name label surname forename contact"),
    )
    for word in keywords.split()
}


@lru_cache(maxsize=4096)
def _choose_shape(field: str) -> Callable[[DrawContext], str]:
    """Choose by the last telling word of the field's name, but `job_title` is a job."""
    known = [word for word in hints(field) if word in _SHAPES]
    if not known:
        return note
    return _SHAPES["job"] if "job" in known else _SHAPES[known[-1]]


@lru_cache(maxsize=4096)
def _choose_theme(topic: str, field: str) -> Theme:
    """Choose a theme by the entity's name first, then the field's."""
    for names in (hints(topic), hints(field)):
        for theme in THEMES:
            if any(word in theme.keywords for word in names):
                return theme
    return GENERIC


def _phrase(row: DrawContext, part: str) -> str:
    theme = _choose_theme(row.topic, row.field)
    if part == "sentence":
        if row.stream.chance(0.12):
            theme = GENERIC
        return _fill_template(row.stream.pick(theme.sentences), row.stream)
    return _fill_template(row.stream.pick(theme.reasons if part == "reason" else theme.subjects), row.stream)


def _fill_template(template: str, stream: Stream) -> str:
    """Draw the slots of a template; what fills a slot may have slots itself."""
    before, brace, rest = template.partition("{")
    if not brace:
        return template
    slot, _, after = rest.partition("}")
    return before + _fill_template(stream.pick(SLOTS[slot]), stream) + _fill_template(after, stream)


def _capital(phrase: str) -> str:
    return phrase[:1].upper() + phrase[1:]


def _add_stop(phrase: str) -> str:
    return phrase + "."
