"""From what was given to an anchor: read, merged, understood as worlds, and locked with the reasons."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from worldwright.anchor.anonymise import Report, anonymise_reads, rename_personal_files
from worldwright.anchor.claims import collect_claims
from worldwright.anchor.evidence import Evidence
from worldwright.anchor.intake.dispatch import Input, ReadInput, join_prompts, parser_versions, read_inputs
from worldwright.anchor.lock.files import count_evidence, write_files
from worldwright.anchor.lock.records import Anchor, Worlds, lock_data
from worldwright.anchor.lock.worlds import derive_worlds, name_anchor, worlds_over_catalogue
from worldwright.anchor.merge import merge_reads
from worldwright.anchor.names import parts
from worldwright.core.errors import UsageError
from worldwright.english.words import STOPWORDS

Progress = Callable[[str, str], None]
MAX_TITLE_WORDS = 4
"""Words of a prompt that name what has no other name."""


@dataclass(frozen=True, slots=True)
class AnchorOptions:
    """What somebody wants beside what the inputs say."""

    name: str = ""
    focus: tuple[str, ...] = ()
    onto: str = ""
    key: str = ""
    """Personal data is replaced with this key; empty for not at all."""


def derive_anonymising_key(given: Sequence[Input]) -> str:
    """A key that only who has the inputs can know, and that is the same for the same inputs.

    It is made of what is in them: the digests of the files are no secret, they stand in the lock."""
    made = hashlib.sha256(b"worldwright: anonymise")
    for upload in (upload for one in given for upload in one.uploads):
        made.update(len(upload.data).to_bytes(8, "big"))
        made.update(upload.data)
    return made.hexdigest()


def build_anchor(
    given: Sequence[Input], asked: AnchorOptions, progress: Progress = lambda stage, figures: None
) -> Anchor:
    """The anchor of some inputs. `progress` hears each stage as it ends."""
    given = tuple(map(rename_personal_files, given)) if asked.key else given
    reads, personal = read_inputs(given), Report()
    if asked.key:
        reads, personal = anonymise_reads(reads, asked.key)
    _check_readable(given, reads)
    progress("read", _figures(reads))
    if asked.key:
        progress("anonymise", _personal(personal))
    found = merge_reads(reads)
    if len(reads) > 1:
        progress("merge", f"{len(found.evidence.resources)} things, {len(found.decisions)} decisions")
    made = _worlds(given, found.evidence, asked)
    progress("model", f"{len(made.domains)} worlds, {sum(d.counts['entities'] for d in made.domains)} entities")
    claims = collect_claims(*(r.evidence for r in reads))
    evidence = replace(found.evidence, claims=claims, notes=(*made.notes, *found.evidence.notes))
    made = replace(
        made,
        domains=tuple(count_evidence(d, evidence) for d in made.domains),
        decisions=(*found.decisions, *made.decisions),
    )
    columns = [
        {"column": f"{f.resource}.{f.column}", "kind": f.kind, "values": f.values, "certainty": f.certainty}
        for f in personal.found
    ]
    options = {
        "name": asked.name, "focus": list(asked.focus), "onto": asked.onto,
        "anonymised": {"replaced": personal.replaced, "columns": columns} if asked.key else None,
    }  # fmt: skip
    files = write_files(found.evidence)
    lock = lock_data(made, given, parser_versions(reads), evidence, options, files)
    return Anchor(made.name, made.title, made.domains, lock, files)


def _check_readable(given: Sequence[Input], reads: Sequence[ReadInput]) -> None:
    """Nothing is locked where nothing could be read."""
    if not given:
        raise UsageError("nothing was given")
    every = [r.evidence for r in reads]
    if join_prompts(given) or any(e.resources or e.operations or e.claims for e in every):
        return
    wrong = [f"{n.source}: {n.says}" for e in every for n in e.notes if n.level in ("error", "warning")]
    raise UsageError("nothing in the inputs could be understood" + (": " + "; ".join(wrong[:5]) if wrong else ""))


def _figures(reads: Sequence[ReadInput]) -> str:
    every = [r.evidence for r in reads]
    counts = {
        "operations": sum(len(e.operations) for e in every),
        "things": sum(len(e.resources) for e in every),
        "claims": sum(len(e.claims) for e in every),
        "rows": sum(r.total for e in every for r in e.rows),
    }
    return ", ".join([*dict.fromkeys(r.kind for r in reads), *(f"{n:,} {what}" for what, n in counts.items() if n)])


def _personal(report: Report) -> str:
    columns = ", ".join(f"{f.resource}.{f.column} ({f.kind}, {f.certainty})" for f in report.found[:6])
    more = f" and {len(report.found) - 6} more" if len(report.found) > 6 else ""
    return f"{report.replaced:,} values replaced" + (
        f": {columns}{more}" if columns else "; nothing personal was found"
    )


def _worlds(given: Sequence[Input], evidence: Evidence, asked: AnchorOptions) -> Worlds:
    title = evidence.title or _title(given)
    name = name_anchor(asked.name, title)
    if not asked.onto:
        return derive_worlds(evidence, name, title, asked.focus)
    if asked.focus:
        raise UsageError("--focus picks among operations and things; here a business of the catalogue is taken whole")
    if not evidence.operations:
        raise UsageError(
            "--onto lays operations over a business, and the inputs have none: give an OpenAPI or MCP file"
        )
    return worlds_over_catalogue(evidence, asked.onto, name, title)


def _title(given: Sequence[Input]) -> str:
    """A name where the inputs say none: that of the first file, else the first words of a prompt."""
    first = next((u.name for g in given if g.kind != "prompt" for u in g.uploads), "")
    said = re.split(r"[.!?\n]", join_prompts(given))[0]
    words = (
        parts(first.rsplit("/", 1)[-1].split(".")[0])
        or [w for w in parts(said) if w not in STOPWORDS][:MAX_TITLE_WORDS]
    )
    return " ".join(words).capitalize() or "Derived service"
