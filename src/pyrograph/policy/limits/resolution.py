"""Limits of linking and resolution: points-to sets, the call graph, copies of functions."""

from __future__ import annotations

from typing import Final

# -- Linking -----------------------------------------------------------------------------------------------------------

MAX_TRIED: Final = 500_000
"""Files that ``paths`` in ``tsconfig.json`` name, for all imports of a program, or are compared with patterns of
``exports`` in ``package.json``. [files]

Reason: Some ten seconds.
Lost: Imports: they are taken for libraries; functions that a package offers under such names.
Problem: `paths` or `exports` name too many files: only {MAX_TRIED} were looked up; some imports are unknown
Remedy: Give fewer alternatives in ``paths``.
"""
MAX_MODULE_NAME: Final = 4_096
"""Length of a module's name. [characters]

Reason: No path is longer.
Lost: The import: it is taken for a library.
Problem: none: may add or miss findings.
"""

# -- Resolution --------------------------------------------------------------------------------------------------------

MAX_STATES: Final = 8
"""Functions, classes and APIs that one value may be. [states]

Reason: Judgement: what may be many things is seldom called as each of them. Bounds the fixpoint: values x states.
Lost: Calls of the further ones. A call of a value with more has no target at all.
Problem: a value may refer to more than {MAX_STATES} functions, classes or APIs; the others are ignored
Remedy: None; findings through such a value may be missing.
"""
MAX_HANDLERS: Final = 64
"""The same of a value that is taken out of a container by a computed key and then called (a table of handlers), and of
classes that have a base in common, their instances and their called methods. [states]

Reason: Judgement: servers have some dozens of commands, and each may be called. Module tables of bundles have hundreds.
Lost: A call of a handler from a larger table, or of a method of a larger family, has no target.
Problem: none; that of ``MAX_STATES``.
"""
MAX_REGISTERED: Final = 512
"""The same of a value that is taken out of a container by a computed key and then registered (tables of routes), of
what a registered wrapper is made around, and of methods of subclasses that are read by the beginning of their names.
[states]

Reason: Judgement: the largest servers have some hundreds of routes, each of which is registered.
Lost: Handlers of a larger table are no entry points.
Problem: none; that of ``MAX_STATES``.
"""
MAX_REGISTERED_STATES: Final = 20_000
"""States of a program above ``MAX_HANDLERS`` on values that may hold ``MAX_REGISTERED``. [states]

Reason: 28 of 31 applications have none, the others 25 to 896. The parts of Home Assistant keep their callbacks in one
dictionary, so that 29,000 values may be any of hundreds: its resolution takes 285 s of CPU without this limit, and
66 s with it.
Lost: Once they are spent, further such values hold ``MAX_STATES`` states.
Problem: none; that of ``MAX_STATES``.
"""
MAX_ALIKE: Final = 512
"""The same of a value that is functions with as many parameters each, in a language whose compiler checks how many
arguments a call gives. [states]

Reason: Judgement: all handlers of a server go through one adapter, a field or a list of routes, and servers have some
hundreds. The compiler has checked that each of them can be called there.
Lost: A call of a value that is more functions has no target.
Problem: none; that of ``MAX_STATES``.
"""
MAX_QUEUE_EDGES: Final = 256
"""Pairs of what is put into one queue of a library and what is taken out of it. [pairs]

Reason: Judgement: a program puts jobs in at a dozen places, and one or two workers take them out.
Lost: Flow through a queue that more places use, but for what its object holds in one function.
Problem: none: may miss findings.
"""
MAX_ERROR_EDGES: Final = 64
"""Functions of a program that get one exception which a framework caught. [functions]

Reason: Judgement: a program has a handler for a class of errors, and some middleware.
Lost: Flow of the exception into further handlers.
Problem: none: may miss findings.
"""
MAX_SETTER_NAMES: Final = 16
"""Values that are looked at to find the call that made a function which sets another part of its result. [values]

Reason: Judgement: such a function is called by the name that the call gave it, or captured by one or two functions.
Lost: Flow from what is set to where it is read.
Problem: none: may miss findings.
"""
MAX_SEALED_EDGES: Final = 256
"""Pairs of what is signed for a client to keep and what is read when it brings that back, of one API. [pairs]

Reason: Judgement: a program signs at a dozen places, and opens tokens at a few.
Lost: Flow through the tokens of this API.
Problem: none: may miss findings.
"""
MAX_ADDRESSES: Final = 4
"""Addresses that one call of a script may ask for, where its text is one of several. [addresses]

Reason: Judgement: an address has two forms, with and without a query.
Lost: Flow from the answers of the program's own handlers to these scripts.
Problem: none: may miss findings.
"""
MAX_ADDRESS_PARTS: Final = 16
"""Holes of an address, and names that are looked up to find a piece of it. [values]

Reason: Judgement: an address has a base, one or two numbers and a query.
Lost: Constant pieces of the address, so that it matches fewer routes or none.
Problem: none: may miss findings.
"""
MAX_ASKING_DEPTH: Final = 6
"""Names, texts and functions in one another that an address is put together of. [levels]

Reason: Judgement: a function of the program that asks is wrapped once or twice, ``api.get``, ``request``, ``fetch``.
Lost: Constant pieces of the address, so that it matches fewer routes or none.
Problem: none: may miss findings.
"""
MAX_ASKING_CALLS: Final = 512
"""Calls of a function of the program that completes an address and asks for it, or that sends what it is given. [calls]

Reason: Judgement: large front ends ask at a few hundred places, through one function; so do handlers answer.
Lost: Flow from the answers of the program's own handlers to further calls, or from further calls.
Problem: none: may miss findings.
"""
MAX_ASKING_STEPS: Final = 2048
"""Values and calls that are looked at for the address of one request, or for what one call answers. [values]

Reason: Judgement: an address has a dozen pieces, and a function that completes it a few hundred calls.
Lost: Constant pieces of the address, further calls of such a function, and what further calls of a helper send.
Problem: none: may miss findings.
"""
MAX_ROUTE_TEXT: Final = 1024
"""Text of a route or of an address. [characters]

Reason: Judgement: what is longer is no route.
Lost: Flow from the answers of the program's own handlers to these scripts.
Problem: none: may miss findings.
"""
MAX_SCRIPT_REQUESTS: Final = 16384
"""Requests that the scripts of a program make, each with one address. [requests]

Reason: Measured: a front end of 346 files makes 2,400, many of them at the same calls.
Lost: Flow from the answers of the program's own handlers to further scripts.
Problem: scripts of the program make more than {MAX_SCRIPT_REQUESTS} requests; the answers to the others are ignored
Remedy: Leave built copies of the scripts out with --exclude.
"""
MAX_ROUTE_CANDIDATES: Final = 512
"""Routes with the same last part that an address is compared with. [routes]

Reason: Judgement: resources of large programs have a few hundred routes that end in a number.
Lost: Flow from the answers of the program's own handlers to these scripts.
Problem: none: may miss findings.
"""
MAX_ANSWER_DEPTH: Final = 3
"""Helpers in one another between a handler and the call that answers, and members between such a call and what the
handler was given. [levels]

Reason: Judgement: ``sendJSON(w, code, payload)`` is called by handlers, or by one more helper.
Lost: Flow from what is answered to the pages that ask for it.
Problem: none: may miss findings.
"""
MAX_ANSWER_CALLERS: Final = 64
"""Functions from which a call that answers is reached, to find the handlers, and members of a literal that it sends.
[functions]

Reason: Judgement: what more functions than that call is a helper of all handlers.
Lost: Flow from what is answered to the pages that ask for it.
Problem: none: may miss findings.
"""
MAX_ANSWER_ROUTES: Final = 8
"""Routes that one answer belongs to. [routes]

Reason: Judgement: an answer that stands in the code of all handlers tells none of them apart.
Lost: Flow from what is answered to the pages that ask for it.
Problem: none: may miss findings.
"""
MAX_ANSWERING_HANDLERS: Final = 4
"""Handlers whose routes match an address equally well. [handlers]

Reason: Judgement: a route is registered twice where a program has two versions of it, or one for each method.
Lost: Flow from the answers of the program's own handlers to these scripts.
Problem: none: may miss findings.
"""
MAX_ANSWER_MOVES: Final = 16384
"""Pairs of what a handler answers with and where a script gets it. [pairs]

Reason: Judgement: a handler has a few answers, and a few places ask for it.
Lost: Flow from the answers of the program's own handlers to further scripts.
Problem: pages of the program ask for more than {MAX_ANSWER_MOVES} values of its own answers; the others are ignored
Remedy: Leave built copies of the scripts out with --exclude.
"""
MAX_SENT_NAMES: Final = 4
"""Fields of the program that have the same name in JSON, written differently. [fields]

Reason: Judgement: ``Id`` and ``ID`` are the usual case.
Lost: Flow of further fields to the pages of the program.
Problem: none: may miss findings.
"""
MAX_RECORD_TABLES: Final = 1024
"""Tables of records through which data flows. [tables]

Reason: Judgement: large applications have some hundreds of models.
Lost: Flow through further tables.
Problem: none: may miss findings.
"""
MAX_RECORD_TYPES: Final = 3
"""Tables of records that one call may be about. [tables]

Reason: Judgement: a call in a repository of all models means each of them, and would join what nothing joins.
Lost: Flow through tables that such calls alone keep or recall records of.
Problem: none: may miss findings.
"""
MAX_STATEMENT_TABLES: Final = 6
"""Tables of which a column of a query without a table's name may be one. [tables]

Reason: Judgement: queries that join more are reports.
Lost: Flow through columns of which the query does not say the table.
Problem: none: may miss findings.
"""
MAX_CALLS_INTO: Final = 2
"""Calls between a method that converts a field of a record and the sanitizer that it uses. [calls]

Reason: Judgement: programs have a function of their own around a library's sanitizer.
Lost: The field counts as stored as it comes.
Problem: none: may add findings.
"""
MAX_EXCLUDED_NAMES: Final = 8
"""Names given beside a table that is spread, `create(owner=user, **data)`, and fields that methods convert. [names]

Reason: As many as an access path remembers that were overwritten.
Lost: Nothing: the table may hold further ones, and further fields count as stored as they come.
Problem: none: may add findings.
"""
MAX_EXPORTED_NAMES: Final = 16
"""Names by which a file reads an object that another one made, through files that export it again. [names]

Reason: Judgement: an object has one name, and one more for each such file.
Lost: What functions put into the objects behind further names.
Problem: none: may miss findings.
"""
MAX_LISTED_VALUES: Final = 256
"""Versions of a list of parameters that are looked through for the values that a statement puts into columns. [values]

Reason: Judgement: a form of 64 fields, each in a condition of its own, takes three versions a field.
Lost: The columns of the values that were put into the list before these.
Problem: none: may miss findings.
"""
MAX_STATEMENT_FUNCTIONS: Final = 2
"""Functions that hand an SQL statement on, one to the next, before one gives it to a driver. [functions]

Reason: Judgement: programs have one, or one for single rows above one for all.
Lost: Flow through tables whose statements more functions hand on.
Problem: none: may miss findings.
"""
MAX_FILE_FUNCTIONS: Final = 2
"""Functions that hand the path of a file on, one to the next, before one gives it to a library. [functions]

Reason: Judgement: programs have one that loads a file, or one for each file above one for all.
Lost: Flow through files whose paths more functions hand on.
Problem: none: may miss findings.
"""
MAX_FILE_NAMES: Final = 3
"""Constant names of files that one path may end with. [names]

Reason: Judgement: a path that may be one of many is that of any file.
Lost: Flow through files at a path that is one of more.
Problem: none: may miss findings.
"""
MAX_FILE_STEPS: Final = 48
"""Values that are looked through for the constant name at the end of a path. [values]

Reason: Judgement: a path is joined of a few parts, each under a few names.
Lost: Flow through files whose paths are made in more steps.
Problem: none: may miss findings.
"""
MAX_FILE_CALLS: Final = 48
"""Values that calls write into files of one name, or places where they read such files. [values]

Reason: Judgement: a name that many use, such as `index.html`, is that of many files.
Lost: Flow through files of this name.
Problem: none: may miss findings.
"""
MAX_KEY_FUNCTIONS: Final = 2
"""Functions that hand the key of a message on, one to the next, before one gives it to a library. [functions]

Reason: Judgement: programs have one, or one for a queue above one for all.
Lost: Messages whose keys more functions hand on.
Problem: none: may miss findings.
"""
MAX_HANDED_STATEMENTS: Final = 8
"""Values that are looked through for the parameter that a statement is. [values]

Reason: Judgement: a default, a variable that a closure captures, another name.
Lost: The same as for MAX_STATEMENT_FUNCTIONS.
Problem: none: may miss findings.
"""
MAX_MEMBERS_TAKEN: Final = 4
"""Members, one of the other, of what a call takes out of a container, in which something is stored. [members]

Reason: Judgement: `users.get(id).page.links` has two.
Lost: What functions store further inside.
Problem: none: may miss findings.
"""
MAX_TAKEN_OUT: Final = 24
"""Values that are looked through for the container that a call takes an object out of. [values]

Reason: Judgement: a function that finds it, a call on a container, a variable or a field, in a few ways.
Lost: What functions put into objects that they find in more ways.
Problem: none: may miss findings.
"""
MAX_CHAIN: Final = 4
"""Names in a chain of members that leads from a class to what keeps its records: `Hook.objects`. [names]

Reason: Judgement: it is one member, or two.
Lost: Flow through the tables of longer chains.
Problem: none: may miss findings.
"""
MAX_MIRRORED_CELLS: Final = 16_384
"""Keys of an object, times the instances and prototypes that a library adds its content to. [cells]

Reason: Judgement: a mixin of some dozens of methods is added to some dozens of prototypes. Each pair is a cell.
Lost: What is added to further prototypes, and further keys: calls of it there have no target.
Problem: none: may miss findings.
"""
MAX_TABLE_STEPS: Final = 5
"""Merges, members and calls between a look-up in a table of handlers and the call. [steps]

Reason: Judgement: a default, a tuple, an instance and its method are four.
Lost: Handlers behind more steps are not taken for those of a table; ``MAX_STATES`` holds for them.
Problem: none: may miss findings.
"""
MAX_OTHERS: Final = 2
"""States of a handler from a table that are no functions where all others are, or no classes. [states]

Reason: Judgement: a default and one more. What is many things of several kinds was not told apart.
Lost: A call of such a mixture has no target.
Problem: none; that of ``MAX_STATES``.
"""
MAX_RELATED_STATES: Final = 200_000
"""States of a program that come to a full points-to set and may be let in as relatives of what it holds. [states]

Reason: In a library of one hierarchy (pandas, SymPy), sets of ``MAX_HANDLERS`` relatives meet everywhere: without this
limit, resolution of pandas takes more than 150 s of CPU, and 14 s with it. Applications of 300,000 to 1,000,000 lines
have 60,000 to 110,000.
Lost: Further sets hold ``MAX_STATES`` states, of relatives, too.
Problem: none; that of ``MAX_STATES``.
"""
MAX_IMPLEMENTATIONS: Final = 8
"""Methods that a call of an interface's method may mean. [methods]

Reason: Judgement: with more, most of them are not meant. An interface of ``MIN_TELLING_METHODS`` is not bound by this.
Lost: All of these call edges.
Problem: a method has more than {MAX_IMPLEMENTATIONS} implementations; the call is not resolved
Remedy: None; flows through the call may be missing.
"""
MIN_TELLING_METHODS: Final = 4
"""Methods of an interface that a type does not have by accident. [methods]

Reason: Judgement: many types have one, two or three methods of common names (``Name``, ``Close``, ``Run``). A type
with four of the interface's types was written for it: the drivers of a program that knows more than
``MAX_IMPLEMENTATIONS`` databases have 8 to 20. Of those as many are meant as of a base class, ``MAX_OVERRIDES``.
Lost: Calls of smaller interfaces mean ``MAX_IMPLEMENTATIONS`` methods at most.
Problem: none; that of ``MAX_IMPLEMENTATIONS``.
"""
MAX_OVERRIDES: Final = 64
"""Methods of subclasses that a call may mean whose receiver is only known to be of their common base. [methods]

Reason: Judgement: a base with so many subclasses is one of commands, providers or stores, and each may be meant. As
many as ``MAX_HANDLERS``: servers with a base of their own for the handlers of requests have 40 of them and more.
Lost: All of these call edges.
Problem: none; that of ``MAX_IMPLEMENTATIONS``.
"""
MAX_CANDIDATES: Final = 3
"""Methods that a call may mean when only the method's name is known. [methods]

Reason: Judgement: a common name says nothing.
Lost: All of these call edges.
Problem: none: may miss findings.
"""
MAX_NAMED_STEPS: Final = 64
"""Values that what is read under a name is passed to, and that are searched for calls of methods. [values]

Reason: Judgement: a constructor stores it in a field, and some methods read the field.
Lost: Methods that are called further away do not say which object of this name is meant.
Problem: none: may miss findings.
"""
MAX_FALLBACK_ROUNDS: Final = 6
"""Rounds in which names that nothing else resolved are guessed. [rounds]

Reason: Judgement: each round adds at least one call edge, or is the last.
Lost: Calls that only a seventh round would resolve.
Problem: none: may miss findings.
"""
MIN_ALIKE: Final = 3
"""Functions of a library of which packs say the same, so that one stands for what is chosen at run time. [functions]

Reason: Two are often two ways of one call: ``run`` and ``runSync``. A client has five or more.
Lost: What a library with fewer functions does when the program chooses one of them by a computed name.
Problem: none: may miss findings.
"""
MAX_SHARED_STORES: Final = 64
"""Stores, and loads, of one name in the objects of one library type that are joined. [stores]

Reason: Stores x loads. The objects are not told apart: what is set in one application of Express is read from another.
Lost: Flows from and to the further ones.
Problem: none: may miss findings.
"""
MIN_NAMES_OF_COPY: Final = 3
"""Names of a library that a module of its name must define to be a copy of it. [names]

Reason: Judgement: one or two names may be the program's own.
Lost: Copies of libraries of which packs know fewer names: what packs say of them is not used.
Problem: none: may miss findings.
"""
MAX_STAR_DEPTH: Final = 5
"""Star exports that are followed one behind the other. [modules]

Reason: Judgement.
Lost: Names exported through more modules are not resolved.
Problem: names that are exported through more than {MAX_STAR_DEPTH} star exports, one behind the other, are not resolved
Remedy: Import from a module that is nearer.
"""
MAX_STARS: Final = 4_096
"""Modules of which one module exports all names. [modules]

Reason: The largest index files of TypeScript packages have some hundreds.
Lost: Names of the further ones.
Problem: a module exports all names of more than {MAX_STARS} modules; further modules are ignored
Remedy: Export names, or split the module.
"""
MAX_DECORATORS: Final = 16
"""Decorators of one function that are looked through. [decorators]

Reason: Judgement.
Lost: A function below more decorators is not found where it is registered.
Problem: none: may miss findings.
"""
MAX_JOINS: Final = 12
"""Merges of merges that are still one thing. [merges]

Reason: Judgement: each round is linear in the program.
Lost: The value behind more merges has a representative of its own.
Problem: none: may add or miss findings.
"""
MAX_LINEAGE: Final = 50
"""A class and its bases that are looked through for a member. [classes]

Reason: Judgement.
Lost: Members of the bases further away.
Problem: a class and those above it are more than {MAX_LINEAGE}; those further away are ignored
Remedy: Inherit from fewer classes.
"""
MAX_LIBRARY_STEPS: Final = 6
"""Calls and members between a library's object and a value that is recognised as one. [steps]

Reason: Judgement.
Lost: Calls of methods of such a value go by the method's name.
Problem: none: may add or miss findings.
"""
MAX_NOTIFY_DEPTH: Final = 40
"""Listeners that run because of each other before the next one is deferred. [listeners]

Reason: Some frames of the stack each.
Lost: Nothing: the deferred one runs later.
Problem: none: speed only.
"""
MAX_DELIVERED: Final = 1 << 16
"""States in the queue that were passed on already, before the queue forgets them. [states]

Reason: Judgement: memory against copying.
Lost: Nothing.
Problem: none: speed only.
"""
FEW_EDGES: Final = 8
"""Edges of a node that are looked through one by one; more are kept as a dictionary. [edges]

Reason: Judgement: a short list is faster than a dictionary.
Lost: Nothing.
Problem: none: speed only.
"""
FEW_LISTENERS: Final = 32
"""Listeners of a node that are looked through one by one; more have a set. [listeners]

Reason: Judgement: most nodes have one or two. Without a set, calls of ``append`` on one slice took quadratic time.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_JOIN_EDGES: Final = 10_000
"""Edges from all assignments of one name to all its reads, above which they share a node. [edges]

Reason: Assignments x reads. Measured: at most 100 in netbox and 2,352 in NodeBB; gogs has one name above it.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_CELL_COPIES: Final = 2_000
"""Cells of an object x copies of it that a library makes, above which these get what all cells hold together. [pairs]

Reason: In Home Assistant every part keeps its data in one dictionary, with 1,866 keys, and 150 calls copy it: each of
280,000 pairs passed on up to 64 states.
Lost: What such a copy holds beyond ``MAX_HANDLERS`` functions and objects.
Problem: none: may miss findings.
"""
MAX_KEPT: Final = 100_000
"""Values of a program up to which the stages' tables are kept until the scan ends. [values]

Reason: Freeing them takes up to a twentieth of a scan, and a process that ends need not. Larger programs need the
memory: ``django``, 500,000 values, takes 348 MB, and 485 where they are kept.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_PROVING: Final = 600_000
"""Values of a program up to which labelling's tables are kept for questions that explanation asks. [values]

Reason: Larger programs need the memory.
Lost: What constants and patterns prove of a part of a request in code that runs before its handler.
Problem: none: may add findings.
"""
MAX_OPTION_DEPTH: Final = 4
"""Literals above a function that are looked into for methods of its receiver: ``{ actions: { run() {} } }``. [levels]

Reason: Judgement: an action with options lies in its own object, in the list of actions, in the service.
Lost: Calls on ``this`` of methods that stand further away.
Problem: none: may miss findings.
"""
MAX_EXPORT_DEPTH: Final = 3
"""Objects in exported objects that are looked into for functions that a library offers. [levels]

Reason: Judgement.
Lost: Functions that lie deeper are not taken for offered ones.
Problem: none: may miss findings.
"""

# -- Resolution: copies of higher-order functions ----------------------------------------------------------------------

MAX_COPY_SIZE: Final = 200
"""Size of a function that is copied, its closures included. [values]

Reason: Helpers and decorators are smaller. A function that makes a cache of a query can have 291 values: with 300, and
twice as many values in copies, 15 false findings of one program were gone and a scan of Django took 14 per cent more.
Lost: Calls of the function are not distinguished.
Problem: none: may add findings.
"""
MAX_RARE_COPY_SIZE: Final = 400
"""The same for a function whose copies have few values together (``MAX_RARE_COPIED``). [values]

Reason: A function of 300 values that reads lists of a request with a converter has four copies (CATMAID, round 32:
three false findings). So few cost less than ten copies of a small function.
Lost: Calls of the function are not distinguished.
Problem: none: may add findings.
"""
MAX_RARE_COPIED: Final = 2_000
"""Values in all copies of such a function, which functions distinguish. [values]

Reason: Ten copies of ``MAX_COPY_SIZE``.
Lost: Calls of the function are not distinguished.
Problem: none: may add findings.
"""
MAX_FORWARDING_SIZE: Final = 24
"""Size of a function that is copied because it returns what a call returns that gets its argument. [values]

Reason: Judgement: a helper around a container's ``resolve`` has 5 to 15 values.
Lost: What larger functions return is not kept apart by the classes that they are given.
Problem: none: may miss findings.
"""
MAX_COPY_DEPTH: Final = 3
"""Copies in copies; closures in closures. [levels]

Reason: Judgement.
Lost: Calls inside are not distinguished.
Problem: none: may add findings.
"""
MAX_NAMES_KEPT: Final = 64
"""Names of fields under which a table without a class holds what is kept there, which other names may spell. [names]

Reason: A table has some dozen columns.
Lost: Further fields are found under the names that they were kept under alone.
Problem: none: may miss findings.
"""
MAX_NAMES_BEFORE_CONSTANT: Final = 6
"""Names and members that are looked up one behind the other to find the constant that a key is. [names]

Reason: Judgement: the object that holds the constants is imported, and renamed once.
Lost: The key counts as unknown.
Problem: none: may add or miss findings.
"""
MAX_SPELLINGS: Final = 16
"""Values that are looked at for the texts that the name of an imported module may be, for the members that are read
from such a module, and for whether a member with a computed name is called. [values]

Reason: Judgement: a name is chosen between two or three constants, each assigned once; a dozen functions use it.
Lost: The further modules: calls of their functions have no target.
Problem: none: may miss findings.
"""
MIN_PLUGINS: Final = 3
"""Files of one folder that must have a function of one name for each of them to be what a loader of plugins imports.
[files]

Reason: Judgement: two may have it by chance, and a computed name says nothing.
Lost: Calls of functions of modules with unknown names, of which there are two.
Problem: none: may miss findings.
"""
MAX_NAMESAKES: Final = 3
"""Functions that one call may mean for each of them to be copied. [functions]

Reason: Judgement: which call means which function is guessed by names.
Lost: Calls of the function are not distinguished.
Problem: none: may add findings.
"""
MAX_NAMESAKES_SEEN: Final = 8
"""Functions of one name that are looked at to find which a call means. [functions]

Reason: Judgement.
Lost: Calls of the function are not distinguished.
Problem: none: may add findings.
"""
MAX_COPIED: Final = 12_000
"""Values in all copies of one function. [values]

Reason: Judgement.
Lost: Calls of the function are not distinguished.
Problem: a function that calls or looks up its arguments is called in too many ways to analyse each separately
Remedy: None; paths through the function may join unrelated calls, and have low confidence then.
"""
MAX_KEYED: Final = 4_000
"""The same where only constant keys distinguish the copies. [values]

Reason: Judgement: keys matter less than functions.
Lost: Calls of the function are not distinguished.
Problem: none; that of ``MAX_COPIED``.
"""
MAX_ADDED: Final = 3
"""Values in all copies of one language, in per cent of the program's in that language. [per cent]

Reason: Copies make all later stages longer: see ``MAX_COPY_SIZE``.
Lost: Calls of further functions are not distinguished.
Problem: none; that of ``MAX_COPIED``.
"""
MIN_ADDED: Final = 12_000
"""Values in all copies of one language that a program of any size may have. [values]

Reason: Judgement: three per cent of a small program are nothing.
Lost: See ``MAX_ADDED``.
Problem: none; that of ``MAX_COPIED``.
"""
