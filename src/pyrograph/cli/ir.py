"""``pyrograph ir``: what a file means to pyrograph, and its loops in the loop-stream dialect."""

from __future__ import annotations

from pathlib import Path

import click

from pyrograph.cli.errors import CLEAN, Refusal

EMITTED = ("ir", "dataflow", "dot", "svg")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--function", metavar="NAME", help="Only functions of this name, and those inside them.")
@click.option(
    "--emit",
    type=click.Choice(EMITTED),
    default="ir",
    help="ir: one line per value; dataflow: loops in the dialect; dot: a graph; svg: the graph drawn by Graphviz. [ir]",
)
def ir(file: Path, function: str | None, emit: str) -> int:
    """Show what FILE is lowered to, before any rule is applied.

    \b
    pyrograph ir app.py --function handler
    pyrograph ir app.py --emit dataflow
    pyrograph ir app.py --emit dot | dot -Tpng > app.png
    """
    text = _emitted(file, function, emit)
    if not text.strip():
        what = "no loop" if emit == "dataflow" else "nothing"
        where = f"{file}: {function!r}" if function is not None else str(file)
        raise Refusal(f"{where}: {what} to show; without --function everything in the file is shown")
    click.echo(text, nl=False)
    return CLEAN


def _emitted(file: Path, function: str | None, emit: str) -> str:
    from pyrograph.parsers import lower, page_suffixes, suffixes

    language = suffixes().get(file.suffix.lower()) or page_suffixes().get(file.suffix.lower())
    if language is None:
        raise Refusal(f"{file}: cannot tell its language by its name; known suffixes are {' '.join(suffixes())}")
    try:
        unit = lower(file.read_bytes(), language)
    except OSError as error:
        raise Refusal(f"{file}: {error.strerror}") from error
    if emit == "dataflow":
        from pyrograph.ir.dataflow.lower import loop_graphs
        from pyrograph.ir.dataflow.text import printed

        return "\n".join(printed(found.graph) for found in loop_graphs(unit, function))
    if emit == "ir":
        from pyrograph.ir.text import listing

        return listing(unit, function)
    from pyrograph.ir.dot import dot

    text = dot(unit, function)
    return text if emit == "dot" else _drawn(text)


def _drawn(text: str) -> str:
    import shutil
    import subprocess

    program = shutil.which("dot")
    if program is None:
        raise Refusal("--emit svg needs Graphviz, whose program 'dot' was not found; install it, or use --emit dot")
    done = subprocess.run([program, "-Tsvg"], input=text, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode:
        raise Refusal(f"dot failed: {done.stderr.strip()[:200]}")
    return done.stdout
