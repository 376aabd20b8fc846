"""What users decided about findings: suppressions, baselines, and the files that changed since a revision."""
