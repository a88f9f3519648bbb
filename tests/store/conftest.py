from __future__ import annotations

import pytest
from tests.shared_builds import build

from worldwright.blueprint.checked import Checked
from worldwright.pack.open import Pack


@pytest.fixture(scope="session")
def library_pack(library: Checked) -> Pack:
    """A world that can be opened, without tasks."""
    return build(library, 7, with_tasks=False).pack
