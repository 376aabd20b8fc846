"""Fields of a form that a link fills in: the page reads ``next`` of its own address and writes it into a hidden field.

Another site cannot fill in a form of the program, but it can link to the page. So what the handler of the form reads
under that name is chosen by whoever made the link, and the user sends it. The page is known

* by its code: a handler in the same file, which a link reaches, reads a part of the same name from it;
* by its template: a field of that name is written with that part of the request's query,
  ``<input name="next" value="{{ request.GET.next }}">``.

Where templates write all fields of that name, and none with more than a constant or an address of the program's own,
``value="{% url 'notes' %}"``, nothing fills it in (``is_own``).

Not asked: whether the page's code checks the part before it writes it, and whether the form is the handler's own.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy.limits.explanation import MAX_FIELD_TEXT
from pyrograph.policy.names.files import TEST_PATHS
from pyrograph.policy.names.requests import OWN_ADDRESS, QUERY_IN_PAGE
from pyrograph.scanner.analysis.label.csrf import FORM
from pyrograph.scanner.analysis.label.labels import SourceRole
from pyrograph.scanner.explain.confidence import is_seldom
from pyrograph.scanner.explain.posted import Posted
from pyrograph.scanner.explain.request_parts import RequestParts
from pyrograph.scanner.explain.texts import Texts

LINKED_PLACES: Final = frozenset({"query", "body", ""})  # of a request; what reads "body" may read the query as well
FIELD: Final = re.compile(rb"(?is)<(?:input|button)\b(?:(?!<[a-z/!]).){0,%d}" % MAX_FIELD_TEXT)
QUERY: Final = QUERY_IN_PAGE.pattern.encode()
OWN: Final = re.compile(OWN_ADDRESS.pattern.encode())
INSERTED: Final = re.compile(rb"[{$@#]|[<%]%|%>|\s(?:v-|ng-|:)")  # a template, or a script, writes something there
BETWEEN: Final = rb"[^\w{}<>]+"  # names of one expression in a template


def name_in_tag(name: str) -> re.Pattern[bytes]:
    """What a tag has that is a field of this name."""
    return re.compile(rb"\bname\s*=\s*[\"']?%s[\"'\s/>]" % re.escape(name.encode()))


class FilledFields:
    """Answers for one program. Linear in its sources and in the templates that the scan read, once."""

    def __init__(self, parts: RequestParts, posted: Posted, texts: Texts) -> None:
        self.parts = parts
        self.posted = posted
        self.texts = texts
        self.linked: dict[str, dict[tuple[int, str], list[int]]] = {}  # by vulnerability: ``of_links``

    def is_filled(self, source: SourceRole, name: str, vulnerability: Vulnerability) -> bool:
        """Whether a link decides what ``source`` reads of a form under ``name``."""
        if not name or source.kind not in ("http", FORM) or self.where(source) != "body":
            return False
        readings = self.of_links(vulnerability).get((self.file(source), name), ())
        if any(map(self.is_page, readings)):
            return True
        written = re.escape(name.encode())
        named = name_in_tag(name)
        read = re.compile(rb"%s%s(?:\w+%s)?%s\b" % (QUERY, BETWEEN, BETWEEN, written))  # .GET.next, .args.get("next")
        return any(named.search(field) and read.search(field) for field in self.fields)

    def is_own(self, source: SourceRole, name: str) -> bool:
        """Whether other sites cannot send what ``source`` reads, and pages of the program write it themselves."""
        if not name or source.kind != FORM or self.where(source) != "body" or name in self.members:
            return False
        named = name_in_tag(name)
        found = [field for field in self.all_fields if named.search(field)]
        return len(found) > 0 and not any(INSERTED.search(OWN.sub(b"", field).partition(b">")[0]) for field in found)

    @cached_property
    def members(self) -> frozenset[str]:
        """The names that classes have: classes of forms declare fields so."""
        strings, members = self.parts.asking.program.strings, self.parts.entries.callers.resolution.class_members
        return frozenset(strings[key] for names in members.values() for key in names if key >= 0)

    def is_page(self, value: int) -> bool:
        """Whether a request that a link makes is known to reach the code that computes ``value``."""
        return len(self.parts.entries.of_value(value)) > 0 and not self.posted.is_posted(value)

    def of_links(self, vulnerability: Vulnerability) -> dict[tuple[int, str], list[int]]:
        """By file and name: the sources that read such a part of what a link may bring, as far as this harm comes from
        there.
        """
        known = self.linked.get(vulnerability.id)
        if known is None:
            known = self.linked[vulnerability.id] = {}
            for source in self.parts.asking.labels.sources:
                if (
                    source.kind == "http"
                    and self.where(source) in LINKED_PLACES
                    and not is_seldom(source.kind, source.api, vulnerability)
                    and not self.is_test(source)
                ):
                    for name, _ in self.parts.named(source.value):
                        known.setdefault((self.file(source), name), []).append(source.value)
        return known

    @cached_property
    def fields(self) -> list[bytes]:
        """The tags of fields of forms that write a part of a request's query."""
        query = re.compile(QUERY)
        return [each for each in self.all_fields if query.search(each)]

    @cached_property
    def all_fields(self) -> list[bytes]:
        return [match[0] for page in self.texts.read.templates.values() for match in FIELD.finditer(page)]

    def where(self, source: SourceRole) -> str:
        return self.parts.entries.parameter(source).where

    def file(self, source: SourceRole) -> int:
        return int(self.parts.asking.program.file_of_value[source.value])

    def is_test(self, source: SourceRole) -> bool:
        return TEST_PATHS.search(self.parts.asking.program.files[self.file(source)].path) is not None
