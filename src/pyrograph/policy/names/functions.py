"""Guesses from the names of functions: which ones check their argument, clean it, or do not return it."""

from __future__ import annotations

import re
from typing import Final

from pyrograph.policy.late import late

VALIDATOR_NAMES: Final = late(r"valid|verif|safe|check|allow|permit|trust|hmac|signature|legal|forbid|block", re.I)
"""A function whose result says whether its argument is as it should be: ``if is_valid(x)``.

Means: the arguments count as checked on one side of the condition. The path through that side is assumed, and its
confidence low.
Errs: a function so named that checks something else hides a true finding from the default report.
Measured: with ``LOOKUP_NAMES``, and with equality and membership in what is not constant, about 35 findings in ten
applications in Python (bench/real/README.md). How many of them this expression decided, and how many findings it lowers
wrongly, was not measured.
"""
NEGATIVE_VALIDATOR_NAMES: Final = late(r"invalid|unsafe|untrust|disallow|illegal|forbid|block", re.I)
"""A validator that returns true where the argument is *not* as it should be: ``if is_blocked(x)``.

Means: the arguments count as checked where the condition is false, instead of where it is true.
Errs: the wrong side counts as checked.
Measured: nothing.
"""
PATH_TESTS: Final = ("is_relative_to", "relative_to")
"""Methods of paths that compare the beginning as it is written.

Means: the path counts as checked, with low confidence: one that was not resolved may climb behind the beginning. A path
that the same function puts together does climb (`root / "../x"` begins with `root`), so that its test proves nothing.
Errs: a method of this name of something else hides a finding from a scan with default confidence.
Measured: nothing.
"""
LOOKUP_NAMES: Final = late(r"^_?(get|find|fetch|look_?up|retrieve|query|by_?|first|one)(?![a-z])")
"""A function of no modelled API that looks something up by its argument: ``if find_user(name) is None``.

Means: an argument for which something was found counts as checked. The path is assumed, and its confidence low.
Errs: as ``VALIDATOR_NAMES``.
Measured: see ``VALIDATOR_NAMES``.
"""
ANSWER_NAMES: Final = late(
    r"(?i:^(?:is|has|can|are|was|should|may|in)_)|^(?:[iI]s|[hH]as|[cC]an|[aA]re|[wW]as)(?=[A-Z])"
)
"""A member that holds an answer, which may have been computed of a text: ``address.is_private``.

Means: a condition on whether another member is there, ``if not form.data``, says nothing of any text.
Errs: an answer under another name counts as none, and a finding behind a function that asks it has high confidence.
Measured: one judged finding (charlescd, round 39) was behind such a function alone, and is true.
"""
CHECKING_NAMES: Final = late(r"(?i:valid|verif|check|assert|ensure|allow|permit|forbid|exists)")
"""A function of the program that raises unless its argument is right: ``ensure_allowed(x)``.

Means: a path on which such a function received the value, tests something, and raises or has its result used has low
confidence.
Errs: as ``VALIDATOR_NAMES``.
Measured: nothing for this expression alone; see ``VALIDATOR_NAMES``.
"""
KEY_QUESTIONS: Final = late(r"isinstance|len|type|typeof|callable|(?:iter|view)?keys|has_?key|hasOwnProperty|isArray")
"""A function that says what kind of object it is given, how large it is, or which keys it has.

Means: a check of the program that asks an object nothing else says nothing of its members, and lowers no confidence. A
function named after escaping that asks parts of its argument nothing else walks through an object, and escapes nothing.
Errs: a function so named that looks at members leaves a check out that is one.
Measured: nothing.
"""
MEMBER_READS: Final = frozenset({"get", "pop", "setdefault"})
"""Methods of mappings that read the member whose name is their first argument.

Means: as ``KEY_QUESTIONS``; the member counts as looked at.
Errs: as ``KEY_QUESTIONS``.
Measured: nothing.
"""
REPORTING_CALLS: Final = late(
    r"(?i)(?:[\w$]+\.)*(?:\w*log(?:s|ging|ger)?|logrus|console|fmt|slog|klog|glog)"
    r"\.(?:log|f?print|debug|info|notice|warn(?:ing)?|error|exception|critical|trace)(?:f|ln|w|s)?"
    r"|p?print(?:ln)?|log_?(?:debug|info|warn(?:ing)?|error|message|msg)?"
)
"""The code of what is called to report something, and does nothing else: ``log.warning``, ``console.error``, ``print``.

Means: a check on whose failing side only such calls stand changes nothing, and does not lower the confidence.
Errs: one that ends the program as well hides no finding, but reports with high confidence what is checked.
Measured: nothing.
"""
CLEANING_NAMES: Final = late(r"(?i:valid|verif|saniti[sz]e|clean|secure|safe)")
"""A function of the program that returns the harmless part of its argument: ``secure_name(x)``.

Means: a path through the result of such a function, where it tests something, has low confidence.
Errs: a cleaner for another kind of harm hides a true finding from the default report.
Measured: nothing.
"""
ESCAPING_NAMES: Final = late(
    r"(?i)(?=escap|quote)(?!.*(?:html|xml|ur[il]|json|markdown|csv|css|regex|un_?esc|un_?quot|decod))"
    r"(?:escap|quote(?!s|d|_?from))"  # the first test is one of few places: the second reads to the end at each
)
"""A function of the program that escapes its argument: ``escape_value(x)``, ``shellQuote(x)``.

Means: a path through its result, where it decides by single characters of a text or by a table, has low confidence.
Names of a language in which the text does harm to pages and addresses alone do not count.
Errs: one that forgets a character, or escapes for another language, hides a true finding from the default report.
Measured: one false finding of round 24; of rounds 18 to 24 no true one passes such a function.
"""
OF_SHELL_NAMES: Final = late(r"(?i)shell|posix|bash|_?args?\b|[a-z_]args?(?:ument)?s?$|cmd|command")
"""A name of ``ESCAPING_NAMES`` that says for what: a word of a shell's command.

Means: a replacement by a constant is enough; what stands around the text is not asked.
Errs: as ``ESCAPING_NAMES``.
Measured: nothing.
"""
REPLACING_NAMES: Final = late(r"(?:str_?)?[rR]eplace(?:_?[aA]ll)?|split")
"""The method of a text that replaces another text in it; ``x.split(a).join(b)`` does.

Means: with what is no constant, in a function of ``ESCAPING_NAMES``, the function escapes by a table.
Errs: as ``ESCAPING_NAMES``.
Measured: nothing.
"""
CLEANING_FILTERS: Final = late(r"(?i)sanit|purif|(?<!un)escape|strip_?tags|bleach|csrf|nonce")
"""A filter or function of a template whose result is harmless in HTML.

Means: what it returns is not written unescaped. This removes a finding.
Errs: an unknown filter with such a name that does not escape hides a true finding.
Measured: nothing.
"""
DISCARDING_NAMES: Final = late(
    r"_?(?i:escape|sanitize|sanitise|purify|encode|validate|hash|is|has|get|find|fetch|load|lookup|open|stat)(_|$|[A-Z])"
)
"""An unknown function that most likely does not return its argument: it cleans, tests or fetches.

Means: the assumed step through the call is doubtful, and a path with such a step has low confidence.
Errs: an accessor that returns a part of its argument hides a true finding; ``GetName()`` of a parameter is excepted.
Measured: in ten applications in JavaScript, 43 findings had assumed steps through results that are awaited, drawings
and feeds made by libraries, and escaping functions; low confidence and three new models removed them
(bench/real/verdicts-javascript.md). How many this expression decided was not counted.
"""
BINDING_KEYWORDS: Final = frozenset({"bind"})
"""A keyword of a library's decorator that is true where the decorator gives a plain function its first argument:
``@app.task(bind=True)``.

Means: the arguments of calls begin at the second parameter.
Errs: where the keyword means something else, arguments arrive one parameter too late.
Measured: four false findings of one application were shifted arguments (bench/rounds/round-2.md).
"""
SHELL_BUILTINS: Final = frozenset(
    {
        *(".", "alias", "cd", "eval", "exec", "exit", "export", "set", "source", "trap", "type", "ulimit", "umask"),
        *("unset", "wait", "assoc", "call", "cls", "copy", "del", "dir", "move", "rd", "ren", "start", "ver", "vol"),
    }
)
"""Commands that a shell carries out itself (POSIX shells, cmd.exe).

Means: a command that begins with one is not split into words: there may be no program of this name.
Errs: a program with the name of one keeps its shell.
Measured: nothing.
"""
WORDS_NAMES: Final = late(r"(?i)(?:args?|arguments|cmd|commands?|flags|opts|options)\W*\Z")
"""The end of the code of a value that stands in a command without quotes.

Means: the value may be several words, which a shell would take for one if they were quoted.
Errs: one word of such a name gets no fix.
Measured: the edits of commands that docs/fixes.md counts, all read: of 17, the one with such a name was wrong.
"""
STORED_KEYS: Final = late(rb"\._id(?![\w.(\[])")
"""What reads a value, where a database is among the sources.

Means: the value is the key that the database gave to a document, and no object of a request.
Errs: a key that a request brings, too, gets no fix.
Measured: the edits of queries that docs/fixes.md counts, all read: of 53, the two with such a value were noise.
"""
MARKUP_NAMES: Final = late(r"(?i)html|markup|markdown|render|template|svg|sanitiz|purif|icon|highlight")
"""A name in an expression that is assigned to ``innerHTML``.

Means: the value is markup on purpose, so that it is not assigned as text.
Errs: a text of such a name gets no fix.
Measured: nothing.
"""
ERROR_NAMES: Final = late(r"(?i)\w*err(or)?\d*")
"""The whole name of a variable of Go.

Means: it holds an error, which is shown as a text.
Errs: a number of such a name is shown as a character.
Measured: the edits in Go that docs/fixes.md counts, all read: each variable of such a name held an error.
"""
FIELD_CHECK_PREFIXES: Final = ("clean_", "validate_")
"""What stands before the name of a field in the name of the form's method that checks it: ``clean_url``.

Means: the method's body is asked which values it lets through; the confidence is low where it raises for some.
Errs: a method so named that nobody calls is taken for a check: a true finding is hidden.
Measured: see bench/confidence.md; no finding of 29 programs changes.
"""

WHOLE_FORM_CHECKS: Final = ("clean", "validate")
"""Names of the methods by which a form, or a serializer, checks all of its fields together: ``def clean(self)``.

Means: what such a method reads of a field is asked which values it lets through, as with ``FIELD_CHECK_PREFIXES``.
Errs: a class whose library calls no method of the name is taken to be checked: a true finding is hidden.
Measured: five false findings of round 34 stand behind ``validate``; no true finding of 14 programs of rounds 31 to 36
changes.
"""

WHOLE_OBJECT_CHECKS: Final = ("__post_init__", "__attrs_post_init__")
"""Names of the methods that run when an object has all of its fields, and may refuse them by an exception.

Means: as ``WHOLE_FORM_CHECKS``, where a field is read from an instance of the class.
Errs: an object whose field is stored to later counts as checked: a true finding is hidden.
Measured: no finding of 14 programs of rounds 31 to 36 changes; dataclasses and attrs call them.
"""

FORM_FAILURES: Final = ("add_error",)
"""Names of methods that report to a form that a field is wrong, as an exception would: ``self.add_error(name, text)``.

Means: a method of the form that checks its fields lets no value through that comes to such a call.
Errs: on a form that hands out its fields all the same, a true finding is hidden.
Measured: no finding of 14 programs of rounds 31 to 36 changes; Django's forms take the field out of the checked data.
"""

FORM_CHECKS: Final = late(r"(?:is_?)?valid")
"""How the name of the method begins that asks a form whether its fields are valid: ``validate``, ``is_valid``.

Means: where it says so, the functions that check a field have come back: what they prove holds of the field.
Errs: a method so named that checks nothing hides a true finding.
Measured: two false findings of round 26.
"""

CHANGING_METHODS: Final = frozenset(
    (
        *("push", "unshift", "splice", "set", "add"),
        *("append", "appendleft", "extend", "extendleft", "insert", "update", "setdefault"),
        *("forEach",),
    )
)
"""The names of methods of built-in containers that put something into their receiver, or let a function do so with its
elements.

Means: such a method, called on what a file imports, leaves it in another state, which all that import it see. Other
methods leave it as it was: mostly these are functions of a library.
Errs: a class of the program whose methods have other names keeps what it gets (``lasting`` follows these, too).
Measured: nothing.
"""
TEMPLATE_CONTEXTS: Final = frozenset({"context", "ctx", "eval_ctx", "evalctx", "eval_context", "env", "environment"})
"""The first parameter of a decorated function that templates call: what the engine gives it before the arguments.

Means: the arguments in a template begin at the second parameter.
Errs: data arrives at the wrong parameter.
Measured: nothing.
"""
