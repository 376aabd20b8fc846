"""Guesses from the paths of files, which are tests, tools of developers, templates, routes, and from marks in them."""

from __future__ import annotations

from typing import Final

from pyrograph.policy.late import late


def _folders(names: str) -> str:
    """A pattern of paths below a folder of one of these names. Below ``app`` and ``routes``, the folders of a file that
    is named as a route are parts of an address: ``app/api/hooks/test/route.ts``.
    """
    is_route = r"(?:[^/]+/)*(?:(?:route|page)\.[cm]?[jt]sx?|\+(?:page\.)?server\.[jt]s)$"
    return rf"^(?:(?!(?:app|routes)/)[^/]+/)*{names}/|(?:^|/){names}/(?!{is_route})"


TEST_PATHS: Final = late(
    _folders(r"(?:tests?|__tests__|specs?)") + r"|(?:^|/)test_[^/]*\.py$|[._-](?:test|spec)\.\w+$"
    r"|(?:^|/)(?:vitest|jest)[.-][^/]*\.[cm]?[jt]sx?$"
)
"""The path of a file that holds tests, or prepares them (``vitest-setup.ts``).

Means: a path between such a file and another one has low confidence: data passes there only while tests run. What such
a file passes to code elsewhere says nothing of the objects and functions that this code gets. Calls and registrations
of a handler in such a file say nothing of who may call it, unless the handler is in such a file, too.
Errs: an application whose own folder is called ``tests`` or ``specs`` has true findings at low confidence; one that
registers a handler of another folder there, open to anybody, loses true findings where it is behind a check elsewhere.
A file of tests that is named as a route and lies below a folder ``app`` or ``routes`` is none.
Measured: in ten applications in Go, 8 findings went through test files (bench/real/verdicts-go.md).
"""
DEVELOPMENT_PATHS: Final = late(
    _folders(
        r"_?(?:tests?|testers?|testing|testdata|__tests__|specs?|e2e|(?:[\w.-]+[-_])?mocks?(?:[-_][\w.-]+)?|fakes?|stubs?"
        r"|fixtures?|examples?|samples?|demos?"
        r"|dev-?tools?|hack|tests?[-_]?(?:fs|db|utils?|helpers?|support|kit|servers?|suites?|env|harness|framework|infra))"
    )
    + r"|(?:^|/)[^/]+\.(?:config\.[cm]?[jt]s|(?:test|spec)\.[cm]?[jt]sx?)$"
)
"""The path of a file that its developers run, not its users: tests, mocks, examples, configuration of build tools,
and programs of the build (``hack`` is their folder in projects around Kubernetes). Go's tools leave out folders that
begin with an underscore, so examples lie in ``_examples`` there.

Means: a finding whose path lies in such files only has low confidence, unless they are most of the scanned
files and no other file reads untrusted data.
Errs: a program of its own in such a folder, beside a larger one, has findings at low confidence.
Measured: of 456 findings in two rounds of unseen programs, 6 lie in such files only and all are false; no sink of
the 152 known vulnerabilities does (bench/rounds, bench/cves). Folders of tests with a role in their name (``testfs``,
``testutil``) were added for three findings of round 8, all false; names with a part ``mock`` (``platform_mock``), and
``tester``, for four in four programs of rounds 17 to 24, all false; files such as ``upload.spec.ts`` for one in 35
rounds, which is false.
"""
NON_PUBLIC_PATHS: Final = late(
    r"(^|/)_?(tests?|testing|testdata|__tests__|specs?|examples?|samples?|demos?|docs?|bench(marks?)?|scripts?|tools)/"
    r"|(^|/)(test_[^/]*|[^/]*_test|conftest|setup|[^/]*\.(test|spec|config))\.[a-z]+$"
)
"""The path of a file that a library does not offer to its users.

Means: parameters of its functions are no sources where the program is taken for a library.
Errs: a library that offers functions from such a folder has missed findings.
Measured: nothing.
"""
TEMPLATE_FOLDERS: Final = frozenset(
    {"views", "view", "templates", "template", "tpl", "tmpl", "pages", "layouts", "partials"}
)
"""A folder that holds templates.

Means: where several files fit the name of a template, one below such a folder is taken.
Errs: another template is looked at, so that findings are missed and false ones come.
Measured: nothing.
"""
TEMPLATE_ROOTS: Final = frozenset({"views", "view", "templates", "template", "tpl", "tmpl"})
"""A folder of ``TEMPLATE_FOLDERS`` that engines are given to search, so that names of templates begin below it.

Means: of several files that fit the name of a template, one whose name begins in such a folder is taken:
``templates/base.html`` for ``base.html``, though ``templates/orders/detail/base.html`` is nearer to the page that names
it.
Errs: as ``TEMPLATE_FOLDERS``.
Measured: four false findings of one program of round 46 (``junction``).
"""
ROUTE_FILE: Final = late(
    r"(?:^|/)(?:routes|app|pages)/(?:\([^/()]*\)/|@[\w-]+/|_[^/]*/)*"
    r"(?:[A-Za-z0-9][\w-]*/|(?!(?:root|layout|index|page|route|default|template|error|middleware)\b)[A-Za-z0-9][\w-]*\.)"
)
"""A file whose path is that of a route which begins with fixed text: ``routes/(app)/admin/[id]/+page.server.ts``.

Means: what a framework calls in it because of its name and of the file's runs for paths that begin so.
Errs: a framework that takes such a folder for something else.
Measured: nothing.
"""
JOINING: Final = late(
    rb"generated by Wire\b|maintain this interface file|generated by [^\n]*\boapi-codegen\b|generated with tsoa\b"
)
"""The mark of a generated file that calls code of the program, or through which the program calls its own code: the
constructors that are put together (Wire), the interfaces of services and what is registered for them (GoFrame), the
handlers of a specification's operations (oapi-codegen, tsoa).

Means: the file is analysed although it is generated.
Errs: files of further generators are left out, and flows through them are missed.
Measured: in sagooiot and billionmail, every call of a service leads through such a file.
"""
RANDOM: Final = late(
    r"(?i)\b(?:uuid|guid|ulid|xid|ksuid|cuid)\b(?!\.(?:parse|must_?parse|valid|is))|uuid_?v?[1-7]|nano_?id"
    r"|(?:random|new|make|create|gen|generate)_?(?:uuid|guid|ulid|xid)|random_?(?:bytes|string|hex)"
    r"|token_?(?:hex|urlsafe)|mkd(?:ir_?)?_?temp|temporary_?directory"
)
"""A call that makes a random name, by the path of the library's function or by its own name: ``uuid.New``, ``mkdtemp``.

Means: nobody else can have a folder beside one whose name ends so, and which begins with the whole of that name. So
what passes a test of such a prefix without a separator has medium confidence.
Errs: a name that somebody chose, and that a call with such a name only checks, hides the folders beside it.
Measured: 12 judged findings of two programs of round 45 (``discopanel``, ``autokitteh``), all false.
"""
