"""How routers write the variable parts of a route, and what each part may hold: data for ``label/routes.py``.

A route names parts of a request's path: ``/users/<int:id>``, ``/files/:name``. The notation says where the names stand
and, by a converter or a pattern, which texts a part takes. Patterns are those of Python's ``re``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

SEGMENT: Final = "[^/]+"
REST: Final = ".*"
NUMBER: Final = "[0-9]+"
DECIMAL: Final = r"[0-9]+(?:\.[0-9]+)?"
UUID: Final = "[0-9a-fA-F-]+"
DATE: Final = "[0-9T:+-]+"


class Notation(NamedTuple):
    """How a router writes routes."""

    meaning: str
    # Finds a part. Groups: "name"; "kind", a converter; "own", a pattern of its own; "rest", the name of a part that
    # takes slashes, too, "*" if it is empty. None: the whole route is a regular expression whose groups are the parts.
    part: re.Pattern[str] | None
    kinds: Mapping[str, str] = MappingProxyType({})  # converter -> pattern of what it takes
    is_decoded: bool = False  # %2F becomes a slash after the match: a part that takes "%" may hold anything
    # A literal of a regular expression in place of a text is a route, too. Its groups are parts, under their names or
    # their positions from 0, and so are "*" and groups without a name in a text.
    takes_patterns: bool = False
    default_method: str = ""  # the method of HTTP, in lower case, of a route that states none; "": any
    takes_below: bool = False  # a route that ends with a slash takes all paths below it, too


NOTATIONS: Final[dict[str, Notation]] = {
    "werkzeug": Notation(
        "`<name>`, `<converter(arguments):name>` of Flask and Werkzeug",
        re.compile(r"<(?:(?P<kind>[A-Za-z_]\w*)(?:\([^<>]*\))?:)?(?P<name>[A-Za-z_]\w*)>"),
        {
            "default": SEGMENT,
            "string": SEGMENT,
            "any": r"[\w-]+",
            "path": "[^/].*",
            "int": NUMBER,
            "float": DECIMAL,
            "uuid": UUID,
        },
        default_method="get",
    ),
    "django": Notation(
        "`<name>`, `<converter:name>` of Django",
        re.compile(r"<(?:(?P<kind>[^>:]+):)?(?P<name>[A-Za-z_]\w*)>"),
        {"str": SEGMENT, "int": NUMBER, "slug": "[-a-zA-Z0-9_]+", "uuid": UUID, "path": ".+"},
    ),
    "angles": Notation(
        "`<name>`, `<name:converter>`, `<name:pattern>` of Sanic and Bottle",
        re.compile(r"<(?P<name>[A-Za-z_]\w*)(?::(?:re:|(?P<kind>[a-z]+)(?=>))?(?P<own>[^<>]*))?>"),
        {
            "str": SEGMENT,
            "string": SEGMENT,
            "strorempty": "[^/]*",
            "alpha": "[A-Za-z]+",
            "slug": "[a-z0-9-]+",
            "path": REST,
            "int": NUMBER,
            "float": DECIMAL,
            "number": DECIMAL,
            "ymd": DATE,
            "uuid": UUID,
        },
        default_method="get",
    ),
    "braces": Notation(
        "`{name}`, `{name:converter}` of Starlette, Falcon and Litestar",
        re.compile(r"\{(?P<name>[A-Za-z_]\w*)(?::(?P<kind>[a-z]+)(?:\([^{}]*\))?)?\}"),
        {
            "str": SEGMENT,
            "path": REST,
            "int": NUMBER,
            "float": DECIMAL,
            "decimal": DECIMAL,
            "uuid": UUID,
            "dt": DATE,
            "date": DATE,
            "datetime": DATE,
            "time": DATE,
        },
    ),
    "patterns": Notation(
        "`{name}`, `{name:pattern}`, `{name:*}`, `*name` of gorilla/mux, chi, fasthttp/router, Pyramid",
        re.compile(
            r"\{(?P<name>[A-Za-z_][\w-]*)\??(?::(?:(?P<kind>\*)(?=\})|(?P<own>(?:[^{}]|\{[^{}]*\})*)))?\}"
            r"|\*(?P<rest>\w*)"
        ),
        {"*": REST},
    ),
    "decoded-patterns": Notation(
        "`{name}`, `{name:pattern}` of aiohttp, decoded after the match",
        re.compile(r"\{(?P<name>[A-Za-z_]\w*)(?::(?P<own>(?:[^{}]|\{[^{}]*\})*))?\}"),
        is_decoded=True,
    ),
    "servemux": Notation(
        "`{name}`, `{name...}` of Go's net/http, decoded after the match",
        re.compile(r"\{(?P<name>[A-Za-z_]\w*)(?P<kind>\.\.\.)?\}"),
        {"...": REST},
        is_decoded=True,
        takes_below=True,
    ),
    "colons": Notation(
        "`:name`, `:name(pattern)`, `*name` of gin, httprouter, echo, fiber",
        re.compile(r":(?P<name>[A-Za-z_]\w*)(?:\((?P<own>(?:[^()]|\([^()]*\))*)\))?|[*+](?P<rest>\w*)"),
    ),
    "decoded-colons": Notation(
        "`:name`, `:name(pattern)`, `:name{pattern}`, `*name` of Express, Koa, Fastify, Hono, decoded after the match",
        re.compile(
            r":(?P<name>[A-Za-z_]\w*)(?:[({](?P<own>(?:[^(){}]|\([^()]*\)|\{[^{}]*\})*)[)}])?"
            r"|\*(?P<rest>\w*)"
        ),
        is_decoded=True,
        takes_patterns=True,
    ),
    "macros": Notation(
        "`{name}`, `{name:kind}`, `{name:kind check(arguments) else 404}`, `*name` of Iris",
        re.compile(
            r"\{(?P<name>[A-Za-z_]\w*)(?:\s*:\s*(?P<kind>[a-z]+\d*)(?:[^{}]|\{[^{}]*\})*)?\}"
            r"|\*(?P<rest>\w*)"
        ),
        {
            "string": SEGMENT,
            "path": REST,
            "alphabetical": "[a-zA-Z ]+",
            "file": "[a-zA-Z0-9_.-]*",
            "mail": SEGMENT,
            "email": SEGMENT,
            "uuid": UUID,
            "date": "[0-9/]+",
            "weekday": "[A-Za-z]+",
            "bool": "[A-Za-z0-9]+",
            "boolean": "[A-Za-z0-9]+",
            **dict.fromkeys(("int", "int8", "int16", "int32", "int64", "long", "number"), "-?[0-9]+"),
            **dict.fromkeys(("uint", "uint8", "uint16", "uint32", "uint64"), NUMBER),
        },
    ),
    "expression": Notation("a regular expression whose groups are the parts, named or not", None),
    "decoded-expression": Notation("the same, decoded after the match", None, is_decoded=True),
}
