"""What a program signs or encrypts for a client to bring back: ``jwt.sign({ back })`` and ``jwt.verify(cookie).back``.

A signature proves that the program made the token, not that what stands in it is harmless: a request chose that, and
the program signed it unread, such as the address to which a login leads back. So data flows from the argument that a
call signs (``[type] sealed`` of the packs) to where a call of the program opens tokens of that library, in every
calling context. Which keys of an object were signed stays known, so a token with the number of a user gives back
nothing.

Linear in the calls, times the pairs of both kinds, of which ``MAX_SEALED_EDGES`` may be.
"""

from __future__ import annotations

from pyrograph.policy.limits.resolution import MAX_SEALED_EDGES
from pyrograph.scanner.analysis.resolve.ports import port_values, target_values
from pyrograph.scanner.analysis.resolve.solver import Solver


def link_sealed(solver: Solver) -> None:
    """Let data flow from what a call signs to where another call gives it back."""
    sealed: dict[tuple[str, int], dict[int, None]] = {}  # (language, API that opens) -> values, in order
    opened: dict[tuple[str, int], dict[int, None]] = {}
    for row, node in solver.resolution.api_calls:
        language = solver.files.language_of(solver.calls.result[row])
        roles = solver.apis[language].roles.get(node)
        if roles is None:
            continue
        for port, opening in roles.exchanges.seals:
            found = sealed.setdefault((language, opening), {})
            found.update(dict.fromkeys(port_values(solver, row, port)))
        for port in roles.exchanges.opens:
            found = opened.setdefault((language, node), {})
            found.update(dict.fromkeys(target_values(solver, row, port)))
    for kind, values in sealed.items():
        results = opened.get(kind, {})
        if len(values) * len(results) <= MAX_SEALED_EDGES:
            for value in values:
                for result in results:
                    solver.resolution.flows.context_free_edges.append((value, result))
