"""Front ends: tree-sitter turns a file into syntax, one class per language turns syntax into a unit."""
