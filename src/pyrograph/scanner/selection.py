"""Which findings the options of a scan report: by rule, severity, profile, confidence and party."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pyrograph.model.vulnerability import CONFIDENCES, PROFILES, SEVERITIES, Confidence, Party, Vulnerability
from pyrograph.policy.limits.rules import MAX_VULNERABILITIES
from pyrograph.scanner.options import ScanOptions


def selects(options: ScanOptions, rule_id: str) -> bool:
    """Whether ``rule_id`` ("<language>/<vulnerability>") is wanted by ``select`` and not refused by ``ignore``.

    >>> from pathlib import Path
    >>> options = ScanOptions(paths=(), root=Path(), select=("sql-injection",), ignore=("go/sql-injection",))
    >>> selects(options, "python/sql-injection"), selects(options, "go/sql-injection"), selects(options, "python/xss")
    (True, False, False)
    """
    names = {rule_id, rule_id.partition("/")[2]}
    return (not options.select or not names.isdisjoint(options.select)) and names.isdisjoint(options.ignore)


def searched(
    options: ScanOptions, vulnerabilities: Mapping[str, Vulnerability], languages: Collection[str]
) -> list[Vulnerability]:
    """The vulnerabilities that a scan of these languages looks for.

    Those of a profile that is not reported are looked for as well, so that the report says how many there are, unless
    all together have too many bits.

    Raises:
        ValueError: Those that are reported have too many.
    """
    wanted = [
        each for id, each in vulnerabilities.items() if any(selects(options, f"{name}/{id}") for name in languages)
    ]
    if sum(each.bits for each in wanted) > MAX_VULNERABILITIES and not options.select:
        top = PROFILES.index(options.profile)
        wanted = [each for each in wanted if PROFILES.index(each.profile) <= top]
    if sum(each.bits for each in wanted) > MAX_VULNERABILITIES:
        raise ValueError(
            f"more than {MAX_VULNERABILITIES} vulnerabilities and aspects are looked for, the built-in ones included; "
            "choose fewer with --select or --ignore"
        )
    return wanted


def options_for(
    options: ScanOptions, rule_id: str, vulnerability: Vulnerability, confidence: Confidence, party: Party = "remote"
) -> tuple[str, ...] | None:
    """What a finding needs that ``options`` do not have: none where it is reported, None where they exclude it.

    A rule that ``select`` names is reported whatever its profile.
    """
    severity = SEVERITIES.index(vulnerability.severity)
    if not selects(options, rule_id) or severity < SEVERITIES.index(options.severity):
        return None
    needed = []
    if not options.select and PROFILES.index(vulnerability.profile) > PROFILES.index(options.profile):
        needed.append(f"--profile {vulnerability.profile}")
    if CONFIDENCES.index(confidence) < CONFIDENCES.index(options.confidence):
        needed.append(f"--confidence {confidence}")
    if party not in ("remote", *options.threat_models):
        needed.append(f"--threat-model {party}")
    return tuple(needed)
