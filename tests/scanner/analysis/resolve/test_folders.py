"""Members of objects that a framework makes of the files of a folder are what these files export."""

from __future__ import annotations

from pathlib import Path

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.analysis.resolve.folders import plain
from pyrograph.scanner.options import ScanOptions

FILES = {
    "app/router.js": 'module.exports = (app) => { app.router.get("/:name", app.controller.admin.userLists.show); };',
    "app/controller/admin/user_lists.js": """
module.exports = (app) => {
  class UserLists extends app.Controller {
    show() { this.ctx.service.tools.run(this.ctx.params.name); }
  }
  return UserLists;
};
""",
    "app/service/tools.js": """
const { exec } = require("child_process");
const { Service } = require("egg");
module.exports = class Tools extends Service {
  run(name) { exec("list " + name); }
};
""",
    "other/tools.js": """
const { exec } = require("child_process");
module.exports = class Others { run(name) { exec("other " + name); } };
""",
}


def test_members_are_made_of_files_of_the_folder_and_of_folders_in_it(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", surface=True)
    report = scanner.scan(options, load_rules(["javascript"]))
    assert [each.place.path for each in report.findings] == ["app/service/tools.js"]
    assert [(each.entry.route, each.entry.handler) for each in report.surface] == [("/:name", "exports.UserLists.show")]


def test_names_are_compared_without_case_hyphens_and_underscores() -> None:
    assert plain("user_lists") == plain("userLists") == plain("user-lists") == "userlists"
