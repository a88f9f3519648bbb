"""What people and companies have on the net, and files: addresses of pages and pictures, names of users, browsers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worldwright.kinds.database.compile.values import emails, people
from worldwright.kinds.database.compile.values.facts import FILES
from worldwright.kinds.database.compile.values.locale import words
from worldwright.kinds.database.compile.values.row import DrawContext, hints
from worldwright.kinds.database.compile.values.vocabulary import slug

_SITES = ("www.example.com", "www.example.org", "shop.example.com", "portal.example.net", "docs.example.org")
_IMAGES = words("png jpg")
_DOCUMENTS = words("invoice report contract offer minutes price-list photo summary plan order-form manual statement")
_FOLDERS = words("documents reports archive shared projects exports images 2024 2025")
_PICTURES = words("image avatar logo thumbnail photo picture icon banner")


def domain(row: DrawContext) -> str:
    company = row.so_far.get("company", "")
    return emails.make_domain(company, row.locale.code) if company else f"{slug(row)}.example"


def url(row: DrawContext) -> str:
    """A page of the row's company where it has one, else of a site that is nobody's; a picture where the field is named for one."""
    if any(word in hints(row.field) for word in _PICTURES):
        return image_url(row)
    company = row.so_far.get("company", "")
    site = f"www.{emails.make_domain(company, row.locale.code)}" if company else row.stream.favourite(_SITES)
    what = row.topic.replace("_", "-").strip("-") or "page"
    return f"https://{site}/{what}/{slug(row)}"


def website(row: DrawContext) -> str:
    return f"https://www.{domain(row)}"


def image_url(row: DrawContext) -> str:
    return f"https://images.example.com/{slug(row)}-{row.stream.between(100, 999)}.{row.stream.favourite(_IMAGES)}"


def username(row: DrawContext) -> str:
    """A name to sign in with: that of the row's email or person, where it has one."""
    known = row.so_far.get("email", "").partition("@")[0]
    if known:
        return known
    who = people.take_apart(people.find_name(row) or people.person(row._replace(field="")), row.locale.code)
    given, family = (emails.fold(part, row.locale.code) for part in who)
    return f"{given[:1]}{family or given}{row.stream.between(1, 99)}"


def file_name(row: DrawContext) -> str:
    """A file; its ending fits the row's media type, where it has one."""
    ending = next((e for e, kind in FILES if kind == row.so_far.get("mime_type")), "") or file_extension(row)
    return f"{row.stream.pick(_DOCUMENTS)}-{slug(row).partition('-')[0]}-{row.stream.between(1, 99):02d}.{ending}"


def file_path(row: DrawContext) -> str:
    name = row.so_far.get("file_name") or file_name(row)
    return f"/{row.stream.favourite(_FOLDERS)}/{name}"


def file_extension(row: DrawContext) -> str:
    named = row.so_far.get("file_name", "").rpartition(".")[2]
    return named or row.stream.favourite([ending for ending, _ in FILES])


def mime_type(row: DrawContext) -> str:
    """A media type; that of the row's file, where it has one."""
    named = row.so_far.get("file_name", "").rpartition(".")[2]
    return next((kind for ending, kind in FILES if ending == named), "") or row.stream.favourite([k for _, k in FILES])


def user_agent(row: DrawContext) -> str:
    system = row.stream.favourite(
        ("Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7", "X11; Linux x86_64")
    )
    version = row.stream.between(118, 136)
    return f"Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{version}.0.0.0 Safari/537.36"


ONLINE: Mapping[str, Callable[[DrawContext], str]] = {
    "domain": domain,
    "file_extension": file_extension,
    "file_name": file_name,
    "file_path": file_path,
    "image_url": image_url,
    "mime_type": mime_type,
    "url": url,
    "user_agent": user_agent,
    "username": username,
    "website": website,
}
