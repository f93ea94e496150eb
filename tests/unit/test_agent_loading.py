"""Where a user's agent is looked for, and what is said if it is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from unibench.agents.loading import load_agent
from unibench.errors import UsageError

WHERE = "looked for in the current folder and on PYTHONPATH"


def test_a_module_in_the_current_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "agent_of_this_folder.py").write_text("class Waits:\n    def act(self, observation):\n        return {'type': 'wait'}\n")
    monkeypatch.chdir(tmp_path)
    assert load_agent("agent_of_this_folder:Waits", {}).act({}) == {"type": "wait"}


def test_a_module_that_is_not_there_says_where_it_is_looked_for() -> None:
    with pytest.raises(UsageError, match=f"cannot be imported: No module named 'no_such_agent'; it is {WHERE}"):
        load_agent("no_such_agent:Agent", {})


def test_a_module_that_lacks_something_itself_says_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "agent_that_lacks.py").write_text("import no_such_library\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        load_agent("agent_that_lacks:Agent", {})
    assert str(caught.value) == "the agent agent_that_lacks:Agent cannot be imported: No module named 'no_such_library'"
