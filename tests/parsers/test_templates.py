"""Readers of HTML templates: what they say is written unescaped, and that no text can harm them."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pyrograph.parsers.templates import READERS, dialect_of, read

CASES = [  # dialect, template, what is written: "key/key", "*" any element, "?" behind a guess, "+" all it holds
    ("jinja", "{{ a }} {{ b|safe }} {{ c|e|safe }} {{- d.e['f'] | safe -}}", ["b", "d/e/f"]),
    ("jinja", "{{ 'x' ~ a|safe }}{{ (b ~ c)|safe }}{{ (d + '%s')|safe }}", ["a", "b", "c", "d"]),
    ("jinja", "{% for x in xs %}{{ x.y|safe }}{% endfor %}{{ x.y|safe }}", ["xs/*/y", "x/y"]),
    ("jinja", "{% for k, v in d.items() %}{{ k|safe }}{{ v|safe }}{% endfor %}", ["d/*"]),
    ("jinja", "{% for i, x in enumerate(xs) %}{{ i|safe }}{{ x|safe }}{% endfor %}", ["xs/*?+"]),
    (
        "jinja",
        "{% set a = b.c %}{{ a|safe }}{% with a = d %}{{ a|safe }}{% endwith %}{{ a|safe }}",
        ["b/c", "d", "b/c"],
    ),
    (
        "jinja",
        """<a onclick="f('{{ a }}')" title="{{ b }}" onblur='g({{ c|e }}, {{ d|escapejs }})'>{{ e }}</a>
        <i x-ref={{ f }} :x={{ g }}>""",
        ["a", "c", "f", "g"],
    ),
    ("jinja", '<a href=/x/{{ a }} id="{{ b }}">{{ c }}</a><a href={{ d|tojson }}>', ["a"]),
    ("jinja", '{{ a }}<p v-cloak title="{{ b }}">{{ c }}<p>{{ d }}</p>{{ e }}</p>{{ f }}', ["c", "d", "e"]),
    ("jinja", "<p v-if=x>{{ a }}<b v-pre>{{ b }}<b>{{ c }}</b></b>{{ d }}</p>", ["a", "d"]),
    ("jinja", '<input v-model="x">{{ a }}<my-row v-for="y in z"/>{{ b }}<!-- <p v-if> -->{{ c }}', []),
    ("jinja", "<p data-ng-app>{{ a }}<i ng-non-bindable>{{ b }}</i></p><p v-pre>{{ c }}</p>", ["a"]),
    ("pug", "p= a\ndiv(v-if='x')\n  p= b\n  p(v-pre)= c\n  p d #{d}\np= e", ["b", "d"]),
    (
        "jinja",
        """<script>var a = {{ a }}, b = '{{ b }}'; // it's {{ c }}
        /* "{{ d }} */ f(`{{ e }}`, {{ f|tojson }})</script><script type="text/x">{{ g }}</script>
        <!-- <script> -->{{ h }}""",
        ["a", "e"],
    ),
    ("jinja", "{% autoescape false %}{{ a }}{{ b|e }}{% endautoescape %}{{ a }}", ["a"]),
    ("jinja", "{{ f(a, k=b)|safe }}{{ url_for('x', q=c)|safe }}{{ a == b|safe }}", ["a?+", "b?+"]),
    ("jinja", "{{ a|default(b)|safe }}{{ xs|join(', ')|safe }}{{ xs|first|safe }}", ["a", "b", "xs+", "xs/*"]),
    ("jinja", "{{ xs|map(attribute='a.b')|join|safe }}{{ a|length|safe }}{{ not a|safe }}", ["xs/*/a/*/b+"]),
    ("jinja", "{{ a if b else c|safe }}{{ (a if b else c)|safe }}", ["c", "a", "c"]),
    ("jinja", "{# {{ a|safe }} #}{% raw %}{{ b|safe }}{% endraw %}{{ '{{ c|safe }}' }}{{ d|safe }}", ["d"]),
    ("jinja", "{% macro m(a) %}{{ a|safe }}{{ b|safe }}{% endmacro %}{{ a|safe }}", ["a"]),
    (
        "jinja",
        "{{ x.strip()|safe }}{{ x.get('k')|safe }}{{ x[i]|safe }}{{ x[0].y|safe }}",
        ["x", "x/*", "x/*", "x/0/y"],
    ),
    (
        "ejs",
        "<i x-data='<%= a %>' b='<%= c %>'><script>f(<%= d %>, '<%= e %>', <%= JSON.stringify(g) %>)</script>",
        ["a", "d"],
    ),
    ("handlebars", "<i x-data='{{ a }}' b='{{ c }}'><script>f({{ d }}, '{{ e }}', {{json g}})</script>", ["a", "d"]),
    ("html-template", "<i x-data='{{ .A }}' onclick='{{ .B }}' c='{{ .C }}'><script>f({{ .D }})</script>", ["A"]),
    ("pug", "a(onclick=`f(${a})` title=b)= c\nscript.\n  f(#{d}, '#{e}')\np #{g}", ["a", "d"]),
    ("nunjucks", "{% for k, v in d %}{{ v|safe }}{{ k|safe }}{% endfor %}{{ a ? b : c|safe }}", ["d/*", "c"]),
    (
        "django",
        "{{ a|default:b|safe }}{{ a|linebreaks|safe }}{{ a|safe|linebreaks }}{{ a.0.b|safe }}",
        ["a", "b", "a", "a/0/b"],
    ),
    (
        "django",
        "{% with a=b.c d=e %}{{ a|safe }}{{ d|safe }}{% endwith %}{% with b as a %}{{ a|safe }}{% endwith %}",
        ["b/c", "e", "b"],
    ),
    ("django", "{% comment %}{{ a|safe }}{% endcomment %}{{ a|date:'Y'|safe }}{{ a|add:b|safe }}", ["a", "b"]),
    ("tornado", "{{ a }}{% raw b.c %}{% autoescape None %}{{ d }}", ["b/c", "d"]),
    ("twig", "{{ a|raw }}{{ b|e|raw }}{{ c ?? d|raw }}", ["a", "d"]),
    ("handlebars", "{{a}}{{{b}}}{{&c}}{{{~d.e~}}}{{!-- {{{f}}} --}}{{! {{{g}} }}", ["b", "c", "d/e"]),
    (
        "handlebars",
        "{{#each xs}}{{{y}}}{{{../z}}}{{{this}}}{{{@root.r}}}{{{@index}}}{{/each}}{{{y}}}",
        ["xs/*/y", "z", "xs/*", "r", "y"],
    ),
    (
        "handlebars",
        "{{#if a}}{{{b}}}{{else}}{{{c}}}{{/if}}{{#with d}}{{{e}}}{{#if f}}{{{../g}}}{{/if}}{{/with}}",
        ["b", "c", "d/e", "g"],
    ),
    (
        "handlebars",
        "{{#each a.b as |x i|}}{{{x.y}}}{{{i}}}{{/each}}{{{json c}}}{{{t 'k' d}}}",
        ["a/b/*/y", "c+", "d?+"],
    ),
    ("mustache", "{{#xs}}{{{y}}}{{/xs}}{{^xs}}{{{z}}}{{/xs}}", ["xs/*/y", "xs/y", "y", "z"]),
    ("ejs", "<%= a %><%- b %><%# <%- c %><%- d.e['f'] -%><%_ _%><%% <%- g %>", ["b", "d/e/f", "g"]),
    ("ejs", "<%= it.a %><%~ it.b %>", ["b"]),
    ("ejs", "<% xs.forEach(x => { %><%- x.y %><% }) %><% for (const z of zs) { %><%- z %><% } %>", ["xs/*/y", "zs/*"]),
    ("ejs", "<% for (var i = 0; i < n; i++) { %><%- xs[i].y %><%- i + 1 %><% } %>", ["xs/*/y"]),
    ("ejs", "<% if (a) { %><%- b %><% } else { %><%- c || 'none' %><% } %><%- locals.d %>", ["b", "c", "d"]),
    (
        "ejs",
        "<% let s = ''; if (a) s = b; %><%- s %><% const {c: {d}, e = f} = g %><%- d + e %>",
        ["b", "g/c/d", "g/e"],
    ),
    (
        "ejs",
        "<%- escapeHtml(a) %><%- JSON.stringify(b) %><%- f(c) %><%- a > b ? c : d %><%- typeof a %>",
        ["b+", "c?+", "c", "d"],
    ),
    ("ejs", "<% Object.entries(o).forEach(([k, v]) => { %><%- k %><%- v.w %><% }) %>", ["o/*/w"]),
    ("ejs", "<%- xs.filter(x => x.ok).map(x => `<b>${x.y}</b>`).join('') %>", ["xs/*/y/*+"]),
    ("pug", "p= a\np!= b\np text !{c} #{d}\na(href!=e, title=f)\n!= g\n//- !{h}\n  p!= i\n", ["b", "c", "e", "g"]),
    ("pug", "each x, i in xs\n  p!= x.y\n  p!= i\np!= x\n- var z = a.b\np!= z", ["xs/*/y", "x", "a/b"]),
    ("pug", "script.\n  var a = !{b};\n  p!= c\nmixin m(a)\n  p!= a\n", ["b"]),
    ("unknown", "{{ a|safe }}", []),
    (
        "text-template",
        '{{.A}}{{- .B.C -}}{{$.D}}{{html .E}}{{len .F}}{{/* {{.G}} */}}{{H}}{{"{{.I}}"}}',
        ["A", "B/C", "D"],
    ),
    (
        "text-template",
        "{{range $i, $x := .Xs}}{{$i}}{{$x.Y}}{{.Z}}{{else}}{{.W}}{{end}}{{.Y}}",
        ["Xs/*/Y", "Xs/*/Z", "W", "Y"],
    ),
    (
        "text-template",
        "{{with $a := .A.B}}{{.C}}{{$a.D}}{{else with .E}}{{.F}}{{end}}{{$a}}",
        ["A/B/C", "A/B/D", "E/F"],
    ),
    ("text-template", '{{index .M "k" 0}}{{or .A "x"}}{{printf "%s" .B}}{{f .C | print}}', ["M/k/0", "A", "B+", "C?+"]),
    (
        "text-template",
        '{{define "a"}}{{.A}}{{end}}{{if .B}}{{.C}}{{else if .D}}{{.E}}{{end}}{{$x := .F}}{{$x}}',
        ["C", "E", "F"],
    ),
    ("html-template", "{{.A}}{{f .B}}", []),
]


@pytest.mark.parametrize(("dialect", "text", "expected"), CASES)
def test_a_template_writes_unescaped(dialect: str, text: str, expected: list[str]) -> None:
    found = [
        "/".join("*" if key is None else key for key in write.path) + "?" * write.guessed + "+" * (not write.exact)
        for write in read(text.encode(), dialect).writes
    ]
    assert found == expected


INCLUDES = [  # dialect, template, name, what names mean in it, whether it sees no others
    ("jinja", "{% extends 'a.html' %}", "a.html", {}, False),
    ("jinja", "{% for x in xs %}{% include 'a.html' with context %}{% endfor %}", "a.html", {"x": ["xs/*"]}, False),
    ("django", "{% include 'a.html' with b=c.d only %}", "a.html", {"b": ["c/d"]}, True),
    ("twig", "{{ include('a.html', {b: c}) }}", "a.html", {"b": ["c"]}, False),
    ("ejs", "<%- include('a', {b: c.d, e}) %>", "a", {"b": ["c/d"], "e": ["e"]}, False),
    ("ejs", "<% layout('a') %>", "a", {"body": []}, False),
    ("ejs", "<% include ../a %>", "../a", {}, False),
    ("handlebars", "{{> a b=c.d}}", "a", {"b": ["c/d"]}, False),
    ("pug", "each x in xs\n  include a", "a", {"x": ["xs/*"]}, False),
    (
        "html-template",
        '{{range .Xs}}{{template "row" (dict "a" . "b" 1)}}{{end}}',
        "row",
        {"a": ["Xs/*"], "b": []},
        True,
    ),
]


@pytest.mark.parametrize(("dialect", "text", "name", "names", "only"), INCLUDES)
def test_a_template_includes(dialect: str, text: str, name: str, names: dict[str, list[str]], only: bool) -> None:
    (found,) = read(text.encode(), dialect).includes
    meant = {
        key: ["/".join("*" if each is None else each for each in path) for path in paths]
        for key, paths in found.names.items()
    }
    assert (found.name, meant, found.only) == (name, names, only)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("{{f .A .B}}", ["A()", "B()", "f(A, B)"]),
        ("{{.A | f 1 | g}}", ["A()", "f(, A)", "g(A)"]),
        ("{{range .Xs}}{{.M .A}}{{f $.B.C}}{{end}}", ["Xs()", "Xs/*/A()", "Xs/*/M(Xs/*/A)", "B()", "B/C()", "f(B/C)"]),
        ("{{f (index .A 0) (g .B)}}", ["A()", "B()", "g(B)", "f(A/0, B)"]),
        ("{{len .A}}{{`{{f .B}}`}}", ["A()"]),
        ("{{if f .A}}{{end}}{{with f .A}}{{g .}}{{end}}", ["A()", "f(A)", "g(A)"]),
    ],
)
def test_a_template_calls(text: str, calls: list[str]) -> None:
    def of(paths: tuple[tuple[str | None, ...], ...]) -> str:
        return "|".join("/".join("*" if key is None else key for key in path) for path in paths)

    found = []
    for call in read(text.encode(), "html-template").calls:
        under = [of((path,)) for path in call.receiver or ()]
        found.append("".join([f"{each}/" for each in under if each]) + f"{call.name}({', '.join(map(of, call.given))})")
    assert found == calls


def test_places_are_bytes_of_the_tag() -> None:
    for dialect, tag in (("jinja", "{{ ä|safe }}"), ("handlebars", "{{{ä}}}"), ("ejs", "<%- ä %>")):
        text = f"<p>äöü</p>{tag}".encode()
        (write,) = read(text, dialect).writes
        assert text[write.start : write.end].decode() == tag
        assert write.path == ("ä",)


def test_the_dialect_of_a_page_is_told_by_its_tags() -> None:
    texts = ["<%= a %>", "{{ a|safe }}", "{% if a %}", "{{{a}}}", "{{#each a}}", "<p>a</p>"]
    assert [dialect_of(text.encode()) for text in texts] == [
        "ejs",
        "nunjucks",
        "nunjucks",
        "handlebars",
        "handlebars",
        "",
    ]


PIECES = [
    *("{{", "}}", "{%", "%}", "{#", "#}", "{{{", "}}}", "<%", "<%-", "<%=", "%>", "-%>", "!{", "}", "!=", "!= ", "- "),
    *(
        "for ",
        "x ",
        " in ",
        "xs",
        "endfor",
        "set ",
        "=",
        "with ",
        "raw",
        "endraw",
        "autoescape ",
        "off",
        "include ",
        "each ",
    ),
    *(
        "|safe",
        "|",
        ".",
        "(",
        ")",
        "[",
        "]",
        "'",
        '"',
        "\\",
        "`",
        "${",
        "\n",
        "  ",
        "#each ",
        "/each",
        "#",
        "/",
        ">",
        "&",
        "../",
    ),
    *(
        "function(p){",
        "=>",
        "{",
        "forEach(",
        "if (",
        "else",
        "é",
        "\0",
        "1",
        ":",
        ",",
        "?",
        "not ",
        "and ",
        "~",
        "+",
        "a(b!=c)",
    ),
]


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(sorted(READERS)), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@example("jinja", "{{ " + "(" * 500)
@example("ejs", "<%- " + "(" * 500 + ")" * 500 + " %>")
@example("pug", "p(" * 200 + "a!=b")
def test_no_text_is_too_strange(dialect: str, text: str) -> None:
    data = text.encode()
    page = read(data, dialect)
    assert all(0 <= write.start < write.end <= len(data) for write in page.writes)


@settings(deadline=None)
@given(st.sampled_from(sorted(READERS)), st.binary(max_size=300))
def test_no_bytes_are_too_strange(dialect: str, data: bytes) -> None:
    read(data, dialect)
    dialect_of(data)


LONG = [
    *(
        "{{",
        "{%",
        "{#",
        "{{{",
        "<%",
        "<%-",
        "!{",
        "{{ '",
        "{{ a|",
        "{% raw %}",
        "{% for x in xs %}",
        "{{#each x}}",
        "{{/x}}",
    ),
    *(
        "{{!--",
        "(",
        "a(",
        "a(b!=",
        "p!= ",
        "each x in xs\n ",
        " ",
        "\n",
        '"\\',
        "<% if (a) { %>",
        "<% } %>",
        "{{ a }}",
        "- a\n",
    ),
    *(
        "{% macro m(a) %}",
        "{% endmacro %}{{ m(x) }}",
        "{% endfor %}",
        "{% endwith %}{% for x in y %}",
        "{{> a}}",
        "{{ a.b(c|d:e) }}",
        "<%- a+b %>",
        "{%      ",
        "a:",
    ),
]


@pytest.mark.parametrize("dialect", sorted(READERS))
def test_ten_times_the_text_takes_about_ten_times_the_work(dialect: str) -> None:
    """Counted in Python's own steps, not in seconds: nothing begins again from where it was before."""
    for piece in LONG:
        few, many = (steps_of(dialect, (piece * (size // len(piece))).encode()) for size in (2_000, 20_000))
        assert many <= 20 * few + 2_000, piece


def steps_of(dialect: str, data: bytes) -> int:
    """How many functions reading calls, Python's and compiled ones."""
    import sys

    count = 0

    def profile(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        read(data, dialect)
    finally:
        sys.setprofile(before)
    return count
