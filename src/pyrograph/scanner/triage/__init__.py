"""Decisions of users about findings: suppressions, baselines, and what is new since a revision."""
