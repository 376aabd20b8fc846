"""Linking: references move and mean the same afterwards; names of modules find the right files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.scanner.specification import FILE_NAMES, sections

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op
from pyrograph.ir.packed import key_value
from pyrograph.ir.schema import COLUMNS, DATA_REFERENCES, REFERENCES, ROWS
from pyrograph.ir.unit import Unit
from pyrograph.parsers import lower
from pyrograph.scanner.analysis.link import LinkedFile, Modules, Program, link

FLOWS = Path(__file__).resolve().parents[3] / "fixtures" / "flows"


def units() -> list[tuple[str, Unit]]:
    """Some lowered files of every language."""
    found = []
    for number, section in enumerate(sections(FLOWS)):
        if number % 9 == 0:
            for block in section.blocks:
                if block.language in FILE_NAMES:
                    path = f"{number}/{block.name or FILE_NAMES[block.language]}"
                    found.append((path, lower(block.code.encode(), block.language)))
    return found


def meaning(unit: Unit, table: str) -> list[tuple[int | str, ...]]:
    """The rows of a table, strings as text."""
    return [readable(row, table, unit.strings, {}) for row in unit.rows(ROWS[table])]


def linked_meaning(program: Program, table: str, first: dict[str, int], count: int) -> list[tuple[int | str, ...]]:
    """The rows that a file has in the program, with the numbers they had in its unit."""
    start = first[table]
    columns = [program.tables[table][column][start : start + count].tolist() for column in COLUMNS[table]]
    rows = zip(*columns, strict=True)
    return [readable(row, table, program.strings, first) for row in rows]


def readable(row: tuple[int, ...], table: str, strings: list[str], first: dict[str, int]) -> tuple[int | str, ...]:
    """A row with references counted from ``first`` and strings as text."""
    shown: list[int | str] = []
    for column, number in zip(COLUMNS[table], row, strict=True):
        reference = REFERENCES.get(table, {}).get(column)
        if (table, column) == ("values", "data"):
            reference = DATA_REFERENCES.get(Op(row[0]))
        if reference == "key":
            if number < UNKNOWN_KEY:
                shown.append(f"value {key_value(number) - first.get('values', 0)}")
            else:
                shown.append(strings[number] if number >= 0 else number)
        elif reference is None or number < 0:
            shown.append(number)
        elif reference == "strings":
            shown.append(strings[number])
        else:
            shown.append(number - first.get(reference, 0))
    return tuple(shown)


def test_every_row_means_after_linking_what_it_meant_before() -> None:
    files = units()
    program = link([path for path, _ in files], [unit for _, unit in files], {})
    first = dict.fromkeys(COLUMNS, 0)
    for _, unit in files:
        for table, columns in COLUMNS.items():
            count = len(unit.tables[table]) // len(columns)
            assert linked_meaning(program, table, first, count) == meaning(unit, table), table
        for table, columns in COLUMNS.items():
            first[table] += len(unit.tables[table]) // len(columns)


def test_files_own_the_values_between_their_bounds() -> None:
    files = units()
    program = link([path for path, _ in files], [unit for _, unit in files], {})
    for index, file in enumerate(program.files):
        assert (program.file_of_value[file.first : file.last] == index).all()
    assert len(program.file_of_value) == program.num_values


def test_a_text_has_one_number_in_the_whole_program() -> None:
    files = units()
    program = link([path for path, _ in files], [unit for _, unit in files], {})
    assert len(set(program.strings)) == len(program.strings)
    assert program.intern("a text nobody has") == len(program.strings) - 1


def test_linking_nothing_gives_an_empty_program() -> None:
    program = link([], [], {})
    assert program.num_values == 0
    assert all(len(column) == 0 for table in program.tables.values() for column in table.values())


def test_none_stays_none() -> None:
    program = link(["a.py", "b.py"], [lower(b"f()", "python"), lower(b"f()", "python")], {})
    assert program.tables["calls"]["receiver"].tolist() == [NONE, NONE]
    assert program.tables["calls"]["result"].dtype == np.int32


# -- names of modules ------------------------------------------------------------------------------------------------


def modules(paths: list[str], manifests: dict[str, bytes] | None = None) -> Modules:
    languages = {"py": "python", "go": "go"}
    files = [LinkedFile(path, languages.get(path.rpartition(".")[2], "javascript"), 0, 0, "") for path in paths]
    return Modules(files, manifests or {})


PYTHON = ["app.py", "shop/__init__.py", "shop/db.py", "shop/views/__init__.py", "shop/views/items.py",
          "src/lib/text.py", "one/app.py", "one/util.py", "two/app.py", "two/util.py",
          "loose/deep/part.py"]  # fmt: skip


@pytest.mark.parametrize(
    ("importer", "module", "level", "expected"),
    [
        ("app.py", "shop", 0, "shop"),
        ("app.py", "shop.db", 0, "shop/db"),
        ("app.py", "shop.views.items", 0, "shop/views/items"),
        ("shop/views/items.py", "shop.db", 0, "shop/db"),
        ("shop/views/items.py", "", 1, "shop/views"),
        ("shop/views/items.py", "db", 2, "shop/db"),
        ("shop/views/__init__.py", "items", 1, "shop/views/items"),
        ("shop/db.py", "nothing", 1, None),
        ("app.py", "lib.text", 0, "src/lib/text"),
        ("one/app.py", "util", 0, "one/util"),
        ("two/app.py", "util", 0, "two/util"),
        ("app.py", "loose.deep.part", 0, "loose/deep/part"),
        ("app.py", "flask", 0, None),
        ("app.py", "os.path", 0, None),
        ("shop/db.py", "db", 0, None),  # a package's modules are not top-level names inside it
    ],
)
def test_python_modules(importer: str, module: str, level: int, expected: str | None) -> None:
    assert modules(PYTHON).resolve(PYTHON.index(importer), module, level) == expected


JAVASCRIPT = ["app.js", "lib/index.js", "lib/shell.js", "lib/typed.ts", "lib/both.ts", "lib/both.js",
              "web/page.tsx", "web/src/deep/tool.ts", "packages/shop/src/main.js", "packages/shop/src/extra.js",
              "packages/plain/index.js", "data.mjs", "old.cjs"]  # fmt: skip
JAVASCRIPT_MANIFESTS = {
    "packages/shop/package.json": b'{"name": "@team/shop", "main": "src/main.js"}',
    "packages/plain/package.json": b'{"name": "plain"}',
    "web/tsconfig.json": b'{"compilerOptions": {"baseUrl": "src", "paths": {"@/*": ["deep/*"]}, /* comment */ }}',
    "package.json": b"not json",
}


@pytest.mark.parametrize(
    ("importer", "module", "expected"),
    [
        ("app.js", "./lib", "lib/index.js"),
        ("app.js", "./lib/shell", "lib/shell.js"),
        ("app.js", "./lib/shell.js", "lib/shell.js"),
        ("app.js", "./lib/typed.js", "lib/typed.ts"),
        ("app.js", "./lib/both.js", "lib/both.js"),
        ("lib/shell.js", "..", None),
        ("lib/shell.js", "../app", "app.js"),
        ("lib/shell.js", "./index", "lib/index.js"),
        ("lib/shell.js", ".", "lib/index.js"),
        ("app.js", "./data.mjs", "data.mjs"),
        ("app.js", "./old", "old.cjs"),
        ("web/page.tsx", "@/tool", "web/src/deep/tool.ts"),
        ("web/page.tsx", "deep/tool", "web/src/deep/tool.ts"),
        ("app.js", "@team/shop", "packages/shop/src/main.js"),
        ("app.js", "@team/shop/extra", "packages/shop/src/extra.js"),
        ("app.js", "plain", "packages/plain/index.js"),
        ("app.js", "express", None),
        ("app.js", "node:fs", None),
        ("app.js", "./missing", None),
    ],
)
def test_javascript_modules(importer: str, module: str, expected: str | None) -> None:
    found = modules(JAVASCRIPT, JAVASCRIPT_MANIFESTS).resolve(JAVASCRIPT.index(importer), module, 0)
    assert found == expected


@pytest.mark.parametrize(
    ("module", "expected"),
    [("@/lib/db", "web/lib/db.ts"), ("~/lib/db", "web/lib/db.ts"), ("lib/db", None), ("@/lib/none", None)],
)
def test_javascript_customs_without_a_manifest(module: str, expected: str | None) -> None:
    """A folder of a package is scanned alone: what begins with the usual sign is looked up from there upwards."""
    files = ["web/app/page.ts", "web/lib/db.ts"]
    assert modules(files, {}).resolve(0, module, 0) == expected
    assert modules(files, {"web/app/package.json": b'{"name": "page"}'}).resolve(0, module, 0) is None


NAMED = ["apps/api/src/main.ts", "libs/store/src/db.ts", "apps/api/src/util.ts", "kit/src/routes/+page.ts",
         "kit/src/lib/docs.ts", "old/app.js", "old/lib/run.js", "old/src/deep/one.js", "part/src/one.ts",
         "part/src/two/index.ts", "vue/src/api/files.ts", "vue/src/main.ts"]  # fmt: skip
NAMED_MANIFESTS = {
    "tsconfig.base.json": b'{"compilerOptions": {"baseUrl": ".", "paths": {"@shop/store/*": ["libs/store/src/*"]}}}',
    "apps/api/tsconfig.json": b'{"extends": "../../tsconfig.base"}',
    "apps/api/package.json": b'{"name": "api", "imports": {"#*": {"default": "./dist/*.js"}}}',
    "kit/package.json": b'{"name": "kit"}',
    "kit/tsconfig.json": b'{"extends": "./.generated/tsconfig.json"}',
    "old/package.json": b'{"dependencies": {"deep": "1"}, "_moduleAliases": {"@run": "lib"}}',
    "part/package.json": b"""{"name": "part",
        "exports": {".": {"import": "./dist/one.js"}, "./t/*": "./src/*/index.ts"}}""",
    "vue/tsconfig.json": b'{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
    "vue/tsconfig.app.json": b"""{"extends": "./tsconfig.app.json",
        "compilerOptions": {"paths": {"~api/*": ["./src/api/*"]}}}""",
}


@pytest.mark.parametrize(
    ("importer", "module", "expected"),
    [
        ("apps/api/src/main.ts", "@shop/store/db", "libs/store/src/db.ts"),  # inherited, relative to where it stands
        ("apps/api/src/main.ts", "#util", "apps/api/src/util.ts"),  # the source of what is compiled
        ("kit/src/routes/+page.ts", "$lib/docs", "kit/src/lib/docs.ts"),  # by custom
        ("kit/src/routes/+page.ts", "@/lib/docs", "kit/src/lib/docs.ts"),
        ("kit/src/routes/+page.ts", "~/app", None),
        ("old/app.js", "@run/run", "old/lib/run.js"),
        ("old/app.js", "lib/run", "old/lib/run.js"),  # in the folder of the package
        ("old/app.js", "deep/one", None),  # a library of this name is depended on
        ("kit/src/routes/+page.ts", "part", "part/src/one.ts"),
        ("kit/src/routes/+page.ts", "part/t/two", "part/src/two/index.ts"),
        ("vue/src/main.ts", "~api/files", "vue/src/api/files.ts"),  # of a configuration that the other refers to
        ("vue/src/main.ts", "https://example.org/lib/run.js", None),
    ],
)
def test_javascript_names_that_manifests_and_custom_explain(importer: str, module: str, expected: str | None) -> None:
    assert modules(NAMED, NAMED_MANIFESTS).resolve(NAMED.index(importer), module, 0) == expected


GO = ["main.go", "internal/db/db.go", "internal/db/rows.go", "tools/gen/main.go", "tools/gen/util/util.go"]
GO_MANIFESTS = {
    "go.mod": b"// the shop\nmodule example.org/shop // today\n\ngo 1.22\n",
    "tools/gen/go.mod": b'module "example.org/gen"\n',
}


@pytest.mark.parametrize(
    ("importer", "module", "expected"),
    [
        ("main.go", "example.org/shop/internal/db", "internal/db"),
        ("internal/db/db.go", "example.org/shop", ""),
        ("main.go", "example.org/gen/util", "tools/gen/util"),
        ("tools/gen/main.go", "example.org/gen/util", "tools/gen/util"),
        ("tools/gen/main.go", "example.org/shop/internal/db", "internal/db"),
        ("main.go", "example.org/shopping", None),
        ("main.go", "net/http", None),
        ("main.go", "example.org/shop/missing", None),
    ],
)
def test_go_packages(importer: str, module: str, expected: str | None) -> None:
    assert modules(GO, GO_MANIFESTS).resolve(GO.index(importer), module, 0) == expected


def test_a_go_package_is_all_files_of_its_directory() -> None:
    assert modules(GO, GO_MANIFESTS).members("internal/db", "go") == [1, 2]
