"""Random patterns that Python's ``re`` reads, small enough to be tried in all ways."""

from __future__ import annotations

from hypothesis import strategies as st

ONES = ("a", "b", "c", "[ab]", "[^a]", ".", r"\w", r"\s", "a", "b")
PLACES = ("^", "$", r"\b", r"\B")
REPEATS = ("*", "+", "?", "{2}", "{1,3}", "*?", "+?", "{0,2}?", "{2,}")


def patterns(*, places: bool = True, looks: bool = True) -> st.SearchStrategy[str]:
    """Patterns; with ``looks`` lookarounds and atomic groups, too."""
    leaves = st.sampled_from(ONES + PLACES if places else ONES)

    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        grouped = inner.map("(?:{})".format)
        found = [
            st.tuples(inner, inner).map("".join),
            st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
            st.tuples(grouped, st.sampled_from(REPEATS)).map("".join),
            inner.map("({})".format),
        ]
        if looks:
            found += [inner.map("(?={})".format), inner.map("(?!{})".format), inner.map("(?>{})".format)]
        return st.one_of(found)

    return st.recursive(leaves, larger, max_leaves=8)


texts = st.text("abc \n", max_size=7)
