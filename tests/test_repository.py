"""Conventions of the repository, checked as any other promise."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import click

import pyrograph
from pyrograph.cli import cli
from pyrograph.cli.scan import scan


def test_the_version_stands_in_two_places_and_is_one(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == pyrograph.__version__
    assert f"## {pyrograph.__version__}" in (repository / "CHANGELOG.md").read_text(encoding="utf-8")


TOP_LEVEL = frozenset(
    {
        *(".gitignore", ".pre-commit-config.yaml", ".pre-commit-hooks.yaml", "hatch_build.py", "pyproject.toml"),
        *("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"),
        *(".dockerignore", "Dockerfile", "action.yml"),
    }
)


def test_no_other_file_stands_at_the_top(repository: Path) -> None:
    """Output that was written to a file by mistake is committed as easily as code."""
    listed = subprocess.run(["git", "ls-files"], cwd=repository, capture_output=True, text=True, check=False)
    tracked = {name for name in listed.stdout.splitlines() if "/" not in name}
    assert tracked <= TOP_LEVEL
    assert all((repository / name).is_file() for name in TOP_LEVEL)


def test_the_folders_of_the_map_exist_and_no_others(repository: Path) -> None:
    readme = (repository / "README.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^  (\w+)/ ", readme, re.MULTILINE))
    package = repository / "src" / "pyrograph"
    there = {path.parent.name for path in package.glob("*/*.py")}
    assert there == told


def test_every_module_opens_with_its_promise(repository: Path) -> None:
    for path in sorted((repository / "src").rglob("*.py")):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_each_module_of_the_analysis_has_a_test_file_of_its_name(repository: Path) -> None:
    """So that a failure says where."""
    analysis = Path("scanner", "analysis")
    for stage in ("resolve", "label", "assemble"):
        modules = {path.stem for path in (repository / "src" / "pyrograph" / analysis / stage).glob("[a-z]*.py")}
        tested = {
            path.stem.removeprefix("test_") for path in (repository / "tests" / analysis / stage).glob("test_*.py")
        }
        assert modules - tested == set(), stage
        assert len(modules) > 5


def test_every_documented_file_is_there(repository: Path) -> None:
    """Relative links in Markdown lead to a file."""
    for page in [*repository.glob("*.md"), *repository.glob("docs/**/*.md"), *repository.glob("bench/*.md")]:
        text = re.sub(r"^```.*?^```|`[^`\n]+`", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)  # code
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_documented_commands_and_options_exist(repository: Path) -> None:
    """Each ``pyrograph COMMAND`` of the documentation names a command, and options that it has."""
    found = 0
    for page in [*repository.glob("*.md"), *repository.glob("docs/**/*.md")]:
        text = page.read_text(encoding="utf-8")
        blocks = "".join(re.findall(r"^```(?:sh|console|yaml)\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
        lines = re.findall(r"(?:^|\$ |- |: |&& |\()(pyrograph [^#|&)\n]*)", blocks, re.MULTILINE)
        lines += re.findall(r"`(pyrograph [^`]*)`", text)
        for line in lines:
            command: click.Command = cli
            words = re.sub(r"'[^']*'", "TEXT", line).split()[1:]
            context = click.Context(cli)
            while isinstance(command, click.Group) and words and (named := command.get_command(context, words[0])):
                command = named
                words.pop(0)
            also = scan.params if command.name == "reduce" else []
            known = {name for one in (*command.params, *also) for name in (*one.opts, *one.secondary_opts)}
            options = [word.partition("=")[0] for word in words if word.startswith("--") and word != "--"]
            assert set(options) <= known | {"--help", "--version"}, f"{page.name}: {line}"
            unnamed = isinstance(command, click.Group) and words[:1] not in ([], ["COMMAND"], options[:1])
            assert not unnamed, f"{page.name}: {line}"
            found += command is not cli
    assert found > 50


def test_the_architecture_names_what_exists(repository: Path) -> None:
    """Files, classes and constants that ARCHITECTURE.md and docs/internals name in backquotes are in the repository."""
    tracked = [path for top in ("src", "tests", "tools", "docs", "bench") for path in (repository / top).rglob("*")]
    paths = [f"/{path.relative_to(repository).as_posix()}{'/' * path.is_dir()}" for path in tracked]
    paths += [f"/{path.name}" for path in repository.iterdir()]
    code = [
        path.read_text(encoding="utf-8") for path in [*(repository / "src").rglob("*.py"), *repository.glob("*.py")]
    ]
    words = set(re.findall(r"\w+", "\n".join(code)))
    for page in [repository / "ARCHITECTURE.md", *repository.glob("docs/internals/*.md")]:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        named = re.findall(r"`([^`\n]+)`", text)
        files = [name for name in named if re.fullmatch(r"[a-z_][\w/]*(?:\.py|/)", name)]
        missing = [name for name in files if not any(path.endswith(f"/{name}") for path in paths)]
        ours = [word for name in named for word in re.findall(r"\b(?:[A-Z]+_[A-Z_]+|[A-Z][a-z]+[A-Z]\w+)\b", name)]
        missing += [name for name in ours if name not in words]
        assert missing == [], page.name


def test_the_architecture_fits_into_200_lines(repository: Path) -> None:
    assert len((repository / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_importing_the_package_is_cheap() -> None:
    """Neither NumPy nor Numba, Rich or a parser is loaded before something needs it."""
    script = (
        "import sys, pyrograph, pyrograph.cli; "
        "print(sorted({'numpy', 'numba', 'rich', 'tree_sitter', 'tomllib', 'msgspec'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_a_scan_without_hits_imports_nothing_of_explanation(tmp_path: Path) -> None:
    """Nor NumPy's masked arrays, which ``numpy.unique`` and ``numpy.isin`` import."""
    (tmp_path / "a.py").write_text("import os\nfrom flask import request\nos.system('ls')\nprint(request.args['a'])\n")
    script = (
        "import sys\n"
        "from pyrograph.cli import run\n"
        "from pyrograph.cli.supervise import Attempt\n"
        "run(['scan', sys.argv[1], '--isolated', '--quiet', '--jobs', '1', '--no-cache'], Attempt(is_watched=True))\n"
        "print(sorted({'numpy', 'numpy.ma', 'pyrograph.scanner.explain.findings'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines()[-1] == "['numpy']"


def test_the_check_is_one_command(repository: Path) -> None:
    """README, CI and ``.ci/run`` name the same script."""
    for name in ("README.md", "CONTRIBUTING.md", ".ci/run", ".github/workflows/check.yml"):
        assert "tools/check.py" in (repository / name).read_text(encoding="utf-8"), name
    assert os.name == "nt" or (repository / ".ci" / "run").stat().st_mode & 0o100


def test_what_builds_releases_is_pinned_by_hash(repository: Path) -> None:
    """A tag of an action can be moved; a release must not run what somebody moved it to."""
    used = re.findall(r"uses: (\S+)", (repository / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    assert len(used) > 5
    assert [each for each in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", each)] == []


def test_wheels_are_compiled_for_each_python_that_is_promised(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))
    promised = {
        f"cp{word.removeprefix('Programming Language :: Python :: ').replace('.', '')}-*"
        for word in project["project"]["classifiers"]
        if re.search(r":: 3\.\d+$", word)
    }
    assert set(project["tool"]["cibuildwheel"]["build"]) == promised
    assert project["tool"]["cibuildwheel"]["environment"] == {"PYROGRAPH_COMPILE": "1"}


def compiled(repository: Path) -> list[Path]:
    """The modules of which releases hold compiled code."""
    said = re.search(r"^COMPILED = \((.*?)\)", (repository / "hatch_build.py").read_text(encoding="utf-8"), re.M | re.S)
    assert said is not None
    named = [repository / "src" / "pyrograph" / each for each in re.findall(r'"([\w/.]+)"', said[1])]
    files = [file for each in named for file in (each.glob("*.py") if each.is_dir() else [each])]
    assert len(files) > 20
    assert all(file.is_file() for file in files)
    return files


def test_what_is_compiled_caches_no_properties(repository: Path) -> None:
    """To mypyc a cached property is a plain one, worked out at every reading."""
    files = compiled(repository)
    assert [file.name for file in files if "cached_property" in file.read_text(encoding="utf-8")] == []


def test_what_is_compiled_looks_for_nothing_in_a_tuple_with_a_star(repository: Path) -> None:
    """``x in (a, *more)`` ends mypyc with an internal error, which otherwise shows when a wheel is built."""
    assert [
        (file.name, node.lineno)
        for file in compiled(repository)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare) and isinstance(node.ops[-1], ast.In | ast.NotIn)
        for sought in [node.comparators[-1]]
        if isinstance(sought, ast.Tuple) and any(isinstance(each, ast.Starred) for each in sought.elts)
    ] == []


# What reads or changes the environment besides ``cli``, and why it must.
READS_ENVIRONMENT = {
    "userfolder.py": "the cache folder, which rules and kernels need wherever they are used as libraries",
    "kernels/__init__.py": "whether Numba simulates a device",
    "kernels/cachefolder.py": "Numba takes its cache folder from there alone",
    "kernels/cuda/device.py": "whether the user has set one of Numba's warnings",
    "scanner/triage/repository.py": "git runs without variables that point it to another repository",
    "scanner/reduce/child.py": "the reduced command runs in the user's environment",
}


def test_the_command_line_alone_reads_the_environment(repository: Path) -> None:
    package = repository / "src" / "pyrograph"
    reading = set()
    for path in package.rglob("*.py"):
        name = path.relative_to(package).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = node.attr if isinstance(node, ast.Attribute) else node.name if isinstance(node, ast.alias) else ""
            if named in ("environ", "environb", "getenv", "putenv") and not name.startswith("cli/"):
                reading.add(name)
    assert reading == READS_ENVIRONMENT.keys()
