"""Repositories: files go to those who read them, and whatever the code is, reading it never fails."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.anchor.repositories import CLAIMS, HELP_DESK, OLD, PURCHASING, of, uploads_of
from tests.effort import examples

from worldwright.anchor.evidence import Evidence
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.repo import classify, parts, read

SITE_PACKAGES = sorted((Path(__file__).parents[2] / ".venv" / "lib").glob("python3.*/site-packages"))


# files


def test_a_repository_is_called_what_its_package_says(purchasing: Evidence, desk: Evidence, claims: Evidence) -> None:
    assert (purchasing.title, desk.title, claims.title) == ("brightwater-purchasing", "", "claims")


def test_parts_are_handed_to_their_readers() -> None:
    found = {kind: [u.name for u in files] for kind, files in parts(uploads_of(PURCHASING)).items()}
    assert found["openapi"] == ["openapi.json"]
    assert found["sql"] == ["db/schema.sql"]
    assert found["data"] == ["data/vendors.csv"]
    assert found["document"] == ["README.md", "docs/handbook.md"]
    assert found["other"] == ["pyproject.toml", "Dockerfile"]
    assert all(name.startswith("purchasing/") for name in found["python"])


def test_what_is_left_out_is_said_once_each(purchasing: Evidence) -> None:
    said = {s.what: s.why for s in purchasing.skipped}
    assert said["tests/ (1 file)"] == "tests"
    assert said["TypeScript (2 files)"] == "TypeScript is not read"
    assert said["frontend/node_modules/ (2 files)"] == "code of others"
    assert said["poetry.lock"] == "a lock file"
    assert said[".github/ (1 file)"] == "a hidden folder"


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("api.yaml", b"info: {}\nopenapi: 3.0.1\n", "openapi"),
        ("api.json", b'{"swagger": "2.0"}', "openapi"),
        ("tools.json", b'{"tools": [{"name": "a", "inputSchema": {}}]}', "mcp"),
        ("tools.json", b'{"result": {"tools": [{"name": "a", "inputSchema": {}}]}}', "mcp"),
        ("package.json", b'{"name": "x", "contributors": [{"name": "y"}]}', "other"),
        ("fixtures/users.json", b'[{"id": 1}]', "data"),
        ("fixtures/users.yaml", b"- id: 1\n", "data"),
        ("docker-compose.yml", b"services:\n  db: {}\n", "other"),
        ("broken.json", b'{"a": ', "other"),
        ("deep.json", b"[" * 100_000, "other"),
        ("x.tsv", b"", "data"),
        ("2_up.sql", b"", "sql"),
        ("2.down.sql", b"", "other"),
        ("LICENSE.md", b"", "other"),
        ("requirements.txt", b"", "other"),
        ("docs/requirements.md", b"", "document"),
        ("security.py", b"", "python"),
        ("README", b"", "document"),
        ("logo.png", b"", "other"),
    ],
)
def test_files_are_told_apart(name: str, data: bytes, kind: str) -> None:
    assert classify(Upload(name, data)) == kind


def test_a_virtual_environment_and_large_fixtures_are_left_out_and_vendors_are_not() -> None:
    files = [
        Upload("env/lib/a.py", b"class A: ..."),
        Upload("data/all.csv", b"a,b\n" * 2_000_000),
        Upload("vendor/models.py", b"from dataclasses import dataclass\n@dataclass\nclass Vendor:\n    name: str\n"),
        Upload("lib/vendor/six.py", b""),
    ]
    found = read(files)
    assert [t.name for t in found.resources] == ["Vendor"]
    assert [s.what for s in found.skipped] == ["env/ (1 file)", "data/all.csv", "lib/vendor/ (1 file)"]


def test_an_archive_of_a_repository_reads_like_the_repository() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in PURCHASING.items():
            archive.writestr(f"purchasing-main/{name}", text)
    upload = Upload("repo.zip", out.getvalue())
    found, plain = read([upload]), read(uploads_of(PURCHASING))
    assert [t.name for t in found.resources] == [t.name for t in plain.resources]
    assert [a.path for a in found.operations] == [a.path for a in plain.operations]
    assert found.title == plain.title
    assert found.resources[0].source is not None
    assert found.resources[0].source.file == "purchasing-main/purchasing/models.py"
    assert [u.name for u in parts([upload])["sql"]] == ["purchasing-main/db/schema.sql"]


def test_an_archive_that_cannot_be_opened_is_said() -> None:
    [note, *_] = read([Upload("repo.zip", b"nothing")]).notes
    assert note.level == "error"


# dialects and damage


def test_code_that_is_not_understood_is_said() -> None:
    found = of(old=OLD, bad="def f(:\n")
    unread = [(n.level, n.source.file) for n in found.notes if n.says.startswith("not read")]
    assert unread == [("warning", "old.py"), ("warning", "bad.py")]


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "-" * 50_000 + "1",
        "x = " + "(" * 300,
        "x = a" + ".b" * 50_000,
        "x = " + "+".join(["a"] * 20_000),
        "if a: pass\n" + "elif a: pass\n" * 3_000,
        "A = [A]\nB = C\nC = B\nD = [*D, *D]\n",
        "\n".join(f"a{i} = [{', '.join([f'a{i + 1}'] * 30)}]" for i in range(30)),
        "class A(B): ...\nclass B(A): ...\nclass C(C): x: C\n",
        "from m import *\nfrom m import A\nclass T(A): ...\n",
        "from typing import Union\n" + "\n".join(f"T{i} = Union[{', '.join([f'T{i + 1}'] * 15)}]" for i in range(12))
        + "\nfrom pydantic import BaseModel\nclass M(BaseModel):\n    x: T0\n",
        "x = '\\ud800'\nclass E(str, Enum):\n    A = '\\ud800'\n",
        "N = " + "9" * 4_000 + "\ndef f(x):\n    if x > N:\n        raise ValueError('That is far too much')\n",
        "class A(BaseModel):\n    x: tuple[()]\n    y: Literal[()]\n    z: 'a b c'\n    w: Annotated[int]\n",
        "\x00\x01",
        "\ufeffclass A: ...",
        "class A:\r    x = 1\r\nclass B: ...\x0c\n",
    ],
    ids=range(16),
)  # fmt: skip
def test_code_that_is_made_to_hurt_is_survived(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    found = read([Upload("m.py", data)])
    assert found == read([Upload("m.py", data)])


def test_nothing_is_an_empty_repository() -> None:
    assert read([]) == Evidence()


GOOD = [
    text
    for files in (PURCHASING, HELP_DESK, CLAIMS)
    for name, text in files.items()
    if name.endswith(".py") and len(text) > 200
]


@settings(max_examples=examples(120), deadline=None)
@given(st.data())
def test_damaged_code_never_raises_and_reads_the_same_twice(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(GOOD))
    for _ in range(data.draw(st.integers(1, 5))):
        i, j = sorted((data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text)))))
        text = data.draw(
            st.sampled_from(
                [
                    text[:i] + text[min(j, i + 12) :],
                    text[:i],
                    text[:i]
                    + data.draw(st.sampled_from(["None", "()", "''", "x", "=", ".", ",", "1e999", "*a"]))
                    + text[i:],
                    text[:i] + text[i:j][::-1] + text[j:] if j - i < 30 else text,
                    "\n".join(row for row in text.split("\n") if hash_of(row) % 7 != i % 7),
                ]
            )
        )
    uploads = [Upload("app/models.py", text.encode()), Upload("app/urls.py", HELP_DESK["tickets/urls.py"].encode())]
    assert read(uploads) == read(uploads)


def hash_of(row: str) -> int:
    return sum(row.encode())


NAMES = ["a.py", "b.json", "README.md", "setup.cfg", "x.yaml", "setup.py", "pyproject.toml"]


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(NAMES), st.binary(max_size=200) | st.text(max_size=200).map(str.encode)), max_size=4
    )
)
def test_arbitrary_bytes_never_raise(files: list[tuple[str, bytes]]) -> None:
    uploads = [Upload(name, data) for name, data in files]
    assert read(uploads) == read(uploads)
    parts(uploads)


@pytest.mark.skipif(not SITE_PACKAGES, reason="there is no virtual environment beside the tests")
def test_code_that_others_wrote_is_survived() -> None:
    root = SITE_PACKAGES[0]
    files = [p for p in sorted(root.rglob("*.py")) if p.stat().st_size < 20_000][::5][:300]
    found = read([Upload(p.relative_to(root).as_posix(), p.read_bytes()) for p in files])
    assert len(files) == 300
    for one in found.resources:
        assert one.source is not None
        assert one.fields
