"""The error that commands show in one line."""

from __future__ import annotations


class FleetError(ValueError):
    """Something that the user can mend: a fleet file, a scheduler, a store; the message says place, trouble, remedy."""
