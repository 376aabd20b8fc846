"""Further places at which a template writes what the call that fills it is given.

``render("note.html", note=note)`` is one sink, and each tag of the template that writes a part of the note without
escaping is a place to mend. A finding lists the likeliest path of each source, and these paths end at a few of the
tags. ``further_writes`` finds one path for each other tag, if the scan would report it alone, too.

Cost: the paths of ``MAX_FURTHER_WRITES`` tags are rated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyrograph.policy.limits.explanation import MAX_FURTHER_WRITES
from pyrograph.scanner.analysis.label.labels import NOWHERE, SinkRole, TemplatePlace
from pyrograph.scanner.analysis.search import Hit


def further_writes(
    shown: Sequence[Hit], hits: Sequence[Hit], sinks: Sequence[SinkRole], reported: Callable[[Hit], bool]
) -> list[Hit]:
    """One hit for each place of a template at which no path of ``shown`` ends, by the place.

    Args:
        shown: The hits whose paths the finding lists.
        hits: All hits of the finding, the likeliest first.
        sinks: By the number of a hit's role.
        reported: Whether the scan reports the path of a hit, as sure as the finding; asked of a bounded number.
    """
    seen = {sinks[hit.sink_role].template for hit in shown} | {NOWHERE}
    further: dict[TemplatePlace, Hit] = {}
    for hit in hits:
        place = sinks[hit.sink_role].template
        if place in seen or sinks[hit.sink_role].low:
            continue
        if len(seen) > MAX_FURTHER_WRITES:
            break
        seen.add(place)
        if reported(hit):
            further[place] = hit
    return [further[place] for place in sorted(further)]
