"""Paths of the site that a framework makes of a route: ``reverse("issue", args=[number])`` begins with ``/issue/``.

A path that is made of arguments is more than a slash, so that a text behind it names no host. ``reverse("start")``
may be ``/``, and ``//host`` is another site.
"""

from __future__ import annotations

from typing import Final

from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import CALL_OP

SITE_PATH: Final = "'/x"  # a constant that stands for any such path
NOTHING: Final = ("null", "undefined")


def is_site_path(facts: Facts, value: int) -> bool:
    """Whether ``value`` is the result of a call that packs say to return such a path (``[type] site_paths``)."""
    rep = facts.rep[value]
    if facts.op[rep] != CALL_OP:
        return False
    call = facts.data[rep]
    roles = facts.apis[facts.language(rep)].roles if facts.language(rep) in facts.apis else {}
    ports = [port for node in facts.calls.apis_of.get(call, ()) if node in roles for port in roles[node].site_paths]
    return any(is_given(facts, call, port) for port in ports)


def is_given(facts: Facts, call: int, port: Port | None) -> bool:
    """Whether something stands at ``port``; without a port, at a keyword that is no setting (``_external``)."""
    if port is not None:
        rows = facts.args.at(call, port)
    else:
        keywords = [(row, facts.arg_keyword[row]) for row in facts.args.of(call)]
        strings = facts.program.strings
        rows = [row for row, keyword in keywords if keyword >= 0 and not strings[keyword].startswith("_")]
    return any(facts.constant(facts.arg_value[row]) not in NOTHING for row in rows)
