"""The Go front end.

What holds of a lowered Go file:

* ``&x``, ``*p`` and ``x`` are one value. A store through a pointer makes a new state of the object, which every name
  bound to it sees; ``*p = v`` makes ``v`` the state of whatever ``p`` points to.
* A function that returns several values returns one container with the keys ``"0"``, ``"1"``, …; where a call's results
  are taken apart, the call says ``MULTI`` and the results are loads. A single-valued use takes the result itself.
* A channel, and whatever a ``range`` runs over, is an object whose elements are under ``UNKNOWN_KEY``.
* ``x == nil`` is the truth of ``x``, inverted: "this error is nil" and "this call did not fail" are one.
* A function whose last result is an ``error`` or a ``bool`` leaves by true or false exits, as that result is.
* Package-level names know no order: declarations are lowered before functions' bodies; names that other files may
  define stay ``GLOBAL``.

Types are read only as far as the names in them go: declared types of variables, parameters, fields and results become
``types`` rows. What the elements of a slice or map are is looked up in this file, because elements have no declaration
of their own.

``Go`` is one front end; its methods stand in layers, each a class that knows only those before it: ``fields``,
``names``, ``types``, ``expressions``, ``calls``, ``assignments``, ``statements``, ``loops``, ``iterators``,
``functions``.
"""

from pyrograph.parsers.go.syntax.functions import Go
from pyrograph.parsers.go.syntax.names import package_name

__all__ = ["Go", "package_name"]
