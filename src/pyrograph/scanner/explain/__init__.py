"""Explanation: hits become findings with a path that a person can follow, step by step.

``Explainer`` is one object; its words stand in layers, each a class that knows only those above it in this list:

* ``texts``: source texts and places in them; ``confidence``: how likely it is that a path is real;
* ``ways``: the edges of a path, those inside the callees that it passes included;
* ``checks``: what on a way makes it doubtful; ``handed``: whether a way calls what its own calls handed over;
* ``steps``: what a reader is shown of a way;
* ``findings``: one finding for each rule and place, with the confidence that its best way deserves.
"""

from pyrograph.scanner.explain.findings import Explainer, explain
from pyrograph.scanner.explain.texts import Texts

__all__ = ["Explainer", "Texts", "explain"]
