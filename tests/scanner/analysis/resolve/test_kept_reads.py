"""What lies under a name is read under it where nothing else is known, if it has what is called."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.scanner.analysis.resolve.programs import api_calls, called, modelled

from pyrograph.scanner.analysis.resolve import kept_reads
from pyrograph.scanner.analysis.resolve.solver import Solver

# Five more classes have the method: its name alone says nothing.
PYTHON = "".join(f"class Other{each}:\n    def find(self, term): return term\n" for each in range(5))
PYTHON += "class Store:\n    def find(self, term): return found(term)\ndef found(term): pass\nimport lib\n"
SCRIPT = "".join(f"class Other{each} {{ find(term) {{ return term; }} }}\n" for each in range(5))
SCRIPT += "class Store { find(term) { return found(term); } }\nfunction found(term) {}\n"
SCRIPT += "import { lib, Inject, wrap } from 'lib';\nconst TOKEN = Symbol('a');\n"


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("lib.app.store = Store()\ndef f(req): req.store.find(1)", "req.store.find(1)"),
        ("def start(app): app['s'] = Store()\ndef f(req): req.app['s'].find(1)", "req.app['s'].find(1)"),
        ("lib.App(lib.routes, store=Store())\ndef f(req): req.all['store'].find(1)", "req.all['store'].find(1)"),
        (
            "class App(lib.App):\n    def start(self): self.store = Store()\ndef f(req): req.app.store.find(1)",
            "req.app.store.find(1)",
        ),
        ("def state(): return {'store': Store()}\ndef f(req): req.state.store.find(1)", "req.state.store.find(1)"),
        ("lib.App(store=Store())\nclass H(lib.H):\n    def start(self, store): store.find(1)", "store.find(1)"),
        (
            "lib.App(store=Store())\nclass H(lib.H):\n    def start(self, store): self.s = store\n"
            "    def f(self): self.s.find(1)",
            "self.s.find(1)",
        ),
        ("lib.provide('store', Store)\ndef f(req): lib.resolve('store').find(1)", "lib.resolve('store').find(1)"),
        ("KEY = lib.Key()\nlib.app[KEY] = Store()\ndef f(req): req.app[KEY].find(1)", "req.app[KEY].find(1)"),
        ("class C(lib.C):\n    store = lib.One(Store)\nc = C()\nc.store().find(1)", "c.store().find(1)"),
        ("def f(req): lib.injector.get(Store).find(1)", "lib.injector.get(Store).find(1)"),
    ],
)
def test_an_object_is_found_by_its_name(code: str, call: str) -> None:
    assert called(PYTHON + code, "python").get(call) == ["find"]
    other = code.replace("Store", "lib.Store")
    assert called(PYTHON + other, "python").get(call) is None  # nothing of the program lies under the name


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("lib.store = new Store();\nlib.get(req => req.store.find(1));", "req.store.find(1)"),
        (
            "lib({ context: () => ({ store: new Store() }) });\nlib.on((a, { store }) => store.find(1));",
            "store.find(1)",
        ),
        ("lib.register({ store: wrap(Store) });\nlib.resolve('store').find(1);", "lib.resolve('store').find(1)"),
        ("lib.decorate('request', 'store', new Store());\nlib.get(req => req.store.find(1));", "req.store.find(1)"),
        ("lib.bind(TOKEN).to(Store);\nlib.get(TOKEN).find(1);", "lib.get(TOKEN).find(1)"),
        (
            "lib({ providers: [{ provide: 'S', useFactory: () => new Store() }] });\n"
            "class C { constructor(@Inject('S') store) { this.store = store; } f() { this.store.find(1); } }",
            "this.store.find(1)",
        ),
    ],
)
def test_so_it_is_in_scripts(code: str, call: str) -> None:
    assert called(SCRIPT + code, "typescript").get(call) == ["find"]
    assert (
        called(SCRIPT + code.replace("find(1)", "search(1)"), "typescript").get(call.replace("find", "search")) is None
    )


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("lib.app.other = Store()\ndef f(req): req.store.find(1)", "req.store.find(1)"),  # another name
        ("lib.app.store = Store()\nclass R: pass\ndef f(): R().store.find(1)", "R().store.find(1)"),  # of the program
        ("lib.app.store = Store()\ndef f(req): req.store.drop()", "req.store.drop()"),  # no such method
        (
            "def start(a): a.s = Store(); a.s = Other0(); a.s = Other1(); a.s = Other2()\ndef f(req): req.s.find(1)",
            "req.s.find(1)",  # too many
        ),
    ],
)
def test_an_object_is_not_guessed(code: str, call: str) -> None:
    assert called(PYTHON + code, "python").get(call) is None


def test_all_methods_that_are_called_where_it_is_read_are_asked_for() -> None:
    code = "lib.app.store = Store()\ndef f(req):\n    s = req.store\n    s.find(1)\n    s.drop()"
    assert called(PYTHON + code, "python").get("s.find(1)") is None


def test_types_that_are_closed_decide() -> None:
    others = "".join(f"type O{each} struct{{}}\nfunc (O{each}) Find() {{}}\n" for each in range(5))
    code = f"package p\n{others}type S struct{{}}\nfunc (S) Find() {{}}\nfunc g(a *lib.App) {{ a.Store = S{{}} }}\n"
    assert called(code + "func f(a *lib.Request) { a.Store.Find() }\n", "go").get("a.Store.Find()") is None


KEPT = "class Job:\n    def run(self, x): pass\nclass Runner:\n    def __init__(self): self.db = Job()\n"


def test_a_call_on_an_object_found_by_name_may_mean_a_library() -> None:
    code = KEPT + "def f(pool, x): pool.db.run(x)\n"
    _, resolution = modelled(code, "python", ["builtins.list#run: 0 => ret"], [("builtin", "builtins.list")])
    assert api_calls(resolution, "python") == ["builtins.list.#.run"]
    assert len(resolution.guessed_calls) == 1
    assert called(code, "python")["pool.db.run(x)"] == ["run"]


@pytest.mark.parametrize(
    ("code", "doubtful"),
    [
        (KEPT + "def f(pool, x): pool.db.run(x)\n", False),
        (KEPT + "class Plan(Job): pass\ndef g(a): a.db = Plan()\ndef f(pool, x): pool.db.run(x)\n", True),  # several
        # libraries have the method, but none has a member of the name that is read
        (KEPT.replace("run", "seek") + "def f(pool, x): pool.db.seek(x)\n", False),
        # libraries have both
        (KEPT.replace("run", "seek").replace(".db", ".link") + "def f(pool, x): pool.link.seek(x)\n", True),
    ],
)
def test_an_ambiguous_call_on_an_object_found_by_name_is_doubtful(code: str, doubtful: bool) -> None:
    _, resolution = modelled(code, "python", ["lib.File#seek: 0 => ret", "lib.Folder#link: 0 => ret"])
    assert resolution.targets
    assert bool(resolution.named_calls) == doubtful


INJECTED = """
interface Store { seek(name: string): string }
class Files implements Store { seek(name) { return name; } }
class Rows { seek(name) { return name; } }
const wiring = { link: new Files() };
class Service {
  constructor(@Inject("link") private store: Store) {}
  find(name) { return this.store.seek(name); }
}
"""


@pytest.mark.parametrize(
    ("code", "doubtful"),
    [
        (INJECTED, False),  # the receiver is declared to be of an interface of the program
        (INJECTED.replace("new Files()", "new Files(), more: { link: new Rows() }"), True),  # several objects
    ],
)
def test_an_interface_of_the_program_says_that_no_library_is_meant(code: str, doubtful: bool) -> None:
    _, resolution = modelled(code, "typescript", ["lib.File#seek: 0 => ret", "lib.Folder#link: 0 => ret"])
    assert resolution.targets
    assert bool(resolution.named_calls) == doubtful


@pytest.mark.parametrize(("holder", "doubtful"), [("services", False), ("link", True)])
def test_a_member_of_an_own_member_is_no_librarys(holder: str, doubtful: bool) -> None:
    code = KEPT.replace("run", "seek").replace(".db", ".link") + f"def f(ctx, x): ctx.{holder}.link.seek(x)\n"
    _, resolution = modelled(code, "python", ["lib.File#seek: 0 => ret", "lib.Folder#link: 0 => ret"])
    assert resolution.targets
    assert bool(resolution.named_calls) == doubtful


@pytest.mark.plain
def test_the_objects_of_a_name_are_sorted_by_their_methods_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time is not the product of the objects under a name and the reads of it."""
    asked: list[int] = []
    original = kept_reads.methods_of

    def counted(solver: Solver, state: int) -> Iterator[int]:
        asked.append(state)
        return original(solver, state)

    monkeypatch.setattr(kept_reads, "methods_of", counted)
    many = "".join(
        f"class C{each}:\n    def get(self): pass\ndef h{each}(a): a.data = C{each}()\n"
        f"def f{each}(a): a.data.get(a.x)\n"
        for each in range(50)
    )
    called(many, "python")
    assert 0 < len(asked) <= 2 * 50  # rounds
