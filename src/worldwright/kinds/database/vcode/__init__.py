"""What the files in a pack's `vcode/` import: words for what an episode must have come to, and a `main` that holds one against it.

Conditions are written as in `tools/*.py`, with the same helpers. The engine never imports those files; it has the keys.
"""

from worldwright.blueprint.types import BOOL as BOOL
from worldwright.blueprint.types import DATE as DATE
from worldwright.blueprint.types import INT as INT
from worldwright.blueprint.types import decimal as decimal
from worldwright.kinds.database.tool_runtime import *  # noqa: F403  whatever a condition may call
from worldwright.kinds.database.vcode.expect import ANY as ANY
from worldwright.kinds.database.vcode.expect import DURING as DURING
from worldwright.kinds.database.vcode.expect import IDS as IDS
from worldwright.kinds.database.vcode.expect import Check as Check
from worldwright.kinds.database.vcode.expect import Expect as Expect
from worldwright.kinds.database.vcode.expect import free as free
from worldwright.kinds.database.vcode.expect import many as many
from worldwright.kinds.database.vcode.expect import new as new
from worldwright.kinds.database.vcode.expect import row as row
from worldwright.kinds.database.vcode.expect import rows as rows
from worldwright.kinds.database.vcode.expect import some as some
from worldwright.kinds.database.vcode.expect import specification as specification
from worldwright.kinds.database.vcode.expect import task as task
from worldwright.kinds.database.vcode.run import main as main
from worldwright.kinds.database.vcode.run import verdict as verdict
from worldwright.kinds.database.verify.files import Files as Files
