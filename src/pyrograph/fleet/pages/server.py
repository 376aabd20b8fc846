"""The pages live: read-only, for this machine, or for whoever has the token.

No answer may be framed, sniffed, cached or named in a Referer header. Without a token, only requests for a name
of this machine are answered, so that no page on the web can read the store through a name that leads here. With one, a
browser sends it once in a form and gets a cookie that no script can read; programs send ``Authorization: Bearer``.

Handlers are plain functions: each runs in a thread, asks the database, and returns a whole page. What a request says is
taken only in the forms below; anything else is 400 or 404, and never an error of the server.
"""

from __future__ import annotations

import gzip
import hashlib
import hmac
import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pyrograph.fleet.pages import views
from pyrograph.fleet.pages.links import Links
from pyrograph.fleet.pages.render import page, policy
from pyrograph.fleet.store import Store, StoreError, queries
from pyrograph.policy.limits.fleet import MAX_FORM, MAX_REQUEST_TEXT

LOCAL: Final = frozenset(("localhost", "127.0.0.1", "[::1]"))  # names of this machine
COOKIE: Final = "pyrograph-fleet"
KEYS: Final = ("repository", "rule", "owner", "severity", "likeness")  # of a list of findings: exactly one
STATES: Final = ("open", "fixed", "dismissed")
_PLACE: Final = re.compile(r"(\d{1,15})-(\d{1,15})")
_DIGEST: Final = re.compile(r"[0-9a-f]{32}")
_NUMBER: Final = re.compile(r"\d{1,15}")
_HEADERS: Final = (
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
)
# A single report has the policy that it was written with, in the page; this one only forbids what that cannot.
_REPORT_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)

View = Callable[[Request, Links], str | None]


class _Bad(Exception):
    """The request means nothing; the message says what is wrong."""


class Server:
    """The handlers over one store."""

    def __init__(self, store: Store, token: str = "", now: Callable[[], float] = time.time) -> None:
        """``token``: "" where none is needed."""
        self.store = store
        self.token = token
        self.now = now

    def application(self) -> Starlette:
        """The ASGI application."""
        routes = [
            Route("/", self.shown(self.overview)),
            Route("/new", self.shown(self.new)),
            Route("/repositories", self.shown(self.repositories)),
            Route("/repositories/{number}", self.shown(self.repository, up="../")),
            Route("/rules", self.shown(self.rules)),
            Route("/owners", self.shown(self.owners)),
            Route("/ages", self.shown(self.ages)),
            Route("/copies", self.shown(self.copies)),
            Route("/trouble", self.shown(self.trouble)),
            Route("/findings", self.shown(self.findings)),
            Route("/reports/{digest}", self.report),
            Route("/login", self.login, methods=["GET", "POST"]),
        ]
        middleware = [Middleware(_Headers), Middleware(_Door, server=self)]
        return Starlette(routes=routes, middleware=middleware, exception_handlers={404: _not_found, 405: _not_found})

    def shown(self, view: View, up: str = "") -> Callable[[Request], Response]:
        """A handler that answers with a page."""

        def handler(request: Request) -> Response:
            links = Links(live=True, up=up)
            try:
                text = view(request, links)
            except _Bad as error:
                return _message(400, "Not understood", str(error), up)
            except StoreError as error:
                return _message(503, "No store", str(error), up)
            if text is None:
                return _message(404, "Not there", "The store has no such repository.", up)
            return HTMLResponse(text)

        return handler

    @property
    def seconds(self) -> int:
        return int(self.now())

    def overview(self, request: Request, links: Links) -> str:
        with self.store.reading() as connection:
            return views.overview(connection, links, self.seconds)

    def new(self, request: Request, links: Links) -> str:
        before = _place(request, "before")
        with self.store.reading() as connection:
            return views.new(connection, links, self.seconds, before)

    def repositories(self, request: Request, links: Links) -> str:
        after = _place(request, "after")
        with self.store.reading() as connection:
            return views.repositories(connection, links, self.seconds, after)

    def repository(self, request: Request, links: Links) -> str | None:
        number = request.path_params["number"]
        if not _NUMBER.fullmatch(number):
            return None
        with self.store.reading() as connection:
            return views.repository(connection, links, self.seconds, int(number))

    def rules(self, request: Request, links: Links) -> str:
        with self.store.reading() as connection:
            return views.table(connection, links, self.seconds, "rules")

    def owners(self, request: Request, links: Links) -> str:
        with self.store.reading() as connection:
            return views.table(connection, links, self.seconds, "owners")

    def ages(self, request: Request, links: Links) -> str:
        with self.store.reading() as connection:
            return views.ages(connection, links, self.seconds)

    def copies(self, request: Request, links: Links) -> str:
        with self.store.reading() as connection:
            return views.copies(connection, links, self.seconds)

    def trouble(self, request: Request, links: Links) -> str:
        before = _place(request, "before")
        with self.store.reading() as connection:
            return views.trouble(connection, links, self.seconds, before)

    def findings(self, request: Request, links: Links) -> str:
        """One list: exactly one of ``KEYS``, which an index serves."""
        given = [key for key in KEYS if key in request.query_params]
        if len(given) != 1:
            raise _Bad(f"name exactly one of {', '.join(KEYS)}")
        key, value = given[0], request.query_params[given[0]]
        if len(value) > MAX_REQUEST_TEXT or "\0" in value:
            raise _Bad(f"{key} is no value that the store can have")
        if key == "repository" and not _NUMBER.fullmatch(value):
            raise _Bad("repository is a number")
        state = request.query_params.get("state", "open")
        if state not in STATES:
            raise _Bad(f"state is one of {', '.join(STATES)}")
        before = _place(request, "before")
        wanted = int(value) if key == "repository" else value
        with self.store.reading() as connection:
            return views.findings(connection, links, self.seconds, key, wanted, state=state, before=before)

    def report(self, request: Request) -> Response:
        """A single report, as it was written."""
        digest = request.path_params["digest"]
        try:
            with self.store.reading() as connection:
                content = queries.report(connection, digest) if _DIGEST.fullmatch(digest) else None
        except StoreError as error:
            return _message(503, "No store", str(error), "../")
        text = b"" if content is None else gzip.decompress(content)
        if not text.startswith(b"<!doctype html>"):  # the JSON reports lie beside
            return _message(404, "Not there", "The store has no such report.", "../")
        return HTMLResponse(text, headers={"content-security-policy": _REPORT_POLICY})

    async def login(self, request: Request) -> Response:
        """The form for the token; a right one becomes a cookie."""
        refused = False
        if request.method == "POST":
            body = b""
            async for part in request.stream():
                body += part
                if len(body) > MAX_FORM:
                    break
            given = ""
            with suppress(ValueError):  # too many fields
                fields = parse_qs(body[:MAX_FORM].decode("utf-8", "replace"), max_num_fields=9)
                given = fields.get("token", [""])[0]
            if self.token and hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode("utf-8")):
                response = RedirectResponse(".", status_code=303)
                is_secure = request.url.scheme == "https"
                response.set_cookie(COOKIE, self.cookie(), httponly=True, samesite="strict", secure=is_secure)
                return response
            refused = True
        return _login(401 if refused else 200, refused=refused)

    def cookie(self) -> str:
        """What a browser with the token sends; it does not tell the token."""
        return hmac.new(self.token.encode("utf-8"), b"pyrograph fleet session", hashlib.sha256).hexdigest()

    def knows(self, request: Request) -> bool:
        """Whether a request may be answered."""
        if not self.token:
            host = request.headers.get("host", "")
            return re.sub(r":\d{1,5}$", "", host).lower() in LOCAL
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and hmac.compare_digest(given.encode("latin-1"), self.token.encode("utf-8")):
            return True
        return hmac.compare_digest(request.cookies.get(COOKIE, "").encode("latin-1", "replace"), self.cookie().encode())


class _Door:
    """Lets in who may come in."""

    def __init__(self, app: ASGIApp, server: Server) -> None:
        self.app = app
        self.server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            request = Request(scope)
            is_open = bool(self.server.token) and request.url.path.rstrip("/").endswith("/login")
            if not is_open and not self.server.knows(request):
                response = _login(401) if self.server.token else _message(421, "Not here", _ELSEWHERE)
                await response(scope, receive, send)
                return
        await self.app(scope, receive, send)


_ELSEWHERE = "This server answers for names of this machine only; see `pyrograph fleet serve --help` for others."


class _Headers:
    """Adds the headers that all answers have."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in message["headers"]}
                added = [(name.encode(), value.encode()) for name, value in _HEADERS]
                if b"content-security-policy" not in names:
                    value = f"{policy(_FORM)}; frame-ancestors 'none'"
                    added.append((b"content-security-policy", value.encode()))
                message["headers"] = [*message["headers"], *added]
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


_FORM = "'self'"


def _place(request: Request, name: str) -> tuple[int, int] | None:
    given = request.query_params.get(name)
    if given is None:
        return None
    match = _PLACE.fullmatch(given)
    if match is None:
        raise _Bad(f"{name} is two numbers with a dash between them, as the links have it")
    return int(match[1]), int(match[2])


def _message(status: int, title: str, text: str, up: str = "") -> Response:
    return HTMLResponse(page("message", Links(live=True, up=up), 0, title=title, text=text), status_code=status)


def _login(status: int, *, refused: bool = False) -> Response:
    text = page("login", Links(live=True), 0, title="Token", refused=refused, action="login", form=_FORM)
    headers = {"www-authenticate": "Bearer"} if status == 401 else {}
    return HTMLResponse(text, status_code=status, headers=headers)


async def _not_found(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    up = "../" * max(0, request.url.path.count("/") - 1)
    return _message(status, "Not there", "There is no such page.", up)


def run(store: Store, host: str, port: int, token: str) -> None:
    """Serve until a signal asks to end."""
    import uvicorn

    application = Server(store, token).application()
    uvicorn.run(application, host=host, port=port, log_level="warning", access_log=False, server_header=False)
