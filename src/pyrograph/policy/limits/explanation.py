"""Limits of explanations: paths that are expanded, rated and shown."""

from __future__ import annotations

from typing import Final

# -- Explanation -------------------------------------------------------------------------------------------------------

DEFAULT_MAX_TRACES: Final = 5
"""Paths of one finding that are reported; ``--max-sources`` sets another number. [paths]

Reason: Judgement.
Lost: Further paths; their number is reported.
Problem: none; the finding says how many sources there are.
"""
MAX_FURTHER_WRITES: Final = 40
"""Places at which a template writes what a call gives it, of which a finding shows a path. [places]

Reason: Judgement: the page of one record writes some dozens of its fields.
Lost: The paths to further places of the template.
Problem: none: the same findings.
"""
MAX_FURTHER_CALLS: Final = 30
"""Calls of the function with the sink, beside those on the paths of sources, whose paths a finding shows. [calls]

Reason: Judgement: a helper that runs a query or a command for a whole program has dozens of calls.
Lost: The paths of further calls.
Problem: none: the same findings.
"""
MAX_ENTERED: Final = 2
"""Functions that a path enters last, and whose other calls are looked for. [functions]

Reason: Judgement: a helper, and one that it calls.
Lost: Paths of other calls of functions before these.
Problem: none: the same findings.
"""
MAX_FOLLOWED: Final = 8
"""Paths of one finding, the best first, along which such calls are looked for. [paths]

Reason: Judgement: most paths to one sink enter the same functions last.
Lost: Paths of other calls of functions that further paths enter.
Problem: none: the same findings.
"""
MAX_FURTHER_EDGES: Final = 100_000_000
"""Edges of the graphs that are searched for such paths in one scan, each search counted as its whole graph. [edges]

Reason: Two seconds at most: a search looks at most edges once, and ends where it meets the source.
Lost: Paths of other calls for the findings that come last.
Problem: none: the same findings.
"""
MAX_IMPOSSIBLE: Final = 32
"""Sources that are passed over, if constants that calls pass exclude their paths, to find a possible one. [sources]

Reason: Judgement.
Lost: A possible path from a further source: the finding has low confidence.
Problem: none: may miss findings.
"""
MAX_OTHER_PATHS: Final = 8
"""Paths from one source that are passed over, if they enter a method that their object does not have, store another
row, column or field than they read, or take a branch that constants exclude, to find one that does not. [paths]

Reason: Judgement.
Lost: Nothing with methods: further paths are taken to be possible. With tables and branches, the finding has low
confidence.
Problem: none: may add findings, or miss some.
"""
MAX_OTHER_WAYS: Final = 16
"""Paths from one source to one sink that are passed over, if they go through code for certain users only, to find one
that does not. [paths]

Reason: Judgement: a function that reads requests has dozens of callers, and each path takes the code of one.
Lost: A finding keeps the party of the code that its shortest path goes through.
Problem: none: may miss findings.
"""
MAX_OTHER_EDGES: Final = 100_000_000
"""Edges of the graphs that are searched for such paths in one scan, each search counted as its whole graph. [edges]

Reason: Three seconds at most: a search looks at an edge once.
Lost: As ``MAX_OTHER_WAYS``, for the findings that come last.
Problem: none: may miss findings.
"""
MAX_RATED: Final = 12
"""Sources whose paths are looked at until one of anybody outside (``remote``) gives high confidence. [sources]

Reason: Functions of a program that run commands or make requests for all others have dozens of callers, most of which
check what they pass, or are for administrators. Of 370 findings of high confidence in 85 applications of rounds 21 to
25 the likeliest source gave it in 355, and one of the first five in the others; a third of the applications was scanned
with 32.
Lost: A finding keeps its confidence although a further source would give more.
Problem: none: may miss findings.
"""
MAX_WALKED: Final = 300_000
"""Edges of the paths to the sinks of one file, twice where a path is rated and shown. [edges]

Reason: A few seconds. ``bench/findings_by_file.py`` on 94 programs, low confidence and all threat models, the file that
needs most: 122,043 in Mylar3, 43,332 in EmailEngine, 25,778 in Kapacitor, 22,811 in go-whatsapp-web-multidevice.
Lost: Further findings of the file show source and sink alone.
Problem: the paths of {} findings are too long to analyse; only source and sink are shown
Remedy: Split the file.
"""
MAX_FINDINGS: Final = 1_000
"""Findings of one file, each argument of a call by itself, and those that options leave out included. [findings]

Reason: Four seconds: a finding takes two to four milliseconds. Twice what the file has that has most, by
``bench/findings_by_file.py`` on 94 programs, low confidence and all threat models: 433 in Mylar3, 151 in Ponzu, 118 in
PencilBlue.
Lost: The findings further down in the file.
Problem: more than {} findings; the {} findings from this line on are not analysed
Remedy: Mend the cause that they share, or exclude the file.
"""
MAX_TRACE_STEPS: Final = 200
"""Steps of a path that is reported. [steps]

Reason: Judgement: a path of more than 80 steps has low confidence.
Lost: The steps before the sink.
Problem: none: the same findings.
"""
MAX_SHOWN_CHECKS: Final = 20
"""Checks that are listed under one path. [checks]

Reason: Judgement: readers look at a few.
Lost: Those of the functions that the path goes through last.
Problem: none: the same findings.
"""
MAX_EXAMINED_CHECKS: Final = 64
"""Conditions on the data, and calls that are given it, in one function, of which it is asked whether a path passes
them. [conditions, calls]

Reason: Judgement: each costs two walks over the function's blocks.
Lost: Further ones are not listed under the path.
Problem: none: the same findings.
"""
MAX_GUARD_DEPTH: Final = 3
"""Wrappers of wrappers, and mounts of mounts, that are looked through for a check of who may call. [calls]

Reason: Judgement: a middleware is made by a function, wrapped once, and mounted twice.
Lost: A check further away does not make the party of what is behind it an operator.
Problem: none: may add findings.
"""
MAX_LEFT_OVER_CALLERS: Final = 8
"""Handlers that use one another in a row, of which the last is asked whether the program registers it. [functions]

Reason: Judgement: what one handler that nothing registers uses is left over with it; longer rows are rare.
Lost: A finding in a handler that only such handlers further away use keeps its confidence.
Problem: none: may add findings.
"""
MAX_ROUTE_CALLS: Final = 4
"""Calls between a handler and the call that states its route: those that wrap it, or that made the receiver. [calls]

Reason: Judgement: ``route("/a").methods("GET").handler(checked(show))`` has three.
Lost: The route is not known: a redirect to the path of the request stays reported.
Problem: none: may add findings.
"""
MAX_GUARD_CALLERS: Final = 24
"""Callers of callers that are asked whether they run for administrators only. [functions]

Reason: Recursion: each takes some frames of the interpreter. Handlers call what does the work over fewer functions.
Lost: A function further below the handler counts as open to anybody.
Problem: none: may add findings.
"""
MAX_GUARD_USES: Final = 32
"""Uses of one function, and functions of one check, that are looked at to see who may call. [uses]

Reason: Judgement: a helper that is used in more places is used by anybody.
Lost: A function that is used in more places counts as open to anybody.
Problem: none: may add findings.
"""
MAX_GUARD_STEPS: Final = 60
"""Versions of a group of routes, and names of a router, that are looked back through for checks. [values]

Reason: Judgement: each check that is registered on a group makes a version of it. Those that calls make which are no
checks are passed over.
Lost: A check on a group before more of these does not count for the routes after them.
Problem: none: may add findings.
"""
MAX_KEY_ORIGINS: Final = 12
"""Values that one side of a comparison is traced back to, to see whether it is a key of the configuration. [values]

Reason: Judgement: a setting is read, converted and kept in one or two names.
Lost: A check that compares what was made in more steps does not make the party of what is behind it an operator.
Problem: none: may add findings.
"""
MAX_FIXED_STEPS: Final = 24
"""Values that one side of a comparison of passwords is traced back to, to see whether only constants say which password
it is. [values]

Reason: Judgement: a file is read, split into lines, and a line into a name and a value.
Lost: A program whose password is looked up in more steps counts as one with several accounts.
Problem: none: may add findings.
"""
MAX_ROLE_LISTS: Final = 20_000
"""Literals in files that name administrators, of which it is asked whether they list what a role may do. [literals]

Reason: A tenth of a second.
Lost: A permission that is granted to administrators alone, further down, counts as anybody's.
Problem: none: may add findings.
"""
MAX_BROUGHT_DEPTH: Final = 12
"""Steps back from what a condition asks for to the header that a request brings. [steps]

Reason: Judgement: a header is read, cut, verified, and kept in a field or two.
Lost: A check that is made in more steps leaves findings behind it high confidence.
Problem: none: may add findings.
"""
MAX_BROUGHT_ORIGINS: Final = 12
"""Values that are joined, kept under one name, returned or passed at once, and each hold such a header. [values]

Reason: Judgement.
Lost: As ``MAX_BROUGHT_DEPTH``.
Problem: none: may add findings.
"""
MAX_BROUGHT_VALUES: Final = 400
"""Values that are asked about to see whether a condition asks for such a header. [values]

Reason: Judgement: values that are made of each other are asked about again on each way to them.
Lost: As ``MAX_BROUGHT_DEPTH``.
Problem: none: may add findings.
"""
MAX_DIGEST_ORIGINS: Final = 24
"""Values that one side of a comparison is traced back to, to see whether it is a digest of a message; and its key.
[values]

Reason: Judgement: a digest is encoded, put behind a word and converted; its key passes a function or two.
Lost: Findings behind a comparison of a digest that is made in more steps keep their confidence.
Problem: none: may add findings.
"""
MAX_GUARD_TEXT: Final = 300
"""Length of the code of a condition or check that is searched for the words of administrators. [characters]

Reason: Judgement: conditions are shorter.
Lost: What stands behind does not count.
Problem: none: may add findings.
"""
MAX_GUARD_CODE: Final = 4_000
"""Length of the code of a check that is searched for the paths and names of handlers that it lets past. [characters]

Reason: Judgement: checks are shorter.
Lost: A handler that is named behind counts as checked.
Problem: none: may miss findings.
"""
MAX_NESTING: Final = 12
"""Summary edges inside summary edges that are expanded. [levels]

Reason: See ``MAX_EXPANDED``.
Lost: The steps inside the call.
Problem: none: the same findings.
"""
MAX_EXPANDED: Final = 10_000
"""Edges of a path after which no summary edge is expanded. [edges]

Reason: k calls in each of d nested functions are k ** d ways. A report shows no path of so many steps.
Lost: The steps inside the call.
Problem: none: the same findings.
"""
MAX_MEASURED: Final = 200_000_000
"""Memory for distances from sinks that are kept between findings. [bytes]

Reason: Four bytes for each node of the searched graph and each sink: 200 sinks of the largest graph of Django.
Lost: Nothing: a search is made again.
Problem: none: speed only.
"""
MAX_CACHED: Final = 1_000_000
"""Edges of paths that are kept to be used again. [edges]

Reason: Judgement.
Lost: Nothing: a path is looked for again.
Problem: none: speed only.
"""
MAX_PACKED: Final = 8_000_000
"""Edges of paths, without those inside callees, that are kept as numbers of eight bytes to be used again. [edges]

Reason: Judgement: 64 MB, where as many objects would take a gigabyte.
Lost: Nothing: a path is looked for again.
Problem: none: speed only.
"""
MAX_OPEN: Final = 200
"""Open calls of a path that are looked through for the one that passed a function, the innermost first. [calls]

Reason: Judgement.
Lost: A path that goes on into another caller's function is not recognised, and keeps its confidence.
Problem: none: may add findings.
"""
MAX_CALLEE_VERSIONS: Final = 24
"""Versions of a called value that are looked through for the parameter that it is. [versions]

Reason: Judgement.
Lost: As ``MAX_OPEN``.
Problem: none: may add findings.
"""
MAX_ASKED_DEPTH: Final = 3
"""Calls deep that a check of the program is looked into, and targets of one call. [calls]

Reason: Judgement: checks are short, and call one or two helpers.
Lost: A check whose question stands deeper is not recognised, and the path keeps its confidence.
Problem: none: may add findings.
"""
MAX_PART_CHAIN: Final = 3
"""Calls and members between a source and the name of the part that is read of it: ``r.URL.Query().Get("a")``. [steps]

Reason: The longest chain of a library's request has two.
Lost: A part behind more of them has no name, so that a check of it before the handler does not count.
Problem: none: may add findings.
"""
MAX_EARLIER_READINGS: Final = 100
"""Readings of one part of requests, in the whole program, that are looked at for a check before a handler. [readings]

Reason: Judgement: each is judged once for each vulnerability; hundreds of handlers read a part such as ``id``.
Lost: A check in code that comes after more of these does not count.
Problem: none: may add findings.
"""
MAX_EARLIER_HANDLERS: Final = 24
"""Handlers from which requests get to one reading that are asked for code that runs before them. [handlers]

Reason: Judgement: what is behind so many handlers, no check stands before each of.
Lost: A check before each of more handlers does not count.
Problem: none: may add findings.
"""
MAX_ASKED_STEPS: Final = 1_000_000
"""Basic blocks, conditions and calls that are gone through to see which checks the paths in one file pass. [steps]

Reason: A few seconds. With low confidence and all threat models, the file of seven programs that needs most: 46,592 in
SkyPortal, 3,208 in nbgrader, 3,088 in Cerbos.
Lost: Further paths of the file count as passing no check, and list none.
Problem: seeing which checks the paths in this file pass takes too many steps; some count as passing none
Remedy: Split the functions of the file.
"""
MAX_ASKED_VALUES: Final = 64
"""Values that a tested value is followed back through to what it was made of. [values]

Reason: Judgement.
Lost: As ``MAX_ASKED_DEPTH``.
Problem: none: may add findings.
"""
MAX_CONDITION_TEXT: Final = 500
"""Length of the text of a query in which columns are looked for that equal a constant. [characters]

Reason: Judgement: a query for one row of settings is short.
Lost: The row that a longer query reads counts as any row of the table.
Problem: none: may add findings.
"""
MAX_EXCLUDED_BLOCKS: Final = 1_000_000
"""Basic blocks that are gone through to see which paths need one condition to hold and not to hold. [blocks]

Reason: Judgement: a few seconds.
Lost: Further paths count as possible.
Problem: none: may add findings.
"""
MAX_DETOURS: Final = 4
"""Other paths of a finding that are looked at where constants keep data from what a call on its path returns. [paths]

Reason: Judgement: data gets to a sink in few ways.
Lost: The path counts as possible.
Problem: none: may add findings.
"""
MAX_DETOUR_EDGES: Final = 3_000_000
"""Edges that are gone through in a scan to see which paths constants keep from what calls on them return. [edges]

Reason: Judgement: a few seconds.
Lost: Further paths count as possible.
Problem: none: may add findings.
"""
MAX_NAMED_HOSTS: Final = 12
"""Functions of the program that a check of a host may call, at any depth, and that are read to see whether it refuses
hosts by their names alone. [functions]

Reason: Judgement: such checks call a function for each kind of address.
Lost: The check counts as one that is not understood.
Problem: none: may miss findings.
"""
MAX_LOOKED_AT: Final = 64
"""Versions of an object that a function is looked through for. [values]

Reason: Judgement: functions that check have few.
Lost: The function may look at all of it, and counts as a check of every member.
Problem: none: may miss findings.
"""
MAX_ROOTS: Final = 5
"""Origins of a sink's argument that ``pyrograph explain`` names. [values]

Reason: Judgement.
Lost: Further ones are counted.
Problem: none: the same findings.
"""
MAX_NAMED_ARGUMENTS: Final = 3
"""Further untrusted arguments of one call that a finding's message names. [arguments]

Reason: Judgement.
Lost: The others are counted.
Problem: none: the same findings.
"""
MAX_NAMED_FILES: Final = 3
"""Files that the message of a limit names. [files]

Reason: Judgement.
Lost: Files where it happened less often.
Problem: none: the same findings.
"""
MAX_SHOWN_HITS: Final = 200
"""Broken promises of hits that ``--debug`` shows. [promises]

Reason: Ten times ``MAX_SHOWN_ROWS``: hits have several promises.
Lost: Further ones.
Problem: none; part of an internal error's message.
"""
MAX_VERIFIED_HITS: Final = 100
"""Hits whose path is looked for by ``--debug``. [hits]

Reason: Judgement: each is a search.
Lost: Further hits are not verified.
Problem: none: speed only.
"""
MAX_ENTRY_CALLERS: Final = 256
"""Functions around a source that are asked how requests reach them: its callers, and theirs. [functions]

Reason: Judgement: handlers call what reads the request over few functions.
Lost: A finding in a function further below names no entry point, or fewer.
Problem: none: the same findings.
"""
MAX_ENTRIES: Final = 8
"""Entry points of one finding that are reported. [entry points]

Reason: Judgement: a reader needs one to try the finding out, and a few to see how far it reaches.
Lost: Further ones.
Problem: none: the same findings.
"""
MAX_PREFIXES: Final = 8
"""Beginnings of the routes of one group: where it is mounted. [texts]

Reason: As ``MAX_ENTRIES``.
Lost: Routes under further ones.
Problem: none: the same findings.
"""
MAX_TAKING_EDGES: Final = 24
"""Edges behind a source among which a call is looked for that takes a named part out of it. [edges]

Reason: Judgement: an address is taken apart where it is read, or a router of the program hands its query to a handler.
Lost: The name of the parameter; the request counts as read as a whole, which is a doubt for some rules.
Problem: none: the same findings.
"""
MAX_MEMBER_EDGES: Final = 4
"""Edges behind a source among which the member of the request that the path goes on with is looked for; those between
versions of one object are not counted. [edges]

Reason: Judgement: it is read at once, or in a function that the request is passed to.
Lost: The name of the parameter; the code behind the source is looked at instead.
Problem: none: the same findings.
"""
SHARED_HANDLER: Final = 3
"""Times as many routes as another function of the same route has: it runs before handlers and is none. [times]

Reason: Judgement: a handler has one route, or two versions of it; what runs before handlers has dozens.
Lost: A handler of many routes that shares one with a handler of few, in the list of ``pyrograph routes``.
Problem: none: the same findings.
"""
LEAST_HANDLERS: Final = 4
"""Classes that read requests, from which on one that nothing registers is looked for. [classes]

Reason: Judgement: of three classes two do not show how a program registers them.
Lost: In smaller programs, findings in classes without a route keep their confidence.
Problem: none: the same findings.
"""
NAMED_HANDLERS: Final = 0.75
"""Part of the classes that read requests that code must name, for the rest to count as not registered. [of 1]

Reason: Judgement: where a program finds its classes by folder or by base, code names few or none of them.
Lost: In other programs, findings in classes without a route keep their confidence.
Problem: none: the same findings.
"""
LEAST_NEIGHBOURS: Final = 3
"""Folders, or modules, of one kind that a program loads, from which on one that nothing loads is looked for. [places]

Reason: Judgement: two do not show how a program loads its modules.
Lost: In smaller programs, findings in modules that nothing loads keep their confidence.
Problem: none: the same findings.
"""
MAX_ALTERNATIONS: Final = 4
"""Conditions with *or* in such with *and*, and so on, that are looked into for one about development. [levels]

Reason: Judgement: ``A and (B or (C and (D or E)))`` has four.
Lost: Code that runs under development only keeps its confidence.
Problem: none: may add findings.
"""
MAX_FIELD_NAME: Final = 200
"""Of the name of a field, from its end, what is read for words that say that it is a secret. [characters]

Reason: Such words end names, and programs write shorter ones.
Lost: A finding in a field with a longer name has medium confidence.
Problem: none: the same findings.
"""
MAX_FIELD_TEXT: Final = 400
"""Text of one field of a form that is searched for its name and for what fills it in. [bytes]

Reason: Judgement: a tag with its attributes and the tags of a template in them is shorter, mostly.
Lost: A field that a link fills in is not seen, and a finding keeps a doubt.
Problem: none: the same findings.
"""
