"""Scripts that stand in pages: which are read, what becomes of the tags in them, and that all keeps its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrograph import scanner
from pyrograph.parsers import code, lower
from pyrograph.parsers.pages import code_of, scripts_of, written_by_hand
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.triage.suppress import apply_suppressions

CASES = [  # a script's text, what it is parsed as
    ("var a = {{ a }};", "var a = _______;"),
    ("var a = {{{ a }}};", "var a = _________;"),
    ("var a = '{{ url('x') }}';", "var a = '______________';"),
    ("var {{ id }}_x = 1", "var _________x = 1"),
    ("a(`{{ x }}`)", "a(`_______`)"),
    ("{{#if x}} a() {{else}} b() {{/if}}", "          a()          b()        "),
    ("{{ if .X }}a(){{ else }}b(){{ end }}", "           a()          b()         "),
    ("{{ block.super }}", "_" * 17),
    ("a = {% if x %}1{% else %}2{% endif %};", "a =           1||        2           ;"),
    ("a = {% if x %}'}'{% elif y %}2{% endif %};", "a =           '}'||          2           ;"),
    ("{% if x %} a() {% else %} b() {% endif %}", "           a()            b()            "),
    ("f(a, {% if x %} b, {% else %} c, {% endif %} d)", "f(a,            b,            c,             d)"),
    ("a = <% if (x) { %>1<% } else { %>2<% } %>;", "a =               1||            2       ;"),
    ("[{% for x in y %}'{{ x }}',{% endfor %}]", "[                '_______',            ]"),
    ("a = {% url 'x' %};", "a = _____________;"),
    ("a = {# {{ x }} #} 1;", "a =               1;"),
    ("// it's {{ x }}\na = {{ x }}", "// it's        \na = _______"),
    ("/* {% else %} */", "/*            */"),
    ("a = 'it\\'s {% if x %}y{% else %}z{% endif %}'", "a = 'it\\'s           y          z           '"),
    ("a = {{\n x\r\n}};", "a = __\n  \r\n  ;"),
    ("a = '{{ x\r\n }}'", "a = '___\\\r\n___'"),
    ("a = <?= $x ?>;", "a = _________;"),
    ("<?php if ($x): ?> a() <?php endif ?>", "                  a()               "),
    ("a = {{ x;", "a = {{ x;"),
    ("<!-- old\na()\n-->", "//   old\na()\n   "),
]
READ = [
    ("<script>{}</script>", True),
    ("<SCRIPT TYPE='text/javascript'>{}</SCRIPT >", True),
    ('<script type="module" data-x="a > b">{}</script>', True),
    ("<script>{}", True),
    ('<script nonce="{{ "x" }}">{}</script>', True),
    ("<style>a > b</style><script>{}</script>", True),
    ("<script src=x.js>{}</script>", False),
    ("<script src='x.js'>{}</script>", False),
    ("<script type='application/ld+json'>{}</script>", False),
    ("<script type='text/x-template'>{}</script>", False),
    ("<script type='importmap'>{}</script>", False),
    ("<!-- <script>{}</script> -->", False),
    ("{# <script>{}</script> #}", False),
    ("{% comment %}<script>{}</script>{% endcomment %}", False),
    ("<textarea><script>{}</script></textarea>", False),
    ("<scripts>{}</scripts>", False),
]
FRAGMENTS = st.sampled_from(
    [
        *("<script>", "</script>", "<script type='module' src=x>", '<script lang="ts">', "<!--", "-->", "<style>"),
        *("{{", "}}", "{%", "%}", "{#", "#}", "<%=", "<%", "%>", "<?php", "?>", "{{{", "}}}", "if", "else", "endif"),
        *("'", '"', "`", "\\", "//", "/*", "*/", "\n", "\r\n", "é", "日", "😀", " ", "x", ";", "=", "(", ")", "{", "}"),
    ]
)


@pytest.mark.parametrize(("script", "parsed"), CASES)
def test_tags_become_names_operators_or_blanks(script: str, parsed: str) -> None:
    before, behind = "<p>é</p>\n<script>", "</script>\n"
    found = code_of(f"{before}{script}{behind}".encode(), tags=True).text.decode()
    assert found == f"{' ' * 9}\n{' ' * 8}{parsed};{' ' * 8}\n"


@pytest.mark.parametrize(("page", "is_read"), READ)
def test_only_scripts_that_run_and_stand_in_the_page_are_read(page: str, is_read: bool) -> None:
    text = page.replace("{}", "alert(1)")
    assert (b"alert(1)" in code_of(text.encode(), tags=True).text) == is_read


def test_scripts_that_nobody_wrote_are_left_out() -> None:
    minified = b"<script>" + b"a=function(b){return(c)};" * 100 + b"</script>"
    release = b"<script>/*! x 1.2.3 | MIT license */ a()</script>"
    page = minified + release + b"<script>mine()</script>"
    scripts = scripts_of(page)
    assert len(scripts) == 3
    assert written_by_hand(page, scripts) == scripts[2:]
    assert code_of(page, tags=True).text.strip(b" ;") == b"mine()"


def test_a_script_with_types_is_read_as_such() -> None:
    assert code(b"<script lang='ts'>let a: string</script>", "component-scripts")[1] == "typescript"
    assert code(b"<script lang='tsx'>let a = <b>{{}}</b></script>", "component-scripts")[1] == "tsx"
    assert code(b"<script>let a</script>", "component-scripts")[1] == "component-scripts"


@given(st.lists(FRAGMENTS, max_size=60).map("".join), st.booleans())
def test_everything_keeps_its_place(page: str, tags: bool) -> None:
    """A unit's text has the length and the breaks of lines of its page; each byte is the page's, or stands for it."""
    text = page.encode()
    found = code_of(text, tags=tags).text
    assert len(found) == len(text)
    assert [at for at, byte in enumerate(found) if byte in b"\r\n"] == [
        at for at, byte in enumerate(text) if byte in b"\r\n"
    ]
    assert {byte for byte, before in zip(found, text, strict=True) if byte != before} <= set(b" _|;\\/")
    lower(text, "page-scripts" if tags else "component-scripts")


MARKUP = st.sampled_from(
    [
        *("<p>", "</p>\n", "  ", "\n", "\t", "{", "}", "{x}", "<!--", "-->", "<style>", "</style>", ">", "/>", "as"),
        *("{@html x}", "{@html {", "{#each x as y}", "{#each x\nas { a, b },\ni (a)}", "{#each\nx as y}", "{/each}"),
        *(
            "{@const z = x}",
            "{@const\nz = x}",
            "<A a={x}/>",
            "<A\na={x}\n/>",
            "<A {...x} {y}>",
            "<A b='c' d=\"{x}\"",
            "$s",
        ),
        *('<b v-html="x">', '<b v-for="y in x"', '<A :a="x"\n/>', "<template>", "</template>\n", "é", "\r\n"),
        "<script>const x = ref(1); let { a, b = 2 } = $props(); let c = $derived(a);\n  $: d = b\n</script>",
        "<script setup lang='ts'>const { s, t: u } = useX();\nimport A from './a.vue';\nimport B from './b.svelte'",
        "<script>\nimport A from './a.svelte';\nexport let x;\nimport { s } from './s';\n</script>\n",
    ]
)


@given(st.lists(MARKUP, max_size=60).map("".join))
def test_markup_of_components_keeps_its_place(page: str) -> None:
    text = page.encode()
    found = code_of(text, tags=False, shown=True).text
    assert len(found) == len(text)
    assert [at for at, byte in enumerate(found) if byte in b"\r\n"] == [
        at for at, byte in enumerate(text) if byte in b"\r\n"
    ]
    lower(text, "component-scripts")


COMPONENTS = [  # a component of Svelte, and its code without blanks
    ('<ul class="a list">{#each x as y}   {@html y}', ";for(vary ofx);;_html(y)"),
    ('<ul class="a list">\n{#each x as y}</ul>   {@html y.z}', ";for(vary ofx);;_html(y.z)"),
    ("{#each x as { a, b }, i (a)}   <p>   {@html a}<p>", "var$=x;for(var{a,b}of$);;_html(a);"),
    ("<p>{@const y = x}</p>{@html y}<p>", "vary=x;;_html(y);"),
    ("<div><p><A b={x} {y} {...z} on:c={d} e=f /></p>", "A({b:x,y,...z});"),
    ("<div><p><B b={x} /></p>", ""),
    ("<div><p>{@html {</p>", ""),
    ("<style>{@html x}</style><!-- {@html x} -->", ""),
]


@pytest.mark.parametrize(("markup", "code"), COMPONENTS)
def test_markup_of_svelte_is_code(markup: str, code: str) -> None:
    script = "<script>\nimport A from './a.svelte';\n</script>"
    text = code_of(f"{script}{markup}".encode(), tags=False, shown=True).text.decode()
    written = "".join(text.partition("svelte';")[2].split())
    assert code.replace(" ", "") in written


@pytest.mark.parametrize("size", [1_000, 100_000])
@pytest.mark.parametrize(
    "piece", ["<script ", "<script a='", "<script>{{", "<!--", "<style>", "{%comment", "<script>{%if x{"]
)
def test_pages_of_open_ends_take_linear_time(piece: str, size: int) -> None:
    assert code_of(piece.encode() * (size // len(piece)), tags=True).text


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_places_are_those_of_the_page(tmp_path: Path, line_end: str) -> None:
    lines = [
        "<p>日本 é</p>",
        "<b>é</b><script>function show(text) { document.body.innerHTML = text; }",
        "// Größe 😀 {{ tag }}",
        "/* é */ show(location.hash); </script>",
        "<script>if (</script>",  # broken
        "<script>document.body.innerHTML = location.search; // pyrograph: ignore",
        "</script>",
    ]
    (tmp_path / "page.html").write_bytes(line_end.join(lines).encode())
    options = ScanOptions(paths=(tmp_path,), root=tmp_path.resolve(), profile="default", jobs=1, device="cpu")
    report = apply_suppressions(scanner.scan(options, load_rules(None, ())))
    assert [(each.place.path, each.place.line, each.place.column) for each in report.findings] == [("page.html", 2, 39)]
    steps = report.findings[0].traces[0].steps
    assert (steps[0].place.line, steps[0].place.column) == (4, 14)
    assert [each.finding.place.line for each in report.suppressed] == [6]
    assert report.sources["page.html"].splitlines()[1] == lines[1].encode()
    assert [(each.kind, each.line) for each in report.problems] == [("syntax-error", 5)]
