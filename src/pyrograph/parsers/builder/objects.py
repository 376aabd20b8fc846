"""Objects are states: a store makes a new one, and every name of the old state is bound to the new one."""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.ir.codes import ANY_BOUND, KEYS, NONE, OPEN, UNKNOWN_KEY
from pyrograph.ir.packed import value_key
from pyrograph.ir.schema import (
    ARGUMENT_VALUE,
    ARGUMENT_WIDTH,
    LOAD_KEY,
    LOAD_OBJECT,
    LOAD_WIDTH,
    PI_CONDITION,
    PI_INPUT,
    PI_SIDE,
    PI_WIDTH,
    STORE_KEY,
    STORE_OBJECT,
    STORE_WIDTH,
    VALUE_DATA,
    VALUE_WIDTH,
)
from pyrograph.parsers.builder.data import Constant, Contents, Span
from pyrograph.parsers.builder.frame import Frame
from pyrograph.parsers.builder.names import Names
from pyrograph.parsers.builder.ops import (
    CALL,
    CARRY,
    CONST,
    EXPRESSION,
    GLOBAL,
    IMPORT,
    LOAD,
    NEW,
    PARAMETER,
    PHI,
    PI,
    POST,
    STORE,
    is_fixed,
)
from pyrograph.parsers.builder.values import as_text, distinct
from pyrograph.policy.limits.lowering import (
    FEW_NAMES,
    MAX_CONSTANT_ITEMS,
    MAX_FORWARDED_ELEMENTS,
    MAX_HOLDERS,
    MAX_ITEMS_BEHIND,
    MAX_MAPPING_VERSIONS,
    MAX_REFINED_VERSIONS,
    POSITIONS_BEHIND,
)


class Objects(Names):
    """Containers, loads and stores, and the latest state of each object."""

    def key(self, constant: Constant) -> int:
        """The key column's number for a constant key (a field name, a dict key, an index)."""
        return self.string(constant if type(constant) is str else as_text(constant))

    def key_of(self, value: int) -> int:
        """The key that ``value`` stands for: constant where it is known."""
        constant = self.constants.get(value, self)
        if constant is self:
            return UNKNOWN_KEY if self.ops[value] == CONST else value_key(value)
        return self.key(self.constants[value])

    def container(
        self,
        at: Span,
        items: Sequence[tuple[int, int]],
        spreads: Sequence[int] = (),
        *,
        sequence: bool | None = None,
        onto: int = NONE,
    ) -> int:
        """A new object, or a state of the empty object ``onto``, that holds ``(key, value)`` items; ``spreads`` are
        objects whose contents it also holds.

        ``sequence``: the items are the elements of a sequence (True) or the entries of a mapping (False) and nothing
        else; what is done to it afterwards is followed as long as it is known (``contents``).
        """
        constant = not spreads and all(self.ops[value] == CONST for _, value in items)
        is_stored = len(items) <= MAX_CONSTANT_ITEMS or any([self._needs_flow(value) for _, value in items])
        state = self.new(NEW, at, int(constant) * (1 if is_stored else 2)) if onto == NONE else onto
        if not items and not spreads:
            self.frame.objects.emptied.add(state)
        for spread in spreads:
            self.same(spread, state)
        for key, value in items:
            if spreads or len(items) <= MAX_CONSTANT_ITEMS or self._needs_flow(value):
                after = self.new(STORE, at, len(self._stores) // STORE_WIDTH)
                self._stores.extend((after, state, key, value))
                state = after
        if not spreads and len(items) <= MAX_FORWARDED_ELEMENTS:
            frame = self.frame
            for key, value in items:
                if key >= 0:
                    frame.env[(state, key)] = value
                    if not is_fixed(self.ops[value]):
                        frame.names_of.setdefault(value, []).append((state, key))
            if sequence is not None and all(key >= 0 for key, _ in items):
                known = tuple(items) if sequence else tuple(dict(items).items())
                self._contents[state] = Contents(known, sequence)
        return state

    def contents(self, obj: int) -> Contents | None:
        """All that ``obj`` holds now, or None where that is not known."""
        known = self._contents.get(obj)
        if known is None:
            return None
        env = self.frame.env
        return Contents(tuple([(key, env.get((obj, key), value)) for key, value in known.items]), known.sequence)

    def measure(self, size: int, obj: int) -> None:
        """``size`` says how much ``obj`` holds: ``len(obj)``."""
        self.frame.objects.sizes[size] = self.frame.objects.sizes.get(obj, obj)  # ``Object.keys(obj).length``

    def fill(self, obj: int) -> None:
        """Something was added to ``obj``, so that it holds something now."""
        self.frame.objects.filled.add(self.latest(obj))

    def is_filled(self, state: int) -> bool | None:
        """Whether an object holds anything in this state; None where that is not known."""
        known = self._contents.get(state)
        if known is not None:
            return len(known.items) > 0
        if state in self.frame.objects.filled:
            return True
        if state in self.frame.objects.emptied:
            return False
        constant = self.constants.get(state, self)
        return None if constant is self else bool(constant)

    def sequence(self, at: Span, values: Sequence[int]) -> int:
        """A new sequence of these elements."""
        return self.container(at, [(self.key(i), value) for i, value in enumerate(values)], sequence=True)

    def replace(self, obj: int, items: Sequence[tuple[int, int]], at: Span) -> int:
        """``obj``, whose contents are known, now holds ``items`` and nothing else; every alias sees it."""
        state = self.container(at, items, sequence=self._contents[obj].sequence)
        self.update(obj, state, at)
        return state

    def replace_elements(self, obj: int, values: Sequence[int], at: Span) -> int:
        """The sequence ``obj``, whose contents are known, now has these elements; those appended are stored one by
        one, anything else makes the sequence anew.
        """
        known = self.contents(obj)
        before = known.values if known is not None else ()
        if tuple(values[: len(before)]) == before:
            for index in range(len(before), len(values)):
                obj = self.store(obj, self.key(index), values[index], at)
            return obj
        return self.replace(obj, [(self.key(i), value) for i, value in enumerate(values)], at)

    def concatenation(self, first: int, second: int, at: Span) -> int:
        """``first + second`` of sequences, the elements of one of which are known.

        What is added to a sequence is not its first element: nobody adds to one without elements, or its elements are
        known. The first positions behind stand for all: no program reads one of the others by its number.
        """
        known = self.contents(first)
        items: list[tuple[int, int]] = []
        if known is not None:
            if not known.items:
                return second
            items = [(self.key(position), value) for position, value in enumerate(known.values)]
        begin = max(1, len(items))
        more = self.contents(second)
        added = more.values if more is not None else (self.load(second, UNKNOWN_KEY, at),)
        for value in added:
            if len(items) < MAX_ITEMS_BEHIND:
                items += [(self.key(position), value) for position in range(begin, begin + POSITIONS_BEHIND)]
            else:
                items.append((UNKNOWN_KEY, value))
        if known is None:  # its own elements beyond the first may be at the same positions
            items.append((UNKNOWN_KEY, self.load(first, UNKNOWN_KEY, at)))
        return self.container(at, items, () if known is not None else (first,))

    def slice(self, obj: int, start: int | None, end: int | None, at: Span) -> int:
        """``obj[start:end]``: text, or a new object with some elements; a bound is a constant, ``OPEN`` or None where
        it is not known.
        """
        known = self.contents(obj)
        if known is not None and known.sequence and start is not None and end is not None:
            values = known.values[None if start == OPEN else start : None if end == OPEN else end]
            return self.sequence(at, values)
        value = self.new(EXPRESSION, at)
        bounds = (ANY_BOUND if bound is None else max(min(bound, OPEN), -OPEN) for bound in (start, end))
        self.tables["slices"].extend((value, obj, *bounds))
        self.reads.append(value)
        return value

    def load(self, obj: int, key: int, at: Span) -> int:
        """``obj.key`` or ``obj[key]``: what was stored there or is known of it since, else a new value."""
        frame = self.frame
        objects = frame.objects
        slot = (obj, key)
        if key >= 0:
            known = frame.env.get(slot, NONE)
            if known != NONE and self.ops[known] == PHI and known in frame.refinements.merge_roots:
                known = self._untested(known, slot)
            if known != NONE and objects.loaded.get(known) == slot and self.ops[known] == LOAD:
                known = NONE  # read again: the same data, but a place of its own
            if known in objects.tested_parts:
                return self._read_again(slot, objects.tested_parts[known], at)
            if known != NONE:
                if known < frame.loop_start and obj >= frame.loop_start:
                    known = self._header_phi(slot, known)
                if not is_fixed(self.ops[known]):
                    objects.loaded.setdefault(known, slot)  # a change of it is a change of what holds it
                self.reads.append(known)
                return known
        value = self.new(LOAD, at, len(self._loads) // LOAD_WIDTH)
        self._loads.extend((value, obj, key))
        objects.loaded[value] = slot
        if key >= 0:
            self.bind(slot, value)
        self.reads.append(value)
        return value

    def place(self, value: int) -> tuple[int, str] | None:
        """Where ``value`` is read from, whatever calls made of it: the object it starts from and the constant keys
        behind it; None where a key is not constant.
        """
        path = ""
        for _ in range(MAX_HOLDERS):
            op = self.ops[value]
            if op == POST:
                row = self._values[VALUE_WIDTH * value + VALUE_DATA]
                value = self._arguments[ARGUMENT_WIDTH * row + ARGUMENT_VALUE]
            elif op == PI:
                row = self._values[VALUE_WIDTH * value + VALUE_DATA]
                value = self._pis[PI_WIDTH * row + PI_INPUT]
            elif op == LOAD:
                row = LOAD_WIDTH * self._values[VALUE_WIDTH * value + VALUE_DATA]
                if self._loads[row + LOAD_KEY] < 0:
                    return None
                path = f"\0{self._loads[row + LOAD_KEY]}{path}"
                value = self._loads[row + LOAD_OBJECT]
            elif op in (STORE, CALL, PHI, CARRY, GLOBAL, PARAMETER):
                return value, path
            else:
                return None
        return None

    def remember(self, slot: tuple[int, int], value: int) -> None:
        """``value`` is what was found at ``slot``, a name of the front end's own."""
        self.bind(slot, value)
        self.reads.append(value)

    def tested(self, slot: tuple[int, int]) -> int:
        """The value that was read at ``slot`` before, if a condition has tested it since; else NONE."""
        known = self.frame.env.get(slot, NONE)
        if known == NONE or known < self.frame.loop_start or self.ops[known] != PI:
            return NONE
        self.reads.append(known)
        return known

    def _untested(self, known: int, slot: tuple[int, int]) -> int:
        """The read that ``known``, behind the merges of arms, is a version of, if nothing is known of it any more: it
        comes from both sides of each condition. Else ``known``.
        """
        merged = self.frame.refinements.merged
        versions = [known]
        for _ in range(MAX_REFINED_VERSIONS):
            if len(versions) == 1 and versions[0] not in merged:
                first = versions[0]
                return first if self.ops[first] == LOAD and self.frame.objects.loaded.get(first) == slot else known
            sides: dict[tuple[int, int], tuple[int, int]] = {}  # (version, condition) -> the side that was seen first
            further: list[int] = []
            for version in versions:
                if version in merged:
                    further += merged[version]
                elif self.ops[version] == PI:
                    row = PI_WIDTH * self._values[VALUE_WIDTH * version + VALUE_DATA]
                    tested = self._pis[row + PI_INPUT], self._pis[row + PI_CONDITION]
                    side = self._pis[row + PI_SIDE]
                    if tested not in sides:
                        sides[tested] = side, version
                    elif sides[tested][0] != side:
                        del sides[tested]
                        further.append(tested[0])
                else:
                    further.append(version)
            versions = list(dict.fromkeys([*further, *[version for _, version in sides.values()]]))
            if len(versions) > MAX_REFINED_VERSIONS:
                break
        return known

    def _read_again(self, slot: tuple[int, int], parts: list[tuple[int, int]], at: Span) -> int:
        """An object that is read again after a test of its parts: a place of its own, and what is known of the
        parts.
        """
        value = self.new(LOAD, at, len(self._loads) // LOAD_WIDTH)
        self._loads.extend((value, *slot))
        self.frame.objects.loaded[value] = slot
        self.bind(slot, value)
        for key, part in parts:
            self.bind((value, key), part)
        self.frame.objects.tested_parts[value] = parts
        self.reads.append(value)
        return value

    def has_value_keys(self, obj: int) -> bool:
        """Whether one of the last stores into ``obj``, seen from here, was under a key that is a value."""
        for _ in range(MAX_CONSTANT_ITEMS):
            if self.ops[obj] == POST:
                row = self._values[VALUE_WIDTH * obj + VALUE_DATA]
                obj = self._arguments[ARGUMENT_WIDTH * row + ARGUMENT_VALUE]
                continue
            if self.ops[obj] != STORE:
                break
            row = STORE_WIDTH * self._values[VALUE_WIDTH * obj + VALUE_DATA]
            if self._stores[row + STORE_KEY] < UNKNOWN_KEY:
                return True
            obj = self._stores[row + STORE_OBJECT]
        return False

    def mapping_keys(self, obj: int) -> list[int] | None:
        """The constant keys under which versions of ``obj`` were stored, where all begin as mappings that the code
        writes, declares or uses as such; None for others. Each version is looked at once, to the bound.
        """
        keys: list[int] = []
        work = [obj]
        for value in work:  # grows by versions that are not in it, to the bound
            known = self._contents.get(value)
            if known is not None:
                if known.sequence:
                    return None
                keys += [key for key, _ in known.items]
                continue
            if value in self.frame.objects.mappings:
                continue
            op, row = self.ops[value], self._values[VALUE_WIDTH * value + VALUE_DATA]
            if op == STORE:
                key = self._stores[STORE_WIDTH * row + STORE_KEY]
                keys += [key] if key >= 0 else []
                before = [self._stores[STORE_WIDTH * row + STORE_OBJECT]]
            elif op == POST:
                before = [self._arguments[ARGUMENT_WIDTH * row + ARGUMENT_VALUE]]
            elif op == PI:
                before = [self._pis[PI_WIDTH * row + PI_INPUT]]
            elif op == CARRY:
                before = [self._initial.get(value, NONE), *self._fed.get(value, ())]
            else:
                before = self.frame.refinements.merged.get(value, [NONE])
            if NONE in before:
                return None
            work += [each for each in distinct(before) if each not in work]
            if len(work) > MAX_MAPPING_VERSIONS:
                return None
        return distinct(keys)

    def mapping(self, value: int) -> int:
        """``value``, of which the code says that it is a mapping."""
        self.frame.objects.mappings.add(value)
        return value

    def keys(self, obj: int, at: Span) -> int:
        """Any of the keys of ``obj``, as a loop over them gives."""
        return self.load(obj, self.string(KEYS), at)

    def assigned_by_call(self, name: str) -> None:
        """A class of the file has a setter of this name: what is read there later need not be what is assigned."""
        self.module.objects.set_by_calls.add(self.key(name))

    def store(self, obj: int, key: int, value: int, at: Span) -> int:
        """``obj.key = value``: returns the object's new state and binds every alias to it."""
        state = self.new(STORE, at, len(self._stores) // STORE_WIDTH)
        self._stores.extend((state, obj, key, value))
        if key >= 0:
            if key not in self.module.objects.set_by_calls:
                self.bind((state, key), value)
            known = self.contents(obj)
            if known is not None and len(known.items) < MAX_FORWARDED_ELEMENTS:
                self._store_known(state, known, key, value)
        if (
            obj in self.frame.objects.emptied
            or obj in self.frame.objects.filled
            or obj in self.frame.refinements.choices
        ):
            self.frame.objects.filled.add(state)
        self.update(obj, state, at)
        return state

    def _store_known(self, state: int, known: Contents, key: int, value: int) -> None:
        items = dict(known.items)
        if known.sequence and key not in items and key != self.key(len(items)):
            return
        items[key] = value
        self._contents[state] = Contents(tuple(items.items()), known.sequence)
        for other, element in items.items():
            if other != key:
                self.frame.env[state, other] = element
                if not is_fixed(self.ops[element]):
                    self.frame.names_of.setdefault(element, []).append((state, other))

    def deposit(self, obj: int, key: int, value: int, at: Span) -> None:
        """``value`` lies in ``obj`` under ``key`` from now on, for every holder of every state that came of ``obj``."""
        state = self.new(STORE, at, len(self._stores) // STORE_WIDTH)
        self._stores.extend((state, obj, key, value))
        self.same(state, obj)

    def origin_of(self, value: int) -> int:
        """The value that ``value`` is a later state or version of, as far as there is one."""
        columns, tables = self._values, self.tables
        while True:
            op, row = self.ops[value], columns[VALUE_WIDTH * value + VALUE_DATA]
            if op == STORE:
                value = self._stores[STORE_WIDTH * row + STORE_OBJECT]
            elif op == POST:
                value = self._arguments[ARGUMENT_WIDTH * row + ARGUMENT_VALUE]
            elif op == PI:
                value = tables["pis"][PI_WIDTH * row + PI_INPUT]
            elif op == CARRY and (before := self._initial.get(value, NONE)) != NONE:
                value = before
            else:
                return value

    def _version_now(self, value: int) -> int:
        """The state of ``value`` after calls and stores and, under conditions about it, its version there.

        Of the versions behind conditions, that is the one for which a name stands: in ``a or b or c``, those behind
        ``a or b`` that the last test is not reached with are merged before it, and no name stands for them.
        """
        frame = self.frame
        refinements, updated = frame.refinements, frame.objects.updated
        first = NONE  # what the first way ends at, where no name stands for any version
        work: list[int] = []  # empty before the first round alone
        for _ in range(MAX_REFINED_VERSIONS):
            if work:
                value = work.pop()
            if value in updated:
                value = self.latest(value)
            if self._is_bound(value):
                return value
            left = len(work)
            pi = refinements.pis.get(value, NONE)
            merged = refinements.merged_into.get(value, NONE)
            if merged != NONE:
                work.append(merged)
            elif pi != NONE:
                for side in (pi + 1, pi):  # the side we are on is the one that is bound to a name or went on changing
                    if (
                        self._is_bound(side)
                        or side in updated
                        or side in refinements.pis
                        or side in refinements.merged_into
                    ):
                        work.append(side)
            if len(work) == left and first == NONE:
                first = value
            if not work:
                break
        return value if first == NONE else first

    def _is_bound(self, value: int) -> bool:
        """Whether a name stands for this very version now."""
        names = self.frame.names_of.get(value)
        if names is not None:
            env = self.frame.env
            for name in names:
                if env.get(name, NONE) == value:
                    return True
        return False

    def latest(self, value: int) -> int:
        """The state that the object whose state was ``value`` is in now: what an arm did that control has left again
        is undone where a variable holds the state from before.
        """
        frame = self.frame
        updated = frame.objects.updated
        if value not in updated:  # mostly
            return value
        names_of, env = frame.names_of, frame.env
        states = 0
        while (state := updated.get(value, NONE)) != NONE:
            names = names_of.get(value)
            if names is not None:
                for name in names:
                    if (type(name) is str or name[0] == "in") and env.get(name, NONE) == value:
                        return value
            value = state
            states += 1
        if states > FEW_NAMES:  # as many as the call has arguments that were read from one object
            self.spend(states)
        return value

    def update(self, old: int, new: int, at: Span, depth: int = 0, *, changes: bool = True) -> None:
        """The object whose state was ``old`` is now in state ``new``: for every name, and for the object it was
        loaded from.

        Objects that hold each other would go on for ever: ``MAX_HOLDERS`` objects around this one see the change.
        ``changes``: as in ``_has_state``, for these.
        """
        frame = self.frame
        objects = frame.objects
        env = frame.env
        objects.updated[old] = new
        names = frame.names_of.get(old)
        if names is not None and len(names) > FEW_NAMES:
            self.spend(len(names))
        version = frame.captures.version_of.get(old, old)  # what a variable is bound to that nested functions write
        for name in list(names or ()):
            if (bound := env.get(name, NONE)) != old and (bound != version or type(name) is not str):
                continue
            self.bind(name, new)
            if type(name) is str:
                frame.captures.add_version(name, new)
                plain = name.partition("\0")[0]
                if frame.parent is not None and self._is_module_name(frame, plain, old):
                    self._exports.extend((self.string(plain), new))
                elif frame.parent is not None and plain not in frame.captures.captured:
                    if self._writes_outer(frame, plain):
                        self._write_outer(plain, new)
                    elif plain in self.cell_names:
                        self.same(new, self._cell(frame, name))
        origin = objects.loaded.get(old)
        if origin is not None and depth < MAX_HOLDERS:
            holder = self.latest(origin[0])
            if self._has_state(holder, changes=changes):
                state = self.new(STORE, at, len(self._stores) // STORE_WIDTH)
                self._stores.extend((state, holder, origin[1], new))
                if origin[1] >= 0:
                    self.bind((state, origin[1]), new)
                objects.loaded[new] = (state, origin[1])
                self.update(holder, state, at, depth + 1, changes=changes)

    def _is_module_name(self, frame: Frame, name: str, value: int) -> bool:
        captured = frame.captures.captured.get(name, NONE)
        if captured == NONE or self.ops[captured] != GLOBAL:
            return False
        known = self.module.captures.versions.get(name)  # what is imported is another module's
        if known is None:
            return True
        for passed, version in enumerate(known):  # mostly the first one decides
            if self.ops[version] != IMPORT:
                self._passed_over(passed)
                return True
        self._passed_over(len(known))
        return False

    def _passed_over(self, versions: int) -> None:
        """Count the versions of a name that were looked at before one decided; a few are free."""
        if versions > FEW_NAMES:
            self.spend(versions)

    def _has_state(self, value: int, depth: int = 0, *, changes: bool = True) -> bool:
        """Whether a change of this object can be seen later: it is bound to a name, or was loaded from one that is.

        ``changes``: it is one for certain; what a file imports is mostly a library, which calls do not change. The same
        holds for the result of a call.
        """
        frame = self.frame
        scope = frame.scope
        op = self.ops[value]
        if is_fixed(op) or depth > MAX_HOLDERS:
            return False
        if op == GLOBAL:
            if frame.parent is None:
                return False
            name = self.unit.strings[self._values[VALUE_WIDTH * value + VALUE_DATA]]
            known = self.module.captures.versions.get(name)
            if known is None:
                return self.semantics.package_scope
            for passed, version in enumerate(known):  # mostly the first one decides
                if not is_fixed(self.ops[version]) or (changes and self.ops[version] == IMPORT):
                    self._passed_over(passed)
                    return True
            self._passed_over(len(known))
            return False
        env = frame.env
        names = frame.names_of.get(value)
        if names is not None:
            if len(names) > FEW_NAMES:
                self.spend(len(names))
            if scope.by_value and any([name in scope.by_value for name in names]):
                return False
            version = frame.captures.version_of.get(value, value)
            for bound in names:
                if (type(bound) is str or bound[0] == "in") and env.get(bound, NONE) in (value, version):
                    return True
        origin = frame.objects.loaded.get(value)
        if origin is None:
            return changes and op in (CALL, PHI) and frame.parent is not None  # taken out of a container
        return self._has_state(self.latest(origin[0]), depth + 1, changes=changes)
