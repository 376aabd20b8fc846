from pyrograph.api import Options as Options
from pyrograph.api import Result as Result
from pyrograph.api import RulePack as RulePack
from pyrograph.api import assert_no_new_findings as assert_no_new_findings
from pyrograph.api import diff as diff
from pyrograph.api import scan as scan

__version__: str
__all__ = ["Options", "Result", "RulePack", "__version__", "assert_no_new_findings", "diff", "scan"]
