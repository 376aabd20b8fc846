"""What is asked about a request before code runs: whether an administrator sent it, or anybody with an account."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from pyrograph.policy.names.administrators import KEYS
from pyrograph.scanner.explain import accounts, administrators


@dataclass(frozen=True)
class Question:
    """One property of who sends a request, and what in code asks for it."""

    relation: Literal["operators", "accounts"]  # of packs: checks that libraries offer
    asks: Callable[[str], bool]  # code of a condition, or of an expression that guards a handler
    is_named: Callable[[str], bool]  # the name of a check
    is_group: Callable[[str], bool]  # the name of a group of handlers that stands for the check
    # What code does that turns others away, given that of the condition before it. A condition is then a check whatever
    # it asks. None: conditions are read alone.
    refuses: Callable[[str, str], bool] | None
    # The same of code behind a condition that asks: those who are turned away there reach nothing.
    turns_away: Callable[[str, str], bool]
    # code of a condition that lets some requests past a check, and whether it does so where it is true
    exempts: Callable[[str, bool], bool]
    # code that asks for a key which the operator gave to another program, and which stands for the user
    keys: re.Pattern[str] | None
    is_setting: Callable[[str], bool]  # code of a condition that asks how the program is configured
    # whether words are evidence by themselves: the name of a check whose code is seen and turns nobody away, and what a
    # check is given
    trusts_words: bool
    # code of a condition that asks what a request is for, and that of its other side, which turns away all others
    confines: Callable[[str, str], bool] = lambda condition, code: False
    # code of a condition, or the name of a check, that asks for a key which may be somebody else's; such a condition
    # counts where the same function asks for the user as well
    is_lent: Callable[[str], bool] | None = None


UNASKED: Final = Question(
    "operators",
    asks=lambda code: False,
    is_named=lambda name: False,
    is_group=lambda name: False,
    refuses=None,
    turns_away=lambda condition, code: False,
    exempts=lambda code, side: False,
    keys=None,
    is_setting=lambda code: False,
    trusts_words=False,
)
"""A question that no check answers: only the place where a function is registered, or what runs before it, does."""


ADMINISTRATORS: Final = Question(
    "operators",
    administrators.asks,
    administrators.is_administrators,
    administrators.is_administrators,
    None,
    administrators.turns_away,
    accounts.exempts,
    KEYS,
    lambda code: False,
    True,
)
ACCOUNTS: Final = Question(
    "accounts",
    accounts.asks,
    accounts.is_login,
    accounts.is_group,
    accounts.refuses,
    accounts.refuses,
    accounts.exempts,
    None,
    accounts.is_setting,
    False,
    accounts.confines,
)
OWNER: Final = replace(ACCOUNTS, is_named=accounts.is_owners_login, is_lent=accounts.asks_for_key)
"""The same where one account is all there is, the operator's: a key may be that of somebody else."""
