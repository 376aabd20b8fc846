"""What one entry of a rule pack means, as plain data.

``grammar.py`` turns the strings of docs/rule-language.md into these; ``label`` and ``resolve`` of
``scanner/analysis`` read them. Braces are already expanded, so that an entry names exactly one API.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, get_args

# A step of an API path is its text: a member "name", a call "()", an instance "#", a key "[name]", any key "[*]",
# an element "[]".
# "sqlite3.Cursor#execute" is ("sqlite3", "Cursor", "#", "execute"); the first step is the root (the module).
# The steps are those written: the result "html.escape()" ends in "()", the API of the sink "os.system(0)" does not.
# "#" is followed by a name, by a key (an instance is subscripted) or by "()" (an instance is called).
Api = tuple[str, ...]

Constant = str | int | float | bool | None

# In a port's path: the keys of what stands before, not what lies under them; what a promise was rejected with.
KEYS_PART = "<keys>"
RAISED_PART = "<raised>"
DECORATED_PART = "<decorated>"  # of a result that is a decorator: the parameters that carry it
# In the path of a flow's target: the name of the argument that moves.
ARGUMENT_NAME: Final = "$="


@dataclass(frozen=True, slots=True)
class Port:
    """A place at a call: an argument, the receiver or the result, and a path into it."""

    kind: Literal["position", "from", "end", "keyword", "this", "ret", "all"]
    position: int = -1  # for "position", "from" (this and later) and "end" (1 is the last)
    names: tuple[str, ...] = ()  # keywords that name the same argument
    path: tuple[str, ...] = ()  # keys: "name", "" any element, "$0" the constant value of argument 0, "<keys>" the keys
    under: str = ""  # "1 as data": what is called gets an object that holds the value under this key


Operator = Literal[
    "==",
    "!=",
    "in",
    "present",
    "absent",
    "prefix",
    "begins",
    "opens",
    "contains",
    "lacks",
    "is",
    "called",
    "given",
    "invoked",
    "enclosed",
    "converts",
    "decides",
    "backtracks",
    "slow",
    "secret",
    "imported",
    "version",
]
OPERATORS: Final[tuple[str, ...]] = get_args(Operator)  # in the order of messages


@dataclass(frozen=True, slots=True)
class TestOf:
    """One test on a port, part of a condition: ``0 == 'a'``, ``0 is list``.

    ``values`` are the constants that the port is compared with. Three kinds of operators have something else there:
    "called" the method and its argument, if there is one; "converts" one text, the letters of a printf format;
    "backtracks" and "slow" the kind of match, "match", "fullmatch" or "search". "present", "absent", "invoked",
    "enclosed", "decides", "secret" and "is" have none. "imported" and "version" are about the program and no port: the
    one has patterns of modules, the other a library and the version below which its manifests demand it.
    """

    port: Port
    operator: Operator
    values: tuple[Constant, ...] = ()
    type: Api | str = ""  # "is" alone: an Api, or one of ``grammar_conditions.TYPE_WORDS``
    via: bool = False  # the port is of the calls that decorate or register the function around, with this library
    here: Api = ()  # "given": an object of a library, in the function around, not the port; "secret": the call


@dataclass(frozen=True, slots=True)
class EntryCondition:
    """``when`` all tests hold, or ``unless`` all of them do."""

    unless: bool
    tests: tuple[TestOf, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an entry was written, for error messages and ``rules show``."""

    file: str  # as given, or "python/flask.toml" for a built-in pack
    line: int  # from 1
    text: str  # the entry before brace expansion


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters (or the returned value) of functions that are recognised by how they are used."""

    by: Literal[
        "decorator",
        "override",
        "callback",
        "type",
        "name",
        "literal",
        "export",
        "directive",
        "names",
        "types",
        "answer",
    ]
    # () for "name", "literal", "export", "directive"; for "override" the root may be a pattern, "*Servicer"; for
    # "names" the module that the file must import, or (); for "types" the first type; for "answer" the result's type
    api: Api
    method: str = ""  # "override": the method's name, "resolve_*" a prefix; "literal", "directive": the text;
    # "export": the exported name; "names": the parameters' names, "req,res"; "types": the method's name, or ""
    port: Port | None = None  # for "callback": which argument the function is; for "export": its path into the export
    which: int | str = "*"  # position, name, "*" for all, "return" for what the function returns
    steps: Api = ()  # members read from the parameter: ("query",); for "type" what follows the first "#"
    files: str = ""  # for "export": the pattern of the files that export it
    # for "types": the types of the parameters after the first one; "callback", "override": of the first ones, or ()
    further: tuple[Api, ...] = ()
    absent: tuple[Api, ...] = ()  # for "types": modules, or members of modules, that no file of the program uses
    beside: str = (
        ""  # for "names": a module, or a pattern of modules, that some file of the program imports; "" for none
    )
    others: tuple[str, ...] = ()  # for "export": names of which the file exports none beside it
    # for "export": a function beside it does not return this: name, key, constant
    returning: tuple[str, str, str] | None = None
    outermost: bool = False  # for "names": only functions of the module itself, no methods and none inside others


BESIDE: Final = "'"  # the first character of ``Source.declared`` where a table beside the function declares the keys


@dataclass(frozen=True, slots=True)
class Source:
    kind: str  # taint kind
    target: Api | Parameters
    fills: Port | None  # the argument that the call fills, or None: the value itself
    conditions: tuple[EntryCondition, ...]
    low: bool  # "~"
    origin: Origin
    keyed: bool = False  # the program declares its keys: only what lies under them is untrusted
    without: tuple[str, ...] = ()  # vulnerabilities and aspects that it never has
    routed: bool = False  # it is a part of the path that a route names: as the parameter, or the key, is called
    part: Port | None = None  # routed: the argument that holds the part's name
    # keyed: the notation of texts that declare what lies under the keys, by the function's name; or ``BESIDE`` and the
    # name of a table beside the function that does
    declared: str = ""
    # the argument of the registering call whose schema declares what lies under the keys; of a source that is not
    # keyed, the parameters by their names
    schema: Port | None = None


@dataclass(frozen=True, slots=True)
class Sink:
    vulnerability: str
    target: Api | Parameters
    ports: tuple[Port, ...]  # empty for an assignment and for returned values
    assignment: bool  # "X="
    conditions: tuple[EntryCondition, ...]
    low: bool
    origin: Origin
    shown: bool = False  # as text, in which what a container holds is quoted
    rendering: Rendering | None = None  # of what a function returns: the template that is filled with it
    without: tuple[str, ...] = ()  # aspects that do no harm here
    whole: bool = False  # an object that holds untrusted data does no harm here, only one that is it


CODES_NAME: Final = "codes"
# What else a sanitizer or guard may clean for: all vulnerabilities; and codes that a decoder reads, such as ``%2e``
CLEAN_FOR: Final = ("any", CODES_NAME)


@dataclass(frozen=True, slots=True)
class Sanitizer:
    vulnerability: str  # or one of ``CLEAN_FOR``
    api: Api
    ports: tuple[
        Port, ...
    ]  # empty: the result (or the value itself) is clean; else these arguments are, after the call
    conditions: tuple[EntryCondition, ...]
    low: bool
    origin: Origin
    # without ports: the object is clean once this was assigned, but for what was assigned; with: this is, and it alone
    assignment: bool = False


GuardKind = Literal[
    "eq",
    "in",
    "prefix",
    "suffix",
    "subdomain",
    "contains",
    "match",
    "is",
    "call",
    "valid",
    "raises",
    "rejects",
    "asserts",
    "within",
]
# Tests that are calls: a predicate; a check of a value whose result says whether it passed, or that raises, or that
# returns a promise that is rejected, where it did not; a call that raises where the truth value that it is given is
# false; a question whether all elements lie within a collection.
CALL_TESTS: Final = ("call", "valid", "raises", "rejects", "asserts", "within")


@dataclass(frozen=True, slots=True)
class Guard:
    """A test that makes a value clean on one side of a branch."""

    vulnerability: str  # or one of ``CLEAN_FOR``
    test: GuardKind
    api: Api  # the call of ``CALL_TESTS``; the transform's API up to the call; () for the value itself
    port: Port | None  # where the guarded value stands in ``api``'s call
    steps: Api  # members read from the transform's result: ("netloc",)
    text: str | None  # the quoted constant, when the entry asks for one
    when_false: bool  # "!"
    conditions: tuple[EntryCondition, ...]
    low: bool
    origin: Origin
    part: tuple[int | None, int | None] | None = None  # "_[1:-1]": the test is of this slice of the value
    also: tuple[Guard, ...] = ()  # tests that must have gone the same way before or after: "and"
    schema: Port | None = None  # of "valid", "raises", "rejects", "within": what the value was checked against
    schema_made: bool = False  # the schema stands in the call that made the callee or its receiver
    awaited: bool = False  # of "valid": the call returns a promise, and says nothing where nothing waits for it
    port_made: bool = False  # the value stands in the call that made the receiver


@dataclass(frozen=True, slots=True)
class Flow:
    """``origin -> target without vulnerability``: data moves; ``same`` for ``=>``, the value itself moves; ``shown``:
    the target is text that shows it.
    """

    origin: Port
    target: Port
    same: bool = False
    without: tuple[str, ...] = ()  # vulnerabilities and aspects to which what flows this way does no harm
    shown: bool = False
    pattern: Port | None = None  # all its matches in the origin are replaced
    replacement: Port | None = None  # by this
    schema: Port | None = None  # what declares the fields of the target
    is_text: bool = False  # the pattern is a text that is looked for as it is
    normalising: bool = False  # the target is a path in which `..` was resolved by its text
    decoding: bool = False  # the target is decoded: what cleaned the origin says nothing of it
    only: bool = False  # the call drops, or refuses, fields that the schema does not declare
    schema_made: bool = False  # the schema stands in the call that made the receiver


@dataclass(frozen=True, slots=True)
class CallFlow:
    """``call callee(arguments) on receiver -> target``: the argument is called with these values.

    ``where callee(arguments) -> target``: what goes to the target is the arguments for which it returns true.

    ``bind callee(arguments) on receiver -> ret``: the result is a function that calls the argument with these values,
    then its own arguments.
    """

    callee: Port
    arguments: tuple[Port, ...]
    target: Port | None
    where: bool = False
    receiver: Port | None = None  # what is the function's receiver in that call
    later: bool = False  # ``bind``


@dataclass(frozen=True, slots=True)
class TopicKey:
    """A part of the key under which handlers and senders of messages find each other."""

    # "made": a constant given to the call that made the receiver; "text": what the pack says; "root": the class at the
    # beginning of the chain of members that the value is the end of; "name": the member that the value is;
    # "called": as "made", of the call that made what is called; "file": the constant name of the file that a path, or
    # what was opened with one, leads to
    by: Literal["constant", "type", "object", "made", "text", "root", "name", "called", "file"]
    port: Port
    above: bool = False  # "^": a port of the call whose result is called, such as a decorator's
    text: str = ""  # of "text", which names no port


@dataclass(frozen=True, slots=True)
class Handle:
    """``handle topic[key] by port``: the argument is a function that gets the messages sent with this key."""

    topic: str
    key: tuple[TopicKey, ...]
    handler: Port


@dataclass(frozen=True, slots=True)
class Send:
    """``send topic[key](arguments)``: the functions that handle messages with this key are called with these values."""

    topic: str
    key: tuple[TopicKey, ...]
    call: CallFlow  # its callee is no port of the call


@dataclass(frozen=True, slots=True)
class Keep:
    """``keep table[key](ports)``: records of the table with this key hold what stands at the ports from now on.

    An argument with a name lies in them under its name, or under that of the port (``1 as data``); any other argument
    is a record.
    """

    table: str
    key: tuple[TopicKey, ...]
    kept: tuple[Port, ...]
    # where a form lists the fields that it keeps; without a list of constants, these are all columns of the class
    fields: Port | None = None
    without: tuple[Port, ...] = ()  # lists of fields that it does not keep
    # the method that keeps, behind those of the class that lead to it; a class that overrides one of these keeps
    # nothing unless its code calls a method of this list
    through: tuple[str, ...] = ()
    # a class that states the list at the port keeps nothing unless the list has one of these texts
    named: tuple[str, ...] = ()
    naming: Port | None = None


@dataclass(frozen=True, slots=True)
class Recall:
    """``recall table[key] -> port``: what stands at the port is a record of the table with this key.

    ``declare table[key] by port``: what stands at the port declares its columns. The type of one is its value, or what
    lies in that under the key in the path of the port.

    ``recall table[key] -> methods of port by 'row'``: at the port stands a class, and the parameters of these names of
    its methods are records.

    ``recall table[key] -> port with 0[include], 0[select]``: under the keys of the object at the first of these ports,
    and under those keys of the others that hold objects, lie records of the tables that the keys name.
    """

    table: str
    key: tuple[TopicKey, ...]
    target: Port
    declares: bool = False
    methods: tuple[str, ...] = ()
    joins: tuple[Port, ...] = ()


@dataclass(frozen=True, slots=True)
class Execute:
    """``execute tables[0](1) -> port``: the call runs the SQL statement whose text is the key.

    Its parameters are the elements of the argument, or the arguments from one on. Rows stand at the target, if any: the
    path of one, or, with ``<column>`` at its end, that of its first column. ``-> cb -1:1[]``: a function, the argument
    at the target, gets them.
    """

    table: str
    key: tuple[TopicKey, ...]
    given: tuple[Port, ...]
    target: Port | None
    parameter: int = (
        -1
    )  # of the function at the target, from 0, that gets the rows; -1 where they stand there themselves


@dataclass(frozen=True, slots=True)
class Drop:
    """``drop port``: the call removes what lay there."""

    port: Port  # its path has one key; "" for all of them


@dataclass(frozen=True, slots=True)
class Chain:
    """``chain steps to end``: the functions of a list run one after another.

    Each gets, last, a function that calls the next one without the first of its own arguments, which is an error. That
    of the last one calls ``end``, with all.
    """

    steps: Port
    end: Port


@dataclass(frozen=True, slots=True)
class Propagator:
    api: Api
    flows: tuple[Flow | CallFlow | Handle | Send | Keep | Recall | Execute | Drop | Chain, ...]  # empty: nothing flows
    conditions: tuple[EntryCondition, ...]
    low: bool
    origin: Origin


@dataclass(frozen=True, slots=True)
class Rendering:
    """A call that fills a template with values, or a decorator that does it with what the function returns."""

    engine: str  # of ``kinds.ENGINES``
    target: Api | Parameters
    name: Port  # the template's
    values: tuple[Port, ...]  # tables of values; "all": as Python's dict() takes them; none for what a function returns
    conditions: tuple[EntryCondition, ...]
    low: bool
    origin: Origin
    inline: bool = False  # ``name`` is the template's text
    # the values are kept for a later page, and any template of the engine may show them: by these paths of its names
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """A call that states a route, or the beginning of routes."""

    notation: str  # of ``notations.NOTATIONS``
    api: Api
    pattern: Port  # the route: a text, or a list of texts
    conditions: tuple[EntryCondition, ...]
    low: bool
    origin: Origin


# Relations that one API stands in; the others lead to another one.
SingleRelation = Literal[
    "builtin",
    "clean",
    "never",
    "rooted",
    "described",
    "site_paths",
    "addressed",
    "csrf_protects",
    "csrf_covers",
    "escapes_all",
    "reads_json",
    "reads_forms",
    "bodies",
    "prepares",
    "separators",
    "parents",
    "joining",
    "quoted",
    "asks",
    "channels",
    "errors",
    "records",
    "sessions",
    "closed",
    "validates",
    "converts",
    "enforces",
    "typed",
    "operators",
    "accounts",
    "bearers",
    "registering",
    "exchanges",
    "signed",
    "lenient",
    "admits",
    "choices",
    "formal",
    "either",
    "elements",
    "declares",
    "files",
    "declared_in",
    "modules",
    "answers",
    "encodes",
    "decodes",
    "unwraps",
]
SINGLE_RELATIONS: Final[tuple[str, ...]] = get_args(SingleRelation)


@dataclass(frozen=True, slots=True)
class TypeFact:
    """``left`` is related to the type ``right``."""

    relation: (
        SingleRelation
        | Literal[
            "returns", "member", "extends", "alias", "checks", "uploads", "folders", "sealed", "related", "setters"
        ]
        | Literal["supplied", "requests"]
    )
    left: Api  # for "returns" it ends in "()"
    right: Api  # () for all relations that one API stands in: "builtin", "clean", ...
    origin: Origin
    # for "admits": the pattern; None: no text of a client's is admitted. For "checks": the schema. For "uploads": an
    # option. For "formal": what is asked in addition. For "lenient": what makes the call so. For "modules": the name.
    # For "sealed": what is signed. For "site_paths": what the path is made of. For "answers": what is sent as JSON.
    # For "requests": the address.
    # For "declares": the name of the field.
    # For "described": what turns the check off. For "choices": the texts. For "setters": what is set
    port: Port | None = None
    conditions: tuple[EntryCondition, ...] = ()  # of "returns": constants that the call must, or must not, be given
    # of "related": what stands behind the name of the class where the argument is missing
    # of "uploads": what the option is, the key under which the server's name stands, and the keys on the way from the
    # table with the option to another one that holds in its place
    # of "checks": "only" where no field gets through that the schema does not declare, and the name of an option that
    # lets others through
    # of "supplied": the exported name, members behind it, "()", and keys of what the function returns
    texts: tuple[str, ...] = ()
    # of "sealed": where a call of ``right`` gives back what was signed; of "requests": where the answer arrives
    opened: Port | None = None


@dataclass(frozen=True, slots=True)
class ParameterType:
    """These parameters are instances of a type."""

    parameters: Parameters
    type: Api
    origin: Origin
    made: tuple[
        str, ...
    ] = ()  # of "override": keys in the body of the class, where the class of the instances may stand
    conditions: tuple[EntryCondition, ...] = ()  # of "callback": about the call that gets the function


@dataclass(frozen=True, slots=True)
class EditStep:
    """One operation on the syntax at a sink, or at a source: see docs/rule-language.md."""

    operation: Literal[
        "call",
        "module",
        "wrap",
        "under",
        "quote",
        "parameters",
        "words",
        "drop",
        "assign",
        "conversion",
        "replace",
        "import",
    ]
    api: Api = ()  # "call", "module", "wrap", "quote", "import": what stands there afterwards
    word: str = ""  # "parameters", "words": the form; "assign": the member; "conversion": the verb; "under": the key
    port: Port | None = None  # "drop"
    texts: tuple[str, str] = ("", "")  # "replace": a regular expression, and what stands for its match afterwards


@dataclass(frozen=True, slots=True)
class Remedy:
    """``API : operation, operation if "text"``: how calls of an API are edited so that a vulnerability is gone."""

    vulnerability: str
    api: Api  # the sink's, or the source's
    source: bool  # "source": the edit is made where the data is read
    assignment: bool  # "X="
    steps: tuple[EditStep, ...]
    given: str  # a file of the program must import this; "": always
    origin: Origin


@dataclass(frozen=True, slots=True)
class Example:
    """Code with its expected findings, run by the test suite and ``pyrograph rules test``."""

    name: str
    code: str
    file: str  # file name the code is scanned under
    origin: Origin


@dataclass(frozen=True, slots=True)
class Proof:
    """Where a library's source shows what an inferred pack says of an API."""

    api: Api
    place: str  # file and line


@dataclass(frozen=True, slots=True)
class Pack:
    """One model file."""

    name: str  # "python/flask"
    language: str  # one of ``model.languages.rule_languages``
    library: str
    sources: tuple[Source, ...] = ()
    sinks: tuple[Sink, ...] = ()
    sanitizers: tuple[Sanitizer, ...] = ()
    guards: tuple[Guard, ...] = ()
    propagators: tuple[Propagator, ...] = ()
    types: tuple[TypeFact, ...] = ()
    examples: tuple[Example, ...] = field(default=())
    parameter_types: tuple[ParameterType, ...] = ()
    renderings: tuple[Rendering, ...] = ()
    routes: tuple[Route, ...] = ()
    inferred: str = ""  # the version of the library from whose source the pack was inferred; "": written by hand
    proofs: tuple[Proof, ...] = ()  # of an inferred pack
    remedies: tuple[Remedy, ...] = ()
