"""The analysis of a program, a stage a package or module; each stage reads only what stages before it wrote.

``lower`` (files to units), ``link`` (units to one program), ``resolve`` (points-to sets, calls, models), ``label``
(roles under the rules), ``assemble`` (the flow graph), ``search`` (hits). ``verify`` checks the tables between them.
"""
