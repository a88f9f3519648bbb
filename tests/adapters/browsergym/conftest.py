"""Debian's Chromium where this release of Playwright looks for its own: BrowserGym starts that one, for its chat too."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def chromium(tmp_path_factory: pytest.TempPathFactory) -> None:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if found is None:
        said = "Chromium is not installed: make browser-tools"
        pytest.fail(said) if os.environ.get("WORLDWRIGHT_CI") else pytest.skip(said)
    os.environ["PLAYWRIGHT_BROWSERS_PATH"] = str(tmp_path_factory.mktemp("browsers"))
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        place = Path(playwright.chromium.executable_path)
    place.parent.mkdir(parents=True)
    place.symlink_to(str(found))
