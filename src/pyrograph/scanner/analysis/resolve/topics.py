"""Messages: a call sends them with a key, functions that were registered with the same key handle them.

``queue.add(data)`` and ``new Worker("mail", run)``, ``bus.execute(new Rename(name))`` and ``@CommandHandler(Rename)``,
``signal.send(...)`` and ``@receiver(signal)`` mostly stand in files that do not know each other. They find each other
by a topic, which packs name, and a key: constants, classes, objects, the name that an object was made with, or a text
that the pack gives where a program has one such channel in each direction (workers and their parent). So a
handler of other messages is not reached. Each pair of a sender and a handler is a call by a library (``callbacks``).

Tables of records (``records``) have keys of the same kind: a call that keeps a record, and one that recalls it.
"""

from __future__ import annotations

from dataclasses import dataclass
from posixpath import splitext
from typing import Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.resolution import MAX_CHAIN, MAX_NAMES_BEFORE_CONSTANT
from pyrograph.rules.entries import Execute, Handle, Keep, Port, Recall, Send, TopicKey
from pyrograph.scanner.analysis.apis import CALL, INSTANCE
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    CONST_OP,
    GLOBAL_OP,
    IMPORT_OP,
    LOAD_OP,
    PARAMETER_OP,
    PHI_OP,
)
from pyrograph.scanner.analysis.resolve.computed_imports import put_together, spellings
from pyrograph.scanner.analysis.resolve.constants import constant, definition, members
from pyrograph.scanner.analysis.resolve.handed_tables import names_no_table
from pyrograph.scanner.analysis.resolve.library_objects import inputs_of_join
from pyrograph.scanner.analysis.resolve.ports import key_at, listen_at, port_values, with_viewed
from pyrograph.scanner.analysis.resolve.raised import RAISED_TOPIC, give_class, name_of_class
from pyrograph.scanner.analysis.resolve.records import IMPORTED, TYPE, remember
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF, OBJECT
from pyrograph.scanner.analysis.resolve.sent_across import deliver
from pyrograph.scanner.analysis.resolve.solver import Listener, Solver
from pyrograph.scanner.analysis.resolve.statement_tables import run_statement

MADE: Final = ("made", "called")  # parts of keys that stand in the call that made the receiver, or what is called
FIRST_ELEMENT: Final = "0"  # the key of a list's first element
OBJECT_OF: Final = "\0object "  # before the number of an object that is a part of a key


@dataclass(frozen=True, slots=True)
class HandlerListener(Listener):
    """A function that handles the messages of a topic with a key, or a class of which each makes an instance."""

    topic: tuple[str, ...]

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        handlers, senders = solver.models.topics.setdefault(self.topic, ({}, {}))
        if state & KIND not in (FUNCTION, CLASS) or state in handlers:
            return
        handlers[state] = None
        if self.topic[0] == RAISED_TOPIC and state & KIND == FUNCTION:
            give_class(solver, state >> KIND_BITS, self.topic)
        for row, flow in tuple(senders):
            deliver(solver, row, flow, state)


@dataclass(frozen=True, slots=True)
class KeyListener(Listener):
    """A value whose class, whose identity or whose making is the next part of a key."""

    flow: Handle | Send | Keep | Recall | Execute
    topic: tuple[str, ...]  # the parts that are known

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        part = self.flow.key[len(self.topic) - 1]
        if isinstance(self.flow, Execute):
            if state & KIND == OBJECT:
                for row in makers(solver, state >> KIND_BITS):
                    prepare(solver, call, row, self.flow, self.topic)
            return
        text = text_of(solver, part, state)
        is_table = isinstance(self.flow, Keep | Recall)
        if isinstance(self.flow, Keep | Recall) and part.by == "root":
            if state & KIND == INSTANCE_OF:
                solver.models.managers.setdefault(state >> KIND_BITS, {})[call, self.flow, self.topic] = None
            elif state & KIND == CLASS:
                solver.models.rooted.add((call, self.flow, self.topic))
        if text is not None and not (is_table and part.by in MADE and text.startswith(OBJECT_OF)):
            join(solver, call, self.flow, (*self.topic, text))
        if part.by in MADE and isinstance(self.flow, Keep | Recall) and state & KIND == OBJECT:
            for row in makers(solver, state >> KIND_BITS):
                for given in port_values(solver, row, part.port):
                    value = class_given(solver, given)
                    solver.listen(value, ClassListener(self.flow, self.topic), call)
                    if (name := name_of_import(solver, value)) is not None:
                        join(solver, call, self.flow, (*self.topic, name))


@dataclass(frozen=True, slots=True)
class ElementListener(Listener):
    """A collection whose elements are records. An instance of a class is none, whatever its fields hold, and what an
    object holds under names is no element: ``var row T`` of a generic function has fields of other classes.

    All elements of a list are records of one table, so that the first one says which.
    """

    made: Listener

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == OBJECT and not is_struct(solver, state >> KIND_BITS):
            for key in (UNKNOWN_KEY, solver.program.intern(FIRST_ELEMENT)):
                solver.listen_node(solver.cell(state, key), self.made, call)


@dataclass(frozen=True, slots=True)
class ClassListener(Listener):
    """A value given to the call that made a receiver, ``getRepository(Hook)``: a class is the next part of a key."""

    flow: Keep | Recall
    topic: tuple[str, ...]  # the parts that are known

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == CLASS:
            join(solver, call, self.flow, (*self.topic, f"{TYPE}{state >> KIND_BITS}"))


def handle(solver: Solver, row: int, flow: Handle) -> None:
    """The call ``row`` registers a function for messages."""
    join(solver, row, flow, (flow.topic,))


def send(solver: Solver, row: int, flow: Send) -> None:
    """The call ``row`` sends a message."""
    join(solver, row, flow, (flow.topic,))


def find_key(solver: Solver, row: int, flow: Keep | Recall | Execute) -> None:
    """The call ``row`` keeps or recalls records of a table, or runs a statement that does."""
    join(solver, row, flow, (flow.table,))


def join(solver: Solver, row: int, flow: Handle | Send | Keep | Recall | Execute, topic: tuple[str, ...]) -> None:
    """Look up the parts of a key that are left, then let senders and handlers meet."""
    if len(topic) <= len(flow.key):
        part = flow.key[len(topic) - 1]
        if part.by == "text":
            join(solver, row, flow, (*topic, part.text))
            return
        if part.by == "file":
            if isinstance(flow, Keep | Recall):
                solver.models.file_calls[row, flow] = None
            return
        at = row
        if part.above:
            callee = solver.calls.callee[row]
            if callee == NONE or solver.op[callee] != CALL_OP:
                return
            at = solver.data[callee]
        if isinstance(flow, Execute) and part.by == "constant":
            prepare(solver, row, at, flow, topic)
            return
        if part.by == "constant":
            texts = [constant(solver, value) for value in port_values(solver, at, part.port)]
            if isinstance(flow, Keep | Recall) and (not texts or texts[0] is None):
                return
            if isinstance(flow, Handle | Send) and texts and texts[0] is None:
                solver.models.handed_keys[row, flow, topic, port_values(solver, at, part.port)[0]] = None
                return
            join(solver, row, flow, (*topic, (texts[0] or "") if texts else ""))
            return
        if isinstance(flow, Keep | Recall):
            listen_for_table(solver, row, at, flow, topic)
            return
        port = Port("this") if part.by == "made" else part.port
        for value in port_values(solver, at, port):
            solver.listen(value, KeyListener(flow, topic), row)
            name = name_of_class(solver, value) if topic[0] == RAISED_TOPIC else None
            if name is not None:
                join(solver, row, flow, (*topic, name))
    elif isinstance(flow, Execute):
        run_statement(solver, row, flow, topic)
    elif isinstance(flow, Keep | Recall):
        remember(solver, row, flow, topic)
    elif isinstance(flow, Handle):
        for value in port_values(solver, row, flow.handler):
            listen_at(solver, row, value, flow.handler.path, HandlerListener(topic))
    else:
        handlers, senders = solver.models.topics.setdefault(topic, ({}, {}))
        if (row, flow.call) not in senders:
            senders[row, flow.call] = None
            for state in tuple(handlers):
                deliver(solver, row, flow.call, state)


def join_managers(solver: Solver) -> None:
    """Let calls in methods of a manager, ``self.filter(...)``, be about the classes that hold an instance of it,
    ``objects = HookManager()``. A call that names its class, ``Hook.objects.filter(...)``, is about that one alone.
    Linear in the members of classes.
    """
    if not solver.models.managers:
        return
    found: dict[int, dict[int, None]] = {}  # class of a manager -> classes that hold one
    for owner, members_of in solver.classes.members.items():
        for value in [each for values in members_of.values() for each in values]:
            node = solver.points.reps[value]
            for state in (
                solver.points.states[node] if solver.op[node] == CALL_OP and not is_relation(solver, node) else ()
            ):
                if state & KIND == INSTANCE_OF and state >> KIND_BITS in solver.models.managers:
                    found.setdefault(state >> KIND_BITS, {})[owner] = None
    for manager, owners in found.items():
        for row, flow, topic in tuple(solver.models.managers[manager]):
            if (row, flow, topic) in solver.models.rooted:
                continue
            for owner in owners:
                join(solver, row, flow, (*topic, f"{TYPE}{owner}"))


def is_relation(solver: Solver, node: int) -> bool:
    """Whether a call declares a field that refers to another record: what it gives is that record."""
    callee, apis = solver.calls.callee[solver.data[node]], solver.apis.get(solver.files.language_of(node))
    states = solver.points.states[solver.points.reps[callee]] if callee != NONE and apis is not None else ()
    roles = [apis.roles.get(state >> KIND_BITS) for state in states if apis is not None and state & KIND == API]
    return any([each is not None and each.is_relation for each in roles])


def prepare(solver: Solver, row: int, at: int, flow: Execute, topic: tuple[str, ...]) -> None:
    """Take the texts that the call ``at`` is given as the next part of the key of the call ``row``: of a text that a
    call wraps, ``text("SELECT ...")``, that call's own.
    """
    port = flow.key[len(topic) - 1].port
    values = port_values(solver, at, port)
    for key in port.path:  # ``query({ text: "SELECT ..." })``: the members of a literal
        holders = [definition(solver, each, MAX_NAMES_BEFORE_CONSTANT) for each in values]
        name = key_at(solver, at, key)
        values = [each for holder in holders if holder != NONE for each in members(solver, holder, name)]
    for value in values:
        node = solver.points.reps[value]
        wraps = solver.op[node] == CALL_OP and node not in put_together(solver)
        wrapped = port_values(solver, solver.data[node], Port("position", 0)) if wraps else ()
        for each in wrapped or (value,):
            texts = spellings(solver, each)
            for text in texts:
                join(solver, row, flow, (*topic, text.removeprefix("'")))
            if any(map(names_no_table, texts)):
                solver.models.statements.open_tables[row, flow, topic, each] = None
            if not texts:
                solver.models.statements.handed[row, flow, topic, each] = None


def name_of_import(solver: Solver, value: int) -> str | None:
    """The key of a class from a module which the program does not have: the name that it is read by; else None."""
    node = solver.points.reps[value]
    op, row = solver.op[node], solver.data[node]
    if op == GLOBAL_OP:
        name = row
    elif op in (IMPORT_OP, LOAD_OP):
        name = solver.names.import_name[row] if op == IMPORT_OP else solver.accesses.load_key[row]
    else:
        return None
    paths = solver.apis[solver.files.language_of(value)].paths
    known = [paths[state >> KIND_BITS][-1] for state in solver.points.states[node] if state & KIND == API]
    if (
        name < 0 or not known or INSTANCE in known or CALL in known
    ):  # what a library made is no class, whatever variable holds it
        return None
    return f"{IMPORTED}{solver.strings[name]}"


def class_given(solver: Solver, value: int) -> int:
    """The class that is given to a call, itself or by its name: ``User``, ``User.name``."""
    node = solver.points.reps[value]
    if solver.op[node] == LOAD_OP and member_name(solver, value) in solver.files.traits_of(node).class_name[-1:]:
        return solver.accesses.load_object[solver.data[node]]
    return value


def listen_for_table(solver: Solver, row: int, at: int, flow: Keep | Recall, topic: tuple[str, ...]) -> None:
    """Look up the next part of the key of a table at the call ``at``, where it is no constant."""
    part, names = flow.key[len(topic) - 1], list[str | None]()
    port = Port("this") if part.by in MADE else part.port
    values = port_values(solver, at, port)
    if part.by == "called":
        values = [solver.calls.callee[at]] if solver.calls.callee[at] != NONE else []
    for value in [side for each in with_viewed(solver, values) for side in sides_of(solver, each)]:
        if part.by == "name":
            names.append(member_name(solver, value))
            continue
        chain = chain_of(solver, value) if part.by == "root" else [value]
        for each in chain:
            if port.path == ("",):
                solver.listen(each, ElementListener(KeyListener(flow, topic)), row)
            else:
                listen_at(solver, row, each, port.path, KeyListener(flow, topic))
        if not port.path and part.by in ("type", "root"):
            names.append(name_of_import(solver, chain[:2][-1]))
        if not port.path and part.by == "type":
            names += [f"{TYPE}{owner}" for owner in class_called(solver, value)]
        for element in elements_read(solver, value) if port.path == ("",) else ():
            solver.listen(element, KeyListener(flow, topic), row)
    for name in names:
        if name is not None:
            join(solver, row, flow, (*topic, name))


def class_called(solver: Solver, value: int) -> list[int]:
    """The class that a text names, ``"User"``, ``"accounts.User"``: the only one of the program's of this name, or of
    several the one in a file or folder of the name before the dot.
    """
    node = solver.points.reps[value]
    text = solver.strings[solver.data[node]] if solver.op[node] == CONST_OP else ""
    package, _, name = text[1:].rpartition(".")
    if text[:1] != "'" or not name:
        return []
    known, owners = solver.models.classes_named, solver.program.tables["owners"]
    if not known:
        for owner, (at, named) in enumerate(zip(owners["value"].tolist(), owners["name"].tolist(), strict=True)):
            if named >= 0 and at >= 0:
                known.setdefault(solver.strings[named], []).append(owner)
    found = known.get(name, [])
    if len(found) > 1:
        paths = [solver.program.files[int(solver.files.file_of[int(owners["value"][each])])].path for each in found]
        last = package.rpartition(".")[2]
        found = [each for each, path in zip(found, paths, strict=True) if last in splitext(path)[0].split("/")]
    return found if len(found) == 1 else []


def is_struct(solver: Solver, value: int) -> bool:
    """Whether an object is declared to be of a class of the program."""
    declared = solver.classes.types.of.get(value, NONE)
    return declared != NONE and any(
        state & KIND == CLASS for state in solver.points.states[solver.points.reps[declared]]
    )


def elements_read(solver: Solver, value: int) -> list[int]:
    """The elements of a list that the code reads, whose types it may declare."""
    accesses = solver.accesses
    rows = accesses.loads_of.get(solver.points.reps[value], ())
    return [accesses.load_result[row] for row in rows if accesses.load_key[row] == UNKNOWN_KEY]


def member_name(solver: Solver, value: int) -> str | None:
    """The name of the member that a value is."""
    read = solver.points.reps[value]
    key = solver.accesses.load_key[solver.data[read]] if solver.op[read] == LOAD_OP else NONE
    return solver.strings[key] if key >= 0 else None


def sides_of(solver: Solver, value: int) -> list[int]:
    """What a value is made of that joins what both branches of a condition have read: ``Hook.objects``, read in each of
    them and behind them. A value that joins more than ``MAX_CHAIN`` others is left as it is.
    """
    node = solver.points.reps[value]
    sides = inputs_of_join(solver, node) if solver.op[node] == PHI_OP else []
    return sides if 0 < len(sides) <= MAX_CHAIN else [value]


def chain_of(solver: Solver, value: int) -> list[int]:
    """A value, what it is a member of, and so on: ``Hook.objects``, ``Hook``."""
    found = [value]
    while len(found) < MAX_CHAIN:
        node = solver.points.reps[found[-1]]
        if solver.op[node] != LOAD_OP:
            break
        found.append(solver.accesses.load_object[solver.data[node]])
    return found


def text_of(solver: Solver, part: TopicKey, state: int) -> str | None:
    """The part of a key that a state is, or None."""
    kind, subject = state & KIND, state >> KIND_BITS
    if part.by in ("type", "root"):
        if kind == OBJECT and subject in solver.models.table_of:
            return solver.models.table_of[subject][-1]
        known = kind == CLASS or (kind == INSTANCE_OF and part.by != "root")
        return f"{TYPE}{subject}" if known else None
    if kind != OBJECT:
        return None
    if part.by in MADE and subject < len(solver.op):
        for row in makers(solver, subject):
            for value in port_values(solver, row, part.port):
                text = constant(solver, value)
                if text is not None:
                    return text
    return f"{OBJECT_OF}{subject}"


def makers(solver: Solver, value: int) -> list[int]:
    """The call that an object is the result of, or those that decorate the parameter that it is."""
    if value >= len(solver.op):
        return []
    if solver.op[value] == CALL_OP:
        return [solver.data[value]]
    if solver.op[value] != PARAMETER_OP:
        return []
    return solver.models.decorating.get(value, [])
