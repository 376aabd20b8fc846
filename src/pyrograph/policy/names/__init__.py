"""Guesses from names: words and regular expressions over the names of functions, members and files.

| module | guesses about |
|---|---|
| ``functions`` | functions that check or clean their argument, do not return it, or fill a container |
| ``questions`` | the functions that a check of the program calls, where the body of the check is read |
| ``administrators`` | conditions and checks that ask for an administrator |
| ``accounts`` | conditions and checks that ask for an account, and whether visitors can make one |
| ``first_accounts`` | what makes accounts, and what asks whether there is one already |
| ``grants`` | lists of what a role may do |
| ``requests`` | routers, and members and parts of requests and of addresses |
| ``files`` | files by their paths |
| ``markup`` | attributes of HTML that are run as code, and types of scripts |
| ``statements`` | texts that are SQL, and methods that run them |
| ``hosts`` | functions that refuse hosts, by their texts |
| ``options`` | options under which a library that no pack describes is given the address of a server |
| ``keys`` | comparisons with a key, or a password, of the configuration |
| ``loading`` | code that lists folders, or loads modules by computed names |
| ``settings`` | where a program runs: where it is developed, or where it is used |

A name proves nothing. Most guesses lower the confidence of a path; ``CLEANING_FILTERS`` and ``NON_PUBLIC_PATHS`` remove
findings. The text below each says what a match means, in which direction the guess errs, and what was measured. Names
of library APIs are no guesses: they stand in the packs of ``rules``.
"""
