"""Models of libraries, inferred from their own source: ``pyrograph rules infer`` and ``--dependencies infer``.

A library goes through the stages of a scan up to the flow graph; then one search answers what each public function does
with its arguments (``reach``). The chapters, each of which imports only those before it:

* ``interface``: the names under which a program reaches functions and classes;
* ``ends``: sources and sinks of the search;
* ``reach``: the search;
* ``entries``: hits as entries of the rule language;
* ``pack``: entries as a rule file;
* ``library``: where the source of a package lies, its name and version;
* ``infer``: all of this for one directory;
* ``dependencies``: the libraries beside a scanned program.

An entry is only written where a path without any assumed step proves it. The source is read, never imported or run.
"""
