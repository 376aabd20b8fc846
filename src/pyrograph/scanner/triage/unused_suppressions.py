"""Suppression comments that hide nothing: what to say of them, and which rule was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator

from pyrograph.model.languages import rule_id_of, rule_languages
from pyrograph.model.problem import Problem
from pyrograph.scanner.triage.suppression_comments import SuppressionComment


def unused_rules(comment: SuppressionComment, ran: Collection[str] | None, known: Collection[str]) -> Iterator[Problem]:
    """A problem for each rule that ``comment`` names and that hid nothing; one if it names none.

    ``ran``: names of the rules that ran, None if all did. ``known``: ids of vulnerabilities.
    """
    if not comment.rules:
        if not comment.used and ran is None:
            message = "`pyrograph: ignore` matches no finding; remove it"
            yield Problem("suppression", comment.path, comment.line, message)
    else:
        for rule in comment.rules:
            if rule not in comment.used and (ran is None or rule in ran):
                close = _misspelt(rule, known)
                remedy = f"did you mean `{close}`?" if close else "remove it"
                message = f"`pyrograph: ignore[{rule}]` matches no finding; {remedy}"
                yield Problem("suppression", comment.path, comment.line, message)


def _misspelt(rule: str, known: Collection[str]) -> str:
    """The rule id that ``rule`` was probably meant to be; "" if it is one, or resembles none."""
    language, slash, name = rule.rpartition("/")
    languages = rule_languages()
    close = [name] if name in known else difflib.get_close_matches(name, known, n=1)
    close_languages = [language] if not slash or language in languages else _language_like(language, languages)
    meant = f"{close_languages[0]}{slash}{close[0]}" if close and close_languages else ""
    return meant if meant != rule else ""


def _language_like(language: str, languages: Collection[str]) -> list[str]:
    """The language with rules that is meant: ``typescript`` has those of JavaScript."""
    shared = rule_id_of(language)
    return [shared] if shared in languages else difflib.get_close_matches(language, languages, n=1)
