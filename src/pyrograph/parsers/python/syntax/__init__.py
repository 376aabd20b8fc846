"""The Python front end: tree-sitter-python's syntax in the builder's words.

Assigning makes a name local; a class body's names are seen by nobody but the body itself; decorators are calls;
comprehensions are loops that fill a container. Names are read as late as Python reads them: a function's body is
lowered when the body around it is done.

``Python`` is one front end; its methods stand in layers, each a class that knows only those before it: ``texts``,
``expressions``, ``containers``, ``records``, ``calls``, ``assignments``, ``comprehensions``, ``matching``,
``statements``, ``definitions``.
"""

from pyrograph.parsers.python.syntax.definitions import Python

__all__ = ["Python"]
