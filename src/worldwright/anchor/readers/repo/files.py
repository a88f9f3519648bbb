"""What a file of a repository is, which files are left out, and what the repository is called."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from worldwright.anchor.evidence import Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.english.words import wordmap, wordset
from worldwright.formats.encodings import decode_text

KINDS = ("openapi", "mcp", "sql", "data", "document", "python", "other")
MAX_DATA_BYTES = 5 * 1024 * 1024
"""Of a file of records in a repository. A larger one is a fixture or a dump."""
MAX_JSON_BYTES = 20 * 1024 * 1024
_SNIFFED = 200_000

_BY_ENDING: Mapping[str, str] = wordmap(
    ".py=python .sql=sql .ddl=sql .csv=data .tsv=data .jsonl=data .ndjson=data .parquet=data .xlsx=data "
    ".md=document .markdown=document .rst=document .txt=document .adoc=document .html=document .htm=document "
    ".docx=document .pdf=document"
)
_FOR_DEVELOPERS = wordset("""
    license licence copying notice authors contributors codeowners changelog changes contributing code_of_conduct
    pull_request_template issue_template robots humans
""")
"""Texts about the program rather than the business, by the name of the file."""
_LISTS_OF_PACKAGES = ("requirements", "constraints", "cmakelists", "manifest")
_SETTINGS = wordset("package tsconfig jsconfig composer appsettings launchsettings angular nx lerna turbo manifest")
_ANSWER = wordset("tools nextCursor _meta jsonrpc id name version description")
"""What stands beside the tools in an answer that lists them."""
_OPENAPI_YAML = re.compile(r"""^['"]?(openapi|swagger)['"]?[ \t]*:""", re.M)
_TOOLS_YAML = re.compile(r"""^['"]?tools['"]?[ \t]*:""", re.M)
_ROWS_YAML = re.compile(r"^-[ \t]+[A-Za-z_][\w-]*[ \t]*:", re.M)

_IN_FOLDER: Mapping[str, str] = {
    folder: why
    for why, folders in (
        ("tests", "tests test __tests__ e2e cypress testdata test_data"),
        ("code of others", "node_modules bower_components vendor _vendor vendored third_party thirdparty"),
        ("a virtual environment", "env venv virtualenv site-packages dist-packages"),
        ("build output", "build dist __pycache__ htmlcov wheels"),
    )
    for folder in folders.split()
}
_OWN_FILES = wordset("models.py views.py schemas.py routes.py router.py service.py services.py api.py __init__.py")
"""A folder `vendor` or `build` with one of these is about vendors or buildings, not code of others."""
_LEFT_OUT: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"\..*"), "a hidden file"),
    (re.compile(r"(?i).*\.lock(file)?|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum"), "a lock file"),
    (re.compile(r"(tests?|test_.*|.*_tests?|conftest)\.py|.*\.(test|spec)\.[jt]sx?"), "tests"),
    (re.compile(r".*(\.min\.(js|css|mjs)|\.map|\.bundle\.js)"), "minified"),
    (re.compile(r".*_pb2(_grpc)?\.pyi?"), "generated code"),
)
_LANGUAGES: Mapping[str, str] = wordmap("""
    .ts=TypeScript .tsx=TypeScript .mts=TypeScript .js=JavaScript .jsx=JavaScript .mjs=JavaScript .cjs=JavaScript .c=C .h=C .cc=C++
    .cpp=C++ .hpp=C++ .java=Java .go=Go .cs=C# .rb=Ruby .php=PHP .kt=Kotlin .rs=Rust .scala=Scala .swift=Swift .ex=Elixir
""")


def classify(upload: Upload) -> str:
    """Return what a file is: one of `KINDS`."""
    path = PurePosixPath(upload.name.lower())
    braced = path.suffix in ("", ".yaml", ".yml", ".txt") and upload.data[:200].lstrip()[:1] in (b"{", b"[")
    if path.suffix == ".json" or braced:
        return _json_kind(upload, path.stem)
    if path.suffix in (".yaml", ".yml"):
        return _yaml_kind(upload)
    kind = "document" if path.name == "readme" else _BY_ENDING.get(path.suffix, "other")
    listed = path.suffix == ".txt" and path.name.startswith(_LISTS_OF_PACKAGES)
    of_program = kind == "document" and path.stem.split(".")[0] in _FOR_DEVELOPERS
    return "other" if listed or of_program or path.name.endswith(".down.sql") else kind


def _json_kind(upload: Upload, stem: str) -> str:
    try:
        found = json.loads(decode_text(upload.data)[0]) if len(upload.data) <= MAX_JSON_BYTES else None
    except (ValueError, RecursionError):
        return "other"
    if isinstance(found, dict) and ("openapi" in found or "swagger" in found):
        return "openapi"
    result = found.get("result") if isinstance(found, dict) else None
    if _lists_tools(result if isinstance(result, dict) else found):
        return "mcp"
    lists = [found] if isinstance(found, list) else list(found.values())[:50] if isinstance(found, dict) else []
    records = any(isinstance(rows, list) and rows and all(isinstance(r, dict) for r in rows[:5]) for rows in lists)
    return "data" if records and stem not in _SETTINGS else "other"


def _lists_tools(found: Any) -> bool:
    if isinstance(found, dict) and "tools" in found and set(found) <= _ANSWER:
        return True
    tools = found.get("tools") if isinstance(found, dict) else found
    named = [t for t in tools[:5] if isinstance(t, dict) and "name" in t] if isinstance(tools, list) else []
    return bool(named) and all("inputSchema" in t or "input_schema" in t for t in named)


def _yaml_kind(upload: Upload) -> str:
    text = decode_text(upload.data[:_SNIFFED])[0]
    if _OPENAPI_YAML.search(text):
        return "openapi"
    if _TOOLS_YAML.search(text) and ("inputSchema" in text or "input_schema" in text):
        return "mcp"
    folders = set(PurePosixPath(upload.name.lower()).parts[:-1])
    seeded = bool(folders & {"data", "fixtures", "seed", "seeds", "examples"})
    return "data" if seeded and _ROWS_YAML.search(text) else "other"


def sort(uploads: Sequence[Upload]) -> tuple[dict[str, list[Upload]], list[Skipped]]:
    """Every file under its kind, in order of the uploads, and what nobody reads."""
    tops = {u.name.split("/", 1)[0] if "/" in u.name else "" for u in uploads}
    root = f"{next(iter(tops))}/" if len(tops) == 1 and tops != {""} else ""
    own = {u.name.rpartition("/")[0] for u in uploads if u.name.rpartition("/")[2] in _OWN_FILES}
    kinds: dict[str, list[Upload]] = {kind: [] for kind in KINDS}
    out: dict[tuple[str, str], list[Upload]] = {}
    for upload in uploads:
        why, what = _find_exclusion(upload.name, root, own)
        kind = "other" if why else classify(upload)
        if kind == "data" and len(upload.data) > MAX_DATA_BYTES:
            why, what = f"records of more than {MAX_DATA_BYTES // 2**20} MiB: give them as data", upload.name
        language = _LANGUAGES.get(PurePosixPath(upload.name.lower()).suffix)
        if not why and language:
            why, what = f"{language} is not read", language
        (out.setdefault((what, why), []) if why else kinds[kind]).append(upload)
    if kinds["other"]:
        out["other files", "no code, contract, schema, data or document that is known here"] = kinds["other"]
    skipped: list[Skipped] = []
    for (what, why), files in out.items():
        counted = what if what == files[0].name else f"{what} ({len(files):,} file{'s'[: len(files) > 1]})"
        skipped.append(Skipped(counted, why, Source(what if what.endswith("/") else files[0].name)))
    return kinds, skipped


def _find_exclusion(name: str, root: str, own: set[str]) -> tuple[str, str]:
    """Why a file is left out, and the folder or file that says so; both empty where it is read."""
    parts = name.removeprefix(root).split("/")
    for i, folder in enumerate(parts[:-1]):
        why = _IN_FOLDER.get(folder.lower()) or ("a hidden folder" if folder.startswith(".") else "")
        why = why or ("build output" if folder.endswith((".egg-info", ".dist-info")) else "")
        place = root + "/".join(parts[: i + 1])
        if why and not (folder in ("vendor", "build") and place in own):
            return why, f"{place}/"
    return next((why for pattern, why in _LEFT_OUT if pattern.fullmatch(parts[-1])), ""), name


_PACKAGES = ("pyproject.toml", "package.json", "setup.cfg")
_NAME = re.compile(r"""^\s*\{?\s*"?name"?\s*[=:]\s*["']?([^"'\n,]{1,200})""", re.M)


def name_of(uploads: Sequence[Upload]) -> str:
    """The name that the package nearest to the top gives itself; a README says more, and the reader of documents reads it."""
    packages = [u for u in uploads if u.name.rpartition("/")[2] in _PACKAGES]
    texts = (decode_text(u.data[:30_000])[0] for u in sorted(packages, key=lambda u: (u.name.count("/"), u.name)))
    return next((found[1].strip() for text in texts if (found := _NAME.search(text))), "")
