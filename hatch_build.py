"""Reads the rules ahead, and compiles what every scan spends its time in, where that is asked for.

A wheel holds the built-in rules as the cache of rules keeps them (``rules/cache.py``): a first scan need not parse
TOML, which takes a second. A checkout has none of these files.

The shared builder, resolution and labelling are plain typed Python and stay so. mypyc turns the same sources into
extension modules (``bench/README.md`` says what that brings); the sources are installed beside them and are what Python
runs where nothing was compiled. ``PYROGRAPH_COMPILE`` decides:

* unset or ``0``: build the plain wheel, in seconds; a line says how to compile;
* ``1``: compile, which takes minutes of CPU, and fail where that is impossible. Released wheels are built so.

``PYROGRAPH_OPTIMIZE`` is the optimisation level of the C compiler, 0 to 3, by default 2. With 0, the check tests the
same C code and does not wait for the optimiser. The C code is in a file for each module, and the C compiler runs on all
cores. In one file it had 223 MB, most of it blanks that mypyc indents by, and level 2 had not ended after ten minutes
of CPU time; in files it has 55 MB.

An editable installation is never compiled: what is edited is what runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Packages and modules; nothing in them recurses on the input.
COMPILED = (
    "ir/packed.py",
    "parsers/builder",
    "scanner/analysis/resolve",
    "scanner/analysis/label",
    "scanner/analysis/api_index.py",
    "scanner/analysis/api_roles.py",
    "scanner/analysis/apis.py",
    "scanner/analysis/arguments.py",
    "scanner/analysis/assemble/worklist.py",
    "scanner/analysis/numbers.py",
)
GROUP = "pyrograph"  # mypyc puts what the modules share into one library, pyrograph__mypyc, beside the package
CHOICE = "PYROGRAPH_COMPILE"
LEVEL = "PYROGRAPH_OPTIMIZE"
READ_AHEAD = """\
import pathlib, sys
from pyrograph.rules import load_rules
load_rules(cache_folder=pathlib.Path(sys.argv[1]))
"""
REQUIRED = ["mypy>=2.4,<3", "setuptools>=77", "numpy>=1.26,<3"]  # NumPy for its types


class CompileHook(BuildHookInterface):  # type: ignore[type-arg]
    """The build hook: see the module."""

    def wanted(self) -> bool:
        return self.target_name == "wheel" and os.environ.get(CHOICE, "") == "1"

    def dependencies(self) -> list[str]:
        """What the build environment needs besides hatchling."""
        return REQUIRED if self.wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Read the rules and compile in a temporary folder, and add what comes of it to the wheel."""
        if version == "editable" or self.target_name != "wheel":
            return
        choice = os.environ.get(CHOICE, "")
        if choice not in ("", "0", "1"):
            raise ValueError(f"{CHOICE}={choice}: write 1 to compile, or 0 or nothing for plain Python")
        self.folder = Path(tempfile.mkdtemp(prefix="pyrograph-build-"))
        for file in self.read_rules(Path(self.root) / "src", self.folder):
            build_data["force_include"][str(file)] = f"pyrograph/rules/ahead/{file.name}"
        if not self.wanted():
            self.app.display_info(f"pyrograph: plain Python; {CHOICE}=1 compiles parts of it, which takes minutes")
            return
        self.app.display_info("pyrograph: compiling; this takes minutes of CPU time")
        libraries = self.compile(Path(self.root) / "src", self.folder)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        for library in libraries:
            build_data["force_include"][str(library)] = library.relative_to(self.folder / "lib").as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if folder := getattr(self, "folder", None):
            shutil.rmtree(folder, ignore_errors=True)

    @staticmethod
    def read_rules(sources: Path, folder: Path) -> list[Path]:
        """The rules as their cache keeps them, without what is off: below ``folder``. Needs Python alone; a second."""
        variables = os.environ | {"PYTHONPATH": str(sources), "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run([sys.executable, "-c", READ_AHEAD, str(folder)], env=variables, check=True)
        return sorted(path for path in (folder / "rules").glob("*.json") if not path.name.startswith("off-"))

    @staticmethod
    def compile(sources: Path, folder: Path) -> list[Path]:
        """The libraries, below ``folder/lib`` where they belong in site-packages; takes minutes of CPU at level 2."""
        from mypyc.build import mypycify
        from setuptools import Distribution

        level = os.environ.get(LEVEL, "2")
        if level not in ("0", "1", "2", "3"):
            raise ValueError(f"{LEVEL}={level}: write a level of the C compiler, 0 to 3")
        named = [sources / "pyrograph" / each for each in COMPILED]
        modules = sorted(str(path) for each in named for path in (each.glob("*.py") if each.is_dir() else [each]))
        before = Path.cwd(), sys.stdout
        os.chdir(sources)
        sys.stdout = sys.stderr  # front ends of pip read standard output
        try:
            extensions = mypycify(
                ["--config-file", os.devnull, "--ignore-missing-imports", *(os.path.relpath(each) for each in modules)],
                opt_level=level,
                debug_level="0",
                multi_file=True,
                group_name=GROUP,
                target_dir=str(folder / "c"),
            )
            command = Distribution({"name": GROUP, "ext_modules": extensions}).get_command_obj("build_ext")
            command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "temp")
            command.ensure_finalized()
            if os.name == "posix":
                files_at_once(command)
            command.run()
        finally:
            os.chdir(before[0])
            sys.stdout = before[1]
        return sorted(path for path in (folder / "lib").rglob("*") if path.suffix in (".so", ".pyd"))


def files_at_once(command: Any) -> None:
    """Let ``build_ext`` run the C compiler on all cores: by itself it does so for extensions, not for their files."""
    plain = command.build_extensions

    def build_extensions() -> None:
        compiler = command.compiler

        def compile_all(
            sources: list[str],
            output_dir: str | None = None,
            macros: Any = None,
            include_dirs: Any = None,
            debug: bool = False,
            extra_preargs: Any = None,
            extra_postargs: Any = None,
            depends: Any = None,
        ) -> list[str]:
            _, objects, after, options, build = compiler._setup_compile(
                output_dir, macros, include_dirs, sources, depends, extra_postargs
            )
            before = compiler._get_cc_args(options, debug, extra_preargs)

            def compile_one(each: str) -> None:
                compiler._compile(each, *build[each], before, after, options)

            with ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(compile_one, build))  # raises what one of them raised
            return list(objects)

        compiler.compile = compile_all
        plain()

    command.build_extensions = build_extensions
