"""The words that rules are made of: taint kinds, which the threat model switches on and off."""

from __future__ import annotations

DEFAULT_KINDS: dict[str, str] = {  # on unless the user says otherwise; the order is that of the documentation
    "http": "query, form, body and path of an HTTP request",
    "json": "the body of an HTTP request, read as JSON or in another form that no HTML form sends",
    "form": "the body of a request that the framework refuses from pages of other sites (CSRF protection)",
    "route": "a part of a request's path, between slashes, that a route names",
    "header": "request headers, host, referer, user agent",
    "cookie": "cookies without a signature",
    "upload": "name, content type and content of an uploaded file",
    "ws": "messages of a web socket",
    "rpc": "arguments of a remote call: gRPC, GraphQL resolvers, JSON-RPC, tools",
    "event": "serverless events, queue messages, webhooks",
    "dom": "location, referrer, messages and names in a browser",
    "ipc": "messages from other programs: deep links, other browser extensions",
    "net": "bytes of a socket",
    "archive": "names of an archive's entries",
}

OPTIONAL_KINDS: dict[str, str] = {  # off unless --threat-model names them
    "page": "the address of the page itself, which its user opened",
    "internal": "messages between parts of one program: windows of Electron, parts of a browser extension",
    "response": "the answer of another server",
    "llm": "the output of a language model",
    "db": "values read from a database",
    "file": "content of files",
    "env": "environment variables",
    "cli": "command-line arguments",
    "stdin": "standard input",
    "library": "arguments of a library's public functions",
}

# Who controls what a program reads. ``--threat-model`` takes these words, too; docs/threat-model.md explains them.
PARTIES: dict[str, str] = {
    "remote": "anyone who can send the program something, or lure a user's browser; always on",
    "same-user": "the user of the page or program that reads it, and nobody else",
    "account": "people to whom an administrator gave an account, where visitors cannot make one",
    "operator": "administrators: code that the program runs for nobody else; with them ``account``",
    "local": "whoever starts the program, or writes its files",
}
KINDS_OF_PARTIES: dict[str, tuple[str, ...]] = {  # optional kinds that a party controls
    "remote": (),
    "same-user": ("page", "internal"),
    "account": (),  # any kind: a matter of who may call, not of what is read
    "operator": ("account",),  # the same
    "local": ("file", "env", "cli", "stdin"),
}

KINDS: dict[str, str] = DEFAULT_KINDS | OPTIONAL_KINDS
MESSAGE_KINDS = frozenset({"ws", "rpc", "event"})  # of requests that are no requests of HTTP
REQUEST_KINDS = MESSAGE_KINDS | {"http", "json", "form", "route", "header", "cookie", "upload"}
# What may arrive as a list or an object without being parsed: cookies too, which Express reads as JSON behind "j:".
STRUCTURED_KINDS = MESSAGE_KINDS | {"http", "json", "form", "cookie"}
LINKED_KINDS = frozenset({"http", "route"})  # parts of a request that a link states, where its method is GET
ANSWER = "response"  # of another server: whoever chose the server wrote it
UPLOAD = "upload"  # what is read of an uploaded file is a part of the request by itself
# What is dangerous if a user of the program brings it. Where no request leads to the code, its own author mostly did:
# of 35 judged findings one was true, and a request led to that one (bench/confidence.md).
BROUGHT_KINDS = frozenset({"archive"})

# Groups of kinds, for ``seldom`` of a vulnerability.
POSTED = "posted"  # no kind: whatever a handler reads that no link reaches
CROWDED = "crowded"  # no kind, of ``doubtful``: a sink that data from many sources reaches
IDENTIFIER = "identifier"  # no kind, of ``doubtful``: a part of a request that is named as an identifier
SEVERAL = "several"  # no kind, of ``doubtful``: a call on the path may run one of several functions
REPACKED = "repacked"  # no kind, of ``doubtful``: a path through several objects that the data is stored in
BROWSER = "browser"  # no kind, of ``doubtful``: paths through code that says it runs in browsers
WORKER = "worker"  # no kind, of ``doubtful``: code that is deployed to workers of a content network
FIELD = "field"  # no kind, before "at SINK" in ``doubtful``: where the data is one field of what arrives there
UNNAMED = "unnamed"  # no kind, before a source in ``doubtful``, or a kind in ``seldom``: where no part of it is named
SEGMENT = "segment"  # no kind, before a source in ``seldom``: a part of the path that the name of a file states
CUT = "cut"  # no kind, before "SOURCE at SINK" in ``doubtful``: where a piece of the text is taken out on the way
ALL = "all"  # no kind, of ``doubtful``: every finding
SCRIPTED = "scripted"  # no kind: whatever a handler reads that neither a link nor a form reaches
KIND_GROUPS: dict[str, tuple[str, ...]] = {
    # what only the program's own pages make a browser send: another site can choose an address and the fields of a form
    "own-pages": ("header", "cookie", "json", "form", "rpc", "ws", "net", "event"),
}

ENGINES: dict[str, str] = {  # of templates: what reads a page whose suffix does not tell its dialect
    "any": "the engine that the program configures: recognised by the template's suffix, else by its tags",
    "jinja": "Jinja2, escaping",
    "jinja-unescaped": "Jinja2 without autoescaping",
    "jinja-by-suffix": "Jinja2, escaping by suffix as Flask does: `.html`, `.htm`, `.xml`, `.xhtml`, `.svg`",
    "jinjax": "JinjaX, escaping: components of Jinja2 that are shown by tags",
    "jinjax-unescaped": "JinjaX without autoescaping",
    "django": "Django's own",
    "tornado": "Tornado's own",
    "nunjucks": "Nunjucks",
    "twig": "Twig, Swig",
    "ejs": "EJS, Eta",
    "pug": "Pug, Jade",
    "handlebars": "Handlebars",
    "mustache": "Mustache, Hogan",
    "html-template": "html/template of Go, which escapes: what the template calls gets the values",
    "text-template": "text/template of Go",
}
