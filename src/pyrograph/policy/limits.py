"""Every limit: numbers that bound work or precision, in the order of the stages.

The text below a limit says what it bounds and in which unit, then in fields:

* Reason: why this value. Data is named where it exists; "judgement" means that nothing was measured.
* Lost: what is left out beyond it, or "nothing" where only the time changes.
* Problem: the message that the report has then (kind ``limit`` unless said otherwise), or why there is none.
* Remedy: what the user can do; only where there is a problem.

docs/limits.md is made from these texts (``tools/limits.py``); tests compare the messages with those in the code. Units
are cached under a digest of this file: a changed limit lowers everything anew. The values are literals, because
compiled modules inline them.
"""

from __future__ import annotations

from typing import Final

# -- Files and configuration -------------------------------------------------------------------------------------------

DEFAULT_MAX_FILE_SIZE: Final = 1_000_000
"""Size of a source file that is read; ``--max-file-size`` sets another. [bytes]

Reason: Parsing time grows with size, and a parse cannot be interrupted.
Lost: The file.
Problem: none; the report counts skipped files under "files above the size limit".
"""
MAX_IGNORE_FILE: Final = 2_000_000
"""Size of an ignore file. [characters]

Reason: A file of 50,000 patterns has about this size.
Lost: All patterns of the file.
Problem: an ignore file with more than {MAX_IGNORE_FILE} characters is not used; shorten it
Remedy: Make the file shorter.
"""
MAX_WILDCARDS: Final = 40_000
"""Characters of patterns with wildcards that one path is compared with. [characters]

Reason: These patterns are compared one by one. The longest ignore files that people share have a tenth of this.
Lost: The first patterns of the file.
Problem: too many patterns with wildcards: the first {} patterns of {} are not used; use names without wildcards, or
    fewer patterns
Remedy: Use names without wildcards, or fewer patterns.
"""
PATTERN_COST: Final = 20
"""What a pattern counts against ``MAX_WILDCARDS`` beside its length. [characters]

Reason: Judgement: the fixed cost of one comparison.
Lost: See ``MAX_WILDCARDS``.
Problem: none; that of ``MAX_WILDCARDS``.
"""
MAX_PATTERN: Final = 4_096
"""Length of one pattern of an ignore file. [characters]

Reason: No path that a system opens is longer.
Lost: The pattern and those before it.
Problem: none; that of ``MAX_WILDCARDS``.
"""
HEAD_SIZE: Final = 8_192
"""Beginning of a file that decides what it is: text, minified, generated. [bytes]

Reason: Judgement: enough for a comment at the top and for the length of lines.
Lost: A mark that stands later is not seen, and the file is analysed.
Problem: none: may add findings.
"""
MARK_REGION: Final = 2_048
"""Beginning of a file in which "generated, do not edit" counts. [bytes]

Reason: The mark stands in the first comment.
Lost: A mark that stands later is not seen, and the file is analysed.
Problem: none: may add findings.
"""
LONG_LINE: Final = 1_000
"""Length of a line from which a file may be minified. [bytes]

Reason: No one writes longer lines of code by hand.
Lost: Nothing: other signs decide, too.
Problem: none: the same findings.
"""
MAX_CONFIGURATION: Final = 1_000_000
"""Size of a configuration file. [bytes]

Reason: The file comes from the tree that is scanned and is read before anything else.
Lost: The scan is refused.
Problem: none; an error: the configuration is larger than {MAX_CONFIGURATION} bytes; make it smaller
"""
MAX_KEY_PARTS: Final = 64
"""Parts of a key in a TOML file (``a.b.c``). [parts]

Reason: The standard library's reader takes quadratic time for keys of many parts.
Lost: The file is refused.
Problem: none; an error: a key of more than {MAX_KEY_PARTS} parts
"""

# -- Rules -------------------------------------------------------------------------------------------------------------

MAX_VULNERABILITIES: Final = 62
"""Vulnerabilities of one scan, each aspect of one counted, the built-in ones included. [vulnerabilities]

Reason: One bit each of a 64-bit mask, and two for the engine.
Lost: The scan is refused.
Problem: none; an error: more than {MAX_VULNERABILITIES} vulnerabilities and aspects, the built-in ones included
"""
MAX_BRACE_ENTRIES: Final = 20_000
"""Entries that one string of a pack may stand for. [entries]

Reason: Judgement: braces multiply.
Lost: The pack is refused.
Problem: none; an error: the braces stand for more than {MAX_BRACE_ENTRIES} entries
"""
MAX_NESTED_BRACES: Final = 20
"""Braces within braces of an entry. [levels]

Reason: Judgement.
Lost: The pack is refused.
Problem: none; an error: more than {MAX_NESTED_BRACES} braces are nested
"""
MAX_RULE_CACHES: Final = 8
"""Cache files of compiled rules that are kept for each kind. [files]

Reason: Judgement: versions and projects that one user alternates between.
Lost: Nothing: speed only; the least recently written go first.
Problem: none: speed only.
"""

# -- Parsing -----------------------------------------------------------------------------------------------------------

PARSE_STEPS: Final = 20_000
"""Progress reports and reads that the parser makes for any text, before it is stopped. [steps]

Reason: See ``PARSE_STEPS_PER_BYTE``.
Lost: The file.
Problem: (not-parsed) not analysed: parsing takes too many steps; exclude the file if it is generated, or split it
Remedy: Exclude the file, or split it.
"""
PARSE_STEPS_PER_BYTE: Final = 0.4
"""Further steps for each byte of the text. [steps]

Reason: Files of the standard libraries and of large packages take at most 80 steps for each thousand bytes.
Lost: The file.
Problem: code that takes too many steps to parse is not read
Remedy: Split the code.
"""
UNBOUNDED_PARSE: Final = 30_000
"""Size of a text up to which the parser's steps are not counted. [bytes]

Reason: Such a text takes a second or two at worst. The binding never frees the pieces that a bounded parse reads.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_BLANKED: Final = 4_000
"""Length of the type arguments of a tagged template that are left out before parsing. [bytes]

Reason: Judgement: several screens of an object type.
Lost: The statement, where it is longer and the grammar does not know such arguments.
Problem: none; that of a part that does not parse.
"""
PARSE_PIECE: Final = 1_024
"""Piece of text that the parser is given at a time. [bytes]

Reason: Judgement: small enough for going back to be counted.
Lost: Nothing.
Problem: none: speed only.
"""

# -- Lowering: all languages -------------------------------------------------------------------------------------------

FUNCTION_STEPS: Final = 2_000_000
"""Names looked at where control flow parts and merges, where an object changes and where a function is left, for one
function. [steps]

Reason: This work grows with variables x statements. The largest functions of CPython's library and of Django take a
hundredth of it.
Lost: The rest of the function.
Problem: analysing {function} takes too many steps (too many variables, branches and calls); the rest of it is not
analysed; split it
Remedy: Split the function.
"""
FILE_STEPS: Final = 8_000_000
"""The same for all functions of a file. [steps]

Reason: Four functions of the largest size.
Lost: The functions that follow.
Problem: this and {} more functions are not analysed, because the file takes too many steps; split it
Remedy: Split the file.
"""
MAX_NESTED_FUNCTIONS: Final = 200
"""Functions in functions. [levels]

Reason: A variable of the outermost that the innermost uses is captured by each between them.
Lost: The functions further inside.
Problem: this and {} more functions are not analysed: each is nested in more than {MAX_NESTED_FUNCTIONS} others;
nest them less deeply
Remedy: Nest functions less deeply.
"""
RECURSION_LIMIT: Final = 30_000
"""Python frames while a file is lowered, two to six for each level of syntax. [frames]

Reason: Python's frames lie on the heap, so that deep input does not end the process. Code that people write nests
less than 100 levels, generated code some 1,000.
Lost: The statement or function.
Problem: nested too deeply; this part is not analysed; split it
Remedy: Split the expression or statement.
"""
MAX_FILE_PROBLEMS: Final = 3
"""Syntax errors, and parts left out, that are reported one by one for a file. [problems]

Reason: Judgement: a file that does not parse would fill the report.
Lost: The lines of the further ones.
Problem: {} further parts are not analysed
Remedy: See the problems before it.
"""
STEPS_PER_TESTED_NAME: Final = 10
"""What each variable of a condition with many variables counts against ``FUNCTION_STEPS``. [steps]

Reason: Judgement: the versions of each are looked through.
Lost: See ``FUNCTION_STEPS``.
Problem: none; that of ``FUNCTION_STEPS``.
"""
STEPS_PER_KEPT_NAME: Final = 4
"""What each name counts against ``FUNCTION_STEPS`` that is kept to the end of a loop or function. [steps]

Reason: Judgement.
Lost: See ``FUNCTION_STEPS``.
Problem: none; that of ``FUNCTION_STEPS``.
"""
BYTES_PER_STEP: Final = 10
"""Source text that is searched for one step of ``FUNCTION_STEPS``. [bytes]

Reason: Judgement.
Lost: See ``FUNCTION_STEPS``.
Problem: none; that of ``FUNCTION_STEPS``.
"""
LONG_TEXT: Final = 1_000
"""Length of a piece of source text from which its reads are counted. [bytes]

Reason: Names are shorter; a longer one is syntax that was read in case it is a name.
Lost: Nothing.
Problem: none; that of ``FUNCTION_STEPS``.
"""
LONG_TEXTS: Final = 100
"""Bytes that may be read in long pieces for each byte of the file. [bytes]

Reason: Judgement: reads of nested syntax are quadratic.
Lost: The rest of the function.
Problem: none; that of ``FUNCTION_STEPS``.
"""
MAX_CONSTANT_TEXT: Final = 4_096
"""Longest constant text that is kept. [characters]

Reason: Judgement: texts that rules and keys ask for are short.
Lost: The content of longer texts; they are still text.
Problem: none: may add or miss findings.
"""
MAX_CONDITION_SLICE: Final = 3
"""Definitions that a condition looks back through for the variables it tests. [definitions]

Reason: Judgement.
Lost: A check of something made from a variable further back does not clean the variable.
Problem: none: may add findings.
"""
MAX_REFINED_VERSIONS: Final = 16
"""Conditions about one version that are followed to the version that counts now. [versions]

Reason: Judgement.
Lost: A check before more than this many others about the same version does not count.
Problem: none: may add findings.
"""
MAX_EXIT_VERSIONS: Final = 16
"""Versions that are looked through for what a variable still is at an exit. [versions]

Reason: Judgement.
Lost: A parameter is not recognised at the exit, so that a check of it there does not count in callers.
Problem: none: may add findings.
"""
FEW_NAMES: Final = 16
"""Names of one value that are looked through one by one; more have a set. [names]

Reason: Judgement: a short list is faster than a set. From it on, a condition's variables count as steps, too.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_FORWARDED_ELEMENTS: Final = 64
"""Elements of a literal whose values are known without a load. [elements]

Reason: Judgement.
Lost: Parts of larger literals go through a store and a load, which an unknown call between may change.
Problem: none: may add or miss findings.
"""
MAX_CONSTANT_ITEMS: Final = 16
"""Items of a literal whose constants are kept. [items]

Reason: Judgement: options of a call are few, tables are large.
Lost: A rule that asks for a constant option does not see it in a larger literal.
Problem: none: may add or miss findings.
"""
MAX_HOLDERS: Final = 12
"""Objects around a changed one that get a new state (``a.b.c = 1`` changes ``b`` and ``a``). [objects]

Reason: Objects that hold each other would go on for ever.
Lost: Objects further out do not see the change.
Problem: none: may add or miss findings.
"""
MAX_DECISION_NODES: Final = 20_000
"""Nodes of the decision diagrams for the control flow of one loop. [nodes]

Reason: Diagrams grow exponentially at worst. Only ``pyrograph ir`` makes them; no finding depends on them.
Lost: The exact conditions of the loop's streams: the text says ``?``.
Problem: none: the same findings.
"""
MAX_SHOWN_ROWS: Final = 20
"""Rows that break one promise of a table and are shown. [rows]

Reason: Judgement: one is enough to find the cause.
Lost: Further rows are counted.
Problem: none; part of an internal error's message.
"""

# -- Lowering: single languages ----------------------------------------------------------------------------------------

MAX_CONSTANT_SHIFT: Final = 256
"""Shift of a constant in Go that is computed. [bits]

Reason: Go asks compilers for constants of at least 256 bits.
Lost: The value of the constant.
Problem: none: may add or miss findings.
"""
MAX_FALLTHROUGH: Final = 16
"""Bodies that one case of a switch in Go may fall through. [cases]

Reason: Each body is lowered once for each case that reaches it.
Lost: Flows from a case into bodies further down.
Problem: a case falls through more than {MAX_FALLTHROUGH} others; those further down are not analysed for it
Remedy: Fall through fewer cases.
"""
MAX_TYPE_DEPTH: Final = 8
"""Steps through named types to a composite one, and through accesses to a declared type, in Go. [steps]

Reason: Types may be recursive.
Lost: The type of an expression: its methods are then looked for by name.
Problem: none: may add or miss findings.
"""
MAX_BOUND_PARAMETERS: Final = 4
"""Parameters that a bound function in JavaScript passes on. [parameters]

Reason: Judgement: a bound function is lowered as one that calls, and its number of arguments is not known.
Lost: Arguments after these.
Problem: none: may miss findings.
"""
MAX_BOUND_ARGUMENTS: Final = 16
"""Arguments that are bound to one function, by one partial application or by several. [arguments]

Reason: Judgement: an object that binds arguments to itself in a loop would bind more and more.
Lost: Calls of the function with further bound arguments.
Problem: none: may miss findings; no program is known that binds as many.
"""
MAX_SPREAD: Final = 4
"""Elements of a spread argument that are matched one by one with those of the rest parameter, where both do not begin
at the same position. [elements]

Reason: Judgement: a list that is passed on with one argument in front, or without its first one, is short.
Lost: Flow of the elements after these.
Problem: none: may miss findings; wrappers have few parameters.
"""
MIN_WALKED_NODES: Final = 20_000
"""Size of a syntax tree from which it is looked at whether a query of tree-sitter may be quadratic. [nodes]

Reason: Below, quadratic time is a fraction of a second.
Lost: Nothing: another search finds the same.
Problem: none: speed only.
"""
MAX_QUERY_DEPTH: Final = 500
"""Depth of a large syntax tree from which it is walked instead of queried. [levels]

Reason: Generated code has 100 levels.
Lost: Nothing: another search finds the same.
Problem: none: speed only.
"""
DEPTH_SAMPLES: Final = 40
"""Places of a syntax tree where its depth is looked at. [places]

Reason: A part that is deep and costs much is large, so a sample meets it.
Lost: Nothing: another search finds the same.
Problem: none: speed only.
"""
MAX_FOLLOWED_ELEMENTS: Final = 16
"""Elements of a container in Python whose methods (``append``, ``pop`` ...) are followed. [elements]

Reason: Judgement: each call makes a new literal of all elements.
Lost: Positions: the models of the packs take over, which do not tell elements apart.
Problem: none: may add findings.
"""
MAX_UNROLLED_ELEMENTS: Final = 4
"""Elements of a literal that a comprehension in Python goes through one by one. [elements]

Reason: Judgement: the body is lowered once for each.
Lost: Positions: a comprehension over more is a loop.
Problem: none: may add findings.
"""

# -- Templates ---------------------------------------------------------------------------------------------------------

MAX_TEMPLATE_SIZE: Final = 1_000_000
"""Size of a template. [bytes]

Reason: As for source files.
Lost: The template.
Problem: a template of {} bytes is not read; the limit is {MAX_TEMPLATE_SIZE}; split it
Remedy: Split the template.
"""
MAX_SHOWN_PARTS: Final = 64
"""Access paths that one expression of a template may show. [access paths]

Reason: Judgement: alternatives multiply.
Lost: Some of the values of the expression.
Problem: an expression outputs more than {MAX_SHOWN_PARTS} values; some are ignored
Remedy: Use several variables.
"""
MAX_HANDED: Final = 100_000
"""Names that are given to all templates that one includes. [names]

Reason: Names x includes, which is quadratic in a file.
Lost: Further includes.
Problem: includes that pass more than {MAX_HANDED} names in total are not analysed
Remedy: Pass fewer names to each include.
"""
MAX_TEMPLATE_PATH: Final = 12
"""Length of an access path of a template's value. [keys]

Reason: Judgement.
Lost: Values that lie deeper.
Problem: none: may miss findings.
"""
MAX_TEMPLATE_DEPTH: Final = 8
"""Templates in templates. [levels]

Reason: Judgement: includes multiply.
Lost: Templates further inside.
Problem: template: includes nested more than {MAX_TEMPLATE_DEPTH} levels deep are not analysed
Remedy: Include less deeply.
"""
MAX_WRITES: Final = 2_000
"""Unescaped values of a template, with all that it includes. [values]

Reason: Each is a sink at each call that renders the template.
Lost: Further values.
Problem: template: only the first {MAX_WRITES} unescaped values are analysed
Remedy: Split the template.
"""
MAX_INCLUDES: Final = 2_000
"""Templates and macros that one template shows, each as often as it is shown. [templates]

Reason: Includes in loops of includes double.
Lost: Further ones.
Problem: template: it includes more than {MAX_INCLUDES} templates, counted each time; the others are not analysed
Remedy: Include fewer templates.
"""
MAX_NAME_PATHS: Final = 128
"""Access paths that a name of an included template may stand for. [access paths]

Reason: Judgement: alternatives multiply with each include.
Lost: Further ones.
Problem: template: a name in an included template stands for more than {MAX_NAME_PATHS} values; the others are not
analysed
Remedy: Use different names for different values.
"""
MAX_TAG_LENGTH: Final = 10_000
"""Length of a tag in Jinja, Django, Nunjucks, Twig or Go templates. [characters]

Reason: Judgement: bounds the tokens of one tag.
Lost: The tag.
Problem: tags longer than {MAX_TAG_LENGTH} characters are not read
Remedy: Split the tag.
"""
MAX_TAG_DEPTH: Final = 40
"""Expressions in expressions of a tag; macros around a macro. [levels]

Reason: The reader is recursive.
Lost: The expression.
Problem: expressions nested more than {MAX_TAG_DEPTH} deep are not read
Remedy: Split the expression.
"""
MAX_BRACES_TAG: Final = 2_000
"""Length of a tag in Handlebars and Mustache. [characters]

Reason: As ``MAX_TAG_LENGTH``.
Lost: The tag.
Problem: tags longer than {MAX_BRACES_TAG} characters are not read
Remedy: Split the tag.
"""
MAX_CONTEXTS: Final = 16
"""Objects in which a name of Handlebars or Mustache may be looked up. [objects]

Reason: Judgement: one for each section around it.
Lost: Outer objects.
Problem: none: may miss findings.
"""
MAX_PUG_LINE: Final = 4_000
"""Length of a line of Pug. [bytes]

Reason: Judgement: bounds the regular expressions that read a line.
Lost: The line.
Problem: lines longer than {MAX_PUG_LINE} bytes are not read
Remedy: Split the line.
"""
MAX_SCRIPT_DEPTH: Final = 150
"""Depth of syntax of JavaScript in a template. [levels]

Reason: The walk is recursive.
Lost: The expression.
Problem: code nested more than {MAX_SCRIPT_DEPTH} deep is not read
Remedy: Split the expression.
"""

# -- Running the workers -----------------------------------------------------------------------------------------------

PARALLEL_BYTES: Final = 400_000
"""Uncached source below which one process lowers it all. [bytes]

Reason: Below, starting processes costs more than it brings.
Lost: Nothing.
Problem: none: speed only.
"""
CHUNKS_PER_JOB: Final = 16
"""Chunks of files for each worker. [chunks]

Reason: So that no worker is idle for long while another works on the last one.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_CHUNKS: Final = 2_048
"""Chunks of files in all. [chunks]

Reason: Their tokens must fit into a pipe.
Lost: Nothing.
Problem: none: speed only.
"""
CACHE_BYTES: Final = 1_000_000_000
"""Size of the cache of units from which on it is started anew. [bytes]

Reason: Judgement.
Lost: Nothing: the next scan lowers all files.
Problem: none: speed only.
"""

# -- Linking -----------------------------------------------------------------------------------------------------------

MAX_TRIED: Final = 500_000
"""Files that the targets of ``paths`` in ``tsconfig.json`` name, for all imports of a program. [files]

Reason: Some ten seconds.
Lost: Imports: they are taken for libraries.
Problem: `paths` names too many files: only {MAX_TRIED} were looked up, so some imports are treated as libraries
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
MAX_IMPLEMENTATIONS: Final = 8
"""Methods that a call of an interface's method may mean. [methods]

Reason: Judgement: with more, most of them are not meant.
Lost: All of these call edges.
Problem: a method has more than {MAX_IMPLEMENTATIONS} implementations; the call is not resolved
Remedy: None; flows through the call may be missing.
"""
MAX_CANDIDATES: Final = 3
"""Methods that a call may mean when only the method's name is known. [methods]

Reason: Judgement: a common name says nothing.
Lost: All of these call edges.
Problem: none: may miss findings.
"""
MAX_FALLBACK_ROUNDS: Final = 6
"""Rounds in which names that nothing else resolved are guessed. [rounds]

Reason: Judgement: each round adds at least one call edge, or is the last.
Lost: Calls that only a seventh round would resolve.
Problem: none: may miss findings.
"""
MAX_SHARED_STORES: Final = 64
"""Stores, and loads, of one name in the objects of one library type that are joined. [stores]

Reason: Stores x loads.
Lost: Flows from and to the further ones.
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
"""Edges of a node that are looked through one by one; more have a set. [edges]

Reason: Judgement: a short list is faster than a set.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_JOIN_EDGES: Final = 10_000
"""Edges from all assignments of one name to all its reads, above which they share a node. [edges]

Reason: Assignments x reads. Measured: at most 100 in netbox and 2,352 in NodeBB; gogs has one name above it.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_KEPT: Final = 600_000
"""Values of a program up to which the stages' tables are kept until the scan ends. [values]

Reason: Freeing them takes a twentieth of a scan, and a process that ends need not. Larger programs need the memory.
Lost: Nothing.
Problem: none: speed only.
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

Reason: Judgement: helpers and decorators are smaller.
Lost: Calls of the function are not distinguished.
Problem: none: may add findings.
"""
MAX_COPY_DEPTH: Final = 3
"""Copies in copies; closures in closures. [levels]

Reason: Judgement.
Lost: Calls inside are not distinguished.
Problem: none: may add findings.
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
"""Values in all copies, in per cent of the program's. [per cent]

Reason: Judgement: copies make all later stages longer.
Lost: Calls of further functions are not distinguished.
Problem: none; that of ``MAX_COPIED``.
"""
MIN_ADDED: Final = 12_000
"""Values in all copies that a program of any size may have. [values]

Reason: Judgement: three per cent of a small program are nothing.
Lost: See ``MAX_ADDED``.
Problem: none; that of ``MAX_COPIED``.
"""

# -- Labels ------------------------------------------------------------------------------------------------------------

MAX_DEFINITIONS: Final = 32
"""Values that are looked through for the shape of a value, a constant pattern, or a function under decorators. [values]

Reason: Judgement.
Lost: The shape is not known: a guard or a harmless constant is not recognised.
Problem: none: may add or miss findings.
"""
MAX_GUARD_SLICE: Final = 4
"""Transforms that a guard looks back through from the tested value. [transforms]

Reason: Judgement.
Lost: A check of something made further back does not clean the value.
Problem: none: may add findings.
"""
MAX_SCHEMA_CALLS: Final = 16
"""Calls of which a schema is put together. [calls]

Reason: Judgement.
Lost: Fields that are declared in further calls count as text.
Problem: none: may add findings.
"""
MAX_CHECKED_KEYS: Final = 4
"""Length of the access path of a part that was checked. [keys]

Reason: Judgement: ``if ok(req.body.a.b)`` has three.
Lost: A check of a part that lies deeper does not count when the part is read again.
Problem: none: may add findings.
"""
MAX_VERSIONS_BACK: Final = 64
"""States of objects that are looked back through from one read for the check of an earlier one. [states]

Reason: Judgement: bounds the time for each read.
Lost: A check further back does not count for this read.
Problem: none: may add findings.
"""
MAX_HOLES: Final = 256
"""Parts of one text that vary and are looked at for what may follow them. [parts]

Reason: Each text that adds one more begins anew. Templates of real programs have some dozens.
Lost: All harmless places in the text.
Problem: a text has more than {MAX_HOLES} variable parts; none of them is treated as harmless
Remedy: Build the text in several pieces.
"""
MAX_TEMPLATE_NAMES: Final = 32
"""Names of templates that a rendering helper may be given. [names]

Reason: Judgement: a helper that renders anything says nothing of one template.
Lost: What the helper's templates write unescaped.
Problem: a helper renders more than {MAX_TEMPLATE_NAMES} templates; what they write unescaped is not analysed for it
Remedy: Pass fewer names to one helper.
"""
MAX_TEMPLATE_ALIASES: Final = 4
"""Names between where a template object is made and where it is used. [names]

Reason: Judgement.
Lost: What the template writes unescaped.
Problem: none: may miss findings.
"""

# -- Regular expressions -----------------------------------------------------------------------------------------------

MAX_PATTERN_STEPS: Final = 8_000_000
"""Steps for all patterns of a program. [steps]

Reason: Some six seconds; a suspicious pattern takes 500,000.
Lost: Further patterns are treated as harmless.
Problem: analysing the regular expressions of this program takes too many steps; those after the first {} are treated
as harmless
Remedy: Scan parts of the program separately.
"""
MAX_PATTERN_LENGTH: Final = 5_000
"""Length of a pattern. [characters]

Reason: Judgement.
Lost: The verdict: the pattern is treated as harmless.
Problem: none: may miss findings.
"""
MAX_PATTERN_DEPTH: Final = 40
"""Groups in groups of a pattern. [levels]

Reason: Functions that walk the tree are recursive.
Lost: The verdict: the pattern is treated as harmless.
Problem: none: may miss findings.
"""
MAX_AUTOMATON_STATES: Final = 1_500
"""States of a pattern's automaton. [states]

Reason: Judgement: products of the automaton with itself are searched.
Lost: The verdict: the pattern is treated as harmless.
Problem: none: may miss findings.
"""
MAX_AUTOMATON_STEPS: Final = 30_000
"""Transitions of a pattern's automaton. [transitions]

Reason: As ``MAX_AUTOMATON_STATES``.
Lost: The verdict: the pattern is treated as harmless.
Problem: none: may miss findings.
"""
MAX_REPEAT_COPIES: Final = 10
"""Copies of a part that is repeated with limits; a part repeated more often is a loop. [copies]

Reason: Judgement: ``{1,1000}`` behaves like ``+`` for texts of normal length.
Lost: The exact bound of the repetition.
Problem: none: may add or miss findings.
"""
MAX_AMBIGUITY_WORK: Final = 150_000
"""Pairs and triples of states that are looked at for one pattern. [pairs, triples]

Reason: Judgement.
Lost: Ambiguous words that would be found later.
Problem: none: may miss findings.
"""
STATES_PER_STEP: Final = 16
"""States of a list that is searched, for one step of ``MAX_AMBIGUITY_WORK``. [states]

Reason: Judgement.
Lost: See ``MAX_AMBIGUITY_WORK``.
Problem: none: may miss findings.
"""
MAX_WORD: Final = 40
"""Length of a word that is repeated. [characters]

Reason: Judgement.
Lost: Ambiguity that only a longer word shows.
Problem: none: may miss findings.
"""
MAX_LOOPS: Final = 8
"""Candidates of a pattern that are tried, of each sort. [words]

Reason: Judgement.
Lost: Growth that only a further candidate shows.
Problem: none: may miss findings.
"""
MAX_SUFFIXES: Final = 5
"""Ends of texts that are tried with each candidate. [texts]

Reason: Judgement.
Lost: Growth that only a further end shows.
Problem: none: may miss findings.
"""
TRIAL_STEPS: Final = 40_000
"""Steps of one trial of the counting matcher. [steps]

Reason: Judgement: enough for ten repetitions to show exponential growth.
Lost: Nothing: a trial that is cut counts as one that takes long, see ``SURE_AT``.
Problem: none: may add findings.
"""
ALL_TRIAL_STEPS: Final = 1_000_000
"""Steps of all trials of a pattern; then the result so far is the answer. [steps]

Reason: About a second.
Lost: Growth that a further trial would show.
Problem: none: may miss findings.
"""
EXPONENTIAL_AT: Final = range(1, 11)
"""Repetitions that are tried; the last have to add ``EXPONENTIAL_GROWTH`` times the steps of those before.
[repetitions]

Reason: Judgement.
Lost: Growth that only longer texts show.
Problem: none: may miss findings.
"""
EXPONENTIAL_GROWTH: Final = 1.6
"""Factor of the added steps from which growth is exponential. [ratio]

Reason: Judgement: two ways for each repetition give 2, two ways for each second one 1.4.
Lost: Slower exponential growth.
Problem: none: may miss findings.
"""
SURE_AT: Final = 14
"""Repetitions that must take ``SURE_STEPS`` where fewer of them take ``TRIAL_STEPS`` already. [repetitions]

Reason: Judgement: tells long texts that take many steps from exponential growth.
Lost: Growth that only longer texts show.
Problem: none: may miss findings.
"""
SURE_STEPS: Final = 200_000
"""See ``SURE_AT``. [steps]

Reason: Five times ``TRIAL_STEPS``.
Lost: See ``SURE_AT``.
Problem: none: may miss findings.
"""
EXPLOSIVE_TEXT: Final = 24
"""Length of a text that takes ``TRIAL_STEPS`` only if the growth is exponential. [characters]

Reason: A cubic pattern takes 24 ** 3 = 13,824 steps for it.
Lost: Growth that only longer texts show.
Problem: none: may miss findings.
"""
UNREADABLE_STEPS: Final = 20_000
"""What a pattern counts against ``MAX_PATTERN_STEPS`` that turns out to be too large. [steps]

Reason: Judgement: about the time that it took to find out.
Lost: See ``MAX_PATTERN_STEPS``.
Problem: none; that of ``MAX_PATTERN_STEPS``.
"""
DEGREE_AT: Final = (1, 2, 4, 8, 16, 32, 64, 128)
"""Repetitions with which the degree of a polynomial is measured, each twice as many. [repetitions]

Reason: Doubling a text of a polynomial of degree d multiplies the steps by 2 ** d.
Lost: Degrees that only longer texts show.
Problem: none: may miss findings.
"""

# -- The flow graph ----------------------------------------------------------------------------------------------------

MAX_PATHS: Final = 16
"""Tainted access paths of one value. [access paths]

Reason: Judgement: nodes are values x access paths. Widened steps count as assumed.
Lost: Further access paths become "some part", then the whole.
Problem: an object has more than {MAX_PATHS} tainted parts; its parts are no longer tracked separately
Remedy: None; findings through such an object have lower confidence.
"""
MAX_NODES: Final = 500_000
"""Nodes (value, access path) from which all further access paths are widened. [nodes]

Reason: Judgement: bounds memory; Django has 34,000 (bench/stages.py).
Lost: All further access paths become the whole.
Problem: none; that of ``MAX_PATHS``.
"""
MAX_PATH: Final = 16
"""Length of an access path. [keys]

Reason: Judgement: a longer one comes from a structure that holds itself.
Lost: Keys at the end: the part becomes everything below its beginning.
Problem: none: may add findings.
"""
MAX_PATHS_BELOW: Final = 4
"""Access paths of one value, before parts of an object that is tainted as a whole are no longer followed apart. [access
paths]

Reason: Judgement.
Lost: The parts' own paths: findings through them are those of the whole.
Problem: none: may add findings.
"""
MAX_REPEATS: Final = 2
"""Occurrences of one key in an access path. [times]

Reason: ``node.next.next.next`` goes on for ever.
Lost: Keys at the end: the part becomes everything below its beginning.
Problem: none: may add findings.
"""
MAX_EXCLUDED: Final = 4
"""Overwritten keys that an access path remembers. [keys]

Reason: Judgement: states of an object multiply with them.
Lost: A further overwritten key counts as tainted.
Problem: none: may add findings.
"""

# -- Search ------------------------------------------------------------------------------------------------------------

MAX_HITS: Final = 500_000
"""Pairs of source and sink that one search keeps, all vulnerabilities together. [pairs]

Reason: One takes 0.4 kB, so that they take 200 MB. Measured with low confidence and all threat models: Django has at
most 580,000 pairs of sources and sinks, connected or not.
Lost: Each sink keeps its nearest sources.
Problem: {} reached from more than {MAX_NEAREST} sources; only the nearest {MAX_NEAREST} are reported
Remedy: Scan fewer vulnerabilities or directories at once.
"""
MAX_NEAREST: Final = 16
"""Sources of one sink that are kept where there are too many. [sources]

Reason: Reports show five.
Lost: Sources further away.
Problem: none; that of ``MAX_HITS``.
"""
MAX_SEARCH_WORK: Final = 1_000_000_000
"""(Sources or sinks, whichever are fewer) x edges of one graph up to which all pairs are searched for. [edges]

Reason: A search of this size takes some seconds; the nearest sources of each sink cost ``MAX_NEAREST`` x edges.
Measured with low confidence and all threat models: at most 15 million in Django, 6 million in NodeBB, 5 million in
gogs.
Lost: Each sink keeps its nearest sources.
Problem: none; that of ``MAX_HITS``.
"""
SHARED_SEARCH: Final = 4_000_000
"""Sources x edges up to which searches of several vulnerabilities are made as one. [edges]

Reason: Small searches cost as much as they have levels, which they share then.
Lost: Nothing.
Problem: none: speed only.
"""
BACKWARD_RATIO: Final = 4
"""Times fewer sinks than sources from which a large graph is searched backwards. [ratio]

Reason: Judgement.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_PAIRS: Final = 4_000_000
"""Pairs of source and sink that are asked for at once. [pairs]

Reason: 16 bytes each, and as many again to sort them.
Lost: Nothing: the rest is asked for next.
Problem: none: speed only.
"""

# -- Explanation -------------------------------------------------------------------------------------------------------

DEFAULT_MAX_TRACES: Final = 5
"""Paths of one finding that are reported; ``--max-sources`` sets another number. [paths]

Reason: Judgement.
Lost: Further paths; their number is reported.
Problem: none; the finding says how many sources there are.
"""
MAX_RATED: Final = 4
"""Sources whose paths are looked at while the nearest one gives low confidence. [sources]

Reason: Judgement.
Lost: A finding stays at low confidence although a further source would give more.
Problem: none: may miss findings.
"""
MAX_WALKED: Final = 2_000_000
"""Edges of the paths to the sinks of one file, twice where a path is rated and shown. [edges]

Reason: A few seconds. Measured with low confidence and all threat models, the file that needs most: 15,855 in gogs,
8,832 in Django, 3,111 in netbox, 1,475 in NodeBB.
Lost: Further findings of the file show source and sink alone.
Problem: the paths of {} findings are too long to analyse; only source and sink are shown
Remedy: Split the file.
"""
MAX_TRACE_STEPS: Final = 200
"""Steps of a path that is reported. [steps]

Reason: Judgement: a path of more than 80 steps has low confidence.
Lost: The steps before the sink.
Problem: none: the same findings.
"""
MAX_GUARD_DEPTH: Final = 3
"""Wrappers of wrappers, and mounts of mounts, that are looked through for a check of who may call. [calls]

Reason: Judgement: a middleware is made by a function, wrapped once, and mounted twice.
Lost: A check further away does not make the party of what is behind it an operator.
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

Reason: Judgement: each route that is registered on a group makes a version of it.
Lost: A check on a group before more routes than these does not count for those after them.
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
"""Memory for searches from sources, and about as much again while the next findings are prepared. [bytes]

Reason: Measured with low confidence and all threat models: all findings of Django need 170 MB.
Lost: Nothing: a search is made again.
Problem: none: speed only.
"""
MAX_CACHED: Final = 1_000_000
"""Edges of paths that are kept to be used again. [edges]

Reason: Judgement.
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
MAX_ROOTS: Final = 5
"""Origins of a sink's argument that ``pyrograph explain`` names. [values]

Reason: Judgement.
Lost: Further ones are counted.
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

# -- Isolation of faults, and reduction --------------------------------------------------------------------------------

TRIAL_BUDGET: Final = 12
"""Files that all trials of a search for a faulty file may analyse, in scans' worth. [scans]

Reason: The search costs a fixed multiple of one scan.
Lost: Files that are not distinguished are left out together.
Problem: none; the file's problem says that it was left out.
"""
TRIAL_FILES: Final = 20
"""What a trial counts at least. [files]

Reason: It forks, and loads rules.
Lost: See ``TRIAL_BUDGET``.
Problem: none; see ``TRIAL_BUDGET``.
"""
MIN_TRIALS: Final = 200
"""Trials of ``TRIAL_FILES`` that a search may always make. [trials]

Reason: Some ten seconds.
Lost: See ``TRIAL_BUDGET``.
Problem: none; see ``TRIAL_BUDGET``.
"""
MAX_ERROR_OUTPUT: Final = 1_000_000
"""Standard error of a run of ``pyrograph reduce`` that is kept, from its end. [bytes]

Reason: The traceback stands at the end.
Lost: What was printed before.
Problem: none: the same findings.
"""
MAX_WORDS: Final = 3_000
"""Words of a text without a grammar that ``pyrograph reduce`` tries one by one. [words]

Reason: Judgement: one run for each.
Lost: Texts of more words are reduced line by line.
Problem: none: the same findings.
"""
MAX_DESCENDANTS: Final = 12
"""Descendants that ``pyrograph reduce`` tries in place of a syntax node. [nodes]

Reason: Judgement: one run for each.
Lost: A smaller program.
Problem: none: the same findings.
"""
DESCENDANT_LEVELS: Final = 3
"""How far below a syntax node these descendants are. [levels]

Reason: Judgement.
Lost: A smaller program.
Problem: none: the same findings.
"""
