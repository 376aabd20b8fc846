"""How programs write down routes: words that most routers share, by which entry points are named in reports.

They decide what a report says of a finding, never whether there is one. A router that uses other words gives an entry
point without a route.
"""

from __future__ import annotations

from typing import Final

from pyrograph.policy.late import late

METHODS: Final = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
"""Methods of HTTP in lower case; a registering call is named after one, or is given one as a text."""
METHODS_OF_PAGES: Final = frozenset({"get"})
"""The method of a request of a script that states none."""
METHOD_CONSTANTS: Final = late(
    r"^(?:Method(Get|Post|Put|Patch|Delete|Head|Options)|(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS))$"
)
"""Names of constants of libraries that hold a method of HTTP: ``http.MethodPost``."""
METHOD_FILLERS: Final = frozenset(
    {"require", "requires", "required", "allow", "allows", "accept", "accepts", "only", "http"}
)
"""Words beside a method in the name of a decorator that lets it through and registers nothing: ``require_POST``."""
METHOD_KEYS: Final = frozenset({"methods", "method", "verb", "verbs", "allowed_methods", "Method", "Methods"})
"""Names of arguments and of keys that hold methods."""
PATH_KEYS: Final = frozenset(
    {"path", "rule", "route", "url", "uri", "pattern", "uri_template", "regex", "Path", "Pattern", "URL", "Route"}
)
"""Names of arguments and of keys that hold a route."""
PREFIX_NAMES: Final = late(r"(?i)^(?:url_?)?(?:prefix|base_?path|base_?url|mount_?path|root_?path)$|url_prefix")
"""Names of arguments and of keys that hold the beginning of all routes of a group."""
GROUPING: Final = late(r"(?i)group|scope|namespace|party|sub_?router|path_?prefix")
"""Calls that make a group of routes, whatever functions they are given to run before all of them."""
COMMON_PREFIX: Final = late(r"(?i)^(?:set|use)_?(?:global|common|base)_?(?:prefix|path)$")
"""Calls that state the beginning of all routes of a program's classes."""
MIDDLEWARE: Final = late(r"(?i)^(?:use|before|after|around|hook|filter)(?:$|_|[A-Z])|middleware|interceptor")
"""Calls that register what runs before or after handlers."""
CLIENTS: Final = late(r"(?i)(?:^|[._$])(?:\$|jquery|xhr|ajax|axios|superagent|\w*fetch\w*|\w*client)(?:\(\))?$")
"""Objects that send requests: their calls with a path and a function register no handler (``xhr.get("/a", show)``)."""
TEMPLATE_TAGS: Final = late(r"(?s)\{\{.*?\}\}|\{%.*?%\}|<%.*?%>")
"""Tags of templates in a script that stands in a page."""
NAMED_ROUTE: Final = late(
    r"""\b(?:url|url_for|url_path_for|reverse|path_for|route)\b[\s(]*["'](?P<name>[\w.:/-]+)["']"""
)
"""Functions of templates that make the address of a route of its name: ``{% url 'notes' %}``."""
ROUTE_NAMES: Final = frozenset({"name", "endpoint"})
"""Arguments of calls that register a handler which give its route a name."""
QUERY: Final = late(r"\?[\w\[\]-]+=")
"""The query of an address, which no route has."""
VERBS_OF_ACTIONS: Final = {
    "list": "get",
    "retrieve": "get",
    "index": "get",
    "show": "get",
    "create": "post",
    "store": "post",
    "update": "put",
    "partial_update": "patch",
    "destroy": "delete",
}
"""Methods of a class of resources, and the methods of HTTP that routers send to them."""
FILE_ROOTS: Final = frozenset(
    {"src", "app", "apps", "pages", "routes", "server", "functions", "web", "frontend", "site"}
)
"""Folders before the first part of a route that is the path of a file."""
FILE_NAMES: Final = late(r"^(?:\+?(?:route|page|server|layout|index|middleware|loader|action)(?:[.+-].*)?)$")
"""Names of files, without their last suffix, that add nothing to the route of their folder."""
SEGMENTS: Final = late(r"(?:^|/)\[([A-Za-z_]\w*)\](?=[/.])")
"""A part of a route in the path of a file, without a slash: ``pages/[shop]/orders.tsx``, not ``[...rest].tsx``."""
PAGES: Final = late(r"(?:^|/)pages/")
"""Where a framework looks for the files of pages."""
PAGES_OF_ALL: Final = late(r"(?:^|/)_(?:app|document)\.\w+$")
"""Files that a framework puts around all pages, whichever of them is shown."""
QUERY_MEMBERS: Final = late(r"(?i)(?:^|[.#_])(?:args|query\w*|get|search_?params?|getlist|queryarg\w*)$")
"""The last part of an API that reads the query of a request."""
BODY_MEMBERS: Final = late(
    r"(?i)(?:^|[.#_])(?:form\w*|post\w*|body\w*|json|data|values|payload|bind\w*|shouldbind\w*|decode\w*|cleaned_data)$"
)
"""The last part of an API that reads the body of a request."""
PATH_MEMBERS: Final = late(r"(?i)(?:^|[.#_])(?:params?|path\w*|match_info|view_args|vars|urlparam\w*|kwargs)$")
"""The last part of an API that reads the path of a request."""
HEADER_MEMBERS: Final = late(r"(?i)(?:^|[.#_])(?:headers?|get_?header|user_?agent|meta|referer|referrer|host\w*)$")
"""The last part of an API that reads a header of a request."""
COOKIE_MEMBERS: Final = late(r"(?i)(?:^|[.#_])(?:\w*cookies?)$")
"""The last part of an API that reads a cookie."""
UPLOAD_MEMBERS: Final = late(r"(?i)(?:^|[.#_])(?:files?|form_?files?|upload\w*)$")
"""The last part of an API that reads an upload."""
