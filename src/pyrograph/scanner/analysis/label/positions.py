"""Arguments that do no harm because of their position: behind ``--``, and as the value of an option.

``ending`` and ``taking`` of a vulnerability say which arguments these are. Lists count like the arguments of a call:
their elements become arguments later. Time is linear in the stores and arguments of the program.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise

import numpy as np

from pyrograph.ir.codes import RECEIVER, Op
from pyrograph.kernels.arrays import among, distinct
from pyrograph.model.vulnerability import Dashed, Vulnerability
from pyrograph.scanner.analysis.label.facts import Facts


def harmless_positions(facts: Facts, vulnerabilities: Collection[Vulnerability]) -> None:
    """Mark what stands behind constants, in lists and in calls; ``Constants.positions`` gets the latter."""
    for each in vulnerabilities:
        if each.dashed != Dashed():
            _mark(facts, each, facts.wanted.mask_of(each.id))


def _mark(facts: Facts, vulnerability: Vulnerability, mask: int) -> None:
    values, strings = facts.tables["values"], facts.program.strings
    constant = values["op"] == Op.CONST
    texts = [strings[data] for data in distinct(values["data"][constant]).tolist()]
    texts = [text for text in texts if text[:2] == "'-"]
    ending, taking = (
        _values(facts, constant, [text for text in texts if re.fullmatch(pattern, text[1:])])
        for pattern in (vulnerability.dashed.ending, vulnerability.dashed.taking)
    )
    _elements(facts, ending, taking, mask)
    _arguments(facts, ending, taking, mask)


def _values(facts: Facts, constant: np.ndarray, texts: Collection[str]) -> np.ndarray:
    """(values,) which constants have one of the texts, written as units write them."""
    ids = facts.program.string_ids
    return constant & among(facts.tables["values"]["data"], {ids[text] for text in texts if text in ids})


def _elements(facts: Facts, ending: np.ndarray, taking: np.ndarray, mask: int) -> None:
    """Elements of a list: each store into it makes a version, which the next one stores into."""
    stores, harmless = facts.tables["stores"], facts.labels.harmless_parts
    ends, takes = (set(np.flatnonzero(each).tolist()) for each in (ending, taking))  # a few: NumPy asks slowly for one
    ended: set[int] = set()  # versions that hold what ends the options
    taken: set[int] = set()  # versions whose last element takes the next one
    columns = (stores[name].tolist() for name in ("object", "value", "result"))
    for obj, value, result in zip(*columns, strict=True):
        if value < 0:
            continue
        if obj in ended or obj in taken:
            harmless[value, result] = harmless.get((value, result), 0) | mask
        if obj in ended or value in ends:
            ended.add(result)
        if value in takes:
            taken.add(result)


def _arguments(facts: Facts, ending: np.ndarray, taking: np.ndarray, mask: int) -> None:
    """Arguments of a call: where they are passed on, and where they are put into its result or its receiver."""
    marks = ending | taking
    arguments = facts.tables["arguments"]
    behind: dict[int, set[int]] = {}  # call -> arguments
    for call in distinct(arguments["call"][marks[arguments["value"]]]).tolist():
        rows = [row for row in facts.args.of(call) if facts.arg_position[row] >= 0]
        ended = False
        for before, row in pairwise(rows):
            ended = ended or bool(ending[facts.arg_value[before]])
            if ended or taking[facts.arg_value[before]]:
                facts.constants.positions[row] = facts.constants.positions.get(row, 0) | mask
                behind.setdefault(call, set()).add(facts.arg_value[row])
    if not behind:
        return
    pairs = [(value, facts.call_result[call]) for call, found in behind.items() for value in found]
    for call, found in behind.items():
        receivers = [row for row in facts.args.of(call) if facts.arg_position[row] == RECEIVER]
        pairs += [(value, facts.arg_post[row]) for row in receivers for value in found if facts.arg_post[row] >= 0]
    bindings = facts.resolution.rows("bindings")
    for site, argument, parameter, _, _ in bindings[among(bindings[:, 0], sorted(behind))].tolist():
        if argument in behind[site]:
            pairs.append((argument, parameter))
    harmless = facts.labels.harmless_parts
    for pair in pairs:
        harmless[pair] = harmless.get(pair, 0) | mask
