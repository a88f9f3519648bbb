"""Make the pictures of the README: the studio, and the app of a world, as they are.

    python -m studies.screens [--out docs/images] [--domain enterprise_procurement] [--keep FOLDER]

A world is generated, an agent without a model plays in it, and the commands that a user has serve what came of it: `worldwright
studio` shows an episode, `worldwright app` a record. Debian's Chromium takes the pictures. The same commit gives the same pages;
letters are drawn by the fonts of the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from studies.clicking import CHROMIUM, FLAGS

DOMAIN, SEED, AGENT = "enterprise_procurement", 7, "hasty"
SIZE = {"width": 1280, "height": 800}
MAX_BYTES = 200_000


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m studies.screens", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("docs/images"), metavar="FOLDER", help="where pictures go")
    parser.add_argument("--domain", default=DOMAIN, metavar="NAME", help="the world that they show")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep the world and the run, and take them from there"
    )
    said = parser.parse_args(arguments)
    said.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        here = (said.keep or Path(made)).resolve()
        here.mkdir(parents=True, exist_ok=True)
        run_agent(said.domain, here)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        for name, take in (("studio", take_studio), ("app", take_app)):
            path = said.out / f"{name}.png"
            take(said.domain, here, browser, path)
            size = path.stat().st_size
            print(f"{path}: {size:,} bytes")
            if size > MAX_BYTES:
                print(f"{path} is larger than {MAX_BYTES:,} bytes", file=sys.stderr)
                return 1
        browser.close()
    return 0


def run_agent(domain: str, here: Path) -> None:
    """Generate the world and let an agent play all of its tasks, unless that is there."""
    if not (here / "home").is_dir():
        _command(here, "generate", "--domain", domain, "--seed", str(SEED))
    if not (here / "runs" / AGENT).is_dir():
        _command(here, "rollout", "--gym", domain, "--agent", AGENT, "--out", f"runs/{AGENT}")


def take_studio(domain: str, here: Path, browser: Browser, path: Path) -> None:
    """Take an episode that failed, at the step that decided it."""
    with _serving(here, "studio") as told:
        page = _open(browser, told["url"])
        page.get_by_role("link", name="Runs", exact=True).click()
        page.get_by_role("link", name=AGENT).first.click()
        page.get_by_role("link", name="Episodes", exact=True).click()
        page.locator("main tbody tr", has_text="fail").locator("a").first.click()
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)
        page.screenshot(path=path)
        page.context.close()


def take_app(domain: str, here: Path, browser: Browser, path: Path) -> None:
    """Take a record of the business: the first of what waits for somebody."""
    with _serving(here, "app", domain, "--task", "task_001") as told:
        page = _open(browser, told["url"])
        page.locator("main a[href^='list/']").first.click()
        page.locator("main a[href*='open/']").first.click()
        page.wait_for_timeout(300)
        page.screenshot(path=path)
        page.context.close()


def _open(browser: Browser, url: str) -> Page:
    page = browser.new_context(viewport=SIZE, color_scheme="light", reduced_motion="reduce").new_page()  # type: ignore[arg-type]
    page.goto(url)
    return page


def _environment(here: Path) -> dict[str, str]:
    return {**os.environ, "WORLDWRIGHT_HOME": str(here / "home")}


def _command(here: Path, *words: str) -> None:
    subprocess.run([sys.executable, "-m", "worldwright", *words], cwd=here, env=_environment(here), check=True)


@contextmanager
def _serving(here: Path, *words: str) -> Iterator[dict[str, Any]]:
    """Run a command that serves, and give what it says of itself."""
    command = [sys.executable, "-m", "worldwright", *words, "--no-open", "--port", "0", "--json"]
    with subprocess.Popen(command, cwd=here, env=_environment(here), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.terminate()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
