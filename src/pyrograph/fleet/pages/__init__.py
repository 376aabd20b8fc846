"""The store as pages of HTML, the same for files and for a server.

``views`` asks the store and names a template, ``render`` fills it in, ``chart`` draws, ``links`` knows where the other
pages are. ``site`` writes all pages into a directory, ``server`` answers requests with them.

No page has a script, loads anything or has an inline style: its Content-Security-Policy allows one style sheet, by its
hash. Whatever comes from the store is text that the template language escapes. The single reports are pages of their
own, with the policy that ``report/html`` gives them.
"""
