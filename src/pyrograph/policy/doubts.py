"""Reasons of doubt: why a finding has less than high confidence. ``docs/internals/confidence.md`` has the rule.

Each has a name, which the machine-readable reports carry, and the words that a reader sees after "confidence:". A path
has the first reason that applies; reasons of low confidence are asked before those of medium confidence.
"""

from __future__ import annotations

from typing import Final

UNLIKELY_SOURCE: Final = "unlikely-source"
SELDOM_SOURCE: Final = "seldom-source"
POSTED: Final = "posted"
SCRIPTED: Final = "scripted"
TEXT_PART: Final = "text-part"
UNKNOWN_ROUTE: Final = "unknown-route"
OWN_PATH: Final = "own-path"
CHECK: Final = "check"
REFUSED: Final = "refused"
CHOSEN_SERVER: Final = "chosen-server"
CHECKED_BEFORE: Final = "checked-before"
ADMINISTRATORS: Final = "administrators"
CALLBACK: Final = "callback"
BRANCH: Final = "branch"
DISPATCH: Final = "dispatch"
OTHER_REQUEST: Final = "other-request"
OTHER_ROW: Final = "other-row"
OWN_ANSWER: Final = "own-answer"
NUMBER: Final = "number"
UNUSED: Final = "unused"
DEVELOPMENT: Final = "development"
UNKNOWN_RESULT: Final = "unknown-result"
GUESSED: Final = "guessed"
ASSUMED: Final = "assumed"
FAR: Final = "far"
LONG: Final = "long"
STORED: Final = "stored"
DEEP: Final = "deep"
SETTINGS: Final = "settings"
LOGIN: Final = "login"
HEADER: Final = "header"
SIGNED: Final = "signed"
WEAK_HARM: Final = "weak-harm"
RARE: Final = "rare"
RARE_SOURCE: Final = "rare-source"
RARE_SINK: Final = "rare-sink"
FIELD: Final = "field"
UNKNOWN_KEY: Final = "unknown-key"
CROWDED: Final = "crowded"
WHOLE_REQUEST: Final = "whole-request"
NAME_ALONE: Final = "name-alone"
METHOD_NAME: Final = "method-name"
OPTION_NAME: Final = "option-name"
UNREQUESTED: Final = "unrequested"
HANDED_OVER: Final = "handed-over"
IDENTIFIER: Final = "identifier"
SEVERAL: Final = "several"
REPACKED: Final = "repacked"
WORKER: Final = "worker"
BROWSER: Final = "browser"
NOT_WALKED: Final = "not-walked"

WORDS: Final = {
    UNLIKELY_SOURCE: "data from there does this harm hardly ever",
    SELDOM_SOURCE: "data from there seldom does this harm",
    POSTED: "neither a link nor a page of another site sends this",
    SCRIPTED: "a browser shows no answer to such a request as a page",
    TEXT_PART: "the part that is read is a text, and only an object does harm",
    UNKNOWN_ROUTE: "the part of the address may not hold a slash: its route is not known",
    OWN_PATH: "what arrives begins as the route does",
    CHECK: "a check on the path is not understood",
    REFUSED: "the value is looked up or asked about on the way, and may be refused",
    CHOSEN_SERVER: "a request also chooses the server that does this, and who names a server may run anything on it",
    CHECKED_BEFORE: "code that runs before the handler may refuse this part of the request",
    ADMINISTRATORS: "a name on the path says that only administrators get there",
    CALLBACK: "the path enters a function that another call passed",
    BRANCH: "a constant that a call passes, or a condition before, keeps the data from the sink",
    DISPATCH: "the path enters a method that the object on it does not have",
    OTHER_REQUEST: "one handler stores the data on its own request, and another one reads it",
    OTHER_ROW: "the path stores one row, column or field, and reads another one",
    OWN_ANSWER: "a script gets back what it has sent itself, and nothing that another user stored",
    NUMBER: "the column that a script reads is declared as a number, a date or the like",
    UNUSED: "nothing in the program names the function, or the class, that reads the data",
    DEVELOPMENT: "the path lies in tests, examples or tools, or runs where the program is developed only",
    UNKNOWN_RESULT: "an unknown call made what the function returns",
    GUESSED: "only the name of a method says that requests get to the function that reads this",
    ASSUMED: "steps of the path are assumed",
    FAR: "the path leads through many functions or files",
    LONG: "the path is long",
    STORED: "what one request stored is used by another one far from there, and seldom does harm",
    DEEP: "the path enters many functions",
    SETTINGS: "the path goes through a variable of a module, which mostly holds settings",
    LOGIN: "it runs only when the login that this browser began is completed, and no link of an attacker has the code",
    HEADER: "it runs only for requests with a header that no link adds",
    SIGNED: "it runs only for messages whose signature was verified: who has the key composed them",
    WEAK_HARM: "what arrives does harm in some places only",
    RARE: "few findings of this rule are true",
    RARE_SOURCE: "few findings of this rule with data from there are true",
    RARE_SINK: "few findings of this rule at such a call are true",
    FIELD: "one field of what such a call gets is from there, and few such findings of this rule are true",
    UNKNOWN_KEY: "the data stands under a key that is not known, and one key alone does harm",
    CROWDED: "data from many places ends here, as in a helper that all handlers call",
    WHOLE_REQUEST: "the request arrives as a whole: no part of it is named",
    NAME_ALONE: "the rule matches by name alone",
    METHOD_NAME: "only its name says which method is called, and libraries have methods of that name",
    OPTION_NAME: "only the name of an option says that the library asks the server that it is given",
    UNREQUESTED: "no request is seen to lead to the code that reads this",
    HANDED_OVER: "callers of the library name what it opens",
    IDENTIFIER: "an identifier is read, which programs mostly look up or check",
    SEVERAL: "a call on the path may run one of several functions",
    REPACKED: "the path goes through several objects that the data is stored in",
    BROWSER: "code on the path runs in browsers, so that the visitor's own browser sends the request",
    WORKER: "the program runs as a worker of a content network, which has no files and reaches public addresses only",
    NOT_WALKED: "the path was not inspected",
}
"""By reason: what it says of the path, to be read after a colon."""
