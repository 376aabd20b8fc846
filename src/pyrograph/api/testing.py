"""For tests: an assertion that a program has no new findings."""

from __future__ import annotations

from typing import Unpack

from pyrograph.api.options import Options, PathLike
from pyrograph.api.result import Result
from pyrograph.api.scanning import scan
from pyrograph.model.vulnerability import Severity
from pyrograph.model.words import plural


def assert_no_new_findings(
    *paths: PathLike, changed_since: str | None = None, fail_on: Severity = "low", **options: Unpack[Options]
) -> Result:
    """Scan, and fail with the findings and their paths where there are any.

    New are findings that the ``baseline`` does not list; or, with ``changed_since``, those that a git revision does not
    have; or all.

    Args:
        paths: As ``scan`` takes them.
        changed_since: As ``scan`` takes it.
        fail_on: Lowest severity that fails.
        options: See ``Options``.

    Returns:
        The result, with findings below ``fail_on``.

    Raises:
        AssertionError: There are new findings.

    Other errors are those of ``scan``.
    """
    __tracebackhide__ = True
    result = scan(*paths, changed_since=changed_since, **options)
    if failing := result.at_least(fail_on):
        import dataclasses

        shown = Result(dataclasses.replace(result.report, findings=failing))
        raise AssertionError(f"{plural(len(failing), 'new finding')}\n\n{shown.to('text', color='never')}")
    return result
