"""Names around requests: how routers pass them on, which members of them hold an address or a handler's values, and
which parts are identifiers.
"""

from __future__ import annotations

from typing import Final

from pyrograph.policy.late import late

OF_PARAMETERS: Final = late(r"(?i)^params?$")
"""What registers a function for one named part of paths: ``app.param("id", load)``.

Means: a check that is given to such a call holds for no handler, as most paths do not have that part.
Errs: handlers whose path has the part count as open: a false finding.
Measured: nothing.
"""
MOUNTS: Final = late(r"(?i)use|mount|regist|include|add|route|handle|group|plug")
"""What a router is given to so that its handlers are reached.

Means: where calls with such names are given a router, others are not looked at: ``csrf.exempt(router)``.
Errs: a mount with another name, without a check, counts as none.
Measured: nothing.
"""
APPLIES: Final = late(r"(?i)uses?|(?:add_?)?middlewares?")
"""A call that puts all that it is given in front of what is registered later: ``router.Use(counted, isAdmin, zipped)``.

Means: a check counts wherever it stands among the arguments. In other calls it has to be the last, because it holds for
what follows it there: ``router.get("/", isAdmin, show)``.
Errs: where such a call applies a check to the rest of its arguments alone, later handlers count as checked.
Measured: nothing.
"""
MOUNTS_ALONE: Final = late(r"(?i)(?:include|register|add|mount)_?(?:router|blueprint|namespace|sub_?app)s?|mount")
"""A call by which a router gets another one, whose checks hold for the handlers of that one and for no others.

Means: a check within what it is given says nothing of handlers that are registered later.
Errs: a check of a router that such a call mounts, and through which all later requests go, is not understood.
Measured: nothing.
"""
EXEMPTS: Final = late(r"(?i)exempt")
"""A call that takes a handler out of the protection of all forms: ``csrf.exempt``.

Means: what the handler reads of a form may come from another site. If it is given anything but handlers (a router), no
form of the program counts as protected.
Errs: exemptions from other things (``limiter.exempt``) count as well, so that findings stay.
Measured: nothing.
"""
FORM_TYPES: Final = late(r"(?i)\*|^text(?:/plain)?$|urlencoded|multipart")
"""A type of content that a form of any page sends, or one that stands for all.

Means: a body that the program accepts with such a type may come from another site.
Errs: patterns with a star that stand for JSON alone (``application/*+json``) count as well, so that findings stay.
Measured: nothing.
"""
AUTHORIZING_HEADERS: Final = late(
    r"(?i)(?:http_)?(?:authorization|(?:x[-_])?(?:api|access|auth|user|id)[-_]?(?:key|token)|x[-_]token)"
)
"""A header by which a client proves who it is, and which no browser adds when it follows a link.

Means: pages behind a check that needs it are shown to nobody whom a link leads there: cross-site scripting and
redirects have medium confidence there.
Errs: where something in front of the program adds the header for users with a cookie, true findings have medium
confidence.
Measured: two false findings of one program of round 39.
"""
HEADER_HOLDERS: Final = late(r"(?i)header|\bMETA\b|\b(?:req|request|r|c|ctx|context)\.get$|\.header\.get$")
"""Code of what holds, or reads, the headers of a request.

Means: what is read of it under a name of ``AUTHORIZING_HEADERS`` is that header.
Errs: the header of an answer, or of the program's own request, counts as well: a condition on it is hardly a check.
Measured: as ``AUTHORIZING_HEADERS``.
"""
BROUGHT_BY_BROWSERS: Final = late(r"(?i)\bbasic|basic_?auth|negotiate|ntlm|www-authenticate")
"""A word in a function that reads such a header: it takes logins that browsers repeat by themselves.

Means: a check in it says nothing.
Errs: a function that only refuses these logins is not understood, so that findings stay.
Measured: nothing.
"""
SENT_BY_BROWSERS: Final = late(r"(?i)cookie|session|query|search|param|\bbody|\bform\b|\blog\w*\b")
"""A word in a call that gets such a header: it may get something else by which a browser proves who it is.

Means: what the call returns says nothing of the header.
Errs: a call that has such a word for another reason is not understood, so that findings stay.
Measured: nothing.
"""
VERIFIES_TOKEN: Final = late(
    r"(?i)(?:^|[._])(?:verify|decode|validate|authenticate|check|assert|require|introspect)\w*$"
)
"""A call of a library that raises where the token that it is given is missing or wrong.

Means: code behind it runs only for requests with the header from which the token is taken.
Errs: one that returns an error instead counts as well, so that true findings behind it have medium confidence.
Measured: nothing.
"""
LOGIN_LIBRARIES: Final = late(
    r"(?i)session|cookie|passport(?!-jwt|-http-bearer)|next-auth|auth0|clerk|flask_login|allauth"
)
"""A library that finds out by a cookie who sends a request.

Means: a program that imports it may keep under one name both who sent a cookie and who sent a header, so that only
values that functions hand on count as brought by the header, and none that are kept in fields.
Errs: a library with another name, which fills the same field as the program's own check of the header: true findings
behind that check have medium confidence.
Measured: nothing.
"""
CONTENT_NAMES: Final = late(r"(?i)content[-_]?(?:type|disposition)|mime[-_]?type")
"""A member or header of an answer that says as what a browser takes it.

Means: another text that is put there than that of a page keeps the answer from being a page.
Errs: a method with several arguments that sets it, and does not name it, is not seen: the answer counts as a page.
Measured: nothing.
"""
SHOWS_PAGE: Final = late(
    r"^(?:get|head|all|any|match|view|page|route|path|re_path|url|use|methods?|handle\w*|add_\w+|request)$"
)
"""A method, in lower case, that registers a path for requests that a link makes, among others.

Means: a handler that is registered for posted requests to the same path is reached by a link, too: the page's form
sends what stands in the page's address.
Errs: a page that is registered otherwise is not seen, and what a link does through it has medium confidence.
Measured: none of three redirects in such handlers was true (bench/confidence.md).
"""
QUERY_IN_PAGE: Final = late(r"\b(?i:req|request)\.(?:GET|(?i:args|query\w*|params))\b")
"""What a template writes to read the query of the request: ``{{ request.GET.next }}``.

Means: a field of a form that is written with a part of it, of the field's own name, is filled in by a link.
Errs: another object of that name counts as well, so that findings stay.
Measured: one known vulnerability has such a field, no judged false finding scanned again has (bench/confidence.md).
"""
OWN_ADDRESS: Final = late(
    r"\{%-?\s*(?:url|path_for)\s[^{}]*?%\}|\{\{-?\s*(?:url_for|reverse|path_for)\([^(){}]*\)\s*-?\}\}"
)
"""What a template writes that is an address of the program: ``{% url "notes" %}``, ``{{ url_for("notes") }}``.

Means: a field of a form that is written with nothing else is filled in by the program alone.
Errs: a function of such a name that writes what it is given; so that findings of posted fields get low confidence.
Measured: four judged findings of round 43 read such a field, and none is true.
"""
CUTS_ROUTE: Final = late(r"(?i)strip|mount|^use$")
"""A call that cuts the route, or a part of it, from the path before the handler reads it: ``http.StripPrefix``.

Means: what such a handler reads as the path of the request does not begin with the text of the route.
Errs: where the call leaves the path as it is, a redirect to the request's own path stays reported.
Measured: nothing.
"""
KEEPS_BEGINNING: Final = late(
    r"(?i:str|string|toString|valueOf|sprintf?|format|concat|join|clean|clone|copy|encode|decode|parse|url|new url"
    r"|append|escapedpath|requesturi|trimsuffix|trimright|trimend|trimspace|trim|rstrip|removesuffix|tolower(?:case)?|lower)"
)
"""A function or method of text whose result begins as the text does, or with other text of the program.

Means: the path of the request keeps its fixed beginning.
Errs: ``strip("/")`` of Python is not among them, and a function of the program by one of these names is looked into.
Measured: nothing.
"""
CUTS_TEXT: Final = late(
    r"(?i:substr(?:ing)?|slice|r?split(?:n|after|aftern)?|r?partition|cut|cutprefix|trimprefix|removeprefix|before|after)"
)
"""A function or method of text whose result is a piece of the text.

Means: what is cut out of the address of a request is another address, not the request's own: it may name any host. And
it may be the address without its query.
Errs: a piece that begins as the address does, ``url.split("?")[0]``, is the request's own address still.
Measured: one known vulnerability goes through such a call, and no judged finding (bench/confidence.md).
"""
UPLOAD_LISTS: Final = late(r"(?i)files\Z")
"""The last part of an API that holds several uploaded files, by the fields of their form: ``req.files``.

Means: the first member that is read of it is such a field, and says nothing of what is read of the file.
Errs: a library that holds one file under such a name has the doubt about names of files longer than it should.
Measured: nothing.
"""
UPLOAD_NAMES: Final = late(
    r"(?i)^(?:(?:file|original|client)?_?(?:file)?_?names?|(?:mime|content)?_?types?|path|encoding|size)$"
)
"""A member of an uploaded file that says what it is called, or its type: ``file.originalname``.

Means: what little is true of findings about names of files holds (``doubtful``).
Errs: a member of another name counts as one only if nothing of the content is read.
Measured: nothing.
"""
UPLOAD_CONTENT: Final = late(
    r"(?i)^(?:data|buffer|stream|file|contents?|bytes|text|read(?:_?lines?|_?all)?|chunks|arraybuffer|getvalue|open)$"
)
"""A member or method of an uploaded file that holds, or reads, what is in it.

Means: it is free text, as a body is, and no name of a file.
Errs: content under another name keeps the doubt, unless it is parsed.
Measured: one judged finding (dr4ft, round 39) had the doubt, and is true.
"""
PARSES: Final = late(
    r"(?i)^(?:json|(?:safe_?|full_?)?loads?|parse\w*|from_?string|iterparse|\w*reader|read_[a-z]+|unmarshal|decode)$"
)
"""A call that makes an object of a text, or of a file: ``json.load(file)``.

Means: members of what it returns are parts of what the file holds, whatever their names.
Errs: a call of such a name that does something else with a file as a whole is taken for one that reads it.
Measured: as ``UPLOAD_CONTENT``.
"""
ADDRESSES: Final = frozenset({"href"})
"""A member of an address that is the address as text.

Means: it goes where the address goes.
Errs: an object that is no address may have such a member.
Measured: nothing.
"""
PATHS_OF_ADDRESSES: Final = frozenset({"pathname"})
"""A member of an address that is its path.

Means: of the address of the request, it begins as the route does.
Errs: as ``ADDRESSES``.
Measured: nothing.
"""
QUERIES_OF_ADDRESSES: Final = frozenset({"query", "searchParams"})
"""A member of a parsed address that is its query as a table.

Means: what is read of it by name is one parameter of the request.
Errs: where the address was not parsed so, it is a text, of which nothing is read by name.
Measured: nothing.
"""
REQUESTS: Final = late(r"(?i)(?:req|request)$")
"""A variable that holds a request.

Means: a function that is registered at it by the name of a method alone (``req.on("data", f)``) gets what is sent.
Errs: requests that the program makes itself have such names, too.
Measured: nothing.
"""
CONTEXT_FIELDS: Final = frozenset({"locals", "Locals", "state", "State", "Context", "ctx"})
"""A member of a library's object in which handlers of a request leave values for the next one: ``res.locals``.

Means: a field that the program adds to one object of this API is read from all of them.
Errs: values of one request are followed into another one, and fields of another kind of object are mixed.
Measured: nothing.
"""
REQUEST_FIELDS: Final = frozenset({"body", "query", "params", "payload", "headers", "request", "req", "res"})
"""A member of what a framework gives to a handler that belongs to this one request: ``req.body``.

Means: what a handler that answers stores there is not read by the handler of another route.
Errs: an object of such a name that lasts longer than a request keeps data that another handler reads.
Measured: nothing.
"""
IDENTIFIERS: Final = late(
    r"(?:^|[_.-])(?:(?i:ids?|uuid|guid)|pk)$"  # id, project_id, Content-ID, uuid, pk
    r"|(?<=[a-z0-9])(?:Ids?|IDs?|UUID|Uuid|GUID|Guid)$"  # projectId, userID
)
"""A part of a request that is named as an identifier: ``project_id``, ``uuid``.

Means: the program made it, and looks it up or checks its form before it does anything with it; findings of rules that
list ``identifier`` under ``doubtful`` have medium confidence.
Errs: an identifier that nothing looks up is pasted into a path or an address all the same.
Measured: 4 of 35 judged findings of these rules are true, in 4 of 16 programs (bench/confidence.md).
"""

SCHEMES: Final = late(r"(?i)(?:scheme|proto|protocol)\Z")
"""The name under which a text is read that is the scheme of an address: ``config["SCHEME"]``.

Means: what follows the text is the host of the address, so that the text does not fix it.
Errs: another text under such a name leaves requests behind it with high confidence.
Measured: nothing.
"""

GOES_ON: Final = late(r"^(?:next|Next|ServeHTTP|call_next|proceed|handle|get_response|nextHandler)$")
"""What a function that runs before handlers calls to let a request through.

Means: such a function checks a part of a request if only some values of it get to the call.
Errs: a function that goes on in another way is one whose check is not seen.
Measured: nothing.
"""
MAKES_ERROR: Final = late(r"(?i)err(?:or)?s?(?![a-z])|exception")
"""The code of a function or class that makes an error: ``createError(400)``, ``new HttpError()``.

Means: a function that goes on with such a value alone (``next(error)``) lets the request through to no handler.
Errs: an error of another name, a text or an object counts as going on: the check is not seen, and the finding stays.
Measured: nothing.
"""
LATER_HOOKS: Final = late(r"(?i)^(?:after|teardown)|(?:error|exception)_?handler$|^on_?error$")
"""A decorator that registers what runs when the handler is done: ``@app.after_request``.

Means: what such a function checks keeps no request from a handler.
Errs: a decorator of another meaning with such a name is one whose check is not seen.
Measured: nothing.
"""
APART_FROM_REQUESTS: Final = late(
    r"(?i)^(?:lifespan|on_?(?:startup|shutdown|start|stop|close|exit|error)|(?:error|exception)_?handlers?)$"
)
"""The name of an argument with which a server is made, for what runs when it starts or stops, or when a handler failed:
``FastAPI(lifespan=prepare)``, ``Starlette(on_startup=[prepare])``.

Means: what such a function checks keeps no request from a handler.
Errs: an argument of another meaning with such a name is one whose check is not seen.
Measured: in one of 26 programs of list 35 a function of that kind made all findings those of administrators.
"""
ENDS_REQUEST: Final = late(r"(?i)^_?abort")
"""A call that ends the request, though it may come back: ``c.AbortWithStatus(400)``.

Means: where a function that runs before handlers calls it, the handler does not run.
Errs: such a call about something else (a transaction) counts, and a finding has medium confidence.
Measured: nothing.
"""
EARLIER_FILES: Final = late(r"(?:^|/)server/middleware/[^/]+$")
"""A file whose default export runs before the handlers of all requests, because of the folder it lies in.

Means: what it refuses, no handler beside this folder gets.
Errs: a program that keeps functions for some routes in such a folder has findings of medium confidence.
Measured: nothing.
"""
EARLIER_TEXTS: Final = late(r"(?i)middleware")
"""In a list of the program, the dotted name of a class or function with this in it runs before all handlers.

Means: as ``EARLIER_FILES``.
Errs: a list from which another name is taken, or one that is used nowhere.
Measured: nothing.
"""
EARLIER_STAGES: Final = late(r"^on(?:PreAuth|Credentials|PostAuth|PreHandler)$")
"""The name of a stage that all requests go through before their handler, with which a function is registered.

Means: what such a function refuses, no handler of the program gets.
Errs: a server for a part of the program only, whose handlers are others: a finding has medium confidence.
Measured: nine findings of one program of round 18 are behind such a function; all are false.
"""
GOES_ON_WITH: Final = frozenset({"continue"})
"""A member of what a framework gives to a function that runs before handlers; it returns that to go on: ``h.continue``.

Means: such a function lets a request through where it returns this, and no other value.
Errs: a function that goes on in another way as well is one whose check is seen too often.
Measured: nothing.
"""
LATER_STAGES: Final = late(
    r"^(?:on(?:PostHandler|PreResponse|PostResponse|Response|Send|Error|Timeout)|preSerialization)$"
)
"""The name of a stage behind the handler, with which a function is registered: ``server.ext("onPreResponse", f)``.

Means: what such a function checks keeps no request from a handler.
Errs: a stage of another framework by such a name that runs before is one whose check is not seen.
Measured: nothing.
"""
IN_BROWSERS: Final = ("use client",)
"""A text at the beginning of a file that says that its code runs in browsers, as does all that it imports.

Means: functions of a server that get an address only where such code names them, or where they are handed on as
values, have none elsewhere (``explain/sent_actions.py``).
Errs: a page that imports such a function by a computed name has its findings at low confidence.
Measured: two findings of round 23, both false.
"""
