"""Build the documentation site into a folder.

    python -m pip install '.[docs]'
    python -m tools.site FOLDER

The site is built with Zensical, the successor of Material for MkDocs, which reads the same settings. It loads nothing
from elsewhere: no fonts, no scripts, no counters. Its pages are the Markdown files of the repository, in their folders,
and the pages that ``generated`` makes from the rules. A link or an anchor that leads nowhere ends the build with exit
code 1.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from tools.site.stage import stage

ROOT = Path(__file__).resolve().parent.parent.parent


def main() -> int:
    """Stage and build; returns the exit code of Zensical."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the site is written; files of an earlier build are replaced")
    parser.add_argument("--keep", type=Path, metavar="STAGE", help="write the staged Markdown here and keep it")
    given = parser.parse_args()
    if find_spec("zensical") is None:
        sys.exit("Zensical is not installed: python -m pip install '.[docs]'")
    with tempfile.TemporaryDirectory(prefix="pyrograph-site-") as temporary:
        staged = given.keep or Path(temporary)
        configuration = stage(ROOT, staged)
        build = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
        code = subprocess.run([*build, "--config-file", str(configuration)], check=False).returncode
        if code == 0:
            shutil.copytree(staged / "site", given.folder, dirs_exist_ok=True)
        return code


if __name__ == "__main__":
    sys.exit(main())
