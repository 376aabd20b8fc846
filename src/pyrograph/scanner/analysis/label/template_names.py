"""Names of the templates that a call may fill: constant texts, also where code chooses one of several.

A name is looked up backwards from the argument: through merges (``"a.html" if short else "b.html"``), variables and
members, also those of the class of the receiver (``self.template``), and through texts with holes
(``f"{self.kind}_list.html"``), whose holes are filled in the same way. What a program keeps in a setting and gives a
default (``if (!config.pages.list) config.pages.list = "list"``) is one of them, too: a store under the same two keys.
Bounded by ``MAX_NAME_STEPS`` values for each call and ``MAX_TEMPLATE_NAMES`` names.
"""

from __future__ import annotations

from posixpath import splitext
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.policy.limits.labels import MAX_NAME_STEPS, MAX_TEMPLATE_NAMES, MAX_TEXT_DEPTH
from pyrograph.scanner.analysis.label.facts import NAMED, Facts
from pyrograph.scanner.files.classify import TEMPLATES

MANY_NAMES: Final = (
    f"a helper renders more than {MAX_TEMPLATE_NAMES} templates; what they write unescaped is not analysed for it"
)
HOLE: Final = "\0"


def names_of(facts: Facts, template: int) -> tuple[list[str], bool]:
    """The possible names of a template, and whether callers pass them: a constant, the constants that code chooses
    from, or the arguments of all calls for a parameter, and its default.
    """
    rep = facts.rep[template]
    if facts.op[rep] != Op.PARAMETER or rep in facts.flows.captured or name_of(facts, template) is not None:
        return known_names(facts, template), False
    given = {name_of(facts, each) for each in (*facts.calls.arguments_for(rep), *facts.flows.same_as(rep))}
    found = sorted(each for each in given if each is not None)
    if len(found) > MAX_TEMPLATE_NAMES:
        facts.resolution.report(MANY_NAMES, facts.program.files[facts.program.file_of_value[template]].path, 0)
        return [], True
    return found, len(found) > 1


def name_of(facts: Facts, template: int) -> str | None:
    """A constant text; the constant end of one, behind a folder; or the last part of what a call joins."""
    text = facts.constant(template)
    if text is not None:
        return text[1:] if text[0] == "'" else None
    rep = facts.rep[template]
    text = facts.constants.texts.get(template, facts.constants.texts.get(rep))
    if text is not None:
        end = text.rpartition(HOLE)[2]
        return end if end[:1] == "/" else None
    if facts.op[rep] == Op.CALL:
        rows = facts.args.of(facts.data[rep])
        last = facts.constant(facts.arg_value[rows[-1]]) if rows else None
        if last is not None and last[0] == "'" and splitext(last)[1].lower() in TEMPLATES:
            return last[1:]
    return None


def known_names(facts: Facts, template: int) -> list[str]:
    """The one name of a template, or the constant texts that code chooses one of; none where there are too many."""
    name = name_of(facts, template)
    found = Names(facts).of(template, 0) if name is None else [name]
    return found if len(found) <= MAX_TEMPLATE_NAMES else []


class Names:
    """Looks up constant texts; ``left``: values that may still be looked at."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.left = MAX_NAME_STEPS

    def of(self, template: int, depth: int) -> list[str]:
        """Texts that a value may be, sorted; each step takes one from ``left``, so this ends."""
        facts = self.facts
        found: set[str] = set()
        seen = {template}
        work = [template]
        while work and self.left > 0:
            self.left -= 1
            value = work.pop()
            name = facts.constant(value)
            if name is not None:
                if name[0] == "'":
                    found.add(name[1:])
                continue
            text = facts.constants.texts.get(value, facts.constants.texts.get(facts.rep[value]))
            if text is not None:
                found.update(self.filled(value, text, depth))
                continue
            for origin in self.origins(value):
                if origin not in seen:
                    seen.add(origin)
                    work.append(origin)
        return sorted(found)

    def filled(self, value: int, text: str, depth: int) -> list[str]:
        """A text with its holes filled by constants."""
        facts = self.facts
        holes = [
            origin
            for origin, _ in facts.flows.origins_of(value if value in facts.constants.texts else facts.rep[value])
            if facts.op[origin] != Op.CONST
        ]
        if depth == MAX_TEXT_DEPTH or len(holes) != text.count(HOLE):
            return []
        parts = text.split(HOLE)
        made = [parts[0]]
        for hole, part in zip(holes, parts[1:], strict=True):
            fillings = self.of(hole, depth + 1)
            made = [before + filling + part for before in made for filling in fillings]
            if len(made) > MAX_TEMPLATE_NAMES:
                return []
        return made

    def origins(self, value: int) -> list[int]:
        """What a value was before it got this name; of a merge, both sides."""
        facts = self.facts
        rep = facts.rep[value]
        if rep in facts.flows.captured:
            return [facts.flows.captured[rep]]
        found = [rep] if rep != value else []
        if facts.op[value] == Op.PHI:
            found += [origin for origin, _ in facts.flows.origins_of(value)]
        elif facts.op[value] in NAMED:
            held = [each for each in facts.flows.heap_in.get(value, ()) if facts.rep[each] != rep]
            if not held and facts.op[value] == Op.LOAD:
                held = self.of_classes(facts.data[value]) or self.defaults(facts.data[value])
            found += held
        return found

    def of_classes(self, load: int) -> list[int]:
        """What the classes that may be the receiver's say of a member of it, each its own."""
        facts = self.facts
        owner, key = facts.rep[facts.tables["loads"]["object"][load]], int(facts.tables["loads"]["key"][load])
        if facts.op[owner] != Op.PARAMETER or key < 0 or facts.data[owner] < 0:
            return []
        if int(facts.tables["parameters"]["position"][facts.data[owner]]) != RECEIVER:
            return []
        found: list[int] = []
        for each in owners_of(facts, int(facts.function_of[owner]))[:MAX_NAME_STEPS]:
            found += next((m[key] for m in members_around(facts, each) if m.get(key)), [])[-1:]
        return found

    def defaults(self, load: int) -> list[int]:
        """Constants that the program stores under the last two keys of a member whose object is not known."""
        facts = self.facts
        loads, stores = facts.tables["loads"], facts.tables["stores"]
        key, outer = int(loads["key"][load]), self.key_of(int(loads["object"][load]))
        if key < 0 or outer < 0:
            return []
        rows = facts.flows.stores_under(key)[:MAX_NAME_STEPS].tolist()
        return [int(stores["value"][row]) for row in rows if self.key_of(int(stores["object"][row])) == outer]

    def key_of(self, value: int) -> int:
        """The key under which an object was read, or NONE."""
        facts = self.facts
        for each in (value, facts.rep[value]):
            if facts.op[each] == Op.LOAD:
                return int(facts.tables["loads"]["key"][facts.data[each]])
        return NONE


def owners_of(facts: Facts, function: int) -> list[int]:
    """The classes that have a method: the one that defines it, and those below that do not override it."""
    tables = facts.tables
    home, name = int(tables["functions"]["owner"][function]), int(tables["functions"]["name"][function])
    found = []
    classes = {**facts.resolution.class_members, **facts.resolution.class_bases} if home != NONE else {}
    for owner in classes:
        having = (
            each for each in facts.resolution.lineage(owner) if facts.resolution.class_members.get(each, {}).get(name)
        )
        if next(having, NONE) == home:
            found.append(owner)
    return found


def members_around(facts: Facts, owner: int) -> list[dict[int, list[int]]]:
    return [facts.resolution.class_members.get(each, {}) for each in facts.resolution.lineage(owner)]
