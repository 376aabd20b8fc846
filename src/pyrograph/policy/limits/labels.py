"""Limits of labelling: how far conditions and guards look."""

from __future__ import annotations

from typing import Final

# -- Labels ------------------------------------------------------------------------------------------------------------

MAX_DEFINITIONS: Final = 32
"""Values that are looked through for the shape of a value, a constant pattern, or a function under decorators. [values]

Reason: Judgement.
Lost: The shape is not known: a guard or a harmless constant is not recognised.
Problem: none: may add or miss findings.
"""
MAX_ADDRESS_STEPS: Final = 256
"""Values that are looked through for the call that opens a connection, and for what decides its address. [values]

Reason: Judgement: an address goes through a row, a constructor, attributes and the text of an address.
Lost: The connection counts as one whose server no request chooses.
Problem: none: may add findings.
"""
MAX_CLEANED_DEPTH: Final = 4
"""Merges and results of functions in one another that the value is followed back through that a loop stores in place of
an element. [values]

Reason: Judgement: `names[i] = clean(names[i]) or ""` has two.
Lost: The elements count as not replaced.
Problem: none: may add findings.
"""
MAX_PLACES: Final = 8
"""Places of an object that were read or written by calls, functions of a call and values that a function returns, when
changes of the object are put back. [values]

Reason: Judgement: nearly all objects have one place.
Lost: Changes do not get back into further places.
Problem: none: may miss findings.
"""
MAX_PART_KEYS: Final = 3
"""Keys between a parameter and the part of it that a function returns, when changes of the part are put back. [keys]

Reason: Judgement: getters return a field, or an element of a field.
Lost: Changes of deeper parts do not get back.
Problem: none: may miss findings.
"""
MAX_KEPT_PAIRS: Final = 2_500
"""Pairs of public methods of one class, of which the first keeps data in the object for the second. [pairs]

Reason: Judgement: 50 methods that all change the object. Generated clients have thousands.
Lost: Data that one of the further methods keeps; those that come first, constructors mostly, are not concerned.
Problem: none: may miss findings.
"""
MAX_HELD_PATHS: Final = 64
"""Places in containers from which objects with a chosen key come back: `0` of each element of a list of pairs. [places]

Reason: Judgement: a function that merges objects with a list of what is left to do has two or three.
Lost: Writes to objects that were taken out of further places: prototype pollution.
Problem: none: may miss findings.
"""
MAX_LOOKED_STEPS: Final = 500_000
"""Stores, elements of tables and parts of checks that are looked through to tell what the values of one file are.
[steps]

Reason: About a second. The file that needs most takes 2,024 steps in NodeBB, and 1,035 in Django.
Lost: Further tables and checks of the file count as ones that are not understood.
Problem: telling what the tables and checks of this file hold takes too many steps; some count as not understood
Remedy: Split the file.
"""
MAX_CHOSEN: Final = 64
"""Values that are looked through to tell whether the program chose a text before untrusted data. [values]

Reason: Judgement: an address is read from settings, or handed down through a few calls.
Lost: The text counts as one that may be anything: a finding keeps its confidence.
Problem: none: may add findings.
"""
MAX_TABLES: Final = 5_000
"""Values that are looked through for the literals that a table, or what it holds, may be. [values]

Reason: Judgement: the routes of large programs are some hundreds, in tens of lists.
Lost: The schemas with which the routes behind are registered.
Problem: none: may add findings.
"""
MAX_PASSED_DEPTH: Final = 3
"""Calls through which a library's arguments are followed out to the constants that a condition asks for. [calls]

Reason: ``run(...)`` calls ``start(...)``, which calls the library. Judgement.
Lost: What callers further out pass is no sink: a finding.
Problem: none: may miss findings.
"""
MAX_FIELD_CHECK_DEPTH: Final = 3
"""Functions to which one that checks a field of a form hands the value on, each to the next one. [calls]

Reason: a method of the form calls a helper, which calls another one. Judgement.
Lost: A check further away is not understood.
Problem: none: may add findings.
"""
MAX_PASSING_CALLS: Final = 200
"""Calls of one function whose arguments are put in place of its parameters. [calls]

Reason: Judgement: three calls in one another take the product. A function that starts commands rarely has as many.
Lost: No caller is looked at: a finding.
Problem: none: may miss findings.
"""
MAX_MADE_MEMBERS: Final = 3
"""Steps from where a setting of an object is asked for within which a member is what its object was made with. [steps]

Reason: ``Pages(env=env).env``, through a name and another file. Each step asks twice, so the work doubles with it.
Lost: A setting further away is unknown.
Problem: none: may miss findings.
"""
MAX_READ_AGAIN: Final = 256
"""Loads from one object among which a condition looks for further loads of the same member. [loads]

Reason: Judgement: each sink may ask, so this keeps files with many of them linear.
Lost: A header that was set through another load is not seen: an answer of another type may count as a page.
Problem: none: may add or miss findings.
"""
MAX_GUARD_SLICE: Final = 4
"""Transforms that a guard looks back through from the tested value. [transforms]

Reason: Judgement.
Lost: A check of something made further back does not clean the value.
Problem: none: may add findings.
"""
MAX_ROUTE_DEPTH: Final = 4
"""Literals in one another in which the handlers of a route are looked for, to which its schema applies. [literals]

Reason: ``{ options: { handler } }`` in a list of routes are three.
Lost: A handler further inside is one without a schema.
Problem: none: may add findings.
"""
MAX_UPLOAD_PLACES: Final = 16
"""Parameters over which a request is followed back to the handlers whose uploads the server stores. [parameters]

Reason: Judgement: each read of the name of a file asks, and a handler passes its request on over few functions.
Lost: The name of a stored file that is read further away counts as the client's.
Problem: none: may add findings.
"""
MAX_SCHEMA_CALLS: Final = 16
"""Calls of which a schema is put together. [calls]

Reason: Judgement.
Lost: Fields that are declared in further calls count as text.
Problem: none: may add findings.
"""
MAX_SCHEMA_DEPTH: Final = 4
"""Schemas within schemas whose fields are looked at. [schemas]

Reason: Judgement: the body of a request, a list in it, an element, and one of several types that a field of it has.
Lost: Fields further down count as text.
Problem: none: may add findings.
"""
MAX_SCHEMA_FIELDS: Final = 1_000
"""Fields of one schema that are looked at, those of schemas in it included. [fields]

Reason: Judgement: schemas that share parts are as large as their product.
Lost: Further fields count as text.
Problem: none: may add findings.
"""
MAX_TABLE_VERSIONS: Final = 128
"""Versions of one table that are looked through for the keys under which it was filled. [values]

Reason: Judgement: a table has some five versions for each key that is changed under a condition.
Lost: What loops read of it counts as an element of a list, which may be anything that it holds.
Problem: none: may add findings.
"""
MAX_DEFINITIONS_TEXT: Final = 1_000_000
"""Constant text of a program that is read for declarations of arguments, all together. [characters]

Reason: Judgement: bounds the time, about a second; the schemas of large programs have some 200,000.
Lost: All declarations.
Problem: none: may add findings.
"""
MAX_FORMAL_PARTS: Final = 1_000
"""Parts of a library's check, such as fields and their rules, that are looked at. [values]

Reason: Judgement: an object of 100 fields with four rules each has 500.
Lost: A larger check counts as one that is not understood.
Problem: none: may miss findings.
"""
MAX_CHECKED_KEYS: Final = 4
"""Length of the access path of a part that was checked. [keys]

Reason: Judgement: ``if ok(req.body.a.b)`` has three.
Lost: A check of a part that lies deeper does not count when the part is read again.
Problem: none: may add findings.
"""
MAX_LISTS_PASSED: Final = 3
"""Calls through which a list that is written down for a check of its elements is passed on. [calls]

Reason: Judgement: a function that checks all elements seldom passes the list on.
Lost: A check by a function below these does not count for the elements.
Problem: none: may add findings.
"""
MAX_VERSIONS_BACK: Final = 64
"""States of objects that are looked back through from one read for the check of an earlier one. [states]

Reason: Judgement: bounds the time for each read.
Lost: A check further back does not count for this read.
Problem: none: may add findings.
"""
MAX_CHECKED_CALLS: Final = 8
"""Calls and loops in one another that are asked what they have checked of a part that is read. [questions]

Reason: Judgement: a handler that checks its input hands it on through two or three functions.
Lost: A check further away does not count for this read.
Problem: none: may add findings.
"""
MAX_PARTS_OPEN: Final = 128
"""Parts of objects that are looked at in one another, over all questions within one. [parts]

Reason: Judgement: twice what one question looks at; each part takes four calls of the interpreter's stack, which holds
1,000.
Lost: A check further back does not count for this read.
Problem: none: may add findings.
"""
MAX_OPTIONS: Final = 16
"""Options of one object whose names say that they are addresses of servers. [options]

Reason: Judgement: a client has one or two. Each call that gets the object has as many sinks.
Lost: Sinks by the names of further options.
Problem: none: may miss findings.
"""
MAX_IMPORT_STEPS: Final = 16
"""Members and calls between a call and the import that it comes from: ``sdk.builder().retry(3).build()``. [steps]

Reason: Judgement: chains of builders have about ten calls.
Lost: Sinks by the names of options at calls further from their import.
Problem: none: may miss findings.
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
MAX_NAME_STEPS: Final = 64
"""Values that are looked at for the names of the templates that one call may fill. [values]

Reason: Judgement: code chooses between two or three templates; a class has a dozen below it.
Lost: What further templates write unescaped.
Problem: none: may miss findings.
"""
MAX_TEXT_DEPTH: Final = 2
"""Texts in one another that a template's name is put together of. [texts]

Reason: Judgement: `f"{folder}/{kind}_list.html"`.
Lost: What the template writes unescaped.
Problem: none: may miss findings.
"""
MAX_CONTENT_DEPTH: Final = 4
"""Lists and tables in one another whose contents text shows. [literals]

Reason: Judgement: a list of tables, each with a list of tables.
Lost: What lies deeper.
Problem: none: may miss findings.
"""
MAX_CONTENTS: Final = 64
"""Parts of a literal that are looked at for what text shows of it. [parts]

Reason: Judgement: a row has a dozen.
Lost: Further parts.
Problem: none: may miss findings.
"""
MIN_LARGE_LITERAL: Final = 2
"""Parts of a literal from which on a template's values are looked for in what was stored. [parts]

Reason: A value with more than 16 tainted paths is widened, and each part may have many: two rows of a database have
more. The path of a literal with a single part shows the step to the literal.
Lost: Nothing.
Problem: none.
"""
MAX_MERGED: Final = 8
"""Versions of a list or a table that are looked at for the literals that it may be. [values]

Reason: Judgement: two or three sides of a condition, in a loop.
Lost: What text shows of it.
Problem: none: may miss findings.
"""
MAX_TEMPLATE_ALIASES: Final = 4
"""Names between where a template object is made and where it is used. [names]

Reason: Judgement.
Lost: What the template writes unescaped.
Problem: none: may miss findings.
"""
MAX_ROUND_STEPS: Final = 200
"""Basic blocks of a loop that are gone through to find what all its rounds prove. [blocks]

Reason: Judgement: a loop that checks a text has a handful.
Lost: What a longer loop proves.
Problem: none: may add findings.
"""
MAX_NORMALISED: Final = 32
"""Values behind a call that refuses ``..`` from which on no further ones are looked at for what resolves it. [values]

Reason: Judgement: a helper that sends a file, and its callers.
Lost: A path that a caller further away resolves counts as refused.
Problem: none: may miss findings.
"""
MAX_BRANCHES_ASKED: Final = 16
"""Uses of an object from which on it is not asked which of them stand on a branch that excludes a call. [uses]

Reason: Judgement: an answer has seldom more; each of many answers in one function would ask about all uses.
Lost: A type that an answer gets on another branch counts as its own.
Problem: none: may miss findings.
"""
MAX_MADE_BEFORE: Final = 64
"""Values that are looked through for what is made of a text before it is checked, and for its versions. [values]

Reason: Judgement: a path or an address is put together in a few steps.
Lost: A check behind longer text counts only for what is made after it.
Problem: none: may add findings.
"""
