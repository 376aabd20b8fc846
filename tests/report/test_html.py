"""The HTML report: its structure and escaping, and, where a browser is installed, what it does in one."""

from __future__ import annotations

import io
import json
import os
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.report.chromium import Page, page, why_not
from tests.report.reports import (
    EVIL,
    SQL_INJECTION,
    empty,
    hostile,
    many,
    open_redirect,
    realistic,
    sql_injection,
    with_arguments,
)

from pyrograph.model.finding import Report, Step, Trace
from pyrograph.model.place import Place
from pyrograph.report.html import CHAPTERS, FOLDER, render
from pyrograph.report.html.data import CONTEXT, MAX_GAP, MAX_LINE

AXE = os.environ.get("AXE_CORE", "")  # axe.min.js of the npm package axe-core, which is never shipped


class Elements(HTMLParser):
    """The elements of a page: (tag, attributes, text inside it up to the next tag)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str], str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {key: value or "" for key, value in attrs}, ""))

    def handle_endtag(self, tag: str) -> None:
        self.found.append(("", {}, ""))

    def handle_data(self, data: str) -> None:
        if self.found:
            tag, attributes, text = self.found[-1]
            self.found[-1] = (tag, attributes, text + data)

    def of(self, tag: str) -> list[tuple[dict[str, str], str]]:
        return [(attributes, text) for name, attributes, text in self.found if name == tag]


def written(report: Report) -> str:
    stream = io.StringIO()
    render(report, stream)
    return stream.getvalue()


def data_of(report: Report) -> dict[str, Any]:
    block, _script = Elements(written(report)).of("script")
    assert block[0] == {"type": "application/json", "id": "data"}
    data: dict[str, Any] = json.loads(block[1])
    return data


def hash_of(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


# -- the file


@pytest.mark.parametrize(
    "report", [realistic(), empty(), hostile(), many(30)], ids=["realistic", "empty", "hostile", "many"]
)
def test_the_policy_allows_the_script_and_the_style_of_the_page_and_nothing_else(report: Report) -> None:
    elements = Elements(written(report))
    (style,) = elements.of("style")
    _data, script = elements.of("script")
    policies = [a["content"] for a, _ in elements.of("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policies == [
        f"default-src 'none'; script-src {hash_of(script[1])}; style-src {hash_of(style[1])}; "
        "base-uri 'none'; form-action 'none'"
    ]
    assert script[0] == style[0] == {}


@pytest.mark.parametrize("report", [realistic(), hostile()], ids=["realistic", "hostile"])
def test_the_page_loads_nothing_and_has_no_inline_handlers_or_styles(report: Report) -> None:
    for tag, attributes, _ in Elements(written(report)).found:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "audio", "video")
        assert not {name for name in attributes if name.startswith("on") or name in ("src", "href", "style", "action")}


def test_the_page_has_the_same_elements_whatever_was_scanned() -> None:
    plain, evil = (Elements(written(report)).found for report in (empty(), hostile()))
    assert [(tag, attributes) for tag, attributes, _ in plain[:3]] == [
        (tag, attributes) for tag, attributes, _ in evil[:3]
    ]
    assert [tag for tag, _, _ in plain] == [tag for tag, _, _ in evil]


@pytest.mark.parametrize(
    "text", ["</script><script>alert(1)</script>", "<!--<script>", "]]>", "{{script}}", "&lt;", EVIL]
)
def test_a_text_from_the_scan_stays_a_text(text: str) -> None:
    finding = replace(sql_injection(), message=text, function=text, place=replace(sql_injection().place, path=text))
    report = replace(
        realistic(), findings=(finding,), notes=(text,), sources={text: f"{text}\n".encode("utf-8", "replace")}
    )
    page = written(report)
    assert page.isascii() == written(empty()).isascii()
    assert len(Elements(page).of("script")) == 2
    data = data_of(report)
    assert data["findings"][0]["message"] == text
    assert data["notes"] == [text]
    block = page.partition('<script type="application/json" id="data">')[2].partition("</script>")[0]
    assert not set("<>&") & set(block)


def test_the_script_makes_no_html_of_text() -> None:
    for name in CHAPTERS:
        code = (FOLDER / f"{name}.js").read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|</script|<!--", code
        )
        assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|import)\b\(?['\"(]", code)


def test_equal_reports_give_equal_bytes() -> None:
    assert written(realistic()) == written(realistic())


# -- the data


def test_a_finding_has_what_its_page_shows() -> None:
    data = data_of(realistic())
    first = data["findings"][0]
    assert json.loads(first["baseline"]) == {
        "path": "app/db.py",
        "rule": "python/sql-injection",
        "fingerprint": sql_injection().fingerprint,
    }
    assert (first["severity"], first["confidence"], first["sources"], first["steps"]) == ("critical", "high", 5, 5)
    assert first["code"] == "query"
    assert data["texts"][first["entry"]] == "the request in app/views.py"
    assert data["rules"]["python/sql-injection"]["cwe"] == [89, 943]
    files = [file["path"] for file in data["files"]]
    source, steps, _argument, request, _checks = first["traces"][0]
    assert data["texts"][request] == ""
    assert data["texts"][source] == "the request (flask.request.args)"
    assert [(files[step[0]], *step[1:4], data["kinds"][step[4]]) for step in steps][:2] == [
        ("app/views.py", 8, 12, 24, "source"),
        ("app/views.py", 9, 32, 36, "call"),
    ]
    assert data["files"][files.index("app/db.py")]["lines"]["9"] == "    cursor.execute(query)"


def test_lines_near_steps_are_in_the_page_and_no_others() -> None:
    source = "".join(f"line {number}\n" for number in range(1, 101)).encode()
    steps = tuple(Step(Place("a.py", line, 1, line, 5), "flow", "x") for line in (10, 17, 40))
    finding = replace(sql_injection(), place=steps[-1].place, traces=(Trace("http", "x", steps),))
    data = data_of(replace(realistic(), findings=(finding,), sources={"a.py": source}))
    numbers = [int(number) for number in data["files"][0]["lines"]]
    assert 17 - 10 - 2 * CONTEXT <= MAX_GAP
    assert numbers == [*range(8, 20), *range(38, 43)]


def test_a_step_in_a_long_line_has_the_part_around_it() -> None:
    code = b"x=1;" * 100_000 + b"f(query);" + b"y=2;" * 100_000
    place = Place("a.js", 1, 400_003, 1, 400_008)
    finding = replace(sql_injection(), place=place, traces=(Trace("http", "x", (Step(place, "sink", "x"),)),))
    report = replace(realistic(), findings=(finding,), sources={"a.js": code})
    (step,) = data_of(report)["findings"][0]["traces"][0][1]
    excerpt, offset = step[7]
    assert len(excerpt) <= MAX_LINE + 2
    assert excerpt[step[2] - 1 - offset : step[3] - 1 - offset] == "query"
    assert len(written(report)) < 100_000


# -- in a browser

in_browser = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture(scope="module")
def tab() -> Iterator[Page]:
    with page() as opened:
        opened.resize(1440, 900)
        yield opened


def show(tab: Page, report: Report, tmp_path: Path, anchor: str = "") -> None:
    file = tmp_path / "report.html"
    file.write_text(written(report), encoding="utf-8", newline="\n")
    tab.messages.clear()
    tab.requests.clear()
    tab.open(f"file://{file}?{sha256(file.read_bytes()).hexdigest()[:8]}{anchor}")


def rows(tab: Page) -> list[str]:
    shown: list[str] = tab.run("[...document.querySelectorAll('.row')].map(row => row.textContent)")
    return shown


def title(tab: Page) -> str:
    return str(tab.run("document.querySelector('#detail h2').textContent"))


def search(tab: Page, text: str) -> None:
    tab.run(
        f"byQuery = document.getElementById('query'); byQuery.value = {json.dumps(text)}; "
        "byQuery.dispatchEvent(new Event('input')); 0"
    )


@in_browser
@pytest.mark.parametrize("report", [realistic(), empty(), hostile()], ids=["realistic", "empty", "hostile"])
def test_nothing_is_refused_requested_or_raised(tab: Page, report: Report, tmp_path: Path) -> None:
    show(tab, report, tmp_path)
    for key in ("j", "n", "s", "k", "o", "End", "?"):
        tab.press(key)
    tab.run("document.querySelector('dialog button').click()")
    assert tab.run("document.getElementById('help').open") is False
    assert tab.messages == []
    assert len(tab.requests) == 1


@in_browser
def test_the_policy_stops_what_is_not_in_the_page(tab: Page, tmp_path: Path) -> None:
    show(tab, realistic(), tmp_path)
    for tag, property, value in (("script", "textContent", "window.ran = 1"), ("img", "src", "file:///etc/hostname")):
        made = f"Object.assign(document.createElement('{tag}'), {{{property}: '{value}'}})"
        tab.run(f"document.body.append({made}); 0")
    assert tab.run("window.ran") is None
    assert sum("Content Security Policy" in message for message in tab.messages) == 2


@in_browser
def test_keys_walk_through_findings_and_the_address_follows(tab: Page, tmp_path: Path) -> None:
    show(tab, realistic(), tmp_path)
    assert title(tab) == "2 findings in 2 files"
    tab.press("j")
    assert (title(tab), tab.run("location.hash")) == (sql_injection().message, "#" + sql_injection().fingerprint)
    tab.press("ArrowDown")
    assert title(tab) == open_redirect().message
    tab.press("k")
    assert title(tab) == sql_injection().message
    tab.press("o")
    assert title(tab) == "2 findings in 2 files"


@in_browser
def test_an_address_opens_its_finding_and_an_unknown_one_says_so(tab: Page, tmp_path: Path) -> None:
    show(tab, realistic(), tmp_path, "#" + open_redirect().fingerprint)
    assert title(tab) == open_redirect().message
    tab.run("location.hash = 'feed'; new Promise(done => setTimeout(done, 50))")
    assert "This report has no finding feed" in tab.run("document.getElementById('detail').textContent")


@in_browser
def test_a_finding_shows_its_path_as_marked_code(tab: Page, tmp_path: Path) -> None:
    show(tab, realistic(), tmp_path, "#" + sql_injection().fingerprint)
    marks = tab.run("[...document.querySelectorAll('#detail mark')].map(mark => [mark.className, mark.textContent])")
    assert marks[0] == ["source", "request.args"]
    assert marks[-1] == ["sink", "query"]
    assert tab.run("[...document.querySelectorAll('#detail .file')].map(each => each.textContent)") == [
        "app/views.py",
        "app/db.py",
    ]
    numbers = tab.run("[...document.querySelectorAll('#detail .code.on .gutter')].map(each => each.textContent)")
    assert numbers == ["8", "9", "6", "8", "9"]
    assert tab.run("document.querySelectorAll('#detail .picture circle').length") == 5
    assert tab.run("document.querySelectorAll('#detail .picture .lane').length") == 2
    assert tab.run("document.querySelectorAll('#detail .keyword, #detail .string').length") > 3
    copied = tab.run("[...document.querySelectorAll('#detail .copy pre')].map(each => each.textContent)")
    assert copied[0] == "# pyrograph: ignore[sql-injection] REASON"
    assert json.loads(copied[1])["fingerprint"] == sql_injection().fingerprint
    tab.press("s")
    assert tab.run("document.querySelector('#detail mark').textContent") == "request.form"


@in_browser
def test_each_argument_of_a_call_has_its_path_and_its_line_of_the_baseline(tab: Page, tmp_path: Path) -> None:
    report = with_arguments()
    show(tab, report, tmp_path, "#" + sql_injection().fingerprint)
    sources = tab.run("[...document.querySelectorAll('#detail .sources button')].map(each => each.textContent)")
    assert [source.rpartition(" into ")[2] for source in sources] == ["query", "{name}"]
    lines = tab.run("document.querySelectorAll('#detail .copy pre')[1].innerText").splitlines()
    assert [json.loads(line.rstrip(","))["fingerprint"] for line in lines] == [*report.findings[0].fingerprints]


@in_browser
def test_code_points_beyond_16_bits_are_marked_where_they_stand(tab: Page, tmp_path: Path) -> None:
    code = "f('😀𝒳', query)"
    place = Place("a.py", 1, code.index("query") + 1, 1, code.index("query") + 6)
    finding = replace(sql_injection(), place=place, traces=(Trace("http", "x", (Step(place, "sink", "x"),)),))
    report = replace(realistic(), findings=(finding,), sources={"a.py": code.encode()})
    show(tab, report, tmp_path, "#" + finding.fingerprint)
    assert tab.run("document.querySelector('#detail mark').textContent") == "query"


@in_browser
def test_filters_the_search_and_the_order_choose_what_is_listed(tab: Page, tmp_path: Path) -> None:
    show(tab, many(400), tmp_path)
    assert "critical" in rows(tab)[0]
    tab.run("[...document.querySelectorAll('#facets button')].find(each => each.title === 'low').click()")
    assert all("low" in row for row in rows(tab))
    assert tab.run("document.getElementById('count').textContent") == "100 of 400 findings"
    search(tab, "FILE0002 py:9")
    assert tab.run("document.getElementById('count').textContent") == "3 of 400 findings"
    tab.run("document.getElementById('clear').click()")
    assert tab.run("document.getElementById('count').textContent") == "400 findings"
    tab.run(
        "(sort => { sort.value = 'place'; sort.dispatchEvent(new Event('change')); })(document.getElementById('sort'))"
    )
    assert "file0000.py:1" in rows(tab)[0]


@in_browser
def test_a_list_of_10_000_findings_draws_only_the_rows_in_sight(tab: Page, tmp_path: Path) -> None:
    show(tab, many(10_000), tmp_path)
    assert len(rows(tab)) < 60
    tab.press("End")
    assert "file0099.py:97" in rows(tab)[-1]
    assert len(rows(tab)) < 60
    option = tab.run(
        "(row => [row.ariaPosInSet, row.ariaSetSize, row.id === document.getElementById('rows')"
        ".getAttribute('aria-activedescendant')])(document.querySelector('[aria-selected=true]'))"
    )
    assert option == ["10000", "10000", True]


@in_browser
def test_a_narrow_window_shows_the_list_a_finding_the_overview_or_the_filters(tab: Page, tmp_path: Path) -> None:
    def seen() -> list[str]:
        panes = "['#facets', '.list', '#detail'].filter(name => document.querySelector(name).offsetParent !== null)"
        found: list[str] = tab.run(panes)
        return found

    tab.resize(420, 800)
    try:
        show(tab, realistic(), tmp_path)
        assert seen() == [".list"]
        tab.press("j")
        assert seen() == ["#detail"]
        tab.run("document.querySelector('.back').click()")
        assert seen() == [".list"]
        tab.press("o")
        assert seen() == ["#detail"]
        tab.run("document.getElementById('filters').click()")
        assert seen() == ["#facets"]
        tab.run("[...document.querySelectorAll('#facets button')].find(each => each.title === 'medium').click()")
        tab.run("document.getElementById('filters').click()")
        assert seen() == [".list"]
        assert len(rows(tab)) == 1
    finally:
        tab.resize(1440, 900)


@in_browser
def test_what_reorders_or_hides_text_is_shown_as_an_escape(tab: Page, tmp_path: Path) -> None:
    show(tab, hostile(), tmp_path)
    tab.press("j")
    text = tab.run("document.body.innerText")
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", text)
    assert "\\u202e" in text


@in_browser
def test_a_printed_page_has_the_findings_with_their_paths(tab: Page, tmp_path: Path) -> None:
    show(tab, realistic(), tmp_path)
    assert tab.pdf().startswith(b"%PDF")
    tab.run("dispatchEvent(new Event('beforeprint'))")
    paper = tab.run("document.getElementById('paper').textContent")
    assert all(
        message in paper for message in (sql_injection().message, open_redirect().message, "passed to find_user")
    )
    show(tab, many(1_000), tmp_path)
    tab.run("dispatchEvent(new Event('beforeprint'))")
    assert "700 further findings not printed" in tab.run("document.getElementById('paper').textContent")


@in_browser
@pytest.mark.skipif(not AXE, reason="AXE_CORE does not name axe.min.js of the npm package axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 420])
def test_the_page_is_accessible(tab: Page, tmp_path: Path, scheme: str, width: int) -> None:
    tab.resize(width, 900)
    tab.prefer(scheme)
    try:
        for report in (realistic(), empty(), many(300)):
            show(tab, report, tmp_path)
            for key in ("o", "j", "?"):
                tab.press(key)
                tab.run(Path(AXE).read_text(encoding="utf-8") + ";0")
                found = tab.run(
                    "axe.run().then(r => [r.passes.length, r.violations.map(v => [v.id, v.nodes[0].html])])"
                )
                assert found[0] > 10
                assert found[1] == []
    finally:
        tab.resize(1440, 900)
        tab.prefer("light")


@in_browser
def test_a_help_text_becomes_elements_and_never_html(tab: Page, tmp_path: Path) -> None:
    help = (
        "## Why\n\nA <b>tag</b>, `code`, **bold** and [a link](https://x.test/) or [none](javascript:alert(1)).\n\n"
        "- one\n- two\n"
    )
    report = replace(realistic(), vulnerabilities={"sql-injection": replace(SQL_INJECTION, help=help)})
    show(tab, report, tmp_path, "#" + sql_injection().fingerprint)
    text, links, items, tags = tab.run(
        "(box => [box.innerText, [...box.querySelectorAll('a')].map(a => a.href), box.querySelectorAll('li').length, "
        "box.querySelectorAll('b').length])(document.querySelector('.prose'))"
    )
    assert "A <b>tag</b>, code, bold and a link or [none](javascript:alert(1))." in text
    assert (links, items, tags) == (["https://x.test/"], 2, 0)
