"""Classes that are mixed with a class of a library: their methods run on its instances.

``class Scoped: def get_queryset(self): self.request.GET["q"]`` extends no view, but ``class Orders(Scoped, ListView)``
does: what ``Scoped`` reads from its object and does not have itself is what ``ListView`` has.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.scanner.analysis.resolve.solver import Solver


def note_mixed_classes(solver: Solver) -> None:
    """Note the classes of libraries that each class is mixed with. Linear in the lineages of the classes."""
    classes = solver.classes
    for owner in tuple(classes.bases):
        if solver.files.traits_of(classes.owner_value[owner]).dispatch.bases_are_parts:
            continue
        lineage = classes.lineage(owner)
        nodes = [node for each in lineage for node in classes.apis.get(each, ())]
        for each in lineage[1:] if nodes else ():
            own = {node for base in classes.lineage(each) for node in classes.apis.get(base, ())}
            known = classes.mixed_with.get(each, [])
            further = [node for node in dict.fromkeys(nodes) if node not in own and node not in known]
            if further:
                classes.mixed_with[each] = known + further
                classes.change(each, NONE)
