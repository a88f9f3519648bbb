"""What the parameters of patterns share: their model, the types of names, and checks."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo


class Parameters(BaseModel):
    """The parameters of a pattern, or a part of them. What it does not know is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


def _list_one(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Names = Annotated[tuple[Name, ...], BeforeValidator(_list_one)]
"""Several names; one alone may be written without a list."""
Templates = Annotated[tuple[str, ...], BeforeValidator(_list_one)]
FieldPath = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$")]
"""A field, or one that is reached through references."""
Enforced = Literal["tool", "agent"]


def _require_default(value: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
    if "default" not in value:
        raise ValueError(f"`{info.field_name}` needs a `default`")
    return value


HAS_DEFAULT = AfterValidator(_require_default)
"""Figures by variant: one of them is the default."""


def refuse_own_names(*own: str, named_by: tuple[str, ...] = ()) -> AfterValidator:
    """Refuse names that the pattern uses itself, or that earlier parameters gave: a dict would overwrite them in silence."""

    def check(value: Any, info: ValidationInfo) -> Any:
        refuse_own(_list_one(value) or (), {*own, *(info.data.get(parameter) for parameter in named_by)})
        return value

    return AfterValidator(check)


def refuse_own(names: Iterable[str], own: Collection[Any]) -> None:
    for name in names:
        if name in own:
            raise ValueError(f"`{name}` is the pattern's own; choose another name")


def require_referred(verb: str) -> AfterValidator:
    """Refuse postings that are `about` something which the parameter `refers` does not name."""

    def check(posts: Any, info: ValidationInfo) -> Any:
        known = info.data.get("refers", {})
        for operation, made in posts.items():
            for name in (n for post in made for n in post.about):
                if name not in known:
                    raise ValueError(f"`{operation}` {verb} about `{name}`, which `refers` does not name")
        return posts

    return AfterValidator(check)
