"""The documentation site: the Markdown of the repository, pages generated from the rules, and one navigation."""
