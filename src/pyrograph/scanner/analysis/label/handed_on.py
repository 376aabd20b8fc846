"""What a framework hands on of a request that it checked against schemas, as a whole: ``save(request.body)``.

The reads of fields in the handler itself are marked one by one (``route_schemas``). A function that is given the whole
reads them elsewhere, out of a copy perhaps, ``{ ...input, name }``. So the source is divided by what its fields are
clean for. Where a schema declares all that it lets through (``[type] closed``), the names of the fields are the
program's own, and an object in a field is clean for what all its fields are.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE, Op
from pyrograph.scanner.analysis.label.declared_arguments import divided
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SourceRole
from pyrograph.scanner.analysis.label.passed_elements import Fields
from pyrograph.scanner.analysis.label.schemas import closed_fields

Place = tuple[int, int]  # (representative of a parameter, or of a table that declares a schema; key of the member)


class HandedOn:
    """Collects the schemas of a program's routes."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.masks: dict[Place, dict[int, int]] = {}  # what the schemas declare: key -> what it is clean for
        self.missing: set[Place] = set()  # tables that have declared nothing of a member yet
        self.open: set[Place] = set()  # those that may let through more than they declare

    def declare(self, table: int, key: int, schema: int, fields: Fields, *, only: bool = False) -> None:
        """``schema``, which declares ``fields``, stands in ``table`` for the member ``key``; ``NONE`` is no schema.

        ``only``: the check lets no field through that the schema does not declare, unless it says so itself.

        A table may have the schema of a member under one of several names; that it has none under another says nothing.
        """
        place = table, key
        if schema == NONE and place in self.masks:
            return
        if schema != NONE and place in self.missing:
            self.missing.remove(place)
            self.open.discard(place)
        if schema == NONE:
            self.missing.add(place)
        closed = closed_fields(self.facts, schema, only=only) if schema != NONE else None
        if closed is None:
            self.open.add(place)
        self.masks[place] = {path[0]: mask for path, mask in fields.items() if len(path) == 1} | (closed or {})

    def add(self, parameter: int, table: int, key: int) -> None:
        """A handler's ``parameter`` gets what the schema in ``table`` lets through."""
        self.add_from((parameter, key), (table, key))

    def add_open(self, place: Place, fields: Fields) -> None:
        """The parameter and member ``place`` has these fields, and may have others."""
        self.open.add(place)
        self.masks.setdefault(place, {}).update({path[0]: mask for path, mask in fields.items() if len(path) == 1})

    def add_from(self, place: Place, origin: Place) -> None:
        """The parameter and member ``place`` gets what ``origin`` does, or lets through."""
        fields = self.masks.get(origin, {})
        if origin in self.open or origin not in self.masks:
            self.open.add(place)
        known = self.masks.get(place, fields)
        self.masks[place] = {each: known.get(each, 0) & fields.get(each, 0) for each in {**known, **fields}}

    def divide(self) -> None:
        """Divide the sources that such members are. Time O(sources + declared fields of these)."""
        if not any(any(masks.values()) for masks in self.masks.values()):
            return
        roles: list[SourceRole] = []
        for role in self.facts.labels.sources:
            place = self.place(role.value)
            masks = self.masks.get(place) if not role.keys else None
            if not masks or not any(masks.values()):
                roles.append(role)
            elif place in self.open:
                roles += divided(self.facts, role, {**masks, NONE: 0})  # other fields hold anything
            else:
                roles += divided(self.facts, role._replace(keyed=True), masks)
        self.facts.labels.sources[:] = roles

    def place(self, value: int) -> Place:
        """The place that a read of a member is: ``ctx.input``, or ``{ input }`` in the list of parameters."""
        facts = self.facts
        if facts.op[value] != Op.LOAD:
            return NONE, NONE
        return facts.rep[facts.load_object[facts.data[value]]], facts.load_key[facts.data[value]]
