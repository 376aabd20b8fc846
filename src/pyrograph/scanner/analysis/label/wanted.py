"""The vulnerabilities and taint kinds that a scan looks for, and their bits."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from pyrograph.model.vulnerability import Aspect, Vulnerability
from pyrograph.rules.entries import CODES_NAME, Sink, Source

# What begins, or ends, a code of an address, of HTML, of a string literal, of a form and of base64. Letters and digits
# alone are a code in base64 and hexadecimal, too; who asks for them has checked the encoding, or meant a name.
CODES: Final = r"[%&\\+=]"


class Wanted:
    """The vulnerabilities and taint kinds that the scan looks for.

    A vulnerability has one bit, or one for each of its aspects. ``libraries``: the files whose public functions get
    untrusted arguments, with the vulnerabilities that count for these; None: all files, for everything.
    """

    def __init__(
        self,
        vulnerabilities: Sequence[Vulnerability],
        kinds: Collection[str],
        libraries: Mapping[int, Collection[str]] | None = None,
    ) -> None:
        self.kinds = frozenset(kinds)
        self.libraries = libraries
        self.bits: dict[str, tuple[int, ...]] = {}  # by vulnerability
        self.ids: list[str] = []  # bit -> vulnerability
        self.low: set[int] = set()  # bits of aspects that seldom do harm alone
        self.medium = 0  # mask of aspects that do harm alone in some places
        self.hidden = 0  # mask of aspects that a test which finds a part of the value empty does not clear
        self.prefixes: dict[str, int] = {}  # pattern -> mask: a test clears them only if its prefix holds a match
        # text that begins so makes what follows harmless: its own, and that of the vulnerability
        self.safe_rest: dict[int, tuple[re.Pattern[str], ...]] = {}
        self.safe_text: dict[int, tuple[re.Pattern[str], ...]] = {}
        self.safe_chosen: dict[int, re.Pattern[str]] = {}  # behind a first part that the program chose
        self.safe_end: dict[int, re.Pattern[str]] = {}  # text that ends so does, unless it is normalised later
        self.safe_inside: dict[int, re.Pattern[str]] = {}  # text that matches as a whole does, as it leaves quotes open
        self.weak_end: dict[int, re.Pattern[str]] = {}  # what ends so does harm in few places
        self.value_only: set[int] = set()  # the value, not what it contains
        self.masks: dict[str, int] = {}  # by vulnerability, and by aspect
        self.never: dict[str, int] = {}  # taint kind -> mask of what values of this kind do not have
        self.harmful: dict[str, int] = {}  # pattern that is found in each harmful text -> mask
        self.refused: dict[str, int] = {}  # the same, of texts that a search has to refuse
        self.objects: list[tuple[tuple[str, ...], int]] = []  # keys under which nothing does harm, mask
        self.texts: dict[int, frozenset[str]] = {}  # bit of an aspect -> sources whose parts are texts, without it
        self.backslash = 0  # mask of those to which a character behind a backslash does no harm
        self.names = 0  # mask of those to which text in the quotes of a name does no harm, if it cannot end them
        for each in vulnerabilities:
            self._add(each)
        self.connecting = self.mask_of_all([each.id for each in vulnerabilities if each.connects])
        # of which server is asked, and not only for what
        self.choosing = self.mask_of_all([each.id for each in vulnerabilities if each.connects and not each.part_of])
        # what does harm in a browser: there code runs, and the page or its address changes
        self.in_pages = self.mask_of_all([each.id for each in vulnerabilities if each.lured or each.executed])
        self.served = {each.id: each.served for each in vulnerabilities if each.served}
        # The bit behind all vulnerabilities is that of what a decoder changes: a text is clean for it that is the same
        # after decoding. It is there whatever is looked for, and ``forget_codes`` takes it away.
        self.codes = 1 << len(self.ids)
        self.masks[CODES_NAME] = self.codes
        self.harmful[CODES] = self.harmful.get(CODES, 0) | self.codes
        self.refused[CODES] = self.refused.get(CODES, 0) | self.codes
        self.all = (1 << len(self.ids) + 1) - 1  # mask
        # what texts, and lists of texts, never have: aspects of objects, and those within them
        self.of_objects = self.mask_of_all(
            [aspect.name for each in vulnerabilities for aspect in each.aspects if aspect.texts]
        )

    def _add(self, vulnerability: Vulnerability) -> None:
        """A vulnerability, with a bit for each of its aspects."""
        first = len(self.ids)
        for aspect in vulnerability.aspects or (Aspect(""),):
            bit = len(self.ids)
            self.ids.append(vulnerability.id)
            self._add_texts(vulnerability, aspect, bit)
            self._add_switches(vulnerability, aspect, bit)
            for kind in aspect.never:
                self.never[kind] = self.never.get(kind, 0) | 1 << bit
            if aspect.objects:
                self.objects.append((aspect.objects, 1 << bit))
            if aspect.texts:
                self.texts[bit] = frozenset(aspect.texts)
            for name in {aspect.name, aspect.within} - {""}:
                self.masks[name] = self.masks.get(name, 0) | 1 << bit
        self.bits[vulnerability.id] = tuple(range(first, len(self.ids)))
        self.masks[vulnerability.id] = (1 << len(self.ids)) - (1 << first)
        if vulnerability.objects:
            self.objects.append((vulnerability.objects, self.masks[vulnerability.id]))

    def _add_texts(self, vulnerability: Vulnerability, aspect: Aspect, bit: int) -> None:
        """The patterns of texts that do harm, and of those that do none."""
        rests = [re.compile(text) for text in (vulnerability.safe_rest, aspect.safe_rest) if text]
        texts = [re.compile(text) for text in (vulnerability.safe_text, aspect.safe_text) if text]
        if rests:
            self.safe_rest[bit] = tuple(rests)
        if texts:
            self.safe_text[bit] = tuple(texts)
        if vulnerability.weak_end:
            self.weak_end[bit] = re.compile(vulnerability.weak_end)
        if aspect.safe_chosen:
            self.safe_chosen[bit] = re.compile(aspect.safe_chosen)
        if aspect.safe_end:
            self.safe_end[bit] = re.compile(aspect.safe_end)
        if aspect.safe_inside:
            self.safe_inside[bit] = re.compile(aspect.safe_inside)
        harmful = aspect.harmful or vulnerability.harmful
        self.harmful[harmful] = self.harmful.get(harmful, 0) | 1 << bit
        refused = aspect.refused or harmful
        self.refused[refused] = self.refused.get(refused, 0) | 1 << bit
        if aspect.prefix:
            self.prefixes[aspect.prefix] = self.prefixes.get(aspect.prefix, 0) | 1 << bit

    def _add_switches(self, vulnerability: Vulnerability, aspect: Aspect, bit: int) -> None:
        """The sets and masks of bits that have a property."""
        if vulnerability.whole:
            self.value_only.add(bit)
        if vulnerability.backslash:
            self.backslash |= 1 << bit
        if vulnerability.names:
            self.names |= 1 << bit
        if aspect.low:
            self.low.add(bit)
        if aspect.medium:
            self.medium |= 1 << bit
        if aspect.hidden:
            self.hidden |= 1 << bit

    def mask_of(self, name: str) -> int:
        """The bits of a vulnerability, or of all aspects of this name, as a mask; 0 where it is not looked for."""
        return self.masks.get(name, 0)

    def cleaned_by(self, name: str) -> int:
        """The mask of what a sanitizer or guard for ``name`` cleans for; "any" is all that is looked for."""
        return self.all if name == "any" else self.mask_of(name)

    def mask_of_all(self, names: Collection[str]) -> int:
        mask = 0
        for name in names:
            mask |= self.masks.get(name, 0)
        return mask

    def harmless_of(self, source: Source) -> int:
        """A mask of what the values of a source never have."""
        return self.mask_of_all(source.without) | self.never.get(source.kind, 0)

    def bits_at(self, sink: Sink) -> list[int]:
        """The bits of what does harm at a sink."""
        harmless = self.mask_of_all(sink.without) if sink.without else 0
        return [bit for bit in self.bits.get(sink.vulnerability, ()) if not harmless >> bit & 1]

    def refused_at(self, sink: Sink) -> list[int]:
        """The bits of what a sink finds in a text and refuses, unless a normalising call resolved it before."""
        if not (sink.without and self.safe_end):
            return []
        harmless = self.mask_of_all(sink.without)
        return [bit for bit in self.bits.get(sink.vulnerability, ()) if harmless >> bit & 1 and bit in self.safe_end]
