"""Doubts about what is read of a request and about its way: few of the judged findings with such a path were true.

They are asked of paths that nothing else speaks against. Where the name of what is read says that it is meant for what
the vulnerability abuses (``meant``), its way raises none: a part of a request that is called ``url`` is there to be
opened.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from pyrograph.kernels.arrays import distinct
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy import doubts
from pyrograph.policy.confidence import MAX_STORES_SURE
from pyrograph.policy.names.files import TEST_PATHS
from pyrograph.policy.names.requests import IDENTIFIERS
from pyrograph.rules.kinds import IDENTIFIER, REPACKED, SEVERAL
from pyrograph.scanner.analysis.assemble import Context, Kind
from pyrograph.scanner.explain.paths import Edge
from pyrograph.scanner.explain.steps import Steps

BOUND = frozenset({int(Context.CALL), int(Context.RETURN)})  # edges into or out of what a call runs


class Ways:
    """Answers for one program."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps

    def doubt(self, edges: Sequence[Edge], name: str, vulnerability: Vulnerability) -> str:
        """Why few findings with such a path are true (``doubtful``); "" for no such reason. O(edges).

        Args:
            edges: The path.
            name: Of the part of the request that its source reads; "" where none is known.
            vulnerability: The harm at its end.
        """
        doubtful = vulnerability.doubtful
        if IDENTIFIER in doubtful and IDENTIFIERS.search(name):
            return doubts.IDENTIFIER
        if vulnerability.meant and re.search(vulnerability.meant, name):
            return ""
        if SEVERAL in doubtful and self.is_any_of_several(edges):
            return doubts.SEVERAL
        if REPACKED in doubtful and self.num_stores(edges) > MAX_STORES_SURE:
            return doubts.REPACKED
        return ""

    def num_stores(self, edges: Sequence[Edge]) -> int:
        """How often a path stores the data in an object that lasts. O(edges).

        One of several results, ``return name, nil``, is stored in a tuple and taken out of it by the caller: it is
        handed on.
        """
        found, is_result = 0, False
        for edge in edges:
            if self.is_store(edge):
                found += 1
                key = int(self.steps.flow.key[edge.row])
                is_result = key >= 0 and self.steps.program.strings[key].isdigit()
            elif is_result and self.steps.context[edge.row] == Context.RETURN:
                found, is_result = found - 1, False
            elif self.steps.kind[edge.row] not in (Kind.SAME, Kind.KILL):
                is_result = False
        return found

    def is_store(self, edge: Edge) -> bool:
        """Whether an edge stores the data in an object. A call that packs its arguments into one parameter,
        ``locate(*parts)``, hands them on, and so does one that lists what a function returns, ``paths.map(f)``.
        """
        return self.steps.kind[edge.row] == Kind.STORE and self.steps.context[edge.row] not in BOUND

    def is_any_of_several(self, edges: Sequence[Edge]) -> bool:
        """Whether a call that the path enters or comes back from may run one of several functions of the program."""
        site, context = self.steps.flow.site, self.steps.context
        return any(context[edge.row] in BOUND and int(site[edge.row]) in self.ambiguous for edge in edges)

    @cached_property
    def ambiguous(self) -> frozenset[int]:
        """The sites with more than one target, beside those in tests: what a test puts in place of a function runs in
        no deployment, and a path through it is doubted for that. A call that fills a template runs all functions that
        the template calls. O(n log n) of all targets, once.
        """
        program = self.steps.program
        targets = self.steps.resolution.rows("targets").astype(np.int64)
        is_test = np.array([TEST_PATHS.search(file.path) is not None for file in program.files], dtype=bool)
        file_of = np.asarray(program.file_of_value)[program.tables["functions"]["result"]]
        targets = targets[~is_test[file_of[targets[:, 1]]]]
        many = len(file_of) + 1
        sites = distinct(targets[:, 0] * many + targets[:, 1]) // many  # once for each function; ascending
        several = sites[1:][sites[1:] == sites[:-1]]
        return frozenset(several.tolist()) - {each.site for each in self.steps.resolution.flows.moves}
