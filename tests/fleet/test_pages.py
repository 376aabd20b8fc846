"""Pages show what the store has, as text and nothing else; the server answers whatever it is asked."""

from __future__ import annotations

import asyncio
import gzip
import io
import re
import sys
import threading
import time
from collections.abc import Iterator
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest

pytest.importorskip("starlette", reason="needs the extra fleet")
if sys.platform == "win32":
    pytest.skip("the fleet limits processes as POSIX systems can", allow_module_level=True)

from click.testing import CliRunner
from tests.fleet.outcomes import DAY, MONDAY, done, finding, task
from tests.fleet.test_store import content, night
from tests.report import chromium
from tests.report.reports import realistic

from pyrograph.cli import cli
from pyrograph.fleet.errors import FleetError
from pyrograph.fleet.outcome import Outcome
from pyrograph.fleet.pages import chart
from pyrograph.fleet.pages.render import policy, style
from pyrograph.fleet.pages.server import Server
from pyrograph.fleet.pages.site import write_site
from pyrograph.fleet.store import Store, open_store
from pyrograph.report.html import render

HOSTILE = "\"><img src=x onerror=alert(1)>'{{ 7*7 }}\u202e&amp;"
NOW = MONDAY + 3 * DAY


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Three repositories: a hostile one, a plain one with a real single report, and one that failed."""
    stream = io.StringIO()
    report = realistic()
    render(report, stream)
    real = finding(1, fingerprint=report.findings[0].fingerprint, likeness="ab")
    evil = finding(2, message=HOSTILE, path=HOSTILE, likeness="ab")
    with open_store(str(tmp_path_factory.mktemp("store") / "fleet.db"), writable=True) as opened:
        plain = done(real, finding(3, severity="low", rule="go/xxe"))
        object.__setattr__(plain, "html", gzip.compress(stream.getvalue().encode(), mtime=0))
        night(opened, MONDAY, (task(), done(real, finding(9))))
        night(opened, NOW, (task(), plain), (task(HOSTILE, "a&b"), done(evil, owners={HOSTILE: HOSTILE})))
        night(opened, NOW, (task("late"), Outcome("time", HOSTILE)))
        yield opened


class Parsed(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def links(self) -> list[str]:
        return [attributes["href"] for tag, attributes in self.elements if tag == "a"]


def checked(text: str) -> Parsed:
    """A page that runs nothing, loads nothing, and has the policy that says so."""
    page = Parsed(text)
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "img", "iframe", "link", "object", "base", "embed"}
    names = {name for _, attributes in page.elements for name in attributes}
    assert not {name for name in names if name.startswith("on") or name in ("style", "src")}
    policies = [each["content"] for _, each in page.elements if each.get("http-equiv") == "Content-Security-Policy"]
    assert policies in ([policy()], [policy("'self'")])
    assert f"<style>{style()}</style>" in text
    assert not any(urlsplit(link).scheme for link in page.links)
    return page


def test_all_pages_are_written_and_each_link_leads_to_one(store: Store, tmp_path: Path) -> None:
    count = write_site(store, tmp_path / "pages", NOW)
    files = {path.relative_to(tmp_path / "pages").as_posix() for path in (tmp_path / "pages").rglob("*.html")}
    assert len(files) == count
    reached = set()
    for name in files:
        text = (tmp_path / "pages" / name).read_text(encoding="utf-8")
        if name.startswith("reports/"):
            continue
        page = checked(text)
        targets = {unquote(urlsplit(urljoin(name, link)).path) for link in page.links}
        assert targets <= files, name
        reached |= targets
    assert files == reached
    first = checked((tmp_path / "pages/index.html").read_text(encoding="utf-8")).text
    assert re.search(r"Open findings\s*3\s", first)
    assert HOSTILE.replace("\u202e", r"\u202e") in checked((tmp_path / "pages/new.html").read_text("utf-8")).text


def test_equal_stores_give_equal_pages_and_what_is_gone_is_removed(store: Store, tmp_path: Path) -> None:
    def digests() -> dict[str, bytes]:
        return {str(each): sha256(each.read_bytes()).digest() for each in tmp_path.rglob("*.html")}

    write_site(store, tmp_path, NOW)
    before = digests()
    (tmp_path / "rule-gone.html").touch()
    (tmp_path / "reports/gone.html").touch()
    write_site(store, tmp_path, NOW)
    assert digests() == before


def test_a_directory_with_other_files_is_left_alone(store: Store, tmp_path: Path) -> None:
    (tmp_path / "mine.html").touch()
    with pytest.raises(FleetError, match="other files"):
        write_site(store, tmp_path, NOW)
    assert [each.name for each in tmp_path.iterdir()] == ["mine.html"]


def test_a_static_page_says_what_it_leaves_out(store: Store, tmp_path: Path) -> None:
    write_site(store, tmp_path, NOW, rows=1)
    assert "Older ones are left out here" in (tmp_path / "new.html").read_text(encoding="utf-8")


def test_a_drawing_stays_inside_its_frame() -> None:
    weeks = [{"day": day, "open": count} for day, count in enumerate((0, 5, 10))]
    assert chart.trend(weeks).line == "0.0,160.0 320.0,80.0 640.0,0.0"
    assert chart.trend([{"day": 0, "open": 0}] * 2).top == 1
    assert chart.bars([]) == []
    assert chart.bars([0, 1, 4]) == [0.0, 25.0, 100.0]


# -- the server

Answer = tuple[int, dict[str, str], str]


def ask(server: Server, path: str, method: str = "GET", body: bytes = b"", **headers: str) -> Answer:
    """One request to the application, without a network."""
    address, _, query = path.partition("?")
    sent = {"host": "localhost:8600", **headers}
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": unquote(address), "raw_path": address.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in sent.items()],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8600),
    }  # fmt: skip
    messages: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        messages.append(message)

    asyncio.run(server.application()(scope, receive, send))
    start, *parts = messages
    text = b"".join(part.get("body", b"") for part in parts).decode()
    return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, text


@pytest.fixture(scope="module")
def server(store: Store) -> Iterator[Server]:
    with open_store(store.shown, writable=False) as reader:
        yield Server(reader, now=lambda: NOW)


def test_every_link_of_the_server_is_answered(server: Server) -> None:
    waiting, seen = ["/"], {"/"}
    while waiting:
        path = waiting.pop()
        status, headers, text = ask(server, path)
        assert status == 200, path
        if path.startswith("/reports/"):
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            continue
        assert headers["content-security-policy"].startswith(policy("'self'"))
        for link in checked(text).links:
            target = urljoin(path, link).partition("#")[0]
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    assert len(seen) > 25
    assert any(path.startswith("/reports/") for path in seen)


def test_lists_go_on_at_the_next_page(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyrograph.fleet.pages import views

    monkeypatch.setitem(views.findings.__kwdefaults__ or {}, "limit", 1)
    path, places = "/findings?severity=high", []
    while path:
        page = checked(ask(server, path)[2])
        places.append(re.findall("message 1|onerror", page.text))
        following = [each["href"] for tag, each in page.elements if each.get("rel") == "next"]
        path = urljoin(path, following[0]) if following else ""
    assert [each[0] for each in places] == ["onerror", "message 1"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/findings", 400),
        ("/findings?rule=a&owner=b", 400),
        ("/findings?rule=a&state=any", 400),
        ("/findings?repository=x", 400),
        ("/findings?repository=" + "9" * 30, 400),
        ("/findings?rule=" + "a" * 2_000, 400),
        ("/findings?rule=%00", 400),
        ("/findings?rule=a&before=1", 400),
        ("/findings?rule=a&before=1-" + "9" * 40, 400),
        ("/findings?rule=%27%3B+DROP+TABLE+findings", 200),
        ("/findings?rule=%ff%fe", 200),
        ("/new?before=a-b", 400),
        ("/trouble?before=a-b", 400),
        ("/repositories?after=-1--1", 400),
        ("/repositories/0", 404),
        ("/repositories/1%2f2", 404),
        ("/repositories/x", 404),
        ("/repositories/" + "9" * 15, 404),
        ("/repositories/" + "9" * 40, 404),
        ("/reports/" + "0" * 32, 404),
        ("/reports/../fleet.db", 404),
        ("/reports/%2e%2e%2ffleet.db", 404),
        ("/none", 404),
        ("//example.org/", 404),
    ],
)
def test_bad_input_is_answered_and_changes_nothing(server: Server, store: Store, path: str, status: int) -> None:
    before = content(store)
    code, headers, text = ask(server, path)
    assert code == status
    assert headers["x-content-type-options"] == "nosniff"
    checked(text)
    assert content(store) == before


def test_nothing_can_be_written_through_the_server(server: Server) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        status, headers, _ = ask(server, "/", method)
        assert status == 405
        assert headers["cache-control"] == "no-store"
    assert ask(server, "/", "HEAD")[0] == 200


def test_json_reports_are_not_pages(server: Server, store: Store) -> None:
    from sqlalchemy import select

    from pyrograph.fleet.store.tables import scans

    with store.reading() as connection:
        digest = connection.execute(select(scans.c.json).where(scans.c.json.is_not(None))).scalar()
    assert ask(server, f"/reports/{digest}")[0] == 404


def test_without_a_token_only_names_of_this_machine_are_answered(server: Server) -> None:
    for host in ("localhost", "127.0.0.1:8600", "[::1]:8600", "LOCALHOST:1"):
        assert ask(server, "/", host=host)[0] == 200
    for host in ("example.org", "localhost.example.org", "127.0.0.1.example.org:8600", ""):
        status, _, text = ask(server, "/", host=host)
        assert status == 421
        assert "shop" not in text


def test_a_token_opens_the_pages_once_it_was_given(server: Server) -> None:
    closed = Server(server.store, token="a long secret ü", now=server.now)
    for headers in (
        {},
        {"authorization": "Bearer wrong"},
        {"authorization": "Basic x"},
        {"cookie": "pyrograph-fleet=x"},
    ):
        status, answered, text = ask(closed, "/repositories", "GET", b"", **headers)
        assert (status, answered["www-authenticate"]) == (401, "Bearer")
        assert "shop" not in text
        checked(text)
    sent = "a long secret ü".encode().decode("latin-1")
    assert ask(closed, "/", authorization=f"Bearer {sent}", host="example.org")[0] == 200
    for body in (b"", b"token=wrong", b"token=" + b"a" * 100_000, b"\xff\xfe&&&=" * 100, b"a=1&" * 50):
        assert ask(closed, "/login", "POST", body)[0] == 401
    status, answered, _ = ask(closed, "/login", "POST", b"token=a+long+secret+%C3%BC")
    assert (status, answered["location"]) == (303, ".")
    cookie = answered["set-cookie"]
    assert "httponly" in cookie.lower()
    assert "samesite=strict" in cookie.lower()
    assert "secret" not in cookie
    assert ask(closed, "/repositories", cookie=cookie.partition(";")[0])[0] == 200
    assert ask(server, "/login", "POST", b"token=")[0] == 401


def test_a_store_that_went_away_is_a_page_that_says_so(tmp_path: Path) -> None:
    open_store(str(tmp_path / "fleet.db"), writable=True).close()
    with open_store(str(tmp_path / "fleet.db"), writable=False) as reader:
        reader.close()
        (tmp_path / "fleet.db").write_bytes(b"no database" * 1_000)
        status, _, text = ask(Server(reader), "/")
    assert status == 503
    checked(text)


def test_other_addresses_than_this_machines_need_a_token(tmp_path: Path) -> None:
    open_store(str(tmp_path / "fleet.db"), writable=True).close()
    (tmp_path / "empty").touch()
    (tmp_path / "short").write_text("secret\n", encoding="utf-8")
    for arguments, trouble in (
        (("--host", "0.0.0.0"), "give a token"),
        (("--token-file", str(tmp_path / "empty")), "the file is empty"),
        (("--token-file", str(tmp_path / "short")), "too short"),
    ):
        command = ["fleet", "serve", "--store", str(tmp_path / "fleet.db"), *arguments]
        result = CliRunner().invoke(cli, command, standalone_mode=False)
        assert trouble in str(result.exception)


@pytest.mark.skipif(chromium.why_not() != "", reason=chromium.why_not())
def test_a_browser_shows_the_pages_and_a_single_report_of_the_running_server(server: Server) -> None:
    import uvicorn

    running = uvicorn.Server(
        uvicorn.Config(server.application(), host="127.0.0.1", port=0, log_config=None, timeout_graceful_shutdown=5)
    )
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    try:
        while not running.started:
            assert thread.is_alive()
            time.sleep(0.01)
        address = f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}"
        with chromium.page() as tab:
            for scheme in ("light", "dark"):
                tab.prefer(scheme)
                tab.open(f"{address}/")
                assert tab.run("getComputedStyle(document.body).backgroundColor") != "rgba(0, 0, 0, 0)"
                assert tab.run("document.querySelectorAll('svg.trend polyline').length") == 1
            tab.open(f"{address}/new")
            assert "onerror" in tab.run("document.body.textContent")
            assert tab.run("document.images.length") == 0
            tab.open(tab.run(f"document.querySelector('a[href$=\"#{realistic().findings[0].fingerprint}\"]').href"))
            assert "python/sql-injection" in tab.run("document.querySelector('#detail').textContent")
            assert [each for each in tab.messages if "favicon" not in each] == []
            assert all(each.startswith(address) for each in tab.requests)
    finally:
        running.should_exit = True
        thread.join(chromium.PATIENCE)
        assert not thread.is_alive()
