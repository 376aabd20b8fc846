"""Fixes: edits that rules propose for findings, each verified by a scan of the edited program in memory.

Chapters: ``site`` finds the syntax that a finding is about; ``commands`` and ``statements`` rewrite text that is put
together; ``operations`` carries out the operations of a rule's ``fix`` entry; ``candidates`` lists the edits that may
fix a finding; ``verify`` keeps those with which a scan finds less and nothing new; ``apply`` writes files.
"""
