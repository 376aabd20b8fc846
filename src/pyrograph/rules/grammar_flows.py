"""The rule language: how calls move data, the flows of a propagator; see ``grammar``."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pyrograph.rules.entries import CallFlow, Chain, Drop, Execute, Flow, Handle, Keep, Port, Recall, Send, TopicKey
from pyrograph.rules.grammar_apis import NUMBER, names_after, path, port, ports, quoted
from pyrograph.rules.reader import Reader


def flow(r: Reader) -> Flow | CallFlow | Handle | Send | Keep | Recall | Execute | Drop | Chain:
    if r.take("chain "):
        r.blanks()
        steps = port(r)
        r.blanks()
        r.expect("to ", "say which argument is called in the end: 'chain 0 to 1'")
        r.blanks()
        return Chain(steps, port(r))
    if r.take("drop "):
        r.blanks()
        start = r.at
        dropped = port(r)
        if len(dropped.path) != 1:
            r.fail("only one element, or all elements, can be dropped", "write 'drop this[$0]' or 'drop this[]'", start)
        return Drop(dropped)
    if r.take("where "):
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
    if r.take("handle "):
        topic, key = topic_and_key(r)
        r.blanks()
        r.expect("by ", "say which argument is the handler: 'handle jobs[0] by 1'")
        r.blanks()
        return Handle(topic, key, port(r))
    if r.take("send "):
        topic, key = topic_and_key(r)
        r.blanks()
        sent = arguments_of_call(r, "name the arguments that the handlers are called with: 'send jobs[0](1)'")
        result = None
        if r.take("->"):
            r.blanks()
            result = port(r)
        return Send(topic, key, CallFlow(Port("ret", path=(topic,)), sent, result))
    if r.take("keep "):
        table, key = topic_and_key(r)
        r.blanks()
        stored = arguments_of_call(r, "name the arguments that are kept: 'keep rows[type 0](0)'")
        listed: Port | None = None
        without: tuple[Port, ...] = ()
        through: list[str] = []
        if r.take("fields "):
            r.blanks()
            listed = port(r)
            r.blanks()
            if r.take("except "):
                r.blanks()
                without = ports(r)
                r.blanks()
        while r.take("," if through else "through "):
            r.blanks()
            through.append(r.name("," if through else "through "))
            r.blanks()
        named: list[str] = []
        while r.take("," if named else "named "):
            r.blanks()
            named.append(r.name("," if named else "named "))
            r.blanks()
        naming = None
        if named:
            r.expect("in ", "say where the list is: 'named post in this[http_method_names]'")
            r.blanks()
            naming = port(r)
        return Keep(table, key, stored, listed, without, tuple(through), tuple(named), naming)
    if r.take("recall "):
        table, key = topic_and_key(r)
        r.blanks()
        r.expect("->", "say what is a record: 'recall rows[type 0] -> ret'")
        r.blanks()
        return Recall(table, key, port(r))
    if r.take("execute "):
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
    if r.take("declare "):
        table, key = topic_and_key(r)
        r.blanks()
        r.expect("by ", "say what declares the columns: 'declare rows[0] by 1[type]'")
        r.blanks()
        return Recall(table, key, port(r), declares=True)
    later = r.take("bind ")
    if later or r.take("call "):
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
        if later and target is None:
            r.fail("'bind' does not say what the new function is", "write 'bind 0(1+) -> ret'")
        return CallFlow(callee, arguments, target, receiver=receiver, later=bool(later))
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
    only = False
    if r.take("as "):
        r.blanks()
        only = bool(r.take("only "))
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
    harmless = names_after(r, "without ")
    return Flow(
        origin, target, same, harmless, shown, pattern, replacement, schema, is_text, normalising, decoding, only
    )


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
        by: Literal["constant", "type", "object", "made", "root", "name", "called"] = "constant"
        if r.take("type "):
            by = "type"
        elif r.take("object "):
            by = "object"
        elif r.take("made "):
            by = "made"
        elif r.take("root "):
            by = "root"
        elif r.take("name "):
            by = "name"
        elif r.take("called "):
            by = "called"
        r.blanks()
        found.append(TopicKey(by, port(r), above))
        r.blanks()
    r.expect("]", "close the key")
    return topic, tuple(found)
