"""A real browser for tests: Debian's Chromium, driven by Playwright, and axe-core to check pages with.

`make browser-test` installs both. Where they are missing, tests that need them are left out and say so; with WORLDWRIGHT_CI=1
they fail.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip
"""What makes it fit for tests: nothing of it talks to anybody."""
AXE = Path(__file__).parent / "axe" / "node_modules" / "axe-core" / "axe.min.js"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def need(there: bool, what: str) -> None:
    """Leave a test out where something is not installed; in CI that is a failure."""
    if there:
        return
    said = f"{what} is not installed: make browser-test"
    if os.environ.get("WORLDWRIGHT_CI"):
        pytest.fail(said)
    pytest.skip(said)


@contextmanager
def open_chromium() -> Iterator[Browser]:
    """Start Chromium for as long as it is needed."""
    need(Path(CHROMIUM).exists(), "Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


def find_violations(page: Page, only: Sequence[str] = ()) -> list[str]:
    """What axe finds on a page that is more than minor, a line for each: the rule, and the first places."""
    need(AXE.exists(), "axe-core")
    page.evaluate(
        AXE.read_text(encoding="utf-8")
    )  # as a person would in the console: the page's own policy lets no script in
    wanted = {"type": "rule", "values": list(only)} if only else {"type": "tag", "values": WCAG}
    found: dict[str, Any] = page.evaluate("options => axe.run(document, options)", {"runOnly": wanted})
    return [
        f"{one['impact']} {one['id']}: {'; '.join(node['html'][:160] for node in one['nodes'][:3])}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical", "moderate")
    ]
