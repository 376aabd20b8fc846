"""The rule language: one entry of a pack, a string, becomes the dataclasses of ``entries.py``.

docs/rule-language.md is the definition; the functions below stand in its order and carry its names. Always:

* braces are expanded first, so that every result names exactly one API;
* an ``Api`` is the steps as written: ``html.escape()`` ends in ``"()"``, the API of ``os.system(0)`` does not;
* an entry that does not follow the grammar raises ``EntryError`` with column, trouble and remedy. Nothing is guessed.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Literal, TypeVar

from pyrograph.model.languages import rule_syntax_of, title_of
from pyrograph.rules.entries import (
    Api,
    CallFlow,
    Condition,
    Constant,
    Drop,
    Flow,
    Guard,
    Origin,
    Parameters,
    ParameterType,
    Port,
    Propagator,
    Rendering,
    Sanitizer,
    Sink,
    Source,
    TestOf,
    TypeFact,
)
from pyrograph.rules.reader import NAME, Reader, entries

T = TypeVar("T")


METHOD_PREFIX = re.compile(r"[\w$]*\*")  # all methods whose names begin so
NUMBER = re.compile(r"\d+")
VULNERABILITY = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:\.[a-z]+)?")  # or an aspect: "path.absolute"
KEY = re.compile(r"[^\[\]\x00-\x1f]*")
QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
NUMERIC = re.compile(r"-?\d+(?:\.\d+)?(?![\w.])")
SLICE = re.compile(r"_\[-?\d*:(?:-?\d+)?\]")  # a part of the tested value
BACKQUOTED = re.compile(r"`([^`\x00-\x1f]+)`")

SCOPE = re.compile(r"@[\w.~-]+/")  # "@nestjs/": an API where roots have scopes, else a decorator
MAJOR_VERSION = re.compile(r"/v\d+(?=/|$)")

TYPE_WORDS = ("string", "list", "dict", "number", "constant", "function", "concatenated")
CONSTANTS: dict[str, Constant] = {"true": True, "false": False, "null": None}
FOREIGN_CONSTANTS = {"True": "true", "False": "false", "None": "null", "nil": "null", "undefined": "null"}


# The roles


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
        keyed = r.take(" keyed")
        harmless = without(r)
        return Source(kind, target, fills, conditions(r), low, origin, keyed, harmless)

    return entries(text, language, read)


def sinks(vulnerability: str, text: str, language: str, origin: Origin) -> list[Sink]:
    """``sink``: arguments of a call, an assignment, or what a function returns."""

    def read(r: Reader) -> Sink:
        low = tilde(r)
        start = r.at
        target = parameters(r) or api(r)
        arguments: tuple[Port, ...] = ()
        assignment = False
        if isinstance(target, Parameters):
            if target.which != "return" or target.steps:
                r.fail("a parameter is not a sink", "write ':return' for what the function returns", start)
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
        harmless = without(r)
        return Sink(vulnerability, target, arguments, assignment, conditions(r), low, origin, shown, without=harmless)

    return entries(text, language, read)


def sanitizers(vulnerability: str, text: str, language: str, origin: Origin) -> list[Sanitizer]:
    """``sanitizer``: a call whose result is clean or, with ports, whose arguments are clean afterwards."""

    def read(r: Reader) -> Sanitizer:
        low = tilde(r)
        cleaner = api(r)
        arguments: tuple[Port, ...] = ()
        if r.take("("):
            arguments = ports(r)
            r.expect(")", "close the list of arguments")
        return Sanitizer(vulnerability, cleaner, arguments, conditions(r), low, origin)

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
        shared = conditions(r)
        made = [Guard(vulnerability, *test[:6], shared, low, origin, test[6]) for test in tests]
        return dataclasses.replace(made[0], also=tuple(made[1:])) if len(made) > 1 else made[0]

    return entries(text, language, read)


GuardTest = tuple[
    Literal["eq", "in", "prefix", "suffix", "contains", "match", "is", "call"],
    Api,
    Port | None,
    Api,
    str | None,
    bool,
    tuple[int | None, int | None] | None,
]


def guard_test(r: Reader) -> GuardTest:
    """One test of a guard, as the fields of ``Guard`` from ``test`` on, and the slice that is tested."""
    when_false = r.take("!")
    r.blanks()
    test = ""
    for word in ("eq", "in", "prefix", "suffix", "contains", "match", "is", "call"):
        if re.compile(rf"{word}(?= |$)").match(r.text, r.at):
            test = word
            r.at += len(word)
            break
    else:
        words = "eq, in, prefix, suffix, contains, match, is or call"
        r.fail("the test of the guard is missing", f"begin with {words}")
    r.blanks()
    of: Api = ()
    where = None
    steps: Api = ()
    text = None
    part = None
    if test == "call":
        of, where, steps = transform(r, "the predicate")
        if steps:
            r.fail("a predicate ends with its call", "leave out what follows, or use eq, in, contains", r.at - 1)
    elif found := r.find(SLICE):
        start, end = found[2:-1].split(":")
        part = (int(start) if start else None, int(end) if end else None)
    elif not r.word("_") and r.next() and r.next() not in "'\"" and not at_end(r):
        of, where, steps = transform(r, "the transform")
    if test not in ("call", "eq", "in"):
        r.blanks()
        if r.next() in ("'", '"'):
            text = quoted(r)
    return test, of, where, steps, text, when_false, part  # type: ignore[return-value]


def propagators(text: str, language: str, origin: Origin) -> list[Propagator]:
    """``propagator``: an API and its flows; none at all says that nothing flows."""

    def read(r: Reader) -> Propagator:
        low = tilde(r)
        called = api(r)
        if r.next() == "(":
            r.fail("the API of a propagator has no argument list", "write 'api: 0 -> ret'")
        r.blanks()
        r.expect(":", "separate the API and its flows: 'api: 0 -> ret'")
        r.blanks()
        flows: list[Flow | CallFlow | Drop] = []
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
    """``template``: a call, or a decorator, with the port of a template's name or text, and those of its values."""

    def read(r: Reader) -> Rendering:
        low = tilde(r)
        start = r.at
        target: Api | Parameters = parameters(r) or api(r)
        if isinstance(target, Parameters):
            if target.by != "decorator" or target.which != "*" or target.steps:
                r.fail("neither a call nor a decorator", "write 'api(0) with 1', or '@api(0) with return'", start)
            target = dataclasses.replace(target, which="return")
        r.expect("(", "say which argument names the template: 'api(0) with 1'")
        inline = bool(r.word("text"))
        name = port(r)
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
        return Rendering(engine, target, name, values, conditions(r), low, origin, inline)

    return entries(text, language, read)


def type_facts(relation: str, text: str, language: str, origin: Origin) -> list[TypeFact]:
    """``returns``, ``member``, ``extends``, ``alias``: two APIs; ``builtin``, ``clean``, ``never``, ``rooted``,
    ``quoted``, ``asks``, ``validates``, ``operators``: one.
    """

    def read(r: Reader) -> TypeFact:
        left = api(r)
        right: Api = ()
        if relation in ("builtin", "clean", "never", "rooted", "quoted", "asks", "validates", "operators"):
            if r.next() in (":", " "):
                r.fail("only one type is allowed here", "remove what follows it")
        else:
            if relation == "returns" and left[-1] != "()":
                r.fail("only a call has a result", "write 'api() : type'")
            r.blanks()
            r.expect(":", "write two APIs with a colon between them")
            r.blanks()
            right = api(r)
        return TypeFact(relation, left, right, origin)  # type: ignore[arg-type]

    return entries(text, language, read)


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
        return ParameterType(found, api(r), origin)

    return entries(text, language, read)


# The parts


def tilde(r: Reader) -> bool:
    low = r.take("~")
    if low:
        r.blanks()
    return low


def api(r: Reader) -> Api:
    """``api``: a root and its steps; stops before anything that is no step."""
    return (root(r), *steps(r))


def root(r: Reader) -> str:
    start = r.at
    if quoted_root := r.find(BACKQUOTED):
        return quoted_root[1:-1]
    syntax = rule_syntax_of(r.language)
    found = r.find(re.compile(syntax.root))
    if not found:
        r.fail(f"an API is missing {r.instead()}", "begin with a module, package or import path")
    if syntax.import_paths and (version := MAJOR_VERSION.search(found)):
        r.fail(f"import paths are matched without '{version.group()}'", "leave it out", start + version.start())
    return found.removeprefix("node:")


def steps(r: Reader) -> Api:
    found: list[str] = []
    while True:
        character = r.next()
        if character == ".":
            r.at += 1
            found.append(r.name("."))
        elif character == "#":
            r.at += 1
            found.append("#")
            if r.next() not in ("[", "("):
                found.append(r.name("#"))
            elif r.next() == "(" and not r.text.startswith("()", r.at):
                r.fail("an instance is called without '()'", "write '#()' for calling an instance")
        elif character == "[":
            start = r.at
            r.at += 1
            key = r.find(KEY)
            r.expect("]", "close the key")
            if not key:
                r.fail("an API needs a key between the brackets", "write [*] for any key", start)
            found.append(f"[{key}]")
        elif character == "(" and r.take("()"):
            found.append("()")
        else:
            return tuple(found)


def parameters(r: Reader) -> Parameters | None:
    """``parameter`` and ``returned``, or None (and nothing read) when a plain API stands here."""
    start = r.at
    if r.take("type "):
        r.blanks()
        typed = api(r)
        split = typed.index("#") if "#" in typed else len(typed)
        return Parameters("type", typed[:split], steps=typed[split + 1 :])
    if r.take("param "):
        r.blanks()
        name = r.find(NAME)
        if not name:
            r.fail(f"a name is missing {r.instead()}", "write the parameter's name: 'param user_input'")
        return Parameters("name", (), which=name)
    if r.take("literal "):
        r.blanks()
        return Parameters("literal", (), method=quoted(r))
    if r.take("export "):
        r.blanks()
        files = quoted(r)
        if not files:
            r.fail("the file pattern is missing", "write '*' for any file, or 'route.{ts,js}'")
        r.expect(" ", "write the name that the file exports after its pattern")
        r.blanks()
        exported = r.find(NAME)
        if not exported:
            r.fail(f"the exported name is missing {r.instead()}", "write it after the file: export 'route.ts' GET:0")
        inside = Port("ret", path=path(r))
        which, members = _which(r)
        return Parameters("export", (), method=exported, port=inside, which=which, steps=members, files=files)
    outermost = r.take("module function ")
    if outermost or r.take("function "):
        r.blanks()
        r.expect("(", "write the names of the parameters: 'function (req, res)'")
        names: list[str] = []
        while not names or r.take(","):
            r.blanks()
            names.append(r.name("("))
            r.blanks()
        r.expect(")", "close the names of the parameters")
        imported = (root(r),) if r.take(" of ") else ()
        which, members = _which(r)
        return Parameters("names", imported, ",".join(names), which=which, steps=members, outermost=outermost)
    if r.take("cb "):
        r.blanks()
        registers = api(r)
        r.expect("(", "say which argument the function is: 'cb api(0)'")
        argument = port(r)
        r.expect(")", "say which argument the function is: 'cb api(0)'")
        which, members = _which(r)
        return Parameters("callback", registers, port=argument, which=which, steps=members)
    syntax = rule_syntax_of(r.language)
    if r.next() == "@" and not (syntax.scopes and SCOPE.match(r.text, r.at)):
        if not syntax.decorators:
            r.fail(f"{title_of(r.language)} has no decorators", "use 'cb api(0)' or 'type api'")
        r.at += 1
        decorator = api(r)
        which, members = _which(r)
        return Parameters("decorator", decorator, which=which, steps=members)
    overridden = api(r)
    if r.take("!"):
        method = r.find(METHOD_PREFIX) or r.name("!")
        which, members = _which(r)
        return Parameters("override", overridden, method=method, which=which, steps=members)
    r.at = start
    return None


def _which(r: Reader) -> tuple[int | str, Api]:
    which: int | str = "*"
    if r.take(":"):
        if number := r.find(NUMBER):
            which = int(number)
        elif not r.take("*"):
            which = r.find(NAME)
            if not which:
                r.fail(
                    f"a parameter is missing after ':' {r.instead()}", "write its position, its name, '*' or 'return'"
                )
    return which, steps(r)


def ports(r: Reader) -> tuple[Port, ...]:
    """``ports``: at least one."""
    found = []
    while True:
        r.blanks()
        found.append(port(r))
        r.blanks()
        if not r.take(","):
            return tuple(found)


def port(r: Reader) -> Port:
    start = r.at
    if number := r.find(NUMBER):
        if r.take("+"):
            return Port("from", int(number), path=path(r))
        names = []
        while r.take("|"):
            names.append(r.name("|"))
            r.take("=")
        if names:
            _keywords_exist(r, start, names[0])
        return Port("position", int(number), tuple(names), path(r))
    if r.take("-"):
        number = r.find(NUMBER)
        if not number or int(number) < 1:
            r.fail("a number is missing after '-'", "write -1 for the last argument, -2 for the one before")
        return Port("end", int(number), path=path(r))
    if r.take("*"):
        return Port("all", path=path(r))
    name = r.find(NAME)
    if not name:
        r.fail(f"an argument is missing {r.instead()}", "write a position from 0, 'name=', this, ret or *")
    if r.next() == "=" and not r.text.startswith(("==", "=>"), r.at):
        r.at += 1
        _keywords_exist(r, start, name)
        return Port("keyword", names=(name,), path=path(r))
    if name == "this" or name == "ret":
        return Port(name, path=path(r))  # type: ignore[arg-type]
    r.fail(f"'{name}' is not an argument", f"write '{name}=' for the keyword, or the position from 0", start)


def _keywords_exist(r: Reader, at: int, name: str) -> None:
    if not rule_syntax_of(r.language).keyword_arguments:
        r.fail(
            f"{title_of(r.language)} has no keyword arguments",
            f"write the position; '0[{name}]' is a member of argument 0",
            at,
        )


def path(r: Reader) -> tuple[str, ...]:
    """The keys after a port: ``[key]``, ``[]``, ``[$0]``, ``.name``."""
    keys = []
    while True:
        if r.take("["):
            start = r.at
            key = r.find(KEY)
            r.expect("]", "close the key")
            if key == "*":
                r.fail("any element of an argument is written []", "leave out the '*'", start)
            keys.append(key)
        elif r.take("."):
            keys.append(r.name("."))
        else:
            return tuple(keys)


def flow(r: Reader) -> Flow | CallFlow | Drop:
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
    later = r.take("bind ")
    if later or r.take("call "):
        r.blanks()
        callee = port(r)
        r.expect("(", "name the arguments that the function is called with: 'call 0(1[])'")
        r.blanks()
        arguments = () if r.next() == ")" else ports(r)
        r.expect(")", "close the list of arguments")
        r.blanks()
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
    if r.take("as "):
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
    harmless = names_after(r, "without ")
    return Flow(origin, target, same, harmless, shown, pattern, replacement, schema, is_text)


def without(r: Reader) -> tuple[str, ...]:
    """`` without NAME, NAME``, or nothing."""
    found = names_after(r, " without ")
    if found and r.at and r.text[r.at - 1] == " ":
        r.at -= 1  # conditions begin with it
    return found


def names_after(r: Reader, word: str) -> tuple[str, ...]:
    """The vulnerabilities and aspects that follow ``word``, or none where it does not stand here."""
    found: list[str] = []
    while r.take(word if not found else ","):
        r.blanks()
        name = r.find(VULNERABILITY)
        if not name:
            r.fail(f"a vulnerability is missing {r.instead()}", "write its id: 'this[Path] -> ret without ssrf'")
        found.append(name)
        r.blanks()
    return tuple(found)


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


def conditions(r: Reader) -> tuple[Condition, ...]:
    found = []
    while r.next():
        start = r.at
        r.blanks()
        word = r.word("when", "unless") if r.text[r.at - 1] == " " else ""
        if not word:
            r.fail(f"cannot read '{r.text[r.at :]}' here", "conditions begin with ' when ' or ' unless '", start)
        tests = [test_of(r)]
        r.blanks()
        while r.word("and"):
            tests.append(test_of(r))
            r.blanks()
        found.append(Condition(word == "unless", tuple(tests)))
    return tuple(found)


def at_end(r: Reader) -> bool:
    """Whether a test of a guard ends here."""
    return r.text.startswith("and ", r.at) or at_condition(r)


def at_condition(r: Reader) -> bool:
    return r.text.startswith(("when ", "unless ", " when ", " unless "), r.at)


def test_of(r: Reader) -> TestOf:
    r.blanks()
    if r.word("via"):
        return dataclasses.replace(test_of(r), via=True)
    start = r.at
    tested = port(r)
    spelled = r.text[start : r.at]
    r.blanks()
    if r.take("=="):
        return TestOf(tested, "==", (constant(r),))
    if r.take("!="):
        return TestOf(tested, "!=", (constant(r),))
    start = r.at
    operator = r.find(NAME)
    r.blanks()
    if operator == "in":
        return TestOf(tested, "in", choices(r, constant))
    if operator in ("present", "absent", "invoked", "decides"):
        return TestOf(tested, operator)  # type: ignore[arg-type]
    if operator == "converts":
        return TestOf(tested, "converts", (quoted(r),))
    if operator in ("backtracks", "lingers"):
        kind = r.word("match", "fullmatch", "search")
        if not kind:
            r.fail("the kind of match is missing", f"write '{operator} match', 'fullmatch' or 'search'")
        return TestOf(tested, operator, (kind,))  # type: ignore[arg-type]
    if operator == "called":
        method = r.name("called")
        r.expect("(", "write the method's call: called setFeature(true)")
        arguments = () if r.next() == ")" else (constant(r),)
        r.expect(")", "close the list of arguments")
        return TestOf(tested, "called", (method, *arguments))
    if operator in ("prefix", "contains", "lacks"):
        values = choices(r, quoted) if r.next() == "(" else (quoted(r),)
        return TestOf(tested, operator, values)  # type: ignore[arg-type]
    if operator == "given":
        return TestOf(tested, "given", choices(r, quoted) if r.next() == "(" else (quoted(r),))
    if operator == "is":
        return TestOf(tested, "is", type=r.word(*TYPE_WORDS) or api(r))
    r.fail(
        f"the test of '{spelled}' is missing",
        "use ==, !=, in, present, absent, called, given, invoked, decides, converts, backtracks, lingers, prefix, "
        "contains, lacks or is",
        start,
    )


def choices(r: Reader, read: Callable[[Reader], T]) -> tuple[T, ...]:
    """``( a, b, ... )``: any of these."""
    r.expect("(", "write the choices in parentheses: ('a', 'b')")
    found = []
    while True:
        r.blanks()
        found.append(read(r))
        r.blanks()
        if r.take(")"):
            return tuple(found)
        r.expect(",", "separate the choices by commas and close the parenthesis")


def constant(r: Reader) -> Constant:
    r.blanks()
    start = r.at
    if r.next() in ("'", '"'):
        return quoted(r)
    if number := r.find(NUMERIC):
        return float(number) if "." in number else int(number)
    name = r.find(NAME)
    if name in CONSTANTS:
        return CONSTANTS[name]
    if name in FOREIGN_CONSTANTS:
        r.fail(f"'{name}' is not a constant of the rule language", f"write {FOREIGN_CONSTANTS[name]}", start)
    r.fail("a constant is missing", "write a quoted text, a number, true, false or null", start)


def quoted(r: Reader) -> str:
    found = QUOTED.match(r.text, r.at)
    if found is None:
        r.fail("a quoted text is missing or not closed", "write 'text' or \"text\"")
    r.at = found.end()
    return found.group(1) if found.group(1) is not None else found.group(2)
