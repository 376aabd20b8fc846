"""Labels: which values are sources, sinks, sanitized or guarded, and what calls of modelled APIs do with data.

Everything here is looked up by resolved API, once for each call; conditions of entries are evaluated on constants,
types and argument shapes that are known after resolution. The result names values only; ``assemble`` builds the graph
from it.

``labels`` is the result. ``facts`` is the state that the chapters share; it is composed of the classes in ``indexes``.
``conditions`` decides whether an entry applies. The chapters ``values``, ``functions``, ``calls``, ``assignments``,
``guards`` and ``rereads`` give roles, in the order in which ``roles`` runs them; ``pages`` is about calls that fill an
HTML template.
"""

from pyrograph.scanner.analysis.label.functions import LIBRARY
from pyrograph.scanner.analysis.label.labels import DataFlow, Labels, SinkRole, SourceRole
from pyrograph.scanner.analysis.label.roles import label

__all__ = ["LIBRARY", "DataFlow", "Labels", "SinkRole", "SourceRole", "label"]
