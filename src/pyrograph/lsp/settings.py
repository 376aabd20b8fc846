"""The settings that an editor sends: read, checked, and laid over the project's configuration.

A workspace may bring settings of its own. So they come from the scanned code, as a configuration does, and can do no
more than that: choose what is reported. None of them names a program or a file outside the folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from pyrograph.model.vulnerability import CONFIDENCES, PROFILES, SEVERITIES, Confidence, Profile, Severity
from pyrograph.policy.limits.editor import DEBOUNCE_SECONDS

SECTION = "pyrograph"
Run = Literal["onType", "onSave"]
RUNS: tuple[Run, ...] = ("onType", "onSave")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user can set; None: as the project's configuration says."""

    enabled: bool = True
    run: Run = "onType"  # when unsaved text is analysed: after each pause, or when something is saved
    debounce: float = DEBOUNCE_SECONDS  # seconds without an edit before a scan
    profile: Profile | None = None
    severity: Severity | None = None
    confidence: Confidence | None = None
    threat_model: tuple[str, ...] = ()  # beside those of the configuration
    baseline: str = ".pyrograph-baseline.json"  # relative to the folder or the scan root; used where it is there
    code_lens: bool = True
    reasons: tuple[str, ...] = ("false positive", "the data is trusted", "accepted risk")  # offered to suppress with
    jobs: int | None = None  # worker processes of a scan; as many as CPUs may be used


class _Wrong(ValueError):
    """A value that cannot be used; the message says what is wanted."""


def _switch(value: object) -> bool:
    if not isinstance(value, bool):
        raise _Wrong("true or false is wanted")
    return value


def _choice(*choices: str) -> Callable[[object], str | None]:
    def read(value: object) -> str | None:
        if value in (None, ""):
            return None
        if not isinstance(value, str) or value not in choices:
            raise _Wrong(f"choose one of {', '.join(choices)}")
        return value

    return read


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise _Wrong("a list of texts is wanted")
    return tuple(value)


def _text(value: object) -> str | None:
    if not isinstance(value, str):
        raise _Wrong("a text is wanted")
    return value or None


def _milliseconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 60_000:
        raise _Wrong("a number of milliseconds from 0 to 60000 is wanted")
    return value / 1000


def _count(value: object) -> int | None:
    if value is None or value == 0:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _Wrong("a whole number from 1 is wanted, or 0 for as many as there are CPUs")
    return value


KEYS: Mapping[str, tuple[str, Callable[[object], object]]] = {  # as editors name them -> field and reader
    "enabled": ("enabled", _switch),
    "run": ("run", _choice(*RUNS)),
    "debounce": ("debounce", _milliseconds),
    "profile": ("profile", _choice(*PROFILES)),
    "severity": ("severity", _choice(*SEVERITIES)),
    "confidence": ("confidence", _choice(*CONFIDENCES)),
    "threatModel": ("threat_model", _texts),
    "baseline": ("baseline", _text),
    "codeLens": ("code_lens", _switch),
    "suppressReasons": ("reasons", _texts),
    "jobs": ("jobs", _count),
}
OF_CLIENTS = frozenset({"path", "trace"})  # keys that clients read themselves


def read_settings(given: object, base: Settings | None = None) -> tuple[Settings, list[str]]:
    """Settings from what an editor sent, over ``base``; and one sentence for each value that cannot be used.

    >>> settings, faults = read_settings({"run": "onSave", "severity": "worst"})
    >>> settings.run, settings.severity, faults
    ('onSave', None, ['pyrograph.severity: choose one of low, medium, high, critical'])
    """
    settings = base or Settings()
    faults: list[str] = []
    if given is None or given == []:  # as Lua writes an empty table
        return settings, faults
    if not isinstance(given, Mapping):
        return settings, [f"{SECTION}: an object with settings is wanted"]
    inner = given.get(SECTION)
    values: dict[str, Any] = {}
    for name, value in (inner if isinstance(inner, Mapping) else given).items():
        if name in OF_CLIENTS:
            continue
        if name not in KEYS:
            faults.append(f"{SECTION}.{name}: unknown setting; known are {', '.join(KEYS)}")
            continue
        field, read = KEYS[name]
        try:
            found = read(value)
        except _Wrong as error:
            faults.append(f"{SECTION}.{name}: {error}")
        else:
            values[field] = getattr(Settings(), field) if found is None else found
    return replace(settings, **values), faults
