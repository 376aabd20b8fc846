"""The parts of ``Facts``: indexes of the program's tables, and state of single chapters."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import stable_order
from pyrograph.parsers import language_of
from pyrograph.rules.entries import Flow as ModelFlow
from pyrograph.rules.entries import Guard
from pyrograph.scanner.analysis.arguments import Passed
from pyrograph.scanner.analysis.captures import captured_as
from pyrograph.scanner.analysis.columns import RowsByKey, starts_of
from pyrograph.scanner.analysis.label.labels import DataFlow, FieldCheck, SinkRole
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.numbers import CALL_OP, CONST_OP, SAME_FLOW
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, Resolution
from pyrograph.scanner.analysis.resolve.tables import grouped
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY


class Places:
    """The file and the bytes of each value and of each argument."""

    def __init__(self, program: Program) -> None:
        values, arguments = program.tables["values"], program.tables["arguments"]
        self.languages = [file.language for file in program.files]
        self.traits = [language_of(file.language).traits for file in program.files]
        self.file_of = program.files_of_values()
        self.start, self.end = values["start"], values["end"]
        self.arg_start, self.arg_end = arguments["start"], arguments["end"]


class Constants:
    """Values with a known text, and the constants that may be sources all the same."""

    def __init__(self, program: Program) -> None:
        values, flows, texts = (program.tables[name] for name in ("values", "flows", "texts"))
        self.literal_sources: set[int] = set()
        self.separators: frozenset[int] = frozenset()  # what a library calls the separator of paths
        self.origins: dict[int, int] = {}  # ``Facts.only_origin``
        self.names: dict[tuple[int, bool], tuple[str, ...]] = {}  # ``key_names.names_in``
        self.held: dict[int, tuple[frozenset[int], frozenset[int]]] = {}  # ``Facts.held``
        self.filled: dict[int, bool] = {}  # ``Facts.is_filled``
        self.shapes: dict[int, str] = {}  # by representative: ``Facts.shape``
        self.attributes: dict[int, frozenset[int]] = {}  # by representative: ``definitions.attributes``
        self.positions: dict[int, int] = {}  # row of an argument -> mask of what it never does where it stands
        into = flows["target"][values["op"][flows["target"]] == CONST_OP] if len(flows["target"]) else []
        self.marked: frozenset[int] = frozenset(np.asarray(into).tolist())  # folded from constants with a name
        self.texts = {  # value -> its text, NUL for each hole
            int(v): program.strings[t] for v, t in zip(texts["value"].tolist(), texts["text"].tolist(), strict=True)
        }
        op = values["op"]
        # calls whose text is made by the format that is their first argument: see ``literals.fill_formats``
        self.formatted = [v for v, text in self.texts.items() if op[v] == CALL_OP and not text.strip("\0")]
        for value in self.formatted:
            del self.texts[value]
        self.fillings: dict[int, list[int]] = {}  # call that makes a text -> what fills each hole, in order


class CallIndex:
    """Calls by API, callee, receiver and parameter. The indexes are built when they are first used."""

    def __init__(self, program: Program, resolution: Resolution) -> None:
        self.program = program
        self.resolution = resolution
        self.rep = resolution.reps
        self.call_of_argument = program.numbers("arguments", "call")
        self.apis_of: dict[int, list[int]] = {}  # call -> nodes of the API trie
        for call, node in resolution.api_calls:
            self.apis_of.setdefault(call, []).append(node)
        self._methods: dict[int, list[int]] | None = None
        self._calls_with: dict[int, list[int]] | None = None
        self._functions: dict[int, list[int]] | None = None
        self._callers: dict[int, list[int]] | None = None
        self._invoked: frozenset[int] | None = None
        self._arguments: dict[int, list[int]] | None = None
        self._given: dict[int, set[int]] = {}
        self._elements: dict[int, list[tuple[int, int]]] = {}

    def functions_of(self, call: int) -> list[int]:
        """The functions of the program that a call may call."""
        if self._functions is None:
            self._functions = {}
            for site, function in self.resolution.targets:
                self._functions.setdefault(site, []).append(function)
        return self._functions.get(call, [])

    def calls_of(self, function: int) -> Sequence[int]:
        """The calls that may call a function of the program."""
        if self._callers is None:
            self._callers = {}
            for site, called in self.resolution.targets:
                self._callers.setdefault(called, []).append(site)
        return self._callers.get(function, ())

    def is_called(self, function: int) -> bool:
        """Whether a call of the program may call the function."""
        return bool(self.calls_of(function))

    def methods_on(self, rep: int) -> Sequence[int]:
        """The calls of methods whose receiver is a version of ``rep``."""
        if self._methods is None:
            self._methods = {}
            for call, receiver in enumerate(self.program.numbers("calls", "receiver")):
                if receiver != NONE:
                    self._methods.setdefault(self.rep[receiver], []).append(call)
        return self._methods.get(rep, ())

    def calls_with(self, rep: int) -> Sequence[int]:
        """The calls with a version of ``rep`` among their arguments."""
        if self._calls_with is None:
            self._calls_with = {}
            values = self.program.numbers("arguments", "value")
            for value, call in zip(values, self.call_of_argument, strict=True):
                self._calls_with.setdefault(self.rep[value], []).append(call)
        return self._calls_with.get(rep, ())

    def invoked(self) -> frozenset[int]:
        """Representatives of the callees of all calls."""
        if self._invoked is None:
            self._invoked = frozenset(self.rep[callee] for callee in self.program.numbers("calls", "callee"))
        return self._invoked

    def arguments_for(self, parameter: int) -> list[int]:
        """The arguments that calls of the program bind to a parameter as they are; parts of arguments are left out."""
        if self._arguments is None:
            self._arguments = {}
            for each in self.resolution.bindings:
                if each.element != ENTIRE_ARGUMENT:
                    self._elements.setdefault(self.rep[each.parameter], []).append((each.argument, each.element))
                elif each.key == NO_KEY:
                    self._arguments.setdefault(self.rep[each.parameter], []).append(each.argument)
                    self._given.setdefault(self.rep[each.argument], set()).add(self.rep[each.parameter])
        return self._arguments.get(parameter, [])

    def parameters_given(self, rep: int) -> Collection[int]:
        """The representatives of the parameters to which calls bind a version of ``rep`` as it is."""
        self.arguments_for(NONE)
        return self._given.get(rep, ())

    def elements_for(self, parameter: int) -> list[tuple[int, int]]:
        """(table, key) for each call that binds an element of a table to a parameter; the key may be unknown."""
        self.arguments_for(parameter)
        return self._elements.get(parameter, [])


class FlowIndex:
    """Flow into values: within functions, through names and attributes, from closures, and stores into objects."""

    def __init__(self, program: Program, resolution: Resolution) -> None:
        self.tables = program.tables
        self.representative = resolution.representative
        self.heap_in: dict[int, list[int]] = {}  # value read from a name or an attribute -> values stored there
        for origin, target in resolution.flows.context_free_edges:
            self.heap_in.setdefault(target, []).append(origin)
        self.captured: dict[int, int] = captured_as(program, resolution.reps)
        # (value, keys, state of an argument behind a call, keys): what lies in the one lies in the other
        self.parts: list[tuple[int, tuple[int, ...], int, tuple[int, ...]]] = []
        self._held: dict[int, tuple[int, ...]] = {}
        self._element_returns = resolution.flows.element_returns
        self._returned: dict[int, list[int]] | None = None
        self._outer: frozenset[int] | None = None
        self._names: dict[int, set[int]] | None = None
        self._stores: dict[int, list[int]] | None = None
        self._stored: dict[int, list[int]] | None = None
        self._loads: dict[int, list[int]] | None = None
        self._loads_by_object: RowsByKey | None = None
        self._by_target: tuple[array[int], array[int], array[int]] | None = None
        self._stores_at: dict[int, dict[int, list[int]]] = {}  # by representative, then by key
        self._stores_by_key: RowsByKey | None = None
        self._members_by_name: RowsByKey | None = None

    def held_by(self, name: int) -> tuple[int, ...]:
        """Representatives of the values stored in a name or an attribute, each once: as much memory as ``heap_in``."""
        found = self._held.get(name)
        if found is None:
            origins = dict.fromkeys([int(self.representative[each]) for each in self.heap_in.get(name, ())])
            found = self._held[name] = tuple(origins)
        return found

    def returned_elements(self, result: int) -> list[int]:
        """The values of functions of the program that a library's call puts into its result as elements."""
        if self._returned is None:
            self._returned = {}
            for _, origin, target, _ in self._element_returns:
                self._returned.setdefault(target, []).append(origin)
        return self._returned.get(result, [])

    def is_captured(self, rep: int) -> bool:
        """Whether a closure captures a version of ``rep`` as a variable of its own."""
        if self._outer is None:
            self._outer = frozenset(self.representative[list(self.captured.values())].tolist())
        return rep in self._outer

    def names_of(self, made: int) -> list[int]:
        """Representatives of an object, of the variables of closures that capture it, and of reads of its names."""
        if self._names is None:
            self._names = {}
            reps = self.representative.tolist()
            pairs = [(outer, inner) for inner, outer in self.captured.items()]
            pairs += [(origin, target) for target, origins in self.heap_in.items() for origin in origins]
            for origin, target in pairs:
                self._names.setdefault(reps[origin], set()).add(reps[target])
        seen, work = {made}, [made]
        while work:
            further = self._names.get(work.pop(), set()) - seen
            work += further
            seen |= further
        return sorted(seen)

    def loads_from(self, rep: int) -> list[int]:
        """Representatives of what is read from versions of ``rep``."""
        if self._loads is None:
            self._loads = {}
            loads = self.tables["loads"]
            objects, results = self.representative[loads["object"]], self.representative[loads["result"]]
            for node, result in zip(objects.tolist(), results.tolist(), strict=True):
                self._loads.setdefault(node, []).append(result)
        return self._loads.get(rep, [])

    def load_rows_from(self, rep: int) -> npt.NDArray[np.int32]:
        """The rows of loads from an object, ascending."""
        if self._loads_by_object is None:
            self._loads_by_object = RowsByKey(self.representative[self.tables["loads"]["object"]])
        return self._loads_by_object.of(rep)

    def stores_into(self, rep: int) -> list[int]:
        """The rows of stores into versions of ``rep``."""
        if self._stores is None:
            self._stores = {}
            for row, node in enumerate(self.representative[self.tables["stores"]["object"]].tolist()):
                self._stores.setdefault(node, []).append(row)
        return self._stores.get(rep, [])

    def stores_at(self, rep: int, key: int) -> list[int]:
        """Those under ``key``, or under one that is not known, ascending: grouped once for each ``rep``, since each of
        thousands of fields of one object may be asked for.
        """
        by_key = self._stores_at.get(rep)
        if by_key is None:
            keys = self.tables["stores"]["key"]
            by_key = self._stores_at[rep] = {}
            for row in self.stores_into(rep):
                by_key.setdefault(int(keys[row]), []).append(row)
        found, unknown = by_key.get(key, []), by_key.get(UNKNOWN_KEY, [])
        return sorted([*found, *unknown]) if unknown and key != UNKNOWN_KEY else found

    def stores_under(self, key: int) -> npt.NDArray[np.int32]:
        """The rows of stores under a key, ascending."""
        if self._stores_by_key is None:
            self._stores_by_key = RowsByKey(self.tables["stores"]["key"])
        return self._stores_by_key.of(key)

    def members_named(self, name: int) -> npt.NDArray[np.int32]:
        """The rows of members of classes with this name, ascending."""
        if self._members_by_name is None:
            self._members_by_name = RowsByKey(self.tables["members"]["name"])
        return self._members_by_name.of(name)

    def stores_of(self, rep: int) -> list[int]:
        """The rows of stores of versions of ``rep`` into objects."""
        if self._stored is None:
            self._stored = {}
            values = self.tables["stores"]["value"]
            for row in np.flatnonzero(values >= 0).tolist():
                self._stored.setdefault(int(self.representative[values[row]]), []).append(row)
        return self._stored.get(rep, [])

    def origins_of(self, value: int) -> list[tuple[int, int]]:
        """(origin, kind) of each flow into ``value``, in the order of the table; the kind is one of ``Flow``.

        None where there is no such value, such as NONE.
        """
        starts, origins, kinds = self._flows_by_target()
        if not 0 <= value < len(starts) - 1:
            return []
        begin, end = starts[value], starts[value + 1]
        return list(zip(origins[begin:end], kinds[begin:end], strict=True))

    def _flows_by_target(self) -> tuple[array[int], array[int], array[int]]:
        """Where the flows into each value begin, and the origins and kinds of all flows, ordered by target."""
        if self._by_target is None:
            flows = self.tables["flows"]
            order = stable_order(flows["target"])
            origins: array[int] = array("i", flows["origin"][order].astype(np.int32).tobytes())
            kinds: array[int] = array("i", flows["kind"][order].astype(np.int32).tobytes())
            self._by_target = starts_of(flows["target"][order]), origins, kinds
        return self._by_target

    def same_as(self, value: int) -> list[int]:
        """The values of which ``value`` is one, unchanged: the inputs of a merge, the results of a function."""
        return [origin for origin, kind in self.origins_of(value) if kind == SAME_FLOW]


class FunctionIndex:
    """Parameters by function, the functions that test their parameters, declared types by value, and the APIs that
    classes extend.
    """

    def __init__(self, program: Program, resolution: Resolution) -> None:
        self.program = program
        self.resolution = resolution
        self.tables = program.tables
        self.rep = resolution.reps
        self._extended: dict[int, frozenset[int]] = {}
        self._lineages: dict[int, list[int]] = {}
        self._bases: dict[int, list[int]] | None = None
        self._parameters: dict[int, list[int]] | None = None
        self._deciding: frozenset[int] | None = None
        self._types: dict[int, list[int]] | None = None

    def parameters_of(self, function: int) -> Sequence[int]:
        """The rows of a function's parameters."""
        if self._parameters is None:
            self._parameters = grouped(self.program, self.tables["parameters"]["function"])
        return self._parameters.get(function, ())

    def types_of(self, value: int) -> Sequence[int]:
        """The rows of the types that a value is declared with."""
        if self._types is None:
            self._types = grouped(self.program, self.tables["types"]["value"])
        return self._types.get(value, ())

    def lineage(self, owner: int) -> Sequence[int]:
        """``Resolution.lineage`` of a class, looked up once."""
        known = self._lineages.get(owner)
        if known is None:
            known = self._lineages[owner] = self.resolution.lineage(owner)
        return known

    def extended_by(self, owner: int) -> frozenset[int]:
        """The API nodes that a class of the program extends, by itself or by its bases; looked up once."""
        known = self._extended.get(owner)
        if known is None:
            if self._bases is None:
                self._bases = grouped(self.program, self.tables["bases"]["owner"])
            base = self.tables["bases"]["base"]
            nodes: set[int] = set()
            for each in self.resolution.lineage(owner):
                for row in self._bases.get(each, ()):
                    nodes.update(self.resolution.api_nodes(int(base[row])))
            known = self._extended[owner] = frozenset(nodes)
        return known

    def decides(self, function: int) -> bool:
        """Whether some condition in the function tests a parameter of it."""
        if self._deciding is None:
            parameters, pis = self.tables["parameters"], self.tables["pis"]
            tested = {self.rep[value] for value in pis["input"].tolist()}
            self._deciding = frozenset(
                f
                for f, value in zip(parameters["function"].tolist(), parameters["value"].tolist(), strict=True)
                if self.rep[value] in tested
            )
        return function in self._deciding


class SchemaAnswers:
    """What ``schemas`` and ``route_schemas`` found, by schema, how deep it lies, and how it was asked for.

    Schemas share parts, so that there may be exponentially many ways to one.
    """

    def __init__(self) -> None:
        self.masks: dict[tuple[int, int, bool], int] = {}
        self.whole: dict[tuple[int, int, bool], int] = {}
        self.fields: dict[tuple[int, int, bool], dict[tuple[int, ...], int]] = {}
        self.declared: dict[tuple[int, int, bool], dict[tuple[int, ...], int]] = {}  # by ``route_schemas``
        self.closed: dict[tuple[int, int, bool], dict[int, int] | None] = {}
        # by list or call: the calls that state routes and are given it by a name, with the position; by route_schemas
        self.named: dict[int, list[tuple[int, int]]] | None = None
        self.checking: list[tuple[int, ModelFlow]] | None = None  # see ``schemas.checking_calls``


class Bound:
    """What calls of the program bind to parameters. Linear in all arguments, once."""

    def __init__(self, resolution: Resolution, program: Program) -> None:
        self.rows = resolution.rows("bindings")
        self.by_parameter = RowsByKey(resolution.representative[self.rows[:, 2]])
        self.calls = len(program.tables["calls"]["result"])
        arguments = program.tables["arguments"]
        passed = np.unique(resolution.representative[arguments["value"][arguments["position"] != RECEIVER]]).tolist()
        # functions that libraries may call: they are handlers, or are passed on
        self.handlers = {each.function for each in resolution.entry_points}
        self.handlers.update(each for rep in passed for each in subjects(resolution.states[rep], FUNCTION))

    def given(self, parameter: int, function: int) -> list[tuple[int, int]]:
        """(call, argument) for each call that binds one whole argument to a parameter (a representative) of a function;
        none if anything else fills it.
        """
        rows = self.rows[self.by_parameter.of(parameter)].tolist()
        is_plain = all(row[0] < self.calls and row[3:] == [NO_KEY, ENTIRE_ARGUMENT] for row in rows)
        if not is_plain or function in self.handlers:
            return []
        return [(row[0], row[1]) for row in rows]


class ConditionState:
    """The object or argument that the conditions of an entry are evaluated on, and caches."""

    def __init__(self) -> None:
        self.argument = NONE  # row of the argument that a condition of a sink is about
        self.passed: Sequence[Passed] | None = None  # the arguments of the call, as a caller decides them
        self.subject = NONE  # object of the attribute whose entry's conditions are evaluated
        self.registered: dict[tuple[int, str], set[int]] | None = None  # by ``conditions.registrations``
        # by ``object_uses.was_called`` and ``was_given``: what the calls and assignments that fit make
        self.were_called: dict[tuple[int, tuple[object, ...]], list[int]] = {}
        self.by_function: tuple[RowsByKey, RowsByKey] | None = None  # by ``object_uses.rows_by_function``
        self.bound: Bound | None = None  # what calls bind, once ``object_uses`` asked for it
        self.excluding: Callable[[int, int], bool] | None = None  # ``Branches.leave_out``, once it was asked for
        self.always_set: Callable[[Mapping[int, tuple[str, bool]], int], bool] | None = None  # that of ``Branches``
        # by ``routes.parts_of_routes``: language -> name -> mask of what the part never has, whether it holds no slash
        self.routes: dict[str, dict[str, tuple[int, bool]]] = {}
        self.decoding: dict[str, tuple[str, ...]] = {}  # by ``routes.decoding_roots``
        self.routed_objects: dict[int, str] = {}  # representative of what holds parts under their names -> language
        self.types_of_rows: set[int] | None = None  # see ``rows.types_of_rows``
        # by language and path of an API: its node, and that of an instance of it, for ``value_types.is_type``
        self.type_nodes: dict[tuple[str, tuple[object, ...]], frozenset[int]] = {}
        self.declared: dict[str, dict[str, dict[str, int] | None]] = {}  # by ``declared_arguments.declared``
        self.named: dict[str, dict[int, set[str]]] = {}  # by ``declared_arguments.names_of``
        # call and flow of a check against a schema -> by key of the fields it lets through, no others: the mask of each
        self.closed: dict[tuple[int, ModelFlow], dict[int, int]] = {}
        self.schemas = SchemaAnswers()
        self.decorated: dict[tuple[int, int], int] = {}  # (class, name of a field) -> mask, by ``decorated_fields``
        self.enclosed: frozenset[int] | None = None  # by ``enclosed.enclosed_values``
        self.imported: dict[str, bool] = {}  # pattern -> whether a file imports a module of such a name
        self.decodings: list[DataFlow] = []  # flows into the results of decoders
        self.ends: dict[tuple[int, int], int] = {}  # (part, text) -> mask: no harm there, unless it is normalised
        self.normalising: frozenset[int] | None = None  # by ``normalisers.normalising_functions``
        self.stored: frozenset[int] | None = None  # representatives of what is stored anywhere, by ``normalisers``
        self.normalised: list[DataFlow] = []  # flows into the results of calls that normalise
        self.made: list[int] = []  # paths of which a call makes all folders that are missing
        self.refused: list[SinkRole] = []  # sinks that refuse what does harm, unless the text was normalised before


class Tests(NamedTuple):
    """The guards of one kind of test; those about the result of a call, ``urlparse(x).netloc``, by the keys loaded."""

    plain: list[Guard]
    transforms: dict[tuple[str, ...], list[Guard]]  # by ``Guard.steps``


class GuardState:
    """The indexes that ``guards`` builds before it evaluates conditions, and its caches."""

    def __init__(self) -> None:
        self.tests: dict[str, dict[str, Tests]] = {}  # language -> kind of test -> the guards that the program may meet
        self.conjunctions: dict[int, list[tuple[int, int]]] = {}  # conjunction -> its conditions, with their sides
        self.conjunct_of: dict[int, tuple[int, int]] = {}  # id of a test of a joint guard -> (guard, its number there)
        self.joint: list[Guard] = []  # guards whose tests must all hold
        self.sliced: dict[int, int] = {}  # result of a slice -> its row
        self.made_from: dict[int, list[int]] = {}  # cache of ``guards.made_from``
        # (representative, id of ``Tests``) -> guards: cache of ``guard_checks.transform_guards``
        self.transforming: dict[tuple[int, int], list[Guard]] = {}
        self.put_into: dict[int, frozenset[int]] = {}  # cache of ``membership.put_into``, representatives
        self.kept_from: dict[int, list[int]] = {}  # cache of ``text_origins.kept_from``
        self.tables: dict[int, bool] = {}  # cache of ``table_uses.is_table``, by representative
        self.clean_classes: frozenset[int] | None = None  # cache of ``clean_types.clean_classes``
        self.untrusted: frozenset[int] = frozenset()  # representatives of sources
        self.brought = np.empty(0, bool)  # (values,) whether anything from a source may get there: by ``chop``
        self.between = np.empty(0, bool)  # (values,) whether this version of an object is on some path: by ``chop``
        self.with_parts = np.empty(0, bool)  # (values,) ``chop.with_parts``, once it was asked for
        # condition -> (representatives, side where it proves this of them, mask)
        self.proofs: dict[int, list[tuple[Collection[int], int, int]]] = {}
        self.doubts: dict[int, list[tuple[Collection[int], int]]] = {}  # the same for checks that no rule describes
        # (condition, side) -> (argument, keys of what is asked about, version of that where a function answers so)
        self.answers: dict[tuple[int, int], list[tuple[int, tuple[int, ...], int]]] = {}
        # the same for checks against schemas: (what was checked, keys of a field, mask of what that is clean for)
        self.fields: dict[tuple[int, int], list[tuple[int, tuple[int, ...], int]]] = {}
        # row of an argument -> keys -> mask of what that is clean for behind the call, which raises otherwise
        self.passed: dict[int, dict[tuple[int, ...], int]] = {}
        # (value, condition, side, call, mask): a value that a check was given as a part, where that passes, behind a
        # call or on a side of a condition (the other is NONE), and for what it is clean there
        self.parts: list[tuple[int, int, int, int, int]] = []
        # read of a form's field -> the form, and what checks the field: by ``field_functions``
        self.asked_forms: dict[int, tuple[int, tuple[FieldCheck, ...]]] = {}
        self.looped: list[tuple[int, int, int]] = []  # (value, loop, mask): the same behind a loop over what it is in
        # (value, what was made of it before it was checked) -> mask: by ``made_before``
        self.made_before: dict[tuple[int, int], int] = {}
        self.nodes_of: dict[int, frozenset[int]] = {}  # id of a guard -> API nodes of its transform
        self.own_keys: dict[int, set[int]] | None = None  # by ``own_keys.own_keys``
        self.blocks: object = None  # the ``Blocks`` of ``blocks.shared_blocks``, whose module needs this one
