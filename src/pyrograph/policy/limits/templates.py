"""Limits of the readers of HTML templates."""

from __future__ import annotations

from typing import Final

# -- Templates ---------------------------------------------------------------------------------------------------------

MAX_TEMPLATE_SIZE: Final = 1_000_000
"""Size of a template. [bytes]

Reason: As for source files.
Lost: The template.
Problem: a template of {} bytes is not read; the limit is {MAX_TEMPLATE_SIZE}; split it
Remedy: Split the template.
"""
MAX_SHOWN_PARTS: Final = 64
"""Access paths that one expression of a template may show. [access paths]

Reason: Judgement: alternatives multiply.
Lost: Some of the values of the expression.
Problem: an expression outputs more than {MAX_SHOWN_PARTS} values; some are ignored
Remedy: Use several variables.
"""
MAX_HANDED: Final = 100_000
"""Names that are given to all templates that one includes. [names]

Reason: Names x includes, which is quadratic in a file.
Lost: Further includes.
Problem: includes that pass more than {MAX_HANDED} names in total are not analysed
Remedy: Pass fewer names to each include.
"""
MAX_TEMPLATE_PATH: Final = 12
"""Length of an access path of a template's value. [keys]

Reason: Judgement.
Lost: Values that lie deeper.
Problem: none: may miss findings.
"""
MAX_TEMPLATE_DEPTH: Final = 8
"""Templates in templates. [levels]

Reason: Judgement: includes multiply.
Lost: Templates further inside.
Problem: template: includes nested more than {MAX_TEMPLATE_DEPTH} levels deep are not analysed
Remedy: Include less deeply.
"""
MAX_WRITES: Final = 2_000
"""Unescaped values of a template, with all that it includes. [values]

Reason: Each is a sink at each call that renders the template.
Lost: Further values.
Problem: template: only the first {MAX_WRITES} unescaped values are analysed
Remedy: Split the template.
"""
MAX_INCLUDES: Final = 2_000
"""Templates and macros that one template shows, each as often as it is shown. [templates]

Reason: Includes in loops of includes double.
Lost: Further ones.
Problem: template: it includes more than {MAX_INCLUDES} templates, counted each time; the others are not analysed
Remedy: Include fewer templates.
"""
MAX_NAME_PATHS: Final = 128
"""Access paths that a name of an included template may stand for. [access paths]

Reason: Judgement: alternatives multiply with each include.
Lost: Further ones.
Problem: template: a name in an included template stands for more than {MAX_NAME_PATHS} values; the others are not
analysed
Remedy: Use different names for different values.
"""
MAX_TAG_LENGTH: Final = 10_000
"""Length of a tag in Jinja, Django, Nunjucks, Twig or Go templates. [characters]

Reason: Judgement: bounds the tokens of one tag.
Lost: The tag.
Problem: tags longer than {MAX_TAG_LENGTH} characters are not read
Remedy: Split the tag.
"""
MAX_TAG_DEPTH: Final = 40
"""Expressions in expressions of a tag; macros around a macro. [levels]

Reason: The reader is recursive.
Lost: The expression.
Problem: expressions nested more than {MAX_TAG_DEPTH} deep are not read
Remedy: Split the expression.
"""
MAX_BRACES_TAG: Final = 2_000
"""Length of a tag in Handlebars and Mustache. [characters]

Reason: As ``MAX_TAG_LENGTH``.
Lost: The tag.
Problem: tags longer than {MAX_BRACES_TAG} characters are not read
Remedy: Split the tag.
"""
MAX_CONTEXTS: Final = 16
"""Objects in which a name of Handlebars or Mustache may be looked up. [objects]

Reason: Judgement: one for each section around it.
Lost: Outer objects.
Problem: none: may miss findings.
"""
MAX_PUG_LINE: Final = 4_000
"""Length of a line of Pug. [bytes]

Reason: Judgement: bounds the regular expressions that read a line.
Lost: The line.
Problem: lines longer than {MAX_PUG_LINE} bytes are not read
Remedy: Split the line.
"""
MAX_SCRIPT_DEPTH: Final = 150
"""Depth of syntax of JavaScript in a template. [levels]

Reason: The walk is recursive.
Lost: The expression.
Problem: code nested more than {MAX_SCRIPT_DEPTH} deep is not read
Remedy: Split the expression.
"""
MAX_TEMPLATE_CALLS: Final = 2_000
"""Functions and fields that the templates which one call may fill call or read, with all that they include. [calls]

Reason: As ``MAX_WRITES``.
Lost: Further ones.
Problem: none: may miss findings.
"""
MAX_INLINED: Final = 2_000
"""Values that calls give to templates whose scripts hold them as literals. [values]

Reason: As ``MAX_TEMPLATE_CALLS``, for a program.
Lost: Further ones.
Problem: none: may miss findings.
"""
