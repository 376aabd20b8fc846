"""The APIs that rules name, as a trie for each language that resolution walks while it follows values.

A node is an API path such as ``sqlite3.Connection#cursor()``; its edges are the steps of the rule language: members,
``()`` for a call's result, ``#`` for an instance, ``[key]`` for an element. What the packs say about a path hangs on
its node. Type facts make nodes stand for others: a call's result for an instance, a class for its bases, an alias for
its canonical name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pyrograph.ir.codes import NONE
from pyrograph.model.languages import rule_languages, rule_syntax_of
from pyrograph.policy.names.requests import CONTEXT_FIELDS
from pyrograph.rules.entries import (
    Api,
    CallFlow,
    EntryCondition,
    Guard,
    Pack,
    Parameters,
    Recall,
    Sink,
    Source,
    TypeFact,
)
from pyrograph.rules.load import UNKNOWN
from pyrograph.scanner.analysis.api_index import HANDLE as HANDLE
from pyrograph.scanner.analysis.api_index import INSTANCE as INSTANCE
from pyrograph.scanner.analysis.api_index import role_index
from pyrograph.scanner.analysis.api_roles import Checks, Conventions, Entry, Roles, RouteCheck, registers_its_argument
from pyrograph.scanner.analysis.borrowed import borrowed, callers

CALL: Final = "()"
ANY_KEY: Final = "[*]"
ANY_OBJECT: Final = ("builtins", "object", INSTANCE)  # what packs say of it holds for any object, whatever its type
EXTERNAL: Final = 0  # a member of a library about which no pack says anything

MARKS: Final = {  # relations that say one thing of an API -> the field of ``Roles`` that is true then
    "never": "never",
    "rooted": "rooted",
    "addressed": "addressed",
    "csrf_protects": "csrf_protects",
    "csrf_covers": "csrf_covers",
    "reads_forms": "reads_forms",
    "bodies": "body",
    "separators": "separator",
    "parents": "parent",
    "joining": "joining",
}

# Relations of ``[type]`` by what they are about; the others say what a value is.
ALONE: Final = frozenset(
    ("prepares", "quoted", "folders", "errors", "channels", "records", "sessions", "asks", "files", "site_paths")
)
SCHEMAS: Final = frozenset(
    (
        *("closed", "typed", "admits", "choices", "either", "elements", "lenient", "formal", "checks", "declared_in"),
        *("described", "declares"),
    )
)
ACCESS: Final = frozenset(
    ("operators", "accounts", "bearers", "registering", "exchanges", "signed", "validates", "converts", "enforces")
)
PAIRS: Final = frozenset(
    ("modules", "reads_json", "escapes_all", "uploads", "related", "supplied", "setters", "sealed")
)
ANSWERS: Final = frozenset(("requests", "answers", "encodes", "decodes", "unwraps"))


@dataclass(slots=True)
class _Memo:
    """What was worked out of the trie, kept because it is asked often."""

    keeping: dict[int, int] | None = None  # type -> the built-in type that it is, or NONE
    repositories: dict[str, list[str]] | None = None  # name that forks keep -> roots
    shares_fields: dict[int, bool] = field(default_factory=dict)
    expanded: dict[int, tuple[int, ...]] = field(default_factory=dict)
    quoted: dict[int, bool] = field(default_factory=dict)
    methods: dict[str, list[int]] | None = None  # name -> methods of types
    steps: dict[tuple[int, str], tuple[int, ...]] = field(default_factory=dict)
    results: dict[int, tuple[int, ...]] = field(default_factory=dict)
    meaning: set[int] | None = None  # nodes of which packs say more than what they stand for


def tries(packs: Sequence[Pack], languages: Iterable[str], *, low: bool) -> dict[str, Apis]:
    """The trie of each language, of which no two have a node in common but ``EXTERNAL``.

    Stages put nodes of all languages into one set, and ask whether a value is one of them. With numbers that two tries
    give to different APIs, a value of one language would be what a pack says of another: which ones met would depend on
    how many entries the packs of each language have.
    """
    paths: list[Api] = [("?",)]
    return {name: Apis([pack for pack in packs if pack.language == name], low=low, paths=paths) for name in languages}


class Apis:
    """The trie of one language; 0 is ``EXTERNAL``, and other nodes have the numbers in which they were made."""

    def __init__(self, packs: Iterable[Pack], *, low: bool, paths: list[Api] | None = None) -> None:
        """``low``: take entries marked ``~`` too; ``paths``: of the nodes that other tries have. Time linear in the
        entries.
        """
        self.children: dict[tuple[int, str], int] = {}
        self.callers: dict[str, CallFlow] = {}  # methods of functions that call them -> what they pass: `f.apply`
        self.paths: list[Api] = [("?",)] if paths is None else paths  # by node; those of other tries stand between
        self.roles: dict[int, Roles] = {}
        self.also: dict[int, list[int]] = {}  # node -> nodes that it stands for too
        self.guards: list[tuple[Guard, tuple[int, ...]]] = []  # with the nodes of the calls that it needs
        self.folders: dict[int, str] = {}  # node of an object -> the folder whose files its members are made of
        self.builtin_types: list[int] = []
        self.builtin_instances: set[int] = set()  # nodes of their instances
        self.builtin_methods: dict[str, tuple[int, ...]] = {}
        self.subclasses: set[tuple[int, int]] = set()  # (class, base class)
        self.clean_members: dict[str, list[str]] = {}  # attribute of any object -> vulnerabilities it is clean for
        self.has_related = False  # whether packs name fields that give other classes attributes
        self.lenient_names: set[str] = set()  # settings under which a schema says nothing of what it is given
        self.admitting = False  # whether packs name calls that declare what fields may hold
        self.records: set[int] = set()  # classes of records: a table keeps what is stored in their fields
        self.errors: set[int] = set()  # what handlers of errors get: exceptions that reach the library
        self.channels: set[int] = set()  # instances of queues: one function puts in what another one takes out
        self.with_elements: set[int] = set()  # results whose elements have sanitizers
        self.conventions = Conventions()
        self.own_objects: set[Api] = set()  # types that sources are not read from: what the program itself makes
        self.checks = Checks()
        self.unknown_members: dict[str, list[int]] = {}  # what members of unknown objects are, by their names
        self.unknown_results: dict[str, list[int]] = {}  # what methods of unknown objects return, by their names
        # node of a call -> types of its result that constants decide
        self.chosen_results: dict[int, list[tuple[tuple[EntryCondition, ...], int]]] = {}
        self.inferred: dict[int, str] = {}  # node of a call -> the library and the place that an inferred pack names
        self._builtins = frozenset(rule_syntax_of(each).builtins for each in rule_languages())
        self._known = _Memo()
        given = list(packs)
        for pack in given:
            if not pack.inferred:
                self._add(pack, low)
        for pack in given:
            if pack.inferred:
                self._add(self._without_known(pack), low)
        self.registrations: dict[str, list[int]] = {}  # method -> APIs that register or decorate functions
        # What libraries declare says nothing of an unknown object with such a method.
        declared = {id(each) for pack in given if pack.inferred for each in pack.parameter_types}
        for node, roles in self.roles.items():
            registers = any(registers_its_argument(entry) and id(entry) not in declared for entry in roles.functions)
            if registers and self.paths[node][-2:-1] == (INSTANCE,):
                self.registrations.setdefault(self.paths[node][-1], []).append(node)
        names: dict[str, list[int]] = {}
        self.builtin_instances = {n for t in self.builtin_types for n in self.expand(self._child(t, INSTANCE))}
        for (node, step), child in self.children.items():
            if node in self.builtin_instances:
                names.setdefault(step, []).append(child)
        self.builtin_methods = {name: tuple(sorted(nodes)) for name, nodes in names.items()}
        methods = [self.roles[n].propagators for nodes in names.values() for n in nodes if n in self.roles]
        self.callers = callers(each for propagators in methods for each in propagators)
        self.index = role_index(self.paths, self.roles)

    def _without_known(self, pack: Pack) -> Pack:
        """An inferred pack without the APIs that a pack written by hand describes, by any of their names."""
        known: dict[Api, bool] = {}

        def is_known(api: Api) -> bool:
            call = api[: api.index(CALL)] if CALL in api else api
            if call not in known:
                known[call] = self._is_described(call)
            return known[call]

        named = pack.library + (f" {pack.inferred}" if pack.inferred != "unknown" else "")
        for proof in pack.proofs:
            if not is_known(proof.api):
                self.inferred[self.node(proof.api)] = f"{named}, {proof.place}"
        return replace(
            pack,
            sources=tuple([e for e in pack.sources if isinstance(e.target, Parameters) or not is_known(e.target)]),
            sinks=tuple([e for e in pack.sinks if isinstance(e.target, Parameters) or not is_known(e.target)]),
            propagators=tuple([each for each in pack.propagators if not is_known(each.api)]),
            types=tuple([each for each in pack.types if each.relation != "returns" or not self._has_result(each.left)]),
        )

    def _has_result(self, result: Api) -> bool:
        """Whether some pack says what type the result of a call has."""
        return bool(self.also.get(self.node(result)))

    def _is_described(self, api: Api) -> bool:
        """Whether some pack says something of a call, or of its result."""
        nodes = [self.node(api)]
        for node in nodes:  # ``also`` is complete for the packs that were added
            nodes += [other for other in self.also.get(node, ()) if other not in nodes]
        called = [child for node in nodes if (child := self.children.get((node, CALL))) is not None]
        return any(each in self.roles for each in (*nodes, *called)) or any(each in self.also for each in called)

    def _add(self, pack: Pack, low: bool) -> None:
        self._add_tested_types(pack)
        self._add_entries(pack, low)
        for guard in pack.guards:
            needed = tuple([self.node(part.api) for part in (guard, *guard.also) if part.api])
            if low or not guard.low:
                self.guards.append((guard, needed))
        for each in pack.parameter_types:
            self._place_parameters(each, each.parameters)
        for fact in pack.types:
            if fact.relation == "extends" and "*" in fact.left[0]:
                self.conventions.unseen_bases.append((fact.left[0], self.node(fact.right)))
            else:
                self._add_fact(fact, self.node(fact.left))

    def _add_tested_types(self, pack: Pack) -> None:
        """Nodes for the APIs that conditions name: a value may be this API itself."""
        for entries in (
            pack.sources,
            pack.sinks,
            pack.sanitizers,
            pack.guards,
            pack.propagators,
            pack.renderings,
            pack.routes,
        ):
            for entry in entries:
                for condition in entry.conditions:
                    for test in condition.tests:
                        if isinstance(test.type, tuple):
                            self.node(test.type)

    def _add_entries(self, pack: Pack, low: bool) -> None:
        """Entries that hang on the node of an API, or on a parameter; ``low``: also those of low confidence."""
        for source in pack.sources:
            for condition in source.conditions:
                for test in condition.tests if condition.unless else ():
                    if test.port.kind == "this" and isinstance(test.type, tuple):
                        self.own_objects.add(test.type)
            if low or not source.low:
                if isinstance(source.target, Parameters):
                    self._place_parameters(source, source.target)
                else:
                    self._place(source, source.target).sources.append(source)
        for sink in pack.sinks:
            if low or not sink.low:
                if isinstance(sink.target, Parameters):
                    self._place_parameters(sink, sink.target)
                else:
                    self._place(sink, sink.target).sinks.append(sink)
        for sanitizer in pack.sanitizers:
            if low or not sanitizer.low:
                self._place(sanitizer, sanitizer.api).sanitizers.append(sanitizer)
                if sanitizer.api[-2:-1] == (CALL,) and sanitizer.api[-1].startswith("["):
                    self.with_elements.add(self.node(sanitizer.api[:-1]))
                if sanitizer.api[:3] == ANY_OBJECT and len(sanitizer.api) == 4:
                    self.clean_members.setdefault(sanitizer.api[3], []).append(sanitizer.vulnerability)
        for propagator in pack.propagators:
            if low or not propagator.low:
                roles = self._place(propagator, propagator.api)
                roles.propagators.append(propagator)
                if propagator.api[-1] == ANY_KEY:
                    said = [each for each in propagator.flows if isinstance(each, Recall) and each.key[0].by == "name"]
                    self.conventions.tables_named[self.node(propagator.api)] = said
                roles.is_relation |= any(
                    isinstance(flow, Recall) and not flow.target.path and not flow.declares for flow in propagator.flows
                )
        for rendering in pack.renderings:
            if low or not rendering.low:
                target = rendering.target
                if isinstance(target, Parameters):
                    conditions, origin = rendering.conditions, rendering.origin
                    sink = Sink("xss", target, (), False, conditions, rendering.low, origin, False, rendering)
                    self._place_parameters(sink, target)
                else:
                    self._place(rendering, target).renderings.append(rendering)
        for route in pack.routes:
            if low or not route.low:
                self._place(route, route.api).routes.append(route)

    def _add_fact(self, fact: TypeFact, left: int) -> None:
        """What a pack says of a type; ``left``: the node of its left side."""
        relation = fact.relation
        if relation in MARKS:
            setattr(self._roles(left), MARKS[relation], True)
        elif relation in SCHEMAS:
            self._add_schema(fact, left)
        elif relation in ACCESS:
            self._add_access(fact, left)
        elif relation in ALONE:
            self._add_mark(fact, left)
        elif relation in PAIRS:
            self._add_exchange(fact, left)
        elif relation in ANSWERS:
            self._add_answer(fact, left)
        else:
            self._add_type(fact, left)

    def _add_mark(self, fact: TypeFact, left: int) -> None:
        """What a pack says of a method, a class or an object alone."""
        if fact.relation == "prepares":
            self.checks.preparing.add(fact.left[-1])
        elif fact.relation == "quoted":
            self._roles(self._child(left, INSTANCE)).quoted = True
        elif fact.relation == "files":
            self._roles(left).file = self._roles(self._child(left, INSTANCE)).file = True
        elif fact.relation == "site_paths":
            self._roles(left).site_paths.append(fact.port)
        elif fact.relation == "folders":
            self.folders.setdefault(left, fact.right[0])
        elif fact.relation == "errors":
            self.errors.add(self._child(left, INSTANCE))
        elif fact.relation == "channels":
            self.channels.add(self._child(left, INSTANCE))
        elif fact.relation == "records":
            self.records.add(left)
        elif fact.relation == "sessions":
            self.conventions.sessions.add(self.paths[self._child(left, INSTANCE)])
        elif fact.relation == "asks":
            self.checks.asking.add(self._child(left, INSTANCE))

    def _add_schema(self, fact: TypeFact, left: int) -> None:
        """What a pack says of schemas, and of what they let through."""
        if fact.relation == "closed":
            self._roles(left).schemas.closed_type = True
            self._child(left, INSTANCE)
        elif fact.relation == "typed":
            if fact.port is not None:
                self._roles(left).schemas.typed.append(fact.port)
        elif fact.relation == "admits":
            self._roles(left).schemas.admits.append(fact.port)
            self.admitting = True
        elif fact.relation == "choices":
            if fact.port is not None:
                self._roles(left).schemas.choices.append(fact.port)
            self.admitting = True
        elif fact.relation == "either":
            if fact.port is not None:
                self._roles(left).schemas.either.append(fact.port)
        elif fact.relation == "elements":
            if fact.port is not None:
                self._roles(left).schemas.elements.append(fact.port)
        elif fact.relation == "declares":
            if fact.port is not None:
                self._roles(left).schemas.declares.append(fact.port)
                self.checks.declaring = True
        elif fact.relation == "declared_in":
            if fact.port is not None:
                self._roles(left).schemas.declared_in.append(fact.port)
        elif fact.relation == "described":
            self._roles(left).schemas.described.append(fact.port)
        elif fact.relation == "lenient":
            self._roles(left).schemas.lenient.append(fact.port)
            self.lenient_names.update(fact.port.names if fact.port is not None else ())
        elif fact.relation == "formal":
            self._roles(left).schemas.formal.append(fact.port)
        elif fact.relation == "checks" and fact.port is not None and fact.right[-1] == CALL:
            self._roles(left).schemas.validators.append((fact.port, fact.right[-2]))
        elif fact.relation == "checks" and fact.port is not None:
            self._roles(left).schemas.checks.append(RouteCheck(fact.port, fact.right[-1], fact.origin.file, fact.texts))

    def _add_access(self, fact: TypeFact, left: int) -> None:
        """What a pack says of who gets to code, and of decorators that check."""
        if fact.relation == "operators":
            self.checks.operators.append(left)
        elif fact.relation == "accounts":
            self.checks.accounts.append(left)
        elif fact.relation == "bearers":
            self.checks.bearers.append(left)
        elif fact.relation == "registering":
            self.checks.registering.append(left)
            self.checks.registering_names.add(".".join(fact.left))
        elif fact.relation == "exchanges":
            self.checks.exchanges.append(left)
        elif fact.relation == "signed":
            self.checks.signed += [left] if fact.left[-1] == CALL else [left, self._child(left, INSTANCE)]
        elif fact.relation == "validates":
            self.checks.validating.append(left)
        elif fact.relation == "converts":
            self.checks.converting.append(left)
        elif fact.relation == "enforces":
            self.checks.enforcing.setdefault(fact.origin.file, []).append(left)

    def _add_exchange(self, fact: TypeFact, left: int) -> None:
        """What a pack says of two APIs, or of an API and an argument."""
        if fact.relation == "modules":
            if fact.port is not None:
                self._roles(left).modules.append(fact.port)
        elif fact.relation == "reads_json":
            self._roles(left).reads_json.append(fact.port)
        elif fact.relation == "escapes_all":
            self._roles(left).escapes_all.append(fact.port)
        elif fact.relation == "uploads":
            if fact.port is not None:
                value, name, *instead = fact.texts
                self._roles(left).uploads.append((fact.port, value, fact.right[-1], name, tuple(instead)))
        elif fact.relation == "related":
            if fact.port is not None:
                manager = self._child(self.node(fact.right), INSTANCE)
                self._roles(left).related.append((fact.port, manager, fact.texts[0]))
                self.has_related = True
        elif fact.relation == "supplied":
            is_value = fact.left[-1] == CALL or INSTANCE in fact.left  # no type: a result, or a member
            made = left if is_value else self._child(left, INSTANCE)
            self.conventions.supplied.setdefault(made, []).append(fact.texts)
        elif fact.relation == "setters":
            if fact.port is not None:
                self._roles(left).setters.append((fact.port, fact.right[-1].strip("[]")))
        elif fact.relation == "sealed" and fact.port is not None and fact.opened is not None:
            opening = self.node(fact.right)
            self._roles(left).exchanges.seals.append((fact.port, opening))
            if fact.opened not in self._roles(opening).exchanges.opens:
                self._roles(opening).exchanges.opens.append(fact.opened)

    def _add_answer(self, fact: TypeFact, left: int) -> None:
        """What a pack says of the requests of scripts, and of what handlers answer."""
        roles = self._roles(left).exchanges
        if fact.relation == "answers" and fact.port is not None:
            roles.answers.append(fact.port)
        elif fact.relation == "answers":
            roles.is_answer = True
        elif fact.relation == "encodes" and fact.port is not None:
            roles.encodes.append(fact.port)
        elif fact.relation == "decodes" and fact.port is not None:
            roles.decodes.append(fact.port)
        elif fact.relation == "unwraps" and fact.port is not None:
            roles.unwraps.append(fact.port)
        elif fact.port is not None and fact.opened is not None:
            roles.requests.append((fact.port, fact.opened))

    def _add_type(self, fact: TypeFact, left: int) -> None:
        """What a value is: results of calls, members, bases, other names."""
        if fact.relation == "builtin":
            self.builtin_types.append(left)
        elif fact.relation == "clean":
            self._roles(left).clean_type = True
            self._child(left, INSTANCE)  # what it makes is known to be one
        elif fact.left[:2] == (UNKNOWN, INSTANCE) and fact.relation == "returns":
            made = self._child(self.node(fact.right), INSTANCE)
            self.unknown_results.setdefault(fact.left[2], []).append(made)
        elif fact.left[:2] == (UNKNOWN, INSTANCE):
            self.unknown_members.setdefault(fact.left[2], []).append(self._child(self.node(fact.right), INSTANCE))
        elif fact.conditions:
            made = self._child(self.node(fact.right), INSTANCE)
            self.chosen_results.setdefault(self.node(fact.left[:-1]), []).append((fact.conditions, made))
        elif fact.relation in ("returns", "member"):
            self.also.setdefault(left, []).append(self._child(self.node(fact.right), INSTANCE))
        else:
            right = self.node(fact.right)
            if fact.relation == "extends":
                self.subclasses.add((left, right))
            self.also.setdefault(left, []).append(right)
            self.also.setdefault(self._child(left, INSTANCE), []).append(self._child(right, INSTANCE))

    def folder_within(self, node: int, name: str) -> int:
        """The node of a member that stands for a folder in the folder of ``node``; made where it is missing."""
        inner = self._child(node, name)
        self.folders.setdefault(inner, f"{self.folders[node]}/{name}")
        return inner

    def is_builtin(self, node: int) -> bool:
        """Whether a path names the language's own names as a whole."""
        return self.paths[node][0] in self._builtins and len(self.paths[node]) == 1

    def has_sinks(self, node: int) -> bool:
        """Whether a pack names sinks of calls of ``node`` itself."""
        roles = self.roles.get(node)
        return roles is not None and any(not sink.assignment for sink in roles.sinks)

    def _place(self, _: object, api: Api) -> Roles:
        return self._roles(self.node(api))

    def _place_parameters(self, entry: Entry, parameters: Parameters) -> None:
        if parameters.by == "type":
            self._roles(self._child(self.node(parameters.api), INSTANCE)).functions.append(entry)
        elif parameters.by == "name":
            if isinstance(entry, Source):
                self.conventions.named.setdefault(str(parameters.which), []).append(entry)
        elif parameters.by == "literal":
            if isinstance(entry, Source):
                self.conventions.literals.setdefault(parameters.method, []).append(entry)
        elif parameters.by == "export":
            self.conventions.exports.append(entry)
        elif parameters.by == "directive":
            self.conventions.directives.append(entry)
        elif parameters.by == "names":
            module = parameters.api[0] if parameters.api else ""
            self.conventions.by_names.setdefault(tuple(parameters.method.split(",")), []).append((module, entry))
        elif parameters.by in ("types", "answer"):
            for declared in (parameters.api, *parameters.further):
                if "*" not in declared[0]:
                    self._child(self.node(declared), INSTANCE)
            self.conventions.by_types.append(entry)
        elif parameters.by == "override" and "*" in parameters.api[0]:
            self.conventions.bases.append(entry)
        elif parameters.by == "callback" and "*" in parameters.api[0]:
            self.conventions.by_calls.append(entry)
        elif parameters.by == "override":
            names = self.conventions.overrides.setdefault(self.node(parameters.api), {})
            names.setdefault(parameters.method, []).append(entry)
        else:
            node = self.node(parameters.api)
            self._roles(node).functions.append(entry)
            if parameters.by == "decorator":
                self._child(node, CALL)  # api(...) decorates, too

    def _roles(self, node: int) -> Roles:
        roles = self.roles.get(node)
        if roles is None:
            roles = self.roles[node] = Roles()
        return roles

    def _child(self, node: int, step: str) -> int:
        child = self.children.get((node, step))
        if child is None:
            child = self.children[(node, step)] = len(self.paths)
            self.paths.append((*self.paths[node], step) if node else (step,))
        return child

    def node(self, api: Api) -> int:
        """The node of a path, made where it is missing."""
        node, children = 0, self.children
        for step in api:
            child = children.get((node, step))
            node = self._child(node, step) if child is None else child
        return node

    def fork(self, module: str, name_of: Callable[[str], str]) -> int | None:
        """The node of the one library of which ``module`` may be a fork, or None.

        ``name_of``: the name that a fork keeps under another owner, or "" (``Language.forked``).
        """
        name = name_of(module)
        if name and self._known.repositories is None:
            found: dict[str, list[str]] = {}
            for node, step in self.children:
                if node == 0 and (known := name_of(step)):
                    found.setdefault(known, []).append(step)
            self._known.repositories = found
        roots = (self._known.repositories or {}).get(name, ()) if name else ()
        return self.children[(0, roots[0])] if len(roots) == 1 else None

    def root(self, module: str) -> int | None:
        """The node of a module's name, or None."""
        return self.children.get((0, module))

    def expand(self, node: int) -> tuple[int, ...]:
        """The node and everything it stands for."""
        known = self._known.expanded.get(node)
        if known is None:
            found = [node]
            for each in found if node in self.also else ():
                for other in self.also.get(each, ()):
                    if other not in found:
                        found.append(other)
            known = self._known.expanded[node] = tuple(found)
        return known

    def methods_named(self, name: str) -> Sequence[int]:
        """The methods ``name`` of types, ascending. The first call takes time linear in the trie."""
        if self._known.methods is None:
            self._known.methods = {}
            for (node, step), child in sorted(self.children.items(), key=lambda each: each[1]):
                if self.paths[node][-1] == INSTANCE:
                    self._known.methods.setdefault(step, []).append(child)
        return self._known.methods.get(name, ())

    def methods_returning(self, name: str, answers: Iterable[int]) -> list[int]:
        """The methods ``name`` of types whose result is one of ``answers`` (instances), ascending."""
        wanted = set(answers)
        return [node for node in self.methods_named(name) if not wanted.isdisjoint(self.step(node, CALL))]

    def is_quoted(self, node: int) -> bool:
        """Whether the text that shows such an instance is quoted, line breaks escaped: what ``repr`` gives."""
        known = self._known.quoted.get(node)
        if known is None:
            roles = [self.roles.get(each) for each in self.expand(node)]
            known = self._known.quoted[node] = any(each is not None and each.quoted for each in roles)
        return known

    def is_file(self, node: int) -> bool:
        """Whether such an instance is an open file or an upload, and no text."""
        roles = [self.roles.get(each) for each in self.expand(node)]
        return any(each is not None and each.file for each in roles)

    def step(self, node: int, step: str) -> tuple[int, ...]:
        """The nodes one step on from ``node`` (which ``expand`` has been applied to by the caller, one by one)."""
        key = (node, step)
        known = self._known.steps.get(key)
        if known is None:
            child = self.children.get(key)
            if child is None and step in self.callers:
                child = self._borrowed(node, step)
            found: tuple[int, ...] = () if child is None else self.expand(child)
            if step == CALL and (instance := self.children.get((node, INSTANCE))) is not None:
                found = tuple(dict.fromkeys((*found, *self.expand(instance))))
            known = self._known.steps[key] = found
        return known

    def results(self, node: int) -> tuple[int, ...]:
        """What the result of a call of ``node``, which gives its receiver back, is, without what means nothing but what
        it stands for: ``Select#where()`` is a ``Select``. Each call of a chain would add one of these to the points-to
        sets, so that a long chain would fill them.
        """
        known = self._known.results.get(node)
        if known is None:
            found = self.step(node, CALL)
            if len(found) > 1:
                found = tuple([each for each in found if not self._only_stands_for_others(each)]) or found
            known = self._known.results[node] = found
        return known

    def _only_stands_for_others(self, node: int) -> bool:
        known = self._known
        if known.meaning is None:
            known.meaning = {parent for parent, _ in self.children} | self.roles.keys() | self.records | self.errors
            known.meaning |= self.channels | self.with_elements | self.folders.keys() | self.chosen_results.keys()
            known.meaning.update(each for _, nodes in self.guards for each in nodes)
        return node in self.also and node not in known.meaning and not self.shares_fields(node)

    def _borrowed(self, node: int, name: str) -> int | None:
        """The node of a method by which a described function is called, made here; None: nothing is said of calls."""
        described = self.roles.get(node)
        roles = borrowed(described, self.callers[name]) if described is not None else None
        if roles is None:
            return None
        child = self._child(node, name)
        self.roles[child] = roles
        self._known.steps[(child, CALL)] = self.step(node, CALL)
        return child

    def member(self, node: int, name: str) -> tuple[int, ...]:
        """The nodes of ``node.name`` or ``node[name]``."""
        key = (node, "." + name)
        known = self._known.steps.get(key)
        if known is None:
            found: dict[int, None] = {}
            for step in (name, f"[{name}]", ANY_KEY):
                found.update(dict.fromkeys(self.step(node, step)))
            known = self._known.steps[key] = tuple(found)
        return known

    def method(self, node: int, name: str) -> tuple[int, ...]:
        """The nodes of ``node.name`` where it is called: methods of containers are found under no key."""
        key = (node, "#" + name)
        known = self._known.steps.get(key)
        if known is None:
            known = self.member(node, name)
            if name in self.builtin_methods:
                known = tuple(dict.fromkeys((*self.step(node, name), *self.step(node, f"[{name}]"))))
            self._known.steps[key] = known
        return known

    def keeps(self, node: int, made: int) -> bool:
        """Whether objects of this type keep values under keys: event emitters, registries. Of the language's own types
        only those that a call of the type ``made``: ``new Map()``, but not every list that something returns.
        """
        if self._known.keeping is None:
            keeping = {self.node(path) for path in self.index.keeping_types}
            own = {n: t for t in self.builtin_types for n in (t, self._child(t, INSTANCE))}
            self._known.keeping = {each: own.get(each, NONE) for each in keeping}
        return self._known.keeping.get(node) in (NONE, made)

    def is_request(self, node: int) -> bool:
        """Whether requests are read from this object: ``net/http.Request#``."""
        return self.paths[node] in self.index.request_types

    def is_request_type(self, api: Api) -> bool:
        """Whether requests are read from instances of a type, or of what it is another name for."""
        return any(self.is_request(node) for node in self.expand(self._child(self.node(api), INSTANCE)))

    def is_of_session(self, node: int) -> bool:
        """Whether this is an object that all requests of a visitor share, or a member of one that its type names: not
        what lies under a key, of which there are many. Time linear in the path.
        """
        sessions, path = self.conventions.sessions, self.paths[node]
        if not sessions:
            return False
        return any(
            path[:length] in sessions and CALL not in path[length:] and ANY_KEY not in path[length:]
            for length in range(1, len(path) + 1)
        )

    def shares_fields(self, node: int) -> bool:
        """Whether a field that the program adds to one object of this API is visible in all: requests and others with
        sources, sessions, objects of modules, and the members that ``CONTEXT_FIELDS`` names.
        """
        known = self._known.shares_fields.get(node)
        if known is None:
            path = self.paths[node]
            known = self._known.shares_fields[node] = (
                self.is_of_session(node)
                or any(path[:length] in self.index.request_types for length in range(1, len(path) + 1))
                or next((step for step in reversed(path) if step != INSTANCE), "") in CONTEXT_FIELDS
                or (len(path) > 1 and self.is_static(node))
            )
        return known

    def reads_source(self, node: int, name: str) -> bool:
        """Whether the member ``name`` of an instance is a source: what the program puts there is in this object alone,
        of which a request may have several, such as the fields of forms.
        """
        if INSTANCE not in self.paths[node]:
            return False
        roles = [self.roles.get(each) for base in self.expand(node) for each in self.step(base, name)]
        return any(each is not None and each.sources for each in roles)

    def lacks(self, node: int, name: str) -> bool:
        """Whether the library's object has no member ``name``, so that the program has added it.

        Not for results of calls, nor for elements: each call returns another object (a record of a query), and another
        one lies under each key.
        """
        path = self.paths[node]
        return (
            path[0] not in self._builtins
            and INSTANCE in path
            and path[-1] not in (CALL, ANY_KEY)
            and not any(self.member(each, name) for each in self.expand(node))
        )

    def is_static(self, node: int) -> bool:
        """Whether the path names a module, a class or a function of a library, and no value of run time."""
        path = self.paths[node]
        roles = self.roles.get(node)
        return not any(step in (CALL, INSTANCE) or step[0] == "[" for step in path) and not (roles and roles.sources)

    def text(self, node: int) -> str:
        """The path as the rule language writes it."""
        pieces: list[str] = []
        joined = False
        for index, step in enumerate(self.paths[node]):
            if step == INSTANCE:
                pieces.append("#")
                joined = True
            elif step == CALL or step[0] == "[":
                pieces.append(step)
                joined = False
            else:
                pieces.append(step if index == 0 or joined else "." + step)
                joined = False
        return "".join(pieces)
