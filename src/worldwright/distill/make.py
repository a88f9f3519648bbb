"""A dataset from runs: looked through, split, chosen, written. The same runs and the same recipe give the same bytes."""

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
from worldwright.distill.pairs import choose_pairs
from worldwright.distill.reader import EpisodeReader
from worldwright.distill.records import TEST, TRAIN, Dropped, EpisodeSummary, Recipe
from worldwright.distill.rows import COLUMNS, Row, encode, make_dpo_row, make_rl_row, make_sft_row
from worldwright.distill.split import Split, split_episodes
from worldwright.formats.parquet import JSON_LIST, write_parquet

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
