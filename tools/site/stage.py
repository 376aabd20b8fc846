"""Stage the site: a folder with the settings, and with all pages under the names that they have in the repository.

Relative links between pages therefore stay as they are. A link to something that is no page (source code, data) keeps
its text and loses its target, because the site has pages only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from posixpath import normpath

from tools.site.generated import Page, library_pages, vulnerability_pages

from pyrograph.rules import load_rules

SETTINGS = Path(__file__).resolve().parent / "mkdocs.yml"
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^)\s]+)\)")
FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)


def stage(repository: Path, folder: Path) -> Path:
    """Write all pages and the settings below ``folder``; returns the path of the settings.

    Args:
        repository: The root of a checkout.
        folder: An existing folder, or one to make.
    """
    rules = load_rules()
    written = pages(repository)
    vulnerabilities, libraries = vulnerability_pages(rules, repository / "fixtures" / "fixes"), library_pages(rules)
    figures = [page for page in written if page.path.startswith("bench/")]
    every = [*written, *vulnerabilities, *libraries]
    names = {page.path for page in every}
    for page in every:
        target = folder / "pages" / page.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(without_other_targets(page, names), encoding="utf-8")
    settings = SETTINGS.read_text(encoding="utf-8")
    for title, own in (("Vulnerabilities", vulnerabilities), ("Libraries", libraries), ("Figures", figures)):
        settings = settings.replace(f"  - {title}: []\n", "\n".join([f"  - {title}:", *entries(own), ""]))
    configuration = folder / "mkdocs.yml"
    configuration.write_text(f"{settings}docs_dir: pages\nsite_dir: site\n", encoding="utf-8")
    return configuration


def pages(repository: Path) -> list[Page]:
    """The Markdown files of the repository that are documentation."""
    found = [*repository.glob("*.md"), *repository.glob("docs/**/*.md"), *repository.glob("bench/**/*.md")]
    paths = sorted(found, key=lambda path: (path.parent != repository / "bench", path.name != "README.md", path))
    return [
        Page(path.relative_to(repository).as_posix(), heading(text), text)
        for path in paths
        for text in [path.read_text(encoding="utf-8")]
    ]


def heading(text: str) -> str:
    """The first heading of a page."""
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found[1].replace("`", "") if found else "?"


def entries(own: Sequence[Page]) -> Iterator[str]:
    """Lines of the navigation, grouped where pages have a group."""
    group = ""
    for page in own:
        indent = "      "
        if page.group != group:
            group = page.group
            yield f"{indent}- {group}:"
        if group:
            indent += "    "
        yield f"{indent}- {quoted(page.title)}: {page.path}"


def quoted(text: str) -> str:
    """A text as YAML takes it, whatever it contains."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def without_other_targets(page: Page, names: set[str]) -> str:
    """The page's text, in which links to what is no page are plain text; code blocks are left alone."""
    here = PurePosixPath(page.path).parent

    def checked(found: re.Match[str]) -> str:
        target = found[2]
        if re.match(r"[a-z]+:|#", target):
            return found[0]
        path = normpath(str(here / target.partition("#")[0]))
        return found[0] if path in names else found[1]

    parts, end = [], 0
    for block in FENCED.finditer(page.text):
        parts += [LINK.sub(checked, page.text[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*parts, LINK.sub(checked, page.text[end:])])
