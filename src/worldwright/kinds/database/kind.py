"""The database kind: SQLite state, tools from operations."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import lru_cache

from worldwright.blueprint.service import find_services
from worldwright.blueprint.siblings import load_cached
from worldwright.core.errors import BlueprintError, TamperedPack
from worldwright.core.readonly import read_only
from worldwright.kinds.database.agenda import FILE as AGENDA_FILE
from worldwright.kinds.database.agenda import read_agenda
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.handbook import render_handbook
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.state import check_state, connect, normalise, state_digest
from worldwright.pack.open import Pack

NAME = "database"


@lru_cache(maxsize=16)
def compile_blueprint(blueprint_text: str) -> CompiledWorld:
    """Compile a Blueprint, shared by the packs that have it: nobody may write on its schemas."""
    made = CompiledWorld(load_cached(blueprint_text))
    made.specs = {
        name: replace(spec, input_schema=read_only(spec.input_schema), output_schema=read_only(spec.output_schema))
        for name, spec in made.specs.items()
    }
    return made


def open_runtime(pack: Pack) -> Runtime:
    """A runtime from a pack, once Blueprint and state have been shown to belong to it."""
    try:
        compiled = compile_blueprint(pack.blueprint)
    except BlueprintError as e:
        raise TamperedPack(f"the pack's Blueprint does not check: {e.findings[0]}") from None
    if compiled.blueprint.digest != pack.manifest.blueprint:
        raise TamperedPack("blueprint.yaml is not the Blueprint that the manifest names")
    surface = compiled.blueprint.blueprint
    said = pack.manifest
    if (said.name, said.variant, said.axes) != (surface.blueprint, surface.variant, surface.axes):
        raise TamperedPack("the manifest gives another name or variant than blueprint.yaml")
    schema = compiled.blueprint.schema
    check_state(pack.state, schema)
    try:
        with closing(connect(pack.state)) as conn:
            found = state_digest(conn, schema)
    except (sqlite3.Error, UnicodeDecodeError) as e:
        raise TamperedPack(f"state.db cannot be read: {e}") from None
    if found != pack.manifest.state:
        raise TamperedPack("state.db does not have the content that the manifest names")
    book, busy = render_handbook(compiled.blueprint), find_services(compiled.blueprint)
    agenda = read_agenda(pack.files.get(AGENDA_FILE), compiled.tools)
    return Runtime(compiled, normalise(pack.state), book, busy, agenda)
