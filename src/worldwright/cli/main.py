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
from worldwright.cli.extras import name_missing_library
from worldwright.cli.groups import NamedCommands
from worldwright.cli.terminal.messages import complain
from worldwright.core.errors import WorldwrightError
from worldwright.core.version import VERSION

SECTIONS = {
    "Make worlds": ("upload", "author", "anchor", "catalog", "blueprint", "variants", "generate", "demo"),
    "Look at them": ("studio", "inspect", "play", "app", "task", "verify", "assay", "referee", "rebuild"),
    "Run agents": ("rollout", "report", "replay", "arena", "evolve", "gate", "contamination"),
    "Train and serve": ("distill", "train", "serve", "export"),
    "Keep and share": ("store", "pack", "images", "push", "pull"),
}
"""The order of help. A command that stands nowhere here comes last, under a title of its own."""


class Commands(NamedCommands):
    """A group whose commands are the modules of a package; listing them imports none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(m.name for m in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"{commands.__name__}.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        known = self.list_commands(ctx)
        placed = {name for names in SECTIONS.values() for name in names}
        others = tuple(name for name in known if name not in placed)
        for title, names in {**SECTIONS, "More": others}.items():
            if here := [name for name in names if name in known]:  # an image has few of them
                with formatter.section(title):
                    formatter.write_dl([(name, summary_of(name)) for name in here], col_max=15)


def summary_of(name: str) -> str:
    """Read a command's summary from the first line of its file."""
    source = pkgutil.get_data(commands.__name__, f"{name}.py") or b""
    summary = source.partition(b"`: ")[2].partition(b'"""')[0].decode()
    return summary[:1].upper() + summary[1:]


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
)
@click.version_option(VERSION, prog_name="worldwright")
def cli() -> None:
    """Worldwright compiles a business into sealed worlds in which agents are trained and tested.

    \b
    Start here:
      worldwright demo                              two worlds in about a minute
      worldwright catalog                           what there is to build
      worldwright generate --domain motor_claims    build one of them
      worldwright play motor_claims                 call its tools yourself
    """


def main(argv: list[str] | None = None) -> None:
    """Run a command; every failure that has a name ends with its message and its exit code."""
    try:
        result: Any = cli.main(args=argv, prog_name="worldwright", standalone_mode=False)
        sys.exit(result if isinstance(result, int) else exits.OK)
    except click.ClickException as e:
        e.show()
        sys.exit(e.exit_code)
    except (click.Abort, KeyboardInterrupt) as e:
        stopped = e.__cause__ if isinstance(e, click.Abort) else e  # click wraps it
        complain(str(stopped or "") or "interrupted; nothing half-written was left behind")
        sys.exit(exits.INTERRUPTED)
    except ModuleNotFoundError as e:
        complain(
            f"the library `{name_missing_library(e)}` is not installed: install it, or worldwright again with its extras"
        )
        sys.exit(exits.USAGE)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(exits.OK)
    except WorldwrightError as e:
        complain(str(e))
        sys.exit(exits.exit_code(e))
