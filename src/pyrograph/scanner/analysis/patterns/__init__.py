"""Regular expressions: how the time a pattern takes grows with the text, and which texts it lets through.

Pure functions of the pattern; nothing here knows a program. Chapters: ``charset`` (sets of characters),
``dialect`` (notations and engines as data), ``parse``
(patterns as trees), ``alphabet`` (sets as bits), ``matcher`` (a matcher that counts its steps), ``automaton`` (trees as
automata), ``ambiguity`` (loops that read one word in many ways), ``growth`` (the verdict about time), ``texts`` (which
texts pass).
"""

from pyrograph.scanner.analysis.patterns.dialect import DIALECTS, Dialect
from pyrograph.scanner.analysis.patterns.growth import Growth, growth
from pyrograph.scanner.analysis.patterns.matcher import Kind

__all__ = ["DIALECTS", "Dialect", "Growth", "Kind", "growth"]
