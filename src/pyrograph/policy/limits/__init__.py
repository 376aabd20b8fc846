"""Every limit: numbers that bound work or precision, one module for each stage.

| module | limits of |
|---|---|
| ``files`` | discovery and configuration: sizes of files and patterns that are read |
| ``rules`` | rule packs: entries, vulnerabilities, cached files |
| ``parsing`` | parsing: the steps of the parser, and text that is prepared for it |
| ``lowering`` | lowering that hold for every language: steps, nesting, and how far facts are followed |
| ``languages`` | lowering that hold for one language, and of walks over syntax trees |
| ``templates`` | the readers of HTML templates |
| ``workers`` | the processes that lower files |
| ``caches`` | the caches |
| ``resolution`` | linking and resolution: points-to sets, the call graph, copies of functions |
| ``labels`` | labelling: how far conditions and guards look |
| ``patterns`` | the analysis of regular expressions |
| ``flow_graph`` | the flow graph: access paths and their expansion |
| ``search`` | the search: hits, depths, and the nearest sources |
| ``explanation`` | explanations: paths that are expanded, rated and shown |
| ``inference`` | ``rules infer``: what is kept of a library |
| ``fixes`` | scans that verify fixes |
| ``editor`` | the language server: waiting, and what popups list |
| ``fleet`` | ``pyrograph fleet``: memory and time of a repository, the run, the store, the pages |
| ``isolation`` | trials that isolate a fault, and of ``pyrograph reduce`` |

The text below a limit says what it bounds and in which unit, then in fields:

* Reason: why this value. Data is named where it exists; "judgement" means that nothing was measured.
* Lost: what is left out beyond it, or "nothing" where only the time changes.
* Problem: the message that the report has then (kind ``limit`` unless said otherwise), or why there is none.
* Remedy: what the user can do; only where there is a problem.

docs/limits.md is made from these texts (``tools/limits.py``); tests compare the messages with those in the code. Units
are cached under a digest that includes the modules lowering imports: a changed limit there lowers everything anew. The
values are literals, because compiled modules inline them.
"""
