"""Explanation: hits become findings, each with paths that a person can follow step by step.

Layers; each knows only those above it in this list. ``Steps`` is a class over ``Checks`` over ``PathFinder``:

* ``texts``: source texts and places in them; ``confidence``: how likely it is that a path is real;
* ``paths``: the edges of a path, including those inside callees;
* ``checks``: checks on a path that no rule describes, over ``outcomes``: those that change nothing; ``callbacks``:
  whether a path enters a callback by the call that passed it;
* ``steps``: the steps of a path that a reader sees;
* ``uses``: how functions and checks are used; ``access_checks``, ``route_groups``: evidence from checks, and from what
  handlers are registered on, over ``asked_handler``: answers that depend on the handler;
* ``control_flow``: the basic blocks of functions, and the calls and conditions in them;
* ``callers``: whether code runs for certain users only, by the ``regions`` of functions and one of the ``questions``,
  about ``administrators`` or ``accounts``; ``registration``: whether visitors can make accounts;
* ``key_holders``: the same for who has the key that the operator set, over ``key_regions`` and ``operator_keys``;
  ``owner_login``, ``first_accounts``: whether the operator alone logs in;
* ``granted``: which permissions only administrators have; ``record_roles``: roles that records state beside handlers;
* ``refusals``: whether a function on the path asks another one about the value and goes on for some answers only;
  ``Asking``: what functions ask of their parameters, over ``address_questions``: what kind of network address they lead
  to, over ``subjects``: what values were made of;
* ``branches``: whether constants that calls pass exclude a branch that the path needs; ``possible_paths``: other paths;
* ``named_hosts``: checks that refuse hosts by name, and so say nothing of where a request goes;
* ``rating``: the confidence in a path, and who can send data along it;
* ``stated_methods``: which methods of HTTP calls state;
* ``stated_routes``, ``routing``: which routes calls and literals register handlers for, with the prefixes of groups;
  ``entries``: by which handlers and routes requests reach code;
* ``best_path``: which path to a sink a finding shows first, and the rating that the finding gets from it;
* ``arguments``: the findings of a call's arguments as one;
* ``findings``: one finding for each rule and call, with the confidence of its best path.

A module is imported when one of its names is asked for: a scan without hits needs ``Texts`` alone, and importing all
others takes a tenth of a scan of one file.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrograph.scanner.explain.findings import explain as explain
    from pyrograph.scanner.explain.rating import Rater as Rater
    from pyrograph.scanner.explain.steps import Steps as Steps
    from pyrograph.scanner.explain.texts import Texts as Texts

__all__ = ["Rater", "Steps", "Texts", "explain"]

_MODULES = {"Rater": "rating", "Steps": "steps", "Texts": "texts", "explain": "findings"}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = found
    return found
