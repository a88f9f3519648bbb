"""The `worldwright` command: one file per command in `commands/`, found by looking there and loaded when called."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from typing import Any

try:
    import click
except ModuleNotFoundError:  # pragma: no cover - only without the extra
    sys.exit("the command line needs its extra: pip install 'worldwright[cli]'")


from worldwright.cli import commands, exits
from worldwright.cli.terminal.messages import complain
from worldwright.core.errors import WorldwrightError
from worldwright.core.version import VERSION


class Commands(click.Group):
    """A group whose commands are the modules of a package."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(m.name.rstrip("_") for m in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{commands.__name__}.{cmd_name}")
        command: click.Command = module.command
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, prog_name="worldwright")
def cli() -> None:
    """Worldwright compiles Blueprints of businesses into sealed, executable worlds for agents.

    \b
    Start here:
      worldwright catalog                                  what there is to build
      worldwright generate --domain enterprise_procurement --seed 7
      worldwright play PACK                                call the tools yourself
      worldwright task list PACK                           what the world asks of an agent
    """


def main(argv: list[str] | None = None) -> None:
    """Run a command; every failure that has a name ends with its message and its exit code."""
    try:
        result: Any = cli.main(args=argv, prog_name="worldwright", standalone_mode=False)
        sys.exit(result if isinstance(result, int) else exits.OK)
    except click.ClickException as e:
        e.show()
        sys.exit(e.exit_code)
    except (click.Abort, KeyboardInterrupt):
        complain("interrupted; nothing half-written was left behind")
        sys.exit(exits.INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(exits.OK)
    except WorldwrightError as e:
        complain(str(e))
        sys.exit(exits.exit_code(e))
