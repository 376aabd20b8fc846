"""Shapes for what asks about values: checks on paths, look-ups of rows, elements of lists, schemas, forms, sessions."""

from __future__ import annotations

from tools.fuzz.shapes import Files, shape
from tools.fuzz.shapes.whole_program import _each, _go, _javascript, _python

SMALL = 30

# -- many questions, each about a value of its own, in one function


@shape("python", small=SMALL)
def python_checked_values(size: int) -> Files:
    return _python(
        "def ok(v): return v in known\n@app.get('/')\ndef h():\n"
        + _each(
            size,
            lambda i: f"  a{i} = request.args['p{i}']\n  if not ok(a{i}): return 'no'\n  os.system(a{i})\n",
        )
    )


@shape("python", small=SMALL)
def python_reads_again_behind_checks(size: int) -> Files:
    """One parameter is read for each check, and again behind it: ``repeated_reads``."""
    return _python(
        "@app.get('/')\ndef h():\n"
        + _each(
            size,
            lambda i: (
                f"  if request.args.get('q') == 'a{i}':\n    os.system(request.args.get('q') + request.args['q'])\n"
            ),
        )
    )


@shape("javascript", small=SMALL)
def javascript_checked_values(size: int) -> Files:
    checked = _each(
        size, lambda i: f"  const a{i} = req.query.p{i}\n  if (!known[{i}].includes(a{i})) return\n  cp.exec(a{i})\n"
    )
    return _javascript('app.get("/", (req, res) => {\n' + checked + "})\n")


@shape("go", small=SMALL)
def go_checked_values(size: int) -> Files:
    checked = _each(
        size,
        lambda i: (
            f'\ta{i} := r.FormValue("p{i}")\n\tif !ok(a{i}) {{\n\t\treturn\n\t}}\n'
            f'\texec.Command("sh", "-c", a{i}).Run()\n'
        ),
    )
    return _go(
        "var known map[string]bool\nfunc ok(v string) bool {\n\treturn known[v]\n}\n"
        "func H(w http.ResponseWriter, r *http.Request) {\n" + checked + "}\n"
    )


@shape("python", small=SMALL)
def python_checks_between_sinks(size: int) -> Files:
    """One value, checked again before each sink."""
    return _python(
        "@app.get('/')\ndef h():\n  x = request.args['x']\n"
        + _each(size, lambda i: f"  if x == other[{i}]: return 'no'\n  os.system(x)\n")
    )


@shape("python", small=SMALL)
def python_rows_looked_up(size: int) -> Files:
    return _python(
        "from shop.models import File\n@app.get('/')\ndef h():\n"
        + _each(
            size,
            lambda i: f"  a{i} = request.args['p{i}']\n  File.objects.get(path=a{i})\n  os.system(a{i})\n",
        )
    )


@shape("python", small=SMALL)
def python_row_conditions(size: int) -> Files:
    """Comparisons in the arguments of calls, each of which is looked for among all conditions of the function."""
    return _python(
        "from shop.models import File\n@app.get('/')\ndef h():\n  x = request.args['x']\n"
        + _each(size, lambda i: f"  if not db.query(File).filter(File.a{i} == x).first(): return 'no'\n")
        + "  os.system(x)\n"
    )


@shape("python", small=SMALL)
def python_helpers_that_raise(size: int) -> Files:
    """Each check calls the next one before it raises."""
    return _python(
        _each(
            size,
            lambda i: f"def check{i}(v):\n  check{(i + 1) % size}(v)\n  if v in known[{i}]: raise ValueError(v)\n",
        )
        + "@app.get('/')\ndef h():\n  x = request.args['x']\n"
        + _each(size, lambda i: f"  check{i}(x)\n")
        + "  os.system(x)\n"
    )


# -- elements of lists


@shape("python", small=SMALL)
def python_elements_checked(size: int) -> Files:
    loops = _each(size, lambda i: f"  for x in xs:\n    if x not in known[{i}]: return 'no'\n")
    return _python(
        "@app.get('/')\ndef h():\n  xs = request.args.getlist('x')\n" + loops + "  os.system(' '.join(xs))\n"
    )


@shape("javascript", small=SMALL)
def javascript_lists_with_checked_elements(size: int) -> Files:
    """Lists of their own, each checked in a loop before its sink."""
    loops = _each(
        size,
        lambda i: (
            f"  const xs{i} = req.body.p{i}\n  for (const x of xs{i}) if (!known.includes(x)) return\n"
            f"  cp.exec(xs{i}.join())\n"
        ),
    )
    return _javascript('app.post("/", (req, res) => {\n' + loops + "})\n")


@shape("javascript", small=SMALL)
def javascript_captured_list(size: int) -> Files:
    """One list that many callbacks fill, empty and read."""
    return _javascript(
        "function main() {\n  let list = []\n"
        + _each(
            size,
            lambda i: (
                f'  app.get("/{i}", (req, res) => {{ list.push(req.query.p{i}); list.forEach(x => cp.exec(x)); '
                "list = [] })\n"
            ),
        )
        + "}\nmain()\n"
    )


# -- schemas, forms, sessions, formats


@shape("javascript", small=SMALL)
def javascript_schema_wrappers(size: int) -> Files:
    """Each schema wraps the one before it."""
    return _javascript(
        'const { z } = require("zod")\nconst s0 = z.object({ a: z.enum(["a", "b"]) })\n'
        + _each(size, lambda i: f"const s{i + 1} = z.object({{ a: s{i}.optional(), b: z.array(s{i}) }})\n")
        + f'app.post("/", (req, res) => cp.exec(s{size}.parse(req.body).b[0].a))\n'
    )


@shape("javascript", small=SMALL)
def javascript_schemas_that_share_parts(size: int) -> Files:
    """Four levels of unions, each of all unions below it, and an object with many fields that are such unions."""
    levels, width = 4, 16
    unions = ", ".join(f"u{{level}}_{i}" for i in range(width))
    return _javascript(
        'const { z } = require("zod")\n'
        + _each(width, lambda i: f"const u0_{i} = z.array(z.object({{ p{i}: z.string() }})).optional()\n")
        + "".join(
            f"const u{level}_{i} = z.union([{unions.replace('{level}', str(level - 1))}])\n"
            for level in range(1, levels + 1)
            for i in range(width)
        )
        + "const all = z.object({\n"
        + _each(size, lambda i: f"  a{i}: u{levels}_{i % width},\n")
        + '})\napp.post("/", (req, res) => cp.exec(all.parse(req.body).a0[0].p0))\n'
    )


@shape("javascript", small=SMALL)
def javascript_objects_that_share_fields(size: int) -> Files:
    """Four levels of objects, whose fields are all objects below it."""
    width = 12
    return _javascript(
        'const { z } = require("zod")\n'
        + _each(width, lambda i: f"const o0_{i} = z.object({{ p{i}: z.string(), n: z.number() }})\n")
        + "".join(
            f"const o{level}_{i} = z.object({{{', '.join(f'k{j}: o{level - 1}_{j}' for j in range(width))}}})\n"
            for level in range(1, 5)
            for i in range(width)
        )
        + "const all = z.object({\n"
        + _each(size, lambda i: f"  a{i}: o4_{i % width},\n")
        + '})\napp.post("/", (req, res) => cp.exec(all.parse(req.body).a0.k0.k0.k0.k0.p0))\n'
    )


@shape("javascript", small=SMALL)
def javascript_json_schemas_that_share_parts(size: int) -> Files:
    """Four levels of tables in JSON Schema, whose properties are all tables below, and routes with them."""
    width = 12
    return _javascript(
        'const fastify = require("fastify")()\n'
        + _each(width, lambda i: f'const t0_{i} = {{ type: "object", properties: {{ p{i}: {{ type: "string" }} }} }}\n')
        + "".join(
            f'const t{level}_{i} = {{ type: "object", properties: {{'
            + ", ".join(f"k{j}: t{level - 1}_{j}" for j in range(width))
            + "} }\n"
            for level in range(1, 5)
            for i in range(width)
        )
        + _each(
            size,
            lambda i: (
                f'fastify.post("/{i}", {{ schema: {{ body: t4_{i % width} }} }}, '
                f"async (req) => cp.exec(req.body.k0.k0.k0.k0.p{i}))\n"
            ),
        )
    )


@shape("python", small=SMALL)
def python_form_with_many_fields(size: int) -> Files:
    return _python(
        "from django import forms\nclass F(forms.Form):\n"
        + _each(size, lambda i: f"  a{i} = forms.CharField()\n")
        + "def h(request):\n  form = F(request.POST)\n  if not form.is_valid(): return\n"
        + _each(size, lambda i: f"  os.system(form.cleaned_data['a{i}'])\n")
    )


@shape("python", small=SMALL)
def python_session_keys(size: int) -> Files:
    return _python(
        "from flask import session\n"
        + _each(
            size,
            lambda i: (
                f"@app.get('/{i}')\ndef h{i}():\n  session['k{i}'] = request.args['p']\n  os.system(session['k{i}'])\n"
            ),
        )
    )


@shape("python", small=SMALL)
def python_format_with_names(size: int) -> Files:
    names = " ".join(f"{{a{i}}}" for i in range(size))
    values = ", ".join(f"a{i}=request.args['p{i}']" for i in range(size))
    return _python(f"@app.get('/')\ndef h():\n  os.system('{names}'.format({values}))\n")


@shape("go", small=SMALL)
def go_generated_declarations(size: int) -> Files:
    """Generated types with methods, which a program that is read uses."""
    declared = _each(
        size,
        lambda i: (
            f'type T{i} struct {{\n\tA *T{(i + 1) % size} `json:"a"`\n\tB string `json:"b"`\n}}\n'
            f"func (t *T{i}) GetB() string {{\n\treturn t.B\n}}\n"
        ),
    )
    return {
        "go.mod": "module example.test/m\n\ngo 1.22\n",
        "types.pb.go": "// Code generated by protoc-gen-go. DO NOT EDIT.\n\npackage m\n\n" + declared,
        "main.go": 'package m\n\nimport (\n\t"encoding/json"\n\t"net/http"\n\t"os/exec"\n)\n\n'
        "func H(w http.ResponseWriter, r *http.Request) {\n\tvar t T0\n\tjson.NewDecoder(r.Body).Decode(&t)\n"
        '\texec.Command("sh", "-c", t.A.GetB()).Run()\n}\n',
    }


@shape("javascript", small=SMALL)
def javascript_checks_that_call_each_other(size: int) -> Files:
    """Nine checks return what any of the others say: a value that they are asked about comes back on each way."""
    others = 9
    checks = _each(
        size,
        lambda i: (
            f"function f{i}(v) {{\n"
            + "".join(f"  if (v.k{j}) return f{(i // others * others + j) % size}(v);\n" for j in range(others))
            + f"  return f{(i + 1) % size}(v);\n}}\n"
        ),
    )
    return _javascript(
        checks + "app.get('/', (req, res) => {\n  if (!f0(req.query)) return res.sendStatus(401);\n"
        "  res.send('<p>' + req.query.name);\n});\n"
    )
