"""The command line: the only part of pyrograph that prints, reads the environment, and exits.

Importing it is cheap: whatever scans, renders or reads rules is imported by the command that needs it, so that
``pyrograph --help`` and ``pyrograph rules list`` load neither NumPy, Numba nor Rich.

Bad input never ends in a traceback. What the user can mend is one line on standard error and exit code 2; a fault of
ours is one line too, which says how to report it, and ``--debug`` shows the rest.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Final, NoReturn

import click

from pyrograph import __version__
from pyrograph.cli.errors import CLEAN, INTERRUPTED, REFUSED, Refusal, complain
from pyrograph.cli.output import forget_standard_output
from pyrograph.cli.supervise import Attempt, supervise, wanted

COMMANDS: Final = (
    "cache",
    "diff",
    "doctor",
    "explain",
    "fix",
    "fleet",
    "ir",
    "lsp",
    "reduce",
    "routes",
    "rules",
    "scan",
    "triage",
)  # each is a module with a command of its name


class _Commands(click.Group):
    """A group that imports the module of a command when the command is asked for."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            self.add_command(getattr(import_module(f"pyrograph.cli.{cmd_name}"), cmd_name))
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*COMMANDS, *super().list_commands(ctx)})


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="pyrograph %(version)s")
def cli() -> None:
    """Find untrusted data that reaches dangerous calls, in Python, JavaScript, TypeScript and Go.

    \b
    pyrograph scan               scan the current directory
    pyrograph diff BASE          report what is new since a commit or a branch
    pyrograph routes             list the program's entry points: routes, handlers, checks, findings
    pyrograph explain FROM TO    see how far data gets between two lines, and what stops it
    pyrograph fix PATHS          make mechanical edits that a scan has verified
    pyrograph triage             mark findings as true or false
    pyrograph fleet scan FILE    scan many repositories into one store, and look at it
    pyrograph rules list         see what is looked for
    pyrograph rules show ID      see why it matters, and what counts as a source or a sink
    pyrograph rules new NAME     write a rule pack of your own
    pyrograph rules infer DIR    write a model of a library from its source
    pyrograph cache info         see what is kept between scans
    pyrograph doctor             see what was found on this machine, and what is missing
    pyrograph ir FILE            see what a file is lowered to, and its loops as streams
    pyrograph lsp                run the language server for an editor
    pyrograph reduce COMMAND     shrink a scan that fails to a small program to report

    Exit codes: 0 clean; 1 findings; 2 wrong usage, rules or configuration, nothing to analyse, or no report; 3
    incomplete analysis under --strict; 130 and 143 ended by SIGINT and SIGTERM.
    """


@cli.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes commands and options in SHELL.

    \b
    bash:  eval "$(pyrograph completion bash)"        in ~/.bashrc
    zsh:   eval "$(pyrograph completion zsh)"         in ~/.zshrc
    fish:  pyrograph completion fish | source         in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    made_for = get_completion_class(shell)
    assert made_for is not None  # the choices above are click's own
    click.echo(made_for(cli, {}, "pyrograph", "_PYROGRAPH_COMPLETE").source())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit; ``arguments`` are the process's own unless given.

    A command of the process's own that analyses code runs in a child, see ``supervise``.
    """
    if "_PYROGRAPH_COMPLETE" in os.environ:  # a shell asks for completions
        cli.main(prog_name="pyrograph")
    # NumPy's library for matrices, which nothing here uses, would reserve memory for a thread on each processor.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    own = sys.argv[1:]
    if arguments is None and wanted(own):
        sys.exit(supervise(partial(_finished, own)))
    attempt = Attempt(is_watched=arguments is not None)
    sys.exit(_finished(own if arguments is None else list(arguments), attempt))


def _finished(arguments: list[str], attempt: Attempt) -> int:
    """The exit code, once standard output has everything."""
    try:
        code = run(arguments, attempt)
        sys.stdout.flush()
    except BrokenPipeError:
        forget_standard_output()
        code = CLEAN
    return code


def run(arguments: list[str], attempt: Attempt) -> int:
    """Run the command line in this process; the exit code.

    Click's own ``main`` would answer a broken pipe with 1, which means findings here.
    """
    debug = "--debug" in arguments
    try:
        with cli.make_context("pyrograph", arguments, obj=attempt) as context:
            result = cli.invoke(context)
        return result if isinstance(result, int) else CLEAN
    except click.exceptions.Exit as end:  # after --help and --version
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return REFUSED
    except Refusal as refusal:
        complain(str(refusal))
        return REFUSED
    except (click.Abort, KeyboardInterrupt):
        complain("interrupted")
        return INTERRUPTED
    except (BrokenPipeError, MemoryError):
        raise
    except Exception as error:
        if debug:
            raise
        complain(
            f"internal error: {type(error).__name__}: {error}; this is a fault of pyrograph, not of your code: "
            "please report it with what the same command prints with --debug"
        )
        return REFUSED
