"""The rule language: how calls move data, the flows of a propagator; see ``grammar``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Literal

from pyrograph.rules.entries import CallFlow, Chain, Drop, Execute, Flow, Handle, Keep, Port, Recall, Send, TopicKey
from pyrograph.rules.grammar_apis import NUMBER, names_after, path, port, ports, quoted
from pyrograph.rules.reader import Reader

KeyKind = Literal["constant", "type", "object", "made", "root", "name", "called", "file"]
# Those that a word names.
KEY_KINDS: Final[tuple[KeyKind, ...]] = ("type", "object", "made", "root", "name", "called", "file")
FlowEntry = Flow | CallFlow | Handle | Send | Keep | Recall | Execute | Drop | Chain


def flow(r: Reader) -> FlowEntry:
    """One flow of a propagator; its first word names the form, and a flow between two ports has none."""
    for word, read in FORMS.items():
        if r.take(word):
            return read(r)
    return _between_ports(r)


def _chain(r: Reader) -> Chain:
    """``chain 0 to 1``."""
    r.blanks()
    steps = port(r)
    r.blanks()
    r.expect("to ", "say which argument is called in the end: 'chain 0 to 1'")
    r.blanks()
    return Chain(steps, port(r))


def _drop(r: Reader) -> Drop:
    """``drop this[$0]``."""
    r.blanks()
    start = r.at
    dropped = port(r)
    if len(dropped.path) != 1:
        r.fail("only one element, or all elements, can be dropped", "write 'drop this[$0]' or 'drop this[]'", start)
    return Drop(dropped)


def _where(r: Reader) -> CallFlow:
    """``where 0(this[]) -> ret[]``."""
    r.blanks()
    callee = port(r)
    r.expect("(", "name the arguments that the function is called with: 'where 0(this[]) -> ret[]'")
    r.blanks()
    asked = ports(r)
    r.expect(")", "close the list of arguments")
    r.blanks()
    r.expect("->", "say where the accepted values go: 'where 0(this[]) -> ret[]'")
    r.blanks()
    return CallFlow(callee, asked, port(r), where=True)


def _handle(r: Reader) -> Handle:
    """``handle jobs[0] by 1``."""
    topic, key = topic_and_key(r)
    r.blanks()
    r.expect("by ", "say which argument is the handler: 'handle jobs[0] by 1'")
    r.blanks()
    return Handle(topic, key, port(r))


def _send(r: Reader) -> Send:
    """``send jobs[0](1)``, ``send jobs[0](1) -> ret``."""
    topic, key = topic_and_key(r)
    r.blanks()
    sent = arguments_of_call(r, "name the arguments that the handlers are called with: 'send jobs[0](1)'")
    result = None
    if r.take("->"):
        r.blanks()
        result = port(r)
    return Send(topic, key, CallFlow(Port("ret", path=(topic,)), sent, result))


def _keep(r: Reader) -> Keep:
    """``keep rows[type 0](0)``, and which fields of the record: ``fields 1 except 2 through save named post in 3``."""
    table, key = topic_and_key(r)
    r.blanks()
    stored = arguments_of_call(r, "name the arguments that are kept: 'keep rows[type 0](0)'")
    listed: Port | None = None
    without: tuple[Port, ...] = ()
    if r.take("fields "):
        r.blanks()
        listed = port(r)
        r.blanks()
        if r.take("except "):
            r.blanks()
            without = ports(r)
            r.blanks()
    through = _listed_names(r, "through ")
    named = _listed_names(r, "named ")
    naming = None
    if named:
        r.expect("in ", "say where the list is: 'named post in this[http_method_names]'")
        r.blanks()
        naming = port(r)
    return Keep(table, key, stored, listed, without, through, named, naming)


def _listed_names(r: Reader, word: str) -> tuple[str, ...]:
    """The names behind ``word``, separated by commas; none where the word does not stand here."""
    names: list[str] = []
    while r.take("," if names else word):
        r.blanks()
        names.append(r.name("," if names else word))
        r.blanks()
    return tuple(names)


def _recall(r: Reader) -> Recall:
    """``recall rows[type 0] -> ret``, ``... -> ret with 0[include]``, ``... -> methods of 1 by 'row'``."""
    table, key = topic_and_key(r)
    r.blanks()
    r.expect("->", "say what is a record: 'recall rows[type 0] -> ret'")
    r.blanks()
    if not r.word("methods"):
        target = port(r)
        return Recall(table, key, target, joins=ports(r) if r.take(" with ") else ())
    r.word("of")
    target = port(r)
    r.blanks()
    r.expect("by ", "name the parameters that are records: 'recall rows[type 0] -> methods of 1 by 'row''")
    names = [quoted(r)]
    while r.take(" '"):
        r.at -= 1
        names.append(quoted(r))
    return Recall(table, key, target, methods=tuple(names))


def _execute(r: Reader) -> Execute:
    """``execute tables[0](1)``, and where the rows go: ``-> ret[]``, ``-> cb -1:1[]``."""
    table, key = topic_and_key(r)
    r.blanks()
    given = arguments_of_call(r, "name the parameters of the statement: 'execute tables[0](1)'")
    if not r.take("->"):
        return Execute(table, key, given, None)
    r.blanks()
    if not r.take("cb "):
        return Execute(table, key, given, port(r))
    function = port(r)
    r.expect(":", "say which parameter of the function gets the rows: 'execute tables[0](1) -> cb -1:1[]'")
    number = r.find(NUMBER)
    if not number:
        r.fail("the parameter of the function is missing", "write its position from 0: 'cb -1:1[]'")
    return Execute(table, key, given, replace(function, path=path(r)), int(number))


def _declare(r: Reader) -> Recall:
    """``declare rows[0] by 1[type]``."""
    table, key = topic_and_key(r)
    r.blanks()
    r.expect("by ", "say what declares the columns: 'declare rows[0] by 1[type]'")
    r.blanks()
    return Recall(table, key, port(r), declares=True)


def _bind(r: Reader) -> CallFlow:
    """``bind 0(1+) -> ret``."""
    called = _call(r, later=True)
    if called.target is None:
        r.fail("'bind' does not say what the new function is", "write 'bind 0(1+) -> ret'")
    return called


def _call(r: Reader, *, later: bool = False) -> CallFlow:
    """``call 0(1[])``, ``call 0(1[]) on 2 -> ret``; ``later``: the result is a function with these arguments."""
    r.blanks()
    callee = port(r)
    arguments = arguments_of_call(r, "name the arguments that the function is called with: 'call 0(1[])'")
    receiver = None
    if r.take("on "):
        r.blanks()
        receiver = port(r)
        r.blanks()
    target = None
    if r.take("->"):
        r.blanks()
        start = r.at
        target = port(r)
        if later and target != Port("ret"):
            r.fail("a function with bound arguments is a result", "write 'bind 0(1+) -> ret'", start)
    return CallFlow(callee, arguments, target, receiver=receiver, later=later)


def _between_ports(r: Reader) -> Flow:
    """``0 -> ret``, ``0 => ret`` for the value itself, and what the call does to the value: ``replacing 0 by 1``."""
    origin = port(r)
    r.blanks()
    same = r.take("=>")
    if not same:
        r.expect("->", "write 'from -> to', or 'from => to' for the value itself")
    r.blanks()
    target = port(r)
    r.blanks()
    shown = not same and bool(r.take("shown"))
    r.blanks()
    schema = None
    only = is_made = False
    if r.take("as "):
        r.blanks()
        only = bool(r.take("only "))
        r.blanks()
        is_made = bool(r.take("made "))
        r.blanks()
        schema = port(r)
        r.blanks()
    pattern, replacement, is_text = None, None, False
    if not same and r.take("replacing "):
        r.blanks()
        is_text = bool(r.take("text "))
        r.blanks()
        pattern = port(r)
        r.blanks()
        r.expect("by ", "say what matches are replaced by: 'this -> ret replacing 0 by 1'")
        r.blanks()
        replacement = port(r)
        r.blanks()
    normalising = not same and bool(r.take("normalising"))
    r.blanks()
    decoding = not same and bool(r.take("decoding"))
    r.blanks()
    return Flow(
        origin,
        target,
        same,
        without=names_after(r, "without "),
        shown=shown,
        pattern=pattern,
        replacement=replacement,
        schema=schema,
        is_text=is_text,
        normalising=normalising,
        decoding=decoding,
        only=only,
        schema_made=is_made,
    )


FORMS: Final[dict[str, Callable[[Reader], FlowEntry]]] = {  # the first word of a flow -> what reads the rest of it
    "chain ": _chain,
    "drop ": _drop,
    "where ": _where,
    "handle ": _handle,
    "send ": _send,
    "keep ": _keep,
    "recall ": _recall,
    "execute ": _execute,
    "declare ": _declare,
    "bind ": _bind,
    "call ": _call,
}


def arguments_of_call(r: Reader, remedy: str) -> tuple[Port, ...]:
    """The arguments that functions are called with, perhaps none: ``(0, 1[])``."""
    r.expect("(", remedy)
    r.blanks()
    found = () if r.next() == ")" else ports(r)
    r.expect(")", "close the list of arguments")
    r.blanks()
    return found


def topic_and_key(r: Reader) -> tuple[str, tuple[TopicKey, ...]]:
    """A topic and the parts of a key: ``jobs[made 0, 0]``."""
    r.blanks()
    topic = r.name("the topic")
    r.expect("[", "write the key of the messages: 'jobs[0]'")
    found: list[TopicKey] = []
    while not found or r.take(","):
        r.blanks()
        if r.next() in ("'", '"'):
            found.append(TopicKey("text", Port("ret"), text=quoted(r)))
            r.blanks()
            continue
        above = bool(r.take("^"))
        by: KeyKind = next((kind for kind in KEY_KINDS if r.take(f"{kind} ")), "constant")
        r.blanks()
        found.append(TopicKey(by, port(r), above))
        r.blanks()
    r.expect("]", "close the key")
    return topic, tuple(found)
