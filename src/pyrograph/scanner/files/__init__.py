"""Finds, classifies and decodes the files of a scan: from paths on the command line to texts with a language."""
