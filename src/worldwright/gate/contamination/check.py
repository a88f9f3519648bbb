"""Worlds against benchmark files: one pass over the files, however many worlds there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldwright.core.canonical import hash_file
from worldwright.core.errors import StoreError
from worldwright.engine.world import World
from worldwright.gate.contamination.embedding import BATCH, Embed, Nearest
from worldwright.gate.contamination.gym_texts import Texts, map_tasks_by_row, texts_of
from worldwright.gate.contamination.index import Hit, Index, excerpt
from worldwright.gate.contamination.records import CLOSE, NAMES, FileRead, Finding, GymText, Remark, Report, Thresholds
from worldwright.gate.contamination.sources import Text
from worldwright.gate.contamination.sources import read_texts as texts_in
from worldwright.gate.contamination.words import SHORT, words
from worldwright.gate.results import CONTAMINATION, find_folder, read_object, write

MAX_FINDINGS_PER_TEXT = 3
"""Matches that are kept of one text and one measure: the best."""
MAX_REMARKS = 200
"""Remarks that are kept; of more, only how many there were."""


@dataclass(slots=True)
class _WorldComparison:
    """A world and what has been found of it so far."""

    world: World
    variant: str
    texts: Texts
    index: Index
    nearest: Nearest | None
    best: dict[tuple[int, str], list[Finding]] = field(default_factory=dict)
    seen: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Names that were met, with where."""
    about: Mapping[str, frozenset[str]] | None = None

    def meet(self, file: str, text: Text, found: Sequence[str]) -> None:
        for hit in self.index.find_hits(found):
            self.keep(file, text, hit)

    def keep(self, file: str, text: Text, hit: Hit) -> None:
        held = self.best.setdefault((hit.text, hit.measure), [])
        if len(held) == MAX_FINDINGS_PER_TEXT and held[-1].score >= hit.score:
            return
        own = self.texts.texts[hit.text]
        held.append(
            Finding(
                hit.measure,
                hit.score,
                own.kind,
                own.place,
                self.find_tasks(own),
                file,
                text.line,
                text.at,
                excerpt(own.text, hit.own),
                excerpt(text.text, hit.theirs),
            )
        )
        held.sort(key=lambda one: -one.score)
        del held[MAX_FINDINGS_PER_TEXT:]

    def find_tasks(self, own: GymText) -> tuple[str, ...]:
        """Find whom a match concerns: the task itself, or tasks whose key names a row that holds the text."""
        if own.task:
            return (own.task,)
        if not own.rows:
            return ()
        if self.about is None:
            self.about = map_tasks_by_row(self.world)
        return tuple(sorted({task for row in own.rows for task in self.about.get(row, ())}))


def compare(
    worlds: Mapping[str, World],
    files: Sequence[Path],
    thresholds: Thresholds,
    embed: Embed | None = None,
    watch: Callable[[int], None] = lambda _: None,
) -> tuple[Report, ...]:
    """A report for each world by its variant. `watch` is told of bytes as they are read."""
    compared = [_open_comparison(variant, world, thresholds, embed) for variant, world in worlds.items()]
    remarks: list[Remark] = []
    read = []
    for path in files:
        texts = count = 0
        waiting: list[Text] = []
        for text, found in _texts(path, remarks, watch):
            texts, count = texts + 1, count + len(found)
            if len(found) >= SHORT:
                for one in compared:
                    one.meet(str(path), text, found)
                if embed is not None:
                    waiting.append(text)
                    if len(waiting) == BATCH:
                        _compare_meaning(compared, str(path), waiting, thresholds)
                        waiting = []
            elif len(found) > 1:
                _name(compared, str(path), text.line, " ".join(found))
        _compare_meaning(compared, str(path), waiting, thresholds)
        read.append(FileRead(str(path), hash_file(path), path.stat().st_size, texts, count))
    return tuple(_report(one, thresholds, embed is not None, read, remarks) for one in compared)


def _open_comparison(variant: str, world: World, thresholds: Thresholds, embed: Embed | None) -> _WorldComparison:
    texts = texts_of(world)
    nearest = None if embed is None else Nearest(embed, [own.text for own in texts.texts])
    return _WorldComparison(world, variant, texts, Index(texts.texts, thresholds), nearest)


def _texts(path: Path, remarks: list[Remark], watch: Callable[[int], None]) -> Iterator[tuple[Text, list[str]]]:
    """The texts of a file with their words."""
    said = at = 0

    def says(line: int, what: str) -> None:
        nonlocal said
        said += 1
        if len(remarks) < MAX_REMARKS:
            remarks.append(Remark(str(path), line, what))
        elif len(remarks) == MAX_REMARKS:
            remarks.append(Remark(str(path), line, "and more that could not be read, which are not listed"))

    def advance(to: int) -> None:
        nonlocal at
        watch(max(0, to - at))
        at = max(at, to)

    for text in texts_in(path, says, advance):
        yield text, words(text.text)
    advance(path.stat().st_size)


def _name(compared: Sequence[_WorldComparison], file: str, line: int, name: str) -> None:
    for one in compared:
        if name not in one.seen and any(name in found for found in one.texts.names.values()):
            one.seen[name] = (file, line)


def _compare_meaning(
    compared: Sequence[_WorldComparison], file: str, waiting: Sequence[Text], thresholds: Thresholds
) -> None:
    for one in compared if waiting else ():
        if one.nearest is not None:
            for at, key, cosine in one.nearest.find_close([text.text for text in waiting], thresholds.close):
                every = len(words(one.texts.texts[key].text)), len(words(waiting[at].text))
                one.keep(file, waiting[at], Hit(key, CLOSE, cosine, (0, every[0]), (0, every[1])))


def _names(one: _WorldComparison, least: float) -> Iterator[Finding]:
    """Columns whose names benchmarks hold as well."""
    for column, known in sorted(one.texts.names.items()):
        met = sorted(name for name in known if name in one.seen)
        if len(met) >= least * len(known):
            file, line = one.seen[met[0]]
            says = f"{len(met)} of {len(known)} names: {', '.join(met[:8])}"
            yield Finding(NAMES, len(met) / len(known), NAMES, column, (), file, line, "", says, says)


def _report(
    one: _WorldComparison, thresholds: Thresholds, embedded: bool, read: Sequence[FileRead], remarks: Sequence[Remark]
) -> Report:
    findings = [found for key in sorted(one.best) for found in one.best[key]]
    return Report(
        one.world.digest, one.world.name, one.variant, len(one.world.tasks), len(one.texts.texts), one.texts.too_short,
        thresholds, embedded, tuple(read), (*findings, *_names(one, thresholds.names)), tuple(remarks),
    )  # fmt: skip


def save_report(report: Report, drop: bool, restore: bool = False) -> tuple[Path, dict[str, Any]]:
    """Write a report down. What earlier checks dropped stays dropped, unless it is to be restored."""
    path = find_folder(report.world) / CONTAMINATION
    earlier = None if restore else read_object(path)
    why = {} if earlier is None else earlier.get("dropped_for", {})
    if not isinstance(why, dict):
        raise StoreError(f"{path} cannot be read: it does not say what was dropped; remove it to begin again")
    for task in report.flagged if drop else ():
        why.setdefault(task, next(found.data() for found in report.findings if task in found.tasks))
    data = {**report.data(), "dropped": sorted(why), "dropped_for": why}
    write(path, data)
    return path, data
