"""What a file of a repository is, and which files are left out."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from markdown_it import MarkdownIt

from worldwright.anchor.evidence import Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.english.words import wordmap, wordset
from worldwright.formats.encodings import decode_text

KINDS = ("openapi", "mcp", "sql", "data", "document", "python", "other")
MAX_DATA_BYTES = 5 * 1024 * 1024
"""Of a file of records in a repository. A larger one is a fixture or a dump."""
MAX_SKIPPED = 100
ANSWER = frozenset({"tools", "nextCursor", "_meta", "jsonrpc", "id", "name", "version", "description"})
"""What stands beside the tools in an answer that lists them."""
_SNIFFED = 200_000
_MOST_JSON = 20 * 1024 * 1024

_BY_ENDING: Mapping[str, str] = wordmap(
    ".py=python .sql=sql .ddl=sql .csv=data .tsv=data .jsonl=data .ndjson=data .parquet=data .xlsx=data "
    ".md=document .markdown=document .rst=document .txt=document .adoc=document .html=document .htm=document "
    ".docx=document .pdf=document"
)
_FOR_DEVELOPERS = frozenset({
    "license", "licence", "copying", "notice", "authors", "contributors", "codeowners", "changelog", "changes",
    "contributing", "code_of_conduct", "pull_request_template", "issue_template", "robots", "humans",
})  # fmt: skip
"""Texts about the program rather than the business, by the name of the file."""
_LISTS_OF_PACKAGES = ("requirements", "constraints", "cmakelists", "manifest")
_SETTINGS = frozenset({
    "package", "tsconfig", "jsconfig", "composer", "appsettings", "launchsettings", "angular", "nx", "lerna", "turbo",
    "renovate", "cdk", "manifest", "bower",
})  # fmt: skip

_IN_FOLDER: Mapping[str, str] = {
    **dict.fromkeys(("tests", "test", "__tests__", "e2e", "cypress", "testdata", "test_data"), "tests"),
    **dict.fromkeys(
        ("node_modules", "bower_components", "vendor", "_vendor", "vendored", "third_party", "thirdparty"),
        "code of others",
    ),
    **dict.fromkeys(("venv", "virtualenv", "site-packages", "dist-packages"), "a virtual environment"),
    **dict.fromkeys(("build", "dist", "__pycache__", "htmlcov", "wheels"), "build output"),
}
_OWN_FILES = wordset("models.py views.py schemas.py routes.py router.py service.py services.py api.py")
"""A folder `vendor` with one of these is about vendors, not code of others."""
_LOCKED = wordset("package-lock.json npm-shrinkwrap.json pnpm-lock.yaml go.sum gradle.lockfile packages.lock.json")
_TEST_FILE = re.compile(r"(test_[^/]*|[^/]*_test|conftest)\.py|[^/]*\.(test|spec)\.[jt]sx?")
_MINIFIED = re.compile(r"[^/]*(\.min\.(js|css|mjs)|\.map|\.bundle\.js)")
_GENERATED = re.compile(r"[^/]*_pb2(_grpc)?\.pyi?")
_LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys((".ts", ".tsx", ".mts"), "TypeScript"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), "JavaScript"),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".hpp"), "C and C++"),
    ".java": "Java",
    ".go": "Go",
    ".cs": "C#",
    ".rb": "Ruby",
    ".php": "PHP",
    ".kt": "Kotlin",
    ".rs": "Rust",
    ".scala": "Scala",
    ".swift": "Swift",
    ".ex": "Elixir",
}


def classify(upload: Upload) -> str:
    """Return what a file is: one of `KINDS`."""
    path = PurePosixPath(upload.name.lower())
    ending = path.suffix
    braced = ending in ("", ".yaml", ".yml", ".txt") and upload.data[:200].lstrip()[:1] in (b"{", b"[")
    if ending == ".json" or braced:
        return _json_kind(upload, path.stem)
    if ending in (".yaml", ".yml"):
        return _yaml_kind(upload)
    if not ending and path.name == "readme":
        return "document"
    kind = _BY_ENDING.get(ending, "other")
    if kind == "document" and path.stem.split(".")[0] in _FOR_DEVELOPERS:
        return "other"
    if path.name.endswith(".down.sql") or (ending == ".txt" and path.name.startswith(_LISTS_OF_PACKAGES)):
        return "other"
    return kind


def _json_kind(upload: Upload, stem: str) -> str:
    if len(upload.data) > _MOST_JSON:
        return "other"
    try:
        found = json.loads(decode_text(upload.data)[0])
    except (ValueError, RecursionError):
        return "other"
    if isinstance(found, dict) and ("openapi" in found or "swagger" in found):
        return "openapi"
    if _lists_tools(found):
        return "mcp"
    if stem in _SETTINGS or not _holds_records(found):
        return "other"
    return "data"


def _lists_tools(found: Any) -> bool:
    if isinstance(found, dict) and isinstance(found.get("result"), dict):
        found = found["result"]
    tools = found.get("tools") if isinstance(found, dict) else found
    if isinstance(found, dict) and "tools" in found and set(found) <= ANSWER:
        return True
    return (
        isinstance(tools, list)
        and bool(tools)
        and all(isinstance(t, dict) and "name" in t and ("inputSchema" in t or "input_schema" in t) for t in tools[:5])
    )


def _holds_records(found: Any) -> bool:
    lists = [found] if isinstance(found, list) else list(found.values())[:50] if isinstance(found, dict) else []
    return any(isinstance(rows, list) and rows and all(isinstance(r, dict) for r in rows[:5]) for rows in lists)


_OPENAPI_YAML = re.compile(r"""^['"]?(openapi|swagger)['"]?[ \t]*:""", re.M)
_TOOLS_YAML = re.compile(r"""^['"]?tools['"]?[ \t]*:""", re.M)
_ROWS_YAML = re.compile(r"^-[ \t]+[A-Za-z_][\w-]*[ \t]*:", re.M)


def _yaml_kind(upload: Upload) -> str:
    text = decode_text(upload.data[:_SNIFFED])[0]
    if _OPENAPI_YAML.search(text):
        return "openapi"
    if _TOOLS_YAML.search(text) and ("inputSchema" in text or "input_schema" in text):
        return "mcp"
    folders = set(PurePosixPath(upload.name.lower()).parts[:-1])
    if folders & {"data", "fixtures", "seed", "seeds", "examples"} and _ROWS_YAML.search(text):
        return "data"
    return "other"


# what is left out


@dataclass(frozen=True, slots=True)
class Sorted:
    """The files of a repository by what they are, and those that nobody reads."""

    parts: Mapping[str, tuple[Upload, ...]]
    skipped: tuple[Skipped, ...]


def sort(uploads: Sequence[Upload]) -> Sorted:
    """Every file under its kind, in order of the uploads."""
    root = _common_folder(uploads)
    environments = tuple(u.name.removesuffix("pyvenv.cfg") for u in uploads if u.name.endswith("/pyvenv.cfg"))
    own = frozenset(
        folder
        for folder, _, file in (u.name.rpartition("/") for u in uploads)
        if file in _OWN_FILES or (file == "__init__.py" and folder.endswith("build"))
    )
    parts: dict[str, list[Upload]] = {kind: [] for kind in KINDS}
    out: dict[tuple[str, str], list[Upload]] = {}
    for upload in uploads:
        why, what = _find_exclusion(upload.name, root, environments, own)
        kind = "other" if why else classify(upload)
        if not why and kind == "data" and len(upload.data) > MAX_DATA_BYTES:
            why, what = (
                f"records of more than {MAX_DATA_BYTES // 2**20} MiB: give them as data of their own",
                upload.name,
            )
        if not why and (language := _LANGUAGES.get(PurePosixPath(upload.name.lower()).suffix)):
            why, what = f"{language} is not read", language
        if why:
            out.setdefault((what, why), []).append(upload)
        else:
            parts[kind].append(upload)
    return Sorted({kind: tuple(found) for kind, found in parts.items()}, tuple(_skipped(out, parts["other"])))


def _skipped(out: Mapping[tuple[str, str], Sequence[Upload]], others: Sequence[Upload]) -> list[Skipped]:
    found = [
        Skipped(_counted(what, files), why, Source(what if what.endswith("/") else files[0].name))
        for (what, why), files in out.items()
    ]
    if len(found) > MAX_SKIPPED:
        rest = sum(len(files) for files in list(out.values())[MAX_SKIPPED:])
        last = Skipped(_files(rest), "tests, build output, code of others and the like", found[MAX_SKIPPED].source)
        found = [*found[:MAX_SKIPPED], last]
    if others:
        why = "no code, contract, schema, data or document that is known here"
        found.append(Skipped(_counted("other files", others), why, Source(others[0].name)))
    return found


def _counted(what: str, files: Sequence[Upload]) -> str:
    return what if len(files) == 1 and what == files[0].name else f"{what} ({_files(len(files))})"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _common_folder(uploads: Sequence[Upload]) -> str:
    """The one folder that everything lies in, as in an archive of a repository; empty where there is none."""
    tops = {u.name.split("/", 1)[0] for u in uploads if "/" in u.name}
    if len(tops) != 1 or any("/" not in u.name for u in uploads):
        return ""
    return next(iter(tops)) + "/"


def _find_exclusion(name: str, root: str, environments: tuple[str, ...], own: Container[str]) -> tuple[str, str]:
    """Why a file is left out, and the folder or file that says so; both empty where it is read."""
    inside = name.removeprefix(root)
    parts = inside.split("/")
    for i, folder in enumerate(parts[:-1]):
        why = _IN_FOLDER.get(folder.lower(), "")
        if not why and folder.endswith((".egg-info", ".dist-info")):
            why = "build output"
        if not why and folder.startswith("."):
            why = "a hidden folder"
        place = root + "/".join(parts[: i + 1])
        if why and not (folder in ("vendor", "build") and place in own):
            return why, f"{place}/"
    for place in environments:
        if name.startswith(place):
            return "a virtual environment", place
    return _left_out_file(parts[-1]), name


def _left_out_file(name: str) -> str:
    if name.startswith("."):
        return "a hidden file"
    if name in _LOCKED or name.lower().endswith(".lock"):
        return "a lock file"
    for pattern, why in ((_TEST_FILE, "tests"), (_MINIFIED, "minified"), (_GENERATED, "generated code")):
        if pattern.fullmatch(name):
            return why
    return ""


# What a repository is called: the first heading of its README, else the name of its package.


MAX_TEXT_BYTES = 30_000
MAX_TITLE_CHARS = 200


_PACKAGES = ("pyproject.toml", "package.json", "setup.cfg")


def title_of(uploads: Sequence[Upload]) -> str:
    """The title that the file nearest to the top gives, a README before others; empty where none does."""
    for upload in sorted(uploads, key=_rank):
        file = PurePosixPath(upload.name).name.lower()
        if file not in _PACKAGES and not _is_readme(file):
            continue
        text = decode_text(upload.data[:MAX_TEXT_BYTES])[0]
        title = _package_name(file, text) if file in _PACKAGES else _readme(text)
        if title:
            return title[:MAX_TITLE_CHARS]
    return ""


def _rank(upload: Upload) -> tuple[int, int, str]:
    name = PurePosixPath(upload.name)
    return len(name.parts), 0 if name.name.lower().startswith("readme") else 1, upload.name


def _is_readme(name: str) -> bool:
    path = PurePosixPath(name.lower())
    return path.stem == "readme" and path.suffix in ("", ".md", ".rst", ".txt", ".markdown")


def _readme(text: str) -> str:
    """The heading that comes before all prose. An underlined one of reStructuredText is one of Markdown too."""
    before = ""
    for token in MarkdownIt("commonmark", {"maxNesting": 20}).parse(text):
        if token.type == "inline" and token.level == 1:
            parts = [child.content if child.type in ("text", "code_inline") else " " for child in token.children or ()]
            words = " ".join("".join(parts).split())
            if words and before == "heading_open":
                return words
            if words and before == "paragraph_open" and not words.startswith(("..", ":")):
                return ""
        before = token.type
    return ""


def _package_name(file: str, text: str) -> str:
    """The name that a package gives itself; empty where the file says none or cannot be read."""
    parser = configparser.ConfigParser(interpolation=None)
    found: Any = None
    try:
        if file == "pyproject.toml":
            whole = tomllib.loads(text)
            found = whole.get("project") or whole.get("tool", {}).get("poetry")
        elif file == "package.json":
            found = json.loads(text)
        else:
            parser.read_string(text)
            found = parser["metadata"] if parser.has_section("metadata") else None
    except (ValueError, RecursionError, AttributeError, configparser.Error):
        return ""
    name = found.get("name") if isinstance(found, Mapping) else None
    return name if isinstance(name, str) else ""
