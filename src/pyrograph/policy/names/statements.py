"""Guesses from texts that are SQL, and from the names of methods that are given such texts."""

from __future__ import annotations

from typing import Final

from pyrograph.policy.late import late

STATEMENT: Final = late(
    r"(?is)^\s*(?:select\s.*\bfrom\s|insert\s+(?:or\s+\w+\s+|ignore\s+)?into\s|update\s+\S+\s+set\s|delete\s+from\s"
    r"|replace\s+into\s|with\s+\w+.*\bas\s*\(\s*select\s|(?:create|drop|alter|truncate)\s+(?:table|view|database|user)\s)"
)
"""The beginning of a text that is an SQL statement, in which NUL stands for what the program puts there.

Means: a method of an object that nothing is known of, with a name of ``RUNNING_NAMES``, runs such a text.
Errs: an object that collects statements, or shows them, takes what is put there for part of one.
Measured: of 26 programs of rounds 14 to 22 that write such calls, one has findings by this, six: two are true, four
stand behind an assertion.
"""
QUERY: Final = late(
    r"(?is)^\s*(?:(?:optional\s+)?match\s*\w*\s*\(.*(?:\breturn\b|\b(?:detach\s+)?delete\b|\bset\b|\bmerge\b|\bcreate\b|\bwhere\b)"
    r"|(?:merge|create)\s*\(\s*\w*\s*:|unwind\s.*\bas\s|prefix\s+[\w-]*:\s*<|(?:select|construct|ask|describe)\b[^'\"]*\{\s*[?<\w\0]"
    r"|(?:insert|delete)\s+(?:data\s*)?\{|from\s*\(\s*bucket\s*:|for\s+\w+\s+in\s.*\breturn\s)"
)
"""The beginning of a text in a query language: Cypher, SPARQL, Flux, AQL. NUL stands for what the program puts there.

Means: as ``STATEMENT``.
Errs: as there.
Measured: nothing.
"""
TEXT_NAMES: Final = late(
    r"(?i)^(?:cypher|operation|(?:sql_?)?(?:q|query|statement|stmt|text)|(?:query|sql)_?(?:string|text)|sql)$"
)
"""Names of arguments, and keys of tables, under which a method gets the text of a statement.

Means: as ``STATEMENT``; the text still has to be one.
Errs: as there.
Measured: nothing.
"""
LAST_POSITION: Final = 2
"""The last position at which a method gets the text of a statement: a context, a connection or a target stands before.

Means: as ``STATEMENT``.
Errs: as there.
Measured: nothing.
"""
RUNNING_NAMES: Final = late(
    r"(?i)^_?(?:(?:run|exec(?:ute)?|do|send|db|raw|sql|fetch|select|prepare|async|simple)_?)?"
    r"(?:query|queries|sql|exec(?:ute)?|stat?ement|run|raw|prepare|fetch|select|all|any|one|none|many|each|get|row|rows|val|value|first)"
    r"(?:_?(?:many|all|one|row|rows|first|context|async|script|raw|unsafe|x|ctx|batch|sync|for_?update))*$"
)
"""The name of a method that runs the SQL statement that it is given: ``query``, ``executeSql``, ``fetch_all``, ``run``.

Means: see ``STATEMENT``.
Errs: as there.
Measured: nothing.
"""
KEY_COLUMNS: Final = late(
    r"^\w*(?:key|name|code|slug|configid|settingid|option|setting|property|parameter|param|variable)$"
)
"""The name of a column, without case and underscores, by which rows are told apart: ``key``, ``option_name``.

Means: a path that stores a row with one constant there, and reads the row with another one, has low confidence.
Errs: a program may rename rows by a statement; findings are lost then.
Measured: of round 42, eight findings of ``databag``, of which none is true.
"""
COLUMN_EQUALS: Final = late(r"\b([A-Za-z_]\w*)[\"`\]]?\s*=\s*(\?|\$\d+|%s|[:@]\w+|'([^'\s]*)')")
"""A column that equals a value that is bound, or a text, in the condition of a query: ``key = ?``.

Means: which row is read, as ``KEY_COLUMNS``.
Errs: as there.
Measured: as there.
"""
ASSIGNS_COLUMN: Final = late(r"'?\s*[\"`\[]?([A-Za-z_]\w*|\0)[\"`\]]?\s*=\s*(?:\?|\$\d*\0?|%s|[:@]\w+)\s*,?\s*")
"""A text that assigns a bound value to one column and says nothing else, part of an ``UPDATE``: ``folder = %s``.

Means: a value that the same block puts into a list is stored in this column: a path that reads another column of the
table has low confidence.
Errs: where a block puts two values into lists and assigns one of them, the other is taken for it; findings are lost.
Measured: of round 42, four findings of ``warracker`` that were judged, all false; its two true ones stay.
"""
BOUND: Final = late(r"\?|\$\d+|%s|[:@]\w+")
"""A place in a text of SQL at which a value is bound.

Means: as ``COLUMN_EQUALS``.
Errs: as there.
Measured: as there.
"""
OTHER_CONDITIONS: Final = late(r"(?i)\bor\b|\bnot\b|\bunion\b|\bjoin\b|<>|!=")
"""Words in a condition by which rows count in which a column does not equal the value.

Means: nothing is known of the row.
Errs: findings that are false stay.
Measured: nothing.
"""
OTHER_ROWS: Final = late(r"(?i)^(?:or|not|exclude|or_?where\w*|where_?not\w*|union\w*|joins?)$")
"""Methods of queries by which such rows count.

Means: as ``OTHER_CONDITIONS``.
Errs: as there.
Measured: nothing.
"""
LOOKS_UP: Final = late(r"(?is)^'?\s*select\b.*\bwhere\b.*=\s*(?:\?|\$\d|%s|[:@]\w)")
"""The text of a query for the rows in which a column equals a value that is bound.

Means: a call of a library that is given such a text asks about its other arguments, whatever its name: the path goes on
where a row holds the value.
Errs: the query may find a row by another value, or the path may go on where it finds none: a true finding is hidden.
Measured: three findings of one program in round 9, all false, stand behind such a query.
"""
CHANGES_ROWS: Final = late(r"(?is)^'?\s*(?:insert\s+into|update|delete\s+from|replace\s+into)\s+\S")
"""The text of a statement that changes rows.

Means: a call that is given such a text asks nothing, whatever its name (``exec``).
Errs: a statement that fails for unknown values is a check: false findings stay.
Measured: nothing.
"""
