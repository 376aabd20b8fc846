"""pyrograph: a taint scanner in which every question is reachability on one graph."""

__version__ = "0.1.0"
