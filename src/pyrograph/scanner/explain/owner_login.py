"""Whether the operator alone logs in: each place that compares a password compares the one of the configuration.

    if form.Email != cfg.User.Email || bcrypt.CompareHashAndPassword(cfg.User.Password, form.Password) != nil { refuse }

Such a program has one account, that of who set it up. What is behind its login runs for them only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Op, Test
from pyrograph.kernels.arrays import among
from pyrograph.policy.names.keys import COMPARES_PASSWORDS, NEW_PASSWORDS
from pyrograph.scanner.explain.key_regions import KeyRegions

PASSWORD: Final = re.compile(r"(?i)passw|passphrase")
# In all texts that log somebody in: passw, passphrase, authenticate, oauth, passport. Two sets of letters come first:
# every text of the program is searched, and a pattern that ignores case from its first letter on takes 7 times as long.
WRITTEN: Final = re.compile(rb"[aopAOP][auAU](?i:(?<=pa)ss(?:w|phrase|port)|(?<=au)thenticate|(?<=oa)uth)")


class OwnerLogin:
    """One answer for the whole program. Linear in the conditions and calls of files that speak of passwords."""

    def __init__(self, regions: KeyRegions, is_own: npt.NDArray[np.bool_]) -> None:
        """``is_own``: whether each value stands in a file that is no test."""
        self.regions = regions
        self.program = regions.program
        files = [number for number in range(len(self.program.files)) if regions.texts.has(number, WRITTEN)]
        self.counts = among(self.program.file_of_value, files) & is_own

    def is_only(self) -> bool:
        """Whether there are such places, and at each of them one side is a setting."""
        found = False
        for is_setting in self.comparisons():
            if not is_setting:
                return False
            found = True
        return found

    def comparisons(self) -> Iterator[bool]:
        """For each place that compares a password: whether one side is a setting."""
        regions, tables = self.regions, self.program.tables
        table, calls = tables["conditions"], tables["calls"]
        places = self.counts[tables["functions"]["result"][table["function"]]]
        for condition in np.flatnonzero(places & (table["test"] == int(Test.EQUAL))).tolist():
            code = regions.condition_text(condition)
            sides = [int(table[side][condition]) for side in ("left", "right")]
            if PASSWORD.search(code) is None or NEW_PASSWORDS.search(code) or NONE in sides:
                continue
            if all(regions.op[regions.resolution.reps[each]] != Op.CONST for each in sides):
                yield any(map(regions.is_key, sides))
        for call in np.flatnonzero(self.counts[calls["result"]]).tolist():
            if regions.functions_of(call) or not COMPARES_PASSWORDS.search(regions.texts_of_callee(call)):
                continue
            yield any(map(regions.is_key, regions.given_to(call)))
