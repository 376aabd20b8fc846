"""Type facts of libraries, read from their sources: what functions and methods return, what members hold."""
