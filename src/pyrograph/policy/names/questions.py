"""Guesses from names within checks of the program whose bodies are read (``scanner.explain.asking``): what the
functions that they call ask.
"""

from __future__ import annotations

from typing import Final

from pyrograph.policy.late import late

ASKING_NAMES: Final = late(
    r"(?i)^_?(is|has|contains|includes|starts|ends|fullmatch|match|search|test|exec|same|equal|compare|find|first|one|"
    r"look_?up|query|count|scan|get_?(one|by)|valid|verif|check|allow|permit|prefix|suffix|by_)"
)
"""A function without a body in the program that says something of its argument, within a check of the program.

Means: a check whose outcome depends on such a call asks about the value, and a path behind it has at most medium
confidence.
Errs: a function so named that asks something else hides a true finding from the default report.
Measured: see bench/confidence.md, together with what the check's body shows.
"""
ADDRESS_NAMES: Final = late(
    r"(?i)^_?is_?(private|global|loopback|link_?local|reserved|multicast|site_?local|unspecified|public|internal)"
    r"(_?(unicast|multicast|ip|ipv4|ipv6|addr|address|host|network))?$"
)
"""A member or a function that says what kind of network address an object is.

Means: a path that goes on for some answers only has low confidence: the program decides where its request may go.
Whether the name leads elsewhere when the request is sent is not asked.
Errs: a check that leaves out a kind of address, or redirects, hides a true finding from the default report.
Measured: nothing.
"""
ADDRESS_MAKER_NAMES: Final = late(
    r"(?i)^_?((must_?)?parse_?(ip|addr(ess)?|addr_?port)(_?v?[46])?|(lookup|resolve)(_?(v?[46]|ips?|ip_?addr(ess)?|netip|"
    r"hosts?|addr(ess)?))?|ip_?(v[46]_?)?address|getaddrinfo|gethostbyname(_ex)?|addr_?from_?(slice|4|16))$"
)
"""A call that makes a network address of a host: it looks the host up, or reads the address that is its name.

Means: a condition that asks whether the address lies in a network (``NETWORK_NAMES``, or an operator for membership in
what is not constant) asks where the host leads, as ``ADDRESS_NAMES`` do.
Errs: as ``ADDRESS_NAMES``; another kind of resolver may have such a name.
Measured: of the known vulnerabilities, one fix (``servicecomb-1``); none of them is lost.
"""
NETWORK_NAMES: Final = late(r"(?i)^_?(contains|includes|has|check|matches|(is_?)?in_?(sub_?net|cidr|range|network)s?)$")
"""A call of a network, or of a list of networks, that is given an address.

Means: see ``ADDRESS_MAKER_NAMES``.
Errs: the list may hold what is always allowed.
Measured: as ``ADDRESS_MAKER_NAMES``.
"""
SELECTING_NAMES: Final = late(
    r"(?i)^((and_?)?where|filter(_?by)?|find_?(one|first|unique)?(_?by)?(_?or_?(fail|throw|null|none|404))?|find_?by_\w+|"
    r"get_(object_)?or_(none|404)|(one|first)(_or_(none|404|fail))?|take|last|exists|count(_?documents)?|find_?(all|many))$"
)
"""A call of a library that is given what the rows that it is about hold: by keyword, in an object, or as a text with a
value that is bound (``BINDS``).

Means: where the outcome of a chain of such calls decides whether the path goes on, and it goes on where there is a row,
the confidence is low: which values the rows have, was not found out.
Errs: the rows may be what everybody may add, or the object may be no condition: a true finding is hidden.
Measured: ``fixtures/flows/*/rows.md``; no findings of real programs.
"""
WHERE_NAMES: Final = late(r"(?i)^((and_?)?where|find_?(one_?)?by(_\w+)?|get_by(_\w+)?)$")
"""As ``SELECTING_NAMES``, where the value itself is an argument: ``where("path", path)``.

Means: as there, of the value.
Errs: as there; a value may be bound to another comparison.
Measured: as ``SELECTING_NAMES``.
"""
COLLECTION_NAMES: Final = late(r"^(objects|query)$")
"""A member that holds all rows of a class: ``get(path=path)`` of it asks for a row.

Means: ``get`` counts as one of ``SELECTING_NAMES``, and raises where there is no row.
Errs: another library's member of that name is taken for one: a true finding is hidden.
Measured: as ``SELECTING_NAMES``.
"""
BINDS: Final = late(r"(?is)^'.*\w\W?\s*=\s*(?:\?|\$\d|%s|[:@]\w)")
"""A condition as a text, with a value that is bound: ``Where("path = ?", path)``.

Means: the other arguments are what the rows hold.
Errs: one of several arguments may be bound to another comparison.
Measured: as ``SELECTING_NAMES``.
"""
CHANGING_NAMES: Final = late(
    r"(?i)^(bulk_?|batch_?)?(updates?|insert|create|delete|remove|upsert|replace|save|destroy)(_?(one|many|all|by|into?))?$"
    r"|(and|or)_?(update|create|insert|delete|remove|replace|modify|upsert|destroy)"
)
"""A call of a library that changes rows.

Means: its outcome is no answer to a look-up, whatever stands before it.
Errs: an update that changes no row because there is none with the value is a check: false findings stay.
Measured: as ``SELECTING_NAMES``.
"""
DEMANDING_NAMES: Final = late(r"(?i)^((scalar_)?one|get|\w+_?or_?(fail|throw|404|error))$")
"""A look-up that raises where there is no row.

Means: code behind it runs only where there is one.
Errs: where a library's call of that name returns nothing instead, a check that is none hides a true finding.
Measured: as ``SELECTING_NAMES``.
"""
OPERATOR_NAMES: Final = late(r"^(Equal|In|I?Like|Any)$")
"""A call that makes what a column has to equal, or to match, in an object of conditions: ``{ code: ILike(code) }``.

Means: its argument counts as the column's value.
Errs: a pattern may match any row, and still holds no more than parts of what is there and wildcards.
Measured: two false findings of round 36.
"""
BIND_NAMES: Final = late(r"^simple_bind_s$")
"""A call that logs in at a directory with a name and a password, and raises where these are wrong.

Means: code behind it runs only for names of the directory, in which there are no filters: the confidence is low.
Errs: a directory that takes any name with an empty password hides a true finding.
Measured: one false finding of round 33; two more, in JavaScript, bind in a callback and stay.
"""
SAYS_REFUSED: Final = late(
    r"\b4(?:0[0-9]|1[0-9]|22)\b|(?i:not_?found|bad_?request|no[- ]such|unprocessable|forbidden|\bunknown\b|\binvalid\b)"
    r"|(?i:\b(?:not|never|n't) (?:be |yet )?(?:found|exist|known|allowed|supported|valid|available|permitted)\b)"
    r"|(?i:[\"'`]no \w+(?: \w+)? (?:found|for|with|named|called|matches|matching)\b)"
)
"""Code, or what it says, where a value was refused or not found.

Means: code that says so on one side of a condition runs for the values that were refused: for it, the condition is no
check, as long as the other side does not say so.
Errs: a page that goes on with an allowed value and has such a word has more confidence than it should have.
Measured: ``fixtures/flows/*/rows.md``; no finding of 12 programs of rounds 23 to 25 changes.
"""
SINGLE_NAMES: Final = late(
    r"(?i)^_?((a?(scalar_)?(one|first)|get|take|last)(_or_(none|null|undefined))?|find_?(one|first|unique)?(_?by(_?(id|pk))?)?|"
    r"find_?by_?\w+|fetch_?(one|row))$"
)
"""A look-up that gives one row, or nothing.

Means: where reading a member of nothing raises, code behind such a read of the row runs only where there is one.
Errs: where a library's call of that name gives an empty object instead, a check that is none hides a true finding.
Measured: as ``SELECTING_NAMES``.
"""
FIRST_OF_NAMES: Final = late(r"^next$")
"""A function that gives the first of what it is given, or raises, or gives its second argument.

Means: where the elements were chosen by a value, code behind it runs only where there is one.
Errs: as ``SINGLE_NAMES``.
Measured: one false finding of round 31 stands behind the same with ``find`` of a list in JavaScript.
"""
MISSING_NAMES: Final = late(
    r"^(\w*(NotFound|DoesNotExist|NoResultFound|NoSuch\w+)(Error|Exception)?|KeyError|LookupError)$"
)
"""An exception that says that nothing was found.

Means: a call of a library with the value, in a ``try`` statement of which a handler names it, is a look-up; code that
only runs where it is not raised stands behind a check, and its path has low confidence.
Errs: the call may look for what another argument says: a true finding is hidden.
Measured: one finding of round 17 stands behind such a look-up alone; it is false.
"""
FAILING_NAMES: Final = late(
    r"^((Struct|Map)?Scan\w*|Scan(Struct|Map|All|Row)|Decode|(Get|Select|Exec)(Context)?|One|All|error|err|Error|Err)$"
)
"""A call, or a member, that gives the error of a look-up instead of its rows; capitals in names count.

Means: a row was found where it is null or false.
Errs: where it gives rows, the path is taken for one without a row: false findings stay.
Measured: as ``SELECTING_NAMES``.
"""
ERROR_NAMES: Final = late(r"^!?\W*(\w*[a-z]E|[eE])rr(or)?\d?\b(?!\s*[.(\[])")
"""A variable, or a member, that has the error of a call, at the beginning of a condition.

Means: where it is not null, the call failed: a path that goes on there has passed no check, and the report lists none.
Errs: a value so named that says something else is missing from the checks below a path; no finding changes.
Measured: ``tests/scanner/explain/test_passed_checks.py``.
"""
ABSENCE_NAMES: Final = late(r"(?i)^(is|is_?(record_?)?not_?found|is_?(nil|null|none|undefined|empty))$")
"""A function that says of the outcome of a look-up that there is no row: ``errors.Is(err, ErrNotFound)``.

Means: a row was found where it is false.
Errs: as ``FAILING_NAMES``.
Measured: as ``SELECTING_NAMES``.
"""
NO_ROW_NAMES: Final = late(r"^Err(No(Rows?|Documents?|Results?)|(Record|Row|Document)NotFound)$")
"""The error of a library that says that a look-up found no row: ``sql.ErrNoRows``, ``gorm.ErrRecordNotFound``.

Means: where the error of a call is compared with it, the call looks up what it is given; code that runs only where
they differ stands behind a check, and its path has low confidence.
Errs: the call may look for what another argument says: a true finding is hidden.
Measured: one finding of round 29 stands behind such a comparison alone; it is false.
"""
EXISTENCE_NAMES: Final = late(
    r"(?i)^(is_?(file|dir|directory|symlink|mount|abs|absolute|regular|not_?exists?|exists?|empty|blank|none|null|nil)"
    r"|has_?own_?property|get_?count)$"
)
"""A function that asks whether there is a file or a text: which one it may be, it does not say.

Means: such a call alone is no check of the value.
Errs: for a redirect, a name that has to be that of a file is one: false findings stay.
Measured: nothing.
"""

ENTITLING_NAMES: Final = late(
    r"(?i)access|permission|permitted|auth|owner|role|session|login|admin|acl|csrf|quota|limit|lock|member|subscri|policy"
)
"""A function of the program that asks who sends the request, or how often, not what the value is.

Means: a call of it is no check of its other arguments.
Errs: a check of the value that is named so is not recognised: false findings stay.
Measured: without it, and without following the parts of objects apart, nine of 30 true findings of round 4 had low
confidence.
"""
ADDING_NAMES: Final = late(r"(?i)^_?(append|push|concat|extend|add|insert|join|wrap|(new_?)?errors?f?|\w*error|new)$")
"""A call that makes what a check of the program records a bad value in: a longer list, an error.

Means: where a later condition asks for it, a path that goes on for one answer has low confidence.
Errs: a call so named that makes another form of the checked text hides a true finding from the default report.
Measured: see bench/confidence.md, together with records of other forms.
"""
CLEARING_NAMES: Final = late(r"(?i)^_?(clear|reset|remove|delete|discard|pop|shift|splice|truncate|flush)")
"""A call after which what was recorded in its receiver, or its argument, may be there no more.

Means: a later condition asks for nothing that was recorded before; the path keeps its confidence.
Errs: a call so named that takes something else away leaves a false finding.
Measured: as ``ADDING_NAMES``.
"""
GOOD_NAMES: Final = late(r"(?i)(^|_|is|was|are)(valid|ok|okay|good|pass(ed)?|success(ful)?|allowed|empty|clean)")
"""A function or a member that is true where nothing bad was recorded.

Means: which side of a condition a path needs. Other names that are no ``RECORD_NAMES`` say nothing.
Errs: as ``ADDING_NAMES``.
Measured: as ``ADDING_NAMES``.
"""
RECORD_NAMES: Final = late(r"(?i)(err|invalid|valid|fail|problem|issue|violation|reject)")
"""A method of an object from elsewhere that records that a value is bad, and the member that is asked later.

Means: as ``ADDING_NAMES``; both names have to say so, since a request or a session has many other states.
Errs: a check of another value with such names, on the same object.
Measured: as ``ADDING_NAMES``.
"""
EQUALITY_NAMES: Final = late(r"(?i)^(?:equal_?fold|(?:is_?)?equals?(?:_?ignore_?case)?)$")
"""A call of a library that says whether two texts are equal: ``strings.EqualFold(a, b)``.

Means: where a function of the program says so, the text is known to the program; where it says that none is equal
(``if taken(name) { return conflict }``), nothing is known of the text.
Errs: a call of such a name that asks something else leaves high confidence to findings behind its other answer.
Measured: three findings of one program (round 42) stood behind a question whether a name is taken.
"""
