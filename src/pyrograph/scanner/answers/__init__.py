"""What a page asks its own server for: the answer of a handler flows to the script that asked for its route.

``fetch("/api/notes")`` in a page and ``app.get("/api/notes", (req, res) => res.json(notes))`` are joined by no call
and, mostly, by no language. Packs say which calls ask, and where the answer arrives (``[type] requests``), and which
calls answer (``[type] answers``); what a handler returns is an answer, too. They meet by the address and the route:

* ``addresses``: how an address and a route are written, and whether they match;
* ``requests``: the calls that ask, also through functions of the program that complete an address;
* ``handlers``: the routes of handlers, and what these answer with;
* ``renamed``: members that are written in another way in the text that is sent;
* ``linked``: the flow from the one to the other.

It runs between resolution, which says what is called, and labels. A program without such requests costs one walk
through its calls.
"""

from pyrograph.scanner.answers.linked import link_answers

__all__ = ["link_answers"]
