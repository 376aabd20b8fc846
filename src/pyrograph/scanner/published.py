"""Which files belong to published packages that read nothing untrusted themselves.

Who calls the functions of such a package is another program, so their arguments are untrusted for what no library must
do. A program without any source is a library as a whole; this is about the others: a package whose tests start a
server, or whose second language has a script that reads a file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pyrograph.model.vulnerability import Vulnerability
from pyrograph.parsers import language_of, syntaxes
from pyrograph.policy.names.files import NON_PUBLIC_PATHS
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program


def pages(syntaxes_of_files: Sequence[str]) -> frozenset[int]:
    """The numbers of files that are programs of their own, which nothing imports: what they read says nothing about the
    program that they lie in.
    """
    known = syntaxes()
    withins = [known[name].within if name in known else None for name in syntaxes_of_files]
    return frozenset([number for number, within in enumerate(withins) if within is not None and not within.imported])


def read_in(labels: Labels, program: Program) -> set[int]:
    """The files with a source."""
    return {int(program.file_of_value[role.value]) for role in labels.sources}


def published(
    program: Program, labels: Labels, wanted: Sequence[Vulnerability], apart: Collection[int]
) -> Mapping[int, Collection[str]]:
    """Files of published packages in languages of which no public file has a source -> the vulnerabilities that count
    for arguments of their public functions. ``apart``: ``pages``.

    Time O(files + sources).
    """
    reading = {
        program.files[file].language
        for file in read_in(labels, program).difference(apart)
        if not NON_PUBLIC_PATHS.search(program.files[file].path)
    }
    found: dict[int, Collection[str]] = {}
    offered: dict[str, frozenset[str]] = {}
    for index, file in enumerate(program.files):
        name = file.language
        if name in reading or index in apart or NON_PUBLIC_PATHS.search(file.path):
            continue
        if name not in offered:
            offered[name] = frozenset(each.id for each in wanted if name in each.offered)
        modules = program.modules.by_language[name]
        if offered[name] and language_of(name).is_published(program.modules.of_file[index], modules):
            found[index] = offered[name]
    return found
