"""Names in tables of records."""

from typing import Final

# Columns that a database fills: what a request writes into a record as a whole seldom holds them.
GENERATED_COLUMNS: Final = ("id", "_id", "pk")
