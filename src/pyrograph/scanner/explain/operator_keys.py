"""Whether code names a key that the operator set: ``config.get("api.secret")``, ``os.environ["API_KEY"]``. By words.

``policy.names.keys`` has the words, and in which direction they err.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from pyrograph.policy.names.keys import CONVERSIONS, EQUALS, KEYS, OTHER_SIDE, OTHER_WORDS, RELAYS, SECRETS, SETTINGS
from pyrograph.scanner.explain.administrators import words

IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$-]*")
ALTERNATIVE: Final = re.compile(r"\bor\b|\|\|")
COMPARED: Final = re.compile(r"(?<![=!<>])={2,3}(?!=)")


def is_key(name: str) -> bool:
    """Whether an identifier is named after a key.

    >>> [is_key(name) for name in ("API_KEY", "reactSecret", "authToken", "api-key", "SecretKey", "INTERNAL_TOKEN")]
    [True, True, True, True, True, True]
    >>> [is_key(name) for name in ("token_type", "primary_key", "PUBLIC_KEY", "tokenHeader", "csrfToken", "keys")]
    [False, False, False, False, False, False]
    """
    parts = words(name)
    if not parts or not OTHER_WORDS.isdisjoint(parts):
        return False
    if parts[-1] == "hash":  # ``config.PasswordHash``
        return len(parts) > 1 and parts[-2] in SECRETS
    return parts[-1] in SECRETS or (parts[-1] == "key" and not KEYS.isdisjoint(parts[:-1]))


@lru_cache(maxsize=4096)
def names_key(code: str) -> bool:
    """Whether code reads such a setting, and does nothing else.

    >>> [names_key(code) for code in ("config.getSafe('api.mapSecret')", "os.environ['API_KEY']", "s.cfg.Server.Token")]
    [True, True, True]
    >>> names_key("settings.api_key.get_secret_value()"), names_key("[]byte(os.Getenv('TOKEN'))")
    (True, True)
    >>> names_key("os.environ.get('KEY_TOKEN', '')"), names_key("current_app.config['API_KEY'].encode()")
    (True, True)
    >>> [names_key(code) for code in ("request.token", "settings.TOKEN_HEADER", "config.secret.length", "row.api_key")]
    [False, False, False, False]
    >>> names_key("client.owner(config.token, id)"), names_key("request.headers[settings.token]")
    (False, False)
    """
    read = SETTINGS.fullmatch(code.strip())
    return read is not None and _ends_in_key(read["chain"])


def _ends_in_key(chain: str) -> bool:
    names = IDENTIFIER.findall(chain)[2 if chain.startswith(("process.env", "import.meta")) else 1 :]
    while names and names[-1].lower() in CONVERSIONS:
        names.pop()
    return bool(names) and is_key(names[-1])


def is_relayed(text: str) -> bool:
    """Whether a text says that who brings the key passes on what others wrote.

    >>> is_relayed("settings.GITLAB_TOKEN"), is_relayed("hmac.new(settings.KEY, body)"), is_relayed("config.apiKey")
    (True, True, False)
    """
    return RELAYS.search(text) is not None


def compares(code: str) -> bool:
    """Whether the code of an expression is true only where something equals such a key.

    >>> compares("req.headers['x-key'] === process.env.API_KEY"), compares("safeCompare(given, config.apiKey)")
    (True, True)
    >>> compares("a == config.apiKey || debug"), compares("config.apiKey"), compares("a !== config.apiKey")
    (False, False, False)
    >>> compares("not (a == config.apiKey)"), compares("!(req.query?.key === config.apiKey)")
    (False, False)
    """
    if ALTERNATIVE.search(code) or OTHER_SIDE.search(code) or is_relayed(code):
        return False
    code = code.strip().rstrip(";").removeprefix("return").strip()
    call = EQUALS.match(code)
    sides = COMPARED.split(code) if call is None else code[call.end() : -1].split(",")
    return len(sides) == 2 and sum(map(names_key, sides)) == 1
