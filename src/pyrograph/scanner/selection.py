"""Which findings the options of a scan report: by rule, severity, profile, confidence and party."""

from __future__ import annotations

from pyrograph.model.vulnerability import CONFIDENCES, PROFILES, SEVERITIES, Confidence, Party, Vulnerability
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
