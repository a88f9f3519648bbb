"""A scene in which a row refers to itself is written so that it runs."""

from __future__ import annotations

from tests.conftest import EXAMPLE

from worldwright.blueprint.load import load_text
from worldwright.compiler.build import build
from worldwright.factory.pack_tests import run_tests


def test_a_row_that_refers_to_itself() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    for old, new in (
        ("      blocked: bool\n", "      blocked: bool\n      partner: member? as partners ~ none\n"),
        (
            "      - require: not member.blocked\n",
            "      - require: member.partner is none or member.partner != member\n"
            "        else: OWN_PARTNER\n      - require: not member.blocked\n",
        ),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    files = build(load_text(text), 7, with_tasks=False).pack.files
    assert b'partner="MEM-' in files["tests/test_lend.py"]
    tests, passed = run_tests(
        {k: v for k, v in files.items() if not k.startswith("tests/") or "lend" in k or "conftest" in k}
    )
    assert tests == passed > 10
