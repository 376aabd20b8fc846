"""Names of modules and packages: what files export, import and assign under them."""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.same_values import SameValues


class Place:
    """One place where a name of a module is looked up."""

    def __init__(self, kind: int, module: str, file: int) -> None:
        self.kind = kind  # EXPORTS, LIBRARY or SUBMODULE of ``modules``
        self.module = module
        self.file = file  # EXPORTS: the file; LIBRARY: the API's node; else NONE


class Folders:
    """What folders and their files hold, for imports of which the name is computed. Each is filled when first asked."""

    def __init__(self) -> None:
        self.contents: dict[str, dict[str, None]] | None = None  # see ``computed_imports.contents``
        # the others: see ``plugins``. Name -> file -> what it exports under it, and whether that is a member
        self.exporting: dict[int, dict[int, list[tuple[int, bool]]]] | None = None
        self.siblings: dict[tuple[str, str], int] | None = None  # (folder, language) -> number of files
        self.named: set[int] | None = None  # files that others import by their names


class Names:
    """Exports by file and name, and caches of look-ups. ``imports.seed`` fills the exports, then they never change.

    A package-level name of a language whose directories are modules is a pair (directory, name).
    """

    def __init__(self, program: Program) -> None:
        self.star = program.intern("*")
        self.import_module = program.numbers("imports", "module")
        self.import_name = program.numbers("imports", "name")
        self.import_level = program.numbers("imports", "level")
        self.imports: list[int] = []  # values of all imports
        self.imports_of: dict[int, list[int]] = {}  # the same by file
        self.exports: dict[tuple[int, int], list[int]] = {}  # (file, name) -> what the file exports under it
        self.declaring: dict[tuple[str, int], list[int]] = {}  # package-level name -> files that declare it
        self.readers: dict[tuple[str, int], list[int]] = {}  # package-level name -> values that read it
        self.assigned: dict[tuple[str, int], list[int]] = {}  # package-level name -> what other packages assign
        self.done_assignments: set[tuple[str, int, int]] = set()  # (directory, name, value)
        # package-level names whose readers get what other packages assign from the first reader
        self.joined: set[tuple[str, int]] = set()
        # caches
        self.shared: dict[int, list[int]] | None = None  # name -> files that declare it: see ``imports.shared_name``
        self.declared: dict[tuple[int, int], tuple[int, bool]] = {}  # (file, name): see ``imports.declares``
        self.packages: dict[tuple[str, int, str, bool], list[int]] = {}  # see ``packages.package_members``
        self.only_values: dict[tuple[int, int], int] = {}  # (file, name): see ``constants.definition``
        self.in_classes: dict[tuple[int, int], list[int]] | None = None  # see ``constants.in_classes``
        self.texts: dict[int, str] | None = None  # see ``computed_imports.put_together``
        self.same: SameValues | None = None  # see ``computed_imports.same_values``
        self.folders = Folders()
        self.clauses: dict[int, dict[str, str]] = {}  # file -> name in a package's clause -> imported module
        self.libraries: dict[tuple[str, str], Sequence[int]] = {}  # (language, module) -> API nodes
        self.vendored: dict[tuple[str, str], bool] = {}  # (language, module): see ``vendored.is_copy``
        self.places: dict[tuple[str, str], list[Place]] = {}  # (language, module): see ``modules.places_of``
        self.members: dict[int, dict[int, list[int]]] = {}  # of modules, by state: see ``modules.members_of``
        self.roots_of_file: dict[int, set[str]] = {}  # file -> libraries that it imports
        self.files_imported: dict[int, set[int]] | None = None  # file -> files; None: not computed yet
        self.programs: dict[int, int] | None = None  # see ``programs.are_linked``
        self.import_closures: dict[int, set[int]] = {}  # file -> files that it imports, directly or not
        self.used_like: dict[
            str, bool
        ] = {}  # pattern -> whether a file imports a module that matches, by ``conventions``

    def exports_of(self, file: int, name: int) -> list[int]:
        """The values that ``file`` exports under ``name``."""
        return self.exports.get((file, name), [])
