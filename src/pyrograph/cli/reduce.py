"""``pyrograph reduce``: a scan that fails becomes a small program that fails in the same way."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from pyrograph.cli.errors import CLEAN, INTERRUPTED, Refusal, complain, refusing
from pyrograph.cli.explain import explain, paths_with
from pyrograph.cli.scan import scan, settings
from pyrograph.cli.supervise import Attempt
from pyrograph.model.words import plural

if TYPE_CHECKING:
    from pyrograph.scanner.options import ScanOptions
    from pyrograph.scanner.reduce import Failure, Limits, Mark, Program, Reducer

COMMANDS: dict[str, click.Command] = {"scan": scan, "explain": explain}
REPLACED = frozenset(
    {"debug", "config", "isolated", "root", "output", "formats", "quiet", "color", "allow_empty", "jobs"}
)
UNUSABLE = {
    "changed_since": "--changed-since asks git, and the reduced files have no history",
    "write_baseline": "--write-baseline writes a file",
}
IGNORE_FILES = (".gitignore", ".pyrographignore")
TIMEOUT = 60.0
NO_PROCESS = "cannot start a process (see `ulimit -u` and `ulimit -n`)"


@click.command(context_settings={"allow_interspersed_args": False, "ignore_unknown_options": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="New directory for the result. [reduced]")
@click.option("--rename", is_flag=True, help="Replace identifiers, words in texts and file names by meaningless ones.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=TIMEOUT,
    metavar="S",
    help="Seconds after which a run counts as endless. [60]",
)
@click.option("--memory", type=click.IntRange(min=1), metavar="MB", help="Address space of a run. [no limit]")
@click.option(
    "--interesting",
    metavar="SHELL_COMMAND",
    help="Command that decides whether a candidate still fails: runs in its directory, exit code 0 means yes.",
)
@click.option("-q", "--quiet", is_flag=True, help="Do not show the progress.")
def reduce(
    command: tuple[str, ...],
    output: Path | None,
    rename: bool,
    timeout: float,
    memory: int | None,
    interesting: str | None,
    quiet: bool,
) -> int:
    """Shrink the files of a failing `pyrograph scan` or `pyrograph explain` COMMAND.

    The result is a small program on which the command fails in the same way: the same exception in the same place, the
    same signal, no end within the timeout, or the same internal error in the report. It works on a copy.

    \b
    pyrograph reduce scan src --confidence low
    pyrograph reduce --rename --output to-report -- pyrograph scan .
    pyrograph reduce --interesting 'pyrograph scan . | grep -q "limit"' scan .

    Exit codes: 0 reduced; 2 wrong usage, or the command does not fail.
    """
    from pyrograph.scanner import reduce as reduction

    target = output if output is not None else Path("reduced")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Refusal(f"{target}: exists already; name a new directory with --output")
    asked = _asked(command)
    program = _program(asked)
    limits = reduction.Limits(timeout, memory * 1_000_000 if memory is not None else None)
    with tempfile.TemporaryDirectory(prefix="pyrograph-reduce-") as scratch:
        oracle = Oracle(asked, Path(scratch), limits, interesting)
        if interesting is None:
            failures = sorted(oracle.failures(program))
            if not failures:
                raise Refusal(
                    f"the command does not fail within {timeout:g} s on a copy of what it reads "
                    f"({plural(len(program.files), 'file')}); --timeout sets when a run counts as endless, "
                    "--interesting what counts as a failure"
                )
            oracle.wanted = failures[0]
            if not quiet:
                complain(f"reducing: {failures[0]}")
        elif not oracle(program):
            raise Refusal(f"{interesting!r} does not exit with 0 on a copy of the files; nothing to reduce")
        reducer = reduction.Reducer(program, oracle, None if quiet else _progress)
        code = CLEAN
        try:
            reducer.run()
            if rename:
                reduction.rename(reducer)
        except KeyboardInterrupt:
            complain("interrupted; writing the smallest program found so far")
            code = INTERRUPTED
        small = reducer.best
        with refusing(while_doing="cannot write the result"):
            target.mkdir(parents=True, exist_ok=True)
            reduction.write(small, target)
    click.echo(
        f"{plural(len(program.files), 'file')}, {program.size:,} bytes -> "
        f"{plural(len(small.files), 'file')}, {small.size:,} bytes in {plural(reducer.runs, 'run')}"
    )
    shown = shlex.join(["pyrograph", *asked.arguments(small, target)])
    click.echo(f"written to {target}; the command is: {shown}")
    return code


def _progress(done: str, reducer: Reducer) -> None:
    best = reducer.best
    complain(f"{plural(len(best.files), 'file')}, {best.size:,} bytes after {plural(reducer.runs, 'run')} ({done})")


@dataclass(frozen=True, slots=True)
class Asked:
    """The command to be reduced."""

    name: str  # "scan" or "explain"
    options: list[str]  # those that do not name what is scanned, and write nothing
    formats: list[str]  # of the reports, without their files
    scanned: ScanOptions
    paths: list[str]  # relative to the root
    ends: list[tuple[str, int]]  # the two places of ``explain``: path relative to the root, line
    config: Path | None  # the configuration that is used

    def arguments(self, program: Program, folder: Path, extra: Sequence[str] = ()) -> list[str]:
        """The arguments that run the command on a program whose files lie in ``folder``."""
        arguments = [self.name, *self.options, *self._configuration(program, folder), "--root", str(folder), *extra]
        arguments.append("--")
        arguments += [f"{folder / mark.path}:{_line(program, mark)}" for mark in program.marks]
        arguments += [str(folder / path) for path in self.remaining(program)]
        return arguments

    def _configuration(self, program: Program, folder: Path) -> list[str]:
        if self.config is None:
            return ["--isolated"]
        if not self.config.is_relative_to(self.scanned.root):
            return ["--config", str(self.config)]
        path = self.config.relative_to(self.scanned.root).as_posix()
        return ["--config", str(folder / path)] if path in program.files else ["--isolated"]

    def remaining(self, program: Program) -> list[str]:
        """The paths to scan of which something is left in a program."""
        return [
            path
            for path in self.paths
            if not path or path in program.files or any(file.startswith(f"{path}/") for file in program.files)
        ]


def _line(program: Program, mark: Mark) -> int:
    return program.files[mark.path].count(b"\n", 0, mark.offset) + 1


class Oracle:
    """Whether a candidate still fails: writes it to a directory of its own and runs the command there."""

    def __init__(self, asked: Asked, scratch: Path, limits: Limits, interesting: str | None) -> None:
        self.asked = asked
        self.scratch = scratch
        self.limits = limits
        self.interesting = interesting
        self.wanted: Failure | None = None
        self.cache = scratch / "cache"  # an XDG_CACHE_HOME
        self.is_prepared = False

    def prepare(self) -> None:
        """Import the stages and read the rules, so that the forked processes need not: half of the time of a run."""
        from pyrograph.rules import load_rules
        from pyrograph.scanner.forked import import_stages

        if not self.is_prepared:
            self.is_prepared = True
            import_stages()
            load_rules(None, (), cache_folder=self.cache / "pyrograph")

    def __call__(self, program: Program) -> bool:
        if self.interesting is None:
            return self.wanted in self.failures(program)
        with self._written(program) as folder:
            try:
                with refusing(while_doing=NO_PROCESS):
                    done = subprocess.run(
                        self.interesting,
                        shell=True,  # the user's own words, as in a Makefile
                        cwd=folder,
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        timeout=self.limits.seconds,
                        check=False,
                    )
            except subprocess.TimeoutExpired:
                return False
            return done.returncode == 0

    def failures(self, program: Program) -> frozenset[Failure]:
        from pyrograph.scanner import reduce as reduction

        if not self.asked.remaining(program):
            return frozenset()
        work = self.scratch / "work"  # where reports go, and an empty directory to run in
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        extra = ["--debug", "--jobs", "1"]
        report = None
        if self.asked.name == "scan":
            report = work / "report.json"
            for index, form in enumerate(self.asked.formats):
                extra += ["--format", f"{form}:{work / f'{index}.{form}'}"]
            extra += ["--format", f"json:{report}", "--allow-empty"]
        with self._written(program) as folder:
            arguments = self.asked.arguments(program, folder, extra)
            environment = {"XDG_CACHE_HOME": str(self.cache)}
            with refusing(while_doing=NO_PROCESS):
                if reduction.CAN_FORK:
                    self.prepare()
                    ended = reduction.run_forked(partial(_run, arguments), work, self.limits, environment)
                else:  # -P: modules are not looked for among the files that are scanned
                    command = [sys.executable, "-P", "-m", "pyrograph", *arguments]
                    ended = reduction.run_command(command, work, self.limits, environment)
            return reduction.failures_of(ended, report)

    def _written(self, program: Program) -> _Candidate:
        return _Candidate(program, self.scratch / "candidate")


def _run(arguments: list[str]) -> int:
    """Run the command line in this process, which was forked for it, up to the first internal error."""
    from pyrograph.cli import run

    return run(arguments, Attempt(on_error=_raise))


def _raise(error: BaseException) -> NoReturn:
    raise error


class _Candidate:
    """A directory that holds a program while a ``with`` block runs."""

    def __init__(self, program: Program, folder: Path) -> None:
        self.program = program
        self.folder = folder

    def __enter__(self) -> Path:
        from pyrograph.scanner.reduce import write

        self.folder.mkdir()
        write(self.program, self.folder)
        return self.folder

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder)


def _asked(words: Sequence[str]) -> Asked:
    """The command, understood as its own command line would."""
    rest = list(words)
    if rest and Path(rest[0]).name == "pyrograph":
        rest = rest[1:]
    if not rest or rest[0] not in COMMANDS:
        raise Refusal("COMMAND must be `pyrograph scan ...` or `pyrograph explain ...`")
    name, *given = rest
    command = COMMANDS[name]
    context = command.make_context(name, given)
    values = context.params
    typed = {
        parameter
        for parameter in values
        if context.get_parameter_source(parameter) is click.core.ParameterSource.COMMANDLINE
    }
    for parameter, reason in UNUSABLE.items():
        if parameter in typed:
            raise Refusal(f"{reason}; leave it out")
    ends: list[tuple[Path, int]] = [values[end] for end in ("source", "sink") if name == "explain"]
    settled = {each: value for each, value in values.items() if each not in ("source", "sink", "vulnerability")}
    if ends:
        settled["paths"] = paths_with(values["paths"], (ends[0][0], ends[1][0]))
    options, config = settings(**settled)
    return Asked(
        name=name,
        options=list(_rebuilt(command, values, typed - REPLACED)),
        formats=[output.format for output in values.get("formats", ())] or (["text"] if name == "scan" else []),
        scanned=options,
        paths=[_relative(path, options.root) for path in (settled["paths"] or (Path(),))],
        ends=[(_relative(path, options.root), line) for path, line in ends],
        config=config.path,
    )


def _relative(path: Path, root: Path) -> str:
    relative = path.resolve().relative_to(root).as_posix()
    return "" if relative == "." else relative


def _rebuilt(command: click.Command, values: dict[str, Any], wanted: set[str]) -> Iterator[str]:
    """The options of a command line, written out again; files in absolute form."""
    for parameter in command.params:
        if not isinstance(parameter, click.Option) or parameter.name not in wanted:
            continue
        value = values[parameter.name]
        if parameter.is_flag:
            yield (parameter.opts if value else parameter.secondary_opts)[-1]
            continue
        for each in value if isinstance(value, tuple) else (value,):
            yield parameter.opts[-1]
            yield str(each.resolve()) if isinstance(each, Path) else str(each)


def _program(asked: Asked) -> Program:
    """The files that the command reads: sources, templates, manifests, ignore files, the configuration."""
    from pyrograph.parsers import manifests
    from pyrograph.scanner.files.discover import discover
    from pyrograph.scanner.reduce import Program

    root = asked.scanned.root
    with refusing():
        found = discover(asked.scanned)
    files = {file.path: Path(file.absolute) for file in found.files} | {
        path: Path(absolute) for path, absolute in {**found.templates, **found.declaring}.items()
    }
    directories = {""}
    for path in list(files):
        parts = path.split("/")[:-1]
        directories.update("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    for directory in directories:
        for name in (*manifests(), *IGNORE_FILES):
            path = f"{directory}/{name}" if directory else name
            files[path] = root / path
    if asked.config is not None and asked.config.is_relative_to(root):
        files[asked.config.relative_to(root).as_posix()] = asked.config
    texts: dict[str, bytes] = {}
    for path, absolute in sorted(files.items()):
        if absolute.is_file():
            with refusing():
                texts[path] = absolute.read_bytes()
    return Program(texts, tuple(_marks(texts, asked.ends)))


def _marks(texts: dict[str, bytes], ends: Iterable[tuple[str, int]]) -> Iterator[Mark]:
    from pyrograph.scanner.reduce import Mark

    for path, line in ends:
        lines = texts.get(path, b"").split(b"\n")
        if not 1 <= line <= len(lines):
            raise Refusal(f"{path}:{line}: there is no such line in what is scanned")
        text = lines[line - 1]
        yield Mark(path, sum(len(each) + 1 for each in lines[: line - 1]) + len(text) - len(text.lstrip()))
