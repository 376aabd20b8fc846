"""What is kept in a table flows to what is recalled from it, through one cell; ``fixtures/flows/*/records.md``."""

from __future__ import annotations

import itertools

import pytest
from tests.scanner.analysis.resolve.programs import modelled

from pyrograph.ir.codes import Op
from pyrograph.policy.limits.resolution import MAX_EXCLUDED_NAMES, MAX_RECORD_TYPES
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF

MODELS = [
    "lib.Model.objects.create: keep rows[root this](*); recall rows[root this] -> ret",
    "lib.Model.objects.get: recall rows[root this] -> ret",
    "lib.Model.objects.all: recall rows[root this] -> ret[]",
    "lib.save: keep rows[type 0](0)",
    "lib.save_all: keep rows[type 0[]](0[])",
    "lib.load: recall rows[type 0] -> ret",
    "lib.Form#save: keep rows[type this[Meta][model]](this) fields this[Meta][fields] except this[Meta][exclude]",
    "lib.Foreign: recall rows[type 0] -> ret",
    "lib.Repository#save: keep rows[made 0](0)",
    "lib.Repository#load: recall rows[made 0] -> ret",
    "lib.client.rows.add: keep named[name this](0)",
    "lib.client.rows.one: recall named[name this] -> ret",
    "lib.table: recall names[0] -> ret[<rows>]",
    "lib.insert: keep names[type 0[<rows>]](1)",
    "lib.find: recall names[type 0[<rows>]] -> ret",
]
TYPES = [
    ("records", "lib.Record"),
    ("clean", "lib.Number"),
    ("returns", "lib.repository() : lib.Repository"),
]
FORM = """
class C(lib.Model):
    url = lib.Text()
    name = lib.Text()
    size = lib.Number()
    other = lib.Foreign(A)
class F(lib.Form):
    name = lib.Text()
    class Meta:
        model = C
        {}
    def clean_name(self): pass
"""
CODE = """
import lib
class A(lib.Model): pass
class B(lib.Model): pass
class R(lib.Record):
    other = A()
def keep(x, y):
    {}
def recall(k):
    {}
"""


def moved(program: Program, resolution: Resolution, code: str) -> set[tuple[str, str]]:
    """(text of what is kept and its path, text of what is recalled and its path), for each pair with a cell between."""
    values, strings = program.tables["values"], program.strings
    text = code.encode()

    def shown(value: int, *paths: tuple[int, ...]) -> str:
        keys = ["[]" if key < 0 else f".{strings[key]}" for path in paths for key in path]
        return text[int(values["start"][value]) : int(values["end"][value])].decode() + "".join(keys)

    into: dict[int, list[str]] = {}
    outof: dict[int, list[str]] = {}
    for origin, target, take, put, *_ in resolution.flows.moves:
        if target in resolution.stored.tables:
            into.setdefault(target, []).append(f"{shown(origin, take)} as{shown(0, put)[len(shown(0)) :]}")
        else:
            outof.setdefault(origin, []).append(shown(target, put))
    assert {int(values["op"][cell]) for cell in {*into, *outof}} <= {Op.CELL}
    return {(kept, recalled) for cell in into for kept in into[cell] for recalled in outof.get(cell, ())}


@pytest.mark.parametrize(
    ("kept", "recalled", "expected"),
    [
        ("lib.save(A())", "lib.load(A)", {("A() as", "lib.load(A)")}),
        ("lib.save(A())", "lib.load(B)", set()),
        ("lib.save(A())", "pass", set()),
        ("pass", "lib.load(A)", set()),
        ("lib.save_all([A()])", "lib.load(A)", {("[A()][] as", "lib.load(A)")}),
        ("lib.save_all(R())", "lib.load(A)", set()),  # a record is no collection of what its fields hold
        ("A.objects.create(url=x)", "A.objects.get(k)", {("x as.url", "A.objects.get(k)")}),
        ("A.objects.create(url=x)", "B.objects.get(k)", set()),
        ("A.objects.create(**x)", "A.objects.all()", {("x as", "A.objects.all()[]")}),
        ("R().url = x", "lib.load(R)", {("x as.url", "lib.load(R)")}),
        ("A().url = x", "lib.load(A)", set()),  # no library writes it back
        ("lib.insert(lib.table('a'), x)", "lib.find(lib.table('a'))", {("x as", "lib.find(lib.table('a'))")}),
        ("lib.insert(lib.table('a'), x)", "lib.find(lib.table('b'))", set()),
        ("lib.insert(lib.table(y), x)", "lib.find(lib.table(k))", set()),  # names that are not known
        ("lib.repository(A).save(x)", "lib.repository(A).load()", {("x as", "lib.repository(A).load()")}),
        ("lib.repository(A).save(x)", "lib.repository(B).load()", set()),
        ("lib.repository(lib.X).save(x)", "lib.repository(lib.X).load()", {("x as", "lib.repository(lib.X).load()")}),
        ("lib.repository(lib.X).save(x)", "lib.repository(lib.Y).load()", set()),
        ("lib.repository(y).save(x)", "lib.repository(k).load()", set()),
        ("lib.client.rows.add(x)", "lib.client.rows.one()", {("x as", "lib.client.rows.one()")}),
    ],
)
def test_which_values_move(kept: str, recalled: str, expected: set[tuple[str, str]]) -> None:
    code = CODE.format(kept, recalled)
    program, resolution = modelled(code, "python", MODELS, TYPES)
    found = {each for each in moved(program, resolution, code) if "create" not in each[1]}
    assert found == expected


def test_a_record_is_an_instance_of_its_class() -> None:
    code = CODE.format("pass", "lib.load(A)")
    program, resolution = modelled(code, "python", MODELS, TYPES)
    start = program.tables["values"]["start"]
    calls = [each for each in program.tables["calls"]["result"].tolist() if start[each] == code.index("lib.load")]
    states = [state for call in calls for state in resolution.states_of(call) if state & 7 == INSTANCE_OF]
    names = program.tables["owners"]["name"]
    assert [program.strings[names[state >> 3]] for state in states] == ["A"]


@pytest.mark.parametrize(
    ("meta", "kept"),
    [
        ("fields = ['url', 'name']", {"url": 0, "name": 1}),
        ("fields = '__all__'", {"url": 0, "name": 1}),
        ("fields = ['url', 'name', 'size', 'other']", {"url": 0, "name": 1}),
        ("exclude = ['name']", {"url": 0}),
        ("fields = ('url',)", {"url": 0}),
    ],
)
def test_a_form_keeps_the_fields_that_it_lists_or_all_that_may_hold_text(meta: str, kept: dict[str, int]) -> None:
    """1: a method of the form checks the field."""
    code = CODE.format("F(x).save()", "lib.load(C)") + FORM.format(meta)
    program, resolution = modelled(code, "python", MODELS, TYPES)
    into = [move for move in resolution.flows.moves if move[1] in resolution.stored.tables]
    assert {program.strings[put[0]]: tested for _, _, _, put, tested, _ in into} == kept
    assert all(take == put for _, _, take, put, *_ in into)


def test_a_table_that_is_spread_lacks_what_the_call_names() -> None:
    named = ", ".join(f"k{number}=y" for number in range(MAX_EXCLUDED_NAMES + 1))
    code = CODE.format(f"A.objects.create({named}, **x)", "A.objects.get(k)")
    program, resolution = modelled(code, "python", MODELS, TYPES)
    lacking = [program.strings[key] for _, _, key in resolution.flows.kills]
    assert lacking == [f"k{number}" for number in range(MAX_EXCLUDED_NAMES)]
    chain = [(origin, target) for origin, target, _ in resolution.flows.kills]
    assert all(before[1] == after[0] for before, after in itertools.pairwise(chain))
    assert chain[-1][1] in {origin for origin, *_ in resolution.flows.moves}


@pytest.mark.parametrize(("models", "joined"), [(MAX_RECORD_TYPES, True), (MAX_RECORD_TYPES + 1, False)])
def test_a_call_about_many_tables_joins_none(models: int, joined: bool) -> None:
    classes = "".join(f"class M{number}(lib.Model): pass\n" for number in range(models))
    names = ", ".join(f"M{number}" for number in range(models))
    loads = f"for model in ({names}):\n        lib.load(model)"  # one call; a helper would be copied for each class
    code = CODE.format("lib.save(M0())", loads) + classes
    program, resolution = modelled(code, "python", MODELS, TYPES)
    assert bool(moved(program, resolution, code)) is joined


def test_the_cell_of_a_table_stands_at_the_class_and_has_its_name() -> None:
    code = CODE.format("lib.save(A())", "lib.load(A)")
    program, resolution = modelled(code, "python", MODELS, TYPES)
    ((cell, name),) = resolution.stored.tables.items()
    start = int(program.tables["values"]["start"][cell])
    assert (name, code.encode()[start : start + 7]) == ("A", b"class A")
    assert program.file_of_value[cell] == 0


@pytest.mark.parametrize(
    ("column", "field", "said"),
    [
        ("lib.Slug()", "", ["lib.Slug()"]),
        ("lib.Text(choices=KINDS)", "", ["lib.Text(choices=KINDS)"]),
        ("lib.Text()", "", []),
        ("lib.Text(checks=[lib.Slug()])", "", ["lib.Text(checks=[lib.Slug()])"]),
        ("lib.Text()", "url = lib.Slug()", ["lib.Slug()"]),
        ("lib.Slug()", "url = lib.Text()", []),  # the form's own field stands for the column
    ],
)
def test_a_field_of_a_form_has_a_cell_if_its_declaration_says_what_it_admits(
    column: str, field: str, said: list[str]
) -> None:
    form = FORM.replace("url = lib.Text()", f"url = {column}").replace(
        "name = lib.Text()\n    class", f"{field}\n    class"
    )
    code = CODE.format("F(x).save()", "lib.load(C)") + form.format("fields = ['url']")
    types = [*TYPES, ("admits", "lib.Slug"), ("choices", "lib.Text(choices=)")]
    program, resolution = modelled(code, "python", MODELS, types)
    values, text = program.tables["values"], code.encode()
    shown = [
        text[int(values["start"][v]) : int(values["end"][v])].decode()
        for _, of in resolution.stored.declared_cells
        for v in of
    ]
    assert shown == said
