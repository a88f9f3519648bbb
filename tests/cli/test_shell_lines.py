"""Every shell line of README and docs is one that the command takes; those of the README are run, or say why not."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import click
import pytest

from worldwright.blueprint.load import load_file
from worldwright.cli.main import cli
from worldwright.compiler.build import build
from worldwright.kinds.database.compile.tasks.knobs import knobs
from worldwright.pack.open import Pack
from worldwright.store.store import Store

from .conftest import LIBRARY, Run
from .shell_lines import PAGES, ROOT, ShellLine, shell_lines

LINES = tuple(line for page in PAGES for line in shell_lines(page))
README = tuple(line for line in LINES if line.page == "README.md")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

NOT_RUN = {
    r"make ": "runs this suite, or the demo that tests/cli/test_demo.py runs",
    r"worldwright train ": "needs torch and a model; tests/train runs it",
    r".* --agent openai:": "needs an endpoint; tests/agents has one of its own",
    r".* --agent local:": "needs torch and a trained model",
    r"worldwright push ": "needs a registry; tests/store/oci has one of its own",
    r"worldwright evolve ": "builds worlds for minutes; tests/cli/test_evolve.py runs it",
    r"worldwright generate --all ": "builds a thousand worlds; tests/cli/test_generate_many.py builds some",
    r"worldwright generate .*--variants 50": "builds fifty worlds; tests/cli/test_generate_many.py builds some",
}
"""Beginnings of lines that are not run here, and why."""
SMALLER = {
    r"(worldwright generate --domain broadband_support)": r"\1 --seed 8",
    r"(worldwright generate .*)": r"\1 --no-tasks",
    r"(worldwright play \w+) --task 1(?: --asking)?": r"\1",
    r"(worldwright blueprint preview .*)": r"\1 --tasks 0",
    r"(worldwright variants list .*) --variants 50": r"\1 --variants 5",
}
"""How a line is made quicker without changing what it shows."""
TAGS = ("motor_claims", "broadband_support")
"""The gyms of the README; here a small world stands for each, whose requesters talk where they have to."""


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.page}:{line.number}")
def test_the_command_takes_the_line(line: ShellLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if line.text.startswith("make "):
        assert re.search(rf"^{line.text.split()[1]}:", MAKEFILE, re.MULTILINE)
        return
    words = shlex.split(line.text.partition(" > ")[0])[1:]
    if line.synopsis:
        assert cli.get_command(click.Context(cli), words[0]) is not None
        return
    monkeypatch.chdir(tmp_path)
    _parse(cli, words)


def _parse(command: click.Command, words: list[str]) -> None:
    """Read the words as the command would, without running it; files that are not there are no mistake of the line."""
    context = click.Context(command, info_name="worldwright")
    while isinstance(command, click.Group) and words:
        name, found, words = command.resolve_command(context, words)
        assert found is not None
        command, context = found, click.Context(found, parent=context, info_name=name)
    try:
        command.parse_args(context, list(words))
    except click.BadParameter as e:
        assert "does not exist" in e.message, e.message  # noqa: PT017


@pytest.fixture(scope="session")
def few() -> tuple[Pack, Pack]:
    """The town library with four tasks, and a help desk whose customers talk."""
    talking = LIBRARY.parent.parent / "tests" / "engine" / "lines.yaml"
    return build(load_file(LIBRARY), 7, knobs=knobs("medium", {"most": "4"})).pack, build(load_file(talking), 7).pack


def test_the_lines_of_the_readme_run(
    run: Run, few: tuple[Pack, Pack], home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    store = Store()
    for pack in few:
        store.put(pack.files, pack.manifest)
    ran = set()
    for line in README:
        if line.text in ran or any(re.match(pattern, line.text) for pattern in NOT_RUN):
            continue
        ran.add(line.text)
        text = line.text
        for pattern, smaller in SMALLER.items():
            text = re.sub(pattern + r"\Z", smaller, text)
        words = [
            found
            for word in shlex.split(text)[1:]
            for found in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
        ]
        if "generate" in words and set(TAGS) & set(words):
            words[words.index("--seed") + 1] = "8"  # beside the library, not in its place
        for name, pack in zip(TAGS, few, strict=True):  # again for every line: one of them makes a newer world
            store.tag(name, "latest", "default-7", pack.manifest.digest)
        found = run(*words)
        assert found.code == 0, f"README.md:{line.number} {text}: {found.err}"
    assert len(ran) > 15


def test_what_is_not_run_is_there() -> None:
    for pattern in NOT_RUN:
        assert any(re.match(pattern, line.text) for line in LINES), pattern
