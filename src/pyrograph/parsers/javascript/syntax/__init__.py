"""The JavaScript and TypeScript front end: tree-sitter's syntax in the builder's words.

* ``this`` is an ordinary variable: the receiver parameter of every function that is no arrow, captured by arrows.
* A class's instance fields are stores into ``this`` at the start of its constructor, made up where there is none.
* ``await v`` is ``v``, and an async function returns what it returns: a promise and its value are one.
* Types are read where they name something: parameters, variables, fields and results are declared to be instances of
  what their type's name resolves to; everything else about types is skipped without a look.
* ``module`` and ``exports`` are objects of the module; ``module.exports`` at its end is the export of that name.

``var`` and function declarations are hoisted; names that nested functions assign are found by one query beforehand.

The methods of a front end stand in layers, each a class that knows only those before it: ``fields``, ``names``,
``expressions``, ``compiled``, ``borrowed``, ``calls``, ``assignments``, ``statements``, ``functions``, ``modules``.
"""

from pyrograph.parsers.javascript.syntax.javascript import JavaScript
from pyrograph.parsers.javascript.syntax.typescript import Tsx, TypeScript

__all__ = ["JavaScript", "Tsx", "TypeScript"]
