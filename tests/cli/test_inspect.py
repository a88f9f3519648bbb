from __future__ import annotations

from pathlib import Path

import pytest

from worldwright.cli.terminal.console import escape
from worldwright.pack.open import Pack

from .conftest import Run


def test_overview_has_everything(run: Run, library: str, pack: Pack) -> None:
    found = run("inspect", library)
    assert found.code == 0
    assert pack.manifest.digest in found.out
    for word in ("TABLES", "LIFECYCLES", "TOOLS", "POLICIES", "TASKS", "MESS", "ROWS"):
        assert f"\n{word}  " in found.out
    for word in ("member", "notice", "MEM-####", "take_back", "NOT_ON_SHELF", "misspelt_members", "handbook only"):
        assert word in found.out
    assert "on_shelf --> lent --> [lost]" in found.out
    assert "gives way to long_standing" in found.out
    assert "comes before loan_limit" in found.out


@pytest.mark.parametrize(
    "part", [(), ("--table", "loan"), ("--table", "member"), ("--tool", "lend"), ("--policies",), ("--rows", "9")]
)
def test_fits_the_width(run: Run, library: str, part: tuple[str, ...]) -> None:
    found = run("inspect", library, *part)
    assert found.code == 0
    shown = found.out.partition("\nSOURCE")[0].splitlines()
    assert [line for line in shown if len(line) > 100 or line != line.rstrip()] == []


def test_table(run: Run, library: str) -> None:
    found = run("inspect", library, "--table", "loan", "--rows", "3")
    assert "ROWS  3 of " in found.out
    assert "out --> [returned]" in found.out
    assert "computed status == 'out' and due_on < today" in found.out
    data = run("inspect", library, "--table", "loan", "--rows", "3", "--json").data
    assert len(data["table"]["sample"]) == 3
    columns = {c["name"]: c for c in data["table"]["columns"]}
    assert columns["member"]["sort"] == "identity"
    assert columns["overdue"]["source"] == "computed"
    assert set(data["table"]["sample"][0]) == {"id", *columns}


def test_tool(run: Run, library: str) -> None:
    found = run("inspect", library, "--tool", "lend")
    for text in (
        "EFFECTS",
        "set copy: status",
        "NOT_ON_SHELF",
        "handbook",
        "def lend(ctx: ww.ToolContext",
        "whole number 1..60",
    ):
        assert text in found.out
    data = run("inspect", library, "--tool", "lend", "--json").data["tool"]
    assert data["mutates"]
    assert "def lend" in data["source"]
    assert {"LOAN_LIMIT", "NOT_ON_SHELF"} <= set(data["codes"])


def test_policies(run: Run, library: str) -> None:
    found = run("inspect", library, "--policies")
    assert "variants    default, strict, lenient" in found.out
    data = {p["name"]: p for p in run("inspect", library, "--policies", "--json").data["policies"]}
    assert data["no_debts"]["enforced"] == "handbook"
    assert data["loan_limit"]["enforced"] == "tool"
    assert data["long_standing"]["enforced"] == "exemption"
    assert data["no_debts"]["tools"] == ["lend"]
    assert data["no_debts"]["parameters"] == {"ceiling": 10}


def test_whole_document(run: Run, library: str, pack: Pack) -> None:
    data = run("inspect", library, "--json").data
    assert set(data) == {"world", "tables", "tools", "policies", "tasks", "mess", "samples"}
    assert len(data["tasks"]) == pack.manifest.counts["tasks"]
    assert data["world"]["digest"] == pack.manifest.digest
    assert sum(t["rows"] for t in data["tables"]) == pack.manifest.counts["rows"]
    assert sum(m["count"] for m in data["mess"]) >= pack.manifest.counts["blemishes"]


def test_tasks(run: Run, library: str, pack: Pack) -> None:
    """Families with their numbers, and one example of each of three."""
    out = run("inspect", library).out.partition("\nTASKS  ")[2].partition("\nMESS")[0]
    assert out.startswith(f"{pack.manifest.counts['tasks']} tasks; {pack.manifest.counts['episodes']:,} episodes")
    for family in ("walk", "program", "policy"):
        assert f"  {family}  for " in out
    assert "repair" in out
    assert out.count("  for ") == 3


def test_a_pack_without_tasks_has_no_such_section(run: Run, bare: str) -> None:
    assert "\nTASKS" not in run("inspect", bare).out
    assert run("inspect", bare, "--json").data["tasks"] == []


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("town_library", "--table", "lone"), 2, "did you mean `loan`?"),
        (("town_library", "--tool", "lendd"), 2, "did you mean `lend`?"),
        (("town_libary",), 3, "did you mean `town_library:latest`?"),
        (("town_library:latest/default-8",), 3, "default-7"),
        (("./nowhere",), 3, "there is no pack at ./nowhere"),
        (("nowhere.tar",), 3, "there is no pack at nowhere.tar"),
        (("",), 2, "name a pack"),
    ],
)
def test_what_is_not_there(run: Run, library: str, args: tuple[str, ...], code: int, message: str) -> None:
    found = run("inspect", *args)
    assert found.code == code
    assert message in found.err
    assert found.out == ""


def test_tampered_pack_is_not_shown(run: Run, folder: Path) -> None:
    (folder / "policy.md").write_text("Everything is allowed.")
    found = run("inspect", str(folder))
    assert found.code == 4
    assert "policy.md was changed" in found.err
    assert found.out == ""


def test_text_of_a_world_cannot_command_the_terminal() -> None:
    assert escape("a\x1b[2Jb") == "a\\x1b[2Jb"
    assert escape("two\nlines") == "two lines"
    assert escape("two\nli\x07nes", lines=True) == "two\nli\\x07nes"
    assert escape("half \ud800") == "half \\ud800"
