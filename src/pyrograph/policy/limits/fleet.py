"""Limits of ``pyrograph fleet``."""

from __future__ import annotations

from typing import Final

# -- Fleets: one repository --------------------------------------------------------------------------------------------

FLEET_MEMORY: Final = 4 << 30
"""Address space of the scan of a repository for which the fleet file sets no `memory`. [bytes]

Reason: 793,000 lines of Python take 1.9 GB; a worker that has less gives what it has.
Lost: The scan, after a second attempt with less.
Problem: none; `pyrograph fleet list` and the pages show the repository with the status "memory".
"""
FLEET_SECONDS: Final = 3_600
"""Time of a repository for which the fleet file sets no `time`, fetching included. [s]

Reason: Judgement: forty times what the largest program in bench/README.md takes.
Lost: The scan.
Problem: none; `pyrograph fleet list` and the pages show the repository with the status "time".
"""
FETCH_MEMORY: Final = 4 << 30
"""Address space of git while it fetches a repository. [bytes]

Reason: Judgement: git maps its packs into memory.
Lost: The scan.
Problem: none; the repository has the status "failed" with what git says.
"""
MAX_FLEET_HTML: Final = 64 << 20
"""HTML report that the store keeps. [bytes]

Reason: Judgement: a browser needs seconds for a larger one.
Lost: The links from the fleet's pages to this report; its findings are kept.
Problem: none.
"""
MAX_FLEET_MODEL: Final = 4_000_000
"""Model of a library that the other repositories are scanned with. [bytes]

Reason: Judgement: more than ten times the largest pack that comes with the program; all scans of the fleet read it.
Lost: The model; the library's repository is reported.
Problem: none.
"""
MAX_FLEET_REASON: Final = 500
"""Reason why a repository was not scanned. [characters]

Reason: Judgement: it stands in one row of a table.
Lost: The rest of the text.
Problem: none.
"""
MAX_SAID: Final = 65_536
"""End of the standard error of a scan that is read for the reason. [bytes]

Reason: Judgement: the reason is the last line.
Lost: What was said before.
Problem: none.
"""
POLL_SECONDS: Final = 0.02
"""Time between two looks whether a scan has ended. [s]

Reason: A hundredth of the shortest scans, and 50 looks a second cost nothing.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_OWNERS_FILE: Final = 3_000_000
"""CODEOWNERS file that is read. [bytes]

Reason: GitHub reads no larger one.
Lost: Owners: its findings have none.
Problem: none.
"""
LINE_BYTES: Final = 37
"""Source of an average line, from which the size of a repository is estimated that is not here yet. [bytes]

Reason: Six programs in Python, JavaScript and Go have 36.8.
Lost: Nothing.
Problem: none: speed only.
"""

# -- Fleets: the run ---------------------------------------------------------------------------------------------------

MAX_FLEET_FILE: Final = 10_000_000
"""Fleet file. [bytes]

Reason: Room for 100,000 repositories.
Lost: The run.
Problem: none: an error: more than {MAX_FLEET_FILE} bytes; {}
"""
FLEET_AHEAD: Final = 4
"""Scans that the scheduler holds for each one that can run. [scans]

Reason: Judgement: one runs, the others wait beside it, so that a worker is not idle while a report travels.
Lost: Nothing.
Problem: none: speed only.
"""
FLEET_SHARE: Final = 0.8
"""Share of this machine's memory that scans may take together. [1]

Reason: Judgement: the rest is for the system, the scheduler and the store.
Lost: Nothing: further scans wait.
Problem: none: speed only.
"""
WORKER_DEATHS: Final = 20
"""Workers of a cluster on this machine that may end under one scan. [workers]

Reason: Scans are other processes; a worker that ends is hardly ever their fault.
Lost: The scan.
Problem: none; the repository has the status "lost".
"""
LOST_ATTEMPTS: Final = 2
"""Times that a scan is handed out whose workers ended. [attempts]

Reason: Judgement: a scheduler that runs already has a count of its own, three by default.
Lost: The scan.
Problem: none; the repository has the status "lost".
"""
CONNECT_SECONDS: Final = 30
"""Time for a scheduler to answer. [s]

Reason: Judgement: that of Dask.
Lost: The run.
Problem: none: an error: no scheduler answers
"""
WORKER_SECONDS: Final = 600
"""Time that a run waits where the scheduler has no workers, or has none any more that is large enough for a scan. [s]

Reason: Judgement: nodes of a cluster start, and images are loaded, in a few minutes.
Lost: The run, which goes on when the command is given again; or the scan, with the status "memory".
Problem: none: an error: the scheduler has no workers
"""
LOOK_SECONDS: Final = 5
"""Time between two looks at the scheduler's workers. [s]

Reason: Judgement: a look costs milliseconds, scans take seconds.
Lost: Nothing.
Problem: none: speed only.
"""

# -- Fleets: the store -------------------------------------------------------------------------------------------------

SHARED_BATCH: Final = 1_000
"""Units that one request to a shared cache asks for or brings. [units]

Reason: Judgement: some 60 MB; what is in flight stands in memory.
Lost: Nothing.
Problem: none: speed only.
"""
BUSY_SECONDS: Final = 60
"""Time that a writer of a SQLite store waits for another one. [s]

Reason: Recording 5,000 findings takes less than a second.
Lost: The rest of the run, which goes on when the command is given again.
Problem: none: an error: another program writes to it
"""
STORE_BATCH: Final = 500
"""Values that one statement asks for. [values]

Reason: SQLite takes 999 parameters and more.
Lost: Nothing.
Problem: none: speed only.
"""
EXPORT_BATCH: Final = 50_000
"""Findings in memory while a table is exported. [findings]

Reason: Judgement: some 50 MB.
Lost: Nothing.
Problem: none: speed only.
"""
COMPRESSION: Final = 6
"""Level at which reports in the store are compressed. [1]

Reason: gzip's own.
Lost: Nothing.
Problem: none: speed only.
"""

# -- Fleets: the pages -------------------------------------------------------------------------------------------------

FLEET_PAGE: Final = 100
"""Rows of a list on one page. [rows]

Reason: Judgement: what fits into a few screens.
Lost: Nothing: the next page has the others; static pages say how many they leave out.
Problem: none.
"""
OVERVIEW_ROWS: Final = 10
"""Rows of each table on the first page. [rows]

Reason: Judgement: the page links to the whole table.
Lost: Nothing.
Problem: none.
"""
MAX_REQUEST_TEXT: Final = 1_000
"""Text in a request to the server: a rule, an owner, a token. [characters]

Reason: Judgement: names are shorter.
Lost: The answer; it says what is wrong with the request.
Problem: none.
"""
MAX_FORM: Final = 4_000
"""The form in which somebody hands over the token: each character may be escaped as three. [bytes]

Reason: Judgement: as long as the longest token, escaped, and its name.
Lost: What stands behind; the token is refused then.
Problem: none.
"""
STATIC_ROWS: Final = 1_000
"""Findings on a static page that lists those of a rule, an owner or a repository. [findings]

Reason: Judgement: a page of some 500 kB.
Lost: Older findings of this page; the page says so, and `pyrograph fleet serve` and the export have them.
Problem: none.
"""
TREND_WEEKS: Final = 26
"""Weeks that the trend shows. [weeks]

Reason: Judgement: half a year.
Lost: Earlier weeks.
Problem: none.
"""
NEW_DAYS: Final = 7
"""Age below which a finding is new. [days]

Reason: Pages are read once a week.
Lost: Nothing.
Problem: none.
"""
