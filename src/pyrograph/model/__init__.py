"""Plain data that every layer may import: places, problems, rules' texts, findings, the report."""
