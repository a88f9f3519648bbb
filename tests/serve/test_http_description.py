"""The description of the HTTP server, and its page, against what it does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from tests.serve.http_server import TOKEN, Server

from worldwright.serve.errors import CODES

pytestmark = pytest.mark.xdist_group("serve")
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "serve.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_description_is_kept(server: Server, tmp_path: Path) -> None:
    """Schemathesis asks everything that the description allows, and some that it does not; all answers are as described."""
    line = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", str(Path(__file__).with_name("schemathesis.toml")),
        "run", f"{server.url}/openapi.json", "--header", f"Authorization: Bearer {TOKEN}",
        "--max-examples", "10", "--seed", "7", "--no-color",
    ]  # fmt: skip
    done = subprocess.run(line, capture_output=True, text=True, timeout=240, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "11 selected" in done.stdout
    covered = re.search(r"API Links: +(\d+) covered", done.stdout)
    assert covered is not None
    assert int(covered[1]) > 0, "episodes were opened, and their ids used"


def test_every_route_and_every_refusal_is_on_the_page(client: httpx2.Client) -> None:
    described = client.get("/openapi.json").json()
    routes = {(method.upper(), path) for path, methods in described["paths"].items() for method in methods}
    rows = set(re.findall(r"^\| `([A-Z]+) (/[^`]*)`", PAGE, re.MULTILINE))
    assert rows == routes | {("POST", "/mcp/{id}")}
    for status, code in CODES.items():
        assert re.search(rf"^\|.*\b{status}\b.*`{code}`", PAGE, re.MULTILINE), code


def test_the_lines_on_the_page_run(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    [lines] = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    monkeypatch.setenv("WORLDWRIGHT_URL", server.url)
    monkeypatch.setenv("WORLDWRIGHT_TOKEN", TOKEN)
    exec(compile(lines, "docs/serve.md", "exec"), {})
    *request, result, reward = capsys.readouterr().out.splitlines()
    assert request[0].startswith("You are ")
    assert "INVALID_ARGUMENT" in result
    assert reward == "0.0"
