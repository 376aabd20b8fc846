"""Why, or why not: how far data gets from one line to another, and what stops it.

The question is put to the graph that a scan searches, with the values of the first line as sources and what the second
line calls as sinks. Where nothing arrives, it is put again to graphs that let more and more through, each with calls
and returns matched up to the last:

1. no sanitizer, guard, clean type or encoding holds anything back;
2. also, fields and elements are not distinguished;
3. also, a call that passes nothing on gives what it was given, a comparison what it compares (first with fields, then
   without);
4. also, the functions of the program do so;
5. instead, calls and returns are not matched.

The first that has a way shows where the data could have gone. All values on that way are then sinks of the first, true
graph: the last one that is reached is how far the data gets, and the step behind it, which the true graph does not
take, is what stops it. So an answer never rests on a guess about what might have blocked.

``answer`` is what is asked and said, ``question`` the state; ``ends`` finds the two lines, ``gaps`` the open graphs,
``stops`` says what stops the data, ``verdicts`` how far it gets.

Cost: an assembly and a search for each graph that is asked; nothing is lowered or labelled twice.
"""

from collections.abc import Iterable
from pathlib import Path

from pyrograph.rules import DEFAULT_KINDS
from pyrograph.scanner.diagnose.answer import Answer, Line, Stop, Unanswerable, Verdict
from pyrograph.scanner.diagnose.question import Question
from pyrograph.scanner.diagnose.verdicts import answer
from pyrograph.scanner.stages import LabelledProgram


def why(
    known: LabelledProgram,
    source: Line,
    sink: Line,
    *,
    vulnerability: str | None = None,
    max_depth: int | None = None,
    default_kinds: Iterable[str] = DEFAULT_KINDS,
) -> Answer:
    """How far data gets from ``source`` to ``sink``.

    Args:
        known: The program, labelled with all threat models and with entries of low confidence.
        source: A line whose sources, or else whose values, are taken as untrusted.
        sink: A line whose sinks, or else the arguments of whose calls, are asked for.
        vulnerability: Only this one; None for all that have a sink there.
        max_depth: The longest path that the scan may go.
        default_kinds: The taint kinds and parties that the scan has on; the answer says how to switch on others.

    Raises:
        Unanswerable: A file was not scanned, a line is out of range or holds nothing.
    """
    return answer(Question(known, vulnerability, max_depth, frozenset(default_kinds)), source, sink)


def in_root(path: Path, root: Path) -> str:
    """``path`` as the report writes it.

    Raises:
        Unanswerable: It lies outside the root.
    """
    try:
        return path.resolve().relative_to(root).as_posix()
    except ValueError:
        raise Unanswerable(f"{path}: lies outside the root {root}; name a root that contains it with --root") from None


__all__ = ["Answer", "Line", "Stop", "Unanswerable", "Verdict", "in_root", "why"]
