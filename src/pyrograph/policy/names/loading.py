"""Names of functions and libraries that load modules which no code imports by name."""

from __future__ import annotations

import re
from typing import Final

from pyrograph.policy.late import late

LISTING: Final = late(
    r"(?i)readdir|opendir|scandir|listdir|iterdir|glob|auto-?_?load|auto-?_?discover|^walk|walk_packages|iter_modules"
    r"|find_modules|consign|require-?all|^__import__$"
)
"""The name of a function, or of a library, that lists files or loads modules by their folder.

Means: modules below the folder of code that reads such a name, or in a folder whose name stands in its texts, count as
loaded.
Errs: code that loads modules by a function of another name has its findings at low confidence; code that lists other
files leaves those of a module that nothing loads as they are.
Measured: nothing.
"""
BY_TEXT: Final = frozenset({"import_module", "import_string", "spec_from_file_location", "run_path", "load_source"})
"""Functions that import a module whose name is a text.

Means: a program that reads such a name may load all of its folders.
Errs: as for ``LISTING``.
Measured: nothing.
"""
LISTS_CLASSES: Final = re.compile(rb"\b(?:getmembers|globals|vars)\s*\(|\bgetattr\(\s*[\w.]{1,80}\s*,\s*(?![\"'\s])")
"""Code that reads members of a module whose names it does not write.

Means: a file that has it may make objects of classes that it declares, or whose module it imports, although nothing
names them.
Errs: code that lists members in another way has findings in methods of such classes at low confidence, where a call on
an unknown object may run the method of another class as well, and that one is made.
Measured: four judged findings of round 40 (``omnidb``) lie in methods of classes that are never made, and none is true.
"""
LISTS_SUBCLASSES: Final = frozenset({"__subclasses__", "__init_subclass__"})
"""Names by which code lists, or is told of, the classes below another one.

Means: as ``LISTS_CLASSES``, for the classes of all files.
Errs: as ``LISTS_CLASSES``.
Measured: as ``LISTS_CLASSES``.
"""
STARTED: Final = frozenset(
    {"app", "application", "main", "cli", "create_app", "make_app", "get_app", "wsgi", "asgi", "handler", "server"}
)
"""Names of a module that servers and commands start a program by: ``gunicorn package.web:app``.

Means: a folder in which a module declares such a name may be loaded by its path.
Errs: a program that is started by another name, from a folder without ``__init__.py``, has its findings at low
confidence.
Measured: nothing.
"""
