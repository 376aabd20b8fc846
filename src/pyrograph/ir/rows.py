"""A unit's tables as lists of rows with names: for reading one by one, where speed does not matter."""

from __future__ import annotations

from pyrograph.ir import schema as s
from pyrograph.ir.unit import Unit


class Rows:
    """All rows of a unit; each attribute is a table, a row's number its index there."""

    def __init__(self, unit: Unit) -> None:
        self.values = unit.rows(s.ValueRow)
        self.flows = unit.rows(s.FlowRow)
        self.loads = unit.rows(s.LoadRow)
        self.slices = unit.rows(s.SliceRow)
        self.stores = unit.rows(s.StoreRow)
        self.calls = unit.rows(s.CallRow)
        self.arguments = unit.rows(s.ArgumentRow)
        self.functions = unit.rows(s.FunctionRow)
        self.parameters = unit.rows(s.ParameterRow)
        self.captures = unit.rows(s.CaptureRow)
        self.conditions = unit.rows(s.ConditionRow)
        self.conjunctions = unit.rows(s.ConjunctionRow)
        self.truths = unit.rows(s.TruthRow)
        self.pis = unit.rows(s.PiRow)
        self.owners = unit.rows(s.OwnerRow)
        self.bases = unit.rows(s.BaseRow)
        self.members = unit.rows(s.MemberRow)
        self.signatures = unit.rows(s.SignatureRow)
        self.types = unit.rows(s.TypeRow)
        self.imports = unit.rows(s.ImportRow)
        self.exports = unit.rows(s.ExportRow)
        self.handlers = unit.rows(s.HandlerRow)
        self.texts = unit.rows(s.TextRow)
        self.computed = unit.rows(s.ComputedRow)
        self.loops = unit.rows(s.LoopRow)
        self.streams = unit.rows(s.StreamRow)
        self.carries = unit.rows(s.CarryRow)
        self.blocks = unit.rows(s.BlockRow)
        self.joins = unit.rows(s.JoinRow)
        self.control = unit.rows(s.ControlRow)
