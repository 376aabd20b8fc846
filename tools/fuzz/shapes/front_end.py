"""Shapes for the stages that work file by file: discovery, lowering, suppressions, templates, patterns, manifests."""

from __future__ import annotations

from tools.fuzz.shapes import Files, shape


def _python(body: str) -> Files:
    """One Python file."""
    return {"program.py": body}


def _javascript(body: str) -> Files:
    """One JavaScript file."""
    return {"program.js": body}


def _typescript(body: str) -> Files:
    """One TypeScript file."""
    return {"program.ts": body}


def _go(body: str) -> Files:
    """One Go file."""
    return {"go.mod": "module example.test/m\n\ngo 1.22\n", "program.go": "package m\n\n" + body}


@shape("python", largest=100_000)
def python_flat_assignments(size: int) -> Files:
    """Assignments to distinct names, one after the other."""
    return _python("".join(f"v{i} = 1\n" for i in range(size * 9 // 10)))
