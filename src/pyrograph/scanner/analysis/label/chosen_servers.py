"""Calls on a connection to a server that a request chooses: ``connect(host=body.host).cursor().execute(body.sql)``.

Who names the server may run anything on it, so what the call adds to a statement, a command or a path there does little
harm. The address of a connection is known where a sink of a vulnerability that ``connects`` stands, and in a text such
as ``host=…`` that its constructor gets. It counts as chosen if a request decides it, or the record that it is read
from: ``connect(host=Server.get(body.id).host)``. An address from settings, the environment or constants does not.

Packs say at which sinks the server does the work (``served``): ``client.get(remote, local)`` writes a file here.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.ir.packed import FIRST_VALUE_KEY, key_value, subjects
from pyrograph.policy.limits.labels import MAX_ADDRESS_STEPS
from pyrograph.scanner.analysis.label.chosen import made_of
from pyrograph.scanner.analysis.label.definitions import attributes_among, definitions, results_of
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.literals import element
from pyrograph.scanner.analysis.label.rounds import version_before
from pyrograph.scanner.analysis.label.text_origins import MERGES, is_untrusted
from pyrograph.scanner.analysis.numbers import CALL_OP, CONST_OP, GLOBAL_OP, IMPORT_OP, LOAD_OP, NEW_OP, PARAMETER_OP
from pyrograph.scanner.analysis.resolve.resolution import CLASS

# in an address, or a list of settings: "host='\0'", "//user:\0@\0:22/", "tcp(\0)"; what goes on to an "@" is a login
BEFORE_HOST: Final = r"host=['\"]?|//|@|\("
HOST: Final = re.compile(rf"(?:\A|{BEFORE_HOST})(?P<host>\0)(?![^\s/()]*@)")
NAMED_HOST: Final = re.compile(rf"(?:{BEFORE_HOST})\0")


def chosen_servers(facts: Facts) -> frozenset[int]:
    """The calls of sinks on such a connection. Time O(sinks), and ``MAX_ADDRESS_STEPS`` values for each if the program
    opens connections to addresses that are not constant.
    """
    addresses: dict[int, list[int]] = {}  # by call that opens a connection
    asked: dict[int, None] = {}
    for sink in facts.labels.sinks:
        if sink.call == NONE:
            continue
        name = facts.labels.vulnerabilities[sink.vulnerability]
        if facts.wanted.connecting >> sink.vulnerability & 1:
            value = element(facts, sink.value, sink.keys) if sink.keys else sink.value
            if value == NONE and facts.op[facts.rep[sink.value]] != NEW_OP:
                value = sink.value  # options that come from elsewhere
            known = addresses.setdefault(sink.call, [])
            if value != NONE and value not in known:
                known.append(value)
        elif facts.call_receiver[sink.call] != NONE and any(
            fnmatchcase(sink.api, each) for each in facts.wanted.served.get(name, ())
        ):
            asked[sink.call] = None
    texts = facts.constants.texts.values()
    if not asked or not (addresses or any(is_address(text) for text in texts)):
        return frozenset()
    servers = Servers(facts, addresses)
    return frozenset(call for call in asked if servers.is_chosen(call))


def is_address(text: str) -> bool:
    """Whether a text with several holes has a place for a host."""
    return text.count("\0") > 1 and HOST.search(text) is not None


class Servers:
    """The connections of one program."""

    def __init__(self, facts: Facts, addresses: dict[int, list[int]]) -> None:
        self.facts = facts
        self.addresses = addresses
        self.decided: dict[int, bool] = {}  # by representative of an address
        self.stored: dict[int, list[int]] = {}  # ``fields``

    def is_chosen(self, call: int) -> bool:
        """Whether all connections that the receiver of a call may have lead to servers that requests choose."""
        found = self.connections(self.facts.call_receiver[call])
        return bool(found) and all(any(map(self.is_asked, each)) for each in found)

    def connections(self, receiver: int) -> list[list[int]]:
        """For each call that opens what an object may stand for, the addresses that it gets."""
        facts = self.facts
        found: dict[int, list[int]] = {}
        seen: set[int] = set()
        work = [receiver]
        while work and len(seen) < MAX_ADDRESS_STEPS:  # what is looked at is new in ``seen``
            rep = facts.rep[version_before(facts, work.pop())]
            if rep in seen:
                continue
            seen.add(rep)
            if facts.op[rep] in (IMPORT_OP, GLOBAL_OP):
                return []  # a module opens nothing
            known = {call: self.addresses_of(call) for call in facts.calls.methods_on(rep) if call in self.addresses}
            if facts.op[rep] == CALL_OP:
                known[facts.data[rep]] = self.addresses_of(facts.data[rep])
            known = {call: each for call, each in known.items() if each}
            found.update(known)
            if not known and facts.op[rep] != CONST_OP:
                before = self.before(rep)
                if not before:
                    return []  # an object of which nothing is known, such as a connection to a constant address
                work += before
        return [] if work else list(found.values())

    def before(self, rep: int) -> list[int]:
        """What an object was made of, or is another name of."""
        facts = self.facts
        if facts.op[rep] == CALL_OP:
            call = facts.data[rep]
            if returned := results_of(facts, call):
                return returned
            given = [facts.arg_value[row] for row in facts.args.of(call)]
            receiver = facts.call_receiver[call]
            if receiver != NONE and facts.op[facts.rep[receiver]] not in (IMPORT_OP, GLOBAL_OP):
                return [receiver]
            return [each for each in given if facts.op[facts.rep[each]] not in (CONST_OP, IMPORT_OP, GLOBAL_OP)]
        if facts.op[rep] == LOAD_OP:
            return self.parts(rep) or self.fields(rep) or [*definitions(facts, rep), facts.load_object[facts.data[rep]]]
        if facts.op[rep] == PARAMETER_OP:
            return facts.calls.arguments_for(rep)
        return definitions(facts, rep) or (facts.flows.same_as(rep) if facts.op[rep] in MERGES else [])

    def fields(self, load: int) -> list[int]:
        """What the program stores in the variable or attribute that is read."""
        known = self.stored.get(load)
        if known is None:
            held = attributes_among(self.facts, load, MAX_ADDRESS_STEPS)
            known = self.stored[load] = [*self.facts.flows.heap_in.get(load, ()), *sorted(held)]
        return known

    def parts(self, load: int) -> list[int]:
        """What literals of the program hold under the key of a load, also as one of several results."""
        facts = self.facts
        key = facts.load_key[facts.data[load]]
        holder = facts.rep[version_before(facts, facts.load_object[facts.data[load]])]
        held = results_of(facts, facts.data[holder]) if facts.op[holder] == CALL_OP else [holder]
        if key < 0 or not all(facts.op[facts.rep[each]] == NEW_OP for each in held):
            return []
        return [each for each in [element(facts, each, (key,)) for each in held] if each != NONE]

    def addresses_of(self, call: int) -> list[int]:
        """The addresses that a call is given: those that packs know, and texts with a place for a host."""
        facts = self.facts
        known = self.addresses.get(call, ())
        found: list[int] = []
        for each in known:
            is_text = facts.constants.texts.get(facts.rep[each], "").count("\0") > 1
            found += self.hosts_in(facts.rep[each]) if is_text else [each]
        if known or not facts.calls.apis_of.get(call):
            return found
        for row in facts.args.of(call):
            value = facts.arg_value[row]
            texts = results_of(facts, facts.data[facts.rep[value]]) if facts.op[facts.rep[value]] == CALL_OP else []
            for each in [value, *texts]:
                if NAMED_HOST.search(facts.constants.texts.get(facts.rep[each], "")):
                    found += self.hosts_in(facts.rep[each])
        return found

    def hosts_in(self, rep: int) -> list[int]:
        """What stands in the place of the host in a text that is put together."""
        facts = self.facts
        text = facts.constants.texts.get(rep, "")
        if not is_address(text):
            return []
        if facts.op[rep] == CALL_OP:
            given = [row for row in facts.args.of(facts.data[rep]) if facts.arg_position[row] != RECEIVER]
            parts = [facts.arg_value[row] for row in given][-text.count("\0") :]  # behind the text with the holes
        else:
            parts = [origin for origin, _ in facts.flows.origins_of(rep)]
        if len(parts) != text.count("\0"):
            return []
        return [parts[text.count("\0", 0, each.start("host"))] for each in HOST.finditer(text)]

    def is_asked(self, address: int) -> bool:
        """Whether a request decides an address, or by which key it is looked up."""
        rep = self.facts.rep[address]
        if rep not in self.decided:
            self.decided[rep] = self.is_decided(address)
        return self.decided[rep]

    def is_decided(self, address: int) -> bool:
        facts = self.facts
        seen: set[int] = set()
        work = [address]
        for each in work:  # grows; what is near is looked at first: a lookup is called in many places
            if len(seen) == MAX_ADDRESS_STEPS:
                break
            rep = facts.rep[version_before(facts, each)]
            if rep in seen:
                continue
            seen.add(rep)
            if is_untrusted(facts, rep):
                return True
            work += self.decided_by(rep)
        return False

    def decided_by(self, rep: int) -> list[int]:
        """What a value is made of, and by what it was looked up."""
        facts = self.facts
        if is_address(facts.constants.texts.get(rep, "")):
            return self.hosts_in(rep)
        if facts.op[rep] == CALL_OP:
            if returned := results_of(facts, facts.data[rep]):
                return returned
            receiver = facts.call_receiver[facts.data[rep]]
            return made_of(facts, rep) + ([receiver] if receiver != NONE else [])
        if facts.op[rep] != LOAD_OP:
            return made_of(facts, rep)
        if parts := self.parts(rep):
            return parts
        key, holder = facts.load_key[facts.data[rep]], version_before(facts, facts.load_object[facts.data[rep]])
        looked_up = [key_value(key)] if key <= FIRST_VALUE_KEY else []
        if self.is_record(facts.rep[holder]):
            looked_up.append(holder)
        return (self.fields(rep) or [holder]) + looked_up

    def is_record(self, rep: int) -> bool:
        """Whether a call of a library returned an object, and no class of the program was called."""
        facts = self.facts
        if facts.op[rep] != CALL_OP or facts.calls.functions_of(facts.data[rep]):
            return False
        states = facts.resolution.states_of(facts.call_callee[facts.data[rep]])
        return not any(subjects(states, CLASS))
