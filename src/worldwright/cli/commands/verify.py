"""`worldwright verify`: check that a pack is complete and unchanged."""

from __future__ import annotations

from typing import Any

import click

from worldwright.cli.inputs.options import json_option


@click.command(name="verify")
@click.argument("pack")
@json_option("What was checked, as one JSON document.")
def command(**given: Any) -> int:
    """Check that a pack is whole and is what its manifest says. Nothing in it is run before it is checked.

    Exit code 4 and the reason where it is not. Whether the factory would build it again is what `rebuild` tells, whether
    the verifiers judge rightly what `assay` tells.

    \b
    Examples:
      worldwright verify enterprise_procurement
      worldwright verify out/enterprise_procurement-8f31c2
      worldwright verify procurement.tar --json
    """
    from worldwright.cli.jobs.verify import run_verify

    return run_verify(**given)
