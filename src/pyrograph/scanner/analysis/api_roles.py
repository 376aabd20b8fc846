"""What rules say of an API path: the roles of its calls and values, checks, and conventions of frameworks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from pyrograph.rules.entries import (
    Api,
    Parameters,
    ParameterType,
    Port,
    Propagator,
    Recall,
    Rendering,
    Route,
    Sanitizer,
    Sink,
    Source,
)

Entry = Source | Sink | ParameterType  # about the parameters or results of functions


class RouteCheck(NamedTuple):
    """A route's schema, and the member of the request that it checks."""

    port: Port  # of the schema
    member: str
    pack: str
    only: tuple[str, ...]  # "only" where nothing else gets through, and the name of an option that lets others through


@dataclass(slots=True)
class SchemaRoles:
    """What packs say about one API path that declares or checks what a value may be."""

    closed_type: bool = False  # a type of schemas that let no field through which they do not declare
    declared_in: list[Port] = field(default_factory=list)  # where a class says which class declares its other fields
    either: list[Port] = field(default_factory=list)  # makes a schema of those that stand there
    elements: list[Port] = field(default_factory=list)  # makes a schema of collections of what stands there
    declares: list[Port] = field(default_factory=list)  # the name of a field of what the receiver reads
    checks: list[RouteCheck] = field(default_factory=list)
    validators: list[tuple[Port, str]] = field(default_factory=list)  # its schema, the method that reads the result
    admits: list[Port | None] = field(default_factory=list)  # what a call declares that a field may hold: its pattern
    choices: list[Port] = field(default_factory=list)  # where a call lists the texts that a field may hold
    typed: list[Port] = field(default_factory=list)  # what stands there was checked to be of its declared type
    # makes a schema that says nothing of what it is given, where something stands at the port
    lenient: list[Port | None] = field(default_factory=list)
    # makes a server check all requests against a description that is not read; what turns that off
    described: list[Port | None] = field(default_factory=list)
    formal: list[Port | None] = field(default_factory=list)  # proves the form of a value only; where its parts stand


@dataclass(slots=True)
class ExchangeRoles:
    """What packs say about one API path that passes data between requests, or between a page and its server."""

    seals: list[tuple[Port, int]] = field(default_factory=list)  # what a call signs, and the API that opens it
    opens: list[Port] = field(default_factory=list)  # where a call gives back what was signed
    answers: list[Port] = field(default_factory=list)  # what a call sends to a client as JSON
    is_answer: bool = False  # the same of what is assigned to it
    encodes: list[Port] = field(default_factory=list)  # what a call makes JSON of
    decodes: list[Port] = field(default_factory=list)  # the JSON that a call reads
    unwraps: list[Port] = field(default_factory=list)  # a function through which the answers to a client go
    # the address of a request that a call makes, and where the answer arrives
    requests: list[tuple[Port, Port]] = field(default_factory=list)


@dataclass(slots=True)
class Roles:
    """What packs say about one API path."""

    sources: list[Source] = field(default_factory=list)
    sinks: list[Sink] = field(default_factory=list)
    sanitizers: list[Sanitizer] = field(default_factory=list)
    propagators: list[Propagator] = field(default_factory=list)
    renderings: list[Rendering] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)
    functions: list[Entry] = field(default_factory=list)  # about functions used with this API
    clean_type: bool = False
    is_relation: bool = False  # what a call returns is a record of a table: a column that refers to one
    never: bool = False  # calls do not return
    rooted: bool = False  # a text that begins with a slash
    # a call's result is a path of the site with a part in it, where something stands at the port
    site_paths: list[Port | None] = field(default_factory=list)
    addressed: bool = False  # the whole address of a request
    csrf_protects: bool = False  # a call makes the program refuse bodies without its token
    csrf_covers: bool = False  # a part of such a body
    # a setting, or an option of a call at the port, says whether all templates escape
    escapes_all: list[Port | None] = field(default_factory=list)
    reads_forms: bool = False  # a call makes the program read bodies that a form of any page sends
    reads_json: list[Port | None] = field(default_factory=list)  # the same as JSON; where the types of content stand
    schemas: SchemaRoles = field(default_factory=SchemaRoles)
    exchanges: ExchangeRoles = field(default_factory=ExchangeRoles)
    modules: list[Port] = field(default_factory=list)  # returns the module that the text at the port names
    body: bool = False  # such a body
    separator: bool = False  # a text that separates the parts of a path
    parent: bool = False  # a text that names the folder above
    joining: bool = False  # its result ends as its last argument does
    quoted: bool = False  # the text that shows it is quoted
    file: bool = False  # an open file or an upload
    # an option, its value with which the server names files, the member of the request, the key of the name, and the
    # path from the option's table to another one that holds in its place
    uploads: list[tuple[Port, str, str, str, tuple[str, ...]]] = field(default_factory=list)
    related: list[tuple[Port, int, str]] = field(default_factory=list)  # of fields: see ``resolve.related``
    setters: list[tuple[Port, str]] = field(default_factory=list)  # what it sets: a key of the result it is a part of


@dataclass(slots=True)
class Checks:
    """The APIs that ask who somebody is, or what a value is."""

    validating: list[int] = field(default_factory=list)  # decorators of functions that check the fields they name
    converting: list[int] = field(default_factory=list)  # decorators of methods whose result the fields they name hold
    declaring: bool = False  # whether a method declares a field of what its receiver reads
    enforcing: dict[str, list[int]] = field(default_factory=dict)  # by pack, what checks what its decorators say
    operators: list[int] = field(default_factory=list)  # checks that let only administrators through
    accounts: list[int] = field(default_factory=list)  # checks that let only people with an account through
    bearers: list[int] = field(default_factory=list)  # that let only requests with a header through
    registering: list[int] = field(default_factory=list)  # with which visitors make accounts
    registering_names: set[str] = field(default_factory=set)  # the same as texts that name them
    exchanges: list[int] = field(default_factory=list)  # results and errors of calls that complete a login
    signed: list[int] = field(default_factory=list)  # the same of calls that verify the signature of a message
    preparing: set[str] = field(default_factory=set)  # names of methods that a framework calls before others
    asking: set[int] = field(default_factory=set)  # of arguments: calls that are given one ask something else


@dataclass(slots=True)
class Conventions:
    """Entries about functions and values that are no part of an API: what frameworks find by name, place or type."""

    overrides: dict[int, dict[str, list[Entry]]] = field(default_factory=dict)  # base class -> method -> entries
    exports: list[Entry] = field(default_factory=list)  # about functions that files of some names export
    directives: list[Entry] = field(default_factory=list)  # about functions, or files, that begin with a certain text
    bases: list[Entry] = field(default_factory=list)  # about methods of classes whose base has a certain name
    # (pattern for the last name of an unseen base, what it extends)
    unseen_bases: list[tuple[str, int]] = field(default_factory=list)
    by_types: list[Entry] = field(default_factory=list)  # about functions whose signature shows what they are
    by_calls: list[Entry] = field(default_factory=list)  # about objects given to unseen functions of a certain name
    # names of the first parameters -> (module that the file must import or "", entry)
    by_names: dict[tuple[str, ...], list[tuple[str, Entry]]] = field(default_factory=dict)
    named: dict[str, list[Source]] = field(default_factory=dict)  # parameter's name -> sources
    literals: dict[str, list[Source]] = field(default_factory=dict)  # text -> sources
    # what stands for it -> exported names, members, "()" and keys of what the same file's export returns
    supplied: dict[int, list[tuple[str, ...]]] = field(default_factory=dict)
    tables_named: dict[int, list[Recall]] = field(default_factory=dict)  # any member of an object -> tables by its name
    sessions: set[Api] = field(default_factory=set)  # paths of objects that requests of one visitor share


def parameters_of(entry: Entry) -> Parameters:
    """The functions and parameters that an entry about functions names."""
    found = entry.parameters if isinstance(entry, ParameterType) else entry.target
    assert isinstance(found, Parameters)
    return found


def registers_its_argument(entry: Entry) -> bool:
    """Whether an entry is about functions that a call decorates or is given. A function in a member of the receiver
    (``client.CheckRedirect``) says nothing of a call that is given another one.
    """
    parameters = parameters_of(entry)
    in_receiver = parameters.port is not None and parameters.port.kind == "this"
    return parameters.by in ("decorator", "callback") and not in_receiver
