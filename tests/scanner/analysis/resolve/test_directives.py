"""A text at the beginning of a file makes what it exports an entry point, at the beginning of a function this one."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import used


@pytest.mark.parametrize(
    ("code", "functions"),
    [
        ("'use server'; export function f(x) {} export const g = (x) => {}; function h(x) {}", {"f", "g"}),
        ("'use server'; function f(x) {} export default f", {"f"}),
        ("export function f(x) { 'use server'; } export function g(x) {}", {"f"}),
        ("export async function f(x) { 'use server'; } export function g(x) {}", {"f"}),
        ("'use client'; export function f(x) {}", set()),
        ("export function f(x) { return x === 'use server'; }", set()),
        ("const text = 'use server'; export function f(x) {}", set()),
    ],
)
def test_functions_behind_a_directive(code: str, functions: set[str]) -> None:
    assert used({"a.ts": code}, "directive 'use server'") == functions


def test_a_directive_that_no_file_has_hides_no_other() -> None:
    code = "'use server'; export function f(x) {}"
    assert used({"a.ts": code}, "directive 'use absent'", "directive 'use server'") == {"f"}
