"""Limits of the analysis of regular expressions."""

from __future__ import annotations

from typing import Final

# -- Regular expressions -----------------------------------------------------------------------------------------------

MAX_PATTERN_STEPS: Final = 8_000_000
"""Steps for all patterns of a program. [steps]

Reason: Some six seconds; a suspicious pattern takes 500,000.
Lost: Further patterns are treated as harmless.
Problem: analysing the regular expressions of this program takes too many steps; those after the first {} are treated
as harmless
Remedy: Scan parts of the program separately.
"""
MAX_COMPARED_STEPS: Final = 4_000_000
"""Pairs of steps of two automata, for all patterns of a program of which the texts that they match, and those that they
do not match, are compared with what does harm. [pairs]

Reason: Six seconds. The patterns of pyrograph, its rules and their tests take 1,499,565 of them, in two seconds.
Lost: Tests with further patterns prove nothing.
Problem: telling what the regular expressions of this program admit takes too many steps; tests with those after the
first {} count as proving nothing
Remedy: Scan parts of the program separately.
"""
MAX_PATTERN_LENGTH: Final = 5_000
"""Length of a pattern. [characters]

Reason: Judgement.
Lost: The verdict: the pattern is treated as harmless.
Problem: none: may miss findings.
"""
MAX_PATTERN_DEPTH: Final = 40
"""Groups in groups of a pattern. [levels]

Reason: Functions that walk the tree are recursive.
Lost: The verdict: the pattern is treated as harmless.
Problem: none: may miss findings.
"""
MAX_AUTOMATON_STATES: Final = 1_500
"""States of a pattern's automaton. [states]

Reason: Judgement: products of the automaton with itself are searched.
Lost: The verdict: the pattern is treated as harmless.
Problem: none: may miss findings.
"""
MAX_AUTOMATON_STEPS: Final = 30_000
"""Transitions of a pattern's automaton. [transitions]

Reason: As ``MAX_AUTOMATON_STATES``.
Lost: The verdict: the pattern is treated as harmless.
Problem: none: may miss findings.
"""
MAX_REPEAT_COPIES: Final = 10
"""Copies of a part that is repeated with limits; a part repeated more often is a loop. [copies]

Reason: Judgement: ``{1,1000}`` behaves like ``+`` for texts of normal length.
Lost: The exact bound of the repetition.
Problem: none: may add or miss findings.
"""
MAX_AMBIGUITY_WORK: Final = 150_000
"""Pairs and triples of states that are looked at for one pattern. [pairs, triples]

Reason: Judgement.
Lost: Ambiguous words that would be found later.
Problem: none: may miss findings.
"""
STATES_PER_STEP: Final = 16
"""States of a list that is searched, for one step of ``MAX_AMBIGUITY_WORK``. [states]

Reason: Judgement.
Lost: See ``MAX_AMBIGUITY_WORK``.
Problem: none: may miss findings.
"""
MAX_WORD: Final = 40
"""Length of a word that is repeated. [characters]

Reason: Judgement.
Lost: Ambiguity that only a longer word shows.
Problem: none: may miss findings.
"""
MAX_LOOPS: Final = 8
"""Candidates of a pattern that are tried, of each sort. [words]

Reason: Judgement.
Lost: Growth that only a further candidate shows.
Problem: none: may miss findings.
"""
MAX_SUFFIXES: Final = 5
"""Ends of texts that are tried with each candidate. [texts]

Reason: Judgement.
Lost: Growth that only a further end shows.
Problem: none: may miss findings.
"""
TRIAL_STEPS: Final = 40_000
"""Steps of one trial of the counting matcher. [steps]

Reason: Judgement: enough for ten repetitions to show exponential growth.
Lost: Nothing: a trial that is cut counts as one that takes long, see ``SURE_AT``.
Problem: none: may add findings.
"""
ALL_TRIAL_STEPS: Final = 1_000_000
"""Steps of all trials of a pattern; then the result so far is the answer. [steps]

Reason: About a second.
Lost: Growth that a further trial would show.
Problem: none: may miss findings.
"""
EXPONENTIAL_AT: Final = range(1, 11)
"""Repetitions that are tried; the last have to add ``EXPONENTIAL_GROWTH`` times the steps of those before.
[repetitions]

Reason: Judgement.
Lost: Growth that only longer texts show.
Problem: none: may miss findings.
"""
EXPONENTIAL_GROWTH: Final = 1.6
"""Factor of the added steps from which growth is exponential. [ratio]

Reason: Judgement: two ways for each repetition give 2, two ways for each second one 1.4.
Lost: Slower exponential growth.
Problem: none: may miss findings.
"""
SURE_AT: Final = 14
"""Repetitions that must take ``SURE_STEPS`` where fewer of them take ``TRIAL_STEPS`` already. [repetitions]

Reason: Judgement: separates long texts that take many steps from exponential growth.
Lost: Growth that only longer texts show.
Problem: none: may miss findings.
"""
SURE_STEPS: Final = 200_000
"""See ``SURE_AT``. [steps]

Reason: Five times ``TRIAL_STEPS``.
Lost: See ``SURE_AT``.
Problem: none: may miss findings.
"""
EXPLOSIVE_TEXT: Final = 24
"""Length of a text that takes ``TRIAL_STEPS`` only if the growth is exponential. [characters]

Reason: A cubic pattern takes 24 ** 3 = 13,824 steps for it.
Lost: Growth that only longer texts show.
Problem: none: may miss findings.
"""
UNREADABLE_STEPS: Final = 20_000
"""What a pattern counts against ``MAX_PATTERN_STEPS`` that turns out to be too large. [steps]

Reason: Judgement: about the time that it took to find out.
Lost: See ``MAX_PATTERN_STEPS``.
Problem: none; that of ``MAX_PATTERN_STEPS``.
"""
DEGREE_AT: Final = (1, 2, 4, 8, 16, 32, 64, 128)
"""Repetitions with which the degree of a polynomial is measured, each twice as many. [repetitions]

Reason: Doubling a text of a polynomial of degree d multiplies the steps by 2 ** d.
Lost: Degrees that only longer texts show.
Problem: none: may miss findings.
"""
MAX_BEGINNINGS: Final = 8
"""Texts that a pattern at the beginning of a text is read as, `^[/\\\\]{2}` as four. [texts]

Reason: Judgement: patterns that refuse a beginning name few characters.
Lost: A check for such a beginning does not count where the pattern is not found.
Problem: none: may add findings.
"""
