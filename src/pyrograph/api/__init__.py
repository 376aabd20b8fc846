"""The interface for programs: ``scan``, ``diff``, and what they return and take. docs/python.md is its reference.

Nothing here prints, exits, reads the environment or keeps settings between calls.
"""

from pyrograph.api.options import Options
from pyrograph.api.packs import RulePack
from pyrograph.api.result import Result
from pyrograph.api.scanning import diff, scan
from pyrograph.api.testing import assert_no_new_findings

__all__ = ["Options", "Result", "RulePack", "assert_no_new_findings", "diff", "scan"]
