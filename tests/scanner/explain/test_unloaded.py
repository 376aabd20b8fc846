"""Modules that nothing loads, beside modules of their kind that the program imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

JAVASCRIPT = {
    "app.js": """
import express from "express";
import { Users } from "./api/users/index.js";
import { Files } from "./api/files/index.js";
import { Notes } from "./api/notes/index.js";
const app = express();
for (const each of [Users, Files, Notes]) each.init(app);
app.listen(80);
""",
    "api/print/report.js": """
import cp from "child_process";
export const report = (req, res) => { cp.exec(req.query.name); res.end(); };
""",
} | {
    f"api/{folder}/index.js": f"""
import {{ report }} from "../print/show.js";
export const {name} = {{ init: (app) => {{ app.get("/{folder}", report); }} }};
"""
    for folder, name in (("users", "Users"), ("files", "Files"), ("notes", "Notes"))
}
SHOW = "export const report = (req, res) => { res.end(); };"
PRINT = """
import { report } from "./report.js";
export const Print = { init: (app) => { app.get("/print", report); } };
"""
OTHER = PRINT.replace("./report", "../print/show")
PYTHON = {
    "app.py": """
from aiohttp import web
from api import users, files, notes
app = web.Application()
users.setup(app)
files.setup(app)
notes.setup(app)
web.run_app(app)
""",
    "api/__init__.py": "",
} | {
    f"api/{name}.py": f"""
from aiohttp import web
async def show(request):
    return web.Response(text="{name}")
def setup(app):
    app.router.add_get("/{name}", show)
"""
    for name in ("users", "files", "notes")
}
REPORT = """
import os
from aiohttp import web
async def show(request: web.Request):
    os.system(request.query["name"])
    return web.Response()
def setup(app: web.Application):
    app.router.add_get("/report", show)
"""
PACKAGE = {
    "shop/__init__.py": """
from pyramid.config import Configurator
def run(settings):
    config = Configurator(settings=settings)
    config.scan()
    return config.make_wsgi_app()
""",
    "shop/users/__init__.py": "",
    "shop/users/views.py": "def name():\n    return 1\n",
    "shop/files/__init__.py": "",
    "shop/files/views.py": "def name():\n    return 1\n",
    "shop/models/__init__.py": "class User:\n    pass\n",
    "shop/old/views.py": """
import os
from pyramid.view import view_config
from ..models import User
@view_config(route_name="report")
def report(request):
    os.system(request.params["name"])
""",
}


def doubt_of(folder: Path, files: dict[str, str], path: str) -> str | None:
    """Scan ``files``: the reason of doubt about the only finding of ``path``; "" for none."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1), load_rules())
    (found,) = [each for each in report.findings if each.place.path == path]
    return found.doubt.name if found.doubt else ""


@pytest.mark.parametrize(
    ("more", "doubt"),
    [
        ({}, doubts.UNUSED),
        ({"more.js": 'import { Print } from "./api/print/index.js"; export const all = [Print];'}, ""),
        ({"more.js": 'export * from "./api/print/report.js";'}, ""),
        ({"more.js": 'export const load = async (app) => (await import("./api/print/index.js")).Print.init(app);'}, ""),
        ({"more.js": 'export const load = (name) => import("./api/" + name + "/index.js");'}, ""),
        ({"more.js": 'import fs from "fs"; export const all = fs.readdirSync("api");'}, ""),
        ({"more.js": 'export const all = import.meta.glob("./api/*/index.js");'}, ""),
        ({"other/more.js": 'import fs from "fs"; export const all = fs.readdirSync("logs");'}, doubts.UNUSED),
        ({"more.test.js": 'import { Print } from "./api/print/index.js"; Print.init({});'}, doubts.UNUSED),
        ({"api/print/index.js": PRINT + "setup(Print);"}, ""),
        ({"api/notes/index.js": "export const Notes = { init: () => 1 };"}, ""),  # two others show too little
        ({"api/tools/index.js": OTHER, "api/logs/index.js": OTHER}, ""),
    ],
)  # fmt: skip
def test_javascript(tmp_path: Path, more: dict[str, str], doubt: str) -> None:
    files = {**JAVASCRIPT, "api/print/show.js": SHOW, "api/print/index.js": PRINT, **more}
    assert doubt_of(tmp_path, files, "api/print/report.js") == doubt


def test_what_imports_the_other_modules_may_begin_the_program(tmp_path: Path) -> None:
    start = JAVASCRIPT["app.js"].replace("const app = express();", "export const init = (app) => {")
    start = start.replace("app.listen(80);", 'app.get("/print", report); };').replace("./api", "..")
    files = {
        **JAVASCRIPT,
        "api/print/show.js": SHOW,
        "api/print/index.js": 'import { report } from "./report.js";' + start,
    }
    del files["app.js"]
    assert doubt_of(tmp_path, files, "api/print/report.js") == ""


@pytest.mark.parametrize(
    ("more", "doubt"),
    [
        ({}, doubts.UNUSED),
        ({"more.py": "from api import report\nreport.setup(None)\n"}, ""),
        ({"more.py": "import importlib\nload = lambda name: importlib.import_module(name)\n"}, ""),
        ({"more.py": "import pkgutil\nfound = list(pkgutil.iter_modules(['api']))\n"}, ""),
        ({"more.py": "SETUP = ['api.report.setup']\n"}, ""),
        ({"api/__init__.py": "import os\nfound = os.listdir(os.path.dirname(__file__))\n"}, ""),
        ({"api/report.py": REPORT + "setup(web.Application())\n"}, ""),
    ],
)
def test_python(tmp_path: Path, more: dict[str, str], doubt: str) -> None:
    assert doubt_of(tmp_path, {**PYTHON, "api/report.py": REPORT, **more}, "api/report.py") == doubt


@pytest.mark.parametrize(
    ("more", "doubt"),
    [
        ({}, doubts.UNUSED),
        ({"shop/old/__init__.py": ""}, ""),
        ({"shop/run.py": "from .old import views\n"}, ""),
        ({"shop/run.py": "from .old.views import report\n"}, ""),
        ({"shop/run.py": "ROUTES = ['shop.old.views.report']\n"}, ""),
        ({"shop/run.py": "import importlib\nload = lambda name: importlib.import_module(name)\n"}, ""),
        ({"shop/run.py": "import os\nfound = os.listdir(os.path.dirname(__file__))\n"}, ""),
        ({"tests/test_old.py": "from shop.old.views import report\n"}, doubts.UNUSED),
        ({"shop/old/other.py": "app = 1\n"}, ""),
        ({"shop/old/other.py": "if __name__ == '__main__':\n    print(1)\n"}, ""),
        ({"shop/more/views.py": "x = 1\n", "shop/mails/views.py": "x = 1\n"}, ""),  # three of five have one
        ({"shop/old/views.py": PACKAGE["shop/old/views.py"].replace("from ..models import User\n", "")}, ""),
    ],
)
def test_a_folder_without_init(tmp_path: Path, more: dict[str, str], doubt: str) -> None:
    assert doubt_of(tmp_path, {**PACKAGE, **more}, "shop/old/views.py") == doubt
