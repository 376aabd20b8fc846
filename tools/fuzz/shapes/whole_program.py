"""Shapes for the stages that work on the whole program: resolution, labelling, assembly, search, explanation."""

from __future__ import annotations

from collections.abc import Callable

from tools.fuzz.shapes import Files, shape

PYTHON_HEAD = "import os\nfrom flask import Flask, request\napp = Flask(__name__)\n"
JAVASCRIPT_HEAD = 'const app = require("express")(), cp = require("child_process")\n'
GO_HEAD = 'package m\n\nimport (\n\t"net/http"\n\t"os/exec"\n)\n\n'


def _python(text: str) -> Files:
    return {"app.py": PYTHON_HEAD + text}


def _javascript(text: str) -> Files:
    return {"app.js": JAVASCRIPT_HEAD + text}


def _go(text: str) -> Files:
    return {"go.mod": "module example.test/m\n\ngo 1.22\n", "main.go": GO_HEAD + text}


def _each(size: int, line: Callable[[int], str]) -> str:
    return "".join(map(line, range(size)))


# -- handlers and places that all of them share


@shape("python")
def python_global_list(size: int) -> Files:
    """Handlers append to one global list and pass its elements to a sink."""
    return _python(
        "seen = []\n"
        + _each(
            size,
            lambda i: (
                f"@app.get('/{i}')\ndef h{i}():\n  seen.append(request.args['p{i}'])\n"
                "  for each in seen:\n    os.system(each)\n  return 'ok'\n"
            ),
        )
    )


@shape("javascript")
def javascript_global_list(size: int) -> Files:
    return _javascript(
        "const seen = []\n"
        + _each(
            size,
            lambda i: (
                f'app.get("/{i}", (req, res) => {{ seen.push(req.query.p{i}); for (const s of seen) cp.exec(s) }})\n'
            ),
        )
    )


@shape("go")
def go_global_list(size: int) -> Files:
    return _go(
        "var seen []string\n"
        + _each(
            size,
            lambda i: (
                f"func H{i}(w http.ResponseWriter, r *http.Request) {{\n"
                f'\tseen = append(seen, r.FormValue("p{i}"))\n'
                '\tfor _, s := range seen {\n\t\texec.Command("sh", "-c", s).Run()\n\t}\n}\n'
            ),
        )
    )


@shape("python")
def python_global_dict_unknown_keys(size: int) -> Files:
    """A global dict is written under many keys and read under unknown ones."""
    return _python(
        "known = {}\n"
        + _each(size, lambda i: f"@app.get('/{i}')\ndef h{i}():\n  known['k{i}'] = request.args['p']\n  return 'ok'\n")
        + "@app.get('/')\ndef h(): os.system(known[request.args['k']])\n"
    )


@shape("python")
def python_dict_literal_and_stores(size: int) -> Files:
    """One object with many fields in one function, read under an unknown key."""
    stores = _each(size, lambda i: f"  d['k{i}'] = request.args['p']\n")
    return _python("@app.get('/')\ndef h():\n  d = {}\n" + stores + "  os.system(d[request.args['k']])\n")


@shape("javascript")
def javascript_object_with_many_fields(size: int) -> Files:
    stores = _each(size, lambda i: f"  o.f{i} = req.query.p{i}\n")
    return _javascript('app.get("/", (req, res) => {\n  const o = {}\n' + stores + "  cp.exec(o[req.query.k])\n})\n")


@shape("javascript")
def javascript_fields_read_again(size: int) -> Files:
    """Each field of one object is stored once and reaches a sink."""
    stores = _each(size, lambda i: f"  o.f{i} = req.query.p{i}\n")
    loads = _each(size, lambda i: f"  cp.exec(o.f{i})\n")
    return _javascript('app.get("/", (req, res) => {\n  const o = {}\n' + stores + loads + "})\n")


@shape("go")
def go_struct_with_many_fields(size: int) -> Files:
    fields = _each(size, lambda i: f"\tF{i} string\n")
    stores = _each(size, lambda i: f'\tt.F{i} = r.FormValue("p")\n')
    loads = _each(size, lambda i: f'\texec.Command("sh", "-c", t.F{i}).Run()\n')
    return _go(
        "type T struct {\n" + fields + "}\n\nfunc H(w http.ResponseWriter, r *http.Request) {\n\tt := &T{}\n"
        + stores + loads + "}\n"
    )  # fmt: skip


@shape("python")
def python_attributes_of_self(size: int) -> Files:
    """A class with many methods, each of which stores a field that another method reads."""
    return _python(
        "class C:\n"
        + _each(
            size,
            lambda i: f"  def s{i}(self): self.f{i} = request.args['p']\n  def l{i}(self): os.system(self.f{i + 1})\n",
        )
        + "c = C()\n"
        + _each(size // 4, lambda i: f"@app.get('/{i}')\ndef h{i}():\n  c.s{i}()\n  c.l{i}()\n")
    )


# -- many sources, many sinks, many steps


@shape("python")
def python_sinks_of_one_variable(size: int) -> Files:
    return _python("@app.get('/')\ndef h():\n  x = request.args['x']\n" + "  os.system(x)\n" * size)


@shape("javascript")
def javascript_sinks_of_one_variable(size: int) -> Files:
    return _javascript('app.get("/", (req, res) => {\n  const x = req.query.x\n' + "  cp.exec(x)\n" * size + "})\n")


@shape("go")
def go_sinks_of_one_variable(size: int) -> Files:
    return _go(
        'func H(w http.ResponseWriter, r *http.Request) {\n\tx := r.FormValue("x")\n'
        + '\texec.Command("sh", "-c", x).Run()\n' * size
        + "}\n"
    )


@shape("python")
def python_sources_of_one_sink(size: int) -> Files:
    sources = _each(size, lambda i: f"  x += request.args['p{i}']\n")
    return _python("@app.get('/')\ndef h():\n  x = ''\n" + sources + "  os.system(x)\n")


@shape("javascript")
def javascript_sources_of_one_sink(size: int) -> Files:
    sources = _each(size, lambda i: f"  x.push(req.query.p{i})\n")
    return _javascript('app.get("/", (req, res) => {\n  const x = []\n' + sources + "  cp.exec(x.join())\n})\n")


@shape("python")
def python_sources_and_sinks(size: int) -> Files:
    """Every source reaches every sink."""
    sources = _each(size, lambda i: f"  if y: x = request.args['p{i}']\n")
    return _python("@app.get('/')\ndef h(y):\n  x = ''\n" + sources + "  os.system(x)\n" * size)


@shape("javascript")
def javascript_sources_and_sinks(size: int) -> Files:
    sources = _each(size, lambda i: f"  if (y) x = req.query.p{i}\n")
    return _javascript('app.get("/", (req, res, y) => {\n  let x = ""\n' + sources + "  cp.exec(x)\n" * size + "})\n")


@shape("go")
def go_sources_and_sinks(size: int) -> Files:
    sources = _each(size, lambda i: f'\tif y {{\n\t\tx = r.FormValue("p{i}")\n\t}}\n')
    return _go(
        'func H(w http.ResponseWriter, r *http.Request) {\n\tx, y := "", w != nil\n' + sources
        + '\texec.Command("sh", "-c", x).Run()\n' * size + "}\n"
    )  # fmt: skip


@shape("python")
def python_augmented_assignments(size: int) -> Files:
    return _python("@app.get('/')\ndef h():\n  x = request.args['x']\n" + "  x += 'a'\n" * size + "  os.system(x)\n")


@shape("javascript")
def javascript_augmented_assignments(size: int) -> Files:
    return _javascript(
        'app.get("/", (req, res) => {\n  let x = req.query.x\n' + '  x += "a"\n' * size + "  cp.exec(x)\n})\n"
    )


@shape("go")
def go_augmented_assignments(size: int) -> Files:
    return _go(
        'func H(w http.ResponseWriter, r *http.Request) {\n\tx := r.FormValue("x")\n' + '\tx += "a"\n' * size
        + '\texec.Command("sh", "-c", x).Run()\n}\n'
    )  # fmt: skip


@shape("python")
def python_guards_in_a_row(size: int) -> Files:
    guards = _each(size, lambda i: f"  if x == 'a{i}': return 'no'\n")
    return _python("@app.get('/')\ndef h():\n  x = request.args['x']\n" + guards + "  os.system(x)\n")


@shape("javascript")
def javascript_guards_in_a_row(size: int) -> Files:
    guards = _each(size, lambda i: f"  if (!ok(x, {i})) return\n")
    return _javascript(
        "function ok(v, i) { return known[i].includes(v) }\n"
        'app.get("/", (req, res) => {\n  const x = req.query.x\n' + guards + "  cp.exec(x)\n})\n"
    )


@shape("go")
def go_guards_in_a_row(size: int) -> Files:
    guards = _each(size, lambda i: f'\tif x == "a{i}" {{\n\t\treturn\n\t}}\n')
    return _go(
        'func H(w http.ResponseWriter, r *http.Request) {\n\tx := r.FormValue("x")\n' + guards
        + '\texec.Command("sh", "-c", x).Run()\n}\n'
    )  # fmt: skip


@shape("javascript")
def javascript_switch(size: int) -> Files:
    cases = _each(size, lambda i: f'    case "a{i}": x = req.query.p{i}; break\n')
    return _javascript(
        'app.get("/", (req, res) => {\n  let x = ""\n  switch (req.query.k) {\n' + cases + "  }\n  cp.exec(x)\n})\n"
    )


@shape("go")
def go_switch(size: int) -> Files:
    cases = _each(size, lambda i: f'\tcase "a{i}":\n\t\tx = r.FormValue("p{i}")\n')
    return _go(
        'func H(w http.ResponseWriter, r *http.Request) {\n\tx := ""\n\tswitch r.Method {\n' + cases
        + '\t}\n\texec.Command("sh", "-c", x).Run()\n}\n'
    )  # fmt: skip


@shape("python")
def python_match(size: int) -> Files:
    cases = _each(size, lambda i: f"    case 'a{i}': x = request.args['p{i}']\n")
    return _python("@app.get('/')\ndef h(k):\n  x = ''\n  match k:\n" + cases + "  os.system(x)\n")


@shape("python")
def python_switched_functions(size: int) -> Files:
    """Many branches, each of which calls a method of the same object, that a sink reads."""
    calls = _each(size, lambda i: f"  if k == {i}: o.m{i}(request.args['p'])\n")
    return _python("@app.get('/')\ndef h(k, o):\n" + calls + "  os.system(o.x)\n")


# -- calls


@shape("python")
def python_call_chain(size: int) -> Files:
    chain = _each(size, lambda i: f"def f{i}(x): return f{i + 1}(x)\n")
    return _python(
        chain + f"def f{size}(x):\n  os.system(x)\n  return x\n"
        "@app.get('/')\ndef h(): os.system(f0(request.args['x']))\n"
    )


@shape("javascript")
def javascript_call_chain(size: int) -> Files:
    chain = _each(size, lambda i: f"function f{i}(x) {{ return f{i + 1}(x) }}\n")
    return _javascript(
        chain + f"function f{size}(x) {{ cp.exec(x); return x }}\n"
        'app.get("/", (req, res) => cp.exec(f0(req.query.x)))\n'
    )


@shape("go")
def go_call_chain(size: int) -> Files:
    chain = _each(size, lambda i: f"func f{i}(x string) string {{\n\treturn f{i + 1}(x)\n}}\n")
    return _go(
        chain + f'func f{size}(x string) string {{\n\texec.Command("sh", "-c", x).Run()\n\treturn x\n}}\n'
        'func H(w http.ResponseWriter, r *http.Request) {\n\texec.Command(f0(r.FormValue("x"))).Run()\n}\n'
    )


def _complete(size: int) -> int:
    """How many functions have ``size`` calls together where each calls all."""
    return max(2, int(size**0.5))


@shape("python")
def python_complete_call_graph(size: int) -> Files:
    """Each function calls every other one with its own argument."""
    count = _complete(size)
    calls = "".join(f"  y = f{i}(y)\n" for i in range(count))
    return _python(
        "".join(f"def f{i}(x):\n  if not x: return x\n  y = x\n{calls}  return y\n" for i in range(count))
        + "@app.get('/')\ndef h(): os.system(f0(request.args['x']))\n"
    )


@shape("javascript")
def javascript_complete_call_graph(size: int) -> Files:
    count = _complete(size)
    calls = "".join(f"  y = f{i}(y)\n" for i in range(count))
    return _javascript(
        "".join(f"function f{i}(x) {{\n  if (!x) return x\n  let y = x\n{calls}  return y\n}}\n" for i in range(count))
        + 'app.get("/", (req, res) => cp.exec(f0(req.query.x)))\n'
    )


@shape("go")
def go_complete_call_graph(size: int) -> Files:
    count = _complete(size)
    calls = "".join(f"\ty = f{i}(y)\n" for i in range(count))
    head = "if x == w {\n\t\treturn x\n\t}\n\ty := x\n"
    return _go(
        'const w = ""\n\n'
        + "".join(f"func f{i}(x string) string {{\n\t{head}{calls}\treturn y\n}}\n" for i in range(count))
        + 'func H(w http.ResponseWriter, r *http.Request) {\n\texec.Command(f0(r.FormValue("x"))).Run()\n}\n'
    )


@shape("python")
def python_recursive_rings(size: int) -> Files:
    """A ring of mutually recursive functions with two parameters that change places."""
    ring = _each(size, lambda i: f"def f{i}(x, y): return x if y else f{(i + 1) % size}(y, x)\n")
    return _python(ring + "@app.get('/')\ndef h(): os.system(f0(request.args['x'], request.args['y']))\n")


@shape("javascript")
def javascript_recursive_rings(size: int) -> Files:
    ring = _each(size, lambda i: f"function f{i}(x, y) {{ return y ? x : f{(i + 1) % size}(y + x, x) }}\n")
    return _javascript(ring + 'app.get("/", (req, res) => cp.exec(f0(req.query.x, req.query.y)))\n')


@shape("javascript")
def javascript_single_entry_rings(size: int) -> Files:
    """Values that feed each other in a loop and go to a function that ignores them."""
    functions = _each(
        size, lambda i: f"function f{i}(x, y) {{ let s = x; while (y) s = x + (x + s); return g(s, y) }}\n"
    )
    calls = _each(size, lambda i: f'app.get("/{i}", (req, res) => cp.exec(f{i}(req.query.p, req.query.q)))\n')
    return _javascript("function g(a, b) { cp.exec(a); return b }\n" + functions + calls)


@shape("python")
def python_one_function_called_often(size: int) -> Files:
    """One helper that returns its argument, with many callers of one source each."""
    return _python(
        "def f(x, y=None): return x\n"
        "@app.get('/')\ndef h():\n" + _each(size, lambda i: f"  os.system(f(request.args['p{i}']))\n")
    )


@shape("javascript")
def javascript_one_function_called_often(size: int) -> Files:
    return _javascript(
        'function f(x) { return x + "" }\n'
        + _each(size, lambda i: f'app.get("/{i}", (q, s) => cp.exec(f(q.query.p)))\n')
    )


@shape("javascript")
def javascript_one_function_fills_its_argument(size: int) -> Files:
    """One helper that changes the object it is given, called often with one object."""
    return _javascript(
        "function f(o, x) { o.a = x; o.b.c = x }\n"
        'app.get("/", (req, res) => {\n  const o = {b: {}}\n' + "  f(o, req.query.x)\n" * size + "  cp.exec(o.a)\n})\n"
    )


@shape("go")
def go_one_function_called_often(size: int) -> Files:
    return _go(
        "func f(x string) string {\n\treturn x\n}\nfunc H(w http.ResponseWriter, r *http.Request) {\n"
        + _each(size, lambda i: f'\texec.Command("sh", "-c", f(r.FormValue("p{i}"))).Run()\n')
        + "}\n"
    )


@shape("python")
def python_many_tainted_parameters(size: int) -> Files:
    names = ", ".join(f"a{i}" for i in range(size))
    values = ", ".join(f"request.args['p{i}']" for i in range(size))
    return _python(
        f"def f({names}):\n  os.system(a0)\n  return [{names}]\n@app.get('/')\ndef h(): os.system(f({values})[1])\n"
    )


@shape("javascript")
def javascript_many_tainted_parameters(size: int) -> Files:
    names = ", ".join(f"a{i}" for i in range(size))
    values = ", ".join(f"req.query.p{i}" for i in range(size))
    return _javascript(
        f"function f({names}) {{ cp.exec(a0); return a0 + a{size - 1} }}\n"
        f'app.get("/", (req, res) => cp.exec(f({values})))\n'
    )


@shape("python")
def python_many_parameters_passed_on(size: int) -> Files:
    """Functions with as many parameters as there are functions, each passed on to the next."""
    count = _complete(size)
    names = ", ".join(f"a{i}" for i in range(count))
    turned = ", ".join(f"a{(i + 1) % count}" for i in range(count))
    values = ", ".join(f"request.args['p{i}']" for i in range(count))
    return _python(
        "".join(f"def f{i}({names}): return a0 if a1 else f{(i + 1) % count}({turned})\n" for i in range(count))
        + f"@app.get('/')\ndef h(): os.system(f0({values}))\n"
    )


@shape("python")
def python_keyword_forwarding(size: int) -> Files:
    """A chain of functions that pass ``*args`` and ``**kwargs`` on."""
    chain = _each(size, lambda i: f"def f{i}(*args, **kwargs): return f{i + 1}(*args, **kwargs)\n")
    return _python(
        chain + f"def f{size}(a, b=None): os.system(a + b)\n"
        "@app.get('/')\ndef h(): f0(request.args['x'], b=request.args['y'])\n"
    )


# -- classes and interfaces


@shape("go")
def go_interface_with_many_types(size: int) -> Files:
    """Many types implement one interface, whose method is called at many places."""
    types = _each(size, lambda i: f"type T{i} struct{{ n int }}\n\nfunc (t *T{i}) Do(x string) string {{ return x }}\n")
    made = _each(size, lambda i: f"\tall = append(all, &T{i}{{}})\n")
    calls = _each(
        200, lambda i: f'\tfor _, d := range all {{\n\t\texec.Command(d.Do(r.FormValue("p{i}"))).Run()\n\t}}\n'
    )
    return _go(
        "type Doer interface{ Do(x string) string }\n\nvar all []Doer\n\n" + types
        + "func init() {\n" + made + "}\n\nfunc H(w http.ResponseWriter, r *http.Request) {\n" + calls + "}\n"
    )  # fmt: skip


@shape("python")
def python_base_with_many_classes(size: int) -> Files:
    classes = _each(size, lambda i: f"class C{i}(Base):\n  def do(self, x): return x\n")
    made = "everything = [" + ", ".join(f"C{i}()" for i in range(size)) + "]\n"
    calls = _each(200, lambda i: f"  for c in everything: os.system(c.do(request.args['p{i}']))\n")
    return _python("class Base:\n  def do(self, x): return x\n" + classes + made + "@app.get('/')\ndef h():\n" + calls)


@shape("javascript")
def javascript_base_with_many_classes(size: int) -> Files:
    classes = _each(size, lambda i: f"class C{i} extends Base {{ run(x) {{ return x }} }}\n")
    made = "const all = [" + ", ".join(f"new C{i}()" for i in range(size)) + "]\n"
    calls = _each(200, lambda i: f"  for (const c of all) cp.exec(c.run(req.query.p{i}))\n")
    return _javascript(
        "class Base { run(x) { return x } }\n" + classes + made + 'app.get("/", (req, res) => {\n' + calls + "})\n"
    )


@shape("python")
def python_class_tower(size: int) -> Files:
    """A chain of base classes, each of which calls the next one's method by ``super``."""
    tower = _each(size, lambda i: f"class C{i + 1}(C{i}):\n  def do(self, x): return super().do(x)\n")
    return _python(
        "class C0:\n  def do(self, x): os.system(x)\n" + tower
        + f"@app.get('/')\ndef h(): C{size}().do(request.args['x'])\n"
    )  # fmt: skip


@shape("go")
def go_embedding_tower(size: int) -> Files:
    tower = _each(size, lambda i: f"type T{i + 1} struct{{ T{i} }}\n")
    return _go(
        "type T0 struct{ x string }\n\nfunc (t *T0) Run() {\n\texec.Command(t.x).Run()\n}\n\n" + tower
        + f'func H(w http.ResponseWriter, r *http.Request) {{\n\tt := &T{size}{{}}\n\tt.x = r.FormValue("x")\n'
        "\tt.Run()\n}\n"
    )  # fmt: skip


@shape("python")
def python_diamonds(size: int) -> Files:
    """Classes with two bases each, the two classes before."""
    tower = _each(size, lambda i: f"class C{i + 2}(C{i + 1}, C{i}):\n  def m{i}(self, x): self.f{i} = x\n")
    return _python(
        "class C0:\n  def do(self, x): os.system(x)\nclass C1:\n  pass\n" + tower
        + f"@app.get('/')\ndef h(): C{size + 1}().do(request.args['x'])\n"
    )  # fmt: skip


@shape("javascript")
def javascript_methods_of_one_name(size: int) -> Files:
    """Many objects have a method of one name, and calls of it have an unknown receiver."""
    objects = _each(size, lambda i: f"const o{i} = {{ run(x) {{ return this.y = x }} }}\n")
    calls = _each(size, lambda i: f'app.get("/{i}", (req, res, o) => cp.exec(o.run(req.query.p)))\n')
    return _javascript(objects + calls)


# -- functions as values


@shape("python")
def python_decorator_tower(size: int) -> Files:
    """One function under many decorators."""
    return _python(
        "import functools\n"
        "def wrap(f):\n  @functools.wraps(f)\n  def inner(*args, **kwargs): return f(*args, **kwargs)\n  return inner\n"
        + "@app.get('/')\n"
        + "@wrap\n" * size
        + "def h(): os.system(request.args['x'])\n"
    )


@shape("python")
def python_decorated_functions(size: int) -> Files:
    """Many functions under one decorator, each called with a source."""
    return _python(
        "def wrap(f):\n  def inner(*args, **kwargs): return f(*args, **kwargs)\n  return inner\n"
        + _each(size, lambda i: f"@wrap\ndef f{i}(x): os.system(x)\n")
        + "@app.get('/')\ndef h():\n"
        + _each(size, lambda i: f"  f{i}(request.args['p'])\n")
    )


@shape("python")
def python_different_decorators(size: int) -> Files:
    """Each decorator is used for one function and calls the decorator before."""
    return _python(
        "def d0(f): return f\n"
        + _each(size, lambda i: f"def d{i + 1}(f):\n  def g(x): return d{i}(f)(x)\n  return g\n")
        + f"@app.get('/')\n@d{size}\ndef h(x): os.system(request.args['x'])\n"
    )


@shape("javascript")
def javascript_nested_closures(size: int) -> Files:
    """Closures in closures, each with a variable of its own that the innermost one reads."""
    count = min(200, size)
    opening = "".join(f"  const v{i} = req.query.p{i}; const f{i} = () => {{\n" for i in range(count))
    reading = " + ".join(f"v{i}" for i in range(count))
    closing = "".join(f"  }}; f{i}()\n" for i in reversed(range(count)))
    return _javascript(
        _each(
            max(1, size // count),
            lambda i: f'app.get("/{i}", (req, res) => {{\n{opening}  cp.exec({reading})\n{closing}}})\n',
        )
    )


@shape("python")
def python_nested_closures(size: int) -> Files:
    count = min(90, size)  # Python allows no more levels of indentation than 100
    text = ""
    for i in range(count):
        text += " " * (i + 1) + f"v{i} = request.args['p{i}']\n" + " " * (i + 1) + f"def f{i}():\n"
    text += " " * (count + 1) + f"os.system({' + '.join(f'v{i}' for i in range(count))})\n"
    for i in reversed(range(count)):
        text += " " * (i + 1) + f"f{i}()\n"
    return _python(_each(max(1, size // count), lambda i: f"@app.get('/{i}')\ndef h{i}():\n{text}"))


@shape("javascript")
def javascript_closures_share_a_variable(size: int) -> Files:
    """Many closures of one function write and read one variable."""
    closures = _each(size, lambda i: f"  app.get('/{i}', (req, res) => {{ x = req.query.p; cp.exec(x) }})\n")
    return _javascript("function setup() {\n  let x = ''\n" + closures + "}\nsetup()\n")


@shape("javascript")
def javascript_promise_chain(size: int) -> Files:
    return _javascript(
        'app.get("/", (req, res) => Promise.resolve(req.query.x)\n'
        + "  .then(x => x)\n" * size
        + "  .then(x => cp.exec(x)))\n"
    )


@shape("javascript")
def javascript_promises_passed_on(size: int) -> Files:
    """Each promise is a variable, from which the next one is made."""
    chain = _each(size, lambda i: f"  const p{i + 1} = p{i}.then(x => [x]).catch(e => e)\n")
    return _javascript(
        'app.get("/", async (req, res) => {\n  const p0 = Promise.resolve(req.query.x)\n' + chain
        + f"  cp.exec(await p{size})\n}})\n"
    )  # fmt: skip


@shape("javascript")
def javascript_callbacks_in_callbacks(size: int) -> Files:
    """Functions passed through functions that call them, as deep as the syntax allows."""
    count = min(200, size)
    opening = "".join(f"each(x{i}, x{i + 1} => " for i in range(count))
    return _javascript(
        "function each(x, f) { return f(x) }\n"
        + _each(size // count, lambda i: f'app.get("/{i}", (req, res) => {{ const x0 = req.query.x; {opening}'
                f"cp.exec(x{count}){')' * count} }})\n")
    )  # fmt: skip


@shape("python")
def python_functions_in_a_table(size: int) -> Files:
    """A table of many functions, one of which is called with a source by an unknown key."""
    return _python(
        _each(size, lambda i: f"def f{i}(x): os.system(x)\n")
        + "table = {" + ", ".join(f"'k{i}': f{i}" for i in range(size)) + "}\n"
        + "@app.get('/')\ndef h(): table[request.args['k']](request.args['x'])\n"
    )  # fmt: skip


@shape("javascript")
def javascript_functions_in_a_table(size: int) -> Files:
    return _javascript(
        "const table = {\n" + _each(size, lambda i: f"  k{i}(x) {{ return table.k{(i * 7 + 1) % size}(x) }},\n") + "}\n"
        'app.get("/", (req, res) => cp.exec(table[req.query.k](req.query.x)))\n'
    )


@shape("python")
def python_functions_through_one_hub(size: int) -> Files:
    """One function is given many functions, calls them, and hands them on to itself."""
    return _python(
        "def run(f, x):\n  run(f, x)\n  return f(x)\n"
        + _each(size, lambda i: f"def f{i}(x):\n  os.system(x)\n  return f{(i + 1) % size}\n")
        + "@app.get('/')\ndef h():\n"
        + _each(size, lambda i: f"  run(f{i}, request.args['p'])\n")
    )


@shape("go")
def go_functions_through_one_hub(size: int) -> Files:
    return _go(
        "func run(f func(string) string, x string) string {\n\treturn f(x)\n}\n"
        + _each(size, lambda i: f"func f{i}(x string) string {{\n\treturn x\n}}\n")
        + "func H(w http.ResponseWriter, r *http.Request) {\n"
        + _each(size, lambda i: f'\texec.Command(run(f{i}, r.FormValue("p"))).Run()\n')
        + "}\n"
    )


@shape("javascript")
def javascript_event_emitter(size: int) -> Files:
    """Many handlers of one emitter, under many names, with many places that emit."""
    return _javascript(
        'const bus = new (require("events"))()\n'
        + _each(size, lambda i: f'bus.on("e{i}", x => cp.exec(x))\n')
        + _each(size, lambda i: f'app.get("/{i}", (req, res) => bus.emit("e{i}", req.query.p))\n')
    )


# -- objects in objects


@shape("python")
def python_object_graph(size: int) -> Files:
    """Objects that point to each other in one large ring, with a source in each."""
    return _python(
        "@app.get('/')\ndef h():\n  o0 = {}\n"
        + _each(size, lambda i: f"  o{i + 1} = {{'next': o{i}, 'x': request.args['p']}}\n")
        + f"  o0['next'] = o{size}\n  o = o{size}\n  while o: o = o['next']\n  os.system(o['x'])\n"
    )


@shape("python")
def python_collections_of_changed_objects(size: int) -> Files:
    """Each list takes over all that another one holds, whose elements change after it: ``reverse_reads``."""
    body = _each(size, lambda i: f"  l{i % 7}.extend(m)\n  y = m[{i % 5}]\n  y.a = v\n  m.append(y)\n")
    lists = "  m = []\n" + _each(7, lambda i: f"  l{i} = []\n")
    head = f"@app.get('/')\ndef h():\n  v = request.args['q']\n{lists}"
    return {"app.py": PYTHON_HEAD + head + body + "  os.system(l0[0].a)\n"}


@shape("python", largest=3_000)
def python_getters_of_getters(size: int) -> Files:
    """Functions that return what another one returns, at the end a field of the object, which the caller changes."""
    getters = "def f0(x): return x.a\n" + _each(size, lambda i: f"def f{i + 1}(x): return f{i}(x)\n")
    body = f"  y = f{size}(box)\n  y.b = request.args['q']\n  os.system(box.a.b)\n"
    return {"app.py": PYTHON_HEAD + "class Box: pass\n" + getters + "@app.get('/')\ndef h():\n  box = Box()\n" + body}


@shape("javascript")
def javascript_object_graph(size: int) -> Files:
    return _javascript(
        'app.get("/", (req, res) => {\n  const o0 = {}\n'
        + _each(size, lambda i: f"  const o{i + 1} = {{ next: o{i}, other: o{i // 2}, x: req.query.p{i} }}\n")
        + f"  o0.next = o{size}\n  let o = o{size}\n  while (o) o = o.next || o.other\n  cp.exec(o.x)\n}})\n"
    )


@shape("javascript")
def javascript_deep_paths(size: int) -> Files:
    """An object is filled under many paths of three keys and passed through a few functions."""
    side = max(2, round(size ** (1 / 3)))
    stores = "".join(
        f"  o.a{i}.b{j}.c{k} = req.query.p\n" for i in range(side) for j in range(side) for k in range(side)
    )
    loads = "".join(f"  cp.exec(g(o).a{i}.b{j}.c{k})\n" for i in range(side) for j in range(side) for k in range(side))
    return _javascript(
        'function g(o) { return o }\napp.get("/", (req, res) => {\n  const o = init()\n' + stores + loads + "})\n"
    )


@shape("javascript")
def javascript_copies_of_copies(size: int) -> Files:
    """Objects that spread the one before and store one more field."""
    return _javascript(
        'app.get("/", (req, res) => {\n  const o0 = { ...req.body }\n'
        + _each(size, lambda i: f"  const o{i + 1} = {{ ...o{i}, f{i}: req.query.p{i} }}\n")
        + f"  cp.exec(o{size}.f0)\n}})\n"
    )


@shape("python")
def python_linked_assignments(size: int) -> Files:
    """Tuples of all variables are assigned in a turned order, many times."""
    count = _complete(size)
    names = [f"v{i}" for i in range(count)]
    turn = f"    {', '.join(names)} = {', '.join([*names[1:], names[0]])}\n"
    return _python(
        "@app.get('/')\ndef h():\n" + "".join(f"  {n} = request.args['{n}']\n" for n in names)
        + "  while more():\n" + turn * count + f"  os.system({names[0]})\n"
    )  # fmt: skip


@shape("javascript")
def javascript_constructor_functions(size: int) -> Files:
    """Functions with prototypes that inherit from each other."""
    return _javascript(
        "function F0() {}\nF0.prototype.run = function (x) { cp.exec(x) }\n"
        + _each(size, lambda i: f"function F{i + 1}() {{ F{i}.call(this) }}\nF{i + 1}.prototype = new F{i}()\n")
        + f'app.get("/", (req, res) => new F{size}().run(req.query.x))\n'
    )


# -- files


@shape("python", largest=3_000)
def python_star_import_chain(size: int) -> Files:
    """Modules that export all that the next one exports."""
    files = {f"m{i}.py": f"from m{i + 1} import *\n" for i in range(size)}
    files[f"m{size}.py"] = "import os\ndef run(x): os.system(x)\n"
    return {**files, "app.py": PYTHON_HEAD + "from m0 import *\n@app.get('/')\ndef h(): run(request.args['x'])\n"}


@shape("javascript", largest=3_000)
def javascript_reexport_chain(size: int) -> Files:
    files = {f"m{i}.js": f'export * from "./m{i + 1}.js"\nexport default 1\n' for i in range(size)}
    files[f"m{size}.js"] = 'import cp from "child_process"\nexport function run(x) { cp.exec(x) }\n'
    head = 'import express from "express"\nimport { run } from "./m0.js"\nconst app = express()\n'
    return {**files, "app.js": head + 'app.get("/", (req, res) => run(req.query.x))\n'}


@shape("javascript", largest=3_000)
def javascript_barrel(size: int) -> Files:
    """One file exports everything that all others export, and all others import it."""
    files = {
        f"m{i}.js": f'import {{ f{after} }} from "./index.js"\nexport function f{i}(x) {{ return f{after}(x) }}\n'
        for i, after in zip(range(size), [*range(1, size), 0], strict=True)
    }
    files["index.js"] = _each(size, lambda i: f'export * from "./m{i}.js"\n')
    head = 'import express from "express"\nimport cp from "child_process"\nimport { f0 } from "./index.js"\n'
    return {**files, "app.js": head + 'express().get("/", (req, res) => cp.exec(f0(req.query.x)))\n'}


@shape("go", largest=3_000)
def go_many_files_of_one_package(size: int) -> Files:
    """A package variable that every file of the package assigns and passes to a sink."""
    files = {
        f"f{i}.go": GO_HEAD + f"func H{i}(w http.ResponseWriter, r *http.Request) {{\n"
        '\tshared = r.FormValue("p")\n\texec.Command(shared).Run()\n}\n'
        for i in range(size)
    }
    return {**files, "go.mod": "module example.test/m\n\ngo 1.22\n", "main.go": "package m\n\nvar shared string\n"}


# -- pages and their server


@shape("javascript", largest=3_000)
def javascript_requests_of_own_routes(size: int) -> Files:
    """As many routes as requests, all of which end in the same part, through one function that completes addresses."""
    routes = _each(size, lambda i: f'app.get("/r{i}/:id", (req, res) => res.json({{ v: kept, r{i}: 1 }}))\n')
    asked = _each(size, lambda i: f'ask("/r{i}/" + id).then((d) => {{ out.innerHTML = d.v }})\n')
    client = "const ask = (path) => fetch(path).then((r) => r.json())\n" + asked
    server = _javascript("let kept\napp.post('/', (req, res) => { kept = req.body.v })\n" + routes)
    return {**server, "public/page.js": client}


@shape("javascript", largest=10_000)
def javascript_addresses_of_many_parts(size: int) -> Files:
    """An address and a route of many parts, with a variable in each."""
    address = "".join(f"/p${{a{i}}}" for i in range(size))
    route = "".join(f"/p:a{i}(" for i in range(size))
    server = _javascript(f'app.get("{route}", (req, res) => res.json({{ v: req.query.v }}))\n')
    return {**server, "public/page.js": f"fetch(`{address}`).then((r) => r.json())\n"}


@shape("go", largest=10_000)
def go_fields_with_other_names(size: int) -> Files:
    """Fields of one struct, whose tags name them in JSON, on lines that end in no tag."""
    fields = _each(size, lambda i: f'\tF{i} string `json:"f{i}"` // `json:`json:\n')
    code = "package m\n\ntype T struct {\n" + fields + "}\n"
    return {"go.mod": "module example.test/m\n\ngo 1.22\n", "main.go": code, "page.js": 'fetch("/a")\n'}
