"""The result of ``label``: roles of values, and data flow that models state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE
from pyrograph.model.problem import Problem
from pyrograph.rules.entries import Api, Port

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.patterns import Dialect, Growth


class SourceRole(NamedTuple):
    """A value that is untrusted."""

    value: int
    kind: str  # taint kind
    api: str  # as the rule language writes it
    keyed: bool = False  # the keys of this object are the program's own; only what lies under them is untrusted
    harmless: int = 0  # mask of what it never has: a part of a path between slashes holds none
    unsure: int = 0  # mask of what it seldom has: it is a part of a path, and the route that names it is not known
    keys: tuple[int, ...] = ()  # the access path that is untrusted; () all of it
    entered: bool = False  # code outside of the program passes it: it does not come back to the program's own callers
    owner: int = NONE  # class of the method that gets it; its fields declare the keys


class FieldCheck(NamedTuple):
    """A function of the program that checks a field of a form."""

    function: int
    texts: tuple[int, ...]  # representatives of what the field holds in it
    others: tuple[int, ...] = ()  # the same of the other fields: who sends one chooses these, too


class TemplatePlace(NamedTuple):
    """Where a template writes a value without escaping."""

    path: str = ""
    start: int = 0  # bytes
    end: int = 0


NOWHERE: Final = TemplatePlace()


class SinkRole(NamedTuple):
    """A value that does harm when it is untrusted."""

    value: int
    vulnerability: int  # bit
    api: str
    file: int
    start: int  # bytes of the argument
    end: int
    keys: tuple[int, ...]  # the access path that must be tainted; () any
    low: bool  # confidence is low whatever the path: a match by name alone
    exact: bool = False  # taint below the access path does not count: a response's headers are not its body
    shown: bool = False  # the value is shown as text, in which its elements are quoted
    template: TemplatePlace = NOWHERE  # where the template that gets the value writes it
    call: int = NONE  # of which the value is an argument
    mild: bool = False  # what arrives does harm in few places, by how its text ends: confidence is low
    # of what a function returns: the calls that fill a template which calls it and writes the result, and where
    shown_by: tuple[tuple[int, TemplatePlace], ...] = ()
    given: int = NONE  # of a function that a library calls: the argument of ``call`` that it is
    option: bool = False  # only the name of an option says that the library does this: confidence is medium at most


class DataFlow(NamedTuple):
    """``target.put = origin.take``; derived: the target is made of the origin and everything in it."""

    origin: int
    target: int
    take: tuple[int, ...]
    put: tuple[int, ...]
    derived: bool
    harmless: int = 0  # mask of vulnerabilities for which the data does no harm afterwards
    shown: bool = False  # the target is text that shows the origin
    lost: tuple[int, ...] = ()  # keys of the origin that the target has other values under


class Proof(NamedTuple):
    """What a condition proves by the guards of the rules."""

    values: frozenset[int]  # representatives
    mask: int  # of vulnerabilities for which they are clean …
    side: int  # … where the condition has this side


@dataclass(slots=True)
class KeptChanges:
    """Flow of changed objects into what holds them, or keeps them."""

    reads: list[DataFlow] = field(default_factory=list)  # into what calls have read them from: ``reverse_reads``
    # the same of an element that a function got and changed: (site, its state, what holds it, key)
    elements: list[tuple[int, int, int, int]] = field(default_factory=list)
    # (receiver where a public method is left, receiver of another one): code outside may call both on one object
    receivers: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True)
class CheckRoles:
    """What conditions and calls prove of a value, as far as is known."""

    checked_by_call: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # pi -> (call, callee's pi, side)
    # (functions,) whether a condition in it, or right below it, says more of a text than whether there is one
    telling: npt.NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, bool))
    choosing_results: npt.NDArray[np.bool_] = field(
        default_factory=lambda: np.empty(0, bool)
    )  # and may choose what it returns
    connections: frozenset[int] = frozenset()  # calls whose client asks where a connection leads
    chosen_servers: frozenset[int] = frozenset()  # calls on a connection to a server that a request chooses
    choosing: frozenset[int] = frozenset()  # calls for a function that is then called with what they were given
    # calls that prove the form of a value only, such as that it is a URL -> keys of fields of which they may prove more
    formal: dict[int, frozenset[int]] = field(default_factory=dict)
    formal_functions: frozenset[int] = frozenset()  # functions that ask no more than such calls of their parameters
    unverified_guards: dict[int, int] = field(default_factory=dict)  # pi -> condition: a check that no rule describes
    likely: set[int] = field(default_factory=set)  # of ``unverified_guards``: most often right
    # calls of asynchronous functions that nobody waits for: what they return, a promise, is true, and stops nothing
    pending: frozenset[int] = frozenset()
    understood: set[int] = field(default_factory=set)  # conditions that are guards of the rules: their effect is known
    validated_fields: set[int] = field(default_factory=set)  # loads of fields that a validator of the program checks
    # reads of a field from checked data -> the functions of the program that check the field
    field_checks: dict[int, tuple[FieldCheck, ...]] = field(default_factory=dict)
    behind_schemas: set[int] = field(default_factory=set)  # parts of requests that a schema checks which is not known
    open_prefixes: dict[int, int] = field(default_factory=dict)  # pi -> condition: a test of a prefix leaves something
    prefixed: int = 0  # mask of aspects: what such a test leaves if the prefix does not end as they say
    fixed_prefixes: set[int] = field(default_factory=set)  # those of them behind a prefix whose end the program fixes
    guessed: dict[int, int] = field(default_factory=dict)  # source -> call that registers its function, by name alone
    undone: set[tuple[int, int]] = field(default_factory=set)  # (origin, target) of flow past what a decoder undoes
    # (address, result of the call) of requests whose answer is the work of whoever chose the address
    answered: set[tuple[int, int]] = field(default_factory=set)
    decoded: set[int] = field(default_factory=set)  # what decoders give: no check before them says anything of it
    # what any condition of the program proves, also outside the chop; None: nobody may ask, or the program is too large
    proofs: Callable[[int], list[Proof]] | None = None
    answers: Callable[[int], list[Proof]] | None = None  # the same of a value, if a condition tested its truth


@dataclass(slots=True)
class AccessRoles:
    """What packs say about who may call a function."""

    # language -> API nodes of checks that let only administrators through
    operators: dict[str, frozenset[int]] = field(default_factory=dict)
    accounts: dict[str, frozenset[int]] = field(default_factory=dict)  # the same for people with an account
    bearers: dict[str, frozenset[int]] = field(default_factory=dict)  # for requests with a header that no link adds
    registering: dict[str, frozenset[int]] = field(default_factory=dict)  # for those with which visitors make accounts
    registering_names: frozenset[str] = frozenset()  # the names of these in texts
    # states of what a call gives that completes a login, and raises if it does not; and of the errors of others
    completing: frozenset[int] = frozenset()
    incomplete: frozenset[int] = frozenset()
    # states of what a call gives that verifies the signature of a message; and of the errors of others, if it is wrong
    verifying: frozenset[int] = frozenset()
    forged: frozenset[int] = frozenset()
    # language -> API node of a call that states a route -> which argument the route is
    routes: dict[str, dict[int, Port]] = field(default_factory=dict)
    # language -> API node of such a call -> the method of HTTP where it states none
    default_methods: dict[str, dict[int, str]] = field(default_factory=dict)
    # parameters' types, of exported functions, from which no request is read: an application, a server
    no_requests: frozenset[Api] = frozenset()
    # language -> API nodes of calls that do something dangerous with what they are given, and so register nothing
    dangerous: dict[str, frozenset[int]] = field(default_factory=dict)


@dataclass(slots=True)
class Growths:
    """How the time of regular expressions grows with the text, as far as it was asked for."""

    known: dict[tuple[str, str, Dialect, str, bool], Growth] = field(default_factory=dict)  # by regular expression
    steps: int = 0  # of the analysis of ``known``
    # by pattern (``admitted.Pattern``), how it is used and a group: for what texts are clean that it admits
    masks: dict[tuple[tuple[str, str, str, bool], str, int | str], int] = field(default_factory=dict)
    # by pattern and how it is used: for what texts are clean in which it is not found
    unmatched: dict[tuple[tuple[str, str, str, bool], str], int] = field(default_factory=dict)
    compared: int = 0  # steps for ``masks`` and ``unmatched``
    is_cut: bool = False  # whether a pattern was not compared because of them, which is reported


@dataclass(slots=True)
class KnownKeys:
    """What is known of the keys of objects."""

    clean: dict[int, frozenset[int]] = field(default_factory=dict)  # keyed source -> keys with clean types
    unset: dict[int, frozenset[int]] = field(default_factory=dict)  # state behind a decoder -> keys it never sets
    stored: dict[int, tuple[int, ...]] = field(default_factory=dict)  # store with a computed key -> the keys
    # cell of a table -> its columns, and whether one holds no text; only where handlers answer scripts of pages
    columns: dict[int, dict[int, bool]] = field(default_factory=dict)
    tables: frozenset[int] = frozenset()  # names of fields that hold tables, whose keys are not the program's own


@dataclass(slots=True)
class Quoted:
    """Values that a text shows in quotes, with line ends escaped."""

    harmless: int = 0  # mask of vulnerabilities for which such elements of a shown value do no harm
    values: set[int] = field(default_factory=set)  # representatives whose type is shown so: bytes, lists


@dataclass(slots=True)
class Encoded:
    """What is made into text, and read of it."""

    keys: set[int] = field(default_factory=set)  # of encoded text: harmless until it is decoded
    json_made: set[tuple[int, int]] = field(default_factory=set)  # (what JSON is made of, result)
    json_read: set[tuple[int, int]] = field(default_factory=set)  # (JSON, what a call makes of it)


@dataclass(slots=True)
class RequestValues:
    """Values that are certain parts of a request."""

    rooted: set[int] = field(default_factory=set)  # texts that begin with a slash, such as the path of the request
    addressed: set[int] = field(default_factory=set)  # the whole address of a request, or an object that holds it
    csrf_covered: set[int] = field(default_factory=set)  # parts of a body that CSRF protection refuses from other sites
    bodies: set[int] = field(default_factory=set)  # bodies of requests, of which the program says how it reads them


@dataclass(slots=True)
class Labels:
    """The roles of a program's values; a mask has one bit for each vulnerability, or for each of its aspects."""

    vulnerabilities: tuple[str, ...]  # bit -> id; one that has aspects stands here once for each
    sources: list[SourceRole] = field(default_factory=list)
    sinks: list[SinkRole] = field(default_factory=list)
    clean: dict[int, int] = field(default_factory=dict)  # value -> mask of vulnerabilities for which it is clean
    flows: list[DataFlow] = field(default_factory=list)
    kept: KeptChanges = field(default_factory=KeptChanges)
    harmless_parts: dict[tuple[int, int], int] = field(default_factory=dict)  # (part, text) -> mask: no harm there
    assumed: list[tuple[int, int]] = field(default_factory=list)  # (origin, target): an unknown callee may pass it on
    assumed_if_whole: list[tuple[int, int]] = field(default_factory=list)  # the same, if all of the origin is tainted
    accessed: list[tuple[int, int]] = field(default_factory=list)  # (origin, target): reads a part of a whole origin
    checks: CheckRoles = field(default_factory=CheckRoles)
    access: AccessRoles = field(default_factory=AccessRoles)
    weak: frozenset[int] = frozenset()  # bits of aspects: low confidence where only these are left
    medium: int = 0  # mask of aspects: medium confidence at most where only these are left
    texts: dict[int, frozenset[str]] = field(default_factory=dict)  # bit of an aspect -> sources whose parts are texts
    non_returning: set[int] = field(default_factory=set)  # calls that do not return
    numeric_parameters: set[int] = field(default_factory=set)  # their types, which a compiler checks, hold no text
    relations: set[int] = field(default_factory=set)  # loads of columns that refer to a record: no part of their record
    encoded: Encoded = field(default_factory=Encoded)
    modelled: set[int] = field(default_factory=set)  # calls of which some pack has an entry
    inferred: dict[int, str] = field(default_factory=dict)  # calls of which only an inferred pack says something: where
    keys: KnownKeys = field(default_factory=KnownKeys)
    # language -> points-to states; a call with such an argument queries something external, such as a database
    asking: dict[str, frozenset[int]] = field(default_factory=dict)
    quoted: Quoted = field(default_factory=Quoted)
    request: RequestValues = field(default_factory=RequestValues)
    deleted_keys: dict[int, int] = field(default_factory=dict)  # post-update value -> the key that the call deletes
    # (values,) whether a value is on some path from a source to a sink; guards and assumed edges are known only inside
    chop: npt.NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, bool))
    problems: list[Problem] = field(default_factory=list)  # bounds that were reached
    growths: Growths = field(default_factory=Growths)
    keep_alive: Any = None  # the state of labelling, kept because freeing it takes time
