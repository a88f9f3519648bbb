"""Work over Ray, where Ray is not installed. Where it is: tests/ray."""

from __future__ import annotations

import sys

import pytest

from worldwright.core.cluster import map_on_ray
from worldwright.core.errors import UsageError


def test_without_ray_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"this needs ray: pip install 'worldwright\[ray\]'"):
        list(map_on_ray(abs, range(3), "local"))
