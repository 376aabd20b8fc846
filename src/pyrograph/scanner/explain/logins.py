"""Code that runs only when the login that this browser began is completed.

    const { error } = await supabase.auth.exchangeCodeForSession(code);
    if (!error) return NextResponse.redirect(origin + next);

An identity provider gave the code for a login that the same browser began: the call compares it with what the session
or a cookie holds. A link that an attacker sends has no such code, so what the handler reads beside it is his only where
the program itself takes it along from the beginning of the login. Packs list such calls (``[type] exchanges``). Calls
that take any code of the provider are not listed, because an attacker may send a code of his own.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyrograph.ir.codes import NONE, Test
from pyrograph.scanner.explain.questions import UNASKED
from pyrograph.scanner.explain.regions import Regions


class CompletedLogins(Regions):
    """The blocks of functions that run without a completed login: everything else is ``is_protected``."""

    completing: frozenset[int] = frozenset()  # states of results of calls that raise if the login is not completed
    incomplete: frozenset[int] = frozenset()  # states of errors that calls return if it is not

    @classmethod
    def of(cls, regions: Regions, completing: frozenset[int], incomplete: frozenset[int]) -> CompletedLogins:
        """The same program; what both need of it is shared."""
        other = cls.__new__(cls)
        other.__dict__.update(regions.about(UNASKED).__dict__)
        other.completing, other.incomplete = completing, incomplete
        return other

    def is_passed(self, values: Iterable[int]) -> bool:
        """Whether one of the values is computed behind a completed login, by what its own function asks."""
        return bool(self.completing or self.incomplete) and any(map(self.is_protected, values))

    def is_gate(self, call: int, depth: int) -> bool:
        result = int(self.program.tables["calls"]["result"][call])
        return not self.completing.isdisjoint(self.resolution.states_of(result)) or super().is_gate(call, depth)

    def _side_of(self, condition: int) -> int:
        table = self.program.tables["conditions"]
        test = int(table["test"][condition])
        left, right = (int(table[side][condition]) for side in ("left", "right"))
        if test == Test.TRUTH and self.is_error(left):
            return 0
        is_compared = test == Test.EQUAL and NONE not in (left, right)
        pairs = ((left, right), (right, left)) if is_compared else ()
        return 1 if any(self.is_error(one) and self.is_absent(other) for one, other in pairs) else NONE

    def is_error(self, value: int) -> bool:
        return not self.incomplete.isdisjoint(self.resolution.states_of(value))
