"""Conversations in which both sides act: what only the requester can do, what they think better of, and how long they bear with one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.shared_builds import open_built

from worldwright.blueprint.load import load_file
from worldwright.engine.env import Env
from worldwright.engine.replay import replay
from worldwright.engine.requester import NAME
from worldwright.engine.world import World
from worldwright.people.replies import GONE, MANNERS
from worldwright.world.tasks import Requester

RESTART = "Could you please switch your box off and on?"
WHOSE = "What is the name on the contract?"
