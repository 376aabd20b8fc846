"""The rule language: one entry of a pack, a string, becomes the dataclasses of ``entries.py``.

docs/rule-language.md is the definition; the functions stand in its order and carry its names. Entries are read here,
what they are made of in ``grammar_apis``, ``grammar_flows`` and ``grammar_conditions``. Always:

* braces are expanded first, so that every result names exactly one API;
* an ``Api`` is the steps as written: ``html.escape()`` ends in ``"()"``, the API of ``os.system(0)`` does not;
* an entry that does not follow the grammar raises ``EntryError`` with column, trouble and remedy. Nothing is guessed.
"""

from __future__ import annotations

import dataclasses
import re
from typing import get_args

from pyrograph.rules.definitions import DEFINITIONS
from pyrograph.rules.entries import (
    BESIDE,
    CALL_TESTS,
    SINGLE_RELATIONS,
    Api,
    CallFlow,
    Chain,
    Drop,
    EntryCondition,
    Execute,
    Flow,
    Guard,
    GuardKind,
    Handle,
    Keep,
    Origin,
    Parameters,
    ParameterType,
    Port,
    Propagator,
    Recall,
    Rendering,
    Route,
    Sanitizer,
    Send,
    Sink,
    Source,
    TypeFact,
)
from pyrograph.rules.grammar_apis import api, parameters, port, ports, quoted, steps, tilde, without
from pyrograph.rules.grammar_conditions import at_condition, at_end, conditions
from pyrograph.rules.grammar_flows import flow
from pyrograph.rules.reader import Reader, entries

WITHOUT_SCHEMA = ("call", "asserts")  # the tests of guards that are calls and name no schema
# relations of one API, and of one of its arguments
WITH_PORT = (
    *("admits", "choices", "formal", "either", "elements", "lenient", "modules", "reads_json", "typed"),
    *("declared_in", "site_paths", "described", "declares", "answers", "encodes", "decodes", "unwraps"),
    "escapes_all",
)
# relations of an argument of one API with another API, and what is said where the argument is missing
RELATED_PORTS = {
    "checks": "say where the schema stands: 'api(0[schema]) : what it checks'",
    "uploads": "say where the option stands: 'api(0[output]) == 'file' : what is read of 'path''",
    "sealed": "say which argument is signed: 'api(0) : api()'",
    "requests": "say which argument is the address: 'api(0) : ret'",
    "setters": "say which argument is set: 'make()[1](0) : make()[0]'",
    "related": "say where the name of the attribute stands: \"api(name=) : type '_set'\"",
}
SLICE = re.compile(r"_\[-?\d*:(?:-?\d+)?\]")  # a part of the tested value


def sources(kind: str, text: str, language: str, origin: Origin) -> list[Source]:
    """``source``: an attribute, a result, an argument that the call fills, or parameters."""

    def read(r: Reader) -> Source:
        low = tilde(r)
        start = r.at
        target = parameters(r) or api(r)
        fills = None
        if isinstance(target, Parameters):
            if target.which == "return":
                r.fail("the return value of a function is not a source", "name a parameter, or write a sink", start)
        elif r.take("(->"):
            r.blanks()
            fills = port(r)
            r.expect(")", "close the parenthesis after the argument that the call fills: (->0)")
        elif r.next() == "(":
            r.fail(
                "a source has no argument list",
                "write 'api()' for the result or 'api(->0)' for an argument that is filled",
            )
        elif r.next() == "=":
            r.fail("an assignment is not a source", "leave out '='")
        keyed, declared = r.take(" keyed"), ""
        if r.take(" by " if keyed else " named by "):
            beside = r.next() in ("'", '"')
            if r.next().isdigit():
                place, harmless = port(r), without(r)
                return Source(kind, target, fills, conditions(r), low, origin, keyed, harmless, schema=place)
            if not keyed:
                r.fail(
                    "the place of the schema is missing", "name the argument that declares the parameters: named by 0"
                )
            declared = quoted(r) if beside else r.word(*DEFINITIONS)
            if not declared:
                r.fail("the notation of the declarations is missing", f"name one of: {', '.join(DEFINITIONS)}")
            declared = f"{BESIDE}{declared}" if beside else declared
            r.at -= r.next() != "" and r.text[r.at - 1] == " "
        routed, part = r.take(" routed"), None
        if routed and r.take("("):
            r.blanks()
            part = port(r)
            r.expect(")", "close the parenthesis after the argument that holds the name: routed(0)")
        harmless = without(r)
        return Source(kind, target, fills, conditions(r), low, origin, keyed, harmless, routed, part, declared)

    return entries(text, language, read)


def sinks(vulnerability: str, text: str, language: str, origin: Origin) -> list[Sink]:
    """``sink``: arguments of a call, an assignment, or what a function returns."""

    def read(r: Reader) -> Sink:
        low = tilde(r)
        start = r.at
        target = parameters(r) or api(r, called=True)
        arguments: tuple[Port, ...] = ()
        assignment = False
        if isinstance(target, Parameters):
            if target.which != "return":
                r.fail("a parameter is not a sink", "write ':return' for what the function returns", start)
            if "()" in target.steps:
                r.fail("what is returned is not called", "write ':return[key]' for a part of it", start)
            if not {"#", "[*]"}.isdisjoint(target.steps):
                r.fail("a part of what a function returns is no API", "write its keys: ':return[headers]'", start)
        elif r.take("("):
            arguments = ports(r)
            r.expect(")", "close the list of arguments")
        elif r.take("="):
            assignment = True
        elif target[-1] == "()":
            r.fail(
                "the sink names no argument",
                "write the dangerous arguments: (0), (0|name), (1+), (this), (*)",
                r.at - 1,
            )
        else:
            r.fail("a sink needs arguments or an assignment", "write 'api(0)' for a call or 'api=' for an assignment")
        shown = r.take(" shown")
        whole = not shown and r.take(" whole")
        harmless = without(r)
        return Sink(
            vulnerability,
            target,
            arguments,
            assignment,
            conditions(r),
            low,
            origin,
            shown,
            without=harmless,
            whole=bool(whole),
        )

    return entries(text, language, read)


def sanitizers(vulnerability: str, text: str, language: str, origin: Origin) -> list[Sanitizer]:
    """``sanitizer``: a call whose result is clean or, with ports, whose arguments are; or an assignment."""

    def read(r: Reader) -> Sanitizer:
        low = tilde(r)
        cleaner = api(r)
        arguments: tuple[Port, ...] = ()
        if r.take("("):
            arguments = ports(r)
            r.expect(")", "close the list of arguments")
        assignment = not arguments and r.take("=")
        if assignment and r.take("("):
            arguments = ports(r)
            if arguments != (Port("position", 0),):
                r.fail("an assignment has one argument", "write 'api=(0)': what is assigned is clean there")
            r.expect(")", "close the list of arguments")
        return Sanitizer(vulnerability, cleaner, arguments, conditions(r), low, origin, assignment)

    return entries(text, language, read)


def guards(vulnerability: str, text: str, language: str, origin: Origin) -> list[Guard]:
    """``guard``: a test, an optional transform of the tested value, an optional constant."""

    def read(r: Reader) -> Guard:
        low = tilde(r)
        tests = [guard_test(r)]
        while (at := r.at) >= 0 and not at_condition(r):
            r.blanks()
            if not r.word("and"):
                r.at = at
                break
            tests.append(guard_test(r))
        at = r.at
        shared = conditions(r)
        if shared and any(not test[1] for test in tests):
            r.fail("a test of the value itself has no call that conditions are asked of", "leave them out", at)
        made = [Guard(vulnerability, *test[:6], shared, low, origin, test[6], (), *test[7:]) for test in tests]
        return dataclasses.replace(made[0], also=tuple(made[1:])) if len(made) > 1 else made[0]

    return entries(text, language, read)


GuardTest = tuple[
    GuardKind,
    Api,
    Port | None,
    Api,
    str | None,
    bool,
    tuple[int | None, int | None] | None,
    Port | None,
    bool,
    bool,
    bool,
]


def guard_test(r: Reader) -> GuardTest:
    """One test of a guard, as the fields of ``Guard`` from ``test`` on, the slice that is tested, the schema,
    whether the check is awaited, and whether the value was given before.
    """
    when_false = r.take("!")
    r.blanks()
    test = ""
    for word in get_args(GuardKind):
        if re.compile(rf"{word}(?= |$)").match(r.text, r.at):
            test = word
            r.at += len(word)
            break
    else:
        words = (
            "eq, in, prefix, suffix, subdomain, contains, match, is, call, valid, raises, rejects, asserts or within"
        )
        r.fail("the test of the guard is missing", f"begin with {words}")
    r.blanks()
    of: Api = ()
    where = None
    steps: Api = ()
    text = None
    part = None
    schema = None
    is_made = is_awaited = is_given_before = False
    if test in CALL_TESTS:
        is_awaited = test == "valid" and bool(r.word("awaited"))
        r.blanks()
        of, is_given_before, where, steps = checked(r)
        if is_given_before and test in WITHOUT_SCHEMA:
            r.fail("a predicate is asked about its own argument", "leave out 'made', or use valid or raises", r.at - 1)
        if steps and test not in ("valid", "within"):
            r.fail("a predicate ends with its call", "leave out what follows, or use eq, in, contains", r.at - 1)
        at = r.at
        r.blanks()
        if test not in WITHOUT_SCHEMA and r.word("as"):
            r.blanks()
            is_made = bool(r.word("made"))
            r.blanks()
            schema = port(r)
        elif test in WITHOUT_SCHEMA:
            r.at = at
        else:
            r.fail("what the value is checked against is missing", "write 'raises schema.parse(0) as this'", at)
    elif found := r.find(SLICE):
        start, end = found[2:-1].split(":")
        part = (int(start) if start else None, int(end) if end else None)
    elif not r.word("_") and r.next() and r.next() not in "'\"" and not at_end(r):
        of, where, steps = transform(r, "the transform")
    if test not in (*CALL_TESTS, "in", "subdomain"):
        r.blanks()
        if r.next() in ("'", '"'):
            text = quoted(r)
    return test, of, where, steps, text, when_false, part, schema, is_made, is_awaited, is_given_before


def propagators(text: str, language: str, origin: Origin) -> list[Propagator]:
    """``propagator``: an API and its flows; none at all says that nothing flows."""

    def read(r: Reader) -> Propagator:
        low = tilde(r)
        called = api(r)
        if r.next() == "(":
            r.fail("the API of a propagator has no argument list", "write 'api: 0 -> ret'")
        if called[-2:] == ("#", "()"):
            called = called[:-1]  # an instance is called, as a sink's is
        r.blanks()
        r.expect(":", "separate the API and its flows: 'api: 0 -> ret'")
        r.blanks()
        flows: list[Flow | CallFlow | Handle | Send | Keep | Recall | Execute | Drop | Chain] = []
        while r.next() and not at_condition(r):
            flows.append(flow(r))
            r.blanks()
            if not r.take(";"):
                break
            r.blanks()
            if not r.next():
                r.fail("a flow is missing after ';'", "add one or remove the ';'")
        return Propagator(called, tuple(flows), conditions(r), low, origin)

    return entries(text, language, read)


def renderings(engine: str, text: str, language: str, origin: Origin) -> list[Rendering]:
    """``template``: a call, or a decorator, with the port of a template's name or text, and those of its values; or a
    call whose values other templates show later, by these paths of their names.
    """

    def read(r: Reader) -> Rendering:
        low = tilde(r)
        start = r.at
        target: Api | Parameters = parameters(r) or api(r)
        if isinstance(target, Parameters):
            overrides = target.by == "override" and target.which == "return"
            if target.steps or not (overrides or (target.by == "decorator" and target.which == "*")):
                r.fail("neither a call nor a decorator", "write 'api(0) with 1', or '@api(0) with return'", start)
            target = dataclasses.replace(target, which="return")
        r.expect("(", "say which argument names the template: 'api(0) with 1'")
        inline = bool(r.word("text"))
        shown: tuple[str, ...] = ()
        if r.word("shown"):
            while True:
                shown += (quoted(r),)
                if not r.take(" "):
                    break
        name = Port("position", 0) if shown else port(r)
        r.expect(")", "a template has one name: 'api(0) with 1'")
        r.blanks()
        if not r.word("with"):
            r.fail(f"its values are missing {r.instead()}", "write 'api(0) with 1', or 'api(0) with *' for keywords")
        values: tuple[Port, ...] = ()
        if isinstance(target, Parameters):
            if not r.word("return"):
                r.fail("the return value of the function fills the template", "write '@api(0) with return'")
            r.at -= r.text[r.at - 1] == " "  # conditions begin with it
        else:
            values = ports(r)
            r.at -= r.next() != "" and r.text[r.at - 1] == " "
        return Rendering(engine, target, name, values, conditions(r), low, origin, inline, shown)

    return entries(text, language, read)


def routes(notation: str, text: str, language: str, origin: Origin) -> list[Route]:
    """``route``: a call, and the port of a route's text."""

    def read(r: Reader) -> Route:
        low = tilde(r)
        called = api(r)
        r.expect("(", "say which argument is the route: 'api(0)'")
        r.blanks()
        pattern = port(r)
        r.expect(")", "a call states its routes in one argument: 'api(0)', 'api(0[])'")
        return Route(notation, called, pattern, conditions(r), low, origin)

    return entries(text, language, read)


def type_facts(relation: str, text: str, language: str, origin: Origin) -> list[TypeFact]:
    """``returns``, ``member``, ``extends``, ``alias``: two APIs; ``checks``, ``uploads``, ``sealed``, ``setters``,
    ``related``: two, and a port; ``requests``: one, and two ports;
    ``builtin``, ``clean``, ``never``, ``rooted``, ``addressed``, ``csrf_protects``, ``csrf_covers``,
    ``reads_forms``, ``bodies``, ``prepares``, ``separators``, ``parents``, ``joining``,
    ``quoted``, ``asks``, ``channels``, ``errors``, ``records``, ``sessions``, ``closed``, ``validates``,
    ``converts``, ``enforces``, ``operators``, ``accounts``, ``bearers``, ``registering``, ``exchanges``,
    ``signed``, ``files``: one;
    ``admits``, ``choices``, ``formal``, ``either``, ``elements``, ``lenient``, ``modules``, ``reads_json``, ``typed``,
    ``declared_in``, ``site_paths``, ``described``, ``declares``, ``answers``, ``encodes``, ``decodes``,
    ``unwraps``, ``escapes_all``: one, and a port;
    ``supplied``: one, and a text.
    """

    def read(r: Reader) -> TypeFact:
        left = api(r, called=relation == "requests")
        right: Api = ()
        pattern: Port | None = None
        texts: tuple[str, ...] = ()
        instead: tuple[str, ...] = ()
        opened: Port | None = None
        if relation in RELATED_PORTS:
            r.expect("(", RELATED_PORTS[relation])
        if relation in RELATED_PORTS or (relation in WITH_PORT and r.take("(")):
            r.blanks()
            pattern = port(r)
            r.expect(")", "it stands in one argument: 'api(0)'")
        if relation == "answers" and pattern is None:
            r.expect("=", "say what is sent: 'api(0)', or 'api=' for what is assigned")
        if relation == "uploads":
            r.blanks()
            r.expect("==", "say what the option is: \"api(0[output]) == 'file' : what is read of 'path'\"")
            r.blanks()
            texts = (quoted(r),)
            r.blanks()
            if r.take("unless"):
                r.blanks()
                instead = tuple(quoted(r).split("."))
        if relation == "supplied":
            r.blanks()
            r.expect(":", "write what another export returns: \"type : 'load().data'\"")
            texts = supplier(r)
        elif relation == "requests":
            r.blanks()
            r.expect(":", "write where the answer arrives: 'api(0) : ret', 'api(0) : this[body]'")
            r.blanks()
            opened = port(r)
        elif relation in SINGLE_RELATIONS:
            if r.next() in (":", " "):
                r.fail("only one type is allowed here", "remove what follows it")
        else:
            if relation == "returns" and left[-1] != "()":
                r.fail("only a call has a result", "write 'api() : type'")
            r.blanks()
            r.expect(":", "write two APIs with a colon between them")
            r.blanks()
            right = api(r)
        if relation == "sealed":
            right, opened = opening(r, right)
        if relation == "setters" and (left[:-1] != right[:-1] or "()" not in left[:-1]):
            r.fail("these are no members of one result", "write two of the same call: 'make()[1](0) : make()[0]'")
        if relation in ("uploads", "related"):
            r.blanks()
            texts += (quoted(r), *instead)
        if relation == "checks":
            r.blanks()
            if r.take("only"):
                r.blanks()
                texts = ("only",)
                if r.take("unless"):
                    r.blanks()
                    texts += (quoted(r),)
        asked = chosen(r) if relation == "returns" else ()
        return TypeFact(relation, left, right, origin, pattern, asked, texts, opened)  # type: ignore[arg-type]

    return entries(text, language, read)


def supplier(r: Reader) -> tuple[str, ...]:
    """The function that the same file exports, and where in what it returns the data stands: 'load().data'."""
    r.blanks()
    start = r.at
    found = tuple(quoted(r).replace("()", ".()").split("."))
    is_call = found.count("()") == 1 and all(found)
    if not is_call or found[found.index("()") + 2 :]:  # more than one key
        r.fail("this is no call of an export", "write 'load()', 'default.load()' or 'load().data'", start)
    return found


def opening(r: Reader, called: Api) -> tuple[Api, Port]:
    """The call that opens what another one sealed, without its result, and where it gives that back."""
    if called[-1] == "()":
        return called[:-1], Port("ret")
    r.expect("(", "say where it comes back: 'api()' as the result, 'api(1)' in an argument that the call fills")
    r.blanks()
    found = port(r)
    r.expect(")", "it comes back in one argument: 'api(1)'")
    return called, found


def chosen(r: Reader) -> tuple[EntryCondition, ...]:
    """The conditions of a type, which is known before anything but constant texts and the number of arguments is."""
    start = r.at
    found = conditions(r)
    for test in (test for each in found for test in each.tests):
        is_text = test.operator in ("==", "in") and all(isinstance(v, str) for v in test.values)
        if test.port.path or not (is_text or test.operator in ("present", "absent")):
            r.fail(
                "a type depends on constant texts, and on which arguments there are",
                "compare an argument: unless 0 in ('a', 'b'), or ask for it: when 1 absent",
                start,
            )
    return found


def parameter_types(text: str, language: str, origin: Origin) -> list[ParameterType]:
    """``parameter-type``: parameters and the type that they are instances of."""

    def read(r: Reader) -> ParameterType:
        start = r.at
        found = parameters(r)
        if found is None or found.by == "type":
            r.fail(
                "no parameters are named",
                "write 'cb api(0):0 : type', '@api:name : type' or 'api!name:0 : type'",
                start,
            )
        if found.which == "return":
            r.fail("the return value of a function is not a parameter", "name a parameter", start)
        r.blanks()
        r.expect(":", "write the parameters, ' : ' and their type")
        r.blanks()
        held = api(r)
        start = r.at
        if not r.take(" made by "):
            asked = chosen(r) if found.by == "callback" else ()
            return ParameterType(found, held, origin, conditions=asked)
        by = port(r)
        if found.by != "override" or by.kind != "this" or not by.path or not all(by.path):
            r.fail("no class states this", "write 'Base!method:0 : type made by this[key]'", start)
        return ParameterType(found, held, origin, by.path)

    return entries(text, language, read)


def checked(r: Reader) -> tuple[Api, bool, Port, Api]:
    """The call of ``CALL_TESTS``, as of ``transform``, and whether the value stands in the call that made the receiver:
    ``Form#is_valid(made 0)``.
    """
    start = r.at
    called = api(r)
    made = bool(r.take("(made "))
    if not made:
        r.at = start
        called, where, steps_ = transform(r, "the predicate")
        return called, False, where, steps_
    r.blanks()
    where = port(r)
    r.expect(")", "a guard tests one argument: 'api(made 0)'")
    return called, True, where, steps(r)


def transform(r: Reader, what: str) -> tuple[Api, Port, Api]:
    """An API with one argument list that holds where the tested value stands, then the members read from its result."""
    called = api(r)
    if not r.take("("):
        r.fail(
            f"{what} does not name the argument that holds the value {r.instead()}",
            "write 'api(0)' or, for a method, 'api(this)'",
        )
    where = port(r)
    r.expect(")", "a guard tests one argument: 'api(0)'")
    return called, where, steps(r)
