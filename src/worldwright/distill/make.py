"""A dataset from runs: looked through, split, chosen, paired, written. The same runs and the same recipe give the same bytes."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

from worldwright.core.canonical import pretty_json
from worldwright.core.errors import UsageError
from worldwright.distill import choose
from worldwright.distill.card import card
from worldwright.distill.choose import CAP, NO_VERDICT, find_successes
from worldwright.distill.reader import EpisodeReader
from worldwright.distill.records import KINDS, TEST, TRAIN, Dropped, EpisodeSummary, Pair, Recipe
from worldwright.distill.rows import COLUMNS, Row, encode, make_dpo_row, make_rl_row, make_sft_row
from worldwright.distill.split import SAME_WORDS, Split, split_episodes
from worldwright.distill.summarise import NOTHING, classify_message
from worldwright.formats.parquet import JSON_LIST, write_parquet

ALONE = "no success at the same task"
STOPPED = "stopped on the way of a success"
ALSO_RIGHT = "a success did the same"
SAME_PAIR = "the same pair"
ALIKE = "came to the same"
MILD = "not decisive"
TALK = "the success only talks there"
DECISIVE = ("answer", "write", "refused")


def choose_pairs(
    shelf: EpisodeReader, episodes: Sequence[EpisodeSummary], sides: Split, recipe: Recipe, dropped: Dropped
) -> dict[str, list[Pair]]:
    """Choose all pairs, by side: of each task the most telling ones."""
    nearest = _Successes(episodes)
    found: dict[bytes, list[Pair]] = {}
    known: set[tuple[bytes, bytes]] = set()
    for failure in sorted((s for s in episodes if s.status != "pass"), key=lambda s: s.order):
        pair = _pair(shelf, nearest, failure, sides, recipe)
        if isinstance(pair, str):
            dropped.add("dpo", pair)
        elif (mark := (failure.states[pair.at], failure.moves[pair.at])) in known:
            dropped.add("dpo", SAME_PAIR)
        else:
            known.add(mark)
            found.setdefault(failure.ask, []).append(pair)
    out: dict[str, list[Pair]] = {TRAIN: [], TEST: []}
    for of_task in found.values():
        ranked = sorted(of_task, key=lambda p: (KINDS.index(p.kind), -p.at, p.rejected.order))
        for _ in ranked[recipe.per_task :]:
            dropped.add("dpo", CAP)
        for p in ranked[: recipe.per_task]:
            out[sides.side(p.rejected) or TRAIN].append(p)
    return {side: sorted(mine, key=lambda p: p.rejected.order) for side, mine in out.items()}


def _pair(
    shelf: EpisodeReader, nearest: _Successes, failure: EpisodeSummary, sides: Split, recipe: Recipe
) -> Pair | str:
    """The pair that a failure makes, or why it makes none."""
    if failure.status == "error":
        return NO_VERDICT
    if sides.side(failure) is None:
        return SAME_WORDS
    parting = nearest.parting(failure)
    if isinstance(parting, str):
        return parting
    chosen, at = parting
    kind = classify_message(shelf.episode(failure), at)
    if kind != "answer" and chosen.came[at] == failure.came[at]:
        return ALIKE
    if recipe.decisive and kind not in DECISIVE:
        return MILD
    return Pair(chosen, failure, at, kind)


class _Successes:
    """By state, the best success that went on from it with a call."""

    def __init__(self, episodes: Sequence[EpisodeSummary]) -> None:
        self._right = {move for s in episodes if s.status == "pass" for move in zip(s.states, s.moves, strict=False)}
        """What any success did in a state, one that is no example included."""
        self._through: set[bytes] = set()
        self._from: dict[bytes, EpisodeSummary] = {}
        for s in sorted(find_successes(episodes), key=lambda s: s.merit):
            for state, move in zip(s.states, s.moves, strict=False):
                self._through.add(state)
                if move != NOTHING:
                    self._from.setdefault(state, s)

    def parting(self, failure: EpisodeSummary) -> tuple[EpisodeSummary, int] | str:
        """The success that did the same as this failure for longest, and the message in which they part; or why not."""
        for at in range(len(failure.moves), -1, -1):
            state = failure.states[at]
            if state not in self._through:
                continue
            if at == len(failure.moves):
                return STOPPED
            if (state, failure.moves[at]) in self._right:
                return ALSO_RIGHT
            if at in failure.unusable:
                return failure.unusable[at]
            return (self._from[state], at) if state in self._from else TALK
        return ALONE


FACTS, CARD = "distill.json", "README.md"

Rows = Iterator[Row]
Stage = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""What is done now, and to how many things: gives what to call after each of them."""


@contextmanager
def ignore_progress(what: str, number: int) -> Iterator[Callable[[], None]]:
    yield lambda: None


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset that was written."""

    folder: Path
    facts: Mapping[str, Any]


def distill(
    runs: Sequence[Path],
    recipe: Recipe,
    out: Path,
    parquet: bool = False,
    stage: Stage = ignore_progress,
) -> Dataset:
    """Make the dataset of these runs in `out`; with `parquet`, the same rows as Parquet files beside those of lines too."""
    shelf, dropped = EpisodeReader(runs), Dropped()
    with stage("episodes looked at", shelf.count()) as step:
        episodes = sorted(shelf.summaries(step), key=lambda s: s.order)
    found = split_episodes(episodes, recipe)
    with _replace_folder(out) as work:
        files = []
        for fmt in recipe.formats:
            for side, number, rows in _make_rows(fmt, shelf, episodes, found, recipe, dropped):
                path = work / fmt / f"{side}.jsonl"
                with stage(f"{fmt} rows written", number) as step:
                    files.append(_write_rows(path, fmt, side, rows, step))
                if parquet:
                    _write_parquet(path, fmt)
        if not files:
            raise UsageError(f"no row came of {len(episodes)} episodes: {_explain_dropped(dropped)}")
        facts = _facts(shelf, episodes, recipe, found, dropped, files)
        (work / FACTS).write_text(pretty_json(facts), encoding="utf-8")
        (work / CARD).write_text(card(facts), encoding="utf-8")
    return Dataset(out, facts)


def _make_rows(
    fmt: str, shelf: EpisodeReader, episodes: Sequence[EpisodeSummary], found: Split, recipe: Recipe, dropped: Dropped
) -> Iterator[tuple[str, int, Rows]]:
    """Yield for each side that has some the rows of a format, made while they are written."""
    keep = recipe.reasoning
    if fmt == "sft":
        chosen = choose.choose_examples(episodes, found, recipe, dropped)
        yield from (
            (side, len(some), (make_sft_row(shelf, s, keep) for s in some)) for side, some in chosen.items() if some
        )
    elif fmt == "dpo":
        made = choose_pairs(shelf, episodes, found, recipe, dropped)
        yield from (
            (side, len(some), (make_dpo_row(shelf, p, keep) for p in some)) for side, some in made.items() if some
        )
    else:
        asked = choose.choose_tasks(episodes, found, dropped)
        yield from ((side, len(some), (make_rl_row(shelf, s) for s in some)) for side, some in asked.items() if some)


def _explain_dropped(dropped: Dropped) -> str:
    parts = [f"{n} x {reason}" for found in dropped.counts.values() for reason, n in found.most_common(3)]
    return "; ".join(parts) or "there are none"


def _facts(
    shelf: EpisodeReader,
    episodes: Sequence[EpisodeSummary],
    recipe: Recipe,
    found: Split,
    dropped: Dropped,
    files: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    statuses = Counter(s.status for s in episodes)
    worlds = {s.world: s.domain for s in episodes}
    return {
        "format": 1,
        "recipe": recipe.data(),
        "runs": sorted((asdict(run) for run in shelf.facts), key=lambda r: (r["agent"], r["digest"])),
        "episodes": {"all": len(episodes), **{s: statuses[s] for s in ("pass", "fail", "error")}},
        "worlds": dict(sorted(worlds.items(), key=lambda kv: (kv[1], kv[0]))),
        "split": {
            "note": found.note,
            "families": [list(f) for f in found.families],
            TRAIN: sorted({s.domain for s in episodes if found.side(s) == TRAIN}),
            TEST: sorted({s.domain for s in episodes if found.side(s) == TEST}),
        },
        "files": list(files),
        "dropped": dropped.data(),
    }


def _write_rows(
    path: Path, fmt: str, side: str, rows: Iterable[Mapping[str, Any]], step: Callable[[], None]
) -> dict[str, Any]:
    """Write rows as lines of JSON. What the file holds, counted on the way."""
    total, tasks, lengths = sha256(), set(), []
    by: dict[str, Counter[str]] = {name: Counter() for name in ("domain", "family", "agent", "kind")}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for row in rows:
            line = encode(row).encode() + b"\n"
            file.write(line)
            total.update(line)
            tasks.add((row["world"], row["task"]))
            lengths.append(len(line))
            counted = {"agent": f"{row['chosen_agent']} over {row['rejected_agent']}", **row} if "kind" in row else row
            for name, counts in by.items():
                if name in counted:
                    counts[counted[name]] += 1
            step()
    return {
        "path": f"{fmt}/{side}.jsonl",
        "format": fmt,
        "side": side,
        "sha256": total.hexdigest(),
        "rows": len(lengths),
        "tasks": len(tasks),
        **{f"by_{name}": dict(sorted(counts.items())) for name, counts in by.items()},
        "characters": {"median": int(median(lengths)), "most": max(lengths), "all": sum(lengths)},
    }


def _write_parquet(jsonl: Path, fmt: str) -> None:
    """Write the rows of a file of lines as a Parquet file beside it: messages and tools as JSON values.

    As nested columns, every call would get the argument names of all others, each null, and a chat template would write them out.
    """
    lists, texts = COLUMNS[fmt]
    columns = dict.fromkeys(lists, JSON_LIST) | dict.fromkeys(texts, "string")
    with jsonl.open(encoding="utf-8") as file:
        rows = (json.loads(line) for line in file)
        encoded = (row | {name: [encode(one) for one in row[name]] for name in lists} for row in rows)
        write_parquet(jsonl.with_suffix(".parquet"), columns, encoded)


@contextmanager
def _replace_folder(out: Path) -> Iterator[Path]:
    """Open a folder that takes its place when it is whole. An earlier dataset gives way to it; anything else stays untouched."""
    out = out.resolve()
    if out.exists() and not (out / FACTS).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there and is no dataset of this kind: choose another folder")
    work, old = (out.with_name(f".{out.name}.{end}") for end in ("part", "old"))
    try:
        for folder in (work, old):
            shutil.rmtree(folder, ignore_errors=True)
        work.mkdir(parents=True)
        yield work
        if out.exists():
            out.rename(old)
        work.rename(out)
    except OSError as e:
        raise UsageError(f"{out} cannot be written: {e}") from None
    finally:
        if old.exists() and not out.exists():
            old.rename(out)
        for folder in (work, old):
            shutil.rmtree(folder, ignore_errors=True)
