"""Words by which code compares what a request brings with a key of the operator, and keys of the tags of fields."""

from __future__ import annotations

import re
from typing import Final

from pyrograph.policy.late import late

SETTINGS: Final = late(
    r"(?:(?:\[\]byte|str(?:ing)?|String|bytes|Buffer\.from|strings\.TrimSpace|\w*sha\d+\w*(?:\.\w+)?)\()*"
    r"(?:await\s+)?(?:[\w$]+(?:\(\))?[.?!]+)*?"
    r"(?P<chain>(?:process\.env|import\.meta\.env|(?:[oO]s\.)?(?:[gG]etenv|LookupEnv|environ)"
    r"|\w*[cC]onf(?:igs?|iguration|ig_?(?:[sS]ervice|[mM]anager|[sS]tore))?|\w*[sS]ettings?(?:_?(?:[mM]anager|[sS]ervice|[sS]tore))?|SETTINGS|CONFIG|[cC]fg|\w+Cfg|env|viper"
    r"|(?:get|read|load)_?\w*(?:[cC]onf|[cC]onfig|[sS]etting|[eE]nv)s?_?(?:value|Value|val|Val|var|Var|[sS]tr(?:ing)?)(?=\())(?!\w)"
    r"[\w.$?!:<>()\[\]\"'`-]*)"
    r"(?:,\s*(?:\"[^\"]*\"|'[^']*'|None|null))?[)\s]*(?:\.\w+\([\w\"'-]*\))*"
)
"""Code that reads a setting, and converts it: ``config.get("api.secret")``, ``str(os.environ["API_KEY"])``.

Means: if the setting is named after a key (``SECRETS``), a request that brings the same text comes from somebody to
whom the operator gave it: the operator, or another service of theirs. Findings behind such a check are left to
``--threat-model operator``.
Errs: an application whose users all get the one key of its configuration hides findings from the default report; the
report counts them.
Measured: six false findings of one program of round 36; both true findings of a program whose keys stand in a table, of
round 22, stay.
"""
SECRETS: Final = frozenset(
    {"secret", "token", "password", "passwd", "passphrase", "passkey", "passcode", "psk", "apikey"}
)
"""The last word of a setting that is a key.

Means: as ``SETTINGS``.
Errs: as ``SETTINGS``.
Measured: as ``SETTINGS``.
"""
KEYS: Final = frozenset({"api", "auth", "access", "master", "service", "internal", "shared", "admin", "secret", "app"})
"""A word before "key" in the name of such a setting: ``API_KEY``, ``masterKey``. Other keys name rows and columns.

Means: as ``SETTINGS``.
Errs: a key that is named otherwise is not understood.
Measured: nothing.
"""
OTHER_WORDS: Final = frozenset({"public", "default", "old", "csrf", "xsrf", "jwt", "refresh", "reset", "session"})
"""A word in the name of a setting that is no key of a caller's.

Means: a comparison with it shows nothing.
Errs: a check that is named so is not understood.
Measured: nothing.
"""
CONVERTS: Final = late(
    r"(?:.*\.)?(?:trim|strip|encode|decode|to_?string|lower|toLowerCase|get_secret_value|reveal|unwrap|value|TrimSpace)"
    r"|\[\]byte|str(?:ing)?|String|bytes|Buffer\.from|\w*sha\d+\w*(?:\.\w+)?"
)
"""What a call that leaves a text what it is, or takes its digest, calls.

Means: what it is given, or called on, is looked at as the setting.
Errs: a check of a text that is converted in another way is not understood.
Measured: nothing.
"""
CONVERSIONS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        get trim strip encode decode tostring string str bytes buffer from value getvalue get_secret_value reveal lower
        tolowercase unwrap default utf8 utf
        """,
    )
)
"""Names behind a setting's that leave it what it is: ``settings.token.get_secret_value()``, in lower case.

Means: the name before them is the setting's.
Errs: a check with another such method is not understood.
Measured: nothing.
"""
EQUALS: Final = late(
    r"(?i)\b(?:compare_?digest|timing_?safe_?equal\w*|constant_?time_?(?:compare|equal)\w*|(?:safe|secure)_?(?:compare|equal)\w*"
    r"|tsscmp|bytes\.equal|is_?equal)\("
)
"""A call that is true, or 1, where two texts are equal.

Means: as a comparison by an operator.
Errs: a check that compares by another function is not understood.
Measured: nothing.
"""
ERRORS: Final = late(r"(?i)err|exception|status\.|unauth|forbid|denied")
"""Code of a returned value that is an error.

Means: a function that returns it refuses.
Errs: a function that returns another value which is no error is not understood.
Measured: nothing.
"""
KEYED_DIGESTS: Final = late(r"(?i)[\w$.]*hmac[\w$.]*")
"""The name of a library's call that makes a digest with a key: ``hmac.new``, ``createHmac``.

Means: code that runs only where such a digest of the request's body, with a key of the configuration, equals another
text, gets messages of who has the key. Findings there have medium confidence where a sender that passes texts on does
no harm: addresses of requests, operators in queries, and what a victim's browser would have to send.
Errs: with a key that the program gives to every user, true findings have medium confidence.
Measured: two false findings of two programs of round 38; two of earlier rounds (``rallly``, ``pix-bot``).
"""
COMPARES_DIGESTS: Final = late(r"(?i)\bhmac\.(?:equal|compare)\w*\(")
"""A call of a library that is true where two digests are equal, beside those of ``EQUALS``.

Means: as ``KEYED_DIGESTS``.
Errs: a check that compares by another function is not understood.
Measured: as ``KEYED_DIGESTS``.
"""
BODIES: Final = late(r"(?i)body|payload|\braw|read_?all\(|get_data\(|request\.data\b")
"""Code that names the body of a request.

Means: a digest that is made in the same function is one of the message as a whole; else it may be that of a token or of
one part of a link, beside which a request may hold anything.
Errs: where a function that makes a token has such a word, true findings behind its check have medium confidence.
Measured: as ``KEYED_DIGESTS``.
"""
WRITTEN_PARTS: Final = late(
    r"(?i)^(?:texts?|messages?|content|comments?|title|description|caption|links?|commands?|values?|inputs?|prompt"
    r"|questions?|query|body_?(?:plain|html)|(?:file|user|display)_?name|subject|files?|attachments?)$"
)
"""The name of a part of a message that somebody wrote whom the sender does not know.

Means: a finding with such a part keeps its confidence behind a verified signature.
Errs: a part that is named otherwise has medium confidence.
Measured: nothing.
"""
RELAYS: Final = late(
    r"(?i)hook|hmac|sign(?:ed|ature|ing)|digest\(.*digest|telegram|slack|discord|git(?:lab|hub|ea|ee)|bitbucket|twilio|stripe|paypal"
    r"|shopify|mattermost|whatsapp|facebook|line_?bot|\bbot|callback|verif(?:y|ication)_?token|captcha"
)
"""A word that says that the key belongs to a service which passes on what others wrote: a webhook, a chat.

Means: who brings the key did not write the data, so that the comparison shows nothing.
Errs: a relay that no word names hides findings as in ``SETTINGS``.
Measured: nothing.
"""
REGISTERS_SERVICE: Final = late(r"Register\w*(?:Server|Service)|add_\w+_to_server")
"""The name of a function that compilers of gRPC generate: it gives a server an object whose methods requests call.

Means: what the server was made with, such as an interceptor, runs before these methods.
Errs: a function of the program with such a name: another of its arguments counts as what runs before.
Measured: six false findings of one program of round 36.
"""
PREFLIGHT: Final = late(
    r"\(*(?:[\w$]+[.?!]+)*[mM]ethod(?:\(\))?\s*[!=]={1,2}\s*(?:[\"'`]OPTIONS[\"'`]|(?:\w+\.)?Method_?[oO]ptions)\)*"
)
"""Code of a condition that asks for the method by which a browser asks beforehand: ``request.method == "OPTIONS"``.

Means: a check that lets these pass is a check of all others.
Errs: a handler that does something for such a request is taken to be behind the check.
Measured: eight false findings of one program of round 41 (``netalertx``), with ``SETTINGS``; none is true.
"""
OTHER_SIDE: Final = late(r"\bnot\b|!(?!=)|!=|<>|\?(?![.?])")
"""Code of an expression that may be true where its comparisons are not.

Means: it says nothing of a key.
Errs: a check that is written so is not understood.
Measured: nothing.
"""
COMPARES_PASSWORDS: Final = late(
    r"(?i)(?:^|\.)(?:compare_?hash_?and_?password|check_?password\w*|checkpw|(?:check|verify)_?passw\w*|passw\w*_?verify|authenticate"
    r"|compare_?passw\w*|(?:bcrypt\w*|argon2\w*|scrypt\w*|pwd_?context|\w*hasher|crypt_?context)\.(?:compare|verify|check)\w*"
    r"|verify_?id_?token|exchange|authorize_access_token)$|passport\.|ldap"
)
"""A call of a library that finds out whether somebody may log in.

Means: if each such call, and each comparison of a password, is given the password of the configuration, only who set
the program up logs in, so that what is behind a login is left to ``--threat-model operator``.
Errs: a program that also logs in others, by a call of another name, loses true findings behind the login to it.
Measured: two false findings of one program of round 33.
"""
CONNECTIONS: Final = late(
    r"(?i)(?:^|\.|_)(?:[a-z]+(?:_?db|_?database|_?connection)|sequelize\w*|db|database|connection|conn|pool)\.\w+$"
)
"""A connection with a database, of which a method is called: ``sequelize.authenticate()`` tries whether it is there.

Means: given nothing, such a call logs in the program, and nobody else: it compares no password of a user.
Errs: a login whose object is named so and brings the password with it is not seen; as ``COMPARES_PASSWORDS``.
Measured: eleven false findings of one program of round 44 (``youtarr``).
"""
NEW_PASSWORDS: Final = late(
    r"(?i)confirm|repeat|again|retype|new_?pass|old_?pass|current_?pass|passw\w*[12]\b|re_?passw|default"
    r"|passw\w*?_?(?:needs?_?|must_?|should_?|to_?be_?)*(?:chang|expir)"
)
"""Code of a comparison of two passwords that a form sends, when somebody chooses one, or of whether they have to.

Means: it logs nobody in.
Errs: a comparison at a login that has such a word does not count.
Measured: nothing.
"""
TAG_KEYS: Final = {
    "json": late(r"(?i)json|sonic|(sigs\.k8s\.io|ghodss)/yaml"),
    "xml": late(r"(?i)xml"),
    "yaml": late(r"(?i)yaml"),
    "toml": late(r"(?i)toml"),
    "form": late(r"(?i)\bbind_?query\b|\b(should|must)_?bind_?query\b"),
    "uri": late(r"(?i)bind_?uri\b"),
    "header": late(r"(?i)bind_?header\b"),
    "query": late(r"(?i)\bquery_?parser\b"),
}
"""By key: a decoder that reads it. The first one that fits counts.

Means: such a decoder does not set a field whose tag has the value "-" behind the key: ``json:"-"``.
Errs: a decoder so named that reads another key loses a true finding, where a field is left out for one format only.
Measured: ``fixtures/flows/go/decoders.md``; no findings of real programs.
"""
