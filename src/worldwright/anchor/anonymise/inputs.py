"""Several inputs without personal data: who is named in one is replaced in all, by the same name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from worldwright.anchor.anonymise import Report, anonymise
from worldwright.anchor.anonymise.detect import in_text
from worldwright.anchor.evidence import Evidence, Note, Source
from worldwright.anchor.intake.dispatch import Input, ReadInput

LISTS = ("resources", "operations", "rules", "states", "people", "rows", "notes", "skipped")
"""What evidence holds many of."""


def rename_personal_files(given: Input) -> Input:
    """An input whose files are not called after people."""
    called = {u.name: f"{given.kind}-{k}{PurePosixPath(u.name).suffix}" for k, u in enumerate(given.uploads, start=1)}
    told = [bool(list(in_text(u.name))) for u in given.uploads]
    if not any(told):
        return given
    own = tuple(replace(u, name=called[u.name]) if bad else u for u, bad in zip(given.uploads, told, strict=True))
    return replace(given, label=given.kind, uploads=own)


def anonymise_reads(reads: Sequence[ReadInput], key: str) -> tuple[tuple[ReadInput, ...], Report]:
    """Every input with its personal data replaced, and what was found in all of them."""
    whole: dict[str, Any] = {name: tuple(x for r in reads for x in getattr(r.evidence, name)) for name in LISTS}
    heads = tuple(Note("info", text, Source("")) for r in reads for text in (r.evidence.title, r.evidence.says))
    made, report = anonymise(Evidence(**{**whole, "notes": (*whole["notes"], *heads)}), key)
    titles = made.notes[len(whole["notes"]) :]
    out: list[ReadInput] = []
    taken = dict.fromkeys(LISTS, 0)
    for k, one in enumerate(reads):
        own: dict[str, Any] = {}
        for name in LISTS:
            start, count = taken[name], len(getattr(one.evidence, name))
            own[name] = getattr(made, name)[start : start + count]
            taken[name] = start + count
        title, says = titles[2 * k].says, titles[2 * k + 1].says
        out.append(replace(one, evidence=replace(one.evidence, title=title, says=says, **own)))
    return tuple(out), report
