"""The words that rules are made of: taint kinds, which the threat model switches on and off."""

from __future__ import annotations

DEFAULT_KINDS: dict[str, str] = {  # on unless the user says otherwise; the order is that of the documentation
    "http": "query, form, body and path of an HTTP request",
    "route": "a part of a request's path, between slashes, that a route names",
    "header": "request headers, host, referer, user agent",
    "cookie": "cookies without a signature",
    "upload": "name, content type and content of an uploaded file",
    "ws": "messages of a web socket",
    "rpc": "arguments of a remote call: gRPC, GraphQL resolvers, JSON-RPC, tools",
    "event": "serverless events, queue messages, webhooks",
    "dom": "location, referrer, messages and names in a browser",
    "ipc": "messages between processes: Electron, browser extensions, deep links",
    "net": "bytes of a socket",
    "archive": "names of an archive's entries",
}

OPTIONAL_KINDS: dict[str, str] = {  # off unless --threat-model names them
    "response": "the answer of another server",
    "llm": "the output of a language model",
    "db": "values read from a database",
    "file": "content of files",
    "env": "environment variables",
    "cli": "command-line arguments",
    "stdin": "standard input",
    "library": "arguments of a library's public functions",
}

KINDS: dict[str, str] = DEFAULT_KINDS | OPTIONAL_KINDS

ENGINES: dict[str, str] = {  # of templates: what reads a page whose suffix does not tell its dialect
    "any": "the engine that the program configures: recognised by the template's suffix, else by its tags",
    "jinja": "Jinja2",
    "django": "Django's own",
    "tornado": "Tornado's own",
    "nunjucks": "Nunjucks",
    "twig": "Twig, Swig",
    "ejs": "EJS, Eta",
    "pug": "Pug, Jade",
    "handlebars": "Handlebars",
    "mustache": "Mustache, Hogan",
}
