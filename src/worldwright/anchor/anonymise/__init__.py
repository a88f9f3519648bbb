"""Takes personal data out of evidence: the same value always becomes the same invented one, wherever it stands.

A replacement follows from the key and the value by HMAC-SHA256. Without the key nobody can go back, or tell which replacement a
value would get. Columns are judged by their names and by their values; what is found in one place is replaced in all others too.
Only where a replacement happens to be somebody's real value, or another one's replacement already, a further one is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from worldwright.anchor.anonymise.detect import CERTAIN, LIKELY, Verdict, by_values, in_text, plausible, verdict
from worldwright.anchor.anonymise.invent import MAKERS, Inventor, name_tokens, normal
from worldwright.anchor.anonymise.rewrite import Cells, Place, operation_examples, rewritten, shape_examples
from worldwright.anchor.anonymise.texts import Finder, leaves
from worldwright.anchor.evidence import Evidence, Note, Source, join_evidence
from worldwright.anchor.intake.dispatch import Input, ReadInput
from worldwright.core.errors import UsageError

MAX_ATTEMPTS = 40
NAMES = frozenset({"name", "given", "family"})
MIN_DIGITS = 7
"""Of a number that means the same in any place."""
LONG = 3
"""Letters of a part of a name that is looked for in texts."""

PROSE: Place = ("prose", "sentences")
"""Where what documents say stands."""


@dataclass(frozen=True, slots=True)
class Found:
    """Personal data in one column."""

    resource: str
    column: str
    """Or a path within it: `address.street`."""
    kind: str
    """mail, phone, iban, card, id, ip, address, birth, name, given, family, user; `text` for what stands within longer texts."""
    values: int
    """Different ones."""
    certainty: str
    """certain (the name and the values agree), likely or possible."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was found and replaced."""

    found: tuple[Found, ...] = ()
    replaced: int = 0
    """Different values, over all columns."""


def anonymise_reads(reads: Sequence[ReadInput], key: str) -> tuple[tuple[ReadInput, ...], Report]:
    """Every input without personal data, and what was taken out: who is named in one is replaced in all, by the same name."""
    if not key:
        raise UsageError("a key is needed: whoever has it can tell what became of a value; keep it out of the evidence")
    heads = (Note("info", text, Source("")) for r in reads for text in (r.evidence.title, r.evidence.says))
    whole = join_evidence([r.evidence for r in reads])
    evidence = replace(whole, says="", notes=(*whole.notes, *heads))
    places = _by_place(evidence)
    verdicts = _verdicts(evidence, places)
    kinds, found = _values(places, verdicts)
    inventor = Inventor(key)
    made = _replacements(kinds, inventor)
    births = {v: m for v, m in made.items() if kinds[v] == "birth"}
    elsewhere = {v: m for v, m in made.items() if _is_telling(v, kinds[v])}
    in_rows = Finder({**dict(_parts(kinds, inventor, made)), **elsewhere}.items(), 2)
    in_prose, dates = Finder(elsewhere.items(), LONG), Finder(births.items(), LONG)
    cells = Cells(made, frozenset(verdicts), elsewhere, in_rows, dates, in_prose)
    clean = tuple(replace(r, evidence=rewritten(r.evidence, cells)) for r in reads)
    return clean, Report(tuple(found), len(made))


def _is_telling(value: str, kind: str) -> bool:
    """Tell whether a value means the same person in any other place. A date, a short number or a common word may mean anything."""
    if kind == "birth" or (value.isdecimal() and len(value) < MIN_DIGITS):
        return False
    return kind != "user" or not value.isalpha()


def _values(places: Mapping[Place, list[Any]], verdicts: Mapping[Place, Verdict]) -> tuple[dict[str, str], list[Found]]:
    """The kind of each personal value, and where such values are."""
    kinds: dict[str, str] = {}
    found: list[Found] = []
    for place, values in places.items():
        judged = verdicts.get(place)
        here: set[str] = set()
        for value in dict.fromkeys(_texts(values)):
            if judged is not None and plausible(judged.kind, value):
                here.add(value.strip())
                _prefer(kinds, value.strip(), judged.kind)
                continue
            for kind, inner in in_text(value):
                here.add(inner)
                _prefer(kinds, inner, kind)
        if here:
            kind, certainty = (judged.kind, judged.certainty) if judged else ("text", LIKELY)
            found.append(Found(*place, kind, len(here), certainty))
    return kinds, found


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """Return what can be personal: texts, and numbers such as those of phones."""
    return (str(v) for v in values if isinstance(v, (str, int)) and not isinstance(v, bool))


def _by_place(evidence: Evidence) -> dict[Place, list[Any]]:
    """All that may be somebody's, by where it stands."""
    out: dict[Place, list[Any]] = {}
    for rows in evidence.rows:
        for row in rows.rows:
            for column, value in zip(rows.columns, row, strict=False):
                for path, leaf in leaves(value, column):
                    out.setdefault((rows.resource, path), []).append(leaf)
    told: list[Any] = [evidence, *evidence.claims, *evidence.notes, *evidence.remarks, *evidence.operations]
    told += [parameter for operation in evidence.operations for parameter in operation.parameters]
    if any(x.says for x in told):
        out[PROSE] = [x.says for x in told if x.says]
    with_rows = {rows.resource for rows in evidence.rows}
    for resource in evidence.resources:
        known = resource.name in with_rows
        for field in resource.fields:
            for path, value in shape_examples(field.shape, field.name, words=known):
                if known or _says_enough(value):
                    out.setdefault((resource.name, path), []).append(value)
    for operation in evidence.operations:
        for path, value in operation_examples(operation):
            if _says_enough(value):
                out.setdefault((operation.name, path), []).append(value)
    return out


def _says_enough(example: Any) -> bool:
    """Whether a single value can be told to be somebody's. One word that stands for a name may be anything: `Card`, `France`."""
    return not (isinstance(example, str) and example.strip().isalpha())


def _verdicts(evidence: Evidence, places: Mapping[Place, list[Any]]) -> dict[Place, Verdict]:
    """Return what each column holds; one that refers to another holds the same."""
    forms = {(t.name, f.name): f.shape.format for t in evidence.resources for f in t.fields}
    out: dict[Place, Verdict] = {}
    for (resource, path), values in places.items():
        texts = list(_texts(values))
        last = path.replace("[]", "").rsplit(".", 1)[-1]
        judged = verdict(resource, last, texts, forms.get((resource, path), ""))
        if judged is None and any(isinstance(v, str) for v in values):
            judged = by_values(texts)
        if judged is not None:
            out[resource, path] = judged
    keys = {t.name: t.key[0] for t in evidence.resources if len(t.key) == 1}
    links = [
        ((t.name, f.name), (f.refers_to, f.refers_by or keys.get(f.refers_to, "")))
        for t in evidence.resources
        for f in t.fields
        if f.refers_to
    ]
    for _ in range(8):
        for here, there in links:
            for one, other in ((here, there), (there, here)):
                if one in out and other not in out and other in places:
                    out[other] = Verdict(out[one].kind, CERTAIN)
                elif one in out and other in out and out[one].kind != out[other].kind and one == there:
                    out[other] = out[one]
    return out


def _prefer(kinds: dict[str, str], value: str, kind: str) -> None:
    """One kind for one value, the first in the order of the makers."""
    order = list(MAKERS)
    if value not in kinds or order.index(kind) < order.index(kinds[value]):
        kinds[value] = kind


def _replacements(kinds: Mapping[str, str], inventor: Inventor) -> dict[str, str]:
    """A replacement for each value, none of them a value itself, and no two alike that are not the same."""
    taken: dict[str, tuple[str, str]] = {}
    real = {value.casefold() for value in kinds}
    real |= {v[a:b].casefold() for v, k in kinds.items() if k in NAMES for a, b, _ in name_tokens(v) if b - a > 1}
    out: dict[str, str] = {}
    for value in sorted(kinds, key=lambda v: (kinds[v], normal(kinds[v], v), v)):
        kind = kinds[value]
        own = (kind, normal(kind, value))
        tries = (inventor.replacement(kind, value, attempt) for attempt in range(MAX_ATTEMPTS))
        good = (m for m in tries if taken.get(m.casefold(), own) == own and not real & _words_of(m))
        made = next(good, "") or f"{inventor.replacement(kind, value)}{len(out)}"
        taken[made.casefold()] = own
        out[value] = made
    return out


def _words_of(text: str) -> set[str]:
    folded = text.casefold()
    return {folded, *folded.replace("-", " ").split()}


def _parts(kinds: Mapping[str, str], inventor: Inventor, made: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The words of names, which stand in texts without the rest: `Ms Schmidt`."""
    for value, kind in kinds.items():
        tokens = name_tokens(value) if kind in NAMES else []
        for start, stop, which in tokens:
            token = value[start:stop].rstrip(".")
            if len(token) >= LONG and token not in made and len(tokens) > 1:
                part = kind if kind in ("given", "family") else which
                tries = (inventor.replacement(part, token, attempt) for attempt in range(MAX_ATTEMPTS))
                yield token, next((m for m in tries if m not in kinds), "") or inventor.replacement(part, token)


def rename_personal_files(given: Input) -> Input:
    """An input whose files are not called after people."""
    called = {u.name: f"{given.kind}-{k}{PurePosixPath(u.name).suffix}" for k, u in enumerate(given.uploads, start=1)}
    told = [bool(list(in_text(u.name))) for u in given.uploads]
    if not any(told):
        return given
    own = tuple(replace(u, name=called[u.name]) if bad else u for u, bad in zip(given.uploads, told, strict=True))
    return replace(given, label=given.kind, uploads=own)
