"""Filters and functions of templates by their names: what becomes of the text that they are given."""

from __future__ import annotations

from typing import Final

from pyrograph.policy.names.functions import CLEANING_FILTERS


def named(text: str) -> frozenset[str]:
    return frozenset(text.split())


# No text of the value's is left, or none that ends where it stands: numbers, dates, escaped and encoded text.
HARMLESS: Final = named(
    """
    e escape h forceescape force_escape escapeseq escapejs escapeHtml escapeHTML escapeXML esc striptags strip_tags
    striphtml stripTags length count size int integer float round abs ceil floor sum tojson json_script jsonify
    urlencode url_encode encodeURIComponent encodeURI encode_uri slugify date time datetime date_format dateformat
    timesince timeuntil naturaltime naturalday intcomma intword floatformat filesizeformat number number_format
    format_number currency wordcount divisibleby length_is pluralize yesno get_digit phone2numeric xmlattr iriencode
    linenumbers parseInt parseFloat Number Boolean isNaN Date isArray sanitize sanitizeHtml sanitizeHTML purify bleach
    clean clean_html htmlspecialchars base64 b64encode md5 sha1 sha256 hash url_for url static csrf_token csrfToken
    csrf_input range len moment now config asset route path_for get_url cycler
    """
)

# Of these, those whose result does harm where the place is code: browsers take back what they escape.
ESCAPING_HTML: Final = named(
    """
    e escape h forceescape force_escape escapeseq escapeHtml escapeHTML escapeXML esc striptags strip_tags striphtml
    stripTags htmlspecialchars
    """
)

RAW: Final = frozenset({"safe", "raw", "safeseq", "mark_safe", "SafeString", "Markup", "n"})

# These escape what is not marked yet, and mark what they give.
ESCAPING: Final = frozenset({"linebreaks", "linebreaksbr", "urlize", "urlizetrunc", "unordered_list", "nl2br"})

# No engine has these: libraries register them, or the program does.
MARKDOWN: Final = named("markdown md marked markdownify commonmark")

# The text stays what it was, or most of it.
KEEPING: Final = MARKDOWN | named(
    """
    upper uppercase lower lowercase title capitalize capfirst trim truncate truncatechars
    truncatechars_html truncatewords truncatewords_html replace default default_if_none
    d indent center ljust rjust wordwrap cut add format stringformat
    string str sort dictsort reverse list unique slice batch select reject selectattr rejectattr filter min max
    String unescape nl2br decodeURIComponent decodeURI escape_once
    """
)

ELEMENTS: Final = frozenset({"first", "last", "random", "pop", "shift", "at", "find"})
WHOLE: Final = frozenset({"join", "dump", "json", "json_encode", "stringify", "pprint", "concat"})  # shows all it holds
LITERALS: Final = frozenset({"dump", "json", "json_encode", "stringify"})  # whose result is a literal of JavaScript


# Functions that engines bring along: one of the program is meant only if it is registered under such a name.
BUILT_IN: Final = (HARMLESS | RAW | ESCAPING | KEEPING | ELEMENTS | WHOLE) - MARKDOWN
# The engine of Go brings few functions along, which ``actions`` knows: ``safe`` is one of the program.
WITHOUT_BUILT_IN: Final = frozenset({"go"})


def is_harmless(name: str) -> bool:
    return name in HARMLESS or CLEANING_FILTERS.search(name) is not None
