"""What a scan looks for, where there is more than fits into one search."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy.limits.rules import MAX_VULNERABILITIES
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.selection import searched

OPTIONS = ScanOptions(paths=(), root=Path())


def with_own(count: int) -> dict[str, Vulnerability]:
    """The built-in vulnerabilities, and so many of a user that every profile reports."""
    built_in = load_rules(("python",)).vulnerabilities
    own = replace(built_in["cookie-injection"], profile="default")
    return {**built_in, **{f"own-{number}": replace(own, id=f"own-{number}") for number in range(count)}}


def free() -> int:
    """How many a user can add until something of the other profiles is left out."""
    return MAX_VULNERABILITIES - sum(each.bits for each in with_own(0).values())


def test_all_profiles_are_looked_for_where_they_fit() -> None:
    assert searched(OPTIONS, with_own(free()), ["python"]) == list(with_own(free()).values())


def test_profiles_that_are_not_reported_make_room() -> None:
    everything = with_own(free() + 1)
    found = searched(OPTIONS, everything, ["python"])
    assert {each.id for each in everything.values()} - {each.id for each in found} == {
        each.id for each in everything.values() if each.profile == "audit"
    }


@pytest.mark.parametrize("options", [replace(OPTIONS, profile="audit"), OPTIONS])
def test_what_is_reported_and_does_not_fit_is_refused(options: ScanOptions) -> None:
    with pytest.raises(ValueError, match="more than 62 vulnerabilities and aspects are looked for"):
        searched(options, with_own(free() + (1 if options.profile == "audit" else 40)), ["python"])


def test_a_choice_of_rules_makes_room() -> None:
    chosen = replace(OPTIONS, select=("own-0", "mass-assignment"), profile="audit")
    assert {each.id for each in searched(chosen, with_own(60), ["python"])} == {"own-0", "mass-assignment"}
