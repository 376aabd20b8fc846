"""Entry points: how a program's code is reached from outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pyrograph.model.place import Place

# Whom the program lets in, as far as its code shows: anybody, people with an account, administrators.
Access = Literal["anybody", "account", "operator"]
# Where data travels in a request; "" where the source does not say, or the entry point takes no requests.
Where = Literal["path", "query", "body", "header", "cookie", "upload", ""]

# Whom a check asks for, to people.
ACCESS_WORDS: Final[Mapping[Access, str]] = {"anybody": "", "account": "an account", "operator": "an administrator"}


@dataclass(frozen=True, slots=True, order=True)
class EntryPoint:
    """A function that requests reach, under one route."""

    route: str  # with the prefixes of the groups that it is registered in; "" where it is not known
    methods: tuple[str, ...]  # of HTTP, upper case, sorted; () any, or not known
    handler: str  # qualified name of the function
    place: Place  # where the function is named
    access: Access = "anybody"
    is_shown: bool = True  # whether code shows who is let in; else only a name says so

    @property
    def name(self) -> str:
        """As people write it.

        >>> EntryPoint("/users/<id>", ("GET", "HEAD"), "show", Place("app.py", 1, 1, 1, 5)).name
        'GET|HEAD /users/<id>'
        """
        return f"{'|'.join(self.methods)} {self.route}".strip() or self.handler

    @property
    def check(self) -> str:
        """Whom the code in front asks for, as people say it; "" where no check is visible."""
        who = ACCESS_WORDS[self.access]
        if not who:
            return ""
        return f"asks for {who}" if self.is_shown else f"seems to ask for {who}"


@dataclass(frozen=True, slots=True, order=True)
class Parameter:
    """What a source reads of a request."""

    where: Where = ""
    name: str = ""  # "" where all of it is read, or the name is not constant

    @property
    def words(self) -> str:
        """As people say it; "" where nothing is known.

        >>> Parameter("query", "q").words, Parameter("body").words, Parameter("", "x").words
        ('query parameter `q`', 'body', 'parameter `x`')
        """
        nouns = {"path": "path parameter", "query": "query parameter", "body": "body field", "upload": "upload field"}
        if self.name:
            return f"{nouns.get(self.where, self.where or 'parameter')} `{self.name}`"
        return self.where


WHOLE_REQUEST: Final = Parameter()


@dataclass(frozen=True, slots=True)
class Surface:
    """One row of the list of a program's entry points."""

    entry: EntryPoint
    parameters: tuple[Parameter, ...]  # that its own code reads, sorted
    findings: tuple[str, ...]  # fingerprints of the findings that it leads to, sorted
