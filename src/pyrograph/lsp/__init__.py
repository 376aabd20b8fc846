"""The language server: ``pyrograph lsp`` shows findings while code is written.

Two kinds of processes take part, so that requests are answered while a scan runs and a crash of the analysis ends
nothing else:

* the **server** speaks the protocol. It holds the results of the last scan of each workspace folder and runs no stage.
* the **worker** analyses. It keeps modules, rules and units in memory and runs each job in a fork of itself, which is
  killed when a newer edit makes it stale. Memory of a scan goes back with its process. Where forking is not safe, each
  job has a process of its own, without that memory.

Modules of the worker: ``analysis`` (a scan), ``comments`` (where a suppression comment has to stand), ``fixing`` (a
verified edit), ``worker`` (the process). Modules of the server: ``analyst`` (the other end of the worker), ``folder``
(a workspace folder and what is known of it), ``result`` (of a scan), ``documents`` (texts and addresses),
``positions``, ``watching``, ``progress``; ``diagnostics``, ``hover``, ``actions``, ``fixes``, ``lenses`` and ``paths``
turn a report into the protocol's data; ``server`` has the state and ``handlers`` answers. Both processes use ``jobs``
and ``settings``.

A result is never used for a text that it was not made from: each result names the digests of the texts that were
analysed, and an answer about a document is given only if its text is one of them.

Only the server's modules import pygls and lsprotocol, the packages of the extra ``lsp``.
"""
