"""Where comments of JavaScript and TypeScript stand, found without a parser.

Knows nested template literals and regular expressions. What it takes for code where a parser would see text is the text
between JSX tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Every repetition is possessive (``*+``) and every string ends at the end of the text at the latest, so that a pattern
# whose opening matches does not fail: time linear in the text, whatever it is.
_END = r"\\?\Z"  # of the text, perhaps behind a backslash
_DOUBLE = rf'"(?:\\.|[^"\\\n])*+(?:"|(?=\n)|{_END})'
_SINGLE = rf"'(?:\\.|[^'\\\n])*+(?:'|(?=\n)|{_END})"
_SLASHES = r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
_TOKEN = re.compile(rf"(?P<comment>{_SLASHES})|{_DOUBLE}|{_SINGLE}|(?P<mark>[`{{}}/])", re.DOTALL)
_REGEX = re.compile(r"(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n])*+\]|[^/\\\[\n])++/")  # behind its first slash
_TEMPLATE = re.compile(rf"(?:\\.|\$(?!\{{)|[^`\\$])*+(?:(?P<end>`)|(?P<hole>\$\{{)|{_END})", re.DOTALL)
_BEFORE_REGEX = re.compile(
    r"(?:^|[(,=:\[!&|?{};+\-*%~^]|=>|\b(?:return|typeof|case|in|of|void|delete|throw|await|yield))\s*$"
)


def comments(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each comment. Time linear in the text.

    Counts braces to know where a template literal goes on behind a hole.
    """
    at = no_regex_before = 0
    open_braces: list[int] = []  # one entry for each template literal around: braces opened in its hole
    while match := _TOKEN.search(text, at):
        at = match.end()
        if match["comment"] is not None:
            yield match.span()
        elif match["mark"] == "/":
            # Anything else is a division or the end of a tag. One failure rules out the rest of the line: a line of
            # slashes and brackets must not be read to its end again for each of them.
            if at >= no_regex_before and _BEFORE_REGEX.search(text[max(0, at - 40) : at - 1]):
                if regex := _REGEX.match(text, at):
                    at = regex.end()
                else:
                    end = text.find("\n", at)
                    no_regex_before = end if end >= 0 else len(text)
        elif match["mark"] == "{" and open_braces:
            open_braces[-1] += 1
        elif match["mark"] == "}" and open_braces and open_braces[-1] > 0:
            open_braces[-1] -= 1
        elif match["mark"] == "`" or (match["mark"] == "}" and open_braces):
            if match["mark"] == "}":
                open_braces.pop()
            template = _TEMPLATE.match(text, at)
            if template is None:
                return
            at = template.end()
            if template["hole"]:
                open_braces.append(0)
