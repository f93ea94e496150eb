"""The conformance suite that every adapter runs, ours and third parties'.

    from unibench.testing import SuiteContract

    class TestMySuite(SuiteContract):
        suite = "my-suite"
        tasks = ("an-easy-task", "a-hard-one")

Each test drives the adapter the way the supervisor does: in its session process, over the wire. Needs pytest.
"""

from unibench.testing.contract import SuiteContract

__all__ = ["SuiteContract"]
