"""Arguments whose types a text of the program declares: a schema of an API, and functions that answer its fields.

``boards(type: String!): [Board]`` in a text, and ``boards: (root, args) => ...`` in an object: ``args.type`` is no
object. A function is found by its name and the keys that it is stored under. A schema may be put together from several
files, so all declarations of a field of this name count together: what any of them leaves open is untrusted. A function
whose field no text declares stands behind a schema that is not read, a file of its own for example: its arguments
seldom hold objects (``behind_schemas``).
"""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import among, distinct
from pyrograph.policy.limits.labels import MAX_DEFINITIONS_TEXT
from pyrograph.rules.definitions import DEFINITIONS, LISTED, NUMBERS, TEXTS, Definitions, Notation
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SourceRole
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION


def declared_parts(facts: Facts, role: SourceRole, function: int, notation: str) -> list[SourceRole]:
    """``role``, a parameter of ``function`` that holds arguments by name, divided by what is declared of them.

    First what may hold anything, if there is something such.
    """
    known = declared(facts, notation)
    masks: dict[str, int] = {}
    names = sorted(names_of(facts, notation).get(function, ()))
    if not names or any(known[name] is None for name in names):
        return behind_schema(facts, role)
    for name in names:
        each = known[name] or {}
        for argument in {**masks, **each}:
            masks[argument] = masks.get(argument, facts.wanted.all) & each.get(argument, facts.wanted.all)
    keys = {facts.program.intern(argument): mask for argument, mask in masks.items()}
    if any(key not in keys for key in read_keys(facts, role.value)):
        return behind_schema(facts, role)  # what reads something else is not the function of this declaration
    return divided(facts, role, keys)


def divided(facts: Facts, role: SourceRole, masks: dict[int, int]) -> list[SourceRole]:
    """``role`` divided by what its keys are clean for. First what may hold anything, if there is something such."""
    clean = {key: mask for key, mask in masks.items() if mask}
    if not clean:
        return [role]
    labels = facts.labels
    labels.keys.clean[role.value] = labels.keys.clean.get(role.value, frozenset()) | frozenset(clean)
    rest = [] if len(clean) == len(masks) else [role]
    return rest + [
        role._replace(keyed=False, harmless=role.harmless | mask, keys=(key,)) for key, mask in sorted(clean.items())
    ]


def behind_schema(facts: Facts, role: SourceRole) -> list[SourceRole]:
    """``role``, whose types the API declares where no text of the program shows it."""
    facts.labels.checks.behind_schemas.add(role.value)
    return [role]


def read_keys(facts: Facts, value: int) -> set[int]:
    """The constant keys that are read from ``value`` in its function."""
    loads = [each for each in facts.flows.loads_from(facts.rep[value]) if facts.op[each] == Op.LOAD]
    return {key for each in loads if (key := facts.load_key[facts.data[each]]) >= 0}


def names_of(facts: Facts, notation: str) -> dict[int, set[str]]:
    """Function -> its name, and the keys that it is stored under, those that are names of declared fields."""
    found = facts.conditions.named.get(notation)
    if found is None:
        found = facts.conditions.named[notation] = {}
        keys = {facts.program.string_ids.get(name, NONE): name for name in declared(facts, notation)}
        keys.pop(NONE, None)
        names, stores = facts.tables["functions"]["name"], facts.tables["stores"]
        for function in np.flatnonzero(among(names, keys)).tolist():
            found.setdefault(function, set()).add(keys[int(names[function])])
        for row in np.flatnonzero(among(stores["key"], keys) & (stores["value"] != NONE)).tolist():
            values = [int(stores["value"][row])]
            rep = facts.rep[values[0]]
            if facts.op[rep] == Op.CALL:  # of a function that wraps it
                values += [facts.arg_value[argument] for argument in facts.args.of(facts.data[rep])]
            for value in values:
                for function in subjects(facts.resolution.states_of(value), FUNCTION):
                    found.setdefault(function, set()).add(keys[int(stores["key"][row])])
    return found


def declared(facts: Facts, notation: str) -> dict[str, dict[str, int] | None]:
    """Name of a field -> name of an argument -> mask of what it never has, by all texts of the program.

    None: the arguments of the field are not known. Computed when it is first asked for. Time O(constants + length of
    the texts that declare something).
    """
    found = facts.conditions.declared.get(notation)
    if found is None:
        found = facts.conditions.declared[notation] = {}
        definitions = read_definitions(facts, DEFINITIONS[notation])
        types = masks_of_types(facts, definitions, DEFINITIONS[notation])
        for name, declarations in definitions.fields.items():
            masks: dict[str, int] = {}
            for each in declarations:
                for argument, type_name in (each or {}).items():
                    masks[argument] = masks.get(argument, facts.wanted.all) & types.get(type_name, 0)
            found[name] = None if None in declarations else masks
    return found


def read_definitions(facts: Facts, notation: Notation) -> Definitions:
    """What the texts of the program declare; nothing, if there is too much to read."""
    strings = facts.program.strings
    values = facts.tables["values"]
    constants = distinct(values["data"][values["op"] == Op.CONST]).tolist()
    texts = {strings[each][1:] for each in constants if strings[each][:1] == "'"}
    texts.update(facts.constants.texts.values())
    declaring = sorted(text for text in texts if notation.declares.search(text))
    found = Definitions({}, {}, {})
    if sum(map(len, declaring)) <= MAX_DEFINITIONS_TEXT:
        for text in declaring:
            notation.read(text, found)
    return found


def masks_of_types(facts: Facts, definitions: Definitions, notation: Notation) -> dict[str, int]:
    """Name of a type -> mask of what its values, and lists of them, never have.

    An object has what its fields have, but no key that is not declared. Types may name each other in circles: masks
    begin with everything and lose bits until nothing changes. Time O(fields of objects) for each bit.
    """
    held = {TEXTS: facts.wanted.of_objects, NUMBERS: facts.wanted.all, LISTED: facts.wanted.all}
    masks = {name: held.get(what, 0) for name, what in notation.built_in.items()}
    for name, said in definitions.scalars.items():
        for what in said:
            masks[name] = masks.get(name, facts.wanted.all) & held.get(what, 0)
    used_by: dict[str, set[str]] = {}  # name of a type -> objects that have a field of it
    work: list[str] = list(masks)
    for name, declarations in definitions.objects.items():
        if None in declarations or name in masks:
            masks[name] = 0
            work.append(name)
        for each in declarations:
            for type_name in each.values() if each is not None else ():
                used_by.setdefault(type_name, set()).add(name)
    work += [name for name in used_by if name not in masks and name not in definitions.objects]
    while work:  # a type is added when its mask loses bits
        name = work.pop()
        mask = masks.get(name, 0)
        for user in used_by.get(name, ()):
            before = masks.get(user, -1)
            masks[user] = before & mask & facts.wanted.all
            if masks[user] != before:
                work.append(user)
    return masks
