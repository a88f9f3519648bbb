"""The card of a dataset: what is in it, where it is from, what was left out, and how to make it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from worldwright import catalogue
from worldwright.distill.records import FORMATS, TEST
from worldwright.distill.rows import COLUMNS
from worldwright.formats.strict_yaml import dump_yaml

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
OURS = "apache-2.0"
ABOUT = {
    "sft": "successes, from the system message to the call that submits; `messages` and `tools`",
    "dpo": "a success and a failure up to where they part, one message a side; `prompt`, `chosen`, `rejected` and `tools`",
    "rl": "what is asked, without anything that was done; `prompt` and `tools`, with the world and the task to reset",
}
Facts = Mapping[str, Any]


def card(facts: Facts) -> str:
    """README.md in the form of a dataset card. The same facts give the same text."""
    parts = (_head(facts), _opening(facts), _loading(facts), _counts(facts), _split(facts), _sources(facts), _choice(facts),
             _render_dropped(facts), _render_recipe(facts), _rights(facts))  # fmt: skip
    return "\n".join(parts)


def features(fmt: str) -> list[dict[str, str]]:
    """The columns as `dataset_info` has them. `json` keeps each object with its own keys."""
    lists, texts = COLUMNS[fmt]
    return [*({"name": n, "list": "json"} for n in lists), *({"name": n, "dtype": "string"} for n in texts)]


def licence(facts: Facts) -> str:
    """Worlds of the catalogue are the project's; whatever else there is belongs to whoever brought it."""
    given = facts["recipe"]["license"]
    return given or (OURS if set(facts["worlds"].values()) <= set(catalogue.names()) else "other")


def _head(facts: Facts) -> str:
    rows = sum(f["rows"] for f in facts["files"])
    known = [fmt for fmt in FORMATS if any(f["format"] == fmt for f in facts["files"])]
    data = {
        "license": licence(facts),
        "pretty_name": "Verified episodes in " + _join_names(sorted(set(facts["worlds"].values()))),
        "task_categories": ["text-generation"],
        "tags": ["worldwright", "agents", "tool-use", "synthetic", *(["reasoning"] if facts["recipe"]["reasoning"] else [])],
        "size_categories": [next((name for most, name in SIZES if rows < most), "n>1M")],
        "configs": [
            {
                "config_name": fmt,
                **({"default": True} if fmt == known[0] else {}),
                "data_files": [{"split": f["side"], "path": f["path"]} for f in facts["files"] if f["format"] == fmt],
            }
            for fmt in known
        ],
        "dataset_info": [{"config_name": fmt, "features": features(fmt)} for fmt in known],
    }  # fmt: skip
    return f"---\n{dump_yaml(data)}---\n"


def _opening(facts: Facts) -> str:
    e = facts["episodes"]
    lines = [f"- `{fmt}`: {ABOUT[fmt]}" for fmt in FORMATS if any(f["format"] == fmt for f in facts["files"])]
    return (
        f"# Verified episodes in {_join_names(sorted(set(facts['worlds'].values())))}\n\n"
        "Agents worked in simulated businesses with real state, and a verifier judged the state that they left. "
        f"{e['all']:,} episodes: {e['pass']:,} passed, {e['fail']:,} failed, {e['error']:,} have no verdict and are not used.\n\n"
        + "\n".join(lines)
        + "\n"
    )


def _loading(facts: Facts) -> str:
    longest = max(f["characters"]["most"] for f in facts["files"])
    first = facts["files"][0]["format"]
    return (
        "## Load it\n\n```python\nfrom datasets import load_dataset\n\n"
        f'rows = load_dataset("FOLDER", "{first}", split="train")\n```\n\n'
        "The columns are declared above as `json`: `datasets` 4.8 and newer then give every call its own arguments and no others. "
        "Read in another way, without these columns, calls may get the argument names of all other calls, each null.\n\n"
        "The system message and the tools come first and are long, and trainers cut at 1,024 tokens unless told otherwise: set "
        f"`max_length`. The longest row has {longest:,} characters, about {longest // 4:,} tokens. "
        "For SFT set `assistant_only_loss=True`, so that what tools said is not learned.\n"
    )


def _counts(facts: Facts) -> str:
    rows = [
        (f["path"], f"{f['rows']:,}", f"{f['tasks']:,}", _pairs(f["by_domain"]), _pairs(f["by_family"]), _pairs(f["by_agent"]),
         _pairs(f["by_kind"]), f"{f['characters']['median']:,}", f"`{f['sha256'][:16]}`")
        for f in facts["files"]
    ]  # fmt: skip
    heads = (
        "file",
        "rows",
        "tasks",
        "by domain",
        "by family",
        "by agent",
        "rejected side",
        "characters, median",
        "sha256",
    )
    return "## Rows\n\n" + _table(heads, rows)


def _split(facts: Facts) -> str:
    split = facts["split"]
    held = f" Held out: {', '.join(split[TEST])}." if split[TEST] else ""
    together = [", ".join(f) for f in split["families"] if len(f) > 1]
    also = f" On one side because they share a world, tools or a request: {'; '.join(together)}." if together else ""
    return f"## What is held out\n\n{split['note']}{held}{also}\n"


def _sources(facts: Facts) -> str:
    worlds = [(domain, f"`{digest}`") for digest, domain in facts["worlds"].items()]
    runs = [
        (f"RUN_{n}", r["agent"], f"`{r['agent_id']}`", *(f"{r[name]:,}" for name in ("episodes", "passed", "failed", "errors")),
         "yes" if r["sees_key"] else "no", f"`{r['digest']}`")
        for n, r in enumerate(facts["runs"], start=1)
    ]  # fmt: skip
    heads = ("run", "agent", "fingerprint", "episodes", "passed", "failed", "no verdict", "sees the key", "digest")
    key = any(r["sees_key"] for r in facts["runs"])
    note = (
        "\nAn agent that sees the key is told a right way. Its episodes are kept only where every id that it names was shown to it "
        "before, but it looks for nothing in vain, and its reasons are those of somebody who knows.\n"
        if key
        else ""
    )
    return "## Worlds\n\n" + _table(("domain", "digest"), worlds) + "\n## Runs\n\n" + _table(heads, runs) + note


def _choice(facts: Facts) -> str:
    r = facts["recipe"]
    lines = [
        "- An example is an episode that its verifier passed, with no rule broken on the way.",
        "- A pair is a failure and the success that did the same for longest, at the message where they part. No success in these "
        "runs did there what the rejected side does.",
        f"- At most {r['per_task']} rows of one task in each format.",
        "- Successes with the same calls, spelling apart, count once; so do those that share "
        f"{r['likeness']:.0%} of their word triples (request, words and calls).",
        f"- Reasons of the agent are {'kept, as `reasoning_content`' if r['reasoning'] else 'left out'}.",
    ]
    if r["decisive"]:
        lines.append("- Only pairs whose rejected side answers, writes or is refused.")
    return "## How rows were chosen\n\n" + "\n".join(lines) + "\n"


def _render_dropped(facts: Facts) -> str:
    rows = [(fmt, reason, f"{n:,}") for fmt, found in facts["dropped"].items() for reason, n in found.items()]
    return "## What was left out\n\n" + (_table(("format", "why", "episodes"), rows) if rows else "Nothing.\n")


def _render_recipe(facts: Facts) -> str:
    r = facts["recipe"]
    runs = "".join(f" --run RUN_{n}" for n, _ in enumerate(facts["runs"], start=1))
    flags = "".join(f" --{name}" for name in ("reasoning", "decisive") if r[name])
    flags += f" --license {r['license']}" if r["license"] else ""
    make = (
        f"worldwright distill{runs} --format {','.join(r['formats'])} --per-task {r['per_task']} --likeness {r['likeness']:g} "
        f"--held-out {r['held_out']:g} --split {r['split']}{flags} --out FOLDER"
    )
    played = [
        f"worldwright rollout {_format_rollout(run)} --out RUN_{n}" for n, run in enumerate(facts["runs"], start=1)
    ]
    return (
        "## Make it again\n\nThe same runs give the same bytes:\n\n"
        f"    {make}\n\nThe runs were played with these, and with the options that each `run.json` names:\n\n"
        + "".join(f"    {line}\n" for line in played)
    )


def _format_rollout(run: Mapping[str, Any]) -> str:
    attempts = "" if run["attempts"] is None else f" --attempts {run['attempts']}"
    seed = "" if run["seed"] is None else f" --seed {run['seed']}"
    return f"--gym {run['gym'] or 'GYM'} --agent {run['spec']}{attempts}{seed}"


def _rights(facts: Facts) -> str:
    models = sorted({r["agent"] for r in facts["runs"] if ":" in r["agent"]})
    also = f" What {_join_names(models)} wrote may be bound by the terms of its maker.\n" if models else "\n"
    return (
        "## Licence\n\nWorlds of Worldwright's catalogue, and data made in them, are under the Apache License 2.0. What was made "
        "from your own evidence, or in a world that was, is yours, and nothing here licenses it to anybody." + also
    )


def _pairs(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts.items()) or "-"


def _join_names(names: Sequence[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(str(c).replace('|', '/') for c in line)} |\n" for line in lines)
