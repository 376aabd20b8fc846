"""Data flow between values: which edges the statements of a program become."""

from __future__ import annotations

import numpy as np
import pytest
from tests.scanner.analysis.label.programs import GO_RULES, RULES, Labelled, labelled

from pyrograph.ir.codes import Op
from pyrograph.scanner.analysis.assemble import Context, Edges, Kind, data_flow

Row = tuple[str, str, Kind, Context, bool]


def flow(found: Labelled) -> Edges:
    return data_flow(found.program, found.resolution, found.labels)


def rows(found: Labelled) -> set[Row]:
    """(origin's text, target's text, kind, context, assumed) of each edge."""
    edges = flow(found)
    columns = (edges.origin, edges.target, edges.kind, edges.context, edges.assumed)
    return {
        (found.text(origin), found.text(target), Kind(kind), Context(context), bool(assumed))
        for origin, target, kind, context, assumed in zip(
            *(np.concatenate(column).tolist() for column in columns), strict=True
        )
    }


def between(code: str, origin: str, target: str, *, rules: str = RULES, language: str = "python") -> set[str]:
    """The edges from ``origin`` to ``target``: the kind, then the context and "assumed" if they are not usual."""
    found = labelled(code, rules, language, everywhere=True)
    return {
        " ".join([kind.name] + [context.name] * (context != Context.INTRA) + ["assumed"] * assumed)
        for start, end, kind, context, assumed in rows(found)
        if (start, end) == (origin, target)
    }


@pytest.mark.parametrize(
    ("code", "origin", "target", "kinds"),
    [
        ("def f(a):\n    b = a.k", "a", "a.k", {"LOAD"}),
        ("def f(a, v):\n    a.k = v", "v", "a.k", {"STORE"}),
        ("def f(a, v):\n    a.k = v", "a", "a.k", {"KILL"}),
        ("def f(a, k, v):\n    a[k] = v", "k", "a[k]", {"STORE"}),
        ("def f(a):\n    b = a[1:2]", "a", "a[1:2]", {"SLICE"}),
        ("def f(a):\n    b = f'x{a}'", "a", "f'x{a}'", {"SHOWN_TEXT"}),
        ("def f(a):\n    b = 'x' + a", "a", "'x' + a", {"TEXT"}),
        ("def f(a):\n    b = g(a)", "a", "g(a)", {"IF_WHOLE assumed"}),
        ("def f(a):\n    b = g([a])", "[a]", "g([a])", {"DERIVED assumed"}),
        ("def g(p):\n    return p\ndef f(a):\n    b = g(a)", "a", "p", {"SAME CALL"}),
        ("def g(*p): pass\ndef f(a):\n    b = g(a)", "a", "p", {"STORE CALL"}),
        ("def g(p): pass\ndef f(a):\n    g(*a)", "a", "p", {"LOAD CALL"}),
        ("X = s()\ndef f():\n    return X", "s()", "X", {"SAME HEAP"}),
        ("def f(a):\n    def g():\n        return a.k\n    g()", "a", "a", {"SAME CALL"}),
        ("def f(a):\n    return lambda: a.k\ng = f(s())\ng()", "a", "lambda: a.k", {"STORE"}),
    ],
)
def test_statements_become_edges(code: str, origin: str, target: str, kinds: set[str]) -> None:
    assert kinds <= between(f"{code}\n", origin, target)


def test_the_arm_of_a_call_that_does_not_return_feeds_no_phi() -> None:
    code = "import web\ndef f(c):\n    x = 'a'\n    if c:\n        x = web.get()\n        {end}\n    web.run(x)\n"
    rules = RULES + '[type]\nnever = ["web.exit"]\n'
    assert reaches(labelled(code.replace("{end}", "web.log()"), rules))
    assert not reaches(labelled(code.replace("{end}", "web.exit()"), rules))


def reaches(found: Labelled) -> bool:
    """Whether edges lead from a source to a sink, kinds and contexts ignored."""
    edges = flow(found)
    pairs = list(zip(np.concatenate(edges.origin).tolist(), np.concatenate(edges.target).tolist(), strict=True))
    seen = {role.value for role in found.labels.sources}
    before = -1
    while before != len(seen):
        before = len(seen)
        seen |= {target for origin, target in pairs if origin in seen}
    return any(role.value in seen for role in found.labels.sinks)


def test_a_number_made_of_text_is_assumed_to_be_chosen_by_it() -> None:
    assert "DERIVED assumed" in between("function f(a) { use(a * 2) }\n", "a", "a * 2", language="javascript")


def test_a_version_behind_a_check_that_no_rule_describes_is_assumed() -> None:
    code = "import web\nx = web.get()\nif web.valid(x):\n    web.run(x)\n"
    assert between(code, "x", "web.valid(x)") == {"SAME", "SAME assumed"}
    code = "import web\nx = web.get()\nif x == 'a':\n    web.run(x)\n"
    assert between(code, "web.get()", "x == 'a'") == {"SAME"}


def test_a_version_behind_a_predicate_of_the_program_comes_from_its_exit() -> None:
    code = "import web\ndef ok(v):\n    if v == 'a':\n        return True\n    return False\n"
    code += "def f():\n    x = web.get()\n    if ok(x):\n        web.run(x)\n"
    found = labelled(code, RULES + '[guard]\ndanger = ["eq"]\n')
    assert len(found.labels.checks.checked_by_call) == 2
    into = [row for row in rows(found) if row[1] == "ok(x)" and row[0] != "x"]
    assert {(kind, context) for _, _, kind, context, _ in into} >= {(Kind.SAME, Context.RETURN)}


POST = "def f(o):\n    {call}\n    use(o.k)\n"


@pytest.mark.parametrize(
    ("before", "call", "kinds"),
    [
        ("", "g(o)", {Kind.SAME}),
        ("def g(p): return p.k\n", "g(o)", {Kind.SAME}),
        ("def g(p): p.k = s()\n", "g(o)", set()),
        ("", "web.delete(o, 'k')", {Kind.KILL}),
        ("", "web.clear(o)", set()),
    ],
)
def test_an_argument_passes_a_call_unless_all_callees_are_known_and_change_it(
    before: str, call: str, kinds: set[Kind]
) -> None:
    rules = RULES + '[propagator]\nflow = ["web.delete: drop 0[$1]", "web.clear: drop 0[]"]\n'
    found = labelled(f"import web\n{before}{POST.replace('{call}', call)}", rules, everywhere=True)
    edges, facts = flow(found), found.facts
    posts = {facts.arg_post[row]: facts.arg_value[row] for row in facts.args.of(found.call(call))}
    columns = zip(*(np.concatenate(each).tolist() for each in (edges.origin, edges.target, edges.kind)), strict=True)
    assert {Kind(kind) for origin, target, kind in columns if posts.get(target) == origin} - {Kind.STORE} == kinds


def test_storing_an_unchanged_part_back_changes_nothing() -> None:
    code = "def g(p): return p.x\ndef f(o):\n    g(o.a)\n    use(o)\n"
    found = labelled(code, everywhere=True)
    stores = found.program.tables["stores"]["result"].tolist()
    edges = flow(found)
    targets, kinds = np.concatenate(edges.target), np.concatenate(edges.kind)
    into = {Kind(kind) for target, kind in zip(targets.tolist(), kinds.tolist(), strict=True) if target in stores}
    assert into <= {Kind.SAME}


def test_a_declared_number_of_go_gets_nothing() -> None:
    code = "package main\nfunc g(n int, s string) {}\nfunc f(a string, b int) { g(b, a) }\n"
    found = labelled(code, GO_RULES + '[type]\nclean = ["builtin.int"]\n', "go", everywhere=True)
    passed = {(origin, target) for origin, target, _, context, _ in rows(found) if context == Context.CALL}
    assert passed == {("a", "s")}


def test_only_values_of_the_chop_have_edges_of_their_flow() -> None:
    code = "import web\nx = web.get()\nweb.run(x)\ndef apart(y):\n    z = f'{y}'\n    return z\n"
    found = labelled(code)
    assert not any(target == "f'{y}'" for _, target, _, _, _ in rows(found))
    assert any(target == "f'{y}'" for _, target, _, _, _ in rows(labelled(code, everywhere=True)))
    assert found.program.tables["values"]["op"][found.value("f'{y}'")] != Op.CONST


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def g(p):\n    web.run(p)\ng(web.get())\n", True),
        ("def g(p):\n    web.run(p)\ng('a')\nweb.get()\n", False),
        ("def f():\n    box = {}\n    def g():\n        box['a'] = web.get()\n    g()\n    web.run(box['a'])\n", True),
        (
            "def f():\n    box = {}\n    def g():\n        web.log(box)\n    g()\n    web.run(box)\n    web.get()\n",
            False,
        ),
    ],
)
def test_arguments_and_captured_objects_lead_into_functions_and_back(code: str, expected: bool) -> None:
    """The last values of the program lie on no path: no column of numbers is taken for values."""
    assert reaches(labelled(f"import web\n{code}LAST = [1, 2]\n")) is expected


@pytest.mark.parametrize(
    ("code", "rules", "language", "is_asked"),
    [("def f(a):\n    b = a.k", RULES, "python", False), ("package main\nfunc f() {}\n", GO_RULES, "go", True)],
)
def test_unexported_fields_are_asked_for_where_letters_decide(
    code: str, rules: str, language: str, is_asked: bool
) -> None:
    assert (flow(labelled(code, rules, language)).unexported is not None) is is_asked
