"""Where the other pages are: names of files beside this one, or paths of the server."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from pyrograph.fleet.store.lists import Place

PAGES = ("overview", "new", "repositories", "rules", "owners", "ages", "copies", "trouble")  # those without a value


@dataclass(frozen=True, slots=True)
class Links:
    """Links of one kind of pages. Each is relative, so that a server may stand behind any prefix."""

    live: bool
    up: str = ""  # the way from this page to the others: "../" behind a slash

    def page(self, name: str) -> str:
        """One of ``PAGES``."""
        if self.live:
            return self.up + ("." if name == "overview" else name)
        return "index.html" if name == "overview" else f"{name}.html"

    def findings(self, key: str, value: object, *, state: str = "open", before: Place | None = None) -> str:
        """The list of those findings whose ``key`` is ``value``: a key of ``Filter``."""
        if not self.live:
            return quote(f"{key}-{_slug(str(value))}.html")
        asked = {key: str(value)}
        if state != "open":
            asked["state"] = state
        if before is not None:
            asked["before"] = f"{before[0]}-{before[1]}"
        return f"{self.up}findings?{urlencode(asked)}"

    def new(self, before: Place) -> str:
        """A further page of the new findings."""
        return f"{self.up}new?before={before[0]}-{before[1]}"

    def trouble(self, before: Place) -> str:
        """A further page of the repositories that were not scanned."""
        return f"{self.up}trouble?before={before[0]}-{before[1]}"

    def repository(self, number: int) -> str:
        return f"{self.up}repositories/{number}" if self.live else f"repository-{number}.html"

    def repositories(self, after: tuple[int, int]) -> str:
        """A further page of the repositories."""
        return f"{self.up}repositories?after={after[0]}-{after[1]}"

    def report(self, digest: str, fingerprint: str = "") -> str:
        """A single report, at one finding."""
        page = f"{self.up}reports/{digest}" if self.live else f"reports/{digest}.html"
        return f"{page}#{fingerprint}" if fingerprint else page


def _slug(value: str) -> str:
    """A name of a file for any text: readable where it is short and plain, and different for different texts."""
    plain = value.replace("/", ".")
    if plain and len(plain) <= 80 and all(each.isascii() and (each.isalnum() or each in ".-_") for each in plain):
        return plain
    return "x" + hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
