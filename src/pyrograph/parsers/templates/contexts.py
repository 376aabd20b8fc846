"""Where in a page a template writes: whether that place is code, so that escaped HTML does not help.

Code are the values of attributes that are run (``onclick``, ``x-data``: the browser takes the escapes of HTML back
before it runs them), scripts outside of their quotes (``var x = {{ x }};`` needs no quote to do harm), values without
quotes (``<a href={{ x }}>``: a blank begins another attribute, ``onclick``), and texts that a library in the page
compiles as a template of its own (``<div v-cloak>{{ name }}</div>``: Vue runs what braces the name holds). The reader
of a template passes the text between its tags; a tag leaves no trace, so that the arms of conditions count as one after
the other. Linear in the text.
"""

from __future__ import annotations

import re
from typing import Final

from pyrograph.policy.names.markup import (
    CODE_TYPES,
    COMPILED_ATTRIBUTES,
    EVENT_ATTRIBUTES,
    EXPRESSION_ATTRIBUTES,
    LITERAL_ATTRIBUTES,
)

OPENING: Final = re.compile(r"<(?:(!--)|(/?)([a-zA-Z][^\s/>]*))")
IN_TAG: Final = re.compile(r"""\s+|(>)|([^\s"'>/=]+)?\s*(=)\s*(["'])?|([^\s"'>/=]+)|.""", re.DOTALL)
UNQUOTED: Final = re.compile(r"[^\s>]*")
SCRIPT: Final = re.compile(r"""(</script)|\\.|(["'`\n])|(//|/\*|\*/)""", re.DOTALL | re.IGNORECASE)
OTHER_TEXT: Final = frozenset({"style", "textarea", "title", "xmp"})  # elements in which tags are text
# elements without an end
VOID: Final = frozenset(
    {*("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")}
)


def is_run(attribute: str) -> bool:
    """Whether the value of an attribute is run as code."""
    return bool(EVENT_ATTRIBUTES.match(attribute) or EXPRESSION_ATTRIBUTES.match(attribute))


class Region:
    """The inside of the outermost element with some attribute, as far as tags of its name show."""

    def __init__(self) -> None:
        self.name = ""  # of the element
        self.depth = 0  # elements of this name that are open, with the outermost

    def tag(self, element: str, *, begins: bool) -> None:
        """A tag ends; ``begins``: it has the attribute, and an end."""
        if not self.depth:
            if begins:
                self.name, self.depth = element, 1
        elif element == self.name:
            self.depth += 1
        elif element[:1] == "/" and element[1:] == self.name:
            self.depth -= 1


class Contexts:
    """The place that the text has come to.

    ``escapes_scripts``: the engine escapes as code what stands in scripts and events.
    """

    def __init__(self, *, escapes_scripts: bool = False) -> None:
        self.escapes_scripts = escapes_scripts
        self.state = "text"  # "text", "comment", "tag", "quoted", "unquoted", "raw", "script"
        self.element = ""  # whose tag is open
        self.attribute = ""
        self.quote = ""  # that ends the attribute; in a script, the quote or comment that is open
        self.type = ""  # of the element
        self.ends_itself = False  # the last character of the open tag is a slash
        self.seen: set[str] = set()  # attributes of the open tag that say something of texts: "compiled", "literal"
        self.compiled = Region()
        self.literal = Region()

    def is_code(self) -> bool:
        """Whether what is written here is run as code."""
        if self.state == "script":
            return self.quote in ("", "`") and not self.escapes_scripts
        if self.state == "text":
            return self.compiled.depth > 0 and not self.literal.depth
        if self.state == "unquoted" and not self.escapes_scripts:
            return True
        if self.state not in ("quoted", "unquoted"):
            return False
        if self.escapes_scripts and EVENT_ATTRIBUTES.match(self.attribute):
            return False
        return is_run(self.attribute)

    def feed(self, text: str, start: int, end: int) -> None:
        """Go on over a part of ``text`` in which there is no tag of the template."""
        while start < end:
            start = getattr(self, "in_" + self.state)(text, start, end)

    def in_text(self, text: str, start: int, end: int) -> int:
        found = OPENING.search(text, start, end)
        if found is None:
            return end
        if found[1]:
            self.state = "comment"
        else:
            self.state = "tag"
            self.element = found[2] + found[3].lower()
            self.type = ""
            self.seen.clear()
        return found.end()

    def in_comment(self, text: str, start: int, end: int) -> int:
        at = text.find("-->", start, end)
        if at < 0:
            return end
        self.state = "text"
        return at + 3

    def in_tag(self, text: str, start: int, end: int) -> int:
        found = IN_TAG.match(text, start, end)
        if found is None:
            return end
        if found[1]:
            self.state = "text"
            self.quote = ""
            self.end_tag()
            if self.element == "script":
                self.state = "script" if CODE_TYPES.fullmatch(self.type.strip()) else "raw"
            elif self.element in OTHER_TEXT:
                self.state = "raw"
        elif found[3]:
            self.attribute = (found[2] or "").lower()
            self.quote = found[4] or ""
            self.state = "quoted" if self.quote else "unquoted"
            self.note(self.attribute)
        elif found[5]:
            self.note(found[5])
        self.ends_itself = found[0] == "/"
        return found.end()

    def note(self, attribute: str) -> None:
        """The open tag has an attribute."""
        if COMPILED_ATTRIBUTES.match(attribute):
            self.seen.add("compiled")
        elif LITERAL_ATTRIBUTES.match(attribute):
            self.seen.add("literal")

    def end_tag(self) -> None:
        if self.seen or self.compiled.depth or self.literal.depth:
            has_end = not self.ends_itself and self.element not in VOID
            self.compiled.tag(self.element if has_end else "", begins=has_end and "compiled" in self.seen)
            self.literal.tag(self.element if has_end else "", begins=has_end and "literal" in self.seen)

    def in_quoted(self, text: str, start: int, end: int) -> int:
        at = text.find(self.quote, start, end)
        if self.attribute == "type":
            self.type += text[start : at if at >= 0 else end]
        if at < 0:
            return end
        self.state = "tag"
        return at + 1

    def in_unquoted(self, text: str, start: int, end: int) -> int:
        found = UNQUOTED.match(text, start, end)
        at = end if found is None else found.end()
        if self.attribute == "type":
            self.type += text[start:at]
        if at < end:
            self.state = "tag"
        return at

    def in_raw(self, text: str, start: int, end: int) -> int:
        """Text up to the end of the element."""
        while (at := text.find("</", start, end)) >= 0:
            start = at + 2
            if text[start : start + len(self.element)].lower() == self.element:
                self.state = "tag"
                self.element = "/" + self.element
                return start + len(self.element) - 1
        return end

    def in_script(self, text: str, start: int, end: int) -> int:
        found = SCRIPT.search(text, start, end)
        if found is None:
            return end
        quote, comment = found[2], found[3]
        if found[1]:
            self.state = "tag"
            self.element = "/script"
        elif quote == "\n":
            self.quote = self.quote if self.quote in ("`", "/*") else ""
        elif quote and self.quote in ("", quote):
            self.quote = "" if self.quote else quote
        elif comment == "*/":
            self.quote = "" if self.quote == "/*" else self.quote
        elif comment and not self.quote:
            self.quote = comment
        return found.end()
