"""The matrix for Python."""

from __future__ import annotations

from collections.abc import Iterator

from tests.binding.matrix import Call, Cell, Definition, Import, alternating, block, has

PACK = """
library = "probe"
language = "python"

[source]
http = ["probe.source()"]

[sink]
code-injection = ["probe.sink(0)"]

[[example]]
name = "reported"
code = '''
import probe
probe.sink(probe.source())  # expect: code-injection from line 3
'''

[[example]]
name = "silent"
code = '''
import probe
probe.sink("a")
'''
"""

SHARED: dict[str, str] = {}
BODY = "sink(a)  # to 0\nsink(b)  # to 1"
WRAPPER = """
def traced(function):
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner

"""

METHOD = has("method", "names")
DEFINITIONS = [
    Definition("function", "def run(a, b):\n    BODY", "NAME", "run", has("names")),
    Definition("async function", "async def run(a, b):\n    BODY", "NAME", "run", has("names", "async")),
    Definition("default", "def run(a, b=None):\n    BODY", "NAME", "run", has("names")),
    Definition("keyword only", "def run(a, *, b):\n    BODY", "NAME", "run", has("names", "keyword only")),
    Definition("positional only", "def run(a, b, /):\n    BODY", "NAME", "run"),
    Definition(
        "rest", "def run(*args):\n    sink(args[0])  # to 0\n    sink(args[1])  # to 1", "NAME", "run", has("rest")
    ),
    Definition("rest unpacked", "def run(*args):\n    a, b = args\n    BODY", "NAME", "run", has("rest")),
    Definition("rest after one", "def run(a, *rest):\n    b = rest[0]\n    BODY", "NAME", "run", has("rest")),
    Definition(
        "keywords",
        "def run(**kw):\n    sink(kw['a'])  # to 0\n    sink(kw.get('b'))  # to 1",
        "NAME",
        "run",
        has("names", "keyword only", "keywords"),
    ),
    Definition(
        "lambda", "run = lambda a, b: (\n    sink(a),  # to 0\n    sink(b),  # to 1\n)", "NAME", "run", has("names")
    ),
    Definition(
        "method", "class Unit:\n    def run(self, a, b):\n        BODY", "NAME().run", "Unit", METHOD | has("class")
    ),
    Definition(
        "method of an instance",
        "class Unit:\n    def run(self, a, b):\n        BODY\n\n\nunit = Unit()",
        "NAME.run",
        "unit",
        METHOD,
    ),
    Definition(
        "inherited method",
        "class Base:\n    def run(self, a, b):\n        BODY\n\n\nclass Unit(Base):\n    pass",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "super's method",
        "class Base:\n    def run(self, a, b):\n        BODY\n\n\nclass Unit(Base):\n    def run(self, a, b):\n        super().run(a, b)",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "method that calls a method",
        "class Unit:\n    def run(self, a, b):\n        self.more(b, a)\n\n    def more(self, b, a):\n        BODY",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "method by name",
        "class Unit:\n    def run(self, a, b):\n        getattr(self, 'do_' + 'it')(a, b)\n\n    def do_it(self, a, b):\n        BODY",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "class method",
        "class Unit:\n    @classmethod\n    def run(cls, a, b):\n        BODY",
        "NAME.run",
        "Unit",
        METHOD,
    ),
    Definition(
        "static method",
        "class Unit:\n    @staticmethod\n    def run(a, b):\n        BODY",
        "NAME.run",
        "Unit",
        METHOD,
    ),
    Definition(
        "static method of an instance",
        "class Unit:\n    @staticmethod\n    def run(a, b):\n        BODY",
        "NAME().run",
        "Unit",
        METHOD,
    ),
    Definition("constructor", "class Unit:\n    def __init__(self, a, b):\n        BODY", "NAME", "Unit", has("names")),
    Definition(
        "__new__",
        "class Unit:\n    def __new__(cls, a, b):\n        BODY\n        return object()",
        "NAME",
        "Unit",
        has("names"),
    ),
    Definition("callable", "class Unit:\n    def __call__(self, a, b):\n        BODY", "NAME()", "Unit", has("names")),
    Definition(
        "property",
        "def target(a, b):\n    BODY\n\n\nclass Unit:\n    @property\n    def run(self):\n        return target",
        "NAME().run",
        "Unit",
        has("names", "method"),
    ),
    Definition(
        "field",
        "def target(a, b):\n    BODY\n\n\nclass Unit:\n    def __init__(self):\n        self.run = target",
        "NAME().run",
        "Unit",
        has("names", "method"),
    ),
    Definition(
        "method in a field",
        "class Inner:\n    def go(self, a, b):\n        BODY\n\n\nclass Unit:\n    def __init__(self):\n        self.run = Inner().go",
        "NAME().run",
        "Unit",
        has("names", "method"),
    ),
    Definition(
        "assigned to the class",
        "class Unit:\n    pass\n\n\ndef target(self, a, b):\n    BODY\n\n\nUnit.run = target",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "class attribute",
        "def target(self, a, b):\n    BODY\n\n\nclass Unit:\n    run = target",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "__getattr__",
        "class Inner:\n    def run(self, a, b):\n        BODY\n\n\nclass Unit:\n    def __init__(self):\n        self.inner = Inner()\n\n    def __getattr__(self, name):\n        return getattr(self.inner, name)",
        "NAME().run",
        "Unit",
        METHOD,
    ),
    Definition(
        "factory", "def make():\n    def run(a, b):\n        BODY\n\n    return run", "NAME()", "make", has("names")
    ),
    Definition(
        "partial",
        "def target(first, a, b):\n    BODY\n\n\nrun = functools.partial(target, 1)",
        "NAME",
        "run",
        has("names"),
    ),
    Definition(
        "partial keyword",
        "def target(a, b, last):\n    BODY\n\n\nrun = functools.partial(target, last=1)",
        "NAME",
        "run",
        has("names"),
    ),
    Definition(
        "partial method",
        "class Unit:\n    def target(self, first, a, b):\n        BODY\n\n    run = functools.partialmethod(target, 1)",
        "NAME().run",
        "Unit",
        METHOD,
    ),
    Definition("table", "def target(a, b):\n    BODY\n\n\ntable = {'go': target}", "NAME['go']", "table", has("names")),
    Definition(
        "registry",
        "table = {}\n\n\ndef register(function):\n    table['go'] = function\n    return function\n\n\n@register\ndef target(a, b):\n    BODY",
        "NAME['go']",
        "table",
        has("names"),
    ),
    Definition(
        "registry by name",
        "table = {}\n\n\ndef register(name):\n    def keep(function):\n        table[name] = function\n        return function\n\n    return keep\n\n\n@register('go')\ndef target(a, b):\n    BODY",
        "NAME['go']",
        "table",
        has("names"),
    ),
    Definition(
        "appended",
        "table = []\n\n\ndef target(a, b):\n    BODY\n\n\ntable.append(target)",
        "NAME[0]",
        "table",
        has("names"),
    ),
    Definition("decorated", WRAPPER + "@traced\ndef run(a, b):\n    BODY", "NAME", "run", has("names")),
    Definition(
        "decorated with wraps",
        "def traced(function):\n    @functools.wraps(function)\n    def inner(*args, **kwargs):\n        return function(*args, **kwargs)\n\n    return inner\n\n\n@traced\ndef run(a, b):\n    BODY",
        "NAME",
        "run",
        has("names"),
    ),
    Definition(
        "decorated twice",
        WRAPPER + "@traced\n@traced\ndef run(a, b):\n    BODY",
        "NAME",
        "run",
        has("names"),
    ),
    Definition(
        "decorated with arguments",
        "def traced(level):\n    def decorate(function):\n        @functools.wraps(function)\n        def inner(*args, **kwargs):\n            return function(*args, **kwargs)\n\n        return inner\n\n    return decorate\n\n\n@traced(1)\ndef run(a, b):\n    BODY",
        "NAME",
        "run",
        has("names"),
    ),
    Definition(
        "decorated by a class",
        "class traced:\n    def __init__(self, function):\n        self.function = function\n\n    def __call__(self, *args, **kwargs):\n        return self.function(*args, **kwargs)\n\n\n@traced\ndef run(a, b):\n    BODY",
        "NAME",
        "run",
        has("names"),
    ),
    Definition("decorated by a library", "@functools.lru_cache\ndef run(a, b):\n    BODY", "NAME", "run", has("names")),
    Definition(
        "decorated by an unknown library", "@elsewhere.traced(1)\ndef run(a, b):\n    BODY", "NAME", "run", has("names")
    ),
    Definition(
        "decorated method",
        WRAPPER + "class Unit:\n    @traced\n    def run(self, a, b):\n        BODY",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "decorated method of an instance",
        WRAPPER + "class Unit:\n    @traced\n    def run(self, a, b):\n        BODY\n\n\nunit = Unit()",
        "NAME.run",
        "unit",
        METHOD,
    ),
    Definition(
        "decorated method that calls a method",
        WRAPPER
        + "class Unit:\n    @traced\n    def run(self, a, b):\n        self.more(b, a)\n\n    def more(self, b, a):\n        BODY",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "decorated method called by a method",
        WRAPPER
        + "class Unit:\n    def run(self, a, b):\n        self.more(b, a)\n\n    @traced\n    def more(self, b, a):\n        BODY",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "decorated inherited method",
        WRAPPER + "class Base:\n    @traced\n    def run(self, a, b):\n        BODY\n\n\nclass Unit(Base):\n    pass",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "method decorated with self",
        "def traced(function):\n    @functools.wraps(function)\n    def inner(self, *args, **kwargs):\n        return function(self, *args, **kwargs)\n\n    return inner\n\n\nclass Unit:\n    @traced\n    def run(self, a, b):\n        BODY",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "method decorated with the same parameters",
        "def traced(function):\n    def inner(self, a, b):\n        return function(self, a, b)\n\n    return inner\n\n\nclass Unit:\n    @traced\n    def run(self, a, b):\n        BODY",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "method decorated with arguments",
        "def traced(level):\n    def decorate(function):\n        @functools.wraps(function)\n        def inner(*args, **kwargs):\n            return function(*args, **kwargs)\n\n        return inner\n\n    return decorate\n\n\nclass Unit:\n    @traced(1)\n    def run(self, a, b):\n        BODY",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "decorated class method",
        WRAPPER + "class Unit:\n    @classmethod\n    @traced\n    def run(cls, a, b):\n        BODY",
        "NAME.run",
        "Unit",
        METHOD,
    ),
    Definition(
        "decorated static method",
        WRAPPER + "class Unit:\n    @staticmethod\n    @traced\n    def run(a, b):\n        BODY",
        "NAME.run",
        "Unit",
        METHOD,
    ),
    Definition(
        "method decorated by a library",
        "class Unit:\n    @functools.lru_cache\n    def run(self, a, b):\n        BODY",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "method decorated by an unknown library",
        "class Unit:\n    @elsewhere.traced(1)\n    def run(self, a, b):\n        BODY",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "decorated class",
        "def kept(cls):\n    return cls\n\n\n@kept\nclass Unit:\n    def run(self, a, b):\n        BODY",
        "NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "method of a class that a function makes",
        "def make():\n    class Unit:\n        def run(self, a, b):\n            BODY\n\n    return Unit",
        "NAME()().run",
        "make",
        METHOD,
    ),
    Definition(
        "data class",
        "@dataclasses.dataclass\nclass Unit:\n    a: str\n    b: str\n\n    def __post_init__(self):\n        sink(self.a)  # to 0\n        sink(self.b)  # to 1",
        "NAME",
        "Unit",
        has("names"),
    ),
]

IMPORTS = [
    Import("from", {"lib.py": "CODE"}, "from PKG.lib import X", "X"),
    Import("from relative", {"lib.py": "CODE"}, "from .lib import X", "X"),
    Import("renamed", {"lib.py": "CODE"}, "from .lib import X as other", "other"),
    Import("module", {"lib.py": "CODE"}, "from . import lib", "lib.X"),
    Import("dotted module", {"lib.py": "CODE"}, "import PKG.lib", "PKG.lib.X"),
    Import("module renamed", {"lib.py": "CODE"}, "import PKG.lib as other", "other.X"),
    Import("star", {"lib.py": "CODE"}, "from .lib import *", "X"),
    Import("in a function", {"lib.py": "CODE"}, "", "X", "from .lib import X"),
    Import(
        "import_module", {"lib.py": "CODE"}, "import importlib\n\nlib = importlib.import_module('PKG.lib')", "lib.X"
    ),
    Import("package", {"sub/lib.py": "CODE", "sub/__init__.py": "from .lib import X"}, "from .sub import X", "X"),
    Import("package star", {"sub/lib.py": "CODE", "sub/__init__.py": "from .lib import *"}, "from .sub import X", "X"),
    Import(
        "package attribute",
        {"sub/lib.py": "CODE", "sub/__init__.py": "from .lib import X"},
        "from . import sub",
        "sub.X",
    ),
    Import("assigned", {"lib.py": "CODE", "sub.py": "from . import lib\n\nX = lib.X"}, "from .sub import X", "X"),
    Import(
        "through two",
        {"lib.py": "CODE", "sub.py": "from .lib import X", "top.py": "from .sub import *"},
        "from .top import X",
        "X",
    ),
    Import(
        "try",
        {"lib.py": "CODE"},
        "try:\n    from .lib import X\nexcept ImportError:\n    X = None",
        "X",
    ),
    Import(
        "lazy",
        {
            "sub/lib.py": "CODE",
            "sub/__init__.py": "def __getattr__(name):\n    from . import lib\n    return getattr(lib, name)",
        },
        "from .sub import X",
        "X",
    ),
]

CALLS = [
    Call("positions", "F(x, y)", refuses=has("keyword only")),
    Call("keywords", "F(b=y, a=x)", needs=has("names")),
    Call("position and keyword", "F(x, b=y)", needs=has("names"), refuses=has("keywords")),
    Call("spread literal", "F(*[x, y])", refuses=has("keyword only")),
    Call("spread tuple", "args = (x, y)\nF(*args)", refuses=has("keyword only")),
    Call("spread rest", "rest = [y]\nF(x, *rest)", refuses=has("keyword only")),
    Call("keyword dictionary", "F(**{'a': x, 'b': y})", needs=has("names")),
    Call("keyword dictionary variable", "kw = {'b': y}\nkw['a'] = x\nF(**kw)", needs=has("names")),
    Call("dict()", "kw = dict(a=x, b=y)\nF(**kw)", needs=has("names")),
    Call("variable", "f = F\nf(x, y)", refuses=has("keyword only")),
    Call("conditional", "f = F if x else F\nf(x, y)", refuses=has("keyword only")),
    Call("partial", "functools.partial(F, x)(y)", refuses=has("keyword only")),
    Call("partial all", "functools.partial(F, x, y)()", refuses=has("keyword only")),
    Call("partial keyword", "functools.partial(F, b=y)(x)", needs=has("names"), refuses=has("keywords")),
    Call("partial later", "f = functools.partial(F, x)\nf(y)", refuses=has("keyword only")),
    Call("lambda", "f = lambda one, two: F(two, one)\nf(y, x)", refuses=has("keyword only")),
    Call("nested", "def go(one, two):\n    return F(two, one)\n\n\ngo(y, x)", refuses=has("keyword only")),
    Call(
        "callback",
        "apply(F, x, y)",
        before="def apply(function, *args):\n    return function(*args)",
        refuses=has("keyword only"),
    ),
    Call(
        "callback by name",
        "apply(F, x, y)",
        before="def apply(function, one, two):\n    return function(one, two)",
        refuses=has("keyword only"),
    ),
    Call("list", "for f in [F]:\n    f(x, y)", refuses=has("keyword only")),
    Call("appended", "todo = []\ntodo.append(F)\nfor f in todo:\n    f(x, y)", refuses=has("keyword only")),
    Call("dictionary", "todo = {'go': F}\ntodo['go'](x, y)", refuses=has("keyword only")),
    Call("dictionary get", "todo = {'go': F}\ntodo.get('go')(x, y)", refuses=has("keyword only")),
    Call("getattr", "getattr(RECEIVER, 'MEMBER')(x, y)", needs=has("method")),
    Call("getattr unknown", "getattr(RECEIVER, name)(x, y)", needs=has("class")),
    Call("through the class", "f = NAME.run\nf(NAME(), x, y)", needs=has("class")),
    Call("class and instance", "NAME.run(NAME(), x, y)", needs=has("class")),
    Call("instance variable", "u = RECEIVER\nu.MEMBER(x, y)", needs=has("method")),
    Call(
        "passed instance",
        "go(RECEIVER, x, y)",
        before="def go(u, one, two):\n    return u.run(one, two)",
        needs=has("method"),
    ),
    Call(
        "kept instance",
        "Kept(RECEIVER).go(y, x)",
        before="class Kept:\n    def __init__(self, u):\n        self.u = u\n\n    def go(self, two, one):\n        return self.u.run(one, two)",
        needs=has("method"),
    ),
    Call("thread", "threading.Thread(target=F, args=(x, y)).start()", refuses=has("keyword only")),
    Call(
        "executor", "pool = concurrent.futures.ThreadPoolExecutor()\npool.submit(F, x, y)", refuses=has("keyword only")
    ),
    Call("map", "list(map(F, [x], [y]))", refuses=has("keyword only")),
]

ONE = Import("one file", {}, "", "X")
HEAD = "import concurrent.futures\nimport dataclasses\nimport functools\nimport threading\n\nimport elsewhere\nfrom probe import sink, source\n\n\n"


def program(number: int, definition: Definition, how: Import, call: Call) -> Cell:
    package = f"c{number:04}"
    code = HEAD + block(definition.code, BODY=BODY)
    name = block(how.root, PKG=package, X=definition.exported)
    run = block(definition.run, NAME=name)
    receiver, _, member = run.rpartition(".")
    body = block(call.code, F=run, RECEIVER=receiver, MEMBER=member, NAME=name)
    main = "def main(name):\n    LOCAL\n    x = source()  # from 0\n    y = source()  # from 1\n    BODY"
    local = block(how.local, X=definition.exported) if how.local else "pass"
    main = block(main, LOCAL=local, BODY=body)
    given = {path: block(text, CODE=code, X=definition.exported) + "\n" for path, text in how.files.items()}
    before = f"{call.before}\n\n\n" if call.before else ""
    if given:
        imports = block(how.imports, PKG=package, X=definition.exported)
        given["app.py"] = f"{HEAD}{imports}\n\n\n{before}{main}\n"
    else:
        given["app.py"] = f"{code}\n\n\n{before}{main}\n"
    return Cell(
        f"{definition.name} | {how.name} | {call.name}", {f"{package}/{path}": text for path, text in given.items()}
    )


def cells() -> Iterator[Cell]:
    return (program(*each) for each in alternating(DEFINITIONS, CALLS, ONE, IMPORTS))
