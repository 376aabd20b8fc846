"""Shapes for the stages that work file by file: discovery, lowering, suppressions, templates, patterns, manifests."""

from __future__ import annotations

from collections.abc import Callable

from tools.fuzz.shapes import Files, shape

LANGUAGES = {"python": "program.py", "javascript": "program.js", "typescript": "program.ts", "tsx": "program.tsx"}


def _file(language: str, text: str) -> Files:
    """A program of one file."""
    if language == "go":
        return {"go.mod": "module example.test/m\n\ngo 1.22\n", "program.go": "package m\n\n" + text}
    return {LANGUAGES[language]: text}


# -- one construct nested in itself: (before, opening, innermost, closing, after)

_GO_F = "func f(x int, g func(int) int) int {\n"

NESTED: dict[str, dict[str, tuple[str, str, str, str, str]]] = {
    "python": {
        "parentheses": ("x = ", "(", "1", ")", "\n"),
        "lists": ("x = ", "[", "1", "]", "\n"),
        "dictionaries": ("x = ", "{1:", "1", "}", "\n"),
        "tuples": ("x = ", "(y,", "1", ")", "\n"),
        "calls": ("x = ", "f(", "1", ")", "\n"),
        "subscripts": ("x = ", "a[", "1", "]", "\n"),
        "unary-operators": ("x = ", "-", "y", "", "\n"),
        "negations": ("x = ", "not ", "y", "", "\n"),
        "power": ("x = ", "y**", "y", "", "\n"),
        "conditional-expressions": ("def f(y):\n    x = ", "y if y else ", "y", "", "\n    return x\n"),
        "lambdas": ("x = ", "lambda a:", "1", "", "\n"),
        "lambda-defaults": ("x = ", "lambda a=", "1", ":a", "\n"),
        "comprehensions": ("x = ", "[a for a in ", "y", "]", "\n"),
        "comprehension-clauses": ("x = [a", " for a in y", "", "", "]\n"),
        "comprehension-conditions": ("x = [a for a in y", " if a", "", "", "]\n"),
        "f-strings": ("x = ", "f'{", "y", "}'", "\n"),
        "annotations": ("x: ", "A[", "B", "]", " = 1\n"),
        "walrus": ("x = ", "(y := ", "1", ")", "\n"),
        "starred-targets": ("", "[a, *", "b", "]", " = y\n"),
        "awaits": ("async def f(y):\n    return ", "await ", "y", "", "\n"),
        "attributes": ("x = y", "", "", ".a", "\n"),
        "calls-of-calls": ("x = y", "", "", "()", "\n"),
        "elements-of-elements": ("x = y", "", "", "[0]", "\n"),
        "binary-chain": ("def f(y):\n    x = y", "", "", "+y", "\n    return x\n"),
        "boolean-chain": ("def f(y):\n    if y", "", "", " and y", ":\n        return y\n"),
        "or-chain": ("def f(y):\n    x = y", "", "", " or y", "\n    return x\n"),
        "nested-conjunctions": ("def f(y):\n    if ", "(y and ", "y", ")", ":\n        return y\n"),
        "comparison-chain": ("def f(y):\n    if y", "", "", "<y", ":\n        return y\n"),
        "string-concatenation": ("x = ''", "", "", " 'a'", "\n"),
        "percent-chain": ("x = y", "", "", " % y", "\n"),
        "assignments-in-a-row": ("", "a=", "1", "", "\n"),
        "deletes": ("a = [1]\ndel a", "", "", "[0]", "\n"),
        "match-patterns": ("match y:\n    case ", "[a,", "b", "]", ":\n        pass\n"),
        "match-classes": ("match y:\n    case ", "A(", "b", ")", ":\n        pass\n"),
        "match-alternatives": ("match y:\n    case 1", "", "", "|1", ":\n        pass\n"),
        "decorators": ("", "@d\n", "", "", "def f():\n    pass\n"),
        "else-ifs": ("def f(y):\n    if y:\n        pass\n", "    elif y: pass\n", "", "", ""),
        "handlers": ("def f(y):\n    try:\n        y()\n", "    except E: y=1\n", "", "", "    return y\n"),
        "unclosed-parentheses": ("x = ", "(", "", "", "\n"),
        "unclosed-brackets": ("x = ", "[", "", "", "\n"),
        "unclosed-f-strings": ("x = ", "f'{", "", "", "\n"),
        "closing-brackets": ("x = 1\n", "", "", ")", "\n"),
        "prints": ("", "print ", "1", "", "\n"),
        "with-items": ("def f(a):\n    with a as b", "", "", ", a as b", ":\n        return b\n"),
    },
    "javascript": {
        "parentheses": ("x = ", "(", "1", ")", "\n"),
        "arrays": ("x = ", "[", "1", "]", "\n"),
        "objects": ("x = ", "{a:", "1", "}", "\n"),
        "calls": ("x = ", "f(", "1", ")", "\n"),
        "constructors": ("x = ", "new ", "F", "()", "\n"),
        "subscripts": ("x = ", "a[", "1", "]", "\n"),
        "unary-operators": ("x = ", "!", "y", "", "\n"),
        "typeofs": ("x = ", "typeof ", "y", "", "\n"),
        "conditional-expressions": ("function f(y){return ", "y?y:", "y", "", "}\n"),
        "conditional-consequences": ("function f(y){return ", "y?", "y", ":y", "}\n"),
        "arrow-functions": ("x = ", "a=>", "1", "", "\n"),
        "arrow-bodies": ("x = ", "a=>{return ", "1", "}", "\n"),
        "functions": ("", "function f(a){", "return a", "}", "\n"),
        "function-expressions": ("x = ", "function(a){return ", "a", "}", "\n"),
        "immediate-functions": ("", "(function(a){", "g(a)", "})()", "\n"),
        "classes": ("x = ", "class{static a=", "1", "}", "\n"),
        "class-heritage": ("x = ", "class extends ", "A", "{}", "\n"),
        "methods": ("x = ", "{m(){return ", "1", "}}", "\n"),
        "blocks": ("", "{", "a()", "}", "\n"),
        "ifs": ("function f(y){", "if(y)", "y()", "", "}\n"),
        "else-ifs": ("function f(y){", "if(y)y();else ", "y()", "", "}\n"),
        "while-loops": ("function f(y){", "while(y)", "y()", "", "}\n"),
        "for-loops": ("function f(y){", "for(;;)", "y()", "", "}\n"),
        "for-of-loops": ("function f(y){", "for(a of y)", "y(a)", "", "}\n"),
        "do-loops": ("function f(y){", "do ", "y()", ";while(y)", "}\n"),
        "labels": ("function f(y){", "a:", "y()", "", "}\n"),
        "labelled-loops": ("function f(y){", "a:for(;;)", "{break a}", "", "}\n"),
        "tries": ("function f(y){", "try{", "y()", "}catch(e){y=e}", "return y}\n"),
        "finallies": ("function f(y){", "try{y=1}finally{", "y()", "}", "return y}\n"),
        "try-finallies": ("function f(y){", "try{", "y()", "}finally{y=1}", "return y}\n"),
        "catches": ("function f(y){", "try{y()}catch(e){", "y(e)", "}", "return y}\n"),
        "switches": ("function f(y){", "switch(y){case 1:", "y()", "}", "}\n"),
        "template-literals": ("x = ", "`${", "y", "}`", "\n"),
        "tagged-templates": ("x = y", "", "", "``", "\n"),
        "attributes": ("x = y", "", "", ".a", "\n"),
        "optional-chaining": ("x = y", "", "", "?.a", "\n"),
        "calls-of-calls": ("x = y", "", "", "()", "\n"),
        "methods-of-methods": ("x = y", "", "", ".a(1)", "\n"),
        "elements-of-elements": ("x = y", "", "", "[0]", "\n"),
        "binary-chain": ("function f(y){return y", "", "", "+y", "}\n"),
        "and-chain": ("function f(y){if(y", "", "", "&&y", ")return y}\n"),
        "or-chain": ("function f(y){return y", "", "", "||y", "}\n"),
        "nullish-chain": ("function f(y){return y", "", "", "??y", "}\n"),
        "nested-conjunctions": ("function f(y){if(", "(y&&", "y", ")", ")return y}\n"),
        "commas": ("x = (y", "", "", ",y", ")\n"),
        "assignments-in-a-row": ("", "a=", "1", "", "\n"),
        "array-patterns": ("", "[", "a", "]", " = y\n"),
        "object-patterns": ("({a:", "{a:", "b", "}", "} = y)\n"),
        "parameter-patterns": ("function f(", "[", "a", "]", "){return a}\n"),
        "default-parameters": ("function f(a=", "(a=", "1", ")=>1", "){}\n"),
        "pattern-defaults": ("", "[a=", "b", "]", " = y\n"),
        "spreads": ("x = ", "[...", "y", "]", "\n"),
        "object-spreads": ("x = ", "{...", "y", "}", "\n"),
        "awaits": ("async function f(y){return ", "await ", "y", "", "}\n"),
        "yields": ("function* f(y){return ", "yield ", "y", "", "}\n"),
        "callbacks": ("", "f(a=>", "a", ")", "\n"),
        "promise-chain": ("x = y", "", "", ".then(a=>a)", "\n"),
        "jsx": ("x = ", "<a>", "b", "</a>", "\n"),
        "jsx-expressions": ("x = ", "<a>{", "b", "}</a>", "\n"),
        "jsx-attributes": ("x = ", "<a b={", "c", "}/>", "\n"),
        "divisions": ("x = y", "", "", "/y", "\n"),
        "comments": ("", "/*", "", "*/", "\n"),
        "unclosed-braces": ("", "{", "", "", "\n"),
        "unclosed-parentheses": ("x = ", "(", "", "", "\n"),
        "unclosed-templates": ("x = ", "`${", "", "", "\n"),
        "unclosed-tags": ("x = ", "<a>", "", "", "\n"),
        "closing-braces": ("x = 1\n", "", "", "}", "\n"),
        "imports": ("x = ", "import(", "'a'", ")", "\n"),
        "deletes": ("", "delete ", "a", "", "\n"),
        "in-chain": ("x = y", "", "", " in y", "\n"),
    },
    "typescript": {
        "generics": ("let x: ", "A<", "B", ">", " = y\n"),
        "array-types": ("let x: A", "", "", "[]", " = y\n"),
        "object-types": ("let x: ", "{a:", "B", "}", " = y\n"),
        "union-types": ("let x: A", "", "", "|A", " = y\n"),
        "function-types": ("let x: ", "(a:A)=>", "B", "", " = y\n"),
        "conditional-types": ("type X<T> = ", "T extends A?B:", "C", "", "\n"),
        "type-assertions": ("let x = y", "", "", " as A", "\n"),
        "old-assertions": ("let x = ", "<A>", "y", "", "\n"),
        "non-null": ("let x = y", "", "", "!", "\n"),
        "call-generics": ("let x = f", "<A", "", ">", "()\n"),
        "namespaces": ("", "namespace a{", "let x = 1", "}", "\n"),
        "namespace-names": ("let x: a", "", "", ".a", " = y\n"),
        "decorators": ("", "@d ", "class A{}", "", "\n"),
        "keyof-types": ("let x: ", "keyof ", "A", "", " = y\n"),
        "parenthesized-types": ("let x: ", "(", "A", ")", " = y\n"),
        "unclosed-generics": ("let x: ", "A<", "", "", " = y\n"),
    },
    "go": {
        "parentheses": ("var x = ", "(", "1", ")", "\n"),
        "calls": (_GO_F + "return ", "g(", "x", ")", "\n}\n"),
        "unary-operators": (_GO_F + "return ", "-", "x", "", "\n}\n"),
        "pointers": ("var x ", "*", "int", "", "\n"),
        "dereferences": ("func f(x ***int) {\n_ = ", "*", "x", "", "\n}\n"),
        "slices-of-slices": ("var x ", "[]", "int", "", "\n"),
        "maps-of-maps": ("var x ", "map[int]", "int", "", "\n"),
        "channels": ("var x ", "chan ", "int", "", "\n"),
        "struct-types": ("var x ", "struct{a ", "int", "}", "\n"),
        "interface-types": ("var x ", "interface{a() ", "int", "}", "\n"),
        "function-types": ("var x ", "func(", "int", ")", "\n"),
        "composite-literals": ("var x = A", "{", "1", "}", "\n"),
        "keyed-literals": ("var x = A", "{a: B", "{}", "}", "\n"),
        "function-literals": ("var x = ", "func() any { return ", "1", "}", "\n"),
        "blocks": ("func f() {\n", "{", "g()", "}", "\n}\n"),
        "ifs": (_GO_F, "if x>0 {", "g(x)", "}", "\nreturn x\n}\n"),
        "else-ifs": (_GO_F, "if x>0 {g(x)} else ", "{}", "", "\nreturn x\n}\n"),
        "for-loops": (_GO_F, "for {", "g(x)", "}", "\n}\n"),
        "range-loops": (_GO_F, "for range x {", "g(x)", "}", "\nreturn x\n}\n"),
        "switches": (_GO_F, "switch x { case 1:\n", "g(x)", "}", "\nreturn x\n}\n"),
        "selects": (_GO_F, "select { default:\n", "g(x)", "}", "\nreturn x\n}\n"),
        "type-switches": ("func f(x any) {\n", "switch x.(type) { case int:\n", "g(x)", "}", "\n}\n"),
        "labels": (_GO_F, "a:\n", "g(x)", "", "\nreturn x\n}\n"),
        "attributes": ("func f(x T) {\n_ = x", "", "", ".a", "\n}\n"),
        "calls-of-calls": ("func f(x T) {\n_ = x", "", "", "()", "\n}\n"),
        "elements-of-elements": ("func f(x T) {\n_ = x", "", "", "[0]", "\n}\n"),
        "type-assertions": ("func f(x any) {\n_ = x", "", "", ".(T)", "\n}\n"),
        "binary-chain": ("func f(y string) string {\nreturn y", "", "", "+y", "\n}\n"),
        "and-chain": ("func f(y bool) bool {\nif y", "", "", "&&y", "{ return y }\nreturn false\n}\n"),
        "generics": ("var x ", "A[", "int", "]", "\n"),
        "receives": ("func f(x chan int) {\n_ = ", "<-", "x", "", "\n}\n"),
        "defers": ("func f(g func()) {\n", "defer func() {", "g()", "}()", "\n}\n"),
        "unclosed-braces": ("func f() ", "{", "", "", "\n"),
        "unclosed-parentheses": ("var x = ", "(", "", "", "\n"),
        "conversions": ("var x = ", "[]byte(", '"a"', ")", "\n"),
    },
}


def _register_nested(language: str, construct: str, parts: tuple[str, str, str, str, str]) -> None:
    before, opening, inner, closing, after = parts

    def generate(size: int) -> Files:
        return _file(language, before + opening * size + inner + closing * size + after)

    shape(language, name=f"{language}-deep-{construct}")(generate)


for _language, _constructs in NESTED.items():
    for _construct, _parts in _constructs.items():
        _register_nested(_language, _construct, _parts)


# -- one long constant that much is made of: (before, repeated part, after); x stands for it, # counts

LONG = "a" * 4000
LONG_CONSTANTS: dict[str, dict[str, tuple[str, str, str]]] = {
    "python": {
        "in-one-sum": ("y = x", "+x", "\n"),
        "in-one-text": ("y = f'", "{x}", "'\n"),
        "in-one-join": ("y = ''.join([", "x,", "])\n"),
        "in-sums": ("", "y# = x + '#'\n", ""),
        "in-replacements": ("", "y = x.replace('a', x)\n", ""),
        "repeated": ("", "y = x * 10 ** 12\n", ""),
        "repeated-in-turn": ("y = 'a'\n", "y = y * 1000\n", ""),
        "filled": ("", "y = x.zfill(10 ** 12)\n", ""),
        "as-powers": ("", "y = 9 ** 9 ** 9 << 10 ** 12\n", ""),
    },
    "javascript": {
        "in-one-sum": ("y = x", "+x", "\n"),
        "in-one-text": ("y = `", "${x}", "`\n"),
        "in-one-join": ("y = [", "x,", "].join('')\n"),
        "in-sums": ("", "let y# = x + '#'\n", ""),
        "in-replacements": ("", "y = x.replaceAll('a', x)\n", ""),
        "repeated": ("", "y = x.repeat(1e12)\n", ""),
        "filled": ("", "y = x.padStart(1e12, x)\n", ""),
        "as-powers": ("", "y = 9 ** 9 ** 9 << 1e12\n", ""),
    },
    "go": {
        "in-one-sum": ("var y = x", "+x", "\n"),
        "in-sums": ("", 'const y# = x + "#"\n', ""),
    },
}


def _register_long(language: str, construct: str, parts: tuple[str, str, str]) -> None:
    before, repeated, after = parts
    first = {"python": f"x = '{LONG}'\n", "javascript": f"const x = '{LONG}'\n", "go": f'const x = "{LONG}"\n'}[
        language
    ]

    def generate(size: int) -> Files:
        return _file(language, first + before + "".join(repeated.replace("#", str(i)) for i in range(size)) + after)

    shape(language, name=f"{language}-long-constant-{construct}")(generate)


for _language, _constants in LONG_CONSTANTS.items():
    for _construct, _pieces in _constants.items():
        _register_long(_language, _construct, _pieces)


# -- Python blocks nest by indentation: (header, innermost, lines behind the block)

BLOCKS: dict[str, tuple[str, str, str]] = {
    "ifs": ("if y:", "y = 1", ""),
    "if-elses": ("if y:", "y = 1", "else: y = 2"),
    "for-loops": ("for a in y:", "y = a", ""),
    "while-loops": ("while y:", "y = g(y)", ""),
    "tries": ("try:", "y = g(y)", "except E: y = 1"),
    "try-finallies": ("try:", "y = g(y)", "finally: y = h(y)"),
    "withs": ("with y as z:", "y = g(z)", ""),
    "functions": ("def f(y):", "return y", ""),
    "classes": ("class A:", "y = 1", ""),
    "matches": ("match y:", "y = 1", ""),
}


def _register_block(construct: str, header: str, inner: str, behind: str) -> None:
    def generate(size: int) -> Files:
        lines = ["def program(y, g, h):"]
        lines += [" " * (depth + 1) + header for depth in range(size)]
        lines.append(" " * (size + 1) + inner)
        if behind:
            lines += [" " * (depth + 1) + behind for depth in reversed(range(size))]
        return _file("python", "\n".join([*lines, " return y"]) + "\n")

    shape("python", name=f"python-blocks-{construct}")(generate)


for _construct, (_header, _inner, _behind) in BLOCKS.items():
    _register_block(_construct, _header, _inner, _behind)


# -- one construct repeated: (before, what is repeated, after); "#" is the number of the repetition

REPEATED: dict[str, dict[str, tuple[str, str, str]]] = {
    "python": {
        "flat-assignments": ("", "v# = 1\n", ""),
        "assignments-from-calls": ("def f(y):\n", "    v# = y()\n", "    return v0\n"),
        "assignments-to-one-name": ("def f(y):\n", "    v = y(v)\n", "    return v\n"),
        "augmented-assignments": ("def f(y):\n    s = ''\n", "    s += y\n", "    return s\n"),
        "augmented-at-top-level": ("s = ''\n", "s += y\n", ""),
        "functions": ("", "def f#(x):\n    return x\n", ""),
        "functions-calling-each-other": ("", "def f#(x):\n    return f(x)\n", "def f(x): return f0(x)\n"),
        "classes": ("", "class A#: pass\n", ""),
        "methods": ("class A:\n", " def f#(self): pass\n", ""),
        "parameters": ("def f(", "a#,", "):\n    return a0\n"),
        "arguments": ("f(", "a#,", ")\n"),
        "keyword-arguments": ("f(", "a#=1,", ")\n"),
        "list-elements": ("x = [", "1,", "]\n"),
        "list-of-names": ("x = [", "a#,", "]\n"),
        "dictionary-entries": ("x = {", "'k#':v,", "}\n"),
        "imports": ("", "import m#\n", ""),
        "from-imports": ("from m import (", "n#,", ")\n"),
        "star-imports": ("", "from m# import *\n", ""),
        "globals": ("def f():\n", " global g#\n g# = 1\n", ""),
        "conditions-of-one-variable": ("def f(y, g):\n", "    if y: g(y)\n", "    return y\n"),
        "conditions-that-write": ("def f(y, g):\n", "    if g(y): y = g(y)\n", "    return y\n"),
        "conditions-of-many-variables": ("def f(g):\n", "    v# = g()\n    if v#: g(v#)\n", "    return v0\n"),
        "early-returns": ("def f(y, g):\n", "    if g(#): return y\n", "    return g\n"),
        "early-returns-of-checks": ("def f(y, g):\n", "    if g: return g(y)\n", "    return g\n"),
        "while-loops-in-a-row": ("def f(y, g):\n", "    while y: y = g(y)\n", "    return y\n"),
        "for-loops-in-a-row": ("def f(y, g):\n", "    for a in y: g(a)\n", "    return y\n"),
        "tries-in-a-row": ("def f(y, g):\n", "    try: y = g(y)\n    except E: y = 1\n", "    return y\n"),
        "assignments-in-a-try": ("def f(y, g):\n  try:\n", "    y = g(y)\n", "  except E: return y\n"),
        "names-in-a-try": ("def f(y, g):\n  try:\n", "    v# = g(y)\n", "  except E: return v0\n"),
        "names-in-a-loop": ("def f(y, g):\n  while y:\n", "    v# = g(y)\n", "  return v0\n"),
        "breaks-in-a-loop": ("def f(y, g):\n  while y:\n", "    if g(y): y = #; break\n", "  return y\n"),
        "continues-in-a-loop": ("def f(y, g):\n  while y:\n", "    if g(y): y = #; continue\n", "  return y\n"),
        "closures-over-one-name": ("def f(y):\n", "    g# = lambda: y\n", "    return g0\n"),
        "closures-that-write": ("def f(y):\n", "    def g#():\n     nonlocal y; y = #\n", "    return y\n"),
        "attribute-stores": ("def f(y, g):\n", "    y.a# = g\n", "    return y\n"),
        "attribute-loads": ("def f(y, g):\n", "    g(y.a#)\n", "    return y\n"),
        "stores-under-one-key": ("def f(y, g):\n", "    y.a = g(y)\n", "    return y\n"),
        "element-stores": ("x = {}\n", "x['k#'] = y\n", "f(x)\n"),
        "appends": ("def f(y):\n    x = []\n", "    x.append(y)\n", "    return x\n"),
        "appends-at-top-level": ("x = []\n", "x.append(y)\n", "f(x)\n"),
        "aliases-of-one-object": ("def f(y, g):\n    a = y()\n", "    v# = a\n", "    g(a)\n    return a\n"),
        "calls-on-one-object": ("def f(y, g):\n", "    g(y)\n", "    return y\n"),
        "calls-between-aliases": ("def f(y, g):\n    a = y()\n", "    v# = a; g(a)\n", "    return a\n"),
        "f-string-parts": ("x = f'", "{y}", "'\n"),
        "format-arguments": ("x = '%s'.format(", "y,", ")\n"),
        "yields": ("def f(y):\n", "    yield y\n", ""),
        "decorators-on-functions": ("", "@d(#)\ndef f#(x): return x\n", ""),
        "lambdas-in-a-list": ("x = [", "lambda a:a,", "]\n"),
        "comprehensions-in-a-row": ("", "[a for a in y]\n", ""),
        "assertions": ("def f(y, g):\n", "    assert y\n", "    return y\n"),
        "assertions-of-many": ("def f(y, g):\n", "    v# = y\n    assert v#\n", "    return y\n"),
        "tuple-targets": ("(", "a#,", ") = y\n"),
        "swaps": ("def f(a, b):\n", "    a, b = b, a\n", "    return a\n"),
        "match-cases": ("def f(y, g):\n  match y:\n", "    case #: y = g(y)\n", "  return y\n"),
        "else-ifs-that-write": ("def f(y, g):\n  if y: pass\n", "  elif g(#): v# = y\n", "  return v0\n"),
        "comments": ("", "# text\n", "x = 1\n"),
        "blank-lines": ("", "\n", "x = 1\n"),
        "one-line": ("x = 1", ";x=1", "\n"),
        "one-string": ("x = '", "a", "'\n"),
        "escapes": ("x = '", "\\n", "'\n"),
        "string-pieces": ("x = (", "'a' ", ")\n"),
        "deletes": ("def f(y):\n", "    v# = y\n    del v#\n", "    return y\n"),
        "raises": ("def f(y, g):\n", "    if g: raise g(y)\n", "    return y\n"),
        "syntax-errors": ("", "x = = 1\n", ""),
        "broken-lines": ("", "def (:\n", ""),
        "random-brackets": ("", "([{", "\n"),
        "constant-choices": (
            "def f(y, g):\n  r = None\n",
            "  if g(#): r = y\n",
            "  if r is None: return g\n  return r\n",
        ),
        "flags": ("def f(y, g):\n", "  if g(#): r# = None\n  else: r# = y\n  if r#: g(r#)\n", "  return g\n"),
        "negated-names": ("def f(y, g):\n", "  v# = not y\n  if v#: g(y)\n", "  return g\n"),
        "exports": ("__all__ = [", "'a#',", "]\n"),
        "returns-in-loops": ("def f(y, g):\n", "  for a in y:\n   if g(a): return a\n", "  return g\n"),
        "returns-in-one-loop": ("def f(y, g):\n  for a in y:\n", "    if g(y, #): return y\n", "  return g\n"),
        "withs-in-a-row": ("def f(y, g):\n", "  with g(y) as z: g(z)\n", "  return y\n"),
    },
    "javascript": {
        "flat-assignments": ("", "v# = 1\n", ""),
        "variables": ("", "var v# = 1\n", ""),
        "constants-in-a-function": ("function f(y){", "const v#=y;\n", "return v0}\n"),
        "augmented-assignments": ("function f(y){let s='';\n", "s+=y;\n", "return s}\n"),
        "augmented-at-top-level": ("let s='';\n", "s+=y;\n", ""),
        "functions": ("", "function f#(x){return x}\n", ""),
        "functions-in-a-function": ("function f(y){\n", "function f#(){return y}\n", "}\n"),
        "functions-between-writes": (
            "function f(y,g){try{\n",
            "function f#(){return y}\nif(g())y=g(y)\n",
            "}finally{}}\n",
        ),
        "arrow-functions": ("", "const f#=x=>x\n", ""),
        "classes": ("", "class A#{}\n", ""),
        "methods": ("class A{\n", "m#(){}\n", "}\n"),
        "fields": ("class A{\n", "f#=1\n", "}\n"),
        "parameters": ("function f(", "a#,", "b){return b}\n"),
        "arguments": ("f(", "a#,", "b)\n"),
        "array-elements": ("x = [", "1,", "]\n"),
        "array-of-names": ("x = [", "a#,", "]\n"),
        "object-entries": ("x = {", "k#:v,", "}\n"),
        "object-spreads": ("x = {", "...v#,", "}\n"),
        "imports": ("", "import m# from 'm#'\n", ""),
        "requires": ("", "const m#=require('m#')\n", ""),
        "named-imports": ("import {", "n#,", "} from 'm'\n"),
        "exports": ("", "export const e#=1\n", ""),
        "export-stars": ("", "export * from './m#'\n", ""),
        "module-exports": ("", "exports.e#=1\n", ""),
        "conditions-of-one-variable": ("function f(y,g){\n", "if(y)g(y)\n", "return y}\n"),
        "conditions-that-write": ("function f(y,g){\n", "if(g(y))y=g(y)\n", "return y}\n"),
        "conditions-of-many-variables": ("function f(g){\n", "const v#=g();if(v#)g(v#)\n", "}\n"),
        "early-returns": ("function f(y,g){\n", "if(g(#))return y\n", "return g}\n"),
        "loops-in-a-row": ("function f(y,g){\n", "while(y)y=g(y)\n", "return y}\n"),
        "tries-in-a-row": ("function f(y,g){\n", "try{y=g(y)}catch(e){y=1}\n", "return y}\n"),
        "assignments-in-a-try": ("function f(y,g){try{\n", "y=g(y)\n", "}catch(e){return y}}\n"),
        "names-in-a-try": ("function f(y,g){try{\n", "var v#=g(y)\n", "}catch(e){return v0}}\n"),
        "names-in-a-loop": ("function f(y,g){while(y){\n", "v#=g(y)\n", "}}\n"),
        "breaks-in-a-loop": ("function f(y,g){while(y){\n", "if(g(y)){y=#;break}\n", "}return y}\n"),
        "closures-over-one-name": ("function f(y){\n", "const g#=()=>y\n", "return g0}\n"),
        "closures-over-many-names": ("function f(y){\n", "let v#=y;const g#=()=>v#\n", "return g0}\n"),
        "closures-that-write": ("function f(y){\n", "const g#=()=>{y=#}\n", "return y}\n"),
        "names-in-one-closure": ("function f(y){\n", "let v#=y;\n", "return ()=>v0}\n"),
        "property-stores": ("function f(y,g){\n", "y.a#=g\n", "return y}\n"),
        "stores-under-one-key": ("function f(y,g){\n", "y.a=g(y)\n", "return y}\n"),
        "pushes": ("function f(y){const x=[]\n", "x.push(y)\n", "return x}\n"),
        "aliases-of-one-object": ("function f(y,g){const a=y();\n", "const v#=a;\n", "g(a)}\n"),
        "calls-between-aliases": ("function f(y,g){const a=y();\n", "const v#=a;g(a);\n", "}\n"),
        "template-holes": ("x = `", "${y}", "`\n"),
        "switch-cases": ("function f(y,g){switch(y){\n", "case #:y=g(y);break\n", "}return y}\n"),
        "switch-fallthrough": ("function f(y,g){switch(y){\n", "case #:y=g(y)\n", "}return y}\n"),
        "switch-names": ("function f(y,g){switch(y){\n", "case #:v#=y\n", "}return y}\n"),
        "yields": ("function* f(y){\n", "yield y\n", "}\n"),
        "awaits": ("async function f(y){\n", "await y\n", "}\n"),
        "destructuring": ("const {", "a#,", "} = y\n"),
        "array-destructuring": ("const [", "a#,", "] = y\n"),
        "jsx-children": ("x = <a>", "<b/>", "</a>\n"),
        "one-line": ("x=1", ";x=1", "\n"),
        "one-string": ("x = '", "a", "'\n"),
        "escapes": ("x = '", "\\n", "'\n"),
        "regular-expressions": ("x = [", "/a/,", "]\n"),
        "comments": ("", "// text\n", "x = 1\n"),
        "block-comments": ("", "/**/", "x = 1\n"),
        "semicolons": ("", ";", "\n"),
        "syntax-errors": ("", "x = = 1\n", ""),
        "random-brackets": ("", "([{", "\n"),
        "slashes": ("x = a", "/[", "\n"),
        "hoisted-functions": ("", "function f(x){return x}\n", "f(1)\n"),
        "prototype-methods": ("function A(){}\n", "A.prototype.m#=function(){}\n", ""),
        "this-stores": ("function A(y){\n", "this.a#=y\n", "}\n"),
        "nested-labelled-breaks": ("function f(y,g){a:for(;;){\n", "if(g())break a\n", "}}\n"),
        "block-scopes": ("function f(y){\n", "{let a=y}\n", "}\n"),
        "returns-in-one-loop": ("function f(y,g){for(const a of y){\n", "if(g(y,#))return y\n", "}return g}\n"),
        "let-in-loops": ("function f(y,g){\n", "for(let i=0;i<9;i++)g(i)\n", "}\n"),
        "getters": ("x = {", "get a#(){return 1},", "}\n"),
        "handlers": ("", "app.get('/#',(req,res)=>res.send(req.query.a))\n", ""),
    },
    "typescript": {
        "interfaces": ("", "interface I#{a:string}\n", ""),
        "enums": ("enum E{", "a#,", "}\n"),
        "type-aliases": ("", "type T#=string\n", ""),
        "overloads": ("", "function f(a:A#):void\n", "function f(a:any){}\n"),
        "typed-parameters": ("function f(", "a#:A#,", "b:B){return b}\n"),
        "parameter-properties": ("class A{constructor(", "private a#:B,", "){}}\n"),
        "declarations": ("", "declare const d#:string\n", ""),
        "open-comments": ("f<A>`q`\n", "/*x", "\n"),
        "tagged-templates": ("", "f<A#>`q`\n", ""),
    },
    "go": {
        "variables": ("", "var v# = 1\n", ""),
        "short-variables": ("func f(y int) int {\n", "v# := y\n", "return v0\n}\n"),
        "augmented-assignments": ("func f(y string) string {\ns := y\n", "s += y\n", "return s\n}\n"),
        "functions": ("", "func f#(x int) int { return x }\n", ""),
        "methods": ("type T struct{}\n", "func (t T) m#() {}\n", ""),
        "types": ("", "type T# struct{ a int }\n", ""),
        "interfaces": ("", "type I# interface{ M() }\n", ""),
        "implementations": ("type I interface{ M() }\n", "type T# struct{}\nfunc (T#) M() {}\n", ""),
        "fields": ("type T struct {\n", "a# int\n", "}\n"),
        "embedded-fields": ("type T struct {\n", "A#\n", "}\n"),
        "constants": ("const (\n", "c# = 1\n", ")\n"),
        "iotas": ("const (\n", "c# = iota\n", ")\n"),
        "slice-elements": ("var x = []int{", "1,", "}\n"),
        "map-entries": ("var x = map[string]int{", '"k#":1,', "}\n"),
        "imports": ("import (\n", '"example.test/m#"\n', ")\n"),
        "parameters": ("func f(", "a# int,", ") int { return a0 }\n"),
        "results": ("func f() (", "a# int,", ") { return }\n"),
        "conditions": ("func f(y int, g func(int) bool) int {\n", "if g(y) { y = # }\n", "return y\n}\n"),
        "error-checks": (
            "func f(g func() error) error {\n",
            "if err := g(); err != nil { return err }\n",
            "return nil\n}\n",
        ),
        "error-variables": (
            "func f(g func() error) error {\n",
            "e# := g()\nif e# != nil { return e# }\n",
            "return nil\n}\n",
        ),
        "gotos": ("func f(y int) {\n", "l#: if y > # { goto l0 }\n", "}\n"),
        "forward-gotos": ("func f(y int, g func(int)) {\n", "if y > # { goto e }\ny = g(y)\n", "e:\ng(y)\n}\n"),
        "crossing-gotos": ("func f(y int) {\n", "l#: y++\ngoto l0\n", "}\n"),
        "chained-gotos": ("func f(y int) {\n", "goto l#\nl#:\ny += #\n", "}\n"),
        "labels-and-breaks": ("func f(y int) {\n", "l#: for { y++; break l# }\n", "}\n"),
        "switch-cases": ("func f(y int) int {\nswitch y {\n", "case #: y = #\n", "}\nreturn y\n}\n"),
        "fallthroughs": (
            "func f(y int) int {\nswitch y {\n",
            "case #: y += #\nfallthrough\n",
            "default:\n}\nreturn y\n}\n",
        ),
        "type-switch-cases": (
            "func f(y any) any {\nswitch z := y.(type) {\n",
            "case T#: return z\n",
            "}\nreturn y\n}\n",
        ),
        "select-cases": ("func f(y chan int) {\nselect {\n", "case v# := <-y: _ = v#\n", "}\n}\n"),
        "defers": ("func f(g func(int)) {\n", "defer g(#)\n", "}\n"),
        "goroutines": ("func f(g func(int)) {\n", "go g(#)\n", "}\n"),
        "closures": ("func f(y int) {\n", "g# := func() int { return y }\n", "_ = g0\n}\n"),
        "closures-that-write": ("func f(y int) int {\n", "func() { y = # }()\n", "return y\n}\n"),
        "field-stores": ("func f(y T, g int) {\n", "y.a# = g\n", "}\n"),
        "appends": ("func f(y int) []int {\nx := []int{}\n", "x = append(x, y)\n", "return x\n}\n"),
        "assignment-lists": ("func f(y int) {\n", "a#, b# := y, y\n", "}\n"),
        "one-string": ('var x = "', "a", '"\n'),
        "raw-string": ("var x = `", "a\n", "`\n"),
        "comments": ("", "// text\n", "var x = 1\n"),
        "init-functions": ("", "func init() {}\n", ""),
        "blank-identifiers": ("", "var _ = 1\n", ""),
        "syntax-errors": ("", "var = = 1\n", ""),
        "struct-tags": ("type T struct {\n", 'a# int `json:"a#"`\n', "}\n"),
        "loops-in-a-row": ("func f(y int, g func(int) int) {\n", "for y > 0 { y = g(y) }\n", "}\n"),
        "returns-in-one-loop": (
            "func f(y []int, g func([]int, int) bool) []int {\nfor range y {\n",
            "if g(y, #) { return y }\n",
            "}\nreturn nil\n}\n",
        ),
        "generic-functions": ("", "func f#[T any](x T) T { return x }\n", ""),
    },
}


def _register_repeated(language: str, construct: str, parts: tuple[str, str, str]) -> None:
    before, item, after = parts
    pieces = item.split("#") if not item.startswith("#") else [item]

    def generate(size: int) -> Files:
        if len(pieces) == 1:
            return _file(language, before + item * size + after)
        return _file(language, before + "".join([str(i).join(pieces) for i in range(size)]) + after)

    shape(language, name=f"{language}-many-{construct}")(generate)


for _language, _repeated in REPEATED.items():
    for _construct, _three in _repeated.items():
        _register_repeated(_language, _construct, _three)


# -- functions in functions, where each uses what the outermost has


@shape("javascript")
def javascript_deep_closures(size: int) -> Files:
    """Functions in functions; the innermost uses a variable of each."""
    opening = "".join([f"function f{i}(a{i}){{" for i in range(size)])
    return _file("javascript", opening + "+".join([f"a{i}" for i in range(size)]) + "}" * size + "\n")


@shape("javascript")
def javascript_wide_conjunction(size: int) -> Files:
    """A condition of many variables."""
    names = [f"v{i}" for i in range(size)]
    return _file("javascript", f"function f({','.join(names)}){{ if({'&&'.join(names)}) return v0 }}\n")


@shape("python")
def python_wide_closure(size: int) -> Files:
    """A function that captures many variables of the one around it."""
    names = [f"v{i}" for i in range(size)]
    body = "".join([f"    {name} = y\n" for name in names])
    return _file("python", f"def f(y):\n{body}    def g():\n        return [{','.join(names)}]\n    return g\n")


@shape("python")
def python_parameters_and_returns(size: int) -> Files:
    """As many parameters as ways out of the function."""
    names = ",".join([f"p{i}" for i in range(size)])
    return _file("python", f"def f({names}):\n" + "".join([f"    if p{i}: return p{i}\n" for i in range(size)]))


@shape("python")
def python_names_and_calls(size: int) -> Files:
    """Many names of one object, which as many calls change."""
    names = "".join([f"    v{i} = y\n" for i in range(size)])
    return _file("python", f"def f(y, g):\n    y = g()\n{names}" + "    g(y)\n" * size)


# -- suppressions


def _suppressed(language: str, text: str) -> Files:
    """A file with a suppression comment and a finding, so that its comments are read."""
    if language == "python":
        sink = "import os\nfrom flask import request\ndef f():\n    os.system(request.args['a'])  # pyrograph: ignore\n"
        return _file(language, sink + text)
    sink = "const cp=require('child_process')\napp.get('/',(req,res)=>cp.exec(req.query.a)) // pyrograph: ignore\n"
    return _file(language, sink + text)


@shape("python")
def escaped_quotation_marks_below_a_suppression(size: int) -> Files:
    """Escaped quotation marks outside a string; the text ends in a backslash."""
    return _suppressed("python", '\\"' * size + "\\")


@shape("javascript")
def template_literals_below_a_suppression(size: int) -> Files:
    """Template literals in template literals."""
    return _suppressed("javascript", "x = " + "`${" * size + "y" + "}`" * size + "\n")


@shape("javascript")
def regular_expression_starts_below_a_suppression(size: int) -> Files:
    """Slashes and brackets that begin no regular expression."""
    return _suppressed("javascript", "//" + "/[" * size + "\n" + "x=/[\n" * (size // 4))


@shape("python")
def many_suppressions(size: int) -> Files:
    """A suppression comment on each line."""
    return _suppressed("python", "x = 1  # pyrograph: ignore[xss]\n" * size)


# -- templates

_EXPRESS = "const app=require('express')()\napp.get('/',(req,res)=>res.render('a',{x:req.query}))\n"
_FLASK = (
    "from flask import *\napp = Flask(__name__)\n@app.route('/')\n"
    "def f():\n    return render_template(NAME, x=request.args)\n"
)


def _ejs(text: str) -> Files:
    return {"app.js": _EXPRESS, "views/a.ejs": text}


def _jinja(text: str) -> Files:
    return {"app.py": _FLASK.replace("NAME", "'a.html'"), "templates/a.html": text}


PAGE_PIECES = {
    "comments-without-an-end": "<!-- ",
    "template-comments-without-an-end": "{# ",
    "styles-without-an-end": "<style> ",
    "script-tags-without-an-end": '<script a="{{ ',
    "scripts": "<script>f('{{ x }}');</script>\n",
    "scripts-with-blocks": "<script>{% if a %}f();{% else %}g();{% endif %}</script>\n",
}


def _page(pieces: str) -> Callable[[int], Files]:
    return lambda size: {"page.html": "<html><script>f(location.hash)</script>\n" + pieces * size}


for _name, _piece in PAGE_PIECES.items():
    shape("template", name=f"page-of-{_name}")(_page(_piece))


SHOWN_PIECES = {
    "values": '<b v-html="x"></b>',
    "loops": '<b v-for="x in y"></b>',
    "values-without-an-end": '<b v-html="',
    "components": '<A :a="x" :b="y"/>',
    "components-without-an-end": "<A :a ",
    "names-without-an-end": "<A :" + "a" * 50,
    "comments-without-an-end": "<!-- ",
    "brackets": '<b v-html="' + "[" * 500 + '"></b>',
}


def _shown(pieces: str) -> Callable[[int], Files]:
    script = '<script setup>\nimport A from "./b.vue";\nconst x = location.hash, y = [x];\n</script>\n'
    return lambda size: {"a.vue": script + "<template>\n" + pieces * size + "\n</template>\n"}


for _name, _piece in SHOWN_PIECES.items():
    shape("template", name=f"markup-of-{_name}")(_shown(_piece))


APP_PIECES = {
    **{name: piece for name, piece in SHOWN_PIECES.items() if "components" not in name},
    "scripts": '<script>new Vue({ data: { x: "" } });</script>',
    "calls-without-an-end": "<script>createApp({ </script>",
}


def _app(pieces: str) -> Callable[[int], Files]:
    script = '<script>new Vue({ el: "#a", data: { x: location.hash, y: [] } });</script>\n'
    return lambda size: {"page.html": "<div id=a>\n" + pieces * size + "\n</div>\n" + script + pieces * size}


for _name, _piece in APP_PIECES.items():
    shape("template", name=f"app-of-{_name}")(_app(_piece))


BLOCK_PIECES = {
    "values": "{@html x}",
    "values-without-an-end": "{@html {",
    "loops": "{#each y as z}",
    "loops-in-room": "{#each y as { a, b }, i (a)}\n<p class=of-a-list>{@html a}</p>\n{/each}\n",
    "loops-of-many-types": "{#each y" + " as z" * 100 + "}",
    "loops-without-an-end": "{#each y as {",
    "constants": "{@const z = x}",
    "components": "<A a={x} {y} {...y} />",
    "components-without-an-end": "<A a={x} ",
    "comments-without-an-end": "<!-- ",
    "styles-without-an-end": "<style>",
    "stores": "$x {$y} ",
    "scripts": "<script>let { a, b = 1 } = $props(); let c = $derived(a);\n  $: d = b;\n</script>{@html d}",
}


def _blocks(pieces: str) -> Callable[[int], Files]:
    script = '<script>\nimport A from "./b.svelte";\nexport let x = location.hash, y = [x];\n</script>\n'
    return lambda size: {"a.svelte": script + "{@html x}\n" + pieces * size}


for _name, _piece in BLOCK_PIECES.items():
    shape("template", name=f"markup-of-svelte-of-{_name}")(_blocks(_piece))


@shape("template")
def references_of_markup(size: int) -> Files:
    """A component of Vue whose markup reads many variables that calls make, and lists that do not end."""
    names = [f"p{i}" for i in range(size)]
    script = (
        "<script setup>\n" + "".join([f"const {n} = ref('');\n" for n in names]) + "const {" * size + "\n</script>\n"
    )
    return {"a.vue": script + "<template>\n" + "".join([f'<b v-html="{n}"></b>\n' for n in names]) + "\n</template>\n"}


@shape("template")
def markup_with_many_properties(size: int) -> Files:
    """A component that reads many properties."""
    names = [f"p{i}" for i in range(size)]
    script = "<script setup>\ndefineProps([\n" + "".join([f"  '{n}',\n" for n in names]) + "]);\n</script>\n"
    return {"a.vue": script + "<template>\n" + "".join([f'<b v-html="{n}"></b>\n' for n in names]) + "\n</template>\n"}


@shape("template")
def markup_of_options(size: int) -> Files:
    """A component that is an object of many options, whose markup reads all of them."""
    names = [f"p{i}" for i in range(size)]
    made = "".join([f"  {name}() {{ return this.q{name}; }},\n" for name in names])
    script = (
        "<script>\nexport default {\n  props: ["
        + "'a',\n" * size
        + "],\n  computed: {\n"
        + made
        + "  },\n};\n</script>\n"
    )
    shown = "".join([f'<b class="of-a-member-that-is-made" v-html="{name}"></b>\n' for name in names])
    return {"a.vue": "<template>\n" + shown + "\n</template>\n" + script}


@shape("template")
def options_without_an_end(size: int) -> Files:
    """Lists of options that are not closed, and a long name."""
    script = "<script>\nexport default {\n" + "props: [" * size + "computed: {" * size + "a" * size + "\n</script>\n"
    return {"a.vue": '<template>\n<b v-html="a"></b>\n</template>\n' + script}


_JINJAX = (
    "from fastapi import FastAPI\nfrom jinjax import Catalog\napp = FastAPI()\nc = Catalog()\n"
    "@app.get('/')\ndef f(q: str):\n    return c.render('Page', x=q)\n"
)
COMPILED_PIECES = {
    "elements": "<p v-cloak>{{ x }}",
    "elements-in-elements": "<p v-cloak><p v-pre>{{ x }}</p>",
    "attributes": "<p " + "v-if=a " * 50 + ">{{ x }}</p>",
    "values-without-quotes": "<a href={{ x }}",
}


def _compiled(pieces: str) -> Callable[[int], Files]:
    return lambda size: {"app.py": _FLASK.replace("NAME", "'a.html'"), "templates/a.html": pieces * size}


for _name, _piece in COMPILED_PIECES.items():
    shape("template", name=f"compiled-{_name}")(_compiled(_piece))


COMPONENT_PIECES = {
    "tags": "<Row x={{ x }} />",
    "tags-without-an-end": "<Row ",
    "attributes": "<Row " + "x={{ x }} " * 50,
    "values-without-an-end": "<Row x={{ ",
    "quotes-without-an-end": "<Row x='",
    "long-names": "<" + "a." * 20,
}


def _components(pieces: str) -> Callable[[int], Files]:
    return lambda size: {"app.py": _JINJAX, "templates/Page.jinja": pieces * size, "templates/Row.jinja": "{{ x }}"}


for _name, _piece in COMPONENT_PIECES.items():
    shape("template", name=f"component-{_name}")(_components(_piece))


@shape("template")
def ejs_deep_loops(size: int) -> Files:
    """Loops in loops; each element is one of two things."""
    opening = "".join([f"<% for (const a{i + 1} of a{i}.b||a{i}.c) {{ %>" for i in range(size)])
    return _ejs("<% let a0 = x %>" + opening + f"<%- a{size} %>" + "<% } %>" * size)


@shape("template")
def ejs_many_tags(size: int) -> Files:
    """Many values that are not escaped."""
    return _ejs("<%- x.a %>" * size)


@shape("template")
def ejs_broken_regular_expressions(size: int) -> Files:
    """One scriptlet that the parser reads again and again."""
    return _ejs("<% x = a" + "/[" * size + " %>")


@shape("template")
def ejs_many_names_and_includes(size: int) -> Files:
    """Each include is given all names that are bound before it."""
    return _ejs("".join([f"<% let v{i} = x.a %><%- include('b') %>" for i in range(size)]))


@shape("template", largest=8, small=3)
def ejs_includes_that_double(size: int) -> Files:
    """Each template includes the next one many times."""
    files = {"app.js": _EXPRESS, "views/a.ejs": "<%- include('t0', {x}) %>"}
    for i in range(size):
        files[f"views/t{i}.ejs"] = f"<%- include('t{i + 1}', {{x: x.a}}) %><%- include('t{i + 1}', {{x: x.b}}) %>" * 20
    files[f"views/t{size}.ejs"] = "<%- x %>"
    return files


@shape("template", largest=8, small=3)
def jinja_includes_that_double(size: int) -> Files:
    """Each template includes the next one many times, with two values for each one it was given."""
    files = dict(_jinja("{% set y = x %}{% include 't0.html' %}"))
    for i in range(size):
        files[f"templates/t{i}.html"] = (
            f"{{% with y = y.a or y.b %}}{{% include 't{i + 1}.html' %}}{{% endwith %}}" * 20
        )
    files[f"templates/t{size}.html"] = "{{ y|safe }}"
    return files


@shape("template", largest=600, small=20)
def jinja_includes_in_includes(size: int) -> Files:
    """Calls of ``include`` in the arguments of another."""
    return _jinja("{{ " + "include('b',x=" * size + "x" + ")" * size + " }}")


@shape("template")
def jinja_deep_loops(size: int) -> Files:
    """Loops in loops; each element is one of two things."""
    opening = "".join([f"{{% for a{i + 1} in a{i}.b or a{i}.c %}}" for i in range(size)])
    return _jinja("{% set a0 = x %}" + opening + f"{{{{ a{size}|safe }}}}" + "{% endfor %}" * size)


@shape("template")
def jinja_many_macros(size: int) -> Files:
    """Macros that call each other."""
    macros = "".join(
        [f"{{% macro m{i}(a) %}}{{{{ m{i + 1}(a) }}}}{{{{ m{i + 1}(a.b) }}}}{{% endmacro %}}" for i in range(size)]
    )
    return _jinja(macros + "{{ m0(x) }}")


@shape("template")
def jinja_many_blocks(size: int) -> Files:
    """Tags without end."""
    return _jinja("{% if x %}{{ x|safe }}" * size)


@shape("template")
def mustache_deep_sections(size: int) -> Files:
    """Sections in sections: a name may be one of each."""
    opening = "".join([f"{{{{#s{i}}}}}" for i in range(size)])
    text = opening + "{{{a}}}" + "".join([f"{{{{/s{i}}}}}" for i in reversed(range(size))])
    return {"app.js": _EXPRESS, "views/a.mustache": text}


@shape("template")
def pug_deep_blocks(size: int) -> Files:
    """Attributes that are not escaped, one line each."""
    return {"app.js": _EXPRESS, "views/a.pug": "p(a!=x.b c!= x.d)\n  != x.e\n" * (size // 2)}


# -- regular expressions


@shape("javascript", largest=5_000, small=30)
def many_regular_expressions_at_a_sink(size: int) -> Files:
    """Patterns of which each is suspicious, and none the same as another."""
    tests = "".join([f"if(/^(\\w+\\s?{i})*(a|a{i})*$/.test(req.query.a))res.end()\n" for i in range(size)])
    return _file("javascript", f"const app=require('express')()\napp.get('/',(req,res)=>{{\n{tests}}})\n")


@shape("python", largest=400, small=20)
def counted_repetitions_in_one_another(size: int) -> Files:
    """Counted repetitions nest, with bounds of which the product is huge."""
    head = (
        "import re\nfrom flask import Flask, request\napp = Flask(__name__)\n@app.route('/')\n"
        "def f():\n    x = request.args['a']\n"
    )
    tests = "".join([f"    re.search('((a{{1,{1000 + i}}}){{1,1000}}){{1,1000}}b', x)\n" for i in range(size)])
    return _file("python", head + tests)


# -- ignore files


def _ignored(lines: list[str], folders: int = 200) -> Files:
    files = {f"d{i}/a.py": "x = 1\n" for i in range(folders)}
    return {**files, ".gitignore": "\n".join(lines) + "\n"}


@shape("text", largest=50_000)
def ignore_file_of_names(size: int) -> Files:
    """Plain names and paths."""
    return _ignored([f"name{i}" if i % 2 else f"/dir/name{i}/" for i in range(size)])


@shape("text", largest=50_000)
def ignore_file_of_suffixes(size: int) -> Files:
    """Ends and starts of names."""
    return _ignored([f"*.x{i}" if i % 2 else f"x{i}*" for i in range(size)])


@shape("text", largest=50_000)
def ignore_file_of_wildcards(size: int) -> Files:
    """Patterns that have to be matched one by one."""
    return _ignored([f"**/a{i}*/**/b?c*" for i in range(size)])


@shape("text", largest=5_000)
def ignore_files_in_all_directories(size: int) -> Files:
    """An ignore file in each directory."""
    files = {}
    for i in range(size):
        files[f"d{i % 70}/e{i}/a.py"] = "x = 1\n"
        files[f"d{i % 70}/e{i}/.gitignore"] = f"*a{i}?\n[bc]{i}\n!d{i}\n" * 10
    return files


@shape("text")
def ignore_file_of_blanks(size: int) -> Files:
    """A pattern with blanks behind it."""
    return _ignored(["a" + " " * size], 2)


# -- manifests


@shape("typescript", largest=4_000)
def tsconfig_of_many_paths(size: int) -> Files:
    """A pattern for each of many modules, which as many imports are compared with."""
    prefix = "p" * 100
    paths = ",".join([f'"@{prefix}{i}/*":["./src/{prefix}{i}/*"]' for i in range(size)])
    imports = "".join([f"import a{i} from '@{prefix}{i}/a'\n" for i in range(size)])
    return {"tsconfig.json": f'{{"compilerOptions":{{"paths":{{{paths}}}}}}}', "program.ts": imports}


@shape("typescript")
def tsconfig_of_comments(size: int) -> Files:
    """Comments and strings that end nowhere."""
    return {
        "tsconfig.json": "{" + "/* " * (size // 3) + '\\"' * (size // 3) + "\\",
        "program.ts": "import a from 'a'\n",
    }


@shape("go")
def go_mod_of_many_replacements(size: int) -> Files:
    """Modules that lie elsewhere, each imported."""
    replaced = "".join([f"replace example.test/r{i} => ./r{i}\n" for i in range(size)])
    imports = "".join([f'import "example.test/r{i}"\n' for i in range(size)])
    return {"go.mod": "module example.test/m\n" + replaced, "program.go": "package m\n" + imports}
