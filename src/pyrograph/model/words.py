"""Words for numbers and for sources: one spelling in every message and report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# What each taint kind is, to people.
ORIGINS: Final[Mapping[str, str]] = {
    "http": "the request",
    "json": "the request's body",
    "form": "the request's body",
    "route": "the request's path",
    "header": "the request's headers",
    "cookie": "a cookie",
    "upload": "an upload",
    "ws": "a websocket message",
    "rpc": "a remote call",
    "event": "an event",
    "dom": "the page",
    "ipc": "another process",
    "net": "the network",
    "archive": "an archive",
    "page": "the page's own address",
    "internal": "a message of the program itself",
    "response": "a response",
    "llm": "a language model",
    "db": "the database",
    "file": "a file",
    "env": "the environment",
    "cli": "the command line",
    "stdin": "standard input",
    "library": "the caller of the library",
}

# Kinds whose parameters have a name of their own; those of other kinds are "parameter".
PARAMETERS: Final[Mapping[str, str]] = {"route": "route parameter", "cli": "command-line parameter"}


def plural(count: int, noun: str) -> str:
    """``1 file``, ``1,200 files``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def origin_of(kind: str) -> str:
    """Where data of a taint kind comes from; the kind itself where it has no words."""
    return ORIGINS.get(kind, kind)


def parameter_of(api: str) -> tuple[str, str]:
    """The API of a source, and the parameter of the program that it fills in; "" where it is none.

    >>> parameter_of("flask.Blueprint#route: token")
    ('flask.Blueprint#route', 'token')
    """
    handler, colon, name = api.rpartition(": ")
    return (handler, name) if colon else (api, "")


def source_in_words(kind: str, api: str) -> str:
    """A source as a reader would name it; where it is known by an API, this stands behind in brackets.

    >>> source_in_words("route", "flask.Blueprint#route: token")
    'route parameter `token` (`flask.Blueprint#route`)'
    >>> source_in_words("http", "flask.Request#args")
    'the request (`flask.Request#args`)'
    """
    handler, name = parameter_of(api)
    what = f"{PARAMETERS.get(kind, 'parameter')} `{name}`" if name else origin_of(kind)
    return f"{what} (`{handler}`)" if handler and handler != kind else what
