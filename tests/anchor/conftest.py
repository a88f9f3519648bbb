"""Repositories that several files of tests look at, each read once."""

from __future__ import annotations

import pytest
from tests.anchor.repositories import CLAIMS, DEPOT, HELP_DESK, LOANS, PURCHASING, uploads_of

from worldwright.anchor.evidence import Evidence
from worldwright.anchor.readers.repo import read


@pytest.fixture(scope="session")
def purchasing() -> Evidence:
    return read(uploads_of(PURCHASING))


@pytest.fixture(scope="session")
def desk() -> Evidence:
    return read(uploads_of(HELP_DESK))


@pytest.fixture(scope="session")
def claims() -> Evidence:
    return read(uploads_of(CLAIMS))


@pytest.fixture(scope="session")
def loans() -> Evidence:
    return read(uploads_of(LOANS))


@pytest.fixture(scope="session")
def depot() -> Evidence:
    return read(uploads_of(DEPOT))
