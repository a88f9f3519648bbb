"""How conversations are written: the settings alone, so that a command can read them without a model at hand."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

FORMS = ("auto", "native", "plain", "compact")


class TalkSettings(BaseModel):
    """How conversations are written."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    form: str = Field("auto", pattern="^(auto|native|plain|compact)$")
    """auto: native where the model's template can do it, else plain"""
    handbook: int = Field(0, ge=0)
    """Tokens of the handbook at most, in the compact form; 0 for all of it."""
    optionals: int = Field(0, ge=0)
    """Of each tool, the parameters that may be left out and are shown, in the compact form; 0 for all."""
    rows: int = Field(6, ge=1)
    """Of each list in a result, in the compact form."""
    characters: int = Field(900, ge=20)
    """Of a result, in the compact form."""
    one_call: bool = True
    """Whether a turn ends behind its first call, as far as calls are in `<tool_call>` tags."""
