"""A part of the page's path that the name of its file states is doubted where Next's router goes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

MENU = """
import { useRouter } from "next/router";

export function Menu() {
  const { push, query } = useRouter();
  return <button onClick={() => push(`/${query.shop}/orders`)}>Orders</button>;
}
"""
PAGE = """
import { Menu } from "@/components/Menu";

export default function Page() {
  return <Menu />;
}
"""
BARREL = 'export { Menu } from "./Menu";\n'


def confidences(files: Mapping[str, str], folder: Path) -> list[str]:
    for name, text in {"tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./*"]}}}', **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", confidence="low")
    return [each.confidence for each in scanner.scan(options, load_rules(None, ())).findings]


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ({"pages/[shop]/index.tsx": PAGE}, "medium"),
        ({"pages/[shop]/index.tsx": PAGE, "src/pages/[shop]/[order].tsx": PAGE}, "medium"),
        ({"pages/[shop].tsx": PAGE}, "medium"),
        ({"pages/[shop].tsx": PAGE, "pages/_app.tsx": PAGE, "pages/index.test.tsx": PAGE}, "medium"),
        ({"pages/[shop].tsx": PAGE, "pages/new.tsx": PAGE}, "high"),  # /new?shop=
        ({"pages/[...shop].tsx": PAGE}, "high"),  # may begin with a slash
        ({"pages/[order].tsx": PAGE}, "high"),
        ({"pages/[shop].tsx": "export default () => null;"}, "high"),  # no page shows it
        ({"pages/[shop].tsx": PAGE.replace("/Menu", ""), "components/index.ts": BARREL}, "medium"),
    ],
)
def test_a_part_of_the_path_is_one_on_all_pages_that_show_the_code(
    pages: Mapping[str, str], expected: str, tmp_path: Path
) -> None:
    assert confidences({"components/Menu.tsx": MENU, **pages}, tmp_path) == [expected]


def test_a_parameter_of_the_query_keeps_its_confidence(tmp_path: Path) -> None:
    files = {"components/Menu.tsx": MENU.replace("query.shop", "query.next"), "pages/[shop]/index.tsx": PAGE}
    assert confidences(files, tmp_path) == ["high"]
