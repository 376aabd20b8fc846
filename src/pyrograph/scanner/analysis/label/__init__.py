"""Labels: which values are sources, sinks, sanitized or guarded, and how calls of modelled APIs move data.

Entries of the rules are looked up by resolved API, once for each call. Their conditions are evaluated on constants,
types and argument shapes that are known after resolution. The result refers to values only; ``assemble`` builds the
graph from it.

``labels`` is the result. ``facts`` is the state that the modules share; it is composed of the classes in ``indexes``
and ``wanted``. ``conditions`` decides whether an entry applies, by ``literals`` (constant texts, values under a key),
``object_uses`` (methods called on an object) and ``value_types``. The chapters ``values``, ``class_fields``,
``decorated_fields``, ``schemas``, ``functions``, ``calls``, ``assignments``, ``guards`` and ``field_guards`` assign
roles, in the order in which ``roles`` runs them; ``clean_types`` finds values whose type holds no text of an attacker.
``pages`` is about calls that render an HTML template, ``formats`` about texts that are filled in away from where they
are written, ``patterns``, ``admitted`` and ``captured`` about constant regular expressions, ``chop`` about values that
matter at all. ``route_schemas`` has parts of its own, ``schema_wrappers`` and ``handler_checks``, which asks
``handler_ways``; ``stored_uploads`` knows the names of stored files. ``checked_parts`` is about values that a check
was given as parts, ``key_names`` about computed keys that are one of a few names.

``guards`` has parts of its own: ``guard_checks`` compares conditions with the guards of the rules, ``subset_checks``
those that ask about all elements of a collection, unless it is a table (``table_uses``),
``unmodelled_checks`` recognises checks that no rule describes, ``telling`` finds the functions that ask something of a
text, ``formal`` the checks of libraries that prove the form of a value only, ``rounds`` the loops that test a text one
character at a time, ``tested_characters`` the characters for which a condition holds, and ``text_origins`` answers from
which values a tested text was made. ``field_guards`` has ``field_masks``, which goes back through the versions of an
object to its checks, ``field_links`` for where these versions come from, ``element_checks`` for loops over
collections, and ``call_links`` for what calls bind and return.
"""

from pyrograph.scanner.analysis.label.functions import LIBRARY
from pyrograph.scanner.analysis.label.labels import DataFlow, Labels, SinkRole, SourceRole
from pyrograph.scanner.analysis.label.roles import label

__all__ = ["LIBRARY", "DataFlow", "Labels", "SinkRole", "SourceRole", "label"]
