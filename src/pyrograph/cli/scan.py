"""``pyrograph scan``: options to a ``ScanOptions``, a report to outputs, findings to an exit code."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyrograph.cli.attempt import become, fault_policy, mark_stage, on_error, this_attempt
from pyrograph.cli.errors import CLEAN, FINDINGS, INCOMPLETE, REFUSED, Refusal, complain, refusing
from pyrograph.cli.given import Given, decisions_of, options_of, rules_for
from pyrograph.cli.output import Output, OutputType, check_outputs, write_reports
from pyrograph.cli.progress import progress_bar
from pyrograph.cli.remote import SHARED_KEY, remote_of
from pyrograph.cli.shared import AT_LEAST_ONE, EXISTING, FILE, NEW_FILE, SEVERITY, names, reading
from pyrograph.cli.supervise import WRITING, Attempt, supervised
from pyrograph.model.finding import Report
from pyrograph.model.vulnerability import CONFIDENCES, PROFILES, SEVERITIES, Severity
from pyrograph.model.words import plural
from pyrograph.parsers import has_languages_from_outside
from pyrograph.policy.limits.explanation import DEFAULT_MAX_TRACES
from pyrograph.report import FORMATS
from pyrograph.scanner.faults import fault_of
from pyrograph.scanner.inputs import Inputs, read_inputs
from pyrograph.scanner.options import Revisions, ScanOptions
from pyrograph.scanner.report_cache import ReportCache
from pyrograph.scanner.roots import common_directory
from pyrograph.scanner.stages import FaultPolicy
from pyrograph.userfolder import cache_folder as report_cache_folder  # the tests replace it here

if TYPE_CHECKING:
    from pyrograph.scanner.config import Config
    from pyrograph.scanner.triage.decisions import Compare, Hide
    from pyrograph.scanner.triage.revisions import States

FAIL_ON: Severity = "medium"
# Options about reports and exit codes: commands that write no report do not have them.
ABOUT_REPORTS = frozenset(
    {"formats", "output", "color", "stats", "quiet", "verbose", "show_paths", "fail_on", "exit_zero", "strict"}
    | {"allow_empty", "write_baseline", "include_suppressed", "category", "fixes"}
)


def settings(**typed: Any) -> tuple[ScanOptions, Config]:
    """Options for a command that has only some of those of ``scan``; the others are not given."""
    return options_of(Given.typed(defaults() | typed))


@click.command()
@click.argument("paths", nargs=-1, type=EXISTING)
@click.option(
    "-f",
    "--format",
    "formats",
    multiple=True,
    type=OutputType(),
    help=f"Report format, written to FILE or to standard output; repeatable. One of {', '.join(FORMATS)}. [text]",
)
@click.option("-o", "--output", type=NEW_FILE, help="File for the one --format that names none.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colours. [auto]")
@click.option("--stats", is_flag=True, help="Show the time of each stage, and sizes.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing if there is no finding.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Print which configuration is used, and list the parts that did not parse and all checks of a path.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an internal error.")
@names(
    "--select", "RULES", "Only these rules: language/vulnerability or vulnerability; separated by commas, repeatable."
)
@names("--ignore", "RULES", "Leave out these rules; wins over --select; separated by commas, repeatable.")
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    help="Rules to report: those whose findings usually need a fix, or all for an audit. [default]",
)
@click.option("--severity", type=SEVERITY, help="Lowest severity to report. [low]")
@click.option("--confidence", type=click.Choice(CONFIDENCES), help="Lowest confidence to report. [high]")
@names(
    "--threat-model",
    "WORDS",
    "Taint kinds (page, internal, response, llm, db, file, env, cli, stdin, library) and parties (same-user, account, "
    "operator, local) to switch on, or all.",
)
@reading
@click.option("--fail-on", type=SEVERITY, help="Lowest severity that makes the exit code 1. [medium]")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option("--strict", is_flag=True, help="Exit with 3 if something was not analysed.")
@click.option("--allow-empty", is_flag=True, help="Exit with 0 if there is nothing to analyse.")
@click.option("--baseline", type=FILE, help="Report only findings that are not in this file.")
@click.option("--write-baseline", type=NEW_FILE, help="Write the current findings to this file and exit with 0.")
@click.option(
    "--triage", "marks", type=FILE, help="File of marks: findings marked false count no more. [pyrograph-triage.json]"
)
@click.option(
    "--changed-since",
    metavar="REF",
    help="Report only findings that are new since the current branch left this git revision.",
)
@click.option("--require-reason", is_flag=True, help="Suppression comments without a reason suppress nothing.")
@click.option(
    "--accept-comment",
    type=click.Choice(["nosec", "nosemgrep"]),
    multiple=True,
    help="Also accept suppression comments of this other tool; repeatable.",
)
@click.option("--include-suppressed", is_flag=True, help="Include suppressed findings in SARIF, marked as suppressed.")
@click.option("--category", metavar="NAME", help="Category of a SARIF upload.")
@click.option("--fixes", is_flag=True, help="Include verified fixes in SARIF and JSON; verifying them takes scans.")
@click.option(
    "--unknown-calls",
    type=click.Choice(["pass", "block"]),
    help="Whether unknown calls return the taint of their arguments. [pass]",
)
@click.option("--max-depth", type=AT_LEAST_ONE, help="Longest path to search. [no limit]")
@click.option("--max-sources", type=AT_LEAST_ONE, help=f"Sources listed per finding. [{DEFAULT_MAX_TRACES}]")
@click.option(
    "--show-paths",
    type=AT_LEAST_ONE,
    metavar="N",
    help="Paths per finding in the text report, one per source. [1]",
)
@click.option("--jobs", type=AT_LEAST_ONE, help="Worker processes. [as many as CPUs may be used]")
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Dask cluster that lowers files and infers models of libraries, where there is much to do (extra `fleet`).",
)
@click.option(
    "--shared-cache",
    metavar="URL",
    help=f"Units that machines share, where fsspec finds them; signed with {SHARED_KEY} (extra `shared-cache`).",
)
@click.option(
    "--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", help="Device to search on. [auto]"
)
def scan(**typed: Any) -> int:
    """Scan PATHS, files and directories; the current directory if none is given.

    Files that are named are scanned even if they are ignored.
    """
    given = Given.typed(typed)
    since = given.triage.changed_since
    return run_scan(given, None if since is None else Revisions(since))


def run_scan(given: Given, revisions: Revisions | None = None) -> int:
    """Scan, write the reports, and return the exit code; ``revisions``: report what is new between two states."""
    outputs = _outputs(given)
    if revisions is None:
        return _run_scan(given, outputs)
    from pyrograph.scanner.triage.repository import RevisionError
    from pyrograph.scanner.triage.revisions import states_of

    files = given.files
    with ExitStack() as stack:
        with refusing():
            states = stack.enter_context(states_of(revisions, files.root or common_directory(files.paths or (Path(),))))
            if revisions.head:
                paths = tuple(states.place(path) for path in files.paths or (Path(),))
                root = None if files.root is None else states.place(files.root)
                given = replace(given, files=replace(files, paths=paths, root=root))
        try:
            return _run_scan(given, outputs, states)
        except RevisionError as error:
            raise Refusal(str(error)) from None


def _run_scan(given: Given, outputs: tuple[Output, ...], states: States | None = None) -> int:
    from pyrograph.scanner.triage.decisions import decided

    options, config = options_of(given)
    if given.display.verbose:
        complain(f"configuration: {config.path}" if config.path else "configuration: none")
    held = decisions_of(given, options, config)
    result = _scan(options, given)
    if given.display.verbose and result.from_cache:
        complain("report: from the cache, because nothing changed")
    compare = None if states is None else _comparison(given, options, states)
    report = decided(result.report, held, options, compare)
    if given.display.fixes:
        from pyrograph.cli.fixes import with_fixes

        report = with_fixes(report, options, fault_policy(debug=given.display.debug))
    mark_stage(WRITING)
    unwritten = write_reports(
        outputs,
        report,
        color=given.display.color,
        quiet=given.display.quiet,
        stats=given.display.stats,
        max_paths=given.display.show_paths,
        verbose=given.display.verbose,
        environ=dict(os.environ),
        prefix=_prefix(options.root),
        category=given.display.category,
        include_suppressed=given.display.include_suppressed or None,
    )
    for output, error in unwritten:
        if (show := on_error(debug=given.display.debug)) is not None:
            show(error)
        complain(f"no report: {fault_of(f'report {output.format}', error)}; please report it")
    if not unwritten:
        result.keep()
    to_terminal = any(output.path is None and FORMATS[output.format].for_people for output in outputs)
    if not (given.display.quiet or to_terminal):
        complain(_summary(report))
    if faults := sum(problem.kind == "internal-error" for problem in report.problems):
        complain(
            f"incomplete: {plural(faults, 'internal error')}; the report lists what was not analysed; "
            "this is a fault of pyrograph, not of your code: please report it"
        )
    return REFUSED if unwritten else _exit_code(report, given, config.fail_on)


def _comparison(given: Given, options: ScanOptions, states: States) -> Compare:
    """Leaves what is new since the other state, which is scanned with the same options and cached."""

    def compare(report: Report, hide: Hide) -> Report:
        def earlier(options: ScanOptions) -> Report:
            before = _scan(options, given)
            before.keep()
            return hide(before.report)

        return states.compared(report, options, earlier)

    return compare


def _outputs(given: Given) -> tuple[Output, ...]:
    outputs = given.display.formats or (Output("text", None),)
    if given.display.output is not None:
        unplaced = [output for output in outputs if output.path is None]
        if len(unplaced) != 1:
            raise Refusal(
                "--output belongs to the one --format without a file; write --format NAME:FILE for the others"
            )
        outputs = tuple(Output(each.format, each.path or given.display.output) for each in outputs)
    check_outputs(outputs)
    return outputs


@dataclass(frozen=True, slots=True)
class _Scanned:
    report: Report  # before triage
    cache: ReportCache | None = None  # where it should be kept
    from_cache: bool = False

    def keep(self) -> None:
        """Write the report to the cache, where it belongs there; without enough memory, it is not kept."""
        if self.cache is not None:
            with suppress(MemoryError):
                self.cache.write(self.report)


def _scan(options: ScanOptions, given: Given) -> _Scanned:
    """The report of a scan, from the cache where nothing changed."""
    policy = fault_policy(debug=given.display.debug)
    folder = _report_folder(options, given, policy)
    if folder is None:
        return _Scanned(_fresh(options, given, policy, None))
    mark_stage("discover")
    inputs = read_inputs(options)
    try:
        cache = ReportCache(folder, options, inputs)
    except (OSError, ValueError):  # a rule file that cannot be read: the scan says which
        return _Scanned(_fresh(options, given, policy, inputs))
    known = cache.read()
    if known is not None:
        return _Scanned(known, from_cache=True)
    return _Scanned(_fresh(options, given, policy, inputs), cache)


def _report_folder(options: ScanOptions, given: Given, policy: FaultPolicy) -> Path | None:
    """The folder with reports of earlier scans, for a scan that may be answered from it.

    What measures or checks the stages needs them to run, and so does a request for one device. A scan that starts again
    after a crash may return less. A program that registers languages is not known to the cache, and neither is the
    source of libraries.
    """
    if (
        given.display.stats
        or options.verify
        or options.device == "cuda"
        or options.dependencies != "packs"
        or policy != FaultPolicy()
        or has_languages_from_outside()
    ):
        return None
    return report_cache_folder()


def scanned(options: ScanOptions, given: Given) -> Report:
    """The report of a scan before triage, for other commands; watched as ``scan`` is."""

    def work(attempt: Attempt) -> Report:
        become(attempt)
        found = _scan(options, given)
        found.keep()
        return found.report

    attempt = this_attempt()
    return work(attempt) if attempt.is_watched else supervised(work)


def defaults() -> dict[str, Any]:
    """The options of ``scan`` as they are without any on the command line."""
    absent: dict[str, Any] = {parameter.name or "": None for parameter in scan.params}
    return absent | scan.make_context("scan", [], resilient_parsing=True).params


def _fresh(options: ScanOptions, given: Given, policy: FaultPolicy, inputs: Inputs | None) -> Report:
    from pyrograph import scanner

    stage = ""
    try:
        with progress_bar(wanted=not given.display.quiet) as shown:

            def progress(name: str, done: int, total: int) -> None:
                nonlocal stage
                if name != stage:
                    stage = name
                    mark_stage(name)
                if shown is not None:
                    shown(name, done, total)

            remote = remote_of(given)
            rules = partial(rules_for, options)
            return scanner.scan(options, rules, progress, policy, inputs=inputs, remote=remote)
    except RuntimeError as error:
        from pyrograph.kernels.errors import BackendError  # imports NumPy, which can wait until workers are busy

        if not isinstance(error, BackendError):
            raise
        # --device names one that cannot run here
        raise Refusal(f"{error}; `pyrograph doctor` shows what was found") from None


def _prefix(root: Path) -> str:
    """Where the root lies in its repository: formats that a repository's host reads start their paths there."""
    from pyrograph.scanner.roots import find_repository

    repository = find_repository(root)
    return root.relative_to(repository).as_posix() if repository and repository != root else ""


def _summary(report: Report) -> str:
    parts = [plural(len(report.findings), "finding")]
    if report.suppressed:
        parts.append(f"{len(report.suppressed)} suppressed")
    if report.problems:
        parts.append(plural(len(report.problems), "problem"))
    return f"{', '.join(parts)} in {plural(report.statistics.files, 'file')}"


def _exit_code(report: Report, given: Given, configured: Severity | None) -> int:
    """Findings speak before incompleteness: they are what someone has to act on."""
    if not report.statistics.files and any(problem.kind == "internal-error" for problem in report.problems):
        complain("nothing was analysed: every file was left out after an internal error")
        return REFUSED
    if not report.statistics.files and (cut := [each for each in report.problems if each.kind == "limit"]):
        more = f" (and {plural(len(cut) - 1, 'other problem')})" if len(cut) > 1 else ""
        complain(f"nothing was analysed: {cut[0].path}: {cut[0].message}{more}")
        return REFUSED
    if not report.statistics.files and not given.triage.allow_empty:
        skipped = ", ".join(f"{count} {reason}" for reason, count in report.statistics.skipped.items())
        left_out = f" (left out: {skipped})" if skipped else ""
        complain(
            f"nothing to analyse: no file in Python, JavaScript, TypeScript or Go{left_out}; "
            "name a file on the command line to scan it in any case, or accept this with --allow-empty"
        )
        return REFUSED
    limit = SEVERITIES.index(given.triage.fail_on or configured or FAIL_ON)
    if not given.triage.exit_zero and any(SEVERITIES.index(finding.severity) >= limit for finding in report.findings):
        return FINDINGS
    if given.triage.strict and (cut := [problem for problem in report.problems if problem.incomplete]):
        complain(f"incomplete: {plural(len(cut), 'problem')}, see the report; the exit code is 3 because of --strict")
        return INCOMPLETE
    return CLEAN
