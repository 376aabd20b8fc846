"""Fields of types that generated files declare: numbers are clean, although no code that fills them is analysed.

The types themselves stay unknown to resolution. What handlers are, and which calls leave the program, is decided as if
nothing were known of generated code; only what cannot be text is clean.
"""

from __future__ import annotations

import posixpath

from pyrograph.ir.codes import NONE
from pyrograph.parsers.language import FieldType
from pyrograph.scanner.analysis.declarations import Declarations
from pyrograph.scanner.analysis.label.calls import is_accessor
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import GLOBAL_OP, IMPORT_OP, LOAD_OP

Type = tuple[str, str, str]  # folder, name, language


def generated_fields(facts: Facts, declarations: Declarations) -> None:
    """Mark clean what is loaded from a number's field, or read by its accessor.

    Time linear in the loads of values of such types, and in the files that declare these.
    """
    if not declarations.files or not any(traits.declared_types_hold for traits in facts.places.traits):
        return
    strings = facts.program.strings
    read: dict[int, list[tuple[str, int]]] = {}  # representative of an object -> (field or "", what is read)
    results = facts.tables["loads"]["result"].tolist()
    for obj, key, result in zip(facts.load_object, facts.load_key, results, strict=True):
        read.setdefault(facts.rep[obj], []).append((strings[key] if key >= 0 else "", result))
    for call, receiver in enumerate(facts.call_receiver):
        if receiver != NONE and (name := accessed(facts, call)):
            read.setdefault(facts.rep[receiver], []).append((name, facts.call_result[call]))
    found: dict[int, set[Type]] = {}  # by representative
    types = facts.tables["types"]
    for value, declared in zip(types["value"].tolist(), types["type"].tolist(), strict=True):
        if facts.rep[value] in read and (named := named_type(facts, declarations, declared)) is not None:
            found.setdefault(facts.rep[value], set()).add(named)
    work = sorted(found)
    seen = set(work)
    while work:  # what is pushed is new in ``seen``
        obj = work.pop()
        if len(found[obj]) != 1:
            continue
        (own,) = found[obj]
        declared_type = declarations.find(*own)
        if declared_type is None:
            continue
        for name, result in read.get(obj, ()):
            if not name:
                of: Type | None = own  # of an element of a list
            else:
                field = declared_type.fields.get(name)
                if field is not None and is_number(facts, declarations, own, field):
                    facts.mark_clean(result, facts.wanted.all)
                of = None if field is None else type_of(facts, declarations, own, field)
            rep = facts.rep[result]
            if of is not None and rep not in seen:
                seen.add(rep)
                found[rep] = {of}
                work.append(rep)


def accessed(facts: Facts, call: int) -> str:
    """The name of the field that a call reads by the convention of generated code, or ""."""
    if not is_accessor(facts, call):
        return ""
    name: str = facts.program.strings[int(facts.tables["calls"]["name"][call])]
    return name.removeprefix(facts.traits_of(facts.call_result[call]).dispatch.accessor_prefix)


def named_type(facts: Facts, declarations: Declarations, value: int) -> Type | None:
    """The type of a generated file that a value names, in this module or in an imported one."""
    if not facts.traits_of(value).declared_types_hold:
        return None
    rep = facts.rep[value]
    directory = posixpath.dirname(facts.program.files[facts.places.file_of[value]].path)
    folder: str | None = directory
    if facts.op[rep] == GLOBAL_OP:
        name = facts.data[rep]
    elif facts.op[rep] == LOAD_OP:
        name, package = facts.load_key[facts.data[rep]], facts.load_object[facts.data[rep]]
        package = facts.only_origin(package) if facts.op[package] == GLOBAL_OP else package
        if package == NONE or facts.op[package] != IMPORT_OP:
            return None
        module = facts.program.strings[int(facts.tables["imports"]["module"][facts.data[package]])]
        names = facts.program.modules.by_language[facts.language(value)]
        folder = names.folder(directory, module, declarations.folders)
    else:
        return None
    if folder is None or folder not in declarations.folders or name < 0:
        return None
    return folder, facts.program.strings[name], facts.language(value)


def is_number(facts: Facts, declarations: Declarations, own: Type, field: FieldType) -> bool:
    if field.number:
        return True
    of = type_of(facts, declarations, own, field)
    declared = declarations.find(*of) if of is not None else None
    return declared is not None and declared.number


def type_of(facts: Facts, declarations: Declarations, own: Type, field: FieldType) -> Type | None:
    """The type of a field of ``own``, where a generated file declares it."""
    folder, _, language = own
    if not field.name:
        return None
    if field.module:
        names = facts.program.modules.by_language[language]
        folder_found = names.folder(folder, field.module, declarations.folders)
        return None if folder_found is None else (folder_found, field.name, language)
    return folder, field.name, language
