"""Every limit and every heuristic of the scanner, as data with a reason; no mechanism is here."""
