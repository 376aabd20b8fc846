"""Decisions of users about findings: suppressions, baselines, and the files that changed since a revision."""
