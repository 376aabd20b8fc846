"""The steps of a path without those in which a call only hands a value on: high confidence counts these.

The steps that a reader sees have more of them in one language than in another: in Go, each call that returns an error,
too, packs its results and unpacks them, and methods read the fields of their receiver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyrograph.model.finding import Step
from pyrograph.parsers import language_of
from pyrograph.scanner.files.classify import language_of_name


def brief(steps: Sequence[Step]) -> list[Step]:
    """The steps that do something with the value, at most as many as ``steps``.

    * A call that is followed by its return is left out: an object goes in and comes out as it was.
    * A call that only reads fields before it returns is one step, as the field would be without a method.
    * A return that follows another one is left out: a service hands on the row that a repository returned. Where the
      value is packed first, ``return row, nil``, the function may have refused it.
    * A store before a return, and the load after it, are left out: several results, or an object that is taken apart.
    """
    kept: list[Step] = []
    unpacked = {at for at, step in enumerate(steps) if step.kind == "load" and at and is_packed(steps, at - 1)}
    for at, step in enumerate(steps):
        if at in unpacked:
            continue
        if step.kind != "return":
            kept.append(step)
            continue
        if at + 1 in unpacked:
            kept.pop()
        entry = len(kept) - 1
        while entry > 0 and kept[entry].kind == "load":  # ``entry`` falls
            entry -= 1
        if kept[entry].kind != "call" or kept[entry].depth != step.depth:
            if steps[at - 1].kind != "return" or kept[-1].kind != "return":
                kept.append(step)
        elif entry == len(kept) - 1:
            kept.pop()
        else:
            kept[entry:] = [replace(step, kind="load")]
    return kept


def is_packed(steps: Sequence[Step], at: int) -> bool:
    """Whether a step is a return of what the step before stored and the step after takes out."""
    return steps[at].kind == "return" and at > 0 and steps[at - 1].kind == "store"


def module_of(path: str) -> str:
    """What holds one scope of a program: a file, or a folder where a language's files share their scope."""
    language = language_of_name(path)
    if language is not None and language_of(language).traits.modules.directory_is_module:
        return path.rpartition("/")[0]
    return path
