"""Limits of lowering that hold for every language: steps, nesting, and how far facts are followed."""

from __future__ import annotations

from typing import Final

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
MAX_CONSTANT_BITS: Final = 256
"""Longest constant integer that is kept. [bits]

Reason: Go asks compilers for constants of at least 256 bits; keys, sizes and masks of other languages are shorter.
Lost: The value of longer integers; they are still numbers.
Problem: none: may add or miss findings.
"""
MAX_CONSTANT_TEXT: Final = 32_768
"""Longest constant text that is kept. [characters]

Reason: Schemas in texts are the longest: parts of real ones have 6,000. Keeping 4,096 saved less than 1% of memory.
Lost: The content of longer texts; they are still text.
Problem: none: may add or miss findings.
"""
MAX_KEPT_TEXT: Final = 8_000_000
"""Constant text that is kept of a file, all together: literals, and what is put together out of them. [characters]

Reason: Measured: a long constant to which 48,000 statements each add something took 1.3 GB.
Lost: The content of further texts in the file; they are still text.
Problem: none: may add or miss findings.
"""
MAX_CONDITION_SLICE: Final = 3
"""Definitions that a condition looks back through for the variables it tests. [definitions]

Reason: Judgement.
Lost: A check of something made from a variable further back does not clean the variable.
Problem: none: may add findings.
"""
MAX_CONVERTED_ARMS: Final = 4
"""Arms that each made a text of one value, of which a condition tests the merge. [arms]

Reason: Judgement. Such code has an arm for each type that the value may have, mostly two.
Lost: A check of the merge does not clean the value.
Problem: none: may add findings.
"""
MAX_CHOSEN_MERGES: Final = 16
"""Merges, one before another, whose edges a test of one variable selects. [merges]

Reason: Judgement: bounds the steps of a test; forms with more fields collect their errors one by one.
Lost: A check before more other ones, whose failure only that variable tells, does not clean what it is about.
Problem: none: may add findings.
"""
MAX_CHOSEN_EDGES: Final = 64
"""Edges into merges before the tested one that one test looks at. [edges]

Reason: Judgement: bounds the steps of a test where each version of a merge is another merge.
Lost: A check that only an earlier edge tells of does not clean what it is about.
Problem: none: may add findings.
"""
MAX_REFINED_VERSIONS: Final = 16
"""Conditions about one version that are followed to the version that counts now. [versions]

Reason: Judgement.
Lost: A check before more than this many others about the same version does not count.
Problem: none: may add findings.
"""
LISTED_VERSIONS: Final = 64
"""Versions of a variable that each nested function which reads it lists; more than these are joined for all. [versions]

Reason: Judgement; the tables of 2,214 files (fixtures, pyrograph, SQLAlchemy, others) are the same without it.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_EXIT_VERSIONS: Final = 64
"""Merges and loops that are looked through for what a variable still is at an exit. [merges]

Reason: Judgement.
Lost: A parameter is not recognised at the exit, so that its checks and the stores in loops do not count in callers.
Problem: none: may add or miss findings.
"""
MAX_READ_NODES: Final = 64
"""Size of a function that a quantifier asks about elements, of which a condition on the call is taken to read the
variables. [syntax nodes]

Reason: Judgement: predicates that are given to quantifiers are short.
Lost: A condition on the call says nothing of the variables that a longer function captures: a check is not recognised.
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
POSITIONS_BEHIND: Final = 3
"""Positions at which a value is found that was added to a list whose length is not known. [positions]

Reason: Judgement: of such a list programs read the first element, all of them, or a slice.
Lost: A read of a later element by its number.
Problem: none: may miss findings.
"""
MAX_ITEMS_BEHIND: Final = 48
"""Items of a sum of lists that are told from its first element. [items]

Reason: Judgement: bounds the stores of one sum; sixteen values have that many.
Lost: Further ones may be the first element, too.
Problem: none: may add findings.
"""
MAX_CONSTANT_ITEMS: Final = 16
"""Items of a literal whose constants are kept. [items]

Reason: Judgement: options of a call are few, tables are large.
Lost: A rule that asks for a constant option does not see it in a larger literal.
Problem: none: may add or miss findings.
"""
MAX_MAPPING_VERSIONS: Final = 64
"""Versions of a mapping that a loop over its keys looks at. [versions]

Reason: Each loop costs as much.
Lost: A loop over a mapping that is filled in more branches seems to give what it holds as well as its keys.
Problem: none: may add findings.
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
MAX_HELPER_BYTES: Final = 60
"""Length of a callee up to which it is compared with the helpers of a compiler. [bytes]

Reason: ``(0, _createClass3["default"])`` has 28; without a bound, each call of a chain would read the chain anew.
Lost: What a helper with a longer name makes: methods of a compiled class, imports that a compiler wrapped.
Problem: none: may miss findings.
"""
