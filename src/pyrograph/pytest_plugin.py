"""The pytest plugin: the fixture ``assert_no_new_findings``. Loading it imports nothing of pyrograph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyrograph import Result


@pytest.fixture
def assert_no_new_findings(pytestconfig: pytest.Config) -> Callable[..., Result]:
    """``pyrograph.assert_no_new_findings``, with paths relative to pytest's root directory.

    Without paths, the root directory is scanned.
    """
    root = pytestconfig.rootpath

    def check(*paths: Any, **options: Any) -> Result:
        __tracebackhide__ = True
        import pyrograph

        for name in ("baseline", "triage"):
            if options.get(name) is not None:
                options[name] = root / options[name]
        return pyrograph.assert_no_new_findings(*(root / path for path in paths or (root,)), **options)

    return check
