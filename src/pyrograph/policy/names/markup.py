"""Names of attributes of HTML whose values the browser, or a library in the page, runs as code."""

from __future__ import annotations

import re
from typing import Final

from pyrograph.policy.late import late

EVENT_ATTRIBUTES: Final = late(r"on[a-z]+$", re.IGNORECASE)
"""The attribute of an event, whose value browsers run: ``onclick``.

Means: what a template writes there is code. Escaped HTML does not help: the browser takes the escapes back
first.
Errs: an attribute of an element of the program's own that begins so (``<my-list only="...">``) makes false findings.
Measured: nothing.
"""
EVENT_TARGETS: Final = ("target",)
"""Members of an event that are the object which it happened to: ``event.target``.

Means: what answers a request of this object lies there in the functions that the object runs when the answer is there.
Errs: nothing known.
Measured: nothing.
"""
EXPRESSION_ATTRIBUTES: Final = late(
    r"(?:data-)?(?:x-(?!ref$|cloak$|ignore$|teleport$|transition|mask$)|v-(?!pre$|cloak$|once$)|ng-(?!app$|cloak$|non-bindable$)|hx-on)"
    r"|(?:v-bind|v-on|x-bind|x-on)?[:@](?=[a-z])|data-bind$|_$",
    re.IGNORECASE,
)
"""An attribute that a library in the page takes for an expression: ``x-data`` and ``@click`` of Alpine, ``v-if`` and
``:class`` of Vue, ``ng-init`` of AngularJS, ``hx-on:click`` of htmx, ``data-bind`` of Knockout, ``_`` of hyperscript.

Means: what a template writes there is code, as for ``EVENT_ATTRIBUTES``.
Errs: a page without such a library has false findings where it uses such a name for data of its own.
Measured: nothing.
"""
COMPILED_ATTRIBUTES: Final = late(r"(?:data-)?(?:v-(?!pre$)|ng-(?!non-bindable$))[a-z]", re.IGNORECASE)
"""An attribute that says that a library compiles the page as a template of its own from this element on, so that it
runs ``{{ }}`` in texts: ``v-if`` and ``v-cloak`` of Vue, ``ng-app`` and ``ng-repeat`` of AngularJS.

Means: what the server's template writes into texts inside of the element is code. Escaped HTML does not help: braces
stay.
Errs: a page that calls attributes of its own so has false findings; an element beside those with such attributes has
missed ones.
Measured: a page of a program of round 42 writes a table of stored rows into an element with ``v-cloak``: 6 places, all
judged true.
"""
LITERAL_ATTRIBUTES: Final = late(r"(?:data-)?(?:v-pre|ng-non-bindable)$", re.IGNORECASE)
"""An attribute that says that such a library leaves the element as it is.

Means: what is written inside of it is no code for this reason.
Errs: nothing known.
Measured: nothing.
"""
IDENTIFIERS: Final = late(r"(?:^|[_-])(?:id|pk|uu?id|guid|count|number|index|total)$|[a-z](?:Id|ID|Count)$")
"""The field of a record that identifies it, or counts something: ``item.id``, ``order.user_id``.

Means: where a template writes it into code, escaped, the finding has low confidence, because the program or the
database makes it.
Errs: a field of such a name that users write as a text has true findings at low confidence.
Measured: a template of a program of round 39 writes an identifier out of a row into ``onclick``: 8 findings, all false.
"""
CODE_TYPES: Final = late(r"(?:module|[\w/.-]*(?:script|babel|jsx)(?:\s*;.*)?)?", re.IGNORECASE)
"""The ``type`` of a script that is run, as against data and templates in a page (``application/ld+json``).

Means: what a template writes outside of the quotes of such a script is code.
Errs: other types that a library in the page runs have missed findings.
Measured: nothing.
"""
REFERENCE_MAKERS: Final = r"shallowRef|customRef|ref|toRefs?|storeToRefs|computed|inject|defineModel|use[A-Z]\w*"
"""Functions, as a pattern, whose results are references of Vue, which markup unwraps: ``ref()``, ``useNote()``.

Means: ``{{ note }}`` of a variable that such a call makes stands for ``note.value``.
Errs: a ``use`` function that returns no reference: a member that is called ``value`` is taken for the object.
Measured: nothing.
"""
