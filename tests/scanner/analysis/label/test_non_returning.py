"""Which functions do not return because of what they call first."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("web.stop()", 2),
        ("print(x)\n    web.stop()", 2),
        ("x or web.stop()", 1),
        ("if x:\n        web.stop()", 1),
        ("try:\n        web.stop()\n    except E:\n        pass", 1),
    ],
)
def test_a_function_that_begins_with_such_a_call_does_not_return(body: str, count: int) -> None:
    """``count``: of the call in the function, and that of the function."""
    code = f"import web\ndef fail(x):\n    {body}\nfail(1)\n"
    assert len(labelled(code, '[type]\nnever = ["web.stop"]\n').labels.non_returning) == count
