"""What names in a configuration, on the command line or in an editor's settings choose: taint kinds and rules.

A name that means nothing is refused: a typing error must not hide findings.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from pyrograph.scanner.options import ScanOptions

if TYPE_CHECKING:
    from pyrograph.rules import Rules


def kinds_of(names: Sequence[str]) -> frozenset[str]:
    """The taint kinds and parties that the names of a threat model switch on.

    Raises:
        ValueError: A name is neither; the message lists those that are.
    """
    if not names:
        return frozenset()
    from pyrograph.rules.kinds import KINDS, KINDS_OF_PARTIES, OPTIONAL_KINDS, PARTIES

    for name in names:
        if name != "all" and name not in KINDS and name not in PARTIES:
            known = ", ".join((*OPTIONAL_KINDS, *PARTIES))
            raise ValueError(f"unknown taint kind or party {name!r} in the threat model; choose from {known}, all")
    if "all" in names:
        return frozenset((*OPTIONAL_KINDS, "account", "operator"))
    return frozenset(kind for name in names for kind in (name, *KINDS_OF_PARTIES.get(name, ())))


def rules_for(
    options: ScanOptions, languages: Collection[str], load: Callable[[Collection[str]], Rules] | None = None
) -> Rules:
    """The rules of some languages, once every name in select and ignore is known to be one.

    ``load``: returns the rules of these languages and options, where the caller has them already.

    Raises:
        ValueError: A name is none, or a rule file cannot be used; notes of the exception have further faults.
        OSError: A rule file cannot be read.
    """
    from pyrograph.model.languages import rule_languages
    from pyrograph.rules import load_rules

    rules = load(languages) if load else load_rules(languages, options.rule_paths, unverified=options.unverified)
    for option, name in (
        *(("select", each) for each in options.select),
        *(("ignore", each) for each in options.ignore),
    ):
        language, _, vulnerability = name.rpartition("/")
        if vulnerability not in rules.vulnerabilities or (language and language not in rule_languages()):
            import difflib

            close = difflib.get_close_matches(vulnerability, rules.vulnerabilities, n=1)
            remedy = f"did you mean '{close[0]}'?" if close else "see `pyrograph rules list`"
            raise ValueError(
                f"unknown rule {name!r} in --{option} or the key '{option}' of the configuration; {remedy}"
            )
    return rules
